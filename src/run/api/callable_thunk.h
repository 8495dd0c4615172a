/* SPDX-License-Identifier: MIT */
/*
 * Function pointers for callables.  They outlive what they call: a thunk knows
 * a handle, which is looked up by each call, so that a call that comes too late
 * finds nothing instead of memory that is gone.  One that is given back is kept
 * for the next callable of the same type, in the whole process; so there are
 * never more than were in use at once.
 */
#ifndef PLAIT_SRC_RUN_API_CALLABLE_THUNK_H
#define PLAIT_SRC_RUN_API_CALLABLE_THUNK_H

#include "ffi/ffi_closure.h"
#include "kernel/signature.h"

typedef struct plait__thunk plait__thunk;

/* What a call of the function does; `handle` is that of plait__thunk_set_handle, or
 * null.  The result is narrowed to the type of the signature. */
typedef int64_t (*plait__thunk_target)(void *handle, void *const *arguments);

/* A function of the signature's type, which calls `target` with null until it
 * is aimed.  As plait__ffi_closure_create. */
plait_status plait__thunk_acquire(const plait__signature *signature,
				  plait__thunk_target target,
				  plait__thunk **out, plait_error *error);
/* Threads may be inside; null is fine. */
void plait__thunk_release(plait__thunk *thunk);

void plait__thunk_set_handle(plait__thunk *thunk, void *handle);
void (*plait__thunk_code(const plait__thunk *thunk))(void);

#endif
