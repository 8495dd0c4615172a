/* SPDX-License-Identifier: MIT */
/*
 * Claim protocol of a flow's ops: search and claim.  Included by flow_worker.c
 * and flow_lanes.c; inline, because a claim must cost little beside an empty
 * task.
 *
 *     submitter                       worker
 *     preds, meta, call               number of the entry (lane)
 *     word PUBLISHED (release)        word = PUBLISHED? (acquire)
 *     number into the lane, tail      meta, preds: all done?
 *                                     word PUBLISHED to TAKEN
 *
 * An entry may be reused after the worker's first look.  Then what it reads of
 * meta and preds is of another op, and its compare-and-swap fails, since words
 * only grow.
 */
#ifndef PLAIT_SRC_FLOW_LANES_FLOW_CLAIM_H
#define PLAIT_SRC_FLOW_LANES_FLOW_CLAIM_H

#include "flow/lanes/flow_lanes.h"

enum {
	/* How far behind the front of a lane a worker looks. */
	PLAIT__CLAIM_REACH = 32,
	/* Ops that a worker takes one behind the other, before it looks at the front
	 * again: an older op waits no longer. */
	PLAIT__CLAIM_FOLLOWS = 16,
	/* The same near the end of a lane, and how many ops from its tail that is. */
	PLAIT__CLAIM_END_FOLLOWS = 2,
	PLAIT__CLAIM_END = 32
};

/* The first op up to `number` that is not done; number + 1: none. */
static inline uint64_t plait__flow_claim_first_undone(plait__flow_lanes *lanes,
						      uint64_t number)
{
	uint64_t size = lanes->ring.mask + 1;
	/* Acquire: the thread that stored it has seen those ops done. */
	uint64_t at = at_load_acquire_u64(&lanes->prefix);
	uint64_t begin = at;

	if (number > size && at < number - size)
		at = number - size; /* else op `number` had no entry */
	while (at < number && plait__op_is_done(&lanes->ring, at + 1))
		at++;
	if (at > begin)
		at_store_release_u64(&lanes->prefix, at);
	return at < number ? at + 1 : number + 1;
}

/* An op that op `number` waits for, or 0: it is ready. */
static inline uint64_t plait__flow_claim_undone(plait__flow_lanes *lanes,
						uint64_t number)
{
	const plait__op *op = plait__op_at(&lanes->ring, number);
	/* Relaxed: published with the word, which the caller has read. */
	uint64_t meta = at_load_relaxed_u64(&op->meta);
	uint32_t count = plait__op_pred_count(meta);
	uint64_t undone;

	for (uint32_t i = 0; i < count && i < PLAIT__OP_PREDS; i++) {
		undone = plait__op_pred(op, number, i);
		if (!plait__op_is_done(&lanes->ring, undone))
			return undone;
	}
	if ((meta & PLAIT__OP_PREFIX) == 0)
		return 0;
	undone = plait__flow_claim_first_undone(lanes, number - 1);
	return undone < number ? undone : 0;
}

static inline bool plait__flow_claim_is_ready(plait__flow_lanes *lanes,
					      uint64_t number)
{
	return plait__flow_claim_undone(lanes, number) == 0;
}

/* The op of a lane's entry, if it is published and not taken; else 0. */
static inline uint64_t plait__flow_claim_open(const plait__flow_lanes *lanes,
					      uint32_t entry)
{
	/* Acquire: pairs with the store in plait__flow_lanes_publish. */
	uint64_t word = at_load_acquire_u64(
		&plait__op_at(&lanes->ring, entry)->word);
	uint64_t number = word / 4;

	return word % 4 == PLAIT__OP_PUBLISHED && (uint32_t)number == entry ?
		       number : 0;
}

static inline bool plait__flow_claim_take(const plait__flow_lanes *lanes,
					  uint64_t number)
{
	uint64_t open = 4 * number + PLAIT__OP_PUBLISHED;

	return at_cas_u64(&plait__op_at(&lanes->ring, number)->word, &open,
			  4 * number + PLAIT__OP_TAKEN);
}

static inline uint32_t plait__flow_claim_entry(const plait__flow_lanes *lanes,
					       uint32_t lane, uint64_t position)
{
	/* Relaxed: published with the tail; a newer one is as good. */
	return at_load_relaxed_u32(
		plait__flow_lane_number(lanes, lane, position));
}

/* Fetch the entry at a position, which the worker may claim next. */
static inline void plait__flow_claim_fetch(const plait__flow_lanes *lanes,
					   uint32_t lane, uint64_t position)
{
	at_prefetch_write(plait__op_at(
		&lanes->ring,
		plait__flow_claim_entry(lanes, lane, position)));
}

/* The first position of the lane whose op is not taken; `tail` if there is
 * none. */
static inline uint64_t plait__flow_claim_head(plait__flow_worker *worker,
					      uint32_t lane, uint64_t tail)
{
	const plait__flow_lanes *lanes = worker->lanes;
	uint64_t head = worker->heads[lane];

	/* Those before were taken long ago. */
	if (tail - head > lanes->ring.mask + 1)
		head = tail - lanes->ring.mask - 1;
	while (head < tail &&
	       plait__flow_claim_open(
		       lanes, plait__flow_claim_entry(lanes, lane, head)) == 0)
		head++;
	worker->heads[lane] = head;
	return head;
}

/* A ready op between the front of the lane and `tail`, at most `reach` behind
 * the front; or 0. */
static inline uint64_t plait__flow_claim_scan(plait__flow_worker *worker,
					      uint32_t lane, uint64_t tail,
					      uint64_t reach)
{
	plait__flow_lanes *lanes = worker->lanes;
	uint64_t head = plait__flow_claim_head(worker, lane, tail);

	for (uint64_t i = head; i < tail && i - head < reach; i++) {
		uint64_t number = plait__flow_claim_open(
			lanes, plait__flow_claim_entry(lanes, lane, i));

		if (number == 0 || !plait__flow_claim_is_ready(lanes, number))
			continue;
		if (i + 1 < tail)
			plait__flow_claim_fetch(lanes, lane, i + 1);
		worker->place = i;
		return number;
	}
	return 0;
}

/* The op behind the last one found in a lane, if it is ready; or 0.  In a chain that is
 * its successor, while the front of the lane may be another chain, which waits. */
static inline uint64_t plait__flow_claim_next(plait__flow_worker *worker)
{
	plait__flow_lanes *lanes = worker->lanes;
	uint64_t tail = worker->tails[worker->from], at = worker->next;
	uint64_t number;

	if (at >= tail || worker->follows == 0)
		return 0;
	number = plait__flow_claim_open(
		lanes, plait__flow_claim_entry(lanes, worker->from, at));
	if (number == 0 || !plait__flow_claim_is_ready(lanes, number))
		return 0;
	if (at + 1 < tail)
		plait__flow_claim_fetch(lanes, worker->from, at + 1);
	worker->next = at + 1;
	worker->follows--;
	return number;
}

/* Returns true if the op at a position is one of the last in its lane. */
static inline bool plait__flow_claim_is_near_end(plait__flow_worker *worker,
						 uint32_t lane, uint64_t place)
{
	/* Relaxed: a hint.  Loaded only if the tail loaded last is near. */
	return worker->tails[lane] - place <= PLAIT__CLAIM_END &&
	       at_load_relaxed_u64(&worker->lanes->lanes[lane].tail) - place <=
		       PLAIT__CLAIM_END;
}

/* A ready op of the lane that is not taken, at most `reach` behind its front;
 * or 0.  The tail is loaded only if none is found up to the last one loaded:
 * the submitter stores to its cache line with each op. */
static inline uint64_t plait__flow_claim_look(plait__flow_worker *worker,
					      uint32_t lane, uint64_t reach)
{
	uint64_t *known = &worker->tails[lane], tail;
	uint64_t found = plait__flow_claim_scan(worker, lane, *known, reach);

	if (found != 0)
		return found;
	/* Acquire: pairs with the store in plait__flow_lanes_publish. */
	tail = at_load_acquire_u64(&worker->lanes->lanes[lane].tail);
	if (tail == *known)
		return 0;
	*known = tail;
	return plait__flow_claim_scan(worker, lane, tail, reach);
}

#endif
