/* SPDX-License-Identifier: MIT */
/* Helpers for tests of loops and branches that devices decide: a place that
 * counts started commands, and buffers to count with. */
#ifndef T_REGIONS_H
#define T_REGIONS_H

#include "lib/queued.h"

enum { SEEDS = 20 };

/* The simulated system's counts of started and raised commands. */
static uint32_t begun_segments, begun_others;
static const char *const other_commands[] = { "map", "copy", "fill", "loop" };

static inline void count(void *user_data, int32_t level, const char *line)
{
	char name[32];

	(void)user_data;
	if (level == PLAIT_LOG_ERROR) {
		__atomic_add_fetch(&broken, 1, __ATOMIC_SEQ_CST);
		NOTE("%s", line);
	}
	if (strstr(line, " starts") == NULL)
		return;
	begun_segments += strstr(line, "command \"segment of ") != NULL;
	for (size_t i = 0; i < TAP_COUNT(other_commands); i++) {
		(void)snprintf(name, sizeof(name), "command \"%s\"",
			       other_commands[i]);
		begun_others += strstr(line, name) != NULL;
	}
}

static inline bool open_counting(uint32_t seed, const char *wrap, const char *more)
{
	static const char *const fewest[] = { "4", "1", "100" };
	char options[200];
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = "chaos", .wrap = wrap,
		.options = options, .flags = PLAIT_CONTEXT_NO_WORKERS,
		.log = count, .log_level = PLAIT_LOG_INFO,
		.allocator = &counting,
	};

	(void)snprintf(options, sizeof(options),
		       "chaos:seed=%u,devices=2,parallel=%u,log=1%s", seed,
		       1 + seed % 3, more);
	(void)setenv("PLAIT_SEGMENTS", fewest[seed % TAP_COUNT(fewest)], 1);
	memset(&rig, 0, sizeof(rig));
	rig.error.size = sizeof(rig.error);
	broken = begun_segments = begun_others = 0;
	builds = true;
	return OK_THAT(plait_context_open(&desc, &rig.context, &rig.error) ==
		       PLAIT_OK, "open: %s", rig.error.text) &&
	       OK(plait_context_device(rig.context, 0, &rig.device,
				       &rig.error) == PLAIT_OK) &&
	       OK(plait_queue_create(rig.device, NULL, &rig.queue,
				     &rig.error) == PLAIT_OK);
}

static inline plait_node add_region(plait_graph *graph, uint32_t kind,
			     plait_buffer *word, uint64_t branches,
			     const plait_node *after, uint64_t count)
{
	const plait_node_desc desc = {
		.kind = kind, .label = "loop", .predicate = word,
		.branch_count = branches,
	};

	return add_node(graph, desc, after, count);
}

/* Buffers to count with, and a plan that does. */
struct whole {
	plait_kernel *map;
	plait_buffer *n, *m, *w, *x, *y, *z;
	plait_plan *plan;
};

static inline void free_whole(struct whole *s)
{
	plait_plan_release(s->plan);
	plait_buffer_release(s->n);
	plait_buffer_release(s->m);
	plait_buffer_release(s->w);
	plait_buffer_release(s->x);
	plait_buffer_release(s->y);
	plait_buffer_release(s->z);
	plait_kernel_release(s->map);
}

static inline void begin_counting(void)
{
	begun_segments = begun_others = 0;
}

static inline plait_node add_told(plait_graph *graph, plait_kernel *map,
			   plait_buffer *x, const plait_argument *told)
{
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WORDS, 0, 0 } };
	const uint32_t one = 1;
	const plait_argument arguments[4] = {
		buffer_argument(x), buffer_argument(x), value_argument(&one),
		*told,
	};
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_LAUNCH, .kernel = map,
		.launch = &launch, .arguments = arguments,
		.argument_count = 4, .label = "map",
	};

	return add_node(graph, desc, NULL, 0);
}

static inline int32_t thrice(void *user_data)
{
	uint32_t *left = user_data;

	return (*left)-- > 0;
}

#endif
