/* SPDX-License-Identifier: MIT */
/* Submission of arrays of tasks: one entry into the flow, one lock for some of them. */
#include "flow/submit.h"

#include "flow/flow_wait.h"
#include "flow/plain_task.h"
#include "flow/reduction.h"
#include "flow/repeat_runs.h"

#include "base/error.h"
#include "base/sized_struct.h"

#include <string.h>

/* Tasks that are committed before the lock is given up once: other threads that
 * submit wait for some us. */
enum { AT_ONCE = 32 };

struct task_array {
	const plait_task_desc *descs;
	uint64_t count;
	uint64_t done; /* submitted, from the first one on */
	plait_task *out;
};

/* The size field of the first descriptor is that of all. */
static const plait_task_desc *next_desc(const struct task_array *array)
{
	uint32_t size;

	memcpy(&size, array->descs, sizeof(size));
	return (const plait_task_desc *)(const void *)(
		(const char *)array->descs + array->done * size);
}

/* Note the numbers of the next tasks, from that of the first one on. */
static void step(struct task_array *array, plait_task first, uint64_t count)
{
	for (uint64_t i = 0; array->out != NULL && i < count; i++)
		array->out[array->done + i] = first + i;
	array->done += count;
}

/* Tasks that are left, at most those of one lock. */
static uint64_t count_next(const struct task_array *array)
{
	uint64_t left = array->count - array->done;

	return left < AT_ONCE ? left : AT_ONCE;
}

/* Returns true if a task needs nothing but the lock, unless there is no room. */
static bool needs_only_lock(const plait__flow *flow)
{
	return flow->ranks == NULL && flow->devices == NULL &&
	       flow->proof == NULL;
}

/* Prepare for the next task of the array, under the same lock: data that was found
 * stays. */
static void begin_next(plait__flow_task *task)
{
	const plait_data *handle = task->handle, *other = task->other_handle;
	plait__data *found = task->found, *other_found = task->other_found;

	plait__flow_task_clear(task, task->flow);
	task->handle = handle;
	task->found = found;
	task->other_handle = other;
	task->other_found = other_found;
}

/* Add tasks of the array to the run that is held.  Returns how many. */
static uint64_t extend(plait__flow *flow, struct task_array *array, uint64_t most)
{
	plait_task first = 0;
	uint64_t done = flow->held_run == 0 ? 0 :
			plait__repeat_runs_extend(flow, next_desc(array), most,
						   &first);

	step(array, first, done);
	return done;
}

/* The same, without the lock, of the next tasks as long as some are added. */
static void extend_alone(plait__flow *flow, struct task_array *array)
{
	uint64_t done;

	/* The size of the first one is the distance of all. */
	if (array->descs == NULL || array->descs->size != sizeof(*array->descs))
		return;
	do {
		plait_task first = 0;

		done = plait__repeat_runs_extend_alone(
			flow, next_desc(array), count_next(array), &first);
		step(array, first, done);
	} while (done > 0 && array->done < array->count);
}

/* Commit tasks of the array without giving up the lock in between.  Returns false
 * if one was not committed, and has changed nothing: submit_next() does it again, and
 * waits or tells the error. */
static bool commit_some(plait__flow *flow, struct task_array *array)
{
	const uint64_t end = array->done + count_next(array);
	const bool is_sized = array->descs->size == sizeof(*array->descs);
	plait__plain_data known = { NULL, NULL };
	plait_status status = PLAIT_OK;
	plait__flow_task task;

	plait__flow_task_clear(&task, flow);
	plait__flow_lock(flow);
	while (array->done < end && status == PLAIT_OK && task.closing == NULL) {
		const plait_task_desc *desc = next_desc(array);
		plait_task number = 0;

		if (is_sized && extend(flow, array, end - array->done) > 0)
			continue;
		if (is_sized && plait__plain_task_may_come(flow))
			number = plait__plain_task_submit(flow, desc, &known);
		if (number == 0) {
			begin_next(&task);
			status = !is_sized || desc->size != sizeof(*desc) ?
				 PLAIT_PENDING :
				 plait__submit_try(&task, desc);
			number = task.number;
		}
		if (status == PLAIT_OK)
			step(array, number, 1);
	}
	plait__flow_unlock(flow);
	plait__object_close_deferred(task.closing);
	plait__submit_build_repeats(flow);
	if (status == PLAIT_PENDING && task.wants != NULL)
		(void)plait__reduction_supply(&task, NULL);
	return status == PLAIT_OK;
}

static plait_status submit_next(plait__flow *flow, struct task_array *array,
				uint64_t *out_behind, plait_error *error)
{
	const plait_task_desc *next = next_desc(array), *known;
	plait_task_desc room;
	plait_task number;
	plait_status status = PLAIT_OK;

	if (next->size != array->descs->size)
		status = plait__fail(error, PLAIT_E_INVALID,
				     "its size is not the first one's");
	if (status == PLAIT_OK)
		status = PLAIT__STRUCT_VIEW(plait_task_desc,
					    (const void **)&known, &room, next,
					    error);
	if (status == PLAIT_OK)
		status = plait__submit_any(flow, known, NULL, &number,
					   out_behind, error);
	if (status == PLAIT_OK)
		step(array, number, 1);
	else if (status < 0)
		plait__error_prefix(error, "descriptor %llu: ",
				    (unsigned long long)array->done);
	return status;
}

/* PLAIT_PENDING: no room, and the caller is a coroutine. */
static plait_status submit_rest(plait_flow *flow, struct task_array *array,
				uint64_t *out_behind, plait_error *error)
{
	plait__flow *self;
	plait_status status = plait__flow_enter(flow, &self, error);

	if (status != PLAIT_OK)
		return status;
	if (self->repeats != NULL && array->count > 0)
		extend_alone(self, array);
	PLAIT__THREAD_SCOPE inside = { plait__object_leave_on_exit,
				       &self->object };
	while (status == PLAIT_OK && array->done < array->count)
		if (!needs_only_lock(self) || !commit_some(self, array))
			status = submit_next(self, array, out_behind, error);
	plait__thread_scope_end(&inside);
	plait__object_leave(&self->object);
	return status;
}

PLAIT_API plait_status plait_flow_submit_many(plait_flow *flow,
					      const plait_task_desc *descs,
					      uint64_t count, plait_task *out,
					      plait_error *error)
{
	struct task_array array = { .descs = descs, .count = count,
				    .out = out };
	uint64_t behind = 0, seen = 0;
	plait_status status;

	for (uint64_t i = 0; out != NULL && i < count; i++)
		out[i] = 0;
	if (descs == NULL && count > 0)
		return plait__fail(error, PLAIT_E_INVALID, "descs is null");
	do {
		status = submit_rest(flow, &array, &behind, error);
		if (status != PLAIT_PENDING)
			return status;
		status = plait__flow_wait_retry(flow, behind, &seen, error);
	} while (status == PLAIT_OK);
	return status;
}
