/* SPDX-License-Identifier: MIT */
/*
 * The subcommands of `plait`.  Each lives in a file of its own, named like
 * it, and is one line in the table of main.c.
 */
#ifndef PLAIT_TOOLS_COMMAND_H
#define PLAIT_TOOLS_COMMAND_H

/* What `plait` exits with. */
enum {
	COMMAND_DONE = 0,
	COMMAND_FAILED = 1, /* it was tried, and a line on stderr says why not */
	COMMAND_USAGE = 2   /* it was not understood */
};

struct command {
	const char *name;
	const char *arguments; /* for the help, such as "[-b LIST]" */
	const char *summary;
	const char *details;   /* its options; null: it has a help of its own */
	/* argv[0] is the subcommand's name. */
	int (*run)(int argc, char **argv);
};

int command_check(int argc, char **argv);
int command_info(int argc, char **argv);
int command_plan(int argc, char **argv);
int command_run(int argc, char **argv);
int command_simulate(int argc, char **argv);
int conform_main(int argc, char **argv);

/* Print "plait NAME: text" and how NAME is called; returns COMMAND_USAGE. */
int command_usage(const char *name, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Print "plait NAME: text"; returns COMMAND_FAILED. */
int command_fail(const char *name, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* `code`, unless what was printed could not be written: then that is no result,
 * and the error stream says so. */
int command_finish(int code);

#endif
