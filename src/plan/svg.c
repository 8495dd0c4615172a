/* SPDX-License-Identifier: MIT */
/*
 * The schedule of a plan as a picture: a row per lane, a box per command, an
 * arrow per wait, the critical path outlined.  Regions are drawn behind what
 * their bodies do in the first iteration, on each lane that they keep.
 */
#include "plan/draw.h"
#include "plan/names.h"
#include "plan/picture.h"

#include <stdio.h>

enum {
	ROW = 30, ROW_MIN = 8,	/* a lane's, without names of regions */
	ROW_NAMED = 12,		/* in less no name can be read */
	ROW_WIDE = 20,		/* in less boxes have no room between */
	STRIP = 12,		/* a region's name above what is in it */
	STRIPS_MAX = 4,
	WIDTH_MIN = 900,
	/* A page: what fits a screen as a whole can be read there. */
	WIDTH_MAX = 1600 - PLAIT__PICTURE_LEFT - PLAIT__PICTURE_RIGHT,
	HEIGHT_MAX = 1200 - PLAIT__PICTURE_TOP - PLAIT__PICTURE_BOTTOM,
	BETWEEN = 14,		/* strips of time, beside the axis */
	STRIPS_OF_TIME = 64,	/* most */
	SIZE = 11, SIZE_SMALL = 8,	/* of names */
	COLUMN_SMALL = 5,	/* a character's width in the small size */
	PER_COMMAND = 26,	/* what a short command needs at least */
	COMFORT = 48,		/* and gets while there is room */
	MANY_WAITS = 200,	/* arrows are drawn thinner from here on */
	TITLE_Y = 20,
	NOTE = 16, NOTE_GAP = 18,	/* a line of notes; between two */
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
		plait__simulate_span span = scene->timeline->spans[i];

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

void plait__picture_choose_row(struct plait__picture *picture, uint32_t depth)
{
	uint32_t fits = HEIGHT_MAX / (picture->row_count > 0 ?
				      picture->row_count : 1);
	uint32_t row = fits < ROW_MIN ? ROW_MIN : fits > ROW ? ROW : fits;

	picture->inset = row < ROW_WIDE ? 1 : 4;
	picture->strip = row < ROW_NAMED ? 0 : STRIP;
	picture->row = row + picture->strip * (depth < STRIPS_MAX ? depth :
					       STRIPS_MAX);
}

static uint32_t strip_height(const struct plait__picture *picture)
{
	return picture->row_count * picture->row + PLAIT__PICTURE_AXIS +
	       BETWEEN;
}

static uint32_t divide_up(uint64_t what, uint64_t by)
{
	return (uint32_t)(what / by + (what % by != 0));
}

/* Time goes on in the next strip where the page ends; as many as are good to
 * read, if the page has room for them, else as many as must be. */
static uint32_t choose_strips(const struct plait__picture *picture,
			      uint64_t boxes)
{
	uint32_t good = divide_up(boxes * COMFORT, WIDTH_MAX);
	uint32_t least = divide_up(boxes * PER_COMMAND, WIDTH_MAX);
	uint32_t room = HEIGHT_MAX / strip_height(picture);
	uint32_t strips = good <= room ? good : room > least ? room : least;

	if (strips > STRIPS_OF_TIME)
		strips = STRIPS_OF_TIME;
	return strips < picture->makespan ? strips :
	       picture->makespan > 0 ? (uint32_t)picture->makespan : 1;
}

/* Returns how many strips there are; the first one is set. */
static uint32_t choose_size(struct plait__picture *picture)
{
	uint64_t makespan = picture->scene.timeline->makespan;
	uint64_t boxes, width;
	uint32_t strips;

	picture->makespan = makespan;
	picture->top = PLAIT__PICTURE_TOP;
	picture->unit = "units of cost";
	picture->unit_time = 1;
	picture->row_count = picture->plan->lanes_count;
	plait__picture_choose_row(picture, picture->scene.depth);
	boxes = boxes_in_a_row(picture);
	width = boxes * COMFORT;
	strips = choose_strips(picture, boxes);
	picture->width = (uint32_t)(width < WIDTH_MIN ? WIDTH_MIN :
				    width > WIDTH_MAX ? WIDTH_MAX : width);
	picture->stop = makespan / strips + (makespan % strips != 0);
	picture->scale = (double)picture->width /
			 (double)(picture->stop > 0 ? picture->stop : 1);
	/* Rounded up, the same time may need fewer of them. */
	return picture->stop > 0 ? divide_up(makespan, picture->stop) : 1;
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

static void box_of(const struct plait__picture *picture, uint32_t number,
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
	plait__simulate_span span = plait__scene_span(&picture->scene, number);
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

/* A region's name says how often, or which branch is shown. */
static const char *label_of(const struct plait__picture *picture, uint32_t number,
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
void plait__picture_label(const struct plait__picture *picture,
			  const char *label, bool frame, double x, double y,
			  double height, double room)
{
	uint32_t length = plait__names_columns(label);
	bool small = frame || height < SIZE + 2 ||
		     length * PLAIT__PICTURE_COLUMN > room;
	uint32_t size = small ? SIZE_SMALL : SIZE;
	uint32_t columns = room < 0 ? 0 :
			   (uint32_t)(room / (small ? COLUMN_SMALL :
				      PLAIT__PICTURE_COLUMN));

	/* "n.." instead of n17 would only mislead. */
	if (picture->strip == 0 || (columns < length && columns < 5))
		return;
	plait__text_add(picture->out,
			"<text x=\"%.1f\" y=\"%.1f\" font-size=\"%u\"%s>",
			x + 3, frame ? y + 9 : y + height / 2 + size * 0.36,
			size, frame ? " fill=\"#555\"" : "");
	plait__names_xml(label, columns, picture->out);
	plait__text_add(picture->out, "</text>\n");
}

/* Within the strip. */
static double x_of(const struct plait__picture *picture, uint64_t time)
{
	if (time < picture->start)
		time = picture->start;
	if (time > picture->stop)
		time = picture->stop;
	return plait__picture_x(picture, time);
}

/* Where a name would be, and how far its place is free. */
static double place_label(const struct plait__picture *picture,
			  uint32_t number, double *x)
{
	*x = x_of(picture, plait__scene_span(&picture->scene, number).start);
	return x_of(picture, plait__scene_free_until(&picture->scene,
						     number)) - *x - 5;
}

/* The number of its note, from 1; 0: its name has room, or notes have not. */
static uint32_t note_of(const struct plait__picture *picture, uint32_t number,
			const char *label, double room)
{
	struct plait__picture_notes *notes = picture->notes;
	uint32_t i = 0;

	if (notes == NULL || plait__scene_is_region(&picture->scene, number) ||
	    plait__names_columns(label) * COLUMN_SMALL <= room)
		return 0;
	while (i < notes->count && notes->commands[i] != number)
		i++;
	if (i == PLAIT__PICTURE_NOTES)
		return 0;
	if (i == notes->count)
		notes->commands[notes->count++] = number;
	return i + 1;
}

static void find_note(const struct plait__picture *picture, uint32_t number)
{
	char label[280];
	double x, room = place_label(picture, number, &x);

	(void)note_of(picture, number, label_of(picture, number, label), room);
}

/* In the box, below where arrows end; above it if it is too narrow. */
static void draw_number(const struct plait__picture *picture, uint32_t note,
			double x, double y, double height, double room)
{
	bool inside = room + 5 >= (note > 9 ? 3 : 2) * COLUMN_SMALL;

	plait__text_add(picture->out, "<text x=\"%.1f\" y=\"%.1f\" "
			"font-size=\"%d\" fill=\"#a00\">%u</text>\n",
			inside ? x + 3 : x,
			inside ? y + height - 2 : y - 0.5,
			inside ? SIZE_SMALL : SIZE_SMALL - 1, note);
}

static void draw_label(const struct plait__picture *picture, uint32_t number)
{
	bool frame = plait__scene_is_region(&picture->scene, number);
	char label[280];
	double x, y, height, room = place_label(picture, number, &x);
	uint32_t note = note_of(picture, number,
				label_of(picture, number, label), room);

	box_of(picture, number, &y, &height);
	if (note > 0)
		draw_number(picture, note, x, y, height, room);
	else
		plait__picture_label(picture, label, frame, x, y, height,
				     room);
}

/* Names behind their numbers, from `y` down; returns where they end. */
static double draw_notes(const struct plait__picture *picture, double y,
			 bool draw)
{
	double x = 6, end = PLAIT__PICTURE_LEFT + picture->width, width;
	const struct plait__picture_notes *notes = picture->notes;
	char label[280];

	for (uint32_t i = 0; notes != NULL && i < notes->count; i++) {
		label_of(picture, notes->commands[i], label);
		width = (plait__names_columns(label) + 3) *
			PLAIT__PICTURE_COLUMN;
		if (i == 0 || x + width > end) {
			x = 6;
			y += NOTE;
		}
		if (draw) {
			plait__text_add(picture->out, "<text x=\"%.1f\" "
					"y=\"%.1f\"><tspan fill=\"#a00\">%u"
					"</tspan> ", x, y, i + 1);
			plait__names_xml(label, 200, picture->out);
			plait__text_add(picture->out, "</text>\n");
		}
		x += width + NOTE_GAP;
	}
	return y;
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

static void draw_box(const struct plait__picture *picture, uint32_t number)
{
	plait__simulate_span span = plait__scene_span(&picture->scene, number);
	bool region = plait__scene_is_region(&picture->scene, number);
	bool marked = picture->scene.critical[number];
	double x = x_of(picture, span.start);
	double width = x_of(picture, span.end) - x;
	double y, height;

	if (width < 1)
		width = 1;
	box_of(picture, number, &y, &height);
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
	plait__text_add(out, "<g fill=\"none\" stroke=\"#555\" "
			"stroke-width=\"%s\" opacity=\"%s\" "
			"marker-end=\"url(#tip)\">\n", many ? "0.5" : "0.9",
			many ? "0.45" : "0.75");
}

/* From the corner that is next to the other lane, so that it does not cross
 * the name of what follows on its own. */
static void draw_arrow(const struct plait__picture *picture, uint32_t from,
		       uint32_t to)
{
	uint64_t end = plait__scene_span(&picture->scene, from).end;
	uint64_t start = plait__scene_span(&picture->scene, to).start;
	double x1 = x_of(picture, end), x2 = x_of(picture, start);
	double y1, y2, height1, height2;

	/* Of one that ends in another strip both ends are there, each up to
	 * the edge, and nothing in between. */
	if ((end < picture->start || end >= picture->stop) &&
	    (start < picture->start || start >= picture->stop))
		return;
	box_of(picture, from, &y1, &height1);
	box_of(picture, to, &y2, &height2);
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
	draw_waits(picture);
	/* Arrows go under names. */
	draw_boxes(picture, true, draw_label);
	draw_boxes(picture, false, draw_label);
}

static void find_notes(const struct plait__picture *picture)
{
	draw_boxes(picture, false, find_note);
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
		picture->top += strip_height(picture);
	}
}

void plait__draw_svg(const plait__plan *plan, const plait__timeline *timeline,
		     plait__text *out)
{
	struct plait__picture picture = { .plan = plan, .out = out };
	struct plait__picture_notes notes = { 0 };

	if (plait__scene_init(&picture.scene, plan, timeline,
			      out->allocator)) {
		uint32_t strips = choose_size(&picture);
		double bottom = plait__picture_bottom(&picture) +
				(double)(strips - 1) * strip_height(&picture);
		struct plait__picture first = picture;

		if (plan->command_count <= PLAIT__PICTURE_NOTES)
			picture.notes = first.notes = &notes;
		draw_strips(&first, strips, find_notes);
		plait__picture_open(&picture, draw_notes(&picture, bottom,
							 false));
		draw_title(&picture);
		(void)plait__picture_legend(&picture,
					    "loop or case, first round");
		draw_strips(&picture, strips, plait__picture_plan);
		(void)draw_notes(&picture, bottom, true);
		plait__text_add(out, "</svg>\n");
	} else {
		out->failed = true;
	}
	plait__scene_fini(&picture.scene, out->allocator);
}
