/* SPDX-License-Identifier: MIT */
/* Promises of collectives: the input chunks that an output chunk shall hold. */
#ifndef PLAIT_SRC_COLL_PROVE_VALUE_PROMISE_H
#define PLAIT_SRC_COLL_PROVE_VALUE_PROMISE_H

#include "coll/prove/proof_state.h"
#include "coll/prove/value_terms.h"

typedef struct plait__value_promise {
	const plait__proof_state *state;
	uint32_t kind, root;
	const plait__coll_promise *promises; /* CUSTOM only */
	const plait__coll_source *sources;
	uint64_t promise_count, source_count;
	uint64_t next;		/* CUSTOM: the promise to look at */
	plait__vector keys;	/* scratch of a custom promise */
	plait__vector spans;
} plait__value_promise;

void plait__value_promise_init(plait__value_promise *promise,
			       const plait__proof_state *state);
void plait__value_promise_fini(plait__value_promise *promise);

/* Refuse sizes of buffers, or promises, that the collective cannot have. */
plait_status plait__value_promise_check(plait__value_promise *promise,
					plait__proof_state *state);

/*
 * Find the promise of an output chunk; chunks are asked for in the order of rank
 * and index.  *out has no span where anything may be; valid until the next call.
 * Returns 0, or -1 without memory.
 */
int plait__value_promise_set(plait__value_promise *promise, uint32_t rank,
			     uint32_t index, plait__value_set *out);

/* Returns true if the input of the rank holds values: of a broadcast and a
 * scatter only that of the root does. */
bool plait__value_promise_has_input(const plait__value_promise *promise,
				    uint32_t rank);

/* Returns true if the collective promises all ranks the same output. */
bool plait__value_promise_is_replicated(const plait__value_promise *promise);

/* Returns the name of a collective, or "?". */
const char *plait__value_promise_name(uint32_t kind);

#endif
