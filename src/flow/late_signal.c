/* SPDX-License-Identifier: MIT */
/* Signals of late tasks; see late_signal.h. */
#include "flow/late_signal.h"

#include "flow/flow_series.h"

#include "base/error.h"
#include "object/signal/signal.h"

/* ---- the submitter ---- */

static plait_status check(const plait__flow *flow, const plait__signal *signal,
			  uint32_t kind, plait_error *error)
{
	plait_status status = plait__context_check_same(
		&flow->object, &signal->object, error);
	char room[PLAIT__OBJECT_NAME_BYTES];

	if (status != PLAIT_OK)
		return status;
	if (signal->port != flow->host->port)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%s is of another backend than the host's",
				   plait__object_name(&signal->object, room));
	if (kind == PLAIT_TASK_EMIT && signal->is_gate)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%s is a gate, which no task emits",
				   plait__object_name(&signal->object, room));
	return PLAIT_OK;
}

static plait_status order_emission(plait__flow_task *task,
				   const plait_task_desc *desc,
				   plait_error *error)
{
	return plait__flow_series_enter(task, desc->signal) ? PLAIT_OK :
	       plait__fail(error, PLAIT_E_NOMEM, "no memory for a signal");
}

/* Returns true if a wait is one for tasks before it that emit.  Whether those of a fixed
 * flow have emitted decides nothing before they count as done. */
static bool is_for_tasks(const plait__flow *flow, const plait__late *late,
			 uint64_t wanted, uint64_t submitted)
{
	return late->emission != 0 &&
	       (wanted == 0 || wanted > submitted ||
		(flow->is_fixed &&
		 late->emission > plait__flow_settled(flow)));
}

/* Find what a wait is for: an emission that was submitted, or tasks before it that
 * emit.  If the newest of these is known to be lost, it is not run. */
static plait_status resolve(plait__flow_task *task, plait__late *late,
			    const plait__signal *signal,
			    const plait_task_desc *desc, plait_error *error)
{
	const uint64_t submitted = plait__signal_submitted(signal);
	const uint64_t wanted = desc->sequence;
	bool is_lost;

	late->wants_newest = wanted == 0;
	late->emission = plait__flow_series_pending(task->flow, desc->signal,
						    &is_lost);
	if (!is_for_tasks(task->flow, late, wanted, submitted))
		late->emission = 0;
	if (late->emission == 0 || wanted == UINT64_MAX)
		return plait__signal_resolve(signal, &late->sequence, error);
	late->sequence = wanted == 0 ? submitted : wanted;
	task->behind = late->emission;
	task->needs_behind = is_lost;
	return PLAIT_OK;
}

plait_status plait__late_signal_take(plait__flow_task *task, plait__late *late,
				     const plait_task_desc *desc,
				     plait_error *error)
{
	plait__signal *signal;
	plait_status status = plait__signal_enter(desc->signal, &signal, error);

	if (status != PLAIT_OK)
		return status;
	status = check(task->flow, signal, desc->kind, error);
	late->sequence = desc->sequence;
	if (status == PLAIT_OK)
		status = desc->kind == PLAIT_TASK_EMIT ?
				 order_emission(task, desc, error) :
				 resolve(task, late, signal, desc, error);
	if (status == PLAIT_OK) {
		plait__object_hold(&signal->object);
		late->needs = &signal->object;
	}
	plait__object_leave_deferred(&signal->object, &task->closing);
	return status;
}

/* ---- begin: a worker ---- */

static plait_status fail_missing(const plait__late *late,
				 const plait__signal *signal,
				 plait_error *error)
{
	char room[PLAIT__OBJECT_NAME_BYTES];

	return plait__fail(error, PLAIT_E_INVALID,
			   "failed: no task before it submitted sequence %llu of "
			   "%s; the newest is %llu",
			   (unsigned long long)late->sequence,
			   plait__object_name(&signal->object, room),
			   (unsigned long long)plait__signal_submitted(signal));
}

plait_status plait__late_signal_begin(plait__late *late, plait_error *error)
{
	const plait__signal *signal = (const plait__signal *)late->needs;
	const bool lacks = !signal->is_gate &&
			   late->sequence > plait__signal_submitted(signal);

	if (late->emission != 0 && (late->wants_newest || lacks) &&
	    plait__outcomes_follow(&late->flow->lanes.outcomes, late->emission,
				   late->number))
		return PLAIT_OK;
	if (lacks)
		return fail_missing(late, signal, error);
	return late->sequence == 0 ? PLAIT_OK : PLAIT_PENDING;
}
