/* SPDX-License-Identifier: MIT */
/*
 * Helpers for tests of plans on queues: a place to run on (a seed of the
 * simulated system, or the host), under the interposer that checks each call,
 * and nodes that work on words in memory of devices.
 */
#ifndef T_QUEUED_H
#define T_QUEUED_H

#include "runs.h"

#include "place.h"

/* Also for plans on lanes of the host, which then run there alone. */
#ifndef ON_QUEUES
#define ON_QUEUES PLAIT_FREEZE_QUEUES
#endif

enum { WORDS = 16 };

static uint32_t broken; /* rules that `check` reported */
static bool builds;	/* as of the open place */

static inline void hear(void *user_data, int32_t level, const char *line)
{
	(void)user_data;
	if (level == PLAIT_LOG_ERROR) {
		__atomic_add_fetch(&broken, 1, __ATOMIC_SEQ_CST);
		NOTE("%s", line);
	}
}

static inline bool open_place(const struct place *place)
{
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = place->backends,
		.wrap = place->wrap, .options = place->options,
		.workers = place->workers,
		.flags = place->workers == 0 ? PLAIT_CONTEXT_NO_WORKERS : 0,
		.log = hear, .log_level = PLAIT_LOG_ERROR,
		.allocator = &counting,
	};

#ifdef QUEUED_DRIVER
	look_for_driver();
#endif
	memset(&rig, 0, sizeof(rig));
	rig.error.size = sizeof(rig.error);
	broken = 0;
	builds = place->builds;
	return OK_THAT(plait_context_open(&desc, &rig.context, &rig.error) ==
		       PLAIT_OK, "open %s %s: %s", place->backends,
		       place->options, rig.error.text) &&
	       OK(plait_context_device(rig.context, 0, &rig.device,
				       &rig.error) == PLAIT_OK) &&
	       OK(plait_queue_create(rig.device, NULL, &rig.queue,
				     &rig.error) == PLAIT_OK);
}

static inline void close_place(void)
{
	plait_queue_release(rig.queue);
	plait_context_release(rig.context);
	OK(all_gone());
	IS_UINT(broken, 0);
#if defined(QUEUED_OPENCL) || defined(QUEUED_CUDA)
	standin_is_clean();
#endif
#ifdef QUEUED_OPENCL
	/* LeakSanitizer can fail on a thread that lives at exit. */
	standin()->end_threads();
#endif
}

static inline void set_seed(struct place *place, uint32_t seed)
{
	static const char *const fewest[] = { "4", "1", "0", "2", "8" };

	place->backends = SIMULATED;
	place->wrap = "check";
	place->lanes = 1 + seed % 4;
	place->builds = seed / 2 % 2 == 0;
	choose_kind(place, seed);
	(void)setenv("PLAIT_SEGMENTS", fewest[seed % TAP_COUNT(fewest)], 1);
	if (ON_QUEUES != 0)
		return;
	place->backends = "host";
	place->workers = seed / 4 % 4;
	place->options[0] = '\0';
}

/* Also where devices are simulated. */
static inline void each_host(void (*check)(const struct place *place))
{
	struct place place = { .backends = "host", .wrap = "check",
			       .lanes = 3 };

	for (; place.workers < 3; place.workers++) {
		if (!open_place(&place))
			continue;
		check(&place);
		close_place();
	}
}

/* Call `check` on each place. */
static inline void each_place(uint32_t seeds, void (*check)(const struct place *place))
{
	uint32_t first = (uint32_t)tap_seed();
	struct place place;

	if (strcmp(SIMULATED, "chaos") == 0)
		each_host(check);
#ifdef QUEUED_DRIVER
	seeds = seeds / 10 + 1;
#endif
	for (uint32_t i = 0; i < (tap_soak() ? 10 * seeds : seeds); i++) {
		set_seed(&place, first + i);
		if (!open_place(&place))
			continue;
		check(&place);
		close_place();
		if (tap_failed() > 0) {
			NOTE("%s, %u lanes", place.options, place.lanes);
			return;
		}
	}
}

static inline plait_plan *freeze_on(plait_graph *graph, uint32_t lanes)
{
	const plait_freeze_desc desc = {
		.size = sizeof(desc),
		.flags = PLAIT_FREEZE_CHECK | ON_QUEUES,
		.lanes = lanes, .instances = 2,
		.policy = lanes % 2 ? PLAIT_POLICY_WIDEST :
				      PLAIT_POLICY_BOUNDED,
	};
	plait_plan *plan = NULL;

	OK_THAT(plait_graph_freeze(graph, &desc, &plan, &rig.error) ==
		PLAIT_OK, "freeze: %s", rig.error.text);
	plait_graph_release(graph);
	return plan;
}

/* The other device, if there is one. */
static inline plait_device *other_device(void)
{
	plait_device *device = NULL;

	return plait_context_device(rig.context, 1, &device, NULL) == PLAIT_OK ?
	       device : rig.device;
}

static inline plait_buffer *words_on(plait_device *device)
{
	const plait_buffer_desc desc = { .size = sizeof(desc),
					 .bytes = WORDS * 4,
					 .label = "words" };
	plait_buffer *buffer = NULL;

	OK(plait_buffer_create(device, &desc, &buffer, &rig.error) ==
	   PLAIT_OK);
	return buffer;
}

static inline void write_words(plait_buffer *buffer, uint32_t value)
{
	uint32_t words[WORDS];

	for (uint32_t i = 0; i < WORDS; i++)
		words[i] = value;
	OK_THAT(plait_queue_write(rig.queue, buffer, 0, words, sizeof(words),
				  &rig.error) == PLAIT_OK &&
		plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error) ==
			PLAIT_OK, "write: %s", rig.error.text);
}

/* Behind the two of chaos. */
static inline plait_device *host_of_three(void)
{
	plait_device *device = NULL;

	OK(plait_context_device(rig.context, 2, &device, &rig.error) ==
	   PLAIT_OK);
	return device;
}

/* The value of all words, or UINT32_MAX if they differ. */
static inline uint32_t read_words(plait_buffer *buffer)
{
	uint32_t words[WORDS] = { 0 };

	OK_THAT(plait_queue_read(rig.queue, buffer, 0, words, sizeof(words),
				 &rig.error) == PLAIT_OK &&
		plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error) ==
			PLAIT_OK, "read: %s", rig.error.text);
	for (uint32_t i = 1; i < WORDS; i++)
		if (words[i] != words[0])
			return UINT32_MAX;
	return words[0];
}

/* ---- kernels ---- */

/* to[i] = from[i] * a + b */
#define MAP_TEXT "KERNEL(map) { EACH(i, 16) to[i] = from[i] * a + b; }"

static inline int32_t map_words(void *const *arguments, const plait_launch *launch,
			 void *user_data)
{
	const uint32_t *from = *(uint32_t **)arguments[0];
	uint32_t *to = *(uint32_t **)arguments[1];
	uint32_t a = *(uint32_t *)arguments[2], b = *(uint32_t *)arguments[3];

	(void)user_data;
	for (uint64_t i = 0; i < launch->items[0]; i++)
		to[i] = from[i] * a + b;
	return 0;
}

/* Built from text where the place says so. */
static inline plait_kernel *new_kernel(const char *signature, const char *text,
				plait_kernel_function function)
{
	const plait_source source = { .size = sizeof(source), .code = text };
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .signature = signature,
		.function = builds ? NULL : function,
		.sources = builds ? &source : NULL, .source_count = builds,
	};
	plait_kernel *kernel = NULL;

#ifdef QUEUED_OPENCL
	standin()->teach(signature, text, function);
#endif
	OK_THAT(plait_kernel_create(rig.context, &desc, &kernel,
				    &rig.error) == PLAIT_OK, "%s",
		rig.error.text);
	return kernel;
}

static inline plait_kernel *map_kernel(void)
{
	return new_kernel("map(from: in pointer u32, to: inout pointer u32, "
			  "a: u32, b: u32)", MAP_TEXT, map_words);
}

/* to[k] = from[k] + 1 */
static inline int32_t put_words(void *const *arguments, const plait_launch *launch,
			 void *user_data)
{
	const uint32_t *from = *(uint32_t **)arguments[0];
	uint32_t *to = *(uint32_t **)arguments[1];

	(void)launch;
	(void)user_data;
	for (uint32_t k = 0; k < WORDS; k++)
		to[k] = from[k] + 1;
	return 0;
}

static inline plait_kernel *put_kernel(void)
{
	return new_kernel("put(from: in pointer u32, to: out pointer u32)",
			  "KERNEL(put) { EACH(k, 16) to[k] = from[k] + 1; }",
			  put_words);
}

static inline plait_argument of_kind(uint32_t kind, const char *name)
{
	return (plait_argument){ .size = sizeof(plait_argument),
				 .kind = kind, .name = name };
}

static inline plait_argument buffer_argument(plait_buffer *buffer)
{
	return (plait_argument){ .size = sizeof(plait_argument),
				 .kind = PLAIT_ARGUMENT_BUFFER,
				 .buffer = buffer };
}

static inline plait_argument value_argument(const uint32_t *value)
{
	return (plait_argument){ .size = sizeof(plait_argument),
				 .kind = PLAIT_ARGUMENT_VALUE,
				 .value = value, .bytes = 4 };
}

static inline plait_node add_map(plait_graph *graph, plait_kernel *kernel,
			  plait_buffer *from, plait_buffer *to, uint32_t a,
			  uint32_t b, const plait_node *after, uint64_t count)
{
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WORDS, 0, 0 } };
	const plait_argument arguments[4] = {
		buffer_argument(from), buffer_argument(to),
		value_argument(&a), value_argument(&b),
	};
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_LAUNCH, .kernel = kernel,
		.launch = &launch, .arguments = arguments,
		.argument_count = 4, .label = "map",
	};

	return add_node(graph, desc, after, count);
}

static inline plait_node add_copy(plait_graph *graph, plait_buffer *target,
			   plait_buffer *source, const plait_node *after,
			   uint64_t count)
{
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_COPY, .target = target, .source = source,
		.bytes = WORDS * 4, .label = "copy",
	};

	return add_node(graph, desc, after, count);
}

static inline plait_node add_fill(plait_graph *graph, plait_buffer *target,
			   uint32_t value, const plait_node *after,
			   uint64_t count)
{
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_FILL, .target = target, .pattern = value,
		.pattern_bytes = 4, .bytes = WORDS * 4, .label = "fill",
	};

	return add_node(graph, desc, after, count);
}

#endif
