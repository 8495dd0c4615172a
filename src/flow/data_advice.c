/* SPDX-License-Identifier: MIT */
/*
 * Advice on data in memories of devices: copies and buffers before the first task
 * that needs them, and buffers that are released behind the last one.  Each call
 * owns the room for buffers (device_room.h), and evicts nothing.
 *
 * A buffer is released by an op, behind all that use it: so it goes in the order of
 * the program, and no call waits for that.
 */
#include "flow/block_growth.h"
#include "flow/commit.h"
#include "flow/device_copy.h"
#include "flow/device_room.h"
#include "flow/device_warnings.h"
#include "flow/flow.h"
#include "flow/flow_data.h"
#include "flow/flow_devices.h"
#include "flow/flow_wait.h"
#include "flow/held_run.h"
#include "flow/room_releases.h"
#include "flow/room_plan.h"
#include "flow/room_supply.h"

#include "base/alloc.h"
#include "base/error.h"

/* ---- arguments ---- */

/* A hint, and the memory that it is for. */
struct advice {
	plait__data *data;
	plait_box box; /* in the whole */
	plait_advice what;
	plait__flow_device *device; /* null: the program's memory */
};

static plait_status fail_device(const plait__device *device, plait_error *error)
{
	return plait__fail(error, PLAIT_E_INVALID,
			   "advise: %s is not one of the flow's devices",
			   device->object.label);
}

static plait_status find_device(struct advice *advice, plait_device *handle,
				plait_error *error)
{
	plait__flow_devices *devices = advice->data->flow->devices;
	plait__device *device;
	bool is_host;
	plait_status status;

	if (handle == NULL)
		return PLAIT_OK;
	status = plait__device_enter(handle, &device, error);
	if (status != PLAIT_OK)
		return status;
	is_host = plait__device_is_host(device);
	for (uint32_t i = 0; devices != NULL && i < devices->count; i++)
		if (devices->items[i].device == device && !is_host)
			advice->device = &devices->items[i];
	if (advice->device == NULL && !is_host)
		status = fail_device(device, error);
	plait__device_leave(device);
	return status;
}

static plait_status check(struct advice *advice, const plait_box *box,
			  plait_device *device, plait_error *error)
{
	char room[PLAIT__OBJECT_NAME_BYTES];
	plait_status status;

	if (advice->what > PLAIT_ADVISE_EVICT)
		return plait__fail(error, PLAIT_E_INVALID,
				   "advise: %u is not one of "
				   "PLAIT_ADVISE_PREFETCH, _RESERVE and "
				   "_EVICT", advice->what);
	if (plait__data_is_token(advice->data))
		return plait__fail(error, PLAIT_E_INVALID,
				   "advise: %s is a token: it has no memory",
				   plait__object_name(
					   &advice->data->object, room));
	status = plait__data_box(advice->data, box, &advice->box, error);
	return status == PLAIT_OK ? find_device(advice, device, error) :
				    status;
}

/* ---- a buffer that is released ---- */

struct release {
	plait__flow *flow; /* which its ops keep */
	plait__buffer *buffer;
	/* Null; or a block that was to replace it, which ops may use, too. */
	plait__block_growth *growth;
	uint32_t memory;
	uint64_t bytes;
};

enum { RELEASE_CELLS = (sizeof(struct release) + 7) / 8 };

static void release_growth(plait__flow *flow, plait__block_growth *growth)
{
	plait__object_release(
		plait__object_handle(&growth->block.buffer->object),
		PLAIT_OBJECT_BUFFER);
	plait__free(plait__flow_allocator(flow), growth, sizeof(*growth));
}

/* A plait_host_function of an op. */
static int32_t release_buffer(void *user_data)
{
	const struct release *release = user_data;

	plait__flow_devices_drop_launches(release->flow);
	plait__object_release(plait__object_handle(&release->buffer->object),
			      PLAIT_OBJECT_BUFFER);
	if (release->growth != NULL)
		release_growth(release->flow, release->growth);
	plait__flow_lock(release->flow);
	plait__room_releases_end(release->flow, release->memory,
				    release->bytes);
	plait__flow_unlock(release->flow);
	return 0;
}

/* Commit the op, as one that writes in the memory: behind all that uses it. */
static plait_status commit_release(plait__flow_task *task, plait__data *whole)
{
	plait__flow *flow = task->flow;
	plait__data_copy *copy = plait__data_copies_at(whole->copies,
						       task->memory);
	struct release *release;
	plait_status status;

	task->kind = PLAIT__OP_CALL;
	task->label = "release";
	task->is_always = task->keeps_values = true;
	task->cells = RELEASE_CELLS;
	task->access_count = 1;
	if (!plait__commit_reserve_accesses(flow, 1) ||
	    !plait__room_releases_reserve(flow))
		return PLAIT_E_NOMEM;
	if (!plait__window_has_room(&flow->window, 2, RELEASE_CELLS))
		return PLAIT_PENDING;
	release = (struct release *)(void *)plait__window_take_cells(
		&flow->window, RELEASE_CELLS);
	task->filled.call.host = release_buffer;
	task->filled.user_data = release;
	flow->accesses[0] = (plait__flow_access){
		whole, whole->box, &copy->map, PLAIT__ACCESS_WRITES, 0
	};
	*release = (struct release){
		flow, copy->block.buffer, copy->growth, task->memory,
		copy->block.bytes
	};
	if (copy->growth != NULL)
		release->bytes += copy->growth->block.bytes;
	status = plait__commit_task(task, NULL);
	flow->window.cells_taken = flow->window.cells_end;
	if (status == PLAIT_OK) {
		copy->growth = NULL;
		(void)plait__device_room_detach(flow, whole, task->number);
	}
	return status;
}

static plait_status evict(plait__flow_task *task, plait__data *whole)
{
	plait__flow *flow = task->flow;
	uint64_t bytes = 0;
	plait_status status = PLAIT_OK;

	if (!plait__device_room_can_release(flow, whole))
		return PLAIT_OK;
	if (!plait__device_copy_is_saved(flow, whole, task->memory))
		status = plait__device_copy_save(flow, whole, task->memory,
						 &bytes, NULL);
	flow->window.cells_taken = flow->window.cells_end;
	return status == PLAIT_OK ? commit_release(task, whole) : status;
}

/* ---- copies and buffers ---- */

static plait_status fetch(plait__flow_task *task, const struct advice *advice)
{
	plait__flow *flow = task->flow;
	plait__data *whole = advice->data->whole;

	if (plait__device_copy_is_lost(flow, whole))
		return PLAIT_OK;
	if (!plait__commit_reserve_accesses(flow, 1))
		return PLAIT_E_NOMEM;
	flow->accesses[0] = (plait__flow_access){
		whole, advice->box, NULL, PLAIT__ACCESS_READS, 0
	};
	task->access_count = 1;
	if (task->memory != PLAIT__MEMORY_HOST)
		plait__data_copies_at(whole->copies, task->memory)->advised =
			flow->devices->room.clocks[task->memory].now;
	return plait__device_copy_fetch(task, NULL);
}

/* Let a block have a box; it lacks some of it if it does not fit. */
static plait_status make_block(plait__flow_task *task, plait__data *whole,
			       const plait_box *box)
{
	const plait__data_copy *copy = plait__data_copies_at(whole->copies,
							     task->memory);
	plait_status status = PLAIT_OK;

	if (!plait__device_block_has(&copy->block, box) &&
	    copy->growth != NULL)
		status = plait__block_growth_commit(task, whole, NULL);
	if (status != PLAIT_OK || plait__device_block_has(&copy->block, box))
		return status;
	if (!plait__room_plan_want(task, whole, box))
		return PLAIT_E_NOMEM;
	if (!plait__device_room_fits(task->flow))
		return PLAIT_OK;
	task->lacks_buffers = true;
	return PLAIT_PENDING;
}

/* Caller owns the room.  PLAIT_PENDING: with task->lacks_buffers a call of
 * plait__room_supply_make is due, else there is no room for an op. */
static plait_status follow(plait__flow_task *task, const struct advice *advice)
{
	plait__flow *flow = task->flow;
	plait__data *whole = advice->data->whole;
	plait_status status;

	if (flow->capture != NULL ||
	    plait__flow_devices_is_lost(flow, advice->device) ||
	    !plait__device_room_begin(task))
		return PLAIT_OK;
	if (advice->what == PLAIT_ADVISE_EVICT)
		return evict(task, whole);
	status = make_block(task, whole, &advice->box);
	if (status != PLAIT_OK || !plait__device_block_has(
					  &plait__data_copies_at(
						   whole->copies, task->memory)
						   ->block,
					  &advice->box))
		return status;
	return advice->what == PLAIT_ADVISE_PREFETCH ? fetch(task, advice) :
						       PLAIT_OK;
}

/* The same for the program's memory, without buffers. */
static plait_status follow_host(plait__flow_task *task,
				const struct advice *advice)
{
	return task->flow->capture == NULL &&
	       advice->what == PLAIT_ADVISE_PREFETCH ?
		       fetch(task, advice) : PLAIT_OK;
}

/* ---- the call ---- */

/* Prepare for a device's memory; one attempt makes a buffer, the next uses it. */
static plait_status attempt(plait__flow_task *task, const struct advice *advice,
			    plait__device_split *split)
{
	plait__flow *flow = advice->data->flow;
	uint64_t behind;
	plait_status status;

	plait__flow_task_clear(task, flow);
	task->device = advice->device;
	task->memory = advice->device == NULL ? PLAIT__MEMORY_HOST :
						advice->device->memory;
	if (task->memory != PLAIT__MEMORY_HOST &&
	    plait__room_supply_make(flow, split, &behind, NULL) != PLAIT_OK)
		return PLAIT_OK;
	plait__flow_lock(flow);
	plait__held_run_interrupt(flow);
	flow->submitter = split;
	status = task->memory == PLAIT__MEMORY_HOST ?
			 follow_host(task, advice) : follow(task, advice);
	plait__device_warnings_forget(flow);
	plait__flow_unlock(flow);
	plait__flow_devices_flush(flow);
	return status;
}

/* All failures are of memory, or of room that the caller may not wait for: the
 * hint has no effect. */
static void advise(const struct advice *advice)
{
	plait__flow *flow = advice->data->flow;
	plait__device_split split;
	plait__flow_task task;
	uint32_t supplies = 0;
	plait_status status;

	split.supplies = false;
	do {
		status = attempt(&task, advice, &split);
		if (status == PLAIT_PENDING && task.lacks_buffers) {
			status = supplies++ == 0 ? PLAIT_OK : PLAIT_E_NOMEM;
			continue;
		}
		if (split.supplies)
			plait__room_supply_leave(flow, &split);
		if (status != PLAIT_PENDING)
			break;
		status = plait__flow_wait_for_room(flow, false, NULL);
	} while (status == PLAIT_OK);
	if (split.supplies)
		plait__room_supply_leave(flow, &split);
}

PLAIT_API plait_status plait_data_advise(plait_data *data, const plait_box *box,
					 plait_device *device,
					 plait_advice what, plait_error *error)
{
	struct advice advice = { .what = what };
	plait_status status = plait__data_enter(data, &advice.data, error);

	if (status != PLAIT_OK)
		return status;
	PLAIT__THREAD_SCOPE inside = { plait__object_leave_on_exit,
				       &advice.data->object };
	status = check(&advice, box, device, error);
	if (status == PLAIT_OK && advice.data->whole->copies != NULL)
		advise(&advice);
	plait__thread_scope_end(&inside);
	plait__object_leave(&advice.data->object);
	return status;
}
