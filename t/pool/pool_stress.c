/* SPDX-License-Identifier: MIT */
/* Stress of the pool: concurrent senders, lanes that wait for each other, no
 * workers, no memory, and destruction. */
#include "lib/pool.h"

#include "sys/eventcount.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

/* --- four threads submit ------------------------------------------------- */

enum { SENDERS = 4, ROUNDS = 2000 };

struct sender {
	struct plait__thread thread;
	plait__pool *pool;
	plait__lane *own;
	plait__lane *shared;
	plait__counter *done;
	uint32_t next; /* of the shared lane's works of this sender */
	uint32_t wrong;
};

struct stamp {
	struct sender *sender;
	uint32_t index;
};

/* Runs on the shared lane: works of one sender stay in order. */
static int32_t check_stamp(void *arg)
{
	struct stamp *stamp = arg;

	stamp->sender->wrong += stamp->sender->next != stamp->index;
	stamp->sender->next++;
	return 0;
}

static struct stamp stamps[SENDERS][ROUNDS];

static void send_all(void *arg)
{
	struct sender *sender = arg;
	struct stamp *mine = stamps[sender->next];
	uint32_t i;

	sender->next = 0;
	for (i = 0; i < ROUNDS; i++) {
		mine[i] = (struct stamp){ sender, i };
		send_call(sender->shared, NULL, 0, check_stamp, &mine[i], NULL,
			  0);
		send_call(sender->own, NULL, 0, NULL, NULL, sender->done,
			  i + 1);
		if (i % 64 == 0)
			wait_point(sender->pool, sender->done, i + 1, NULL);
	}
	wait_point(sender->pool, sender->done, ROUNDS, NULL);
}

static void four_senders(void)
{
	static struct sender senders[SENDERS];
	plait__pool *pool = new_pool(2);
	plait__lane *shared = new_lane(pool);
	plait__counter *end = new_counter(pool, 0);
	uint32_t i;

	for (i = 0; i < SENDERS; i++) {
		senders[i] = (struct sender){ .pool = pool, .shared = shared,
					      .own = new_lane(pool),
					      .done = new_counter(pool, 0),
					      .next = i };
		plait__thread_start(&senders[i].thread, "sender", send_all,
				    &senders[i], NULL);
	}
	for (i = 0; i < SENDERS; i++)
		plait__thread_join(&senders[i].thread);
	send_call(shared, NULL, 0, NULL, NULL, end, 1);
	IS_INT(wait_point(pool, end, 1, NULL), PLAIT_OK);
	for (i = 0; i < SENDERS; i++) {
		IS_INT(senders[i].next, ROUNDS);
		IS_INT(senders[i].wrong, 0);
		plait__lane_destroy(senders[i].own);
		plait__counter_destroy(senders[i].done);
	}
	plait__lane_destroy(shared);
	plait__counter_destroy(end);
	plait__pool_destroy(pool);
}

/* --- lanes that wait for each other -------------------------------------- */

enum { PAIRS = 8, HOPS = 300 };

static void pairs_on(uint32_t workers)
{
	plait__pool *pool = new_pool(workers);
	plait__lane *lanes[2 * PAIRS];
	plait__counter *ends[2 * PAIRS];
	at_u32 count = { 0 };
	uint32_t i;
	uint64_t n;

	for (i = 0; i < 2 * PAIRS; i++) {
		lanes[i] = new_lane(pool);
		ends[i] = new_counter(pool, 0);
	}
	for (n = 1; n <= HOPS; n++) {
		for (i = 0; i < 2 * PAIRS; i++)
			send_call(lanes[i], ends[i ^ 1], n - (i & 1 ? 0 : 1),
				  count_up, &count, ends[i], n);
	}
	for (i = 0; i < 2 * PAIRS; i++)
		IS_INT(wait_point(pool, ends[i], HOPS, NULL), PLAIT_OK);
	IS_INT(at_load_relaxed_u32(&count), 2 * PAIRS * HOPS);
	for (i = 0; i < 2 * PAIRS; i++) {
		plait__lane_destroy(lanes[i]);
		plait__counter_destroy(ends[i]);
	}
	plait__pool_destroy(pool);
}

static void sixteen_lanes_on_two_workers(void)
{
	pairs_on(2);
}

static void sixteen_lanes_on_any_number(void)
{
	pairs_on(0);
	pairs_on(1);
	pairs_on(5);
}

/* --- no workers ---------------------------------------------------------- */

static void pumping(void)
{
	plait__pool *pool = new_pool(0);
	plait__counter *gate = new_gate(pool);
	plait__counter *done = new_counter(pool, 0);
	plait__lane *lane = new_lane(pool);
	at_u32 count = { 0 };
	plait_work work[1000];
	uint32_t pumps = 0;
	uint32_t i;

	for (i = 0; i < 1000; i++)
		work[i] = call(count_up, &count);
	IS_INT(plait__pool_worker_count(pool), 0);
	IS_INT(plait__external_thread_pump(pool, NULL), PLAIT_PENDING);
	send(lane, gate, 1, work, 1000, done, 1, NULL);
	IS_INT(plait__external_thread_pump(pool, NULL), PLAIT_OK);
	IS_INT(plait__external_thread_pump(pool, NULL), PLAIT_PENDING);
	raise_gate(gate, 1);
	while (plait__external_thread_pump(pool, NULL) == PLAIT_OK)
		pumps++;
	OK_THAT(pumps > 3, "%u bounded pieces", pumps);
	IS_INT(at_load_relaxed_u32(&count), 1000);
	/* A poll drives, too. */
	send(lane, NULL, 0, work, 1, done, 2, NULL);
	plait_backend_point p = point(done, 2);
	IS_INT(plait__counter_wait(pool, &p, 1, 0, 0, NULL), PLAIT_OK);
	plait__lane_destroy(lane);
	plait__counter_destroy(gate);
	plait__counter_destroy(done);
	plait__pool_destroy(pool);
}

struct relay {
	struct plait__thread thread;
	plait__pool *pool;
	plait__counter *mine;
	at_u32 *returned;
};

static void wait_in_relay(void *arg)
{
	struct relay *relay = arg;

	wait_point(relay->pool, relay->mine, 1, NULL);
	at_add_u32(relay->returned, 1);
}

/* Threads that sleep elsewhere than in the pool are woken to pump: here the raise
 * of a gate makes a lane ready, as a callback of a driver does. */
static void waiters_are_notified(void)
{
	plait__pool *pool = new_pool(0);
	plait__counter *gate = new_gate(pool);
	plait__lane *lane = new_lane(pool);
	struct plait__eventcount waiters;
	at_u32 count = { 0 };
	plait_work work = call(count_up, &count);
	uint32_t key;

	plait__eventcount_init(&waiters, 0);
	plait__pool_notify_waiters(pool, &waiters);
	send(lane, gate, 1, &work, 1, NULL, 0, NULL);
	while (plait__external_thread_pump(pool, NULL) == PLAIT_OK)
		continue;
	key = plait__eventcount_prepare(&waiters);
	raise_gate(gate, 1);
	IS_INT(plait__eventcount_wait(&waiters, key, 0), 0);
	while (plait__external_thread_pump(pool, NULL) == PLAIT_OK)
		continue;
	IS_INT(at_load_relaxed_u32(&count), 1);
	key = plait__eventcount_prepare(&waiters);
	IS_INT(plait__eventcount_wait(&waiters, key, 0), -ETIMEDOUT);
	plait__lane_destroy(lane);
	plait__counter_destroy(gate);
	plait__pool_destroy(pool);
}

/* Workers take the items. */
static void waiters_beside_workers(void)
{
	plait__pool *pool = new_pool(1);
	plait__counter *done = new_counter(pool, 0);
	plait__lane *lane = new_lane(pool);
	struct plait__eventcount waiters;
	uint32_t key;

	plait__eventcount_init(&waiters, 0);
	plait__pool_notify_waiters(pool, &waiters);
	key = plait__eventcount_prepare(&waiters);
	send_call(lane, NULL, 0, NULL, NULL, done, 1);
	wait_point(pool, done, 1, NULL);
	IS_INT(plait__eventcount_wait(&waiters, key, 0), -ETIMEDOUT);
	plait__lane_destroy(lane);
	plait__counter_destroy(done);
	plait__pool_destroy(pool);
}

/* Waiting threads sleep; one that leaves wakes another for the ready work. */
static void external_threads_relay(void)
{
	enum { THREADS_OUTSIDE = 4 };
	plait__pool *pool = new_pool(0);
	plait__counter *gate = new_gate(pool);
	plait__lane *lanes[THREADS_OUTSIDE];
	struct relay relays[THREADS_OUTSIDE];
	at_u32 returned = { 0 };
	uint32_t round;
	uint32_t i;

	for (round = 1; round <= 50; round++) {
		at_store_relaxed_u32(&returned, 0);
		for (i = 0; i < THREADS_OUTSIDE; i++) {
			lanes[i] = new_lane(pool);
			relays[i].pool = pool;
			relays[i].mine = new_counter(pool, 0);
			relays[i].returned = &returned;
			plait__thread_start(&relays[i].thread, "external",
					    wait_in_relay, &relays[i], NULL);
			send_call(lanes[i], gate, round, NULL, NULL,
				  relays[i].mine, 1);
		}
		if (round % 2 == 0)
			plait__thread_yield();
		raise_gate(gate, round);
		OK(becomes(&returned, THREADS_OUTSIDE));
		for (i = 0; i < THREADS_OUTSIDE; i++) {
			plait__thread_join(&relays[i].thread);
			plait__lane_destroy(lanes[i]);
			plait__counter_destroy(relays[i].mine);
		}
	}
	plait__counter_destroy(gate);
	plait__pool_destroy(pool);
}

/* --- no memory ----------------------------------------------------------- */

struct purse {
	at_u32 left; /* allocations that succeed yet */
	at_u32 blocks;
};

static void *resize_from_purse(void *user_data, void *pointer,
			       uint64_t old_bytes, uint64_t new_bytes)
{
	struct purse *purse = user_data;

	(void)old_bytes;
	if (new_bytes == 0) {
		at_sub_u32(&purse->blocks, 1);
		free(pointer);
		return NULL;
	}
	if (at_load_relaxed_u32(&purse->left) == 0)
		return NULL;
	at_sub_u32(&purse->left, 1);
	if (pointer == NULL)
		at_add_u32(&purse->blocks, 1);
	return realloc(pointer, (size_t)new_bytes);
}

/* Returns true when the submission went through with `k` allocations. */
static bool go_through(const plait_allocator *allocator, uint32_t workers)
{
	plait__pool *pool = NULL;
	plait__lane *lane = NULL;
	plait__counter *done = NULL;
	plait_queue_request request = { .size = sizeof(request) };
	plait_backend_point p[20];
	at_u32 count = { 0 };
	plait_work work[200];
	bool whole = false;
	int i;

	if (plait__pool_create(allocator, workers, &pool, NULL) != PLAIT_OK)
		return false;
	if (plait__lane_create(pool, &request, &lane, NULL) != PLAIT_OK ||
	    plait__counter_create(pool, 0, &done, NULL) != PLAIT_OK)
		goto out;
	for (i = 0; i < 200; i++)
		work[i] = call(count_up, &count);
	for (i = 0; i < 20; i++)
		p[i] = point(done, 1);
	whole = plait__counter_wait(pool, p, 20, 0, 1000000, NULL) ==
		PLAIT_E_TIMEOUT;
	if (send(lane, NULL, 0, work, 200, done, 1, NULL) != PLAIT_OK) {
		whole = false;
		/* Nothing was taken; a smaller submission goes through. */
		IS_INT(send(lane, NULL, 0, work, 1, done, 1, NULL), PLAIT_OK);
		IS_INT(wait_point(pool, done, 1, NULL), PLAIT_OK);
		IS_INT(at_load_relaxed_u32(&count), 1);
	}
	IS_INT(wait_point(pool, done, 1, NULL), PLAIT_OK);
out:
	plait__lane_destroy(lane);
	plait__counter_destroy(done);
	plait__pool_destroy(pool);
	return whole;
}

static void every_allocation_fails_once(void)
{
	struct purse purse;
	plait_allocator allocator = { .size = sizeof(allocator),
				      .resize = resize_from_purse,
				      .user_data = &purse };
	uint32_t workers;
	uint32_t k;

	for (workers = 0; workers < 3; workers++) {
		for (k = 0; k < 100; k++) {
			bool whole;

			at_init_u32(&purse.left, k);
			at_init_u32(&purse.blocks, 0);
			whole = go_through(&allocator, workers);
			IS_INT(at_load_relaxed_u32(&purse.blocks), 0);
			if (whole)
				break;
		}
		OK_THAT(k > 4 && k < 100, "%u workers: %u allocations",
			workers, k);
	}
}

/*
 * A submission comes when all before it is consumed, but perhaps before the
 * runner has noticed that the lane is empty and restarted its segment.  Then
 * that segment is used up, and the others must hold the submission.  Each is at
 * least twice as large as the one before it, from 32 on: with 32, 64, 128 and
 * 256 besides the one in use there is room for LARGEST and its emission.
 */
enum { LARGEST = 300, MOST_SEGMENTS = 5, LONG = 1000 };

static uint32_t taken_from(struct purse *purse)
{
	return UINT32_MAX - at_load_relaxed_u32(&purse->left);
}

/* Allocations of a long run: the lane's first segment, those until the
 * submissions have had every size once, and those after that. */
struct taken {
	uint32_t early;
	uint32_t late;
};

static struct taken run_long(uint32_t workers)
{
	struct purse purse = { { UINT32_MAX }, { 0 } };
	plait_allocator allocator = { .size = sizeof(allocator),
				      .resize = resize_from_purse,
				      .user_data = &purse };
	plait__pool *pool = NULL;
	plait_queue_request request = { .size = sizeof(request) };
	plait__lane *lane = NULL;
	plait__counter *done = NULL;
	at_u32 count = { 0 };
	plait_work work[LARGEST];
	struct taken taken = { 0, 0 };
	uint32_t before;
	uint64_t n;
	int i;

	plait__pool_create(&allocator, workers, &pool, NULL);
	plait__lane_create(pool, &request, &lane, NULL);
	plait__counter_create(pool, 0, &done, NULL);
	before = taken_from(&purse);
	for (i = 0; i < LARGEST; i++)
		work[i] = call(count_up, &count);
	for (n = 1; n <= LONG; n++) {
		send(lane, NULL, 0, work, 1 + n % LARGEST, done, n, NULL);
		wait_point(pool, done, n, NULL);
		if (n == LARGEST)
			taken.early = taken_from(&purse) - before;
	}
	taken.late = taken_from(&purse) - before - taken.early;
	plait__lane_destroy(lane);
	plait__counter_destroy(done);
	plait__pool_destroy(pool);
	IS_INT(at_load_relaxed_u32(&purse.blocks), 0);
	return taken;
}

/* Hundreds of thousands of commands take no more memory than a few. */
static void no_growth(void)
{
	struct taken alone = run_long(0);
	struct taken beside = run_long(1);

	/* One thread: the set of segments is deterministic. */
	OK(alone.early > 0);
	IS_INT(alone.late, 0);
	/* The first one came with the lane. */
	OK_THAT(1 + alone.early <= MOST_SEGMENTS, "%u", 1 + alone.early);
	OK_THAT(1 + beside.early + beside.late <= MOST_SEGMENTS, "%u and %u",
		1 + beside.early, beside.late);
}

/* --- placement, priorities, bad numbers ------------------------------------------- */

enum { PLACED = 2 };

struct meeting {
	at_u32 present;
	at_u32 cpus; /* CPUs that all workers may use, added up */
};

/* Both workers at once: neither can do the work of the other. */
static int32_t meet(void *arg)
{
	struct meeting *meeting = arg;
	cpu_set_t set;

	pthread_getaffinity_np(pthread_self(), sizeof(set), &set);
	at_add_u32(&meeting->cpus, (uint32_t)CPU_COUNT(&set));
	at_add_u32(&meeting->present, 1);
	return becomes(&meeting->present, PLACED) ? 0 : 1;
}

static uint32_t cpus_of_workers(plait__pool *pool)
{
	struct meeting meeting = { { 0 }, { 0 } };
	plait__lane *lanes[PLACED];
	plait__counter *done[PLACED];
	uint32_t i;

	for (i = 0; i < PLACED; i++) {
		lanes[i] = new_lane(pool);
		done[i] = new_counter(pool, 0);
		send_call(lanes[i], NULL, 0, meet, &meeting, done[i], 1);
	}
	for (i = 0; i < PLACED; i++) {
		IS_INT(wait_point(pool, done[i], 1, NULL), PLAIT_OK);
		plait__lane_destroy(lanes[i]);
		plait__counter_destroy(done[i]);
	}
	return at_load_relaxed_u32(&meeting.cpus);
}

static void placement(void)
{
	plait__pool *pool = new_pool(PLACED);
	uint32_t before = cpus_of_workers(pool);
	uint32_t cpus[2] = { (uint32_t)sched_getcpu(), 8000 };
	plait_error error = { .size = sizeof(error) };

	IS_INT(plait__affinity_place(pool, cpus, 2, &error), PLAIT_E_INVALID);
	HAS_STR(error.text, "CPU 8000");
	IS_INT(cpus_of_workers(pool), before);
	IS_INT(plait__affinity_place(pool, cpus, 1, NULL), PLAIT_OK);
	IS_INT(cpus_of_workers(pool), PLACED);
	IS_INT(plait__affinity_place(pool, cpus, 2, NULL), PLAIT_E_INVALID);
	IS_INT(cpus_of_workers(pool), PLACED);
	IS_INT(plait__affinity_place(pool, NULL, 0, NULL), PLAIT_OK);
	IS_INT(cpus_of_workers(pool), before);
	plait__pool_destroy(pool);
}

static char order[8];

static int32_t write_order(void *arg)
{
	strncat(order, arg, 1);
	return 0;
}

/* Urgent lanes first; a hint, but an effective one. */
static void priorities(void)
{
	static const char *const names[] = { "l", "n", "u", "n" };
	static const int32_t levels[] = { -5, 0, 7, 0 };
	plait__pool *pool = new_pool(0);
	plait__lane *lanes[4];
	int i;

	for (i = 0; i < 4; i++) {
		plait_queue_request request = { .size = sizeof(request),
						.priority = levels[i] };

		plait__lane_create(pool, &request, &lanes[i], NULL);
		send_call(lanes[i], NULL, 0, write_order,
			  (void *)(uintptr_t)names[i], NULL, 0);
	}
	while (plait__external_thread_pump(pool, NULL) == PLAIT_OK)
		continue;
	IS_STR(order, "unnl");
	for (i = 0; i < 4; i++)
		plait__lane_destroy(lanes[i]);
	plait__pool_destroy(pool);
}

static void bad_numbers(void)
{
	plait__pool *pool = (plait__pool *)(void *)stamps;
	plait_error error = { .size = sizeof(error) };
	plait__counter *counter = NULL;

	IS_INT(plait__pool_create(plait__alloc_default(), 1025, &pool, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "1025 workers");
	IS_PTR(pool, NULL);
	pool = new_pool(0);
	IS_INT(plait__counter_create(pool, 2, &counter, &error),
	       PLAIT_E_UNSUPPORTED);
	plait__pool_destroy(pool);
	plait__pool_destroy(NULL);
	plait__lane_destroy(NULL);
	plait__counter_destroy(NULL);
}

static const struct tap_scenario all[] = {
	{ "four senders", four_senders },
	{ "sixteen lanes on two workers", sixteen_lanes_on_two_workers },
	{ "sixteen lanes on any number", sixteen_lanes_on_any_number },
	{ "pumping", pumping },
	{ "waiters are notified", waiters_are_notified },
	{ "waiters beside workers", waiters_beside_workers },
	{ "external threads relay", external_threads_relay },
	{ "every allocation fails once", every_allocation_fails_once },
	{ "no growth", no_growth },
	{ "placement", placement },
	{ "priorities", priorities },
	{ "bad numbers", bad_numbers },
};

TAP_MAIN(all)
