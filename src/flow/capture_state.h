/* SPDX-License-Identifier: MIT */
/*
 * State of a capture: its nodes, and the record that orders them.  With devices
 * the record has each data once per memory.  Caller holds the lock of the flow.
 */
#ifndef PLAIT_SRC_FLOW_CAPTURE_STATE_H
#define PLAIT_SRC_FLOW_CAPTURE_STATE_H

#include "flow/flow_devices.h"
#include "flow/repetitions.h"
#include "flow/task_node.h"

/* A data of the record: one of the flow in one memory, or a token. */
typedef struct plait__captured_data {
	plait__data *whole; /* held, in memory 0; null: a token */
	uint32_t memory;
	uint32_t values; /* index of those of the data */
	bool is_pinned;	 /* the memory keeps its buffer */
	plait_buffer *own; /* temporary of the graph, one reference; or null */
} plait__captured_data;

/* Of a data with copies: what the captured tasks have written, and which memories
 * have it then.  The writer is a task of the record. */
typedef struct plait__captured_values {
	plait__data *whole;
	plait__coherence written;
} plait__captured_values;

/* A change of values by a captured task of a stretch, in the order of these: it wrote
 * them, or they were copied to the memory. */
typedef struct plait__captured_change {
	plait__data *whole;
	plait_box box;
	uint32_t memory;
	bool is_copy;
	uint32_t task; /* of the stretch, from 0 */
} plait__captured_change;

/* With devices: see capture_place.h. */
typedef struct plait__capture_devices {
	plait__vector values;  /* plait__captured_values */
	plait__vector needs;   /* plait__repetition_need */
	plait__vector missing; /* plait__version, of a task */
	plait__vector finish;  /* uint64_t: predicted ns, per task */
	uint64_t free_ns[PLAIT__MEMORY_DEVICES];
	uint64_t mapped; /* memories with launches of host code, bits */
	/* Of a stretch: the changes of its tasks; uint32_t per task: tasks of the
	 * record up to its last one. */
	plait__vector changes; /* plait__captured_change */
	plait__vector ends;
} plait__capture_devices;

struct plait__flow_capture {
	uint64_t key; /* of a repetition that the program names, or 0 */
	bool is_stretch; /* with devices: a repetition that the flow has found */
	plait__flow *flow;
	plait__task_nodes nodes;
	plait__record record;
	plait__vector ends; /* plait_node: per task of the record, its last one */
	plait__vector data; /* plait__captured_data: per data of the record */
	uint32_t memories;  /* 1: the flow has no devices */
	plait__capture_devices devices;
	/* 1 + the task of the record that was the last emission or wait. */
	uint32_t signal;
	bool was_refused; /* a task */
	bool lacks_memory; /* a node or an edge is missing */
};

/* Give the data an index, and share its memory; a memory of a device keeps its
 * buffer, or the graph gets a temporary there.  PLAIT_E_NOMEM. */
plait_status plait__capture_state_find(plait__flow_capture *capture,
					plait__data *whole, uint32_t memory,
					plait_error *error);

/* No node is added any more: forget the indices of the data, and the temporaries
 * that nodes name. */
void plait__capture_state_close(plait__flow_capture *capture);
/* Release the temporaries.  Caller does not hold the lock. */
void plait__capture_state_release(plait__flow_capture *capture);

/* The buffers stay as long as the repetition keeps them; or may be evicted again.
 * Returns false without memory. */
bool plait__capture_state_keep_pins(plait__flow_capture *capture,
				    plait__repetition *again);
void plait__capture_state_unpin(plait__flow_capture *capture);

/* A task of the record was added, with its accesses: keep its node and its order.
 * Without memory the capture says so. */
void plait__capture_state_task(plait__flow_capture *capture,
				const plait__record_task *task);
/* The newest task of the record runs the plan: behind the newest before it that does,
 * since runs of one plan come one after another. */
void plait__capture_state_order_plan(plait__flow_capture *capture,
				     const plait_plan *plan);

/* Returns true if the capture's graph is the program's: it does not know where the
 * flow has values, and begins and ends with those in the program's memory. */
static inline bool plait__capture_state_is_own(const plait__flow_capture *capture)
{
	return capture->key == 0 && !capture->is_stretch;
}

/* Returns true if launches are captured that need no buffers of the flow. */
static inline bool plait__capture_state_has_temporaries(const plait__flow *flow)
{
	return flow->capture != NULL &&
	       plait__capture_state_is_own(flow->capture);
}

static inline plait__captured_data *
plait__capture_state_at(const plait__flow_capture *capture, uint32_t i)
{
	return plait__vector_at(&capture->data, i);
}

/* Index of the data of the record that is the whole's in a memory. */
static inline uint32_t plait__capture_state_index(const plait__data *whole,
						   uint32_t memory)
{
	return whole->captured - 1 + (whole->copies != NULL ? memory : 0);
}

#endif
