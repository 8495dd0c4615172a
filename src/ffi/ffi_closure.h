/* SPDX-License-Identifier: MIT */
/*
 * The other way round: a C function pointer of a described type, made at run
 * time, whose calls come to a handler.  Needs memory that is written and then
 * run, which hardened systems refuse: an error then, never a crash.
 */
#ifndef PLAIT_SRC_FFI_FFI_CLOSURE_H
#define PLAIT_SRC_FFI_FFI_CLOSURE_H

#include "ffi/ffi_call.h"

typedef struct plait__ffi_closure plait__ffi_closure;

/* arguments[i] points to a value of type i.  What it returns the function
 * returns, narrowed to the type of its result.  On the caller's thread. */
typedef int64_t (*plait__ffi_handler)(void *user_data,
				      void *const *arguments);

/*
 * The shape must outlive it.  PLAIT_E_UNAVAILABLE (the system refuses memory
 * that may be run; origin is the errno), PLAIT_E_NOMEM, PLAIT_E_UNSUPPORTED.
 */
plait_status plait__ffi_closure_create(const plait_allocator *allocator,
				       const plait__ffi_signature *shape,
				       plait__ffi_handler handler,
				       void *user_data,
				       plait__ffi_closure **out,
				       plait_error *error);

/* What callers call. */
void (*plait__ffi_closure_code(const plait__ffi_closure *closure))(void);

/* Nobody is in it, or will call it any more.  Null is fine. */
void plait__ffi_closure_destroy(const plait_allocator *allocator,
				plait__ffi_closure *closure);

#endif
