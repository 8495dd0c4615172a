/* SPDX-License-Identifier: MIT */
/*
 * Tables of a graph under construction, in the planner's layout.  Objects are
 * opaque pointers: graph/build holds and drops them.  Filled by graph/build and
 * by the parser of graph/text.
 *
 * A store has one graph with all bodies of its regions.  Each body is a scope;
 * scope 0 is the graph itself.  Adding is all or nothing: take a mark, push,
 * and cut back to the mark when a push fails.
 *
 * No lock guards a store: one thread at a time uses it.
 */
#ifndef PLAIT_SRC_GRAPH_STORE_STORE_H
#define PLAIT_SRC_GRAPH_STORE_STORE_H

#include <stdbool.h>

#include "plait/kernel.h"

#include "graph/store/hash_index.h"
#include "base/vector.h"
#include "plan/schedule/planner_input.h"

/* Kinds of objects that the root graph holds. */
enum {
	PLAIT__STORE_KERNELS = 0,
	PLAIT__STORE_BUFFERS = 1,	/* slot i is buffer i */
	PLAIT__STORE_SIGNALS = 2,
	PLAIT__STORE_FUNCTIONS = 3,
	PLAIT__STORE_OBJECT_KINDS = 4
};

/* Kinds of handles in the index. */
enum {
	PLAIT__STORE_KERNEL_HANDLES = 0,	/* index in KERNELS */
	PLAIT__STORE_BUFFER_HANDLES = 1,	/* index in `ranges` */
	PLAIT__STORE_DEVICE_HANDLES = 2		/* index in `devices` */
};

/* Range of a buffer handle: a whole slot, or a view's part. */
typedef struct plait__store_range {
	uint32_t slot;
	uint32_t device;
	uint64_t offset;		/* in the slot */
	uint64_t bytes;
	/* Whole slot, writable and no image: a use needs no check. */
	bool is_plain;
} plait__store_range;

/* Host function with its user data; FUNCTIONS contains these, not pointers. */
typedef struct plait__store_function {
	int32_t (*function)(void *user_data);
	void *user_data;
	void *inbox;	/* held; of a COLLECTIVE: its record */
} plait__store_function;

/* Cached kernel, checked and resolved. */
typedef struct plait__store_kernel {
	const plait_kernel *handle;	/* null = free */
	const struct plait__signature *signature;
	uint32_t kernel;
	uint32_t device;		/* last accepted device, or
					 * PLAIT__NONE */
} plait__store_kernel;

/* Cached geometry of a kernel's launch. */
typedef struct plait__store_launch {
	const plait_kernel *kernel;	/* null = free */
	uint32_t geometry;
	uint32_t reserved0;
	plait_launch launch;
} plait__store_launch;

/* Nodes and edges of one body. */
typedef struct plait__store_scope {
	plait__vector nodes;		/* plait__input_node */
	plait__vector edges;		/* plait__input_edge, within this
					 * scope */
	uint32_t region;		/* region of this body, or
					 * PLAIT__NONE */
	uint32_t parent;		/* scope of the region's node */
	uint64_t tag;			/* high bits of its node numbers */
	uint32_t removed_count;		/* of its nodes */
	bool is_removed;		/* with the node of its region: see
					 * graph/store/removal.h */
} plait__store_scope;

/* Region, with its node as an index of the parent scope. */
typedef struct plait__store_region {
	plait__input_region input;
	uint32_t scope;			/* scope of its node */
} plait__store_region;

/* Units of a resource that a node holds while it runs. */
typedef struct plait__store_need {
	uint32_t scope;
	uint32_t node;			/* in the scope */
	uint32_t resource;
	uint32_t units;
} plait__store_need;

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
	plait__vector device_objects;	/* void *, null for a name without a
					 * device */
	plait__vector device_sets;	/* uint32_t */
	plait__vector ranges;		/* plait__store_range, by handle */
	plait__vector needs;		/* plait__store_need; `holds` stays
					 * empty */
	/* void *, or plait__store_function */
	plait__vector objects[PLAIT__STORE_OBJECT_KINDS];
	PLAIT__PLAN_TABLES(PLAIT__STORE_VECTOR)
	char *text_name;		/* owned: name of the text form's file,
					 * or null */
	bool has_removed_regions;	/* since the last settling */
	/* Objects and strings by value; see hash_index.h. */
	plait__index *index;
	/* Recent labels by hash; 0 = none. */
	uint32_t labels[PLAIT__STORE_LABELS];
	/* Last values: most nodes share one. */
	uint32_t last_file;
	uint32_t last_geometry;		/* PLAIT__NONE = none yet */
	/* Lookups of geometries, and how many succeeded. */
	uint32_t geometry_looks;
	uint32_t geometry_finds;
	/* Filled by build/recent_launches.c, emptied by every cut. */
	plait__store_kernel recent_kernels[PLAIT__STORE_RECENT_KERNELS];
	plait__store_launch recent_launches[PLAIT__STORE_RECENT_LAUNCHES];
} plait__store;
#undef PLAIT__STORE_VECTOR

/* Create an empty graph with scope 0. */
plait_status plait__store_create(const plait_allocator *allocator,
				 plait__store **out, plait_error *error);

/* The caller has dropped the objects.  Null is allowed. */
void plait__store_destroy(plait__store *store);

/*
 * Empty the store and keep its memory.  Returns false with nothing done when
 * the memory is too little to be worth it or too much to keep.  The caller has
 * dropped the objects.
 */
bool plait__store_reset(plait__store *store);

/* Remember the file name of the text form, for errors: 0, or -1 without
 * memory. */
int plait__store_set_text_name(plait__store *store, const char *name);

/* Returns a scope, valid until the next one is added. */
plait__store_scope *plait__store_scope_at(const plait__store *store,
					  uint32_t scope);

/* Returns true if the index is that of a node that was not removed. */
static inline bool plait__store_has_node(const plait__store_scope *scope,
					 uint64_t index)
{
	const plait__input_node *nodes = scope->nodes.items;

	return index < scope->nodes.count &&
	       (scope->removed_count == 0 || !nodes[index].is_removed);
}

/* Index of the counts of `objects` in a mark. */
enum { PLAIT__STORE_MARK_OBJECTS = 4 };

/* Size of every table. */
typedef struct plait__store_mark {
	uint32_t counts[32];
} plait__store_mark;

/* Note the sizes of the tables, for a later cut. */
void plait__store_take_mark(const plait__store *store,
			    plait__store_mark *mark);

/*
 * Cut all tables back to the mark, except nodes and edges of older scopes,
 * which are pushed last.  The caller drops the objects added since beforehand.
 */
void plait__store_cut(plait__store *store, const plait__store_mark *mark);

/* The functions below return an index, or PLAIT__NONE without memory. */

/* Add a region, with empty scopes, for the node that is pushed next in
 * `scope`. */
uint32_t plait__store_region_add(plait__store *store, uint32_t scope,
				 const plait__input_region *region);

/*
 * Push a node, with edges to it from `after` (indices in this scope), as the
 * last step of adding.  Nothing changes on failure.
 */
uint32_t plait__store_push(plait__store *store, uint32_t scope,
			   const plait__input_node *node,
			   const uint32_t *after, uint32_t count);

/* Push an edge: 0, or -1 without memory. */
int plait__store_edge(plait__store *store, uint32_t scope, uint32_t before,
		      uint32_t after);

#endif
