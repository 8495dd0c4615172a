/* SPDX-License-Identifier: MIT */
/* Results of plait coll tune: lines, and files of schedules. */
#include "coll_tune.h"
#include "command.h"
#include "input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

void coll_tune_begin(const struct coll_tune *tune, const struct input *text,
		     const struct input *cluster,
		     struct coll_findings *findings, struct coll_search *out)
{
	*out = (struct coll_search){
		.desc = tune->desc, .target = tune->target,
		.text = text, .text_name = input_name(tune->subject),
		.cluster = cluster, .findings = findings,
		.cluster_name = tune->cluster_path != NULL ?
			input_name(tune->cluster_path) : "cluster",
		.sizes = &tune->sizes, .prints_all = tune->all,
	};
	coll_clock_start(&out->clock, tune->seconds, tune->verbose);
}

/* ---- files ---- */

static bool is_same(const struct coll_candidate *a,
		    const struct coll_candidate *b)
{
	return strcmp(a->name, b->name) == 0 && a->chunks == b->chunks &&
	       a->instances == b->instances && a->protocol == b->protocol &&
	       a->message_chunks == b->message_chunks;
}

/* Write the schedule of sizes `first` to `last` of the list, for all sizes down
 * to the previous ones; the last range has no end. */
static int write_range(const struct coll_tune *tune,
		       struct coll_search *search,
		       const struct coll_sizes *sizes, uint32_t first,
		       uint32_t last)
{
	const struct coll_findings *findings = search->findings;
	plait_schedule *schedule = NULL;
	char path[4096];
	int code;

	if (coll_search_compile(search, &findings->best[first].candidate,
				first > 0 ? sizes->items[first - 1] + 1 : 0,
				last + 1 < sizes->count ? sizes->items[last] :
							  0,
				&schedule) != PLAIT_OK)
		return command_fail("coll", "%s: %s",
				    input_name(tune->subject),
				    findings->error.text);
	snprintf(path, sizeof(path), "%s/%s-%u-%" PRIu64 ".%s", tune->folder,
		 coll_kinds[findings->kind], findings->ranks,
		 sizes->items[first],
		 tune->format == PLAIT_SCHEDULE_BINARY ? "sched" : "xml");
	code = coll_write(schedule, tune->format, path,
			  input_name(tune->subject));
	plait_schedule_release(schedule);
	return code;
}

static int write_ranges(const struct coll_tune *tune,
			struct coll_search *search,
			const struct coll_sizes *sizes)
{
	const struct coll_best *best = search->findings->best;
	uint32_t first = 0;
	int code = COMMAND_DONE;

	if (mkdir(tune->folder, 0777) != 0 && errno != EEXIST)
		return command_fail("coll", "%s: %s", tune->folder,
				    strerror(errno));
	for (uint32_t i = 1; i <= sizes->count && code == COMMAND_DONE; i++) {
		if (i < sizes->count && is_same(&best[i].candidate,
						&best[first].candidate))
			continue;
		code = write_range(tune, search, sizes, first, i - 1);
		first = i;
	}
	return code;
}

/* ---- lines ---- */

static int fail(const struct coll_tune *tune, const struct coll_search *search)
{
	const struct coll_findings *findings = search->findings;

	if (!findings->is_complete && findings->error.text[0] == '\0')
		return command_fail("coll", "tune: no size has a result after %u "
				    "s; --seconds gives more", tune->seconds);
	if (search->text != NULL)
		return command_fail("coll", "%s: %s", search->text_name,
				    findings->error.text);
	return command_fail("coll", "no algorithm for %s of %u ranks; the last "
			    "one: %s", tune->subject, tune->desc.ranks,
			    findings->error.text);
}

/* Say what was left out for lack of time. */
static void tell_rest(const struct coll_tune *tune,
		      const struct coll_findings *findings, uint32_t missing)
{
	fprintf(stderr, "plait coll: tune: the %u s ended: ", tune->seconds);
	if (tune->measures)
		fprintf(stderr, "%u candidates were measured, %u had no time, ",
			findings->measured, findings->candidates -
			findings->hopeless - findings->measured);
	else
		fprintf(stderr, "%u candidates were predicted, ",
			findings->candidates);
	fprintf(stderr, "%u sizes have no result; --seconds gives more\n",
		missing);
}

/* Keep the sizes that have a result. */
static void keep_results(const struct coll_tune *tune,
			 struct coll_findings *findings,
			 struct coll_sizes *out)
{
	out->count = 0;
	for (uint32_t i = 0; i < tune->sizes.count; i++) {
		if (findings->best[i].time_ns == UINT64_MAX)
			continue;
		findings->best[out->count] = findings->best[i];
		out->items[out->count++] = tune->sizes.items[i];
	}
}

int coll_tune_report(const struct coll_tune *tune, struct coll_search *search)
{
	struct coll_findings *findings = search->findings;
	struct coll_sizes sizes;
	uint32_t missing;

	keep_results(tune, findings, &sizes);
	missing = tune->sizes.count - sizes.count;
	if (sizes.count == 0)
		return fail(tune, search);
	for (uint32_t i = 0; i < sizes.count && !tune->all; i++)
		coll_search_print(search, &findings->best[i].candidate,
				  sizes.items[i], findings->best[i].time_ns);
	if (!findings->is_complete)
		tell_rest(tune, findings, missing);
	else if (missing > 0)
		return fail(tune, search);
	return tune->folder != NULL ? write_ranges(tune, search, &sizes) :
				      COMMAND_DONE;
}
