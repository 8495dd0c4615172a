/* SPDX-License-Identifier: MIT */
/*
 * Priorities in mode helped: functions keep all workers but one, which then
 * executes everything else alone, stealing from the lanes of the others.  So the
 * order of the commands is decided by that worker, whichever it is: each command is one
 * of highest priority among those that are ready.  Random graphs, over several runs,
 * of which later ones know that the commands are short.
 */
#include <sched.h>

#include "lib/runs.h"

enum { NODES = 24, KEEPERS = 3, RUNS = 12, GRAPHS = 12 };

struct scene {
	uint32_t keepers;
	uint32_t order[NODES];	   /* nodes, as they were executed */
	uint32_t done;		   /* nodes */
	int32_t priority[NODES];
	uint32_t before[NODES];	   /* mask of the predecessors */
};

static struct scene scene;

struct slot {
	uint32_t node;
};

static struct slot slots[NODES];

static uint32_t done(void)
{
	return __atomic_load_n(&scene.done, __ATOMIC_SEQ_CST);
}

static int32_t keep(void *user_data)
{
	(void)user_data;
	while (done() < NODES)
		sched_yield();
	return 0;
}

static int32_t note(void *user_data)
{
	const struct slot *slot = user_data;

	scene.order[done()] = slot->node;
	__atomic_add_fetch(&scene.done, 1, __ATOMIC_SEQ_CST);
	return 0;
}

static void set_priority(plait_graph *graph, plait_node node, int32_t priority)
{
	IS_INT(plait_graph_set_priority(graph, node, priority, &rig.error),
	       PLAIT_OK);
}

static uint32_t below(uint64_t *random, uint32_t bound)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*random >> 33) % bound;
}

static plait_plan *make(uint32_t keepers, uint64_t *random)
{
	const plait_freeze_desc desc = {
		.size = sizeof(desc), .lanes = keepers + 1,
		.mode = PLAIT_MODE_HELPED,
		.policy = below(random, 2) == 0 ? PLAIT_POLICY_WIDEST :
						  PLAIT_POLICY_BOUNDED,
	};
	plait_graph *graph = new_graph();
	plait_node nodes[NODES];
	plait_plan *plan = NULL;

	scene.keepers = keepers;
	for (uint32_t i = 0; i < keepers; i++)
		set_priority(graph, add_call(graph, "keep", keep, NULL, NULL,
					     0), 1000);
	for (uint32_t i = 0; i < NODES; i++) {
		uint32_t other = i == 0 ? 0 : below(random, i);
		bool ordered = i > 0 && below(random, 2) == 0;

		slots[i].node = i;
		scene.before[i] = ordered ? 1u << other : 0;
		scene.priority[i] = (int32_t)below(random, 9) - 4;
		nodes[i] = add_call(graph, "note", note, &slots[i],
				    &nodes[other], ordered);
		set_priority(graph, nodes[i], scene.priority[i]);
	}
	IS_INT(plait_graph_freeze(graph, &desc, &plan, &rig.error), PLAIT_OK);
	plait_graph_release(graph);
	return plan;
}

/* Returns the ready node of highest priority. */
static uint32_t most_urgent(uint32_t executed)
{
	uint32_t best = NODES;

	for (uint32_t i = 0; i < NODES; i++)
		if ((executed >> i & 1) == 0 &&
		    (scene.before[i] & ~executed) == 0 &&
		    (best == NODES || scene.priority[i] > scene.priority[best]))
			best = i;
	return best;
}

static bool check_order(void)
{
	uint32_t executed = 0;

	for (uint32_t at = 0; at < NODES; at++) {
		uint32_t node = scene.order[at], best = most_urgent(executed);

		if (!OK_THAT(scene.priority[node] == scene.priority[best],
			     "position %u: node %u, priority %d; node %u with "
			     "%d was ready", at, node, scene.priority[node],
			     best, scene.priority[best]))
			return false;
		executed |= 1u << node;
	}
	return true;
}

static void try(uint32_t keepers, uint64_t *random)
{
	const plait_run_desc desc = { .size = sizeof(desc),
				      .flags = PLAIT_RUN_PARALLEL };
	plait_plan *plan = make(keepers, random);
	bool good = plan != NULL;

	for (uint32_t run = 0; good && run < RUNS; run++) {
		scene.done = 0;
		good = IS_INT(plait_plan_call(plan, NULL, &desc, &rig.error),
			      PLAIT_OK) && check_order();
	}
	plait_plan_release(plan);
}

static void orders(void)
{
	uint64_t random = tap_seed();

	for (uint32_t keepers = 1; keepers <= KEEPERS; keepers++) {
		if (!open_host(keepers))
			continue;
		/* A lane for each, on any number of processors. */
		setenv("PLAIT_LANES", "0", 1);
		for (uint32_t i = 0; i < GRAPHS; i++)
			try(keepers, &random);
		close_rig(&rig);
	}
}

static const struct tap_scenario all[] = {
	{ "orders", orders },
};
TAP_MAIN(all)
