/* SPDX-License-Identifier: MIT */
/*
 * Fast path for common nodes: joins, and launches with values and whole
 * writable known buffers as arguments.  The checks are those of
 * launch_arguments.c and add_node.c, with at most one lookup per table.  On any
 * other input, and on any error, nothing changes and the full path decides and
 * reports.
 */
#include "graph/build/add_node_fast.h"

#include "graph/build/graph.h"
#include "graph/build/node_fields.h"
#include "graph/build/recent_launches.h"
#include "graph/store/unique_values.h"
#include "kernel/argument.h"
#include "kernel/signature.h"

#include <string.h>

enum { VALUE_BYTES = 8 };

/* Write positions in the tables, which have room for one argument and one
 * access per parameter. */
struct plain_writer {
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

/* A live handle suffices, since the graph holds the buffer (object_refs.c). */
static inline bool push_buffer(struct plain_writer *writer,
			       const plait__parameter *parameter,
			       const plait_argument *given)
{
	const plait__store_range *range;
	uint32_t at;

	if (parameter->type != PLAIT__TYPE_POINTER ||
	    plait__signature_is_image(parameter) ||
	    parameter->mode == PLAIT__MODE_ATOMIC || given->offset_bytes != 0)
		return false;
	at = plait__values_find_handle(
		writer->store, PLAIT__STORE_BUFFER_HANDLES, given->buffer);
	if (at == PLAIT__NONE ||
	    !plait__handle_is_live(given->buffer, PLAIT_OBJECT_BUFFER))
		return false;
	range = (const plait__store_range *)writer->store->ranges.items + at;
	if (!range->is_plain)
		return false;
	*writer->arg++ = (plait__plan_arg){ .kind = PLAIT__ARG_MEMORY,
					   .index = range->slot };
	*writer->access++ = (plait__plan_access){
		.object = range->slot, .mode = access_modes[parameter->mode],
		.box = PLAIT__NONE
	};
	if (writer->device == PLAIT__NONE)
		writer->device = range->device;
	return true;
}

/* Align values in the blob to the largest value. */
static inline bool push_value(struct plain_writer *writer,
			      const plait__parameter *parameter,
			      const plait_argument *given)
{
	plait__vector *blob = &writer->store->blob;
	uint32_t padding = -blob->count % VALUE_BYTES;
	char *place;

	if (plait__argument_check_value(parameter, given->value,
					given->bytes, NULL) != NULL)
		return false;
	place = plait__vector_extend(blob, padding + (uint32_t)given->bytes);
	if (place == NULL)
		return false;
	memset(place, 0, padding);
	memcpy(place + padding, given->value, given->bytes);
	*writer->arg++ = (plait__plan_arg){
		.kind = PLAIT__ARG_VALUE, .bytes = (uint32_t)given->bytes,
		.blob = blob->count - (uint32_t)given->bytes
	};
	return true;
}

/* recent_kernel has checked their number and their size. */
static bool push_arguments(struct plain_writer *writer,
			   const plait__signature *signature,
			   const plait_argument *given)
{
	for (uint32_t i = 0; i < signature->count; i++) {
		const plait__parameter *parameter = &signature->parameters[i];
		bool pushed = false;

		if (given[i].kind == PLAIT_ARGUMENT_BUFFER)
			pushed = push_buffer(writer, parameter, &given[i]);
		else if (given[i].kind == PLAIT_ARGUMENT_VALUE)
			pushed = push_value(writer, parameter, &given[i]);
		if (!pushed)
			return false;
	}
	return true;
}

/* Reserve the arguments and accesses; false without memory. */
static bool reserve(struct plain_writer *writer, uint32_t count)
{
	writer->arg = plait__vector_extend(&writer->store->args, count);
	writer->access = plait__vector_extend(&writer->store->accesses, count);
	return writer->arg != NULL && writer->access != NULL;
}

/* Cut the reserved accesses, since values have none; return how many there are
 * from `first` on. */
static uint32_t trim_accesses(const struct plain_writer *writer, uint32_t first)
{
	plait__vector *accesses = &writer->store->accesses;

	accesses->count = (uint32_t)(writer->access -
				     (plait__plan_access *)accesses->items);
	return accesses->count - first;
}

bool plait__add_node_fast_arguments(plait__node_draft *draft,
				    const plait__signature *signature)
{
	plait__store *store = draft->graph->store;
	const plait_argument *given = draft->desc->arguments;
	uint32_t args = store->args.count, accesses = store->accesses.count;
	uint32_t blob = store->blob.count, count = signature->count;
	struct plain_writer writer = { .store = store,
			       .device = draft->first_buffer_device };

	if (count == 0)
		return true;
	if (given->size != sizeof(*given))
		return false;
	if (!reserve(&writer, count) ||
	    !push_arguments(&writer, signature, given)) {
		plait__vector_truncate(&store->args, args);
		plait__vector_truncate(&store->accesses, accesses);
		plait__vector_truncate(&store->blob, blob);
		return false;
	}
	draft->payload.arg_count = count;
	draft->first_buffer_device = writer.device;
	draft->node.access_count = trim_accesses(&writer, accesses);
	return true;
}

/* ---- whole nodes ---- */

enum { MANY = 1 << 20 };	/* predecessors; add_node.c has the actual
				 * limit */

/* Common node being added, and the table sizes before it. */
struct common {
	plait__store *store;
	plait__store_scope *scope;
	const plait_node_desc *desc;
	const plait__store_kernel *kernel;	/* of a launch */
	plait__input_node *node;
	uint32_t at;
	uint32_t args, accesses, blob, edges, payloads;
};

/* Return a recent kernel in a context of one backend, or null. */
static const plait__store_kernel *recent_kernel(const plait__graph *graph,
						const plait_node_desc *desc)
{
	const plait__store_kernel *kernel =
		plait__recent_kernel(graph->store, desc->kernel);

	return kernel != NULL && kernel->device != PLAIT__NONE &&
	       graph->object.context->port_count == 1 &&
	       desc->argument_count == kernel->signature->count &&
	       desc->argument_count > 0 && desc->arguments != NULL &&
	       desc->arguments->size == sizeof(*desc->arguments) ?
	       kernel : NULL;
}

/* Push the launch of a recent kernel.  Returns false with entries pushed, which
 * the caller cuts, if an argument is not plain or is of another device than the
 * kernel's last. */
static bool add_launch(struct common *common)
{
	plait__store *store = common->store;
	const plait__store_kernel *kernel = common->kernel;
	struct plain_writer writer = { .store = store, .device = PLAIT__NONE };
	plait__plan_payload *payload;

	if (!reserve(&writer, kernel->signature->count) ||
	    !push_arguments(&writer, kernel->signature,
			    common->desc->arguments) ||
	    writer.device != kernel->device)
		return false;
	payload = plait__vector_extend(&store->payloads, 1);
	if (payload == NULL)
		return false;
	*payload = (plait__plan_payload){ .kernel = kernel->kernel,
					  .geometry = plait__recent_geometry(
						  store, kernel,
						  common->desc->launch),
					  .arg_first = common->args,
					  .arg_count = kernel->signature->count,
					  .object = PLAIT__NONE };
	common->node->kind = PLAIT__CMD_LAUNCH;
	common->node->affinity = kernel->kernel + 1;
	common->node->link = common->payloads;
	common->node->device = kernel->device;
	common->node->access_count = trim_accesses(&writer, common->accesses);
	return payload->geometry != PLAIT__NONE;
}

/* Place a join on the device of its first predecessor, else on the graph's
 * first device.  add_edges has run. */
static bool add_join(struct common *common)
{
	const plait__input_edge *edges = common->scope->edges.items;
	const plait__input_node *nodes = common->scope->nodes.items;
	const plait__input_node *before;

	common->node->kind = PLAIT__CMD_JOIN;
	if (common->scope->edges.count == common->edges)
		return common->store->devices.count > 0;
	before = &nodes[edges[common->edges].before];
	common->node->device = before->device;
	return before->device_count == 1;
}

static bool add_edges(struct common *common, uint64_t tag,
		      const plait_node *after, uint32_t count)
{
	plait__input_edge *edge;

	if (count == 0)
		return true;
	edge = plait__vector_extend(&common->scope->edges, count);
	if (edge == NULL)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (after[i] - tag >= common->at ||
		    !plait__store_has_node(common->scope, after[i] - tag))
			return false;
		edge[i].before = (uint32_t)(after[i] - tag);
		edge[i].after = common->at;
	}
	return true;
}

static bool add_names(struct common *common)
{
	const plait_node_desc *desc = common->desc;
	plait__input_node *node = common->node;

	if (desc->label != NULL)
		node->label = plait__values_label(common->store, desc->label);
	if (desc->file != NULL)
		node->file = plait__values_file(common->store, desc->file);
	return (desc->label == NULL || node->label != PLAIT__NONE) &&
	       (desc->file == NULL || node->file != PLAIT__NONE);
}

/* After a failure the caller cuts the tables back. */
static bool add_parts(struct common *common, uint64_t tag,
		      const plait_node *after, uint32_t count)
{
	const plait_node_desc *desc = common->desc;

	common->node = plait__vector_extend(&common->scope->nodes, 1);
	if (common->node == NULL)
		return false;
	*common->node = (plait__input_node){
		.device_count = 1, .link = PLAIT__NONE,
		.cost = plait__node_cost(desc),
		.scratch_bytes = desc->scratch_bytes, .label = PLAIT__NONE,
		.file = PLAIT__NONE, .line = desc->line,
		.access_first = common->accesses
	};
	return add_edges(common, tag, after, count) &&
	       (desc->kind == PLAIT_NODE_LAUNCH ? add_launch(common) :
		add_join(common)) && add_names(common);
}

bool plait__add_node_fast(plait__graph *graph, const plait_node_desc *desc,
			  const plait_node *after, uint64_t count,
			  uint32_t *out)
{
	plait__store *store = graph->store;
	plait__store_scope *scope = plait__store_scope_at(store, graph->scope);
	struct common common = {
		.store = store, .scope = scope, .desc = desc,
		.at = scope->nodes.count, .args = store->args.count,
		.accesses = store->accesses.count, .blob = store->blob.count,
		.edges = scope->edges.count, .payloads = store->payloads.count
	};

	if (!plait__node_is_common(desc) || count > MANY ||
	    (count > 0 && after == NULL))
		return false;
	if (desc->kind == PLAIT_NODE_LAUNCH)
		common.kernel = recent_kernel(graph, desc);
	if (desc->kind == PLAIT_NODE_LAUNCH && common.kernel == NULL)
		return false;
	*out = common.at;
	if (add_parts(&common, graph->tag, after, (uint32_t)count))
		return true;
	plait__vector_truncate(&scope->nodes, common.at);
	plait__vector_truncate(&scope->edges, common.edges);
	plait__vector_truncate(&store->args, common.args);
	plait__vector_truncate(&store->accesses, common.accesses);
	plait__vector_truncate(&store->blob, common.blob);
	plait__vector_truncate(&store->payloads, common.payloads);
	return false;
}
