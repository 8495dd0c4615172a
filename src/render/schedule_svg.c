/* SPDX-License-Identifier: MIT */
/*
 * Picture of a schedule: a row per lane, a box per command, an arrow per wait,
 * the critical path outlined.  Regions are drawn behind the first iteration of
 * their bodies, on each lane that they occupy.
 */
#include "render/schedule_svg.h"

#include "render/axes.h"
#include "render/elision_bands.h"
#include "render/labels.h"
#include "render/render.h"
#include "render/temporary_notes.h"
#include "plan/io/escape.h"
#include "plan/io/limit_text.h"

enum {
	PER_COMMAND = 26,	/* least width per average command */
	PER_COMMAND_WIDE = 48,		/* width per average command if there is
					 * room */
	MANY_NAMES = 20000,	/* too many to measure repeatedly */
	MANY_WAITS = 200,	/* above this arrows are thinner */
	NARROWEST = 4,		/* width of a box, if there is room */
	TITLE_Y = 20,
	TITLE_COLUMNS = 160,	/* of each part of a title */
};

static void draw_caption(const struct plait__canvas *canvas)
{
	plait__text_add(canvas->out, "<text x=\"6\" y=\"%d\" "
			"font-size=\"14\" font-weight=\"bold\" "
			"fill=\"#222\">", TITLE_Y);
	plait__escape_xml(canvas->caption->title, TITLE_COLUMNS, canvas->out);
	plait__text_add(canvas->out, "<tspan font-size=\"11\" "
			"font-weight=\"normal\" fill=\"#444\" dx=\"12\">");
	plait__escape_xml(canvas->caption->detail, TITLE_COLUMNS, canvas->out);
	plait__text_add(canvas->out, "</tspan></text>\n");
}

static void draw_title(const struct plait__canvas *canvas)
{
	const plait__plan *plan = canvas->plan;
	const plait__timeline *timeline = canvas->layout.timeline;
	uint32_t nodes = plait__plan_nodes_in(plan);

	plait__text_add(canvas->out,
			"<text x=\"6\" y=\"%d\" font-size=\"14\" "
			"font-weight=\"bold\" fill=\"#222\">%u node%s on %u "
			"lane%s<tspan font-size=\"11\" font-weight=\"normal\" "
			"fill=\"#444\" dx=\"12\">%s, %s; %u wait%s; makespan "
			"%llu, critical path %llu</tspan></text>\n", TITLE_Y,
			nodes, plait__escape_plural(nodes),
			plan->lanes_count, plait__escape_plural(plan->lanes_count),
			plan->policy == PLAIT__POLICY_WIDEST ? "widest" :
			"bounded", plan->mode == PLAIT__MODE_HELPED ?
			"helped" : "strict",
			plan->waits_count, plait__escape_plural(plan->waits_count),
			(unsigned long long)timeline->makespan,
			(unsigned long long)timeline->critical_cost);
}

/*
 * Returns the number of boxes of average width that fit side by side in the
 * makespan, but at least the longest track and at most the number of commands.
 */
static uint64_t boxes_in_a_row(const struct plait__canvas *canvas)
{
	const plait__timeline_layout *layout = &canvas->layout;
	const plait__plan *plan = canvas->plan;
	double took = 0, count = 0, boxes;
	uint32_t longest = 1;

	for (uint32_t i = 0; i < plan->tracks_count; i++)
		if (plan->tracks[i].count > longest)
			longest = plan->tracks[i].count;
	for (uint32_t i = 0; i < plan->command_count; i++) {
		plait__simulate_span span =
			plait__timeline_shown_span(layout, i);

		if (plait__timeline_is_region(layout, i) ||
		    plait__timeline_depth(layout, i) == PLAIT__NONE)
			continue;
		took += (double)(span.end - span.start);
		count++;
	}
	boxes = took > 0 ? (double)canvas->makespan * count / took : 0;
	boxes = boxes < count ? boxes : count;
	return boxes > longest ? (uint64_t)boxes : longest;
}

static uint32_t limit_strips(const struct plait__canvas *canvas,
			     uint32_t strips)
{
	if (strips > PLAIT__CANVAS_STRIPS)
		strips = PLAIT__CANVAS_STRIPS;
	if (strips > canvas->makespan)
		strips = (uint32_t)canvas->makespan;
	return strips > 0 ? strips : 1;
}

/*
 * Time continues in the next strip at the page's edge.  Use the comfortable
 * number of strips if the page has room, else as many as fit, but at least the
 * minimum.
 */
static uint32_t choose_strips(const struct plait__canvas *canvas,
			      uint64_t boxes)
{
	uint32_t good = plait__canvas_strips(boxes * PER_COMMAND_WIDE);
	uint32_t least = plait__canvas_strips(boxes * PER_COMMAND);
	uint32_t room =
		PLAIT__CANVAS_HEIGHT_MAX / plait__canvas_strip_height(canvas);
	uint32_t strips = good <= room ? good : room > least ? room : least;

	return limit_strips(canvas, strips);
}

/* Cut time into strips for the current row height; returns their number and
 * sets the first one. */
static uint32_t cut_strips(struct plait__canvas *canvas, uint64_t boxes,
			   uint32_t strips)
{
	uint64_t makespan = canvas->makespan, width = boxes * PER_COMMAND_WIDE;

	canvas->width = plait__canvas_clamp_width(width);
	canvas->stop = makespan / strips + (makespan % strips != 0);
	canvas->scale = (double)canvas->width /
			 (double)(canvas->stop > 0 ? canvas->stop : 1);
	/* After rounding up, the same time may need fewer strips. */
	return canvas->stop > 0 ?
		plait__canvas_divide_up(makespan, canvas->stop) : 1;
}

/* Tooltip of a box. */
static void draw_tip(const struct plait__canvas *canvas, uint32_t number)
{
	const plait__plan_command *command = &canvas->plan->commands[number];
	plait__simulate_span span =
		plait__timeline_planned_span(&canvas->layout, number);
	char name[256], limits[PLAIT__LIMIT_TEXT_BYTES];

	plait__text_add(canvas->out, "<title>");
	plait__escape_xml(plait__escape_node_name(canvas->plan, command->node,
						  name), 200, canvas->out);
	plait__text_add(canvas->out,
			": lane %u, position %u, %llu to %llu",
			command->lane, command->position,
			(unsigned long long)span.start,
			(unsigned long long)span.end);
	plait__escape_xml(plait__limit_text_of(canvas->plan, number, limits),
			  PLAIT__LIMIT_TEXT_BYTES, canvas->out);
	plait__text_add(canvas->out, "</title>");
}

/* ---- row heights ---- */

/* Count the names that fit in full. */
static uint32_t count_names(const struct plait__canvas *canvas)
{
	const plait__timeline_layout *layout = &canvas->layout;
	uint32_t count = 0;

	for (uint32_t i = 0; i < canvas->plan->command_count; i++) {
		double from =
			(double)plait__timeline_shown_span(layout, i).start;
		double room =
			(double)plait__timeline_free_until(layout, i) - from;
		char label[PLAIT__CANVAS_NAME];

		if (plait__timeline_is_region(layout, i) ||
		    plait__timeline_depth(layout, i) == PLAIT__NONE)
			continue;
		(void)plait__labels_name(canvas, i, label);
		count += plait__escape_columns(label) *
			 PLAIT__CANVAS_COLUMN_SMALL <=
			 room * canvas->scale - PLAIT__CANVAS_NAME_GAP;
	}
	return count;
}

/* Lower rows leave room for more strips, and so for longer names: use them if
 * clearly more names fit. */
static uint32_t lower_rows(struct plait__canvas *canvas, uint64_t boxes,
			   uint32_t strips)
{
	static const uint32_t heights[] = {
		24, PLAIT__CANVAS_ROW_WIDE, 16, 14, PLAIT__CANVAS_ROW_NAMED
	};
	uint32_t most = count_names(canvas);
	struct plait__canvas best = *canvas;

	for (uint32_t i = 0; i < sizeof(heights) / sizeof(heights[0]); i++) {
		struct plait__canvas lower = *canvas;
		uint32_t more, names;

		if (heights[i] >= canvas->row)
			continue;
		plait__canvas_set_row(&lower, heights[i], lower.layout.depth);
		more = cut_strips(&lower, boxes, limit_strips(
			&lower, PLAIT__CANVAS_HEIGHT_MAX /
				plait__canvas_strip_height(&lower)));
		names = count_names(&lower);
		if (names < most + most / 20 + 1)
			continue;
		most = names;
		best = lower;
		strips = more;
	}
	*canvas = best;
	return strips;
}

/* Returns the number of strips and sets the first one. */
static uint32_t choose_size(struct plait__canvas *canvas)
{
	uint32_t commands = canvas->plan->command_count, strips;
	uint64_t boxes;

	canvas->makespan = plait__elision_to_shown(
		&canvas->layout.elision, canvas->layout.timeline->makespan);
	canvas->top = PLAIT__CANVAS_TOP;
	canvas->unit = canvas->caption != NULL ? canvas->caption->unit :
						 "units of cost";
	canvas->unit_short = canvas->caption != NULL ? canvas->caption->unit :
						       "units";
	canvas->unit_time = 1;
	canvas->tip_unit = "";
	canvas->row_count = canvas->plan->lanes_count;
	plait__canvas_choose_row(canvas, canvas->layout.depth);
	boxes = boxes_in_a_row(canvas);
	strips = cut_strips(canvas, boxes, choose_strips(canvas, boxes));
	return canvas->strip == 0 || commands <= PLAIT__CANVAS_NOTES ||
	       commands > MANY_NAMES ? strips :
	       lower_rows(canvas, boxes, strips);
}

const char *plait__schedule_command_fill(const struct plait__canvas *canvas,
					 uint32_t number)
{
	const plait__plan *plan = canvas->plan;
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
	return plait__axes_device_fill(device, shade);
}

/*
 * A command of no duration, as a barrier's stub, must be visible too: widen its
 * box into the free time after it, or let it overlap the box that ends there.
 */
static double visible_width(const struct plait__canvas *canvas, uint32_t number,
			    plait__simulate_span span, double *x)
{
	uint64_t until = plait__timeline_free_until(&canvas->layout, number);
	double width = plait__canvas_clamped_x(canvas, span.end) - *x;
	double room = plait__canvas_clamped_x(canvas, until) - *x;

	if (span.start == span.end && room < NARROWEST) {
		*x -= NARROWEST - room;
		return NARROWEST;
	}
	if (room > NARROWEST)
		room = NARROWEST;
	width = width < room ? room : width;
	return width < 1 ? 1 : width;
}

static void draw_box(const struct plait__canvas *canvas, uint32_t number)
{
	plait__simulate_span span = plait__timeline_shown_span(&canvas->layout,
							       number);
	bool region = plait__timeline_is_region(&canvas->layout, number);
	bool marked = canvas->layout.critical[number];
	double x = plait__canvas_clamped_x(canvas, span.start);
	double width = visible_width(canvas, number, span, &x);
	double y, height;

	plait__canvas_command_box(canvas, number, &y, &height);
	plait__text_add(canvas->out,
			"<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" "
			"height=\"%.1f\" rx=\"2\" fill=\"%s\" "
			"stroke=\"%s\" stroke-width=\"%s\"%s>",
			x, y, width, height,
			plait__schedule_command_fill(canvas, number),
			marked ? "#000" : "#777",
			marked ? "2" : "0.6",
			region ? " stroke-dasharray=\"3,2\"" : "");
	draw_tip(canvas, number);
	plait__text_add(canvas->out, "</rect>\n");
}

/* Draw the regions of this strip, outer ones before inner ones (a body follows the
 * body that holds its region), or all other commands.  The caller draws regions
 * first. */
static void draw_boxes(const struct plait__canvas *canvas, bool regions,
		       void (*draw)(const struct plait__canvas *canvas,
				    uint32_t number))
{
	const plait__timeline_layout *layout = &canvas->layout;

	for (uint32_t i = 0; i < canvas->plan->command_count; i++)
		if (plait__timeline_is_region(layout, i) == regions &&
		    plait__timeline_depth(layout, i) != PLAIT__NONE &&
		    plait__canvas_shows(canvas,
					plait__timeline_shown_span(layout, i)))
			draw(canvas, i);
}

/* Start at the corner nearest to the other lane, so that the arrow does not
 * cross the name of the next command. */
static void draw_arrow(const struct plait__canvas *canvas, uint32_t from,
		       uint32_t to)
{
	uint64_t end = plait__timeline_shown_span(&canvas->layout, from).end;
	uint64_t start = plait__timeline_shown_span(&canvas->layout, to).start;
	double x1 = plait__canvas_clamped_x(canvas, end);
	double x2 = plait__canvas_clamped_x(canvas, start);
	double y1, y2, height1, height2;

	/* An arrow into another strip is drawn in both, up to the edge; strips
	 * between show nothing. */
	if ((end < canvas->start || end >= canvas->stop) &&
	    (start < canvas->start || start >= canvas->stop))
		return;
	plait__canvas_command_box(canvas, from, &y1, &height1);
	plait__canvas_command_box(canvas, to, &y2, &height2);
	y2 += height2 / 2;
	if (y2 > y1 + height1)
		y1 += height1;
	else if (y2 > y1)
		y1 += height1 / 2;
	plait__canvas_draw_arrow(canvas->out, x1, y1, x2, y2);
}

/* A stub waits for its region, beside which it is shown: no arrow. */
static bool is_stub_of(const plait__plan *plan, uint32_t command,
		       uint32_t region)
{
	return plan->commands[command].kind == PLAIT__CMD_ENTER &&
	       plan->regions[plan->commands[command].link].command == region;
}

static void draw_waits_of(const struct plait__canvas *canvas, uint32_t body,
			  uint32_t command)
{
	const plait__plan *plan = canvas->plan;
	uint32_t end = plan->commands[command + 1].wait_first;

	for (uint32_t i = plan->commands[command].wait_first; i < end; i++) {
		uint32_t from = plait__plan_find_command(
			plan, body, plan->waits[i].lane,
			plan->waits[i].position);

		if (!is_stub_of(plan, command, from))
			draw_arrow(canvas, from, command);
	}
}

static void draw_waits(const struct plait__canvas *canvas)
{
	const plait__plan *plan = canvas->plan;

	plait__canvas_open_arrows(canvas->out, plan->waits_count > MANY_WAITS);
	for (uint32_t i = 0; i < plan->command_count; i++) {
		uint32_t body = plan->nodes[plan->commands[i].node].body;

		if (canvas->layout.depths[body] != PLAIT__NONE)
			draw_waits_of(canvas, body, i);
	}
	plait__text_add(canvas->out, "</g>\n");
}

static void draw_names(const struct plait__canvas *canvas)
{
	draw_boxes(canvas, true, plait__labels_draw_name);
	draw_boxes(canvas, false, plait__labels_draw_name);
	plait__labels_draw_numbers(canvas);
	plait__elision_draw_counts(canvas);
}

void plait__schedule_draw_plan(const struct plait__canvas *canvas)
{
	plait__axes_draw_rows(canvas);
	draw_boxes(canvas, true, draw_box);
	draw_boxes(canvas, false, draw_box);
	plait__elision_draw_bands(canvas);
	draw_waits(canvas);
	/* Arrows lie under names. */
	plait__labels_open_halos(canvas->out);
	draw_names(canvas);
	plait__labels_close_halos(canvas->out);
	draw_names(canvas);
}

void plait__schedule_find_notes(const struct plait__canvas *canvas)
{
	draw_boxes(canvas, false, plait__labels_find_note);
}

static void draw_strips(struct plait__canvas *canvas, uint32_t strips,
			void (*draw)(const struct plait__canvas *canvas))
{
	uint64_t time = canvas->stop;

	while (strips-- > 0) {
		/* The last strip includes commands of no duration at the
		 * end. */
		if (strips == 0)
			canvas->stop = UINT64_MAX;
		draw(canvas);
		canvas->start = canvas->stop;
		canvas->stop += time;
		canvas->top += plait__canvas_strip_height(canvas);
	}
}

/* Write what is below the lanes, or only measure; returns the end. */
static double draw_notes(const struct plait__canvas *canvas, double bottom,
			 bool draw)
{
	return plait__temporary_notes_draw(
		canvas, plait__labels_draw_notes(canvas, bottom, draw), draw);
}

void plait__schedule_svg(const plait__plan *plan,
			 const plait__timeline *timeline, plait__text *out)
{
	plait__schedule_svg_captioned(plan, timeline, NULL, out);
}

void plait__schedule_svg_captioned(const plait__plan *plan,
				   const plait__timeline *timeline,
				   const plait__schedule_caption *caption,
				   plait__text *out)
{
	struct plait__canvas canvas = { .plan = plan, .out = out,
					.caption = caption };
	struct plait__canvas_notes notes = { 0 };

	if (plait__timeline_layout_init(&canvas.layout, plan, timeline,
					out->allocator) &&
	    plait__timeline_elide_rounds(&canvas.layout)) {
		uint32_t strips = choose_size(&canvas);
		double bottom = plait__canvas_bottom(&canvas) +
				(double)(strips - 1) *
				plait__canvas_strip_height(&canvas);
		struct plait__canvas first = canvas;

		if (plan->command_count <= PLAIT__CANVAS_NOTES)
			canvas.notes = first.notes = &notes;
		draw_strips(&first, strips, plait__schedule_find_notes);
		plait__axes_open(&canvas, draw_notes(&canvas, bottom, false));
		if (caption != NULL)
			draw_caption(&canvas);
		else
			draw_title(&canvas);
		(void)plait__axes_draw_legend(&canvas,
					      "loop or case, first round");
		draw_strips(&canvas, strips, plait__schedule_draw_plan);
		(void)draw_notes(&canvas, bottom, true);
		plait__text_add(out, "</svg>\n");
	} else {
		out->failed = true;
	}
	plait__timeline_layout_fini(&canvas.layout, out->allocator);
}
