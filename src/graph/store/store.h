/* SPDX-License-Identifier: MIT */
/*
 * What a graph was told, kept as the tables that the planner reads.  Knows
 * nothing of handles: objects are pointers that graph.c retains and releases.
 * Used by graph.c (the public builder) and parser.c (the text form).
 *
 * A store holds one graph with all bodies of its regions; each set of nodes is
 * a scope, scope 0 the graph itself.  Adding is all or nothing: take a mark,
 * push, and cut back to the mark when a push fails.
 */
#ifndef PLAIT_SRC_GRAPH_STORE_STORE_H
#define PLAIT_SRC_GRAPH_STORE_STORE_H

#include <stdbool.h>

#include "plait/kernel.h"

#include "graph/store/hash_index.h"
#include "base/vector.h"
#include "plan/schedule/planner_input.h"

/* Kinds of objects that nodes keep alive. */
enum {
	PLAIT__STORE_KERNELS = 0,
	PLAIT__STORE_BUFFERS = 1,	/* slot i is buffer i */
	PLAIT__STORE_SIGNALS = 2,
	PLAIT__STORE_FUNCTIONS = 3,
	PLAIT__STORE_OBJECT_KINDS = 4
};

/* Kinds of handles that a store knows. */
enum {
	PLAIT__STORE_KERNEL_HANDLES = 0,	/* a place in KERNELS */
	PLAIT__STORE_BUFFER_HANDLES = 1,	/* a place in `ranges` */
	PLAIT__STORE_DEVICE_HANDLES = 2,	/* a place in `devices` */
	PLAIT__STORE_HANDLE_KINDS = 3
};

/* What a buffer's handle stands for: all of a slot, or a view's part. */
typedef struct plait__store_range {
	uint32_t slot;
	uint32_t device;
	uint64_t offset;		/* in the slot */
	uint64_t bytes;
	/* All of the slot, and it may be written: nothing is to be checked. */
	bool is_plain;
} plait__store_range;

/* A host function with what it needs; FUNCTIONS hold these, not pointers. */
typedef struct plait__store_function {
	int32_t (*function)(void *user_data);
	void *user_data;
	void *inbox;
} plait__store_function;

/* A kernel that was found good, and what it became. */
typedef struct plait__store_kernel {
	const plait_kernel *handle;	/* null: free */
	const struct plait__signature *signature;
	uint32_t kernel;
	uint32_t device;		/* that can have it, or none yet */
} plait__store_kernel;

/* A launch of a kernel that was found good, and its geometry. */
typedef struct plait__store_launch {
	const plait_kernel *kernel;	/* null: free */
	uint32_t geometry;
	uint32_t reserved0;
	plait_launch launch;
} plait__store_launch;

/* One set of nodes. */
typedef struct plait__store_scope {
	plait__vector nodes;		/* plait__input_node */
	plait__vector edges;		/* plait__input_edge, within */
	uint32_t region;		/* whose body, or none */
	uint32_t parent;		/* the scope with the region's node */
	uint64_t tag;			/* of its numbers, in their high bits */
} plait__store_scope;

/* A region: input.h's, with its node within the parent scope. */
typedef struct plait__store_region {
	plait__input_region input;
	uint32_t scope;			/* that holds its node */
} plait__store_region;

/* Powers of two. */
enum {
	PLAIT__STORE_LABELS = 256,
	PLAIT__STORE_RECENT_KERNELS = 16,
	PLAIT__STORE_RECENT_LAUNCHES = 32
};

#define PLAIT__STORE_VECTOR(type, name) plait__vector name;
typedef struct plait__store {
	plait_allocator allocator;
	plait__vector scopes;		/* plait__store_scope */
	plait__vector regions;		/* plait__store_region */
	plait__vector devices;		/* plait__input_device */
	plait__vector device_objects;	/* void *, null for a mere name */
	plait__vector device_sets;	/* uint32_t */
	plait__vector ranges;		/* plait__store_range, by handle */
	/* void *, or plait__store_function */
	plait__vector objects[PLAIT__STORE_OBJECT_KINDS];
	PLAIT__PLAN_TABLES(PLAIT__STORE_VECTOR)
	char *text_name;		/* of the text it was read from, or null */
	/* Index of objects and strings by value; see hash_index.h. */
	plait__index *index;
	/* Where labels that came lately are; 0 is none. */
	uint32_t labels[PLAIT__STORE_LABELS];
	/* What came last: most nodes share one. */
	uint32_t last_file;
	uint32_t last_geometry;		/* PLAIT__NONE: nothing came */
	/* How often geometries were looked up and found. */
	uint32_t geometry_looks;
	uint32_t geometry_finds;
	plait__store_kernel recent_kernels[PLAIT__STORE_RECENT_KERNELS];
	plait__store_launch recent_launches[PLAIT__STORE_RECENT_LAUNCHES];
} plait__store;
#undef PLAIT__STORE_VECTOR

/* An empty graph with scope 0. */
plait_status plait__store_create(const plait_allocator *allocator,
				 plait__store **out, plait_error *error);

/* Objects must have been released before.  Null is fine. */
void plait__store_destroy(plait__store *store);

/*
 * Make it an empty graph that has its memory still.  False: that is too
 * little to be worth it or too much to be kept, and nothing was done.  Objects
 * must have been released before.
 */
bool plait__store_reset(plait__store *store);

/* Remember where the graph was read from, for errors: 0, or -1 when memory
 * ran out. */
int plait__store_set_text_name(plait__store *store, const char *name);

plait__store_scope *plait__store_scope_at(const plait__store *store,
					  uint32_t scope);

/* Where a mark has the counts of `objects`. */
enum { PLAIT__STORE_MARK_OBJECTS = 4 };

/* How far every table has come. */
typedef struct plait__store_mark {
	uint32_t counts[32];
} plait__store_mark;

void plait__store_take_mark(const plait__store *store,
			    plait__store_mark *mark);

/*
 * Forget what came since the mark, but for nodes and edges of scopes that
 * were there before: those are pushed last.  Objects that came since are the
 * caller's to release first.
 */
void plait__store_cut(plait__store *store, const plait__store_mark *mark);

/*
 * The functions below return an index, or PLAIT__NONE when memory ran out.
 */

/* A region of the node that will be pushed next in `scope`, with `bodies`
 * empty scopes. */
uint32_t plait__store_region_add(plait__store *store, uint32_t scope,
				 const plait__input_region *region);

/*
 * Push a node and edges from `after` (indices in this scope) to it: the last
 * step of adding.  Its index, or PLAIT__NONE with nothing changed.
 */
uint32_t plait__store_push(plait__store *store, uint32_t scope,
			   const plait__input_node *node,
			   const uint32_t *after, uint32_t count);

/* Push an edge: 0, or -1 when memory ran out. */
int plait__store_edge(plait__store *store, uint32_t scope, uint32_t before,
		      uint32_t after);

#endif
