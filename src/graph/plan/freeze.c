/* SPDX-License-Identifier: MIT */
/* From a graph to a plan: options are resolved, the planner does the rest. */
#include "graph/plan/plan_object.h"
#include "graph/build/graph.h"
#include "base/alloc.h"
#include "base/sized_struct.h"
#include "base/error.h"
#include "object/context/device.h"
#include "plan/check/check.h"
#include "plan/schedule/planner.h"

#include <string.h>

enum {
	MAX_INSTANCES = 1024,
	/* A node that is this many times dearer than the mean makes the work
	 * uneven: then lanes help each other. */
	UNEVEN = 8,
};

/* What a freeze makes for the planner and gives back. */
struct freezing {
	plait__graph *graph;
	plait_freeze_desc desc;
	plait__input input;
	plait__input_options options;
	plait__input_device *devices;
	plait__plan_patch *patches;
	uint32_t *sources;
	uint32_t *sinks;
	plait__frozen *whole;
	plait_error *error;
};

static plait_status no_memory(const struct freezing *freezing)
{
	return plait__fail(freezing->error, PLAIT_E_NOMEM,
			   "no memory to freeze a graph of %u nodes",
			   freezing->input.node_count);
}

static const plait_allocator *allocator_of(const struct freezing *freezing)
{
	return &freezing->graph->store->allocator;
}

/* ---- what the planner is given ---- */

/* A device's limit is what it can run at once, unless the user has one. */
static plait_status limit_devices(struct freezing *freezing)
{
	const plait__store *store = freezing->graph->store;
	uint32_t count = freezing->input.device_count;

	/* An empty graph needs a place too. */
	if (count == 0)
		freezing->input.device_count = 1;
	freezing->devices = plait__alloc_array(allocator_of(freezing),
					       freezing->input.device_count,
					       sizeof(*freezing->devices));
	if (freezing->devices == NULL)
		return no_memory(freezing);
	if (count > 0)
		memcpy(freezing->devices, freezing->input.devices,
		       count * sizeof(*freezing->devices));
	freezing->input.devices = freezing->devices;
	for (uint32_t i = 0; i < count; i++) {
		const plait__device *device = *(plait__device **)
			plait__vector_at(&store->device_objects, i);

		if (device != NULL && freezing->desc.lanes == 0 &&
		    freezing->desc.policy == PLAIT_POLICY_BOUNDED)
			freezing->devices[i].lane_limit =
				plait__device_facts(device)->parallel;
	}
	return PLAIT_OK;
}

/* Counting sort by parameter; nodes added them in their own order. */
static plait_status sort_patches(struct freezing *freezing)
{
	uint32_t count = freezing->input.tables.patches_count;
	uint64_t params = (uint64_t)freezing->input.tables.params_count + 1;
	const plait__plan_patch *from = freezing->input.tables.patches;
	const plait_allocator *allocator = allocator_of(freezing);
	uint32_t *next;

	if (count == 0)
		return PLAIT_OK;
	next = plait__alloc_array(allocator, params, sizeof(*next));
	freezing->patches = plait__alloc_array(allocator, count,
					       sizeof(*from));
	if (next == NULL || freezing->patches == NULL) {
		plait__free(allocator, next, params * sizeof(*next));
		return no_memory(freezing);
	}
	for (uint32_t i = 0; i < count; i++)
		next[from[i].param + 1]++;
	for (uint64_t i = 1; i < params; i++)
		next[i] += next[i - 1];
	for (uint32_t i = 0; i < count; i++)
		freezing->patches[next[from[i].param]++] = from[i];
	plait__free(allocator, next, params * sizeof(*next));
	freezing->input.tables.patches = freezing->patches;
	return PLAIT_OK;
}

static plait_status find_nodes(const struct freezing *freezing,
			       const plait_node *nodes, uint64_t count,
			       const char *what, uint32_t **out)
{
	if (nodes == NULL && count > 0)
		return plait__fail(freezing->error, PLAIT_E_INVALID,
				   "plait_freeze_desc: %s is null", what);
	if (nodes == NULL)
		return PLAIT_OK;
	if (count == 0)
		return plait__fail(freezing->error, PLAIT_E_INVALID,
				   "plait_freeze_desc: %s is set, but there "
				   "are none; null does not restrict", what);
	if ( count > PLAIT__VECTOR_MAX)
		return plait__fail(freezing->error, PLAIT_E_INVALID,
				   "plait_freeze_desc: %llu %s",
				   (unsigned long long)count, what);
	*out = plait__alloc_array(allocator_of(freezing), count,
				  sizeof(**out));
	if (*out == NULL)
		return no_memory(freezing);
	for (uint64_t i = 0; i < count; i++) {
		(*out)[i] = plait__graph_index(freezing->graph, nodes[i]);
		if ((*out)[i] == PLAIT__NONE)
			return plait__fail(freezing->error, PLAIT_E_INVALID,
					   "%s[%llu]: 0x%llx is not a node of "
					   "this graph", what,
					   (unsigned long long)i,
					   (unsigned long long)nodes[i]);
	}
	return PLAIT_OK;
}

static uint32_t choose_mode(const struct freezing *freezing)
{
	uint64_t sum = 0, most = 0;
	uint32_t count = freezing->input.node_count;

	if (freezing->desc.mode != PLAIT_MODE_AUTO)
		return freezing->desc.mode;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t cost = freezing->input.nodes[i].cost;

		if (__builtin_add_overflow(sum, cost, &sum))
			return PLAIT_MODE_STRICT;
		if (cost > most)
			most = cost;
	}
	return count > 0 && most / UNEVEN > sum / count ? PLAIT_MODE_HELPED :
	       PLAIT_MODE_STRICT;
}

/* What was loaded from a file may be of any graph: the planner compares. */
static plait_status enter_whole(struct freezing *freezing)
{
	plait_status status;

	if (freezing->sources == NULL && freezing->sinks == NULL)
		return plait__fail(freezing->error, PLAIT_E_INVALID,
				   "plait_freeze_desc: whole is set, but "
				   "neither sources nor sinks are");
	status = plait__frozen_enter(freezing->desc.whole, &freezing->whole,
				     freezing->error);
	if (status == PLAIT_OK && freezing->whole->graph != 0 &&
	    freezing->whole->graph != freezing->graph->tag)
		status = plait__fail(freezing->error, PLAIT_E_INVALID,
				     "plait_freeze_desc: whole is a plan of "
				     "another graph");
	return status;
}

static plait_status resolve_options(struct freezing *freezing)
{
	const plait_freeze_desc *desc = &freezing->desc;
	plait__input_options *options = &freezing->options;
	plait_status status = find_nodes(freezing, desc->sources,
					 desc->source_count, "sources",
					 &freezing->sources);

	if (status == PLAIT_OK)
		status = find_nodes(freezing, desc->sinks, desc->sink_count,
				    "sinks", &freezing->sinks);
	if (status == PLAIT_OK && desc->whole != NULL)
		status = enter_whole(freezing);
	if (status != PLAIT_OK)
		return status;
	options->policy = desc->policy;
	options->mode = choose_mode(freezing);
	options->lanes = desc->lanes;
	options->hop_cost = desc->hop_cost;
	options->sources = freezing->sources;
	options->sinks = freezing->sinks;
	options->source_count = (uint32_t)desc->source_count;
	options->sink_count = (uint32_t)desc->sink_count;
	if (freezing->whole != NULL)
		options->whole = freezing->whole->plan;
	return PLAIT_OK;
}

static void give_back(struct freezing *freezing)
{
	const plait_allocator *allocator = allocator_of(freezing);

	if (freezing->whole != NULL)
		plait__object_leave(&freezing->whole->object);
	plait__free(allocator, freezing->sinks,
		    freezing->desc.sink_count * sizeof(uint32_t));
	plait__free(allocator, freezing->sources,
		    freezing->desc.source_count * sizeof(uint32_t));
	plait__free(allocator, freezing->patches,
		    freezing->input.tables.patches_count *
		    sizeof(*freezing->patches));
	plait__free(allocator, freezing->devices,
		    freezing->input.device_count *
		    sizeof(*freezing->devices));
	plait__store_input_fini(freezing->graph->store, &freezing->input);
}

/* ---- planning ---- */

static plait_status wrap_plan(struct freezing *freezing, plait__plan *plan,
			      uint64_t peak_bytes, plait_plan **out)
{
	plait__frozen *frozen;
	plait_status status = plait__frozen_make(
		freezing->graph->object.context, plan, &frozen,
		freezing->error);

	if (status != PLAIT_OK)
		return status;
	plait__frozen_bind_all(frozen, freezing->graph->store);
	frozen->peak_bytes = peak_bytes;
	frozen->graph = freezing->graph->tag;
	frozen->on_queues = (freezing->desc.flags & PLAIT_FREEZE_QUEUES) != 0;
	frozen->instances = freezing->desc.instances > 0 ?
			    freezing->desc.instances : 2;
	/* A graph in its text form names things that are not there yet. */
	if (!plait__frozen_is_whole(frozen))
		status = plait__frozen_open(frozen, freezing->error);
	if (status == PLAIT_OK)
		*out = plait__object_handle(&frozen->object);
	else
		plait__object_release(plait__object_handle(&frozen->object),
				      PLAIT_OBJECT_PLAN);
	return status;
}

static plait_status plan_graph(struct freezing *freezing, plait_plan **out)
{
	plait__plan_counts counts = { 0 };
	plait__plan *plan;
	plait_status status = plait__plan_build(
		&freezing->input, &freezing->options, allocator_of(freezing),
		&counts, &plan, freezing->error);

	if (status != PLAIT_OK)
		return status;
	if (freezing->desc.flags & PLAIT_FREEZE_CHECK)
		status = plait__plan_check(plan, &freezing->input, 0,
					   allocator_of(freezing), NULL,
					   freezing->error);
	if (status != PLAIT_OK) {
		plait__plan_release(plan);
		return status;
	}
	return wrap_plan(freezing, plan, counts.peak_bytes, out);
}

static plait_status freeze(struct freezing *freezing, plait_plan **out)
{
	plait_status status = plait__store_input(freezing->graph->store,
						 &freezing->input,
						 freezing->error);

	if (status != PLAIT_OK)
		return status;
	status = limit_devices(freezing);
	if (status == PLAIT_OK)
		status = sort_patches(freezing);
	if (status == PLAIT_OK)
		status = resolve_options(freezing);
	if (status == PLAIT_OK)
		status = plan_graph(freezing, out);
	give_back(freezing);
	return status;
}

static plait_status check_desc(const plait_freeze_desc *desc,
			       plait_error *error)
{
	if ((desc->flags & ~(uint32_t)(PLAIT_FREEZE_CHECK |
				       PLAIT_FREEZE_QUEUES)) != 0)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "plait_freeze_desc: flags 0x%x are not "
				   "known", desc->flags);
	if (desc->policy > PLAIT_POLICY_WIDEST || desc->mode > PLAIT_MODE_AUTO)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_freeze_desc: policy %u, mode %u",
				   desc->policy, desc->mode);
	if (desc->instances > MAX_INSTANCES)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_freeze_desc: %u instances; at most "
				   "%d", desc->instances, MAX_INSTANCES);
	return PLAIT_OK;
}

plait_status plait_graph_freeze(plait_graph *graph,
				const plait_freeze_desc *desc,
				plait_plan **out, plait_error *error)
{
	struct freezing freezing = { .error = error };
	plait_status status;

	if (out == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "out is null");
	*out = NULL;
	status = plait__graph_enter(graph, &freezing.graph, error);
	if (status != PLAIT_OK)
		return status;
	if (freezing.graph->root != freezing.graph)
		status = plait__fail(error, PLAIT_E_INVALID,
				     "the graph is the body of a loop or "
				     "branch; freeze the graph it is part of");
	if (status == PLAIT_OK && desc != NULL)
		status = PLAIT__READ(plait_freeze_desc, &freezing.desc, desc,
				     error);
	if (status == PLAIT_OK)
		status = check_desc(&freezing.desc, error);
	if (status == PLAIT_OK)
		status = freeze(&freezing, out);
	plait__object_leave(&freezing.graph->object);
	return status;
}
