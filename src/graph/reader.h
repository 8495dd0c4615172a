/* SPDX-License-Identifier: MIT */
/*
 * What read.c (lines) and attribute.c (words of a node's line) share: the
 * state of reading one text.  Nobody else includes this.
 */
#ifndef PLAIT_SRC_GRAPH_READER_H
#define PLAIT_SRC_GRAPH_READER_H

#include "graph/index.h"
#include "graph/line.h"
#include "graph/store.h"

enum { PLAIT__READER_MAX_NAME = 255 };

/* A node's name within its body. */
struct plait__reader_named {
	uint32_t scope;
	uint32_t name;		/* offset in strings */
	uint32_t node;
	uint32_t line;
};

/* "after" as it was written. */
struct plait__reader_pending {
	uint32_t scope;
	uint32_t before;	/* offset in strings */
	uint32_t node;		/* or, of an `after` line: none */
	uint32_t after;		/* then: offset in strings */
	uint32_t line;
};

/* An open while, do or case. */
struct plait__reader_open {
	uint32_t region;
	uint32_t branch;
	uint32_t scope;		/* outside */
	uint32_t node;		/* there */
	uint32_t line;
};

struct plait__reader {
	plait__store *store;
	plait__line line;
	plait__vector names;		/* struct plait__reader_named */
	/* The node that an after= line without a name adds to. */
	uint32_t last_node;
	uint32_t last_scope;
	plait__vector pendings;		/* struct plait__reader_pending */
	plait__vector opens;		/* struct plait__reader_open */
	plait__vector branches;		/* uint32_t: bodies of each case */
	plait__index *index;
	uint32_t next_case;
	uint32_t scope;			/* where nodes go now */
};

/* A node's line while it is read. */
struct plait__reader_draft {
	plait__input_node node;
	uint32_t name;
	uint32_t pending_first;		/* its edges in pendings */
	uint64_t times;
	bool is_case;			/* take=, not times= */
	bool has_other;			/* anything but after= */
	uint32_t seen;			/* bits: what was given, below */
};

enum {
	PLAIT__READER_COST = 1 << 0,
	PLAIT__READER_SCRATCH = 1 << 1,
	PLAIT__READER_DEVICE = 1 << 2,
	PLAIT__READER_KERNEL = 1 << 3,
	PLAIT__READER_TIMES = 1 << 4,
	PLAIT__READER_MEANING = 1 << 5
};

static inline const char *plait__reader_text(const struct plait__reader *reader,
					     uint32_t string)
{
	return plait__vector_at(&reader->store->strings, string);
}

plait_status plait__reader_no_memory(struct plait__reader *reader);

/* Keep a word as a string; `what` was expected. */
plait_status plait__reader_keep(struct plait__reader *reader,
				plait__word word, const char *what,
				uint32_t *out);

/* Keep the next word: a name that is defined here. */
plait_status plait__reader_keep_name(struct plait__reader *reader,
				     const char *what, uint32_t *out);

plait_status plait__reader_number(struct plait__reader *reader,
				  plait__word key, plait__word value,
				  uint64_t maximum, uint64_t *out);

/* Note that `pending` comes after each name of the list. */
plait_status plait__reader_after(struct plait__reader *reader,
				 plait__word list,
				 struct plait__reader_pending pending);

/* The rest of a node's line, for the node with this index. */
plait_status plait__reader_attributes(struct plait__reader *reader,
				      struct plait__reader_draft *draft,
				      uint32_t node);

#endif
