/* SPDX-License-Identifier: MIT */
/* Inputs and promised outputs of collectives; see coll_data.h. */
#include "coll_data.h"

#include <stdlib.h>
#include <string.h>

const char *const coll_types[] = { "f32", "f64", "f16", "bf16", "i8", "i16",
				   "i32", "i64", "u8", "u16", "u32", "u64",
				   NULL };
const char *const coll_reductions[] = { "sum", "prod", "min", "max", NULL };

static const struct {
	plait_element element;
	uint32_t bits;
} types[] = {
	{ PLAIT_ELEMENT_FLOAT, 32 }, { PLAIT_ELEMENT_FLOAT, 64 },
	{ PLAIT_ELEMENT_FLOAT, 16 }, { PLAIT_ELEMENT_BFLOAT, 16 },
	{ PLAIT_ELEMENT_INT, 8 }, { PLAIT_ELEMENT_INT, 16 },
	{ PLAIT_ELEMENT_INT, 32 }, { PLAIT_ELEMENT_INT, 64 },
	{ PLAIT_ELEMENT_UINT, 8 }, { PLAIT_ELEMENT_UINT, 16 },
	{ PLAIT_ELEMENT_UINT, 32 }, { PLAIT_ELEMENT_UINT, 64 },
};

void coll_data_describe(const struct coll_data *data,
			plait_collective_desc *desc)
{
	desc->element = types[data->type].element;
	desc->element_bits = types[data->type].bits;
	desc->reduction = data->reduction;
	desc->count = data->count;
}

uint32_t coll_data_element_bytes(const struct coll_data *data)
{
	return types[data->type].bits / 8;
}

/* ---- sizes ---- */

static bool is_in_place(const struct coll_data *data)
{
	return data->info.flags & PLAIT_SCHEDULE_IN_PLACE;
}

static uint64_t elements_of(const struct coll_data *data, uint64_t chunks)
{
	uint64_t share = data->info.share_chunks;

	return chunks / share * data->count +
	       chunks % share * data->count / share;
}

uint64_t coll_data_elements(const struct coll_data *data, bool output)
{
	uint64_t input_elements = elements_of(data, data->info.input_chunks);
	uint64_t output_elements = elements_of(data, data->info.output_chunks);

	if (is_in_place(data))
		return input_elements > output_elements ? input_elements :
							  output_elements;
	return output ? output_elements : input_elements;
}

/* Where the input, or the output, of a rank begins in memory that both share:
 * the smaller one is the rank's own part of the larger one. */
static uint64_t offset_of(const struct coll_data *data, uint32_t rank,
			  bool output)
{
	bool output_is_part = data->info.kind == PLAIT_COLL_REDUCE_SCATTER ||
			      data->info.kind == PLAIT_COLL_SCATTER;
	bool input_is_part = data->info.kind == PLAIT_COLL_ALLGATHER ||
			     data->info.kind == PLAIT_COLL_GATHER;

	if (!is_in_place(data) || !(output ? output_is_part : input_is_part))
		return 0;
	return rank * data->count;
}

/* ---- values ---- */

static int64_t input_value(const struct coll_data *data, uint32_t rank,
			   uint64_t at)
{
	switch (data->reduction) {
	case PLAIT_REDUCE_SUM:
		return (int64_t)((3 * (uint64_t)rank + at) % 5);
	case PLAIT_REDUCE_PROD:
		return rank == at % data->info.ranks ? 3 : 1;
	default:
		return (int64_t)((7 * (uint64_t)rank + 3 * at) % 11);
	}
}

static int64_t reduce_pair(uint32_t reduction, int64_t one, int64_t other)
{
	switch (reduction) {
	case PLAIT_REDUCE_SUM:
		return one + other;
	case PLAIT_REDUCE_PROD:
		return one * other;
	case PLAIT_REDUCE_MIN:
		return one < other ? one : other;
	default:
		return one < other ? other : one;
	}
}

static int64_t reduce_all(const struct coll_data *data, uint64_t at)
{
	int64_t value = input_value(data, 0, at);

	for (uint32_t i = 1; i < data->info.ranks; i++)
		value = reduce_pair(data->reduction, value,
				    input_value(data, i, at));
	return value;
}

/* ---- promises ---- */

static int compare_promises(const void *left, const void *right)
{
	const plait_coll_promise *one = left, *other = right;

	if (one->rank != other->rank)
		return one->rank < other->rank ? -1 : 1;
	return one->index < other->index ? -1 : one->index > other->index;
}

/* Returns the chunk of an element: chunk j of the k of a share has the n
 * elements from floor(j * n / k) to floor((j + 1) * n / k). */
static uint64_t chunk_of(const struct coll_data *data, uint64_t at)
{
	uint64_t share = data->info.share_chunks;

	return at / data->count * share +
	       ((at % data->count + 1) * share - 1) / data->count;
}

/* Returns false where the file promises nothing. */
static bool promised_value(const struct coll_data *data, uint32_t rank,
			   uint64_t at, int64_t *out)
{
	const plait_coll_promise key = { .rank = rank,
					 .index = chunk_of(data, at) };
	uint64_t offset = at - elements_of(data, key.index);
	const plait_coll_promise *found = data->promises->count == 0 ? NULL :
		bsearch(&key, data->promises->items, data->promises->count,
			sizeof(key), compare_promises);

	*out = 0;
	for (uint64_t i = 0; found != NULL && i < found->source_count; i++) {
		uint64_t from = elements_of(data, found->source_indices[i]);
		int64_t value = input_value(data, found->source_ranks[i],
					    from + offset);

		*out = i == 0 ? value :
				reduce_pair(data->reduction, *out, value);
	}
	return found != NULL;
}

/* ---- results ---- */

/* Returns false where the collective promises nothing. */
static bool output_value(const struct coll_data *data, uint32_t rank,
			 uint64_t at, int64_t *out)
{
	uint64_t own = rank * data->count;
	uint32_t source = (uint32_t)(at / data->count);
	bool is_root = rank == data->info.root;

	if (data->promises != NULL)
		return promised_value(data, rank, at, out);
	switch (data->kind) {
	case PLAIT_COLL_ALLREDUCE:
	case PLAIT_COLL_REDUCE:
		*out = reduce_all(data, at);
		return data->kind == PLAIT_COLL_ALLREDUCE || is_root;
	case PLAIT_COLL_ALLGATHER:
	case PLAIT_COLL_GATHER:
		*out = input_value(data, source, at % data->count);
		return data->kind == PLAIT_COLL_ALLGATHER || is_root;
	case PLAIT_COLL_REDUCE_SCATTER:
		*out = reduce_all(data, own + at);
		return at < data->count;
	case PLAIT_COLL_ALLTOALL:
		*out = input_value(data, source, own + at % data->count);
		return true;
	case PLAIT_COLL_BROADCAST:
		*out = input_value(data, data->info.root, at);
		return true;
	case PLAIT_COLL_SCATTER:
		*out = input_value(data, data->info.root, own + at);
		return at < data->count;
	case PLAIT_COLL_ALLTONEXT:
		*out = rank == 0 ? 0 : input_value(data, rank - 1, at);
		return rank > 0;
	default:
		return false;
	}
}

/* ---- memory ---- */

/* A small integer as f16: its leading bit gives the exponent. */
static uint16_t half_of(int64_t value)
{
	uint32_t exponent = 0, number = (uint32_t)value;

	if (number == 0)
		return 0;
	while (number >> (exponent + 1) != 0)
		exponent++;
	return (uint16_t)((exponent + 15) << 10 |
			  (number << (10 - exponent) & 1023));
}

static void store(const struct coll_data *data, void *memory, uint64_t at,
		  int64_t value)
{
	uint32_t bytes = coll_data_element_bytes(data);
	float single = (float)value;
	double twice = (double)value;
	uint32_t bits;
	uint16_t half;

	if (types[data->type].element == PLAIT_ELEMENT_BFLOAT) {
		memcpy(&bits, &single, sizeof(bits));
		half = (uint16_t)(bits >> 16);
	} else {
		half = half_of(value);
	}
	if (types[data->type].element != PLAIT_ELEMENT_FLOAT &&
	    types[data->type].element != PLAIT_ELEMENT_BFLOAT)
		memcpy((char *)memory + at * bytes, &value, bytes);
	else
		memcpy((char *)memory + at * bytes,
		       bytes == 2 ? (void *)&half : bytes == 4 ?
		       (void *)&single : (void *)&twice, bytes);
}

void coll_data_fill(const struct coll_data *data, uint32_t rank, void *memory)
{
	uint64_t count = elements_of(data, data->info.input_chunks);
	uint64_t offset = offset_of(data, rank, false);

	for (uint64_t i = 0; i < count; i++)
		store(data, memory, offset + i, input_value(data, rank, i));
}

uint64_t coll_data_verify(const struct coll_data *data, uint32_t rank,
			  const void *memory)
{
	uint64_t count = elements_of(data, data->info.output_chunks);
	uint64_t offset = offset_of(data, rank, true);
	uint32_t bytes = coll_data_element_bytes(data);
	char want[8] = { 0 };
	int64_t value;

	for (uint64_t i = 0; i < count; i++) {
		if (!output_value(data, rank, i, &value))
			continue;
		store(data, want, 0, value);
		if (memcmp(want, (const char *)memory + (offset + i) * bytes,
			   bytes) != 0)
			return i;
	}
	return UINT64_MAX;
}

uint64_t coll_data_count(const struct coll_data *data, uint64_t bytes)
{
	uint64_t chunks = data->info.input_chunks > data->info.output_chunks ?
				  data->info.input_chunks :
				  data->info.output_chunks;
	uint64_t shares = chunks / data->info.share_chunks;
	uint64_t count = bytes / coll_data_element_bytes(data) /
			 (shares == 0 ? 1 : shares);

	return count == 0 ? 1 : count;
}
