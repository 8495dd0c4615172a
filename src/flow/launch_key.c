/* SPDX-License-Identifier: MIT */
/* Keys of launches; see launch_key.h. */
#include "flow/launch_key.h"

enum {
	LAUNCH_WORDS = 11,
	BOX_WORDS = sizeof(plait_box) / sizeof(uint64_t),
	/* A kind; an access with a box and a mapper. */
	ARGUMENT_WORDS = 1 + 4 + 1 + BOX_WORDS + 1 + 5
};

static uint64_t *put_words(uint64_t *at, const uint64_t words[3])
{
	for (int d = 0; d < 3; d++)
		at[d] = words[d];
	return at + 3;
}

static uint64_t *put_box(uint64_t *at, const plait_box *box)
{
	*at++ = box != NULL;
	return box == NULL ? at : put_words(put_words(at, box->low), box->high);
}

/* Null: the mapper has boxes or a function of the caller. */
static uint64_t *put_mapper(uint64_t *at, const plait_mapper *mapper)
{
	*at++ = mapper != NULL;
	if (mapper == NULL)
		return at;
	if (mapper->size != sizeof(*mapper) || mapper->boxes != NULL ||
	    mapper->function != NULL)
		return NULL;
	*at++ = (uint64_t)mapper->kind << 32 | mapper->dimension;
	*at++ = mapper->flags;
	return put_words(at, mapper->extent);
}

static uint64_t *put_access(uint64_t *at, const plait_access *access)
{
	if (access == NULL || access->size != sizeof(*access))
		return NULL;
	*at++ = access->mode;
	*at++ = (uint64_t)access->flags << 32 | access->reserved0;
	*at++ = (uintptr_t)access->data;
	*at++ = (uintptr_t)access->combine;
	return put_mapper(put_box(at, access->box), access->mapper);
}

static uint64_t *put_argument(uint64_t *at, const plait_argument *argument)
{
	if (argument->size != sizeof(*argument))
		return NULL;
	*at++ = argument->kind;
	if (argument->kind == PLAIT_ARGUMENT_ACCESS)
		return put_access(at, argument->value);
	if (argument->kind == PLAIT_ARGUMENT_DATA)
		*at++ = (uintptr_t)argument->value;
	return at;
}

static uint64_t *put_launch(uint64_t *at, const plait__kernel *kernel,
			    const plait_task_desc *desc)
{
	const plait_launch *launch = desc->launch;

	*at++ = (uintptr_t)desc->kernel;
	*at++ = (uintptr_t)kernel;
	*at++ = (uint64_t)desc->flags << 32 | desc->split;
	*at++ = (uint64_t)desc->pieces << 32 | launch->dimensions;
	*at++ = desc->argument_count;
	return put_words(put_words(at, launch->items), launch->group);
}

bool plait__launch_key_make(plait__vector *key, const plait__kernel *kernel,
			    const plait_task_desc *desc)
{
	uint64_t *at;

	plait__vector_truncate(key, 0);
	if (desc->size != sizeof(*desc) || desc->access_count != 0 ||
	    desc->launch == NULL || desc->launch->size != sizeof(plait_launch) ||
	    plait__vector_reserve(key, LAUNCH_WORDS) != 0)
		return false;
	at = put_launch(key->items, kernel, desc);
	for (uint64_t i = 0; at != NULL && i < desc->argument_count; i++) {
		key->count = (uint32_t)(at - (uint64_t *)key->items);
		if (plait__vector_reserve(key, ARGUMENT_WORDS) != 0)
			return false;
		at = put_argument((uint64_t *)key->items + key->count,
				  &desc->arguments[i]);
	}
	if (at != NULL)
		key->count = (uint32_t)(at - (uint64_t *)key->items);
	return at != NULL;
}

bool plait__launch_key_reduces(const plait_task_desc *desc)
{
	bool reduces = false;

	for (uint64_t i = 0; !reduces && i < desc->argument_count; i++) {
		const plait_argument *at = &desc->arguments[i];

		reduces = at->kind == PLAIT_ARGUMENT_ACCESS &&
			  ((const plait_access *)at->value)->mode ==
				  PLAIT_ACCESS_REDUCE;
	}
	return reduces;
}
