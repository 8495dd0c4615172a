/* SPDX-License-Identifier: MIT */
/*
 * Parser of the text form of graphs, which doc/graph-text.md describes:
 *
 *	device NAME lanes=N
 *	temporary NAME bytes=N [device=NAME]
 *	resource NAME units=N
 *	node NAME [cost=N] [scratch=N] [device=NAME[+NAME...]]
 *		  [first|barrier|group] [kernel=NAME] [after=A,B,...]
 *		  [reads=A,B,...] [writes=A,B,...]
 *		  [needs=A,B:N,...] [priority=N]
 *	after NAME A,B,...
 *	while NAME times=N [after=...] ... end
 *	do NAME times=N [after=...] ... end
 *	repeat NAME times=N [after=...] ... end
 *	case NAME take=K [after=...] ... [branch ...] end
 */
#ifndef PLAIT_SRC_GRAPH_TEXT_PARSER_H
#define PLAIT_SRC_GRAPH_TEXT_PARSER_H

#include "graph/store/store.h"

/* Parse `text` into an empty store; `name` of the file is copied.  After an
 * error the store keeps the lines before it: PLAIT_E_INVALID with the line, or
 * PLAIT_E_NOMEM. */
plait_status plait__parser_read(plait__store *store, const char *text,
				uint64_t bytes, const char *name,
				plait_error *error);

#endif
