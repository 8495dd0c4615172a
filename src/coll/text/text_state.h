/* SPDX-License-Identifier: MIT */
/*
 * State of a reader of the text form.  The first failure is kept and moves the
 * reader to the end of the text, so that a caller checks rarely.
 */
#ifndef PLAIT_SRC_COLL_TEXT_TEXT_STATE_H
#define PLAIT_SRC_COLL_TEXT_TEXT_STATE_H

#include "coll/chunk/chunk_program.h"
#include "coll/text/chunk_token.h"

enum {
	PLAIT__TEXT_MAX_DEPTH = 64,	/* of blocks and parentheses */
	PLAIT__TEXT_MAX_WORK = 1 << 24	/* statements executed */
};

typedef enum plait__text_value_kind {
	PLAIT__TEXT_NUMBER,
	PLAIT__TEXT_CHUNK,
	PLAIT__TEXT_NOTHING	/* of code that is only parsed */
} plait__text_value_kind;

typedef struct plait__text_value {
	uint32_t kind;		/* plait__text_value_kind */
	int64_t number;
	uint64_t chunk;
} plait__text_value;

typedef struct plait__text_variable {
	const char *start;
	uint32_t length;
	uint32_t is_fixed;	/* of a loop, or of the header */
	plait__text_value value;
} plait__text_variable;

typedef struct plait__text_state {
	const char *name;	/* of the file */
	const plait__chunk_token *at;
	plait__vector variables; /* plait__text_variable, innermost last */
	plait__vector promises;	/* plait__coll_promise */
	plait__vector sources;	/* plait__coll_source */
	plait__chunk_program *program; /* null while reading the header */
	uint32_t depth, work;
	uint32_t line;		/* of the last token */
	uint32_t open;		/* parentheses: an expression goes on */
	bool is_dry;		/* parse, do not execute */
	plait_status status;
	plait_error *error;
	/* Parse "copy(...)" and the other calls; false if the word is
	 * none. */
	bool (*parse_call)(struct plait__text_state *state,
			   const plait__chunk_token *word,
			   plait__text_value *out);
} plait__text_state;

/* Keep a failure at the last token that was taken. */
void plait__text_state_fail(plait__text_state *state, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Keep a failure of a call of the program. */
void plait__text_state_keep(plait__text_state *state, plait_status status);

/* Take a token if it is this one. */
bool plait__text_state_take(plait__text_state *state, const char *text);
/* Take a token that must be this one. */
void plait__text_state_expect(plait__text_state *state, const char *text);
/* Take any token. */
const plait__chunk_token *plait__text_state_next(plait__text_state *state);
/* Enter a nested construct; leave it with depth--. */
bool plait__text_state_enter(plait__text_state *state);

/* Returns the newest variable of that name, or null; valid until the next add. */
plait__text_variable *plait__text_state_find(const plait__text_state *state,
					     const plait__chunk_token *name);
/* Add a variable, which refers to the text of `name`. */
void plait__text_state_add(plait__text_state *state,
			   const plait__chunk_token *name,
			   plait__text_value value, bool is_fixed);

/* ---- values ---- */

/* Parse an expression.  In a dry pass, and after a failure, numbers may be
 * missing (NOTHING). */
plait__text_value plait__text_value_parse(plait__text_state *state);
/* Parse a number. */
int64_t plait__text_value_number(plait__text_state *state);
/* Parse a number of 0 to 2^31 - 1. */
uint32_t plait__text_value_count(plait__text_state *state, const char *what);
/* Returns the buffer of a word like "scratch2", or NONE. */
uint32_t plait__text_value_buffer(const plait__chunk_token *token);
/* Parse "BUFFER[RANK, INDEX]" or "BUFFER[RANK, INDEX : COUNT]"; "*" as index
 * sets *appends, where that is allowed. */
plait__chunk_range plait__text_value_range(plait__text_state *state,
					   bool *appends);
/* The parser of calls; see parse_call. */
bool plait__text_call_parse(plait__text_state *state,
			    const plait__chunk_token *word,
			    plait__text_value *out);

#endif
