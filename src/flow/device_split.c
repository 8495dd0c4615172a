/* SPDX-License-Identifier: MIT */
/* Split launches on devices; see device_split.h. */
#include "flow/device_split.h"

#include "flow/commit.h"
#include "flow/device_place.h"
#include "flow/flow_record.h"
#include "flow/flow_strict.h"

#include "base/error.h"

/* Ops for a piece and its copies, for which there is room before the first piece
 * is committed. */
enum { OPS_EACH = 4 };

struct pieces {
	plait__flow_task *whole;
	const plait_task_desc *desc;
	plait__task_split_prepare prepare;
	plait__device_split *split;
	uint32_t count;
};

static plait_status prepare_piece(const struct pieces *pieces,
				  plait__flow_task *piece, uint32_t i,
				  plait_error *error)
{
	plait__flow_task_clear(piece, pieces->whole->flow);
	piece->chunk.index = i;
	return pieces->prepare(piece, pieces->desc, error);
}

/* Find out that no piece is wrong, and that all buffers are there. */
static plait_status check_pieces(const struct pieces *pieces,
				 plait_error *error)
{
	plait_status status = plait__flow_strict_check_pieces(
		pieces->whole, pieces->desc, pieces->prepare, error);

	for (uint32_t i = 0; status == PLAIT_OK && i < pieces->count; i++) {
		plait__flow_task piece;

		status = prepare_piece(pieces, &piece, i, error);
		if (status == PLAIT_OK)
			status = plait__place_check(&piece, error);
		pieces->whole->lacking = piece.lacking;
		pieces->whole->memory = piece.memory;
	}
	return status;
}

static bool has_room(const struct pieces *pieces)
{
	plait__window *window = &pieces->whole->flow->window;
	uint64_t ops = pieces->count * (uint64_t)OPS_EACH + 2 +
		       plait__commit_marks(pieces->count);

	if (ops > plait__window_size(window) / 2)
		ops = plait__window_size(window) / 2;
	return plait__window_has_room(window, ops, 0);
}

static plait_status commit_piece(const struct pieces *pieces,
				 plait_error *error)
{
	plait__device_split *split = pieces->split;
	plait__flow_task piece;
	plait_status status = prepare_piece(pieces, &piece, split->done,
					    error);

	if (status == PLAIT_OK)
		status = plait__place_task(&piece, error);
	if (status == PLAIT_OK)
		status = plait__commit_task(&piece, error);
	if (status == PLAIT_OK) {
		plait__place_commit(&piece);
		plait__flow_record_task(&piece, pieces->desc);
		split->numbers[split->done++] = piece.number;
	} else {
		plait__place_undo(&piece);
	}
	pieces->whole->lacking = piece.lacking;
	pieces->whole->memory = piece.memory;
	return status;
}

/* The mark behind all pieces: it fails if one of them does. */
static plait_status commit_end(const struct pieces *pieces, plait_error *error)
{
	plait__flow_task *whole = pieces->whole;

	*whole = (plait__flow_task){ .flow = whole->flow,
				     .kind = PLAIT__OP_MARK,
				     .closing = whole->closing,
				     .label = pieces->desc->label,
				     .pieces = pieces->split->numbers,
				     .piece_count = pieces->count };
	return plait__commit_task(whole, error);
}

plait_status plait__device_split_commit(plait__flow_task *task,
					const plait_task_desc *desc,
					plait__task_split_prepare prepare,
					plait__device_split *split,
					plait_error *error)
{
	const struct pieces pieces = { task, desc, prepare, split,
				       task->chunk.count };
	plait_status status = PLAIT_OK;

	if (split->done == 0)
		status = check_pieces(&pieces, error);
	if (status == PLAIT_OK && split->done == 0 && !has_room(&pieces))
		status = PLAIT_PENDING;
	while (status == PLAIT_OK && split->done < pieces.count)
		status = commit_piece(&pieces, error);
	return status == PLAIT_OK ? commit_end(&pieces, error) : status;
}
