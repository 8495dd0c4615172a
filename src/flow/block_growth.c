/* SPDX-License-Identifier: MIT */
/* Larger blocks; see block_growth.h. */
#include "flow/block_growth.h"

#include "flow/commit.h"
#include "flow/device_copy.h"
#include "flow/flow.h"
#include "flow/flow_devices.h"
#include "flow/room_releases.h"

#include "base/alloc.h"
#include "base/error.h"

/* Of the window, for each copy. */
enum { ENTRIES_EACH = 8 };

static plait_status fail_memory(plait_error *error)
{
	return plait__fail(error, PLAIT_E_NOMEM, "no memory for a task");
}

bool plait__block_growth_fits(const plait__flow *flow,
			      const plait__data *whole, uint32_t memory)
{
	const uint32_t count = plait__device_copy_count_moves(flow, whole,
							      memory);

	return (uint64_t)count * ENTRIES_EACH <=
	       plait__window_size(&flow->window);
}

/* ---- the old block ---- */

static void add_user(plait__flow *flow, uint64_t number)
{
	plait__vector *users = &flow->devices->users;
	const uint64_t *last = users->count == 0 ? NULL :
			       plait__vector_at(users, users->count - 1);

	if (plait__flow_counts_done(flow, number) ||
	    (last != NULL && *last == number))
		return;
	flow->preds.lacks_memory |= PLAIT__VECTOR_ADD(users, &number) == NULL;
}

static void visit_front(void *arg, plait__front *front)
{
	add_user(arg, front->writer);
	for (uint64_t i = 0; i < front->count; i++)
		add_user(arg, front->readers[i]);
}

/* List the ops that use the buffer.  Returns false without memory. */
static bool list_users(plait__flow *flow, plait__data_copy *copy)
{
	bool done;

	plait__vector_truncate(&flow->devices->users, 0);
	flow->preds.lacks_memory = false;
	plait__front_map_visit_all(&copy->map, visit_front, flow);
	add_user(flow, copy->mapped);
	done = !flow->preds.lacks_memory;
	flow->preds.lacks_memory = false;
	return done;
}

/* A plait_host_function. */
static int32_t release_old(void *user_data)
{
	plait__block_growth *old = user_data;
	plait__flow *flow = old->flow;

	plait__flow_devices_drop_launches(flow);
	plait__object_release(
		plait__object_handle(&old->block.buffer->object),
		PLAIT_OBJECT_BUFFER);
	plait__flow_lock(flow);
	plait__room_releases_end(flow, old->memory, old->block.bytes);
	plait__flow_unlock(flow);
	plait__free(plait__flow_allocator(flow), old, sizeof(*old));
	return 0;
}

static plait_status commit_release(plait__flow *flow, plait__data_copy *copy,
				   plait_error *error)
{
	const uint32_t memory = copy->growth->memory;
	plait__flow_task task;
	plait_status status;

	if (!list_users(flow, copy) ||
	    !plait__room_releases_reserve(flow))
		return fail_memory(error);
	plait__flow_task_clear(&task, flow);
	task.kind = PLAIT__OP_CALL;
	task.label = "release";
	task.is_always = task.keeps_values = true;
	task.filled.call.host = release_old;
	task.filled.user_data = copy->growth;
	task.order = flow->devices->users.items;
	task.order_count = flow->devices->users.count;
	status = plait__commit_task(&task, error);
	if (status == PLAIT_OK)
		plait__room_releases_note(flow, memory, task.number);
	return status;
}

/* ---- the new one ---- */

/* The op may end as soon as it is committed: the record is the old block's. */
static plait_status replace(plait__flow *flow, plait__data_copy *copy,
			    plait_error *error)
{
	const plait__device_block made = copy->growth->block;
	plait_status status;

	copy->growth->block = copy->block;
	status = commit_release(flow, copy, error);
	if (status != PLAIT_OK) {
		copy->growth->block = made;
		return status;
	}
	copy->block = made;
	copy->growth = NULL;
	copy->growths++;
	return PLAIT_OK;
}

static plait_status grow(plait__flow *flow, plait__data *whole,
			 uint32_t memory, plait_error *error)
{
	plait__data_copy *copy = plait__data_copies_at(whole->copies, memory);
	uint64_t ops = 2 + (uint64_t)ENTRIES_EACH / 2 *
			       plait__device_copy_count_moves(flow, whole,
							      memory);
	plait_status status;

	if (ops > plait__window_size(&flow->window) / 2)
		ops = plait__window_size(&flow->window) / 2;
	if (!plait__window_has_room(&flow->window, ops, 0))
		return PLAIT_PENDING;
	status = plait__device_copy_move(flow, whole, memory,
					 &copy->growth->block, error);
	return status == PLAIT_OK ? replace(flow, copy, error) : status;
}

plait_status plait__block_growth_commit(const plait__flow_task *task,
					plait__data *whole, plait_error *error)
{
	uint64_t cells;
	plait_status status = plait__device_copy_begin(task, &cells, error);

	if (status != PLAIT_OK)
		return status;
	status = grow(task->flow, whole, task->memory, error);
	plait__device_copy_end(task->flow, cells);
	return status;
}
