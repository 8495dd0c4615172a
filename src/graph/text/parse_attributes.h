/* SPDX-License-Identifier: MIT */
/* Attributes of a node line: key=value tokens and meanings on devices. */
#ifndef PLAIT_SRC_GRAPH_TEXT_PARSE_ATTRIBUTES_H
#define PLAIT_SRC_GRAPH_TEXT_PARSE_ATTRIBUTES_H

#include "graph/text/parser_state.h"

/* Parse the rest of the line into the draft of the node with index `node`. */
plait_status plait__parse_attributes(struct plait__parser *parser,
				     struct plait__parser_draft *draft,
				     uint32_t node);

#endif
