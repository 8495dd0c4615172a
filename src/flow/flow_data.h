/* SPDX-License-Identifier: MIT */
/* Data of a flow: lookup, boxes, addresses. */
#ifndef PLAIT_SRC_FLOW_FLOW_DATA_H
#define PLAIT_SRC_FLOW_FLOW_DATA_H

#include "flow/flow.h"

/* Find data of the flow by its handle, without entering it: caller holds the
 * lock of the flow.  PLAIT_E_HANDLE. */
plait_status plait__data_find(plait__flow *flow, const plait_data *handle,
			      plait__data **out, plait_error *error);

/* Create data; without memory no task may touch its elements, and no mapping is
 * made. */
plait_status plait__data_make(plait__flow *flow, const plait_data_desc *desc,
			      bool has_memory, plait_data **out,
			      plait_error *error);

/* The box of an access, in the whole; null: all of the data.  PLAIT_E_INVALID:
 * empty, or outside. */
plait_status plait__data_box(const plait__data *data, const plait_box *box,
			     plait_box *out, plait_error *error);

/* Returns true if the box of an access, which is not empty and inside, is that
 * of the whole as it is; false: plait__data_box finds it, or the fault. */
static inline bool plait__data_is_box(const plait__data *data,
				      const plait_box *box)
{
	const uint64_t *low = box->low, *high = box->high;
	const uint64_t *most = data->box.high;

	return data->whole == data && low[0] < high[0] && high[0] <= most[0] &&
	       low[1] < high[1] && high[1] <= most[1] && low[2] < high[2] &&
	       high[2] <= most[2];
}

/* Make the memory of a whole a buffer, so that nodes of graphs can hold it.
 * Caller holds the lock, and the context has a device of the host.
 * PLAIT_E_NOMEM; as plait_buffer_wrap. */
plait_status plait__data_share(plait__data *whole, plait_error *error);

/* Give back the references to handles of buffers, after which no task is
 * captured.  The user has closed the flow; caller does not hold the lock. */
void plait__data_release_handles(plait__flow *flow);

/* The address of the first element of a box of the whole; null for a token. */
static inline char *plait__data_address(const plait__data *data,
					const plait_box *box)
{
	const plait__data *whole = data->whole;

	if (whole->memory == NULL)
		return NULL;
	return whole->memory + box->low[0] * whole->pitch[0] +
	       box->low[1] * whole->pitch[1] + box->low[2] * whole->pitch[2];
}

static inline bool plait__data_is_token(const plait__data *data)
{
	return data->whole->element_bytes == 0;
}

#endif
