/* SPDX-License-Identifier: MIT */
/* Single commands of the library's own; see queue.h and submission.h. */
#include "object/queue/submission.h"

#include "object/queue/owner_call.h"
#include "object/queue/external_section.h"

#include "base/error.h"

struct entry {
	plait__section *section;
	bool *out_idle;
};

static plait_status add_passage(struct plait__submission_builder *batch, const void *arg,
				plait_error *error)
{
	const struct entry *entry = arg;
	plait__section *section = entry->section;
	plait_status status;

	*entry->out_idle = plait__section_queue_is_clear(batch->queue);
	if (!*entry->out_idle) {
		section->sequence = ++batch->progress;
		plait__submission_add_emit(batch, batch->queue->progress,
					   section->sequence);
	}
	plait__section_set_tail(section, *entry->out_idle, batch->progress + 1);
	status = plait__submission_hold(batch, &section->object, error);
	if (status == PLAIT_OK)
		plait__submission_add_wait(batch, section->gate,
					   section->gate_sequence);
	return status;
}

plait_status plait__internal_submit_section(plait__queue *queue,
					    plait__section *section,
					    bool *out_idle, plait_error *error)
{
	struct plait__submission_builder batch = { .queue = queue };

	return plait__submission_submit(&batch, 1, add_passage,
					&(const struct entry){ section, out_idle },
					error);
}

static plait_status add_nothing(struct plait__submission_builder *batch, const void *arg,
				plait_error *error)
{
	(void)batch;
	(void)arg;
	(void)error;
	return PLAIT_OK;
}

plait_status plait__internal_submit_idle_section(plait__queue *queue, plait_error *error)
{
	struct plait__submission_builder batch = { .queue = queue };

	return plait__submission_submit(&batch, 0, add_nothing, NULL, error);
}

static plait_status add_emission(struct plait__submission_builder *batch, const void *arg,
				 plait_error *error)
{
	return plait__submission_add_emission(batch, *(plait__signal *const *)arg,
					      error);
}

plait_status plait__internal_submit_emission(plait__queue *queue,
					     plait__signal *signal,
					     plait_error *error)
{
	struct plait__submission_builder batch = { .queue = queue };

	return plait__submission_submit(&batch, 1, add_emission, &signal, error);
}

struct owned {
	const plait__owner_call *wanted;
	plait__call **out;
};

/* What was there before is the caller's. */
static plait__call *publish(const struct owned *owned, plait__call *call)
{
	plait__call *before;

	plait__mutex_lock(owned->wanted->lock);
	before = *owned->out;
	*owned->out = call;
	plait__mutex_unlock(owned->wanted->lock);
	return before;
}

static plait_status add_owned(struct plait__submission_builder *batch, const void *arg,
			      plait_error *error)
{
	const struct owned *owned = arg;
	const plait_command command = {
		.function = owned->wanted->function,
		.user_data = owned->wanted->user_data,
	};
	plait_status status = plait__submission_add_call(batch, &command,
							 owned->wanted->inbox,
							 owned->wanted->asks,
							 error);

	if (status != PLAIT_OK)
		return status;
	plait__object_hold(&batch->calls->notice.object);
	publish(owned, batch->calls);
	/* Relaxed: who set it without finding the call had the lock first. */
	if (at_load_relaxed_u32(owned->wanted->stop) == 0)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_CANCELLED, "it was cancelled");
}

plait_status plait__internal_submit_call(plait__queue *queue,
					 const plait__owner_call *wanted,
					 plait__call **out, plait_error *error)
{
	struct plait__submission_builder batch = { .queue = queue };
	const struct owned owned = { .wanted = wanted, .out = out };
	plait__call *call;
	plait_status status;

	status = plait__submission_submit(&batch, 1, add_owned, &owned, error);
	if (status == PLAIT_OK)
		return status;
	call = publish(&owned, NULL);
	if (call != NULL)
		plait__object_drop(&call->notice.object);
	return status;
}
