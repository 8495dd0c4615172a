/* SPDX-License-Identifier: MIT */
/* Run objects; see run.h. */
#include "run/run.h"

#include "run/record/recorder.h"

#include "base/alloc.h"
#include "base/error.h"

/* ---- life time ---- */

/* Each instance caches one run object for reuse, mostly by itself, unless the
 * user still holds it when the next run begins. */
static void free_run(plait__run *run)
{
	if (run->object.slot != NULL)
		plait__handle_recycle(run->object.slot);
	plait__free(plait__program_allocator(run->program), run->race_known,
		    sizeof(*run->race_known));
	plait__free(plait__program_allocator(run->program), run, sizeof(*run));
}

static bool take(plait__run *run)
{
	uint32_t idle = 1;

	/* Acquire: pairs with the store in keep. */
	return run != NULL && at_load_relaxed_u32(&run->idle) != 0 &&
	       at_cas_u32(&run->idle, &idle, 0);
}

/* The instance's own cached object, or another instance's. */
static plait__run *find_cached(const plait__instance *instance)
{
	const plait__program *program = instance->program;

	if (take(instance->cached_run))
		return instance->cached_run;
	for (uint32_t i = 0; i < program->instance_count; i++)
		if (take(program->instances[i].cached_run))
			return program->instances[i].cached_run;
	return NULL;
}

static void keep(plait__run *run)
{
	/* Release: pairs with take. */
	if (run->cached)
		at_store_release_u32(&run->idle, 1);
	else
		free_run(run);
}

static void destroy_run(plait__object *object)
{
	plait__run *run = (plait__run *)(void *)object;
	plait__plan_object *plan_object = run->program->plan_object;

	if (run->recording != NULL)
		plait__recorder_release(plait__program_recorder(run->program),
					run->recording);
	keep(run);
	plait__object_drop(&plan_object->object);
}

static const plait__class run_class = {
	.type = PLAIT_OBJECT_RUN, .destroy = destroy_run, .is_transient = true,
	.maker_holds = 1
};

static plait__run *make_run(plait__program *program)
{
	plait__run *run = plait__alloc(plait__program_allocator(program),
				       sizeof(*run));

	if (run != NULL)
		run->program = program;
	return run;
}

/* Reset an object that another run has used. */
static void clear_run(plait__run *run)
{
	run->object.lingers = false;
	run->object.later = NULL;
	/* Relaxed: the handle publishes it. */
	at_store_relaxed_u32(&run->outcome.done, 0);
	run->recording = NULL;
	run->listeners = NULL;
}

plait_status plait__run_create(plait__instance *instance, plait__run **out,
			       plait_error *error)
{
	plait__program *program = instance->program;
	plait__run *run = find_cached(instance);
	plait_status status;

	if (run != NULL)
		clear_run(run);
	else
		run = make_run(program);
	if (run == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a run");
	run->instance = instance;
	status = plait__object_init(&run->object, &run_class,
				    program->context, error);
	if (status != PLAIT_OK) {
		free_run(run);
		return status;
	}
	*out = run;
	return PLAIT_OK;
}

plait_status plait__run_reserve_all(plait__program *program, plait_error *error)
{
	for (uint32_t i = 0; i < program->instance_count; i++) {
		plait__run *run = make_run(program);

		if (run == NULL)
			return plait__fail(error, PLAIT_E_NOMEM,
					   "no memory for a run");
		run->cached = true;
		at_init_u32(&run->idle, 1);
		program->instances[i].cached_run = run;
	}
	return PLAIT_OK;
}

void plait__run_free_all(plait__program *program)
{
	for (uint32_t i = 0; program->instances != NULL &&
	     i < program->instance_count; i++)
		if (program->instances[i].cached_run != NULL)
			free_run(program->instances[i].cached_run);
}
