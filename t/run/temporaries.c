/* SPDX-License-Identifier: MIT */
/*
 * Temporaries: memory of plans, one copy per instance.  Overlapping runs do not
 * share them, their contents last from node to node and from iteration to
 * iteration, and nothing but nodes accepts them.
 */
#include "turns.h"
#include "temporary.h"

#include <unistd.h>

#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
	__has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

#define FOR_ALL_RIGS \
	for (uint32_t w = 0; w < WORKERS; w++) \
		if (open_host(worker_counts[w]))

/* The bed with a temporary in place of its fixed buffer. */
static plait_buffer *make_temporary_bed(bool parks)
{
	plait_buffer *buffer;

	make_bed(false, parks, 2);
	plait_plan_release(bed.plan);
	plait_graph_release(bed.graph);
	buffer = temporary(WORDS * 8, "tmp");
	make_graph(buffer, buffer, parks);
	return buffer;
}

static void one_copy_per_run(void)
{
	FOR_ALL_RIGS {
		plait_run *first, *second;
		plait_buffer *buffer = make_temporary_bed(true);
		plait_plan_info info = { .size = sizeof(info) };

		freeze_bed(2);
		/* The plan holds it. */
		plait_buffer_release(buffer);
		OK(plait_plan_query(bed.plan, &info, &rig.error) == PLAIT_OK);
		IS_UINT(info.scratch_bytes, WORDS * 8);
		first = start(0, 1, NULL);
		await_started(first, 1);
		second = start(1, 2, NULL);
		await_started(second, 2);
		raise();
		IS_INT(end_of(second), PLAIT_OK);
		IS_INT(end_of(first), PLAIT_OK);
		IS_UINT(seen.most, 2);
		free_bed();
		close_rig(&rig);
	}
}

/* ---- results ---- */

static uint64_t word_at(plait_buffer *buffer, uint64_t offset)
{
	uint64_t word = 0;

	OK_THAT(plait_queue_read(rig.queue, buffer, offset, &word, 8,
				 &rig.error) == PLAIT_OK &&
		plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error) ==
			PLAIT_OK, "%s", rig.error.text);
	return word;
}

static plait_node add_copy(plait_graph *graph, plait_buffer *target,
			   uint64_t target_offset, plait_buffer *source,
			   uint64_t source_offset, plait_node after)
{
	plait_node node = 0;

	OK_THAT(plait_graph_copy(graph, target, target_offset, source,
				 source_offset, 8, after, &node,
				 &rig.error) == PLAIT_OK, "%s",
		rig.error.text);
	return node;
}

static plait_node add_fill(plait_graph *graph, plait_buffer *target,
			   uint64_t value, plait_node after)
{
	plait_node node = 0;

	OK_THAT(plait_graph_fill(graph, target, 0, 8, value, 8, after, &node,
				 &rig.error) == PLAIT_OK, "%s",
		rig.error.text);
	return node;
}

static plait_plan *freeze_graph(plait_graph *graph)
{
	plait_plan *plan = freeze(graph, 1, 2);

	plait_graph_release(graph);
	return plan;
}

/* Copies, fills, views and several temporaries, in calls and runs. */
static void copies_and_views(void)
{
	FOR_ALL_RIGS {
		plait_buffer *out = make_buffer(&rig, 16, "out");
		plait_buffer *one = temporary(100, "one");
		plait_buffer *other = temporary(300, "other");
		plait_buffer *view = NULL;
		plait_graph *graph = new_graph();
		plait_node node;
		plait_plan *plan;

		OK(plait_buffer_view(other, 64, 64, &view, &rig.error) ==
		   PLAIT_OK);
		node = add_fill(graph, one, 0x1122, 0);
		node = add_fill(graph, other, 0x77, node);
		node = add_fill(graph, view, 0x3344, node);
		node = add_copy(graph, out, 0, one, 0, node);
		node = add_copy(graph, one, 0, other, 64, node);
		(void)add_copy(graph, out, 8, one, 0, node);
		plan = freeze_graph(graph);
		for (int i = 0; i < 3; i++) {
			OK(call_with(plan, 0) == PLAIT_OK);
			OK_THAT(run_with(plan, 0) == PLAIT_OK, "%s",
				rig.error.text);
		}
		IS_UINT(word_at(out, 0), 0x1122);
		IS_UINT(word_at(out, 8), 0x3344);
		plait_plan_release(plan);
		plait_buffer_release(view);
		plait_buffer_release(other);
		plait_buffer_release(one);
		plait_buffer_release(out);
		close_rig(&rig);
	}
}

/* count -= 1; sum += count: plain, on two temporaries. */
static int32_t step(void *const *arguments, const plait_launch *launch,
		    void *user_data)
{
	uint64_t *count = *(uint64_t **)arguments[0];
	uint64_t *sum = *(uint64_t **)arguments[1];

	(void)launch;
	(void)user_data;
	*count -= 1;
	*sum += *count;
	return 0;
}

/* A loop whose word and whose state are temporaries. */
static void through_a_loop(void)
{
	FOR_ALL_RIGS {
		plait_kernel *kernel = make_kernel(
			step, "step(c: pointer u64, s: pointer u64)");
		plait_buffer *out = make_buffer(&rig, 8, "out");
		plait_buffer *count = temporary(8, "count");
		plait_buffer *sum = temporary(8, "sum");
		const plait_argument arguments[2] = {
			{ .size = sizeof(plait_argument), .buffer = count,
			  .kind = PLAIT_ARGUMENT_BUFFER },
			{ .size = sizeof(plait_argument), .buffer = sum,
			  .kind = PLAIT_ARGUMENT_BUFFER },
		};
		plait_graph *graph = new_graph(), *body = NULL;
		plait_node node = add_fill(graph, count, 10, 0);
		plait_plan *plan;

		node = add_fill(graph, sum, 0, node);
		OK_THAT(plait_graph_while(graph, count, 0, 10, node, &body,
					  &node, &rig.error) == PLAIT_OK,
			"%s", rig.error.text);
		(void)add_node(body, (plait_node_desc){
			.kind = PLAIT_NODE_LAUNCH, .kernel = kernel,
			.arguments = arguments, .argument_count = 2,
		}, NULL, 0);
		plait_graph_release(body);
		(void)add_copy(graph, out, 0, sum, 0, node);
		plan = freeze_graph(graph);
		for (int i = 0; i < 3; i++)
			OK_THAT(run_with(plan, 0) == PLAIT_OK, "%s",
				rig.error.text);
		IS_UINT(word_at(out, 0), 45);
		plait_plan_release(plan);
		plait_kernel_release(kernel);
		plait_buffer_release(sum);
		plait_buffer_release(count);
		plait_buffer_release(out);
		close_rig(&rig);
	}
}

/* ---- addresses ---- */

static uintptr_t low_bits;

static int32_t note_address(void *const *arguments, const plait_launch *launch,
			    void *user_data)
{
	(void)launch;
	(void)user_data;
	low_bits |= (uintptr_t)*(void **)arguments[0];
	low_bits |= (uintptr_t)*(void **)arguments[1];
	return 0;
}

/* As device.h promises for buffers that ask for it. */
static void at_aligned_addresses(uint64_t bytes)
{
	plait_kernel *kernel = make_kernel(
		note_address, "note(c: pointer u64, s: pointer u64)");
	plait_buffer *one = temporary(bytes, "one");
	plait_buffer *other = temporary(bytes + 8, "other");
	const plait_argument arguments[2] = {
		{ .size = sizeof(plait_argument), .buffer = one,
		  .kind = PLAIT_ARGUMENT_BUFFER },
		{ .size = sizeof(plait_argument), .buffer = other,
		  .kind = PLAIT_ARGUMENT_BUFFER },
	};
	plait_graph *graph = new_graph();
	plait_plan *plan;

	(void)add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_LAUNCH, .kernel = kernel,
		.arguments = arguments, .argument_count = 2,
	}, NULL, 0);
	plan = freeze_graph(graph);
	low_bits = 0;
	OK(run_with(plan, 0) == PLAIT_OK);
	OK(call_with(plan, 0) == PLAIT_OK);
	OK(low_bits != 0);
	IS_UINT(low_bits % 256, 0);
	plait_plan_release(plan);
	plait_kernel_release(kernel);
	plait_buffer_release(other);
	plait_buffer_release(one);
}

static void aligned(void)
{
	FOR_ALL_RIGS {
		for (uint64_t bytes = 8; bytes <= 2 << 20; bytes *= 4)
			at_aligned_addresses(bytes);
		close_rig(&rig);
	}
}

/* ---- shared bytes ---- */

static uint64_t bytes_of(plait_plan *plan)
{
	plait_plan_info info = { .size = sizeof(info) };

	OK(plait_plan_query(plan, &info, &rig.error) == PLAIT_OK);
	return info.scratch_bytes;
}

enum { LINKS = 8 };

/* Each temporary is copied to the next one: two are in use at a time. */
static void in_a_chain(void)
{
	FOR_ALL_RIGS {
		plait_buffer *tmp[LINKS], *out = make_buffer(&rig, 8, "out");
		plait_graph *graph = new_graph();
		plait_node node = 0;
		plait_plan *plan;

		for (int i = 0; i < LINKS; i++)
			tmp[i] = temporary(256, "link");
		node = add_fill(graph, tmp[0], 0x5a5a, 0);
		for (int i = 1; i < LINKS; i++)
			node = add_copy(graph, tmp[i], 0, tmp[i - 1], 0,
					node);
		(void)add_copy(graph, out, 0, tmp[LINKS - 1], 0, node);
		plan = freeze_graph(graph);
		IS_UINT(bytes_of(plan), 512);
		OK_THAT(run_with(plan, 0) == PLAIT_OK, "%s", rig.error.text);
		IS_UINT(word_at(out, 0), 0x5a5a);
		plait_plan_release(plan);
		for (int i = 0; i < LINKS; i++)
			plait_buffer_release(tmp[i]);
		plait_buffer_release(out);
		close_rig(&rig);
	}
}

enum { CELLS = 6, STEPS = 60 };

/* Random fills and copies, with the edges that their accesses need. */
struct maze {
	plait_buffer *tmp[CELLS];
	plait_node writer[CELLS];
	plait_node readers[CELLS][STEPS];
	uint32_t reader_count[CELLS];
	uint64_t value[CELLS];
	uint32_t random;
};

static uint32_t pick(struct maze *maze, uint32_t below)
{
	maze->random = maze->random * 1664525 + 1013904223;
	return (maze->random >> 16) % below;
}

static uint32_t put_after(const struct maze *maze, uint32_t cell, bool writes,
			  plait_node *after, uint32_t count)
{
	if (maze->writer[cell] != 0)
		after[count++] = maze->writer[cell];
	for (uint32_t i = 0; writes && i < maze->reader_count[cell]; i++)
		after[count++] = maze->readers[cell][i];
	return count;
}

static void add_step(struct maze *maze, plait_graph *graph)
{
	uint32_t to = pick(maze, CELLS), from = pick(maze, CELLS);
	plait_node after[2 * STEPS];
	plait_node_desc desc = {
		.kind = PLAIT_NODE_FILL, .target = maze->tmp[to], .bytes = 8,
		.pattern = pick(maze, 1000), .pattern_bytes = 8,
	};
	uint32_t count = put_after(maze, to, true, after, 0);
	plait_node node;

	/* Nothing was written to `from` yet: a fill. */
	if (to != from && maze->writer[from] != 0) {
		count = put_after(maze, from, false, after, count);
		desc = (plait_node_desc){
			.kind = PLAIT_NODE_COPY, .target = maze->tmp[to],
			.source = maze->tmp[from], .bytes = 8,
		};
		maze->value[to] = maze->value[from];
	} else {
		maze->value[to] = desc.pattern;
	}
	node = add_node(graph, desc, after, count);
	if (desc.kind == PLAIT_NODE_COPY)
		maze->readers[from][maze->reader_count[from]++] = node;
	maze->writer[to] = node;
	maze->reader_count[to] = 0;
}

/* The values that each temporary has last come out. */
static void check_maze(uint32_t seed)
{
	struct maze maze = { .random = seed };
	plait_buffer *out = make_buffer(&rig, CELLS * 8, "out");
	plait_graph *graph = new_graph();
	plait_plan *plan;

	for (uint32_t i = 0; i < CELLS; i++)
		maze.tmp[i] = temporary(64 + pick(&maze, 900), "cell");
	for (uint32_t i = pick(&maze, STEPS); i > 0; i--)
		add_step(&maze, graph);
	for (uint32_t i = 0; i < CELLS; i++)
		if (maze.writer[i] != 0)
			(void)add_copy(graph, out, i * 8ull, maze.tmp[i], 0,
				       maze.writer[i]);
	plan = freeze(graph, 3, 2);
	plait_graph_release(graph);
	OK_THAT(plait_plan_check(plan, &rig.error) == PLAIT_OK, "%s",
		rig.error.text);
	OK_THAT(run_with(plan, seed % 2 == 0 ? PLAIT_RUN_PARALLEL : 0) ==
		PLAIT_OK, "%s", rig.error.text);
	for (uint32_t i = 0; i < CELLS; i++)
		if (maze.writer[i] != 0)
			IS_UINT(word_at(out, i * 8ull), maze.value[i]);
	plait_plan_release(plan);
	for (uint32_t i = 0; i < CELLS; i++)
		plait_buffer_release(maze.tmp[i]);
	plait_buffer_release(out);
}

static void at_random(void)
{
	FOR_ALL_RIGS {
		for (uint32_t seed = 1; seed < 30; seed++)
			check_maze(seed);
		close_rig(&rig);
	}
}

/* ---- saved plans ---- */

static void saved(void)
{
	char path[] = "/tmp/plait-temporaries-XXXXXX";
	int file = mkstemp(path);

	OK(file >= 0);
	FOR_ALL_RIGS {
		plait_buffer *out = make_buffer(&rig, 8, "out");
		plait_buffer *other = make_buffer(&rig, 8, "other");
		plait_buffer *tmp = temporary(64, "tmp");
		plait_graph *graph = new_graph();
		plait_plan *plan, *loaded = NULL;
		plait_node node = add_fill(graph, tmp, 0x99, 0);
		plait_plan_info info = { .size = sizeof(info) };

		(void)add_copy(graph, out, 0, tmp, 0, node);
		plan = freeze_graph(graph);
		OK(plait_plan_save(plan, path, &rig.error) == PLAIT_OK);
		OK_THAT(plait_plan_load(rig.context, path, &loaded,
					&rig.error) == PLAIT_OK, "%s",
			rig.error.text);
		/* Only `out` has to be bound. */
		OK(plait_plan_query(loaded, &info, &rig.error) == PLAIT_OK);
		IS_UINT(info.unbound, 1);
		OK_THAT(plait_plan_bind_buffer(loaded, "out", other,
					       &rig.error) == PLAIT_OK, "%s",
			rig.error.text);
		OK_THAT(run_with(loaded, 0) == PLAIT_OK, "%s",
			rig.error.text);
		IS_UINT(word_at(other, 0), 0x99);
		plait_plan_release(loaded);
		plait_plan_release(plan);
		plait_buffer_release(tmp);
		plait_buffer_release(other);
		plait_buffer_release(out);
		close_rig(&rig);
	}
	(void)unlink(path);
	(void)close(file);
}

/* ---- errors ---- */

#define IS_REFUSED(call) \
	do { \
		rig.error.text[0] = '\0'; \
		IS_INT(call, PLAIT_E_INVALID); \
		HAS_STR(rig.error.text, "\"tmp\" is a temporary"); \
	} while (0)

/* Two nodes without order, one of which writes. */
static void unordered(plait_buffer *tmp, plait_buffer *out)
{
	const plait_freeze_desc desc = {
		.size = sizeof(desc), .flags = PLAIT_FREEZE_CHECK,
		.lanes = 2, .policy = PLAIT_POLICY_WIDEST,
	};
	plait_graph *graph = new_graph();
	plait_plan *plan = NULL;

	(void)add_fill(graph, tmp, 1, 0);
	(void)add_copy(graph, out, 0, tmp, 0, 0);
	OK(plait_graph_freeze(graph, &desc, &plan, &rig.error) != PLAIT_OK);
	HAS_STR(rig.error.text, "tmp");
	plait_plan_release(plan);
	plait_graph_release(graph);
}

static void refused(void)
{
	FOR_ALL_RIGS {
		plait_buffer_desc desc = { .size = sizeof(desc), .bytes = 8,
					   .flags = 1 << 7 };
		plait_buffer *tmp = temporary(64, "tmp"), *none = NULL;
		plait_buffer *out = make_buffer(&rig, 64, "out");
		struct given given = { .value = 1, .target = tmp };
		void *pointer = NULL;
		uint64_t bytes = 0;

		IS_REFUSED(plait_queue_fill(rig.queue, tmp, 0, 8, 0, 8,
					    &rig.error));
		IS_REFUSED(plait_queue_copy(rig.queue, out, 0, tmp, 0, 8,
					    &rig.error));
		IS_REFUSED(plait_queue_read(rig.queue, tmp, 0, &bytes, 8,
					    &rig.error));
		IS_REFUSED(plait_buffer_map(tmp, 0, 8, PLAIT_MAP_READ,
					    &pointer, &rig.error));
		make_bed(true, false, 2);
		IS_REFUSED(plait_plan_call(bed.plan, NULL, describe(&given, 0),
					   &rig.error));
		free_bed();
		IS_INT(plait_buffer_bytes(tmp, &bytes, &rig.error), PLAIT_OK);
		IS_UINT(bytes, 64);
		IS_INT(plait_buffer_create(rig.device, &desc, &none,
					   &rig.error), PLAIT_E_INVALID);
		desc.flags = PLAIT_BUFFER_TEMPORARY;
		desc.alignment_bytes = 4096;
		IS_INT(plait_buffer_create(rig.device, &desc, &none,
					   &rig.error), PLAIT_E_UNSUPPORTED);
		unordered(tmp, out);
		plait_buffer_release(out);
		plait_buffer_release(tmp);
		close_rig(&rig);
	}
}

/* 16 TiB: the error names the buffer, and says what to do.  The allocator of
 * sanitizers ends the process instead. */
static void huge(void)
{
	if (SANITIZED) {
		SKIP("an allocation that large ends a sanitized process");
		return;
	}
	FOR_ALL_RIGS {
		plait_buffer *tmp = temporary(1ull << 44, "tmp");
		plait_graph *graph = new_graph();
		plait_plan *plan;

		(void)add_fill(graph, tmp, 1, 0);
		plan = freeze_graph(graph);
		IS_INT(run_with(plan, 0), PLAIT_E_NOMEM);
		HAS_STR(rig.error.text, "make temporary \"tmp\" of 16.0 TiB "
			"smaller, or freeze with fewer instances: an instance "
			"needs 16.0 TiB on ");
		plait_plan_release(plan);
		plait_buffer_release(tmp);
		close_rig(&rig);
	}
}

static const struct tap_scenario all[] = {
	{ "huge", huge },
	{ "one copy per run", one_copy_per_run },
	{ "copies and views", copies_and_views },
	{ "through a loop", through_a_loop },
	{ "aligned", aligned },
	{ "in a chain", in_a_chain },
	{ "at random", at_random },
	{ "saved", saved },
	{ "refused", refused },
};

TAP_MAIN(all)
