/* SPDX-License-Identifier: MIT */
/*
 * The public builder: graphs and their bodies as objects, over one store.
 *
 * A body is an object of its own that holds the graph it is part of; the graph
 * (the root) has the store and holds everything that nodes name.
 */
#ifndef PLAIT_SRC_GRAPH_BUILD_GRAPH_H
#define PLAIT_SRC_GRAPH_BUILD_GRAPH_H

#include "plait/graph.h"

#include "graph/store/store.h"
#include "object/context/context.h"

typedef struct plait__graph plait__graph;

struct plait__graph {
	plait__object object;
	plait__graph *root;	/* itself, or the one that a body holds */
	plait__store *store;	/* the root's */
	uint32_t scope;
	uint64_t tag;		/* of its nodes' numbers, in their high bits */
};

/* A node that is being added; see add_node.c. */
typedef struct plait__node_draft {
	plait__graph *graph;
	const plait_node_desc *desc;
	plait__input_node node;
	plait__plan_payload payload;
	/* Where it runs if neither hint nor buffer says so. */
	uint32_t first_buffer_device;
	/* Messages begin with this, where no node is added. */
	const char *instead;
	plait_error *error;
} plait__node_draft;

plait_status plait__graph_enter(plait_graph *handle, plait__graph **out,
				plait_error *error);

/* A root graph around a new store. */
plait_status plait__graph_make(plait__context *context, plait__graph **out,
			       plait_error *error);

/* Bodies of one CASE. */
enum { PLAIT__GRAPH_MAX_BRANCHES = 65536 };

/* A body of a loop or branch that is not attached to one yet, one reference. */
plait_status plait__graph_body_create(plait__graph *graph, plait_graph **out,
				      plait_error *error);

/* Make an unattached body that of a region's branch, which exists. */
void plait__graph_body_attach(const plait__graph *graph, plait_node node,
			      uint64_t branch, plait_graph *body);

/* Number of a node, and back: none when it is not one of this graph. */
plait_node plait__graph_node(const plait__graph *graph, uint32_t index);
uint32_t plait__graph_index(const plait__graph *graph, plait_node node);

/* Give back the holds on objects that came since the mark, and cut. */
void plait__graph_cut(plait__graph *graph, const plait__store_mark *mark);

/* ---- object_refs.c: from handles to places in the store, held by the root ---- */

/* PLAIT__NONE and an error in draft->error, or the place. */
uint32_t plait__refs_device(plait__node_draft *draft, plait_device *handle);
uint32_t plait__refs_context_device(plait__node_draft *draft);
uint32_t plait__refs_add_device(plait__node_draft *draft,
				plait__device *device);
uint32_t plait__refs_kernel(plait__node_draft *draft, plait_kernel *handle,
			    const struct plait__signature **out);
uint32_t plait__refs_signal(plait__node_draft *draft, plait_signal *handle);
uint32_t plait__refs_function(plait__node_draft *draft);

/* Put the node, and what of it was refused, before an error that knows neither;
 * returns the error's status. */
plait_status plait__refs_prefix_error(const plait__node_draft *draft, const char *what);

/* A range of a buffer: its slot, and where it starts in it. */
typedef struct plait__range {
	uint32_t slot;
	uint64_t offset;	/* in the slot */
	uint64_t bytes;		/* from there to the end of the buffer */
} plait__range;

/* Errors do not name the node; see plait__refs_prefix_error. */
plait_status plait__refs_range(plait__node_draft *draft, plait_buffer *handle,
			       uint64_t offset, plait__range *out);

/* ---- add_node.c ---- */

/* Label, file and line of the descriptor. */
plait_status plait__node_add_names(plait__node_draft *draft);

/* ---- copy_nodes.c ---- */

plait_status plait__nodes_add_copy(plait__node_draft *draft);
plait_status plait__nodes_add_fill(plait__node_draft *draft);

/* ---- launch_arguments.c ---- */

/* Check the arguments against the signature and push them. */
plait_status plait__launch_arguments_push(plait__node_draft *draft,
					  const struct plait__signature *signature);

/* The same for plain arguments; see add_node_fast.c.  False: some are not, or there
 * is no memory, and nothing has changed. */
bool plait__add_node_fast_arguments(plait__node_draft *draft,
				    const struct plait__signature *signature);

/*
 * Add a usual node (see node_fields.h) without a look at anything twice: a launch of
 * a kernel that came lately, or a join.  False: it is another
 * one, or something is wrong, and nothing has changed; see add_node.c.
 */
bool plait__add_node_fast(plait__graph *graph, const plait_node_desc *desc,
			  const plait_node *after, uint64_t count,
			  uint32_t *out);

/* Push one argument that is a range, and what the node does to it. */
plait_status plait__arguments_push_range(plait__node_draft *draft,
					 const plait__range *range, uint64_t bytes,
					 uint32_t access);

/* The same of memory that each run brings; range->offset is within that, and
 * range->slot becomes its access. */
plait_status plait__arguments_push_parameter(plait__node_draft *draft, const char *name,
					     plait__range *range, uint64_t bytes,
					     uint32_t access);

/* Push bytes as one argument more. */
plait_status plait__arguments_push_value(plait__node_draft *draft, const void *bytes,
					 uint32_t count);

/* ---- freeze.c ---- */

/* The message of a node: `node "label" (file:line): `, into `room`. */
enum { PLAIT__REFS_TEXT_BYTES = 120 };
const char *plait__refs_node_text(const plait__node_draft *draft,
				  char room[PLAIT__REFS_TEXT_BYTES]);

#endif
