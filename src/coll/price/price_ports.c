/* SPDX-License-Identifier: MIT */
/* Ports of a cluster; see price_ports.h. */
#include "coll/price/price_ports.h"

#include "base/alloc.h"

#include <stddef.h>

static uint32_t network_count(const plait__ports *ports)
{
	const plait__cluster *cluster = ports->cluster;

	return ((ports->schedule->rank_count - 1) / cluster->ranks + 1) *
	       cluster->ports;
}

int plait__ports_init(plait__ports *ports, const plait__schedule *schedule,
		      const plait__cluster *cluster,
		      const plait_allocator *allocator)
{
	*ports = (plait__ports){ .schedule = schedule, .cluster = cluster };
	ports->rank_ports = 3 * schedule->rank_count;
	ports->count = ports->rank_ports + 2 * network_count(ports);
	ports->idle_from = plait__alloc_array(allocator, network_count(ports),
					      sizeof(*ports->idle_from));
	return ports->idle_from != NULL ? 0 : -1;
}

void plait__ports_fini(plait__ports *ports, const plait_allocator *allocator)
{
	plait__free(allocator, ports->idle_from,
		    network_count(ports) * sizeof(*ports->idle_from));
}

uint32_t plait__ports_rate(const plait__ports *ports, uint32_t port)
{
	if (port >= ports->rank_ports)
		return ports->cluster->network_rate;
	return port % 3 == 2 ? ports->cluster->memory_rate :
			       ports->cluster->link_rate;
}

/* ---- ports of steps ---- */

/* Number of the network port of a rank. */
static uint32_t network_port(const plait__ports *ports, uint32_t rank)
{
	const plait__cluster *cluster = ports->cluster;
	uint64_t port = (uint64_t)(rank % cluster->ranks) * cluster->ports /
			cluster->ranks;

	return rank / cluster->ranks * cluster->ports + (uint32_t)port;
}

static bool is_near(const plait__ports *ports, const plait__coll_lane *lane)
{
	return lane->rank / ports->cluster->ranks ==
	       (uint32_t)lane->send_peer / ports->cluster->ranks;
}

void plait__ports_find(const plait__ports *ports, const plait__coll_lane *lane,
		       const plait__coll_step *step,
		       uint32_t out[PLAIT__FLOW_PORTS])
{
	uint32_t peer = (uint32_t)lane->send_peer;

	out[0] = 3 * lane->rank + 2;
	out[1] = PLAIT__FLOW_NONE;
	if (!plait__step_sends(step->kind))
		return;
	if (is_near(ports, lane)) {
		out[0] = 3 * lane->rank;
		out[1] = 3 * peer + 1;
	} else {
		out[0] = ports->rank_ports +
			 2 * network_port(ports, lane->rank);
		out[1] = ports->rank_ports + 2 * network_port(ports, peer) + 1;
	}
}

uint64_t plait__ports_occupy(plait__ports *ports, const plait__coll_lane *lane,
			     const plait__coll_step *step, uint64_t now)
{
	uint64_t time = 1000 * (uint64_t)ports->cluster->message_ns;
	uint64_t *idle_from;

	if (time == 0 || !plait__step_sends(step->kind) ||
	    is_near(ports, lane))
		return now;
	idle_from = &ports->idle_from[network_port(ports, lane->rank)];
	if (*idle_from < now)
		*idle_from = now;
	*idle_from += time;
	return *idle_from;
}

/* ---- protocols ---- */

static const plait__cluster_protocol *protocol_of(const plait__ports *ports)
{
	uint32_t protocol = ports->schedule->protocol;

	if (protocol == PLAIT__PROTOCOL_AUTO)
		protocol = PLAIT__PROTOCOL_SIMPLE;
	return &ports->cluster->protocols[protocol - PLAIT__PROTOCOL_SIMPLE];
}

uint64_t plait__ports_wire(const plait__ports *ports,
			   const plait__coll_step *step, uint64_t bytes)
{
	const plait__cluster_protocol *protocol = protocol_of(ports);

	if (!plait__step_sends(step->kind) && !plait__step_receives(step->kind))
		return bytes;
	return (bytes * protocol->wire + protocol->data - 1) / protocol->data;
}

uint64_t plait__ports_latency(const plait__ports *ports,
			      const plait__coll_lane *lane)
{
	const plait__cluster_protocol *protocol = protocol_of(ports);

	return 1000 * (uint64_t)(is_near(ports, lane) ? protocol->link_ns :
							protocol->network_ns);
}
