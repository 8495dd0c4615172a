/* SPDX-License-Identifier: MIT */
/*
 * plait coll tune --measure: the ranks of a world are processes that this one starts,
 * or those of a launcher; rank 0 leads them (coll_lead.c).  Findings are in shared
 * memory, so that what was found is kept when a rank does not end.
 */
#include "coll_lead.h"
#include "coll_ranks.h"
#include "coll_tune.h"
#include "command.h"
#include "input.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	SECONDS = 30,	 /* unless --seconds says otherwise */
	GRACE_MS = 2000, /* behind the time, for a rank to end */
	NAP_MS = 5
};

/* One process of this machine, where no cluster is given.  The rates are those of
 * memory that two processors share. */
static const char model[] = "cluster ranks=%u step=100\n"
	"lane rate=10000\nmemory rate=10000\nlink rate=10000\n"
	"simple link=300\n";

struct work {
	struct coll_tune *tune;
	const struct input *text, *cluster;
	struct coll_findings *findings;
	const char *transports; /* null: those of a launcher */
};

/* ---- a rank ---- */

static plait_status check_world(struct work *work,
				const struct coll_measure *measure)
{
	plait_error *error = &work->findings->error;
	uint32_t ranks = coll_measure_world(measure).ranks;

	if (work->tune->desc.ranks == 0)
		work->tune->desc.ranks = ranks;
	if (work->tune->desc.ranks == ranks)
		return PLAIT_OK;
	error->status = PLAIT_E_INVALID;
	snprintf(error->text, sizeof(error->text), "--ranks %u: the world has "
		 "%u ranks", work->tune->desc.ranks, ranks);
	return PLAIT_E_INVALID;
}

/* Lead the world by predictions of the cluster, or of the model. */
static plait_status lead_world(struct work *work, struct coll_search *search,
			       struct coll_measure *measure)
{
	char text[sizeof(model) + 16];
	struct coll_candidates list = { 0 };
	struct input own = { .bytes = text };

	own.count = (uint64_t)snprintf(text, sizeof(text), model,
				       work->tune->desc.ranks);
	search->desc = work->tune->desc;
	search->list = &list;
	if (search->cluster == NULL)
		search->cluster = &own;
	coll_lead(search, measure);
	search->cluster = work->cluster;
	free(list.items);
	return coll_measure_is_broken(measure) ? PLAIT_E_LOST : PLAIT_OK;
}

/* Rank 0 reports here if a launcher has started it. */
static int run_rank(struct work *work, struct coll_search *search,
		    struct coll_measure *measure)
{
	plait_error *error = &work->findings->error;
	bool leads = coll_measure_world(measure).rank == 0;
	plait_status status = check_world(work, measure);
	int code = COMMAND_DONE;

	if (status == PLAIT_OK)
		status = leads ? lead_world(work, search, measure) :
				 coll_measure_follow(measure, error);
	if (status != PLAIT_OK && leads)
		code = command_fail("coll", "tune: %s", error->text);
	else if (status != PLAIT_OK)
		code = COMMAND_FAILED;
	if (leads && work->transports == NULL && code == COMMAND_DONE)
		code = coll_tune_report(work->tune, search);
	return code;
}

static int measure_rank(void *user_data)
{
	struct work *work = user_data;
	struct coll_findings own, *shared = work->findings;
	struct coll_measure *measure = NULL;
	struct coll_search search;
	plait_schedule *none;
	plait_error error = { .size = sizeof(error) };
	plait_context *context = NULL;
	int code;

	if (coll_open("host", NULL, &context, &none, &error) != PLAIT_OK ||
	    coll_measure_open(context, work->transports, &measure, &error) !=
		    PLAIT_OK) {
		code = command_fail("coll", "tune: %s", error.text);
		goto out;
	}
	if (coll_measure_world(measure).rank != 0) {
		coll_findings_clear(&own);
		work->findings = &own;
	}
	coll_tune_begin(work->tune, work->text, work->cluster, work->findings,
			&search);
	search.context = context;
	code = run_rank(work, &search, measure);
	work->findings = shared;
out:
	coll_measure_close(measure);
	plait_context_release(context);
	return code;
}

/* ---- processes ---- */

static int refuse(const char *reason)
{
	return command_fail("coll", "tune: %s", reason);
}

/* The processes need their buffers at one time. */
static int check_memory(struct coll_tune *tune)
{
	uint64_t most = (uint64_t)sysconf(_SC_PHYS_PAGES) *
			(uint64_t)sysconf(_SC_PAGESIZE) / 2;
	uint64_t each = tune->desc.flags & PLAIT_COLL_IN_PLACE ? 1 : 2;
	uint64_t room = most / (each * tune->desc.ranks);
	uint32_t fits = 0;

	while (fits < tune->sizes.count && tune->sizes.items[fits] <= room)
		fits++;
	if (fits == tune->sizes.count)
		return COMMAND_DONE;
	if (tune->has_sizes || fits == 0)
		return command_fail("coll", "tune: %" PRIu64 " bytes: the "
				    "buffers of %u ranks do not fit into half of "
				    "the memory; the largest size is %" PRIu64,
				    tune->sizes.items[fits], tune->desc.ranks,
				    room);
	tune->sizes.count = fits;
	return COMMAND_DONE;
}

static int check_machine(struct coll_tune *tune)
{
	static const char *const variables[] = { "OMPI_COMM_WORLD_SIZE",
						 "PMI_SIZE" };

	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
		if (getenv(variables[i]) != NULL)
			return refuse("a launcher has started this process; "
				      "with PLAIT_TRANSPORT, as shm,mpi, it "
				      "is a rank to measure");
	if (tune->desc.ranks > COLL_MOST_PROCESSES)
		return command_fail("coll", "tune: --ranks %u: --measure starts "
				    "at most %d processes; --cluster alone "
				    "predicts", tune->desc.ranks,
				    COLL_MOST_PROCESSES);
	return check_memory(tune);
}

/* Number of ranks of a text, found by a process, since this one may not call the
 * library before it starts ranks. */
static int find_ranks(void *user_data)
{
	struct work *work = user_data;
	plait_schedule_info info = { .size = sizeof(info) };
	const struct coll_candidate plain = { .instances = 1 };
	struct coll_search search;
	plait_schedule *schedule = NULL;
	plait_error *error = &work->findings->error;

	coll_tune_begin(work->tune, work->text, NULL, work->findings, &search);
	if (coll_open("host", NULL, &search.context, &schedule, error) ||
	    coll_search_compile(&search, &plain, 0, 0, &schedule) ||
	    plait_schedule_query(schedule, &info, error))
		return command_fail("coll", "%s: %s", search.text_name,
				    error->text);
	work->findings->ranks = info.ranks;
	return COMMAND_DONE;
}

static int ask_ranks(struct work *work)
{
	pid_t id;
	int state = -1;

	if (work->tune->desc.ranks > 0 || work->text == NULL)
		return COMMAND_DONE;
	if (coll_ranks_start(1, find_ranks, work, &id) == 1)
		(void)waitpid(id, &state, 0);
	work->tune->desc.ranks = work->findings->ranks;
	return state == 0 ? COMMAND_DONE : COMMAND_FAILED;
}

static void kill_all(const pid_t *ids, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (ids[i] > 0)
			(void)kill(ids[i], SIGKILL);
}

/* Wait until all have ended; those that do not end in time are killed.  Returns true
 * if each has ended well. */
static bool await(const struct coll_tune *tune, struct coll_findings *findings,
		  pid_t *ids, uint32_t count, uint64_t start_ns)
{
	const struct timespec nap = { .tv_nsec = NAP_MS * 1000000 };
	uint64_t limit_ns = (tune->seconds * 1000ull + GRACE_MS) * 1000000ull;
	uint32_t ended = 0;
	bool good = true, late = false;
	int state;

	while (ended < count) {
		for (uint32_t i = 0; i < count; i++) {
			if (ids[i] <= 0 ||
			    waitpid(ids[i], &state, WNOHANG) == 0)
				continue;
			ids[i] = 0;
			ended++;
			good = good && (state == 0 || late);
		}
		if (!late && coll_clock_now() - start_ns > limit_ns) {
			late = true;
			findings->is_complete = false;
			kill_all(ids, count);
		}
		nanosleep(&nap, NULL);
	}
	return good;
}

static int report(const struct work *work)
{
	struct coll_search search;
	plait_schedule *none;
	plait_error error = { .size = sizeof(error) };
	int code;

	coll_tune_begin(work->tune, work->text, work->cluster, work->findings,
			&search);
	if (coll_open("host", NULL, &search.context, &none, &error))
		return command_fail("coll", "%s", error.text);
	code = coll_tune_report(work->tune, &search);
	plait_context_release(search.context);
	return code;
}

static int start_processes(struct work *work)
{
	uint64_t start = coll_clock_now();
	pid_t ids[COLL_MOST_PROCESSES];
	uint32_t count = work->tune->desc.ranks, started;
	bool good;
	int code;

	started = coll_ranks_start(count, measure_rank, work, ids);
	if (started < count)
		kill_all(ids, started);
	good = await(work->tune, work->findings, ids, started, start);
	if (started < count)
		return COMMAND_FAILED;
	if (!good && work->findings->measured == 0)
		return COMMAND_FAILED;
	code = report(work);
	return good ? code : COMMAND_FAILED;
}

int coll_tune_measured(struct coll_tune *tune, const struct input *text,
		       const struct input *cluster)
{
	struct coll_findings *findings = mmap(
		NULL, sizeof(*findings), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct work work = { .tune = tune, .text = text, .cluster = cluster,
			     .findings = findings };
	int code;

	if (findings == MAP_FAILED)
		return refuse("no memory for the results");
	coll_findings_clear(findings);
	if (tune->seconds == 0)
		tune->seconds = SECONDS;
	if (!tune->has_sizes)
		(void)coll_sizes_read("1K:64M", &tune->sizes);
	if (coll_ranks_wanted()) {
		code = measure_rank(&work);
	} else {
		work.transports = "shm";
		code = ask_ranks(&work);
		if (code == COMMAND_DONE)
			code = check_machine(tune);
		if (code == COMMAND_DONE)
			code = start_processes(&work);
	}
	munmap(findings, sizeof(*findings));
	return code;
}
