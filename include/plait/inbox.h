/* SPDX-License-Identifier: MIT */
/*
 * plait/inbox.h - what happened, brought to your thread when you ask.
 *
 * An inbox belongs to one thread, its owner.  Completions and the functions
 * that only that thread may run wait in it until the owner pulls them
 * (next), runs them (pump), or waits for something while it has them.  Its
 * descriptor is readable while there are any, for event loops.  Every event
 * is delivered exactly once, also when the inbox is closed.
 */
#ifndef PLAIT_INBOX_H
#define PLAIT_INBOX_H

#include "plait/device.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
	/* A queue reached a CALL for this inbox: run it, then call_done. */
	PLAIT_EVENT_CALL = 1,
	/* What plait_signal_notify asked for. */
	PLAIT_EVENT_SIGNAL = 2,
	/* Wrapped memory is no longer used; user_data says which.  With
	 * PLAIT_E_CANCELLED it may be in use still. */
	PLAIT_EVENT_RELEASED = 3,
	/* What plait_run_notify asked for. */
	PLAIT_EVENT_RUN = 4
};

/* One thing that happened; a flat record of 80 bytes. */
typedef struct plait_event {
	uint32_t size;
	/* One of PLAIT_EVENT_... */
	uint32_t kind;
	/* CALL: for plait_inbox_call_done; below 2^53; 0 otherwise. */
	uint64_t id;
	/* PLAIT_OK, or why it comes: PLAIT_E_CANCELLED at close (a CALL is
	 * answered already then), or the failure of the emission. */
	plait_status status;
	uint32_t reserved0;
	int64_t origin;
	plait_host_function function;
	void *user_data;
	/* SIGNAL: a borrowed handle, which may be stale by now. */
	plait_signal *signal;
	uint64_t sequence;
	/* For plait_error_detail: the text of a failure, 0 if none. */
	uint64_t detail;
	/* RUN: a borrowed handle, which may be stale by now. */
	plait_run *run;
} plait_event;

/*
 * plait_inbox_create - an inbox owned by the calling thread.
 *
 * There is nothing to choose, so there is no descriptor.
 *
 * @param context borrowed, non-null: the context
 * @param out     owned, non-null: the inbox, one reference
 * @param error   borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_NOMEM, PLAIT_E_UNAVAILABLE (no descriptor left),
 *         PLAIT_E_INVALID, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_inbox_create(plait_context *context,
					  plait_inbox **out,
					  plait_error *error);

/*
 * plait_inbox_retain - one more reference.
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
 * plait_inbox_descriptor - a file descriptor that is readable while events
 * wait; for poll, epoll and every event loop.  Do not read or close it.
 *
 * A device that needs a pump (PLAIT_DEVICE_NEEDS_PUMP: host without workers,
 * the simulated one) stands still while a loop sleeps on the descriptor: such
 * a loop has a time limit and calls plait_inbox_next or plait_inbox_pump,
 * which do a bounded piece of work when the inbox is empty.
 *
 * @param inbox          borrowed, non-null: the inbox
 * @param out_descriptor borrowed, non-null: the descriptor, good as long as
 *                       the inbox
 * @param error          borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_inbox_descriptor(plait_inbox *inbox,
					      int32_t *out_descriptor,
					      plait_error *error);

/*
 * plait_inbox_next - take the oldest event.
 *
 * @param inbox     borrowed, non-null: the inbox
 * @param out_event borrowed, non-null: set `size`; the rest is filled
 * @param error     borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_PENDING (there is none), PLAIT_E_STATE (closed and
 *         empty), PLAIT_E_THREAD, PLAIT_E_INVALID, PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread owner
 * @since 1
 */
PLAIT_API plait_status plait_inbox_next(plait_inbox *inbox,
					plait_event *out_event,
					plait_error *error);

/*
 * plait_inbox_pump - run the functions of waiting events, oldest first.
 *
 * The value that a CALL's function returns answers the call; that of a CALL
 * or RELEASED that was cancelled is not run.  Stops at an event without a
 * function.  Functions may call anything, this included.
 *
 * @param inbox     borrowed, non-null: the inbox
 * @param maximum   value: run at most so many; 0 means all that wait now
 * @param out_count borrowed, nullable: how many were run
 * @param error     borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_EVENT_READY (the next one has no function: pull
 *         it), PLAIT_E_THREAD, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread owner
 * @since 1
 */
PLAIT_API plait_status plait_inbox_pump(plait_inbox *inbox, uint64_t maximum,
					uint64_t *out_count,
					plait_error *error);

/*
 * plait_inbox_wait - wait until there is an event; does not take it.
 *
 * @param inbox      borrowed, non-null: the inbox
 * @param timeout_ns value: 0 polls, PLAIT_FOREVER waits
 * @param error      borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_TIMEOUT, PLAIT_E_STATE (closed and empty),
 *         PLAIT_E_DEADLOCK (nothing could ever come), PLAIT_E_THREAD,
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread owner
 * @since 1
 */
PLAIT_API plait_status plait_inbox_wait(plait_inbox *inbox,
					uint64_t timeout_ns,
					plait_error *error);

/*
 * plait_inbox_call_done - answer a CALL; its queue goes on.
 *
 * @param inbox  borrowed, non-null: the inbox that the event came from
 * @param id     value: the event's id
 * @param result value: 0 for success, anything else fails the command; of a
 *               predicate what it says, and it fails if there is a text, too
 * @param text   borrowed, nullable: copied; what the error shall say
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (no such call, or answered already),
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_inbox_call_done(plait_inbox *inbox, uint64_t id,
					     int64_t result, const char *text,
					     plait_error *error);

/*
 * plait_inbox_adopt - the calling thread becomes the owner.
 *
 * The former owner must not be inside a call with this inbox.
 *
 * @param inbox borrowed, non-null: the inbox
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_BUSY (the owner is inside), PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_inbox_adopt(plait_inbox *inbox,
					 plait_error *error);

/*
 * plait_inbox_close - cancel what is still to come.
 *
 * Calls that were not answered fail with PLAIT_E_CANCELLED.  Everything that
 * was promised and not delivered becomes an event with that status, to be
 * pulled as usual; after the last one plait_inbox_next answers
 * PLAIT_E_STATE.
 *
 * @param inbox borrowed, non-null: the inbox
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK (also when it is closed), PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_inbox_close(plait_inbox *inbox,
					 plait_error *error);

#ifdef __cplusplus
}
#endif

#endif
