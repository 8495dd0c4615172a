/* SPDX-License-Identifier: MIT */
/*
 * One rank of overlap.t and calls_mpirun.t: a kernel on one queue, and beside it a
 * sum over all ranks, a command of another queue or a node of a plan that runs
 * there.  The collective begins when the kernel has begun; the kernel ends when the
 * collective has begun.  More sums follow, without it.  The environment says rank,
 * transport and trace.
 *
 *	overlap_rank queue|graph
 */
#include "coll/project/collective_object.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "plait/plait.h"

enum { COUNT = 40000, MORE_CALLS = 9 };

static plait_error error = { .size = sizeof(error) };
static plait_context *context;
static plait_world *world;
static plait_device *device;
static plait_queue *queues[2];
static plait_collective *collective;
static float numbers[COUNT];
static atomic_int has_begun;

/* The kernel. */
static int32_t run_during(void *const *arguments, const plait_launch *launch,
			  void *user_data)
{
	plait__collective *watched = user_data;

	(void)arguments;
	(void)launch;
	atomic_store(&has_begun, 1);
	while (at_load_acquire_u64(&watched->begun) == 0)
		sched_yield();
	return 0;
}

static bool open_all(plait_world_info *info)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = "host", .workers = 2 };

	*info = (plait_world_info){ .size = sizeof(*info) };
	return plait_context_open(&desc, &context, &error) == PLAIT_OK &&
	       plait_context_device(context, 0, &device, &error) == 0 &&
	       plait_queue_create(device, NULL, &queues[0], &error) == 0 &&
	       plait_queue_create(device, NULL, &queues[1], &error) == 0 &&
	       plait_world_open(context, NULL, &world, &error) == PLAIT_OK &&
	       plait_world_query(world, info, &error) == PLAIT_OK;
}

static bool make_collective(uint32_t ranks_count)
{
	const plait_coll_desc desc = { .size = sizeof(desc),
				       .kind = PLAIT_COLL_ALLREDUCE,
				       .flags = PLAIT_COLL_IN_PLACE,
				       .ranks = ranks_count };
	plait_schedule *schedule = NULL;
	plait_coll *coll = NULL;
	bool good = plait_coll_known(context, "ring", &desc, &coll, &error) ==
			    PLAIT_OK &&
		    plait_coll_compile(coll, NULL, &schedule, &error) == 0 &&
		    plait_collective_create(world, &schedule, 1, &collective,
					    &error) == PLAIT_OK;

	plait_schedule_release(schedule);
	plait_coll_release(coll);
	return good;
}

static bool launch_kernel(void)
{
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .signature = "during()",
		.function = run_during,
		.user_data = plait__handle_peek(collective,
						PLAIT_OBJECT_COLLECTIVE),
	};
	plait_kernel *kernel = NULL;
	bool good = plait_kernel_create(context, &desc, &kernel, &error) ==
			    PLAIT_OK &&
		    plait_queue_launch(queues[1], kernel, NULL, NULL, 0,
				       &error) == PLAIT_OK;

	plait_kernel_release(kernel);
	while (good && atomic_load(&has_begun) == 0)
		sched_yield();
	return good;
}

static bool run_graph(const plait_collective_run *run)
{
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;
	bool good = plait_graph_create(context, &graph, &error) == PLAIT_OK &&
		    plait_graph_collective(graph, collective, run, "sum", 0,
					   NULL, &error) == PLAIT_OK &&
		    plait_graph_freeze(graph, NULL, &plan, &error) == 0 &&
		    plait_plan_run(plan, queues[0], NULL, NULL, &error) == 0;

	plait_plan_release(plan);
	plait_graph_release(graph);
	return good;
}

static bool sum(bool in_graph)
{
	const plait_collective_run run = {
		.size = sizeof(run), .element = PLAIT_ELEMENT_FLOAT,
		.element_bits = 32, .count = COUNT, .output_memory = numbers,
	};

	return (in_graph ? run_graph(&run) :
		plait_collective_submit(collective, queues[0], &run, NULL,
					&error) == PLAIT_OK) &&
	       plait_queue_finish(queues[0], PLAIT_FOREVER, &error) == 0 &&
	       plait_queue_finish(queues[1], PLAIT_FOREVER, &error) == 0;
}

static void fill(uint32_t rank)
{
	for (uint32_t i = 0; i < COUNT; i++)
		numbers[i] = (float)(rank + i % 1000);
}

static bool is_right(uint32_t ranks_count)
{
	for (uint32_t i = 0; i < COUNT; i++)
		if (numbers[i] != (float)(ranks_count * (ranks_count - 1) / 2 +
					  ranks_count * (i % 1000)))
			return false;
	return true;
}

int main(int argc, char **argv)
{
	plait_world_info info;
	bool good = argc == 2 && open_all(&info) &&
		    make_collective(info.ranks) && launch_kernel();

	for (uint32_t i = 0; i <= MORE_CALLS && good; i++) {
		fill(info.rank);
		good = sum(strcmp(argv[1], "graph") == 0) &&
		       is_right(info.ranks);
	}
	if (!good)
		fprintf(stderr, "overlap_rank: %s\n", error.text);
	plait_collective_release(collective);
	plait_world_release(world);
	plait_queue_release(queues[0]);
	plait_queue_release(queues[1]);
	plait_context_release(context);
	return !good;
}
