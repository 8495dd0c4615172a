/* SPDX-License-Identifier: MIT */
/* Commands that the library submits for itself; see internal_commands.h. */
#include "object/queue/internal_commands.h"

#include "object/queue/submission.h"

#include "base/error.h"

static plait_status add_emission(struct plait__submission_builder *builder,
				 const void *arg, plait_error *error)
{
	return plait__submission_add_emission(builder,
					      *(plait__signal *const *)arg,
					      error);
}

plait_status plait__internal_submit_emission(plait__queue *queue,
					     plait__signal *signal,
					     uint64_t *out_emission,
					     plait_error *error)
{
	struct plait__submission_builder builder = { .queue = queue };
	plait_status status = plait__submission_submit(
		&builder, 1, add_emission, &signal, error);

	*out_emission = builder.last_emission;
	return status;
}

struct owned {
	const plait__call_request *wanted;
	plait__call **out;
};

/* Exchange *out; the former call is the caller's. */
static plait__call *publish(const struct owned *owned, plait__call *call)
{
	plait__call *before;

	plait__mutex_lock(owned->wanted->lock);
	before = *owned->out;
	*owned->out = call;
	plait__mutex_unlock(owned->wanted->lock);
	return before;
}

/* Fill a submission.  The queue's lock is held; that of the request is taken
 * inside it. */
static plait_status add_owned(struct plait__submission_builder *builder,
			      const void *arg, plait_error *error)
{
	const struct owned *owned = arg;
	const plait_command command = {
		.function = owned->wanted->function,
		.user_data = owned->wanted->user_data,
	};
	plait_status status = plait__submission_add_call(builder, &command,
							 owned->wanted->inbox,
							 owned->wanted->asks,
							 error);

	if (status != PLAIT_OK)
		return status;
	builder->calls->event_record.run = owned->wanted->run;
	builder->calls->event_record.run_owner = owned->wanted->run_owner;
	builder->calls->outer_queue = owned->wanted->outer_queue;
	builder->calls->outer_sequence = owned->wanted->outer_sequence;
	plait__object_hold(&builder->calls->event_record.object);
	publish(owned, builder->calls);
	/* Relaxed: a thread that sets it after this load finds the call under
	 * the lock. */
	if (at_load_relaxed_u32(owned->wanted->stop) == 0)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_CANCELLED, "it was cancelled");
}

plait_status plait__internal_submit_call(plait__queue *queue,
					 const plait__call_request *wanted,
					 plait__call **out, plait_error *error)
{
	struct plait__submission_builder builder = { .queue = queue };
	const struct owned owned = { .wanted = wanted, .out = out };
	plait__call *call;
	plait_status status;

	status = plait__submission_submit(&builder, 1, add_owned, &owned,
					  error);
	if (status == PLAIT_OK)
		return status;
	call = publish(&owned, NULL);
	if (call != NULL)
		plait__object_drop(&call->event_record.object);
	return status;
}
