/* SPDX-License-Identifier: MIT */
/*
 * State of one check, shared by its phases: the plan, tables by command, and
 * the memory blocks that are freed when the check ends.
 */
#ifndef PLAIT_SRC_PLAN_CHECK_CHECK_STATE_H
#define PLAIT_SRC_PLAN_CHECK_CHECK_STATE_H

#include "plan/check/check.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct plait__obligation {
	uint32_t before;
	uint32_t after;
	uint32_t why;
} plait__obligation;

typedef struct plait__check_block {
	void *pointer;
	uint64_t bytes;
} plait__check_block;

/* More than the allocations of all phases, which are about 60. */
enum { PLAIT__CHECK_BLOCKS = 96 };

typedef struct plait__check {
	const plait__plan *plan;
	const plait__input *input;
	const plait_allocator *allocator;
	plait__check_report *report;
	plait_error *error;

	/* Allocated by structure.c, which fills all but `sequence`
	 * (deadlock.c). */
	uint32_t *body_of;		/* by command */
	uint32_t *sequence;		/* by command: its index in `order` */
	uint32_t *track_of;		/* by lane: temporary, for one body */
	uint32_t *wait_target;		/* by wait: the command waited for */
	uint32_t *node_first;		/* by node, plus one sentinel */
	uint32_t *node_commands;	/* commands of each node, without
					 * stubs */
	/* By obligations.c. */
	uint32_t *chain;		/* by command: its chain */
	uint32_t *link;			/* by command: its index in the chain */
	uint32_t chain_count;
	uint32_t *newest;		/* by chain: 1 + the newest link among
					 * the direct predecessors of one
					 * command */
	uint32_t *newest_for;		/* by chain: 1 + the command that
					 * `newest` is valid for */
	uint32_t newest_after;		/* 1 + the command that was filled in
					 * last */
	uint32_t *depth;		/* by body: nesting depth; structure.c */

	plait__obligation *obligations;
	uint64_t obligation_bytes;
	uint32_t obligation_count;

	plait__check_block blocks[PLAIT__CHECK_BLOCKS];
	uint32_t block_count;
} plait__check;

/* Allocate zeroed memory that lives until the check ends; null if there is
 * none, not for 0 elements. */
void *plait__check_alloc(plait__check *check, uint64_t count, uint64_t each);
plait_status plait__check_no_memory(plait__check *check);
/* "node 7 'name' (file:line)", or "command 7". */
enum { PLAIT__CHECK_TEXT_BYTES = 112 };
const char *plait__check_name(const plait__check *check, uint32_t command,
			      char text[PLAIT__CHECK_TEXT_BYTES]);
/* The same of a node with this label, file (both maybe "") and line; the label
 * and the file are cut to `limit` bytes. */
const char *plait__check_node_name(uint32_t node, const char *label,
				   const char *file, uint32_t line,
				   uint32_t limit,
				   char text[PLAIT__CHECK_TEXT_BYTES]);
/* Returns false if the access has no bytes (as a copy of size 0): it conflicts
 * with nothing. */
bool plait__check_touches(const plait__plan *plan,
			  const plait__plan_access *access);
/* Accesses of a node: the tables' elements [first, first + count). */
typedef struct plait__check_accesses {
	uint32_t first;
	uint32_t count;
} plait__check_accesses;

plait__check_accesses plait__check_accesses_of(const plait__plan *plan,
					      uint32_t command);
/* Free all memory of the check. */
void plait__check_free_all(plait__check *check);
/* Fail with PLAIT_E_INVALID; the text is "PART INDEX: WHAT". */
plait_status plait__check_fail_part(plait__check *check, const char *part,
				    uint32_t index, const char *what);
/* Fail with PLAIT_E_INVALID; the text begins with the command's name. */
plait_status plait__check_fail(plait__check *check, uint32_t command,
			       const char *what);

#endif
