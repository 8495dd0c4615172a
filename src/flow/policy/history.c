/* SPDX-License-Identifier: MIT */
/* Measured times by key; see history.h. */
#include "flow/policy/history.h"

#include "base/alloc.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

enum { FIRST_SLOTS = 64 };

void plait__history_init(plait__history *history,
			 const plait_allocator *allocator)
{
	*history = (plait__history){
		.allocator = allocator, .limit = PLAIT__HISTORY_ENTRIES,
	};
	plait__vector_init(&history->devices, allocator,
			   sizeof(plait__history_name));
	plait__vector_init(&history->entries, allocator,
			   sizeof(plait__history_entry));
}

static void free_slots(plait__history *history)
{
	plait__free(history->allocator, history->slots,
		    (uint64_t)history->slot_count * sizeof(*history->slots));
	history->slots = NULL;
	history->slot_count = 0;
}

void plait__history_fini(plait__history *history)
{
	plait__vector_fini(&history->devices);
	plait__vector_fini(&history->entries);
	free_slots(history);
}

/* ---- keys ---- */

plait_status plait__history_device(plait__history *history,
				   const char *description, uint32_t *out)
{
	plait__history_name name = { "" };
	int length = plait__text_fit(description, sizeof(name.text) - 1);

	memcpy(name.text, description, (size_t)length);
	for (int i = 0; i < length; i++)
		if ((unsigned char)name.text[i] < ' ' || name.text[i] == 127)
			name.text[i] = ' ';
	for (*out = 0; *out < history->devices.count; ++*out)
		if (memcmp(plait__vector_at(&history->devices, *out), &name,
			   sizeof(name)) == 0)
			return PLAIT_OK;
	return *out < PLAIT__HISTORY_DEVICES &&
	       PLAIT__VECTOR_ADD(&history->devices, &name) != NULL ?
	       PLAIT_OK : PLAIT_E_NOMEM;
}

uint32_t plait__history_class(uint64_t items)
{
	/* 2^63 times the roots of 2, 4 and 8 of fourth order, rounded up. */
	static const uint64_t borders[3] = {
		UINT64_C(0x9837f0518db8a970), UINT64_C(0xb504f333f9de6485),
		UINT64_C(0xd744fccad69d6af5),
	};
	uint32_t power, quarters = 0;

	if (items == 0)
		return 0;
	power = 63 - (uint32_t)__builtin_clzll(items);
	items <<= 63 - power;
	while (quarters < 3 && items >= borders[quarters])
		quarters++;
	return 4 * power + quarters;
}

static bool is_same(const plait__history_key *one,
		    const plait__history_key *other)
{
	return one->device == other->device &&
	       one->size_class == other->size_class &&
	       memcmp(one->code, other->code, sizeof(one->code)) == 0;
}

/* The code is a hash already. */
static uint32_t hash_key(const plait__history_key *key)
{
	uint64_t word;

	memcpy(&word, key->code, sizeof(word));
	word ^= (uint64_t)key->device << 32 | key->size_class;
	word *= UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(word >> 32);
}

/* ---- slots ---- */

static plait__history_entry *entry_at(const plait__history *history,
				      uint32_t index)
{
	return plait__vector_at(&history->entries, index);
}

/* Returns the slot of the key, or the empty one where it belongs; there are
 * slots, and an empty one among them. */
static uint32_t *find_slot(const plait__history *history,
			   const plait__history_key *key)
{
	uint32_t mask = history->slot_count - 1;
	uint32_t i = hash_key(key) & mask;

	while (history->slots[i] != 0 &&
	       !is_same(&entry_at(history, history->slots[i] - 1)->key, key))
		i = (i + 1) & mask;
	return &history->slots[i];
}

static void fill_slots(plait__history *history)
{
	memset(history->slots, 0,
	       history->slot_count * sizeof(*history->slots));
	for (uint32_t i = 0; i < history->entries.count; i++)
		*find_slot(history, &entry_at(history, i)->key) = i + 1;
}

/* Make slots for one more entry; at most half of them are in use. */
static bool reserve_slot(plait__history *history)
{
	uint32_t count = history->slot_count > 0 ? history->slot_count * 2 :
						   FIRST_SLOTS;
	uint32_t *slots;

	if (history->entries.count < history->slot_count / 2)
		return true;
	slots = plait__alloc_array(history->allocator, count, sizeof(*slots));
	if (slots == NULL)
		return false;
	free_slots(history);
	history->slots = slots;
	history->slot_count = count;
	fill_slots(history);
	return true;
}

/* ---- entries ---- */

static int compare_stamps(const void *left, const void *right)
{
	const plait__history_entry *one = left, *other = right;

	return one->stamp < other->stamp ? -1 : one->stamp > other->stamp;
}

void plait__history_sort(plait__history *history)
{
	plait__vector_sort(&history->entries, compare_stamps);
	if (history->slots != NULL)
		fill_slots(history);
}

/* Drop the older half. */
static void drop_old(plait__history *history)
{
	uint32_t kept = history->entries.count / 2;
	uint32_t dropped = history->entries.count - kept;

	plait__history_sort(history);
	memmove(history->entries.items, entry_at(history, dropped),
		(size_t)kept * sizeof(plait__history_entry));
	plait__vector_truncate(&history->entries, kept);
	fill_slots(history);
}

plait__history_entry *plait__history_find(const plait__history *history,
					  const plait__history_key *key)
{
	uint32_t slot = history->slots != NULL ? *find_slot(history, key) : 0;

	return slot > 0 ? entry_at(history, slot - 1) : NULL;
}

static plait__history_entry *add_entry(plait__history *history,
				       const plait__history_key *key)
{
	plait__history_entry entry = { .key = *key };

	if (history->entries.count >= history->limit)
		drop_old(history);
	if (!reserve_slot(history) ||
	    PLAIT__VECTOR_ADD(&history->entries, &entry) == NULL)
		return NULL;
	*find_slot(history, key) = history->entries.count;
	return entry_at(history, history->entries.count - 1);
}

plait__history_entry *plait__history_touch(plait__history *history,
					   const plait__history_key *key)
{
	plait__history_entry *entry = plait__history_find(history, key);

	if (entry == NULL)
		entry = add_entry(history, key);
	if (entry != NULL)
		entry->stamp = ++history->stamp;
	return entry;
}

plait_status plait__history_add(plait__history *history,
				const plait__history_key *key, uint64_t items,
				uint64_t ns)
{
	plait__history_key full = *key;
	plait__history_entry *entry;

	full.size_class = plait__history_class(items);
	entry = plait__history_touch(history, &full);
	if (entry == NULL)
		return PLAIT_E_NOMEM;
	plait__time_model_add(&entry->time, ns);
	return PLAIT_OK;
}
