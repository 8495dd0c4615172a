/* SPDX-License-Identifier: MIT */
/*
 * Failures of a flow: which ops failed or were not run, and why.  A failing
 * thread stores its entry before the op is done, so a thread that sees the op
 * done sees the entry.  A flow without failures costs its readers one load.
 *
 * An op that failed by itself makes a cause; the ops that were not run for it
 * refer to the same cause.  While an op has an entry of the ring, its cause is
 * there, so that storing cannot fail.  The submitter moves it to a table before
 * it reuses the entry, and drops what nothing refers to.
 */
#ifndef PLAIT_SRC_FLOW_LANES_OUTCOMES_H
#define PLAIT_SRC_FLOW_LANES_OUTCOMES_H

#include "plait/base.h"

#include "flow/lanes/op_ring.h"

#include "sys/atomic.h"
#include "sys/mutex.h"

/* Causes that are kept until they are told. */
enum { PLAIT__OUTCOMES_UNTOLD = 256 };

typedef struct plait__cause {
	struct plait__cause *next;
	uint64_t number;
	bool told;
	bool used; /* while entries are dropped */
	plait_error why;
} plait__cause;

typedef struct plait__outcome {
	uint64_t number; /* 0: free */
	plait__cause *cause;
	bool used; /* while entries are dropped */
} plait__outcome;

typedef struct plait__outcomes {
	const plait_allocator *allocator;
	plait__op_ring ring;
	/* Failed ops; written under the lock, read without it. */
	at_u64 count;
	/* Guards the fields below and those of the ring's entries; a leaf lock,
	 * but for the allocator. */
	struct plait__mutex lock;
	/* Those without an entry of the ring. */
	plait__outcome *entries;
	uint64_t entry_count;
	uint64_t capacity; /* a power of two */
	uint64_t reserved; /* calls of reserve since entries were dropped */
	plait__cause *causes;
	uint32_t untold;
	plait__cause unknown; /* without memory for a cause */
} plait__outcomes;

/* Zeroed memory; returns false without memory. */
bool plait__outcomes_init(plait__outcomes *outcomes,
			  const plait_allocator *allocator,
			  const plait__op_ring *ring);
void plait__outcomes_fini(plait__outcomes *outcomes);

/* Returns true if no op has failed: none that the caller has seen done. */
static inline bool plait__outcomes_are_clean(const plait__outcomes *outcomes)
{
	/* Relaxed: ordered by the word of the op. */
	return at_load_relaxed_u64(&outcomes->count) == 0;
}

/* The op failed: `why` has the text behind its name; `label` may be null.  By the
 * thread that finishes the op, before it does. */
void plait__outcomes_fail(plait__outcomes *outcomes, uint64_t number,
			  const char *label, const plait_error *why);

/* A cancellation, whose number is larger than that of any op: ops that are
 * cancelled follow it.  Returns false without memory. */
bool plait__outcomes_cancel(plait__outcomes *outcomes, uint64_t number);

/* If op `pred` failed or was not run, so is `number`; returns true then. */
bool plait__outcomes_follow(plait__outcomes *outcomes, uint64_t pred,
			    uint64_t number);

/* Returns true if the op failed or was not run. */
bool plait__outcomes_has(plait__outcomes *outcomes, uint64_t number);

/* Returns true if the op failed by itself. */
bool plait__outcomes_is_cause(plait__outcomes *outcomes, uint64_t number);

/* Tell the failure of an op: PLAIT_OK if it has none.  Its cause counts as told
 * from then on. */
plait_status plait__outcomes_tell(plait__outcomes *outcomes, uint64_t number,
				  plait_error *error);

/* The same, but it still counts as untold. */
plait_status plait__outcomes_peek(plait__outcomes *outcomes, uint64_t number,
				  plait_error *error);

/* Tell the first failure that was not told; PLAIT_OK if there is none. */
plait_status plait__outcomes_tell_first(plait__outcomes *outcomes,
					plait_error *error);

/*
 * The submitter's, when it has room for ops and before it numbers them: keep
 * room in the table for all ops of the ring.  `visit(arg)` calls
 * plait__outcomes_keep for each op on which a later task may still depend.
 * Returns false without memory.  A new table has room for one op.
 */
bool plait__outcomes_reserve(plait__outcomes *outcomes,
			     void (*visit)(void *arg), void *arg);
/* The entry of the ring gets a new op: its failure goes to the table. */
void plait__outcomes_retire(plait__outcomes *outcomes, plait__op *op);
void plait__outcomes_keep(plait__outcomes *outcomes, uint64_t number);

#endif
