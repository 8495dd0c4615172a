/* SPDX-License-Identifier: MIT */
/* Memo of changes of owner maps; see owner_memo.h. */
#include "flow/rank/owner_memo.h"

#include <stddef.h>
#include <string.h>

/* A writer that is a task of the launch; its index follows. */
#define NEW (UINT32_C(1) << 31)

typedef struct plait__owner_map {
	plait__coherence *owners;
	uint32_t before, after; /* versions */
	uint32_t join_at; /* behind the tasks */
	uint32_t joined_at; /* before */
} plait__owner_map;

static plait__owner_map *map_at(const plait__owner_memo *memo, uint32_t i)
{
	return plait__vector_at(&memo->maps, i);
}

static plait__version *version_at(const plait__vector *versions, uint32_t i)
{
	return plait__vector_at(versions, i);
}

static uint32_t word_at(const plait__vector *words, uint32_t i)
{
	return *(uint32_t *)plait__vector_at(words, i);
}

void plait__owner_memo_init(plait__owner_memo *memo,
			    const plait_allocator *allocator)
{
	memo->is_whole = false;
	plait__vector_init(&memo->maps, allocator, sizeof(plait__owner_map));
	plait__vector_init(&memo->before, allocator, sizeof(plait__version));
	plait__vector_init(&memo->after, allocator, sizeof(plait__version));
	plait__vector_init(&memo->equals, allocator, sizeof(uint32_t));
	plait__vector_init(&memo->firsts, allocator, sizeof(uint32_t));
	plait__vector_init(&memo->writers, allocator, sizeof(uint32_t));
	plait__vector_init(&memo->now, allocator, sizeof(uint32_t));
}

void plait__owner_memo_fini(plait__owner_memo *memo)
{
	plait__vector_fini(&memo->maps);
	plait__vector_fini(&memo->before);
	plait__vector_fini(&memo->after);
	plait__vector_fini(&memo->equals);
	plait__vector_fini(&memo->firsts);
	plait__vector_fini(&memo->writers);
	plait__vector_fini(&memo->now);
}

/* ---- record ---- */

void plait__owner_memo_restart(plait__owner_memo *memo)
{
	memo->is_whole = false;
	plait__vector_truncate(&memo->maps, 0);
	plait__vector_truncate(&memo->before, 0);
	plait__vector_truncate(&memo->after, 0);
	plait__vector_truncate(&memo->equals, 0);
	plait__vector_truncate(&memo->firsts, 0);
	plait__vector_truncate(&memo->writers, 0);
}

/* The first version before with a writer; `none`: there is none. */
static uint32_t find_writer(const plait__owner_memo *memo, uint32_t writer,
			    uint32_t none)
{
	for (uint32_t i = 0; i < memo->firsts.count; i++) {
		uint32_t first = word_at(&memo->firsts, i);

		if (version_at(&memo->before, first)->writer == writer)
			return first;
	}
	return none;
}

static bool keep_writers(plait__owner_memo *memo, uint32_t from)
{
	for (uint32_t i = from; i < memo->before.count; i++) {
		uint32_t first = find_writer(
			memo, version_at(&memo->before, i)->writer, i);

		if (PLAIT__VECTOR_ADD(&memo->equals, &first) == NULL ||
		    (first == i &&
		     PLAIT__VECTOR_ADD(&memo->firsts, &first) == NULL))
			return false;
	}
	return true;
}

/* The same on all ranks, whose maps are equal. */
static bool has_few(const plait__coherence *owners)
{
	return owners->versions.count <= PLAIT__OWNER_MEMO_MOST;
}

static bool append(plait__vector *all, const plait__vector *versions)
{
	return versions->count == 0 ||
	       plait__vector_push(all, versions->items, versions->count) != NULL;
}

bool plait__owner_memo_add(plait__owner_memo *memo, plait__coherence *owners)
{
	const plait__owner_map map = { .owners = owners,
				       .before = owners->versions.count,
				       .joined_at = owners->join_at };
	uint32_t from = memo->before.count;

	for (uint32_t i = 0; i < memo->maps.count; i++)
		if (map_at(memo, i)->owners == owners)
			return true;
	return has_few(owners) && from + map.before <= PLAIT__OWNER_MEMO_ALL &&
	       PLAIT__VECTOR_ADD(&memo->maps, &map) != NULL &&
	       append(&memo->before, &owners->versions) &&
	       keep_writers(memo, from);
}

/* Where the writer of a version behind the tasks is from. */
static bool keep_writer(plait__owner_memo *memo, uint32_t writer, uint32_t base,
			uint32_t count)
{
	uint32_t index = writer - base - 1;
	uint32_t from = index < count ? NEW + index :
			find_writer(memo, writer, UINT32_MAX);

	return from != UINT32_MAX &&
	       PLAIT__VECTOR_ADD(&memo->writers, &from) != NULL;
}

bool plait__owner_memo_end(plait__owner_memo *memo, uint32_t base,
			   uint32_t count)
{
	bool holds = true;

	for (uint32_t i = 0; holds && i < memo->maps.count; i++) {
		plait__owner_map *map = map_at(memo, i);
		const plait__vector *versions = &map->owners->versions;

		map->after = versions->count;
		map->join_at = map->owners->join_at;
		holds = has_few(map->owners) && append(&memo->after, versions);
		for (uint32_t v = 0; holds && v < versions->count; v++)
			holds = keep_writer(memo, version_at(versions, v)->writer,
					    base, count);
	}
	plait__vector_truncate(&memo->now, 0);
	memo->is_whole = holds && plait__vector_push(&memo->now, NULL,
						     memo->before.count) != NULL;
	return memo->is_whole;
}

/* ---- replay ---- */

/* The box and `valid` lie before the writer. */
static inline bool is_equal(const plait__version *one,
			    const plait__version *other)
{
	return one->memory == other->memory &&
	       memcmp(one, other, offsetof(plait__version, writer)) == 0;
}

/* The maps are as before, but for writers, which go to `now`. */
static bool have_shape(plait__owner_memo *memo)
{
	const plait__version *before = memo->before.items;
	uint32_t *now = memo->now.items;

	for (uint32_t m = 0; m < memo->maps.count; m++) {
		const plait__owner_map *map = map_at(memo, m);
		const plait__version *at = map->owners->versions.items;

		if (map->owners->failed ||
		    map->owners->versions.count != map->before ||
		    map->owners->join_at != map->joined_at)
			return false;
		for (uint32_t i = 0; i < map->before; i++) {
			if (!is_equal(&at[i], before++))
				return false;
			*now++ = at[i].writer;
		}
	}
	return true;
}

/* The same versions have equal writers as before. */
static bool have_writers(const plait__owner_memo *memo)
{
	const uint32_t *now = memo->now.items, *firsts = memo->firsts.items;
	const uint32_t *equals = memo->equals.items;

	for (uint32_t i = 0; i < memo->before.count; i++)
		if (now[i] != now[equals[i]])
			return false;
	for (uint32_t i = 0; i < memo->firsts.count; i++)
		for (uint32_t k = 0; k < i; k++)
			if (now[firsts[i]] == now[firsts[k]])
				return false;
	return true;
}

/* Give the versions behind the tasks their writers. */
static void set_writers(const plait__owner_memo *memo, uint32_t base)
{
	const uint32_t *writers = memo->writers.items, *now = memo->now.items;
	plait__version *after = memo->after.items;

	for (uint32_t i = 0; i < memo->after.count; i++)
		after[i].writer = writers[i] >= NEW ?
					  base + 1 + (writers[i] - NEW) :
					  now[writers[i]];
}

static bool reserve(const plait__owner_memo *memo)
{
	for (uint32_t m = 0; m < memo->maps.count; m++) {
		const plait__owner_map *map = map_at(memo, m);

		if (plait__vector_reserve(&map->owners->versions, map->after) !=
		    0)
			return false;
	}
	return true;
}

bool plait__owner_memo_replay(plait__owner_memo *memo, uint32_t base)
{
	uint32_t from = 0;

	if (!memo->is_whole || !have_shape(memo) || !have_writers(memo) ||
	    !reserve(memo))
		return false;
	set_writers(memo, base);
	for (uint32_t m = 0; m < memo->maps.count; m++) {
		const plait__owner_map *map = map_at(memo, m);
		plait__coherence *owners = map->owners;

		plait__vector_truncate(&owners->versions, 0);
		if (map->after > 0)
			(void)plait__vector_push(&owners->versions,
						 version_at(&memo->after, from),
						 map->after);
		owners->join_at = map->join_at;
		from += map->after;
	}
	return true;
}

/* ---- order ---- */

static int order(const void *one, const void *other)
{
	const plait__version *a = one, *b = other;

	for (int d = 2; d >= 0; d--)
		if (a->box.low[d] != b->box.low[d])
			return a->box.low[d] < b->box.low[d] ? -1 : 1;
	return 0;
}

void plait__owner_memo_settle(plait__coherence *owners)
{
	if (!has_few(owners))
		return;
	plait__coherence_join(&owners->versions);
	plait__vector_sort(&owners->versions, order);
}
