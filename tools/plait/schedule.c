/* SPDX-License-Identifier: MIT */
/* Plan of a command line: options, input file, planning; see schedule.h. */
#include "schedule.h"

#include "command.h"
#include "input.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- options ---- */

int schedule_number(const char *command, const char *what, const char *text,
		    uint64_t maximum, uint64_t *out)
{
	uint64_t number = 0;
	const char *at = text;

	for (; isdigit((unsigned char)*at); at++)
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, *at - '0', &number))
			break;
	if (at == text || *at != '\0' || number > maximum)
		return command_usage(command, "%s: expected a number up to "
				     "%llu, found '%s'", what,
				     (unsigned long long)maximum, text);
	*out = number;
	return COMMAND_DONE;
}

static int choose(const struct schedule_request *request, const char *what,
		  const char *text, const char *const *names, uint32_t *out)
{
	for (uint32_t i = 0; names[i] != NULL; i++) {
		if (strcmp(names[i], text) == 0) {
			*out = i;
			return COMMAND_DONE;
		}
	}
	return command_usage(request->command, "%s: expected %s%s%s or %s, "
			     "found '%s'", what, names[0],
			     names[2] != NULL ? ", " : "",
			     names[2] != NULL ? names[1] : "",
			     names[2] != NULL ? names[2] : names[1], text);
}

static int take_own(struct schedule_request *request, int option,
		    const char *value)
{
	/* In the order of PLAIT_POLICY_... and PLAIT_MODE_... */
	static const char *const policies[] = { "bounded", "widest", NULL };
	static const char *const modes[] = { "strict", "helped", "auto",
					     NULL };
	plait_freeze_desc *freeze = &request->freeze;
	uint64_t lanes = 0;
	int code;

	switch (option) {
	case 'p':
		request->planning = "--policy";
		return choose(request, "--policy", value, policies,
			      &freeze->policy);
	case 'm':
		request->planning = "--mode";
		return choose(request, "--mode", value, modes, &freeze->mode);
	case 'h':
		request->planning = "--hop";
		return schedule_number(request->command, "--hop", value,
				       INT64_MAX, &freeze->hop_cost);
	default:
		request->planning = "--lanes";
		code = schedule_number(request->command, "--lanes", value,
				       UINT32_MAX - 1, &lanes);
		freeze->lanes = (uint32_t)lanes;
		return code;
	}
}

static int take_file(struct schedule_request *request, int argc, char **argv)
{
	if (argc == 0)
		return command_usage(request->command, "expected a FILE; '-' "
				     "is standard input");
	if (argc > 1)
		return command_usage(request->command, "expected one FILE, "
				     "found also '%s'", argv[1]);
	request->path = argv[0];
	return COMMAND_DONE;
}

int schedule_read(struct schedule_request *request, int argc, char **argv,
		  const struct option *known, schedule_take take,
		  void *user_data)
{
	int option, code = COMMAND_DONE;

	opterr = 0;
	while (code == COMMAND_DONE &&
	       (option = getopt_long(argc, argv, ":o:", known, NULL)) != -1) {
		if (option == '?')
			code = command_usage(request->command, "unknown "
					     "option '%s'", argv[optind - 1]);
		else if (option == ':')
			code = command_usage(request->command, "'%s' needs a "
					     "value", argv[optind - 1]);
		else if (strchr("plmh", option) != NULL)
			code = take_own(request, option, optarg);
		else if (take != NULL)
			code = take(user_data, option, optarg);
		else
			code = command_usage(request->command, "unexpected "
					     "option '-%c'", option);
	}
	if (code != COMMAND_DONE)
		return code;
	return take_file(request, argc - optind, argv + optind);
}

/* ---- planning ---- */

static uint64_t now_ns(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * Planning needs no device, so the host backend is used, whatever PLAIT_BACKEND
 * says; if it is unavailable, any usable backend.
 */
static plait_status open_context(bool workers, plait_context **out,
				 plait_error *error)
{
	plait_context_desc desc = { .size = sizeof(desc),
				    .flags = workers ? 0 :
					     PLAIT_CONTEXT_NO_WORKERS,
				    .backends = "host" };
	plait_status status = plait_context_open(&desc, out, error);

	if (status != PLAIT_E_UNAVAILABLE)
		return status;
	desc.backends = NULL;
	return plait_context_open(&desc, out, error);
}

/* Print an error with the file name.  Errors of the text form already have it,
 * with the line. */
static int fail(const struct schedule_request *request,
		const struct input *input,
		const plait_error *error)
{
	const char *name = input_name(request->path);
	size_t length = strlen(name);

	/* A graph as text has no NUL. */
	if (!input_is_plan(input) && memchr(input->bytes, 0, input->count))
		return command_fail(request->command, "%s: neither a graph nor "
				    "a plan: %s", name, error->text);
	if (strncmp(error->text, name, length) == 0 &&
	    error->text[length] == ':')
		return command_fail(request->command, "%s", error->text);
	return command_fail(request->command, "%s: %s", name, error->text);
}

static plait_status plan_text(const struct schedule_request *request,
			      const struct input *input,
			      struct schedule *schedule, plait_error *error)
{
	plait_graph *graph;
	uint64_t start;
	plait_status status = plait_graph_read(
		schedule->context, input->bytes, input->count,
		input_name(request->path), &graph, error);

	if (status != PLAIT_OK)
		return status;
	start = now_ns();
	status = plait_graph_freeze(graph, &request->freeze, &schedule->plan,
				    error);
	schedule->plan_ns = now_ns() - start;
	plait_graph_release(graph);
	return status;
}

static int make_plan(const struct schedule_request *request,
		     const struct input *input, struct schedule *schedule)
{
	plait_error error = { .size = sizeof(error) };
	plait_status status;

	if (schedule->loaded && request->planning != NULL)
		return command_usage(request->command, "%s is a plan, "
				     "already scheduled; %s needs a graph",
				     input_name(request->path),
				     request->planning);
	if (open_context(request->workers, &schedule->context,
			 &error) != PLAIT_OK)
		return command_fail(request->command, "no backend is usable, "
				    "not even host (plait info says why): %s",
				    error.text);
	status = schedule->loaded ?
		 plait_plan_read(schedule->context, input->bytes,
				 input->count, &schedule->plan, &error) :
		 plan_text(request, input, schedule, &error);
	return status == PLAIT_OK ? COMMAND_DONE :
	       fail(request, input, &error);
}

int schedule_open(const struct schedule_request *request,
		  struct schedule *out)
{
	struct input input;
	int code = input_read(request->command, request->path, &input);

	*out = (struct schedule){ 0 };
	if (code != COMMAND_DONE)
		return code;
	out->loaded = input_is_plan(&input);
	code = make_plan(request, &input, out);
	input_free(&input);
	if (code != COMMAND_DONE)
		schedule_close(out);
	return code;
}

void schedule_close(struct schedule *schedule)
{
	plait_plan_release(schedule->plan);
	plait_context_release(schedule->context);
	*schedule = (struct schedule){ 0 };
}
