/* SPDX-License-Identifier: MIT */
/*
 * plait/run.h - running plans.
 *
 * A plan is run as often as you like: on a queue, where a run behaves as one
 * command of that queue, or by plait_plan_call, where the calling thread does
 * the work if it can.  Runs of one plan may overlap; each has an instance of
 * its own, of which a plan has a fixed number (`instances` of
 * plait_freeze_desc).
 *
 * Parameters.  What nodes refer to by name (PLAIT_ARGUMENT_PARAMETER and
 * `launch_parameter`; `target_parameter` and `source_parameter` of copies and
 * fills) each run has to be told: values, buffers, launch sizes.
 * Names are looked up once, by plait_plan_parameter; runs bind by number.
 *
 * Failure.  The first node that fails ends the run: what depends on it does
 * not run, what has begun is finished, and the run's error names the node.  On
 * a queue the run then is a command that failed: what the queue has behind it
 * does not run until plait_queue_finish has reported it.
 *
 * Where functions run.  Kernels and host functions of a plan run on the
 * workers of the context, and on threads that wait for the run; on devices of
 * other backends where these run them.  A function of an inbox, also one that
 * is a predicate, runs when its owner pulls it, or waits for the run.  No
 * function may rely on another one that is not ordered with it to run at the
 * same time, members of a group neither.
 *
 * Memory.  The first run of a plan allocates what all others use, or
 * plait_plan_prepare does; later ones allocate nothing, but for the handles
 * of runs that are kept beyond the number of instances, for runs that come
 * behind a failed one which their queue has yet to report, for queues of
 * another backend than the plan's, and for room in a queue that never had as
 * much in flight.
 */
#ifndef PLAIT_RUN_H
#define PLAIT_RUN_H

#include "plait/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------
 * Parameters
 */

/* What a parameter is. */
enum {
	/* `bytes` bytes at `value`, copied now. */
	PLAIT_PARAMETER_VALUE = 0,
	/* `buffer`, from `offset_bytes` on; kept until the run is done. */
	PLAIT_PARAMETER_BUFFER = 1,
	/* `value` is a plait_launch, copied now. */
	PLAIT_PARAMETER_LAUNCH = 2
};

/* One thing that a plan wants to be told. */
typedef struct plait_parameter_info {
	uint32_t size;
	/* One of PLAIT_PARAMETER_... */
	uint32_t kind;
	/* VALUE: the size of its type; else 0. */
	uint64_t bytes;
	/* As signatures write it, "f32" or "pointer"; or "launch". */
	char type[32];
	/* Cut to fit. */
	char name[64];
} plait_parameter_info;

/* One thing that one run is told. */
typedef struct plait_binding {
	uint32_t size;
	/* Which; see plait_plan_parameter. */
	uint32_t parameter;
	const void *value;
	uint64_t bytes;
	plait_buffer *buffer;
	uint64_t offset_bytes;
} plait_binding;

/*
 * plait_plan_parameter_count - how many parameters each run has to bind.
 *
 * @param plan      borrowed, non-null: the plan
 * @param out_count borrowed, non-null: how many; their numbers are below it
 * @param error     borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_parameter_count(plait_plan *plan,
						  uint32_t *out_count,
						  plait_error *error);

/*
 * plait_plan_parameter - the number of a parameter.
 *
 * @param plan       borrowed, non-null: the plan
 * @param name       borrowed, non-null: its name
 * @param out_number borrowed, non-null: what plait_binding has as `parameter`
 * @param error      borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (there is none of this name),
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_parameter(plait_plan *plan, const char *name,
					    uint32_t *out_number,
					    plait_error *error);

/*
 * plait_plan_parameter_query - what a parameter is.
 *
 * @param plan   borrowed, non-null: the plan
 * @param number value: below plait_plan_parameter_count
 * @param info   borrowed, non-null: set `size`; the rest is filled
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_parameter_query(plait_plan *plan,
						  uint32_t number,
						  plait_parameter_info *info,
						  plait_error *error);

/* ------------------------------------------------------------------------
 * Runs
 */

/* Flags of a run. */
enum {
	/* When all instances are in flight: PLAIT_E_BUSY, do not wait. */
	PLAIT_RUN_NO_WAIT = 1 << 0,
	/* Host plans: one lane at a time, in an order that the plan allows. */
	PLAIT_RUN_SERIAL = 1 << 2,
	/* Host plans: all lanes, also where that does not look worth it.
	 * Neither of these two: the library chooses. */
	PLAIT_RUN_PARALLEL = 1 << 3,
	/* Write down what each lane does; see plait/trace.h. */
	PLAIT_RUN_RECORD = 1 << 4
};

typedef struct plait_run_desc {
	uint32_t size;
	uint32_t flags;
	/* Every parameter once, in any order; the first one's `size` applies
	 * to all. */
	const plait_binding *bindings;
	uint64_t binding_count;
} plait_run_desc;

/*
 * Initialisers of a plait_binding.  PLAIT_BIND_VALUE takes the address of a
 * variable, which is read during the call.
 */
#define PLAIT_BIND_VALUE(number, variable) \
	{ sizeof(plait_binding), (number), &(variable), sizeof(variable), \
	  0, 0 }
#define PLAIT_BIND_BUFFER(number, buffer) \
	{ sizeof(plait_binding), (number), 0, 0, (buffer), 0 }

/* C: a pointer to a plait_run_desc with bindings and no flags, as in
 * PLAIT_BINDINGS(PLAIT_BIND_VALUE(number, turn)), for the duration of the
 * enclosing block. */
#define PLAIT_BINDINGS(...) \
	(&(plait_run_desc){ sizeof(plait_run_desc), 0, \
			    (plait_binding[]){ __VA_ARGS__ }, \
			    sizeof((plait_binding[]){ __VA_ARGS__ }) / \
				    sizeof(plait_binding) })

/* How a run is getting on, or how it ended. */
typedef struct plait_run_info {
	uint32_t size;
	/* PLAIT_PENDING, PLAIT_OK or its failure. */
	plait_status status;
	/* Iterations of all loops; 0 before it is done, unless recorded. */
	uint64_t iterations;
	/* Which command failed first; UINT64_MAX if none did. */
	uint64_t failed_command;
	/* Of a run with PLAIT_RUN_RECORD: how many commands were done so far,
	 * in all iterations, and how many of them would have to be if loops
	 * ran as often as was expected; else 0. */
	uint64_t commands;
	uint64_t commands_expected;
	/* Likewise, once it is done: the monotonic clock at its start and
	 * its end. */
	uint64_t begin_ns;
	uint64_t end_ns;
	/* How often a loop or branch was given to its device, which decided
	 * it alone, with all in it: their iterations are not counted.  0 where
	 * the host decided all (PLAIT_LOG=info says why), or while it runs. */
	uint64_t device_regions;
} plait_run_info;

/* One command of a plan. */
typedef struct plait_command_info {
	uint32_t size;
	/* PLAIT_NODE_... of the node that it comes from. */
	uint32_t kind;
	uint32_t lane;
	/* Index of the lane's device within the plan. */
	uint32_t device;
	/* Cut to fit; empty when the node has none. */
	char label[64];
} plait_command_info;

/*
 * plait_plan_prepare - do now what the first run would do.
 *
 * Makes the instances: their arguments, memory and queues, and what devices take
 * as one command, also where runs have to tell something.
 *
 * @param plan  borrowed, non-null: the plan
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK (also when it was done before), PLAIT_E_STATE (a name of
 *         the plan is not bound, see plait_plan_query_binding),
 *         PLAIT_E_INVALID (a plan that was read does not fit what it was bound
 *         to; nodes on several backends that do not go together),
 *         PLAIT_E_UNSUPPORTED (also loops and cases of a text, which have no
 *         predicate), PLAIT_E_NOMEM, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_prepare(plait_plan *plan,
					  plait_error *error);

/*
 * plait_plan_rehearse - run a plan without what it names.
 *
 * From now on its runs call nothing and need neither kernels nor buffers,
 * functions, devices or parameters: each command keeps the lane that has it busy
 * for its cost, loops run as often as was expected, cases take the branch that
 * was expected, or the longest one.  All lanes are lanes of the host.
 *
 * @param plan    borrowed, non-null: a plan that was not prepared yet
 * @param unit_ns value: how long a unit of cost is; with 0 commands do nothing
 * @param error   borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_STATE (it was prepared), PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_rehearse(plait_plan *plan, uint64_t unit_ns,
					   plait_error *error);

/*
 * plait_plan_exchange - have another kernel do what one does.
 *
 * Runs that are asked for from now on use it, also those of other threads; runs
 * that were asked for before keep the one that they had.  The plan stays as it
 * is: saved, it has the signature, which is the same.  Prepares the plan.
 *
 * @param plan   borrowed, non-null: the plan
 * @param old    borrowed, non-null: a kernel that it launches now
 * @param kernel borrowed, non-null: one with the same signature, as text
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (the signatures differ, both are shown; the
 *         plan does not launch `old`; another size of groups),
 *         PLAIT_E_UNSUPPORTED (a device cannot run it), PLAIT_E_STATE (a
 *         rehearsal), PLAIT_E_NOMEM, and as plait_plan_prepare
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_exchange(plait_plan *plan, plait_kernel *old,
					   plait_kernel *kernel,
					   plait_error *error);

/*
 * plait_plan_run - run a plan as one command of a queue.
 *
 * Returns at once, unless it has to wait for an instance; then functions of the
 * caller's inboxes are served, and an event without one ends the wait:
 * PLAIT_E_BUSY, pull it first.  In a host function it never waits: the same.
 *
 * @param plan  borrowed, non-null: the plan
 * @param queue borrowed, non-null: of any device of the context
 * @param desc  borrowed, nullable: parameters and flags; null means none
 * @param out   owned, nullable: the run, one reference; null if you do not
 *              want to know
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (a parameter is missing or wrong),
 *         PLAIT_E_BUSY (all instances are in flight, see above; the queue is
 *         full),
 *         PLAIT_E_DEADLOCK (they can never end), PLAIT_E_LOST (nobody knows
 *         what became of the work of any), PLAIT_E_UNSUPPORTED, as
 *         plait_plan_prepare; with PLAIT_SYNC also what plait_queue_finish
 *         returns
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_run(plait_plan *plan, plait_queue *queue,
				      const plait_run_desc *desc,
				      plait_run **out, plait_error *error);

/*
 * plait_plan_call - run a plan and wait until it is done.
 *
 * The calling thread does the work where it can.  With a queue that has work
 * to do the run comes behind that, and what failed before it is reported, as
 * by plait_queue_finish; then PLAIT_EVENT_READY means that the run is on its
 * way: pull the event and finish the queue.  Functions of the caller's inboxes
 * are served.  In a host function it works for plans that one thread can run.
 *
 * @param plan  borrowed, non-null: the plan
 * @param queue borrowed, nullable: null means that the run is ordered with
 *              nothing
 * @param desc  borrowed, nullable: parameters and flags
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, the run's failure, PLAIT_EVENT_READY (see above),
 *         PLAIT_E_STATE (no queue, and the plan has calls that the calling
 *         thread itself would have to pull), PLAIT_E_DEADLOCK (in a host
 *         function; or nothing could ever end it), and as plait_plan_run
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_call(plait_plan *plan, plait_queue *queue,
				       const plait_run_desc *desc,
				       plait_error *error);

/*
 * plait_run_retain - one more reference.
 *
 * @param run borrowed, nullable: the run; null and stale are ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_run_retain(plait_run *run);

/*
 * plait_run_release - give one reference back; the run goes on.
 *
 * @param run consumed, nullable: the run; null is ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_run_release(plait_run *run);

/*
 * plait_run_poll - is it done?
 *
 * @param run   borrowed, non-null: the run
 * @param error borrowed, nullable: filled when the run failed
 * @return PLAIT_PENDING, PLAIT_OK, the run's failure, PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_run_poll(plait_run *run, plait_error *error);

/*
 * plait_run_wait - wait until it is done.
 *
 * May do work of the run on the calling thread; serves its inboxes.  What it
 * has begun it goes on with, so that a timeout may be told late: a function to
 * its end, and what the same lane has behind it, loops too, as far as nothing
 * of that waits for others.
 *
 * @param run        borrowed, non-null: the run
 * @param timeout_ns value: 0 polls, PLAIT_FOREVER waits
 * @param error      borrowed, nullable: filled on failure
 * @return PLAIT_OK, the run's failure, PLAIT_EVENT_READY, PLAIT_E_TIMEOUT,
 *         PLAIT_E_DEADLOCK (inside a host function, or nothing could ever end
 *         it), PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_run_wait(plait_run *run, uint64_t timeout_ns,
				      plait_error *error);

/*
 * plait_run_cancel - ask it to end.
 *
 * Nothing of the run starts any more, in bodies neither; a function that runs
 * now is waited for.  The run ends with PLAIT_E_CANCELLED, unless it was done.
 *
 * @param run   borrowed, non-null: the run
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK (also when it is done), PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_run_cancel(plait_run *run, plait_error *error);

/*
 * plait_run_notify - have the end of a run announced as an event.
 *
 * Exactly one PLAIT_EVENT_RUN comes, with the status of the run, or
 * PLAIT_E_CANCELLED when the inbox is closed before.
 *
 * @param run       borrowed, non-null: the run
 * @param inbox     borrowed, non-null: where
 * @param function  borrowed, nullable: run by pump; null to have the event
 * @param user_data borrowed, nullable: handed back as it is
 * @param error     borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_STATE (the inbox is closed), PLAIT_E_NOMEM,
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_run_notify(plait_run *run, plait_inbox *inbox,
					plait_host_function function,
					void *user_data, plait_error *error);

/*
 * plait_run_query - how it is getting on, or how it ended.
 *
 * @param run   borrowed, non-null: the run
 * @param info  borrowed, non-null: set `size`; the rest is filled
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_run_query(plait_run *run, plait_run_info *info,
				       plait_error *error);

/*
 * plait_plan_command - what a command of a plan is.
 *
 * @param plan    borrowed, non-null: the plan
 * @param command value: below `commands` of plait_plan_info
 * @param info    borrowed, non-null: set `size`; the rest is filled
 * @param error   borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_command(plait_plan *plan, uint64_t command,
					  plait_command_info *info,
					  plait_error *error);

#ifdef __cplusplus
}
#endif

#endif
