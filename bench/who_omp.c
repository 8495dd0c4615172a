/* SPDX-License-Identifier: MIT */
/*
 * OpenMP tasks; built with gcc (libgomp) and with clang (LLVM's libomp):
 *
 *	NAME_depend  `depend` clauses.  OpenMP 5 cannot keep a graph, so each
 *	             run creates the tasks and their dependences
 *	NAME_count   in-degree counters instead of clauses: each node runs one
 *	             ready successor itself and creates tasks for the others
 *
 * All runs of a batch execute inside one parallel region.
 */
#include <stdlib.h>

#include <omp.h>

#include "who.h"

static const struct graph *shape;
static unsigned team;
static char *done;
static uint32_t *missing;

static int prepare(const struct graph *graph, unsigned threads)
{
	uint32_t i;

	shape = graph;
	team = threads;
	done = calloc(graph->count, 1);
	missing = malloc(graph->count * sizeof(*missing));
	if (done == NULL || missing == NULL) {
		who_refuse("no memory");
		return -1;
	}
	for (i = 0; i < graph->count; i++)
		missing[i] = graph->before_at[i + 1] - graph->before_at[i];
	return 0;
}

static void finish(void)
{
	free(done);
	free(missing);
}

static void enter(void (*loop)(void *), void *argument)
{
#pragma omp parallel num_threads((int)team)
	{
		who_pin((unsigned)omp_get_thread_num());
#pragma omp barrier
#pragma omp master
		loop(argument);
	}
}

/* --- depend ------------------------------------------------------------------ */

/* The clause lists its addresses one by one: a case per count. */
static void few(uint32_t i, const uint32_t *b, uint32_t count)
{
	switch (count) {
	case 0:
#pragma omp task firstprivate(i) depend(out : done[i])
		shape->body(&shape->nodes[i]);
		break;
	case 1:
#pragma omp task firstprivate(i) depend(out : done[i]) depend(in : done[b[0]])
		shape->body(&shape->nodes[i]);
		break;
	case 2:
#pragma omp task firstprivate(i) depend(out : done[i]) \
	depend(in : done[b[0]], done[b[1]])
		shape->body(&shape->nodes[i]);
		break;
	case 3:
#pragma omp task firstprivate(i) depend(out : done[i]) \
	depend(in : done[b[0]], done[b[1]], done[b[2]])
		shape->body(&shape->nodes[i]);
		break;
	default:
#pragma omp task firstprivate(i) depend(out : done[i]) \
	depend(iterator(k = 0 : count), in : done[b[k]])
		shape->body(&shape->nodes[i]);
	}
}

static void depend_run(void)
{
	const uint32_t *at = shape->before_at;
	uint32_t i;

	for (i = 0; i < shape->count; i++)
		few(i, shape->before + at[i], at[i + 1] - at[i]);
#pragma omp taskwait
}

/* --- counters ------------------------------------------------------------------ */

static void run_from(uint32_t node);

static void spawn(uint32_t node)
{
#pragma omp task firstprivate(node)
	run_from(node);
}

static void run_from(uint32_t node)
{
	uint32_t k, next, after;

	for (; node != UINT32_MAX; node = next) {
		next = UINT32_MAX;
		/* Reset for the next run: no predecessor decrements it any more. */
		__atomic_store_n(&missing[node], shape->before_at[node + 1] -
				 shape->before_at[node], __ATOMIC_RELAXED);
		shape->body(&shape->nodes[node]);
		for (k = shape->after_at[node]; k < shape->after_at[node + 1];
		     k++) {
			after = shape->after[k];
			if (__atomic_sub_fetch(&missing[after], 1,
					       __ATOMIC_ACQ_REL) != 0)
				continue;
			if (next == UINT32_MAX)
				next = after;
			else
				spawn(after);
		}
	}
}

static void count_run(void)
{
	uint32_t i;

#pragma omp taskgroup
	for (i = 0; i < shape->count; i++)
		if (shape->before_at[i] == shape->before_at[i + 1])
			spawn(i);
}

const struct who whos[] = {
	{ OMP_NAME "_depend", prepare, depend_run, finish, enter, NULL, NULL },
	{ OMP_NAME "_count", prepare, count_run, finish, enter, NULL, NULL },
	{ 0 },
};
