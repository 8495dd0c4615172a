/* SPDX-License-Identifier: MIT */
/*
 * plait/array.h - exchange of arrays with other libraries by DLPack, without
 * a copy.
 *
 * A DLPack tensor has a pointer, a shape, strides, an element type and a
 * deleter.  plait_array_import makes a tensor a buffer, plait_array_export a
 * buffer a tensor.  Both structs of DLPack are supported:
 * DLManagedTensorVersioned (1.x) and the older DLManagedTensor.
 *
 * Example:
 *
 *     plait_array array = { .size = sizeof(array), .lanes = 1,
 *                           .element = PLAIT_ELEMENT_FLOAT,
 *                           .element_bits = 32, .dimensions = 2,
 *                           .shape = { 480, 640 },
 *                           .flags = PLAIT_ARRAY_COMPACT };
 *     void *tensor;
 *
 *     plait_queue_finish(queue, PLAIT_FOREVER, &error);
 *     plait_array_export(buffer, &array, 0, &tensor, &error);
 *
 * Buffers have bytes and no shape; plait_array describes the layout of an
 * array in a buffer.  Neither call waits for queues: finish the work that
 * writes a buffer before another library reads it.
 *
 * Read-only memory (plait_array.flags) stays read-only: commands, kernels and
 * mappings that would write it are refused.
 */
#ifndef PLAIT_ARRAY_H
#define PLAIT_ARRAY_H

#include "plait/device.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PLAIT_ARRAY_MAX_DIMENSIONS = 16 };

/* Element type, with the numbers of DLPack, which has more types. */
typedef uint32_t plait_element;
enum {
	PLAIT_ELEMENT_INT = 0,
	PLAIT_ELEMENT_UINT = 1,
	PLAIT_ELEMENT_FLOAT = 2,
	PLAIT_ELEMENT_BFLOAT = 4,
	PLAIT_ELEMENT_COMPLEX = 5,
	PLAIT_ELEMENT_BOOL = 6
};

/* Flags of an array. */
typedef uint32_t plait_array_flags;
enum {
	/* Read-only memory. */
	PLAIT_ARRAY_READ_ONLY = 1 << 0,
	/* Import: elements may share memory (a stride of 0, windows); such an
	 * array is read-only. */
	PLAIT_ARRAY_OVERLAPS = 1 << 1,
	/* Export: contiguous rows; `strides` is ignored. */
	PLAIT_ARRAY_COMPACT = 1 << 2
};

/* Layout of an array in a buffer; a flat record of 288 bytes. */
typedef struct plait_array {
	uint32_t size;
	plait_array_flags flags;
	/* Element type, bits of one vector lane, and vector lanes of an
	 * element (1 for scalars). */
	plait_element element;
	uint32_t element_bits;
	uint32_t lanes;
	/* 0: a single element. */
	uint32_t dimensions;
	/* Byte offset of the element whose indices are all 0. */
	uint64_t offset_bytes;
	int64_t shape[16];
	/* In elements, as in DLPack; may be negative. */
	int64_t strides[16];
} plait_array;

/* Flags of both calls, combined with PLAIT_CALL_ANY_THREAD. */
typedef uint32_t plait_tensor_flags;
enum {
	/* The tensor is a DLManagedTensor, not a DLManagedTensorVersioned. */
	PLAIT_TENSOR_LEGACY = 1 << 4
};

/*
 * Options of an import.  The tensor's deleter is called once, after the last
 * use of the buffer: by the owner of `inbox`, as the function of a
 * PLAIT_EVENT_RELEASED, or, with PLAIT_CALL_ANY_THREAD and no inbox, on any
 * thread.  Language bindings use the inbox.  An event with PLAIT_E_CANCELLED,
 * from a closed inbox, has not called the deleter: the memory may still be in
 * use.
 */
typedef struct plait_import_desc {
	uint32_t size;
	plait_tensor_flags flags;
	plait_inbox *inbox;
	/* Copied; names the buffer in errors. */
	const char *label;
} plait_import_desc;

/*
 * plait_array_import - make a DLPack tensor a buffer.
 *
 * The buffer is the smallest range that contains all elements.  The call takes
 * over the tensor on success only; after a failure the caller still owns it.
 *
 * @param device    borrowed, non-null: a device with host memory
 *                  (PLAIT_DEVICE_WRAP)
 * @param tensor    consumed, non-null: a DLManagedTensorVersioned or, with the
 *                  flag, a DLManagedTensor
 * @param desc      borrowed, non-null: where the deleter is called
 * @param out_array borrowed, non-null: set `size`; receives the layout
 * @param out       owned, non-null: the buffer, one reference
 * @param error     borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (an inconsistent tensor, or one that is
 *         not aligned), PLAIT_E_UNSUPPORTED (another major version; memory of
 *         another device; elements of partial bytes; more than 16
 *         dimensions), PLAIT_E_STATE (the inbox is closed), PLAIT_E_NOMEM,
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_array_import(plait_device *device, void *tensor,
					  const plait_import_desc *desc,
					  plait_array *out_array,
					  plait_buffer **out,
					  plait_error *error);

/*
 * plait_array_export - make a buffer a DLPack tensor.
 *
 * The tensor holds the buffer until its deleter is called, on any thread and at
 * any time, also after all other objects were released.
 *
 * @param buffer     borrowed, non-null: the memory
 * @param array      borrowed, non-null: layout of the array
 * @param flags      value: 0 or PLAIT_TENSOR_LEGACY
 * @param out_tensor owned, non-null: a DLManagedTensorVersioned (1.0) or a
 *                   DLManagedTensor; its own deleter releases it
 * @param error      borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (an array outside the buffer, or not
 *         aligned), PLAIT_E_UNSUPPORTED (memory of a device; read-only memory
 *         as a DLManagedTensor, which has no flag for it),
 *         PLAIT_E_NOMEM, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_array_export(plait_buffer *buffer,
					  const plait_array *array,
					  plait_tensor_flags flags,
					void **out_tensor,
					  plait_error *error);

#ifdef __cplusplus
}
#endif

#endif
