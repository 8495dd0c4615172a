/* SPDX-License-Identifier: MIT */
/*
 * What a backend refuses a run that it has taken something of: the end of a lane,
 * a flush, a look at a point.  Nothing else tells that nothing is in flight any
 * more, so it is asked again; but not for ever.  A run that is given up is over,
 * with an error; what is in flight may still use all that it has, so that nothing
 * of it is used again or freed (plait__instance_abandon).
 */
#include "run/queue/queue_engine.h"

#include "base/error.h"
#include "base/log.h"
#include "sys/clock.h"

/* So often, and where time is not simulated for so long. */
enum { TRIES = 1000 };
#define PATIENCE_NS UINT64_C(1000000000)

static const plait__plan *plan_of(const plait__queue_instance *state)
{
	return state->queued->program->plan;
}

bool plait__retry_has_accepted(const plait__queue_instance *state, uint32_t lane)
{
	const plait__queue_program *queued = state->queued;

	for (uint32_t i = 0; i < plan_of(state)->lanes_count; i++)
		if (queued->lanes[i].port == queued->lanes[lane].port &&
		    state->queues[i].taken)
			return true;
	return false;
}

uint32_t plait__retry_last_command(const plait__queue_instance *state, uint32_t lane)
{
	const plait__plan *plan = plan_of(state);

	for (uint32_t i = plan->command_count; i-- > 0;)
		if (plait__queue_program_lane(state->queued, i) == lane &&
		    plait__translate_has_work(plan, i))
			return i;
	return PLAIT__NONE;
}

static void give_up(plait__queue_instance *state, uint32_t lane, uint32_t what,
		    const plait_error *why)
{
	static const char *const asked[PLAIT__RETRY_KINDS] = {
		[PLAIT__RETRY_END] = "its end",
		[PLAIT__RETRY_FLUSH] = "to begin it",
		[PLAIT__RETRY_POINT] = "to say how far it is",
	};
	const plait__backend_port *port = state->queued->lanes[lane].device->port;
	plait_error loss = { .size = sizeof(loss) };
	uint32_t last = plait__retry_last_command(state, lane);
	char room[PLAIT__COMMAND_TEXT_BYTES] = "no node";

	if (last != PLAIT__NONE)
		(void)plait__command_text(plan_of(state), last, room);
	plait__fail_origin(&loss, PLAIT_E_LOST, why->status,
			   "plugin %.20s has work of lane %u, up to %.60s, and "
			   "refuses %s; freeze the plan anew, its memory and "
			   "buffers stay allocated: %s", port->backend->name,
			   lane, room, asked[what],
			   why->text);
	plait__log_line(&port->context->settings.log, PLAIT_LOG_ERROR,
			"a run is given up: %s", loss.text);
	plait__instance_stop(state->instance, &loss);
	plait__instance_abandon(state->instance, &loss);
}

static bool is_exhausted(const plait__backend_port *port,
			 const plait__retry_state *refusal)
{
	return refusal->tries >= TRIES &&
	       ((port->all & PLAIT_CAP_VIRTUAL_TIME) != 0 ||
		plait__clock_now_ns() - refusal->since_ns >= PATIENCE_NS);
}

void plait__retry_reset(plait__queue_instance *state, uint32_t lane,
			uint32_t what)
{
	state->queues[lane].retries[what].tries = 0;
}

bool plait__retry_refused(plait__queue_instance *state, uint32_t lane,
			  uint32_t what, const plait_error *why)
{
	plait__retry_state *refusal = &state->queues[lane].retries[what];

	state->tries = true;
	if (refusal->tries++ == 0)
		refusal->since_ns = plait__clock_now_ns();
	if (!is_exhausted(state->queued->lanes[lane].device->port, refusal))
		return true;
	if (plait__retry_has_accepted(state, lane) &&
	    at_load_relaxed_u32(&state->instance->abandoned) == 0)
		give_up(state, lane, what, why);
	return false;
}
