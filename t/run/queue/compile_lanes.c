/* SPDX-License-Identifier: MIT */
/*
 * Plans with 1 to 1,024 lanes, on as many workers: lanes of the host and queues
 * of each backend.  A command that waits for all lanes, and the end of a run,
 * are one submission with a wait per lane, for which the queue needs room; so
 * are the commands of a segment that its backend does not take.
 */
#include "lib/runs.h"

struct site {
	const char *backends;
	const char *options;
	uint64_t flags;		/* of the freeze */
	bool works;		/* the context has workers */
};

static const struct site sites[] = {
	{ "host", NULL, 0, true },
	{ "host", NULL, PLAIT_FREEZE_QUEUES, true },
	{ "host", NULL, PLAIT_FREEZE_QUEUES, false },
	{ "chaos", "chaos:seed=3,parallel=4", 0, false },
	{ "chaos,host", "chaos:seed=5,quirks=shuffle", 0, false },
};

static const uint32_t counts[] = { 1, 2, 64, 104, 105, 128, 256, 1024 };

static bool open_site(const struct site *site, uint32_t workers)
{
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = site->backends,
		.options = site->options,
		.workers = site->works ? workers : 0,
		.flags = site->works ? 0 : PLAIT_CONTEXT_NO_WORKERS,
	};

	memset(&rig, 0, sizeof(rig));
	rig.error.size = sizeof(rig.error);
	return OK_THAT(plait_context_open(&desc, &rig.context, &rig.error) ==
		       PLAIT_OK, "open %s with %u workers: %s", site->backends,
		       workers, rig.error.text) &&
	       OK(plait_context_device(rig.context, 0, &rig.device,
				       &rig.error) == PLAIT_OK) &&
	       OK(plait_queue_create(rig.device, NULL, &rig.queue,
				     &rig.error) == PLAIT_OK);
}

static plait_plan *freeze_wide(plait_graph *graph, const struct site *site,
			       uint32_t lanes)
{
	const plait_freeze_desc desc = {
		.size = sizeof(desc), .flags = site->flags, .lanes = lanes,
		.policy = PLAIT_POLICY_WIDEST, .instances = 1,
	};
	plait_plan *plan = NULL;

	OK_THAT(plait_graph_freeze(graph, &desc, &plan, &rig.error) ==
		PLAIT_OK, "freeze for %u lanes: %s", lanes, rig.error.text);
	plait_graph_release(graph);
	return plan;
}

static plait_node add_on(plait_graph *graph, plait_device *device, int *count,
			 const plait_node *after, uint64_t afters)
{
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_CALL, .flags = PLAIT_CALL_ANY_THREAD,
		.label = "one", .function = add_one, .user_data = count,
		.device = device,
	};

	return add_node(graph, desc, after, afters);
}

/* Run the plan three times, by each way; `each` nodes count. */
static void run_thrice(plait_plan *plan, int *count, uint32_t each,
		       const struct site *site)
{
	if (plan == NULL)
		return;
	for (int i = 0; i < 3; i++) {
		*count = 0;
		OK_THAT((i % 2 ? run_with : call_with)(plan, 0) == PLAIT_OK,
			"%s, %u nodes, run %d: %s", site->backends, each, i,
			rig.error.text);
		IS_UINT(*count, each);
	}
	plait_plan_release(plan);
}

/* Independent nodes: only the end of the run waits for all lanes. */
static void check_end(const struct site *site, uint32_t lanes)
{
	plait_graph *graph = new_graph();
	int count;

	for (uint32_t i = 0; i < lanes; i++)
		(void)add_on(graph, rig.device, &count, NULL, 0);
	run_thrice(freeze_wide(graph, site, lanes), &count, lanes, site);
}

/* One node waits for all others, and as many wait for it; in a loop, too. */
static void check_join(const struct site *site, uint32_t lanes)
{
	plait_node *nodes = calloc(lanes, sizeof(*nodes));
	plait_graph *graph = new_graph();
	plait_node joint;
	int count;

	for (uint32_t i = 0; i < lanes; i++)
		nodes[i] = add_on(graph, rig.device, &count, NULL, 0);
	joint = add_on(graph, rig.device, &count, nodes, lanes);
	for (uint32_t i = 0; i < lanes; i++)
		(void)add_on(graph, rig.device, &count, &joint, 1);
	run_thrice(freeze_wide(graph, site, lanes), &count, 2 * lanes + 1,
		   site);
	free(nodes);
}

static int32_t count_down(void *user_data)
{
	int *left = user_data;

	return (*left)-- > 0;
}

/* Two iterations of a body with all lanes. */
static void check_loop(const struct site *site, uint32_t lanes)
{
	plait_graph *graph = new_graph();
	int count, left = 2;
	const plait_node_desc loop = {
		.kind = PLAIT_NODE_WHILE, .label = "loop",
		.flags = PLAIT_CALL_ANY_THREAD, .device = rig.device,
		.function = count_down, .user_data = &left,
	};
	plait_graph *body = body_of(graph, add_node(graph, loop, NULL, 0), 0);
	plait_plan *plan;

	for (uint32_t i = 0; i < lanes; i++)
		(void)add_on(body, rig.device, &count, NULL, 0);
	plait_graph_release(body);
	plan = freeze_wide(graph, site, lanes);
	for (int i = 0; plan != NULL && i < 2; i++) {
		count = 0;
		left = 2;
		OK_THAT((i % 2 ? run_with : call_with)(plan, 0) == PLAIT_OK,
			"%s, a loop of %u lanes: %s", site->backends, lanes,
			rig.error.text);
		IS_UINT(count, 2 * lanes);
	}
	plait_plan_release(plan);
}

static void each_site(void (*check)(const struct site *site, uint32_t lanes))
{
	for (uint32_t i = 0; i < TAP_COUNT(sites) * TAP_COUNT(counts); i++) {
		const struct site *site = &sites[i / TAP_COUNT(counts)];
		uint32_t lanes = counts[i % TAP_COUNT(counts)];

		/* As many workers as lanes: a machine with many processors. */
		if (!open_site(site, lanes))
			continue;
		check(site, lanes);
		plait_queue_release(rig.queue);
		plait_context_release(rig.context);
		OK(all_gone());
	}
}

static void ends(void)
{
	each_site(check_end);
}

static void joins(void)
{
	each_site(check_join);
}

static void loops(void)
{
	each_site(check_loop);
}

static const struct tap_scenario all[] = {
	{ "the end of a run waits for all lanes", ends },
	{ "a node waits for all lanes", joins },
	{ "bodies with many lanes", loops },
};
TAP_MAIN(all)
