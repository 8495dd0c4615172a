/* SPDX-License-Identifier: MIT */
/* Random records of tasks with pieces, barriers, tokens and many readers, on
 * small data in one and two dimensions. */
#ifndef T_RANDOM_RECORDS_H
#define T_RANDOM_RECORDS_H

#include "flow/show/record.h"

#include "base/alloc.h"

enum { SIDE = 6, ELEMENTS = SIDE * SIDE, DATA = 4, TASKS = 26, ACCESSES = 4 };

static uint64_t random_state;

static uint64_t below(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % limit;
}

/* ---- random programs ---- */

static plait_box whole_of(uint32_t data)
{
	const uint64_t square[3] = { SIDE, SIDE, 1 };
	const uint64_t line[3] = { ELEMENTS, 1, 1 };

	return plait__box_whole(data == 0 ? 1 : 2, data == 0 ? line : square);
}

static plait_box random_box(uint32_t data)
{
	plait_box box = whole_of(data);

	for (int d = 0; d < 2 && below(6) != 0; d++) {
		uint64_t a = below(box.high[d]), b = below(box.high[d]);

		box.low[d] = a < b ? a : b;
		box.high[d] = (a < b ? b : a) + 1;
	}
	return box;
}

/* Rows of piece i of n, and `more` on each side. */
static plait_box piece_of(uint32_t data, uint32_t i, uint32_t n, uint64_t more)
{
	plait_box box = whole_of(data);
	int d = data == 0 ? 0 : 1;
	uint64_t extent = box.high[d], low = extent * i / n;

	box.low[d] = low > more ? low - more : 0;
	box.high[d] = extent * (i + 1) / n + more;
	if (box.high[d] > extent)
		box.high[d] = extent;
	return box;
}

static void add_pieces(plait__record *record)
{
	uint32_t pieces = 2 + (uint32_t)below(4);
	uint32_t from = (uint32_t)below(DATA - 1), to = (uint32_t)below(DATA - 1);
	uint64_t more = below(3);

	for (uint32_t i = 0; i < pieces; i++) {
		const plait__record_task task = {
			.number = record->tasks.count + 1,
			.kind = PLAIT_TASK_LAUNCH, .piece = i,
			.piece_count = pieces,
		};
		plait_box reads = piece_of(from, i, pieces, more);
		plait_box writes = piece_of(to, i, pieces, 0);

		plait__record_add_access(record, from, PLAIT__ACCESS_READS,
					 &reads);
		plait__record_add_access(record, to, PLAIT__ACCESS_WRITES,
					 &writes);
		plait__record_add_task(record, &task, "piece");
	}
}

static void add_whole(plait__record *record)
{
	const plait__record_task task = {
		.number = record->tasks.count + 1, .piece_count = 1,
		.kind = below(4) == 0 ? PLAIT_TASK_CALL : PLAIT_TASK_LAUNCH,
		.is_barrier = below(12) == 0,
	};
	uint32_t count = (uint32_t)below(ACCESSES + 1);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t data = (uint32_t)below(DATA);
		plait_box box = random_box(data);

		plait__record_add_access(record, data,
					 1 + (uint32_t)below(3), &box);
	}
	plait__record_add_task(record, &task, "whole");
}

/* More readers than a front has room for, then a writer. */
static void add_readers(plait__record *record)
{
	uint32_t count = 5 + (uint32_t)below(14);
	uint32_t data = (uint32_t)below(DATA);

	for (uint32_t i = 0; i <= count; i++) {
		const plait__record_task task = {
			.number = record->tasks.count + 1, .piece_count = 1,
			.kind = below(3) == 0 ? PLAIT_TASK_CALL :
						PLAIT_TASK_LAUNCH,
		};
		plait_box box = below(3) == 0 ? random_box(data) :
						whole_of(data);

		plait__record_add_access(record, data, i < count ?
					 PLAIT__ACCESS_READS :
					 PLAIT__ACCESS_WRITES, &box);
		plait__record_add_task(record, &task, "reader");
	}
}

/* The last data is a token. */
static void make_program(plait__record *record)
{
	uint32_t many = (uint32_t)below(8);

	plait__record_init(record, plait__alloc_default(), 4);
	for (uint32_t i = 0; i < DATA; i++) {
		plait_box whole = whole_of(i);

		plait__record_add_data(record, "data", i == 0 ? 1 : 2,
				       i + 1 < DATA ? 4 : 0, &whole,
				       i + 1 == DATA || below(3) == 0);
	}
	while (record->tasks.count < TASKS)
		if (below(8) < many)
			add_pieces(record);
		else if (below(20) == 0)
			add_readers(record);
		else
			add_whole(record);
}

static bool is_in(const plait_box *box, uint32_t data, uint32_t e)
{
	uint64_t width = data == 0 ? ELEMENTS : SIDE;

	return e % width >= box->low[0] && e % width < box->high[0] &&
	       e / width >= box->low[1] && e / width < box->high[1];
}

#endif
