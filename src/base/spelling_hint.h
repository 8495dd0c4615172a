/* SPDX-License-Identifier: MIT */
/*
 * Hints for error texts about unknown names: the list of valid names and the
 * most similar one. Allocates no memory; the most similar name is found even if
 * the list is truncated.
 */
#ifndef PLAIT_SRC_BASE_SPELLING_HINT_H
#define PLAIT_SRC_BASE_SPELLING_HINT_H

#include <stdbool.h>
#include <stddef.h>

enum {
	PLAIT__SPELLING_HINT_LIST_BYTES = 120,
	PLAIT__SPELLING_HINT_WORD_BYTES = 40
};

typedef struct plait__spelling_hint {
	const char *wanted;
	size_t length;		/* of `list` */
	bool full;		/* the list ends with "..." */
	unsigned distance;	/* of the most similar name so far */
	char list[PLAIT__SPELLING_HINT_LIST_BYTES];
	char hint[PLAIT__SPELLING_HINT_WORD_BYTES + 16];
} plait__spelling_hint;

/* Start a hint; `wanted` must outlive it. */
void plait__spelling_hint_init(plait__spelling_hint *hint, const char *wanted);

/* Add a valid name; the pointer is not kept. */
void plait__spelling_hint_add(plait__spelling_hint *hint, const char *name);

/* Returns "a", "b", ... or none. */
const char *plait__spelling_hint_list(const plait__spelling_hint *hint);

/* Returns ", perhaps "a"" to append to the unknown name, or "" if no name is
 * similar. */
const char *plait__spelling_hint_text(const plait__spelling_hint *hint);

/*
 * Returns the minimum number of letters to change, remove, insert or swap with
 * the next one to turn one name into the other, ignoring case; UINT_MAX if that
 * makes them different words.
 */
unsigned plait__spelling_hint_distance(const char *one, const char *other);

#endif
