/* SPDX-License-Identifier: MIT */
/*
 * Function pointers of callables.  They outlive their callable: a thunk has a
 * handle, which each call looks up, so a late call finds nothing instead of
 * freed memory.  A released thunk is reused by the next callable of the same
 * type in the process, so there are never more thunks than were in use at once.
 */
#ifndef PLAIT_SRC_RUN_API_CALLABLE_THUNK_H
#define PLAIT_SRC_RUN_API_CALLABLE_THUNK_H

#include "ffi/ffi_closure.h"
#include "kernel/signature.h"

typedef struct plait__thunk plait__thunk;

/* Body of the function; `handle` is that of plait__thunk_set_handle, or null.
 * The result is narrowed to the type of the signature. */
typedef int64_t (*plait__thunk_target)(void *handle, void *const *arguments);

/* Make a function of the signature's type, which calls `target` with null
 * until the handle is set.  Errors as plait__ffi_closure_create. */
plait_status plait__thunk_acquire(const plait__signature *signature,
				  plait__thunk_target target,
				  plait__thunk **out, plait_error *error);
/* Threads may be inside the function.  Null is ignored. */
void plait__thunk_release(plait__thunk *thunk);

/* Set the handle that calls get from now on. */
void plait__thunk_set_handle(plait__thunk *thunk, void *handle);
/* The address of the function. */
void (*plait__thunk_code(const plait__thunk *thunk))(void);

#endif
