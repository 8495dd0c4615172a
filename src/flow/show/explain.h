/* SPDX-License-Identifier: MIT */
/* Forms of a flow's record: text that gives the reason of each edge, JSON and
 * DOT. */
#ifndef PLAIT_SRC_FLOW_SHOW_EXPLAIN_H
#define PLAIT_SRC_FLOW_SHOW_EXPLAIN_H

#include "flow/show/record.h"

void plait__explain_text(const plait__record *record, plait__text *out);

/* Append a line for each warning. */
void plait__explain_warnings(const plait__record *record, plait__text *out);

/* Append `name`, and `box` unless it is all of the data; "parts of" if there are
 * less `elements`.  `name` is escaped for JSON if `escapes`. */
void plait__explain_box(const plait__record *record, uint32_t data,
			const plait_box *box, uint64_t elements, bool escapes,
			plait__text *out);

/* Append the reason of an edge: "reads u [0, 4), which it wrote". */
void plait__explain_edge(const plait__record *record,
			 const plait__record_edge *edge, bool escapes,
			 plait__text *out);

/* Returns "call", "launch", ... */
const char *plait__explain_kind(const plait__record_task *task);

/* Returns "reads", "writes" or "updates". */
const char *plait__explain_mode(uint32_t mode);

/* Returns "lane N", "urgent", "held" or "outside". */
enum { PLAIT__EXPLAIN_LANE = 24 };
const char *plait__explain_lane(const plait__record *record, uint32_t lane,
				char room[PLAIT__EXPLAIN_LANE]);

#endif
