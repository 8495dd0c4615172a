/* SPDX-License-Identifier: MIT */
/* JSON and DOT of a flow's record. */
#include "flow/show/record_forms.h"

#include "flow/show/explain.h"
#include "flow/show/traffic.h"

#include "plan/io/escape.h"

#include <inttypes.h>

/* ---- JSON ---- */

static const char *comma(uint32_t i)
{
	return i == 0 ? "" : ",";
}

static void add_corner(const char *name, const uint64_t corner[3],
		       uint32_t dimensions, plait__text *out)
{
	plait__text_add(out, ",\"%s\":[", name);
	for (uint32_t d = 0; d < dimensions; d++)
		plait__text_add(out, "%s%" PRIu64, comma(d), corner[d]);
	plait__text_add(out, "]");
}

void plait__record_forms_box(const plait__record *record, uint32_t data,
			     const plait_box *box, plait__text *out)
{
	const plait__record_data *of = plait__record_data_at(record, data);

	plait__text_add(out, "\"data\":");
	plait__escape_json_string(plait__record_name(record, of->label), out);
	add_corner("low", box->low, of->dimensions, out);
	add_corner("high", box->high, of->dimensions, out);
}

void plait__record_forms_data(const plait__record *record, plait__text *out)
{
	plait__text_add(out, "\"data\":[");
	for (uint32_t i = 0; i < record->data.count; i++) {
		const plait__record_data *data =
			plait__record_data_at(record, i);

		plait__text_add(out, "%s\n{\"name\":", comma(i));
		plait__escape_json_string(
			plait__record_name(record, data->label), out);
		plait__text_add(out, ",\"bytes\":%" PRIu32,
				data->element_bytes);
		add_corner("extent", data->map.whole.high, data->dimensions,
			   out);
		plait__text_add(out, "}");
	}
	plait__text_add(out, "]");
}

static void add_accesses(const plait__record *record,
			 const plait__record_task *task, plait__text *out)
{
	plait__text_add(out, ",\"accesses\":[");
	for (uint32_t i = 0; i < task->access_count; i++) {
		const plait__record_access *access = plait__record_access_at(
			record, task->first_access + i);

		plait__text_add(out, "%s{\"mode\":\"%s\",", comma(i),
				plait__explain_mode(access->mode));
		plait__record_forms_box(record, access->data, &access->box, out);
		plait__text_add(out, "}");
	}
	plait__text_add(out, "]");
}

static void add_edges(const plait__record *record,
		      const plait__record_task *task, plait__text *out)
{
	plait__text_add(out, ",\"after\":[");
	for (uint32_t i = 0; i < task->edge_count; i++) {
		const plait__record_edge *edge = plait__record_edge_at(
			record, task->first_edge + i);

		plait__text_add(
			out, "%s{\"task\":%" PRIu64 ",\"reason\":\"",
			comma(i),
			plait__record_task_at(record, edge->before)->number);
		plait__explain_edge(record, edge, true, out);
		plait__text_add(out, "\"");
		if (edge->data != PLAIT__RECORD_NONE) {
			plait__text_add(out, ",\"elements\":%" PRIu64 ",",
					edge->elements);
			plait__record_forms_box(record, edge->data, &edge->box, out);
		}
		plait__text_add(out, "}");
	}
	plait__text_add(out, "]");
}

static void add_tasks(const plait__record *record, plait__text *out)
{
	char lane[PLAIT__EXPLAIN_LANE];

	plait__text_add(out, ",\n\"tasks\":[");
	for (uint32_t i = 0; i < record->tasks.count; i++) {
		const plait__record_task *task =
			plait__record_task_at(record, i);

		plait__text_add(out, "%s\n{\"task\":%" PRIu64 ",\"label\":",
				comma(i), task->number);
		plait__escape_json_string(
			plait__record_name(record, task->label), out);
		plait__text_add(out, ",\"kind\":\"%s\",\"lane\":\"%s\","
				"\"barrier\":%s,\"cost\":%" PRIu64,
				plait__explain_kind(task),
				plait__explain_lane(record, task->lane, lane),
				task->is_barrier ? "true" : "false",
				task->cost);
		if (task->piece_count > 1)
			plait__text_add(out, ",\"piece\":%" PRIu32
					",\"pieces\":%" PRIu32, task->piece,
					task->piece_count);
		if (task->why != 0)
			plait__text_add(out, ",\"why\":\"%s\"",
					plait__record_name(record,
							   task->why - 1));
		add_accesses(record, task, out);
		add_edges(record, task, out);
		plait__text_add(out, "}");
	}
	plait__text_add(out, "]");
}

void plait__record_forms_open_warnings(const plait__record *record,
				       plait__text *out)
{
	plait__text_add(out, ",\n\"warnings\":[");
	for (uint32_t i = 0; i < record->warnings.count; i++) {
		const plait__record_warning *warning =
			plait__record_warning_at(record, i);

		plait__text_add(
			out, "%s\n{\"task\":%" PRIu64 ",\"warning\":\"%s\","
			"\"elements\":%" PRIu64 ",", comma(i),
			plait__record_task_at(record, warning->task)->number,
			warning->kind == PLAIT__WARNING_UNWRITTEN ?
				"unwritten" : "pieces", warning->elements);
		plait__record_forms_box(record, warning->data, &warning->box, out);
		plait__text_add(out, "}");
	}
}

void plait__record_forms_json(const plait__record *record, plait__text *out)
{
	plait__text_add(out, "{\"lanes\":%" PRIu32 ",\n", record->lanes);
	plait__record_forms_data(record, out);
	add_tasks(record, out);
	plait__record_forms_open_warnings(record, out);
	plait__traffic_json(record, record->warnings.count > 0, out);
	plait__text_add(out, "]}\n");
}

/* ---- DOT ---- */

/* True edges are solid, others dashed. */
static void add_arrow(const plait__record *record, uint32_t task,
		      const plait__record_edge *edge, plait__text *out)
{
	plait__text_add(out, "\tt%" PRIu32 " -> t%" PRIu32 " [label=\"",
			edge->before, task);
	plait__explain_edge(record, edge, true, out);
	plait__text_add(out, "\"%s];\n",
			edge->reason == PLAIT__EDGE_READS_WRITTEN ?
				"" : " style=dashed");
}

void plait__record_forms_dot(const plait__record *record, plait__text *out)
{
	char lane[PLAIT__EXPLAIN_LANE];

	plait__text_add(out, "digraph flow {\n\tnode [shape=box];\n");
	for (uint32_t i = 0; i < record->tasks.count; i++) {
		const plait__record_task *task =
			plait__record_task_at(record, i);

		plait__text_add(out, "\tt%" PRIu32 " [label=\"%" PRIu64 " ", i,
				task->number);
		plait__escape_json(plait__record_name(record, task->label),
				   out);
		plait__text_add(out, "\\n%s\"%s];\n",
				plait__explain_lane(record, task->lane, lane),
				task->is_barrier ? " peripheries=2" : "");
		for (uint32_t e = 0; e < task->edge_count; e++)
			add_arrow(record, i,
				  plait__record_edge_at(record,
							task->first_edge + e),
				  out);
	}
	plait__text_add(out, "}\n");
}
