/* SPDX-License-Identifier: MIT */
/*
 * The text form of graphs, described in doc/graph-text.md:
 *
 *	device NAME lanes=N
 *	node NAME [cost=N] [scratch=N] [device=NAME[+NAME...]]
 *		  [first|barrier|group] [kernel=NAME] [after=A,B,...]
 *	after NAME A,B,...
 *	while NAME times=N [after=...] ... end
 *	do NAME times=N [after=...] ... end
 *	case NAME take=K [after=...] ... [branch ...] end
 */
#ifndef PLAIT_SRC_GRAPH_TEXT_PARSER_H
#define PLAIT_SRC_GRAPH_TEXT_PARSER_H

#include "graph/store/store.h"

/* Read `text` into an empty store.  What was read before an error stays. */
plait_status plait__parser_read(plait__store *store, const char *text,
				uint64_t bytes, const char *name,
				plait_error *error);

#endif
