/* SPDX-License-Identifier: MIT */
/*
 * COPY, FILL, READ and WRITE nodes.  A side is a range of a buffer of the
 * graph, of the buffers of a rotation, or of a parameter that each run binds, a
 * buffer or memory of the program; of a parameter only the offset and the length
 * are known here.  READ
 * and WRITE are copies with one side of the program's memory.
 */
#include "graph/build/copy_nodes.h"

#include "graph/build/graph.h"
#include "graph/build/launch_arguments.h"
#include "graph/build/object_refs.h"
#include "graph/build/rotation_refs.h"
#include "base/error.h"
#include "object/memory/image.h"
#include "object/queue/strided_copy.h"
#include "plan/access.h"
#include "plan/rotation.h"

/* Source or target: as given, and resolved. */
struct side {
	const char *name;
	plait_buffer *buffer;
	const char *parameter;
	uint64_t offset;
	uint32_t access;
	uint32_t kind;	/* of its parameter */
	uint64_t rotation;	/* or 0 */
	uint64_t ahead;
	/* A slot, of a rotation the first one, and its offset; or a
	 * parameter's access and the offset. */
	plait__range range;
};

static plait_status fail(const plait__node_draft *draft, const char *what)
{
	char room[PLAIT__REFS_TEXT_BYTES];

	return plait__fail(draft->error, PLAIT_E_INVALID, "%s: %s",
			   plait__refs_node_text(draft, room), what);
}

static plait_status fail_outside(const plait__node_draft *draft, uint64_t bytes,
				 const struct side *side)
{
	char room[PLAIT__REFS_TEXT_BYTES];

	return plait__fail(draft->error, PLAIT_E_INVALID,
			   "%s: %llu bytes, but the %s has %llu",
			   plait__refs_node_text(draft, room),
			   (unsigned long long)bytes, side->name,
			   (unsigned long long)side->range.bytes);
}

/* Add a side that runs bind; the run checks its size. */
static plait_status add_parameter(plait__node_draft *draft, struct side *side,
				  uint64_t bytes)
{
	char room[PLAIT__REFS_TEXT_BYTES];

	if (side->buffer != NULL || side->parameter[0] == '\0')
		return plait__fail(draft->error, PLAIT_E_INVALID,
				   "%s: %s_parameter %s",
				   plait__refs_node_text(draft, room),
				   side->name, side->buffer != NULL ?
				   "is in place of a buffer; both are set" :
				   "is empty");
	side->range.offset = side->offset;
	return plait__arguments_push_parameter(draft, side->parameter,
					       side->kind, &side->range, bytes,
					       side->access);
}

static plait_status fail_rotation(const plait__node_draft *draft,
				  const struct side *side, const char *what)
{
	char room[PLAIT__REFS_TEXT_BYTES];

	return plait__fail(draft->error, PLAIT_E_INVALID,
			   "%s: %s_rotation: %s",
			   plait__refs_node_text(draft, room), side->name,
			   what);
}

/* Add a side that rotates.  All its buffers are alike; the range is that of the
 * first one. */
static plait_status add_rotation(plait__node_draft *draft, struct side *side,
				 uint64_t bytes)
{
	const plait__plan_slot *slot;
	plait__rotation_ref ref;
	const char *fault;

	if (side->buffer != NULL || side->parameter != NULL)
		return fail_rotation(draft, side, "is in place of a buffer or "
				     "parameter; both are set");
	fault = plait__rotation_refs_find(draft, side->rotation, side->ahead,
					  &ref);
	if (fault != NULL)
		return fail_rotation(draft, side, fault);
	slot = plait__vector_at(&draft->graph->store->slots, ref.first_slot);
	if (side->offset > slot->bytes)
		return fail_rotation(draft, side, "the offset is behind the "
				     "end of its buffers");
	side->range = (plait__range){ ref.first_slot, side->offset,
				      slot->bytes - side->offset };
	if (bytes > side->range.bytes)
		return fail_outside(draft, bytes, side);
	return plait__arguments_push_turn(draft, &ref, side->ahead,
					  &side->range, bytes, side->access);
}

static plait_status add_side(plait__node_draft *draft, struct side *side,
			     uint64_t bytes)
{
	plait_status status;

	if (side->rotation != 0)
		return add_rotation(draft, side, bytes);
	if (side->ahead != 0)
		return fail_rotation(draft, side, "is 0, but ahead is set");
	if (side->parameter != NULL)
		return add_parameter(draft, side, bytes);
	status = plait__refs_range(draft, side->buffer, side->offset,
				   &side->range);
	if (status != PLAIT_OK)
		return plait__refs_prefix_error(draft, side->name);
	if (bytes > side->range.bytes)
		return fail_outside(draft, bytes, side);
	return plait__arguments_push_range(draft, &side->range, bytes,
					   side->access);
}

static struct side target_of(const plait_node_desc *desc)
{
	return (struct side){ "target", desc->target, desc->target_parameter,
			      desc->target_offset, PLAIT__ACCESS_WRITE,
			      PLAIT__PARAM_MEMORY, desc->target_rotation,
			      desc->target_ahead, { .slot = PLAIT__NONE } };
}

static struct side source_of(const plait_node_desc *desc)
{
	return (struct side){ "source", desc->source, desc->source_parameter,
			      desc->source_offset, PLAIT__ACCESS_READ,
			      PLAIT__PARAM_MEMORY, desc->source_rotation,
			      desc->source_ahead, { .slot = PLAIT__NONE } };
}

static struct side host_of(const plait_node_desc *desc, uint32_t access)
{
	return (struct side){ "host", NULL, desc->host_parameter,
			      desc->host_offset, access, PLAIT__PARAM_HOST,
			      0, 0, { .slot = PLAIT__NONE } };
}

static plait_status read_shape(const plait__node_draft *draft,
			       plait__strided_copy *out)
{
	const plait_command command = { .bytes = draft->desc->bytes,
					.rows = draft->desc->rows };
	plait_status status =
		plait__strided_copy_read(out, &command, draft->error);
	char room[PLAIT__REFS_TEXT_BYTES];

	if (status != PLAIT_OK)
		plait__error_prefix(draft->error, "%s: ",
				    plait__refs_node_text(draft, room));
	return status;
}

/* Returns null for memory that a run binds, which is no image. */
static const plait__buffer *buffer_of(const plait__node_draft *draft,
				      const struct side *side)
{
	return side->parameter != NULL ? NULL :
	       plait__refs_buffer(draft, side->range.slot);
}

/* Both sides are resolved. */
static plait_status check_images(const plait__node_draft *draft,
				 const struct side *target,
				 const struct side *source,
				 const plait__strided_copy *shape)
{
	plait_status status = plait__image_check_copy(
		buffer_of(draft, target), target->range.offset,
		buffer_of(draft, source), source->range.offset,
		shape->bytes, shape->rows.rows > 1, draft->error);

	return status == PLAIT_OK ? status :
	       plait__refs_prefix_error(draft, "copy");
}

/* Returns true if two sides of the graph's own memory share bytes in some
 * iteration.  Runs check the memory that they bind. */
static bool sides_overlap(const plait__node_draft *draft,
			  const plait__strided_copy *shape,
			  const struct side *target, const struct side *source)
{
	const plait__store *store = draft->graph->store;
	const plait__plan tables = {
		.rotations = store->rotations.items,
		.rotation_slots = store->rotation_slots.items,
	};
	const plait__plan_arg *args =
		plait__vector_at(&store->args, draft->payload.arg_first);

	if (args[0].kind == PLAIT__ARG_PARAM ||
	    args[1].kind == PLAIT__ARG_PARAM)
		return target->range.slot == source->range.slot &&
		       plait__strided_copy_overlaps(shape,
						    target->range.offset,
						    source->range.offset);
	return plait__strided_copy_overlaps(shape, target->range.offset,
					    source->range.offset) &&
	       plait__rotation_args_meet(&tables, &args[0], &args[1]);
}

/* Add the rows of a strided copy; a contiguous one has none.  read_shape has
 * accepted the shape, so the product does not overflow. */
static plait_status add_rows(plait__node_draft *draft,
			     const plait__strided_copy *shape)
{
	draft->payload.bytes = shape->bytes;
	if (shape->bytes == 0 || shape->rows.rows <= 1)
		return PLAIT_OK;
	draft->payload.value = shape->rows.rows * shape->rows.slices;
	return plait__arguments_push_value(draft, &shape->rows,
					   sizeof(shape->rows));
}

plait_status plait__nodes_add_copy(plait__node_draft *draft)
{
	const plait_node_desc *desc = draft->desc;
	struct side target = desc->kind == PLAIT_NODE_READ ?
			     host_of(desc, PLAIT__ACCESS_WRITE) :
			     target_of(desc);
	struct side source = desc->kind == PLAIT_NODE_WRITE ?
			     host_of(desc, PLAIT__ACCESS_READ) :
			     source_of(desc);
	plait__strided_copy shape = { .bytes = 0 };
	plait_status status;

	draft->node.kind = PLAIT__CMD_COPY;
	if (desc->kind != PLAIT_NODE_COPY && desc->host_parameter == NULL)
		return fail(draft, "host_parameter is null; it names the "
			    "program's memory");
	status = read_shape(draft, &shape);
	if (status == PLAIT_OK)
		status = add_side(draft, &target, shape.target_bytes);
	if (status == PLAIT_OK)
		status = add_side(draft, &source, shape.source_bytes);
	if (status == PLAIT_OK)
		status = check_images(draft, &target, &source, &shape);
	if (status != PLAIT_OK)
		return status;
	if (shape.bytes > 0 &&
	    sides_overlap(draft, &shape, &target, &source))
		return fail(draft, "source and target overlap");
	return add_rows(draft, &shape);
}

plait_status plait__nodes_add_fill(plait__node_draft *draft)
{
	struct side target = target_of(draft->desc);
	uint32_t bytes = draft->desc->pattern_bytes;
	plait_status status;

	draft->node.kind = PLAIT__CMD_FILL;
	if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
		return fail(draft, "pattern_bytes is not 1, 2, 4 or 8");
	draft->payload.value = draft->desc->pattern;
	draft->payload.small = bytes;
	draft->payload.bytes = draft->desc->bytes;
	status = add_side(draft, &target, draft->desc->bytes);
	if (status != PLAIT_OK || target.parameter != NULL)
		return status;
	status = plait__image_refuse(buffer_of(draft, &target), "be filled",
				     draft->error);
	return status == PLAIT_OK ? status :
	       plait__refs_prefix_error(draft, "target");
}
