/* SPDX-License-Identifier: MIT */
/*
 * plait/graph.h - building a graph of work.
 *
 * A graph is a builder: the caller adds nodes (plait/node.h), orders them by
 * edges, priorities and limits, may remove nodes and edges, and freezes the
 * graph into a plan (plait/plan.h), any number of times.  A graph can be changed
 * and not run.  A plan can be run, and its schedule never changes; names can be
 * bound and kernels exchanged.  Building a graph runs nothing.
 *
 * Example:
 *
 *     plait_node first, second;
 *
 *     plait_graph_create(context, &graph, &error);
 *     plait_graph_fill(graph, a, 0, 4096, 1, 4, 0, &first, &error);
 *     plait_graph_copy(graph, b, 0, a, 0, 4096, first, &second, &error);
 *     plait_graph_freeze(graph, NULL, &plan, &error);
 *     plait_graph_release(graph);
 *     plait_plan_call(plan, NULL, NULL, &error);
 *     plait_plan_release(plan);
 *
 * Loops and branches.  WHILE, DO, REPEAT and CASE nodes have bodies.  A body is
 * a graph too (plait_graph_body); edges stay within one body.  WHILE tests
 * before its body, DO after it; REPEAT runs its body a number of times that is
 * known when it is entered; CASE runs the body whose number is the predicate,
 * and none for any other number.  A predicate is a 32-bit word in a buffer, or
 * a host function.
 *
 * Threads.  One thread at a time uses a graph; all its bodies count as that
 * graph.  A call while another thread is in the graph answers PLAIT_E_STATE and
 * changes nothing.  Different graphs are independent.  plait_graph_freeze also
 * reads the plan in its descriptor, and adding a PLAIT_NODE_SUBGRAPH reads the
 * other graph, as several threads at once may.
 */
#ifndef PLAIT_GRAPH_H
#define PLAIT_GRAPH_H

#include "plait/node.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct plait_plan plait_plan;

/* ------------------------------------------------------------------------
 * Graphs
 */

/*
 * plait_graph_create - create an empty graph.
 *
 * @param context borrowed, non-null: the context
 * @param out     owned, non-null: the graph, one reference
 * @param error   borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_NOMEM, PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_graph_create(plait_context *context,
					  plait_graph **out,
					  plait_error *error);

/*
 * plait_graph_read - create a graph from its text form; see plait-graph(5).
 *
 * Device names in the text are placeholders: the graph can be planned, checked,
 * simulated and drawn on any machine.
 *
 * @param context borrowed, non-null: the context
 * @param text    borrowed, non-null: the text; needs no NUL
 * @param bytes   value: length of the text in bytes
 * @param name    borrowed, nullable: the file's name, for errors
 * @param out     owned, non-null: the graph, one reference
 * @param error   borrowed, nullable: filled on failure: file, line and the
 *                expected token
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_NOMEM, PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_graph_read(plait_context *context,
					const char *text, uint64_t bytes,
					const char *name, plait_graph **out,
					plait_error *error);

/*
 * plait_graph_retain - add one reference.
 *
 * @param graph borrowed, nullable: the graph; null and stale are ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_graph_retain(plait_graph *graph);

/*
 * plait_graph_release - give one reference back.
 *
 * A graph keeps its bodies and the kernels, buffers and signals of its nodes;
 * plans hold references of their own.  The last release drops all of them.
 * The context keeps the tables of one released graph for the next graph, if
 * they have 256 KiB to 64 MiB.
 *
 * @param graph consumed, nullable: the graph; null is ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_graph_release(plait_graph *graph);

/*
 * plait_graph_add_edge - add an edge: `before` completes before `after` starts.
 *
 * A repeated edge has no effect.  plait_graph_freeze detects cycles.
 *
 * @param graph  borrowed, non-null: the graph
 * @param before value: a node of this graph
 * @param after  value: another node of this graph
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (not a node of this graph, or `before` is
 *         `after`), PLAIT_E_NOMEM, PLAIT_E_HANDLE,
 *         PLAIT_E_STATE (another thread is in the graph), PLAIT_E_FORKED
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_graph_add_edge(plait_graph *graph,
					    plait_node before, plait_node after,
					    plait_error *error);

/*
 * plait_graph_set_priority - say which of several ready nodes come first.
 *
 * A hint, which changes no result; see doc/limits.md for the effect in each
 * backend.  Plans made before do not change.
 *
 * @param graph    borrowed, non-null: the graph
 * @param node     value: a node of this graph
 * @param priority value: -1000 to 1000; above 0 is more urgent, below 0 less; a
 *                 new node has 0
 * @param error    borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (not a node of this graph, or out of
 *         range), PLAIT_E_HANDLE, PLAIT_E_STATE (another thread is in the
 *         graph), PLAIT_E_FORKED
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_graph_set_priority(plait_graph *graph,
						plait_node node,
						int32_t priority,
						plait_error *error);

/*
 * plait_graph_add_resource - add a resource that limits how many nodes run at
 * once.
 *
 * The graph and all its bodies share their resources, 64 at most.  Adding one
 * again with the same number of units has no effect.
 *
 * @param graph borrowed, non-null: the graph
 * @param name  borrowed, non-null: its name, not empty; copied
 * @param units value: number of units, 1 to 1024
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (no name, units out of range, a resource
 *         of this name has other units, or there are 64), PLAIT_E_NOMEM, PLAIT_E_HANDLE,
 *         PLAIT_E_STATE (another thread is in the graph), PLAIT_E_FORKED
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_graph_add_resource(plait_graph *graph,
						const char *name,
						uint64_t units,
						plait_error *error);

/*
 * plait_graph_add_need - let a node hold units of a resource while it runs.
 *
 * The nodes that hold units at one time never hold more than the resource has,
 * in one run.  The planner decides which one is first, by predicted times; a loop or
 * case holds the units that its bodies use at once, too.  Further needs of the
 * same node and resource add up.  plait_graph_freeze refuses a node whose loops
 * hold too many units themselves.
 *
 * @param graph borrowed, non-null: the graph
 * @param node  value: a node of this graph; the number of a SUBGRAPH is the
 *              join after its copy, whose nodes have needs of their own
 * @param name  borrowed, non-null: a resource of the graph
 * @param units value: 1 to the units of the resource
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (not a node of this graph, no such resource,
 *         or more units than it has), PLAIT_E_NOMEM, PLAIT_E_HANDLE,
 *         PLAIT_E_STATE (another thread is in the graph), PLAIT_E_FORKED
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_graph_add_need(plait_graph *graph,
					    plait_node node, const char *name,
					    uint64_t units,
					    plait_error *error);

/*
 * plait_graph_remove - take nodes away, with their edges.
 *
 * The nodes before and after a removed one are not joined: order that only led
 * through it is gone.  A loop or case goes with its bodies, and no body of it
 * can be used any more.  The numbers of other nodes stay valid, and the number
 * of a removed node is never used again.  The call is all or nothing.  Plans
 * made before do not change; the graph keeps the objects that a removed node
 * named until it is released.  The edges of the graph are walked once per
 * call.
 *
 * @param graph borrowed, non-null: the graph
 * @param nodes borrowed, nullable: nodes of this graph, each once or more; null
 *              when `count` is 0
 * @param count value: number of nodes
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (not a node of this graph),
 *         PLAIT_E_HANDLE, PLAIT_E_STATE (another thread is in the graph),
 *         PLAIT_E_FORKED
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_graph_remove(plait_graph *graph,
					  const plait_node *nodes,
					  uint64_t count, plait_error *error);

/*
 * plait_graph_remove_edge - take an edge away, as often as it was added.
 *
 * Order that other edges make, or that PLAIT_FREEZE_PROGRAM_ORDER infers, stays.
 *
 * @param graph  borrowed, non-null: the graph
 * @param before value: a node of this graph
 * @param after  value: a node of this graph
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (not a node of this graph, or no such
 *         edge), PLAIT_E_HANDLE, PLAIT_E_STATE (another thread is in the
 *         graph), PLAIT_E_FORKED
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_graph_remove_edge(plait_graph *graph,
					       plait_node before,
					       plait_node after,
					       plait_error *error);

/*
 * plait_graph_body - get the body of a loop, or of one branch.
 *
 * An empty body does nothing; the predicate is still evaluated.
 *
 * @param graph  borrowed, non-null: the graph that has the node
 * @param node   value: a node of kind WHILE, DO, REPEAT or CASE
 * @param branch value: 0; CASE: the number of the body
 * @param out    owned, non-null: the body, one reference; keeps `graph`
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_NOMEM, PLAIT_E_HANDLE,
 *         PLAIT_E_STATE (another thread is in the graph), PLAIT_E_FORKED
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_graph_body(plait_graph *graph, plait_node node,
					uint64_t branch, plait_graph **out,
					plait_error *error);

/* Flags of a rotation. */
typedef uint32_t plait_rotation_flags;
enum {
	/* The first buffer is for iteration 0 only. */
	PLAIT_ROTATION_PROLOGUE = 1 << 0
};

/*
 * plait_graph_add_rotation - let the iterations of a loop alternate between
 * buffers.
 *
 * Iteration i uses buffer i mod n.  With PLAIT_ROTATION_PROLOGUE iteration 0
 * uses buffer 0, and iteration i > 0 uses buffer 1 + (i - 1) mod (n - 1).  An
 * argument of kind PLAIT_ARGUMENT_ROTATION names the rotation, or
 * `target_rotation` and `source_rotation` of a node that copies or fills; its
 * `ahead`, 0 to 15, selects the buffer of a later iteration, so a body can read
 * the current buffer and write the next one.
 *
 * Scope: the loop's body, the bodies inside it (i is still the iteration of
 * this loop), and nodes after the loop, in the graph of the loop or in bodies
 * there.  After the loop the rotation is the buffer of iteration k if the loop
 * ran k times: the buffer that the last iteration wrote as its next.  A node
 * elsewhere is refused.  A graph in which such a node does not follow the loop
 * by edges cannot be frozen, nor can a part of a graph that has the node
 * without the loop.
 *
 * Two nodes of one iteration conflict only if their buffers are the same in
 * some iteration; iterations never overlap.  A buffer may be part of several
 * rotations and an argument by itself; plait_plan_check tells the uses apart.
 *
 * @param graph   borrowed, non-null: the body of a WHILE, DO or REPEAT
 * @param buffers borrowed, non-null: buffers of one size and one device, none
 *                a view, in the order of use
 * @param count   value: number of buffers: 2 to 8; 3 to 9 with a prologue
 * @param flags   value: 0 or PLAIT_ROTATION_PROLOGUE
 * @param out     borrowed, non-null: the rotation's number; never 0
 * @param error   borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_NOMEM, PLAIT_E_HANDLE,
 *         PLAIT_E_STATE (another thread is in the graph), PLAIT_E_FORKED
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_graph_add_rotation(plait_graph *graph,
						plait_buffer *const *buffers,
						uint64_t count,
						plait_rotation_flags flags,
						uint64_t *out,
						plait_error *error);

/*
 * plait_graph_size - get the number of nodes and edges, without bodies.
 *
 * Removed ones do not count.
 *
 * @param graph     borrowed, non-null: the graph
 * @param out_nodes borrowed, nullable: number of nodes
 * @param out_edges borrowed, nullable: number of edges
 * @param error     borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_HANDLE,
 *         PLAIT_E_STATE (another thread is in the graph), PLAIT_E_FORKED
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_graph_size(plait_graph *graph,
					uint64_t *out_nodes,
					uint64_t *out_edges,
					plait_error *error);

/* ------------------------------------------------------------------------
 * Freezing
 */

/* How the planner chooses the number of lanes. */
typedef uint32_t plait_policy;
enum {
	/* At most `lanes` per device; the shortest schedule found. */
	PLAIT_POLICY_BOUNDED = 0,
	/* The width of the graph, within the limits. */
	PLAIT_POLICY_WIDEST = 1
};

/* How the host orders the commands of a plan. */
typedef uint32_t plait_mode;
enum {
	/* In lane order: least overhead, for even work. */
	PLAIT_MODE_STRICT = 0,
	/* By edges alone: idle workers steal commands of other lanes, for
	 * uneven work. */
	PLAIT_MODE_HELPED = 1,
	/* The planner's choice, by the spread of the costs. */
	PLAIT_MODE_AUTO = 2
};

/* Flags of plait_freeze_desc. */
typedef uint32_t plait_freeze_flags;
enum {
	/* Check the graph, then the plan (plait_plan_check), before the plan is
	 * returned.  The check of the graph refuses two nodes that use the same
	 * memory, one of them writing, and that no path of edges orders; it
	 * does not depend on lanes, workers or the policy.  Time and memory
	 * grow with the nodes, edges and accesses.  PLAIT_CHECK=1 in the
	 * environment sets this flag for every freeze. */
	PLAIT_FREEZE_CHECK = 1 << 0,
	/* Run the plan on queues of its devices, as plans of other backends,
	 * even if all devices are the host: slower, with equal results.  For
	 * comparison. */
	PLAIT_FREEZE_QUEUES = 1 << 1,
	/* Infer edges from accesses: of two nodes of one body that use the same
	 * bytes, one of them writing, the node that was added first comes
	 * first.  The inferred edges join those of the graph, which does not
	 * change.  Kernels access memory by the modes of their signatures; a
	 * loop or case accesses what its bodies access.  A node whose accesses
	 * are not known is ordered with all nodes of its body: a host function
	 * (PLAIT_NODE_CALL), an emission, a wait, a predicate that is a
	 * function, and a loop or case that has one of these in a body.  A join
	 * or mark accesses nothing.  An edge against the order of adding, of
	 * nodes that conflict, makes a cycle. */
	PLAIT_FREEZE_PROGRAM_ORDER = 1 << 2
};

typedef struct plait_freeze_desc {
	uint32_t size;
	plait_freeze_flags flags;
	plait_policy policy;
	plait_mode mode;
	/* Maximum number of lanes per device; 0 means the parallelism of the
	 * device.  A smaller limit of a device stays in force. */
	uint32_t lanes;
	/* Maximum number of runs in flight; 0 means 2. */
	uint32_t instances;
	/* Cost of observing the progress of another lane, in the unit of
	 * `cost` of nodes.  Default 0: waits between lanes are free. */
	uint64_t hop_cost;
	/* Plan only the nodes on paths from a source to a sink; at least one
	 * node must remain.  A null list does not restrict. */
	const plait_node *sources;
	const plait_node *sinks;
	uint64_t source_count;
	uint64_t sink_count;
	/* With sources or sinks only: keep the lanes and limits of this plan
	 * of the whole graph, which may have grown since.  `lanes` then
	 * applies to devices that the plan does not have. */
	plait_plan *whole;
} plait_freeze_desc;

/*
 * plait_graph_freeze - plan the graph in its present state.
 *
 * The graph is unchanged; later changes of the graph do not affect the plan.
 *
 * @param graph borrowed, non-null: a graph that is not a body
 * @param desc  borrowed, nullable: null means all defaults
 * @param out   owned, non-null: the plan, one reference
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (a cycle, whose nodes are named; a sum of
 *         costs above 2^63 - 1; ...), PLAIT_E_UNSUPPORTED, PLAIT_E_NOMEM,
 *         PLAIT_E_HANDLE, PLAIT_E_STATE (another thread is in the graph),
 *         PLAIT_E_FORKED
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_graph_freeze(plait_graph *graph,
					  const plait_freeze_desc *desc,
					  plait_plan **out,
					  plait_error *error);

#ifdef __cplusplus
}
#endif

#endif
