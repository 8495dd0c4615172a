/* SPDX-License-Identifier: MIT */
/*
 * List of instructions; see instructions.h.  The clock of an instruction has per
 * lane the newest one that is done when it is done itself.
 */
#include "flow/memory/instructions.h"

/* ---- memory ---- */

static bool add(plait__instructions *list, plait__vector *to, const void *items,
		uint32_t count)
{
	if (list->failed)
		return false;
	if (count > 0 && plait__vector_push(to, items, count) == NULL)
		list->failed = true;
	return !list->failed;
}

void plait__instructions_init(plait__instructions *list,
			      const plait_allocator *allocator, uint32_t lanes)
{
	*list = (plait__instructions){ .lanes = lanes, .fixed_lanes = lanes };
	plait__vector_init(&list->added_lanes, allocator, sizeof(uint32_t));
	plait__vector_init(&list->items, allocator, sizeof(plait__instruction));
	plait__vector_init(&list->preds, allocator,
			   sizeof(plait__instruction_pred));
	plait__vector_init(&list->waits, allocator, sizeof(uint32_t));
	plait__vector_init(&list->operands, allocator, sizeof(plait__operand));
	plait__vector_init(&list->clocks, allocator,
			   lanes * (uint32_t)sizeof(uint32_t));
	plait__vector_init(&list->newest, allocator, sizeof(uint32_t));
	plait__vector_init(&list->wanted, allocator, sizeof(uint32_t));
	add(list, &list->newest, NULL, lanes);
}

void plait__instructions_fini(plait__instructions *list)
{
	plait__vector_fini(&list->items);
	plait__vector_fini(&list->preds);
	plait__vector_fini(&list->waits);
	plait__vector_fini(&list->operands);
	plait__vector_fini(&list->clocks);
	plait__vector_fini(&list->newest);
	plait__vector_fini(&list->wanted);
	plait__vector_fini(&list->added_lanes);
}

/* Make the rows of the clocks twice as wide. */
static void widen_clocks(plait__instructions *list)
{
	plait__vector wide;
	uint32_t each = list->clocks.each;

	plait__vector_init(&wide, list->clocks.allocator, 2 * each);
	if (add(list, &wide, NULL, list->clocks.count))
		for (uint32_t i = 0; i < list->clocks.count; i++)
			memcpy(plait__vector_at(&wide, i),
			       plait__vector_at(&list->clocks, i), each);
	plait__vector_fini(&list->clocks);
	list->clocks = wide;
}

uint32_t plait__instructions_add_lane(plait__instructions *list,
				      uint32_t device)
{
	if (!add(list, &list->added_lanes, &device, 1) ||
	    !add(list, &list->newest, NULL, 1))
		return 0;
	if ((list->lanes + 1) * sizeof(uint32_t) > list->clocks.each)
		widen_clocks(list);
	return list->lanes++;
}

/* ---- the open instruction ---- */

uint32_t plait__instructions_open(plait__instructions *list,
				  const plait__instruction *instruction)
{
	plait__instruction ours = *instruction;

	ours.first_pred = list->preds.count;
	ours.first_wait = list->waits.count;
	ours.first_operand = list->operands.count;
	ours.pred_count = ours.wait_count = ours.operand_count = 0;
	ours.newest_successor = 0;
	add(list, &list->items, &ours, 1);
	return list->items.count;
}

static plait__instruction *newest(const plait__instructions *list)
{
	return plait__instructions_at(list, list->items.count);
}

void plait__instructions_follow(plait__instructions *list, uint64_t number,
				plait__pred_why why)
{
	const plait__instruction_pred pred = { (uint32_t)number, why };
	plait__instruction *before;

	if (number == 0 || list->failed)
		return;
	before = plait__instructions_at(list, pred.number);
	if (before->newest_successor == list->items.count ||
	    !add(list, &list->preds, &pred, 1))
		return;
	before->newest_successor = list->items.count;
	newest(list)->pred_count++;
}

void plait__instructions_follow_all(plait__instructions *list)
{
	uint32_t self = list->items.count;
	uint32_t first = list->barrier == 0 ? 1 : list->barrier;

	for (uint32_t i = first; !list->failed && i < self; i++)
		if (plait__instructions_at(list, i)->newest_successor == 0)
			plait__instructions_follow(list, i,
						   PLAIT__PRED_BARRIER);
	list->barrier = self;
}

void plait__instructions_use(plait__instructions *list, uint32_t access,
			     uint32_t block)
{
	const plait__operand operand = { access, block };

	if (add(list, &list->operands, &operand, 1))
		newest(list)->operand_count++;
}

/* ---- waits ---- */

static uint32_t *clock_of(const plait__instructions *list, uint32_t number)
{
	return plait__vector_at(&list->clocks, number - 1);
}

static uint32_t *newest_of(const plait__instructions *list, uint32_t lane)
{
	return plait__vector_at(&list->newest, lane);
}

static int compare_newest_first(const void *left, const void *right)
{
	uint32_t one = *(const uint32_t *)left, other = *(const uint32_t *)right;

	return one > other ? -1 : one < other;
}

/* An instruction without a lane is done with what it follows. */
static void want(plait__instructions *list, uint32_t number)
{
	if (plait__instructions_at(list, number)->lane !=
	    PLAIT__INSTRUCTION_NONE) {
		add(list, &list->wanted, &number, 1);
		return;
	}
	for (uint32_t lane = 0; lane < list->lanes; lane++)
		if (clock_of(list, number)[lane] != 0)
			add(list, &list->wanted, &clock_of(list, number)[lane],
			    1);
}

static void merge(uint32_t *clock, const uint32_t *other, uint32_t lanes)
{
	for (uint32_t lane = 0; lane < lanes; lane++)
		if (clock[lane] < other[lane])
			clock[lane] = other[lane];
}

/* The newest first: it implies the most. */
static void find_waits(plait__instructions *list, plait__instruction *self,
		       uint32_t *clock)
{
	plait__vector_sort(&list->wanted, compare_newest_first);
	for (uint32_t i = 0; i < list->wanted.count; i++) {
		uint32_t number = *(uint32_t *)plait__vector_at(&list->wanted,
								i);
		uint32_t lane = plait__instructions_at(list, number)->lane;

		if (clock[lane] >= number)
			continue;
		merge(clock, clock_of(list, number), list->lanes);
		if (self->lane != PLAIT__INSTRUCTION_NONE &&
		    add(list, &list->waits, &number, 1))
			self->wait_count++;
	}
}

/* All behind a barrier follow it, if only through others. */
static void follow_barrier(plait__instructions *list)
{
	const plait__instruction *self = newest(list);

	if (list->barrier == list->items.count)
		return;
	for (uint32_t i = 0; i < self->pred_count; i++)
		if (plait__instructions_pred(list, self, i)->number >=
		    list->barrier)
			return;
	plait__instructions_follow(list, list->barrier, PLAIT__PRED_BARRIER);
}

/* Begin with what the lane implies. */
static uint32_t *make_clock(plait__instructions *list, uint32_t lane)
{
	uint32_t number = list->items.count, before;

	if (!add(list, &list->clocks, NULL, 1))
		return NULL;
	if (lane != PLAIT__INSTRUCTION_NONE) {
		before = *newest_of(list, lane);
		if (before != 0)
			merge(clock_of(list, number), clock_of(list, before),
			      list->lanes);
		*newest_of(list, lane) = number;
	}
	return clock_of(list, number);
}

void plait__instructions_close(plait__instructions *list)
{
	plait__instruction *self;
	uint32_t *clock;

	if (list->failed)
		return;
	follow_barrier(list);
	self = newest(list);
	plait__vector_truncate(&list->wanted, 0);
	for (uint32_t i = 0; i < self->pred_count; i++)
		want(list, plait__instructions_pred(list, self, i)->number);
	clock = make_clock(list, self->lane);
	if (clock == NULL)
		return;
	find_waits(list, self, clock);
	if (self->lane != PLAIT__INSTRUCTION_NONE)
		clock[self->lane] = list->items.count;
}
