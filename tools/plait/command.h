/* SPDX-License-Identifier: MIT */
/*
 * Subcommands of `plait`.  Each has a file of its name and a row in the table of
 * main.c.
 */
#ifndef PLAIT_TOOLS_COMMAND_H
#define PLAIT_TOOLS_COMMAND_H

/* Exit codes of `plait`. */
enum {
	COMMAND_DONE = 0,
	COMMAND_FAILED = 1, /* failed; stderr has the reason */
	COMMAND_USAGE = 2   /* wrong arguments */
};

struct command {
	const char *name;
	const char *arguments; /* for the help, such as "[-b LIST]" */
	const char *summary;
	const char *details;   /* options; null: the command prints its help */
	/* argv[0] is the subcommand's name. */
	int (*run)(int argc, char **argv);
};

int command_check(int argc, char **argv);
int command_coll(int argc, char **argv);
int command_flow(int argc, char **argv);
int command_info(int argc, char **argv);
int command_plan(int argc, char **argv);
int command_run(int argc, char **argv);
int command_simulate(int argc, char **argv);
int conform_main(int argc, char **argv);

/* Print "plait NAME: text" and the usage of NAME; return COMMAND_USAGE. */
int command_usage(const char *name, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Print "plait NAME: text"; return COMMAND_FAILED. */
int command_fail(const char *name, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Flush stdout.  Return `code`, or COMMAND_FAILED after a line on stderr if the
 * output of a successful command could not be written. */
int command_finish(int code);

#endif
