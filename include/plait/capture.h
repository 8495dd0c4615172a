/* SPDX-License-Identifier: MIT */
/*
 * plait/capture.h - graphs from what is submitted to queues.
 *
 * While a queue is captured, commands that are submitted to it become nodes of
 * a graph and do not run.  So the work of a function that submits to queues,
 * such as one of a library, can be planned once and run many times.
 *
 * Example:
 *
 *     plait_queue *both[2];
 *
 *     plait_queue_create(device, NULL, &both[0], &error);
 *     plait_queue_create(device, NULL, &both[1], &error);
 *     plait_queue_capture(both, 2, 0, &error);
 *     plait_queue_fill(both[0], a, 0, 64, 7, 4, &error);
 *     plait_queue_emit(both[0], signal, NULL, &error);
 *     plait_queue_wait(both[1], signal, 0, &error);
 *     plait_queue_copy(both[1], b, 0, a, 0, 64, &error);
 *     plait_queue_end_capture(both[0], &graph, &error);
 *
 * Commands become these nodes; those of a queue are a chain on its device.
 *
 *     LAUNCH, CALL, COPY, FILL   the node of the same name
 *     NOP                        nothing
 *     READ, WRITE                the node, with a parameter for the memory:
 *                                "host0", "host1", ..., a new one for each new
 *                                address; each run of the plan binds them
 *     EMIT                       an EMIT node, behind the signal's last one.
 *                                Its sequence number holds in the capture:
 *                                counted on from the emissions before it
 *     WAIT                       an edge from the emission if the capture has
 *                                it; else a WAIT node
 *
 * PLAIT_E_STATE refuses some calls: plait_queue_finish, plait_queue_read and
 * plait_queue_write, which would wait for work that does not run, and runs of
 * plans on the queue; add the plan's graph to the captured one
 * (plait_graph_subgraph).  A command that no node can be is refused as
 * plait_graph_add refuses the node; the capture goes on without any command of
 * that submission.  The capture does not see what is submitted to a native
 * handle of the queue.
 *
 * A captured signal: other queues must not emit it before the capture ends.
 * Commands that were submitted before the capture run as ever.
 */
#ifndef PLAIT_CAPTURE_H
#define PLAIT_CAPTURE_H

#include "plait/graph.h"
#include "plait/queue.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Flags of a capture. */
typedef uint32_t plait_capture_flags;
enum {
	/* Signals only order the captured queues: an EMIT becomes no node, and
	 * runs do not emit the signals. */
	PLAIT_CAPTURE_LOCAL_SIGNALS = 1 << 0,
	/* Refuse CALL commands: for layers whose functions end after one
	 * call. */
	PLAIT_CAPTURE_NO_CALLS = 1 << 1
};

/*
 * plait_queue_capture - begin to capture queues.
 *
 * The capture ends with plait_queue_end_capture, or without a graph when all of
 * its queues are released.
 *
 * @param queues borrowed, non-null: the queues, of one context
 * @param count  value: number of queues, at least 1
 * @param flags  value: PLAIT_CAPTURE_..., combined; 0 for none
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_STATE (one is captured already, or
 *         another thread has ended the capture meanwhile),
 *         PLAIT_E_UNSUPPORTED (unknown flags), PLAIT_E_NOMEM, PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_queue_capture(plait_queue *const *queues,
					   uint64_t count,
					   plait_capture_flags flags,
					   plait_error *error);

/*
 * plait_queue_end_capture - end a capture and get its graph.
 *
 * Commands that other threads submit meanwhile are captured or run.
 *
 * @param queue borrowed, non-null: a queue of the capture
 * @param out   owned, non-null: the graph, one reference
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_STATE (not captured),
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_queue_end_capture(plait_queue *queue,
					       plait_graph **out,
					       plait_error *error);

#ifdef __cplusplus
}
#endif

#endif
