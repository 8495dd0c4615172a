/* SPDX-License-Identifier: MIT */
/* Mazes as graphs of plait, and the functions of their nodes; see maze.h. */
#include "maze.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { OWN_BYTES = 64 };

/* ---- functions of nodes ---- */

static uint64_t stamp(struct maze_world *world)
{
	/* Relaxed: the plan orders functions, not this. */
	return __atomic_add_fetch(&world->clock, 1, __ATOMIC_RELAXED);
}

static void report_broken(struct maze_world *world)
{
	__atomic_store_n(&world->broken, 1, __ATOMIC_RELAXED);
}

/* Spins for a while, a different one each time. */
static void dawdle(uint64_t number)
{
	if (number % 64 == 0)
		(void)sched_yield();
	for (uint64_t i = number % 128; i > 0; i--)
		__asm__ volatile("" ::: "memory");
}

static int32_t burn(struct maze_world *world)
{
	plait_run *run;

	switch (world->action) {
	case MAZE_FAILS:
		return 42;
	case MAZE_CANCELS:
		run = __atomic_load_n(&world->run, __ATOMIC_ACQUIRE);
		if (plait_run_cancel(run, NULL) != PLAIT_OK)
			report_broken(world);
		return 0;
	default:
		return 0;
	}
}

/* The common part of all functions; the number that it leaves goes to `out`. */
static int32_t take_turn(struct maze_world *world,
			 const struct maze_spot *spot, uint64_t extra,
			 uint64_t *out)
{
	uint32_t n = spot->number;
	uint32_t turn = world->times[n];
	struct maze_entry *entry;
	int32_t result = 0;

	if (turn == MAZE_TURNS) {
		report_broken(world);
		return 1;
	}
	entry = &world->entries[n][turn];
	entry->begin = stamp(world);
	entry->number = maze_number(spot, world->numbers, turn, extra);
	dawdle(entry->number);
	world->numbers[n][turn & 1] = entry->number;
	*out = entry->number;
	world->times[n] = turn + 1;
	if (world->fuse == n && world->fuse_turn == turn)
		result = burn(world);
	entry->end = stamp(world);
	return result;
}

static int32_t run_call(void *user_data)
{
	const struct maze_spot *spot = user_data;
	uint64_t number;

	return take_turn(spot->maze->world, spot, 0, &number);
}

/* Another user of this memory may have overwritten it meanwhile. */
static int32_t run_scratch(struct maze_world *world,
			   const struct maze_spot *spot, unsigned char *own)
{
	uint64_t number;
	int32_t result;

	memset(own, (int)spot->number + 1, OWN_BYTES);
	result = take_turn(world, spot, 0, &number);
	for (int i = 0; i < OWN_BYTES; i++)
		if (own[i] != spot->number + 1)
			report_broken(world);
	return result;
}

static int32_t run_turn(struct maze_world *world, const struct maze_spot *spot,
			const uint64_t *from, uint64_t *to)
{
	return take_turn(world, spot, *from, to);
}

static int32_t run_word(struct maze_world *world, const struct maze_spot *spot,
			uint32_t *word)
{
	const struct maze_spot *region = &spot->maze->spots[spot->region];
	uint64_t number;

	*word = spot->kind == MAZE_LOWER ? *word - 1 :
		maze_count(region, world->times[spot->number]);
	return take_turn(world, spot, *word, &number);
}

/* Every kernel takes the spot first. */
static int32_t run_kernel(void *const *arguments, const plait_launch *launch,
			  void *user_data)
{
	const struct maze_spot *spot = *(const struct maze_spot **)arguments[0];
	struct maze_world *world = spot->maze->world;
	uint64_t number;

	(void)user_data;
	switch (spot->kind) {
	case MAZE_NUMBER:
	case MAZE_VALUE:
		return take_turn(world, spot, *(uint64_t *)arguments[1],
				 &number);
	case MAZE_SIZE:
		return take_turn(world, spot, launch->items[0], &number);
	case MAZE_SCRATCH:
		return run_scratch(world, spot, *(unsigned char **)arguments[1]);
	case MAZE_TURN:
		return run_turn(world, spot, *(const uint64_t **)arguments[1],
				*(uint64_t **)arguments[2]);
	case MAZE_LOOK:
		return take_turn(world, spot, **(const uint64_t **)arguments[1],
				 &number);
	case MAZE_SET:
	case MAZE_LOWER:
		return run_word(world, spot, *(uint32_t **)arguments[1]);
	case MAZE_STATE:
		return take_turn(**(struct maze_world ***)arguments[1], spot, 0,
				 &number);
	default:
		return take_turn(world, spot, 0, &number);
	}
}

/* The predicate of a region: it decides as often as the walk does. */
static int32_t decide(void *user_data)
{
	const struct maze_spot *spot = user_data;
	struct maze_world *world = spot->maze->world;
	uint32_t *visit = &world->visits[spot->number];
	int64_t *left = &world->left[spot->number];
	uint64_t number;

	(void)take_turn(world, spot, 0, &number);
	if (spot->kind == MAZE_CASE)
		return (int32_t)maze_count(spot, (*visit)++);
	if (*left < 0)
		/* DO has had its first iteration. */
		*left = maze_count(spot, *visit) - (spot->kind == MAZE_DO);
	if ((*left)-- > 0)
		return 1;
	++*visit;
	return 0;
}

void maze_reset(struct maze_world *world, uint64_t salt)
{
	world->salt = salt;
	world->size = 1 + salt % 1000;
	world->clock = 0;
	world->broken = 0;
	world->action = MAZE_GOES_ON;
	world->fuse = MAZE_NONE;
	world->run = NULL;
	memset(world->numbers, 0, sizeof(world->numbers));
	memset(world->times, 0, sizeof(world->times));
	memset(world->visits, 0, sizeof(world->visits));
	memset(world->left, 0xff, sizeof(world->left));
}

/* ---- kernels ---- */

static const char *const signatures[MAZE_JOIN] = {
	[MAZE_PLAIN] = "plain(spot: u64)",
	[MAZE_NUMBER] = "number(spot: u64, i: u64)",
	[MAZE_VALUE] = "value(spot: u64, salt: u64)",
	[MAZE_SIZE] = "size(spot: u64)",
	[MAZE_SCRATCH] = "scratch(spot: u64, own: inout pointer u8)",
	[MAZE_TURN] = "turn(spot: u64, from: in pointer u64, "
		      "to: out pointer u64)",
	[MAZE_LOOK] = "look(spot: u64, at: in pointer u64)",
	[MAZE_SET] = "set(spot: u64, word: out pointer u32)",
	[MAZE_LOWER] = "lower(spot: u64, word: inout pointer u32)",
	/* Plait does not look at the memory behind this address. */
	[MAZE_STATE] = "state(spot: u64, world: in pointer u64)",
};

bool maze_open(struct maze_kernels *kernels, plait_context *context)
{
	bool good = true;

	memset(kernels, 0, sizeof(*kernels));
	for (int i = 0; i < MAZE_JOIN; i++) {
		const plait_kernel_desc desc = {
			.size = sizeof(desc), .signature = signatures[i],
			.function = run_kernel,
		};

		if (signatures[i] != NULL)
			good = plait_kernel_create(context, &desc,
						   &kernels->kernels[i],
						   NULL) == PLAIT_OK && good;
	}
	return good;
}

void maze_close(struct maze_kernels *kernels)
{
	for (int i = 0; i < MAZE_JOIN; i++)
		plait_kernel_release(kernels->kernels[i]);
}

/* ---- nodes ---- */

struct builder {
	struct maze *maze;
	const struct maze_kernels *kernels;
	plait_error *error;
	plait_status status;
};

static plait_argument buffer_argument(struct maze *maze,
				      const struct maze_spot *spot)
{
	plait_argument argument = { .size = sizeof(argument) };

	if (spot->rotation != MAZE_NONE) {
		argument.kind = PLAIT_ARGUMENT_ROTATION;
		argument.rotation = maze->rotations[spot->rotation].handle;
	} else {
		argument.kind = PLAIT_ARGUMENT_BUFFER;
		argument.buffer = maze->buffers[spot->buffer];
	}
	return argument;
}

/* Behind the spot itself; returns their count. */
static uint32_t set_arguments(struct maze *maze, const struct maze_spot *spot,
			      plait_argument *arguments)
{
	arguments[0].size = arguments[1].size = sizeof(plait_argument);
	switch (spot->kind) {
	case MAZE_NUMBER:
		arguments[0].kind = PLAIT_ARGUMENT_ITERATION;
		return 1;
	case MAZE_VALUE:
	case MAZE_STATE:
		arguments[0].kind = PLAIT_ARGUMENT_PARAMETER;
		arguments[0].name = spot->kind == MAZE_VALUE ? "salt" : "world";
		return 1;
	case MAZE_SCRATCH:
		arguments[0].kind = PLAIT_ARGUMENT_SCRATCH;
		return 1;
	case MAZE_TURN:
		arguments[0] = arguments[1] = buffer_argument(maze, spot);
		arguments[1].ahead = 1;
		if (spot->buffer != MAZE_NONE) {
			arguments[1].kind = PLAIT_ARGUMENT_BUFFER;
			arguments[1].buffer = maze->buffers[spot->buffer];
			arguments[1].rotation = arguments[1].ahead = 0;
		}
		return 2;
	case MAZE_LOOK:
	case MAZE_SET:
	case MAZE_LOWER:
		arguments[0] = buffer_argument(maze, spot);
		return 1;
	default:
		return 0;
	}
}

static void describe_launch(const struct builder *builder,
			    const struct maze_spot *spot,
			    plait_node_desc *desc, plait_argument arguments[3])
{
	desc->kind = PLAIT_NODE_LAUNCH;
	desc->kernel = builder->kernels->kernels[spot->kind];
	desc->arguments = arguments;
	desc->argument_count = 1 + set_arguments(builder->maze, spot,
						 arguments + 1);
	if (spot->kind == MAZE_SIZE)
		desc->launch_parameter = "size";
	if (spot->kind == MAZE_SCRATCH)
		desc->scratch_bytes = OWN_BYTES;
}

static void describe_region(const struct maze_spot *spot,
			    plait_node_desc *desc)
{
	static const uint32_t kinds[] = { PLAIT_NODE_WHILE, PLAIT_NODE_DO,
					  PLAIT_NODE_CASE };

	desc->kind = kinds[spot->kind - MAZE_WHILE];
	if (spot->by_word) {
		desc->predicate = spot->maze->buffers[spot->buffer];
	} else {
		desc->flags = PLAIT_CALL_ANY_THREAD;
		desc->function = decide;
		desc->user_data = (void *)(uintptr_t)spot;
	}
	if (spot->kind == MAZE_CASE)
		desc->branch_count = spot->branches;
	else
		desc->times = spot->cost % 4;
}

static void describe_data(const struct maze_spot *spot, plait_node_desc *desc)
{
	const struct maze *maze = spot->maze;

	desc->kind = spot->kind == MAZE_FILL ? PLAIT_NODE_FILL :
					       PLAIT_NODE_COPY;
	desc->bytes = 8;
	if (spot->buffer != MAZE_NONE) {
		desc->target = maze->buffers[spot->buffer];
	} else {
		desc->target_rotation =
			maze->rotations[spot->rotation].handle;
		desc->target_ahead = 1;
	}
	if (spot->kind == MAZE_FILL) {
		desc->pattern = spot->number + 1;
		desc->pattern_bytes = 8;
	} else if (spot->source != MAZE_NONE) {
		desc->source = maze->buffers[spot->source];
	} else {
		desc->source_rotation =
			maze->rotations[spot->rotation].handle;
	}
}

static void add_node(struct builder *builder, plait_graph *graph,
		     struct maze_spot *spot)
{
	const uint64_t self = (uint64_t)(uintptr_t)spot;
	plait_argument arguments[3] = {
		{ .size = sizeof(plait_argument), .value = &self, .bytes = 8 },
	};
	plait_node_desc desc = { .size = sizeof(desc), .cost = spot->cost,
				 .line = spot->number, .file = "maze" };
	plait_node after[MAZE_AFTER];
	char label[16];

	/* The layout that maze_trace.c reads. */
	(void)snprintf(label, sizeof(label), "%u", spot->number);
	desc.label = label;
	for (uint32_t i = 0; i < spot->after_count; i++)
		after[i] = builder->maze->spots[spot->after[i]].node;
	if (spot->kind == MAZE_CALL) {
		desc.kind = PLAIT_NODE_CALL;
		desc.flags = PLAIT_CALL_ANY_THREAD;
		desc.function = run_call;
		desc.user_data = spot;
	} else if (spot->kind < MAZE_JOIN) {
		describe_launch(builder, spot, &desc, arguments);
	} else if (spot->kind >= MAZE_WHILE) {
		describe_region(spot, &desc);
	} else if (spot->kind == MAZE_FILL || spot->kind == MAZE_COPY) {
		describe_data(spot, &desc);
	} else {
		desc.kind = spot->kind == MAZE_JOIN ? PLAIT_NODE_JOIN :
						      PLAIT_NODE_MARK;
	}
	if (builder->status == PLAIT_OK)
		builder->status = plait_graph_add(graph, &desc, after,
						  spot->after_count,
						  &spot->node, builder->error);
}

static void add_turns(struct builder *builder, plait_graph *graph,
		      struct maze_rotation *rotation)
{
	if (builder->status == PLAIT_OK)
		builder->status = plait_graph_add_rotation(
			graph, &builder->maze->buffers[rotation->first],
			rotation->count,
			rotation->prologue ? PLAIT_ROTATION_PROLOGUE : 0,
			&rotation->handle, builder->error);
}

static void build_body(struct builder *builder, plait_graph *graph,
		       uint32_t number)
{
	struct maze *maze = builder->maze;
	const struct maze_body *body = &maze->bodies[number];

	if (body->rotation != MAZE_NONE)
		add_turns(builder, graph, &maze->rotations[body->rotation]);
	for (uint64_t m = body->spots; m != 0; m &= m - 1) {
		struct maze_spot *spot = &maze->spots[__builtin_ctzll(m)];

		add_node(builder, graph, spot);
		for (uint32_t b = 0; b < spot->branches; b++) {
			plait_graph *inner = NULL;

			if (builder->status == PLAIT_OK)
				builder->status = plait_graph_body(
					graph, spot->node, b, &inner,
					builder->error);
			if (builder->status == PLAIT_OK)
				build_body(builder, inner, spot->bodies[b]);
			plait_graph_release(inner);
		}
	}
}

/* ---- the whole graph ---- */

static void make_buffers(struct builder *builder, plait_context *context,
			 plait_queue *queue)
{
	const plait_buffer_desc desc = { .size = sizeof(desc), .bytes = 8 };
	struct maze *maze = builder->maze;
	plait_device *device;

	builder->status = plait_context_device(context, 0, &device,
					       builder->error);
	for (uint32_t i = 0; i < maze->buffer_count; i++) {
		if (builder->status == PLAIT_OK)
			builder->status = plait_buffer_create(
				device, &desc, &maze->buffers[i],
				builder->error);
		if (builder->status == PLAIT_OK)
			builder->status = plait_queue_fill(
				queue, maze->buffers[i], 0, 8, 0, 8,
				builder->error);
	}
	if (builder->status == PLAIT_OK)
		builder->status = plait_queue_finish(queue, PLAIT_FOREVER,
						     builder->error);
}

plait_graph *maze_build(struct maze *maze, const struct maze_kernels *kernels,
			plait_context *context, plait_queue *queue,
			plait_error *error)
{
	struct builder builder = { maze, kernels, error, PLAIT_OK };
	plait_graph *graph = NULL;

	make_buffers(&builder, context, queue);
	if (builder.status == PLAIT_OK)
		builder.status = plait_graph_create(context, &graph, error);
	if (builder.status == PLAIT_OK)
		build_body(&builder, graph, 0);
	if (builder.status == PLAIT_OK)
		return graph;
	plait_graph_release(graph);
	return NULL;
}

void maze_free(struct maze *maze)
{
	for (uint32_t i = 0; i < maze->buffer_count; i++)
		plait_buffer_release(maze->buffers[i]);
}
