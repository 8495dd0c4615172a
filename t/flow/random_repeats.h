/* SPDX-License-Identifier: MIT */
/*
 * Random programs whose tasks repeat, with PLAIT_FLOW_REPEATS, against the
 * sequential interpreter: stretches with other tasks, host access and waits at
 * random places.
 */
#ifndef T_RANDOM_REPEATS_H
#define T_RANDOM_REPEATS_H

#include "random_programs.h"

#include "base/alloc.h"
#include "flow/repeat/repeated_task.h"

/* Some programs go on until runs are longer, and are tried against plain tasks. */
enum { ITEMS = 48, MUTANTS = 6, MOST_LOOPS = 14, LONG_LOOPS = 250 };

static struct item {
	struct work work;
	plait__repeated_task *task;
} items[ITEMS + MUTANTS];
static struct item *made;

static void keep(const plait_task_desc *desc, struct work *work)
{
	plait_task_desc plain = *desc;

	(void)work;
	/* Most tasks can be repeated. */
	if (!one_in(50))
		plain.priority = 0;
	if (!one_in(10))
		plain.flags = 0;
	made->task = plait__repeated_task_make(plait__alloc_default(), &plain);
}

static void make_items(uint32_t count)
{
	keep_task = keep;
	for (uint32_t i = 0; i < count; i++) {
		made = &items[i];
		memset(&made->work, 0, sizeof(made->work));
		switch (below(8)) {
		case 0: add_fill(&made->work); break;
		case 1: add_copy(&made->work); break;
		case 2: add_transfer(&made->work, false); break;
		case 3: add_launch(&made->work); break;
		default: add_call(&made->work); break;
		}
		made->work.result = 0;
	}
	keep_task = NULL;
}

static void free_items(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		plait__repeated_task_free(plait__alloc_default(),
					  items[i].task);
}

enum { AT_ONCE = 8 };

/* Tasks that are submitted together, if `by_arrays`. */
static plait_task_desc descs[AT_ONCE];
static struct item *kept[AT_ONCE];
static uint32_t kept_count;
static bool by_arrays;

static void submit_kept(void)
{
	plait_task out[AT_ONCE];

	OK_THAT(plait_flow_submit_many(flow, descs, kept_count, out,
				       &flow_rig.error) == PLAIT_OK,
		"submit: %s", flow_rig.error.text);
	for (uint32_t i = 0; i < kept_count; i++)
		kept[i]->work.number = out[i];
	kept_count = 0;
}

static void submit_item(struct item *item)
{
	interpret(&item->work);
	if (by_arrays) {
		descs[kept_count] = item->task->desc;
		kept[kept_count++] = item;
		if (kept_count == AT_ONCE || one_in(AT_ONCE))
			submit_kept();
		return;
	}
	OK_THAT(plait_flow_submit(flow, &item->task->desc, &item->work.number,
				  &flow_rig.error) == PLAIT_OK,
		"submit: %s", flow_rig.error.text);
}

/* Something else, between two tasks of the stretch. */
static void mutate(uint32_t count)
{
	submit_kept();
	switch (below(6)) {
	case 0: read_now(); break;
	case 1: write_now(); break;
	case 2: map_now(); break;
	case 3:
		IS_INT(wait_task(items[below(count)].work.number), PLAIT_OK);
		break;
	default: submit_item(&items[ITEMS + below(MUTANTS)]); break;
	}
}

static void run_loops(uint32_t count)
{
	uint64_t loops = 4 + below(one_in(5) ? LONG_LOOPS : MOST_LOOPS);
	uint64_t calm = 1 + below(loops > MOST_LOOPS ? 400 : 6) * count;
	uint64_t waits = one_in(2) ? 1 + below(4) : 0; /* loops between them */
	bool skips = one_in(4);

	by_arrays = one_in(3);
	for (uint64_t loop = 0; loop < loops; loop++) {
		for (uint32_t i = 0; i < count; i++) {
			if (loop > 3 && one_in(calm))
				mutate(count);
			if (!skips || loop < 4 || !one_in(2 * count))
				submit_item(&items[i]);
		}
		submit_kept();
		if (waits && loop % waits == 0)
			IS_INT(wait_task(0), PLAIT_OK);
	}
}

/* Tasks that came as parts of runs, in all programs of a scenario. */
static uint64_t repeated;

static void count_repeated(void)
{
	plait_flow_info info = { .size = sizeof(info) };

	IS_INT(plait_flow_query(flow, &info, NULL), PLAIT_OK);
	repeated += info.repeated;
}

static void check_arrays(void)
{
	IS_INT(wait_task(0), PLAIT_OK);
	for (int i = 0; i < 10; i++) {
		read_now();
		map_now();
	}
}

static void run_repeats(const struct flow_setting *setting)
{
	static const uint32_t windows[] = { 64, 128, 256, 1024 };
	uint32_t window = windows[below(TAP_COUNT(windows))];

	if (!open_flow(setting, window))
		return;
	for (int i = 0; i < DATA; i++)
		make_array(&arrays[i], (uint32_t)below(4));
	make_items(ITEMS + MUTANTS);
	for (int part = 0; part < 3; part++) {
		run_loops(16 + (uint32_t)below(ITEMS - 15));
		check_arrays();
	}
	count_repeated();
	for (int i = 0; i < DATA; i++)
		release_array(&arrays[i]);
	release_kernels();
	close_flow();
	free_items(ITEMS + MUTANTS);
}

/* `few`: rounds without an argument. */
static void run_some_repeats(uint64_t few)
{
	const char *asked = tap_argument("rounds");
	uint64_t rounds = asked != NULL ? strtoull(asked, NULL, 10) :
			  tap_soak() ? 100 * few : few;
	uint64_t seed = tap_seed();

	repeated = 0;
	flow_flags = PLAIT_FLOW_REPEATS;
	for (uint64_t r = 0; r < rounds && tap_failed() == 0; r++) {
		state = (seed + r) * UINT64_C(0x9e3779b97f4a7c15) | 1;
		NOTE("seed=%llu", (unsigned long long)(seed + r));
		run_repeats(&flow_settings[r % FLOW_SETTINGS]);
	}
	flow_flags = 0;
	OK_THAT(rounds < few || repeated > 100, "%llu tasks were parts of runs",
		(unsigned long long)repeated);
	NOTE("%llu tasks were parts of runs", (unsigned long long)repeated);
}

#endif
