/* SPDX-License-Identifier: MIT */
/*
 * Reference-counted versions of a plan's kernels.  Code that an engine has made
 * of kernels is immutable; plait_plan_exchange adds a newer version.  An
 * instance adopts the newest version when it begins a run and keeps it until
 * its next run.  The last holder of a version frees it.
 */
#include "run/kernel_versions.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "object/kernel/kernel.h"

#include <string.h>

/* ---- versions ---- */

/* Free a version without holders.  Any thread may be here, so kernels are
 * dropped deferred. */
static void end_version(plait__program *program, plait__kernel_version *version)
{
	const plait_allocator *allocator = plait__program_allocator(program);
	uint32_t count = program->plan->kernels_count;

	if (version->code != NULL)
		program->engine->forget(program, version->code);
	for (uint32_t i = 0; version->kernels != NULL && i < count; i++)
		if (version->kernels[i] != NULL)
			plait__object_drop_deferred(version->kernels[i]);
	plait__free(allocator, version->kernels,
		    count * sizeof(*version->kernels));
	plait__free(allocator, version, sizeof(*version));
}

/* Returns true if the caller has to end the version.  Caller holds the lock. */
static bool leave(plait__kernel_version *version)
{
	return version != NULL && --version->holders == 0;
}

/* Caller holds program->exchanging. */
static plait__object **kernels_of(const plait__program *program)
{
	plait__kernel_version *now = at_load_acquire_ptr(&program->version);

	return now != NULL ? now->kernels : program->plan_object->kernels;
}

/* A copy of the current version, held by the program.  Caller holds the
 * lock. */
static plait__kernel_version *new_version(const plait__program *program)
{
	const plait_allocator *allocator = plait__program_allocator(program);
	uint32_t count = program->plan->kernels_count;
	plait__kernel_version *version =
		plait__alloc(allocator, sizeof(*version));
	const plait__kernel_version *was =
		at_load_acquire_ptr(&program->version);
	plait__object **now = kernels_of(program);

	if (version == NULL)
		return NULL;
	version->holders = 1;
	version->number = was != NULL ? was->number + 1 : 1;
	version->kernels = plait__alloc_array(allocator, count,
					      sizeof(*version->kernels));
	if (version->kernels == NULL) {
		plait__free(allocator, version, sizeof(*version));
		return NULL;
	}
	for (uint32_t i = 0; i < count; i++) {
		version->kernels[i] = now[i];
		if (now[i] != NULL)
			plait__object_hold(now[i]);
	}
	return version;
}

void plait__kernel_versions_adopt(plait__instance *instance)
{
	plait__program *program = instance->program;
	plait__kernel_version *old;
	bool ends;

	plait__mutex_lock(&program->exchanging);
	old = instance->version;
	instance->version = at_load_acquire_ptr(&program->version);
	instance->version->holders++;
	ends = leave(old);
	plait__mutex_unlock(&program->exchanging);
	if (ends)
		end_version(program, old);
}

/* No run is in flight. */
void plait__kernel_versions_free(plait__program *program)
{
	for (uint32_t i = 0; program->instances != NULL &&
	     i < program->instance_count; i++)
		if (leave(program->instances[i].version))
			end_version(program, program->instances[i].version);
	if (leave(at_load_acquire_ptr(&program->version)))
		end_version(program, at_load_acquire_ptr(&program->version));
}

/* ---- checks ---- */

static plait_status check_signature(const plait__kernel *old,
				    const plait__kernel *kernel,
				    plait_error *error)
{
	if (strcmp(old->signature->text, kernel->signature->text) == 0)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_INVALID,
			   "the plan has %.*s, not %.*s",
			   PLAIT__TEXT_FIT(old->signature->text, 90),
			   PLAIT__TEXT_FIT(kernel->signature->text, 90));
}

/* A launch was planned with a group size; a source kernel must agree.  The
 * command is a launch with a payload. */
static plait_status check_groups(const plait__program *program,
				 uint32_t command,
				 const plait__kernel *kernel,
				 plait_error *error)
{
	const plait__plan *plan = program->plan;
	const plait__plan_payload *payload =
		&plan->payloads[plan->commands[command].link];
	const plait__plan_geometry *geometry =
		&plan->geometries[payload->geometry];
	plait_launch launch = { .size = sizeof(launch),
				.dimensions = geometry->dimensions };
	plait_status status;
	char room[PLAIT__COMMAND_TEXT_BYTES];

	memcpy(launch.items, geometry->items, sizeof(launch.items));
	memcpy(launch.group, geometry->group, sizeof(launch.group));
	status = plait__select_source_set_groups(kernel, &launch, error);
	if (status != PLAIT_OK || memcmp(launch.group, geometry->group,
					 sizeof(launch.group)) == 0)
		return status;
	return plait__fail(error, PLAIT_E_INVALID,
			   "%s was planned with groups of another size than "
			   "the kernel has",
			   plait__command_text(plan, command, room));
}

static plait_status check_command(const plait__program *program,
				  uint32_t command,
				  const plait__kernel *kernel,
				  plait_error *error)
{
	const plait__plan *plan = program->plan;
	uint32_t lane = plan->commands[command].lane;
	char room[PLAIT__COMMAND_TEXT_BYTES];
	const char *lacks = plait__kernel_lacks(
		kernel, program->plan_object->devices[plan->lanes[lane].device]);

	if (lacks != NULL)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "%s: its device %s",
				   plait__command_text(plan, command, room),
				   lacks);
	return check_groups(program, command, kernel, error);
}

/* Set *out_found if a command uses `old`.  Caller holds the lock. */
static plait_status check_commands(const plait__program *program,
				   const plait__kernel *old,
				   const plait__kernel *kernel,
				   bool *out_found, plait_error *error)
{
	const plait__plan *plan = program->plan;
	plait__object **kernels = kernels_of(program);
	plait_status status = PLAIT_OK;

	*out_found = false;
	for (uint32_t i = 0; status == PLAIT_OK && i < plan->command_count;
	     i++) {
		const plait__plan_command *at = &plan->commands[i];

		if (at->kind != PLAIT__CMD_LAUNCH || at->link == PLAIT__NONE ||
		    kernels[plan->payloads[at->link].kernel] != &old->object)
			continue;
		*out_found = true;
		status = check_command(program, i, kernel, error);
	}
	return status;
}

/* ---- exchange ---- */

static plait_status no_memory(plait_error *error)
{
	return plait__fail(error, PLAIT_E_NOMEM,
			   "no memory to exchange a kernel of a plan");
}

/* Set *out_old to the program's previous version if the caller has to end it.
 * Caller holds the lock. */
static plait_status put_version(plait__program *program,
				const plait__kernel *old, plait__kernel *kernel,
				plait__kernel_version **out_old,
				plait_error *error)
{
	plait__kernel_version *version = new_version(program);
	plait__kernel_version *was = at_load_acquire_ptr(&program->version);
	plait_status status;

	if (version == NULL)
		return no_memory(error);
	for (uint32_t i = 0; i < program->plan->kernels_count; i++) {
		if (version->kernels[i] != &old->object)
			continue;
		plait__object_hold(&kernel->object);
		plait__object_drop_deferred(version->kernels[i]);
		version->kernels[i] = &kernel->object;
	}
	status = program->engine->recode(program, version->kernels,
					 &version->code, error);
	if (status != PLAIT_OK) {
		end_version(program, version);
		return status;
	}
	/* Release: pairs with the load in plait__instance_begin. */
	at_store_release_ptr(&program->version, version);
	*out_old = leave(was) ? was : NULL;
	return PLAIT_OK;
}

plait_status plait__kernel_versions_exchange(plait__program *program,
					     const plait__kernel *old,
					     plait__kernel *kernel,
					     plait_error *error)
{
	plait__kernel_version *was = NULL;
	bool found;
	plait_status status = check_signature(old, kernel, error);

	if (status != PLAIT_OK)
		return status;
	plait__mutex_lock(&program->exchanging);
	status = check_commands(program, old, kernel, &found, error);
	if (status == PLAIT_OK && !found)
		status = plait__fail(error, PLAIT_E_INVALID,
				     "the plan does not launch this %.*s (any "
				     "more)",
				     PLAIT__TEXT_FIT(old->signature->text, 90));
	if (status == PLAIT_OK)
		status = put_version(program, old, kernel, &was, error);
	plait__mutex_unlock(&program->exchanging);
	if (was != NULL)
		end_version(program, was);
	plait__reclaim_pending(program->context);
	return status;
}
