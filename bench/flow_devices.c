/* SPDX-License-Identifier: MIT */
/*
 * Cost of the pieces of split launches on simulated devices: a stencil of two
 * arrays in PIECES pieces, 4 by default, each of which reads a row of its neighbours.  The kernel
 * is empty and the context has no workers, so that the time is that of the
 * library and of the simulator.  Minima of many rounds.
 *
 *	PLAIT_PLUGIN_PATH=$PWD/plugins/.libs bench/flow_devices [DEVICES [ROUNDS
 *		[STEPS [PIECES [OPTIONS]]]]]
 *
 * Without devices the host runs the pieces.  OPTIONS are of the simulator; with
 * PLAIT_LOG=info and log=1 it prints the virtual time (bench/flow_scaling.py).
 */
#include "plait/plait.h"
#include "sys/clock.h"

#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 64, MOST = 8 };

static plait_error error = { .size = sizeof(error) };
static plait_context *context;
static plait_flow *flow;
static plait_kernel *kernel;
static plait_data *data[2];
static uint32_t pieces = 4;
static const char *options = ""; /* of the simulator */

static void must(plait_status status)
{
	if (status >= PLAIT_OK)
		return;
	fprintf(stderr, "flow_devices: %s\n", error.text);
	exit(1);
}

static int32_t no_work(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	(void)arguments;
	(void)launch;
	(void)user_data;
	return 0;
}

static void open_flow(uint32_t count)
{
	plait_context_desc desc = { .size = sizeof(desc),
				    .backends = "host,chaos",
				    .flags = PLAIT_CONTEXT_NO_WORKERS };
	plait_device *devices[MOST];
	const plait_flow_desc on = { .size = sizeof(on), .devices = devices,
				     .device_count = count };
	char all[200];

	snprintf(all, sizeof(all), "chaos:devices=%u%s%s",
		 count > 0 ? count : 1, options[0] != '\0' ? "," : "",
		 options);
	desc.options = all;
	must(plait_context_open(&desc, &context, &error));
	for (uint32_t i = 0; i < count; i++)
		must(plait_context_device(context, 1 + i, &devices[i],
					  &error));
	must(plait_flow_create(context, &on, &flow, &error));
}

static void make_arrays(void)
{
	static uint64_t zeros[SIDE * SIDE];
	const plait_kernel_desc code = {
		.size = sizeof(code), .function = no_work,
		.signature = "step(u: in pointer u64, v: out pointer u64, "
			     "c: struct chunk 48)" };
	const plait_data_desc desc = { .size = sizeof(desc), .dimensions = 2,
				       .element_bytes = 8,
				       .extent = { SIDE, SIDE } };

	must(plait_kernel_create(context, &code, &kernel, &error));
	for (int i = 0; i < 2; i++) {
		must(plait_data_create(flow, &desc, &data[i], &error));
		must(plait_data_write(data[i], NULL, zeros, &error));
	}
}

static void submit(int steps)
{
	const plait_mapper near = { .size = sizeof(near),
				    .kind = PLAIT_MAPPER_NEIGHBORHOOD,
				    .extent = { 0, 1 } };
	const plait_mapper own = { .size = sizeof(own),
				   .kind = PLAIT_MAPPER_ONE_TO_ONE };
	plait_access from = { .size = sizeof(from), .mapper = &near };
	plait_access to = { .size = sizeof(to), .mapper = &own };
	const plait_argument arguments[] = { PLAIT_ACCESS(&from),
					     PLAIT_ACCESS(&to), PLAIT_CHUNK() };
	const plait_task_desc desc = { .size = sizeof(desc), .kernel = kernel,
				       .launch = PLAIT_ITEMS(SIDE, SIDE),
				       .arguments = arguments,
				       .argument_count = 3, .split = 1,
				       .pieces = pieces };

	for (int i = 0; i < steps; i++) {
		from.data = data[i % 2];
		to.data = data[1 - i % 2];
		must(plait_flow_submit(flow, &desc, NULL, &error));
	}
}

static void measure(uint32_t devices, int rounds, int steps)
{
	uint64_t least[2] = { UINT64_MAX, UINT64_MAX };

	for (int r = 0; r < rounds; r++) {
		uint64_t start = plait__clock_now_ns(), ends[2];

		submit(steps);
		ends[0] = plait__clock_now_ns() - start;
		must(plait_flow_wait(flow, 0, PLAIT_FOREVER, &error));
		ends[1] = plait__clock_now_ns() - start;
		for (int i = 0; i < 2; i++)
			least[i] = ends[i] < least[i] ? ends[i] : least[i];
	}
	printf("%u devices, ns a piece: submitted %.0f, and run %.0f\n",
	       devices, (double)least[0] / (pieces * (uint32_t)steps),
	       (double)least[1] / (pieces * (uint32_t)steps));
}

int main(int argc, char **argv)
{
	uint32_t devices = argc > 1 ? (uint32_t)atoi(argv[1]) : 4;
	int rounds = argc > 2 ? atoi(argv[2]) : 101;
	int steps = argc > 3 ? atoi(argv[3]) : 100;

	pieces = argc > 4 ? (uint32_t)atoi(argv[4]) : pieces;
	options = argc > 5 ? argv[5] : options;

	if (devices > MOST || rounds < 1 || steps < 1 || pieces < 1) {
		fprintf(stderr, "flow_devices: at most %d devices\n", MOST);
		return 1;
	}
	open_flow(devices);
	make_arrays();
	measure(devices, rounds, steps);
	plait_data_release(data[0]);
	plait_data_release(data[1]);
	plait_kernel_release(kernel);
	plait_flow_release(flow);
	plait_context_release(context);
	return 0;
}
