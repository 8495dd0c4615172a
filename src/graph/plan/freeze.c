/* SPDX-License-Identifier: MIT */
/* Freeze of a graph: options are resolved, the planner makes the plan, and a
 * plan object wraps it. */
#include "graph/plan/freeze.h"

#include "graph/build/graph.h"
#include "graph/plan/collective_order.h"
#include "graph/plan/local_memory.h"
#include "graph/plan/plan_object.h"
#include "graph/plan/program_order.h"
#include "graph/plan/temporary_places.h"
#include "graph/plan/unbound_state.h"
#include "graph/store/planner_view.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/sized_struct.h"
#include "object/context/device.h"
#include "plan/check/check.h"
#include "plan/check/graph_check.h"
#include "plan/schedule/planner.h"
#include "sys/env.h"

#include <string.h>

enum {
	MAX_INSTANCES = 1024,
	/* A node this many times the mean cost makes the work uneven: then mode
	 * auto chooses helped. */
	UNEVEN = 8,
};

/* One freeze: planner input and options, freed at its end. */
struct request {
	plait__graph *graph;
	plait_freeze_desc desc;
	plait__input input;
	plait__input_options options;
	plait__input_device *devices;
	plait__plan_patch *patches;
	/* With PLAIT_FREEZE_PROGRAM_ORDER: all edges, and the graph's own. */
	plait__input_edge *edges;
	const plait__input_edge *lent_edges;
	uint32_t lent_count;
	uint32_t *sources;
	uint32_t *sinks;
	plait__plan_object *whole;
	bool is_exact; /* see freeze.h */
	plait_error *error;
};

static plait_status no_memory(const struct request *request)
{
	return plait__fail(request->error, PLAIT_E_NOMEM,
			   "no memory to freeze a graph of %u nodes",
			   request->input.node_count);
}

static const plait_allocator *allocator_of(const struct request *request)
{
	return &request->graph->store->allocator;
}

/* ---- planner input ---- */

/* Returns true if a device has at most as many lanes as it runs at once.  The lanes that
 * the library asks for are those of the host's threads. */
static bool limits_lanes(const struct request *request,
			 const plait__device *device)
{
	return request->desc.policy == PLAIT_POLICY_BOUNDED &&
	       (request->desc.lanes == 0 ||
		(request->is_exact && !plait__device_is_host(device)));
}

/* Take the facts of each device: alignment, and its parallelism (of OpenCL: its compute
 * units) unless the user limits lanes. */
static plait_status describe_devices(struct request *request)
{
	const plait__store *store = request->graph->store;
	uint32_t count = request->input.device_count;

	/* The plan of an empty graph needs one device too. */
	if (count == 0)
		request->input.device_count = 1;
	request->devices = plait__alloc_array(allocator_of(request),
					      request->input.device_count,
					      sizeof(*request->devices));
	if (request->devices == NULL)
		return no_memory(request);
	if (count > 0)
		memcpy(request->devices, request->input.devices,
		       count * sizeof(*request->devices));
	request->input.devices = request->devices;
	for (uint32_t i = 0; i < count; i++) {
		const plait__device *device = *(plait__device **)
			plait__vector_at(&store->device_objects, i);

		if (device != NULL)
			request->devices[i].alignment_bytes =
				plait__device_facts(device)->alignment_bytes;
		if (device != NULL && limits_lanes(request, device))
			request->devices[i].lane_limit =
				plait__device_facts(device)->parallel;
	}
	return PLAIT_OK;
}

/* Counting sort by parameter; nodes appended in their own order. */
static plait_status sort_patches(struct request *request)
{
	uint32_t count = request->input.tables.patches_count;
	uint64_t params = (uint64_t)request->input.tables.params_count + 1;
	const plait__plan_patch *from = request->input.tables.patches;
	const plait_allocator *allocator = allocator_of(request);
	uint32_t *next;

	if (count == 0)
		return PLAIT_OK;
	next = plait__alloc_array(allocator, params, sizeof(*next));
	request->patches = plait__alloc_array(allocator, count,
					      sizeof(*from));
	if (next == NULL || request->patches == NULL) {
		plait__free(allocator, next, params * sizeof(*next));
		return no_memory(request);
	}
	for (uint32_t i = 0; i < count; i++)
		next[from[i].param + 1]++;
	for (uint64_t i = 1; i < params; i++)
		next[i] += next[i - 1];
	for (uint32_t i = 0; i < count; i++)
		request->patches[next[from[i].param]++] = from[i];
	plait__free(allocator, next, params * sizeof(*next));
	request->input.tables.patches = request->patches;
	return PLAIT_OK;
}

/* Replace the input's edges with those and the inferred ones, if
 * PLAIT_FREEZE_PROGRAM_ORDER asks for that; drop_edges undoes it. */
static plait_status infer_edges(struct request *request)
{
	plait__input_edge *edges;
	uint32_t count;
	plait_status status;

	if ((request->desc.flags & PLAIT_FREEZE_PROGRAM_ORDER) == 0)
		return PLAIT_OK;
	status = plait__program_order_infer(&request->input,
					    allocator_of(request), &edges,
					    &count, request->error);
	if (status != PLAIT_OK)
		return status;
	request->edges = edges;
	request->lent_edges = request->input.edges;
	request->lent_count = request->input.edge_count;
	request->input.edges = edges;
	request->input.edge_count = count;
	return PLAIT_OK;
}

/* Free the inferred edges, and lend the graph's own again. */
static void drop_edges(struct request *request)
{
	if ((request->desc.flags & PLAIT_FREEZE_PROGRAM_ORDER) == 0 ||
	    (request->edges == NULL && request->lent_edges == NULL))
		return;
	plait__free(allocator_of(request), request->edges,
		    request->input.edge_count * sizeof(*request->edges));
	request->input.edges = request->lent_edges;
	request->input.edge_count = request->lent_count;
}

/* Find the indices of `nodes` in *out, which release_request frees; null stays
 * null and does not restrict. */
static plait_status find_nodes(const struct request *request,
			       const plait_node *nodes, uint64_t count,
			       const char *what, uint32_t **out)
{
	if (nodes == NULL && count > 0)
		return plait__fail(request->error, PLAIT_E_INVALID,
				   "plait_freeze_desc: %s is null", what);
	if (nodes == NULL)
		return PLAIT_OK;
	if (count == 0)
		return plait__fail(request->error, PLAIT_E_INVALID,
				   "plait_freeze_desc: %s is set, but there "
				   "are none; null does not restrict", what);
	if (count > PLAIT__VECTOR_MAX)
		return plait__fail(request->error, PLAIT_E_INVALID,
				   "plait_freeze_desc: %llu %s are too many",
				   (unsigned long long)count, what);
	*out = plait__alloc_array(allocator_of(request), count,
				  sizeof(**out));
	if (*out == NULL)
		return no_memory(request);
	for (uint64_t i = 0; i < count; i++) {
		(*out)[i] = plait__graph_index(request->graph, nodes[i]);
		if ((*out)[i] == PLAIT__NONE)
			return plait__fail(request->error, PLAIT_E_INVALID,
					   "%s[%llu]: 0x%llx is not a node of "
					   "this graph", what,
					   (unsigned long long)i,
					   (unsigned long long)nodes[i]);
	}
	return PLAIT_OK;
}

static uint32_t choose_mode(const struct request *request)
{
	uint64_t sum = 0, most = 0;
	uint32_t count = request->input.node_count;

	if (request->desc.mode != PLAIT_MODE_AUTO)
		return request->desc.mode;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t cost = request->input.nodes[i].cost;

		if (__builtin_add_overflow(sum, cost, &sum))
			return PLAIT_MODE_STRICT;
		if (cost > most)
			most = cost;
	}
	return count > 0 && most / UNEVEN > sum / count ? PLAIT_MODE_HELPED :
	       PLAIT_MODE_STRICT;
}

/* Enter the whole plan.  One that was loaded has no graph to compare; the
 * planner checks it. */
static plait_status enter_whole(struct request *request)
{
	plait_status status;

	if (request->sources == NULL && request->sinks == NULL)
		return plait__fail(request->error, PLAIT_E_INVALID,
				   "plait_freeze_desc: whole is set, but "
				   "neither sources nor sinks are");
	status = plait__plan_object_enter(request->desc.whole, &request->whole,
					  request->error);
	if (status == PLAIT_OK && request->whole->graph != 0 &&
	    request->whole->graph != request->graph->tag)
		status = plait__fail(request->error, PLAIT_E_INVALID,
				     "plait_freeze_desc: whole is a plan of "
				     "another graph");
	return status;
}

/* Make the planner's options.  Enters desc->whole until release_request. */
static plait_status resolve_options(struct request *request)
{
	const plait_freeze_desc *desc = &request->desc;
	plait__input_options *options = &request->options;
	plait_status status = find_nodes(request, desc->sources,
					 desc->source_count, "sources",
					 &request->sources);

	if (status == PLAIT_OK)
		status = find_nodes(request, desc->sinks, desc->sink_count,
				    "sinks", &request->sinks);
	if (status == PLAIT_OK && desc->whole != NULL)
		status = enter_whole(request);
	if (status != PLAIT_OK)
		return status;
	options->policy = desc->policy;
	options->mode = choose_mode(request);
	options->lanes = desc->lanes;
	options->hop_cost = desc->hop_cost;
	options->sources = request->sources;
	options->sinks = request->sinks;
	options->source_count = (uint32_t)desc->source_count;
	options->sink_count = (uint32_t)desc->sink_count;
	if (request->whole != NULL)
		options->whole = request->whole->plan;
	return PLAIT_OK;
}

static void release_request(struct request *request)
{
	const plait_allocator *allocator = allocator_of(request);

	if (request->whole != NULL)
		plait__object_leave(&request->whole->object);
	plait__free(allocator, request->sinks,
		    request->desc.sink_count * sizeof(uint32_t));
	plait__free(allocator, request->sources,
		    request->desc.source_count * sizeof(uint32_t));
	plait__free(allocator, request->patches,
		    request->input.tables.patches_count *
		    sizeof(*request->patches));
	plait__free(allocator, request->devices,
		    request->input.device_count *
		    sizeof(*request->devices));
	drop_edges(request);
	plait__planner_view_fini(request->graph->store, &request->input);
}

/* ---- planning ---- */

static bool wants_check(const struct request *request)
{
	uint64_t everywhere = 0;

	(void)plait__env_query_number(PLAIT__ENV_CHECK, &everywhere);
	return (everywhere != 0 && !request->is_exact) ||
	       (request->desc.flags & PLAIT_FREEZE_CHECK) != 0;
}

/* Takes the plan, also on failure. */
static plait_status wrap_plan(struct request *request, plait__plan *plan,
			      uint64_t peak_bytes, plait_plan **out)
{
	plait__plan_object *plan_object;
	plait_status status = plait__plan_object_create(
		request->graph->object.context, plan, &plan_object,
		request->error);

	if (status != PLAIT_OK)
		return status;
	plait__plan_object_bind_all(plan_object, request->graph->store);
	plan_object->peak_bytes = peak_bytes;
	plan_object->graph = request->graph->tag;
	plan_object->on_queues =
		(request->desc.flags & PLAIT_FREEZE_QUEUES) != 0;
	plan_object->instances = request->desc.instances > 0 ?
			    request->desc.instances : 2;
	/* The text form of a graph names objects that do not exist yet. */
	if (!plait__unbound_is_none(plan_object))
		status = plait__unbound_state_open(plan_object, request->error);
	if (status == PLAIT_OK)
		status = plait__local_memory_check(plan_object, request->error);
	if (status == PLAIT_OK && wants_check(request))
		status = plait__temporary_places_check(
			plan_object, allocator_of(request), request->error);
	if (status == PLAIT_OK)
		*out = plait__object_handle(&plan_object->object);
	else
		plait__object_release(
			plait__object_handle(&plan_object->object),
			PLAIT_OBJECT_PLAN);
	return status;
}

/* The graph first: what it lacks, lanes may hide. */
static plait_status check(const struct request *request,
			  const plait__plan *plan)
{
	plait_status status = plait__check_graph(&request->input, plan,
						 allocator_of(request),
						 request->error);

	return status != PLAIT_OK ? status :
	       plait__check_plan(plan, &request->input, 0,
				 allocator_of(request), NULL, request->error);
}

/* The choices of the planner. */
static void log_plan(const struct request *request, const plait__plan *plan,
		     uint64_t peak_bytes)
{
	static const char *const modes[] = { "strict", "helped" };

	plait__log_line(&request->graph->object.context->settings.log,
			PLAIT_LOG_DEBUG,
			"plan: %u nodes, %u commands in %u lanes of %u %s, "
			"mode %s, %llu bytes of scratch",
			request->input.node_count, plan->command_count,
			plan->lanes_count, plan->devices_count,
			plan->devices_count == 1 ? "device" : "devices",
			modes[request->options.mode == PLAIT_MODE_HELPED],
			(unsigned long long)peak_bytes);
}

/* Plan, check if asked for, and make the plan object. */
static plait_status plan_graph(struct request *request, plait_plan **out)
{
	plait__planner_counts counts = { 0 };
	plait__plan *plan;
	plait_status status = plait__planner_run(
		&request->input, &request->options, allocator_of(request),
		&counts, &plan, request->error);

	if (status != PLAIT_OK)
		return status;
	if (wants_check(request))
		status = check(request, plan);
	if (status != PLAIT_OK) {
		plait__plan_release(plan);
		return status;
	}
	log_plan(request, plan, counts.peak_bytes);
	return wrap_plan(request, plan, counts.peak_bytes, out);
}

/* The runs of a plan with a collective follow each other, as the other ranks'
 * do. */
static plait_status check_collectives(struct request *request)
{
	if (!plait__collective_order_matters(&request->input) ||
	    request->is_exact)
		return PLAIT_OK;
	if (request->desc.instances > 1)
		return plait__fail(request->error, PLAIT_E_INVALID,
				   "plait_freeze_desc: %u instances; a plan "
				   "with collectives of a world has one",
				   request->desc.instances);
	request->desc.instances = 1;
	return plait__collective_order_check(request->graph->store,
					     &request->input, request->error);
}

/* Make the planner's input, then the plan.  The graph is entered and does not
 * change meanwhile. */
static plait_status freeze(struct request *request, plait_plan **out)
{
	plait_status status = plait__planner_view_init(request->graph->store,
						       &request->input,
						       request->error);

	if (status != PLAIT_OK)
		return status;
	status = describe_devices(request);
	if (status == PLAIT_OK)
		status = sort_patches(request);
	if (status == PLAIT_OK)
		status = infer_edges(request);
	if (status == PLAIT_OK)
		status = check_collectives(request);
	if (status == PLAIT_OK)
		status = resolve_options(request);
	if (status == PLAIT_OK)
		status = plan_graph(request, out);
	release_request(request);
	return status;
}

static plait_status check_desc(const plait_freeze_desc *desc,
			       plait_error *error)
{
	if ((desc->flags & ~(uint32_t)(PLAIT_FREEZE_CHECK |
				       PLAIT_FREEZE_QUEUES |
				       PLAIT_FREEZE_PROGRAM_ORDER)) != 0)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "plait_freeze_desc: flags 0x%x are not "
				   "known", desc->flags);
	if (desc->policy > PLAIT_POLICY_WIDEST || desc->mode > PLAIT_MODE_AUTO)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_freeze_desc: policy %u or mode %u is "
				   "not known",
				   desc->policy, desc->mode);
	if (desc->instances > MAX_INSTANCES)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_freeze_desc: %u instances; at most "
				   "%d", desc->instances, MAX_INSTANCES);
	return PLAIT_OK;
}

static plait_status freeze_graph(plait_graph *graph,
				 const plait_freeze_desc *desc, bool is_exact,
				 plait_plan **out, plait_error *error)
{
	struct request request = { .is_exact = is_exact, .error = error };
	plait_status status;

	if (out == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "out is null");
	*out = NULL;
	status = plait__graph_enter(graph, &request.graph, error);
	if (status != PLAIT_OK)
		return status;
	if (request.graph->root != request.graph)
		status = plait__fail(error, PLAIT_E_INVALID,
				     "the graph is the body of a loop or "
				     "branch; freeze the graph it is part of");
	if (status == PLAIT_OK && desc != NULL)
		status = PLAIT__STRUCT_READ(plait_freeze_desc, &request.desc,
					    desc, error);
	if (status == PLAIT_OK)
		status = check_desc(&request.desc, error);
	if (status == PLAIT_OK)
		status = freeze(&request, out);
	plait__graph_leave(request.graph);
	return status;
}

plait_status plait__freeze_exact(plait_graph *graph,
				 const plait_freeze_desc *desc,
				 plait_plan **out, plait_error *error)
{
	return freeze_graph(graph, desc, true, out, error);
}

plait_status plait_graph_freeze(plait_graph *graph,
				const plait_freeze_desc *desc,
				plait_plan **out, plait_error *error)
{
	return freeze_graph(graph, desc, false, out, error);
}
