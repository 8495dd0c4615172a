/* SPDX-License-Identifier: MIT */
/*
 * External section: a position in a queue at which work happens elsewhere, such
 * as a run of a plan. When the queue reaches it, the callback `reached` is
 * called; the queue goes on when the section is left.
 *
 *     queue:         ... emit progress | wait gate ...
 *                            |              ^
 *     notification:      reached            |
 *     elsewhere:            work, leave ----'
 *
 * A section is reused, with its gate, as soon as it is left: a gate only
 * advances, so a queue that has yet to pass it is not disturbed. After a
 * failure it is reused when the queue has passed. The queue and the
 * notification have holds of their own, so a section may outlive its pool.
 */
#ifndef PLAIT_SRC_OBJECT_QUEUE_EXTERNAL_SECTION_H
#define PLAIT_SRC_OBJECT_QUEUE_EXTERNAL_SECTION_H

#include "plait/plugin.h"

#include "object/handle/object.h"

typedef struct plait__device plait__device;
typedef struct plait__section plait__section;
typedef struct plait__backend_port plait__backend_port;
typedef struct plait__queue plait__queue;
typedef struct plait__awaited_points plait__awaited_points;
struct plait__submission_builder;

/* Free list of the sections of one owner, which acquires and leaves one at a
 * time; zeroed memory is an empty pool. */
typedef struct plait__section_pool {
	plait__section *idle;
} plait__section_pool;

struct plait__section {
	plait__object object;	/* without a handle */
	plait__section *next;
	plait__section_pool *home;	/* valid until it is left */
	plait__backend_port *port;
	plait__queue *queue;	/* valid until it is left */
	plait_backend_signal *gate;
	uint64_t gate_sequence;
	/* of `progress`, when the queue has reached it: work behind the section
	 * has later ones */
	uint64_t sequence;
	bool gate_failed;
	bool was_idle;		/* the queue was idle when it was entered; see
				 * idle_section.c */
	/* From here to `owner` the user of the section sets all between
	 * plait__section_acquire and plait__section_enter. */

	/* Called on any thread, in notification callbacks too, with the status
	 * of the commands in front: a failure means that the work must not
	 * happen. */
	void (*reached)(void *arg, plait_status status);
	void *arg;
	/* Executes a piece of the work on a thread that waits for the queue;
	 * returns false if it has nothing to do now. May be called after the
	 * section is left, as long as the caller holds `owner`. Null: no
	 * thread can help. */
	bool (*help)(void *arg);
	/* Finds the points that the work awaits; called under the queue's lock.
	 * Null: it has none. */
	void (*find_points)(void *arg, plait__awaited_points *out);
	/* Writes ": " and what the work is at, for the text of a time-out, or
	 * ""; called under the queue's lock.  Null: it says nothing. */
	void (*describe)(void *arg, char *out, uint32_t bytes);
	plait__object *owner;	/* held until the section is left */
	/* Entered and submitted to the queue, and not left; guarded by the
	 * queue's lock. */
	plait__section *next_entered;
	bool is_entered;
};

/* Create a section for queues of the device's backend. */
plait_status plait__section_pool_add(plait__section_pool *home,
				     const plait__device *device,
				     plait_error *error);

/* Acquire a section for the queue, from the free list if it has one, until it
 * is left or cancelled. PLAIT_E_NOMEM, PLAIT_E_UNSUPPORTED (no gates, no
 * notifications). */
plait_status plait__section_acquire(plait__section_pool *home,
				    plait__queue *queue, plait__section **out,
				    plait_error *error);

/*
 * Enter behind all commands of the queue. *out_now: the queue was idle, so the
 * caller goes on at once, and `reached` is not called; then nothing is
 * submitted until a command follows, and the section must not be left in a
 * notification callback.  Otherwise `reached` is called once, perhaps before this
 * returns, or by this call with PLAIT_E_NOMEM.  After an error the caller cancels
 * the section.  Takes the queue's lock.
 */
plait_status plait__section_enter(plait__section *section, bool *out_now,
				  plait_error *error);

/* Returns true if the queue makes emission `emission` of the signal, or an
 * earlier one, behind the entered section: not before the section is left.
 * Takes the queue's lock. */
bool plait__section_precedes_emission(const plait__section *section,
				      const plait__object *signal,
				      uint64_t emission);

/* Leave an entered section, with a failure or null; or give back one that was
 * not entered. Both return it to its pool. Leave takes the queue's lock, and raises
 * the gate if commands may wait for it. */
void plait__section_leave(plait__section *section, const plait_error *failure);
void plait__section_cancel(plait__section *section);

/* Free the pool; all its sections are idle. */
void plait__section_pool_free(plait__section_pool *home);

#endif
