/* SPDX-License-Identifier: MIT */
/*
 * Execution of mazes (t/lib/maze.h): a graph in a plan, the bindings of each
 * run of it, failure or cancellation in one of its functions, and the checks
 * after the run.
 */
#ifndef T_MAZE_RUN_H
#define T_MAZE_RUN_H

#include "maze.h"
#include "runs.h"

enum { WORLDS = 3, ROOM = 2000 };

/* A graph with its plan, and the ways in which it is run. */
struct round {
	struct maze_random random;
	struct maze maze;
	struct maze_world worlds[WORLDS];
	plait_buffer *pointers[WORLDS];
	plait_plan *plan;
	plait_inbox *inbox;
	uint64_t gate;		/* how far it was raised */
	uint64_t graphs, runs, entries, traces;
	bool records;		/* the plan has room for them */
	bool recorded[WORLDS];	/* its last run */
	/* The place to look at when a check fails. */
	uint64_t number;
	const char *place;
	char plan_text[80];
	bool bad;
};

static struct round round_;
static struct maze_kernels kernels;
static struct maze_trace trace;

static inline uint64_t below(uint64_t bound)
{
	return maze_below(&round_.random, bound);
}

static inline bool must(bool held, const char *what)
{
	if (held || round_.bad)
		return held;
	round_.bad = true;
	return OK_THAT(false, "round %llu, %s, %s: %s (%s)",
		       (unsigned long long)round_.number, round_.place,
		       round_.plan_text, what, rig.error.text);
}

/* ---- bindings of a run ---- */

struct told {
	plait_run_desc desc;
	plait_binding bindings[3];
	plait_launch size;
};

static inline void tell(struct told *told, const char *name,
			plait_binding binding)
{
	plait_binding *next = &told->bindings[told->desc.binding_count++];

	binding.size = sizeof(binding);
	(void)must(plait_plan_find_parameter(round_.plan, name, &binding.parameter,
					&rig.error) == PLAIT_OK, name);
	*next = binding;
}

static inline void tell_all(struct told *told, uint32_t world)
{
	struct maze_world *at = &round_.worlds[world];

	memset(told, 0, sizeof(*told));
	told->desc.size = sizeof(told->desc);
	told->desc.flags = run_flags[below(TAP_COUNT(run_flags))];
	round_.recorded[world] = round_.records && below(2) == 0;
	if (round_.recorded[world])
		told->desc.flags |= PLAIT_RUN_RECORD;
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

/* ---- checks of a run ---- */

/* `run`: null for a call, which keeps no records. */
static inline void look(uint32_t world, enum maze_extent extent,
			plait_run *run, struct maze_report *report)
{
	bool recorded = run != NULL && round_.recorded[world];
	char text[120];

	if (recorded)
		(void)must(maze_trace_read(&trace, round_.plan, run,
					   &rig.error), "records");
	maze_walk(&round_.maze, &round_.worlds[world], extent,
		  recorded && !round_.bad ? &trace : NULL, report);
	if (report->wrong != NULL) {
		(void)snprintf(text, sizeof(text), "spot %u, turn %u %s",
			       report->spot, report->turn, report->wrong);
		(void)must(false, text);
	}
	round_.runs++;
	round_.entries += report->ran;
	round_.traces += recorded;
}

/* The first thing to learn from a whole run is how often each spot executes. */
static inline void call_whole(struct maze_report *report)
{
	struct told told;

	maze_reset(&round_.worlds[0], maze_next(&round_.random));
	tell_all(&told, 0);
	if (must(plait_plan_call(round_.plan, below(2) ? rig.queue : NULL,
				 &told.desc, &rig.error) == PLAIT_OK, "call"))
		look(0, MAZE_WHOLE, NULL, report);
}

/* ---- runs on a queue, with a failure or a cancellation ---- */

static inline void check_failed_node(const plait_run_info *info)
{
	plait_command_info command = { .size = sizeof(command) };
	char want[16];

	(void)snprintf(want, sizeof(want), "maze:%u)", round_.worlds[0].fuse);
	(void)must(strstr(rig.error.text, want) != NULL,
		   "the failure names another node");
	(void)must(info->failed_command != UINT64_MAX &&
		   plait_plan_query_command(round_.plan, info->failed_command,
				      &command, &rig.error) == PLAIT_OK,
		   "no failed command");
}

static inline void check_told(plait_run *run, plait_status status)
{
	plait_event event = { .size = sizeof(event) };

	/* The signal is raised after the run has ended, and the waiter may see
	 * the end first. */
	(void)must(plait_inbox_wait(round_.inbox, TAP_PATIENCE_NS,
				    &rig.error) == PLAIT_OK &&
		   plait_inbox_next(round_.inbox, &event, &rig.error) ==
			   PLAIT_OK &&
		   event.kind == PLAIT_EVENT_RUN && event.run == run &&
		   event.status == status, "no event of its end");
	(void)must(plait_inbox_next(round_.inbox, &event, &rig.error) ==
		   PLAIT_PENDING, "two events of its end");
}

/* With `maybe` the run may have been cancelled or not. */
static inline void check_end(plait_run *run, plait_status status, bool maybe)
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
		maybe ? MAZE_ANY : MAZE_TO_FUSE, run, &report);
	if (status == PLAIT_E_FAILED)
		check_failed_node(&info);
	else
		(void)must(info.failed_command == UINT64_MAX,
			   "a failed command");
	if (status == PLAIT_OK)
		(void)must(info.iterations == report.iterations, "iterations");
	check_told(run, status);
}

/* Held until its handle is known to all threads that may cancel it. */
static inline plait_run *set_out(void)
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

/* In that execution of that spot.  False: the spot has none, or cannot do
 * that. */
static inline bool set_fuse(const struct maze_report *whole,
			    enum maze_action action, uint32_t spot,
			    uint32_t turn)
{
	struct maze_world *world = &round_.worlds[0];

	if (turn >= whole->times[spot] ||
	    (action == MAZE_FAILS && round_.maze.spots[spot].branches > 0))
		return false;
	world->action = action;
	world->fuse = spot;
	world->fuse_turn = turn;
	return true;
}

/* An event may end the wait: that of the run's own end, too. */
static inline plait_status wait_for(plait_run *run, uint64_t timeout_ns)
{
	plait_status status = plait_run_wait(run, timeout_ns, &rig.error);

	return status == PLAIT_EVENT_READY ?
	       plait_run_wait(run, 0, &rig.error) : status;
}

/* Cancelled after so many polls; returns true if the run had ended before. */
static inline bool run_to_end(uint64_t looks)
{
	plait_run *run = set_out();
	plait_status status = PLAIT_E_TIMEOUT;
	bool early;

	for (uint64_t i = 0; i < looks && status == PLAIT_E_TIMEOUT; i++)
		status = wait_for(run, looks == UINT64_MAX ? PLAIT_FOREVER : 0);
	early = status != PLAIT_E_TIMEOUT;
	if (!early)
		(void)must(plait_run_cancel(run, &rig.error) == PLAIT_OK,
			   "cancel");
	status = wait_for(run, PLAIT_FOREVER);
	check_end(run, status, !early);
	plait_run_release(run);
	(void)must(plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL) ==
		   status, "what its queue says");
	(void)must(plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL) ==
		   PLAIT_OK, "the queue goes on");
	return early;
}

/* ---- a place ---- */

struct maze_place {
	const char *name;
	const char *backends;
	const char *options;
	uint32_t workers;
	uint32_t freeze;	/* PLAIT_FREEZE_... */
	const char *lanes;	/* PLAIT_LANES, or null */
};

#ifdef ON_DRIVER
static const struct maze_place places[] = {
	{ "driver, 0 workers", DRIVER_BACKEND, NULL, 0, 0, NULL },
	{ "driver, 2 workers", DRIVER_BACKEND, NULL, 2, 0, NULL },
	{ "driver and host", DRIVER_BACKEND ",host", NULL, 1, 0, NULL },
};
#endif

static inline bool open_mazes(const struct maze_place *place)
{
	plait_context_desc desc = {
		.size = sizeof(desc), .backends = place->backends,
		.options = place->options, .workers = place->workers,
		.flags = place->workers == 0 ? PLAIT_CONTEXT_NO_WORKERS : 0,
		.allocator = &counting,
	};
	const plait_signal_desc gate = { .size = sizeof(gate),
					 .flags = PLAIT_SIGNAL_GATE };

#ifdef ON_DRIVER
	look_for_driver();
	desc.options = DRIVER_OPTIONS;
#endif
	/* An empty value means the same as no variable. */
	setenv("PLAIT_LANES", place->lanes != NULL ? place->lanes : "", 1);
	memset(&rig, 0, sizeof(rig));
	rig.error.size = sizeof(rig.error);
	round_.place = place->name;
	round_.gate = 0;
	round_.plan_text[0] = '\0';
	/* Not a line each: there are thousands of places in a run of hours. */
	return must(plait_context_open(&desc, &rig.context, &rig.error) ==
		    PLAIT_OK, "open") &&
	       must(plait_context_device(rig.context, 0, &rig.device,
					 &rig.error) == PLAIT_OK, "device") &&
	       must(plait_queue_create(rig.device, NULL, &rig.queue,
				       &rig.error) == PLAIT_OK, "queue") &&
	       must(plait_signal_create(rig.device, &gate, &rig.gate,
					&rig.error) == PLAIT_OK, "gate") &&
	       must(plait_inbox_create(rig.context, &round_.inbox,
				       &rig.error) == PLAIT_OK, "inbox") &&
	       must(maze_open(&kernels, rig.context), "kernels");
}

static inline void close_mazes(void)
{
	plait_inbox_release(round_.inbox);
	maze_close(&kernels);
	close_rig(&rig);
}

/* ---- a plan ---- */

static inline bool make_plan(plait_graph *graph, uint32_t flags)
{
	plait_freeze_desc desc = {
		.size = sizeof(desc),
		.flags = flags | (below(4) == 0 ? 0 : PLAIT_FREEZE_CHECK),
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
	if (!must(plait_graph_freeze(graph, &desc, &round_.plan,
				     &rig.error) == PLAIT_OK, "freeze"))
		return false;
	round_.graphs++;
	round_.records = below(3) == 0;
	return !round_.records ||
	       must(plait_plan_record(round_.plan, ROOM, &rig.error) ==
		    PLAIT_OK, "room for records");
}

#endif
