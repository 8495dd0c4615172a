/* SPDX-License-Identifier: MIT */
/*
 * Nodes that copy or fill.  A side is a range of a buffer that the graph knows,
 * or of one that each run brings; of the latter it is known where it begins
 * within what is brought, and how far it reaches.
 */
#include "graph/build/graph.h"

#include "base/error.h"
#include "object/queue/strided_copy.h"
#include "plan/access.h"

/* One of the two, as it is given and where it was found to be. */
struct side {
	const char *name;
	plait_buffer *buffer;
	const char *parameter;
	uint64_t offset;
	uint32_t access;
	/* A slot and its offset, or a parameter's access and the offset. */
	plait__range range;
};

static plait_status wrong(const plait__adding *adding, const char *what)
{
	char room[PLAIT__GRAPH_PLACE_ROOM];

	return plait__fail(adding->error, PLAIT_E_INVALID, "%s: %s",
			   plait__graph_place(adding, room), what);
}

static plait_status outside(const plait__adding *adding, uint64_t bytes,
			    const struct side *side)
{
	char room[PLAIT__GRAPH_PLACE_ROOM];

	return plait__fail(adding->error, PLAIT_E_INVALID,
			   "%s: %llu bytes, but the %s has %llu",
			   plait__graph_place(adding, room),
			   (unsigned long long)bytes, side->name,
			   (unsigned long long)side->range.bytes);
}

/* How much there is behind the offset, runs tell. */
static plait_status add_parameter(plait__adding *adding, struct side *side,
				  uint64_t bytes)
{
	char room[PLAIT__GRAPH_PLACE_ROOM];

	if (side->buffer != NULL || side->parameter[0] == '\0')
		return plait__fail(adding->error, PLAIT_E_INVALID,
				   "%s: %s_parameter %s",
				   plait__graph_place(adding, room),
				   side->name, side->buffer != NULL ?
				   "is in place of a buffer; both are set" :
				   "is empty");
	side->range.offset = side->offset;
	return plait__graph_parameter(adding, side->parameter, &side->range,
				      bytes, side->access);
}

static plait_status add_side(plait__adding *adding, struct side *side,
			     uint64_t bytes)
{
	plait_status status;

	if (side->parameter != NULL)
		return add_parameter(adding, side, bytes);
	status = plait__graph_range(adding, side->buffer, side->offset,
				    &side->range);
	if (status != PLAIT_OK)
		return plait__graph_name(adding, side->name);
	if (bytes > side->range.bytes)
		return outside(adding, bytes, side);
	return plait__graph_memory(adding, &side->range, bytes, side->access);
}

static struct side target_of(const plait_node_desc *desc)
{
	return (struct side){ "target", desc->target, desc->target_parameter,
			      desc->target_offset, PLAIT__ACCESS_WRITE,
			      { .slot = PLAIT__NONE } };
}

static struct side source_of(const plait_node_desc *desc)
{
	return (struct side){ "source", desc->source, desc->source_parameter,
			      desc->source_offset, PLAIT__ACCESS_READ,
			      { .slot = PLAIT__NONE } };
}

static plait_status read_shape(const plait__adding *adding, plait__shape *out)
{
	const plait_command command = { .bytes = adding->desc->bytes,
					.rows = adding->desc->rows };
	plait_status status = plait__shape_read(out, &command, adding->error);
	char room[PLAIT__GRAPH_PLACE_ROOM];

	if (status != PLAIT_OK)
		plait__error_prefix(adding->error, "%s: ",
				    plait__graph_place(adding, room));
	return status;
}

/* What is in one piece has no rows. */
static plait_status add_rows(plait__adding *adding, const plait__shape *shape)
{
	adding->payload.bytes = shape->bytes;
	if (shape->bytes == 0 || shape->rows.rows <= 1)
		return PLAIT_OK;
	adding->payload.value = shape->rows.rows * shape->rows.slices;
	return plait__graph_value(adding, &shape->rows, sizeof(shape->rows));
}

plait_status plait__graph_copy(plait__adding *adding)
{
	struct side target = target_of(adding->desc);
	struct side source = source_of(adding->desc);
	plait__shape shape = { .bytes = 0 };
	plait_status status;

	adding->node.kind = PLAIT__CMD_COPY;
	status = read_shape(adding, &shape);
	if (status == PLAIT_OK)
		status = add_side(adding, &target, shape.target_bytes);
	if (status == PLAIT_OK)
		status = add_side(adding, &source, shape.source_bytes);
	if (status != PLAIT_OK)
		return status;
	if (shape.bytes > 0 && target.range.slot == source.range.slot &&
	    plait__shape_overlaps(&shape, target.range.offset,
				  source.range.offset))
		return wrong(adding, "source and target overlap");
	return add_rows(adding, &shape);
}

plait_status plait__graph_fill(plait__adding *adding)
{
	struct side target = target_of(adding->desc);
	uint32_t bytes = adding->desc->pattern_bytes;

	adding->node.kind = PLAIT__CMD_FILL;
	if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
		return wrong(adding, "pattern_bytes is 1, 2, 4 or 8");
	adding->payload.value = adding->desc->pattern;
	adding->payload.small = bytes;
	adding->payload.bytes = adding->desc->bytes;
	return add_side(adding, &target, adding->desc->bytes);
}
