/* SPDX-License-Identifier: MIT */
/* Calls of ops that a thread has claimed.  Included by flow_worker.c; inline, because a
 * call must cost little beside an empty task. */
#ifndef PLAIT_SRC_FLOW_LANES_OP_RUN_H
#define PLAIT_SRC_FLOW_LANES_OP_RUN_H

#include "flow/lanes/flow_lanes.h"

#include "base/error.h"
#include "sys/clock.h"

static inline void plait__op_run_fail(plait__flow_lanes *lanes, uint64_t number,
				      int32_t result)
{
	plait_error why = { .size = sizeof(why) };

	plait__fail_origin(&why, PLAIT_E_FAILED, result, "failed with %d",
			   (int)result);
	plait__outcomes_fail(&lanes->outcomes, number,
			     plait__op_at(&lanes->ring, number)->label, &why);
}

/* Returns true if another thread finishes the op. */
static inline bool plait__op_run_begin(plait__flow_lanes *lanes,
				       uint64_t number)
{
	const plait__op *op = plait__op_at(&lanes->ring, number);
	plait_error why = { .size = sizeof(why) };
	const char *label = op->label;
	plait_status status = op->call.begin(op->user_data, number, &why);

	if (status < 0)
		plait__outcomes_fail(&lanes->outcomes, number, label, &why);
	return status == PLAIT_PENDING;
}

/* Returns true if another thread finishes the op. */
static inline bool plait__op_run_call(plait__flow_lanes *lanes, uint64_t number)
{
	const plait__op *op = plait__op_at(&lanes->ring, number);
	int32_t result = 0;

	/* Relaxed: written before the claim. */
	switch (plait__op_kind(at_load_relaxed_u64(&op->meta))) {
	case PLAIT__OP_CALL:
		result = op->call.host(op->user_data);
		break;
	case PLAIT__OP_LAUNCH:
		result = op->call.kernel(op->arguments, op->launch,
					 op->user_data);
		break;
	case PLAIT__OP_ASYNC:
		return plait__op_run_begin(lanes, number);
	default:
		break;
	}
	if (__builtin_expect(result != 0, 0))
		plait__op_run_fail(lanes, number, result);
	return false;
}

/* The same, and tell when, or note whether the function is brief.  Not inline: mostly
 * neither is wanted. */
static __attribute__((noinline)) bool
plait__op_run_timed(plait__flow_worker *worker, uint64_t number)
{
	plait__flow_lanes *lanes = worker->lanes;
	const plait__op *op = plait__op_at(&lanes->ring, number);
	/* Relaxed: written before the claim. */
	uint64_t meta = at_load_relaxed_u64(&op->meta);
	uint64_t function = plait__op_function(op), end_ns;
	const char *label = op->label;
	uint64_t start_ns = plait__clock_now_ns();

	if (plait__op_run_call(lanes, number))
		return true;
	end_ns = plait__clock_now_ns();
	if (lanes->poll != NULL && plait__op_is_function(meta))
		plait__brief_ops_note(&lanes->brief, function,
				      end_ns - start_ns);
	if (lanes->span != NULL && plait__op_kind(meta) != PLAIT__OP_MARK)
		lanes->span(lanes->arg, worker->index, label, start_ns, end_ns);
	return false;
}

/* Run an op on a worker.  Returns true if another thread finishes it. */
static inline bool plait__op_run(plait__flow_worker *worker, uint64_t number)
{
	const plait__flow_lanes *lanes = worker->lanes;
	/* Relaxed: written before the claim. */
	bool is_timed = lanes->span != NULL ||
			(lanes->poll != NULL &&
			 plait__op_is_function(at_load_relaxed_u64(
				 &plait__op_at(&lanes->ring, number)->meta)));

	return is_timed ? plait__op_run_timed(worker, number) :
			  plait__op_run_call(worker->lanes, number);
}

#endif
