/* SPDX-License-Identifier: MIT */
/*
 * plait/plan.h - plans: scheduled graphs; to check, simulate, draw, save, load
 * and bind them.  plait/run.h runs them.
 *
 * The schedule of a plan is immutable data: lanes (each an in-order sequence of
 * commands on one device) and the waits between lanes.  Kernels can be
 * exchanged and names bound; neither changes the schedule.  Threads may share a
 * plan.
 *
 * Example:
 *
 *     plait_plan_info info = { .size = sizeof(info) };
 *     plait_simulation times = { .size = sizeof(times) };
 *
 *     plait_graph_freeze(graph, NULL, &plan, &error);
 *     plait_plan_check(plan, &error);
 *     plait_plan_query(plan, &info, &error);
 *     plait_plan_simulate(plan, NULL, &times, NULL, 0, &error);
 *     printf("%u lanes, makespan %u\n", (unsigned)info.lanes,
 *            (unsigned)times.makespan);
 *     plait_plan_save(plan, "graph.plan", &error);
 *     plait_plan_release(plan);
 */
#ifndef PLAIT_PLAN_H
#define PLAIT_PLAN_H

#include "plait/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Properties of a plan. */
typedef struct plait_plan_info {
	uint32_t size;
	plait_policy policy;
	plait_mode mode;
	uint32_t devices;
	/* Planned nodes, and the edges between them, each once. */
	uint64_t nodes;
	uint64_t edges;
	uint64_t lanes;
	/* Commands on lanes: nodes, and stubs of nodes that span lanes. */
	uint64_t commands;
	uint64_t waits;
	/* Signals that a backend needs for the waits. */
	uint64_t signals;
	uint64_t regions;
	/* Predicted duration of a run, in units of cost. */
	uint64_t makespan;
	/* Scratch and temporaries of one instance, all devices together. */
	uint64_t scratch_bytes;
	/* Memory of the plan, and the peak while planning. */
	uint64_t bytes;
	uint64_t peak_bytes;
	/* Names to bind, and those of them not bound yet; both 0 for a plan
	 * whose graph had all objects. */
	uint32_t bindings;
	uint32_t unbound;
} plait_plan_info;

/* Costs of a simulated system; all zero: the commands alone cost. */
typedef struct plait_system_desc {
	uint32_t size;
	uint32_t flags;
	/* Cost of observing the progress of another lane. */
	uint64_t hop_cost;
	/* Cost of submitting a command to a device other than the host. */
	uint64_t submit_cost;
	/* Additional cost of a copy of b bytes: copy_alpha + b * copy_beta /
	 * 1024. */
	uint64_t copy_alpha;
	uint64_t copy_beta;
} plait_system_desc;

/* Result of a simulation. */
typedef struct plait_simulation {
	uint32_t size;
	uint32_t reserved0;
	uint64_t makespan;
	/* Cost and number of the commands on the critical path. */
	uint64_t critical_cost;
	uint64_t critical_count;
	/* Busy time of all lanes together. */
	uint64_t busy;
	/* Peak of the scratch memory. */
	uint64_t memory_peak;
} plait_simulation;

/* Result of a simulation for one lane. */
typedef struct plait_lane_use {
	uint32_t size;
	/* Index of the lane's device within the plan. */
	uint32_t device;
	/* Borrowed: name of the device; valid while the plan lives. */
	const char *device_name;
	/* Number of its commands, in all bodies, and of their waits. */
	uint64_t commands;
	uint64_t waits;
	/* Start of the first command and end of the last one; a loop or case
	 * counts as a whole on each lane that it occupies. */
	uint64_t start;
	uint64_t end;
	/* Busy time, all iterations together. */
	uint64_t busy;
} plait_lane_use;

/* One command on the critical path of a simulation. */
typedef struct plait_critical_command {
	uint32_t size;
	/* Its lane. */
	uint32_t lane;
	/* Number of its node, and its index; see plait_plan_query_command. */
	uint64_t node;
	uint64_t command;
	/* Borrowed: the node's label, or the name of its kernel if it has no
	 * label, or empty; valid while the plan lives. */
	const char *label;
	/* Predicted start and end. */
	uint64_t start;
	uint64_t end;
} plait_critical_command;

/*
 * plait_plan_retain - add one reference.
 *
 * @param plan borrowed, nullable: the plan; null and stale are ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_plan_retain(plait_plan *plan);

/*
 * plait_plan_release - give one reference back.
 *
 * @param plan consumed, nullable: the plan; null is ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_plan_release(plait_plan *plan);

/*
 * plait_plan_query - get the properties of a plan.
 *
 * @param plan  borrowed, non-null: the plan
 * @param info  borrowed, non-null: set `size`; the rest is filled
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_query(plait_plan *plan,
					plait_plan_info *info,
					plait_error *error);

/*
 * plait_plan_check - verify a plan.
 *
 * The call proves that lanes and waits imply every edge, through regions and
 * across iterations; that lanes and waits have no cycle; that conflicting
 * accesses are ordered; that every command occurs once; and that scratch
 * memory does not alias.
 *
 * @param plan  borrowed, non-null: the plan
 * @param error borrowed, nullable: filled on failure: the property and the
 *              place
 * @return PLAIT_OK, PLAIT_E_INVALID (a property does not hold: a mistake of the
 *         graph if two accesses conflict, else of the planner or a file),
 *         PLAIT_E_NOMEM, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_check(plait_plan *plan, plait_error *error);

/*
 * plait_plan_simulate - predict a run from costs.
 *
 * Loops run the expected number of iterations; a case runs its expected
 * branch, or the longest one.
 *
 * @param plan       borrowed, non-null: the plan
 * @param system     borrowed, nullable: the system; null means all zero
 * @param out        borrowed, non-null: set `size`; the rest is filled
 * @param lanes      borrowed, nullable: receives one record per lane; `size`
 *                   of the first is set and is the array's stride
 * @param lane_count value: capacity of `lanes`; plait_plan_info.lanes or more
 *                   if `lanes` is not null
 * @param error      borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_UNSUPPORTED, PLAIT_E_NOMEM,
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_simulate(plait_plan *plan,
					   const plait_system_desc *system,
					   plait_simulation *out,
					   plait_lane_use *lanes,
					   uint64_t lane_count,
					   plait_error *error);

/*
 * plait_plan_critical_path - get the commands on the predicted critical path.
 *
 * The commands are in order of time; a region stands for its contents.
 *
 * @param plan     borrowed, non-null: the plan
 * @param system   borrowed, nullable: the system; null means all zero
 * @param commands borrowed, nullable: receives one record per command; `size`
 *                 of the first is set and is the array's stride; null when
 *                 `count` is 0
 * @param count    value: capacity of `commands`: critical_count of
 *                 plait_simulation for this plan and system, or more
 * @param error    borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_UNSUPPORTED, PLAIT_E_NOMEM,
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_critical_path(plait_plan *plan,
						const plait_system_desc *system,
						plait_critical_command *commands,
						uint64_t count,
						plait_error *error);

/* Format of plait_plan_write. */
typedef int32_t plait_plan_format;
enum {
	/* The binary form; see plait_plan_read. */
	PLAIT_FORMAT_BINARY = 0,
	/* A JSON object: lanes, regions, waits, ... */
	PLAIT_FORMAT_JSON = 1,
	/* Graphviz: nodes, coloured by lane, edges and waits. */
	PLAIT_FORMAT_DOT = 2,
	/* A Gantt chart: lanes as rows, commands as boxes, waits as arrows. */
	PLAIT_FORMAT_SVG = 3
};

/*
 * plait_plan_write - write a plan as bytes or text.
 *
 * @param plan           borrowed, non-null: the plan
 * @param format         value: the format
 * @param buffer         borrowed, nullable: receives the bytes, without a NUL
 * @param capacity_bytes value: the size of `buffer`
 * @param out_bytes      borrowed, nullable: required size
 * @param error          borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (a non-null buffer is too small; its
 *         contents are then undefined), PLAIT_E_NOMEM, PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_write(plait_plan *plan,
					plait_plan_format format,
					void *buffer, uint64_t capacity_bytes,
					uint64_t *out_bytes,
					plait_error *error);

/*
 * plait_plan_read - create a plan from its binary form.
 *
 * Damaged and malicious input is an error.  The names of the plan must be bound
 * before it can run; see below.  A run accesses only what was bound, but the
 * plan decides how much it does: its loops may not end, it may wait for an
 * emission that never comes (give plait_run_wait a timeout, then
 * plait_run_cancel), and its scratch, which plait_plan_prepare allocates, may
 * be larger than memory (PLAIT_E_NOMEM).
 *
 * @param context borrowed, non-null: the context
 * @param bytes   borrowed, non-null: the binary form
 * @param count   value: its length in bytes
 * @param out     owned, non-null: the plan, one reference
 * @param error   borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (not a plan, damaged, or refused by
 *         plait_plan_check), PLAIT_E_UNSUPPORTED (a newer version),
 *         PLAIT_E_NOMEM, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_read(plait_context *context,
				       const void *bytes, uint64_t count,
				       plait_plan **out, plait_error *error);

/*
 * plait_plan_save - write the binary form to a file, atomically.
 *
 * @param plan  borrowed, non-null: the plan
 * @param path  borrowed, non-null: the file; replaced if it exists
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_UNAVAILABLE (origin is the errno), PLAIT_E_NOMEM,
 *         PLAIT_E_INVALID, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_save(plait_plan *plan, const char *path,
				       plait_error *error);

/*
 * plait_plan_load - read a plan from a file; see plait_plan_read.
 *
 * @param context borrowed, non-null: the context
 * @param path    borrowed, non-null: the file
 * @param out     owned, non-null: the plan, one reference
 * @param error   borrowed, nullable: filled on failure
 * @return as plait_plan_read; PLAIT_E_UNAVAILABLE (origin is the errno)
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_load(plait_context *context,
				       const char *path, plait_plan **out,
				       plait_error *error);

/*
 * Binding.
 *
 * A plan from plait_plan_read or of a graph in text form refers to kernels,
 * buffers, signals, host functions and devices by name.  All names must be
 * bound before the plan runs; checking, simulating, drawing and saving need no
 * binding.  Device names of the context are bound from the start.
 *
 * A name may be bound again until the plan's first run begins; a failed call
 * changes nothing.  The plan holds the bound objects.
 *
 * A name is the label of the object, or of a host function's node.  A second
 * object of a kind with the same label is "label#2"; objects without a label
 * are "#1", "#2", ...; plait_plan_query_binding lists the names.
 */

/* Kind of a name. */
typedef uint32_t plait_binding_kind;
enum {
	PLAIT_BINDING_KERNEL = 0,
	PLAIT_BINDING_BUFFER = 1,
	PLAIT_BINDING_SIGNAL = 2,
	PLAIT_BINDING_FUNCTION = 3,
	PLAIT_BINDING_DEVICE = 4
};

/* Flags of a name. */
typedef uint32_t plait_binding_flags;
enum {
	/* A function that runs on any thread, without an inbox. */
	PLAIT_BINDING_IS_ANY_THREAD = 1 << 0,
	/* A signal that the plan emits; it cannot be a gate. */
	PLAIT_BINDING_IS_EMITTED = 1 << 1,
	/* A function that decides a loop or a case: its result is the word. */
	PLAIT_BINDING_IS_PREDICATE = 1 << 2,
	/* A function that is a coroutine: PLAIT_CALL_COROUTINE. */
	PLAIT_BINDING_IS_COROUTINE = 1 << 3,
	/* One that continues where it began: PLAIT_CALL_FIRST_WORKER. */
	PLAIT_BINDING_IS_FIRST_WORKER = 1 << 4
};

/* One name of a plan. */
typedef struct plait_plan_binding {
	uint32_t size;
	plait_binding_kind kind;
	plait_binding_flags flags;
	/* 1 if the name is bound, else 0. */
	uint32_t bound;
	/* BUFFER: minimum size. */
	uint64_t bytes;
	/* Borrowed: valid while the plan lives. */
	const char *name;
	/* Borrowed: the signature of a kernel, the device of a buffer or
	 * signal. */
	const char *detail;
} plait_plan_binding;

/* A host function for a CALL node or a predicate. */
typedef struct plait_function_desc {
	uint32_t size;
	/* As the node's: 0, PLAIT_CALL_ANY_THREAD, or this and
	 * PLAIT_CALL_COROUTINE, with or without PLAIT_CALL_FIRST_WORKER. */
	plait_call_flags flags;
	plait_host_function function;
	void *user_data;
	/* Without PLAIT_CALL_ANY_THREAD: its owner runs the function. */
	plait_inbox *inbox;
} plait_function_desc;

/*
 * plait_plan_query_binding - get a name of a plan.
 *
 * @param plan  borrowed, non-null: the plan
 * @param index value: below plait_plan_info.bindings
 * @param out   borrowed, non-null: set `size`; the rest is filled
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (no such index), PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_query_binding(plait_plan *plan,
						uint64_t index,
						plait_plan_binding *out,
						plait_error *error);

/*
 * plait_plan_bind_kernel - bind a kernel; its own name is the name.
 *
 * @param plan   borrowed, non-null: a plan with names
 * @param kernel borrowed, non-null: a kernel whose signature equals that of the
 *               plan for this name
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (no such name, another signature),
 *         PLAIT_E_STATE (the plan has no names, or has run),
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_bind_kernel(plait_plan *plan,
					      plait_kernel *kernel,
					      plait_error *error);

/*
 * plait_plan_bind_buffer - bind a buffer to a name.
 *
 * Buffers of different names must not share memory: the plan was verified
 * under this assumption.
 *
 * @param plan   borrowed, non-null: a plan with names
 * @param name   borrowed, non-null: the name
 * @param buffer borrowed, non-null: a buffer at least as large
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (no such name; too small; of another
 *         backend than its device; shares memory with another buffer of the
 *         plan), PLAIT_E_STATE, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_bind_buffer(plait_plan *plan,
					      const char *name,
					      plait_buffer *buffer,
					      plait_error *error);

/*
 * plait_plan_bind_signal - bind a signal to a name.
 *
 * @param plan   borrowed, non-null: a plan with names
 * @param name   borrowed, non-null: the name
 * @param signal borrowed, non-null: a signal; no gate if the plan emits it
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (no such name; a gate; of another backend
 *         than its device), PLAIT_E_STATE, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_bind_signal(plait_plan *plan,
					      const char *name,
					      plait_signal *signal,
					      plait_error *error);

/*
 * plait_plan_bind_function - bind a host function to a name.
 *
 * @param plan  borrowed, non-null: a plan with names
 * @param name  borrowed, non-null: the name
 * @param desc  borrowed, non-null: the function; on any thread or by an inbox,
 *              as in the graph
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (no such name; any thread instead of an
 *         inbox, or the reverse), PLAIT_E_UNSUPPORTED, PLAIT_E_STATE,
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_bind_function(plait_plan *plan,
						const char *name,
						const plait_function_desc *desc,
						plait_error *error);

/*
 * plait_plan_bind_device - bind a device to a name.
 *
 * Two names may be bound to one device: their lanes are then queues of it.
 *
 * @param plan   borrowed, non-null: a plan with names
 * @param name   borrowed, non-null: the name
 * @param device borrowed, non-null: a device of the plan's context
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (no such name; bound buffers or signals of
 *         this device belong to another backend), PLAIT_E_STATE,
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_bind_device(plait_plan *plan,
					      const char *name,
					      plait_device *device,
					      plait_error *error);

#ifdef __cplusplus
}
#endif

#endif
