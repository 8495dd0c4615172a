/* SPDX-License-Identifier: MIT */
/*
 * Types and functions of the interposer fault.  Handles are the wrapped
 * backend's own.
 */
#ifndef PLAIT_PLUGINS_FAULT_H
#define PLAIT_PLUGINS_FAULT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "plait/plugin.h"

#include "forward/forward.h"

typedef struct fault fault;
typedef struct fault_gate fault_gate;
typedef struct fault_notice fault_notice;
typedef struct fault_queue fault_queue;

typedef struct fault_options {
	uint64_t fail;  /* 0 in any of these: never */
	uint64_t from;
	uint64_t lost;
	uint64_t late;
	uint64_t twice;
	uint64_t never;
	uint64_t rate;  /* per 1000 calls */
	uint64_t seed;
	uint64_t slots; /* 1 << FORWARD_SLOT: calls of these slots count */
	plait_status status;
	bool can_lose;  /* calls may return PLAIT_E_LOST */
} fault_options;

struct fault {
	forward base;
	fault_options options;

	/* Held while the lists are drained, and to shorten them; recursive, for
	 * callbacks that destroy objects. */
	pthread_mutex_t draining;
	/* Guards everything below; released while the backend or a notification
	 * callback runs. */
	pthread_mutex_t lock;
	pthread_cond_t never_signalled;
	uint64_t calls;  /* of slots that count */
	uint64_t failed; /* calls that returned a failure of this interposer */
	uint64_t notices; /* notifications that the backend has made */
	uint64_t notifying; /* threads in a notification */
	pthread_cond_t notified;
	uint64_t random; /* state of the generator; begins as the seed */
	bool lost; /* a call has returned PLAIT_E_LOST; all later ones do */
	fault_notice *late; /* kept by notify() for a later call */
	/* Kept with the option can_lose only. */
	fault_queue *queues;
	fault_gate *gates;
};

/* A queue, and the signal that its last submission emits on a loss. */
struct fault_queue {
	fault_queue *next;
	plait_backend_queue *inner;
	plait_backend_signal *drained;
};

struct fault_gate {
	fault_gate *next;
	plait_backend_signal *inner;
	uint64_t raised; /* sequence of the last raise that succeeded */
};

struct fault_notice {
	fault_notice *next;
	fault *self;
	plait_notify_function function;
	void *user_data;
	/* Late notifications: the backend's status, and the calls of
	 * plaitp_fault_notice_deliver_late until the delivery. */
	plait_status status;
	uint32_t calls_left;
};

static inline fault *fault_of(plait_backend *self)
{
	return (fault *)(void *)self;
}

/* option.c */
/* Null for a slot that cannot fail. */
const char *plaitp_fault_option_slot_name(uint32_t slot);
/* Read all options; PLAIT_E_INVALID names one that is not valid. */
plait_status plaitp_fault_options(plait_host *host,
				  const plait_host_services *services,
				  fault_options *out, plait_error *error);

/* choose.c: return PLAIT_OK, or the failure of this call with its text; the
 * first PLAIT_E_LOST drains the backend before.  `slot` can fail.  Caller does not
 * hold `lock`; a callback inside a drain holds `draining`. */
plait_status plaitp_fault_choose(forward *base, uint32_t slot,
				 plait_error *error);

/* loss.c: queues and gates are listed with the option can_lose only; without
 * it the functions find no entry.  PLAIT_E_NOMEM, or the backend's failure. */
plait_status plaitp_fault_loss_add_queue(fault *self, uint32_t device,
					 plait_backend_queue *queue,
					 plait_error *error);
/* Remove the queue from the list and destroy it. */
void plaitp_fault_loss_destroy_queue(fault *self, plait_backend *backend,
				     plait_backend_queue *queue);
plait_status plaitp_fault_loss_add_gate(fault *self, plait_backend_signal *gate,
					plait_error *error);
/* The backend has accepted a raise of the gate. */
void plaitp_fault_loss_gate_raised(fault *self,
				   const plait_backend_point *point);
/* Before the gate is destroyed; waits for a drain. */
void plaitp_fault_loss_drop_gate(fault *self, const plait_backend_signal *gate);
/* Fail all gates and complete all pending work, once `lost` is set.  Takes
 * `draining`, and waits up to 5 s for each queue.  Notification callbacks may run
 * inside, on this thread. */
void plaitp_fault_loss_drain(fault *self);

/* notice.c */
/* Register a notification that `late`, `twice` or `never` may change when it comes.
 * PLAIT_E_NOMEM, or the failure of signal_notify: nothing is registered. */
plait_status plaitp_fault_notice_register(fault *self,
					  const plait_backend_point *point,
					  plait_notify_function function,
					  void *user_data, plait_error *error);
/* Deliver one late notification that is due, or with `all` any.  Returns true
 * if one was delivered. */
bool plaitp_fault_notice_deliver_late(fault *self, bool all);
/* At close, when no notification runs any more: free them, uncalled.  Takes no
 * lock. */
void plaitp_fault_notice_drop_late(fault *self);
/* Wait until no notification runs.  A callback may start the close of the
 * context while it still runs. */
void plaitp_fault_notice_await(fault *self);

#endif
