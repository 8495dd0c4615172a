/* SPDX-License-Identifier: MIT */
/* Arguments that a flow adds; see array_arguments.h. */
#include "flow/array_arguments.h"

#include "base/error.h"

plait_status plait__array_arguments_check(const plait__signature *signature,
					  uint64_t count, plait_error *error)
{
	uint32_t given = signature->count - signature->place_count;

	if (count == given || count == given - signature->chunk_count)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_INVALID,
			   "%llu arguments for %u parameters of %s",
			   (unsigned long long)count, given, signature->name);
}

static plait_status check_data(const plait__parameter *parameter,
			       const plait__data *data, plait_error *error)
{
	uint32_t each = plait__type_bytes(parameter->element);

	if (data->dimensions > parameter->array)
		return plait__fail(error, PLAIT_E_INVALID,
				   "data of %u dimensions; the kernel has an "
				   "array%u", data->dimensions,
				   parameter->array);
	if (data->whole->element_bytes != each)
		return plait__fail(error, PLAIT_E_INVALID,
				   "data with elements of %u bytes; those of "
				   "%s have %u", data->whole->element_bytes,
				   plait__type_name(parameter->element), each);
	return PLAIT_OK;
}

plait_status plait__array_arguments_place(const plait__parameter *parameter,
					  const plait__data *data, bool is_dense,
					  plait__array_place *out,
					  plait_error *error)
{
	const plait__data *whole = data->whole;
	const plait_box *box = is_dense ? &data->box : &whole->box;
	plait_status status = check_data(parameter, data, error);

	if (status != PLAIT_OK)
		return status;
	out->pitch = box->high[0] - box->low[0];
	out->slice = out->pitch * (box->high[1] - box->low[1]);
	return PLAIT_OK;
}

uint64_t plait__array_arguments_number(const plait__array_place *place,
				       const plait__parameter *parameter)
{
	/* The pointer is to the first element of the data. */
	return parameter->place == PLAIT__PLACE_AT    ? 0 :
	       parameter->place == PLAIT__PLACE_PITCH ? place->pitch :
							place->slice;
}
