/* SPDX-License-Identifier: MIT */
/*
 * Unbound names of a plan that was read.  A call of the plan is refused, with
 * the name; a rehearsal of it calls nothing, so it needs nothing bound.
 */
#include "plait/plait.h"

#include "lib/tap.h"

#include <string.h>

enum { BYTES = 64 };

static plait_context *context;
static plait_device *device;
static plait_error error = { .size = sizeof(error) };
static unsigned called;

static int32_t work(void *const *arguments, const plait_launch *launch,
		    void *user_data)
{
	(void)arguments;
	(void)launch;
	(void)user_data;
	called++;
	return 0;
}

static int32_t once(void *user_data)
{
	(void)user_data;
	called++;
	return 0;
}

/* ---- plans of one node ---- */

/* The objects are released when the plan comes back. */
struct objects {
	plait_buffer *buffer;
	plait_signal *signal, *gate;
	plait_kernel *kernel;
	plait_inbox *inbox;
};

static void make_objects(struct objects *o)
{
	const plait_buffer_desc buffer = { .size = sizeof(buffer),
					   .bytes = BYTES, .label = "x" };
	const plait_signal_desc signal = { .size = sizeof(signal),
					   .label = "s" };
	const plait_signal_desc gate = { .size = sizeof(gate), .label = "g",
					 .flags = PLAIT_SIGNAL_GATE };
	const plait_kernel_desc kernel = {
		.size = sizeof(kernel), .function = work,
		.signature = "k(x: inout pointer f32)"
	};

	IS_INT(plait_buffer_create(device, &buffer, &o->buffer, &error), 0);
	IS_INT(plait_signal_create(device, &signal, &o->signal, &error), 0);
	IS_INT(plait_signal_create(device, &gate, &o->gate, &error), 0);
	IS_INT(plait_inbox_create(context, &o->inbox, &error), 0);
	IS_INT(plait_kernel_create(context, &kernel, &o->kernel, &error), 0);
}

static void release_objects(const struct objects *o)
{
	plait_buffer_release(o->buffer);
	plait_signal_release(o->signal);
	plait_signal_release(o->gate);
	plait_inbox_release(o->inbox);
	plait_kernel_release(o->kernel);
}

static plait_node_desc node_of(const struct objects *o, const char *kind,
			       const plait_argument *argument)
{
	plait_node_desc node = { .size = sizeof(node), .label = "f" };

	if (strcmp(kind, "emit") == 0) {
		node.kind = PLAIT_NODE_EMIT;
		node.signal = o->signal;
	} else if (strcmp(kind, "wait") == 0) {
		node.kind = PLAIT_NODE_WAIT;
		node.signal = o->gate;
		node.sequence = 1;
	} else if (strcmp(kind, "fill") == 0) {
		node.kind = PLAIT_NODE_FILL;
		node.target = o->buffer;
		node.pattern_bytes = 4;
		node.bytes = BYTES;
	} else if (strcmp(kind, "launch") == 0) {
		node.kind = PLAIT_NODE_LAUNCH;
		node.kernel = o->kernel;
		node.arguments = argument;
		node.argument_count = 1;
	} else {
		node.kind = strcmp(kind, "while") == 0 ? PLAIT_NODE_WHILE :
			    PLAIT_NODE_CALL;
		node.function = once;
		node.inbox = strcmp(kind, "inbox") == 0 ? o->inbox : NULL;
		node.flags = node.inbox == NULL ? PLAIT_CALL_ANY_THREAD : 0;
	}
	return node;
}

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

static plait_plan *plan_of(const char *kind)
{
	struct objects o = { .buffer = NULL };
	plait_argument argument = { .size = sizeof(argument),
				    .kind = PLAIT_ARGUMENT_BUFFER };
	plait_graph *graph = NULL;
	plait_node_desc node;
	plait_plan *plan;

	make_objects(&o);
	argument.buffer = o.buffer;
	node = node_of(&o, kind, &argument);
	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	if (!IS_INT(plait_graph_add(graph, &node, NULL, 0, NULL, &error),
		    PLAIT_OK))
		NOTE("%s: %s", kind, error.text);
	plan = read_back(graph);
	release_objects(&o);
	return plan;
}

/* ---- scenarios ---- */

static const struct {
	const char *kind, *unbound;
} kinds[] = {
	{ "emit", "signal \"s\" is not bound" },
	{ "wait", "signal \"g\" is not bound" },
	{ "fill", "buffer \"x\" is not bound" },
	{ "launch", "kernel \"k\" is not bound" },
	{ "call", "function \"f\" is not bound" },
	{ "inbox", "function \"f\" is not bound" },
	{ "while", "function \"f\" is not bound" },
};

static void call_is_refused(void)
{
	for (size_t i = 0; i < TAP_COUNT(kinds); i++) {
		plait_plan *plan = plan_of(kinds[i].kind);

		IS_INT(plait_plan_call(plan, NULL, NULL, &error),
		       PLAIT_E_STATE);
		HAS_STR(error.text, kinds[i].unbound);
		plait_plan_release(plan);
	}
	IS_UINT(called, 0);
}

static void rehearsal_needs_nothing(void)
{
	for (size_t i = 0; i < TAP_COUNT(kinds); i++) {
		plait_plan *plan = plan_of(kinds[i].kind);

		IS_INT(plait_plan_rehearse(plan, 0, &error), PLAIT_OK);
		for (int k = 0; k < 2; k++)
			if (!IS_INT(plait_plan_call(plan, NULL, NULL, &error),
				    PLAIT_OK))
				NOTE("%s: %s", kinds[i].kind, error.text);
		plait_plan_release(plan);
	}
	IS_UINT(called, 0);
}

/* The refused call has left no program behind. */
static void rehearsal_after_refusal(void)
{
	for (size_t i = 0; i < TAP_COUNT(kinds); i++) {
		plait_plan *plan = plan_of(kinds[i].kind);

		IS_INT(plait_plan_prepare(plan, &error), PLAIT_E_STATE);
		IS_INT(plait_plan_rehearse(plan, 0, &error), PLAIT_OK);
		IS_INT(plait_plan_call(plan, NULL, NULL, &error), PLAIT_OK);
		plait_plan_release(plan);
	}
	IS_UINT(called, 0);
}

/* A bound signal keeps its sequence in a rehearsal. */
static void rehearsal_emits_nothing(void)
{
	const plait_signal_desc desc = { .size = sizeof(desc) };
	plait_plan *plan = plan_of("emit");
	plait_signal *signal = NULL;
	uint64_t reached = 77;

	IS_INT(plait_signal_create(device, &desc, &signal, &error), PLAIT_OK);
	IS_INT(plait_plan_bind_signal(plan, "s", signal, &error), PLAIT_OK);
	IS_INT(plait_plan_rehearse(plan, 0, &error), PLAIT_OK);
	IS_INT(plait_plan_call(plan, NULL, NULL, &error), PLAIT_OK);
	IS_INT(plait_signal_query(signal, &reached, NULL, &error), PLAIT_OK);
	IS_UINT(reached, 0);
	plait_plan_release(plan);
	plait_signal_release(signal);
}

/* The flags of a coroutine's name say that it is one. */
static void coroutine(void)
{
	const plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_CALL,
		.flags = PLAIT_CALL_ANY_THREAD | PLAIT_CALL_COROUTINE |
			 PLAIT_CALL_FIRST_WORKER,
		.function = once, .label = "co"
	};
	plait_function_desc function = {
		.size = sizeof(function), .function = once,
		.flags = PLAIT_CALL_ANY_THREAD | PLAIT_CALL_COROUTINE,
	};
	plait_plan_binding name = { .size = sizeof(name) };
	static char bytes[1 << 16];
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;
	uint64_t count = 0;

	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	IS_INT(plait_graph_add(graph, &desc, NULL, 0, NULL, &error), PLAIT_OK);
	IS_INT(plait_graph_freeze(graph, NULL, &plan, &error), PLAIT_OK);
	IS_INT(plait_plan_write(plan, PLAIT_FORMAT_BINARY, bytes,
				sizeof(bytes), &count, &error), PLAIT_OK);
	plait_plan_release(plan);
	IS_INT(plait_plan_read(context, bytes, count, &plan, &error),
	       PLAIT_OK);
	IS_INT(plait_plan_query_binding(plan, 0, &name, &error), PLAIT_OK);
	IS_STR(name.name, "co");
	IS_UINT(name.flags, PLAIT_BINDING_IS_ANY_THREAD |
		PLAIT_BINDING_IS_COROUTINE | PLAIT_BINDING_IS_FIRST_WORKER);
	IS_INT(plait_plan_bind_function(plan, "co", &function, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "set PLAIT_CALL_FIRST_WORKER");
	function.flags |= PLAIT_CALL_FIRST_WORKER;
	IS_INT(plait_plan_bind_function(plan, "co", &function, &error),
	       PLAIT_OK);
	plait_plan_release(plan);
	plait_graph_release(graph);
}

static void run_with_context(void (*scenario)(void))
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .flags = PLAIT_CONTEXT_NO_WORKERS,
					  .backends = "host" };

	called = 0;
	if (!IS_INT(plait_context_open(&desc, &context, &error), PLAIT_OK))
		return;
	IS_INT(plait_context_device(context, 0, &device, &error), PLAIT_OK);
	scenario();
	plait_context_release(context);
	IS_INT(plait_live_count(PLAIT_OBJECT_PLAN), 0);
	IS_INT(plait_live_count(PLAIT_OBJECT_SIGNAL), 0);
}

#define WITH(name) static void with_##name(void) { run_with_context(name); }
WITH(call_is_refused)
WITH(rehearsal_needs_nothing)
WITH(rehearsal_after_refusal)
WITH(rehearsal_emits_nothing)
WITH(coroutine)

static const struct tap_scenario scenarios[] = {
	{ "a call is refused", with_call_is_refused },
	{ "a rehearsal needs nothing", with_rehearsal_needs_nothing },
	{ "a rehearsal after a refusal", with_rehearsal_after_refusal },
	{ "a rehearsal emits nothing", with_rehearsal_emits_nothing },
	{ "a coroutine", with_coroutine },
};
TAP_MAIN(scenarios)
