/* SPDX-License-Identifier: MIT */
/*
 * Hash table of the handles that the core has.  A handle is looked up by value
 * and dereferenced only if found, so an invalid pointer is reported.
 */
#include <string.h>

#include "check.h"

static const char *const kinds[] = {
	"memory", "queue", "signal", "kernel", "launch", "segment",
	"port", "link", "notification", "command"
};

static check_object **bucket(check *self, const void *handle)
{
	uint64_t hash = (uint64_t)(uintptr_t)handle * 0x9e3779b97f4a7c15u;

	return &self->buckets[hash >> (64 - self->bucket_bits)];
}

static void link_object(check *self, check_object *object)
{
	check_object **home = bucket(self, object);

	object->next = *home;
	*home = object;
}

static void free_buckets(check *self, check_object **buckets, uint32_t bits)
{
	if (buckets != self->first_buckets)
		self->services->resize(self->host, buckets,
				       sizeof(*buckets) << bits, 0);
}

/* Without memory the buckets become longer. */
static void double_buckets(check *self)
{
	check_object **before = self->buckets;
	uint32_t bits = self->bucket_bits;
	check_object **after = self->services->resize(
		self->host, NULL, 0, sizeof(*after) << (bits + 1));

	if (!after)
		return;
	memset(after, 0, sizeof(*after) << (bits + 1));
	self->buckets = after;
	self->bucket_bits = bits + 1;
	for (uint64_t i = 0; i < UINT64_C(1) << bits; i++) {
		check_object *object = before[i], *next;

		for (; object; object = next) {
			next = object->next;
			link_object(self, object);
		}
	}
	free_buckets(self, before, bits);
}

/* Add a zeroed object of `bytes`; null without memory. */
void *plaitp_check_add(check *self, uint32_t kind, uint64_t bytes)
{
	check_object *object = self->services->resize(self->host, NULL, 0,
						      bytes);

	if (!object)
		return NULL;
	memset(object, 0, bytes);
	object->bytes = bytes;
	object->kind = kind;
	object->number = ++self->numbers[kind];
	if (self->object_count++ >> self->bucket_bits != 0)
		double_buckets(self);
	link_object(self, object);
	self->live[kind]++;
	return object;
}

static void free_object(check *self, check_object *object)
{
	check_object **link = bucket(self, object);

	while (*link != object)
		link = &(*link)->next;
	*link = object->next;
	self->object_count--;
	self->services->resize(self->host, object, object->bytes, 0);
}

/* Mark the object destroyed.  The caller may still read it: later ones, or the
 * close, free it. */
void plaitp_check_retire(check *self, check_object *object)
{
	check_object **tombstone = &self->tombstones[self->next_tombstone];

	object->dead = true;
	self->live[object->kind]--;
	/* The backend may still use a call that the model has retired. */
	if (self->model_off)
		return;
	if (*tombstone)
		free_object(self, *tombstone);
	*tombstone = object;
	self->next_tombstone = (self->next_tombstone + 1) % CHECK_TOMBSTONES;
}

void plaitp_check_object_free_all(check *self)
{
	for (uint64_t i = 0; i < UINT64_C(1) << self->bucket_bits; i++)
		while (self->buckets[i])
			free_object(self, self->buckets[i]);
	free_buckets(self, self->buckets, self->bucket_bits);
}

void *plaitp_check_find(check *self, const char *slot, uint32_t kind,
			const void *handle)
{
	check_object *object = *bucket(self, handle);

	while (object && object != handle)
		object = object->next;
	if (object && !object->dead && object->kind == kind)
		return object;
	if (!object)
		plaitp_check_report(self, CHECK_CORE, slot,
				    "%p is no %s of this backend", handle,
				    kinds[kind]);
	else if (object->kind != kind)
		plaitp_check_report(self, CHECK_CORE, slot,
				    "a %s was passed as a %s",
				    kinds[object->kind], kinds[kind]);
	else
		plaitp_check_report(self, CHECK_CORE, slot,
				    "%s %llu was destroyed before", kinds[kind],
				    (unsigned long long)object->number);
	return NULL;
}
