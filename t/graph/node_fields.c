/* SPDX-License-Identifier: MIT */
/*
 * Rejected fields of nodes: fields that a kind does not have, memory and
 * signals of another backend, work that a device cannot do, numbers of other
 * graphs, texts cut in the middle of a character.  A rejected node changes
 * nothing.
 */
#include "plait/plait.h"

#include "lib/tap.h"

#include <stdio.h>
#include <string.h>

static plait_context *context;
/* The two devices of chaos cannot run host functions. */
static plait_device *host, *far[2];
static plait_buffer *near_buffer, *far_buffer;
static plait_kernel *kernel;
static plait_signal *near_signal, *far_signal, *gate;
static plait_inbox *inbox;
static plait_error error;

static int32_t nothing(void *user_data)
{
	(void)user_data;
	return 0;
}

static int32_t no_work(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	(void)arguments;
	(void)launch;
	(void)user_data;
	return 0;
}

static plait_buffer *buffer_on(plait_device *device, const char *label)
{
	plait_buffer_desc desc = { .size = sizeof(desc), .bytes = 64,
				   .label = label };
	plait_buffer *buffer = NULL;

	IS_INT(plait_buffer_create(device, &desc, &buffer, &error), PLAIT_OK);
	return buffer;
}

static plait_signal *signal_on(plait_device *device, uint32_t flags)
{
	plait_signal_desc desc = { .size = sizeof(desc), .flags = flags };
	plait_signal *signal = NULL;

	IS_INT(plait_signal_create(device, &desc, &signal, &error), PLAIT_OK);
	return signal;
}

static bool open_devices(void)
{
	plait_context_desc desc = {
		.size = sizeof(desc), .backends = "host,chaos",
		.flags = PLAIT_CONTEXT_NO_WORKERS,
		.options = "chaos:host_calls=0,devices=2",
	};
	uint32_t count = 0;

	error = (plait_error){ .size = sizeof(error) };
	if (!IS_INT(plait_context_open(&desc, &context, &error), PLAIT_OK)) {
		NOTE("%s", error.text);
		return false;
	}
	IS_INT(plait_context_device_count(context, &count, &error),
	       PLAIT_OK);
	return OK(count >= 3) &&
	       plait_context_device(context, 0, &host, &error) == PLAIT_OK &&
	       plait_context_device(context, count - 2, &far[0], &error) ==
		       PLAIT_OK &&
	       plait_context_device(context, count - 1, &far[1], &error) ==
		       PLAIT_OK;
}

static void open_all(void)
{
	plait_kernel_desc desc = { .size = sizeof(desc),
				   .signature = "k(p: inout pointer f32)",
				   .function = no_work };

	near_buffer = buffer_on(host, "near");
	far_buffer = buffer_on(far[0], "far");
	near_signal = signal_on(host, 0);
	far_signal = signal_on(far[0], 0);
	gate = signal_on(host, PLAIT_SIGNAL_GATE);
	IS_INT(plait_kernel_create(context, &desc, &kernel, &error),
	       PLAIT_OK);
	IS_INT(plait_inbox_create(context, &inbox, &error), PLAIT_OK);
}

static void close_all(void)
{
	plait_inbox_release(inbox);
	plait_kernel_release(kernel);
	plait_signal_release(gate);
	plait_signal_release(far_signal);
	plait_signal_release(near_signal);
	plait_buffer_release(far_buffer);
	plait_buffer_release(near_buffer);
	plait_context_release(context);
	IS_INT(plait_live_count(PLAIT_OBJECT_BUFFER), 0);
	IS_INT(plait_live_count(PLAIT_OBJECT_SIGNAL), 0);
	IS_INT(plait_live_count(PLAIT_OBJECT_INBOX), 0);
}

static plait_graph *new_graph(void)
{
	plait_graph *graph = NULL;

	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	return graph;
}

static void refuse(plait_graph *graph, plait_node_desc desc,
		   plait_status want, const char *part)
{
	uint64_t before, after;
	plait_node node = 1;
	plait_status status;

	desc.size = sizeof(desc);
	(void)plait_graph_size(graph, &before, NULL, NULL);
	status = plait_graph_add(graph, &desc, NULL, 0, &node, &error);
	if (!OK_THAT(status == want, "refused: %s", part))
		NOTE("status %d, \"%s\"", status, error.text);
	HAS_STR(error.text, part);
	IS_INT(node, 0);
	(void)plait_graph_size(graph, &after, NULL, NULL);
	IS_INT(before, after);
}

static plait_node accept(plait_graph *graph, plait_node_desc desc,
			 const plait_node *after)
{
	plait_node node = 0;

	desc.size = sizeof(desc);
	if (!IS_INT(plait_graph_add(graph, &desc, after, after != NULL,
				    &node, &error), PLAIT_OK))
		NOTE("%s", error.text);
	return node;
}

/* ---- fields ---- */

/* A valid node of each kind. */
static plait_node_desc right(uint32_t kind, plait_graph *part)
{
	static plait_argument argument;
	plait_node_desc desc = { .kind = kind, .label = "it" };

	argument = (plait_argument){ .size = sizeof(argument),
				     .kind = PLAIT_ARGUMENT_BUFFER,
				     .buffer = near_buffer };
	if (kind == PLAIT_NODE_LAUNCH) {
		desc.kernel = kernel;
		desc.arguments = &argument;
		desc.argument_count = 1;
	} else if (kind == PLAIT_NODE_CALL) {
		desc.function = nothing;
		desc.flags = PLAIT_CALL_ANY_THREAD;
	} else if (kind == PLAIT_NODE_COPY || kind == PLAIT_NODE_FILL) {
		desc.target = near_buffer;
		desc.bytes = 8;
		desc.source = kind == PLAIT_NODE_COPY ? near_buffer : NULL;
		desc.source_offset = kind == PLAIT_NODE_COPY ? 32 : 0;
		desc.pattern_bytes = kind == PLAIT_NODE_FILL ? 4 : 0;
	} else if (kind == PLAIT_NODE_READ || kind == PLAIT_NODE_WRITE) {
		desc.host_parameter = "h";
		desc.bytes = 8;
		desc.source = kind == PLAIT_NODE_READ ? near_buffer : NULL;
		desc.target = kind == PLAIT_NODE_WRITE ? near_buffer : NULL;
	} else if (kind == PLAIT_NODE_EMIT || kind == PLAIT_NODE_WAIT) {
		desc.signal = near_signal;
	} else if (kind == PLAIT_NODE_SUBGRAPH) {
		desc.subgraph = part;
	} else if (kind >= PLAIT_NODE_WHILE) {
		desc.predicate = near_buffer;
		desc.branch_count = kind == PLAIT_NODE_CASE;
	}
	return desc;
}

enum {
	L = 1 << PLAIT_NODE_LAUNCH,
	CA = 1 << PLAIT_NODE_CALL,
	CO = 1 << PLAIT_NODE_COPY,
	F = 1 << PLAIT_NODE_FILL,
	W = 1 << PLAIT_NODE_WAIT,
	S = 1 << PLAIT_NODE_SUBGRAPH,
	REPEAT = 1 << PLAIT_NODE_REPEAT,
	LOOPS = 1 << PLAIT_NODE_WHILE | 1 << PLAIT_NODE_DO | REPEAT,
	CASE = 1 << PLAIT_NODE_CASE,
	REGIONS = LOOPS | CASE,
	RD = 1 << PLAIT_NODE_READ,
	WR = 1 << PLAIT_NODE_WRITE,
	ALL = (1 << (PLAIT_NODE_WRITE + 1)) - 1,
};

static const plait_rows two_rows = { .size = sizeof(two_rows), .rows = 2 };

/* Each field by itself, and the kinds that have it. */
static const struct surplus {
	const char *name;
	plait_node_desc desc;
	uint32_t kinds;
} surplus[] = {
	{ "pattern_bytes", { .pattern_bytes = 4 }, F },
	{ "pattern", { .pattern = 1 }, F },
	{ "cost", { .cost = 7 }, ALL & ~S },
	{ "scratch_bytes", { .scratch_bytes = 7 }, L },
	{ "launch_parameter", { .launch_parameter = "n" }, L },
	{ "argument_count", { .argument_count = 1 }, L },
	{ "user_data", { .user_data = &error }, CA },
	{ "target_offset", { .target_offset = 4 }, CO | F | WR },
	{ "source_offset", { .source_offset = 40 }, CO | RD },
	{ "bytes", { .bytes = 8 }, CO | F | RD | WR },
	{ "host_offset", { .host_offset = 8 }, RD | WR },
	{ "rows", { .rows = &two_rows }, CO | RD | WR },
	{ "sequence", { .sequence = 1 }, W },
	{ "predicate_offset", { .predicate_offset = 4 }, REGIONS },
	{ "branch_count", { .branch_count = 2 }, CASE },
	{ "times", { .times = 1 }, REGIONS },
	{ "count_step", { .count_step = 2 }, REPEAT },
	{ "series", { .series_count = 1 }, 0 },
	{ "PLAIT_CALL_ANY_THREAD", { .flags = PLAIT_CALL_ANY_THREAD }, CA },
	{ "PLAIT_NODE_ON_ALL", { .flags = PLAIT_NODE_ON_ALL_GROUP },
	  ALL & ~(S | REGIONS) },
};

/* Put the nonzero fields of `more` on top of a descriptor. */
static void set_fields(plait_node_desc *desc, const plait_node_desc *more)
{
	unsigned char *to = (unsigned char *)desc;
	const unsigned char *from = (const unsigned char *)more;

	for (size_t i = 0; i < sizeof(*desc); i++)
		if (from[i] != 0)
			to[i] |= from[i];
}

static void each_field(void)
{
	plait_graph *graph = new_graph(), *part = new_graph();

	for (uint32_t kind = 0; kind <= PLAIT_NODE_WRITE; kind++)
		for (size_t i = 0; i < TAP_COUNT(surplus); i++) {
			plait_node_desc desc = right(kind, part);

			set_fields(&desc, &surplus[i].desc);
			if (surplus[i].kinds >> kind & 1)
				(void)accept(graph, desc, NULL);
			else
				refuse(graph, desc, PLAIT_E_INVALID,
				       surplus[i].name);
		}
	plait_graph_release(part);
	plait_graph_release(graph);
}

/* Handles cannot be put in a table: they are not constants. */
static void each_handle(void)
{
	plait_graph *graph = new_graph(), *part = new_graph();

	for (uint32_t kind = 0; kind <= PLAIT_NODE_CASE; kind++) {
		plait_node_desc desc = right(kind, part);

		if (desc.kernel == NULL) {
			desc.kernel = kernel;
			refuse(graph, desc, PLAIT_E_INVALID, "kernel is set");
			desc = right(kind, part);
		}
		if (desc.target == NULL) {
			desc.target = near_buffer;
			refuse(graph, desc, PLAIT_E_INVALID, "target is set");
			desc = right(kind, part);
		}
		if (desc.signal == NULL) {
			desc.signal = near_signal;
			refuse(graph, desc, PLAIT_E_INVALID, "signal is set");
			desc = right(kind, part);
		}
		if (kind != PLAIT_NODE_SUBGRAPH) {
			desc.subgraph = part;
			refuse(graph, desc, PLAIT_E_INVALID,
			       "subgraph is set");
			desc = right(kind, part);
		}
		if (kind != PLAIT_NODE_CALL && kind < PLAIT_NODE_WHILE) {
			desc.inbox = inbox;
			refuse(graph, desc, PLAIT_E_INVALID, "inbox is set");
		}
	}
	plait_graph_release(part);
	plait_graph_release(graph);
}

static void fields_that_quarrel(void)
{
	plait_graph *graph = new_graph();
	plait_device *one[1] = { host };
	plait_node_desc desc = { .kind = PLAIT_NODE_JOIN, .device = host,
				 .devices = far, .device_count = 2 };

	refuse(graph, desc, PLAIT_E_INVALID, "device and devices are both set");
	desc = (plait_node_desc){ .device_count = 1, .devices = one };
	refuse(graph, desc, PLAIT_E_INVALID, "one device goes into device");
	desc = right(PLAIT_NODE_DO, NULL);
	desc.device_count = 2;
	desc.devices = far;
	refuse(graph, desc, PLAIT_E_INVALID, "runs on one device");
	desc = right(PLAIT_NODE_DO, NULL);
	desc.function = nothing;
	desc.flags = PLAIT_CALL_ANY_THREAD;
	refuse(graph, desc, PLAIT_E_INVALID, "contradict");
	desc = right(PLAIT_NODE_DO, NULL);
	desc.user_data = &desc;
	refuse(graph, desc, PLAIT_E_INVALID, "predicate is a buffer");
	desc = right(PLAIT_NODE_REPEAT, NULL);
	desc.count_parameter = "n";
	refuse(graph, desc, PLAIT_E_INVALID, "the count is one of the two");
	desc.predicate = NULL;
	desc.count_parameter = "";
	refuse(graph, desc, PLAIT_E_INVALID, "needs a name");
	desc.count_parameter = NULL;
	desc.predicate_offset = 4;
	refuse(graph, desc, PLAIT_E_INVALID, "without a predicate");
	plait_graph_release(graph);
}

/* ---- signals ---- */

static void gates(void)
{
	plait_graph *graph = new_graph();
	plait_node_desc desc = { .kind = PLAIT_NODE_EMIT, .signal = gate,
				 .label = "up" };

	refuse(graph, desc, PLAIT_E_INVALID, "is a gate; only the host");
	desc.kind = PLAIT_NODE_WAIT;
	desc.sequence = 3;
	(void)accept(graph, desc, NULL);
	plait_graph_release(graph);
}

/* ---- backends ---- */

static void other_backends(void)
{
	plait_graph *graph = new_graph();
	plait_node_desc desc = { .kind = PLAIT_NODE_FILL, .bytes = 4,
				 .target = near_buffer, .pattern_bytes = 1,
				 .device = far[0], .label = "fill" };

	refuse(graph, desc, PLAIT_E_UNSUPPORTED,
	       "buffer \"near\" is of host:0, the node runs on chaos:0");
	desc.target = far_buffer;
	(void)accept(graph, desc, NULL);
	/* Another device of the same backend is fine. */
	desc.device = far[1];
	(void)accept(graph, desc, NULL);
	desc = (plait_node_desc){ .kind = PLAIT_NODE_COPY, .bytes = 4,
				  .target = far_buffer,
				  .source = near_buffer };
	refuse(graph, desc, PLAIT_E_UNSUPPORTED, "buffer \"near\"");
	desc = (plait_node_desc){ .kind = PLAIT_NODE_WAIT, .device = far[0],
				  .signal = near_signal };
	refuse(graph, desc, PLAIT_E_UNSUPPORTED, "is of host:0");
	desc = right(PLAIT_NODE_WHILE, NULL);
	desc.device = far[1];
	refuse(graph, desc, PLAIT_E_UNSUPPORTED, "buffer \"near\"");
	/* Each member of a group touches the memory. */
	desc = (plait_node_desc){ .kind = PLAIT_NODE_FILL, .bytes = 4,
				  .target = near_buffer, .pattern_bytes = 1,
				  .device_count = 2,
				  .devices = (plait_device *[]){ host,
								 far[0] } };
	(void)accept(graph, desc, NULL);
	desc.flags = PLAIT_NODE_ON_ALL_BARRIER;
	(void)accept(graph, desc, NULL);
	desc.flags = PLAIT_NODE_ON_ALL_GROUP;
	refuse(graph, desc, PLAIT_E_UNSUPPORTED, "runs on chaos:0");
	plait_graph_release(graph);
}

/* A node that names no device goes where it can. */
static void homes(void)
{
	plait_graph *graph = new_graph();
	plait_node first = accept(graph, (plait_node_desc){ .device = far[0] },
				  NULL);
	plait_node_desc desc = right(PLAIT_NODE_CALL, NULL);

	(void)accept(graph, desc, &first);
	desc.device = far[0];
	refuse(graph, desc, PLAIT_E_UNSUPPORTED,
	       "device chaos:0 cannot run host functions");
	desc.flags = 0;
	desc.inbox = inbox;
	(void)accept(graph, desc, NULL);
	desc = right(PLAIT_NODE_EMIT, NULL);
	(void)accept(graph, desc, &first);
	desc.signal = far_signal;
	(void)accept(graph, desc, &first);
	desc = right(PLAIT_NODE_DO, NULL);
	desc.predicate = NULL;
	desc.function = nothing;
	desc.flags = PLAIT_CALL_ANY_THREAD;
	(void)accept(graph, desc, &first);
	plait_graph_release(graph);
}

static void kernels_without_code(void)
{
	plait_graph *graph = new_graph();
	plait_node_desc desc = right(PLAIT_NODE_LAUNCH, NULL);
	plait_argument argument = { .size = sizeof(argument),
				    .kind = PLAIT_ARGUMENT_BUFFER,
				    .buffer = far_buffer };

	(void)accept(graph, desc, NULL);
	desc.arguments = &argument;
	refuse(graph, desc, PLAIT_E_UNSUPPORTED,
	       "device chaos:0 has no implementation of the kernel");
	plait_graph_release(graph);
}

/* ---- names in errors ---- */

/* A race names both nodes, their places and the buffer. */
static void races(void)
{
	plait_freeze_desc checked = { .size = sizeof(checked), .lanes = 2,
				      .flags = PLAIT_FREEZE_CHECK };
	plait_graph *graph = new_graph();
	plait_node_desc desc = right(PLAIT_NODE_FILL, NULL);
	plait_plan *plan = NULL;

	desc.label = "A";
	desc.file = "first.c";
	desc.line = 11;
	(void)accept(graph, desc, NULL);
	desc.label = "B";
	desc.file = "second.c";
	desc.line = 22;
	(void)accept(graph, desc, NULL);
	IS_INT(plait_graph_freeze(graph, &checked, &plan, &error),
	       PLAIT_E_INVALID);
	IS_STR(error.text, "no edge orders node 0 'A' (first.c:11) and node 1 "
	       "'B' (second.c:22); both use buffer 'near', bytes 0 to 8, and "
	       "both write: add an edge (after), or freeze in program order");
	plait_graph_release(graph);
}

static void foreign_nodes(void)
{
	plait_graph *graph = new_graph(), *other = new_graph();
	plait_node_desc desc = { .size = sizeof(desc), .label = "sum",
				 .file = "work.c", .line = 33 };
	plait_node wrong[] = { accept(graph, desc, NULL),
			       accept(other, desc, NULL), 0x3039 };

	for (uint64_t i = 1; i < TAP_COUNT(wrong); i++) {
		plait_node after[] = { wrong[0], wrong[i] };
		plait_node node = 1;

		IS_INT(plait_graph_add(graph, &desc, after, 2, &node, &error),
		       PLAIT_E_INVALID);
		HAS_STR(error.text, "node \"sum\" (work.c:33): after[1]: 0x");
		HAS_STR(error.text, " is not a node of this graph");
		IS_INT(node, 0);
	}
	plait_graph_release(other);
	plait_graph_release(graph);
}

/* ---- texts ---- */

static bool is_utf8(const char *text)
{
	for (const unsigned char *at = (const unsigned char *)text; *at;) {
		int more = *at < 0x80 ? 0 : *at < 0xc0 ? -1 : *at < 0xe0 ? 1 :
			   *at < 0xf0 ? 2 : 3;

		if (more < 0)
			return false;
		for (at++; more > 0; more--, at++)
			if ((*at & 0xc0) != 0x80)
				return false;
	}
	return true;
}

/* Labels, files and names of every length around the cut of messages. */
static void cut_texts(void)
{
	plait_graph *graph = new_graph();
	char text[400], file[400];
	unsigned bad = 0;

	for (unsigned ascii = 0; ascii < 4; ascii++) {
		plait_node_desc desc = { .size = sizeof(desc),
					 .kind = PLAIT_NODE_CALL,
					 .label = text, .file = file };

		memset(text, 'x', ascii);
		strcpy(text + ascii, "");
		for (unsigned i = 0; i < 100; i++)
			strcat(text, "\xe2\x82\xac");
		snprintf(file, sizeof(file), "%s.c", text);
		IS_INT(plait_graph_add(graph, &desc, NULL, 0, NULL, &error),
		       PLAIT_E_INVALID);
		bad += !is_utf8(error.text);
		HAS_STR(error.text, ".c:0)");
	}
	IS_INT(bad, 0);
	plait_graph_release(graph);
}

static void cut_names_of_cycles(void)
{
	unsigned bad = 0;

	for (unsigned ascii = 0; ascii < 3; ascii++) {
		plait_graph *graph = new_graph();
		char text[400];
		plait_node_desc desc = { .label = text };
		plait_plan *plan;
		plait_node a, b;

		memset(text, 'x', ascii);
		text[ascii] = '\0';
		for (unsigned i = 0; i < 100; i++)
			strcat(text, "\xe2\x82\xac");
		a = accept(graph, desc, NULL);
		desc.file = text;
		b = accept(graph, desc, &a);
		IS_INT(plait_graph_add_edge(graph, b, a, &error), PLAIT_OK);
		IS_INT(plait_graph_freeze(graph, NULL, &plan, &error),
		       PLAIT_E_INVALID);
		bad += !is_utf8(error.text);
		plait_graph_release(graph);
	}
	IS_INT(bad, 0);
}

static void run_with_all(void (*scenario)(void))
{
	if (!open_devices())
		return;
	open_all();
	scenario();
	close_all();
}

#define WITH(name) static void with_##name(void) { run_with_all(name); }
WITH(each_field)
WITH(each_handle)
WITH(fields_that_quarrel)
WITH(gates)
WITH(other_backends)
WITH(homes)
WITH(kernels_without_code)
WITH(races)
WITH(foreign_nodes)
WITH(cut_texts)
WITH(cut_names_of_cycles)

static const struct tap_scenario scenarios[] = {
	{ "each field", with_each_field },
	{ "each handle", with_each_handle },
	{ "fields that quarrel", with_fields_that_quarrel },
	{ "gates", with_gates },
	{ "other backends", with_other_backends },
	{ "homes", with_homes },
	{ "kernels without code", with_kernels_without_code },
	{ "races", with_races },
	{ "foreign nodes", with_foreign_nodes },
	{ "cut texts", with_cut_texts },
	{ "cut names of cycles", with_cut_names_of_cycles },
};
TAP_MAIN(scenarios)
