/* SPDX-License-Identifier: MIT */
/* What a run on queues waits for, when somebody's time is over; blocked_on.h. */
#include "run/queue/queue_engine.h"

#include "run/blocked_on.h"

/* The next of a lane that will be told of, or the last one that it has. */
static uint32_t next_command(const plait__queue_instance *state, uint32_t lane,
			  uint64_t reached)
{
	const plait__plan *plan = state->compiled->program->plan;
	uint64_t nearest = UINT64_MAX;
	uint32_t found = plait__retry_last_command(state, lane);

	for (uint32_t i = 0; i < plan->command_count; i++) {
		if (plait__queue_program_lane(state->compiled, i) != lane ||
		    state->marks[i] <= reached || state->marks[i] >= nearest)
			continue;
		nearest = state->marks[i];
		found = i;
	}
	return found;
}

/* True: it is not through. */
static bool describe_lane(const plait__queue_instance *state, uint32_t lane,
			 plait__blocked_on *out)
{
	const plait__backend *backend =
		state->compiled->lanes[lane].device->port->backend;
	const plait__lane_queue *queue = &state->queues[lane];
	const plait_backend_point point = { queue->signal, queue->emitted };
	plait_error ignored = { .size = sizeof(ignored) };
	uint64_t reached = 0;

	if (queue->lost || queue->emitted == 0 ||
	    backend->table.signal_poll(backend->self, &point, &reached,
				       &ignored) != PLAIT_PENDING)
		return false;
	out->lane = lane;
	out->reached = reached;
	out->submitted = queue->emitted;
	out->command = next_command(state, lane, reached);
	return true;
}

static void describe(plait__pollable *pollable, void *arg)
{
	const plait__queue_instance *state =
		(const plait__queue_instance *)(const void *)pollable;
	plait__blocked_on *out = arg;
	uint32_t externals;

	if (state->uses_host_decided)
		state = at_load_acquire_ptr(&state->host_decided);
	externals = state->compiled->external_count;
	if (externals > 0)
		plait__external_describe_blocked(&state->externals[externals - 1].external,
						 out);
	for (uint32_t i = 0; i < state->compiled->program->plan->lanes_count &&
	     out->command == PLAIT__NONE; i++)
		if (describe_lane(state, i, out))
			return;
}

void plait__blocked_queue_describe(plait__queue_instance *state, plait__blocked_on *out)
{
	(void)plait__progress_inspect(state->instance->program->context,
				      &state->pollable, describe, out);
}
