/* SPDX-License-Identifier: MIT */
/*
 * What the files of the interposer fault offer each other.  Handles are the
 * wrapped backend's own: nothing is translated.
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
	uint64_t rate;  /* of 1000 */
	uint64_t seed;
	uint64_t slots; /* 1 << FORWARD_SLOT: these count */
	plait_status status;
} fault_options;

struct fault {
	forward base;
	fault_options options;

	/* Guards everything below; never held while the backend or an upcall
	 * runs. */
	pthread_mutex_t lock;
	pthread_cond_t never_signalled;
	uint64_t calls;
	uint64_t failed;
	uint64_t notices;
	uint64_t receiving; /* threads inside a notification */
	pthread_cond_t received;
	uint64_t random;
	bool lost;
	fault_notice *late;
	/* Kept only with the option lost. */
	fault_queue *queues;
	fault_gate *gates;
};

/* A queue, and a signal of ours by which it is drained. */
struct fault_queue {
	fault_queue *next;
	plait_backend_queue *inner;
	plait_backend_signal *drained;
};

struct fault_gate {
	fault_gate *next;
	plait_backend_signal *inner;
	uint64_t raised;
};

struct fault_notice {
	fault_notice *next;
	fault *self;
	plait_notify_function function;
	void *user_data;
	plait_status status;
	uint32_t patience; /* calls that a late one still lets pass */
};

static inline fault *fault_of(plait_backend *self)
{
	return (fault *)(void *)self;
}

/* option.c */
const char *plaitp_fault_slot_name(uint32_t slot);
plait_status plaitp_fault_options(plait_host *host,
				  const plait_host_services *services,
				  fault_options *out, plait_error *error);

/* choose.c: PLAIT_OK, or what this call has to answer instead. */
plait_status plaitp_fault_choose(forward *base, uint32_t slot,
				 plait_error *error);

/* loss.c */
plait_status plaitp_fault_keep_queue(fault *self, uint32_t device,
				     plait_backend_queue *queue,
				     plait_error *error);
void plaitp_fault_drop_queue(fault *self, const plait_backend_queue *queue);
plait_status plaitp_fault_keep_gate(fault *self, plait_backend_signal *gate,
				    plait_error *error);
void plaitp_fault_raised(fault *self, const plait_backend_point *point);
void plaitp_fault_drop_gate(fault *self, const plait_backend_signal *gate);
/* Bring everything that is under way to its end. */
void plaitp_fault_drain(fault *self);

/* notice.c */
plait_status plaitp_fault_notify(fault *self, const plait_backend_point *point,
				 plait_notify_function function,
				 void *user_data, plait_error *error);
/* Deliver what is late; with `all`, also what still has patience.  True when
 * something was delivered. */
bool plaitp_fault_deliver_late(fault *self, bool all);
void plaitp_fault_drop_late(fault *self);
/* Wait until no notification is under way; what it tells may be the end of
 * everything, while it still returns. */
void plaitp_fault_await_received(fault *self);

#endif
