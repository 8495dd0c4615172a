/* SPDX-License-Identifier: MIT */
/*
 * plait/plan.h - plans: a graph, scheduled.
 *
 * A plan is immutable data: lanes (one in-order queue of a device each), the
 * commands of each lane in order, and what waits for what.  It can be checked,
 * simulated, drawn, saved and loaded without being run, and shared between
 * threads.
 */
#ifndef PLAIT_PLAN_H
#define PLAIT_PLAN_H

#include "plait/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a plan is made of. */
typedef struct plait_plan_info {
	uint32_t size;
	/* PLAIT_POLICY_... and PLAIT_MODE_... */
	uint32_t policy;
	uint32_t mode;
	uint32_t devices;
	/* That take part, and the edges between them, each once. */
	uint64_t nodes;
	uint64_t edges;
	uint64_t lanes;
	/* Commands on lanes: nodes, and stubs of what spans several. */
	uint64_t commands;
	uint64_t waits;
	/* Signal slots that a backend needs for the waits. */
	uint64_t signals;
	uint64_t regions;
	/* Predicted, in units of cost. */
	uint64_t makespan;
	/* Scratch memory of one instance, all devices together. */
	uint64_t scratch_bytes;
	/* The plan itself; and the most that planning it needed. */
	uint64_t bytes;
	uint64_t peak_bytes;
	/* Names that stand for something outside of the plan, and how many of
	 * them do not yet: 0 and 0 of a plan whose graph had it all. */
	uint32_t bindings;
	uint32_t unbound;
} plait_plan_info;

/* A system to simulate; all zero: nothing costs but the commands. */
typedef struct plait_system_desc {
	uint32_t size;
	uint32_t flags;
	/* What seeing another lane's progress costs. */
	uint64_t hop_cost;
	/* What submitting a command to a device that is not the host costs. */
	uint64_t submit_cost;
	/* A copy of b bytes costs copy_alpha + b * copy_beta / 1024 more. */
	uint64_t copy_alpha;
	uint64_t copy_beta;
} plait_system_desc;

/* What a simulation predicts. */
typedef struct plait_simulation {
	uint32_t size;
	uint32_t reserved0;
	uint64_t makespan;
	/* What the commands on the critical path cost, and their number. */
	uint64_t critical_cost;
	uint64_t critical_count;
	/* Time that all lanes together are busy. */
	uint64_t busy;
	/* The most scratch memory in use at once. */
	uint64_t memory_peak;
} plait_simulation;

/* What a simulation predicts of one lane. */
typedef struct plait_lane_use {
	uint32_t size;
	/* Which of the plan's devices it is a queue of. */
	uint32_t device;
	/* Borrowed: that device's name; valid as long as the plan is. */
	const char *device_name;
	/* Its commands, in all bodies, and what they wait for. */
	uint64_t commands;
	uint64_t waits;
	/* When its first command starts, and when its last one is done; a
	 * loop or case counts as a whole on each lane that it keeps. */
	uint64_t start;
	uint64_t end;
	/* How long it works, all iterations together. */
	uint64_t busy;
} plait_lane_use;

/* What a simulation predicts of one command on the critical path. */
typedef struct plait_critical_command {
	uint32_t size;
	/* The lane that it is on. */
	uint32_t lane;
	/* The number of its node, and which command it is; see
	 * plait_plan_command. */
	uint64_t node;
	uint64_t command;
	/* Borrowed: the node's label, or empty; valid as long as the plan is. */
	const char *label;
	/* When it starts, and when it is done. */
	uint64_t start;
	uint64_t end;
} plait_critical_command;

/*
 * plait_plan_retain - one more reference.
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
 * plait_plan_query - what a plan is made of.
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
 * plait_plan_check - prove that a plan is right.
 *
 * Every edge is implied, through regions and across iterations; lanes and
 * waits have no cycle; accesses that conflict are ordered; every command is
 * there once; scratch memory does not alias.
 *
 * @param plan  borrowed, non-null: the plan
 * @param error borrowed, nullable: filled on failure: which promise, where
 * @return PLAIT_OK, PLAIT_E_INVALID (a promise is broken: by the graph, if two
 *         accesses conflict; otherwise by the planner or a file),
 *         PLAIT_E_NOMEM, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_check(plait_plan *plan, plait_error *error);

/*
 * plait_plan_simulate - predict a run from costs.
 *
 * Loops run as often as was expected of them, and of a case the expected
 * branch runs, or the longest one.
 *
 * @param plan       borrowed, non-null: the plan
 * @param system     borrowed, nullable: the system; null means all zero
 * @param out        borrowed, non-null: set `size`; the rest is filled
 * @param lanes      borrowed, nullable: receives one record per lane; set
 *                   `size` of the first, which is the distance between them
 * @param lane_count value: room for how many; plait_plan_info.lanes or more
 *                   where `lanes` is not null
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
 * plait_plan_critical - which commands make a predicted run as long as it is.
 *
 * From the first to the last; a region stands for what happens in it.
 *
 * @param plan     borrowed, non-null: the plan
 * @param system   borrowed, nullable: the system; null means all zero
 * @param commands borrowed, nullable: receives one record per command; set
 *                 `size` of the first, which is the distance between them.
 *                 May be null where `count` is 0
 * @param count    value: room for how many: plait_simulation.critical_count of
 *                 the same plan and system, or more
 * @param error    borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_UNSUPPORTED, PLAIT_E_NOMEM,
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_critical(plait_plan *plan,
					   const plait_system_desc *system,
					   plait_critical_command *commands,
					   uint64_t count, plait_error *error);

/* What plait_plan_write writes. */
enum {
	/* The binary form, which plait_plan_read reads. */
	PLAIT_FORMAT_BINARY = 0,
	/* One JSON object: lanes, regions, waits, ... */
	PLAIT_FORMAT_JSON = 1,
	/* Graphviz: nodes and edges, coloured by lane, with waits. */
	PLAIT_FORMAT_DOT = 2,
	/* The schedule: lanes as rows, commands as boxes, waits as arrows. */
	PLAIT_FORMAT_SVG = 3
};

/*
 * plait_plan_write - a plan as bytes or text.
 *
 * @param plan           borrowed, non-null: the plan
 * @param format         value: one of PLAIT_FORMAT_...
 * @param buffer         borrowed, nullable: receives it, without a NUL
 * @param capacity_bytes value: the size of `buffer`
 * @param out_bytes      borrowed, nullable: what it needs
 * @param error          borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (a buffer that is not null and too small;
 *         nothing useful was written), PLAIT_E_NOMEM, PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_write(plait_plan *plan, int32_t format,
					void *buffer, uint64_t capacity_bytes,
					uint64_t *out_bytes,
					plait_error *error);

/*
 * plait_plan_read - a plan from its binary form.
 *
 * Damaged and hostile bytes are an error.  What the plan names has to be bound
 * again before it can run; see below.
 *
 * @param context borrowed, non-null: the context
 * @param bytes   borrowed, non-null: the plan
 * @param count   value: how many bytes
 * @param out     owned, non-null: the plan, one reference
 * @param error   borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (not a plan, damaged, or breaks a promise
 *         of plait_plan_check), PLAIT_E_UNSUPPORTED (a newer version),
 *         PLAIT_E_NOMEM, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_read(plait_context *context,
				       const void *bytes, uint64_t count,
				       plait_plan **out, plait_error *error);

/*
 * plait_plan_save - write the binary form to a file, all or nothing.
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
 * plait_plan_load - plait_plan_read from a file.
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
 * A plan that was read has names for what lies outside of it: kernels,
 * buffers, signals, host functions and devices.  So has a plan whose graph
 * was read from a text.  Before it runs each of them has to be bound; it can be
 * checked, simulated, drawn and saved without.  Devices that the context has
 * under the same name are bound from the start.
 *
 * What is bound can be bound again, until the plan's first run begins; a call
 * that fails changes nothing.  The plan holds what is bound.
 *
 * A name is the label that the thing had; of a host function, the label of its
 * node.  If several things of a kind had the same label, the second one is
 * "label#2"; those without a label are "#1", "#2", ...: plait_plan_query_binding
 * tells.
 */

/* What a name stands for. */
enum {
	PLAIT_BINDING_KERNEL = 0,
	PLAIT_BINDING_BUFFER = 1,
	PLAIT_BINDING_SIGNAL = 2,
	PLAIT_BINDING_FUNCTION = 3,
	PLAIT_BINDING_DEVICE = 4
};

/* Flags of a binding. */
enum {
	/* A function that runs on any thread, so it has no inbox. */
	PLAIT_BINDING_IS_ANY_THREAD = 1 << 0,
	/* A signal that the plan emits, so no gate will do. */
	PLAIT_BINDING_IS_EMITTED = 1 << 1
};

/* One name of a plan. */
typedef struct plait_plan_binding {
	uint32_t size;
	/* PLAIT_BINDING_... */
	uint32_t kind;
	uint32_t flags;
	/* 1 if it is bound, else 0. */
	uint32_t bound;
	/* A buffer: at least so large. */
	uint64_t bytes;
	/* Borrowed: valid as long as the plan is. */
	const char *name;
	/* Borrowed: a kernel's signature; a buffer's or a signal's device. */
	const char *detail;
} plait_plan_binding;

/* A host function, as nodes of kind CALL and predicates have it. */
typedef struct plait_function_desc {
	uint32_t size;
	/* 0 or PLAIT_CALL_ANY_THREAD. */
	uint32_t flags;
	plait_host_function function;
	void *user_data;
	/* Without PLAIT_CALL_ANY_THREAD: on whose owner's thread. */
	plait_inbox *inbox;
} plait_function_desc;

/*
 * plait_plan_query_binding - a name that has to be bound.
 *
 * @param plan  borrowed, non-null: the plan
 * @param index value: below plait_plan_info.bindings
 * @param out   borrowed, non-null: set `size`; the rest is filled
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (there are not so many), PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_query_binding(plait_plan *plan,
						uint64_t index,
						plait_plan_binding *out,
						plait_error *error);

/*
 * plait_plan_bind_kernel - give a plan the kernel of a name.
 *
 * @param plan   borrowed, non-null: a plan with names
 * @param kernel borrowed, non-null: a kernel; its signature must be the one
 *               that the plan has under this name
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (no such name, another signature),
 *         PLAIT_E_STATE (nothing has to be bound, or the plan has run),
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_bind_kernel(plait_plan *plan,
					      plait_kernel *kernel,
					      plait_error *error);

/*
 * plait_plan_bind_buffer - give a plan the buffer of a name.
 *
 * What the plan keeps apart must not share memory, as its order was proved
 * without that.
 *
 * @param plan   borrowed, non-null: a plan with names
 * @param name   borrowed, non-null: its name in the plan
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
 * plait_plan_bind_signal - give a plan the signal of a name.
 *
 * @param plan   borrowed, non-null: a plan with names
 * @param name   borrowed, non-null: its name in the plan
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
 * plait_plan_bind_function - give a plan the host function of a name.
 *
 * @param plan  borrowed, non-null: a plan with names
 * @param name  borrowed, non-null: its name in the plan
 * @param desc  borrowed, non-null: the function, and where it runs: on any
 *              thread or by an inbox, as it was when the plan was made
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (no such name; it runs elsewhere than the
 *         plan says), PLAIT_E_UNSUPPORTED, PLAIT_E_STATE, PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_bind_function(plait_plan *plan,
						const char *name,
						const plait_function_desc *desc,
						plait_error *error);

/*
 * plait_plan_bind_device - say which device the plan means by a name.
 *
 * Two names may be one device: its lanes are then queues of the same device.
 *
 * @param plan   borrowed, non-null: a plan with names
 * @param name   borrowed, non-null: its name in the plan
 * @param device borrowed, non-null: a device of the plan's context
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (no such name; buffers or signals that are
 *         bound to it are of another backend), PLAIT_E_STATE, PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
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
