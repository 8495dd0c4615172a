/* SPDX-License-Identifier: MIT */
/*
 * plait/repeat.h - tasks of a flow as a graph, and tasks that repeat.
 *
 * While a flow is captured, the tasks that are submitted to it become nodes of a
 * graph and do not run; their order becomes edges.  A repetition is tasks that
 * were captured once, and run as one task any number of times.
 *
 * Example:
 *
 *     plait_task task;
 *
 *     for (int i = 0; i < 1000; i++) {
 *             plait_flow_repeat(flow, 1, &task, &error);
 *             if (task != 0)
 *                     continue;
 *             plait_flow_launch(flow, kernel, PLAIT_ITEMS(1000),
 *                               PLAIT_ARGUMENTS(PLAIT_DATA(u), PLAIT_DATA(v)),
 *                               NULL, &error);
 *             plait_flow_launch(flow, kernel, PLAIT_ITEMS(1000),
 *                               PLAIT_ARGUMENTS(PLAIT_DATA(v), PLAIT_DATA(u)),
 *                               NULL, &error);
 *             plait_flow_repeat(flow, 0, NULL, &error);
 *     }
 *
 * Tasks become these nodes, on the device of the host, or in a flow with devices
 * launches on one of these:
 *
 *     LAUNCH         a launch for each piece; a join behind several
 *     CALL, COPY     the node of the same name
 *     FILL           a fill; of a box with gaps, one for each row, and a join
 *     READ, WRITE    the node, with a parameter for the memory: "host0",
 *                    "host1", ..., a new one for each new address
 *     EMIT, WAIT     the node, behind the emission or wait before it
 *     PLAN           a launch that calls the plan (plait_plan_call), behind the
 *                    run of the same plan before it
 *
 * The number of a captured task is that of its node.  Values, boxes and
 * addresses are those of the capture; `priority` and PLAIT_TASK_NO_WAIT have no
 * effect.  The nodes hold the memory of the data, not the data.  A call that
 * would wait for captured tasks, plait_data_map, _read and _write, is
 * PLAIT_E_STATE.  The tasks of all threads are captured.
 *
 * With devices the graph has the copies between memories, too.  It begins with what
 * the program's memory has of the data, leaves there what its tasks have written,
 * and uses temporaries of its own on devices; so the flow may be used meanwhile.
 * A task that runs the plan names all data that the captured tasks access: the flow
 * does not know of other data that the plan has changed.  See
 * doc/flow-repetitions.md.
 *
 * A plan that is called has to be one that a host function can call: one on queues
 * is PLAIT_E_UNSUPPORTED, add its graph instead (plait_graph_subgraph); one with
 * waits fails the node with PLAIT_E_DEADLOCK.  A conflicting run of it elsewhere
 * fails the node with PLAIT_E_BUSY.  The graph keeps the plan, and `run` has to stay
 * valid.
 *
 * The edges are exact.  A graph itself knows no boxes, and counts all of a data
 * as accessed by a launch: so PLAIT_FREEZE_CHECK and PLAIT_FREEZE_PROGRAM_ORDER
 * see a conflict between launches that access different boxes of it.
 */
#ifndef PLAIT_REPEAT_H
#define PLAIT_REPEAT_H

#include "plait/flow.h"
#include "plait/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * plait_flow_capture - begin to capture a flow, or end the capture.
 *
 * A task that is refused becomes no node.  Captured nodes are not ordered with
 * nodes that the graph has from elsewhere.  The release of the flow ends the
 * capture, too.
 *
 * @param flow  borrowed, non-null: the flow
 * @param graph borrowed, nullable: the graph, or the body of a loop, that
 *              receives the nodes; the capture keeps it.  Null ends the
 *              capture, that of plait_flow_repeat, too: its tasks do not run,
 *              and the key stays unknown
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_STATE (the flow is captured already; null: it is
 *         not), PLAIT_E_UNSUPPORTED (the flow has a world; null: the memory of
 *         a device cannot be mapped, the capture has ended),
 *         PLAIT_E_UNAVAILABLE (the context has no device of the host),
 *         PLAIT_E_NOMEM (null: a node or an edge is missing; the capture has
 *         ended), PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_flow_capture(plait_flow *flow, plait_graph *graph,
					  plait_error *error);

/*
 * plait_flow_repeat - run a repetition again; or begin or end a new one.
 *
 * In a flow with devices the plan has the launches on devices that are chosen at
 * the capture, and the copies between them.  A run accesses exactly what its tasks
 * need and write, in each memory; doc/flow-repetitions.md.
 *
 * With a new key the tasks that follow are captured, until a call with key 0
 * makes a plan of them and submits its run.  With a known key the call submits
 * that run at once, and the caller submits none of the tasks.  A run is one
 * task, which fails as a whole; in a flow without devices it accesses, of each
 * data that its tasks access, the least box around them.  Memory that READ and
 * WRITE name has to stay valid as long as the repetition may run.
 *
 * The flow keeps a repetition until its own last release.
 *
 * @param flow  borrowed, non-null: the flow
 * @param key   value: of the program's choice; 0 ends the repetition
 * @param out   borrowed, nullable: the number of the run; 0: the key is new, and
 *              the repetition begins.  Null for key 0 only
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK; as plait_flow_submit (the end: the repetition is known, its
 *         run was not submitted); PLAIT_E_STATE (the flow is captured;
 *         key 0: there is no repetition, or a task of it was refused),
 *         PLAIT_E_UNSUPPORTED (a flow over a world), PLAIT_E_UNAVAILABLE,
 *         PLAIT_E_NOMEM
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_flow_repeat(plait_flow *flow, uint64_t key,
					 plait_task *out, plait_error *error);

#ifdef __cplusplus
}
#endif

#endif
