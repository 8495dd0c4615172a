/* SPDX-License-Identifier: MIT */
/* Trace analysis: regions, causes, critical path. */
#include "render/trace_model.h"

#include "base/alloc.h"

#include <stddef.h>
#include <string.h>

/* ---- memory ---- */

static bool alloc_array(const plait__trace *trace, void *out, uint64_t count,
			uint64_t each)
{
	void *block = plait__alloc_array(trace->allocator, count, each);

	memcpy(out, &block, sizeof(block));
	return block != NULL;
}

/* Region spans: at most one per decision. */
bool plait__trace_init(plait__trace *trace, const plait__plan *plan,
		       uint32_t count, const plait_allocator *allocator)
{
	*trace = (plait__trace){
		.plan = plan, .allocator = allocator, .span_count = count,
		.count = count, .capacity = 2ull * count + 1,
		.lane_count = plan->lanes_count,
	};
	return alloc_array(trace, &trace->spans, trace->capacity,
			   sizeof(*trace->spans)) &&
	       alloc_array(trace, &trace->order, count + 1ull,
			   sizeof(uint32_t)) &&
	       alloc_array(trace, &trace->last, plan->command_count + 1ull,
			   sizeof(uint32_t)) &&
	       alloc_array(trace, &trace->lane_first, plan->lanes_count + 2ull,
			   sizeof(uint32_t));
}

void plait__trace_fini(plait__trace *trace)
{
	plait__free(trace->allocator, trace->spans,
		    trace->capacity * sizeof(*trace->spans));
	plait__free(trace->allocator, trace->order,
		    (trace->span_count + 1ull) * sizeof(uint32_t));
	plait__free(trace->allocator, trace->last,
		    (trace->plan->command_count + 1ull) * sizeof(uint32_t));
	plait__free(trace->allocator, trace->lane_first,
		    (trace->plan->lanes_count + 2ull) * sizeof(uint32_t));
}

/* ---- time order ---- */

static void find_lanes(plait__trace *trace)
{
	uint32_t lane = 0;

	for (uint32_t i = 0; i < trace->span_count; i++)
		while (lane <= trace->spans[i].lane)
			trace->lane_first[lane++] = i;
	while (lane <= trace->plan->lanes_count + 1)
		trace->lane_first[lane++] = trace->span_count;
}

static bool is_sooner(const plait__trace_span *a, const plait__trace_span *b)
{
	return a->start != b->start ? a->start < b->start : a->end < b->end;
}

/* Merge the lanes, each sorted already, by start time. */
static void sort_spans(plait__trace *trace, uint32_t *at)
{
	const plait__trace_span *spans = trace->spans;
	uint32_t lanes = trace->plan->lanes_count + 1;

	memcpy(at, trace->lane_first, lanes * sizeof(*at));
	for (uint32_t i = 0; i < trace->span_count; i++) {
		uint32_t best = PLAIT__NONE;

		for (uint32_t l = 0; l < lanes; l++)
			if (at[l] < trace->lane_first[l + 1] &&
			    (best == PLAIT__NONE ||
			     is_sooner(&spans[at[l]], &spans[at[best]])))
				best = l;
		trace->order[i] = at[best]++;
	}
}

/* ---- regions ---- */

static void open_region(plait__trace *trace, const plait__trace_span *decision)
{
	plait__trace_span *span = &trace->spans[trace->count];

	*span = *decision;
	span->kind = PLAIT__SPAN_REGION;
	span->cause = PLAIT__NONE;
	span->critical = 0;
	trace->last[decision->command] = (uint32_t)trace->count++;
}

/* A region still open at the end extends to the end of the trace. */
static void find_regions(plait__trace *trace)
{
	uint32_t *open = trace->last;

	memset(open, 0xff, trace->plan->command_count * sizeof(*open));
	for (uint32_t i = 0; i < trace->span_count; i++) {
		const plait__trace_span *span = &trace->spans[i];
		uint32_t *region = &open[span->command];

		if (span->kind != PLAIT__SPAN_DECISION)
			continue;
		if (*region == PLAIT__NONE)
			open_region(trace, span);
		trace->spans[*region].end = span->end;
		/* The last decision carries the number of iterations. */
		if (span->iteration > trace->spans[*region].iteration)
			trace->spans[*region].iteration = span->iteration;
		if (span->other == 0)
			*region = PLAIT__NONE;
	}
}

/* ---- causes ---- */

uint32_t plait__trace_before(const plait__plan *plan, uint32_t command,
			     uint32_t *at)
{
	const plait__plan_command *this = &plan->commands[command];
	bool helped = plan->mode == PLAIT__MODE_HELPED;
	uint32_t first = helped ? this[0].pred_first : this[0].wait_first;
	uint32_t end = helped ? this[1].pred_first : this[1].wait_first;
	uint32_t i = first + (*at)++;

	if (i >= end)
		return PLAIT__NONE;
	if (helped)
		return plan->preds[i];
	return plait__plan_find_command(plan, plan->nodes[this->node].body,
					plan->waits[i].lane,
					plan->waits[i].position);
}

uint32_t plait__trace_depth(const plait__plan *plan, uint32_t command)
{
	uint32_t body = plan->nodes[plan->commands[command].node].body;
	uint32_t depth = 0;

	for (; body != 0; depth++)
		body = plan->nodes[plan->commands[plan->regions[
			plan->bodies[body].region].command].node].body;
	return depth;
}

/* Take `other` as the cause if it ended before the span and later than the
 * cause so far. */
static void consider(const plait__trace *trace, plait__trace_span *span,
		     uint32_t other)
{
	const plait__trace_span *spans = trace->spans;

	if (other != PLAIT__NONE && spans[other].end <= span->start &&
	    (span->cause == PLAIT__NONE ||
	     spans[other].end > spans[span->cause].end))
		span->cause = other;
}

/* A body begins with the decision for it. */
static void consider_region(const plait__trace *trace, plait__trace_span *span)
{
	const plait__plan *plan = trace->plan;
	const plait__plan_command *command = &plan->commands[span->command];
	uint32_t body = plan->nodes[command->node].body;

	if (body != 0)
		consider(trace, span, trace->last[plan->regions[
				 plan->bodies[body].region].command]);
}

static void consider_exits(const plait__trace *trace, plait__trace_span *span)
{
	const plait__plan *plan = trace->plan;
	const plait__plan_region *region =
		&plan->regions[plan->commands[span->command].link];

	for (uint32_t b = 0; b < region->body_count; b++) {
		uint32_t number = region->body_first + b;
		const plait__plan_body *body = &plan->bodies[number];

		for (uint32_t i = 0; i < body->exit_count; i++) {
			const plait__plan_exit *exit =
				&plan->exits[body->exit_first + i];

			consider(trace, span, trace->last[
					 plait__plan_find_command(
						 plan, number, exit->lane,
						 exit->position)]);
		}
	}
}

static void find_cause(const plait__trace *trace, plait__trace_span *span,
		       uint32_t previous)
{
	uint32_t at = 0;
	uint32_t other;

	span->cause = PLAIT__NONE;
	consider(trace, span, previous);
	while ((other = plait__trace_before(trace->plan, span->command,
					    &at)) != PLAIT__NONE)
		consider(trace, span, trace->last[other]);
	consider_region(trace, span);
	if (span->kind == PLAIT__SPAN_DECISION)
		consider_exits(trace, span);
}

static bool find_causes(plait__trace *trace)
{
	uint64_t lanes = trace->plan->lanes_count + 1ull;
	uint32_t *previous;

	if (!alloc_array(trace, &previous, lanes, sizeof(*previous)))
		return false;
	sort_spans(trace, previous);
	memset(previous, 0xff, lanes * sizeof(*previous));
	memset(trace->last, 0xff,
	       trace->plan->command_count * sizeof(uint32_t));
	for (uint32_t i = 0; i < trace->span_count; i++) {
		uint32_t number = trace->order[i];
		plait__trace_span *span = &trace->spans[number];

		span->cause = PLAIT__NONE;
		if (span->kind == PLAIT__SPAN_WAIT)
			continue;
		find_cause(trace, span, previous[span->lane]);
		trace->last[span->command] = number;
		previous[span->lane] = number;
	}
	plait__free(trace->allocator, previous, lanes * sizeof(*previous));
	return true;
}

/* Follow causes back from the span that ended last. */
static void find_critical(plait__trace *trace)
{
	plait__trace_span *spans = trace->spans;
	uint32_t at = PLAIT__NONE;

	for (uint32_t i = 0; i < trace->span_count; i++)
		if (spans[i].kind != PLAIT__SPAN_WAIT &&
		    (at == PLAIT__NONE || spans[i].end >= spans[at].end))
			at = i;
	/* A cause started earlier, or at the same time and was examined
	 * earlier; so the walk ends. */
	for (; at != PLAIT__NONE; at = spans[at].cause)
		spans[at].critical = 1;
}

bool plait__trace_finish(plait__trace *trace)
{
	find_lanes(trace);
	find_regions(trace);
	if (!find_causes(trace))
		return false;
	find_critical(trace);
	return true;
}

/* ---- arrows ---- */

/* A region waits before it begins, not before each decision. */
static bool has_waited(const plait__trace *trace, const plait__trace_span *span)
{
	uint32_t before = trace->last[span->command];

	return span->kind == PLAIT__SPAN_WAIT ||
	       (span->kind == PLAIT__SPAN_DECISION && before != PLAIT__NONE &&
		trace->spans[before].other != 0);
}

static void draw_arrows_to(const plait__trace *trace, uint32_t to,
			   plait__trace_arrow *draw, void *arg)
{
	const plait__trace_span *spans = trace->spans;
	uint32_t at = 0;
	uint32_t other, from;

	while ((other = plait__trace_before(trace->plan, spans[to].command,
					    &at)) != PLAIT__NONE) {
		from = trace->last[other];
		if (from != PLAIT__NONE && spans[from].lane != spans[to].lane &&
		    spans[from].end <= spans[to].start)
			draw(arg, from, to);
	}
}

void plait__trace_arrows(plait__trace *trace, plait__trace_arrow *draw,
			 void *arg)
{
	const plait__trace_span *spans = trace->spans;

	memset(trace->last, 0xff,
	       trace->plan->command_count * sizeof(uint32_t));
	for (uint32_t i = 0; i < trace->span_count; i++) {
		uint32_t to = trace->order[i];

		if (!has_waited(trace, &spans[to]))
			draw_arrows_to(trace, to, draw, arg);
		if (spans[to].kind != PLAIT__SPAN_WAIT)
			trace->last[spans[to].command] = to;
	}
}
