/* SPDX-License-Identifier: MIT */
/*
 * Cluster: latencies and rates of equal nodes with equal ranks.  Rank r is in
 * node r / ranks.  doc/cluster.md describes the text form.
 */
#ifndef PLAIT_SRC_COLL_PRICE_CLUSTER_H
#define PLAIT_SRC_COLL_PRICE_CLUSTER_H

#include "plait/base.h"

/* Cost of a protocol: latency from the end of a send to its message, and bytes
 * that move for bytes of data. */
typedef struct plait__cluster_protocol {
	uint32_t link_ns, network_ns;
	uint32_t wire, data;
} plait__cluster_protocol;

/* Rates are in MB/s, 10^6 bytes per second, each direction for itself. */
typedef struct plait__cluster {
	uint32_t nodes, ranks;	/* ranks of a node */
	uint32_t start_ns;	/* before the first step of a collective */
	uint32_t step_ns;	/* of a step, beside its bytes */
	uint32_t lane_rate;	/* of a lane */
	uint32_t lanes;		/* most of a rank */
	uint32_t memory_rate;	/* of a rank, for steps that send nothing */
	uint32_t link_rate;	/* of a rank, to ranks of its node */
	uint32_t network_rate;	/* of a port, to other nodes */
	uint32_t ports;		/* of a node */
	uint32_t message_ns;	/* of a port for each message, beside its
				 * bytes */
	plait__cluster_protocol protocols[3]; /* Simple, LL, LL128 */
} plait__cluster;

/* Read the text form; `name` is for errors.  PLAIT_E_INVALID: the error has the
 * line. */
plait_status plait__cluster_read(const char *text, uint64_t bytes,
				 const char *name, plait__cluster *out,
				 plait_error *error);

#endif
