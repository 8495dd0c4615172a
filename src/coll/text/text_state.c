/* SPDX-License-Identifier: MIT */
/* Tokens, variables and failures of a reader; see text_state.h. */
#include "coll/text/text_state.h"

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void stop(plait__text_state *state, plait_status status)
{
	state->status = status;
	while (state->at->kind != PLAIT__TOKEN_END)
		state->at++;
}

void plait__text_state_fail(plait__text_state *state, const char *format, ...)
{
	char text[PLAIT_ERROR_TEXT_BYTES];
	va_list args;

	if (state->status != PLAIT_OK)
		return;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	stop(state, plait__fail(state->error, PLAIT_E_INVALID, "%s:%u: %s",
				state->name, state->line, text));
}

void plait__text_state_keep(plait__text_state *state, plait_status status)
{
	if (status == PLAIT_OK || state->status != PLAIT_OK)
		return;
	plait__error_prefix(state->error, "%s:%u: ", state->name, state->line);
	stop(state, status);
}

const plait__chunk_token *plait__text_state_next(plait__text_state *state)
{
	const plait__chunk_token *token = state->at;

	state->line = token->line;
	if (token->kind != PLAIT__TOKEN_END)
		state->at++;
	return token;
}

bool plait__text_state_take(plait__text_state *state, const char *text)
{
	if (!plait__chunk_token_is(state->at, text))
		return false;
	plait__text_state_next(state);
	return true;
}

void plait__text_state_expect(plait__text_state *state, const char *text)
{
	char room[40];

	if (plait__text_state_take(state, text) || state->status != PLAIT_OK)
		return;
	state->line = state->at->line;
	plait__text_state_fail(state, "expected \"%s\", found %s", text,
			       plait__chunk_token_show(state->at, room));
}

bool plait__text_state_enter(plait__text_state *state)
{
	if (state->depth >= PLAIT__TEXT_MAX_DEPTH)
		plait__text_state_fail(state, "nested more than %d times",
				       PLAIT__TEXT_MAX_DEPTH);
	state->depth++;
	return state->status == PLAIT_OK;
}

plait__text_variable *plait__text_state_find(const plait__text_state *state,
					     const plait__chunk_token *name)
{
	for (uint32_t i = state->variables.count; i-- > 0;) {
		plait__text_variable *at = plait__vector_at(&state->variables,
							    i);

		if (at->length == name->length &&
		    memcmp(at->start, name->start, at->length) == 0)
			return at;
	}
	return NULL;
}

void plait__text_state_add(plait__text_state *state,
			   const plait__chunk_token *name,
			   plait__text_value value, bool is_fixed)
{
	plait__text_variable variable = {
		.start = name->start, .length = name->length,
		.is_fixed = is_fixed, .value = value,
	};

	if (state->status == PLAIT_OK &&
	    PLAIT__VECTOR_ADD(&state->variables, &variable) == NULL)
		plait__text_state_keep(state,
				       plait__fail(state->error, PLAIT_E_NOMEM,
						   "no memory for a variable"));
}
