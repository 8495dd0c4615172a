/* SPDX-License-Identifier: MIT */
/*
 * Interface of the two engines that execute runs.  A program (program.h) is a
 * prepared plan: its engine has compiled it, and it has a fixed number of
 * instances, each with the arguments and the memory of one run in flight.
 *
 *     prepare --make, make--> ... start, drive*, [cancel] ... --unmake--> discard
 *
 * An engine calls plait__instance_complete exactly once for each start.  An
 * engine reports a failed command with plait__instance_fail and starts no
 * command of that run afterwards.  Both engines keep the order that plan.h
 * promises, so a run has one result, whether lanes of the host or queues of a
 * device execute it.
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
typedef struct plait__awaited_points plait__awaited_points;

struct plait__engine {
	const char *name;
	/* The engine maps the plan's memory once, before the first run. */
	bool maps;
	/* A run needs other threads: a host function must not wait for it. */
	bool needs_others;

	/* Once per plan: makes the part that all instances share,
	 * program->compiled. discard frees it, also after prepare failed. */
	plait_status (*prepare)(plait__program *program, plait_error *error);
	void (*discard)(plait__program *program);
	/* plait_plan_prepare was called again: measure again what may have
	 * changed on the machine.  Null: nothing to measure. */
	void (*recalibrate)(plait__program *program);

	/* Once per instance: makes its queues, signals and lanes,
	 * instance->state. unmake frees them, also after make failed.  The
	 * frame exists before. */
	plait_status (*make)(plait__instance *instance, plait_error *error);
	void (*unmake)(plait__instance *instance);

	/* Makes the instance recordable, perhaps while a run that is not
	 * recorded is in flight; called again after a failure.  A run is
	 * recorded if instance->recording is set at its start: the engine
	 * begins the recording and writes entries to its rings (recorder.h). */
	plait_status (*make_record)(plait__instance *instance,
				    plait_error *error);

	/* Starts a run: parameters are in the frame, flags in instance->flags.
	 * Called from any thread, also inside a host function; does not block.
	 * `inline_ok`: the calling thread will drive the run, so the engine
	 * need not wake a worker for the caller's share, and may execute some
	 * or all of the run before it returns. */
	void (*start)(plait__instance *instance, bool inline_ok);

	/* Executes a piece of the run on a waiting thread.  Returns false if
	 * this thread has nothing to do now.  May be called after the run is
	 * over. */
	bool (*drive)(plait__instance *instance);

	/* Makes the code of a kernel version: `kernels` replaces the plan's
	 * kernels, one entry each.  Instances whose `version` is that one use
	 * *out; forget frees it.  Runs may be in flight.  Null: kernels cannot
	 * be exchanged. */
	plait_status (*recode)(plait__program *program,
			       plait__object *const *kernels,
			       void **out, plait_error *error);
	void (*forget)(plait__program *program, void *code);

	/* Describes the command that the run is blocked on (blocked_on.h), for
	 * a wait that timed out.  The instance stays with this run meanwhile;
	 * the run may be over.  Null: the engine knows nothing. */
	void (*describe_blocked)(plait__instance *instance,
				 plait__blocked_on *out);

	/* Finds points of backends that the run cannot end without
	 * (wait_in_driver.h), for a waiting thread that may enter their
	 * drivers.  The instance stays with this run meanwhile.  Null: the
	 * engine knows none. */
	void (*find_points)(plait__instance *instance,
			    plait__awaited_points *out);

	/* Cancellation: called after instance->stop was set.  Null: the engine
	 * polls it. */
	void (*cancel)(plait__instance *instance);
};

#endif
