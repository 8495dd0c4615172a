/* SPDX-License-Identifier: MIT */
/* Engine vtable for plans on backend queues; drivers of each instance, one for
 * recorded runs and one for all others. */
#include "run/queue/queue_engine.h"

#include "run/program.h"
#include "run/queue/awaited_queue.h"
#include "run/queue/blocked_queue.h"
#include "run/queue/device_graphs.h"
#include "run/queue/driver_state.h"
#include "run/queue/host_fallback.h"
#include "run/queue/run_driver.h"
#include "run/queue/stop_device_loops.h"
#include "run/record/recorder.h"

#include "base/alloc.h"
#include "base/error.h"
#include "object/wait/wait_in_driver.h"
#include "pool/callback_scope.h"

/* Drivers of an instance. */
struct drivers {
	plait__run_driver *plain;
	at_ptr recorded; /* plait__run_driver, or null: see make_record */
};

/* ---- per plan ---- */

/* Backends that progress by themselves need a thread that drives the runs. */
static plait_status start_progress_thread(const plait__queue_program *compiled,
					  plait_error *error)
{
	for (uint32_t i = 0; i < compiled->port_count; i++)
		if ((compiled->ports[i].port->any & PLAIT_CAP_NEEDS_PUMP) == 0)
			return plait__progress_start(compiled->program->context,
						     error);
	return PLAIT_OK;
}

static plait_status prepare(plait__program *program, plait_error *error)
{
	plait__queue_program *compiled;
	plait_status status = plait__queue_program_make(program, false, false,
							&compiled, error);

	program->compiled = compiled;
	/* Compiled now, as a run that needs it could not report the failure. */
	if (status == PLAIT_OK && compiled->has_device_loops)
		status = plait__queue_program_make(
			program, false, true, &compiled->fallback, error);
	return status == PLAIT_OK ? start_progress_thread(compiled, error) :
				    status;
}

static void discard(plait__program *program)
{
	plait__queue_program *compiled = program->compiled;

	if (compiled == NULL)
		return;
	if (compiled->recorded != NULL)
		plait__queue_program_free(compiled->recorded);
	if (compiled->fallback != NULL)
		plait__queue_program_free(compiled->fallback);
	plait__queue_program_free(compiled);
	program->compiled = NULL;
}

/* ---- per instance ---- */

static void complete_run(plait__pollable *pollable)
{
	plait__instance_complete(
		((plait__run_driver *)(void *)pollable)->instance);
}

static plait_status make_driver(plait__instance *instance,
				const plait__queue_program *compiled,
				plait__run_driver **out, plait_error *error)
{
	plait_status status = plait__driver_state_create(instance, compiled,
							 NULL, out, error);

	if (status == PLAIT_OK) {
		(*out)->pollable.advance = plait__run_driver_advance;
		(*out)->pollable.over = complete_run;
	}
	return status;
}

/* No run of the instance is in flight. */
static void free_driver(plait__run_driver *driver)
{
	plait__run_driver *fallback =
		at_load_acquire_ptr(&driver->fallback);

	if (fallback != NULL)
		plait__driver_state_destroy(fallback);
	plait__driver_state_destroy(driver);
}

/* plait__engine.make: the driver of runs that are not recorded. */
static plait_status make(plait__instance *instance, plait_error *error)
{
	struct drivers *drivers = plait__alloc(
		plait__program_allocator(instance->program), sizeof(*drivers));
	plait__run_driver *fallback;
	plait_status status;

	instance->state = drivers;
	if (drivers == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for an instance of a plan");
	status = make_driver(instance, instance->program->compiled,
			     &drivers->plain, error);
	/* Otherwise the first run would have to create it. */
	if (status == PLAIT_OK &&
	    plait__device_graphs_lacks_any(&drivers->plain->state))
		status = plait__host_fallback_get(drivers->plain, &fallback,
						  error);
	return status;
}

/* plait__engine.make_record: recorded runs have a driver with queues of its
 * own.  Caller holds `preparing` of the plan, which guards
 * compiled->recorded. */
static plait_status make_record(plait__instance *instance, plait_error *error)
{
	plait__queue_program *compiled = instance->program->compiled;
	struct drivers *drivers = instance->state;
	plait__run_driver *driver;
	plait_status status = PLAIT_OK;

	if (at_load_acquire_ptr(&drivers->recorded) != NULL)
		return PLAIT_OK;
	if (compiled->recorded == NULL)
		status = plait__queue_program_make(instance->program, true,
						   false, &compiled->recorded,
						   error);
	if (status == PLAIT_OK)
		status = make_driver(instance, compiled->recorded, &driver,
				     error);
	/* Release: pairs with the loads in start and in cancel. */
	if (status == PLAIT_OK)
		at_store_release_ptr(&drivers->recorded, driver);
	return status;
}

static void unmake(plait__instance *instance)
{
	struct drivers *drivers = instance->state;
	plait__run_driver *recorded;

	if (drivers == NULL)
		return;
	recorded = at_load_acquire_ptr(&drivers->recorded);
	if (recorded != NULL)
		free_driver(recorded);
	if (drivers->plain != NULL)
		free_driver(drivers->plain);
	plait__free(plait__program_allocator(instance->program), drivers,
		    sizeof(*drivers));
	instance->state = NULL;
}

/* ---- a run ---- */

/* Begin a run.  For a recorded one make_record has created the driver. */
static void start(plait__instance *instance, bool inline_ok)
{
	struct drivers *drivers = instance->state;
	plait__run_driver *driver = drivers->plain;
	plait__context *context = instance->program->context;

	if (instance->recording != NULL) {
		driver = at_load_acquire_ptr(&drivers->recorded);
		plait__recorder_begin(instance->recording, UINT32_MAX);
	}
	plait__run_driver_begin(driver);
	/* The run may be over before this returns. */
	if (inline_ok && plait__run_driver_is_caller_free(context))
		plait__progress_add_kept(context, &driver->pollable);
	else
		plait__progress_add(context, &driver->pollable);
}

static bool drive(plait__instance *instance)
{
	return !plait__callback_scope_is_active() &&
	       plait__progress_drive(instance->program->context);
}

/* Called from any thread; the run is not over before its canceller is done with
 * it. */
static void cancel(plait__instance *instance)
{
	struct drivers *drivers = instance->state;
	plait__run_driver *recorded = at_load_acquire_ptr(&drivers->recorded);

	plait__device_loops_cancel(drivers->plain);
	if (recorded != NULL)
		plait__device_loops_cancel(recorded);
}

static void describe_blocked(plait__instance *instance, plait__blocked_on *out)
{
	struct drivers *drivers = instance->state;
	plait__run_driver *recorded = at_load_acquire_ptr(&drivers->recorded);

	plait__blocked_queue_describe(drivers->plain, out);
	if (recorded != NULL)
		plait__blocked_queue_describe(recorded, out);
}

static void find_points(plait__instance *instance, plait__awaited_points *out)
{
	struct drivers *drivers = instance->state;
	plait__run_driver *recorded = at_load_acquire_ptr(&drivers->recorded);

	plait__awaited_queue_find(drivers->plain, out);
	if (recorded != NULL)
		plait__awaited_queue_find(recorded, out);
}

/* Launches are rebound when a run begins, so there is no code to compile. */
static plait_status recode(plait__program *program,
			   plait__object *const *kernels, void **out,
			   plait_error *error)
{
	(void)program;
	(void)kernels;
	(void)error;
	*out = NULL;
	return PLAIT_OK;
}

const plait__engine plait__queue_engine = {
	.name = "queues",
	.needs_others = true,
	.prepare = prepare,
	.discard = discard,
	.make = make,
	.make_record = make_record,
	.unmake = unmake,
	.start = start,
	.drive = drive,
	.recode = recode,
	.describe_blocked = describe_blocked,
	.find_points = find_points,
	.cancel = cancel,
};
