/* SPDX-License-Identifier: MIT */
/* Known algorithms of logarithmic depth: halving and doubling, trees. */
#include "coll/chunk/known.h"

/* ---- halving and doubling ---- */

static uint32_t lower_power(uint32_t n)
{
	uint32_t power = 1;

	while (power <= n / 2)
		power *= 2;
	return power;
}

/* The chunks that a rank and its partner share before they split them at
 * `distance`: those left over by the larger distances. */
static void find_half(uint32_t rank, uint32_t distance, uint32_t power,
		      uint32_t chunks,
		      uint32_t *low, uint32_t *middle, uint32_t *high)
{
	*low = 0;
	*high = chunks;
	for (uint32_t at = power / 2;; at /= 2) {
		*middle = *low + (*high - *low) / 2;
		if (at == distance)
			return;
		*(rank & at ? low : high) = *middle;
	}
}

static void reduce_range(plait__known *known, uint32_t target, uint32_t source,
			 uint32_t buffer, uint32_t low, uint32_t high)
{
	if (low < high)
		plait__known_reduce(known,
				    plait__known_at(known, target, buffer, low,
						    high - low),
				    plait__known_at(known, source, buffer, low,
						    high - low));
}

static void copy_range(plait__known *known, uint32_t target, uint32_t source,
		       uint32_t buffer, uint32_t low, uint32_t high)
{
	if (low < high)
		plait__known_copy(known,
				  plait__known_at(known, source, buffer, low,
						  high - low),
				  target, buffer, low);
}

/* Each pair splits its chunks: the lower rank sums the lower half. */
static void halve(plait__known *known, uint32_t power, uint32_t buffer,
		  uint32_t chunks)
{
	for (uint32_t distance = power / 2; distance > 0; distance /= 2)
		for (uint32_t rank = 0; rank < power; rank++) {
			uint32_t other = rank | distance, low, middle, high;

			if (rank & distance)
				continue;
			find_half(rank, distance, power, chunks, &low, &middle,
				  &high);
			reduce_range(known, other, rank, buffer, middle, high);
			reduce_range(known, rank, other, buffer, low, middle);
		}
}

static void double_up(plait__known *known, uint32_t power, uint32_t buffer,
		      uint32_t chunks)
{
	for (uint32_t distance = 1; distance < power; distance *= 2)
		for (uint32_t rank = 0; rank < power; rank++) {
			uint32_t other = rank | distance, low, middle, high;

			if (rank & distance)
				continue;
			find_half(rank, distance, power, chunks, &low, &middle,
				  &high);
			copy_range(known, other, rank, buffer, low, middle);
			copy_range(known, rank, other, buffer, middle, high);
		}
}

/* Ranks beyond the power of two give their values to a partner first, and get
 * the result at the end. */
static void halving_allreduce(plait__known *known, uint32_t power)
{
	uint32_t output = PLAIT__COLL_OUTPUT, share = known->share;
	uint32_t work = plait__known_work(known, output);

	for (uint32_t rank = 0; rank < known->ranks; rank++) {
		if (rank < power)
			plait__known_own(known, rank, 0, share, output);
		else
			plait__known_reduce(
				known,
				plait__known_at(known, rank - power, work, 0,
						share),
				plait__known_at(known, rank, PLAIT__COLL_INPUT,
						0, share));
	}
	halve(known, power, work, share);
	double_up(known, power, work, share);
	for (uint32_t rank = power; rank < known->ranks; rank++)
		plait__known_copy(known,
				  plait__known_at(known, rank - power, work, 0,
						  share),
				  rank, output, 0);
}

void plait__known_halving(plait__known *known)
{
	uint32_t power = lower_power(known->ranks), share = known->share;
	uint32_t all = known->ranks * share;
	uint32_t scratch = PLAIT__COLL_SCRATCH, output = PLAIT__COLL_OUTPUT;
	uint32_t work = plait__known_work(known, scratch);

	if (known->kind == PLAIT__COLL_ALLREDUCE) {
		halving_allreduce(known, power);
		return;
	}
	if (power != known->ranks) {
		plait__known_refuse(known, "the number of ranks is no power of "
				    "2; use ring or allpairs");
		return;
	}
	for (uint32_t rank = 0; rank < known->ranks; rank++) {
		if (known->kind == PLAIT__COLL_REDUCE_SCATTER)
			plait__known_own(known, rank, 0, all, scratch);
		else
			plait__known_copy(known,
					  plait__known_at(known, rank,
							  PLAIT__COLL_INPUT, 0,
							  share),
					  rank, output, rank * share);
	}
	if (known->kind == PLAIT__COLL_ALLGATHER) {
		double_up(known, power, output, all);
		return;
	}
	halve(known, power, work, all);
	for (uint32_t rank = 0; rank < known->ranks; rank++)
		plait__known_copy(known,
				  plait__known_at(known, rank, work,
						  rank * share, share),
				  rank, output, 0);
}

/* ---- trees ---- */

/* Rank at a place of a binary tree whose place i has the children 2i + 1 and
 * 2i + 2; place 0 is the root.  The mirrored tree has leaves where the other one
 * has inner places. */
static uint32_t rank_at(const plait__known *known, uint32_t place,
			bool is_mirrored)
{
	uint32_t n = known->ranks;
	uint32_t moved = is_mirrored && place > 0 ? n - place : place;

	return (uint32_t)(((uint64_t)known->root + moved) % n);
}

/* Each inner place adds its children to its own value; returns the sum. */
static uint64_t reduce_tree(plait__known *known, uint32_t index,
			    bool is_mirrored)
{
	uint32_t n = known->ranks, root = rank_at(known, 0, is_mirrored);
	uint32_t buffer = known->kind == PLAIT__COLL_REDUCE ?
				  PLAIT__COLL_SCRATCH : PLAIT__COLL_OUTPUT;
	uint32_t work = plait__known_work(known, buffer);

	for (uint32_t place = 0; 2 * place + 1 < n || place == 0; place++)
		plait__known_own(known, rank_at(known, place, is_mirrored),
				 index, 1, buffer);
	for (uint32_t place = n - 1; place > 0; place--) {
		bool is_leaf = 2 * place + 1 >= n;
		uint32_t parent = rank_at(known, (place - 1) / 2, is_mirrored);

		plait__known_reduce(
			known, plait__known_at(known, parent, work, index, 1),
			plait__known_at(known,
					rank_at(known, place, is_mirrored),
					is_leaf ? PLAIT__COLL_INPUT : work,
					index, 1));
	}
	return plait__known_at(known, root, work, index, 1);
}

static void copy_tree(plait__known *known, uint32_t index, bool is_mirrored)
{
	for (uint32_t place = 1; place < known->ranks; place++) {
		uint32_t parent = rank_at(known, (place - 1) / 2, is_mirrored);

		plait__known_copy(known,
				  plait__known_at(known, parent,
						  PLAIT__COLL_OUTPUT, index, 1),
				  rank_at(known, place, is_mirrored),
				  PLAIT__COLL_OUTPUT, index);
	}
}

static void tree_of_chunk(plait__known *known, uint32_t index, bool is_mirrored)
{
	uint32_t root = rank_at(known, 0, is_mirrored);
	uint64_t chunk;

	if (known->kind == PLAIT__COLL_BROADCAST)
		chunk = plait__known_at(known, root, PLAIT__COLL_INPUT, index,
					1);
	else
		chunk = reduce_tree(known, index, is_mirrored);
	plait__known_copy(known, chunk, root, PLAIT__COLL_OUTPUT, index);
	if (known->kind != PLAIT__COLL_REDUCE)
		copy_tree(known, index, is_mirrored);
}

void plait__known_tree(plait__known *known)
{
	for (uint32_t i = 0; i < known->share; i++)
		tree_of_chunk(known, i, false);
}

void plait__known_doubletree(plait__known *known)
{
	for (uint32_t i = 0; i < known->share; i++)
		tree_of_chunk(known, i, i % 2 == 1);
}
