/* SPDX-License-Identifier: MIT */
/* Helpers for tests of repeats: counts, numbers that follow the iteration, and
 * runs. */
#ifndef T_RUN_QUEUE_REPEATS_H
#define T_RUN_QUEUE_REPEATS_H

#include "lib/queued.h"

#ifndef SEEDS
#define SEEDS 30
#endif

/* A way to give a repeat its count. */
enum how { CONSTANT, PARAMETER, WORD, HOWS };

struct counted {
	enum how how;
	uint64_t count;		/* stated, divided by: */
	uint64_t step;		/* or 0 */
	plait_buffer *word;
};

static inline uint64_t iterations_of(const struct counted *counted)
{
	uint64_t step = counted->step > 0 ? counted->step : 1;

	return (counted->count + step - 1) / step;
}

static inline plait_node add_repeat(plait_graph *graph, const struct counted *counted,
			     const plait_node *after, uint64_t count)
{
	plait_node_desc desc = {
		.kind = PLAIT_NODE_REPEAT, .label = "repeat",
		.count_step = counted->step, .times = 5,
	};

	if (counted->how == CONSTANT)
		desc.times = counted->count;
	else if (counted->how == PARAMETER)
		desc.count_parameter = "n";
	else
		desc.predicate = counted->word;
	return add_node(graph, desc, after, count);
}

/* Called, or on a queue. */
static inline plait_status run_counted(plait_plan *plan,
				const struct counted *counted, bool called)
{
	plait_binding binding = { .size = sizeof(binding),
				  .value = &counted->count, .bytes = 8 };
	const plait_run_desc desc = {
		.size = sizeof(desc), .bindings = &binding,
		.binding_count = counted->how == PARAMETER,
	};

	if (counted->how == WORD)
		write_words(counted->word, (uint32_t)counted->count);
	if (counted->how == PARAMETER &&
	    plait_plan_find_parameter(plan, "n", &binding.parameter,
				      &rig.error) != PLAIT_OK)
		return PLAIT_E_INVALID;
	return called ? plait_plan_call(plan, NULL, &desc, &rig.error) :
			run_desc(plan, &desc);
}

/* ---- numbers ---- */

static const plait_series some_series[] = {
	{ sizeof(plait_series), 0, 0, 1, 0 },
	{ sizeof(plait_series), 0, 1, 1, 0 },
	{ sizeof(plait_series), 0, 0, 20, 0 },
	{ sizeof(plait_series), 0, 1000, -3, 7 },
	{ sizeof(plait_series), PLAIT_SERIES_FROM_COUNT, 0, -1, 0 },
	{ sizeof(plait_series), PLAIT_SERIES_FROM_COUNT, 0, -3, 3 },
	{ sizeof(plait_series), PLAIT_SERIES_FROM_COUNT, -1, 0, 0 },
};

static inline int64_t number_at(const plait_series *series, uint64_t i, uint64_t n)
{
	int64_t number = series->offset + series->scale * (int64_t)i;

	if ((series->flags & PLAIT_SERIES_FROM_COUNT) != 0)
		number += (int64_t)n;
	return series->limit > 0 && number > series->limit ? series->limit :
							      number;
}

/* x = 3 x + the number */
static inline void add_number(plait_graph *body, plait_kernel *map, plait_buffer *x,
		       const plait_series *series, plait_node *node)
{
	const uint32_t three = 3;
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WORDS } };
	plait_argument arguments[4] = {
		buffer_argument(x), buffer_argument(x), value_argument(&three),
		of_kind(PLAIT_ARGUMENT_ITERATION, NULL),
	};
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_LAUNCH, .kernel = map, .launch = &launch,
		.arguments = arguments, .argument_count = 4, .label = "number",
	};

	arguments[3].series = series;
	*node = add_node(body, desc, node, *node != 0);
}

/* ---- memory ---- */

static inline plait_buffer *cells_on(plait_device *device, uint64_t count)
{
	const plait_buffer_desc desc = { .size = sizeof(desc),
					 .bytes = count * 4,
					 .label = "cells" };
	plait_buffer *buffer = NULL;

	OK(plait_buffer_create(device, &desc, &buffer, &rig.error) ==
	   PLAIT_OK);
	return buffer;
}

static inline void put(plait_buffer *buffer, const void *cells, uint64_t count)
{
	OK_THAT(plait_queue_write(rig.queue, buffer, 0, cells, count * 4,
				  &rig.error) == PLAIT_OK &&
		plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error) ==
			PLAIT_OK, "write: %s", rig.error.text);
}

static inline void get(plait_buffer *buffer, void *cells, uint64_t count)
{
	OK_THAT(plait_queue_read(rig.queue, buffer, 0, cells, count * 4,
				 &rig.error) == PLAIT_OK &&
		plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error) ==
			PLAIT_OK, "read: %s", rig.error.text);
}

#endif
