/* SPDX-License-Identifier: MIT */
/* Layout of a schedule; see timeline_layout.h. */
#include "render/timeline_layout.h"

#include "base/alloc.h"

#include <stddef.h>

/* Sort rows by device, then by lane (counting sort). */
static bool place_rows(plait__timeline_layout *layout,
		       const plait_allocator *allocator)
{
	const plait__plan *plan = layout->plan;
	uint64_t devices = (uint64_t)plan->devices_count + 1;
	uint32_t *next = plait__alloc_array(allocator, devices, sizeof(*next));

	if (next == NULL)
		return false;
	for (uint32_t i = 0; i < plan->lanes_count; i++)
		next[plan->lanes[i].device + 1]++;
	for (uint32_t i = 1; i < devices; i++)
		next[i] += next[i - 1];
	for (uint32_t i = 0; i < plan->lanes_count; i++)
		layout->rows[i] = next[plan->lanes[i].device]++;
	/* Now each entry is the first row of the next device. */
	for (uint32_t i = 0; i < plan->lanes_count; i++) {
		uint32_t device = plan->lanes[i].device;

		layout->first_of_device[i] = layout->rows[i] ==
				  (device > 0 ? next[device - 1] : 0);
	}
	plait__free(allocator, next, devices * sizeof(*next));
	return true;
}

/* Returns the body of a region that is shown: the expected branch of a case,
 * else the longest. */
static uint32_t shown_body(const plait__plan *plan,
			   const plait__plan_region *region)
{
	uint32_t shown = region->body_first;

	if (region->kind != PLAIT__REGION_CASE)
		return shown;
	if (region->times < region->body_count)
		return region->body_first + region->times;
	for (uint32_t i = 1; i < region->body_count; i++)
		if (plan->bodies[region->body_first + i].makespan >
		    plan->bodies[shown].makespan)
			shown = region->body_first + i;
	return shown;
}

/* A body follows the body that holds its region, and is adjacent to the others
 * of its region. */
static void measure_depths(plait__timeline_layout *layout)
{
	const plait__plan *plan = layout->plan;
	uint32_t shown = PLAIT__NONE;

	for (uint32_t i = 1; i < plan->bodies_count; i++) {
		const plait__plan_region *region =
			&plan->regions[plan->bodies[i].region];
		uint32_t outside = plait__timeline_depth(layout,
							 region->command);

		if (i == region->body_first)
			shown = shown_body(plan, region);
		layout->depths[i] = outside != PLAIT__NONE && i == shown ?
				   outside + 1 : PLAIT__NONE;
		if (layout->depths[i] != PLAIT__NONE &&
		    layout->depths[i] > layout->depth)
			layout->depth = layout->depths[i];
	}
}

bool plait__timeline_layout_init(plait__timeline_layout *layout,
				 const plait__plan *plan,
				 const plait__timeline *timeline,
				 const plait_allocator *allocator)
{
	*layout =
		(plait__timeline_layout){ .plan = plan, .timeline = timeline };
	plait__elision_init(&layout->elision, allocator);
	layout->rows = plait__alloc_array(allocator,
					  (uint64_t)plan->lanes_count + 1,
					  sizeof(*layout->rows));
	layout->first_of_device = plait__alloc(allocator,
					       (uint64_t)plan->lanes_count + 1);
	layout->depths = plait__alloc_array(allocator,
					    (uint64_t)plan->bodies_count + 1,
					    sizeof(*layout->depths));
	layout->critical = plait__alloc(allocator,
					(uint64_t)plan->command_count + 1);
	if (layout->rows == NULL || layout->first_of_device == NULL ||
	    layout->depths == NULL || layout->critical == NULL ||
	    !place_rows(layout, allocator))
		return false;
	measure_depths(layout);
	for (uint32_t i = 0; i < timeline->critical_count; i++)
		layout->critical[timeline->critical[i]] = 1;
	return true;
}

void plait__timeline_layout_fini(plait__timeline_layout *layout,
				 const plait_allocator *allocator)
{
	plait__free(allocator, layout->rows,
		    ((uint64_t)layout->plan->lanes_count + 1) *
		    sizeof(*layout->rows));
	plait__free(allocator, layout->first_of_device,
		    (uint64_t)layout->plan->lanes_count + 1);
	plait__free(allocator, layout->depths,
		    ((uint64_t)layout->plan->bodies_count + 1) *
		    sizeof(*layout->depths));
	plait__elision_fini(&layout->elision);
	plait__free(allocator, layout->critical,
		    (uint64_t)layout->plan->command_count + 1);
}

uint32_t plait__timeline_depth(const plait__timeline_layout *layout,
			       uint32_t command)
{
	const plait__plan *plan = layout->plan;

	return layout->depths[plan->nodes[plan->commands[command].node].body];
}

bool plait__timeline_is_region(const plait__timeline_layout *layout,
			       uint32_t command)
{
	uint8_t kind = layout->plan->commands[command].kind;

	return kind == PLAIT__CMD_REGION || kind == PLAIT__CMD_ENTER;
}

/* While a region runs it occupies the lanes of its stubs too. */
plait__simulate_span
plait__timeline_planned_span(const plait__timeline_layout *layout,
			     uint32_t command)
{
	const plait__plan *plan = layout->plan;

	if (plan->commands[command].kind == PLAIT__CMD_ENTER)
		command = plan->regions[plan->commands[command].link].command;
	return layout->timeline->spans[command];
}

plait__simulate_span
plait__timeline_shown_span(const plait__timeline_layout *layout,
			   uint32_t command)
{
	plait__simulate_span span =
		plait__timeline_planned_span(layout, command);

	span.start = plait__elision_to_shown(&layout->elision, span.start);
	span.end = plait__elision_to_shown(&layout->elision, span.end);
	return span;
}

uint64_t plait__timeline_free_until(const plait__timeline_layout *layout,
				    uint32_t command)
{
	const plait__plan *plan = layout->plan;
	const plait__plan_command *this = &plan->commands[command];
	uint32_t body = plan->nodes[this->node].body;
	uint32_t next = command + 1;

	if (next < plan->command_count &&
	    plan->commands[next].lane == this->lane &&
	    plan->nodes[plan->commands[next].node].body == body)
		return plait__timeline_shown_span(layout, next).start;
	if (body == 0)
		return plait__elision_to_shown(&layout->elision,
					       layout->timeline->makespan);
	return plait__timeline_shown_span(layout, plan->regions[
		plan->bodies[body].region].command).end;
}

/* ---- omitted iterations ---- */

/* After the shown iterations a loop continues to its end. */
static void add_rounds(plait__timeline_layout *layout,
		       const plait__plan_region *region)
{
	uint64_t rounds = plait__plan_iterations(region->kind, region->times);
	plait__simulate_span span = layout->timeline->spans[region->command];
	plait__elision_rounds rest = {
		.from = span.start, .to = span.end,
		.region = (uint32_t)(region - layout->plan->regions),
		.depth = plait__timeline_depth(layout, region->command),
		.rounds = rounds - 1,
	};

	if (region->kind == PLAIT__REGION_CASE || rounds < 2)
		return;
	if (__builtin_add_overflow(rest.from, layout->timeline->body_makespan[
				   region->body_first], &rest.from))
		return;
	plait__elision_keep(&layout->elision, rest.from);
	plait__elision_add_rounds(&layout->elision, &rest);
}

bool plait__timeline_elide_rounds(plait__timeline_layout *layout)
{
	const plait__plan *plan = layout->plan;
	uint64_t boxes = 0;

	for (uint32_t i = 0; i < plan->command_count; i++) {
		plait__simulate_span span =
			plait__timeline_planned_span(layout, i);

		if (plait__timeline_depth(layout, i) == PLAIT__NONE)
			continue;
		boxes++;
		plait__elision_keep(&layout->elision, span.start);
		plait__elision_keep(&layout->elision, span.end);
	}
	for (uint32_t i = 0; i < plan->regions_count; i++)
		if (plait__timeline_depth(layout, plan->regions[i].command) !=
		    PLAIT__NONE)
			add_rounds(layout, &plan->regions[i]);
	if (plan->lanes_count > 0)
		boxes /= plan->lanes_count;
	plait__elision_compute(&layout->elision, layout->timeline->makespan,
			       boxes + 1);
	return !layout->elision.failed;
}
