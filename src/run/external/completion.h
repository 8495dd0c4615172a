/* SPDX-License-Identifier: MIT */
/*
 * One-shot completion of an external command: notified once, by the source of
 * its await; resumes the lane that is parked on it, as does a timer if the
 * await has a deadline.  A notification may come late: the lane of a stopped run
 * detaches, and the completion frees itself when it is notified.
 */
#ifndef PLAIT_SRC_RUN_EXTERNAL_COMPLETION_H
#define PLAIT_SRC_RUN_EXTERNAL_COMPLETION_H

#include "run/external/external_command.h"

struct plait__completion {
	plait__object object;	/* without a handle */
	plait__listener listener; /* of the source */
	plait__timer timer;	/* resumes the lane; holds the completion while
				 * it is armed */
	plait__object *needs;	/* owner of what is awaited; held from the
				 * subscription to the notification */
	/* Guards the fields below; taken inside the lock of plait__external,
	 * and `rest` is called under it. */
	struct plait__mutex lock;
	plait__external *parked;	/* the lane that is parked, or null */
	uint64_t park_number;	/* how often the lane was parked */
	bool completed;		/* set by the notification, cleared by the next
				 * subscription */
	bool expired;		/* the timer has fired, and the lane has yet to
				 * poll for it */
};

/* A lane makes its completion, and detaches from it (a lane without one may,
 * too).  Both take external->lock.  PLAIT_E_NOMEM. */
plait_status plait__completion_make(plait__external *external,
				    plait_error *error);
void plait__completion_detach(plait__external *external);

/* Claim the parked lane, of this parking or (0) of any.  The caller resumes
 * the lane or wakes it. */
plait__external *plait__completion_claim(plait__completion *completion,
					 uint64_t park_number);

/* Park until the command has advanced, or may begin.  PLAIT_OK: poll again;
 * PLAIT_PENDING: parked, and no longer the caller's; else the error.  `stops`:
 * the end of the wait includes the run's being stopped. */
plait_status plait__completion_park(plait__external *external, bool stops,
				    plait_error *error);

/* Resume the lane at this time, too, once; it polls then as after any
 * completion.  Made if the lane has none.  PLAIT_E_NOMEM. */
plait_status plait__completion_arm(plait__external *external,
				   uint64_t deadline_ns, plait_error *error);
/* The command has ended: forget its time. */
void plait__completion_disarm(plait__external *external);

/* The lane was unparked: reads whether its notification has come. */
void plait__completion_resume(plait__external *external);

/* Stop waiting for what is awaited, if its source takes the listener back.  Does
 * nothing if the notification is on its way: it comes. */
void plait__completion_give_up(plait__external *external);

#endif
