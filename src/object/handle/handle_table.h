/* SPDX-License-Identifier: MIT */
/*
 * The one table of handles: process-wide, in chunks that are never unmapped,
 * so that any number a user passes can be looked up without a crash.
 *
 * A handle is  type (5 bits) | generation (24) | slot (24),  below 2^53.
 * A slot's word has the same type and generation, how many references the
 * user holds (19 bits) and how many threads are inside a call (16):
 *
 *     free --make--> user >= 1 --last release--> user = 0 --free--> free, and
 *                                                    one generation later
 *
 * Nobody enters with user = 0: to the user the object is gone then, though
 * work in flight may hold its memory (object.h).  A slot whose generations
 * are used up is never used again.
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
	PLAIT__HANDLE_TYPES = 12
};

typedef struct plait__handle_slot {
	/* tag 29 | user 19 | inside 16; between making and resting every
	 * change is a read-modify-write, so who enters sees what was stored
	 * before the slot was made. */
	_Alignas(64) at_u64 state;
	at_ptr object;	     /* stored before `state` is */
	uint32_t index;	     /* constant */
	uint32_t generation; /* its owner's, or under the table's lock */
	struct plait__handle_slot *next; /* while it is free */
} plait__handle_slot;

/* "queue", "buffer"; for errors. */
const char *plait__handle_type_name(int32_t type);

/* A slot with one reference of the user's.  PLAIT_E_NOMEM. */
plait_status plait__handle_make(int32_t type, void *object, plait__handle_slot **out,
				plait_error *error);

/* The number of a slot in use. */
uint64_t plait__handle_get(const plait__handle_slot *slot);

/* Nobody is inside and the user has no reference: the handle is stale now. */
void plait__handle_free(plait__handle_slot *slot);

/*
 * The same for who has another use for the slot: free is rest, then give.
 * False: there are no generations left, and it is nobody's any more.  After it
 * has rested it may become a handle again, which takes no lock and cannot fail.
 */
bool plait__handle_retire(plait__handle_slot *slot);
void plait__handle_recycle(plait__handle_slot *slot);
void plait__handle_reuse(plait__handle_slot *slot, int32_t type, void *object);

/*
 * Come in: `out` gets the object, which stays until plait__handle_leave.
 * PLAIT_E_HANDLE with a text that says why, PLAIT_E_FORKED, PLAIT_E_BUSY
 * (65535 threads are inside).
 */
plait_status plait__handle_enter(const void *handle, int32_t type, void **out,
				 plait_error *error);

/*
 * Has the user a reference to this handle now?  A look without coming in, for
 * who holds the object anyway: no more than two loads.
 */
bool plait__handle_is_live(const void *handle, int32_t type);

/* True: that was the last one inside and the user has no reference. */
bool plait__handle_leave(plait__handle_slot *slot);

/* One more reference of the user's; nothing happens to what is stale. */
void plait__handle_retain(const void *handle, int32_t type);

/*
 * One less.  When it was the last, `out` gets the object, which is the caller's
 * to tidy up: then to leave, for it is inside with others, or to close, for
 * nobody is and nobody comes.
 */
typedef enum plait__handle_end {
	PLAIT__HANDLE_NO_ACTION, /* nothing is to be done */
	PLAIT__HANDLE_LEAVE,
	PLAIT__HANDLE_CLOSE
} plait__handle_end;

plait__handle_end plait__handle_release(const void *handle, int32_t type,
					void **out);

/* Is anybody but the caller inside? */
bool plait__handle_is_shared(const plait__handle_slot *slot);

/* PLAIT_OK or PLAIT_E_FORKED with its text. */
plait_status plait__handle_check_fork(plait_error *error);

/* How many handles of a type, or of PLAIT_OBJECT_ANY, are in use.  Looks at
 * all that there ever were at a time. */
uint64_t plait__handle_count(int32_t type);

/* For tests: make the next use of a free slot its last generation. */
void plait__handle_exhaust_generations(plait__handle_slot *slot);

#endif
