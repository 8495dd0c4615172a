/* SPDX-License-Identifier: MIT */
/*
 * Which commands of mode HELPED are ready, and whose they are.  Included by
 * steal_worker.c alone, inline because a command may take no longer than a look at it.
 *
 * A command's word only grows: in run n it is less than 4n - 2, then 4n - 1
 * when somebody has it, then 4n when it is done.  That takes a compare-and-swap
 * a command.  When commands are small, which the runs before have shown, one
 * takes several in a row instead, and others may still take one from behind
 * them:
 *
 *     who takes what is in front           who takes one out of turn
 *     front of the lane: from h to e       word: to 4n - 2, it wants it
 *     fence                                fence
 *     from h to e: is the word less        is it behind the front?
 *         than 4n - 2? then it is its          yes: word: from 4n - 2 to
 *         own; 4n - 2? then it tries               4n - 1, unless that was
 *         to go to 4n - 1 first                    done to it
 *                                              no: leave it to who has it
 *
 * One of the two sees the other.  A range ends where something is not ready;
 * what it has before that counts as done, as it will be.
 */
#ifndef PLAIT_SRC_RUN_HOST_STEAL_CLAIM_H
#define PLAIT_SRC_RUN_HOST_STEAL_CLAIM_H

#include "run/host/steal_worker.h"

/* How many are taken in a row at most. */
enum { PLAIT__CLAIM_BATCH = 8 };

static inline uint64_t plait__claim_requested(const plait__steal_worker *worker)
{
	return 4 * worker->run - 2;
}

static inline uint64_t plait__claim_taken(const plait__steal_worker *worker)
{
	return 4 * worker->run - 1;
}

static inline uint64_t plait__claim_done(const plait__steal_worker *worker)
{
	return 4 * worker->run;
}

static inline uint32_t plait__claim_end(const plait__steal_worker *worker,
					uint32_t lane)
{
	const plait__plan_track *track = &worker->set->compiled->tracks[lane];

	return track->first + track->count;
}

/* ---- what is ready ---- */

/* Once what lies from `first` to it is done. */
static inline bool plait__claim_is_ready_after(const plait__steal_worker *worker,
					       uint32_t command,
					       uint32_t first)
{
	const plait__steal_set *set = worker->set;
	const plait__plan_command *at = &set->compiled->commands[command];
	const uint32_t *preds = set->compiled->preds;
	uint64_t done = plait__claim_done(worker);

	for (uint32_t i = at->pred_first; i < at[1].pred_first; i++)
		/* Acquire: pairs with the store in perform. */
		if (preds[i] - first >= command - first &&
		    at_load_acquire_u64(&set->states[preds[i]]) < done)
			return false;
	return true;
}

static inline bool plait__claim_is_ready(const plait__steal_worker *worker,
					 uint32_t command)
{
	return plait__claim_is_ready_after(worker, command, command);
}

/* Of what is not in front. */
static inline bool plait__claim_is_taken(const plait__steal_worker *worker,
					 uint32_t command)
{
	/* Relaxed: a hint, the claim decides. */
	return at_load_relaxed_u64(&worker->set->states[command]) >=
	       plait__claim_requested(worker);
}

/* What lies before this of a lane was taken; all, if that is told of another
 * run. */
static inline uint32_t plait__claim_front(const plait__steal_worker *worker,
					  uint32_t lane)
{
	/* Relaxed: a number; the words tell what is done. */
	uint64_t front = at_load_relaxed_u64(
		&worker->set->workers[lane].front);

	return front >> 32 == (uint32_t)worker->run ?
		       (uint32_t)front : plait__claim_end(worker, lane);
}

/* The first of a lane that is not taken, or its end. */
static inline uint32_t plait__claim_head(plait__steal_worker *worker, uint32_t lane,
					 uint32_t end)
{
	uint32_t head = worker->heads[lane];
	uint32_t front;

	if (worker->batch_claims) {
		front = plait__claim_front(worker, lane);
		head = front > head ? front : head;
	}
	while (head < end && plait__claim_is_taken(worker, head))
		head++;
	AT_PLAIN_WRITE(worker->heads[lane]) = head;
	return head;
}

/* ---- one ---- */

/* It wants a command out of turn.  True: it is the member's. */
static inline bool plait__claim_confirm(plait__steal_worker *worker, uint32_t lane,
					uint32_t command)
{
	at_u64 *state = &worker->set->states[command];
	uint64_t wanted = plait__claim_requested(worker);

	/* Pairs with the one in plait__claim_batch. */
	at_fence_after_rmw();
	return plait__claim_front(worker, lane) <= command &&
	       at_cas_u64(state, &wanted, plait__claim_taken(worker));
}

static inline bool plait__claim_one(plait__steal_worker *worker, uint32_t lane,
				    uint32_t command)
{
	at_u64 *state = &worker->set->states[command];
	uint64_t wanted = plait__claim_requested(worker);
	uint64_t next = worker->batch_claims ? wanted : plait__claim_taken(worker);
	uint64_t was = at_load_relaxed_u64(state);

	return was < wanted && at_cas_u64(state, &was, next) &&
	       (!worker->batch_claims || plait__claim_confirm(worker, lane, command));
}

/* ---- a range ---- */

/* How far one gets from what is ready. */
static inline uint32_t plait__claim_reach(const plait__steal_worker *worker,
					  uint32_t first, uint32_t end)
{
	uint32_t to = first + 1;

	if (end - first > PLAIT__CLAIM_BATCH)
		end = first + PLAIT__CLAIM_BATCH;
	while (to < end && !plait__claim_is_taken(worker, to) &&
	       plait__claim_is_ready_after(worker, to, first))
		to++;
	return to;
}

/* From the first that is not taken, which is ready, and what was taken before
 * it.  True: plait__claim_next finds what is the member's own. */
static inline bool plait__claim_batch(plait__steal_worker *worker, uint32_t lane,
				      uint32_t first)
{
	at_u64 *front = &worker->set->workers[lane].front;
	uint32_t end = plait__claim_end(worker, lane);
	uint32_t from = plait__claim_front(worker, lane);
	uint64_t run = worker->run << 32;
	uint64_t was = run | from;
	uint64_t next;
	uint32_t to;

	if (from > first)
		return false;
	to = plait__claim_reach(worker, first, end);
	next = run | to;
	if (!at_cas_u64(front, &was, next))
		return false;
	/* Pairs with the one in plait__claim_confirm. */
	at_fence_after_rmw();
	worker->next = from;
	worker->until = to;
	AT_PLAIN_WRITE(worker->heads[lane]) = to;
	return true;
}

/* True: nobody else has it, or will. */
static inline bool plait__claim_is_own(plait__steal_worker *worker, uint32_t command)
{
	at_u64 *state = &worker->set->states[command];
	uint64_t wanted = plait__claim_requested(worker);
	uint64_t was = at_load_relaxed_u64(state);

	if (was != wanted)
		return was < wanted;
	worker->recheck = true;
	return at_cas_u64(state, &was, plait__claim_taken(worker));
}

/* The next one of the range, or none. */
static inline uint32_t plait__claim_next(plait__steal_worker *worker)
{
	while (worker->next < worker->until) {
		uint32_t command = worker->next++;

		if (plait__claim_is_own(worker, command))
			return command;
		/* What comes after it may not be ready yet. */
		worker->recheck = true;
	}
	worker->recheck = false;
	return PLAIT__NONE;
}

/* The command that is the member's now, or none: others were faster. */
static inline uint32_t plait__claim(plait__steal_worker *worker, uint32_t lane,
				    uint32_t command)
{
	if (worker->batch_claims && worker->heads[lane] == command)
		return plait__claim_batch(worker, lane, command) ?
			       plait__claim_next(worker) : PLAIT__NONE;
	if (!plait__claim_one(worker, lane, command))
		return PLAIT__NONE;
	/* What is behind it comes next. */
	if (worker->heads[lane] == command)
		AT_PLAIN_WRITE(worker->heads[lane]) = command + 1;
	return command;
}

#endif
