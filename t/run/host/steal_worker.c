/* SPDX-License-Identifier: MIT */
/*
 * Work stealing, mode HELPED: graphs with many more nodes than lanes, and
 * durations that differ in each run, so that lanes help each other.  Each node
 * checks that those before it are done in this run.
 */
#define RUN_MODE PLAIT_MODE_HELPED
#include "lib/runs.h"

enum { WIDE = 24, DEEP = 12, MOST = WIDE * DEEP, BEFORE = 3, RUNS = 24 };
enum { SMALL_RUNS = 60 };

struct cell {
	uint32_t number;
	uint32_t count;
	uint32_t before[BEFORE];
	/* Shared: the last run that executed the node, and how often in all. */
	uint32_t done;
	uint32_t times;
	uint64_t bytes; /* plain, to see that those before it were seen */
};

static const plait_run_desc parallel = { .size = sizeof(parallel),
					 .flags = PLAIT_RUN_PARALLEL };
static struct cell cells[MOST];
static struct {
	uint32_t run;
	uint32_t wrong;
	uint32_t failing; /* a cell, or MOST */
	uint32_t ending;  /* its thread, likewise */
	bool small;	  /* they take next to no time */
} now;

static uint64_t random_state;

static uint32_t below(uint32_t limit)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((random_state >> 33) % limit);
}

/* Few rounds, or many, drawn anew for each run. */
static uint64_t work(const struct cell *cell)
{
	uint64_t x = cell->number * 0x9e3779b97f4a7c15u + now.run;
	uint32_t turns;

	x ^= x >> 29;
	turns = now.small ? 0 : x % 10 == 0 ? 4000 : 40;
	while (turns-- > 0)
		x = x * 6364136223846793005u + 1;
	return x;
}

static int32_t do_cell(void *user_data)
{
	struct cell *cell = user_data;
	uint64_t sum = work(cell);

	for (uint32_t i = 0; i < cell->count; i++) {
		const struct cell *before = &cells[cell->before[i]];

		/* Relaxed: the engine that runs the plan orders them. */
		if (__atomic_load_n(&before->done, __ATOMIC_RELAXED) != now.run)
			__atomic_add_fetch(&now.wrong, 1, __ATOMIC_RELAXED);
		sum += before->bytes;
	}
	cell->bytes = sum;
	__atomic_add_fetch(&cell->times, 1, __ATOMIC_RELAXED);
	if (cell->number == now.failing)
		return 5;
	if (cell->number == now.ending)
		pthread_exit(NULL);
	__atomic_store_n(&cell->done, now.run, __ATOMIC_RELAXED);
	return 0;
}

static bool add_cell(plait_graph *graph, plait_node *nodes, uint32_t number)
{
	plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_CALL,
		.flags = PLAIT_CALL_ANY_THREAD, .function = do_cell,
	};
	struct cell *cell = &cells[number];
	uint32_t row = number / WIDE;
	plait_node after[BEFORE];
	char label[16];

	*cell = (struct cell){ .number = number };
	while (row > 0 && cell->count < 1 + number % BEFORE) {
		cell->before[cell->count] = (row - 1) * WIDE + below(WIDE);
		after[cell->count] = nodes[cell->before[cell->count]];
		cell->count++;
	}
	(void)snprintf(label, sizeof(label), "c%u", number);
	desc.label = label;
	desc.user_data = cell;
	return plait_graph_add(graph, &desc, after, cell->count,
			       &nodes[number], &rig.error) == PLAIT_OK;
}

static plait_plan *make_plan(uint32_t lanes, uint32_t instances)
{
	plait_graph *graph = new_graph();
	plait_node nodes[MOST];
	plait_plan_info info = { .size = sizeof(info) };
	bool added = true;
	plait_plan *plan;

	random_state = tap_seed();
	memset(&now, 0, sizeof(now));
	now.failing = MOST;
	now.ending = MOST;
	for (uint32_t i = 0; i < MOST; i++)
		added = added && add_cell(graph, nodes, i);
	OK(added);
	plan = freeze(graph, lanes, instances);
	OK(plait_plan_query(plan, &info, &rig.error) == PLAIT_OK &&
	   info.lanes == lanes && info.mode == PLAIT_MODE_HELPED);
	plait_graph_release(graph);
	return plan;
}

static uint32_t count_done(void)
{
	uint32_t done = 0;

	for (uint32_t i = 0; i < MOST; i++)
		done += __atomic_load_n(&cells[i].done, __ATOMIC_RELAXED) ==
			now.run;
	return done;
}

static bool runs_right(plait_plan *plan, uint32_t flags)
{
	bool call = now.run % 3 != 0;

	now.run++;
	return (call ? call_with : run_with)(plan, flags) == PLAIT_OK &&
	       count_done() == MOST &&
	       __atomic_load_n(&now.wrong, __ATOMIC_RELAXED) == 0;
}

static void keeps_edges(void)
{
	static const uint32_t lanes[] = { 2, 3, 5 };

	for (uint32_t w = 0; w < WORKERS; w++) {
		if (!open_host(worker_counts[w]))
			continue;
		for (uint32_t l = 0; l < TAP_COUNT(lanes); l++) {
			plait_plan *plan = make_plan(lanes[l], 1);
			bool good = true;
			bool once = true;

			for (uint32_t i = 0; good && i < RUNS; i++)
				good = runs_right(plan, PLAIT_RUN_PARALLEL);
			for (uint32_t i = 0; i < 5; i++)
				good = good && runs_right(plan, 0) &&
				       runs_right(plan, PLAIT_RUN_SERIAL);
			for (uint32_t i = 0; i < MOST; i++)
				once = once && cells[i].times == now.run;
			OK_THAT(good && once, "%u workers, %u lanes: run %u, "
				"%u wrong: %s", worker_counts[w], lanes[l],
				now.run, now.wrong, rig.error.text);
			plait_plan_release(plan);
		}
		close_rig(&rig);
	}
}

/* Is `number` after `before`, over any number of others? */
static bool depends(uint32_t number, uint32_t before)
{
	bool found = number == before;

	for (uint32_t i = 0; !found && i < cells[number].count; i++)
		found = depends(cells[number].before[i], before);
	return found;
}

/* Check the nodes that ran in the run that failed at `failed`; none of them may
 * be a successor of that one. */
static bool ended_there(uint32_t failed, uint32_t times)
{
	bool good = cells[failed].times == times + 1;

	for (uint32_t i = 0; i < MOST; i++)
		if (cells[i].times > times && i != failed)
			good = good && cells[i].times == times + 1 &&
			       !depends(i, failed);
	return good;
}

static void fails_and_goes_on(void)
{
	for (uint32_t w = 0; w < WORKERS; w++) {
		plait_plan *plan;

		if (!open_host(worker_counts[w]))
			continue;
		for (uint32_t failed = WIDE; failed < MOST; failed += 2 * WIDE) {
			char name[32];

			plan = make_plan(3, 1);
			OK(runs_right(plan, PLAIT_RUN_PARALLEL));
			now.run++;
			now.failing = failed;
			(void)snprintf(name, sizeof(name), "\"c%u\" failed with 5",
				       failed);
			IS_INT(call_with(plan, PLAIT_RUN_PARALLEL),
			       PLAIT_E_FAILED);
			HAS_STR(rig.error.text, name);
			OK(ended_there(failed, 1));
			now.failing = MOST;
			OK_THAT(runs_right(plan, PLAIT_RUN_PARALLEL),
				"%u workers, after c%u failed: %s",
				worker_counts[w], failed, rig.error.text);
			plait_plan_release(plan);
		}
		close_rig(&rig);
	}
}

/* Polled: a waiting thread may do the work, and is not to end. */
static bool ends_a_worker(plait_plan *plan)
{
	plait_run *run = NULL;
	bool good;

	if (plait_plan_run(plan, rig.queue, &parallel, &run, &rig.error))
		return false;
	while (plait_run_poll(run, &rig.error) == PLAIT_PENDING)
		pause_a_little();
	good = plait_run_poll(run, &rig.error) == PLAIT_E_FAILED &&
	       strstr(rig.error.text, "did not return") != NULL;
	plait_run_release(run);
	(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
	return good;
}

static void threads_end_inside(void)
{
	for (uint32_t w = 1; w < WORKERS; w++) {
		plait_plan *plan;

		if (!open_host(worker_counts[w]))
			continue;
		plan = make_plan(3, 1);
		for (uint32_t i = 0; i < 6; i++) {
			now.run++;
			now.ending = i * 2 * WIDE;
			OK_THAT(ends_a_worker(plan), "%u workers, round %u: %s",
				worker_counts[w], i, rig.error.text);
			now.ending = MOST;
			OK_THAT(runs_right(plan, PLAIT_RUN_PARALLEL),
				"%u workers, after round %u: %s",
				worker_counts[w], i, rig.error.text);
		}
		plait_plan_release(plan);
		close_rig(&rig);
	}
}

/* So small that members of the steal set claim batches, once they have seen
 * it. */
static void run_small(plait_plan *plan)
{
	bool good = true;

	now.small = true;
	for (uint32_t i = 0; good && i < SMALL_RUNS; i++)
		good = runs_right(plan, PLAIT_RUN_PARALLEL);
	OK_THAT(good, "run %u, %u wrong: %s", now.run, now.wrong,
		rig.error.text);
}

static void small_ones(void)
{
	for (uint32_t w = 0; w < WORKERS; w++) {
		plait_plan *plan;

		if (!open_host(worker_counts[w]))
			continue;
		plan = make_plan(3, 1);
		run_small(plan);
		now.run++;
		now.failing = 3 * WIDE + 7;
		IS_INT(call_with(plan, PLAIT_RUN_PARALLEL), PLAIT_E_FAILED);
		OK(ended_there(now.failing, now.run - 1));
		now.failing = MOST;
		run_small(plan);
		for (uint32_t i = 0; worker_counts[w] > 0 && i < 4; i++) {
			now.run++;
			now.ending = i * 2 * WIDE + 5;
			OK_THAT(ends_a_worker(plan), "%u workers, round %u: %s",
				worker_counts[w], i, rig.error.text);
			now.ending = MOST;
			run_small(plan);
		}
		now.small = false;
		OK(runs_right(plan, PLAIT_RUN_PARALLEL));
		OK(runs_right(plan, PLAIT_RUN_PARALLEL));
		plait_plan_release(plan);
		close_rig(&rig);
	}
}

/* Each command is written down once, by one of so many lanes. */
static bool were_done_by(plait_run *run, uint32_t lanes)
{
	static plait_record records[2 * MOST];
	uint32_t times[MOST] = { 0 };
	uint64_t count = 0, dropped = 0;
	bool good;

	records[0].size = sizeof(records[0]);
	good = plait_run_records(run, records, 2 * MOST, &count, &dropped,
				 &rig.error) == PLAIT_OK && dropped == 0;
	for (uint64_t i = 0; i < count && i < 2 * MOST; i++) {
		good = good && records[i].lane < lanes &&
		       records[i].command < MOST;
		if (good && records[i].kind == PLAIT_RECORD_COMMAND)
			times[records[i].command]++;
	}
	for (uint32_t i = 0; i < MOST; i++)
		good = good && times[i] == 1;
	return good;
}

static void on_fewer_lanes(const char *said, uint32_t lanes)
{
	const plait_run_desc desc = {
		.size = sizeof(desc),
		.flags = PLAIT_RUN_PARALLEL | PLAIT_RUN_RECORD,
	};
	plait_run *run = NULL;
	plait_plan *plan;

	setenv("PLAIT_LANES", said, 1);
	plan = make_plan(5, 1);
	/* A wait is followed by a command. */
	OK(plait_plan_record(plan, 2 * MOST, &rig.error) == PLAIT_OK);
	now.run++;
	OK(plait_plan_run(plan, rig.queue, &desc, &run, &rig.error) ==
	   PLAIT_OK);
	OK(plait_run_wait(run, PLAIT_FOREVER, &rig.error) == PLAIT_OK);
	OK_THAT(were_done_by(run, lanes), "PLAIT_LANES=%s", said);
	OK(count_done() == MOST && now.wrong == 0);
	OK(runs_right(plan, PLAIT_RUN_PARALLEL));
	plait_run_release(run);
	plait_plan_release(plan);
	unsetenv("PLAIT_LANES");
}

static void fewer_lanes(void)
{
	if (!open_host(3))
		return;
	on_fewer_lanes("0", 5);
	on_fewer_lanes("3", 3);
	on_fewer_lanes("2", 2);
	on_fewer_lanes("1", 1);
	close_rig(&rig);
}

static const struct tap_scenario all[] = {
	{ "keeps edges", keeps_edges },
	{ "fails and goes on", fails_and_goes_on },
	{ "threads end inside", threads_end_inside },
	{ "small ones", small_ones },
	{ "on fewer lanes", fewer_lanes },
};
TAP_MAIN(all)
