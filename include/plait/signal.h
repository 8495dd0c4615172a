/* SPDX-License-Identifier: MIT */
/*
 * plait/signal.h - signals: counters that queues and graphs emit and wait for.
 *
 * Each emission gets the next sequence number, and a wait for sequence n ends
 * when emissions 1 to n have happened.  A gate is a signal that the host raises.
 *
 * Example:
 *
 *     plait_signal_create(device, NULL, &signal, &error);
 *     plait_queue_emit(queue, signal, NULL, &error);
 *     plait_signal_wait(signal, 1, PLAIT_FOREVER, &error);
 *
 * Sequences are given by the submission to a queue.  That of a task of a flow, or of
 * a node of a plan, is when it runs: until then a wait for it is PLAIT_E_INVALID,
 * but for nodes, and for tasks behind it in its flow.
 *
 * Order of emissions.  Emissions of one signal happen in the order of their
 * sequence numbers.  If the previous emission belongs to another queue, an
 * emission waits for it, and fails its own queue if that emission failed.
 *
 * Failure.  A failed signal stays failed from that sequence on until
 * plait_signal_reset.
 */
#ifndef PLAIT_SIGNAL_H
#define PLAIT_SIGNAL_H

#include "plait/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Flags of plait_signal_desc. */
typedef uint32_t plait_signal_flags;
enum {
	/* A gate: plait_signal_raise raises it; queues cannot emit it. */
	PLAIT_SIGNAL_GATE = 1 << 0
};

typedef struct plait_signal_desc {
	uint32_t size;
	plait_signal_flags flags;
	/* Copied; names the signal in errors. */
	const char *label;
} plait_signal_desc;

/* A point of a signal: emission `sequence` and all before it happened. */
typedef struct plait_point {
	plait_signal *signal;
	uint64_t sequence;
} plait_point;

/*
 * plait_signal_create - create a counter at 0, for the queues of one backend.
 *
 * @param device borrowed, non-null: a device of that backend
 * @param desc   borrowed, nullable: null means all defaults
 * @param out    owned, non-null: the signal, one reference
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_UNSUPPORTED (a gate, but the
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
 * plait_signal_retain - add one reference.
 *
 * @param signal borrowed, nullable: the signal; null and stale are ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_signal_retain(plait_signal *signal);

/*
 * plait_signal_release - give one reference back; work in flight holds its own.
 *
 * @param signal consumed, nullable: the signal; null is ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_signal_release(plait_signal *signal);

/*
 * plait_signal_query - get the progress of a signal.
 *
 * @param signal        borrowed, non-null: the signal
 * @param out_reached   borrowed, nullable: newest sequence that has happened,
 *                      failed ones included
 * @param out_submitted borrowed, nullable: newest submitted sequence
 * @param error         borrowed, nullable: filled on failure
 * @return PLAIT_OK, the status of the signal's failure,
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_signal_query(plait_signal *signal,
					  uint64_t *out_reached,
					  uint64_t *out_submitted,
					  plait_error *error);

/*
 * plait_signal_wait - wait for one emission; see plait_signal_wait_points.
 *
 * @param signal     borrowed, non-null: the signal
 * @param sequence   value: the emission; 0 means the newest submitted one;
 *                   without any the call returns at once
 * @param timeout_ns value: 0 polls, PLAIT_FOREVER waits
 * @param error      borrowed, nullable: filled on failure
 * @return as plait_signal_wait_points
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_signal_wait(plait_signal *signal,
					 uint64_t sequence,
					 uint64_t timeout_ns,
					 plait_error *error);

/* Mode of plait_signal_wait_points. */
typedef int32_t plait_wait_mode;
enum {
	PLAIT_WAIT_ALL = 0,
	PLAIT_WAIT_ANY = 1
};

/*
 * plait_signal_wait_points - wait for all or any of several emissions.
 *
 * The wait drives devices that need it (PLAIT_DEVICE_NEEDS_PUMP).  On the owner
 * thread of an inbox of the context, the wait runs the functions of events; an
 * event without a function ends the wait with PLAIT_EVENT_READY.
 *
 * @param points     borrowed, nullable: the emissions, possibly repeated; null
 *                   when `count` is 0
 * @param count      value: number of points; 0 returns at once
 * @param mode       value: PLAIT_WAIT_ALL or PLAIT_WAIT_ANY
 * @param timeout_ns value: 0 polls, PLAIT_FOREVER waits
 * @param out_index  borrowed, nullable: any: the index of the point that
 *                   happened; all: of the first one that failed
 * @param error      borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_EVENT_READY, PLAIT_E_TIMEOUT, the status of a
 *         failed emission with its own text, PLAIT_E_INVALID (a sequence that
 *         was never submitted, signals of different contexts),
 *         PLAIT_E_DEADLOCK (inside a host function, inside a function of a
 *         command or run that the emission is behind in its queue, or the wait
 *         could never end), PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_signal_wait_points(const plait_point *points,
						uint64_t count,
						plait_wait_mode mode,
						uint64_t timeout_ns,
						uint64_t *out_index,
						plait_error *error);

/*
 * plait_signal_raise - raise a gate to a sequence, which ends waits up to it.
 *
 * @param signal   borrowed, non-null: a gate
 * @param sequence value: not below the gate's present value, below UINT64_MAX
 * @param error    borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (below the present value), PLAIT_E_STATE
 *         (not a gate, or failed), PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_signal_raise(plait_signal *signal,
					  uint64_t sequence,
					  plait_error *error);

/*
 * plait_signal_fail - fail a gate: all waits for it fail with this error.
 *
 * @param signal borrowed, non-null: a gate
 * @param origin value: plait_error.origin of the waits
 * @param text   borrowed, nullable: one line of text
 * @param error  borrowed, nullable: filled on failure of this call
 * @return PLAIT_OK, PLAIT_E_STATE (not a gate, or already failed),
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_signal_fail(plait_signal *signal, int64_t origin,
					 const char *text, plait_error *error);

/*
 * plait_signal_reset - clear the failure of a signal.
 *
 * @param signal borrowed, non-null: a signal without pending work
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK (also if it had not failed), PLAIT_E_BUSY (an emission or a
 *         wait is pending, or a submission that contains one is not complete
 *         as a whole), PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_signal_reset(plait_signal *signal,
					  plait_error *error);

/*
 * plait_signal_notify - request an event for an emission.
 *
 * The inbox receives exactly one PLAIT_EVENT_SIGNAL, with the status of the
 * emission, or with PLAIT_E_CANCELLED if the inbox is closed before.
 *
 * @param signal    borrowed, non-null: the signal
 * @param sequence  value: as for plait_signal_wait
 * @param inbox     borrowed, non-null: receives the event
 * @param function  borrowed, nullable: run by plait_inbox_pump; null: the
 *                  owner pulls the event
 * @param user_data borrowed, nullable: passed through
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

#ifdef __cplusplus
}
#endif

#endif
