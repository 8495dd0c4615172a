/* SPDX-License-Identifier: MIT */
/* Mappers: from a chunk of items to boxes of data.  Pure, but for what the
 * program's functions do. */
#ifndef PLAIT_SRC_FLOW_ACCESS_MAPPER_H
#define PLAIT_SRC_FLOW_ACCESS_MAPPER_H

#include "flow/region/box.h"

/* Boxes of one chunk. */
enum { PLAIT__MAPPER_BOXES = 64 };

typedef struct plait__mapper_chunk {
	uint32_t dimensions; /* of the launch */
	uint32_t index;
	uint32_t count; /* of chunks */
	plait_box items;
} plait__mapper_chunk;

/* Returns null, or the mistake in a mapper that was read, for data of that many
 * dimensions. */
const char *plait__mapper_check(const plait_mapper *mapper,
				const plait__mapper_chunk *chunk,
				uint32_t dimensions);

/* The boxes of a chunk in `data`, which begins at 0 and has so many dimensions; not
 * empty ones.  Returns PLAIT_OK, or what the program's function returned, and no box;
 * PLAIT_E_INVALID: it has more than PLAIT__MAPPER_BOXES, and *out_count is their number,
 * or a box whose low is in the data and above its high, and out[0] is that one. */
plait_status plait__mapper_map(const plait_mapper *mapper,
			       const plait__mapper_chunk *chunk,
			       const plait_box *data, uint32_t dimensions,
			       plait_box out[PLAIT__MAPPER_BOXES],
			       uint32_t *out_count);

#endif
