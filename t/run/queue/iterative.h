/* SPDX-License-Identifier: MIT */
/* Helpers for tests of programs that iterate: launches behind launches, runs
 * with memory of the program, random data. */
#ifndef T_RUN_QUEUE_ITERATIVE_H
#define T_RUN_QUEUE_ITERATIVE_H

#include "repeats.h"

static inline uint32_t next_random(uint32_t *random)
{
	*random = *random * 1664525u + 1013904223u;
	return *random >> 8;
}

/* A launch of WORDS items if `series` is null, or of its number of items; behind
 * another node, or 0. */
static inline plait_node add_step(plait_graph *body, plait_kernel *kernel,
				  const plait_series *series, plait_node after,
				  const plait_argument *arguments,
				  uint64_t count)
{
	const plait_launch launch = { .size = sizeof(launch),
				      .dimensions = 1,
				      .items = { WORDS } };
	const plait_launch follows = { .size = sizeof(follows),
				       .dimensions = 1 };

	return add_node(body, (plait_node_desc){
		.kind = PLAIT_NODE_LAUNCH, .kernel = kernel, .label = "step",
		.launch = series != NULL ? &follows : &launch,
		.arguments = arguments, .argument_count = count,
		.series = series, .series_count = series != NULL },
		&after, after != 0);
}

/* Called, or on a queue; with memory of the program, which can be null. */
static inline plait_status run_memory(plait_plan *plan, void *memory,
				      uint64_t bytes, bool called)
{
	const plait_binding binding = PLAIT_BIND_HOST(0, memory, bytes);
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = &binding,
				      .binding_count = memory != NULL };

	return called ? plait_plan_call(plan, NULL, &desc, &rig.error) :
			run_desc(plan, &desc);
}

#endif
