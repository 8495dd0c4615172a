/* SPDX-License-Identifier: MIT */
/*
 * plait/graph.h - building a graph of work.
 *
 * A graph is a builder: nodes are added, ordered by edges, and frozen into a
 * plan (plait/plan.h), as often as you like.  What can be executed cannot be
 * changed, what can be changed cannot be executed.  Nothing runs while a
 * graph is built.
 *
 *     a = launch(...)           after nothing
 *     b = launch(...)  after a
 *     c = launch(...)  after a
 *     d = join         after b, c          "when all"
 *
 * Order.  Only edges order nodes; two nodes that use the same memory and are
 * not ordered are a mistake, which plait_plan_check finds where the plan does
 * not happen to order them: one lane hides what two show.  What has no bytes,
 * as a copy or a fill of none, uses no memory and needs no order.
 *
 * Where a node runs.  On the device it names; else on the device of the first
 * buffer among its arguments (of a rotation: its first buffer); else where the
 * first node it comes after runs; else on the first device of the graph.  A
 * call, or a signal, that cannot be there goes to the first device that can
 * have it.  A device is a place, never a queue: the planner chooses lanes.
 *
 * What a node names has to be usable there: its buffers and signals are of the
 * device's backend, its kernel has code for it.  Otherwise adding it fails with
 * PLAIT_E_UNSUPPORTED.  Of several devices that means the first one, of a
 * group each.  Copies, fills and predicates may be of memory of another
 * backend, if it can be mapped and the device can call the host, which then
 * moves the bytes.
 *
 * Loops and branches.  `while`, `do` and `case` nodes have bodies, which are
 * graphs themselves (plait_graph_body); edges stay within one body.  `while`
 * tests before the body, `do` after it; `case` runs the body whose number its
 * predicate gives, and none for any other number.  A predicate is a 32-bit
 * word in a buffer or a host function.
 *
 * Threads.  A graph is used by one thread at a time, and all its bodies count
 * as that graph.  Different graphs need no care; plait_graph_freeze also reads
 * the plan it is given, and PLAIT_NODE_SUBGRAPH reads the other graph: nobody
 * may change that meanwhile.
 */
#ifndef PLAIT_GRAPH_H
#define PLAIT_GRAPH_H

#include "plait/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct plait_graph plait_graph;
typedef struct plait_plan plait_plan;

/* A node's number; never 0, below 2^53.  It knows the graph or body that it
 * is of, so another one refuses it. */
typedef uint64_t plait_node;

/* Kinds of nodes. */
enum {
	/* Does nothing: joins what it comes after. */
	PLAIT_NODE_JOIN = 0,
	/* A kernel with a geometry and arguments. */
	PLAIT_NODE_LAUNCH = 1,
	/* A host function; flags or inbox say where it may run. */
	PLAIT_NODE_CALL = 2,
	PLAIT_NODE_COPY = 3,
	PLAIT_NODE_FILL = 4,
	/* Another emission of a signal. */
	PLAIT_NODE_EMIT = 5,
	/* Wait for an emission, also of a gate. */
	PLAIT_NODE_WAIT = 6,
	/* A mark in the timeline. */
	PLAIT_NODE_MARK = 7,
	/* A copy of all nodes of a graph (or of a body), as it is now, bodies
	 * included; it may be the graph itself.  In front of it is a join that
	 * comes before all nodes in it, behind it one that comes after them;
	 * the second one is the node.  Both cost nothing.  What a loop
	 * outside of the copied part carries can be used in it only if the
	 * copy is inside of the same loop. */
	PLAIT_NODE_SUBGRAPH = 8,
	PLAIT_NODE_WHILE = 9,
	PLAIT_NODE_DO = 10,
	PLAIT_NODE_CASE = 11
};

/* Flags of a node, beside PLAIT_CALL_ANY_THREAD; how it uses devices. */
enum {
	/* Several devices: runs on the first one (the default). */
	PLAIT_NODE_ON_FIRST = 0,
	/* Several devices: all wait for it, it waits for all. */
	PLAIT_NODE_ON_ALL_BARRIER = 1 << 4,
	/* Several devices: one member on each.  They begin behind the same
	 * nodes, and what comes after the node waits for all.  On one device
	 * all three mean the same, so that a program for any number of devices
	 * need not ask how many there are. */
	PLAIT_NODE_ON_ALL_GROUP = 1 << 5,
	/* `cost` is 0, and that is what it costs; JOIN and MARK need not say
	 * so.  Not of a SUBGRAPH. */
	PLAIT_NODE_FREE = 1 << 6
};

/*
 * A node.  A field that its kind does not have stays zero; a field that is set
 * for nothing is refused by name.  Every kind has `label`, `file` and `line`;
 * every kind but SUBGRAPH has `cost` and devices, of which a WHILE, DO or CASE
 * has one.
 */
typedef struct plait_node_desc {
	uint32_t size;
	uint32_t kind;
	uint32_t flags;
	uint32_t pattern_bytes;
	/* Copied; names the node in errors and pictures. */
	const char *label;
	/* Copied; the place in your program that added it. */
	const char *file;
	uint32_t line;
	/* 0 or 1: `device`.  More: `devices`, different ones. */
	uint32_t device_count;
	plait_device *device;
	plait_device *const *devices;
	/* How long it takes, in any unit.  0 means nothing for a JOIN and a
	 * MARK, and 1 for others, if PLAIT_NODE_FREE does not say that it is
	 * meant. */
	uint64_t cost;
	/* LAUNCH: memory of its own while it runs; see
	 * PLAIT_ARGUMENT_SCRATCH. */
	uint64_t scratch_bytes;

	/* LAUNCH.  `launch_parameter` names a plait_launch that each run
	 * brings instead. */
	plait_kernel *kernel;
	const plait_launch *launch;
	const char *launch_parameter;
	const plait_argument *arguments;
	uint64_t argument_count;

	/* CALL, and a predicate of WHILE, DO, CASE: a host function, which
	 * needs an inbox or PLAIT_CALL_ANY_THREAD.  With an inbox a null one
	 * is an event to be pulled, and answered by plait_inbox_call_done.  A
	 * predicate's return value, or that answer, is the word. */
	plait_host_function function;
	void *user_data;
	plait_inbox *inbox;

	/* COPY: from source to target.  FILL: target, as plait_command. */
	plait_buffer *target;
	uint64_t target_offset;
	plait_buffer *source;
	uint64_t source_offset;
	uint64_t bytes;
	uint64_t pattern;

	/* EMIT (no gate: only the host raises those) and WAIT.  Each time that
	 * an EMIT is come to is an emission of its own, done when it has
	 * happened; a run that fails before emits nothing. */
	plait_signal *signal;
	/* WAIT: which emission, in every iteration the same; 0 is the newest
	 * one when a run starts.  One that nobody has submitted yet may come;
	 * if nobody but the plan has the signal, and it does not emit it, the
	 * node fails with PLAIT_E_DEADLOCK. */
	uint64_t sequence;

	/* SUBGRAPH. */
	plait_graph *subgraph;

	/* WHILE, DO, CASE: the word of `predicate` at this offset, a multiple
	 * of 4, when there is no function.  WHILE and DO go on while it is
	 * not 0. */
	plait_buffer *predicate;
	uint64_t predicate_offset;
	/* CASE: number of bodies, 1 to 65536. */
	uint64_t branch_count;
	/* WHILE, DO: how often it is expected to run, for planning; 0 means
	 * 1. */
	uint64_t times;

	/* COPY: null, or rows, as a command of a queue has them; read now.
	 * Of both sides all from the first byte to the last counts as used.
	 * On a device without PLAIT_DEVICE_ROWS the host moves the bytes. */
	const plait_rows *rows;
	/* COPY, FILL: null, or the name of a buffer that each run brings (see
	 * plait/run.h) in place of `target`, or of a COPY's `source`.  The
	 * offset counts from the binding's; what has no room behind it, or
	 * would overlap, is refused when the run is. */
	const char *target_parameter;
	const char *source_parameter;
} plait_node_desc;

/*
 * plait_graph_create - start an empty graph.
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
 * plait_graph_retain - one more reference.
 *
 * @param graph borrowed, nullable: the graph; null and stale are ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_graph_retain(plait_graph *graph);

/*
 * plait_graph_release - give one reference back.
 *
 * A graph keeps its bodies, and the kernels, buffers and signals that its
 * nodes name; plans keep them on their own.  All of them are let go with the
 * graph, but its context keeps the bare memory of one graph for the next one,
 * if that is between 256 KiB and 64 MiB.
 *
 * @param graph consumed, nullable: the graph; null is ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_graph_release(plait_graph *graph);

/*
 * plait_graph_add - add a node.
 *
 * @param graph borrowed, non-null: the graph
 * @param desc  borrowed, non-null: the node
 * @param after borrowed, nullable: nodes of this graph that are done before;
 *              null when `count` is 0
 * @param count value: how many
 * @param out   borrowed, nullable: the node's number
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (the text names the node and, with its
 *         place, what is wrong), PLAIT_E_UNSUPPORTED, PLAIT_E_NOMEM,
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_graph_add(plait_graph *graph,
				       const plait_node_desc *desc,
				       const plait_node *after, uint64_t count,
				       plait_node *out, plait_error *error);

/*
 * plait_graph_edge - `before` is done before `after` starts.
 *
 * The same edge twice is fine.  A cycle is found when the graph is frozen.
 *
 * @param graph  borrowed, non-null: the graph
 * @param before value: a node of this graph
 * @param after  value: another node of this graph
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (not a node of this graph, or the same
 *         one), PLAIT_E_NOMEM, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_graph_edge(plait_graph *graph, plait_node before,
					plait_node after, plait_error *error);

/*
 * plait_graph_body - the body of a loop, or of one branch.
 *
 * A body that nothing is added to is empty: the loop or branch only decides.
 *
 * @param graph  borrowed, non-null: the graph that has the node
 * @param node   value: a node of kind WHILE, DO or CASE
 * @param branch value: 0; CASE: the number of the branch
 * @param out    owned, non-null: the body, one reference; it keeps `graph`
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_NOMEM, PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_graph_body(plait_graph *graph, plait_node node,
					uint64_t branch, plait_graph **out,
					plait_error *error);

enum {
	/* The first buffer is for iteration 0 only. */
	PLAIT_ROTATION_PROLOGUE = 1 << 0
};

/*
 * plait_graph_rotate - buffers that take turns, one an iteration.
 *
 * Iteration i uses buffer i mod n; with PLAIT_ROTATION_PROLOGUE iteration 0
 * uses the first one and iteration i > 0 the others in turn, buffer
 * 1 + (i - 1) mod (n - 1).  An argument of kind PLAIT_ARGUMENT_ROTATION names
 * the rotation; its `ahead`, at most 15, says how many iterations to look
 * ahead, so that a body reads this one and writes the next.
 *
 * It can be used in the loop's body, in all bodies inside of that (there i is
 * still the iteration of this loop), and in nodes that come after the loop, in
 * the graph that has the loop or in bodies there.  After the loop it is the
 * buffer of iteration k when the loop ran k times: the one that the last body
 * wrote as its next.  A node elsewhere is refused when it is added; a graph
 * in which it does not come after the loop, by edges, cannot be frozen, nor
 * can a part of a graph that has it without the loop.
 *
 * Two nodes of one iteration conflict only if their turns are the same buffer
 * in some iteration; iterations never overlap.  A buffer may be in several
 * rotations and used by itself too: plait_plan_check knows them apart.
 *
 * @param graph   borrowed, non-null: the body of a WHILE or DO
 * @param buffers borrowed, non-null: buffers of one size and one device, none
 *                of them a view; one per turn
 * @param count   value: 2 to 8; 3 to 9 with a prologue
 * @param flags   value: 0 or PLAIT_ROTATION_PROLOGUE
 * @param out     borrowed, non-null: the rotation's number; knows its graph,
 *                never 0
 * @param error   borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_NOMEM, PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_graph_rotate(plait_graph *graph,
					  plait_buffer *const *buffers,
					  uint64_t count, uint32_t flags,
					  uint64_t *out, plait_error *error);

/*
 * plait_graph_size - how many nodes and edges were added, bodies apart.
 *
 * @param graph     borrowed, non-null: the graph
 * @param out_nodes borrowed, nullable: nodes
 * @param out_edges borrowed, nullable: edges
 * @param error     borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_graph_size(plait_graph *graph,
					uint64_t *out_nodes,
					uint64_t *out_edges,
					plait_error *error);

/*
 * plait_graph_read - a graph from its text form; see plait-graph(5).
 *
 * Devices that the text names stand for themselves: the graph can be planned,
 * checked, simulated and drawn, wherever it will run.
 *
 * @param context borrowed, non-null: the context
 * @param text    borrowed, non-null: the text, no NUL needed
 * @param bytes   value: its length
 * @param name    borrowed, nullable: its file's name, for errors
 * @param out     owned, non-null: the graph, one reference
 * @param error   borrowed, nullable: filled on failure: file, line, and what
 *                was expected
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_NOMEM, PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_graph_read(plait_context *context,
					const char *text, uint64_t bytes,
					const char *name, plait_graph **out,
					plait_error *error);

/* How lanes are chosen. */
enum {
	/* At most `lanes` per device; the shortest schedule that is found. */
	PLAIT_POLICY_BOUNDED = 0,
	/* As many lanes as the graph is wide, within the limits. */
	PLAIT_POLICY_WIDEST = 1
};

/* What promises the order of commands on the host. */
enum {
	/* The order of each lane; least overhead, for even work. */
	PLAIT_MODE_STRICT = 0,
	/* Edges alone; idle workers help other lanes, for uneven work. */
	PLAIT_MODE_HELPED = 1,
	/* The planner's choice by the spread of costs. */
	PLAIT_MODE_AUTO = 2
};

enum {
	/* Prove the plan before it is handed out (plait_plan_check). */
	PLAIT_FREEZE_CHECK = 1 << 0,
	/* Run it on queues of its devices, as plans of other backends, also
	 * where all of them are of the host: slower, and with the same
	 * result.  For comparison. */
	PLAIT_FREEZE_QUEUES = 1 << 1
};

typedef struct plait_freeze_desc {
	uint32_t size;
	uint32_t flags;
	uint32_t policy;
	uint32_t mode;
	/* Most lanes per device; 0 means what the device can run at once.  A
	 * device with a smaller limit of its own keeps that. */
	uint32_t lanes;
	/* Runs that may be in flight at once; 0 means 2. */
	uint32_t instances;
	/* What seeing another lane's progress costs, in units of cost. */
	uint64_t hop_cost;
	/* Only what lies on a path from one of these to one of those, which
	 * has to be something; a null list does not restrict. */
	const plait_node *sources;
	const plait_node *sinks;
	uint64_t source_count;
	uint64_t sink_count;
	/* Only with sources or sinks: keep the lanes of this plan of the whole
	 * graph, which may have been smaller then, and its limits; `lanes` is
	 * for devices that it does not have. */
	plait_plan *whole;
} plait_freeze_desc;

/*
 * plait_graph_freeze - plan the graph as it is now.
 *
 * The graph stays as it is and can be changed and frozen again; the plan does
 * not notice.
 *
 * @param graph borrowed, non-null: a graph that is not a body
 * @param desc  borrowed, nullable: null means all defaults
 * @param out   owned, non-null: the plan, one reference
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (a cycle, whose nodes are named; costs
 *         that add up to more than 2^63 - 1; ...), PLAIT_E_UNSUPPORTED,
 *         PLAIT_E_NOMEM, PLAIT_E_HANDLE, PLAIT_E_FORKED
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
