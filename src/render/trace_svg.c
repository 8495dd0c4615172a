/* SPDX-License-Identifier: MIT */
/*
 * Picture of a trace: above, what each lane did; below, on the same scale, the
 * plan.  A unit of cost is as long as it took on average, so that differences
 * show the schedule and its overhead.
 */
#include "render/trace_canvas.h"
#include "render/axes.h"
#include "render/elision_bands.h"
#include "render/labels.h"
#include "render/schedule_svg.h"
#include "plan/io/escape.h"

#include <stdio.h>

enum { TITLE_Y = 20, MANY_ARROWS = 200 };

/* ---- heading ---- */

/* Write four digits, or all before the decimal point. */
static const char *format_number(double value, char text[32])
{
	(void)snprintf(text, 32, value < 1000 ? "%.4g" : "%.0f", value);
	return text;
}

static void draw_title(const plait__trace_canvas *pair)
{
	const struct plait__canvas *canvas = &pair->run;
	const plait__trace *trace = pair->trace;
	const plait__plan *plan = trace->plan;
	double unit = (double)canvas->unit_time;
	uint32_t nodes = plait__plan_nodes_in(plan);
	char took[32], meant[32], each[32];

	plait__text_add(canvas->out, "<text x=\"6\" y=\"%d\" font-size=\"14\" "
			"font-weight=\"bold\" fill=\"#222\">a run of %u node%s "
			"on %u lane%s<tspan font-size=\"11\" "
			"font-weight=\"normal\" fill=\"#444\" dx=\"12\">%s; took "
			"%s %s, planned %s %s at %s ns per unit of cost",
			TITLE_Y, nodes, plait__escape_plural(nodes),
			plan->lanes_count,
			plait__escape_plural(plan->lanes_count),
			trace->lane_count < plan->lanes_count ?
			"one thread did all of it" :
			plan->mode == PLAIT__MODE_HELPED ? "helped" : "strict",
			format_number((double)trace->makespan / unit, took),
			canvas->unit,
			format_number((double)pair->planned->makespan * pair->unit_ns /
			     unit, meant), canvas->unit,
			format_number(pair->unit_ns, each));
	if (trace->folded > 0)
		plait__text_add(canvas->out, "; folded onto %u lane%s",
				trace->folded,
				plait__escape_plural(trace->folded));
	if (trace->dropped > 0)
		plait__text_add(canvas->out, "; %llu older records are not "
				"there", (unsigned long long)trace->dropped);
	plait__text_add(canvas->out, "</tspan></text>\n");
}

static void draw_heading(const struct plait__canvas *canvas,
			 const char *heading)
{
	plait__text_add(canvas->out, "<text x=\"6\" y=\"%.1f\" "
			"font-size=\"12\" font-weight=\"bold\" "
			"fill=\"#222\">%s</text>\n",
			canvas->top - PLAIT__CANVAS_AXIS - 4, heading);
}

static void draw_legend(const plait__trace_canvas *pair)
{
	const struct plait__canvas *canvas =
		pair->run.layout.elision.list.count > 0 ? &pair->run : &pair->plan;
	double x = plait__axes_draw_legend(canvas, "loop or case");

	if (pair->trace->plan->waits_count > 0)
		(void)plait__axes_draw_key(canvas, x, "fill=\"#f7d7d2\"",
					   "time spent waiting");
}

/* ---- spans ---- */

static const char *name_of(const plait__trace_canvas *pair,
			   const plait__trace_span *span, char label[300])
{
	const plait__plan *plan = pair->trace->plan;
	char name[256];

	plait__escape_node_name(plan, plan->commands[span->command].node, name);
	if (span->kind == PLAIT__SPAN_REGION && plan->regions[
			plan->commands[span->command].link].kind !=
	    PLAIT__REGION_CASE)
		(void)snprintf(label, 300, "%s x%llu", name,
			       (unsigned long long)span->iteration);
	else
		(void)snprintf(label, 300, "%s%s", name,
			       span->kind == PLAIT__SPAN_DECISION ? "?" : "");
	return label;
}

static void draw_tip(const plait__trace_canvas *pair,
		     const plait__trace_span *span, const char *name)
{
	const plait__plan *plan = pair->trace->plan;
	plait__text *out = pair->run.out;
	char other[256];

	plait__text_add(out, "<title>");
	plait__escape_xml(name, 200, out);
	if (span->kind == PLAIT__SPAN_WAIT)
		plait__text_add(out, " waited");
	if (span->kind == PLAIT__SPAN_WAIT && span->other != PLAIT__NONE) {
		plait__text_add(out, " for ");
		plait__escape_xml(plait__escape_node_name(
					 plan, plan->commands[span->other].node,
					 other), 200, out);
	}
	plait__text_add(out, ": lane %u, iteration %llu, %llu to %llu ns, "
			"thread %llu</title>", span->lane,
			(unsigned long long)span->iteration,
			(unsigned long long)span->start,
			(unsigned long long)span->end,
			(unsigned long long)span->thread);
}

/* An outline is no wider than its box. */
static void style_of(const plait__trace_canvas *pair,
		     const plait__trace_span *span, double width,
		     char style[120])
{
	if (span->kind == PLAIT__SPAN_WAIT)
		(void)snprintf(style, 120, "fill=\"#f7d7d2\"");
	else
		(void)snprintf(style, 120, "rx=\"2\" fill=\"%s\" stroke=\"%s\" "
			       "stroke-width=\"%s\"%s",
			       span->kind == PLAIT__SPAN_DECISION ? "#ffffff" :
			       plait__schedule_command_fill(&pair->run,
							    span->command),
			       span->critical ? "#000" : "#777",
			       span->critical && width > 4 ? "2" : "0.6",
			       span->kind == PLAIT__SPAN_REGION ?
			       " stroke-dasharray=\"3,2\"" : "");
}

static double x_of(const plait__trace_canvas *pair, uint64_t time)
{
	return plait__canvas_clamped_x(&pair->run, plait__elision_to_shown(
					   &pair->run.layout.elision, time));
}

/* Returns the time until which the row is free after a span. */
static uint64_t free_until(const plait__trace *trace, uint64_t number)
{
	const plait__trace_span *span = &trace->spans[number];

	if (span->kind == PLAIT__SPAN_REGION)
		return span->end;
	if (number + 1 < trace->span_count &&
	    trace->spans[number + 1].lane == span->lane)
		return trace->spans[number + 1].start;
	return trace->makespan;
}

static void place_of(const plait__trace_canvas *pair,
		     const plait__trace_span *span, double *y, double *height)
{
	plait__canvas_place_box(&pair->run, span->lane, plait__trace_depth(
				     pair->trace->plan, span->command) +
				(span->kind == PLAIT__SPAN_DECISION),
				span->kind == PLAIT__SPAN_REGION, y, height);
	if (span->kind == PLAIT__SPAN_WAIT) {
		*y += *height / 4;
		*height /= 2;
	}
}

static void draw_span(const plait__trace_canvas *pair, uint64_t number)
{
	const struct plait__canvas *canvas = &pair->run;
	const plait__trace_span *span = &pair->trace->spans[number];
	double x = x_of(pair, span->start);
	double width = x_of(pair, span->end) - x;
	char style[120], label[300];
	double y, height;

	place_of(pair, span, &y, &height);
	style_of(pair, span, width, style);
	(void)name_of(pair, span, label);
	plait__text_add(canvas->out, "<rect x=\"%.2f\" y=\"%.1f\" "
			"width=\"%.2f\" height=\"%.1f\" %s>", x, y,
			width < 0.7 ? 0.7 : width, height, style);
	draw_tip(pair, span, label);
	plait__text_add(canvas->out, "</rect>\n");
}

/* Returns the free width for a span's name. */
static double room_of(const plait__trace_canvas *pair, uint64_t number)
{
	const plait__trace_span *span = &pair->trace->spans[number];

	return x_of(pair, free_until(pair->trace, number)) -
	       x_of(pair, span->start) - PLAIT__CANVAS_NAME_GAP;
}

/* Returns the note that the span's name needs; 0: none, or there are no
 * notes. */
static uint32_t note_of(const plait__trace_canvas *pair, uint64_t number)
{
	const plait__trace_span *span = &pair->trace->spans[number];
	char label[300];

	if (pair->run.notes == NULL || span->kind == PLAIT__SPAN_WAIT ||
	    span->kind == PLAIT__SPAN_REGION ||
	    span->kind == PLAIT__SPAN_DECISION ||
	    plait__escape_columns(name_of(pair, span, label)) *
	    PLAIT__CANVAS_COLUMN_SMALL <= room_of(pair, number))
		return 0;
	return plait__labels_note(pair->run.notes, span->command);
}

static void find_note(const plait__trace_canvas *pair, uint64_t number)
{
	(void)note_of(pair, number);
}

static void draw_name(const plait__trace_canvas *pair, uint64_t number)
{
	const struct plait__canvas *canvas = &pair->run;
	const plait__trace_span *span = &pair->trace->spans[number];
	double x = x_of(pair, span->start);
	double room = room_of(pair, number);
	uint32_t note = note_of(pair, number);
	char label[300];
	double y, height;

	if (span->kind == PLAIT__SPAN_WAIT)
		return;
	place_of(pair, span, &y, &height);
	(void)name_of(pair, span, label);
	if (note == 0)
		plait__labels_draw(canvas, label,
				   span->kind == PLAIT__SPAN_REGION, x, y,
				   height, room);
	else
		plait__labels_draw_number(canvas, note, x, y, height, room);
}

/* Returns true if the span is in this strip. */
static bool is_shown(const plait__trace_canvas *pair, uint64_t number)
{
	const plait__trace_span *span = &pair->trace->spans[number];
	const plait__elision *elision = &pair->run.layout.elision;
	plait__simulate_span shown = { plait__elision_to_shown(elision,
							       span->start),
				       plait__elision_to_shown(elision,
							       span->end) };

	return plait__trace_shows(pair->trace, elision, number) &&
	       plait__canvas_shows(&pair->run, shown);
}

static void draw_waits(const plait__trace_canvas *pair, bool waits,
		       void (*draw)(const plait__trace_canvas *pair,
				    uint64_t number))
{
	const plait__trace *trace = pair->trace;

	for (uint64_t i = 0; i < trace->span_count; i++)
		if ((trace->spans[i].kind == PLAIT__SPAN_WAIT) == waits &&
		    is_shown(pair, i))
			draw(pair, i);
}

/* Regions, which come last in the array, are drawn behind their contents, and the
 * gaps of coroutines, which are waits, in front of these. */
static void draw_spans(const plait__trace_canvas *pair,
		       void (*draw)(const plait__trace_canvas *pair,
				    uint64_t number))
{
	const plait__trace *trace = pair->trace;

	for (uint64_t i = trace->span_count; i < trace->count; i++)
		if (is_shown(pair, i))
			draw(pair, i);
	draw_waits(pair, false, draw);
	draw_waits(pair, true, draw);
}

static bool has_arrow(const plait__trace_canvas *pair, uint32_t from,
		      uint32_t to)
{
	const plait__elision *elision = &pair->run.layout.elision;

	return plait__trace_shows(pair->trace, elision, from) &&
	       plait__trace_shows(pair->trace, elision, to);
}

static void count_arrow(void *arg, uint32_t from, uint32_t to)
{
	plait__trace_canvas *pair = arg;

	pair->arrows += has_arrow(pair, from, to);
}

static void draw_arrow(void *arg, uint32_t from, uint32_t to)
{
	const plait__trace_canvas *pair = arg;
	const plait__trace_span *spans = pair->trace->spans;
	double y1, y2, height1, height2;

	/* An arrow into another strip is drawn in both, up to the edge; strips
	 * between show nothing. */
	if (!has_arrow(pair, from, to) ||
	    (!is_shown(pair, from) && !is_shown(pair, to)))
		return;
	place_of(pair, &spans[from], &y1, &height1);
	place_of(pair, &spans[to], &y2, &height2);
	plait__canvas_draw_arrow(pair->run.out, x_of(pair, spans[from].end),
				 y1 + height1 / 2, x_of(pair, spans[to].start),
				 y2 + height2 / 2);
}

static void draw_names(const plait__trace_canvas *pair)
{
	draw_spans(pair, draw_name);
	plait__elision_draw_counts(&pair->run);
}

static void draw_run(plait__trace_canvas *pair)
{
	plait__trace *trace = pair->trace;

	plait__axes_draw_rows(&pair->run);
	draw_spans(pair, draw_span);
	plait__elision_draw_bands(&pair->run);
	plait__canvas_open_arrows(pair->run.out, pair->arrows > MANY_ARROWS);
	plait__trace_arrows(trace, draw_arrow, pair);
	plait__text_add(pair->run.out, "</g>\n");
	plait__labels_open_halos(pair->run.out);
	draw_names(pair);
	plait__labels_close_halos(pair->run.out);
	draw_names(pair);
}

static void draw_plan(plait__trace_canvas *pair)
{
	plait__schedule_draw_plan(&pair->plan);
}

static void find_notes_of_run(plait__trace_canvas *pair)
{
	draw_spans(pair, find_note);
}

static void find_notes_of_plan(plait__trace_canvas *pair)
{
	plait__schedule_find_notes(&pair->plan);
}

/* With few commands both parts share the notes. */
static void find_notes(plait__trace_canvas *pair)
{
	if (pair->trace->plan->command_count > PLAIT__CANVAS_NOTES)
		return;
	pair->run.notes = pair->plan.notes = &pair->notes;
	plait__trace_draw_strips(pair, &pair->plan, pair->plan_strips,
				 find_notes_of_plan);
	plait__trace_draw_strips(pair, &pair->run, pair->run_strips,
				 find_notes_of_run);
}

static double draw_notes(const plait__trace_canvas *pair, bool draw)
{
	return plait__labels_draw_notes(
		&pair->plan, plait__canvas_bottom(&pair->plan) +
		plait__trace_extra_height(&pair->plan,
					  pair->plan_strips), draw);
}

static void draw_all(plait__trace_canvas *pair)
{
	plait__trace_choose_sizes(pair);
	find_notes(pair);
	plait__axes_open(&pair->run, draw_notes(pair, false));
	draw_title(pair);
	draw_legend(pair);
	plait__trace_arrows(pair->trace, count_arrow, pair);
	draw_heading(&pair->run, "what happened");
	plait__trace_draw_strips(pair, &pair->run, pair->run_strips, draw_run);
	draw_heading(&pair->plan, "what was planned");
	plait__trace_draw_strips(pair, &pair->plan, pair->plan_strips,
				 draw_plan);
	(void)draw_notes(pair, true);
	plait__text_add(pair->run.out, "</svg>\n");
}

void plait__trace_svg(plait__trace *trace, const plait__timeline *planned,
		      plait__text *out)
{
	plait__trace_canvas pair = {
		.trace = trace, .planned = planned,
		.only_first_of_device = 1,
		.run = { .plan = trace->plan, .out = out,
			 .stop = UINT64_MAX },
		.plan = { .plan = trace->plan, .out = out,
			  .stop = UINT64_MAX },
	};
	bool made = plait__timeline_layout_init(&pair.plan.layout, trace->plan,
						planned, out->allocator) &&
		    plait__timeline_elide_rounds(&pair.plan.layout);

	if (made) {
		pair.run.layout = pair.plan.layout;
		plait__elision_init(&pair.run.layout.elision, out->allocator);
		if (trace->lane_count < trace->plan->lanes_count) {
			pair.run.layout.rows = &pair.only_row;
			pair.run.layout.first_of_device =
				&pair.only_first_of_device;
		}
		draw_all(&pair);
		made = !pair.run.layout.elision.failed;
		plait__elision_fini(&pair.run.layout.elision);
	}
	out->failed = out->failed || !made;
	plait__timeline_layout_fini(&pair.plan.layout, out->allocator);
}
