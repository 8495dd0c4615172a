/* SPDX-License-Identifier: MIT */
/*
 * Parallel loops of the pool: every part is run once, by any thread; a failure
 * skips the rest; threads that end inside a part; many callers at the same
 * time; no thread is inside when a call returns.
 */
#include "pool/parallel_for.h"

#include "base/alloc.h"
#include "pool/lane.h"
#include "pool/pool.h"
#include "sys/atomic.h"
#include "sys/clock.h"
#include "sys/thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lib/tap.h"

enum { PARTS = 1000 };

struct bed {
	plait__pool *pool;
	plait__parallel_for *team;
};

static bool make_bed(struct bed *bed, uint32_t workers)
{
	plait_error error = { .size = sizeof(error) };

	return OK_THAT(plait__pool_create(plait__alloc_default(), workers,
					  &bed->pool, &error) == PLAIT_OK &&
		       plait__parallel_for_create(bed->pool, plait__alloc_default(),
						  &bed->team, &error) == PLAIT_OK,
		       "%u workers: %s", workers, error.text);
}

static void end_bed(struct bed *bed)
{
	plait__parallel_for_destroy(bed->team);
	plait__pool_destroy(bed->pool);
}

/* With a processor for a helper; without one, callers run all parts. */
static bool make_helpful_bed(struct bed *bed, uint32_t workers)
{
	if (!make_bed(bed, workers))
		return false;
	if (plait__parallel_for_size(bed->team) > 1)
		return true;
	NOTE("one processor: no helpers");
	end_bed(bed);
	return false;
}

/* --- functions of parts */

struct work {
	at_u32 *done; /* one each */
	uint64_t fail_at;
	int32_t result;
};

static int32_t count_part(void *data, uint64_t begin, uint64_t end)
{
	const struct work *work = data;
	int32_t result = 0;

	for (; begin < end && result == 0; begin++) {
		at_add_u32(&work->done[begin], 1);
		if (begin == work->fail_at)
			result = work->result;
	}
	return result;
}

/* Run as if all of it took a second, so that workers are called. */
static int32_t run_long(struct bed *bed, plait__parallel_for_part part,
			void *data, uint64_t data_bytes, uint64_t count)
{
	uint64_t duration_ns = 1000000000;

	return plait__parallel_for_run(bed->team, part, data, data_bytes, count,
				       &duration_ns);
}

static int32_t run_work(struct bed *bed, struct work *work, uint64_t count)
{
	return run_long(bed, count_part, work, sizeof(*work), count);
}

static uint64_t count_done(at_u32 *done, uint64_t count, uint32_t *out_most)
{
	uint64_t sum = 0;

	*out_most = 0;
	for (uint64_t i = 0; i < count; i++) {
		uint32_t times = at_load_relaxed_u32(&done[i]);

		sum += times;
		if (times > *out_most)
			*out_most = times;
	}
	return sum;
}

static const uint32_t worker_counts[] = { 0, 1, 2, 5 };

static void each_part_once(void)
{
	static const uint64_t counts[] = { 0, 1, 2, 3, 17, PARTS };
	static at_u32 done[PARTS];
	struct bed bed;
	uint32_t most;

	for (size_t w = 0; w < TAP_COUNT(worker_counts); w++) {
		if (!make_bed(&bed, worker_counts[w]))
			continue;
		OK(plait__parallel_for_size(bed.team) <= worker_counts[w] + 1);
		for (size_t i = 0; i < TAP_COUNT(counts); i++) {
			struct work work = { .done = done,
					     .fail_at = UINT64_MAX };

			memset(done, 0, sizeof(done));
			IS_INT(run_work(&bed, &work, counts[i]), 0);
			IS_UINT(count_done(done, counts[i], &most),
				counts[i]);
			OK(most == (counts[i] > 0));
		}
		end_bed(&bed);
	}
}

static void a_failure_ends_it(void)
{
	static at_u32 done[PARTS];
	struct bed bed;
	uint32_t most;

	for (size_t w = 0; w < TAP_COUNT(worker_counts); w++) {
		struct work work = { .done = done, .fail_at = 0,
				     .result = -42 };

		if (!make_bed(&bed, worker_counts[w]))
			continue;
		memset(done, 0, sizeof(done));
		IS_INT(run_work(&bed, &work, PARTS), -42);
		(void)count_done(done, PARTS, &most);
		IS_UINT(most, 1);
		work.fail_at = PARTS - 1;
		IS_INT(run_work(&bed, &work, PARTS), -42);
		work.fail_at = UINT64_MAX;
		IS_INT(run_work(&bed, &work, PARTS), 0);
		end_bed(&bed);
	}
}

/* --- helpers do come: a part waits for another thread's part */

struct meeting {
	at_u32 *here;
};

static int32_t meet(void *data, uint64_t begin, uint64_t end)
{
	const struct meeting *meeting = data;

	(void)begin;
	(void)end;
	at_add_u32(meeting->here, 1);
	while (at_load_acquire_u32(meeting->here) < 2)
		plait__thread_yield();
	return 0;
}

static void helpers_come(void)
{
	struct bed bed;

	for (size_t w = 1; w < TAP_COUNT(worker_counts); w++) {
		if (!make_helpful_bed(&bed, worker_counts[w]))
			continue;
		for (int i = 0; i < 20; i++) {
			at_u32 here = { 0 };
			struct meeting meeting = { &here };

			IS_INT(run_long(&bed, meet, &meeting, sizeof(meeting),
					2), 0);
		}
		end_bed(&bed);
	}
}

/* --- a loop of unknown duration is measured first */

enum { SLOW_PARTS = 32 };

/* A part of 1 ms; once one thread alone has run some, two must meet. */
static int32_t meet_later(void *data, uint64_t begin, uint64_t end)
{
	uint64_t until = plait__clock_now_ns() + (end - begin) * 1000000;

	while (plait__clock_now_ns() < until)
		continue;
	return begin == 0 ? 0 : meet(data, begin, end);
}

static void unknown_durations(void)
{
	struct bed bed;

	for (size_t w = 1; w < TAP_COUNT(worker_counts); w++) {
		at_u32 here = { 0 };
		struct meeting meeting = { &here };
		uint64_t duration_ns = 0;

		if (!make_helpful_bed(&bed, worker_counts[w]))
			continue;
		IS_INT(plait__parallel_for_run(bed.team, meet_later, &meeting,
					       sizeof(meeting), SLOW_PARTS,
					       &duration_ns), 0);
		OK_THAT(duration_ns >= SLOW_PARTS * 1000000, "%llu ns",
			(unsigned long long)duration_ns);
		end_bed(&bed);
	}
}

/* --- threads that end */

struct exits {
	pthread_t caller;
	at_u32 *here;
};

/* A helper ends its thread; the caller gives it time to come. */
static int32_t end_helper(void *data, uint64_t begin, uint64_t end)
{
	const struct exits *exits = data;

	(void)begin;
	(void)end;
	if (!pthread_equal(exits->caller, pthread_self()))
		pthread_exit(NULL);
	plait__thread_yield();
	return 0;
}

/* A place is out of use until its worker was replaced, so a run may well have
 * no helper; but one comes in the end, and again. */
static void helpers_that_end(void)
{
	struct exits exits = { pthread_self(), NULL };
	static at_u32 done[PARTS];
	struct work work = { .done = done, .fail_at = UINT64_MAX };
	struct bed bed;

	for (size_t w = 1; w < TAP_COUNT(worker_counts); w++) {
		int lost = 0, wrong = 0;

		if (!make_helpful_bed(&bed, worker_counts[w]))
			continue;
		while (lost < 10) {
			int32_t result = run_long(&bed, end_helper, &exits,
						  sizeof(exits), PARTS);

			lost += result == PLAIT__PARALLEL_FOR_THREAD_LOST;
			wrong += result != PLAIT__PARALLEL_FOR_THREAD_LOST && result != 0;
		}
		IS_INT(wrong, 0);
		IS_INT(run_work(&bed, &work, PARTS), 0);
		end_bed(&bed);
	}
}

struct ending {
	struct bed *bed;
	at_u32 here;
};

static int32_t end_caller(void *data, uint64_t begin, uint64_t end)
{
	const struct exits *exits = data;

	(void)begin;
	(void)end;
	at_add_u32(exits->here, 1);
	while (at_load_acquire_u32(exits->here) < 2)
		plait__thread_yield();
	if (pthread_equal(exits->caller, pthread_self()))
		pthread_exit(NULL);
	return 0;
}

static void *end_inside(void *arg)
{
	struct ending *ending = arg;
	struct exits exits = { pthread_self(), &ending->here };

	(void)run_long(ending->bed, end_caller, &exits, sizeof(exits), 2);
	return arg;
}

static void callers_that_end(void)
{
	static at_u32 done[PARTS];
	struct work work = { .done = done, .fail_at = UINT64_MAX };
	struct bed bed;
	pthread_t thread;
	void *result;

	for (size_t w = 1; w < TAP_COUNT(worker_counts); w++) {
		if (!make_helpful_bed(&bed, worker_counts[w]))
			continue;
		for (int i = 0; i < 10; i++) {
			struct ending ending = { &bed, { 0 } };

			pthread_create(&thread, NULL, end_inside, &ending);
			pthread_join(thread, &result);
			OK(result == NULL);
		}
		/* All jobs were returned. */
		IS_INT(run_work(&bed, &work, PARTS), 0);
		end_bed(&bed);
	}
}

/* --- many callers, more than there are jobs */

enum { CALLERS = 12, ROUNDS = 60 };

static void *call_again(void *arg)
{
	struct bed *bed = arg;
	at_u32 done[40];
	struct work work = { .done = done, .fail_at = UINT64_MAX };
	intptr_t wrong = 0;
	uint32_t most;

	for (int i = 0; i < ROUNDS; i++) {
		memset(done, 0, sizeof(done));
		wrong += run_work(bed, &work, 40) != 0;
		/* On this stack: no thread may be inside any more. */
		wrong += count_done(done, 40, &most) != 40 || most != 1;
	}
	return (void *)wrong;
}

static void many_callers(void)
{
	pthread_t threads[CALLERS];
	struct bed bed;
	void *wrong;

	for (size_t w = 0; w < TAP_COUNT(worker_counts); w++) {
		if (!make_bed(&bed, worker_counts[w]))
			continue;
		for (int i = 0; i < CALLERS; i++)
			pthread_create(&threads[i], NULL, call_again, &bed);
		for (int i = 0; i < CALLERS; i++) {
			pthread_join(threads[i], &wrong);
			OK(wrong == NULL);
		}
		end_bed(&bed);
	}
}

/* --- parts have parts */

static int32_t nest(void *data, uint64_t begin, uint64_t end)
{
	struct bed *bed = *(struct bed **)data;
	at_u32 done[10] = { { 0 } };
	struct work work = { .done = done, .fail_at = UINT64_MAX };
	uint32_t most;

	(void)begin;
	(void)end;
	return run_work(bed, &work, 10) != 0 ||
	       count_done(done, 10, &most) != 10;
}

static void parts_of_parts(void)
{
	struct bed bed;
	struct bed *pointer = &bed;

	for (size_t w = 0; w < TAP_COUNT(worker_counts); w++) {
		if (!make_bed(&bed, worker_counts[w]))
			continue;
		IS_INT(run_long(&bed, nest, &pointer, sizeof(pointer), 30), 0);
		end_bed(&bed);
	}
}

/* --- memory */

struct purse {
	uint32_t left;
	int64_t live;
};

static void *spend(void *user_data, void *pointer, uint64_t old_bytes,
		   uint64_t new_bytes)
{
	struct purse *purse = user_data;

	if (new_bytes != 0 && purse->left == 0)
		return NULL;
	purse->left -= new_bytes != 0;
	purse->live += (int64_t)(new_bytes - old_bytes);
	if (new_bytes != 0)
		return realloc(pointer, new_bytes);
	free(pointer);
	return NULL;
}

static void memory_runs_out(void)
{
	struct purse purse = { 0, 0 };
	plait_allocator allocator = { sizeof(allocator), 0, spend, &purse };
	plait_status status = PLAIT_E_NOMEM;
	plait__pool *pool;
	plait__parallel_for *team;
	uint32_t k;

	OK(plait__pool_create(plait__alloc_default(), 2, &pool, NULL) ==
	   PLAIT_OK);
	for (k = 0; status != PLAIT_OK && k < 20; k++) {
		plait_error error = { .size = sizeof(error) };

		purse = (struct purse){ k, 0 };
		status = plait__parallel_for_create(pool, &allocator, &team, &error);
		OK(status == PLAIT_OK || (status == PLAIT_E_NOMEM &&
					  team == NULL && error.text[0]));
		plait__parallel_for_destroy(team);
		IS_INT(purse.live, 0);
	}
	IS_UINT(k, 5);
	plait__pool_destroy(pool);
}

static const struct tap_scenario all[] = {
	{ "each part once", each_part_once },
	{ "a failure ends it", a_failure_ends_it },
	{ "helpers come", helpers_come },
	{ "unknown durations", unknown_durations },
	{ "helpers that end their thread", helpers_that_end },
	{ "callers that end their thread", callers_that_end },
	{ "many callers", many_callers },
	{ "parts of parts", parts_of_parts },
	{ "memory runs out", memory_runs_out },
};
TAP_MAIN(all)
