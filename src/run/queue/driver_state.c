/* SPDX-License-Identifier: MIT */
/* Driver of an instance: its arrays, listeners and external commands. */
#include "run/queue/driver_state.h"

#include "base/alloc.h"
#include "base/error.h"

static const plait_allocator *allocator_of(const plait__run_driver *driver)
{
	return plait__program_allocator(driver->compiled->program);
}

/* ---- arrays ---- */

/* All arrays: ARRAY(field, count). */
#define ARRAYS(ARRAY) \
	ARRAY(lanes, plan->lanes_count) \
	ARRAY(marks, compiled->mark_count) \
	ARRAY(listeners, plait__queue_program_listener_count(compiled)) \
	ARRAY(externals, compiled->external_count) \
	ARRAY(newest, plan->signals_count) \
	ARRAY(times, plait__queue_program_timed_count(compiled)) \
	ARRAY(running, plan->bodies_count) \
	ARRAY(current_body, plan->regions_count) \
	ARRAY(repeats, plan->regions_count) \
	ARRAY(pending, compiled->stages.count) \
	ARRAY(ready, compiled->stages.count) \
	ARRAY(walks, compiled->segments.count)

static bool make_arrays(plait__run_driver *driver)
{
	const plait__queue_program *compiled = driver->compiled;
	const plait__plan *plan = compiled->program->plan;
	const plait_allocator *allocator = allocator_of(driver);
	bool good = true;

#define MAKE(field, count) \
	driver->field = \
		plait__alloc_array(allocator, count, sizeof(*driver->field)); \
	good = good && (driver->field != NULL || (count) == 0);
	ARRAYS(MAKE)
#undef MAKE
	return good;
}

static void free_arrays(plait__run_driver *driver)
{
	const plait__queue_program *compiled = driver->compiled;
	const plait__plan *plan = compiled->program->plan;
	const plait_allocator *allocator = allocator_of(driver);

#define FREE(field, count) \
	plait__free(allocator, driver->field, \
		    (uint64_t)(count) * sizeof(*driver->field));
	ARRAYS(FREE)
#undef FREE
}

/* ---- listeners and external commands ---- */

static void fill_listener(plait__run_driver *driver, uint32_t number,
			  uint32_t mark, uint32_t link)
{
	plait__queue_listener *listener = &driver->listeners[number];

	listener->note.whose = driver->note_target;
	listener->mark = mark;
	listener->link = link;
	listener->lane = plait__queue_program_mark_lane(driver->compiled, mark);
}

/* Fill the listeners in the order of plait__queue_program_mark_listeners;
 * make_external fills those of externals. */
static void fill_listeners(plait__run_driver *driver)
{
	const plait__queue_program *compiled = driver->compiled;
	const plait__plan *plan = compiled->program->plan;
	uint32_t regions = plan->regions_count;

	for (uint32_t i = 0; i < regions; i++)
		fill_listener(driver, i,
			      plait__queue_program_region_mark(plan, i), i);
	for (uint32_t i = 0; i < compiled->stages.count; i++) {
		const plait__queue_stage *stage =
			plait__queue_program_stage(compiled, i);

		if (stage->kind == PLAIT__STAGE_POINT)
			fill_listener(driver, regions + stage->listener,
				      plait__queue_program_mark(compiled,
								stage->link),
				      i);
	}
	for (uint32_t i = 0; i < compiled->port_count; i++)
		fill_listener(driver, regions + compiled->point_count + i,
			      plait__queue_program_lane_mark(
				      plan, compiled->ports[i].lane),
			      i);
	for (uint32_t i = 0; i < plait__queue_program_timed_count(compiled);
	     i++)
		fill_listener(driver,
			      plait__queue_program_time_listener(compiled, i),
			      i, i);
}

/* plait__external.offer: the driver resumes the command. From any thread, in
 * notification callbacks too. */
static void offer_external(plait__external *external)
{
	plait__queue_external *lane = (plait__queue_external *)(void *)external;

	plait__progress_post(external->instance->program->context,
			     &lane->driver->listeners[lane->listener].note,
			     PLAIT_OK);
}

/* Make the external state of a lane, if the lane has external commands.  Lanes
 * come in ascending order, so the sibling exists. */
static plait_status make_external(plait__run_driver *driver, uint32_t lane,
				  plait_error *error)
{
	const plait__queue_program *compiled = driver->compiled;
	uint32_t number = compiled->lanes[lane].external;
	plait__queue_external *made;

	if (number == PLAIT__NONE)
		return PLAIT_OK;
	made = &driver->externals[number];
	made->driver = driver;
	made->listener = plait__queue_program_mark_listeners(compiled) + number;
	driver->listeners[made->listener].note.whose = driver->note_target;
	driver->listeners[made->listener].link = number;
	made->external = (plait__external){
		.instance = driver->instance,
		.lock = &driver->lock,
		.newest = driver->newest,
		.sibling = number > 0 ?
				   &driver->externals[number - 1].external :
				   NULL,
		.device = compiled->program->plan->lanes[lane].device,
		.offer = offer_external,
	};
	return plait__external_make(&made->external,
				    compiled->lanes[lane].submits, error);
}

/* Let each host callback write its times.  The arrays and the callbacks
 * exist. */
static void link_times(plait__run_driver *driver)
{
	uint32_t count = plait__queue_program_timed_count(driver->compiled);

	for (uint32_t i = 0; i < count; i++)
		driver->state.callbacks[i].times = &driver->times[i].call;
}

/* ---- life ---- */

static plait_status make(plait__run_driver *driver, plait_error *error)
{
	const plait__plan *plan = driver->compiled->program->plan;
	plait_status status;

	if (!make_arrays(driver))
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for an instance of a plan");
	status = plait__queue_instance_make(&driver->state, error);
	for (uint32_t i = 0; status == PLAIT_OK && i < plan->lanes_count; i++)
		status = make_external(driver, i, error);
	if (status != PLAIT_OK)
		return status;
	fill_listeners(driver);
	link_times(driver);
	driver->stop_listener.note.whose = driver->note_target;
	driver->stop_listener.mark = PLAIT__NONE;
	return PLAIT_OK;
}

plait_status plait__driver_state_create(plait__instance *instance,
					const plait__queue_program *compiled,
					plait__pollable *note_target,
					plait__run_driver **out,
					plait_error *error)
{
	plait__run_driver *driver = plait__alloc(
		plait__program_allocator(instance->program), sizeof(*driver));
	plait_status status;

	*out = NULL;
	if (driver == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for an instance of a plan");
	driver->instance = driver->state.instance = instance;
	driver->compiled = driver->state.compiled = compiled;
	driver->note_target =
		note_target != NULL ? note_target : &driver->pollable;
	status = make(driver, error);
	if (status == PLAIT_OK)
		*out = driver;
	else
		plait__driver_state_destroy(driver);
	return status;
}

void plait__driver_state_destroy(plait__run_driver *driver)
{
	const plait_allocator *allocator = allocator_of(driver);

	for (uint32_t i = 0;
	     driver->externals != NULL && i < driver->compiled->external_count;
	     i++)
		plait__external_free(&driver->externals[i].external);
	plait__queue_instance_free(&driver->state);
	free_arrays(driver);
	plait__free(allocator, driver, sizeof(*driver));
}
