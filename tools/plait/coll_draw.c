/* SPDX-License-Identifier: MIT */
/* plait coll draw: a schedule as a picture. */
#include "coll.h"
#include "command.h"
#include "input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Without a cluster each step takes 1 us, and each message half of that. */
static const char steps_alone[] =
	"cluster ranks=65536 step=1000\n"
	"lane rate=100000000\n"
	"simple link=500\n"
	"ll link=500\n"
	"ll128 link=500\n";

struct request {
	const char *path, *cluster_path;
	struct coll_sizes sizes;
};

static int take(void *user_data, int option, const char *value)
{
	struct request *request = user_data;

	if (option == 'b')
		return coll_sizes_read(value, &request->sizes);
	if (option == 'c')
		request->cluster_path = value;
	return COMMAND_DONE;
}

static int read_arguments(struct request *request, int argc, char **argv)
{
	static const struct option known[] = {
		{ "bytes", required_argument, NULL, 'b' },
		{ "cluster", required_argument, NULL, 'c' },
		{ "svg", no_argument, NULL, 's' },
		{ NULL, 0, NULL, 0 }
	};
	int code = coll_options(argc, argv, known, take, request,
				&request->path);

	if (code == COMMAND_DONE && request->sizes.count != 1)
		return command_usage("coll", "draw: --bytes needs one size");
	return code;
}

static plait_status draw(const struct request *request,
			 plait_schedule *schedule, const struct input *cluster,
			 char **out, plait_error *error)
{
	bool given = cluster->bytes != NULL;
	const char *text = given ? cluster->bytes : steps_alone;
	uint64_t text_bytes = given ? cluster->count : strlen(steps_alone);
	const char *name = given ? input_name(request->cluster_path) : NULL;
	uint64_t size = request->sizes.items[0], bytes;
	plait_status status = plait_schedule_draw(schedule, text, text_bytes,
						  name, size, NULL, 0, &bytes,
						  error);

	if (status != PLAIT_OK)
		return status;
	*out = malloc(bytes);
	return *out == NULL ? PLAIT_E_NOMEM :
	       plait_schedule_draw(schedule, text, text_bytes, name, size, *out,
				   bytes, NULL, error);
}

static int show(const struct request *request, const struct input *input,
		const struct input *cluster)
{
	plait_error error = { .size = sizeof(error), .text = "no memory" };
	plait_context *context = NULL;
	plait_schedule *schedule = NULL;
	char *picture = NULL;
	plait_status status = coll_open("host", input, &context, &schedule,
					&error);

	if (status == PLAIT_OK)
		status = draw(request, schedule, cluster, &picture, &error);
	if (status == PLAIT_OK)
		fputs(picture, stdout);
	free(picture);
	plait_schedule_release(schedule);
	plait_context_release(context);
	return status == PLAIT_OK ? COMMAND_DONE :
	       command_fail("coll", "%s: %s", input_name(request->path),
			    error.text);
}

int coll_draw(int argc, char **argv)
{
	struct request request = { .sizes = { { 1 << 20 }, 1 } };
	struct input input = { .bytes = NULL }, cluster = { .bytes = NULL };
	int code = read_arguments(&request, argc, argv);

	if (code == COMMAND_DONE)
		code = input_read("coll", request.path, &input);
	if (code == COMMAND_DONE && request.cluster_path != NULL)
		code = input_read("coll", request.cluster_path, &cluster);
	if (code == COMMAND_DONE)
		code = show(&request, &input, &cluster);
	input_free(&cluster);
	input_free(&input);
	return code;
}
