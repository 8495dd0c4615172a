/* SPDX-License-Identifier: MIT */
/* plait coll run: execute a schedule with all ranks in this process. */
#include "coll.h"
#include "coll_data.h"
#include "coll_ranks.h"
#include "command.h"
#include "input.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DEFAULT_TIMES = 10 };

struct request {
	const char *path, *promise_path;
	struct coll_sizes sizes;
	uint32_t type, reduction, times, processes;
	plait_coll_kind kind;
	bool verify, has_kind, parameters, shared;
};

/* One size: memory of the ranks, and the plan. */
struct collective {
	struct coll_data data;
	plait_context *context;
	uint32_t ranks;
	plait_device **devices;
	plait_buffer **inputs, **outputs;
	plait_queue **queues;	/* by rank */
	plait_graph *graph;
	plait_plan *plan;
	char *memory;		/* of one rank */
	plait_error *error;
};

/* ---- command line ---- */

static int take(void *user_data, int option, const char *value)
{
	struct request *request = user_data;

	switch (option) {
	case 'b':
		return coll_sizes_read(value, &request->sizes);
	case 't':
		return coll_choose("--type", coll_types, value,
				   &request->type);
	case 'p':
		return coll_choose("--op", coll_reductions, value,
				   &request->reduction);
	case 'a':
		request->has_kind = true;
		return coll_choose("--as", coll_kinds, value, &request->kind);
	case 'n':
		return coll_number("--times", value, &request->times);
	case 'N':
		return coll_number("--processes", value, &request->processes);
	case 'f':
		request->promise_path = value;
		return COMMAND_DONE;
	case 's':
		request->shared = true;
		return COMMAND_DONE;
	case 'P':
		request->parameters = true;
		return COMMAND_DONE;
	default:
		request->verify = true;
		return COMMAND_DONE;
	}
}

static int read_arguments(struct request *request, int argc, char **argv)
{
	static const struct option known[] = {
		{ "bytes", required_argument, NULL, 'b' },
		{ "type", required_argument, NULL, 't' },
		{ "op", required_argument, NULL, 'p' },
		{ "as", required_argument, NULL, 'a' },
		{ "times", required_argument, NULL, 'n' },
		{ "promise", required_argument, NULL, 'f' },
		{ "processes", required_argument, NULL, 'N' },
		{ "parameters", no_argument, NULL, 'P' },
		{ "shared", no_argument, NULL, 's' },
		{ "verify", no_argument, NULL, 'v' },
		{ NULL, 0, NULL, 0 }
	};

	return coll_options(argc, argv, known, take, request, &request->path);
}

/* ---- memory ---- */

static bool is_in_place(const struct collective *at)
{
	return at->data.info.flags & PLAIT_SCHEDULE_IN_PLACE;
}

static uint64_t bytes_of(const struct collective *at, bool output)
{
	return coll_data_elements(&at->data, output) *
	       coll_data_element_bytes(&at->data);
}

static plait_status make_rank(struct collective *at, uint32_t rank)
{
	plait_buffer_desc desc = { .size = sizeof(desc) };
	plait_device *device = at->devices[rank];
	plait_status status;

	status = plait_queue_create(device, NULL, &at->queues[rank],
				    at->error);
	desc.bytes = bytes_of(at, true);
	if (status == PLAIT_OK)
		status = plait_buffer_create(device, &desc, &at->outputs[rank],
					     at->error);
	desc.bytes = bytes_of(at, false);
	if (status == PLAIT_OK && !is_in_place(at))
		status = plait_buffer_create(device, &desc, &at->inputs[rank],
					     at->error);
	return status;
}

/* Ranks take the devices of the context in turn. */
static plait_status make_memory(struct collective *at)
{
	uint64_t bytes = bytes_of(at, true) + bytes_of(at, false);
	plait_status status;
	uint32_t count;

	at->devices = calloc(at->ranks, sizeof(*at->devices));
	at->inputs = calloc(at->ranks, sizeof(*at->inputs));
	at->outputs = calloc(at->ranks, sizeof(*at->outputs));
	at->queues = calloc(at->ranks, sizeof(*at->queues));
	at->memory = calloc(bytes + 1, 1);
	if (!at->devices || !at->inputs || !at->outputs || !at->queues ||
	    !at->memory) {
		snprintf(at->error->text, sizeof(at->error->text),
			 "no memory for %" PRIu64 " bytes", bytes);
		return PLAIT_E_NOMEM;
	}
	status = plait_context_device_count(at->context, &count, at->error);
	for (uint32_t i = 0; i < at->ranks && status == PLAIT_OK; i++) {
		status = plait_context_device(at->context, i % count,
					      &at->devices[i], at->error);
		if (status == PLAIT_OK)
			status = make_rank(at, i);
	}
	return status;
}

static void close_collective(struct collective *at)
{
	for (uint32_t i = 0; i < at->ranks; i++) {
		if (at->inputs != NULL)
			plait_buffer_release(at->inputs[i]);
		if (at->outputs != NULL)
			plait_buffer_release(at->outputs[i]);
		if (at->queues != NULL)
			plait_queue_release(at->queues[i]);
	}
	plait_plan_release(at->plan);
	plait_graph_release(at->graph);
	free(at->devices);
	free(at->inputs);
	free(at->outputs);
	free(at->queues);
	free(at->memory);
}

/* ---- a run ---- */

static plait_status fill(struct collective *at)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; i < at->ranks && status == PLAIT_OK; i++) {
		plait_buffer *buffer = is_in_place(at) ? at->outputs[i] :
							 at->inputs[i];

		coll_data_fill(&at->data, i, at->memory);
		status = plait_queue_write(at->queues[i], buffer, 0,
					   at->memory, bytes_of(at, false),
					   at->error);
		if (status == PLAIT_OK)
			status = plait_queue_finish(at->queues[i],
						    PLAIT_FOREVER, at->error);
	}
	return status;
}

static plait_status verify(struct collective *at)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; i < at->ranks && status == PLAIT_OK; i++) {
		uint64_t wrong;

		status = plait_queue_read(at->queues[i], at->outputs[i], 0,
					  at->memory, bytes_of(at, true),
					  at->error);
		if (status == PLAIT_OK)
			status = plait_queue_finish(at->queues[i],
						    PLAIT_FOREVER, at->error);
		wrong = status == PLAIT_OK ?
				coll_data_verify(&at->data, i, at->memory) :
				UINT64_MAX;
		if (wrong != UINT64_MAX) {
			snprintf(at->error->text, sizeof(at->error->text),
				 "rank %u: element %" PRIu64 " of the output "
				 "is wrong", i, wrong);
			status = PLAIT_E_FAILED;
		}
	}
	return status;
}

/* Bind the parameters of a plan: in0, out0, in1, ... */
static plait_status bind(const struct collective *at, plait_binding *bindings,
			 uint32_t *out_count)
{
	plait_status status = plait_plan_parameter_count(at->plan, out_count,
							 at->error);

	for (uint32_t i = 0; i < *out_count && status == PLAIT_OK; i++) {
		plait_parameter_info info = { .size = sizeof(info) };
		bool input;

		status = plait_plan_query_parameter(at->plan, i, &info,
						    at->error);
		input = info.name[0] == 'i';
		bindings[i] = (plait_binding){ .size = sizeof(bindings[i]),
					       .parameter = i };
		bindings[i].buffer = (input ? at->inputs : at->outputs)
			[strtoul(info.name + (input ? 2 : 3), NULL, 10)];
	}
	return status;
}

static plait_status call(struct collective *at, uint64_t *out_ns)
{
	plait_run_desc desc = { .size = sizeof(desc) };
	plait_binding *bindings = calloc(2ull * at->ranks, sizeof(*bindings));
	struct timespec start, end;
	uint32_t count = 0;
	plait_status status = bindings == NULL ? PLAIT_E_NOMEM :
						 bind(at, bindings, &count);

	desc.bindings = bindings;
	desc.binding_count = count;
	clock_gettime(CLOCK_MONOTONIC, &start);
	if (status == PLAIT_OK)
		status = plait_plan_call(at->plan, NULL, &desc, at->error);
	clock_gettime(CLOCK_MONOTONIC, &end);
	*out_ns = (uint64_t)(end.tv_sec - start.tv_sec) * 1000000000 +
		  (uint64_t)end.tv_nsec - (uint64_t)start.tv_nsec;
	free(bindings);
	return status;
}

static plait_status make_plan(struct collective *at, plait_schedule *schedule,
			      bool parameters)
{
	plait_collective_desc desc = { .size = sizeof(desc),
				       .devices = at->devices };
	const plait_freeze_desc freeze = { .size = sizeof(freeze),
					   .policy = PLAIT_POLICY_BOUNDED };
	plait_status status;

	coll_data_describe(&at->data, &desc);
	if (!parameters) {
		desc.inputs = is_in_place(at) ? NULL : at->inputs;
		desc.outputs = at->outputs;
	}
	status = plait_schedule_graph(schedule, &desc, &at->graph, at->error);
	return status == PLAIT_OK ? plait_graph_freeze(at->graph, &freeze,
						       &at->plan, at->error) :
				    status;
}

/* Run once on the data, then for the time. */
static plait_status run(const struct request *request, struct collective *at,
			plait_schedule *schedule, uint64_t *out_ns)
{
	plait_status status = make_memory(at);
	uint64_t ns;

	if (status == PLAIT_OK)
		status = make_plan(at, schedule, request->parameters);
	if (status == PLAIT_OK)
		status = fill(at);
	if (status == PLAIT_OK)
		status = call(at, out_ns);
	if (status == PLAIT_OK && request->verify)
		status = verify(at);
	for (uint32_t i = 1; i < request->times && status == PLAIT_OK; i++) {
		status = call(at, &ns);
		*out_ns = ns < *out_ns ? ns : *out_ns;
	}
	return status;
}

/* ---- all ---- */

static int run_size(const struct request *request, plait_context *context,
		    plait_schedule *schedule, struct coll_data *data,
		    uint64_t bytes, plait_error *error)
{
	struct collective at = { .context = context, .error = error,
				 .ranks = data->info.ranks };
	plait_plan_info info = { .size = sizeof(info) };
	plait_status status;
	uint64_t ns = 0;

	data->count = coll_data_count(data, bytes);
	at.data = *data;
	status = run(request, &at, schedule, &ns);
	if (status == PLAIT_OK)
		status = plait_plan_query(at.plan, &info, error);
	if (status == PLAIT_OK)
		printf("%10" PRIu64 " bytes: %" PRIu64 " elements a share, "
		       "%" PRIu64 " nodes, %" PRIu64 " lanes, %.1f us%s\n",
		       bytes, data->count, info.nodes, info.lanes,
		       (double)ns / 1000, request->verify ? ", right" : "");
	close_collective(&at);
	return status == PLAIT_OK ? COMMAND_DONE :
		command_fail("coll", "%s: %" PRIu64 " bytes: %s",
			     input_name(request->path), bytes, error->text);
}

static int run_all(const struct request *request, const struct input *input,
		   const struct coll_promises *promises)
{
	plait_error error = { .size = sizeof(error) };
	struct coll_data data = { .info.size = sizeof(data.info),
				  .type = request->type,
				  .reduction = request->reduction,
				  .promises = promises };
	plait_context *context = NULL;
	plait_schedule *schedule = NULL;
	plait_status status = coll_open(NULL, input, &context, &schedule,
					&error);
	int code = COMMAND_DONE;

	if (status == PLAIT_OK)
		status = plait_schedule_query(schedule, &data.info, &error);
	data.kind = request->has_kind ? request->kind : data.info.kind;
	if (status != PLAIT_OK)
		code = command_fail("coll", "%s: %s",
				    input_name(request->path), error.text);
	else if (request->verify && data.kind == PLAIT_COLL_CUSTOM &&
		 promises == NULL)
		code = command_fail("coll", "%s: a custom collective; --as or "
				    "--promise says what to verify",
				    input_name(request->path));
	for (uint32_t i = 0; i < request->sizes.count && !code; i++)
		code = run_size(request, context, schedule, &data,
				request->sizes.items[i], &error);
	plait_schedule_release(schedule);
	plait_context_release(context);
	return code;
}

static int run_ranks(const struct request *request, const struct input *input)
{
	const struct coll_ranks ranks = {
		.path = request->path, .input = input,
		.sizes = &request->sizes, .processes = request->processes,
		.type = request->type, .reduction = request->reduction,
		.times = request->times, .verify = request->verify,
		.shared = request->shared,
	};

	if (request->has_kind || request->promise_path || request->parameters)
		return command_usage("coll", "--as, --promise and --parameters "
				     "are for ranks of one process");
	return coll_ranks_run(&ranks);
}

int coll_run(int argc, char **argv)
{
	struct request request = { .sizes = { { 1 << 20 }, 1 },
				   .times = DEFAULT_TIMES };
	struct coll_promises promises = { 0 };
	struct input input;
	int code = read_arguments(&request, argc, argv);

	if (code == COMMAND_DONE && request.shared && request.processes == 0 &&
	    !coll_ranks_wanted())
		code = command_usage("coll", "--shared is for ranks that are "
				     "processes");
	if (code == COMMAND_DONE && request.promise_path != NULL)
		code = coll_promises_read(request.promise_path, &promises);
	if (code == COMMAND_DONE)
		code = input_read("coll", request.path, &input);
	if (code == COMMAND_DONE) {
		code = request.processes > 0 || coll_ranks_wanted() ?
			run_ranks(&request, &input) :
			run_all(&request, &input,
				request.promise_path != NULL ? &promises :
							       NULL);
		input_free(&input);
	}
	coll_promises_free(&promises);
	return code;
}
