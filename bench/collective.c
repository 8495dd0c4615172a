/* SPDX-License-Identifier: MIT */
/*
 * Allreduce of f32 in one process: a ring as a plan, beside loops by hand that
 * move the same bytes: chunk by chunk, in pieces that stay in a cache, and these
 * on two threads, which share the chunks and need nothing of each other.  In
 * turn; minimum and median of all turns, and the time to make the plan.
 *
 *	bench/collective [TURNS]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plait/plait.h"
#include "sys/atomic.h"
#include "sys/clock.h"

enum { MOST_RANKS = 4, MOST_TURNS = 10000, PIECE = 1 << 15 };

/* The second thread sleeps while a turn is not its own. */
enum { IDLE, CALLED, READY, GO, DONE, STOP };

struct bench {
	plait_context *context;
	plait_plan *plan;
	float *memory[MOST_RANKS];
	uint32_t ranks;
	uint64_t count;
	at_u32 phase;		/* of the second thread */
	pthread_t second;
	plait_error error;
};

/* Vectors, as in the kernels that plait compiles. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
__attribute__((optimize("O3"), target_clones("avx2", "default")))
#endif
static void add(float *restrict target, const float *restrict source,
		uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		target[i] += source[i];
}

/* The sum in rank r, then copies to the others. */
static void sum_up(const struct bench *at, uint32_t r, uint64_t begin,
		   uint64_t end)
{
	for (uint32_t s = 1; s < at->ranks; s++)
		add(at->memory[r] + begin,
		    at->memory[(r + s) % at->ranks] + begin, end - begin);
	for (uint32_t s = 1; s < at->ranks; s++)
		memcpy(at->memory[(r + s) % at->ranks] + begin,
		       at->memory[r] + begin, (end - begin) * sizeof(float));
}

/* Chunk r in rank r, in pieces of some elements; each `step`-th one. */
static void by_hand(const struct bench *at, uint64_t piece, uint32_t first,
		    uint32_t step)
{
	for (uint32_t r = first; r < at->ranks; r += step) {
		uint64_t begin = r * at->count / at->ranks;
		uint64_t end = (r + 1) * at->count / at->ranks;

		for (; begin < end; begin += piece)
			sum_up(at, r, begin, end - begin < piece ?
						     end : begin + piece);
	}
}

/* ---- the second thread ---- */

static void await_phase(struct bench *at, uint32_t phase)
{
	while (at_load_acquire_u32(&at->phase) != phase)
		at_spin_pause();
}

static void *second_thread(void *user_data)
{
	struct bench *at = user_data;
	uint32_t phase;

	for (;;) {
		while ((phase = at_load_acquire_u32(&at->phase)) == IDLE ||
		       phase == DONE)
			(void)at_futex_wait(&at->phase, phase,
					    UINT64_MAX);
		if (phase == STOP)
			return NULL;
		at_store_release_u32(&at->phase, READY);
		await_phase(at, GO);
		by_hand(at, PIECE, 1, 2);
		at_store_release_u32(&at->phase, DONE);
	}
}

static void call_second(struct bench *at, uint32_t phase)
{
	at_store_release_u32(&at->phase, phase);
	at_futex_wake_all(&at->phase);
	if (phase == CALLED)
		await_phase(at, READY);
}

static void by_two_hands(struct bench *at)
{
	at_store_release_u32(&at->phase, GO);
	by_hand(at, PIECE, 0, 2);
	await_phase(at, DONE);
	at_store_release_u32(&at->phase, IDLE);
}

/* ---- the plan ---- */

static plait_status make_plan(struct bench *at, plait_device *device,
			      plait_schedule *schedule)
{
	plait_buffer *buffers[MOST_RANKS] = { NULL };
	const plait_collective_desc desc = {
		.size = sizeof(desc), .element = PLAIT_ELEMENT_FLOAT,
		.element_bits = 32, .count = at->count, .outputs = buffers,
	};
	plait_graph *graph = NULL;
	plait_status status = PLAIT_OK;

	for (uint32_t r = 0; r < at->ranks && status == PLAIT_OK; r++) {
		const plait_wrap_desc wrap = {
			.size = sizeof(wrap), .flags = PLAIT_CALL_ANY_THREAD,
			.pointer = at->memory[r],
			.bytes = at->count * sizeof(float),
		};

		status = plait_buffer_wrap(device, &wrap, &buffers[r],
					   &at->error);
	}
	if (status == PLAIT_OK)
		status = plait_schedule_graph(schedule, &desc, &graph,
					      &at->error);
	if (status == PLAIT_OK)
		status = plait_graph_freeze(graph, NULL, &at->plan, &at->error);
	for (uint32_t r = 0; r < at->ranks; r++)
		plait_buffer_release(buffers[r]);
	plait_graph_release(graph);
	return status;
}

static plait_status make(struct bench *at)
{
	const plait_coll_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_COLL_ALLREDUCE,
		.flags = PLAIT_COLL_IN_PLACE, .ranks = at->ranks,
	};
	plait_device *device = NULL;
	plait_schedule *schedule = NULL;
	plait_coll *coll = NULL;
	plait_status status = plait_context_device(at->context, 0, &device,
						   &at->error);

	if (status == PLAIT_OK)
		status = plait_coll_known(at->context, "ring", &desc, &coll,
					  &at->error);
	if (status == PLAIT_OK)
		status = plait_coll_compile(coll, NULL, &schedule, &at->error);
	if (status == PLAIT_OK)
		status = make_plan(at, device, schedule);
	plait_schedule_release(schedule);
	plait_coll_release(coll);
	return status;
}

/* ---- times ---- */

/* Times in us: the plan, by hand, by hand in pieces, these on two threads. */
enum { PLAN, BY_HAND, IN_PIECES, TWO_HANDS, TIMES };
static const char *const names[TIMES] = { "plan", "by hand", "in pieces",
					  "two threads" };
static double times[TIMES][MOST_TURNS];

static void end_time(uint64_t *start, double *out)
{
	uint64_t now = plait__clock_now_ns();

	*out = (double)(now - *start) / 1000;
	*start = now;
}

static int compare_times(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

static plait_status execute(struct bench *at, uint32_t which)
{
	switch (which) {
	case PLAN:
		return plait_plan_call(at->plan, NULL, NULL, &at->error);
	case BY_HAND:
		by_hand(at, UINT64_MAX / 2, 0, 1);
		return PLAIT_OK;
	case IN_PIECES:
		by_hand(at, PIECE, 0, 1);
		return PLAIT_OK;
	default:
		by_two_hands(at);
		return PLAIT_OK;
	}
}

/* Twice, the second time with a clock: then the data is where the contestant left
 * it, not where the one before it did. */
static plait_status take_turn(struct bench *at, uint32_t which, double *out)
{
	uint64_t start = 0;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; i < 2 && status == PLAIT_OK; i++) {
		if (which == TWO_HANDS)
			call_second(at, CALLED);
		start = plait__clock_now_ns();
		status = execute(at, which);
	}
	end_time(&start, out);
	return status;
}

static plait_status measure(struct bench *at, uint32_t turns)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; i < turns && status == PLAIT_OK; i++)
		for (uint32_t k = 0; k < TIMES && status == PLAIT_OK; k++)
			status = take_turn(at, k, &times[k][i]);
	for (uint32_t i = 0; i < TIMES; i++)
		qsort(times[i], turns, sizeof(times[i][0]), compare_times);
	return status;
}

static void print_times(const struct bench *at, uint32_t turns, double made)
{
	double hand = times[BY_HAND][0] < times[IN_PIECES][0] ?
			      times[BY_HAND][0] : times[IN_PIECES][0];

	printf("%u ranks %9llu bytes:", at->ranks,
	       (unsigned long long)at->count * sizeof(float));
	for (uint32_t i = 0; i < TIMES; i++)
		printf(" %s %.2f %.2f,", names[i], times[i][0],
		       times[i][turns / 2]);
	printf(" ratios %.2f %.2f; made in %.0f us\n", times[PLAN][0] / hand,
	       times[PLAN][0] / times[TWO_HANDS][0], made);
	(void)fflush(stdout);
}

static int print_row(struct bench *at, uint32_t turns)
{
	uint64_t start = plait__clock_now_ns();
	plait_status status;
	double made;

	for (uint32_t r = 0; r < at->ranks; r++)
		at->memory[r] = calloc(at->count, sizeof(float));
	status = make(at);
	end_time(&start, &made);
	if (status == PLAIT_OK)
		status = measure(at, turns);
	if (status == PLAIT_OK)
		print_times(at, turns, made);
	else
		fprintf(stderr, "%s\n", at->error.text);
	plait_plan_release(at->plan);
	at->plan = NULL;
	for (uint32_t r = 0; r < at->ranks; r++)
		free(at->memory[r]);
	return status != PLAIT_OK;
}

int main(int argc, char **argv)
{
	int wanted = argc > 1 ? atoi(argv[1]) : 50;
	uint32_t turns = wanted < 1 ? 1 :
			 wanted > MOST_TURNS ? MOST_TURNS : (uint32_t)wanted;
	struct bench at = { .error.size = sizeof(at.error) };
	int failed = plait_context_open(NULL, &at.context, &at.error) !=
		     PLAIT_OK;

	at_init_u32(&at.phase, IDLE);
	failed |= pthread_create(&at.second, NULL, second_thread, &at) != 0;
	if (failed)
		return 1;
	for (at.ranks = 2; at.ranks <= MOST_RANKS && !failed; at.ranks += 2)
		for (at.count = 1 << 10; at.count <= 1 << 24 && !failed;
		     at.count <<= 2)
			failed = print_row(&at, turns);
	call_second(&at, STOP);
	(void)pthread_join(at.second, NULL);
	plait_context_release(at.context);
	return failed;
}
