/* SPDX-License-Identifier: MIT */
/*
 * plait/node.h - nodes of a graph: kernels, copies, fills, host functions,
 * signals, loops and branches.
 *
 * plait_graph_add takes a descriptor with every option of a node.  The short
 * forms (plait_graph_launch, plait_graph_copy, ...) take the usual options as
 * parameters, in the order of the short forms of queues, then `after` and
 * `out`.  A node of a short form has no label, runs on the inferred device and
 * has the default cost.
 *
 * Example:
 *
 *     plait_node filled, doubled, both;
 *     uint32_t n = 1000;
 *
 *     plait_graph_fill(graph, a, 0, 4 * n, 7, 4, 0, &filled, &error);
 *     plait_graph_launch(graph, kernel, PLAIT_ITEMS(n),
 *                        PLAIT_ARGUMENTS(PLAIT_BUFFER(b), PLAIT_VALUE(n)),
 *                        0, &doubled, &error);
 *     plait_graph_join(graph, (plait_node[]){ filled, doubled }, 2, &both,
 *                      &error);
 *     plait_graph_copy(graph, a, 0, b, 0, 4 * n, both, NULL, &error);
 *
 * Order.  Edges alone order nodes: `after` names the predecessor of a new
 * node, 0 means none, plait_graph_join makes one predecessor of several, and
 * plait_graph_add_edge adds edges later.  Two nodes that access the same
 * memory, at least one of them writing, need a path between them; a freeze
 * with PLAIT_FREEZE_CHECK, or with PLAIT_CHECK=1 in the environment, refuses a
 * graph without that path, and a freeze with PLAIT_FREEZE_PROGRAM_ORDER infers
 * the edges.  A copy or fill of 0 bytes accesses nothing.
 *
 * Placement.  A node runs on the device that its descriptor names; else on the
 * device of the first buffer among its arguments (of a rotation: its first
 * buffer); else on the device of its first predecessor; else on the first
 * device of the graph, which is the context's first if no node has used a
 * device yet.  A call or a signal that cannot run there goes to the
 * first device that supports it.  The caller chooses devices; the planner
 * chooses lanes.
 *
 * Support.  The buffers and signals of a node must belong to its device's
 * backend, and its kernel must have code for that backend; otherwise adding
 * the node fails with PLAIT_E_UNSUPPORTED.  With several devices the check is
 * made for the first one, of a group for each.  Copies, fills and predicates
 * may use memory of another backend if it can be mapped and the node's device
 * can call the host; the host then moves the bytes.
 */
#ifndef PLAIT_NODE_H
#define PLAIT_NODE_H

#include "plait/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct plait_graph plait_graph;

/* The number of a node: never 0, below 2^53.  The number identifies the graph
 * or body too, so another graph refuses it. */
typedef uint64_t plait_node;

/* ------------------------------------------------------------------------
 * Descriptors
 */

/* Kind of a node. */
typedef uint32_t plait_node_kind;
enum {
	/* No work: a common successor of several nodes. */
	PLAIT_NODE_JOIN = 0,
	/* A kernel launch. */
	PLAIT_NODE_LAUNCH = 1,
	/* A host function; `flags` or `inbox` select its thread. */
	PLAIT_NODE_CALL = 2,
	PLAIT_NODE_COPY = 3,
	PLAIT_NODE_FILL = 4,
	/* The next emission of a signal. */
	PLAIT_NODE_EMIT = 5,
	/* A wait for an emission of a signal or gate. */
	PLAIT_NODE_WAIT = 6,
	/* A mark in the timeline. */
	PLAIT_NODE_MARK = 7,
	/* A copy of all nodes of a graph or body in its present state, bodies
	 * included; a graph may be copied into itself.  Two joins without cost
	 * enclose the copy: one before all its nodes, one after them, which is
	 * the new node.  A rotation or iteration number of a loop around the
	 * copied part can be used only if the copy is inside the same loop. */
	PLAIT_NODE_SUBGRAPH = 8,
	/* A loop that tests before its body. */
	PLAIT_NODE_WHILE = 9,
	/* A loop that tests after its body. */
	PLAIT_NODE_DO = 10,
	/* A branch: runs the body whose number is the predicate; no body for
	 * any larger number. */
	PLAIT_NODE_CASE = 11,
	/* A loop with a count that is known when it is entered: nothing is
	 * decided between its iterations. */
	PLAIT_NODE_REPEAT = 12,
	/* A copy from a buffer to memory of the program, whose address each
	 * run provides. */
	PLAIT_NODE_READ = 13,
	/* A copy from memory of the program, whose address each run provides,
	 * to a buffer. */
	PLAIT_NODE_WRITE = 14,
	/* A rank's part of a collective; plait_graph_collective of
	 * plait/world.h adds it. */
	PLAIT_NODE_COLLECTIVE = 15
};

/* Flags of a node, combined with PLAIT_CALL_ANY_THREAD. */
typedef uint32_t plait_node_flags;
enum {
	/* Several devices: the node runs on the first one.  Default. */
	PLAIT_NODE_ON_FIRST = 0,
	/* Several devices: a barrier; all devices wait for the node, and the
	 * node waits for all. */
	PLAIT_NODE_ON_ALL_BARRIER = 1 << 4,
	/* Several devices: one member on each.  The members have the same
	 * predecessors, and a successor of the node waits for all members.
	 * With one device the three flags mean the same, so a program for any
	 * number of devices needs no special case. */
	PLAIT_NODE_ON_ALL_GROUP = 1 << 5,
	/* The cost of the node is really 0; JOIN and MARK need no flag.  Not
	 * for a SUBGRAPH. */
	PLAIT_NODE_FREE = 1 << 6
};

/*
 * A node.  Fields that its kind does not have stay zero; a set one is refused
 * by name.  Every kind has `label`, `file` and `line`; every kind but SUBGRAPH
 * has `cost` and devices (WHILE, DO, CASE and REPEAT: one device).
 */
typedef struct plait_node_desc {
	uint32_t size;
	plait_node_kind kind;
	plait_node_flags flags;
	uint32_t pattern_bytes;
	/* Copied; names the node in errors and pictures. */
	const char *label;
	/* Copied; the source file and line that added the node. */
	const char *file;
	uint32_t line;
	/* 0 or 1: `device`.  More: `devices`, all different. */
	uint32_t device_count;
	plait_device *device;
	plait_device *const *devices;
	/* Expected duration in any unit.  0 means 0 for JOIN, MARK and nodes
	 * with PLAIT_NODE_FREE, and 1 for other nodes. */
	uint64_t cost;
	/* LAUNCH: bytes of private memory; see PLAIT_ARGUMENT_SCRATCH. */
	uint64_t scratch_bytes;

	/* LAUNCH.  `launch_parameter` names a plait_launch that each run
	 * provides in place of `launch`. */
	plait_kernel *kernel;
	const plait_launch *launch;
	const char *launch_parameter;
	const plait_argument *arguments;
	uint64_t argument_count;

	/* CALL, and the predicate of WHILE, DO and CASE: a host function, with
	 * an inbox or PLAIT_CALL_ANY_THREAD.  A null function with an inbox
	 * is an event that the inbox's owner answers with
	 * plait_inbox_answer.  The returned or answered value is the
	 * predicate's word; below 0 the run fails with PLAIT_E_FAILED and the
	 * value as its origin. */
	plait_host_function function;
	void *user_data;
	plait_inbox *inbox;

	/* COPY: from source to target.  FILL, WRITE: target.  READ: source;
	 * see plait_command. */
	plait_buffer *target;
	uint64_t target_offset;
	plait_buffer *source;
	uint64_t source_offset;
	uint64_t bytes;
	uint64_t pattern;

	/* EMIT (no gate: the host alone raises gates) and WAIT.  Each
	 * execution of an EMIT is one emission, complete when it has happened,
	 * behind those with earlier numbers; a run that fails before the EMIT
	 * emits nothing.  If the queue of the run makes what an EMIT or a WAIT
	 * needs behind the run, the node fails with PLAIT_E_DEADLOCK. */
	plait_signal *signal;
	/* WAIT: the emission, equal in every iteration; 0 is the newest one
	 * when a run starts.  An emission that is not submitted yet may be
	 * submitted later; when the signal's handle, the graphs that hold
	 * it and the plans that emit it are all gone, the node fails with
	 * PLAIT_E_DEADLOCK. */
	uint64_t sequence;

	/* SUBGRAPH. */
	plait_graph *subgraph;

	/* WHILE, DO, CASE without a function: a 32-bit word at this offset, a
	 * multiple of 4.  WHILE and DO go on while the word is not 0. */
	plait_buffer *predicate;
	uint64_t predicate_offset;
	/* CASE: number of bodies, 1 to 65536. */
	uint64_t branch_count;
	/* WHILE, DO: expected number of iterations, for planning; 0 means
	 * 1.  REPEAT: the count, which may be 0; with `count_parameter` or
	 * `predicate` the expected count, for planning.  CASE: 1 + the number
	 * of the expected body, for planning; 0: none is. */
	uint64_t times;

	/* COPY, READ, WRITE: null, or rows, as in plait_command; copied.  Each
	 * side counts as accessed from its first to its last byte.  On a
	 * device without PLAIT_DEVICE_ROWS the host moves the bytes. */
	const plait_rows *rows;
	/* COPY, FILL, READ, WRITE: null, or the name of a buffer that each run
	 * provides (plait/run.h) in place of `target` or `source`.  The
	 * offset is added to the binding's; a run is refused if the range
	 * does not fit the buffer or overlaps. */
	const char *target_parameter;
	const char *source_parameter;
	/* REPEAT: null, or the name of the count, which each run provides: a
	 * u64, or the integer type that an argument of this name has.  Not
	 * both this and `predicate`, whose word is the count, read once when
	 * the loop is entered. */
	const char *count_parameter;
	/* REPEAT: the part of the count that an iteration takes; 0 means 1.
	 * The iterations are the count divided by it, rounded up; see
	 * plait_series for the length of the last one. */
	uint64_t count_step;
	/* LAUNCH in a loop, without launch_parameter: null, or copied: in
	 * dimension d the items follow series[d] of `series_count`, 1 to 3.
	 * A series of zeros leaves the items of `launch`.  Less than one item
	 * in a dimension: the launch does nothing in that iteration. */
	const plait_series *series;
	uint64_t series_count;
	/* READ, WRITE: the name of the program's memory, which each run
	 * provides (PLAIT_PARAMETER_HOST), and an offset in it.  Nodes and runs
	 * that use the same name conflict as with a buffer.  A device with
	 * memory of its own copies through pinned memory of its backend. */
	const char *host_parameter;
	uint64_t host_offset;
	/* CALL, and predicates that are functions: null, or the name of the
	 * program's memory, which each run provides (PLAIT_PARAMETER_HOST):
	 * the function gets its address in place of `user_data`.  Functions
	 * declare no accesses, so edges alone order them with other nodes that
	 * use this memory, and runs that share it may overlap. */
	const char *user_data_parameter;
	/* COPY, FILL, READ, WRITE: 0, or the rotation whose buffer takes the
	 * place of `target` or `source` (plait_graph_add_rotation), and the
	 * iterations to look ahead, 0 to 15.  The offset is one in that
	 * buffer. */
	uint64_t target_rotation;
	uint64_t target_ahead;
	uint64_t source_rotation;
	uint64_t source_ahead;
} plait_node_desc;

/*
 * plait_graph_add - add a node.
 *
 * @param graph borrowed, non-null: the graph
 * @param desc  borrowed, non-null: the node
 * @param after borrowed, nullable: predecessors, nodes of this graph; null
 *              when `count` is 0
 * @param count value: number of predecessors
 * @param out   borrowed, nullable: the node's number
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (the text names the node, its source line
 *         and the mistake), PLAIT_E_UNSUPPORTED, PLAIT_E_NOMEM,
 *         PLAIT_E_HANDLE, PLAIT_E_STATE (another thread is in the graph),
 *         PLAIT_E_FORKED
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_graph_add(plait_graph *graph,
				       const plait_node_desc *desc,
				       const plait_node *after, uint64_t count,
				       plait_node *out, plait_error *error);

/* ------------------------------------------------------------------------
 * Short forms
 */

/*
 * plait_graph_join - add a join of several nodes: one predecessor for others.
 *
 * @param graph borrowed, non-null: the graph
 * @param after borrowed, nullable: predecessors; null when `count` is 0
 * @param count value: number of predecessors
 * @param out   borrowed, nullable: the node's number
 * @param error borrowed, nullable: filled on failure
 * @return as plait_graph_add
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_graph_join(plait_graph *graph,
					const plait_node *after,
					uint64_t count, plait_node *out,
					plait_error *error);

/*
 * plait_graph_launch - add a kernel launch.
 *
 * PLAIT_ITEMS and PLAIT_ARGUMENTS of plait/kernel.h write `launch`, and
 * `arguments` with `count`, in place.
 *
 * @param graph     borrowed, non-null: the graph
 * @param kernel    borrowed, non-null: the kernel
 * @param launch    borrowed, nullable: the geometry; null means one item
 * @param arguments borrowed, nullable: one per parameter of the signature;
 *                  null when `count` is 0
 * @param count     value: number of arguments
 * @param after     value: the predecessor, 0 for none
 * @param out       borrowed, nullable: the node's number
 * @param error     borrowed, nullable: filled on failure
 * @return as plait_graph_add
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_graph_launch(plait_graph *graph,
					  plait_kernel *kernel,
					  const plait_launch *launch,
					  const plait_argument *arguments,
					  uint64_t count, plait_node after,
					  plait_node *out, plait_error *error);

/*
 * plait_graph_call - add a host function that may run on any thread.
 *
 * @param graph     borrowed, non-null: the graph
 * @param function  borrowed, non-null: the function
 * @param user_data borrowed, nullable: its argument
 * @param after     value: the predecessor, 0 for none
 * @param out       borrowed, nullable: the node's number
 * @param error     borrowed, nullable: filled on failure
 * @return as plait_graph_add
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_graph_call(plait_graph *graph,
					plait_host_function function,
					void *user_data, plait_node after,
					plait_node *out, plait_error *error);

/*
 * plait_graph_copy - add a copy from buffer to buffer.
 *
 * @param graph         borrowed, non-null: the graph
 * @param target        borrowed, non-null: destination
 * @param target_offset value: byte offset in `target`
 * @param source        borrowed, non-null: source
 * @param source_offset value: byte offset in `source`
 * @param bytes         value: number of bytes; may be 0
 * @param after         value: the predecessor, 0 for none
 * @param out           borrowed, nullable: the node's number
 * @param error         borrowed, nullable: filled on failure
 * @return as plait_graph_add
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_graph_copy(plait_graph *graph,
					plait_buffer *target,
					uint64_t target_offset,
					plait_buffer *source,
					uint64_t source_offset, uint64_t bytes,
					plait_node after, plait_node *out,
					plait_error *error);

/*
 * plait_graph_copy_rows - add a copy of rows from buffer to buffer.
 *
 * @param graph         borrowed, non-null: the graph
 * @param target        borrowed, non-null: destination
 * @param target_offset value: byte offset of the first row in `target`
 * @param source        borrowed, non-null: source
 * @param source_offset value: byte offset of the first row in `source`
 * @param bytes         value: bytes of one row; may be 0
 * @param rows          borrowed, non-null: number of rows and their distances
 * @param after         value: the predecessor, 0 for none
 * @param out           borrowed, nullable: the node's number
 * @param error         borrowed, nullable: filled on failure
 * @return as plait_graph_add
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_graph_copy_rows(plait_graph *graph,
					     plait_buffer *target,
					     uint64_t target_offset,
					     plait_buffer *source,
					     uint64_t source_offset,
					     uint64_t bytes,
					     const plait_rows *rows,
					     plait_node after, plait_node *out,
					     plait_error *error);

/*
 * plait_graph_fill - add a fill with a pattern of 1, 2, 4 or 8 bytes.
 *
 * @param graph         borrowed, non-null: the graph
 * @param target        borrowed, non-null: destination
 * @param target_offset value: byte offset in `target`
 * @param bytes         value: number of bytes; a last partial pattern is cut
 * @param pattern       value: its low bytes are the pattern
 * @param pattern_bytes value: 1, 2, 4 or 8
 * @param after         value: the predecessor, 0 for none
 * @param out           borrowed, nullable: the node's number
 * @param error         borrowed, nullable: filled on failure
 * @return as plait_graph_add
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_graph_fill(plait_graph *graph,
					plait_buffer *target,
					uint64_t target_offset, uint64_t bytes,
					uint64_t pattern,
					uint32_t pattern_bytes,
					plait_node after, plait_node *out,
					plait_error *error);

/*
 * plait_graph_emit - add an emission of a signal.
 *
 * @param graph  borrowed, non-null: the graph
 * @param signal borrowed, non-null: a signal that is no gate
 * @param after  value: the predecessor, 0 for none
 * @param out    borrowed, nullable: the node's number
 * @param error  borrowed, nullable: filled on failure
 * @return as plait_graph_add
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_graph_emit(plait_graph *graph,
					plait_signal *signal, plait_node after,
					plait_node *out, plait_error *error);

/*
 * plait_graph_wait - add a wait for an emission of a signal or gate.
 *
 * @param graph    borrowed, non-null: the graph
 * @param signal   borrowed, non-null: the signal
 * @param sequence value: the emission; 0 is the newest one when a run starts
 * @param after    value: the predecessor, 0 for none
 * @param out      borrowed, nullable: the node's number
 * @param error    borrowed, nullable: filled on failure
 * @return as plait_graph_add
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_graph_wait(plait_graph *graph,
					plait_signal *signal,
					uint64_t sequence, plait_node after,
					plait_node *out, plait_error *error);

/*
 * plait_graph_mark - add a mark in the timeline.
 *
 * @param graph borrowed, non-null: the graph
 * @param label borrowed, nullable: text of the mark; copied
 * @param after value: the predecessor, 0 for none
 * @param out   borrowed, nullable: the node's number
 * @param error borrowed, nullable: filled on failure
 * @return as plait_graph_add
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_graph_mark(plait_graph *graph, const char *label,
					plait_node after, plait_node *out,
					plait_error *error);

/*
 * plait_graph_subgraph - add a copy of all nodes of a graph.
 *
 * @param graph    borrowed, non-null: the graph that receives the copy
 * @param subgraph borrowed, non-null: the graph or body to copy
 * @param after    value: the predecessor, 0 for none
 * @param out      borrowed, nullable: the node's number
 * @param error    borrowed, nullable: filled on failure
 * @return as plait_graph_add
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_graph_subgraph(plait_graph *graph,
					    plait_graph *subgraph,
					    plait_node after, plait_node *out,
					    plait_error *error);

/*
 * plait_graph_while - add a loop that tests a word before its body.
 *
 * @param graph    borrowed, non-null: the graph
 * @param word     borrowed, non-null: buffer of the 32-bit word; the loop goes
 *                 on while it is not 0
 * @param offset   value: byte offset of the word, a multiple of 4
 * @param times    value: expected iterations, for planning; 0 means 1
 * @param after    value: the predecessor, 0 for none
 * @param out_body owned, non-null: the body, one reference
 * @param out      borrowed, nullable: the node's number
 * @param error    borrowed, nullable: filled on failure
 * @return as plait_graph_add
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_graph_while(plait_graph *graph,
					 plait_buffer *word, uint64_t offset,
					 uint64_t times, plait_node after,
					 plait_graph **out_body,
					 plait_node *out, plait_error *error);

/*
 * plait_graph_do - add a loop that tests a word after its body.
 *
 * @param graph    borrowed, non-null: the graph
 * @param word     borrowed, non-null: buffer of the 32-bit word; the loop goes
 *                 on while it is not 0
 * @param offset   value: byte offset of the word, a multiple of 4
 * @param times    value: expected iterations, for planning; 0 means 1
 * @param after    value: the predecessor, 0 for none
 * @param out_body owned, non-null: the body, one reference
 * @param out      borrowed, nullable: the node's number
 * @param error    borrowed, nullable: filled on failure
 * @return as plait_graph_add
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_graph_do(plait_graph *graph, plait_buffer *word,
				      uint64_t offset, uint64_t times,
				      plait_node after, plait_graph **out_body,
				      plait_node *out, plait_error *error);

/*
 * plait_graph_case - add a branch: a word selects the body that runs.
 *
 * @param graph      borrowed, non-null: the graph
 * @param word       borrowed, non-null: buffer of the 32-bit word
 * @param offset     value: byte offset of the word, a multiple of 4
 * @param count      value: number of bodies, 1 to 65536
 * @param after      value: the predecessor, 0 for none
 * @param out_bodies owned, non-null: an array that receives `count` bodies,
 *                   one reference each
 * @param out        borrowed, nullable: the node's number
 * @param error      borrowed, nullable: filled on failure
 * @return as plait_graph_add
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_graph_case(plait_graph *graph, plait_buffer *word,
					uint64_t offset, uint64_t count,
					plait_node after,
					plait_graph **out_bodies,
					plait_node *out, plait_error *error);

/*
 * plait_graph_repeat - add a loop with a count.
 *
 * @param graph    borrowed, non-null: the graph
 * @param times    value: the number of iterations; may be 0
 * @param after    value: the predecessor, 0 for none
 * @param out_body owned, non-null: the body, one reference
 * @param out      borrowed, nullable: the node's number
 * @param error    borrowed, nullable: filled on failure
 * @return as plait_graph_add
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_graph_repeat(plait_graph *graph, uint64_t times,
					  plait_node after,
					  plait_graph **out_body,
					  plait_node *out, plait_error *error);

#ifdef __cplusplus
}
#endif

#endif
