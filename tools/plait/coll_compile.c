/* SPDX-License-Identifier: MIT */
/* plait coll compile: a known algorithm or a text becomes a proved schedule. */
#include "coll.h"
#include "command.h"
#include "input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct request {
	const char *path;	/* a name, or a file */
	const char *output;
	plait_coll_desc desc;
	plait_compile_desc compile;
	plait_schedule_format format;
	bool has_kind;
};

/* ---- command line ---- */

static int take_flag(struct request *request, int option)
{
	if (option == 'I')
		request->desc.flags |= PLAIT_COLL_IN_PLACE;
	else
		request->compile.flags |= PLAIT_COMPILE_NO_FUSION;
	return COMMAND_DONE;
}

static int take_aggregate(struct request *request, const char *value)
{
	request->compile.flags |= PLAIT_COMPILE_AGGREGATE;
	return value == NULL ? COMMAND_DONE :
	       coll_number("--aggregate", value,
			   &request->compile.message_chunks);
}

static int take_xml(struct request *request, const char *value)
{
	uint32_t target;
	int code = coll_choose("--xml", coll_targets + 1, value, &target);

	request->format = PLAIT_SCHEDULE_XML_MSCCL + (int32_t)target;
	return code;
}

static int take(void *user_data, int option, const char *value)
{
	static const char *const protocols[] = { "auto", "simple", "ll",
						 "ll128", NULL };
	struct request *request = user_data;

	switch (option) {
	case 'k':
		request->has_kind = true;
		return coll_choose("--kind", coll_kinds, value,
				   &request->desc.kind);
	case 'n':
		return coll_number("--ranks", value, &request->desc.ranks);
	case 'c':
		return coll_number("--chunks", value, &request->desc.chunks);
	case 'r':
		return coll_number("--root", value, &request->desc.root);
	case 'i':
		return coll_number("--instances", value,
				   &request->compile.instances);
	case 'd':
		return coll_number("--depth", value, &request->compile.depth);
	case 'l':
		return coll_number("--lanes", value, &request->compile.lanes);
	case 'p':
		return coll_choose("--protocol", protocols, value,
				   &request->compile.protocol);
	case 't':
		return coll_choose("--target", coll_targets, value,
				   &request->compile.target);
	case 'x':
		return take_xml(request, value);
	case 'A':
		return take_aggregate(request, value);
	case 'o':
		request->output = value;
		return COMMAND_DONE;
	default:
		return take_flag(request, option);
	}
}

static int read_arguments(struct request *request, int argc, char **argv)
{
	static const struct option known[] = {
		{ "kind", required_argument, NULL, 'k' },
		{ "ranks", required_argument, NULL, 'n' },
		{ "chunks", required_argument, NULL, 'c' },
		{ "root", required_argument, NULL, 'r' },
		{ "instances", required_argument, NULL, 'i' },
		{ "depth", required_argument, NULL, 'd' },
		{ "lanes", required_argument, NULL, 'l' },
		{ "protocol", required_argument, NULL, 'p' },
		{ "target", required_argument, NULL, 't' },
		{ "xml", required_argument, NULL, 'x' },
		{ "in-place", no_argument, NULL, 'I' },
		{ "no-fusion", no_argument, NULL, 'F' },
		{ "aggregate", optional_argument, NULL, 'A' },
		{ NULL, 0, NULL, 0 }
	};

	return coll_options(argc, argv, known, take, request, &request->path);
}

/* ---- programs ---- */

/* Algorithms of one collective alone have it as their default. */
static plait_coll_kind usual_kind(const char *name)
{
	if (strncmp(name, "twostep", 7) == 0 ||
	    strncmp(name, "threestep", 9) == 0)
		return PLAIT_COLL_ALLTOALL;
	if (strncmp(name, "next", 4) == 0)
		return PLAIT_COLL_ALLTONEXT;
	return PLAIT_COLL_ALLREDUCE;
}

static plait_status read_text(plait_context *context, struct request *request,
			      const struct input *input, plait_coll **out,
			      plait_error *error)
{
	return plait_coll_read(context, input->bytes, input->count,
			       input_name(request->path), request->desc.ranks,
			       request->desc.chunks, out, error);
}

static plait_status make(plait_context *context, struct request *request,
			 const struct input *input, plait_coll **out,
			 plait_error *error)
{
	if (!coll_is_name(request->path))
		return read_text(context, request, input, out, error);
	if (!request->has_kind)
		request->desc.kind = usual_kind(request->path);
	return plait_coll_known(context, request->path, &request->desc, out,
				error);
}

/* ---- output ---- */

static int fail(const struct request *request, const plait_error *error)
{
	return command_fail("coll", "%s: %s", input_name(request->path),
			    error->text);
}

static int report(const struct request *request, plait_schedule *schedule,
		  plait_error *error)
{
	plait_proof proof = { .size = sizeof(proof) };
	bool is_binary = request->format == PLAIT_SCHEDULE_BINARY;
	int code = COMMAND_DONE;

	if (request->output != NULL || !is_binary)
		code = coll_write(schedule, request->format, request->output,
				  input_name(request->path));
	if (code != COMMAND_DONE || (request->output == NULL && !is_binary))
		return code;
	if (plait_schedule_check(schedule, NULL, &proof, error))
		return fail(request, error);
	coll_print_proof(&proof);
	return COMMAND_DONE;
}

/* ---- all ---- */

static int compile(struct request *request, const struct input *input)
{
	plait_error error = { .size = sizeof(error) };
	plait_context *context = NULL;
	plait_schedule *schedule = NULL;
	plait_coll *coll = NULL;
	plait_status status = coll_open("host", NULL, &context, &schedule,
					&error);
	int code;

	if (status == PLAIT_OK)
		status = make(context, request, input, &coll, &error);
	if (status == PLAIT_OK)
		status = plait_coll_compile(coll, &request->compile, &schedule,
					    &error);
	code = status == PLAIT_OK ? report(request, schedule, &error) :
				    fail(request, &error);
	plait_schedule_release(schedule);
	plait_coll_release(coll);
	plait_context_release(context);
	return code;
}

int coll_compile(int argc, char **argv)
{
	struct request request = {
		.desc = { .size = sizeof(request.desc) },
		.compile = { .size = sizeof(request.compile) },
		.format = PLAIT_SCHEDULE_BINARY,
	};
	struct input input = { .bytes = NULL };
	int code = read_arguments(&request, argc, argv);

	if (code != COMMAND_DONE)
		return code;
	if (coll_is_name(request.path) && request.desc.ranks == 0)
		return command_usage("coll", "compile: --ranks is missing");
	if (!coll_is_name(request.path) && (request.has_kind || request.desc.flags))
		return command_usage("coll", "compile: a text says its "
				     "collective itself");
	if (!coll_is_name(request.path))
		code = input_read("coll", request.path, &input);
	if (code == COMMAND_DONE)
		code = compile(&request, &input);
	input_free(&input);
	return code;
}
