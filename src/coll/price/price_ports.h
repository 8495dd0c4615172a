/* SPDX-License-Identifier: MIT */
/*
 * Ports of a cluster, and which ones a step uses: link out, link in and memory
 * of each rank, then out and in of each network port.  A message to another
 * node occupies its port for a time before its bytes move, one message after
 * another.
 */
#ifndef PLAIT_SRC_COLL_PRICE_PRICE_PORTS_H
#define PLAIT_SRC_COLL_PRICE_PRICE_PORTS_H

#include "coll/price/cluster.h"
#include "coll/price/price_flows.h"
#include "coll/schedule/schedule.h"

typedef struct plait__ports {
	const plait__schedule *schedule;
	const plait__cluster *cluster;
	uint32_t rank_ports;	/* ports before those of the network */
	uint32_t count;		/* all ports */
	uint64_t *idle_from;	/* by network port, in picoseconds */
} plait__ports;

/* Returns 0, or -1 without memory; fini in both cases. */
int plait__ports_init(plait__ports *ports, const plait__schedule *schedule,
		      const plait__cluster *cluster,
		      const plait_allocator *allocator);
void plait__ports_fini(plait__ports *ports, const plait_allocator *allocator);

/* Rate of a port in MB/s. */
uint32_t plait__ports_rate(const plait__ports *ports, uint32_t port);

/* Set the ports of a step of a lane; NONE where it uses only one. */
void plait__ports_find(const plait__ports *ports, const plait__coll_lane *lane,
		       const plait__coll_step *step,
		       uint32_t out[PLAIT__FLOW_PORTS]);

/* Returns the time from which the bytes of a step can move that begins now. */
uint64_t plait__ports_occupy(plait__ports *ports, const plait__coll_lane *lane,
			     const plait__coll_step *step, uint64_t now);

/* Returns the bytes that move for `bytes` of a step. */
uint64_t plait__ports_wire(const plait__ports *ports,
			   const plait__coll_step *step, uint64_t bytes);

/* Returns the time from the end of a send to its message, in picoseconds. */
uint64_t plait__ports_latency(const plait__ports *ports,
			      const plait__coll_lane *lane);

#endif
