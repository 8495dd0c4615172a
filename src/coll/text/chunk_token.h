/* SPDX-License-Identifier: MIT */
/* Tokens of the text form of chunk programs. */
#ifndef PLAIT_SRC_COLL_TEXT_CHUNK_TOKEN_H
#define PLAIT_SRC_COLL_TEXT_CHUNK_TOKEN_H

#include <stdbool.h>

#include "base/vector.h"

typedef enum plait__chunk_token_kind {
	PLAIT__TOKEN_END,
	PLAIT__TOKEN_NAME,
	PLAIT__TOKEN_NUMBER,
	PLAIT__TOKEN_SIGN
} plait__chunk_token_kind;

typedef struct plait__chunk_token {
	uint32_t kind;		/* plait__chunk_token_kind */
	uint32_t line;		/* from 1 */
	const char *start;	/* in the text, not terminated */
	uint32_t length;
	uint32_t reserved0;
	uint64_t number;
} plait__chunk_token;

/* Cut a text into tokens, of which the last is END.  Errors begin with
 * "NAME:LINE: ". */
plait_status plait__chunk_token_cut(plait__vector *tokens, const char *text,
				    uint64_t bytes, const char *name,
				    plait_error *error);

/* Returns true if the token is this word or sign. */
bool plait__chunk_token_is(const plait__chunk_token *token, const char *text);

/* Show a token in a message: at most 30 bytes, no unprintable ones. */
const char *plait__chunk_token_show(const plait__chunk_token *token,
				    char room[40]);

#endif
