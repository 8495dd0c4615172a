/* SPDX-License-Identifier: MIT */
/* Layout of a call shape; private to this folder. */
#ifndef PLAIT_SRC_FFI_SHAPE_H
#define PLAIT_SRC_FFI_SHAPE_H

#include "ffi/ffi_call.h"

#ifdef HAVE_LIBFFI
#include <ffi.h>

/* One block: this struct, then the array that the cif points to, then the
 * types of structs. */
struct plait__ffi_shape {
	ffi_cif cif;
	plait__ffi_type result;
	uint64_t block_bytes;
	ffi_type *arguments[];
};

#endif
#endif
