/* SPDX-License-Identifier: MIT */
/* Preparation of tasks that move elements; see task_move.h. */
#include "flow/task_move.h"

#include "flow/box_move.h"
#include "flow/flow_data.h"
#include "flow/task_access.h"

#include "base/error.h"

enum { MOVE_CELLS = (sizeof(plait__box_move) + 7) / 8 };

/* A side of a move: its data and box, as an access. */
static plait_status take_side(plait__flow_task *task, const plait_data *handle,
			      const plait_box *box, uint32_t mode,
			      const char *what, plait__data **out,
			      plait_box *out_box, plait_error *error)
{
	plait_status status = plait__data_find(task->flow, handle, out, error);

	if (status == PLAIT_OK && plait__data_is_token(*out))
		status = plait__fail(error, PLAIT_E_INVALID,
				     "a token has no memory");
	if (status == PLAIT_OK)
		status = plait__data_box(*out, box, out_box, error);
	if (status == PLAIT_OK)
		status = plait__task_access_append(task, *out, out_box, mode,
						   error);
	if (status != PLAIT_OK)
		plait__error_prefix(error, "%s: ", what);
	return status;
}

/* Cells for a move; null: no room. */
static plait__box_move *take_move(plait__flow_task *task)
{
	plait__window *window = &task->flow->window;

	task->cells = MOVE_CELLS;
	/* A captured task is no op. */
	if (!plait__window_has_room(window, task->flow->capture == NULL ? 2 : 0,
				    MOVE_CELLS))
		return NULL;
	task->kind = PLAIT__OP_CALL;
	task->filled.call.host = plait__box_move_run;
	task->filled.user_data = plait__window_take_cells(window, MOVE_CELLS);
	return task->filled.user_data;
}

static plait_status check_copy(const plait__data *target,
			       const plait_box *target_box,
			       const plait__data *source,
			       const plait_box *source_box, plait_error *error)
{
	if (target->whole->element_bytes != source->whole->element_bytes)
		return plait__fail(error, PLAIT_E_INVALID,
				   "elements of %u and %u bytes",
				   target->whole->element_bytes,
				   source->whole->element_bytes);
	if (!plait__box_has_shape(target_box, source_box))
		return plait__fail(error, PLAIT_E_INVALID,
				   "the boxes of target and source have "
				   "different extents");
	if (target->whole == source->whole &&
	    plait__box_overlap(target_box, source_box))
		return plait__fail(error, PLAIT_E_INVALID,
				   "the boxes of target and source overlap");
	return PLAIT_OK;
}

static plait_status prepare_copy(plait__flow_task *task,
				 const plait_task_desc *desc,
				 plait_error *error)
{
	plait__data *target, *source;
	plait_box into, from;
	plait__box_move *move;
	plait_status status = take_side(task, desc->source, desc->source_box,
					PLAIT__ACCESS_READS, "source", &source,
					&from, error);

	if (status == PLAIT_OK)
		status = take_side(task, desc->target, desc->target_box,
				   PLAIT__ACCESS_WRITES, "target", &target,
				   &into, error);
	if (status == PLAIT_OK)
		status = check_copy(target, &into, source, &from, error);
	if (status != PLAIT_OK)
		return status;
	move = take_move(task);
	if (move == NULL)
		return PLAIT_PENDING;
	plait__box_move_copy(move, target, &into, source, &from);
	return PLAIT_OK;
}

static plait_status prepare_fill(plait__flow_task *task,
				 const plait_task_desc *desc,
				 plait_error *error)
{
	plait__data *target;
	plait_box box;
	plait__box_move *move;
	uint32_t each;
	plait_status status = take_side(task, desc->target, desc->target_box,
					PLAIT__ACCESS_WRITES, "target",
					&target, &box, error);

	if (status != PLAIT_OK)
		return status;
	each = target->whole->element_bytes;
	if (each > 8 || (each & (each - 1)) != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "elements of %u bytes; a fill needs 1, 2, 4 "
				   "or 8", each);
	move = take_move(task);
	if (move == NULL)
		return PLAIT_PENDING;
	plait__box_move_fill(move, target, &box, desc->pattern);
	return PLAIT_OK;
}

static plait_status prepare_transfer(plait__flow_task *task,
				     const plait_task_desc *desc,
				     plait_error *error)
{
	bool writes = desc->kind == PLAIT_TASK_WRITE;
	plait__data *data;
	plait_box box;
	plait__box_move *move;
	plait_status status;

	if (desc->host == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "host is null");
	status = take_side(task, writes ? desc->target : desc->source,
			   writes ? desc->target_box : desc->source_box,
			   writes ? PLAIT__ACCESS_WRITES : PLAIT__ACCESS_READS,
			   writes ? "target" : "source", &data, &box, error);
	if (status != PLAIT_OK)
		return status;
	move = take_move(task);
	if (move == NULL)
		return PLAIT_PENDING;
	plait__box_move_host(move, data, &box, desc->host, writes);
	return PLAIT_OK;
}

plait_status plait__task_move_prepare(plait__flow_task *task,
				      const plait_task_desc *desc,
				      plait_error *error)
{
	switch (desc->kind) {
	case PLAIT_TASK_COPY:
		return prepare_copy(task, desc, error);
	case PLAIT_TASK_FILL:
		return prepare_fill(task, desc, error);
	default:
		return prepare_transfer(task, desc, error);
	}
}
