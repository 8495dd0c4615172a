/* SPDX-License-Identifier: MIT */
/* Lanes of devices; see device_lane.h. */
#include "flow/device/device_lane.h"

#include "flow/device/device_engine.h"
#include "flow/device/lane_times.h"

#include "base/error.h"

#include <string.h>

/* Ops for which there is one notification, at most. */
enum { TOGETHER = 16 };

static const char not_run[] = "not run: ";

/* ---- queue and signal ---- */

static void release(plait__object *object, int32_t type)
{
	plait__object_release(plait__object_handle(object), type);
}

plait_status plait__device_lane_open(plait__device_lane *lane,
				     plait_error *error)
{
	plait__queue *queue;
	plait__signal *signal;
	plait_status status = plait__queue_make_measuring(
		lane->device, lane->engine->measures, &queue, error);

	if (status != PLAIT_OK)
		return status;
	status = plait__signal_make(lane->device, &signal, error);
	if (status != PLAIT_OK) {
		release(&queue->object, PLAIT_OBJECT_QUEUE);
		return status;
	}
	lane->queue = queue;
	lane->signal = signal;
	return PLAIT_OK;
}

void plait__device_lane_close(plait__device_lane *lane)
{
	if (lane->queue != NULL)
		release(&lane->queue->object, PLAIT_OBJECT_QUEUE);
	if (lane->signal != NULL)
		release(&lane->signal->object, PLAIT_OBJECT_SIGNAL);
	if (lane->owed != NULL)
		release(&lane->owed->object, PLAIT_OBJECT_SIGNAL);
	lane->queue = NULL;
	lane->signal = NULL;
	lane->owed = NULL;
}

/* ---- ops ---- */

void plait__device_lane_append(plait__device_lane *lane, plait__device_op *op)
{
	op->sequence = ++lane->enqueued;
	op->next = NULL;
	if (lane->first == NULL) {
		lane->first = op;
		plait__lane_times_begin(lane);
	} else {
		lane->last->next = op;
	}
	lane->last = op;
}

plait__device_op *plait__device_lane_pop(plait__device_lane *lane,
					 plait_status status)
{
	plait__device_op *op = lane->first;

	if (status == PLAIT_OK)
		plait__lane_times_add(lane, op);
	lane->first = op->next;
	op->next = NULL;
	if (lane->first == NULL)
		plait__lane_times_end(lane);
	return op;
}

static bool is_submitted(const plait__device_lane *lane,
			 const plait__device_op *op)
{
	return op->sequence <= plait__signal_submitted(lane->signal);
}

/* A poll that the backend refuses proves nothing. */
static plait_status poll(plait__device_lane *lane, plait_error *error)
{
	uint64_t sequence = lane->first->sequence, reached = 0;
	plait_status status = plait__signal_poll(lane->signal, sequence,
						 &reached, error);

	return status < 0 && status != PLAIT_E_LOST && reached < sequence ?
		       PLAIT_PENDING : status;
}

plait_status plait__device_lane_look(plait__device_lane *lane, bool *out_self,
				     plait_error *error)
{
	const plait__device_op *op = lane->first;
	plait_status status;

	if (lane->refused != 0 && op->sequence >= lane->refused) {
		*out_self = !lane->is_failed && op->sequence == lane->refused;
		status = plait__error_copy(error, &lane->why);
	} else if (!is_submitted(lane, op)) {
		return PLAIT_PENDING;
	} else {
		/* The first one that has failed: the others are behind it. */
		*out_self = !lane->is_failed;
		status = poll(lane, error);
	}
	if (status < 0 && strncmp(error->text, not_run,
				  sizeof(not_run) - 1) == 0)
		*out_self = false;
	return status;
}

plait__device_op *plait__device_lane_next(plait__device_lane *lane)
{
	plait__device_op *op = lane->first;

	plait__lane_times_end(lane);
	if (op == NULL || !is_submitted(lane, op))
		return NULL;
	for (int i = 1; i < TOGETHER && op->next != NULL &&
			is_submitted(lane, op->next); i++)
		op = op->next;
	return op;
}
