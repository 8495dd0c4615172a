/* SPDX-License-Identifier: MIT */
/* Known algorithms on equal ranks: ring, all pairs, one step, direct. */
#include "coll/chunk/known.h"

/* Output index of chunk `i` of the share of rank `rank`. */
static uint32_t at_share(const plait__known *known, uint32_t rank, uint32_t i)
{
	return rank * known->share + i;
}

/* ---- ring ---- */

/* Let a chunk of work at `index` go round, from the rank behind `home` on and
 * up to `home`, where it has the sum. */
static uint64_t ring_reduce(plait__known *known, uint32_t home, uint32_t index,
			    uint32_t buffer)
{
	uint32_t n = known->ranks;
	uint64_t sum;

	if (n == 1)
		return plait__known_own(known, home, index, 1, buffer);
	sum = plait__known_at(known, (home + 1) % n, PLAIT__COLL_INPUT, index,
			      1);
	for (uint32_t step = 2; step <= n; step++) {
		uint64_t own = plait__known_own(known, (home + step) % n, index,
						1, buffer);

		sum = plait__known_reduce(known, own, sum);
	}
	return sum;
}

static void ring_copy(plait__known *known, uint64_t chunk, uint32_t home,
		      uint32_t buffer, uint32_t index)
{
	for (uint32_t step = 1; step < known->ranks; step++)
		chunk = plait__known_copy(known, chunk,
					  (home + step) % known->ranks, buffer,
					  index);
}

static void ring_of_chunk(plait__known *known, uint32_t rank, uint32_t i)
{
	uint32_t output = PLAIT__COLL_OUTPUT, scratch = PLAIT__COLL_SCRATCH;
	uint32_t index = at_share(known, rank, i);
	uint64_t chunk;

	if (known->kind == PLAIT__COLL_REDUCE_SCATTER) {
		chunk = ring_reduce(known, rank, index, scratch);
		plait__known_copy(known, chunk, rank, output, i);
		return;
	}
	chunk = plait__known_copy(known,
				  plait__known_at(known, rank,
						  PLAIT__COLL_INPUT, i, 1),
				  rank, output, index);
	ring_copy(known, chunk, rank, output, index);
}

static void ring_of_share(plait__known *known, uint32_t i)
{
	uint32_t output = PLAIT__COLL_OUTPUT, scratch = PLAIT__COLL_SCRATCH;
	uint32_t home = known->root;
	uint64_t chunk;

	switch (known->kind) {
	case PLAIT__COLL_ALLREDUCE:
		home = i % known->ranks;
		chunk = ring_reduce(known, home, i, output);
		ring_copy(known, chunk, home, output, i);
		break;
	case PLAIT__COLL_REDUCE:
		chunk = ring_reduce(known, home, i, scratch);
		plait__known_copy(known, chunk, home, output, i);
		break;
	default:
		chunk = plait__known_copy(
			known,
			plait__known_at(known, home, PLAIT__COLL_INPUT, i, 1),
			home, output, i);
		ring_copy(known, chunk, home, output, i);
	}
}

void plait__known_ring(plait__known *known)
{
	bool by_rank = known->kind == PLAIT__COLL_ALLGATHER ||
		       known->kind == PLAIT__COLL_REDUCE_SCATTER;

	for (uint32_t i = 0; i < known->share; i++)
		if (!by_rank)
			ring_of_share(known, i);
		else
			for (uint32_t rank = 0; rank < known->ranks; rank++)
				ring_of_chunk(known, rank, i);
}

/* ---- all pairs ---- */

/* Rank `home` gets the chunks from all, and adds them up at `own`. */
static uint64_t collect_sum(plait__known *known, uint32_t home, uint32_t first,
			    uint32_t count, uint32_t buffer)
{
	uint32_t n = known->ranks;
	uint32_t scratch = PLAIT__COLL_SCRATCH + 1;
	uint64_t sum;

	for (uint32_t step = 1; step < n; step++) {
		uint64_t chunk = plait__known_at(known, (home + step) % n,
						 PLAIT__COLL_INPUT, first,
						 count);

		plait__known_copy(known, chunk, home, scratch,
				  (step - 1) * count);
	}
	sum = plait__known_own(known, home, first, count, buffer);
	for (uint32_t step = 1; step < n; step++)
		sum = plait__known_reduce(
			known, sum,
			plait__known_at(known, home, scratch,
					(step - 1) * count, count));
	return sum;
}

static void send_to_all(plait__known *known, uint64_t chunk, uint32_t home,
			uint32_t index)
{
	for (uint32_t step = 1; step < known->ranks; step++)
		plait__known_copy(known, chunk, (home + step) % known->ranks,
				  PLAIT__COLL_OUTPUT, index);
}

/* First chunk of the part of a share that rank `rank` reduces. */
static uint32_t part_of(const plait__known *known, uint32_t rank)
{
	return (uint32_t)((uint64_t)known->share * rank / known->ranks);
}

/* Each rank reduces a part of the share, and all get it. */
static void allpairs_allreduce(plait__known *known)
{
	uint32_t work = plait__known_work(known, PLAIT__COLL_OUTPUT);

	for (uint32_t rank = 0; rank < known->ranks; rank++) {
		uint32_t first = part_of(known, rank);
		uint32_t count = part_of(known, rank + 1) - first;

		if (count > 0)
			collect_sum(known, rank, first, count,
				    PLAIT__COLL_OUTPUT);
	}
	for (uint32_t rank = 0; rank < known->ranks; rank++) {
		uint32_t first = part_of(known, rank);
		uint32_t count = part_of(known, rank + 1) - first;

		if (count > 0)
			send_to_all(known, plait__known_at(known, rank, work,
							   first, count),
				    rank, first);
	}
}

static void scatter_sums(plait__known *known)
{
	for (uint32_t rank = 0; rank < known->ranks; rank++)
		plait__known_copy(known,
				  collect_sum(known, rank,
					      at_share(known, rank, 0),
					      known->share,
					      PLAIT__COLL_SCRATCH),
				  rank, PLAIT__COLL_OUTPUT, 0);
}

static void gather_all(plait__known *known)
{
	for (uint32_t rank = 0; rank < known->ranks; rank++) {
		uint32_t index = at_share(known, rank, 0);
		uint64_t chunk = plait__known_copy(
			known,
			plait__known_at(known, rank, PLAIT__COLL_INPUT, 0,
					known->share),
			rank, PLAIT__COLL_OUTPUT, index);

		send_to_all(known, chunk, rank, index);
	}
}

/* In place a rank's output is where chunks come from: keep them first. */
static void exchange_pairs(plait__known *known)
{
	uint32_t n = known->ranks, share = known->share;
	uint32_t from = known->in_place ? PLAIT__COLL_SCRATCH :
					  PLAIT__COLL_INPUT;

	for (uint32_t rank = 0; known->in_place && rank < n; rank++)
		plait__known_copy(known,
				  plait__known_at(known, rank,
						  PLAIT__COLL_INPUT, 0,
						  n * share),
				  rank, from, 0);
	for (uint32_t rank = 0; rank < n; rank++)
		for (uint32_t step = 0; step < n; step++) {
			uint32_t to = (rank + step) % n;

			if (step > 0 || !known->in_place)
				plait__known_copy(
					known,
					plait__known_at(known, rank, from,
							at_share(known, to, 0),
							share),
					to, PLAIT__COLL_OUTPUT,
					at_share(known, rank, 0));
		}
}

void plait__known_allpairs(plait__known *known)
{
	if (known->kind == PLAIT__COLL_ALLREDUCE)
		allpairs_allreduce(known);
	else if (known->kind == PLAIT__COLL_REDUCE_SCATTER)
		scatter_sums(known);
	else if (known->kind == PLAIT__COLL_ALLGATHER)
		gather_all(known);
	else
		exchange_pairs(known);
}

/* ---- one step: each rank sends all to all and adds up for itself ---- */

void plait__known_onestep(plait__known *known)
{
	uint32_t n = known->ranks, share = known->share;

	for (uint32_t rank = 0; rank < n; rank++)
		for (uint32_t step = 1; step < n; step++)
			plait__known_copy(
				known,
				plait__known_at(known, (rank + step) % n,
						PLAIT__COLL_INPUT, 0, share),
				rank, PLAIT__COLL_SCRATCH, (step - 1) * share);
	for (uint32_t rank = 0; rank < n; rank++) {
		uint64_t sum = plait__known_own(known, rank, 0, share,
						PLAIT__COLL_OUTPUT);

		for (uint32_t step = 1; step < n; step++)
			sum = plait__known_reduce(
				known, sum,
				plait__known_at(known, rank,
						PLAIT__COLL_SCRATCH,
						(step - 1) * share, share));
	}
}

/* ---- direct: one transfer for each pair of input and output ---- */

static void copy_input(plait__known *known, uint32_t from, uint32_t index,
		       uint32_t to, uint32_t target)
{
	plait__known_copy(known,
			  plait__known_at(known, from, PLAIT__COLL_INPUT, index,
					  known->share),
			  to, PLAIT__COLL_OUTPUT, target);
}

static void direct_reduce(plait__known *known)
{
	uint64_t sum = collect_sum(known, known->root, 0, known->share,
				   PLAIT__COLL_OUTPUT);

	plait__known_copy(known, sum, known->root, PLAIT__COLL_OUTPUT, 0);
}

/* The last rank first: in place, an output is an input that is sent on. */
static void direct_next(plait__known *known)
{
	for (uint32_t rank = known->ranks - 1; rank > 0; rank--)
		copy_input(known, rank - 1, 0, rank, 0);
}

void plait__known_direct(plait__known *known)
{
	if (known->kind == PLAIT__COLL_ALLTOALL) {
		exchange_pairs(known);
		return;
	}
	if (known->kind == PLAIT__COLL_REDUCE) {
		direct_reduce(known);
		return;
	}
	if (known->kind == PLAIT__COLL_ALLTONEXT) {
		direct_next(known);
		return;
	}
	for (uint32_t rank = 0; rank < known->ranks; rank++) {
		uint32_t index = at_share(known, rank, 0);

		if (known->kind == PLAIT__COLL_GATHER)
			copy_input(known, rank, 0, known->root, index);
		else if (known->kind == PLAIT__COLL_SCATTER)
			copy_input(known, known->root, index, rank, 0);
		else
			copy_input(known, known->root, 0, rank, 0);
	}
}
