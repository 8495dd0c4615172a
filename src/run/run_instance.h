/* SPDX-License-Identifier: MIT */
/*
 * An instance of a program: the state of one run in flight.  Instances are made
 * with the program and used again; instance_pool.h hands them out.
 */
#ifndef PLAIT_SRC_RUN_RUN_INSTANCE_H
#define PLAIT_SRC_RUN_RUN_INSTANCE_H

#include "run/args/frame.h"
#include "run/engine.h"

#include "object/queue/external_section.h"
#include "sys/mutex.h"

typedef struct plait__run plait__run;
typedef struct plait__kernel_version plait__kernel_version;

/* How a run ended. */
typedef struct plait__run_outcome {
	at_u32 done;		/* the rest is true then */
	plait_status status;
	uint32_t failed_command; /* or none */
	uint64_t iterations;
	uint64_t device_regions;
	uint64_t begin_ns;
	uint64_t end_ns;
	plait_error failure;
} plait__run_outcome;

/* One run in flight at a time. */
struct plait__instance {
	plait__program *program;
	void *state;		/* the engine's */
	plait__frame frame;
	uint32_t index;
	at_u32 next_free;	/* index + 1, while it is free */
	at_u32 ending;		/* it is given back, or is about to be: from
				 * before its run is seen to be over until
				 * somebody takes it */
	at_u32 abandoned;		/* and `abandoned_why` is true; see below */

	/* Of the run. */
	uint32_t flags;		/* PLAIT_RUN_... */
	at_u32 stop;		/* nothing starts any more */
	at_u32 called;		/* the thread in plait_plan_call; see start.c */
	uint64_t caller;	/* which one that is: plait__thread_token */
	bool failed;		/* under the lock */
	bool queue_failed;	/* before it came to its turn */
	uint32_t failed_command;
	uint64_t iterations;	/* the engine's to fill before it is over */
	uint64_t device_regions; /* likewise: that devices were given */
	uint64_t begin_ns;
	struct plait__mutex lock; /* guards the failure */
	plait_error failure;
	plait__run *run;	/* held, or null: nobody wants to know */
	plait__section *section; /* through a queue, or null */
	plait__recording *recording; /* what it does, or null */
	plait__recording *skipped_recording; /* the same of one that does nothing */
	plait__kernel_version *version; /* held; null: what was frozen */
	plait__run_outcome outcome;	/* of a call */
	plait__section_pool sections; /* of its runs, that none uses now */
	plait__run *cached_run;	/* for one of its runs, or of another one's */
	plait_error abandoned_why;
};

/* Set a taken instance up for a run: parameters, flags. */
plait_status plait__instance_begin(plait__instance *instance,
				   const plait_run_desc *desc,
				   plait_error *error);

/* It will not start after all. */
void plait__instance_undo_begin(plait__instance *instance);

/* As plait__instance_fail, where no command is to blame. */
void plait__instance_stop(plait__instance *instance, const plait_error *why);

/*
 * What its run has submitted may be under way for ever: the run ends, but the
 * instance stays its engine's, and all that it uses, the plan too, is never
 * freed.  Before plait__instance_complete, which is the last of it.
 */
void plait__instance_abandon(plait__instance *instance, const plait_error *why);

/* The same before it starts, because its queue has failed: it has nothing to
 * record, and no failure to tell the queue. */
void plait__instance_skip(plait__instance *instance, plait_status status);

/* The thread that called plait_plan_call ends inside; for a scope, `instance` is
 * the plait__instance. */
void plait__instance_caller_exited(void *instance);

/* What `called` of an instance says. */
enum {
	PLAIT__CALLER_NONE = 0,
	PLAIT__CALLER_WAITS = 1,	/* the caller gives it back */
	PLAIT__CALLER_DONE = 2,
	PLAIT__CALLER_EXITED = 3		/* the caller will not come */
};

/*
 * A command failed, or what was to be run could not be: the first one counts,
 * and sets instance->stop.  `why` has status, origin and the rest of the
 * sentence "node 7 "saxpy" ...".  From any thread.
 */
void plait__instance_fail(plait__instance *instance, uint32_t command,
			  const plait_error *why);

/* Nothing of the run happens any more.  The instance is no longer the
 * engine's, nor its memory anybody's, when this returns. */
void plait__instance_complete(plait__instance *instance);

#endif
