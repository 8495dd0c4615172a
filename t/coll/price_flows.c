/* SPDX-License-Identifier: MIT */
/* Transfers over shared ports, against closed forms and a slow reference. */
#include "coll/price/price_flows.h"
#include "base/alloc.h"
#include "lib/tap.h"

enum { LANES = 24, PORTS = 6 };

/* 2 MB/s for two transfers of 100 and 300 bytes: 1 each up to 100 us, then 2
 * for the 200 bytes that are left. */
static void shares_change(void)
{
	static const uint32_t ports[] = { 0, PLAIT__FLOW_NONE };
	plait__flows flows;
	uint64_t now = 0;

	IS_INT(plait__flows_init(&flows, plait__alloc_default(), 3, 1), 0);
	flows.ports[0].rate = 2;
	plait__flows_begin(&flows, 0, 0, 300, 1000, ports);
	plait__flows_begin(&flows, 1, 0, 100, 1000, ports);
	plait__flows_wait(&flows, 2, 150000000);
	IS_UINT(plait__flows_next(&flows, &now), 1);
	IS_UINT(now, 100000000);
	IS_UINT(plait__flows_next(&flows, &now), 2);
	IS_UINT(now, 150000000);
	IS_UINT(plait__flows_next(&flows, &now), 0);
	IS_UINT(now, 200000000);
	IS_UINT(plait__flows_next(&flows, &now), PLAIT__FLOW_NONE);
	OK(!flows.overflowed);
	plait__flows_fini(&flows);
}

static void orders_equal_times(void)
{
	plait__flows flows;
	uint64_t now = 0;

	IS_INT(plait__flows_init(&flows, plait__alloc_default(), 9, 0), 0);
	for (uint32_t i = 0; i < 9; i++)
		plait__flows_wait(&flows, 8 - i, 5);
	for (uint32_t i = 0; i < 9; i++)
		IS_UINT(plait__flows_next(&flows, &now), i);
	plait__flows_fini(&flows);
}

/* ---- a reference: no heap, no lists, every rate anew at every event ---- */

static struct model {
	uint64_t left[LANES];
	uint32_t cap[LANES], ports[LANES][PLAIT__FLOW_PORTS];
	bool active[LANES];
	uint32_t rate[PORTS];
	uint32_t most_cap;
} model;

static uint32_t model_rate(uint32_t lane)
{
	uint32_t rate = model.cap[lane];

	for (uint32_t i = 0; i < PLAIT__FLOW_PORTS; i++) {
		uint32_t port = model.ports[lane][i], users = 0;

		if (port == PLAIT__FLOW_NONE)
			continue;
		for (uint32_t j = 0; j < LANES; j++)
			users += model.active[j] &&
				 (model.ports[j][0] == port ||
				  model.ports[j][1] == port);
		if (model.rate[port] / users < rate)
			rate = model.rate[port] / users;
	}
	return rate > 0 ? rate : 1;
}

static uint64_t span_of(uint32_t lane)
{
	uint32_t rate = model_rate(lane);

	return (model.left[lane] + rate - 1) / rate;
}

/* Move all transfers to the next end; returns its lane. */
static uint32_t model_next(uint64_t *now)
{
	uint32_t first = LANES, rates[LANES];
	uint64_t span;

	for (uint32_t i = 0; i < LANES; i++)
		if (model.active[i] &&
		    (first == LANES || span_of(i) < span_of(first)))
			first = i;
	if (first == LANES)
		return PLAIT__FLOW_NONE;
	span = span_of(first);
	for (uint32_t i = 0; i < LANES; i++)
		rates[i] = model.active[i] ? model_rate(i) : 0;
	for (uint32_t i = 0; i < LANES; i++)
		model.left[i] -= rates[i] * span < model.left[i] ?
					 rates[i] * span : model.left[i];
	model.active[first] = false;
	*now += span;
	return first;
}

static uint64_t draw(uint64_t *state, uint64_t least, uint64_t most)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return least + *state % (most - least + 1);
}

static void begin(plait__flows *flows, uint32_t lane, uint64_t now,
		  uint64_t *state)
{
	uint64_t bytes = draw(state, 1, 50);

	model.cap[lane] = (uint32_t)draw(state, 1, model.most_cap);
	model.ports[lane][0] = (uint32_t)draw(state, 0, PORTS / 2 - 1);
	model.ports[lane][1] = draw(state, 0, 3) == 0 ? PLAIT__FLOW_NONE :
			       (uint32_t)draw(state, PORTS / 2, PORTS - 1);
	model.left[lane] = bytes * 1000000;
	model.active[lane] = true;
	plait__flows_begin(flows, lane, now, bytes, model.cap[lane],
			   model.ports[lane]);
}

/* From few transfers that no port limits to many that share all. */
static bool agree(uint64_t *state)
{
	plait__flows flows;
	uint64_t now = 0, expected = 0;
	uint32_t begun = 0, lane = 0, lanes = (uint32_t)draw(state, 1, LANES);
	bool equal = plait__flows_init(&flows, plait__alloc_default(), LANES,
				       PORTS) == 0;

	model.most_cap = (uint32_t)draw(state, 1, 40);
	for (uint32_t i = 0; i < PORTS; i++)
		flows.ports[i].rate = model.rate[i] =
			(uint32_t)draw(state, 1, 60);
	for (uint32_t i = 0; i < lanes; i++)
		begin(&flows, i, 0, state);
	while (equal && lane != PLAIT__FLOW_NONE) {
		lane = plait__flows_next(&flows, &now);
		equal = lane == model_next(&expected) && now == expected;
		if (equal && lane != PLAIT__FLOW_NONE && begun++ < 3 * LANES)
			begin(&flows, lane, now, state);
	}
	plait__flows_fini(&flows);
	return equal;
}

static void agrees_with_a_reference(void)
{
	uint64_t state = tap_seed() * 2 + 1;
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < 300; i++)
		wrong += !agree(&state);
	IS_UINT(wrong, 0);
}

static const struct tap_scenario all[] = {
	{ "shares change", shares_change },
	{ "orders equal times", orders_equal_times },
	{ "agrees with a reference", agrees_with_a_reference },
};
TAP_MAIN(all)
