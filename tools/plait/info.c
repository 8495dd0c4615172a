/* SPDX-License-Identifier: MIT */
/*
 * plait info: report of the backends found, chosen and rejected, and why.  A
 * child process makes the report, since a driver that a backend loads may end
 * its process.
 */
#include "command.h"

#include "plait/plait.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int read_options(int argc, char **argv, plait_context_desc *desc)
{
	static const struct option known[] = {
		{ "backends", required_argument, NULL, 'b' },
		{ "path", required_argument, NULL, 'p' },
		{ "wrap", required_argument, NULL, 'w' },
		{ "options", required_argument, NULL, 'o' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "b:p:w:o:", known, NULL)) !=
	       -1) {
		switch (option) {
		case 'b':
			desc->backends = optarg;
			break;
		case 'p':
			desc->plugin_path = optarg;
			break;
		case 'w':
			desc->wrap = optarg;
			break;
		case 'o':
			desc->options = optarg;
			break;
		default:
			return command_usage("info",
					     "unexpected argument '%s'",
					     argv[optind - 1]);
		}
	}
	if (optind < argc)
		return command_usage("info", "unexpected argument '%s'",
				     argv[optind]);
	return COMMAND_DONE;
}

/* Call twice: for the size, then for the text. */
static plait_status read_report(const plait_context_desc *desc, char **out,
				plait_error *error)
{
	uint64_t bytes = 0;
	plait_status status;

	*out = NULL;
	status = plait_backend_report(desc, NULL, 0, &bytes, error);
	if (status != PLAIT_OK)
		return status;
	*out = malloc(bytes);
	if (*out == NULL)
		return PLAIT_E_NOMEM;
	return plait_backend_report(desc, *out, bytes, NULL, error);
}

/* The report describes host devices in full, which takes longer to open. */
#define OWN_OPTIONS "host:describe=1"

static bool ask_for_all(plait_context_desc *desc)
{
	const char *variable = secure_getenv("PLAIT_OPTIONS");

	if (desc->options != NULL || (variable != NULL && *variable != '\0'))
		return false;
	desc->options = OWN_OPTIONS;
	return true;
}

/* Print one line of the report, without the option that this command set. */
static void print_line(const char *line, int length, bool own_options)
{
	static const char options[] = "options: " OWN_OPTIONS;
	const bool ours = own_options &&
			  memmem(line, (size_t)length, "host:describe",
				 strlen("host:describe")) != NULL;

	if (!ours)
		printf("%.*s", length, line);
	else if (strncmp(line, options, strlen(options)) == 0)
		printf("options: none\n");
}

static void print_report(const char *report, bool own_options)
{
	const char *end;

	printf("plait %s (ABI %u)\n", plait_version(),
	       (unsigned)plait_abi());
	for (; *report != '\0'; report = end) {
		end = strchr(report, '\n');
		end = end != NULL ? end + 1 : report + strlen(report);
		print_line(report, (int)(end - report), own_options);
	}
	printf("\nThe words behind a device (map, wrap, ...) are its abilities: "
	       "plait(1).\n");
}

static int report(plait_context_desc *desc)
{
	plait_error error = { .size = sizeof(error) };
	plait_status status;
	bool own_options = ask_for_all(desc);
	int code = COMMAND_DONE;
	char *text;

	status = read_report(desc, &text, &error);
	if (status == PLAIT_OK)
		print_report(text, own_options);
	else
		code = command_fail("info", "%s (%s)", error.text,
				    plait_status_name(status));
	free(text);
	return code;
}

/* --- child process ------------------------------------------------------- */

/* Print the environment variables that may have contributed to the failure. */
static void name_variables(void)
{
	static const char *const names[] = {
		"PLAIT_BACKEND", "PLAIT_OPTIONS", "PLAIT_PLUGIN_PATH",
		"PLAIT_WRAP", "OCL_ICD_VENDORS", "LD_PRELOAD",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (getenv(names[i]) != NULL)
			fprintf(stderr, "  %s=%s\n", names[i],
				getenv(names[i]));
}

static int judge(int status)
{
	char how[64];

	if (WIFSIGNALED(status))
		snprintf(how, sizeof(how), "killed by signal %d (%s)",
			 WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		snprintf(how, sizeof(how), "exited with %d",
			 WEXITSTATUS(status));
	(void)command_fail("info", "a backend, or code that it loads, ended "
			   "the process that queried the backends: %s. "
			   "Use --backends to select the backends to query.",
			   how);
	name_variables();
	return COMMAND_FAILED;
}

/* The child writes one byte, its exit code, after a complete report. */
static int await(pid_t child, int from)
{
	unsigned char code = COMMAND_FAILED;
	ssize_t said;
	int status = 0;

	do
		said = read(from, &code, 1);
	while (said < 0 && errno == EINTR);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return said == 1 ? code : judge(status);
}

int command_info(int argc, char **argv)
{
	plait_context_desc desc = { .size = sizeof(desc) };
	unsigned char answer;
	int code, ends[2];
	pid_t child;

	code = read_options(argc, argv, &desc);
	if (code != COMMAND_DONE)
		return code;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return report(&desc);
	child = fork();
	if (child <= 0)
		code = report(&desc);
	if (child == 0) {
		code = command_finish(code);
		answer = (unsigned char)code;
		exit(write(ends[1], &answer, 1) == 1 ? code : COMMAND_FAILED);
	}
	close(ends[1]);
	if (child > 0)
		code = await(child, ends[0]);
	close(ends[0]);
	return code;
}
