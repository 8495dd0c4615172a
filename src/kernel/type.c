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

enum { ENTRY_COUNT = sizeof(entries) / sizeof(entries[0]) };

plait__type plait__type_find(const char *word, size_t length)
{
	for (int i = 0; i < ENTRY_COUNT; i++)
		if (strlen(entries[i].name) == length &&
		    memcmp(entries[i].name, word, length) == 0)
			return entries[i].type;
	return PLAIT__TYPE_NONE;
}

static const struct entry *entry_of(plait__type type)
{
	return type >= PLAIT__TYPE_I8 && type <= PLAIT__TYPE_LOCAL ?
	       &entries[type - 1] : NULL;
}

const char *plait__type_name(plait__type type)
{
	const struct entry *entry = entry_of(type);

	return entry != NULL ? entry->name : "";
}

uint32_t plait__type_bytes(plait__type type)
{
	const struct entry *entry = entry_of(type);

	return entry != NULL ? entry->bytes : 0;
}

bool plait__type_is_integer(plait__type type)
{
	return type != PLAIT__TYPE_NONE && type != PLAIT__TYPE_F32 &&
	       type != PLAIT__TYPE_F64 && type != PLAIT__TYPE_POINTER &&
	       type != PLAIT__TYPE_LOCAL;
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
	};

	return types[type];
}
