/* SPDX-License-Identifier: MIT */
/*
 * Table indices for the handles of a node descriptor.  The root graph holds
 * each object from its first use; plait__graph_cut() drops the holds of a
 * refused node.  Also here: the text that names a node in errors.
 */
#ifndef PLAIT_SRC_GRAPH_BUILD_OBJECT_REFS_H
#define PLAIT_SRC_GRAPH_BUILD_OBJECT_REFS_H

#include "graph/build/graph.h"

/* Write the subject of an error, `node "label" (file:line)`, into `room`. */
enum { PLAIT__REFS_TEXT_BYTES = 120 };
const char *plait__refs_node_text(const plait__node_draft *draft,
				  char room[PLAIT__REFS_TEXT_BYTES]);

/* Return an index, or PLAIT__NONE with the error in draft->error: PLAIT_E_HANDLE,
 * PLAIT_E_INVALID (another context), PLAIT_E_NOMEM. */
uint32_t plait__refs_device(plait__node_draft *draft, plait_device *handle);
/* The graph's first device; the context's first if the graph has none yet. */
uint32_t plait__refs_context_device(plait__node_draft *draft);
uint32_t plait__refs_add_device(plait__node_draft *draft,
				plait__device *device);
/* *out belongs to the kernel, which the graph holds. */
uint32_t plait__refs_kernel(plait__node_draft *draft, plait_kernel *handle,
			    const struct plait__signature **out);
uint32_t plait__refs_signal(plait__node_draft *draft, plait_signal *handle);
/* The function of the draft's descriptor, a new entry each time. */
uint32_t plait__refs_function(plait__node_draft *draft);

/* Prefix an error with the node and the refused part `what`; return its
 * status. */
plait_status plait__refs_prefix_error(const plait__node_draft *draft,
				      const char *what);

/* Range of a buffer: slot, and offset in it. */
typedef struct plait__range {
	uint32_t slot;
	uint64_t offset;	/* in the slot */
	uint64_t bytes;		/* from there to the end of the buffer */
} plait__range;

/* Return the root buffer of a slot. */
const struct plait__buffer *plait__refs_buffer(const plait__node_draft *draft,
					       uint32_t slot);

/* Resolve a range from `offset` to the end of the buffer; PLAIT_E_INVALID for an
 * offset behind the end.  Errors do not name the node; see
 * plait__refs_prefix_error. */
plait_status plait__refs_range(plait__node_draft *draft, plait_buffer *handle,
			       uint64_t offset, plait__range *out);

#endif
