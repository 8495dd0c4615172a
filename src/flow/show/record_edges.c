/* SPDX-License-Identifier: MIT */
/*
 * Edges of a recorded task; see record_edges.h.  In the fronts of a record task
 * i has the number i + 1, mark i the number MARK + i.
 */
#include "flow/show/record_edges.h"

static const uint64_t MARK = (uint64_t)1 << 63;

/* One access of the newest task. */
struct pass {
	plait__record *record;
	const plait__record_access *access;
	plait__front_record fronts;
	plait__preds preds;
};

/* ---- the same elements in one entry ---- */

static void widen(plait_box *box, const plait_box *by)
{
	for (int d = 0; d < 3; d++) {
		if (by->low[d] < box->low[d])
			box->low[d] = by->low[d];
		if (by->high[d] > box->high[d])
			box->high[d] = by->high[d];
	}
}

static void warn(plait__record *record, uint32_t kind, uint32_t data,
		 const plait_box *box)
{
	const plait__record_warning warning = {
		record->tasks.count - 1, kind, data, plait__box_elements(box),
		*box
	};
	plait__record_warning *last = NULL;

	if (record->warnings.count > 0)
		last = plait__vector_at(&record->warnings,
					record->warnings.count - 1);
	if (last != NULL && last->task == warning.task &&
	    last->kind == kind && last->data == data) {
		last->elements += warning.elements;
		widen(&last->box, box);
	} else if (PLAIT__VECTOR_ADD(&record->warnings, &warning) == NULL) {
		record->failed = true;
	}
}

/* Returns true if the edge is between two pieces of one launch. */
static bool is_inside(const plait__record *record,
		      const plait__record_edge *edge)
{
	uint32_t newest = record->tasks.count - 1;

	return edge->before + plait__record_task_at(record, newest)->piece >=
	       newest;
}

static void add_edge(plait__record *record, const plait__record_edge *edge)
{
	plait__record_task *task =
		plait__record_task_at(record, record->tasks.count - 1);

	if (is_inside(record, edge))
		warn(record, PLAIT__WARNING_PIECES, edge->data, &edge->box);
	for (uint32_t i = task->first_edge; i < record->edges.count; i++) {
		plait__record_edge *at = plait__vector_at(&record->edges, i);

		if (at->before != edge->before || at->reason != edge->reason ||
		    at->data != edge->data)
			continue;
		at->elements += edge->elements;
		widen(&at->box, &edge->box);
		return;
	}
	plait__record_task_at(record, edge->before)->has_successor = true;
	if (PLAIT__VECTOR_ADD(&record->edges, edge) == NULL)
		record->failed = true;
}

/* ---- data ---- */

/* The tasks that a number of a front stands for.  Of a mark, only the first
 * number is a mark again: see plait__front_access_record. */
static void add_edges(plait__record *record, plait__record_edge *edge,
		      uint64_t number)
{
	while ((number & MARK) != 0) {
		const plait__record_mark *mark = plait__vector_at(
			&record->marks, (uint32_t)(number - MARK));

		for (int i = 1; i < PLAIT__FRONT_READERS; i++) {
			edge->before = (uint32_t)(mark->numbers[i] - 1);
			add_edge(record, edge);
		}
		number = mark->numbers[0];
	}
	edge->before = (uint32_t)(number - 1);
	if (edge->before != record->tasks.count - 1)
		add_edge(record, edge);
}

static uint64_t add_mark(void *arg, const uint64_t *numbers, uint32_t count)
{
	plait__record *record = arg;
	plait__record_mark mark;

	memcpy(mark.numbers, numbers, count * sizeof(*numbers));
	if (PLAIT__VECTOR_ADD(&record->marks, &mark) == NULL) {
		record->failed = true;
		return numbers[0];
	}
	return MARK + record->marks.count - 1;
}

static void visit_piece(void *arg, plait__front *front, const plait_box *piece)
{
	struct pass *pass = arg;
	plait__record *record = pass->record;
	uint32_t mode = pass->access->mode;
	plait__record_edge edge = { .data = pass->access->data, .box = *piece,
				    .elements = plait__box_elements(piece) };

	plait__preds_begin(&pass->preds, 0, true);
	plait__front_access_gather(&pass->preds, front, mode);
	for (uint32_t i = 0; i < pass->preds.count; i++) {
		uint64_t number = pass->preds.items[i].number;

		edge.reason = number != front->writer ?
				      PLAIT__EDGE_WRITES_READ :
			      pass->preds.items[i].is_true ?
				      PLAIT__EDGE_READS_WRITTEN :
				      PLAIT__EDGE_WRITES_WRITTEN;
		add_edges(record, &edge, number);
	}
	if (front->writer == 0 && (mode & PLAIT__ACCESS_READS) != 0 &&
	    !plait__record_data_at(record, edge.data)->has_contents)
		warn(record, PLAIT__WARNING_UNWRITTEN, edge.data, piece);
}

static void record_piece(void *arg, plait__front *front, const plait_box *piece)
{
	struct pass *pass = arg;

	(void)piece;
	plait__front_access_record(&pass->fronts, front, pass->access->mode);
}

/* All accesses are looked at before the first one is recorded, as the flow
 * does. */
static void find_data(plait__record *record, const plait__record_task *task,
		      struct pass *pass, plait__front_visit_box visit)
{
	for (uint32_t i = 0; i < task->access_count && !record->failed; i++) {
		plait__front_map *map;

		pass->access = plait__record_access_at(record,
						       task->first_access + i);
		map = &plait__record_data_at(record, pass->access->data)->map;
		if (plait__front_map_cut(map, &pass->access->box))
			plait__front_map_visit_box(map, &pass->access->box,
						   visit, pass);
		else
			record->failed = true;
	}
}

/* ---- barriers ---- */

static void add_barrier_edge(plait__record *record, uint32_t before)
{
	const plait__record_edge edge = { .before = before,
					  .reason = PLAIT__EDGE_BARRIER,
					  .data = PLAIT__RECORD_NONE };

	add_edge(record, &edge);
}

/* Returns true if an edge of the newest task is to one behind the barrier. */
static bool is_behind(const plait__record *record,
		      const plait__record_task *task)
{
	for (uint32_t i = task->first_edge; i < record->edges.count; i++)
		if (plait__record_edge_at(record, i)->before > record->barrier)
			return true;
	return false;
}

/* A barrier is behind all tasks; those with a successor come before that. */
static void find_barrier(plait__record *record, const plait__record_task *task)
{
	uint32_t newest = record->tasks.count - 1;

	if (task->is_barrier) {
		for (uint32_t i = record->open; i < newest; i++)
			if (!plait__record_task_at(record, i)->has_successor)
				add_barrier_edge(record, i);
		record->barrier = record->open = newest;
	} else if (record->barrier != PLAIT__RECORD_NONE &&
		   !is_behind(record, task)) {
		add_barrier_edge(record, record->barrier);
	}
}

void plait__record_edges_find(plait__record *record)
{
	plait__record_task task =
		*plait__record_task_at(record, record->tasks.count - 1);
	struct pass pass = { .record = record,
			     .fronts = { .number = record->tasks.count,
					 .mark = add_mark, .arg = record } };

	plait__preds_init(&pass.preds, record->allocator,
			  PLAIT__PREDS_FEW);
	find_data(record, &task, &pass, visit_piece);
	find_data(record, &task, &pass, record_piece);
	find_barrier(record, &task);
	plait__record_task_at(record, record->tasks.count - 1)->edge_count =
		record->edges.count - task.first_edge;
}
