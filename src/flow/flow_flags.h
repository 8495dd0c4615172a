/* SPDX-License-Identifier: MIT */
/* Names of flags of plait_flow_desc, for errors. */
#ifndef PLAIT_SRC_FLOW_FLOW_FLAGS_H
#define PLAIT_SRC_FLOW_FLOW_FLAGS_H

#include "plait/flow.h"

enum { PLAIT__FLOW_FLAGS_TEXT_BYTES = 80 };

/* All flags that have a name. */
extern const plait_flow_flags plait__flow_flags_known;

/* Write the names of the flags, "PLAIT_FLOW_RECORD and _FIXED", into `room` of
 * PLAIT__FLOW_FLAGS_TEXT_BYTES; returns it. */
const char *plait__flow_flags_text(plait_flow_flags flags, char *room);

#endif
