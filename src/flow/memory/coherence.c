/* SPDX-License-Identifier: MIT */
/* Boxes with the memories that have their newest values; see coherence.h. */
#include "flow/memory/coherence.h"

enum { JOIN_AT_LEAST = 16 };

static plait__version *at(const plait__vector *versions, uint32_t i)
{
	return plait__vector_at(versions, i);
}

static void remove_at(plait__vector *versions, uint32_t i)
{
	*at(versions, i) = *at(versions, versions->count - 1);
	plait__vector_truncate(versions, versions->count - 1);
}

/* ---- joining ---- */

static bool can_join(const plait__version *one, const plait__version *other)
{
	return one->valid == other->valid && one->writer == other->writer &&
	       one->memory == other->memory &&
	       plait__box_list_joins(&one->box, &other->box);
}

static bool join_one(plait__vector *versions, uint32_t i)
{
	for (uint32_t j = i + 1; j < versions->count; j++) {
		if (!can_join(at(versions, i), at(versions, j)))
			continue;
		at(versions, i)->box = plait__box_list_bound(
			&at(versions, i)->box, &at(versions, j)->box);
		remove_at(versions, j);
		return true;
	}
	return false;
}

void plait__coherence_join(plait__vector *versions)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < versions->count; i++)
			while (join_one(versions, i))
				changed = true;
	}
}

static void join_if_many(plait__coherence *coherence)
{
	uint32_t count;

	if (coherence->versions.count < coherence->join_at)
		return;
	plait__coherence_join(&coherence->versions);
	count = coherence->versions.count;
	coherence->join_at = 2 * count < JOIN_AT_LEAST ? JOIN_AT_LEAST :
							 2 * count;
}

/* ---- changes ---- */

/* Make version i end where the box does: its elements outside become versions
 * at the end. */
static void split(plait__coherence *coherence, uint32_t i, const plait_box *box)
{
	plait__version version = *at(&coherence->versions, i);
	plait_box parts[PLAIT__BOX_LIST_PARTS];
	uint32_t count;

	/* Most often. */
	if (plait__box_contains(box, &version.box))
		return;
	count = plait__box_list_without(&version.box, box, parts);
	at(&coherence->versions, i)->box =
		plait__box_list_meet(&version.box, box);
	for (uint32_t p = 0; p < count; p++) {
		version.box = parts[p];
		if (PLAIT__VECTOR_ADD(&coherence->versions, &version) == NULL)
			coherence->failed = true;
	}
}

static bool overlaps(const plait__coherence *coherence, uint32_t i,
		     const plait_box *box)
{
	return plait__box_overlap(&at(&coherence->versions, i)->box, box);
}

void plait__coherence_set(plait__coherence *coherence,
			  const plait__version *version)
{
	for (uint32_t i = coherence->versions.count; i-- > 0;) {
		if (!overlaps(coherence, i, &version->box))
			continue;
		split(coherence, i, &version->box);
		remove_at(&coherence->versions, i);
	}
	if (PLAIT__VECTOR_ADD(&coherence->versions, version) == NULL)
		coherence->failed = true;
	join_if_many(coherence);
}

void plait__coherence_write(plait__coherence *coherence, const plait_box *box,
			    uint32_t writer, uint32_t memory)
{
	const plait__version written = { *box, UINT64_C(1) << memory, writer,
					 memory };

	plait__coherence_set(coherence, &written);
}

/* Set the memory's bit to `valid` in each version that has any, but leave the only
 * one if `keeps_last`. */
static void change(plait__coherence *coherence, const plait_box *box,
		   uint32_t memory, bool valid, bool keeps_last)
{
	const uint64_t bit = UINT64_C(1) << memory;

	for (uint32_t i = coherence->versions.count; i-- > 0;) {
		plait__version *version = at(&coherence->versions, i);

		if (version->valid == 0 ||
		    ((version->valid & bit) != 0) == valid ||
		    (keeps_last && version->valid == bit) ||
		    !overlaps(coherence, i, box))
			continue;
		split(coherence, i, box);
		at(&coherence->versions, i)->valid ^= bit;
	}
	join_if_many(coherence);
}

void plait__coherence_add(plait__coherence *coherence, const plait_box *box,
			  uint32_t memory)
{
	change(coherence, box, memory, true, false);
}

void plait__coherence_drop(plait__coherence *coherence, const plait_box *box,
			   uint32_t memory)
{
	change(coherence, box, memory, false, false);
}

void plait__coherence_lose(plait__coherence *coherence, const plait_box *box,
			   uint32_t memory)
{
	change(coherence, box, memory, false, true);
}

void plait__coherence_drop_around(plait__coherence *coherence,
				  const plait_box *box, uint32_t memory)
{
	const uint64_t others = ~(UINT64_C(1) << memory);

	for (uint32_t i = 0; i < coherence->versions.count; i++) {
		plait__version *version = at(&coherence->versions, i);

		if (overlaps(coherence, i, box) &&
		    (version->valid & others) != 0)
			version->valid &= others;
	}
}

/* ---- questions ---- */

bool plait__coherence_find(const plait__coherence *coherence,
			   const plait_box *box, uint32_t memory, bool valid,
			   plait__vector *out)
{
	for (uint32_t i = 0; i < coherence->versions.count; i++) {
		plait__version version;

		if ((at(&coherence->versions, i)->valid >> memory & 1) !=
			    valid ||
		    !overlaps(coherence, i, box))
			continue;
		version = *at(&coherence->versions, i);
		version.box = plait__box_list_meet(&version.box, box);
		if (PLAIT__VECTOR_ADD(out, &version) == NULL)
			return false;
	}
	plait__coherence_join(out);
	return true;
}

uint64_t plait__coherence_missing(const plait__coherence *coherence,
				  const plait_box *box, uint32_t memory)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < coherence->versions.count; i++) {
		const plait__version *version = at(&coherence->versions, i);
		plait_box part;

		if (version->valid == 0 || (version->valid >> memory & 1) != 0 ||
		    !overlaps(coherence, i, box))
			continue;
		part = plait__box_list_meet(&version->box, box);
		count += plait__box_elements(&part);
	}
	return count;
}

/* ---- ends ---- */

void plait__coherence_init(plait__coherence *coherence,
			   const plait_allocator *allocator,
			   const plait_box *whole, uint64_t valid)
{
	const plait__version first = { .box = *whole, .valid = valid };

	*coherence = (plait__coherence){ .join_at = JOIN_AT_LEAST };
	plait__vector_init(&coherence->versions, allocator,
			   sizeof(plait__version));
	coherence->failed =
		PLAIT__VECTOR_ADD(&coherence->versions, &first) == NULL;
}

void plait__coherence_fini(plait__coherence *coherence)
{
	plait__vector_fini(&coherence->versions);
}
