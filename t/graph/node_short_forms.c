/* SPDX-License-Identifier: MIT */
/* Short forms of plait_graph_add: each builds the node that its descriptor
 * builds, rejects bad input and then leaves the graph unchanged. */
#include "plait/plait.h"

#include "lib/tap.h"

#include <string.h>

enum { COUNT = 16, BYTES = 4 * COUNT };

static const char scale_code[] = "KERNEL(scale) { EACH(i, n) x[i] *= by; }\n";
static const char count_code[] = "KERNEL(count) { EACH(i, 1) {\n"
				 "x[0] = x[0] - 1; x[1] = x[1] + 1; } }\n";
static plait_context *context;
static plait_device *device;
static plait_buffer *a, *b;
static plait_kernel *scale, *step;
static plait_signal *signal, *gate;
static plait_error error = { .size = sizeof(error) };

static plait_buffer *new_buffer(void)
{
	const plait_buffer_desc desc = { .size = sizeof(desc),
					 .bytes = BYTES };
	plait_buffer *buffer = NULL;

	IS_INT(plait_buffer_create(device, &desc, &buffer, &error), PLAIT_OK);
	return buffer;
}

static plait_signal *new_signal(uint32_t flags)
{
	const plait_signal_desc desc = { .size = sizeof(desc),
					 .flags = flags };
	plait_signal *made = NULL;

	IS_INT(plait_signal_create(device, &desc, &made, &error), PLAIT_OK);
	return made;
}

static plait_graph *new_graph(void)
{
	plait_graph *graph = NULL;

	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	return graph;
}

static void set_words(plait_buffer *buffer, const uint32_t *words)
{
	void *memory;

	IS_INT(plait_buffer_map(buffer, 0, BYTES, PLAIT_MAP_WRITE, &memory,
				&error), PLAIT_OK);
	memcpy(memory, words, BYTES);
	IS_INT(plait_buffer_unmap(buffer, memory, &error), PLAIT_OK);
}

static uint32_t word_of(plait_buffer *buffer, int index)
{
	uint32_t words[COUNT];
	void *memory;

	IS_INT(plait_buffer_map(buffer, 0, BYTES, PLAIT_MAP_READ, &memory,
				&error), PLAIT_OK);
	memcpy(words, memory, BYTES);
	IS_INT(plait_buffer_unmap(buffer, memory, &error), PLAIT_OK);
	return words[index];
}

static void run(plait_graph *graph)
{
	plait_freeze_desc desc = { .size = sizeof(desc),
				   .flags = PLAIT_FREEZE_CHECK };
	plait_plan *plan;

	if (!IS_INT(plait_graph_freeze(graph, &desc, &plan, &error), PLAIT_OK))
		NOTE("%s", error.text);
	else if (!IS_INT(plait_plan_call(plan, NULL, NULL, &error), PLAIT_OK))
		NOTE("%s", error.text);
	plait_plan_release(plan);
}

static int32_t add_one(void *user_data)
{
	++*(int *)user_data;
	return 0;
}

/* ---- built nodes ---- */

static void test_chain(void)
{
	const plait_rows rows = { .size = sizeof(rows), .rows = 2,
				  .target_row = 16, .source_row = 12 };
	const uint32_t n = COUNT, by = 3;
	plait_graph *graph = new_graph();
	plait_node last = 0, other = 0, both[2];
	uint64_t nodes, edges;
	int calls = 0;

	IS_INT(plait_graph_fill(graph, a, 0, BYTES, 7, 4, 0, &last, &error),
	       PLAIT_OK);
	IS_INT(plait_graph_fill(graph, b, 0, BYTES, 5, 4, 0, &other, &error),
	       PLAIT_OK);
	IS_INT(plait_graph_launch(graph, scale, PLAIT_ITEMS(COUNT),
				  PLAIT_ARGUMENTS(PLAIT_BUFFER(a),
						  PLAIT_VALUE(by),
						  PLAIT_VALUE(n)),
				  last, &last, &error), PLAIT_OK);
	both[0] = last;
	both[1] = other;
	IS_INT(plait_graph_join(graph, both, 2, &last, &error), PLAIT_OK);
	IS_INT(plait_graph_copy(graph, b, 4, a, 0, 4, last, &last, &error),
	       PLAIT_OK);
	IS_INT(plait_graph_copy_rows(graph, b, 8, a, 0, 4, &rows, last, &last,
				     &error), PLAIT_OK);
	IS_INT(plait_graph_call(graph, add_one, &calls, last, &last, &error),
	       PLAIT_OK);
	IS_INT(plait_graph_emit(graph, signal, last, &last, &error),
	       PLAIT_OK);
	IS_INT(plait_graph_wait(graph, gate, 1, last, &last, &error),
	       PLAIT_OK);
	IS_INT(plait_graph_mark(graph, "the end", last, NULL, &error),
	       PLAIT_OK);
	IS_INT(plait_graph_size(graph, &nodes, &edges, &error), PLAIT_OK);
	IS_INT(nodes, 10);
	IS_INT(edges, 9);
	IS_INT(plait_signal_raise(gate, 1, &error), PLAIT_OK);
	run(graph);
	IS_INT(calls, 1);
	IS_INT(word_of(a, 3), 21);
	IS_INT(word_of(b, 0), 5);
	IS_INT(word_of(b, 1), 21);
	IS_INT(word_of(b, 2), 21);
	IS_INT(word_of(b, 3), 5);
	IS_INT(word_of(b, 6), 21);
	plait_graph_release(graph);
}

static void test_subgraph(void)
{
	plait_graph *inner = new_graph(), *graph = new_graph();
	plait_node first;
	int calls = 0;

	IS_INT(plait_graph_call(inner, add_one, &calls, 0, NULL, &error),
	       PLAIT_OK);
	IS_INT(plait_graph_subgraph(graph, inner, 0, &first, &error),
	       PLAIT_OK);
	IS_INT(plait_graph_subgraph(graph, inner, first, NULL, &error),
	       PLAIT_OK);
	run(graph);
	IS_INT(calls, 2);
	plait_graph_release(inner);
	plait_graph_release(graph);
}

static void add_step(plait_graph *body)
{
	if (!IS_INT(plait_graph_launch(body, step, NULL,
				       PLAIT_ARGUMENTS(PLAIT_BUFFER(a)), 0,
				       NULL, &error), PLAIT_OK))
		NOTE("%s", error.text);
	plait_graph_release(body);
}

/* The word of `a` counts down, the next one counts the iterations. */
static void test_loops(void)
{
	const uint32_t four[COUNT] = { 4 }, one[COUNT] = { 1 };
	plait_graph *graph = new_graph(), *body = NULL;
	plait_node node = 0;

	IS_INT(plait_graph_while(graph, a, 0, 10, 0, &body, &node, &error),
	       PLAIT_OK);
	OK(node != 0);
	add_step(body);
	set_words(a, four);
	run(graph);
	IS_INT(word_of(a, 1), 4);
	plait_graph_release(graph);

	graph = new_graph();
	IS_INT(plait_graph_do(graph, a, 0, 0, 0, &body, NULL, &error),
	       PLAIT_OK);
	add_step(body);
	set_words(a, one);
	run(graph);
	IS_INT(word_of(a, 1), 1);
	plait_graph_release(graph);
}

static void test_case(void)
{
	const uint32_t words[COUNT] = { 2 };
	plait_graph *graph = new_graph(), *bodies[3];
	int calls[3] = { 0 };

	IS_INT(plait_graph_case(graph, a, 0, 3, 0, bodies, NULL, &error),
	       PLAIT_OK);
	for (int i = 0; i < 3; i++) {
		IS_INT(plait_graph_call(bodies[i], add_one, &calls[i], 0, NULL,
					&error), PLAIT_OK);
		plait_graph_release(bodies[i]);
	}
	set_words(a, words);
	run(graph);
	IS_INT(calls[0] + calls[1], 0);
	IS_INT(calls[2], 1);
	plait_graph_release(graph);
}

static void test_parameter(void)
{
	plait_graph *graph = new_graph();
	uint32_t n = COUNT, by = 9, number;
	plait_plan *plan;
	plait_node last;

	IS_INT(plait_graph_fill(graph, a, 0, BYTES, 2, 4, 0, &last, &error),
	       PLAIT_OK);
	IS_INT(plait_graph_launch(graph, scale, PLAIT_ITEMS(4, 4),
				  PLAIT_ARGUMENTS(PLAIT_BUFFER_AT(a, 0),
						  PLAIT_PARAMETER("by"),
						  PLAIT_VALUE(n)),
				  last, NULL, &error), PLAIT_OK);
	IS_INT(plait_graph_freeze(graph, NULL, &plan, &error), PLAIT_OK);
	IS_INT(plait_plan_find_parameter(plan, "by", &number, &error), PLAIT_OK);
	IS_INT(plait_plan_call(plan, NULL,
			       PLAIT_BINDINGS(PLAIT_BIND_VALUE(number, by)),
			       &error), PLAIT_OK);
	IS_INT(word_of(a, COUNT - 1), 18);
	plait_plan_release(plan);
	plait_graph_release(graph);
}

/* ---- rejections ---- */

/* The call failed with a text that has `what`; nothing was added. */
static void is_refused(plait_graph *graph, plait_status status,
		       plait_status expected, plait_node node,
		       const char *what)
{
	uint64_t nodes = 1;

	IS_INT(status, expected);
	if (!OK(strstr(error.text, what) != NULL))
		NOTE("%s", error.text);
	IS_INT(node, 0);
	IS_INT(plait_graph_size(graph, &nodes, NULL, NULL), PLAIT_OK);
	IS_INT(nodes, 0);
}

/* `call` sets node: read after it. */
#define REFUSE(expected, what, call) do { \
	plait_node node = 1; \
	plait_status got; \
	error.text[0] = '\0'; \
	got = call; \
	is_refused(graph, got, expected, node, what); \
} while (0)

static void test_refused(void)
{
	plait_graph *graph = new_graph();

	REFUSE(PLAIT_E_INVALID, "after is null",
	       plait_graph_join(graph, NULL, 1, &node, &error));
	REFUSE(PLAIT_E_HANDLE, "kernel",
	       plait_graph_launch(graph, NULL, NULL, NULL, 0, 0, &node,
				  &error));
	REFUSE(PLAIT_E_INVALID, "arguments",
	       plait_graph_launch(graph, scale, NULL, NULL, 0, 0, &node,
				  &error));
	REFUSE(PLAIT_E_INVALID, "not a node of this graph",
	       plait_graph_call(graph, add_one, NULL, 12345, &node, &error));
	REFUSE(PLAIT_E_INVALID, "function is null",
	       plait_graph_call(graph, NULL, NULL, 0, &node, &error));
	REFUSE(PLAIT_E_INVALID, "the target has 60",
	       plait_graph_copy(graph, a, 4, b, 0, BYTES, 0, &node, &error));
	REFUSE(PLAIT_E_HANDLE, "source",
	       plait_graph_copy(graph, a, 0, NULL, 0, 4, 0, &node, &error));
	REFUSE(PLAIT_E_INVALID, "rows is null",
	       plait_graph_copy_rows(graph, a, 0, b, 0, 4, NULL, 0, &node,
				     &error));
	REFUSE(PLAIT_E_INVALID, "pattern",
	       plait_graph_fill(graph, a, 0, 4, 1, 3, 0, &node, &error));
	REFUSE(PLAIT_E_INVALID, "gate",
	       plait_graph_emit(graph, gate, 0, &node, &error));
	REFUSE(PLAIT_E_HANDLE, "signal",
	       plait_graph_wait(graph, NULL, 0, 0, &node, &error));
	REFUSE(PLAIT_E_INVALID, "not a node of this graph",
	       plait_graph_mark(graph, "m", 12345, &node, &error));
	REFUSE(PLAIT_E_HANDLE, "graph",
	       plait_graph_subgraph(graph, NULL, 0, &node, &error));
	plait_graph_release(graph);
}

static void test_refused_regions(void)
{
	uint64_t graphs = plait_live_count(PLAIT_OBJECT_GRAPH);
	plait_graph *graph = new_graph(), *body = graph;
	plait_graph *bodies[2] = { graph, graph };

	REFUSE(PLAIT_E_INVALID, "out_body is null",
	       plait_graph_while(graph, a, 0, 0, 0, NULL, &node, &error));
	REFUSE(PLAIT_E_INVALID, "aligned word",
	       plait_graph_while(graph, a, 2, 0, 0, &body, &node, &error));
	OK(body == NULL);
	body = graph;
	REFUSE(PLAIT_E_INVALID, "no predicate",
	       plait_graph_do(graph, NULL, 0, 0, 0, &body, &node, &error));
	OK(body == NULL);
	REFUSE(PLAIT_E_INVALID, "out_bodies is null",
	       plait_graph_case(graph, a, 0, 2, 0, NULL, &node, &error));
	REFUSE(PLAIT_E_INVALID, "1 to 65536",
	       plait_graph_case(graph, a, 0, 0, 0, bodies, &node, &error));
	REFUSE(PLAIT_E_INVALID, "1 to 65536",
	       plait_graph_case(graph, a, 0, UINT64_MAX, 0, bodies, &node,
				&error));
	REFUSE(PLAIT_E_INVALID, "not a node of this graph",
	       plait_graph_case(graph, a, 0, 2, 12345, bodies, &node,
				&error));
	OK(bodies[0] == NULL && bodies[1] == NULL);
	IS_INT(plait_graph_while(NULL, a, 0, 0, 0, &body, NULL, &error),
	       PLAIT_E_HANDLE);
	OK(body == NULL);
	IS_INT(plait_graph_launch(NULL, scale, NULL, NULL, 0, 0, NULL,
				  &error), PLAIT_E_HANDLE);
	plait_graph_release(graph);
	IS_INT(plait_live_count(PLAIT_OBJECT_GRAPH), graphs);
}

static void test_compile(void)
{
	plait_kernel *kernel = scale;

	IS_INT(plait_kernel_compile(context, "k(n: u32)", NULL, &kernel,
				    &error), PLAIT_E_INVALID);
	OK(kernel == NULL);
	IS_INT(plait_kernel_compile(context, NULL, scale_code, &kernel,
				    &error), PLAIT_E_INVALID);
	IS_INT(plait_kernel_compile(context, "other(n: u32)", scale_code,
				    &kernel, &error), PLAIT_E_INVALID);
	IS_INT(plait_kernel_compile(context, "k(n: u32)", scale_code, NULL,
				    &error), PLAIT_E_INVALID);
	IS_INT(plait_kernel_compile(NULL, "k(n: u32)", scale_code, &kernel,
				    &error), PLAIT_E_HANDLE);
}

static void set_up(void)
{
	IS_INT(plait_context_open(NULL, &context, &error), PLAIT_OK);
	IS_INT(plait_context_device(context, 0, &device, &error), PLAIT_OK);
	a = new_buffer();
	b = new_buffer();
	signal = new_signal(0);
	gate = new_signal(PLAIT_SIGNAL_GATE);
	if (!IS_INT(plait_kernel_compile(
			    context,
			    "scale(x: inout pointer u32, by: u32, n: u32)",
			    scale_code, &scale, &error), PLAIT_OK))
		NOTE("%s", error.text);
	IS_INT(plait_kernel_compile(context, "count(x: inout pointer u32)",
				    count_code, &step, &error), PLAIT_OK);
}

static void tear_down(void)
{
	plait_kernel_release(step);
	plait_kernel_release(scale);
	plait_signal_release(gate);
	plait_signal_release(signal);
	plait_buffer_release(b);
	plait_buffer_release(a);
	plait_context_release(context);
}

#define WITH(what)			\
	static void with_##what(void)	\
	{				\
		set_up();		\
		test_##what();		\
		tear_down();		\
	}
WITH(chain)
WITH(subgraph)
WITH(loops)
WITH(case)
WITH(parameter)
WITH(refused)
WITH(refused_regions)
WITH(compile)

static const struct tap_scenario scenarios[] = {
	{ "a chain of all kinds", with_chain },
	{ "subgraphs", with_subgraph },
	{ "loops", with_loops },
	{ "branches", with_case },
	{ "parameters", with_parameter },
	{ "bad nodes", with_refused },
	{ "bad loops and branches", with_refused_regions },
	{ "bad kernels", with_compile },
};
TAP_MAIN(scenarios)
