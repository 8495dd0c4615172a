/* SPDX-License-Identifier: MIT */
/*
 * plait/run.h - running plans: parameters, runs, completion, cancellation.
 *
 * A plan runs any number of times: on a queue, where a run behaves as one
 * command, or by plait_plan_call, where the calling thread does the work if
 * possible.  Runs of one plan may overlap unless they access the same memory;
 * each uses one of the plan's instances, whose number is fixed (`instances` of
 * plait_freeze_desc).
 *
 * Example:
 *
 *     uint32_t number, turn;
 *
 *     plait_plan_find_parameter(plan, "turn", &number, &error);
 *     for (turn = 0; turn < 10; turn++)
 *             plait_plan_run(plan, queue,
 *                            PLAIT_BINDINGS(PLAIT_BIND_VALUE(number, turn)),
 *                            NULL, &error);
 *     plait_queue_finish(queue, PLAIT_FOREVER, &error);
 *
 * Parameters.  Each run provides the values, buffers and launches that nodes
 * name (PLAIT_ARGUMENT_PARAMETER, `launch_parameter`, `target_parameter`,
 * `source_parameter`).  plait_plan_find_parameter looks up the number of a name
 * once; runs bind by number.
 *
 * Overlap.  A run has its arguments, scratch and temporaries
 * (PLAIT_BUFFER_TEMPORARY) for itself; the other buffers that nodes name are
 * shared by all runs.  So runs of one plan that conflict execute
 * one after the other, in the order in which their queues reach them: all runs
 * of a plan that writes a buffer which it names, and runs of which one writes
 * bytes that the other has bound, or that the plan names.  A parameter that is
 * a buffer counts from its offset to the end of the buffer; bind views
 * (plait_buffer_view) for less.  Accesses are those that nodes declare: kernels
 * by their signatures, copies, fills.  Host functions declare none, so those of
 * different runs may execute at the same time.  Runs that do not conflict
 * overlap, and PLAIT_RUN_OVERLAP lets a run overlap that would conflict.  A run
 * must not wait for what only a later, conflicting run of its plan does.  Runs
 * of different plans, and other commands on the same buffers, are ordered by
 * queues and signals alone.
 *
 * Failure.  The first node that fails ends the run: its successors do not run,
 * nodes that have started complete, and the run's error names the node.  On a
 * queue the run is then a failed command: the commands behind it do not run
 * until plait_queue_finish has reported the error.
 *
 * Threads.  Kernels and host functions of a plan run on the workers of the
 * context and on threads that wait for the run; other backends run the work of
 * their devices.  A function with an inbox, a predicate too, runs when the
 * inbox's owner pulls the event or waits for the run.  Functions that are not
 * ordered must not depend on running concurrently, nor may the members of a
 * group.
 *
 * Memory.  The first run, or plait_plan_prepare, allocates the memory of all
 * later runs.  Later runs allocate only: handles of runs held beyond the number
 * of instances; runs behind a failed run that their queue has not reported yet;
 * queues of another backend than the plan's; and room in a queue that never had
 * as many commands in flight.
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

/* Kind of a parameter. */
typedef uint32_t plait_parameter_kind;
enum {
	/* `bytes` bytes at `value`, copied during the call. */
	PLAIT_PARAMETER_VALUE = 0,
	/* `buffer`, from `offset_bytes` on; held until the run completes. */
	PLAIT_PARAMETER_BUFFER = 1,
	/* `value` is a plait_launch, copied during the call. */
	PLAIT_PARAMETER_LAUNCH = 2,
	/* `value` is the address of memory of the program, and `bytes` the
	 * size of that memory, valid until the run completes.  A READ writes to
	 * it.  Values that a launch takes from it (PLAIT_ARGUMENT_HOST) are
	 * aligned like their types, vectors and structs to 8 bytes. */
	PLAIT_PARAMETER_HOST = 3
};

/* A parameter of a plan. */
typedef struct plait_parameter_info {
	uint32_t size;
	plait_parameter_kind kind;
	/* VALUE: size of the type; else 0. */
	uint64_t bytes;
	/* Type as in signatures, "f32" or "pointer"; or "launch".  HOST: "in"
	 * if runs read the memory, "out" if they write it, or "inout". */
	char type[32];
	/* Cut to fit. */
	char name[64];
} plait_parameter_info;

/* The value of a parameter for one run. */
typedef struct plait_binding {
	uint32_t size;
	/* Number of the parameter; see plait_plan_find_parameter. */
	uint32_t parameter;
	const void *value;
	uint64_t bytes;
	plait_buffer *buffer;
	uint64_t offset_bytes;
} plait_binding;

/*
 * plait_plan_parameter_count - get the number of parameters of a plan.
 *
 * @param plan      borrowed, non-null: the plan
 * @param out_count borrowed, non-null: count; numbers are 0 to count - 1
 * @param error     borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_parameter_count(plait_plan *plan,
						  uint32_t *out_count,
						  plait_error *error);

/*
 * plait_plan_find_parameter - get the number of a parameter.
 *
 * @param plan       borrowed, non-null: the plan
 * @param name       borrowed, non-null: its name
 * @param out_number borrowed, non-null: number for plait_binding.parameter
 * @param error      borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (no such name),
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_find_parameter(plait_plan *plan,
						 const char *name,
						 uint32_t *out_number,
						 plait_error *error);

/*
 * plait_plan_query_parameter - get the properties of a parameter.
 *
 * @param plan   borrowed, non-null: the plan
 * @param number value: below plait_plan_parameter_count
 * @param info   borrowed, non-null: set `size`; the rest is filled
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_query_parameter(plait_plan *plan,
						  uint32_t number,
						  plait_parameter_info *info,
						  plait_error *error);

/* ------------------------------------------------------------------------
 * Runs
 */

/* Flags of a run. */
typedef uint32_t plait_run_flags;
enum {
	/* Return PLAIT_E_BUSY if all instances are in flight; do not wait.
	 * plait_plan_call: also if a run is in flight that conflicts. */
	PLAIT_RUN_NO_WAIT = 1 << 0,
	/* Host plans: one lane at a time, in an order that the plan permits. */
	PLAIT_RUN_SERIAL = 1 << 2,
	/* Host plans: all lanes concurrently, even if no gain is expected.
	 * Without both flags the library chooses. */
	PLAIT_RUN_PARALLEL = 1 << 3,
	/* Record the commands of each lane; see plait/trace.h. */
	PLAIT_RUN_RECORD = 1 << 4,
	/* Wait for no run of the plan that accesses the same memory; see
	 * Overlap. */
	PLAIT_RUN_OVERLAP = 1 << 5
};

typedef struct plait_run_desc {
	uint32_t size;
	plait_run_flags flags;
	/* Every parameter once, in any order; the first one's `size` applies
	 * to all.  A parameter that no node of the plan uses may be left out:
	 * its nodes were removed, or are not in the part of the graph. */
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
#define PLAIT_BIND_HOST(number, address, bytes) \
	{ sizeof(plait_binding), (number), (address), (bytes), 0, 0 }

/* C: a pointer to a plait_run_desc with bindings and no flags, as in
 * PLAIT_BINDINGS(PLAIT_BIND_VALUE(number, turn)), for the duration of the
 * enclosing block. */
#define PLAIT_BINDINGS(...) \
	(&(plait_run_desc){ sizeof(plait_run_desc), 0, \
			    (plait_binding[]){ __VA_ARGS__ }, \
			    sizeof((plait_binding[]){ __VA_ARGS__ }) / \
				    sizeof(plait_binding) })

/* State of a run. */
typedef struct plait_run_info {
	uint32_t size;
	/* PLAIT_PENDING, PLAIT_OK or the failure. */
	plait_status status;
	/* Iterations of all loops; 0 before completion, unless recorded. */
	uint64_t iterations;
	/* Command that failed first; UINT64_MAX: none. */
	uint64_t failed_command;
	/* With PLAIT_RUN_RECORD: completed commands of all iterations, and
	 * their total if loops run the expected number of iterations; else
	 * 0. */
	uint64_t commands;
	uint64_t commands_expected;
	/* With PLAIT_RUN_RECORD, after completion: monotonic clock at start
	 * and end. */
	uint64_t begin_ns;
	uint64_t end_ns;
	/* Number of loops and branches executed by their device alone; their
	 * iterations are not counted.  0 if the host decided all of them
	 * (PLAIT_LOG=info logs the reason), and before completion. */
	uint64_t device_regions;
} plait_run_info;

/* One command of a plan. */
typedef struct plait_command_info {
	uint32_t size;
	/* Kind of its node. */
	plait_node_kind kind;
	uint32_t lane;
	/* Index of the lane's device within the plan. */
	uint32_t device;
	/* Label of the node, or the name of the kernel of a launch without a
	 * label; cut to fit; possibly empty. */
	char label[64];
} plait_command_info;

/*
 * plait_plan_prepare - allocate and compile everything a run needs.
 *
 * The call creates the instances with their arguments, memory and queues, and
 * the device segments, those with parameters too.  Without it the first run
 * does this.
 *
 * @param plan  borrowed, non-null: the plan
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK (also if it is prepared), PLAIT_E_STATE (an unbound name,
 *         see plait_plan_query_binding), PLAIT_E_INVALID (a plan that was read
 *         does not match its bindings; incompatible backends),
 *         PLAIT_E_UNSUPPORTED (also loops and cases of a text form, which have
 *         no predicate), PLAIT_E_NOMEM, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_prepare(plait_plan *plan,
					  plait_error *error);

/*
 * plait_plan_rehearse - turn a plan into a rehearsal, which executes costs.
 *
 * Runs of a rehearsal call no code, emit and await no signal, and need no
 * kernels, buffers, functions, signals, devices or parameters.  Each command
 * keeps its lane busy for its cost, loops run the expected number of
 * iterations, and cases take the expected branch, or the longest one.  All
 * lanes run on the host.
 *
 * @param plan    borrowed, non-null: a plan that is not prepared
 * @param unit_ns value: duration of a unit of cost; 0: commands do nothing
 * @param error   borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_STATE (the plan is prepared), PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_rehearse(plait_plan *plan, uint64_t unit_ns,
					   plait_error *error);

/*
 * plait_plan_exchange - replace a kernel of a plan.
 *
 * Runs submitted after the call use the new kernel, on all threads; earlier
 * runs keep the old one.  The saved form of the plan does not change, since the
 * signatures are equal.  The call prepares the plan.
 *
 * @param plan   borrowed, non-null: the plan
 * @param old    borrowed, non-null: a kernel that the plan launches
 * @param kernel borrowed, non-null: a kernel with an equal signature text
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (the signatures differ, the text has both;
 *         the plan does not launch `old`; another group size),
 *         PLAIT_E_UNSUPPORTED (a device cannot run the kernel), PLAIT_E_STATE
 *         (a rehearsal), PLAIT_E_NOMEM, and as plait_plan_prepare
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_exchange(plait_plan *plan, plait_kernel *old,
					   plait_kernel *kernel,
					   plait_error *error);

/*
 * plait_plan_run - submit a run of a plan as one command of a queue.
 *
 * The call returns at once, also if the run has to follow a conflicting one,
 * unless all instances are in flight.  It then waits for an instance and runs
 * the functions of the caller's inboxes; an event without a function ends the
 * wait with PLAIT_E_BUSY: pull it first.  In a host function the call does not
 * wait and returns PLAIT_E_BUSY; PLAIT_E_DEADLOCK, if the runs whose functions
 * make the call have all instances: freeze the plan with more.
 *
 * @param plan  borrowed, non-null: the plan
 * @param queue borrowed, non-null: a queue of any device of the context
 * @param desc  borrowed, nullable: parameters and flags; null means none
 * @param out   owned, nullable: the run, one reference; null: no handle
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (a parameter is missing or wrong),
 *         PLAIT_E_BUSY (all instances are in flight, see above; the queue is
 *         full), PLAIT_E_DEADLOCK (the runs in flight can never end),
 *         PLAIT_E_LOST (the outcome of all runs in flight is unknown),
 *         PLAIT_E_UNSUPPORTED, as plait_plan_prepare; with PLAIT_SYNC also as
 *         plait_queue_finish
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_run(plait_plan *plan, plait_queue *queue,
				      const plait_run_desc *desc,
				      plait_run **out, plait_error *error);

/*
 * plait_plan_call - run a plan and wait for its completion.
 *
 * The calling thread does the work if possible and runs the functions of its
 * inboxes.  On a queue with pending commands the run follows them, and the call
 * reports earlier failures as plait_queue_finish does; PLAIT_EVENT_READY then
 * means that the run is pending: pull the event, then finish the queue.  In a
 * host function the call works for plans that one thread can run, and does not
 * wait for conflicting runs: PLAIT_E_BUSY, or PLAIT_E_DEADLOCK if the caller is a
 * function of that run.
 *
 * @param plan  borrowed, non-null: the plan
 * @param queue borrowed, nullable: null: the run is not ordered with any queue
 * @param desc  borrowed, nullable: parameters and flags
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, the run's failure, PLAIT_EVENT_READY (see above),
 *         PLAIT_E_STATE (no queue, and the plan has calls that the calling
 *         thread would have to pull), PLAIT_E_DEADLOCK (in a host function, in
 *         a function of the queue; or the run could never end), and as
 *         plait_plan_run
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_call(plait_plan *plan, plait_queue *queue,
				       const plait_run_desc *desc,
				       plait_error *error);

/*
 * plait_run_retain - add one reference.
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
 * plait_run_poll - get the status of a run without waiting.
 *
 * @param run   borrowed, non-null: the run
 * @param error borrowed, nullable: filled if the run failed
 * @return PLAIT_PENDING, PLAIT_OK, the run's failure, PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_run_poll(plait_run *run, plait_error *error);

/*
 * plait_run_wait - wait for the completion of a run.
 *
 * The calling thread may execute commands of the run and runs the functions of
 * its inboxes.  A timeout may be late: the thread completes a function that has
 * started, and the following commands of the same lane up to the end of an
 * iteration or the first wait for another lane.  On a backend with simulated
 * time the timeout counts simulated time; a run that never ends is left after
 * the timeout and one more second.
 *
 * @param run        borrowed, non-null: the run
 * @param timeout_ns value: 0 polls, PLAIT_FOREVER waits
 * @param error      borrowed, nullable: filled on failure
 * @return PLAIT_OK, the run's failure, PLAIT_EVENT_READY, PLAIT_E_TIMEOUT,
 *         PLAIT_E_DEADLOCK (inside a host function, inside a function of the run
 *         or of a conflicting one that it follows, or the run could never end),
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_run_wait(plait_run *run, uint64_t timeout_ns,
				      plait_error *error);

/*
 * plait_run_cancel - request cancellation of a run.
 *
 * No further command of the run starts, in bodies too; functions that have
 * started complete.  A run that was to follow a conflicting one ends now.  The
 * run ends with PLAIT_E_CANCELLED unless it was
 * complete.
 *
 * @param run   borrowed, non-null: the run
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK (also if it is complete), PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_run_cancel(plait_run *run, plait_error *error);

/*
 * plait_run_is_stopping - ask, in a function, whether its run was stopped.
 *
 * A host function or kernel that runs for long asks it now and then, and
 * returns early: nothing waits for its result any more.  A run is stopped by
 * plait_run_cancel, by the failure of another command, and with the run whose
 * function calls its plan.  Costs about 1 ns; any thread that executes a part
 * of a kernel may ask.  A program that pulls calls from an inbox itself asks
 * plait_inbox_is_stopping.
 *
 * @return 1 if the run was stopped; 0 if not, and outside functions of runs
 * @thread any
 * @since 1
 */
PLAIT_API int32_t plait_run_is_stopping(void);

/*
 * plait_worker_index - get the index of the worker that is the calling thread.
 *
 * For memory that each worker has to itself, in functions and kernels.  A
 * thread that waits executes functions, too, and is no worker: a table by
 * worker needs one row more, at index -1.  Several such threads may be there.
 *
 * @return 0 to the number of workers of its context - 1; -1 on other threads
 * @thread any
 * @since 1
 */
PLAIT_API int32_t plait_worker_index(void);

/*
 * plait_run_notify - request an event for the end of a run.
 *
 * The inbox receives exactly one PLAIT_EVENT_RUN, with the status of the run,
 * or with PLAIT_E_CANCELLED if the inbox is closed before.
 *
 * @param run       borrowed, non-null: the run
 * @param inbox     borrowed, non-null: receives the event
 * @param function  borrowed, nullable: run by plait_inbox_pump; null: the
 *                  owner pulls the event
 * @param user_data borrowed, nullable: passed through
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
 * plait_run_query - get the state of a run.
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
 * plait_plan_query_command - get the properties of a command of a plan.
 *
 * @param plan    borrowed, non-null: the plan
 * @param command value: below `commands` of plait_plan_info
 * @param info    borrowed, non-null: set `size`; the rest is filled
 * @param error   borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_plan_query_command(plait_plan *plan,
						uint64_t command,
						plait_command_info *info,
						plait_error *error);

#ifdef __cplusplus
}
#endif

#endif
