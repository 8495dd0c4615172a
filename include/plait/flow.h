/* SPDX-License-Identifier: MIT */
/*
 * plait/flow.h - tasks in, schedule out: tasks come one at a time with the
 * data that they use; their order is inferred, and they run at once.
 *
 * Each task names the data that it reads and writes.  Tasks have the effect of
 * running one by one in the order of their submission; two tasks overlap unless
 * they access the same elements and one of them writes.  Nothing is declared in
 * advance, and a submission returns before its task has run.
 *
 * Example:
 *
 *     float cells[1000] = { 20 }, rate = 0.1f;
 *     plait_data_desc desc = { .size = sizeof(desc), .dimensions = 1,
 *                              .element_bytes = 4, .extent = { 1000 } };
 *     plait_flow_create(context, NULL, &flow, &error);
 *     plait_data_create(flow, &desc, &u, &error);
 *     plait_data_create(flow, &desc, &v, &error);
 *     plait_data_write(u, NULL, cells, &error);
 *     for (int i = 0; i < 1000; i++)
 *         plait_flow_launch(flow, kernel, PLAIT_ITEMS(1000),
 *             PLAIT_ARGUMENTS(PLAIT_DATA(i % 2 ? v : u),
 *                 PLAIT_DATA(i % 2 ? u : v), PLAIT_VALUE(rate)), NULL, &error);
 *     plait_data_read(u, NULL, cells, &error);
 *
 * Order.       Of tasks of several threads: the order in which their calls of
 *              plait_flow_submit got the flow.
 * Failure.     A task that fails poisons what it writes.  A task that reads
 *              poison does not run, and poisons what it writes; a task that
 *              overwrites it without reading runs, and cures it.  All others go
 *              on.  A wait tells the failure.
 * Devices.     Tasks run on workers of the context, and on threads that wait.
 *              With `devices`, launches run there, and what a task reads is
 *              copied there.
 * Threads.     In a function of a task, a call that would wait for tasks is
 *              PLAIT_E_DEADLOCK, and a submission without room PLAIT_E_BUSY;
 *              a coroutine (plait/coroutine.h) is suspended instead.
 *              A function that the owner of an inbox runs may wait for tasks
 *              that are not behind its own.
 */
#ifndef PLAIT_FLOW_H
#define PLAIT_FLOW_H

#include "plait/data.h"
#include "plait/placement.h"
#include "plait/run.h"
#include "plait/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number of a task: grows with each submission, and is never 0.  Not
 * consecutive: the flow numbers its own work, too. */
typedef uint64_t plait_task;

/* Flags of a flow. */
typedef uint32_t plait_flow_flags;
enum {
	/* Keep what plait_flow_write prints: 100 bytes and more of each task
	 * until the flow ends, and some time for each. */
	PLAIT_FLOW_RECORD = 1 << 0,
	/* Refuse what plait_flow_write would warn of, with PLAIT_E_INVALID:
	 * reads of what nothing wrote, split launches whose pieces conflict;
	 * on devices, many small copies for a task, and evictions in many
	 * horizons.  Keeps the record, too.  Not for captured tasks. */
	PLAIT_FLOW_STRICT = 1 << 1,
	/* Prove each horizon of tasks: see doc/flow.md.  A fault of plait is
	 * PLAIT_E_INTERNAL of submissions, host accesses and waits behind it. */
	PLAIT_FLOW_CHECK = 1 << 2,
	/* Times decide nothing: equal calls of one thread give equal numbers and
	 * lanes, and equal texts of plait_flow_write.  See doc/flow-fixed.md
	 * for its cost.  Not with devices, a world or a history. */
	PLAIT_FLOW_FIXED = 1 << 3,
	/* Find tasks that repeat, and run them as repetitions (plait/repeat.h):
	 * then a submission only compares its task with the one that it expects.
	 * Such tasks wait for the end of their stretch, or for another call of the
	 * flow; they end and fail together.  See doc/flow-repetitions.md.  Not with
	 * a world, a history or another flag. */
	PLAIT_FLOW_REPEATS = 1 << 4
};

typedef struct plait_flow_desc {
	uint32_t size;
	plait_flow_flags flags;
	/* Tasks that may be not done at a time, those of the flow itself
	 * included: a power of two, 16 to 2^20; 0 means 4096, 256 over
	 * several ranks. */
	uint32_t window;
	/* Tasks that run at a time, at most 30; 0: as many as threads. */
	uint32_t lanes;
	const char *label; /* copied; names the flow in errors */
	/* Where launches run: 0 to 63, of any backends; 0: on the host. */
	plait_device *const *devices;
	uint32_t device_count;
	/* Tasks that PLAIT_FLOW_CHECK proves at a time, or that ranks compare, then
	 * at most 64; 0 means 64.  Others without that flag and a world:
	 * PLAIT_E_INVALID. */
	uint32_t horizon;
	/* See plait/placement.h.  These and `memory_bytes` do nothing without
	 * devices, so that a program can set them for those it finds. */
	plait_device_choice choose;
	plait_parent_choice parent;
	plait_lane_choice lane;
	uint32_t device_lanes;
	uint32_t threshold;
	uint32_t reserved0;
	/* Null, or the ranks that the tasks run on (doc/worlds.md), all of which
	 * submit the same ones. */
	plait_world *world;
	/* Bytes of buffers that the flow keeps in each memory of its devices, at
	 * most: others are evicted (doc/flow-memories.md). 0: no limit. */
	uint64_t memory_bytes;
	/* Null, or copied: a file of measured times of kernels, read now and
	 * written when the flow has ended (doc/flow-devices.md).  Need not exist. */
	const char *history;
	/* Null, or a file, read now: lines "From,To,Bandwidth" in GB/s, in place
	 * of what devices tell of their links, and of what is assumed of those
	 * to the host; -1 is the host. */
	const char *links;
} plait_flow_desc;

/* Kind of a task. */
typedef uint32_t plait_task_kind;
enum {
	/* Launch `kernel`. */
	PLAIT_TASK_LAUNCH = 0,
	/* Call `function(user_data)`: on any thread, or with an inbox on its
	 * owner's.  A null function with an inbox is an event that the owner
	 * answers with plait_inbox_answer. */
	PLAIT_TASK_CALL = 1,
	/* Copy `source_box` of `source` to `target_box` of `target`; the boxes
	 * have equal extents and do not overlap. */
	PLAIT_TASK_COPY = 2,
	/* Fill `target_box` of `target`: each element, of 1, 2, 4 or 8 bytes,
	 * gets the low bytes of `pattern`. */
	PLAIT_TASK_FILL = 3,
	/* Copy `source_box` of `source` to `host`, without gaps; valid until
	 * the task is done. */
	PLAIT_TASK_READ = 4,
	/* Copy `host`, without gaps and valid until the task is done, to
	 * `target_box` of `target`. */
	PLAIT_TASK_WRITE = 5,
	/* Run `plan` as `run` says, which is valid until the task is done, and
	 * read when it runs: a binding that the plan refuses fails the task, not
	 * the call.  Its accesses are those of `accesses`.  Runs of one plan come
	 * one after another; PLAIT_E_BUSY: others have all of its instances. */
	PLAIT_TASK_PLAN = 6,
	/* The next emission of `signal`, a signal of the host's backend, behind
	 * those of the flow's tasks before.  It has no sequence until the task
	 * runs, and none if it does not: plait_signal_query tells the newest. */
	PLAIT_TASK_EMIT = 7,
	/* Wait for emission `sequence` of `signal`; for one that was not submitted
	 * behind all tasks before it that emit the signal; the call returns
	 * PLAIT_E_INVALID if there are none.  0: for the newest, and those of all
	 * tasks before, if any: one that failed counts until a later task of the
	 * flow emits the signal.  Fails if that emission fails, or is not
	 * submitted: then as the newest of these tasks, and as PLAIT_E_INVALID if
	 * that one has not failed. */
	PLAIT_TASK_WAIT = 8
};

/* Flags of a task. */
typedef uint32_t plait_task_flags;
enum {
	/* Without room: PLAIT_E_BUSY, but for the last pieces on devices. */
	PLAIT_TASK_NO_WAIT = 1 << 4,
	/* After all tasks before it, and before all after it. */
	PLAIT_TASK_BARRIER = 1 << 5,
	/* Of functions without an inbox.  Over a world the function runs once on
	 * every rank, which has what the task reads; what it writes is equal on
	 * all.  It runs after all tasks before it there, so that it may wait for
	 * the other ranks: by collectives of the world, or of an MPI. */
	PLAIT_TASK_COLLECTIVE = 1 << 6
};

/* One task; fields that its kind does not use stay zero, else PLAIT_E_INVALID. */
typedef struct plait_task_desc {
	uint32_t size;
	plait_task_kind kind;
	plait_task_flags flags;
	/* Advice: tasks above 0 that can run come before those that are not.  No effect
	 * on tasks that were submitted behind what another thread ends, such as a
	 * mapping, a function with an inbox or a signal. */
	int32_t priority;
	/* Names the task in errors and traces; must live until the task is done. */
	const char *label;
	plait_kernel *kernel;
	const plait_launch *launch; /* null: one item */
	/* The first one's `size` is that of all. */
	const plait_argument *arguments;
	uint64_t argument_count;
	/* Accesses beside those that arguments, boxes and kinds name. */
	const plait_access *accesses;
	uint64_t access_count;
	plait_host_function function;
	void *user_data;
	plait_inbox *inbox;
	plait_data *target;
	plait_data *source;
	/* Null: all of it. */
	const plait_box *target_box;
	const plait_box *source_box;
	void *host;
	uint64_t pattern;
	plait_signal *signal;
	uint64_t sequence;
	/* Expected duration in ns, without a measured time of the history; 0: 1,
	 * of a launch on devices 10,000. */
	uint64_t cost;
	/* LAUNCH: outermost dimensions of `launch` that are cut, 0 to 2, into
	 * `pieces`, at most 256, without a cut at most 1; 0: as many as lanes, or
	 * devices, with a history by their speed.
	 * The pieces have the effect of running one by one, as tasks of their own
	 * would.  With several the kernel takes a PLAIT_ARGUMENT_CHUNK, which
	 * may be left out of `arguments` if its parameter is a `chunk`. */
	uint32_t split;
	uint32_t pieces;
	plait_plan *plan;
	/* Null: no parameters. */
	const plait_run_desc *run;
} plait_task_desc;

/* Properties of a flow; filled by plait_flow_query. */
typedef struct plait_flow_info {
	uint32_t size;
	uint32_t flags;
	uint32_t window;
	uint32_t lanes;
	plait_task newest; /* number */
	/* All tasks up to this one are done; others may be. */
	plait_task settled;
	/* Failed tasks, those not run included, that the flow remembers. */
	uint64_t failed;
	/* Pieces into which data is cut by accesses to boxes. */
	uint64_t pieces;
	/* Memory of the flow and of its data on the host. */
	uint64_t flow_bytes;
	uint64_t data_bytes;
	/* With PLAIT_FLOW_RECORD: warnings in what plait_flow_write prints. */
	uint64_t warnings;
	/* With PLAIT_FLOW_REPEATS: tasks submitted so far that were parts of runs of
	 * repetitions. */
	uint64_t repeated;
} plait_flow_info;

/*
 * plait_flow_create - create a flow on the host, or on devices.
 *
 * @param context borrowed, non-null: the context
 * @param desc    borrowed, nullable: null means all defaults
 * @param out     owned, non-null: the flow, one reference
 * @param error   borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (also: a file that is no history or
 *         has no links; links without devices), PLAIT_E_UNAVAILABLE (a file
 *         that cannot be read; a history without a folder for it),
 *         PLAIT_E_UNSUPPORTED (a device without
 *         PLAIT_DEVICE_NOTIFY; a device with PLAIT_FLOW_FIXED; a history with that
 *         or _REPEATS; REPEATS with another flag; flags over a world, or more
 *         than 64 ranks), of ranks _LOST,
 *         _TIMEOUT, _CANCELLED, PLAIT_E_NOMEM, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_flow_create(plait_context *context,
					 const plait_flow_desc *desc,
					 plait_flow **out, plait_error *error);

/*
 * plait_flow_retain - add one reference.
 *
 * @param flow borrowed, nullable: the flow; null and stale are ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_flow_retain(plait_flow *flow);

/*
 * plait_flow_release - give one reference back; submitted tasks still run.
 *
 * They run as long as the process does: its end drops those that are not done, but for
 * the wait below.  So wait before, with plait_flow_wait, or, once all is released, with
 * plait_context_close.
 *
 * A process that ends with status 0 waits in exit() until the tasks of its flows
 * over worlds are done and the other ranks took what they were sent: at most 10 s
 * for a submission that has begun, 10 s for the oldest task, and 10 s for the rest.
 *
 * @param flow consumed, nullable: the flow; null is ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_flow_release(plait_flow *flow);

/*
 * plait_flow_submit - submit one task.
 *
 * Returns before the task is done.  A failed call has submitted nothing.
 *
 * @param flow  borrowed, non-null: the flow
 * @param desc  borrowed, non-null: the task; copied, but for what its fields
 *              say
 * @param out   borrowed, nullable: the task's number
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (the text names the task and the argument
 *         or access), PLAIT_E_BUSY (no room: with PLAIT_TASK_NO_WAIT, or in a
 *         function of a task), PLAIT_E_DEADLOCK (no room, and a mapping of the
 *         caller is in the way), PLAIT_E_STATE (a closed inbox),
 *         PLAIT_E_UNSUPPORTED (a kernel without code for the host, or for any
 *         device of the flow; NO_WAIT or BARRIER over a world),
 *         PLAIT_EVENT_READY (not submitted: an inbox of this thread has an
 *         event), PLAIT_E_NOMEM (of a split launch, pieces
 *         may have been submitted), PLAIT_E_INTERNAL, PLAIT_E_HANDLE, _FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_flow_submit(plait_flow *flow,
					 const plait_task_desc *desc,
					 plait_task *out, plait_error *error);

/*
 * plait_flow_submit_many - submit the tasks of an array, in its order.
 *
 * As calls of plait_flow_submit, at a lower price: the lock of the flow is taken
 * once for several tasks.  Other threads may submit in between.  The call ends at
 * the first task that is not submitted; those before it are.
 *
 * @param flow  borrowed, non-null: the flow
 * @param descs borrowed, nullable: the tasks, of one `size`; null only with
 *              count 0
 * @param count value: number of tasks
 * @param out   borrowed, nullable: room for `count` numbers of tasks; 0: not
 *              submitted
 * @param error borrowed, nullable: filled on failure
 * @return as plait_flow_submit, whose text follows the index of the task in the
 *         array; PLAIT_E_INVALID (descs is null, or another size)
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_flow_submit_many(plait_flow *flow,
					      const plait_task_desc *descs,
					      uint64_t count, plait_task *out,
					      plait_error *error);

/*
 * plait_flow_launch - submit one launch of a kernel.
 *
 * @param flow      borrowed, non-null: the flow
 * @param kernel    borrowed, non-null: the kernel
 * @param launch    borrowed, nullable: the geometry; null means one item
 * @param arguments borrowed, nullable: per parameter a value, data or access
 * @param count     value: number of arguments
 * @param out       borrowed, nullable: the task's number
 * @param error     borrowed, nullable: filled on failure
 * @return as plait_flow_submit
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_flow_launch(plait_flow *flow,
					 plait_kernel *kernel,
					 const plait_launch *launch,
					 const plait_argument *arguments,
					 uint64_t count, plait_task *out,
					 plait_error *error);

/*
 * plait_flow_wait - wait for a task, or for all submitted so far.
 *
 * Of all tasks, the call tells the first failure that no call has told; a call
 * for one task tells that task's, which may be forgotten once as many tasks as
 * the window has were submitted after it.  Of failures that no call tells, the
 * first 256 are kept.  Inboxes are served as by plait_signal_wait_points.  Behind
 * its limit, or 0.1 ms if that is more, a wait begins no task, but ends one that it
 * runs; without workers it may begin one more, of any flow of the context.  A poll
 * runs tasks only without workers, for as long.
 *
 * @param flow       borrowed, non-null: the flow
 * @param task       value: the task; 0 means all
 * @param timeout_ns value: 0 polls, PLAIT_FOREVER waits
 * @param error      borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_EVENT_READY, PLAIT_E_TIMEOUT, PLAIT_E_DEADLOCK (as
 *         plait_data_map), the status of the failure (PLAIT_E_FAILED with the
 *         function's result in origin; of a task that was not run that of the
 *         cause), PLAIT_E_INVALID (no such task), PLAIT_E_INTERNAL (with
 *         PLAIT_FLOW_CHECK), PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_flow_wait(plait_flow *flow, plait_task task,
				       uint64_t timeout_ns,
				       plait_error *error);

/*
 * plait_await_task - in a coroutine (plait/coroutine.h): plait_flow_wait.
 *
 * PLAIT_E_DEADLOCK for the task whose plan the coroutine is in, and for a task
 * behind that; without a time limit also for coroutines of several tasks, of one
 * flow or more, that would await each other: the last of them to do so gets it.
 *
 * @param flow       borrowed, non-null: a flow of the run's context
 * @param task       value: the task; 0 means all
 * @param timeout_ns value: 0 polls, PLAIT_FOREVER waits
 * @param error      borrowed, nullable: filled on failure
 * @return as plait_flow_wait; PLAIT_E_CANCELLED, _NOMEM, _STATE (not in one)
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_await_task(plait_flow *flow, plait_task task,
					uint64_t timeout_ns,
					plait_error *error);

/*
 * plait_flow_notify - request an event for the end of a task.
 *
 * The inbox receives exactly one PLAIT_EVENT_TASK with the status of the task,
 * or with PLAIT_E_CANCELLED if the inbox is closed before.
 *
 * @param flow      borrowed, non-null: the flow
 * @param task      value: the task; 0: all so far, with status PLAIT_OK
 * @param inbox     borrowed, non-null: receives the event
 * @param function  borrowed, nullable: for plait_inbox_pump; null: pulled
 * @param user_data borrowed, nullable: passed through
 * @param error     borrowed, nullable: filled on failure
 * @return as plait_flow_submit, PLAIT_E_INVALID (no such task)
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_flow_notify(plait_flow *flow, plait_task task,
					 plait_inbox *inbox,
					 plait_host_function function,
					 void *user_data, plait_error *error);

/*
 * plait_flow_cancel - end all tasks submitted so far that have not begun.
 *
 * They fail with PLAIT_E_CANCELLED and poison what they write.  A task that
 * waits for a signal, or for the owner of an inbox to run its function, has not
 * begun; all that have go on.
 *
 * @param flow  borrowed, non-null: the flow
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_NOMEM, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_flow_cancel(plait_flow *flow, plait_error *error);

/*
 * plait_flow_query - get the properties of a flow.
 *
 * @param flow  borrowed, non-null: the flow
 * @param info  borrowed, non-null: set `size`; the rest is filled
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_flow_query(plait_flow *flow,
					plait_flow_info *info,
					plait_error *error);

/*
 * plait_flow_split - get the chunks of a launch that would be split.
 *
 * @param flow      borrowed, non-null: the flow
 * @param desc      borrowed, non-null: the task: `launch`, `split`, `pieces`
 * @param out       borrowed, nullable: the chunks; null: their number only
 * @param room      value: capacity of `out`
 * @param out_count borrowed, non-null: number of chunks
 * @param error     borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (also: too little room), PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_flow_split(plait_flow *flow,
					const plait_task_desc *desc,
					plait_box *out, uint64_t room,
					uint64_t *out_count,
					plait_error *error);

#ifdef __cplusplus
}
#endif

#endif
