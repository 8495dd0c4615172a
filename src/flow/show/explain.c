/* SPDX-License-Identifier: MIT */
/* Record of a flow as text: tasks, accesses, edges with reasons, warnings. */
#include "flow/show/explain.h"

#include "flow/show/traffic.h"

#include "plan/io/escape.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- words ---- */

const char *plait__explain_kind(const plait__record_task *task)
{
	static const char *const kinds[] = { "launch", "call", "copy", "fill",
					     "read", "write", "plan", "emit",
					     "wait" };

	if (task->kind < sizeof(kinds) / sizeof(kinds[0]))
		return kinds[task->kind];
	return task->kind == PLAIT__RECORD_IDENTITY ? "identity" :
	       task->kind == PLAIT__RECORD_COMBINE ? "combine" : "host access";
}

const char *plait__explain_mode(uint32_t mode)
{
	static const char *const modes[] = { "", "reads", "writes", "updates" };

	return modes[mode & 3];
}

const char *plait__explain_lane(const plait__record *record, uint32_t lane,
				char room[PLAIT__EXPLAIN_LANE])
{
	if (lane < record->lanes)
		snprintf(room, PLAIT__EXPLAIN_LANE, "lane %" PRIu32, lane);
	else
		snprintf(room, PLAIT__EXPLAIN_LANE, "%s",
			 lane == record->lanes ? "urgent" :
			 lane == record->lanes + 1 ? "held" : "outside");
	return room;
}

void plait__explain_box(const plait__record *record, uint32_t data,
			const plait_box *box, uint64_t elements, bool escapes,
			plait__text *out)
{
	const plait__record_data *of = plait__record_data_at(record, data);
	const char *name = plait__record_name(record, of->label);
	char text[PLAIT__BOX_TEXT];

	plait__text_add(out, "%s", elements < plait__box_elements(box) ?
			"parts of " : "");
	if (escapes)
		plait__escape_json(name, out);
	else
		plait__text_add(out, "%s", name);
	if (!plait__box_contains(box, &of->map.whole))
		plait__text_add(out, " %s", plait__box_text(box, of->dimensions,
							    text));
}

void plait__explain_edge(const plait__record *record,
			 const plait__record_edge *edge, bool escapes,
			 plait__text *out)
{
	if (edge->reason == PLAIT__EDGE_BARRIER) {
		plait__text_add(out, "barrier");
		return;
	}
	plait__text_add(out, "%s ", edge->reason == PLAIT__EDGE_READS_WRITTEN ?
			"reads" : "overwrites");
	plait__explain_box(record, edge->data, &edge->box, edge->elements,
			   escapes, out);
	plait__text_add(out, ", which it %s",
			edge->reason == PLAIT__EDGE_WRITES_READ ? "read" :
								  "wrote");
}

/* ---- text ---- */

static void add_name(const plait__record *record,
		     const plait__record_task *task, plait__text *out)
{
	plait__text_add(out, "%" PRIu64 " \"%s\"", task->number,
			plait__record_name(record, task->label));
}

static void add_accesses(const plait__record *record,
			 const plait__record_task *task, plait__text *out)
{
	for (uint32_t i = 0; i < task->access_count; i++) {
		const plait__record_access *access = plait__record_access_at(
			record, task->first_access + i);

		plait__text_add(out, "\t%s ",
				plait__explain_mode(access->mode));
		plait__explain_box(record, access->data, &access->box, ~0ull,
				   false, out);
		plait__text_add(out, "\n");
	}
}

static void add_edges(const plait__record *record,
		      const plait__record_task *task, plait__text *out)
{
	for (uint32_t i = 0; i < task->edge_count; i++) {
		const plait__record_edge *edge = plait__record_edge_at(
			record, task->first_edge + i);

		plait__text_add(out, "\tafter ");
		add_name(record, plait__record_task_at(record, edge->before),
			 out);
		plait__text_add(out, ": ");
		plait__explain_edge(record, edge, false, out);
		plait__text_add(out, "\n");
	}
}

static void add_task(const plait__record *record,
		     const plait__record_task *task, plait__text *out)
{
	char lane[PLAIT__EXPLAIN_LANE];

	plait__text_add(out, "task ");
	add_name(record, task, out);
	plait__text_add(out, ": %s%s, ", plait__explain_kind(task),
			task->is_barrier ? ", barrier" : "");
	if (task->piece_count > 1)
		plait__text_add(out, "piece %" PRIu32 " of %" PRIu32 ", ",
				task->piece, task->piece_count);
	plait__text_add(out, "%s\n",
			plait__explain_lane(record, task->lane, lane));
	if (task->why != 0)
		plait__text_add(out, "\t%s\n", plait__record_name(
					record, task->why - 1));
	add_accesses(record, task, out);
	add_edges(record, task, out);
}

static void add_warning(const plait__record *record,
			const plait__record_warning *warning, plait__text *out)
{
	plait__text_add(out, "warning: task ");
	add_name(record, plait__record_task_at(record, warning->task), out);
	plait__text_add(out, " %s ",
			warning->kind == PLAIT__WARNING_UNWRITTEN ?
				"reads" : "waits for other pieces:");
	plait__explain_box(record, warning->data, &warning->box,
			   warning->elements, false, out);
	plait__text_add(out, "%s\n",
			warning->kind == PLAIT__WARNING_UNWRITTEN ?
				", which nothing wrote" : "");
}

void plait__explain_warnings(const plait__record *record, plait__text *out)
{
	for (uint32_t i = 0; i < record->warnings.count; i++)
		add_warning(record, plait__record_warning_at(record, i), out);
}

static void add_count(uint32_t count, const char *what, plait__text *out)
{
	plait__text_add(out, ", %" PRIu32 " %s%s", count, what,
			plait__escape_plural(count));
}

void plait__explain_text(const plait__record *record, plait__text *out)
{
	plait__text_add(out, "%" PRIu32 " data", record->data.count);
	add_count(record->tasks.count, "task", out);
	add_count(record->edges.count, "edge", out);
	add_count(record->lanes, "lane", out);
	add_count(record->warnings.count + record->traffic.count, "warning",
		  out);
	plait__text_add(out, "\n");
	for (uint32_t i = 0; i < record->tasks.count; i++)
		add_task(record, plait__record_task_at(record, i), out);
	plait__explain_warnings(record, out);
	plait__traffic_text(record, out);
}
