/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes of pageable memory on the stand-in for CUDA's driver: chunks and
 * rests there and back, on two queues at a time, with and without workers, and
 * while the only worker is busy; small writes, which are copied when they are
 * enqueued, and those that must not be.
 */
#include <stdlib.h>

#include "segments.h"

/* Three chunks, the last of which is not shared. */
enum { BYTES = (8 << 20) + 12345 };

static bool open_standin(const char *standin, uint32_t workers,
			 const char *options)
{
	struct place place = { .backends = "cuda", .wrap = "check",
			       .workers = workers };

	standin_prepare(standin);
	(void)snprintf(place.options, sizeof(place.options),
		       "cuda:driver=%.400s%s", standin_path, options);
	return open_place(&place);
}

static bool open_stage(uint32_t workers, const char *options)
{
	return open_standin("", workers, options);
}

/* A queue with memory of the host and of the device. */
struct transfer {
	plait_queue *queue;
	plait_buffer *buffer;
	char *from, *to;
};

static void begin_transfer(struct transfer *transfer, int seed)
{
	const plait_buffer_desc desc = { .size = sizeof(desc), .bytes = BYTES };

	OK(plait_queue_create(rig.device, NULL, &transfer->queue,
			      &rig.error) == PLAIT_OK);
	OK(plait_buffer_create(rig.device, &desc, &transfer->buffer,
			       &rig.error) == PLAIT_OK);
	transfer->from = malloc(BYTES);
	transfer->to = calloc(1, BYTES);
	for (int i = 0; i < BYTES; i++)
		transfer->from[i] = (char)(seed + i * 7 + i / 4099);
	OK(plait_queue_write(transfer->queue, transfer->buffer, 0,
			     transfer->from, BYTES, &rig.error) == PLAIT_OK);
}

static void end_transfer(struct transfer *transfer)
{
	OK(plait_queue_read(transfer->queue, transfer->buffer, 0, transfer->to,
			    BYTES, &rig.error) == PLAIT_OK);
	OK(plait_queue_finish(transfer->queue, PLAIT_FOREVER, &rig.error) ==
	   PLAIT_OK);
	OK(memcmp(transfer->from, transfer->to, BYTES) == 0);
	plait_buffer_release(transfer->buffer);
	plait_queue_release(transfer->queue);
	free(transfer->from);
	free(transfer->to);
}

static void check_both(uint32_t workers, const char *options)
{
	struct transfer first, second;

	if (!open_stage(workers, options))
		return;
	begin_transfer(&first, 1);
	begin_transfer(&second, 2);
	end_transfer(&first);
	end_transfer(&second);
	close_place();
}

static void both(void)
{
	check_both(0, "");
	check_both(1, "");
	check_both(3, "");
	check_both(3, ",copies=alone");
}

static int32_t wait_for_end(void *ended)
{
	uint64_t late = 0;

	while (!__atomic_load_n((int *)ended, __ATOMIC_ACQUIRE) &&
	       !tap_late(&late))
		;
	return 0;
}

/* The transfer does not wait for the worker. */
static void busy(void)
{
	struct transfer transfer;
	int ended = 0;

	if (!open_stage(1, ""))
		return;
	OK(plait_queue_call(rig.queue, wait_for_end, &ended, &rig.error) ==
	   PLAIT_OK);
	begin_transfer(&transfer, 3);
	end_transfer(&transfer);
	__atomic_store_n(&ended, 1, __ATOMIC_RELEASE);
	OK(plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error) ==
	   PLAIT_OK);
	close_place();
}

/* --- small writes --------------------------------------------------------- */

enum { SMALL = 4096, PLACES = (64 << 10) / SMALL, WRITES = 2 * PLACES };

static char words[WRITES][SMALL], got[WRITES][SMALL];

static plait_buffer *new_buffer(uint64_t bytes)
{
	const plait_buffer_desc desc = { .size = sizeof(desc), .bytes = bytes };
	plait_buffer *buffer = NULL;

	OK_THAT(plait_buffer_create(rig.device, &desc, &buffer, &rig.error) ==
		PLAIT_OK, "%s", rig.error.text);
	return buffer;
}

/* Unlike plait_queue_write and plait_queue_read, no wait. */
static void submit(plait_queue *queue, const plait_command *command)
{
	OK_THAT(plait_queue_submit(queue, command, 1, NULL, &rig.error) ==
		PLAIT_OK, "%s", rig.error.text);
}

static void write_at(plait_queue *queue, plait_buffer *buffer, uint64_t offset,
		     char *from, uint64_t bytes)
{
	submit(queue, &(plait_command){ .size = sizeof(plait_command),
					.kind = PLAIT_COMMAND_WRITE,
					.target = buffer,
					.target_offset = offset,
					.host = from, .bytes = bytes });
}

static void read_at(plait_queue *queue, plait_buffer *buffer, uint64_t offset,
		    char *to, uint64_t bytes)
{
	submit(queue, &(plait_command){ .size = sizeof(plait_command),
					.kind = PLAIT_COMMAND_READ,
					.source = buffer,
					.source_offset = offset,
					.host = to, .bytes = bytes });
}

static void finish(plait_queue *queue)
{
	OK_THAT(plait_queue_finish(queue, PLAIT_FOREVER, &rig.error) ==
		PLAIT_OK, "%s", rig.error.text);
}

static void change_words(int seed)
{
	for (int i = 0; i < WRITES; i++)
		memset(words[i], seed + i, SMALL);
}

/* A queue that is idle before the write, with each number of bytes up to the
 * whole staging buffer. */
static void small(void)
{
	static char from[64 << 10], to[64 << 10];
	plait_buffer *buffer;
	uint64_t calls;

	if (!open_stage(0, ""))
		return;
	buffer = new_buffer(sizeof(from));
	for (uint64_t bytes = 1; bytes <= sizeof(from); bytes *= 4) {
		memset(from, (int)bytes % 251 + 1, bytes);
		calls = rig_calls("cuLaunchHostFunc");
		write_at(rig.queue, buffer, 0, from, bytes);
		finish(rig.queue);
		IS_UINT(rig_calls("cuLaunchHostFunc") - calls, 0);
		memset(to, 0, bytes);
		read_at(rig.queue, buffer, 0, to, bytes);
		finish(rig.queue);
		OK(memcmp(from, to, bytes) == 0);
	}
	plait_buffer_release(buffer);
	close_place();
}

/* Each write has a place in the staging buffer until the stream is idle; those
 * beyond are staged in their turn. */
static void many(void)
{
	plait_buffer *buffer;
	uint64_t calls;

	if (!open_stage(0, ""))
		return;
	buffer = new_buffer(sizeof(words));
	for (int round = 1; round <= 20; round++) {
		change_words(round);
		calls = rig_calls("cuLaunchHostFunc");
		for (int i = 0; i < WRITES; i++)
			write_at(rig.queue, buffer, (uint64_t)i * SMALL,
				 words[i], SMALL);
		calls = rig_calls("cuLaunchHostFunc") - calls;
		OK_THAT(calls <= WRITES - PLACES, "%llu staged",
			(unsigned long long)calls);
		read_at(rig.queue, buffer, 0, got[0], sizeof(got));
		finish(rig.queue);
		OK(memcmp(words, got, sizeof(words)) == 0);
	}
	plait_buffer_release(buffer);
	close_place();
}

/* Memory that a read writes, and a write behind it reads. */
struct passing {
	plait_buffer *large, *first, *second;
	plait_signal *signal, *gate;
	plait_queue *reader; /* the queue of the read */
	char *far, *passed;
};

static bool open_passing(struct passing *passing, bool same)
{
	const plait_signal_desc gate = { .size = sizeof(gate),
					 .flags = PLAIT_SIGNAL_GATE };

	/* Host functions hold no lock: the calls of the write need not wait for
	 * those of the read. */
	if (!open_standin("locked=no", 0, ""))
		return false;
	*passing = (struct passing){ .large = new_buffer(BYTES),
				     .first = new_buffer(2 * SMALL),
				     .second = new_buffer(SMALL),
				     .reader = rig.queue,
				     .far = calloc(1, BYTES),
				     .passed = calloc(2, SMALL) };
	OK(plait_signal_create(rig.device, NULL, &passing->signal,
			       &rig.error) == PLAIT_OK);
	OK(plait_signal_create(rig.device, &gate, &passing->gate,
			       &rig.error) == PLAIT_OK);
	return same || OK(plait_queue_create(rig.device, NULL,
					     &passing->reader, &rig.error) ==
			  PLAIT_OK);
}

static void close_passing(struct passing *passing)
{
	if (passing->reader != rig.queue)
		plait_queue_release(passing->reader);
	plait_signal_release(passing->signal);
	plait_signal_release(passing->gate);
	plait_buffer_release(passing->second);
	plait_buffer_release(passing->first);
	plait_buffer_release(passing->large);
	close_place();
	free(passing->far);
	free(passing->passed);
}

/* Submit a read that the driver gets when the gate opens, behind a slow one. */
static void read_late(const struct passing *passing, int round)
{
	change_words(round);
	memset(passing->passed, 0, (size_t)2 * SMALL);
	write_at(passing->reader, passing->first, 0, words[0],
		 (uint64_t)2 * SMALL);
	finish(passing->reader);
	OK(plait_queue_wait(passing->reader, passing->gate, (uint64_t)round,
			    &rig.error) == PLAIT_OK);
	read_at(passing->reader, passing->large, 0, passing->far, BYTES);
	read_at(passing->reader, passing->first, 0, passing->passed,
		(uint64_t)2 * SMALL);
}

static void open_gate(const struct passing *passing, int round)
{
	OK(plait_signal_raise(passing->gate, (uint64_t)round, &rig.error) ==
	   PLAIT_OK);
}

/* The driver waits for commands of another queue that it has. */
static void wait_for_reader(const struct passing *passing, int round)
{
	uint64_t emitted = 0;

	OK(plait_queue_emit(passing->reader, passing->signal, &emitted,
			    &rig.error) == PLAIT_OK);
	open_gate(passing, round);
	OK(plait_queue_wait(rig.queue, passing->signal, emitted,
			    &rig.error) == PLAIT_OK);
}

/* The memory that is written is that of a read before it, in the same queue, or
 * in one for which the queue waits. */
static void check_behind_read(bool same)
{
	struct passing passing;

	if (!open_passing(&passing, same))
		return;
	for (int round = 1; round <= 10; round++) {
		read_late(&passing, round);
		if (!same)
			wait_for_reader(&passing, round);
		write_at(rig.queue, passing.second, 0, passing.passed + SMALL,
			 SMALL);
		read_at(rig.queue, passing.second, 0, got[0], SMALL);
		if (same)
			open_gate(&passing, round);
		finish(rig.queue);
		finish(passing.reader);
		OK(memcmp(words[1], got[0], SMALL) == 0);
	}
	close_passing(&passing);
}

static void behind_reads(void)
{
	check_behind_read(true);
	check_behind_read(false);
}

/* The user may have commands in a stream of which the handle was asked for. */
static void shared(void)
{
	uint64_t calls, handle = 0;
	plait_buffer *buffer;

	if (!open_stage(0, ""))
		return;
	buffer = new_buffer(SMALL);
	OK(plait_queue_native(rig.queue, PLAIT_NATIVE_CU_STREAM, &handle,
			      &rig.error) == PLAIT_OK);
	calls = rig_calls("cuLaunchHostFunc");
	write_at(rig.queue, buffer, 0, words[0], SMALL);
	finish(rig.queue);
	IS_UINT(rig_calls("cuLaunchHostFunc") - calls, 1);
	plait_buffer_release(buffer);
	close_place();
}

static const struct tap_scenario all[] = {
	{ "both", both },
	{ "busy", busy },
	{ "small writes", small },
	{ "many small writes", many },
	{ "small writes behind reads", behind_reads },
	{ "small writes in shared streams", shared },
};
TAP_MAIN(all)
