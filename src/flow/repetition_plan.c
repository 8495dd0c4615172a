/* SPDX-License-Identifier: MIT */
/* Plans of repetitions; see repetition_plan.h. */
#include "flow/repetition_plan.h"

#include "flow/flow_fixed.h"
#include "flow/repetition_prefix.h"
#include "flow/repetition_values.h"

#include "base/error.h"
#include "graph/build/graph.h"
#include "graph/plan/freeze.h"

/* ---- accesses ---- */

/* Use of one data by the tasks of a repetition. */
struct use {
	plait_box box;
	bool reads; /* what they have not written */
	bool writes;
	bool leaves; /* elements of the box as they were */
};

static void widen(plait_box *box, const plait_box *by)
{
	for (int d = 0; d < 3; d++) {
		if (by->low[d] < box->low[d])
			box->low[d] = by->low[d];
		if (by->high[d] > box->high[d])
			box->high[d] = by->high[d];
	}
}

static void visit_front(void *arg, plait__front *front, const plait_box *piece)
{
	struct use *use = arg;

	(void)piece;
	use->leaves |= front->writer == 0;
}

static struct use *use_at(const plait__vector *uses, uint32_t data)
{
	return plait__vector_at(uses, data);
}

/* Uses by data.  The record finds reads of what no task has written. */
static void join_accesses(const plait__record *record, plait__vector *uses)
{
	for (uint32_t i = 0; i < record->accesses.count; i++) {
		const plait__record_access *access =
			plait__record_access_at(record, i);
		struct use *use = use_at(uses, access->data);

		if (plait__box_is_empty(&use->box))
			use->box = access->box;
		widen(&use->box, &access->box);
		use->writes |= (access->mode & PLAIT__ACCESS_WRITES) != 0;
	}
	for (uint32_t i = 0; i < record->warnings.count; i++) {
		const plait__record_warning *warning =
			plait__record_warning_at(record, i);

		if (warning->kind == PLAIT__WARNING_UNWRITTEN)
			use_at(uses, warning->data)->reads = true;
	}
}

/* Append an access; returns false without memory. */
static bool append_access(plait__repetition *again,
			  const plait__flow_access *access)
{
	if (PLAIT__VECTOR_ADD(&again->accesses, access) == NULL)
		return false;
	plait__object_hold(&access->whole->object);
	return true;
}

/* Append the access to data; returns false without memory. */
static bool take_access(plait__repetition *again, plait__data *whole,
			plait__front_map *map, struct use *use)
{
	plait__flow_access access = { .whole = whole, .box = use->box,
				      .map = &whole->map,
				      .mode = PLAIT__ACCESS_READS };

	if (!plait__front_map_cut(map, &use->box))
		return false;
	plait__front_map_visit_box(map, &use->box, visit_front, use);
	/* Nothing reads what a run leaves there, so no run fails for an earlier one. */
	use->leaves = use->leaves && !whole->is_partial;
	if (use->writes)
		access.mode = PLAIT__ACCESS_WRITES |
			      (use->reads || use->leaves ? PLAIT__ACCESS_READS :
							   0);
	return append_access(again, &access);
}

/* Returns false without memory. */
static bool take_accesses(plait__repetition *again,
			  const plait__flow_capture *capture)
{
	const plait__record *record = &capture->record;
	uint32_t count = capture->data.count;
	plait__vector uses;
	bool done;

	plait__vector_init(&uses, record->allocator, sizeof(struct use));
	done = plait__vector_push(&uses, NULL, count + 1) != NULL;
	if (done)
		join_accesses(record, &uses);
	for (uint32_t i = 0; done && i < count; i++) {
		const plait__captured_data *at =
			plait__capture_state_at(capture, i);

		if (at->whole != NULL && at->whole->copies == NULL)
			done = take_access(
				again, at->whole,
				&plait__record_data_at(record, i)->map,
				use_at(&uses, i));
	}
	plait__vector_fini(&uses);
	return done;
}

/* ---- the plans ---- */

/* A call by one thread of more tasks than these takes too long for it. */
enum { TASKS_ALONE = 4096 };

/* A call that meets a wait fails after it has run what is before. */
static bool must_share(const plait__flow_capture *capture, uint32_t lanes)
{
	return capture->signal != 0 || capture->flow->devices != NULL ||
	       (lanes > 1 && capture->record.tasks.count > TASKS_ALONE);
}

/* PLAIT_MODE_AUTO measures.  A run of a stretch, which has no key, begins while its
 * submitter goes on: lanes of threads would wait for that thread. */
static plait_status freeze(const plait__repetition *again,
			   const plait__flow_capture *capture, uint32_t lanes,
			   plait_plan **out, plait_error *error)
{
	const plait_freeze_desc desc = { .size = sizeof(desc),
					 .mode = again->times.is_fixed ||
						 capture->key == 0 ?
							 PLAIT_MODE_HELPED :
							 PLAIT_MODE_AUTO,
					 .lanes = lanes };
	plait_status status = plait__freeze_exact(capture->nodes.graph, &desc,
						  out, error);

	if (status != PLAIT_OK)
		return status;
	/* A repetition outlives the flow's handle. */
	plait__object_make_internal(plait__handle_peek(*out,
						       PLAIT_OBJECT_PLAN));
	return plait_plan_prepare(*out, error);
}

static plait_status freeze_both(plait__repetition *again,
				const plait__flow_capture *capture,
				uint32_t lanes, plait_error *error)
{
	plait_status status = freeze(again, capture, lanes, &again->plan,
				     error);

	if (status != PLAIT_OK || lanes == 1 || again->times.must_share)
		return status;
	status = freeze(again, capture, 1, &again->alone, error);
	if (status == PLAIT_OK && again->times.is_fixed)
		again->times.must_share = plait__flow_fixed_shares(
			again->plan, again->alone);
	return status;
}

static plait_status bind_hosts(plait__repetition *again,
			       const plait__flow_capture *capture,
			       plait_error *error)
{
	const plait__vector *hosts = &capture->nodes.hosts;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < hosts->count; i++) {
		const plait__task_host *host = plait__vector_at(hosts, i);
		plait_binding binding = { .size = sizeof(binding),
					  .value = host->address,
					  .bytes = host->bytes };
		char name[PLAIT__TASK_HOST_NAME];

		plait__task_node_name_host(i, name);
		status = plait_plan_find_parameter(
			again->plan, name, &binding.parameter, error);
		if (status == PLAIT_OK &&
		    PLAIT__VECTOR_ADD(&again->bindings, &binding) == NULL)
			status = plait__fail(error, PLAIT_E_NOMEM,
					     "no memory for a repetition");
	}
	again->run = (plait_run_desc){
		.size = sizeof(again->run),
		.bindings = again->bindings.items,
		.binding_count = again->bindings.count,
	};
	again->desc = (plait_task_desc){
		.size = sizeof(again->desc), .kind = PLAIT_TASK_PLAN,
		.label = again->label, .plan = again->plan,
		.run = &again->run,
	};
	return status;
}

plait_status plait__repetition_plan_make(plait__flow *flow,
					 plait__flow_capture *capture,
					 plait__repetition **out,
					 plait_error *error)
{
	plait__repetition *again = plait__repetitions_make(flow,
							   capture->key);
	plait_status status;

	if (again != NULL) {
		again->times.is_fixed = flow->is_fixed;
		again->times.must_share = must_share(capture,
						     flow->lanes.count);
	}
	if (again == NULL || !take_accesses(again, capture) ||
	    !plait__repetition_values_take(again, capture)) {
		status = plait__fail(error, PLAIT_E_NOMEM,
				     "no memory for a repetition");
	} else {
		status = freeze_both(again, capture, flow->lanes.count, error);
	}
	if (status == PLAIT_OK)
		status = bind_hosts(again, capture, error);
	if (status == PLAIT_OK && capture->is_stretch)
		status = plait__repetition_prefix_take(again, capture, error);
	if (status == PLAIT_OK &&
	    !plait__capture_state_keep_pins(capture, again))
		status = plait__fail(error, PLAIT_E_NOMEM,
				     "no memory for a repetition");
	if (status == PLAIT_OK)
		*out = again;
	else if (again != NULL)
		plait__repetitions_free(again);
	return status;
}
