/* SPDX-License-Identifier: MIT */
/* Transfers over shared ports; see price_flows.h. */
#include "coll/price/price_flows.h"

#include "base/alloc.h"

#include <stddef.h>

int plait__flows_init(plait__flows *flows, const plait_allocator *allocator,
		      uint32_t lane_count, uint32_t port_count)
{
	*flows = (plait__flows){ .allocator = allocator,
				 .lane_count = lane_count,
				 .port_count = port_count };
	flows->flows = plait__alloc_array(allocator, lane_count,
					  sizeof(*flows->flows));
	flows->heap = plait__alloc_array(allocator, lane_count,
					 sizeof(*flows->heap));
	flows->ports = plait__alloc_array(allocator, port_count,
					  sizeof(*flows->ports));
	if ((lane_count > 0 && (flows->flows == NULL || flows->heap == NULL)) ||
	    (port_count > 0 && flows->ports == NULL))
		return -1;
	for (uint32_t i = 0; i < lane_count; i++)
		flows->flows[i].place = PLAIT__FLOW_NONE;
	for (uint32_t i = 0; i < port_count; i++)
		flows->ports[i].first = PLAIT__FLOW_NONE;
	return 0;
}

void plait__flows_fini(plait__flows *flows)
{
	plait__free(flows->allocator, flows->flows,
		    flows->lane_count * sizeof(*flows->flows));
	plait__free(flows->allocator, flows->heap,
		    flows->lane_count * sizeof(*flows->heap));
	plait__free(flows->allocator, flows->ports,
		    flows->port_count * sizeof(*flows->ports));
}

/* ---- the heap ---- */

static bool is_before(const plait__flows *flows, uint32_t a, uint32_t b)
{
	uint64_t left = flows->flows[a].due, right = flows->flows[b].due;

	return left != right ? left < right : a < b;
}

static void put(plait__flows *flows, uint32_t place, uint32_t lane)
{
	flows->heap[place] = lane;
	flows->flows[lane].place = place;
}

static void sift_up(plait__flows *flows, uint32_t place)
{
	uint32_t lane = flows->heap[place];

	while (place > 0) {
		uint32_t above = (place - 1) / 2;

		if (!is_before(flows, lane, flows->heap[above]))
			break;
		put(flows, place, flows->heap[above]);
		place = above;
	}
	put(flows, place, lane);
}

static void sift_down(plait__flows *flows, uint32_t place)
{
	uint32_t lane = flows->heap[place];

	for (;;) {
		uint32_t below = 2 * place + 1;

		if (below + 1 < flows->heap_count &&
		    is_before(flows, flows->heap[below + 1],
			      flows->heap[below]))
			below++;
		if (below >= flows->heap_count ||
		    !is_before(flows, flows->heap[below], lane))
			break;
		put(flows, place, flows->heap[below]);
		place = below;
	}
	put(flows, place, lane);
}

void plait__flows_wait(plait__flows *flows, uint32_t lane, uint64_t due)
{
	uint32_t place = flows->heap_count++;

	flows->flows[lane].due = due;
	put(flows, place, lane);
	sift_up(flows, place);
}

/* ---- shares ---- */

static uint32_t share_of(const plait__flows *flows, const plait__flow *flow)
{
	uint32_t rate = flow->lane_rate;

	for (uint32_t i = 0; i < PLAIT__FLOW_PORTS; i++) {
		const plait__flow_port *port;
		uint32_t share;

		if (flow->ports[i] == PLAIT__FLOW_NONE)
			continue;
		port = &flows->ports[flow->ports[i]];
		share = port->rate / port->count;
		if (share < rate)
			rate = share;
	}
	return rate > 0 ? rate : 1;
}

static void find_due(plait__flows *flows, plait__flow *flow)
{
	uint64_t span = flow->left / flow->rate +
			(flow->left % flow->rate != 0);

	if (__builtin_add_overflow(flow->since, span, &flow->due)) {
		flow->due = UINT64_MAX;
		flows->overflowed = true;
	}
}

/* Give a transfer its share from now on, and move its event. */
static void change_rate(plait__flows *flows, uint32_t lane, uint64_t now)
{
	plait__flow *flow = &flows->flows[lane];
	uint32_t rate = share_of(flows, flow);
	uint64_t moved;

	if (rate == flow->rate)
		return;
	if (__builtin_mul_overflow(flow->rate, now - flow->since, &moved) ||
	    moved > flow->left)
		moved = flow->left;
	flow->left -= moved;
	flow->since = now;
	flow->rate = rate;
	find_due(flows, flow);
	sift_up(flows, flow->place);
	sift_down(flows, flow->place);
}

/* Returns true if a port limits no transfer, before and after one begins or
 * ends; `most` is the larger count of both. */
static bool is_wide(const plait__flow_port *port, uint32_t most)
{
	return port->rate / most >= port->lane_rate;
}

/* Change the rates on ports that `ended` transfers have just left. */
static void change_rates(plait__flows *flows, const uint32_t *ports,
			 uint32_t ended, uint64_t now)
{
	for (uint32_t i = 0; i < PLAIT__FLOW_PORTS; i++) {
		const plait__flow_port *port;
		uint32_t at;

		if (ports[i] == PLAIT__FLOW_NONE)
			continue;
		port = &flows->ports[ports[i]];
		if (is_wide(port, port->count + ended))
			continue;
		at = port->first;
		while (at != PLAIT__FLOW_NONE) {
			uint32_t lane = at / PLAIT__FLOW_PORTS;

			at = flows->flows[lane].next[at % PLAIT__FLOW_PORTS];
			change_rate(flows, lane, now);
		}
	}
}

/* ---- lists of ports ---- */

static void join_port(plait__flows *flows, uint32_t lane, uint32_t which)
{
	plait__flow *flow = &flows->flows[lane];
	uint32_t entry = lane * PLAIT__FLOW_PORTS + which;
	plait__flow_port *port;
	uint32_t other;

	if (flow->ports[which] == PLAIT__FLOW_NONE)
		return;
	port = &flows->ports[flow->ports[which]];
	other = port->first;
	flow->previous[which] = PLAIT__FLOW_NONE;
	flow->next[which] = other;
	if (other != PLAIT__FLOW_NONE)
		flows->flows[other / PLAIT__FLOW_PORTS]
			.previous[other % PLAIT__FLOW_PORTS] = entry;
	port->first = entry;
	port->count++;
	if (flow->lane_rate > port->lane_rate)
		port->lane_rate = flow->lane_rate;
}

static void leave_port(plait__flows *flows, uint32_t lane, uint32_t which)
{
	plait__flow *flow = &flows->flows[lane];
	uint32_t next = flow->next[which], previous = flow->previous[which];
	plait__flow_port *port;

	if (flow->ports[which] == PLAIT__FLOW_NONE)
		return;
	port = &flows->ports[flow->ports[which]];
	port->count--;
	if (previous == PLAIT__FLOW_NONE)
		port->first = next;
	else
		flows->flows[previous / PLAIT__FLOW_PORTS]
			.next[previous % PLAIT__FLOW_PORTS] = next;
	if (next != PLAIT__FLOW_NONE)
		flows->flows[next / PLAIT__FLOW_PORTS]
			.previous[next % PLAIT__FLOW_PORTS] = previous;
}

/* ---- transfers ---- */

void plait__flows_begin(plait__flows *flows, uint32_t lane, uint64_t now,
			uint64_t bytes, uint32_t lane_rate,
			const uint32_t ports[PLAIT__FLOW_PORTS])
{
	plait__flow *flow = &flows->flows[lane];

	if (__builtin_mul_overflow(bytes, 1000000, &flow->left)) {
		flow->left = UINT64_MAX;
		flows->overflowed = true;
	}
	flow->since = now;
	flow->lane_rate = lane_rate;
	for (uint32_t i = 0; i < PLAIT__FLOW_PORTS; i++) {
		flow->ports[i] = ports[i];
		join_port(flows, lane, i);
	}
	flow->rate = share_of(flows, flow);
	find_due(flows, flow);
	plait__flows_wait(flows, lane, flow->due);
	change_rates(flows, ports, 0, now);
}

uint32_t plait__flows_next(plait__flows *flows, uint64_t *out_now)
{
	plait__flow *flow;
	uint32_t lane;

	if (flows->heap_count == 0)
		return PLAIT__FLOW_NONE;
	lane = flows->heap[0];
	flow = &flows->flows[lane];
	*out_now = flow->due;
	flows->heap_count--;
	if (flows->heap_count > 0) {
		put(flows, 0, flows->heap[flows->heap_count]);
		sift_down(flows, 0);
	}
	flow->place = PLAIT__FLOW_NONE;
	if (flow->rate == 0)
		return lane;
	flow->rate = 0;
	for (uint32_t i = 0; i < PLAIT__FLOW_PORTS; i++)
		leave_port(flows, lane, i);
	change_rates(flows, flow->ports, 1, flow->due);
	return lane;
}
