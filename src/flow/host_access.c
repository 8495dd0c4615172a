/* SPDX-License-Identifier: MIT */
/* Host access to data; see host_access.h. */
#include "flow/host_access.h"

#include "flow/box_move.h"
#include "flow/commit.h"
#include "flow/flow_data.h"
#include "flow/flow_wait.h"

#include "base/alloc.h"
#include "base/error.h"

/* ---- mappings ---- */

/* Caller holds the lock; null without memory. */
static plait__data_mapping *take_mapping(plait__flow *flow)
{
	plait__data_mapping *mapping = flow->spare_mappings;

	if (mapping == NULL)
		return plait__alloc(plait__flow_allocator(flow),
				    sizeof(*mapping));
	flow->spare_mappings = mapping->next;
	return mapping;
}

static void keep_mapping(plait__flow *flow, plait__data_mapping *mapping)
{
	mapping->next = flow->spare_mappings;
	flow->spare_mappings = mapping;
}

/* The newest mapping of the data, at `pointer` or (null) any; one of this thread
 * if there is one.  Caller holds the lock. */
static plait__data_mapping *find_mapping(plait__data *data, const char *pointer)
{
	plait__data_mapping *found = NULL;

	for (plait__data_mapping *at = data->flow->mappings; at != NULL;
	     at = at->next) {
		if (at->data != data ||
		    (pointer != NULL && at->pointer != pointer))
			continue;
		if (at->thread == plait__thread_token())
			return at;
		found = found != NULL ? found : at;
	}
	return found;
}

/* Caller holds the lock. */
static void end(plait__data_mapping *mapping)
{
	plait__flow *flow = mapping->data->flow;
	plait__data_mapping **link = &flow->mappings;

	while (*link != mapping)
		link = &(*link)->next;
	*link = mapping->next;
	plait__flow_lanes_finish(&flow->lanes, mapping->number);
	/* For the ops behind it. */
	plait__flow_lanes_stir(&flow->lanes);
	keep_mapping(flow, mapping);
}

void plait__host_access_end_all(plait__data *data)
{
	plait__data_mapping *at = find_mapping(data, NULL);

	for (; at != NULL; at = find_mapping(data, NULL))
		end(at);
}

/* ---- begin ---- */

struct access {
	plait__data *data;
	plait_box box; /* in the whole */
	uint32_t flags; /* PLAIT_MAP_... */
	uint64_t number;
	plait__data_mapping *mapping;
};

/* Number the access.  A write without reading waits for the writers like one
 * with it, so that a mapping that does not come about changes nothing. */
static plait_status commit(struct access *access, plait_error *error)
{
	plait__flow *flow = access->data->flow;
	plait__flow_task task = { .flow = flow, .kind = PLAIT__OP_MARK,
				  .is_mapping = true, .access_count = 1 };
	plait_status status;

	if (!plait__commit_reserve_accesses(flow, 1))
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a mapping");
	access->mapping = take_mapping(flow);
	if (access->mapping == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a mapping");
	flow->accesses[0] = (plait__flow_access){
		access->data->whole, access->box,
		(access->flags & PLAIT_MAP_WRITE) != 0 ?
			PLAIT__ACCESS_READS | PLAIT__ACCESS_WRITES :
			PLAIT__ACCESS_READS };
	status = plait__commit_task(&task, error);
	access->number = task.number;
	if (status == PLAIT_OK)
		status = plait__flow_wait_check(flow, task.number, false,
						error);
	if (status != PLAIT_OK)
		keep_mapping(flow, access->mapping);
	if (status == PLAIT_E_DEADLOCK)
		plait__commit_abandon(flow, task.number);
	return status;
}

/* Wait for each predecessor: the entry of the op is not reused before. */
static plait_status await_preds(struct access *access, plait_error *error)
{
	plait__flow *flow = access->data->flow;
	const plait__op *op = plait__op_at(&flow->window.ring, access->number);
	uint64_t meta = at_load_relaxed_u64(&op->meta);
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0;
	     status == PLAIT_OK && i < plait__op_pred_count(meta); i++)
		status = plait__flow_wait_for(
			flow, at_load_relaxed_u64(&op->preds[i]), false,
			PLAIT_FOREVER, error);
	return status;
}

/* The failure of the data, unless it is to be overwritten. */
static plait_status check_poison(const struct access *access,
				 plait_error *error)
{
	plait__flow *flow = access->data->flow;
	const plait__op *op = plait__op_at(&flow->window.ring, access->number);
	uint64_t meta = at_load_relaxed_u64(&op->meta);
	plait__outcomes *outcomes = &flow->lanes.outcomes;

	if ((access->flags & PLAIT_MAP_READ) == 0 ||
	    plait__outcomes_are_clean(outcomes))
		return PLAIT_OK;
	for (uint32_t i = 0; i < plait__op_pred_count(meta); i++) {
		uint64_t pred = at_load_relaxed_u64(&op->preds[i]);

		if (plait__op_pred_is_true(meta, i) &&
		    plait__outcomes_follow(outcomes, pred, access->number))
			return plait__outcomes_tell(outcomes, access->number,
						    error);
	}
	return PLAIT_OK;
}

static void abandon(struct access *access)
{
	plait__flow *flow = access->data->flow;

	plait__flow_lock(flow);
	plait__commit_abandon(flow, access->number);
	keep_mapping(flow, access->mapping);
	plait__flow_unlock(flow);
}

static void open(struct access *access)
{
	plait__flow *flow = access->data->flow;
	plait__data_mapping *mapping = access->mapping;

	plait__flow_lock(flow);
	mapping->data = access->data;
	mapping->number = access->number;
	mapping->thread = plait__thread_token();
	mapping->pointer = plait__data_address(access->data, &access->box);
	mapping->next = flow->mappings;
	flow->mappings = mapping;
	plait__flow_unlock(flow);
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

/* Begin the access; the data is the host's when this returns PLAIT_OK. */
static plait_status begin(struct access *access, const plait_box *box,
			  plait_error *error)
{
	plait__flow *flow = access->data->flow;
	plait_status status = check(access, error);

	if (status == PLAIT_OK)
		status = plait__data_box(access->data, box, &access->box,
					 error);
	if (status != PLAIT_OK)
		return status;
	for (;;) {
		plait__flow_lock(flow);
		status = commit(access, error);
		plait__flow_unlock(flow);
		if (status != PLAIT_PENDING)
			break;
		status = plait__flow_wait_for_room(flow, error);
		if (status != PLAIT_OK)
			break;
	}
	if (status != PLAIT_OK)
		return status;
	status = await_preds(access, error);
	if (status == PLAIT_OK)
		status = check_poison(access, error);
	if (status != PLAIT_OK)
		abandon(access);
	else
		open(access);
	return status;
}

/* ---- entry points ---- */

PLAIT_API plait_status plait_data_map(plait_data *data, const plait_box *box,
				      plait_map_flags flags, void **out,
				      plait_error *error)
{
	struct access access = { .flags = flags };
	plait_status status;

	if (out == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_data_map: out is null");
	*out = NULL;
	status = plait__data_enter(data, &access.data, error);
	if (status != PLAIT_OK)
		return status;
	PLAIT__THREAD_SCOPE inside = { plait__object_leave_on_exit,
				       &access.data->object };
	status = begin(&access, box, error);
	if (status == PLAIT_OK)
		*out = access.mapping->pointer;
	plait__thread_scope_end(&inside);
	plait__object_leave(&access.data->object);
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
	found = find_mapping(self, pointer);
	if (pointer == NULL || found == NULL)
		status = plait__fail(error, PLAIT_E_INVALID,
				     "unmap: %p is not a mapping of %s",
				     pointer,
				     plait__object_name(&self->object, room));
	else
		end(found);
	plait__flow_unlock(self->flow);
	plait__object_leave(&self->object);
	return status;
}

/* Copy between the box and memory of the host, under a mapping. */
static plait_status transfer(plait_data *data, const plait_box *box, void *host,
			     uint32_t flags, plait_error *error)
{
	struct access access = { .flags = flags };
	plait__box_move move;
	plait_status status = plait__data_enter(data, &access.data, error);

	if (status != PLAIT_OK)
		return status;
	PLAIT__THREAD_SCOPE inside = { plait__object_leave_on_exit,
				       &access.data->object };
	if (host == NULL)
		status = plait__fail(error, PLAIT_E_INVALID, "host is null");
	else
		status = begin(&access, box, error);
	if (status == PLAIT_OK) {
		plait__box_move_host(&move, access.data, &access.box, host,
				     flags == PLAIT_MAP_WRITE);
		(void)plait__box_move_run(&move);
		plait__flow_lock(access.data->flow);
		end(access.mapping);
		plait__flow_unlock(access.data->flow);
	}
	plait__thread_scope_end(&inside);
	plait__object_leave(&access.data->object);
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
