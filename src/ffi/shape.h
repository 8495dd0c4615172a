/* SPDX-License-Identifier: MIT */
/* What the files of this folder know of a shape; nobody else includes it. */
#ifndef PLAIT_SRC_FFI_SHAPE_H
#define PLAIT_SRC_FFI_SHAPE_H

#include "ffi/ffi_call.h"

#ifdef HAVE_LIBFFI
#include <ffi.h>

/* One block: this, then the array that the cif points to. */
struct plait__ffi_signature {
	ffi_cif cif;
	plait__ffi_type result;
	uint64_t block_bytes;
	ffi_type *arguments[];
};

#endif
#endif
