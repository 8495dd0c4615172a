/* SPDX-License-Identifier: MIT */
/*
 * plait coll tune: the schedule with the least predicted time for each size.
 * Candidates are the known algorithms with all protocols and some numbers of
 * instances and of chunks; a cluster predicts their times.
 */
#include "coll.h"
#include "command.h"
#include "input.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct request {
	const char *kind_name, *cluster_path, *folder;
	plait_coll_desc desc;
	plait_coll_target target;
	struct coll_sizes sizes;
	plait_schedule_format format;
	bool all;
};

struct candidate {
	char name[24];		/* of a known algorithm */
	uint32_t chunks, instances;
	plait_coll_protocol protocol;
};

/* The best candidate for a size; UINT64_MAX: none. */
struct best {
	struct candidate candidate;
	uint64_t time_ns;
};

struct search {
	const struct request *request;
	struct input cluster;
	plait_context *context;
	struct best best[COLL_MOST_SIZES];
	plait_error error;	/* of the last candidate that was refused */
};

static const char *const protocols[] = { "auto", "simple", "ll", "ll128",
					 NULL };

/* ---- command line ---- */

static int take_xml(struct request *request, const char *value)
{
	int code = coll_choose("--xml", coll_targets + 1, value,
			       &request->target);

	request->target++;
	request->format = PLAIT_SCHEDULE_XML_MSCCL +
			  (int32_t)request->target - PLAIT_TARGET_MSCCL;
	return code;
}

static int take(void *user_data, int option, const char *value)
{
	struct request *request = user_data;

	switch (option) {
	case 'n':
		return coll_number("--ranks", value, &request->desc.ranks);
	case 'r':
		return coll_number("--root", value, &request->desc.root);
	case 'b':
		return coll_sizes_read(value, &request->sizes);
	case 'x':
		return take_xml(request, value);
	case 'c':
		request->cluster_path = value;
		return COMMAND_DONE;
	case 'o':
		request->folder = value;
		return COMMAND_DONE;
	case 'a':
		request->all = true;
		return COMMAND_DONE;
	default:
		request->desc.flags |= PLAIT_COLL_IN_PLACE;
		return COMMAND_DONE;
	}
}

static int read_arguments(struct request *request, int argc, char **argv)
{
	static const struct option known[] = {
		{ "ranks", required_argument, NULL, 'n' },
		{ "root", required_argument, NULL, 'r' },
		{ "bytes", required_argument, NULL, 'b' },
		{ "cluster", required_argument, NULL, 'c' },
		{ "xml", required_argument, NULL, 'x' },
		{ "all", no_argument, NULL, 'a' },
		{ "in-place", no_argument, NULL, 'I' },
		{ NULL, 0, NULL, 0 }
	};
	int code = coll_options(argc, argv, known, take, request,
				&request->kind_name);

	if (code == COMMAND_DONE)
		code = coll_choose("tune", coll_kinds + 1, request->kind_name,
				   &request->desc.kind);
	request->desc.kind++;
	if (code == COMMAND_DONE && (request->cluster_path == NULL ||
				     request->desc.ranks == 0))
		return command_usage("coll", "tune: %s is missing",
				     request->desc.ranks == 0 ? "--ranks" :
								"--cluster");
	return code;
}

/* ---- one candidate ---- */

static plait_status compile(struct search *search,
			    const struct candidate *candidate,
			    const plait_compile_desc *range,
			    plait_schedule **out)
{
	plait_coll_desc desc = search->request->desc;
	plait_compile_desc how = *range;
	plait_coll *coll = NULL;
	plait_status status;

	desc.chunks = candidate->chunks;
	how.target = search->request->target;
	how.protocol = candidate->protocol;
	how.instances = candidate->instances;
	*out = NULL;
	status = plait_coll_known(search->context, candidate->name, &desc,
				  &coll, &search->error);
	if (status == PLAIT_OK)
		status = plait_coll_compile(coll, &how, out, &search->error);
	plait_coll_release(coll);
	return status;
}

static void print_candidate(const struct candidate *candidate, uint64_t size,
			    uint64_t time_ns)
{
	printf("%12" PRIu64 " bytes: %12.3f us; %s, %u instances, %s", size,
	       (double)time_ns / 1000, candidate->name, candidate->instances,
	       protocols[candidate->protocol]);
	if (candidate->chunks != 0)
		printf(", %u chunks", candidate->chunks);
	putchar('\n');
}

/* Predict all sizes; the time of one that is not safe is UINT64_MAX. */
static plait_status predict(struct search *search,
			    const struct candidate *candidate,
			    plait_schedule *schedule, uint64_t *out_times)
{
	const struct request *request = search->request;

	for (uint32_t i = 0; i < request->sizes.count; i++) {
		plait_coll_simulation result = { .size = sizeof(result) };
		struct best *best = &search->best[i];
		plait_status status = plait_schedule_simulate(
			schedule, search->cluster.bytes, search->cluster.count,
			input_name(request->cluster_path),
			request->sizes.items[i], &result, &search->error);

		out_times[i] = UINT64_MAX;
		if (status == PLAIT_E_DEADLOCK)
			continue;
		if (status != PLAIT_OK)
			return status;
		out_times[i] = result.time_ns;
		if (request->all)
			print_candidate(candidate, request->sizes.items[i],
					result.time_ns);
		if (result.time_ns < best->time_ns)
			*best = (struct best){ *candidate, result.time_ns };
	}
	return PLAIT_OK;
}

/* Compile and predict; returns the chunks of a share, or 0 if the candidate is
 * refused. */
static uint32_t try_candidate(struct search *search,
			      const struct candidate *candidate,
			      uint64_t *out_times)
{
	const plait_compile_desc range = { .size = sizeof(range) };
	plait_schedule_info info = { .size = sizeof(info) };
	plait_schedule *schedule;
	plait_status status = compile(search, candidate, &range, &schedule);

	if (status == PLAIT_OK)
		status = plait_schedule_query(schedule, &info, &search->error);
	if (status == PLAIT_OK)
		status = predict(search, candidate, schedule, out_times);
	plait_schedule_release(schedule);
	return status == PLAIT_OK ? info.share_chunks / candidate->instances :
				    0;
}

/* ---- all candidates ---- */

/* Returns true if a time is less than before, and keeps the times. */
static bool is_faster(uint64_t *before, const uint64_t *times, uint32_t count)
{
	bool faster = false;

	for (uint32_t i = 0; i < count; i++) {
		faster |= times[i] < before[i];
		before[i] = times[i];
	}
	return faster;
}

/* One, two, four instances, ... as long as a size becomes faster.  Returns the
 * chunks of a share of the first one, or 0 if it is refused. */
static uint32_t try_instances(struct search *search,
			      struct candidate *candidate)
{
	uint64_t times[COLL_MOST_SIZES], before[COLL_MOST_SIZES];
	uint32_t share = 0, first = 0, count = search->request->sizes.count;

	for (uint32_t i = 0; i < count; i++)
		before[i] = UINT64_MAX;
	candidate->instances = 1;
	do {
		share = try_candidate(search, candidate, times);
		if (candidate->instances == 1)
			first = share;
		candidate->instances *= 2;
	} while (share > 0 && candidate->instances <= 64 &&
		 is_faster(before, times, count));
	return first;
}

/* An algorithm with all protocols, and with one, two and four times as many
 * chunks as it needs. */
static void try_name(struct search *search, const char *name)
{
	struct candidate candidate = { .chunks = 0 };

	snprintf(candidate.name, sizeof(candidate.name), "%s", name);
	for (candidate.protocol = PLAIT_PROTOCOL_SIMPLE;
	     candidate.protocol <= PLAIT_PROTOCOL_LL128; candidate.protocol++) {
		uint32_t share;

		candidate.chunks = 0;
		share = try_instances(search, &candidate);
		for (uint32_t times = 2; times <= 4 && share > 0; times *= 2) {
			candidate.chunks = times * share;
			try_instances(search, &candidate);
		}
	}
}

static void try_all(struct search *search)
{
	static const char *const flat[] = { "ring", "allpairs", "onestep",
					    "direct", "halving", "tree",
					    "doubletree" };
	static const char *const nodes[] = { "hierarchical", "twostep",
					     "threestep", "next" };
	uint32_t ranks = search->request->desc.ranks;
	char name[24];

	for (size_t i = 0; i < sizeof(flat) / sizeof(flat[0]); i++)
		try_name(search, flat[i]);
	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++)
		for (uint32_t group = 2; group < ranks; group++)
			if (ranks % group == 0) {
				snprintf(name, sizeof(name), "%s:%u", nodes[i],
					 group);
				try_name(search, name);
			}
}

/* ---- results ---- */

static bool is_same(const struct candidate *a, const struct candidate *b)
{
	return strcmp(a->name, b->name) == 0 && a->chunks == b->chunks &&
	       a->instances == b->instances && a->protocol == b->protocol;
}

/* Write the schedule of sizes `first` to `last` of the list, for all sizes down
 * to the previous ones; the last range has no end. */
static int write_range(struct search *search, uint32_t first, uint32_t last)
{
	const struct request *request = search->request;
	const struct candidate *candidate = &search->best[first].candidate;
	const uint64_t *sizes = request->sizes.items;
	const plait_compile_desc range = {
		.size = sizeof(range),
		.min_bytes = first > 0 ? sizes[first - 1] + 1 : 0,
		.max_bytes = last + 1 < request->sizes.count ? sizes[last] : 0,
	};
	plait_schedule *schedule = NULL;
	char path[4096];
	int code;

	if (compile(search, candidate, &range, &schedule) != PLAIT_OK)
		return command_fail("coll", "%s: %s", candidate->name,
				    search->error.text);
	snprintf(path, sizeof(path), "%s/%s-%u-%" PRIu64 ".%s", request->folder,
		 request->kind_name, request->desc.ranks, sizes[first],
		 request->format == PLAIT_SCHEDULE_BINARY ? "sched" : "xml");
	code = coll_write(schedule, request->format, path, candidate->name);
	plait_schedule_release(schedule);
	return code;
}

static int write_ranges(struct search *search)
{
	uint32_t count = search->request->sizes.count, first = 0;
	int code = COMMAND_DONE;

	for (uint32_t i = 1; i <= count && code == COMMAND_DONE; i++) {
		if (i < count && is_same(&search->best[i].candidate,
					 &search->best[first].candidate))
			continue;
		code = write_range(search, first, i - 1);
		first = i;
	}
	return code;
}

static int report(struct search *search)
{
	const struct request *request = search->request;

	for (uint32_t i = 0; i < request->sizes.count; i++) {
		if (search->best[i].time_ns == UINT64_MAX)
			return command_fail("coll", "no algorithm for %s of "
					    "%u ranks; the last one: %s",
					    request->kind_name,
					    request->desc.ranks,
					    search->error.text);
		if (!request->all)
			print_candidate(&search->best[i].candidate,
					request->sizes.items[i],
					search->best[i].time_ns);
	}
	return request->folder != NULL ? write_ranges(search) : COMMAND_DONE;
}

/* ---- all ---- */

static int tune(struct search *search)
{
	plait_schedule *none;
	plait_status status = coll_open("host", NULL, &search->context, &none,
					&search->error);
	int code;

	for (uint32_t i = 0; i < COLL_MOST_SIZES; i++)
		search->best[i].time_ns = UINT64_MAX;
	if (status == PLAIT_OK)
		try_all(search);
	code = status == PLAIT_OK ? report(search) :
	       command_fail("coll", "%s", search->error.text);
	plait_context_release(search->context);
	return code;
}

int coll_tune(int argc, char **argv)
{
	struct request request = {
		.desc = { .size = sizeof(request.desc) },
		.format = PLAIT_SCHEDULE_BINARY,
	};
	struct search search = {
		.request = &request, .error = { .size = sizeof(search.error) },
	};
	int code = coll_sizes_read("1K:1G", &request.sizes);

	if (code == COMMAND_DONE)
		code = read_arguments(&request, argc, argv);
	if (code == COMMAND_DONE)
		code = input_read("coll", request.cluster_path,
				  &search.cluster);
	if (code == COMMAND_DONE)
		code = tune(&search);
	input_free(&search.cluster);
	return code;
}
