/* SPDX-License-Identifier: MIT */
/*
 * Transfers of lanes over shared ports, and the events of a simulation.  A lane
 * has at most one event: the end of its transfer, or a time.  A transfer has
 * the rate of its lane, or an equal share of a port where that is less; the
 * shares change when a transfer begins or ends.
 *
 * Times are in picoseconds.  What is left of a transfer is in 10^-6 bytes, so
 * that a rate in MB/s moves exactly one unit per picosecond and MB/s.
 */
#ifndef PLAIT_SRC_COLL_PRICE_PRICE_FLOWS_H
#define PLAIT_SRC_COLL_PRICE_PRICE_FLOWS_H

#include <stdbool.h>

#include "plait/base.h"

enum {
	PLAIT__FLOW_NONE = UINT32_MAX,
	PLAIT__FLOW_PORTS = 2	/* most of a transfer */
};

typedef struct plait__flow {
	uint64_t left;		/* at `since` */
	uint64_t since;
	uint64_t due;		/* time of the event */
	uint32_t lane_rate, rate; /* 0: no transfer */
	uint32_t place;		/* in the heap, or NONE */
	uint32_t ports[PLAIT__FLOW_PORTS]; /* or NONE */
	/* Neighbours among the transfers of a port; the lower bit of an entry
	 * is the index in `ports` of that lane. */
	uint32_t next[PLAIT__FLOW_PORTS], previous[PLAIT__FLOW_PORTS];
} plait__flow;

typedef struct plait__flow_port {
	uint32_t rate, count, first;
	uint32_t lane_rate;	/* the largest one of a transfer so far */
} plait__flow_port;

typedef struct plait__flows {
	const plait_allocator *allocator;
	plait__flow *flows;	/* by lane */
	plait__flow_port *ports; /* the caller sets `rate` */
	uint32_t *heap;		/* lanes, the earliest event first */
	uint32_t lane_count, port_count, heap_count;
	bool overflowed;	/* a time does not fit into 64 bits */
} plait__flows;

/* Returns 0, or -1 without memory; fini in both cases. */
int plait__flows_init(plait__flows *flows, const plait_allocator *allocator,
		      uint32_t lane_count, uint32_t port_count);
void plait__flows_fini(plait__flows *flows);

/* Set an event of a lane that has none. */
void plait__flows_wait(plait__flows *flows, uint32_t lane, uint64_t due);

/* Begin the transfer of a lane that has no event; a port may be NONE. */
void plait__flows_begin(plait__flows *flows, uint32_t lane, uint64_t now,
			uint64_t bytes, uint32_t lane_rate,
			const uint32_t ports[PLAIT__FLOW_PORTS]);

/* Remove the earliest event, the lowest lane's of equal ones; a transfer has
 * ended then.  Returns its lane, or NONE. */
uint32_t plait__flows_next(plait__flows *flows, uint64_t *out_now);

#endif
