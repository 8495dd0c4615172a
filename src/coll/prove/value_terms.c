/* SPDX-License-Identifier: MIT */
/* Symbolic values: hash table of sums, union of disjoint sets of spans. */
#include "coll/prove/value_terms.h"

#include "base/alloc.h"

#include <stdbool.h>

enum { FIRST_TABLE_SIZE = 1024, MAX_SPANS = 1 << 27 };

typedef struct sum_term {
	uint32_t left, right;	/* left <= right */
	uint32_t first_span, span_count;
} sum_term;

int plait__value_terms_init(plait__value_terms *terms,
			    const plait__schedule *schedule)
{
	*terms = (plait__value_terms){ .schedule = schedule,
				       .allocator = schedule->allocator };
	plait__vector_init(&terms->sums, terms->allocator, sizeof(sum_term));
	plait__vector_init(&terms->spans, terms->allocator,
			   sizeof(plait__value_span));
	terms->first_input = plait__alloc_array(terms->allocator,
						schedule->rank_count,
						sizeof(uint32_t));
	terms->table = plait__alloc_array(terms->allocator, FIRST_TABLE_SIZE,
					  sizeof(uint32_t));
	if (terms->first_input == NULL || terms->table == NULL)
		return -1;
	terms->table_size = FIRST_TABLE_SIZE;
	for (uint32_t i = 0; i < schedule->rank_count; i++) {
		terms->first_input[i] = terms->input_count;
		terms->input_count += schedule->ranks[i].input_chunks;
	}
	return 0;
}

void plait__value_terms_fini(plait__value_terms *terms)
{
	plait__free(terms->allocator, terms->first_input,
		    terms->schedule->rank_count * sizeof(uint32_t));
	plait__free(terms->allocator, terms->table,
		    (terms->table_size ? terms->table_size : FIRST_TABLE_SIZE) *
			    sizeof(uint32_t));
	plait__vector_fini(&terms->sums);
	plait__vector_fini(&terms->spans);
}

/* ---- sets ---- */

/* Returns the rank of an input chunk, by bisection. */
static uint32_t rank_of(const plait__value_terms *terms, uint32_t value)
{
	uint32_t low = 0, high = terms->schedule->rank_count;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (terms->first_input[middle] <= value)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static plait__value_set set_of(const plait__value_terms *terms, uint32_t value,
			       plait__value_span *single)
{
	const sum_term *at;
	uint32_t rank;

	if (value < terms->input_count) {
		rank = rank_of(terms, value);
		single->begin = (uint64_t)(value - terms->first_input[rank]) *
					terms->schedule->rank_count + rank;
		single->end = single->begin + 1;
		return (plait__value_set){ single, 1 };
	}
	at = plait__vector_at(&terms->sums, value - terms->input_count);
	return (plait__value_set){ plait__vector_at(&terms->spans,
						    at->first_span),
				   at->span_count };
}

plait__value_set plait__value_terms_set(plait__value_terms *terms,
					uint32_t value)
{
	return set_of(terms, value, &terms->single);
}

/* Append a span, or lengthen the last one of the `count` so far. */
static void append(plait__value_span *to, uint32_t *count,
		   plait__value_span span)
{
	if (*count > 0 && to[*count - 1].end == span.begin)
		to[*count - 1].end = span.end;
	else
		to[(*count)++] = span;
}

/* Unite two sets into `to`, which has room for both. */
static enum plait__value_result unite(plait__value_set left,
				      plait__value_set right,
				      plait__value_span *to, uint32_t *count,
				      uint64_t *out_key)
{
	uint32_t i = 0, k = 0;

	while (i < left.count || k < right.count) {
		bool is_left = k == right.count ||
			       (i < left.count && left.spans[i].begin <
							  right.spans[k].begin);
		plait__value_span span = is_left ? left.spans[i++] :
						   right.spans[k++];

		if (*count > 0 && to[*count - 1].end > span.begin) {
			*out_key = span.begin;
			return PLAIT__VALUE_DUPLICATE;
		}
		append(to, count, span);
	}
	return PLAIT__VALUE_OK;
}

static enum plait__value_result unite_operands(plait__value_terms *terms,
					       sum_term *item, uint64_t *out_key)
{
	enum plait__value_result result;
	uint32_t room, count = 0;

	room = set_of(terms, item->left, &terms->single).count +
	       set_of(terms, item->right, &terms->other).count;
	item->first_span = terms->spans.count;
	if (terms->spans.count > MAX_SPANS - room ||
	    plait__vector_extend(&terms->spans, room) == NULL)
		return PLAIT__VALUE_NO_MEMORY;
	result = unite(set_of(terms, item->left, &terms->single),
		       set_of(terms, item->right, &terms->other),
		       plait__vector_at(&terms->spans, item->first_span),
		       &count, out_key);
	item->span_count = count;
	plait__vector_truncate(&terms->spans, item->first_span + count);
	return result;
}

/* ---- sums ---- */

static uint32_t hash(uint32_t left, uint32_t right)
{
	uint64_t word = ((uint64_t)left << 32 | right) *
			UINT64_C(0x9e3779b97f4a7c15);

	return (uint32_t)(word >> 32);
}

/* Returns the entry of the sum, or the free one where it belongs. */
static uint32_t *find(const plait__value_terms *terms, uint32_t *table,
		      uint32_t size, uint32_t left, uint32_t right)
{
	uint32_t place = hash(left, right) & (size - 1);

	for (; table[place] != 0; place = (place + 1) & (size - 1)) {
		const sum_term *at = plait__vector_at(&terms->sums,
						 table[place] - 1);

		if (at->left == left && at->right == right)
			break;
	}
	return &table[place];
}

static int grow_table(plait__value_terms *terms)
{
	uint32_t size = terms->table_size * 2;
	uint32_t *table;

	if (terms->sums.count < terms->table_size / 2)
		return 0;
	table = plait__alloc_array(terms->allocator, size, sizeof(*table));
	if (table == NULL)
		return -1;
	for (uint32_t i = 0; i < terms->sums.count; i++) {
		const sum_term *at = plait__vector_at(&terms->sums, i);

		*find(terms, table, size, at->left, at->right) = i + 1;
	}
	plait__free(terms->allocator, terms->table,
		    terms->table_size * sizeof(*table));
	terms->table = table;
	terms->table_size = size;
	return 0;
}

enum plait__value_result plait__value_sum(plait__value_terms *terms,
					  uint32_t left, uint32_t right,
					  uint32_t *out_value,
					  uint64_t *out_key)
{
	sum_term item = { left < right ? left : right,
		     left < right ? right : left, 0, 0 };
	enum plait__value_result result;
	uint32_t *entry;

	if (grow_table(terms))
		return PLAIT__VALUE_NO_MEMORY;
	entry = find(terms, terms->table, terms->table_size, item.left,
		     item.right);
	if (*entry == 0) {
		result = unite_operands(terms, &item, out_key);
		if (result)
			return result;
		if (!PLAIT__VECTOR_ADD(&terms->sums, &item))
			return PLAIT__VALUE_NO_MEMORY;
		*entry = terms->sums.count;
	}
	*out_value = terms->input_count + *entry - 1;
	return PLAIT__VALUE_OK;
}
