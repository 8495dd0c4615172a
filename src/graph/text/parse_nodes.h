/* SPDX-License-Identifier: MIT */
/* Node lines of the text form, and the steps that regions share with them. */
#ifndef PLAIT_SRC_GRAPH_TEXT_PARSE_NODES_H
#define PLAIT_SRC_GRAPH_TEXT_PARSE_NODES_H

#include "graph/text/parser_state.h"

/* Start a draft: default attributes, and the name, which is the next token. */
plait_status plait__parse_start_node(struct plait__parser *parser,
				     struct plait__parser_draft *draft,
				     uint8_t kind);

/* Push the node of a complete draft into the current scope. */
plait_status plait__parse_finish_node(struct plait__parser *parser,
				      struct plait__parser_draft *draft);

/* Parse the rest of a `node` line. */
plait_status plait__parse_node(struct plait__parser *parser);

#endif
