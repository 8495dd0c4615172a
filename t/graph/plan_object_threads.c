/* SPDX-License-Identifier: MIT */
/* A plan that several threads use: each call that plait/plan.h marks as "any
 * thread", at once.  ThreadSanitizer judges. */
#include "plait/plait.h"

#include "lib/tap.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 25, QUERIES = 2000, LANES = 8 };

static plait_context *context;
static plait_plan *plan;
static plait_buffer *buffers[2];
static plait_device *device;
static uint64_t binary_bytes;
static char *binary;
static pthread_barrier_t start;

static const char text[] =
	"device host lanes=2\ndevice far lanes=2\n"
	"temporary kept bytes=64 device=far\n"
	"node a scratch=64 cost=3 device=far writes=kept\n"
	"node b after=a scratch=32\nnode c after=a\n"
	"while w times=3 after=b,c\n  node x cost=2\n  node y device=far\n"
	"  case k take=1 after=x,y\n    node p\n  branch\n    node q\n  end\n"
	"end\nnode z after=w device=host+far barrier\n";

/* Wrong results that the threads saw. */
static int bad(plait_status status)
{
	return status == PLAIT_OK ? 0 : 1;
}

static int ask(plait_plan *mine)
{
	plait_error error = { .size = sizeof(error) };
	plait_plan_info info = { .size = sizeof(info) };
	plait_simulation result = { .size = sizeof(result) };
	plait_lane_use lanes[LANES] = { { .size = sizeof(lanes[0]) } };
	plait_plan_binding binding = { .size = sizeof(binding) };
	int wrong = bad(plait_plan_query(mine, &info, &error));

	wrong += bad(plait_plan_check(mine, &error));
	wrong += bad(plait_plan_simulate(mine, NULL, &result, lanes, LANES,
					 &error));
	wrong += result.makespan != info.makespan;
	for (uint32_t i = 0; i < info.bindings; i++)
		wrong += bad(plait_plan_query_binding(mine, i, &binding,
						      &error));
	return wrong;
}

static int write_all(plait_plan *mine)
{
	plait_error error = { .size = sizeof(error) };
	char *room = malloc(binary_bytes);
	uint64_t bytes = 0;
	int wrong = 0;

	for (int32_t format = PLAIT_FORMAT_JSON; format <= PLAIT_FORMAT_SVG;
	     format++)
		wrong += bad(plait_plan_write(mine, format, NULL, 0, &bytes,
					      &error));
	wrong += bad(plait_plan_write(mine, PLAIT_FORMAT_BINARY, room,
				      binary_bytes, &bytes, &error));
	wrong += bytes != binary_bytes ||
		 memcmp(room, binary, binary_bytes) != 0;
	free(room);
	return wrong;
}

/* A rotation of buffers, so that each call replaces the binding of another
 * one. */
static int bind_all(unsigned turn)
{
	plait_error error = { .size = sizeof(error) };

	return bad(plait_plan_bind_device(plan, "far", device, &error)) +
	       bad(plait_plan_bind_buffer(plan, "x", buffers[turn % 2],
					  &error));
}

static void *use(void *number)
{
	intptr_t wrong = 0;

	pthread_barrier_wait(&start);
	for (unsigned i = 0; i < ROUNDS; i++) {
		plait_plan_retain(plan);
		wrong += ask(plan);
		wrong += write_all(plan);
		wrong += bind_all((unsigned)(uintptr_t)number + i);
		plait_plan_release(plan);
	}
	/* The last thread ends it. */
	plait_plan_release(plan);
	return (void *)wrong;
}

static void share(void)
{
	pthread_t threads[THREADS];

	for (int i = 1; i < THREADS; i++)
		plait_plan_retain(plan);
	pthread_barrier_init(&start, NULL, THREADS);
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, use, (void *)i) != 0)
			abort();
	for (int i = 0; i < THREADS; i++) {
		void *wrong = NULL;

		pthread_join(threads[i], &wrong);
		OK((intptr_t)wrong == 0);
	}
	pthread_barrier_destroy(&start);
	IS_INT(plait_live_count(PLAIT_OBJECT_PLAN), 0);
}

static void *bind_device(void *unused)
{
	intptr_t wrong = 0;
	plait_error error = { .size = sizeof(error) };

	(void)unused;
	pthread_barrier_wait(&start);
	for (int i = 0; i < QUERIES; i++)
		wrong += bad(plait_plan_bind_device(plan, "far", device,
						    &error));
	return (void *)wrong;
}

/* A query looks at the devices of temporaries, which another thread binds. */
static void bind_and_query(void)
{
	plait_error error = { .size = sizeof(error) };
	plait_plan_info info = { .size = sizeof(info) };
	pthread_t thread;
	void *wrong = NULL;

	pthread_barrier_init(&start, NULL, 2);
	if (pthread_create(&thread, NULL, bind_device, NULL) != 0)
		abort();
	pthread_barrier_wait(&start);
	for (int i = 0; i < QUERIES; i++)
		wrong = (char *)wrong + bad(plait_plan_query(plan, &info,
							     &error));
	OK(wrong == NULL);
	pthread_join(thread, &wrong);
	OK(wrong == NULL);
	pthread_barrier_destroy(&start);
}

/* Read back, so that there is something to bind: a buffer and a device. */
static void make_plan(plait_error *error)
{
	plait_buffer_desc desc = { .size = sizeof(desc), .bytes = 64,
				   .label = "x" };
	plait_node_desc fill = { .size = sizeof(fill),
				 .kind = PLAIT_NODE_FILL, .bytes = 64,
				 .pattern_bytes = 4 };
	plait_graph *graph = NULL;
	plait_plan *first = NULL;

	for (int i = 0; i < 2; i++)
		IS_INT(plait_buffer_create(device, &desc, &buffers[i], error),
		       PLAIT_OK);
	IS_INT(plait_graph_read(context, text, sizeof(text) - 1, "t", &graph,
				error), PLAIT_OK);
	fill.target = buffers[0];
	fill.device = device;
	IS_INT(plait_graph_add(graph, &fill, NULL, 0, NULL, error), PLAIT_OK);
	IS_INT(plait_graph_freeze(graph, NULL, &first, error), PLAIT_OK);
	plait_graph_release(graph);
	IS_INT(plait_plan_write(first, PLAIT_FORMAT_BINARY, NULL, 0,
				&binary_bytes, error), PLAIT_OK);
	binary = malloc(binary_bytes);
	IS_INT(plait_plan_write(first, PLAIT_FORMAT_BINARY, binary,
				binary_bytes, NULL, error), PLAIT_OK);
	plait_plan_release(first);
	IS_INT(plait_plan_read(context, binary, binary_bytes, &plan, error),
	       PLAIT_OK);
}

static void many_threads(void)
{
	plait_context_desc desc = { .size = sizeof(desc),
				    .flags = PLAIT_CONTEXT_NO_WORKERS,
				    .backends = "host" };
	plait_error error = { .size = sizeof(error) };

	IS_INT(plait_context_open(&desc, &context, &error), PLAIT_OK);
	IS_INT(plait_context_device(context, 0, &device, &error), PLAIT_OK);
	make_plan(&error);
	if (plan != NULL) {
		bind_and_query();
		share();
	}
	free(binary);
	plait_buffer_release(buffers[0]);
	plait_buffer_release(buffers[1]);
	plait_context_release(context);
	IS_INT(plait_live_count(PLAIT_OBJECT_BUFFER), 0);
}

static const struct tap_scenario scenarios[] = {
	{ "many threads", many_threads },
};
TAP_MAIN(scenarios)
