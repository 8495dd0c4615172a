/* SPDX-License-Identifier: MIT */
/* Launches of random programs: pointers, and arrays in coordinates of data or of
 * parts. */
#ifndef T_RANDOM_LAUNCHES_H
#define T_RANDOM_LAUNCHES_H

#include "random_tasks.h"

/* A kernel for each combination of modes and kinds: a digit to base 8 for each use. */
static plait_kernel *kernels[1 << 3 * ACCESSES];

/* An array has three numbers behind its pointer. */
static struct view take_view(const struct use *use, void *const **arguments)
{
	struct view view = view_of(use->array,
				   *(uint64_t *const *)(*arguments)[0]);

	if (use->is_array) {
		view.first += *(const int64_t *)(*arguments)[1];
		view.pitch = *(const uint64_t *)(*arguments)[2];
		view.slice = *(const uint64_t *)(*arguments)[3];
	}
	*arguments += use->is_array ? 4 : 1;
	return view;
}

static int32_t run_launch(void *const *arguments, const plait_launch *launch,
			  void *user_data)
{
	const struct work *work = *(struct work *const *)arguments[0];
	struct view views[DATA];

	(void)launch;
	(void)user_data;
	if (before_work != NULL)
		before_work();
	arguments++;
	for (uint32_t u = 0; u < work->count; u++)
		views[u] = take_view(&work->uses[u], &arguments);
	if (work->result == 0)
		execute_in(work, views);
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
		const struct use *use = &work->uses[u];
		size_t length = strlen(signature);

		code |= (use->mode | (use->is_array ? 4u : 0)) << 3 * u;
		snprintf(signature + length, sizeof(signature) - length,
			 ", p%u: %s %s u64", u, modes[use->mode],
			 use->is_array ? "array3" : "pointer");
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

/* Bytes that the use needs in the memory of a device: of an array its box. */
static uint64_t needed_by(const struct use *use)
{
	const uint64_t *extent = use->array->extent;

	return 8 * (use->is_array ? count_of(&use->box) :
				    extent[0] * extent[1] * extent[2]);
}

/* Choose a random box, and a pointer or an array. */
static void draw_use(struct use *use, struct array *array)
{
	*use = (struct use){ .array = array, .box = random_box(array) };
	use->mode = 1 + (uint32_t)below(3);
	use->is_array = array->is_array || one_in(2);
}

/* Name the use: of an array also by a part, from which its coordinates count. */
static plait_access name_argument(struct use *use, plait_box *box)
{
	plait_access access = access_of(use->array->data, use->mode,
					&use->box);

	if (!use->is_array)
		return access;
	access = name_use(use, box);
	for (int d = 0; d < 3; d++)
		use->origin[d] = use->box.low[d] - access.box->low[d];
	return access;
}

/* Random boxes of different arrays: a device may map a copy of each.  They fit in
 * the memory of a device. */
static void add_launch(struct work *work)
{
	plait_access accesses[ACCESSES];
	plait_box boxes[ACCESSES];
	plait_argument arguments[1 + ACCESSES];
	uint64_t first = below(DATA), bytes = 0;
	const uint32_t most = 1 + (uint32_t)below(ACCESSES);
	plait_task_desc desc = {
		.size = sizeof(desc), .arguments = arguments, .label = "mix",
		.priority = (int32_t)below(3) - 1,
		.flags = one_in(20) ? PLAIT_TASK_BARRIER : 0,
	};

	work->seed = next_random();
	work->result = one_in(12) ? 7 : 0;
	arguments[0] = (plait_argument)PLAIT_VALUE(work);
	for (uint32_t u = 0; u < most; u++) {
		struct use *use = &work->uses[u];

		draw_use(use, &arrays[(first + u) % DATA]);
		bytes += needed_by(use);
		if (flow_memory_bytes != 0 && bytes > flow_memory_bytes)
			break;
		accesses[u] = name_argument(use, &boxes[u]);
		arguments[1 + u] = (plait_argument)PLAIT_ACCESS(&accesses[u]);
		work->count = u + 1;
	}
	desc.argument_count = 1 + work->count;
	desc.kernel = kernel_for(work);
	submit(&desc, work);
}

#endif
