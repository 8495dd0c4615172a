/* SPDX-License-Identifier: MIT */
/*
 * Lexer of the text form of graphs: lines, tokens, numbers, and errors with
 * file, line and the expected token.  Meaning is parser.c's.
 */
#ifndef PLAIT_SRC_GRAPH_TEXT_LEXER_H
#define PLAIT_SRC_GRAPH_TEXT_LEXER_H

#include <stdbool.h>
#include <stddef.h>

#include "plait/base.h"

/* Token: a part of the text, not terminated. */
typedef struct plait__token {
	const char *start;
	size_t length;
} plait__token;

typedef struct plait__lexer {
	const char *name;	/* file name */
	const char *at;		/* next byte of this line */
	const char *end;	/* end of this line */
	const char *next;	/* next line */
	const char *stop;	/* end of the text */
	uint32_t number;	/* line number, from 1 */
	plait_error *error;
} plait__lexer;

/* Begin before the first line.  The text and the name, which may be null, stay
 * the caller's. */
void plait__lexer_init(plait__lexer *line, const char *text, uint64_t bytes,
		       const char *name, plait_error *error);

/* Advance to the next line that has a token; false at the end of the text. */
bool plait__lexer_next_line(plait__lexer *line);

/* Take the next token of this line, up to a space or a comment; false when
 * there is none. */
bool plait__lexer_next_token(plait__lexer *line, plait__token *out);

/* Returns true if the token equals `text`. */
bool plait__lexer_is(plait__token token, const char *text);

/* Split "key=value"; false when there is no '='. */
bool plait__lexer_split(plait__token token, plait__token *key,
			plait__token *value);

/* Take the part before the next `separator`; false when nothing is left. */
bool plait__lexer_next_part(plait__token *rest, char separator,
			    plait__token *part);

/* Parse a decimal number of at most 63 bits. */
bool plait__lexer_number(plait__token token, uint64_t *out);

/* Report "FILE:LINE: " and the text; returns PLAIT_E_INVALID. */
plait_status plait__lexer_fail(const plait__lexer *line, const char *format,
			       ...) __attribute__((format(printf, 2, 3)));

/* Report "expected WHAT, found "TOKEN"". */
plait_status plait__lexer_expected(const plait__lexer *line, const char *what,
				   plait__token found);

/* Format a token for a message: shortened, unprintable bytes as '?'. */
const char *plait__lexer_show(plait__token token, char shown[44]);

#endif
