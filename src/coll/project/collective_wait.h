/* SPDX-License-Identifier: MIT */
/*
 * Waiting of a rank in a call: spin, then yield, then sleep on the bell of its
 * port, or for a moment where transports have none.  In between the world makes
 * progress, and the thread looks for stops, lost peers and silence.
 */
#ifndef PLAIT_SRC_COLL_PROJECT_COLLECTIVE_WAIT_H
#define PLAIT_SRC_COLL_PROJECT_COLLECTIVE_WAIT_H

#include "coll/project/collective_object.h"

typedef struct plait__collective_wait {
	plait__collective *collective;
	plait__collective_part *part;
	plait_error *error;
	bool is_announced;
	bool is_lost;		/* a peer was, when it was looked at last */
	uint32_t bell_state;
	uint32_t turns;		/* since the last step */
	uint64_t moved_ns;	/* 0: not read since then */
	uint64_t next_peers_ns;
} plait__collective_wait;

void plait__collective_wait_begin(plait__collective_wait *wait,
				  plait__collective *collective,
				  plait__collective_part *part,
				  plait_error *error);

/* A step was executed: begin anew. */
void plait__collective_wait_moved(plait__collective_wait *wait);

/* Wait a little; the caller advances its machine between two calls.  Failures
 * name the rank: PLAIT_E_CANCELLED or PLAIT_E_LOST of a stop, PLAIT_E_LOST,
 * PLAIT_E_TIMEOUT. */
plait_status plait__collective_wait_step(plait__collective_wait *wait);

/* Look for mail, lost peers and silence, without a wait; fails likewise. */
plait_status plait__collective_wait_look(plait__collective_wait *wait);

/* The call has failed: take back what it has lent to transports, and what peers
 * read in place.  Peers are waited for; at most for a second if they read in place,
 * have ended, or the transport fails. */
void plait__collective_wait_reclaim(plait__collective_wait *wait);

void plait__collective_wait_end(plait__collective_wait *wait);

#endif
