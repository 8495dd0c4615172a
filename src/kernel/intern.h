/* SPDX-License-Identifier: MIT */
/*
 * Interned signatures of a context: equal signatures are one pointer, so
 * kernels compare by pointer.
 */
#ifndef PLAIT_SRC_KERNEL_INTERN_H
#define PLAIT_SRC_KERNEL_INTERN_H

#include "kernel/signature.h"
#include "ffi/ffi_call.h"
#include "sys/mutex.h"

enum { PLAIT__INTERN_BUCKETS = 64 };

/* Table; zeroed memory is an empty one. */
typedef struct plait__intern {
	struct plait__mutex lock;	/* guards the buckets and counts */
	struct plait__interned *buckets[PLAIT__INTERN_BUCKETS];
} plait__intern;

/* Parse a signature and take a reference on its only copy.  Errors are those of
 * plait__signature_parse(). */
plait_status plait__intern_acquire(plait__intern *intern,
				   const plait_allocator *allocator,
				   const char *text,
				   const plait__signature **out,
				   plait_error *error);

/*
 * Return the call shape of a signature, prepared on first use and kept as long
 * as the signature, which the caller holds.  (libffi prepares struct types for
 * one thread at a time only; shapes have none.)  PLAIT_E_UNSUPPORTED,
 * PLAIT_E_NOMEM.
 */
plait_status plait__intern_shape(plait__intern *intern,
				 const plait_allocator *allocator,
				 const plait__signature *signature,
				 const plait__ffi_shape **out,
				 plait_error *error);

/* Release a reference; null is allowed. */
void plait__intern_release(plait__intern *intern,
			   const plait_allocator *allocator,
			   const plait__signature *signature);

#endif
