/* SPDX-License-Identifier: MIT */
/* Placer of tasks; see placer.h. */
#include "flow/policy/placer.h"

#include "flow/policy/saturating.h"

/* Vector clocks of BEST. */
enum { CLOCK_WIDTH = 16, CLOCK_ROWS = 4096 };

/* ---- begin and end ---- */

static bool reaches(const plait__placer_system *system, uint32_t from,
		    uint32_t to)
{
	return (system->reaching[to] >> from & 1) != 0;
}

static void take_figures(plait__link *link, const plait__link *given)
{
	link->rate = given->rate;
	if (given->latency_ns > 0)
		link->latency_ns = given->latency_ns;
}

static void fill_links(plait__placer *placer)
{
	const plait__links *given = placer->options.links;
	uint32_t count = placer->links.count;

	for (uint32_t i = 0; i < count * count; i++) {
		uint32_t from = i / count, to = i % count;
		plait__link link = { PLAIT__PLACER_RATE,
				     PLAIT__PLACER_LATENCY_NS };

		if (given != NULL && plait__links_get(given, from, to)->rate > 0)
			take_figures(&link, plait__links_get(given, from, to));
		if (from != to && reaches(&placer->system, from, to))
			plait__links_set(&placer->links, from, to, link.rate,
					 link.latency_ns);
	}
}

/* BEST needs the planner's placing step, unless a device has one lane. */
static bool uses_placement(const plait__placer *placer)
{
	return placer->options.parent == PLAIT__PARENT_BEST &&
	       placer->options.lanes != 1;
}

static bool make_tables(plait__placer *placer, const plait_allocator *allocator)
{
	const plait__placer_system *system = &placer->system;
	uint32_t limits[PLAIT__LINKS_MEMORIES];

	for (uint32_t d = 0; d < system->devices; d++)
		limits[d] = placer->options.lanes;
	if (plait__links_init(&placer->links, allocator, system->memories,
			      system->host) != PLAIT_OK)
		return false;
	fill_links(placer);
	return plait__bookings_init(&placer->bookings, &placer->links) ==
		       PLAIT_OK &&
	       (!uses_placement(placer) ||
		plait__place_init(&placer->placement, &placer->work, limits,
				  system->devices, CLOCK_WIDTH, 0, CLOCK_ROWS,
				  PLAIT__PLACER_HOP_NS) == PLAIT_OK);
}

void plait__placer_init(plait__placer *placer, const plait_allocator *allocator,
			const plait__placer_system *system,
			const plait__placer_options *options)
{
	*placer = (plait__placer){ .system = *system, .options = *options };
	placer->links.allocator = allocator;
	placer->bookings.links = &placer->links;
	plait__workspace_init(&placer->work, allocator);
	plait__vector_init(&placer->lanes, allocator,
			   sizeof(plait__policy_lane));
	placer->failed = !make_tables(placer, allocator);
}

void plait__placer_fini(plait__placer *placer)
{
	if (placer->bookings.table != NULL)
		plait__bookings_fini(&placer->bookings);
	if (placer->links.table != NULL)
		plait__links_fini(&placer->links);
	if (uses_placement(placer) && placer->placement.work != NULL)
		plait__place_fini(&placer->placement);
	plait__workspace_fini(&placer->work);
	plait__vector_fini(&placer->lanes);
}

/* ---- the request ---- */

/* Lanes that are free first, and how many are busy. */
static void describe_lanes(const plait__placer *placer, plait__placing *placing)
{
	uint32_t limit = placer->options.lanes;
	uint32_t counts[PLAIT__LINKS_MEMORIES] = { 0 };

	for (uint32_t i = 0; i < placer->lanes.count; i++) {
		const plait__policy_lane *lane = plait__placer_lane(placer, i);
		plait__policy_device *of = &placing->devices[lane->device];

		of->busy_lanes += lane->busy;
		if (counts[lane->device]++ == 0 || lane->free_ns < of->free_ns)
			of->free_ns = lane->free_ns;
	}
	for (uint32_t d = 0; d < placer->system.devices; d++)
		if (limit == 0 || counts[d] < limit)
			placing->devices[d].free_ns = 0;
}

static void describe_devices(const plait__placer *placer,
			     plait__placing *placing)
{
	for (uint32_t d = 0; d < placer->system.devices; d++)
		placing->devices[d] = (plait__policy_device){
			.memory = placer->system.memory_of[d],
			.cost_ns = placing->cost_ns[d],
			.evicted_bytes = placing->evicted_bytes[d],
		};
	describe_lanes(placer, placing);
}

static void make_request(plait__placer *placer, plait__placing *placing)
{
	placing->next = placer->next;
	placing->request = (plait__device_request){
		.policy = placing->is_fixed ? PLAIT__CHOOSE_SINGLE :
					      placer->options.choose,
		.threshold = placer->options.threshold,
		.candidates = placing->candidates, .next = &placing->next,
		.links = &placer->links, .devices = placing->devices,
		.pieces = placing->pieces,
		.device_count = placer->system.devices,
		.piece_count = placing->piece_count,
		.bookings = &placer->bookings, .preds = placing->preds,
		.pred_count = placing->pred_count,
		.now_ns = placer->now_ns, .hop_ns = PLAIT__PLACER_HOP_NS,
	};
	describe_devices(placer, placing);
}

/* ---- the choice ---- */

/* The device's only lane, or a new one. */
static void take_single_lane(plait__placer *placer, plait__placing *placing)
{
	const plait__lane_request lane = {
		.policy = PLAIT__LANE_REUSE, .limit = 1,
		.lanes = placer->lanes.items,
		.lane_count = placer->lanes.count,
	};

	placing->choice = (plait__parent_choice){
		.parent = PLAIT__PARENT_NONE, .device_chosen = true };
	placing->choice.by_device = plait__device_policy_choose(
		&placing->request, placing->figures);
	placing->choice.device = placing->choice.by_device.device;
	placing->choice.by_lane = plait__lane_policy_choose(
		&lane, placing->choice.device);
}

/* Add lanes that the placing step has made: it may have made one for a task that
 * was not committed. */
static void add_lanes(plait__placer *placer)
{
	while (uses_placement(placer) && !placer->failed &&
	       placer->lanes.count < placer->placement.lane_count) {
		const plait__policy_lane made = {
			.device = placer->placement.lanes[placer->lanes.count]
					  .device };

		placer->failed =
			PLAIT__VECTOR_ADD(&placer->lanes, &made) == NULL;
	}
}

uint32_t plait__placer_find_device(plait__placer *placer,
				   plait__placing *placing)
{
	make_request(placer, placing);
	return plait__device_policy_choose(&placing->request, placing->figures)
		.device;
}

void plait__placer_choose(plait__placer *placer, plait__placing *placing)
{
	const plait__lane_request lane = {
		.policy = placer->options.lane, .limit = placer->options.lanes,
		.lanes = placer->lanes.items,
		.lane_count = placer->lanes.count,
	};
	plait__place_command command = {
		.preds = placing->points,
		.pred_count = placing->parent_count,
	};
	const plait__parent_request request = {
		.policy = placer->options.parent,
		.parent_count = placing->parent_count,
		.parents = placing->parents, .device = &placing->request,
		.lane = &lane, .placement = &placer->placement,
		.command = &command,
	};

	command.cost = placing->cost_ns[__builtin_ctzll(placing->candidates)];
	make_request(placer, placing);
	if (placer->options.parent == PLAIT__PARENT_BEST &&
	    !uses_placement(placer))
		take_single_lane(placer, placing);
	else if (plait__parent_policy_choose(&request, placing->figures,
					     &placing->choice) != PLAIT_OK)
		placer->failed = true;
	add_lanes(placer);
}

/* ---- its effect ---- */

/* Returns the policies' lane, perhaps a new one. */
static uint32_t open_lane(plait__placer *placer, const plait__placing *placing)
{
	const plait__policy_lane made = { .device = placing->choice.device };
	uint32_t lane = placing->choice.by_lane.lane;

	if (lane < placer->lanes.count)
		return lane;
	if (PLAIT__VECTOR_ADD(&placer->lanes, &made) == NULL)
		placer->failed = true;
	return placer->lanes.count - 1;
}

/* Book the copies; returns when the last one has ended. */
static uint64_t book_copies(plait__placer *placer,
			    const plait__placing *placing)
{
	uint32_t to = placer->system.memory_of[placing->choice.device];
	uint64_t end = placer->now_ns;

	for (uint32_t i = 0; i < placing->piece_count; i++) {
		const plait__policy_piece *piece = &placing->pieces[i];
		const plait__booking_copy copy = {
			piece->bytes, piece->valid,
			plait__saturating_max(piece->ready_ns, placer->now_ns),
			to };

		if (!piece->overwritten && piece->valid != 0 &&
		    (piece->valid >> to & 1) == 0)
			end = plait__saturating_max(
				end, plait__bookings_copy(&placer->bookings,
							  &copy, false)
					     .end_ns);
	}
	return end;
}

uint64_t plait__placer_preds_end(const plait__placing *placing, uint32_t device)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < placing->pred_count; i++) {
		const plait__policy_pred *pred = &placing->preds[i];
		uint64_t hop = pred->device != device ? PLAIT__PLACER_HOP_NS :
							0;

		end = plait__saturating_max(
			end, plait__saturating_add(pred->finish_ns, hop));
	}
	return end;
}

static void occupy_placement(plait__placer *placer, plait__placing *placing)
{
	const plait__place_point *waits;
	uint32_t wait_count;

	plait__place_occupy(&placer->placement, placing->lane,
			    placing->finish_ns, 0);
	if (plait__vector_clock_commit(&placer->placement, placing->lane,
				       placing->points, placing->parent_count,
				       &placing->point, &waits,
				       &wait_count) != PLAIT_OK)
		placer->failed = true;
	placing->point.finish = placing->finish_ns;
}

void plait__placer_commit(plait__placer *placer, plait__placing *placing)
{
	uint32_t device = placing->choice.device;
	uint64_t start;

	placing->lane = open_lane(placer, placing);
	if (placer->failed)
		return;
	placer->next = placing->next;
	start = plait__saturating_max(
		plait__placer_lane(placer, placing->lane)->free_ns,
		plait__placer_preds_end(placing, device));
	start = plait__saturating_max(start, book_copies(placer, placing));
	placing->finish_ns = plait__saturating_add(start,
						   placing->cost_ns[device]);
	*plait__placer_lane(placer, placing->lane) = (plait__policy_lane){
		device, true, placing->finish_ns };
	if (uses_placement(placer))
		occupy_placement(placer, placing);
}
