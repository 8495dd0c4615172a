/* SPDX-License-Identifier: MIT */
/*
 * Plan of a command line: loaded from a file, or planned from a graph in text
 * form with the planning options.  Not here: the subcommands that use the plan.
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
	/* The last planning option given, or null.  Refused for a file that
	 * is a plan already. */
	const char *planning;
	bool workers; /* open the context with worker threads */
};

struct schedule {
	plait_context *context;
	plait_plan *plan;
	uint64_t plan_ns; /* duration of planning; 0 for a loaded plan */
	bool loaded;
};

/* Rows for the table of getopt_long.  Options of `take` use upper-case letters. */
#define SCHEDULE_OPTIONS                                                      \
	{ "policy", required_argument, NULL, 'p' },                           \
	{ "lanes", required_argument, NULL, 'l' },                            \
	{ "mode", required_argument, NULL, 'm' }
#define SCHEDULE_HOP { "hop", required_argument, NULL, 'h' }

/* Handle one option; `value` is null for a flag.  Return COMMAND_DONE or
 * COMMAND_USAGE. */
typedef int (*schedule_take)(void *user_data, int option, const char *value);

/*
 * Read a command line: options and one file.  Options of the macros above are
 * handled here, others by `take` (null: there are none).  Return COMMAND_DONE, or
 * COMMAND_USAGE after a message.
 */
int schedule_read(struct schedule_request *request, int argc, char **argv,
		  const struct option *known, schedule_take take,
		  void *user_data);

/* Open a context and load or make the plan.  Return COMMAND_DONE, or another
 * code after a message. */
int schedule_open(const struct schedule_request *request,
		  struct schedule *out);

void schedule_close(struct schedule *schedule);

/*
 * Parse a decimal number of at most `maximum`; `what` is the option, for
 * messages.  Return COMMAND_DONE or COMMAND_USAGE.
 */
int schedule_number(const char *command, const char *what, const char *text,
		    uint64_t maximum, uint64_t *out);

#endif
