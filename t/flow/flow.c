/* SPDX-License-Identifier: MIT */
/* Flows: order, failure, host access and life. */
#include "flows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- order ---- */

struct step {
	uint64_t *value;
	uint64_t times;
	uint64_t plus;
	uint64_t seen;
	int32_t result;
};

static int32_t run_step(void *user_data)
{
	struct step *step = user_data;

	step->seen = *step->value;
	*step->value = *step->value * step->times + step->plus;
	return step->result;
}

static int32_t run_reader(void *user_data)
{
	struct step *step = user_data;

	step->seen = *step->value;
	return 0;
}

/* A chain on one datum, longer than the window. */
static void chain(void)
{
	enum { STEPS = 200 };
	static struct step steps[STEPS];

	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		plait_access access;
		uint64_t value = 1, expected = 1;
		plait_data *token;

		if (!open_flow(&flow_settings[s], 16))
			continue;
		token = new_data(0, 0, 0, 0, 0, "order");
		access = access_of(token, PLAIT_ACCESS_READ_WRITE, NULL);
		for (uint64_t i = 0; i < STEPS; i++) {
			steps[i] = (struct step){ &value, 3, i, 0, 0 };
			expected = expected * 3 + i;
			call_task("step", run_step, &steps[i], &access, 1);
		}
		IS_INT(wait_task(0), PLAIT_OK);
		IS_UINT(value, expected);
		plait_data_release(token);
		close_flow();
	}
}

/* Readers come after the writer before, and before the one after. */
static void readers(void)
{
	enum { READERS = 100 };
	static struct step steps[READERS + 2];

	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		plait_access reads, writes;
		uint64_t value = 1, seen = 0;
		plait_data *token;

		if (!open_flow(&flow_settings[s], 256))
			continue;
		token = new_data(0, 0, 0, 0, 0, "order");
		reads = access_of(token, PLAIT_ACCESS_READ, NULL);
		writes = access_of(token, PLAIT_ACCESS_WRITE, NULL);
		steps[READERS] = (struct step){ &value, 1, 6, 0, 0 };
		call_task("first", run_step, &steps[READERS], &writes, 1);
		for (uint64_t i = 0; i < READERS; i++) {
			steps[i] = (struct step){ &value, 1, 0, 0, 0 };
			call_task("reader", run_reader, &steps[i], &reads, 1);
		}
		steps[READERS + 1] = (struct step){ &value, 0, 9, 0, 0 };
		call_task("last", run_step, &steps[READERS + 1], &writes, 1);
		IS_INT(wait_task(0), PLAIT_OK);
		for (uint64_t i = 0; i < READERS; i++)
			seen += steps[i].seen == 7;
		IS_UINT(seen, READERS);
		IS_UINT(value, 9);
		plait_data_release(token);
		close_flow();
	}
}

/* ---- failure ---- */

/* A task that reads what failed long ago is not run, however many tasks failed
 * since: its cause was moved out of the ring, and kept. */
static void old_failure(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		uint64_t value = 0;
		struct step bad = { &value, 1, 0, 0, 3 };
		struct step good = { &value, 1, 1, 0, 0 };
		plait_access writes_u, both[2];
		plait_data *u, *v;
		uint64_t word = 5;

		if (!open_flow(&flow_settings[s], 16))
			continue;
		u = new_data(0, 0, 0, 0, 8, "u");
		v = new_data(0, 0, 0, 0, 8, "v");
		writes_u = access_of(u, PLAIT_ACCESS_WRITE, NULL);
		both[0] = access_of(u, PLAIT_ACCESS_READ, NULL);
		both[1] = access_of(v, PLAIT_ACCESS_WRITE, NULL);
		call_task("a", run_step, &bad, &writes_u, 1);
		for (int i = 0; i < 300; i++)
			call_task("other", return_it,
				  i < 150 ? forged(4) : NULL, NULL, 0);
		IS_INT(wait_task(call_task("b", run_step, &good, both, 2)),
		       PLAIT_E_FAILED);
		HAS_STR(flow_rig.error.text, "not run: task 1 \"a\" failed");
		for (int i = 0; i < 100; i++)
			call_task("other", return_it, NULL, NULL, 0);
		IS_INT(plait_data_read(v, NULL, &word, &flow_rig.error),
		       PLAIT_E_FAILED);
		HAS_STR(flow_rig.error.text, "task 1 \"a\" failed with 3");
		IS_UINT(value, 0);
		plait_data_release(u);
		plait_data_release(v);
		close_flow();
	}
}

static void failure(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		uint64_t value = 0;
		struct step bad = { &value, 1, 0, 0, 3 };
		struct step good = { &value, 1, 1, 0, 0 };
		plait_data *u, *v;
		plait_access writes_u, reads_u, both[2];
		plait_task failed, skipped, cured;
		uint64_t word = 5;

		if (!open_flow(&flow_settings[s], 16))
			continue;
		u = new_data(0, 0, 0, 0, 8, "u");
		v = new_data(0, 0, 0, 0, 8, "v");
		writes_u = access_of(u, PLAIT_ACCESS_WRITE, NULL);
		reads_u = access_of(u, PLAIT_ACCESS_READ, NULL);
		both[0] = reads_u;
		both[1] = access_of(v, PLAIT_ACCESS_WRITE, NULL);
		failed = call_task("a", run_step, &bad, &writes_u, 1);
		skipped = call_task("b", run_step, &good, both, 2);
		IS_INT(wait_task(failed), PLAIT_E_FAILED);
		IS_INT(flow_rig.error.origin, 3);
		HAS_STR(flow_rig.error.text, "\"a\" failed with 3");
		IS_INT(wait_task(skipped), PLAIT_E_FAILED);
		HAS_STR(flow_rig.error.text, "not run: task");
		IS_INT(plait_data_read(v, NULL, &word, &flow_rig.error),
		       PLAIT_E_FAILED);
		HAS_STR(flow_rig.error.text, "\"a\" failed with 3");
		IS_UINT(word, 5);
		/* The failure was told. */
		IS_INT(wait_task(0), PLAIT_OK);
		/* Many tasks later, the data is poisoned still. */
		for (int i = 0; i < 100; i++)
			call_task("other", return_it, NULL, NULL, 0);
		IS_INT(wait_task(0), PLAIT_OK);
		IS_INT(plait_data_read(u, NULL, &word, &flow_rig.error),
		       PLAIT_E_FAILED);
		cured = call_task("c", run_step, &good, &writes_u, 1);
		IS_INT(wait_task(cured), PLAIT_OK);
		IS_INT(plait_data_read(u, NULL, &word, &flow_rig.error),
		       PLAIT_OK);
		IS_INT(plait_data_write(v, NULL, &word, &flow_rig.error),
		       PLAIT_OK);
		IS_INT(plait_data_read(v, NULL, &word, &flow_rig.error),
		       PLAIT_OK);
		plait_data_release(u);
		plait_data_release(v);
		close_flow();
	}
}

/* A failure is told once by a wait for all, the first one first. */
static void told_once(void)
{
	if (!open_flow(&flow_settings[3], 0))
		return;
	call_task("one", return_it, forged(3), NULL, 0);
	call_task("two", return_it, forged(4), NULL, 0);
	IS_INT(wait_task(0), PLAIT_E_FAILED);
	IS_INT(flow_rig.error.origin, 3);
	IS_INT(wait_task(0), PLAIT_E_FAILED);
	IS_INT(flow_rig.error.origin, 4);
	IS_INT(wait_task(0), PLAIT_OK);
	close_flow();
}

/* ---- kernels and moves ---- */

static void launches(void)
{
	enum { N = 64, STEPS = 50 };

	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		float now[N], a = 0.5f;
		const plait_task_desc desc = {
			.size = sizeof(desc), .kind = PLAIT_TASK_FILL,
			.pattern = 0x3f800000,
		};
		plait_task_desc fill = desc;
		plait_kernel *kernel;
		plait_data *x, *y;

		if (!open_flow(&flow_settings[s], 32))
			continue;
		kernel = new_axpy();
		x = new_data(1, N, 0, 0, 4, "x");
		y = new_data(1, N, 0, 0, 4, "y");
		fill.target = x;
		OK(plait_flow_submit(flow, &fill, NULL, NULL) == PLAIT_OK);
		for (int i = 0; i < STEPS; i++)
			OK_THAT(plait_flow_launch(
					flow, kernel, PLAIT_ITEMS(N),
					PLAIT_ARGUMENTS(PLAIT_VALUE(a),
							PLAIT_DATA(x),
							PLAIT_DATA(y)),
					NULL, &flow_rig.error) == PLAIT_OK,
				"launch: %s", flow_rig.error.text);
		plait_kernel_release(kernel);
		OK(plait_data_read(y, NULL, now, &flow_rig.error) == PLAIT_OK);
		OK(now[0] == STEPS * 0.5f && now[N - 1] == STEPS * 0.5f);
		plait_data_release(x);
		plait_data_release(y);
		close_flow();
	}
}

static uint64_t seen_items[64];
static uint32_t seen_count;

/* Tasks of a chain on one thread. */
static int32_t see_items(void *const *arguments, const plait_launch *launch,
			 void *user_data)
{
	(void)arguments;
	(void)user_data;
	seen_items[seen_count++ % TAP_COUNT(seen_items)] = launch->items[0];
	return 0;
}

static plait_kernel *new_seeing(void)
{
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .function = see_items,
		.signature = "see(n: u64, x: pointer u64)",
	};
	plait_kernel *kernel = NULL;

	OK(plait_kernel_create(flow_rig.context, &desc, &kernel,
			       &flow_rig.error) == PLAIT_OK);
	return kernel;
}

static plait_status launch_seeing(plait_kernel *kernel, uint64_t items,
				  plait_data *data, uint32_t flags)
{
	const plait_argument arguments[] = { PLAIT_VALUE(items),
					     PLAIT_DATA(data) };
	const plait_launch launch = { sizeof(launch), 1, { items }, { 0 } };
	const plait_task_desc desc = {
		.size = sizeof(desc), .flags = flags, .kernel = kernel,
		.launch = &launch, .arguments = arguments,
		.argument_count = 2,
	};

	return plait_flow_submit(flow, &desc, NULL, &flow_rig.error);
}

/* Launches of one kernel with various geometries, all in flight at once: each
 * has its own.  No thread runs them before the wait. */
static void geometries(void)
{
	static const uint64_t items[] = { 5, 5, 7, 5, 9, 9, 7 };
	plait_kernel *kernel;
	plait_data *data;
	uint32_t wrong = 0;

	if (!open_flow(&flow_settings[0], 64))
		return;
	kernel = new_seeing();
	data = new_data(1, 1, 0, 0, 8, "data");
	for (uint32_t r = 0; r < TAP_COUNT(items); r++) {
		seen_count = 0;
		for (uint32_t i = 0; i < 60; i++)
			wrong += launch_seeing(kernel, items[(r + i) % 7],
					       data, 0) != PLAIT_OK;
		IS_UINT(seen_count, 0);
		IS_INT(wait_task(0), PLAIT_OK);
		IS_UINT(seen_count, 60);
		for (uint32_t i = 0; i < 60; i++)
			wrong += seen_items[i] != items[(r + i) % 7];
	}
	IS_UINT(wrong, 0);
	plait_kernel_release(kernel);
	plait_data_release(data);
	close_flow();
}

/* The window may be full of launches with two arguments. */
static void full_of_launches(void)
{
	static const struct flow_setting two_lanes = { 0, 2 };
	plait_flow_info info = { .size = sizeof(info) };
	plait_kernel *kernel;
	plait_data *data;
	uint64_t accepted = 0;

	if (!open_flow(&two_lanes, 4096))
		return;
	kernel = new_seeing();
	data = new_data(1, 1, 0, 0, 8, "data");
	while (launch_seeing(kernel, 5, data, PLAIT_TASK_NO_WAIT) == PLAIT_OK)
		accepted++;
	OK_THAT(accepted >= 4090, "%" PRIu64 " launches", accepted);
	OK(plait_flow_query(flow, &info, NULL) == PLAIT_OK);
	OK_THAT(info.flow_bytes < 200 * info.window, "%" PRIu64 " bytes a task",
		info.flow_bytes / info.window);
	IS_INT(wait_task(0), PLAIT_OK);
	plait_kernel_release(kernel);
	plait_data_release(data);
	close_flow();
}

/* ---- data ---- */

static void properties(void)
{
	static const plait_box box = { { 1, 2, 0 }, { 4, 4, 1 } };
	plait_data_info whole = { .size = sizeof(whole) };
	plait_data_info info = { .size = sizeof(info) };
	plait_data *data, *part = NULL;

	if (!open_flow(&flow_settings[0], 16))
		return;
	data = new_data(2, 8, 5, 0, 4, "u");
	IS_INT(plait_data_part(data, &box, &part, NULL), PLAIT_OK);
	IS_INT(plait_data_query(data, &whole, NULL), PLAIT_OK);
	IS_INT(plait_data_query(part, &info, NULL), PLAIT_OK);
	OK(whole.dimensions == 2 && whole.element_bytes == 4 &&
	   whole.extent[0] == 8 && whole.extent[1] == 5 &&
	   whole.extent[2] == 1);
	OK(info.extent[0] == 3 && info.extent[1] == 2 && info.pitch[0] == 4 &&
	   info.pitch[1] == 32);
	OK((char *)info.pointer == (char *)whole.pointer + 4 + 2 * 32);
	IS_INT(plait_data_query(data, NULL, &flow_rig.error), PLAIT_E_INVALID);
	IS_INT(plait_data_query(NULL, &info, NULL), PLAIT_E_HANDLE);
	plait_data_release(part);
	plait_data_release(data);
	data = new_data(0, 0, 0, 0, 0, "token");
	IS_INT(plait_data_query(data, &info, NULL), PLAIT_OK);
	OK(info.pointer == NULL);
	plait_data_release(data);
	close_flow();
}

/* ---- memory ---- */

/* Bytes of the process in memory; 0 where the system does not tell, and under
 * a sanitizer, whose own tables grow. */
static int64_t resident_bytes(void)
{
	const char *sanitizer = getenv("PLAIT_SANITIZER");
	long pages = 0;
	FILE *file;

	if (sanitizer != NULL && strcmp(sanitizer, "no") != 0)
		return 0;
	file = fopen("/proc/self/statm", "r");
	if (file == NULL)
		return 0;
	if (fscanf(file, "%*d %ld", &pages) != 1)
		pages = 0;
	fclose(file);
	return pages * sysconf(_SC_PAGESIZE);
}

/* Many tasks, 10^7 in a soak, and the memory of the flow, its pieces and the
 * process stay the same. */
static void flat_memory(void)
{
	enum { MANY = 20000, GROWTH = 1 << 20 };
	plait_flow_info early = { .size = sizeof(early) };
	plait_flow_info late = { .size = sizeof(late) };
	uint64_t rounds = tap_soak() ? 500 : 5, refused = 0;
	int64_t held = 0, resident = 0, growth;
	plait_data *line;

	if (!open_flow(&flow_settings[3], 256))
		return;
	line = new_data(1, 1000, 0, 0, 8, "line");
	for (uint64_t r = 0; r < rounds; r++) {
		for (uint64_t i = 0; i < MANY; i++) {
			uint64_t at = i * 7919 % 990;
			const plait_box box = { { at, 0, 0 },
						{ at + 1 + i % 10, 1, 1 } };
			const plait_access access = access_of(
				line, 1 + (uint32_t)i % 3, &box);
			const plait_task_desc desc = {
				.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
				.function = return_it,
				.accesses = &access, .access_count = 1,
			};

			refused += plait_flow_submit(flow, &desc, NULL, NULL) !=
				   PLAIT_OK;
		}
		IS_INT(wait_task(0), PLAIT_OK);
		OK(plait_flow_query(flow, r == 0 ? &early : &late, NULL) ==
		   PLAIT_OK);
		if (r == 0) {
			held = __atomic_load_n(&blocks_held, __ATOMIC_SEQ_CST);
			resident = resident_bytes();
		}
	}
	IS_UINT(refused, 0);
	growth = resident_bytes() - resident;
	OK_THAT(growth < GROWTH, "grown by %" PRId64 " bytes", growth);
	IS_UINT(late.flow_bytes, early.flow_bytes);
	OK(late.pieces <= 2000);
	IS_INT(__atomic_load_n(&blocks_held, __ATOMIC_SEQ_CST), held);
	plait_data_release(line);
	close_flow();
}

/* ---- life ---- */

static int32_t count_up(void *user_data)
{
	__atomic_add_fetch((uint64_t *)user_data, 1, __ATOMIC_SEQ_CST);
	return 0;
}

/* A flow that is released drains, and so does its data. */
static void released(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		uint64_t count = 0;
		plait_access access;
		plait_data *data;

		if (!open_flow(&flow_settings[s], 64))
			continue;
		data = new_data(0, 0, 0, 0, 8, "u");
		access = access_of(data, PLAIT_ACCESS_READ_WRITE, NULL);
		for (int i = 0; i < 50; i++)
			call_task("count", count_up, &count, &access, 1);
		plait_data_release(data);
		close_flow();
		IS_UINT(count, 50);
		IS_UINT(plait_live_count(PLAIT_OBJECT_FLOW), 0);
		IS_UINT(plait_live_count(PLAIT_OBJECT_DATA), 0);
	}
}

static const struct tap_scenario all[] = {
	{ "chain", chain },
	{ "readers", readers },
	{ "failure", failure },
	{ "old failure", old_failure },
	{ "told once", told_once },
	{ "launches", launches },
	{ "geometries", geometries },
	{ "full of launches", full_of_launches },
	{ "properties", properties },
	{ "flat memory", flat_memory },
	{ "released", released },
};

TAP_MAIN(all)
