/* SPDX-License-Identifier: MIT */
/*
 * Tensors as DLPack lays them out in memory, and what can be said of one
 * without touching its memory.  The offsets are facts of DLPack's ABI, which
 * the assertions keep.
 */
#ifndef PLAIT_SRC_OBJECT_MEMORY_DLPACK_TENSOR_H
#define PLAIT_SRC_OBJECT_MEMORY_DLPACK_TENSOR_H

#include <stdbool.h>
#include <stddef.h>

#include "plait/array.h"

enum {
	PLAIT__TENSOR_MAJOR = 1,
	PLAIT__TENSOR_ON_CPU = 1,
	PLAIT__TENSOR_ON_CUDA_HOST = 3, /* pinned memory of the host */
	PLAIT__TENSOR_READ_ONLY = 1	/* bit of plait__tensor_versioned */
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

/* Where the elements lie, in bytes from the one whose indexes are all 0. */
typedef struct plait__tensor_extent {
	uint64_t before; /* how far down they go */
	uint64_t bytes;	 /* from the lowest to the end of the highest */
} plait__tensor_extent;

/* Read a tensor into an array (offset_bytes is 0; strides are filled in when
 * there are none).  PLAIT_E_INVALID, PLAIT_E_UNSUPPORTED. */
plait_status plait__tensor_read(const plait__tensor *tensor, plait_array *out,
				plait_error *error);

/* The same checks for an array of the user's; fills in compact strides. */
plait_status plait__tensor_normalize(plait_array *array, plait_error *error);

/* How far an array that was checked reaches; nothing when it has no element.
 * PLAIT_E_INVALID: further than memory. */
plait_status plait__tensor_measure(const plait_array *array,
				   plait__tensor_extent *out, plait_error *error);

/* May two elements share memory?  True also when that is hard to say. */
bool plait__tensor_overlaps(const plait_array *array);

/* Bytes that the address of an element has to be a multiple of. */
uint64_t plait__tensor_alignment(const plait_array *array);

#endif
