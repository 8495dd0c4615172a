/* SPDX-License-Identifier: MIT */
/*
 * Signals and gates: counters that queues emit (signal.c) or the host raises
 * (gate.c). wait/ waits for them.
 *
 * Numbering: a submission that emits takes the order lock of its port, assigns
 * numbers from `next`, and publishes them in `submitted` when the backend has
 * accepted the submission, or else resets `next`. So a thread that reads
 * `submitted` may submit a wait for it.
 */
#ifndef PLAIT_SRC_OBJECT_SIGNAL_SIGNAL_H
#define PLAIT_SRC_OBJECT_SIGNAL_SIGNAL_H

#include "object/context/context.h"
#include "object/progress/listener.h"
#include "object/signal/signal_watch.h"

typedef struct plait__signal plait__signal;

struct plait__signal {
	plait__object object;
	plait__backend_port *port;
	plait_backend_signal *raw;
	bool is_gate;
	/* The newest emission that a backend has accepted; of a gate, its
	 * value. Release: stored under the order lock or the gate lock. */
	at_u64 submitted;

	/* Signals of queues only; guarded by port->order. */
	uint64_t next;		 /* newest number assigned */
	/* handle of the queue that it was assigned to */
	uint64_t last_queue;
	/* link: signals that the submission emits */
	plait__signal *next_emitted;

	/* Gates only. */
	struct plait__mutex gate; /* serializes raise, fail and reset */
	bool failed;		  /* guarded by `gate` */

	plait__signal_watch watch;

	/* Sources of further emissions: the user while the handle is open, each
	 * graph that holds it, and each command of a plan that emits it. */
	at_u32 sources;
	struct plait__mutex listener_lock; /* guards the list; no lock inside */
	plait__listener *listeners; /* for submissions, in their order */
	at_u32 has_listeners;		/* 0: the list is empty */
	plait__race_signal *race; /* the race check's, or null */
};

PLAIT__OBJECT_ENTER(signal, PLAIT_OBJECT_SIGNAL);

/* Create an internal signal for the queues of the device's backend; the caller
 * gets the reference. */
plait_status plait__signal_make(plait__device *device, plait__signal **out,
				plait_error *error);

/* The newest submitted sequence. */
static inline uint64_t plait__signal_submitted(const plait__signal *signal)
{
	/* Acquire: pairs with the stores in submission.c and gate.c. */
	return at_load_acquire_u64(&signal->submitted);
}

/*
 * Resolve a sequence of the user's: 0 is the newest submitted. If that is 0
 * too, the wait is empty. PLAIT_E_INVALID for a sequence not submitted yet.
 */
plait_status plait__signal_resolve(const plait__signal *signal,
				   uint64_t *sequence, plait_error *error);

/* PLAIT_OK, PLAIT_PENDING or the failure; `out_reached` may be null. */
plait_status plait__signal_poll(const plait__signal *signal,
				uint64_t sequence, uint64_t *out_reached,
				plait_error *error);

/*
 * Count a source: a graph that holds the signal, or a command that emits it.
 * The end of the last one calls the listeners, so the caller holds no lock.
 */
void plait__submit_add_source(plait__signal *signal);
void plait__submit_drop_source(plait__signal *signal);
/* Returns false if no further emission can be submitted. */
static inline bool plait__signal_has_source(const plait__signal *signal)
{
	/* Acquire: pairs with the end of the last source. */
	return at_load_acquire_u32(&signal->sources) != 0;
}

/*
 * Have the listener called once, with PLAIT_OK, by the thread that submits
 * emission `sequence`, under its locks, or that ends the last source. Returns false,
 * without a call, if `sequence` has been submitted already, or never can be.
 * Not for gates: a point of a gate can be awaited before it is raised.
 */
bool plait__submit_listener_add(plait__signal *signal, uint64_t sequence,
				plait__listener *listener);
/* Returns false if the listener is being called, or was. */
bool plait__submit_listener_remove(plait__signal *signal,
				   plait__listener *listener);
/* Call the listeners: `submitted` has just advanced, or no source is left. */
void plait__submit_listener_notify(plait__signal *signal);

/* The user has released the last handle of a gate: cancel its waiters. */
void plait__gate_abandon(plait__object *object);

#endif
