/* SPDX-License-Identifier: MIT */
/*
 * Random programs against a sequential interpreter, bit by bit: functions,
 * launches, reductions, copies, fills, reads and writes of boxes, failures, barriers,
 * mappings and host access, repeated repetitions.  The interpreter runs each task
 * when it is submitted, on memory of its own, and knows which elements are
 * poisoned.
 */
#ifndef T_RANDOM_PROGRAMS_H
#define T_RANDOM_PROGRAMS_H

#include "random_sums.h"

enum { REPETITIONS = 3, LENGTH = 8, ROUNDS = 30 };

/* ---- the host ---- */

static void read_now(void)
{
	struct array *array = &arrays[below(DATA)];
	plait_box box = random_box(array);
	static uint64_t host[ELEMENTS];
	uint64_t wrong = 0;
	plait_status status = plait_data_read(array->data, &box, host,
					      &flow_rig.error);

	if (has_poison(array, &box)) {
		IS_INT(status, PLAIT_E_FAILED);
		return;
	}
	OK_THAT(status == PLAIT_OK, "read: %s", flow_rig.error.text);
	for (uint64_t i = 0; i < count_of(&box); i++)
		wrong += host[i] != array->model[place(array, &box, i)];
	IS_UINT(wrong, 0);
}

static void write_now(void)
{
	struct array *array = &arrays[below(DATA)];
	plait_box box = random_box(array);
	static uint64_t host[ELEMENTS];

	for (uint64_t i = 0; i < count_of(&box); i++)
		array->model[place(array, &box, i)] = host[i] = next_random();
	set_poison(array, &box, false);
	OK_THAT(plait_data_write(array->data, &box, host, &flow_rig.error) ==
		PLAIT_OK, "write: %s", flow_rig.error.text);
}

/* Map a box, change it in both memories, unmap it. */
static void map_now(void)
{
	struct array *array = &arrays[below(DATA)];
	plait_box box = random_box(array);
	uint32_t flags = 1 + (uint32_t)below(3);
	void *pointer = NULL;
	plait_status status = plait_data_map(array->data, &box, flags,
					     &pointer, &flow_rig.error);

	if ((flags & PLAIT_MAP_READ) != 0 && has_poison(array, &box)) {
		IS_INT(status, PLAIT_E_FAILED);
		return;
	}
	if (!OK_THAT(status == PLAIT_OK, "map: %s", flow_rig.error.text))
		return;
	IS_PTR(pointer, &array->real[place(array, &box, 0)]);
	for (uint64_t i = 0; i < count_of(&box); i++) {
		uint64_t at = place(array, &box, i);

		if ((flags & PLAIT_MAP_WRITE) != 0)
			array->real[at] = array->model[at] = next_random();
		else
			OK(array->real[at] == array->model[at]);
	}
	if ((flags & PLAIT_MAP_WRITE) != 0)
		set_poison(array, &box, false);
	IS_INT(plait_data_unmap(array->data, pointer, NULL), PLAIT_OK);
}

/* ---- repetitions ---- */

struct repetition {
	struct work works[LENGTH];
	struct work whole; /* the run, as one task */
};

static struct repetition repetitions[REPETITIONS];

static void join_use(const struct use *use, struct use *out)
{
	if (use->array != out->array)
		return;
	for (int d = 0; d < 3; d++) {
		if (out->mode == 0 || use->box.low[d] < out->box.low[d])
			out->box.low[d] = use->box.low[d];
		if (out->mode == 0 || use->box.high[d] > out->box.high[d])
			out->box.high[d] = use->box.high[d];
	}
	out->mode |= 4 | (use->mode & PLAIT_ACCESS_WRITE);
}

/* Find reads of what was not written; note what the task writes. */
static void find_reads(const struct work *work, struct use *out, bool *written)
{
	for (int pass = PLAIT_ACCESS_READ; pass <= PLAIT_ACCESS_WRITE; pass++)
		for (uint32_t u = 0; u < work->count; u++) {
			const struct use *use = &work->uses[u];

			if (use->array != out->array || (use->mode & pass) == 0)
				continue;
			for (uint64_t i = 0; i < count_of(&use->box); i++) {
				bool *at = &written[place(use->array,
							  &use->box, i)];

				if (pass == PLAIT_ACCESS_WRITE)
					*at = true;
				else if (!*at)
					out->mode |= PLAIT_ACCESS_READ;
			}
		}
}

/* Find the use of an array by the run: returns false if there is none. */
static bool join_uses(const struct repetition *repetition, struct array *array,
		      struct use *out)
{
	static bool written[ELEMENTS];
	bool leaves = false;

	memset(written, 0, sizeof(written));
	*out = (struct use){ .array = array, .box = unit };
	for (int w = 0; w < LENGTH; w++)
		for (uint32_t u = 0; u < repetition->works[w].count; u++)
			join_use(&repetition->works[w].uses[u], out);
	for (int w = 0; w < LENGTH; w++)
		find_reads(&repetition->works[w], out, written);
	for (uint64_t i = 0; i < count_of(&out->box); i++)
		leaves |= !written[place(array, &out->box, i)];
	if (out->mode == 0)
		return false;
	/* Of a run that only reads, too: reads of what it has written. */
	if ((out->mode & PLAIT_ACCESS_WRITE) == 0 || leaves)
		out->mode |= PLAIT_ACCESS_READ;
	out->mode &= PLAIT_ACCESS_READ_WRITE;
	return true;
}

/* Returns true if a use of a task reads poison from before the run.  Notes what it
 * writes. */
static bool follow_use(const struct use *use, uint32_t mode, bool *written)
{
	bool poisoned = false;

	for (uint64_t i = 0; (use->mode & mode) != 0 && i < count_of(&use->box);
	     i++) {
		uint64_t at = place(use->array, &use->box, i);

		if (mode == PLAIT_ACCESS_WRITE)
			written[at] = true;
		else
			poisoned |= !written[at] && use->array->poisoned[at];
	}
	return poisoned;
}

/* On devices a run accesses what its tasks need before the first of them, and what
 * they write, and no boxes around these. */
static bool follow_array(const struct repetition *repetition,
			 const struct array *array, bool *written)
{
	bool poisoned = false;

	memset(written, 0, ELEMENTS * sizeof(*written));
	for (int w = 0; w < LENGTH; w++)
		for (uint32_t mode = PLAIT_ACCESS_READ;
		     mode <= PLAIT_ACCESS_WRITE; mode++)
			for (uint32_t u = 0; u < repetition->works[w].count; u++)
				if (repetition->works[w].uses[u].array == array)
					poisoned |= follow_use(
						&repetition->works[w].uses[u],
						mode, written);
	return poisoned;
}

static void predict_on_devices(struct repetition *repetition)
{
	static bool written[DATA][ELEMENTS];
	struct work *whole = &repetition->whole;

	whole->spoiled = whole->result != 0;
	for (int i = 0; i < DATA; i++)
		whole->spoiled |= follow_array(repetition, &arrays[i],
					       written[i]);
	for (int i = 0; i < DATA; i++)
		for (int k = 0; k < ELEMENTS; k++)
			if (written[i][k])
				arrays[i].poisoned[k] = whole->spoiled;
	for (int w = 0; w < LENGTH && !whole->spoiled; w++)
		interpret(&repetition->works[w]);
}

static void predict_repetition(struct repetition *repetition)
{
	struct work *whole = &repetition->whole;

	if (flow_devices > 0) {
		predict_on_devices(repetition);
		return;
	}
	whole->count = 0;
	for (int i = 0; i < DATA; i++)
		whole->count += join_uses(repetition, &arrays[i],
					  &whole->uses[whole->count]);
	if (predict(whole))
		for (int w = 0; w < LENGTH; w++)
			interpret(&repetition->works[w]);
}

static void add_task(struct work *work);

static void begin_repetition(struct repetition *repetition)
{
	*repetition = (struct repetition){ .whole.kind = PLAIT_TASK_PLAN };
	in_repetition = true;
	for (int w = 0; w < LENGTH; w++) {
		add_task(&repetition->works[w]);
		repetition->whole.result |= repetition->works[w].result;
	}
	in_repetition = false;
	OK_THAT(plait_flow_repeat(flow, 0, &repetition->whole.number,
				  &flow_rig.error) == PLAIT_OK, "%s",
		flow_rig.error.text);
}

/* ---- programs ---- */

static void check_host(const struct work *work)
{
	uint64_t wrong = 0;

	if (work->kind != PLAIT_TASK_READ || work->spoiled)
		return;
	for (uint64_t i = 0; i < count_of(&work->uses[0].box); i++)
		wrong += work->host[i] != work->expected[i];
	IS_UINT(wrong, 0);
}

/* Prints a work only if it differs from the prediction: the runner limits the output of
 * a test. */
static void check_work(struct work *work)
{
	plait_flow_info info = { .size = sizeof(info) };
	plait_status status;

	if (work->number == 0)
		return;
	if (plait_flow_query(flow, &info, NULL) != PLAIT_OK)
		OK_THAT(false, "query of the flow");
	status = plait_flow_wait(flow, work->number, PLAIT_FOREVER,
				 &flow_rig.error);
	/* Failures that are older than the window may be forgotten. */
	if (status != (work->spoiled ? PLAIT_E_FAILED : PLAIT_OK) &&
	    (status != PLAIT_OK || work->number + info.window > info.newest))
		OK_THAT(false, "task %llu of %llu, window %u, %s ends with %d: %s",
			(unsigned long long)work->number,
			(unsigned long long)info.newest, info.window,
			work->spoiled ? "spoiled," : "", status,
			status != PLAIT_OK ? flow_rig.error.text : "");
	check_host(work);
}

/* Run a repetition again, or for the first time. */
static void repeat(void)
{
	uint64_t key = 1 + below(REPETITIONS);
	struct repetition *repetition = &repetitions[key - 1];

	OK_THAT(plait_flow_repeat(flow, key, &repetition->whole.number,
				  &flow_rig.error) == PLAIT_OK, "%s",
		flow_rig.error.text);
	if (repetition->whole.number == 0)
		begin_repetition(repetition);
	predict_repetition(repetition);
}

static void add_task(struct work *work)
{
	memset(work, 0, offsetof(struct work, host));
	switch (below(11)) {
	case 0: add_fill(work); break;
	case 1: add_copy(work); break;
	case 2: add_transfer(work, true); break;
	case 3: add_transfer(work, false); break;
	case 4:
	case 5:
	case 6: add_launch(work); break;
	case 7: if (flow_has_sums) add_sum(work); else add_call(work); break;
	default: add_call(work); break;
	}
}

/* Called before each program, before each step of it, and before its flow is released;
 * null: nothing. */
static void (*before_program)(void), (*before_step)(void), (*before_end)(void);

static void step(struct work *work)
{
	work->number = 0;
	if (before_step != NULL)
		before_step();
	switch (below(12)) {
	case 0: read_now(); break;
	case 1: one_in(2) ? write_now() : map_now(); break;
	case 2:
		if (flow_has_repetitions)
			repeat();
		break;
	default: add_task(work); break;
	}
}

/* The host's copies of the last run. */
static void check_repetition(struct repetition *repetition)
{
	check_work(&repetition->whole);
	for (int w = 0; w < LENGTH && repetition->whole.number != 0; w++) {
		repetition->works[w].spoiled = repetition->whole.spoiled;
		check_host(&repetition->works[w]);
	}
}

static void run_program(const struct flow_setting *setting)
{
	static const uint32_t windows[] = { 16, 16, 32, 64, 1024, 1024 };

	program_window = windows[below(TAP_COUNT(windows))];
	if (!open_flow(setting, program_window))
		return;
	memset(repetitions, 0, sizeof(repetitions));
	for (int i = 0; i < DATA; i++)
		make_array(&arrays[i], (uint32_t)below(4));
	for (int part = 0; part < 3; part++) {
		for (int t = 0; t < TASKS; t++)
			step(&works[t]);
		if (one_in(3))
			(void)wait_task(0);
		for (int t = 0; t < TASKS; t++)
			check_work(&works[t]);
		for (int i = 0; i < REPETITIONS; i++)
			check_repetition(&repetitions[i]);
		for (int i = 0; i < DATA; i++) {
			read_now();
			map_now();
		}
	}
	if (before_end != NULL)
		before_end();
	for (int i = 0; i < DATA; i++)
		release_array(&arrays[i]);
	release_kernels();
	release_sums();
	close_flow();
}

static void run_rounds(uint64_t rounds)
{
	uint64_t seed = tap_seed();

	tap_brief();
	for (uint64_t r = 0; r < rounds && tap_failed() == 0; r++) {
		state = (seed + r) * UINT64_C(0x9e3779b97f4a7c15) | 1;
		NOTE("seed=%llu", (unsigned long long)(seed + r));
		if (before_program != NULL)
			before_program();
		run_program(&flow_settings[(seed + r) % FLOW_SETTINGS]);
	}
	tap_verbose();
}

/* `few`: rounds without an argument. */
static inline void run_programs(uint64_t few)
{
	const char *asked = tap_argument("rounds");

	run_rounds(asked != NULL ? strtoull(asked, NULL, 10) :
		   tap_soak() ? 100 * few : few);
}

#endif
