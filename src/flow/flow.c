/* SPDX-License-Identifier: MIT */
/*
 * Creation and end of flows.  The user's last release submits a last op behind
 * all others, unless all are done; that op drops the flow's hold of itself, and
 * so do data that are closed later.
 */
#include "flow/flow.h"

#include "flow/commit.h"
#include "flow/flow_capture.h"
#include "flow/flow_data.h"
#include "flow/flow_devices.h"
#include "flow/flow_flags.h"
#include "flow/flow_history.h"
#include "flow/reduction.h"
#include "flow/flow_late.h"
#include "flow/flow_proof.h"
#include "flow/flow_ranks.h"
#include "flow/flow_repeats.h"
#include "flow/held_run.h"
#include "flow/op_await.h"
#include "flow/op_spans.h"
#include "flow/flow_record.h"
#include "flow/repetitions.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/sized_struct.h"

#include <string.h>

/* ---- end ---- */

/* The function of the last op. */
static int32_t end_flow(void *user_data)
{
	plait__flow *flow = user_data;

	plait__flow_lock(flow);
	plait__flow_reap(flow);
	plait__flow_unlock(flow);
	plait__flow_ranks_end(flow);
	plait__object_drop_deferred(&flow->object);
	return 0;
}

/* Drop the data that the flow holds beyond their tasks: they hold the flow. */
static void end_repetitions(plait__flow *flow)
{
	plait__flow_capture *capture;

	plait__flow_lock(flow);
	plait__held_run_publish(flow);
	(void)plait__flow_capture_end(flow, &capture, NULL);
	plait__repetitions_forget_pins(flow);
	plait__flow_unlock(flow);
	plait__flow_capture_free(capture);
	plait__repetitions_close(flow);
}

static void close_flow(plait__object *object)
{
	plait__flow *flow = (plait__flow *)object;
	bool over;

	end_repetitions(flow);
	/* A handle keeps the context open, and without workers the end of the
	 * context runs what is left. */
	plait__data_release_handles(flow);
	plait__flow_lock(flow);
	plait__flow_reap(flow);
	over = flow->window.settled == flow->window.newest;
	if (!over)
		plait__commit_last(flow, end_flow, flow);
	plait__flow_unlock(flow);
	if (!over)
		return;
	plait__flow_ranks_end(flow);
	plait__object_drop(object);
}

static void free_mappings(plait__flow *flow, plait__data_mapping *at)
{
	plait__data_mapping *next;

	for (; at != NULL; at = next) {
		next = at->next;
		plait__free(plait__flow_allocator(flow), at, sizeof(*at));
	}
}

static void free_names(plait__flow *flow)
{
	plait__flow_name *next;

	for (plait__flow_name *at = flow->names; at != NULL; at = next) {
		next = at->next;
		plait__free(plait__flow_allocator(flow), at, sizeof(*at));
	}
}

static void destroy_flow(plait__object *object)
{
	plait__flow *flow = (plait__flow *)object;
	const plait_allocator *allocator = plait__flow_allocator(flow);
	uint64_t size = plait__window_size(&flow->window);

	plait__flow_ranks_stop(flow);
	plait__flow_lanes_fini(&flow->lanes);
	plait__flow_ranks_free(flow);
	plait__flow_history_end(flow);
	plait__flow_devices_free(flow);
	plait__late_fini(flow);
	plait__flow_record_free(flow);
	plait__flow_proof_free(flow);
	plait__flow_repeats_free(flow);
	plait__repetitions_free_all(flow);
	free_names(flow);
	for (uint32_t i = 0; i < flow->kernel_count; i++)
		plait__flow_drop_kernel(flow, &flow->kernels[i],
					plait__object_drop);
	plait__free(allocator, flow->kernels,
		    flow->kernel_capacity * sizeof(*flow->kernels));
	free_mappings(flow, flow->spare_mappings);
	plait__free(allocator, flow->accesses,
		    flow->access_capacity * sizeof(*flow->accesses));
	plait__front_map_free_list(&flow->fronts);
	plait__preds_fini(&flow->preds);
	plait__vector_fini(&flow->series);
	plait__vector_fini(&flow->reductions);
	plait__outcomes_fini(&flow->lanes.outcomes);
	plait__free(allocator, flow->lane_of, size);
	plait__free(allocator, flow->behind, size);
	plait__window_fini(&flow->window, allocator);
	plait__cacheline_free(allocator, flow, sizeof(*flow));
}

static const plait__class flow_class = {
	.type = PLAIT_OBJECT_FLOW, .close = close_flow,
	.destroy = destroy_flow, .maker_holds = 1
};

PLAIT__OBJECT_REFERENCES(flow, PLAIT_OBJECT_FLOW);

/* ---- creation ---- */

static plait_status check_policies(const plait_flow_desc *desc,
				   plait_error *error)
{
	const struct {
		const char *name;
		uint32_t value, most;
	} fields[] = {
		{ "choose", desc->choose, PLAIT_CHOOSE_MINMAX_TIME },
		{ "parent", desc->parent, PLAIT_PARENT_DEVICE_DISJOINT },
		{ "lane", desc->lane, PLAIT_LANE_ALWAYS_NEW },
		{ "device_lanes", desc->device_lanes, PLAIT__FLOW_QUEUES },
		{ "threshold", desc->threshold, 1000 },
	};

	for (uint32_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].value > fields[i].most)
			return plait__fail(error, PLAIT_E_INVALID,
					   "plait_flow_desc: %s is %u; at most "
					   "%u", fields[i].name,
					   fields[i].value, fields[i].most);
	return PLAIT_OK;
}

static plait_status check_flags(plait_flow_flags flags, plait_error *error)
{
	const plait_flow_flags unknown = flags & ~plait__flow_flags_known;
	char names[PLAIT__FLOW_FLAGS_TEXT_BYTES];

	if (unknown == 0)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_INVALID,
			   "plait_flow_desc: flags 0x%x are unknown; known are "
			   "%s", unknown,
			   plait__flow_flags_text(plait__flow_flags_known,
						  names));
}

/* Set what is 0 of the window and the horizon, and check them. */
static plait_status read_sizes(plait_flow_desc *out, plait_error *error)
{
	if (out->window == 0)
		out->window = plait__flow_ranks_has_others(out->world) ?
				      PLAIT__WINDOW_OVER_WORLD :
				      PLAIT__WINDOW_DEFAULT;
	if (out->window < PLAIT__WINDOW_LEAST ||
	    out->window > PLAIT__WINDOW_MOST ||
	    (out->window & (out->window - 1)) != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_flow_desc: window %u is not a power "
				   "of two from %d to %d", out->window,
				   PLAIT__WINDOW_LEAST, PLAIT__WINDOW_MOST);
	if (out->horizon != 0 && (out->flags & PLAIT_FLOW_CHECK) == 0 &&
	    out->world == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_flow_desc: a horizon of %u tasks "
				   "without PLAIT_FLOW_CHECK and without a world",
				   out->horizon);
	if (out->horizon == 0)
		out->horizon = PLAIT__HORIZON_TASKS;
	return PLAIT_OK;
}

static plait_status check_fixed(const plait_flow_desc *desc, plait_error *error)
{
	if ((desc->flags & PLAIT_FLOW_FIXED) == 0)
		return PLAIT_OK;
	if (desc->device_count != 0)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "plait_flow_desc: devices with "
				   "PLAIT_FLOW_FIXED, which is for the host; "
				   "leave one of them out");
	if (desc->history != NULL)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "plait_flow_desc: a history with "
				   "PLAIT_FLOW_FIXED, where measured times "
				   "decide nothing; leave one of them out");
	return PLAIT_OK;
}

static plait_status read_desc(plait_flow_desc *out,
			      const plait_flow_desc *given, plait_error *error)
{
	plait_status status = PLAIT_OK;

	*out = (plait_flow_desc){ .size = sizeof(*out) };
	if (given != NULL)
		status = PLAIT__STRUCT_READ(plait_flow_desc, out, given, error);
	if (status == PLAIT_OK)
		status = check_flags(out->flags, error);
	if (status == PLAIT_OK)
		status = read_sizes(out, error);
	if (status == PLAIT_OK)
		status = check_fixed(out, error);
	if (status == PLAIT_OK && out->links != NULL && out->device_count == 0)
		status = plait__fail(error, PLAIT_E_INVALID,
				     "plait_flow_desc: links without devices");
	if (status == PLAIT_OK && out->reserved0 != 0)
		status = plait__fail(error, PLAIT_E_INVALID,
				     "plait_flow_desc: reserved0 is not 0");
	if (status == PLAIT_OK)
		status = plait__flow_repeats_check(out, error);
	if (status == PLAIT_OK)
		status = check_policies(out, error);
	if (status == PLAIT_OK && out->lanes > PLAIT__FLOW_LANES)
		status = plait__fail(error, PLAIT_E_INVALID,
				     "plait_flow_desc: %u lanes; at most %d",
				     out->lanes, PLAIT__FLOW_LANES);
	return status;
}

/* As many as threads that can run ops at a time: the workers and a waiting
 * thread, on their processors. */
static uint32_t default_lanes(const plait__pool *pool)
{
	uint32_t threads = plait__pool_worker_count(pool) + 1;
	uint32_t processors = plait__pool_processor_count(pool);

	threads = threads < processors ? threads : processors;
	return threads < PLAIT__FLOW_LANES ? threads : PLAIT__FLOW_LANES;
}

static plait__device *find_host(plait__context *context)
{
	for (uint32_t i = 0; i < context->device_count; i++)
		if (plait__device_is_host(&context->devices[i]))
			return &context->devices[i];
	return NULL;
}

static bool make_parts(plait__flow *flow, plait__context *context,
		       const plait_flow_desc *desc)
{
	const plait_allocator *allocator = plait__context_allocator(context);
	plait__flow_lanes *lanes = &flow->lanes;

	if (!plait__window_init(&flow->window, allocator, desc->window) ||
	    !plait__outcomes_init(&lanes->outcomes, allocator,
				  &flow->window.ring))
		return false;
	flow->lane_of = plait__alloc(allocator, desc->window);
	flow->behind = plait__alloc(allocator, desc->window);
	lanes->ring = flow->window.ring;
	lanes->context = context;
	lanes->lock = &flow->lock;
	if (context->driver.counts_pool_runs)
		lanes->driver = &context->driver;
	lanes->allocator = allocator;
	lanes->collect = plait__late_collect;
	lanes->ended = plait__op_await_notify;
	lanes->arg = flow;
	plait__op_spans_begin(flow);
	return flow->lane_of != NULL && flow->behind != NULL &&
	       plait__flow_lanes_init(lanes, context->pool,
				      desc->lanes != 0 ?
					      desc->lanes :
					      default_lanes(context->pool)) &&
	       ((desc->flags & (PLAIT_FLOW_RECORD | PLAIT_FLOW_STRICT)) == 0 ||
		plait__flow_record_make(flow)) &&
	       ((desc->flags & PLAIT_FLOW_CHECK) == 0 ||
		plait__flow_proof_make(flow, desc));
}

static plait_status make(plait__context *context, const plait_flow_desc *desc,
			 plait__flow **out, plait_error *error)
{
	const plait_allocator *allocator = plait__context_allocator(context);
	plait__flow *flow = plait__cacheline_alloc(allocator, sizeof(*flow));
	plait_status status = PLAIT_OK;

	if (flow == NULL) {
		status = plait__fail(error, PLAIT_E_NOMEM,
				     "no memory for a flow");
		plait__flow_ranks_refuse(desc->world, error);
		return status;
	}
	flow->object.context = context;
	flow->host = find_host(context);
	flow->is_strict = (desc->flags & PLAIT_FLOW_STRICT) != 0;
	flow->is_fixed = (desc->flags & PLAIT_FLOW_FIXED) != 0;
	flow->fronts.allocator = allocator;
	plait__preds_init(&flow->preds, allocator, desc->window);
	plait__vector_init(&flow->series, allocator, sizeof(plait__flow_series));
	plait__vector_init(&flow->reductions, allocator,
			   sizeof(plait__reduction));
	if (!make_parts(flow, context, desc))
		status = plait__fail(error, PLAIT_E_NOMEM,
				     "no memory for a flow with a window of %u "
				     "tasks", desc->window);
	if (status == PLAIT_OK && desc->device_count != 0)
		status = plait__flow_devices_make(flow, desc, error);
	if (status == PLAIT_OK && (desc->flags & PLAIT_FLOW_REPEATS) != 0)
		status = plait__flow_repeats_make(flow, error);
	if (status == PLAIT_OK)
		status = plait__flow_history_make(flow, desc, error);
	if (status == PLAIT_OK)
		status = plait__flow_ranks_make(flow, desc, error);
	else
		plait__flow_ranks_refuse(desc->world, error);
	if (status == PLAIT_OK)
		status = plait__object_init(&flow->object, &flow_class, context,
					    error);
	if (status != PLAIT_OK) {
		destroy_flow(&flow->object);
		return status;
	}
	/* Relaxed: no other thread has the flow. */
	at_store_relaxed_u32(&flow->is_simple,
			     flow->devices == NULL && flow->ranks == NULL &&
				     flow->record == NULL &&
				     flow->proof == NULL &&
				     flow->repeats == NULL && !flow->is_fixed);
	plait__object_set_label(&flow->object, desc->label);
	plait__flow_ranks_begin(flow);
	*out = flow;
	return PLAIT_OK;
}

PLAIT_API plait_status plait_flow_create(plait_context *context,
					 const plait_flow_desc *desc,
					 plait_flow **out, plait_error *error)
{
	plait__context *self;
	plait_flow_desc known;
	plait__flow *flow = NULL;
	/* Other ranks are told it; the caller's may be null, or short. */
	plait_error why = { .size = sizeof(why) };
	plait_status status;

	if (out == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "out is null");
	*out = NULL;
	status = plait__context_enter(context, &self, error);
	if (status != PLAIT_OK)
		return status;
	status = read_desc(&known, desc, &why);
	if (status == PLAIT_OK)
		status = make(self, &known, &flow, &why);
	else
		plait__flow_ranks_refuse(known.world, &why);
	if (status == PLAIT_OK)
		*out = plait__object_handle(&flow->object);
	plait__object_leave(&self->object);
	(void)plait__error_copy(error, &why);
	return status;
}
