/* SPDX-License-Identifier: MIT */
/* Placer of tasks; see task_placer.h. */
#include "flow/memory/task_placer.h"

#include "flow/policy/saturating.h"
#include "flow/policy/why.h"

/* Vector clocks of BEST. */
enum { CLOCK_WIDTH = 16, CLOCK_ROWS = 4096 };

/* The instructions' lane of a policies' lane, and its newest task. */
struct owner {
	uint32_t list_lane;
	uint32_t task; /* index */
};

static plait__placed_task *placed_at(const plait__task_placer *placer,
				     uint32_t task)
{
	return plait__vector_at(&placer->placed, task);
}

static plait__policy_lane *lane_at(const plait__task_placer *placer,
				   uint32_t lane)
{
	return plait__vector_at(&placer->lanes, lane);
}

static struct owner *owner_at(const plait__task_placer *placer, uint32_t lane)
{
	return plait__vector_at(&placer->owners, lane);
}

/* ---- begin and end ---- */

static bool reaches(const plait__memory_system *system, uint32_t from,
		    uint32_t to)
{
	return (system->reaching[to] >> from & 1) != 0;
}

static void fill_links(plait__task_placer *placer)
{
	const plait__links *given = placer->options.links;
	uint32_t count = placer->links.count;

	for (uint32_t i = 0; i < count * count; i++) {
		uint32_t from = i / count, to = i % count;
		plait__link link = { PLAIT__PLACER_RATE,
				     PLAIT__PLACER_LATENCY_NS };

		if (given != NULL && plait__links_get(given, from, to)->rate > 0)
			link.rate = plait__links_get(given, from, to)->rate;
		if (from != to && reaches(placer->system, from, to))
			plait__links_set(&placer->links, from, to, link.rate,
					 link.latency_ns);
	}
}

/* BEST needs the planner's placing step, unless a device has one lane. */
static bool uses_placement(const plait__task_placer *placer)
{
	return placer->options.parent == PLAIT__PARENT_BEST &&
	       placer->options.lanes != 1;
}

static bool make_tables(plait__task_placer *placer,
			const plait_allocator *allocator)
{
	uint32_t limits[PLAIT__MEMORY_DEVICES];

	for (uint32_t d = 0; d < placer->system->devices; d++)
		limits[d] = placer->options.lanes;
	if (plait__links_init(&placer->links, allocator,
			      placer->system->memories,
			      PLAIT__MEMORY_HOST) != PLAIT_OK)
		return false;
	fill_links(placer);
	return plait__bookings_init(&placer->bookings, &placer->links) ==
		       PLAIT_OK &&
	       (!uses_placement(placer) ||
		plait__place_init(&placer->placement, &placer->work, limits,
				  placer->system->devices, CLOCK_WIDTH, 0,
				  CLOCK_ROWS,
				  PLAIT__PLACER_HOP_NS) == PLAIT_OK);
}

void plait__task_placer_init(plait__task_placer *placer,
			     const plait__record *record,
			     const plait__memory_system *system,
			     plait__instructions *list,
			     const plait__placer_options *options)
{
	const plait_allocator *allocator = record->allocator;

	*placer = (plait__task_placer){ .record = record, .system = system,
					.list = list, .options = *options };
	placer->links.allocator = allocator;
	placer->bookings.links = &placer->links;
	plait__workspace_init(&placer->work, allocator);
	plait__vector_init(&placer->placed, allocator,
			   sizeof(plait__placed_task));
	plait__vector_init(&placer->lanes, allocator,
			   sizeof(plait__policy_lane));
	plait__vector_init(&placer->owners, allocator, sizeof(struct owner));
	plait__vector_init(&placer->finished, allocator, sizeof(uint32_t));
	plait__placement_request_init(&placer->request, allocator);
	plait__text_init(&placer->reasons, allocator);
	placer->failed = !make_tables(placer, allocator);
}

void plait__task_placer_fini(plait__task_placer *placer)
{
	if (placer->bookings.table != NULL)
		plait__bookings_fini(&placer->bookings);
	if (placer->links.table != NULL)
		plait__links_fini(&placer->links);
	if (uses_placement(placer) && placer->placement.work != NULL)
		plait__place_fini(&placer->placement);
	plait__workspace_fini(&placer->work);
	plait__vector_fini(&placer->placed);
	plait__vector_fini(&placer->lanes);
	plait__vector_fini(&placer->owners);
	plait__vector_fini(&placer->finished);
	plait__placement_request_fini(&placer->request);
	plait__text_fini(&placer->reasons);
}

/* ---- the request ---- */

/* A choice that is being made. */
struct placing {
	plait__task_placer *placer;
	const plait__memory_state *state;
	const plait__record_task *task;
	uint32_t index;
	plait__policy_device devices[PLAIT__MEMORY_DEVICES];
	plait__device_figures figures[PLAIT__MEMORY_DEVICES];
	plait__device_request device;
	plait__parent_choice choice;
};

static bool is_piece(const plait__record_task *task)
{
	return task->piece_count > 1;
}

static uint64_t cost_of(const plait__record_task *task)
{
	return task->has_cost || task->kind != PLAIT_TASK_LAUNCH ?
		       task->cost : PLAIT__PLACER_COST_NS;
}

/* Lanes that are free first, and how many are busy. */
static void describe_lanes(struct placing *by)
{
	const plait__vector *lanes = &by->placer->lanes;
	uint32_t limit = by->placer->options.lanes;
	uint32_t counts[PLAIT__MEMORY_DEVICES] = { 0 };

	for (uint32_t i = 0; i < lanes->count; i++) {
		const plait__policy_lane *lane = lane_at(by->placer, i);
		plait__policy_device *of = &by->devices[lane->device];

		of->busy_lanes += lane->busy;
		if (counts[lane->device]++ == 0 || lane->free_ns < of->free_ns)
			of->free_ns = lane->free_ns;
	}
	for (uint32_t d = 0; d < by->device.device_count; d++)
		if (limit == 0 || counts[d] < limit)
			by->devices[d].free_ns = 0;
}

static void describe_devices(struct placing *by)
{
	const plait__memory_system *system = by->placer->system;

	for (uint32_t d = 0; d < system->devices; d++)
		by->devices[d] = (plait__policy_device){
			.memory = system->memory_of[d],
			.cost_ns = cost_of(by->task),
		};
	describe_lanes(by);
}

static void make_request(struct placing *by)
{
	plait__task_placer *placer = by->placer;
	const plait__placement_request *lists = &placer->request;
	uint32_t devices = placer->system->devices;

	by->device = (plait__device_request){
		.policy = placer->options.choose,
		.threshold = placer->options.threshold,
		.candidates = ~UINT64_C(0) >> (64 - devices),
		.next = &placer->next, .links = &placer->links,
		.devices = by->devices, .pieces = lists->pieces.items,
		.device_count = devices, .piece_count = lists->pieces.count,
		.bookings = &placer->bookings, .preds = lists->preds.items,
		.pred_count = lists->preds.count,
		.hop_ns = PLAIT__PLACER_HOP_NS,
	};
	if (is_piece(by->task)) {
		by->device.policy = PLAIT__CHOOSE_SINGLE;
		by->device.candidates = UINT64_C(1)
			<< ((uint64_t)by->task->piece * devices /
			    by->task->piece_count);
	}
	describe_devices(by);
}

/* ---- the choice ---- */

/* The device's only lane, or a new one. */
static void take_single_lane(struct placing *by)
{
	const plait__lane_request lane = {
		.policy = PLAIT__LANE_REUSE, .limit = 1,
		.lanes = by->placer->lanes.items,
		.lane_count = by->placer->lanes.count,
	};

	by->choice = (plait__parent_choice){ .parent = PLAIT__PARENT_NONE,
					     .device_chosen = true };
	by->choice.by_device = plait__device_policy_choose(&by->device,
							   by->figures);
	by->choice.device = by->choice.by_device.device;
	by->choice.by_lane = plait__lane_policy_choose(&lane,
						       by->choice.device);
}

static void choose(struct placing *by)
{
	plait__task_placer *placer = by->placer;
	const plait__placement_request *lists = &placer->request;
	const plait__lane_request lane = {
		.policy = placer->options.lane, .limit = placer->options.lanes,
		.lanes = placer->lanes.items,
		.lane_count = placer->lanes.count,
	};
	plait__place_command command = {
		.preds = lists->points.items,
		.pred_count = lists->points.count,
		.cost = cost_of(by->task),
	};
	const plait__parent_request request = {
		.policy = placer->options.parent,
		.parent_count = lists->parents.count,
		.parents = lists->parents.items, .device = &by->device,
		.lane = &lane, .placement = &placer->placement,
		.command = &command,
	};

	if (placer->options.parent == PLAIT__PARENT_BEST &&
	    !uses_placement(placer))
		take_single_lane(by);
	else if (plait__parent_policy_choose(&request, by->figures,
					     &by->choice) != PLAIT_OK)
		placer->failed = true;
}

/* ---- its effect ---- */

/* Returns the policies' lane, perhaps a new one. */
static uint32_t open_lane(struct placing *by)
{
	plait__task_placer *placer = by->placer;
	uint32_t device = by->choice.device, lane = by->choice.by_lane.lane;
	const plait__policy_lane made = { .device = device };
	struct owner owner = { plait__memory_system_task_lane(device), 0 };

	if (lane < placer->lanes.count)
		return lane;
	for (uint32_t i = 0; i < placer->lanes.count; i++)
		if (lane_at(placer, i)->device == device) {
			owner.list_lane = plait__instructions_add_lane(
				placer->list, device);
			break;
		}
	if (PLAIT__VECTOR_ADD(&placer->lanes, &made) == NULL ||
	    PLAIT__VECTOR_ADD(&placer->owners, &owner) == NULL)
		placer->failed = true;
	return placer->lanes.count - 1;
}

/* Book the copies; returns when the last one has ended. */
static uint64_t book_copies(struct placing *by)
{
	plait__vector *pieces = &by->placer->request.pieces;
	uint32_t to = by->devices[by->choice.device].memory;
	uint64_t end = 0;

	for (uint32_t i = 0; i < pieces->count; i++) {
		const plait__policy_piece *piece = plait__vector_at(pieces, i);
		const plait__booking_copy copy = { piece->bytes, piece->valid,
						   piece->ready_ns, to };

		if (!piece->overwritten && piece->valid != 0 &&
		    (piece->valid >> to & 1) == 0)
			end = plait__saturating_max(
				end, plait__bookings_copy(&by->placer->bookings,
							  &copy, false)
					     .end_ns);
	}
	return end;
}

static uint64_t preds_end(const struct placing *by, uint32_t device)
{
	const plait__vector *preds = &by->placer->request.preds;
	uint64_t end = 0;

	for (uint32_t i = 0; i < preds->count; i++) {
		const plait__policy_pred *pred = plait__vector_at(preds, i);
		uint64_t hop = pred->device != device ? PLAIT__PLACER_HOP_NS :
							0;

		end = plait__saturating_max(
			end, plait__saturating_add(pred->finish_ns, hop));
	}
	return end;
}

static void occupy_placement(struct placing *by, plait__placed_task *placed)
{
	plait__task_placer *placer = by->placer;
	const plait__vector *points = &placer->request.points;
	const plait__place_point *waits;
	uint32_t wait_count;

	plait__place_occupy(&placer->placement, placed->lane,
			    placed->finish_ns, 0);
	if (plait__vector_clock_commit(&placer->placement, placed->lane,
				       points->items, points->count,
				       &placed->point, &waits,
				       &wait_count) != PLAIT_OK)
		placer->failed = true;
	placed->point.finish = placed->finish_ns;
}

static void occupy(struct placing *by, plait__placed_task *placed)
{
	plait__task_placer *placer = by->placer;
	uint32_t device = by->choice.device, lane = open_lane(by);
	uint64_t start;

	if (placer->failed)
		return;
	start = plait__saturating_max(lane_at(placer, lane)->free_ns,
				      preds_end(by, device));
	start = plait__saturating_max(start, book_copies(by));
	placed->device = device;
	placed->lane = lane;
	placed->list_lane = owner_at(placer, lane)->list_lane;
	placed->finish_ns = plait__saturating_add(start, cost_of(by->task));
	*lane_at(placer, lane) = (plait__policy_lane){ device, true,
						       placed->finish_ns };
	owner_at(placer, lane)->task = by->index;
	if (by->choice.parent != PLAIT__PARENT_NONE)
		placed_at(placer, *(uint32_t *)plait__vector_at(
					  &placer->request.parent_tasks,
					  by->choice.parent))->inherited = true;
	if (uses_placement(placer))
		occupy_placement(by, placed);
}

/* ---- the reason ---- */

static void explain_device(struct placing *by)
{
	plait__text *out = &by->placer->reasons;

	if (is_piece(by->task))
		plait__text_add(out, "device %u: piece %u of %u",
				by->choice.device, by->task->piece,
				by->task->piece_count);
	else if (by->choice.device_chosen)
		plait__why_device(out, &by->device, &by->choice.by_device,
				  by->figures);
	else
		plait__text_add(out, "device %u: that of its lane",
				by->choice.device);
}

static void explain(struct placing *by, plait__placed_task *placed)
{
	plait__task_placer *placer = by->placer;

	if (!placer->options.explains)
		return;
	placed->why = (uint32_t)placer->reasons.length;
	explain_device(by);
	if (placer->options.lanes != 1) {
		plait__text_add(&placer->reasons, "; ");
		plait__why_lane(&placer->reasons, &by->choice);
	}
	plait__text_add_bytes(&placer->reasons, "", 1);
	placer->failed |= placer->reasons.failed;
}

/* ---- what is known to be done ---- */

static void push_preds(plait__task_placer *placer, uint32_t task)
{
	const plait__record_task *of = plait__record_task_at(placer->record,
							     task);

	for (uint32_t i = 0; i < of->edge_count; i++) {
		uint32_t before = plait__record_edge_at(
			placer->record, of->first_edge + i)->before;

		if (placed_at(placer, before)->is_done)
			continue;
		placed_at(placer, before)->is_done = true;
		if (PLAIT__VECTOR_ADD(&placer->finished, &before) == NULL)
			placer->failed = true;
	}
}

/* The program goes on when an access of its own is over. */
static void finish_preds(plait__task_placer *placer, uint32_t task)
{
	push_preds(placer, task);
	while (placer->finished.count > 0) {
		uint32_t last = placer->finished.count - 1;
		uint32_t next = *(uint32_t *)plait__vector_at(
			&placer->finished, last);

		plait__vector_truncate(&placer->finished, last);
		push_preds(placer, next);
	}
	for (uint32_t i = 0; i < placer->lanes.count; i++)
		if (placed_at(placer, owner_at(placer, i)->task)->is_done)
			lane_at(placer, i)->busy = false;
}

static void finish_others(plait__task_placer *placer, uint32_t task)
{
	for (uint32_t i = 0; i < task; i++)
		placed_at(placer, i)->is_done = true;
	for (uint32_t i = 0; i < placer->lanes.count; i++)
		lane_at(placer, i)->busy = owner_at(placer, i)->task == task;
}

static void settle(const struct placing *by)
{
	if (by->task->is_barrier)
		finish_others(by->placer, by->index);
	else if (by->task->kind == PLAIT__RECORD_HOST)
		finish_preds(by->placer, by->index);
}

static void place_on_device(struct placing *by, plait__placed_task *placed)
{
	make_request(by);
	choose(by);
	if (!by->placer->failed)
		occupy(by, placed);
	if (!by->placer->failed)
		explain(by, placed);
}

void plait__task_placer_place(plait__task_placer *placer,
			      const plait__memory_state *state)
{
	const plait__placed_task unplaced = {
		.device = PLAIT__INSTRUCTION_NONE,
		.lane = PLAIT__INSTRUCTION_NONE,
		.why = PLAIT__INSTRUCTION_NONE,
	};
	struct placing by = { .placer = placer, .state = state,
			      .index = placer->placed.count };
	plait__placed_task *placed;

	if (placer->failed)
		return;
	placed = PLAIT__VECTOR_ADD(&placer->placed, &unplaced);
	placer->failed = placed == NULL;
	if (placer->failed)
		return;
	by.task = plait__record_task_at(placer->record, by.index);
	plait__placement_request_fill(&placer->request, state, &placer->placed,
				      by.index);
	placer->failed = placer->request.failed;
	if (placer->failed)
		return;
	if (by.task->kind == PLAIT_TASK_LAUNCH)
		place_on_device(&by, placed);
	else
		placed->finish_ns = plait__saturating_add(
			preds_end(&by, PLAIT__INSTRUCTION_NONE),
			cost_of(by.task));
	if (!placer->failed)
		settle(&by);
}
