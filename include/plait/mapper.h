/* SPDX-License-Identifier: MIT */
/*
 * plait/mapper.h - boxes of elements, and mappers: from a chunk of a launch's
 * items to the elements that it accesses.
 *
 * A split launch runs as pieces, each with a chunk of the items.  A mapper says
 * for each chunk which part of the data it accesses, so that pieces overlap
 * unless they access the same elements: in the example, a stencil in four
 * pieces, each waits for its neighbours only.
 *
 * Example:
 *
 *     plait_mapper near = { .size = sizeof(near), .extent = { 1, 1 },
 *                           .kind = PLAIT_MAPPER_NEIGHBORHOOD };
 *     plait_mapper own = { .size = sizeof(own),
 *                          .kind = PLAIT_MAPPER_ONE_TO_ONE };
 *     plait_access from = { .size = sizeof(from), .data = u, .mapper = &near };
 *     plait_access to = { .size = sizeof(to), .data = v, .mapper = &own };
 *     plait_argument arguments[] = { PLAIT_ACCESS(&from), PLAIT_ACCESS(&to),
 *                                    PLAIT_CHUNK() };
 *     plait_task_desc step = { .size = sizeof(step), .kernel = kernel,
 *                              .launch = PLAIT_ITEMS(640, 480),
 *                              .arguments = arguments, .argument_count = 3,
 *                              .split = 1, .pieces = 4 };
 */
#ifndef PLAIT_MAPPER_H
#define PLAIT_MAPPER_H

#include "plait/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Elements `low` to before `high` in each dimension; dimension 0 is that of
 * neighbours in memory.  Dimensions that the data does not have are 0 to 1. */
typedef struct plait_box {
	uint64_t low[3];
	uint64_t high[3];
} plait_box;

/* Kind of a mapper.  Boxes are clamped to the data: items beyond its extent have no
 * elements.  Boxes that are empty, or whose low is at or beyond the extent, are no access;
 * a low within the extent and above its high is an error, in any dimension. */
typedef uint32_t plait_mapper_kind;
enum {
	/* All of the data. */
	PLAIT_MAPPER_ALL = 0,
	/* The elements with the coordinates of the items.  This and the next
	 * two kinds need data with the dimensions of the launch. */
	PLAIT_MAPPER_ONE_TO_ONE = 1,
	/* The same, and all elements along `dimension`. */
	PLAIT_MAPPER_SLICE = 2,
	/* The same as ONE_TO_ONE, and `extent` elements more on each side. */
	PLAIT_MAPPER_NEIGHBORHOOD = 3,
	/* The `box_count` boxes, for each chunk. */
	PLAIT_MAPPER_FIXED = 4,
	/* The data cut along `dimension` into as many equal parts as there are
	 * chunks; chunk i has part i, whatever its items are. */
	PLAIT_MAPPER_EVEN_SPLIT = 5,
	/* As many of the `box_count` boxes for each chunk, in their order; see
	 * plait_flow_split. */
	PLAIT_MAPPER_BOXES = 6,
	/* The boxes that `function` writes. */
	PLAIT_MAPPER_FUNCTION = 7
};

/* Flags of a mapper. */
typedef uint32_t plait_mapper_flags;
enum {
	/* NEIGHBORHOOD: without elements that differ in several dimensions. */
	PLAIT_MAPPER_NO_CORNERS = 1 << 0
};

/*
 * plait_mapper_function - the elements that a chunk accesses.
 *
 * Writes up to `room` boxes to `out` and their number to `out_count`.  Called
 * during the submission, perhaps several times, with the same result; it calls
 * nothing of plait.  A negative result fails the submission.
 */
typedef plait_status (*plait_mapper_function)(void *user_data,
					      const plait_box *chunk,
					      const plait_box *data,
					      plait_box *out, uint32_t room,
					      uint32_t *out_count);

typedef struct plait_mapper {
	uint32_t size;
	plait_mapper_kind kind;
	/* SLICE, EVEN_SPLIT. */
	uint32_t dimension;
	plait_mapper_flags flags;
	/* NEIGHBORHOOD: elements on each side, per dimension of the data. */
	uint64_t extent[3];
	/* FIXED, BOXES. */
	const plait_box *boxes;
	uint64_t box_count;
	plait_mapper_function function;
	void *user_data;
} plait_mapper;

#ifdef __cplusplus
}
#endif

#endif
