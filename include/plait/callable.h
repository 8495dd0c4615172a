/* SPDX-License-Identifier: MIT */
/*
 * plait/callable.h - plans as C functions.
 *
 * A callable is a plain C function pointer whose parameters are those of a
 * plan; any language can call it.
 *
 * Example:
 *
 *     plait_callable_desc desc = { .size = sizeof(desc),
 *             .signature = "step(dt: f64, field: pointer f64, n: u64): i32" };
 *     plait_any_function function;
 *
 *     plait_callable_create(plan, &desc, &callable, &error);
 *     plait_callable_function(callable, &function, &error);
 *     status = ((int32_t (*)(double, plait_buffer *, uint64_t))function)(
 *             0.1, buffer, 1000);
 *     plait_callable_release(callable);
 *
 * Signature.  Each parameter of the plan occurs once, by name, in any order:
 *
 * - a value has the type of the plan's parameter
 * - memory of the program (PLAIT_PARAMETER_HOST) is a `pointer` to as much of it
 *   as the plan uses;
 * - other memory is a `pointer`: the caller passes a plait_buffer *, and the run uses
 *   the whole buffer; the pointer's type is documentation, since buffers have
 *   no type
 * - a launch is a u32 or u64, the number of items in one dimension, where 0
 *   means 1; or a `pointer`: the caller passes a const plait_launch *
 *
 * Calls.  A call runs the plan on the calling thread and waits, as
 * plait_plan_call without a queue.  A result is i32 or i64 and has the
 * plait_status of the call, 0 or negative.  Without a result, `failed` receives
 * errors.
 *
 * Threads.  Any number of threads may call the function concurrently.  A
 * release does not wait for calls in progress, which complete as usual.  A
 * call after the last release is a mistake; it returns PLAIT_E_HANDLE until
 * another callable is created.  Function pointers are never unmapped; later
 * callables of the same type reuse them.
 */
#ifndef PLAIT_CALLABLE_H
#define PLAIT_CALLABLE_H

#include "plait/kernel.h"
#include "plait/plan.h"
#include "plait/run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct plait_callable plait_callable;

/*
 * plait_failure_function - receives the error of a failed call, on the thread
 * of the call.
 *
 * `error` is valid during the call.
 */
typedef void (*plait_failure_function)(void *user_data,
				       const plait_error *error);

typedef struct plait_callable_desc {
	uint32_t size;
	plait_run_flags flags;
	/* Copied. */
	const char *signature;
	/* Receives errors; null if the signature has a result. */
	plait_failure_function failed;
	void *user_data;
} plait_callable_desc;

/*
 * plait_callable_create - create a C function that runs a plan.
 *
 * @param plan  borrowed, non-null: the plan; the callable holds it
 * @param desc  borrowed, non-null: signature and error callback
 * @param out   owned, non-null: the callable, one reference
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (a signature that does not parse or does
 *         not match the plan's parameters; neither a result nor `failed`),
 *         PLAIT_E_UNAVAILABLE (the system refuses executable memory),
 *         PLAIT_E_UNSUPPORTED (a build without libffi),
 *         PLAIT_E_NOMEM, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_callable_create(plait_plan *plan,
					     const plait_callable_desc *desc,
					     plait_callable **out,
					     plait_error *error);

/*
 * plait_callable_function - get the function, to be cast to its type.
 *
 * @param callable borrowed, non-null: the callable
 * @param out      borrowed, non-null: the function, valid until the last
 *                 release
 * @param error    borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_callable_function(plait_callable *callable,
					       plait_any_function *out,
					       plait_error *error);

/*
 * plait_callable_retain - add one reference.
 *
 * @param callable borrowed, nullable: the callable; null and stale are ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_callable_retain(plait_callable *callable);

/*
 * plait_callable_release - give one reference back; calls in progress go on.
 *
 * @param callable consumed, nullable: the callable; null is ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_callable_release(plait_callable *callable);

#ifdef __cplusplus
}
#endif

#endif
