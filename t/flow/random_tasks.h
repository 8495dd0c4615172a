/* SPDX-License-Identifier: MIT */
/* Tasks of random programs: functions, launches, copies, fills, reads and writes
 * of boxes, failures, barriers; and the interpreter's turn at each. */
#ifndef T_RANDOM_TASKS_H
#define T_RANDOM_TASKS_H

#include "random_arrays.h"

enum { ACCESSES = 4, TASKS = 60 };

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
	/* Of a reduction: its pieces, else 0. */
	uint32_t pieces;
	bool accumulates;
	uint64_t identity;
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

/* Read what is read, then write what is written, in a memory for each use. */
static void execute_in(const struct work *work, uint64_t *const *memories)
{
	uint64_t sum = work->seed;

	for (uint32_t u = 0; u < work->count; u++) {
		const struct use *use = &work->uses[u];
		const uint64_t *memory = memories[u];

		for (uint64_t i = 0; (use->mode & PLAIT_ACCESS_READ) != 0 &&
		     i < count_of(&use->box); i++)
			sum = mix(sum, memory[place(use->array, &use->box, i)]);
	}
	for (uint32_t u = 0; u < work->count; u++) {
		const struct use *use = &work->uses[u];
		uint64_t *memory = memories[u];

		for (uint64_t i = 0; (use->mode & PLAIT_ACCESS_WRITE) != 0 &&
		     i < count_of(&use->box); i++)
			memory[place(use->array, &use->box, i)] = mix(sum, i);
	}
}

static void execute(const struct work *work, bool in_model)
{
	uint64_t *memories[DATA];

	for (uint32_t u = 0; u < work->count; u++)
		memories[u] = in_model ? work->uses[u].array->model :
					 work->uses[u].array->real;
	execute_in(work, memories);
}

/* Called by each function and launch; null: nothing. */
static void (*before_work)(void);

static int32_t run_work(void *user_data)
{
	const struct work *work = user_data;

	if (before_work != NULL)
		before_work();
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

static void interpret_sum(const struct work *work);

/* Run a task in the interpreter's memory. */
static void interpret(struct work *work)
{
	if (work->pieces > 0)
		interpret_sum(work);
	else if (work->kind == PLAIT_TASK_CALL || work->kind == PLAIT_TASK_LAUNCH)
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

/* Called in place of a submission; null: nothing. */
static void (*keep_task)(const plait_task_desc *desc, struct work *work);

static void submit(const plait_task_desc *desc, struct work *work)
{
	work->kind = desc->kind;
	if (keep_task != NULL) {
		keep_task(desc, work);
		return;
	}
	if (!in_repetition && predict(work))
		interpret(work);
	/* Not the text of an expected failure. */
	flow_rig.error.text[0] = '\0';
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

/* ---- launches ---- */

/* A kernel for each combination of modes: a digit to base 4 for each use. */
static plait_kernel *kernels[1 << 2 * ACCESSES];

static int32_t run_launch(void *const *arguments, const plait_launch *launch,
			  void *user_data)
{
	const struct work *work = *(struct work *const *)arguments[0];
	uint64_t *memories[DATA];

	(void)launch;
	(void)user_data;
	if (before_work != NULL)
		before_work();
	for (uint32_t u = 0; u < work->count; u++)
		memories[u] = *(uint64_t *const *)arguments[1 + u];
	if (work->result == 0)
		execute_in(work, memories);
	return work->result;
}

static plait_kernel *kernel_for(const struct work *work)
{
	static const char *const modes[] = { "", "in", "out", "inout" };
	char signature[200] = "mix(work: u64";
	plait_kernel_desc desc = { .size = sizeof(desc),
				   .function = run_launch };
	uint32_t code = 0;

	for (uint32_t u = 0; u < work->count; u++) {
		size_t length = strlen(signature);

		code |= work->uses[u].mode << 2 * u;
		snprintf(signature + length, sizeof(signature) - length,
			 ", p%u: %s pointer u64", u,
			 modes[work->uses[u].mode]);
	}
	strcat(signature, ")");
	desc.signature = signature;
	if (kernels[code] == NULL)
		OK_THAT(plait_kernel_create(flow_rig.context, &desc,
					    &kernels[code], &flow_rig.error) ==
			PLAIT_OK, "%s: %s", signature, flow_rig.error.text);
	return kernels[code];
}

static void release_kernels(void)
{
	for (uint32_t i = 0; i < TAP_COUNT(kernels); i++) {
		plait_kernel_release(kernels[i]);
		kernels[i] = NULL;
	}
}

/* Of `count` arrays from the i-th on, those that fit in a memory of a device. */
static uint32_t count_fitting(uint64_t i, uint32_t count)
{
	uint64_t bytes = 0;

	for (uint32_t u = 0; u < count && flow_memory_bytes != 0; u++) {
		const uint64_t *extent = arrays[(i + u) % DATA].extent;

		bytes += 8 * extent[0] * extent[1] * extent[2];
		if (bytes > flow_memory_bytes)
			return u;
	}
	return count;
}

/* Random boxes of different arrays: a device may map a copy of each. */
static void add_launch(struct work *work)
{
	plait_access accesses[ACCESSES];
	plait_argument arguments[1 + ACCESSES];
	uint64_t first = below(DATA);
	plait_task_desc desc = {
		.size = sizeof(desc), .arguments = arguments, .label = "mix",
		.priority = (int32_t)below(3) - 1,
		.flags = one_in(20) ? PLAIT_TASK_BARRIER : 0,
	};

	work->count = count_fitting(first, 1 + (uint32_t)below(ACCESSES));
	work->seed = next_random();
	work->result = one_in(12) ? 7 : 0;
	arguments[0] = (plait_argument)PLAIT_VALUE(work);
	for (uint32_t u = 0; u < work->count; u++) {
		struct use *use = &work->uses[u];

		use->array = &arrays[(first + u) % DATA];
		use->box = random_box(use->array);
		use->mode = 1 + (uint32_t)below(3);
		accesses[u] = access_of(use->array->data, use->mode, &use->box);
		arguments[1 + u] = (plait_argument)PLAIT_ACCESS(&accesses[u]);
	}
	desc.argument_count = 1 + work->count;
	desc.kernel = kernel_for(work);
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

#endif
