/* SPDX-License-Identifier: MIT */
/*
 * The schedule of a plan as a picture: a row per lane, a box per command, an
 * arrow per wait, the critical path outlined.  Regions are drawn behind what
 * their bodies do in the first iteration.
 */
#include "plan/draw.h"
#include "plan/names.h"
#include "plan/scene.h"

#include <stdio.h>

enum {
	LEFT = 110, TOP = 34, RIGHT = 20, BOTTOM = 26,
	ROW = 30, ROW_MIN = 8, ROWS_FULL = 60,
	STRIP = 12,		/* a region's name above what is in it */
	STRIPS_MAX = 4,
	WIDTH_MIN = 900, WIDTH_MAX = 24000,
	COLUMN = 7,		/* a character's width */
	COLUMN_SMALL = 5,	/* in the small size */
	PER_COMMAND = 26,	/* what a short command should get */
	MANY_WAITS = 200,	/* arrows are drawn thinner from here on */
};

/* A hue per device; neighbours and kernels differ by shade. */
enum { HUES = 6, SHADES = 3 };
static const char *const fills[HUES][SHADES] = {
	{ "#9ecae1", "#c6dbef", "#7fb6d8" },
	{ "#fdbe85", "#fdd9b5", "#fda95c" },
	{ "#a1d99b", "#c7e9c0", "#82c77b" },
	{ "#bcbddc", "#dadaeb", "#a3a4cc" },
	{ "#f4b6c2", "#fadadd", "#ec98a9" },
	{ "#c9c19f", "#e3deca", "#b5ab80" },
};

struct picture {
	plait__scene scene;
	const plait__plan *plan;
	plait__text *out;
	double scale;		/* pixels per unit of time */
	uint32_t width;
	uint32_t row;
	uint32_t strip;
};

static double x_of(const struct picture *picture, uint64_t time)
{
	return LEFT + (double)time * picture->scale;
}

/* The top of the row of a lane. */
static double y_of(const struct picture *picture, uint32_t lane)
{
	return TOP + (double)picture->scene.rows[lane] * picture->row;
}

static double bottom_of(const struct picture *picture)
{
	return TOP + (double)picture->plan->lanes_count * picture->row;
}

static uint32_t longest_lane(const plait__plan *plan)
{
	uint32_t longest = 1;

	for (uint32_t i = 0; i < plan->tracks_count; i++)
		if (plan->tracks[i].count > longest)
			longest = plan->tracks[i].count;
	return longest;
}

static void choose_size(struct picture *picture)
{
	uint64_t makespan = picture->scene.timeline->makespan;
	uint64_t width = (uint64_t)longest_lane(picture->plan) * PER_COMMAND;
	uint32_t depth = picture->scene.depth;

	if (width < WIDTH_MIN)
		width = WIDTH_MIN;
	if (width > WIDTH_MAX)
		width = WIDTH_MAX;
	picture->width = (uint32_t)width;
	picture->scale = (double)width / (double)(makespan ? makespan : 1);
	picture->row = ROW_MIN;
	picture->strip = 0;
	if (picture->plan->lanes_count <= ROWS_FULL) {
		picture->strip = STRIP;
		picture->row = ROW + STRIP * (depth < STRIPS_MAX ? depth :
					      STRIPS_MAX);
	}
}

static void draw_frame(const struct picture *picture)
{
	uint32_t height = (uint32_t)bottom_of(picture) + BOTTOM;
	uint32_t width = LEFT + picture->width + RIGHT;

	plait__text_add(picture->out,
			"<svg xmlns=\"http://www.w3.org/2000/svg\" "
			"width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" "
			"font-family=\"sans-serif\" font-size=\"11\">\n"
			"<defs><marker id=\"tip\" viewBox=\"0 0 6 6\" "
			"refX=\"6\" refY=\"3\" markerUnits=\"userSpaceOnUse\" "
			"markerWidth=\"6\" markerHeight=\"6\" "
			"orient=\"auto\"><path "
			"d=\"M0,0 L6,3 L0,6 z\" fill=\"#555\"/></marker>"
			"</defs>\n<rect width=\"100%%\" height=\"100%%\" "
			"fill=\"white\"/>\n", width, height, width, height);
}

/* A step of 1, 2 or 5 times a power of ten that gives about ten ticks. */
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

static void draw_axis(const struct picture *picture)
{
	uint64_t makespan = picture->scene.timeline->makespan;
	uint64_t step = tick_step(makespan);
	double bottom = bottom_of(picture);

	/* Wide pictures need more of them to be read in parts. */
	while (step >= 10 && (double)step * picture->scale > 400)
		step /= step % 5 == 0 ? 5 : 2;
	for (uint64_t i = 0; i <= makespan / step; i++) {
		double x = x_of(picture, i * step);

		plait__text_add(picture->out,
				"<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" "
				"y2=\"%.1f\" stroke=\"#e4e4e4\"/><text "
				"x=\"%.1f\" y=\"%d\" fill=\"#888\" "
				"text-anchor=\"middle\">%llu</text>\n",
				x, TOP - 6, x, bottom, x, TOP - 12,
				(unsigned long long)(i * step));
	}
}

/* Devices are told apart by a darker line above their first lane. */
static void draw_lane(const struct picture *picture, uint32_t lane)
{
	bool first = picture->scene.leads[lane] != 0;
	const plait__plan *plan = picture->plan;
	double y = y_of(picture, lane);
	uint32_t size = picture->row > 12 ? 11 : picture->row - 1;

	plait__text_add(picture->out,
			"<line x1=\"%d\" y1=\"%.1f\" x2=\"%u\" y2=\"%.1f\" "
			"stroke=\"%s\"/><text x=\"6\" y=\"%.1f\" "
			"font-size=\"%u\">", first ? 6 : LEFT, y,
			LEFT + picture->width, y, first ? "#999" : "#ddd",
			y + picture->row / 2.0 + size * 0.36, size);
	plait__names_xml(plait__names_text(
				 plan, plan->devices[plan->lanes[
						     lane].device].name),
			 10, picture->out);
	plait__text_add(picture->out, " %u</text>\n", lane);
}

static void draw_lanes(const struct picture *picture)
{
	const plait__plan *plan = picture->plan;

	for (uint32_t i = 0; i < plan->lanes_count; i++)
		draw_lane(picture, i);
	plait__text_add(picture->out, "<line x1=\"6\" y1=\"%.1f\" x2=\"%u\" "
			"y2=\"%.1f\" stroke=\"#999\"/>\n", bottom_of(picture),
			LEFT + picture->width, bottom_of(picture));
}

/* What is deeper lies lower, below the names of the regions around it. */
static void box_of(const struct picture *picture, uint32_t number,
		   double *y, double *height)
{
	const plait__plan_command *command = &picture->plan->commands[number];
	uint32_t depth = plait__scene_depth(&picture->scene, number);
	double inset = picture->strip == 0 ? 1 : 4;
	double above;

	if (depth > STRIPS_MAX)
		depth = STRIPS_MAX;
	above = (double)depth * picture->strip;
	if (plait__scene_is_region(&picture->scene, number))
		inset = 1 + depth * 0.5;
	*y = y_of(picture, command->lane) + above + inset;
	*height = picture->row - above - 2 * inset;
	if (*height < 2)
		*height = 2;
}

/* What a pointer that rests on the box is told. */
static void draw_title(const struct picture *picture, uint32_t number)
{
	const plait__plan_command *command = &picture->plan->commands[number];
	const plait__simulate_span *span =
		&picture->scene.timeline->spans[number];
	char name[256];

	plait__text_add(picture->out, "<title>");
	plait__names_xml(plait__names_node(picture->plan, command->node,
					   name), 200, picture->out);
	plait__text_add(picture->out,
			": lane %u, position %u, %llu to %llu</title>",
			command->lane, command->position,
			(unsigned long long)span->start,
			(unsigned long long)span->end);
}

/* A region's name says how often, or which branch is shown. */
static const char *label_of(const struct picture *picture, uint32_t number,
			    char label[280])
{
	const plait__plan *plan = picture->plan;
	const plait__plan_command *command = &plan->commands[number];
	const plait__plan_region *region;
	char name[256];

	plait__names_node(plan, command->node, name);
	if (!plait__scene_is_region(&picture->scene, number)) {
		(void)snprintf(label, 280, "%s", name);
		return label;
	}
	region = &plan->regions[command->link];
	if (region->kind != PLAIT__REGION_CASE)
		(void)snprintf(label, 280, "%s x%u", name, region->times);
	else if (region->times < region->body_count)
		(void)snprintf(label, 280, "%s: %u", name, region->times);
	else
		(void)snprintf(label, 280, "%s", name);
	return label;
}

/* Beside the box if it is free there; small, cut or left out if it must. */
static void draw_label(const struct picture *picture, uint32_t number,
		       double x, double y, double height)
{
	bool region = plait__scene_is_region(&picture->scene, number);
	double room = x_of(picture, plait__scene_free_until(
				   &picture->scene, number)) - x - 5;
	char label[280];
	uint32_t length = plait__names_columns(
		label_of(picture, number, label));
	bool small = region || length * COLUMN > room;
	uint32_t size = small ? 8 : 11;
	uint32_t columns = room < 0 ? 0 :
			   (uint32_t)(room / (small ? COLUMN_SMALL : COLUMN));

	/* "n.." instead of n17 would only mislead. */
	if (picture->strip == 0 || (columns < length && columns < 5))
		return;
	plait__text_add(picture->out,
			"<text x=\"%.1f\" y=\"%.1f\" font-size=\"%u\"%s>",
			x + 3, region ? y + 9 : y + height / 2 + size * 0.36,
			size, region ? " fill=\"#555\"" : "");
	plait__names_xml(label, columns, picture->out);
	plait__text_add(picture->out, "</text>\n");
}

static const char *fill_of(const struct picture *picture, uint32_t number)
{
	const plait__plan *plan = picture->plan;
	const plait__plan_command *command = &plan->commands[number];
	uint32_t hue = plan->lanes[command->lane].device % HUES;
	uint32_t shade = command->position % 2;

	if (plait__scene_is_region(&picture->scene, number))
		return "#f5f5f5";
	if (command->kind == PLAIT__CMD_LAUNCH &&
	    command->link < plan->payloads_count &&
	    plan->payloads[command->link].kernel != PLAIT__NONE)
		shade = plan->payloads[command->link].kernel % SHADES;
	return fills[hue][shade];
}

static void draw_box(const struct picture *picture, uint32_t number)
{
	const plait__simulate_span *span =
		&picture->scene.timeline->spans[number];
	bool region = plait__scene_is_region(&picture->scene, number);
	bool marked = picture->scene.critical[number];
	double x = x_of(picture, span->start);
	double width = x_of(picture, span->end) - x;
	double y, height;

	if (width < 1)
		width = 1;
	box_of(picture, number, &y, &height);
	plait__text_add(picture->out,
			"<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" "
			"height=\"%.1f\" rx=\"2\" fill=\"%s\" "
			"stroke=\"%s\" stroke-width=\"%s\"%s>",
			x, y, width, height, fill_of(picture, number),
			marked ? "#d62728" : "#777",
			marked ? "1.6" : "0.6",
			region ? " stroke-dasharray=\"3,2\"" : "");
	draw_title(picture, number);
	plait__text_add(picture->out, "</rect>\n");
	draw_label(picture, number, x, y, height);
}

/* Regions first, outer ones before inner ones: a body comes after the body
 * that holds its region. */
static void draw_boxes(const struct picture *picture, bool regions)
{
	const plait__scene *scene = &picture->scene;

	for (uint32_t i = 0; i < picture->plan->command_count; i++)
		if (plait__scene_is_region(scene, i) == regions &&
		    plait__scene_depth(scene, i) != PLAIT__NONE)
			draw_box(picture, i);
}

static void draw_arrow(const struct picture *picture, uint32_t from,
		       uint32_t to)
{
	const plait__timeline *timeline = picture->scene.timeline;
	double x1 = x_of(picture, timeline->spans[from].end);
	double x2 = x_of(picture, timeline->spans[to].start);
	double bend = x2 > x1 ? (x2 - x1) / 2 + 4 : 12;
	double y1, y2, height1, height2;

	box_of(picture, from, &y1, &height1);
	box_of(picture, to, &y2, &height2);
	y1 += height1 / 2;
	y2 += height2 / 2;
	plait__text_add(picture->out,
			"<path d=\"M%.1f,%.1f C%.1f,%.1f %.1f,%.1f "
			"%.1f,%.1f\"/>\n", x1, y1, x1 + bend, y1, x2 - bend,
			y2, x2, y2);
}

static void draw_waits(const struct picture *picture)
{
	const plait__plan *plan = picture->plan;
	bool many = plan->waits_count > MANY_WAITS;

	plait__text_add(picture->out, "<g fill=\"none\" stroke=\"#555\" "
			"stroke-width=\"%s\" opacity=\"%s\" "
			"marker-end=\"url(#tip)\">\n", many ? "0.5" : "0.9",
			many ? "0.45" : "0.75");
	for (uint32_t i = 0; i < plan->command_count; i++) {
		uint32_t body = plan->nodes[plan->commands[i].node].body;
		uint32_t end = plan->commands[i + 1].wait_first;

		if (picture->scene.depths[body] == PLAIT__NONE)
			continue;
		for (uint32_t k = plan->commands[i].wait_first; k < end; k++)
			draw_arrow(picture, plait__plan_find_command(
				   plan, body, plan->waits[k].lane,
				   plan->waits[k].position), i);
	}
	plait__text_add(picture->out, "</g>\n");
}

static void draw_summary(const struct picture *picture)
{
	const plait__plan *plan = picture->plan;
	const plait__timeline *timeline = picture->scene.timeline;

	plait__text_add(picture->out,
			"<text x=\"%d\" y=\"%.1f\" fill=\"#444\">%u nodes on "
			"%u lanes, %u waits (arrows); makespan %llu, critical "
			"path %llu (red)</text>\n", LEFT,
			bottom_of(picture) + 17,
			plan->node_count, plan->lanes_count,
			plan->waits_count,
			(unsigned long long)timeline->makespan,
			(unsigned long long)timeline->critical_cost);
}

void plait__draw_svg(const plait__plan *plan, const plait__timeline *timeline,
		     plait__text *out)
{
	struct picture picture = { .plan = plan, .out = out };

	if (plait__scene_init(&picture.scene, plan, timeline,
			      out->allocator)) {
		choose_size(&picture);
		draw_frame(&picture);
		draw_axis(&picture);
		draw_lanes(&picture);
		draw_boxes(&picture, true);
		draw_boxes(&picture, false);
		draw_waits(&picture);
		draw_summary(&picture);
		plait__text_add(out, "</svg>\n");
	} else {
		out->failed = true;
	}
	plait__scene_fini(&picture.scene, out->allocator);
}
