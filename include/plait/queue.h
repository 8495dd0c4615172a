/* SPDX-License-Identifier: MIT */
/*
 * plait/queue.h - in-order command queues of a device.
 *
 * A queue runs commands on one device strictly in order.  Different queues are
 * unordered unless a signal (signal.h) orders them.
 *
 * Example:
 *
 *     plait_queue *first, *second;
 *     uint32_t words[256];
 *
 *     plait_queue_create(device, NULL, &first, &error);
 *     plait_queue_create(device, NULL, &second, &error);
 *     plait_signal_create(device, NULL, &signal, &error);
 *     plait_queue_fill(first, buffer, 0, sizeof(words), 42, 4, &error);
 *     plait_queue_emit(first, signal, NULL, &error);
 *     plait_queue_wait(second, signal, 0, &error);
 *     plait_queue_read(second, buffer, 0, words, sizeof(words), &error);
 *
 * Failure.  If a command fails, the commands behind it in the queue do not run
 * and the emissions behind it are delivered as failed, so no wait hangs; the
 * error names the command.  plait_queue_finish reports the error once, after
 * which the queue is usable again.  A queue that waits for a failed emission
 * fails too ("not run: ...").
 *
 * Host functions.  A host function is an int32_t f(void *user_data); a result
 * other than 0 fails the command.  With PLAIT_CALL_ANY_THREAD it runs on a
 * worker thread of the context; otherwise it needs an inbox, and runs on the
 * thread of the inbox's owner or is delivered there as an event.  A host
 * function on a worker may submit work but not wait for it (PLAIT_E_DEADLOCK).
 */
#ifndef PLAIT_QUEUE_H
#define PLAIT_QUEUE_H

#include "plait/device.h"
#include "plait/launch.h"
#include "plait/signal.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct plait_queue_desc {
	uint32_t size;
	uint32_t flags;
	/* Copied; names the queue in errors and pictures. */
	const char *label;
	/* Maximum number of pending commands; 0 means 2^20. */
	uint64_t capacity;
	/* A hint: above 0 is more urgent, below 0 less. */
	int32_t priority;
	/* A plait_native_kind, or 0.  Not 0: the queue submits to `native`, an
	 * in-order CUstream, cl_command_queue, ...; see native.h.  The
	 * application owns it and keeps it until this queue has ended.
	 * Requires PLAIT_DEVICE_NATIVE. */
	uint32_t native_kind;
	uint64_t native;
} plait_queue_desc;

/* Kind of a command. */
typedef uint32_t plait_command_kind;
enum {
	/* No work, in order. */
	PLAIT_COMMAND_NOP = 0,
	/* Call `function(user_data)`; see `inbox` and `flags`. */
	PLAIT_COMMAND_CALL = 1,
	/* Copy `bytes`, or rows of them, from `source` to `target`; the ranges
	 * must not overlap. */
	PLAIT_COMMAND_COPY = 2,
	/* Fill `bytes` of `target` with the low `pattern_bytes` (1, 2, 4 or
	 * 8) of `pattern`; a last partial pattern is cut. */
	PLAIT_COMMAND_FILL = 3,
	/* Copy `bytes` from `source` to `host`, valid until completion. */
	PLAIT_COMMAND_READ = 4,
	/* Copy `bytes` from `host`, valid until completion, to `target`. */
	PLAIT_COMMAND_WRITE = 5,
	/* Wait for emission `sequence` of `signal`; 0 means the newest one at
	 * submission, if there is any. */
	PLAIT_COMMAND_WAIT = 6,
	/* The next emission of `signal`. */
	PLAIT_COMMAND_EMIT = 7,
	/* Launch `kernel`, as plait_queue_launch does.  The arguments are
	 * copied during the call; the launch holds its kernel and buffers
	 * until it completes. */
	PLAIT_COMMAND_LAUNCH = 8
};

/*
 * Rows of a COPY, READ or WRITE: `slices` slices of `rows` rows of `bytes`
 * bytes each; 0 means 1.  Each side has its own distances in bytes from the
 * start of a row or slice to the next one; 0 means contiguous.  The distance
 * of slices is a multiple of the distance of rows and at least the size of
 * all rows of a slice.  `host` is the target of a READ and the source of a
 * WRITE.
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

/* One command; fields that its kind does not use stay zero. */
typedef struct plait_command {
	uint32_t size;
	plait_command_kind kind;
	plait_call_flags flags;
	uint32_t pattern_bytes;
	uint64_t pattern;
	uint64_t bytes;
	plait_buffer *target;
	uint64_t target_offset;
	plait_buffer *source;
	uint64_t source_offset;
	void *host;
	/* With an inbox, the owner runs the function; if it is null, the owner
	 * pulls the event and answers with plait_inbox_answer. */
	plait_host_function function;
	void *user_data;
	plait_inbox *inbox;
	plait_signal *signal;
	uint64_t sequence;
	/* Names the command in errors; must live until completion. */
	const char *label;
	/* Null, or rows.  On a device without PLAIT_DEVICE_ROWS each row
	 * counts as a command. */
	const plait_rows *rows;
	/* LAUNCH.  A null `launch` means one item; one argument for each
	 * parameter of the kernel's signature, of the first one's `size`. */
	plait_kernel *kernel;
	const plait_launch *launch;
	const plait_argument *arguments;
	uint64_t argument_count;
} plait_command;

/*
 * plait_queue_create - create an in-order queue on a device.
 *
 * @param device borrowed, non-null: the device
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
 * plait_queue_retain - add one reference.
 *
 * @param queue borrowed, nullable: the queue; null and stale are ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_queue_retain(plait_queue *queue);

/*
 * plait_queue_release - give one reference back.
 *
 * Submitted commands still run, unless they wait for an event that can no
 * longer happen.
 *
 * @param queue consumed, nullable: the queue; null is ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_queue_release(plait_queue *queue);

/*
 * plait_queue_submit - append commands to a queue.
 *
 * All commands are added or none: after a mistake in any of them none runs.
 * They are contiguous: commands of other threads come before or after all of
 * them.  The call returns at once.  A queue keeps the memory that its largest
 * submission needed.
 *
 * @param queue        borrowed, non-null: the queue
 * @param commands     borrowed, nullable: an array; the first command's `size`
 *                     applies to all
 * @param count        value: number of commands, may be 0
 * @param out_sequence borrowed, nullable: sequence of the last EMIT; 0 if
 *                     there is none
 * @param error        borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (the text has the command's index and
 *         label; or more commands than the queue's capacity), PLAIT_E_BUSY
 *         (the queue is full), PLAIT_E_STATE (a closed inbox),
 *         PLAIT_E_UNSUPPORTED, PLAIT_E_NOMEM, PLAIT_E_HANDLE,
 *         PLAIT_E_LOST, PLAIT_E_FORKED; with PLAIT_SYNC, outside host
 *         functions, also as plait_queue_finish
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_queue_submit(plait_queue *queue,
					  const plait_command *commands,
					  uint64_t count,
					  uint64_t *out_sequence,
					  plait_error *error);

/*
 * plait_queue_call - submit a host function that may run on any thread.
 *
 * @param queue     borrowed, non-null: the queue
 * @param function  borrowed, non-null: the function
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
 * @param target        borrowed, non-null: destination
 * @param target_offset value: byte offset in `target`
 * @param source        borrowed, non-null: source
 * @param source_offset value: byte offset in `source`
 * @param bytes         value: number of bytes, may be 0
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
 * In one buffer the rows of source and target may interleave only if both
 * sides have the same distance between rows.
 *
 * @param queue         borrowed, non-null: the queue
 * @param target        borrowed, non-null: destination
 * @param target_offset value: byte offset of the first row in `target`
 * @param source        borrowed, non-null: source
 * @param source_offset value: byte offset of the first row in `source`
 * @param bytes         value: bytes of one row, may be 0
 * @param rows          borrowed, non-null: number of rows and their distances
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
 * @param target        borrowed, non-null: destination
 * @param target_offset value: byte offset in `target`
 * @param bytes         value: number of bytes; a last partial pattern is cut
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
 * plait_queue_read - copy from a buffer to host memory, and wait.
 *
 * The call submits a READ and waits, so it also reports earlier failures of
 * the queue.  After PLAIT_EVENT_READY the command is pending: pull the event,
 * then finish the queue.  After PLAIT_E_DEADLOCK (outside host functions and
 * functions of the queue) the command is still in the queue but does not access
 * `host` any more.
 *
 * @param queue         borrowed, non-null: the queue
 * @param source        borrowed, non-null: source
 * @param source_offset value: byte offset in `source`
 * @param host          borrowed, nullable: destination; null when `bytes` is 0
 * @param bytes         value: number of bytes
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
 * plait_queue_write - copy from host memory to a buffer, and wait.
 *
 * The call submits a WRITE and waits, so it also reports earlier failures of
 * the queue.  After PLAIT_EVENT_READY the command is pending: pull the event,
 * then finish the queue.  After PLAIT_E_DEADLOCK (outside host functions and
 * functions of the queue) the command is still in the queue, with the bytes that
 * `host` had then.
 *
 * @param queue         borrowed, non-null: the queue
 * @param target        borrowed, non-null: destination
 * @param target_offset value: byte offset in `target`
 * @param host          borrowed, nullable: source; null when `bytes` is 0
 * @param bytes         value: number of bytes
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
 * @param out_sequence borrowed, nullable: sequence of the emission
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
 * plait_queue_wait - submit a wait: later commands wait, the caller does not.
 *
 * @param queue    borrowed, non-null: the queue
 * @param signal   borrowed, non-null: the signal
 * @param sequence value: the emission; 0 means the newest one at submission,
 *                 if there is any
 * @param error    borrowed, nullable: filled on failure
 * @return as plait_queue_submit; PLAIT_E_INVALID also for a sequence that
 *         was never submitted, unless the signal is a gate
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_queue_wait(plait_queue *queue,
					plait_signal *signal,
					uint64_t sequence, plait_error *error);

/*
 * plait_queue_finish - wait for all commands submitted so far.
 *
 * If a command has failed since the last finish, the call returns its error
 * and makes the queue usable again.  Inboxes are served as by
 * plait_signal_wait_points.
 *
 * @param queue      borrowed, non-null: the queue
 * @param timeout_ns value: 0 polls, PLAIT_FOREVER waits
 * @param error      borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_EVENT_READY, PLAIT_E_TIMEOUT, PLAIT_E_DEADLOCK
 *         (inside a host function, inside a function of the queue or of a run
 *         in it, or the wait could never end), the status of the failed command
 *         (PLAIT_E_FAILED with the function's result in origin), PLAIT_E_HANDLE,
 *         PLAIT_E_LOST, PLAIT_E_FORKED
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
