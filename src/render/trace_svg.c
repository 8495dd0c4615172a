/* SPDX-License-Identifier: MIT */
/*
 * The picture of a run: above, what each lane did; below, on the same scale,
 * what was planned for it.  A unit of cost is as long as it took on average,
 * so that what differs is the schedule and what it costs to keep to it.
 */
#include "render/trace_canvas.h"
#include "plan/io/escape.h"

#include <stdio.h>

enum { TITLE_Y = 20, MANY_ARROWS = 200 };

/* ---- around it ---- */

/* Four digits, or those in front of the point. */
static const char *show(double value, char text[32])
{
	(void)snprintf(text, 32, value < 1000 ? "%.4g" : "%.0f", value);
	return text;
}

static void draw_title(const plait__both *both)
{
	const struct plait__picture *picture = &both->run;
	const plait__trace *trace = both->trace;
	const plait__plan *plan = trace->plan;
	double unit = (double)picture->unit_time;
	uint32_t nodes = plait__plan_nodes_in(plan);
	char took[32], meant[32];

	plait__text_add(picture->out, "<text x=\"6\" y=\"%d\" font-size=\"14\" "
			"font-weight=\"bold\" fill=\"#222\">a run of %u node%s "
			"on %u lane%s<tspan font-size=\"11\" "
			"font-weight=\"normal\" fill=\"#444\" dx=\"12\">%s; took "
			"%s %s, planned %s %s at %.*f ns per unit of cost",
			TITLE_Y, nodes, plait__names_plural(nodes),
			plan->lanes_count,
			plait__names_plural(plan->lanes_count),
			trace->lane_count < plan->lanes_count ?
			"one thread did all of it" :
			plan->mode == PLAIT__MODE_HELPED ? "helped" : "strict",
			show((double)trace->makespan / unit, took),
			picture->unit,
			show((double)both->planned->makespan * both->unit_ns /
			     unit, meant), picture->unit, both->unit_ns < 100 ? 1 : 0,
			both->unit_ns);
	if (trace->folded > 0)
		plait__text_add(picture->out, "; folded onto %u lane%s",
				trace->folded,
				plait__names_plural(trace->folded));
	if (trace->dropped > 0)
		plait__text_add(picture->out, "; %llu older records are not "
				"there", (unsigned long long)trace->dropped);
	plait__text_add(picture->out, "</tspan></text>\n");
}

static void draw_heading(const struct plait__picture *picture,
			 const char *heading)
{
	plait__text_add(picture->out, "<text x=\"6\" y=\"%.1f\" "
			"font-size=\"12\" font-weight=\"bold\" "
			"fill=\"#222\">%s</text>\n",
			picture->top - PLAIT__PICTURE_AXIS - 4, heading);
}

static void draw_legend(const plait__both *both)
{
	const struct plait__picture *picture =
		both->run.scene.gaps.list.count > 0 ? &both->run : &both->plan;
	double x = plait__picture_legend(picture, "loop or case");

	if (both->trace->plan->waits_count > 0)
		(void)plait__picture_key(picture, x, "fill=\"#f7d7d2\"",
					 "time spent waiting");
}

/* ---- what happened ---- */

static const char *name_of(const plait__both *both,
			   const plait__trace_span *span, char label[300])
{
	const plait__plan *plan = both->trace->plan;
	char name[256];

	plait__names_node(plan, plan->commands[span->command].node, name);
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

static void draw_tip(const plait__both *both, const plait__trace_span *span,
		     const char *name)
{
	const plait__plan *plan = both->trace->plan;
	plait__text *out = both->run.out;
	char other[256];

	plait__text_add(out, "<title>");
	plait__names_xml(name, 200, out);
	if (span->kind == PLAIT__SPAN_WAIT)
		plait__text_add(out, " waited");
	if (span->kind == PLAIT__SPAN_WAIT && span->other != PLAIT__NONE) {
		plait__text_add(out, " for ");
		plait__names_xml(plait__names_node(
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

/* An outline is no wider than what it is around. */
static void look_of(const plait__both *both, const plait__trace_span *span,
		    double width, char looks[120])
{
	if (span->kind == PLAIT__SPAN_WAIT)
		(void)snprintf(looks, 120, "fill=\"#f7d7d2\"");
	else
		(void)snprintf(looks, 120, "rx=\"2\" fill=\"%s\" stroke=\"%s\" "
			       "stroke-width=\"%s\"%s",
			       span->kind == PLAIT__SPAN_DECISION ? "#ffffff" :
			       plait__picture_command_fill(&both->run,
							   span->command),
			       span->critical ? "#000" : "#777",
			       span->critical && width > 4 ? "2" : "0.6",
			       span->kind == PLAIT__SPAN_REGION ?
			       " stroke-dasharray=\"3,2\"" : "");
}

static double x_of(const plait__both *both, uint64_t time)
{
	return plait__picture_x_in(&both->run, plait__gaps_shown(
					   &both->run.scene.gaps, time));
}

/* Until when nothing else is in this row. */
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

static void place_of(const plait__both *both, const plait__trace_span *span,
		     double *y, double *height)
{
	plait__picture_place(&both->run, span->lane, plait__trace_depth(
				     both->trace->plan, span->command) +
			     (span->kind == PLAIT__SPAN_DECISION),
			     span->kind == PLAIT__SPAN_REGION, y, height);
	if (span->kind == PLAIT__SPAN_WAIT) {
		*y += *height / 4;
		*height /= 2;
	}
}

static void draw_span(const plait__both *both, uint64_t number)
{
	const struct plait__picture *picture = &both->run;
	const plait__trace_span *span = &both->trace->spans[number];
	double x = x_of(both, span->start);
	double width = x_of(both, span->end) - x;
	char looks[120], label[300];
	double y, height;

	place_of(both, span, &y, &height);
	look_of(both, span, width, looks);
	(void)name_of(both, span, label);
	plait__text_add(picture->out, "<rect x=\"%.2f\" y=\"%.1f\" "
			"width=\"%.2f\" height=\"%.1f\" %s>", x, y,
			width < 0.7 ? 0.7 : width, height, looks);
	draw_tip(both, span, label);
	plait__text_add(picture->out, "</rect>\n");
}

/* How far the place of a span's name is free. */
static double room_of(const plait__both *both, uint64_t number)
{
	const plait__trace_span *span = &both->trace->spans[number];

	return x_of(both, free_until(both->trace, number)) -
	       x_of(both, span->start) - PLAIT__PICTURE_NAME_GAP;
}

/* The note that its name needs; 0: none, or there are no notes. */
static uint32_t note_of(const plait__both *both, uint64_t number)
{
	const plait__trace_span *span = &both->trace->spans[number];
	char label[300];

	if (both->run.notes == NULL || span->kind == PLAIT__SPAN_WAIT ||
	    span->kind == PLAIT__SPAN_REGION ||
	    span->kind == PLAIT__SPAN_DECISION ||
	    plait__names_columns(name_of(both, span, label)) *
	    PLAIT__PICTURE_COLUMN_SMALL <= room_of(both, number))
		return 0;
	return plait__picture_note(both->run.notes, span->command);
}

static void find_note(const plait__both *both, uint64_t number)
{
	(void)note_of(both, number);
}

static void draw_name(const plait__both *both, uint64_t number)
{
	const struct plait__picture *picture = &both->run;
	const plait__trace_span *span = &both->trace->spans[number];
	double x = x_of(both, span->start);
	double room = room_of(both, number);
	uint32_t note = note_of(both, number);
	char label[300];
	double y, height;

	if (span->kind == PLAIT__SPAN_WAIT)
		return;
	place_of(both, span, &y, &height);
	(void)name_of(both, span, label);
	if (note == 0)
		plait__picture_label(picture, label,
				     span->kind == PLAIT__SPAN_REGION, x, y,
				     height, room);
	else
		plait__picture_number(picture, note, x, y, height, room);
}

/* Is it in the strip? */
static bool is_shown(const plait__both *both, uint64_t number)
{
	const plait__trace_span *span = &both->trace->spans[number];
	const plait__gaps *gaps = &both->run.scene.gaps;
	plait__simulate_span shown = { plait__gaps_shown(gaps, span->start),
				       plait__gaps_shown(gaps, span->end) };

	return plait__trace_shows(both->trace, gaps, number) &&
	       plait__picture_shows(&both->run, shown);
}

/* Regions, which are kept last, lie behind what is in them. */
static void draw_spans(const plait__both *both,
		       void (*draw)(const plait__both *both, uint64_t number))
{
	const plait__trace *trace = both->trace;

	for (uint64_t i = trace->span_count; i < trace->count; i++)
		if (is_shown(both, i))
			draw(both, i);
	for (uint64_t i = 0; i < trace->span_count; i++)
		if (is_shown(both, i))
			draw(both, i);
}

static bool has_arrow(const plait__both *both, uint32_t from, uint32_t to)
{
	const plait__gaps *gaps = &both->run.scene.gaps;

	return plait__trace_shows(both->trace, gaps, from) &&
	       plait__trace_shows(both->trace, gaps, to);
}

static void count_arrow(void *arg, uint32_t from, uint32_t to)
{
	plait__both *both = arg;

	both->arrows += has_arrow(both, from, to);
}

static void draw_arrow(void *arg, uint32_t from, uint32_t to)
{
	const plait__both *both = arg;
	const plait__trace_span *spans = both->trace->spans;
	double y1, y2, height1, height2;

	/* Of one that leads to another strip both ends are there, each up to
	 * the edge, and nothing in between. */
	if (!has_arrow(both, from, to) ||
	    (!is_shown(both, from) && !is_shown(both, to)))
		return;
	place_of(both, &spans[from], &y1, &height1);
	place_of(both, &spans[to], &y2, &height2);
	plait__picture_arrow(both->run.out, x_of(both, spans[from].end),
			     y1 + height1 / 2, x_of(both, spans[to].start),
			     y2 + height2 / 2);
}

static void draw_run(plait__both *both)
{
	plait__trace *trace = both->trace;

	plait__picture_rows(&both->run);
	draw_spans(both, draw_span);
	plait__picture_bands(&both->run);
	plait__picture_arrows(both->run.out, both->arrows > MANY_ARROWS);
	plait__trace_arrows(trace, draw_arrow, both);
	plait__text_add(both->run.out, "</g>\n");
	draw_spans(both, draw_name);
}

static void draw_plan(plait__both *both)
{
	plait__picture_plan(&both->plan);
}

static void find_notes_of_run(plait__both *both)
{
	draw_spans(both, find_note);
}

static void find_notes_of_plan(plait__both *both)
{
	plait__picture_find_notes(&both->plan);
}

/* Of few commands both parts have the same notes. */
static void find_notes(plait__both *both)
{
	if (both->trace->plan->command_count > PLAIT__PICTURE_NOTES)
		return;
	both->run.notes = both->plan.notes = &both->notes;
	plait__both_strips(both, &both->plan, both->plan_strips,
			   find_notes_of_plan);
	plait__both_strips(both, &both->run, both->run_strips,
			   find_notes_of_run);
}

static double draw_notes(const plait__both *both, bool draw)
{
	return plait__picture_draw_notes(
		&both->plan, plait__picture_bottom(&both->plan) +
		plait__both_more_height(&both->plan, both->plan_strips), draw);
}

static void draw_all(plait__both *both)
{
	plait__both_choose_sizes(both);
	find_notes(both);
	plait__picture_open(&both->run, draw_notes(both, false));
	draw_title(both);
	draw_legend(both);
	plait__trace_arrows(both->trace, count_arrow, both);
	draw_heading(&both->run, "what happened");
	plait__both_strips(both, &both->run, both->run_strips, draw_run);
	draw_heading(&both->plan, "what was planned");
	plait__both_strips(both, &both->plan, both->plan_strips, draw_plan);
	(void)draw_notes(both, true);
	plait__text_add(both->run.out, "</svg>\n");
}

void plait__trace_svg(plait__trace *trace, const plait__timeline *planned,
		      plait__text *out)
{
	plait__both both = {
		.trace = trace, .planned = planned,
		.only_lead = 1,
		.run = { .plan = trace->plan, .out = out,
			 .stop = UINT64_MAX },
		.plan = { .plan = trace->plan, .out = out,
			  .stop = UINT64_MAX },
	};
	bool made = plait__scene_init(&both.plan.scene, trace->plan, planned,
				      out->allocator) &&
		    plait__scene_shorten(&both.plan.scene);

	if (made) {
		both.run.scene = both.plan.scene;
		plait__gaps_init(&both.run.scene.gaps, out->allocator);
		if (trace->lane_count < trace->plan->lanes_count) {
			both.run.scene.rows = &both.only_row;
			both.run.scene.leads = &both.only_lead;
		}
		draw_all(&both);
		made = !both.run.scene.gaps.failed;
		plait__gaps_fini(&both.run.scene.gaps);
	}
	out->failed = out->failed || !made;
	plait__scene_fini(&both.plan.scene, out->allocator);
}
