/* SPDX-License-Identifier: MIT */
/*
 * Bookings of links: until when each direction of a link is in use, and the
 * copies that come next.  A trial books for one question only, so that the
 * devices of a choice are compared without a copy of the table.
 */
#ifndef PLAIT_SRC_FLOW_POLICY_LINK_BOOKINGS_H
#define PLAIT_SRC_FLOW_POLICY_LINK_BOOKINGS_H

#include "flow/policy/links.h"

/* Bytes that a copy through the host stages at a time. */
enum { PLAIT__BOOKINGS_CHUNK = 4 << 20 };

typedef struct plait__booking {
	uint64_t free_ns;	/* of this direction */
	uint64_t trial_ns;	/* in trial number `trial` */
	uint64_t trial;
} plait__booking;

typedef struct plait__bookings {
	const plait__links *links;
	plait__booking *table;	/* as that of the links */
	uint64_t trial;		/* number of the latest one; 0: none yet */
} plait__bookings;

/* Initialise with all links free at 0. The links outlive it. PLAIT_E_NOMEM. */
plait_status plait__bookings_init(plait__bookings *bookings,
				  const plait__links *links);
void plait__bookings_fini(plait__bookings *bookings);

/* Begin a trial: until the next one, bookings with `trial` begin at the free
 * times and are seen by each other only. */
void plait__bookings_begin_trial(plait__bookings *bookings);

typedef struct plait__booking_copy {
	uint64_t bytes;
	uint64_t valid;		/* memories that have them */
	uint64_t ready_ns;	/* no earlier begin */
	uint32_t to;		/* not in `valid` */
} plait__booking_copy;

typedef struct plait__booked_copy {
	uint32_t from;
	bool through_host;
	uint64_t begin_ns;
	uint64_t end_ns;	/* UINT64_MAX: no way; then nothing is booked */
} plait__booked_copy;

/*
 * Book a copy from the memory that ends it first: the link's free time or
 * `ready_ns`, the later, and the latency, and bytes by rate, rounded up.
 * Without a direct link the copy is staged in the host's memory, the first link
 * one chunk ahead.
 */
plait__booked_copy plait__bookings_copy(plait__bookings *bookings,
					const plait__booking_copy *copy,
					bool trial);

#endif
