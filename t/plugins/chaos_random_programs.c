/* SPDX-License-Identifier: MIT */
/*
 * The simulated system (chaos) under random programs, with every quirk, with
 * failing allocations, and with several threads.
 */
#include <stdio.h>
#include <string.h>

#include "lib/bed.h"
#include "lib/tap.h"

static void count_notice(void *user_data, plait_status status)
{
	int *count = user_data;

	*count += status == PLAIT_OK ? 1 : 100;
}

/* --- random programs and their required order ----------------------------- */

enum { LANES = 5, BATCHES = 40 };

struct stamp {
	uint32_t *clock;
	uint32_t at;
};

static int32_t take_stamp(void *user_data)
{
	struct stamp *stamp = user_data;

	stamp->at = ++*stamp->clock;
	return 0;
}

static uint64_t draw(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

/* Checks that each batch runs after its predecessor in the queue and after the
 * batch for which it waits. */
static bool random_program(const char *names, uint64_t seed,
			   const char *quirks)
{
	static struct stamp stamps[LANES * BATCHES];
	plait_backend_queue *queues[LANES];
	plait_backend_signal *signals[LANES];
	plait_backend_point last[LANES];
	uint32_t from[LANES * BATCHES], clock = 0;
	uint64_t done[LANES] = { 0 }, state = seed;
	char options[128];
	bool good = true;

	snprintf(options, sizeof(options), "seed=%llu quirks=%s parallel=2",
		 (unsigned long long)seed, quirks);
	if (!bed_open_quietly(names, options))
		return false;
	for (uint32_t q = 0; q < LANES; q++) {
		queues[q] = bed_queue_on(q % 2, NULL);
		signals[q] = bed_signal_of(0);
	}
	for (uint32_t i = 0; i < LANES * BATCHES; i++) {
		uint32_t q = (uint32_t)(draw(&state) % LANES);
		uint32_t other = (uint32_t)(draw(&state) % LANES);
		plait_work work = bed_call_of(take_stamp, &stamps[i]);
		plait_backend_point wait = { signals[other], done[other] };
		plait_backend_point emit = { signals[q], ++done[q] };

		stamps[i] = (struct stamp){ &clock, 0 };
		from[i] = 0;
		for (uint32_t j = 0; j < i; j++)
			if (stamps[j].clock && (from[j] >> 16) == other + 1)
				from[i] = j + 1;
		from[i] |= (q + 1) << 16;
		good = good && bed_submit(queues[q], &wait, &work, 1, &emit) == 0;
		if (draw(&state) % 3 == 0)
			bed.table.queue_flush(bed.self, queues[q], &bed.error);
	}
	for (uint32_t q = 0; q < LANES; q++) {
		bed.table.queue_flush(bed.self, queues[q], &bed.error);
		last[q] = (plait_backend_point){ signals[q], done[q] };
	}
	good = good && bed.table.signal_wait(bed.self, last, LANES, 0, PLAIT_FOREVER,
					 &bed.error) == PLAIT_OK;
	for (uint32_t i = 0; i < LANES * BATCHES; i++) {
		uint32_t wait = from[i] & 0xffff;

		good = good && stamps[i].at > 0;
		good = good && (!wait || stamps[wait - 1].at < stamps[i].at);
	}
	for (uint32_t q = 0; q < LANES; q++) {
		bed.table.queue_destroy(bed.self, queues[q]);
		bed.table.signal_destroy(bed.self, signals[q]);
	}
	bed.table.close(bed.self);
	good = good && bed.host.live_blocks == 0 && bed.host.errors == 0 &&
		clock == LANES * BATCHES;
	fakehost_fini(&bed.host);
	return good;
}

static void random_programs_of(const char *names)
{
	static const char *const quirks[] = {
		"", "shuffle", "spurious", "batch", "slow_host", "all"
	};
	uint64_t seed = tap_seed();

	for (size_t i = 0; i < TAP_COUNT(quirks); i++) {
		uint64_t bad = 0;

		for (uint64_t k = 0; k < 30 && !bad; k++)
			if (!random_program(names, seed + k, quirks[i]))
				bad = seed + k;
		OK_THAT(!bad, "%s quirks=%s seed=%llu", names, quirks[i],
			(unsigned long long)bad);
	}
}

static void random_programs(void)
{
	random_programs_of("chaos");
	random_programs_of("check,chaos");
	random_programs_of("check,trace,fault,chaos");
}

/* --- the virtual clock in the log ------------------------------------------ */

enum { MANY = 12, EACH = 5 };

/* Run MANY queues of EACH commands of 1000 ns. */
static void play_for_the_log(const char *options)
{
	plait_backend_queue *queues[MANY];
	plait_backend_signal *signals[MANY];
	plait_backend_point points[MANY];
	plait_work nops[EACH];

	memset(nops, 0, sizeof(nops));
	for (int i = 0; i < EACH; i++)
		nops[i].size = sizeof(nops[i]);
	if (!bed_open("chaos", options))
		return;
	for (int q = 0; q < MANY; q++) {
		queues[q] = bed_queue_on(0, NULL);
		signals[q] = bed_signal_of(0);
		points[q] = (plait_backend_point){ signals[q], 1 };
		bed_submit(queues[q], NULL, nops, EACH, &points[q]);
	}
	IS_INT(bed.table.signal_wait(bed.self, points, MANY, 0, PLAIT_FOREVER,
				     &bed.error), PLAIT_OK);
	for (int q = 0; q < MANY; q++) {
		bed.table.queue_destroy(bed.self, queues[q]);
		bed.table.signal_destroy(bed.self, signals[q]);
	}
	bed_close();
}

/* Returns the most commands that ran at the same time; 0 when a command did not
 * take 1000 ns. */
static int most_at_once(void)
{
	unsigned long long start[MANY + 1] = { 0 };
	int now = 0, most = 0, ended = 0;

	for (const char *line = bed.host.log; *line;
	     line = strchr(line, '\n') + 1) {
		unsigned long long time, queue;
		char what[16];

		if (sscanf(line, "chaos %llu: q%llu: nop %15s", &time, &queue,
			   what) != 3 || queue > MANY)
			continue;
		if (strcmp(what, "starts") == 0) {
			start[queue] = time;
			now++;
		} else {
			if (time != start[queue] + 1000)
				return 0;
			ended++;
			now--;
		}
		most = now > most ? now : most;
	}
	return ended == MANY * EACH ? most : 0;
}

static void time_and_room_are_kept(void)
{
	play_for_the_log("log=1 command_ns=1000 parallel=16 submit_ns=0-9000");
	OK(most_at_once() > 3);
	play_for_the_log("log=1 command_ns=1000 parallel=3");
	IS_INT(most_at_once(), 3);
	play_for_the_log("log=1 command_ns=1000 parallel=1");
	IS_INT(most_at_once(), 1);
}

/* --- every allocation fails once ------------------------------------------ */

static plait_status small_scenario(void)
{
	const plait_queue_request request = { .size = sizeof(request) };
	const plait_memory_request bytes = { .size = sizeof(bytes),
		.bytes = 64 };
	plait_backend_queue *queue = NULL;
	plait_backend_signal *done = NULL;
	plait_backend_memory *memory = NULL;
	plait_backend_point point;
	plait_status status;
	int count = 0;

	status = fakehost_open(&bed.host, &bed.table, &bed.self, &bed.error);
	if (status != PLAIT_OK)
		return status;
	status = bed.table.queue_create(bed.self, 0, &request, &queue, &bed.error);
	if (status == PLAIT_OK)
		status = bed.table.signal_create(bed.self, 0, 0, &done, &bed.error);
	if (status == PLAIT_OK)
		status = bed.table.memory_create(bed.self, 0, &bytes, &memory, &bed.error);
	point = (plait_backend_point){ done, 1 };
	if (status == PLAIT_OK)
		status = bed.table.signal_notify(bed.self, &point, count_notice,
					     &count, &bed.error);
	if (status == PLAIT_OK) {
		status = bed_submit(queue, NULL, NULL, 0, &point);
		if (status != PLAIT_OK && OK(status == PLAIT_E_NOMEM))
			/* The next call works, and the notification comes. */
			OK(bed_submit(queue, NULL, NULL, 0, &point) == PLAIT_OK);
		OK(bed_wait_for(done, 1, PLAIT_FOREVER) == PLAIT_OK);
		while (bed.table.pump(bed.self, &bed.error) == PLAIT_OK)
			;
		IS_INT(count, 1);
	}
	if (memory)
		bed.table.memory_destroy(bed.self, memory);
	if (queue)
		bed.table.queue_destroy(bed.self, queue);
	if (done)
		bed.table.signal_destroy(bed.self, done);
	bed.table.close(bed.self);
	return status;
}

static void every_allocation_can_fail(void)
{
	uint64_t k;

	OK(fakehost_load("chaos", &bed.table));
	for (k = 1; k < 100; k++) {
		plait_status status;

		fakehost_init(&bed.host, "");
		bed.host.fail_at = k;
		status = small_scenario();
		IS_UINT(bed.host.live_blocks, 0);
		IS_UINT(bed.host.errors, 0);
		fakehost_fini(&bed.host);
		if (status == PLAIT_OK)
			break;
		IS_INT(status, PLAIT_E_NOMEM);
	}
	OK(k > 7 && k < 100);
}

/* --- more than one thread ------------------------------------------------- */

static void *wait_on_thread(void *user_data)
{
	const plait_backend_point *point = user_data;
	plait_error mine;

	return bed.table.signal_wait(bed.self, point, 1, 0, PLAIT_FOREVER, &mine) ==
		PLAIT_OK ? user_data : NULL;
}

static void other_threads_may_raise(void)
{
	enum { WAITERS = 4 };
	plait_backend_point points[WAITERS];
	pthread_t threads[WAITERS];
	plait_backend_signal *gate;

	if (!bed_open("chaos", ""))
		return;
	gate = bed_signal_of(PLAIT_BACKEND_SIGNAL_GATE);
	for (uint64_t i = 0; i < WAITERS; i++) {
		points[i] = (plait_backend_point){ gate, i + 1 };
		pthread_create(&threads[i], NULL, wait_on_thread, &points[i]);
	}
	for (uint64_t i = 0; i < WAITERS; i++)
		bed.table.signal_raise(bed.self, &points[i], NULL, &bed.error);
	for (uint64_t i = 0; i < WAITERS; i++) {
		void *result = NULL;

		pthread_join(threads[i], &result);
		OK(result == &points[i]);
	}
	bed.table.signal_destroy(bed.self, gate);
	bed_close();
}

/* --- the host sees emissions in order ------------------------------------- */

/* A thread that saw the second of two emissions of one queue sees the first. */
static bool sees_both(uint64_t seed, const char *quirks)
{
	plait_backend_point first, second;
	plait_backend_queue *queue;
	uint64_t reached = 0;
	char options[64];
	bool good = true;

	snprintf(options, sizeof(options), "seed=%llu quirks=%s",
		 (unsigned long long)seed, quirks);
	if (!bed_open_quietly("chaos", options))
		return false;
	queue = bed_queue_on(0, NULL);
	first = (plait_backend_point){ bed_signal_of(0), 1 };
	second = (plait_backend_point){ bed_signal_of(0), 1 };
	bed_submit(queue, NULL, NULL, 0, &first);
	bed_submit(queue, NULL, NULL, 0, &second);
	bed.table.queue_flush(bed.self, queue, &bed.error);
	good = bed_wait_for(second.signal, 1, PLAIT_FOREVER) == PLAIT_OK &&
		bed.table.signal_poll(bed.self, &first, &reached,
				      &bed.error) == PLAIT_OK &&
		reached == 1;
	bed.table.queue_destroy(bed.self, queue);
	bed.table.signal_destroy(bed.self, first.signal);
	bed.table.signal_destroy(bed.self, second.signal);
	bed.table.close(bed.self);
	fakehost_fini(&bed.host);
	return good;
}

static void host_sees_in_order(void)
{
	uint64_t missed = 0;

	for (uint64_t seed = 1; seed <= 200; seed++)
		missed += !sees_both(seed, seed % 2 ? "" : "slow_host");
	IS_UINT(missed, 0);
}

static const struct tap_scenario all[] = {
	{ "random", random_programs },
	{ "log", time_and_room_are_kept },
	{ "nomem", every_allocation_can_fail },
	{ "threads", other_threads_may_raise },
	{ "order", host_sees_in_order },
};
TAP_MAIN(all)
