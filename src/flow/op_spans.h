/* SPDX-License-Identifier: MIT */
/* Spans of ops, for interposers that record them (PLAIT_WRAP=trace). */
#ifndef PLAIT_SRC_FLOW_OP_SPANS_H
#define PLAIT_SRC_FLOW_OP_SPANS_H

#include "flow/flow_object.h"

/* Set what the lanes tell of ops, if a backend of the context takes it: before
 * the first op. */
void plait__op_spans_begin(plait__flow *flow);

#endif
