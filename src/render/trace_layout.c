/* SPDX-License-Identifier: MIT */
/* Sizes of a trace's canvas: scale, rows and strips of time. */
#include "render/trace_canvas.h"

enum {
	PER_SPAN = 26,		/* least width per span without elision */
	PER_SPAN_WIDE = 60,		/* width per span if there is room */
	ROWS_NAMED = 92,	/* rows of a page with readable names */
	HEADING = 20, BETWEEN = 44
};

/* Returns the ns per unit of cost of one span; below 0 if unknown. */
static double unit_of(const plait__trace *trace, uint32_t number)
{
	const plait__trace_span *span = &trace->spans[number];
	uint64_t cost = trace->plan->commands[span->command].cost;

	if (span->kind != PLAIT__SPAN_COMMAND || cost == 0)
		return -1;
	return (double)(span->end - span->start) / (double)cost;
}

/* Find the median by bisection: interrupted commands do not weigh more than
 * others. */
static double find_unit(const plait__trace *trace)
{
	double low = 0, high = 1e9;

	for (int attempt = 0; attempt < 60; attempt++) {
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

static uint32_t longest_row(const plait__trace_canvas *pair)
{
	const plait__trace *trace = pair->trace;
	uint32_t longest = 1;

	for (uint32_t lane = 0; lane < trace->lane_count; lane++) {
		uint32_t row = 0;

		for (uint32_t i = trace->lane_first[lane];
		     i < trace->lane_first[lane + 1]; i++)
			row += plait__trace_shows(trace,
						  &pair->run.layout.elision, i);
		longest = row > longest ? row : longest;
	}
	return longest;
}

/* Choose the unit that gives a time few digits. */
static void choose_unit(struct plait__canvas *canvas, uint64_t ns)
{
	static const char *const units[] = { "ns", "\u00b5s", "ms", "s" };
	uint32_t at = 0;

	canvas->unit_time = 1;
	for (; at < 3 && ns >= 10 * 1000 * canvas->unit_time; at++)
		canvas->unit_time *= 1000;
	canvas->unit = units[at];
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

/* Choose rows as high as a page with all strips of both parts allows, but high
 * enough for names if possible. */
static void choose_rows(struct plait__canvas *canvas, uint32_t strips,
			uint32_t depth)
{
	uint32_t rows = canvas->row_count, all = 2 * strips * rows;

	canvas->row_count = all < ROWS_NAMED ? all :
			     rows > ROWS_NAMED ? rows : ROWS_NAMED;
	plait__canvas_choose_row(canvas, depth);
	canvas->row_count = rows;
}

/* Both parts on one scale; the plan counts whole units. */
static void choose_scale(plait__trace_canvas *pair, uint32_t strips,
			 uint32_t width)
{
	double planned = (double)pair->plan.makespan * pair->unit_ns;
	double longest = (double)pair->run.makespan > planned ?
			 (double)pair->run.makespan : planned;
	double strip = longest > 1 ? longest / strips : 1;

	pair->run.width = pair->plan.width = width;
	pair->run_strips = pair->plan_strips = 1;
	if (strips > 1) {
		pair->plan.stop = (uint64_t)(strip / pair->unit_ns) + 1;
		strip = (double)pair->plan.stop * pair->unit_ns;
		pair->run.stop = (uint64_t)strip + 1;
		pair->run_strips = plait__canvas_divide_up(
			pair->run.makespan + 1, pair->run.stop);
		pair->plan_strips = plait__canvas_divide_up(
			pair->plan.makespan + 1, pair->plan.stop);
	}
	pair->run.scale = width / strip;
	pair->plan.scale = pair->run.scale * pair->unit_ns;
}

static uint32_t choose_strips(uint64_t row)
{
	uint32_t strips = plait__canvas_strips(row * PER_SPAN);

	return strips < PLAIT__CANVAS_STRIPS ? strips : PLAIT__CANVAS_STRIPS;
}

static void choose_width(plait__trace_canvas *pair)
{
	uint64_t row = longest_row(pair);

	choose_scale(pair, choose_strips(row),
		     plait__canvas_clamp_width(row * PER_SPAN_WIDE));
}

/* Omit loop iterations if the picture would not fit a page. */
static void elide_rounds(plait__trace_canvas *pair)
{
	plait__elision *elision = &pair->run.layout.elision;

	if ((uint64_t)longest_row(pair) * PER_SPAN > PLAIT__CANVAS_WIDTH_MAX)
		plait__trace_elision(pair->trace, elision);
	pair->run.makespan = plait__elision_to_shown(elision,
						     pair->trace->makespan);
	pair->plan.makespan = plait__elision_to_shown(&pair->plan.layout.elision,
						      pair->planned->makespan);
}

uint32_t plait__trace_extra_height(const struct plait__canvas *canvas,
				   uint32_t strips)
{
	return (strips - 1) * plait__canvas_strip_height(canvas);
}

void plait__trace_choose_sizes(plait__trace_canvas *pair)
{
	const plait__trace *trace = pair->trace;

	pair->unit_ns = find_unit(trace);
	/* Folded lanes: the others had nothing to do. */
	pair->run.row_count = trace->folded > 0 &&
			      trace->plan->devices_count == 1 ?
				      trace->folded : trace->lane_count;
	pair->plan.row_count = trace->plan->lanes_count;
	elide_rounds(pair);
	choose_width(pair);
	choose_unit(&pair->run, trace->makespan);
	pair->plan.unit = "units of cost";
	pair->plan.unit_short = "units";
	pair->plan.unit_time = 1;
	pair->run.tip_unit = " ns";
	pair->plan.tip_unit = "";
	choose_rows(&pair->run, pair->run_strips, deepest(trace));
	choose_rows(&pair->plan, pair->plan_strips, pair->plan.layout.depth);
	pair->run.top = PLAIT__CANVAS_TOP + HEADING;
	pair->plan.top = plait__canvas_bottom(&pair->run) +
			 plait__trace_extra_height(&pair->run,
						   pair->run_strips) +
			 BETWEEN + HEADING;
}

/* Draw the strips one below the other; `canvas` is that of the run or of the
 * plan. */
void plait__trace_draw_strips(plait__trace_canvas *pair,
			      struct plait__canvas *canvas, uint32_t strips,
			      void (*draw)(plait__trace_canvas *pair))
{
	const struct plait__canvas whole = *canvas;

	for (uint32_t i = 0; i < strips; i++) {
		if (i + 1 == strips)
			canvas->stop = UINT64_MAX;
		draw(pair);
		canvas->start = canvas->stop;
		canvas->stop += whole.stop;
		canvas->top += plait__canvas_strip_height(canvas);
	}
	*canvas = whole;
}
