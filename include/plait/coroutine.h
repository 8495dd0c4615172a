/* SPDX-License-Identifier: MIT */
/*
 * plait/coroutine.h - host functions that wait without holding a thread.
 *
 * A CALL node with PLAIT_CALL_COROUTINE (and PLAIT_CALL_ANY_THREAD), or the
 * launch of a kernel with PLAIT_KERNEL_COROUTINE, by a plan or on a queue of
 * the host, runs its function on a stack of its own.  Where it awaits
 * something, the function is suspended and its thread does other work; the
 * lane of the node is parked, so that nodes on other lanes go on.  The
 * function continues on any thread of the run, or with PLAIT_CALL_FIRST_WORKER
 * or PLAIT_KERNEL_FIRST_WORKER only on the worker that began it: its
 * thread-local state stays the same, and it has to wait for that worker.  If
 * another function ends that worker (pthread_exit), a new worker with
 * thread-local state of its own continues the function.  No thread of the
 * program begins such a function; so without workers (PLAIT_WORKERS=0) its
 * plan is PLAIT_E_UNSUPPORTED when it is prepared.
 *
 * Example:
 *
 *     int32_t serve(void *user_data)
 *     {
 *             const uint64_t *requests = user_data;
 *
 *             for (uint64_t i = 1; i <= *requests; i++)
 *                     if (plait_await_signal(signal, i, PLAIT_FOREVER, NULL) ||
 *                         plait_await_plan(plan, queue, NULL, PLAIT_FOREVER,
 *                                          NULL))
 *                             return 1;
 *             return 0;
 *     }
 *
 * What an await returns: PLAIT_OK; the failure of what was awaited;
 * PLAIT_E_CANCELLED at once when the run of the node was stopped, and for every
 * later await of the function, which then returns soon; or PLAIT_E_TIMEOUT, with
 * a text that says what is missing, when its time has passed.  If several are
 * true, the first in this order: cancelled, decided, timed out.
 *
 * Waits.  Directly in a coroutine these suspend it, too, where they would
 * otherwise be PLAIT_E_DEADLOCK or PLAIT_E_BUSY: plait_run_wait,
 * plait_signal_wait, plait_signal_wait_points, plait_queue_finish,
 * plait_flow_wait, plait_plan_call of a plan that may have to wait, and without
 * room plait_flow_submit, plait_flow_submit_many, plait_data_map, plait_data_read
 * and plait_data_write.  A stop of the run ends them with PLAIT_E_CANCELLED.  A
 * wait for an object of another context than the run's is PLAIT_E_HANDLE.
 *
 * Rules.  Between two awaits a function may be on different threads: it holds
 * no lock and keeps no address of a thread-local variable across an await.  (On
 * its first worker it may keep the address, but still no lock: other functions
 * run there meanwhile.) It does not await where C++ handles an exception: in a
 * catch block, or in a destructor that one has called.  It does not leave by
 * longjmp.  A C++ exception that leaves it fails its node, on x86-64 and
 * aarch64; elsewhere it ends the process.  A function that ends its thread
 * (pthread_exit) fails its node, and its stack is lost.  Stacks have a size of
 * their own, 64 KiB unless PLAIT_COROUTINE_STACK says otherwise, above a guard
 * page; large arrays belong elsewhere.
 *
 * A plan with coroutines runs on the host; a device among its nodes, or
 * PLAIT_FREEZE_QUEUES, is PLAIT_E_UNSUPPORTED when the plan is prepared.  Nodes
 * behind a coroutine on the same lane wait for its end: freeze with enough
 * lanes, or PLAIT_POLICY_WIDEST.
 */
#ifndef PLAIT_COROUTINE_H
#define PLAIT_COROUTINE_H

#include "plait/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * plait_await_signal - in a coroutine: wait for an emission.
 *
 * @param signal   borrowed, non-null: a signal of the run's context
 * @param sequence value: the emission, which need not be submitted yet; 0 means
 *                 the newest one that was submitted, if there is any
 * @param timeout_ns value: 0 polls, PLAIT_FOREVER waits
 * @param error    borrowed, nullable: filled on failure
 * @return PLAIT_OK, the failure of the emission, PLAIT_E_CANCELLED,
 *         PLAIT_E_TIMEOUT, PLAIT_E_DEADLOCK (released, so it can never be emitted),
 *         PLAIT_E_STATE (not directly in a coroutine), PLAIT_E_NOMEM,
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_await_signal(plait_signal *signal,
					  uint64_t sequence,
					  uint64_t timeout_ns,
					  plait_error *error);

/*
 * plait_await_points - in a coroutine: wait for several emissions, or for the
 * first of them.
 *
 * @param points     borrowed, nullable: signals and sequences, as for
 *                   plait_await_signal; null when `count` is 0
 * @param count      value: number of points; 0 waits for nothing
 * @param mode       value: PLAIT_WAIT_ALL or PLAIT_WAIT_ANY
 * @param timeout_ns value: 0 polls, PLAIT_FOREVER waits
 * @param out_index  borrowed, nullable: index of the point that ended the wait
 *                   (any), or that failed; else 0
 * @param error      borrowed, nullable: filled on failure
 * @return PLAIT_OK, the failure of a point at once, PLAIT_E_INVALID (the mode,
 *         null points, too many), and as plait_await_signal
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_await_points(const plait_point *points,
					  uint64_t count, int32_t mode,
					  uint64_t timeout_ns,
					  uint64_t *out_index,
					  plait_error *error);

/*
 * plait_await_run - in a coroutine: wait for the end of another run.
 *
 * Neither a stop of the coroutine's run nor the end of the time stops the awaited
 * one; see plait_run_cancel.
 *
 * @param run   borrowed, non-null: a run of the same context, not the
 *              coroutine's own
 * @param timeout_ns value: 0 polls, PLAIT_FOREVER waits
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, the run's failure, PLAIT_E_CANCELLED, PLAIT_E_TIMEOUT, PLAIT_E_STATE (not
 *         directly in a coroutine), PLAIT_E_DEADLOCK (its own run,
 *         or one that has to follow it), PLAIT_E_NOMEM, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_await_run(plait_run *run, uint64_t timeout_ns,
				       plait_error *error);

/*
 * plait_await_plan - in a coroutine: run a plan and wait for its end.
 *
 * If the coroutine's run is stopped meanwhile, or the time has passed, the plan's
 * run is cancelled, and the call returns at once; memory that the run uses is
 * free when `queue` has finished.
 *
 * @param plan  borrowed, non-null: the plan
 * @param queue borrowed, non-null: the queue that the run enters
 * @param desc  borrowed, nullable: as for plait_plan_run
 * @param timeout_ns value: PLAIT_FOREVER waits; 0 does not, and cancels
 * @param error borrowed, nullable: filled on failure
 * @return as plait_plan_run and plait_await_run; PLAIT_E_BUSY if all instances
 *         of the plan are in flight, PLAIT_E_DEADLOCK if the coroutine's run
 *         has the only one
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_await_plan(plait_plan *plan, plait_queue *queue,
					const plait_run_desc *desc,
					uint64_t timeout_ns,
					plait_error *error);

/*
 * plait_yield - in a coroutine: let the thread do other work first.
 *
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_CANCELLED, PLAIT_E_STATE (not directly in a
 *         coroutine), PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_yield(plait_error *error);

#ifdef __cplusplus
}
#endif

#endif
