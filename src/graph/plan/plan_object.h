/* SPDX-License-Identifier: MIT */
/*
 * Plans as objects: the schedule (plan/plan.h, pure data) and, beside it, what
 * its tables stand for: kernels, buffers, signals, functions and devices.
 * Immutable, but for what a plan that was read still has to be told.
 */
#ifndef PLAIT_SRC_GRAPH_PLAN_PLAN_OBJECT_H
#define PLAIT_SRC_GRAPH_PLAN_PLAN_OBJECT_H

#include "plait/plan.h"

#include "graph/plan/binding_names.h"
#include "graph/store/store.h"
#include "object/context/context.h"
#include "plan/plan.h"
#include "sys/mutex.h"

typedef struct plait__plan_object {
	plait__object object;
	plait__plan *plan;
	uint64_t peak_bytes;
	uint64_t graph;		/* whose plan it is, by its tag; 0: a file's */
	uint32_t instances;
	bool on_queues;		/* PLAIT_FREEZE_QUEUES */
	/* What has to be told; null: all was known when it was plan_object. */
	plait__binding_names *bindings;
	/* Guards the tables below while there are bindings, until it is
	 * sealed: then they never change again. */
	struct plait__mutex lock;
	bool sealed;
	/* What the runner made of it, or null; guarded by the lock until it
	 * is there.  The runner says how it ends. */
	at_ptr program;
	struct plait__mutex preparing;
	void (*end_program)(void *program);
	/* Runs call nothing; guarded by `preparing`, fixed once there is a
	 * program. */
	bool rehearses;
	uint64_t rehearsal_unit_ns;
	/* As many as the plan's kernels, slots, signals, functions and
	 * devices; an element is null while it is not bound.  The first
	 * three are held, functions hold their inbox, devices are the
	 * context's. */
	plait__object **kernels;
	plait__object **buffers;
	plait__object **signals;
	plait__store_function *functions;
	void **devices;
} plait__plan_object;

/*
 * An object around `plan`, with empty tables.  Takes the plan over, also when
 * it fails.
 */
plait_status plait__plan_object_create(plait__context *context, plait__plan *plan,
				       plait__plan_object **out, plait_error *error);

/* Fill the tables from the store that the plan was made of. */
void plait__plan_object_bind_all(plait__plan_object *plan_object, const plait__store *store);

/* A string of the plan, "" for none. */
const char *plait__plan_object_string(const plait__plan_object *plan_object,
				      uint32_t string);
const char *plait__plan_object_device_name(
	const plait__plan_object *plan_object, uint32_t device);

plait_status plait__plan_object_enter(plait_plan *handle, plait__plan_object **out,
				      plait_error *error);

#endif
