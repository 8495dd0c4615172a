/* SPDX-License-Identifier: MIT */
/*
 * What the files that read the text form share: the state of reading one text.
 * Nobody else includes this.
 */
#ifndef PLAIT_SRC_GRAPH_TEXT_PARSER_STATE_H
#define PLAIT_SRC_GRAPH_TEXT_PARSER_STATE_H

#include "graph/store/hash_index.h"
#include "graph/text/lexer.h"
#include "graph/store/store.h"

enum { PLAIT__PARSER_MAX_NAME = 255 };

/* A node's name within its body. */
struct plait__parser_named {
	uint32_t scope;
	uint32_t name;		/* offset in strings */
	uint32_t node;
	uint32_t line;
};

/* "after" as it was written. */
struct plait__parser_edge {
	uint32_t scope;
	uint32_t before;	/* offset in strings */
	uint32_t node;		/* or, of an `after` line: none */
	uint32_t after;		/* then: offset in strings */
	uint32_t line;
};

/* An open while, do or case. */
struct plait__parser_open_body {
	uint32_t region;
	uint32_t branch;
	uint32_t scope;		/* outside */
	uint32_t node;		/* there */
	uint32_t line;
};

struct plait__parser {
	plait__store *store;
	plait__lexer line;
	plait__vector names;		/* struct plait__parser_named */
	/* The node that an after= line without a name adds to. */
	uint32_t last_node;
	uint32_t last_scope;
	plait__vector pendings;		/* struct plait__parser_edge */
	plait__vector opens;		/* struct plait__parser_open_body */
	plait__vector branches;		/* uint32_t: bodies of each case */
	plait__index *index;
	uint32_t next_case;
	uint32_t scope;			/* where nodes go now */
};

/* A node's line while it is read. */
struct plait__parser_draft {
	plait__input_node node;
	uint32_t name;
	uint32_t pending_first;		/* its edges in pendings */
	uint64_t times;
	bool is_case;			/* take=, not times= */
	bool has_other;			/* anything but after= */
	uint32_t seen;			/* bits: what was given, below */
};

enum {
	PLAIT__PARSER_COST = 1 << 0,
	PLAIT__PARSER_SCRATCH = 1 << 1,
	PLAIT__PARSER_DEVICE = 1 << 2,
	PLAIT__PARSER_KERNEL = 1 << 3,
	PLAIT__PARSER_TIMES = 1 << 4,
	PLAIT__PARSER_MEANING = 1 << 5
};

static inline const char *plait__parser_text(const struct plait__parser *parser,
					     uint32_t string)
{
	return plait__vector_at(&parser->store->strings, string);
}

/* ---- parse_attributes.c ---- */

plait_status plait__parse_no_memory(struct plait__parser *parser);

/* Keep a token as a string; `what` was expected. */
plait_status plait__parse_string(struct plait__parser *parser,
				 plait__token token, const char *what,
				 uint32_t *out);

/* Keep the next token: a name that is defined here. */
plait_status plait__parse_new_name(struct plait__parser *parser,
				   const char *what, uint32_t *out);

plait_status plait__parse_number(struct plait__parser *parser,
				 plait__token key, plait__token value,
				 uint64_t maximum, uint64_t *out);

/* The rest of a node's line, for the node with this index. */
plait_status plait__parse_attributes(struct plait__parser *parser,
				     struct plait__parser_draft *draft,
				     uint32_t node);

/* ---- parser.c: nodes ---- */

/* The first words of a node's line, its name with them. */
plait_status plait__parser_start_node(struct plait__parser *parser,
				      struct plait__parser_draft *draft,
				      uint8_t kind);

/* What the next node of this body will be. */
uint32_t plait__parser_next_node(const struct plait__parser *parser);

plait_status plait__parser_finish_node(struct plait__parser *parser,
				       struct plait__parser_draft *draft);

/* Nothing may follow in this line. */
plait_status plait__parser_expect_end(struct plait__parser *parser);

/* ---- parse_regions.c ---- */

/* Before all else: count the branches of cases.  `token` starts a line, `stack`
 * is empty at first: the place of each open body in `branches`, or none. */
plait_status plait__parse_count_branches(struct plait__parser *parser,
					 plait__vector *stack,
					 plait__token token);

/* The lines that open, part and close a body. */
plait_status plait__parse_region(struct plait__parser *parser,
				 uint32_t kind);
plait_status plait__parse_branch(struct plait__parser *parser);
plait_status plait__parse_close_body(struct plait__parser *parser);

/* At the end of the text. */
plait_status plait__parse_check_closed(struct plait__parser *parser);

/* ---- parse_edges.c ---- */

/* A node by its name; null: there is none in this body (yet). */
struct plait__parser_named *plait__parse_find_name(
	struct plait__parser *parser, uint32_t scope, uint32_t name);
plait_status plait__parse_add_name(struct plait__parser *parser,
				   uint32_t name, uint32_t node);

/* Note that `pending` comes after each name of the list. */
plait_status plait__parse_after_list(struct plait__parser *parser,
				     plait__token list,
				     struct plait__parser_edge pending);

/* after=A,B on a line of its own: for the node above, in the same body. */
plait_status plait__parse_after_above(struct plait__parser *parser,
				      plait__token list);

/* after NAME A,B */
plait_status plait__parse_after_line(struct plait__parser *parser);

/* At the end of the text: names become nodes. */
plait_status plait__parse_resolve_edges(struct plait__parser *parser);

#endif
