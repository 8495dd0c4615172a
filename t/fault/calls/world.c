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

/* Runs may outlive a call that fails. */
static float input[] = { 1, 2, 3 }, output[3];

static plait_collective_run new_run(void)
{
	memset(output, 0, sizeof(output));
	return (plait_collective_run){
		.size = sizeof(plait_collective_run),
		.element = PLAIT_ELEMENT_FLOAT, .element_bits = 32, .count = 3,
		.input_memory = input, .output_memory = output,
	};
}

static plait_status check(plait_status status, plait_error *error)
{
	if (status == PLAIT_OK && memcmp(input, output, sizeof(input)) != 0)
		return calls_wrong(error, "other values");
	return status;
}

/* Coroutines need the host. */
static bool is_refused(const struct place *place, plait_status status)
{
	return status == PLAIT_E_UNSUPPORTED &&
	       strcmp(place->backend, "host") != 0;
}

static plait_status call(struct place *place, plait_collective *collective,
			 plait_error *error)
{
	const plait_collective_run run = new_run();

	(void)place;
	return check(plait_collective_call(collective, &run, error), error);
}

static plait_status submit(struct place *place, plait_collective *collective,
			   plait_error *error)
{
	const plait_collective_run run = new_run();
	plait_run *made = NULL;
	plait_status status = plait_collective_submit(
		collective, place->queue, &run, &made, error);

	if (is_refused(place, status))
		return PLAIT_OK;
	if (status == PLAIT_OK)
		status = plait_run_wait(made, PLAIT_FOREVER, error);
	plait_run_release(made);
	return check(status, error);
}

static plait_status add_node(struct place *place, plait_collective *collective,
			     plait_error *error)
{
	const plait_collective_run run = new_run();
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;
	plait_node node;
	plait_status status = plait_graph_create(place->context, &graph, error);

	if (status == PLAIT_OK)
		status = plait_graph_collective(graph, collective, &run, "sum",
						0, &node, error);
	if (status == PLAIT_OK)
		status = plait_graph_freeze(graph, NULL, &plan, error);
	if (status == PLAIT_OK)
		status = plait_plan_call(plan, NULL, NULL, error);
	plait_plan_release(plan);
	plait_graph_release(graph);
	return is_refused(place, status) ? PLAIT_OK : check(status, error);
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

static plait_status allocate(plait_world *world, plait_error *error)
{
	const plait_buffer_desc desc = { .size = sizeof(desc), .bytes = 64 };
	plait_buffer *buffer = NULL;
	plait_status status = plait_world_buffer(world, NULL, &desc, &buffer,
						 error);

	plait_buffer_release(buffer);
	/* A null device is the host. */
	return status == PLAIT_E_UNSUPPORTED ? PLAIT_OK : status;
}

static plait_status
use_world(struct place *place,
	  plait_status (*use)(struct place *, plait_collective *, plait_error *),
	  plait_error *error)
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
		status = allocate(made, error);
	if (status == PLAIT_OK)
		status = plait_collective_create(made, &schedule, 1,
						 &collective, error);
	plait_world_retain(made);
	plait_world_release(made);
	plait_world_release(made);
	if (status == PLAIT_OK)
		status = use(place, collective, error);
	plait_collective_retain(collective);
	plait_collective_release(collective);
	plait_collective_release(collective);
	plait_schedule_release(schedule);
	return status;
}

static plait_status called(struct place *place, plait_error *error)
{
	return use_world(place, call, error);
}

static plait_status submitted(struct place *place, plait_error *error)
{
	return use_world(place, submit, error);
}

static plait_status node(struct place *place, plait_error *error)
{
	return use_world(place, add_node, error);
}

const struct calls_entry calls_world[] = {
	{ "plait_world_open plait_world_query plait_world_report plait_world_buffer "
	  "plait_world_retain plait_world_release plait_collective_create "
	  "plait_collective_call plait_collective_retain "
	  "plait_collective_release", called, NULL },
	{ "plait_collective_submit", submitted, NULL },
	{ "plait_graph_collective", node, NULL },
	{ NULL, NULL, NULL }
};
