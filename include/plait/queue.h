/* SPDX-License-Identifier: MIT */
/*
 * plait/queue.h - queues and signals: work on a device, in order.
 *
 * A queue runs commands on one device strictly in order.  Queues know
 * nothing of each other unless a signal orders them.  A signal is a counter:
 * each emission is given the next sequence, and whoever waits for sequence n
 * goes on when emissions 1 to n have happened.  A gate is a signal that the
 * host raises.
 *
 * Failure.  When a command of a queue fails, the commands behind it do not
 * run and the emissions behind it are delivered as failed, so that nobody
 * waits for ever; the error names the command.  plait_queue_finish reports
 * it once, and the queue is usable again.  A queue that waits for a failed
 * emission fails too ("not run: ...").  A signal that failed stays failed
 * from that sequence on, until plait_signal_reset.
 *
 * Numbers.  Emissions of one signal happen in the order of their numbers: one
 * that another queue submits than the last one waits for that first, and
 * fails its queue if that failed.
 *
 * Where functions run.  A host function is an int32_t f(void *user_data); what
 * is not 0 fails the command.  It runs on a worker thread of the
 * context only if you say PLAIT_CALL_ANY_THREAD; otherwise it needs an inbox
 * and runs, or is handed to you as an event, on that inbox's owner thread.
 * A host function on a worker may submit work, but not wait for it
 * (PLAIT_E_DEADLOCK).
 */
#ifndef PLAIT_QUEUE_H
#define PLAIT_QUEUE_H

#include "plait/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------
 * Signals and gates
 */

enum {
	/* The host raises it, by plait_signal_raise; queues cannot emit it. */
	PLAIT_SIGNAL_GATE = 1 << 0
};

typedef struct plait_signal_desc {
	uint32_t size;
	uint32_t flags;
	/* Copied; names the signal in errors. */
	const char *label;
} plait_signal_desc;

/* "Emission `sequence` of `signal` has happened", and all before it. */
typedef struct plait_point {
	plait_signal *signal;
	uint64_t sequence;
} plait_point;

/*
 * plait_signal_create - a counter at 0, for the queues of one backend.
 *
 * @param device borrowed, non-null: a device of that backend
 * @param desc   borrowed, nullable: null means all defaults
 * @param out    owned, non-null: the signal, one reference
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_UNSUPPORTED (a gate where the
 *         device has no PLAIT_DEVICE_GATE), PLAIT_E_NOMEM, PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_signal_create(plait_device *device,
					   const plait_signal_desc *desc,
					   plait_signal **out,
					   plait_error *error);

/*
 * plait_signal_retain - one more reference.
 *
 * @param signal borrowed, nullable: the signal; null and stale are ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_signal_retain(plait_signal *signal);

/*
 * plait_signal_release - give one reference back; work in flight keeps it.
 *
 * @param signal consumed, nullable: the signal; null is ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_signal_release(plait_signal *signal);

/*
 * plait_signal_query - how far a signal has come.
 *
 * @param signal        borrowed, non-null: the signal
 * @param out_reached   borrowed, nullable: the newest sequence that happened,
 *                      failed ones included
 * @param out_submitted borrowed, nullable: the newest one that was submitted
 * @param error         borrowed, nullable: filled on failure
 * @return PLAIT_OK, the status of the failure that the signal carries,
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_signal_query(plait_signal *signal,
					  uint64_t *out_reached,
					  uint64_t *out_submitted,
					  plait_error *error);

/*
 * plait_signal_wait - wait for one emission; see plait_points_wait.
 *
 * @param signal     borrowed, non-null: the signal
 * @param sequence   value: which emission; 0 means the newest submitted, and
 *                   if there is none yet, nothing is waited for
 * @param timeout_ns value: 0 polls, PLAIT_FOREVER waits
 * @param error      borrowed, nullable: filled on failure
 * @return as plait_points_wait
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_signal_wait(plait_signal *signal,
					 uint64_t sequence,
					 uint64_t timeout_ns,
					 plait_error *error);

/* How plait_points_wait waits. */
enum {
	PLAIT_WAIT_ALL = 0,
	PLAIT_WAIT_ANY = 1
};

/*
 * plait_points_wait - wait for all or any of several emissions.
 *
 * Drives work where that is needed (PLAIT_DEVICE_NEEDS_PUMP).  On the thread
 * that owns an inbox of the context, events that carry a function are served
 * meanwhile; one that does not ends the wait with PLAIT_EVENT_READY.
 *
 * @param points     borrowed, nullable: what to wait for; may repeat; null
 *                   when `count` is 0
 * @param count      value: how many; 0 returns at once
 * @param mode       value: PLAIT_WAIT_ALL or PLAIT_WAIT_ANY
 * @param timeout_ns value: 0 polls, PLAIT_FOREVER waits
 * @param out_index  borrowed, nullable: any: which one; all: the first failed
 * @param error      borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_EVENT_READY, PLAIT_E_TIMEOUT, the status of a
 *         failed emission with its own text, PLAIT_E_INVALID (a sequence that
 *         nothing submitted, signals of different contexts), PLAIT_E_DEADLOCK
 *         (inside a host function, or nothing could ever raise it),
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_points_wait(const plait_point *points,
					 uint64_t count, int32_t mode,
					 uint64_t timeout_ns,
					 uint64_t *out_index,
					 plait_error *error);

/*
 * plait_signal_raise - raise a gate to a sequence; waiters up to it go on.
 *
 * @param signal   borrowed, non-null: a gate
 * @param sequence value: not below where the gate is, below UINT64_MAX; steps
 *                 of any size
 * @param error    borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (lower than before), PLAIT_E_STATE (not a
 *         gate, or failed), PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_signal_raise(plait_signal *signal,
					  uint64_t sequence,
					  plait_error *error);

/*
 * plait_signal_fail - fail a gate: everybody who waits gets this error.
 *
 * @param signal borrowed, non-null: a gate
 * @param origin value: the raw value, found in plait_error.origin
 * @param text   borrowed, nullable: one line of text
 * @param error  borrowed, nullable: filled when failing it failed
 * @return PLAIT_OK, PLAIT_E_STATE (not a gate, or failed already),
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_signal_fail(plait_signal *signal, int64_t origin,
					 const char *text, plait_error *error);

/*
 * plait_signal_reset - forget the failure that a signal carries.
 *
 * @param signal borrowed, non-null: a signal on which nothing is pending
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK (also when it had not failed), PLAIT_E_BUSY (emissions are
 *         on their way, or somebody waits; or a submission that did one of
 *         both is not done as a whole), PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_signal_reset(plait_signal *signal,
					  plait_error *error);

/*
 * plait_signal_notify - have an emission announced as an event.
 *
 * Exactly one PLAIT_EVENT_SIGNAL comes, with the status of the emission, or
 * PLAIT_E_CANCELLED when the inbox is closed before.
 *
 * @param signal    borrowed, non-null: the signal
 * @param sequence  value: as for plait_signal_wait
 * @param inbox     borrowed, non-null: where
 * @param function  borrowed, nullable: run by pump; null to have the event
 * @param user_data borrowed, nullable: handed back as it is
 * @param error     borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_STATE (the inbox is closed),
 *         PLAIT_E_UNSUPPORTED (no PLAIT_DEVICE_NOTIFY), PLAIT_E_NOMEM,
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_signal_notify(plait_signal *signal,
					   uint64_t sequence,
					   plait_inbox *inbox,
					   plait_host_function function,
					   void *user_data,
					   plait_error *error);

/* ------------------------------------------------------------------------
 * Queues and commands
 */

typedef struct plait_queue_desc {
	uint32_t size;
	uint32_t flags;
	/* Copied; names the queue in errors and pictures. */
	const char *label;
	/* Commands that may wait to run; 0 means 2^20. */
	uint64_t capacity;
	/* A hint: above 0 is more urgent, below is less. */
	int32_t priority;
	/* Not 0: this is to be the queue, a CUstream, a cl_command_queue, ...
	 * that keeps order; see native.h.  It stays yours, and has to be
	 * there until this queue has ended.  Needs PLAIT_DEVICE_NATIVE. */
	uint32_t native_kind;
	uint64_t native;
} plait_queue_desc;

enum {
	/* Takes its turn and does nothing. */
	PLAIT_COMMAND_NOP = 0,
	/* Run `function(user_data)`; see `inbox` and `flags`. */
	PLAIT_COMMAND_CALL = 1,
	/* Copy `bytes`, or rows of them, from `source` to `target`; they must
	 * not overlap. */
	PLAIT_COMMAND_COPY = 2,
	/* Fill `bytes` of `target` with the low `pattern_bytes` (1, 2, 4 or
	 * 8) of `pattern`; a last part of a pattern is cut. */
	PLAIT_COMMAND_FILL = 3,
	/* Copy `bytes` from `source` to `host`, which stays valid till then. */
	PLAIT_COMMAND_READ = 4,
	/* Copy `bytes` from `host`, which stays valid till then, to `target`. */
	PLAIT_COMMAND_WRITE = 5,
	/* Go on when `sequence` of `signal` has happened; 0 means the newest
	 * submitted by now, and if there is none, nothing. */
	PLAIT_COMMAND_WAIT = 6,
	/* The next emission of `signal` happens here. */
	PLAIT_COMMAND_EMIT = 7
};

/*
 * Rows of a COPY, a READ or a WRITE: `rows` times `bytes`, and all that
 * `slices` times; 0 is 1.  How far it is from the start of one row to that of
 * the next, and from slice to slice, both sides say for themselves; 0: what
 * follows lies right behind.  A slice has room for its rows, and is a multiple
 * of a row.  The target of a READ is `host`, and so is the source of a WRITE.
 */
typedef struct plait_rows {
	uint32_t size;
	uint32_t flags;
	uint64_t rows;
	uint64_t slices;
	uint64_t target_row;
	uint64_t target_slice;
	uint64_t source_row;
	uint64_t source_slice;
} plait_rows;

/* One command; what a kind does not name stays zero. */
typedef struct plait_command {
	uint32_t size;
	uint32_t kind;
	uint32_t flags;
	uint32_t pattern_bytes;
	uint64_t pattern;
	uint64_t bytes;
	plait_buffer *target;
	uint64_t target_offset;
	plait_buffer *source;
	uint64_t source_offset;
	void *host;
	/* With an inbox: run by its owner.  A null function then means that
	 * the event is pulled and answered with plait_inbox_call_done. */
	plait_host_function function;
	void *user_data;
	plait_inbox *inbox;
	plait_signal *signal;
	uint64_t sequence;
	/* Names the command in errors; must live until it is done. */
	const char *label;
	/* Null, or rows.  On a device without PLAIT_DEVICE_ROWS each of them
	 * counts as a command. */
	const plait_rows *rows;
} plait_command;

/*
 * plait_queue_create - an in-order queue on a device.
 *
 * @param device borrowed, non-null: where
 * @param desc   borrowed, nullable: null means all defaults
 * @param out    owned, non-null: the queue, one reference
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_UNSUPPORTED, PLAIT_E_NOMEM,
 *         PLAIT_E_HANDLE, PLAIT_E_LOST, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_queue_create(plait_device *device,
					  const plait_queue_desc *desc,
					  plait_queue **out,
					  plait_error *error);

/*
 * plait_queue_retain - one more reference.
 *
 * @param queue borrowed, nullable: the queue; null and stale are ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_queue_retain(plait_queue *queue);

/*
 * plait_queue_release - give one reference back.
 *
 * What was submitted still runs, unless it waits for what can no longer
 * happen.
 *
 * @param queue consumed, nullable: the queue; null is ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_queue_release(plait_queue *queue);

/*
 * plait_queue_submit - add commands behind what the queue already has.
 *
 * All or none are added, as one stretch: commands of other threads come
 * before or after.  Returns at once, whatever the commands wait for.  What a
 * queue needs to put its largest submission together it keeps.
 *
 * @param queue        borrowed, non-null: the queue
 * @param commands     borrowed, nullable: an array; the first one's `size` is
 *                     that of all
 * @param count        value: how many; 0 is fine
 * @param out_sequence borrowed, nullable: what the last EMIT was given; 0 if
 *                     there was none
 * @param error        borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (the text has the command's number, from
 *         0, and label; or there are more than the queue's capacity),
 *         PLAIT_E_BUSY (full), PLAIT_E_STATE (an inbox that is closed),
 *         PLAIT_E_UNSUPPORTED, PLAIT_E_NOMEM, PLAIT_E_HANDLE,
 *         PLAIT_E_LOST, PLAIT_E_FORKED; with PLAIT_SYNC, outside of host
 *         functions, also what plait_queue_finish returns
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_queue_submit(plait_queue *queue,
					  const plait_command *commands,
					  uint64_t count,
					  uint64_t *out_sequence,
					  plait_error *error);

/*
 * plait_queue_call - submit one host function that may run on any thread.
 *
 * @param queue     borrowed, non-null: the queue
 * @param function  borrowed, non-null: what to run
 * @param user_data borrowed, nullable: its argument
 * @param error     borrowed, nullable: filled on failure
 * @return as plait_queue_submit
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_queue_call(plait_queue *queue,
					plait_host_function function,
					void *user_data, plait_error *error);

/*
 * plait_queue_copy - submit a copy from buffer to buffer.
 *
 * @param queue         borrowed, non-null: the queue
 * @param target        borrowed, non-null: copied to
 * @param target_offset value: where
 * @param source        borrowed, non-null: copied from
 * @param source_offset value: where
 * @param bytes         value: how much; 0 is fine
 * @param error         borrowed, nullable: filled on failure
 * @return as plait_queue_submit
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_queue_copy(plait_queue *queue,
					plait_buffer *target,
					uint64_t target_offset,
					plait_buffer *source,
					uint64_t source_offset, uint64_t bytes,
					plait_error *error);

/*
 * plait_queue_copy_rows - submit a copy of rows from buffer to buffer.
 *
 * Where source and target are in one buffer, their rows may lie between each
 * other only if they are as far apart on both sides.
 *
 * @param queue         borrowed, non-null: the queue
 * @param target        borrowed, non-null: copied to
 * @param target_offset value: where its first row begins
 * @param source        borrowed, non-null: copied from
 * @param source_offset value: where its first row begins
 * @param bytes         value: of a row; 0 is fine
 * @param rows          borrowed, non-null: how many, and how far apart
 * @param error         borrowed, nullable: filled on failure
 * @return as plait_queue_submit
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_queue_copy_rows(plait_queue *queue,
					     plait_buffer *target,
					     uint64_t target_offset,
					     plait_buffer *source,
					     uint64_t source_offset,
					     uint64_t bytes,
					     const plait_rows *rows,
					     plait_error *error);

/*
 * plait_queue_fill - submit a fill with a pattern of 1, 2, 4 or 8 bytes.
 *
 * @param queue         borrowed, non-null: the queue
 * @param target        borrowed, non-null: filled
 * @param target_offset value: where
 * @param bytes         value: how much; a last part of a pattern is cut
 * @param pattern       value: its low bytes are the pattern
 * @param pattern_bytes value: 1, 2, 4 or 8
 * @param error         borrowed, nullable: filled on failure
 * @return as plait_queue_submit
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_queue_fill(plait_queue *queue,
					plait_buffer *target,
					uint64_t target_offset, uint64_t bytes,
					uint64_t pattern,
					uint32_t pattern_bytes,
					plait_error *error);

/*
 * plait_queue_read - copy out of a buffer behind everything in the queue.
 *
 * Submits and waits, so it also reports what failed before it.  After
 * PLAIT_EVENT_READY it is under way: pull the event and finish the queue.
 * After PLAIT_E_DEADLOCK (outside of host functions) it is still in the queue,
 * but does not touch `host` any more.
 *
 * @param queue         borrowed, non-null: the queue
 * @param source        borrowed, non-null: copied from
 * @param source_offset value: where
 * @param host          borrowed, nullable: copied to; null when `bytes` is 0
 * @param bytes         value: how much
 * @param error         borrowed, nullable: filled on failure
 * @return as plait_queue_submit and plait_queue_finish
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_queue_read(plait_queue *queue,
					plait_buffer *source,
					uint64_t source_offset, void *host,
					uint64_t bytes, plait_error *error);

/*
 * plait_queue_write - copy into a buffer behind everything in the queue.
 *
 * Submits and waits, so it also reports what failed before it.  After
 * PLAIT_EVENT_READY it is under way: pull the event and finish the queue.
 * After PLAIT_E_DEADLOCK (outside of host functions) it is still in the queue,
 * with the bytes that `host` had then.
 *
 * @param queue         borrowed, non-null: the queue
 * @param target        borrowed, non-null: copied to
 * @param target_offset value: where
 * @param host          borrowed, nullable: copied from; null when `bytes` is 0
 * @param bytes         value: how much
 * @param error         borrowed, nullable: filled on failure
 * @return as plait_queue_submit and plait_queue_finish
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_queue_write(plait_queue *queue,
					 plait_buffer *target,
					 uint64_t target_offset,
					 const void *host, uint64_t bytes,
					 plait_error *error);

/*
 * plait_queue_emit - submit an emission.
 *
 * @param queue        borrowed, non-null: the queue
 * @param signal       borrowed, non-null: a signal of the queue's backend
 * @param out_sequence borrowed, nullable: the sequence that it was given
 * @param error        borrowed, nullable: filled on failure
 * @return as plait_queue_submit
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_queue_emit(plait_queue *queue,
					plait_signal *signal,
					uint64_t *out_sequence,
					plait_error *error);

/*
 * plait_queue_wait - submit a wait: what follows waits, the caller does not.
 *
 * @param queue    borrowed, non-null: the queue
 * @param signal   borrowed, non-null: the signal
 * @param sequence value: which emission; 0 means the newest submitted by now,
 *                 and if there is none, nothing is waited for
 * @param error    borrowed, nullable: filled on failure
 * @return as plait_queue_submit; PLAIT_E_INVALID also for a sequence that
 *         nothing submitted, unless the signal is a gate
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_queue_wait(plait_queue *queue,
					plait_signal *signal,
					uint64_t sequence, plait_error *error);

/*
 * plait_queue_finish - wait until all that was submitted by now is done.
 *
 * If a command failed since the last finish, returns its error and makes the
 * queue usable again.  Serves the inbox as plait_points_wait does.
 *
 * @param queue      borrowed, non-null: the queue
 * @param timeout_ns value: 0 polls, PLAIT_FOREVER waits
 * @param error      borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_EVENT_READY, PLAIT_E_TIMEOUT, PLAIT_E_DEADLOCK, the
 *         status of what failed (PLAIT_E_FAILED with the function's value in
 *         origin), PLAIT_E_HANDLE, PLAIT_E_LOST, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_queue_finish(plait_queue *queue,
					  uint64_t timeout_ns,
					  plait_error *error);

#ifdef __cplusplus
}
#endif

#endif
