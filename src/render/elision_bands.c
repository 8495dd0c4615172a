/* SPDX-License-Identifier: MIT */
/* Bands of omitted loop iterations: one per lane of the loop, with the number
 * of iterations. */
#include "render/elision_bands.h"
#include "plan/io/escape.h"

#include <stdio.h>

enum { SIZE = 8, PADDING = 6 };

/* A trace of a single thread has one row. */
static uint32_t rows_of(const struct plait__canvas *canvas,
			const plait__plan_region *region)
{
	return canvas->row_count < canvas->plan->lanes_count ?
		       1 : region->lane_count;
}

static uint32_t lane_of(const struct plait__canvas *canvas,
			const plait__plan_region *region, uint32_t number)
{
	return canvas->row_count < canvas->plan->lanes_count ?
		       0 : canvas->plan->region_lanes[region->lane_first +
						      number];
}

static void draw_tip(const struct plait__canvas *canvas,
		     const plait__elision_gap *gap)
{
	const plait__plan *plan = canvas->plan;
	char name[256];

	plait__text_add(canvas->out, "<title>");
	plait__escape_xml(plait__escape_node_name(
				 plan, plan->commands[plan->regions[
				 gap->region].command].node, name), 200,
			  canvas->out);
	if (gap->rounds > 0)
		plait__text_add(canvas->out, ": %llu more round%s",
				(unsigned long long)gap->rounds,
				gap->rounds == 1 ? "" : "s");
	plait__text_add(canvas->out, ", not shown: %llu to %llu%s</title>",
			(unsigned long long)gap->from,
			(unsigned long long)gap->to, canvas->tip_unit);
}

/* Draw as much of the count as fits. */
static void draw_count(const struct plait__canvas *canvas,
		       const plait__elision_gap *gap, double x, double y, double room)
{
	char text[40];
	int length = snprintf(text, sizeof(text), "%llu more",
			      (unsigned long long)gap->rounds);

	if (gap->rounds == 0 || canvas->strip == 0 || room <= 0)
		return;
	if (length * PLAIT__CANVAS_COLUMN_SMALL + PADDING > room)
		length = snprintf(text, sizeof(text), "x%llu",
				  (unsigned long long)gap->rounds);
	room -= length * PLAIT__CANVAS_COLUMN_SMALL;
	if (room < 0)
		return;
	plait__text_add(canvas->out, "<text x=\"%.1f\" y=\"%.1f\" "
			"font-size=\"%d\" fill=\"#222\">%s</text>\n",
			x + room / 2, y, SIZE, text);
}

/* The place of a band on lane `number` of its loop. */
struct place {
	double x, y, width, height;
};

static struct place place_band(const struct plait__canvas *canvas,
			       const plait__elision_gap *gap, uint32_t number)
{
	const plait__plan_region *region =
		&canvas->plan->regions[gap->region];
	uint64_t band = canvas->layout.elision.band;
	uint32_t depth = plait__timeline_depth(&canvas->layout,
					       region->command);
	struct place place;

	place.x = plait__canvas_clamped_x(canvas, gap->shown);
	place.width = plait__canvas_clamped_x(canvas, gap->shown + band) -
		      place.x;
	plait__canvas_place_box(canvas, lane_of(canvas, region, number),
				depth + 1, true, &place.y, &place.height);
	return place;
}

static void draw_band(const struct plait__canvas *canvas,
		      const plait__elision_gap *gap)
{
	uint32_t rows = rows_of(canvas, &canvas->plan->regions[gap->region]);

	for (uint32_t i = 0; i < rows; i++) {
		struct place place = place_band(canvas, gap, i);

		plait__text_add(canvas->out, "<rect x=\"%.2f\" y=\"%.1f\" "
				"width=\"%.2f\" height=\"%.1f\" %s>", place.x,
				place.y, place.width, place.height,
				PLAIT__CANVAS_ELIDED);
		draw_tip(canvas, gap);
		plait__text_add(canvas->out, "</rect>\n");
	}
}

static void draw_band_count(const struct plait__canvas *canvas,
			    const plait__elision_gap *gap)
{
	struct place place = place_band(canvas, gap, 0);

	draw_count(canvas, gap, place.x,
		   place.y + place.height / 2 + SIZE * 0.36, place.width);
}

static void draw_all(const struct plait__canvas *canvas,
		     void (*draw)(const struct plait__canvas *canvas,
				  const plait__elision_gap *gap))
{
	const plait__elision *elision = &canvas->layout.elision;

	for (uint32_t i = 0; i < elision->list.count; i++) {
		const plait__elision_gap *gap = plait__elision_at(elision, i);
		plait__simulate_span span = { gap->shown,
					      gap->shown + elision->band };

		if (plait__canvas_shows(canvas, span))
			draw(canvas, gap);
	}
}

void plait__elision_draw_bands(const struct plait__canvas *canvas)
{
	draw_all(canvas, draw_band);
}

void plait__elision_draw_counts(const struct plait__canvas *canvas)
{
	draw_all(canvas, draw_band_count);
}
