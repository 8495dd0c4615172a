/* SPDX-License-Identifier: MIT */
/*
 * Memory conflicts between two runs of one plan.  Runs share the buffers that
 * the plan names; a run has its parameters, scratch and temporaries for itself.
 * Found once per program; run_turns.h orders runs by it.
 */
#ifndef PLAIT_SRC_RUN_RUN_CONFLICTS_H
#define PLAIT_SRC_RUN_RUN_CONFLICTS_H

#include "plait/base.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct plait__program plait__program;
typedef struct plait__instance plait__instance;

enum {
	PLAIT__CONFLICTS_NEVER = 0,
	/* The plan writes a buffer that it names. */
	PLAIT__CONFLICTS_ALWAYS = 1,
	/* The plan writes a parameter: the bound buffers decide. */
	PLAIT__CONFLICTS_BY_BUFFER = 2
};

/* Bytes that one parameter of a run may access: of a root buffer; of wrapped
 * native memory; or of the host's memory, which several buffers may wrap. */
typedef struct plait__bound_range {
	const void *root;	/* null: `first` and `end` are addresses */
	uint64_t native;	/* the handle, or 0 */
	uint64_t first;
	uint64_t end;
} plait__bound_range;

/* A parameter that brings memory. */
typedef struct plait__memory_param {
	uint32_t param;
	bool written;
} plait__memory_param;

typedef struct plait__run_conflicts {
	uint32_t kind;		/* PLAIT__CONFLICTS_... */
	/* BY_BUFFER: the memory parameters, and room for their ranges in each
	 * instance. */
	plait__memory_param *params;
	uint32_t param_count;
	plait__bound_range *ranges;
} plait__run_conflicts;

/* Fill program->conflicts: NEVER for a rehearsal and for one instance.  Free it
 * after a failure, too: PLAIT_E_NOMEM. */
plait_status plait__run_conflicts_find(plait__program *program,
				       plait_error *error);
void plait__run_conflicts_free(plait__program *program);

/* Note the buffers that a run has bound, for conflicts BY_BUFFER: before other
 * runs may compare with it, or under turns.lock. */
void plait__run_conflicts_note(const plait__instance *instance);

/* Returns true if one of two runs, both noted, writes memory that the other
 * one accesses, or that the plan names. */
bool plait__run_conflicts_between(const plait__instance *one,
				  const plait__instance *other);

#endif
