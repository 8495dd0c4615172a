/* SPDX-License-Identifier: MIT */
/* Mappers; see mapper.h. */
#include "flow/access/mapper.h"

#include <stddef.h>

/* ---- checks ---- */

static const char *check_boxes(const plait_mapper *mapper, uint64_t chunks)
{
	uint64_t each = mapper->box_count;

	if (mapper->boxes == NULL || mapper->box_count == 0)
		return "it has no boxes";
	if (mapper->kind == PLAIT_MAPPER_BOXES) {
		if (mapper->box_count % chunks != 0)
			return "box_count is not a multiple of the number of "
			       "chunks";
		each /= chunks;
	}
	return each > PLAIT__MAPPER_BOXES ? "more than 64 boxes for a chunk" :
					    NULL;
}

const char *plait__mapper_check(const plait_mapper *mapper,
				const plait__mapper_chunk *chunk,
				uint32_t dimensions)
{
	bool cuts = mapper->kind == PLAIT_MAPPER_SLICE ||
		    mapper->kind == PLAIT_MAPPER_EVEN_SPLIT;

	if (mapper->kind > PLAIT_MAPPER_FUNCTION)
		return "its kind is not one of PLAIT_MAPPER_...";
	if ((mapper->flags & ~(uint32_t)PLAIT_MAPPER_NO_CORNERS) != 0)
		return "it has flags that are not PLAIT_MAPPER_NO_CORNERS";
	if (chunk->count == 0)
		return "mappers are for launches";
	if (mapper->kind >= PLAIT_MAPPER_ONE_TO_ONE &&
	    mapper->kind <= PLAIT_MAPPER_NEIGHBORHOOD &&
	    dimensions != chunk->dimensions)
		return "the data has other dimensions than the launch";
	if (cuts && mapper->dimension >= (dimensions > 0 ? dimensions : 1))
		return "the data does not have its dimension";
	if (mapper->kind == PLAIT_MAPPER_FIXED ||
	    mapper->kind == PLAIT_MAPPER_BOXES)
		return check_boxes(mapper, chunk->count);
	if (mapper->kind == PLAIT_MAPPER_FUNCTION && mapper->function == NULL)
		return "its function is null";
	return NULL;
}

/* ---- kinds ---- */

/* The box with `by` more elements on each side in dimension d, where the data
 * has them. */
static plait_box widened(const plait_box *box, const plait_box *data, int d,
			 uint64_t by)
{
	plait_box wide = *box;

	wide.low[d] = box->low[d] > by ? box->low[d] - by : 0;
	wide.high[d] = data->high[d] - box->high[d] > by ? box->high[d] + by :
							   data->high[d];
	return wide;
}

static plait_box clamped(const plait_box *box, const plait_box *data)
{
	plait_box inner = *box;

	for (int d = 0; d < 3; d++)
		if (inner.high[d] > data->high[d])
			inner.high[d] = data->high[d];
	return inner;
}

/* The chunk, and what is beside it in each dimension: disjoint boxes. */
static uint32_t map_cross(const plait_mapper *mapper, const plait_box *own,
			  const plait_box *data, plait_box *out)
{
	uint32_t count = 0;

	out[count++] = *own;
	for (int d = 0; d < 3; d++) {
		plait_box wide = widened(own, data, d, mapper->extent[d]);
		plait_box side = wide;

		side.high[d] = own->low[d];
		if (!plait__box_is_empty(&side))
			out[count++] = side;
		side.high[d] = wide.high[d];
		side.low[d] = own->high[d];
		if (!plait__box_is_empty(&side))
			out[count++] = side;
	}
	return count;
}

static uint32_t map_items(const plait_mapper *mapper, const plait_box *items,
			  const plait_box *data, plait_box *out)
{
	plait_box own = clamped(items, data);

	if (plait__box_is_empty(&own))
		return 0;
	if (mapper->kind == PLAIT_MAPPER_SLICE) {
		own.low[mapper->dimension] = 0;
		own.high[mapper->dimension] = data->high[mapper->dimension];
	} else if (mapper->kind == PLAIT_MAPPER_NEIGHBORHOOD) {
		if ((mapper->flags & PLAIT_MAPPER_NO_CORNERS) != 0)
			return map_cross(mapper, &own, data, out);
		for (int d = 0; d < 3; d++)
			own = widened(&own, data, d, mapper->extent[d]);
	}
	out[0] = own;
	return 1;
}

/* Part `index` of `count`, as of chunks. */
static uint32_t map_even(const plait_mapper *mapper,
			 const plait__mapper_chunk *chunk,
			 const plait_box *data, plait_box *out)
{
	uint64_t extent = data->high[mapper->dimension];
	uint64_t each = extent / chunk->count, rest = extent % chunk->count;
	uint64_t low = chunk->index * each +
		       (chunk->index < rest ? chunk->index : rest);

	out[0] = *data;
	out[0].low[mapper->dimension] = low;
	out[0].high[mapper->dimension] = low + each + (chunk->index < rest);
	return !plait__box_is_empty(&out[0]);
}

/* Functions may clamp only the high of a box that begins beyond the data: not reversed. */
static bool is_reversed(const plait_box *box, const plait_box *data)
{
	for (int d = 0; d < 3; d++)
		if (box->low[d] > box->high[d] && box->low[d] < data->high[d])
			return true;
	return false;
}

/* Boxes of the program, which may leave out dimensions that the data does not have. */
static plait_status copy_boxes(const plait_box *boxes, uint64_t count,
			       const plait_box *data, uint32_t dimensions,
			       plait_box *out, uint32_t *out_count)
{
	uint32_t kept = 0;

	for (uint64_t i = 0; i < count; i++) {
		plait_box box = boxes[i];

		for (uint32_t d = dimensions; d < 3; d++)
			if (box.low[d] == 0 && box.high[d] == 0)
				box.high[d] = 1;
		out[kept] = clamped(&box, data);
		if (is_reversed(&box, data)) {
			out[0] = box;
			*out_count = 1;
			return PLAIT_E_INVALID;
		}
		kept += !plait__box_is_empty(&out[kept]);
	}
	*out_count = kept;
	return PLAIT_OK;
}

plait_status plait__mapper_map(const plait_mapper *mapper,
			       const plait__mapper_chunk *chunk,
			       const plait_box *data, uint32_t dimensions,
			       plait_box out[PLAIT__MAPPER_BOXES],
			       uint32_t *out_count)
{
	uint64_t each = mapper->box_count;
	plait_status status;

	*out_count = 1;
	out[0] = *data;
	switch (mapper->kind) {
	case PLAIT_MAPPER_ALL:
		return PLAIT_OK;
	case PLAIT_MAPPER_EVEN_SPLIT:
		*out_count = map_even(mapper, chunk, data, out);
		return PLAIT_OK;
	case PLAIT_MAPPER_BOXES:
		each /= chunk->count;
		return copy_boxes(mapper->boxes + chunk->index * each, each,
				  data, dimensions, out, out_count);
	case PLAIT_MAPPER_FIXED:
		return copy_boxes(mapper->boxes, each, data, dimensions, out,
				  out_count);
	case PLAIT_MAPPER_FUNCTION:
		*out_count = 0;
		status = mapper->function(mapper->user_data, &chunk->items,
					  data, out, PLAIT__MAPPER_BOXES,
					  out_count);
		if (status < 0)
			*out_count = 0;
		if (status < 0 || *out_count > PLAIT__MAPPER_BOXES)
			return status < 0 ? status : PLAIT_E_INVALID;
		return copy_boxes(out, *out_count, data, dimensions, out,
				  out_count);
	default:
		*out_count = map_items(mapper, &chunk->items, data, out);
		return PLAIT_OK;
	}
}
