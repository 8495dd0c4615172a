/* SPDX-License-Identifier: MIT */
/* Promises of collectives. */
#include "coll/prove/value_promise.h"

#include "base/alloc.h"

void plait__value_promise_init(plait__value_promise *promise,
			       const plait__proof_state *state)
{
	const plait__prove_request *request = state->request;
	const plait__schedule *schedule = state->schedule;

	*promise = (plait__value_promise){
		.state = state,
		.kind = plait__proof_kind(state),
		.root = plait__proof_root(state),
		.promises = schedule->promises,
		.sources = schedule->promise_sources,
		.promise_count = schedule->promise_count,
		.source_count = schedule->promise_source_count,
	};
	if (request->flags & PLAIT__PROVE_PROMISES) {
		promise->promises = request->promises;
		promise->sources = request->promise_sources;
		promise->promise_count = request->promise_count;
		promise->source_count = request->promise_source_count;
	}
	plait__vector_init(&promise->keys, state->allocator, sizeof(uint64_t));
	plait__vector_init(&promise->spans, state->allocator,
			   sizeof(plait__value_span));
}

void plait__value_promise_fini(plait__value_promise *promise)
{
	plait__vector_fini(&promise->keys);
	plait__vector_fini(&promise->spans);
}

const char *plait__value_promise_name(uint32_t kind)
{
	static const char *const names[] = {
		"custom", "allreduce", "allgather", "reduce_scatter",
		"alltoall", "broadcast", "reduce", "gather", "scatter",
		"alltonext"
	};

	return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "?";
}

bool plait__value_promise_is_replicated(const plait__value_promise *promise)
{
	return promise->kind == PLAIT__COLL_ALLREDUCE ||
	       promise->kind == PLAIT__COLL_ALLGATHER ||
	       promise->kind == PLAIT__COLL_BROADCAST;
}

bool plait__value_promise_has_input(const plait__value_promise *promise,
				    uint32_t rank)
{
	return (promise->kind != PLAIT__COLL_BROADCAST &&
		promise->kind != PLAIT__COLL_SCATTER) ||
	       rank == promise->root;
}

/* ---- sizes ---- */

typedef struct sizes {
	uint64_t input, output;	/* chunks that the kind demands */
} sizes;

/* Returns the sizes that a rank has by the sizes of the first rank (or of the
 * root, where only that has both). */
static sizes sizes_of(const plait__value_promise *promise, uint32_t rank)
{
	const plait__schedule *schedule = promise->state->schedule;
	const plait__coll_rank *own = &schedule->ranks[rank];
	const plait__coll_rank *first = &schedule->ranks[0];
	uint64_t ranks = schedule->rank_count;
	bool is_root = rank == promise->root;

	switch (promise->kind) {
	case PLAIT__COLL_ALLREDUCE:
	case PLAIT__COLL_ALLTOALL:
		return (sizes){ first->input_chunks, first->input_chunks };
	case PLAIT__COLL_ALLGATHER:
		return (sizes){ first->input_chunks,
				first->input_chunks * ranks };
	case PLAIT__COLL_REDUCE_SCATTER:
		return (sizes){ first->output_chunks * ranks,
				first->output_chunks };
	case PLAIT__COLL_BROADCAST:
		return (sizes){ is_root ? first->output_chunks :
					  own->input_chunks,
				first->output_chunks };
	case PLAIT__COLL_REDUCE:
		return (sizes){ first->input_chunks,
				is_root ? first->input_chunks :
					  own->output_chunks };
	case PLAIT__COLL_GATHER:
		return (sizes){ first->input_chunks,
				is_root ? first->input_chunks * ranks :
					  own->output_chunks };
	case PLAIT__COLL_SCATTER:
		return (sizes){ is_root ? first->output_chunks * ranks :
					  own->input_chunks,
				first->output_chunks };
	case PLAIT__COLL_ALLTONEXT:
		return (sizes){ own->input_chunks,
				rank == 0 ? own->output_chunks :
					    own[-1].input_chunks };
	default:
		return (sizes){ own->input_chunks, own->output_chunks };
	}
}

static plait_status check_sizes(const plait__value_promise *promise,
				plait__proof_state *state)
{
	const plait__schedule *schedule = state->schedule;
	const char *name = plait__value_promise_name(promise->kind);

	for (uint32_t i = 0; i < schedule->rank_count; i++) {
		const plait__coll_rank *own = &schedule->ranks[i];
		sizes want = sizes_of(promise, i);

		if (own->input_chunks != want.input ||
		    own->output_chunks != want.output)
			return plait__proof_refuse(
				state, PLAIT__PROOF_VALUE, "rank %u has %u "
				"chunks of input and %u of output, but %s over "
				"%u ranks needs %lu and %lu", i,
				own->input_chunks, own->output_chunks, name,
				schedule->rank_count, (unsigned long)want.input,
				(unsigned long)want.output);
	}
	if (promise->kind == PLAIT__COLL_ALLTOALL &&
	    schedule->ranks[0].input_chunks % schedule->rank_count != 0)
		return plait__proof_refuse(state, PLAIT__PROOF_VALUE,
					   "alltoall needs a multiple of %u "
					   "chunks, not %u",
					   schedule->rank_count,
					   schedule->ranks[0].input_chunks);
	return PLAIT_OK;
}

/* ---- custom promises ---- */

static plait_status check_sources(const plait__value_promise *promise,
				  plait__proof_state *state, uint64_t number)
{
	const plait__schedule *schedule = state->schedule;
	const plait__coll_promise *at = &promise->promises[number];

	if (at->first_source > promise->source_count ||
	    at->source_count > promise->source_count - at->first_source)
		return plait__proof_refuse(state, PLAIT__PROOF_SHAPE,
					   "promise %lu: its sources are "
					   "outside of the array",
					   (unsigned long)number);
	for (uint64_t i = 0; i < at->source_count; i++) {
		const plait__coll_source *source =
			&promise->sources[at->first_source + i];

		if (source->rank >= schedule->rank_count ||
		    source->index >=
			    schedule->ranks[source->rank].input_chunks)
			return plait__proof_refuse(
				state, PLAIT__PROOF_SHAPE, "promise %lu: rank "
				"%u has no input chunk %u",
				(unsigned long)number, source->rank,
				source->index);
	}
	return PLAIT_OK;
}

static plait_status check_promises(const plait__value_promise *promise,
				   plait__proof_state *state)
{
	const plait__schedule *schedule = state->schedule;

	for (uint64_t i = 0; i < promise->promise_count; i++) {
		const plait__coll_promise *at = &promise->promises[i];
		plait_status status;

		if (at->rank >= schedule->rank_count ||
		    at->index >= schedule->ranks[at->rank].output_chunks)
			return plait__proof_refuse(
				state, PLAIT__PROOF_SHAPE, "promise %lu: rank "
				"%u has no output chunk %u", (unsigned long)i,
				at->rank, at->index);
		if (i > 0 && (at->rank < at[-1].rank ||
			      (at->rank == at[-1].rank &&
			       at->index <= at[-1].index)))
			return plait__proof_refuse(state, PLAIT__PROOF_SHAPE,
						   "promise %lu: promises are "
						   "not sorted by rank and "
						   "index", (unsigned long)i);
		status = check_sources(promise, state, i);
		if (status)
			return status;
	}
	return PLAIT_OK;
}

plait_status plait__value_promise_check(plait__value_promise *promise,
					plait__proof_state *state)
{
	if (promise->kind > PLAIT__COLL_ALLTONEXT)
		return plait__proof_refuse(state, PLAIT__PROOF_SHAPE,
					   "no collective has the number %u",
					   promise->kind);
	if (promise->root >= state->schedule->rank_count)
		return plait__proof_refuse(state, PLAIT__PROOF_SHAPE,
					   "the root is rank %u of %u",
					   promise->root,
					   state->schedule->rank_count);
	if (promise->kind == PLAIT__COLL_CUSTOM)
		return check_promises(promise, state);
	return check_sizes(promise, state);
}

/* ---- sets ---- */

static int compare_keys(const void *left, const void *right)
{
	const uint64_t *one = left, *other = right;

	return *one < *other ? -1 : *one > *other;
}

static int custom_set(plait__value_promise *promise, uint32_t rank,
		      uint32_t index, plait__value_set *out)
{
	const plait__coll_promise *at;

	if (promise->next == promise->promise_count)
		return 0;
	at = &promise->promises[promise->next];
	if (at->rank != rank || at->index != index)
		return 0;
	promise->next++;
	plait__vector_truncate(&promise->keys, 0);
	plait__vector_truncate(&promise->spans, 0);
	for (uint64_t i = 0; i < at->source_count; i++) {
		const plait__coll_source *source =
			&promise->sources[at->first_source + i];
		uint64_t key = (uint64_t)source->index *
			       promise->state->schedule->rank_count +
			       source->rank;

		if (!PLAIT__VECTOR_ADD(&promise->keys, &key))
			return -1;
	}
	plait__vector_sort(&promise->keys, compare_keys);
	for (uint32_t i = 0; i < promise->keys.count; i++) {
		const uint64_t *key = plait__vector_at(&promise->keys, i);
		plait__value_span span = { *key, *key + 1 }, *last = NULL;

		if (promise->spans.count > 0)
			last = plait__vector_at(&promise->spans,
						promise->spans.count - 1);
		if (last != NULL && last->end == *key)
			last->end++;
		else if (!PLAIT__VECTOR_ADD(&promise->spans, &span))
			return -1;
	}
	*out = (plait__value_set){ promise->spans.items, promise->spans.count };
	return 0;
}

static uint64_t key_of(const plait__value_promise *promise, uint32_t rank,
		       uint64_t index)
{
	return index * promise->state->schedule->rank_count + rank;
}

/* Returns the promise of a collective that is not custom; `end` is 0 where
 * anything may be. */
static plait__value_span span_of(const plait__value_promise *promise,
				 uint32_t rank, uint32_t index)
{
	const plait__schedule *schedule = promise->state->schedule;
	uint32_t ranks = schedule->rank_count;
	uint32_t share = schedule->ranks[0].input_chunks;
	uint64_t key, width = 1;

	if (rank != promise->root && (promise->kind == PLAIT__COLL_REDUCE ||
				      promise->kind == PLAIT__COLL_GATHER))
		return (plait__value_span){ 0, 0 };
	switch (promise->kind) {
	case PLAIT__COLL_REDUCE:
	case PLAIT__COLL_ALLREDUCE:
		key = key_of(promise, 0, index);
		width = ranks;
		break;
	case PLAIT__COLL_REDUCE_SCATTER:
		key = key_of(promise, 0, (uint64_t)rank *
			     schedule->ranks[rank].output_chunks + index);
		width = ranks;
		break;
	case PLAIT__COLL_GATHER:
	case PLAIT__COLL_ALLGATHER:
		key = key_of(promise, index / share, index % share);
		break;
	case PLAIT__COLL_ALLTOALL:
		share /= ranks;
		key = key_of(promise, index / share,
			     (uint64_t)rank * share + index % share);
		break;
	case PLAIT__COLL_SCATTER:
		key = key_of(promise, promise->root, (uint64_t)rank *
			     schedule->ranks[rank].output_chunks + index);
		break;
	case PLAIT__COLL_BROADCAST:
		key = key_of(promise, promise->root, index);
		break;
	default: /* PLAIT__COLL_ALLTONEXT */
		if (rank == 0)
			return (plait__value_span){ 0, 0 };
		key = key_of(promise, rank - 1, index);
	}
	return (plait__value_span){ key, key + width };
}

int plait__value_promise_set(plait__value_promise *promise, uint32_t rank,
			     uint32_t index, plait__value_set *out)
{
	plait__value_span span;

	*out = (plait__value_set){ NULL, 0 };
	if (promise->kind == PLAIT__COLL_CUSTOM)
		return custom_set(promise, rank, index, out);
	span = span_of(promise, rank, index);
	if (span.end == 0)
		return 0;
	plait__vector_truncate(&promise->spans, 0);
	if (!PLAIT__VECTOR_ADD(&promise->spans, &span))
		return -1;
	*out = (plait__value_set){ promise->spans.items, 1 };
	return 0;
}
