/* SPDX-License-Identifier: MIT */
/* Placer of tasks; see task_placer.h. */
#include "flow/memory/task_placer.h"

#include "flow/policy/saturating.h"
#include "flow/policy/weights.h"
#include "flow/policy/why.h"

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

static struct owner *owner_at(const plait__task_placer *placer, uint32_t lane)
{
	return plait__vector_at(&placer->owners, lane);
}

/* ---- begin and end ---- */

void plait__task_placer_init(plait__task_placer *placer,
			     const plait__record *record,
			     const plait__memory_system *system,
			     plait__instructions *list,
			     const plait__placer_options *options)
{
	const plait_allocator *allocator = record->allocator;
	const plait__placer_system of = {
		.devices = system->devices, .memories = system->memories,
		.host = PLAIT__MEMORY_HOST, .memory_of = system->memory_of,
		.reaching = system->reaching,
	};

	*placer = (plait__task_placer){ .record = record, .system = system,
					.list = list };
	plait__placer_init(&placer->placer, allocator, &of, options);
	plait__vector_init(&placer->placed, allocator,
			   sizeof(plait__placed_task));
	plait__vector_init(&placer->owners, allocator, sizeof(struct owner));
	plait__vector_init(&placer->finished, allocator, sizeof(uint32_t));
	plait__placement_request_init(&placer->request, allocator);
	plait__text_init(&placer->reasons, allocator);
	placer->failed = placer->placer.failed;
}

void plait__task_placer_fini(plait__task_placer *placer)
{
	plait__placer_fini(&placer->placer);
	plait__vector_fini(&placer->placed);
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
	plait__placing placing;
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

/* The device of a piece: in the order of devices, each has its share. */
static uint32_t device_of_piece(const struct placing *by)
{
	const uint32_t *weights = by->placer->placer.options.weights;
	uint64_t borders[PLAIT__MEMORY_DEVICES + 1];
	uint32_t devices = by->placer->system->devices, device = 0;

	if (weights == NULL)
		return (uint32_t)((uint64_t)by->task->piece * devices /
				  by->task->piece_count);
	plait__weights_cut(by->task->piece_count, weights, devices, borders);
	while (borders[device + 1] <= by->task->piece)
		device++;
	return device;
}

static void make_request(struct placing *by)
{
	plait__task_placer *placer = by->placer;
	const plait__placement_request *lists = &placer->request;
	uint32_t devices = placer->system->devices;

	by->placing.candidates = ~UINT64_C(0) >> (64 - devices);
	by->placing.pieces = lists->pieces.items;
	by->placing.piece_count = lists->pieces.count;
	by->placing.preds = lists->preds.items;
	by->placing.pred_count = lists->preds.count;
	by->placing.parents = lists->parents.items;
	by->placing.points = lists->points.items;
	by->placing.parent_count = lists->parents.count;
	if (is_piece(by->task)) {
		by->placing.is_fixed = true;
		by->placing.candidates = UINT64_C(1) << device_of_piece(by);
	}
	for (uint32_t d = 0; d < devices; d++)
		by->placing.cost_ns[d] = cost_of(by->task);
}

/* ---- its effect ---- */

/* Let each lane of the policies have one of the instructions. */
static void own_lanes(struct placing *by)
{
	plait__task_placer *placer = by->placer;

	while (placer->owners.count < placer->placer.lanes.count) {
		uint32_t lane = placer->owners.count;
		uint32_t device = plait__placer_lane(&placer->placer,
						     lane)->device;
		struct owner owner = { plait__memory_system_task_lane(device),
				       0 };

		for (uint32_t i = 0; i < lane; i++)
			if (plait__placer_lane(&placer->placer, i)->device ==
			    device) {
				owner.list_lane = plait__instructions_add_lane(
					placer->list, device);
				break;
			}
		placer->failed |=
			PLAIT__VECTOR_ADD(&placer->owners, &owner) == NULL;
		if (placer->failed)
			return;
	}
}

static void occupy(struct placing *by, plait__placed_task *placed)
{
	plait__task_placer *placer = by->placer;
	const plait__parent_choice *choice = &by->placing.choice;

	plait__placer_commit(&placer->placer, &by->placing);
	placer->failed |= placer->placer.failed;
	if (!placer->failed)
		own_lanes(by);
	if (placer->failed)
		return;
	placed->device = choice->device;
	placed->lane = by->placing.lane;
	placed->list_lane = owner_at(placer, placed->lane)->list_lane;
	placed->finish_ns = by->placing.finish_ns;
	placed->point = by->placing.point;
	owner_at(placer, placed->lane)->task = by->index;
	if (choice->parent != PLAIT__PARENT_NONE)
		placed_at(placer, *(uint32_t *)plait__vector_at(
					  &placer->request.parent_tasks,
					  choice->parent))->inherited = true;
}

/* ---- the reason ---- */

static void explain_device(struct placing *by)
{
	plait__text *out = &by->placer->reasons;

	if (is_piece(by->task))
		plait__text_add(out, "device %u: piece %u of %u",
				by->placing.choice.device, by->task->piece,
				by->task->piece_count);
	else if (by->placing.choice.device_chosen)
		plait__why_device(out, &by->placing.request,
				  &by->placing.choice.by_device,
				  by->placing.figures);
	else
		plait__text_add(out, "device %u: that of its lane",
				by->placing.choice.device);
}

static void explain(struct placing *by, plait__placed_task *placed)
{
	plait__task_placer *placer = by->placer;

	if (!placer->placer.options.explains)
		return;
	placed->why = (uint32_t)placer->reasons.length;
	explain_device(by);
	if (placer->placer.options.lanes != 1) {
		plait__text_add(&placer->reasons, "; ");
		plait__why_lane(&placer->reasons, &by->placing.choice);
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
	for (uint32_t i = 0; i < placer->owners.count; i++)
		if (placed_at(placer, owner_at(placer, i)->task)->is_done)
			plait__placer_lane(&placer->placer, i)->busy = false;
}

static void finish_others(plait__task_placer *placer, uint32_t task)
{
	for (uint32_t i = 0; i < task; i++)
		placed_at(placer, i)->is_done = true;
	for (uint32_t i = 0; i < placer->owners.count; i++)
		plait__placer_lane(&placer->placer, i)->busy =
			owner_at(placer, i)->task == task;
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
	plait__placer_choose(&by->placer->placer, &by->placing);
	by->placer->failed |= by->placer->placer.failed;
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
	by.placing.preds = placer->request.preds.items;
	by.placing.pred_count = placer->request.preds.count;
	if (by.task->kind == PLAIT_TASK_LAUNCH)
		place_on_device(&by, placed);
	else
		placed->finish_ns = plait__saturating_add(
			plait__placer_preds_end(&by.placing,
						PLAIT__INSTRUCTION_NONE),
			cost_of(by.task));
	if (!placer->failed)
		settle(&by);
}
