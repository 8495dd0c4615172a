/* SPDX-License-Identifier: MIT */
/*
 * A ticket is what is told, once, that something has happened that a lane waits
 * for, and has the lane that is parked until then.  It may come late: when a run
 * was stopped its lane leaves the ticket, which then ends by itself.
 */
#ifndef PLAIT_SRC_RUN_EXTERNAL_COMPLETION_H
#define PLAIT_SRC_RUN_EXTERNAL_COMPLETION_H

#include "run/external/external_command.h"

struct plait__completion {
	plait__object object;	/* without a handle */
	plait__submit_listener listener;
	plait__object *needs;	/* held while it is to be told */
	struct plait__mutex lock; /* guards the rest; a leaf */
	plait__external *parked;	/* until this is told; or null */
	uint64_t park_number;	/* which time that is */
	bool completed;
};

/* A lane gets one, and leaves it. */
plait_status plait__completion_make(plait__external *external, plait_error *error);
void plait__completion_detach(plait__external *external);

/* Who is parked with it, if it is the parking that is meant; 0 means any.  Who
 * takes it goes on with it, or offers it. */
plait__external *plait__completion_claim(plait__completion *completion, uint64_t park_number);

/* Park until the command at hand has got on, or may begin.  PLAIT_OK: look
 * again; PLAIT_PENDING: parked, and no longer the caller's; or why it cannot
 * be.  `stops`: not for longer than until the run is stopped. */
plait_status plait__completion_park(plait__external *external, bool stops,
				    plait_error *error);

/* Back again: was the ticket told, or is it yet to be? */
void plait__completion_resume(plait__external *external);

/* Nobody has submitted the emission that it hopes for: do not wait for it. */
void plait__completion_give_up(plait__external *external);

#endif
