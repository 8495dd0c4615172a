/* SPDX-License-Identifier: MIT */
/* plait flow: the tasks of a text, and why each waits for others. */
#include "command.h"
#include "input.h"
#include "schedule.h"

#include "plait/record.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct request {
	const char *path;
	plait_flow_desc desc;
	plait_flow_format format;
	int formats; /* options that chose one */
	int strict;
	plait_memories_desc memories; /* no devices: the tasks are printed */
	const char *links;	      /* file of bandwidths */
	char *links_text;
	const char *history; /* file of measured times */
	uint32_t weights[30];
	uint32_t weight_count;
	int of_memories;	      /* options that need some */
	int has_lanes;		      /* of its own */
};

/* ---- command line ---- */

static int take_peers(struct request *request)
{
	static const char *const known[] = { "all", "ring", "none" };

	for (plait_memory_peers i = 0; i < 3; i++) {
		if (strcmp(optarg, known[i]) != 0)
			continue;
		request->memories.peers = i;
		return COMMAND_DONE;
	}
	return command_usage("flow", "--peers is all, ring or none, not '%s'",
			     optarg);
}

static int take_lookahead(struct request *request)
{
	if (strcmp(optarg, "none") == 0)
		request->memories.flags |= PLAIT_MEMORIES_NO_LOOKAHEAD;
	else if (strcmp(optarg, "all") != 0)
		return command_usage("flow", "--lookahead is all or none, not "
				     "'%s'", optarg);
	return COMMAND_DONE;
}

/* "3,1": the share of each device. */
static int take_weights(struct request *request)
{
	enum { MOST = sizeof(request->weights) / sizeof(request->weights[0]) };
	const char *at = optarg;
	char *end = NULL;

	request->weight_count = 0;
	request->memories.weights = request->weights;
	do {
		unsigned long weight = strtoul(at, &end, 10);

		if (*at < '0' || *at > '9' || weight > UINT32_MAX ||
		    (*end != '\0' && *end != ',') ||
		    request->weight_count == MOST)
			return command_usage("flow", "--weights is a list of "
					     "numbers, like 3,1, not '%s'",
					     optarg);
		request->weights[request->weight_count++] = (uint32_t)weight;
		at = end + 1;
	} while (*end == ',');
	return COMMAND_DONE;
}

/* Find the option's value in a list that ends with null. */
static int take_word(const char *option, const char *const *known,
		     uint32_t *out)
{
	for (uint32_t i = 0; known[i] != NULL; i++) {
		if (strcmp(optarg, known[i]) != 0)
			continue;
		*out = i;
		return COMMAND_DONE;
	}
	return command_usage("flow", "%s has no '%s'; see plait flow in "
			     "doc/flow-memories.md", option, optarg);
}

static int take_policy(struct request *request, int option)
{
	static const char *const devices[] = {
		"earliest", "single", "round-robin", "stream-aware",
		"min-size", "minmin-time", "minmax-time", NULL
	};
	static const char *const parents[] = {
		"best", "same", "disjoint", "early-disjoint",
		"device-disjoint", NULL
	};
	static const char *const lanes[] = { "reuse", "always-new", NULL };

	if (option == 'c')
		return take_word("--choose", devices,
				 &request->memories.choose);
	if (option == 'r')
		return take_word("--parent", parents,
				 &request->memories.parent);
	return take_word("--lane", lanes, &request->memories.lane);
}

/* Numbers of a device: bytes of its memory, lanes; 0 lanes: no limit. */
static int take_size(struct request *request, int option)
{
	uint64_t number = 0;
	int code;

	if (option == 'b')
		return schedule_number("flow", "--bytes", optarg,
				       UINT64_MAX / 2,
				       &request->memories.memory_bytes);
	code = schedule_number("flow", "--device-lanes", optarg, 1 << 20,
			       &number);
	request->memories.lanes = number == 0 ? UINT32_MAX : (uint32_t)number;
	return code;
}

/* Pieces of a split task are one per device, without another number. */
static int take_memories(struct request *request, int option)
{
	uint64_t number = 0;
	int code;

	request->of_memories += option != 'm';
	switch (option) {
	case 'p':
		return take_peers(request);
	case 'a':
		return take_lookahead(request);
	case 'h':
		request->memories.flags |= PLAIT_MEMORIES_SHARED;
		return COMMAND_DONE;
	case 'c':
	case 'r':
	case 'n':
		return take_policy(request, option);
	case 'b':
	case 'd':
		return take_size(request, option);
	case 'k':
		request->links = optarg;
		return COMMAND_DONE;
	case 'g':
		return take_weights(request);
	default:
		code = schedule_number("flow", "--memories", optarg, 30,
				       &number);
		if (code == COMMAND_DONE && number == 0)
			return command_usage("flow", "--memories needs at "
					     "least one device");
		request->memories.devices = (uint32_t)number;
		request->desc.lanes = (uint32_t)number;
		return code;
	}
}

static int take(struct request *request, int option)
{
	uint64_t number = 0;
	int code = COMMAND_DONE;

	switch (option) {
	case 'l':
		code = schedule_number("flow", "--lanes", optarg, 30, &number);
		request->desc.lanes = (uint32_t)number;
		request->has_lanes = 1;
		return code;
	case 'w':
		code = schedule_number("flow", "--window", optarg, 1 << 20,
				       &number);
		request->desc.window = (uint32_t)number;
		return code;
	case 't':
		request->history = request->desc.history = optarg;
		return COMMAND_DONE;
	case 's':
		request->strict = 1;
		return COMMAND_DONE;
	case 'm':
	case 'p':
	case 'a':
	case 'h':
	case 'c':
	case 'r':
	case 'n':
	case 'b':
	case 'd':
	case 'k':
	case 'g':
		return take_memories(request, option);
	default:
		request->format = option;
		return request->formats++ == 0 ? COMMAND_DONE :
		       command_usage("flow", "one format at a time");
	}
}

static int check_options(const struct request *request)
{
	if (request->history != NULL && (request->memories.devices > 0 ||
					 request->format != PLAIT_FLOW_TEXT))
		return command_usage("flow", "--history is printed with --text, "
				     "and not with --memories");
	if (request->memories.devices == 0)
		return request->of_memories == 0 ? COMMAND_DONE :
		       command_usage("flow", "--peers, --shared, "
				     "--lookahead, --bytes, --links, "
				     "--weights and policies need --memories "
				     "N");
	if (request->weight_count != 0 &&
	    request->weight_count != request->memories.devices)
		return command_usage("flow", "--weights has %u numbers for %u "
				     "devices", request->weight_count,
				     request->memories.devices);
	if (request->has_lanes)
		return command_usage("flow", "--memories N has a lane per "
				     "device: use it without --lanes");
	if (request->format > PLAIT_FLOW_JSON)
		return command_usage("flow", "--memories has --text and "
				     "--json");
	return COMMAND_DONE;
}

static int read_arguments(struct request *request, int argc, char **argv)
{
	static const struct option known[] = {
		{ "text", no_argument, NULL, PLAIT_FLOW_TEXT },
		{ "json", no_argument, NULL, PLAIT_FLOW_JSON },
		{ "dot", no_argument, NULL, PLAIT_FLOW_DOT },
		{ "svg", no_argument, NULL, PLAIT_FLOW_SVG },
		{ "strict", no_argument, NULL, 's' },
		{ "lanes", required_argument, NULL, 'l' },
		{ "window", required_argument, NULL, 'w' },
		{ "memories", required_argument, NULL, 'm' },
		{ "peers", required_argument, NULL, 'p' },
		{ "lookahead", required_argument, NULL, 'a' },
		{ "shared", no_argument, NULL, 'h' },
		{ "choose", required_argument, NULL, 'c' },
		{ "parent", required_argument, NULL, 'r' },
		{ "lane", required_argument, NULL, 'n' },
		{ "device-lanes", required_argument, NULL, 'd' },
		{ "bytes", required_argument, NULL, 'b' },
		{ "history", required_argument, NULL, 't' },
		{ "links", required_argument, NULL, 'k' },
		{ "weights", required_argument, NULL, 'g' },
		{ NULL, 0, NULL, 0 }
	};
	int option, code = COMMAND_DONE;

	opterr = 0;
	while (code == COMMAND_DONE &&
	       (option = getopt_long(argc, argv, ":", known, NULL)) != -1) {
		if (option == '?')
			code = command_usage("flow", "unknown option '%s'",
					     argv[optind - 1]);
		else if (option == ':')
			code = command_usage("flow", "'%s' needs a value",
					     argv[optind - 1]);
		else
			code = take(request, option);
	}
	if (code == COMMAND_DONE)
		code = check_options(request);
	if (code == COMMAND_DONE && argc - optind != 1 &&
	    (argc != optind || request->history == NULL))
		code = command_usage("flow", "expected one FILE; '-' is "
				     "standard input");
	request->path = argc > optind ? argv[optind] : NULL;
	return code;
}

/* ---- the flow ---- */

/* No worker: the tasks run when the flow ends. */
static plait_status open_flow(const struct request *request,
			      plait_context **out_context, plait_flow **out,
			      plait_error *error)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .flags = PLAIT_CONTEXT_NO_WORKERS,
					  .backends = "host" };
	plait_status status = plait_context_open(&desc, out_context, error);

	return status != PLAIT_OK ? status :
	       plait_flow_create(*out_context, &request->desc, out, error);
}

static const char *name_of(const struct request *request)
{
	return request->path != NULL ? input_name(request->path) :
				       request->history;
}

static int fail(const struct request *request, const plait_error *error)
{
	const char *name = name_of(request);

	/* Errors of the text have the file and the line. */
	if (strncmp(error->text, name, strlen(name)) == 0)
		return command_fail("flow", "%s", error->text);
	return command_fail("flow", "%s: %s", name, error->text);
}

static plait_status write_text(const struct request *request, plait_flow *flow,
			       char *text, uint64_t capacity, uint64_t *bytes,
			       plait_error *error)
{
	return request->memories.devices == 0 ?
		plait_flow_write(flow, request->format, text, capacity, bytes,
				 error) :
		plait_flow_write_instructions(flow, &request->memories,
					      request->format, text, capacity,
					      bytes, error);
}

static int print(const struct request *request, plait_flow *flow)
{
	plait_error error = { .size = sizeof(error) };
	uint64_t bytes = 0;
	char *text = NULL;
	plait_status status = write_text(request, flow, NULL, 0, &bytes,
					 &error);

	if (status == PLAIT_OK)
		text = malloc(bytes + 1);
	if (status == PLAIT_OK && text == NULL)
		return command_fail("flow", "no memory for %" PRIu64 " bytes",
				    bytes);
	if (status == PLAIT_OK)
		status = write_text(request, flow, text, bytes, &bytes, &error);
	if (status == PLAIT_OK)
		fwrite(text, 1, bytes, stdout);
	free(text);
	return status == PLAIT_OK ? COMMAND_DONE : fail(request, &error);
}

static int check(const struct request *request, plait_flow *flow)
{
	plait_flow_info info = { .size = sizeof(info) };
	plait_error error = { .size = sizeof(error) };
	struct request strict = *request;
	uint64_t bytes;

	strict.memories.flags |= PLAIT_MEMORIES_STRICT;
	if (request->strict && request->memories.devices > 0)
		return write_text(&strict, flow, NULL, 0, &bytes, &error) ==
				       PLAIT_OK ?
			       COMMAND_DONE : fail(request, &error);
	if (plait_flow_query(flow, &info, &error) != PLAIT_OK)
		return fail(request, &error);
	if (info.warnings == 0 || !request->strict)
		return COMMAND_DONE;
	return command_fail("flow", "%s: %" PRIu64 " warning%s",
			    name_of(request), info.warnings,
			    info.warnings == 1 ? "" : "s");
}

/* Read the file of bandwidths, with a NUL; the caller frees it. */
static int read_links(struct request *request)
{
	struct input input;
	char *text;
	int code;

	if (request->links == NULL)
		return COMMAND_DONE;
	code = input_read("flow", request->links, &input);
	if (code != COMMAND_DONE)
		return code;
	text = malloc(input.count + 1);
	if (text == NULL)
		code = command_fail("flow", "no memory for links");
	else
		memcpy(text, input.bytes, input.count);
	if (text != NULL)
		text[input.count] = '\0';
	input_free(&input);
	request->memories.links = request->links_text = text;
	return code;
}

/* A history alone has no tasks. */
static int read_input(const struct request *request, struct input *out)
{
	if (request->path != NULL)
		return input_read("flow", request->path, out);
	*out = (struct input){ .bytes = calloc(1, 1) };
	return out->bytes != NULL ? COMMAND_DONE :
	       command_fail("flow", "no memory");
}

int command_flow(int argc, char **argv)
{
	struct request request = {
		.desc = { .size = sizeof(request.desc), .lanes = 4,
			  .flags = PLAIT_FLOW_RECORD },
		.memories = { .size = sizeof(request.memories) },
	};
	plait_error error = { .size = sizeof(error) };
	plait_context *context = NULL;
	plait_flow *flow = NULL;
	struct input input;
	int code = read_arguments(&request, argc, argv);

	if (code == COMMAND_DONE)
		code = read_links(&request);
	if (code == COMMAND_DONE)
		code = read_input(&request, &input);
	if (code != COMMAND_DONE) {
		free(request.links_text);
		return code;
	}
	if (open_flow(&request, &context, &flow, &error) != PLAIT_OK ||
	    plait_flow_read(flow, input.bytes, input.count,
			    name_of(&request), &error) != PLAIT_OK)
		code = fail(&request, &error);
	input_free(&input);
	if (code == COMMAND_DONE)
		code = print(&request, flow);
	if (code == COMMAND_DONE)
		code = check(&request, flow);
	plait_flow_release(flow);
	plait_context_release(context);
	free(request.links_text);
	return code;
}
