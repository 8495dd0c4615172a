/* SPDX-License-Identifier: MIT */
/*
 * What there is instead of a name that is not: for the texts of errors about
 * words that were misspelt.  No memory, no order; what is nearest is named
 * also when the list has become too long for it.
 */
#ifndef PLAIT_SRC_BASE_SPELLING_HINT_H
#define PLAIT_SRC_BASE_SPELLING_HINT_H

#include <stdbool.h>
#include <stddef.h>

enum { PLAIT__SPELLING_HINT_LIST_BYTES = 120, PLAIT__SPELLING_HINT_WORD_BYTES = 40 };

typedef struct plait__spelling_hint {
	const char *wanted;
	size_t length;		/* of `list` */
	bool full;
	unsigned distance;	/* of what is nearest so far */
	char list[PLAIT__SPELLING_HINT_LIST_BYTES];
	char hint[PLAIT__SPELLING_HINT_WORD_BYTES + 16];
} plait__spelling_hint;

/* `wanted` lives as long as it. */
void plait__spelling_hint_init(plait__spelling_hint *choices, const char *wanted);

/* There is this one; not kept. */
void plait__spelling_hint_add(plait__spelling_hint *choices, const char *name);

/* "a", "b", ... or none. */
const char *plait__spelling_hint_list(const plait__spelling_hint *choices);

/* ", perhaps "a"", or nothing if none of them is near: to stand behind the
 * name that was wanted. */
const char *plait__spelling_hint_text(const plait__spelling_hint *choices);

/* How many letters to change, leave out, put in or swap with the next one, at
 * least, so that one becomes the other; upper case or not is the same.  Where
 * that is as good as another word: UINT_MAX. */
unsigned plait__spelling_hint_distance(const char *one, const char *other);

#endif
