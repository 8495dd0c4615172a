/* SPDX-License-Identifier: MIT */
/*
 * Calls of C functions of a type known only at run time.  A shape is prepared
 * once and then used by any number of threads and closures.  Without libffi
 * preparation fails, and the other functions are never reached.
 */
#ifndef PLAIT_SRC_FFI_FFI_CALL_H
#define PLAIT_SRC_FFI_FFI_CALL_H

#include "plait/base.h"

#include <stdbool.h>

#include "ffi/ffi_type.h"

/* Shape of a function: argument types and result type.  Immutable. */
typedef struct plait__ffi_shape plait__ffi_shape;

/* Returns true if a C function takes each struct of this size in memory: a
 * smaller one is in registers that depend on its fields. */
bool plait__ffi_can_pass(uint32_t struct_bytes);

/*
 * Prepare a shape.  `result` is VOID or an integer; the arguments are anything
 * but VOID.  layouts[i] is that of argument i if that is a struct; null: none
 * is.  PLAIT_E_UNSUPPORTED (built without libffi, or libffi refuses the
 * shape), PLAIT_E_NOMEM.
 */
plait_status plait__ffi_shape_create(const plait_allocator *allocator,
				     const plait__ffi_type *arguments,
				     const plait__ffi_layout *layouts,
				     uint32_t count, plait__ffi_type result,
				     plait__ffi_shape **out,
				     plait_error *error);

/* Null is allowed.  No closure or call uses the shape any more. */
void plait__ffi_shape_destroy(const plait_allocator *allocator,
			      plait__ffi_shape *shape);

/*
 * Call `code`: arguments[i] points to a value of exactly type i.  Returns the
 * result in full width, 0 for VOID, INT64_MAX for an unsigned value beyond
 * that.
 */
int64_t plait__ffi_call(const plait__ffi_shape *shape, void (*code)(void),
			void *const *arguments);

#endif
