/* SPDX-License-Identifier: MIT */
/*
 * Edges of the text form.  A name may be used before its line, so edges are
 * kept as names until the end of the text.
 */
#ifndef PLAIT_SRC_GRAPH_TEXT_PARSE_EDGES_H
#define PLAIT_SRC_GRAPH_TEXT_PARSE_EDGES_H

#include "graph/text/parser_state.h"

/* Keep one edge from each name of the list to the end that `edge` names. */
plait_status plait__parse_after_list(struct plait__parser *parser,
				     plait__token list,
				     struct plait__parser_edge edge);

/* Parse "after=A,B" on a line of its own: edges to the node above, which must
 * be in the same scope. */
plait_status plait__parse_after_above(struct plait__parser *parser,
				      plait__token list);

/* Parse "after NAME A,B". */
plait_status plait__parse_after_line(struct plait__parser *parser);

/* Resolve the names of all edges and push the edges into the store. */
plait_status plait__parse_resolve_edges(struct plait__parser *parser);

#endif
