/* SPDX-License-Identifier: MIT */
/* Parts that the calls share which print a flow with a record. */
#ifndef PLAIT_SRC_FLOW_FLOW_WRITE_H
#define PLAIT_SRC_FLOW_FLOW_WRITE_H

#include "flow/flow_object.h"

#include "base/text.h"

/* Returns PLAIT_OK if the flow has a complete record.  Caller holds the lock. */
plait_status plait__flow_write_check(const plait__flow *flow,
				     plait_error *error);

/* Copy a text into the caller's buffer, which may be null: then only its
 * size. */
plait_status plait__flow_write_return(const plait__text *text, void *buffer,
				      uint64_t capacity_bytes,
				      uint64_t *out_bytes, plait_error *error);

#endif
