/* SPDX-License-Identifier: MIT */
/*
 * One copy of each signature in a context: equal signatures are the same
 * pointer, so comparing and exchanging kernels costs nothing.
 */
#ifndef PLAIT_SRC_KERNEL_INTERN_H
#define PLAIT_SRC_KERNEL_INTERN_H

#include "kernel/signature.h"
#include "ffi/ffi_call.h"
#include "sys/mutex.h"

enum { PLAIT__INTERN_BUCKETS = 64 };

/* Zeroed memory is an empty table. */
typedef struct plait__intern {
	struct plait__mutex lock;	/* guards the buckets and counts */
	struct plait__interned *buckets[PLAIT__INTERN_BUCKETS];
} plait__intern;

/* Parse, and take a reference on the one copy.  As plait__signature_parse. */
plait_status plait__intern_acquire(plait__intern *intern,
				   const plait_allocator *allocator,
				   const char *text,
				   const plait__signature **out,
				   plait_error *error);

/*
 * How functions of this type are called: made when it is first asked for,
 * kept as long as the signature, which the caller holds.  (libffi prepares
 * types of structs for one thread at a time only; there are none here.)
 * PLAIT_E_UNSUPPORTED, PLAIT_E_NOMEM.
 */
plait_status plait__intern_shape(plait__intern *intern,
				 const plait_allocator *allocator,
				 const plait__signature *signature,
				 const plait__ffi_signature **out,
				 plait_error *error);

/* Give a reference back; null is fine. */
void plait__intern_release(plait__intern *intern,
			   const plait_allocator *allocator,
			   const plait__signature *signature);

#endif
