/* SPDX-License-Identifier: MIT */
/* Record of a flow for programs: JSON, and DOT for Graphviz. */
#ifndef PLAIT_SRC_FLOW_SHOW_RECORD_FORMS_H
#define PLAIT_SRC_FLOW_SHOW_RECORD_FORMS_H

#include "flow/show/record.h"

void plait__record_forms_json(const plait__record *record, plait__text *out);
void plait__record_forms_dot(const plait__record *record, plait__text *out);

#endif
