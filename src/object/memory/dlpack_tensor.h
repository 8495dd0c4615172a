/* SPDX-License-Identifier: MIT */
/*
 * Layout of DLPack tensors, and checks that do not touch their memory. The
 * assertions keep the offsets of DLPack's ABI.
 */
#ifndef PLAIT_SRC_OBJECT_MEMORY_DLPACK_TENSOR_H
#define PLAIT_SRC_OBJECT_MEMORY_DLPACK_TENSOR_H

#include <stdbool.h>
#include <stddef.h>

#include "plait/array.h"

enum {
	PLAIT__TENSOR_MAJOR = 1,
	PLAIT__TENSOR_ON_CPU = 1,
	PLAIT__TENSOR_ON_CUDA_HOST = 3, /* pinned host memory */
	PLAIT__TENSOR_READ_ONLY = 1	/* flag of plait__tensor_versioned */
};

typedef struct plait__tensor {
	void *data;
	int32_t device_type;
	int32_t device_id;
	int32_t dimensions;
	uint8_t element;
	uint8_t element_bits;
	uint16_t lanes;
	int64_t *shape;
	int64_t *strides;
	uint64_t byte_offset;
} plait__tensor;

typedef struct plait__tensor_legacy {
	plait__tensor tensor;
	void *manager;
	void (*deleter)(struct plait__tensor_legacy *self);
} plait__tensor_legacy;

typedef struct plait__tensor_versioned {
	uint32_t major;
	uint32_t minor;
	void *manager;
	void (*deleter)(struct plait__tensor_versioned *self);
	uint64_t flags;
	plait__tensor tensor;
} plait__tensor_versioned;

#if UINTPTR_MAX == UINT64_MAX
_Static_assert(offsetof(plait__tensor, dimensions) == 16, "DLTensor");
_Static_assert(offsetof(plait__tensor, element) == 20, "DLTensor");
_Static_assert(offsetof(plait__tensor, byte_offset) == 40, "DLTensor");
_Static_assert(offsetof(plait__tensor_legacy, deleter) == 56,
	       "DLManagedTensor");
_Static_assert(offsetof(plait__tensor_versioned, deleter) == 16,
	       "DLManagedTensorVersioned");
_Static_assert(offsetof(plait__tensor_versioned, tensor) == 32,
	       "DLManagedTensorVersioned");
#endif

/* Byte extent of the elements, relative to the one at index 0 of all
 * dimensions. */
typedef struct plait__tensor_extent {
	uint64_t before; /* bytes below that element */
	uint64_t bytes;	 /* from the lowest byte to the end of the highest */
} plait__tensor_extent;

/* Read a tensor into an array: offset_bytes is 0, missing strides are filled
 * in. PLAIT_E_INVALID, PLAIT_E_UNSUPPORTED. */
plait_status plait__tensor_read(const plait__tensor *tensor, plait_array *out,
				plait_error *error);

/* Likewise for an array of the user's; fills in compact strides. */
plait_status plait__tensor_normalize(plait_array *array, plait_error *error);

/* Measure a checked array; an array without elements has no extent.
 * PLAIT_E_INVALID: it exceeds the address space. */
plait_status plait__tensor_measure(const plait_array *array,
				   plait__tensor_extent *out,
				   plait_error *error);

/* Returns true if two elements may share memory; also if that is hard to
 * tell. */
bool plait__tensor_overlaps(const plait_array *array);

/* The alignment of an element's address, in bytes. */
uint64_t plait__tensor_alignment(const plait_array *array);

#endif
