/* SPDX-License-Identifier: MIT */
/*
 * Group E, continued: fault sweeps.  A small complete scenario runs with a failure
 * of the k-th allocation, or of the k-th backend call, for every k.  Each outcome
 * has a reason, comes in time and leaks nothing.
 */
#include "conform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void conform_no_memory(struct conform *c);
void conform_failing_calls(struct conform *c);
void conform_lost_device(struct conform *c);

enum { MOST = 1000, QUIET = 20 };

struct life {
	plait_context *context;
	plait_device *device;
	plait_queue *queue;
	plait_signal *signal;
	plait_buffer *buffer;
};

static plait_status make(struct conform *c, struct life *life,
			 const plait_context_desc *desc)
{
	plait_buffer_desc bytes = { .size = sizeof(bytes), .bytes = 256 };
	plait_status status;

	memset(life, 0, sizeof(*life));
	status = conform_open(c, desc, &life->context);
	if (status == PLAIT_OK)
		status = plait_context_device(life->context, 0, &life->device,
					      ERR);
	if (status == PLAIT_OK)
		status = plait_queue_create(life->device, NULL, &life->queue,
					    ERR);
	if (status == PLAIT_OK)
		status = plait_signal_create(life->device, NULL,
					     &life->signal, ERR);
	if (status == PLAIT_OK)
		status = plait_buffer_create(life->device, &bytes,
					     &life->buffer, ERR);
	return status;
}

/* Run the scenario; stop at the first failure. */
static plait_status live(struct conform *c, struct life *life,
			 const plait_context_desc *desc)
{
	static atomic_int count;
	/* Static: a read may complete after its wait has failed. */
	static unsigned char got[256];
	plait_status status = make(c, life, desc);

	if (status == PLAIT_OK)
		status = plait_queue_fill(life->queue, life->buffer, 0, 256,
					  5, 1, ERR);
	if (status == PLAIT_OK)
		status = plait_queue_call(life->queue, conform_count_up,
					  &count, ERR);
	if (status == PLAIT_OK)
		status = plait_queue_emit(life->queue, life->signal, NULL,
					  ERR);
	if (status == PLAIT_OK)
		status = plait_signal_wait(life->signal, 1, PLAIT_FOREVER,
					   ERR);
	if (status == PLAIT_OK)
		status = plait_queue_read(life->queue, life->buffer, 0, got,
					  256, ERR);
	HOLDS(status != PLAIT_OK || got[255] == 5);
	return status;
}

static plait_status live_and_die(struct conform *c,
				 const plait_context_desc *desc)
{
	struct life life;
	plait_status status = live(c, &life, desc);
	plait_error said = c->error;

	if (status != PLAIT_OK && life.queue != NULL)
		plait_queue_finish(life.queue, PLAIT_FOREVER, NULL);
	plait_buffer_release(life.buffer);
	plait_signal_release(life.signal);
	plait_queue_release(life.queue);
	plait_context_release(life.context);
	if (!conform_drain(c))
		conform_end(c);
	c->error = said;
	return status;
}

/* Return true if all memory of the k-th scenario is freed. */
static bool nothing_left(struct conform *c, struct conform_memory *memory,
			 long long k)
{
	conform_memory_settle(memory);
	return HOLDS_THAT(atomic_load(&memory->live_bytes) == 0 &&
			  atomic_load(&memory->live_blocks) == 0,
			  "number %lld fails: %lld bytes in %lld blocks are "
			  "left", k, atomic_load(&memory->live_bytes),
			  atomic_load(&memory->live_blocks));
}

/* --- E2 ------------------------------------------------------------------ */

void conform_no_memory(struct conform *c)
{
	static struct conform_memory memory;
	plait_context_desc desc = { .size = sizeof(desc), .workers = 1,
				    .allocator = &memory.allocator };
	plait_status status;
	long long k, calls;

	conform_memory_init(&memory, 0);
	NEED(live_and_die(c, &desc));
	calls = atomic_load(&memory.calls);
	for (k = 1; k <= MOST; k++) {
		conform_memory_init(&memory, k);
		status = live_and_die(c, &desc);
		if (status != PLAIT_OK)
			GIVES(status, PLAIT_E_NOMEM);
		if (!nothing_left(c, &memory, k) ||
		    atomic_load(&memory.calls) < k)
			break;
	}
	conform_note(c, "%lld allocations, %lld made to fail", calls, k - 1);
	conform_memory_init(&memory, 0);
	NEED(live_and_die(c, &desc));
}

/* --- E3, E4 -------------------------------------------------------------- */

/* Append to the user's interposers, so that this one wraps them. */
static void add_fault(plait_context_desc *desc, const char *option,
		      long long k, char wrap[256], char options[1024])
{
	const char *wraps = getenv("PLAIT_WRAP");
	const char *given = getenv("PLAIT_OPTIONS");

	snprintf(wrap, 256, "fault%s%.200s", wraps && *wraps ? "," : "",
		 wraps ? wraps : "");
	snprintf(options, 1024, "fault:%s=%lld%s%.900s", option, k,
		 given && *given ? ";" : "", given ? given : "");
	desc->wrap = wrap;
	desc->options = options;
}

/* `want`: the expected status once the backend is open. */
static void sweep(struct conform *c, const char *option, plait_status want)
{
	static struct conform_memory memory;
	plait_context_desc desc = { .size = sizeof(desc), .workers = 1,
				    .allocator = &memory.allocator };
	char wrap[256], options[1024];
	plait_status status;
	int quiet = 0, failed = 0;

	conform_memory_init(&memory, 0);
	add_fault(&desc, option, MOST * 1000, wrap, options);
	status = live_and_die(c, &desc);
	if (status == PLAIT_E_UNAVAILABLE)
		conform_skip(c, "the interposer is missing: %s",
			     c->error.text);
	NEED(status);
	for (long long k = 1; k <= MOST && quiet < QUIET; k++) {
		conform_memory_init(&memory, 0);
		add_fault(&desc, option, k, wrap, options);
		status = live_and_die(c, &desc);
		if (!nothing_left(c, &memory, k))
			return;
		quiet = status == PLAIT_OK ? quiet + 1 : 0;
		failed += status != PLAIT_OK;
		/* A backend that fails while opening is unavailable. */
		if (status != PLAIT_OK && status != PLAIT_E_UNAVAILABLE)
			GIVES(status, want);
	}
	HOLDS_THAT(failed > 5, "some calls fail: %d", failed);
	conform_note(c, "%d calls of the backend made to fail", failed);
}

void conform_failing_calls(struct conform *c)
{
	sweep(c, "fail", PLAIT_E_NOMEM);
}

void conform_lost_device(struct conform *c)
{
	sweep(c, "lost", PLAIT_E_LOST);
}
