/* SPDX-License-Identifier: MIT */
/* plait coll run --processes: execute a schedule by ranks that are processes. */
#include "coll_ranks.h"

#include "command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_PROCESSES = 256 };

/* One rank. */
struct ranks {
	const struct coll_ranks *request;
	plait_context *context;
	plait_world *world;
	plait_schedule *schedule;
	plait_collective *collective;
	plait_world_info info;
	struct coll_data data;
	char *input, *output;
	plait_error error;
};

bool coll_ranks_wanted(void)
{
	const char *transports = getenv("PLAIT_TRANSPORT");

	return transports != NULL && transports[0] != '\0';
}

/* ---- a rank ---- */

static plait_status open_rank(struct ranks *at, const char *transports)
{
	const plait_world_desc desc = { .size = sizeof(desc),
					.transports = transports };
	plait_status status = coll_open("host", at->request->input,
					&at->context, &at->schedule,
					&at->error);

	if (status == PLAIT_OK)
		status = plait_world_open(at->context, &desc, &at->world,
					  &at->error);
	if (status == PLAIT_OK)
		status = plait_world_query(at->world, &at->info, &at->error);
	if (status == PLAIT_OK)
		status = plait_schedule_query(at->schedule, &at->data.info,
					      &at->error);
	at->data.kind = at->data.info.kind;
	return status == PLAIT_OK ?
		plait_collective_create(at->world, &at->schedule, 1,
					&at->collective, &at->error) : status;
}

static void close_rank(struct ranks *at)
{
	plait_collective_release(at->collective);
	plait_schedule_release(at->schedule);
	plait_world_release(at->world);
	plait_context_release(at->context);
}

static plait_status call(struct ranks *at, uint64_t *out_ns)
{
	plait_collective_desc desc = { .size = sizeof(desc) };
	plait_collective_run run = { .size = sizeof(run),
				     .output_memory = at->output };
	bool in_place = at->data.info.flags & PLAIT_SCHEDULE_IN_PLACE;
	struct timespec start, end;
	plait_status status;

	coll_data_describe(&at->data, &desc);
	run.element = desc.element;
	run.element_bits = desc.element_bits;
	run.reduction = desc.reduction;
	run.count = desc.count;
	run.input_memory = in_place ? NULL : at->input;
	clock_gettime(CLOCK_MONOTONIC, &start);
	status = plait_collective_call(at->collective, &run, &at->error);
	clock_gettime(CLOCK_MONOTONIC, &end);
	*out_ns = (uint64_t)(end.tv_sec - start.tv_sec) * 1000000000 +
		  (uint64_t)end.tv_nsec - (uint64_t)start.tv_nsec;
	return status;
}

/* Call once on the data, then for the time.  A rank may run ahead of others by the
 * slots of its links, so a single call may be too short: the mean counts. */
static plait_status call_all(struct ranks *at, uint64_t *out_ns)
{
	bool in_place = at->data.info.flags & PLAIT_SCHEDULE_IN_PLACE;
	plait_status status;
	uint64_t wrong, ns, sum = 0;
	uint32_t times = at->request->times;

	coll_data_fill(&at->data, at->info.rank,
		       in_place ? at->output : at->input);
	status = call(at, out_ns);
	if (status == PLAIT_OK && at->request->verify) {
		wrong = coll_data_verify(&at->data, at->info.rank, at->output);
		if (wrong != UINT64_MAX) {
			snprintf(at->error.text, sizeof(at->error.text),
				 "element %" PRIu64 " of the output is wrong",
				 wrong);
			return PLAIT_E_FAILED;
		}
	}
	for (uint32_t i = 1; i < times && status == PLAIT_OK; i++) {
		status = call(at, &ns);
		sum += ns;
	}
	if (times > 1)
		*out_ns = sum / (times - 1);
	return status;
}

static plait_status run_size(struct ranks *at, uint64_t bytes)
{
	uint64_t each = coll_data_element_bytes(&at->data), ns = 0;
	plait_status status = PLAIT_E_NOMEM;

	at->data.count = coll_data_count(&at->data, bytes);
	at->input = calloc(coll_data_elements(&at->data, false) + 1, each);
	at->output = calloc(coll_data_elements(&at->data, true) + 1, each);
	snprintf(at->error.text, sizeof(at->error.text), "no memory");
	if (at->input != NULL && at->output != NULL)
		status = call_all(at, &ns);
	if (status == PLAIT_OK && at->info.rank == 0)
		printf("%10" PRIu64 " bytes: %" PRIu64 " elements a share, "
		       "%u processes, %.2f us%s\n", bytes, at->data.count,
		       (unsigned)at->info.ranks, (double)ns / 1000,
		       at->request->verify ? ", right" : "");
	free(at->input);
	free(at->output);
	return status;
}

static int run_rank(const struct coll_ranks *request, const char *transports)
{
	struct ranks at = {
		.request = request, .error.size = sizeof(at.error),
		.info.size = sizeof(at.info),
		.data = { .info.size = sizeof(at.data.info),
			  .type = request->type,
			  .reduction = request->reduction },
	};
	plait_status status = open_rank(&at, transports);

	for (uint32_t i = 0; i < request->sizes->count && !status; i++)
		status = run_size(&at, request->sizes->items[i]);
	if (status != PLAIT_OK)
		(void)command_fail("coll", "%s: rank %u: %s",
				   input_name(request->path),
				   (unsigned)at.info.rank, at.error.text);
	close_rank(&at);
	return status == PLAIT_OK ? COMMAND_DONE : COMMAND_FAILED;
}

/* ---- processes ---- */

static void become_rank(const struct coll_ranks *request, uint32_t rank,
			long parent)
{
	char options[96];
	int code;

	snprintf(options, sizeof(options), "shm:rank=%u,ranks=%u,name=coll%ld",
		 (unsigned)rank, (unsigned)request->processes, parent);
	setenv("PLAIT_OPTIONS", options, 1);
	code = run_rank(request, "shm");
	fflush(NULL);
	_exit(code);
}

int coll_ranks_run(const struct coll_ranks *request)
{
	long parent = (long)getpid();
	int code = COMMAND_DONE, state;
	uint32_t started = 0;

	if (request->processes == 0)
		return run_rank(request, NULL);
	if (request->processes > MOST_PROCESSES)
		return command_fail("coll", "--processes %u: at most %d",
				    (unsigned)request->processes,
				    MOST_PROCESSES);
	fflush(NULL);
	for (; started < request->processes; started++) {
		pid_t pid = fork();

		if (pid == 0)
			become_rank(request, started, parent);
		if (pid < 0) {
			code = command_fail("coll", "cannot start process %u",
					    (unsigned)started);
			break;
		}
	}
	for (; started > 0; started--)
		if (wait(&state) < 0 || state != 0)
			code = COMMAND_FAILED;
	return code;
}
