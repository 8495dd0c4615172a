/* SPDX-License-Identifier: MIT */
/*
 * A text that grows.  It remembers that memory ran out, so that a long report
 * is written without a check after each line, and asked once at the end.
 */
#ifndef PLAIT_SRC_BASE_TEXT_H
#define PLAIT_SRC_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>

#include "plait/base.h"

typedef struct plait__text {
	const plait_allocator *allocator;
	char *bytes; /* null until something was added; then with a NUL */
	uint64_t length;
	uint64_t capacity_bytes;
	bool failed; /* memory ran out; nothing was added since */
} plait__text;

void plait__text_init(plait__text *text, const plait_allocator *allocator);
void plait__text_fini(plait__text *text);

/* Append; after a failure these do nothing. */
void plait__text_add(plait__text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void plait__text_add_va(plait__text *text, const char *format, va_list args);
void plait__text_add_bytes(plait__text *text, const char *bytes,
			   uint64_t count);

/* Cut back to a length that it had. */
void plait__text_cut(plait__text *text, uint64_t length);

/* What there is; never null, "" when there is nothing. */
const char *plait__text_get(const plait__text *text);

/* Give the bytes away: *out_bytes is the size to free them with. */
char *plait__text_take(plait__text *text, uint64_t *out_bytes);

/* Copy into the caller's buffer, cut at a whole UTF-8 character, always with
 * a NUL when there is room for one.  `out_bytes` (nullable): what all of it
 * and its NUL need. */
void plait__text_copy(const char *text, char *buffer, uint64_t capacity_bytes,
		      uint64_t *out_bytes);

/* How many bytes of a text to print with "%.*s": at most `limit`, and none of
 * a UTF-8 character that does not fit. */
int plait__text_fit(const char *text, uint64_t limit);
/* The two arguments of that. */
#define PLAIT__TEXT_FIT(text, limit) plait__text_fit(text, limit), text

/* The end of a text: at most `bytes` of it, from a whole UTF-8 character on. */
const char *plait__text_tail(const char *text, uint64_t bytes);

#endif
