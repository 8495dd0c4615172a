/* SPDX-License-Identifier: MIT */
/*
 * Measured times of kernels, by code, device and size class. The size class of
 * n items is 4 log2 n, rounded down. When the history is full, the half that was
 * measured longest ago goes.
 */
#ifndef PLAIT_SRC_FLOW_POLICY_HISTORY_H
#define PLAIT_SRC_FLOW_POLICY_HISTORY_H

#include "flow/policy/time_model.h"

#include "base/hash.h"
#include "base/vector.h"

enum {
	PLAIT__HISTORY_CLASSES = 256,
	PLAIT__HISTORY_DEVICES = 256,
	PLAIT__HISTORY_ENTRIES = 16384,
	PLAIT__HISTORY_NAME_BYTES = 200	/* of a device, with its NUL */
};

typedef struct plait__history_key {
	unsigned char code[PLAIT__HASH_BYTES]; /* hash of the kernel */
	uint32_t device;	/* as plait__history_device numbers them */
	uint32_t size_class;
} plait__history_key;

typedef struct plait__history_entry {
	plait__history_key key;
	plait__time_model time;
	uint64_t stamp;		/* grows with each measured time */
} plait__history_entry;

typedef struct plait__history_name {
	char text[PLAIT__HISTORY_NAME_BYTES];
} plait__history_name;

typedef struct plait__history {
	const plait_allocator *allocator;
	plait__vector devices;	/* plait__history_name */
	plait__vector entries;	/* plait__history_entry */
	uint32_t *slots;	/* open hash table: index of an entry, + 1 */
	uint32_t slot_count;	/* a power of two, or 0 */
	uint32_t limit;		/* of entries, at least 2 */
	uint64_t stamp;
} plait__history;

void plait__history_init(plait__history *history,
			 const plait_allocator *allocator);
void plait__history_fini(plait__history *history);

/* Number a device by its description, which is cut, with blanks in place of
 * control characters. PLAIT_E_NOMEM: also if there are
 * PLAIT__HISTORY_DEVICES. */
plait_status plait__history_device(plait__history *history,
				   const char *description, uint32_t *out);

/* Returns the size class of that many items; 0 items are of class 0. */
uint32_t plait__history_class(uint64_t items);

/* Returns the entry, or null; valid until the next one is added. */
plait__history_entry *plait__history_find(const plait__history *history,
					  const plait__history_key *key);

/* Returns the entry, perhaps a new and empty one, as the latest; null without
 * memory. */
plait__history_entry *plait__history_touch(plait__history *history,
					   const plait__history_key *key);

/* Add a measured time of a launch with that many items; `key` gives code and
 * device. PLAIT_E_NOMEM: the time is lost. */
plait_status plait__history_add(plait__history *history,
				const plait__history_key *key, uint64_t items,
				uint64_t ns);

/* Sort the entries, the one measured longest ago first. */
void plait__history_sort(plait__history *history);

#endif
