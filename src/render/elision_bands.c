/* SPDX-License-Identifier: MIT */
/* Where a picture leaves out rounds of loops: a band in each lane of the loop,
 * that says how many they are. */
#include "plan/io/escape.h"
#include "render/canvas.h"

#include <stdio.h>

enum { SIZE = 8, PADDING = 6 };

/* Where one thread did all there is one row. */
static uint32_t rows_of(const struct plait__picture *picture,
			const plait__plan_region *region)
{
	return picture->row_count < picture->plan->lanes_count ?
		       1 : region->lane_count;
}

static uint32_t lane_of(const struct plait__picture *picture,
			const plait__plan_region *region, uint32_t number)
{
	return picture->row_count < picture->plan->lanes_count ?
		       0 : picture->plan->region_lanes[region->lane_first +
						       number];
}

static void draw_tip(const struct plait__picture *picture,
		     const plait__gap *gap)
{
	const plait__plan *plan = picture->plan;
	char name[256];

	plait__text_add(picture->out, "<title>");
	plait__names_xml(plait__names_node(
				 plan, plan->commands[plan->regions[
				 gap->region].command].node, name), 200,
			 picture->out);
	if (gap->rounds > 0)
		plait__text_add(picture->out, ": %llu more round%s",
				(unsigned long long)gap->rounds,
				gap->rounds == 1 ? "" : "s");
	plait__text_add(picture->out, ", not shown: %llu to %llu%s</title>",
			(unsigned long long)gap->from,
			(unsigned long long)gap->to, picture->tip_unit);
}

/* As much of it as there is room for. */
static void draw_count(const struct plait__picture *picture,
		       const plait__gap *gap, double x, double y, double room)
{
	char text[40];
	int length = snprintf(text, sizeof(text), "%llu more",
			      (unsigned long long)gap->rounds);

	if (gap->rounds == 0 || picture->strip == 0 || room <= 0)
		return;
	if (length * PLAIT__PICTURE_COLUMN_SMALL + PADDING > room)
		length = snprintf(text, sizeof(text), "x%llu",
				  (unsigned long long)gap->rounds);
	room -= length * PLAIT__PICTURE_COLUMN_SMALL;
	if (room < 0)
		return;
	plait__text_add(picture->out, "<text x=\"%.1f\" y=\"%.1f\" "
			"font-size=\"%d\" fill=\"#222\" stroke=\"white\" "
			"stroke-width=\"3\" paint-order=\"stroke\">%s"
			"</text>\n", x + room / 2, y, SIZE, text);
}

static void draw_band(const struct plait__picture *picture,
		      const plait__gap *gap)
{
	const plait__plan_region *region =
		&picture->plan->regions[gap->region];
	uint64_t band = picture->scene.gaps.band;
	uint32_t depth = plait__scene_depth(&picture->scene, region->command);
	double x = plait__picture_x_in(picture, gap->shown);
	double width = plait__picture_x_in(picture, gap->shown + band) - x;

	for (uint32_t i = 0; i < rows_of(picture, region); i++) {
		double y, height;

		plait__picture_place(picture,
				     lane_of(picture, region, i), depth + 1,
				     true, &y, &height);
		plait__text_add(picture->out, "<rect x=\"%.2f\" y=\"%.1f\" "
				"width=\"%.2f\" height=\"%.1f\" %s>", x, y,
				width, height, PLAIT__PICTURE_LEFT_OUT);
		draw_tip(picture, gap);
		plait__text_add(picture->out, "</rect>\n");
		if (i == 0)
			draw_count(picture, gap, x, y + height / 2 +
				   SIZE * 0.36, width);
	}
}

void plait__picture_bands(const struct plait__picture *picture)
{
	const plait__gaps *gaps = &picture->scene.gaps;

	for (uint32_t i = 0; i < gaps->list.count; i++) {
		const plait__gap *gap = plait__gaps_at(gaps, i);
		plait__simulate_span span = { gap->shown,
					      gap->shown + gaps->band };

		if (plait__picture_shows(picture, span))
			draw_band(picture, gap);
	}
}
