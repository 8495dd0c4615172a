/* SPDX-License-Identifier: MIT */
/* Frame of a picture: legend, axis, rows. */
#include "render/axes.h"

#include "plan/io/escape.h"

#include <stdio.h>

/*
 * One hue per device, from a palette that colour-blind readers can tell apart,
 * light enough for black text; shades for neighbours and kernels.
 */
enum {
	HUES = 6, SHADES = 3,
	LEGEND_Y = 42, NUMBERS_Y = -10, TICKS_Y = -6, TICK_ROOM = 45,
	SWATCH = 14, KEY_GAP = 20, NAME_COLUMNS = 28,
	ROW_COLUMNS = 9,	/* of a device's name beside its lanes */
	LANE_SIZE = 9,
	LANE_COLUMNS = 12,
};

const char *plait__axes_device_fill(uint32_t device, uint32_t shade)
{
	static const char *const fills[HUES][SHADES] = {
		{ "#a6d7f2", "#cbe7f7", "#83c7ee" },
		{ "#f3cf80", "#f8e3b3", "#eebb4d" },
		{ "#80ceb9", "#b3e2d5", "#4dbb9d" },
		{ "#e5bcd3", "#f0d7e4", "#daa0c1" },
		{ "#f8f2a1", "#fbf7c9", "#f4eb76" },
		{ "#d0d0d0", "#e4e4e4", "#bbbbbb" },
	};

	return fills[device % HUES][shade % SHADES];
}

void plait__axes_open(const struct plait__canvas *canvas, double bottom)
{
	uint32_t height = (uint32_t)bottom + PLAIT__CANVAS_BOTTOM;
	uint32_t width = PLAIT__CANVAS_LEFT + canvas->width +
			 PLAIT__CANVAS_RIGHT;

	plait__text_add(canvas->out,
			"<svg xmlns=\"http://www.w3.org/2000/svg\" "
			"width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" "
			"font-family=\"sans-serif\" font-size=\"11\">\n"
			"<defs><marker id=\"tip\" viewBox=\"0 0 6 6\" "
			"refX=\"6\" refY=\"3\" markerUnits=\"userSpaceOnUse\" "
			"markerWidth=\"6\" markerHeight=\"6\" "
			"orient=\"auto\"><path "
			"d=\"M0,0 L6,3 L0,6 z\" fill=\""
			PLAIT__CANVAS_WAIT "\"/></marker>"
			"<pattern id=\"more\" width=\"5\" height=\"5\" "
			"patternUnits=\"userSpaceOnUse\" "
			"patternTransform=\"rotate(45)\"><path "
			"d=\"M0,0 H5 V5 H0 z\" fill=\"white\"/><path "
			"d=\"M0,0 V5\" stroke=\"#999\"/></pattern>"
			"</defs>\n<path d=\"M0,0 H%u V%u H0 z\" "
			"fill=\"white\"/>\n", width, height, width, height,
			width, height);
}

/* ---- the legend ---- */

/* Draw a swatch and its meaning, cut to `most` columns; returns the x of the
 * next key. */
static double draw_key(const struct plait__canvas *canvas, double x,
		       const char *style, const char *meaning, uint32_t most)
{
	uint32_t columns = plait__escape_columns(meaning);

	if (columns > most)
		columns = most;
	plait__text_add(canvas->out, "<path d=\"M%.1f,%d h%d v%d h-%d z\" "
			"%s/><text x=\"%.1f\" y=\"%d\" fill=\"#444\">", x,
			LEGEND_Y - 10, SWATCH, SWATCH - 2, SWATCH, style,
			x + SWATCH + 5, LEGEND_Y);
	plait__escape_xml(meaning, columns, canvas->out);
	plait__text_add(canvas->out, "</text>\n");
	return x + SWATCH + KEY_GAP + columns * PLAIT__CANVAS_COLUMN;
}

double plait__axes_draw_key(const struct plait__canvas *canvas, double x,
			    const char *style, const char *meaning)
{
	return draw_key(canvas, x, style, meaning, NAME_COLUMNS);
}

/* Colours repeat for further devices. */
static uint32_t keys_of_devices(const plait__plan *plan)
{
	return plan->devices_count < HUES ? plan->devices_count : HUES;
}

/* Returns the columns left in the line for each device name. */
static uint32_t device_columns(const struct plait__canvas *canvas)
{
	uint32_t keys = keys_of_devices(canvas->plan);
	uint32_t line = PLAIT__CANVAS_LEFT + canvas->width;
	uint32_t others = PLAIT__CANVAS_KEYS +
			  keys * (SWATCH + KEY_GAP);
	uint32_t columns = keys == 0 || others > line ? 0 :
			   (line - others) / keys / PLAIT__CANVAS_COLUMN;

	return columns < 5 ? 5 : columns < NAME_COLUMNS ? columns :
	       NAME_COLUMNS;
}

static double draw_devices(const struct plait__canvas *canvas, double x)
{
	const plait__plan *plan = canvas->plan;
	uint32_t columns = device_columns(canvas);
	char style[64];

	for (uint32_t i = 0; i < keys_of_devices(plan); i++) {
		(void)snprintf(style, sizeof(style), "fill=\"%s\" "
			       "stroke=\"#777\"", plait__axes_device_fill(i, 0));
		x = draw_key(canvas, x, style, plait__escape_string_at(
				     plan, plan->devices[i].name), columns);
	}
	return x;
}

double plait__axes_draw_legend(const struct plait__canvas *canvas,
			       const char *region)
{
	double x = draw_devices(canvas, 6);

	x = plait__axes_draw_key(canvas, x, "fill=\"none\" stroke=\"#000\" "
				 "stroke-width=\"2\"", "critical path");
	if (canvas->plan->regions_count > 0)
		x = plait__axes_draw_key(canvas, x, "fill=\"#f5f5f5\" "
					 "stroke=\"#777\" "
					 "stroke-dasharray=\"3,2\"",
					 region);
	if (canvas->layout.elision.list.count > 0)
		x = plait__axes_draw_key(canvas, x, PLAIT__CANVAS_ELIDED,
					 "more rounds, not shown");
	if (canvas->plan->waits_count == 0)
		return x;
	plait__text_add(canvas->out, "<path d=\"M%.1f,%d h22\" fill=\"none\" "
			"stroke=\"" PLAIT__CANVAS_WAIT "\" "
			"stroke-width=\"1.2\" "
			"marker-end=\"url(#tip)\"/><text "
			"x=\"%.1f\" y=\"%d\" fill=\"#444\">waits for</text>\n",
			x, LEGEND_Y - 4, x + 28, LEGEND_Y);
	return x + 28 + 10 * PLAIT__CANVAS_COLUMN;
}

/* ---- axis and rows ---- */

/* Returns a step of 1, 2 or 5 times a power of ten that gives about ten
 * ticks. */
static uint64_t tick_step(uint64_t makespan)
{
	uint64_t step = 1;

	while (makespan / step > 10) {
		if (makespan / step <= 20)
			return step * 2;
		if (makespan / step <= 50)
			return step * 5;
		step *= 10;
	}
	return step;
}

/* Returns the next step of 1, 2, 5, 10, ... */
static uint64_t next_step(uint64_t step)
{
	uint64_t digit = step;

	while (digit >= 10)
		digit /= 10;
	return digit == 2 ? step / 2 * 5 : step * 2;
}

/* Choose a unit such that axis numbers have at most five digits. */
static const char *unit_of(const struct plait__canvas *canvas,
			   uint64_t *unit_time, char text[96])
{
	uint64_t makespan = plait__elision_to_time(&canvas->layout.elision,
						   canvas->makespan);
	uint64_t thousands = 1;
	uint32_t power = 0;

	*unit_time = canvas->unit_time;
	(void)snprintf(text, 96, "%s", canvas->unit);
	if (canvas->unit_time != 1 || makespan < 100000)
		return text;
	while (makespan / thousands >= 10000) {
		thousands *= 1000;
		power += 3;
	}
	*unit_time = thousands;
	(void)snprintf(text, 96, "10<tspan dy=\"-3\" font-size=\"7\">%u"
		       "</tspan><tspan dy=\"3\">\u00a0%s</tspan>", power,
		       canvas->unit_short);
	return text;
}

/* Returns the first tick at `time` or later; ticks in omitted time have no
 * place. */
static uint64_t next_tick(const struct plait__canvas *canvas, uint64_t time,
			  uint64_t step)
{
	const plait__elision_gap *gap;

	for (;;) {
		time = time / step + (time % step != 0);
		if (__builtin_mul_overflow(time, step, &time))
			return UINT64_MAX;
		gap = plait__elision_enclosing(&canvas->layout.elision, time,
					       time);
		if (gap == NULL || time == gap->from)
			return time;
		time = gap->to;
	}
}

static void draw_tick(const struct plait__canvas *canvas, uint64_t time,
		      uint64_t unit_time, double x)
{
	plait__text_add(canvas->out,
			"<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" "
			"y2=\"%.1f\" stroke=\"#e4e4e4\"/><text "
			"x=\"%.1f\" y=\"%.1f\" fill=\"#666\" "
			"text-anchor=\"middle\">%.15g</text>\n",
			x, canvas->top + TICKS_Y, x,
			plait__canvas_bottom(canvas), x,
			canvas->top + NUMBERS_Y,
			(double)time / (double)unit_time);
}

/* Wide pictures get more ticks, so that parts can be read; narrow ones fewer,
 * so that numbers do not overlap. */
static uint64_t choose_step(const struct plait__canvas *canvas, uint64_t end)
{
	uint64_t step = tick_step(end - canvas->start);

	while (step >= 10 && (double)step * canvas->scale > 400)
		step /= step % 5 == 0 ? 5 : 2;
	while (step <= end && step < UINT64_MAX / 4 &&
	       (double)step * canvas->scale < TICK_ROOM)
		step = next_step(step);
	return step;
}

static void draw_axis(const struct plait__canvas *canvas)
{
	const plait__elision *elision = &canvas->layout.elision;
	uint64_t end = canvas->makespan < canvas->stop ?
		       canvas->makespan : canvas->stop;
	uint64_t step = choose_step(canvas, end);
	uint64_t last = plait__elision_to_time(elision, end), unit_time, time;
	double x, before = 0;
	char unit[96];

	plait__text_add(canvas->out, "<text x=\"6\" y=\"%.1f\" "
			"font-size=\"9\" fill=\"#666\">time (%s)</text>\n",
			canvas->top + NUMBERS_Y,
			unit_of(canvas, &unit_time, unit));
	time = next_tick(canvas, plait__elision_to_time(elision, canvas->start),
			 step);
	while (time <= last && time < UINT64_MAX) {
		x = plait__canvas_x(canvas,
				    plait__elision_to_shown(elision, time));
		if (x - before >= TICK_ROOM) {
			draw_tick(canvas, time, unit_time, x);
			before = x;
		}
		time = next_tick(canvas, time + 1, step);
	}
	/* A short plan beside a long run has room for its start and end only. */
	x = plait__canvas_x(canvas, end);
	if (before > 0 && before < x - 12 && last < step && last > 0)
		draw_tick(canvas, last, unit_time, x);
}

/* Name the device beside its first lane, below a darker line. */
static void draw_device(const struct plait__canvas *canvas, uint32_t lane,
			double y, uint32_t size)
{
	const plait__plan *plan = canvas->plan;
	const char *name = plait__escape_string_at(
		plan, plan->devices[plan->lanes[lane].device].name);

	plait__text_add(canvas->out, "<text x=\"6\" y=\"%.1f\" "
			"font-size=\"%u\" fill=\"#222\">", y, size);
	plait__escape_xml(name, ROW_COLUMNS, canvas->out);
	plait__text_add(canvas->out, "</text>");
}

static void draw_lane_name(const struct plait__canvas *canvas, uint32_t lane)
{
	if (canvas->caption != NULL)
		plait__escape_xml(canvas->caption->lanes[lane], LANE_COLUMNS,
				  canvas->out);
	else
		plait__text_add(canvas->out, "lane %u", lane);
}

static void draw_lane(const struct plait__canvas *canvas, uint32_t lane)
{
	bool first = canvas->layout.first_of_device[lane] != 0;
	double y = plait__canvas_y(canvas, lane);
	uint32_t size = canvas->row > 12 ? 11 : canvas->row - 1;
	double text = y + canvas->row / 2.0 + size * 0.36;

	plait__text_add(canvas->out,
			"<line x1=\"%d\" y1=\"%.1f\" x2=\"%u\" y2=\"%.1f\" "
			"stroke=\"%s\"/>",
			first ? 6 : PLAIT__CANVAS_LEFT, y,
			PLAIT__CANVAS_LEFT + canvas->width, y,
			first ? "#999" : "#ddd");
	if (first)
		draw_device(canvas, lane, text, size);
	plait__text_add(canvas->out, "<text x=\"%d\" y=\"%.1f\" "
			"font-size=\"%u\" text-anchor=\"end\" fill=\"#666\">",
			PLAIT__CANVAS_LEFT - 5, text,
			size < LANE_SIZE ? size : LANE_SIZE);
	draw_lane_name(canvas, lane);
	plait__text_add(canvas->out, "</text>\n");
}

void plait__axes_draw_rows(const struct plait__canvas *canvas)
{
	double bottom = plait__canvas_bottom(canvas);

	draw_axis(canvas);
	for (uint32_t i = 0; i < canvas->row_count; i++)
		draw_lane(canvas, i);
	plait__text_add(canvas->out, "<line x1=\"6\" y1=\"%.1f\" x2=\"%u\" "
			"y2=\"%.1f\" stroke=\"#999\"/>\n", bottom,
			PLAIT__CANVAS_LEFT + canvas->width, bottom);
}
