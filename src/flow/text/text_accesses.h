/* SPDX-License-Identifier: MIT */
/* Accesses of a task in a text: "u,v[0:4,2:3]". */
#ifndef PLAIT_SRC_FLOW_TEXT_TEXT_ACCESSES_H
#define PLAIT_SRC_FLOW_TEXT_TEXT_ACCESSES_H

#include "flow/text/flow_text.h"

/* Returns the data of that name, or null. */
plait__flow_text_data *plait__text_accesses_find(const plait__flow_text *text,
						 plait__token name);

/* Append the accesses of a list, all of one mode. */
plait_status plait__text_accesses_read(plait__flow_text *text,
				       plait__token list,
				       plait_access_mode mode);

/* Append the reductions of a list of data: "sum,most". */
plait_status plait__text_accesses_reduce(plait__flow_text *text,
					 plait__token list);

/* Take decimal numbers between separators; returns how
 * many, at most `room`, or room + 1: there are others, or more. */
uint32_t plait__text_accesses_numbers(plait__token list, char separator,
				      uint64_t *out, uint32_t room);

#endif
