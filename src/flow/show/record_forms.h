/* SPDX-License-Identifier: MIT */
/* Record of a flow for programs: JSON, and DOT for Graphviz. */
#ifndef PLAIT_SRC_FLOW_SHOW_RECORD_FORMS_H
#define PLAIT_SRC_FLOW_SHOW_RECORD_FORMS_H

#include "flow/show/record.h"

void plait__record_forms_json(const plait__record *record, plait__text *out);
void plait__record_forms_dot(const plait__record *record, plait__text *out);

/* Parts of the JSON form: "data":[...], "warnings":[... with a comma before and
 * without an end, and the members of a box: "data", "low", "high". */
void plait__record_forms_data(const plait__record *record, plait__text *out);
void plait__record_forms_open_warnings(const plait__record *record,
				       plait__text *out);
void plait__record_forms_box(const plait__record *record, uint32_t data,
			     const plait_box *box, plait__text *out);

#endif
