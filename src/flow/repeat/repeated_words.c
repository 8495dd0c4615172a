/* SPDX-License-Identifier: MIT */
/* Words of repeated tasks; see repeated_words.h. */
#include "flow/repeat/repeated_words.h"

static bool add_words(plait__vector *words, const uint64_t *from,
		      uint32_t count)
{
	return plait__vector_push(words, from, count) != NULL;
}

static bool add_access(plait__vector *words, const plait_access *access)
{
	const plait_box *box = access->box;
	const uint64_t head[] = { plait__repeated_words_pair(access),
				  (uintptr_t)access->data, box != NULL };

	return add_words(words, head, 3) &&
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

bool plait__repeated_words_add(plait__vector *words, const plait_task_desc *desc)
{
	static const uint64_t other = 0;
	const uint64_t head[] = { plait__repeated_words_pair(desc),
				  (uintptr_t)desc->function,
				  (uintptr_t)desc->user_data,
				  desc->access_count };
	bool done;

	if (!has_words(desc))
		return add_words(words, &other, 1);
	done = add_words(words, head, 4);
	for (uint64_t i = 0; done && i < desc->access_count; i++)
		done = add_access(words, &desc->accesses[i]);
	return done;
}
