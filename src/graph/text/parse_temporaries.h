/* SPDX-License-Identifier: MIT */
/* Temporaries of the text form, and the accesses of nodes to them. */
#ifndef PLAIT_SRC_GRAPH_TEXT_PARSE_TEMPORARIES_H
#define PLAIT_SRC_GRAPH_TEXT_PARSE_TEMPORARIES_H

#include "graph/text/parser_state.h"

/* Scope of the names of temporaries. */
#define PLAIT__PARSER_TEMPORARIES PLAIT__NONE

/* First pass: add the name of a `temporary` line, so that nodes above may use
 * it. */
plait_status plait__parse_declare_temporary(struct plait__parser *parser);

/* Second pass: read the size and the device. */
plait_status plait__parse_temporary(struct plait__parser *parser);

/* Add an access of the draft's node for each name of the list. */
plait_status plait__parse_accesses(struct plait__parser *parser,
				   struct plait__parser_draft *draft,
				   plait__token list, uint32_t mode);

#endif
