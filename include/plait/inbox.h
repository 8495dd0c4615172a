/* SPDX-License-Identifier: MIT */
/*
 * plait/inbox.h - inboxes: queues of events for one thread.
 *
 * An inbox belongs to one thread, its owner.  Completions and host functions
 * that only the owner may run stay in the inbox until the owner pulls them
 * (plait_inbox_next), runs them (plait_inbox_pump), or waits for work of the
 * context.  The inbox has a file descriptor that is readable while it has
 * events, for event loops.  Every event is delivered exactly once, also if
 * the inbox is closed.
 *
 * Example:
 *
 *     plait_event event = { .size = sizeof(event) };
 *
 *     plait_inbox_create(context, &inbox, &error);
 *     plait_signal_notify(signal, 1, inbox, NULL, NULL, &error);
 *     plait_queue_emit(queue, signal, NULL, &error);
 *     plait_inbox_wait(inbox, PLAIT_FOREVER, &error);
 *     plait_inbox_next(inbox, &event, &error);
 *     if (event.kind == PLAIT_EVENT_SIGNAL && event.status == PLAIT_OK)
 *             puts("the emission has happened");
 *     plait_inbox_release(inbox);
 */
#ifndef PLAIT_INBOX_H
#define PLAIT_INBOX_H

#include "plait/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Kind of an event. */
typedef uint32_t plait_event_kind;
enum {
	/* A queue or run reached a CALL for this inbox: run the function, then
	 * answer with plait_inbox_answer. */
	PLAIT_EVENT_CALL = 1,
	/* The emission requested by plait_signal_notify. */
	PLAIT_EVENT_SIGNAL = 2,
	/* Wrapped memory is not used any more; `user_data` identifies it.
	 * With PLAIT_E_CANCELLED the memory may still be in use. */
	PLAIT_EVENT_RELEASED = 3,
	/* The end of a run, requested by plait_run_notify. */
	PLAIT_EVENT_RUN = 4,
	/* The end of a task, requested by plait_flow_notify; `sequence` is its
	 * number. */
	PLAIT_EVENT_TASK = 5,
	/* The run of a CALL was stopped, requested by plait_inbox_notify_stop;
	 * `id` is the call's, which still has to be answered. */
	PLAIT_EVENT_STOPPED = 6
};

/* One event; a flat record of 80 bytes. */
typedef struct plait_event {
	uint32_t size;
	plait_event_kind kind;
	/* CALL: for plait_inbox_answer; below 2^53.  STOPPED: of the call.
	 * Else 0. */
	uint64_t id;
	/* PLAIT_OK; the failure of the emission or run; or PLAIT_E_CANCELLED
	 * after a close, which has already answered a CALL. */
	plait_status status;
	uint32_t reserved0;
	int64_t origin;
	plait_host_function function;
	void *user_data;
	/* SIGNAL: a borrowed handle, possibly stale. */
	plait_signal *signal;
	uint64_t sequence;
	/* For plait_error_detail: the text of a failure, 0 if none. */
	uint64_t detail;
	/* RUN: a borrowed handle, possibly stale. */
	plait_run *run;
} plait_event;

/*
 * plait_inbox_create - create an inbox owned by the calling thread.
 *
 * @param context borrowed, non-null: the context
 * @param out     owned, non-null: the inbox, one reference
 * @param error   borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_NOMEM, PLAIT_E_UNAVAILABLE (no file descriptor
 *         left), PLAIT_E_INVALID, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_inbox_create(plait_context *context,
					  plait_inbox **out,
					  plait_error *error);

/*
 * plait_inbox_retain - add one reference.
 *
 * @param inbox borrowed, nullable: the inbox; null and stale are ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_inbox_retain(plait_inbox *inbox);

/*
 * plait_inbox_release - give one reference back; the last one closes it.
 *
 * @param inbox consumed, nullable: the inbox; null is ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_inbox_release(plait_inbox *inbox);

/*
 * plait_inbox_descriptor - get a file descriptor that is readable while the
 * inbox has events.
 *
 * The descriptor is for poll, epoll and event loops; the caller neither reads
 * nor closes it.  A device with PLAIT_DEVICE_NEEDS_PUMP (the host without
 * workers, the simulator) makes no progress while an event loop sleeps: the
 * loop needs a timeout and calls plait_inbox_next or plait_inbox_pump, which do
 * a bounded amount of work if the inbox is empty.
 *
 * @param inbox          borrowed, non-null: the inbox
 * @param out_descriptor borrowed, non-null: the descriptor, valid while the
 *                       inbox lives
 * @param error          borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_inbox_descriptor(plait_inbox *inbox,
					      int32_t *out_descriptor,
					      plait_error *error);

/*
 * plait_inbox_next - remove and return the oldest event.
 *
 * @param inbox     borrowed, non-null: the inbox
 * @param out_event borrowed, non-null: set `size`; the rest is filled
 * @param error     borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_PENDING (no event), PLAIT_E_STATE (closed and
 *         empty), PLAIT_E_THREAD, PLAIT_E_INVALID, PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread owner
 * @since 1
 */
PLAIT_API plait_status plait_inbox_next(plait_inbox *inbox,
					plait_event *out_event,
					plait_error *error);

/*
 * plait_inbox_pump - run the functions of events, oldest first.
 *
 * The result of a CALL's function answers the call.  The function of a
 * cancelled CALL, STOPPED or RELEASED is not run.  The call stops at an event without
 * a function.  Functions may call the library, plait_inbox_pump included.
 *
 * @param inbox     borrowed, non-null: the inbox
 * @param maximum   value: maximum number of functions to run; 0 means the
 *                  events that are in the inbox now
 * @param out_count borrowed, nullable: number of functions run
 * @param error     borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_EVENT_READY (the next event has no function; take it
 *         with plait_inbox_next), PLAIT_E_THREAD, PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread owner
 * @since 1
 */
PLAIT_API plait_status plait_inbox_pump(plait_inbox *inbox, uint64_t maximum,
					uint64_t *out_count,
					plait_error *error);

/*
 * plait_inbox_wait - wait until the inbox has an event; the event stays.
 *
 * @param inbox      borrowed, non-null: the inbox
 * @param timeout_ns value: 0 polls, PLAIT_FOREVER waits
 * @param error      borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_TIMEOUT, PLAIT_E_STATE (closed and empty),
 *         PLAIT_E_DEADLOCK (no event could ever come), PLAIT_E_THREAD,
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread owner
 * @since 1
 */
PLAIT_API plait_status plait_inbox_wait(plait_inbox *inbox,
					uint64_t timeout_ns,
					plait_error *error);

/*
 * plait_inbox_answer - answer a CALL; its queue or run goes on.
 *
 * @param inbox  borrowed, non-null: the inbox of the event
 * @param id     value: the event's id
 * @param result value: 0 for success, any other value fails the command.  A
 *               predicate: the word; it fails only with a text
 * @param text   borrowed, nullable: text of the failure; copied
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (no such call, or already answered),
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_inbox_answer(plait_inbox *inbox, uint64_t id,
					  int64_t result, const char *text,
					  plait_error *error);

/*
 * plait_inbox_begin - tell that the calling thread runs the function of a CALL.
 *
 * For programs that pull events and run the functions themselves; until
 * plait_inbox_end the thread counts as inside the function, as it does when
 * plait_inbox_pump runs one.  A wait for the function's own run, or for work
 * behind it, returns PLAIT_E_DEADLOCK instead of waiting for ever; a stop of the
 * run reaches plans that the function calls; plait_run_is_stopping tells the
 * stop.  Calls nest: the innermost one was begun last.  A function that
 * suspends ends before its thread goes on, and begins again when it is resumed.
 *
 * Example:
 *
 *     plait_inbox_begin(inbox, event.id, &error);
 *     result = run_function(event.user_data);
 *     plait_inbox_end(inbox, event.id, &error);
 *     plait_inbox_answer(inbox, event.id, result, NULL, &error);
 *
 * @param inbox borrowed, non-null: the inbox of the event
 * @param id    value: the id of a call that is taken and not answered
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (no such call, already answered or begun),
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_inbox_begin(plait_inbox *inbox, uint64_t id,
					 plait_error *error);

/*
 * plait_inbox_end - tell that the calling thread has left the function.
 *
 * For the thread that has begun it.  The answer may come before or after.  A
 * thread that ends in the function fails the call.
 *
 * @param inbox borrowed, non-null: the inbox of the event; stale is allowed, as the
 *              function may have released it
 * @param id    value: the id of a call that this thread has begun
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (this thread has not begun such a call),
 *         PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_inbox_end(plait_inbox *inbox, uint64_t id,
				       plait_error *error);

/*
 * plait_inbox_is_stopping - ask whether the run of a CALL was stopped.
 *
 * For programs that pull events.  A function that plait_inbox_pump or a wait
 * runs, or that was begun (plait_inbox_begin), asks plait_run_is_stopping.
 *
 * @param inbox borrowed, non-null: the inbox of the event
 * @param id    value: the event's id
 * @return 1 if the call is taken and not answered, and its run was stopped;
 *         else 0
 * @thread any
 * @since 1
 */
PLAIT_API int32_t plait_inbox_is_stopping(plait_inbox *inbox, uint64_t id);

/*
 * plait_inbox_notify_stop - ask for an event when the run of a CALL is stopped.
 *
 * For programs that answer a call later than they take it, such as those that
 * begin a coroutine of a language: the event tells them to end it early.  If the
 * call is answered before, no event comes.
 *
 * @param inbox     borrowed, non-null: the inbox of the call, which gets the event
 * @param id        value: the id of a call that is taken and not answered
 * @param function  borrowed, nullable: run by plait_inbox_pump
 * @param user_data borrowed, nullable: passed to the function
 * @param error     borrowed, nullable: filled on failure
 * @return PLAIT_OK (also if it was stopped already), PLAIT_E_INVALID (no such call,
 *         already answered, or asked for), PLAIT_E_STATE (closed), PLAIT_E_NOMEM,
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_inbox_notify_stop(plait_inbox *inbox, uint64_t id,
					       plait_host_function function,
					       void *user_data,
					       plait_error *error);

/*
 * plait_inbox_adopt - make the calling thread the owner.
 *
 * The former owner must not be inside a call with this inbox.
 *
 * @param inbox borrowed, non-null: the inbox
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_BUSY (the owner is inside a call), PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_inbox_adopt(plait_inbox *inbox,
					 plait_error *error);

/*
 * plait_inbox_close - cancel all outstanding events.
 *
 * Unanswered calls fail with PLAIT_E_CANCELLED.  Every outstanding event is
 * delivered with this status and pulled as usual; after the last one
 * plait_inbox_next returns PLAIT_E_STATE.
 *
 * @param inbox borrowed, non-null: the inbox
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK (also if it is closed), PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_inbox_close(plait_inbox *inbox,
					 plait_error *error);

#ifdef __cplusplus
}
#endif

#endif
