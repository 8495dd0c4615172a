/* SPDX-License-Identifier: MIT */
/*
 * Priorities and limits through the public calls: refusals, how long
 * plans take, and runs in which functions count the holders of each unit.
 */
#include "plait/plait.h"

#include "lib/tap.h"
#include "sys/atomic.h"

#include <stdio.h>
#include <string.h>

enum { POOLS = 2, NODES = 24 };

static plait_context *context;
static plait_error error;

/* A limit as functions see it; `worst` is the most that was held at once. */
struct pool {
	at_u32 held;
	at_u32 worst;
	uint32_t units;
};

struct user {
	struct pool *pool[2];	/* null: none */
	uint32_t units[2];
	at_u32 calls;
};

static struct pool pools[POOLS];
static struct user users[NODES];

static uint32_t below(uint64_t *random, uint32_t bound)
{
	*random ^= *random >> 12;
	*random ^= *random << 25;
	*random ^= *random >> 27;
	return (uint32_t)((*random * 0x2545f4914f6cdd1du) >> 33) % bound;
}

static bool open_backends(const char *backends)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = backends };

	error = (plait_error){ .size = sizeof(error) };
	return IS_INT(plait_context_open(&desc, &context, &error), PLAIT_OK);
}

static void close_context(void)
{
	plait_context_release(context);
	IS_INT(plait_live_count(0), 0);
}

static plait_graph *new_graph(void)
{
	plait_graph *graph = NULL;

	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	return graph;
}

static void hold(struct pool *pool, uint32_t units)
{
	uint32_t held = at_add_u32(&pool->held, units) + units;
	uint32_t worst = at_load_relaxed_u32(&pool->worst);

	while (held > worst && !at_cas_u32(&pool->worst, &worst, held))
		;
}

/* Hold the units while other threads get a chance to do so. */
static int32_t use(void *user_data)
{
	struct user *user = user_data;

	for (int i = 0; i < 2; i++)
		if (user->pool[i] != NULL)
			hold(user->pool[i], user->units[i]);
	for (volatile int spin = 0; spin < 300; spin++)
		;
	for (int i = 0; i < 2; i++)
		if (user->pool[i] != NULL)
			(void)at_sub_u32(&user->pool[i]->held, user->units[i]);
	(void)at_add_u32(&user->calls, 1);
	return 0;
}

static plait_node call(plait_graph *graph, struct user *user, uint64_t cost,
		       plait_node after)
{
	const plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_CALL,
		.flags = PLAIT_CALL_ANY_THREAD, .function = use,
		.user_data = user, .cost = cost
	};
	plait_node node = 0;

	if (!IS_INT(plait_graph_add(graph, &desc, &after, after != 0, &node,
				    &error), PLAIT_OK))
		NOTE("%s", error.text);
	return node;
}

static void need(plait_graph *graph, plait_node node, const char *name,
		 uint64_t units)
{
	if (!IS_INT(plait_graph_add_need(graph, node, name, units, &error),
		    PLAIT_OK))
		NOTE("%s", error.text);
}

static void resource(plait_graph *graph, const char *name, uint64_t units)
{
	if (!IS_INT(plait_graph_add_resource(graph, name, units, &error),
		    PLAIT_OK))
		NOTE("%s", error.text);
}

static plait_plan *freeze(plait_graph *graph, const plait_freeze_desc *given)
{
	plait_freeze_desc desc = given != NULL ? *given :
		(plait_freeze_desc){ .lanes = 4 };
	plait_plan *plan = NULL;

	desc.size = sizeof(desc);
	desc.flags |= PLAIT_FREEZE_CHECK;
	if (!IS_INT(plait_graph_freeze(graph, &desc, &plan, &error), PLAIT_OK))
		NOTE("%s", error.text);
	return plan;
}

/* Freeze for four lanes, release the graph. */
static uint64_t makespan(plait_graph *graph)
{
	plait_plan_info info = { .size = sizeof(info) };
	plait_plan *plan = freeze(graph, NULL);

	IS_INT(plait_plan_query(plan, &info, &error), PLAIT_OK);
	plait_plan_release(plan);
	plait_graph_release(graph);
	return info.makespan;
}

static void refused(plait_status status, plait_status expected,
		    const char *text)
{
	if (!IS_INT(status, expected) || !OK(strstr(error.text, text) != NULL))
		NOTE("%s", error.text);
}

static void mistakes(void)
{
	plait_graph *graph, *other;
	plait_node node, foreign;
	char name[16];

	if (!open_backends("host"))
		return;
	graph = new_graph();
	other = new_graph();
	node = call(graph, &users[0], 1, 0);
	foreign = call(other, &users[0], 1, 0);
	resource(graph, "bus", 2);
	resource(graph, "bus", 2);
	refused(plait_graph_add_resource(graph, "bus", 3, &error),
		PLAIT_E_INVALID, "'bus' has 2 units already, not 3");
	refused(plait_graph_add_resource(graph, "none", 0, &error),
		PLAIT_E_INVALID, "expected 1 to 1024");
	refused(plait_graph_add_resource(graph, "many", 1025, &error),
		PLAIT_E_INVALID, "expected 1 to 1024");
	refused(plait_graph_add_resource(graph, NULL, 1, &error),
		PLAIT_E_INVALID, "resource: name is null");
	refused(plait_graph_add_resource(graph, "", 1, &error),
		PLAIT_E_INVALID, "resource: name is empty");
	refused(plait_graph_add_need(graph, node, "buss", 1, &error),
		PLAIT_E_INVALID, "no resource 'buss'");
	refused(plait_graph_add_need(graph, node, NULL, 1, &error),
		PLAIT_E_INVALID, "need: name is null");
	refused(plait_graph_add_need(graph, foreign, "bus", 1, &error),
		PLAIT_E_INVALID, "not a node");
	refused(plait_graph_add_need(graph, node, "bus", 0, &error),
		PLAIT_E_INVALID, "0 units of resource 'bus', which has 2");
	refused(plait_graph_add_need(graph, node, "bus", UINT64_C(1) << 32,
				     &error), PLAIT_E_INVALID, "which has 2");
	refused(plait_graph_set_priority(graph, foreign, 1, &error),
		PLAIT_E_INVALID, "not a node");
	refused(plait_graph_set_priority(graph, node, 1001, &error),
		PLAIT_E_INVALID, "-1000 to 1000");
	refused(plait_graph_set_priority(graph, node, -1001, &error),
		PLAIT_E_INVALID, "-1000 to 1000");
	for (int i = 1; i < 64; i++) {
		(void)snprintf(name, sizeof(name), "r%d", i);
		resource(graph, name, 1);
	}
	refused(plait_graph_add_resource(graph, "more", 1, &error),
		PLAIT_E_INVALID, "64 resources at most");
	plait_graph_release(other);
	plait_graph_release(graph);
	refused(plait_graph_add_need(graph, node, "bus", 1, &error),
		PLAIT_E_HANDLE, "need");
	refused(plait_graph_add_resource(graph, "bus", 1, &error),
		PLAIT_E_HANDLE, "resource");
	refused(plait_graph_set_priority(graph, node, 1, &error),
		PLAIT_E_HANDLE, "priority");
	close_context();
}

/* Four nodes of cost 10: what the limit leaves of four lanes. */
static uint64_t four(uint64_t units, uint64_t each, bool twice)
{
	plait_graph *graph = new_graph();

	resource(graph, "bus", units);
	for (int i = 0; i < 4; i++) {
		plait_node node = call(graph, &users[i], 10, 0);

		need(graph, node, "bus", each);
		if (twice)
			need(graph, node, "bus", each);
	}
	return makespan(graph);
}

static void lengths(void)
{
	if (!open_backends("host"))
		return;
	IS_UINT(four(4, 1, false), 10);
	IS_UINT(four(2, 1, false), 20);
	IS_UINT(four(3, 1, false), 20);
	IS_UINT(four(1, 1, false), 40);
	IS_UINT(four(4, 2, false), 20);
	IS_UINT(four(4, 1, true), 20);
	IS_UINT(four(7, 4, false), 40);
	close_context();
}

static plait_graph *repeat(plait_graph *graph, uint64_t times,
			   plait_node *out)
{
	plait_graph *body = NULL;

	IS_INT(plait_graph_repeat(graph, times, 0, &body, out, &error),
	       PLAIT_OK);
	return body;
}

/* A loop holds the units that its body uses at once: two of three here, so that
 * a node beside it finds one. */
static uint64_t beside_loop(uint64_t units)
{
	plait_graph *graph = new_graph(), *body;
	plait_node node, loop;

	resource(graph, "bus", units);
	body = repeat(graph, 3, &loop);
	for (int i = 0; i < 2; i++)
		need(body, call(body, &users[i], 10, 0), "bus", 1);
	plait_graph_release(body);
	node = call(graph, &users[2], 30, 0);
	need(graph, node, "bus", 1);
	return makespan(graph);
}

static void loops(void)
{
	plait_graph *graph, *body;
	plait_node loop;
	plait_plan *plan = NULL;

	if (!open_backends("host"))
		return;
	IS_UINT(beside_loop(3), 30);
	IS_UINT(beside_loop(2), 60);
	IS_UINT(beside_loop(1), 90);
	graph = new_graph();
	resource(graph, "bus", 3);
	body = repeat(graph, 3, &loop);
	need(graph, loop, "bus", 2);
	need(body, call(body, &users[0], 10, 0), "bus", 1);
	plait_plan_release(freeze(graph, NULL));
	need(body, call(body, &users[1], 10, 0), "bus", 2);
	refused(plait_graph_freeze(graph, NULL, &plan, &error),
		PLAIT_E_INVALID, "needs 2 units of resource 'bus'");
	plait_graph_release(body);
	plait_graph_release(graph);
	close_context();
}

/* A copy shares the resource of the same name, or brings its own. */
static void subgraphs(void)
{
	plait_graph *part, *graph, *other;
	plait_node node = 0;

	if (!open_backends("host"))
		return;
	part = new_graph();
	resource(part, "disk", 5);
	resource(part, "bus", 1);
	need(part, call(part, &users[0], 10, 0), "bus", 1);
	graph = new_graph();
	resource(graph, "bus", 1);
	need(graph, call(graph, &users[1], 10, 0), "bus", 1);
	for (int i = 0; i < 2; i++)
		IS_INT(plait_graph_subgraph(graph, part, 0, &node, &error),
		       PLAIT_OK);
	other = new_graph();
	IS_INT(plait_graph_subgraph(other, graph, 0, &node, &error), PLAIT_OK);
	IS_INT(plait_graph_subgraph(other, other, 0, &node, &error), PLAIT_OK);
	IS_UINT(makespan(graph), 30);
	IS_UINT(makespan(other), 60);
	graph = new_graph();
	resource(graph, "bus", 2);
	refused(plait_graph_subgraph(graph, part, 0, &node, &error),
		PLAIT_E_INVALID, "'bus' has 2 units already, not 1");
	plait_graph_release(graph);
	plait_graph_release(part);
	close_context();
}

/* Removed nodes, and nodes that a partial plan leaves out, hold nothing. */
static void fewer_nodes(void)
{
	plait_graph *graph;
	plait_node nodes[3];
	plait_freeze_desc part = { .lanes = 4, .sources = nodes,
				   .source_count = 2 };
	plait_plan_info info = { .size = sizeof(info) };
	plait_plan *plan;

	if (!open_backends("host"))
		return;
	graph = new_graph();
	resource(graph, "bus", 1);
	for (int i = 0; i < 3; i++) {
		nodes[i] = call(graph, &users[i], 10, 0);
		need(graph, nodes[i], "bus", 1);
	}
	plan = freeze(graph, &part);
	IS_INT(plait_plan_query(plan, &info, &error), PLAIT_OK);
	IS_UINT(info.makespan, 20);
	plait_plan_release(plan);
	IS_INT(plait_graph_remove(graph, &nodes[0], 1, &error), PLAIT_OK);
	IS_UINT(makespan(graph), 20);
	close_context();
}

/* ---- runs ---- */

static void add_random_needs(plait_graph *graph, plait_node node,
			     struct user *user, uint64_t *random)
{
	for (uint32_t i = 0; i < POOLS; i++) {
		if (below(random, 3) == 0)
			continue;
		user->pool[i] = &pools[i];
		user->units[i] = 1 + below(random, pools[i].units);
		need(graph, node, i == 0 ? "left" : "right", user->units[i]);
	}
}

/* Every third node is in one of two loops of three iterations. */
static plait_graph *random_graph(uint64_t *random)
{
	plait_graph *graph = new_graph(), *bodies[2];
	plait_node last[3] = { 0 };

	memset(users, 0, sizeof(users));
	for (uint32_t i = 0; i < POOLS; i++)
		pools[i] = (struct pool){ .units = 1 + below(random, 4) };
	resource(graph, "left", pools[0].units);
	resource(graph, "right", pools[1].units);
	for (int i = 0; i < 2; i++)
		bodies[i] = repeat(graph, 3, NULL);
	for (uint32_t i = 0; i < NODES; i++) {
		uint32_t where = i % 3;
		plait_graph *to = where == 0 ? graph : bodies[where - 1];
		plait_node node = call(to, &users[i], 1 + below(random, 9),
				       below(random, 3) == 0 ? last[where] : 0);

		add_random_needs(to, node, &users[i], random);
		IS_INT(plait_graph_set_priority(
			       to, node, (int32_t)below(random, 7) - 3,
			       &error), PLAIT_OK);
		last[where] = node;
	}
	for (int i = 0; i < 2; i++)
		plait_graph_release(bodies[i]);
	return graph;
}

static void check_counts(uint32_t runs)
{
	uint32_t calls = 0;

	for (uint32_t i = 0; i < POOLS; i++) {
		uint32_t worst = at_load_relaxed_u32(&pools[i].worst);

		OK_THAT(worst <= pools[i].units, "%u of %u units at once",
			worst, pools[i].units);
		IS_UINT(at_load_relaxed_u32(&pools[i].held), 0);
	}
	for (uint32_t i = 0; i < NODES; i++)
		calls += at_load_relaxed_u32(&users[i].calls);
	IS_UINT(calls, runs * (NODES / 3) * 7);
}

static void run_random(const char *backends, const plait_freeze_desc *how)
{
	uint64_t seed = tap_seed() | 1;

	if (!open_backends(backends))
		return;
	for (uint32_t i = 0; i < 8; i++) {
		plait_graph *graph = random_graph(&seed);
		plait_plan *plan = freeze(graph, how);

		plait_graph_release(graph);
		for (int run = 0; run < 12; run++)
			if (!IS_INT(plait_plan_call(plan, NULL, NULL, &error),
				    PLAIT_OK))
				NOTE("%s", error.text);
		check_counts(12);
		plait_plan_release(plan);
	}
	close_context();
}

static void runs(void)
{
	static const plait_freeze_desc how[] = {
		{ .lanes = 1 }, { .lanes = 4 },
		{ .lanes = 4, .mode = PLAIT_MODE_HELPED },
		{ .policy = PLAIT_POLICY_WIDEST },
		{ .policy = PLAIT_POLICY_WIDEST, .mode = PLAIT_MODE_HELPED },
		{ .lanes = 3, .flags = PLAIT_FREEZE_QUEUES },
		{ .policy = PLAIT_POLICY_WIDEST, .hop_cost = 2 },
	};

	for (size_t i = 0; i < TAP_COUNT(how); i++)
		run_random("host", &how[i]);
	run_random("chaos", &how[1]);
	run_random("chaos,host", &how[3]);
}

/* ---- plans ---- */

/* Write the names of the first lane's commands, in order. */
static void first_lane(const char *text, const plait_freeze_desc *how,
		       char *out, size_t bytes)
{
	plait_graph *graph = NULL;
	plait_plan *plan;
	char json[4096], *at, *end;

	if (!IS_INT(plait_graph_read(context, text, strlen(text), "limits",
				     &graph, &error), PLAIT_OK))
		NOTE("%s", error.text);
	plan = freeze(graph, how);
	plait_graph_release(graph);
	IS_INT(plait_plan_write(plan, PLAIT_FORMAT_JSON, json, sizeof(json),
				NULL, &error), PLAIT_OK);
	plait_plan_release(plan);
	at = strstr(json, "\"commands\": [");
	end = at != NULL ? strchr(at, ']') : NULL;
	if (!OK(end != NULL))
		return;
	*end = '\0';
	(void)snprintf(out, bytes, "%s", at + strlen("\"commands\": ["));
}

static void orders(void)
{
	static const char text[] =
		"device host lanes=1\n"
		"node a cost=9\nnode b priority=-2\nnode c priority=7\n"
		"node d cost=2 priority=7 after=c\nnode e\n";
	const plait_freeze_desc bounded = { .lanes = 1 };
	const plait_freeze_desc hops = { .lanes = 1, .hop_cost = 3 };
	char got[128] = "";

	if (!open_backends("host"))
		return;
	first_lane(text, &bounded, got, sizeof(got));
	IS_STR(got, "\"c\", \"d\", \"a\", \"e\", \"b\"");
	first_lane(text, &hops, got, sizeof(got));
	IS_STR(got, "\"c\", \"d\", \"a\", \"e\", \"b\"");
	close_context();
}

/* A saved plan keeps its priorities and units, and is proved when it is
 * loaded. */
static void saved(void)
{
	static const char text[] =
		"node a needs=bus priority=3\nnode b needs=bus:2\n"
		"repeat c times=2 needs=bus\n  node d needs=bus\nend\n"
		"resource bus units=2\n";
	static char bytes[1 << 16], json[2][4096];
	plait_graph *graph = NULL;
	plait_plan *plans[2] = { NULL };
	uint64_t count = 0;

	if (!open_backends("host"))
		return;
	IS_INT(plait_graph_read(context, text, strlen(text), "limits", &graph,
				&error), PLAIT_OK);
	plans[0] = freeze(graph, NULL);
	IS_INT(plait_plan_write(plans[0], PLAIT_FORMAT_BINARY, bytes,
				sizeof(bytes), &count, &error), PLAIT_OK);
	IS_INT(plait_plan_read(context, bytes, count, &plans[1], &error),
	       PLAIT_OK);
	for (int i = 0; i < 2; i++) {
		IS_INT(plait_plan_write(plans[i], PLAIT_FORMAT_JSON, json[i],
					sizeof(json[i]), NULL, &error),
		       PLAIT_OK);
		plait_plan_release(plans[i]);
	}
	IS_STR(json[1], json[0]);
	HAS_STR(json[0], "\"resources\": [{\"name\": \"bus\", \"units\": 2, "
		"\"holders\": [{\"node\": \"a\", \"first\": 0, \"units\": 1}, "
		"{\"node\": \"b\", \"first\": 0, \"units\": 2}");
	HAS_STR(json[0], "\"priorities\": [{\"node\": \"a\", "
		"\"priority\": 3}]");
	plait_graph_release(graph);
	close_context();
}

static const struct tap_scenario all[] = {
	{ "mistakes", mistakes },
	{ "lengths", lengths },
	{ "loops", loops },
	{ "subgraphs", subgraphs },
	{ "fewer nodes", fewer_nodes },
	{ "runs", runs },
	{ "orders", orders },
	{ "saved", saved },
};

TAP_MAIN(all)
