/* SPDX-License-Identifier: MIT */
/* How large the picture of a run is: its scale, rows and strips of time. */
#include "render/trace_canvas.h"

#include <stddef.h>

enum {
	PER_SPAN = 26,		/* in a picture that leaves nothing out */
	COMFORT = 60,		/* and if it has room */
	ROWS_NAMED = 92,	/* on a page, whose names can be read */
	HEADING = 20, BETWEEN = 44
};

/* ns per unit of cost, of one span; below 0: it tells nothing. */
static double unit_of(const plait__trace *trace, uint32_t number)
{
	const plait__trace_span *span = &trace->spans[number];
	uint64_t cost = trace->plan->commands[span->command].cost;

	if (span->kind != PLAIT__SPAN_COMMAND || cost == 0)
		return -1;
	return (double)(span->end - span->start) / (double)cost;
}

/* The median, found by halving: commands that were interrupted do not count
 * for more than others. */
static double find_unit(const plait__trace *trace)
{
	double low = 0, high = 1e9;

	for (int turn = 0; turn < 60; turn++) {
		double middle = low + (high - low) / 2;
		uint64_t below = 0, above = 0;

		for (uint32_t i = 0; i < trace->span_count; i++) {
			double unit = unit_of(trace, i);

			below += unit >= 0 && unit <= middle;
			above += unit > middle;
		}
		if (below >= above)
			high = middle;
		else
			low = middle;
	}
	return high > 1e-3 && high < 1e9 ? high : 1;
}

static uint32_t longest_row(const plait__both *both)
{
	const plait__trace *trace = both->trace;
	uint32_t longest = 1;

	for (uint32_t lane = 0; lane < trace->lane_count; lane++) {
		uint32_t row = 0;

		for (uint32_t i = trace->lane_first[lane];
		     i < trace->lane_first[lane + 1]; i++)
			row += plait__trace_shows(trace, &both->run.scene.gaps,
						  i);
		longest = row > longest ? row : longest;
	}
	return longest;
}

/* The unit in which a time has few digits. */
static void choose_unit(struct plait__picture *picture, uint64_t ns)
{
	static const char *const units[] = { "ns", "\u00b5s", "ms", "s" };
	uint32_t at = 0;

	picture->unit_time = 1;
	for (; at < 3 && ns >= 10 * 1000 * picture->unit_time; at++)
		picture->unit_time *= 1000;
	picture->unit = units[at];
}

static uint32_t deepest(const plait__trace *trace)
{
	uint32_t depth = 0, this;

	for (uint64_t i = trace->span_count; i < trace->count; i++) {
		this = plait__trace_depth(trace->plan,
					  trace->spans[i].command) + 1;
		depth = this > depth ? this : depth;
	}
	return depth;
}

/* Rows as high as they may be for a page with all strips of both parts, but
 * not so low that there are no names if they can be helped. */
static void choose_rows(struct plait__picture *picture, uint32_t strips,
			uint32_t depth)
{
	uint32_t rows = picture->row_count, all = 2 * strips * rows;

	picture->row_count = all < ROWS_NAMED ? all :
			     rows > ROWS_NAMED ? rows : ROWS_NAMED;
	plait__picture_choose_row(picture, depth);
	picture->row_count = rows;
}

/* Both on one scale; the plan counts in whole units. */
static void choose_scale(plait__both *both, uint32_t strips, uint32_t width)
{
	double planned = (double)both->plan.makespan * both->unit_ns;
	double longest = (double)both->run.makespan > planned ?
			 (double)both->run.makespan : planned;
	double strip = longest > 1 ? longest / strips : 1;

	both->run.width = both->plan.width = width;
	both->run_strips = both->plan_strips = 1;
	if (strips > 1) {
		both->plan.stop = (uint64_t)(strip / both->unit_ns) + 1;
		strip = (double)both->plan.stop * both->unit_ns;
		both->run.stop = (uint64_t)strip + 1;
		both->run_strips = plait__picture_divide_up(
			both->run.makespan + 1, both->run.stop);
		both->plan_strips = plait__picture_divide_up(
			both->plan.makespan + 1, both->plan.stop);
	}
	both->run.scale = width / strip;
	both->plan.scale = both->run.scale * both->unit_ns;
}

static uint32_t choose_strips(uint64_t row)
{
	uint32_t strips = plait__picture_pages(row * PER_SPAN);

	return strips < PLAIT__PICTURE_STRIPS ? strips : PLAIT__PICTURE_STRIPS;
}

static void choose_width(plait__both *both)
{
	uint64_t row = longest_row(both);

	choose_scale(both, choose_strips(row),
		     plait__picture_fit_width(row * COMFORT));
}

/* What would not fit a page leaves out rounds of loops. */
static void leave_out(plait__both *both)
{
	plait__gaps *gaps = &both->run.scene.gaps;

	if ((uint64_t)longest_row(both) * PER_SPAN > PLAIT__PICTURE_WIDTH_MAX)
		plait__trace_gaps(both->trace, gaps);
	both->run.makespan = plait__gaps_shown(gaps, both->trace->makespan);
	both->plan.makespan = plait__gaps_shown(&both->plan.scene.gaps,
						both->planned->makespan);
}

uint32_t plait__both_more_height(const struct plait__picture *picture,
			      uint32_t strips)
{
	return (strips - 1) * plait__picture_strip_height(picture);
}

void plait__both_choose_sizes(plait__both *both)
{
	const plait__trace *trace = both->trace;

	both->unit_ns = find_unit(trace);
	/* Lanes that became fewer: the others had nothing to do. */
	both->run.row_count = trace->folded > 0 &&
			      trace->plan->devices_count == 1 ?
				      trace->folded : trace->lane_count;
	both->plan.row_count = trace->plan->lanes_count;
	leave_out(both);
	choose_width(both);
	choose_unit(&both->run, trace->makespan);
	both->plan.unit = "units of cost";
	both->plan.unit_short = "units";
	both->plan.unit_time = 1;
	both->run.tip_unit = " ns";
	both->plan.tip_unit = "";
	choose_rows(&both->run, both->run_strips, deepest(trace));
	choose_rows(&both->plan, both->plan_strips, both->plan.scene.depth);
	both->run.top = PLAIT__PICTURE_TOP + HEADING;
	both->plan.top = plait__picture_bottom(&both->run) +
			 plait__both_more_height(&both->run,
						 both->run_strips) +
			 BETWEEN + HEADING;
}

/* One after the other; `picture` is that of run or plan. */
void plait__both_strips(plait__both *both, struct plait__picture *picture,
			uint32_t strips, void (*draw)(plait__both *both))
{
	const struct plait__picture whole = *picture;

	for (uint32_t i = 0; i < strips; i++) {
		if (i + 1 == strips)
			picture->stop = UINT64_MAX;
		draw(both);
		picture->start = picture->stop;
		picture->stop += whole.stop;
		picture->top += plait__picture_strip_height(picture);
	}
	*picture = whole;
}
