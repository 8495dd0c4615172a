/* SPDX-License-Identifier: MIT */
/* Preparation of call shapes, and calls; see ffi_call.h. */
#include "ffi/ffi_call.h"

#include "ffi/shape.h"
#include "base/alloc.h"
#include "base/error.h"

#include <stddef.h>

#ifdef HAVE_LIBFFI

static ffi_type *const types[PLAIT__FFI_TYPES] = {
	[PLAIT__FFI_VOID] = &ffi_type_void,
	[PLAIT__FFI_I8] = &ffi_type_sint8,
	[PLAIT__FFI_I16] = &ffi_type_sint16,
	[PLAIT__FFI_I32] = &ffi_type_sint32,
	[PLAIT__FFI_I64] = &ffi_type_sint64,
	[PLAIT__FFI_U8] = &ffi_type_uint8,
	[PLAIT__FFI_U16] = &ffi_type_uint16,
	[PLAIT__FFI_U32] = &ffi_type_uint32,
	[PLAIT__FFI_U64] = &ffi_type_uint64,
	[PLAIT__FFI_F32] = &ffi_type_float,
	[PLAIT__FFI_F64] = &ffi_type_double,
	[PLAIT__FFI_POINTER] = &ffi_type_pointer,
};

/* Words of a struct: only its size decides how it is passed. */
static ffi_type *const words[] = { &ffi_type_uint64, &ffi_type_uint64,
				   &ffi_type_uint64, &ffi_type_uint64, NULL };

static ffi_type *struct_type(ffi_type *out, const plait__ffi_layout *layout)
{
	const uint32_t most = sizeof(words) / sizeof(words[0]) - 1;
	uint32_t count = (layout->bytes + 7) / 8;

	*out = (ffi_type){
		.size = layout->bytes, .type = FFI_TYPE_STRUCT,
		.alignment = (unsigned short)layout->alignment,
		.elements = (ffi_type **)(uintptr_t)
			&words[most - (count < most ? count : most)] };
	return out;
}

bool plait__ffi_can_pass(uint32_t struct_bytes)
{
#if defined(__x86_64__)
	return struct_bytes > 16;
#elif defined(__aarch64__)
	return struct_bytes > 64;
#else
	(void)struct_bytes;
	return false;
#endif
}

plait_status plait__ffi_shape_create(const plait_allocator *allocator,
				     const plait__ffi_type *arguments,
				     const plait__ffi_layout *layouts,
				     uint32_t count, plait__ffi_type result,
				     plait__ffi_shape **out,
				     plait_error *error)
{
	uint64_t bytes = sizeof(plait__ffi_shape) +
			 count * (sizeof(ffi_type *) +
				  (layouts != NULL ? sizeof(ffi_type) : 0));
	plait__ffi_shape *shape = plait__alloc(allocator, bytes);
	ffi_type *structs;
	ffi_status status;

	*out = NULL;
	if (shape == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for the shape of a call");
	structs = (ffi_type *)(void *)(shape->arguments + count);
	for (uint32_t i = 0; i < count; i++)
		shape->arguments[i] = arguments[i] == PLAIT__FFI_STRUCT ?
			struct_type(&structs[i], &layouts[i]) :
			types[arguments[i]];
	shape->result = result;
	shape->block_bytes = bytes;
	status = ffi_prep_cif(&shape->cif, FFI_DEFAULT_ABI, count,
			      types[result], shape->arguments);
	if (status != FFI_OK) {
		plait__free(allocator, shape, bytes);
		return plait__fail_origin(error, PLAIT_E_UNSUPPORTED, status,
					  "libffi refuses this list of "
					  "%u arguments (%d)", count,
					  (int)status);
	}
	*out = shape;
	return PLAIT_OK;
}

void plait__ffi_shape_destroy(const plait_allocator *allocator,
			      plait__ffi_shape *shape)
{
	if (shape != NULL)
		plait__free(allocator, shape, shape->block_bytes);
}

static int64_t at_most(uint64_t value)
{
	return value < INT64_MAX ? (int64_t)value : INT64_MAX;
}

/* libffi widens integers below a register to one, by sign or by zeros; the
 * upper half of an int on a 64-bit machine is not to be relied on. */
static int64_t widen(plait__ffi_type type, ffi_arg value)
{
	switch (type) {
	case PLAIT__FFI_I8: return (int8_t)value;
	case PLAIT__FFI_I16: return (int16_t)value;
	case PLAIT__FFI_I32: return (int32_t)value;
	case PLAIT__FFI_U8: return (uint8_t)value;
	case PLAIT__FFI_U16: return (uint16_t)value;
	case PLAIT__FFI_U32: return (uint32_t)value;
	case PLAIT__FFI_I64: return (int64_t)value;
	case PLAIT__FFI_U64: return at_most(value);
	default: return 0;
	}
}

int64_t plait__ffi_call(const plait__ffi_shape *shape, void (*code)(void),
			void *const *arguments)
{
	/* Large enough for the widest result.  libffi only reads the cif and
	 * the pointers, although its prototype lacks const. */
	union {
		ffi_arg word;
		uint64_t wide;
	} result = { .wide = 0 };

	ffi_call((ffi_cif *)(uintptr_t)&shape->cif, code, &result,
		 (void **)(uintptr_t)arguments);
	if (sizeof(ffi_arg) < sizeof(uint64_t) &&
	    shape->result == PLAIT__FFI_I64)
		return (int64_t)result.wide;
	if (sizeof(ffi_arg) < sizeof(uint64_t) &&
	    shape->result == PLAIT__FFI_U64)
		return at_most(result.wide);
	return widen(shape->result, result.word);
}

#else

bool plait__ffi_can_pass(uint32_t struct_bytes)
{
	(void)struct_bytes;
	return false;
}

plait_status plait__ffi_shape_create(const plait_allocator *allocator,
				     const plait__ffi_type *arguments,
				     const plait__ffi_layout *layouts,
				     uint32_t count, plait__ffi_type result,
				     plait__ffi_shape **out,
				     plait_error *error)
{
	(void)allocator;
	(void)arguments;
	(void)layouts;
	(void)count;
	(void)result;
	*out = NULL;
	return plait__fail(error, PLAIT_E_UNSUPPORTED,
			   "functions of a described type need libffi, and "
			   "this library was built without it; use the fixed "
			   "form");
}

void plait__ffi_shape_destroy(const plait_allocator *allocator,
			      plait__ffi_shape *shape)
{
	(void)allocator;
	(void)shape;
}

int64_t plait__ffi_call(const plait__ffi_shape *shape, void (*code)(void),
			void *const *arguments)
{
	(void)shape;
	(void)code;
	(void)arguments;
	return -1;
}

#endif
