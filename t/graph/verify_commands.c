/* SPDX-License-Identifier: MIT */
/* Saved plans: read, bound to other objects than they were made with, and run;
 * and plans that must not be run with any binding. */
#include "plait/plait.h"

#include "graph/plan/plan_object.h"
#include "lib/tap.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 64, TIMES = 5 };

static plait_context *context;
static plait_device *device;
static plait_error error = { .size = sizeof(error) };

/* ---- functions ---- */

static int32_t add(void *const *arguments, const plait_launch *launch,
		   void *user_data)
{
	float *y = *(float **)arguments[1], a = *(float *)arguments[0];

	(void)user_data;
	for (uint64_t i = 0; i < launch->items[0]; i++)
		y[i] += a;
	return 0;
}

static int32_t count(void *user_data)
{
	++*(int *)user_data;
	return 0;
}

/* TIMES times, then no more. */
static int32_t go_on(void *user_data)
{
	return (*(int *)user_data)++ < TIMES;
}

/* ---- creation ---- */

static plait_buffer *new_buffer(const char *label)
{
	plait_buffer_desc desc = { .size = sizeof(desc),
				   .bytes = COUNT * sizeof(float),
				   .label = label };
	plait_buffer *buffer = NULL;

	IS_INT(plait_buffer_create(device, &desc, &buffer, &error), PLAIT_OK);
	return buffer;
}

static plait_kernel *new_kernel(void)
{
	plait_kernel_desc desc = {
		.size = sizeof(desc), .function = add,
		.signature = "add(a: f32, y: inout pointer f32)"
	};
	plait_kernel *kernel = NULL;

	IS_INT(plait_kernel_create(context, &desc, &kernel, &error),
	       PLAIT_OK);
	return kernel;
}

static plait_node put(plait_graph *graph, plait_node_desc desc,
		      const plait_node *after)
{
	plait_node node = 0;

	desc.size = sizeof(desc);
	if (!IS_INT(plait_graph_add(graph, &desc, after, after != NULL, &node,
				    &error), PLAIT_OK))
		NOTE("%s", error.text);
	return node;
}

/* fill x with 0; while go: add 2 to x; copy x to y; count. */
static void fill_graph(plait_graph *graph, plait_kernel *kernel,
		       plait_buffer *x, plait_buffer *y)
{
	const float two = 2;
	plait_launch launch = { .size = sizeof(launch), .items = { COUNT } };
	plait_argument arguments[2] = {
		{ .size = sizeof(arguments[0]), .value = &two, .bytes = 4 },
		{ .kind = PLAIT_ARGUMENT_BUFFER, .buffer = x },
	};
	int never = TIMES;
	plait_graph *body = NULL;
	plait_node node;

	node = put(graph, (plait_node_desc){
			.kind = PLAIT_NODE_FILL, .label = "clear",
			.target = x, .bytes = COUNT * sizeof(float),
			.pattern_bytes = 4 }, NULL);
	node = put(graph, (plait_node_desc){
			.kind = PLAIT_NODE_WHILE, .label = "loop",
			.function = go_on, .user_data = &never,
			.flags = PLAIT_CALL_ANY_THREAD }, &node);
	IS_INT(plait_graph_body(graph, node, 0, &body, &error), PLAIT_OK);
	put(body, (plait_node_desc){
			.kind = PLAIT_NODE_LAUNCH, .label = "step",
			.kernel = kernel, .launch = &launch,
			.arguments = arguments, .argument_count = 2 }, NULL);
	plait_graph_release(body);
	node = put(graph, (plait_node_desc){
			.kind = PLAIT_NODE_COPY, .label = "keep",
			.target = y, .source = x,
			.bytes = COUNT * sizeof(float) }, &node);
	put(graph, (plait_node_desc){
			.kind = PLAIT_NODE_CALL, .label = "count",
			.function = count, .user_data = &never,
			.flags = PLAIT_CALL_ANY_THREAD }, &node);
}

/* As another process loads it; releases the graph. */
static plait_plan *read_back(plait_graph *graph)
{
	plait_plan *plan = NULL, *again = NULL;
	char saved[16384];
	uint64_t bytes = 0;

	IS_INT(plait_graph_freeze(graph, NULL, &plan, &error), PLAIT_OK);
	IS_INT(plait_plan_write(plan, PLAIT_FORMAT_BINARY, saved,
				sizeof(saved), &bytes, &error), PLAIT_OK);
	plait_plan_release(plan);
	plait_graph_release(graph);
	IS_INT(plait_plan_read(context, saved, bytes, &again, &error),
	       PLAIT_OK);
	return again;
}

/* All objects that it was made with are gone when it comes back. */
static plait_plan *new_plan(void)
{
	plait_kernel *kernel = new_kernel();
	plait_buffer *x = new_buffer("x"), *y = new_buffer("y");
	plait_graph *graph = NULL;
	plait_plan *plan;

	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	fill_graph(graph, kernel, x, y);
	plan = read_back(graph);
	plait_kernel_release(kernel);
	plait_buffer_release(x);
	plait_buffer_release(y);
	return plan;
}

/* Binds objects to its names; returns y for inspection. */
static plait_buffer *bind_all(plait_plan *plan, int *turns, int *counted)
{
	plait_kernel *kernel = new_kernel();
	plait_buffer *x = new_buffer("in"), *y = new_buffer("out");
	plait_function_desc function = { .size = sizeof(function),
					 .flags = PLAIT_CALL_ANY_THREAD };

	IS_INT(plait_plan_bind_kernel(plan, kernel, &error), PLAIT_OK);
	IS_INT(plait_plan_bind_buffer(plan, "x", x, &error), PLAIT_OK);
	IS_INT(plait_plan_bind_buffer(plan, "y", y, &error), PLAIT_OK);
	function.function = go_on;
	function.user_data = turns;
	IS_INT(plait_plan_bind_function(plan, "loop", &function, &error),
	       PLAIT_OK);
	function.function = count;
	function.user_data = counted;
	IS_INT(plait_plan_bind_function(plan, "count", &function, &error),
	       PLAIT_OK);
	plait_kernel_release(kernel);
	plait_buffer_release(x);
	return y;
}

/* Its effect becomes visible only now. */
static void read_only_memory(void)
{
	static float words[COUNT];
	const plait_wrap_desc desc = { .size = sizeof(desc),
				       .flags = PLAIT_WRAP_READ_ONLY,
				       .pointer = words, .label = "still",
				       .bytes = sizeof(words) };
	plait_plan *plan = new_plan();
	plait_buffer *still = NULL;

	IS_INT(plait_buffer_wrap(device, &desc, &still, &error), PLAIT_OK);
	for (int i = 0; i < 2; i++) {
		IS_INT(plait_plan_bind_buffer(plan, i == 0 ? "x" : "y", still,
					      &error), PLAIT_E_INVALID);
		HAS_STR(error.text, "\"still\"");
		HAS_STR(error.text, "read-only");
	}
	plait_buffer_release(still);
	IS_INT(plait_live_count(PLAIT_OBJECT_BUFFER), 0);
	plait_plan_release(plan);
}

static void runs_again(void)
{
	plait_plan *plan = new_plan();
	int turns = 0, counted = 0;
	plait_buffer *y;
	float *got = NULL;

	IS_INT(plait_plan_call(plan, NULL, NULL, &error), PLAIT_E_STATE);
	HAS_STR(error.text, "is not bound");
	y = bind_all(plan, &turns, &counted);
	for (int i = 1; i <= 3; i++) {
		turns = 0;
		if (!IS_INT(plait_plan_call(plan, NULL, NULL, &error),
			    PLAIT_OK))
			NOTE("%s", error.text);
		IS_INT(turns, TIMES + 1);
		IS_INT(counted, i);
	}
	IS_INT(plait_plan_bind_buffer(plan, "y", y, &error), PLAIT_E_STATE);
	plait_plan_release(plan);
	IS_INT(plait_buffer_map(y, 0, COUNT * sizeof(float), PLAIT_MAP_READ,
				(void **)&got, &error), PLAIT_OK);
	OK(got != NULL && got[0] == 2 * TIMES && got[COUNT - 1] == 2 * TIMES);
	IS_INT(plait_buffer_unmap(y, got, &error), PLAIT_OK);
	plait_buffer_release(y);
}

/* ---- rejected plans ---- */

static plait_status prepare_text(const char *text)
{
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;
	plait_status status;

	IS_INT(plait_graph_read(context, text, strlen(text), "t", &graph,
				&error), PLAIT_OK);
	IS_INT(plait_graph_freeze(graph, NULL, &plan, &error), PLAIT_OK);
	plait_graph_release(graph);
	status = plait_plan_call(plan, NULL, NULL, &error);
	plait_plan_release(plan);
	return status;
}

/* Nodes of a text take their place; its loops have no predicate. */
static void texts(void)
{
	IS_INT(prepare_text("node a\nnode b after=a scratch=8\n"), PLAIT_OK);
	IS_INT(prepare_text(""), PLAIT_OK);
	IS_INT(prepare_text("node a\nwhile w times=2 after=a\nnode b\nend\n"),
	       PLAIT_E_UNSUPPORTED);
	HAS_STR(error.text, "\"w\" has no predicate");
	IS_INT(prepare_text("device gpu lanes=1\nnode a\n"), PLAIT_E_STATE);
	HAS_STR(error.text, "device \"gpu\" is not bound");
}

static plait__plan *schedule_of(plait_plan *plan)
{
	plait__plan_object *frozen = NULL;
	plait__plan *schedule = NULL;

	if (IS_INT(plait__plan_object_enter(plan, &frozen, &error), PLAIT_OK)) {
		schedule = frozen->plan;
		plait__object_leave(&frozen->object);
	}
	return schedule;
}

static plait__plan_payload *payload_of(plait__plan *plan, uint8_t kind)
{
	for (uint32_t i = 0; i < plan->command_count; i++)
		if (plan->commands[i].kind == kind)
			return &plan->payloads[plan->commands[i].link];
	return NULL;
}

/* A file may contain this, and pass every check of a plan's structure. */
#define LIES(place, value, why) \
	do { \
		__typeof__(place) kept = (place); \
		(place) = (value); \
		IS_INT(plait_plan_prepare(plan, &error), PLAIT_E_INVALID); \
		HAS_STR(error.text, why); \
		(place) = kept; \
	} while (0)

static void lies(void)
{
	static const char unfit[] = "does not fit its kernel, function or";
	plait_plan *plan = new_plan();
	int turns = 0, counted = 0;
	plait_buffer *y = bind_all(plan, &turns, &counted);
	plait__plan *s = schedule_of(plan);
	plait__plan_payload *launch = payload_of(s, PLAIT__CMD_LAUNCH);
	plait__plan_payload *copy = payload_of(s, PLAIT__CMD_COPY);
	plait__plan_payload *fill = payload_of(s, PLAIT__CMD_FILL);
	plait__plan_payload *call = payload_of(s, PLAIT__CMD_HOST);
	plait__plan_arg *args = &s->args[launch->arg_first];
	plait__plan_access *accesses = s->accesses;

	LIES(args[1].offset, 2, unfit);
	LIES(s->args[copy->arg_first].index,
	     s->args[copy->arg_first + 1].index, unfit);
	/* Each use of memory, and each write, is an access. */
	for (uint32_t i = 0; i < s->accesses_count; i++)
		LIES(accesses[i].object, 77, "does not state as an access");
	LIES(accesses[0].mode, PLAIT__ACCESS_READ, "does not state");
	LIES(launch->arg_count, 1, unfit);
	LIES(launch->geometry, PLAIT__NONE, unfit);
	LIES(launch->kernel, PLAIT__NONE, unfit);
	LIES(args[0].bytes, 2, unfit);
	LIES(args[0].blob, UINT32_MAX - 3, unfit);
	LIES(args[0].kind, PLAIT__ARG_MEMORY, unfit);
	LIES(args[1].kind, PLAIT__ARG_VALUE, unfit);
	LIES(args[1].offset, COUNT * sizeof(float) + 1, unfit);
	LIES(copy->bytes, COUNT * sizeof(float) + 1, unfit);
	LIES(copy->bytes, UINT64_MAX, unfit);
	LIES(copy->arg_count, 1, unfit);
	LIES(fill->small, 3, unfit);
	LIES(fill->bytes, UINT64_MAX - 3, unfit);
	LIES(s->functions[call->object].flags, 0, unfit);
	LIES(s->payloads[s->regions[0].predicate].object, PLAIT__NONE,
	     "has a predicate that is neither a word");
	IS_INT(counted, 0);
	if (!IS_INT(plait_plan_prepare(plan, &error), PLAIT_OK))
		NOTE("%s", error.text);
	plait_plan_release(plan);
	plait_buffer_release(y);
}

/* A copy of 3 rows, of 8 bytes, 12 from one to the next. */
static plait_plan *plan_of_rows(plait_buffer *x, plait_buffer *y)
{
	const plait_rows rows = { .size = sizeof(rows), .rows = 3,
				  .target_row = 12, .source_row = 12 };
	plait_graph *graph = NULL;
	plait_plan *plan;

	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	put(graph, (plait_node_desc){ .kind = PLAIT_NODE_COPY, .target = y,
				      .source = x, .bytes = 8, .rows = &rows,
				      .label = "rows" }, NULL);
	plan = read_back(graph);
	IS_INT(plait_plan_bind_buffer(plan, "x", x, &error), PLAIT_OK);
	IS_INT(plait_plan_bind_buffer(plan, "y", y, &error), PLAIT_OK);
	return plan;
}

static void lies_of_rows(void)
{
	static const char unfit[] = "does not fit its kernel, function or";
	plait_buffer *x = new_buffer("x"), *y = new_buffer("y");
	plait_plan *plan = plan_of_rows(x, y);
	plait__plan *s = schedule_of(plan);
	plait__plan_payload *copy = payload_of(s, PLAIT__CMD_COPY);
	plait__plan_arg *arg = &s->args[copy->arg_first + 2];
	plait_work_rows *rows = (void *)(s->blob + arg->blob);

	IS_UINT(copy->arg_count, 3);
	LIES(copy->value, 4, unfit);
	LIES(copy->bytes, 0, unfit);
	LIES(copy->bytes, 13, unfit);
	LIES(arg->kind, PLAIT__ARG_MEMORY, unfit);
	LIES(arg->bytes, 48, unfit);
	LIES(arg->blob, arg->blob + 4, unfit);
	LIES(arg->blob, UINT32_MAX - 7, unfit);
	LIES(rows->size, 64, unfit);
	LIES(rows->rows, 0, unfit);
	LIES(rows->rows, 1000, unfit);
	LIES(rows->slices, 0, unfit);
	LIES(rows->slices, UINT64_MAX, unfit);
	LIES(rows->target_row, 7, unfit);
	LIES(rows->target_row, UINT64_MAX, unfit);
	LIES(rows->source_row, COUNT * sizeof(float), unfit);
	LIES(rows->source_slice, 35, unfit);
	LIES(rows->target_slice, 37, unfit);
	LIES(s->args[copy->arg_first].index,
	     s->args[copy->arg_first + 1].index, unfit);
	IS_INT(plait_plan_prepare(plan, &error), PLAIT_OK);
	plait_plan_release(plan);
	plait_buffer_release(x);
	plait_buffer_release(y);
}

static void run_with_context(void (*scenario)(void))
{
	plait_context_desc desc = { .size = sizeof(desc),
				    .flags = PLAIT_CONTEXT_NO_WORKERS,
				    .backends = "host" };

	if (!IS_INT(plait_context_open(&desc, &context, &error), PLAIT_OK))
		return;
	IS_INT(plait_context_device(context, 0, &device, &error), PLAIT_OK);
	scenario();
	plait_context_release(context);
	IS_INT(plait_live_count(PLAIT_OBJECT_PLAN), 0);
	IS_INT(plait_live_count(PLAIT_OBJECT_BUFFER), 0);
}

#define WITH(name) static void with_##name(void) { run_with_context(name); }
WITH(read_only_memory)
WITH(runs_again)
WITH(texts)
WITH(lies)
WITH(lies_of_rows)

static const struct tap_scenario scenarios[] = {
	{ "read-only memory", with_read_only_memory },
	{ "runs again", with_runs_again },
	{ "texts", with_texts },
	{ "lies", with_lies },
	{ "lies of rows", with_lies_of_rows },
};
TAP_MAIN(scenarios)
