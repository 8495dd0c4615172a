/* SPDX-License-Identifier: MIT */
/*
 * Map from the elements of data to fronts: the ops that have accessed them
 * last.  One front for all, until an access names less.  Then the outermost
 * dimension is cut into slabs, each of them a map of one dimension less; in
 * dimension 0 each piece has a front.  Borders stay when fronts become equal, so
 * that a program that repeats itself moves no memory; plait__front_map_join
 * removes them.  Pure.
 */
#ifndef PLAIT_SRC_FLOW_REGION_FRONT_MAP_H
#define PLAIT_SRC_FLOW_REGION_FRONT_MAP_H

#include "flow/region/box.h"

enum { PLAIT__FRONT_READERS = 6, PLAIT__FRONT_MAP_JOIN = 64 };

/* Numbers of ops; 0: none. */
typedef struct plait__front {
	uint64_t writer;
	uint64_t count; /* readers since */
	uint64_t readers[PLAIT__FRONT_READERS];
} plait__front;

typedef struct plait__slabs {
	uint32_t dimension; /* that is cut */
	uint32_t count;
	uint32_t capacity;
	/* Pieces per element, in 2^-32: where a piece is if all but the last
	 * are equal; 0: unknown.  A hint. */
	uint64_t density;
	/* Piece i ends before ends[i], where the next begins.  The values are
	 * in the same block. */
	uint64_t *ends;
	plait__front *fronts;	     /* dimension 0 */
	struct plait__slabs **inner; /* others */
} plait__slabs;

typedef struct plait__front_map {
	const plait_allocator *allocator;
	plait_box whole;
	plait__front front; /* of all, while `top` is null */
	plait__slabs *top;
	uint64_t pieces; /* fronts of `top` */
	uint64_t join_at; /* number of pieces at which the caller is to join */
} plait__front_map;

void plait__front_map_init(plait__front_map *map,
			   const plait_allocator *allocator,
			   const plait_box *whole);
void plait__front_map_fini(plait__front_map *map);

/* Make borders along a box that is in the whole.  Returns false without memory;
 * the borders made before stay. */
bool plait__front_map_cut(plait__front_map *map, const plait_box *box);

/* Fronts side by side in memory; valid until the next border is made or removed. */
typedef struct plait__front_row {
	plait__front *first;
	uint32_t count;
} plait__front_row;

typedef struct plait__front_list {
	const plait_allocator *allocator;
	plait__front_row *items;
	uint32_t count;
	uint32_t capacity;
} plait__front_list;

typedef enum plait__front_map_result {
	PLAIT__FRONT_MAP_COLLECTED,
	PLAIT__FRONT_MAP_UNCUT, /* a border is missing */
	PLAIT__FRONT_MAP_NO_MEMORY
} plait__front_map_result;

/* Append the fronts in a box. */
plait__front_map_result plait__front_map_collect(plait__front_map *map,
						 const plait_box *box,
						 plait__front_list *out);
void plait__front_map_free_list(plait__front_list *list);

/* The first of the fronts in a box, and their number, if they are one row; null if not, or
 * if a border is missing. */
plait__front *plait__front_map_find_row(plait__front_map *map,
					const plait_box *box, uint32_t *count);

/* Call `visit` for each front. */
typedef void (*plait__front_visit)(void *arg, plait__front *front);
void plait__front_map_visit_all(plait__front_map *map,
				plait__front_visit visit, void *arg);

/* The same for the pieces that a box has elements of, with their boxes. */
typedef void (*plait__front_visit_box)(void *arg, plait__front *front,
				       const plait_box *piece);
void plait__front_map_visit_box(plait__front_map *map, const plait_box *box,
				plait__front_visit_box visit, void *arg);

/* Remove borders between equal fronts. */
void plait__front_map_join(plait__front_map *map);

#endif
