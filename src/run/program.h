/* SPDX-License-Identifier: MIT */
/*
 * A plan made ready to run: what its engine compiled, and the instances that
 * runs are given.  Made by the first run, ended with the plan.
 *
 * Instances are taken and given back without a lock.  Who finds none sleeps
 * until one is given back, if it may.
 */
#ifndef PLAIT_SRC_RUN_PROGRAM_H
#define PLAIT_SRC_RUN_PROGRAM_H

#include "run/engine.h"
#include "run/args/frame.h"
#include "run/command_text.h"

#include "base/vector.h"
#include "object/queue/external_section.h"
#include "sys/mutex.h"

typedef struct plait__run plait__run;

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

/* Kernels that took others' places, and what the engine made of them; see
 * kernel_versions.c. */
typedef struct plait__kernel_version {
	uint32_t holders;	/* instances, and the program; under its lock */
	plait__object **kernels; /* held; one per kernel of the plan */
	void *code;		/* the engine's */
	uint64_t number;	/* 1 and more */
} plait__kernel_version;

/* One run in flight at a time. */
struct plait__instance {
	plait__program *program;
	void *state;		/* the engine's */
	plait__frame frame;
	uint32_t index;
	at_u32 next_free;	/* index + 1, while it is free */
	at_u32 ends;		/* it is given back, or is about to be: from
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
	plait__section *passage; /* through a queue, or null */
	plait__recording *recording; /* what it does, or null */
	plait__recording *spared; /* the same of one that does nothing */
	plait__kernel_version *version; /* held; null: what was frozen */
	plait__run_outcome outcome;	/* of a call */
	plait__section_pool passages; /* of its runs, that none uses now */
	plait__run *kept;	/* for one of its runs, or of another one's */
	plait_error abandoned_why;
};

struct plait__program {
	plait__plan_object *frozen;	/* which owns it */
	const plait__plan *plan;
	plait__context *context;
	const plait__engine *engine;
	void *compiled;		/* the engine's */
	struct plait__rehearsal *rehearsal; /* or null: see rehearse.h */
	plait__frame_layout layout;
	plait__instance *instances;
	uint32_t instance_count;
	at_u64 free;		/* tag << 32 | index + 1 of the first one */
	at_u32 first_free;	/* instance 0, which is not on that list */
	at_u32 waiters;		/* threads that sleep until one is free */
	bool asymmetric_fence;		/* who sleeps pays for both fences */
	at_ptr version;		/* the newest plait__kernel_version, or null */
	struct plait__mutex exchanging; /* guards versions; a leaf but for
					 * allocation */
	at_ptr recorder;	/* null: runs cannot be recorded; recorder.h */
	uint32_t notes;		/* reserved in the pool */
	bool submits;		/* the engine's: runs need other threads */
};

static inline const plait_allocator *
plait__program_allocator(const plait__program *program)
{
	return plait__context_allocator(program->context);
}

/* Null until the plan was told to record. */
static inline plait__recorder *
plait__program_recorder(const plait__program *program)
{
	/* Acquire: pairs with the store in recorder.c. */
	return at_load_acquire_ptr(&program->recorder);
}

/* The plan's program, made now unless another thread was faster. */
plait_status plait__program_make(plait__plan_object *frozen, plait__program **out,
				 plait_error *error);

static inline plait_status plait__program_of(plait__plan_object *frozen,
					     plait__program **out,
					     plait_error *error)
{
	/* Acquire: pairs with the store in make. */
	*out = at_load_acquire_ptr(&frozen->program);
	return *out != NULL ? PLAIT_OK :
	       plait__program_make(frozen, out, error);
}

/*
 * Take an instance.  PLAIT_E_BUSY when there is none and the caller may not
 * wait: PLAIT_RUN_NO_WAIT, or inside a host function.  PLAIT_E_LOST when all
 * are stuck, and why.
 */
plait_status plait__instance_acquire(plait__program *program, uint32_t flags,
				     plait__instance **out, plait_error *error);
void plait__instance_release(plait__instance *instance);

/* Set a taken instance up for a run: parameters, flags. */
plait_status plait__instance_begin(plait__instance *instance,
				   const plait_run_desc *desc,
				   plait_error *error);

/* There is a newer version; the instance is the caller's. */
void plait__kernel_versions_adopt(plait__instance *instance);
void plait__kernel_versions_free(plait__program *program);

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

/* The function of the plan that decides `region`; null: a word in memory. */
const plait__store_function *
plait__program_predicate(const plait__program *program, uint32_t region);

#endif
