/* SPDX-License-Identifier: MIT */
/* Machine for generated instructions: executes them in random topological orders,
 * by predecessors alone, on elements with versions, and counts what differs from
 * the sequential interpretation. */
#ifndef T_INSTRUCTION_MACHINE_H
#define T_INSTRUCTION_MACHINE_H

#include "random_records.h"

#include "flow/memory/generator.h"

#include <stdlib.h>
#include <string.h>

/* Version of what data has before the first task. */
#define CONTENTS UINT32_MAX
enum { MOST = 4096, BLOCKS = 1024 };

/* ---- the sequential interpretation ---- */

/* Task + 1 that wrote what an access reads; 0: none. */
static uint32_t (*expected)[ELEMENTS];

static void interpret(const plait__record *record)
{
	uint32_t now[DATA][ELEMENTS] = { { 0 } };

	for (uint32_t d = 0; d + 1 < DATA; d++)
		for (uint32_t e = 0; e < ELEMENTS; e++)
			now[d][e] = plait__record_data_at(record, d)
					    ->has_contents ? CONTENTS : 0;
	for (uint32_t t = 0; t < record->tasks.count; t++) {
		const plait__record_task *task =
			plait__record_task_at(record, t);
		uint32_t end = task->first_access + task->access_count;

		for (uint32_t i = task->first_access; i < end; i++)
			memcpy(expected[i],
			       now[plait__record_access_at(record, i)->data],
			       sizeof(now[0]));
		for (uint32_t i = task->first_access; i < end; i++) {
			const plait__record_access *access =
				plait__record_access_at(record, i);

			for (uint32_t e = 0; e < ELEMENTS; e++)
				if ((access->mode & PLAIT__ACCESS_WRITES) &&
				    is_in(&access->box, access->data, e))
					now[access->data][e] = t + 1;
		}
	}
}

/* ---- execution ---- */

enum { ABSENT, ALIVE, ENDED };

static struct block {
	int life;
	uint32_t data, memory;
	plait_box box;
	uint32_t versions[ELEMENTS];
} blocks[BLOCKS];

/* Of the blocks that live, and the most that there may be; of devices. */
static uint64_t live_bytes[PLAIT__MEMORY_DEVICES + 1];
static uint64_t capacity;

static uint64_t bytes_of(const plait__record *record, uint32_t data,
			 const plait_box *box)
{
	return plait__box_elements(box) *
	       plait__record_data_at(record, data)->element_bytes;
}

/* In place before the first instruction. */
static void begin_blocks(const plait__record *record)
{
	uint32_t number = 0;

	memset(blocks, 0, sizeof(blocks));
	memset(live_bytes, 0, sizeof(live_bytes));
	for (uint32_t d = 0; d + 1 < DATA; d++) {
		if (!plait__record_data_at(record, d)->has_contents)
			continue;
		blocks[++number] = (struct block){ .life = ALIVE, .data = d,
						   .box = whole_of(d) };
		memset(blocks[number].versions, 0xff,
		       sizeof(blocks[number].versions));
	}
}

static bool is_usable(uint32_t number, uint32_t data, uint32_t memory,
		      const plait_box *box)
{
	const struct block *block = &blocks[number];

	return block->life == ALIVE && block->data == data &&
	       block->memory == memory && plait__box_contains(&block->box, box);
}

static uint32_t run_copy(const plait__instruction *at)
{
	if (!is_usable(at->block, at->data, at->memory, &at->box) ||
	    !is_usable(at->source_block, at->data, at->source, &at->box))
		return 1;
	for (uint32_t e = 0; e < ELEMENTS; e++)
		if (is_in(&at->box, at->data, e))
			blocks[at->block].versions[e] =
				blocks[at->source_block].versions[e];
	return 0;
}

static uint32_t run_operand(const plait__record *record,
			    const plait__instruction *at,
			    const plait__operand *operand, bool writes)
{
	const plait__record_access *access =
		plait__record_access_at(record, operand->access);
	uint32_t *versions = blocks[operand->block].versions, wrong = 0;

	if (access->data + 1 == DATA)
		return operand->block != 0;
	if (!is_usable(operand->block, access->data, at->memory, &access->box))
		return 1;
	for (uint32_t e = 0; e < ELEMENTS; e++) {
		uint32_t want = expected[operand->access][e];

		if (!is_in(&access->box, access->data, e))
			continue;
		if (writes && (access->mode & PLAIT__ACCESS_WRITES))
			versions[e] = at->task + 1;
		if (!writes && (access->mode & PLAIT__ACCESS_READS))
			wrong += want != 0 && versions[e] != want;
	}
	return wrong;
}

/* Accesses of a data that touch are in one block. */
static uint32_t check_blocks(const plait__record *record,
			     const plait__instructions *list,
			     const plait__instruction *at)
{
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < at->operand_count; i++)
		for (uint32_t k = 0; k < i; k++) {
			const plait__operand *one =
				plait__instructions_operand(list, at, i);
			const plait__operand *other =
				plait__instructions_operand(list, at, k);
			const plait__record_access *a =
				plait__record_access_at(record, one->access);
			const plait__record_access *b =
				plait__record_access_at(record, other->access);

			wrong += a->data == b->data &&
				 plait__box_list_touch(&a->box, &b->box) &&
				 one->block != other->block;
		}
	return wrong;
}

static uint32_t run_task(const plait__record *record,
			 const plait__instructions *list,
			 const plait__instruction *at)
{
	uint32_t wrong = check_blocks(record, list, at);

	for (int writes = 0; writes < 2; writes++)
		for (uint32_t i = 0; i < at->operand_count; i++)
			wrong += run_operand(
				record, at,
				plait__instructions_operand(list, at, i),
				writes);
	return wrong;
}

/* Returns the number of mistakes. */
static uint32_t run_one(const plait__record *record,
			const plait__instructions *list, uint32_t number)
{
	const plait__instruction *at = plait__instructions_at(list, number);
	struct block *block = &blocks[at->block];
	uint32_t wrong = 0;

	switch (at->kind) {
	case PLAIT__INSTRUCTION_ALLOC:
		wrong = block->life != ABSENT;
		live_bytes[at->memory] += at->bytes;
		wrong += at->bytes != bytes_of(record, at->data, &at->box) ||
			 (capacity != 0 && at->memory != PLAIT__MEMORY_HOST &&
			  live_bytes[at->memory] > capacity);
		*block = (struct block){ ALIVE, at->data, at->memory, at->box,
					 { 0 } };
		return wrong;
	case PLAIT__INSTRUCTION_FREE:
		wrong = block->life != ALIVE ||
			!plait__box_contains(&at->box, &block->box);
		live_bytes[at->memory] -= at->bytes;
		block->life = ENDED;
		return wrong;
	case PLAIT__INSTRUCTION_TASK:
		return run_task(record, list, at);
	case PLAIT__INSTRUCTION_JOIN:
		return 0;
	default:
		return run_copy(at);
	}
}

/* ---- orders ---- */

static bool done[MOST + 1];

static bool can_run(const plait__instructions *list, uint32_t number)
{
	const plait__instruction *at = plait__instructions_at(list, number);

	for (uint32_t i = 0; i < at->pred_count; i++)
		if (!done[plait__instructions_pred(list, at, i)->number])
			return false;
	return !done[number];
}

/* In a random order that the predecessors allow. */
static uint32_t run_in_any_order(const plait__record *record,
				 const plait__instructions *list)
{
	uint32_t wrong = 0, left = list->items.count;

	begin_blocks(record);
	memset(done, 0, sizeof(done));
	while (left > 0) {
		uint32_t at = 1 + (uint32_t)below(list->items.count);

		/* From a random place on, the next that can. */
		while (at > list->items.count || !can_run(list, at))
			at = at >= list->items.count ? 1 : at + 1;
		wrong += run_one(record, list, at);
		done[at] = true;
		left--;
	}
	return wrong;
}

#endif
