/* SPDX-License-Identifier: MIT */
/* Reductions of random programs: launches, split or not, that add a number per
 * piece to all of an array, by an operation whose order matters. */
#ifndef T_RANDOM_SUMS_H
#define T_RANDOM_SUMS_H

#include "random_launches.h"

enum { SUM_ITEMS = 12 };

static plait_kernel *sum_kernel, *join_kernel;

/* Of the program's flow: a reduction may need more than a small one. */
static uint32_t program_window;

/* Neither commutative nor associative. */
static uint64_t join(uint64_t into, uint64_t from)
{
	return into * 3 + (from ^ into >> 7);
}

/* Add the part of a piece. */
static void add_part(const struct work *work, uint64_t *into, uint64_t count,
		     uint64_t low, uint64_t high)
{
	for (uint64_t i = 0; i < count; i++)
		into[i] = mix(into[i] + work->seed, low * 64 + high + i);
}

/* arguments: the work, the values, the chunk */
static int32_t run_sum(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	const struct work *work = *(struct work *const *)arguments[0];
	uint64_t *into = *(uint64_t *const *)arguments[1];
	const plait_box *chunk = arguments[2];

	(void)launch;
	(void)user_data;
	add_part(work, into, count_of(&work->uses[0].box), chunk->low[0],
		 chunk->high[0]);
	/* The piece with the last item fails. */
	return chunk->high[0] == SUM_ITEMS ? work->result : 0;
}

static int32_t run_join(void *const *arguments, const plait_launch *launch,
			void *user_data)
{
	uint64_t *into = *(uint64_t *const *)arguments[0];
	const uint64_t *from = *(const uint64_t *const *)arguments[1];

	(void)user_data;
	for (uint64_t i = 0; i < launch->items[0]; i++)
		into[i] = join(into[i], from[i]);
	return 0;
}

/* The interpreter: chunk after chunk. */
static void interpret_sum(const struct work *work)
{
	struct array *array = work->uses[0].array;
	uint64_t count = count_of(&work->uses[0].box), pieces = work->pieces;
	static uint64_t part[ELEMENTS];

	for (uint64_t i = 0; i < count && !work->accumulates; i++)
		array->model[i] = work->identity;
	if (pieces == 1) {
		add_part(work, array->model, count, 0, SUM_ITEMS);
		return;
	}
	for (uint64_t p = 0; p < pieces; p++) {
		for (uint64_t i = 0; i < count; i++)
			part[i] = work->identity;
		add_part(work, part, count, p * SUM_ITEMS / pieces,
			 (p + 1) * SUM_ITEMS / pieces);
		for (uint64_t i = 0; i < count; i++)
			array->model[i] = join(array->model[i], part[i]);
	}
}

static plait_kernel *sum_kernel_for(plait_kernel_function function,
				    const char *signature, plait_kernel **kept)
{
	const plait_kernel_desc desc = { .size = sizeof(desc),
					 .function = function,
					 .signature = signature };

	if (*kept == NULL)
		OK_THAT(plait_kernel_create(flow_rig.context, &desc, kept,
					    &flow_rig.error) == PLAIT_OK, "%s",
			flow_rig.error.text);
	return *kept;
}

static void release_sums(void)
{
	plait_kernel_release(sum_kernel);
	plait_kernel_release(join_kernel);
	sum_kernel = join_kernel = NULL;
}

static void add_sum(struct work *work)
{
	static const uint32_t pieces[] = { 1, 1, 2, 3, 4, 6, 12 };
	struct use *use = &work->uses[0];
	plait_access to = { .size = sizeof(to), .mode = PLAIT_ACCESS_REDUCE };
	plait_argument arguments[] = { PLAIT_VALUE(work), PLAIT_ACCESS(&to),
				       PLAIT_CHUNK() };
	plait_task_desc desc = {
		.size = sizeof(desc), .arguments = arguments, .label = "sum",
		.argument_count = 3, .launch = PLAIT_ITEMS(SUM_ITEMS),
		.priority = (int32_t)below(3) - 1,
	};

	if (program_window < 1024 && flow_devices == 0) {
		add_call(work);
		return;
	}
	use->array = &arrays[below(DATA)];
	for (int d = 0; d < 3; d++)
		use->box.high[d] = use->array->extent[d];
	work->count = 1;
	work->seed = next_random();
	work->identity = next_random();
	work->result = one_in(12) ? 7 : 0;
	work->accumulates = one_in(2);
	work->pieces = pieces[below(TAP_COUNT(pieces))];
	use->mode = work->accumulates ? PLAIT_ACCESS_READ_WRITE :
					PLAIT_ACCESS_WRITE;
	to.data = use->array->data;
	to.identity = work->identity;
	to.flags = work->accumulates ? PLAIT_ACCESS_ACCUMULATE : 0;
	to.combine = sum_kernel_for(run_join, "join(into: inout pointer u64, "
				    "from: in pointer u64, n: u64)",
				    &join_kernel);
	desc.kernel = sum_kernel_for(run_sum, "sum(work: u64, to: inout "
				     "pointer u64, c: struct chunk 48)",
				     &sum_kernel);
	desc.split = work->pieces > 1;
	desc.pieces = desc.split ? work->pieces : 0;
	submit(&desc, work);
}

#endif
