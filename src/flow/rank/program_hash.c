/* SPDX-License-Identifier: MIT */
/* Hash of a program; see program_hash.h. */
#include "flow/rank/program_hash.h"

#include <string.h>

enum { MASK = PLAIT__HORIZON_KEPT - 1 };

/* The horizon of the next task. */
static uint64_t current(const plait__program_hash *hash)
{
	return hash->tasks / hash->period + 1;
}

void plait__program_hash_init(plait__program_hash *hash, uint32_t period)
{
	hash->period = period;
	hash->horizons[1 & MASK].number = 1;
}

const plait__horizon *plait__program_hash_add(plait__program_hash *hash,
					      uint64_t word, const char *label)
{
	uint64_t number = current(hash);
	plait__horizon *horizon = &hash->horizons[number & MASK], *next;
	char *room = hash->labels[number & MASK][horizon->count];
	size_t length = label == NULL ? 0 : strlen(label);

	if (length >= PLAIT__HORIZON_LABEL)
		length = PLAIT__HORIZON_LABEL - 1;
	if (length > 0)
		memcpy(room, label, length);
	room[length] = '\0';
	horizon->each[horizon->count++] = (uint16_t)(word ^ word >> 16 ^
						     word >> 32 ^ word >> 48);
	hash->hash = plait__program_hash_mix(hash->hash, word);
	hash->hashes[number & MASK][horizon->count - 1] = hash->hash;
	horizon->after = hash->hash;
	hash->tasks++;
	if (horizon->count < hash->period)
		return NULL;
	next = &hash->horizons[(number + 1) & MASK];
	memset(next, 0, sizeof(*next));
	next->number = number + 1;
	next->before = next->after = hash->hash;
	return horizon;
}

plait__horizon plait__program_hash_end(const plait__program_hash *hash,
				       uint32_t end)
{
	plait__horizon last = hash->horizons[current(hash) & MASK];

	last.end = end;
	return last;
}

const plait__horizon *
plait__program_hash_kept(const plait__program_hash *hash, uint64_t number)
{
	const plait__horizon *found = &hash->horizons[number & MASK];

	return found->number == number ? found : NULL;
}

const plait__horizon *
plait__program_hash_find(const plait__program_hash *hash, uint64_t number)
{
	return number < current(hash) ? plait__program_hash_kept(hash, number) :
					NULL;
}

const char *plait__program_hash_label(const plait__program_hash *hash,
				      uint64_t number, uint32_t index)
{
	return hash->labels[number & MASK][index];
}

/* Returns true if the other one's tasks up to its newest are not these, by all bits;
 * this one has as many. */
static bool differs_up_to(const plait__program_hash *hash,
			  const plait__horizon *own, const plait__horizon *other)
{
	return other->count > 0 &&
	       hash->hashes[own->number & MASK][other->count - 1] !=
		       other->after;
}

uint32_t plait__program_hash_differ(const plait__program_hash *hash,
				    const plait__horizon *own,
				    const plait__horizon *other)
{
	uint32_t count = own->count < other->count ? own->count : other->count;

	if (own->before != other->before)
		return 0;
	for (uint32_t i = 0; i < count; i++)
		if (own->each[i] != other->each[i])
			return i;
	if (count == other->count && differs_up_to(hash, own, other))
		return count - 1;
	return own->count > other->count && other->end != 0 ?
		       count : PLAIT__HORIZON_TASKS;
}

bool plait__program_hash_newest_differs(const plait__program_hash *hash,
					const plait__horizon *own,
					const plait__horizon *other)
{
	uint32_t newest = own->count - 1;

	if (newest == 0 && own->before != other->before)
		return true;
	if (newest >= other->count)
		return other->end != 0;
	return own->each[newest] != other->each[newest] ||
	       (own->count == other->count && differs_up_to(hash, own, other));
}
