/* SPDX-License-Identifier: MIT */
/* Types of kernel parameters: names, aliases, sizes. */
#ifndef PLAIT_SRC_KERNEL_TYPE_H
#define PLAIT_SRC_KERNEL_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ffi/ffi_type.h"

/* Plan files store these values: append only. */
typedef enum plait__type {
	PLAIT__TYPE_NONE = 0,
	PLAIT__TYPE_I8 = 1,
	PLAIT__TYPE_I16 = 2,
	PLAIT__TYPE_I32 = 3,
	PLAIT__TYPE_I64 = 4,
	PLAIT__TYPE_U8 = 5,
	PLAIT__TYPE_U16 = 6,
	PLAIT__TYPE_U32 = 7,
	PLAIT__TYPE_U64 = 8,
	PLAIT__TYPE_F32 = 9,
	PLAIT__TYPE_F64 = 10,
	PLAIT__TYPE_BOOL = 11,
	PLAIT__TYPE_CHAR = 12,
	PLAIT__TYPE_POINTER = 13
} plait__type;

/* Return the type that a word of `length` bytes names, aliases included, or
 * NONE. */
plait__type plait__type_find(const char *word, size_t length);

/* Return the canonical name; "" for NONE. */
const char *plait__type_name(plait__type type);

/* Return the bytes of a value; 0 for NONE. */
uint32_t plait__type_bytes(plait__type type);

/* Returns true for integers of any size, bool and char. */
bool plait__type_is_integer(plait__type type);

/* Returns true for the types of iterations and counts: integers of 4 or 8
 * bytes. */
static inline bool plait__type_is_count(uint32_t type)
{
	return type == PLAIT__TYPE_I32 || type == PLAIT__TYPE_I64 ||
	       type == PLAIT__TYPE_U32 || type == PLAIT__TYPE_U64;
}

/* Return the C type; VOID for NONE. */
plait__ffi_type plait__type_ffi(plait__type type);

#endif
