/* SPDX-License-Identifier: MIT */
/* A stand-in for libcuda.so.1: live objects, and those left behind. */
#include "standin.h"

enum { BUCKETS = 1024 };

static struct object *table[BUCKETS];
static uint64_t live[STANDIN_KINDS], leaked[STANDIN_KINDS];

static struct object **bucket_of(const void *handle)
{
	return &table[((uintptr_t)handle >> 4) % BUCKETS];
}

void standin_add(struct object *object, enum standin_kind kind,
		 CUcontext context)
{
	struct object **bucket = bucket_of(object);

	object->kind = kind;
	object->context = context;
	object->next = *bucket;
	*bucket = object;
	live[kind]++;
}

void standin_remove(struct object *object)
{
	struct object **at = bucket_of(object);

	while (*at != object)
		at = &(*at)->next;
	*at = object->next;
	live[object->kind]--;
}

void *standin_find(const void *handle, enum standin_kind kind)
{
	struct object *object = *bucket_of(handle);

	while (object != NULL && object != handle)
		object = object->next;
	return object != NULL && object->kind == kind ? object : NULL;
}

struct object *standin_of_context(CUcontext context)
{
	struct object *object;
	size_t i;

	for (i = 0; i < BUCKETS; i++)
		for (object = table[i]; object != NULL; object = object->next)
			if (object->context == context) {
				leaked[object->kind]++;
				return object;
			}
	return NULL;
}

void standin_forget_counts(void)
{
	size_t i;

	for (i = 0; i < STANDIN_KINDS; i++)
		leaked[i] = 0;
}

static uint64_t under_lock(const uint64_t *counter)
{
	uint64_t value;

	pthread_mutex_lock(&standin.lock);
	value = *counter;
	pthread_mutex_unlock(&standin.lock);
	return value;
}

uint64_t standin_live(unsigned kind)
{
	return kind < STANDIN_KINDS ? under_lock(&live[kind]) : 0;
}

uint64_t standin_leaked(unsigned kind)
{
	return kind < STANDIN_KINDS ? under_lock(&leaked[kind]) : 0;
}
