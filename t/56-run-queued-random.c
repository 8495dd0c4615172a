/* SPDX-License-Identifier: MIT */
/*
 * Random programs of kernels, copies, fills and nested loops, made from a
 * number, in plans on simulated systems; a plain interpreter says what each
 * buffer has in the end.  Edges are what the memory asks for and no more, so
 * that lanes and devices overtake each other where they may.
 */
#include "queued.h"

enum {
	SEEDS = 60, BUFFERS = 6, MOST_OPS = 10, DEPTH = 3,
	MOST_TIMES = 4
};

enum op_kind { MAP, COPY, FILL, LOOP };

struct op {
	enum op_kind kind;
	uint32_t to, from;	/* LOOP: `to` is its counter's number */
	uint32_t a, b;		/* LOOP: `b` is how often */
	bool told;		/* MAP: `b` is a parameter */
	uint32_t count;		/* LOOP: of ops behind it, all levels */
};

struct program {
	struct op ops[64];
	uint32_t count;
	uint32_t loops;
	bool has_told;
	uint64_t random;
};

static uint32_t below(struct program *program, uint32_t bound)
{
	program->random = program->random * 6364136223846793005u +
			  1442695040888963407u;
	return (uint32_t)(program->random >> 33) % bound;
}

/* ---- making one ---- */

static void make_ops(struct program *program, uint32_t depth)
{
	uint32_t count = 1 + below(program, depth > 0 ? 4 : MOST_OPS);

	for (uint32_t i = 0; i < count &&
	     program->count < TAP_COUNT(program->ops); i++) {
		struct op *op = &program->ops[program->count++];

		*op = (struct op){ .kind = (enum op_kind)below(program, 4),
				   .to = below(program, BUFFERS),
				   .from = below(program, BUFFERS),
				   .a = below(program, 9),
				   .b = below(program, 100) };
		if (op->kind == COPY && op->to == op->from)
			op->kind = FILL;
		if (op->kind == MAP && below(program, 4) == 0)
			program->has_told = op->told = true;
		if (op->kind != LOOP)
			continue;
		if (depth == DEPTH) {
			op->kind = MAP;
			continue;
		}
		op->to = program->loops++;
		op->b %= MOST_TIMES + 1;
		make_ops(program, depth + 1);
		op->count = program->count -
			    (uint32_t)(op - program->ops) - 1;
	}
}

/* ---- what it means ---- */

static void walk(const struct program *program, uint32_t first, uint32_t end,
		 uint32_t told, uint32_t values[BUFFERS])
{
	for (uint32_t i = first; i < end; i++) {
		const struct op *op = &program->ops[i];

		switch (op->kind) {
		case MAP:
			values[op->to] = values[op->from] * op->a +
					 (op->told ? told : op->b);
			break;
		case COPY:
			values[op->to] = values[op->from];
			break;
		case FILL:
			values[op->to] = op->b;
			break;
		default:
			for (uint32_t k = 0; k < op->b; k++)
				walk(program, i + 1, i + 1 + op->count, told,
				     values);
			i += op->count;
		}
	}
}

/* ---- as a graph ---- */

struct made {
	const struct program *program;
	plait_buffer *buffers[BUFFERS];
	plait_buffer *counters[64];
	plait_kernel *map;
	plait_plan *plan;
};

/* Which buffers it and what is in it reads and writes; bits. */
static void find_use(const struct program *program, uint32_t index,
		     uint32_t *out_reads, uint32_t *out_writes)
{
	const struct op *op = &program->ops[index];

	if (op->kind == LOOP) {
		for (uint32_t i = index + 1; i <= index + op->count; i++)
			if (program->ops[i].kind != LOOP)
				find_use(program, i, out_reads, out_writes);
		return;
	}
	*out_writes |= 1u << op->to;
	if (op->kind != FILL)
		*out_reads |= 1u << op->from;
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
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_LAUNCH, .kernel = made->map,
		.launch = &launch, .arguments = arguments,
		.argument_count = 4, .label = "map",
	};

	if (op->kind == COPY)
		return add_copy(graph, made->buffers[op->to],
				made->buffers[op->from], after, count);
	if (op->kind == FILL)
		return add_fill(graph, made->buffers[op->to], op->b, after,
				count);
	if (op->told)
		arguments[3] = of_kind(PLAIT_ARGUMENT_PARAMETER, "told");
	return add_node(graph, desc, after, count);
}

static void add_ops(struct made *made, plait_graph *graph, uint32_t first,
		    uint32_t end);

/* counter = times; while counter { ...; counter -= 1 } */
static plait_node add_loop(struct made *made, plait_graph *graph,
			   uint32_t index, const plait_node *after,
			   uint64_t count)
{
	const struct op *op = &made->program->ops[index];
	plait_buffer *counter = made->counters[op->to];
	plait_node node = add_fill(graph, counter, op->b, after, count);
	const plait_node_desc desc = { .kind = PLAIT_NODE_WHILE,
				       .predicate = counter,
				       .label = "loop" };
	plait_graph *body;

	node = add_node(graph, desc, &node, 1);
	body = body_of(graph, node, 0);
	add_ops(made, body, index + 1, index + 1 + op->count);
	(void)add_map(body, made->map, counter, counter, 1, UINT32_MAX, NULL,
		      0);
	plait_graph_release(body);
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
		if (op->kind == LOOP) {
			nodes[known] = add_loop(made, graph, i, after, count);
			i += op->count;
		} else {
			nodes[known] = add_op(made, graph, op, after, count);
		}
		known++;
	}
}

static plait_status run_told(const struct made *made, uint32_t told,
			     uint32_t flags)
{
	plait_binding binding = { .size = sizeof(binding), .value = &told,
				  .bytes = 4 };
	const plait_run_desc desc = {
		.size = sizeof(desc), .bindings = &binding,
		.binding_count = made->program->has_told,
	};
	plait_status status = PLAIT_OK;

	if (made->program->has_told)
		status = plait_plan_parameter(made->plan, "told",
					      &binding.parameter, &rig.error);
	if (status != PLAIT_OK)
		return status;
	return flags != 0 ?
	       plait_plan_call(made->plan, NULL, &desc, &rig.error) :
	       plait_plan_run(made->plan, rig.queue, &desc, NULL, &rig.error);
}

static void check_runs(const struct made *made)
{
	for (uint32_t run = 0; run < 2; run++) {
		uint32_t values[BUFFERS], told = 5 + run;

		for (uint32_t i = 0; i < BUFFERS; i++) {
			values[i] = i + run;
			write_words(made->buffers[i], values[i]);
		}
		OK_THAT(run_told(made, told, run % 2) == PLAIT_OK, "run: %s",
			rig.error.text);
		walk(made->program, 0, made->program->count, told, values);
		for (uint32_t i = 0; i < BUFFERS; i++)
			IS_UINT(read_words(made->buffers[i]), values[i]);
	}
}

static void check_program(const struct place *place)
{
	static struct program program;
	struct made made = { .program = &program };
	plait_graph *graph = new_graph();

	program = (struct program){ .random = tap_seed() + place->lanes };
	for (const char *c = place->options; *c != '\0'; c++)
		program.random = program.random * 31 + (unsigned char)*c;
	make_ops(&program, 0);
	made.map = map_kernel();
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
	for (uint32_t i = 0; i < BUFFERS; i++)
		plait_buffer_release(made.buffers[i]);
	for (uint32_t i = 0; i < program.loops; i++)
		plait_buffer_release(made.counters[i]);
}

static void programs(void)
{
	each_place(SEEDS, check_program);
}

static const struct tap_scenario all[] = {
	{ "programs", programs },
};
TAP_MAIN(all)
