/* SPDX-License-Identifier: MIT */
/* Reductions of launches; see reduction.h. */
#include "flow/reduction.h"

#include "flow/box_move.h"
#include "flow/device_place.h"
#include "flow/flow_data.h"
#include "flow/flow_kernels.h"
#include "flow/task_access.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/sized_struct.h"
#include "kernel/argument.h"

#include <stdio.h>
#include <string.h>

/* Rows begin on cache lines of their own. */
enum { ROW_ALIGNMENT = 64 };

static plait_status fail_memory(plait_error *error)
{
	return plait__fail(error, PLAIT_E_NOMEM, "no memory for a reduction");
}

/* ---- the target ---- */

/* Returns true if a part lies in memory without gaps. */
static bool is_dense(const plait__data *data)
{
	const plait_box *box = &data->box, *whole = &data->whole->box;
	bool has_gaps = false;

	for (uint32_t d = 0; d < 3; d++) {
		uint64_t extent = box->high[d] - box->low[d];

		if (has_gaps && extent > 1)
			return false;
		has_gaps |= extent < whole->high[d];
	}
	return true;
}

static plait_status check_target(const plait__data *data,
				 const plait_access *access,
				 plait_error *error)
{
	uint32_t each = data->whole->element_bytes;

	if (access->box != NULL || access->mapper != NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "a reduction is of all of its data, without "
				   "a box and a mapper; make a part of the "
				   "box");
	if (each == 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "a token has no elements to reduce");
	if (each > 8 || (each & (each - 1)) != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "elements of %u bytes; a reduction needs 1, "
				   "2, 4 or 8", each);
	if (!is_dense(data))
		return plait__fail(error, PLAIT_E_INVALID,
				   "the part has gaps in memory; reduce data "
				   "of its own, or whole rows");
	if (access->flags & ~(uint32_t)PLAIT_ACCESS_ACCUMULATE)
		return plait__fail(error, PLAIT_E_INVALID,
				   "flags 0x%x are unknown; known is "
				   "PLAIT_ACCESS_ACCUMULATE", access->flags &
				   ~(uint32_t)PLAIT_ACCESS_ACCUMULATE);
	if (access->reserved0 != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "reserved0 is not 0");
	return PLAIT_OK;
}

/* ---- the kernel that combines ---- */

static bool is_memory(const plait__parameter *parameter, uint32_t mode)
{
	return parameter->type == PLAIT__TYPE_POINTER &&
	       !plait__signature_is_image(parameter) &&
	       parameter->mode == mode;
}

/* Returns true for f(into: inout pointer T, from: in pointer T, n: u64). */
static bool can_combine(const plait__signature *signature, uint32_t each)
{
	const plait__parameter *parameters = signature->parameters;
	uint32_t bytes;

	if (signature->count != 3 ||
	    !is_memory(&parameters[0], PLAIT__MODE_INOUT) ||
	    !is_memory(&parameters[1], PLAIT__MODE_IN) ||
	    parameters[2].type != PLAIT__TYPE_U64 ||
	    parameters[0].element != parameters[1].element)
		return false;
	bytes = plait__type_bytes(parameters[0].element);
	return bytes == 0 || bytes == each;
}

static plait_status check_combine(plait__flow_task *task,
				  const plait__parameter *parameter,
				  const plait_access *access, uint32_t each,
				  plait_error *error)
{
	const plait__signature *signature;
	plait__flow_kernel *entry;
	plait__type element;
	plait_status status = plait__flow_kernels_take(
		task->flow, access->combine, &entry, &task->closing, error);

	if (status != PLAIT_OK) {
		plait__error_prefix(error, "combine: ");
		return status;
	}
	signature = entry->kernel->signature;
	if (entry->kernel->function == NULL)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "combine: %.60s has no code for the host, "
				   "where partial results are combined",
				   signature->name);
	if (!can_combine(signature, each))
		return plait__fail(error, PLAIT_E_INVALID,
				   "combine: %.60s is not of the form "
				   "f(into: inout pointer T, from: in pointer "
				   "T, n: u64) with a T of %u bytes",
				   signature->name, each);
	element = signature->parameters[0].element;
	if (element != PLAIT__TYPE_NONE &&
	    parameter->element != PLAIT__TYPE_NONE &&
	    parameter->element != element)
		return plait__fail(error, PLAIT_E_INVALID,
				   "combine: %.60s is for %s, but the kernel "
				   "has %s", signature->name,
				   plait__type_name(element),
				   plait__type_name(parameter->element));
	return PLAIT_OK;
}

/* ---- partial results ---- */

/* 0: too many. */
static uint32_t row_bytes_of(const plait__data *target)
{
	uint64_t bytes = plait__box_elements(&target->box) *
			 target->whole->element_bytes;

	if (bytes > UINT32_MAX - ROW_ALIGNMENT)
		return 0;
	return (uint32_t)((bytes + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT *
			  ROW_ALIGNMENT);
}

/* A submission that has begun goes on with its own ones, also if another one
 * has got newer ones since. */
static plait__partials *find_partials(const plait__flow *flow,
				      const plait__data *target, uint64_t rows)
{
	plait__partials *idle = NULL;

	for (plait__partials *at = target->partials; at != NULL;
	     at = at->next) {
		if (at->rows < rows)
			continue;
		if (at->owner != NULL && at->owner == flow->submitter)
			return at;
		if (at->owner == NULL && idle == NULL)
			idle = at;
	}
	return idle;
}

static plait_status take_partials(plait__flow_task *task,
				  plait__reduction *reduction,
				  plait_error *error)
{
	plait__data *target = reduction->target;
	plait__partials *partials = find_partials(task->flow, target,
						  task->chunk.count);

	if (row_bytes_of(target) == 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "a reduction in pieces is of less than 4 "
				   "GiB; set split to 0");
	if (partials == NULL) {
		plait__object_hold(&target->object);
		task->wants = target;
		task->wanted_rows = task->chunk.count;
		return PLAIT_PENDING;
	}
	reduction->partials = partials;
	reduction->rows = task->chunk.count;
	reduction->first = partials->half * partials->rows;
	return PLAIT_OK;
}

static plait_status make_data(plait__flow_task *task, plait_data **out,
			      plait_error *error)
{
	const plait__data *target = task->wants;
	const char *label = target->object.label;
	char room[PLAIT__OBJECT_LABEL_BYTES];
	const plait_data_desc desc = {
		.size = sizeof(desc), .dimensions = 1, .label = room,
		.element_bytes = row_bytes_of(target),
		.extent = { 2 * (uint64_t)task->wanted_rows },
	};

	snprintf(room, sizeof(room), "%.*s.partials",
		 (int)(sizeof(room) - sizeof(".partials")),
		 label[0] != '\0' ? label : "data");
	return plait__data_make(task->flow, &desc,
				target->whole->memory != NULL, out, error);
}

/* Put the new ones first, and take the others out of the list, but for those of
 * a submission that has begun. */
static plait__partials *replace_partials(plait__data *target,
					 plait__partials *made)
{
	plait__partials *old = NULL, *at = target->partials, *next;

	target->partials = made;
	for (; at != NULL; at = next) {
		plait__partials **list = at->owner != NULL ? &made->next : &old;

		next = at->next;
		at->next = *list;
		*list = at;
	}
	return old;
}

plait_status plait__reduction_supply(plait__flow_task *task,
				     plait_error *error)
{
	plait__flow *flow = task->flow;
	const plait_allocator *allocator = plait__flow_allocator(flow);
	plait__data *target = task->wants;
	plait__partials *made = plait__alloc(allocator, sizeof(*made)), *next;
	plait_status status = made == NULL ? fail_memory(error) :
			      make_data(task, &made->handle, error);

	task->wants = NULL;
	if (status == PLAIT_OK) {
		made->data = plait__handle_peek(made->handle,
						PLAIT_OBJECT_DATA);
		plait__object_make_internal(&made->data->object);
		made->data->is_partial = true;
		made->rows = task->wanted_rows;
		plait__flow_lock(flow);
		made = replace_partials(target, made);
		plait__flow_unlock(flow);
		for (; made != NULL; made = next) {
			next = made->next;
			plait__object_release(made->handle, PLAIT_OBJECT_DATA);
			plait__free(allocator, made, sizeof(*made));
		}
	} else if (made != NULL) {
		plait__free(allocator, made, sizeof(*made));
	}
	plait__object_drop(&target->object);
	return status;
}

/* ---- the argument ---- */

static plait_box row_box(uint64_t low, uint64_t high)
{
	return (plait_box){ { low, 0, 0 }, { high, 1, 1 } };
}

/* The piece's access: to its row, or of one piece to the target. */
static plait_status append(plait__flow_task *task,
			   plait__reduction *reduction, uint64_t *cell,
			   plait__data **out, plait_error *error)
{
	uint64_t row = reduction->first + task->chunk.index;
	plait__data *data = reduction->target;
	plait_box box = data->box;

	if (reduction->partials != NULL) {
		data = reduction->partials->data;
		box = row_box(row, row + 1);
	}
	*cell = (uintptr_t)plait__data_address(data, &box);
	*out = data;
	reduction->access = task->access_count;
	return plait__task_access_append(task, data, &box,
					 PLAIT__ACCESS_READS |
						 PLAIT__ACCESS_WRITES,
					 error);
}

static plait_status take(plait__flow_task *task,
			 const plait__parameter *parameter,
			 const plait_access *access, plait__data *target,
			 plait__reduction *out, plait_error *error)
{
	plait_status status = check_target(target, access, error);

	*out = (plait__reduction){
		.target = target, .identity = access->identity,
		.combine = access->combine, .argument = task->pointer,
		.elements = plait__box_elements(&target->box),
		.accumulates = (access->flags & PLAIT_ACCESS_ACCUMULATE) != 0,
	};
	if (status == PLAIT_OK && parameter->mode != PLAIT__MODE_INOUT)
		status = plait__fail(error, PLAIT_E_INVALID,
				     "the kernel %s it; a reduction needs an "
				     "inout pointer",
				     parameter->mode == PLAIT__MODE_IN ?
					     "only reads" : "does not update");
	if (status == PLAIT_OK &&
	    task->reduction_count == PLAIT__REDUCTIONS_MOST)
		status = plait__fail(error, PLAIT_E_INVALID,
				     "more than %d reductions",
				     PLAIT__REDUCTIONS_MOST);
	if (status == PLAIT_OK)
		status = check_combine(task, parameter, access,
				       target->whole->element_bytes, error);
	if (status == PLAIT_OK && task->chunk.count > 1)
		status = take_partials(task, out, error);
	return status;
}

plait_status plait__reduction_take(plait__flow_task *task,
				   const plait__parameter *parameter,
				   const plait_access *given, uint64_t *cell,
				   plait__data **out, plait_error *error)
{
	plait__flow *flow = task->flow;
	plait__reduction reduction;
	plait__data *target = NULL;
	plait_access access;
	plait_status status = PLAIT__STRUCT_READ(plait_access, &access, given,
						 error);

	if (status == PLAIT_OK)
		status = plait__data_find(flow, access.data, &target, error);
	if (status == PLAIT_OK)
		status = take(task, parameter, &access, target, &reduction,
			      error);
	if (status == PLAIT_OK)
		status = append(task, &reduction, cell, out, error);
	if (status != PLAIT_OK)
		return status;
	/* Those of the task before. */
	plait__vector_truncate(&flow->reductions, task->reduction_count);
	if (PLAIT__VECTOR_ADD(&flow->reductions, &reduction) == NULL)
		return fail_memory(error);
	task->reduction_count++;
	return PLAIT_OK;
}

const plait__reduction *plait__reduction_find(const plait__flow_task *task,
					      uint32_t argument)
{
	for (uint32_t i = 0; i < task->reduction_count; i++) {
		const plait__reduction *at = plait__reduction_at(task->flow, i);

		if (at->argument == argument)
			return at;
	}
	return NULL;
}

bool plait__reduction_fills(const plait__flow *flow, uint32_t access)
{
	for (uint32_t i = 0; i < flow->reductions.count; i++) {
		const plait__reduction *at = plait__reduction_at(flow, i);

		if (at->access == access)
			return plait__reduction_needs_fill(at);
	}
	return false;
}

/* ---- other accesses to the target ---- */

static plait_status fail_beside(const plait__data *target, plait_error *error)
{
	char room[PLAIT__OBJECT_NAME_BYTES];

	return plait__fail(error, PLAIT_E_INVALID,
			   "%s is accessed beside its reduction; give the "
			   "other access a task of its own",
			   plait__object_name(&target->object, room));
}

static bool is_beside(const plait__data *target, const plait__data *whole,
		      const plait_box *box)
{
	return target->whole == whole && plait__box_overlap(&target->box, box);
}

static plait_status check_one(const plait__flow_task *task, uint32_t i,
			      plait_error *error)
{
	const plait__flow *flow = task->flow;
	const plait__reduction *at = plait__reduction_at(flow, i);
	bool beside = false;

	for (uint32_t k = 0; k < i; k++) {
		const plait__data *other =
			plait__reduction_at(flow, k)->target;

		beside |= is_beside(at->target, other->whole, &other->box);
	}
	for (uint32_t k = 0; k < task->access_count; k++)
		beside |= k != at->access &&
			  is_beside(at->target, flow->accesses[k].whole,
				    &flow->accesses[k].box);
	return beside ? fail_beside(at->target, error) : PLAIT_OK;
}

plait_status plait__reduction_check(const plait__flow_task *task,
				    plait_error *error)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < task->reduction_count;
	     i++)
		status = check_one(task, i, error);
	return status;
}

/* ---- ops beside the pieces ---- */

static int32_t run_nothing(void *arg)
{
	(void)arg;
	return 0;
}

static void *take_cells(plait__flow_task *task, plait_host_function function,
			uint64_t bytes)
{
	plait__window *window = &task->flow->window;

	task->cells = (bytes + 7) / 8;
	if (!plait__window_has_room(window, 2, task->cells))
		return NULL;
	task->kind = PLAIT__OP_CALL;
	task->filled.call.host = function;
	task->filled.user_data = plait__window_take_cells(window, task->cells);
	return task->filled.user_data;
}

plait_status plait__reduction_fill(plait__flow_task *task,
				   const plait__reduction *reduction,
				   plait_error *error)
{
	plait__data *target = reduction->target, *data = target;
	plait_box box = target->box;
	plait__box_move *move;
	plait_status status;

	if (reduction->partials != NULL) {
		data = reduction->partials->data;
		box = row_box(reduction->first,
			      reduction->first + reduction->rows);
	}
	status = plait__task_access_append(task, data, &box,
					   PLAIT__ACCESS_WRITES, error);
	if (status != PLAIT_OK)
		return status;
	move = take_cells(task, plait__box_move_run, sizeof(*move));
	if (move == NULL)
		return PLAIT_PENDING;
	plait__box_move_fill(move, data, &box, reduction->identity);
	move->pattern_bytes = target->whole->element_bytes;
	if (data->whole->memory == NULL)
		task->filled.call.host = run_nothing;
	return PLAIT_OK;
}

static void make_identity(const plait__combination *at)
{
	uint64_t each = at->element_bytes;

	for (uint64_t i = 0; i < at->elements; i++)
		memcpy(at->into + i * each, &at->identity, each);
}

/* A plait_host_function. */
static int32_t run_combination(void *arg)
{
	const plait__combination *at = arg;
	const char *from = at->from;
	int32_t result = 0;

	if (at->fills)
		make_identity(at);
	for (uint64_t i = 0; result == 0 && i < at->rows; i++) {
		void *const arguments[] = { (void *)(uintptr_t)&at->into,
					    &from,
					    (void *)(uintptr_t)&at->elements };

		result = at->function(arguments, &at->launch, at->user_data);
		from += at->row_bytes;
	}
	return result;
}

static plait_status set_combination(plait__flow_task *task,
				    const plait__reduction *reduction,
				    plait__combination *out,
				    plait_error *error)
{
	const plait_launch items = { .size = sizeof(items), .dimensions = 1,
				     .items = { reduction->elements } };
	const plait__data *from = reduction->partials->data;
	const plait__data *target = reduction->target;
	const plait__kernel *kernel = task->kernel->kernel;
	const plait_box row = row_box(reduction->first, reduction->first + 1);

	*out = (plait__combination){
		.function = kernel->function, .user_data = kernel->user_data,
		.kernel = reduction->combine,
		.into = plait__data_address(target, &target->box),
		.from = plait__data_address(from, &row),
		.row_bytes = from->element_bytes, .rows = reduction->rows,
		.elements = reduction->elements,
		.identity = reduction->identity,
		.element_bytes = target->whole->element_bytes,
		.fills = !reduction->accumulates,
	};
	if (out->into == NULL)
		task->filled.call.host = run_nothing;
	return plait__flow_kernels_geometry(kernel, &items, &out->launch,
					    error);
}

plait_status plait__reduction_combine(plait__flow_task *task,
				      const plait__reduction *reduction,
				      plait_error *error)
{
	const plait_box rows = row_box(reduction->first,
				       reduction->first + reduction->rows);
	plait__combination *combination;
	plait_status status = plait__task_access_append(
		task, reduction->partials->data, &rows, PLAIT__ACCESS_READS,
		error);

	if (status == PLAIT_OK)
		status = plait__task_access_append(
			task, reduction->target, &reduction->target->box,
			reduction->accumulates ? PLAIT__ACCESS_READS |
						 PLAIT__ACCESS_WRITES :
						 PLAIT__ACCESS_WRITES,
			error);
	if (status == PLAIT_OK)
		status = plait__flow_kernels_take(task->flow,
						  reduction->combine,
						  &task->kernel, &task->closing,
						  error);
	if (status != PLAIT_OK)
		return status;
	combination = take_cells(task, run_combination, sizeof(*combination));
	return combination == NULL ? PLAIT_PENDING :
	       set_combination(task, reduction, combination, error);
}

/* ---- the whole launch ---- */

void plait__reduction_begin(plait__flow *flow, const void *owner)
{
	for (uint32_t i = 0; i < flow->reductions.count; i++) {
		plait__partials *at = plait__reduction_at(flow, i)->partials;

		if (at != NULL)
			at->owner = owner;
	}
}

void plait__reduction_advance(plait__flow *flow)
{
	for (uint32_t i = 0; i < flow->reductions.count; i++) {
		plait__partials *at = plait__reduction_at(flow, i)->partials;

		if (at == NULL)
			continue;
		at->half ^= 1;
		at->owner = NULL;
	}
}

void plait__reduction_abandon(plait__flow *flow, const void *owner)
{
	for (plait__data *data = flow->data; data != NULL; data = data->next)
		for (plait__partials *at = data->partials; at != NULL;
		     at = at->next)
			if (at->owner == owner)
				at->owner = NULL;
}
