/* SPDX-License-Identifier: MIT */
/*
 * plait info: report of the backends found, chosen and rejected, and why; then
 * the devices of backends that are used only when named, each from a survey of
 * its own; and on demand a trial of device graphs.
 */
#include "command.h"
#include "links.h"
#include "survey.h"
#include "trial.h"

#include "plait/plait.h"

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_options(int argc, char **argv, plait_context_desc *desc,
			bool *graphs)
{
	static const struct option known[] = {
		{ "backends", required_argument, NULL, 'b' },
		{ "path", required_argument, NULL, 'p' },
		{ "wrap", required_argument, NULL, 'w' },
		{ "options", required_argument, NULL, 'o' },
		{ "graphs", no_argument, NULL, 'g' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "b:p:w:o:g", known, NULL)) !=
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
		case 'g':
			*graphs = true;
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

/* --- backends that are not chosen */

/* Limit of the time for a backend that the user has not named. */
enum { OTHER_SECONDS = 20 };

/* Returns true for the report's line about a backend that has to be named. */
static bool is_unnamed(const char *line, char name[32])
{
	return sscanf(line, "%31[a-z0-9_]: not chosen: it is used only when "
		      "named", name) == 1 && strchr(line, ' ') ==
	       line + strlen(name) + 1 &&
	       strncmp(line + strlen(name), ": not chosen:", 13) == 0;
}

/* Print what the report of one backend says about its devices: lines
 * "  NAME:0: ...", or the reason behind "NAME: rejected: ". */
static void print_devices(const char *report, const char *name)
{
	char device[40], rejected[48];
	const char *end;

	snprintf(device, sizeof(device), "  %s:", name);
	snprintf(rejected, sizeof(rejected), "%s: rejected: ", name);
	for (; *report != '\0'; report = end) {
		end = strchr(report, '\n');
		end = end != NULL ? end + 1 : report + strlen(report);
		if (strncmp(report, device, strlen(device)) == 0)
			printf("%.*s", (int)(end - report), report);
		else if (strncmp(report, rejected, strlen(rejected)) == 0)
			printf("  not usable here: %.*s",
			       (int)(end - report - (long)strlen(rejected)),
			       report + strlen(rejected));
	}
}

static void print_other(const plait_context_desc *desc, const char *name)
{
	plait_context_desc other = *desc;
	survey made;

	other.backends = name;
	other.log_level = PLAIT_LOG_NONE;
	made = survey_make(&other, OTHER_SECONDS);
	if (made.text == NULL)
		printf("  not usable here: no memory for its report\n");
	else if (made.complete)
		print_devices(made.text, name);
	else
		printf("  not usable here: %s\n", made.text);
	free(made.text);
}

/* --- output */

/* Print the report; the devices of a backend that is not chosen come at the end
 * of its paragraph. */
static void print_report(const char *report, const plait_context_desc *desc,
			 bool own_options)
{
	char name[32] = "";
	const char *end;

	printf("plait %s (ABI %u)\n", plait_version(),
	       (unsigned)plait_abi());
	for (; *report != '\0'; report = end) {
		end = strchr(report, '\n');
		end = end != NULL ? end + 1 : report + strlen(report);
		if (*report == '\n' && name[0] != '\0') {
			print_other(desc, name);
			name[0] = '\0';
		}
		print_line(report, (int)(end - report), own_options);
		if (*report != ' ' && !is_unnamed(report, name))
			name[0] = '\0';
	}
	if (name[0] != '\0')
		print_other(desc, name);
}

/* Without usable backends there is nothing to add to the report. */
static void print_links(const plait_context_desc *desc)
{
	plait_context_desc mine = *desc;
	survey made;

	mine.log_level = PLAIT_LOG_NONE;
	made = survey_text(links_make, &mine, OTHER_SECONDS);
	if (made.text != NULL && made.complete && made.text[0] != '\0')
		printf("\nmemories, and links between them:\n%s", made.text);
	free(made.text);
}

/* Limit of the time for all devices together. */
enum { TRIAL_SECONDS = 120 };

static void print_trial(const plait_context_desc *desc)
{
	survey made = survey_text(trial_make, desc, TRIAL_SECONDS);

	printf("\ndevice graphs of three small plans:\n%s%s",
	       made.text == NULL ? "  no memory for the trial\n" :
	       made.complete ? "" : "  ", made.text != NULL ? made.text : "");
	if (made.text != NULL && !made.complete)
		printf("\n");
	free(made.text);
}

static void print_all(const char *report, const plait_context_desc *desc,
		      bool own_options)
{
	print_report(report, desc, own_options);
	print_links(desc);
	printf("\nThe words behind a device (map, wrap, ...) are its abilities: "
	       "plait(1).\n");
}

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

int command_info(int argc, char **argv)
{
	plait_context_desc desc = { .size = sizeof(desc) };
	bool own_options, graphs = false;
	survey made;
	int code;

	code = read_options(argc, argv, &desc, &graphs);
	if (code != COMMAND_DONE)
		return code;
	own_options = ask_for_all(&desc);
	made = survey_make(&desc, 0);
	if (made.text == NULL)
		code = command_fail("info", "no memory for the report");
	else if (made.complete)
		print_all(made.text, &desc, own_options);
	else
		code = command_fail("info", "%s", made.text);
	if (made.complete && graphs)
		print_trial(&desc);
	if (!made.complete && made.ended)
		name_variables();
	free(made.text);
	return code;
}
