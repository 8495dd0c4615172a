/* SPDX-License-Identifier: MIT */
/*
 * plait coll tune: the schedule with the least time for each size, of the known
 * algorithms of a collective, or of one text.  A cluster predicts the times, or
 * processes of this machine, or ranks of a launcher, are measured.
 */
#include "coll_ranks.h"
#include "coll_tune.h"
#include "command.h"
#include "input.h"

#include <stddef.h>

/* ---- command line ---- */

static int take_xml(struct coll_tune *tune, const char *value)
{
	int code = coll_choose("--xml", coll_targets + 1, value,
			       &tune->target);

	tune->target++;
	tune->format = PLAIT_SCHEDULE_XML_MSCCL +
			  (int32_t)tune->target - PLAIT_TARGET_MSCCL;
	return code;
}

static int take(void *user_data, int option, const char *value)
{
	struct coll_tune *tune = user_data;

	switch (option) {
	case 'n':
		return coll_number("--ranks", value, &tune->desc.ranks);
	case 'r':
		return coll_number("--root", value, &tune->desc.root);
	case 'b':
		tune->has_sizes = true;
		return coll_sizes_read(value, &tune->sizes);
	case 's':
		return coll_number("--seconds", value, &tune->seconds);
	case 'v':
		tune->verbose = true;
		return COMMAND_DONE;
	case 'x':
		return take_xml(tune, value);
	case 'c':
		tune->cluster_path = value;
		return COMMAND_DONE;
	case 'o':
		tune->folder = value;
		return COMMAND_DONE;
	case 'a':
		tune->all = true;
		return COMMAND_DONE;
	case 'm':
		tune->measures = true;
		return COMMAND_DONE;
	default:
		tune->desc.flags |= PLAIT_COLL_IN_PLACE;
		return COMMAND_DONE;
	}
}

static int check_subject(struct coll_tune *tune)
{
	bool is_text = !coll_is_name(tune->subject);
	int code = COMMAND_DONE;

	if (tune->format != PLAIT_SCHEDULE_BINARY && tune->folder == NULL)
		return command_usage("coll", "tune: --xml is the form of the files "
				     "of -o FOLDER, which is missing");
	if (is_text && (tune->desc.flags != 0 || tune->desc.root != 0))
		return command_usage("coll", "tune: a text says its collective "
				     "itself");
	if (!is_text) {
		code = coll_choose("tune", coll_kinds + 1, tune->subject,
				   &tune->desc.kind);
		tune->desc.kind++;
	}
	if (code == COMMAND_DONE && !is_text && tune->desc.ranks == 0 &&
	    !(tune->measures && coll_ranks_wanted()))
		return command_usage("coll", "tune: --ranks is missing");
	if (code == COMMAND_DONE && !tune->measures &&
	    tune->cluster_path == NULL)
		return command_usage("coll", "tune: give --cluster or "
				     "--measure");
	return code;
}

static int read_arguments(struct coll_tune *tune, int argc, char **argv)
{
	static const struct option known[] = {
		{ "ranks", required_argument, NULL, 'n' },
		{ "root", required_argument, NULL, 'r' },
		{ "bytes", required_argument, NULL, 'b' },
		{ "cluster", required_argument, NULL, 'c' },
		{ "xml", required_argument, NULL, 'x' },
		{ "all", no_argument, NULL, 'a' },
		{ "measure", no_argument, NULL, 'm' },
		{ "seconds", required_argument, NULL, 's' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "in-place", no_argument, NULL, 'I' },
		{ NULL, 0, NULL, 0 }
	};
	int code = coll_options(argc, argv, known, take, tune,
				&tune->subject);

	return code != COMMAND_DONE ? code : check_subject(tune);
}

/* ---- all ---- */

static int predict(const struct coll_tune *tune, const struct input *text,
		   const struct input *cluster)
{
	struct coll_findings findings;
	struct coll_search search;
	plait_schedule *none;
	int code;

	coll_findings_clear(&findings);
	coll_tune_begin(tune, text, cluster, &findings, &search);
	if (coll_open("host", NULL, &search.context, &none, &findings.error))
		return command_fail("coll", "%s", findings.error.text);
	coll_search_all(&search);
	coll_clock_clear(&search.clock);
	code = coll_tune_report(tune, &search);
	plait_context_release(search.context);
	return code;
}

int coll_tune(int argc, char **argv)
{
	struct coll_tune tune = {
		.desc = { .size = sizeof(tune.desc) },
		.format = PLAIT_SCHEDULE_BINARY,
	};
	struct input cluster = { .bytes = NULL }, text = { .bytes = NULL };
	const struct input *program;
	int code = coll_sizes_read("1K:1G", &tune.sizes);

	if (code == COMMAND_DONE)
		code = read_arguments(&tune, argc, argv);
	if (code != COMMAND_DONE)
		return code;
	if (tune.cluster_path != NULL)
		code = input_read("coll", tune.cluster_path, &cluster);
	if (code == COMMAND_DONE && !coll_is_name(tune.subject))
		code = input_read("coll", tune.subject, &text);
	program = text.bytes != NULL ? &text : NULL;
	if (code == COMMAND_DONE)
		code = tune.measures ?
			coll_tune_measured(&tune, program,
					   cluster.bytes != NULL ? &cluster :
								   NULL) :
			predict(&tune, program, &cluster);
	input_free(&text);
	input_free(&cluster);
	return code;
}
