/* SPDX-License-Identifier: MIT */
/*
 * Links between memories: a matrix of rates and latencies.  Memories are
 * numbered from 0; `host` is that of the host, which flows number 0.  A rate of
 * 0 means that there is no direct link: a copy goes through the host.  (When a
 * link is in use: link_bookings.h.)
 */
#ifndef PLAIT_SRC_FLOW_POLICY_LINKS_H
#define PLAIT_SRC_FLOW_POLICY_LINKS_H

#include "plait/base.h"

#include <stdbool.h>

/* Sets of memories, and of devices, are bits of a word. */
enum { PLAIT__LINKS_MEMORIES = 64 };

typedef struct plait__link {
	uint64_t rate;		/* bytes per microsecond; 0: no link */
	uint64_t latency_ns;
} plait__link;

typedef struct plait__links {
	const plait_allocator *allocator;
	uint32_t count;		/* of memories, with the host's */
	uint32_t host;		/* its memory */
	plait__link *table;	/* from * count + to */
} plait__links;

/* Initialise without any link; `count` is 1 to PLAIT__LINKS_MEMORIES, and `host`
 * is below it. PLAIT_E_NOMEM. */
plait_status plait__links_init(plait__links *links,
			       const plait_allocator *allocator,
			       uint32_t count, uint32_t host);
void plait__links_fini(plait__links *links);

/* Set one direction. */
void plait__links_set(plait__links *links, uint32_t from, uint32_t to,
		      uint64_t rate, uint64_t latency_ns);

/* Returns the link; the opposite one where a direction has no figures. */
const plait__link *plait__links_get(const plait__links *links, uint32_t from,
				    uint32_t to);

/* Returns the bandwidth in whole GB/s, rounded down, at least 1: the mean of
 * both directions, or the one that has figures; 0 without a link. */
uint64_t plait__links_bandwidth(const plait__links *links, uint32_t a,
				uint32_t b);

/*
 * Returns the bandwidth of a move to `to` from the memories in `valid`: that of
 * the best link, or of the worst with `worst`. UINT64_MAX if `to` is in `valid`;
 * 0 if none of `valid` has a link to it.
 */
uint64_t plait__links_bandwidth_from(const plait__links *links, uint64_t valid,
				     uint32_t to, bool worst);

#endif
