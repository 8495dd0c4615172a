/* SPDX-License-Identifier: MIT */
/* Calls of the text form: copy, reduce, part, join. */
#include "coll/text/text_state.h"

#include "base/error.h"

static uint64_t parse_chunk(plait__text_state *state)
{
	plait__text_value value = plait__text_value_parse(state);

	if (value.kind == PLAIT__TEXT_NUMBER && !state->is_dry)
		plait__text_state_fail(state, "expected a chunk, found the "
				       "number %lld", (long long)value.number);
	return value.chunk;
}

/* Parse ", channel = C" and ", lanes = S, R". */
static void parse_directives(plait__text_state *state,
			     plait__chunk_place *place)
{
	char room[40];

	while (plait__text_state_take(state, ",")) {
		if (plait__text_state_take(state, "channel")) {
			plait__text_state_expect(state, "=");
			place->channel = plait__text_value_count(
				state, "a channel");
			place->flags |= PLAIT__CHUNK_HAS_CHANNEL;
		} else if (plait__text_state_take(state, "lanes")) {
			plait__text_state_expect(state, "=");
			place->send_lane = plait__text_value_count(state,
								   "a lane");
			plait__text_state_expect(state, ",");
			place->recv_lane = plait__text_value_count(state,
								   "a lane");
			place->flags |= PLAIT__CHUNK_HAS_LANES;
		} else {
			plait__text_state_fail(
				state, "expected channel or lanes, found %s",
				plait__chunk_token_show(state->at, room));
			return;
		}
	}
}

/* Parse the target of a copy: a rank, or a range; a count must be that of the
 * chunk that is copied. */
static void parse_target(plait__text_state *state, uint64_t source,
			 plait__chunk_place *place)
{
	plait__chunk_range range, from;
	bool appends = false;

	if (plait__text_value_buffer(state->at) == PLAIT__COLL_NONE) {
		place->rank = plait__text_value_count(state, "a rank");
		return;
	}
	range = plait__text_value_range(state, &appends);
	place->flags = appends ? PLAIT__CHUNK_APPEND : PLAIT__CHUNK_HAS_BUFFER;
	place->rank = range.rank;
	place->buffer = range.buffer;
	place->index = range.index;
	if (range.count == 1 || state->is_dry || state->status != PLAIT_OK)
		return;
	plait__text_state_keep(state, plait__chunk_find(state->program, source,
							&from, state->error));
	if (from.count != range.count)
		plait__text_state_fail(state, "a copy of %u chunks to a place "
				       "for %u", from.count, range.count);
}

static uint64_t copy(plait__text_state *state)
{
	plait__chunk_place place = { .flags = 0 };
	uint64_t source = parse_chunk(state), out = 0;

	plait__text_state_expect(state, ",");
	parse_target(state, source, &place);
	parse_directives(state, &place);
	if (state->status == PLAIT_OK && !state->is_dry)
		plait__text_state_keep(state,
				       plait__chunk_copy(state->program, source,
							 &place, &out,
							 state->error));
	return out;
}

static uint64_t reduce(plait__text_state *state)
{
	plait__chunk_place place = { .flags = 0 };
	uint64_t target = parse_chunk(state), source, out = 0;

	plait__text_state_expect(state, ",");
	source = parse_chunk(state);
	parse_directives(state, &place);
	if (state->status == PLAIT_OK && !state->is_dry)
		plait__text_state_keep(state,
				       plait__chunk_reduce(state->program,
							   target, source,
							   &place, &out,
							   state->error));
	return out;
}

static uint64_t part(plait__text_state *state)
{
	uint64_t whole = parse_chunk(state), out = 0;
	uint32_t first, count;

	plait__text_state_expect(state, ",");
	first = plait__text_value_count(state, "a first chunk");
	plait__text_state_expect(state, ",");
	count = plait__text_value_count(state, "a count");
	if (state->status == PLAIT_OK && !state->is_dry)
		plait__text_state_keep(state,
				       plait__chunk_part(state->program, whole,
							 first, count, &out,
							 state->error));
	return out;
}

static uint64_t join(plait__text_state *state)
{
	uint64_t one = parse_chunk(state), other, out = 0;

	plait__text_state_expect(state, ",");
	other = parse_chunk(state);
	if (state->status == PLAIT_OK && !state->is_dry)
		plait__text_state_keep(state,
				       plait__chunk_join(state->program, one,
							 other, &out,
							 state->error));
	return out;
}

static const struct {
	const char *word;
	uint64_t (*call)(plait__text_state *state);
} calls[] = {
	{ "copy", copy }, { "reduce", reduce }, { "part", part },
	{ "join", join },
};

bool plait__text_call_parse(plait__text_state *state,
			    const plait__chunk_token *word,
			    plait__text_value *out)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (!plait__chunk_token_is(word, calls[i].word))
			continue;
		plait__text_state_expect(state, "(");
		state->open++;
		if (state->program == NULL)
			plait__text_state_fail(state, "the header has no "
					       "chunks");
		else
			out->chunk = calls[i].call(state);
		out->kind = PLAIT__TEXT_CHUNK;
		state->open--;
		plait__text_state_expect(state, ")");
		return true;
	}
	return false;
}
