/* SPDX-License-Identifier: MIT */
/* Ops of devices, from their beginning to their end; see device_engine.h. */
#include "flow/device/device_engine.h"

#include "flow/device/device_begin.h"
#include "flow/device/device_submit.h"
#include "flow/lanes/flow_worker.h"

#include "base/alloc.h"
#include "base/error.h"
#include "object/context/backend_result.h"

#include <string.h>

/* ---- records ---- */

plait__device_op *plait__device_engine_take(plait__device_engine *engine)
{
	plait__device_op *op = engine->free;

	if (op == NULL)
		op = plait__alloc(engine->allocator, sizeof(*op));
	else
		engine->free = op->next;
	if (op == NULL)
		return NULL;
	op->engine = engine;
	op->number = 0;
	op->sequence = 0;
	op->is_claimed = false;
	op->is_waiting = false;
	op->launch = NULL;
	op->data = NULL;
	op->saves = false;
	op->label = NULL;
	return op;
}

/* Return records of ops that have ended.  Caller does not hold the lock: launches
 * end. */
static void return_all(plait__device_engine *engine, plait__device_op *ended)
{
	plait__device_op *next;

	for (plait__device_op *at = ended; at != NULL; at = at->next) {
		if (at->launch != NULL)
			plait__object_drop(&at->launch->object);
		at->launch = NULL;
	}
	plait__mutex_lock(engine->lock);
	for (; ended != NULL; ended = next) {
		next = ended->next;
		plait__device_engine_return(engine, ended);
		engine->dropped++;
	}
	plait__mutex_unlock(engine->lock);
}

/* ---- end: caller holds the lock ---- */

static void keep_for_later(plait__device_op *op)
{
	plait__device_op **link = &op->engine->again;

	while (*link != NULL && (*link)->number < op->number)
		link = &(*link)->next;
	op->sequence = 0;
	op->next = *link;
	*link = op;
}

/* The op is done.  Its record goes to the list. */
static void finish(plait__device_op *op, plait__device_op **ended)
{
	plait__device_engine *engine = op->engine;
	uint64_t number = op->number;

	op->number = 0;
	op->sequence = 0;
	op->next = *ended;
	*ended = op;
	engine->ended++;
	plait__flow_lanes_complete(engine->lanes, number);
}

/* The op fails, or is not to run. */
static void note_lost(const plait__device_op *op)
{
	if (op->data != NULL)
		op->engine->copy_failed(op->engine->arg, op);
}

/* The op is not to run. */
static void spoil(plait__device_op *op, plait__device_op **ended)
{
	note_lost(op);
	finish(op, ended);
}

/* The text of a queue, as one about the task. */
static void fail(plait__device_op *op, const plait_error *why,
		 plait__device_op **ended)
{
	plait__device_engine *engine = op->engine;
	plait_error failure = { .size = sizeof(failure) };

	plait__fail_origin(&failure, why->status, why->origin,
			   "failed on %s: %s",
			   plait__device_op_lane(op)->device->object.label, why->text);
	failure.detail = why->detail;
	plait__outcomes_fail(&engine->lanes->outcomes, op->number, op->label,
			     &failure);
	note_lost(op);
	finish(op, ended);
}

/* If a call has told that a device is lost, have all lanes looked at: the device
 * may owe notifications for ever. */
static void note(plait__device_engine *engine, plait_status status)
{
	if (status != PLAIT_E_LOST || engine->has_loss)
		return;
	engine->has_loss = true;
	plait__flow_lanes_arrive(engine->lanes, &engine->loss);
}

/* Find the ops of a lane that have ended. */
static void end_ops(plait__device_lane *lane, plait__device_op **ended)
{
	plait_error why = { .size = sizeof(why) };
	plait_status status;
	bool itself;

	while (lane->first != NULL) {
		status = plait__device_lane_look(lane, &itself, &why);
		if (status == PLAIT_PENDING)
			return;
		plait__device_op *op = plait__device_lane_pop(lane,
								status);

		lane->is_failed |= status < 0;
		note(lane->engine, status);
		if (status == PLAIT_OK)
			finish(op, ended);
		else if (itself)
			fail(op, &why, ended);
		else
			keep_for_later(op);
	}
}

/* ---- again ---- */

/* Begin what now can, behind ops that have begun.  Caller holds the lock. */
static void begin_waiting(plait__device_engine *engine,
			  plait__device_op **ended)
{
	plait__device_op *spoiled = NULL, *op;

	plait__device_begin_waiting(engine, &spoiled);
	while ((op = spoiled) != NULL) {
		spoiled = op->next;
		spoil(op, ended);
	}
}

static bool has_undone_preds(const plait__device_op *op)
{
	const plait__op_ring *ring = &op->engine->lanes->ring;
	const plait__op *entry = plait__op_at(ring, op->number);
	/* Relaxed: written under the lock. */
	uint64_t meta = at_load_relaxed_u64(&entry->meta);

	for (uint32_t i = 0; !op->is_claimed && i < plait__op_pred_count(meta);
	     i++)
		if (!plait__op_is_done(ring,
				       plait__op_pred(entry, op->number, i)))
			return true;
	return false;
}

/* Begin those anew that can, or end them.  Caller holds the lock. */
static void begin_again(plait__device_engine *engine, plait__device_op **ended)
{
	plait__device_op **link = &engine->again;

	while (*link != NULL) {
		plait__device_op *op = *link;
		plait__device_lane *lane = plait__device_op_lane(op);

		if ((!plait__device_lane_takes_ops(lane) && !lane->is_dead) ||
		    has_undone_preds(op)) {
			link = &op->next;
			continue;
		}
		*link = op->next;
		op->wait_count = 0;
		if (plait__flow_worker_spoils(engine->lanes, op->number))
			spoil(op, ended);
		else if (lane->is_dead)
			fail(op, &lane->why, ended);
		else
			plait__device_begin_enqueue(op);
	}
	begin_waiting(engine, ended);
}

static bool must_replace(const plait__device_lane *lane)
{
	return (lane->is_failed || lane->refused != 0) && !lane->is_dead &&
	       lane->first == NULL;
}

/* The lane has a new queue, or is dead.  Caller holds the lock. */
static void restart(plait__device_lane *lane)
{
	plait__device_engine *engine = lane->engine;

	lane->generation++;
	lane->is_failed = false;
	lane->refused = 0;
	lane->enqueued = 0;
	memset(lane->seen, 0, engine->count * sizeof(*lane->seen));
	for (uint32_t i = 0; i < engine->count; i++)
		engine->items[i].seen[lane - engine->items] = 0;
}

/* Replace a lane that has failed, and is empty: nothing else uses its queue. */
static void replace(plait__device_lane *lane)
{
	plait__device_engine *engine = lane->engine;
	plait__device_lane made = { .engine = engine,
				    .device = lane->device };
	plait__device_lane old;
	plait_error why = { .size = sizeof(why) };
	plait_status status = plait__device_lane_open(&made, &why);

	plait__mutex_lock(engine->lock);
	old = *lane;
	old.owed = NULL;
	if (lane->is_armed && lane->owed == NULL) {
		lane->owed = old.signal;
		old.signal = NULL;
	}
	lane->queue = made.queue;
	lane->signal = made.signal;
	restart(lane);
	lane->is_dead = status != PLAIT_OK;
	lane->why = why;
	plait__mutex_unlock(engine->lock);
	plait__device_lane_close(&old);
}

static void replace_all(plait__device_engine *engine)
{
	for (uint32_t i = 0; i < engine->count; i++) {
		bool must;

		plait__mutex_lock(engine->lock);
		must = must_replace(&engine->items[i]);
		plait__mutex_unlock(engine->lock);
		if (must)
			replace(&engine->items[i]);
	}
}

/* ---- notifications ---- */

static void on_event(plait__listener *listener, plait_status status)
{
	plait__device_lane *lane = PLAIT__LISTENER_OWNER(
		listener, plait__device_lane, listener);
	plait__object *owner = lane->engine->owner;

	(void)status;
	plait__backend_notified(owner->context);
	plait__flow_lanes_arrive(lane->engine->lanes, &lane->arrival);
	plait__object_drop_deferred(owner);
}

/* Have the lane collected when some of its ops have ended.  Caller holds the
 * lock. */
static void arm(plait__device_lane *lane)
{
	plait__object *owner = lane->engine->owner;
	plait__device_op *next;
	plait_backend_point point;
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	if (lane->is_armed || lane->first == NULL)
		return;
	next = plait__device_lane_next(lane);
	if (next == NULL && lane->refused == 0)
		return;
	lane->is_armed = true;
	if (next != NULL) {
		point.signal = lane->signal->raw;
		point.sequence = next->sequence;
		plait__object_hold(owner);
		status = plait__backend_notify(
			lane->device->port, owner->context, &point,
			plait__listener_notify, &lane->listener, &room);
		if (status == PLAIT_OK)
			return;
		plait__object_drop_deferred(owner);
		note(lane->engine, status);
	}
	plait__flow_lanes_arrive(lane->engine->lanes, &lane->arrival);
}

static void arm_all(plait__device_engine *engine)
{
	for (uint32_t i = 0; i < engine->count; i++)
		arm(&engine->items[i]);
}

/* Replace the lanes that have failed, and begin anew what can. */
static void recover(plait__device_engine *engine, plait__device_op **ended)
{
	plait__mutex_lock(&engine->submitting);
	replace_all(engine);
	plait__mutex_unlock(&engine->submitting);
	plait__mutex_lock(engine->lock);
	begin_again(engine, ended);
	plait__mutex_unlock(engine->lock);
}

/* Find the ops of some lanes that have ended, and go on from there.  Returns true
 * if there were such. */
static bool look(plait__device_engine *engine, plait__device_lane *lanes,
		 uint32_t count, bool was_told)
{
	plait__device_op *ended = NULL;
	bool has_failed = false, has_ended;

	plait__mutex_lock(engine->lock);
	for (uint32_t i = 0; i < count; i++) {
		lanes[i].is_armed &= !was_told;
		end_ops(&lanes[i], &ended);
	}
	begin_again(engine, &ended);
	for (uint32_t i = 0; i < engine->count; i++)
		has_failed |= must_replace(&engine->items[i]);
	for (uint32_t i = 0; i < count; i++)
		arm(&lanes[i]);
	plait__mutex_unlock(engine->lock);
	if (has_failed)
		recover(engine, &ended);
	has_ended = ended != NULL;
	return_all(engine, ended);
	plait__device_engine_flush(engine);
	return has_ended;
}

/* The notification has come: release its signal, if that was replaced. */
static void release_owed(plait__device_lane *lane)
{
	plait__device_lane old = { .device = lane->device };

	plait__mutex_lock(lane->engine->lock);
	old.owed = lane->owed;
	lane->owed = NULL;
	plait__mutex_unlock(lane->engine->lock);
	plait__device_lane_close(&old);
}

/* Look at the lane, which has a notification: its first field. */
static void collect(plait__flow_arrival *arrival)
{
	plait__device_lane *lane = (plait__device_lane *)(void *)arrival;

	release_owed(lane);
	(void)look(lane->engine, lane, 1, true);
}

/* Look at all lanes: `loss` of the engine has arrived. */
static void collect_loss(plait__flow_arrival *arrival)
{
	plait__device_engine *engine = (plait__device_engine *)(void *)(
		(char *)arrival - offsetof(plait__device_engine, loss));

	plait__mutex_lock(engine->lock);
	engine->has_loss = false;
	plait__mutex_unlock(engine->lock);
	(void)look(engine, engine->items, engine->count, false);
}

void plait__device_engine_look(plait__device_engine *engine)
{
	/* The caller may run none of the ops behind those that have ended. */
	if (look(engine, engine->items, engine->count, false))
		plait__flow_lanes_stir(engine->lanes);
}

void plait__device_engine_flush(plait__device_engine *engine)
{
	plait__device_op *list;

	plait__mutex_lock(&engine->submitting);
	do {
		plait__mutex_lock(engine->lock);
		list = engine->outbox;
		engine->outbox = NULL;
		engine->outbox_count = 0;
		engine->is_due = false;
		if (engine->is_lost)
			note(engine, PLAIT_E_LOST);
		engine->is_lost = false;
		if (list == NULL)
			arm_all(engine);
		plait__mutex_unlock(engine->lock);
		plait__device_submit_all(engine, list);
	} while (list != NULL);
	plait__mutex_unlock(&engine->submitting);
}

void plait__device_engine_offer(plait__device_engine *engine)
{
	bool is_due;

	plait__mutex_lock(engine->lock);
	is_due = engine->is_due;
	plait__mutex_unlock(engine->lock);
	if (is_due)
		plait__device_engine_flush(engine);
}

/* ---- a worker ---- */

/* The op is not to run, or its device is lost: its caller completes it. */
static void drop(plait__device_op *op)
{
	plait__mutex_lock(op->engine->lock);
	plait__device_begin_unlist(op);
	note_lost(op);
	op->engine->ended++;
	plait__mutex_unlock(op->engine->lock);
	op->next = NULL;
	return_all(op->engine, op);
}

plait_status plait__device_engine_claim(void *arg, uint64_t number,
					plait_error *error)
{
	plait__device_op *op = arg;
	plait__device_engine *engine = op->engine;
	plait__device_lane *lane = plait__device_op_lane(op);
	plait__device_op *ended = NULL;
	plait_status status = PLAIT_OK;

	if (number == 0) {
		drop(op);
		return PLAIT_OK;
	}
	plait__mutex_lock(engine->lock);
	plait__device_begin_unlist(op);
	op->is_claimed = true;
	plait__device_begin_number(op, number);
	if (plait__device_lane_takes_ops(lane))
		plait__device_begin_enqueue(op);
	else if (!lane->is_dead)
		keep_for_later(op);
	else
		status = plait__fail_origin(error, lane->why.status,
					    lane->why.origin,
					    "failed on %s: %s",
					    lane->device->object.label,
					    lane->why.text);
	begin_waiting(engine, &ended);
	plait__mutex_unlock(engine->lock);
	return_all(engine, ended);
	if (status != PLAIT_OK) {
		drop(op);
		return status;
	}
	plait__device_engine_flush(engine);
	return PLAIT_PENDING;
}

/* ---- ends ---- */

static plait_status open_lane(plait__device_engine *engine, uint32_t i,
			      plait__device *device, plait_error *error)
{
	plait__device_lane *lane = &engine->items[i];

	lane->engine = engine;
	lane->device = device;
	lane->arrival.collect = collect;
	lane->listener.notify = on_event;
	lane->seen = plait__alloc_array(engine->allocator, engine->count,
					sizeof(*lane->seen));
	return lane->seen != NULL ? plait__device_lane_open(lane, error) :
	       plait__fail(error, PLAIT_E_NOMEM, "no memory for a lane");
}

plait_status plait__device_engine_init(plait__device_engine *engine,
				       plait__device *const *devices,
				       uint32_t count, plait_error *error)
{
	plait_status status = PLAIT_OK;

	/* The host alone needs none, and a block has bytes. */
	engine->capacity = count + 1;
	engine->items = plait__alloc_array(engine->allocator, engine->capacity,
					   sizeof(*engine->items));
	engine->ops = plait__alloc_array(engine->allocator,
					 engine->lanes->ring.mask + 1,
					 sizeof(plait__device_op *));
	if (engine->items == NULL || engine->ops == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for the devices of a flow");
	engine->count = count;
	engine->loss.collect = collect_loss;
	for (uint32_t i = 0; status == PLAIT_OK && i < count; i++)
		status = open_lane(engine, i, devices[i], error);
	return status;
}

void plait__device_engine_fini(plait__device_engine *engine)
{
	plait__device_op *next;

	for (uint32_t i = 0; i < engine->count; i++) {
		plait__device_lane_close(&engine->items[i]);
		plait__free(engine->allocator, engine->items[i].seen,
			    engine->count * sizeof(uint64_t));
	}
	for (plait__device_op *at = engine->free; at != NULL; at = next) {
		next = at->next;
		plait__free(engine->allocator, at, sizeof(*at));
	}
	plait__free(engine->allocator, engine->items,
		    engine->capacity * sizeof(*engine->items));
	plait__free(engine->allocator, engine->ops,
		    (engine->lanes->ring.mask + 1) * sizeof(*engine->ops));
}
