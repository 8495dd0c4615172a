/* SPDX-License-Identifier: MIT */
/* Choices as text: one of each reason. */
#include "lib/tap.h"

#include "base/alloc.h"
#include "flow/policy/why.h"

static plait__text out;

static void begin(void)
{
	plait__text_init(&out, plait__alloc_default());
}

static void is_text(const char *want)
{
	IS_STR(plait__text_get(&out), want);
	plait__text_fini(&out);
}

static void devices(void)
{
	static const struct {
		uint32_t reason;
		const char *want;
	} cases[] = {
		{ PLAIT__REASON_FIRST, "device 2: the first" },
		{ PLAIT__REASON_TURN, "device 2: its turn" },
		{ PLAIT__REASON_NO_DATA, "device 2: its turn; none has "
		  "enough data" },
		{ PLAIT__REASON_LANES,
		  "device 2: fewest busy lanes (0: 4, 2: 3)" },
		{ PLAIT__REASON_BYTES,
		  "device 2: most bytes of the data (0: 7, 2: 9)" },
		{ PLAIT__REASON_MOVES, "device 2: least time to move the data "
		  "(0: never, 2: 5 ns)" },
		{ PLAIT__REASON_FINISH, "device 2: finishes first (0: never, "
		  "2: 60 ns); lane 10 ns, predecessors 20 ns, copies 30 ns, "
		  "cost 30 ns" },
		{ PLAIT__REASON_NEAR, "device 2: finishes nearly first, has "
		  "most bytes (0: never, 2: 60 ns); lane 10 ns, predecessors "
		  "20 ns, copies 30 ns, cost 30 ns" },
	};
	const plait__policy_device records[3] = {
		{ .busy_lanes = 4 }, { .busy_lanes = 1 },
		{ .busy_lanes = 3, .cost_ns = 30 },
	};
	const plait__device_figures figures[3] = {
		{ .valid_bytes = 7, .move_ns = UINT64_MAX,
		  .finish_ns = UINT64_MAX },
		{ .valid_bytes = 8 },
		{ 9, 5, 10, 20, 30, 60 },
	};
	const plait__device_request request = { .devices = records,
						.device_count = 3 };
	plait__device_choice choice = { .device = 2, .good = 5 };

	for (size_t i = 0; i < TAP_COUNT(cases); i++) {
		choice.reason = cases[i].reason;
		begin();
		plait__why_device(&out, &request, &choice, figures);
		is_text(cases[i].want);
	}
}

static void lanes(void)
{
	static const struct {
		uint32_t reason;
		const char *want;
	} cases[] = {
		{ PLAIT__LANE_REASON_PARENT, "lane 3: that of parent 1" },
		{ PLAIT__LANE_REASON_IDLE, "lane 3: idle" },
		{ PLAIT__LANE_REASON_NEW, "a new lane: 2 of 4 are busy" },
		{ PLAIT__LANE_REASON_FREE_FIRST,
		  "lane 3: free first of 4, at 70 ns" },
		{ PLAIT__LANE_REASON_START_FIRST,
		  "lane 3: starts first, at 50 ns" },
	};
	plait__parent_choice choice = {
		.parent = 1, .start_ns = 50,
		.by_lane = { .lane = 3, .lane_count = 4, .busy_count = 2,
			     .free_ns = 70 },
	};

	for (size_t i = 0; i < TAP_COUNT(cases); i++) {
		choice.by_lane.reason = cases[i].reason;
		begin();
		plait__why_lane(&out, &choice);
		is_text(cases[i].want);
	}
}

static void times(void)
{
	static const struct {
		uint32_t source;
		const char *want;
	} cases[] = {
		{ PLAIT__ESTIMATE_GIVEN, "900 ns: given" },
		{ PLAIT__ESTIMATE_MEASURED, "900 ns: mean of 17" },
		{ PLAIT__ESTIMATE_CLASS,
		  "900 ns: scaled from size class 40, mean of 17" },
		{ PLAIT__ESTIMATE_DEVICE,
		  "900 ns: 2.250 times device 1's, scaled from size class 40, "
		  "mean of 17" },
	};
	plait__estimate estimate = { .ns = 900, .size_class = 40, .device = 1,
				     .count = 17,
				     .ratio = 2 * 65536 + 16384 };

	for (size_t i = 0; i < TAP_COUNT(cases); i++) {
		estimate.source = cases[i].source;
		begin();
		plait__why_time(&out, &estimate);
		is_text(cases[i].want);
	}
}

static void splits(void)
{
	plait__split_choice choice = { .last_ns = 110, .next_ns = 100,
				       .moved_units = 3, .move_ns = 40 };

	begin();
	plait__why_split(&out, &choice, true);
	is_text("a new split, 100 ns");
	begin();
	plait__why_split(&out, &choice, false);
	is_text("a new split, 100 ns; the last one 110 ns; 3 units move in "
		"40 ns");
	choice.kept = true;
	begin();
	plait__why_split(&out, &choice, false);
	is_text("the last split, 110 ns; a new one 100 ns, with 3 units moved "
		"in 40 ns");
}

static const struct tap_scenario all[] = {
	{ "devices", devices },
	{ "lanes", lanes },
	{ "times", times },
	{ "splits", splits },
};

TAP_MAIN(all)
