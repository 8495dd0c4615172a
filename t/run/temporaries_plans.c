/* SPDX-License-Identifier: MIT */
/*
 * Temporaries in rotations of loops, and in plans that are saved and loaded and
 * whose kernels are exchanged.
 */
#include "turns.h"
#include "temporary.h"

#include <unistd.h>

enum { ROUNDS = 5 };

#define FOR_ALL_RIGS \
	for (uint32_t w = 0; w < WORKERS; w++) \
		if (open_host(worker_counts[w]))

static uint64_t value_of(plait_buffer *buffer)
{
	uint64_t word = 0;

	OK_THAT(plait_queue_read(rig.queue, buffer, 0, &word, 8, &rig.error) ==
			PLAIT_OK &&
		plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error) ==
			PLAIT_OK, "%s", rig.error.text);
	return word;
}

static plait_node put(plait_graph *graph, plait_buffer *target, uint64_t value,
		      plait_node after)
{
	plait_node node = 0;

	OK_THAT(plait_graph_fill(graph, target, 0, 8, value, 8, after, &node,
				 &rig.error) == PLAIT_OK, "%s", rig.error.text);
	return node;
}

static plait_node move(plait_graph *graph, plait_buffer *target,
		       plait_buffer *source, plait_node after)
{
	plait_node node = 0;

	OK_THAT(plait_graph_copy(graph, target, 0, source, 0, 8, after, &node,
				 &rig.error) == PLAIT_OK, "%s", rig.error.text);
	return node;
}

/* next = now + 1; count -= 1. */
static int32_t advance(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	(void)launch;
	(void)user_data;
	**(uint64_t **)arguments[1] = **(uint64_t **)arguments[0] + 1;
	**(uint64_t **)arguments[2] -= 1;
	return 0;
}

static int32_t advance_by_two(void *const *arguments,
			      const plait_launch *launch, void *user_data)
{
	(void)advance(arguments, launch, user_data);
	**(uint64_t **)arguments[1] += 1;
	return 0;
}

static void add_step(plait_graph *body, plait_kernel *kernel,
		     plait_buffer *const pair[2], plait_buffer *count)
{
	uint64_t turn = 0;
	plait_argument arguments[3] = {
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_ROTATION },
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_ROTATION, .ahead = 1 },
		{ .size = sizeof(plait_argument), .buffer = count,
		  .kind = PLAIT_ARGUMENT_BUFFER },
	};

	OK_THAT(plait_graph_add_rotation(body, pair, 2, 0, &turn,
					 &rig.error) == PLAIT_OK, "%s",
		rig.error.text);
	arguments[0].rotation = turn;
	arguments[1].rotation = turn;
	(void)add_node(body, (plait_node_desc){
		.kind = PLAIT_NODE_LAUNCH, .kernel = kernel,
		.arguments = arguments, .argument_count = 3,
	}, NULL, 0);
}

/* A loop that rotates two temporaries; after an odd number of rounds the result
 * is in the second one. */
static plait_plan *make_rotating(plait_kernel *kernel, plait_buffer *out)
{
	plait_buffer *count = temporary(8, "count"), *pair[2];
	plait_graph *graph = new_graph(), *body = NULL;
	plait_node node = put(graph, count, ROUNDS, 0);
	plait_plan *plan;

	pair[0] = temporary(8, "even");
	pair[1] = temporary(8, "odd");
	node = put(graph, pair[0], 100, node);
	OK_THAT(plait_graph_while(graph, count, 0, ROUNDS, node, &body, &node,
				  &rig.error) == PLAIT_OK, "%s",
		rig.error.text);
	add_step(body, kernel, pair, count);
	plait_graph_release(body);
	(void)move(graph, out, pair[1], node);
	plan = freeze(graph, 2, 2);
	plait_graph_release(graph);
	plait_buffer_release(pair[1]);
	plait_buffer_release(pair[0]);
	plait_buffer_release(count);
	return plan;
}

static void run_times(plait_plan *plan, plait_buffer *out, uint64_t want)
{
	for (int i = 0; i < 3; i++) {
		(void)plait_queue_fill(rig.queue, out, 0, 8, 0, 8, &rig.error);
		OK_THAT(run_with(plan, 0) == PLAIT_OK, "%s", rig.error.text);
		IS_UINT(value_of(out), want);
	}
}

static plait_plan *reload(plait_plan *plan, plait_kernel *kernel,
			  plait_buffer *out)
{
	char path[] = "/tmp/plait-temporaries-XXXXXX";
	int file = mkstemp(path);
	plait_plan *loaded = NULL;

	OK_THAT(file >= 0 &&
		plait_plan_save(plan, path, &rig.error) == PLAIT_OK &&
		plait_plan_load(rig.context, path, &loaded, &rig.error) ==
			PLAIT_OK, "%s", rig.error.text);
	if (kernel != NULL)
		OK_THAT(plait_plan_bind_kernel(loaded, kernel, &rig.error) ==
			PLAIT_OK, "%s", rig.error.text);
	OK_THAT(plait_plan_bind_buffer(loaded, "out", out, &rig.error) ==
		PLAIT_OK, "%s", rig.error.text);
	(void)unlink(path);
	(void)close(file);
	return loaded;
}

static void rotations(void)
{
	FOR_ALL_RIGS {
		plait_kernel *kernel = make_kernel(
			advance, "advance(now: in pointer u64, next: out "
				 "pointer u64, count: pointer u64)");
		plait_buffer *out = make_buffer(&rig, 8, "out");
		plait_plan *plan = make_rotating(kernel, out), *loaded;

		OK_THAT(plait_plan_check(plan, &rig.error) == PLAIT_OK, "%s",
			rig.error.text);
		run_times(plan, out, 100 + ROUNDS);
		loaded = reload(plan, kernel, out);
		run_times(loaded, out, 100 + ROUNDS);
		plait_plan_release(loaded);
		plait_plan_release(plan);
		plait_kernel_release(kernel);
		plait_buffer_release(out);
		close_rig(&rig);
	}
}

/* Fill a temporary, and through a second one the buffer. */
static plait_plan *make_line(plait_buffer *out, uint64_t value)
{
	plait_buffer *one = temporary(8, "one"), *other = temporary(8, "other");
	plait_graph *graph = new_graph();
	plait_node node = put(graph, one, value, 0);
	plait_plan *plan;

	node = move(graph, other, one, node);
	(void)move(graph, out, other, node);
	plan = freeze(graph, 2, 2);
	plait_graph_release(graph);
	plait_buffer_release(other);
	plait_buffer_release(one);
	return plan;
}

/* Many runs of a loaded plan that write one buffer take turns. */
static void loaded_conflicts(void)
{
	FOR_ALL_RIGS {
		plait_buffer *out = make_buffer(&rig, 8, "out");
		plait_plan *plan = make_line(out, 7);
		plait_plan *loaded = reload(plan, NULL, out);
		plait_run *runs[8] = { NULL };

		for (int i = 0; i < 8; i++)
			OK_THAT(plait_plan_run(loaded, rig.queue, NULL,
					       &runs[i], &rig.error) ==
				PLAIT_OK, "%s", rig.error.text);
		for (int i = 0; i < 8; i++) {
			IS_INT(plait_run_wait(runs[i], PLAIT_FOREVER,
					      &rig.error), PLAIT_OK);
			plait_run_release(runs[i]);
		}
		IS_UINT(value_of(out), 7);
		plait_plan_release(loaded);
		plait_plan_release(plan);
		plait_buffer_release(out);
		close_rig(&rig);
	}
}

/* Another kernel has the same temporaries. */
static void exchanged(void)
{
	static const char signature[] = "advance(now: in pointer u64, next: "
					"out pointer u64, count: pointer u64)";

	FOR_ALL_RIGS {
		plait_kernel *old = make_kernel(advance, signature);
		plait_kernel *new = make_kernel(advance_by_two, signature);
		plait_buffer *out = make_buffer(&rig, 8, "out");
		plait_plan *plan = make_rotating(old, out);

		run_times(plan, out, 100 + ROUNDS);
		OK_THAT(plait_plan_exchange(plan, old, new, &rig.error) ==
			PLAIT_OK, "%s", rig.error.text);
		run_times(plan, out, 100 + 2 * ROUNDS);
		plait_plan_release(plan);
		plait_kernel_release(new);
		plait_kernel_release(old);
		plait_buffer_release(out);
		close_rig(&rig);
	}
}

static const struct tap_scenario all[] = {
	{ "rotations", rotations },
	{ "loaded conflicts", loaded_conflicts },
	{ "exchanged", exchanged },
};

TAP_MAIN(all)
