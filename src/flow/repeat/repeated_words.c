/* SPDX-License-Identifier: MIT */
/* Words of repeated tasks; see repeated_words.h. */
#include "flow/repeat/repeated_words.h"

#include "flow/access/task_fields.h"

#include <stddef.h>
#include <string.h>

enum {
	HEAD = PLAIT__REPEATED_WORDS_HEAD,
	BOX = sizeof(plait_box) / sizeof(uint64_t)
};

/* ---- fields ---- */

/* Two words, which most processors read and compare as one. */
typedef uint64_t two __attribute__((vector_size(16)));

#define IS_BEHIND(type, field, before) \
	(offsetof(type, field) == \
	 offsetof(type, before) + sizeof(((type *)0)->before))

/* Fields that are read together lie together. */
_Static_assert(IS_BEHIND(plait_task_desc, kind, size) &&
		       IS_BEHIND(plait_task_desc, user_data, function) &&
		       IS_BEHIND(plait_task_desc, pieces, split),
	       "fields of a task");
_Static_assert(IS_BEHIND(plait_access, mode, size) &&
		       IS_BEHIND(plait_access, data, mode) &&
		       IS_BEHIND(plait_access, combine, mapper) &&
		       IS_BEHIND(plait_access, reserved0, flags),
	       "fields of an access");
_Static_assert(IS_BEHIND(plait_box, high, low) && sizeof(plait_box) == 48,
	       "words of a box");

static inline uint64_t load(const void *fields)
{
	uint64_t word;

	memcpy(&word, fields, sizeof(word));
	return word;
}

static inline two load_two(const void *fields)
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
	const uint64_t head[] = { load(&access->size),
				  (uintptr_t)access->data };

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
	const uint64_t head[HEAD] = { load(&desc->size), 0,
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
static inline two compare_box(const uint64_t *at, const plait_box *box)
{
	const char *from = (const char *)box;

	return (load_two(at) ^ load_two(from)) |
	       (load_two(at + 2) ^ load_two(from + 16)) |
	       (load_two(at + 4) ^ load_two(from + 32));
}

/* Bits that differ in a task, but for its function and accesses. */
static inline uint64_t compare_head(const uint64_t *at,
				    const plait_task_desc *desc)
{
	const uint32_t flags = desc->flags & ~(uint32_t)PLAIT_TASK_NO_WAIT;

	return (at[0] ^ load(&desc->size)) |
	       (at[1] ^ (flags | (uint32_t)desc->priority)) |
	       (at[4] ^ desc->access_count) |
	       plait__task_fields_beside_call(desc) |
	       (uintptr_t)desc->inbox | load(&desc->split);
}

/* Returns the words behind those of a task, or null: it differs. */
static inline __attribute__((always_inline)) const uint64_t *
match_task(const uint64_t *at, const plait_task_desc *desc)
{
	const plait_access *access = desc->accesses;
	const uint64_t count = at[4], boxes = at[5];
	uint64_t rest = compare_head(at, desc);
	two differs = load_two(at + 2) ^ load_two(&desc->function);

	/* The size of the first access is the distance of all. */
	if (rest != 0 || (count != 0 && (access == NULL ||
					 access->size != sizeof(*access))))
		return NULL;
	at += HEAD;
	for (uint64_t i = 0; i < count; i++, access++) {
		const plait_box *box = access->box;

		differs |= (load_two(at) ^ load_two(&access->size)) |
			   load_two(&access->mapper);
		rest |= load(&access->flags);
		at += 2;
		if ((boxes >> i & 1) == 0) {
			rest |= (uintptr_t)box;
			continue;
		}
		if (box == NULL)
			return NULL;
		differs |= compare_box(at, box);
		at += BOX;
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
