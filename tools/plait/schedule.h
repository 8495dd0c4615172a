/* SPDX-License-Identifier: MIT */
/*
 * The plan that a command line asks for: a file that has one, or a graph in its
 * text form, planned as the options say.  Knows nothing of what is done with it.
 */
#ifndef PLAIT_TOOLS_SCHEDULE_H
#define PLAIT_TOOLS_SCHEDULE_H

#include "plait/plait.h"

#include <getopt.h>
#include <stdbool.h>

struct schedule_request {
	const char *command; /* the subcommand, for messages */
	const char *path;    /* "-": standard input */
	plait_freeze_desc freeze;
	/* An option about planning that was given; null: none.  A file that
	 * has a plan already leaves nothing to plan. */
	const char *planning;
	bool workers; /* the context gets threads */
};

struct schedule {
	plait_context *context;
	plait_plan *plan;
	uint64_t plan_ns; /* how long planning took; 0 when it was loaded */
	bool loaded;
};

/* Lines for the table of getopt_long; those of `take` are letters of its own,
 * no lower-case ones. */
#define SCHEDULE_OPTIONS                                                      \
	{ "policy", required_argument, NULL, 'p' },                           \
	{ "lanes", required_argument, NULL, 'l' },                            \
	{ "mode", required_argument, NULL, 'm' }
#define SCHEDULE_HOP { "hop", required_argument, NULL, 'h' }

/* COMMAND_DONE or COMMAND_USAGE; the value is null when there is none. */
typedef int (*schedule_take)(void *user_data, int option, const char *value);

/*
 * Read a command line: options and one file.  Those of the macros above are
 * taken here, others go to `take` (null when there are none).  COMMAND_DONE, or
 * COMMAND_USAGE after saying why.
 */
int schedule_read(struct schedule_request *request, int argc, char **argv,
		  const struct option *known, schedule_take take,
		  void *user_data);

/* COMMAND_DONE, or anything else after saying why. */
int schedule_open(const struct schedule_request *request,
		  struct schedule *out);

void schedule_close(struct schedule *schedule);

/*
 * A decimal number of at most `maximum`; `what` is the option, for messages.
 * COMMAND_DONE or COMMAND_USAGE.
 */
int schedule_number(const char *command, const char *what, const char *text,
		    uint64_t maximum, uint64_t *out);

#endif
