/* SPDX-License-Identifier: MIT */
/* Copies and fills of boxes; see box_move.h. */
#include "flow/box_move.h"

#include "flow/flow_data.h"

#include <string.h>

static void set_rows(plait__box_move *move, const plait__data *data,
		     const plait_box *box)
{
	*move = (plait__box_move){
		.bytes = (box->high[0] - box->low[0]) *
			 data->whole->element_bytes,
		.rows = box->high[1] - box->low[1],
		.slices = box->high[2] - box->low[2],
	};
}

/* Rows without gaps on both sides are one row; slices likewise. */
static void merge(plait__box_move *move)
{
	bool fills = move->source == NULL;

	if (move->target_row == move->bytes &&
	    (fills || move->source_row == move->bytes)) {
		move->bytes *= move->rows;
		move->rows = 1;
	}
	if (move->rows == 1 && move->target_slice == move->bytes &&
	    (fills || move->source_slice == move->bytes)) {
		move->bytes *= move->slices;
		move->slices = 1;
	}
}

void plait__box_move_host(plait__box_move *move, const plait__data *data,
			  const plait_box *box, void *host, bool to_data)
{
	char *address = plait__data_address(data, box);
	const uint64_t *pitch = data->whole->pitch;
	uint64_t row, slice;

	set_rows(move, data, box);
	row = move->bytes;
	slice = row * move->rows;
	move->target = to_data ? address : host;
	move->source = to_data ? host : address;
	move->target_row = to_data ? pitch[1] : row;
	move->target_slice = to_data ? pitch[2] : slice;
	move->source_row = to_data ? row : pitch[1];
	move->source_slice = to_data ? slice : pitch[2];
	merge(move);
}

void plait__box_move_copy(plait__box_move *move, const plait__data *target,
			  const plait_box *target_box,
			  const plait__data *source,
			  const plait_box *source_box)
{
	set_rows(move, target, target_box);
	move->target = plait__data_address(target, target_box);
	move->target_row = target->whole->pitch[1];
	move->target_slice = target->whole->pitch[2];
	move->source = plait__data_address(source, source_box);
	move->source_row = source->whole->pitch[1];
	move->source_slice = source->whole->pitch[2];
	merge(move);
}

void plait__box_move_fill(plait__box_move *move, const plait__data *target,
			  const plait_box *box, uint64_t pattern)
{
	set_rows(move, target, box);
	move->target = plait__data_address(target, box);
	move->target_row = target->whole->pitch[1];
	move->target_slice = target->whole->pitch[2];
	move->pattern = pattern;
	move->pattern_bytes = target->whole->element_bytes;
	merge(move);
}

static void fill_row(char *target, const plait__box_move *move)
{
	uint64_t each = move->pattern_bytes;

	if (each == 1) {
		memset(target, (int)(move->pattern & 0xff), move->bytes);
		return;
	}
	for (uint64_t i = 0; i < move->bytes; i += each)
		memcpy(target + i, &move->pattern, each);
}

int32_t plait__box_move_run(void *arg)
{
	const plait__box_move *move = arg;

	for (uint64_t s = 0; s < move->slices; s++)
		for (uint64_t r = 0; r < move->rows; r++) {
			char *target = move->target + s * move->target_slice +
				       r * move->target_row;

			if (move->source == NULL)
				fill_row(target, move);
			else
				memcpy(target, move->source +
					       s * move->source_slice +
					       r * move->source_row,
				       move->bytes);
		}
	return 0;
}
