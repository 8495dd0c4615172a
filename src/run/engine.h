/* SPDX-License-Identifier: MIT */
/*
 * What carries runs out.  A program (program.h) is a plan made ready: its
 * engine has compiled it, and it has a fixed number of instances, each with
 * the arguments and the memory of one run in flight.
 *
 *     prepare --make, make--> ... start, drive*, [cancel] ... --unmake--> discard
 *
 * An engine is told what to start, and tells when it is over: exactly once
 * for each start, by plait__instance_complete.  What fails on the way it tells by
 * plait__instance_fail, and then sees to it that nothing starts any more.
 * Everybody is bound by the order that plan.h promises; whether host lanes or
 * queues of a device carry it out, the result is the same.
 */
#ifndef PLAIT_SRC_RUN_ENGINE_H
#define PLAIT_SRC_RUN_ENGINE_H

#include "plait/run.h"

#include "object/handle/object.h"
#include "sys/atomic.h"

#include <stdbool.h>

typedef struct plait__program plait__program;
typedef struct plait__instance plait__instance;
typedef struct plait__engine plait__engine;
typedef struct plait__recorder plait__recorder;
typedef struct plait__recording plait__recording;
typedef struct plait__blocked_on plait__blocked_on;

struct plait__engine {
	const char *name;
	/* Memory is mapped once, before the first run. */
	bool maps;
	/* One thread cannot carry a run out alone: not in host functions. */
	bool needs_others;

	/* Once per plan: what all instances share, in program->compiled; and
	 * its end, also after prepare failed. */
	plait_status (*prepare)(plait__program *program, plait_error *error);
	void (*discard)(plait__program *program);
	/* It is ready, and is to be once more: what the machine is like may
	 * have changed.  Null: that does not matter. */
	void (*recalibrate)(plait__program *program);

	/* Once per instance: its queues, signals, lanes, in instance->state;
	 * and its end, also after make failed.  The frame is there. */
	plait_status (*make)(plait__instance *instance, plait_error *error);
	void (*unmake)(plait__instance *instance);

	/*
	 * Runs of this instance may be recorded from now on, perhaps while one
	 * is in flight that is not; called again after a failure.  A run is
	 * recorded when instance->recording is there at its start: begin it,
	 * put what happens into its rings (recorder.h).
	 */
	plait_status (*make_record)(plait__instance *instance,
				    plait_error *error);

	/*
	 * Begin a run: parameters are in the frame, instance->flags has what
	 * was asked for.  From any thread, a host function's too; does not
	 * block.  `inline_ok`: the calling thread will drive, so nobody has to be
	 * woken for what it can do; it may do some of that at once, and all.
	 */
	void (*start)(plait__instance *instance, bool inline_ok);

	/* For threads that wait for this run, as often as they like: do a
	 * piece of its work.  False: nothing to do for this thread now.  The
	 * run may be over long since. */
	bool (*drive)(plait__instance *instance);

	/*
	 * What is made of kernels once more, with these in the place of those
	 * that it was made of (one per kernel of the plan), for instances whose
	 * `version` has it as `code`, or null, and its end.  A null `recode`:
	 * kernels cannot be exchanged.  Runs are on their way.
	 */
	plait_status (*recode)(plait__program *program,
			       plait__object *const *kernels,
			       void **out, plait_error *error);
	void (*forget)(plait__program *program, void *code);

	/* What it waits for (blocked_on.h): a wait took too long.  It stays this
	 * run's meanwhile, and may be over.  Null: nothing is known. */
	void (*find)(plait__instance *instance, plait__blocked_on *out);

	/* instance->stop has just been set.  Null: it is looked at anyway. */
	void (*cancel)(plait__instance *instance);
};

/* Queues of any backend. */
extern const plait__engine plait__queue_engine;

#endif
