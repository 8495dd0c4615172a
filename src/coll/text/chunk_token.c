/* SPDX-License-Identifier: MIT */
/* Tokens of the text form of chunk programs; see chunk_token.h. */
#include "coll/text/chunk_token.h"

#include "base/error.h"

#include <string.h>

typedef struct plait__token_cutter {
	const char *at, *end, *name;
	uint32_t line;
	plait_error *error;
} plait__token_cutter;

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void skip_space(plait__token_cutter *cutter)
{
	while (cutter->at < cutter->end) {
		char c = *cutter->at;

		if (c == '#') {
			while (cutter->at < cutter->end && *cutter->at != '\n')
				cutter->at++;
			continue;
		}
		if (c != ' ' && c != '\t' && c != '\r' && c != '\n')
			return;
		cutter->line += c == '\n';
		cutter->at++;
	}
}

/* Length of the sign at this place; 0 if there is none. */
static uint32_t sign_length(const plait__token_cutter *cutter)
{
	static const char pairs[][3] = { "..", "==", "!=", "<=", ">=", "<<",
					 ">>" };
	size_t left = (size_t)(cutter->end - cutter->at);

	for (size_t i = 0; left > 1 && i < sizeof(pairs) / sizeof(*pairs); i++)
		if (memcmp(cutter->at, pairs[i], 2) == 0)
			return 2;
	return strchr("{}()[],:=+-*/%<>&|^", *cutter->at) != NULL &&
	       *cutter->at != 0;
}

static plait_status cut_number(plait__token_cutter *cutter,
			       plait__chunk_token *token)
{
	while (cutter->at < cutter->end && is_digit(*cutter->at)) {
		token->number = token->number * 10 +
				(uint64_t)(*cutter->at++ - '0');
		if (token->number > INT32_MAX)
			return plait__fail(cutter->error, PLAIT_E_INVALID,
					   "%s:%u: a number above 2^31 - 1",
					   cutter->name, cutter->line);
	}
	return PLAIT_OK;
}

static plait_status cut_token(plait__token_cutter *cutter,
			      plait__chunk_token *token)
{
	char shown[40];

	token->start = cutter->at;
	token->line = cutter->line;
	token->kind = PLAIT__TOKEN_SIGN;
	if (is_letter(*cutter->at)) {
		token->kind = PLAIT__TOKEN_NAME;
		while (cutter->at < cutter->end &&
		       (is_letter(*cutter->at) || is_digit(*cutter->at)))
			cutter->at++;
	} else if (is_digit(*cutter->at)) {
		token->kind = PLAIT__TOKEN_NUMBER;
		if (cut_number(cutter, token) != PLAIT_OK)
			return PLAIT_E_INVALID;
	} else {
		cutter->at += sign_length(cutter);
	}
	token->length = (uint32_t)(cutter->at - token->start);
	if (token->length > 0)
		return PLAIT_OK;
	token->length = 1;
	return plait__fail(cutter->error, PLAIT_E_INVALID,
			   "%s:%u: \"%s\" begins no word, number or sign",
			   cutter->name, cutter->line,
			   plait__chunk_token_show(token, shown));
}

plait_status plait__chunk_token_cut(plait__vector *tokens, const char *text,
				    uint64_t bytes, const char *name,
				    plait_error *error)
{
	plait__token_cutter cutter = {
		.at = text, .end = text + bytes, .name = name, .line = 1,
		.error = error,
	};
	plait__chunk_token token = { .kind = PLAIT__TOKEN_NAME };

	if (bytes > UINT32_MAX / 2)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%s: a text of more than 2 GiB", name);
	while (token.kind != PLAIT__TOKEN_END) {
		plait_status status = PLAIT_OK;

		token = (plait__chunk_token){ .kind = PLAIT__TOKEN_END };
		skip_space(&cutter);
		token.line = cutter.line;
		if (cutter.at < cutter.end)
			status = cut_token(&cutter, &token);
		if (status != PLAIT_OK)
			return status;
		if (PLAIT__VECTOR_ADD(tokens, &token) == NULL)
			return plait__fail(error, PLAIT_E_NOMEM,
					   "%s: no memory for a text", name);
	}
	return PLAIT_OK;
}

bool plait__chunk_token_is(const plait__chunk_token *token, const char *text)
{
	return token->kind != PLAIT__TOKEN_END &&
	       strlen(text) == token->length &&
	       memcmp(token->start, text, token->length) == 0;
}

const char *plait__chunk_token_show(const plait__chunk_token *token,
				    char room[40])
{
	uint32_t length = token->length < 30 ? token->length : 30;

	if (token->kind == PLAIT__TOKEN_END)
		return "the end of the text";
	for (uint32_t i = 0; i < length; i++)
		room[i] = token->start[i] >= ' ' && token->start[i] < 0x7f ?
				  token->start[i] : '?';
	memcpy(room + length, "...", 4);
	if (length == token->length)
		room[length] = 0;
	return room;
}
