/* SPDX-License-Identifier: MIT */
/* Preparation of launches; see task_launch.h. */
#include "flow/task_launch.h"

#include "flow/access/chunks.h"
#include "flow/array_arguments.h"
#include "flow/block_needs.h"
#include "flow/flow_data.h"
#include "flow/flow_history.h"
#include "flow/flow_kernels.h"
#include "flow/launch_cells.h"
#include "flow/reduction.h"
#include "flow/rank_state.h"
#include "flow/split_weights.h"
#include "flow/task_access.h"

#include "base/error.h"
#include "base/sized_struct.h"
#include "kernel/argument.h"
#include "kernel/launch.h"

#include <string.h>

enum { CHUNK_BYTES = sizeof(plait_box) };

/* ---- arguments ---- */

/* The modes of signatures are those of accesses. */
_Static_assert((int)PLAIT__MODE_IN == (int)PLAIT__ACCESS_READS &&
		       (int)PLAIT__MODE_OUT == (int)PLAIT__ACCESS_WRITES &&
		       (int)PLAIT_ACCESS_READ == (int)PLAIT__ACCESS_READS &&
		       (int)PLAIT_ACCESS_WRITE == (int)PLAIT__ACCESS_WRITES,
	       "bits");

static plait_status take_value(const plait__parameter *parameter,
			       const plait_argument *given, uint64_t *cell,
			       plait_error *error)
{
	char room[PLAIT__ARGUMENT_FAULT_ROOM];
	const char *fault = parameter->array != 0 ?
		"an array is data, whose rows the flow knows: PLAIT_DATA or "
		"PLAIT_ACCESS" :
		plait__argument_check_value(parameter, given->value,
					    given->bytes, room);

	if (fault != NULL)
		return plait__fail(error, PLAIT_E_INVALID, "%s", fault);
	memcpy(cell, given->value, given->bytes);
	return PLAIT_OK;
}

static bool reduces(const plait_argument *given)
{
	const plait_access *access = given->value;

	return given->kind == PLAIT_ARGUMENT_ACCESS && access != NULL &&
	       access->mode == PLAIT_ACCESS_REDUCE;
}

/* Find the numbers of an array, which the next parameters get. */
static plait_status take_place(const plait__flow_task *task,
			       const plait__parameter *parameter,
			       const plait__data *data,
			       plait__array_place *place, plait_error *error)
{
	bool is_dense = data == NULL;

	if (parameter->array == 0)
		return PLAIT_OK;
	if (is_dense)
		data = plait__reduction_at(task->flow,
					   task->reduction_count - 1)->target;
	return plait__array_arguments_place(parameter, data, is_dense, place,
					    error);
}

/* Append the access of an argument that is reduced. */
static plait_status take_reduction(plait__flow_task *task,
				   const plait__parameter *parameter,
				   const plait_argument *given, uint64_t *cell,
				   plait__array_place *place,
				   plait_error *error)
{
	plait__data *data = NULL;
	const char *fault;
	plait_status status = plait__reduction_take(task, parameter,
						    given->value, cell, &data,
						    error);

	if (status == PLAIT_OK)
		status = take_place(task, parameter, NULL, place, error);
	if (status != PLAIT_OK)
		return status;
	if (task->flow->devices != NULL &&
	    !plait__block_needs_note(task->flow, task->pointer, data, true))
		return plait__fail(error, PLAIT_E_NOMEM, "no memory for a task");
	fault = *cell == 0 ? NULL :
		plait__argument_check_memory(parameter, *cell);
	return fault == NULL ? PLAIT_OK :
			       plait__fail(error, PLAIT_E_INVALID, "%s", fault);
}

/* Append the access of an argument of data, and store the data's address in
 * *cell. */
static plait_status take_data(plait__flow_task *task,
			      const plait__parameter *parameter,
			      const plait_argument *given, uint64_t *cell,
			      plait__array_place *place, plait_error *error)
{
	plait__data *data = NULL;
	plait_access all = { .size = sizeof(all),
			     .data = (plait_data *)(uintptr_t)given->value };
	plait_status status;
	const char *fault;

	if (parameter->type != PLAIT__TYPE_POINTER ||
	    plait__signature_is_image(parameter))
		return plait__fail(error, PLAIT_E_INVALID,
				   "data needs a pointer");
	if (__builtin_expect(reduces(given), 0))
		return take_reduction(task, parameter, given, cell, place,
				      error);
	status = plait__task_access_add(
		task,
		given->kind == PLAIT_ARGUMENT_DATA ?
			&all : (const plait_access *)given->value,
		parameter->mode, &data, error);
	if (status == PLAIT_OK)
		status = take_place(task, parameter, data, place, error);
	if (status != PLAIT_OK)
		return status;
	if (task->flow->devices != NULL &&
	    !plait__block_needs_note(task->flow, task->pointer, data,
				     parameter->array == 0))
		return plait__fail(error, PLAIT_E_NOMEM, "no memory for a task");
	*cell = (uintptr_t)plait__data_address(data, &data->box);
	if (*cell == 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "a token has no memory for a kernel");
	fault = plait__argument_check_memory(parameter, *cell);
	return fault == NULL ? PLAIT_OK :
			       plait__fail(error, PLAIT_E_INVALID, "%s", fault);
}

static plait_status take_chunk(const plait__flow_task *task,
			       const plait__parameter *parameter,
			       uint64_t *cell, plait_error *error)
{
	if (!plait__type_is_struct(parameter->type) ||
	    parameter->bytes != CHUNK_BYTES)
		return plait__fail(error, PLAIT_E_INVALID,
				   "a chunk needs struct chunk %d",
				   CHUNK_BYTES);
	memcpy(cell, &task->chunk.items, CHUNK_BYTES);
	return PLAIT_OK;
}

static plait_status take_argument(plait__flow_task *task,
				  const plait__parameter *parameter,
				  const plait_argument *given, uint64_t *cell,
				  plait__array_place *place,
				  plait_error *error)
{
	switch (given->kind) {
	case PLAIT_ARGUMENT_VALUE:
		return take_value(parameter, given, cell, error);
	case PLAIT_ARGUMENT_DATA:
	case PLAIT_ARGUMENT_ACCESS:
		return take_data(task, parameter, given, cell, place, error);
	case PLAIT_ARGUMENT_CHUNK:
		return take_chunk(task, parameter, cell, error);
	default:
		return plait__fail(error, PLAIT_E_INVALID,
				   "kind %u: a flow takes values, data, "
				   "accesses and chunks", given->kind);
	}
}

plait_status plait__task_launch_argument(const plait_argument *arguments,
					 uint64_t i, const plait_argument **out,
					 plait_argument *room,
					 plait_error *error)
{
	unsigned char copy[PLAIT__SIZED_STRUCT_MAX_BYTES];
	uint32_t size;

	memcpy(&size, arguments, sizeof(size));
	*out = &arguments[i];
	if (size == sizeof(*arguments))
		return PLAIT_OK;
	*out = room;
	if (i == 0 || size < PLAIT__MIN_SIZE(plait_argument) ||
	    size > sizeof(copy))
		return PLAIT__STRUCT_READ(plait_argument, room, arguments,
					  error);
	memcpy(copy, (const char *)arguments + i * size, size);
	memcpy(copy, &size, sizeof(size));
	return PLAIT__STRUCT_READ(plait_argument, room, copy, error);
}

/* An argument of the caller, or one that the flow adds. */
static plait_status take_any(plait__flow_task *task,
			     const plait__parameter *parameter,
			     const plait_argument *given, uint64_t *cell,
			     plait__array_place *place, plait_error *error)
{
	if (given != NULL)
		return take_argument(task, parameter, given, cell, place,
				     error);
	if (parameter->is_chunk)
		return take_chunk(task, parameter, cell, error);
	*cell = plait__array_arguments_number(place, parameter);
	return PLAIT_OK;
}

static void fail_argument(const plait__signature *signature,
			  const plait__parameter *at, uint64_t argument,
			  plait_error *error)
{
	char type[PLAIT__ARGUMENT_TYPE_ROOM];

	plait__error_prefix(error, "%.60s: argument %llu \"%.40s\" (%s): ",
			    signature->name, (unsigned long long)argument,
			    at->name, plait__argument_type(at, type));
}

static plait_status take_arguments(plait__flow_task *task,
				   const plait__signature *signature,
				   const plait_task_desc *desc,
				   uint64_t *values, plait_error *error)
{
	const uint64_t count = desc->argument_count;
	plait__array_place place = { 0, 0 };
	plait_status status = PLAIT_OK;
	const plait_argument *given;
	plait_argument room;
	uint64_t next = 0;
	uint32_t i;

	for (i = 0; status == PLAIT_OK && i < signature->count; i++) {
		const plait__parameter *parameter = &signature->parameters[i];

		task->filled.arguments[i] = values;
		task->pointer = i;
		given = NULL;
		if (plait__array_arguments_is_given(signature, parameter,
						    count))
			status = plait__task_launch_argument(
				desc->arguments, next++, &given, &room, error);
		if (status == PLAIT_OK)
			status = take_any(task, parameter, given, values,
					  &place, error);
		values += plait__launch_cells_of_value(parameter);
	}
	if (status < 0)
		fail_argument(signature, &signature->parameters[i - 1],
			      next - 1, error);
	return status;
}

/* ---- the launch ---- */

static plait_status check_count(const plait__signature *signature,
				const plait_argument *arguments, uint64_t count,
				plait_error *error)
{
	plait_status status = plait__array_arguments_check(signature, count,
							   error);

	if (status == PLAIT_OK && count > 0 && arguments == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "arguments of %s is null", signature->name);
	return status;
}

static plait_status check_split(const plait__flow_task *task,
				const plait_task_desc *desc, uint32_t chunks,
				plait_error *error)
{
	bool has_chunk = task->kernel->kernel->signature->chunk_count > 0;

	if (chunks == 1)
		return PLAIT_OK;
	if ((desc->flags & PLAIT_TASK_BARRIER) != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "a barrier is not split");
	for (uint64_t i = 0; i < desc->argument_count && !has_chunk; i++) {
		const plait_argument *given;
		plait_argument room;

		has_chunk = plait__task_launch_argument(desc->arguments, i,
							&given, &room, NULL) ==
				    PLAIT_OK &&
			    given->kind == PLAIT_ARGUMENT_CHUNK;
	}
	return has_chunk ? PLAIT_OK :
	       plait__fail(error, PLAIT_E_INVALID,
			   "%.60s: %u pieces, but no argument PLAIT_CHUNK says "
			   "which", task->kernel->kernel->signature->name,
			   chunks);
}

/* As many for all ranks of a world. */
static uint32_t count_pieces(const plait__flow *flow)
{
	uint32_t pieces = flow->ranks->pieces;

	return pieces < PLAIT__CHUNKS_MOST ? pieces : PLAIT__CHUNKS_MOST;
}

plait_status plait__task_launch_cut(const plait__flow *flow,
				    const plait_task_desc *desc,
				    const plait_launch *launch,
				    plait__chunks *out, plait_error *error)
{
	if (desc->split > 2)
		return plait__fail(error, PLAIT_E_INVALID,
				   "split is %u; at most 2 dimensions",
				   desc->split);
	if (desc->split > launch->dimensions)
		return plait__fail(error, PLAIT_E_INVALID,
				   "split is %u, but the launch has one "
				   "dimension", desc->split);
	if (desc->split == 0 && desc->pieces > 1)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%u pieces, but split is 0: it is the number "
				   "of dimensions that are cut, 1 or 2",
				   desc->pieces);
	if (desc->pieces > PLAIT__CHUNKS_MOST)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%u pieces; at most %d", desc->pieces,
				   PLAIT__CHUNKS_MOST);
	plait__chunks_cut(out, launch, desc->split,
			  desc->pieces != 0 ? desc->pieces :
			  flow->ranks != NULL ? count_pieces(flow) :
			  flow->devices != NULL ? flow->devices->count :
						  flow->lanes.count);
	return PLAIT_OK;
}

/* Replace the geometry of the launch by that of the piece. */
static plait_status take_piece(plait__flow_task *task,
			       const plait_task_desc *desc,
			       plait_launch *geometry, plait_error *error)
{
	plait__chunks chunks;
	plait_status status;

	task->chunk.dimensions = geometry->dimensions;
	task->chunk.count = 1;
	if (desc->split == 0 && desc->pieces <= 1) {
		task->chunk.items = (plait_box){
			{ 0, 0, 0 }, { geometry->items[0], geometry->items[1],
				       geometry->items[2] } };
		return PLAIT_OK;
	}
	status = plait__task_launch_cut(task->flow, desc, geometry, &chunks,
					error);
	if (status == PLAIT_OK)
		status = check_split(task, desc, chunks.count, error);
	if (status != PLAIT_OK)
		return status;
	if (task->weights != NULL)
		chunks.borders = task->weights->borders;
	task->chunk.items = plait__chunks_at(&chunks, task->chunk.index);
	task->chunk.count = chunks.count;
	for (int d = 0; d < 3; d++)
		geometry->items[d] = task->chunk.items.high[d] -
				     task->chunk.items.low[d];
	return PLAIT_OK;
}

plait_status plait__task_launch_prepare(plait__flow_task *task,
					const plait_task_desc *desc,
					plait_error *error)
{
	plait_status status = plait__flow_kernels_take(
		task->flow, desc->kernel, &task->kernel, &task->closing, error);
	plait__kernel *kernel;
	plait_launch geometry;
	uint64_t *cells;

	if (status != PLAIT_OK)
		return status;
	kernel = task->kernel->kernel;
	status = check_count(kernel->signature, desc->arguments,
			     desc->argument_count, error);
	if (status != PLAIT_OK)
		return status;
	plait__launch_cells_set_kernel(task);
	if (__builtin_expect(task->flow->history != NULL, 0))
		plait__flow_history_time(task);
	status = plait__flow_kernels_geometry(kernel, desc->launch,
					      &geometry, error);
	if (status == PLAIT_OK)
		status = take_piece(task, desc, &geometry, error);
	if (status != PLAIT_OK)
		return status;
	cells = plait__launch_cells_take(task, &geometry);
	if (cells == NULL)
		return PLAIT_PENDING;
	status = take_arguments(task, kernel->signature, desc,
				cells + kernel->signature->count, error);
	/* A reduction's kernel may have moved the entry of the launch's. */
	if (status == PLAIT_OK && task->reduction_count > 0)
		status = plait__flow_kernels_take(task->flow, desc->kernel,
						  &task->kernel, &task->closing,
						  error);
	return status;
}
