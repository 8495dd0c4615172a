/* SPDX-License-Identifier: MIT */
/*
 * Objects of another backend than the device that a node runs on.  A text or a
 * file names that device, so plait_graph_add cannot refuse them: the first run
 * does, with the node, the object and both devices.
 */
#include "plait/plait.h"

#include "lib/tap.h"

#include <stdio.h>
#include <string.h>

enum { BYTES = 64 };

static plait_context *context;
static plait_error error = { .size = sizeof(error) };
static unsigned called;

/* The objects on each of two backends. */
struct side {
	const char *name;
	plait_device *device;
	plait_buffer *buffer, *other;
	plait_signal *signal, *gate;
};

static struct side sides[] = { { .name = "host:0" }, { .name = "chaos:0" } };
static plait_kernel *kernel;
static plait_inbox *inbox;

static int32_t work(void *const *arguments, const plait_launch *launch,
		    void *user_data)
{
	(void)arguments;
	(void)launch;
	(void)user_data;
	called++;
	return 0;
}

/* ---- objects ---- */

static plait_buffer *new_buffer(const struct side *side, const char *label)
{
	const plait_buffer_desc desc = { .size = sizeof(desc), .bytes = BYTES,
					 .label = label };
	plait_buffer *buffer = NULL;
	plait_queue *queue = NULL;

	IS_INT(plait_buffer_create(side->device, &desc, &buffer, &error), 0);
	IS_INT(plait_queue_create(side->device, NULL, &queue, &error), 0);
	IS_INT(plait_queue_fill(queue, buffer, 0, BYTES, 0, 1, &error), 0);
	IS_INT(plait_queue_finish(queue, PLAIT_FOREVER, &error), 0);
	plait_queue_release(queue);
	return buffer;
}

static void make(struct side *side)
{
	const plait_signal_desc signal = { .size = sizeof(signal),
					   .label = "s" };
	const plait_signal_desc gate = { .size = sizeof(gate), .label = "g",
					 .flags = PLAIT_SIGNAL_GATE };

	IS_INT(plait_context_find_device(context, side->name, &side->device,
					 &error), PLAIT_OK);
	side->buffer = new_buffer(side, "x");
	side->other = new_buffer(side, "y");
	IS_INT(plait_signal_create(side->device, &signal, &side->signal,
				   &error), PLAIT_OK);
	IS_INT(plait_signal_create(side->device, &gate, &side->gate, &error),
	       PLAIT_OK);
	IS_INT(plait_signal_raise(side->gate, 1, &error), PLAIT_OK);
}

static void unmake(struct side *side)
{
	plait_buffer_release(side->buffer);
	plait_buffer_release(side->other);
	plait_signal_release(side->signal);
	plait_signal_release(side->gate);
}

/* ---- nodes ---- */

/* The node that uses the objects of a side.  `refused`: part of the error if
 * the node is added to a graph that a text has put on the other side; null: the
 * node goes where its buffer is, or belongs to no backend. */
static const struct {
	const char *what, *refused;
	plait_node_kind kind;
} cases[] = {
	{ "launch", NULL, PLAIT_NODE_LAUNCH },
	{ "emit", "signal \"s\" is of ", PLAIT_NODE_EMIT },
	{ "wait", "signal \"g\" is of ", PLAIT_NODE_WAIT },
	{ "copy", NULL, PLAIT_NODE_COPY },
	{ "fill", NULL, PLAIT_NODE_FILL },
	{ "case", NULL, PLAIT_NODE_CASE },
	{ "call", NULL, PLAIT_NODE_CALL },
	{ "inbox", NULL, PLAIT_NODE_CALL },
};

static int32_t once(void *user_data)
{
	(void)user_data;
	called++;
	return 0;
}

static plait_node_desc node_of(size_t i, const struct side *side,
			       const plait_argument *argument)
{
	plait_node_desc node = { .size = sizeof(node), .kind = cases[i].kind,
				 .label = cases[i].what };

	switch (node.kind) {
	case PLAIT_NODE_LAUNCH:
		node.kernel = kernel;
		node.arguments = argument;
		node.argument_count = 1;
		break;
	case PLAIT_NODE_EMIT:
		node.signal = side->signal;
		break;
	case PLAIT_NODE_WAIT:
		node.signal = side->gate;
		node.sequence = 1;
		break;
	case PLAIT_NODE_COPY:
		node.source = side->other;
		node.target = side->buffer;
		node.bytes = BYTES;
		break;
	case PLAIT_NODE_FILL:
		node.target = side->buffer;
		node.bytes = BYTES;
		node.pattern_bytes = 1;
		break;
	case PLAIT_NODE_CASE:
		node.predicate = side->buffer;
		node.branch_count = 2;
		break;
	default:
		node.function = once;
		if (strcmp(cases[i].what, "inbox") == 0)
			node.inbox = inbox;
		else
			node.flags = PLAIT_CALL_ANY_THREAD;
	}
	return node;
}

/* The text names the graph's first device, where a node goes that has no
 * buffer. */
static plait_plan *plan_from_text(const struct side *on,
				  const plait_node_desc *node)
{
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;
	char text[128];

	snprintf(text, sizeof(text), "device %s lanes=1\nnode a device=%s\n",
		 on->name, on->name);
	IS_INT(plait_graph_read(context, text, strlen(text), NULL, &graph,
				&error), PLAIT_OK);
	if (!IS_INT(plait_graph_add(graph, node, NULL, 0, NULL, &error),
		    PLAIT_OK))
		NOTE("%s: %s", node->label, error.text);
	IS_INT(plait_graph_freeze(graph, NULL, &plan, &error), PLAIT_OK);
	plait_graph_release(graph);
	return plan;
}

static void call(plait_plan *plan, const char *what, const char *refused,
		 const struct side *on)
{
	plait_status status = plait_plan_call(plan, NULL, NULL, &error);

	if (refused == NULL) {
		if (!IS_INT(status, PLAIT_OK))
			NOTE("%s on %s: %s", what, on->name, error.text);
		return;
	}
	if (!IS_INT(status, PLAIT_E_UNSUPPORTED))
		NOTE("%s on %s", what, on->name);
	HAS_STR(error.text, what);
	HAS_STR(error.text, refused);
	HAS_STR(error.text, on->name);
}

/* ---- scenarios ---- */

static void texts_take_their_own(void)
{
	for (size_t i = 0; i < TAP_COUNT(cases); i++)
		for (int k = 0; k < 4; k++) {
			const struct side *on = &sides[k & 1];
			const struct side *of = &sides[k >> 1];
			plait_argument argument = PLAIT_BUFFER(of->buffer);
			plait_node_desc node = node_of(i, of, &argument);
			plait_plan *plan = plan_from_text(on, &node);

			call(plan, cases[i].what,
			     on == of ? NULL : cases[i].refused, on);
			plait_plan_release(plan);
		}
}

static plait_plan *saved_plan(const plait_node_desc *node)
{
	plait_graph *graph = NULL;
	plait_plan *plan = NULL, *again = NULL;
	char saved[16384];
	uint64_t bytes = 0;

	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	IS_INT(plait_graph_add(graph, node, NULL, 0, NULL, &error), PLAIT_OK);
	IS_INT(plait_graph_freeze(graph, NULL, &plan, &error), PLAIT_OK);
	IS_INT(plait_plan_write(plan, PLAIT_FORMAT_BINARY, saved,
				sizeof(saved), &bytes, &error), PLAIT_OK);
	plait_plan_release(plan);
	plait_graph_release(graph);
	IS_INT(plait_plan_read(context, saved, bytes, &again, &error),
	       PLAIT_OK);
	return again;
}

/* Bind what the plan names, and its one device, "host:0", to `on`.  Returns
 * the status that refuses. */
static plait_status bind_all(plait_plan *plan, const struct side *on,
			     const struct side *of)
{
	const plait_function_desc any = { .size = sizeof(any),
					  .function = once,
					  .flags = PLAIT_CALL_ANY_THREAD };
	const plait_function_desc owner = { .size = sizeof(owner),
					    .function = once, .inbox = inbox };
	plait_plan_binding at = { .size = sizeof(at) };
	plait_status status = plait_plan_bind_device(plan, "host:0",
						     on->device, &error);

	for (uint32_t i = 0; status == PLAIT_OK &&
	     plait_plan_query_binding(plan, i, &at, NULL) == PLAIT_OK; i++) {
		if (at.kind == PLAIT_BINDING_KERNEL)
			status = plait_plan_bind_kernel(plan, kernel, &error);
		else if (at.kind == PLAIT_BINDING_BUFFER)
			status = plait_plan_bind_buffer(
				plan, at.name, at.name[0] == 'x' ?
				of->buffer : of->other, &error);
		else if (at.kind == PLAIT_BINDING_SIGNAL)
			status = plait_plan_bind_signal(
				plan, at.name, at.name[0] == 's' ?
				of->signal : of->gate, &error);
		else if (at.kind == PLAIT_BINDING_FUNCTION)
			status = plait_plan_bind_function(
				plan, at.name,
				at.flags & PLAIT_BINDING_IS_ANY_THREAD ?
				&any : &owner, &error);
	}
	return status;
}

static void saved_plans_take_their_own(void)
{
	for (size_t i = 0; i < TAP_COUNT(cases); i++)
		for (int k = 0; k < 4; k++) {
			const struct side *on = &sides[k & 1];
			const struct side *of = &sides[k >> 1];
			plait_argument argument =
				PLAIT_BUFFER(sides[0].buffer);
			plait_node_desc node = node_of(i, &sides[0],
						       &argument);
			plait_plan *plan = saved_plan(&node);
			bool refused = false;

			/* The plan's buffers and signals are on its device. */
			if (bind_all(plan, on, of) != PLAIT_OK) {
				refused = true;
				HAS_STR(error.text, "backend");
			} else {
				call(plan, cases[i].what, NULL, on);
			}
			if (!OK(refused == (on != of && node.kind !=
					    PLAIT_NODE_CALL)))
				NOTE("%s on %s", cases[i].what, on->name);
			plait_plan_release(plan);
		}
}

/* The signal's device is one name of the plan, the node's another. */
static void a_plan_of_two_devices(void)
{
	const plait_context_desc two = { .size = sizeof(two),
					 .flags = PLAIT_CONTEXT_NO_WORKERS,
					 .backends = "host",
					 .options = "host:devices=2" };
	const plait_signal_desc desc = { .size = sizeof(desc), .label = "s" };
	plait_node_desc node = { .size = sizeof(node), .label = "emit",
				 .kind = PLAIT_NODE_EMIT };
	plait_context *ours = context, *other = NULL;
	plait_device *first = NULL;
	plait_plan *plan;
	char saved[16384];
	uint64_t bytes = 0;

	IS_INT(plait_context_open(&two, &other, &error), PLAIT_OK);
	IS_INT(plait_context_device(other, 0, &first, &error), PLAIT_OK);
	IS_INT(plait_context_device(other, 1, &node.device, &error), PLAIT_OK);
	IS_INT(plait_signal_create(first, &desc, &node.signal, &error),
	       PLAIT_OK);
	context = other;
	plan = saved_plan(&node);
	context = ours;
	IS_INT(plait_plan_write(plan, PLAIT_FORMAT_BINARY, saved,
				sizeof(saved), &bytes, &error), PLAIT_OK);
	plait_plan_release(plan);
	plait_signal_release(node.signal);
	plait_context_release(other);
	IS_INT(plait_plan_read(context, saved, bytes, &plan, &error),
	       PLAIT_OK);
	IS_INT(plait_plan_bind_device(plan, "host:0", sides[1].device, &error),
	       PLAIT_OK);
	IS_INT(plait_plan_bind_device(plan, "host:1", sides[0].device, &error),
	       PLAIT_OK);
	IS_INT(plait_plan_bind_signal(plan, "s", sides[1].signal, &error),
	       PLAIT_OK);
	call(plan, "emit", "signal \"s\" is of chaos:0", &sides[0]);
	plait_plan_release(plan);
}

/* A launch takes memory of its own backend alone, also from a run. */
static void parameters_of_runs(void)
{
	plait_argument argument = PLAIT_PARAMETER("p");
	plait_node_desc node = node_of(0, &sides[0], &argument);

	for (int k = 0; k < 4; k++) {
		const struct side *on = &sides[k & 1], *of = &sides[k >> 1];
		const plait_binding binding = { .size = sizeof(binding),
						.buffer = of->buffer };
		const plait_run_desc desc = { .size = sizeof(desc),
					      .bindings = &binding,
					      .binding_count = 1 };
		plait_graph *graph = NULL;
		plait_plan *plan = NULL;

		node.device = on->device;
		IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
		IS_INT(plait_graph_add(graph, &node, NULL, 0, NULL, &error),
		       PLAIT_OK);
		IS_INT(plait_graph_freeze(graph, NULL, &plan, &error),
		       PLAIT_OK);
		if (!IS_INT(plait_plan_call(plan, NULL, &desc, &error),
			    on == of ? PLAIT_OK : PLAIT_E_UNSUPPORTED))
			NOTE("on %s, of %s: %s", on->name, of->name,
			     error.text);
		if (on != of)
			HAS_STR(error.text, of->name);
		plait_plan_release(plan);
		plait_graph_release(graph);
	}
}

/* A thread takes what the inbox gets: contexts here have no workers. */
static void run_with_context(void (*scenario)(void))
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .flags = PLAIT_CONTEXT_NO_WORKERS,
					  .backends = "host,chaos" };
	const plait_kernel_desc code = { .size = sizeof(code),
					 .function = work,
					 .signature = "k(x: inout pointer u8)"
	};

	if (!IS_INT(plait_context_open(&desc, &context, &error), PLAIT_OK))
		return;
	make(&sides[0]);
	make(&sides[1]);
	IS_INT(plait_kernel_create(context, &code, &kernel, &error), PLAIT_OK);
	IS_INT(plait_inbox_create(context, &inbox, &error), PLAIT_OK);
	scenario();
	plait_inbox_release(inbox);
	plait_kernel_release(kernel);
	unmake(&sides[0]);
	unmake(&sides[1]);
	plait_context_release(context);
	IS_INT(plait_live_count(PLAIT_OBJECT_PLAN), 0);
}

#define WITH(name) static void with_##name(void) { run_with_context(name); }
WITH(texts_take_their_own)
WITH(saved_plans_take_their_own)
WITH(a_plan_of_two_devices)
WITH(parameters_of_runs)

static const struct tap_scenario scenarios[] = {
	{ "graph texts", with_texts_take_their_own },
	{ "saved plans", with_saved_plans_take_their_own },
	{ "a plan of two devices", with_a_plan_of_two_devices },
	{ "parameters of runs", with_parameters_of_runs },
};
TAP_MAIN(scenarios)
