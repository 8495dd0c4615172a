/* SPDX-License-Identifier: MIT */
/* Words of repeated tasks; see repeated_words.h. */
#include "flow/repeat/repeated_words.h"

#include <stddef.h>
#include <string.h>

enum {
	HEAD = PLAIT__REPEATED_WORDS_HEAD,
	BOX = sizeof(plait_box) / sizeof(uint64_t)
};

/* ---- fields ---- */

/* Two words, and four: one operation each of most processors. */
typedef uint64_t two __attribute__((vector_size(16)));

#define FIELD(type, field) offsetof(type, field)
#define BEHIND(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))

/* Fields that are read together lie together. */
_Static_assert(sizeof(void *) != 8 ||
		       (FIELD(plait_access, data) == 8 &&
			FIELD(plait_access, combine) ==
				BEHIND(plait_access, mapper) &&
			FIELD(plait_access, reserved0) ==
				BEHIND(plait_access, flags) &&
			sizeof(plait_access) == BEHIND(plait_access, reserved0)),
	       "fields of an access");

static inline uint64_t load(const void *fields)
{
	uint64_t word;

	memcpy(&word, fields, sizeof(word));
	return word;
}

static inline __attribute__((always_inline)) two load_two(const void *fields)
{
	two words;

	memcpy(&words, fields, sizeof(words));
	return words;
}

/* ---- rows ---- */

static bool add_words(plait__vector *words, const uint64_t *from,
		      uint32_t count)
{
	return plait__vector_push(words, from, count) != NULL;
}

static bool add_access(plait__vector *words, const plait_access *access)
{
	const plait_box *box = access->box;
	const uint64_t head[] = { load(access), (uintptr_t)access->data };

	return add_words(words, head, 2) &&
	       (box == NULL || (add_words(words, box->low, 3) &&
				add_words(words, box->high, 3)));
}

/* Returns true for a function of which words tell all. */
static bool has_words(const plait_task_desc *desc)
{
	bool has = desc->kind == PLAIT_TASK_CALL &&
		   (desc->split | desc->pieces) == 0;

	for (uint64_t i = 0; has && i < desc->access_count; i++)
		has = desc->accesses[i].mapper == NULL;
	return has;
}

static uint64_t boxes_of(const plait_task_desc *desc)
{
	uint64_t boxes = 0;

	for (uint64_t i = 0; i < desc->access_count; i++)
		boxes |= (uint64_t)(desc->accesses[i].box != NULL) << i;
	return boxes;
}

bool plait__repeated_words_add(plait__vector *words, const plait_task_desc *desc)
{
	static const uint64_t other[HEAD] = { 0, UINT64_MAX };
	const uint64_t head[HEAD] = { load(desc), 0,
				      (uintptr_t)desc->function,
				      (uintptr_t)desc->user_data,
				      desc->access_count, boxes_of(desc) };
	bool done;

	if (!has_words(desc))
		return add_words(words, other, HEAD);
	done = add_words(words, head, HEAD);
	for (uint64_t i = 0; done && i < desc->access_count; i++)
		done = add_access(words, &desc->accesses[i]);
	return done;
}

/* ---- comparison ---- */

/* Bits that differ in a box. */
static inline __attribute__((always_inline)) two
compare_box(const uint64_t *at, const plait_box *box)
{
	const char *from = (const char *)box;

	return (load_two(at) ^ load_two(from)) |
	       (load_two(at + 2) ^ load_two(from + 16)) |
	       (load_two(at + 4) ^ load_two(from + 32));
}

#include "flow/access/task_fields.h"

static inline __attribute__((always_inline)) const uint64_t *
match_task(const uint64_t *at, const plait_task_desc *desc)
{
	const plait_access *access = desc->accesses;
	const uint64_t count = at[4];
	uint64_t boxes = at[5];
	uint64_t rest = (at[0] ^ load(desc)) |
		(at[1] ^ ((desc->flags & ~(uint32_t)PLAIT_TASK_NO_WAIT) |
			  (uint32_t)desc->priority)) |
		(count ^ desc->access_count) |
		plait__task_fields_beside_call(desc) |
		(uintptr_t)desc->inbox | load(&desc->split);
	two differs = load_two(at + 2) ^ load_two(&desc->function);

	at += HEAD;
	if (rest != 0 || (count != 0 && access == NULL))
		return NULL;
	for (uint64_t i = 0; i < count; i++, access++) {
		const plait_box *box = access->box;

		differs |= (load_two(at) ^ load_two(access)) |
			   load_two(&access->mapper);
		rest |= load(&access->flags);
		at += 2;
		if ((boxes >> i & 1) != 0) {
			if (box == NULL)
				return NULL;
			differs |= compare_box(at, box);
			at += BOX;
		} else {
			rest |= (uintptr_t)box;
		}
	}
	return (differs[0] | differs[1] | rest) == 0 ? at : NULL;
}

uint64_t plait__repeated_words_match(const uint64_t **at,
				     const plait_task_desc *descs,
				     uint64_t count)
{
	const uint64_t *words = *at;
	uint64_t done = 0;

	while (done < count) {
		const uint64_t *behind = match_task(words, &descs[done]);

		if (behind == NULL)
			break;
		words = behind;
		done++;
	}
	*at = words;
	return done;
}
