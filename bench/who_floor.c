/* SPDX-License-Identifier: MIT */
/*
 * Lower bound: calls of the functions from an array, in sequence on one thread,
 * without synchronization.
 */
#include <stdlib.h>

#include "who.h"

struct call {
	node_body body;
	void *node;
};

static struct call *calls;
static uint32_t count;

static int prepare(const struct graph *graph, unsigned threads)
{
	(void)threads;
	calls = malloc(graph->count * sizeof(*calls));
	if (calls == NULL) {
		who_refuse("no memory");
		return -1;
	}
	for (count = 0; count < graph->count; count++) {
		calls[count].body = graph->body;
		calls[count].node = &graph->nodes[count];
	}
	who_pin(0);
	return 0;
}

static void run(void)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		calls[i].body(calls[i].node);
}

static void finish(void)
{
	free(calls);
	calls = NULL;
}

const struct who whos[] = {
	{ "floor", prepare, run, finish, NULL, NULL, NULL },
	{ 0 },
};
