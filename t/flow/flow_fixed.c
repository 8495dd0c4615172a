/* SPDX-License-Identifier: MIT */
/* Fixed flows: equal programs give equal texts, however long their tasks take, and
 * bad input. */
#include "random_programs.h"

#include "plait/repeat.h"

#include <stdatomic.h>

enum { RUNS = 20, PROGRAMS = 4, FORMATS = 4, SPINS = 20000, LANES = 3 };

static const plait_flow_format formats[FORMATS] = {
	PLAIT_FLOW_TEXT, PLAIT_FLOW_JSON, PLAIT_FLOW_DOT, PLAIT_FLOW_SVG
};

/* Of the first run. */
static char *first[FORMATS];

/* ---- texts ---- */

static char *written(plait_flow_format format)
{
	uint64_t bytes = 0;
	char *text;

	OK(plait_flow_write(flow, format, NULL, 0, &bytes, &flow_rig.error) ==
	   PLAIT_OK);
	text = calloc(1, bytes + 1);
	OK(plait_flow_write(flow, format, text, bytes, NULL, NULL) == PLAIT_OK);
	return text;
}

/* All forms are those of the first run. */
static void compare(void)
{
	for (int f = 0; f < FORMATS; f++) {
		char *text = written(formats[f]);

		if (first[f] == NULL) {
			first[f] = text;
			continue;
		}
		OK_THAT(strcmp(text, first[f]) == 0, "form %d", f);
		free(text);
	}
}

static void forget(void)
{
	for (int f = 0; f < FORMATS; f++) {
		free(first[f]);
		first[f] = NULL;
	}
}

/* ---- random programs ---- */

/* Of the delays and the waits, which are no part of a program. */
static atomic_uint_fast64_t delays;
static uint32_t run_index;

static uint64_t draw(void)
{
	uint64_t at = atomic_fetch_add(&delays, 1) *
		      UINT64_C(0x9e3779b97f4a7c15);

	return at >> 32 ^ at >> 45;
}

static void delay(void)
{
	for (volatile uint64_t i = draw() % SPINS; i > 0; i--)
		;
}

/* Some runs wait for all tasks in between, the first one never. */
static void pause_or_not(void)
{
	if (run_index % 3 != 0 && draw() % (run_index % 3 * 3) == 0)
		(void)wait_task(0);
}

static void random_programs(void)
{
	const uint64_t seed = tap_seed();
	const uint64_t programs = tap_soak() ? 20 * PROGRAMS : PROGRAMS;

	flow_flags = PLAIT_FLOW_RECORD | PLAIT_FLOW_FIXED;
	before_work = delay;
	before_step = pause_or_not;
	before_end = compare;
	for (uint64_t p = 0; p < programs && tap_failed() == 0; p++) {
		NOTE("seed=%llu", (unsigned long long)(seed + p));
		for (run_index = 0; run_index < RUNS; run_index++) {
			const struct flow_setting setting = { run_index % 5,
							      LANES };

			atomic_store(&delays, seed + p * RUNS + run_index);
			state = (seed + p) * UINT64_C(0x9e3779b97f4a7c15) | 1;
			run_program(&setting);
		}
		forget();
	}
	before_work = before_step = before_end = NULL;
}

/* ---- what is done decides nothing ---- */

static bool open_fixed(uint32_t window)
{
	const struct flow_setting setting = { 0, LANES };

	flow_flags = PLAIT_FLOW_RECORD | PLAIT_FLOW_FIXED;
	return open_flow(&setting, window);
}

static plait_task submit_use(plait_data *data, uint32_t mode, bool waits)
{
	plait_access access = access_of(data, mode, NULL);
	plait_task task = call_task(NULL, return_it, NULL, &access, 1);

	if (waits)
		IS_INT(wait_task(0), PLAIT_OK);
	return task;
}

/* Writers, each behind more readers than a task has predecessors, and chains. */
static plait_task submit_all(bool waits)
{
	plait_data *many = new_data(1, 8, 0, 0, 4, "many");
	plait_data *chain = new_data(1, 8, 0, 0, 4, "chain");
	uint32_t zero[8] = { 0 };
	plait_task last = 0;

	IS_INT(plait_data_write(many, NULL, zero, NULL), PLAIT_OK);
	for (int round = 0; round < 6; round++) {
		last = submit_use(many, PLAIT_ACCESS_WRITE, waits);
		for (int i = 0; i < 14; i++) {
			(void)submit_use(many, PLAIT_ACCESS_READ, waits);
			(void)submit_use(chain, PLAIT_ACCESS_READ_WRITE, waits);
		}
	}
	plait_data_release(many);
	plait_data_release(chain);
	return last;
}

/* Without workers no task runs before a wait, or before there is no room. */
static void waits(void)
{
	static const uint32_t windows[] = { 16, 64, 1024 };

	for (size_t w = 0; w < TAP_COUNT(windows); w++) {
		plait_task last = 0;

		for (int waits = 0; waits < 2; waits++) {
			plait_task task;

			if (!open_fixed(windows[w]))
				continue;
			task = submit_all(waits != 0);
			compare();
			if (waits == 0)
				last = task;
			IS_UINT(task, last);
			close_flow();
		}
		forget();
	}
}

/* A failure that is known at the submission, or is not yet. */
static void failures(void)
{
	plait_task last = 0;

	for (int waits = 0; waits < 2; waits++) {
		plait_access access;
		plait_data *data;
		plait_task task;

		if (!open_fixed(16))
			continue;
		data = new_data(1, 8, 0, 0, 4, "data");
		access = access_of(data, PLAIT_ACCESS_WRITE, NULL);
		task = call_task("fails", return_it, (void *)(intptr_t)1,
				 &access, 1);
		if (waits != 0)
			IS_INT(wait_task(task), PLAIT_E_FAILED);
		access.mode = PLAIT_ACCESS_READ;
		for (int i = 0; i < 40; i++)
			task = call_task(NULL, return_it, NULL, &access, 1);
		IS_INT(wait_task(task), PLAIT_E_FAILED);
		last = waits == 0 ? task : last;
		IS_UINT(task, last);
		compare();
		plait_data_release(data);
		close_flow();
	}
	forget();
}

/* ---- waits for emissions ---- */

static plait_task submit_signal(plait_task_kind kind, uint64_t sequence,
				const plait_access *access)
{
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = kind, .signal = flow_rig.signal,
		.sequence = sequence, .accesses = access,
		.access_count = access != NULL,
	};
	plait_task task = 0;

	OK_THAT(plait_flow_submit(flow, &desc, &task, &flow_rig.error) ==
		PLAIT_OK, "submit: %s", flow_rig.error.text);
	return task;
}

/* As many writers as a task has predecessors: with one more there is a mark, which has a
 * number. */
enum { WRITERS = 10, EMISSIONS = 4, EMITTING_WINDOW = 64 };

static void write_line(plait_data *line)
{
	for (uint64_t i = 0; i < WRITERS; i++) {
		const plait_box box = { { i, 0, 0 }, { i + 1, 1, 1 } };
		const plait_access access =
			access_of(line, PLAIT_ACCESS_WRITE, &box);

		(void)call_task(NULL, return_it, NULL, &access, 1);
	}
}

/* Waits for emissions, of which some were just submitted, and some a window before. */
static plait_task submit_waits(bool waits)
{
	static const uint64_t sequences[EMISSIONS] = { 1, 1, 0, 4 };
	plait_data *line = new_data(1, WRITERS, 0, 0, 4, "line");
	const plait_access all = access_of(line, PLAIT_ACCESS_READ, NULL);
	plait_task task = 0;

	for (int i = 0; i < 2 * EMISSIONS; i++) {
		if (i < EMISSIONS)
			(void)submit_signal(PLAIT_TASK_EMIT, 0, NULL);
		if (waits)
			IS_INT(wait_task(0), PLAIT_OK);
		write_line(line);
		task = submit_signal(PLAIT_TASK_WAIT, sequences[i % EMISSIONS],
				     &all);
		for (int k = 0; i >= EMISSIONS - 1 && k < EMITTING_WINDOW; k++)
			task = call_task(NULL, return_it, NULL, NULL, 0);
	}
	plait_data_release(line);
	IS_INT(wait_task(0), PLAIT_OK);
	return task;
}

static void emissions(void)
{
	plait_task last = 0;

	for (int waits = 0; waits < 2; waits++) {
		plait_task task;

		if (!open_fixed(EMITTING_WINDOW))
			continue;
		task = submit_waits(waits != 0);
		last = waits == 0 ? task : last;
		IS_UINT(task, last);
		compare();
		close_flow();
	}
	forget();
}

/* The task of the newest emission fails: a wait for an older one does not, also if that
 * is known; the others do. */
static void lost_emission(void)
{
	for (int waits = 0; waits < 2; waits++) {
		plait_access access;
		plait_data *data;

		if (!open_fixed(16))
			continue;
		data = new_data(1, 8, 0, 0, 8, "data");
		access = access_of(data, PLAIT_ACCESS_WRITE, NULL);
		(void)submit_signal(PLAIT_TASK_EMIT, 0, NULL);
		(void)call_task("fails", return_it, (void *)(intptr_t)1,
				&access, 1);
		access.mode = PLAIT_ACCESS_READ;
		(void)submit_signal(PLAIT_TASK_EMIT, 0, &access);
		if (waits)
			IS_INT(wait_task(0), PLAIT_E_FAILED);
		for (int round = 0; round < 2; round++) {
			IS_INT(wait_task(submit_signal(PLAIT_TASK_WAIT, 1,
						       NULL)), PLAIT_OK);
			IS_INT(wait_task(submit_signal(PLAIT_TASK_WAIT, 2,
						       NULL)), PLAIT_E_FAILED);
			IS_INT(wait_task(submit_signal(PLAIT_TASK_WAIT, 0,
						       NULL)), PLAIT_E_FAILED);
			for (int i = 0; i < 40; i++)
				(void)call_task(NULL, return_it, NULL, NULL, 0);
		}
		(void)wait_task(0);
		compare();
		plait_data_release(data);
		close_flow();
	}
	forget();
}

/* ---- runs of a repetition ---- */

/* Fewer runs than those behind which borders go, most of them behind a wait for room. */
enum { SIDE = 8, REPEATS = 60, WHOLES = 6 };

static plait_task use_box(plait_data *square, uint32_t mode, uint64_t x,
			  uint64_t x_end, uint64_t y, uint64_t y_end)
{
	const plait_box box = { { x, y, 0 }, { x_end, y_end, 1 } };
	const plait_access access = access_of(square, mode, &box);

	return call_task(NULL, return_it, NULL, &access, 1);
}

static void repeat_use(plait_data *square)
{
	const plait_access access =
		access_of(square, PLAIT_ACCESS_READ_WRITE, NULL);
	plait_task task;

	OK(plait_flow_repeat(flow, 1, &task, NULL) == PLAIT_OK);
	if (task != 0)
		return;
	(void)call_task(NULL, return_it, NULL, &access, 1);
	OK(plait_flow_repeat(flow, 0, &task, NULL) == PLAIT_OK);
}

/* The number of the last task tells how many pieces of the rows are left: marks of their
 * readers have numbers. */
static plait_task submit_runs(bool waits)
{
	plait_data *square = new_data(2, SIDE, SIDE, 0, 4, "square");
	plait_task task;

	for (uint64_t i = 0; i < SIDE; i++)
		(void)use_box(square, PLAIT_ACCESS_WRITE, 0, SIDE, i, i + 1);
	for (int i = 0; i < REPEATS; i++) {
		repeat_use(square);
		if (waits)
			IS_INT(wait_task(0), PLAIT_OK);
	}
	(void)use_box(square, PLAIT_ACCESS_READ, 0, SIDE / 2, 0, SIDE);
	(void)use_box(square, PLAIT_ACCESS_READ, SIDE / 2, SIDE, 0, SIDE);
	for (int i = 0; i < WHOLES; i++)
		(void)use_box(square, PLAIT_ACCESS_READ, 0, SIDE, 0, SIDE);
	task = call_task(NULL, return_it, NULL, NULL, 0);
	plait_data_release(square);
	IS_INT(wait_task(0), PLAIT_OK);
	return task;
}

static void repetition(void)
{
	plait_task last = 0;

	for (int waits = 0; waits < 2; waits++) {
		plait_task task;

		if (!open_fixed(32))
			continue;
		task = submit_runs(waits != 0);
		last = waits == 0 ? task : last;
		IS_UINT(task, last);
		compare();
		close_flow();
	}
	forget();
}

/* ---- more than the window has room for ---- */

enum { BOXES = 20, READERS = 6 };

static atomic_uint readers_run;
static uint32_t readers_seen;

static int32_t read_some(void *user_data)
{
	(void)user_data;
	atomic_fetch_add(&readers_run, 1);
	return 0;
}

static int32_t see_readers(void *user_data)
{
	(void)user_data;
	readers_seen = atomic_load(&readers_run);
	return 0;
}

/* Readers of each other element, from `from` on. */
static void read_boxes(plait_data *line, uint64_t from, bool waits)
{
	plait_access accesses[BOXES / 2];
	plait_box boxes[BOXES / 2];

	for (uint64_t i = 0; i < BOXES / 2; i++) {
		boxes[i] = (plait_box){ { from + 2 * i, 0, 0 },
					{ from + 2 * i + 1, 1, 1 } };
		accesses[i] = access_of(line, PLAIT_ACCESS_READ, &boxes[i]);
	}
	for (int i = 0; i < READERS; i++) {
		(void)call_task(NULL, read_some, NULL, accesses, BOXES / 2);
		if (waits)
			IS_INT(wait_task(0), PLAIT_OK);
	}
}

/* One more reader needs a mark per element, and has room only when all tasks are
 * done; the writer still comes behind all of them. */
static plait_task read_line(bool waits)
{
	plait_data *line = new_data(1, BOXES, 0, 0, 4, "line");
	plait_access all = access_of(line, PLAIT_ACCESS_READ, NULL);
	plait_task task;

	atomic_store(&readers_run, 0);
	read_boxes(line, 0, waits);
	read_boxes(line, 1, waits);
	(void)call_task(NULL, read_some, NULL, &all, 1);
	all.mode = PLAIT_ACCESS_WRITE;
	task = call_task(NULL, see_readers, NULL, &all, 1);
	plait_data_release(line);
	IS_INT(wait_task(0), PLAIT_OK);
	IS_UINT(readers_seen, 2 * READERS + 1);
	return task;
}

static void small_window(void)
{
	plait_task last = 0;

	for (int waits = 0; waits < 2; waits++) {
		plait_task task;

		if (!open_fixed(16))
			continue;
		task = read_line(waits != 0);
		last = waits == 0 ? task : last;
		IS_UINT(task, last);
		compare();
		close_flow();
	}
	forget();
}

/* ---- properties ---- */

static void info(void)
{
	plait_flow_info info = { .size = sizeof(info) };

	if (!open_fixed(16))
		return;
	IS_INT(plait_flow_query(flow, &info, NULL), PLAIT_OK);
	IS_UINT(info.flags, PLAIT_FLOW_RECORD | PLAIT_FLOW_FIXED);
	close_flow();
}

static void bad_input(void)
{
	plait_flow_desc desc = { .size = sizeof(desc),
				 .flags = PLAIT_FLOW_FIXED };
	struct rig *rig = &flow_rig;

	if (!open_fixed(16))
		return;
	desc.devices = &rig->device;
	desc.device_count = 1;
	plait_flow_release(flow);
	REFUSED(plait_flow_create(rig->context, &desc, &flow, &rig->error),
		PLAIT_E_UNSUPPORTED, "devices with PLAIT_FLOW_FIXED");
	desc.flags = 1u << 31 | PLAIT_FLOW_FIXED;
	REFUSED(plait_flow_create(rig->context, &desc, &flow, &rig->error),
		PLAIT_E_INVALID, "flags 0x80000000 are unknown; known are "
		"PLAIT_FLOW_RECORD, _STRICT, _CHECK, _FIXED and _REPEATS");
	close_flow();
}

static const struct tap_scenario all[] = {
	{ "random programs", random_programs },
	{ "waits", waits },
	{ "failures", failures },
	{ "emissions", emissions },
	{ "a lost emission", lost_emission },
	{ "repetition", repetition },
	{ "small window", small_window },
	{ "properties", info },
	{ "bad input", bad_input },
};

TAP_MAIN(all)
