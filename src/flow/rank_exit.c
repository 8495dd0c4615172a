/* SPDX-License-Identifier: MIT */
/* The exit handler of flows over worlds; see rank_exit.h. */
#include "flow/rank_exit.h"

#include "flow/flow_wait.h"
#include "flow/rank_stop.h"

#include "base/error.h"
#include "pool/callback_scope.h"
#include "sys/clock.h"
#include "sys/fork.h"

#include <stdlib.h>

/* Time for a submission that has begun, for the oldest task, and for what is sent
 * behind the last one. */
enum { WAIT_S = 10 };

#define WAIT_NS (WAIT_S * UINT64_C(1000000000))

/* Time for records to leave the process. */
#define TELL_NS UINT64_C(20000000)

static struct {
	struct plait__mutex lock; /* guards the list; taken before others */
	plait__flow_ranks *first;
} flows;

/* Hold the first flow that has not left; null if there is none. */
static plait__flow_ranks *take(void)
{
	plait__flow_ranks *at;

	plait__mutex_lock(&flows.lock);
	at = flows.first;
	/* The handler alone sets and reads this. */
	while (at != NULL && at->is_awaited)
		at = at->next_exit;
	if (at != NULL) {
		at->is_awaited = true;
		plait__object_hold(&at->flow->object);
	}
	plait__mutex_unlock(&flows.lock);
	return at;
}

/* The oldest op up to `last` that is not done; 0: none. */
static uint64_t find_oldest(plait__flow *flow, uint64_t last)
{
	uint64_t oldest = 0;

	plait__flow_lock(flow);
	plait__window_settle(&flow->window);
	if (flow->window.settled < last)
		oldest = flow->window.settled + 1;
	plait__flow_unlock(flow);
	return oldest;
}

/* The process ends without what other ranks wait for, which a transport may not
 * tell them: MPI's wait for this rank. */
static void tell_others(plait__flow_ranks *ranks, uint64_t oldest)
{
	plait_error why = { .size = sizeof(why) };
	uint64_t end = plait__clock_now_ns() + TELL_NS;

	if (oldest != 0)
		plait__fail(&why, PLAIT_E_LOST,
			    "its process ends, and task %llu is not done after "
			    "%d s", (unsigned long long)oldest, WAIT_S);
	else
		plait__fail(&why, PLAIT_E_LOST,
			    "its process ends, and the others have not taken "
			    "what it sent after %d s", WAIT_S);
	plait__rank_stop_all(ranks, &why);
	while (plait__clock_now_ns() < end &&
	       plait__world_progress(ranks->world, NULL) == PLAIT_OK)
		plait__world_rest();
}

/* Let no submission begin: other threads may go on with some for ever, and what the
 * ranks compare is what was told.  Returns false if one that has begun does not
 * end. */
static bool close_turns(plait__flow_ranks *ranks)
{
	const uint64_t end = plait__clock_now_ns() + WAIT_NS;
	bool is_submitting;

	/* Not under the lock, which a thread that submits has nearly always.
	 * Relaxed: a turn that begins behind the look below has the lock later. */
	at_store_relaxed_u32(&ranks->is_closed, 1);
	for (;;) {
		plait__flow_lock(ranks->flow);
		is_submitting = ranks->is_submitting;
		plait__flow_unlock(ranks->flow);
		if (!is_submitting || plait__clock_now_ns() >= end)
			return !is_submitting;
		plait__world_rest();
	}
}

static void await(plait__flow_ranks *ranks)
{
	bool are_closed = close_turns(ranks);
	uint64_t oldest, last, end;

	plait__flow_lock(ranks->flow);
	last = ranks->flow->window.newest;
	plait__flow_unlock(ranks->flow);
	if (!are_closed) {
		tell_others(ranks, last + 1);
		return;
	}
	while ((oldest = find_oldest(ranks->flow, last)) != 0)
		if (plait__flow_wait_for(ranks->flow, oldest, WAIT_NS, NULL) !=
		    PLAIT_OK) {
			tell_others(ranks, oldest);
			return;
		}
	/* Release: pairs with the thread of the flow. */
	at_store_release_u32(&ranks->leaves, 1);
	plait__rank_stop_ring(ranks);
	end = plait__clock_now_ns() + WAIT_NS;
	/* Acquire: pairs with the thread of the flow. */
	while (at_load_acquire_u32(&ranks->has_left) == 0 &&
	       plait__clock_now_ns() < end)
		plait__world_rest();
	if (at_load_acquire_u32(&ranks->has_left) == 0)
		tell_others(ranks, 0);
}

/* Not in a child of the process, nor in a function of a task, which would wait for
 * itself, nor for a failure: its process ends at once. */
static void leave(int exit_status, void *unused)
{
	plait__flow_ranks *ranks;

	(void)unused;
	if (exit_status != 0 || plait__fork_check() != 0 ||
	    plait__callback_scope_is_active())
		return;
	while ((ranks = take()) != NULL) {
		plait__flow *flow = ranks->flow;

		await(ranks);
		plait__object_drop_deferred(&flow->object);
	}
}

void plait__rank_exit_add(plait__flow_ranks *ranks)
{
	plait__world *world = ranks->world;

	plait__mutex_lock(&flows.lock);
	ranks->next_exit = flows.first;
	flows.first = ranks;
	/* Behind the transports of the world, which it has to precede.  If there
	 * is no memory, nothing waits at the end of the process. */
	if (!world->has_exit)
		world->has_exit = on_exit(leave, NULL) == 0;
	plait__mutex_unlock(&flows.lock);
}

void plait__rank_exit_remove(plait__flow_ranks *ranks)
{
	plait__flow_ranks **place = &flows.first;

	plait__mutex_lock(&flows.lock);
	while (*place != ranks)
		place = &(*place)->next_exit;
	*place = ranks->next_exit;
	plait__mutex_unlock(&flows.lock);
}
