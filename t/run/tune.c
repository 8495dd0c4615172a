/* SPDX-License-Identifier: MIT */
/*
 * Re-planning with measured costs.  The test puts the costs into the recorder,
 * so that nothing depends on a clock: wrong hints give a bad plan, the times
 * give a better one.
 */
#include "run/api/prepare.h"
#include "run/record/recorder.h"
#include "lib/runs.h"

/* A lane has a short one less than the two others: wrong hints put all long
 * ones there. */
enum { SHORT = 11, LONG = 3, NODES = SHORT + LONG + 1 };

static struct trace trace;
static struct mark marks[NODES];

/* True costs of the commands: the last ones are long, the hints say that all
 * others are. */
static uint64_t ns_of(uint32_t node)
{
	return node >= SHORT && node < SHORT + LONG ? 90000 : 1000;
}

static plait_plan *make_plan(uint32_t lanes)
{
	plait_graph *graph = new_graph();
	plait_node nodes[NODES];
	plait_plan *plan;
	char label[8];

	memset(&trace, 0, sizeof(trace));
	for (uint32_t i = 0; i < NODES; i++) {
		plait_node_desc desc = {
			.kind = PLAIT_NODE_CALL, .label = label,
			.flags = PLAIT_CALL_ANY_THREAD, .function = put_mark,
			.user_data = &marks[i],
			.cost = ns_of(i) > 1000 ? 1 : 40,
		};

		marks[i] = (struct mark){ .trace = &trace, .number = i };
		(void)snprintf(label, sizeof(label), "n%u", i);
		nodes[i] = add_node(graph, desc, nodes,
				    i + 1 == NODES ? i : 0);
	}
	plan = freeze(graph, lanes, 2);
	plait_graph_release(graph);
	return plan;
}

static plait__program *program_of(plait_plan *plan)
{
	plait__program *program = NULL;
	plait__plan_object *frozen;

	OK(plait__plan_object_enter(plan, &frozen, NULL) == PLAIT_OK);
	OK(plait__prepare_program(frozen, &program, NULL) == PLAIT_OK);
	plait__object_leave(&frozen->object);
	return program;
}

static plait__recorder *recorder_of(plait_plan *plan)
{
	return plait__program_recorder(program_of(plan));
}

/* As if it had run three times, one of them disturbed. */
static void put_times(plait_plan *plan)
{
	plait__recorder *recorder = recorder_of(plan);
	const plait__plan *of = recorder->plan;

	for (uint32_t i = 0; i < of->command_count; i++) {
		uint64_t ns = ns_of(of->commands[i].node);

		recorder->samples[i] = (plait__cost_sample){
			.count = 3, .ns = { ns, 100 * ns, ns }
		};
	}
}

static uint64_t makespan_of(plait_plan *plan)
{
	plait_simulation simulation = { .size = sizeof(simulation) };

	OK(plait_plan_simulate(plan, NULL, &simulation, NULL, 0, NULL) ==
	   PLAIT_OK);
	return simulation.makespan;
}

static bool ran_in_order(uint32_t times)
{
	bool good = true;

	for (uint32_t i = 0; i < NODES; i++)
		good = good && trace.times[i] == times &&
		       trace.at[i] <= trace.at[NODES - 1];
	return good;
}

/* ---- better ---- */

static void check_better(uint32_t flags)
{
	plait_tune_info info = { .size = sizeof(info) };
	plait_plan *plan = make_plan(3);
	plait_plan *tuned = NULL;

	IS_INT(plait_plan_record(plan, 0, &rig.error), PLAIT_OK);
	IS_INT(call_with(plan, flags | PLAIT_RUN_RECORD), PLAIT_OK);
	put_times(plan);
	IS_INT(plait_plan_tune(plan, NULL, &tuned, &info, &rig.error),
	       PLAIT_OK);
	IS_UINT(info.runs, 1);
	IS_UINT(info.measured, NODES);
	/* The three long ones on a lane each; at first they shared one. */
	IS_UINT(info.after_ns, makespan_of(tuned));
	OK_THAT(info.before_ns > info.after_ns, "%llu, then %llu",
		(unsigned long long)info.before_ns,
		(unsigned long long)info.after_ns);
	OK(info.after_ns <= 90000 + 5 * 1000);
	IS_INT(plait_plan_check(tuned, &rig.error), PLAIT_OK);
	/* Both plans run. */
	IS_INT(run_with(tuned, flags), PLAIT_OK);
	OK(ran_in_order(2));
	IS_INT(call_with(plan, flags), PLAIT_OK);
	OK(ran_in_order(3));
	plait_plan_release(plan);
	IS_INT(call_with(tuned, flags), PLAIT_OK);
	OK(ran_in_order(4));
	plait_plan_release(tuned);
}

static void wrong_hints_are_mended(void)
{
	everywhere(check_better);
}

/* ---- errors of callers ---- */

static void modes_and_lanes(void)
{
	plait_tune_desc desc = { .size = sizeof(desc),
				 .mode = PLAIT_MODE_AUTO, .lanes = 2 };
	plait_plan_info plan_info = { .size = sizeof(plan_info) };
	plait_plan *plan, *tuned = NULL;

	if (!open_host(0))
		return;
	plan = make_plan(3);
	IS_INT(plait_plan_record(plan, 0, &rig.error), PLAIT_OK);
	IS_INT(call_with(plan, PLAIT_RUN_RECORD), PLAIT_OK);
	put_times(plan);
	IS_INT(plait_plan_tune(plan, &desc, &tuned, NULL, &rig.error),
	       PLAIT_OK);
	IS_INT(plait_plan_query(tuned, &plan_info, NULL), PLAIT_OK);
	IS_UINT(plan_info.lanes, 2);
	/* 90 against a mean of 18. */
	IS_UINT(plan_info.mode, PLAIT_MODE_STRICT);
	plait_plan_release(tuned);
	recorder_of(plan)->samples[0] = (plait__cost_sample){
		.count = 1, .ns = { 9000000 }
	};
	IS_INT(plait_plan_tune(plan, &desc, &tuned, NULL, &rig.error),
	       PLAIT_OK);
	IS_INT(plait_plan_query(tuned, &plan_info, NULL), PLAIT_OK);
	IS_UINT(plan_info.mode, PLAIT_MODE_HELPED);
	plait_plan_release(tuned);
	desc.mode = 7;
	IS_INT(plait_plan_tune(plan, &desc, &tuned, NULL, &rig.error),
	       PLAIT_E_INVALID);
	OK(tuned == NULL);
	plait_plan_release(plan);
	close_rig(&rig);
}

/* ---- times that vary ---- */

enum { RUNS = 7, LONG_NS = 90000, SHORT_NS = 1000 };

/* Always the same, or nearly. */
static uint64_t steady(uint32_t node, uint32_t run)
{
	return ns_of(node) + (node * 7 + run * 3) % 100;
}

/* In each run other commands take long; mostly none does. */
static uint64_t drawn_anew(uint32_t node, uint32_t run)
{
	return (node * 5 + run * 3) % NODES < LONG ? LONG_NS : SHORT_NS;
}

/* Some runs have three times the work, everywhere. */
static uint64_t more_work(uint32_t node, uint32_t run)
{
	return ns_of(node) * (run % 3 == 1 ? 3 : 1);
}

/* Each is disturbed once, and one of them twice. */
static uint64_t disturbed(uint32_t node, uint32_t run)
{
	return (node + run) % RUNS == 0 || (node == 0 && run == 3) ?
	       SHORT_NS + 4000 : SHORT_NS;
}

/* Hardly more than it takes to read the clock. */
static uint64_t tiny(uint32_t node, uint32_t run)
{
	return 20 + (node + run) % 3 * 30;
}

/* As if it had run so often. */
static uint32_t tuned_mode(uint64_t (*take)(uint32_t node, uint32_t run),
			   uint32_t runs)
{
	const plait_tune_desc desc = { .size = sizeof(desc),
				       .mode = PLAIT_MODE_AUTO };
	plait_plan_info info = { .size = sizeof(info) };
	plait_plan *plan = make_plan(3), *tuned = NULL;
	plait__recorder *recorder;

	IS_INT(plait_plan_record(plan, 0, &rig.error), PLAIT_OK);
	recorder = recorder_of(plan);
	recorder->runs = runs;
	for (uint32_t i = 0; i < NODES; i++) {
		plait__cost_sample *sample = &recorder->samples[i];

		sample->count = runs;
		for (uint32_t k = 0; k < runs; k++)
			sample->ns[k] = take(
				recorder->plan->commands[i].node, k);
	}
	IS_INT(plait_plan_tune(plan, &desc, &tuned, NULL, &rig.error),
	       PLAIT_OK);
	IS_INT(plait_plan_query(tuned, &info, NULL), PLAIT_OK);
	plait_plan_release(tuned);
	plait_plan_release(plan);
	return info.mode;
}

static void changing_times(void)
{
	if (!open_host(0))
		return;
	IS_UINT(tuned_mode(steady, RUNS), PLAIT_MODE_STRICT);
	IS_UINT(tuned_mode(more_work, RUNS), PLAIT_MODE_STRICT);
	IS_UINT(tuned_mode(disturbed, RUNS), PLAIT_MODE_STRICT);
	IS_UINT(tuned_mode(drawn_anew, RUNS), PLAIT_MODE_HELPED);
	IS_UINT(tuned_mode(tiny, RUNS), PLAIT_MODE_STRICT);
	/* Two runs do not tell which one was as usual. */
	IS_UINT(tuned_mode(more_work, 2), PLAIT_MODE_STRICT);
	close_rig(&rig);
}

/* An unseen command costs as much as its hint, in proportion. */
static void unseen_commands(void)
{
	plait_tune_info info = { .size = sizeof(info) };
	plait_plan *plan, *tuned = NULL;
	plait__recorder *recorder;

	if (!open_host(0))
		return;
	plan = make_plan(1);
	IS_INT(plait_plan_tune(plan, NULL, &tuned, NULL, &rig.error),
	       PLAIT_E_STATE);
	IS_INT(plait_plan_record(plan, 0, &rig.error), PLAIT_OK);
	IS_INT(plait_plan_tune(plan, NULL, &tuned, NULL, &rig.error),
	       PLAIT_E_STATE);
	HAS_STR(rig.error.text, "no run of the plan was recorded");
	recorder = recorder_of(plan);
	for (uint32_t i = 0; i < NODES; i++)
		if (recorder->plan->commands[i].node == 0)
			recorder->samples[i] = (plait__cost_sample){
				.count = 1, .ns = { 4000 }
			};
	/* Its cost was 40, so a unit is 100 ns. */
	IS_INT(plait_plan_tune(plan, NULL, &tuned, &info, &rig.error),
	       PLAIT_OK);
	IS_UINT(info.measured, 1);
	IS_UINT(info.after_ns, 100 * (40 * (SHORT + 1) + LONG));
	IS_UINT(info.before_ns, info.after_ns);
	plait_plan_release(tuned);
	plait_plan_release(plan);
	close_rig(&rig);
}

/* A plan for queues is tuned for queues, also where all devices are the host. */
static void engine_of_queues(void)
{
	const plait_freeze_desc desc = { .size = sizeof(desc),
					 .flags = PLAIT_FREEZE_QUEUES };
	plait_graph *graph;
	plait_plan *plan = NULL, *tuned = NULL;

	if (!open_host(0))
		return;
	memset(&trace, 0, sizeof(trace));
	marks[0] = (struct mark){ .trace = &trace };
	graph = new_graph();
	(void)add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_CALL, .flags = PLAIT_CALL_ANY_THREAD,
		.function = put_mark, .user_data = &marks[0],
	}, NULL, 0);
	IS_INT(plait_graph_freeze(graph, &desc, &plan, &rig.error), PLAIT_OK);
	plait_graph_release(graph);
	IS_INT(plait_plan_record(plan, 0, &rig.error), PLAIT_OK);
	recorder_of(plan)->samples[0] = (plait__cost_sample){
		.count = 1, .ns = { 4000 }
	};
	IS_INT(plait_plan_tune(plan, NULL, &tuned, NULL, &rig.error), PLAIT_OK);
	OK(program_of(tuned)->engine == program_of(plan)->engine);
	IS_INT(call_with(tuned, 0), PLAIT_OK);
	IS_UINT(trace.times[0], 1);
	plait_plan_release(tuned);
	plait_plan_release(plan);
	close_rig(&rig);
}

static const struct tap_scenario all[] = {
	{ "wrong hints are mended", wrong_hints_are_mended },
	{ "modes and lanes", modes_and_lanes },
	{ "changing times", changing_times },
	{ "unseen commands", unseen_commands },
	{ "engine of queues", engine_of_queues },
};
TAP_MAIN(all)
