/* SPDX-License-Identifier: MIT */
/*
 * Recordings of runs: everything once, in an order that the plan allows, on no,
 * one and several workers and in each way to run; rings that are too small; and
 * rejections.
 */
#include "lib/runs.h"

enum { TURNS = 5, NAMES = 10, MOST = 4096 };

/* The expected number of each record; those of the body once per iteration. */
static const char *const names[NAMES] = {
	"before", "a", "b", "c", "d", "behind", "x", "y", "p", "q"
};
enum { BEFORE, A, B, C, D, BEHIND, X, Y, P, Q };

static struct {
	int32_t left;
	uint64_t ran;
	plait_record records[MOST];
	uint64_t count;
	uint64_t dropped;
	/* By name and iteration: which record; -1 for none. */
	int64_t at[NAMES][TURNS];
	uint64_t decisions;
	uint64_t leaves;
	uint64_t case_decisions;
	uint64_t commands;
	bool good;
} seen;

static int32_t count_down(void *user_data)
{
	(void)user_data;
	if (seen.left > 0)
		return seen.left--;
	seen.left = TURNS;
	return 0;
}

static int32_t choose_second(void *user_data)
{
	(void)user_data;
	return 1;
}

static int32_t count_run(void *user_data)
{
	(void)user_data;
	__atomic_add_fetch(&seen.ran, 1, __ATOMIC_RELAXED);
	return 0;
}

static plait_node add_named(plait_graph *graph, uint32_t name,
			    const plait_node *after, uint64_t count)
{
	return add_call(graph, names[name], count_run, NULL, after, count);
}

static void fill_loop(plait_graph *graph, plait_node loop)
{
	plait_graph *body = body_of(graph, loop, 0);
	plait_node n[3];

	n[0] = add_named(body, A, NULL, 0);
	n[1] = add_named(body, B, n, 1);
	n[2] = add_named(body, C, n, 1);
	(void)add_named(body, D, &n[1], 2);
	plait_graph_release(body);
}

static void fill_case(plait_graph *graph, plait_node node)
{
	plait_graph *body = body_of(graph, node, 0);

	(void)add_named(body, X, NULL, 0);
	plait_graph_release(body);
	body = body_of(graph, node, 1);
	(void)add_named(body, P, NULL, 0);
	(void)add_named(body, Q, NULL, 0);
	plait_graph_release(body);
}

/* before -> loop { a -> (b, c) -> d } -> behind; y; and a case. */
static plait_plan *make_plan(uint32_t instances)
{
	const plait_node_desc loop = {
		.kind = PLAIT_NODE_WHILE, .label = "loop", .times = TURNS,
		.flags = PLAIT_CALL_ANY_THREAD, .function = count_down,
	};
	const plait_node_desc choice = {
		.kind = PLAIT_NODE_CASE, .label = "case", .branch_count = 2,
		.flags = PLAIT_CALL_ANY_THREAD, .function = choose_second,
	};
	plait_graph *graph = new_graph();
	plait_node n[2];
	plait_plan *plan;

	seen.left = TURNS;
	n[0] = add_named(graph, BEFORE, NULL, 0);
	n[1] = add_node(graph, loop, n, 1);
	(void)add_named(graph, BEHIND, &n[1], 1);
	fill_loop(graph, n[1]);
	(void)add_named(graph, Y, NULL, 0);
	fill_case(graph, add_node(graph, choice, NULL, 0));
	plan = freeze(graph, 3, instances);
	plait_graph_release(graph);
	return plan;
}

/* A graph without regions, so that lanes may help each other. */
static plait_plan *make_flat_plan(void)
{
	plait_graph *graph = new_graph();
	plait_node n[4];
	plait_plan *plan;

	n[0] = add_named(graph, A, NULL, 0);
	n[1] = add_named(graph, B, n, 1);
	n[2] = add_named(graph, C, n, 1);
	n[3] = add_named(graph, D, &n[1], 2);
	(void)add_named(graph, BEHIND, &n[3], 1);
	(void)add_named(graph, X, NULL, 0);
	plan = freeze(graph, 3, 2);
	plait_graph_release(graph);
	return plan;
}

static plait_run *start_recorded(plait_plan *plan, uint32_t flags)
{
	const plait_run_desc desc = { .size = sizeof(desc),
				      .flags = flags | PLAIT_RUN_RECORD };
	plait_run *run = NULL;

	OK_THAT(plait_plan_run(plan, rig.queue, &desc, &run, &rig.error) ==
		PLAIT_OK, "run: %s", rig.error.text);
	return run;
}

static plait_run *run_recorded(plait_plan *plan, uint32_t flags)
{
	plait_run *run = start_recorded(plan, flags);

	IS_INT(plait_run_wait(run, PLAIT_FOREVER, &rig.error), PLAIT_OK);
	return run;
}

/* ---- reading records ---- */

static int find_name(const char *label)
{
	for (int i = 0; i < NAMES; i++)
		if (strcmp(label, names[i]) == 0)
			return i;
	return -1;
}

static void read_command(const plait_record *record, const char *label)
{
	int name = find_name(label);
	bool inside = name >= A && name <= D;

	seen.commands++;
	if (name < 0 || record->iteration >= TURNS ||
	    (!inside && record->iteration != 0) ||
	    seen.at[name][record->iteration] >= 0) {
		seen.good = false;
		return;
	}
	seen.at[name][record->iteration] = record - seen.records;
}

static void read_decision(const plait_record *record, const char *label)
{
	if (strcmp(label, "case") == 0) {
		seen.case_decisions++;
		seen.good = seen.good &&
			    (record->other == 1 || record->other == UINT64_MAX);
		return;
	}
	seen.good = seen.good && (seen.dropped > 0 ||
				  record->iteration == seen.decisions);
	seen.decisions++;
	seen.leaves += record->other == UINT64_MAX;
}

static void read_record(plait_plan *plan, const plait_run_info *info,
			const plait_record *record)
{
	plait_command_info command = { .size = sizeof(command) };
	const plait_record *before = record - 1;

	bool good = plait_plan_query_command(plan, record->command, &command,
				       NULL) == PLAIT_OK;

	seen.good = seen.good && good && record->size == sizeof(*record) &&
		    record->planned_lane == command.lane &&
		    record->start_ns <= record->end_ns &&
		    record->start_ns >= info->begin_ns &&
		    record->end_ns <= info->end_ns && record->thread != 0;
	if (record > seen.records && before->lane == record->lane)
		seen.good = seen.good && before->end_ns <= record->start_ns;
	else if (record > seen.records)
		seen.good = seen.good && before->lane < record->lane;
	if (record->kind == PLAIT_RECORD_COMMAND)
		read_command(record, command.label);
	else if (record->kind == PLAIT_RECORD_DECISION)
		read_decision(record, command.label);
	else
		seen.good = seen.good && record->kind == PLAIT_RECORD_WAIT &&
			    record->other != record->command;
}

static void read_all(plait_plan *plan, plait_run *run)
{
	plait_run_info info = { .size = sizeof(info) };
	int32_t left = seen.left;

	memset(&seen, 0, sizeof(seen));
	memset(seen.at, 0xff, sizeof(seen.at));
	seen.left = left;
	seen.good = true;
	seen.records[0].size = sizeof(seen.records[0]);
	IS_INT(plait_run_query(run, &info, NULL), PLAIT_OK);
	IS_INT(plait_run_records(run, seen.records, MOST, &seen.count,
				 &seen.dropped, &rig.error), PLAIT_OK);
	for (uint64_t i = 0; i < seen.count && i < MOST; i++)
		read_record(plan, &info, &seen.records[i]);
	if (seen.dropped == 0)
		IS_UINT(info.commands, seen.commands);
}

static bool comes_before(uint32_t one, uint64_t i, uint32_t other, uint64_t k)
{
	int64_t a = seen.at[one][i], b = seen.at[other][k];

	return a >= 0 && b >= 0 &&
	       seen.records[a].end_ns <= seen.records[b].start_ns;
}

static bool is_in_order(void)
{
	bool good = comes_before(BEFORE, 0, A, 0) &&
		    comes_before(D, TURNS - 1, BEHIND, 0);

	for (uint64_t i = 0; i < TURNS; i++)
		good = good && comes_before(A, i, B, i) &&
		       comes_before(A, i, C, i) && comes_before(B, i, D, i) &&
		       comes_before(C, i, D, i) &&
		       (i == 0 || comes_before(D, i - 1, A, i));
	return good;
}

static void check_once(plait_plan *plan, uint32_t flags)
{
	plait_run_info info = { .size = sizeof(info) };
	plait_run *run = run_recorded(plan, flags);

	read_all(plan, run);
	OK_THAT(seen.good && is_in_order(), "flags %u", flags);
	IS_UINT(seen.dropped, 0);
	/* before, behind, y; p and q; four in each iteration. */
	IS_UINT(seen.commands, 3 + 2 + 4 * TURNS);
	IS_UINT(seen.decisions, TURNS + 1);
	IS_UINT(seen.leaves, 1);
	IS_UINT(seen.case_decisions, 2);
	IS_INT(plait_run_query(run, &info, NULL), PLAIT_OK);
	IS_UINT(info.iterations, TURNS);
	/* A case without a hint may run each of its branches. */
	IS_UINT(info.commands_expected, 3 + 3 + 4 * TURNS);
	plait_run_release(run);
}

static void everything_once(uint32_t flags)
{
	plait_plan *plan = make_plan(2);

	IS_INT(call_with(plan, flags), PLAIT_OK);
	IS_INT(plait_plan_record(plan, 0, &rig.error), PLAIT_OK);
	for (int i = 0; i < 3; i++) {
		check_once(plan, flags);
		IS_INT(call_with(plan, flags), PLAIT_OK);
		IS_INT(call_with(plan, flags | PLAIT_RUN_RECORD), PLAIT_OK);
	}
	plait_plan_release(plan);
}

static void records_everything_once(void)
{
	everywhere(everything_once);
}

static void flat_once(uint32_t flags)
{
	plait_plan *plan = make_flat_plan();

	IS_INT(plait_plan_record(plan, 100, &rig.error), PLAIT_OK);
	for (int i = 0; i < 20; i++) {
		plait_run *run = run_recorded(plan, flags);

		read_all(plan, run);
		OK(seen.good && seen.commands == 6 && seen.dropped == 0);
		OK(comes_before(A, 0, B, 0) && comes_before(A, 0, C, 0) &&
		   comes_before(B, 0, D, 0) && comes_before(C, 0, D, 0) &&
		   comes_before(D, 0, BEHIND, 0) && seen.at[X][0] >= 0);
		plait_run_release(run);
		IS_INT(run_with(plan, flags), PLAIT_OK);
	}
	plait_plan_release(plan);
}

static void records_without_regions(void)
{
	everywhere(flat_once);
}

/* ---- room ---- */

/* The newest ones stay, and the others are counted. */
static void small_room(uint32_t flags)
{
	plait_run_info info = { .size = sizeof(info) };
	plait_plan *plan = make_plan(2);
	plait_run *run;

	IS_INT(plait_plan_record(plan, 3, &rig.error), PLAIT_OK);
	run = run_recorded(plan, flags);
	read_all(plan, run);
	OK(seen.good);
	OK(seen.count <= 9 && seen.count >= 3);
	/* All commands and decisions, and perhaps waits. */
	OK(seen.count + seen.dropped >= 3 + 2 + 4 * TURNS + TURNS + 1 + 2);
	IS_INT(plait_run_query(run, &info, NULL), PLAIT_OK);
	IS_UINT(info.commands, 3 + 2 + 4 * TURNS);
	plait_run_release(run);
	plait_plan_release(plan);
}

static void keeps_the_newest(void)
{
	everywhere(small_room);
}

/* Held runs keep their records. */
static void keep_many(uint32_t flags)
{
	plait_plan *plan = make_plan(2);
	plait_run *runs[7];
	uint64_t firsts[7];

	IS_INT(plait_plan_record(plan, 64, &rig.error), PLAIT_OK);
	for (uint32_t i = 0; i < 7; i++) {
		runs[i] = run_recorded(plan, flags);
		read_all(plan, runs[i]);
		firsts[i] = seen.records[0].start_ns;
	}
	for (uint32_t i = 0; i < 7; i++) {
		read_all(plan, runs[i]);
		OK(seen.good && seen.records[0].start_ns == firsts[i]);
		plait_run_release(runs[i]);
	}
	plait_plan_release(plan);
}

static void held_runs_keep_theirs(void)
{
	everywhere(keep_many);
}

/* ---- as text ---- */

static bool write_one(plait_run *run, int32_t format, const char *first,
		      const char *last)
{
	static char text[1 << 20];
	uint64_t bytes = 0, again = 0;
	bool good;

	good = plait_run_write(run, format, NULL, 0, &bytes, &rig.error) ==
	       PLAIT_OK && bytes > 0 && bytes < sizeof(text) &&
	       plait_run_write(run, format, text, bytes - 1, &again,
			       &rig.error) == PLAIT_E_INVALID &&
	       plait_run_write(run, format, text, bytes, &again,
			       &rig.error) == PLAIT_OK && again == bytes;
	return good && strncmp(text, first, strlen(first)) == 0 &&
	       strncmp(text + bytes - strlen(last), last, strlen(last)) == 0;
}

static void write_both(uint32_t flags)
{
	plait_plan *plan = make_plan(2);
	plait_run *run;

	/* One with all records, and one without its first half. */
	IS_INT(plait_plan_record(plan, flags == 0 ? 2 : 0, &rig.error),
	       PLAIT_OK);
	run = run_recorded(plan, flags);
	OK(write_one(run, PLAIT_TRACE_JSON, "{", "]}\n"));
	OK(write_one(run, PLAIT_TRACE_SVG, "<svg ", "</svg>\n"));
	IS_INT(plait_run_write(run, 7, NULL, 0, NULL, &rig.error),
	       PLAIT_E_INVALID);
	plait_run_release(run);
	plait_plan_release(plan);
}

static void writes_text(void)
{
	everywhere(write_both);
}

/* ---- runs in flight, and rejections ---- */

static int32_t count_and_fail(void *user_data)
{
	(void)user_data;
	return 3;
}

static void failed_runs_are_recorded(void)
{
	for (uint32_t w = 0; w < WORKERS; w++) {
		plait_graph *graph;
		plait_plan *plan;
		plait_run *run;
		plait_node node;

		if (!open_host(worker_counts[w]))
			continue;
		graph = new_graph();
		node = add_call(graph, "a", count_run, NULL, NULL, 0);
		node = add_call(graph, "b", count_and_fail, NULL, &node, 1);
		(void)add_call(graph, "c", count_run, NULL, &node, 1);
		plan = freeze(graph, 2, 2);
		plait_graph_release(graph);
		IS_INT(plait_plan_record(plan, 0, &rig.error), PLAIT_OK);
		run = start_recorded(plan, 0);
		IS_INT(plait_run_wait(run, PLAIT_FOREVER, &rig.error),
		       PLAIT_E_FAILED);
		(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
		read_all(plan, run);
		OK(seen.good && seen.commands == 2 && seen.at[A][0] >= 0 &&
		   seen.at[B][0] >= 0 && seen.at[C][0] < 0);
		plait_run_release(run);
		plait_plan_release(plan);
		close_rig(&rig);
	}
}

/* Behind a command that fails a run does nothing, and reports that. */
static void runs_that_do_not_begin(void)
{
	plait_run_info info = { .size = sizeof(info) };
	uint64_t count = 1;
	plait_plan *plan;
	plait_run *run;

	if (!open_host(1))
		return;
	plan = make_plan(2);
	IS_INT(plait_plan_record(plan, 0, &rig.error), PLAIT_OK);
	IS_INT(plait_queue_call(rig.queue, count_and_fail, NULL, &rig.error),
	       PLAIT_OK);
	run = start_recorded(plan, 0);
	OK(plait_run_wait(run, PLAIT_FOREVER, &rig.error) != PLAIT_OK);
	(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
	IS_INT(plait_run_records(run, NULL, 0, &count, NULL, &rig.error),
	       PLAIT_OK);
	IS_UINT(count, 0);
	IS_INT(plait_run_query(run, &info, NULL), PLAIT_OK);
	IS_UINT(info.commands, 0);
	OK(write_one(run, PLAIT_TRACE_JSON, "{", "]}\n"));
	OK(write_one(run, PLAIT_TRACE_SVG, "<svg ", "</svg>\n"));
	plait_run_release(run);
	plait_plan_release(plan);
	close_rig(&rig);
}

/* Recording is switched on while runs are in flight: they are not affected. */
static void room_at_any_time(void)
{
	enum { RUNS = 8 };

	for (uint32_t w = 0; w < WORKERS; w++) {
		plait_run *runs[RUNS];
		plait_plan *plan;

		if (!open_host(worker_counts[w]))
			continue;
		plan = make_flat_plan();
		for (int i = 0; i < RUNS; i++) {
			const plait_run_desc desc = {
				.size = sizeof(desc),
				.flags = i > RUNS / 2 ? PLAIT_RUN_RECORD : 0,
			};

			if (i == RUNS / 2)
				IS_INT(plait_plan_record(plan, 20, &rig.error),
				       PLAIT_OK);
			IS_INT(plait_plan_run(plan, rig.queue, &desc,
					      &runs[i], &rig.error), PLAIT_OK);
		}
		for (int i = 0; i < RUNS; i++) {
			uint64_t count = 0;

			IS_INT(plait_run_wait(runs[i], PLAIT_FOREVER,
					      &rig.error), PLAIT_OK);
			IS_INT(plait_run_records(runs[i], NULL, 0, &count,
						 NULL, &rig.error),
			       i > RUNS / 2 ? PLAIT_OK : PLAIT_E_STATE);
			OK(i > RUNS / 2 ? count >= 6 : count == 0);
			plait_run_release(runs[i]);
		}
		plait_plan_release(plan);
		close_rig(&rig);
	}
}

static void refuses(void)
{
	plait_record wrong = { .size = 12 };
	uint64_t count = 0;
	plait_plan *plan;
	plait_run *run;

	if (!open_host(0))
		return;
	plan = make_plan(2);
	IS_INT(call_with(plan, PLAIT_RUN_RECORD), PLAIT_E_STATE);
	HAS_STR(rig.error.text, "plait_plan_record");
	IS_INT(plait_plan_record(plan, UINT64_C(1) << 40, &rig.error),
	       PLAIT_E_INVALID);
	IS_INT(plait_plan_record(plan, 100, &rig.error), PLAIT_OK);
	IS_INT(plait_plan_record(plan, 100, &rig.error), PLAIT_OK);
	IS_INT(plait_plan_record(plan, 101, &rig.error), PLAIT_E_STATE);
	HAS_STR(rig.error.text, "keeps 100 records");
	run = start_recorded(plan, 0);
	/* No thread has waited, so nothing was done. */
	IS_INT(plait_run_records(run, NULL, 0, &count, NULL, &rig.error),
	       PLAIT_E_STATE);
	HAS_STR(rig.error.text, "not done");
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, &rig.error), PLAIT_OK);
	IS_INT(plait_run_records(run, &wrong, 1, &count, NULL, &rig.error),
	       PLAIT_E_INVALID);
	HAS_STR(rig.error.text, "room for 1 records");
	IS_INT(plait_run_records(run, &wrong, count, NULL, NULL, &rig.error),
	       PLAIT_E_INVALID);
	HAS_STR(rig.error.text, "size 12");
	plait_run_release(run);
	plait_plan_release(plan);
	close_rig(&rig);
}

static const struct tap_scenario all[] = {
	{ "everything once, in order", records_everything_once },
	{ "without regions", records_without_regions },
	{ "a full ring keeps the newest", keeps_the_newest },
	{ "held runs keep their records", held_runs_keep_theirs },
	{ "as text", writes_text },
	{ "failed runs", failed_runs_are_recorded },
	{ "runs that do not begin", runs_that_do_not_begin },
	{ "room at any time", room_at_any_time },
	{ "refuses", refuses },
};
TAP_MAIN(all)
