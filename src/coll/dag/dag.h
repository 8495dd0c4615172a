/* SPDX-License-Identifier: MIT */
/*
 * Instructions of a schedule as a graph: operations on sub-chunks, before
 * lanes and order exist.  Shared by the passes of `dag` and `place`.
 *
 * A node is one step kind on one rank.  A copy or reduction between ranks is two
 * nodes: a send, and right after it the receive that is its match.  Node numbers
 * follow the program, so each dependence points to a higher number.  Nodes that
 * execute as one step have one *unit*: the node that receives.
 */
#ifndef PLAIT_SRC_COLL_DAG_DAG_H
#define PLAIT_SRC_COLL_DAG_DAG_H

#include "coll/chunk/chunk_program.h"

enum plait__dag_flag {
	PLAIT__DAG_HAS_CHANNEL = 1,
	PLAIT__DAG_HAS_LANE = 2,
	PLAIT__DAG_KEPT = 4	/* a chunk that it writes is read at the end */
};

/* Values of `reader` besides nodes. */
#define PLAIT__DAG_MANY (UINT32_MAX - 1)

typedef struct plait__dag_node {
	uint8_t kind;		/* enum plait__step_kind */
	uint8_t flags;		/* enum plait__dag_flag */
	uint8_t source_buffer, target_buffer;
	uint32_t rank;
	uint32_t source, target, count; /* sub-chunks; RECV: no source */
	uint32_t match;		/* other end of the transfer, or NONE */
	uint32_t way;		/* ways never share a connection */
	uint32_t channel, lane;	/* directives */
	uint32_t unit;		/* the node that executes it: itself until
				 * plait__fuse_nodes */
	uint32_t send;		/* of a unit: the send in it, or NONE */
	uint32_t local;		/* of a unit: the local node in it, or NONE */
	/* By plait__deps_trace, as KEPT is. */
	uint32_t reader;	/* the only reader of what it writes, NONE,
				 * or MANY */
	uint32_t first_next;	/* first node that depends on it, or NONE */
	uint32_t height;	/* nodes on the longest path to a sink */
} plait__dag_node;

typedef struct plait__dag {
	const plait_allocator *allocator;
	/* Sizes in sub-chunks, promises; lanes and steps come last. */
	plait__schedule *schedule;
	uint32_t factor;	/* sub-chunks of a chunk */
	plait__vector nodes;	/* plait__dag_node */
	/* Dependences within ranks: those of node i are the numbers
	 * preds[first_pred[i]] up to preds[first_pred[i + 1] - 1]. */
	plait__vector preds;	/* uint32_t */
	plait__vector first_pred; /* uint32_t */
} plait__dag;

static inline plait__dag_node *plait__dag_at(const plait__dag *dag, uint32_t i)
{
	return (plait__dag_node *)dag->nodes.items + i;
}

static inline const uint32_t *plait__dag_preds(const plait__dag *dag,
					       uint32_t node, uint32_t *count)
{
	const uint32_t *first = (const uint32_t *)dag->first_pred.items + node;

	*count = first[1] - first[0];
	return *count == 0 ? NULL :
	       (const uint32_t *)dag->preds.items + first[0];
}

void plait__dag_init(plait__dag *dag, const plait_allocator *allocator);
void plait__dag_fini(plait__dag *dag);

/* Cut the program into nodes of sub-chunks.  `max_count` limits sub-chunks of a
 * node; 0: no limit.  PLAIT_E_INVALID: too many sub-chunks; PLAIT_E_NOMEM. */
plait_status plait__expand_program(plait__dag *dag,
				   const plait__chunk_program *program,
				   uint32_t instances, uint32_t max_count,
				   plait_error *error);

/* Find dependences, readers and heights.  PLAIT_E_NOMEM. */
plait_status plait__deps_trace(plait__dag *dag, plait_error *error);

/* Join transfers of neighbouring chunks that can start at about one time, and
 * trace again.  `max_count` as above. */
plait_status plait__aggregate_transfers(plait__dag *dag, uint32_t max_count,
					plait_error *error);

/* Called by plait__deps_trace: mark nodes of which a chunk is read at the end, an
 * output that is promised.
 * `writers` has the last writer of each sub-chunk, rank by rank. */
void plait__live_mark(plait__dag *dag, const uint32_t *writers,
		      const uint64_t *first_of_rank);

/* Let receives and what follows them execute as one step. */
void plait__fuse_nodes(plait__dag *dag);
/* Take the send out of a unit that has one. */
void plait__fuse_undo(plait__dag *dag, uint32_t unit);

#endif
