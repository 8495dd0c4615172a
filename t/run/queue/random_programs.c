/* SPDX-License-Identifier: MIT */
/*
 * Random programs of kernels, copies, fills, nested loops and branches, and of
 * external commands (functions of an inbox, predicates of one, emissions,
 * waits), made from a number, in plans on simulated systems; a plain
 * interpreter computes the final content of each buffer.  Edges are those that
 * the memory requires and no more, so that lanes and devices overtake each
 * other where they may.  Then the same with a function that fails, or that
 * cancels its run.
 */
#include "programs.h"
#include "lib/queued.h"

#include "plait/trace.h"

#ifndef SEEDS
#define SEEDS 60
#endif

/* ---- as a graph ---- */

struct made {
	struct program *program;
	plait_buffer *buffers[BUFFERS];
	plait_buffer *counters[64];
	plait_kernel *map;
	plait_inbox *inbox;
	plait_signal *signal;
	plait_plan *plan;
	/* State of the run, changed by functions of the inbox. */
	uint32_t tally, calls;
	uint32_t fuse;		/* the call that does not go well */
	uint64_t recorded;	/* calls, as the records say */
	bool cancels;
	plait_run *run;
};

/* The arguments of the functions. */
struct call {
	struct made *made;
	struct op *op;
};

static struct call calls[64];

static void *given(struct made *made, const struct op *op)
{
	uint32_t number = (uint32_t)(op - made->program->ops);

	calls[number] = (struct call){ made, &made->program->ops[number] };
	return &calls[number];
}

static int32_t be_called(void *user_data)
{
	const struct call *call = user_data;
	struct made *made = call->made;

	made->tally = made->tally * call->op->a + call->op->b;
	if (++made->calls != made->fuse)
		return 0;
	if (!made->cancels)
		return 7;
	IS_INT(plait_run_cancel(made->run, NULL), PLAIT_OK);
	return 0;
}

/* Asked once more than it returns true. */
static int32_t go_on(void *user_data)
{
	struct op *op = ((const struct call *)user_data)->op;

	op->turn = op->turn < op->b ? op->turn + 1 : 0;
	return (int32_t)op->turn;
}

static int32_t choose(void *user_data)
{
	return (int32_t)((const struct call *)user_data)->op->a;
}

/* External commands. */
static plait_node add_outside(struct made *made, plait_graph *graph,
			      const struct op *op, const plait_node *after,
			      uint64_t count)
{
	plait_node_desc desc = { .kind = PLAIT_NODE_CALL, .label = "owned" };

	if (op->kind == CALL) {
		desc.function = be_called;
		desc.user_data = given(made, op);
		desc.inbox = made->inbox;
		return add_node(graph, desc, after, count);
	}
	desc.kind = op->kind == EMIT ? PLAIT_NODE_EMIT : PLAIT_NODE_WAIT;
	desc.label = "signal";
	desc.signal = made->signal;
	desc.sequence = op->kind == WAIT;
	return add_node(graph, desc, after, count);
}

static plait_node add_op(struct made *made, plait_graph *graph,
			 const struct op *op, const plait_node *after,
			 uint64_t count)
{
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WORDS, 0, 0 } };
	plait_argument arguments[4] = {
		buffer_argument(made->buffers[op->from]),
		buffer_argument(made->buffers[op->to]),
		value_argument(&op->a), value_argument(&op->b),
	};
	const plait_series series = {
		.size = sizeof(series), .offset = op->b, .scale = op->scale,
		.flags = op->from_count ? PLAIT_SERIES_FROM_COUNT : 0,
	};
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_LAUNCH, .kernel = made->map,
		.launch = &launch, .arguments = arguments,
		.argument_count = 4, .label = "map",
	};

	if (op->kind > CHOICE)
		return add_outside(made, graph, op, after, count);
	if (op->kind == COPY)
		return add_copy(graph, made->buffers[op->to],
				made->buffers[op->from], after, count);
	if (op->kind == FILL)
		return add_fill(graph, made->buffers[op->to], op->b, after,
				count);
	if (op->told)
		arguments[3] = of_kind(PLAIT_ARGUMENT_PARAMETER, "told");
	if (op->numbers) {
		arguments[3] = of_kind(PLAIT_ARGUMENT_ITERATION, NULL);
		arguments[3].series = &series;
	}
	return add_node(graph, desc, after, count);
}

static void add_ops(struct made *made, plait_graph *graph, uint32_t first,
		    uint32_t end);

/* repeat times { ... }, where times may be a word. */
static plait_node add_repeat(struct made *made, plait_graph *graph,
			     const struct op *op, const plait_node *after,
			     uint64_t count)
{
	plait_node_desc desc = { .kind = PLAIT_NODE_REPEAT, .label = "repeat",
				 .count_step = op->step };
	plait_node node;

	if (op->decided == COUNTED) {
		desc.times = op->b;
		return add_node(graph, desc, after, count);
	}
	desc.predicate = made->counters[op->to];
	node = add_fill(graph, desc.predicate, op->b, after, count);
	return add_node(graph, desc, &node, 1);
}

/* counter = times; while counter { ...; counter -= 1 }; or while go_on(); or a
 * repeat. */
static plait_node add_loop(struct made *made, plait_graph *graph,
			   uint32_t index, const plait_node *after,
			   uint64_t count)
{
	const struct op *op = &made->program->ops[index];
	plait_buffer *counter = made->counters[op->to];
	plait_node_desc desc = { .kind = PLAIT_NODE_WHILE, .label = "loop" };
	plait_graph *body;
	plait_node node;

	if (op->decided != DECIDED) {
		node = add_repeat(made, graph, op, after, count);
	} else if (op->asks) {
		desc.function = go_on;
		desc.user_data = given(made, op);
		desc.inbox = made->inbox;
		node = add_node(graph, desc, after, count);
	} else {
		desc.predicate = counter;
		node = add_fill(graph, counter, op->b, after, count);
		node = add_node(graph, desc, &node, 1);
	}
	body = body_of(graph, node, 0);
	add_ops(made, body, index + 1, index + 1 + op->count);
	if (!op->asks && op->decided == DECIDED)
		(void)add_map(body, made->map, counter, counter, 1,
			      UINT32_MAX, NULL, 0);
	plait_graph_release(body);
	return node;
}

/* word = a; case word { ... } { ... }; or case choose(). */
static plait_node add_choice(struct made *made, plait_graph *graph,
			     uint32_t index, const plait_node *after,
			     uint64_t count)
{
	const struct program *program = made->program;
	const struct op *op = &program->ops[index];
	plait_buffer *word = made->counters[op->to];
	plait_node_desc desc = { .kind = PLAIT_NODE_CASE, .label = "case",
				 .branch_count = op->b };
	plait_node node;

	if (op->asks) {
		desc.function = choose;
		desc.user_data = given(made, op);
		desc.inbox = made->inbox;
		node = add_node(graph, desc, after, count);
	} else {
		desc.predicate = word;
		node = add_fill(graph, word, op->a, after, count);
		node = add_node(graph, desc, &node, 1);
	}
	for (uint32_t i = 0; i < op->b; i++) {
		uint32_t branch = find_branch(program, index, i);
		plait_graph *body = body_of(graph, node, i);

		add_ops(made, body, branch + 1,
			branch + 1 + program->ops[branch].count);
		plait_graph_release(body);
	}
	return node;
}

/* Behind all of the same body that it conflicts with. */
static void add_ops(struct made *made, plait_graph *graph, uint32_t first,
		    uint32_t end)
{
	const struct program *program = made->program;
	plait_node nodes[64], after[64];
	uint32_t reads[64] = { 0 }, writes[64] = { 0 }, known = 0;

	for (uint32_t i = first; i < end; i++) {
		const struct op *op = &program->ops[i];
		uint64_t count = 0;

		find_use(program, i, &reads[known], &writes[known]);
		for (uint32_t k = 0; k < known; k++)
			if ((writes[k] & (reads[known] | writes[known])) != 0 ||
			    (reads[k] & writes[known]) != 0)
				after[count++] = nodes[k];
		if (op->kind == LOOP || op->kind == CHOICE) {
			nodes[known] = (op->kind == LOOP ? add_loop :
					add_choice)(made, graph, i, after,
						    count);
			i += op->count;
		} else {
			nodes[known] = add_op(made, graph, op, after, count);
		}
		known++;
	}
}

/* Recorded calls of functions of the inbox; each is whole and within its
 * run. */
static uint64_t count_recorded(const struct made *made)
{
	static plait_record records[4096];
	plait_run_info info = { .size = sizeof(info) };
	plait_command_info command = { .size = sizeof(command) };
	uint64_t count = 0, dropped = 0, calls_seen = 0;
	bool good = true;

	records[0].size = sizeof(records[0]);
	OK_THAT(plait_run_query(made->run, &info, &rig.error) == PLAIT_OK &&
		plait_run_records(made->run, records, TAP_COUNT(records),
				  &count, &dropped, &rig.error) == PLAIT_OK,
		"records: %s", rig.error.text);
	for (uint64_t i = 0; i < count && i < TAP_COUNT(records); i++) {
		const plait_record *at = &records[i];

		good = good && at->start_ns <= at->end_ns &&
		       at->start_ns >= info.begin_ns &&
		       at->end_ns <= info.end_ns &&
		       (i == 0 || at[-1].lane < at->lane ||
			at[-1].end_ns <= at->start_ns) &&
		       plait_plan_query_command(made->plan, at->command, &command,
					  NULL) == PLAIT_OK;
		calls_seen += strcmp(command.label, "owned") == 0 &&
			      at->kind == PLAIT_RECORD_COMMAND;
	}
	OK_THAT(good && dropped == 0, "records");
	return calls_seen;
}

/* Called, or on a queue and recorded. */
static plait_status run_told(struct made *made, uint32_t told, bool called)
{
	plait_binding binding = { .size = sizeof(binding), .value = &told,
				  .bytes = 4 };
	const plait_run_desc desc = {
		.size = sizeof(desc), .bindings = &binding,
		.binding_count = made->program->has_told,
		.flags = called ? 0 : PLAIT_RUN_RECORD,
	};
	plait_status status = PLAIT_OK;

	if (made->program->has_told)
		status = plait_plan_find_parameter(made->plan, "told",
					      &binding.parameter, &rig.error);
	if (status != PLAIT_OK)
		return status;
	if (called)
		return plait_plan_call(made->plan, NULL, &desc, &rig.error);
	made->run = NULL;
	status = plait_plan_record(made->plan, 1000, &rig.error);
	if (status == PLAIT_OK)
		status = plait_plan_run(made->plan, rig.queue, &desc,
					&made->run, &rig.error);
	if (status == PLAIT_OK)
		status = plait_run_wait(made->run, PLAIT_FOREVER, &rig.error);
	made->recorded = made->run != NULL ? count_recorded(made) : 0;
	plait_run_release(made->run);
	(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
	return status;
}

static uint64_t emitted(const struct made *made)
{
	uint64_t reached = 0, submitted = 0;

	/* A call in progress when its run was stopped happens all the same. */
	IS_INT(plait_signal_wait(made->signal, 0, PLAIT_FOREVER, NULL),
	       PLAIT_OK);
	IS_INT(plait_signal_query(made->signal, &reached, &submitted, NULL),
	       PLAIT_OK);
	IS_UINT(reached, submitted);
	return reached;
}

static void reset(struct made *made, struct state *state, uint32_t run)
{
	*state = (struct state){ .tally = run };
	made->tally = run;
	made->calls = made->fuse = 0;
	for (uint32_t i = 0; i < made->program->count; i++)
		made->program->ops[i].turn = 0;
	for (uint32_t i = 0; i < BUFFERS; i++) {
		state->values[i] = i + run;
		write_words(made->buffers[i], state->values[i]);
	}
}

static void check_run(struct made *made, uint32_t run, struct state *state)
{
	uint64_t before = emitted(made);
	bool called = made->program->frozen || run % 2;

	reset(made, state, run);
	OK_THAT(run_told(made, 5 + run, called) == PLAIT_OK, "run: %s",
		rig.error.text);
	walk(made->program, 0, made->program->count, 5 + run, state);
	for (uint32_t i = 0; i < BUFFERS; i++)
		IS_UINT(read_words(made->buffers[i]), state->values[i]);
	IS_UINT(made->tally, state->tally);
	IS_UINT(made->calls, state->calls);
	if (!called)
		IS_UINT(made->recorded, state->calls);
	IS_UINT(emitted(made), before + state->emissions);
}

/* Some call fails, or cancels the run; then nothing begins any more. */
static void check_fuse(struct made *made, const struct state *whole,
		       bool cancels)
{
	struct state state;
	uint32_t fuse = 1 + below(made->program, whole->calls);
	plait_status status;

	reset(made, &state, 1);
	made->fuse = fuse;
	made->cancels = cancels;
	status = run_told(made, 5, !cancels);
	OK_THAT(status == (cancels ? PLAIT_E_CANCELLED : PLAIT_E_FAILED) ||
		/* The cancelling call was the last one. */
		(cancels && status == PLAIT_OK && fuse == whole->calls),
		"status %d: %s", (int)status, rig.error.text);
	IS_UINT(made->calls, fuse);
	(void)emitted(made);
}

static void check_runs(struct made *made)
{
	struct state whole;

	check_run(made, 0, &whole);
	check_run(made, 1, &whole);
	for (int i = 0; i < 2 && whole.calls > 0; i++) {
		check_fuse(made, &whole, i);
		check_run(made, 2, &whole);
	}
}

static bool frozen; /* the programs that are made now */

static void check_program(const struct place *place)
{
	static struct program program;
	struct made made = { .program = &program };
	plait_graph *graph = new_graph();

	program = (struct program){ .random = tap_seed() + place->lanes,
				    .frozen = frozen };
	builds |= frozen;
	for (const char *c = place->options; *c != '\0'; c++)
		program.random = program.random * 31 + (unsigned char)*c;
	make_ops(&program, 0);
	made.map = map_kernel();
	OK(plait_inbox_create(rig.context, &made.inbox, NULL) == PLAIT_OK);
	OK(plait_signal_create(rig.device, NULL, &made.signal, NULL) ==
	   PLAIT_OK);
	for (uint32_t i = 0; i < BUFFERS; i++)
		made.buffers[i] = words_on(i % 3 == 2 ? other_device() :
						       rig.device);
	for (uint32_t i = 0; i < program.loops; i++)
		made.counters[i] = words_on(rig.device);
	add_ops(&made, graph, 0, program.count);
	made.plan = freeze_on(graph, place->lanes);
	check_runs(&made);
	plait_plan_release(made.plan);
	plait_kernel_release(made.map);
	plait_signal_release(made.signal);
	plait_inbox_release(made.inbox);
	for (uint32_t i = 0; i < BUFFERS; i++)
		plait_buffer_release(made.buffers[i]);
	for (uint32_t i = 0; i < program.loops; i++)
		plait_buffer_release(made.counters[i]);
}

static void programs(void)
{
	frozen = false;
	each_place(SEEDS, check_program);
}

/* Backends get larger segments. */
static void segments(void)
{
	frozen = true;
	each_place(SEEDS, check_program);
}

static const struct tap_scenario all[] = {
	{ "programs", programs },
	{ "segments", segments },
};
TAP_MAIN(all)
