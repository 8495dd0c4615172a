/* SPDX-License-Identifier: MIT */
/*
 * The `plait` command: finds the subcommand and runs it.  What subcommands do
 * is in their own files; they see what every user of the library sees.
 */
#include "command.h"

#include "plait/plait.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static int command_help(int argc, char **argv);
static int command_version(int argc, char **argv);

static const struct command commands[] = {
	{ "check", "PLAN|FILE [--policy P] [--lanes N] [--mode M] [--hop N]",
	  "prove that a plan is right", command_check },
	{ "conform", "BACKEND [--only IDS] [--seed N] [--expect FILE] | --list",
	  "see whether a backend keeps its promises", conform_main },
	{ "info", "[-b LIST] [-p PATH] [-w LIST] [-o OPTIONS]",
	  "tell which backends there are, and why not", command_info },
	{ "plan", "FILE [--policy widest|bounded] [--lanes N] "
	  "[--mode strict|helped|auto] [--hop N]\n"
	  "                  [--text | --stats | --json | --dot | --svg] "
	  "[-o PLAN]",
	  "plan a graph, show or keep the plan", command_plan },
	{ "run", "PLAN|FILE [--times N] [--unit NS] [--serial | --parallel] "
	  "[--trace JSON] [--svg SVG]\n"
	  "                 [--tune PLAN] [--watch] [--hop N] [--policy P] [--lanes N] "
	  "[--mode M]",
	  "rehearse a plan, tell what that costs and what happened",
	  command_run },
	{ "simulate", "PLAN|FILE [--hop N] [--submit N] [--copy ALPHA,BETA] "
	  "[--policy P] [--lanes N] [--mode M]",
	  "predict a run of a plan from costs", command_simulate },
	{ "version", "", "print the version", command_version },
	{ "help", "[COMMAND]", "tell how this is used", command_help },
};

static const struct command *find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

static void print_call(FILE *stream, const struct command *command)
{
	fprintf(stream, "usage: plait %s%s%s\n", command->name,
		command->arguments[0] != '\0' ? " " : "", command->arguments);
}

int command_usage(const char *name, const char *format, ...)
{
	const struct command *command = find(name);
	va_list args;

	fprintf(stderr, "plait %s: ", name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	if (command != NULL)
		print_call(stderr, command);
	return COMMAND_USAGE;
}

int command_fail(const char *name, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "plait %s: ", name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return COMMAND_FAILED;
}

static void print_help(FILE *stream)
{
	size_t i;

	fprintf(stream, "usage: plait COMMAND [ARGUMENT...]\n\n");
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(stream, "  %-10s %s\n", commands[i].name,
			commands[i].summary);
	fprintf(stream, "\nplait help COMMAND tells more; so does plait(1).\n");
}

static int command_help(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		print_help(stdout);
		return COMMAND_DONE;
	}
	command = find(argv[1]);
	if (command == NULL)
		return command_usage("help", "there is no command '%s'",
				     argv[1]);
	print_call(stdout, command);
	printf("\n%s\n", command->summary);
	return COMMAND_DONE;
}

static int command_version(int argc, char **argv)
{
	if (argc > 1)
		return command_usage("version", "what is '%s'?", argv[1]);
	printf("plait %s (interface %u)\n", plait_version(),
	       (unsigned)plait_abi());
	return COMMAND_DONE;
}

/* What people try first. */
static const char *canonical(const char *name)
{
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
		return "help";
	if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
		return "version";
	return name;
}

/* A result that could not be written is no result. */
static int finish(int code)
{
	if ((fflush(stdout) != 0 || ferror(stdout)) && code == COMMAND_DONE) {
		fprintf(stderr, "plait: the output could not be written\n");
		return COMMAND_FAILED;
	}
	return code;
}

int main(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		print_help(stderr);
		return COMMAND_USAGE;
	}
	command = find(canonical(argv[1]));
	if (command == NULL) {
		fprintf(stderr, "plait: there is no command '%s'\n\n",
			argv[1]);
		print_help(stderr);
		return COMMAND_USAGE;
	}
	return finish(command->run(argc - 1, argv + 1));
}
