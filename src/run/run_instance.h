/* SPDX-License-Identifier: MIT */
/*
 * An instance of a program: the state of one run in flight.  Instances are made
 * with the program and reused; the free list of instance_pool.h hands them out.
 */
#ifndef PLAIT_SRC_RUN_RUN_INSTANCE_H
#define PLAIT_SRC_RUN_RUN_INSTANCE_H

#include "run/args/frame.h"
#include "run/engine.h"
#include "run/run_races.h"

#include "object/queue/external_section.h"
#include "pool/callback_scope.h"
#include "sys/mutex.h"

typedef struct plait__run plait__run;
typedef struct plait__kernel_version plait__kernel_version;

/* Record that is told once that a run is over; part of the object that awaits it,
 * so that the end of a run needs no memory. */
typedef struct plait__run_end {
	/* Null `failure`: the run has succeeded.  Called without locks, outside
	 * of notification callbacks, when the queue goes on behind the run; the
	 * record may be gone when it returns. */
	void (*notify)(struct plait__run_end *end, const plait_error *failure);
} plait__run_end;

/* How a run ended. */
typedef struct plait__run_outcome {
	at_u32 done;		/* the fields below are valid */
	plait_status status;
	uint32_t failed_command; /* PLAIT__NONE if no command failed */
	uint64_t iterations;
	uint64_t device_regions;
	plait_error failure;
} plait__run_outcome;

/* Has one run in flight at a time. */
struct plait__instance {
	plait__program *program;
	void *state;		/* owned by the engine */
	plait__frame frame;
	uint32_t index;
	at_u32 next_free;	/* link of the free list: index + 1 */
	at_u32 ending;		/* released, or about to be: set before the
				 * end of its run is visible, until it is
				 * acquired again */
	at_u32 abandoned;		/* never released again: see abandon;
					 * with `abandoned_why` */


	/* The current run. */
	uint32_t flags;		/* PLAIT_RUN_... */
	at_u32 stop;		/* no further command starts */
	at_u32 called;		/* PLAIT__CALLER_...: the thread in
				 * plait_plan_call */
	at_u64 caller;		/* that thread's plait__thread_token, until it
				 * waits: then 0 */
	bool failed;		/* guarded by `lock` */
	bool queue_failed;	/* its queue failed before the run was
				 * reached */
	uint32_t failed_command;
	uint64_t iterations;	/* filled by the engine before it completes
				 * the run */
	uint64_t device_regions; /* likewise: regions that devices decided */
	struct plait__mutex lock; /* guards the failure */
	plait_error failure;
	plait__run *run;	/* held, or null: no handle was asked for */
	plait__section *section; /* its section of a queue, or null */
	/* Of a run in a queue, or of one whose caller ends its thread; or null. */
	plait__run_end *end;
	void *launch;		/* of api/launch_runs.c: the launch record that
				 * it executes */
	plait__recording *recording; /* of this run, or null */
	plait__recording *skipped_recording; /* the recording of a run that
					      * was skipped */
	plait__kernel_version *version; /* held; null: the kernels that were
					 * frozen */
	plait__run_outcome outcome;	/* of a call */
	plait__section_pool sections; /* idle sections, for its next runs */
	plait__run *cached_run;	/* a run object for reuse */
	/* Turns of conflicting runs; see run_turns.h. */
	at_u32 turn;		/* PLAIT__TURN_... */
	plait__instance *turn_next; /* on its list; guarded by turns.lock */
	plait__instance *turn_ready; /* next run to be started */
	const plait_error *turn_lost; /* the failure of an abandoned run that
				       * this one follows, or null */
	plait_error abandoned_why;
	struct plait__skipped_call *skipped_calls; /* skipped_calls.h */
	uint32_t skipped_call_count;
	plait__run_races race_call; /* of a call, until it is over; then its
				     * `races` is null */
	/* Calls of plans by functions of a run. */
	plait__instance *outer;	/* the run whose function called this one, or
				 * null */
	/* The queue that waits for the run that has called this one, directly or
	 * not, and its place there; or null.  Set before the start, as the
	 * caller's thread may end and remove `outer`; held if `holds_queue`,
	 * until the run is over. */
	plait__queue *outer_queue;
	uint64_t outer_sequence;
	bool holds_queue;
	plait__instance *first_inner; /* guarded by `lock`, as is next_inner of
				       * those listed */
	plait__instance *next_inner;
};

/* The calling thread executes functions of this run until it leaves the
 * callback scope that it is in. */
static inline void plait__run_instance_enter(plait__instance *instance)
{
	plait__callback_scope_run = (struct plait__callback_run){
		.stop = &instance->stop, .instance = instance
	};
}

/* The run of the function that the calling thread executes, or null. */
static inline plait__instance *plait__run_instance_current(void)
{
	return plait__callback_scope_run.instance;
}

/* `inner` is the run of a call by a function of `outer`: a stop of `outer`
 * stops it, until it is removed.  Remove ignores an instance without outer. */
void plait__run_instance_add_inner(plait__instance *outer,
				   plait__instance *inner);
void plait__run_instance_remove_inner(plait__instance *inner);

/* Set an acquired instance up for a run: parameters, flags, and a recording if
 * PLAIT_RUN_RECORD asks for one (PLAIT_E_STATE: the plan has no recorder).  `desc`
 * may be null.  After a failure nothing is bound, and the caller releases the
 * instance. */
plait_status plait__instance_begin(plait__instance *instance,
				   const plait_run_desc *desc,
				   plait_error *error);

/* Start a run that its queue has reached.  From here on the instance is its
 * engine's. */
void plait__instance_start_reached(plait__instance *instance);

/* Start a deferred run, stopped if `lost` is not null. */
void plait__instance_start_deferred(plait__instance *instance,
				    const plait_error *lost);

/* Execute a piece of the run on a waiting thread, or of the runs that a
 * deferred one follows.  Returns false if there is nothing to do now. */
bool plait__instance_drive(plait__instance *instance);

/* The run will not start after all: drop what begin has bound and recorded.  The
 * caller releases the instance. */
void plait__instance_undo_begin(plait__instance *instance);

/* As plait__instance_fail, where no command is the cause; `why` is a whole
 * sentence. */
void plait__instance_stop(plait__instance *instance, const plait_error *why);

/* Give up a run whose submitted commands may never complete: the run ends, but
 * the instance stays with its engine, and the memory that it uses, the plan
 * too, is never freed.  The engine calls plait__instance_complete last. */
void plait__instance_abandon(plait__instance *instance, const plait_error *why);

/* Stop a run before its start because its queue has failed: the run records
 * nothing, reports no failure to the queue, and takes numbers for its collective
 * calls.  The caller starts it all the same, so that its engine completes it. */
void plait__instance_skip(plait__instance *instance, plait_status status);

/* The thread that called plait_plan_call ends inside the call.  `instance` is
 * the plait__instance; a function for a thread scope. */
void plait__instance_caller_exited(void *instance);

/* Values of plait__instance.called. */
enum {
	PLAIT__CALLER_NONE = 0,
	PLAIT__CALLER_WAITS = 1,	/* the caller will release the
					 * instance */
	PLAIT__CALLER_DONE = 2,
	PLAIT__CALLER_EXITED = 3		/* the caller has ended */
};

/* Report that a command failed or could not be run: the first failure counts,
 * and sets instance->stop.  `why` has status, origin and the rest of the
 * sentence "node 7 "saxpy" ...".  Called from any thread, which holds no lock of
 * this run's instance, of its lanes or of runs that its functions call. */
void plait__instance_fail(plait__instance *instance, uint32_t command,
			  const plait_error *why);
/* The reason if the command's function ended its thread. */
extern const plait_error plait__instance_exited;

/* Complete a run of which nothing happens any more.  After this call the
 * instance and its memory are no longer the engine's. */
void plait__instance_complete(plait__instance *instance);

#endif
