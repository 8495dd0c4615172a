/* SPDX-License-Identifier: MIT */
/*
 * Execution of a lane: its commands in order, until the lane is empty, parks at
 * a counter, or has used its time slice. Submission is in lane_submit.c.
 */
#include "pool/fpstate.h"
#include "pool/pool_internal.h"
#include "pool/time_slice.h"
#include "base/error.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Commands per time slice while the ready queue has other lanes. */
enum { SLICE_COMMANDS = 64 };

static struct plait__counter_core *core_of(const struct plait__command *command)
{
	return &command->counter->core;
}

/* --- failures ----------------------------------------------------------- */

/* The texts match those of every backend. The queue is named if it has a
 * label. */
static void fail_with_origin(plait__lane *lane,
			     const struct plait__command *command,
			     int64_t origin, const char *reason)
{
	const char *label = command->label;
	bool named = lane->label[0] != '\0';

	lane->failed = true;
	lane->failure.size = sizeof(lane->failure);
	plait__fail_origin(&lane->failure, PLAIT_E_FAILED, origin,
			   "%s%.80s%s %s%s%s%s",
			   label != NULL ? "command \"" : "host function",
			   label != NULL ? label : "",
			   label != NULL ? "\"" : "", reason,
			   named ? " in queue \"" : "", lane->label,
			   named ? "\"" : "");
}

static void fail_call(plait__lane *lane, const struct plait__command *command,
		      int32_t result)
{
	char reason[32];

	(void)snprintf(reason, sizeof(reason), "failed with %d", (int)result);
	fail_with_origin(lane, command, result, reason);
}

/* Fail the lane because a point that it waited for failed. */
static void fail_not_run(plait__lane *lane, struct plait__counter_core *core)
{
	static const char prefix[] = "not run: ";
	plait_error why = { .size = sizeof(why) };

	(void)plait__counter_core_query_failure(core, &why);
	lane->failed = true;
	lane->failure = why;
	if (strncmp(why.text, prefix, sizeof(prefix) - 1) == 0)
		return;
	plait__fail_origin(&lane->failure, why.status, why.origin, "%s%s",
			   prefix, why.text);
	lane->failure.detail = why.detail;
}

/* --- one command -------------------------------------------------------- */

static const struct plait__command *peek(plait__lane *lane)
{
	struct plait__ring_segment *old = lane->head.segment;

	if (lane->head.index == old->capacity) {
		lane->head.segment = old->next;
		lane->head.index = 0;
		plait__mutex_lock(&lane->lock);
		plait__command_ring_recycle(&lane->ring, old);
		plait__mutex_unlock(&lane->lock);
	}
	return &lane->head.segment->commands[lane->head.index];
}

static void advance(plait__lane *lane, uint32_t work)
{
	lane->head.index++;
	/* Release: pairs with the loads in has_room and plait__lane_recover.
	 * A caller that sees no pending command may change `failure`. */
	if (work != 0)
		at_store_release_u64(&lane->done,
				     at_load_relaxed_u64(&lane->done) + 1);
	at_store_release_u64(&lane->consumed,
			     at_load_relaxed_u64(&lane->consumed) + 1);
}

static void run_work(plait__lane *lane, const struct plait__command *command)
{
	int32_t result = 0;

	if (command->kind == PLAIT_WORK_CALL) {
		result = command->function(command->user_data);
		plait__fpstate_clean();
	} else if (command->kind != PLAIT_WORK_NOP) {
		plait__command_move(command);
	}
	if (result != 0)
		fail_call(lane, command, result);
}

/* Spin briefly before parking the lane, unless an item of the ready queue lacks
 * a thread. */
static bool spin_until_reached(plait__lane *lane,
			       const struct plait__command *command)
{
	const struct plait__counter_core *core = core_of(command);
	plait__pool *pool = lane->pool;
	struct plait__backoff backoff;

	if (plait__counter_core_reached(core, command->sequence))
		return true;
	if (pool->worker_count == 0)
		return false;
	plait__backoff_init(&backoff, pool->policy);
	while (!plait__ready_has_surplus(&pool->ready) &&
	       plait__backoff_step(&backoff)) {
		if (plait__counter_core_reached(core, command->sequence))
			return true;
	}
	return false;
}

/* Returns false if the lane is parked; another thread may own it then. */
static bool run_wait(plait__lane *lane, const struct plait__command *command)
{
	struct plait__counter_core *core = core_of(command);
	uint64_t sequence = command->sequence;
	enum plait__counter_core_state state;

	/* A failed lane skips waits for gates, which may never be raised. It
	 * keeps waits for emissions, so that its own emissions follow them. */
	if (!lane->failed ||
	    (command->counter->flags & PLAIT_BACKEND_SIGNAL_GATE) == 0) {
		do {
			if (!spin_until_reached(lane, command) &&
			    plait__counter_core_park(core, &lane->waiter,
						     sequence))
				return false;
			state = plait__counter_core_query(core, sequence);
			/* PENDING: a gate was reset between the two calls. */
		} while (state == PLAIT__COUNTER_CORE_PENDING);
		if (!lane->failed && state == PLAIT__COUNTER_CORE_FAILED)
			fail_not_run(lane, core);
	}
	advance(lane, 0);
	return true;
}

static void run_emit(plait__lane *lane, const struct plait__command *command)
{
	plait__counter *counter = command->counter;
	uint64_t sequence = command->sequence;
	plait_error failure;

	if (!lane->failed) {
		advance(lane, 0);
		plait__counter_emit(counter, sequence, NULL);
		return;
	}
	/* Copied first: once the last command is consumed, the lane may be
	 * recovered. */
	failure = lane->failure;
	advance(lane, 0);
	plait__counter_emit(counter, sequence, &failure);
}

/* Returns false if the lane is parked. */
static bool run_one(plait__lane *lane)
{
	const struct plait__command *command = peek(lane);

	if (command->kind == PLAIT__COMMAND_WAIT)
		return run_wait(lane, command);
	if (command->kind == PLAIT__COMMAND_EMIT) {
		run_emit(lane, command);
		return true;
	}
	if (!lane->failed)
		run_work(lane, command);
	advance(lane, 1);
	return true;
}

/* --- time slices -------------------------------------------------------- */

/* Returns true if there is a command. If not, the lane is idle, and another
 * thread may own it. */
static bool refill(plait__lane *lane)
{
	uint64_t consumed = at_load_relaxed_u64(&lane->consumed);
	bool more;

	/* Acquire: pairs with the store in lane_submit.c. */
	lane->limit = at_load_acquire_u64(&lane->published);
	if (lane->limit != consumed)
		return true;
	plait__mutex_lock(&lane->lock);
	more = at_load_relaxed_u64(&lane->published) != consumed;
	if (!more) {
		plait__command_ring_rewind(&lane->ring, &lane->head);
		lane->scheduled = false;
	}
	plait__mutex_unlock(&lane->lock);
	return more && refill(lane);
}

static plait__lane *lane_of(struct plait__ready_item *item)
{
	return (plait__lane *)(void *)((char *)item -
				       offsetof(plait__lane, item));
}

struct plait__ready_item *plait__lane_run(struct plait__ready_item *item)
{
	plait__lane *lane = lane_of(item);
	struct plait__ready_queue *ready = &lane->pool->ready;
	const bool limited = plait__time_slice_is_limited();
	uint32_t left;

	for (left = SLICE_COMMANDS; left > 0; left--) {
		if (at_load_relaxed_u64(&lane->consumed) == lane->limit &&
		    !refill(lane))
			return NULL;
		if (!run_one(lane))
			return NULL;
		if (limited && plait__time_slice_is_over())
			break;
	}
	/* An empty lane is left idle: without workers, no thread might come
	 * to find that out. */
	if (at_load_relaxed_u64(&lane->consumed) == lane->limit &&
	    !refill(lane))
		return NULL;
	if (plait__worker_has_bound(lane->pool)) {
		plait__ready_push(ready, item);
		return NULL;
	}
	if (!plait__ready_has_surplus(ready))
		return item;
	return plait__ready_swap(ready, item);
}

void plait__lane_lose(struct plait__ready_item *item)
{
	plait__lane *lane = lane_of(item);
	const struct plait__command *command;

	/* Only a CALL ends a thread; callbacks must not. */
	if (at_load_relaxed_u64(&lane->consumed) != lane->limit) {
		command = peek(lane);
		if (command->kind == PLAIT_WORK_CALL && !lane->failed) {
			fail_with_origin(lane, command, -1,
					 "did not return but ended its "
					 "thread (pthread_exit)");
			advance(lane, 1);
		}
	}
	plait__ready_push(&lane->pool->ready, item);
}

plait_status plait__lane_recover(plait__lane *lane, plait_error *error)
{
	plait_status status = PLAIT_OK;
	uint64_t pending;

	plait__mutex_lock(&lane->lock);
	/* Acquire: pairs with the store in advance. */
	pending = at_load_relaxed_u64(&lane->published) -
		  at_load_acquire_u64(&lane->consumed);
	if (pending != 0)
		status = plait__fail(error, PLAIT_E_BUSY,
				     "queue%s%s: %llu commands are pending; "
				     "wait for them before it can recover",
				     lane->label[0] != '\0' ? " " : "",
				     lane->label, (unsigned long long)pending);
	else
		lane->failed = false;
	plait__mutex_unlock(&lane->lock);
	return status;
}
