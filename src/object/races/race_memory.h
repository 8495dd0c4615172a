/* SPDX-License-Identifier: MIT */
/*
 * Accesses to memory that the race check remembers: per memory, an array sorted
 * by address.  An access that covers an ordered older one replaces it, so a
 * program that orders its accesses keeps few.  The sizes are bounded: a full
 * array forgets about its older half, and without a free event all accesses
 * are forgotten, and their races with them.  Guarded by the lock of races.c.
 */
#ifndef PLAIT_SRC_OBJECT_RACES_RACE_MEMORY_H
#define PLAIT_SRC_OBJECT_RACES_RACE_MEMORY_H

#include "plait/base.h"

#include "object/handle/object.h"
#include "object/races/race_clock.h"

enum {
	PLAIT__RACE_LABEL_BYTES = 40,
	/* Remembered accesses to one memory, and events. */
	PLAIT__RACE_RECORDS = 512,
	PLAIT__RACE_EVENTS = 4096
};

/* Accesses in a row on one track, with one vector clock; or a run. */
typedef struct plait__race_event {
	uint32_t uses;		/* by records, and by its queue */
	uint32_t track;		/* never PLAIT__RACE_NO_TRACK */
	uint64_t position;
	/* Runs of one program take turns, unless the later one overlaps. */
	const void *program;
	bool overlaps;
	plait__race_clock clock;
	char place[PLAIT__OBJECT_NAME_BYTES]; /* name of the queue */
} plait__race_event;

/* For messages. */
typedef struct plait__race_work {
	const char *verb;	/* "fill"; constant */
	const char *label;	/* or null */
	const plait__object *buffer;
} plait__race_work;

/* Bytes of a root buffer (null: of the host's memory, or of `native`). */
typedef struct plait__race_access {
	const void *root;
	uint64_t native;
	uint64_t first;
	uint64_t end;
	bool writes;
	bool atomic;		/* commutes with other atomic accesses */
} plait__race_access;

typedef struct plait__race_record {
	uint64_t first;
	uint64_t end;
	uint64_t serial;
	plait__race_event *event; /* used */
	bool writes;
	bool atomic;
	const char *verb;
	char label[PLAIT__RACE_LABEL_BYTES];
} plait__race_record;

struct plait__race_root {
	struct plait__race_root *next; /* of its bucket */
	const void *root;
	uint64_t native;
	plait__race_record *records; /* sorted by `first` */
	uint32_t count;
	uint32_t capacity;
	uint64_t longest;	/* bytes of the longest record, or more */
};

enum { PLAIT__RACE_BUCKETS = 256 };

typedef struct plait__race_memory {
	const plait_allocator *allocator;
	struct plait__race_root *buckets[PLAIT__RACE_BUCKETS];
	uint64_t serial;	/* of the newest record */
	uint32_t event_count;
	uint32_t tracks;	/* in use, or used before */
} plait__race_memory;

/* Called for each remembered access that races with the new one. */
typedef void plait__race_found(void *arg, const plait__race_record *older,
			       const plait__race_record *newer);

void plait__race_memory_fini(plait__race_memory *memory);

/* A new event with one use, or null without memory.  If PLAIT__RACE_EVENTS exist
 * all accesses are forgotten first. */
plait__race_event *plait__race_memory_event(plait__race_memory *memory);
void plait__race_memory_drop(plait__race_memory *memory,
			     plait__race_event *event);

/* Compare an access with those before, then remember it.  Returns false
 * without memory. */
bool plait__race_memory_add(plait__race_memory *memory,
			    const plait__race_access *access,
			    plait__race_event *event,
			    const plait__race_work *work,
			    plait__race_found *found, void *arg);

/* Forget the accesses of a track from a serial on; those to some memory; all.
 */
void plait__race_memory_undo(plait__race_memory *memory, uint32_t track,
			     uint64_t serial);
void plait__race_memory_forget(plait__race_memory *memory,
			       const plait__race_access *range);
void plait__race_memory_clear(plait__race_memory *memory);

#endif
