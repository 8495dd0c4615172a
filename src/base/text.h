/* SPDX-License-Identifier: MIT */
/*
 * A growing text. A failed allocation is remembered, so that a long report is
 * written without a check per line and checked once at the end.
 */
#ifndef PLAIT_SRC_BASE_TEXT_H
#define PLAIT_SRC_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>

#include "plait/base.h"

typedef struct plait__text {
	const plait_allocator *allocator;
	char *bytes; /* null before the first append; else with a NUL */
	uint64_t length;
	uint64_t capacity_bytes;
	bool failed; /* an allocation failed; later appends were ignored */
} plait__text;

void plait__text_init(plait__text *text, const plait_allocator *allocator);
void plait__text_fini(plait__text *text);

/* Append; no effect after a failure. */
void plait__text_add(plait__text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void plait__text_add_va(plait__text *text, const char *format, va_list args);
void plait__text_add_bytes(plait__text *text, const char *bytes,
			   uint64_t count);

/* Truncate to an earlier length. */
void plait__text_cut(plait__text *text, uint64_t length);

/* Returns the text, "" if it is empty; never null. */
const char *plait__text_get(const plait__text *text);

/*
 * Copy into the caller's buffer, truncated at a whole UTF-8 character, with a
 * NUL if there is room for one. `out_bytes` (nullable) receives the size of the
 * whole text with its NUL.
 */
void plait__text_copy(const char *text, char *buffer, uint64_t capacity_bytes,
		      uint64_t *out_bytes);

/* Returns the number of bytes of a text to print with "%.*s": at most
 * `limit`, without a partial UTF-8 character. */
int plait__text_fit(const char *text, uint64_t limit);
/* Both arguments of "%.*s". */
#define PLAIT__TEXT_FIT(text, limit) plait__text_fit(text, limit), text

/* Returns the end of a text: at most `bytes` of it, from a whole UTF-8
 * character on. */
const char *plait__text_tail(const char *text, uint64_t bytes);

/* Room of the two functions below: a limit of at most 60 bytes and a NUL. */
enum { PLAIT__TEXT_CUT_BYTES = 64 };

/* Returns the text if it has at most `limit` bytes, else its beginning and
 * "...", written into `room`. */
const char *plait__text_start(const char *text, uint64_t limit,
			      char room[PLAIT__TEXT_CUT_BYTES]);

/* Returns the path if it has at most `limit` bytes, else "..." and its end,
 * from a '/' on if there is one, written into `room`. */
const char *plait__text_path(const char *path, uint64_t limit,
			     char room[PLAIT__TEXT_CUT_BYTES]);

/* Write a time in its largest unit with at most three decimals: "300 ms",
 * "1.5 s"; returns `room`. */
enum { PLAIT__TEXT_DURATION_BYTES = 32 };
const char *plait__text_duration(uint64_t ns,
				 char room[PLAIT__TEXT_DURATION_BYTES]);

#endif
