/* SPDX-License-Identifier: MIT */
/*
 * Time and memory of the planner, beside libnnc's scheduler for the same shapes on
 * a machine of the same kind (gcc -O3, CPU time).  Run on an idle machine:
 * bench/plan [repeats [part of row names]].  Each row has its own process, so that
 * the first plan has the page faults of a user's first plan.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../t/lib/shapes.h"
#include "plan/check/check.h"
#include "plan/check/graph_check.h"

struct row {
	const char *name;
	const char *before;	/* libnnc: seconds, memory */
	double target_ms;
	void (*make)(struct shape *shape);
};

static void chain_10k(struct shape *s) { shape_chain(s, 10000); }
static void chain_100k(struct shape *s) { shape_chain(s, 100000); }
static void chain_1m(struct shape *s) { shape_chain(s, 1000000); }
static void tree_98k(struct shape *s) { shape_tree(s, 15); }
static void star_16k(struct shape *s) { shape_star(s, 16000); }
static void star_1m(struct shape *s) { shape_star(s, 1000000); }
static void layers_10k(struct shape *s) { shape_layers(s, 10000, 8, 2, 1); }
static void layers_1m(struct shape *s) { shape_layers(s, 1000000, 1000, 3, 1); }
static void narrow_1m(struct shape *s) { shape_layers(s, 1000000, 8, 3, 1); }
static void scatter_250k(struct shape *s) { shape_scatter(s, 250000, 32, 1); }
static void scatter(struct shape *s) { shape_scatter(s, 1000000, 32, 1); }
static void arena_10k(struct shape *s) { shape_arena(s, 10000, false); }
static void buffers_10k(struct shape *s) { shape_arena(s, 10000, true); }
static void arena_100k(struct shape *s) { shape_arena(s, 100000, false); }
static void diamonds(struct shape *s) { shape_diamonds(s, 24); }

static const struct row rows[] = {
	{ "chain 10,000", "1.4 s, 978 MB", 2, chain_10k },
	{ "chain 100,000", "cannot", 20, chain_100k },
	{ "chain 1,000,000", "cannot", 0, chain_1m },
	{ "tree 98,302", "7.9 s, 143 MB", 40, tree_98k },
	{ "star 16,000", "2.4 s, 20 MB", 10, star_16k },
	{ "star 1,000,000", "cannot", 0, star_1m },
	{ "8-wide layers 10,000", "2.7 s, 581 MB", 5, layers_10k },
	{ "layers 1000 x 1000, 3 edges", "cannot", 1000, layers_1m },
	{ "layers 8 x 125000, 3 edges", "cannot", 1000, narrow_1m },
	{ "random 250000, 3.2 edges", "", 0, scatter_250k },
	{ "random 1000000, 3.2 edges", "", 1000, scatter },
	{ "10000 buffers, 4 kernels", "", 0, buffers_10k },
	{ "10000 views of one, 4", "", 0, arena_10k },
	{ "100000 views of one, 4", "", 0, arena_100k },
	{ "24 diamonds", "", 0, diamonds },
};

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Return the number of page faults. */
static long faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

enum { BOUNDED = 0, WIDEST = 1, HELPED = 2 };

/* Return the least time of both checks; -1 if one fails. */
static double bench_checks(const struct shape *shape, const plait__plan *plan,
			   int repeats, double *out_graph)
{
	double best = 1e30, start;
	plait_error error = { .size = sizeof(error) };

	*out_graph = 1e30;
	for (int i = 0; i < repeats; i++) {
		start = now_ms();
		if (plait__check_graph(&shape->input, plan, NULL, &error) !=
		    PLAIT_OK)
			return -1;
		start = now_ms() - start;
		*out_graph = start < *out_graph ? start : *out_graph;
		start = now_ms();
		if (plait__check_plan(plan, &shape->input, 0, NULL, NULL,
				      &error) != PLAIT_OK)
			return -1;
		start = now_ms() - start;
		best = start < best ? start : best;
	}
	return best;
}

static int bench_row(const struct row *row, uint32_t policy, int repeats)
{
	plait__input_options options = { 0 };
	plait__planner_counts counts;
	plait__plan *plan;
	struct shape shape;
	double best = 1e30, first = 0, build = now_ms(), start, steps;
	static const char *const names[] = { "bounded", "widest", "helped" };
	uint32_t lanes = 0, waits = 0, signals = 0;
	double check = 0, graph = 0;
	uint64_t bytes, kept = 0;
	long pages = 0;
	int i;

	row->make(&shape);
	build = now_ms() - build;
	options.policy = policy == BOUNDED ? PLAIT__POLICY_BOUNDED :
					     PLAIT__POLICY_WIDEST;
	options.mode = policy == HELPED ? PLAIT__MODE_HELPED :
					  PLAIT__MODE_STRICT;
	options.lanes = policy == BOUNDED ? 8 : 0;
	for (i = 0; i < repeats; i++) {
		pages -= i == 0 ? faults() : 0;
		start = now_ms();
		if (plait__planner_run(&shape.input, &options, NULL, &counts,
				       &plan, NULL) != PLAIT_OK)
			return 1;
		start = now_ms() - start;
		pages += i == 0 ? faults() : 0;
		first = i == 0 ? start : first;
		best = start < best ? start : best;
		lanes = plan->lanes_count;
		waits = plan->waits_count;
		signals = plan->signal_count;
		kept = plait__plan_bytes(plan);
		if (i == repeats - 1)
			check = bench_checks(&shape, plan, repeats, &graph);
		plait__plan_release(plan);
	}
	bytes = counts.peak_bytes + sizeof(plait__input_node) *
		shape.input.node_count + sizeof(plait__input_edge) *
		shape.input.edge_count;
	steps = (double)(counts.steps + counts.reduce_steps +
			 counts.recycle_steps + counts.clock_steps +
			 counts.heap_steps) / shape.input.node_count;
	printf("%-28s %-8s %-14s %8.2f %7ld %8.2f %7.0f %s %8.2f %8.2f "
	       "%6.0f %6.0f %6.0f %8u %8u %8u %6.1f\n",
	       row->name, names[policy], row->before, first, pages, best,
	       row->target_ms,
	       row->target_ms > 0 && best > row->target_ms ? "MISS" : "    ",
	       graph, check, (double)counts.peak_bytes / shape.input.node_count,
	       (double)bytes / shape.input.node_count,
	       (double)kept / shape.input.node_count, lanes, waits, signals,
	       steps);
	(void)build;
	shape_fini(&shape);
	return 0;
}

static int bench_alone(const struct row *row, uint32_t policy, int repeats)
{
	int status = 1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child < 0)
		return 1;
	if (child == 0)
		exit(bench_row(row, policy, repeats));
	waitpid(child, &status, 0);
	return status != 0;
}

int main(int argc, char **argv)
{
	int repeats = argc > 1 ? atoi(argv[1]) : 5, failed = 0;
	const char *only = argc > 2 ? argv[2] : "";
	size_t i;

	printf("%-28s %-8s %-14s %8s %7s %8s %7s %4s %8s %8s %6s %6s %6s %8s %8s %8s %6s\n",
	       "graph", "policy", "libnnc", "first", "faults", "ms", "target",
	       "", "graph", "check", "B/node",
	       "+input", "plan", "lanes", "waits", "signals", "steps");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strstr(rows[i].name, only) == NULL)
			continue;
		failed |= bench_alone(&rows[i], WIDEST, repeats);
		failed |= bench_alone(&rows[i], BOUNDED, repeats);
		failed |= bench_alone(&rows[i], HELPED, repeats);
	}
	return failed;
}
