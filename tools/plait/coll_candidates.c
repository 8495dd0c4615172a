/* SPDX-License-Identifier: MIT */
/* Choice and order of candidates; see coll_candidates.h. */
#include "coll_candidates.h"

#include <stdlib.h>

/* A predicted time that many times the least one is hopeless: models of machines
 * are not more wrong than that about algorithms of one machine. */
enum { HOPELESS = 4 };

bool coll_candidates_add(struct coll_candidates *candidates,
			 const struct coll_candidate *candidate,
			 const uint64_t *predicted, uint32_t size_count)
{
	struct coll_times *items = candidates->items, *item;
	uint32_t room = candidates->room;

	if (candidates->count == room) {
		room = room > 0 ? 2 * room : 32;
		items = realloc(items, room * sizeof(*items));
		if (items == NULL)
			return false;
		candidates->items = items;
		candidates->room = room;
	}
	item = &items[candidates->count++];
	*item = (struct coll_times){ .candidate = *candidate };
	for (uint32_t i = 0; i < size_count; i++) {
		item->predicted[i] = predicted[i];
		item->measured[i] = UINT64_MAX;
	}
	return true;
}

static uint64_t find_least(const struct coll_candidates *candidates,
			   uint32_t size)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t i = 0; i < candidates->count; i++)
		if (candidates->items[i].predicted[size] < least)
			least = candidates->items[i].predicted[size];
	return least;
}

/* A time that the model cannot tell is not hopeless, but tried last. */
static void rate(struct coll_times *item, uint32_t size, uint64_t least)
{
	double ratio = HOPELESS;

	if (item->predicted[size] != UINT64_MAX)
		ratio = (double)(item->predicted[size] + 1) /
			(double)(least + 1);
	item->place[size] = ratio > HOPELESS ? COLL_HOPELESS : 0;
	item->score += ratio < HOPELESS ? ratio : HOPELESS;
}

static int compare(const void *a, const void *b)
{
	const struct coll_times *first = a, *second = b;

	return (first->score > second->score) - (first->score < second->score);
}

static bool has_hope(const struct coll_times *item, uint32_t size_count)
{
	for (uint32_t i = 0; i < size_count; i++)
		if (item->place[i] != COLL_HOPELESS)
			return true;
	return false;
}

/* Candidates are sorted: of equal predictions the first one is better. */
static void set_places(struct coll_candidates *candidates, uint32_t size)
{
	struct coll_times *items = candidates->items;

	for (uint32_t i = 0; i < candidates->count; i++) {
		uint64_t own = items[i].predicted[size];

		if (items[i].place[size] == COLL_HOPELESS)
			continue;
		for (uint32_t k = 0; k < candidates->count; k++)
			items[i].place[size] += k < i ?
				items[k].predicted[size] <= own :
				items[k].predicted[size] < own;
	}
}

uint32_t coll_candidates_choose(struct coll_candidates *candidates,
				uint32_t size_count)
{
	uint32_t kept = 0, all = candidates->count;

	for (uint32_t size = 0; size < size_count; size++) {
		uint64_t least = find_least(candidates, size);

		for (uint32_t i = 0; i < all; i++)
			rate(&candidates->items[i], size, least);
	}
	for (uint32_t i = 0; i < all; i++)
		if (has_hope(&candidates->items[i], size_count))
			candidates->items[kept++] = candidates->items[i];
	candidates->count = kept;
	if (kept > 0)
		qsort(candidates->items, kept, sizeof(*candidates->items),
		      compare);
	for (uint32_t size = 0; size < size_count; size++)
		set_places(candidates, size);
	return all - kept;
}
