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
typedef struct plait__adding {
	plait__graph *graph;
	const plait_node_desc *desc;
	plait__input_node node;
	plait__plan_payload payload;
	/* Where it runs if neither hint nor buffer says so. */
	uint32_t first_buffer_device;
	/* Messages begin with this, where no node is added. */
	const char *instead;
	plait_error *error;
} plait__adding;

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

/* PLAIT__NONE and an error in adding->error, or the place. */
uint32_t plait__graph_device(plait__adding *adding, plait_device *handle);
uint32_t plait__graph_context_device(plait__adding *adding);
uint32_t plait__graph_place_device(plait__adding *adding,
				   plait__device *device);
uint32_t plait__graph_kernel(plait__adding *adding, plait_kernel *handle,
			     const struct plait__signature **out);
uint32_t plait__graph_signal(plait__adding *adding, plait_signal *handle);
uint32_t plait__graph_function(plait__adding *adding);

/* Put the node, and what of it was refused, before an error that knows neither;
 * returns the error's status. */
plait_status plait__graph_name(const plait__adding *adding, const char *what);

/* A range of a buffer: its slot, and where it starts in it. */
typedef struct plait__range {
	uint32_t slot;
	uint64_t offset;	/* in the slot */
	uint64_t bytes;		/* from there to the end of the buffer */
} plait__range;

/* Errors do not name the node; see plait__graph_name. */
plait_status plait__graph_range(plait__adding *adding, plait_buffer *handle,
				uint64_t offset, plait__range *out);

/* ---- add_node.c ---- */

/* Label, file and line of the descriptor. */
plait_status plait__graph_add_names(plait__adding *adding);

/* ---- copy_nodes.c ---- */

plait_status plait__graph_copy(plait__adding *adding);
plait_status plait__graph_fill(plait__adding *adding);

/* ---- launch_arguments.c ---- */

/* Check the arguments against the signature and push them. */
plait_status plait__graph_arguments(plait__adding *adding,
				    const struct plait__signature *signature);

/* The same for plain arguments; see add_node_fast.c.  False: some are not, or there
 * is no memory, and nothing has changed. */
bool plait__graph_quick(plait__adding *adding,
			const struct plait__signature *signature);

/*
 * Add a usual node (see node_fields.h) without a look at anything twice: a launch of
 * a kernel that came lately, or a join.  False: it is another
 * one, or something is wrong, and nothing has changed; see add_node.c.
 */
bool plait__graph_add_usual(plait__graph *graph, const plait_node_desc *desc,
			    const plait_node *after, uint64_t count,
			    uint32_t *out);

/* Push one argument that is a range, and what the node does to it. */
plait_status plait__graph_memory(plait__adding *adding,
				 const plait__range *range, uint64_t bytes,
				 uint32_t access);

/* The same of memory that each run brings; range->offset is within that, and
 * range->slot becomes its access. */
plait_status plait__graph_parameter(plait__adding *adding, const char *name,
				    plait__range *range, uint64_t bytes,
				    uint32_t access);

/* Push bytes as one argument more. */
plait_status plait__graph_value(plait__adding *adding, const void *bytes,
				uint32_t count);

/* ---- freeze.c ---- */

/* The message of a node: `node "label" (file:line): `, into `room`. */
enum { PLAIT__GRAPH_PLACE_ROOM = 120 };
const char *plait__graph_place(const plait__adding *adding,
			       char room[PLAIT__GRAPH_PLACE_ROOM]);

#endif
