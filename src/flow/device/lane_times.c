/* SPDX-License-Identifier: MIT */
/* Times of the launches of a device's lane; see lane_times.h. */
#include "flow/device/lane_times.h"

#include "flow/device/device_engine.h"

#include "kernel/launch.h"
#include "sys/clock.h"

static plait__lane_launch describe(const plait__launch_record *launch)
{
	plait__lane_launch out = { .items = plait__launch_items(&launch->launch) };

	plait__hash_get(&launch->kernel->hash, out.code);
	return out;
}

static void tell(const plait__device_lane *lane,
		 const plait__lane_launch *launch, uint64_t ns)
{
	lane->engine->measured(lane->engine->arg, lane, launch, ns);
}

/* The clock of a simulation is not that of the host. */
static bool has_clock(const plait__device_lane *lane)
{
	return (lane->device->port->any & PLAIT_CAP_VIRTUAL_TIME) == 0;
}

void plait__lane_times_begin(plait__device_lane *lane)
{
	if (lane->engine->measured != NULL && has_clock(lane))
		lane->ended.since_ns = plait__clock_now_ns();
}

void plait__lane_times_end(plait__device_lane *lane)
{
	plait__lane_ended *ended = &lane->ended;
	uint64_t now_ns, each_ns;

	if (ended->count == 0)
		return;
	now_ns = plait__clock_now_ns();
	each_ns = (now_ns - ended->since_ns) / ended->count;
	for (uint32_t i = 0; i < ended->launch_count; i++)
		tell(lane, &ended->launches[i], each_ns);
	ended->since_ns = now_ns;
	ended->count = ended->launch_count = 0;
}

void plait__lane_times_add(plait__device_lane *lane,
			   const plait__device_op *op)
{
	const plait__launch_record *launch = op->launch;

	if (lane->engine->measured == NULL)
		return;
	if (launch != NULL && launch->times.end_ns != 0) {
		const plait__lane_launch described = describe(launch);

		tell(lane, &described,
		     launch->times.end_ns - launch->times.start_ns);
		return;
	}
	if (!has_clock(lane))
		return;
	lane->ended.count++;
	if (launch != NULL)
		lane->ended.launches[lane->ended.launch_count++] =
			describe(launch);
	if (lane->ended.count == PLAIT__LANE_ENDED_MOST)
		plait__lane_times_end(lane);
}
