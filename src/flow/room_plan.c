/* SPDX-License-Identifier: MIT */
/* Blocks to be made for a task; see room_plan.h. */
#include "flow/room_plan.h"

#include "flow/block_growth.h"
#include "flow/policy/saturating.h"

/* After as many growths a block gets all elements: one that grew with each task
 * would be copied for each. */
enum { GROWTHS_MOST = 2 };

static plait__device_room *room_of(const plait__flow *flow)
{
	return &flow->devices->room;
}

static plait__data *wanted_at(const plait__device_room *room, uint32_t i)
{
	return *(plait__data **)plait__vector_at(&room->wanted, i);
}

static plait__data_copy *copy_at(const plait__flow *flow,
				 const plait__data *whole)
{
	return plait__data_copies_at(whole->copies, room_of(flow)->memory);
}

static uint64_t bytes_of(const plait__data *whole, const plait_box *box)
{
	return plait__box_is_empty(box) ? 0 :
	       plait__box_elements(box) * whole->element_bytes;
}

/* ---- the list ---- */

bool plait__room_plan_want(const plait__flow_task *task, plait__data *whole,
			   const plait_box *need)
{
	plait__device_room *room = room_of(task->flow);
	plait__data_copy *copy;

	if (whole->copies == NULL)
		return true;
	copy = copy_at(task->flow, whole);
	if (copy->request != room->request) {
		if (PLAIT__VECTOR_ADD(&room->wanted, &whole) == NULL)
			return false;
		plait__object_hold(&whole->object);
		copy->request = room->request;
		copy->need = (plait_box){ { 0, 0, 0 }, { 0, 0, 0 } };
	}
	if (need != NULL && !plait__box_is_empty(need))
		copy->need = plait__box_is_empty(&copy->need) ?
				     *need :
				     plait__box_list_bound(&copy->need, need);
	return true;
}

/* ---- boxes ---- */

enum level { ALL, AROUND, ALONE };

/* The need, which has an element at least. */
static plait_box find_need(const plait__data *whole,
			   const plait__data_copy *copy)
{
	plait_box box = copy->need;

	if (!plait__box_is_empty(&box))
		return box;
	for (int d = 0; d < 3; d++) {
		box.low[d] = whole->box.low[d];
		box.high[d] = box.low[d] + 1;
	}
	return box;
}

static bool wants_all(const plait__flow *flow, const plait__data *whole)
{
	const plait__device_room *room = room_of(flow);

	return whole->copies->is_plain ||
	       copy_at(flow, whole)->growths >= GROWTHS_MOST ||
	       (room->limit != UINT64_MAX && flow->data_bytes <= room->limit);
}

static plait_box choose_box(const plait__flow *flow, const plait__data *whole,
			    enum level level)
{
	const plait__data_copy *copy = copy_at(flow, whole);
	const plait_box need = find_need(whole, copy);

	if (level == ALL && wants_all(flow, whole))
		return whole->box;
	return level == ALONE || plait__box_is_empty(&copy->block.box) ?
		       need : plait__box_list_bound(&copy->block.box, &need);
}

/* Returns true if the block can stay, or be copied to the one of the plan. */
static bool can_stay(const plait__flow *flow, const plait__data *whole,
		     enum level level)
{
	const plait__data_copy *copy = copy_at(flow, whole);

	return copy->block.buffer == NULL ||
	       plait__device_block_has(&copy->block, &copy->need) ||
	       (level != ALONE && copy->growth == NULL &&
		plait__block_growth_fits(flow, whole,
					 room_of(flow)->memory));
}

/* Plan at a level.  Returns true if it fits as it is; *out_way: a block that gives
 * way. */
static bool plan(plait__flow *flow, enum level level, plait__data **out_way)
{
	plait__device_room *room = room_of(flow);

	room->lacking = 0;
	*out_way = NULL;
	for (uint32_t i = 0; i < room->wanted.count; i++) {
		plait__data *whole = wanted_at(room, i);
		plait__data_copy *copy = copy_at(flow, whole);
		plait_box box;

		copy->plan.bytes = 0;
		if (copy->block.buffer != NULL &&
		    plait__device_block_has(&copy->block, &copy->need))
			continue;
		box = choose_box(flow, whole, level);
		plait__device_block_set(&copy->plan, &box,
					whole->element_bytes);
		room->lacking = plait__saturating_add(room->lacking,
						      copy->plan.bytes);
		if (!can_stay(flow, whole, level))
			*out_way = whole;
	}
	return *out_way == NULL && room->lacking <= room->limit &&
	       room->bytes[room->memory] <= room->limit - room->lacking;
}

plait__data *plait__room_plan_make(plait__flow *flow)
{
	plait__device_room *room = room_of(flow);
	plait__data *way = NULL;

	room->needed = 0;
	for (uint32_t i = 0; i < room->wanted.count; i++) {
		const plait__data *whole = wanted_at(room, i);
		const plait_box box = find_need(whole, copy_at(flow, whole));

		room->needed = plait__saturating_add(room->needed,
						     bytes_of(whole, &box));
	}
	room->is_generous = !room->is_tight && !room->is_refused &&
			    (plan(flow, ALL, &way) || plan(flow, AROUND, &way));
	if (!room->is_generous)
		(void)plan(flow, ALONE, &way);
	return way;
}

plait__data *plait__room_plan_find_large(const plait__flow *flow)
{
	const plait__device_room *room = room_of(flow);

	for (uint32_t i = 0; i < room->wanted.count; i++) {
		plait__data *whole = wanted_at(room, i);
		const plait__data_copy *copy = copy_at(flow, whole);
		const plait_box box = find_need(whole, copy);

		if (copy->block.buffer != NULL && copy->pins == 0 &&
		    copy->block.bytes > bytes_of(whole, &box))
			return whole;
	}
	return NULL;
}
