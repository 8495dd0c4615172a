/* SPDX-License-Identifier: MIT */
/*
 * Backend resources of one plan instance: a queue and a signal per lane, the
 * translated work of every command, host callbacks, launch variants, device
 * graphs and scratch arenas.  All are created with the instance; between runs
 * only sequences, launches and graphs change.
 *
 * Owned by the driver of the instance (run_driver.h).  Host callbacks, which
 * backends call on any thread, write their own plait__host_callback or
 * plait__queue_predicate and read the rest.
 */
#ifndef PLAIT_SRC_RUN_QUEUE_QUEUE_INSTANCE_H
#define PLAIT_SRC_RUN_QUEUE_QUEUE_INSTANCE_H

#include "run/queue/queue_program.h"

#include "object/kernel/kernel.h"
#include "object/memory/buffer.h"

typedef struct plait__queue_instance plait__queue_instance;

/* An argument of a host callback: a pointer, or a number that follows an
 * iteration. */
typedef struct plait__queue_pointer {
	void *value;
	plait__buffer *mapped;	/* while the callback runs */
} plait__queue_pointer;

/* Start and end of a host callback, in a recorded run; 0: not called. */
typedef struct plait__callback_times {
	uint64_t start_ns;
	uint64_t end_ns;
	uint64_t thread;
} plait__callback_times;

/* A command that a backend executes by calling a function of the host. */
typedef struct plait__host_callback {
	plait__queue_instance *state;
	uint32_t command;
	uint32_t count;		/* of arguments */
	const plait__plan_payload *payload;
	const plait__store_function *host; /* or null */
	plait_status (*perform)(struct plait__host_callback *call,
				plait_error *why);
	void **arguments;
	plait__queue_pointer *pointers;
	plait__callback_times *times; /* null: runs are not recorded */
	uint32_t ahead;		/* repeat that is submitted ahead, or none: */
	uint64_t turn;		/* its iteration that is called next */
} plait__host_callback;

/* An argument of a bound launch.  Values above 8 bytes lie in further cells,
 * behind those of all arguments. */
typedef struct plait__variant_argument {
	plait_backend_memory *memory; /* null: a value */
	uint64_t offset;
	uint64_t value;
} plait__variant_argument;

/* A backend launch: device code bound to arguments and a geometry. */
typedef struct plait__launch_variant {
	plait_backend_launch *raw; /* or null */
	uint64_t turn, count;	/* iteration for which it was chosen last, and
				 * the count of its repeat then; with `turns` */
	uint64_t binding;	/* among all that the instance has bound */
	plait__variant_argument *arguments;
	plait_launch launch;
} plait__launch_variant;

/* A launch command on a device that accepts code. */
typedef struct plait__queue_launch {
	plait__kernel *kernel;	/* held; null: a host callback */
	plait__launch_variant *variants;
	uint32_t variant_count;	/* 0: the command is not such a launch */
	uint32_t cell_count;	/* of the arguments of a variant */
	uint32_t changes;	/* PLAIT__CHANGES_... */
	uint32_t oldest;	/* variant that is replaced next */
	uint32_t turns;		/* repeat whose iteration, modulo the count,
				 * has the variant; or none: any may have it */
	bool follows;		/* it depends on that iteration and the count of
				 * that repeat only */
	uint32_t work;		/* index in state->work */
	uint64_t binding;	/* of the variant that was chosen last */
	uint32_t next_borrower;	/* command; list from state->borrower */
	bool stale;		/* its device graph has an older variant */
} plait__queue_launch;

/* A segment as its backend has it, a device graph. */
typedef struct plait__device_graph {
	plait_backend_segment *raw; /* null: submitted command by command */
	plait_work work;
	bool refused;		/* the backend does not support it */
	bool changed;		/* update before the next submission */
	char label[96];
} plait__device_graph;

/* The predicate of a region. */
typedef struct plait__queue_predicate {
	plait__queue_instance *state;
	uint32_t region;
	uint32_t word;		/* its last value; written by a backend's READ,
				 * a host callback or (inbox owner) the driver */
} plait__queue_predicate;

/* Work in the room of a flat repeat that later runs use again. */
typedef struct plait__repeat_room {
	uint64_t count;		/* of the repeat, when it was bound */
	uint64_t version;	/* of the kernels */
	uint64_t filled;	/* iterations, from the first on */
} plait__repeat_room;

typedef struct plait__lane_queue {
	plait_backend_queue *raw;
	plait_backend_signal *signal; /* counts the emissions of the lane */
} plait__lane_queue;

struct plait__queue_instance {
	plait__instance *instance;
	const plait__queue_program *compiled;
	plait__lane_queue *queues; /* per lane */

	/* Submissions, parallel to those of the program. */
	plait_work *work;
	plait_submission *submissions;
	plait_backend_point *waits;
	plait_backend_point *emits; /* one per submission */
	plait_work *repeat_work; /* of flat repeats; repeat_room.c */
	plait__repeat_room *rooms; /* per region */
	plait_work_series *series; /* parallel to those of the program */

	/* Host callbacks. */
	plait__host_callback *callbacks; /* per command */
	void **arguments;	/* of all callbacks */
	plait__queue_pointer *pointers; /* likewise */
	plait__queue_predicate *predicates; /* per region */

	/* Launches and device graphs. */
	plait__queue_launch *launches; /* per command */
	plait__launch_variant *variants; /* of all launches */
	plait__variant_argument *variant_arguments; /* room for those of one
				 * launch, then those of all variants */
	plait_launch_argument *backend_arguments; /* room for those of one */
	plait__device_graph *graphs; /* per segment */
	plait_work *copy_work;	/* per copy, in device graphs */
	uint64_t *copy_bindings; /* per copy: of its launch */
	plait_backend_memory **arenas; /* arenas of scratch and temporaries, per
					* device; or null */
	plait__buffer *temporaries; /* per slot, then per device; null: none */
	uint32_t borrower;	/* first command that borrows memory, or none */
	uint64_t version;	/* kernel version that the launches have */
	uint64_t bindings;	/* launches that were bound */

	uint32_t argument_count, pointer_count; /* sizes of the arrays above */
	uint32_t variant_count, variant_argument_count;
	uint32_t most_arguments; /* of one launch */
};

/* `state` is zeroed but for instance and compiled.  After a failure too the
 * caller must free it: PLAIT_E_NOMEM, or what the backend returns. */
plait_status plait__queue_instance_make(plait__queue_instance *state,
					plait_error *error);
void plait__queue_instance_free(plait__queue_instance *state);
/* Replace the queue and the signal of a lane that cannot recover.  Nothing is
 * in flight.  After a failure of the backend the lane may lack either. */
plait_status plait__queue_instance_remake(plait__queue_instance *state,
					  uint32_t lane, plait_error *error);

#endif
