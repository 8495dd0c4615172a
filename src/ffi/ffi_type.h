/* SPDX-License-Identifier: MIT */
/* C types of described calls: scalars, pointers and structs by value, never
 * vectors and never variable arguments. */
#ifndef PLAIT_SRC_FFI_FFI_TYPE_H
#define PLAIT_SRC_FFI_FFI_TYPE_H

#include <stdint.h>

typedef enum plait__ffi_type {
	PLAIT__FFI_VOID,
	PLAIT__FFI_I8,
	PLAIT__FFI_I16,
	PLAIT__FFI_I32,
	PLAIT__FFI_I64,
	PLAIT__FFI_U8,
	PLAIT__FFI_U16,
	PLAIT__FFI_U32,
	PLAIT__FFI_U64,
	PLAIT__FFI_F32,
	PLAIT__FFI_F64,
	PLAIT__FFI_POINTER,
	PLAIT__FFI_STRUCT,
	PLAIT__FFI_TYPES
} plait__ffi_type;

/* Size and alignment of a struct, whose fields are not known. */
typedef struct plait__ffi_layout {
	uint32_t bytes;
	uint32_t alignment;
} plait__ffi_layout;

#endif
