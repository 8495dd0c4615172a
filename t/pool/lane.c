/* SPDX-License-Identifier: MIT */
/* Pool lanes: they run in order, wait without a thread, and keep their
 * capacity. */
#include "lib/pool.h"

enum { MANY = 5000 };

static uint32_t seen[MANY];
static uint32_t seen_count;

static int32_t note(void *arg)
{
	seen[seen_count++ % MANY] = (uint32_t)(uintptr_t)arg;
	return 0;
}

/* Every worker count runs the same scenario. */
static const uint32_t worker_counts[] = { 0, 1, 2, 4 };

static void in_order_of(uint32_t workers, uint32_t batch)
{
	plait__pool *pool = new_pool(workers);
	plait__lane *lane = new_lane(pool);
	plait__counter *done = new_counter(pool, 0);
	plait_work work[64];
	uint32_t wrong = 0;
	uint32_t i;
	uint32_t k;

	seen_count = 0;
	for (i = 0; i < MANY; i += batch) {
		for (k = 0; k < batch; k++)
			work[k] = call(note, (void *)(uintptr_t)(i + k));
		if (send(lane, NULL, 0, work, batch, done, i / batch + 1,
			 NULL) != PLAIT_OK)
			wrong++;
	}
	IS_INT(wait_point(pool, done, MANY / batch, NULL), PLAIT_OK);
	IS_INT(seen_count, MANY);
	for (i = 0; i < MANY; i++)
		wrong += seen[i] != i;
	OK_THAT(wrong == 0, "%u workers, batches of %u: in order", workers,
		batch);
	plait__lane_destroy(lane);
	plait__counter_destroy(done);
	plait__pool_destroy(pool);
}

static void in_order(void)
{
	size_t i;

	for (i = 0; i < TAP_COUNT(worker_counts); i++) {
		in_order_of(worker_counts[i], 1);
		in_order_of(worker_counts[i], 50);
	}
}

/* A lane is not destroyed with commands, but a backend that is given up may
 * leave some: they run, also without workers. */
static void destroyed_with_commands(void)
{
	for (size_t i = 0; i < TAP_COUNT(worker_counts); i++) {
		plait__pool *pool = new_pool(worker_counts[i]);
		plait__counter *done = new_counter(pool, 0);
		plait__lane *lane = new_lane(pool);
		at_u32 count = { 0 };

		send_call(lane, NULL, 0, count_up, &count, done, 1);
		send_call(lane, NULL, 0, count_up, &count, done, 2);
		plait__lane_destroy(lane);
		IS_INT(at_load_relaxed_u32(&count), 2);
		plait__counter_destroy(done);
		plait__pool_destroy(pool);
	}
}

/* With one worker, many lanes that wait and one that runs. */
static void a_blocked_lane_blocks_no_other(void)
{
	enum { LANES = 40 };
	plait__pool *pool = new_pool(1);
	plait__counter *gate = new_gate(pool);
	plait__counter *done = new_counter(pool, 0);
	plait__counter *ends[LANES];
	plait__lane *lanes[LANES];
	plait__lane *free_lane = new_lane(pool);
	at_u32 count = { 0 };
	int i;

	for (i = 0; i < LANES; i++) {
		lanes[i] = new_lane(pool);
		ends[i] = new_counter(pool, 0);
		send_call(lanes[i], gate, (uint64_t)(LANES - i), count_up,
			  &count, ends[i], 1);
	}
	send_call(free_lane, NULL, 0, count_up, &count, done, 1);
	IS_INT(wait_point(pool, done, 1, NULL), PLAIT_OK);
	IS_INT(at_load_relaxed_u32(&count), 1);
	IS_INT(raise_gate(gate, LANES / 2), PLAIT_OK);
	for (i = LANES / 2; i < LANES; i++)
		wait_point(pool, ends[i], 1, NULL);
	IS_INT(at_load_relaxed_u32(&count), 1 + LANES / 2);
	IS_INT(raise_gate(gate, LANES), PLAIT_OK);
	for (i = 0; i < LANES; i++) {
		wait_point(pool, ends[i], 1, NULL);
		plait__lane_destroy(lanes[i]);
		plait__counter_destroy(ends[i]);
	}
	IS_INT(at_load_relaxed_u32(&count), 1 + LANES);
	plait__lane_destroy(free_lane);
	plait__counter_destroy(gate);
	plait__counter_destroy(done);
	plait__pool_destroy(pool);
}

static void capacity(void)
{
	plait__pool *pool = new_pool(1);
	plait__counter *gate = new_gate(pool);
	plait__counter *done = new_counter(pool, 0);
	plait__lane *lane = new_lane_of(pool, 4, "narrow");
	plait_error error = { .size = sizeof(error) };
	plait_work work[5];
	at_u32 count = { 0 };
	uint64_t n = 0;
	int i;

	for (i = 0; i < 5; i++)
		work[i] = call(count_up, &count);
	IS_INT(send(lane, gate, 1, work, 3, done, ++n, NULL), PLAIT_OK);
	IS_INT(send(lane, NULL, 0, work, 2, NULL, 0, &error), PLAIT_E_BUSY);
	HAS_STR(error.text, "narrow");
	HAS_STR(error.text, "3 of at most 4");
	IS_INT(send(lane, NULL, 0, work, 1, done, ++n, NULL), PLAIT_OK);
	IS_INT(send(lane, NULL, 0, work, 1, NULL, 0, NULL), PLAIT_E_BUSY);
	/* Emissions and waits are no work. */
	IS_INT(send(lane, NULL, 0, NULL, 0, done, ++n, NULL), PLAIT_OK);
	raise_gate(gate, 1);
	IS_INT(wait_point(pool, done, n, NULL), PLAIT_OK);
	IS_INT(at_load_relaxed_u32(&count), 4);
	/* Once an emission is seen, the commands before it take no room. */
	for (i = 0; i < 2000; i++) {
		if (send(lane, NULL, 0, work, 4, done, ++n, NULL) != PLAIT_OK)
			break;
		wait_point(pool, done, n, NULL);
	}
	IS_INT(i, 2000);
	plait__lane_destroy(lane);
	plait__counter_destroy(gate);
	plait__counter_destroy(done);
	plait__pool_destroy(pool);
}

/* A submission that never fits does not get PLAIT_E_AGAIN, whether the lane is
 * empty or not. */
static void beyond_capacity(void)
{
	plait__pool *pool = new_pool(0);
	plait__counter *gate = new_gate(pool);
	plait__counter *done = new_counter(pool, 0);
	plait__lane *lane = new_lane_of(pool, 4, "narrow");
	plait_error error = { .size = sizeof(error) };
	plait_backend_point emits[200];
	plait_submission marks = { .size = sizeof(marks), .emits = emits,
				   .emit_count = TAP_COUNT(emits) };
	plait_work work[5];
	at_u32 count = { 0 };

	for (int i = 0; i < 5; i++)
		work[i] = call(count_up, &count);
	for (uint32_t i = 0; i < TAP_COUNT(emits); i++)
		emits[i] = point(done, i + 1);
	for (int i = 0; i < 2; i++) {
		IS_INT(send(lane, NULL, 0, work, 5, NULL, 0, &error),
		       PLAIT_E_INVALID);
		HAS_STR(error.text, "queue narrow: 5 commands at once");
		HAS_STR(error.text, "room for 4");
		IS_INT(plait__lane_submit(lane, &marks, 1, &error),
		       PLAIT_E_INVALID);
		HAS_STR(error.text, "200 commands, waits and emissions");
		if (i == 0)
			IS_INT(send(lane, gate, 1, work, 4, done, 1, NULL),
			       PLAIT_OK);
	}
	IS_INT(send(lane, NULL, 0, work, 4, NULL, 0, NULL), PLAIT_E_BUSY);
	raise_gate(gate, 1);
	IS_INT(wait_point(pool, done, 1, NULL), PLAIT_OK);
	IS_INT(at_load_relaxed_u32(&count), 4);
	plait__lane_destroy(lane);
	plait__counter_destroy(gate);
	plait__counter_destroy(done);
	plait__pool_destroy(pool);
}

/* Emissions alone cannot fill the memory either. */
static void marks_are_bounded(void)
{
	plait__pool *pool = new_pool(0);
	plait__counter *gate = new_gate(pool);
	plait__counter *done = new_counter(pool, 0);
	plait__lane *lane = new_lane_of(pool, 4, NULL);
	uint64_t n = 0;

	send_call(lane, gate, 1, NULL, NULL, done, ++n);
	while (send_call(lane, NULL, 0, NULL, NULL, done, n + 1) == PLAIT_OK &&
	       n < 10000)
		n++;
	OK_THAT(n > 16 && n < 200, "%llu emissions fit",
		(unsigned long long)n);
	raise_gate(gate, 1);
	IS_INT(wait_point(pool, done, n, NULL), PLAIT_OK);
	plait__lane_destroy(lane);
	plait__counter_destroy(gate);
	plait__counter_destroy(done);
	plait__pool_destroy(pool);
}

static void several_submissions_at_once(void)
{
	plait__pool *pool = new_pool(1);
	plait__counter *gate = new_gate(pool);
	plait__counter *done = new_counter(pool, 0);
	plait__lane *lane = new_lane_of(pool, 4, NULL);
	at_u32 count = { 0 };
	plait_work work[3] = { call(count_up, &count), call(count_up, &count),
			       call(count_up, &count) };
	plait_backend_point wait = point(gate, 1);
	plait_backend_point emits[2] = { point(done, 1), point(done, 2) };
	plait_submission two[2] = {
		{ .size = sizeof(two[0]), .work = work, .work_count = 1,
		  .emits = &emits[0], .emit_count = 1 },
		{ .size = sizeof(two[0]), .work = work, .work_count = 3,
		  .waits = &wait, .wait_count = 1, .emits = &emits[1],
		  .emit_count = 1 },
	};
	plait_work odd = { .size = sizeof(odd), .kind = 77 };
	plait_error error = { .size = sizeof(error) };

	IS_INT(plait__lane_submit(lane, two, 2, NULL), PLAIT_OK);
	IS_INT(wait_point(pool, done, 1, NULL), PLAIT_OK);
	/* All or none: 3 pending, 4 more do not fit. */
	IS_INT(plait__lane_submit(lane, two, 2, NULL), PLAIT_E_BUSY);
	IS_INT(at_load_relaxed_u32(&count), 1);
	raise_gate(gate, 1);
	IS_INT(wait_point(pool, done, 2, NULL), PLAIT_OK);
	IS_INT(at_load_relaxed_u32(&count), 4);
	IS_INT(plait__lane_submit(lane, two, 0, NULL), PLAIT_OK);
	two[1].work = &odd;
	two[1].work_count = 1;
	IS_INT(plait__lane_submit(lane, two, 2, &error), PLAIT_E_UNSUPPORTED);
	HAS_STR(error.text, "kind 77");
	plait__lane_destroy(lane);
	plait__counter_destroy(gate);
	plait__counter_destroy(done);
	plait__pool_destroy(pool);
}

/* --- bytes --------------------------------------------------------------- */

static void fill_is(uint64_t pattern, uint32_t pattern_bytes, uint64_t bytes,
		    const char *wanted)
{
	char got[16] = "...............";
	plait__pool *pool = new_pool(0);
	plait__counter *done = new_counter(pool, 0);
	plait__lane *lane = new_lane(pool);
	plait_work work = { .size = sizeof(work), .kind = PLAIT_WORK_FILL,
			    .pattern = pattern, .bytes = bytes,
			    .pattern_bytes = pattern_bytes,
			    .target = (plait_backend_memory *)got,
			    .target_offset = 1 };

	send(lane, NULL, 0, &work, 1, done, 1, NULL);
	IS_INT(wait_point(pool, done, 1, NULL), PLAIT_OK);
	IS_STR(got, wanted);
	plait__lane_destroy(lane);
	plait__counter_destroy(done);
	plait__pool_destroy(pool);
}

static void fills(void)
{
	fill_is(0x41, 1, 3, ".AAA...........");
	fill_is(0x4241, 2, 5, ".ABABA.........");
	fill_is(0x44434241, 4, 11, ".ABCDABCDABC...");
	fill_is(0x4847464544434241, 8, 12, ".ABCDEFGHABCD..");
	fill_is(0x4847464544434241, 8, 0, "...............");
}

static void moves(void)
{
	char a[8] = "abcdefg";
	char b[8] = "1234567";
	char host[4] = "xyz";
	char out[4] = "...";
	plait__pool *pool = new_pool(1);
	plait__counter *done = new_counter(pool, 0);
	plait__lane *lane = new_lane(pool);
	plait_work work[3] = {
		{ .size = sizeof(work[0]), .kind = PLAIT_WORK_COPY, .bytes = 2,
		  .target = (plait_backend_memory *)b, .target_offset = 1,
		  .source = (plait_backend_memory *)a, .source_offset = 3 },
		{ .size = sizeof(work[0]), .kind = PLAIT_WORK_WRITE,
		  .bytes = 3, .target = (plait_backend_memory *)a,
		  .target_offset = 4, .host = host },
		{ .size = sizeof(work[0]), .kind = PLAIT_WORK_READ, .bytes = 3,
		  .source = (plait_backend_memory *)a, .source_offset = 2,
		  .host = out },
	};

	send(lane, NULL, 0, work, 3, done, 1, NULL);
	IS_INT(wait_point(pool, done, 1, NULL), PLAIT_OK);
	IS_STR(b, "1de4567");
	IS_STR(a, "abcdxyz");
	IS_STR(out, "cdx");
	plait__lane_destroy(lane);
	plait__counter_destroy(done);
	plait__pool_destroy(pool);
}

static const struct tap_scenario all[] = {
	{ "in order", in_order },
	{ "destroyed with commands", destroyed_with_commands },
	{ "a blocked lane blocks no other", a_blocked_lane_blocks_no_other },
	{ "capacity", capacity },
	{ "beyond capacity", beyond_capacity },
	{ "marks are bounded", marks_are_bounded },
	{ "several submissions at once", several_submissions_at_once },
	{ "fills", fills },
	{ "moves", moves },
};

TAP_MAIN(all)
