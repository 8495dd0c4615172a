/* SPDX-License-Identifier: MIT */
/* Open mappings of a flow: a list under its lock, which all these functions
 * need; records are kept for later mappings. */
#ifndef PLAIT_SRC_FLOW_MAPPINGS_H
#define PLAIT_SRC_FLOW_MAPPINGS_H

#include "flow/flow.h"

/* Null without memory. */
plait__data_mapping *plait__mappings_take(plait__flow *flow);
void plait__mappings_keep(plait__flow *flow, plait__data_mapping *mapping);

/* The newest mapping of the data, at `pointer` or (null) any; one of this thread
 * or coroutine if there is one. */
plait__data_mapping *plait__mappings_find(plait__data *data,
					  const char *pointer);

/* End the mapping, and its op. */
void plait__mappings_end(plait__data_mapping *mapping);

/* End the mappings that were made through the data. */
void plait__mappings_end_all(plait__data *data);

#endif
