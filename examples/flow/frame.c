/* SPDX-License-Identifier: MIT */
/* See frame.h. */
#include "frame.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

plait_flow *flow;

enum { MOST = 256, MOST_DEVICES = 16 };

static plait_data *all_data[MOST];
static int data_count;
static plait_world *world;
static plait_world_info place = { .size = sizeof(place) };

/* All devices that PLAIT_BACKEND names, if the host is none of them. */
static uint32_t default_count(void)
{
	plait_device *host;
	uint32_t count;

	if (plait_context_find_device(context, "host", &host, NULL) == PLAIT_OK)
		return 0;
	must(plait_context_device_count(context, &count, &error));
	return count;
}

/* FLOW_DEVICES=2: the first two devices of the context run the launches. */
static uint32_t choose_devices(plait_device **devices)
{
	const char *asked = getenv("FLOW_DEVICES");
	uint32_t count = asked != NULL ? (uint32_t)atoi(asked) : default_count();

	if (count > MOST_DEVICES) {
		fprintf(stderr, "FLOW_DEVICES: more than %d\n", MOST_DEVICES);
		exit(1);
	}
	for (uint32_t i = 0; i < count; i++)
		must(plait_context_device(context, i, &devices[i], &error));
	return count;
}

void open_flow(void)
{
	plait_device *devices[MOST_DEVICES];
	plait_flow_desc desc = { .size = sizeof(desc), .devices = devices };

	open_system();
	desc.device_count = choose_devices(devices);
	/* One rank, unless PLAIT_TRANSPORT and a launcher say otherwise. */
	must(plait_world_open(context, NULL, &world, &error));
	must(plait_world_query(world, &place, &error));
	desc.world = world;
	must(plait_flow_create(context, &desc, &flow, &error));
}

void close_flow(void)
{
	must(plait_flow_wait(flow, 0, PLAIT_FOREVER, &error));
	for (int i = 0; i < data_count; i++)
		plait_data_release(all_data[i]);
	plait_flow_release(flow);
	plait_world_release(world);
	close_system();
}

plait_data *new_data(uint64_t columns, uint64_t rows, const float *contents)
{
	plait_data_desc desc = { .size = sizeof(desc), .dimensions = 2,
				 .element_bytes = sizeof(float),
				 .extent = { columns, rows } };
	plait_data *data;

	if (data_count == MOST) {
		fprintf(stderr, "more than %d data\n", MOST);
		exit(1);
	}
	must(plait_data_create(flow, &desc, &data, &error));
	if (contents != NULL)
		must(plait_data_write(data, NULL, contents, &error));
	return all_data[data_count++] = data;
}

void launch_rows(plait_kernel *kernel, const plait_launch *launch,
		 const plait_argument *arguments, uint64_t count)
{
	plait_task_desc task = { .size = sizeof(task), .kernel = kernel,
				 .launch = launch, .arguments = arguments,
				 .argument_count = count, .split = 1 };

	must(plait_flow_submit(flow, &task, NULL, &error));
}

float noise(uint64_t i)
{
	return (float)(i * 7919 % 1009) / 1009;
}

void compare(const char *name, const float *got, const float *wanted,
	     uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		if (!(fabsf(got[i] - wanted[i]) <=
		      1e-4f * fmaxf(1, fabsf(wanted[i])))) {
			printf("%s: number %llu is %g, not %g\n", name,
			       (unsigned long long)i, got[i], wanted[i]);
			exit(1);
		}
	if (place.rank == 0)
		printf("%s: %llu numbers as in the sequential version\n", name,
		       (unsigned long long)count);
}
