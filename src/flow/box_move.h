/* SPDX-License-Identifier: MIT */
/* Copies of boxes and fills, as one function call. */
#ifndef PLAIT_SRC_FLOW_BOX_MOVE_H
#define PLAIT_SRC_FLOW_BOX_MOVE_H

#include "flow/flow_object.h"

/* Slices of rows; distances in bytes. */
typedef struct plait__box_move {
	char *target;
	const char *source; /* null: a fill */
	uint64_t bytes;	    /* of a row */
	uint64_t rows;
	uint64_t slices;
	uint64_t target_row;
	uint64_t target_slice;
	uint64_t source_row;
	uint64_t source_slice;
	uint64_t pattern;
	uint64_t pattern_bytes;
} plait__box_move;

/* Boxes are of the whole.  Between the box and memory without gaps. */
void plait__box_move_host(plait__box_move *move, const plait__data *data,
			  const plait_box *box, void *host, bool to_data);
void plait__box_move_copy(plait__box_move *move, const plait__data *target,
			  const plait_box *target_box,
			  const plait__data *source,
			  const plait_box *source_box);
void plait__box_move_fill(plait__box_move *move, const plait__data *target,
			  const plait_box *box, uint64_t pattern);

/* A plait_host_function; `move` is a plait__box_move. */
int32_t plait__box_move_run(void *move);

#endif
