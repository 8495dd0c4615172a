/* SPDX-License-Identifier: MIT */
/*
 * Graph and body objects over one store.
 *
 * A body is an object that holds its root graph.  The root owns the store and
 * holds every object that nodes name.
 *
 * No lock guards a graph: one thread at a time uses it with all its bodies, or
 * several read it into others.  `use` finds a second thread, which gets
 * PLAIT_E_STATE.
 */
#ifndef PLAIT_SRC_GRAPH_BUILD_GRAPH_H
#define PLAIT_SRC_GRAPH_BUILD_GRAPH_H

#include "plait/graph.h"

#include "graph/store/store.h"
#include "object/context/context.h"

typedef struct plait__graph plait__graph;

struct plait__graph {
	plait__object object;
	plait__graph *root;	/* itself, or the root that a body holds */
	plait__store *store;	/* the root's */
	uint32_t scope;
	uint64_t tag;		/* high bits of this scope's node numbers */
	/* Of the root: PLAIT__GRAPH_FREE, _CHANGES, or _READ for each call that
	 * reads it into another graph. */
	at_u32 use;
};

enum { PLAIT__GRAPH_FREE = 0, PLAIT__GRAPH_CHANGES = 1, PLAIT__GRAPH_READ = 2 };

/* Node being added; see add_node.c.  The functions that take a draft fill
 * `node` and `payload` and push to the tables; after a failure, whose text is in
 * `error`, the caller cuts the tables (plait__graph_cut). */
typedef struct plait__node_draft {
	plait__graph *graph;
	const plait_node_desc *desc;
	plait__input_node node;
	plait__plan_payload payload;
	/* Inferred device: that of the first buffer, set when the buffer is
	 * resolved; or PLAIT__NONE. */
	uint32_t first_buffer_device;
	/* Subject of error texts where no node is added, or null. */
	const char *instead;
	plait_error *error;
} plait__node_draft;

/* Enter a graph for one call.  PLAIT_E_HANDLE; PLAIT_E_STATE: another thread is
 * in it, or it is a body whose node was removed. */
plait_status plait__graph_enter(plait_graph *handle, plait__graph **out,
				plait_error *error);

static inline void plait__graph_leave(plait__graph *graph)
{
	/* Release: pairs with the exchange of the next call. */
	at_store_release_u32(&graph->root->use, PLAIT__GRAPH_FREE);
	plait__object_leave(&graph->object);
}

/* Enter a graph to read it into `reader`, which the caller has entered.
 * PLAIT_E_STATE: a thread is changing it, and it is not `reader`'s own. */
plait_status plait__graph_enter_to_read(plait_graph *handle,
					const plait__graph *reader,
					plait__graph **out,
					plait_error *error);
void plait__graph_leave_read(plait__graph *graph, const plait__graph *reader);

/* plait_graph_add to a graph that the caller has entered; the descriptor has
 * its full size.  After a failure the graph is as before. */
plait_status plait__add_node(plait__graph *graph, const plait_node_desc *desc,
			     const plait_node *after, uint64_t count,
			     plait_node *out, plait_error *error);

/* Create a root graph around a new store, with one reference.  PLAIT_E_NOMEM,
 * and *out is null. */
plait_status plait__graph_make(plait__context *context, plait__graph **out,
			       plait_error *error);

/* Bodies of one CASE. */
enum { PLAIT__GRAPH_MAX_BRANCHES = 65536 };

/* Create a body of a loop or branch that is not attached to one yet, with one
 * reference.  Caller has entered the graph, whose root the body holds. */
plait_status plait__graph_body_create(plait__graph *graph, plait_graph **out,
				      plait_error *error);

/* Make an unattached body that of a region's branch, which exists. */
void plait__graph_body_attach(const plait__graph *graph, plait_node node,
			      uint64_t branch, plait_graph *body);

/* Convert between a node's index and its public number; PLAIT__NONE for a
 * removed node and a number of another graph. */
plait_node plait__graph_node(const plait__graph *graph, uint32_t index);
uint32_t plait__graph_index(const plait__graph *graph, plait_node node);

/* Describe a node as plans do: its label, and where it was added. */
const char *plait__graph_node_text(const plait__graph *graph, uint32_t index,
				   char text[PLAIT__NODE_TEXT_BYTES]);

/* Drop the holds on objects added since the mark, then cut the tables. */
void plait__graph_cut(plait__graph *graph, const plait__store_mark *mark);

#endif
