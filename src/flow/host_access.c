/* SPDX-License-Identifier: MIT */
/*
 * Host access: mappings, reads and writes.  The calling thread waits until
 * nothing is in the way, and only then takes its place in the order of tasks:
 * with an op that is in no lane, until the access ends.  So an access that does
 * not come about changes nothing.
 */
#include "flow/box_move.h"
#include "flow/commit.h"
#include "flow/device_place.h"
#include "flow/device_warnings.h"
#include "flow/flow_data.h"
#include "flow/flow_proof.h"
#include "flow/flow_record.h"
#include "flow/flow_strict.h"
#include "flow/flow_wait.h"
#include "flow/held_run.h"
#include "flow/mappings.h"
#include "flow/rank_room.h"
#include "flow/rank_stop.h"
#include "flow/rank_stop.h"
#include "flow/rank_submit.h"
#include "flow/repeat_phases.h"

#include "base/error.h"
#include "object/wait/suspension.h"

/* ---- begin ---- */

struct access {
	plait__data *data;
	plait_box box; /* in the whole */
	uint32_t flags; /* PLAIT_MAP_... */
	const char *label;
	uint64_t number;
	uint64_t behind; /* the op to suspend for; 0: for room */
	uint64_t seen;	 /* plait__flow_wait_for_room_suspended */
	/* The copies that the last attempt submitted: behind the first number. */
	uint64_t copied_after, copied_to;
	bool is_poisoned; /* what it reads has failed */
	/* Over a world: this rank does not make the access, which others may; it
	 * does not know the owners any more. */
	bool fails_alone, lost;
	plait__data_mapping *mapping;
};

/* Submit the copies that the host lacks.  One of the last attempt that failed is
 * told, instead of being tried for ever. */
static plait_status place(struct access *access, plait__flow_task *task,
			  plait_error *error)
{
	plait__flow *flow = access->data->flow;
	plait_status status = PLAIT_OK;

	if (access->behind > access->copied_after &&
	    access->behind <= access->copied_to) {
		const bool is_cause = plait__outcomes_is_cause(
			&flow->lanes.outcomes, access->behind);

		status = plait__outcomes_tell(&flow->lanes.outcomes,
					      access->behind, error);
		access->is_poisoned = status != PLAIT_OK;
		/* Other ranks have the values that were not copied here. */
		access->fails_alone = is_cause &&
				      (access->flags & PLAIT_MAP_WRITE) != 0;
	}
	if (status != PLAIT_OK)
		return status;
	access->copied_after = flow->window.newest;
	flow->submitter = access;
	status = plait__place_task(task, error);
	access->copied_to = flow->window.newest;
	return status;
}

/* Caller holds the lock.  PLAIT_PENDING: see plait__commit_access. */
static plait_status commit(struct access *access, uint64_t *out_behind,
			   plait_error *error)
{
	plait__flow *flow = access->data->flow;
	plait__flow_task task = { .flow = flow, .access_count = 1 };
	const uint64_t before = access->data->whole->last_use;
	plait_status status;

	plait__held_run_interrupt(flow);
	if (flow->capture != NULL)
		return plait__fail(error, PLAIT_E_STATE,
				   "%s: the flow is captured, and the call "
				   "would wait for tasks that do not run",
				   access->label);
	if (access->mapping == NULL)
		access->mapping = plait__mappings_take(flow);
	if (access->mapping == NULL ||
	    !plait__commit_reserve_accesses(flow, 1))
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a mapping");
	flow->accesses[0] = (plait__flow_access){
		.whole = access->data->whole, .box = access->box,
		.map = &access->data->whole->map, .mode = access->flags };
	status = plait__flow_strict_check(flow, 1, error);
	if (status == PLAIT_OK && flow->proof != NULL)
		status = plait__flow_proof_tell(flow, error);
	if (status == PLAIT_OK && flow->devices != NULL)
		status = place(access, &task, error);
	if (status != PLAIT_OK)
		return status;
	status = plait__commit_access(&task, out_behind, error);
	access->number = task.number;
	access->is_poisoned |= task.reads_poison;
	if (status == PLAIT_OK)
		plait__repeat_phases_wait(flow, before);
	if (status == PLAIT_OK && flow->devices != NULL)
		plait__place_commit(&task);
	if (status == PLAIT_OK)
		plait__flow_record_host(flow, task.number, access->label);
	if (status == PLAIT_OK && flow->ranks != NULL &&
	    (access->flags & PLAIT_MAP_WRITE) != 0 &&
	    plait__rank_submit_written(flow, access->data, &access->box,
				       error) != PLAIT_OK)
		/* The access is committed, and goes on. */
		access->lost = true;
	if (status == PLAIT_PENDING && *out_behind != 0) {
		plait_status blocked = plait__flow_wait_check(
			flow, *out_behind, false, error);

		return blocked == PLAIT_OK ? status : blocked;
	}
	return status;
}

/* Caller holds the lock. */
static void open(struct access *access)
{
	plait__flow *flow = access->data->flow;
	plait__data_mapping *mapping = access->mapping;

	if (flow->ranks != NULL)
		plait__rank_room_map(flow, mapping);
	mapping->data = access->data;
	mapping->number = access->number;
	mapping->owner = plait__suspension_owner();
	mapping->pointer = plait__data_address(access->data, &access->box);
	mapping->next = flow->mappings;
	flow->mappings = mapping;
}

static plait_status check(const struct access *access, plait_error *error)
{
	char room[PLAIT__OBJECT_NAME_BYTES];

	if (access->flags == 0 ||
	    (access->flags &
	     ~(uint32_t)(PLAIT_MAP_READ | PLAIT_MAP_WRITE)) != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "map: flags 0x%x are not PLAIT_MAP_READ, "
				   "PLAIT_MAP_WRITE or both", access->flags);
	if (plait__data_is_token(access->data))
		return plait__fail(error, PLAIT_E_INVALID,
				   "%s is a token: it has no memory",
				   plait__object_name(&access->data->object,
						      room));
	return PLAIT_OK;
}

/* Access modes are those of mappings. */
_Static_assert((int)PLAIT_MAP_READ == (int)PLAIT__ACCESS_READS &&
		       (int)PLAIT_MAP_WRITE == (int)PLAIT__ACCESS_WRITES,
	       "bits");

/* Wait until `commit` may succeed.  PLAIT_PENDING: the caller is a coroutine,
 * which leaves its scopes and suspends. */
static plait_status await_turn(struct access *access, uint64_t behind,
			       plait_error *error)
{
	plait__flow *flow = access->data->flow;
	plait_status status;

	access->behind = behind;
	if (behind == 0)
		status = plait__flow_wait_for_room(flow, true, error);
	else if (plait__suspension_current() != NULL)
		return PLAIT_PENDING;
	else
		status = plait__flow_wait_for(flow, behind, PLAIT_FOREVER,
					      error);
	if (status != PLAIT_EVENT_READY || flow->ranks == NULL)
		return status;
	/* All ranks go on with the access; the event waits for the caller. */
	plait__flow_wait_past_event(flow);
	return PLAIT_OK;
}

/* Tell all ranks of an access over a world that only this rank does not make. */
static void stop_ranks(const struct access *access, plait_status status)
{
	plait__flow *flow = access->data->flow;
	const plait_error why = {
		.size = sizeof(why), .status = PLAIT_E_NOMEM,
		.text = "a host access failed on one rank alone, for want of "
			"memory or in a copy from a device" };

	if (flow->ranks != NULL &&
	    (access->lost || access->fails_alone ||
	     (status == PLAIT_E_NOMEM && !access->is_poisoned)))
		plait__rank_stop_all(flow->ranks, &why);
}

/* The access does not come about.  Caller holds the lock. */
static void forget(const struct access *access)
{
	plait__flow *flow = access->data->flow;

	if (access->mapping != NULL)
		plait__mappings_keep(flow, access->mapping);
	if (flow->devices != NULL) {
		flow->submitter = access;
		plait__device_warnings_forget(flow);
	}
}

/* Begin the access; the data is the host's when this returns PLAIT_OK.
 * PLAIT_PENDING as await_turn. */
static plait_status try_begin(struct access *access, const plait_box *box,
			      plait_error *error)
{
	plait__flow *flow = access->data->flow;
	plait_status status = check(access, error);

	if (status == PLAIT_OK)
		status = plait__data_box(access->data, box, &access->box,
					 error);
	if (status == PLAIT_OK && flow->ranks != NULL)
		status = plait__rank_submit_access(flow, access->data,
						   &access->box, access->flags,
						   access->label, error);
	if (status != PLAIT_OK)
		return status;
	do {
		uint64_t behind = 0;

		plait__flow_lock(flow);
		status = commit(access, &behind, error);
		if (status == PLAIT_OK)
			open(access);
		else if (status != PLAIT_PENDING)
			forget(access);
		plait__flow_unlock(flow);
		plait__flow_devices_flush(flow);
		stop_ranks(access, status);
		if (status != PLAIT_PENDING)
			return status;
		status = await_turn(access, behind, error);
	} while (status == PLAIT_OK);
	plait__flow_lock(flow);
	forget(access);
	plait__flow_unlock(flow);
	return status;
}

static plait_status begin(struct access *access, const plait_box *box,
			  plait_error *error)
{
	plait_status status = try_begin(access, box, error);

	if (access->data->flow->ranks != NULL)
		plait__rank_stop_note(access->data->flow->ranks, status);
	return status;
}

/* After PLAIT_PENDING: suspend until the access may begin. */
static plait_status suspend(plait__flow *held, struct access *access,
			    plait_error *error)
{
	plait_status status =
		access->behind == 0 ?
			plait__flow_wait_for_room_suspended(held, &access->seen,
							    error) :
			plait__flow_wait_suspend(held, access->behind, false,
						 PLAIT_FOREVER, error);

	plait__object_drop(&held->object);
	return status;
}

/* Returns the flow, held, if the access is to be suspended for. */
static plait__flow *hold_flow(const struct access *access, plait_status status)
{
	plait__flow *flow = access->data->flow;

	if (status != PLAIT_PENDING)
		return NULL;
	plait__object_hold(&flow->object);
	return flow;
}

/* ---- entry points ---- */

static plait_status map(plait_data *data, const plait_box *box,
			struct access *access, plait__flow **out_held,
			void **out, plait_error *error)
{
	plait_status status = plait__data_enter(data, &access->data, error);

	if (status != PLAIT_OK)
		return status;
	PLAIT__THREAD_SCOPE inside = { plait__object_leave_on_exit,
				       &access->data->object };
	status = begin(access, box, error);
	if (status == PLAIT_OK)
		*out = access->mapping->pointer;
	*out_held = hold_flow(access, status);
	plait__thread_scope_end(&inside);
	plait__object_leave(&access->data->object);
	return status;
}

PLAIT_API plait_status plait_data_map(plait_data *data, const plait_box *box,
				      plait_map_flags flags, void **out,
				      plait_error *error)
{
	struct access access = { .flags = flags, .label = "map" };
	plait__flow *held = NULL;
	plait_status status;

	if (out == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "out is null");
	*out = NULL;
	do {
		access.mapping = NULL;
		status = map(data, box, &access, &held, out, error);
		if (status != PLAIT_PENDING)
			return status;
		status = suspend(held, &access, error);
	} while (status == PLAIT_OK);
	return status;
}
PLAIT_API plait_status plait_data_unmap(plait_data *data, void *pointer,
					plait_error *error)
{
	char room[PLAIT__OBJECT_NAME_BYTES];
	plait__data_mapping *found;
	plait__data *self;
	plait_status status = plait__data_enter(data, &self, error);

	if (status != PLAIT_OK)
		return status;
	plait__flow_lock(self->flow);
	found = plait__mappings_find(self, pointer);
	if (pointer == NULL || found == NULL)
		status = plait__fail(error, PLAIT_E_INVALID,
				     "unmap: %p is not a mapping of %s",
				     pointer,
				     plait__object_name(&self->object, room));
	else
		plait__mappings_end(found);
	plait__flow_unlock(self->flow);
	plait__object_leave(&self->object);
	return status;
}

/* Copy between the box and memory of the host, under a mapping. */
static plait_status transfer_once(plait_data *data, const plait_box *box,
				  void *host, struct access *access,
				  plait__flow **out_held, plait_error *error)
{
	plait__box_move move;
	plait_status status = plait__data_enter(data, &access->data, error);

	if (status != PLAIT_OK)
		return status;
	PLAIT__THREAD_SCOPE inside = { plait__object_leave_on_exit,
				       &access->data->object };
	if (host == NULL)
		status = plait__fail(error, PLAIT_E_INVALID, "host is null");
	else
		status = begin(access, box, error);
	if (status == PLAIT_OK) {
		plait__box_move_host(&move, access->data, &access->box, host,
				     access->flags == PLAIT_MAP_WRITE);
		(void)plait__box_move_run(&move);
		plait__flow_lock(access->data->flow);
		plait__mappings_end(access->mapping);
		plait__flow_unlock(access->data->flow);
	}
	*out_held = hold_flow(access, status);
	plait__thread_scope_end(&inside);
	plait__object_leave(&access->data->object);
	return status;
}

static plait_status transfer(plait_data *data, const plait_box *box, void *host,
			     uint32_t flags, plait_error *error)
{
	struct access access = {
		.flags = flags,
		.label = flags == PLAIT_MAP_WRITE ? "write" : "read",
	};
	plait__flow *held = NULL;
	plait_status status;

	do {
		access.mapping = NULL;
		status = transfer_once(data, box, host, &access, &held, error);
		if (status != PLAIT_PENDING)
			return status;
		status = suspend(held, &access, error);
	} while (status == PLAIT_OK);
	return status;
}

PLAIT_API plait_status plait_data_read(plait_data *data, const plait_box *box,
				       void *host, plait_error *error)
{
	return transfer(data, box, host, PLAIT_MAP_READ, error);
}

PLAIT_API plait_status plait_data_write(plait_data *data, const plait_box *box,
					const void *host, plait_error *error)
{
	/* Only read. */
	return transfer(data, box, (void *)(uintptr_t)host, PLAIT_MAP_WRITE,
			error);
}
