/* SPDX-License-Identifier: MIT */
/* plait coll simulate: predict the time of a schedule on a cluster. */
#include "coll.h"
#include "command.h"
#include "input.h"

#include <inttypes.h>
#include <stdio.h>

struct request {
	const char *path, *cluster_path;
	struct coll_sizes sizes;
	bool json;
};

/* ---- command line ---- */

static int take(void *user_data, int option, const char *value)
{
	struct request *request = user_data;

	if (option == 'b')
		return coll_sizes_read(value, &request->sizes);
	if (option == 'c')
		request->cluster_path = value;
	else
		request->json = true;
	return COMMAND_DONE;
}

static int read_arguments(struct request *request, int argc, char **argv)
{
	static const struct option known[] = {
		{ "bytes", required_argument, NULL, 'b' },
		{ "cluster", required_argument, NULL, 'c' },
		{ "json", no_argument, NULL, 'j' },
		{ NULL, 0, NULL, 0 }
	};
	int code = coll_options(argc, argv, known, take, request,
				&request->path);

	if (code == COMMAND_DONE && request->cluster_path == NULL)
		return command_usage("coll", "simulate: --cluster is missing");
	return code;
}

/* ---- results ---- */

static void print_text(uint64_t size, const plait_coll_simulation *result)
{
	printf("%12" PRIu64 " bytes: %12.3f us; %" PRIu64 " tiles of %" PRIu64
	       " bytes a chunk; critical path: %" PRIu64 " steps %.3f us, "
	       "latencies %.3f us\n", size, (double)result->time_ns / 1000,
	       result->tiles, result->tile_bytes, result->critical_steps,
	       (double)result->critical_ns / 1000,
	       (double)result->latency_ns / 1000);
}

static void print_json(uint64_t size, const plait_coll_simulation *result)
{
	printf("{\"bytes\": %" PRIu64 ", \"time_ns\": %" PRIu64
	       ", \"tiles\": %" PRIu64 ", \"executed_tiles\": %" PRIu64
	       ", \"tile_bytes\": %" PRIu64 ", \"critical_steps\": %" PRIu64
	       ", \"critical_ns\": %" PRIu64 ", \"latency_ns\": %" PRIu64
	       "}\n", size, result->time_ns, result->tiles,
	       result->executed_tiles, result->tile_bytes,
	       result->critical_steps, result->critical_ns,
	       result->latency_ns);
}

static plait_status simulate_all(const struct request *request,
				 plait_schedule *schedule,
				 const struct input *cluster,
				 plait_error *error)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; i < request->sizes.count && status == PLAIT_OK;
	     i++) {
		plait_coll_simulation result = { .size = sizeof(result) };

		status = plait_schedule_simulate(
			schedule, cluster->bytes, cluster->count,
			input_name(request->cluster_path),
			request->sizes.items[i], &result, error);
		if (status == PLAIT_OK)
			(request->json ? print_json : print_text)(
				request->sizes.items[i], &result);
	}
	return status;
}

static int simulate(const struct request *request, const struct input *input,
		    const struct input *cluster)
{
	plait_error error = { .size = sizeof(error) };
	plait_context *context = NULL;
	plait_schedule *schedule = NULL;
	plait_status status = coll_open("host", input, &context, &schedule,
					&error);

	if (status == PLAIT_OK)
		status = simulate_all(request, schedule, cluster, &error);
	plait_schedule_release(schedule);
	plait_context_release(context);
	return status == PLAIT_OK ? COMMAND_DONE :
	       command_fail("coll", "%s: %s", input_name(request->path),
			    error.text);
}

int coll_simulate(int argc, char **argv)
{
	struct request request = { .sizes = { { 1 << 20 }, 1 } };
	struct input input = { .bytes = NULL }, cluster = { .bytes = NULL };
	int code = read_arguments(&request, argc, argv);

	if (code == COMMAND_DONE)
		code = input_read("coll", request.path, &input);
	if (code == COMMAND_DONE)
		code = input_read("coll", request.cluster_path, &cluster);
	if (code == COMMAND_DONE)
		code = simulate(&request, &input, &cluster);
	input_free(&cluster);
	input_free(&input);
	return code;
}
