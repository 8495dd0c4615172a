/* SPDX-License-Identifier: MIT */
/*
 * Ops of a flow, in a ring of W entries: op n is in entry n modulo W.  The
 * submitter fills an entry and publishes it; the thread that claims it runs it
 * and marks it as done.  Op n is numbered only when op n - W is done, so an op
 * below newest - W is done whatever its entry holds now.
 *
 * `word` only grows: 4n + PUBLISHED, TAKEN, DONE.  A comparison with it is all
 * that a thread with an old number needs: of a reused entry the word is larger.
 * An unpublished op keeps the word of op n - W.
 */
#ifndef PLAIT_SRC_FLOW_LANES_OP_RING_H
#define PLAIT_SRC_FLOW_LANES_OP_RING_H

#include "plait/kernel.h"

#include "pool/cacheline.h"
#include "sys/atomic.h"

#include <string.h>

enum { PLAIT__OP_PREDS = 10 };

/* States; 0 is that of an entry that was never used. */
enum { PLAIT__OP_PUBLISHED = 1, PLAIT__OP_TAKEN = 2, PLAIT__OP_DONE = 3 };

/* Kinds. */
enum {
	PLAIT__OP_MARK,	 /* no call: joins its predecessors */
	PLAIT__OP_CALL,	 /* call.host(user_data) */
	PLAIT__OP_LAUNCH, /* call.kernel(arguments, launch, user_data) */
	/* call.begin(user_data, n): PLAIT_PENDING if another thread will
	 * finish the op.  With number 0 the op is not run, and the function
	 * frees what the submitter has prepared. */
	PLAIT__OP_ASYNC
};

typedef plait_status (*plait__op_begin)(void *user_data, uint64_t number,
					plait_error *error);

/* Bits of `meta`: kind, number of preds, which are true; PREFIX: ready when all
 * ops before are done; ALWAYS: it cannot be cancelled; SPOILED: its failure is
 * in the outcomes already, and it is not run; OUTSIDE: a signal or an inbox ends
 * it; PART: it stands for its predecessor, a run, and was done from the
 * beginning. */
enum {
	PLAIT__OP_COUNT_SHIFT = 8,
	PLAIT__OP_TRUE_SHIFT = 12,
	PLAIT__OP_PREFIX = 1 << 24,
	PLAIT__OP_ALWAYS = 1 << 25,
	PLAIT__OP_SPOILED = 1 << 26,
	PLAIT__OP_OUTSIDE = 1 << 27,
	PLAIT__OP_PART = 1 << 28
};

_Static_assert(PLAIT__OP_TRUE_SHIFT + PLAIT__OP_PREDS <= 24, "bits of meta");

typedef union plait__op_call {
	plait_host_function host;
	plait_kernel_function kernel;
	plait__op_begin begin;
} plait__op_call;

/* The work of an op, before it has an entry. */
typedef struct plait__op_work {
	plait__op_call call;
	void **arguments;
	const plait_launch *launch;
	void *user_data;
} plait__op_work;

typedef struct plait__op {
	PLAIT__CACHELINE_ALIGNED at_u64 word;
	/* Written before the word is PUBLISHED; `meta` and `preds` are read
	 * before the claim, which fails if the entry was reused meanwhile. */
	at_u64 meta;
	plait__op_call call;
	void *user_data;
	/* The newest op of the entry for whose end a thread waits, or did.  Only
	 * grows: the entry may be reused before the thread that ends the op
	 * reads it. */
	at_u64 awaited;
	/* Low halves: a pred is less than W ops older (plait__op_pred).  The
	 * first six are in the first line: a claim of a call reads no other. */
	at_u32 preds[PLAIT__OP_PREDS];
	void **arguments;
	const plait_launch *launch;
	const char *label;
	uint64_t cells_end; /* the submitter's: see window.h */
	/* Not null: op `failed`, which has the entry, failed; outcomes.h. */
	struct plait__cause *cause;
	uint64_t failed;
} plait__op;

_Static_assert(sizeof(plait__op) == 128, "two cache lines");

typedef struct plait__op_ring {
	plait__op *ops;
	uint64_t mask; /* W - 1 */
} plait__op_ring;

static inline plait__op *plait__op_at(const plait__op_ring *ring,
				      uint64_t number)
{
	return &ring->ops[number & ring->mask];
}

/* Returns true if the op is done: the caller sees what it wrote. */
static inline bool plait__op_is_done(const plait__op_ring *ring,
				     uint64_t number)
{
	/* Acquire: pairs with plait__op_set_done. */
	return at_load_acquire_u64(&plait__op_at(ring, number)->word) >=
	       4 * number + PLAIT__OP_DONE;
}

/* The runner's last access to the entry. */
static inline void plait__op_set_done(const plait__op_ring *ring,
				      uint64_t number)
{
	/* Release: pairs with plait__op_is_done. */
	at_store_release_u64(&plait__op_at(ring, number)->word,
			     4 * number + PLAIT__OP_DONE);
}

static inline uint32_t plait__op_kind(uint64_t meta)
{
	return meta & 0xff;
}

/* Returns true for a function or a kernel of the program. */
static inline bool plait__op_is_function(uint64_t meta)
{
	return plait__op_kind(meta) == PLAIT__OP_CALL ||
	       plait__op_kind(meta) == PLAIT__OP_LAUNCH;
}

/* Its address. */
static inline uint64_t plait__op_function(const plait__op *op)
{
	uint64_t function = 0;

	_Static_assert(sizeof(op->call) <= sizeof(function), "a pointer");
	memcpy(&function, &op->call, sizeof(op->call));
	return function;
}

static inline uint32_t plait__op_pred_count(uint64_t meta)
{
	return meta >> PLAIT__OP_COUNT_SHIFT & 0xf;
}

static inline bool plait__op_pred_is_true(uint64_t meta, uint32_t i)
{
	return (meta >> PLAIT__OP_TRUE_SHIFT >> i & 1) != 0;
}

/* Pred i of op `number`. */
static inline uint64_t plait__op_pred(const plait__op *op, uint64_t number,
				      uint32_t i)
{
	/* Relaxed: published with the word. */
	uint32_t low = at_load_relaxed_u32(&op->preds[i]);

	return number - (uint32_t)((uint32_t)number - low);
}

static inline void plait__op_set_pred(plait__op *op, uint32_t i, uint64_t pred)
{
	/* Relaxed: published with the word. */
	at_store_relaxed_u32(&op->preds[i], (uint32_t)pred);
}

#endif
