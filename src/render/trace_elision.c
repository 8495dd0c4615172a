/* SPDX-License-Identifier: MIT */
/*
 * Loop iterations omitted from the picture of a trace: of each execution of a
 * loop the first iterations and the last one are shown.
 */
#include "render/trace_model.h"

enum { ROUNDS_SHOWN = 2, ROUNDS_MIN = 5 };

/* Returns true if a command lies in a region, at any depth. */
static bool is_inside(const plait__plan *plan, uint32_t command,
		      uint32_t region)
{
	uint32_t body = plan->nodes[plan->commands[command].node].body;

	while (body != 0) {
		uint32_t around = plan->bodies[body].region;

		if (around == region)
			return true;
		command = plan->regions[around].command;
		body = plan->nodes[plan->commands[command].node].body;
	}
	return false;
}

/* Returns true also for the region's command and its stubs. */
static bool belongs_to(const plait__plan *plan, uint32_t number,
		       uint32_t region)
{
	const plait__plan_command *command = &plan->commands[number];
	bool stands = command->kind == PLAIT__CMD_REGION ||
		      command->kind == PLAIT__CMD_ENTER;

	return (stands && command->link == region) ||
	       is_inside(plan, number, region);
}

/* Returns the first span of a lane that starts at `time` or later. */
static uint32_t find_from(const plait__trace *trace, uint32_t lane,
			  uint64_t time)
{
	uint32_t low = trace->lane_first[lane];
	uint32_t high = trace->lane_first[lane + 1];

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (trace->spans[middle].start < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Count the decisions of a region in [from, to); *out is the start of number
 * `which`. */
static uint64_t count_decisions(const plait__trace *trace,
				const plait__trace_span *region, uint64_t from,
				uint64_t to, uint64_t which, uint64_t *out)
{
	uint32_t end = trace->lane_first[region->lane + 1];
	uint64_t count = 0;

	for (uint32_t i = find_from(trace, region->lane, from);
	     i < end && trace->spans[i].start < to; i++) {
		const plait__trace_span *span = &trace->spans[i];

		if (span->kind != PLAIT__SPAN_DECISION ||
		    span->command != region->command)
			continue;
		if (count++ == which)
			*out = span->start;
	}
	return count;
}

static bool is_loop(const plait__trace *trace, const plait__trace_span *span)
{
	const plait__plan *plan = trace->plan;
	const plait__plan_command *command = &plan->commands[span->command];

	return command->kind == PLAIT__CMD_REGION &&
	       plan->regions[command->link].kind != PLAIT__REGION_CASE;
}

/* Mark the spans in these iterations as omitted. */
static void mark_elided(plait__trace *trace,
			const plait__elision_rounds *rounds)
{
	plait__trace_span *spans = trace->spans;

	for (uint32_t lane = 0; lane < trace->plan->lanes_count; lane++) {
		uint32_t end = trace->lane_first[lane + 1];

		for (uint32_t i = find_from(trace, lane, rounds->from);
		     i < end && spans[i].end <= rounds->to; i++)
			spans[i].elided |= belongs_to(
				trace->plan, spans[i].command, rounds->region);
	}
	for (uint64_t i = trace->span_count; i < trace->count; i++)
		spans[i].elided |=
			spans[i].start >= rounds->from &&
			spans[i].end <= rounds->to &&
			is_inside(trace->plan, spans[i].command,
				  rounds->region);
}

/* The last decision ends the loop; the one before it begins the last
 * iteration. */
static void add_rounds(plait__trace *trace, const plait__trace_span *region,
		       plait__elision *elision)
{
	plait__elision_rounds rounds = {
		.region = trace->plan->commands[region->command].link,
		.depth = plait__trace_depth(trace->plan, region->command),
	};
	uint64_t stop = region->end + 1;
	uint64_t count = count_decisions(trace, region, region->start, stop,
					 ROUNDS_SHOWN, &rounds.from);

	if (count < ROUNDS_SHOWN + ROUNDS_MIN)
		return;
	(void)count_decisions(trace, region, region->start, stop, count - 2,
			      &rounds.to);
	plait__elision_keep(elision, rounds.from);
	plait__elision_keep(elision, rounds.to);
	plait__elision_add_rounds(elision, &rounds);
	mark_elided(trace, &rounds);
}

/* Keep the moments of all other spans; returns their number. */
static uint64_t keep_moments(const plait__trace *trace, plait__elision *elision)
{
	uint64_t seen = 0;

	for (uint64_t i = 0; i < trace->count; i++) {
		if (trace->spans[i].elided != 0)
			continue;
		seen++;
		plait__elision_keep(elision, trace->spans[i].start);
		plait__elision_keep(elision, trace->spans[i].end);
	}
	return seen;
}

/* Outer loops first: an inner loop in omitted iterations needs no gap. */
static void find_rounds(plait__trace *trace, plait__elision *elision)
{
	uint32_t depth = 0;
	bool deeper = true;

	for (; deeper; depth++) {
		deeper = false;
		for (uint64_t i = trace->span_count; i < trace->count; i++) {
			const plait__trace_span *span = &trace->spans[i];
			uint32_t at = plait__trace_depth(trace->plan,
							 span->command);

			deeper = deeper || at > depth;
			if (at == depth && span->elided == 0 &&
			    is_loop(trace, span))
				add_rounds(trace, span, elision);
		}
	}
}

/* Returns the region span that contains a gap. */
static const plait__trace_span *find_region(const plait__trace *trace,
					    const plait__elision_gap *gap)
{
	uint32_t command = trace->plan->regions[gap->region].command;

	for (uint64_t i = trace->span_count; i < trace->count; i++)
		if (trace->spans[i].command == command &&
		    trace->spans[i].start <= gap->from &&
		    trace->spans[i].end >= gap->to)
			return &trace->spans[i];
	return NULL;
}

static void count_rounds(const plait__trace *trace, plait__elision *elision)
{
	uint64_t ignored;

	for (uint32_t i = 0; i < elision->list.count; i++) {
		plait__elision_gap *gap = plait__vector_at(&elision->list, i);
		const plait__trace_span *region = find_region(trace, gap);

		if (region != NULL)
			gap->rounds = count_decisions(trace, region, gap->from,
						      gap->to, UINT64_MAX,
						      &ignored);
	}
}

void plait__trace_elision(plait__trace *trace, plait__elision *elision)
{
	uint32_t rows = trace->lane_count > 0 ? trace->lane_count : 1;
	uint64_t seen;

	find_rounds(trace, elision);
	seen = keep_moments(trace, elision);
	plait__elision_compute(elision, trace->makespan, seen / rows);
	count_rounds(trace, elision);
}

bool plait__trace_shows(const plait__trace *trace,
			const plait__elision *elision, uint64_t number)
{
	const plait__trace_span *span = &trace->spans[number];

	return span->elided == 0 ||
	       plait__elision_enclosing(elision, span->start,
					span->end) == NULL;
}
