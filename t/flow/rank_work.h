/* SPDX-License-Identifier: MIT */
/* Random programs over ranks: their arrays, boxes and tasks, and the poison that the
 * interpreter predicts.  The program of a rank is in its `arg`. */
#ifndef T_RANK_WORK_H
#define T_RANK_WORK_H

#include "world/threads.h"

enum { ARRAYS = 4, N = 240, STEPS = 60, USES = 3, RANKS = 4,
       SUM_ITEMS = 12 };

/* Memory of the interpreter, and which elements are poison. */
struct array {
	plait_data *data;
	uint64_t *real;
	uint64_t extent[3];
	uint32_t dimensions;
	uint64_t model[N];
	bool poison[N];
};

struct use {
	struct array *array;
	plait_box box;
	uint32_t mode;
};

struct work {
	struct use uses[USES];
	uint32_t count;
	uint64_t seed;
	int32_t result;
	uint64_t identity, pieces; /* of a reduction */
	bool accumulates;
	uint64_t host[N];
	uint64_t expected[N];
	bool is_read; /* `host` is to be compared */
};

struct program {
	struct array arrays[ARRAYS];
	struct work works[STEPS];
	plait_flow *flow;
	plait_kernel *stencil, *sum, *join;
	uint64_t state;
	uint32_t wrong;
	uint32_t step;
	char text[400]; /* the first mistake */
};

static struct rank ranks[THREADS_MAX];
static struct program programs[THREADS_MAX];
static uint64_t seed_of_round;

static uint64_t below(struct program *program, uint64_t limit)
{
	program->state ^= program->state << 13;
	program->state ^= program->state >> 7;
	program->state ^= program->state << 17;
	return program->state % limit;
}

static void note(struct program *program, const char *what, const char *text)
{
	if (program->wrong++ == 0)
		snprintf(program->text, sizeof(program->text),
			 "step %u: %s: %s", program->step, what, text);
}

static bool did(struct rank *rank, const char *what, plait_status status)
{
	if (status != PLAIT_OK)
		note(rank->arg, what, rank->error.text);
	return status == PLAIT_OK;
}

/* ---- boxes ---- */

static plait_box random_box(struct program *program, const struct array *array)
{
	plait_box box = { { 0, 0, 0 }, { 1, 1, 1 } };

	for (uint32_t d = 0; d < array->dimensions; d++) {
		uint64_t a = below(program, array->extent[d]);
		uint64_t b = below(program, array->extent[d]);

		box.low[d] = a < b ? a : b;
		box.high[d] = (a < b ? b : a) + 1;
	}
	return box;
}

static uint64_t count_of(const plait_box *box)
{
	return (box->high[0] - box->low[0]) * (box->high[1] - box->low[1]) *
	       (box->high[2] - box->low[2]);
}

static uint64_t place(const struct array *array, const plait_box *box,
		      uint64_t i)
{
	uint64_t wide = box->high[0] - box->low[0];
	uint64_t tall = box->high[1] - box->low[1];
	uint64_t x = box->low[0] + i % wide;
	uint64_t y = box->low[1] + i / wide % tall;
	uint64_t z = box->low[2] + i / wide / tall;

	return x + array->extent[0] * (y + array->extent[1] * z);
}

static bool has_poison(const struct use *use)
{
	for (uint64_t i = 0; i < count_of(&use->box); i++)
		if (use->array->poison[place(use->array, &use->box, i)])
			return true;
	return false;
}

static void set_poison(const struct use *use, bool value)
{
	for (uint64_t i = 0; i < count_of(&use->box); i++)
		use->array->poison[place(use->array, &use->box, i)] = value;
}

static struct use random_use(struct program *program, uint32_t mode)
{
	struct use use = { &program->arrays[below(program, ARRAYS)],
			   { { 0 }, { 0 } }, mode };

	use.box = random_box(program, use.array);
	return use;
}

/* ---- tasks ---- */

static uint64_t mix(uint64_t one, uint64_t other)
{
	return (one ^ other) * UINT64_C(0x9e3779b97f4a7c15) + (one >> 29);
}

static void execute(const struct work *work, bool in_model)
{
	uint64_t sum = work->seed;

	for (uint32_t pass = PLAIT_ACCESS_READ; pass <= PLAIT_ACCESS_WRITE;
	     pass++)
		for (uint32_t u = 0; u < work->count; u++) {
			const struct use *use = &work->uses[u];
			uint64_t *memory = in_model ? use->array->model :
						      use->array->real;

			for (uint64_t i = 0; (use->mode & pass) != 0 &&
			     i < count_of(&use->box); i++) {
				uint64_t *at = &memory[place(use->array,
							     &use->box, i)];

				if (pass == PLAIT_ACCESS_READ)
					sum = mix(sum, *at);
				else
					*at = mix(sum, i);
			}
		}
}

static int32_t run_work(void *user_data)
{
	const struct work *work = user_data;

	if (work->result == 0)
		execute(work, false);
	return work->result;
}

/* Poison and cures; returns true if the task runs. */
static bool predict(const struct work *work)
{
	bool spoiled = work->result != 0;

	for (uint32_t u = 0; u < work->count; u++)
		spoiled |= (work->uses[u].mode & PLAIT_ACCESS_READ) != 0 &&
			   has_poison(&work->uses[u]);
	for (uint32_t u = 0; u < work->count; u++)
		if ((work->uses[u].mode & PLAIT_ACCESS_WRITE) != 0)
			set_poison(&work->uses[u], spoiled);
	return !spoiled;
}

#endif
