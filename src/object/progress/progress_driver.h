/* SPDX-License-Identifier: MIT */
/*
 * Who drives what cannot drive itself: work that a backend has told of, and
 * that now needs a thread which may call slots.  That is a role: a thread that
 * waits for anything takes it in passing; where backends get on by themselves
 * a thread of the context does, if nobody waits.
 *
 *     IDLE --tell--> READY --drive--> DRIVEN --turn--> IDLE, READY or OVER
 *
 * One thread at a time drives one thing; what is told meanwhile is found
 * afterwards.  From OVER only plait__progress_add leads on.
 */
#ifndef PLAIT_SRC_OBJECT_PROGRESS_PROGRESS_DRIVER_H
#define PLAIT_SRC_OBJECT_PROGRESS_PROGRESS_DRIVER_H

#include "plait/base.h"

#include "sys/eventcount.h"
#include "sys/mutex.h"
#include "sys/thread.h"

#include <stdbool.h>

typedef struct plait__context plait__context;
typedef struct plait__pollable plait__pollable;
typedef struct plait__progress_note plait__progress_note;

/* What a turn leaves behind. */
enum {
	PLAIT__PROGRESS_WAITING = 0,	/* until it is told */
	PLAIT__PROGRESS_POLLING = 1,	/* nobody may tell: look again soon */
	PLAIT__PROGRESS_DONE = 2,
	/* The same as LOOKS, but not for ever, whatever happens. */
	PLAIT__PROGRESS_RETRYING = 3
};

/* Something that happened to one who is driven: what an upcall writes. */
struct plait__progress_note {
	plait__progress_note *next;
	plait__pollable *whose;
	plait_status status;
};

struct plait__pollable {
	plait__pollable *next;	/* as all but the functions under the lock */
	uint32_t state;
	bool tries;		/* it said so last */
	plait__progress_note *notes;
	plait__progress_note *last_note;
	/* A bounded piece of its work; PLAIT__PROGRESS_... */
	uint32_t (*advance)(plait__pollable *pollable);
	/* Nobody touches it any more. */
	void (*over)(plait__pollable *pollable);
};

typedef struct plait__pollable_list {
	plait__pollable *first;
	plait__pollable *last;
} plait__pollable_list;

typedef struct plait__progress_driver {
	struct plait__mutex lock; /* a leaf; taken in upcalls */
	plait__pollable_list ready;
	plait__pollable_list polling;
	at_u32 ready_count;	/* for a look without the lock */
	at_u32 polling_count;
	at_u32 retrying_count;	/* of those, also while they are driven */
	at_u32 active;		/* expected, or between begin and over */
	/* The thread, which is there only where it can be of use. */
	struct plait__mutex starting; /* guards `running` */
	bool running;
	at_u32 stop;
	at_u32 wake_count;		/* moves when there is something to drive */
	struct plait__eventcount event;
	struct plait__thread thread;
} plait__progress_driver;

/* Have the thread.  PLAIT_E_NOMEM: there is none to be had. */
plait_status plait__progress_start(plait__context *context, plait_error *error);
/* The context ends. */
void plait__progress_stop(plait__context *context);

/* It is to be driven from now on, and a first time at once.  From any
 * thread, in upcalls too. */
void plait__progress_add(plait__context *context, plait__pollable *pollable);

/* Something will begin once a queue has come to it: whoever waits from now on
 * is to be ready to drive it.  And it has begun, or will not. */
void plait__progress_expect(plait__context *context);
void plait__progress_unexpect(plait__context *context);

/* From any thread, in upcalls too, which touch nothing of it afterwards. */
void plait__progress_post(plait__context *context, plait__progress_note *note,
			  plait_status status);

/* For who drives it: what was noted since, oldest first. */
plait__progress_note *plait__progress_take_notes(plait__context *context,
						 plait__pollable *pollable);

/* Drive one thing for a turn.  False: there is nothing that got on.  Not in
 * upcalls. */
bool plait__progress_drive(plait__context *context);

/* Look at one that nobody drives now, as who drives it would, but change nothing.
 * False: somebody does, or is about to, or it is over.  Not in upcalls. */
bool plait__progress_inspect(plait__context *context, plait__pollable *pollable,
			     void (*look)(plait__pollable *pollable, void *arg),
			     void *arg);

/* Would plait__progress_drive find something that was told? */
static inline bool plait__progress_has_ready(const plait__progress_driver *driver)
{
	return at_load_acquire_u32(&driver->ready_count) != 0;
}

/* Is there something that nobody tells of? */
static inline bool plait__progress_has_polling(const plait__progress_driver *driver)
{
	return at_load_acquire_u32(&driver->polling_count) != 0;
}

/* Is there something that comes to an end if it is only driven often enough? */
static inline bool plait__progress_has_retrying(const plait__progress_driver *driver)
{
	return at_load_acquire_u32(&driver->retrying_count) != 0;
}

/* Is anything driven at all? */
static inline bool plait__progress_is_active(const plait__progress_driver *driver)
{
	return at_load_acquire_u32(&driver->active) != 0;
}

#endif
