/* SPDX-License-Identifier: MIT */
/*
 * Work of a known duration: a dependent chain of multiplications.  A fence before
 * the chain prevents consecutive nodes from overlapping in the core, which would
 * make serial work cheaper than parallel work.
 */
#include <stdlib.h>
#include <time.h>

#include "grain.h"

#if defined(__x86_64__)
#define FENCE() __asm__ volatile("lfence" ::: "memory")
#else
#define FENCE() __asm__ volatile("" ::: "memory")
#endif

uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int32_t grain_empty(void *node)
{
	(void)node;
	return 0;
}

int32_t grain_work(void *node)
{
	uint32_t turns = ((const struct node *)node)->turns;
	uint64_t x = turns;

	FENCE();
	while (turns-- > 0) {
		x = x * 6364136223846793005u + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return 0;
}

static double once(uint32_t turns, uint32_t calls)
{
	node_body volatile body = grain_work;
	struct node node = { turns, 0 };
	uint64_t start = now_ns();
	uint32_t i;

	for (i = 0; i < calls; i++)
		body(&node);
	return (double)(now_ns() - start) / calls;
}

double grain_measure(uint32_t turns)
{
	/* About 20 us per batch, minimum of five. */
	uint32_t calls = 1 + 20000 / (turns + 5), i;
	double best = once(turns, calls);

	for (i = 0; i < 4; i++) {
		double again = once(turns, calls);

		best = again < best ? again : best;
	}
	return best;
}

double grain_calibrate(void)
{
	double slow, fast, best = 0, turns;
	int i;

	for (i = 0; i < 20; i++) {
		fast = grain_measure(1000);
		slow = grain_measure(3000);
		turns = 2000 * 1000 / (slow - fast);
		best = turns > best ? turns : best;
	}
	return best;
}

/* --- checked nodes ----------------------------------------------------------
 * done[i] is the number of the last run of node i.  Loads and stores are relaxed:
 * the contestant must provide the happens-before order that the check needs. */

static struct {
	const struct graph *graph;
	uint32_t *done;
	uint32_t run;
	uint32_t ran;
	uint32_t wrong;
} check;

int32_t grain_checked(void *node)
{
	const struct graph *g = check.graph;
	uint32_t i = ((const struct node *)node)->id, k;

	for (k = g->before_at[i]; k < g->before_at[i + 1]; k++)
		if (__atomic_load_n(&check.done[g->before[k]],
				    __ATOMIC_RELAXED) != check.run)
			__atomic_fetch_add(&check.wrong, 1, __ATOMIC_RELAXED);
	grain_work(node);
	if (__atomic_exchange_n(&check.done[i], check.run,
				__ATOMIC_RELAXED) == check.run)
		__atomic_fetch_add(&check.wrong, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&check.ran, 1, __ATOMIC_RELAXED);
	return 0;
}

int grain_check_open(const struct graph *graph)
{
	free(check.done);
	check.done = calloc(graph->count, sizeof(*check.done));
	check.graph = graph;
	check.run = 0;
	return check.done != NULL ? 0 : -1;
}

void grain_check_begin(void)
{
	check.run++;
	check.ran = 0;
	check.wrong = 0;
}

int grain_check_end(void)
{
	uint32_t ran = __atomic_load_n(&check.ran, __ATOMIC_RELAXED), i;

	if (ran != check.graph->count ||
	    __atomic_load_n(&check.wrong, __ATOMIC_RELAXED) != 0)
		return -1;
	for (i = 0; i < check.graph->count; i++)
		if (__atomic_load_n(&check.done[i], __ATOMIC_RELAXED) !=
		    check.run)
			return -1;
	return 0;
}
