/* SPDX-License-Identifier: MIT */
/* Records of a lane: its ring, and the iteration of a command. */
#ifndef PLAIT_SRC_RUN_HOST_LANE_RECORD_H
#define PLAIT_SRC_RUN_HOST_LANE_RECORD_H

#include "run/host/lane_set.h"

#include "run/record/recorder.h"

/* The ring of the lane; null in a run that is not recorded. */
static inline plait__record_ring *
plait__lane_record_ring(const plait__lane_task *self)
{
	const plait__recording *recording = self->set->instance->recording;

	return recording != NULL ? &recording->rings[self->lane] : NULL;
}

/* The iteration of the command: the home lane does not begin the next one
 * before this lane has done its part. */
static inline uint64_t
plait__lane_record_iteration(const plait__lane_task *self, uint32_t command)
{
	const plait__plan *plan = self->set->compiled->program->plan;
	uint32_t body = plan->nodes[plan->commands[command].node].body;

	return body == 0 ? 0 : self->set->instance->frame.iterations[
		plan->bodies[body].region];
}

#endif
