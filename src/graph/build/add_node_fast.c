/* SPDX-License-Identifier: MIT */
/*
 * The arguments that most launches have: values, and all of a buffer that the
 * graph has had before and that may be written.  They are checked as
 * launch_arguments.c does, and pushed with no more than one look at each table.
 * Whatever else there is, or is wrong, launch_arguments.c does and says.  So it is with
 * the nodes that most graphs have, and add_node.c.
 */
#include "graph/build/recent_launches.h"
#include "graph/build/node_fields.h"
#include "graph/build/graph.h"
#include "graph/store/unique_values.h"
#include "kernel/argument.h"
#include "kernel/signature.h"

#include <string.h>

enum { VALUE_BYTES = 8 };

/* Where the next argument and the next access go; there is room for one of
 * each for every parameter. */
struct quick {
	plait__store *store;
	plait__plan_arg *arg;
	plait__plan_access *access;
	uint32_t device;	/* of the first buffer, or none */
};

static const uint8_t access_modes[] = {
	[PLAIT__MODE_VALUE] = PLAIT__ACCESS_READ_WRITE,
	[PLAIT__MODE_IN] = PLAIT__ACCESS_READ,
	[PLAIT__MODE_OUT] = PLAIT__ACCESS_WRITE,
	[PLAIT__MODE_INOUT] = PLAIT__ACCESS_READ_WRITE,
};

static inline bool take_buffer(struct quick *quick,
			       const plait__parameter *parameter,
			       const plait_argument *given)
{
	const plait__store_range *range;
	uint32_t at;

	if (parameter->type != PLAIT__TYPE_POINTER || given->offset_bytes != 0)
		return false;
	at = plait__store_find_handle(quick->store, PLAIT__STORE_BUFFER_HANDLES,
				      given->buffer);
	if (at == PLAIT__NONE ||
	    !plait__handle_lives(given->buffer, PLAIT_OBJECT_BUFFER))
		return false;
	range = (const plait__store_range *)quick->store->ranges.items + at;
	if (!range->is_plain)
		return false;
	*quick->arg++ = (plait__plan_arg){ .kind = PLAIT__ARG_MEMORY,
					   .index = range->slot };
	*quick->access++ = (plait__plan_access){
		.object = range->slot, .mode = access_modes[parameter->mode],
		.box = PLAIT__NONE
	};
	if (quick->device == PLAIT__NONE)
		quick->device = range->device;
	return true;
}

/* Values lie at multiples of their most bytes. */
static inline bool take_value(struct quick *quick,
			      const plait__parameter *parameter,
			      const plait_argument *given)
{
	plait__vector *blob = &quick->store->blob;
	uint32_t padding = -blob->count % VALUE_BYTES;
	char *place;

	if (plait__argument_judge_value(parameter, given->value,
					given->bytes) != NULL)
		return false;
	place = plait__vector_extend(blob, padding + (uint32_t)given->bytes);
	if (place == NULL)
		return false;
	memset(place, 0, padding);
	memcpy(place + padding, given->value, given->bytes);
	*quick->arg++ = (plait__plan_arg){
		.kind = PLAIT__ARG_VALUE, .bytes = (uint32_t)given->bytes,
		.blob = blob->count - (uint32_t)given->bytes
	};
	return true;
}

static bool take_all(struct quick *quick, const plait__signature *signature,
		     const plait_argument *given)
{
	for (uint32_t i = 0; i < signature->count; i++) {
		const plait__parameter *parameter = &signature->parameters[i];
		bool taken = false;

		if (given[i].kind == PLAIT_ARGUMENT_BUFFER)
			taken = take_buffer(quick, parameter, &given[i]);
		else if (given[i].kind == PLAIT_ARGUMENT_VALUE)
			taken = take_value(quick, parameter, &given[i]);
		if (!taken)
			return false;
	}
	return true;
}

/* Room for the arguments; false when there is none. */
static bool start(struct quick *quick, uint32_t count)
{
	quick->arg = plait__vector_extend(&quick->store->args, count);
	quick->access = plait__vector_extend(&quick->store->accesses, count);
	return quick->arg != NULL && quick->access != NULL;
}

/* Values have no access: how many there are now, from `first` on. */
static uint32_t finish(const struct quick *quick, uint32_t first)
{
	plait__vector *accesses = &quick->store->accesses;

	accesses->count = (uint32_t)(quick->access -
				     (plait__plan_access *)accesses->items);
	return accesses->count - first;
}

bool plait__graph_quick(plait__adding *adding,
			const plait__signature *signature)
{
	plait__store *store = adding->graph->store;
	const plait_argument *given = adding->desc->arguments;
	uint32_t args = store->args.count, accesses = store->accesses.count;
	uint32_t blob = store->blob.count, count = signature->count;
	struct quick quick = { .store = store,
			       .device = adding->first_buffer_device };

	if (count == 0)
		return true;
	if (given->size != sizeof(*given))
		return false;
	if (!start(&quick, count) || !take_all(&quick, signature, given)) {
		plait__vector_cut(&store->args, args);
		plait__vector_cut(&store->accesses, accesses);
		plait__vector_cut(&store->blob, blob);
		return false;
	}
	adding->payload.arg_count = count;
	adding->first_buffer_device = quick.device;
	adding->node.access_count = finish(&quick, accesses);
	return true;
}

/* ---- whole nodes ---- */

enum { MANY = 1 << 20 };	/* predecessors: add_node.c has the limit */

/* A usual node while it is added, and where the tables were before. */
struct usual {
	plait__store *store;
	plait__store_scope *scope;
	const plait_node_desc *desc;
	const plait__store_kernel *kernel;	/* of a launch */
	plait__input_node *node;
	uint32_t at;
	uint32_t args, accesses, blob, edges, payloads;
};

/* A kernel that came lately, in a context of one backend; or null. */
static const plait__store_kernel *usual_kernel(const plait__graph *graph,
					       const plait_node_desc *desc)
{
	const plait__store_kernel *kernel =
		plait__again_kernel(graph->store, desc->kernel);

	return kernel != NULL && kernel->device != PLAIT__NONE &&
	       graph->object.context->port_count == 1 &&
	       desc->argument_count == kernel->signature->count &&
	       desc->argument_count > 0 && desc->arguments != NULL &&
	       desc->arguments->size == sizeof(*desc->arguments) ?
	       kernel : NULL;
}

static bool add_launch(struct usual *usual)
{
	plait__store *store = usual->store;
	const plait__store_kernel *kernel = usual->kernel;
	struct quick quick = { .store = store, .device = PLAIT__NONE };
	plait__plan_payload *payload;

	if (!start(&quick, kernel->signature->count) ||
	    !take_all(&quick, kernel->signature, usual->desc->arguments) ||
	    quick.device != kernel->device)
		return false;
	payload = plait__vector_extend(&store->payloads, 1);
	if (payload == NULL)
		return false;
	*payload = (plait__plan_payload){
		.kernel = kernel->kernel,
		.geometry = plait__again_geometry(store, kernel,
						  usual->desc->launch),
		.arg_first = usual->args, .arg_count = kernel->signature->count,
		.object = PLAIT__NONE
	};
	usual->node->kind = PLAIT__CMD_LAUNCH;
	usual->node->affinity = kernel->kernel + 1;
	usual->node->link = usual->payloads;
	usual->node->device = kernel->device;
	usual->node->access_count = finish(&quick, usual->accesses);
	return payload->geometry != PLAIT__NONE;
}

/* Where what it comes after is, or the graph's first device. */
static bool add_join(struct usual *usual)
{
	const plait__input_edge *edges = usual->scope->edges.items;
	const plait__input_node *nodes = usual->scope->nodes.items;
	const plait__input_node *before;

	usual->node->kind = PLAIT__CMD_EMPTY;
	if (usual->scope->edges.count == usual->edges)
		return usual->store->devices.count > 0;
	before = &nodes[edges[usual->edges].before];
	usual->node->device = before->device;
	return before->device_count == 1;
}

static bool add_edges(struct usual *usual, uint64_t tag,
		      const plait_node *after, uint32_t count)
{
	plait__input_edge *edge;

	if (count == 0)
		return true;
	edge = plait__vector_extend(&usual->scope->edges, count);
	if (edge == NULL)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (after[i] - tag >= usual->at)
			return false;
		edge[i].before = (uint32_t)(after[i] - tag);
		edge[i].after = usual->at;
	}
	return true;
}

static bool add_names(struct usual *usual)
{
	const plait_node_desc *desc = usual->desc;
	plait__input_node *node = usual->node;

	if (desc->label != NULL)
		node->label = plait__store_label(usual->store, desc->label);
	if (desc->file != NULL)
		node->file = plait__store_file(usual->store, desc->file);
	return (desc->label == NULL || node->label != PLAIT__NONE) &&
	       (desc->file == NULL || node->file != PLAIT__NONE);
}

static bool add_parts(struct usual *usual, uint64_t tag,
		      const plait_node *after, uint32_t count)
{
	const plait_node_desc *desc = usual->desc;

	usual->node = plait__vector_extend(&usual->scope->nodes, 1);
	if (usual->node == NULL)
		return false;
	*usual->node = (plait__input_node){
		.device_count = 1, .link = PLAIT__NONE,
		.cost = plait__graph_cost(desc),
		.scratch_bytes = desc->scratch_bytes, .label = PLAIT__NONE,
		.file = PLAIT__NONE, .line = desc->line,
		.access_first = usual->accesses
	};
	return add_edges(usual, tag, after, count) &&
	       (desc->kind == PLAIT_NODE_LAUNCH ? add_launch(usual) :
		add_join(usual)) && add_names(usual);
}

bool plait__graph_add_usual(plait__graph *graph, const plait_node_desc *desc,
			    const plait_node *after, uint64_t count,
			    uint32_t *out)
{
	plait__store *store = graph->store;
	plait__store_scope *scope = plait__store_scope_at(store, graph->scope);
	struct usual usual = {
		.store = store, .scope = scope, .desc = desc,
		.at = scope->nodes.count, .args = store->args.count,
		.accesses = store->accesses.count, .blob = store->blob.count,
		.edges = scope->edges.count, .payloads = store->payloads.count
	};

	if (!plait__graph_is_usual(desc) || count > MANY ||
	    (count > 0 && after == NULL))
		return false;
	if (desc->kind == PLAIT_NODE_LAUNCH)
		usual.kernel = usual_kernel(graph, desc);
	if (desc->kind == PLAIT_NODE_LAUNCH && usual.kernel == NULL)
		return false;
	*out = usual.at;
	if (add_parts(&usual, graph->tag, after, (uint32_t)count))
		return true;
	plait__vector_cut(&scope->nodes, usual.at);
	plait__vector_cut(&scope->edges, usual.edges);
	plait__vector_cut(&store->args, usual.args);
	plait__vector_cut(&store->accesses, usual.accesses);
	plait__vector_cut(&store->blob, usual.blob);
	plait__vector_cut(&store->payloads, usual.payloads);
	return false;
}
