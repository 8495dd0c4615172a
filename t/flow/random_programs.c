/* SPDX-License-Identifier: MIT */
/*
 * Random programs against a sequential interpreter, bit by bit: functions,
 * copies, fills, reads and writes of boxes, failures, barriers, mappings and
 * host access, repeated repetitions.  The interpreter runs each task when it is
 * submitted, on memory of its own, and knows which elements are poisoned.
 */
#include "random_arrays.h"

enum { ACCESSES = 4, TASKS = 60, REPETITIONS = 3, LENGTH = 8, ROUNDS = 30 };

/* ---- tasks ---- */

struct use {
	struct array *array;
	plait_box box;
	uint32_t mode;
};

struct work {
	struct use uses[DATA];
	uint32_t count;
	uint32_t kind; /* PLAIT_TASK_... */
	uint64_t seed; /* a fill: its pattern */
	int32_t result;
	plait_task number;
	bool spoiled; /* it fails, or is not run */
	uint64_t host[ELEMENTS];
	uint64_t expected[ELEMENTS];
};

static struct work works[TASKS];

/* Tasks are submitted as a repetition: the interpreter runs them as a whole. */
static bool in_repetition;

static uint64_t mix(uint64_t one, uint64_t other)
{
	return (one ^ other) * UINT64_C(0x9e3779b97f4a7c15) + (one >> 29);
}

/* Read what is read, then write what is written, in one memory or the other. */
static void execute(const struct work *work, bool in_model)
{
	uint64_t sum = work->seed;

	for (uint32_t u = 0; u < work->count; u++) {
		const struct use *use = &work->uses[u];
		uint64_t *memory = in_model ? use->array->model :
					      use->array->real;

		for (uint64_t i = 0; (use->mode & PLAIT_ACCESS_READ) != 0 &&
		     i < count_of(&use->box); i++)
			sum = mix(sum, memory[place(use->array, &use->box, i)]);
	}
	for (uint32_t u = 0; u < work->count; u++) {
		const struct use *use = &work->uses[u];
		uint64_t *memory = in_model ? use->array->model :
					      use->array->real;

		for (uint64_t i = 0; (use->mode & PLAIT_ACCESS_WRITE) != 0 &&
		     i < count_of(&use->box); i++)
			memory[place(use->array, &use->box, i)] = mix(sum, i);
	}
}

static int32_t run_work(void *user_data)
{
	const struct work *work = user_data;

	if (work->result == 0)
		execute(work, false);
	return work->result;
}

/* The interpreter's turn: poison and cures; returns true if it runs. */
static bool predict(struct work *work)
{
	work->spoiled = work->result != 0;
	for (uint32_t u = 0; u < work->count; u++)
		if ((work->uses[u].mode & PLAIT_ACCESS_READ) != 0 &&
		    has_poison(work->uses[u].array, &work->uses[u].box))
			work->spoiled = true;
	for (uint32_t u = 0; u < work->count; u++)
		if ((work->uses[u].mode & PLAIT_ACCESS_WRITE) != 0)
			set_poison(work->uses[u].array, &work->uses[u].box,
				   work->spoiled);
	return !work->spoiled;
}

static void interpret_boxes(struct work *work)
{
	const struct use *to = &work->uses[work->count - 1];
	const struct use *from = &work->uses[0];

	for (uint64_t i = 0; i < count_of(&to->box); i++) {
		uint64_t *at = &to->array->model[place(to->array, &to->box,
						       i)];

		if (work->kind == PLAIT_TASK_FILL)
			*at = work->seed;
		else if (work->kind == PLAIT_TASK_WRITE)
			*at = work->host[i];
		else if (work->kind == PLAIT_TASK_READ)
			work->expected[i] = *at;
		else
			*at = from->array->model[place(from->array, &from->box,
						       i)];
	}
}

/* Run a task in the interpreter's memory. */
static void interpret(struct work *work)
{
	if (work->kind == PLAIT_TASK_CALL)
		execute(work, true);
	else
		interpret_boxes(work);
}

/* Name a use: by its box, or as a box of a part. */
static plait_access name_use(struct use *use, plait_box *box)
{
	struct array *array = use->array;
	plait_access access = access_of(array->data, use->mode, &use->box);

	for (int p = 0; p < PARTS; p++) {
		const plait_box *part = &array->part_boxes[p];
		bool inside = true;

		for (int d = 0; d < 3; d++)
			inside &= use->box.low[d] >= part->low[d] &&
				  use->box.high[d] <= part->high[d];
		if (!inside || one_in(2))
			continue;
		for (int d = 0; d < 3; d++) {
			box->low[d] = use->box.low[d] - part->low[d];
			box->high[d] = use->box.high[d] - part->low[d];
		}
		return access_of(array->parts[p], use->mode, box);
	}
	return access;
}

static void submit(const plait_task_desc *desc, struct work *work)
{
	work->kind = desc->kind;
	if (!in_repetition && predict(work))
		interpret(work);
	OK_THAT(plait_flow_submit(flow, desc, &work->number,
				  &flow_rig.error) == PLAIT_OK,
		"submit: %s", flow_rig.error.text);
}

static void add_call(struct work *work)
{
	plait_access accesses[ACCESSES];
	plait_box boxes[ACCESSES];
	plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
		.function = run_work, .user_data = work, .label = "work",
		.accesses = accesses, .priority = (int32_t)below(3) - 1,
		.flags = one_in(20) ? PLAIT_TASK_BARRIER : 0,
	};

	work->count = (uint32_t)below(ACCESSES + 1);
	work->seed = next_random();
	work->result = one_in(12) ? 7 : 0;
	for (uint32_t u = 0; u < work->count; u++) {
		struct use *use = &work->uses[u];

		use->array = &arrays[below(DATA)];
		use->box = random_box(use->array);
		use->mode = 1 + (uint32_t)below(3);
		accesses[u] = name_use(use, &boxes[u]);
	}
	desc.access_count = work->count;
	submit(&desc, work);
}

static void add_fill(struct work *work)
{
	struct use *use = &work->uses[0];
	plait_task_desc desc = { .size = sizeof(desc), .kind = PLAIT_TASK_FILL,
				 .pattern = next_random() };

	work->seed = desc.pattern;

	*use = (struct use){ &arrays[below(DATA)], unit, PLAIT_ACCESS_WRITE };
	use->box = random_box(use->array);
	work->count = 1;
	desc.target = use->array->data;
	desc.target_box = &use->box;
	submit(&desc, work);
}

/* Copy between two arrays, a box that both have. */
static void add_copy(struct work *work)
{
	struct use *from = &work->uses[0], *to = &work->uses[1];
	plait_task_desc desc = { .size = sizeof(desc),
				 .kind = PLAIT_TASK_COPY };
	uint64_t source = below(DATA);

	*from = (struct use){ &arrays[source], unit, PLAIT_ACCESS_READ };
	*to = (struct use){ &arrays[(source + 1) % DATA], unit,
			    PLAIT_ACCESS_WRITE };
	for (int d = 0; d < 3; d++) {
		uint64_t a = from->array->extent[d], b = to->array->extent[d];
		uint64_t size = 1 + below(a < b ? a : b);

		from->box.low[d] = below(a - size + 1);
		from->box.high[d] = from->box.low[d] + size;
		to->box.low[d] = below(b - size + 1);
		to->box.high[d] = to->box.low[d] + size;
	}
	work->count = 2;
	desc.source = from->array->data;
	desc.source_box = &from->box;
	desc.target = to->array->data;
	desc.target_box = &to->box;
	submit(&desc, work);
}

static void add_transfer(struct work *work, bool reads)
{
	struct use *use = &work->uses[0];
	plait_task_desc desc = {
		.size = sizeof(desc), .host = work->host,
		.kind = reads ? PLAIT_TASK_READ : PLAIT_TASK_WRITE,
	};

	*use = (struct use){ &arrays[below(DATA)], unit,
			     reads ? PLAIT_ACCESS_READ : PLAIT_ACCESS_WRITE };
	use->box = random_box(use->array);
	work->count = 1;
	if (reads) {
		desc.source = use->array->data;
		desc.source_box = &use->box;
	} else {
		desc.target = use->array->data;
		desc.target_box = &use->box;
	}
	for (uint64_t i = 0; !reads && i < count_of(&use->box); i++)
		work->host[i] = next_random();
	submit(&desc, work);
}

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
	*out = (struct use){ array, unit, 0 };
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

static void predict_repetition(struct repetition *repetition)
{
	struct work *whole = &repetition->whole;

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

static void check_work(struct work *work)
{
	plait_flow_info info = { .size = sizeof(info) };
	plait_status status;

	if (work->number == 0)
		return;
	OK(plait_flow_query(flow, &info, NULL) == PLAIT_OK);
	status = plait_flow_wait(flow, work->number, PLAIT_FOREVER,
				 &flow_rig.error);
	/* Failures that are older than the window may be forgotten. */
	if (status != PLAIT_OK || work->number + info.window > info.newest)
		OK_THAT(status == (work->spoiled ? PLAIT_E_FAILED : PLAIT_OK),
			"task %llu of %llu, window %u, %s ends with %d",
			(unsigned long long)work->number,
			(unsigned long long)info.newest, info.window,
			work->spoiled ? "spoiled," : "", status);
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
	switch (below(10)) {
	case 0: add_fill(work); break;
	case 1: add_copy(work); break;
	case 2: add_transfer(work, true); break;
	case 3: add_transfer(work, false); break;
	default: add_call(work); break;
	}
}

static void step(struct work *work)
{
	work->number = 0;
	switch (below(12)) {
	case 0: read_now(); break;
	case 1: one_in(2) ? write_now() : map_now(); break;
	case 2: repeat(); break;
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
	static const uint32_t windows[] = { 16, 16, 32, 64, 1024 };

	if (!open_flow(setting, windows[below(TAP_COUNT(windows))]))
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
	for (int i = 0; i < DATA; i++)
		release_array(&arrays[i]);
	close_flow();
}

static void programs(void)
{
	uint64_t seed = tap_seed();
	const char *asked = tap_argument("rounds");
	uint64_t rounds = asked != NULL ? strtoull(asked, NULL, 10) :
			  tap_soak() ? 100 * ROUNDS : ROUNDS;

	for (uint64_t r = 0; r < rounds && tap_failed() == 0; r++) {
		state = (seed + r) * UINT64_C(0x9e3779b97f4a7c15) | 1;
		NOTE("seed=%llu", (unsigned long long)(seed + r));
		run_program(&flow_settings[r % FLOW_SETTINGS]);
	}
}

static const struct tap_scenario all[] = {
	{ "programs", programs },
};

TAP_MAIN(all)
