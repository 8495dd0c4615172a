/* SPDX-License-Identifier: MIT */
/* Fronts of blocks; see block_fronts.h. */
#include "flow/memory/block_fronts.h"

static plait__front_map *cut(plait__memory_state *state, uint32_t data,
			     uint32_t memory, const plait_box *box)
{
	plait__front_map *fronts =
		&plait__memory_state_place(state, data, memory)->fronts;

	if (!state->failed && !plait__front_map_cut(fronts, box))
		state->failed = true;
	return fronts;
}

/* ---- predecessors ---- */

struct gathering {
	plait__instructions *list;
	uint32_t mode;
};

/* An alloc is the first writer of a front, but writes no value. */
static void follow_writer(plait__instructions *list, uint64_t writer,
			  plait__pred_why why)
{
	if (writer != 0 && !list->failed &&
	    plait__instructions_at(list, (uint32_t)writer)->kind ==
		    PLAIT__INSTRUCTION_ALLOC)
		why = PLAIT__PRED_BLOCK;
	plait__instructions_follow(list, writer, why);
}

static void gather_front(void *arg, plait__front *front,
			 const plait_box *piece)
{
	struct gathering *by = arg;

	(void)piece;
	if ((by->mode & PLAIT__ACCESS_READS) != 0)
		follow_writer(by->list, front->writer,
			      PLAIT__PRED_READS_WRITTEN);
	if ((by->mode & PLAIT__ACCESS_WRITES) == 0)
		return;
	for (uint64_t i = 0; i < front->count; i++)
		plait__instructions_follow(by->list, front->readers[i],
					   PLAIT__PRED_WRITES_READ);
	if (front->count == 0)
		follow_writer(by->list, front->writer,
			      PLAIT__PRED_WRITES_WRITTEN);
}

void plait__block_fronts_gather(plait__memory_state *state, uint32_t data,
				uint32_t memory, const plait_box *box,
				uint32_t mode)
{
	struct gathering by = { state->list, mode };
	plait__front_map *fronts = cut(state, data, memory, box);

	if (!state->failed)
		plait__front_map_visit_box(fronts, box, gather_front, &by);
}

static void gather_uses(void *arg, plait__front *front, const plait_box *piece)
{
	plait__instructions *list = arg;

	(void)piece;
	for (uint64_t i = 0; i < front->count; i++)
		plait__instructions_follow(list, front->readers[i],
					   PLAIT__PRED_USED);
	if (front->count == 0)
		follow_writer(list, front->writer, PLAIT__PRED_USED);
}

void plait__block_fronts_gather_uses(plait__memory_state *state, uint32_t data,
				     uint32_t memory, const plait_box *box)
{
	plait__front_map *fronts = cut(state, data, memory, box);

	if (!state->failed)
		plait__front_map_visit_box(fronts, box, gather_uses,
					   state->list);
}

/* ---- the record ---- */

static uint64_t join_readers(void *arg, const uint64_t *numbers, uint32_t count)
{
	static const plait__instruction join = {
		.kind = PLAIT__INSTRUCTION_JOIN, .why = PLAIT__WHY_MANY,
		.device = PLAIT__INSTRUCTION_NONE,
		.lane = PLAIT__INSTRUCTION_NONE,
		.task = PLAIT__INSTRUCTION_NONE,
		.data = PLAIT__INSTRUCTION_NONE,
	};
	plait__instructions *list = arg;
	uint32_t number = plait__instructions_open(list, &join);

	for (uint32_t i = 0; i < count; i++)
		plait__instructions_follow(list, numbers[i],
					   PLAIT__PRED_MEMBER);
	plait__instructions_close(list);
	return number;
}

struct recording {
	plait__front_record record;
	uint32_t mode;
};

static void record_front(void *arg, plait__front *front,
			 const plait_box *piece)
{
	struct recording *by = arg;

	(void)piece;
	plait__front_access_record(&by->record, front, by->mode);
}

void plait__block_fronts_record(plait__memory_state *state, uint32_t data,
				uint32_t memory, const plait_box *box,
				uint32_t mode, uint32_t number)
{
	struct recording by = { .record = { .number = number,
					    .mark = join_readers,
					    .arg = state->list },
				.mode = mode };
	plait__front_map *fronts = cut(state, data, memory, box);

	if (state->failed)
		return;
	plait__front_map_visit_box(fronts, box, record_front, &by);
	if (fronts->pieces >= fronts->join_at)
		plait__front_map_join(fronts);
}
