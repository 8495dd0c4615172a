/* SPDX-License-Identifier: MIT */
/* Helpers for tests of programs that iterate: launches behind launches, random
 * data. */
#ifndef T_RUN_QUEUE_ITERATIVE_H
#define T_RUN_QUEUE_ITERATIVE_H

#include "repeats.h"

static inline uint32_t next_random(uint32_t *random)
{
	*random = *random * 1664525u + 1013904223u;
	return *random >> 8;
}

/* A launch of one item if `series` is null, or of its number of items; behind
 * another node, or 0. */
static inline plait_node add_step(plait_graph *body, plait_kernel *kernel,
				  const plait_series *series, plait_node after,
				  const plait_argument *arguments,
				  uint64_t count)
{
	const plait_launch launch = { .size = sizeof(launch),
				      .dimensions = 1, .items = { 1 } };
	const plait_launch follows = { .size = sizeof(follows),
				       .dimensions = 1 };

	return add_node(body, (plait_node_desc){
		.kind = PLAIT_NODE_LAUNCH, .kernel = kernel, .label = "step",
		.launch = series != NULL ? &follows : &launch,
		.arguments = arguments, .argument_count = count,
		.series = series, .series_count = series != NULL },
		&after, after != 0);
}

#endif
