/* SPDX-License-Identifier: MIT */
/* Known algorithms for nodes of G ranks: hierarchical, two and three steps,
 * next. */
#include "coll/chunk/known.h"

static uint32_t rank_of(const plait__known *known, uint32_t node,
			uint32_t local)
{
	return node * known->group + local;
}

static uint32_t node_count(const plait__known *known)
{
	return known->ranks / known->group;
}

/* ---- hierarchical: a ring in each node, one between nodes, one in each ---- */

static uint64_t reduce_in_node(plait__known *known, uint32_t node,
			       uint32_t home, uint32_t index)
{
	uint32_t group = known->group;
	uint64_t sum;

	if (group == 1)
		return plait__known_own(known, rank_of(known, node, 0), index,
					1, PLAIT__COLL_OUTPUT);
	sum = plait__known_at(known,
			      rank_of(known, node, (home + 1) % group),
			      PLAIT__COLL_INPUT, index, 1);
	for (uint32_t step = 2; step <= group; step++)
		sum = plait__known_reduce(
			known,
			plait__known_own(known,
					 rank_of(known, node,
						 (home + step) % group),
					 index, 1, PLAIT__COLL_OUTPUT),
			sum);
	return sum;
}

static void reduce_between(plait__known *known, uint32_t first, uint32_t home,
			   uint32_t index)
{
	uint32_t nodes = node_count(known);
	uint32_t work = plait__known_work(known, PLAIT__COLL_OUTPUT);
	uint64_t chunk = plait__known_at(
		known, rank_of(known, (first + 1) % nodes, home), work, index,
		1);

	for (uint32_t step = 2; step <= nodes; step++)
		chunk = plait__known_reduce(
			known,
			plait__known_at(known,
					rank_of(known, (first + step) % nodes,
						home), work, index, 1),
			chunk);
	for (uint32_t step = 1; step < nodes; step++)
		chunk = plait__known_copy(
			known, chunk,
			rank_of(known, (first + step) % nodes, home), work,
			index);
}

static void copy_in_node(plait__known *known, uint32_t node, uint32_t home,
			 uint32_t index)
{
	uint32_t work = plait__known_work(known, PLAIT__COLL_OUTPUT);
	uint64_t chunk = plait__known_at(known, rank_of(known, node, home),
					 work, index, 1);

	for (uint32_t step = 1; step < known->group; step++)
		chunk = plait__known_copy(
			known, chunk,
			rank_of(known, node, (home + step) % known->group),
			PLAIT__COLL_OUTPUT, index);
}

void plait__known_hierarchical(plait__known *known)
{
	uint32_t nodes = node_count(known), group = known->group;

	for (uint32_t i = 0; i < known->share; i++)
		for (uint32_t node = 0; node < nodes; node++)
			reduce_in_node(known, node, i % group, i);
	for (uint32_t i = 0; nodes > 1 && i < known->share; i++)
		reduce_between(known, i / group % nodes, i % group, i);
	for (uint32_t i = 0; i < known->share; i++)
		for (uint32_t node = 0; node < nodes; node++)
			copy_in_node(known, node, i % group, i);
}

/* ---- all to all over nodes ---- */

/* In place, outputs are where chunks come from: keep them first. */
static uint32_t keep_inputs(plait__known *known)
{
	uint32_t kept = PLAIT__COLL_SCRATCH;

	if (!known->in_place)
		return PLAIT__COLL_INPUT;
	for (uint32_t rank = 0; rank < known->ranks; rank++)
		plait__known_copy(known,
				  plait__known_at(known, rank,
						  PLAIT__COLL_INPUT, 0,
						  known->ranks * known->share),
				  rank, kept, 0);
	return kept;
}

/* Chunks of rank `from` for rank `to`. */
static uint64_t chunk_for(plait__known *known, uint32_t buffer, uint32_t from,
			  uint32_t to)
{
	return plait__known_at(known, from, buffer, to * known->share,
			       known->share);
}

static void exchange_in_node(plait__known *known, uint32_t buffer,
			     uint32_t node)
{
	for (uint32_t from = 0; from < known->group; from++)
		for (uint32_t to = 0; to < known->group; to++) {
			uint32_t source = rank_of(known, node, from);
			uint32_t target = rank_of(known, node, to);

			plait__known_copy(known,
					  chunk_for(known, buffer, source,
						    target),
					  target, PLAIT__COLL_OUTPUT,
					  source * known->share);
		}
}

/* Gather the chunks of node `node` for node `other` on the rank of the same
 * local number as their targets; that rank sends them in one message. */
static void two_steps(plait__known *known, uint32_t buffer, uint32_t node,
		      uint32_t other)
{
	uint32_t group = known->group, share = known->share;
	uint32_t scratch = PLAIT__COLL_SCRATCH + 1;

	for (uint32_t to = 0; to < group; to++) {
		uint32_t through = rank_of(known, node, to);
		uint32_t target = rank_of(known, other, to);
		uint32_t index = rank_of(known, other, 0) * share;

		for (uint32_t from = 0; from < group; from++)
			plait__known_copy(
				known,
				chunk_for(known, buffer,
					  rank_of(known, node, from), target),
				through, scratch, index + from * share);
		plait__known_copy(known,
				  plait__known_at(known, through, scratch,
						  index, group * share),
				  target, PLAIT__COLL_OUTPUT,
				  rank_of(known, node, 0) * share);
	}
}

/* All chunks of a node for another travel in one message between one rank of
 * each. */
static void three_steps(plait__known *known, uint32_t buffer, uint32_t node,
			uint32_t other)
{
	uint32_t group = known->group, share = known->share;
	uint32_t gathered = PLAIT__COLL_SCRATCH + 1;
	uint32_t received = PLAIT__COLL_SCRATCH + 2;
	uint32_t block = group * group * share;
	uint32_t source = rank_of(known, node, other % group);
	uint32_t target = rank_of(known, other, node % group);

	for (uint32_t to = 0; to < group; to++)
		for (uint32_t from = 0; from < group; from++)
			plait__known_copy(
				known,
				chunk_for(known, buffer,
					  rank_of(known, node, from),
					  rank_of(known, other, to)),
				source, gathered,
				other * block + (to * group + from) * share);
	plait__known_copy(known,
			  plait__known_at(known, source, gathered,
					  other * block, block),
			  target, received, node * block);
	for (uint32_t to = 0; to < group; to++)
		plait__known_copy(
			known,
			plait__known_at(known, target, received,
					node * block + to * group * share,
					group * share),
			rank_of(known, other, to), PLAIT__COLL_OUTPUT,
			rank_of(known, node, 0) * share);
}

static void exchange(plait__known *known,
		     void (*between)(plait__known *known, uint32_t buffer,
				     uint32_t node, uint32_t other))
{
	uint32_t nodes = node_count(known), buffer = keep_inputs(known);

	for (uint32_t step = 1; step < nodes; step++)
		for (uint32_t node = 0; node < nodes; node++)
			between(known, buffer, node, (node + step) % nodes);
	for (uint32_t node = 0; node < nodes; node++)
		exchange_in_node(known, buffer, node);
}

void plait__known_twostep(plait__known *known)
{
	exchange(known, two_steps);
}

void plait__known_threestep(plait__known *known)
{
	exchange(known, three_steps);
}

/* ---- next ---- */

/* Between nodes, each rank of the node carries a part over. */
static void cross_nodes(plait__known *known, uint32_t node)
{
	uint32_t scratch = PLAIT__COLL_SCRATCH, group = known->group;
	uint32_t last = rank_of(known, node, group - 1);

	for (uint32_t i = 0; i < known->share; i++) {
		uint32_t local = i % group;
		uint64_t chunk = plait__known_at(known, last, PLAIT__COLL_INPUT,
						 i, 1);

		if (local != group - 1)
			chunk = plait__known_copy(known, chunk,
						  rank_of(known, node, local),
						  scratch, i);
		if (local != 0)
			chunk = plait__known_copy(
				known, chunk, rank_of(known, node + 1, local),
				scratch + 1, i);
		plait__known_copy(known, chunk, rank_of(known, node + 1, 0),
				  PLAIT__COLL_OUTPUT, i);
	}
}

/* The last rank first: in place, an output is an input that is sent on. */
void plait__known_next(plait__known *known)
{
	for (uint32_t rank = known->ranks - 1; rank > 0; rank--) {
		if (rank % known->group == 0)
			cross_nodes(known, rank / known->group - 1);
		else
			plait__known_copy(known,
					  plait__known_at(known, rank - 1,
							  PLAIT__COLL_INPUT, 0,
							  known->share),
					  rank, PLAIT__COLL_OUTPUT, 0);
	}
}
