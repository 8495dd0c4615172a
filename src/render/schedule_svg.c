/* SPDX-License-Identifier: MIT */
/*
 * The schedule of a plan as a picture: a row per lane, a box per command, an
 * arrow per wait, the critical path outlined.  Regions are drawn behind what
 * their bodies do in the first iteration, on each lane that they keep.
 */
#include "render/render.h"
#include "plan/io/escape.h"
#include "render/canvas.h"

#include <stdio.h>

enum {
	ROW = 30, ROW_MIN = 8,	/* a lane's, without names of regions */
	ROW_NAMED = 12,		/* in less no name can be read */
	ROW_WIDE = 20,		/* in less boxes have no room between */
	STRIP = 12,		/* a region's name above what is in it */
	STRIPS_MAX = 4,
	HEIGHT_MAX = 1200 - PLAIT__PICTURE_TOP - PLAIT__PICTURE_BOTTOM,
	PER_COMMAND = 26,	/* what a short command needs at least */
	COMFORT = 48,		/* and gets while there is room */
	MANY_NAMES = 20000,	/* not looked through again and again */
	MANY_WAITS = 200,	/* arrows are drawn thinner from here on */
	NARROWEST = 4,		/* a box, if there is room */
	TITLE_Y = 20,
};

static void draw_title(const struct plait__picture *picture)
{
	const plait__plan *plan = picture->plan;
	const plait__timeline *timeline = picture->scene.timeline;
	uint32_t nodes = plait__plan_nodes_in(plan);

	plait__text_add(picture->out,
			"<text x=\"6\" y=\"%d\" font-size=\"14\" "
			"font-weight=\"bold\" fill=\"#222\">%u node%s on %u "
			"lane%s<tspan font-size=\"11\" font-weight=\"normal\" "
			"fill=\"#444\" dx=\"12\">%s, %s; %u wait%s; makespan "
			"%llu, critical path %llu</tspan></text>\n", TITLE_Y,
			nodes, plait__names_plural(nodes),
			plan->lanes_count, plait__names_plural(plan->lanes_count),
			plan->policy == PLAIT__POLICY_WIDEST ? "widest" :
			"bounded", plan->mode == PLAIT__MODE_HELPED ?
			"helped" : "strict",
			plan->waits_count, plait__names_plural(plan->waits_count),
			(unsigned long long)timeline->makespan,
			(unsigned long long)timeline->critical_cost);
}

/*
 * How many boxes of an average width lie side by side: as often as what a
 * command takes goes into the whole, which rounds that are not shown make long;
 * but there are no more boxes than commands.
 */
static uint64_t boxes_in_a_row(const struct plait__picture *picture)
{
	const plait__scene *scene = &picture->scene;
	const plait__plan *plan = picture->plan;
	double took = 0, count = 0, boxes;
	uint32_t longest = 1;

	for (uint32_t i = 0; i < plan->tracks_count; i++)
		if (plan->tracks[i].count > longest)
			longest = plan->tracks[i].count;
	for (uint32_t i = 0; i < plan->command_count; i++) {
		plait__simulate_span span = plait__scene_span(scene, i);

		if (plait__scene_is_region(scene, i) ||
		    plait__scene_depth(scene, i) == PLAIT__NONE)
			continue;
		took += (double)(span.end - span.start);
		count++;
	}
	boxes = took > 0 ? (double)picture->makespan * count / took : 0;
	boxes = boxes < count ? boxes : count;
	return boxes > longest ? (uint64_t)boxes : longest;
}

static void set_row(struct plait__picture *picture, uint32_t row,
		    uint32_t depth)
{
	picture->inset = row < ROW_WIDE ? 1 : 4;
	picture->strip = row < ROW_NAMED ? 0 : STRIP;
	picture->row = row + picture->strip * (depth < STRIPS_MAX ? depth :
					       STRIPS_MAX);
}

void plait__picture_choose_row(struct plait__picture *picture, uint32_t depth)
{
	uint32_t fits = HEIGHT_MAX / (picture->row_count > 0 ?
				      picture->row_count : 1);

	set_row(picture, fits < ROW_MIN ? ROW_MIN : fits > ROW ? ROW : fits,
		depth);
}

static uint32_t limit_strips(const struct plait__picture *picture,
			     uint32_t strips)
{
	if (strips > PLAIT__PICTURE_STRIPS)
		strips = PLAIT__PICTURE_STRIPS;
	if (strips > picture->makespan)
		strips = (uint32_t)picture->makespan;
	return strips > 0 ? strips : 1;
}

/* Time goes on in the next strip where the page ends; as many as are good to
 * read, if the page has room for them, else as many as must be. */
static uint32_t choose_strips(const struct plait__picture *picture,
			      uint64_t boxes)
{
	uint32_t good = plait__picture_pages(boxes * COMFORT);
	uint32_t least = plait__picture_pages(boxes * PER_COMMAND);
	uint32_t room = HEIGHT_MAX / plait__picture_strip_height(picture);
	uint32_t strips = good <= room ? good : room > least ? room : least;

	return limit_strips(picture, strips);
}

/* With rows of this height: returns how many strips there are; the first one
 * is set. */
static uint32_t cut_strips(struct plait__picture *picture, uint64_t boxes,
			   uint32_t strips)
{
	uint64_t makespan = picture->makespan, width = boxes * COMFORT;

	picture->width = plait__picture_fit_width(width);
	picture->stop = makespan / strips + (makespan % strips != 0);
	picture->scale = (double)picture->width /
			 (double)(picture->stop > 0 ? picture->stop : 1);
	/* Rounded up, the same time may need fewer of them. */
	return picture->stop > 0 ?
		plait__picture_divide_up(makespan, picture->stop) : 1;
}

/* What is deeper lies lower, below the names of the regions around it. */
void plait__picture_place(const struct plait__picture *picture, uint32_t lane,
			  uint32_t depth, bool frame, double *y, double *height)
{
	double inset = picture->inset;
	double above;

	if (depth > STRIPS_MAX)
		depth = STRIPS_MAX;
	above = (double)depth * picture->strip;
	if (frame)
		inset = 1 + depth * 0.5;
	*y = plait__picture_y(picture, lane) + above + inset;
	*height = picture->row - above - 2 * inset;
	if (*height < 2)
		*height = 2;
}

void plait__picture_box(const struct plait__picture *picture, uint32_t number,
			double *y, double *height)
{
	plait__picture_place(picture, picture->plan->commands[number].lane,
			     plait__scene_depth(&picture->scene, number),
			     plait__scene_is_region(&picture->scene, number),
			     y, height);
}

/* What a pointer that rests on the box is told. */
static void draw_tip(const struct plait__picture *picture, uint32_t number)
{
	const plait__plan_command *command = &picture->plan->commands[number];
	plait__simulate_span span = plait__scene_time(&picture->scene, number);
	char name[256];

	plait__text_add(picture->out, "<title>");
	plait__names_xml(plait__names_node(picture->plan, command->node,
					   name), 200, picture->out);
	plait__text_add(picture->out,
			": lane %u, position %u, %llu to %llu</title>",
			command->lane, command->position,
			(unsigned long long)span.start,
			(unsigned long long)span.end);
}

/* ---- the height of rows ---- */

/* Names that can be written whole. */
static uint32_t count_names(const struct plait__picture *picture)
{
	const plait__scene *scene = &picture->scene;
	uint32_t count = 0;

	for (uint32_t i = 0; i < picture->plan->command_count; i++) {
		double from = (double)plait__scene_span(scene, i).start;
		double room = (double)plait__scene_free_until(scene, i) - from;
		char label[PLAIT__PICTURE_NAME];

		if (plait__scene_is_region(scene, i) ||
		    plait__scene_depth(scene, i) == PLAIT__NONE)
			continue;
		(void)plait__picture_name(picture, i, label);
		count += plait__names_columns(label) *
			 PLAIT__PICTURE_COLUMN_SMALL <=
			 room * picture->scale - PLAIT__PICTURE_NAME_GAP;
	}
	return count;
}

/* Lower rows leave room for more strips of time, and in these for names: they
 * are taken where that gives clearly more of them. */
static uint32_t lower_rows(struct plait__picture *picture, uint64_t boxes,
			   uint32_t strips)
{
	static const uint32_t heights[] = { 24, ROW_WIDE, 16, 14, ROW_NAMED };
	uint32_t most = count_names(picture);
	struct plait__picture best = *picture;

	for (uint32_t i = 0; i < sizeof(heights) / sizeof(heights[0]); i++) {
		struct plait__picture lower = *picture;
		uint32_t more, names;

		if (heights[i] >= picture->row)
			continue;
		set_row(&lower, heights[i], lower.scene.depth);
		more = cut_strips(&lower, boxes, limit_strips(
			&lower, HEIGHT_MAX /
				plait__picture_strip_height(&lower)));
		names = count_names(&lower);
		if (names < most + most / 20 + 1)
			continue;
		most = names;
		best = lower;
		strips = more;
	}
	*picture = best;
	return strips;
}

/* Returns how many strips there are; the first one is set. */
static uint32_t choose_size(struct plait__picture *picture)
{
	uint32_t commands = picture->plan->command_count, strips;
	uint64_t boxes;

	picture->makespan = plait__gaps_shown(
		&picture->scene.gaps, picture->scene.timeline->makespan);
	picture->top = PLAIT__PICTURE_TOP;
	picture->unit = "units of cost";
	picture->unit_short = "units";
	picture->unit_time = 1;
	picture->tip_unit = "";
	picture->row_count = picture->plan->lanes_count;
	plait__picture_choose_row(picture, picture->scene.depth);
	boxes = boxes_in_a_row(picture);
	strips = cut_strips(picture, boxes, choose_strips(picture, boxes));
	return picture->strip == 0 || commands <= PLAIT__PICTURE_NOTES ||
	       commands > MANY_NAMES ? strips :
	       lower_rows(picture, boxes, strips);
}

const char *plait__picture_command_fill(const struct plait__picture *picture,
					uint32_t number)
{
	const plait__plan *plan = picture->plan;
	const plait__plan_command *command = &plan->commands[number];
	uint32_t device = plan->lanes[command->lane].device;
	uint32_t shade = command->position % 2;

	if (command->kind == PLAIT__CMD_REGION ||
	    command->kind == PLAIT__CMD_ENTER)
		return "#f5f5f5";
	if (command->kind == PLAIT__CMD_LAUNCH &&
	    command->link < plan->payloads_count &&
	    plan->payloads[command->link].kernel != PLAIT__NONE)
		shade = plan->payloads[command->link].kernel;
	return plait__picture_fill(device, shade);
}

/* What takes no time, as a barrier's stub, is to be seen too: it gets some of
 * the room behind it, or stands on what ends there. */
static double seen_width(const struct plait__picture *picture, uint32_t number,
			 plait__simulate_span span, double *x)
{
	uint64_t until = plait__scene_free_until(&picture->scene, number);
	double width = plait__picture_x_in(picture, span.end) - *x;
	double room = plait__picture_x_in(picture, until) - *x;

	if (span.start == span.end && room < NARROWEST) {
		*x -= NARROWEST - room;
		return NARROWEST;
	}
	if (room > NARROWEST)
		room = NARROWEST;
	width = width < room ? room : width;
	return width < 1 ? 1 : width;
}

static void draw_box(const struct plait__picture *picture, uint32_t number)
{
	plait__simulate_span span = plait__scene_span(&picture->scene, number);
	bool region = plait__scene_is_region(&picture->scene, number);
	bool marked = picture->scene.critical[number];
	double x = plait__picture_x_in(picture, span.start);
	double width = seen_width(picture, number, span, &x);
	double y, height;

	plait__picture_box(picture, number, &y, &height);
	plait__text_add(picture->out,
			"<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" "
			"height=\"%.1f\" rx=\"2\" fill=\"%s\" "
			"stroke=\"%s\" stroke-width=\"%s\"%s>",
			x, y, width, height,
			plait__picture_command_fill(picture, number),
			marked ? "#000" : "#777",
			marked ? "2" : "0.6",
			region ? " stroke-dasharray=\"3,2\"" : "");
	draw_tip(picture, number);
	plait__text_add(picture->out, "</rect>\n");
}

/* Regions first, outer ones before inner ones: a body comes after the body
 * that holds its region. */
static void draw_boxes(const struct plait__picture *picture, bool regions,
		       void (*draw)(const struct plait__picture *picture,
				    uint32_t number))
{
	const plait__scene *scene = &picture->scene;

	for (uint32_t i = 0; i < picture->plan->command_count; i++)
		if (plait__scene_is_region(scene, i) == regions &&
		    plait__scene_depth(scene, i) != PLAIT__NONE &&
		    plait__picture_shows(picture, plait__scene_span(scene, i)))
			draw(picture, i);
}

void plait__picture_arrow(plait__text *out, double x1, double y1, double x2,
			  double y2)
{
	double bend = x2 > x1 ? (x2 - x1) / 2 + 4 : 12;

	plait__text_add(out, "<path d=\"M%.1f,%.1f C%.1f,%.1f %.1f,%.1f "
			"%.1f,%.1f\"/>\n", x1, y1, x1 + bend, y1, x2 - bend,
			y2, x2, y2);
}

void plait__picture_arrows(plait__text *out, bool many)
{
	plait__text_add(out, "<g fill=\"none\" stroke=\""
			PLAIT__PICTURE_WAIT "\" "
			"stroke-width=\"%s\" opacity=\"%s\" "
			"marker-end=\"url(#tip)\">\n", many ? "0.9" : "1.2",
			many ? "0.5" : "0.85");
}

/* From the corner that is next to the other lane, so that it does not cross
 * the name of what follows on its own. */
static void draw_arrow(const struct plait__picture *picture, uint32_t from,
		       uint32_t to)
{
	uint64_t end = plait__scene_span(&picture->scene, from).end;
	uint64_t start = plait__scene_span(&picture->scene, to).start;
	double x1 = plait__picture_x_in(picture, end);
	double x2 = plait__picture_x_in(picture, start);
	double y1, y2, height1, height2;

	/* Of one that ends in another strip both ends are there, each up to
	 * the edge, and nothing in between. */
	if ((end < picture->start || end >= picture->stop) &&
	    (start < picture->start || start >= picture->stop))
		return;
	plait__picture_box(picture, from, &y1, &height1);
	plait__picture_box(picture, to, &y2, &height2);
	y2 += height2 / 2;
	if (y2 > y1 + height1)
		y1 += height1;
	else if (y2 > y1)
		y1 += height1 / 2;
	plait__picture_arrow(picture->out, x1, y1, x2, y2);
}

/* A stub waits for its region, beside which it is shown. */
static bool is_stub_of(const plait__plan *plan, uint32_t command,
		       uint32_t region)
{
	return plan->commands[command].kind == PLAIT__CMD_ENTER &&
	       plan->regions[plan->commands[command].link].command == region;
}

static void draw_waits_of(const struct plait__picture *picture, uint32_t body,
			  uint32_t command)
{
	const plait__plan *plan = picture->plan;
	uint32_t end = plan->commands[command + 1].wait_first;

	for (uint32_t i = plan->commands[command].wait_first; i < end; i++) {
		uint32_t from = plait__plan_find_command(
			plan, body, plan->waits[i].lane,
			plan->waits[i].position);

		if (!is_stub_of(plan, command, from))
			draw_arrow(picture, from, command);
	}
}

static void draw_waits(const struct plait__picture *picture)
{
	const plait__plan *plan = picture->plan;

	plait__picture_arrows(picture->out, plan->waits_count > MANY_WAITS);
	for (uint32_t i = 0; i < plan->command_count; i++) {
		uint32_t body = plan->nodes[plan->commands[i].node].body;

		if (picture->scene.depths[body] != PLAIT__NONE)
			draw_waits_of(picture, body, i);
	}
	plait__text_add(picture->out, "</g>\n");
}

void plait__picture_plan(const struct plait__picture *picture)
{
	plait__picture_rows(picture);
	draw_boxes(picture, true, draw_box);
	draw_boxes(picture, false, draw_box);
	plait__picture_bands(picture);
	draw_waits(picture);
	/* Arrows go under names. */
	draw_boxes(picture, true, plait__picture_draw_name);
	draw_boxes(picture, false, plait__picture_draw_name);
	plait__picture_draw_numbers(picture);
}

void plait__picture_find_notes(const struct plait__picture *picture)
{
	draw_boxes(picture, false, plait__picture_find_note);
}

static void draw_strips(struct plait__picture *picture, uint32_t strips,
			void (*draw)(const struct plait__picture *picture))
{
	uint64_t time = picture->stop;

	while (strips-- > 0) {
		/* What ends the last one and takes no time is there too. */
		if (strips == 0)
			picture->stop = UINT64_MAX;
		draw(picture);
		picture->start = picture->stop;
		picture->stop += time;
		picture->top += plait__picture_strip_height(picture);
	}
}

void plait__draw_svg(const plait__plan *plan, const plait__timeline *timeline,
		     plait__text *out)
{
	struct plait__picture picture = { .plan = plan, .out = out };
	struct plait__picture_notes notes = { 0 };

	if (plait__scene_init(&picture.scene, plan, timeline,
			      out->allocator) &&
	    plait__scene_shorten(&picture.scene)) {
		uint32_t strips = choose_size(&picture);
		double bottom = plait__picture_bottom(&picture) +
				(double)(strips - 1) *
				plait__picture_strip_height(&picture);
		struct plait__picture first = picture;

		if (plan->command_count <= PLAIT__PICTURE_NOTES)
			picture.notes = first.notes = &notes;
		draw_strips(&first, strips, plait__picture_find_notes);
		plait__picture_open(&picture, plait__picture_draw_notes(
					    &picture, bottom, false));
		draw_title(&picture);
		(void)plait__picture_legend(&picture,
					    "loop or case, first round");
		draw_strips(&picture, strips, plait__picture_plan);
		(void)plait__picture_draw_notes(&picture, bottom, true);
		plait__text_add(out, "</svg>\n");
	} else {
		out->failed = true;
	}
	plait__scene_fini(&picture.scene, out->allocator);
}
