/* SPDX-License-Identifier: MIT */
/* What a picture shows, and where; see timeline_layout.h. */
#include "render/timeline_layout.h"

#include "base/alloc.h"

#include <stddef.h>

/* Rows by device, then by number: a counting sort. */
static bool place_rows(plait__scene *scene, const plait_allocator *allocator)
{
	const plait__plan *plan = scene->plan;
	uint64_t devices = (uint64_t)plan->devices_count + 1;
	uint32_t *next = plait__alloc_array(allocator, devices, sizeof(*next));

	if (next == NULL)
		return false;
	for (uint32_t i = 0; i < plan->lanes_count; i++)
		next[plan->lanes[i].device + 1]++;
	for (uint32_t i = 1; i < devices; i++)
		next[i] += next[i - 1];
	for (uint32_t i = 0; i < plan->lanes_count; i++)
		scene->rows[i] = next[plan->lanes[i].device]++;
	/* Now each entry is where the next device starts. */
	for (uint32_t i = 0; i < plan->lanes_count; i++) {
		uint32_t device = plan->lanes[i].device;

		scene->leads[i] = scene->rows[i] ==
				  (device > 0 ? next[device - 1] : 0);
	}
	plait__free(allocator, next, devices * sizeof(*next));
	return true;
}

/* The body of a region that is shown: of a case the branch that is expected,
 * or else the longest one. */
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

/* A body comes after the body that holds its region, and beside the others of
 * its region. */
static void measure_depths(plait__scene *scene)
{
	const plait__plan *plan = scene->plan;
	uint32_t shown = PLAIT__NONE;

	for (uint32_t i = 1; i < plan->bodies_count; i++) {
		const plait__plan_region *region =
			&plan->regions[plan->bodies[i].region];
		uint32_t outside = plait__scene_depth(scene, region->command);

		if (i == region->body_first)
			shown = shown_body(plan, region);
		scene->depths[i] = outside != PLAIT__NONE && i == shown ?
				   outside + 1 : PLAIT__NONE;
		if (scene->depths[i] != PLAIT__NONE &&
		    scene->depths[i] > scene->depth)
			scene->depth = scene->depths[i];
	}
}

bool plait__scene_init(plait__scene *scene, const plait__plan *plan,
		       const plait__timeline *timeline,
		       const plait_allocator *allocator)
{
	*scene = (plait__scene){ .plan = plan, .timeline = timeline };
	plait__gaps_init(&scene->gaps, allocator);
	scene->rows = plait__alloc_array(allocator,
					 (uint64_t)plan->lanes_count + 1,
					 sizeof(*scene->rows));
	scene->leads = plait__alloc(allocator,
				    (uint64_t)plan->lanes_count + 1);
	scene->depths = plait__alloc_array(allocator,
					   (uint64_t)plan->bodies_count + 1,
					   sizeof(*scene->depths));
	scene->critical = plait__alloc(allocator,
				       (uint64_t)plan->command_count + 1);
	if (scene->rows == NULL || scene->leads == NULL ||
	    scene->depths == NULL || scene->critical == NULL ||
	    !place_rows(scene, allocator))
		return false;
	measure_depths(scene);
	for (uint32_t i = 0; i < timeline->critical_count; i++)
		scene->critical[timeline->critical[i]] = 1;
	return true;
}

void plait__scene_fini(plait__scene *scene, const plait_allocator *allocator)
{
	plait__free(allocator, scene->rows,
		    ((uint64_t)scene->plan->lanes_count + 1) *
		    sizeof(*scene->rows));
	plait__free(allocator, scene->leads,
		    (uint64_t)scene->plan->lanes_count + 1);
	plait__free(allocator, scene->depths,
		    ((uint64_t)scene->plan->bodies_count + 1) *
		    sizeof(*scene->depths));
	plait__gaps_fini(&scene->gaps);
	plait__free(allocator, scene->critical,
		    (uint64_t)scene->plan->command_count + 1);
}

uint32_t plait__scene_depth(const plait__scene *scene, uint32_t command)
{
	const plait__plan *plan = scene->plan;

	return scene->depths[plan->nodes[plan->commands[command].node].body];
}

bool plait__scene_is_region(const plait__scene *scene, uint32_t command)
{
	uint8_t kind = scene->plan->commands[command].kind;

	return kind == PLAIT__CMD_REGION || kind == PLAIT__CMD_ENTER;
}

/* While a region runs it keeps the lanes of its stubs, too. */
plait__simulate_span plait__scene_time(const plait__scene *scene,
				       uint32_t command)
{
	const plait__plan *plan = scene->plan;

	if (plan->commands[command].kind == PLAIT__CMD_ENTER)
		command = plan->regions[plan->commands[command].link].command;
	return scene->timeline->spans[command];
}

plait__simulate_span plait__scene_span(const plait__scene *scene,
				       uint32_t command)
{
	plait__simulate_span span = plait__scene_time(scene, command);

	span.start = plait__gaps_shown(&scene->gaps, span.start);
	span.end = plait__gaps_shown(&scene->gaps, span.end);
	return span;
}

uint64_t plait__scene_free_until(const plait__scene *scene, uint32_t command)
{
	const plait__plan *plan = scene->plan;
	const plait__plan_command *this = &plan->commands[command];
	uint32_t body = plan->nodes[this->node].body;
	uint32_t next = command + 1;

	if (next < plan->command_count &&
	    plan->commands[next].lane == this->lane &&
	    plan->nodes[plan->commands[next].node].body == body)
		return plait__scene_span(scene, next).start;
	if (body == 0)
		return plait__gaps_shown(&scene->gaps,
					 scene->timeline->makespan);
	return plait__scene_span(scene, plan->regions[
		plan->bodies[body].region].command).end;
}

/* ---- what is left out ---- */

/* Behind what is shown of it a loop goes on to its end. */
static void pass_over(plait__scene *scene, const plait__plan_region *region)
{
	uint64_t rounds = plait__plan_iterations(region->kind, region->times);
	plait__simulate_span span = scene->timeline->spans[region->command];
	plait__gap_rounds rest = {
		.from = span.start, .to = span.end,
		.region = (uint32_t)(region - scene->plan->regions),
		.depth = plait__scene_depth(scene, region->command),
		.rounds = rounds - 1,
	};

	if (region->kind == PLAIT__REGION_CASE || rounds < 2)
		return;
	if (__builtin_add_overflow(rest.from, scene->timeline->body_makespan[
				   region->body_first], &rest.from))
		return;
	plait__gaps_see(&scene->gaps, rest.from);
	plait__gaps_pass_over(&scene->gaps, &rest);
}

bool plait__scene_shorten(plait__scene *scene)
{
	const plait__plan *plan = scene->plan;
	uint64_t boxes = 0;

	for (uint32_t i = 0; i < plan->command_count; i++) {
		plait__simulate_span span = plait__scene_time(scene, i);

		if (plait__scene_depth(scene, i) == PLAIT__NONE)
			continue;
		boxes++;
		plait__gaps_see(&scene->gaps, span.start);
		plait__gaps_see(&scene->gaps, span.end);
	}
	for (uint32_t i = 0; i < plan->regions_count; i++)
		if (plait__scene_depth(scene, plan->regions[i].command) !=
		    PLAIT__NONE)
			pass_over(scene, &plan->regions[i]);
	if (plan->lanes_count > 0)
		boxes /= plan->lanes_count;
	plait__gaps_find(&scene->gaps, scene->timeline->makespan, boxes + 1);
	return !scene->gaps.failed;
}
