/* SPDX-License-Identifier: MIT */
/* Group Q: queues: order, capacity, release. */
#include "conform.h"

#include <stdlib.h>
#include <string.h>

/* Log of the commands that ran, in order. */
struct journal {
	atomic_uint count;
	uint32_t entries[1 << 14];
};

struct note {
	struct journal *journal;
	uint32_t value;
};

static int32_t write_down(void *user_data)
{
	const struct note *note = user_data;
	unsigned at = atomic_fetch_add(&note->journal->count, 1);

	if (at < CONFORM_COUNT(note->journal->entries))
		note->journal->entries[at] = note->value;
	return 0;
}

static struct journal journal;
static struct note notes[1 << 14];

static void number_notes(void)
{
	atomic_store(&journal.count, 0);
	for (uint32_t i = 0; i < CONFORM_COUNT(notes); i++)
		notes[i] = (struct note) { &journal, i };
}

/* Return true if the journal has 0 to count - 1 in order. */
static bool in_order(struct conform *c, uint32_t count)
{
	uint32_t at = 0;

	if (!HOLDS_THAT(atomic_load(&journal.count) == count,
			"%u functions ran: %u did", count,
			atomic_load(&journal.count)))
		return false;
	while (at < count && journal.entries[at] == at)
		at++;
	return HOLDS_THAT(at == count, "order: function %u came in place %u",
			  at < count ? journal.entries[at] : 0, at);
}

/* --- Q1 ------------------------------------------------------------------ */

static void fifo_bytes(struct conform *c, plait_queue *queue)
{
	plait_buffer *buffer = conform_buffer(c, 64);
	plait_command fills[64];
	unsigned char got[64];
	bool right = true;

	/* Each command overwrites all but one byte of the previous one. */
	for (uint32_t i = 0; i < 64; i++)
		fills[i] = (plait_command) {
			.size = sizeof(fills[0]), .kind = PLAIT_COMMAND_FILL,
			.target = buffer, .target_offset = i,
			.bytes = 64 - i, .pattern = i + 1, .pattern_bytes = 1,
		};
	NEED(plait_queue_submit(queue, fills, 64, NULL, ERR));
	NEED(plait_queue_read(queue, buffer, 0, got, 64, ERR));
	for (uint32_t i = 0; i < 64; i++)
		right = right && got[i] == i + 1;
	HOLDS_THAT(right, "fills of one batch happen in order");
}

static void fifo(struct conform *c)
{
	plait_queue *queue = conform_queue(c);
	plait_command batch[100];
	uint32_t sent = 0;

	number_notes();
	while (sent < 5000) {
		uint64_t count = 1 + conform_below(c, 100);

		for (uint64_t i = 0; i < count; i++)
			batch[i] = conform_call(write_down, &notes[sent++]);
		NEED(plait_queue_submit(queue, batch, count, NULL, ERR));
	}
	NEED(plait_queue_finish(queue, PLAIT_FOREVER, ERR));
	in_order(c, sent);
	fifo_bytes(c, queue);
}

/* --- Q2, Q3 -------------------------------------------------------------- */

static void pass_by(struct conform *c, plait_queue *blocked,
		    plait_queue *free_one)
{
	plait_signal *gate = conform_gate(c);
	static atomic_int behind, beside;

	atomic_store(&behind, 0);
	atomic_store(&beside, 0);
	NEED(plait_queue_wait(blocked, gate, 1, ERR));
	NEED(plait_queue_call(blocked, conform_count_up, &behind, ERR));
	for (int i = 0; i < 100; i++)
		NEED(plait_queue_call(free_one, conform_count_up, &beside,
				      ERR));
	NEED(plait_queue_finish(free_one, PLAIT_FOREVER, ERR));
	HOLDS(atomic_load(&beside) == 100);
	HOLDS(atomic_load(&behind) == 0);
	NEED(plait_signal_raise(gate, 1, ERR));
	NEED(plait_queue_finish(blocked, PLAIT_FOREVER, ERR));
	HOLDS(atomic_load(&behind) == 1);
}

/* First the older queue is blocked, then the newer one. */
static void independent(struct conform *c)
{
	plait_queue *older = conform_queue(c), *newer = conform_queue(c);

	pass_by(c, older, newer);
	pass_by(c, newer, older);
}

/* Opens the gate of a submission that does not return. */
struct rescue {
	plait_signal *gate;
	atomic_bool back;
	atomic_bool needed;
};

static void rescue(void *argument)
{
	struct rescue *rescue = argument;

	if (conform_until(&rescue->back))
		return;
	atomic_store(&rescue->needed, true);
	plait_signal_raise(rescue->gate, 1, NULL);
}

static void submit_returns(struct conform *c)
{
	plait_queue *queue = conform_queue(c), *next = conform_queue(c);
	static struct rescue guard;
	static atomic_int count;
	plait_signal *done = conform_signal(c);
	struct conform_thread *thread;
	plait_command calls[100];

	guard.gate = conform_gate(c);
	thread = conform_start(c, rescue, &guard);
	for (int i = 0; i < 100; i++)
		calls[i] = conform_call(conform_count_up, &count);
	NEED(plait_queue_wait(queue, guard.gate, 1, ERR));
	for (int i = 0; i < 20; i++)
		NEED(plait_queue_submit(queue, calls, 100, NULL, ERR));
	NEED(plait_queue_emit(queue, done, NULL, ERR));
	NEED(plait_queue_wait(next, done, 1, ERR));
	NEED(plait_queue_submit(next, calls, 100, NULL, ERR));
	atomic_store(&guard.back, true);
	conform_join(thread);
	HOLDS_THAT(!atomic_load(&guard.needed),
		   "submissions return while their waits are not met");
	HOLDS(atomic_load(&guard.needed) || atomic_load(&count) == 0);
	if (!atomic_load(&guard.needed))
		NEED(plait_signal_raise(guard.gate, 1, ERR));
	NEED(plait_queue_finish(next, PLAIT_FOREVER, ERR));
	HOLDS(atomic_load(&count) == 2100);
}

/* --- Q4 ------------------------------------------------------------------ */

static void full(struct conform *c)
{
	plait_queue_desc desc = { .size = sizeof(desc), .capacity = 8 };
	plait_queue *queue = conform_queue_on(c, c->device, &desc);
	plait_signal *gate = conform_gate(c);
	plait_status status = PLAIT_OK;
	plait_command many[64];
	uint32_t taken = 0;

	number_notes();
	for (int i = 0; i < 64; i++)
		many[i] = conform_call(write_down, &notes[600 + i]);
	NEED(plait_queue_wait(queue, gate, 1, ERR));
	while (taken < 64) {
		status = plait_queue_call(queue, write_down, &notes[taken],
					  ERR);
		if (status != PLAIT_OK)
			break;
		taken++;
	}
	GIVES(status, PLAIT_E_BUSY);
	HOLDS_THAT(taken >= 4 && taken <= 16, "a queue for 8 commands took %u",
		   taken);
	/* All or nothing: also for a batch of which a part would fit. */
	plait_command two[2] = { conform_call(write_down, &notes[500]),
				 conform_call(write_down, &notes[501]) };
	GIVES(plait_queue_submit(queue, two, 2, NULL, ERR), PLAIT_E_BUSY);
	/* PLAIT_E_BUSY is only for batches that can succeed later. */
	GIVES(plait_queue_submit(queue, many, 64, NULL, ERR), PLAIT_E_INVALID);
	NEED(plait_signal_raise(gate, 1, ERR));
	NEED(plait_queue_finish(queue, PLAIT_FOREVER, ERR));
	in_order(c, taken);
	NEED(plait_queue_call(queue, write_down, &notes[taken], ERR));
	NEED(plait_queue_finish(queue, PLAIT_FOREVER, ERR));
	in_order(c, taken + 1);
	GIVES(plait_queue_submit(queue, many, 64, NULL, ERR), PLAIT_E_INVALID);
}

/* --- Q5 ------------------------------------------------------------------ */

enum { SENDERS = 4, BATCHES = 200, BATCH = 5 };

struct sender {
	plait_queue *queue;
	uint32_t first;
	plait_status status;
};

static void send(void *argument)
{
	struct sender *sender = argument;
	plait_command batch[BATCH];
	uint32_t note = sender->first;

	for (int i = 0; i < BATCHES; i++) {
		for (int k = 0; k < BATCH; k++)
			batch[k] = conform_call(write_down, &notes[note++]);
		sender->status = plait_queue_submit(sender->queue, batch,
						    BATCH, NULL, NULL);
		if (sender->status != PLAIT_OK)
			return;
	}
}

/* Each batch is contiguous, and each sender's batches are in order. */
static void check_stretches(struct conform *c)
{
	uint32_t next[SENDERS] = { 0 };
	bool right = true;

	for (uint32_t at = 0; at < SENDERS * BATCHES * BATCH && right; at++) {
		uint32_t sender = journal.entries[at] / (BATCHES * BATCH);
		uint32_t number = journal.entries[at] % (BATCHES * BATCH);

		right = sender < SENDERS && number == next[sender] &&
			(number % BATCH == 0 ||
			 journal.entries[at - 1] == journal.entries[at] - 1);
		if (sender < SENDERS)
			next[sender]++;
	}
	HOLDS_THAT(right, "batches stay whole and in their thread's order");
}

static void many_senders(struct conform *c)
{
	static struct sender senders[SENDERS];
	struct conform_thread *threads[SENDERS];
	plait_queue *queue = conform_queue(c);

	number_notes();
	for (uint32_t i = 0; i < SENDERS; i++) {
		senders[i].queue = queue;
		senders[i].first = i * BATCHES * BATCH;
		threads[i] = conform_start(c, send, &senders[i]);
	}
	for (uint32_t i = 0; i < SENDERS; i++) {
		conform_join(threads[i]);
		HOLDS(senders[i].status == PLAIT_OK);
	}
	NEED(plait_queue_finish(queue, PLAIT_FOREVER, ERR));
	if (HOLDS_THAT(atomic_load(&journal.count) ==
		       SENDERS * BATCHES * BATCH,
		       "every function runs once: %u of %u ran",
		       atomic_load(&journal.count),
		       SENDERS * BATCHES * BATCH))
		check_stretches(c);
}

/* --- Q6, Q7 -------------------------------------------------------------- */

static void finish(struct conform *c)
{
	plait_queue *queue = conform_queue(c);
	plait_signal *gate = conform_gate(c);
	static atomic_int count;

	GIVES(plait_queue_finish(queue, 0, ERR), PLAIT_OK);
	GIVES(plait_queue_finish(queue, PLAIT_FOREVER, ERR), PLAIT_OK);
	NEED(plait_queue_wait(queue, gate, 7, ERR));
	NEED(plait_queue_call(queue, conform_count_up, &count, ERR));
	GIVES(plait_queue_finish(queue, 0, ERR), PLAIT_E_TIMEOUT);
	GIVES(plait_queue_finish(queue, 2000000, ERR), PLAIT_E_TIMEOUT);
	HOLDS(atomic_load(&count) == 0);
	NEED(plait_signal_raise(gate, 7, ERR));
	GIVES(plait_queue_finish(queue, PLAIT_FOREVER, ERR), PLAIT_OK);
	HOLDS(atomic_load(&count) == 1);
	GIVES(plait_queue_finish(queue, 0, ERR), PLAIT_OK);
}

static void released_busy(struct conform *c)
{
	plait_queue *queue = conform_queue(c);
	plait_signal *gate = conform_gate(c), *done = conform_signal(c);
	plait_buffer *buffer = conform_buffer(c, 100);
	static atomic_int count;
	static char got[100];
	plait_command work[] = {
		conform_wait(gate, 1),
		conform_call(conform_count_up, &count),
		conform_read(buffer, 0, got, 100),
		conform_call(conform_count_up, &count),
		conform_emit(done),
	};

	NEED(plait_queue_fill(queue, buffer, 0, 100, 8, 1, ERR));
	NEED(plait_queue_submit(queue, work, 5, NULL, ERR));
	conform_forget(c, queue);
	plait_queue_release(queue);
	conform_forget(c, buffer);
	plait_buffer_release(buffer);
	HOLDS(atomic_load(&count) == 0);
	NEED(plait_signal_raise(gate, 1, ERR));
	NEED(plait_signal_wait(done, 1, PLAIT_FOREVER, ERR));
	HOLDS(atomic_load(&count) == 2 && got[99] == 8);
}

/* --- Q8, Q9 -------------------------------------------------------------- */

static void thousand(struct conform *c)
{
	static plait_queue *queues[1000];
	plait_signal *gate = conform_gate(c);
	static atomic_int count;

	for (int i = 0; i < 1000; i++) {
		queues[i] = conform_queue(c);
		NEED(plait_queue_wait(queues[i], gate, 1, ERR));
		NEED(plait_queue_call(queues[i], conform_count_up, &count,
				      ERR));
	}
	HOLDS(atomic_load(&count) == 0);
	NEED(plait_signal_raise(gate, 1, ERR));
	for (int i = 0; i < 1000; i++)
		NEED(plait_queue_finish(queues[i], PLAIT_FOREVER, ERR));
	HOLDS(atomic_load(&count) == 1000);
}

static void empty(struct conform *c)
{
	plait_queue *queue = conform_queue(c), *other = conform_queue(c);
	plait_signal *signal = conform_signal(c);
	plait_command nop = { .size = sizeof(nop), .kind = PLAIT_COMMAND_NOP };
	uint64_t sequence = 99;

	GIVES(plait_queue_submit(queue, NULL, 0, &sequence, ERR), PLAIT_OK);
	HOLDS(sequence == 0);
	NEED(plait_queue_emit(queue, signal, &sequence, ERR));
	HOLDS(sequence == 1);
	NEED(plait_signal_wait(signal, 1, PLAIT_FOREVER, ERR));
	plait_command again[2] = { nop, conform_emit(signal) };
	NEED(plait_queue_submit(queue, again, 2, &sequence, ERR));
	HOLDS(sequence == 2);
	NEED(plait_signal_wait(signal, 2, PLAIT_FOREVER, ERR));
	/* A wait directly followed by an emission. */
	plait_command relay[2] = { conform_wait(signal, 2),
				   conform_emit(signal) };
	NEED(plait_queue_submit(other, relay, 2, &sequence, ERR));
	HOLDS(sequence == 3);
	NEED(plait_signal_wait(signal, 3, PLAIT_FOREVER, ERR));
	NEED(plait_queue_submit(queue, &nop, 1, &sequence, ERR));
	HOLDS(sequence == 0);
	NEED(plait_queue_finish(queue, PLAIT_FOREVER, ERR));
}

static const struct conform_check checks[] = {
	{ "Q1", "commands run in order, within and across batches", 0, fifo },
	{ "Q2", "a blocked queue does not block another", NEED_GATE,
	  independent },
	{ "Q3", "submit returns while waits are not met", NEED_GATE,
	  submit_returns },
	{ "Q4", "a full queue says busy, if it can help; all or nothing",
	  NEED_GATE, full },
	{ "Q5", "four threads submit to one queue: all runs once", 0,
	  many_senders },
	{ "Q6", "finish, idle and busy", NEED_GATE, finish },
	{ "Q7", "a queue released with work in it still does it", NEED_GATE,
	  released_busy },
	{ "Q8", "a thousand queues", NEED_GATE, thousand },
	{ "Q9", "empty submissions still emit", 0, empty },
};

CONFORM_GROUP(conform_queues, "Queues");
