/* SPDX-License-Identifier: MIT */
/* Calls of queues and graphs; see held_call.h. */
#include "coll/node/held_call.h"

#include "plait/run.h"

#include "coll/project/collective_call.h"
#include "base/error.h"
#include "base/sized_struct.h"
#include "object/context/device.h"
#include "object/memory/buffer_check.h"
#include "object/wait/suspension.h"
#include "run/external/coroutine_command.h"
#include "run/run_instance.h"
#include "run/skipped_calls.h"

#include <stdio.h>

enum {
	YIELDS = 24,	/* turns of other work, then sleeps */
	/* A sleep, doubled up to the longest one.  Its timer costs about
	 * 2 us. */
	SLEEP_NS = 20000,
	DOUBLINGS = 5
};

/* ---- arguments ---- */

/* Check the range of a buffer, and hold it. */
static plait_status hold_buffer(plait__held_call *call, uint32_t which,
				plait_buffer *handle, uint64_t offset,
				plait_error *error)
{
	const char *name = which == PLAIT__COLL_INPUT ? "input" : "output";
	uint64_t bytes = call->bytes[which];
	plait_status status = PLAIT_OK;
	plait__buffer *buffer;

	if (handle == NULL)
		return PLAIT_OK;
	status = plait__buffer_enter(handle, &buffer, error);
	if (status != PLAIT_OK) {
		plait__error_prefix(error, "%s: ", name);
		return status;
	}
	status = plait__buffer_check_range(buffer, offset, bytes, name, error);
	if (status == PLAIT_OK && which == PLAIT__COLL_OUTPUT && bytes > 0)
		status = plait__buffer_check_write(buffer, error);
	if (status == PLAIT_OK) {
		plait__object_hold(&buffer->object);
		call->buffers[which] = buffer;
	}
	plait__object_leave(&buffer->object);
	return status;
}

static void drop_buffers(plait__held_call *call)
{
	for (uint32_t i = 0; i < 2; i++)
		if (call->buffers[i] != NULL)
			plait__object_drop_deferred(&call->buffers[i]->object);
}

static uint64_t take_number(const plait__collective_record *record)
{
	const plait__held_call *call = (const plait__held_call *)record;

	return plait__collective_call_take(call->collective);
}

plait_status plait__held_call_make(plait__held_call *call,
				   plait__collective *collective,
				   const plait_collective_run *run,
				   plait_error *error)
{
	plait_collective_run *own = &call->run;
	plait_status status = plait__collective_call_check(
		collective, run, call->bytes, error);

	if (status == PLAIT_OK)
		status = PLAIT__STRUCT_READ(plait_collective_run, own, run,
					    error);
	if (status == PLAIT_OK)
		status = hold_buffer(call, PLAIT__COLL_INPUT, own->input,
				     own->input_offset, error);
	if (status == PLAIT_OK)
		status = hold_buffer(call, PLAIT__COLL_OUTPUT, own->output,
				     own->output_offset, error);
	if (status != PLAIT_OK) {
		drop_buffers(call);
		return status;
	}
	plait__object_hold(&collective->object);
	call->collective = collective;
	call->head.world = collective->world;
	call->head.take_number = take_number;
	return PLAIT_OK;
}

/* The last hold ends links, which a coroutine must not wait for. */
void plait__held_call_drop(plait__held_call *call)
{
	if (call->collective == NULL)
		return;
	drop_buffers(call);
	plait__object_drop_deferred(&call->collective->object);
	call->collective = NULL;
}

plait_status plait__held_call_device(plait__context *context,
				     plait_device **out, plait_error *error)
{
	for (uint32_t i = 0; i < context->device_count; i++)
		if (plait__device_is_host(&context->devices[i])) {
			*out = plait__object_handle(
				&context->devices[i].object);
			return PLAIT_OK;
		}
	return plait__fail(error, PLAIT_E_UNSUPPORTED,
			   "a collective of a queue or graph runs on the host; "
			   "open the context with the backend host, too");
}

/* ---- pauses ---- */

static plait_status poll_never(plait__await *await, plait_error *error)
{
	(void)await;
	(void)error;
	return PLAIT_PENDING;
}

static plait_status subscribe_never(plait__await *await,
				    plait__listener *listener,
				    plait_error *error)
{
	(void)await;
	(void)listener;
	(void)error;
	return PLAIT_OK;
}

static bool withdraw_always(plait__await *await, plait__listener *listener)
{
	(void)await;
	(void)listener;
	return true;
}

static void explain(const plait__await *await, char *out, uint32_t bytes)
{
	(void)await;
	(void)snprintf(out, bytes, "other ranks have to do their part of a "
		       "collective");
}

static void name(const plait__object *object, uint64_t number, char *out,
		 uint32_t bytes)
{
	(void)object;
	(void)number;
	(void)snprintf(out, bytes, "other ranks of a collective");
}

/* A span of time that ends early only if the run is stopped. */
static const plait__await_class sleep_class = {
	.poll = poll_never, .subscribe = subscribe_never,
	.withdraw = withdraw_always, .explain = explain, .name = name,
};

/* Write why the run was stopped. */
static plait_status fail_stopped(plait_error *error)
{
	plait__instance *instance = plait__run_instance_current();
	plait_error why = { .size = sizeof(why), .status = PLAIT_E_CANCELLED };

	plait__mutex_lock(&instance->lock);
	if (instance->failed)
		why = instance->failure;
	plait__mutex_unlock(&instance->lock);
	return plait__fail(error, why.status, "its run was stopped: %s",
			   why.text);
}

static plait_status pause(void *arg, uint32_t turns, plait_error *error)
{
	plait__await await = { .class = &sleep_class, .object = arg };
	uint32_t doublings = turns - YIELDS;
	plait_status status;

	if (turns < YIELDS) {
		status = plait__suspension_yield(error);
	} else {
		if (doublings > DOUBLINGS)
			doublings = DOUBLINGS;
		status = plait__suspension_await(
			&await, (uint64_t)SLEEP_NS << doublings, NULL);
		if (status == PLAIT_E_TIMEOUT)
			status = PLAIT_OK;
	}
	return status == PLAIT_E_CANCELLED ? fail_stopped(error) : status;
}

/* ---- execution ---- */

/* The run was stopped; behind a failed queue it has the call's number. */
static void leave(const plait__held_call *call)
{
	plait_error why = { .size = sizeof(why) };

	(void)fail_stopped(&why);
	plait__collective_call_leave(
		call->collective,
		plait__skipped_calls_use(plait__run_instance_current(),
					 &call->head), &why);
}

int32_t plait__held_call_execute(void *held_call)
{
	const plait__held_call *call = held_call;
	const plait__collective_pause how = { pause,
					      &call->collective->object };
	plait_error why = { .size = sizeof(why) };

	if (plait_run_is_stopping()) {
		leave(call);
		return 0;
	}
	if (plait__collective_call_paused(call->collective, &call->run,
					  call->buffers, &how, &why) ==
	    PLAIT_OK)
		return 0;
	plait__error_prefix(&why, "failed: ");
	plait__coroutine_command_fail(&why);
	return 1;
}
