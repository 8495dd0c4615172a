/* SPDX-License-Identifier: MIT */
/*
 * Closures: C function pointers of a described type, made at run time; calls of
 * them reach a handler.  They need memory that is first written and then
 * executed; a hardened system that refuses it causes an error, never a crash.
 */
#ifndef PLAIT_SRC_FFI_FFI_CLOSURE_H
#define PLAIT_SRC_FFI_FFI_CLOSURE_H

#include "ffi/ffi_call.h"

typedef struct plait__ffi_closure plait__ffi_closure;

/* Handler, on the caller's thread.  arguments[i] points to a value of type i.
 * The function returns the handler's result, narrowed to its result type. */
typedef int64_t (*plait__ffi_handler)(void *user_data,
				      void *const *arguments);

/*
 * Create a closure; the shape must outlive it.  PLAIT_E_UNAVAILABLE (the system
 * refuses executable memory; origin is the errno), PLAIT_E_NOMEM,
 * PLAIT_E_UNSUPPORTED.
 */
plait_status plait__ffi_closure_create(const plait_allocator *allocator,
				       const plait__ffi_shape *shape,
				       plait__ffi_handler handler,
				       void *user_data,
				       plait__ffi_closure **out,
				       plait_error *error);

/* Return the function pointer. */
void (*plait__ffi_closure_code(const plait__ffi_closure *closure))(void);

/* Destroy a closure that no thread is in or will call.  Null is allowed. */
void plait__ffi_closure_destroy(const plait_allocator *allocator,
				plait__ffi_closure *closure);

#endif
