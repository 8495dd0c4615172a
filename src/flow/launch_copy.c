/* SPDX-License-Identifier: MIT */
/* Copies of prepared pieces; see launch_copy.h. */
#include "flow/launch_copy.h"

#include "flow/array_arguments.h"
#include "flow/commit.h"
#include "flow/flow_kernels.h"
#include "flow/launch_cells.h"

#include "kernel/argument.h"

#include <string.h>

void plait__launch_copies_init(plait__launch_copies *copies,
			       const plait_allocator *allocator)
{
	copies->is_whole = false;
	plait__vector_init(&copies->items, allocator,
			   sizeof(plait__launch_copy));
	plait__vector_init(&copies->accesses, allocator,
			   sizeof(plait__flow_access));
	plait__vector_init(&copies->cells, allocator, sizeof(uint64_t));
	plait__vector_init(&copies->handles, allocator, sizeof(plait_data *));
}

void plait__launch_copies_fini(plait__launch_copies *copies)
{
	plait__vector_fini(&copies->items);
	plait__vector_fini(&copies->accesses);
	plait__vector_fini(&copies->cells);
	plait__vector_fini(&copies->handles);
}

void plait__launch_copies_restart(plait__launch_copies *copies)
{
	copies->is_whole = false;
	plait__vector_truncate(&copies->items, 0);
	plait__vector_truncate(&copies->accesses, 0);
	plait__vector_truncate(&copies->cells, 0);
	plait__vector_truncate(&copies->handles, 0);
}

/* ---- record ---- */

/* Cells of values, behind the addresses. */
static uint32_t count_values(const plait__flow_kernel *kernel)
{
	return (uint32_t)kernel->cells - kernel->kernel->signature->count;
}

static bool may_keep(const plait__flow_task *task, uint32_t pieces)
{
	const plait__flow *flow = task->flow;

	return task->kernel != NULL && task->reduction_count == 0 &&
	       !task->has_own_boxes && task->weights == NULL &&
	       task->late == NULL && task->kernel->kernel->built == NULL &&
	       flow->devices == NULL && flow->history == NULL &&
	       pieces <= PLAIT__LAUNCH_COPIES_MOST;
}

static bool append(plait__vector *to, const void *items, uint32_t count)
{
	return count == 0 || plait__vector_push(to, items, count) != NULL;
}

static bool keep(plait__launch_copies *copies, const plait__flow_task *task)
{
	const plait__flow *flow = task->flow;
	const plait__launch_copy copy = {
		.chunk = task->chunk, .geometry = *task->filled.launch,
		.first = copies->accesses.count, .count = task->access_count,
	};
	const void *const *cells =
		(const void *const *)task->filled.arguments +
		task->kernel->kernel->signature->count;

	return append(&copies->accesses, flow->accesses, copy.count) &&
	       append(&copies->cells, cells, count_values(task->kernel)) &&
	       append(&copies->items, &copy, 1);
}

static plait_data *data_of(const plait_argument *argument)
{
	switch (argument->kind) {
	case PLAIT_ARGUMENT_DATA:
		return (plait_data *)(uintptr_t)argument->value;
	case PLAIT_ARGUMENT_ACCESS:
		return ((const plait_access *)argument->value)->data;
	default:
		return NULL;
	}
}

static bool keep_handles(plait__launch_copies *copies,
			 const plait_task_desc *desc)
{
	bool holds = true;

	for (uint64_t i = 0; holds && i < desc->argument_count; i++) {
		plait_data *data = data_of(&desc->arguments[i]);

		holds = data == NULL || append(&copies->handles, &data, 1);
	}
	return holds;
}

void plait__launch_copies_keep(plait__launch_copies *copies,
			       const plait__flow_task *task,
			       const plait_task_desc *desc, uint32_t first,
			       uint32_t end)
{
	const uint32_t piece = task->chunk.index;

	if (copies->is_whole || !may_keep(task, end - first))
		return;
	/* A launch before was given up, or this piece found no room. */
	if (piece != first + copies->items.count)
		plait__launch_copies_restart(copies);
	if (piece != first + copies->items.count)
		return;
	if (!keep(copies, task) ||
	    (piece == first && !keep_handles(copies, desc))) {
		plait__launch_copies_restart(copies);
		return;
	}
	copies->pieces = task->chunk.count;
	copies->is_whole = piece + 1 == end;
}

/* ---- the next launch ---- */

/* A value fits its parameter; other kinds are those of the key. */
static bool fits(const plait__parameter *parameter,
		 const plait_argument *argument)
{
	return argument->kind != PLAIT_ARGUMENT_VALUE ||
	       plait__argument_check_value(parameter, argument->value,
					   argument->bytes, NULL) == NULL;
}

static bool are_live(const plait__launch_copies *copies)
{
	plait_data *const *handles = copies->handles.items;
	bool holds = true;

	for (uint32_t i = 0; holds && i < copies->handles.count; i++)
		holds = plait__handle_is_live(handles[i], PLAIT_OBJECT_DATA);
	return holds;
}

bool plait__launch_copies_fit(const plait__launch_copies *copies,
			      plait__flow *flow, const plait_task_desc *desc)
{
	const plait__flow_kernel *kernel =
		plait__flow_kernels_find(flow, desc->kernel);
	bool holds = copies->is_whole && kernel != NULL && are_live(copies);
	const plait__signature *signature;
	uint64_t next = 0;

	if (!holds)
		return false;
	signature = kernel->kernel->signature;
	for (uint32_t i = 0; holds && i < signature->count; i++)
		if (plait__array_arguments_is_given(signature,
						    &signature->parameters[i],
						    desc->argument_count))
			holds = fits(&signature->parameters[i],
				     &desc->arguments[next++]);
	return holds;
}

/* Set the addresses of the arguments, and the values that the caller gives. */
static void set_arguments(plait__flow_task *task, const plait_task_desc *desc,
			  uint64_t *values)
{
	const plait__signature *signature = task->kernel->kernel->signature;
	uint64_t next = 0;

	for (uint32_t i = 0; i < signature->count; i++) {
		const plait__parameter *parameter = &signature->parameters[i];
		const plait_argument *given;

		task->filled.arguments[i] = values;
		if (plait__array_arguments_is_given(signature, parameter,
						    desc->argument_count)) {
			given = &desc->arguments[next++];
			if (given->kind == PLAIT_ARGUMENT_VALUE)
				memcpy(values, given->value, given->bytes);
		}
		values += plait__launch_cells_of_value(parameter);
	}
}

/* Fill a cleared task but for its arguments. */
static void fill(plait__flow_task *task, const plait__launch_copy *copy,
		 const plait_task_desc *desc)
{
	task->chunk = copy->chunk;
	task->label = desc->label;
	task->cost = desc->cost;
	task->is_urgent = desc->priority > 0;
	plait__launch_cells_set_kernel(task);
	task->access_count = copy->count;
}

plait_status plait__launch_copies_take(const plait__launch_copies *copies,
				       plait__flow *flow, uint32_t piece,
				       const plait_task_desc *desc,
				       plait__flow_task *out)
{
	const plait__launch_copy *first = copies->items.items;
	const plait__launch_copy *copy = first + (piece - first->chunk.index);
	uint64_t *cells;
	uint32_t values;

	plait__flow_task_clear(out, flow);
	out->kernel = plait__flow_kernels_find(flow, desc->kernel);
	if (out->kernel == NULL || !are_live(copies))
		return PLAIT_E_HANDLE;
	if (!plait__commit_reserve_accesses(flow, copy->count))
		return PLAIT_E_NOMEM;
	cells = plait__launch_cells_take(out, &copy->geometry);
	if (cells == NULL)
		return PLAIT_PENDING;
	fill(out, copy, desc);
	cells += out->kernel->kernel->signature->count;
	values = count_values(out->kernel);
	if (values > 0)
		memcpy(cells,
		       plait__vector_at(&copies->cells,
					(uint32_t)(copy - first) * values),
		       values * sizeof(*cells));
	set_arguments(out, desc, cells);
	if (copy->count > 0)
		memcpy(flow->accesses,
		       plait__vector_at(&copies->accesses, copy->first),
		       copy->count * sizeof(plait__flow_access));
	return PLAIT_OK;
}
