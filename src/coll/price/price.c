/* SPDX-License-Identifier: MIT */
/* Time of schedules: tiles, parts, the critical path; see price.h. */
#include "coll/price/price.h"

#include "coll/price/price_clock.h"
#include "base/alloc.h"
#include "base/error.h"

/* ---- geometry ---- */

enum { EXECUTOR_CHUNKS = 71 };	/* most chunks of a part of an executor */

static uint32_t most_chunks(const plait__schedule *schedule)
{
	uint32_t most = 1;

	for (uint64_t i = 0; i < schedule->step_count; i++)
		if (schedule->steps[i].count > most)
			most = schedule->steps[i].count;
	return most;
}

static uint64_t divide_up(uint64_t number, uint64_t divisor)
{
	return number / divisor + (number % divisor != 0);
}

static uint64_t at_least_one(uint64_t number)
{
	return number > 0 ? number : 1;
}

static void cut_tiles(const plait__schedule *schedule, uint64_t bytes,
		      plait__price *out, uint32_t *out_part)
{
	uint64_t chunk = divide_up(bytes, at_least_one(schedule->chunks));
	uint64_t room = at_least_one(schedule->slot_bytes);
	uint64_t part = UINT32_MAX;

	if (schedule->target == PLAIT__TARGET_PLAIT)
		room = at_least_one(room / most_chunks(schedule));
	out->tiles = divide_up(chunk, room);
	out->tile_bytes = divide_up(chunk, out->tiles);
	if (schedule->target != PLAIT__TARGET_PLAIT) {
		part = at_least_one(room / out->tile_bytes);
		if (part > EXECUTOR_CHUNKS)
			part = EXECUTOR_CHUNKS;
	}
	*out_part = (uint32_t)part;
}

static uint32_t tiles_to_execute(const plait__schedule *schedule,
				 uint64_t tiles)
{
	uint64_t most = PLAIT__PRICE_UNITS /
			at_least_one(schedule->step_count);

	if (most > PLAIT__PRICE_TILES)
		most = PLAIT__PRICE_TILES;
	if (most < 4)
		most = 4;
	return (uint32_t)(tiles < most ? tiles : most);
}

/* ---- connections ---- */

/* Returns the lane of `rank` that receives from the lane. */
static uint32_t find_receiver(const plait__schedule *schedule, uint32_t rank,
			      const plait__coll_lane *from)
{
	const plait__coll_rank *at = &schedule->ranks[rank];

	for (uint32_t i = 0; i < at->lane_count; i++) {
		const plait__coll_lane *lane =
			&schedule->lanes[at->first_lane + i];

		if (lane->recv_peer == (int32_t)from->rank &&
		    lane->channel == from->channel)
			return at->first_lane + i;
	}
	return PLAIT__PRICE_NONE;
}

static void connect(const plait__schedule *schedule, uint32_t *sender,
		    uint32_t *receiver)
{
	for (uint32_t i = 0; i < schedule->lane_count; i++)
		sender[i] = receiver[i] = PLAIT__PRICE_NONE;
	for (uint32_t i = 0; i < schedule->lane_count; i++) {
		const plait__coll_lane *lane = &schedule->lanes[i];

		if (lane->send_peer < 0)
			continue;
		receiver[i] = find_receiver(schedule, (uint32_t)lane->send_peer,
					    lane);
		if (receiver[i] != PLAIT__PRICE_NONE)
			sender[receiver[i]] = i;
	}
}

/* ---- results ---- */

/* Follow the causes back from the unit that ends last, and sum times and
 * latencies. */
static void sum_path(plait__price *price)
{
	const plait__price_unit *units = price->units.items;
	uint64_t busy = 0, idle = 0;
	uint32_t at = PLAIT__PRICE_NONE;

	for (uint32_t i = 0; i < price->units.count; i++)
		if (at == PLAIT__PRICE_NONE || units[i].end > units[at].end)
			at = i;
	price->last_unit = at;
	while (at != PLAIT__PRICE_NONE) {
		uint32_t cause = units[at].cause;

		price->critical_units += units[at].end > units[at].begin;
		busy += units[at].end - units[at].begin;
		idle += units[at].begin - (cause != PLAIT__PRICE_NONE ?
						   units[cause].end : 0);
		at = cause;
	}
	price->critical_ns = divide_up(busy, 1000);
	price->latency_ns = divide_up(idle, 1000);
}

static void sum_tiles(plait__price *price, const uint64_t *ends,
		      uint32_t start_ns)
{
	uint32_t count = price->executed_tiles, half = count / 2;
	uint64_t rest = price->tiles - count, pace = 0, total = ends[count - 1];

	if (half > 0)
		pace = (ends[count - 1] - ends[half - 1]) / (count - half);
	if (__builtin_mul_overflow(pace, rest, &pace) ||
	    __builtin_add_overflow(total, pace, &total))
		total = UINT64_MAX;
	price->time_ns = divide_up(total, 1000) + start_ns;
}

static plait_status execute(const plait__clock_request *request,
			    const plait_allocator *allocator,
			    plait__price *out, plait_error *error)
{
	uint64_t ends[PLAIT__PRICE_TILES] = { 0 };
	plait_status status = plait__clock_run(request, allocator, &out->units,
					       ends, error);

	if (status != PLAIT_OK)
		return status;
	sum_tiles(out, ends, request->cluster->start_ns);
	sum_path(out);
	return PLAIT_OK;
}

static plait_status check_lanes(const plait__schedule *schedule,
				const plait__cluster *cluster,
				plait_error *error)
{
	for (uint32_t i = 0; i < schedule->rank_count; i++)
		if (schedule->ranks[i].lane_count > cluster->lanes)
			return plait__fail(error, PLAIT_E_INVALID, "rank %u "
					   "has %u lanes, of which the cluster "
					   "executes %u at a time; use fewer "
					   "instances", i,
					   schedule->ranks[i].lane_count,
					   cluster->lanes);
	return PLAIT_OK;
}

static plait_status check_size(const plait__schedule *schedule,
			       const plait__cluster *cluster, uint64_t bytes,
			       plait_error *error)
{
	uint64_t ranks = (uint64_t)cluster->nodes * cluster->ranks;

	if (schedule->rank_count > ranks)
		return plait__fail(error, PLAIT_E_INVALID, "the schedule has "
				   "%u ranks, the cluster %llu",
				   schedule->rank_count,
				   (unsigned long long)ranks);
	if (bytes == 0 || bytes > PLAIT__PRICE_MAX_BYTES)
		return plait__fail(error, PLAIT_E_INVALID, "%llu bytes: "
				   "expected 1 to %llu",
				   (unsigned long long)bytes,
				   (unsigned long long)PLAIT__PRICE_MAX_BYTES);
	return PLAIT_OK;
}

plait_status plait__price_schedule(const plait__schedule *schedule,
				   const plait__cluster *cluster,
				   uint64_t bytes,
				   const plait_allocator *allocator,
				   plait__price *out, plait_error *error)
{
	plait__clock_request request = { .schedule = schedule,
					 .cluster = cluster };
	uint64_t lanes = schedule->lane_count;
	uint32_t *ends;
	plait_status status = check_size(schedule, cluster, bytes, error);

	*out = (plait__price){ .last_unit = PLAIT__PRICE_NONE };
	plait__vector_init(&out->units, allocator, sizeof(plait__price_unit));
	if (status == PLAIT_OK)
		status = check_lanes(schedule, cluster, error);
	if (status != PLAIT_OK)
		return status;
	ends = plait__alloc_array(allocator, 2 * lanes, sizeof(*ends));
	if (lanes > 0 && ends == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to simulate a schedule");
	if (lanes > 0)
		connect(schedule, ends, ends + lanes);
	cut_tiles(schedule, bytes, out, &request.part_chunks);
	out->executed_tiles = tiles_to_execute(schedule, out->tiles);
	request.tile_bytes = out->tile_bytes;
	request.tiles = out->executed_tiles;
	request.sender = ends;
	request.receiver = ends + lanes;
	status = execute(&request, allocator, out, error);
	plait__free(allocator, ends, 2 * lanes * sizeof(*ends));
	return status;
}

void plait__price_fini(plait__price *price)
{
	if (price->units.allocator != NULL)
		plait__vector_fini(&price->units);
	*price = (plait__price){ .last_unit = PLAIT__PRICE_NONE };
}
