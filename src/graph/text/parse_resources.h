/* SPDX-License-Identifier: MIT */
/* Resources of the text form, and the needs and priorities of nodes. */
#ifndef PLAIT_SRC_GRAPH_TEXT_PARSE_RESOURCES_H
#define PLAIT_SRC_GRAPH_TEXT_PARSE_RESOURCES_H

#include "graph/text/parser_state.h"

/* First pass: add the resource of a `resource` line, so that nodes above may use
 * it. */
plait_status plait__parse_resource(struct plait__parser *parser);

/* Add a need of the node with index `node` for each NAME or NAME:UNITS of the
 * list. */
plait_status plait__parse_needs(struct plait__parser *parser,
				plait__token list, uint32_t node);

/* Parse a number that may be below 0. */
plait_status plait__parse_priority(const struct plait__parser *parser,
				   plait__token value, int16_t *out);

#endif
