/* SPDX-License-Identifier: MIT */
/*
 * Reader of the code of portable source: words and characters, without comments,
 * strings and white space; the bodies of group kernels.  Knows no macros.
 */
#ifndef PLAIT_SRC_SOURCE_CODE_READER_H
#define PLAIT_SRC_SOURCE_CODE_READER_H

#include "source/compose.h"

struct plait__code_reader {
	const char *at, *end;
};

struct plait__code_reader plait__code_read(const plait_source *source);

static inline bool plait__code_is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

/* Skip white space and comments. */
void plait__code_skip_blanks(struct plait__code_reader *in);
/* Skip a comment or a quoted text; returns false if there is none. */
bool plait__code_skip_noise(struct plait__code_reader *in);
/* Skip the next word, comment, quoted text or character; `in` is not at the
 * end. */
void plait__code_skip_one(struct plait__code_reader *in);
/* Skip to the end of the line. */
void plait__code_skip_line(struct plait__code_reader *in);

/* Skip blanks and these characters, or this word; returns false if other ones
 * follow.  `in` has then passed the blanks, and perhaps the beginning of a longer
 * word: a caller that needs its place tries with a copy. */
bool plait__code_take(struct plait__code_reader *in, const char *what);
bool plait__code_take_word(struct plait__code_reader *in, const char *word);

/* Advance past the next GROUP_KERNEL ( name; false if there is none. */
bool plait__code_find_group_kernel(struct plait__code_reader *in,
				   const char *name);
/* From there into the body of the kernel; false if no '{' follows the
 * parentheses. */
bool plait__code_enter_body(struct plait__code_reader *in);

#endif
