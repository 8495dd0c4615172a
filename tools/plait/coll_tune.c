/* SPDX-License-Identifier: MIT */
/*
 * plait coll tune: the schedule with the least time for each size, of the known
 * algorithms of a collective, or of one text.  A cluster predicts the times, or
 * processes of this machine are measured.
 */
#include "coll.h"
#include "coll_search.h"
#include "command.h"
#include "input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct request {
	const char *subject;	/* a kind, or the path of a text */
	const char *cluster_path, *folder;
	plait_coll_desc desc;
	plait_coll_target target;
	struct coll_sizes sizes;
	plait_schedule_format format;
	bool all, measures;
};

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
	case 'm':
		request->measures = true;
		return COMMAND_DONE;
	default:
		request->desc.flags |= PLAIT_COLL_IN_PLACE;
		return COMMAND_DONE;
	}
}

static int check_subject(struct request *request)
{
	bool is_text = !coll_is_name(request->subject);
	int code = COMMAND_DONE;

	if (request->format != PLAIT_SCHEDULE_BINARY && request->folder == NULL)
		return command_usage("coll", "tune: --xml is the form of the files "
				     "of -o FOLDER, which is missing");
	if (is_text && (request->desc.flags != 0 || request->desc.root != 0))
		return command_usage("coll", "tune: a text says its collective "
				     "itself");
	if (!is_text) {
		code = coll_choose("tune", coll_kinds + 1, request->subject,
				   &request->desc.kind);
		request->desc.kind++;
	}
	if (code == COMMAND_DONE && !is_text && request->desc.ranks == 0)
		return command_usage("coll", "tune: --ranks is missing");
	if (code == COMMAND_DONE &&
	    request->measures == (request->cluster_path != NULL))
		return command_usage("coll", "tune: give --cluster or "
				     "--measure");
	return code;
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
		{ "measure", no_argument, NULL, 'm' },
		{ "in-place", no_argument, NULL, 'I' },
		{ NULL, 0, NULL, 0 }
	};
	int code = coll_options(argc, argv, known, take, request,
				&request->subject);

	return code != COMMAND_DONE ? code : check_subject(request);
}

/* ---- results ---- */

static bool is_same(const struct coll_candidate *a,
		    const struct coll_candidate *b)
{
	return strcmp(a->name, b->name) == 0 && a->chunks == b->chunks &&
	       a->instances == b->instances && a->protocol == b->protocol &&
	       a->message_chunks == b->message_chunks;
}

/* Write the schedule of sizes `first` to `last` of the list, for all sizes down
 * to the previous ones; the last range has no end. */
static int write_range(const struct request *request,
		       struct coll_search *search, uint32_t first,
		       uint32_t last)
{
	const uint64_t *sizes = request->sizes.items;
	plait_schedule *schedule = NULL;
	char path[4096];
	int code;

	if (coll_search_compile(search, &search->best[first].candidate,
				first > 0 ? sizes[first - 1] + 1 : 0,
				last + 1 < request->sizes.count ? sizes[last] :
								  0,
				&schedule) != PLAIT_OK)
		return command_fail("coll", "%s: %s",
				    input_name(request->subject),
				    search->error.text);
	snprintf(path, sizeof(path), "%s/%s-%u-%" PRIu64 ".%s", request->folder,
		 coll_kinds[search->kind], search->ranks, sizes[first],
		 request->format == PLAIT_SCHEDULE_BINARY ? "sched" : "xml");
	code = coll_write(schedule, request->format, path,
			  input_name(request->subject));
	plait_schedule_release(schedule);
	return code;
}

static int write_ranges(const struct request *request,
			struct coll_search *search)
{
	uint32_t count = request->sizes.count, first = 0;
	int code = COMMAND_DONE;

	if (mkdir(request->folder, 0777) != 0 && errno != EEXIST)
		return command_fail("coll", "%s: %s", request->folder,
				    strerror(errno));
	for (uint32_t i = 1; i <= count && code == COMMAND_DONE; i++) {
		if (i < count && is_same(&search->best[i].candidate,
					 &search->best[first].candidate))
			continue;
		code = write_range(request, search, first, i - 1);
		first = i;
	}
	return code;
}

static int fail(const struct request *request, const struct coll_search *search)
{
	if (search->text != NULL)
		return command_fail("coll", "%s: %s", search->text_name,
				    search->error.text);
	return command_fail("coll", "no algorithm for %s of %u ranks; the last "
			    "one: %s", request->subject, request->desc.ranks,
			    search->error.text);
}

static int report(const struct request *request, struct coll_search *search)
{
	for (uint32_t i = 0; i < request->sizes.count; i++) {
		const struct coll_best *best = &search->best[i];

		if (best->time_ns == UINT64_MAX)
			return fail(request, search);
		if (!request->all)
			coll_search_print(search, &best->candidate,
					  request->sizes.items[i],
					  best->time_ns);
	}
	return request->folder != NULL ? write_ranges(request, search) :
					 COMMAND_DONE;
}

/* ---- all ---- */

static int tune(const struct request *request, const struct input *text,
		const struct input *cluster)
{
	struct coll_search search = {
		.desc = request->desc, .target = request->target,
		.text = text, .text_name = input_name(request->subject),
		.cluster = cluster,
		.cluster_name = cluster != NULL ?
			input_name(request->cluster_path) : NULL,
		.sizes = &request->sizes, .prints_all = request->all,
		.error = { .size = sizeof(search.error) },
	};
	plait_schedule *none;
	int code;

	if (coll_open("host", NULL, &search.context, &none, &search.error))
		return command_fail("coll", "%s", search.error.text);
	coll_search_all(&search);
	code = report(request, &search);
	plait_context_release(search.context);
	return code;
}

int coll_tune(int argc, char **argv)
{
	struct request request = {
		.desc = { .size = sizeof(request.desc) },
		.format = PLAIT_SCHEDULE_BINARY,
	};
	struct input cluster = { .bytes = NULL }, text = { .bytes = NULL };
	int code = coll_sizes_read("1K:1G", &request.sizes);

	if (code == COMMAND_DONE)
		code = read_arguments(&request, argc, argv);
	if (code != COMMAND_DONE)
		return code;
	if (!request.measures)
		code = input_read("coll", request.cluster_path, &cluster);
	if (code == COMMAND_DONE && !coll_is_name(request.subject))
		code = input_read("coll", request.subject, &text);
	if (code == COMMAND_DONE)
		code = tune(&request, text.bytes != NULL ? &text : NULL,
			    request.measures ? NULL : &cluster);
	input_free(&text);
	input_free(&cluster);
	return code;
}
