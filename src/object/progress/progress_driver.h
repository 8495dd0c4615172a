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
 * afterwards.  From OVER only plait__pilot_begin leads on.
 */
#ifndef PLAIT_SRC_OBJECT_PROGRESS_PROGRESS_DRIVER_H
#define PLAIT_SRC_OBJECT_PROGRESS_PROGRESS_DRIVER_H

#include "plait/base.h"

#include "sys/eventcount.h"
#include "sys/mutex.h"
#include "sys/thread.h"

#include <stdbool.h>

typedef struct plait__context plait__context;
typedef struct plait__piloted plait__piloted;
typedef struct plait__pilot_note plait__pilot_note;

/* What a turn leaves behind. */
enum {
	PLAIT__PILOT_WAITS = 0,	/* until it is told */
	PLAIT__PILOT_LOOKS = 1,	/* nobody may tell: look again soon */
	PLAIT__PILOT_OVER = 2,
	/* The same as LOOKS, but not for ever, whatever happens. */
	PLAIT__PILOT_TRIES = 3
};

/* Something that happened to one who is driven: what an upcall writes. */
struct plait__pilot_note {
	plait__pilot_note *next;
	plait__piloted *whose;
	plait_status status;
};

struct plait__piloted {
	plait__piloted *next;	/* as all but the functions under the lock */
	uint32_t state;
	bool tries;		/* it said so last */
	plait__pilot_note *notes;
	plait__pilot_note *last_note;
	/* A bounded piece of its work; PLAIT__PILOT_... */
	uint32_t (*turn)(plait__piloted *piloted);
	/* Nobody touches it any more. */
	void (*over)(plait__piloted *piloted);
};

typedef struct plait__piloted_list {
	plait__piloted *first;
	plait__piloted *last;
} plait__piloted_list;

typedef struct plait__pilot {
	struct plait__mutex lock; /* a leaf; taken in upcalls */
	plait__piloted_list ready;
	plait__piloted_list looking;
	at_u32 ready_count;	/* for a look without the lock */
	at_u32 looking_count;
	at_u32 trying_count;	/* of those, also while they are driven */
	at_u32 active;		/* expected, or between begin and over */
	/* The thread, which is there only where it can be of use. */
	struct plait__mutex starting; /* guards `running` */
	bool running;
	at_u32 stop;
	at_u32 kicks;		/* moves when there is something to drive */
	struct plait__event event;
	struct plait__thread thread;
} plait__pilot;

/* Have the thread.  PLAIT_E_NOMEM: there is none to be had. */
plait_status plait__pilot_start(plait__context *context, plait_error *error);
/* The context ends. */
void plait__pilot_stop(plait__context *context);

/* It is to be driven from now on, and a first time at once.  From any
 * thread, in upcalls too. */
void plait__pilot_begin(plait__context *context, plait__piloted *piloted);

/* Something will begin once a queue has come to it: whoever waits from now on
 * is to be ready to drive it.  And it has begun, or will not. */
void plait__pilot_expect(plait__context *context);
void plait__pilot_forget(plait__context *context);

/* From any thread, in upcalls too, which touch nothing of it afterwards. */
void plait__pilot_note_down(plait__context *context, plait__pilot_note *note,
			    plait_status status);

/* For who drives it: what was noted since, oldest first. */
plait__pilot_note *plait__pilot_read(plait__context *context,
				     plait__piloted *piloted);

/* Drive one thing for a turn.  False: there is nothing that got on.  Not in
 * upcalls. */
bool plait__pilot_drive(plait__context *context);

/* Look at one that nobody drives now, as who drives it would, but change nothing.
 * False: somebody does, or is about to, or it is over.  Not in upcalls. */
bool plait__pilot_visit(plait__context *context, plait__piloted *piloted,
			void (*look)(plait__piloted *piloted, void *arg),
			void *arg);

/* Would plait__pilot_drive find something that was told? */
static inline bool plait__pilot_has_ready(const plait__pilot *pilot)
{
	return at_load_acquire_u32(&pilot->ready_count) != 0;
}

/* Is there something that nobody tells of? */
static inline bool plait__pilot_has_looking(const plait__pilot *pilot)
{
	return at_load_acquire_u32(&pilot->looking_count) != 0;
}

/* Is there something that comes to an end if it is only driven often enough? */
static inline bool plait__pilot_is_trying(const plait__pilot *pilot)
{
	return at_load_acquire_u32(&pilot->trying_count) != 0;
}

/* Is anything driven at all? */
static inline bool plait__pilot_is_active(const plait__pilot *pilot)
{
	return at_load_acquire_u32(&pilot->active) != 0;
}

#endif
