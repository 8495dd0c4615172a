/* SPDX-License-Identifier: MIT */
/*
 * Words of repeated tasks, in a row: what the descriptor of a function must have to be the
 * next task.  A comparison reads them once, from the first one on, and follows no pointer.
 * Each other task, also a function with a mapper or pieces, has one word, 0, and is compared
 * with its copy (repeated_task.h).  Pure.
 *
 *	head, function, user_data, accesses; of each access: head, data, 1 and the box, or 0
 */
#ifndef PLAIT_SRC_FLOW_REPEAT_REPEATED_WORDS_H
#define PLAIT_SRC_FLOW_REPEAT_REPEATED_WORDS_H

#include "plait/flow.h"

#include "flow/access/task_fields.h"

#include "base/vector.h"

#include <stdbool.h>
#include <string.h>

/* Append the words of a task that applies (plait__repeated_task_applies); returns false
 * without memory. */
bool plait__repeated_words_add(plait__vector *words, const plait_task_desc *desc);

/* The first two fields, of 4 bytes. */
static inline uint64_t plait__repeated_words_pair(const void *fields)
{
	uint64_t word;

	memcpy(&word, fields, sizeof(word));
	return word;
}

/* Returns the word behind those of an access, or null: it differs. */
static inline const uint64_t *
plait__repeated_words_match_access(const uint64_t *at,
				   const plait_access *access)
{
	const plait_box *box = access->box;
	uint64_t differs =
		(at[0] ^ plait__repeated_words_pair(access)) |
		(at[1] ^ (uintptr_t)access->data) | (at[2] ^ (box != NULL)) |
		(uintptr_t)access->mapper | (uintptr_t)access->combine |
		access->flags | access->reserved0;

	at += 3;
	if (differs == 0 && box != NULL) {
		for (int d = 0; d < 3; d++)
			differs |= (at[d] ^ box->low[d]) |
				   (at[3 + d] ^ box->high[d]);
		at += 6;
	}
	return differs == 0 ? at : NULL;
}

/* Returns the word behind those of a function, at the first one of them; null: the
 * descriptor differs.  A descriptor that is not smaller than known is read. */
static inline const uint64_t *
plait__repeated_words_match(const uint64_t *at, const plait_task_desc *desc)
{
	const plait_access *accesses = desc->accesses;
	uint64_t count = at[3];
	uint64_t differs =
		(at[0] ^ plait__repeated_words_pair(desc)) |
		(at[1] ^ (uintptr_t)desc->function) |
		(at[2] ^ (uintptr_t)desc->user_data) |
		(count ^ desc->access_count) |
		plait__task_fields_beside_call(desc) | (uintptr_t)desc->inbox |
		(desc->flags & ~(uint32_t)PLAIT_TASK_NO_WAIT) |
		(uint32_t)desc->priority | desc->split | desc->pieces;

	if (differs != 0 || (count != 0 && accesses == NULL))
		return NULL;
	at += 4;
	for (uint64_t i = 0; at != NULL && i < count; i++)
		at = plait__repeated_words_match_access(at, &accesses[i]);
	return at;
}

#endif
