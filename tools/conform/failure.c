/* SPDX-License-Identifier: MIT */
/* Group S, continued: failed signals, released signals, notifications. */
#include "conform.h"

#include <string.h>

void conform_failed_states(struct conform *c);
void conform_released_waiters(struct conform *c);
void conform_notified_once(struct conform *c);

/* --- S12 ----------------------------------------------------------------- */

enum { WAITERS = 6 };

struct waiter {
	plait_signal *signals[2];
	plait_error error;
	plait_status status;
	int32_t mode;
	uint64_t count;
};

static void wait_there(void *argument)
{
	struct waiter *waiter = argument;
	plait_point points[2] = { { waiter->signals[0], 5 },
				  { waiter->signals[1], 1 } };

	waiter->error.size = sizeof(waiter->error);
	waiter->status = plait_signal_wait_points(points, waiter->count,
					   waiter->mode, PLAIT_FOREVER, NULL,
					   &waiter->error);
}

static bool is_failure(const plait_error *error, plait_status status,
		       const char *text)
{
	return status < 0 && error->status == status && error->origin == 77 &&
	       strstr(error->text, text) != NULL;
}

/* Threads wait while the gate fails: for it alone, for any, for all. */
static void current_waiters(struct conform *c, plait_signal *gate,
			    plait_signal *other)
{
	static struct waiter waiters[WAITERS];
	struct conform_thread *threads[WAITERS];

	for (int i = 0; i < WAITERS; i++) {
		waiters[i].signals[0] = gate;
		waiters[i].signals[1] = other;
		waiters[i].mode = i % 2 ? PLAIT_WAIT_ANY : PLAIT_WAIT_ALL;
		waiters[i].count = i < 2 ? 1 : 2;
		threads[i] = conform_start(c, wait_there, &waiters[i]);
	}
	conform_let_them_sleep();
	NEED(plait_signal_raise(gate, 3, ERR));
	NEED(plait_signal_fail(gate, 77, "the bridge is out", ERR));
	for (int i = 0; i < WAITERS; i++) {
		conform_join(threads[i]);
		HOLDS_THAT(is_failure(&waiters[i].error, waiters[i].status,
				      "the bridge is out"),
			   "waiter %d (%s of %d) gets the error: %s, %lld, "
			   "\"%s\"", i, i % 2 ? "any" : "all", i < 2 ? 1 : 2,
			   plait_status_name(waiters[i].status),
			   (long long)waiters[i].error.origin,
			   waiters[i].error.text);
	}
}

/* A queue that waits for a failed point fails, and so do its waiters; each
 * reports once that it did not run. */
static void waiting_queue(struct conform *c, plait_queue *queue,
			  const char *text)
{
	GIVES(plait_queue_finish(queue, PLAIT_FOREVER, ERR), PLAIT_E_FAILED);
	SAYS(77, text);
	HOLDS_THAT(strncmp(c->error.text, "not run: ", 9) == 0 &&
		   strstr(c->error.text + 9, "not run: ") == NULL,
		   "it says once that it did not run: \"%s\"", c->error.text);
	GIVES(plait_queue_finish(queue, PLAIT_FOREVER, ERR), PLAIT_OK);
}

static void failed_gate(struct conform *c)
{
	plait_queue *first = conform_queue(c), *second = conform_queue(c);
	plait_signal *gate = conform_gate(c), *other = conform_gate(c);
	plait_signal *middle = conform_signal(c);
	static atomic_int ran;

	NEED(plait_queue_wait(first, gate, 4, ERR));
	NEED(plait_queue_call(first, conform_count_up, &ran, ERR));
	NEED(plait_queue_emit(first, middle, NULL, ERR));
	NEED(plait_queue_wait(second, middle, 1, ERR));
	NEED(plait_queue_call(second, conform_count_up, &ran, ERR));
	current_waiters(c, gate, other);
	waiting_queue(c, first, "the bridge is out");
	waiting_queue(c, second, "the bridge is out");
	HOLDS(atomic_load(&ran) == 0);
	/* Later waits fail too; earlier points stay successful. */
	GIVES(plait_signal_wait(gate, 3, PLAIT_FOREVER, ERR), PLAIT_OK);
	HOLDS(plait_signal_wait(gate, 4, PLAIT_FOREVER, ERR) < 0);
	SAYS(77, "the bridge is out");
	HOLDS(plait_signal_wait(gate, 1000, PLAIT_FOREVER, ERR) < 0);
	SAYS(77, "the bridge is out");
	HOLDS(plait_signal_query(gate, NULL, NULL, ERR) < 0);
	SAYS(77, "the bridge is out");
	GIVES(plait_signal_raise(gate, 9, ERR), PLAIT_E_STATE);
	GIVES(plait_signal_fail(gate, 1, "again", ERR), PLAIT_E_STATE);
	NEED(plait_queue_wait(first, gate, 7, ERR));
	waiting_queue(c, first, "the bridge is out");
	NEED(plait_signal_reset(middle, ERR));
	NEED(plait_signal_reset(gate, ERR));
	GIVES(plait_signal_query(gate, NULL, NULL, ERR), PLAIT_OK);
	NEED(plait_signal_raise(gate, 2000, ERR));
	GIVES(plait_signal_wait(gate, 1001, PLAIT_FOREVER, ERR), PLAIT_OK);
}

static int32_t fail_77(void *user_data)
{
	(void)user_data;
	return 77;
}

/* As above, with a command that fails. */
static void failed_emission(struct conform *c)
{
	plait_queue *first = conform_queue(c), *second = conform_queue(c);
	plait_signal *signal = conform_signal(c), *end = conform_signal(c);
	plait_command call = conform_call(fail_77, NULL);
	plait_point points[2];
	static atomic_int ran;
	uint64_t index = 9;

	call.label = "the mill";
	NEED(plait_queue_emit(first, signal, NULL, ERR));
	NEED(plait_queue_submit(first, &call, 1, NULL, ERR));
	NEED(plait_queue_emit(first, signal, NULL, ERR));
	NEED(plait_queue_wait(second, signal, 2, ERR));
	NEED(plait_queue_call(second, conform_count_up, &ran, ERR));
	NEED(plait_queue_emit(second, end, NULL, ERR));
	points[0] = (plait_point) { signal, 1 };
	points[1] = (plait_point) { end, 1 };
	GIVES(plait_signal_wait_points(points, 2, PLAIT_WAIT_ALL, PLAIT_FOREVER,
				&index, ERR), PLAIT_E_FAILED);
	SAYS(77, "the mill");
	HOLDS(index == 1);
	GIVES(plait_signal_wait(signal, 1, PLAIT_FOREVER, ERR), PLAIT_OK);
	GIVES(plait_signal_wait(signal, 2, PLAIT_FOREVER, ERR),
	      PLAIT_E_FAILED);
	SAYS(77, "the mill");
	waiting_queue(c, second, "the mill");
	GIVES(plait_queue_finish(first, PLAIT_FOREVER, ERR), PLAIT_E_FAILED);
	SAYS(77, "the mill");
	HOLDS(atomic_load(&ran) == 0);
}

/* Commands that end before a wait for a failed point have not failed, also if the
 * queue could tell of the failure while they were running. */
static void earlier_emission(struct conform *c)
{
	plait_queue *first = conform_queue(c), *second = conform_queue(c);
	plait_signal *gate = conform_gate(c), *end = conform_signal(c);
	plait_command call = conform_call(fail_77, NULL);
	plait_signal *failed = conform_signal(c);
	static atomic_int ran;

	atomic_store(&ran, 0);
	call.label = "the mill";
	NEED(plait_queue_submit(first, &call, 1, NULL, ERR));
	NEED(plait_queue_emit(first, failed, NULL, ERR));
	GIVES(plait_signal_wait(failed, 1, PLAIT_FOREVER, ERR),
	      PLAIT_E_FAILED);
	NEED(plait_queue_wait(second, gate, 1, ERR));
	NEED(plait_queue_call(second, conform_count_up, &ran, ERR));
	NEED(plait_queue_emit(second, end, NULL, ERR));
	NEED(plait_queue_wait(second, failed, 1, ERR));
	NEED(plait_queue_call(second, conform_count_up, &ran, ERR));
	NEED(plait_queue_emit(second, end, NULL, ERR));
	NEED(plait_signal_raise(gate, 1, ERR));
	GIVES(plait_signal_wait(end, 2, PLAIT_FOREVER, ERR), PLAIT_E_FAILED);
	GIVES(plait_signal_wait(end, 1, PLAIT_FOREVER, ERR), PLAIT_OK);
	HOLDS(atomic_load(&ran) == 1);
	waiting_queue(c, second, "the mill");
	GIVES(plait_queue_finish(first, PLAIT_FOREVER, ERR), PLAIT_E_FAILED);
}

void conform_failed_states(struct conform *c)
{
	failed_gate(c);
	failed_emission(c);
	earlier_emission(c);
}

/* --- S13 ----------------------------------------------------------------- */

/* A signal with an emission in flight lives while a wait refers to it. */
static void released_signal(struct conform *c)
{
	plait_queue *first = conform_queue(c), *second = conform_queue(c);
	plait_signal *gate = conform_gate(c), *signal = conform_signal(c);
	static atomic_int ran;

	NEED(plait_queue_wait(first, gate, 1, ERR));
	NEED(plait_queue_emit(first, signal, NULL, ERR));
	NEED(plait_queue_wait(second, signal, 1, ERR));
	NEED(plait_queue_call(second, conform_count_up, &ran, ERR));
	conform_forget(c, signal);
	plait_signal_release(signal);
	GIVES(plait_signal_query(signal, NULL, NULL, ERR), PLAIT_E_HANDLE);
	HOLDS(atomic_load(&ran) == 0);
	NEED(plait_signal_raise(gate, 1, ERR));
	NEED(plait_queue_finish(second, PLAIT_FOREVER, ERR));
	HOLDS(atomic_load(&ran) == 1);
}

/* A released gate, which cannot be raised any more, releases its queues. */
static void released_gate(struct conform *c)
{
	plait_queue *queue = conform_queue(c);
	plait_signal *gate = conform_gate(c);
	static atomic_int ran;
	plait_status status;

	NEED(plait_queue_wait(queue, gate, 1, ERR));
	NEED(plait_queue_call(queue, conform_count_up, &ran, ERR));
	conform_forget(c, gate);
	plait_signal_release(gate);
	status = plait_queue_finish(queue, 10000000000u, ERR);
	HOLDS_THAT(status < 0 && status != PLAIT_E_TIMEOUT,
		   "a queue behind a gate without handles fails: %s",
		   plait_status_name(status));
	HOLDS(atomic_load(&ran) == 0);
}

void conform_released_waiters(struct conform *c)
{
	released_signal(c);
	released_gate(c);
}

/* --- S14 ----------------------------------------------------------------- */

/* Pull one event and check that it is the expected one. */
static void expect_event(struct conform *c, plait_inbox *inbox,
			 plait_signal *signal, uint64_t sequence,
			 plait_status status)
{
	plait_event event = { .size = sizeof(event) };

	NEED(plait_inbox_wait(inbox, PLAIT_FOREVER, ERR));
	NEED(plait_inbox_next(inbox, &event, ERR));
	HOLDS(event.kind == PLAIT_EVENT_SIGNAL);
	HOLDS(event.signal == signal && event.sequence == sequence);
	HOLDS(event.user_data == c);
	HOLDS_THAT(event.status == status, "the event has %s: %s",
		   plait_status_name(status),
		   plait_status_name(event.status));
}

static void none_left(struct conform *c, plait_inbox *inbox)
{
	plait_event event = { .size = sizeof(event) };

	GIVES(plait_inbox_next(inbox, &event, ERR), PLAIT_PENDING);
}

/* The core hides a second notification, but counts it. */
static void none_stray(struct conform *c)
{
	plait_device_info info = { .size = sizeof(info) };

	NEED(plait_device_query(c->device, &info, ERR));
	HOLDS_THAT(info.stray_notifications == 0,
		   "each notification comes once: %llu came again",
		   (unsigned long long)info.stray_notifications);
}

void conform_notified_once(struct conform *c)
{
	plait_queue *queue = conform_queue(c);
	plait_signal *signal = conform_signal(c);
	plait_inbox *inbox = conform_inbox(c);
	uint64_t sent = 0;

	for (int i = 0; i < 200; i++) {
		NEED(plait_queue_emit(queue, signal, &sent, ERR));
		if (i % 3 == 0)
			NEED(plait_signal_wait(signal, sent, PLAIT_FOREVER,
					       ERR));
		NEED(plait_signal_notify(signal, sent, inbox, NULL, c, ERR));
		expect_event(c, inbox, signal, sent, PLAIT_OK);
	}
	GIVES(plait_signal_notify(signal, sent + 1, inbox, NULL, c, ERR),
	      PLAIT_E_INVALID);
	/* A second notification has had time to arrive. */
	NEED(plait_queue_finish(queue, PLAIT_FOREVER, ERR));
	none_left(c, inbox);
	none_stray(c);
	NEED(plait_queue_call(queue, fail_77, NULL, ERR));
	NEED(plait_queue_emit(queue, signal, &sent, ERR));
	NEED(plait_signal_notify(signal, sent, inbox, NULL, c, ERR));
	expect_event(c, inbox, signal, sent, PLAIT_E_FAILED);
	none_left(c, inbox);
	GIVES(plait_queue_finish(queue, PLAIT_FOREVER, ERR), PLAIT_E_FAILED);
	if (!(c->info.capabilities & PLAIT_DEVICE_GATE))
		return;
	plait_signal *gate = conform_gate(c);
	NEED(plait_signal_notify(gate, 1, inbox, NULL, c, ERR));
	NEED(plait_signal_notify(gate, 2, inbox, NULL, c, ERR));
	none_left(c, inbox);
	NEED(plait_signal_raise(gate, 1, ERR));
	expect_event(c, inbox, gate, 1, PLAIT_OK);
	none_left(c, inbox);
	NEED(plait_inbox_close(inbox, ERR));
	expect_event(c, inbox, gate, 2, PLAIT_E_CANCELLED);
	NEED(plait_signal_raise(gate, 2, ERR));
	plait_event event = { .size = sizeof(event) };
	GIVES(plait_inbox_next(inbox, &event, ERR), PLAIT_E_STATE);
	none_stray(c);
}
