/* SPDX-License-Identifier: MIT */
/*
 * plait/array.h - arrays of other libraries and languages, without a copy.
 *
 * DLPack is what they exchange: a pointer, a shape, strides, the type of an
 * element, and a function that gives the memory back.  A tensor that is
 * imported becomes a buffer; a buffer is exported as a tensor.  Both forms of
 * the exchange are spoken: DLManagedTensorVersioned (1.x), and the older
 * DLManagedTensor.
 *
 * plait's buffers have bytes and no shape; plait_array says how an array lies
 * in one.  Neither call waits for queues: finish what writes a buffer before
 * others read it.
 *
 * Memory that must not be written (plait_array.flags) stays so: commands,
 * kernels and mappings that would write it are refused.
 */
#ifndef PLAIT_ARRAY_H
#define PLAIT_ARRAY_H

#include "plait/device.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PLAIT_ARRAY_MAX_DIMENSIONS = 16 };

/* What an element is: DLPack's numbers, which has more of them. */
enum {
	PLAIT_ELEMENT_INT = 0,
	PLAIT_ELEMENT_UINT = 1,
	PLAIT_ELEMENT_FLOAT = 2,
	PLAIT_ELEMENT_BFLOAT = 4,
	PLAIT_ELEMENT_COMPLEX = 5,
	PLAIT_ELEMENT_BOOL = 6
};

/* Flags of an array. */
enum {
	/* It must not be written. */
	PLAIT_ARRAY_READ_ONLY = 1 << 0,
	/* Import: elements may share memory (a stride of 0, windows); such
	 * an array is read-only. */
	PLAIT_ARRAY_OVERLAPS = 1 << 1,
	/* Export: row by row without gaps; `strides` is not looked at. */
	PLAIT_ARRAY_COMPACT = 1 << 2
};

/* How an array lies in a buffer; a flat record of 288 bytes. */
typedef struct plait_array {
	uint32_t size;
	uint32_t flags;
	/* One of PLAIT_ELEMENT_..., the bits of one lane, and how many lanes
	 * (1, but for vectors) an element has. */
	uint32_t element;
	uint32_t element_bits;
	uint32_t lanes;
	/* 0: a single element. */
	uint32_t dimensions;
	/* Where in the buffer the element is whose indexes are all 0. */
	uint64_t offset_bytes;
	int64_t shape[16];
	/* In elements, as DLPack has it; may be negative. */
	int64_t strides[16];
} plait_array;

/* Flags of both calls, beside PLAIT_CALL_ANY_THREAD. */
enum {
	/* The tensor is a DLManagedTensor, not a DLManagedTensorVersioned. */
	PLAIT_TENSOR_LEGACY = 1 << 4
};

/*
 * How a tensor is imported.  Its deleter is called once, when nothing uses
 * the buffer any more: by the owner of `inbox`, as the function of an
 * event (PLAIT_EVENT_RELEASED), or, with PLAIT_CALL_ANY_THREAD and no inbox, on
 * any thread.  Languages want the inbox.  An event that comes with
 * PLAIT_E_CANCELLED, from an inbox that was closed, has not called it: the
 * memory may be in use still.
 */
typedef struct plait_import_desc {
	uint32_t size;
	uint32_t flags;
	plait_inbox *inbox;
	/* Copied; names the buffer in errors. */
	const char *label;
} plait_import_desc;

/*
 * plait_array_import - a tensor of others as a buffer.
 *
 * The buffer is the smallest range that has all elements.  The tensor is
 * taken over on success only; when the call fails it is still yours, to give
 * to somebody else or to its deleter.
 *
 * @param device    borrowed, non-null: where; its memory must be the host's
 *                  (PLAIT_DEVICE_WRAP)
 * @param tensor    consumed, non-null: a DLManagedTensorVersioned or, with the
 *                  flag, a DLManagedTensor
 * @param desc      borrowed, non-null: who is told when it is not used any more
 * @param out_array borrowed, non-null: set `size`; how it lies in the buffer
 * @param out       owned, non-null: the buffer, one reference
 * @param error     borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (a tensor that contradicts itself, or is
 *         not aligned), PLAIT_E_UNSUPPORTED (another major version; memory of
 *         another device; elements that are not whole bytes; more than 16
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
 * plait_array_export - a buffer as a tensor for others.
 *
 * The tensor keeps the buffer until its deleter is called, which may be done
 * on any thread and at any time, also when everything else was released.
 *
 * @param buffer     borrowed, non-null: the memory
 * @param array      borrowed, non-null: how the array lies in it
 * @param flags      value: 0 or PLAIT_TENSOR_LEGACY
 * @param out_tensor owned, non-null: a DLManagedTensorVersioned (1.0) or a
 *                   DLManagedTensor; given back by its own deleter
 * @param error      borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (an array that is not inside the buffer, or
 *         not aligned), PLAIT_E_UNSUPPORTED (memory that is not the host's;
 *         read-only memory in the older form, which cannot say so),
 *         PLAIT_E_NOMEM, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_array_export(plait_buffer *buffer,
					  const plait_array *array,
					  uint32_t flags, void **out_tensor,
					  plait_error *error);

#ifdef __cplusplus
}
#endif

#endif
