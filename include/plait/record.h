/* SPDX-License-Identifier: MIT */
/*
 * plait/record.h - records of flows: the tasks, and why each waits for others.
 *
 * A flow that is created with PLAIT_FLOW_RECORD keeps its tasks.
 *
 * Example:
 *
 *     const char text[] = "data u 8\ntask a writes=u\ntask b reads=u[0:4]\n";
 *     uint64_t bytes;
 *
 *     plait_flow_read(flow, text, sizeof(text) - 1, "text", &error);
 *     plait_flow_write(flow, PLAIT_FLOW_TEXT, NULL, 0, &bytes, &error);
 *
 * The text has lines like "after 1 "a": reads u [0, 4), which it wrote".
 */
#ifndef PLAIT_RECORD_H
#define PLAIT_RECORD_H

#include "plait/flow.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Form of what plait_flow_write prints. */
typedef int32_t plait_flow_format;
enum {
	/* Each task, its accesses, and the tasks that it comes behind with the
	 * reason for each; then warnings. */
	PLAIT_FLOW_TEXT = 0,
	/* The same as one JSON object; see doc/flow-text.md. */
	PLAIT_FLOW_JSON = 1,
	/* The graph for Graphviz, the reasons at its edges. */
	PLAIT_FLOW_DOT = 2,
	/* A schedule of all tasks on the flow's lanes, by their costs. */
	PLAIT_FLOW_SVG = 3
};

/*
 * plait_flow_write - print the tasks of a flow, and why each waits for others.
 *
 * For flows with PLAIT_FLOW_RECORD.  The result depends on the submissions
 * alone, but for the lanes of tasks: not on which tasks are done.  A task that
 * reads what nothing wrote is a warning; others are in doc/flow-memories.md.
 *
 * @param flow           borrowed, non-null: the flow
 * @param format         value: PLAIT_FLOW_TEXT, _JSON, _DOT or _SVG
 * @param buffer         borrowed, nullable: receives the text, without a NUL;
 *                       null: only the size
 * @param capacity_bytes value: size of `buffer`
 * @param out_bytes      borrowed, nullable: size of the text
 * @param error          borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (an unknown format, a small buffer),
 *         PLAIT_E_STATE (a flow without PLAIT_FLOW_RECORD), PLAIT_E_NOMEM (also:
 *         for the record of an earlier task), PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_flow_write(plait_flow *flow,
					plait_flow_format format, void *buffer,
					uint64_t capacity_bytes,
					uint64_t *out_bytes,
					plait_error *error);

/*
 * plait_flow_read - submit the tasks of a text; see doc/flow-text.md.
 *
 * The tasks do nothing, and their data has no memory: the text is what a
 * program would submit, to see with plait_flow_write what its order would be.
 *
 * @param flow  borrowed, non-null: the flow
 * @param text  borrowed, non-null: the text; needs no NUL
 * @param bytes value: length of the text in bytes
 * @param name  borrowed, nullable: the file's name, for errors
 * @param error borrowed, nullable: filled on failure: file, line and the
 *              expected token; tasks of earlier lines are submitted
 * @return PLAIT_OK, PLAIT_E_INVALID, and as plait_flow_submit; with
 *         PLAIT_EVENT_READY, too, tasks of earlier lines are submitted
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_flow_read(plait_flow *flow, const char *text,
				       uint64_t bytes, const char *name,
				       plait_error *error);

/* Which memories of devices copy to each other directly; others by way of the
 * host. */
typedef uint32_t plait_memory_peers;
enum {
	PLAIT_PEERS_ALL = 0,
	PLAIT_PEERS_RING = 1, /* each device, the ones beside it */
	PLAIT_PEERS_NONE = 2
};

/* Bits of plait_memories_desc.flags. */
typedef uint32_t plait_memories_flags;
enum {
	/* The devices have one memory in all, beside the host's. */
	PLAIT_MEMORIES_SHARED = 1,
	/* A block grows when a task needs it; without this flag it is made as
	 * large as any task of the record needs it. */
	PLAIT_MEMORIES_NO_LOOKAHEAD = 2,
	/* Warnings are PLAIT_E_INVALID; the text has the first one. */
	PLAIT_MEMORIES_STRICT = 4
};

/*
 * A system of devices with memories, which need not exist.  Memory 0 is the
 * host's; device i has memory i + 1.
 */
typedef struct plait_memories_desc {
	uint32_t size; /* sizeof(plait_memories_desc) */
	plait_memories_flags flags;
	uint32_t devices; /* 1 to 63 */
	plait_memory_peers peers;
	plait_device_choice choose;
	plait_parent_choice parent;
	plait_lane_choice lane;
	uint32_t lanes; /* of launches, per device; 0: 1; UINT32_MAX: no
			 * limit */
	uint64_t memory_bytes; /* of each memory of devices; 0: no limit */
	/* Lines "From,To,Bandwidth" in GB/s, the host is -1; null: 10 GB/s. */
	const char *links;
	/* Per device: its share of the pieces of a split launch; null: equal. */
	const uint32_t *weights;
} plait_memories_desc;

/*
 * plait_flow_write_instructions - print what the tasks of a flow would do on
 * devices with memories of their own.
 *
 * For flows with PLAIT_FLOW_RECORD.  Launches run on the devices, their pieces
 * by weights, others where the policies say; all else runs on the host.  The
 * instructions are allocations of blocks, copies between memories and the tasks,
 * each with its predecessors and the reason; blocks that a memory has no room for
 * are evicted.  The result depends on the submissions and `memories` alone.  See
 * doc/flow-memories.md.
 *
 * @param flow           borrowed, non-null: the flow
 * @param memories       borrowed, non-null: the system
 * @param format         value: PLAIT_FLOW_TEXT or _JSON
 * @param buffer         borrowed, nullable: receives the text, without a NUL;
 *                       null: only the size
 * @param capacity_bytes value: size of `buffer`
 * @param out_bytes      borrowed, nullable: size of the text
 * @param error          borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (a system that is none, an unknown format, a
 *         small buffer), PLAIT_E_STATE (a flow without PLAIT_FLOW_RECORD),
 *         PLAIT_E_NOMEM (also: for the record of an earlier task; a task needs
 *         more than `memory_bytes`),
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_flow_write_instructions(
	plait_flow *flow, const plait_memories_desc *memories,
	plait_flow_format format, void *buffer, uint64_t capacity_bytes,
	uint64_t *out_bytes, plait_error *error);

#ifdef __cplusplus
}
#endif

#endif
