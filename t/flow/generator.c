/* SPDX-License-Identifier: MIT */
/*
 * Generated instructions of random programs: executed in random topological
 * orders, by predecessors alone, on elements with versions, each read sees what
 * the sequential interpretation sees.  Each pair of instructions that uses the
 * same elements of a block, and one writes, is ordered; lanes and waits imply
 * every predecessor.  No copy moves what is valid already, or is not read.
 *
 * rounds=20000 for more programs, from=N to begin with the program of that seed.
 */
#include "instruction_machine.h"

#include "lib/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = MOST / 64, ORDERS = 4 };

/* ---- all pairs ---- */

static uint64_t before[MOST + 1][WORDS];

static bool comes_before(uint32_t one, uint32_t other)
{
	return (before[other][one / 64] >> one % 64 & 1) != 0;
}

static void come_behind(uint32_t number, uint32_t pred)
{
	for (int w = 0; w < WORDS; w++)
		before[number][w] |= before[pred][w];
	before[number][pred / 64] |= UINT64_C(1) << pred % 64;
}

static void close_preds(const plait__instructions *list)
{
	for (uint32_t n = 1; n <= list->items.count; n++) {
		const plait__instruction *at = plait__instructions_at(list, n);

		memset(before[n], 0, sizeof(before[n]));
		for (uint32_t i = 0; i < at->pred_count; i++)
			come_behind(n, plait__instructions_pred(list, at, i)
					       ->number);
	}
}

struct use {
	uint32_t number, block, data;
	bool writes;
	plait_box box;
};

static uint32_t list_uses(const plait__record *record,
			  const plait__instructions *list, struct use *out)
{
	uint32_t count = 0;

	for (uint32_t n = 1; n <= list->items.count; n++) {
		const plait__instruction *at = plait__instructions_at(list, n);

		for (uint32_t i = 0; i < at->operand_count; i++) {
			const plait__operand *operand =
				plait__instructions_operand(list, at, i);
			const plait__record_access *access =
				plait__record_access_at(record,
							operand->access);

			out[count++] = (struct use){
				n, operand->block, access->data,
				(access->mode & PLAIT__ACCESS_WRITES) != 0,
				access->box };
		}
		if (at->data == PLAIT__INSTRUCTION_NONE)
			continue;
		out[count++] = (struct use){ n, at->block, at->data, true,
					     at->box };
		if (at->kind == PLAIT__INSTRUCTION_COPY ||
		    at->kind == PLAIT__INSTRUCTION_RESIZE)
			out[count++] = (struct use){ n, at->source_block,
						     at->data, false, at->box };
	}
	return count;
}

static uint32_t check_pairs(const plait__record *record,
			    const plait__instructions *list)
{
	static struct use uses[8 * MOST];
	uint32_t count = list_uses(record, list, uses), wrong = 0;

	close_preds(list);
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < i; k++)
			if (uses[i].block == uses[k].block &&
			    uses[i].data == uses[k].data &&
			    uses[i].number != uses[k].number &&
			    (uses[i].writes || uses[k].writes) &&
			    plait__box_overlap(&uses[i].box, &uses[k].box))
				wrong += !comes_before(uses[k].number,
						       uses[i].number);
	return wrong;
}

static uint32_t check_barriers(const plait__record *record,
			       const plait__instructions *list)
{
	uint32_t wrong = 0;

	for (uint32_t n = 1; n <= list->items.count; n++) {
		const plait__instruction *at = plait__instructions_at(list, n);

		if (at->kind != PLAIT__INSTRUCTION_TASK ||
		    !plait__record_task_at(record, at->task)->is_barrier)
			continue;
		for (uint32_t i = 1; i < n; i++)
			wrong += !comes_before(i, n);
		for (uint32_t i = n + 1; i <= list->items.count; i++)
			wrong += !comes_before(n, i);
	}
	return wrong;
}

/* ---- lanes and waits ---- */

/* An instruction without a lane is done when what it follows is. */
static bool is_implied(const plait__instructions *list, uint32_t number,
		       uint32_t pred)
{
	const plait__instruction *at = plait__instructions_at(list, pred);

	if (at->lane != PLAIT__INSTRUCTION_NONE)
		return comes_before(pred, number);
	for (uint32_t i = 0; i < at->pred_count; i++)
		if (!is_implied(list, number,
				plait__instructions_pred(list, at, i)->number))
			return false;
	return true;
}

/* No wait is implied by the lane, or by another wait. */
static uint32_t check_wait(const plait__instructions *list, uint32_t number,
			   uint32_t wait)
{
	const plait__instruction *at = plait__instructions_at(list, number);
	uint32_t wrong = comes_before(wait, number);

	for (uint32_t i = 0; i < at->wait_count; i++)
		wrong += comes_before(wait,
				      plait__instructions_wait(list, at, i));
	return wrong;
}

static uint32_t check_waits(const plait__instructions *list)
{
	static uint32_t last[MOST];
	uint32_t wrong = 0;

	memset(last, 0, sizeof(last));

	for (uint32_t n = 1; n <= list->items.count; n++) {
		const plait__instruction *at = plait__instructions_at(list, n);

		memset(before[n], 0, sizeof(before[n]));
		if (at->lane == PLAIT__INSTRUCTION_NONE) {
			wrong += at->wait_count;
			continue;
		}
		if (last[at->lane] != 0)
			come_behind(n, last[at->lane]);
		last[at->lane] = n;
		for (uint32_t i = 0; i < at->wait_count; i++)
			wrong += check_wait(list, n, plait__instructions_wait(
							     list, at, i));
		for (uint32_t i = 0; i < at->wait_count; i++)
			come_behind(n, plait__instructions_wait(list, at, i));
		for (uint32_t i = 0; i < at->pred_count; i++)
			wrong += !is_implied(list, n, plait__instructions_pred(
							      list, at, i)
							      ->number);
	}
	return wrong;
}

/* ---- copies ---- */

static bool valid[DATA][PLAIT__MEMORY_DEVICES + 1][ELEMENTS];

static bool task_reads(const plait__record *record, uint32_t task,
		       uint32_t data, uint32_t e, uint32_t mode)
{
	const plait__record_task *of = plait__record_task_at(record, task);

	for (uint32_t i = 0; i < of->access_count; i++) {
		const plait__record_access *access = plait__record_access_at(
			record, of->first_access + i);

		if (access->data == data && (access->mode & mode) != 0 &&
		    is_in(&access->box, data, e))
			return true;
	}
	return false;
}

static uint32_t valid_count(uint32_t data, uint32_t e)
{
	uint32_t count = 0;

	for (uint32_t m = 0; m <= PLAIT__MEMORY_DEVICES; m++)
		count += valid[data][m][e];
	return count;
}

/* Blocks that live, in list order: the elements that they have. */
static uint32_t covered[DATA][PLAIT__MEMORY_DEVICES + 1][ELEMENTS];

/* A memory has no value where it has no block. */
static void cover(const plait__instruction *at)
{
	for (uint32_t e = 0; e < ELEMENTS; e++) {
		if (!is_in(&at->box, at->data, e))
			continue;
		covered[at->data][at->memory][e] +=
			at->kind == PLAIT__INSTRUCTION_ALLOC ? 1 : UINT32_MAX;
		if (covered[at->data][at->memory][e] == 0)
			valid[at->data][at->memory][e] = false;
	}
}

/* A copy moves elements that are valid at the source, are not at the target, and
 * are read; a resize those that are valid, and not overwritten unread. */
static uint32_t check_copy(const plait__record *record,
			   const plait__generator *made,
			   const plait__instruction *at)
{
	bool is_copy = at->kind == PLAIT__INSTRUCTION_COPY;
	uint32_t wrong = 0;

	if (is_copy)
		wrong += (made->system.reaching[at->memory] >> at->source & 1) ==
			 0;
	for (uint32_t e = 0; e < ELEMENTS; e++) {
		bool reads = task_reads(record, at->task, at->data, e,
					PLAIT__ACCESS_READS);

		if (!is_in(&at->box, at->data, e))
			continue;
		wrong += !valid[at->data][at->source][e];
		if (is_copy && at->why == PLAIT__WHY_ROOM) {
			wrong += valid_count(at->data, e) != 1;
			valid[at->data][at->memory][e] = true;
		} else if (is_copy) {
			wrong += valid[at->data][at->memory][e] || !reads;
			valid[at->data][at->memory][e] = true;
		} else if (at->memory != PLAIT__MEMORY_HOST) {
			wrong += !reads && task_reads(record, at->task,
						      at->data, e,
						      PLAIT__ACCESS_WRITES);
		}
	}
	return wrong;
}

static void write_versions(const plait__record *record,
			   const plait__instruction *at)
{
	for (uint32_t d = 0; d + 1 < DATA; d++)
		for (uint32_t e = 0; e < ELEMENTS; e++) {
			if (!task_reads(record, at->task, d, e,
					PLAIT__ACCESS_WRITES))
				continue;
			for (uint32_t m = 0; m <= PLAIT__MEMORY_DEVICES; m++)
				valid[d][m][e] = m == at->memory;
		}
}

static uint32_t check_copies(const plait__record *record,
			     const plait__generator *made, bool lookahead)
{
	uint32_t wrong = 0;

	memset(valid, 0, sizeof(valid));
	memset(covered, 0, sizeof(covered));
	for (uint32_t d = 0; d + 1 < DATA; d++)
		for (uint32_t e = 0; e < ELEMENTS; e++)
			covered[d][PLAIT__MEMORY_HOST][e] =
				valid[d][PLAIT__MEMORY_HOST][e] =
				plait__record_data_at(record, d)->has_contents;
	for (uint32_t n = 1; n <= made->list.items.count; n++) {
		const plait__instruction *at =
			plait__instructions_at(&made->list, n);

		wrong += lookahead && capacity == 0 && (at->kind == PLAIT__INSTRUCTION_RESIZE ||
				       at->kind == PLAIT__INSTRUCTION_FREE);
		if (at->kind == PLAIT__INSTRUCTION_COPY ||
		    at->kind == PLAIT__INSTRUCTION_RESIZE)
			wrong += check_copy(record, made, at);
		if (at->kind == PLAIT__INSTRUCTION_ALLOC ||
		    at->kind == PLAIT__INSTRUCTION_FREE)
			cover(at);
		if (at->kind == PLAIT__INSTRUCTION_TASK)
			write_versions(record, at);
	}
	return wrong;
}

/* ---- bytes ---- */

/* The peak of each memory is that of the blocks that live, in list order. */
static uint32_t check_peaks(const plait__record *record,
			    const plait__generator *made)
{
	uint64_t bytes[PLAIT__MEMORY_DEVICES + 1] = { 0 };
	uint64_t peak[PLAIT__MEMORY_DEVICES + 1] = { 0 };

	for (uint32_t d = 0; d + 1 < DATA; d++)
		if (plait__record_data_at(record, d)->has_contents) {
			plait_box whole = whole_of(d);

			bytes[PLAIT__MEMORY_HOST] +=
				bytes_of(record, d, &whole);
		}
	peak[PLAIT__MEMORY_HOST] = bytes[PLAIT__MEMORY_HOST];
	for (uint32_t n = 1; n <= made->list.items.count; n++) {
		const plait__instruction *at =
			plait__instructions_at(&made->list, n);

		if (at->kind == PLAIT__INSTRUCTION_ALLOC)
			bytes[at->memory] += bytes_of(record, at->data,
						      &at->box);
		if (at->kind == PLAIT__INSTRUCTION_FREE)
			bytes[at->memory] -= bytes_of(record, at->data,
						      &at->box);
		if (peak[at->memory] < bytes[at->memory])
			peak[at->memory] = bytes[at->memory];
	}
	return memcmp(peak, made->state.peak, sizeof(peak)) != 0;
}

/* ---- refusals ---- */

/* Bytes of a task's connected parts. */
static uint64_t need_of(const plait__record *record, uint32_t task)
{
	const plait__record_task *of = plait__record_task_at(record, task);
	uint64_t bytes = 0;

	for (uint32_t d = 0; d + 1 < DATA; d++) {
		plait__vector boxes;

		plait__vector_init(&boxes, record->allocator,
				   sizeof(plait_box));
		for (uint32_t i = 0; i < of->access_count; i++) {
			const plait__record_access *access =
				plait__record_access_at(record,
							of->first_access + i);

			if (access->data == d)
				PLAIT__VECTOR_ADD(&boxes, &access->box);
		}
		plait__box_list_connect(&boxes, true);
		for (uint32_t i = 0; i < boxes.count; i++)
			bytes += bytes_of(record, d, plait__vector_at(&boxes, i));
		plait__vector_fini(&boxes);
	}
	return bytes;
}

static uint64_t refused, taken;

/* A task is refused if it does not fit alone, and all before it are there. */
static uint32_t check_refusal(const plait__record *record,
			      const plait__generator *made)
{
	const plait__refusal *refusal = &made->state.refusal;
	uint32_t count = 0, want = record->tasks.count, wrong = 0;

	for (uint32_t n = 1; n <= made->list.items.count; n++)
		count += plait__instructions_at(&made->list, n)->kind ==
			 PLAIT__INSTRUCTION_TASK;
	if (refusal->task != PLAIT__INSTRUCTION_NONE) {
		refused++;
		want = refusal->task;
		wrong += need_of(record, want) != refusal->bytes ||
			 refusal->bytes <= capacity;
	}
	for (uint32_t t = 0; capacity != 0 && t < want; t++)
		wrong += plait__record_task_at(record, t)->kind ==
				 PLAIT_TASK_LAUNCH &&
			 need_of(record, t) > capacity;
	taken += capacity != 0 && wrong == 0;
	return wrong + (count != want);
}

/* ---- programs ---- */

static uint64_t seen[6]; /* instructions by kind, of all programs */

static uint32_t check_program(const plait__record *record,
			      const plait__memory_system *system,
			      const plait__placer_options *options,
			      bool lookahead)
{
	plait__generator made;
	uint32_t wrong = 0;

	plait__generator_init(&made, record, system, options);
	plait__generator_run(&made, lookahead);
	if (plait__generator_has_failed(&made) || made.list.items.count > MOST)
		return 1;
	wrong += check_refusal(record, &made);
	for (uint32_t n = 1; n <= made.list.items.count; n++)
		seen[plait__instructions_at(&made.list, n)->kind]++;
	for (int i = 0; i < ORDERS; i++)
		wrong += run_in_any_order(record, &made.list);
	wrong += check_pairs(record, &made.list);
	wrong += check_barriers(record, &made.list);
	wrong += check_waits(&made.list);
	wrong += check_copies(record, &made, lookahead);
	wrong += check_peaks(record, &made);
	plait__generator_fini(&made);
	return wrong;
}

static bool check_seed(uint64_t seed)
{
	plait__memory_system system;
	plait__record record;
	uint32_t wrong, devices;
	bool lookahead, shared;
	plait__placer_options options;

	random_state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	below(2);
	make_program(&record);
	devices = 1 + (uint32_t)below(5);
	shared = below(5) == 0;
	lookahead = below(2) != 0;
	plait__memory_system_make(&system, devices,
				  (plait__memory_peers)below(3), shared);
	options = (plait__placer_options){
		.choose = (uint32_t)below(PLAIT__CHOOSE_POLICIES),
		.parent = (uint32_t)below(PLAIT__PARENT_POLICIES),
		.lane = (uint32_t)below(PLAIT__LANE_POLICIES),
		.lanes = (uint32_t)below(4), .explains = below(2) != 0,
	};
	/* An element of all data, at least; most programs fit. */
	capacity = below(2) != 0 ? 0 : 4 * (ELEMENTS + below(3 * ELEMENTS));
	system.capacity = capacity;
	expected = calloc(record.accesses.count, sizeof(*expected));
	interpret(&record);
	wrong = check_program(&record, &system, &options, lookahead);
	free(expected);
	plait__record_fini(&record);
	return OK_THAT(wrong == 0, "program %" PRIu64 ": %u mistakes, %u devices"
		       "%s%s, capacity %" PRIu64, seed, wrong, devices, shared ? ", shared" : "",
		       lookahead ? "" : ", no lookahead", capacity);
}

static void random_programs(void)
{
	uint64_t rounds = 150, first = tap_seed() * 1000003;

	if (tap_argument("rounds") != NULL)
		rounds = strtoull(tap_argument("rounds"), NULL, 10);
	if (tap_argument("from") != NULL)
		first = strtoull(tap_argument("from"), NULL, 10);
	for (uint64_t i = 0; i < rounds; i++)
		if (!check_seed(first + i))
			return;
	for (int kind = 0; kind < 6; kind++)
		OK_THAT(rounds < 100 || seen[kind] > 0, "kind %d is there",
			kind);
	OK_THAT(rounds < 100 || (refused > 0 && taken > refused),
		"%" PRIu64 " programs with a capacity, %" PRIu64 " refused",
		taken, refused);
}

static const struct tap_scenario all[] = {
	{ "random programs", random_programs },
};

TAP_MAIN(all)
