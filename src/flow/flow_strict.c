/* SPDX-License-Identifier: MIT */
/* Strict flows; see flow_strict.h.  The record knows what was written: it forgets
 * nothing. */
#include "flow/flow_strict.h"

#include "flow/flow_record.h"
#include "flow/reduction.h"

#include "base/error.h"

/* ---- elements that nothing wrote ---- */

struct search {
	bool found;
	plait_box box; /* a piece that was not written */
};

static void visit_piece(void *arg, plait__front *front, const plait_box *piece)
{
	struct search *search = arg;

	if (search->found || front->writer != 0)
		return;
	search->found = true;
	search->box = *piece;
}

/* Cut the box to that of an access. */
static void clip(plait_box *box, const plait_box *by)
{
	for (int d = 0; d < 3; d++) {
		if (box->low[d] < by->low[d])
			box->low[d] = by->low[d];
		if (box->high[d] > by->high[d])
			box->high[d] = by->high[d];
	}
}

static plait_status check_read(plait__record *record, uint32_t index,
			       const plait__flow_access *access,
			       plait_error *error)
{
	plait__record_data *data = plait__record_data_at(record, index);
	struct search search = { .found = false };
	char room[PLAIT__BOX_TEXT];

	if (data->has_contents)
		return PLAIT_OK;
	plait__front_map_visit_box(&data->map, &access->box, visit_piece,
				   &search);
	if (!search.found)
		return PLAIT_OK;
	clip(&search.box, &access->box);
	return plait__fail(error, PLAIT_E_INVALID,
			   "reads %s %s, which nothing wrote",
			   plait__record_name(record, data->label),
			   plait__box_text(&search.box, data->dimensions,
					   room));
}

/* `is_piece`: what an op before the piece fills may be read. */
static plait_status check(plait__flow *flow, uint32_t count, bool is_piece,
			  plait_error *error)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; flow->is_strict && status == PLAIT_OK && i < count;
	     i++) {
		const plait__flow_access *access = &flow->accesses[i];
		uint32_t index = plait__flow_record_index(flow, access->whole);

		if (flow->record->failed)
			return plait__fail(error, PLAIT_E_NOMEM,
					   "no memory for the record");
		if ((access->mode & PLAIT__ACCESS_READS) != 0 &&
		    !(is_piece && plait__reduction_fills(flow, i)))
			status = check_read(flow->record, index, access,
					    error);
	}
	return status;
}

plait_status plait__flow_strict_check(plait__flow *flow, uint32_t count,
				      plait_error *error)
{
	return check(flow, count, false, error);
}

/* ---- pieces ---- */

static bool conflict(const plait__flow_access *one,
		     const plait__flow_access *other)
{
	return one->whole == other->whole &&
	       ((one->mode | other->mode) & PLAIT__ACCESS_WRITES) != 0 &&
	       plait__box_overlap(&one->box, &other->box);
}

/* Compare with the accesses of the pieces before. */
static plait_status check_apart(const plait__vector *before,
				const plait__flow_task *piece,
				plait_error *error)
{
	const plait__flow *flow = piece->flow;

	for (uint32_t i = 0; i < piece->access_count; i++)
		for (uint32_t j = 0; j < before->count; j++) {
			const plait__flow_access *other =
				plait__vector_at(before, j);

			if (!conflict(&flow->accesses[i], other))
				continue;
			return plait__fail(
				error, PLAIT_E_INVALID,
				"piece %u conflicts with one before it, on %s",
				piece->chunk.index, plait__record_name(
					flow->record, plait__record_data_at(
						flow->record,
						other->whole->recorded - 1)
						->label));
		}
	return PLAIT_OK;
}

static plait_status check_piece(plait__vector *before,
				const plait__flow_task *piece,
				plait_error *error)
{
	plait__flow *flow = piece->flow;
	plait_status status = check(flow, piece->access_count, true, error);

	if (status == PLAIT_OK)
		status = check_apart(before, piece, error);
	if (status == PLAIT_OK && piece->access_count > 0 &&
	    plait__vector_push(before, flow->accesses, piece->access_count) ==
		    NULL)
		status = plait__fail(error, PLAIT_E_NOMEM,
				     "no memory for the pieces of a launch");
	return status;
}

plait_status plait__flow_strict_check_pieces(const plait__flow_task *task,
					     const plait_task_desc *desc,
					     plait__task_split_prepare prepare,
					     plait_error *error)
{
	plait_status status = PLAIT_OK;
	plait__flow_task piece;
	plait__vector before;

	if (!task->flow->is_strict)
		return PLAIT_OK;
	plait__vector_init(&before, plait__flow_allocator(task->flow),
			   sizeof(plait__flow_access));
	for (uint32_t i = 0; status == PLAIT_OK && i < task->chunk.count; i++) {
		plait__flow_task_clear(&piece, task->flow);
		piece.chunk.index = i;
		piece.weights = task->weights;
		status = prepare(&piece, desc, error);
		if (status == PLAIT_OK)
			status = check_piece(&before, &piece, error);
	}
	plait__vector_fini(&before);
	return status;
}
