/* SPDX-License-Identifier: MIT */
/* COLLECTIVE nodes: record and accesses; see collective_nodes.h. */
#include "graph/build/collective_nodes.h"

#include "graph/build/launch_arguments.h"
#include "graph/build/object_refs.h"
#include "base/error.h"
#include "object/memory/buffer.h"
#include "plan/access.h"

static plait_status fail(const plait__node_draft *draft, const char *what)
{
	char room[PLAIT__REFS_TEXT_BYTES];

	return plait__fail(draft->error, PLAIT_E_INVALID, "%s: %s",
			   plait__refs_node_text(draft, room), what);
}

/* The table of functions drops it as it drops an inbox. */
static void hold_record(plait__node_draft *draft)
{
	plait__collective_record *record = draft->desc->user_data;
	plait__store_function *function = plait__vector_at(
		&draft->graph->store->objects[PLAIT__STORE_FUNCTIONS],
		draft->payload.object);

	if (record == NULL)
		return;
	plait__object_hold(&record->object);
	function->inbox = record;
}

static plait_status push_side(plait__node_draft *draft, plait_buffer *buffer,
			      uint64_t offset, uint64_t bytes, uint32_t access)
{
	plait__range range;
	plait_status status;

	if (buffer == NULL || bytes == 0)
		return PLAIT_OK;
	status = plait__refs_range(draft, buffer, offset, &range);
	if (status != PLAIT_OK)
		return plait__refs_prefix_error(
			draft, access == PLAIT__ACCESS_READ ? "input" :
							      "output");
	if (plait__refs_buffer(draft, range.slot)->is_temporary)
		return fail(draft, "a collective takes no temporary: each run "
			    "has another place for it");
	if (bytes > range.bytes)
		return fail(draft, access == PLAIT__ACCESS_READ ?
			    "the input does not fit its buffer" :
			    "the output does not fit its buffer");
	return plait__arguments_push_access(draft, &range, bytes, access);
}

plait_status plait__collective_nodes_push(plait__node_draft *draft)
{
	const plait_node_desc *desc = draft->desc;
	plait_status status;

	hold_record(draft);
	status = push_side(draft, desc->source, desc->source_offset,
			   desc->bytes, PLAIT__ACCESS_READ);
	return status == PLAIT_OK ?
		       push_side(draft, desc->target, desc->target_offset,
				 desc->pattern, PLAIT__ACCESS_READ_WRITE) :
		       status;
}

plait_status plait__collective_nodes_refuse(const plait_node_desc *desc,
					    plait_error *error)
{
	if (desc->kind != PLAIT_NODE_COLLECTIVE)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_INVALID,
			   "node \"%.60s\": a COLLECTIVE is added with "
			   "plait_graph_collective",
			   desc->label != NULL ? desc->label : "");
}
