/* SPDX-License-Identifier: MIT */
/*
 * Copies and fills of memory that each run binds.  The list of these commands
 * is made once; each run checks that the bound buffers are long enough.
 */
#include "run/args/bind_copies.h"

#include "run/args/bind_parameters.h"
#include "run/args/payload_util.h"
#include "run/args/temporaries.h"

#include "object/memory/buffer.h"
#include "object/queue/strided_copy.h"
#include "plan/rotation.h"

/* ---- commands ---- */

/* Returns the number of copies and fills of memory that a run binds; lists them
 * in `out` unless it is null. */
static uint32_t list_copies(const plait__plan *plan, uint32_t *out)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < plan->command_count; i++) {
		if (!plait__payload_is_param_copy(plan, i))
			continue;
		if (out != NULL)
			out[count] = i;
		count++;
	}
	return count;
}

bool plait__bind_copies_find(plait__frame_layout *layout)
{
	const plait__plan *plan = layout->plan_object->plan;

	if (!layout->has_params)
		return true;
	layout->move_count = list_copies(plan, NULL);
	if (!plait__payload_alloc(plait__payload_allocator(layout),
				  &layout->moves, layout->move_count,
				  sizeof(uint32_t)))
		return false;
	(void)list_copies(plan, layout->moves);
	return true;
}

void plait__bind_copies_free(plait__frame_layout *layout)
{
	plait__free(plait__payload_allocator(layout), layout->moves,
		    layout->move_count * sizeof(uint32_t));
}

/* ---- range checks ---- */

/* One side of a copy: its buffer, and where the side begins. */
struct side {
	const plait__buffer *buffer;
	const char *host;	/* address of the program's memory, or null */
	uint64_t first;		/* offset within the root buffer */
	uint64_t have;		/* bytes of the buffer from there on */
	uint64_t reach;
	const char *name;
};

static plait_status fail(const plait__plan *plan, uint32_t command,
			 const struct side *side, plait_error *error)
{
	char room[PLAIT__PLAN_NODE_TEXT_BYTES];
	const char *node = plait__plan_node_text(
		plan, plan->commands[command].node, room);

	if (side == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%s: source and target overlap", node);
	return plait__fail(error, PLAIT_E_INVALID,
			   "parameter \"%.60s\": %s uses %llu bytes, and "
			   "there are %llu", side->name, node,
			   (unsigned long long)side->reach,
			   (unsigned long long)side->have);
}

static const char *name_of(const plait__plan *plan, uint32_t param)
{
	uint32_t name = plan->params[param].name;

	return name < plan->strings_count ? plan->strings + name : "";
}

static struct side host_side_of(const plait__frame *frame,
				const plait__plan_arg *arg, uint64_t reach)
{
	const plait__plan *plan = frame->layout->plan_object->plan;
	const struct plait__bound_buffer *bound = &frame->bound[arg->index];
	uint64_t offset = plait__payload_param_offset(plan->blob, arg);
	struct side side = { .reach = reach,
			     .name = name_of(plan, arg->index) };

	if (offset > bound->host_bytes)
		return side;
	side.host = (const char *)bound->mapped + offset;
	side.have = bound->host_bytes - offset;
	return side;
}

/* The memory that a side has in an iteration.  All parameters are bound, and
 * argument_bounds.c has checked the offset within a temporary. */
static struct side side_of(const plait__frame *frame,
			   const plait__plan_arg *arg, uint32_t iteration,
			   uint64_t reach)
{
	const plait__plan_object *plan_object = frame->layout->plan_object;
	const plait__plan *plan = plan_object->plan;
	struct side side = { .reach = reach, .name = "" };
	uint64_t offset = plait__rotation_arg_offset(arg);
	uint32_t slot = plait__rotation_arg_slot(plan, arg, iteration);

	if (plait__payload_arg_is_host(plan->params, arg))
		return host_side_of(frame, arg, reach);
	if (arg->kind == PLAIT__ARG_PARAM) {
		side.buffer = frame->bound[arg->index].buffer;
		side.name = name_of(plan, arg->index);
		if (__builtin_add_overflow(
			    plait__payload_param_offset(plan->blob, arg),
			    frame->bound[arg->index].offset, &offset))
			offset = UINT64_MAX;
	} else if (plait__temporaries_has(frame->layout, slot)) {
		/* Overlaps nothing that a run binds. */
		side.have = plan->slots[slot].bytes - offset;
		return side;
	} else {
		side.buffer = (const plait__buffer *)plan_object->buffers[slot];
	}
	if (side.buffer == NULL || offset > side.buffer->bytes)
		return side;
	side.first = side.buffer->offset + offset;
	side.have = side.buffer->bytes - offset;
	return side;
}

/* Returns true if the buffer of one side is the host memory of the other. */
static bool overlaps_host(const struct side *side, const struct side *host)
{
	return side->buffer != NULL && side->reach > 0 && host->host != NULL &&
	       plait__buffer_overlaps_host(side->buffer,
					   side->first - side->buffer->offset,
					   side->reach, host->host,
					   host->reach);
}

static bool overlaps(const plait__plan *plan,
		     const plait__plan_payload *payload,
		     const struct side *target, const struct side *source)
{
	const plait_work_rows *rows = plait__payload_rows(plan, payload);
	plait__strided_copy shape = { .rows = { .rows = 1, .slices = 1 },
			       .bytes = payload->bytes,
			       .target_bytes = target->reach,
			       .source_bytes = source->reach };

	if (rows != NULL)
		shape.rows = *rows;
	return payload->bytes > 0 && target->buffer != NULL &&
	       source->buffer != NULL &&
	       target->buffer->root == source->buffer->root &&
	       plait__strided_copy_overlaps(&shape, target->first,
					    source->first);
}

/* The command is a copy or a fill that list_copies has found, so it has its
 * arguments. */
static plait_status check_sides(const plait__frame *frame, uint32_t command,
				uint32_t iteration, plait_error *error)
{
	const plait__plan *plan = frame->layout->plan_object->plan;
	const plait__plan_payload *payload = plait__payload_of(plan,
							       command);
	const plait__plan_arg *args = &plan->args[payload->arg_first];
	const plait_work_rows *rows = plait__payload_rows(plan, payload);
	uint64_t reach[2] = { payload->bytes, payload->bytes };
	struct side target, source;

	if (rows != NULL)
		(void)plait__strided_copy_extent(rows, payload->bytes,
						 &reach[0], &reach[1]);
	target = side_of(frame, &args[0], iteration, reach[0]);
	if (target.have < target.reach)
		return fail(plan, command, &target, error);
	if (plan->commands[command].kind == PLAIT__CMD_FILL)
		return PLAIT_OK;
	source = side_of(frame, &args[1], iteration, reach[1]);
	if (source.have < source.reach)
		return fail(plan, command, &source, error);
	return overlaps(plan, payload, &target, &source) ||
	       overlaps_host(&target, &source) ||
	       overlaps_host(&source, &target) ?
	       fail(plan, command, NULL, error) : PLAIT_OK;
}

/* At least one side is bound, so another side that rotates is the only one. */
static plait_status check_all(const plait__frame *frame, uint32_t command,
			      plait_error *error)
{
	const plait__plan *plan = frame->layout->plan_object->plan;
	const plait__plan_payload *payload = plait__payload_of(plan, command);
	plait_status status = PLAIT_OK;
	uint32_t period = 1;

	for (uint32_t i = 0; i < payload->arg_count; i++)
		period *= plait__rotation_arg_period(
			plan, &plan->args[payload->arg_first + i]);
	for (uint32_t i = 0; status == PLAIT_OK && i < period; i++)
		status = check_sides(frame, command, i, error);
	return status;
}

plait_status plait__bind_copies_check(const plait__frame *frame,
				      plait_error *error)
{
	const plait__frame_layout *layout = frame->layout;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < layout->move_count; i++)
		status = check_all(frame, layout->moves[i], error);
	return status;
}
