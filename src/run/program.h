/* SPDX-License-Identifier: MIT */
/*
 * A prepared plan: the code that its engine compiled, and the instances that
 * runs use.  The first run, or plait_plan_prepare, _record or _exchange before it,
 * makes the program; the plan owns it and ends it.
 *
 * A program's plan is sealed, and nothing in this folder or below checks that
 * again: every index is in range (the planner, or plan/check for a loaded
 * plan), each command has the fields of its kind (graph/build, or
 * graph/plan/verify_commands.c), and every object that a command uses is bound
 * (plait__unbound_state_seal).  A rehearsed plan may have unbound objects.
 *
 * Instances are acquired and released without a lock (instance_pool.h).  A
 * thread that finds none sleeps until one is released, unless it must not wait.
 */
#ifndef PLAIT_SRC_RUN_PROGRAM_H
#define PLAIT_SRC_RUN_PROGRAM_H

#include "run/args/frame.h"
#include "run/command_text.h"
#include "run/engine.h"
#include "run/run_conflicts.h"
#include "run/run_instance.h"

#include "base/vector.h"
#include "sys/mutex.h"

/* Kernels of a program after an exchange, and the engine's code for them; see
 * kernel_versions.h. */
struct plait__kernel_version {
	uint32_t holders;	/* reference count: instances, and the program;
				 * guarded by program->exchanging */
	plait__object **kernels; /* held; one per kernel of the plan */
	void *code;		/* the engine's code */
	uint64_t number;	/* 1 for the first exchange, then counting up */
};

/* Bits of plait__program.first_free. */
enum {
	PLAIT__PROGRAM_FREE = 1,	/* instance 0, which is not on the
					 * list, is free */
	PLAIT__PROGRAM_TURN = 2		/* no run has the turn; see
					 * run_turns.h */
};

/* Runs that take turns under the lock; see run_turns.h. */
typedef struct plait__run_turns {
	struct plait__mutex lock; /* guards the fields below */
	at_u32 members;		/* runs on both lists */
	bool has_bit;		/* the members have PLAIT__PROGRAM_TURN */
	plait__instance *executing; /* first one, or null */
	plait__instance *deferred; /* likewise, in the order of arrival */
} plait__run_turns;

struct plait__program {
	plait__plan_object *plan_object;	/* owns the program */
	const plait__plan *plan;
	plait__context *context;
	const plait__engine *engine;
	void *compiled;		/* owned by the engine */
	struct plait__rehearsal *rehearsal; /* null unless the plan is
					     * rehearsed: rehearse.h */
	plait__frame_layout layout;
	plait__instance *instances;
	uint32_t instance_count;
	at_u64 free;		/* head of the free list: tag << 32 | index + 1
				 * of the first instance */
	at_u32 first_free;	/* PLAIT__PROGRAM_... bits */
	at_u32 waiters;		/* threads that sleep until an instance is
				 * free */
	bool asymmetric_fence;		/* the sleeper pays for both fences
					 * (membarrier) */
	at_ptr version;		/* the newest plait__kernel_version, or null */
	struct plait__mutex exchanging; /* guards versions; a leaf lock but
					 * for allocation */
	at_ptr recorder;	/* null: runs cannot be recorded; see
				 * recorder.h */
	uint32_t callbacks;		/* callbacks reserved in the pool */
	bool submits;		/* set by the host engine's prepare: a
				 * function cannot call the plan, which has
				 * emissions, owners or coroutines */
	bool counts_runs;	/* the progress driver counts its runs */
	bool plain_calls;	/* a call takes no turn and is not counted */
	plait__run_conflicts conflicts;
	plait__run_turns turns;
	/* Starts a run that was deferred; stopped if `lost` is not null. */
	void (*on_turn)(plait__instance *instance, const plait_error *lost);
	/* The race check's; see run_races.h. */
	at_ptr race_plan;	/* or null */
	plait__race_clock *race_last; /* of the last run, or null */
};

static inline const plait_allocator *
plait__program_allocator(const plait__program *program)
{
	return plait__context_allocator(program->context);
}

/* Null until plait_plan_record was called. */
static inline plait__recorder *
plait__program_recorder(const plait__program *program)
{
	/* Acquire: pairs with the store in program.c. */
	return at_load_acquire_ptr(&program->recorder);
}

/* Begin and end of a run, unless the progress driver executes it or counts no
 * runs. */
static inline void plait__program_begin_in_pool(const plait__program *program)
{
	if (program->counts_runs)
		plait__progress_begin_pool_run(&program->context->driver);
}

static inline void plait__program_end_in_pool(const plait__program *program)
{
	if (program->counts_runs)
		plait__progress_end_pool_run(&program->context->driver);
}

/* A queue has yet to reach a run of this program: threads that wait from now on
 * may have to work for it.  Undone when it begins, or will not. */
static inline void plait__program_expect(const plait__program *program)
{
	if (program->counts_runs)
		plait__progress_expect_pool_run(&program->context->driver);
	else if (program->engine->needs_others)
		plait__progress_expect(program->context);
}

static inline void plait__program_unexpect(const plait__program *program)
{
	if (program->counts_runs)
		plait__progress_unexpect_pool_run(&program->context->driver);
	else if (program->engine->needs_others)
		plait__progress_unexpect(program->context);
}

/* Chooses the engine of a plan that has no program yet. */
typedef const plait__engine *
plait__engine_choice(const plait__plan_object *plan_object);

/* Make the plan's program unless another thread was faster.  Takes `preparing`.
 * PLAIT_E_STATE: an unbound name; PLAIT_E_UNSUPPORTED: no code for a device; and
 * the statuses of the engine's prepare and make.  The plan has no program then,
 * and a later call tries again. */
plait_status plait__program_make(plait__plan_object *plan_object,
				 plait__engine_choice *choose,
				 plait__program **out, plait_error *error);

/* Make runs recordable, once.  Caller holds the plan's `preparing`.  After a
 * failure the program has no recorder. */
plait_status plait__program_make_recorder(plait__program *program,
					  uint32_t capacity,
					  plait_error *error);

/* The host function that decides `region`; null: a word in memory does. */
const plait__store_function *
plait__program_predicate(const plait__program *program, uint32_t region);

#endif
