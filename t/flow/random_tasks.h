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
	/* Of a launch: it gets an array in coordinates of `origin`, else a
	 * pointer. */
	bool is_array;
	uint64_t origin[3];
};

/* The memory of a use: element (x, y, z) is `x + y * pitch + z * slice` elements
 * behind the first one, of `use->origin`. */
struct view {
	uint64_t *first;
	uint64_t pitch;
	uint64_t slice;
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

static struct view view_of(const struct array *array, uint64_t *memory)
{
	return (struct view){ memory, array->extent[0],
			      array->extent[0] * array->extent[1] };
}

/* Element i of the box of a use. */
static uint64_t *element(const struct use *use, const struct view *view,
			 uint64_t i)
{
	const plait_box *box = &use->box;
	uint64_t wide = box->high[0] - box->low[0];
	uint64_t tall = box->high[1] - box->low[1];

	return view->first +
	       (int64_t)(box->low[0] + i % wide - use->origin[0] +
			 (box->low[1] + i / wide % tall - use->origin[1]) *
				 view->pitch +
			 (box->low[2] + i / wide / tall - use->origin[2]) *
				 view->slice);
}

/* Read what is read, then write what is written, in a memory for each use. */
static void execute_in(const struct work *work, const struct view *views)
{
	uint64_t sum = work->seed;

	for (uint32_t u = 0; u < work->count; u++) {
		const struct use *use = &work->uses[u];

		for (uint64_t i = 0; (use->mode & PLAIT_ACCESS_READ) != 0 &&
		     i < count_of(&use->box); i++)
			sum = mix(sum, *element(use, &views[u], i));
	}
	for (uint32_t u = 0; u < work->count; u++) {
		const struct use *use = &work->uses[u];

		for (uint64_t i = 0; (use->mode & PLAIT_ACCESS_WRITE) != 0 &&
		     i < count_of(&use->box); i++)
			*element(use, &views[u], i) = mix(sum, i);
	}
}

static void execute(const struct work *work, bool in_model)
{
	struct view views[DATA];

	for (uint32_t u = 0; u < work->count; u++) {
		const struct use *use = &work->uses[u];
		struct array *array = use->array;
		const plait_box origin = { { use->origin[0], use->origin[1],
					     use->origin[2] },
					   { use->origin[0] + 1,
					     use->origin[1] + 1,
					     use->origin[2] + 1 } };

		views[u] = view_of(array, in_model ? array->model :
						     array->real);
		views[u].first += place(array, &origin, 0);
	}
	execute_in(work, views);
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

		*use = (struct use){ .array = &arrays[below(DATA)] };
		use->box = random_box(use->array);
		use->mode = 1 + (uint32_t)below(3);
		accesses[u] = name_use(use, &boxes[u]);
	}
	desc.access_count = work->count;
	submit(&desc, work);
}

/* ---- copies and fills ---- */

static void add_fill(struct work *work)
{
	struct use *use = &work->uses[0];
	plait_task_desc desc = { .size = sizeof(desc), .kind = PLAIT_TASK_FILL,
				 .pattern = next_random() };

	work->seed = desc.pattern;

	*use = (struct use){ .array = &arrays[below(DATA)], .box = unit,
			     .mode = PLAIT_ACCESS_WRITE };
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

	*from = (struct use){ .array = &arrays[source], .box = unit,
			      .mode = PLAIT_ACCESS_READ };
	*to = (struct use){ .array = &arrays[(source + 1) % DATA], .box = unit,
			    .mode = PLAIT_ACCESS_WRITE };
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

	*use = (struct use){ .array = &arrays[below(DATA)], .box = unit,
			     .mode = reads ? PLAIT_ACCESS_READ :
					     PLAIT_ACCESS_WRITE };
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
