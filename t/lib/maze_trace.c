/* SPDX-License-Identifier: MIT */
/* The recording of a run of a maze, sorted for the walk; see maze.h. */
#include "maze.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool fail(plait_error *error, const char *text)
{
	(void)snprintf(error->text, sizeof(error->text), "records: %s", text);
	return false;
}

/* Waits say nothing that commands do not. */
static bool read_record(struct maze_trace *trace, plait_plan *plan,
			const plait_record *record)
{
	plait_command_info command = { .size = sizeof(command) };
	struct maze_step *step = &trace->steps[trace->count];

	if (record->kind == PLAIT_RECORD_WAIT)
		return true;
	if (plait_plan_query_command(plan, record->command, &command, NULL) !=
	    PLAIT_OK)
		return false;
	*step = (struct maze_step){
		.spot = (uint32_t)strtoul(command.label, NULL, 10),
		.kind = record->kind, .lane = record->lane,
		.start_ns = record->start_ns, .end_ns = record->end_ns,
		.iteration = record->iteration, .other = record->other,
	};
	if (step->lane >= MAZE_LANES || step->spot >= MAZE_SPOTS ||
	    step->start_ns > step->end_ns)
		return false;
	trace->count++;
	return true;
}

/* Records come by lane, then by time: find where each lane begins. */
static bool find_lanes(struct maze_trace *trace)
{
	uint32_t lane = 0;

	trace->lanes[0] = 0;
	for (uint32_t i = 0; i < trace->count; i++) {
		struct maze_step *step = &trace->steps[i];

		if (step->lane < lane)
			return false;
		while (lane < step->lane)
			trace->lanes[++lane] = i;
		step->index = i - trace->lanes[lane];
		if (step->index > 0 && step[-1].end_ns > step->start_ns)
			return false;
	}
	while (lane < MAZE_LANES)
		trace->lanes[++lane] = trace->count;
	return true;
}

static int compare(const void *left, const void *right)
{
	const struct maze_step *a = left, *b = right;

	if (a->spot != b->spot)
		return a->spot < b->spot ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	/* The records of one lane, as long as it is in a loop. */
	return (a->index > b->index) - (a->index < b->index);
}

static void sort_by_spot(struct maze_trace *trace)
{
	uint32_t next = 0;

	memcpy(trace->by_spot, trace->steps,
	       trace->count * sizeof(trace->steps[0]));
	qsort(trace->by_spot, trace->count, sizeof(trace->by_spot[0]),
	      compare);
	for (uint32_t spot = 0; spot < MAZE_SPOTS; spot++) {
		while (next < trace->count && trace->by_spot[next].spot < spot)
			next++;
		trace->commands[spot] = next;
		while (next < trace->count &&
		       trace->by_spot[next].spot == spot &&
		       trace->by_spot[next].kind == PLAIT_RECORD_COMMAND)
			next++;
		trace->decisions[spot] = next;
	}
}

bool maze_trace_read(struct maze_trace *trace, plait_plan *plan,
		     plait_run *run, plait_error *error)
{
	uint64_t count = 0, dropped = 0;

	trace->count = 0;
	trace->records[0].size = sizeof(trace->records[0]);
	if (plait_run_records(run, trace->records, MAZE_RECORDS, &count,
			      &dropped, error) != PLAIT_OK)
		return false;
	if (dropped > 0)
		return fail(error, "some were dropped");
	for (uint64_t i = 0; i < count; i++)
		if (!read_record(trace, plan, &trace->records[i]))
			return fail(error, "one cannot be");
	if (!find_lanes(trace))
		return fail(error, "those of a lane overlap");
	sort_by_spot(trace);
	return true;
}

const struct maze_step *maze_trace_next(struct maze_trace *trace,
					uint32_t spot, uint32_t kind)
{
	uint32_t *next = kind == PLAIT_RECORD_COMMAND ?
			 &trace->commands[spot] : &trace->decisions[spot];
	const struct maze_step *step = &trace->by_spot[*next];

	if (*next == trace->count || step->spot != spot || step->kind != kind)
		return NULL;
	++*next;
	return step;
}

uint32_t maze_trace_known(const struct maze_trace *trace,
			  const struct maze_step *step, uint32_t lane)
{
	uint32_t first = trace->lanes[lane], end = trace->lanes[lane + 1];

	if (lane == step->lane)
		return step->index;
	while (first < end) {
		uint32_t middle = first + (end - first) / 2;

		if (trace->steps[middle].end_ns <= step->start_ns)
			first = middle + 1;
		else
			end = middle;
	}
	return first - trace->lanes[lane];
}
