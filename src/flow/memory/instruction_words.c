/* SPDX-License-Identifier: MIT */
/* Words for the forms of instructions; see instruction_words.h. */
#include "flow/memory/instruction_words.h"

#include "flow/show/explain.h"

#include <inttypes.h>
#include <stdio.h>

const char *plait__instruction_words_kind(const plait__record *record,
					  const plait__instruction *instruction)
{
	static const char *const kinds[] = { "alloc", "free", "copy", "resize",
					     "task", "join" };

	return instruction->kind == PLAIT__INSTRUCTION_TASK ?
		       plait__explain_kind(plait__record_task_at(
			       record, instruction->task)) :
		       kinds[instruction->kind];
}

const char *plait__instruction_words_why(uint32_t why)
{
	static const char *const reasons[] = {
		"the program has it", "the task reads it",
		"the memories are no peers", "the task uses it",
		"the task needs the room", "too many readers",
	};

	return reasons[why];
}

const char *plait__instruction_words_pred(uint32_t why)
{
	static const char *const reasons[] = {
		"reads what it wrote", "overwrites what it read",
		"overwrites what it wrote", "uses the block that it made",
		"ends the block that it used", "takes the room that it frees",
		"frees of a memory are in order", "stands for it", "barrier",
	};

	return reasons[why];
}

/* Lanes that were added are counted from 1 per device. */
static const char *added_lane(const plait__instructions *list, uint32_t lane,
			      char room[PLAIT__INSTRUCTION_LANE])
{
	const uint32_t *devices = list->added_lanes.items;
	uint32_t index = lane - list->fixed_lanes, before = 1;

	for (uint32_t i = 0; i < index; i++)
		before += devices[i] == devices[index];
	snprintf(room, PLAIT__INSTRUCTION_LANE, "tasks %" PRIu32 ".%" PRIu32,
		 devices[index], before);
	return room;
}

const char *plait__instruction_words_lane(const plait__instructions *list,
					  uint32_t lane,
					  char room[PLAIT__INSTRUCTION_LANE])
{
	if (lane == 0)
		return "host";
	if (lane >= list->fixed_lanes)
		return added_lane(list, lane, room);
	snprintf(room, PLAIT__INSTRUCTION_LANE, "%s %" PRIu32,
		 lane % 2 != 0 ? "tasks" : "copies", (lane - 1) / 2);
	return room;
}

uint64_t plait__instruction_words_traffic(const plait__record *record,
					  const plait__instructions *list,
					  const plait__instruction *task)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < task->operand_count; i++) {
		const plait__record_access *access = plait__record_access_at(
			record,
			plait__instructions_operand(list, task, i)->access);
		uint64_t each = plait__box_elements(&access->box) *
				plait__record_data_at(record, access->data)
					->element_bytes;

		bytes += access->mode == (PLAIT__ACCESS_READS |
					  PLAIT__ACCESS_WRITES) ?
				 2 * each : each;
	}
	return bytes;
}

plait__instruction_sums
plait__instruction_words_sum(const plait__instructions *list)
{
	plait__instruction_sums sums = { .waits = list->waits.count };

	for (uint32_t n = 1; n <= list->items.count; n++) {
		const plait__instruction *at = plait__instructions_at(list, n);

		sums.counts[at->kind]++;
		sums.bytes[at->kind] += at->bytes;
	}
	return sums;
}
