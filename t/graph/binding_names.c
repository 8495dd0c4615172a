/* SPDX-License-Identifier: MIT */
/* Name binding of plans: the names that have to be bound, rejections, and that
 * a failed call changes nothing. */
#include "plait/plait.h"

#include "graph/plan/plan_object.h"
#include "graph/plan/unbound_state.h"
#include "lib/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static plait_context *context;
static plait_device *host, *chaos;
static plait_error error = { .size = sizeof(error) };

/* ---- creation of objects ---- */

static int32_t run_kernel(void *const *arguments, const plait_launch *launch,
			  void *user_data)
{
	(void)arguments, (void)launch, (void)user_data;
	return 0;
}

static int32_t run_host(void *user_data)
{
	(void)user_data;
	return 0;
}

static plait_kernel *new_kernel(const char *signature)
{
	plait_kernel_desc desc = { .size = sizeof(desc),
				   .signature = signature,
				   .function = run_kernel };
	plait_kernel *kernel = NULL;

	IS_INT(plait_kernel_create(context, &desc, &kernel, &error),
	       PLAIT_OK);
	return kernel;
}

static plait_buffer *new_buffer(plait_device *device, uint64_t bytes,
				const char *label)
{
	plait_buffer_desc desc = { .size = sizeof(desc), .bytes = bytes,
				   .label = label };
	plait_buffer *buffer = NULL;

	IS_INT(plait_buffer_create(device, &desc, &buffer, &error), PLAIT_OK);
	return buffer;
}

static plait_signal *new_signal(plait_device *device, uint32_t flags,
				const char *label)
{
	plait_signal_desc desc = { .size = sizeof(desc), .flags = flags,
				   .label = label };
	plait_signal *signal = NULL;

	IS_INT(plait_signal_create(device, &desc, &signal, &error), PLAIT_OK);
	return signal;
}

static plait_graph *new_graph(void)
{
	plait_graph *graph = NULL;

	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	return graph;
}

static plait_node add(plait_graph *graph, plait_node_desc desc)
{
	plait_node node = 0;

	desc.size = sizeof(desc);
	if (!IS_INT(plait_graph_add(graph, &desc, NULL, 0, &node, &error),
		    PLAIT_OK))
		NOTE("%s", error.text);
	return node;
}

static void fill(plait_graph *graph, plait_buffer *buffer)
{
	add(graph, (plait_node_desc){ .kind = PLAIT_NODE_FILL,
				      .target = buffer, .bytes = 16,
				      .pattern_bytes = 4 });
}

static void call(plait_graph *graph, const char *label, plait_inbox *inbox)
{
	add(graph, (plait_node_desc){
		    .kind = PLAIT_NODE_CALL, .label = label,
		    .function = run_host, .inbox = inbox,
		    .flags = inbox == NULL ? PLAIT_CALL_ANY_THREAD : 0 });
}

/* A plan of the graph, or of one node alone, as another process would load it;
 * releases the graph. */
static plait_plan *read_part(plait_graph *graph, const plait_node *only)
{
	plait_freeze_desc desc = { .size = sizeof(desc), .lanes = 2,
				   .sources = only, .sinks = only,
				   .source_count = only != NULL,
				   .sink_count = only != NULL };
	plait_plan *plan = NULL, *again = NULL;
	uint64_t bytes = 0;
	char *saved;

	IS_INT(plait_graph_freeze(graph, &desc, &plan, &error), PLAIT_OK);
	plait_graph_release(graph);
	IS_INT(plait_plan_write(plan, PLAIT_FORMAT_BINARY, NULL, 0, &bytes,
				&error), PLAIT_OK);
	saved = malloc(bytes);
	IS_INT(plait_plan_write(plan, PLAIT_FORMAT_BINARY, saved, bytes,
				NULL, &error), PLAIT_OK);
	plait_plan_release(plan);
	if (!IS_INT(plait_plan_read(context, saved, bytes, &again, &error),
		    PLAIT_OK))
		NOTE("%s", error.text);
	free(saved);
	return again;
}

static plait_plan *read_back(plait_graph *graph)
{
	return read_part(graph, NULL);
}

/* ---- inspection of plans ---- */

static plait_plan_info info_of(plait_plan *plan)
{
	plait_plan_info info = { .size = sizeof(info) };

	IS_INT(plait_plan_query(plan, &info, &error), PLAIT_OK);
	return info;
}

/* "b:x=0 f:call=1": kind, name, bound; "!" for flags. */
static const char *describe(plait_plan *plan)
{
	static char text[1024];
	plait_plan_info info = info_of(plan);
	size_t length = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < info.bindings; i++) {
		plait_plan_binding one = { .size = sizeof(one) };

		IS_INT(plait_plan_query_binding(plan, i, &one, &error),
		       PLAIT_OK);
		length += (size_t)snprintf(
			text + length, sizeof(text) - length, "%s%c:%s=%u%s%s",
			i > 0 ? " " : "", "kbsfd"[one.kind], one.name,
			one.bound, (one.flags & 3) != 0 ? "!" : "",
			one.flags & PLAIT_BINDING_IS_PREDICATE ? "?" : "");
	}
	return text;
}

static plait_status seal(plait_plan *plan)
{
	plait__plan_object *frozen;
	plait_status status = plait__plan_object_enter(plan, &frozen, &error);

	if (status == PLAIT_OK) {
		status = plait__unbound_state_seal(frozen, &error);
		plait__object_leave(&frozen->object);
	}
	return status;
}

/* ---- names ---- */

static void each_has_a_name(void)
{
	plait_graph *graph = new_graph();
	plait_buffer *b[4] = { new_buffer(host, 16, "x"),
			       new_buffer(host, 32, "x"),
			       new_buffer(host, 16, NULL),
			       new_buffer(host, 16, "x#2") };
	plait_plan_binding one = { .size = sizeof(one) };
	plait_plan *plan;

	for (int i = 0; i < 4; i++)
		fill(graph, b[i]);
	call(graph, "f", NULL);
	call(graph, NULL, NULL);
	call(graph, "f", NULL);
	call(graph, "", NULL);
	call(graph, "f", NULL);
	plan = read_back(graph);
	IS_STR(describe(plan), "b:x=0 b:x#3=0 b:#1=0 b:x#2=0 f:f=0! f:#1=0! "
	       "f:f#2=0! f:#2=0! f:f#3=0! d:host:0=1");
	IS_INT(plait_plan_query_binding(plan, 1, &one, &error), PLAIT_OK);
	IS_UINT(one.bytes, 32);
	IS_STR(one.detail, "host:0");
	IS_UINT(one.flags, 0);
	IS_INT(plait_plan_query_binding(plan, 10, &one, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "index 10: the plan has 10 bindings");
	IS_INT(plait_plan_query_binding(plan, UINT64_MAX, &one, &error),
	       PLAIT_E_INVALID);
	IS_UINT(info_of(plan).unbound, 9);
	plait_plan_release(plan);
	for (int i = 0; i < 4; i++)
		plait_buffer_release(b[i]);
}

/* Tables are those of the whole graph; only used entries need a name. */
static void parts_need_less(void)
{
	plait_graph *graph = new_graph();
	plait_buffer *x = new_buffer(host, 16, "x");
	plait_node first = add(graph, (plait_node_desc){ .label = "a" });
	plait_plan *plan;

	fill(graph, x);
	call(graph, "f", NULL);
	plan = read_part(graph, &first);
	IS_STR(describe(plan), "d:host:0=1");
	IS_INT(seal(plan), PLAIT_OK);
	plait_plan_release(plan);
	plait_buffer_release(x);
}

static void frozen_here_has_all(void)
{
	plait_graph *graph = new_graph();
	plait_buffer *x = new_buffer(host, 16, "x");
	plait_plan *plan = NULL;

	fill(graph, x);
	IS_INT(plait_graph_freeze(graph, NULL, &plan, &error), PLAIT_OK);
	IS_STR(describe(plan), "");
	IS_INT(plait_plan_bind_buffer(plan, "x", x, &error), PLAIT_E_STATE);
	HAS_STR(error.text, "no names to bind");
	IS_INT(plait_plan_bind_device(plan, "host:0", host, &error),
	       PLAIT_E_STATE);
	IS_INT(seal(plan), PLAIT_OK);
	plait_plan_release(plan);
	plait_graph_release(graph);
	plait_buffer_release(x);
}

/* ---- one kind after the other ---- */

static void kernels(void)
{
	plait_graph *graph = new_graph();
	plait_kernel *k = new_kernel("k()"), *l = new_kernel("l()");
	plait_kernel *twin = new_kernel("k()"), *used[] = { k, l, twin };
	plait_kernel *other = new_kernel("k(a: f32)");
	plait_kernel *far = new_kernel("far()");
	plait_plan *plan;

	for (int i = 0; i < 3; i++)
		add(graph, (plait_node_desc){ .kind = PLAIT_NODE_LAUNCH,
					      .kernel = used[i] });
	plan = read_back(graph);
	plait_kernel_release(twin);
	IS_INT(plait_live_count(PLAIT_OBJECT_KERNEL), 4);
	IS_STR(describe(plan), "k:k=0 k:l=0 k:k=0 d:host:0=1");
	IS_INT(plait_plan_bind_kernel(plan, other, &error), PLAIT_E_INVALID);
	HAS_STR(error.text, "the plan needs kernel k(), this one is k(a: f32)");
	IS_INT(plait_plan_bind_kernel(plan, far, &error), PLAIT_E_INVALID);
	HAS_STR(error.text, "no kernel \"far\"; it has \"k\", \"l\"");
	IS_INT(plait_plan_bind_kernel(plan, NULL, &error), PLAIT_E_HANDLE);
	IS_INT(plait_plan_bind_kernel(plan, (plait_kernel *)(void *)context,
				      &error), PLAIT_E_HANDLE);
	IS_STR(describe(plan), "k:k=0 k:l=0 k:k=0 d:host:0=1");
	IS_INT(seal(plan), PLAIT_E_STATE);
	HAS_STR(error.text, "kernel \"k\" is not bound");
	IS_INT(plait_plan_bind_kernel(plan, k, &error), PLAIT_OK);
	IS_STR(describe(plan), "k:k=1 k:l=0 k:k=1 d:host:0=1");
	IS_INT(plait_plan_bind_kernel(plan, k, &error), PLAIT_OK);
	plait_kernel_release(k);
	IS_INT(plait_live_count(PLAIT_OBJECT_KERNEL), 4);
	/* The replaced object is released. */
	k = new_kernel("k()");
	IS_INT(plait_plan_bind_kernel(plan, k, &error), PLAIT_OK);
	plait_kernel_release(k);
	IS_INT(plait_live_count(PLAIT_OBJECT_KERNEL), 4);
	IS_INT(plait_plan_bind_kernel(plan, l, &error), PLAIT_OK);
	IS_INT(seal(plan), PLAIT_OK);
	IS_INT(plait_plan_bind_kernel(plan, l, &error), PLAIT_E_STATE);
	HAS_STR(error.text, "has run");
	plait_kernel_release(l);
	plait_kernel_release(other);
	plait_kernel_release(far);
	plait_plan_release(plan);
	IS_INT(plait_live_count(PLAIT_OBJECT_KERNEL), 0);
}

static plait_buffer *view(plait_buffer *buffer, uint64_t at)
{
	plait_buffer *part = NULL;

	IS_INT(plait_buffer_view(buffer, at, 32, &part, &error), PLAIT_OK);
	return part;
}

static void refuse_buffer(plait_plan *plan, const char *name,
			  plait_buffer *buffer, const char *why)
{
	char before[1024];

	strcpy(before, describe(plan));
	IS_INT(plait_plan_bind_buffer(plan, name, buffer, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, why);
	IS_STR(describe(plan), before);
}

static void buffers(void)
{
	plait_graph *graph = new_graph();
	plait_buffer *x = new_buffer(host, 16, "x");
	plait_buffer *y = new_buffer(host, 16, "y");
	plait_buffer *large = new_buffer(host, 64, "z");
	plait_buffer *small = new_buffer(host, 15, "w");
	plait_buffer *there = new_buffer(chaos, 64, "v");
	plait_buffer *low = view(large, 0), *middle = view(large, 16);
	plait_buffer *high = view(large, 32);
	plait_plan *plan;

	fill(graph, x);
	fill(graph, y);
	plan = read_back(graph);
	refuse_buffer(plan, "x", small, "16 bytes, this buffer has 15");
	refuse_buffer(plan, "z", x, "no buffer \"z\"; it has \"x\", \"y\"");
	refuse_buffer(plan, NULL, x, "name is null");
	refuse_buffer(plan, "x", there, "of backend chaos");
	IS_INT(plait_plan_bind_buffer(plan, "x", low, &error), PLAIT_OK);
	refuse_buffer(plan, "y", low, "share memory with \"x\"");
	refuse_buffer(plan, "y", middle, "share memory with \"x\"");
	refuse_buffer(plan, "y", large, "share memory with \"x\"");
	/* The new buffer may share memory with the replaced one. */
	IS_INT(plait_plan_bind_buffer(plan, "x", middle, &error), PLAIT_OK);
	refuse_buffer(plan, "y", high, "share memory with \"x\"");
	IS_INT(plait_plan_bind_buffer(plan, "x", low, &error), PLAIT_OK);
	IS_INT(plait_plan_bind_buffer(plan, "y", high, &error), PLAIT_OK);
	IS_UINT(info_of(plan).unbound, 0);
	/* The device is set by the buffer that lies on it. */
	IS_INT(plait_plan_bind_device(plan, "host:0", chaos, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "buffer \"x\" is on this device");
	IS_INT(seal(plan), PLAIT_OK);
	plait_buffer_release(x);
	plait_buffer_release(y);
	plait_buffer_release(small);
	plait_buffer_release(there);
	plait_buffer_release(low);
	plait_buffer_release(middle);
	plait_buffer_release(high);
	plait_buffer_release(large);
	OK(plait_live_count(PLAIT_OBJECT_BUFFER) > 0);
	plait_plan_release(plan);
	IS_INT(plait_live_count(PLAIT_OBJECT_BUFFER), 0);
}

static void signals(void)
{
	plait_graph *graph = new_graph();
	plait_signal *out = new_signal(host, 0, "out");
	plait_signal *in = new_signal(host, 0, "in");
	plait_signal *gate = new_signal(host, PLAIT_SIGNAL_GATE, "gate");
	plait_signal *there = new_signal(chaos, 0, "there");
	plait_plan *plan;

	add(graph, (plait_node_desc){ .kind = PLAIT_NODE_EMIT,
				      .signal = out });
	add(graph, (plait_node_desc){ .kind = PLAIT_NODE_WAIT,
				      .signal = in });
	plan = read_back(graph);
	IS_STR(describe(plan), "s:out=0! s:in=0 d:host:0=1");
	IS_INT(plait_plan_bind_signal(plan, "out", gate, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "the plan emits \"out\"");
	IS_INT(plait_plan_bind_signal(plan, "in", there, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "of backend chaos");
	IS_INT(plait_plan_bind_signal(plan, "gate", gate, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "no signal \"gate\"; it has \"out\", \"in\"");
	IS_INT(plait_plan_bind_signal(plan, "in", NULL, &error),
	       PLAIT_E_HANDLE);
	IS_STR(describe(plan), "s:out=0! s:in=0 d:host:0=1");
	IS_INT(plait_plan_bind_signal(plan, "in", gate, &error), PLAIT_OK);
	IS_INT(plait_plan_bind_signal(plan, "out", out, &error), PLAIT_OK);
	IS_INT(plait_plan_bind_signal(plan, "in", in, &error), PLAIT_OK);
	IS_INT(plait_plan_bind_device(plan, "host:0", chaos, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "signal \"out\" is on this device");
	IS_INT(seal(plan), PLAIT_OK);
	IS_INT(plait_plan_bind_signal(plan, "in", in, &error),
	       PLAIT_E_STATE);
	plait_signal_release(out);
	plait_signal_release(in);
	plait_signal_release(gate);
	plait_signal_release(there);
	plait_plan_release(plan);
	IS_INT(plait_live_count(PLAIT_OBJECT_SIGNAL), 0);
}

static void refuse_function(plait_plan *plan, const char *name,
			    const plait_function_desc *desc,
			    plait_status status, const char *why)
{
	char before[1024];

	strcpy(before, describe(plan));
	IS_INT(plait_plan_bind_function(plan, name, desc, &error), status);
	HAS_STR(error.text, why);
	IS_STR(describe(plan), before);
}

static void functions(void)
{
	plait_graph *graph = new_graph();
	plait_inbox *inbox = NULL;
	plait_function_desc any = { .size = sizeof(any),
				    .flags = PLAIT_CALL_ANY_THREAD,
				    .function = run_host };
	plait_function_desc mine = { .size = sizeof(mine) };
	plait_function_desc wrong = any;
	plait_plan *plan;

	IS_INT(plait_inbox_create(context, &inbox, &error), PLAIT_OK);
	mine.inbox = inbox;
	call(graph, "any", NULL);
	call(graph, "mine", inbox);
	add(graph, (plait_node_desc){ .kind = PLAIT_NODE_WHILE,
				      .label = "loop", .function = run_host,
				      .flags = PLAIT_CALL_ANY_THREAD });
	plan = read_back(graph);
	IS_STR(describe(plan), "f:any=0! f:mine=0 f:loop=0!? d:host:0=1");
	refuse_function(plan, "any", NULL, PLAIT_E_INVALID, "null");
	refuse_function(plan, NULL, &any, PLAIT_E_INVALID, "name is null");
	refuse_function(plan, "no", &any, PLAIT_E_INVALID,
			"no function \"no\"; it has \"any\"");
	refuse_function(plan, "mine", &any, PLAIT_E_INVALID,
			"\"mine\" runs on the owner's thread");
	refuse_function(plan, "any", &mine, PLAIT_E_INVALID,
			"\"any\" runs on any thread");
	wrong.inbox = inbox;
	refuse_function(plan, "any", &wrong, PLAIT_E_INVALID, "no inbox");
	wrong = any;
	wrong.flags = 0;
	refuse_function(plan, "loop", &wrong, PLAIT_E_INVALID, "any thread");
	wrong.flags = 64 | PLAIT_CALL_ANY_THREAD;
	refuse_function(plan, "any", &wrong, PLAIT_E_UNSUPPORTED, "flags");
	wrong = any;
	wrong.function = NULL;
	refuse_function(plan, "any", &wrong, PLAIT_E_INVALID, "is null");
	wrong.size = 8;
	refuse_function(plan, "any", &wrong, PLAIT_E_INVALID,
			"plait_function_desc");
	wrong = mine;
	wrong.inbox = (plait_inbox *)(void *)context;
	refuse_function(plan, "mine", &wrong, PLAIT_E_HANDLE, "");
	IS_INT(plait_plan_bind_function(plan, "any", &any, &error), PLAIT_OK);
	IS_INT(plait_plan_bind_function(plan, "loop", &any, &error),
	       PLAIT_OK);
	IS_INT(seal(plan), PLAIT_E_STATE);
	HAS_STR(error.text, "plait_plan_bind_function");
	IS_INT(plait_plan_bind_function(plan, "mine", &mine, &error),
	       PLAIT_OK);
	IS_INT(plait_plan_bind_function(plan, "mine", &mine, &error),
	       PLAIT_OK);
	IS_INT(seal(plan), PLAIT_OK);
	IS_INT(plait_plan_bind_function(plan, "any", &any, &error),
	       PLAIT_E_STATE);
	plait_plan_release(plan);
	plait_inbox_release(inbox);
	IS_INT(plait_live_count(PLAIT_OBJECT_INBOX), 0);
}

/* ---- devices ---- */

/* A plan that was made with a device that is not open. */
static void devices(void)
{
	static const char text[] =
		"device gpu lanes=2\ndevice host lanes=1\n"
		"node a device=gpu kernel=k\nnode b device=host after=a\n";
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;

	IS_INT(plait_graph_read(context, text, sizeof(text) - 1, "t", &graph,
				&error), PLAIT_OK);
	IS_INT(plait_graph_freeze(graph, NULL, &plan, &error), PLAIT_OK);
	IS_STR(describe(plan), "d:gpu=0 d:host=1");
	plait_plan_release(plan);
	plan = read_back(graph);
	IS_STR(describe(plan), "d:gpu=0 d:host=1");
	IS_INT(plait_plan_bind_device(plan, "tpu", chaos, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "no device \"tpu\", perhaps \"gpu\"; it has \"gpu\", \"host\"");
	IS_INT(seal(plan), PLAIT_E_STATE);
	HAS_STR(error.text, "device \"gpu\" is not bound");
	IS_INT(plait_plan_bind_device(plan, "gpu", chaos, &error), PLAIT_OK);
	IS_INT(plait_plan_bind_device(plan, "gpu", host, &error), PLAIT_OK);
	IS_INT(seal(plan), PLAIT_OK);
	IS_INT(plait_plan_bind_device(plan, "gpu", chaos, &error),
	       PLAIT_E_STATE);
	plait_plan_release(plan);
}

static plait_context *only_host(void)
{
	plait_context_desc desc = { .size = sizeof(desc),
				    .flags = PLAIT_CONTEXT_NO_WORKERS,
				    .backends = "host" };
	plait_context *other = NULL;

	IS_INT(plait_context_open(&desc, &other, &error), PLAIT_OK);
	return other;
}

/* An object of another context is rejected; so is a handle that is no plan. */
static void strangers(void)
{
	plait_graph *graph = new_graph();
	plait_buffer *x = new_buffer(chaos, 16, "x"), *y = NULL;
	plait_buffer_desc desc = { .size = sizeof(desc), .bytes = 16 };
	plait_context *other = only_host();
	plait_device *device = NULL;
	plait_plan_binding one = { .size = sizeof(one) };
	plait_plan *plan;

	fill(graph, x);
	plan = read_back(graph);
	IS_INT(plait_context_device(other, 0, &device, &error), PLAIT_OK);
	IS_INT(plait_buffer_create(device, &desc, &y, &error), PLAIT_OK);
	IS_INT(plait_plan_bind_buffer(plan, "x", y, &error), PLAIT_E_HANDLE);
	IS_INT(plait_plan_bind_device(plan, "chaos:0", device, &error),
	       PLAIT_E_HANDLE);
	IS_STR(describe(plan), "b:x=0 d:chaos:0=1");
	one.size = 12;
	IS_INT(plait_plan_query_binding(plan, 0, &one, &error),
	       PLAIT_E_INVALID);
	IS_INT(plait_plan_query_binding(plan, 0, NULL, &error),
	       PLAIT_E_INVALID);
	one.size = sizeof(one);
	plait_plan_release(plan);
	IS_INT(plait_plan_query_binding(plan, 0, &one, &error),
	       PLAIT_E_HANDLE);
	IS_INT(plait_plan_bind_buffer(plan, "x", x, &error), PLAIT_E_HANDLE);
	plait_buffer_release(x);
	plait_buffer_release(y);
	plait_context_release(other);
}

static void run_with_context(void (*scenario)(void))
{
	plait_context_desc desc = { .size = sizeof(desc),
				    .flags = PLAIT_CONTEXT_NO_WORKERS,
				    .backends = "host,chaos" };

	if (!IS_INT(plait_context_open(&desc, &context, &error), PLAIT_OK)) {
		NOTE("%s", error.text);
		return;
	}
	IS_INT(plait_context_find_device(context, "host", &host, &error),
	       PLAIT_OK);
	IS_INT(plait_context_find_device(context, "chaos", &chaos, &error),
	       PLAIT_OK);
	scenario();
	plait_context_release(context);
	IS_INT(plait_live_count(PLAIT_OBJECT_PLAN), 0);
}

#define WITH(name) static void with_##name(void) { run_with_context(name); }
WITH(each_has_a_name)
WITH(parts_need_less)
WITH(frozen_here_has_all)
WITH(kernels)
WITH(buffers)
WITH(signals)
WITH(functions)
WITH(devices)
WITH(strangers)

static const struct tap_scenario scenarios[] = {
	{ "each has a name", with_each_has_a_name },
	{ "parts need less", with_parts_need_less },
	{ "frozen here has all", with_frozen_here_has_all },
	{ "kernels", with_kernels },
	{ "buffers", with_buffers },
	{ "signals", with_signals },
	{ "functions", with_functions },
	{ "devices", with_devices },
	{ "strangers", with_strangers },
};
TAP_MAIN(scenarios)
