/* SPDX-License-Identifier: MIT */
/* Accesses of a task in preparation; see task_access.h. */
#include "flow/task_access.h"

#include "flow/commit.h"
#include "flow/flow_data.h"

#include "base/error.h"
#include "base/sized_struct.h"
#include "pool/callback_scope.h"

#include <string.h>

/* The place of the next access; null without memory. */
static inline plait__flow_access *next_access(const plait__flow_task *task)
{
	plait__flow *flow = task->flow;

	if (task->access_count == flow->access_capacity &&
	    !plait__commit_reserve_accesses(flow, task->access_count + 1))
		return NULL;
	return &flow->accesses[task->access_count];
}

static plait_status fail_memory(plait_error *error)
{
	return plait__fail(error, PLAIT_E_NOMEM,
			   "no memory for the accesses of a task");
}

plait_status plait__task_access_append(plait__flow_task *task,
				       plait__data *data, const plait_box *box,
				       uint32_t mode, plait_error *error)
{
	plait__flow_access *access = next_access(task);

	if (access == NULL)
		return fail_memory(error);
	*access = (plait__flow_access){ .whole = data->whole, .box = *box,
					.map = &data->whole->map, .mode = mode };
	task->access_count++;
	return PLAIT_OK;
}

/* The same for a box of the caller in the coordinates of the data; null: all. */
static plait_status append_box(plait__flow_task *task, plait__data *data,
			       const plait_box *box, uint32_t mode,
			       plait_error *error)
{
	plait__flow_access *access = next_access(task);
	plait_status status = PLAIT_OK;

	if (access == NULL)
		return fail_memory(error);
	access->whole = data->whole;
	access->map = &data->whole->map;
	access->mode = mode;
	access->box = box != NULL ? *box : data->box;
	if (box != NULL && !plait__data_is_box(data, &access->box))
		status = plait__data_box(data, box, &access->box, error);
	task->access_count += status == PLAIT_OK;
	return status;
}

/* Refuse what only reductions have. */
static plait_status check_plain(const plait_access *access, plait_error *error)
{
	if (access->mode == PLAIT_ACCESS_REDUCE)
		return plait__fail(error, PLAIT_E_INVALID,
				   "PLAIT_ACCESS_REDUCE is for arguments of "
				   "launches, whose kernel gets the address");
	return plait__fail(error, PLAIT_E_INVALID,
			   access->combine == NULL && access->flags == 0 ?
				   "reserved0 is not 0" :
				   "%s is set, but mode is not "
				   "PLAIT_ACCESS_REDUCE",
			   access->combine != NULL ? "combine" : "flags");
}

static bool is_plain(const plait_access *access)
{
	return access->mode != PLAIT_ACCESS_REDUCE && access->combine == NULL &&
	       (access->flags | access->reserved0) == 0;
}

static plait_status choose_mode(uint32_t asked, uint32_t kernel_mode,
				uint32_t *out, plait_error *error)
{
	if (asked > PLAIT_ACCESS_READ_WRITE)
		return plait__fail(error, PLAIT_E_INVALID,
				   "mode %u is not one of PLAIT_ACCESS_...",
				   asked);
	*out = asked != 0 ? asked : kernel_mode;
	if (*out == 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "mode is 0, which is for arguments; set "
				   "PLAIT_ACCESS_READ, WRITE or READ_WRITE");
	if ((kernel_mode & ~*out) == 0)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_INVALID,
			   "the kernel %s it, but the access does not",
			   (kernel_mode & ~*out & PLAIT__ACCESS_WRITES) != 0 ?
				   "writes" : "reads");
}

/* The box of data in its own coordinates. */
static plait_box extent_of(const plait__data *data)
{
	plait_box extent = { { 0, 0, 0 }, { 1, 1, 1 } };

	for (uint32_t d = 0; d < data->dimensions; d++)
		extent.high[d] = data->box.high[d] - data->box.low[d];
	return extent;
}

static plait_status read_mapper(const plait__flow_task *task,
				const plait__data *data,
				const plait_access *access, plait_mapper *out,
				plait_error *error)
{
	const char *fault;
	plait_status status = PLAIT__STRUCT_READ(plait_mapper, out,
						 access->mapper, error);

	if (status != PLAIT_OK)
		return status;
	fault = access->box != NULL ? "the access has a box, too" :
		plait__mapper_check(out, &task->chunk, data->dimensions);
	return fault == NULL ? PLAIT_OK :
	       plait__fail(error, PLAIT_E_INVALID, "mapper: %s", fault);
}

/* The function of a mapper runs under the lock: a callback scope tells an exit
 * handler that the thread must not wait. */
static plait_status map(const plait__flow_task *task,
			const plait_mapper *mapper, const plait__data *data,
			plait_box *boxes, uint32_t *count)
{
	const plait_box extent = extent_of(data);
	struct plait__callback_scope inside;
	plait_status status;

	if (mapper->kind != PLAIT_MAPPER_FUNCTION)
		return plait__mapper_map(mapper, &task->chunk, &extent,
					 data->dimensions, boxes, count);
	plait__callback_scope_enter(&inside, task->flow->object.context->pool);
	status = plait__mapper_map(mapper, &task->chunk, &extent,
				   data->dimensions, boxes, count);
	plait__callback_scope_leave(&inside);
	return status;
}

/* Tell why map() failed: `count` and `boxes` are as it left them. */
static plait_status fail_map(const plait_mapper *mapper,
			     const plait__data *data, plait_status status,
			     const plait_box *boxes, uint32_t count,
			     plait_error *error)
{
	const bool is_function = mapper->kind == PLAIT_MAPPER_FUNCTION;
	plait_box box;

	if (count == 0)
		return plait__fail(error, status,
				   "mapper: the function failed");
	if (count > PLAIT__MAPPER_BOXES)
		return plait__fail(error, status,
				   "mapper: the function has %u boxes for a "
				   "chunk; at most 64", count);
	/* A box with a low above its high is none of the data. */
	status = plait__data_box(data, boxes, &box, error);
	plait__error_prefix(error, "mapper: low is above high in %s: ",
			    is_function ? "a box of the function" :
					  "one of its boxes");
	return status;
}

/* Append what the chunk accesses.  Not inline: the boxes would make the frame of
 * all accesses large. */
static __attribute__((noinline)) plait_status
append_mapped(plait__flow_task *task, plait__data *data,
	      const plait_access *access, uint32_t mode, plait_error *error)
{
	plait_box boxes[PLAIT__MAPPER_BOXES];
	plait_mapper mapper;
	uint32_t count;
	plait_status status = read_mapper(task, data, access, &mapper, error);

	if (status != PLAIT_OK)
		return status;
	task->has_own_boxes |= mapper.kind == PLAIT_MAPPER_BOXES ||
			       mapper.kind == PLAIT_MAPPER_EVEN_SPLIT ||
			       mapper.kind == PLAIT_MAPPER_FUNCTION;
	status = map(task, &mapper, data, boxes, &count);
	if (status != PLAIT_OK)
		return fail_map(&mapper, data, status, boxes, count, error);
	for (uint32_t i = 0; status == PLAIT_OK && i < count; i++) {
		plait_box box;

		status = plait__data_box(data, &boxes[i], &box, error);
		if (status == PLAIT_OK)
			status = plait__task_access_append(task, data, &box,
							   mode, error);
	}
	return status;
}

/* Returns true if the data of a handle is task->found now. */
static inline bool recall(plait__flow_task *task, const plait_data *handle)
{
	plait__data *found = task->other_found;

	if (handle == task->handle)
		return handle != NULL;
	if (handle != task->other_handle || handle == NULL)
		return false;
	task->other_handle = task->handle;
	task->other_found = task->found;
	task->handle = handle;
	task->found = found;
	return true;
}

/* The accesses of a task are mostly to few data. */
static inline plait_status find_data(plait__flow_task *task,
				     const plait_data *handle,
				     plait__data **out, plait_error *error)
{
	plait_status status = PLAIT_OK;

	if (!recall(task, handle)) {
		task->other_handle = task->handle;
		task->other_found = task->found;
		status = plait__data_find(task->flow, handle, &task->found,
					  error);
		task->handle = status == PLAIT_OK ? handle : NULL;
	}
	*out = task->found;
	return status;
}

/* The same for an access of the size that is known. */
static plait_status add(plait__flow_task *task, const plait_access *access,
			uint32_t kernel_mode, plait__data **out,
			plait_error *error)
{
	uint32_t mode = 0;
	plait_status status = find_data(task, access->data, out, error);

	if (status == PLAIT_OK && !is_plain(access))
		status = check_plain(access, error);
	if (status == PLAIT_OK)
		status = choose_mode(access->mode, kernel_mode, &mode, error);
	if (status == PLAIT_OK && access->mapper != NULL)
		return append_mapped(task, *out, access, mode, error);
	return status != PLAIT_OK ? status :
	       append_box(task, *out, access->box, mode, error);
}

static __attribute__((noinline)) plait_status
add_other(plait__flow_task *task, const plait_access *given,
	  uint32_t kernel_mode, plait__data **out, plait_error *error)
{
	plait_access access;
	plait_status status = PLAIT__STRUCT_READ(plait_access, &access, given,
						 error);

	return status != PLAIT_OK ? status :
	       add(task, &access, kernel_mode, out, error);
}

plait_status plait__task_access_add(plait__flow_task *task,
				    const plait_access *given,
				    uint32_t kernel_mode,
				    plait__data **out, plait_error *error)
{
	return given != NULL && given->size == sizeof(*given) ?
		       add(task, given, kernel_mode, out, error) :
		       add_other(task, given, kernel_mode, out, error);
}

/* ---- accesses of a descriptor ---- */

/* Append a plain access to a box of the data that was found last.  Returns false
 * for all others, and for what is wrong: plait__task_access_add knows. */
static inline bool add_tile(plait__flow_task *task, const plait_access *access)
{
	const plait_box *box = access->box;
	plait__flow_access *made;
	plait__data *data;

	if (access->size != sizeof(*access) || box == NULL ||
	    !recall(task, access->data) ||
	    access->mapper != NULL || access->mode == 0 ||
	    access->mode > PLAIT_ACCESS_READ_WRITE || !is_plain(access) ||
	    task->access_count == task->flow->access_capacity ||
	    !plait__data_is_box(task->found, box))
		return false;
	data = task->found;
	made = &task->flow->accesses[task->access_count++];
	made->whole = data;
	made->box = *box;
	made->map = &data->map;
	made->mode = access->mode;
	return true;
}

plait_status plait__task_access_add_all(plait__flow_task *task,
					const plait_access *first,
					uint64_t count, plait_error *error)
{
	const char *at = (const char *)first;
	plait_status status = PLAIT_OK;
	plait__data *data;
	uint32_t size;
	uint64_t i;

	if (count == 0)
		return PLAIT_OK;
	if (first == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "accesses is null");
	/* The size field of the first access is that of all. */
	memcpy(&size, first, sizeof(size));
	for (i = 0; status == PLAIT_OK && i < count; i++, at += size) {
		const plait_access *access = (const void *)at;

		if (!add_tile(task, access))
			status = plait__task_access_add(task, access, 0, &data,
							error);
	}
	if (status != PLAIT_OK)
		plait__error_prefix(error, "access %llu: ",
				    (unsigned long long)i - 1);
	return status;
}
