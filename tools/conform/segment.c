/* SPDX-License-Identifier: MIT */
/*
 * Group G: segments, the parts of plans that a backend gets as one device graph.
 * Each plan here is one segment, except the commands before it.
 */
#include "conform.h"

#include <stdlib.h>
#include <string.h>

/* Plans on queues need completion notifications. */
enum { FROZEN = NEED_SEGMENT | NEED_NOTIFY };

enum { WORDS = 64, BYTES = WORDS * 4, BUFFERS = 6, STEPS = 40 };

/* A plan under construction, and the expected contents of its memory. */
struct recipe {
	struct conform *c;
	plait_queue *queue;
	plait_graph *graph;
	plait_buffer *buffers[BUFFERS];
	uint32_t values[BUFFERS];
	plait_node last[BUFFERS]; /* last writer of each buffer */
	bool known[BUFFERS];
};

static void begin(struct recipe *r, struct conform *c)
{
	*r = (struct recipe){ .c = c };
	/* Make segments of as few as two commands. */
	(void)setenv("PLAIT_SEGMENTS", "2", 1);
	r->queue = conform_queue(c);
	NEED(plait_graph_create(c->context, &r->graph, ERR));
	for (uint32_t i = 0; i < BUFFERS; i++)
		r->buffers[i] = conform_buffer(c, BYTES);
}

static plait_node add(struct recipe *r, plait_node_desc desc,
		      const plait_node *after, uint64_t count)
{
	struct conform *c = r->c;
	plait_node node = 0;

	desc.size = sizeof(desc);
	NEED(plait_graph_add(r->graph, &desc, after, count, &node, ERR));
	return node;
}

static void add_fill(struct recipe *r, uint32_t to, uint32_t value,
		     const plait_node *after, uint64_t count)
{
	r->last[to] = add(r, (plait_node_desc){
		.kind = PLAIT_NODE_FILL, .target = r->buffers[to],
		.bytes = BYTES, .pattern = value, .pattern_bytes = 4,
		.label = "fill" }, after, count);
	r->values[to] = value;
}

static void add_copy(struct recipe *r, uint32_t to, uint32_t from,
		     const plait_node *after, uint64_t count)
{
	r->last[to] = add(r, (plait_node_desc){
		.kind = PLAIT_NODE_COPY, .target = r->buffers[to],
		.source = r->buffers[from], .bytes = BYTES, .label = "copy" },
		after, count);
	r->values[to] = r->values[from];
}

static plait_plan *freeze(struct recipe *r, uint32_t lanes)
{
	const plait_freeze_desc desc = { .size = sizeof(desc),
					 .flags = PLAIT_FREEZE_QUEUES |
						  PLAIT_FREEZE_CHECK,
					 .lanes = lanes, .instances = 2 };
	struct conform *c = r->c;
	plait_plan *plan = NULL;

	NEED(plait_graph_freeze(r->graph, &desc, &plan, ERR));
	plait_graph_release(r->graph);
	return plan;
}

static void look(struct recipe *r, const char *what)
{
	struct conform *c = r->c;
	uint32_t words[WORDS];

	for (uint32_t i = 0; i < BUFFERS; i++) {
		uint32_t at = 0;

		if (!r->known[i])
			continue;
		NEED(plait_queue_read(r->queue, r->buffers[i], 0, words, BYTES,
				      ERR));
		NEED(plait_queue_finish(r->queue, PLAIT_FOREVER, ERR));
		while (at < WORDS && words[at] == r->values[i])
			at++;
		HOLDS_THAT(at == WORDS, "%s: buffer %u, word %u is %u, not %u",
			   what, i, at, at < WORDS ? words[at] : 0,
			   r->values[i]);
	}
}

static void know_all(struct recipe *r)
{
	for (uint32_t i = 0; i < BUFFERS; i++)
		r->known[i] = true;
}

/* ---- G1, G2, G3: completeness and order ---- */

static void does_all(struct conform *c)
{
	struct recipe r;
	plait_plan *plan;

	begin(&r, c);
	for (uint32_t i = 0; i < BUFFERS; i++)
		add_fill(&r, i, 100 + i, NULL, 0);
	know_all(&r);
	plan = freeze(&r, 1);
	NEED(plait_plan_call(plan, NULL, NULL, ERR));
	look(&r, "fills");
	plait_plan_release(plan);
}

/* A value passes through all buffers in sequence, on few lanes. */
static void keeps_chains(struct conform *c)
{
	struct recipe r;
	plait_plan *plan;

	begin(&r, c);
	add_fill(&r, 0, 7, NULL, 0);
	for (uint32_t i = 1; i < BUFFERS; i++)
		add_copy(&r, i, i - 1, &r.last[i - 1], 1);
	know_all(&r);
	plan = freeze(&r, 2);
	NEED(plait_plan_call(plan, NULL, NULL, ERR));
	look(&r, "copies in a row");
	plait_plan_release(plan);
}

/* Add steps, each after all that it conflicts with, for several lanes. */
static void add_steps(struct recipe *r)
{
	plait_node nodes[STEPS], after[STEPS];
	uint32_t wrote[STEPS], read[STEPS];

	for (uint32_t i = 0; i < STEPS; i++) {
		uint32_t to = (uint32_t)conform_below(r->c, BUFFERS), count = 0;
		uint32_t from = (uint32_t)conform_below(r->c, BUFFERS);

		if (i < BUFFERS)
			to = from = i;
		for (uint32_t k = 0; k < i; k++)
			if (wrote[k] == to || wrote[k] == from ||
			    read[k] == to)
				after[count++] = nodes[k];
		if (to == from)
			add_fill(r, to, i, after, count);
		else
			add_copy(r, to, from, after, count);
		nodes[i] = r->last[to];
		wrote[i] = to;
		read[i] = from;
	}
	know_all(r);
}

static void keeps_order(struct conform *c)
{
	for (uint32_t round = 0; round < 4; round++) {
		struct recipe r;
		plait_plan *plan;

		begin(&r, c);
		add_steps(&r);
		plan = freeze(&r, 1 + round);
		for (uint32_t i = 0; i < 3; i++) {
			NEED(plait_plan_call(plan, NULL, NULL, ERR));
			look(&r, "commands on several lanes");
		}
		plait_plan_release(plan);
	}
}

/* ---- G4: parameters ---- */

static plait_status tell(struct conform *c, plait_plan *plan, int32_t value)
{
	const plait_binding binding = { .size = sizeof(binding),
					.value = &value, .bytes = 4 };
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = &binding,
				      .binding_count = 1 };

	return plait_plan_call(plan, NULL, &desc, ERR);
}

static void takes_changes(struct conform *c)
{
	static const char text[] =
		"KERNEL(add) { EACH(i, n) x[i] += a; }\n";
	plait_launch launch = { .size = sizeof(launch), .dimensions = 1,
				.items = { WORDS, 0, 0 } };
	const uint64_t words = WORDS;
	plait_kernel *kernel = conform_kernel(
		c, "add(a: i32, x: inout pointer i32, n: u64)", text, NULL);
	plait_argument arguments[3];
	struct recipe r;
	plait_plan *plan;

	begin(&r, c);
	add_fill(&r, 0, 1, NULL, 0);
	arguments[0] = (plait_argument){ .size = sizeof(arguments[0]),
					 .kind = PLAIT_ARGUMENT_PARAMETER,
					 .name = "a" };
	arguments[1] = conform_memory(r.buffers[0], 0);
	arguments[2] = conform_value(&words, 8);
	r.last[0] = add(&r, (plait_node_desc){
		.kind = PLAIT_NODE_LAUNCH, .kernel = kernel,
		.launch = &launch, .arguments = arguments,
		.argument_count = 3, .label = "add" }, &r.last[0], 1);
	add_copy(&r, 1, 0, &r.last[0], 1);
	r.known[0] = r.known[1] = true;
	plan = freeze(&r, 1);
	for (uint32_t i = 1; i < 5; i++) {
		/* Each value twice, so that an unchanged one is covered. */
		NEED(tell(c, plan, (int32_t)(i / 2 * 10)));
		r.values[0] = r.values[1] = 1 + i / 2 * 10;
		look(&r, "a parameter");
	}
	plait_plan_release(plan);
}

/* ---- G5, G6: runs ---- */

/* Two runs at a time, each on its own instance, repeatedly. */
static void runs_again(struct conform *c)
{
	static const char text[] =
		"KERNEL(twice) { EACH(i, n) x[i] = 2 * x[i] + 1; }\n";
	plait_launch launch = { .size = sizeof(launch), .dimensions = 1,
				.items = { WORDS, 0, 0 } };
	const uint64_t words = WORDS;
	plait_kernel *kernel = conform_kernel(
		c, "twice(x: inout pointer i32, n: u64)", text, NULL);
	plait_argument arguments[2];
	plait_plan *plan;
	struct recipe r;

	begin(&r, c);
	arguments[0] = conform_memory(r.buffers[0], 0);
	arguments[1] = conform_value(&words, 8);
	for (uint32_t i = 0; i < 2; i++)
		r.last[0] = add(&r, (plait_node_desc){
			.kind = PLAIT_NODE_LAUNCH, .kernel = kernel,
			.launch = &launch, .arguments = arguments,
			.argument_count = 2, .label = "twice" }, &r.last[0],
			i);
	plan = freeze(&r, 1);
	NEED(plait_queue_fill(r.queue, r.buffers[0], 0, BYTES, 0,
			      4, ERR));
	for (uint32_t i = 0; i < 6; i++) {
		NEED(plait_plan_run(plan, r.queue, NULL, NULL, ERR));
		r.values[0] = 4 * r.values[0] + 3;
	}
	r.known[0] = true;
	look(&r, "six runs");
	plait_plan_release(plan);
}

static void stops_behind_failure(struct conform *c)
{
	int32_t answer = 9;
	struct recipe r;
	plait_node first;
	plait_plan *plan;

	if ((c->info.capabilities & PLAIT_DEVICE_HOST_CALL) == 0)
		conform_skip(c, "it calls no host functions");
	begin(&r, c);
	NEED(plait_queue_fill(r.queue, r.buffers[0], 0, BYTES, 5,
			      4, ERR));
	NEED(plait_queue_finish(r.queue, PLAIT_FOREVER, ERR));
	first = add(&r, (plait_node_desc){ .kind = PLAIT_NODE_CALL,
					   .flags = PLAIT_CALL_ANY_THREAD,
					   .device = c->device,
					   .function = conform_return_value,
					   .user_data = &answer,
					   .label = "answer" }, NULL, 0);
	add_fill(&r, 0, 1, &first, 1);
	add_fill(&r, 1, 1, &first, 1);
	plan = freeze(&r, 1);
	GIVES(plait_plan_call(plan, NULL, NULL, ERR), PLAIT_E_FAILED);
	SAYS(9, "answer");
	r.values[0] = 5;
	r.known[0] = true;
	look(&r, "behind a failure");
	answer = 0;
	r.values[0] = 1;
	NEED(plait_plan_call(plan, NULL, NULL, ERR));
	look(&r, "and afterwards");
	plait_plan_release(plan);
}

/* ---- G7: rows ---- */

enum { ROW = 16, ROWS = BYTES / (2 * ROW) };

static void add_rows(struct recipe *r, uint32_t to, uint64_t to_offset,
		     uint32_t from, uint64_t from_offset, const plait_rows *rows)
{
	const plait_node after[] = { r->last[to], r->last[from] };

	r->last[to] = add(r, (plait_node_desc){
		.kind = PLAIT_NODE_COPY, .target = r->buffers[to],
		.target_offset = to_offset, .source = r->buffers[from],
		.source_offset = from_offset, .bytes = ROW, .rows = rows,
		.label = "rows" }, after, 2);
}

/* Copy every other row to a second buffer, then both kinds of rows from there. */
static void moves_rows(struct conform *c)
{
	const plait_rows apart = { .size = sizeof(apart), .rows = ROWS,
				   .target_row = 2 * ROW, .source_row = ROW };
	const plait_rows together = { .size = sizeof(together), .rows = ROWS,
				      .target_row = ROW,
				      .source_row = 2 * ROW };
	struct recipe r;
	plait_plan *plan;

	begin(&r, c);
	for (uint32_t i = 0; i < 4; i++)
		add_fill(&r, i, i, NULL, 0);
	add_rows(&r, 1, 0, 0, 0, &apart);
	for (uint32_t i = 0; i < 2; i++) {
		add_rows(&r, 2, i * BYTES / 2, 1, 0, &together);
		add_rows(&r, 3, i * BYTES / 2, 1, ROW, &together);
	}
	r.values[2] = 0;
	r.values[3] = 1;
	r.known[0] = r.known[2] = r.known[3] = true;
	plan = freeze(&r, 2);
	for (uint32_t i = 0; i < 2; i++) {
		NEED(plait_plan_call(plan, NULL, NULL, ERR));
		look(&r, "rows");
	}
	plait_plan_release(plan);
}

static const struct conform_check checks[] = {
	{ "G1", "all commands of a segment are done", FROZEN, does_all },
	{ "G2", "each behind those that it comes behind", FROZEN,
	  keeps_chains },
	{ "G3", "the same on several lanes, again and again", FROZEN,
	  keeps_order },
	{ "G4", "what changes is changed", FROZEN | NEED_KERNELS,
	  takes_changes },
	{ "G5", "runs one behind the other, on two instances",
	  FROZEN | NEED_KERNELS, runs_again },
	{ "G6", "no segment runs behind a failure, and later ones do",
	  FROZEN, stops_behind_failure },
	{ "G7", "copies of rows are done, and what lies between stays",
	  FROZEN, moves_rows },
};

CONFORM_GROUP(conform_segments, "segments");
