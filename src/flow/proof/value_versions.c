/* SPDX-License-Identifier: MIT */
/* Versions per element and memory; see value_versions.h. */
#include "flow/proof/value_versions.h"

#include "base/alloc.h"

#include <stddef.h>

static uint64_t bytes_of(uint32_t memories)
{
	return sizeof(plait__value_versions) +
	       (memories + 1) * sizeof(plait__front_map);
}

plait__value_versions *
plait__value_versions_make(const plait_allocator *allocator,
			   const plait_box *whole, uint32_t memories)
{
	plait__value_versions *versions =
		plait__alloc(allocator, bytes_of(memories));

	if (versions == NULL)
		return NULL;
	versions->memories = memories;
	for (uint32_t i = 0; i <= memories; i++) {
		plait__front_map_init(&versions->maps[i], allocator, whole);
		if (i > 1)
			versions->maps[i].front.writer =
				PLAIT__VALUE_VERSIONS_NONE;
	}
	return versions;
}

void plait__value_versions_free(plait__value_versions *versions,
				const plait_allocator *allocator)
{
	if (versions == NULL)
		return;
	for (uint32_t i = 0; i <= versions->memories; i++)
		plait__front_map_fini(&versions->maps[i]);
	plait__free(allocator, versions, bytes_of(versions->memories));
}

/* The part of a piece that is in a box. */
static plait_box clip(const plait_box *piece, const plait_box *box)
{
	plait_box part = *piece;

	for (int d = 0; d < 3; d++) {
		if (part.low[d] < box->low[d])
			part.low[d] = box->low[d];
		if (part.high[d] > box->high[d])
			part.high[d] = box->high[d];
	}
	return part;
}

/* ---- comparison ---- */

struct comparison {
	plait__value_versions *versions;
	plait_box box; /* then a piece of it, with `version` */
	uint64_t version;
	plait__stale_values *out;
	bool found;
};

static void compare_piece(void *arg, plait__front *front,
			  const plait_box *piece)
{
	struct comparison *by = arg;

	if (by->found || front->writer == by->version)
		return;
	by->found = true;
	*by->out = (plait__stale_values){ clip(piece, &by->box), by->version,
					  front->writer };
}

static void compare(void *arg, plait__front *front, const plait_box *piece)
{
	struct comparison by = *(struct comparison *)arg;

	if (by.found)
		return;
	by.box = clip(piece, &by.box);
	by.version = front->writer;
	plait__front_map_visit_box(&by.versions->maps[0], &by.box,
				   compare_piece, &by);
	((struct comparison *)arg)->found = by.found;
}

bool plait__value_versions_are_newest(plait__value_versions *versions,
				      const plait_box *box, uint32_t memory,
				      plait__stale_values *out)
{
	struct comparison by = { .versions = versions, .box = *box,
				 .out = out };

	plait__front_map_visit_box(&versions->maps[memory + 1], box, compare,
				   &by);
	return !by.found;
}

/* ---- changes ---- */

static void set_piece(void *arg, plait__front *front, const plait_box *piece)
{
	(void)piece;
	front->writer = *(const uint64_t *)arg;
}

static bool set(plait__front_map *map, const plait_box *box, uint64_t version)
{
	if (map->pieces > map->join_at)
		plait__front_map_join(map);
	if (!plait__front_map_cut(map, box))
		return false;
	plait__front_map_visit_box(map, box, set_piece, &version);
	return true;
}

bool plait__value_versions_write(plait__value_versions *versions,
				 const plait_box *box, uint32_t memory,
				 uint64_t version)
{
	return set(&versions->maps[0], box, version) &&
	       set(&versions->maps[memory + 1], box, version);
}

bool plait__value_versions_drop(plait__value_versions *versions,
				const plait_box *box, uint32_t memory)
{
	return set(&versions->maps[memory + 1], box,
		   PLAIT__VALUE_VERSIONS_NONE);
}

struct copy {
	plait__front_map *to;
	plait_box box;
	bool done;
};

static void copy_piece(void *arg, plait__front *front, const plait_box *piece)
{
	struct copy *copy = arg;
	plait_box part = clip(piece, &copy->box);

	copy->done = copy->done && set(copy->to, &part, front->writer);
}

bool plait__value_versions_copy(plait__value_versions *versions,
				const plait_box *box, uint32_t from,
				uint32_t to)
{
	struct copy copy = { &versions->maps[to + 1], *box, true };

	plait__front_map_visit_box(&versions->maps[from + 1], box, copy_piece,
				   &copy);
	return copy.done;
}
