/* SPDX-License-Identifier: MIT */
/* plait coll run --processes: execute a schedule by ranks that are processes. */
#include "coll_ranks.h"

#include "command.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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
	plait_buffer *buffers[2]; /* of these; null: memory of the program */
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

/* ---- memory ---- */

static char *allocate(struct ranks *at, uint32_t which)
{
	const plait_buffer_desc desc = {
		.size = sizeof(desc),
		.bytes = (coll_data_elements(&at->data, which == 1) + 1) *
			 coll_data_element_bytes(&at->data),
	};
	void *pointer = NULL;

	at->buffers[which] = NULL;
	snprintf(at->error.text, sizeof(at->error.text), "no memory");
	if (!at->request->shared)
		return calloc(desc.bytes, 1);
	if (plait_world_buffer(at->world, NULL, &desc, &at->buffers[which],
			       &at->error) != PLAIT_OK ||
	    plait_buffer_map(at->buffers[which], 0, desc.bytes,
			     PLAIT_MAP_READ | PLAIT_MAP_WRITE, &pointer,
			     &at->error) != PLAIT_OK)
		return NULL;
	return memset(pointer, 0, desc.bytes);
}

static void give_back(struct ranks *at, uint32_t which, char *memory)
{
	if (!at->request->shared)
		free(memory);
	else if (memory != NULL)
		(void)plait_buffer_unmap(at->buffers[which], memory, NULL);
	plait_buffer_release(at->buffers[which]);
}

static plait_status run_size(struct ranks *at, uint64_t bytes)
{
	plait_status status = PLAIT_E_NOMEM;
	uint64_t ns = 0;

	at->data.count = coll_data_count(&at->data, bytes);
	at->input = allocate(at, 0);
	at->output = at->input != NULL ? allocate(at, 1) : NULL;
	if (at->output != NULL)
		status = call_all(at, &ns);
	if (status == PLAIT_OK && at->info.rank == 0)
		printf("%10" PRIu64 " bytes: %" PRIu64 " elements a share, "
		       "%u processes, %.2f us%s\n", bytes, at->data.count,
		       (unsigned)at->info.ranks, (double)ns / 1000,
		       at->request->verify ? ", right" : "");
	give_back(at, 0, at->input);
	if (at->input != NULL)
		give_back(at, 1, at->output);
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

static int run_shared(void *user_data)
{
	return run_rank(user_data, "shm");
}

/* A rank ends with the process that has started it. */
static void become_rank(uint32_t rank, uint32_t count, long parent,
			int (*run)(void *user_data), void *user_data)
{
	char options[96];
	int code;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != (pid_t)parent)
		_exit(COMMAND_FAILED);
	snprintf(options, sizeof(options), "shm:rank=%u,ranks=%u,name=coll%ld",
		 (unsigned)rank, (unsigned)count, parent);
	setenv("PLAIT_OPTIONS", options, 1);
	code = run(user_data);
	fflush(NULL);
	_exit(code);
}

uint32_t coll_ranks_start(uint32_t count, int (*run)(void *user_data),
			  void *user_data, pid_t *out_ids)
{
	long parent = (long)getpid();
	uint32_t started;

	fflush(NULL);
	for (started = 0; started < count; started++) {
		out_ids[started] = fork();
		if (out_ids[started] == 0)
			become_rank(started, count, parent, run, user_data);
		if (out_ids[started] < 0) {
			(void)command_fail("coll", "cannot start process %u: "
					   "%s", (unsigned)started,
					   strerror(errno));
			break;
		}
	}
	return started;
}

int coll_ranks_run(const struct coll_ranks *request)
{
	struct coll_ranks own = *request;
	pid_t ids[COLL_MOST_PROCESSES];
	uint32_t count = own.processes, started;
	int code = COMMAND_DONE, state;

	if (count == 0)
		return run_rank(request, NULL);
	if (count > COLL_MOST_PROCESSES)
		return command_fail("coll", "--processes %u: at most %d",
				    (unsigned)count, COLL_MOST_PROCESSES);
	started = coll_ranks_start(count, run_shared, &own, ids);
	if (started < count)
		code = COMMAND_FAILED;
	for (uint32_t i = 0; i < started && started < count; i++)
		(void)kill(ids[i], SIGKILL);
	for (; started > 0; started--)
		if (wait(&state) < 0 || state != 0)
			code = COMMAND_FAILED;
	return code;
}
