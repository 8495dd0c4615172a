/* SPDX-License-Identifier: MIT */
/* Limits of executors: a schedule at each limit, and one beyond it. */
#include "coll/prove/export_limits.h"
#include "lib/tap.h"

#include <string.h>

enum { LANES = 130, STEPS = 300 };

static plait__coll_rank ranks[2];
static plait__coll_lane lanes[LANES];
static plait__coll_step steps[STEPS];
static plait__schedule schedule;

/* One rank with one lane of one copy; the other rank has nothing. */
static void reset(void)
{
	memset(ranks, 0, sizeof(ranks));
	memset(lanes, 0, sizeof(lanes));
	memset(steps, 0, sizeof(steps));
	for (uint32_t i = 0; i < LANES; i++)
		lanes[i].send_peer = lanes[i].recv_peer = -1;
	for (uint32_t i = 0; i < STEPS; i++) {
		steps[i].kind = PLAIT__STEP_COPY;
		steps[i].count = 1;
	}
	ranks[0].lane_count = 1;
	lanes[0].step_count = 1;
	schedule = (plait__schedule){ .kind = PLAIT__COLL_ALLREDUCE,
				      .rank_count = 2, .ranks = ranks,
				      .lanes = lanes, .steps = steps };
}

static void refuses(uint32_t target, const char *part)
{
	plait_error error = { .size = sizeof(error) };

	IS_INT(plait__export_limits_check(&schedule, target, &error),
	       PLAIT_E_UNSUPPORTED);
	HAS_STR(error.text, part);
}

static void takes(uint32_t target)
{
	plait_error error = { .size = sizeof(error) };

	OK_THAT(plait__export_limits_check(&schedule, target, &error) ==
		PLAIT_OK, "target %u: %s", target, error.text);
}

static void limits_steps(void)
{
	static const uint32_t most[] = { 0, 256, 64, 64 };

	for (uint32_t target = 1; target <= PLAIT__TARGET_RCCL; target++) {
		reset();
		lanes[0].step_count = most[target];
		takes(target);
		lanes[0].step_count++;
		refuses(target, "steps");
		/* Each wait but the last is a nop. */
		lanes[0].step_count -= 2;
		steps[0].wait_count = 2;
		takes(target);
		steps[0].wait_count = 3;
		refuses(target, "steps");
	}
}

static void limits_lanes_and_channels(void)
{
	static const uint32_t most_lanes[] = { 0, 127, 127, 64 };
	static const uint32_t most_channels[] = { 0, 32, 32, 128 };

	for (uint32_t target = 1; target <= PLAIT__TARGET_RCCL; target++) {
		reset();
		ranks[0].lane_count = most_lanes[target];
		takes(target);
		ranks[0].lane_count++;
		refuses(target, "lanes");
		reset();
		lanes[0].channel = most_channels[target] - 1;
		takes(target);
		lanes[0].channel++;
		refuses(target, "channels");
		reset();
		ranks[0].lane_count = 33;
		for (uint32_t i = 0; i < 32; i++)
			lanes[i].send_peer = 1;
		takes(target);
		lanes[32].send_peer = 1;
		refuses(target, "senders");
		for (uint32_t i = 0; i < 33; i++) {
			lanes[i].send_peer = -1;
			lanes[i].recv_peer = 1;
		}
		refuses(target, "receivers");
	}
}

static void limits_fields(void)
{
	for (uint32_t target = 1; target <= PLAIT__TARGET_RCCL; target++) {
		reset();
		steps[0].count = 71;
		steps[0].source = 32767;
		takes(target);
		steps[0].count = 72;
		refuses(target, "72 chunks");
		steps[0].count = 1;
		steps[0].source++;
		refuses(target, "offset");
		reset();
		steps[0].kind = PLAIT__STEP_NOP;
		refuses(target, "only waits");
	}
}

static void knows_collectives(void)
{
	reset();
	schedule.kind = PLAIT__COLL_CUSTOM;
	takes(PLAIT__TARGET_MSCCL);
	refuses(PLAIT__TARGET_EXECUTOR, "no such collective");
	refuses(PLAIT__TARGET_RCCL, "no such collective");
	schedule.kind = PLAIT__COLL_BROADCAST;
	refuses(PLAIT__TARGET_MSCCL, "no such collective");
	takes(PLAIT__TARGET_RCCL);
	refuses(PLAIT__TARGET_PLAIT, "reads no XML");
}

static const struct tap_scenario all[] = {
	{ "limits steps", limits_steps },
	{ "limits lanes and channels", limits_lanes_and_channels },
	{ "limits fields", limits_fields },
	{ "knows collectives", knows_collectives },
};

TAP_MAIN(all)
