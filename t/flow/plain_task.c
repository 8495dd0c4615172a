/* SPDX-License-Identifier: MIT */
/*
 * Random host functions with accesses to boxes, plain ones and others, one by one and by
 * arrays: each runs behind the tasks that a sequential model names, or not at all if
 * what it reads has failed.
 */
#include "flows.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum {
	SIDE = 8, /* of the grid; the line has twice as many elements */
	CELLS = SIDE * SIDE + 2 * SIDE,
	TASKS = 192,
	WORDS = TASKS / 64,
	ACCESSES = 7, /* one more than a plain task has */
	AT_ONCE = 8,
	ROUNDS = 40
};

static struct task {
	plait_task_desc desc;
	plait_access accesses[ACCESSES];
	plait_box boxes[ACCESSES];
	uint64_t before[WORDS]; /* bits: tasks that end before it begins */
	bool fails;
	bool is_skipped;
	uint32_t ended; /* how often */
} tasks[TASKS];

/* Of an element: the last task that wrote it, 1 + its place or 0, and those that have
 * read it since. */
static struct cell {
	uint32_t writer;
	uint64_t readers[WORDS];
	bool is_poisoned;
} cells[CELLS];

static uint32_t barrier; /* 1 + the place of the last one, or 0 */
static plait_data *grid, *line;
static uint32_t early; /* tasks that began too early */
static uint64_t state;

static uint32_t below(uint32_t bound)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint32_t)((state * 0x2545f4914f6cdd1du) >> 33) % bound;
}

static bool has(const uint64_t *bits, uint32_t i)
{
	return (bits[i / 64] >> i % 64 & 1) != 0;
}

static void add(uint64_t *bits, uint32_t i)
{
	bits[i / 64] |= (uint64_t)1 << i % 64;
}

static int32_t check_order(void *user_data)
{
	struct task *task = user_data;

	for (uint32_t i = 0; i < TASKS; i++)
		if (has(task->before, i) && !tasks[i].is_skipped &&
		    __atomic_load_n(&tasks[i].ended, __ATOMIC_RELAXED) == 0)
			__atomic_fetch_add(&early, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&task->ended, 1, __ATOMIC_RELAXED);
	return task->fails ? 7 : 0;
}

/* ---- the model ---- */

static bool writes(const plait_access *access)
{
	return access->mode != PLAIT_ACCESS_READ;
}

/* Call `visit` for each element of an access. */
static void each_cell(uint32_t place, const plait_access *access,
		      void (*visit)(uint32_t place, const plait_access *access,
				    struct cell *cell))
{
	const plait_box all = { { 0, 0, 0 }, { SIDE, SIDE, 1 } };
	const plait_box row = { { 0, 0, 0 }, { 2 * SIDE, 1, 1 } };
	const plait_box *box = access->box != NULL ? access->box :
			       access->data == grid ? &all : &row;
	uint32_t first = access->data == grid ? 0 : SIDE * SIDE;

	for (uint64_t y = box->low[1]; y < box->high[1]; y++)
		for (uint64_t x = box->low[0]; x < box->high[0]; x++)
			visit(place, access, &cells[first + y * SIDE + x]);
}

static void follow(uint32_t place, const plait_access *access,
		   struct cell *cell)
{
	struct task *task = &tasks[place];

	if (cell->writer != 0)
		add(task->before, cell->writer - 1);
	for (uint32_t i = 0; writes(access) && i < WORDS; i++)
		task->before[i] |= cell->readers[i];
	task->is_skipped |= cell->is_poisoned &&
			    access->mode != PLAIT_ACCESS_WRITE;
}

static void leave_write(uint32_t place, const plait_access *access,
			struct cell *cell)
{
	if (!writes(access))
		return;
	cell->writer = place + 1;
	memset(cell->readers, 0, sizeof(cell->readers));
	cell->is_poisoned = tasks[place].is_skipped || tasks[place].fails;
}

static void leave_read(uint32_t place, const plait_access *access,
		       struct cell *cell)
{
	if (!writes(access) && cell->writer != place + 1)
		add(cell->readers, place);
}

/* The next task of the model, and what it leaves. */
static void append(uint32_t place)
{
	struct task *task = &tasks[place];
	uint64_t count = task->desc.access_count;

	if (barrier != 0)
		add(task->before, barrier - 1);
	if ((task->desc.flags & PLAIT_TASK_BARRIER) != 0) {
		for (uint32_t i = 0; i < place; i++)
			add(task->before, i);
		barrier = place + 1;
	}
	for (uint64_t i = 0; i < count; i++)
		each_cell(place, &task->accesses[i], follow);
	for (uint64_t i = 0; i < count; i++)
		each_cell(place, &task->accesses[i], leave_write);
	for (uint64_t i = 0; i < count; i++)
		each_cell(place, &task->accesses[i], leave_read);
}

/* ---- random tasks ---- */

static void draw_box(plait_box *box, bool is_grid)
{
	uint32_t width = is_grid ? SIDE : 2 * SIDE, height = is_grid ? SIDE : 1;
	uint32_t x = below(width), y = below(height);
	/* Most are of one element. */
	uint32_t more = below(4) == 0 ? below(3) : 0;
	uint32_t lower = below(8) == 0;

	*box = (plait_box){ { x, y, 0 },
			    { x + 1 + more < width ? x + 1 + more : width,
			      y + 1 + lower < height ? y + 1 + lower : height,
			      1 } };
}

static void draw_access(struct task *task, uint32_t i)
{
	bool is_grid = below(2) == 0;

	draw_box(&task->boxes[i], is_grid);
	task->accesses[i] = access_of(is_grid ? grid : line,
				      below(2) == 0 ? PLAIT_ACCESS_READ :
						      1 + below(3),
				      below(40) == 0 ? NULL : &task->boxes[i]);
}

static void draw_task(struct task *task, bool may_fail)
{
	uint32_t count = below(ACCESSES + 1);

	memset(task, 0, sizeof(*task));
	for (uint32_t i = 0; i < count; i++)
		draw_access(task, i);
	task->desc = (plait_task_desc){
		.size = sizeof(task->desc), .kind = PLAIT_TASK_CALL,
		.label = "random", .function = check_order, .user_data = task,
		.priority = (int32_t)below(2), .accesses = task->accesses,
		.access_count = count,
		.flags = below(50) == 0 ? PLAIT_TASK_BARRIER : 0,
	};
	task->fails = may_fail && below(12) == 0;
}

/* ---- programs ---- */

static bool submit(uint32_t first, uint32_t count)
{
	plait_task_desc descs[AT_ONCE];

	if (count == 1)
		return OK_THAT(plait_flow_submit(flow, &tasks[first].desc, NULL,
						 &flow_rig.error) == PLAIT_OK,
			       "task %u: %s", first, flow_rig.error.text);
	for (uint32_t i = 0; i < count; i++)
		descs[i] = tasks[first + i].desc;
	return OK_THAT(plait_flow_submit_many(flow, descs, count, NULL,
					      &flow_rig.error) == PLAIT_OK,
		       "tasks from %u: %s", first, flow_rig.error.text);
}

static uint32_t count_wrong(void)
{
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < TASKS; i++)
		wrong += tasks[i].ended != (tasks[i].is_skipped ? 0 : 1);
	return wrong;
}

static void run_program(const struct flow_setting *setting)
{
	bool may_fail = below(3) == 0, by_arrays = below(2) == 0;

	if (!open_flow(setting, below(2) == 0 ? 16 : 256))
		return;
	grid = new_data(2, SIDE, SIDE, 0, 4, "grid");
	line = new_data(1, 2 * SIDE, 0, 0, 4, "line");
	memset(cells, 0, sizeof(cells));
	barrier = 0;
	early = 0;
	for (uint32_t i = 0; i < TASKS; i++) {
		draw_task(&tasks[i], may_fail);
		append(i);
	}
	for (uint32_t i = 0, count; i < TASKS; i += count) {
		count = by_arrays ? 1 + below(AT_ONCE) : 1;
		count = count < TASKS - i ? count : TASKS - i;
		if (!submit(i, count))
			break;
	}
	while (wait_task(0) == PLAIT_E_FAILED)
		;
	OK_THAT(early == 0, "%u predecessors had not ended", early);
	OK_THAT(count_wrong() == 0, "%u tasks ran too often, or too seldom",
		count_wrong());
	plait_data_release(grid);
	plait_data_release(line);
	close_flow();
}

static void random_tasks(void)
{
	state = tap_seed() + 1;
	for (uint32_t round = 0; round < ROUNDS; round++)
		run_program(&flow_settings[round % FLOW_SETTINGS]);
}

/* Data of another flow, a box outside, a mode that is none: refused as by any task, and
 * the flow goes on. */
static void bad_input(void)
{
	plait_box box = { { 1, 1, 0 }, { 2, 2, 1 } };
	plait_box outside = { { 7, 7, 0 }, { 9, 8, 1 } };
	plait_access access;
	plait_flow *first;
	plait_data *other;

	if (!open_flow(&flow_settings[0], 16))
		return;
	grid = new_data(2, SIDE, SIDE, 0, 4, "grid");
	first = flow;
	OK(plait_flow_create(flow_rig.context, NULL, &flow, NULL) == PLAIT_OK);
	other = new_data(2, SIDE, SIDE, 0, 4, "other");
	draw_task(&tasks[0], false);
	tasks[0].desc.accesses = &access;
	tasks[0].desc.access_count = 1;
	/* Its borders are there. */
	access = access_of(other, PLAIT_ACCESS_READ, &box);
	IS_INT(plait_flow_submit(flow, &tasks[0].desc, NULL, NULL), PLAIT_OK);
	IS_INT(wait_task(0), PLAIT_OK);
	plait_flow_release(flow);
	flow = first;
	access = access_of(grid, PLAIT_ACCESS_READ_WRITE, &box);
	IS_INT(plait_flow_submit(flow, &tasks[0].desc, NULL, NULL), PLAIT_OK);
	access.mode = 4;
	IS_INT(plait_flow_submit(flow, &tasks[0].desc, NULL, &flow_rig.error),
	       PLAIT_E_INVALID);
	access = access_of(grid, PLAIT_ACCESS_READ, &outside);
	IS_INT(plait_flow_submit(flow, &tasks[0].desc, NULL, &flow_rig.error),
	       PLAIT_E_INVALID);
	HAS_STR(flow_rig.error.text, "task \"random\": access 0: data");
	access = access_of(other, PLAIT_ACCESS_READ, &box);
	IS_INT(plait_flow_submit(flow, &tasks[0].desc, NULL, &flow_rig.error),
	       PLAIT_E_HANDLE);
	HAS_STR(flow_rig.error.text, "is of another flow");
	access = access_of(grid, PLAIT_ACCESS_READ_WRITE, &box);
	IS_INT(plait_flow_submit(flow, &tasks[0].desc, NULL, NULL), PLAIT_OK);
	IS_INT(wait_task(0), PLAIT_OK);
	IS_UINT(tasks[0].ended, 3);
	plait_data_release(other);
	plait_data_release(grid);
	close_flow();
}

/* ---- failures during a submission ---- */

enum { WINDOW = 64, FAILING = 5, READERS = 6 };

static pthread_t submitter;
static bool opens; /* the next allocation of the submitter opens the gate */
static bool is_open;
static uint32_t called;

static bool is_set(const bool *flag)
{
	return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

/* Ops of one lane run in their order: before the last one all others are done. */
static void open_gate(void)
{
	__atomic_store_n(&opens, false, __ATOMIC_RELEASE);
	__atomic_store_n(&is_open, true, __ATOMIC_RELEASE);
	while (__atomic_load_n(&called, __ATOMIC_ACQUIRE) < WINDOW - 1)
		sched_yield();
}

static void *resize(void *user_data, void *pointer, uint64_t old_bytes,
		    uint64_t new_bytes)
{
	(void)user_data;
	(void)old_bytes;
	if (is_set(&opens) && pthread_equal(pthread_self(), submitter))
		open_gate();
	if (new_bytes != 0)
		return realloc(pointer, new_bytes);
	free(pointer);
	return NULL;
}

static int32_t await_gate(void *result)
{
	while (!is_set(&is_open))
		sched_yield();
	__atomic_add_fetch(&called, 1, __ATOMIC_RELEASE);
	return result != NULL ? 9 : 0;
}

/* A full window: tasks that fail, then those that fill the fronts of some data. */
static void fill_window(plait_data *const *columns)
{
	for (uint32_t i = 1; i < WINDOW; i++) {
		uint32_t column = (i - 1 - FAILING) / READERS;
		bool reads = i > FAILING && column < FAILING;
		const plait_access access =
			access_of(columns[reads ? column : 0],
				  PLAIT_ACCESS_READ, NULL);

		call_task("window", await_gate, i <= FAILING ? &called : NULL,
			  &access, reads);
	}
}

/* Tasks fail while one is submitted that needs marks, and makes borders. */
static void submit_beside_failures(plait_data *const *columns)
{
	const plait_box box = { { 1, 0, 0 }, { 2, 1, 1 } };
	plait_access accesses[FAILING + 1];

	for (uint32_t i = 0; i < FAILING; i++)
		accesses[i] = access_of(columns[i], PLAIT_ACCESS_READ, NULL);
	accesses[FAILING] = access_of(line, PLAIT_ACCESS_WRITE, &box);
	called = 0;
	is_open = false;
	fill_window(columns);
	submitter = pthread_self();
	__atomic_store_n(&opens, true, __ATOMIC_RELEASE);
	call_task("behind", await_gate, NULL, accesses, FAILING + 1);
	OK(!is_set(&opens));
	for (plait_task task = 1; task <= FAILING; task++)
		IS_INT(wait_task(task), PLAIT_E_FAILED);
	IS_INT(wait_task(0), PLAIT_OK);
	IS_UINT(called, WINDOW);
}

static void failures(void)
{
	const plait_allocator allocator = { sizeof(allocator), 0, resize, NULL };
	const plait_context_desc desc = {
		.size = sizeof(desc), .allocator = &allocator, .workers = 1,
		.backends = "host",
	};
	const plait_flow_desc flow_desc = { .size = sizeof(flow_desc),
					    .window = WINDOW, .lanes = 1 };
	plait_data *columns[FAILING];

	flow_rig.error.size = sizeof(flow_rig.error);
	if (!OK(plait_context_open(&desc, &flow_rig.context, &flow_rig.error) ==
		PLAIT_OK) ||
	    !OK(plait_flow_create(flow_rig.context, &flow_desc, &flow,
				  &flow_rig.error) == PLAIT_OK))
		return;
	for (uint32_t i = 0; i < FAILING; i++)
		columns[i] = new_data(1, 1, 0, 0, 8, "column");
	line = new_data(1, 2 * SIDE, 0, 0, 4, "line");
	submit_beside_failures(columns);
	for (uint32_t i = 0; i < FAILING; i++)
		plait_data_release(columns[i]);
	plait_data_release(line);
	plait_flow_release(flow);
	plait_context_release(flow_rig.context);
}

static const struct tap_scenario all[] = {
	{ "random tasks", random_tasks },
	{ "bad input", bad_input },
	{ "failures", failures },
};

TAP_MAIN(all)
