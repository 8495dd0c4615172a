/* SPDX-License-Identifier: MIT */
/* Records of launches that come again; see kept_launches.h. */
#include "flow/device/kept_launches.h"

#include "base/alloc.h"

#include <string.h>

enum { SETS = PLAIT__KEPT_SETS, WAYS = PLAIT__KEPT_WAYS };

/* ---- the hash ---- */

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

static uint64_t mix_bytes(uint64_t hash, const void *bytes, uint64_t count)
{
	const char *at = bytes;
	uint64_t word;

	for (; count >= sizeof(word); count -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		hash = mix(hash, word);
		at += sizeof(word);
	}
	if (count == 0)
		return hash;
	word = 0;
	memcpy(&word, at, count);
	return mix(hash, word);
}

/* Never 0. */
static uint64_t hash_of(const plait__device *device,
			const plait__kernel *kernel,
			const plait_command *command)
{
	uint64_t hash = mix((uintptr_t)device, (uintptr_t)kernel);

	hash = mix_bytes(hash, command->launch->items,
			 sizeof(command->launch->items));
	for (uint64_t i = 0; i < command->argument_count; i++) {
		const plait_argument *at = &command->arguments[i];

		if (at->kind == PLAIT_ARGUMENT_VALUE)
			hash = mix_bytes(hash, at->value, at->bytes);
		else
			hash = mix(mix(hash, (uintptr_t)at->buffer),
				   at->offset_bytes);
	}
	return hash | 1;
}

/* ---- records ---- */

static bool is_argument(const plait__held_argument *slot,
			const plait_argument *given)
{
	if (given->kind == PLAIT_ARGUMENT_VALUE)
		return slot->buffer == NULL &&
		       memcmp(slot->place, given->value, given->bytes) == 0;
	return slot->buffer != NULL && slot->offset == given->offset_bytes &&
	       plait__object_handle(&slot->buffer->object) == given->buffer;
}

/* `device`: null for host code.  The arguments of a kernel are as many, and as long, each
 * time. */
static bool is_launch(const plait__launch_record *record,
		      const plait__device *device, const plait__kernel *kernel,
		      const plait_command *command)
{
	if (record->kernel != kernel || record->device != device ||
	    memcmp(&record->launch, command->launch,
		   sizeof(record->launch)) != 0)
		return false;
	for (uint32_t i = 0; i < record->count; i++)
		if (!is_argument(&record->slots[i], &command->arguments[i]))
			return false;
	return true;
}

static plait__kept_set *set_of(const plait__kept_launches *kept, uint64_t hash)
{
	return &kept->sets[(hash >> 1) & (SETS - 1)];
}

plait__launch_record *
plait__kept_launches_find(plait__kept_launches *kept,
			  const plait__device *device, bool is_bound,
			  const plait__kernel *kernel,
			  const plait_command *command, uint64_t *out_hash)
{
	const uint64_t hash = hash_of(device, kernel, command);
	plait__kept_set *set;

	*out_hash = hash;
	if (kept->sets == NULL)
		return NULL;
	set = set_of(kept, hash);
	for (int i = 0; i < WAYS; i++)
		if (set->hashes[i] == hash &&
		    is_launch(set->records[i], is_bound ? device : NULL,
			      kernel, command)) {
			plait__object_hold(&set->records[i]->object);
			return set->records[i];
		}
	return NULL;
}

/* Returns true if the launch was seen before; else notes it. */
static bool was_seen(plait__kept_set *set, uint32_t high)
{
	for (int i = 0; i < PLAIT__KEPT_SEEN; i++)
		if (set->seen[i] == high)
			return true;
	set->seen[set->oldest_seen] = high;
	set->oldest_seen = (set->oldest_seen + 1) % PLAIT__KEPT_SEEN;
	return false;
}

bool plait__kept_launches_note(plait__kept_launches *kept,
			       const plait_allocator *allocator, uint64_t hash,
			       plait__launch_record *made)
{
	plait__kept_set *set;

	if (kept->sets == NULL)
		kept->sets = plait__alloc_array(allocator, SETS,
						sizeof(*kept->sets));
	if (kept->sets == NULL)
		return false;
	set = set_of(kept, hash);
	if (!was_seen(set, (uint32_t)(hash >> 32)))
		return false;
	if (set->records[set->oldest] != NULL)
		plait__object_drop_deferred(&set->records[set->oldest]->object);
	else
		kept->count++;
	plait__object_hold(&made->object);
	set->hashes[set->oldest] = hash;
	set->records[set->oldest] = made;
	set->oldest = (set->oldest + 1) % WAYS;
	return true;
}

/* ---- the end ---- */

plait__launch_record *plait__kept_launches_take(plait__kept_launches *kept)
{
	plait__launch_record *list = NULL;

	if (kept->count == 0)
		return NULL;
	for (uint32_t i = 0; i < SETS * WAYS; i++) {
		plait__launch_record *at =
			kept->sets[i / WAYS].records[i % WAYS];

		if (at == NULL)
			continue;
		at->next = list;
		list = at;
	}
	memset(kept->sets, 0, SETS * sizeof(*kept->sets));
	kept->count = 0;
	kept->taken++;
	return list;
}

void plait__kept_launches_drop(plait__launch_record *list)
{
	plait__launch_record *next;

	for (; list != NULL; list = next) {
		next = list->next;
		plait__object_drop(&list->object);
	}
}

void plait__kept_launches_fini(plait__kept_launches *kept,
			       const plait_allocator *allocator)
{
	plait__kept_launches_drop(plait__kept_launches_take(kept));
	plait__free(allocator, kept->sets, SETS * sizeof(*kept->sets));
	kept->sets = NULL;
}
