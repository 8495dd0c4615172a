/* SPDX-License-Identifier: MIT */
/*
 * State of one parse, with the helpers that every parser file uses: tokens as
 * strings and numbers, node names, the end of a line.  Private to this folder.
 * The caller of plait__parser_read() owns the store; the state owns the
 * tables below.
 */
#ifndef PLAIT_SRC_GRAPH_TEXT_PARSER_STATE_H
#define PLAIT_SRC_GRAPH_TEXT_PARSER_STATE_H

#include "graph/store/hash_index.h"
#include "graph/text/lexer.h"
#include "graph/store/store.h"

enum { PLAIT__PARSER_MAX_NAME = 255 };

/* Name of a node, unique within its body; or of a temporary. */
struct plait__parser_named {
	uint32_t scope;		/* none: a temporary */
	uint32_t name;		/* offset in strings */
	uint32_t node;		/* a temporary's slot */
	uint32_t line;
};

/* Edge as written; its names are resolved at the end of the text. */
struct plait__parser_edge {
	uint32_t scope;
	uint32_t before;	/* offset in strings */
	uint32_t node;		/* PLAIT__NONE for an `after` line */
	uint32_t after;		/* the `after` line's name: offset in strings */
	uint32_t line;
};

/* Open loop or case. */
struct plait__parser_open_body {
	uint32_t region;
	uint32_t branch;
	uint32_t scope;		/* scope around the region */
	uint32_t node;		/* the region's node in that scope */
	uint32_t line;
};

struct plait__parser {
	plait__store *store;
	plait__lexer line;
	plait__vector names;		/* struct plait__parser_named */
	/* Target of an after= line without a name. */
	uint32_t last_node;
	uint32_t last_scope;
	plait__vector edges;		/* struct plait__parser_edge */
	plait__vector open_bodies;	/* struct plait__parser_open_body */
	plait__vector branch_counts;	/* uint32_t, one per case */
	plait__index *index;		/* names by scope and name */
	uint32_t next_case;		/* index in branch_counts */
	uint32_t scope;			/* scope that receives the next node */
};

/* Node of the line being read. */
struct plait__parser_draft {
	plait__input_node node;
	uint32_t name;
	uint64_t times;
	bool is_case;			/* take= instead of times= */
	bool has_other;			/* an attribute other than after= */
	uint32_t seen; /* PLAIT__PARSER_... bits given so far */
};

enum {
	PLAIT__PARSER_COST = 1 << 0,
	PLAIT__PARSER_SCRATCH = 1 << 1,
	PLAIT__PARSER_DEVICE = 1 << 2,
	PLAIT__PARSER_KERNEL = 1 << 3,
	PLAIT__PARSER_TIMES = 1 << 4,
	PLAIT__PARSER_MEANING = 1 << 5,	/* first, barrier or group */
	PLAIT__PARSER_PRIORITY = 1 << 6
};

/* Set index to null when memory is exhausted. */
void plait__parser_init(struct plait__parser *parser, plait__store *store);
void plait__parser_fini(struct plait__parser *parser);

/* Return the text of a string offset. */
static inline const char *plait__parser_text(const struct plait__parser *parser,
					     uint32_t string)
{
	return plait__vector_at(&parser->store->strings, string);
}

/* Report PLAIT_E_NOMEM for the current line. */
plait_status plait__parser_no_memory(struct plait__parser *parser);

/* Store a token as a string; an error says that `what` was expected. */
plait_status plait__parser_string(struct plait__parser *parser,
				  plait__token token, const char *what,
				  uint32_t *out);

/* Store the next token as the name of a declaration, known before or not:
 * without '=', ',' and '+', which separate names elsewhere. */
plait_status plait__parser_new_name(struct plait__parser *parser,
				    const char *what, uint32_t *out);

/* Parse the value of "key=value" as a number up to `maximum`. */
plait_status plait__parser_number(struct plait__parser *parser,
				  plait__token key, plait__token value,
				  uint64_t maximum, uint64_t *out);

/* Refuse further tokens in this line. */
plait_status plait__parser_expect_end(struct plait__parser *parser);

/* Return the index of the next node of the current scope. */
uint32_t plait__parser_next_node(const struct plait__parser *parser);

/* Find a node by name, or a temporary (scope PLAIT__PARSER_TEMPORARIES); null
 * when the scope has none (yet).  Valid until a name is added. */
struct plait__parser_named *plait__parser_find_name(
	struct plait__parser *parser, uint32_t scope, uint32_t name);

/* Name a node of a scope. */
plait_status plait__parser_add_name(struct plait__parser *parser,
				    uint32_t scope, uint32_t name,
				    uint32_t node);

#endif
