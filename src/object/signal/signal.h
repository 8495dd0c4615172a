/* SPDX-License-Identifier: MIT */
/*
 * Signals and gates.  signal.c: counters that queues emit; gate.c: what the
 * host raises; wait_loop.c waits for them.
 *
 * Numbering.  A stretch that emits takes the order lock of its port, gives
 * out numbers from `next`, and publishes them in `submitted` when the backend
 * has taken the stretch, or puts `next` back.  So whoever sees `submitted`
 * may submit a wait for it.
 */
#ifndef PLAIT_SRC_OBJECT_SIGNAL_SIGNAL_H
#define PLAIT_SRC_OBJECT_SIGNAL_SIGNAL_H

#include "object/context/context.h"
#include "object/signal/signal_watch.h"

typedef struct plait__signal plait__signal;
typedef struct plait__submit_listener plait__submit_listener;

/* Somebody who wants to know when an emission is submitted; see below. */
struct plait__submit_listener {
	plait__submit_listener *next;	/* under the signal's lock, as is: */
	bool linked;
	void (*notify)(plait__submit_listener *listener);
	void *arg;
};

struct plait__signal {
	plait__object object;
	plait__backend_port *port;
	plait_backend_signal *raw;
	bool is_gate;
	/* The newest emission that a backend has taken; of a gate, where it
	 * was raised to.  Released under the order or gate lock. */
	at_u64 submitted;

	/* Of what queues emit; under port->order. */
	uint64_t next;		 /* the newest number given out */
	uint64_t last_queue;	 /* who was given it: a queue's handle */
	plait__signal *in_batch; /* list of what the stretch emits */

	/* Of gates. */
	struct plait__mutex gate; /* raise, fail and reset take turns */
	bool failed;		  /* under `gate` */

	plait__signal_watch watch;

	struct plait__mutex listener_lock; /* guards the list; a leaf */
	plait__submit_listener *listeners;
	at_u32 has_listeners;		/* there may be some */
};

PLAIT__OBJECT_ENTER(signal, PLAIT_OBJECT_SIGNAL);

/* The newest submitted. */
static inline uint64_t plait__signal_submitted(const plait__signal *signal)
{
	/* Acquire: pairs with the stores in submission.c and gate.c. */
	return at_load_acquire_u64(&signal->submitted);
}

/*
 * The sequence that the user means: 0 is the newest submitted.  May be 0
 * then: nothing is waited for.  PLAIT_E_INVALID for what nobody submitted.
 */
plait_status plait__signal_resolve(const plait__signal *signal,
				   uint64_t *sequence, plait_error *error);

/* PLAIT_OK, PLAIT_PENDING or the failure; `out_reached` may be null. */
plait_status plait__signal_poll(const plait__signal *signal,
				uint64_t sequence, uint64_t *out_reached,
				plait_error *error);

/*
 * `listener->told` is called once, on the thread that submits the next emission,
 * locks held; unless it is given up before.  False: that sequence has been
 * submitted, and it is not called.
 */
bool plait__submit_listener_add(plait__signal *signal, uint64_t sequence,
				plait__submit_listener *listener);
/* False: it is called, or was. */
bool plait__submit_listener_remove(plait__signal *signal, plait__submit_listener *listener);
/* submission.c: `submitted` has just gone up. */
void plait__submit_listener_notify(plait__signal *signal);

/* The user has no handle of a gate any more: who waits is cancelled. */
void plait__gate_abandon(plait__object *object);

#endif
