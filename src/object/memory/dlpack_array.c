/* SPDX-License-Identifier: MIT */
/* Import and export of DLPack tensors. An imported tensor is wrapped memory;
 * its release calls the tensor's deleter; an exported one has a reference and a
 * mapping. */
#include "plait/array.h"

#include "object/memory/buffer.h"
#include "object/memory/buffer_check.h"
#include "object/context/device.h"
#include "object/memory/dlpack_tensor.h"

#include "base/alloc.h"
#include "base/sized_struct.h"
#include "base/error.h"

/* ---- import ---- */

/* The common part of both tensor forms, with the function that deletes each. */
struct foreign {
	const plait__tensor *tensor;
	plait_host_function end;
	bool read_only;
};

static int32_t end_legacy(void *user_data)
{
	plait__tensor_legacy *self = user_data;

	if (self->deleter != NULL)
		self->deleter(self);
	return 0;
}

static int32_t end_versioned(void *user_data)
{
	plait__tensor_versioned *self = user_data;

	if (self->deleter != NULL)
		self->deleter(self);
	return 0;
}

/* Read the form that the flags name.  The tensor stays the caller's. */
static plait_status open_foreign(struct foreign *out, const void *tensor,
				 uint32_t flags, plait_error *error)
{
	const plait__tensor_versioned *versioned = tensor;
	const plait__tensor_legacy *legacy = tensor;

	if (tensor == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "tensor is null");
	if ((flags & PLAIT_TENSOR_LEGACY) != 0) {
		*out = (struct foreign){ &legacy->tensor, end_legacy, false };
		return PLAIT_OK;
	}
	/* The deleter is all that is known of another major version. */
	if (versioned->major != PLAIT__TENSOR_MAJOR)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "tensor: of DLPack %u.%u; this library "
				   "knows 1", versioned->major,
				   versioned->minor);
	*out = (struct foreign){ &versioned->tensor, end_versioned,
				 (versioned->flags &
				  PLAIT__TENSOR_READ_ONLY) != 0 };
	return PLAIT_OK;
}

static plait_status check_import(const plait_import_desc *desc,
				 plait_error *error)
{
	const uint32_t known = PLAIT_TENSOR_LEGACY | PLAIT_CALL_ANY_THREAD;

	if ((desc->flags & ~known) != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_import_desc: flags 0x%x are not "
				   "known", desc->flags);
	if ((desc->inbox != NULL) ==
	    ((desc->flags & PLAIT_CALL_ANY_THREAD) != 0))
		return plait__fail(
			error, PLAIT_E_INVALID,
			"plait_import_desc: say where the deleter "
			"may run: an inbox or PLAIT_CALL_ANY_THREAD");
	return PLAIT_OK;
}

/* Find the address of the element at index 0 of all dimensions. */
static plait_status find_origin(const plait__tensor *tensor,
				const plait__tensor_extent *extent, char **out,
				plait_error *error)
{
	uintptr_t origin;

	if (tensor->device_type != PLAIT__TENSOR_ON_CPU &&
	    tensor->device_type != PLAIT__TENSOR_ON_CUDA_HOST)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "tensor: its memory is on a device of "
				   "DLPack's kind %d, not on the host",
				   tensor->device_type);
	*out = NULL;
	if (extent->bytes == 0)
		return PLAIT_OK;
	if (tensor->data == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "tensor: data is null");
	if (__builtin_add_overflow((uintptr_t)tensor->data,
				   tensor->byte_offset, &origin) ||
	    origin < extent->before)
		return plait__fail(error, PLAIT_E_INVALID,
				   "tensor: byte_offset %llu leaves memory",
				   (unsigned long long)tensor->byte_offset);
	*out = (char *)origin;
	return PLAIT_OK;
}

static plait_status check_aligned(const plait_array *array, uintptr_t origin,
				  plait_error *error)
{
	uint64_t alignment = plait__tensor_alignment(array);

	if (origin % alignment == 0)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_INVALID,
			   "array: its elements are not aligned to %llu bytes",
			   (unsigned long long)alignment);
}

/* Describe the tensor as an array, and as memory to wrap.  Overlapping elements
 * make it read-only. */
static plait_status read_foreign(const struct foreign *foreign,
				 plait_array *array, plait_wrap_desc *wrap,
				 plait_error *error)
{
	plait__tensor_extent extent;
	char *origin;
	plait_status status = plait__tensor_read(foreign->tensor, array,
						 error);

	if (status == PLAIT_OK)
		status = plait__tensor_measure(array, &extent, error);
	if (status == PLAIT_OK)
		status = find_origin(foreign->tensor, &extent, &origin, error);
	if (status == PLAIT_OK)
		status = check_aligned(array, (uintptr_t)origin, error);
	if (status != PLAIT_OK)
		return status;
	array->offset_bytes = extent.before;
	if (plait__tensor_overlaps(array))
		array->flags |= PLAIT_ARRAY_OVERLAPS | PLAIT_ARRAY_READ_ONLY;
	if (foreign->read_only)
		array->flags |= PLAIT_ARRAY_READ_ONLY;
	if ((array->flags & PLAIT_ARRAY_READ_ONLY) != 0)
		wrap->flags |= PLAIT_WRAP_READ_ONLY;
	wrap->pointer = origin != NULL ? origin - extent.before : NULL;
	wrap->bytes = extent.bytes;
	wrap->released = foreign->end;
	return PLAIT_OK;
}

/* From a success on the tensor is the buffer's, whose `released` ends it. */
static plait_status import(plait_device *device, void *tensor,
			   const plait_import_desc *given, plait_array *array,
			   plait_buffer **out, plait_error *error)
{
	plait_wrap_desc wrap = { .size = sizeof(wrap), .user_data = tensor };
	plait_import_desc desc;
	struct foreign foreign = { NULL, NULL, false };
	plait_status status = PLAIT__STRUCT_READ(plait_import_desc, &desc,
						 given, error);

	if (status == PLAIT_OK)
		status = check_import(&desc, error);
	if (status == PLAIT_OK)
		status = open_foreign(&foreign, tensor, desc.flags, error);
	if (status == PLAIT_OK)
		status = read_foreign(&foreign, array, &wrap, error);
	if (status != PLAIT_OK)
		return status;
	wrap.flags |= desc.flags & PLAIT_CALL_ANY_THREAD;
	wrap.inbox = desc.inbox;
	wrap.label = desc.label;
	return plait_buffer_wrap(device, &wrap, out, error);
}

PLAIT_API plait_status plait_array_import(plait_device *device, void *tensor,
					  const plait_import_desc *desc,
					  plait_array *out_array,
					  plait_buffer **out,
					  plait_error *error)
{
	plait_array array = { .size = sizeof(array) };
	plait__device *entered;
	plait_status status;

	if (out == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "out is null");
	*out = NULL;
	status = plait__device_enter(device, &entered, error);
	if (status != PLAIT_OK)
		return status;
	/* Check the caller's struct before ownership of the tensor passes. */
	status = PLAIT__STRUCT_WRITE(plait_array, out_array, &array, error);
	if (status == PLAIT_OK)
		status = import(device, tensor, desc, &array, out, error);
	if (status == PLAIT_OK)
		(void)PLAIT__STRUCT_WRITE(plait_array, out_array, &array, NULL);
	plait__device_leave(entered);
	return status;
}

/* ---- export ---- */

struct exported {
	union {
		plait__tensor_legacy legacy;
		plait__tensor_versioned versioned;
	} form; /* first member: the consumer has its address */
	plait_allocator allocator;
	plait_buffer *buffer; /* holds one reference */
	void *mapped;	      /* null: no bytes */
	int64_t shape[PLAIT_ARRAY_MAX_DIMENSIONS];
	int64_t strides[PLAIT_ARRAY_MAX_DIMENSIONS];
};

/* Deleter; on any thread, and the consumer's last access. */
static void end_exported(struct exported *self)
{
	const plait_allocator allocator = self->allocator;
	plait_buffer *buffer = self->buffer;

	if (self->mapped != NULL)
		(void)plait_buffer_unmap(buffer, self->mapped, NULL);
	/* The allocator is the context's; the buffer keeps the context. */
	plait__free(&allocator, self, sizeof(*self));
	plait_buffer_release(buffer);
}

static void delete_legacy(plait__tensor_legacy *self)
{
	end_exported((struct exported *)(void *)self);
}

static void delete_versioned(plait__tensor_versioned *self)
{
	end_exported((struct exported *)(void *)self);
}

/* plait__tensor_normalize has checked the array, so the numbers fit. */
static void fill_tensor(plait__tensor *out, struct exported *self,
			const plait_array *array)
{
	*out = (plait__tensor){
		.device_type = PLAIT__TENSOR_ON_CPU,
		.dimensions = (int32_t)array->dimensions,
		.element = (uint8_t)array->element,
		.element_bits = (uint8_t)array->element_bits,
		.lanes = (uint16_t)array->lanes,
		.shape = self->shape, .strides = self->strides,
	};
	for (uint32_t i = 0; i < array->dimensions; i++) {
		self->shape[i] = array->shape[i];
		self->strides[i] = array->strides[i];
	}
	/* The pointer includes the offset, because some consumers ignore
	 * byte_offset. */
	if (self->mapped != NULL)
		out->data = (char *)self->mapped + array->offset_bytes;
}

static void *fill_form(struct exported *self, const plait_array *array,
		       uint32_t flags, bool read_only)
{
	if ((flags & PLAIT_TENSOR_LEGACY) != 0) {
		self->form.legacy.deleter = delete_legacy;
		fill_tensor(&self->form.legacy.tensor, self, array);
		return &self->form.legacy;
	}
	self->form.versioned.major = PLAIT__TENSOR_MAJOR;
	self->form.versioned.deleter = delete_versioned;
	self->form.versioned.flags = read_only ? PLAIT__TENSOR_READ_ONLY : 0;
	fill_tensor(&self->form.versioned.tensor, self, array);
	return &self->form.versioned;
}

/* The array is normalized. */
static plait_status check_inside(const plait__buffer *buffer,
				 const plait_array *array,
				 uint64_t *out_bytes, plait_error *error)
{
	plait__tensor_extent extent;
	plait_status status = plait__tensor_measure(array, &extent, error);

	if (status != PLAIT_OK)
		return status;
	*out_bytes = extent.bytes;
	if (array->offset_bytes < extent.before)
		return plait__fail(error, PLAIT_E_INVALID,
				   "array: from %llu bytes it goes down %llu, "
				   "out of its buffer",
				   (unsigned long long)array->offset_bytes,
				   (unsigned long long)extent.before);
	return plait__buffer_check_range(buffer,
					 array->offset_bytes - extent.before,
					 extent.bytes, "array", error);
}

/* Map the whole buffer, so that strides of either sign stay inside. */
static plait_status map_exported(struct exported *self, plait_buffer *handle,
				 const plait__buffer *buffer,
				 const plait_array *array, bool read_only,
				 plait_error *error)
{
	uint32_t flags = PLAIT_MAP_READ | (read_only ? 0 : PLAIT_MAP_WRITE);
	uint64_t bytes;
	plait_status status = check_inside(buffer, array, &bytes, error);

	if (status != PLAIT_OK || bytes == 0)
		return status;
	status = plait_buffer_map(handle, 0, buffer->bytes, flags,
				  &self->mapped, error);
	if (status != PLAIT_OK)
		return status;
	return check_aligned(array, (uintptr_t)self->mapped +
			     array->offset_bytes, error);
}

static plait_status check_export(const plait_array *array, uint32_t flags,
				 bool read_only, plait_error *error)
{
	const uint32_t known = PLAIT_ARRAY_READ_ONLY | PLAIT_ARRAY_OVERLAPS |
			       PLAIT_ARRAY_COMPACT;

	if ((array->flags & ~known) != 0 ||
	    (flags & ~(uint32_t)PLAIT_TENSOR_LEGACY) != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "export: flags 0x%x of the array and 0x%x "
				   "of the call are not all known",
				   array->flags, flags);
	if (read_only && (flags & PLAIT_TENSOR_LEGACY) != 0)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "export: the memory must not be written, "
				   "which a DLManagedTensor cannot say");
	return PLAIT_OK;
}

/* The tensor holds the buffer and a mapping, until its deleter is called. */
static plait_status export(plait_buffer *handle, plait__buffer *buffer,
			   plait_array *array, uint32_t flags,
			   void **out_tensor, plait_error *error)
{
	const plait_allocator *allocator =
		plait__context_allocator(buffer->object.context);
	bool read_only = buffer->root->read_only ||
			 (array->flags & PLAIT_ARRAY_READ_ONLY) != 0;
	plait_status status = check_export(array, flags, read_only, error);
	struct exported *self;

	if (status == PLAIT_OK)
		status = plait__tensor_normalize(array, error);
	if (status == PLAIT_OK)
		status = plait__device_check_can(buffer->device,
						 PLAIT_CAP_WRAP,
						 "export memory", error);
	if (status != PLAIT_OK)
		return status;
	self = plait__alloc(allocator, sizeof(*self));
	if (self == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a tensor");
	self->allocator = *allocator;
	self->buffer = handle;
	plait_buffer_retain(handle);
	status = map_exported(self, handle, buffer, array, read_only, error);
	if (status != PLAIT_OK) {
		end_exported(self);
		return status;
	}
	*out_tensor = fill_form(self, array, flags, read_only);
	return PLAIT_OK;
}

PLAIT_API plait_status plait_array_export(plait_buffer *buffer,
					  const plait_array *array,
					  uint32_t flags, void **out_tensor,
					  plait_error *error)
{
	plait__buffer *entered;
	plait_array known;
	plait_status status;

	if (out_tensor == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "out_tensor is null");
	*out_tensor = NULL;
	status = plait__buffer_enter(buffer, &entered, error);
	if (status != PLAIT_OK)
		return status;
	status = PLAIT__STRUCT_READ(plait_array, &known, array, error);
	if (status == PLAIT_OK)
		status = export(buffer, entered, &known, flags, out_tensor,
				error);
	plait__object_leave(&entered->object);
	return status;
}
