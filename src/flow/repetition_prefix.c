/* SPDX-License-Identifier: MIT */
/* Prefix of a repetition; see repetition_prefix.h. */
#include "flow/repetition_prefix.h"

#include "flow/capture_state.h"
#include "flow/late_record.h"
#include "flow/repetition_values.h"

#include "base/alloc.h"
#include "base/error.h"
#include "graph/build/graph.h"
#include "graph/plan/freeze.h"

struct plait__repetition_prefix {
	plait_graph *graph;    /* one reference, or null */
	plait__vector nodes;   /* plait_node: per task of the record, its last one */
	plait__vector ends;    /* uint32_t: per task, `nodes` up to its last one */
	plait__vector changes; /* plait__captured_change, by data */
	bool is_over; /* no run begins any more; guarded */
	/* Of the newest run with fewer tasks; its parameters.  Only runs use them. */
	plait_plan *plan; /* one reference, or null */
	uint32_t tasks;
	plait__vector bindings; /* plait_binding */
	plait_run_desc run;
};

static plait_status fail_memory(plait_error *error)
{
	return plait__fail(error, PLAIT_E_NOMEM, "no memory for a repetition");
}

/* ---- life ---- */

static plait__repetition_prefix *make(const plait_allocator *allocator)
{
	plait__repetition_prefix *made = plait__alloc(allocator,
						      sizeof(*made));

	if (made == NULL)
		return NULL;
	plait__vector_init(&made->nodes, allocator, sizeof(plait_node));
	plait__vector_init(&made->ends, allocator, sizeof(uint32_t));
	plait__vector_init(&made->changes, allocator,
			   sizeof(plait__captured_change));
	plait__vector_init(&made->bindings, allocator, sizeof(plait_binding));
	return made;
}

void plait__repetition_prefix_free(plait__repetition_prefix *prefix)
{
	const plait_allocator *allocator;

	if (prefix == NULL)
		return;
	allocator = prefix->nodes.allocator;
	plait_graph_release(prefix->graph);
	plait_plan_release(prefix->plan);
	plait__vector_fini(&prefix->nodes);
	plait__vector_fini(&prefix->ends);
	plait__vector_fini(&prefix->changes);
	plait__vector_fini(&prefix->bindings);
	plait__free(allocator, prefix, sizeof(*prefix));
}

/* Append the changes of a data, in their order. */
static bool add_changes(plait__repetition_prefix *prefix,
			const plait__vector *changes, const plait__data *whole)
{
	bool done = true;

	for (uint32_t i = 0; done && i < changes->count; i++) {
		const plait__captured_change *at = plait__vector_at(changes, i);

		if (at->whole == whole)
			done = PLAIT__VECTOR_ADD(&prefix->changes, at) != NULL;
	}
	return done;
}

static bool copy_all(plait__repetition_prefix *prefix,
		     const plait__flow_capture *capture)
{
	const plait__capture_devices *devices = &capture->devices;
	const plait__vector *ends = &devices->ends;
	bool done = plait__vector_push(&prefix->nodes, capture->ends.items,
				       capture->ends.count) != NULL &&
		    plait__vector_push(&prefix->ends, ends->items,
				       ends->count) != NULL;

	for (uint32_t i = 0; done && i < devices->values.count; i++) {
		const plait__captured_values *at =
			plait__vector_at(&devices->values, i);

		done = add_changes(prefix, &devices->changes, at->whole);
	}
	return done;
}

plait_status plait__repetition_prefix_take(plait__repetition *again,
					   plait__flow_capture *capture,
					   plait_error *error)
{
	again->prefix = make(capture->record.allocator);
	if (again->prefix == NULL || !copy_all(again->prefix, capture))
		return fail_memory(error);
	again->prefix->graph = capture->nodes.graph;
	capture->nodes.graph = NULL;
	plait__object_make_internal(plait__handle_peek(again->prefix->graph,
						       PLAIT_OBJECT_GRAPH));
	return PLAIT_OK;
}

/* ---- what a run leaves ---- */

static const plait__captured_change *
change_at(const plait__repetition_prefix *prefix, uint32_t i)
{
	return plait__vector_at(&prefix->changes, i);
}

/* Make room for the changes of the first tasks, by data. */
static bool reserve(const plait__repetition_prefix *prefix, uint32_t tasks)
{
	const plait__data *whole = NULL;
	uint32_t count = 0;

	for (uint32_t i = 0; i < prefix->changes.count; i++) {
		const plait__captured_change *at = change_at(prefix, i);

		if (whole != NULL && at->whole != whole &&
		    !plait__data_copies_reserve(whole->copies, count))
			return false;
		count = at->whole == whole ? count : 0;
		count += at->task < tasks;
		whole = at->whole;
	}
	return whole == NULL ||
	       plait__data_copies_reserve(whole->copies, count);
}

static void apply(const plait__captured_change *change, uint64_t number)
{
	plait__coherence *coherence = &change->whole->copies->coherence;

	if (change->is_copy)
		plait__coherence_add(coherence, &change->box, change->memory);
	else
		plait__coherence_write(coherence, &change->box,
				       (uint32_t)number, change->memory);
}

void plait__repetition_prefix_leave(plait__late *late, uint64_t number,
				    bool is_whole)
{
	const plait__repetition_prefix *prefix = late->again->prefix;

	if (is_whole) {
		plait__repetition_values_leave(late->again, number);
		return;
	}
	if (!reserve(prefix, late->limit)) {
		late->limit = 0;
		return;
	}
	for (uint32_t i = 0; i < prefix->changes.count; i++)
		if (change_at(prefix, i)->task < late->limit)
			apply(change_at(prefix, i), number);
}

/* ---- the plan of fewer tasks ---- */

/* Parameters of the whole plan have the names "host<i>"; the tasks use some of them. */
static plait_status bind(const plait__repetition *again, plait_error *error)
{
	plait__repetition_prefix *prefix = again->prefix;

	plait__vector_truncate(&prefix->bindings, 0);
	for (uint32_t i = 0; i < again->bindings.count; i++) {
		plait_binding binding =
			*(plait_binding *)plait__vector_at(&again->bindings, i);
		char name[PLAIT__TASK_HOST_NAME];

		plait__task_node_name_host(i, name);
		if (plait_plan_find_parameter(prefix->plan, name,
					      &binding.parameter,
					      NULL) == PLAIT_OK &&
		    PLAIT__VECTOR_ADD(&prefix->bindings, &binding) == NULL)
			return fail_memory(error);
	}
	prefix->run = again->run;
	prefix->run.bindings = prefix->bindings.items;
	prefix->run.binding_count = prefix->bindings.count;
	return PLAIT_OK;
}

static plait_status freeze(const plait__repetition *again, uint32_t tasks,
			   plait_error *error)
{
	plait__repetition_prefix *prefix = again->prefix;
	const plait_freeze_desc desc = {
		.size = sizeof(desc), .mode = PLAIT_MODE_HELPED,
		.sinks = prefix->nodes.items,
		.sink_count = *(uint32_t *)plait__vector_at(&prefix->ends,
							    tasks - 1),
	};
	plait_status status;

	plait_plan_release(prefix->plan);
	prefix->plan = NULL;
	prefix->tasks = 0;
	status = plait__freeze_exact(prefix->graph, &desc, &prefix->plan,
				     error);
	if (status != PLAIT_OK)
		return status;
	plait__object_make_internal(plait__handle_peek(prefix->plan,
						       PLAIT_OBJECT_PLAN));
	status = bind(again, error);
	if (status == PLAIT_OK)
		prefix->tasks = tasks;
	return status;
}

plait_status plait__repetition_prefix_begin(plait__late *late,
					    plait_error *error)
{
	const plait__repetition *again = late->again;
	plait__repetition_prefix *prefix = again->prefix;
	plait_status status = PLAIT_OK;

	if (prefix == NULL || late->limit >= prefix->ends.count)
		return PLAIT_OK;
	if (late->limit == 0)
		return fail_memory(error);
	if (prefix->plan == NULL || prefix->tasks != late->limit)
		status = freeze(again, late->limit, error);
	if (status != PLAIT_OK)
		return status;
	late->needs = plait__handle_peek(prefix->plan, PLAIT_OBJECT_PLAN);
	late->run = &prefix->run;
	return PLAIT_OK;
}

/* ---- the end ---- */

bool plait__repetition_prefix_is_over(const plait__repetition *again)
{
	return again->prefix != NULL && again->prefix->is_over;
}

void plait__repetition_prefix_end(plait__repetition *again)
{
	if (again->prefix == NULL || again->prefix->is_over)
		return;
	again->prefix->is_over = true;
	for (uint32_t i = 0; i < again->pins.count; i++) {
		const plait__repetition_need *at =
			plait__vector_at(&again->pins, i);

		plait__data_copies_at(at->whole->copies, at->memory)->pins--;
	}
	plait__vector_truncate(&again->pins, 0);
}

void plait__repetition_prefix_note_failure(const plait__late *late)
{
	if (late->again == NULL || late->again->prefix == NULL)
		return;
	plait__flow_lock(late->flow);
	plait__repetition_prefix_end(late->again);
	plait__flow_unlock(late->flow);
}

void plait__repetition_prefix_give_way(plait__flow *flow)
{
	flow->devices->gives_way = true;
	for (plait__repetition *at = flow->repetitions; at != NULL;
	     at = at->next)
		plait__repetition_prefix_end(at);
}

/* Take what a repetition that is over has, once its last run is done.  Returns false if
 * it has nothing. */
static bool take_plans(plait__flow *flow, plait__repetition *again,
		       plait_plan **whole, plait_plan **part,
		       plait_graph **graph)
{
	const uint64_t newest = again->newest.last_use;

	if (!plait__repetition_prefix_is_over(again) || again->plan == NULL ||
	    (newest != 0 && !plait__op_is_done(&flow->window.ring, newest)))
		return false;
	*whole = again->plan;
	*part = again->prefix->plan;
	*graph = again->prefix->graph;
	again->plan = again->prefix->plan = NULL;
	again->prefix->graph = NULL;
	return true;
}

static bool release_one(plait__flow *flow)
{
	plait_plan *whole = NULL, *part = NULL;
	plait_graph *graph = NULL;
	bool found = false;

	plait__flow_lock(flow);
	for (plait__repetition *at = flow->repetitions; !found && at != NULL;
	     at = at->next)
		found = take_plans(flow, at, &whole, &part, &graph);
	plait__flow_unlock(flow);
	plait_plan_release(whole);
	plait_plan_release(part);
	plait_graph_release(graph);
	return found;
}

void plait__repetition_prefix_release(plait__flow *flow)
{
	while (release_one(flow))
		continue;
}
