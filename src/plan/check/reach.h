/* SPDX-License-Identifier: MIT */
/*
 * Reachability in an acyclic graph whose nodes are numbered in a topological
 * order: a node is its number, and each edge leads to a higher one.
 *
 * A query compares interval labels of two depth-first traversals, which settle
 * most pairs, and then searches backwards within a budget.  A pair that exceeds
 * the budget is left to plait__reach_sweep, which proves any number of pairs
 * with bit sets of 256 origins at a time.
 */
#ifndef PLAIT_SRC_PLAN_CHECK_REACH_H
#define PLAIT_SRC_PLAN_CHECK_REACH_H

#include "plan/check/check_state.h"

enum {
	PLAIT__REACH_NO = 0,
	PLAIT__REACH_YES = 1,
	PLAIT__REACH_UNKNOWN = 2	/* the budget is spent */
};

/* Interval of one traversal against the edges.  `rank` counts nodes as they are
 * left; `start` is the count at entry; `low` is the lowest rank among the node
 * and its ancestors. */
typedef struct plait__reach_label {
	uint32_t low;
	uint32_t start;
	uint32_t rank;
} plait__reach_label;

typedef struct plait__reach {
	plait__check *check;
	uint32_t count;
	const uint32_t *first;		/* by node, plus one: index in from */
	const uint32_t *from;		/* direct predecessors */
	uint32_t *root;			/* by node: the node that every path
					 * from it leads to first that has not
					 * exactly one successor */
	uint32_t *anchor;		/* by node: the same backwards */
	uint32_t *successors;		/* by node: their number */
	plait__reach_label *labels[2];
	uint32_t *seen;			/* by node: the last search there */
	uint32_t *stack;
	uint32_t search;
	uint64_t budget;		/* steps left for all searches */
	uint32_t limit;			/* steps of one search */
} plait__reach;

/* A pair to be proved: `before` reaches `after`. */
typedef struct plait__reach_pair {
	uint32_t before;
	uint32_t after;
} plait__reach_pair;

/* Prepare queries; `first` and `from` are borrowed.  Memory is the check's. */
plait_status plait__reach_init(plait__reach *reach, plait__check *check,
			       uint32_t count, const uint32_t *first,
			       const uint32_t *from);

/* Answer PLAIT__REACH_...: does a path lead from `before` to `after`?  A node
 * reaches itself. */
uint32_t plait__reach_query(plait__reach *reach, uint32_t before,
			    uint32_t after);

/* Prove pairs; *out_bad is the index of a pair without a path, or
 * PLAIT__NONE.  PLAIT_E_NOMEM alone is a failure. */
plait_status plait__reach_sweep(plait__reach *reach,
				const plait__reach_pair *pairs, uint32_t count,
				uint32_t *out_bad);

#endif
