/* SPDX-License-Identifier: MIT */
/* Repeated repetitions: results, order, failure, life, bad input.  Contents of
 * random ones: random_programs.c. */
#include "flows.h"

#include "plait/repeat.h"

enum { LINE = 64, TIMES = 20 };

/* Begin a repetition, or run it: returns true if it is new. */
static bool is_new(uint64_t key)
{
	plait_task task = 0;

	OK_THAT(plait_flow_repeat(flow, key, &task, &flow_rig.error) ==
		PLAIT_OK, "repeat: %s", flow_rig.error.text);
	return task == 0;
}

static plait_task end_repetition(void)
{
	plait_task task = 0;

	OK_THAT(plait_flow_repeat(flow, 0, &task, &flow_rig.error) == PLAIT_OK,
		"end: %s", flow_rig.error.text);
	return task;
}

static void launch(plait_kernel *kernel, float a, plait_data *x, plait_data *y)
{
	OK_THAT(plait_flow_launch(flow, kernel, PLAIT_ITEMS(LINE),
				  PLAIT_ARGUMENTS(PLAIT_VALUE(a),
						  PLAIT_DATA(x),
						  PLAIT_DATA(y)),
				  NULL, &flow_rig.error) == PLAIT_OK,
		"launch: %s", flow_rig.error.text);
}

/* Repetitions and tasks between them, on the same data. */
static void order(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		float x = 1, y = 1, seen[LINE];
		plait_data *left, *right;
		plait_kernel *kernel;

		if (!open_flow(&flow_settings[s], 16))
			continue;
		left = new_data(1, LINE, 0, 0, 4, "left");
		right = new_data(1, LINE, 0, 0, 4, "right");
		kernel = new_axpy();
		for (int i = 0; i < LINE; i++)
			seen[i] = 1;
		IS_INT(plait_data_write(left, NULL, seen, NULL), PLAIT_OK);
		IS_INT(plait_data_write(right, NULL, seen, NULL), PLAIT_OK);
		for (int t = 0; t < TIMES; t++) {
			if (is_new(7)) {
				launch(kernel, 0.25f, left, right);
				launch(kernel, -0.5f, right, left);
				OK(end_repetition() != 0);
			}
			y += 0.25f * x;
			x += -0.5f * y;
			launch(kernel, 1, left, right);
			y += x;
		}
		IS_INT(plait_data_read(right, NULL, seen, NULL), PLAIT_OK);
		OK_THAT(seen[0] == y && seen[LINE - 1] == y, "%g, not %g",
			(double)seen[0], (double)y);
		IS_INT(wait_task(0), PLAIT_OK);
		plait_kernel_release(kernel);
		plait_data_release(left);
		plait_data_release(right);
		close_flow();
	}
}

static int32_t add_to_count(void *user_data)
{
	++*(uint64_t *)user_data;
	return 0;
}

/* Tasks that other threads finish, and the owner of an inbox. */
static void others(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		plait_task_desc emit = { .size = sizeof(emit),
					 .kind = PLAIT_TASK_EMIT };
		plait_task_desc call = { .size = sizeof(call),
					 .kind = PLAIT_TASK_CALL,
					 .function = add_to_count };
		uint64_t count = 0, reached = 0;

		if (!open_flow(&flow_settings[s], 16))
			continue;
		IS_INT(plait_inbox_create(flow_rig.context, &call.inbox, NULL),
		       PLAIT_OK);
		call.user_data = &count;
		emit.signal = flow_rig.signal;
		for (int t = 0; t < TIMES; t++) {
			if (!is_new(1))
				continue;
			IS_INT(plait_flow_submit(flow, &call, NULL, NULL),
			       PLAIT_OK);
			IS_INT(plait_flow_submit(flow, &emit, NULL, NULL),
			       PLAIT_OK);
			end_repetition();
		}
		OK_THAT(wait_task(0) == PLAIT_OK, "%s", flow_rig.error.text);
		IS_UINT(count, TIMES);
		IS_INT(plait_signal_query(flow_rig.signal, &reached, NULL,
					  NULL), PLAIT_OK);
		IS_UINT(reached, TIMES);
		plait_inbox_release(call.inbox);
		close_flow();
	}
}

/* Let the first run come to its second task. */
static void await_count(const uint64_t *count)
{
	uint64_t since = 0;

	while (__atomic_load_n(count, __ATOMIC_RELAXED) == 0 &&
	       !tap_late(&since))
		(void)plait_flow_wait(flow, 0, 1000000, NULL);
	(void)plait_flow_wait(flow, 0, 1000000, NULL);
}

static int32_t add_seen(void *user_data)
{
	__atomic_fetch_add((uint64_t *)user_data, 1, __ATOMIC_RELAXED);
	return 0;
}

/* Tasks before a wait for a gate run once, although one thread cannot go on behind
 * them. */
static void waits(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		const plait_signal_desc desc = { .size = sizeof(desc),
						 .flags = PLAIT_SIGNAL_GATE };
		plait_task_desc wait = { .size = sizeof(wait),
					 .kind = PLAIT_TASK_WAIT,
					 .sequence = 1 };
		uint64_t count = 0;

		if (!open_flow(&flow_settings[s], 64))
			continue;
		OK(plait_signal_create(flow_rig.device, &desc, &wait.signal,
				       NULL) == PLAIT_OK);
		for (int t = 0; t < TIMES; t++) {
			if (!is_new(1))
				continue;
			call_task("count", add_seen, &count, NULL, 0);
			IS_INT(plait_flow_submit(flow, &wait, NULL, NULL),
			       PLAIT_OK);
			end_repetition();
		}
		await_count(&count);
		OK(plait_signal_raise(wait.signal, 1, NULL) == PLAIT_OK);
		OK_THAT(wait_task(0) == PLAIT_OK, "%s", flow_rig.error.text);
		IS_UINT(count, TIMES);
		plait_signal_release(wait.signal);
		close_flow();
	}
}

/* ---- threads ---- */

enum { SLOW = 8, TURNS = 20000 };

static struct {
	const int *main; /* a variable of the thread that waits */
	uint32_t own, others; /* functions that it executed, and other threads */
} shares;

static int32_t work(void *user_data)
{
	static _Thread_local int here;

	for (volatile int i = 0; i < TURNS; i++)
		continue;
	if (user_data != NULL)
		shares.main = &here;
	__atomic_fetch_add(shares.main == &here ? &shares.own : &shares.others,
			   1, __ATOMIC_RELAXED);
	return 0;
}

/* A thread that waits for a run of several threads executes a part of it. */
static void shared(void)
{
	uint64_t since = 0;
	bool both = false;

	if (!open_flow(&flow_settings[2], 64))
		return;
	(void)work(&shares);
	while (!both && !tap_late(&since)) {
		shares.own = shares.others = 0;
		if (is_new(1)) {
			for (int i = 0; i < SLOW; i++)
				call_task("work", work, NULL, NULL, 0);
			end_repetition();
		}
		IS_INT(wait_task(0), PLAIT_OK);
		IS_UINT(shares.own + shares.others, SLOW);
		both = shares.own > 0 && shares.others > 0;
	}
	OK_THAT(both, "no run was executed by two threads");
	close_flow();
}

/* ---- failure ---- */

static int32_t fail_if_set(void *user_data)
{
	return *(const int32_t *)user_data;
}

/* A run fails as a whole; the next one that overwrites cures. */
static void failure(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		int32_t result = 0;
		uint64_t cell;
		plait_access access;
		plait_data *data;

		if (!open_flow(&flow_settings[s], 64))
			continue;
		data = new_data(0, 0, 0, 0, 8, "cell");
		access = access_of(data, PLAIT_ACCESS_WRITE, NULL);
		if (is_new(1)) {
			call_task("set", fail_if_set, &result, &access, 1);
			IS_INT(wait_task(end_repetition()), PLAIT_OK);
		}
		result = 5;
		OK(!is_new(1));
		IS_INT(plait_data_read(data, NULL, &cell, &flow_rig.error),
		       PLAIT_E_FAILED);
		IS_INT(flow_rig.error.origin, 5);
		HAS_STR(flow_rig.error.text, "repetition 1");
		result = 0;
		OK(!is_new(1));
		IS_INT(plait_data_read(data, NULL, &cell, NULL), PLAIT_OK);
		plait_data_release(data);
		close_flow();
	}
}

static void write_box(plait_data *data, uint64_t low, uint64_t high,
		      int32_t *result)
{
	const plait_box box = { { low, 0, 0 }, { high, 1, 1 } };
	const plait_access access = access_of(data, PLAIT_ACCESS_WRITE, &box);

	call_task("set", fail_if_set, result, &access, 1);
}

/* Elements between those that are written keep their poison, and poison the
 * run. */
static void gaps(void)
{
	static int32_t fails = 3, passes;
	const plait_box middle = { { 4, 0, 0 }, { 5, 1, 1 } };
	uint64_t cells[LINE];
	plait_data *data;

	if (!open_flow(&flow_settings[3], 64))
		return;
	data = new_data(1, LINE, 0, 0, 8, "line");
	OK(is_new(1));
	write_box(data, 2, 4, &passes);
	write_box(data, 6, 8, &passes);
	IS_INT(wait_task(end_repetition()), PLAIT_OK);
	write_box(data, 4, 5, &fails);
	OK(!is_new(1));
	IS_INT(plait_data_read(data, &middle, cells, NULL), PLAIT_E_FAILED);
	write_box(data, 4, 5, &passes);
	OK(!is_new(1));
	IS_INT(plait_data_read(data, NULL, cells, NULL), PLAIT_E_FAILED);
	write_box(data, 0, LINE, &passes);
	OK(!is_new(1));
	IS_INT(plait_data_read(data, NULL, cells, NULL), PLAIT_OK);
	plait_data_release(data);
	close_flow();
}

/* ---- life ---- */

/* The flow keeps the data of its repetitions, and ends. */
static void life(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		plait_data *left, *right;
		plait_kernel *kernel;

		if (!open_flow(&flow_settings[s], 64))
			continue;
		left = new_data(1, LINE, 0, 0, 4, "left");
		right = new_data(1, LINE, 0, 0, 4, "right");
		kernel = new_axpy();
		OK(is_new(1));
		launch(kernel, 1, left, right);
		end_repetition();
		plait_kernel_release(kernel);
		plait_data_release(left);
		plait_data_release(right);
		for (int i = 0; i < TIMES; i++)
			OK(!is_new(1));
		/* With workers: runs are in flight, and a repetition is open. */
		if (flow_settings[s].workers == 0)
			IS_INT(wait_task(0), PLAIT_OK);
		OK(is_new(2));
		close_flow();
	}
}

/* ---- bad input ---- */

static void is_state(plait_status status, const char *text)
{
	IS_INT(status, PLAIT_E_STATE);
	HAS_STR(flow_rig.error.text, text);
}

static void refused(void)
{
	const plait_task_desc bad = { .size = sizeof(bad), .kind = 99 };
	plait_task task = 9;

	if (!open_flow(&flow_settings[2], 64))
		return;
	IS_INT(plait_flow_repeat(NULL, 1, &task, NULL), PLAIT_E_HANDLE);
	IS_UINT(task, 0);
	IS_INT(plait_flow_repeat(flow, 1, NULL, NULL), PLAIT_E_INVALID);
	is_state(plait_flow_repeat(flow, 0, NULL, &flow_rig.error),
		 "no repetition has begun");
	OK(is_new(1));
	is_state(plait_flow_repeat(flow, 2, &task, &flow_rig.error),
		 "captured already");
	IS_INT(plait_flow_submit(flow, &bad, NULL, NULL), PLAIT_E_INVALID);
	is_state(plait_flow_repeat(flow, 0, NULL, &flow_rig.error),
		 "a task of the repetition was refused");
	/* Unknown still; empty; then known, also inside of another. */
	OK(is_new(1));
	IS_INT(wait_task(end_repetition()), PLAIT_OK);
	OK(!is_new(1));
	OK(is_new(2));
	is_state(plait_flow_repeat(flow, 1, &task, &flow_rig.error),
		 "a repetition in a captured flow");
	IS_INT(plait_flow_capture(flow, NULL, NULL), PLAIT_OK);
	OK(is_new(2));
	IS_INT(wait_task(0), PLAIT_OK);
	close_flow();
}

/* A repetition without an end is no repetition; its tasks do not run. */
static void abandoned(void)
{
	uint64_t runs = 0;

	if (!open_flow(&flow_settings[2], 64))
		return;
	OK(is_new(1));
	call_task("count", add_to_count, &runs, NULL, 0);
	IS_INT(plait_flow_capture(flow, NULL, NULL), PLAIT_OK);
	IS_INT(wait_task(0), PLAIT_OK);
	IS_UINT(runs, 0);
	OK(is_new(1));
	call_task("count", add_to_count, &runs, NULL, 0);
	end_repetition();
	for (int i = 1; i < TIMES; i++)
		OK(!is_new(1));
	IS_INT(wait_task(0), PLAIT_OK);
	IS_UINT(runs, TIMES);
	close_flow();
}

/* ---- borders ---- */

/* Runs, and those in a row: borders go after 32. */
enum { MANY = 200, LONG_ROW = 1000, SHORT_ROW = 38, TASKS = LINE / 4 };

/* Add to each of some elements, in a task per element. */
static void add_each(plait_data *data, uint64_t *cells, int count)
{
	for (int i = 0; i < count; i++) {
		const plait_box box = { { (uint64_t)i, 0, 0 },
					{ (uint64_t)i + 1, 1, 1 } };
		const plait_access access =
			access_of(data, PLAIT_ACCESS_READ_WRITE, &box);

		call_task("add", add_to_count, &cells[i], &access, 1);
	}
}

static void repeat_adds(plait_data *data, uint64_t *cells)
{
	if (!is_new(1))
		return;
	add_each(data, cells, TASKS);
	OK(end_repetition() != 0);
}

static uint64_t count_pieces(void)
{
	plait_flow_info info = { .size = sizeof(info) };

	OK(plait_flow_query(flow, &info, NULL) == PLAIT_OK);
	return info.pieces;
}

/* Check the cells: those of the repetition, and the others. */
static void check_adds(const uint64_t *cells, uint64_t first, uint64_t others)
{
	IS_INT(wait_task(0), PLAIT_OK);
	for (int i = 0; i < LINE; i++)
		IS_UINT(cells[i], i < TASKS ? first : others);
}

/* Borders that tasks need stay, others go, and come back. */
static void borders(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		uint64_t cells[LINE] = { 0 };
		plait_data *line;

		if (!open_flow(&flow_settings[s], 128))
			continue;
		line = new_data(1, LINE, 0, 0, 8, "line");
		for (int t = 0; t < MANY; t++) {
			add_each(line, cells, LINE);
			repeat_adds(line, cells);
		}
		check_adds(cells, 2 * MANY, MANY);
		IS_UINT(count_pieces(), LINE);
		for (int t = 0; t < MANY; t++)
			repeat_adds(line, cells);
		check_adds(cells, 3 * MANY, MANY);
		IS_UINT(count_pieces(), 2);
		add_each(line, cells, LINE);
		repeat_adds(line, cells);
		check_adds(cells, 3 * MANY + 2, MANY + 1);
		IS_UINT(count_pieces(), LINE);
		plait_data_release(line);
		close_flow();
	}
}

/* Runs behind tasks that cut the data. */
static void cut_and_repeat(plait_data *line, uint64_t *cells, int runs)
{
	add_each(line, cells, TASKS);
	for (int t = 0; t < runs; t++)
		repeat_adds(line, cells);
}

/* Borders go in each long row of runs, later where rows are short. */
static void rows(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		uint64_t cells[LINE] = { 0 };
		plait_data *line;

		if (!open_flow(&flow_settings[s], 128))
			continue;
		line = new_data(1, LINE, 0, 0, 8, "line");
		for (int i = 0; i < 3; i++) {
			cut_and_repeat(line, cells, LONG_ROW);
			IS_UINT(count_pieces(), 2);
		}
		cut_and_repeat(line, cells, SHORT_ROW);
		IS_UINT(count_pieces(), 2);
		cut_and_repeat(line, cells, SHORT_ROW);
		IS_UINT(count_pieces(), TASKS + 1);
		cut_and_repeat(line, cells, LONG_ROW);
		IS_UINT(count_pieces(), 2);
		cut_and_repeat(line, cells, SHORT_ROW);
		IS_UINT(count_pieces(), 2);
		check_adds(cells, 4 * LONG_ROW + 3 * SHORT_ROW + 7, 0);
		plait_data_release(line);
		close_flow();
	}
}

/* The tasks that wrote what runs only read are forgotten, if they are done. */
static void reads(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		uint64_t cells[LINE] = { 0 }, runs = 0;
		plait_access access;
		plait_data *line;

		if (!open_flow(&flow_settings[s], 128))
			continue;
		line = new_data(1, LINE, 0, 0, 8, "line");
		access = access_of(line, PLAIT_ACCESS_READ, NULL);
		add_each(line, cells, LINE);
		check_adds(cells, 1, 1);
		IS_UINT(count_pieces(), LINE);
		for (int t = 0; t < MANY; t++) {
			if (!is_new(1))
				continue;
			call_task("read", add_to_count, &runs, &access, 1);
			OK(end_repetition() != 0);
		}
		IS_UINT(count_pieces(), 1);
		IS_INT(wait_task(0), PLAIT_OK);
		IS_UINT(runs, MANY);
		plait_data_release(line);
		close_flow();
	}
}

static const struct tap_scenario all[] = {
	{ "order", order },	{ "others", others },	{ "waits", waits },
	{ "shared", shared },	{ "failure", failure },
	{ "gaps", gaps },	{ "life", life },
	{ "borders", borders },	{ "rows", rows },	{ "reads", reads },
	{ "refused", refused }, { "abandoned", abandoned },
};

TAP_MAIN(all)
