/* SPDX-License-Identifier: MIT */
/*
 * Arguments that a flow adds: the numbers of arrays (kernel/signature.h), and
 * chunks that the caller left out.
 */
#ifndef PLAIT_SRC_FLOW_ARRAY_ARGUMENTS_H
#define PLAIT_SRC_FLOW_ARRAY_ARGUMENTS_H

#include "flow/flow_object.h"

#include "kernel/signature.h"

/* Elements from row to row, and from slice to slice. */
typedef struct plait__array_place {
	uint64_t pitch;
	uint64_t slice;
} plait__array_place;

/* Check that the caller gives all arguments, with or without those of chunks.
 * PLAIT_E_INVALID. */
plait_status plait__array_arguments_check(const plait__signature *signature,
					  uint64_t count, plait_error *error);

/* Returns true if one of the caller's `count` arguments is for the parameter. */
static inline bool
plait__array_arguments_is_given(const plait__signature *signature,
				const plait__parameter *parameter,
				uint64_t count)
{
	return parameter->place == PLAIT__PLACE_NONE &&
	       (!parameter->is_chunk ||
		count == signature->count - signature->place_count);
}

/* Find the numbers of data for an array, of which a kernel gets the whole, or
 * with `is_dense` rows without gaps.  PLAIT_E_INVALID: the data does not fit. */
plait_status plait__array_arguments_place(const plait__parameter *parameter,
					  const plait__data *data, bool is_dense,
					  plait__array_place *out,
					  plait_error *error);

/* The number of a parameter behind the array's. */
uint64_t plait__array_arguments_number(const plait__array_place *place,
				       const plait__parameter *parameter);

#endif
