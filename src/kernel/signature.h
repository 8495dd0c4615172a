/* SPDX-License-Identifier: MIT */
/*
 * Kernel signatures, and their parser:
 *
 *     name(a: f32, x: in pointer f32, y: inout pointer f32, n: u64)
 *
 *     signature = name "(" [ parameter { "," parameter } ] ")" [ ":" result ]
 *     parameter = name ":" ( type | { mode } "pointer" [ type ] |
 *                            { mode } "array1" .. "array3" type |
 *                            "local" type | [ mode ] "image" | "sampler" |
 *                            "string" | "chunk" )
 *     type      = a number, "bool", "char", a vector ("f32x4"), or
 *                 "struct" [ name ] bytes [ "align" bytes ]
 *     mode      = "in" | "out" | "inout" | "const" | "atomic"
 *     result    = "void" | a type of integers
 *
 * Elements of memory are no structs, and no vectors of 3, whose stride is that
 * of 4 in OpenCL and not in CUDA.  "string" is "in pointer char".  An array is
 * two to four parameters: the pointer, and with its name before them "_at" (i64),
 * "_pitch" and "_slice" (u64), which place element (x, y, z) at + x + y * pitch +
 * z * slice elements behind the pointer; array2 has no slice, array1 neither slice
 * nor pitch.  "chunk" is "struct plait_box 48", the items of a piece.  An image is
 * "in", also without a mode, or "out": a pointer with images as elements.  A struct
 * without an alignment has the largest power of two that divides its size, up
 * to 8.  A result only says whether the kernel failed, so it has to be an
 * integer.  Spaces and line breaks may stand between any two tokens.  Pure:
 * text in, a table out.
 */
#ifndef PLAIT_SRC_KERNEL_SIGNATURE_H
#define PLAIT_SRC_KERNEL_SIGNATURE_H

#include "plait/base.h"

#include "kernel/type.h"

#include <stdbool.h>

enum {
	PLAIT__SIGNATURE_MAX_PARAMETERS = 1024,
	PLAIT__SIGNATURE_MAX_NAME = 255,
	PLAIT__SIGNATURE_MAX_BYTES = 1 << 20,
	PLAIT__SIGNATURE_MAX_STRUCT_BYTES = 4096,
	PLAIT__SIGNATURE_MAX_STRUCT_ALIGNMENT = 64
};

/* Access of a kernel to the memory of a pointer; bits.  ATOMIC reads and
 * writes, by atomic operations only. */
enum {
	PLAIT__MODE_VALUE = 0,
	PLAIT__MODE_IN = 1,
	PLAIT__MODE_OUT = 2,
	PLAIT__MODE_INOUT = 3,
	PLAIT__MODE_ATOMIC = 7
};

typedef struct plait__parameter {
	const char *name;
	plait__type type;
	/* POINTER: element type, NONE if the signature does not say, IMAGE
	 * for an image.  LOCAL: element type. */
	plait__type element;
	uint32_t mode;
	/* Of the value: of a pointer its address, of local memory a u64. */
	uint32_t bytes;
	/* Name of a struct, null if the signature does not say. */
	const char *struct_name;
	/* Dimensions of an array, of its pointer; else 0. */
	uint32_t array;
	/* Which number of the array before it: PLAIT__PLACE_... */
	uint32_t place;
	bool is_chunk;
} plait__parameter;

/* Numbers of an array, behind its pointer. */
enum {
	PLAIT__PLACE_NONE = 0,
	PLAIT__PLACE_AT = 1,
	PLAIT__PLACE_PITCH = 2,
	PLAIT__PLACE_SLICE = 3
};

static inline bool plait__signature_is_image(const plait__parameter *parameter)
{
	return parameter->element == PLAIT__TYPE_IMAGE;
}

/* Parsed signature; immutable, one block of memory. */
typedef struct plait__signature {
	/* Canonical text: equal texts mean equal signatures. */
	const char *text;
	const char *name;
	const plait__parameter *parameters;
	uint32_t count;
	uint32_t local_count; /* parameters that are local memory */
	uint32_t image_count; /* that are images or samplers */
	uint32_t place_count; /* that are numbers of arrays */
	uint32_t chunk_count;
	/* NONE: the kernel returns nothing. */
	plait__type result;
	uint64_t block_bytes;
} plait__signature;

/*
 * Parse `text`.  An error (PLAIT_E_INVALID, PLAIT_E_NOMEM) names the byte (from 1)
 * and the expected token.  Free *out with plait__signature_destroy().
 */
plait_status plait__signature_parse(const char *text,
				    const plait_allocator *allocator,
				    plait__signature **out,
				    plait_error *error);

/*
 * Fail because `count` arguments do not fit.  With arrays the text names the plain
 * parameters that a queue or a graph needs; a flow needs less.
 */
plait_status plait__signature_fail_count(const plait__signature *signature,
					 uint64_t count, plait_error *error);

void plait__signature_destroy(const plait_allocator *allocator,
			      plait__signature *signature);

#endif
