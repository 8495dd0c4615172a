/* SPDX-License-Identifier: MIT */
/*
 * Plan objects: the schedule (plan/plan.h, pure data) with the objects that its
 * tables stand for: kernels, buffers, signals, functions and devices.
 * Immutable, except that the names of a loaded plan may be bound, and bound
 * again, until its first run seals them.
 */
#ifndef PLAIT_SRC_GRAPH_PLAN_PLAN_OBJECT_H
#define PLAIT_SRC_GRAPH_PLAN_PLAN_OBJECT_H

#include "plait/plan.h"

#include "graph/plan/binding_names.h"
#include "graph/store/store.h"
#include "object/context/context.h"
#include "object/signal/signal.h"
#include "plan/plan.h"
#include "sys/mutex.h"

typedef struct plait__plan_object {
	plait__object object;
	plait__plan *plan;
	uint64_t peak_bytes;	/* of the planner's memory, set by the freeze */
	uint64_t graph;		/* tag of its graph, or 0 for a loaded plan */
	uint32_t instances;	/* of its program; 0: the default, 2 */
	bool on_queues;		/* PLAIT_FREEZE_QUEUES */
	/* Names to bind, set by plait__unbound_state_open; null if every object
	 * was known at the freeze. */
	plait__binding_names *bindings;
	/* Guards the tables below while there are bindings, until `sealed`:
	 * from then on they do not change. */
	struct plait__mutex lock;
	bool sealed;
	/* The engine's compiled program, or null; created under `preparing` and
	 * destroyed by end_program. */
	at_ptr program;
	struct plait__mutex preparing;
	void (*end_program)(void *program);
	/* Runs rehearse.  Guarded by `preparing`, fixed once there is a
	 * program. */
	bool rehearses;
	uint64_t rehearsal_unit_ns;
	/* One element per kernel, slot, signal, function and device of the
	 * plan, null while unbound.  Kernels, buffers and signals are held; a
	 * function holds its inbox; devices belong to the context. */
	plait__object **kernels;
	plait__object **buffers;
	plait__object **signals;
	plait__store_function *functions;
	void **devices;
} plait__plan_object;

/*
 * Create an object around `plan`, with empty tables.  Takes ownership of the
 * plan, also on failure.
 */
plait_status plait__plan_object_create(plait__context *context,
				       plait__plan *plan,
				       plait__plan_object **out,
				       plait_error *error);

/* Fill the tables from the store that the plan was made of, with holds of the
 * plan's own; add the plan as a source of the signals that it emits. */
void plait__plan_object_bind_all(plait__plan_object *plan_object,
				 const plait__store *store);

/* Call the function with the bound signal of each command that emits one: such
 * a command is a source of the signal (plait__submit_add_source). */
void plait__plan_object_each_emitted(const plait__plan_object *plan_object,
				     void (*call)(plait__signal *signal));

/* Return a string of the plan, "" for none. */
const char *plait__plan_object_string(const plait__plan_object *plan_object,
				      uint32_t string);
const char *plait__plan_object_device_name(
	const plait__plan_object *plan_object, uint32_t device);

/* Enter a plan; leave it with plait__object_leave().  PLAIT_E_HANDLE. */
plait_status plait__plan_object_enter(plait_plan *handle,
				      plait__plan_object **out,
				      plait_error *error);

#endif
