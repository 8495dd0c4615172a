/* SPDX-License-Identifier: MIT */
/*
 * Execution of a schedule in simulated time: lanes, FIFOs and waits around the
 * transfers of price_flows.h.
 */
#ifndef PLAIT_SRC_COLL_PRICE_PRICE_CLOCK_H
#define PLAIT_SRC_COLL_PRICE_PRICE_CLOCK_H

#include "coll/price/price.h"

/* The schedule, its size, and the ends of its connections. */
typedef struct plait__clock_request {
	const plait__schedule *schedule;
	const plait__cluster *cluster;
	uint64_t tile_bytes;	/* of a chunk */
	uint32_t tiles;
	uint32_t part_chunks;	/* most of a part of a step */
	/* By lane: the sender of what it receives, the receiver of what it
	 * sends, or NONE. */
	const uint32_t *sender, *receiver;
} plait__clock_request;

/*
 * Execute all tiles.  Appends to `units`; out_ends[t] is the time at which
 * tiles 0 to t have ended, in picoseconds from the first step.  Statuses as
 * plait__price_schedule: PLAIT_E_INVALID (the time), _DEADLOCK, _NOMEM.
 */
plait_status plait__clock_run(const plait__clock_request *request,
			      const plait_allocator *allocator,
			      plait__vector *units, uint64_t *out_ends,
			      plait_error *error);

#endif
