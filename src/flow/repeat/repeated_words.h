/* SPDX-License-Identifier: MIT */
/*
 * Words of repeated tasks, in a row: what the descriptors of functions must have to be the
 * next tasks.  A comparison reads them once, from the first one on, two or four at a time,
 * and follows no pointer.  Each other task, also a function with a mapper or pieces, has a
 * head alone that no descriptor equals, and is compared with its copy (repeated_task.h).
 * Pure.
 *
 *	size and kind; flags and priority, of which no task has NO_WAIT; function,
 *	user_data; accesses, a bit for each one with a box; then of each access: size and
 *	mode, data, and the box, if there is one
 */
#ifndef PLAIT_SRC_FLOW_REPEAT_REPEATED_WORDS_H
#define PLAIT_SRC_FLOW_REPEAT_REPEATED_WORDS_H

#include "plait/flow.h"

#include "base/vector.h"

#include <stdbool.h>

enum { PLAIT__REPEATED_WORDS_HEAD = 6 };

/* Append the words of a task that applies (plait__repeated_task_applies); returns false
 * without memory. */
bool plait__repeated_words_add(plait__vector *words, const plait_task_desc *desc);

/* Returns true if the next task is compared with its copy: its words are a head. */
static inline bool plait__repeated_words_are_other(const uint64_t *at)
{
	return at[0] == 0;
}

/* Returns the words behind those of a task. */
static inline const uint64_t *plait__repeated_words_behind(const uint64_t *at)
{
	return plait__repeated_words_are_other(at) ?
		       at + PLAIT__REPEATED_WORDS_HEAD :
		       at + PLAIT__REPEATED_WORDS_HEAD + 2 * at[4] +
			       6 * (uint64_t)__builtin_popcountll(at[5]);
}

/* Returns how many descriptors equal the next tasks, of which the row has as many; *at
 * moves behind their words.  The descriptors are not smaller than known. */
uint64_t plait__repeated_words_match(const uint64_t **at,
				     const plait_task_desc *descs,
				     uint64_t count);

#endif
