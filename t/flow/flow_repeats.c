/* SPDX-License-Identifier: MIT */
/* Repeats that a flow finds: numbers, interruptions, failure, life, bad input.  Random
 * programs: repeat_programs.c. */
#include "counted_stretches.h"

#include <pthread.h>
#include <sched.h>

enum { KNOWN = 6 };

/* ---- numbers ---- */

/* Numbers grow, and each of them can be awaited; a run has one end. */
static void has_numbers(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		plait_task newest = 0;

		if (!open_repeats(&flow_settings[s], 256))
			continue;
		for (uint32_t loop = 0; loop < LOOPS; loop++) {
			submit_tasks(STRETCH);
			for (uint32_t i = 0; i < STRETCH; i++) {
				OK(numbers[i] > newest);
				newest = numbers[i];
			}
		}
		IS_INT(wait_task(numbers[STRETCH / 2]), PLAIT_OK);
		IS_UINT(counters[STRETCH / 2].calls, LOOPS);
		for (uint32_t i = 0; i < STRETCH; i++)
			IS_INT(wait_task(numbers[i]), PLAIT_OK);
		check_calls(LOOPS, 0);
		IS_INT(plait_flow_wait(flow, newest + 1, 0, NULL),
		       PLAIT_E_INVALID);
		close_repeats();
	}
}

/* Waits between stretches do not end the search. */
static void runs_between_waits(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		if (!open_repeats(&flow_settings[s], 256))
			continue;
		for (uint32_t loop = 1; loop <= LOOPS; loop++) {
			submit_tasks(STRETCH);
			IS_INT(wait_task(0), PLAIT_OK);
			check_calls(loop, 0);
		}
		IS_UINT(count_repeated(), (LOOPS - KNOWN) * STRETCH);
		counters[3].result = 5;
		submit_tasks(STRETCH);
		IS_INT(wait_task(0), PLAIT_E_FAILED);
		HAS_STR(flow_rig.error.text, "repeated tasks");
		close_repeats();
	}
}

/* ---- interruptions ---- */

static void *submit_elsewhere(void *arg)
{
	const plait_task_desc desc = { .size = sizeof(desc),
				       .kind = PLAIT_TASK_CALL,
				       .function = count_call,
				       .user_data = arg };

	OK(plait_flow_submit(flow, &desc, NULL, NULL) == PLAIT_OK);
	return NULL;
}

static void interrupt_by_thread(void)
{
	static struct counter other;
	pthread_t thread;

	OK(pthread_create(&thread, NULL, submit_elsewhere, &other) == 0);
	pthread_join(thread, NULL);
}

static void interrupt_by_query(void)
{
	plait_flow_info info = { .size = sizeof(info) };

	IS_INT(plait_flow_query(flow, &info, NULL), PLAIT_OK);
	OK((info.flags & PLAIT_FLOW_REPEATS) != 0 &&
	   info.newest >= numbers[0]);
}

static void interrupt_by_wait(void)
{
	IS_INT(wait_task(numbers[1]), PLAIT_OK);
}

static void interrupt_by_poll(void)
{
	plait_status status = plait_flow_wait(flow, 0, 0, NULL);

	OK(status == PLAIT_OK || status == PLAIT_E_TIMEOUT);
}

static void interrupt_by_read(void)
{
	uint64_t seen[STRETCH];

	IS_INT(plait_data_read(line, NULL, seen, NULL), PLAIT_OK);
}

static void interrupt_by_map(void)
{
	void *pointer;

	IS_INT(plait_data_map(line, &boxes[0], PLAIT_MAP_WRITE, &pointer, NULL),
	       PLAIT_OK);
	IS_INT(plait_data_unmap(line, pointer, NULL), PLAIT_OK);
}

static void interrupt_by_notice(void)
{
	plait_event event = { .size = sizeof(event) };
	plait_inbox *inbox;

	IS_INT(plait_inbox_create(flow_rig.context, &inbox, NULL), PLAIT_OK);
	IS_INT(plait_flow_notify(flow, numbers[2], inbox, NULL, NULL, NULL),
	       PLAIT_OK);
	while (plait_inbox_next(inbox, &event, NULL) == PLAIT_PENDING)
		(void)wait_task(0);
	IS_INT(event.status, PLAIT_OK);
	IS_UINT(event.sequence, numbers[2]);
	plait_inbox_release(inbox);
}

static void interrupt_by_task(void)
{
	static struct counter other;
	const plait_task_desc desc = { .size = sizeof(desc),
				       .kind = PLAIT_TASK_CALL,
				       .function = count_call,
				       .user_data = &other,
				       .flags = PLAIT_TASK_BARRIER };

	IS_INT(plait_flow_submit(flow, &desc, NULL, NULL), PLAIT_OK);
}

static void (*const interruptions[])(void) = {
	interrupt_by_thread, interrupt_by_query, interrupt_by_wait,
	interrupt_by_poll, interrupt_by_read, interrupt_by_map,
	interrupt_by_notice, interrupt_by_task,
};

/* A call in the middle of a stretch: the tasks before it run, each once, and those
 * behind it. */
static void is_interrupted(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++)
		for (size_t i = 0; i < TAP_COUNT(interruptions); i++) {
			uint32_t begin = 1 + (uint32_t)i;

			if (!open_repeats(&flow_settings[s], 256))
				continue;
			repeat(KNOWN);
			begin = begin > 3 ? begin : 3;
			submit_tasks(begin);
			interruptions[i]();
			IS_INT(wait_task(0), PLAIT_OK);
			check_calls(KNOWN, begin);
			repeat(2);
			IS_INT(wait_task(0), PLAIT_OK);
			check_calls(KNOWN + 2, begin);
			close_repeats();
		}
}

/* ---- failure ---- */

/* Tasks that are held together fail together, and the next ones cure. */
static void fails(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		uint64_t seen;

		if (!open_repeats(&flow_settings[s], 256))
			continue;
		repeat(KNOWN);
		IS_INT(wait_task(0), PLAIT_OK);
		counters[7].result = 5;
		submit_tasks(STRETCH);
		IS_INT(wait_task(numbers[0]), PLAIT_E_FAILED);
		IS_INT(flow_rig.error.origin, 5);
		HAS_STR(flow_rig.error.text, "repeated tasks");
		IS_INT(wait_task(numbers[STRETCH - 1]), PLAIT_E_FAILED);
		IS_INT(plait_data_read(line, &boxes[STRETCH - 1], &seen, NULL),
		       PLAIT_E_FAILED);
		counters[7].result = 0;
		submit_tasks(STRETCH);
		IS_INT(wait_task(numbers[STRETCH - 1]), PLAIT_OK);
		IS_INT(plait_data_read(line, NULL, (uint64_t[STRETCH]){ 0 },
				       NULL), PLAIT_OK);
		close_repeats();
	}
}

/* A run that is not whole keeps the poison of what it does not write. */
static void keeps_poison(void)
{
	static struct counter bad = { .result = 9 };
	uint64_t seen;

	if (!open_repeats(&flow_settings[0], 256))
		return;
	repeat(KNOWN);
	IS_INT(wait_task(0), PLAIT_OK);
	for (int i = 0; i < 2; i++) {
		const plait_access last =
			access_of(line, PLAIT_ACCESS_WRITE, &boxes[STRETCH - 1]);

		call_task("bad", count_call, &bad, &last, 1);
		submit_tasks(3);
		IS_INT(plait_data_read(line, &boxes[STRETCH - 1], &seen, NULL),
		       PLAIT_E_FAILED);
		submit_tasks(STRETCH);
		(void)wait_task(0);
	}
	close_repeats();
}

/* ---- many predecessors ---- */

enum { COLUMNS = 24 };

static plait_data *columns[COLUMNS];
static int32_t gate; /* not 0: `hold` returns */

static int32_t hold(void *user_data)
{
	while (__atomic_load_n(&gate, __ATOMIC_ACQUIRE) == 0)
		sched_yield();
	return ((struct counter *)user_data)->result;
}

static void submit_column(uint32_t i, plait_host_function function,
			  struct counter *counter)
{
	const plait_access access =
		access_of(columns[i], PLAIT_ACCESS_WRITE, NULL);

	numbers[i % STRETCH] = call_task("column", function, counter, &access,
					 1);
}

static void submit_columns(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		submit_column(i, count_call, &counters[i % STRETCH]);
}

/* A stretch, or its first tasks, behind so many tasks that marks join them; the task
 * that fails wrote the last column. */
static plait_status read_behind(uint32_t count)
{
	static struct counter bad = { .result = 9 }, good;
	plait_status status;
	uint64_t seen;

	for (uint32_t i = 0; i < COLUMNS; i++)
		columns[i] = new_data(1, 1, 0, 0, 8, "column");
	for (uint32_t loop = 0; loop < KNOWN; loop++)
		submit_columns(COLUMNS);
	IS_INT(wait_task(0), PLAIT_OK);
	__atomic_store_n(&gate, 0, __ATOMIC_RELEASE);
	for (uint32_t i = 0; i < COLUMNS; i++)
		submit_column(i, hold, i == COLUMNS - 1 ? &bad : &good);
	submit_columns(count);
	interrupt_by_query();
	__atomic_store_n(&gate, 1, __ATOMIC_RELEASE);
	status = plait_data_read(columns[COLUMNS - 1], NULL, &seen, NULL);
	(void)wait_task(0);
	for (uint32_t i = 0; i < COLUMNS; i++)
		plait_data_release(columns[i]);
	return status;
}

/* With a worker: the gate is opened behind the submissions. */
static void keeps_joined_poison(void)
{
	if (!open_repeats(&flow_settings[2], 256))
		return;
	IS_INT(read_behind(3), PLAIT_E_FAILED);
	close_repeats();
	if (!open_repeats(&flow_settings[2], 256))
		return;
	IS_INT(read_behind(COLUMNS), PLAIT_OK);
	close_repeats();
}

enum { WINDOW = 256, FAILING = 40, READERS = 6 };
enum { BEFORE = WINDOW - COLUMNS - 2 };

static uint32_t ended;

static int32_t hold_and_count(void *user_data)
{
	int32_t result = hold(user_data);

	__atomic_add_fetch(&ended, 1, __ATOMIC_RELEASE);
	return result;
}

/* Tasks that fail, then as many readers of each column as a front has, and others: the
 * window has room for a stretch, but none for marks. */
static void fill_window(void)
{
	static struct counter bad = { .result = 9 }, good;

	for (uint32_t i = 0; i < BEFORE; i++) {
		uint32_t column = (i - FAILING) / READERS;
		bool reads = i >= FAILING && column < COLUMNS;
		const plait_access access =
			access_of(columns[reads ? column : 0],
				  PLAIT_ACCESS_READ, NULL);

		call_task("before", hold_and_count, i < FAILING ? &bad : &good,
			  &access, reads);
	}
}

static void open_gate(void)
{
	__atomic_store_n(&gate, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&ended, __ATOMIC_ACQUIRE) < BEFORE)
		sched_yield();
}

/* Tasks fail while a run is held, and its parts get their entries. */
static void fails_beside(void)
{
	uint64_t calls = 0;

	if (!open_repeats(&flow_settings[2], WINDOW))
		return;
	for (uint32_t i = 0; i < COLUMNS; i++)
		columns[i] = new_data(1, 1, 0, 0, 8, "column");
	for (uint32_t loop = 0; loop < KNOWN; loop++)
		submit_columns(COLUMNS);
	IS_INT(wait_task(0), PLAIT_OK);
	__atomic_store_n(&gate, 0, __ATOMIC_RELEASE);
	ended = 0;
	fill_window();
	submit_columns(1);
	open_gate();
	for (uint32_t i = 1; i < COLUMNS; i++)
		submit_column(i, count_call, &counters[i % STRETCH]);
	while (wait_task(0) == PLAIT_E_FAILED)
		continue;
	for (uint32_t i = 0; i < STRETCH; i++)
		calls += counters[i].calls;
	IS_UINT(calls, (KNOWN + 1) * COLUMNS);
	for (uint32_t i = 0; i < COLUMNS; i++)
		plait_data_release(columns[i]);
	close_repeats();
}

/* A failure that was told, and spoils nothing any more, is forgotten: later stretches
 * are runs again. */
static void forgets_failure(void)
{
	static struct counter bad = { .result = 9 };
	plait_flow_info info = { .size = sizeof(info) };
	uint32_t refused = 0;

	if (!open_repeats(&flow_settings[0], 256))
		return;
	IS_INT(wait_task(call_task("bad", count_call, &bad, NULL, 0)),
	       PLAIT_E_FAILED);
	for (uint32_t i = 0; i < (1 << 16) + 512; i++)
		refused += submit_task(i % STRETCH, &numbers[0]) != PLAIT_OK;
	IS_UINT(refused, 0);
	IS_INT(wait_task(0), PLAIT_OK);
	IS_INT(plait_flow_query(flow, &info, NULL), PLAIT_OK);
	IS_UINT(info.failed, 0);
	close_repeats();
}

/* ---- life ---- */

/* The last release of the flow submits what is held. */
static void ends(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		if (!open_repeats(&flow_settings[s], 128))
			continue;
		repeat(KNOWN);
		submit_tasks(3);
		close_repeats();
		check_calls(KNOWN, 3);
	}
}

/* Data that was released is refused. */
static void forgets_data(void)
{
	if (!open_repeats(&flow_settings[0], 256))
		return;
	repeat(KNOWN);
	submit_tasks(3);
	plait_data_release(line);
	IS_INT(submit_task(3, NULL), PLAIT_E_HANDLE);
	IS_INT(wait_task(0), PLAIT_OK);
	check_calls(KNOWN, 3);
	line = NULL;
	close_flow();
}

static void is_cancelled(void)
{
	if (!open_repeats(&flow_settings[0], 256))
		return;
	repeat(KNOWN);
	IS_INT(wait_task(0), PLAIT_OK);
	submit_tasks(3);
	IS_INT(plait_flow_cancel(flow, NULL), PLAIT_OK);
	IS_INT(wait_task(numbers[1]), PLAIT_E_CANCELLED);
	check_calls(KNOWN, 0);
	close_repeats();
}

/* ---- bad input ---- */

static void refused(void)
{
	static const struct {
		plait_flow_flags flag;
		const char *text;
	} others[] = {
		{ PLAIT_FLOW_RECORD, ": PLAIT_FLOW_RECORD with" },
		{ PLAIT_FLOW_STRICT, ": PLAIT_FLOW_STRICT with" },
		{ PLAIT_FLOW_CHECK, ": PLAIT_FLOW_CHECK with" },
		{ PLAIT_FLOW_FIXED, ": PLAIT_FLOW_FIXED with" },
		{ PLAIT_FLOW_RECORD | PLAIT_FLOW_FIXED,
		  ": PLAIT_FLOW_RECORD and _FIXED with" },
		{ PLAIT_FLOW_RECORD | PLAIT_FLOW_STRICT | PLAIT_FLOW_CHECK,
		  ": PLAIT_FLOW_RECORD, _STRICT and _CHECK with" },
	};
	plait_flow *none = NULL;

	if (!open_repeats(&flow_settings[0], 64))
		return;
	for (size_t i = 0; i < TAP_COUNT(others); i++) {
		const plait_flow_desc desc = {
			.size = sizeof(desc),
			.flags = PLAIT_FLOW_REPEATS | others[i].flag,
		};

		IS_INT(plait_flow_create(flow_rig.context, &desc, &none,
					 &flow_rig.error),
		       PLAIT_E_UNSUPPORTED);
		HAS_STR(flow_rig.error.text, "PLAIT_FLOW_REPEATS");
		HAS_STR(flow_rig.error.text, others[i].text);
		OK(none == NULL);
	}
	plait_flow_desc desc = { .size = sizeof(desc),
				 .flags = PLAIT_FLOW_REPEATS,
				 .history = "none" };

	IS_INT(plait_flow_create(flow_rig.context, &desc, &none,
				 &flow_rig.error), PLAIT_E_UNSUPPORTED);
	HAS_STR(flow_rig.error.text, "a history");
	close_repeats();
}

static const struct tap_scenario all[] = {
	{ "has numbers", has_numbers },
	{ "runs between waits", runs_between_waits },
	{ "is interrupted", is_interrupted },
	{ "fails", fails },
	{ "keeps poison", keeps_poison },
	{ "keeps joined poison", keeps_joined_poison },
	{ "fails beside", fails_beside },
	{ "forgets a failure", forgets_failure },
	{ "ends", ends },
	{ "forgets data", forgets_data },
	{ "is cancelled", is_cancelled },
	{ "refused", refused },
};

TAP_MAIN(all)
