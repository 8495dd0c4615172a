/* SPDX-License-Identifier: MIT */
/*
 * Helpers for tests of objects: a context with a device, a queue, a signal and
 * a gate, on each backend that is always built, with and without workers.
 */
#ifndef T_OBJECTS_H
#define T_OBJECTS_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "plait/plait.h"
#include "tap.h"

/* Tests that run on one place only can be built for a driver instead. */
#ifdef ON_DRIVER
#include "driver.h"
#define FIRST_BACKEND DRIVER_BACKEND
#else
#define FIRST_BACKEND "host"
#endif

struct rig {
	const char *backend;
	uint32_t workers;
	uint32_t flags;
	const char *options;
	plait_context *context;
	plait_device *device;
	plait_queue *queue;
	plait_signal *signal;
	plait_signal *gate;
	plait_error error;
};

/* A test of objects must pass for each of these. */
__attribute__((unused))
static struct rig settings[] = {
	{ .backend = FIRST_BACKEND, .workers = 2 },
	{ .backend = FIRST_BACKEND, .flags = PLAIT_CONTEXT_NO_WORKERS },
	{ .backend = "chaos", .flags = PLAIT_CONTEXT_NO_WORKERS },
};

#define SETTINGS TAP_COUNT(settings)

/* For a test that has `rig`: the call returns `want`, with a text that contains
 * `part`. */
#define REFUSED(call, want, part) \
	do { \
		rig->error.text[0] = '\0'; \
		IS_INT(call, want); \
		HAS_STR(rig->error.text, part); \
	} while (0)

/* A handle, or an address, that the library never gave out. */
static inline void *forged(uint64_t value)
{
	return (void *)(uintptr_t)value;
}

/*
 * Check the memory of contexts that were opened with `counting` as their
 * allocator: none is left once they have ended with their backends, which may
 * happen on another thread, later than the release of the last handle.
 */
static int64_t blocks_held;

static inline void *count_block(void *user_data, void *pointer,
				uint64_t old_bytes, uint64_t new_bytes)
{
	void *grown;

	(void)user_data;
	(void)old_bytes;
	if (new_bytes == 0) {
		free(pointer);
		if (pointer != NULL)
			__atomic_sub_fetch(&blocks_held, 1, __ATOMIC_SEQ_CST);
		return NULL;
	}
	grown = realloc(pointer, new_bytes);
	if (pointer == NULL && grown != NULL)
		__atomic_add_fetch(&blocks_held, 1, __ATOMIC_SEQ_CST);
	return grown;
}

static const plait_allocator counting = { .size = sizeof(plait_allocator),
					  .resize = count_block };

static inline bool open_context(struct rig *rig)
{
	plait_context_desc desc = { .size = sizeof(desc),
				    .flags = rig->flags,
				    .workers = rig->workers,
				    .options = rig->options,
				    .backends = rig->backend };

#ifdef ON_DRIVER
	look_for_driver();
	desc.options = DRIVER_OPTIONS;
#endif
#ifdef ON_CUDA
	desc.allocator = &counting; /* the driver's memory counts as well */
#endif
	memset(&rig->error, 0, sizeof(rig->error));
	rig->error.size = sizeof(rig->error);
	rig->queue = NULL;
	rig->signal = NULL;
	rig->gate = NULL;
	return OK_THAT(plait_context_open(&desc, &rig->context,
					  &rig->error) == PLAIT_OK,
		       "open %s: %s", rig->backend, rig->error.text) &&
	       OK(plait_context_device(rig->context, 0, &rig->device,
				       &rig->error) == PLAIT_OK);
}

static inline bool open_rig(struct rig *rig)
{
	plait_signal_desc gate = { .size = sizeof(gate),
				   .flags = PLAIT_SIGNAL_GATE,
				   .label = "gate" };
	plait_queue_desc queue = { .size = sizeof(queue), .label = "q" };

	NOTE("%s, %u workers", rig->backend, rig->workers);
	return open_context(rig) &&
	       OK(plait_queue_create(rig->device, &queue, &rig->queue,
				     &rig->error) == PLAIT_OK) &&
	       OK(plait_signal_create(rig->device, NULL, &rig->signal,
				      &rig->error) == PLAIT_OK) &&
	       OK(plait_signal_create(rig->device, &gate, &rig->gate,
				      &rig->error) == PLAIT_OK);
}

static inline void pause_a_little(void)
{
	const struct timespec time = { 0, 200000 };

	nanosleep(&time, NULL);
}

static inline bool is_all_gone(void)
{
	return plait_live_count(PLAIT_OBJECT_ANY) == 0 &&
	       __atomic_load_n(&blocks_held, __ATOMIC_SEQ_CST) == 0;
}

/* Work in flight at the last release ends in the background. */
static inline bool all_gone(void)
{
	uint64_t since = 0;

	while (!is_all_gone() && !tap_late(&since))
		pause_a_little();
	return is_all_gone();
}

static inline void close_rig(struct rig *rig)
{
	plait_signal_release(rig->gate);
	plait_signal_release(rig->signal);
	plait_queue_release(rig->queue);
	plait_context_release(rig->context);
	OK(all_gone());
#ifdef ON_CUDA
	standin_is_clean();
#endif
}

static inline int32_t add_one(void *user_data)
{
	__atomic_add_fetch((int *)user_data, 1, __ATOMIC_SEQ_CST);
	return 0;
}

static inline int32_t return_it(void *user_data)
{
	return (int32_t)(intptr_t)user_data;
}

static inline plait_buffer *make_buffer(struct rig *rig, uint64_t bytes,
					const char *label)
{
	plait_buffer_desc desc = { .size = sizeof(desc), .bytes = bytes,
				   .label = label };
	plait_buffer *buffer;

	OK(plait_buffer_create(rig->device, &desc, &buffer, &rig->error) ==
	   PLAIT_OK);
	return buffer;
}

#endif
