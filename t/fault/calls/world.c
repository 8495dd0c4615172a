/* SPDX-License-Identifier: MIT */
/* Worlds of one rank, and their collectives, tried while something fails. */
#include "fault/calls.h"

/* The schedule of an allreduce of one rank: a copy. */
static plait_status compile(struct place *place, plait_schedule **out,
			    plait_error *error)
{
	const plait_coll_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_COLL_ALLREDUCE, .ranks = 1,
	};
	plait_coll *coll = NULL;
	plait_status status = plait_coll_known(place->context, "ring", &desc,
					       &coll, error);

	if (status == PLAIT_OK)
		status = plait_coll_compile(coll, NULL, out, error);
	plait_coll_release(coll);
	return status;
}

static plait_status call(plait_collective *collective, plait_error *error)
{
	const float input[] = { 1, 2, 3 };
	float output[3] = { 0 };
	const plait_collective_run run = {
		.size = sizeof(run), .element = PLAIT_ELEMENT_FLOAT,
		.element_bits = 32, .count = 3, .input_memory = input,
		.output_memory = output,
	};
	plait_status status = plait_collective_call(collective, &run, error);

	if (status == PLAIT_OK && memcmp(input, output, sizeof(input)) != 0)
		return calls_wrong(error, "other values");
	return status;
}

static plait_status query(plait_world *world, plait_error *error)
{
	plait_world_info info = { .size = sizeof(info) };
	char text[1000];
	plait_status status = plait_world_query(world, &info, error);

	if (status == PLAIT_OK && info.ranks != 1)
		return calls_wrong(error, "another number of ranks");
	return status == PLAIT_OK ?
		plait_world_report(world, text, sizeof(text), NULL, error) :
		status;
}

static plait_status world(struct place *place, plait_error *error)
{
	const plait_world_desc desc = { .size = sizeof(desc),
					.transports = "" };
	plait_collective *collective = NULL;
	plait_schedule *schedule = NULL;
	plait_world *made = NULL;
	plait_status status = compile(place, &schedule, error);

	if (status == PLAIT_OK)
		status = plait_world_open(place->context, &desc, &made, error);
	if (status == PLAIT_OK)
		status = query(made, error);
	if (status == PLAIT_OK)
		status = plait_collective_create(made, &schedule, 1,
						 &collective, error);
	plait_world_retain(made);
	plait_world_release(made);
	plait_world_release(made);
	if (status == PLAIT_OK)
		status = call(collective, error);
	plait_collective_retain(collective);
	plait_collective_release(collective);
	plait_collective_release(collective);
	plait_schedule_release(schedule);
	return status;
}

const struct calls_entry calls_world[] = {
	{ "plait_world_open plait_world_query plait_world_report "
	  "plait_world_retain plait_world_release plait_collective_create "
	  "plait_collective_call plait_collective_retain "
	  "plait_collective_release", world, NULL },
	{ NULL, NULL, NULL }
};
