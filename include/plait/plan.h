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
 * @param plan   borrowed, non-null: the plan
 * @param system borrowed, nullable: the system; null means all zero
 * @param out    borrowed, non-null: set `size`; the rest is filled
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_NOMEM, PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_simulate(plait_plan *plan,
					   const plait_system_desc *system,
					   plait_simulation *out,
					   plait_error *error);

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
 * Damaged and hostile bytes are an error.  Kernels and buffers have to be
 * bound again by name before the plan can run; it can be checked, simulated
 * and drawn without.
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
 * plait_plan_bind_kernel - give a loaded plan the kernel of a name.
 *
 * @param plan   borrowed, non-null: a plan that was read
 * @param kernel borrowed, non-null: a kernel; its signature must be the one
 *               that the plan has under this name
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (no such name, another signature),
 *         PLAIT_E_STATE (not a plan that was read), PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_plan_bind_kernel(plait_plan *plan,
					      plait_kernel *kernel,
					      plait_error *error);

/*
 * plait_plan_bind_buffer - give a loaded plan the buffer of a name.
 *
 * @param plan   borrowed, non-null: a plan that was read
 * @param name   borrowed, non-null: the label that the buffer had
 * @param buffer borrowed, non-null: a buffer at least as large
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (no such name, too small), PLAIT_E_STATE,
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_plan_bind_buffer(plait_plan *plan,
					      const char *name,
					      plait_buffer *buffer,
					      plait_error *error);

#ifdef __cplusplus
}
#endif

#endif
