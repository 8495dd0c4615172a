/* SPDX-License-Identifier: MIT */
/*
 * Overhead of host queues through the public API: submission of empty calls, the
 * hop from queue to queue, and loops of plans, beside the bare latencies of this
 * machine.  All operations are interleaved, so that changes of the machine
 * (migration of virtual CPUs, frequency) affect all alike.
 *
 *	bench/queue [rounds [workers [pin]]]
 *
 * pin = 1 (default) gives each worker its own core: the scheduler often places two
 * threads that wake each other on one CPU for a while.  Of the library's internals
 * the program uses only clock, atomics and futex.
 */
#include "plait/plait.h"

#include "sys/atomic.h"
#include "sys/clock.h"
#include "sys/thread.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	MOST_ROUNDS = 1000,
	MOST_BATCH = 1000,
	HOPS = 2000,
	SLEEPS = 20,
	MOST_IN_FLIGHT = 65536, /* under the interposer check */
	/* Batches of ten; more than are ever in flight here. */
	FILLING = 8000
};

struct rig {
	plait_context *context;
	plait_device *device;
	plait_queue *queues[2];
	plait_signal *signals[2];
	plait_signal *gate;
	uint64_t gate_at;
	uint64_t allocations;
	plait_plan *loop;
	uint32_t left; /* iterations left */
	plait_command calls[MOST_BATCH];
};

static struct rig rig;

static int32_t nothing(void *arg)
{
	(void)arg;
	return 0;
}

static void check(plait_status status)
{
	if (status != PLAIT_OK)
		abort();
}

static void submit(uint32_t queue, uint32_t count)
{
	check(plait_queue_submit(rig.queues[queue], rig.calls, count, NULL,
				 NULL));
}

static void finish(uint32_t queue)
{
	check(plait_queue_finish(rig.queues[queue], PLAIT_FOREVER, NULL));
}

static void raise_gate(void)
{
	check(plait_signal_raise(rig.gate, ++rig.gate_at, NULL));
}

/* --- measured operations; each returns nanoseconds per operation --------- */

/* Submission only, to a blocked queue: the cost for the caller. */
static double submit_alone(uint32_t queues, uint32_t batch)
{
	uint32_t batches = batch == 1 ? 2000 : 20000 / batch;
	uint64_t start;
	uint64_t spent;
	uint32_t i;
	uint32_t q;

	for (q = 0; q < queues; q++)
		check(plait_queue_wait(rig.queues[q], rig.gate,
				       rig.gate_at + 1, NULL));
	start = plait__clock_now_ns();
	for (i = 0; i < batches; i++)
		for (q = 0; q < queues; q++)
			submit(q, batch);
	spent = plait__clock_now_ns() - start;
	raise_gate();
	for (q = 0; q < queues; q++)
		finish(q);
	return (double)spent / ((double)batches * batch * queues);
}

/* The queue and the gate of a context without workers under the interposer
 * check. */
static struct {
	plait_context *context;
	plait_queue *queue;
	plait_signal *gate;
	uint64_t gate_at;
} checked;

static void open_checked(void)
{
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = "host", .wrap = "check",
		.flags = PLAIT_CONTEXT_NO_WORKERS,
	};
	const plait_queue_desc queue = { .size = sizeof(queue),
					 .capacity = MOST_IN_FLIGHT + 1 };
	const plait_signal_desc gate = { .size = sizeof(gate),
					 .flags = PLAIT_SIGNAL_GATE };
	plait_device *device;

	check(plait_context_open(&desc, &checked.context, NULL));
	check(plait_context_device(checked.context, 0, &device, NULL));
	check(plait_queue_create(device, &queue, &checked.queue, NULL));
	check(plait_signal_create(device, &gate, &checked.gate, NULL));
}

static void close_checked(void)
{
	plait_signal_release(checked.gate);
	plait_queue_release(checked.queue);
	plait_context_release(checked.context);
}

/* Submission of `count` calls, one by one, and their execution, under check. */
static double submit_checked(uint32_t queues, uint32_t count)
{
	uint64_t start = plait__clock_now_ns();

	(void)queues;
	check(plait_queue_wait(checked.queue, checked.gate,
			       ++checked.gate_at, NULL));
	for (uint32_t i = 0; i < count; i++)
		check(plait_queue_submit(checked.queue, rig.calls, 1, NULL,
					 NULL));
	check(plait_signal_raise(checked.gate, checked.gate_at, NULL));
	check(plait_queue_finish(checked.queue, PLAIT_FOREVER, NULL));
	return (double)(plait__clock_now_ns() - start) / count;
}

/* Throughput from submission to completion, with the queues full. */
static double through(uint32_t queues, uint32_t batch)
{
	uint32_t batches = batch == 1 ? 5000 : 50000 / batch;
	uint64_t start = plait__clock_now_ns();
	uint32_t i;
	uint32_t q;

	for (i = 0; i < batches; i++)
		for (q = 0; q < queues; q++)
			submit(q, batch);
	for (q = 0; q < queues; q++)
		finish(q);
	return (double)(plait__clock_now_ns() - start) /
	       ((double)batches * batch * queues);
}

/* Latency of one batch, from submission to completion. */
static double round_trip(uint32_t queues, uint32_t batch)
{
	uint64_t start = plait__clock_now_ns();
	uint32_t i;
	uint32_t q;

	for (i = 0; i < 200; i++) {
		for (q = 0; q < queues; q++)
			submit(q, batch);
		for (q = 0; q < queues; q++)
			finish(q);
	}
	return (double)(plait__clock_now_ns() - start) / 200;
}

/* One queue's half of a hop: wait for the other queue, work, emit. */
static void answer_signal(uint32_t queue, uint32_t batch)
{
	const plait_command commands[3] = {
		{ .size = sizeof(plait_command), .kind = PLAIT_COMMAND_WAIT,
		  .signal = rig.signals[1 - queue] },
		{ .kind = PLAIT_COMMAND_EMIT, .signal = rig.signals[queue] },
	};
	plait_command all[3] = { commands[0], rig.calls[0], commands[1] };

	all[1 + batch] = commands[1];
	check(plait_queue_submit(rig.queues[queue], all, 2 + batch, NULL,
				 NULL));
}

/* Ping-pong of two queues; one way. */
static double hop(uint32_t queues, uint32_t batch)
{
	uint64_t start;
	uint32_t i;

	(void)queues;
	check(plait_queue_wait(rig.queues[0], rig.gate, rig.gate_at + 1,
			       NULL));
	check(plait_queue_emit(rig.queues[0], rig.signals[0], NULL, NULL));
	for (i = 0; i < HOPS / 2; i++) {
		answer_signal(1, batch);
		answer_signal(0, batch);
	}
	start = plait__clock_now_ns();
	raise_gate();
	finish(0);
	return (double)(plait__clock_now_ns() - start) / HOPS;
}

/* One iteration of a loop with an empty function on each of two lanes.  The
 * decision crosses in one direction, the end of the body in the other. */
static double loop(uint32_t queues, uint32_t batch)
{
	const plait_run_desc desc = { .size = sizeof(desc),
				      .flags = PLAIT_RUN_PARALLEL };
	uint64_t start = plait__clock_now_ns();
	plait_run *run;

	(void)queues;
	(void)batch;
	rig.left = HOPS;
	check(plait_plan_run(rig.loop, rig.queues[0], &desc, &run, NULL));
	check(plait_run_wait(run, PLAIT_FOREVER, NULL));
	plait_run_release(run);
	return (double)(plait__clock_now_ns() - start) / HOPS;
}

/* --- latencies of the machine -------------------------------------------- */

static at_u64 ball[16]; /* two words on two cache lines */
static at_u32 bell;

static void *answer(void *arg)
{
	uint64_t i;

	(void)arg;
	for (i = 1; i <= HOPS / 2; i++) {
		while (at_load_acquire_u64(&ball[0]) != i)
			continue;
		at_store_release_u64(&ball[8], i);
	}
	return NULL;
}

static double ping_pong(uint32_t queues, uint32_t batch)
{
	pthread_t thread;
	uint64_t start = 0;
	uint64_t i;

	(void)queues;
	(void)batch;
	at_store_relaxed_u64(&ball[0], 0);
	at_store_relaxed_u64(&ball[8], 0);
	pthread_create(&thread, NULL, answer, NULL);
	for (i = 1; i <= HOPS / 2; i++) {
		at_store_release_u64(&ball[0], i);
		while (at_load_acquire_u64(&ball[8]) != i)
			continue;
		if (i == HOPS / 4)
			start = plait__clock_now_ns();
	}
	start = plait__clock_now_ns() - start;
	pthread_join(thread, NULL);
	return (double)start / (HOPS / 2);
}

static uint64_t woken_at;

static void *sleep_often(void *arg)
{
	uint32_t i;

	(void)arg;
	for (i = 0; i < SLEEPS; i++) {
		while (at_load_acquire_u32(&bell) == 2 * i)
			(void)at_futex_wait(&bell, 2 * i, PLAIT__CLOCK_NEVER);
		woken_at = plait__clock_now_ns();
		at_add_u32(&bell, 1);
	}
	return NULL;
}

/* From the wake to the first instruction of a thread that slept 100 us. */
static double futex_wake(uint32_t queues, uint32_t batch)
{
	pthread_t thread;
	uint64_t spent = 0;
	uint64_t start;
	uint32_t i;

	(void)queues;
	(void)batch;
	at_store_relaxed_u32(&bell, 0);
	pthread_create(&thread, NULL, sleep_often, NULL);
	for (i = 0; i < SLEEPS; i++) {
		start = plait__clock_now_ns();
		while (plait__clock_now_ns() - start < 100000)
			plait__thread_yield();
		start = plait__clock_now_ns();
		at_add_u32(&bell, 1);
		at_futex_wake_all(&bell);
		while (at_load_acquire_u32(&bell) != 2 * i + 2)
			plait__thread_yield();
		spent += woken_at - start;
	}
	pthread_join(thread, NULL);
	return (double)spent / SLEEPS;
}

/* --- the table ------------------------------------------------------------ */

struct row {
	const char *name;
	double (*measure)(uint32_t queues, uint32_t batch);
	uint32_t queues;
	uint32_t batch;
	double results[MOST_ROUNDS];
};

static struct row rows[] = {
	{ "machine: cache line, one way", ping_pong, 0, 0, { 0 } },
	{ "machine: futex wake to run", futex_wake, 0, 0, { 0 } },
	{ "signal between queues, one way", hop, 2, 0, { 0 } },
	{ "  with an empty call each", hop, 2, 1, { 0 } },
	{ "loop on two lanes, an iteration", loop, 0, 0, { 0 } },
	{ "submit, batch 1, per call", submit_alone, 1, 1, { 0 } },
	{ "submit, batch 10", submit_alone, 1, 10, { 0 } },
	{ "submit, batch 1000", submit_alone, 1, 1000, { 0 } },
	{ "submit and run, batch 1, per call", through, 1, 1, { 0 } },
	{ "submit and run, batch 10", through, 1, 10, { 0 } },
	{ "submit and run, batch 1000", through, 1, 1000, { 0 } },
	{ "two queues, batch 1, per call", through, 2, 1, { 0 } },
	{ "two queues, batch 10", through, 2, 10, { 0 } },
	{ "two queues, batch 1000", through, 2, 1000, { 0 } },
	{ "round trip of a batch of 1", round_trip, 1, 1, { 0 } },
	{ "round trip of a batch of 1000", round_trip, 1, 1000, { 0 } },
	{ "under check, 1,024 in flight, per call", submit_checked, 0, 1024,
	  { 0 } },
	{ "under check, 65,536 in flight", submit_checked, 0, MOST_IN_FLIGHT,
	  { 0 } },
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

/* An allocator that counts calls. */
static void *resize(void *user_data, void *pointer, uint64_t old_bytes,
		    uint64_t new_bytes)
{
	(void)user_data;
	(void)old_bytes;
	if (new_bytes == 0) {
		free(pointer);
		return NULL;
	}
	rig.allocations++;
	return realloc(pointer, new_bytes);
}

static plait_status open_context(uint32_t workers, bool pin,
				 plait_error *error)
{
	const plait_allocator allocator = { .size = sizeof(allocator),
					    .resize = resize };
	const plait_context_desc desc = {
		.size = sizeof(desc),
		.flags = workers == 0 ? PLAIT_CONTEXT_NO_WORKERS : 0,
		.backends = "host",
		.options = pin ? "host:pin=1" : "host:pin=0",
		.allocator = &allocator,
		.workers = workers
	};

	return plait_context_open(&desc, &rig.context, error);
}

static int32_t goes_on(void *arg)
{
	(void)arg;
	return rig.left-- > 0;
}

static void add_call(plait_graph *graph)
{
	const plait_node_desc call = {
		.size = sizeof(call), .kind = PLAIT_NODE_CALL,
		.flags = PLAIT_CALL_ANY_THREAD, .device = rig.device,
		.cost = 1000, .function = nothing,
	};

	check(plait_graph_add(graph, &call, NULL, 0, NULL, NULL));
}

static void make_loop(void)
{
	const plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_WHILE,
		.flags = PLAIT_CALL_ANY_THREAD, .device = rig.device,
		.function = goes_on,
	};
	const plait_freeze_desc freezing = { .size = sizeof(freezing),
					     .lanes = 2 };
	plait_graph *graph, *body;
	plait_node node;

	check(plait_graph_create(rig.context, &graph, NULL));
	check(plait_graph_add(graph, &desc, NULL, 0, &node, NULL));
	check(plait_graph_body(graph, node, 0, &body, NULL));
	add_call(body);
	add_call(body);
	check(plait_graph_freeze(graph, &freezing, &rig.loop, NULL));
	check(plait_plan_prepare(rig.loop, NULL));
	plait_graph_release(body);
	plait_graph_release(graph);
}

static int open_rig(uint32_t workers, bool pin)
{
	const plait_signal_desc gate = { .size = sizeof(gate),
					 .flags = PLAIT_SIGNAL_GATE };
	plait_error error = { .size = sizeof(error) };
	uint32_t i;

	if (pin && open_context(workers, true, &error) != PLAIT_OK) {
		printf("workers could not be placed: %s\n", error.text);
		pin = false;
	}
	if (!pin && open_context(workers, false, &error) != PLAIT_OK) {
		printf("%s\n", error.text);
		return -1;
	}
	check(plait_context_device(rig.context, 0, &rig.device, NULL));
	for (i = 0; i < 2; i++) {
		check(plait_queue_create(rig.device, NULL, &rig.queues[i],
					 NULL));
		check(plait_signal_create(rig.device, NULL, &rig.signals[i],
					  NULL));
	}
	check(plait_signal_create(rig.device, &gate, &rig.gate, NULL));
	for (i = 0; i < MOST_BATCH; i++)
		rig.calls[i] = (plait_command){
			.size = sizeof(plait_command),
			.kind = PLAIT_COMMAND_CALL,
			.flags = PLAIT_CALL_ANY_THREAD,
			.function = nothing
		};
	make_loop();
	open_checked();
	return 0;
}

static void close_rig(void)
{
	uint32_t i;

	close_checked();
	for (i = 0; i < 2; i++) {
		plait_queue_release(rig.queues[i]);
		plait_signal_release(rig.signals[i]);
	}
	plait_signal_release(rig.gate);
	plait_plan_release(rig.loop);
	plait_context_release(rig.context);
}

/* Fill the queues once: a queue keeps memory for its highest number of commands in
 * flight, which would otherwise vary with the relative speed of the threads. */
static void fill(void)
{
	for (uint32_t q = 0; q < 2; q++) {
		check(plait_queue_wait(rig.queues[q], rig.gate,
				       rig.gate_at + 1, NULL));
		for (uint32_t i = 0; i < FILLING; i++)
			submit(q, 10);
	}
	raise_gate();
	finish(0);
	finish(1);
}

static void measure_all(int round)
{
	int i;

	for (i = 0; i < ROWS; i++)
		rows[i].results[round] =
			rows[i].measure(rows[i].queues, rows[i].batch);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 50;
	uint32_t workers = argc > 2 ? (uint32_t)atoi(argv[2]) : 2;
	bool pin = argc > 3 ? atoi(argv[3]) != 0 : true;
	uint64_t before;
	int i;

	if (rounds < 1 || rounds > MOST_ROUNDS || open_rig(workers, pin) != 0)
		return 1;
	fill();
	measure_all(0); /* warm-up: all memory is allocated afterwards */
	before = rig.allocations;
	for (i = 0; i < rounds; i++)
		measure_all(i);
	printf("%d rounds, %u workers, %llu allocations; nanoseconds%4s %10s\n",
	       rounds, workers,
	       (unsigned long long)(rig.allocations - before), "min",
	       "median");
	for (i = 0; i < ROWS; i++) {
		qsort(rows[i].results, (size_t)rounds, sizeof(double),
		      compare);
		printf("%-44s %10.1f %10.1f\n", rows[i].name,
		       rows[i].results[0], rows[i].results[rounds / 2]);
	}
	close_rig();
	return 0;
}
