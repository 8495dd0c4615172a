/* SPDX-License-Identifier: MIT */
/* Group S: signals and gates: counting and wake-up. */
#include "conform.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t reached(struct conform *c, plait_signal *signal)
{
	uint64_t now = UINT64_MAX;

	NEED(plait_signal_query(signal, &now, NULL, ERR));
	return now;
}

/* --- S1, S2, S3 ---------------------------------------------------------- */

static void initial(struct conform *c)
{
	plait_queue *queue = conform_queue(c);
	plait_signal *signal = conform_signal(c);
	uint64_t now = 9, sent = 9;

	GIVES(plait_signal_query(signal, &now, &sent, ERR), PLAIT_OK);
	HOLDS(now == 0 && sent == 0);
	/* 0 is the newest submitted; without one the wait returns at once. */
	GIVES(plait_signal_wait(signal, 0, PLAIT_FOREVER, ERR), PLAIT_OK);
	NEED(plait_queue_wait(queue, signal, 0, ERR));
	NEED(plait_queue_finish(queue, PLAIT_FOREVER, ERR));
	NEED(plait_queue_emit(queue, signal, NULL, ERR));
	GIVES(plait_signal_query(signal, NULL, &sent, ERR), PLAIT_OK);
	HOLDS(sent == 1);
	GIVES(plait_signal_wait(signal, 0, PLAIT_FOREVER, ERR), PLAIT_OK);
	GIVES(plait_signal_query(signal, &now, &sent, ERR), PLAIT_OK);
	HOLDS(now == 1 && sent == 1);
}

/* A wait for a sequence that was not submitted is refused. */
static void not_submitted(struct conform *c, plait_queue *queue,
			  plait_signal *signal, uint64_t next)
{
	GIVES(plait_signal_wait(signal, next, PLAIT_FOREVER, ERR),
	      PLAIT_E_INVALID);
	GIVES(plait_queue_wait(queue, signal, next, ERR), PLAIT_E_INVALID);
	GIVES(plait_signal_wait(signal, UINT64_MAX, 0, ERR),
	      PLAIT_E_INVALID);
	GIVES(plait_signal_raise(signal, next, ERR), PLAIT_E_STATE);
	GIVES(plait_signal_fail(signal, 1, "no", ERR), PLAIT_E_STATE);
}

static void monotone(struct conform *c)
{
	plait_queue *queues[2] = { conform_queue(c), conform_queue(c) };
	plait_signal *signal = conform_signal(c);
	uint64_t given, last = 0, now, sent;

	for (uint64_t i = 1; i <= 500; i++) {
		NEED(plait_queue_emit(queues[i % 2], signal, &given, ERR));
		HOLDS(given == i);
		NEED(plait_signal_query(signal, &now, &sent, ERR));
		HOLDS(sent == i && now <= sent);
		HOLDS_THAT(now >= last, "a signal never goes back: %llu, "
			   "then %llu", (unsigned long long)last,
			   (unsigned long long)now);
		last = now;
	}
	not_submitted(c, queues[0], signal, 501);
	NEED(plait_signal_wait(signal, 500, PLAIT_FOREVER, ERR));
	HOLDS(reached(c, signal) == 500);
	if (!(c->info.capabilities & PLAIT_DEVICE_GATE))
		return;
	plait_signal *gate = conform_gate(c);
	NEED(plait_signal_raise(gate, 5, ERR));
	GIVES(plait_signal_raise(gate, 4, ERR), PLAIT_E_INVALID);
	GIVES(plait_signal_raise(gate, 0, ERR), PLAIT_E_INVALID);
	HOLDS(reached(c, gate) == 5);
	NEED(plait_signal_raise(gate, 5, ERR));
	NEED(plait_signal_raise(gate, 6, ERR));
	HOLDS(reached(c, gate) == 6);
	GIVES(plait_queue_emit(queues[0], gate, NULL, ERR), PLAIT_E_INVALID);
}

static void past(struct conform *c)
{
	plait_queue *queue = conform_queue(c), *other = conform_queue(c);
	plait_signal *signal = conform_signal(c);

	for (int i = 0; i < 10; i++)
		NEED(plait_queue_emit(queue, signal, NULL, ERR));
	NEED(plait_signal_wait(signal, 10, PLAIT_FOREVER, ERR));
	for (uint64_t i = 1; i <= 10; i++) {
		GIVES(plait_signal_wait(signal, i, 0, ERR), PLAIT_OK);
		NEED(plait_queue_wait(other, signal, i, ERR));
	}
	NEED(plait_queue_finish(other, PLAIT_FOREVER, ERR));
}

/* --- S4, S5, S6 ---------------------------------------------------------- */

/* Two signals, each held by its own gate; one queue waits for both in either
 * order, in one batch and in two. */
static void wait_first(struct conform *c)
{
	static atomic_int ran[4];

	for (int turn = 0; turn < 4; turn++) {
		plait_signal *gates[2], *signals[2];
		plait_queue *queue = conform_queue(c);
		int first = turn & 1;

		for (int i = 0; i < 2; i++) {
			plait_queue *source = conform_queue(c);

			gates[i] = conform_gate(c);
			signals[i] = conform_signal(c);
			NEED(plait_queue_wait(source, gates[i], 1, ERR));
			NEED(plait_queue_emit(source, signals[i], NULL, ERR));
		}
		plait_command batch[3] = {
			conform_wait(signals[0], 1),
			conform_wait(signals[1], 1),
			conform_call(conform_count_up, &ran[turn]),
		};
		if (turn < 2) {
			NEED(plait_queue_submit(queue, batch, 3, NULL, ERR));
		} else {
			NEED(plait_queue_submit(queue, batch, 1, NULL, ERR));
			NEED(plait_queue_submit(queue, batch + 1, 2, NULL,
						ERR));
		}
		NEED(plait_signal_raise(gates[first], 1, ERR));
		NEED(plait_signal_wait(signals[first], 1, PLAIT_FOREVER,
				       ERR));
		GIVES(plait_queue_finish(queue, 3000000, ERR),
		      PLAIT_E_TIMEOUT);
		HOLDS_THAT(atomic_load(&ran[turn]) == 0,
			   "both waits are waited for");
		NEED(plait_signal_raise(gates[!first], 1, ERR));
		NEED(plait_queue_finish(queue, PLAIT_FOREVER, ERR));
		HOLDS(atomic_load(&ran[turn]) == 1);
	}
}

static void jumps(struct conform *c)
{
	static const uint64_t at[] = {
		1, 2, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff,
		0x100000000, 0x100000001, 0x7fffffffffffffff,
		0x8000000000000000, 0x8000000000000001, UINT64_MAX - 1
	};
	plait_queue *queues[CONFORM_COUNT(at)];
	static atomic_int ran[CONFORM_COUNT(at)];
	plait_signal *gate = conform_gate(c);

	for (size_t i = 0; i < CONFORM_COUNT(at); i++) {
		queues[i] = conform_queue(c);
		NEED(plait_queue_wait(queues[i], gate, at[i], ERR));
		NEED(plait_queue_call(queues[i], conform_count_up, &ran[i],
				      ERR));
	}
	for (size_t i = 0; i < CONFORM_COUNT(at); i++) {
		NEED(plait_signal_raise(gate, at[i], ERR));
		HOLDS(reached(c, gate) == at[i]);
		NEED(plait_queue_finish(queues[i], PLAIT_FOREVER, ERR));
		HOLDS(atomic_load(&ran[i]) == 1);
		GIVES(plait_signal_wait(gate, at[i], 0, ERR), PLAIT_OK);
		for (size_t k = i + 1; k < CONFORM_COUNT(at); k++) {
			GIVES(plait_signal_wait(gate, at[k], 0, ERR),
			      PLAIT_E_TIMEOUT);
			GIVES(plait_queue_finish(queues[k], 0, ERR),
			      PLAIT_E_TIMEOUT);
			HOLDS_THAT(atomic_load(&ran[k]) == 0,
				   "at %llx no waiter for %llx continues",
				   (unsigned long long)at[i],
				   (unsigned long long)at[k]);
		}
	}
}

struct raiser {
	plait_signal *gate;
	atomic_bool ready;
};

/* Look at the gate first: a backend may check whether a raise is possible. */
static void raise_soon(void *argument)
{
	struct raiser *raiser = argument;

	plait_signal_wait(raiser->gate, 1, 0, NULL);
	atomic_store(&raiser->ready, true);
	conform_let_them_sleep();
	plait_signal_raise(raiser->gate, 1, NULL);
}

static void wait_for_any(struct conform *c, const plait_point points[4],
			 plait_signal *raised)
{
	struct raiser raiser = { .gate = raised };
	struct conform_thread *thread = conform_start(c, raise_soon, &raiser);
	uint64_t index = 99;

	conform_until(&raiser.ready);
	GIVES(plait_signal_wait_points(points, 4, PLAIT_WAIT_ANY, PLAIT_FOREVER,
				&index, ERR), PLAIT_OK);
	conform_join(thread);
	HOLDS_THAT(index == 1 || index == 3, "any: number 1 or 3 came, not "
		   "%llu", (unsigned long long)index);
}

static void wait_any_then_all(struct conform *c)
{
	plait_signal *gates[3] = { conform_gate(c), conform_gate(c),
				   conform_gate(c) };
	plait_point points[4] = { { gates[0], 1 }, { gates[1], 1 },
				  { gates[2], 1 }, { gates[1], 1 } };
	uint64_t index = 99;

	GIVES(plait_signal_wait_points(points, 4, 2, 0, NULL, ERR),
	      PLAIT_E_INVALID);
	GIVES(plait_signal_wait_points(points, 4, PLAIT_WAIT_ANY, 0, &index, ERR),
	      PLAIT_E_TIMEOUT);
	GIVES(plait_signal_wait_points(points, 4, PLAIT_WAIT_ALL, 0, NULL, ERR),
	      PLAIT_E_TIMEOUT);
	wait_for_any(c, points, gates[1]);
	GIVES(plait_signal_wait_points(points, 4, PLAIT_WAIT_ALL, 1000000, NULL,
				ERR), PLAIT_E_TIMEOUT);
	GIVES(plait_signal_wait_points(points + 2, 1, PLAIT_WAIT_ANY, 0, NULL, ERR),
	      PLAIT_E_TIMEOUT);
	NEED(plait_signal_raise(gates[0], 1, ERR));
	NEED(plait_signal_raise(gates[2], 1, ERR));
	GIVES(plait_signal_wait_points(points, 4, PLAIT_WAIT_ALL, PLAIT_FOREVER,
				NULL, ERR), PLAIT_OK);
}

/* Several times: a thread waits inside the backend only while the context has
 * nothing else to advance. */
static void any_all(struct conform *c)
{
	GIVES(plait_signal_wait_points(NULL, 0, PLAIT_WAIT_ALL, PLAIT_FOREVER, NULL,
				ERR), PLAIT_OK);
	GIVES(plait_signal_wait_points(NULL, 0, PLAIT_WAIT_ANY, PLAIT_FOREVER, NULL,
				ERR), PLAIT_OK);
	for (int i = 0; i < 16; i++)
		wait_any_then_all(c);
}

/* --- S7 ------------------------------------------------------------------ */

/* Ends a wait that would not end otherwise. */
struct late {
	plait_signal *gate;
	atomic_bool back;
	atomic_bool needed;
};

static void end_late(void *argument)
{
	struct late *late = argument;

	if (conform_until(&late->back))
		return;
	atomic_store(&late->needed, true);
	plait_signal_raise(late->gate, 1, NULL);
}

static void time_out(struct conform *c, plait_signal *gate, uint64_t timeout)
{
	uint64_t start = conform_now_ns(), took;

	GIVES(plait_signal_wait(gate, 1, timeout, ERR), PLAIT_E_TIMEOUT);
	took = conform_now_ns() - start;
	if (c->info.capabilities & PLAIT_DEVICE_VIRTUAL_TIME)
		return;
	HOLDS_THAT(took >= timeout, "a timeout of %llu ns never comes early: "
		   "after %llu ns", (unsigned long long)timeout,
		   (unsigned long long)took);
	HOLDS_THAT(took - timeout < conform_patience_ns(),
		   "a timeout of %llu ns comes: after %llu ns",
		   (unsigned long long)timeout, (unsigned long long)took);
}

static void timeouts(struct conform *c)
{
	static struct late late;
	struct conform_thread *thread;

	late.gate = conform_gate(c);
	thread = conform_start(c, end_late, &late);
	time_out(c, late.gate, 0);
	time_out(c, late.gate, 1);
	for (int i = 0; i < 5; i++)
		time_out(c, late.gate, 1000000);
	time_out(c, late.gate, 30000000);
	atomic_store(&late.back, true);
	conform_join(thread);
	HOLDS_THAT(!atomic_load(&late.needed), "timeouts end waits");
	if (!atomic_load(&late.needed))
		NEED(plait_signal_raise(late.gate, 1, ERR));
	/* The deadline, now plus this timeout, overflows 64 bits. */
	GIVES(plait_signal_wait(late.gate, 1, PLAIT_FOREVER - 1, ERR),
	      PLAIT_OK);
	GIVES(plait_signal_wait(late.gate, 1, 0, ERR), PLAIT_OK);
}

/* --- S8 ------------------------------------------------------------------ */

enum { WAITERS = 16 };

struct waiter {
	plait_signal *gate;
	uint64_t sequence;
	plait_status status;
	uint64_t saw;
};

static void wait_there(void *argument)
{
	struct waiter *waiter = argument;

	waiter->status = plait_signal_wait(waiter->gate, waiter->sequence,
					   PLAIT_FOREVER, NULL);
	plait_signal_query(waiter->gate, &waiter->saw, NULL, NULL);
}

/* Pairs wait for one sequence number, some for one that a jump skips. */
static void many_waiters(struct conform *c)
{
	static struct waiter waiters[WAITERS];
	struct conform_thread *threads[WAITERS];
	plait_signal *gate = conform_gate(c);

	for (int i = 0; i < WAITERS; i++) {
		waiters[i].gate = gate;
		waiters[i].sequence = 1 + (uint64_t)(i / 2) * 3;
		threads[i] = conform_start(c, wait_there, &waiters[i]);
	}
	conform_let_them_sleep();
	NEED(plait_signal_raise(gate, 1, ERR));
	NEED(plait_signal_raise(gate, 5, ERR));
	conform_let_them_sleep();
	NEED(plait_signal_raise(gate, 100, ERR));
	for (int i = 0; i < WAITERS; i++) {
		conform_join(threads[i]);
		HOLDS(waiters[i].status == PLAIT_OK);
		HOLDS(waiters[i].saw >= waiters[i].sequence);
	}
}

/* --- S9, S10, S11 -------------------------------------------------------- */

static void relay(struct conform *c, plait_device *last)
{
	plait_signal *gate = conform_gate(c), *middle = conform_signal(c);
	plait_signal *end = conform_signal(c);
	plait_queue *first = conform_queue(c);
	plait_queue *second = conform_queue_on(c, last, NULL);
	/* Time for a queue that does not wait for the gate to show it. */
	static const struct timespec nap = { .tv_nsec = 1000000 };
	struct raiser raiser = { .gate = gate };
	static atomic_int count;
	struct conform_thread *thread;

	atomic_store(&count, 0);
	plait_command batch[] = {
		conform_wait(gate, 1),
		conform_call(conform_count_up, &count),
		conform_emit(middle),
	};
	NEED(plait_queue_submit(first, batch, 3, NULL, ERR));
	batch[0] = conform_wait(middle, 1);
	batch[2] = conform_emit(end);
	NEED(plait_queue_submit(second, batch, 3, NULL, ERR));
	nanosleep(&nap, NULL);
	GIVES(plait_signal_wait(end, 1, 0, ERR), PLAIT_E_TIMEOUT);
	HOLDS(atomic_load(&count) == 0);
	/* From host to queue to queue to host, with the host asleep. */
	thread = conform_start(c, raise_soon, &raiser);
	conform_until(&raiser.ready);
	NEED(plait_signal_wait(end, 1, PLAIT_FOREVER, ERR));
	HOLDS(atomic_load(&count) == 2);
	conform_join(thread);
}

static void directions(struct conform *c)
{
	for (int i = 0; i < 5; i++)
		relay(c, c->device);
	if (c->second != NULL)
		relay(c, c->second);
	else
		conform_note(c, "one device: not from device to device");
}

static bool soaks(void)
{
	const char *text = getenv("PLAIT_SOAK");

	return text != NULL && text[0] != '\0' && strcmp(text, "0") != 0;
}

static void ping_pong(struct conform *c)
{
	const uint64_t rounds = soaks() ? 100000 : 10000;
	plait_queue *queues[2] = { conform_queue(c), conform_queue(c) };
	plait_signal *ping = conform_signal(c), *pong = conform_signal(c);
	static atomic_int count;

	for (uint64_t i = 1; i <= rounds; i++) {
		plait_command there[] = {
			conform_wait(pong, i - 1),
			conform_call(conform_count_up, &count),
			conform_emit(ping),
		};
		plait_command back[] = {
			conform_wait(ping, i),
			conform_call(conform_count_up, &count),
			conform_emit(pong),
		};

		NEED(plait_queue_submit(queues[0], there, 3, NULL, ERR));
		NEED(plait_queue_submit(queues[1], back, 3, NULL, ERR));
	}
	NEED(plait_signal_wait(pong, rounds, PLAIT_FOREVER, ERR));
	HOLDS(atomic_load(&count) == 2 * (int)rounds);
	HOLDS(reached(c, ping) == rounds && reached(c, pong) == rounds);
}

enum { WORDS = 500 };

struct payload {
	uint32_t words[WORDS];
	uint32_t want;
	int wrong;
};

static int32_t inspect(void *user_data)
{
	struct payload *payload = user_data;

	for (int i = 0; i < WORDS; i++)
		payload->wrong += payload->words[i] != payload->want;
	return 0;
}

/* Time for a queue that does not wait for the work before a signal to show it. */
static int32_t dawdle(void *user_data)
{
	static const struct timespec nap = { .tv_nsec = 300000 };
	const uint32_t *round = user_data;

	if (*round % 16 == 0)
		nanosleep(&nap, NULL);
	return 0;
}

/* From host memory to the device, by a signal to another queue, to a function. */
static void carried(struct conform *c)
{
	plait_buffer *buffer = conform_buffer(c, WORDS * 4);
	plait_buffer *copy = conform_buffer(c, WORDS * 4);
	plait_queue *source = conform_queue(c), *sink = conform_queue(c);
	plait_signal *gate = conform_gate(c), *full = conform_signal(c);
	plait_signal *drained = conform_signal(c);
	static struct payload sent, got;

	for (uint32_t i = 1; i <= 300; i++) {
		plait_command write[] = {
			conform_wait(gate, i),
			conform_call(dawdle, &got.want),
			conform_write(buffer, 0, sent.words, WORDS * 4),
			conform_emit(full),
		};
		plait_command read[] = {
			conform_wait(full, i),
			{ .size = sizeof(plait_command),
			  .kind = PLAIT_COMMAND_COPY, .target = copy,
			  .source = buffer, .bytes = WORDS * 4 },
			conform_read(copy, 0, got.words, WORDS * 4),
			conform_call(inspect, &got),
			conform_emit(drained),
		};

		got.want = i;
		NEED(plait_queue_submit(source, write, 4, NULL, ERR));
		NEED(plait_queue_submit(sink, read, 5, NULL, ERR));
		for (int k = 0; k < WORDS; k++)
			sent.words[k] = i;
		NEED(plait_signal_raise(gate, i, ERR));
		NEED(plait_signal_wait(drained, i, PLAIT_FOREVER, ERR));
		HOLDS(got.words[WORDS - 1] == i);
	}
	HOLDS_THAT(got.wrong == 0, "what was written before a signal is seen "
		   "behind it: %d words were not", got.wrong);
}

void conform_failed_states(struct conform *c);
void conform_released_waiters(struct conform *c);
void conform_notified_once(struct conform *c);

static const struct conform_check checks[] = {
	{ "S1", "a new signal is at 0, and 0 means the newest", 0, initial },
	{ "S2", "signals count up by one and never go back", 0, monotone },
	{ "S3", "a wait for the past ends at once", 0, past },
	{ "S4", "waits submitted before the emissions happen", NEED_GATE,
	  wait_first },
	{ "S5", "gates jump by 1, 2^31, 2^32 and 2^63", NEED_GATE, jumps },
	{ "S6", "any, all, none and the same twice", NEED_GATE, any_all },
	{ "S7", "timeouts are never early and always come", NEED_GATE,
	  timeouts },
	{ "S8", "many waiters with many targets all wake", NEED_GATE,
	  many_waiters },
	{ "S9", "host to queue to queue to host", NEED_GATE, directions },
	{ "S10", "ping-pong of two queues", 0, ping_pong },
	{ "S11", "what was written before a signal is seen behind it",
	  NEED_GATE, carried },
	{ "S12", "a failure reaches current, later, any and all waiters",
	  NEED_GATE, conform_failed_states },
	{ "S13", "a signal released while it is waited for", NEED_GATE,
	  conform_released_waiters },
	{ "S14", "a notification comes exactly once", NEED_NOTIFY,
	  conform_notified_once },
};

CONFORM_GROUP(conform_signals, "Signals");
