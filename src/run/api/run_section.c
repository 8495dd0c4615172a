/* SPDX-License-Identifier: MIT */
/* Position of a run in a queue; see run_section.h. */
#include "run/api/run_section.h"

#include "run/blocked_on.h"
#include "run/run_turns.h"

void plait__run_section_stop_if_lost(plait__instance *instance)
{
	if (instance->turn_lost != NULL)
		plait__instance_stop(instance, instance->turn_lost);
}

void plait__run_section_start(plait__instance *instance)
{
	/* A run that is stopped needs no turn to end. */
	if (at_load_relaxed_u32(&instance->stop) == 0) {
		if (!plait__run_turns_take(instance))
			return;
		plait__run_section_stop_if_lost(instance);
	}
	plait__instance_start_reached(instance);
}

/* The queue has reached the run; called in notification callbacks, too. */
static void on_reached(void *arg, plait_status status)
{
	plait__instance *instance = arg;

	/* A run behind a failure starts as cancelled: a notification callback
	 * must not end it, because the end calls backends. */
	if (status == PLAIT_OK) {
		plait__run_section_start(instance);
		return;
	}
	plait__instance_skip(instance, status);
	plait__instance_start_reached(instance);
}

bool plait__run_section_help(void *instance)
{
	return plait__instance_drive(instance);
}

static void find_points(void *arg, plait__awaited_points *out)
{
	plait__instance *instance = arg;

	if (instance->program->engine->find_points != NULL)
		instance->program->engine->find_points(instance, out);
}

static void describe(void *arg, char *out, uint32_t bytes)
{
	plait__blocked_on_describe_work(arg, out, bytes);
}

plait_status plait__run_section_acquire(plait__instance *instance,
					plait__queue *queue,
					plait_error *error)
{
	plait_status status = plait__section_acquire(
		&instance->sections, queue, &instance->section, error);

	if (status != PLAIT_OK)
		return status;
	instance->section->reached = on_reached;
	instance->section->arg = instance;
	instance->section->help = plait__run_section_help;
	instance->section->find_points = find_points;
	instance->section->describe = describe;
	instance->section->owner = &instance->program->plan_object->object;
	return PLAIT_OK;
}
