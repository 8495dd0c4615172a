/* SPDX-License-Identifier: MIT */
/*
 * StarPU: tasks without data, ordered by dependences that are declared once.
 * A finished task can be resubmitted and keeps its dependences, so a run submits
 * all tasks and waits.  The scheduler is the fastest one for the number of workers;
 * STARPU_SCHED overrides it.
 */
#include <stdlib.h>
#include <string.h>

#include <starpu.h>

#include "who.h"

static const struct graph *shape;
static struct starpu_task **tasks;
static struct starpu_codelet codelet;
static uint32_t made;

/* StarPU passes the node; the graph has the body. */
static void call(void *buffers[], void *node)
{
	(void)buffers;
	shape->body(node);
}

static int start(unsigned threads)
{
	struct starpu_conf conf;

	starpu_conf_init(&conf);
	conf.ncpus = (int)threads;
	conf.ncuda = 0;
	conf.nopencl = 0;
	conf.nmic = 0;
	conf.nmpi_ms = 0;
	conf.sched_policy_name = threads == 1 ? "prio" : "lws";
	conf.catch_signals = 0;
	setenv("STARPU_SILENT", "1", 1);
	if (starpu_init(&conf) != 0) {
		who_refuse("starpu_init failed");
		return -1;
	}
	return 0;
}

static int make_task(uint32_t i)
{
	struct starpu_task *before[SHAPE_BEFORE_MOST];
	uint32_t at = shape->before_at[i], count, k;

	tasks[i] = starpu_task_create();
	if (tasks[i] == NULL)
		return -1;
	made++;
	tasks[i]->cl = &codelet;
	tasks[i]->cl_arg = &shape->nodes[i];
	tasks[i]->destroy = 0;
	count = shape->before_at[i + 1] - at;
	for (k = 0; k < count; k++)
		before[k] = tasks[shape->before[at + k]];
	if (count > 0)
		starpu_task_declare_deps_array(tasks[i], count, before);
	return 0;
}

static void finish(void)
{
	/* StarPU cannot shut down while it is paused. */
	starpu_resume();
	while (made > 0)
		starpu_task_destroy(tasks[--made]);
	free(tasks);
	starpu_shutdown();
}

static int prepare(const struct graph *graph, unsigned threads)
{
	uint32_t i;

	if (start(threads) != 0)
		return -1;
	shape = graph;
	memset(&codelet, 0, sizeof(codelet));
	starpu_codelet_init(&codelet);
	codelet.cpu_funcs[0] = call;
	codelet.where = STARPU_CPU;
	made = 0;
	tasks = calloc(graph->count, sizeof(*tasks));
	for (i = 0; tasks != NULL && i < graph->count; i++)
		if (make_task(i) != 0)
			break;
	starpu_pause();
	if (tasks != NULL && made == graph->count)
		return 0;
	finish();
	who_refuse("no memory");
	return -1;
}

static void run(void)
{
	uint32_t i;

	for (i = 0; i < made; i++)
		if (starpu_task_submit(tasks[i]) != 0)
			abort();
	starpu_task_wait_for_all();
}

const struct who whos[] = {
	{ "starpu", prepare, run, finish, NULL, starpu_resume, starpu_pause },
	{ 0 },
};
