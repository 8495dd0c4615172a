/* SPDX-License-Identifier: MIT */
/*
 * Header and statements of the text form.  A body that is executed several
 * times is parsed as often: the reader goes back to its first token.  A body
 * that is not executed is parsed once, so that its mistakes show.
 */
#include "coll/text/chunk_text.h"

#include "coll/chunk/collective.h"
#include "coll/text/text_state.h"
#include "base/error.h"
#include "base/spelling_hint.h"

#include <string.h>

static void parse_block(plait__text_state *state);

/* ---- header ---- */

static void fail_kind(plait__text_state *state, const plait__chunk_token *word)
{
	plait__spelling_hint hint;
	char room[40];
	const char *shown = plait__chunk_token_show(word, room);

	plait__spelling_hint_init(&hint, shown);
	for (uint32_t i = 0; plait__collective_name(i) != NULL; i++)
		plait__spelling_hint_add(&hint, plait__collective_name(i));
	plait__text_state_fail(state, "a text begins with a collective: %s; "
			       "found %s%s", plait__spelling_hint_list(&hint),
			       shown, plait__spelling_hint_text(&hint));
}

static void add_number(plait__text_state *state, const char *name,
		       uint64_t number)
{
	plait__chunk_token token = { .start = name,
				     .length = (uint32_t)strlen(name) };
	plait__text_value value = { .kind = PLAIT__TEXT_NUMBER,
				    .number = (int64_t)number };

	plait__text_state_add(state, &token, value, true);
}

/* Set a field of the header, unless the caller replaces it. */
static void parse_field(plait__text_state *state,
			plait__chunk_request *request,
			const plait__chunk_text_options *options)
{
	const plait__chunk_token *word = plait__text_state_next(state);
	uint32_t number;
	char room[40];

	if (plait__chunk_token_is(word, "in_place")) {
		request->flags = PLAIT__COLL_IN_PLACE;
		return;
	}
	plait__text_state_expect(state, "=");
	number = plait__text_value_count(state, "a count");
	if (plait__chunk_token_is(word, "ranks")) {
		request->rank_count = options->ranks != 0 ? options->ranks :
							    number;
		add_number(state, "ranks", request->rank_count);
	} else if (plait__chunk_token_is(word, "chunks")) {
		request->share = options->chunks != 0 ? options->chunks :
							number;
	} else if (plait__chunk_token_is(word, "root")) {
		request->root = number;
	} else if (plait__chunk_token_is(word, "inputs")) {
		request->input_chunks = number;
	} else if (plait__chunk_token_is(word, "outputs")) {
		request->output_chunks = number;
	} else {
		plait__text_state_fail(state, "\"%s\" is no field of the "
				       "header: ranks, chunks, root, inputs, "
				       "outputs, in_place",
				       plait__chunk_token_show(word, room));
	}
}

static void parse_header(plait__text_state *state,
			 plait__chunk_request *request,
			 const plait__chunk_text_options *options)
{
	const plait__chunk_token *word = plait__text_state_next(state);
	uint32_t line = word->line;
	int kind = plait__collective_kind(word->start, word->length);

	if (word->kind != PLAIT__TOKEN_NAME || kind < 0) {
		fail_kind(state, word);
		return;
	}
	request->kind = (uint32_t)kind;
	while (state->status == PLAIT_OK &&
	       state->at->kind == PLAIT__TOKEN_NAME && state->at->line == line)
		parse_field(state, request, options);
	if (request->rank_count == 0)
		plait__text_state_fail(state, "the header needs ranks = N");
	if (request->share == 0)
		request->share = options->chunks != 0 ? options->chunks : 1;
	add_number(state, "chunks", request->share);
	add_number(state, "root", request->root);
}

/* ---- statements ---- */

static void skip_block(plait__text_state *state)
{
	bool was_dry = state->is_dry;

	state->is_dry = true;
	parse_block(state);
	state->is_dry = was_dry;
}

static void run_loop(plait__text_state *state, const plait__chunk_token *name,
		     int64_t first, int64_t end)
{
	const plait__chunk_token *body = state->at;
	plait__text_value value = { .kind = PLAIT__TEXT_NUMBER };
	uint32_t kept = state->variables.count;

	if (state->is_dry || first >= end) {
		plait__text_state_add(state, name, value, true);
		skip_block(state);
		plait__vector_truncate(&state->variables, kept);
		return;
	}
	for (value.number = first; state->status == PLAIT_OK &&
	     value.number < end; value.number++) {
		state->at = body;
		plait__text_state_add(state, name, value, true);
		parse_block(state);
		plait__vector_truncate(&state->variables, kept);
	}
}

static const plait__chunk_token *parse_new_name(plait__text_state *state)
{
	const plait__chunk_token *name = plait__text_state_next(state);
	char room[40];

	if (name->kind != PLAIT__TOKEN_NAME ||
	    plait__text_value_buffer(name) != PLAIT__COLL_NONE)
		plait__text_state_fail(state, "expected a name, found %s",
				       plait__chunk_token_show(name, room));
	return name;
}

static void parse_for(plait__text_state *state)
{
	const plait__chunk_token *name = parse_new_name(state);
	int64_t first, end;

	plait__text_state_expect(state, "in");
	first = plait__text_value_number(state);
	plait__text_state_expect(state, "..");
	end = plait__text_value_number(state);
	run_loop(state, name, first, end);
}

static void parse_if(plait__text_state *state)
{
	bool holds = plait__text_value_number(state) != 0;

	if (holds)
		parse_block(state);
	else
		skip_block(state);
	if (!plait__text_state_take(state, "else"))
		return;
	if (holds)
		skip_block(state);
	else
		parse_block(state);
}

static void parse_parallel(plait__text_state *state)
{
	uint32_t ways = plait__text_value_count(state, "a number of ways");
	bool runs = !state->is_dry && state->status == PLAIT_OK;

	if (runs)
		plait__text_state_keep(state,
				       plait__chunk_parallel(state->program,
							     ways,
							     state->error));
	parse_block(state);
	if (runs && state->status == PLAIT_OK)
		plait__text_state_keep(state, plait__chunk_parallel_end(
						      state->program,
						      state->error));
}

static void add_source(plait__text_state *state,
		       plait__coll_promise *promise)
{
	plait__chunk_range range;
	plait__coll_source source;

	if (plait__text_value_buffer(state->at) != PLAIT__COLL_INPUT) {
		plait__text_state_next(state);
		plait__text_state_fail(state, "a promise names inputs");
		return;
	}
	range = plait__text_value_range(state, NULL);
	source.rank = range.rank;
	source.index = range.index;
	promise->source_count++;
	if (!state->is_dry && state->status == PLAIT_OK &&
	    PLAIT__VECTOR_ADD(&state->sources, &source) == NULL)
		plait__text_state_keep(state,
				       plait__fail(state->error, PLAIT_E_NOMEM,
						   "no memory for a promise"));
}

/* Parse "promise output[R, I] = input[R, I] + ...". */
static void parse_promise(plait__text_state *state)
{
	plait__coll_promise promise = { .first_source = state->sources.count };
	plait__chunk_range range;

	if (plait__text_value_buffer(state->at) != PLAIT__COLL_OUTPUT) {
		plait__text_state_next(state);
		plait__text_state_fail(state, "a promise is for an output");
		return;
	}
	range = plait__text_value_range(state, NULL);
	promise.rank = range.rank;
	promise.index = range.index;
	plait__text_state_expect(state, "=");
	do {
		add_source(state, &promise);
	} while (state->status == PLAIT_OK &&
		 plait__text_state_take(state, "+"));
	if (!state->is_dry && state->status == PLAIT_OK &&
	    PLAIT__VECTOR_ADD(&state->promises, &promise) == NULL)
		plait__text_state_keep(state,
				       plait__fail(state->error, PLAIT_E_NOMEM,
						   "no memory for a promise"));
}

static void assign(plait__text_state *state, const plait__chunk_token *name)
{
	plait__text_variable *variable = plait__text_state_find(state, name);
	plait__text_value value;
	char room[40];

	if (variable != NULL && variable->is_fixed)
		plait__text_state_fail(state, "\"%s\" cannot be changed",
				       plait__chunk_token_show(name, room));
	value = plait__text_value_parse(state);
	if (variable == NULL)
		plait__text_state_add(state, name, value, false);
	else if (!state->is_dry)
		variable->value = value;
}

static void parse_simple(plait__text_state *state)
{
	const plait__chunk_token *word = state->at;
	plait__text_value value;

	if (word->kind == PLAIT__TOKEN_NAME &&
	    plait__text_value_buffer(word) == PLAIT__COLL_NONE &&
	    plait__chunk_token_is(word + 1, "=")) {
		plait__text_state_next(state);
		plait__text_state_next(state);
		assign(state, word);
		return;
	}
	value = plait__text_value_parse(state);
	if (value.kind == PLAIT__TEXT_NUMBER)
		plait__text_state_fail(state, "a number alone does nothing");
}

static const struct {
	const char *word;
	void (*parse)(plait__text_state *state);
} statements[] = {
	{ "for", parse_for }, { "if", parse_if },
	{ "parallel", parse_parallel }, { "promise", parse_promise },
};

static void parse_statement(plait__text_state *state)
{
	uint32_t line = state->at->line;

	if (++state->work > PLAIT__TEXT_MAX_WORK)
		plait__text_state_fail(state, "more than 2^24 statements");
	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++)
		if (plait__text_state_take(state, statements[i].word)) {
			statements[i].parse(state);
			return;
		}
	parse_simple(state);
	if (state->at->kind != PLAIT__TOKEN_END &&
	    state->at->line == state->line && state->line >= line &&
	    !plait__chunk_token_is(state->at, "}")) {
		char room[40];

		plait__text_state_fail(state, "expected the end of the line, "
				       "found %s",
				       plait__chunk_token_show(state->at,
							       room));
	}
}

static void parse_block(plait__text_state *state)
{
	uint32_t kept = state->variables.count;

	plait__text_state_expect(state, "{");
	if (plait__text_state_enter(state))
		while (state->status == PLAIT_OK &&
		       state->at->kind != PLAIT__TOKEN_END &&
		       !plait__chunk_token_is(state->at, "}"))
			parse_statement(state);
	state->depth--;
	plait__text_state_expect(state, "}");
	plait__vector_truncate(&state->variables, kept);
}

/* ---- entry ---- */

static void set_promises(plait__text_state *state)
{
	if (state->promises.count == 0 || state->status != PLAIT_OK)
		return;
	plait__text_state_keep(
		state, plait__chunk_program_promise(
			       state->program, state->promises.items,
			       state->promises.count, state->sources.items,
			       state->sources.count, state->error));
}

static void parse_text(plait__text_state *state,
		       const plait_allocator *allocator,
		       const plait__chunk_text_options *options)
{
	plait__chunk_request request = { .tag = options->tag,
					 .name = state->name };

	parse_header(state, &request, options);
	if (state->status == PLAIT_OK)
		plait__text_state_keep(
			state, plait__chunk_program_make(allocator, &request,
							 &state->program,
							 state->error));
	while (state->status == PLAIT_OK &&
	       state->at->kind != PLAIT__TOKEN_END)
		parse_statement(state);
	set_promises(state);
}

plait_status plait__chunk_text_read(const plait_allocator *allocator,
				    const char *text, uint64_t bytes,
				    const char *name,
				    const plait__chunk_text_options *options,
				    plait__chunk_program **out,
				    plait_error *error)
{
	plait__text_state state = {
		.name = name != NULL ? name : "text", .error = error,
		.parse_call = plait__text_call_parse,
	};
	plait__vector tokens;

	*out = NULL;
	plait__vector_init(&tokens, allocator, sizeof(plait__chunk_token));
	plait__vector_init(&state.variables, allocator,
			   sizeof(plait__text_variable));
	plait__vector_init(&state.promises, allocator,
			   sizeof(plait__coll_promise));
	plait__vector_init(&state.sources, allocator,
			   sizeof(plait__coll_source));
	state.status = plait__chunk_token_cut(&tokens, text, bytes, state.name,
					      error);
	if (state.status == PLAIT_OK) {
		state.at = tokens.items;
		parse_text(&state, allocator, options);
	}
	plait__vector_fini(&tokens);
	plait__vector_fini(&state.variables);
	plait__vector_fini(&state.promises);
	plait__vector_fini(&state.sources);
	if (state.status == PLAIT_OK)
		*out = state.program;
	else
		plait__chunk_program_free(state.program);
	return state.status;
}
