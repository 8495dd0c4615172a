/* SPDX-License-Identifier: MIT */
/* Remembered accesses of the race check; see race_memory.h. */
#include "object/races/race_memory.h"

#include "base/alloc.h"

#include <string.h>

enum { FIRST_CAPACITY = 8 };

/* ---- events ---- */

plait__race_event *plait__race_memory_event(plait__race_memory *memory)
{
	plait__race_event *event;

	if (memory->event_count >= PLAIT__RACE_EVENTS)
		plait__race_memory_clear(memory);
	event = plait__alloc(memory->allocator, sizeof(*event));
	if (event == NULL)
		return NULL;
	event->uses = 1;
	memory->event_count++;
	return event;
}

void plait__race_memory_drop(plait__race_memory *memory,
			     plait__race_event *event)
{
	if (event == NULL || --event->uses > 0)
		return;
	memory->event_count--;
	plait__free(memory->allocator, event, sizeof(*event));
}

/* ---- roots ---- */

static struct plait__race_root **link_of(plait__race_memory *memory,
					 const plait__race_access *access)
{
	uint64_t key = (uintptr_t)access->root + access->native;
	uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15) >> 56;
	struct plait__race_root **link =
		&memory->buckets[hash % PLAIT__RACE_BUCKETS];

	while (*link != NULL && ((*link)->root != access->root ||
				 (*link)->native != access->native))
		link = &(*link)->next;
	return link;
}

static struct plait__race_root *root_of(plait__race_memory *memory,
					const plait__race_access *access)
{
	struct plait__race_root **link = link_of(memory, access);

	if (*link != NULL)
		return *link;
	*link = plait__alloc(memory->allocator, sizeof(**link));
	if (*link == NULL)
		return NULL;
	(*link)->root = access->root;
	(*link)->native = access->native;
	return *link;
}

/* The root has the record. */
static void remove_record(plait__race_memory *memory,
			  struct plait__race_root *root, uint32_t index)
{
	plait__race_record *at = &root->records[index];

	plait__race_memory_drop(memory, at->event);
	root->count--;
	memmove(at, at + 1, (root->count - index) * sizeof(*at));
	if (root->count == 0)
		root->longest = 0;
}

/* Remove the records for which `is_old` holds, in one pass. */
static void remove_if(plait__race_memory *memory, struct plait__race_root *root,
		      bool (*is_old)(const plait__race_record *record,
				     const void *arg), const void *arg)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < root->count; i++)
		if (is_old(&root->records[i], arg))
			plait__race_memory_drop(memory,
						root->records[i].event);
		else
			root->records[kept++] = root->records[i];
	root->count = kept;
	if (kept == 0)
		root->longest = 0;
}

static bool is_below(const plait__race_record *record, const void *arg)
{
	return record->serial < *(const uint64_t *)arg;
}

/* Make room for one more record: grow, or forget the older half. */
static bool reserve(plait__race_memory *memory, struct plait__race_root *root)
{
	uint32_t capacity = root->capacity == 0 ? (uint32_t)FIRST_CAPACITY :
						  2 * root->capacity;
	uint64_t sum = 0, mean;
	void *records;

	if (root->count < root->capacity)
		return true;
	if (capacity <= PLAIT__RACE_RECORDS) {
		records = plait__realloc(
			memory->allocator, root->records,
			root->capacity * sizeof(*root->records),
			capacity * sizeof(*root->records));
		if (records == NULL)
			return false;
		root->records = records;
		root->capacity = capacity;
		return true;
	}
	for (uint32_t i = 0; i < root->count; i++)
		sum += memory->serial - root->records[i].serial;
	mean = memory->serial - sum / root->count;
	remove_if(memory, root, is_below, &mean);
	if (root->count == root->capacity)
		remove_record(memory, root, 0);
	return true;
}

static void free_root(plait__race_memory *memory,
		      struct plait__race_root **link)
{
	struct plait__race_root *root = *link;

	while (root->count > 0)
		plait__race_memory_drop(memory,
					root->records[--root->count].event);
	plait__free(memory->allocator, root->records,
		    root->capacity * sizeof(*root->records));
	*link = root->next;
	plait__free(memory->allocator, root, sizeof(*root));
}

/* ---- accesses ---- */

/* The first record that may end behind `first`. */
static uint32_t find_first(const struct plait__race_root *root, uint64_t first)
{
	uint64_t from = first > root->longest ? first - root->longest : 0;
	uint32_t low = 0, high = root->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (root->records[middle].first < from)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_ordered(const plait__race_event *older,
		       const plait__race_event *newer)
{
	return newer->clock.before[older->track] >= older->position;
}

static bool take_turns(const plait__race_event *older,
		       const plait__race_event *newer)
{
	return older->program != NULL && older->program == newer->program &&
	       !newer->overlaps;
}

static bool is_race(const plait__race_memory *memory,
		    const plait__race_record *older,
		    const plait__race_record *newer)
{
	return (older->writes || newer->writes) &&
	       !(older->atomic && newer->atomic) &&
	       older->first < newer->end && newer->first < older->end &&
	       !is_ordered(older->event, newer->event) &&
	       !take_turns(older->event, newer->event) &&
	       !plait__race_clock_may_order(&older->event->clock,
					    &newer->event->clock,
					    memory->tracks);
}

/* Returns true if all that races with the older access also races with the
 * newer one. */
static bool replaces(const plait__race_record *newer,
		     const plait__race_record *older)
{
	return newer->first <= older->first && older->end <= newer->end &&
	       (newer->writes || !older->writes) &&
	       (!newer->atomic || older->atomic) &&
	       (newer->event->program == NULL ||
		older->event->program == newer->event->program) &&
	       newer->event->clock.sure[older->event->track] >=
		       older->event->position;
}

/* `reserve` has made room. */
static void insert(struct plait__race_root *root,
		   const plait__race_record *record)
{
	uint32_t at = root->count;

	while (at > 0 && root->records[at - 1].first > record->first)
		at--;
	memmove(&root->records[at + 1], &root->records[at],
		(root->count - at) * sizeof(*record));
	root->records[at] = *record;
	root->count++;
	if (root->longest < record->end - record->first)
		root->longest = record->end - record->first;
}

/* Compare with those that overlap, and remove those that it replaces. */
static void compare(plait__race_memory *memory, struct plait__race_root *root,
		    const plait__race_record *newer, plait__race_found *found,
		    void *arg)
{
	uint32_t i = find_first(root, newer->first);

	while (i < root->count && root->records[i].first < newer->end) {
		if (is_race(memory, &root->records[i], newer))
			found(arg, &root->records[i], newer);
		if (replaces(newer, &root->records[i]))
			remove_record(memory, root, i);
		else
			i++;
	}
}

bool plait__race_memory_add(plait__race_memory *memory,
			    const plait__race_access *access,
			    plait__race_event *event,
			    const plait__race_work *work,
			    plait__race_found *found, void *arg)
{
	plait__race_record record = {
		.first = access->first, .end = access->end,
		.serial = ++memory->serial, .event = event,
		.writes = access->writes, .atomic = access->atomic,
		.verb = work->verb,
	};
	struct plait__race_root *root;

	if (access->first >= access->end)
		return true;
	if (work->label != NULL)
		(void)strncpy(record.label, work->label,
			      sizeof(record.label) - 1);
	root = root_of(memory, access);
	if (root == NULL)
		return false;
	compare(memory, root, &record, found, arg);
	if (!reserve(memory, root))
		return false;
	event->uses++;
	insert(root, &record);
	return true;
}

/* ---- forgetting ---- */

struct undone {
	uint64_t serial;
	uint32_t track;
};

static bool is_undone(const plait__race_record *record, const void *arg)
{
	const struct undone *undone = arg;

	return record->serial >= undone->serial &&
	       record->event->track == undone->track;
}

void plait__race_memory_undo(plait__race_memory *memory, uint32_t track,
			     uint64_t serial)
{
	const struct undone undone = { serial, track };

	for (uint32_t i = 0; i < PLAIT__RACE_BUCKETS; i++)
		for (struct plait__race_root *root = memory->buckets[i];
		     root != NULL; root = root->next)
			remove_if(memory, root, is_undone, &undone);
}

static bool is_inside(const plait__race_record *record, const void *arg)
{
	const plait__race_access *range = arg;

	return record->first < range->end && range->first < record->end;
}

void plait__race_memory_forget(plait__race_memory *memory,
			       const plait__race_access *range)
{
	struct plait__race_root **link = link_of(memory, range);

	if (*link == NULL)
		return;
	remove_if(memory, *link, is_inside, range);
	if ((*link)->count == 0)
		free_root(memory, link);
}

void plait__race_memory_clear(plait__race_memory *memory)
{
	for (uint32_t i = 0; i < PLAIT__RACE_BUCKETS; i++)
		while (memory->buckets[i] != NULL)
			free_root(memory, &memory->buckets[i]);
}

void plait__race_memory_fini(plait__race_memory *memory)
{
	plait__race_memory_clear(memory);
}
