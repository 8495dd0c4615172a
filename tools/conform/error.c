/* SPDX-License-Identifier: MIT */
/* Group E: misuse, exhaustion, shutdown, fork and signal storms. */
#include "conform.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- E1 ------------------------------------------------------------------ */

/* An invalid handle. */
struct bad {
	const char *what;
	void *handle;
};

static bool refusal(plait_status status)
{
	return status == PLAIT_E_HANDLE || status == PLAIT_E_INVALID;
}

#define REFUSED(call) \
	HOLDS_THAT(refusal(call), "%s is refused: " #call, bad->what)

static void bad_queue(struct conform *c, const struct bad *bad,
		      plait_buffer *buffer, plait_signal *signal)
{
	plait_queue *queue = bad->handle;
	char byte = 0;

	REFUSED(plait_queue_call(queue, conform_count_up, &byte, ERR));
	REFUSED(plait_queue_fill(queue, buffer, 0, 1, 1, 1, ERR));
	REFUSED(plait_queue_copy(queue, buffer, 0, buffer, 8, 1, ERR));
	REFUSED(plait_queue_read(queue, buffer, 0, &byte, 1, ERR));
	REFUSED(plait_queue_write(queue, buffer, 0, &byte, 1, ERR));
	REFUSED(plait_queue_emit(queue, signal, NULL, ERR));
	REFUSED(plait_queue_wait(queue, signal, 0, ERR));
	REFUSED(plait_queue_finish(queue, 0, ERR));
	plait_queue_retain(queue);
}

static void bad_objects(struct conform *c, const struct bad *bad,
			plait_queue *queue, plait_buffer *buffer)
{
	plait_signal *signal = bad->handle;
	plait_buffer *other = bad->handle, *view;
	plait_point point = { signal, 1 };
	uint64_t number;
	void *pointer;

	REFUSED(plait_signal_query(signal, &number, NULL, ERR));
	REFUSED(plait_signal_wait(signal, 0, 0, ERR));
	REFUSED(plait_signal_raise(signal, 1, ERR));
	REFUSED(plait_signal_fail(signal, 1, NULL, ERR));
	REFUSED(plait_signal_reset(signal, ERR));
	REFUSED(plait_signal_wait_points(&point, 1, PLAIT_WAIT_ANY, 0, NULL, ERR));
	REFUSED(plait_queue_emit(queue, signal, NULL, ERR));
	REFUSED(plait_queue_wait(queue, signal, 1, ERR));
	REFUSED(plait_buffer_bytes(other, &number, ERR));
	REFUSED(plait_buffer_view(other, 0, 1, &view, ERR));
	REFUSED(plait_buffer_map(other, 0, 1, PLAIT_MAP_READ, &pointer, ERR));
	REFUSED(plait_queue_fill(queue, other, 0, 1, 1, 1, ERR));
	REFUSED(plait_queue_copy(queue, buffer, 0, other, 0, 1, ERR));
	REFUSED(plait_queue_copy(queue, other, 0, buffer, 0, 1, ERR));
}

static void bad_places(struct conform *c, const struct bad *bad)
{
	plait_device_info info = { .size = sizeof(info) };
	plait_buffer_desc desc = { .size = sizeof(desc), .bytes = 8 };
	plait_queue *queue;
	plait_signal *signal;
	plait_buffer *buffer;
	plait_inbox *inbox;
	uint32_t count;

	REFUSED(plait_device_query(bad->handle, &info, ERR));
	REFUSED(plait_device_set_budget(bad->handle, 1, ERR));
	REFUSED(plait_queue_create(bad->handle, NULL, &queue, ERR));
	REFUSED(plait_signal_create(bad->handle, NULL, &signal, ERR));
	REFUSED(plait_buffer_create(bad->handle, &desc, &buffer, ERR));
	REFUSED(plait_inbox_create(bad->handle, &inbox, ERR));
	REFUSED(plait_context_device_count(bad->handle, &count, ERR));
	plait_context_release(NULL);
}

static void bad_commands(struct conform *c, plait_queue *queue,
			 plait_buffer *buffer)
{
	static atomic_int ran;
	plait_command batch[3] = { conform_call(conform_count_up, &ran),
				   conform_call(NULL, NULL),
				   conform_call(conform_count_up, &ran) };

	batch[1].label = "the odd one";
	GIVES(plait_queue_submit(queue, batch, 3, NULL, ERR),
	      PLAIT_E_INVALID);
	SAYS(c->error.origin, "the odd one");
	batch[1].kind = 4711; /* of a newer header, perhaps */
	GIVES(plait_queue_submit(queue, batch, 3, NULL, ERR),
	      PLAIT_E_UNSUPPORTED);
	batch[1] = conform_read(buffer, 0, NULL, 8);
	GIVES(plait_queue_submit(queue, batch, 3, NULL, ERR),
	      PLAIT_E_INVALID);
	batch[1] = batch[0];
	batch[0].size = 3;
	GIVES(plait_queue_submit(queue, batch, 3, NULL, ERR),
	      PLAIT_E_INVALID);
	GIVES(plait_queue_submit(queue, NULL, 1, NULL, ERR),
	      PLAIT_E_INVALID);
	NEED(plait_queue_finish(queue, PLAIT_FOREVER, ERR));
	HOLDS_THAT(atomic_load(&ran) == 0, "nothing of a refused batch runs");
}

static void misuse(struct conform *c)
{
	plait_queue *queue = conform_queue(c);
	plait_signal *signal = conform_signal(c), *stale = NULL;
	plait_buffer *buffer = conform_buffer(c, 64);
	plait_inbox *inbox = conform_inbox(c);
	plait_buffer_desc garbage = { .size = 2, .bytes = 8 };
	plait_buffer *none;

	NEED(plait_signal_create(c->device, NULL, &stale, ERR));
	plait_signal_release(stale);
	struct bad all[] = {
		{ "null", NULL },
		{ "a stale handle", stale },
		{ "a forged handle", (void *)(uintptr_t)0x123456789abc },
		{ "a number", (void *)(uintptr_t)1 },
		{ "a pointer", &garbage },
		{ "an inbox", inbox },
	};
	for (size_t i = 0; i < CONFORM_COUNT(all); i++) {
		bad_queue(c, &all[i], buffer, signal);
		bad_objects(c, &all[i], queue, buffer);
		bad_places(c, &all[i]);
	}
	bad_commands(c, queue, buffer);
	GIVES(plait_buffer_create(c->device, &garbage, &none, ERR),
	      PLAIT_E_INVALID);
	garbage.size = 1 << 20;
	GIVES(plait_buffer_create(c->device, &garbage, &none, ERR),
	      PLAIT_E_INVALID);
	/* The refused calls changed nothing. */
	NEED(plait_queue_emit(queue, signal, NULL, ERR));
	NEED(plait_signal_wait(signal, 1, PLAIT_FOREVER, ERR));
}

/* --- E5, E6 -------------------------------------------------------------- */

static void stuck(struct conform *c)
{
	plait_queue *queue = conform_queue(c);
	plait_queue *other = conform_queue_on(c, c->second ? c->second :
					      c->device, NULL);
	plait_signal *gate = conform_gate(c), *signal = conform_signal(c);
	plait_signal *fine = conform_signal(c);

	NEED(plait_queue_wait(queue, gate, 1, ERR));
	NEED(plait_queue_emit(queue, signal, NULL, ERR));
	for (int i = 0; i < 10; i++) {
		GIVES(plait_queue_finish(queue, 500000, ERR),
		      PLAIT_E_TIMEOUT);
		GIVES(plait_signal_wait(signal, 1, 500000, ERR),
		      PLAIT_E_TIMEOUT);
		NEED(plait_queue_emit(other, fine, NULL, ERR));
		GIVES(plait_signal_wait(fine, 0, PLAIT_FOREVER, ERR),
		      PLAIT_OK);
	}
	NEED(plait_signal_raise(gate, 1, ERR));
	GIVES(plait_queue_finish(queue, PLAIT_FOREVER, ERR), PLAIT_OK);
	GIVES(plait_signal_wait(signal, 1, 0, ERR), PLAIT_OK);
}

/* A failed queue skips gates, and still emits in order; later points of a
 * failed signal fail when they are raised. */
static void behind_failure(struct conform *c)
{
	static int32_t value = 33;
	plait_queue *queue = conform_queue(c), *other = conform_queue(c);
	plait_signal *gate = conform_gate(c), *never = conform_gate(c);
	plait_signal *hold = conform_gate(c), *signal = conform_signal(c);
	static atomic_int behind;
	uint64_t now = 9;

	NEED(plait_queue_wait(other, gate, 1, ERR));
	NEED(plait_queue_emit(other, signal, NULL, ERR));
	NEED(plait_queue_call(queue, conform_return_value, &value, ERR));
	NEED(plait_queue_wait(queue, never, 1, ERR));
	NEED(plait_queue_call(queue, conform_count_up, &behind, ERR));
	NEED(plait_queue_emit(queue, signal, NULL, ERR));
	GIVES(plait_queue_finish(queue, 5000000, ERR), PLAIT_E_TIMEOUT);
	GIVES(plait_signal_query(signal, &now, NULL, ERR), PLAIT_OK);
	HOLDS_THAT(now == 0, "emission 2 does not overtake emission 1");
	NEED(plait_signal_raise(gate, 1, ERR));
	GIVES(plait_signal_wait(signal, 1, PLAIT_FOREVER, ERR), PLAIT_OK);
	GIVES(plait_signal_wait(signal, 2, PLAIT_FOREVER, ERR),
	      PLAIT_E_FAILED);
	HOLDS(c->error.origin == 33);
	NEED(plait_queue_wait(other, hold, 1, ERR));
	NEED(plait_queue_emit(other, signal, NULL, ERR));
	GIVES(plait_signal_wait(signal, 3, 0, ERR), PLAIT_E_TIMEOUT);
	NEED(plait_signal_raise(hold, 1, ERR));
	GIVES(plait_signal_wait(signal, 3, PLAIT_FOREVER, ERR),
	      PLAIT_E_FAILED);
	GIVES(plait_queue_finish(queue, PLAIT_FOREVER, ERR), PLAIT_E_FAILED);
	HOLDS(c->error.origin == 33 && atomic_load(&behind) == 0);
}

static void first_wins(struct conform *c)
{
	static int32_t first = 11, second = 22;
	plait_queue *queue = conform_queue(c), *other = conform_queue(c);
	plait_signal *signal = conform_signal(c);
	static atomic_int ran, behind;
	uint64_t sequence;

	for (int i = 0; i < 20; i++) {
		plait_command batch[] = {
			conform_call(conform_return_value, &first),
			conform_call(conform_return_value, &second),
			conform_call(conform_count_up, &behind),
			conform_emit(signal),
		};

		NEED(plait_queue_submit(queue, batch, 4, &sequence, ERR));
		/* After a failure, in a separate batch. */
		NEED(plait_queue_call(queue, conform_count_up, &behind, ERR));
		NEED(plait_queue_call(other, conform_count_up, &ran, ERR));
		GIVES(plait_queue_finish(other, PLAIT_FOREVER, ERR),
		      PLAIT_OK);
		GIVES(plait_signal_wait(signal, sequence, PLAIT_FOREVER,
					ERR), PLAIT_E_FAILED);
		HOLDS(c->error.origin == 11);
		GIVES(plait_queue_finish(queue, PLAIT_FOREVER, ERR),
		      PLAIT_E_FAILED);
		HOLDS(c->error.origin == 11);
		NEED(plait_signal_reset(signal, ERR));
		/* The next run is clean. */
		NEED(plait_queue_call(queue, conform_count_up, &ran, ERR));
		NEED(plait_queue_emit(queue, signal, &sequence, ERR));
		GIVES(plait_signal_wait(signal, sequence, PLAIT_FOREVER,
					ERR), PLAIT_OK);
		GIVES(plait_queue_finish(queue, PLAIT_FOREVER, ERR),
		      PLAIT_OK);
	}
	HOLDS_THAT(atomic_load(&ran) == 40 && atomic_load(&behind) == 0,
		   "40 functions run, and none behind a failure: %d and %d do",
		   atomic_load(&ran), atomic_load(&behind));
	if (c->info.capabilities & PLAIT_DEVICE_GATE)
		behind_failure(c);
}

/* --- E7 ------------------------------------------------------------------ */

static void shutdown_busy(struct conform *c)
{
	struct conform_process before, after;
	static atomic_int ran;

	conform_begin(c, NULL);
	conform_finish(c);
	conform_look(&before);
	for (int round = 1; round <= 5; round++) {
		plait_queue *queues[3];

		conform_begin(c, NULL);
		for (int i = 0; i < 3; i++)
			queues[i] = conform_queue(c);
		for (int i = 0; i < 999; i++)
			NEED(plait_queue_call(queues[i % 3],
					      conform_count_up, &ran, ERR));
		if (c->info.capabilities & PLAIT_DEVICE_NEEDS_PUMP)
			for (int i = 0; i < 3; i++)
				NEED(plait_queue_finish(queues[i],
							PLAIT_FOREVER, ERR));
		conform_finish(c); /* waits until no object is alive */
		HOLDS_THAT(atomic_load(&ran) == round * 999,
			   "what was submitted runs: %d of %d",
			   atomic_load(&ran), round * 999);
	}
	conform_settle(&before, &after);
	HOLDS_THAT(after.threads <= before.threads &&
		   after.descriptors <= before.descriptors,
		   "%u threads and %u descriptors stay: %u and %u",
		   before.threads, before.descriptors, after.threads,
		   after.descriptors);
}

/* --- E8 ------------------------------------------------------------------ */

/* In the child: every call returns an error, none hangs.  Return 0 if so. */
static int look_forked(struct conform *c, plait_queue *queue,
		       plait_signal *signal)
{
	plait_context *context;
	uint64_t now;

	if (plait_signal_query(signal, &now, NULL, NULL) != PLAIT_E_FORKED)
		return 1;
	if (plait_queue_emit(queue, signal, NULL, NULL) != PLAIT_E_FORKED)
		return 2;
	if (plait_queue_finish(queue, PLAIT_FOREVER, ERR) != PLAIT_E_FORKED)
		return 3;
	if (c->error.text[0] == 0)
		return 4;
	if (conform_open(c, NULL, &context) != PLAIT_E_FORKED)
		return 5;
	plait_queue_release(queue);
	plait_context_release(c->context);
	return 0;
}

static void forked(struct conform *c)
{
	plait_queue *queue = conform_queue(c);
	plait_signal *signal = conform_signal(c);
	int status = 0;
	pid_t child;

	NEED(plait_queue_emit(queue, signal, NULL, ERR));
	NEED(plait_signal_wait(signal, 1, PLAIT_FOREVER, ERR));
	child = fork();
	if (child == 0)
		_exit(look_forked(c, queue, signal));
	if (!HOLDS(child > 0))
		return;
	HOLDS(waitpid(child, &status, 0) == child);
	HOLDS_THAT(status == 0, "a child is told that it was forked: %#x",
		   (unsigned)status);
	NEED(plait_queue_emit(queue, signal, NULL, ERR));
	NEED(plait_signal_wait(signal, 2, PLAIT_FOREVER, ERR));
	NEED(plait_queue_finish(queue, PLAIT_FOREVER, ERR));
}

/* --- E9 ------------------------------------------------------------------ */

static atomic_int alarms;

static void on_alarm(int number)
{
	(void)number;
	atomic_fetch_add(&alarms, 1);
}

static void bounce(struct conform *c, plait_queue *queues[2],
		   plait_signal *gate, plait_signal *signal, uint64_t round)
{
	uint64_t sequence, start, took;

	NEED(plait_queue_wait(queues[0], gate, round, ERR));
	NEED(plait_queue_emit(queues[0], signal, &sequence, ERR));
	NEED(plait_queue_wait(queues[1], signal, sequence, ERR));
	NEED(plait_queue_emit(queues[1], signal, &sequence, ERR));
	start = conform_now_ns();
	GIVES(plait_signal_wait(signal, sequence, 2000000, ERR),
	      PLAIT_E_TIMEOUT);
	took = conform_now_ns() - start;
	if (!(c->info.capabilities & PLAIT_DEVICE_VIRTUAL_TIME))
		HOLDS_THAT(took >= 2000000,
			   "signals do not end a wait early: after %llu ns",
			   (unsigned long long)took);
	NEED(plait_signal_raise(gate, round, ERR));
	GIVES(plait_signal_wait(signal, sequence, PLAIT_FOREVER, ERR),
	      PLAIT_OK);
	GIVES(plait_queue_finish(queues[1], PLAIT_FOREVER, ERR), PLAIT_OK);
}

static void storm(struct conform *c)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct itimerval often = { { 0, 200 }, { 0, 200 } };
	struct itimerval never = { { 0, 0 }, { 0, 0 } };
	plait_queue *queues[2] = { conform_queue(c), conform_queue(c) };
	plait_signal *gate = conform_gate(c), *signal = conform_signal(c);

	/* Without SA_RESTART: every blocking call may be interrupted. */
	HOLDS(sigaction(SIGALRM, &action, NULL) == 0);
	HOLDS(setitimer(ITIMER_REAL, &often, NULL) == 0);
	for (uint64_t round = 1; round <= 50 || atomic_load(&alarms) < 20;
	     round++)
		bounce(c, queues, gate, signal, round);
	setitimer(ITIMER_REAL, &never, NULL);
}

/* --- E10 ----------------------------------------------------------------- */

static void create_there(void *argument)
{
	struct conform *c = argument;
	static atomic_int count;

	conform_begin(c, NULL);
	plait_queue *queue = conform_queue(c);
	plait_signal *signal = conform_signal(c);
	NEED(plait_queue_call(queue, conform_count_up, &count, ERR));
	NEED(plait_queue_emit(queue, signal, NULL, ERR));
}

static void orphaned(struct conform *c)
{
	plait_queue *queue;
	plait_signal *signal;

	conform_join(conform_start(c, create_there, c));
	queue = c->held[0].handle;
	signal = c->held[1].handle;
	NEED(plait_signal_wait(signal, 1, PLAIT_FOREVER, ERR));
	NEED(plait_queue_emit(queue, signal, NULL, ERR));
	NEED(plait_signal_wait(signal, 2, PLAIT_FOREVER, ERR));
	NEED(plait_queue_finish(queue, PLAIT_FOREVER, ERR));
}

void conform_no_memory(struct conform *c);
void conform_failing_calls(struct conform *c);
void conform_lost_device(struct conform *c);

static const struct conform_check checks[] = {
	{ "E1", "null, stale, forged and wrong handles, garbage commands", 0,
	  misuse },
	{ "E2", "every allocation fails once: nothing leaks, nothing hangs",
	  NO_CONTEXT, conform_no_memory },
	{ "E3", "every call of the backend fails once: the same",
	  NO_CONTEXT, conform_failing_calls },
	{ "E4", "the device is lost at any call: the same, and it is said",
	  NO_CONTEXT, conform_lost_device },
	{ "E5", "a queue that is stuck times out, others go on", NEED_GATE,
	  stuck },
	{ "E6", "the first error wins, and is gone with the next run", 0,
	  first_wins },
	{ "E7", "everything released with work outstanding", NO_CONTEXT,
	  shutdown_busy },
	{ "E8", "a forked child is told so, its parent is unharmed", 0,
	  forked },
	{ "E9", "a storm of signals interrupts nothing", NEED_GATE, storm },
	{ "E10", "the thread that created it all is gone", NO_CONTEXT,
	  orphaned },
};

CONFORM_GROUP(conform_errors, "Errors and lifecycle");
