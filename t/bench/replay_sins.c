/* SPDX-License-Identifier: MIT */
/*
 * Wrong schedulers that bench/replay must not time: each runs graphs wrongly in
 * its way.  A program for t/bench/replay.t.
 */
#include <stdlib.h>

#include "../../bench/who.h"

static const struct graph *graph;

static int prepare(const struct graph *given, unsigned threads)
{
	(void)threads;
	graph = given;
	return 0;
}

static int refuse(const struct graph *given, unsigned threads)
{
	(void)given;
	(void)threads;
	who_refuse("does not want to");
	return -1;
}

static void run_range(uint32_t from, uint32_t to)
{
	for (; from < to; from++)
		graph->body(&graph->nodes[from]);
}

static void forward(void)
{
	run_range(0, graph->count);
}

static void backward(void)
{
	uint32_t i;

	for (i = graph->count; i-- > 0;)
		run_range(i, i + 1);
}

static void last_twice(void)
{
	forward();
	run_range(graph->count - 1, graph->count);
}

static void last_never(void)
{
	run_range(0, graph->count - 1);
}

/* The first runs are right. */
static void wrong_later(void)
{
	static uint32_t runs;

	if (runs++ % 5 < 4)
		forward();
	else
		backward();
}

static void crash(void)
{
	abort();
}

static void finish(void)
{
	graph = NULL;
}

const struct who whos[] = {
	{ "forward", prepare, forward, finish, NULL, NULL, NULL },
	{ "backward", prepare, backward, finish, NULL, NULL, NULL },
	{ "last_twice", prepare, last_twice, finish, NULL, NULL, NULL },
	{ "last_never", prepare, last_never, finish, NULL, NULL, NULL },
	{ "wrong_later", prepare, wrong_later, finish, NULL, NULL, NULL },
	{ "crash", prepare, crash, finish, NULL, NULL, NULL },
	{ "refuse", refuse, forward, finish, NULL, NULL, NULL },
	{ 0 },
};
