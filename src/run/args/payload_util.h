/* SPDX-License-Identifier: MIT */
/* Helpers over the payloads of commands. */
#ifndef PLAIT_SRC_RUN_ARGS_PAYLOAD_UTIL_H
#define PLAIT_SRC_RUN_ARGS_PAYLOAD_UTIL_H

#include "plait/plugin.h"

#include "run/args/frame.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

static inline const plait_allocator *
plait__payload_allocator(const plait__frame_layout *layout)
{
	return plait__context_allocator(layout->plan_object->object.context);
}

static inline plait_status plait__payload_no_memory(plait_error *error)
{
	return plait__fail(error, PLAIT_E_NOMEM,
			   "no memory for the arguments of a plan");
}

/* Allocate an array; returns true without bytes, too. */
static inline bool plait__payload_alloc(const plait_allocator *allocator,
					void *out, uint64_t count,
					uint64_t each)
{
	void *block = plait__alloc_array(allocator, count, each);

	memcpy(out, &block, sizeof(block));
	return block != NULL || count == 0;
}

/* Returns true if the argument has a cell of its own, false if its value lies
 * in the blob. */
static inline bool plait__payload_arg_has_cell(const plait__plan_arg *arg)
{
	return arg->kind == PLAIT__ARG_MEMORY ||
	       arg->kind == PLAIT__ARG_ROTATION ||
	       arg->kind == PLAIT__ARG_SCRATCH ||
	       arg->kind == PLAIT__ARG_SERIES;
}

/* Returns true for a number that follows an iteration. */
static inline bool plait__payload_arg_is_number(const plait__plan_arg *arg)
{
	return arg->kind == PLAIT__ARG_INDEX || arg->kind == PLAIT__ARG_SERIES;
}

static inline const plait__plan_payload *
plait__payload_at(const plait__plan *plan, uint32_t payload)
{
	return payload < plan->payloads_count ? &plan->payloads[payload] :
	       NULL;
}

/* The rows of a strided copy; null: a plain copy. */
static inline const plait_work_rows *
plait__payload_rows(const plait__plan *plan, const plait__plan_payload *payload)
{
	return payload->arg_count < 3 ? NULL : (const plait_work_rows *)
		(const void *)(plan->blob +
			       plan->args[payload->arg_first + 2].blob);
}

/* Returns true if the items of a launch follow series. */
static inline bool plait__payload_has_series(const plait__plan *plan,
					     const plait__plan_payload *payload)
{
	const plait__plan_geometry *geometry;

	if (payload->geometry >= plan->geometries_count)
		return false;
	geometry = &plan->geometries[payload->geometry];
	return (geometry->series[0] | geometry->series[1] |
		geometry->series[2]) != 0;
}

static inline bool plait__payload_has_params(const plait__plan *plan,
					     const plait__plan_payload *payload)
{
	for (uint32_t i = 0; i < payload->arg_count; i++)
		if (plan->args[payload->arg_first + i].kind == PLAIT__ARG_PARAM)
			return true;
	return false;
}

/* The payload with a command's arguments, or null. */
static inline const plait__plan_payload *
plait__payload_of(const plait__plan *plan, uint32_t command)
{
	const plait__plan_command *c = &plan->commands[command];

	if (c->kind == PLAIT__CMD_REGION || c->kind == PLAIT__CMD_ENTER ||
	    c->kind == PLAIT__CMD_BARRIER_STUB)
		return NULL;
	return plait__payload_at(plan, c->link);
}

/* Returns true for a copy or fill of memory that runs bind. */
static inline bool plait__payload_is_param_copy(const plait__plan *plan,
						uint32_t command)
{
	uint8_t kind = plan->commands[command].kind;
	const plait__plan_payload *payload;

	if (kind != PLAIT__CMD_COPY && kind != PLAIT__CMD_FILL)
		return false;
	payload = plait__payload_of(plan, command);
	return payload != NULL && plait__payload_has_params(plan, payload);
}

/* Returns true for a copy or fill of memory that changes with runs, or with the
 * iterations of a loop. */
static inline bool plait__payload_is_changing_copy(const plait__plan *plan,
						   uint32_t command)
{
	uint8_t kind = plan->commands[command].kind;
	const plait__plan_payload *payload = plait__payload_of(plan, command);
	bool changes = false;

	if (payload == NULL ||
	    (kind != PLAIT__CMD_COPY && kind != PLAIT__CMD_FILL))
		return false;
	for (uint32_t i = 0; i < payload->arg_count; i++) {
		uint32_t arg = plan->args[payload->arg_first + i].kind;

		changes |= arg == PLAIT__ARG_PARAM ||
			   arg == PLAIT__ARG_ROTATION;
	}
	return changes;
}

/* Returns what a function gets: the memory that the run has bound, or the data
 * that it was added with. */
static inline void *plait__payload_user_data(const plait__frame *frame,
					     const plait__plan_payload *payload)
{
	const plait__plan_object *plan_object = frame->layout->plan_object;
	void *address;

	if (payload->arg_count == 0)
		return plan_object->functions[payload->object].user_data;
	memcpy(&address,
	       frame->blob +
		       plan_object->plan->args[payload->arg_first].blob,
	       sizeof(address));
	return address;
}

/* Returns true for a launch that takes a value from memory of the program: it
 * reads the value when all that precedes it is complete. */
static inline bool plait__payload_has_host_value(const plait__plan *plan,
						 uint32_t command)
{
	const plait__plan_payload *payload;
	bool has = false;

	if (plan->commands[command].kind != PLAIT__CMD_LAUNCH)
		return false;
	payload = plait__payload_of(plan, command);
	for (uint32_t i = 0; payload != NULL && i < payload->arg_count; i++)
		has |= plait__payload_arg_is_host(
			plan->params, &plan->args[payload->arg_first + i]);
	return has;
}

/* Returns true if the command is a host function with this flag. */
static inline bool plait__payload_has_flag(const plait__plan *plan,
					   uint32_t command, uint32_t flag)
{
	const plait__plan_command *at = &plan->commands[command];

	return at->kind == PLAIT__CMD_HOST &&
	       at->link < plan->payloads_count &&
	       (plan->functions[plan->payloads[at->link].object].flags &
		flag) != 0;
}

/* Returns true if the command is a host function that may suspend itself. */
static inline bool plait__payload_is_coroutine(const plait__plan *plan,
					       uint32_t command)
{
	return plait__payload_has_flag(plan, command,
				       PLAIT__FUNCTION_COROUTINE);
}

/* Returns true if it is also called when its run was stopped. */
static inline bool plait__payload_is_collective(const plait__plan *plan,
						uint32_t command)
{
	return plait__payload_has_flag(plan, command,
				       PLAIT__FUNCTION_COLLECTIVE);
}

/* Returns true if it then continues on one worker. */
static inline bool plait__payload_is_bound(const plait__plan *plan,
					   uint32_t command)
{
	return plait__payload_has_flag(plan, command,
				       PLAIT__FUNCTION_FIRST_WORKER);
}

/* Returns true if the command completes outside its lane: by a signal, by the
 * owner of an inbox, or as a coroutine. */
static inline bool plait__payload_is_external(const plait__plan *plan,
					      uint32_t command)
{
	uint8_t kind = plan->commands[command].kind;

	return kind == PLAIT__CMD_CALLBACK || kind == PLAIT__CMD_EMIT ||
	       kind == PLAIT__CMD_WAIT ||
	       plait__payload_is_coroutine(plan, command);
}

#endif
