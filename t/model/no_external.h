/* SPDX-License-Identifier: MIT */
/* External commands of a model whose plans have none. */
#ifndef PLAIT_T_MODEL_NO_EXTERNAL_H
#define PLAIT_T_MODEL_NO_EXTERNAL_H

#include "run/external/coroutine_command.h"
#include "run/external/external_command.h"
#include "run/host/lane_coroutine.h"

bool plait__external_matches(const plait__program *of, uint32_t command)
{
	(void)of;
	(void)command;
	return false;
}

bool plait__external_step(plait__external *outside, uint32_t command)
{
	(void)outside;
	(void)command;
	return false;
}

plait_status plait__external_make(plait__external *outside, bool submits,
				  plait_error *error)
{
	(void)outside;
	(void)submits;
	(void)error;
	return PLAIT_OK;
}

void plait__external_free(plait__external *outside)
{
	(void)outside;
}

void plait__external_begin_run(const plait__program *of, uint64_t *newest)
{
	(void)of;
	(void)newest;
}

bool plait__coroutine_command_matches(const plait__program *of,
				      uint32_t command)
{
	(void)of;
	(void)command;
	return false;
}

bool plait__coroutine_command_is_bound(const plait__program *of,
				       uint32_t command)
{
	(void)of;
	(void)command;
	return false;
}

void plait__bound_task_init(plait__bound_task *bound, plait__task *task)
{
	(void)bound;
	(void)task;
}

void plait__bound_task_offer(plait__bound_task *bound)
{
	(void)bound;
}

bool plait__lane_coroutine_step(plait__lane_task *self, const plait__step *step)
{
	(void)self;
	(void)step;
	return false;
}

void plait__coroutine_command_free(plait__external *outside)
{
	(void)outside;
}

#endif
