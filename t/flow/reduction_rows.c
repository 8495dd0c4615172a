/* SPDX-License-Identifier: MIT */
/* Reductions of launches of several elements, and several of one launch. */
#include "flows.h"

#include <string.h>

enum { N = 1000, BINS = 40, ROWS = 5 };

/* arguments: histogram, count, chunk */
static int32_t run_bins(void *const *arguments, const plait_launch *launch,
			void *user_data)
{
	uint32_t *bins = *(uint32_t *const *)arguments[0];
	uint64_t *count = *(uint64_t *const *)arguments[1];
	const plait_box *chunk = arguments[2];

	(void)launch;
	(void)user_data;
	for (uint64_t i = chunk->low[0]; i < chunk->high[0]; i++)
		bins[i * i % BINS]++;
	*count += chunk->high[0] - chunk->low[0];
	return 0;
}

static int32_t run_add32(void *const *arguments, const plait_launch *launch,
			 void *user_data)
{
	uint32_t *into = *(uint32_t *const *)arguments[0];
	const uint32_t *from = *(const uint32_t *const *)arguments[1];

	(void)user_data;
	for (uint64_t i = 0; i < launch->items[0]; i++)
		into[i] += from[i];
	return 0;
}

static int32_t run_add64(void *const *arguments, const plait_launch *launch,
			 void *user_data)
{
	(void)launch;
	(void)user_data;
	**(uint64_t *const *)arguments[0] +=
		**(const uint64_t *const *)arguments[1];
	return 0;
}

/* A row of a plane, and a number. */
static void histograms(void)
{
	const plait_box row = { { 0, 2, 0 }, { BINS, 3, 1 } };
	uint32_t expected[ROWS * BINS] = { 0 }, got[ROWS * BINS];
	uint64_t counted = 0;
	plait_data *plane, *part = NULL, *count;
	plait_kernel *bins, *add32, *add64;

	if (!open_flow(&flow_settings[4], 256))
		return;
	bins = new_function_kernel(run_bins, "bins(b: inout pointer u32, n: "
				   "inout pointer u64, c: struct chunk 48)");
	add32 = new_function_kernel(run_add32, "add(a: inout pointer u32, b: "
				    "in pointer u32, n: u64)");
	add64 = new_function_kernel(run_add64, "add(a: inout pointer u64, b: "
				    "in pointer u64, n: u64)");
	plane = new_data(2, BINS, ROWS, 0, 4, "plane");
	count = new_data(0, 0, 0, 0, 8, NULL);
	OK(plait_data_part(plane, &row, &part, NULL) == PLAIT_OK);
	for (int i = 0; i < 3; i++) {
		const plait_access to = {
			.size = sizeof(to), .mode = PLAIT_ACCESS_REDUCE,
			.data = part, .combine = add32,
			.flags = PLAIT_ACCESS_ACCUMULATE
		};
		const plait_access beside = {
			.size = sizeof(beside), .mode = PLAIT_ACCESS_REDUCE,
			.data = count, .combine = add64,
		};
		const plait_argument arguments[] = {
			PLAIT_ACCESS(&to), PLAIT_ACCESS(&beside), PLAIT_CHUNK()
		};
		const plait_task_desc desc = {
			.size = sizeof(desc), .kernel = bins,
			.launch = PLAIT_ITEMS(N), .arguments = arguments,
			.argument_count = 3, .split = 1, .pieces = 3 * i + 1,
		};

		OK_THAT(plait_flow_submit(flow, &desc, NULL,
					  &flow_rig.error) == PLAIT_OK, "%s",
			flow_rig.error.text);
		for (uint64_t k = 0; k < N; k++)
			expected[2 * BINS + k * k % BINS]++;
	}
	/* The part may be released while its partial results are used. */
	plait_data_release(part);
	OK(plait_data_read(plane, NULL, got, NULL) == PLAIT_OK);
	OK(memcmp(got, expected, sizeof(got)) == 0);
	OK(plait_data_read(count, NULL, &counted, NULL) == PLAIT_OK);
	IS_UINT(counted, N);
	plait_data_release(plane);
	plait_data_release(count);
	plait_kernel_release(bins);
	plait_kernel_release(add32);
	plait_kernel_release(add64);
	close_flow();
}

static const struct tap_scenario all[] = {
	{ "several reductions", histograms },
};

TAP_MAIN(all)
