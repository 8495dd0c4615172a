/* SPDX-License-Identifier: MIT */
/* Simulations through the public interface: the whole, and each lane in records
 * of their own size. */
#include "plait/plait.h"

#include "lib/tap.h"

#include <stdio.h>
#include <string.h>

static plait_context *context;
static plait_error error = { .size = sizeof(error) };

static int32_t decide(void *user_data)
{
	(void)user_data;
	return 0;
}

/* A record as a caller of a later version has it. */
struct later {
	plait_lane_use use;
	uint64_t news[3];
};

static plait_plan *new_plan(const char *text, uint32_t lanes)
{
	plait_freeze_desc desc = { .size = sizeof(desc), .lanes = lanes };
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;

	IS_INT(plait_graph_read(context, text, strlen(text), "t", &graph,
				&error), PLAIT_OK);
	IS_INT(plait_graph_freeze(graph, &desc, &plan, &error), PLAIT_OK);
	plait_graph_release(graph);
	return plan;
}

/* a on far, then b (4) and c (2) on near, the loop three times 5 on near. */
static const char mixed[] =
	"device near lanes=2\ndevice far lanes=1\n"
	"node a cost=3 device=far\nnode b cost=4 after=a\n"
	"node c cost=2 after=a\ndo l times=3 after=b\n  node x cost=5\nend\n";

static void each_lane(void)
{
	plait_plan *plan = new_plan(mixed, 0);
	plait_simulation whole = { .size = sizeof(whole) };
	plait_lane_use lanes[5] = { { .size = sizeof(lanes[0]) } };
	uint64_t busy = 0, commands = 0;

	lanes[3].busy = 77;
	IS_INT(plait_plan_simulate(plan, NULL, &whole, lanes, 5, &error),
	       PLAIT_OK);
	IS_UINT(whole.makespan, 3 + 4 + 15);
	for (int i = 0; i < 3; i++) {
		bool far = lanes[i].device == 1;

		IS_UINT(lanes[i].size, sizeof(lanes[i]));
		IS_STR(lanes[i].device_name, far ? "far" : "near");
		IS_UINT(lanes[i].start, far ? 0 : 3);
		OK(lanes[i].end >= lanes[i].start + 2);
		OK(lanes[i].end <= whole.makespan);
		busy += lanes[i].busy;
		commands += lanes[i].commands;
	}
	IS_UINT(busy, whole.busy);
	IS_UINT(busy, 3 + 4 + 2 + 15);
	IS_UINT(commands, 5);
	/* Memory behind the last lane is the caller's. */
	IS_UINT(lanes[3].busy, 77);
	plait_plan_release(plan);
}

/* A region keeps each lane that its bodies use. */
static void in_a_region(void)
{
	plait_plan *plan = new_plan("device g lanes=2\nnode a cost=10\n"
				    "while w times=3 after=a\nnode b cost=5\n"
				    "node c cost=4\nend\n", 0);
	plait_simulation whole = { .size = sizeof(whole) };
	plait_lane_use lanes[2] = { { .size = sizeof(lanes[0]) } };

	IS_INT(plait_plan_simulate(plan, NULL, &whole, lanes, 2, &error),
	       PLAIT_OK);
	IS_UINT(lanes[0].start, 0);
	IS_UINT(lanes[0].end, 25);
	IS_UINT(lanes[1].start, 10);
	IS_UINT(lanes[1].end, 25);
	IS_UINT(lanes[1].busy, 12);
	plait_plan_release(plan);
}

static uint32_t below(uint64_t *random, uint32_t bound)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*random >> 33) % bound);
}

/* Nodes in loops and cases, up to three in each other; a second node in a row
 * may come after the first one. */
static void draw_text(char text[4000], uint64_t *random)
{
	static const char *const opens[] = { "do", "while", "case" };
	char *at = text, *end = text + 4000;
	uint32_t kinds[3], depth = 0;

	for (uint32_t i = 0; i < 40; i++) {
		uint32_t what = below(random, 8);

		at += snprintf(at, (size_t)(end - at), "node n%u cost=%u\n", i,
			       below(random, 9));
		if (what == 0 && depth > 0) {
			depth--;
			at += snprintf(at, (size_t)(end - at), "end\n");
		} else if (what == 1 && depth > 0 && kinds[depth - 1] == 2) {
			at += snprintf(at, (size_t)(end - at), "branch\n");
		} else if (what < 4 && depth < 3) {
			uint32_t kind = kinds[depth++] = below(random, 3);

			at += snprintf(at, (size_t)(end - at), "%s r%u %s=%u\n",
				       opens[kind], i,
				       kind == 2 ? "take" : "times",
				       kind == 2 ? 0 : 1 + below(random, 4));
		} else if (what < 6) {
			at += snprintf(at, (size_t)(end - at),
				       "node m%u after=n%u cost=2\n", i, i);
		}
	}
	/* No case is empty. */
	at += snprintf(at, (size_t)(end - at), "node z\n");
	while (depth-- > 0)
		at += snprintf(at, (size_t)(end - at), "end\n");
}

/* No lane works longer than from its first command to its last one. */
static void in_random_regions(void)
{
	uint64_t seed = tap_seed();
	uint32_t wrong = 0, busy = 0;

	for (uint32_t i = 0; i < 200; i++) {
		plait_simulation whole = { .size = sizeof(whole) };
		plait_lane_use lanes[4] = { { .size = sizeof(lanes[0]) } };
		uint64_t random = seed * 1000 + i;
		plait_plan *plan;
		char text[4000];

		draw_text(text, &random);
		plan = new_plan(text, 4);
		if (plait_plan_simulate(plan, NULL, &whole, lanes, 4,
					&error) != PLAIT_OK)
			wrong++;
		for (uint32_t k = 0; k < 4; k++) {
			busy += lanes[k].busy > 0;
			wrong += lanes[k].end < lanes[k].start ||
				 lanes[k].end - lanes[k].start <
				 lanes[k].busy ||
				 lanes[k].end > whole.makespan;
		}
		plait_plan_release(plan);
	}
	OK_THAT(wrong == 0, "%u lanes work longer than they are there", wrong);
	OK_THAT(busy > 300, "%u lanes worked", busy);
}

static void larger_records(void)
{
	plait_plan *plan = new_plan(mixed, 0);
	plait_simulation whole = { .size = sizeof(whole) };
	plait_lane_use ours[3] = { { .size = sizeof(ours[0]) } };
	struct later theirs[3] = { { .use.size = sizeof(theirs[0]) } };

	theirs[2].news[1] = 5;
	IS_INT(plait_plan_simulate(plan, NULL, &whole, ours, 3, &error),
	       PLAIT_OK);
	IS_INT(plait_plan_simulate(plan, NULL, &whole, &theirs[0].use, 3,
				   &error), PLAIT_OK);
	for (int i = 0; i < 3; i++) {
		IS_UINT(theirs[i].use.size, sizeof(theirs[i]));
		IS_UINT(theirs[i].use.busy, ours[i].busy);
		IS_UINT(theirs[i].use.end, ours[i].end);
		IS_STR(theirs[i].use.device_name, ours[i].device_name);
		IS_UINT(theirs[i].news[1], 0);
	}
	plait_plan_release(plan);
}

/* The critical path of the run, with records of any size. */
static void critical(void)
{
	struct step {
		plait_critical_command of;
		uint64_t news;
	} steps[4] = { { .of.size = sizeof(steps[0]) } };
	static const char *const labels[] = { "a", "b", "l" };
	static const uint64_t ends[] = { 3, 7, 22 };
	plait_plan *plan = new_plan(mixed, 0);
	plait_system_desc system = { .size = sizeof(system), .hop_cost = 5 };

	steps[3].news = 7;
	IS_INT(plait_plan_critical_path(plan, NULL, &steps[0].of, 4, &error),
	       PLAIT_OK);
	for (int i = 0; i < 3; i++) {
		IS_STR(steps[i].of.label, labels[i]);
		IS_UINT(steps[i].of.end, ends[i]);
		IS_UINT(steps[i].of.start, i > 0 ? ends[i - 1] : 0);
		OK(steps[i].of.lane == steps[1].of.lane || i == 0);
	}
	IS_UINT(steps[1].of.node, 1);
	IS_UINT(steps[3].news, 7);
	IS_INT(plait_plan_critical_path(plan, &system, &steps[0].of, 3, &error),
	       PLAIT_OK);
	IS_UINT(steps[1].of.start, 8);
	IS_INT(plait_plan_critical_path(plan, NULL, &steps[0].of, 2, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "room for 2 commands, the critical path has 3");
	IS_INT(plait_plan_critical_path(plan, NULL, NULL, 3, &error),
	       PLAIT_E_INVALID);
	steps[0].of.size = 12;
	IS_INT(plait_plan_critical_path(plan, NULL, &steps[0].of, 3, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "plait_critical_command: size 12");
	steps[0].of.size = 8;
	IS_INT(plait_plan_critical_path(plan, NULL, &steps[0].of, 3, &error),
	       PLAIT_E_INVALID);
	system.flags = 2;
	IS_INT(plait_plan_critical_path(plan, &system, NULL, 0, &error),
	       PLAIT_E_UNSUPPORTED);
	plait_plan_release(plan);
	IS_INT(plait_plan_critical_path(plan, NULL, NULL, 0, &error),
	       PLAIT_E_HANDLE);
	plan = new_plan("", 0);
	IS_INT(plait_plan_critical_path(plan, NULL, NULL, 0, &error), PLAIT_OK);
	plait_plan_release(plan);
}

static void refuse(plait_plan *plan, plait_lane_use *lanes, uint64_t count,
		   const char *why)
{
	plait_simulation whole = { .size = sizeof(whole), .makespan = 99 };

	IS_INT(plait_plan_simulate(plan, NULL, &whole, lanes, count, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, why);
	IS_UINT(whole.makespan, 99);
}

static void bad_input(void)
{
	plait_plan *plan = new_plan(mixed, 0);
	plait_simulation whole = { .size = sizeof(whole) };
	plait_lane_use lanes[3] = { { .size = sizeof(lanes[0]) } };

	refuse(plan, lanes, 2, "room for 2 lanes, the plan has 3");
	refuse(plan, lanes, 0, "room for 0 lanes");
	lanes[0].size = sizeof(lanes[0]) - 8;
	refuse(plan, lanes, 3, "plait_lane_use");
	lanes[0].size = sizeof(lanes[0]) + 4;
	refuse(plan, lanes, 3, "plait_lane_use: size");
	lanes[0].size = 0;
	refuse(plan, lanes, 3, "plait_lane_use");
	/* No lanes were requested: the count does not matter. */
	IS_INT(plait_plan_simulate(plan, NULL, &whole, NULL, 7, &error),
	       PLAIT_OK);
	IS_INT(plait_plan_simulate(plan, NULL, NULL, NULL, 0, &error),
	       PLAIT_E_INVALID);
	plait_plan_release(plan);
	IS_INT(plait_plan_simulate(plan, NULL, &whole, NULL, 0, &error),
	       PLAIT_E_HANDLE);
}

/* An empty plan has no lanes to write, with any record. */
static void no_lanes(void)
{
	plait_plan *plan = new_plan("", 0);
	plait_simulation whole = { .size = sizeof(whole) };
	plait_lane_use lane = { .size = 3 };

	IS_INT(plait_plan_simulate(plan, NULL, &whole, &lane, 0, &error),
	       PLAIT_OK);
	IS_UINT(whole.makespan, 0);
	IS_UINT(lane.size, 3);
	plait_plan_release(plan);
}

/* Times that do not fit stay at the largest number. */
static void huge_costs(void)
{
	plait_plan *plan = new_plan(mixed, 0);
	plait_system_desc system = { .size = sizeof(system),
				     .hop_cost = UINT64_MAX - 4 };
	plait_simulation whole = { .size = sizeof(whole) };
	plait_lane_use lanes[3] = { { .size = sizeof(lanes[0]) } };

	IS_INT(plait_plan_simulate(plan, &system, &whole, lanes, 3, &error),
	       PLAIT_OK);
	IS_UINT(whole.makespan, UINT64_MAX);
	for (int i = 0; i < 3; i++)
		OK(lanes[i].device == 1 ? lanes[i].end == 3 :
		   lanes[i].end == UINT64_MAX);
	system.flags = 1;
	IS_INT(plait_plan_simulate(plan, &system, &whole, NULL, 0, &error),
	       PLAIT_E_UNSUPPORTED);
	plait_plan_release(plan);
}

/* A case with bodies of cost 3 and 9; `times` is 1 + the expected one. */
static plait_status expect(uint64_t times, uint64_t makespan, const char *take)
{
	static char json[1 << 14];
	plait_node_desc desc = { .size = sizeof(desc), .branch_count = 2,
				 .kind = PLAIT_NODE_CASE, .times = times,
				 .flags = PLAIT_CALL_ANY_THREAD | PLAIT_NODE_FREE,
				 .function = decide };
	plait_graph *graph = NULL, *body = NULL;
	plait_simulation whole = { .size = sizeof(whole) };
	plait_plan *plan = NULL;
	plait_status status;
	plait_node node;

	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	status = plait_graph_add(graph, &desc, NULL, 0, &node, &error);
	desc = (plait_node_desc){ .size = sizeof(desc),
				  .kind = PLAIT_NODE_MARK };
	for (uint64_t i = 0; status == PLAIT_OK && i < 2; i++) {
		desc.cost = 3 + 6 * i;
		IS_INT(plait_graph_body(graph, node, i, &body, &error),
		       PLAIT_OK);
		IS_INT(plait_graph_add(body, &desc, NULL, 0, NULL, &error),
		       PLAIT_OK);
		plait_graph_release(body);
	}
	if (status == PLAIT_OK) {
		IS_INT(plait_graph_freeze(graph, NULL, &plan, &error), PLAIT_OK);
		IS_INT(plait_plan_simulate(plan, NULL, &whole, NULL, 0, &error),
		       PLAIT_OK);
		IS_UINT(whole.makespan, makespan);
		IS_INT(plait_plan_write(plan, PLAIT_FORMAT_JSON, json,
					sizeof(json), NULL, &error), PLAIT_OK);
		HAS_STR(json, take);
	}
	plait_plan_release(plan);
	plait_graph_release(graph);
	return status;
}

static void expected_branch(void)
{
	IS_INT(expect(0, 9, "\"take\": null"), PLAIT_OK);
	IS_INT(expect(1, 3, "\"take\": 0"), PLAIT_OK);
	IS_INT(expect(2, 9, "\"take\": 1"), PLAIT_OK);
	IS_INT(expect(3, 0, NULL), PLAIT_E_INVALID);
	HAS_STR(error.text, "times is above branch_count");
}

static void run_with_context(void (*scenario)(void))
{
	plait_context_desc desc = { .size = sizeof(desc),
				    .flags = PLAIT_CONTEXT_NO_WORKERS,
				    .backends = "host" };

	if (!IS_INT(plait_context_open(&desc, &context, &error), PLAIT_OK))
		return;
	scenario();
	plait_context_release(context);
}

#define WITH(name) static void with_##name(void) { run_with_context(name); }
WITH(each_lane)
WITH(in_a_region)
WITH(in_random_regions)
WITH(larger_records)
WITH(critical)
WITH(bad_input)
WITH(no_lanes)
WITH(huge_costs)
WITH(expected_branch)

static const struct tap_scenario scenarios[] = {
	{ "each lane", with_each_lane },
	{ "in a region", with_in_a_region },
	{ "in random regions", with_in_random_regions },
	{ "larger records", with_larger_records },
	{ "critical path", with_critical },
	{ "bad input", with_bad_input },
	{ "no lanes", with_no_lanes },
	{ "huge costs", with_huge_costs },
	{ "the expected branch", with_expected_branch },
};
TAP_MAIN(scenarios)
