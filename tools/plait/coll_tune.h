/* SPDX-License-Identifier: MIT */
/* Shared by the parts of plait coll tune. */
#ifndef PLAIT_TOOLS_COLL_TUNE_H
#define PLAIT_TOOLS_COLL_TUNE_H

#include "coll_search.h"

/* The command line. */
struct coll_tune {
	const char *subject;	/* a kind, or the path of a text */
	const char *cluster_path, *folder;
	plait_coll_desc desc;
	plait_coll_target target;
	struct coll_sizes sizes;
	plait_schedule_format format;
	uint32_t seconds;	/* 0: no limit, or when measuring the default */
	bool all, measures, verbose, has_sizes;
};

/* Fill what the command line says; the rest is zero. */
void coll_tune_begin(const struct coll_tune *tune, const struct input *text,
		     const struct input *cluster,
		     struct coll_findings *findings,
		     struct coll_search *out);

/* Print the best candidates, and write their schedules.  Return COMMAND_DONE, or
 * COMMAND_FAILED after a message. */
int coll_tune_report(const struct coll_tune *tune, struct coll_search *search);

/* Measure, and report; the cluster is null or read. */
int coll_tune_measured(struct coll_tune *tune, const struct input *text,
		       const struct input *cluster);

#endif
