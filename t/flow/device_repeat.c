/* SPDX-License-Identifier: MIT */
/* Repetitions on devices, named or found: ops of a run, values that others change in
 * between, failures, buffers that are kept, bad input; contents: device_programs.c,
 * device_repeats.c, split_repeats.c. */
#include "flows.h"

#include "plait/repeat.h"

enum { N = 1024, BYTES = 4 * N, MANY = 3, TIMES = 20 };

static plait_data *data[MANY];
static plait_kernel *axpy;
static float host[N];

static plait_flow_flags wanted_flags = PLAIT_FLOW_CHECK;
static uint32_t wanted_window = 64;

static bool open_on(uint32_t devices, const char *options, uint64_t bytes,
		    size_t setting)
{
	flow_backends = "host,chaos";
	flow_devices = devices;
	flow_options = options;
	flow_memory_bytes = bytes;
	flow_flags = wanted_flags;
	if (!open_flow(&flow_settings[setting], wanted_window))
		return false;
	axpy = new_axpy();
	for (int i = 0; i < MANY; i++) {
		data[i] = new_data(1, N, 0, 0, 4, "data");
		for (int k = 0; k < N; k++)
			host[k] = 1;
		OK(plait_data_write(data[i], NULL, host, NULL) == PLAIT_OK);
	}
	return true;
}

static void close_all(void)
{
	for (int i = 0; i < MANY; i++)
		plait_data_release(data[i]);
	plait_kernel_release(axpy);
	close_flow();
	flow_memory_bytes = 0;
	flow_flags = 0;
}

/* data[y] += a * data[x] */
static plait_status add(float a, int x, int y)
{
	return plait_flow_launch(
		flow, axpy, PLAIT_ITEMS(N),
		PLAIT_ARGUMENTS(PLAIT_VALUE(a), PLAIT_DATA(data[x]),
				PLAIT_DATA(data[y])),
		NULL, &flow_rig.error);
}

static void fill(int i, float value)
{
	plait_task_desc desc = { .size = sizeof(desc), .kind = PLAIT_TASK_FILL,
				 .target = data[i] };
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	desc.pattern = bits;
	OK_THAT(plait_flow_submit(flow, &desc, NULL, &flow_rig.error) ==
		PLAIT_OK, "fill: %s", flow_rig.error.text);
}

/* Returns true if the repetition is new. */
static bool is_new(uint64_t key)
{
	plait_task task = 0;

	OK_THAT(plait_flow_repeat(flow, key, &task, &flow_rig.error) ==
		PLAIT_OK, "repeat: %s", flow_rig.error.text);
	return task == 0;
}

static void end_repetition(void)
{
	OK_THAT(plait_flow_repeat(flow, 0, NULL, &flow_rig.error) == PLAIT_OK,
		"end: %s", flow_rig.error.text);
}

static void check_data(int i, float want)
{
	int wrong = 0;

	OK_THAT(plait_data_read(data[i], NULL, host, &flow_rig.error) ==
		PLAIT_OK, "read: %s", flow_rig.error.text);
	for (int k = 0; k < N; k++)
		wrong += host[k] != want;
	IS_INT(wrong, 0);
}

static uint64_t count_ops(void)
{
	plait_flow_info info = { .size = sizeof(info) };

	IS_INT(plait_flow_query(flow, &info, NULL), PLAIT_OK);
	return info.newest;
}

/* ---- runs ---- */

static void there_and_back(void)
{
	if (!is_new(1))
		return;
	IS_INT(add(1, 0, 1), PLAIT_OK);
	IS_INT(add(-0.5f, 1, 0), PLAIT_OK);
	end_repetition();
}

/* A run is one op while no other task comes between; then the values that it needs
 * are copied, and no others. */
static void ops(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		float x = 1, y = 1;
		uint64_t before;

		if (!open_on(2, "chaos:devices=2", 0, s))
			continue;
		for (int t = 0; t < TIMES; t++) {
			before = count_ops();
			there_and_back();
			/* The first one copies both. */
			IS_UINT(count_ops() - before, t == 0 ? 3 : 1);
			y += x;
			x -= 0.5f * y;
		}
		check_data(0, x);
		check_data(1, y);
		before = count_ops();
		there_and_back(); /* the host has copies */
		IS_UINT(count_ops() - before, 1);
		fill(0, 2);
		before = count_ops();
		there_and_back();
		IS_UINT(count_ops() - before, 2);
		y += x;
		y += 2;
		check_data(1, y);
		check_data(0, 2 - 0.5f * y);
		close_all();
	}
}

/* Tasks of the host between launches: the plan copies there and back. */
static int32_t count_call(void *user_data)
{
	++*(uint64_t *)user_data;
	return 0;
}

static void host_between(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		uint64_t count = 0;
		plait_access access;

		if (!open_on(3, "chaos:devices=3,peers=none", 0, s))
			continue;
		access = access_of(data[0], PLAIT_ACCESS_READ, NULL);
		for (int t = 0; t < TIMES; t++) {
			if (!is_new(9))
				continue;
			fill(0, 1);
			IS_INT(add(2, 0, 1), PLAIT_OK);
			fill(0, 3);
			IS_INT(add(1, 0, 1), PLAIT_OK);
			call_task("count", count_call, &count, &access, 1);
			end_repetition();
		}
		check_data(1, 1 + 5 * TIMES);
		check_data(0, 3);
		IS_UINT(count, TIMES);
		close_all();
	}
}

/* ---- plans ---- */

static int32_t double_all(void *user_data)
{
	float *at = user_data;

	for (int i = 0; i < N; i++)
		at[i] *= 2;
	return 0;
}

/* The plan of a captured function, which doubles the data. */
static plait_plan *new_plan(int i)
{
	plait_data_info info = { .size = sizeof(info) };
	plait_access access = access_of(data[i], PLAIT_ACCESS_READ_WRITE, NULL);
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;

	OK(plait_data_query(data[i], &info, NULL) == PLAIT_OK);
	OK(plait_graph_create(flow_rig.context, &graph, NULL) == PLAIT_OK);
	OK(plait_flow_capture(flow, graph, NULL) == PLAIT_OK);
	call_task("double", double_all, info.pointer, &access, 1);
	OK(plait_flow_capture(flow, NULL, NULL) == PLAIT_OK);
	OK_THAT(plait_graph_freeze(graph, NULL, &plan, &flow_rig.error) ==
		PLAIT_OK, "freeze: %s", flow_rig.error.text);
	plait_graph_release(graph);
	return plan;
}

static plait_status submit_plan(plait_plan *plan, int i)
{
	plait_access access = access_of(data[i], PLAIT_ACCESS_READ_WRITE, NULL);
	const plait_task_desc run = { .size = sizeof(run), .plan = plan,
				      .kind = PLAIT_TASK_PLAN,
				      .accesses = &access, .access_count = 1 };

	return plait_flow_submit(flow, &run, NULL, &flow_rig.error);
}

/* Of a plan with a launch on a device: in a repetition it is refused. */
static plait_plan *new_device_plan(void)
{
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;

	OK(plait_graph_create(flow_rig.context, &graph, NULL) == PLAIT_OK);
	OK(plait_flow_capture(flow, graph, NULL) == PLAIT_OK);
	IS_INT(add(1, 0, 1), PLAIT_OK);
	OK(plait_flow_capture(flow, NULL, NULL) == PLAIT_OK);
	OK(plait_graph_freeze(graph, NULL, &plan, NULL) == PLAIT_OK);
	plait_graph_release(graph);
	return plan;
}

/* Runs of plans between launches: on the host, with what the launches left. */
static void plans(void)
{
	struct rig *rig = &flow_rig;

	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		plait_plan *plan, *on_device;
		float x = 1, y = 1;

		if (!open_on(2, "chaos:devices=2", 0, s))
			continue;
		plan = new_plan(1);
		for (int t = 0; t < TIMES / 2; t++) {
			if (is_new(4)) {
				IS_INT(add(1, 0, 1), PLAIT_OK);
				IS_INT(submit_plan(plan, 1), PLAIT_OK);
				IS_INT(add(-0.5f, 1, 0), PLAIT_OK);
				IS_INT(submit_plan(plan, 1), PLAIT_OK);
				end_repetition();
			}
			y = 2 * (y + x);
			x -= 0.5f * y;
			y *= 2;
		}
		check_data(1, y);
		check_data(0, x);
		on_device = new_device_plan();
		OK(is_new(5));
		REFUSED(submit_plan(on_device, 1), PLAIT_E_UNSUPPORTED,
			"a run of a plan on queues in a captured flow");
		IS_INT(plait_flow_capture(flow, NULL, NULL), PLAIT_OK);
		plait_plan_release(on_device);
		plait_plan_release(plan);
		close_all();
	}
}

/* ---- failure ---- */

static int32_t fail_if_set(void *user_data)
{
	return *(const int32_t *)user_data;
}

/* A failing task fails the run: what it writes is poison in all memories, and the
 * next run cures it. */
static void failure(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		int32_t result = 0;
		plait_access access;

		if (!open_on(2, "chaos:devices=2", 0, s))
			continue;
		access = access_of(data[0], PLAIT_ACCESS_READ, NULL);
		OK(is_new(1));
		fill(0, 4);
		fill(1, 0);
		IS_INT(add(1, 0, 1), PLAIT_OK);
		call_task("check", fail_if_set, &result, &access, 1);
		end_repetition();
		check_data(1, 4);
		result = 5;
		OK(!is_new(1));
		IS_INT(add(1, 1, 2), PLAIT_OK);
		IS_INT(plait_data_read(data[2], NULL, host, &flow_rig.error),
		       PLAIT_E_FAILED);
		IS_INT(flow_rig.error.origin, 5);
		HAS_STR(flow_rig.error.text, "repetition 1");
		result = 0;
		OK(!is_new(1));
		check_data(1, 4);
		fill(2, 1);
		IS_INT(add(1, 1, 2), PLAIT_OK);
		check_data(2, 5);
		close_all();
	}
}

/* Poison that a run needs spoils it; poison beside what it writes does not. */
static void poisoned(void)
{
	static int32_t fails = 3;
	plait_access access;

	if (!open_on(2, "chaos:devices=2", 0, 3))
		return;
	there_and_back();
	access = access_of(data[0], PLAIT_ACCESS_WRITE, NULL);
	call_task("spoil", fail_if_set, &fails, &access, 1);
	there_and_back();
	IS_INT(plait_data_read(data[1], NULL, host, NULL), PLAIT_E_FAILED);
	fill(0, 1);
	fill(1, 1);
	there_and_back();
	check_data(1, 2);
	check_data(0, 0);
	close_all();
}

/* ---- memory ---- */

/* Buffers of a repetition are not evicted; those of one that was given up are. */
static void kept(void)
{
	struct rig *rig = &flow_rig;

	if (!open_on(1, "chaos:devices=1", 2 * BYTES, 2))
		return;
	OK(is_new(1));
	IS_INT(add(1, 0, 1), PLAIT_OK);
	REFUSED(add(1, 0, 2), PLAIT_E_NOMEM,
		"repetitions keep the memory of theirs");
	IS_INT(plait_flow_capture(flow, NULL, NULL), PLAIT_OK);
	IS_INT(add(1, 2, 1), PLAIT_OK);
	there_and_back();
	REFUSED(add(1, 2, 1), PLAIT_E_NOMEM,
		"repetitions keep the memory of theirs");
	there_and_back();
	IS_INT(add(1, 1, 0), PLAIT_OK);
	close_all();
}

/* The flow ends with runs in flight, and with a repetition that is open. */
static void life(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		if (!open_on(2, "chaos:devices=2,quirks=all", 0, s))
			continue;
		for (int t = 0; t < TIMES; t++)
			there_and_back();
		if (flow_settings[s].workers == 0)
			IS_INT(wait_task(0), PLAIT_OK);
		OK(is_new(2));
		IS_INT(add(1, 1, 2), PLAIT_OK);
		close_all();
	}
}

/* ---- stretches that the flow finds ---- */

enum { PAIRS = 8, KNOWN = 8 };

/* The values of data 0 and 1. */
static float x, y;

static bool open_found(uint64_t bytes, size_t setting)
{
	bool done;

	wanted_flags = PLAIT_FLOW_REPEATS;
	wanted_window = 256;
	done = open_on(2, "chaos:devices=2", bytes, setting);
	wanted_flags = PLAIT_FLOW_CHECK;
	wanted_window = 64;
	x = y = 1;
	return done;
}

static void submit_pairs(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		OK_THAT(add(0.25f, 0, 1) == PLAIT_OK, "%s",
			flow_rig.error.text);
		OK_THAT(add(-0.25f, 1, 0) == PLAIT_OK, "%s",
			flow_rig.error.text);
		y += 0.25f * x;
		x -= 0.25f * y;
	}
}

static uint64_t count_repeated(void)
{
	plait_flow_info info = { .size = sizeof(info) };

	IS_INT(plait_flow_query(flow, &info, NULL), PLAIT_OK);
	return info.repeated;
}

static void interrupt_by_query(void)
{
	(void)count_repeated();
}

static void interrupt_by_wait(void)
{
	IS_INT(wait_task(0), PLAIT_OK);
}

static void interrupt_by_read(void)
{
	check_data(1, y);
}

static void interrupt_by_advice(void)
{
	OK(plait_data_advise(data[0], NULL, NULL, PLAIT_ADVISE_PREFETCH,
			     NULL) == PLAIT_OK);
}

static void interrupt_by_task(void)
{
	fill(1, y = 2);
}

/* A run is one number for each of its tasks, and one more; one that is cut short has
 * the tasks that came. */
static void found(void)
{
	static void (*const interruptions[])(void) = {
		interrupt_by_query, interrupt_by_wait, interrupt_by_read,
		interrupt_by_advice, interrupt_by_task,
	};

	for (size_t s = 0; s < FLOW_SETTINGS; s++)
		for (uint32_t i = 0; i < TAP_COUNT(interruptions); i++) {
			uint64_t before;

			if (!open_found(0, s))
				continue;
			submit_pairs(KNOWN * PAIRS);
			OK(count_repeated() >= 2 * PAIRS);
			for (uint32_t part = 0; part < 3; part++) {
				before = count_repeated();
				submit_pairs(1 + part);
				interruptions[i]();
				IS_UINT(count_repeated() - before,
					2 + 2 * part);
				submit_pairs(PAIRS);
				check_data(0, x);
				check_data(1, y);
			}
			close_all();
		}
}

/* A stretch gives its blocks to data that comes later, and is not found again. */
static void gives_way(void)
{
	plait_data *later[2];
	uint64_t before;

	if (!open_found(MANY * BYTES, 2))
		return;
	submit_pairs(KNOWN * PAIRS);
	OK(count_repeated() > 0);
	for (int i = 0; i < 2; i++) {
		later[i] = new_data(1, N, 0, 0, 4, "later");
		memset(host, 0, sizeof(host));
		OK(plait_data_write(later[i], NULL, host, NULL) == PLAIT_OK);
	}
	for (int i = 0; i < 2; i++) {
		plait_data *kept = data[2];

		data[2] = later[i];
		for (int k = 0; k < 4; k++)
			OK_THAT(add(1, k % 2, 2) == PLAIT_OK, "%s",
				flow_rig.error.text);
		check_data(2, 2 * x + 2 * y);
		data[2] = kept;
	}
	before = count_repeated();
	submit_pairs(KNOWN * PAIRS);
	IS_UINT(count_repeated(), before);
	check_data(0, x);
	check_data(1, y);
	for (int i = 0; i < 2; i++)
		plait_data_release(later[i]);
	close_all();
}

static void submit_checked(int32_t *result)
{
	plait_access access = access_of(data[0], PLAIT_ACCESS_READ_WRITE, NULL);

	submit_pairs(PAIRS);
	call_task("check", fail_if_set, result, &access, 1);
}

/* Submit a run, of a stretch, that fails.  Returns false if the setting does not open. */
static bool submit_failing(size_t setting, int32_t *result)
{
	*result = 0;
	if (!open_found(0, setting))
		return false;
	for (int i = 0; i < KNOWN; i++)
		submit_checked(result);
	IS_INT(wait_task(0), PLAIT_OK);
	*result = 5;
	submit_checked(result);
	return true;
}

/* A run that fails is poison for all that it writes; later tasks cure that. */
static void found_failure(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		int32_t result;

		if (!submit_failing(s, &result))
			continue;
		IS_INT(plait_data_read(data[1], NULL, host, &flow_rig.error),
		       PLAIT_E_FAILED);
		HAS_STR(flow_rig.error.text, "repeated tasks");
		result = 0;
		fill(0, x = 1);
		fill(1, y = 1);
		(void)wait_task(0);
		for (int i = 0; i < KNOWN; i++)
			submit_checked(&result);
		check_data(0, x);
		check_data(1, y);
		close_all();
	}
}

/* The last release begins the run that is cut short. */
static void found_life(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++)
		for (int cut = 1; cut < 2 * PAIRS; cut += 3) {
			if (!open_found(0, s))
				continue;
			submit_pairs(KNOWN * PAIRS);
			OK(count_repeated() >= 2 * PAIRS);
			for (int i = 0; i < cut; i++)
				IS_INT(add(i % 2 == 0 ? 0.25f : -0.25f, i % 2,
					   1 - i % 2), PLAIT_OK);
			close_all();
		}
}

/* A worker gives up the stretch of a run that fails, while the flow is closed. */
static void found_last_failure(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++)
		for (int round = 0; round < TIMES; round++) {
			int32_t result;

			if (!submit_failing(s, &result))
				continue;
			OK(count_repeated() >= 2 * PAIRS);
			close_all();
		}
}

static const struct tap_scenario all[] = {
	{ "ops of a run", ops },
	{ "stretches that are found", found },
	{ "blocks of stretches give way", gives_way },
	{ "failure of a stretch", found_failure },
	{ "end amid a stretch", found_life },
	{ "failure of a stretch at the end", found_last_failure },
	{ "tasks of the host between launches", host_between },
	{ "runs of plans between launches", plans },
	{ "failure", failure },
	{ "poison", poisoned },
	{ "memory that is kept", kept },
	{ "life", life },
};

TAP_MAIN(all)
