/* SPDX-License-Identifier: MIT */
/* Helpers for tests of captures: queues, signals and buffers on a backend, a
 * kernel and a function. */
#ifndef T_GRAPH_CAPTURES_H
#define T_GRAPH_CAPTURES_H

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "plait/plait.h"

#include "lib/tap.h"

enum { QUEUES = 3, BUFFERS = 4, BYTES = 32, HOSTS = 2 };

static plait_context *context;
static plait_device *device;
static plait_queue *queues[QUEUES];
static plait_signal *signals[QUEUES];
static plait_buffer *buffers[BUFFERS];
static plait_kernel *kernel;
static unsigned char hosts[HOSTS][BYTES];
static _Atomic int calls;
static plait_error error;

static inline int32_t mix(void *const *arguments, const plait_launch *launch,
		   void *user_data)
{
	unsigned char *to = *(unsigned char **)arguments[0];
	const unsigned char *from = *(unsigned char **)arguments[1];
	uint32_t by = *(uint32_t *)arguments[2];

	(void)user_data;
	for (uint64_t i = 0; i < launch->items[0]; i++)
		to[i] = (unsigned char)(3 * to[i] + from[i] + by);
	return 0;
}

static inline int32_t count_call(void *user_data)
{
	(void)user_data;
	calls++;
	return 0;
}

static inline bool open_with(const char *backends)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = backends };
	const plait_kernel_desc made = {
		.size = sizeof(made), .function = mix, .signature =
		"mix(to: inout pointer u8, from: in pointer u8, by: u32)",
	};
	const plait_buffer_desc bytes = { .size = sizeof(bytes),
					  .bytes = BYTES };

	error = (plait_error){ .size = sizeof(error) };
	calls = 0;
	if (!IS_INT(plait_context_open(&desc, &context, &error), PLAIT_OK))
		return false;
	IS_INT(plait_context_device(context, 0, &device, &error), PLAIT_OK);
	IS_INT(plait_kernel_create(context, &made, &kernel, &error), PLAIT_OK);
	for (int i = 0; i < QUEUES; i++) {
		IS_INT(plait_queue_create(device, NULL, &queues[i], &error),
		       PLAIT_OK);
		IS_INT(plait_signal_create(device, NULL, &signals[i], &error),
		       PLAIT_OK);
	}
	for (int i = 0; i < BUFFERS; i++)
		IS_INT(plait_buffer_create(device, &bytes, &buffers[i],
					   &error), PLAIT_OK);
	return true;
}

static inline void is_gone(int32_t type)
{
	uint64_t since = 0;

	while (plait_live_count(type) != 0 && !tap_late(&since))
		(void)sched_yield();
	IS_INT(plait_live_count(type), 0);
}

static inline void close_all(void)
{
	for (int i = 0; i < QUEUES; i++) {
		plait_queue_release(queues[i]);
		plait_signal_release(signals[i]);
	}
	for (int i = 0; i < BUFFERS; i++)
		plait_buffer_release(buffers[i]);
	plait_kernel_release(kernel);
	plait_context_release(context);
	/* The reclaim thread may have the last hold. */
	is_gone(0);
}

static inline void well(plait_status status)
{
	if (!IS_INT(status, PLAIT_OK))
		NOTE("%s", error.text);
}

#endif
