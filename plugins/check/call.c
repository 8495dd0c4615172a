/* SPDX-License-Identifier: MIT */
/*
 * Wrappers of host functions, which detect a function that runs too early,
 * twice, out of order, or behind a failure.
 */
#include "check.h"

static const char run[] = "running a host function";

/* Returns false if the function must not run. */
static bool may_run(check *self, const check_call *call)
{
	const char *label = call->label;
	unsigned long long number = call->object.number;

	if (call->state == CHECK_CALL_WAITS)
		return true;
	if (call->state == CHECK_CALL_SKIPPED) {
		if (self->model_off)
			return true;
		plaitp_check_report(
			self, CHECK_BACKEND, run,
			"command %llu \"%s\" is behind a failure (P-F01)",
			number, label);
	} else {
		plaitp_check_report(
			self, CHECK_BACKEND, run,
			"command %llu \"%s\" runs a second time (P-H01)",
			number, label);
	}
	return false;
}

/* Check that the call is the next one of its queue and its waits are over. */
static void check_turn(check *self, check_call *call)
{
	check_batch *batch = call->batch;
	check_queue *queue = call->queue;
	const char *label = call->label;
	unsigned long long number = call->object.number;

	if (self->model_off || !batch)
		return;
	if (batch->provisional || queue->head != batch ||
	    batch->waits_done < batch->wait_count)
		plaitp_check_model_confirm(self);
	if (queue->head != batch || batch->calls_done != call->index) {
		plaitp_check_report(self, CHECK_BACKEND, run,
				 "command %llu \"%s\" is not the next one of "
				    "queue %llu (P-Q01)", number, label,
				    (unsigned long long)queue->object.number);
	} else if (batch->waits_done < batch->wait_count) {
		plait_backend_point *point = &batch->waits[batch->waits_done];

		plaitp_check_report(
			self, CHECK_BACKEND, run,
			"command %llu \"%s\" does not wait for signal %llu at "
			"%llu (P-S04)", number, label,
			(unsigned long long)point->signal->object.number,
			(unsigned long long)point->sequence);
	}
}

/* Host function of the check_call, for the backend: on any thread, without the
 * lock. */
int32_t plaitp_check_call_run(void *user_data)
{
	check_call *call = user_data;
	check *self = call->self;
	int32_t value;
	bool run_it;

	pthread_mutex_lock(&self->lock);
	run_it = may_run(self, call);
	if (run_it) {
		check_turn(self, call);
		call->state = CHECK_CALL_RUNS;
	}
	pthread_mutex_unlock(&self->lock);
	if (!run_it)
		return 0;
	value = call->function(call->user_data);
	pthread_mutex_lock(&self->lock);
	call->state = CHECK_CALL_DONE;
	if (call->batch) {
		call->batch->calls_done++;
		if (value != 0)
			call->queue->failed = true;
		plaitp_check_model_advance(self, call->queue);
	}
	pthread_mutex_unlock(&self->lock);
	return value;
}
