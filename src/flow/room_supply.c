/* SPDX-License-Identifier: MIT */
/* Buffers of blocks; see room_supply.h. */
#include "flow/room_supply.h"

#include "flow/device_copy.h"
#include "flow/flow.h"
#include "flow/flow_devices.h"
#include "flow/repetition_prefix.h"

#include "base/alloc.h"
#include "base/error.h"
#include "sys/thread.h"

static plait__device_room *room_of(const plait__flow *flow)
{
	return &flow->devices->room;
}

static plait__data_copy *copy_at(const plait__flow *flow,
				 const plait__data *whole)
{
	return plait__data_copies_at(whole->copies, room_of(flow)->memory);
}

static void release(plait__buffer *buffer)
{
	plait__object_release(plait__object_handle(&buffer->object),
			      PLAIT_OBJECT_BUFFER);
}

static void empty_trash(plait__flow *flow)
{
	plait__device_room *room = room_of(flow);

	if (room->trash.count > 0) {
		plait__flow_devices_drop_launches(flow);
		plait__repetition_prefix_release(flow);
	}
	for (uint32_t i = 0; i < room->trash.count; i++)
		release(*(plait__buffer **)plait__vector_at(&room->trash, i));
	plait__vector_truncate(&room->trash, 0);
}

static plait__data *wanted_at(const plait__device_room *room, uint32_t i)
{
	return *(plait__data **)plait__vector_at(&room->wanted, i);
}

static void drop_wanted(plait__device_room *room)
{
	for (uint32_t i = 0; i < room->wanted.count; i++)
		plait__object_drop(&wanted_at(room, i)->object);
	plait__vector_truncate(&room->wanted, 0);
}

/* Ops, and lists of records, that hold no buffer any more.  Caller holds the lock. */
static uint64_t count_drops(const plait__flow *flow)
{
	return flow->devices->engine.dropped + flow->devices->kept.dropped;
}

/* Wait until no op that has ended holds a buffer, nor a record that was taken.  Returns
 * true if some did, after `dropped` others: there may be memory now. */
static bool await_drops(plait__flow *flow, uint64_t dropped)
{
	const plait__device_engine *engine = &flow->devices->engine;
	const plait__kept_launches *kept = &flow->devices->kept;
	bool holds, is_new;

	do {
		plait__flow_lock(flow);
		holds = engine->ended != engine->dropped ||
			kept->taken != kept->dropped;
		is_new = count_drops(flow) != dropped;
		plait__flow_unlock(flow);
		/* By the threads that drop them, which wait for nothing. */
		if (holds)
			plait__thread_yield();
	} while (holds);
	return is_new;
}

/* Let the data have the buffer of the plan: as its block, or to replace that.
 * Returns false without memory. */
static bool take_buffer(plait__flow *flow, plait__data *whole,
			plait__buffer *made)
{
	const plait_allocator *allocator = plait__flow_allocator(flow);
	plait__device_room *room = room_of(flow);
	plait__data_copy *copy = copy_at(flow, whole);

	plait__device_block_fill(&copy->plan, &whole->box, made);
	if (copy->block.buffer == NULL) {
		copy->block = copy->plan;
	} else {
		copy->growth = plait__alloc(allocator, sizeof(*copy->growth));
		if (copy->growth == NULL)
			return false;
		*copy->growth = (plait__block_growth){ copy->plan, flow,
						       room->memory };
	}
	room->bytes[room->memory] += copy->plan.bytes;
	return true;
}

static plait_status make_buffer(plait__flow *flow, plait__data *whole,
				plait_error *error)
{
	plait__device_room *room = room_of(flow);
	/* The owner's. */
	const uint64_t bytes = copy_at(flow, whole)->plan.bytes;
	plait__device *device;
	plait__buffer *made = NULL;
	plait_status status;
	uint64_t dropped;
	bool done;

	plait__flow_lock(flow);
	device = plait__device_copy_device(flow, room->memory);
	dropped = count_drops(flow);
	plait__flow_unlock(flow);
	status = plait__buffer_make(device, bytes, whole->object.label, &made,
				    error);
	if (status == PLAIT_E_NOMEM && await_drops(flow, dropped))
		status = plait__buffer_make(device, bytes, whole->object.label,
					    &made, error);
	if (status != PLAIT_OK) {
		plait__error_prefix(error, "a copy of \"%s\" on %s: ",
				    whole->object.label, device->object.label);
		return status;
	}
	plait__flow_lock(flow);
	done = take_buffer(flow, whole, made);
	plait__flow_unlock(flow);
	if (!done)
		release(made);
	return done ? PLAIT_OK :
	       plait__fail(error, PLAIT_E_NOMEM, "no memory for a task");
}

/* Without memory the next attempt needs no more than it must, and the one after
 * that evicts data, until there is none. */
static void note_refusal(plait__device_room *room, const plait_error *refusal)
{
	room->refusal = *refusal;
	room->is_refused = !room->is_generous;
	room->is_tight = true;
}

static plait_status make_all(plait__flow *flow, plait_error *error)
{
	plait__device_room *room = room_of(flow);
	plait_error refusal = { .size = sizeof(refusal) };
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < room->wanted.count; i++)
		if (copy_at(flow, wanted_at(room, i))->plan.bytes > 0)
			status = make_buffer(flow, wanted_at(room, i),
					     &refusal);
	drop_wanted(room);
	if (status == PLAIT_E_NOMEM) {
		note_refusal(room, &refusal);
		return PLAIT_OK;
	}
	return status == PLAIT_OK ? PLAIT_OK :
	       plait__fail_origin(error, status, refusal.origin, "%s",
				  refusal.text);
}

static void enter(plait__flow *flow, plait__device_split *split)
{
	plait__device_room *room = room_of(flow);

	plait__mutex_lock(&room->supplying);
	plait__flow_lock(flow);
	room->owner = split;
	room->is_refused = room->is_tight = false;
	plait__flow_unlock(flow);
	split->supplies = true;
}

plait_status plait__room_supply_make(plait__flow *flow,
				       plait__device_split *split,
				       uint64_t *out_behind, plait_error *error)
{
	plait__device_room *room = room_of(flow);

	*out_behind = 0;
	if (!split->supplies) {
		enter(flow, split);
		return PLAIT_OK;
	}
	*out_behind = room->behind;
	if (*out_behind != 0) {
		plait__room_supply_leave(flow, split);
		return PLAIT_OK;
	}
	empty_trash(flow);
	return make_all(flow, error);
}

void plait__room_supply_leave(plait__flow *flow, plait__device_split *split)
{
	plait__device_room *room = room_of(flow);

	empty_trash(flow);
	drop_wanted(room);
	plait__flow_lock(flow);
	room->owner = NULL;
	plait__flow_unlock(flow);
	split->supplies = false;
	plait__mutex_unlock(&room->supplying);
}
