/* SPDX-License-Identifier: MIT */
/* Decisions on regions by the host: which body runs next, and its iteration
 * number. */
#include "run/queue/decide_region.h"

#include "run/args/loop_count.h"

static const plait__plan *plan_of(const plait__run_driver *driver)
{
	return driver->compiled->program->plan;
}

/* The body that runs next, or none; `again`: a body was done.  The region's
 * predicate is complete, unless its kind asks none now. */
static uint32_t next_body(const plait__run_driver *driver, uint32_t number,
			  bool again)
{
	const plait__plan_region *region = &plan_of(driver)->regions[number];
	uint32_t word = driver->state.predicates[number].word;

	if (plait__run_driver_is_stopped(driver))
		return PLAIT__NONE;
	if (region->kind == PLAIT__REGION_CASE)
		return !again && word < region->body_count ?
			       region->body_first + word :
			       PLAIT__NONE;
	if (region->kind == PLAIT__REGION_REPEAT)
		return plait__loop_count_goes_on(&driver->instance->frame,
						 number, again, word) ?
			       region->body_first : PLAIT__NONE;
	if (region->kind == PLAIT__REGION_DO && !again)
		return region->body_first;
	return word != 0 ? region->body_first : PLAIT__NONE;
}

/* Set the number of the iteration that begins, or count the last one. */
static void count_iteration(plait__run_driver *driver, uint32_t number,
			    bool again)
{
	uint64_t *iterations = driver->instance->frame.iterations;
	uint32_t outer = driver->compiled->regions[number].outer;
	bool is_case =
		plan_of(driver)->regions[number].kind == PLAIT__REGION_CASE;

	if (is_case && outer != PLAIT__NONE) {
		iterations[number] = iterations[outer];
	} else if (again && !is_case) {
		iterations[number]++;
		driver->instance->iterations++;
	} else {
		iterations[number] = 0;
	}
}

uint32_t plait__decide_region(plait__run_driver *driver, uint32_t number,
			      bool again)
{
	uint32_t body = next_body(driver, number, again);

	count_iteration(driver, number, again);
	return body;
}
