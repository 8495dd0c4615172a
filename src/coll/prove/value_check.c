/* SPDX-License-Identifier: MIT */
/*
 * Values: replay the steps with symbolic values and compare the outputs with
 * the promise.  Without a race each order of execution computes them.
 */
#include "coll/prove/value_promise.h"

#include "base/alloc.h"
#include "base/hash.h"

#include <string.h>

typedef struct replay_state {
	plait__proof_state *state;
	plait__value_terms terms;
	plait__value_promise promise;
	uint64_t *first_cell;	/* by rank, one more */
	uint32_t *cells;	/* values, PLAIT__VALUE_NONE before a store */
	uint64_t cell_count;
	uint64_t *first_word;	/* by message: its chunks in `words` */
	uint32_t *words;	/* values of messages */
	uint64_t word_count;
	uint32_t message_count;
	uint32_t *received;	/* by lane */
} replay_state;

/* ---- errors ---- */

static plait_status refuse_empty(replay_state *replay, uint32_t step,
				 uint32_t buffer, uint32_t index)
{
	char name[PLAIT__PROOF_NAME_BYTES];

	return plait__proof_refuse(replay->state, PLAIT__PROOF_VALUE,
				   "%s reads %s chunk %u, which holds no value",
				   plait__proof_step_name(replay->state, step,
							  name),
				   plait__proof_buffer_name(buffer), index);
}

static plait_status refuse_sum(replay_state *replay, uint32_t step,
			       enum plait__value_result result, uint64_t key)
{
	uint32_t ranks = replay->state->schedule->rank_count;
	char name[PLAIT__PROOF_NAME_BYTES];

	if (result == PLAIT__VALUE_NO_MEMORY)
		return plait__proof_no_memory(replay->state);
	return plait__proof_refuse(replay->state, PLAIT__PROOF_VALUE,
				   "%s adds input chunk %lu of rank %u twice",
				   plait__proof_step_name(replay->state, step,
							  name),
				   (unsigned long)(key / ranks),
				   (uint32_t)(key % ranks));
}

/* ---- steps ---- */

static uint32_t *cell_of(const replay_state *replay, uint32_t rank, uint32_t buffer,
			 uint32_t index)
{
	return &replay->cells[replay->first_cell[rank] +
			      plait__schedule_memory_index(
				      replay->state->schedule, rank, buffer,
				      index)];
}

/* The step at hand; `in` and `out` are the values of its messages. */
typedef struct step_action {
	const plait__coll_step *step;
	uint32_t index, rank;
	const uint32_t *in;
	uint32_t *out;
} step_action;

static bool adds(uint32_t kind)
{
	return kind == PLAIT__STEP_RECV_REDUCE ||
	       kind == PLAIT__STEP_RECV_REDUCE_SEND ||
	       kind == PLAIT__STEP_RECV_REDUCE_BOTH ||
	       kind == PLAIT__STEP_REDUCE;
}

static bool stores(uint32_t kind)
{
	return kind != PLAIT__STEP_SEND && kind != PLAIT__STEP_RECV_REDUCE_SEND;
}

static plait_status load(replay_state *replay, const step_action *action, bool target,
			 uint32_t chunk, uint32_t *out)
{
	const plait__coll_step *step = action->step;
	uint32_t buffer = target ? step->target_buffer : step->source_buffer;
	uint32_t index = (target ? step->target : step->source) + chunk;

	*out = *cell_of(replay, action->rank, buffer, index);
	if (*out == PLAIT__VALUE_NONE)
		return refuse_empty(replay, action->index, buffer, index);
	return PLAIT_OK;
}

/* Compute the value of chunk `chunk` of a step. */
static plait_status compute(replay_state *replay, const step_action *action,
			    uint32_t chunk, uint32_t *out)
{
	uint32_t kind = action->step->kind;
	enum plait__value_result result;
	plait_status status = PLAIT_OK;
	uint32_t other;
	uint64_t key;

	if (kind == PLAIT__STEP_RECV || kind == PLAIT__STEP_RECV_SEND)
		*out = action->in[chunk];
	else
		status = load(replay, action, false, chunk, out);
	if (status || !adds(kind))
		return status;
	if (kind == PLAIT__STEP_REDUCE)
		status = load(replay, action, true, chunk, &other);
	else
		other = action->in[chunk];
	if (status)
		return status;
	result = plait__value_sum(&replay->terms, *out, other, out, &key);
	return result ? refuse_sum(replay, action->index, result, key) :
			PLAIT_OK;
}

static plait_status execute(replay_state *replay, const step_action *action)
{
	const plait__coll_step *step = action->step;

	for (uint32_t i = 0; i < step->count; i++) {
		uint32_t value = PLAIT__VALUE_NONE;
		plait_status status = compute(replay, action, i, &value);

		if (status)
			return status;
		if (stores(step->kind))
			*cell_of(replay, action->rank, step->target_buffer,
				 step->target + i) = value;
		if (action->out != NULL)
			action->out[i] = value;
	}
	return PLAIT_OK;
}

/* Execute the steps with symbolic values; `sent` counts messages by lane and is
 * zero. */
static plait_status execute_all(replay_state *replay, uint32_t *sent)
{
	plait__proof_state *state = replay->state;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; i < state->step_count && !status; i++) {
		uint32_t index = state->order[i];
		uint32_t lane = state->lane_of[index];
		step_action action = { .step = &state->schedule->steps[index],
				  .index = index,
				  .rank = state->schedule->lanes[lane].rank };

		if (plait__step_receives(action.step->kind))
			action.in = replay->words + replay->first_word[
				state->first_send[state->sender[lane]] +
				replay->received[lane]++];
		if (plait__step_sends(action.step->kind))
			action.out = replay->words + replay->first_word[
				state->first_send[lane] + sent[lane]++];
		if (action.step->kind != PLAIT__STEP_NOP)
			status = execute(replay, &action);
	}
	return status;
}

/* ---- outputs ---- */

/* Describe how a value differs from what is promised. */
static plait_status refuse_output(replay_state *replay, uint32_t rank,
				  uint32_t index, plait__value_set got,
				  plait__value_set want)
{
	uint32_t ranks = replay->state->schedule->rank_count, i = 0;
	uint64_t key;
	bool lacks;

	while (i < got.count && i < want.count &&
	       got.spans[i].begin == want.spans[i].begin &&
	       got.spans[i].end == want.spans[i].end)
		i++;
	if (i < got.count && i < want.count &&
	    got.spans[i].begin == want.spans[i].begin) {
		lacks = got.spans[i].end < want.spans[i].end;
		key = lacks ? got.spans[i].end : want.spans[i].end;
	} else {
		lacks = i == got.count || (i < want.count &&
			want.spans[i].begin < got.spans[i].begin);
		key = lacks ? want.spans[i].begin : got.spans[i].begin;
	}
	return plait__proof_refuse(
		replay->state, PLAIT__PROOF_VALUE,
		"rank %u output chunk %u %s input chunk %lu of rank %u, "
		"against the promise of %s", rank, index,
		lacks ? "lacks" : "has", (unsigned long)(key / ranks),
		(uint32_t)(key % ranks),
		plait__value_promise_name(replay->promise.kind));
}

static plait_status check_output(replay_state *replay, uint32_t rank, uint32_t index)
{
	uint32_t value = *cell_of(replay, rank, PLAIT__COLL_OUTPUT, index);
	plait__value_set got, want;

	if (plait__value_promise_set(&replay->promise, rank, index, &want))
		return plait__proof_no_memory(replay->state);
	if (want.count == 0)
		return PLAIT_OK;
	if (value == PLAIT__VALUE_NONE)
		return plait__proof_refuse(
			replay->state, PLAIT__PROOF_VALUE,
			"rank %u output chunk %u holds no value, against the "
			"promise of %s", rank, index,
			plait__value_promise_name(replay->promise.kind));
	got = plait__value_terms_set(&replay->terms, value);
	if (got.count != want.count ||
	    memcmp(got.spans, want.spans, got.count * sizeof(*got.spans)))
		return refuse_output(replay, rank, index, got, want);
	return PLAIT_OK;
}

static plait_status check_outputs(replay_state *replay)
{
	const plait__schedule *schedule = replay->state->schedule;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; i < schedule->rank_count; i++)
		for (uint32_t k = 0;
		     k < schedule->ranks[i].output_chunks && !status; k++)
			status = check_output(replay, i, k);
	return status;
}

/* ---- bits ---- */

static bool ranks_agree(const replay_state *replay)
{
	const plait__schedule *schedule = replay->state->schedule;

	for (uint32_t k = 0; k < schedule->ranks[0].output_chunks; k++) {
		uint32_t first = *cell_of(replay, 0, PLAIT__COLL_OUTPUT, k);

		for (uint32_t i = 1; i < schedule->rank_count; i++)
			if (*cell_of(replay, i, PLAIT__COLL_OUTPUT, k) != first)
				return false;
	}
	return true;
}

typedef struct kept {
	unsigned char set[PLAIT__HASH_BYTES]; /* hash of the input chunks */
	uint32_t value;
} kept;

static int compare_kept(const void *left, const void *right)
{
	return memcmp(left, right, PLAIT__HASH_BYTES);
}

/* List the values of promised outputs with a hash of their sets, sorted: equal
 * promises are neighbours. */
static int list_promised(replay_state *replay, plait__vector *list)
{
	for (uint64_t i = 0; i < replay->promise.promise_count; i++) {
		const plait__coll_promise *at = &replay->promise.promises[i];
		plait__value_set set;
		plait__hash hash;
		kept item;

		if (at->source_count == 0)
			continue;
		item.value = *cell_of(replay, at->rank, PLAIT__COLL_OUTPUT,
				      at->index);
		set = plait__value_terms_set(&replay->terms, item.value);
		plait__hash_init(&hash);
		plait__hash_add(&hash, set.spans,
				set.count * sizeof(*set.spans));
		plait__hash_get(&hash, item.set);
		if (!PLAIT__VECTOR_ADD(list, &item))
			return -1;
	}
	plait__vector_sort(list, compare_kept);
	return 0;
}

/* Promises of equal input chunks have equal values. */
static int promises_agree(replay_state *replay, bool *out_agree)
{
	plait__vector list;
	int failed;

	plait__vector_init(&list, replay->state->allocator, sizeof(kept));
	failed = list_promised(replay, &list);
	*out_agree = true;
	for (uint32_t i = 1; i < list.count && !failed; i++) {
		const kept *one = plait__vector_at(&list, i - 1);
		const kept *other = plait__vector_at(&list, i);

		*out_agree &= compare_kept(one, other) != 0 ||
			      one->value == other->value;
	}
	plait__vector_fini(&list);
	return failed;
}

static plait_status check_bits(replay_state *replay)
{
	bool agree = true;

	if (replay->promise.kind == PLAIT__COLL_CUSTOM) {
		if (promises_agree(replay, &agree))
			return plait__proof_no_memory(replay->state);
	} else if (plait__value_promise_is_replicated(&replay->promise)) {
		agree = ranks_agree(replay);
	}
	if (agree)
		replay->state->proof->flags |= PLAIT__PROOF_SAME_BITS;
	return PLAIT_OK;
}

/* ---- all ---- */

static void fill_cells(replay_state *replay)
{
	const plait__schedule *schedule = replay->state->schedule;

	if (replay->cell_count > 0)
		memset(replay->cells, 0xff,
		       replay->cell_count * sizeof(*replay->cells));
	for (uint32_t i = 0; i < schedule->rank_count; i++)
		for (uint32_t k = 0;
		     k < schedule->ranks[i].input_chunks &&
		     plait__value_promise_has_input(&replay->promise, i); k++)
			*cell_of(replay, i, PLAIT__COLL_INPUT, k) =
				plait__value_input(&replay->terms, i, k);
}

static int place_cells(replay_state *replay)
{
	const plait__schedule *schedule = replay->state->schedule;

	replay->first_cell = plait__alloc_array(replay->state->allocator,
						schedule->rank_count + 1ull,
						sizeof(*replay->first_cell));
	if (replay->first_cell == NULL)
		return -1;
	for (uint32_t i = 0; i < schedule->rank_count; i++) {
		const plait__coll_rank *rank = &schedule->ranks[i];

		replay->first_cell[i] = replay->cell_count;
		replay->cell_count += (uint64_t)rank->input_chunks +
				      rank->output_chunks +
				      rank->scratch_chunks;
	}
	replay->cells = plait__alloc_array(replay->state->allocator,
					   replay->cell_count,
					   sizeof(*replay->cells));
	if (replay->cell_count > 0 && replay->cells == NULL)
		return -1;
	fill_cells(replay);
	return 0;
}

static int place_words(replay_state *replay)
{
	const plait__proof_state *state = replay->state;
	const plait_allocator *allocator = state->allocator;

	replay->message_count = state->first_send[state->lane_count];
	replay->first_word = plait__alloc_array(allocator,
						replay->message_count + 1ull,
						sizeof(*replay->first_word));
	if (replay->first_word == NULL)
		return -1;
	for (uint32_t i = 0; i < replay->message_count; i++) {
		replay->first_word[i] = replay->word_count;
		replay->word_count += state->schedule->steps[state->sends[i]]
					      .count;
	}
	replay->words = plait__alloc_array(allocator, replay->word_count,
					   sizeof(*replay->words));
	replay->received = plait__alloc_array(allocator, state->lane_count,
					      2 * sizeof(*replay->received));
	return (replay->word_count > 0 && !replay->words) ||
	       (state->lane_count > 0 && !replay->received) ? -1 : 0;
}

static void fini(replay_state *replay)
{
	const plait__proof_state *state = replay->state;
	const plait_allocator *allocator = state->allocator;

	plait__free(allocator, replay->first_cell,
		    (state->schedule->rank_count + 1ull) *
			    sizeof(*replay->first_cell));
	plait__free(allocator, replay->cells,
		    replay->cell_count * sizeof(*replay->cells));
	plait__free(allocator, replay->first_word,
		    (replay->message_count + 1ull) *
			    sizeof(*replay->first_word));
	plait__free(allocator, replay->words,
		    replay->word_count * sizeof(*replay->words));
	plait__free(allocator, replay->received,
		    state->lane_count * 2ull * sizeof(*replay->received));
	plait__value_terms_fini(&replay->terms);
	plait__value_promise_fini(&replay->promise);
}

plait_status plait__value_check(plait__proof_state *state)
{
	replay_state replay = { .state = state };
	plait_status status;

	plait__value_promise_init(&replay.promise, state);
	status = plait__value_promise_check(&replay.promise, state);
	if (plait__value_terms_init(&replay.terms, state->schedule) ||
	    place_cells(&replay) || place_words(&replay))
		status = plait__proof_no_memory(state);
	if (!status && state->lane_count > 0)
		status = execute_all(&replay,
				     replay.received + state->lane_count);
	if (!status)
		status = check_outputs(&replay);
	if (!status)
		status = check_bits(&replay);
	fini(&replay);
	return status;
}
