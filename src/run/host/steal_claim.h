/* SPDX-License-Identifier: MIT */
/*
 * Claim protocol of work stealing, mode HELPED: which commands are ready, and
 * which worker runs them.  Included by steal_worker.c alone; inline, because a
 * claim must cost little beside an empty command.
 *
 * The state of a command only grows: in run n it is below 4n - 2 at first, 4n -
 * 1 when claimed, 4n when done.  That is one compare-and-swap a command.  If
 * commands were short in the runs before, a worker claims several in a row at
 * once, and other workers may still claim one out of turn:
 *
 *     batch claim                          single claim, out of turn
 *     front of the lane: h to e            state: to 4n - 2, a request
 *     fence                                fence
 *     each of h to e:                      is it behind the front?
 *       state < 4n - 2: own                  yes: state 4n - 2 to 4n - 1,
 *       state = 4n - 2: own if the                unless the batch's owner did
 *         state goes to 4n - 1 first         no: the batch's owner runs it
 *
 * One of the two sees the other.  A batch ends at a command that is not ready;
 * predecessors inside the batch count as done, since they will be.
 */
#ifndef PLAIT_SRC_RUN_HOST_STEAL_CLAIM_H
#define PLAIT_SRC_RUN_HOST_STEAL_CLAIM_H

#include "run/host/steal_worker.h"

/* The most commands of a batch claim. */
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

/* ---- readiness ---- */

/* Ready as soon as the commands from `first` on are done. */
static inline bool
plait__claim_is_ready_after(const plait__steal_worker *worker, uint32_t command,
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

/* Only for commands that no batch claim covers. */
static inline bool plait__claim_is_taken(const plait__steal_worker *worker,
					 uint32_t command)
{
	/* Relaxed: a hint, the claim decides. */
	return at_load_relaxed_u64(&worker->set->states[command]) >=
	       plait__claim_requested(worker);
}

/* The commands of the lane before this one are claimed; all are if the front is
 * another run's. */
static inline uint32_t plait__claim_front(const plait__steal_worker *worker,
					  uint32_t lane)
{
	/* Relaxed: a number; the states tell what is done. */
	uint64_t front = at_load_relaxed_u64(
		&worker->set->workers[lane].front);

	return front >> 32 == (uint32_t)worker->run ?
		       (uint32_t)front : plait__claim_end(worker, lane);
}

/* The first command of the lane that is not claimed, or the lane's end. */
static inline uint32_t plait__claim_head(plait__steal_worker *worker,
					 uint32_t lane, uint32_t end)
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

/* ---- single claims ---- */

/* Confirm a request out of turn.  Returns true if the worker has the
 * command. */
static inline bool plait__claim_confirm(plait__steal_worker *worker,
					uint32_t lane, uint32_t command)
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
	uint64_t next =
		worker->batch_claims ? wanted : plait__claim_taken(worker);
	uint64_t was = at_load_relaxed_u64(state);

	return was < wanted && at_cas_u64(state, &was, next) &&
	       (!worker->batch_claims ||
		plait__claim_confirm(worker, lane, command));
}

/* ---- batch claims ---- */

/* The end of the batch that begins with a ready command. */
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

/* Claim from the lane's front to the end of the batch; `first` is ready.
 * Returns true if plait__claim_next is to look for the worker's commands. */
static inline bool plait__claim_batch(plait__steal_worker *worker,
				      uint32_t lane, uint32_t first)
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

/* Returns true if the worker has the command. */
static inline bool plait__claim_is_own(plait__steal_worker *worker,
				       uint32_t command)
{
	at_u64 *state = &worker->set->states[command];
	uint64_t wanted = plait__claim_requested(worker);
	uint64_t was = at_load_relaxed_u64(state);

	if (was != wanted)
		return was < wanted;
	worker->attention |= PLAIT__STEAL_RECHECKS;
	return at_cas_u64(state, &was, plait__claim_taken(worker));
}

/* The next command of the batch, or none. */
static inline uint32_t plait__claim_next(plait__steal_worker *worker)
{
	while (worker->next < worker->until) {
		uint32_t command = worker->next++;

		if (plait__claim_is_own(worker, command))
			return command;
		/* Its successors may not be ready yet. */
		worker->attention |= PLAIT__STEAL_RECHECKS;
	}
	worker->attention &= ~(uint32_t)PLAIT__STEAL_RECHECKS;
	return PLAIT__NONE;
}

/* Claim a command.  Returns the command to run, or none if other workers were
 * faster. */
static inline uint32_t plait__claim(plait__steal_worker *worker, uint32_t lane,
				    uint32_t command)
{
	if (worker->batch_claims && worker->heads[lane] == command)
		return plait__claim_batch(worker, lane, command) ?
			       plait__claim_next(worker) : PLAIT__NONE;
	if (!plait__claim_one(worker, lane, command))
		return PLAIT__NONE;
	/* The next search begins behind it. */
	if (worker->heads[lane] == command)
		AT_PLAIN_WRITE(worker->heads[lane]) = command + 1;
	return command;
}

#endif
