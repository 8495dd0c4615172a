/* SPDX-License-Identifier: MIT */
/* Reductions of launches: values, order of the partial results, failures, captures,
 * repetitions, bad input.  Several of one launch: reduction_rows.c. */
#include "flows.h"

#include <string.h>

enum { N = 1000 };

static plait_kernel *sum, *add;
static plait_data *numbers, *total;
static float values[N];

/* ---- kernels ---- */

/* arguments: values, total, chunk */
static int32_t run_sum(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	const float *from = *(const float *const *)arguments[0];
	float *to = *(float *const *)arguments[1];
	const plait_box *chunk = arguments[2];

	(void)launch;
	(void)user_data;
	for (uint64_t i = chunk->low[0]; i < chunk->high[0]; i++)
		*to += from[i];
	return chunk->low[0] == 0 && from[0] < 0 ? 5 : 0;
}

static int32_t add_result;

static int32_t run_add(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	float *into = *(float *const *)arguments[0];
	const float *from = *(const float *const *)arguments[1];
	uint64_t n = *(const uint64_t *)arguments[2];

	(void)user_data;
	for (uint64_t i = 0; i < n; i++)
		into[i] += from[i];
	return launch->items[0] == n ? add_result : 99;
}

static const char sum_signature[] = "sum(from: in pointer f32, to: inout "
				    "pointer f32, c: struct chunk 48)";
static const char add_signature[] = "add(into: inout pointer f32, from: in "
				    "pointer f32, n: u64)";

static bool begin(const struct flow_setting *setting)
{
	if (!open_flow(setting, 256))
		return false;
	sum = new_function_kernel(run_sum, sum_signature);
	add = new_function_kernel(run_add, add_signature);
	numbers = new_data(1, N, 0, 0, 4, "numbers");
	total = new_data(0, 0, 0, 0, 4, "total");
	for (int i = 0; i < N; i++)
		values[i] = (float)(i * i % 977) / 7;
	OK(plait_data_write(numbers, NULL, values, &flow_rig.error) ==
	   PLAIT_OK);
	add_result = 0;
	return true;
}

static void end(void)
{
	plait_kernel_release(sum);
	plait_kernel_release(add);
	plait_data_release(numbers);
	plait_data_release(total);
	close_flow();
}

/* ---- one task ---- */

static float identity;

static plait_access reduce_to(plait_data *data, uint32_t flags)
{
	plait_access access = { .size = sizeof(access), .data = data,
				.mode = PLAIT_ACCESS_REDUCE, .combine = add,
				.flags = flags };

	memcpy(&access.identity, &identity, sizeof(identity));
	return access;
}

static plait_status submit_sum(uint32_t pieces, uint32_t flags,
			       plait_task *out)
{
	const plait_access to = reduce_to(total, flags);
	const plait_argument arguments[] = { PLAIT_DATA(numbers),
					     PLAIT_ACCESS(&to), PLAIT_CHUNK() };
	const plait_task_desc desc = {
		.size = sizeof(desc), .kernel = sum, .label = "sum",
		.launch = PLAIT_ITEMS(N), .arguments = arguments,
		.argument_count = 3, .split = pieces != 0, .pieces = pieces,
	};

	return plait_flow_submit(flow, &desc, out, &flow_rig.error);
}

/* The value of the total behind a task, which was `was` before it. */
static float model(uint32_t pieces, uint32_t flags, float was)
{
	float into = (flags & PLAIT_ACCESS_ACCUMULATE) != 0 ? was : identity;

	if (pieces <= 1) {
		for (int i = 0; i < N; i++)
			into += values[i];
		return into;
	}
	for (uint32_t p = 0; p < pieces; p++) {
		float part = identity;

		for (uint32_t i = p * N / pieces; i < (p + 1) * N / pieces; i++)
			part += values[i];
		into += part;
	}
	return into;
}

static void check_total(float expected)
{
	float got = -1;

	OK_THAT(plait_data_read(total, NULL, &got, &flow_rig.error) ==
		PLAIT_OK, "%s", flow_rig.error.text);
	OK_THAT(memcmp(&got, &expected, sizeof(got)) == 0, "%a is %a",
		(double)got, (double)expected);
}

static void sums(void)
{
	static const uint32_t pieces[] = { 0, 1, 2, 4, 5, 8 };

	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		float is = 3;

		if (!begin(&flow_settings[s]))
			continue;
		identity = 0.5f;
		OK(plait_data_write(total, NULL, &is, NULL) == PLAIT_OK);
		for (size_t i = 0; i < 4 * TAP_COUNT(pieces); i++) {
			uint32_t count = pieces[i % TAP_COUNT(pieces)];
			uint32_t flags = i % 3 == 0 ? PLAIT_ACCESS_ACCUMULATE :
						      0;

			if (count == 8 && N % 8 != 0)
				continue;
			OK_THAT(submit_sum(count, flags, NULL) == PLAIT_OK,
				"%s", flow_rig.error.text);
			is = model(count, flags, is);
			if (i % 2 == 0)
				check_total(is);
		}
		check_total(is);
		end();
	}
}

/* ---- failures ---- */

static void poison(void)
{
	float bad = -1, good = 1;

	for (size_t s = 0; s < FLOW_SETTINGS; s++)
		for (uint32_t pieces = 0; pieces < 5; pieces += 4) {
			plait_task task = 0;
			float got;

			if (!begin(&flow_settings[s]))
				continue;
			identity = 0;
			OK(plait_data_write(numbers, &(plait_box){
				{ 0, 0, 0 }, { 1, 1, 1 } }, &bad, NULL) ==
			   PLAIT_OK);
			OK(submit_sum(pieces, 0, &task) == PLAIT_OK);
			IS_INT(wait_task(task), PLAIT_E_FAILED);
			IS_INT(flow_rig.error.origin, 5);
			IS_INT(plait_data_read(total, NULL, &got, NULL),
			       PLAIT_E_FAILED);
			/* An accumulation reads the poison; an overwrite cures it. */
			values[0] = good;
			OK(plait_data_write(numbers, &(plait_box){
				{ 0, 0, 0 }, { 1, 1, 1 } }, &good, NULL) ==
			   PLAIT_OK);
			OK(submit_sum(pieces, PLAIT_ACCESS_ACCUMULATE, &task) ==
			   PLAIT_OK);
			IS_INT(wait_task(task), PLAIT_E_FAILED);
			OK(submit_sum(pieces, 0, &task) == PLAIT_OK);
			IS_INT(wait_task(task), PLAIT_OK);
			check_total(model(pieces, 0, 0));
			end();
		}
}

static void bad_combine(void)
{
	plait_task task = 0;
	float got;

	if (!begin(&flow_settings[3]))
		return;
	identity = 0;
	add_result = 6;
	OK(submit_sum(4, 0, &task) == PLAIT_OK);
	IS_INT(wait_task(task), PLAIT_E_FAILED);
	IS_INT(flow_rig.error.origin, 6);
	IS_INT(plait_data_read(total, NULL, &got, NULL), PLAIT_E_FAILED);
	add_result = 0;
	OK(submit_sum(4, 0, &task) == PLAIT_OK);
	IS_INT(wait_task(task), PLAIT_OK);
	check_total(model(4, 0, 0));
	end();
}

/* ---- graphs ---- */

static void repetitions(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++)
		for (uint32_t pieces = 0; pieces < 5; pieces += 4) {
			float is = 2;

			if (!begin(&flow_settings[s]))
				continue;
			identity = 0.25f;
			OK(plait_data_write(total, NULL, &is, NULL) ==
			   PLAIT_OK);
			for (int i = 0; i < 5; i++) {
				plait_task task = 0;

				OK(plait_flow_repeat(flow, 1, &task, NULL) ==
				   PLAIT_OK);
				is = model(pieces, 0, is);
				is = model(pieces, PLAIT_ACCESS_ACCUMULATE, is);
				if (task != 0)
					continue;
				OK(submit_sum(pieces, 0, NULL) == PLAIT_OK);
				OK_THAT(submit_sum(pieces,
						   PLAIT_ACCESS_ACCUMULATE,
						   NULL) == PLAIT_OK, "%s",
					flow_rig.error.text);
				OK_THAT(plait_flow_repeat(flow, 0, NULL,
							  &flow_rig.error) ==
					PLAIT_OK, "%s", flow_rig.error.text);
			}
			check_total(is);
			/* Tasks of the flow beside the repetition. */
			OK(submit_sum(4, 0, NULL) == PLAIT_OK);
			check_total(model(4, 0, 0));
			end();
		}
}

static void write_first(float value)
{
	const plait_box first = { { 0, 0, 0 }, { 1, 1, 1 } };

	OK(plait_data_write(numbers, &first, &value, NULL) == PLAIT_OK);
}

/* Sums in 2 and 4 pieces: their partial results leave a gap between them. */
static void cure_repetition(const struct flow_setting *setting)
{
	plait_task task = 0;

	if (!begin(setting))
		return;
	OK(submit_sum(4, 0, NULL) == PLAIT_OK);
	OK(submit_sum(4, 0, NULL) == PLAIT_OK);
	for (int run = 0; run < 3; run++) {
		write_first(run == 1 ? -1 : values[0]);
		OK(plait_flow_repeat(flow, 1, &task, NULL) == PLAIT_OK);
		if (task == 0) {
			OK(submit_sum(2, 0, NULL) == PLAIT_OK);
			OK(submit_sum(4, 0, NULL) == PLAIT_OK);
			OK(plait_flow_repeat(flow, 0, &task, NULL) == PLAIT_OK);
		}
		IS_INT(wait_task(task), run == 1 ? PLAIT_E_FAILED : PLAIT_OK);
	}
	check_total(model(4, 0, 0));
	end();
}

static void cured_repetitions(void)
{
	identity = 0.25f;
	for (size_t s = 0; s < FLOW_SETTINGS; s++)
		cure_repetition(&flow_settings[s]);
}

/* ---- the record ---- */

static void record(void)
{
	static const char expected[] =
		"task 2 \"sum\": identity, lane 1\n"
		"	writes total.partials [0, 2)\n"
		"task 3 \"sum\": launch, piece 0 of 2, lane 1\n"
		"	reads numbers\n"
		"	updates total.partials [0, 1)\n";
	const plait_flow_desc desc = { .size = sizeof(desc), .lanes = 2,
				       .flags = PLAIT_FLOW_STRICT };
	plait_flow *other = NULL, *kept = flow;
	char text[4000] = "";
	uint64_t bytes = 0;

	if (!begin(&flow_settings[0]))
		return;
	plait_data_release(numbers);
	plait_data_release(total);
	kept = flow;
	OK(plait_flow_create(flow_rig.context, &desc, &other, NULL) ==
	   PLAIT_OK);
	flow = other;
	numbers = new_data(1, N, 0, 0, 4, "numbers");
	total = new_data(0, 0, 0, 0, 4, "total");
	identity = 0;
	OK(plait_data_write(numbers, NULL, values, NULL) == PLAIT_OK);
	IS_INT(submit_sum(2, PLAIT_ACCESS_ACCUMULATE, NULL), PLAIT_E_INVALID);
	OK_THAT(strstr(flow_rig.error.text, "reads total") !=
		NULL, "%s", flow_rig.error.text);
	OK_THAT(submit_sum(2, 0, NULL) == PLAIT_OK, "%s", flow_rig.error.text);
	OK_THAT(submit_sum(0, 0, NULL) == PLAIT_OK, "%s", flow_rig.error.text);
	OK(plait_flow_write(flow, PLAIT_FLOW_TEXT, text, sizeof(text) - 1,
			    &bytes, &flow_rig.error) == PLAIT_OK);
	OK_THAT(strstr(text, expected) != NULL, "%s", text);
	OK_THAT(strstr(text, "task 5 \"sum\": combine") != NULL, "%s", text);
	plait_flow_release(other);
	flow = kept;
	end();
}

/* ---- bad input ---- */

static void refuse(const plait_access *access, plait_kernel *kernel,
		   plait_status expected, const char *text)
{
	const plait_argument arguments[] = { PLAIT_DATA(numbers),
					     PLAIT_ACCESS(access),
					     PLAIT_CHUNK() };
	const plait_task_desc desc = {
		.size = sizeof(desc), .kernel = kernel,
		.launch = PLAIT_ITEMS(N), .arguments = arguments,
		.argument_count = 3, .split = 1, .pieces = 2,
	};
	plait_flow_info before = { .size = sizeof(before) };
	plait_flow_info after = { .size = sizeof(after) };

	OK(plait_flow_query(flow, &before, NULL) == PLAIT_OK);
	IS_INT(plait_flow_submit(flow, &desc, NULL, &flow_rig.error), expected);
	OK_THAT(strstr(flow_rig.error.text, text) != NULL, "%s: %s", text,
		flow_rig.error.text);
	OK(plait_flow_query(flow, &after, NULL) == PLAIT_OK);
	IS_UINT(after.newest, before.newest);
}

/* Kernels that are not of the form. */
static void bad_kernels(void)
{
	static const char *const forms[] = {
		"add(into: inout pointer f32, from: in pointer f32)",
		"add(into: inout pointer f32, from: in pointer f32, n: u32)",
		"add(into: in pointer f32, from: in pointer f32, n: u64)",
		"add(into: out pointer f32, from: in pointer f32, n: u64)",
		"add(into: inout pointer f32, from: pointer f32, n: u64)",
		"add(into: inout pointer f32, from: in pointer u32, n: u64)",
		"add(into: inout pointer f64, from: in pointer f64, n: u64)",
		"add(into: f32, from: in pointer f32, n: u64)",
	};
	plait_access to = reduce_to(total, 0);

	for (size_t i = 0; i < TAP_COUNT(forms); i++) {
		to.combine = new_function_kernel(run_add, forms[i]);
		refuse(&to, sum, PLAIT_E_INVALID, "is not of the form");
		plait_kernel_release(to.combine);
	}
	to.combine = new_function_kernel(run_add, "add(into: inout pointer u32, from: "
				"in pointer u32, n: u64)");
	refuse(&to, sum, PLAIT_E_INVALID, "is for u32, but the kernel has f32");
	plait_kernel_release(to.combine);
	refuse(&to, sum, PLAIT_E_HANDLE, "combine: ");
	to.combine = NULL;
	refuse(&to, sum, PLAIT_E_HANDLE, "combine: ");
	to = reduce_to(total, 0);
	to.combine = new_function_kernel(run_sum, "sum(from: in pointer f32, to: in "
				"pointer f32, c: struct chunk 48)");
	plait_access right = reduce_to(total, 0);
	refuse(&right, to.combine, PLAIT_E_INVALID, "only reads it");
	plait_kernel_release(to.combine);
}

static void bad_data(void)
{
	const plait_box box = { { 0, 0, 0 }, { 1, 1, 1 } };
	const plait_box column = { { 0, 0, 0 }, { 1, 5, 1 } };
	const plait_mapper all = { .size = sizeof(all) };
	plait_data *token = new_data(0, 0, 0, 0, 0, "token");
	plait_data *wide = new_data(1, 4, 0, 0, 16, "wide");
	plait_data *plane = new_data(2, 5, 5, 0, 4, "plane"), *part = NULL;
	plait_access to = reduce_to(total, 2);

	refuse(&to, sum, PLAIT_E_INVALID, "flags 0x2 are unknown; known is "
	       "PLAIT_ACCESS_ACCUMULATE");
	to = reduce_to(total, 0);
	to.box = &box;
	refuse(&to, sum, PLAIT_E_INVALID, "without a box");
	to.box = NULL;
	to.mapper = &all;
	refuse(&to, sum, PLAIT_E_INVALID, "without a box");
	to = reduce_to(token, 0);
	refuse(&to, sum, PLAIT_E_INVALID, "a token has no elements");
	to = reduce_to(wide, 0);
	refuse(&to, sum, PLAIT_E_INVALID, "elements of 16 bytes");
	OK(plait_data_part(plane, &column, &part, NULL) == PLAIT_OK);
	to = reduce_to(part, 0);
	refuse(&to, sum, PLAIT_E_INVALID, "has gaps");
	to = reduce_to(numbers, 0);
	refuse(&to, sum, PLAIT_E_INVALID, "beside its reduction");
	to = reduce_to(NULL, 0);
	refuse(&to, sum, PLAIT_E_HANDLE, "data handle is null");
	to = reduce_to(total, 0);
	to.mode = PLAIT_ACCESS_READ_WRITE;
	refuse(&to, sum, PLAIT_E_INVALID, "combine is set");
	to.combine = NULL;
	to.flags = 1;
	refuse(&to, sum, PLAIT_E_INVALID, "flags is set");
	plait_data_release(token);
	plait_data_release(wide);
	plait_data_release(part);
	plait_data_release(plane);
}

static int32_t run_none(void *arg)
{
	(void)arg;
	return 0;
}

static void bad_input(void)
{
	plait_access to;
	plait_task_desc call = { .size = sizeof(call),
				 .kind = PLAIT_TASK_CALL, .accesses = &to,
				 .access_count = 1, .function = run_none };

	if (!begin(&flow_settings[0]))
		return;
	bad_kernels();
	bad_data();
	to = reduce_to(total, 0);
	IS_INT(plait_flow_submit(flow, &call, NULL, &flow_rig.error),
	       PLAIT_E_INVALID);
	OK_THAT(strstr(flow_rig.error.text, "arguments of launches") != NULL,
		"%s", flow_rig.error.text);
	/* More pieces than a window has room for. */
	IS_INT(submit_sum(255, 0, NULL), PLAIT_E_INVALID);
	OK(submit_sum(2, 0, NULL) == PLAIT_OK);
	check_total(model(2, 0, 0));
	end();
}

/* The data has no partial results when the array comes. */
static void arrays(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		if (!begin(&flow_settings[s]))
			continue;
		identity = 0;
		const plait_access sums_to = reduce_to(
			total, PLAIT_ACCESS_ACCUMULATE);
		const plait_argument arguments[] = {
			PLAIT_DATA(numbers), PLAIT_ACCESS(&sums_to),
			PLAIT_CHUNK()
		};
		const plait_task_desc desc = {
			.size = sizeof(desc), .kernel = sum,
			.launch = PLAIT_ITEMS(N), .arguments = arguments,
			.argument_count = 3, .split = 1, .pieces = 4,
		};
		const plait_task_desc descs[] = { desc, desc, desc };
		float is = 0;

		OK(plait_data_write(total, NULL, &is, NULL) == PLAIT_OK);
		OK_THAT(plait_flow_submit_many(flow, descs, 3, NULL,
					       &flow_rig.error) == PLAIT_OK,
			"%s", flow_rig.error.text);
		for (int i = 0; i < 3; i++)
			is = model(4, PLAIT_ACCESS_ACCUMULATE, is);
		check_total(is);
		end();
	}
}

static const struct tap_scenario all[] = {
	{ "sums", sums },
	{ "arrays", arrays },
	{ "failures", poison },
	{ "a combination that fails", bad_combine },
	{ "repetitions", repetitions },
	{ "repetitions that are cured", cured_repetitions },
	{ "the record", record },
	{ "bad input", bad_input },
};

TAP_MAIN(all)
