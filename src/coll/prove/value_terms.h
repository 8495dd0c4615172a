/* SPDX-License-Identifier: MIT */
/*
 * Symbolic values: an input chunk, or the sum of two values.
 *
 * Equal expressions have equal numbers, with the operands of a sum in either
 * order, because a sum of floating-point numbers does not depend on it.  Each
 * value knows its set of input chunks, as sorted spans of keys; the key of chunk
 * `index` of `rank` is index * ranks + rank, so that the sum over all ranks is
 * one span.
 */
#ifndef PLAIT_SRC_COLL_PROVE_VALUE_TERMS_H
#define PLAIT_SRC_COLL_PROVE_VALUE_TERMS_H

#include "base/vector.h"
#include "coll/schedule/schedule.h"

enum { PLAIT__VALUE_NONE = UINT32_MAX };

typedef struct plait__value_span {
	uint64_t begin, end;	/* keys */
} plait__value_span;

typedef struct plait__value_set {
	const plait__value_span *spans; /* moves when a value is made */
	uint32_t count;
} plait__value_set;

typedef struct plait__value_terms {
	const plait__schedule *schedule;
	const plait_allocator *allocator;
	uint32_t *first_input;	/* by rank: the value of its first input chunk */
	uint32_t input_count;	/* values below are input chunks */
	plait__vector sums;
	plait__vector spans;
	uint32_t *table;	/* hash table of sums, by number + 1 */
	uint32_t table_size;	/* a power of 2 */
	plait__value_span single; /* of the last input chunk asked for */
	plait__value_span other;
} plait__value_terms;

enum plait__value_result {
	PLAIT__VALUE_OK,
	PLAIT__VALUE_DUPLICATE,	/* both operands have the same input chunk */
	PLAIT__VALUE_NO_MEMORY
};

/* Returns 0, or -1 without memory; fini is valid after both. */
int plait__value_terms_init(plait__value_terms *terms,
			    const plait__schedule *schedule);
void plait__value_terms_fini(plait__value_terms *terms);

/* Returns the value of an input chunk. */
static inline uint32_t plait__value_input(const plait__value_terms *terms,
					  uint32_t rank, uint32_t index)
{
	return terms->first_input[rank] + index;
}

/* Find or make the sum of two values.  After PLAIT__VALUE_DUPLICATE, *out_key
 * is the common input chunk. */
enum plait__value_result plait__value_sum(plait__value_terms *terms,
					  uint32_t left, uint32_t right,
					  uint32_t *out_value,
					  uint64_t *out_key);

/* Returns the input chunks of a value, valid until the next call. */
plait__value_set plait__value_terms_set(plait__value_terms *terms,
					uint32_t value);

#endif
