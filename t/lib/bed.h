/* SPDX-License-Identifier: MIT */
/*
 * Test bed for one backend: an open backend on a fake host, optionally wrapped
 * in interposers, and short forms of its slots, for tests that call a plugin's
 * table directly.
 */
#ifndef BED_H
#define BED_H

#include "fakehost.h"

enum { BED_LAYERS = 4 };

struct bed {
	fakehost host;
	plait_backend_table table; /* the outermost */
	plait_backend *self;
	plait_error error;
	plait_backend_table layers[BED_LAYERS];
	/* Letters in the order in which bed_write_letter appended them. */
	char letters[256];
};

extern struct bed bed;

/*
 * Opens "backend", or "outer,inner,backend", with options for all of them.
 * Returns false, with failed checks, on failure.
 */
bool bed_open(const char *names, const char *options);
/* Does the same without counted checks. */
bool bed_open_quietly(const char *names, const char *options);
/* Does the same around a table of the test's own; the last name is left out. */
bool bed_wrap(const char *names, const char *options,
	      const plait_backend_table *inner);
/* Closes, and checks that nothing leaked. */
void bed_close(void);
/* Does the same when the test expects errors in the log. */
void bed_close_sinful(void);

plait_backend_queue *bed_queue_on(uint32_t device, const char *label);
plait_backend_signal *bed_signal_of(uint32_t flags);
plait_backend_memory *bed_memory_on(uint32_t device, uint64_t bytes);
plait_status bed_submit(plait_backend_queue *queue,
			const plait_backend_point *wait,
			const plait_work *work, uint32_t work_count,
			const plait_backend_point *emit);
plait_status bed_wait_for(plait_backend_signal *signal, uint64_t sequence,
			  uint64_t timeout_ns);
/* A host function that appends the letter at `user_data`. */
int32_t bed_write_letter(void *user_data);
plait_work bed_call_of(int32_t (*function)(void *), void *user_data);

#endif
