/* SPDX-License-Identifier: MIT */
/*
 * The handle table of the process. Its chunks are never unmapped, so any number
 * that a user passes can be looked up without a fault.
 *
 *  A handle is  type (5 bits) | generation (24) | slot (24),  below 2^53.
 *
 * The state word of a slot has the same type and generation, the number of
 * references that the user holds (19 bits), and the number of threads inside a
 * call (16 bits):
 *
 *     free --make--> user >= 1 --last release--> user = 0 --free--> free, and
 *                                                     one generation later
 *
 * No thread enters at user = 0: the user has released the object, though work
 * in flight may still hold its memory (object.h). A slot without generations
 * left is never used again.
 *
 * Events of an object are numbered from 1 and happen in this order.  The slot
 * says how many are known to have happened, so that a thread learns it without
 * entering: it reads `past`, and then that the slot still has the same tag.
 */
#ifndef PLAIT_SRC_OBJECT_HANDLE_HANDLE_TABLE_H
#define PLAIT_SRC_OBJECT_HANDLE_HANDLE_TABLE_H

#include <stdbool.h>

#include "plait/base.h"

#include "sys/atomic.h"

_Static_assert(sizeof(void *) == 8, "a handle needs 53 bits of a pointer");

enum {
	PLAIT__HANDLE_SLOT_BITS = 24,
	PLAIT__HANDLE_GENERATION_BITS = 24,
	PLAIT__HANDLE_TYPES = 18
};

typedef struct plait__handle_slot {
	/* tag 29 | user 19 | inside 16. Between make and retire each change is
	 * a read-modify-write, so a thread that enters sees all stores made
	 * before the slot was made. */
	_Alignas(64) at_u64 state;
	at_ptr object;	     /* stored before `state` */
	at_u64 past;	     /* events up to this one have happened without a
			      * failure; 0: none is known.  Reset before
			      * `state` */
	at_ptr past_context; /* of the object; stored before `past` */
	uint32_t index;	     /* constant */
	/* written by the owner, or under the table's lock */
	uint32_t generation;
	struct plait__handle_slot *next; /* in the free list */
} plait__handle_slot;

/* "queue", "buffer"; for error texts. */
const char *plait__handle_type_name(int32_t type);

/* Make a slot with one user reference. PLAIT_E_NOMEM. */
plait_status plait__handle_make(int32_t type, void *object,
				plait__handle_slot **out, plait_error *error);

/* The handle of a slot in use. */
uint64_t plait__handle_get(const plait__handle_slot *slot);

/* Free a slot: no thread is inside and the user has no reference. The handle is
 * stale afterwards. */
void plait__handle_free(plait__handle_slot *slot);

/*
 * The two halves of free, for an owner that keeps the slot: retire, then
 * recycle or reuse. Retire returns false if no generation is left; the slot is
 * lost then. Reuse makes a retired slot a handle again; it takes no lock and
 * cannot fail.
 */
bool plait__handle_retire(plait__handle_slot *slot);
void plait__handle_recycle(plait__handle_slot *slot);
void plait__handle_reuse(plait__handle_slot *slot, int32_t type, void *object);

/*
 * Enter: *out is the object, which stays until plait__handle_leave.
 * PLAIT_E_HANDLE with the reason, PLAIT_E_FORKED, PLAIT_E_BUSY (65535 threads
 * are inside).
 */
plait_status plait__handle_enter(const void *handle, int32_t type, void **out,
				 plait_error *error);

/*
 * Returns true if the user has a reference to this handle now. Does not enter:
 * the caller holds the object anyway. Costs two loads.
 */
bool plait__handle_is_live(const void *handle, int32_t type);

/*
 * Returns the object, or null if the user has no reference to this handle now.
 * Does not enter: the caller prevents that the object is destroyed, by a lock
 * that its destruction takes.  Costs two loads.
 */
void *plait__handle_peek(const void *handle, int32_t type);

/* Note that all events up to `event` have happened, without a failure, and never
 * count as failed later.  The caller is inside the object, or holds it.  A lower
 * number may replace a higher one. */
void plait__handle_note_past(plait__handle_slot *slot, void *context,
			     uint64_t event);

/*
 * Returns true if the user has a reference to this handle, of an object of
 * `context` (null: of any), and the event, not 0, was noted as past.  False says
 * nothing.  Does not enter; costs five loads.  The caller sees what the thread
 * that noted it has seen, and has looked for a fork.
 */
bool plait__handle_is_past(const void *handle, int32_t type,
			   const void *context, uint64_t event);

/* PLAIT_E_HANDLE with the reason why peek returned null. */
plait_status plait__handle_refuse(const void *handle, int32_t type,
				  plait_error *error);

/* Returns true if the caller was the last thread inside and the user has no
 * reference. */
bool plait__handle_leave(plait__handle_slot *slot);

/* Add a user reference; does nothing to a stale handle. */
void plait__handle_retain(const void *handle, int32_t type);

/*
 * Drop a user reference. After the last one *out is the object, which the
 * caller closes: LEAVE, if other threads are inside (the caller counts as
 * inside); CLOSE, if none is, and none can enter.
 */
typedef enum plait__handle_end {
	PLAIT__HANDLE_NO_ACTION, /* nothing to do */
	PLAIT__HANDLE_LEAVE,
	PLAIT__HANDLE_CLOSE
} plait__handle_end;

plait__handle_end plait__handle_release(const void *handle, int32_t type,
					void **out);

/* Returns true if another thread than the caller's is inside. */
bool plait__handle_is_shared(const plait__handle_slot *slot);

/* PLAIT_OK, or PLAIT_E_FORKED with its text. */
plait_status plait__handle_check_fork(plait_error *error);

/* Count the handles in use of a type, or of PLAIT_OBJECT_ANY. Visits each slot
 * that was ever made. */
uint64_t plait__handle_count(int32_t type);

/* For tests: the next use of a free slot has its last generation. */
void plait__handle_exhaust_generations(plait__handle_slot *slot);

#endif
