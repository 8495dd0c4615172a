/* SPDX-License-Identifier: MIT */
/*
 * Something that happens elsewhere, as one command of a queue: when the queue
 * has come to it, `reached` is called; the queue goes on when it is left.
 *
 *     queue:  ... emit progress | wait gate ...
 *                     |              ^
 *     upcall:     reached            |
 *     elsewhere:      work, leave ---'
 *
 * A section is used again, gate and all, as soon as it is left: a gate only
 * goes up, so the queue, which may have to go past it yet, does not mind.  If
 * it failed it waits until the queue has.  The queue and the upcall have holds
 * of their own, so it may outlive its home.
 */
#ifndef PLAIT_SRC_OBJECT_QUEUE_EXTERNAL_SECTION_H
#define PLAIT_SRC_OBJECT_QUEUE_EXTERNAL_SECTION_H

#include "plait/plugin.h"

#include "object/handle/object.h"

typedef struct plait__device plait__device;
typedef struct plait__section plait__section;
typedef struct plait__backend_port plait__backend_port;
typedef struct plait__queue plait__queue;

/* Where idle ones are, for one that takes and leaves at a time; zeroed memory
 * is an empty one. */
typedef struct plait__section_pool {
	plait__section *idle;
} plait__section_pool;

struct plait__section {
	plait__object object;	/* without a handle */
	plait__section *next;
	plait__section_pool *home;	/* good until it is left */
	plait__backend_port *port;
	plait__queue *queue;	/* good until it is left */
	plait_backend_signal *gate;
	uint64_t gate_sequence;
	uint64_t sequence;	/* of `progress`: the queue has come to it */
	bool gate_failed;
	bool was_idle;		/* was, when it was entered; see idle_section.c */
	/* From any thread, in upcalls too; with the status of what was before
	 * it, so a failure means that it is not to happen. */
	void (*reached)(void *arg, plait_status status);
	void *arg;
};

/* One for queues of the device's backend, now. */
plait_status plait__section_pool_add(plait__section_pool *home,
				     const plait__device *device,
				     plait_error *error);

/* One for this queue, until it is left or cancelled.  PLAIT_E_NOMEM,
 * PLAIT_E_UNSUPPORTED (no gates, no notifications). */
plait_status plait__section_acquire(plait__section_pool *home, plait__queue *queue,
				    plait__section **out, plait_error *error);

/*
 * Behind all that the queue has.  *out_now: it had nothing, so the caller
 * goes on at once and `reached` is not called.  `lone`: then nothing is
 * submitted, until something comes behind it; it is not left in upcalls.
 */
plait_status plait__section_enter(plait__section *section, bool allow_idle,
				  bool *out_now, plait_error *error);

/* It has happened, or failed; or was not entered.  Back home it goes, which is
 * still there. */
void plait__section_leave(plait__section *section, const plait_error *failure);
void plait__section_cancel(plait__section *section);

/* None is away. */
void plait__section_pool_free(plait__section_pool *home);

#endif
