/* SPDX-License-Identifier: MIT */
/*
 * Plans on queues of a simulated system: each seed is another order in which
 * things happen, in virtual time.  All of it under the interposer that checks
 * every call, on one lane and on several, on one device and on two; the same
 * graphs on queues of the host.  What a plan does has to be the same.
 */
#include "runs.h"

enum { SEEDS = 60, WORDS = 16 };

static const char *const quirks[] = {
	"", "late_notify", "inline_notify", "slow_host", "batch", "shuffle",
	"spurious", "staged_map", "all",
};

/* What is run on: a seed of chaos, or the host. */
struct place {
	const char *backends;
	const char *wrap;
	char options[160];
	uint32_t lanes;
	uint32_t workers;
};

static uint32_t broken; /* rules, as check says */

static void hear(void *user_data, int32_t level, const char *line)
{
	(void)user_data;
	if (level == PLAIT_LOG_ERROR) {
		__atomic_add_fetch(&broken, 1, __ATOMIC_SEQ_CST);
		NOTE("%s", line);
	}
}

static bool open_place(const struct place *place)
{
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = place->backends,
		.wrap = place->wrap, .options = place->options,
		.workers = place->workers,
		.flags = place->workers == 0 ? PLAIT_CONTEXT_NO_WORKERS : 0,
		.log = hear, .log_level = PLAIT_LOG_ERROR,
	};

	memset(&rig, 0, sizeof(rig));
	rig.error.size = sizeof(rig.error);
	broken = 0;
	return OK_THAT(plait_context_open(&desc, &rig.context, &rig.error) ==
		       PLAIT_OK, "open %s %s: %s", place->backends,
		       place->options, rig.error.text) &&
	       OK(plait_context_device(rig.context, 0, &rig.device,
				       &rig.error) == PLAIT_OK) &&
	       OK(plait_queue_create(rig.device, NULL, &rig.queue,
				     &rig.error) == PLAIT_OK);
}

static void close_place(void)
{
	plait_queue_release(rig.queue);
	plait_context_release(rig.context);
	OK(all_gone());
	IS_UINT(broken, 0);
}

static void set_seed(struct place *place, uint32_t seed)
{
	const char *quirk = quirks[seed % TAP_COUNT(quirks)];

	place->backends = "chaos";
	place->wrap = "check";
	place->lanes = 1 + seed % 4;
	place->workers = 0;
	(void)snprintf(place->options, sizeof(place->options),
		       "chaos:seed=%u,parallel=%u,devices=2%s%s", seed,
		       1 + seed / 4 % 4, quirk[0] != '\0' ? ",quirks=" : "",
		       quirk);
}

/* Call `check` on each place. */
static void each_place(uint32_t seeds, void (*check)(const struct place *place))
{
	struct place place = { .backends = "host", .wrap = "check",
			       .lanes = 3 };
	uint32_t first = (uint32_t)tap_seed();

	for (uint32_t w = 0; w < 3; w++) {
		place.workers = w;
		if (open_place(&place)) {
			check(&place);
			close_place();
		}
	}
	for (uint32_t i = 0; i < (tap_soak() ? 100 * seeds : seeds); i++) {
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

static plait_plan *freeze_on(plait_graph *graph, uint32_t lanes)
{
	const plait_freeze_desc desc = {
		.size = sizeof(desc),
		.flags = PLAIT_FREEZE_CHECK | PLAIT_FREEZE_QUEUES,
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
static plait_device *other_device(void)
{
	plait_device *device = NULL;

	return plait_context_device(rig.context, 1, &device, NULL) == PLAIT_OK ?
	       device : rig.device;
}

static plait_buffer *words_on(plait_device *device)
{
	const plait_buffer_desc desc = { .size = sizeof(desc),
					 .bytes = WORDS * 4,
					 .label = "words" };
	plait_buffer *buffer = NULL;

	OK(plait_buffer_create(device, &desc, &buffer, &rig.error) ==
	   PLAIT_OK);
	return buffer;
}

static void write_words(plait_buffer *buffer, uint32_t value)
{
	uint32_t words[WORDS];

	for (uint32_t i = 0; i < WORDS; i++)
		words[i] = value;
	OK_THAT(plait_queue_write(rig.queue, buffer, 0, words, sizeof(words),
				  &rig.error) == PLAIT_OK &&
		plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error) ==
			PLAIT_OK, "write: %s", rig.error.text);
}

/* The value of all words, or UINT32_MAX if they differ. */
static uint32_t read_words(plait_buffer *buffer)
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
static int32_t map_words(void *const *arguments, const plait_launch *launch,
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

static plait_kernel *map_kernel(void)
{
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .function = map_words,
		.signature = "map(from: in pointer u32, to: inout pointer "
			     "u32, a: u32, b: u32)",
	};
	plait_kernel *kernel = NULL;

	OK_THAT(plait_kernel_create(rig.context, &desc, &kernel,
				    &rig.error) == PLAIT_OK, "%s",
		rig.error.text);
	return kernel;
}

static plait_argument buffer_argument(plait_buffer *buffer)
{
	return (plait_argument){ .size = sizeof(plait_argument),
				 .kind = PLAIT_ARGUMENT_BUFFER,
				 .buffer = buffer };
}

static plait_argument value_argument(const uint32_t *value)
{
	return (plait_argument){ .size = sizeof(plait_argument),
				 .kind = PLAIT_ARGUMENT_VALUE,
				 .value = value, .bytes = 4 };
}

static plait_node add_map(plait_graph *graph, plait_kernel *kernel,
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

static plait_node add_copy(plait_graph *graph, plait_buffer *target,
			   plait_buffer *source, const plait_node *after,
			   uint64_t count)
{
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_COPY, .target = target, .source = source,
		.bytes = WORDS * 4, .label = "copy",
	};

	return add_node(graph, desc, after, count);
}

static plait_node add_fill(plait_graph *graph, plait_buffer *target,
			   uint32_t value, const plait_node *after,
			   uint64_t count)
{
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_FILL, .target = target, .pattern = value,
		.pattern_bytes = 4, .bytes = WORDS * 4, .label = "fill",
	};

	return add_node(graph, desc, after, count);
}

/* ---- without regions ---- */

/*
 * Chains over two devices that meet:
 *   fill x; copy x -> y (other device); y = 3 y + 1; copy y -> z
 *   fill w; w = 5 w + 2; z = 7 w + (copied behind)
 */
static void check_straight(const struct place *place)
{
	plait_device *other = other_device();
	plait_kernel *kernel = map_kernel();
	plait_buffer *x = words_on(rig.device), *y = words_on(other);
	plait_buffer *w = words_on(rig.device), *z = words_on(rig.device);
	plait_graph *graph = new_graph();
	plait_node n[4], m[2];
	plait_plan *plan;

	n[0] = add_fill(graph, x, 11, NULL, 0);
	n[1] = add_copy(graph, y, x, n, 1);
	n[2] = add_map(graph, kernel, y, y, 3, 1, &n[1], 1);
	m[0] = add_fill(graph, w, 2, NULL, 0);
	m[1] = add_map(graph, kernel, w, w, 5, 2, m, 1);
	n[0] = n[2];
	n[1] = m[1];
	n[3] = add_map(graph, kernel, w, z, 7, 0, n, 2);
	n[3] = add_copy(graph, x, y, &n[3], 1);
	plan = freeze_on(graph, place->lanes);
	for (int i = 0; i < 4; i++) {
		write_words(z, 0);
		OK_THAT((i % 2 ? run_with : call_with)(plan, 0) == PLAIT_OK,
			"run %d: %s", i, rig.error.text);
		IS_UINT(read_words(x), 34);
		IS_UINT(read_words(w), 12);
		IS_UINT(read_words(z), 84);
	}
	plait_plan_release(plan);
	plait_buffer_release(x);
	plait_buffer_release(y);
	plait_buffer_release(w);
	plait_buffer_release(z);
	plait_kernel_release(kernel);
}

static void straight(void)
{
	each_place(SEEDS, check_straight);
}

/* A random graph of functions: every edge is kept, each runs once. */
static void check_edges(const struct place *place)
{
	enum { NODES = 20 };
	static struct trace trace;
	static struct mark marks[NODES];
	uint64_t random = tap_seed() + place->lanes;
	uint32_t from[NODES * 2], to[NODES * 2], count = 0;
	plait_graph *graph = new_graph();
	plait_device *devices[2] = { rig.device, other_device() };
	plait_node nodes[NODES];
	plait_plan *plan;

	for (const char *c = place->options; *c != '\0'; c++)
		random = random * 31 + (unsigned char)*c;
	memset(&trace, 0, sizeof(trace));
	for (uint32_t i = 0; i < NODES; i++) {
		plait_node_desc desc = {
			.kind = PLAIT_NODE_CALL, .label = "n",
			.flags = PLAIT_CALL_ANY_THREAD,
			.function = put_mark, .user_data = &marks[i],
			.device = devices[random >> 40 & 1],
		};

		marks[i] = (struct mark){ &trace, i, 0 };
		nodes[i] = add_node(graph, desc, NULL, 0);
		for (uint32_t k = 0; i > 0 && k < 2; k++) {
			random = random * 6364136223846793005u + 1;
			from[count] = (uint32_t)(random >> 33) % i;
			to[count] = i;
			OK(plait_graph_edge(graph, nodes[from[count]],
					    nodes[i], &rig.error) == PLAIT_OK);
			count++;
		}
	}
	plan = freeze_on(graph, place->lanes);
	for (uint32_t r = 1; r <= 3; r++) {
		bool good = true;

		OK_THAT((r % 2 ? run_with : call_with)(plan, 0) == PLAIT_OK,
			"run %u: %s", r, rig.error.text);
		for (uint32_t i = 0; i < count; i++)
			good = good && trace.at[from[i]] < trace.at[to[i]];
		for (uint32_t i = 0; i < NODES; i++)
			good = good && trace.times[i] == r;
		OK_THAT(good, "run %u: %s", r, place->options);
	}
	plait_plan_release(plan);
}

static void edges(void)
{
	each_place(SEEDS, check_edges);
}

/* Of two chains one fails: what is behind in it does not run, nor does what
 * comes behind both; and then the plan is as good as new. */
static void check_failure(const struct place *place)
{
	static struct trace trace;
	struct mark marks[4];
	plait_graph *graph = new_graph();
	plait_buffer *x = words_on(rig.device);
	plait_node n[2];
	plait_plan *plan;

	for (uint32_t i = 0; i < 4; i++)
		marks[i] = (struct mark){ &trace, i, i == 1 ? 6 : 0 };
	n[0] = add_call(graph, "first", put_mark, &marks[0], NULL, 0);
	n[0] = add_call(graph, "bad", put_mark, &marks[1], n, 1);
	n[1] = add_call(graph, "beside", put_mark, &marks[2], NULL, 0);
	(void)add_fill(graph, x, 9, n, 1);
	(void)add_call(graph, "both", put_mark, &marks[3], n, 2);
	plan = freeze_on(graph, place->lanes);
	for (int i = 0; i < 4; i++) {
		memset(&trace, 0, sizeof(trace));
		marks[1].result = i % 2 == 0 ? 6 : 0;
		write_words(x, 1);
		IS_INT((i / 2 ? run_with : call_with)(plan, 0),
		       i % 2 == 0 ? PLAIT_E_FAILED : PLAIT_OK);
		IS_UINT(trace.times[1], 1);
		IS_UINT(trace.times[3], i % 2);
		IS_UINT(read_words(x), i % 2 == 0 ? 1 : 9);
		if (i % 2 != 0)
			continue;
		HAS_STR(rig.error.text, "\"bad\" failed with 6");
		IS_INT(rig.error.origin, 6);
	}
	plait_plan_release(plan);
	plait_buffer_release(x);
}

static void failure(void)
{
	each_place(SEEDS, check_failure);
}

/* Several instances at once, behind one another on a queue, and nobody waits
 * for any of them but for the queue. */
static void check_overlap(const struct place *place)
{
	plait_buffer *x = words_on(rig.device);
	plait_kernel *kernel = map_kernel();
	plait_graph *graph = new_graph();
	plait_plan *plan;

	(void)add_map(graph, kernel, x, x, 2, 1, NULL, 0);
	plan = freeze_on(graph, place->lanes);
	write_words(x, 1);
	for (int i = 0; i < 8; i++)
		OK_THAT(plait_plan_run(plan, rig.queue, NULL, NULL,
				       &rig.error) == PLAIT_OK, "run %d: %s",
			i, rig.error.text);
	IS_UINT(read_words(x), 511);
	plait_plan_release(plan);
	plait_buffer_release(x);
	plait_kernel_release(kernel);
}

static void overlap(void)
{
	each_place(SEEDS, check_overlap);
}

static const struct tap_scenario all[] = {
	{ "straight", straight },
	{ "edges", edges },
	{ "failure", failure },
	{ "overlap", overlap },
};
TAP_MAIN(all)
