/* SPDX-License-Identifier: MIT */
/*
 * Inside the check: what its parts share.  Nothing here or in check*.c and
 * obligations.c uses the planner's code.
 *
 * Every promise about order becomes an *obligation*: command a happens before
 * command b of the same body.  Those that one look cannot settle are proved
 * together, with vector clocks, for 64 chains of commands at a time.
 */
#ifndef PLAIT_SRC_PLAN_CHECK_OBLIGATIONS_H
#define PLAIT_SRC_PLAN_CHECK_OBLIGATIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "plan/check/check.h"

/* Why a must come before b; the texts are in obligations.c. */
enum {
	PLAIT__OBLIGATION_PRED = 0,
	PLAIT__OBLIGATION_EDGE = 1,
	PLAIT__OBLIGATION_STUB = 2,
	PLAIT__OBLIGATION_ACCESS = 3,
	PLAIT__OBLIGATION_SCRATCH = 4,
	PLAIT__OBLIGATION_LOOP = 5,
	PLAIT__OBLIGATION_REDUNDANT = 6	/* asked, not promised: a wait */
};

typedef struct plait__obligation {
	uint32_t before;
	uint32_t after;
	uint32_t why;
} plait__obligation;

typedef struct plait__check_block {
	void *pointer;
	uint64_t bytes;
} plait__check_block;

enum { PLAIT__CHECK_BLOCKS = 64 };

typedef struct plait__check {
	const plait__plan *plan;
	const plait__input *input;
	const plait_allocator *allocator;
	plait__check_report *report;
	plait_error *error;

	uint32_t *body_of;		/* by command */
	uint32_t *sequence;		/* by command: where in its order */
	uint32_t *track_of;		/* by lane: scratch for one body */
	uint32_t *wait_target;		/* by wait: the command */
	uint32_t *node_first;		/* by node and one more */
	uint32_t *node_commands;	/* commands of each node, no stubs */
	uint32_t *chain;		/* by command: its chain */
	uint32_t *link;			/* by command: number in its chain */
	uint32_t chain_count;
	uint32_t *newest;		/* by chain: link + 1, for one after */
	uint32_t *newest_for;		/* by chain: that after, + 1 */
	uint32_t newest_after;		/* the after they are filled for, + 1 */
	uint32_t *depth;		/* by body: of nesting */

	plait__obligation *obligations;
	uint64_t obligation_bytes;
	uint32_t obligation_count;

	plait__check_block blocks[PLAIT__CHECK_BLOCKS];
	uint32_t block_count;
} plait__check;

/* Zeroed memory until the end of the check; null when there is none. */
void *plait__check_take(plait__check *check, uint64_t count, uint64_t each);
plait_status plait__check_no_memory(plait__check *check);
/* "node 7 'name' (file:line)", or "command 7". */
enum { PLAIT__CHECK_TEXT_BYTES = 96 };
const char *plait__check_name(const plait__check *check, uint32_t command,
			      char text[PLAIT__CHECK_TEXT_BYTES]);
/* What is said of the memory that two commands use: its buffer, if one is
 * known. */
const char *plait__check_memory(const plait__check *check, uint32_t before,
				uint32_t after,
				char text[PLAIT__CHECK_TEXT_BYTES]);
/* False of what has no bytes, as a copy of none: it conflicts with nothing. */
bool plait__check_touches(const plait__plan *plan,
			  const plait__plan_access *access);
/* PLAIT_E_INVALID with a text that starts with the command's name. */
plait_status plait__check_fail(plait__check *check, uint32_t command,
			       const char *what);

/* structure.c: every index is in range, every part in its place. */
plait_status plait__structure_check(plait__check *check);
/* deadlock.c: `order` fits lanes, waits and preds; signals; exits. */
plait_status plait__deadlock_check(plait__check *check);
/* segment_convexity.c: no path leaves a segment and comes back. */
plait_status plait__segment_convexity_check(plait__check *check);
/* against_graph.c: edges and meanings of the graph. */
plait_status plait__against_graph_check(plait__check *check);
/* rotation_scope.c: what is said of iterations is said where there are some. */
plait_status plait__rotation_scope_check(plait__check *check);
/* accesses.c: accesses, and then scratch. */
plait_status plait__accesses_check(plait__check *check);
/*
 * accesses.c: a must come before b, whatever bodies they are in.  *exclusive
 * (null: who cares) tells that nothing is to be ordered: they are in two
 * branches of one case, which never meet.
 */
plait_status plait__accesses_order(plait__check *check, uint32_t a, uint32_t b,
				   uint32_t why, bool *exclusive);
/* scratch_aliasing.c: arenas, with all commands in an order that fits. */
plait_status plait__scratch_aliasing_check(plait__check *check,
					   const uint32_t *timeline);
/* totals.c: makespans, edges, what segments cost, arenas. */
plait_status plait__totals_check(plait__check *check);

/* What the order graph has into a command, beside its place on its lane. */
typedef struct plait__obligations_edges {
	const uint32_t *targets;
	uint32_t first;
	uint32_t last;
} plait__obligations_edges;

static inline plait__obligations_edges
plait__obligations_in_edges(const plait__check *check, uint32_t c)
{
	const plait__plan_command *command = &check->plan->commands[c];
	plait__obligations_edges e;

	if (check->plan->mode == PLAIT__MODE_HELPED) {
		e.targets = check->plan->preds;
		e.first = command[0].pred_first;
		e.last = command[1].pred_first;
	} else {
		e.targets = check->wait_target;
		e.first = command[0].wait_first;
		e.last = command[1].wait_first;
	}
	return e;
}

static inline bool plait__obligations_has_lane_pred(const plait__check *check,
						    uint32_t c)
{
	return check->plan->mode == PLAIT__MODE_STRICT &&
	       check->plan->commands[c].position > 0;
}

/* obligations.c: find the chains; add an obligation, unless one look settles it. */
plait_status plait__obligations_find_chains(plait__check *check);
plait_status plait__obligations_add(plait__check *check, uint32_t before,
				    uint32_t after, uint32_t why);
/* Why it is not so. */
plait_status plait__obligations_fail(plait__check *check, uint32_t before,
				     uint32_t after, uint32_t why);
/* clock_sweeps.c: prove all that were added. */
plait_status plait__clock_sweeps_run(plait__check *check);

#endif
