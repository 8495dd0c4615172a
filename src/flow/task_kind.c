/* SPDX-License-Identifier: MIT */
/* Preparation of a task by its kind; see task_kind.h. */
#include "flow/task_kind.h"

#include "flow/flow_late.h"
#include "flow/task_launch.h"
#include "flow/task_move.h"

#include "base/error.h"

/* A node of a captured task is made from the descriptor. */
static plait_status prepare_late(plait__flow_task *task,
				 const plait_task_desc *desc,
				 plait_error *error)
{
	return task->flow->capture != NULL ?
		       PLAIT_OK : plait__late_prepare(task, desc, error);
}

static plait_status prepare_call(plait__flow_task *task,
				 const plait_task_desc *desc,
				 plait_error *error)
{
	if (desc->inbox != NULL)
		return prepare_late(task, desc, error);
	if (desc->function == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "function is null");
	task->kind = PLAIT__OP_CALL;
	task->filled.call.host = desc->function;
	task->filled.user_data = desc->user_data;
	return PLAIT_OK;
}

plait_status plait__task_kind_prepare(plait__flow_task *task,
				      const plait_task_desc *desc,
				      plait_error *error)
{
	switch (desc->kind) {
	case PLAIT_TASK_LAUNCH:
		return plait__task_launch_prepare(task, desc, error);
	case PLAIT_TASK_CALL:
		return prepare_call(task, desc, error);
	case PLAIT_TASK_COPY:
	case PLAIT_TASK_FILL:
	case PLAIT_TASK_READ:
	case PLAIT_TASK_WRITE:
		return plait__task_move_prepare(task, desc, error);
	case PLAIT_TASK_PLAN:
	case PLAIT_TASK_EMIT:
	case PLAIT_TASK_WAIT:
		return prepare_late(task, desc, error);
	default:
		return plait__fail(error, PLAIT_E_INVALID,
				   "kind %u is not one of PLAIT_TASK_...",
				   desc->kind);
	}
}
