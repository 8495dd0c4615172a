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
	PLAIT__TYPE_POINTER = 13,
	/* Memory of a group; its value is a u64, the bytes. */
	PLAIT__TYPE_LOCAL = 14,
	/* The element of a pointer that is an image. */
	PLAIT__TYPE_IMAGE = 15,
	/* plait_sampler_flags. */
	PLAIT__TYPE_SAMPLER = 16,
	/* Combined with a number and, in the low bits, 0 to 4 for 2, 3, 4, 8
	 * or 16 of them: f32x4. */
	PLAIT__TYPE_VECTOR = 0x100,
	/* Combined with the binary logarithm of the alignment. */
	PLAIT__TYPE_STRUCT = 0x1000
} plait__type;

/* Return the type that a word of `length` bytes names, aliases included, or
 * NONE. */
plait__type plait__type_find(const char *word, size_t length);

/* Return the canonical name; "" for NONE, "struct" for a struct. */
const char *plait__type_name(plait__type type);

/* Return the number type of a vector's elements, or NONE. */
plait__type plait__type_of_lane(plait__type type);

/* Return the number of a vector's elements; 1 for other types. */
uint32_t plait__type_lanes(plait__type type);

static inline bool plait__type_is_struct(plait__type type)
{
	return (type & PLAIT__TYPE_STRUCT) != 0;
}

/* Return the alignment of a struct type, a power of two. */
static inline uint32_t plait__type_struct_alignment(plait__type type)
{
	return (uint32_t)1 << (type & 0x1f);
}

/* Return the bytes of a value; a vector has those of its elements.  0 for NONE
 * and structs. */
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

/* Return the C type; VOID for NONE and for vectors, which libffi does not
 * pass. */
plait__ffi_type plait__type_ffi(plait__type type);

#endif
