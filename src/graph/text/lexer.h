/* SPDX-License-Identifier: MIT */
/*
 * Lines and words of the text form of graphs: where the reader stands, and
 * errors that say file, line and what was expected.  parser.c gives meaning.
 */
#ifndef PLAIT_SRC_GRAPH_TEXT_LEXER_H
#define PLAIT_SRC_GRAPH_TEXT_LEXER_H

#include <stdbool.h>
#include <stddef.h>

#include "plait/base.h"

/* Part of the text; without a NUL. */
typedef struct plait__word {
	const char *start;
	size_t length;
} plait__word;

typedef struct plait__line {
	const char *name;	/* of the file */
	const char *at;		/* the next byte of this line */
	const char *end;	/* the end of this line */
	const char *next;	/* the next line */
	const char *stop;	/* the end of the text */
	uint32_t number;	/* from 1 */
	plait_error *error;
} plait__line;

void plait__line_init(plait__line *line, const char *text, uint64_t bytes,
		      const char *name, plait_error *error);

/* Go to the next line that has a word; false at the end of the text. */
bool plait__line_next(plait__line *line);

/* The next word of this line, up to a space or a comment; false if none. */
bool plait__line_word(plait__line *line, plait__word *out);

bool plait__word_is(plait__word word, const char *text);

/* Split "key=value"; false when there is no '='. */
bool plait__word_split(plait__word word, plait__word *key,
		       plait__word *value);

/* Take the part before the next `separator`; false when nothing is left. */
bool plait__word_part(plait__word *rest, char separator, plait__word *part);

/* A decimal number of at most 63 bits. */
bool plait__word_number(plait__word word, uint64_t *out);

/* "FILE:LINE: " and the text; returns PLAIT_E_INVALID. */
plait_status plait__line_fail(const plait__line *line, const char *format,
			      ...) __attribute__((format(printf, 2, 3)));

/* The same with "found \"word\"", shortened and cleaned of odd bytes. */
plait_status plait__line_expected(const plait__line *line, const char *what,
				  plait__word found);

/* A word for a message: shortened, odd bytes as '?'. */
const char *plait__word_show(plait__word word, char shown[44]);

#endif
