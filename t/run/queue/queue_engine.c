/* SPDX-License-Identifier: MIT */
/*
 * Plans on queues of a simulated system: each seed is another order of events,
 * in virtual time.  All of it under the interposer that checks every call, on
 * one lane and on several, on one device and on two; the same graphs on queues
 * of the host.  The result of a plan has to be the same.
 */
#include "lib/queued.h"

enum { SEEDS = 60 };

/* ---- without regions ---- */

/* A copy of all words in two nodes: every other one, and those between. */
static plait_node add_stripes(plait_graph *graph, plait_buffer *target,
			      plait_buffer *source, const plait_node *after)
{
	const plait_rows rows = { .size = sizeof(rows), .rows = WORDS / 2,
				  .target_row = 8, .source_row = 8 };
	plait_node_desc desc = {
		.kind = PLAIT_NODE_COPY, .target = target, .source = source,
		.bytes = 4, .rows = &rows, .label = "stripes",
	};
	plait_node node = add_node(graph, desc, after, 1);

	desc.target_offset = 4;
	desc.source_offset = 4;
	return add_node(graph, desc, &node, 1);
}

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
	n[1] = add_stripes(graph, y, x, n);
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
			OK(plait_graph_add_edge(graph, nodes[from[count]],
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

/* A failure in one of two chains: the commands behind in it do not run, nor do
 * those behind both; and then the plan works again. */
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

/* Several instances at once, behind one another on a queue; only the queue is
 * waited for. */
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

/* A function on a queue that would wait for a plan on queues, which may need
 * the queue slot or the thread that the function occupies: the wait fails. */
struct inner {
	plait_plan *plan;
	plait_status called, waited;
	plait_error error;
	uint32_t times;
};

static int32_t run_inner(void *user_data)
{
	struct inner *inner = user_data;
	plait_run *run = NULL;

	inner->times++;
	inner->error.size = sizeof(inner->error);
	inner->called = plait_plan_call(inner->plan, NULL, NULL,
					&inner->error);
	inner->waited = plait_plan_run(inner->plan, rig.queue, NULL, &run,
				       NULL);
	if (inner->waited == PLAIT_OK)
		inner->waited = plait_run_wait(run, PLAIT_FOREVER, NULL);
	plait_run_release(run);
	return 0;
}

static void check_inside(const struct place *place)
{
	plait_buffer *x = words_on(rig.device);
	struct inner inner = { .plan = NULL };
	plait_graph *graph = new_graph();
	plait_queue *other = NULL;

	(void)add_fill(graph, x, 9, NULL, 0);
	inner.plan = freeze_on(graph, place->lanes);
	OK(plait_queue_create(rig.device, NULL, &other, &rig.error) ==
	   PLAIT_OK);
	write_words(x, 1);
	OK(plait_queue_call(other, run_inner, &inner, &rig.error) == PLAIT_OK);
	OK(plait_queue_finish(other, PLAIT_FOREVER, &rig.error) == PLAIT_OK);
	IS_UINT(inner.times, 1);
	IS_INT(inner.called, PLAIT_E_DEADLOCK);
	HAS_STR(inner.error.text, "a host function must not wait");
	HAS_STR(inner.error.text, "start it by plait_plan_run");
	/* The inner run may have ended before the wait where other threads
	 * work. */
	if (inner.waited != PLAIT_OK || strcmp(place->backends, "chaos") == 0)
		IS_INT(inner.waited, PLAIT_E_DEADLOCK);
	OK(plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error) ==
	   PLAIT_OK);
	IS_UINT(read_words(x), 9);
	IS_INT(call_with(inner.plan, 0), PLAIT_OK);
	plait_plan_release(inner.plan);
	plait_queue_release(other);
	plait_buffer_release(x);
}

static void inside(void)
{
	each_place(SEEDS, check_inside);
}

static const struct tap_scenario all[] = {
	{ "inside a function", inside },
	{ "straight", straight },
	{ "edges", edges },
	{ "failure", failure },
	{ "overlap", overlap },
};
TAP_MAIN(all)
