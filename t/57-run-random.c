/* SPDX-License-Identifier: MIT */
/*
 * Random graphs (t/maze.h) in random plans, run in every way, whole, failing
 * and cancelled at random places, against a walk that knows only the graph.
 * Nothing here depends on time, or on who is first: each check holds for every
 * order that the graph allows.
 *
 *	t/57-run-random.t [seed=N] [rounds=N] [only=ROUND]
 */
#include "maze.h"
#include "runs.h"

enum { ALL_WORKERS = 5, WORLDS = 3, RUNS = 6 };

/* A graph with its plan, and the ways it is run. */
struct round {
	struct maze_random random;
	struct maze maze;
	struct maze_world worlds[WORLDS];
	plait_buffer *pointers[WORLDS];
	plait_plan *plan;
	plait_inbox *inbox;
	uint64_t gate;		/* how far it was raised */
	uint64_t graphs, runs, entries;
	/* Where to look when something is wrong. */
	uint32_t number;
	uint32_t workers;
	char plan_text[80];
	bool bad;
};

static struct round round_;
static struct maze_kernels kernels;

static uint64_t below(uint64_t bound)
{
	return maze_below(&round_.random, bound);
}

static bool must(bool held, const char *what)
{
	if (held || round_.bad)
		return held;
	round_.bad = true;
	return OK_THAT(false, "round %u, %u workers, %s: %s (%s)",
		       round_.number, round_.workers, round_.plan_text, what,
		       rig.error.text);
}

/* ---- what a run is told ---- */

struct told {
	plait_run_desc desc;
	plait_binding bindings[3];
	plait_launch size;
};

static void tell(struct told *told, const char *name, plait_binding binding)
{
	plait_binding *next = &told->bindings[told->desc.binding_count++];

	binding.size = sizeof(binding);
	(void)must(plait_plan_parameter(round_.plan, name, &binding.parameter,
					&rig.error) == PLAIT_OK, name);
	*next = binding;
}

static void tell_all(struct told *told, uint32_t world)
{
	struct maze_world *at = &round_.worlds[world];

	memset(told, 0, sizeof(*told));
	told->desc.size = sizeof(told->desc);
	told->desc.flags = run_flags[below(TAP_COUNT(run_flags))];
	told->desc.bindings = told->bindings;
	told->size = (plait_launch){ .size = sizeof(told->size),
				     .items = { at->size, 0, 0 } };
	if (round_.maze.has_value)
		tell(told, "salt", (plait_binding){ .value = &at->salt,
						    .bytes = 8 });
	if (round_.maze.has_size)
		tell(told, "size", (plait_binding){ .value = &told->size });
	if (round_.maze.overlaps)
		tell(told, "world", (plait_binding){
			.buffer = round_.pointers[world] });
}

/* ---- looking at what it did ---- */

static void look(uint32_t world, enum maze_extent extent,
		 struct maze_report *report)
{
	char text[120];

	maze_walk(&round_.maze, &round_.worlds[world], extent, report);
	if (report->wrong != NULL) {
		(void)snprintf(text, sizeof(text), "spot %u, turn %u %s",
			       report->spot, report->turn, report->wrong);
		(void)must(false, text);
	}
	round_.runs++;
	round_.entries += report->ran;
}

/* The first thing that a whole run tells is how often everything runs. */
static void call_whole(struct maze_report *report)
{
	struct told told;

	maze_reset(&round_.worlds[0], maze_next(&round_.random));
	tell_all(&told, 0);
	if (must(plait_plan_call(round_.plan, below(2) ? rig.queue : NULL,
				 &told.desc, &rig.error) == PLAIT_OK, "call"))
		look(0, MAZE_WHOLE, report);
}

/* ---- on a queue, with something that happens ---- */

static void check_failed_node(const plait_run_info *info)
{
	plait_command_info command = { .size = sizeof(command) };
	char want[16];

	(void)snprintf(want, sizeof(want), "maze:%u)", round_.worlds[0].fuse);
	(void)must(strstr(rig.error.text, want) != NULL,
		   "the failure names another node");
	(void)must(info->failed_command != UINT64_MAX &&
		   plait_plan_command(round_.plan, info->failed_command,
				      &command, &rig.error) == PLAIT_OK,
		   "no failed command");
}

static void check_told(plait_run *run, plait_status status)
{
	plait_event event = { .size = sizeof(event) };

	/* It is announced after it has ended, which its waiter may see first. */
	(void)must(plait_inbox_wait(round_.inbox, TAP_PATIENCE_NS,
				    &rig.error) == PLAIT_OK &&
		   plait_inbox_next(round_.inbox, &event, &rig.error) ==
			   PLAIT_OK &&
		   event.kind == PLAIT_EVENT_RUN && event.run == run &&
		   event.status == status, "not told of its end");
	(void)must(plait_inbox_next(round_.inbox, &event, &rig.error) ==
		   PLAIT_PENDING, "told twice");
}

/* May have been cancelled or not, where `maybe`. */
static void check_end(plait_run *run, plait_status status, bool maybe)
{
	static const plait_status wanted[] = {
		[MAZE_GOES_ON] = PLAIT_OK,
		[MAZE_FAILS] = PLAIT_E_FAILED,
		[MAZE_CANCELS] = PLAIT_E_CANCELLED,
	};
	const struct maze_world *world = &round_.worlds[0];
	plait_run_info info = { .size = sizeof(info) };
	struct maze_report report;
	char text[60];

	(void)snprintf(text, sizeof(text), "action %d%s, status %d",
		       (int)world->action, maybe ? ", cancelled" : "",
		       (int)status);
	(void)must(status == wanted[world->action] ||
		   (maybe && status == PLAIT_E_CANCELLED), text);
	(void)must(plait_run_query(run, &info, NULL) == PLAIT_OK &&
		   info.status == status, "another status");
	look(0, status == PLAIT_OK ? MAZE_WHOLE :
		maybe ? MAZE_ANY : MAZE_TO_FUSE, &report);
	if (status == PLAIT_E_FAILED)
		check_failed_node(&info);
	else
		(void)must(info.failed_command == UINT64_MAX,
			   "a failed command");
	if (status == PLAIT_OK)
		(void)must(info.iterations == report.iterations, "iterations");
	check_told(run, status);
}

/* It is held until its handle is known to all that may cancel it. */
static plait_run *set_out(void)
{
	struct told told;
	plait_run *run = NULL;

	tell_all(&told, 0);
	(void)must(plait_queue_wait(rig.queue, rig.gate, ++round_.gate,
				    &rig.error) == PLAIT_OK, "wait");
	(void)must(plait_plan_run(round_.plan, rig.queue, &told.desc, &run,
				  &rig.error) == PLAIT_OK, "run");
	(void)must(plait_run_notify(run, round_.inbox, NULL, NULL,
				    &rig.error) == PLAIT_OK, "notify");
	__atomic_store_n(&round_.worlds[0].run, run, __ATOMIC_RELEASE);
	(void)must(plait_signal_raise(rig.gate, round_.gate, &rig.error) ==
		   PLAIT_OK, "raise");
	return run;
}

static void run_with_action(const struct maze_report *whole,
			    enum maze_action action, bool cancel_here)
{
	struct maze_world *world = &round_.worlds[0];
	plait_status status;
	plait_run *run;

	maze_reset(world, maze_next(&round_.random));
	world->action = action;
	world->fuse = (uint32_t)below(round_.maze.spot_count);
	if (whole->times[world->fuse] == 0 || action == MAZE_GOES_ON ||
	    (action == MAZE_FAILS &&
	     round_.maze.spots[world->fuse].branches > 0))
		world->action = MAZE_GOES_ON;
	else
		world->fuse_turn = (uint32_t)below(whole->times[world->fuse]);
	run = set_out();
	if (cancel_here)
		(void)must(plait_run_cancel(run, &rig.error) == PLAIT_OK,
			   "cancel");
	status = plait_run_wait(run, PLAIT_FOREVER, &rig.error);
	/* The event that announces its end may end the wait; then it has. */
	if (status == PLAIT_EVENT_READY)
		status = plait_run_wait(run, 0, &rig.error);
	check_end(run, status, cancel_here);
	plait_run_release(run);
	(void)must(plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL) ==
		   status, "what its queue says");
	(void)must(plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL) ==
		   PLAIT_OK, "the queue goes on");
}

/* ---- several at once ---- */

static void run_overlapping(void)
{
	struct maze_report report;
	plait_run *runs[WORLDS] = { NULL };
	plait_status status;
	struct told told;

	for (uint32_t i = 0; i < WORLDS; i++) {
		maze_reset(&round_.worlds[i], maze_next(&round_.random));
		tell_all(&told, i);
		/* Where there is no instance left, one has to end first. */
		status = plait_plan_run(round_.plan, rig.queue, &told.desc,
					&runs[i], &rig.error);
		(void)must(status == PLAIT_OK, "run");
	}
	for (uint32_t i = WORLDS; i-- > 0;) {
		(void)must(plait_run_wait(runs[i], PLAIT_FOREVER,
					  &rig.error) == PLAIT_OK, "wait");
		look(i, MAZE_WHOLE, &report);
		plait_run_release(runs[i]);
	}
}

/* ---- a round ---- */

static bool make_plan(plait_graph *graph)
{
	plait_freeze_desc desc = {
		.size = sizeof(desc),
		.flags = below(4) == 0 ? 0 : PLAIT_FREEZE_CHECK,
		.policy = below(4) == 0 ? PLAIT_POLICY_WIDEST :
					  PLAIT_POLICY_BOUNDED,
		.mode = below(2) ? PLAIT_MODE_STRICT : PLAIT_MODE_HELPED,
		.lanes = 1 + (uint32_t)below(6),
		.instances = 1 + (uint32_t)below(3),
		.hop_cost = below(3) * 7,
	};

	(void)snprintf(round_.plan_text, sizeof(round_.plan_text),
		       "%u spots, policy %u, mode %u, lanes %u, hop %u",
		       round_.maze.spot_count, desc.policy, desc.mode,
		       desc.lanes, (unsigned)desc.hop_cost);
	return must(plait_graph_freeze(graph, &desc, &round_.plan,
				       &rig.error) == PLAIT_OK, "freeze");
}

static void make_pointers(void)
{
	const plait_buffer_desc desc = { .size = sizeof(desc), .bytes = 8 };

	for (uint32_t i = 0; i < WORLDS; i++) {
		const struct maze_world *world = &round_.worlds[i];

		(void)must(plait_buffer_create(rig.device, &desc,
					       &round_.pointers[i],
					       &rig.error) == PLAIT_OK &&
			   plait_queue_write(rig.queue, round_.pointers[i], 0,
					     &world, sizeof(world),
					     &rig.error) == PLAIT_OK,
			   "a pointer");
	}
}

static void run_all(void)
{
	struct maze_report whole = { 0 };

	call_whole(&whole);
	if (round_.maze.overlaps) {
		run_overlapping();
		return;
	}
	for (uint32_t i = 0; i < RUNS && !round_.bad; i++)
		run_with_action(&whole, (enum maze_action)(i % 3),
				below(3) == 0);
	if (!round_.bad)
		call_whole(&whole);
}

static void run_round(uint64_t seed)
{
	plait_graph *graph;

	round_.random.state = seed;
	round_.plan_text[0] = '\0';
	maze_make(&round_.maze, maze_next(&round_.random), 3 + below(14),
		  below(5) == 0);
	round_.maze.world = &round_.worlds[0];
	graph = maze_build(&round_.maze, &kernels, rig.context, rig.queue,
			   &rig.error);
	if (must(graph != NULL, "build") && make_plan(graph)) {
		if (round_.maze.overlaps)
			make_pointers();
		run_all();
		plait_plan_release(round_.plan);
		for (uint32_t i = 0; round_.maze.overlaps && i < WORLDS; i++)
			plait_buffer_release(round_.pointers[i]);
	}
	plait_graph_release(graph);
	maze_free(&round_.maze);
	round_.graphs++;
}

/* Counted, not timed; fewer where every access is checked. */
static uint32_t rounds(void)
{
	const char *asked = tap_argument("rounds");
	const char *sanitizer = getenv("PLAIT_SANITIZER");

	if (asked != NULL)
		return (uint32_t)strtoul(asked, NULL, 10);
	if (tap_soak())
		return 100000;
	return sanitizer == NULL || strcmp(sanitizer, "no") == 0 ? 250 : 40;
}

static void random_graphs(void)
{
	const char *only = tap_argument("only");
	uint64_t seed = tap_seed();
	uint32_t count = rounds();

	for (uint32_t w = 0; w < ALL_WORKERS; w++) {
		if (!open_host(w))
			return;
		round_.workers = w;
		round_.gate = 0;
		OK(maze_open(&kernels, rig.context));
		IS_INT(plait_inbox_create(rig.context, &round_.inbox,
					  &rig.error), PLAIT_OK);
		for (uint32_t i = w; i < count * ALL_WORKERS;
		     i += ALL_WORKERS) {
			round_.number = i;
			if (only == NULL || strtoul(only, NULL, 10) == i)
				run_round(maze_mix(seed, i));
			if (round_.bad)
				break;
		}
		plait_inbox_release(round_.inbox);
		maze_close(&kernels);
		close_rig(&rig);
	}
	OK(!round_.bad);
	NOTE("%llu graphs, %llu runs, %llu functions",
	     (unsigned long long)round_.graphs,
	     (unsigned long long)round_.runs,
	     (unsigned long long)round_.entries);
}

static const struct tap_scenario all[] = {
	{ "random graphs", random_graphs },
};
TAP_MAIN(all)
