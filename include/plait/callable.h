/* SPDX-License-Identifier: MIT */
/*
 * plait/callable.h - a plan as a C function.
 *
 * A callable gives a plan's parameters a plain C function pointer, which any
 * language can call:
 *
 *     step(dt: f64, field: pointer f64, n: u64): i32
 *
 * is int32_t (*)(double, plait_buffer *, uint64_t).  Its parameters are those
 * of the plan, by name, each once and in any order:
 *
 * - a value has the type that the plan says
 * - memory is a `pointer`, and what is passed is a plait_buffer *, of which
 *   the run uses all; what the pointer says it leads to is for people, because
 *   buffers have no type
 * - a launch is an u32 or u64: so many items in one dimension, where 0 counts
 *   as 1; or a `pointer`, and what is passed is a const plait_launch *
 *
 * A call runs the plan on the calling thread and waits, as plait_plan_call
 * without a queue.  A result is i32 or i64, and is the plait_status of the
 * call: 0 or negative.  Without a result, errors go to `failed`.
 *
 * Any number of threads may call it at the same time.  Release does not wait
 * for them: calls under way end as usual, and one that comes later, though
 * nobody should, answers PLAIT_E_HANDLE as long as no other callable was made
 * since.  Function pointers are never unmapped, but used again for callables
 * of the same type.
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
 * plait_failure_function - told about a call that failed, on its thread.
 *
 * `error` is good during the call.
 */
typedef void (*plait_failure_function)(void *user_data,
				       const plait_error *error);

typedef struct plait_callable_desc {
	uint32_t size;
	/* PLAIT_RUN_NO_WAIT, ... */
	uint32_t flags;
	/* Copied. */
	const char *signature;
	/* Null where the signature has a result: errors are only returned. */
	plait_failure_function failed;
	void *user_data;
} plait_callable_desc;

/*
 * plait_callable_create - a C function that runs a plan.
 *
 * @param plan  borrowed, non-null: the plan; kept by the callable
 * @param desc  borrowed, non-null: signature, and who is told of errors
 * @param out   owned, non-null: the callable, one reference
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (a signature that does not parse or does
 *         not fit the plan's parameters; no way to tell an error),
 *         PLAIT_E_UNAVAILABLE (the system refuses memory that is written and
 *         then run), PLAIT_E_UNSUPPORTED (plait was built without libffi),
 *         PLAIT_E_NOMEM, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_callable_create(plait_plan *plan,
					     const plait_callable_desc *desc,
					     plait_callable **out,
					     plait_error *error);

/*
 * plait_callable_function - the function, to be cast to its type.
 *
 * @param callable borrowed, non-null: the callable
 * @param out      borrowed, non-null: good until the last release
 * @param error    borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_callable_function(plait_callable *callable,
					       plait_any_function *out,
					       plait_error *error);

/*
 * plait_callable_retain - one more reference.
 *
 * @param callable borrowed, nullable: the callable; null and stale are ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_callable_retain(plait_callable *callable);

/*
 * plait_callable_release - give one reference back; calls under way go on.
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
