/* SPDX-License-Identifier: MIT */
/*
 * Edges of records against a model with an entry for each element: random tasks
 * with several accesses.  Each edge has the reason and exactly the elements that
 * the model finds, however many readers there are; barriers come behind all
 * tasks that have no successor; reads of what nothing wrote are warnings.
 */
#include "lib/tap.h"

#include "flow/show/explain.h"
#include "flow/show/record_forms.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

enum { TASKS = 60, SIDE = 8, ELEMENTS = SIDE * SIDE, DATA = 2, ROUNDS = 40 };
enum { REASONS = 4 };

static uint64_t state;

static uint64_t below(uint64_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % limit;
}

/* ---- the model ---- */

struct element {
	uint32_t writer; /* task + 1 */
	uint32_t count;
	uint32_t readers[TASKS];
};

static struct element elements[DATA][ELEMENTS];
/* Elements by reason, of the newest task. */
static uint64_t wanted[TASKS][REASONS][DATA];
static uint64_t unwritten[DATA];

static void model_gather(uint32_t data, uint32_t e, uint32_t mode)
{
	const struct element *at = &elements[data][e];
	bool reads = (mode & PLAIT__ACCESS_READS) != 0;
	bool writes = (mode & PLAIT__ACCESS_WRITES) != 0;

	for (uint32_t i = 0; writes && i < at->count; i++)
		wanted[at->readers[i]][PLAIT__EDGE_WRITES_READ][data]++;
	if (at->writer != 0 && reads)
		wanted[at->writer - 1][PLAIT__EDGE_READS_WRITTEN][data]++;
	else if (at->writer != 0 && at->count == 0)
		wanted[at->writer - 1][PLAIT__EDGE_WRITES_WRITTEN][data]++;
	unwritten[data] += reads && at->writer == 0;
}

static void model_record(uint32_t data, uint32_t e, uint32_t mode,
			 uint32_t task)
{
	struct element *at = &elements[data][e];

	if ((mode & PLAIT__ACCESS_WRITES) != 0) {
		at->writer = task + 1;
		at->count = 0;
	} else if (at->writer != task + 1 &&
		   (at->count == 0 || at->readers[at->count - 1] != task)) {
		at->readers[at->count++] = task;
	}
}

static bool is_in(const plait_box *box, uint32_t e)
{
	return e % SIDE >= box->low[0] && e % SIDE < box->high[0] &&
	       e / SIDE >= box->low[1] && e / SIDE < box->high[1];
}

static void model(const plait__record_access *accesses, uint32_t count,
		  uint32_t task)
{
	memset(wanted, 0, sizeof(wanted));
	memset(unwritten, 0, sizeof(unwritten));
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < count; i++)
			for (uint32_t e = 0; e < ELEMENTS; e++) {
				if (!is_in(&accesses[i].box, e))
					continue;
				if (pass == 0)
					model_gather(accesses[i].data, e,
						     accesses[i].mode);
				else
					model_record(accesses[i].data, e,
						     accesses[i].mode, task);
			}
}

/* ---- comparison ---- */

/* Returns the number of differences. */
static uint32_t compare_edges(const plait__record *record, uint32_t task)
{
	const plait__record_task *of = plait__record_task_at(record, task);
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < of->edge_count; i++) {
		const plait__record_edge *edge =
			plait__record_edge_at(record, of->first_edge + i);
		uint64_t *want =
			&wanted[edge->before][edge->reason][edge->data];

		wrong += *want != edge->elements || edge->before >= task;
		wrong += plait__box_elements(&edge->box) > ELEMENTS;
		*want = 0;
	}
	for (uint32_t t = 0; t < TASKS; t++)
		for (uint32_t r = 0; r < REASONS; r++)
			for (uint32_t d = 0; d < DATA; d++)
				wrong += wanted[t][r][d] != 0;
	return wrong;
}

static uint32_t compare_warnings(const plait__record *record, uint32_t task)
{
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < record->warnings.count; i++) {
		const plait__record_warning *at =
			plait__record_warning_at(record, i);

		if (at->task != task)
			continue;
		wrong += unwritten[at->data] < at->elements;
		unwritten[at->data] -= at->elements;
	}
	return wrong + (unwritten[0] != 0) + (unwritten[1] != 0);
}

static plait_box random_box(void)
{
	plait_box box = { { 0, 0, 0 }, { SIDE, SIDE, 1 } };

	for (int d = 0; d < 2 && below(6) != 0; d++) {
		uint64_t a = below(SIDE), b = below(SIDE);

		box.low[d] = a < b ? a : b;
		box.high[d] = (a < b ? b : a) + 1;
	}
	return box;
}

static uint32_t add_random(plait__record *record, uint32_t task)
{
	const plait__record_task ours = { .number = 3 * task + 1, .cost = 1 };
	plait__record_access accesses[4];
	uint32_t count = (uint32_t)below(4);
	bool mostly_reads = below(3) != 0;

	for (uint32_t i = 0; i < count; i++) {
		accesses[i] = (plait__record_access){
			(uint32_t)below(DATA),
			mostly_reads ? PLAIT__ACCESS_READS :
				       1 + (uint32_t)below(3),
			random_box() };
		plait__record_add_access(record, accesses[i].data,
					 accesses[i].mode, &accesses[i].box);
	}
	plait__record_add_task(record, &ours, "x");
	model(accesses, count, task);
	return compare_edges(record, task) + compare_warnings(record, task);
}

static void begin(plait__record *record)
{
	static const plait_box whole = { { 0, 0, 0 }, { SIDE, SIDE, 1 } };

	plait__record_init(record, plait__alloc_default(), 2);
	plait__record_add_data(record, "u", 2, 4, &whole, false);
	plait__record_add_data(record, "v", 2, 4, &whole, false);
	memset(elements, 0, sizeof(elements));
}

static void random_tasks(void)
{
	uint64_t first = tap_seed();

	for (uint64_t round = 0; round < ROUNDS; round++) {
		plait__record record;
		uint32_t wrong = 0;

		state = (first + round) * 0x9e3779b97f4a7c15 + 1;
		begin(&record);
		for (uint32_t task = 0; task < TASKS && wrong == 0; task++)
			wrong += add_random(&record, task);
		OK_THAT(wrong == 0 && !record.failed, "seed %llu, round %llu",
			(unsigned long long)first, (unsigned long long)round);
		plait__record_fini(&record);
	}
}

/* ---- barriers and forms ---- */

static void add(plait__record *record, const char *label, uint32_t mode,
		bool is_barrier)
{
	static const plait_box all = { { 0, 0, 0 }, { SIDE, SIDE, 1 } };
	const plait__record_task task = { .number = record->tasks.count + 1,
					  .kind = PLAIT_TASK_CALL, .cost = 1,
					  .is_barrier = is_barrier };

	if (mode != 0)
		plait__record_add_access(record, 0, mode, &all);
	plait__record_add_task(record, &task, label);
}

static void forms(void)
{
	plait__record record;
	plait__text text;

	begin(&record);
	add(&record, "a", PLAIT__ACCESS_WRITES, false);
	add(&record, "b", PLAIT__ACCESS_READS, false);
	add(&record, "c\"", 0, false);
	add(&record, "all", 0, true);
	add(&record, "d", 0, false);
	add(&record, "e", PLAIT__ACCESS_WRITES, false);
	plait__text_init(&text, plait__alloc_default());
	plait__explain_text(&record, &text);
	IS_STR(plait__text_get(&text),
	       "2 data, 6 tasks, 6 edges, 2 lanes, 0 warnings\n"
	       "task 1 \"a\": call, lane 0\n\twrites u\n"
	       "task 2 \"b\": call, lane 0\n\treads u\n"
	       "\tafter 1 \"a\": reads u, which it wrote\n"
	       "task 3 \"c\"\": call, lane 0\n"
	       "task 4 \"all\": call, barrier, lane 0\n"
	       "\tafter 2 \"b\": barrier\n\tafter 3 \"c\"\": barrier\n"
	       "task 5 \"d\": call, lane 0\n\tafter 4 \"all\": barrier\n"
	       "task 6 \"e\": call, lane 0\n\twrites u\n"
	       "\tafter 2 \"b\": overwrites u, which it read\n"
	       "\tafter 4 \"all\": barrier\n");
	plait__text_cut(&text, 0);
	plait__record_forms_dot(&record, &text);
	HAS_STR(plait__text_get(&text), "t2 [label=\"3 c\\\"\\nlane 0\"]");
	HAS_STR(plait__text_get(&text), "t2 -> t3 [label=\"barrier\"");
	plait__text_fini(&text);
	plait__record_fini(&record);
}

static const struct tap_scenario all[] = {
	{ "random tasks", random_tasks },
	{ "forms", forms },
};

TAP_MAIN(all)
