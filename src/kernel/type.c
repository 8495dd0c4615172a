/* SPDX-License-Identifier: MIT */
/* Table of parameter types; see type.h. */
#include "kernel/type.h"

#include <string.h>

static const struct entry {
	plait__type type;
	uint32_t bytes;
	const char *name;
} entries[] = {
	/* Canonical names come first, in the order of the types. */
	{ PLAIT__TYPE_I8, 1, "i8" },
	{ PLAIT__TYPE_I16, 2, "i16" },
	{ PLAIT__TYPE_I32, 4, "i32" },
	{ PLAIT__TYPE_I64, 8, "i64" },
	{ PLAIT__TYPE_U8, 1, "u8" },
	{ PLAIT__TYPE_U16, 2, "u16" },
	{ PLAIT__TYPE_U32, 4, "u32" },
	{ PLAIT__TYPE_U64, 8, "u64" },
	{ PLAIT__TYPE_F32, 4, "f32" },
	{ PLAIT__TYPE_F64, 8, "f64" },
	{ PLAIT__TYPE_BOOL, 1, "bool" },
	{ PLAIT__TYPE_CHAR, 1, "char" },
	{ PLAIT__TYPE_POINTER, sizeof(void *), "pointer" },
	{ PLAIT__TYPE_LOCAL, sizeof(uint64_t), "local" },
	{ PLAIT__TYPE_IMAGE, 0, "image" },
	{ PLAIT__TYPE_SAMPLER, sizeof(uint32_t), "sampler" },
	/* Names that NIDL uses. */
	{ PLAIT__TYPE_I8, 1, "sint8" },
	{ PLAIT__TYPE_I16, 2, "sint16" },
	{ PLAIT__TYPE_I32, 4, "sint32" },
	{ PLAIT__TYPE_I64, 8, "sint64" },
	{ PLAIT__TYPE_U8, 1, "uint8" },
	{ PLAIT__TYPE_U16, 2, "uint16" },
	{ PLAIT__TYPE_U32, 4, "uint32" },
	{ PLAIT__TYPE_U64, 8, "uint64" },
	{ PLAIT__TYPE_F32, 4, "float" },
	{ PLAIT__TYPE_F64, 8, "double" },
	/* Names close to C. */
	{ PLAIT__TYPE_I8, 1, "int8" },
	{ PLAIT__TYPE_I16, 2, "int16" },
	{ PLAIT__TYPE_I32, 4, "int32" },
	{ PLAIT__TYPE_I64, 8, "int64" },
};

static const uint8_t lane_counts[] = { 2, 3, 4, 8, 16 };

enum { LANES_BITS = 4, LANES_MASK = (1 << LANES_BITS) - 1 };

#define ROW(name) { name "x2", name "x3", name "x4", name "x8", name "x16" }

/* Names of vectors, in the order of the number types. */
static const char *const vector_names[][sizeof(lane_counts)] = {
	ROW("i8"), ROW("i16"), ROW("i32"), ROW("i64"), ROW("u8"),
	ROW("u16"), ROW("u32"), ROW("u64"), ROW("f32"), ROW("f64"),
};

enum { ENTRY_COUNT = sizeof(entries) / sizeof(entries[0]) };

static plait__type find_vector(const char *word, size_t length)
{
	for (uint32_t i = 0; i < PLAIT__TYPE_F64; i++)
		for (uint32_t k = 0; k < sizeof(lane_counts); k++)
			if (strlen(vector_names[i][k]) == length &&
			    memcmp(vector_names[i][k], word, length) == 0)
				return (plait__type)(PLAIT__TYPE_VECTOR |
						     (i + 1) << LANES_BITS | k);
	return PLAIT__TYPE_NONE;
}

plait__type plait__type_find(const char *word, size_t length)
{
	for (int i = 0; i < ENTRY_COUNT; i++)
		if (strlen(entries[i].name) == length &&
		    memcmp(entries[i].name, word, length) == 0)
			return entries[i].type;
	return find_vector(word, length);
}

plait__type plait__type_of_lane(plait__type type)
{
	uint32_t lane = ((uint32_t)type & 0xff) >> LANES_BITS;

	/* Numbers from files may be anything. */
	if (((uint32_t)type & ~0xffu) != PLAIT__TYPE_VECTOR || lane == 0 ||
	    lane > PLAIT__TYPE_F64 ||
	    (type & LANES_MASK) >= sizeof(lane_counts))
		return PLAIT__TYPE_NONE;
	return (plait__type)lane;
}

uint32_t plait__type_lanes(plait__type type)
{
	return plait__type_of_lane(type) != PLAIT__TYPE_NONE ?
	       lane_counts[type & LANES_MASK] : 1;
}

static const struct entry *entry_of(plait__type type)
{
	return type >= PLAIT__TYPE_I8 && type <= PLAIT__TYPE_SAMPLER ?
	       &entries[type - 1] : NULL;
}

const char *plait__type_name(plait__type type)
{
	const struct entry *entry = entry_of(type);
	plait__type lane = plait__type_of_lane(type);

	if (lane != PLAIT__TYPE_NONE)
		return vector_names[lane - 1][type & LANES_MASK];
	if (plait__type_is_struct(type))
		return "struct";
	return entry != NULL ? entry->name : "";
}

uint32_t plait__type_bytes(plait__type type)
{
	plait__type lane = plait__type_of_lane(type);
	const struct entry *entry =
		entry_of(lane != PLAIT__TYPE_NONE ? lane : type);

	return entry != NULL ? entry->bytes * plait__type_lanes(type) : 0;
}

bool plait__type_is_integer(plait__type type)
{
	return type != PLAIT__TYPE_NONE && type != PLAIT__TYPE_F32 &&
	       type != PLAIT__TYPE_F64 && type < PLAIT__TYPE_POINTER;
}

plait__ffi_type plait__type_ffi(plait__type type)
{
	static const plait__ffi_type types[] = {
		[PLAIT__TYPE_NONE] = PLAIT__FFI_VOID,
		[PLAIT__TYPE_I8] = PLAIT__FFI_I8,
		[PLAIT__TYPE_I16] = PLAIT__FFI_I16,
		[PLAIT__TYPE_I32] = PLAIT__FFI_I32,
		[PLAIT__TYPE_I64] = PLAIT__FFI_I64,
		[PLAIT__TYPE_U8] = PLAIT__FFI_U8,
		[PLAIT__TYPE_U16] = PLAIT__FFI_U16,
		[PLAIT__TYPE_U32] = PLAIT__FFI_U32,
		[PLAIT__TYPE_U64] = PLAIT__FFI_U64,
		[PLAIT__TYPE_F32] = PLAIT__FFI_F32,
		[PLAIT__TYPE_F64] = PLAIT__FFI_F64,
		/* One byte, 0 or 1 as in C. */
		[PLAIT__TYPE_BOOL] = PLAIT__FFI_U8,
		/* Signedness of the machine. */
		[PLAIT__TYPE_CHAR] = (char)-1 < 0 ? PLAIT__FFI_I8 :
			PLAIT__FFI_U8,
		[PLAIT__TYPE_POINTER] = PLAIT__FFI_POINTER,
		/* The address of a block; see local_block.h. */
		[PLAIT__TYPE_LOCAL] = PLAIT__FFI_POINTER,
		/* Images are pointers. */
		[PLAIT__TYPE_IMAGE] = PLAIT__FFI_VOID,
		[PLAIT__TYPE_SAMPLER] = PLAIT__FFI_U32,
	};

	if (plait__type_is_struct(type))
		return PLAIT__FFI_STRUCT;
	return type <= PLAIT__TYPE_SAMPLER ? types[type] : PLAIT__FFI_VOID;
}
