/* SPDX-License-Identifier: MIT */
/* DLPack tensors: reading, checks, extents; see dlpack_tensor.h. */
#include "object/memory/dlpack_tensor.h"

#include "base/error.h"

#include <stdbool.h>
#include <string.h>

enum { MAX_ALIGNMENT = 8 };

static uint64_t element_bytes(const plait_array *array)
{
	return (uint64_t)array->element_bits * array->lanes / 8;
}

static plait_status too_large(plait_error *error)
{
	return plait__fail(error, PLAIT_E_INVALID,
			   "array: its shape and strides reach further than "
			   "memory does");
}

/* ---- checks ---- */

static plait_status check_element(const plait_array *array,
				  plait_error *error)
{
	if (array->element_bits == 0 || array->lanes == 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "array: elements of %u bits and %u lanes",
				   array->element_bits, array->lanes);
	/* DLPack stores these numbers in one byte and in two. */
	if (array->element > UINT8_MAX || array->element_bits > UINT8_MAX ||
	    array->lanes > UINT16_MAX)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "array: elements of kind %u, %u bits, %u "
				   "lanes: that is more than a tensor can say",
				   array->element, array->element_bits,
				   array->lanes);
	if (array->element_bits % 8 != 0)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "array: elements of %u bits are not whole "
				   "bytes", array->element_bits);
	return PLAIT_OK;
}

static plait_status check_shape(const plait_array *array, plait_error *error)
{
	for (uint32_t i = 0; i < array->dimensions; i++)
		if (array->shape[i] < 0)
			return plait__fail(error, PLAIT_E_INVALID,
					   "array: dimension %u has %lld "
					   "elements", i,
					   (long long)array->shape[i]);
	return PLAIT_OK;
}

/* check_shape has accepted the shape. */
static plait_status fill_strides(plait_array *array, plait_error *error)
{
	int64_t stride = 1;

	for (uint32_t i = array->dimensions; i-- > 0;) {
		int64_t count = array->shape[i] > 0 ? array->shape[i] : 1;

		array->strides[i] = stride;
		if (__builtin_mul_overflow(stride, count, &stride))
			return too_large(error);
	}
	return PLAIT_OK;
}

plait_status plait__tensor_normalize(plait_array *array, plait_error *error)
{
	plait_status status;

	if (array->dimensions > PLAIT_ARRAY_MAX_DIMENSIONS)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "array: %u dimensions; at most %d",
				   array->dimensions,
				   PLAIT_ARRAY_MAX_DIMENSIONS);
	status = check_element(array, error);
	if (status == PLAIT_OK)
		status = check_shape(array, error);
	if (status == PLAIT_OK && (array->flags & PLAIT_ARRAY_COMPACT) != 0)
		status = fill_strides(array, error);
	return status;
}

plait_status plait__tensor_read(const plait__tensor *tensor, plait_array *out,
				plait_error *error)
{
	uint32_t count = (uint32_t)tensor->dimensions;
	plait_status status;

	*out = (plait_array){ .size = sizeof(*out),
			      .element = tensor->element,
			      .element_bits = tensor->element_bits,
			      .lanes = tensor->lanes, .dimensions = count };
	if (tensor->dimensions < 0 ||
	    (tensor->dimensions > 0 && tensor->shape == NULL))
		return plait__fail(error, PLAIT_E_INVALID,
				   "tensor: %d dimensions%s",
				   tensor->dimensions,
				   tensor->shape == NULL ? " without a shape" :
				   "");
	if (count <= PLAIT_ARRAY_MAX_DIMENSIONS && count > 0)
		memcpy(out->shape, tensor->shape, count * sizeof(int64_t));
	if (count <= PLAIT_ARRAY_MAX_DIMENSIONS && tensor->strides != NULL)
		memcpy(out->strides, tensor->strides, count * sizeof(int64_t));
	else
		out->flags = PLAIT_ARRAY_COMPACT;
	status = plait__tensor_normalize(out, error);
	out->flags = 0;
	return status;
}

/* ---- measures ---- */

static bool is_empty(const plait_array *array)
{
	for (uint32_t i = 0; i < array->dimensions; i++)
		if (array->shape[i] == 0)
			return true;
	return false;
}

plait_status plait__tensor_measure(const plait_array *array,
				   plait__tensor_extent *out,
				   plait_error *error)
{
	int64_t low = 0, high = 0, step, bytes, before;

	*out = (plait__tensor_extent){ 0, 0 };
	if (is_empty(array))
		return PLAIT_OK;
	for (uint32_t i = 0; i < array->dimensions; i++) {
		int64_t *end = array->strides[i] < 0 ? &low : &high;

		if (__builtin_mul_overflow(array->shape[i] - 1,
					   array->strides[i], &step) ||
		    __builtin_add_overflow(*end, step, end))
			return too_large(error);
	}
	if (__builtin_sub_overflow(high, low, &high) ||
	    __builtin_add_overflow(high, 1, &high) ||
	    __builtin_mul_overflow(high, (int64_t)element_bytes(array),
				   &bytes) ||
	    __builtin_mul_overflow(low, -(int64_t)element_bytes(array),
				   &before))
		return too_large(error);
	out->before = (uint64_t)before;
	out->bytes = (uint64_t)bytes;
	return PLAIT_OK;
}

static uint64_t magnitude(int64_t value)
{
	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

/* Sort the dimensions of more than one element by stride, smallest first.  The
 * array has at most PLAIT_ARRAY_MAX_DIMENSIONS. */
static uint32_t sort_dimensions(const plait_array *array,
				uint32_t order[PLAIT_ARRAY_MAX_DIMENSIONS])
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < array->dimensions; i++) {
		uint32_t k = count;

		if (array->shape[i] <= 1)
			continue;
		while (k > 0 && magnitude(array->strides[order[k - 1]]) >
				magnitude(array->strides[i])) {
			order[k] = order[k - 1];
			k--;
		}
		order[k] = i;
		count++;
	}
	return count;
}

/* Each stride has to exceed the reach of all smaller ones. */
bool plait__tensor_overlaps(const plait_array *array)
{
	uint32_t order[PLAIT_ARRAY_MAX_DIMENSIONS];
	uint32_t count = sort_dimensions(array, order);
	uint64_t reach = 1;

	if (is_empty(array))
		return false;
	for (uint32_t k = 0; k < count; k++) {
		uint64_t stride = magnitude(array->strides[order[k]]);

		if (stride < reach)
			return true;
		/* The tensor was measured before, so this does not overflow. */
		reach += (uint64_t)(array->shape[order[k]] - 1) * stride;
	}
	return false;
}

uint64_t plait__tensor_alignment(const plait_array *array)
{
	uint64_t bytes = array->element_bits / 8;

	if (array->element == PLAIT_ELEMENT_COMPLEX && bytes > 1)
		bytes /= 2;
	if ((bytes & (bytes - 1)) != 0)
		return 1;
	return bytes < MAX_ALIGNMENT ? bytes : MAX_ALIGNMENT;
}
