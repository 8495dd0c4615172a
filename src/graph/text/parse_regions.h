/* SPDX-License-Identifier: MIT */
/* Regions of the text form: while, do, repeat, case, branches and ends. */
#ifndef PLAIT_SRC_GRAPH_TEXT_PARSE_REGIONS_H
#define PLAIT_SRC_GRAPH_TEXT_PARSE_REGIONS_H

#include "graph/text/parser_state.h"

/*
 * Count the branches of cases, in a pass before the others.  `token` is the
 * first of a line.  `stack` has one element per open body: the index of its
 * case in branch_counts, or PLAIT__NONE for a loop.  Empty at the start.
 */
plait_status plait__parse_count_branches(struct plait__parser *parser,
					 plait__vector *stack,
					 plait__token token);

/* Parse the line that opens a region, separates its branches, or ends it. */
plait_status plait__parse_region(struct plait__parser *parser,
				 uint32_t kind);
plait_status plait__parse_branch(struct plait__parser *parser);
plait_status plait__parse_close_body(struct plait__parser *parser);

/* Refuse a body that is open at the end of the text. */
plait_status plait__parse_check_closed(struct plait__parser *parser);

#endif
