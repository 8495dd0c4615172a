/* SPDX-License-Identifier: MIT */
/*
 * Allreduce of f32 in one process: a ring as a plan, beside a loop by hand that
 * moves the same bytes on one thread, chunk by chunk and in pieces that stay in
 * its cache.  In turn, the least of all turns; also the time to make the plan.
 *
 *	bench/collective [TURNS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plait/plait.h"
#include "sys/clock.h"

enum { MOST_RANKS = 4 };

struct bench {
	plait_context *context;
	plait_plan *plan;
	float *memory[MOST_RANKS];
	uint32_t ranks;
	uint64_t count;
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

/* Chunk r in rank r, in pieces of some elements. */
static void by_hand(const struct bench *at, uint64_t piece)
{
	for (uint32_t r = 0; r < at->ranks; r++) {
		uint64_t begin = r * at->count / at->ranks;
		uint64_t end = (r + 1) * at->count / at->ranks;

		for (; begin < end; begin += piece)
			sum_up(at, r, begin, end - begin < piece ?
						     end : begin + piece);
	}
}

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

/* Least times in us: the plan, by hand, by hand in pieces; then to make the
 * plan. */
enum { PLAN, BY_HAND, IN_PIECES, MAKE, TIMES };

static void end_time(uint64_t *start, double *best)
{
	uint64_t now = plait__clock_now_ns();
	double us = (double)(now - *start) / 1000;

	*start = now;
	*best = us < *best ? us : *best;
}

static plait_status measure(struct bench *at, uint32_t turns, double *best)
{
	uint64_t start = plait__clock_now_ns();
	plait_status status = make(at);

	for (uint32_t i = 0; i < TIMES; i++)
		best[i] = 1e9;
	end_time(&start, &best[MAKE]);
	for (uint32_t i = 0; i < turns && status == PLAIT_OK; i++) {
		start = plait__clock_now_ns();
		status = plait_plan_call(at->plan, NULL, NULL, &at->error);
		end_time(&start, &best[PLAN]);
		by_hand(at, UINT64_MAX / 2);
		end_time(&start, &best[BY_HAND]);
		by_hand(at, 1 << 15);
		end_time(&start, &best[IN_PIECES]);
	}
	plait_plan_release(at->plan);
	at->plan = NULL;
	return status;
}

static int print_row(struct bench *at, uint32_t turns)
{
	plait_status status;
	double best[TIMES];

	for (uint32_t r = 0; r < at->ranks; r++)
		at->memory[r] = calloc(at->count, sizeof(float));
	status = measure(at, turns, best);
	if (status == PLAIT_OK)
		printf("%u ranks %9llu bytes: plan %9.2f us, by hand %9.2f us, "
		       "in pieces %9.2f us; made in %9.2f us\n", at->ranks,
		       (unsigned long long)at->count * sizeof(float),
		       best[PLAN], best[BY_HAND], best[IN_PIECES], best[MAKE]);
	else
		fprintf(stderr, "%s\n", at->error.text);
	for (uint32_t r = 0; r < at->ranks; r++)
		free(at->memory[r]);
	return status != PLAIT_OK;
}

int main(int argc, char **argv)
{
	uint32_t turns = argc > 1 ? (uint32_t)atoi(argv[1]) : 50;
	struct bench at = { .error.size = sizeof(at.error) };
	int failed = plait_context_open(NULL, &at.context, &at.error) !=
		     PLAIT_OK;

	for (at.ranks = 2; at.ranks <= MOST_RANKS && !failed; at.ranks += 2)
		for (at.count = 1 << 10; at.count <= 1 << 24 && !failed;
		     at.count <<= 2)
			failed = print_row(&at, turns);
	plait_context_release(at.context);
	return failed;
}
