/* SPDX-License-Identifier: MIT */
/*
 * Loops that end when an iteration finds nothing more, against plain C: a
 * breadth-first search, whose kernel counts the nodes found; and clusters, whose
 * centres a function of the host opens, until another has seen too little gain.
 */
#include "iterative.h"

/* ---- a breadth-first search ---- */

enum { NODES = 48, EDGES = 3 };

static const uint32_t unseen = UINT32_MAX;

/* Nodes that are not seen, with an edge from the frontier. */
static int32_t expand(void *const *arguments, const plait_launch *launch,
		      void *user_data)
{
	const uint32_t *sources = *(uint32_t **)arguments[0];
	const uint32_t *seen = *(uint32_t **)arguments[1];
	const uint32_t *frontier = *(uint32_t **)arguments[2];
	uint32_t *costs = *(uint32_t **)arguments[3];
	uint32_t *found = *(uint32_t **)arguments[4];

	(void)launch;
	(void)user_data;
	memset(found, 0, NODES * sizeof(*found));
	for (uint32_t e = 0; e < NODES * EDGES; e++)
		if (seen[e / EDGES] == 0 && frontier[sources[e]] != 0) {
			costs[e / EDGES] = costs[sources[e]] + 1;
			found[e / EDGES] = 1;
		}
	return 0;
}

#define EXPAND_SIGNATURE \
	"expand(sources: in pointer u32, seen: in pointer u32, " \
	"frontier: in pointer u32, costs: inout pointer u32, " \
	"found: out pointer u32)"
#define EXPAND_TEXT \
	"KERNEL(expand) { EACH(i, 48) { found[i] = 0;" \
	"	for (u32 e = 0; e < 3; e++) { u32 from = sources[3 * i + e];" \
	"		if (seen[i] == 0 && frontier[from] != 0) {" \
	"			costs[i] = costs[from] + 1; found[i] = 1; } } } }"

/* The nodes found are the frontier; count them and the rounds. */
static int32_t advance(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	const uint32_t *found = *(uint32_t **)arguments[0];
	uint32_t *seen = *(uint32_t **)arguments[1];
	uint32_t *frontier = *(uint32_t **)arguments[2];
	uint32_t *count = *(uint32_t **)arguments[3];
	uint32_t *rounds = *(uint32_t **)arguments[4];

	(void)launch;
	(void)user_data;
	rounds[0]++;
	for (uint32_t i = 0; i < NODES; i++) {
		frontier[i] = found[i];
		seen[i] |= found[i];
		count[0] += found[i];
	}
	return 0;
}

#define ADVANCE_SIGNATURE \
	"advance(found: in pointer u32, seen: inout pointer u32, " \
	"frontier: out pointer u32, count: inout pointer u32, " \
	"rounds: inout pointer u32)"
#define ADVANCE_TEXT \
	"KERNEL(advance) { EACH(i, 48) {" \
	"	if (i == 0) rounds[0]++;" \
	"	frontier[i] = found[i]; seen[i] |= found[i];" \
	"	if (found[i] != 0) ATOMIC_ADD(&count[0], 1); } }"

struct search {
	plait_kernel *expand, *advance;
	plait_buffer *sources, *seen, *frontier, *costs, *found, *count,
		     *rounds;
};

/* do { count = 0 ; expand ; advance } while count */
static plait_plan *plan_search(const struct search *s, uint32_t lanes)
{
	plait_graph *graph = new_graph(), *body;
	plait_node node = add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_DO, .label = "search",
		.predicate = s->count }, NULL, 0);

	body = body_of(graph, node, 0);
	node = add_fill(body, s->count, 0, NULL, 0);
	node = add_step(body, s->expand, NULL, node, PLAIT_ARGUMENTS(
		PLAIT_BUFFER(s->sources), PLAIT_BUFFER(s->seen),
		PLAIT_BUFFER(s->frontier), PLAIT_BUFFER(s->costs),
		PLAIT_BUFFER(s->found)));
	(void)add_step(body, s->advance, NULL, node, PLAIT_ARGUMENTS(
		PLAIT_BUFFER(s->found), PLAIT_BUFFER(s->seen),
		PLAIT_BUFFER(s->frontier), PLAIT_BUFFER(s->count),
		PLAIT_BUFFER(s->rounds)));
	plait_graph_release(body);
	return freeze_on(graph, lanes);
}

/* The ends of edges to each node, up to `reach` nodes behind it on a ring;
 * nothing but a start reaches every 16th node. */
static void make_sources(uint32_t *sources, uint32_t reach)
{
	uint32_t random = (uint32_t)tap_seed();

	for (uint32_t e = 0; e < NODES * EDGES; e++) {
		uint32_t node = e / EDGES;
		uint32_t back = next_random(&random) % (reach + 1);

		sources[e] = node % 16 == 0 ? node :
			     (node + NODES - back) % NODES;
	}
}

/* One node after the other, by a queue; give the rounds of the search. */
static uint32_t expect_costs(const uint32_t *sources, uint32_t start,
			     uint32_t *costs)
{
	uint32_t queue[NODES] = { start }, end = 1;

	for (uint32_t i = 0; i < NODES; i++)
		costs[i] = i == start ? 0 : unseen;
	for (uint32_t first = 0; first < end; first++)
		for (uint32_t e = 0; e < NODES * EDGES; e++)
			if (sources[e] == queue[first] &&
			    costs[e / EDGES] == unseen) {
				costs[e / EDGES] = costs[queue[first]] + 1;
				queue[end++] = e / EDGES;
			}
	return costs[queue[end - 1]] + 1;
}

static void check_search_from(const struct search *s, plait_plan *plan,
			      uint32_t start, uint32_t reach)
{
	const struct counted none = { .how = CONSTANT };
	uint32_t sources[NODES * EDGES], expected[NODES], costs[NODES];
	uint32_t marks[NODES] = { 0 }, rounds;

	make_sources(sources, reach);
	rounds = expect_costs(sources, start, expected);
	memset(costs, 0xff, sizeof(costs));
	costs[start] = 0;
	marks[start] = 1;
	put(s->sources, sources, NODES * EDGES);
	put(s->seen, marks, NODES);
	put(s->frontier, marks, NODES);
	put(s->costs, costs, NODES);
	write_words(s->rounds, 0);
	OK_THAT(run_counted(plan, &none, start % 2) == PLAIT_OK, "search: %s",
		rig.error.text);
	get(s->costs, costs, NODES);
	OK_THAT(memcmp(costs, expected, sizeof(costs)) == 0, "from %u", start);
	get(s->rounds, marks, 1);
	IS_UINT(marks[0], rounds);
}

static void check_search(const struct place *place)
{
	struct search s = {
		.expand = new_kernel(EXPAND_SIGNATURE, EXPAND_TEXT, expand),
		.advance = new_kernel(ADVANCE_SIGNATURE, ADVANCE_TEXT, advance),
		.sources = cells_on(rig.device, NODES * EDGES),
		.seen = cells_on(rig.device, NODES),
		.frontier = cells_on(rig.device, NODES),
		.costs = cells_on(rig.device, NODES),
		.found = cells_on(rig.device, NODES),
		.count = words_on(rig.device), .rounds = words_on(rig.device),
	};
	plait_plan *plan = plan_search(&s, place->lanes);

	check_search_from(&s, plan, 0, 9);
	check_search_from(&s, plan, 17, 30);
	/* No edge leads on: one round. */
	check_search_from(&s, plan, 4, 0);
	plait_plan_release(plan);
	plait_kernel_release(s.expand);
	plait_kernel_release(s.advance);
	plait_buffer_release(s.sources);
	plait_buffer_release(s.seen);
	plait_buffer_release(s.frontier);
	plait_buffer_release(s.costs);
	plait_buffer_release(s.found);
	plait_buffer_release(s.count);
	plait_buffer_release(s.rounds);
}

static void breadth_first(void)
{
	each_place(12, check_search);
}

/* ---- clusters ---- */

/* Points on a line; a new centre has to save more than its price. */
enum { POINTS = 40, PRICE = 900, PATIENCE = 12 };

/* Memory of the program. */
struct choice {
	uint32_t saved[POINTS];	/* a READ writes it */
	uint32_t candidate;	/* the next */
	uint32_t centre, opens;	/* the one before, and whether to open it */
	uint32_t idle;		/* candidates in a row that save too little */
	uint32_t random, count;
};

static uint32_t distance(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

/* saved[i] = what point i would save at the candidate */
static int32_t save(void *const *arguments, const plait_launch *launch,
		    void *user_data)
{
	const uint32_t *at = *(uint32_t **)arguments[0];
	const uint32_t *costs = *(uint32_t **)arguments[1];
	uint32_t *saved = *(uint32_t **)arguments[2];
	uint32_t candidate = *(uint32_t *)arguments[3];

	(void)launch;
	(void)user_data;
	for (uint32_t i = 0; i < POINTS; i++) {
		uint32_t cost = distance(at[i], at[candidate]);

		saved[i] = cost < costs[i] ? costs[i] - cost : 0;
	}
	return 0;
}

#define SAVE_TEXT \
	"KERNEL(save) { EACH(i, 40) { u32 a = at[i], b = at[candidate];" \
	"	u32 cost = a > b ? a - b : b - a;" \
	"	saved[i] = cost < costs[i] ? costs[i] - cost : 0; } }"

/* Move the points that save something to a centre that opens. */
static int32_t assign(void *const *arguments, const plait_launch *launch,
		      void *user_data)
{
	const uint32_t *saved = *(uint32_t **)arguments[0];
	uint32_t *costs = *(uint32_t **)arguments[1];
	uint32_t *centres = *(uint32_t **)arguments[2];
	uint32_t centre = *(uint32_t *)arguments[3];
	uint32_t opens = *(uint32_t *)arguments[4];

	(void)launch;
	(void)user_data;
	for (uint32_t i = 0; i < POINTS; i++)
		if (opens != 0 && saved[i] > 0) {
			costs[i] -= saved[i];
			centres[i] = centre;
		}
	return 0;
}

#define ASSIGN_TEXT \
	"KERNEL(assign) { EACH(i, 40) if (opens != 0 && saved[i] > 0) {" \
	"	costs[i] -= saved[i]; centres[i] = centre; } }"

/* Open the candidate or not, and take the next at random. */
static int32_t choose(void *user_data)
{
	struct choice *choice = user_data;
	uint32_t saved = 0;

	for (uint32_t i = 0; i < POINTS; i++)
		saved += choice->saved[i];
	choice->opens = saved > PRICE;
	choice->centre = choice->candidate;
	choice->idle = choice->opens ? 0 : choice->idle + 1;
	choice->candidate = next_random(&choice->random) % POINTS;
	choice->count++;
	return 0;
}

static int32_t is_patient(void *user_data)
{
	return ((struct choice *)user_data)->idle < PATIENCE;
}

struct clusters {
	plait_kernel *save, *assign;
	plait_buffer *at, *costs, *centres, *saved;
	struct choice choice;
};

/* while is_patient() { save ; read ; choose() ; assign } */
static plait_plan *plan_clusters(struct clusters *c, uint32_t lanes)
{
	plait_graph *graph = new_graph(), *body;
	plait_node node = add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_WHILE, .label = "cluster",
		.flags = PLAIT_CALL_ANY_THREAD, .function = is_patient,
		.user_data = &c->choice }, NULL, 0);

	body = body_of(graph, node, 0);
	node = add_step(body, c->save, NULL, 0, PLAIT_ARGUMENTS(
		PLAIT_BUFFER(c->at), PLAIT_BUFFER(c->costs),
		PLAIT_BUFFER(c->saved), PLAIT_HOST_VALUE(
			"choice", offsetof(struct choice, candidate))));
	node = add_node(body, (plait_node_desc){
		.kind = PLAIT_NODE_READ, .source = c->saved, .label = "read",
		.bytes = sizeof(c->choice.saved), .host_parameter = "choice",
		.host_offset = offsetof(struct choice, saved) }, &node, 1);
	node = add_call(body, "choose", choose, &c->choice, &node, 1);
	(void)add_step(body, c->assign, NULL, node, PLAIT_ARGUMENTS(
		PLAIT_BUFFER(c->saved), PLAIT_BUFFER(c->costs),
		PLAIT_BUFFER(c->centres), PLAIT_HOST_VALUE(
			"choice", offsetof(struct choice, centre)),
		PLAIT_HOST_VALUE("choice", offsetof(struct choice, opens))));
	plait_graph_release(body);
	return freeze_on(graph, lanes);
}

/* Give the number of candidates. */
static uint32_t expect_clusters(const uint32_t *at, uint32_t *costs,
				uint32_t *centres, uint32_t random)
{
	uint32_t candidate = 0, count = 0;

	for (uint32_t idle = 0; idle < PATIENCE; count++) {
		uint32_t saved = 0;

		for (uint32_t i = 0; i < POINTS; i++)
			if (distance(at[i], at[candidate]) < costs[i])
				saved += costs[i] -
					 distance(at[i], at[candidate]);
		idle = saved > PRICE ? 0 : idle + 1;
		for (uint32_t i = 0; i < POINTS && idle == 0; i++)
			if (distance(at[i], at[candidate]) < costs[i]) {
				costs[i] = distance(at[i], at[candidate]);
				centres[i] = candidate;
			}
		candidate = next_random(&random) % POINTS;
	}
	return count;
}

static void check_choices(struct clusters *c, plait_plan *plan, uint32_t run)
{
	uint32_t random = (uint32_t)tap_seed() + run, at[POINTS], count;
	uint32_t costs[POINTS], centres[POINTS] = { 0 }, found[POINTS];

	for (uint32_t i = 0; i < POINTS; i++) {
		at[i] = next_random(&random) % 1024;
		costs[i] = 1024;
	}
	put(c->at, at, POINTS);
	put(c->costs, costs, POINTS);
	put(c->centres, centres, POINTS);
	count = expect_clusters(at, costs, centres, random);
	c->choice = (struct choice){ .random = random };
	OK_THAT(run_memory(plan, &c->choice, sizeof(c->choice), run % 2) ==
		PLAIT_OK, "clusters: %s", rig.error.text);
	IS_UINT(c->choice.count, count);
	/* The first candidate always opens, the last ones do not. */
	OK(count > PATIENCE);
	get(c->costs, found, POINTS);
	OK_THAT(memcmp(costs, found, sizeof(found)) == 0, "costs %u", run);
	get(c->centres, found, POINTS);
	OK_THAT(memcmp(centres, found, sizeof(found)) == 0, "centres %u", run);
}

static void check_clusters(const struct place *place)
{
	struct clusters c = {
		.save = new_kernel("save(at: in pointer u32, "
				   "costs: in pointer u32, "
				   "saved: out pointer u32, candidate: u32)",
				   SAVE_TEXT, save),
		.assign = new_kernel("assign(saved: in pointer u32, "
				     "costs: inout pointer u32, "
				     "centres: inout pointer u32, "
				     "centre: u32, opens: u32)",
				     ASSIGN_TEXT, assign),
		.at = cells_on(rig.device, POINTS),
		.costs = cells_on(rig.device, POINTS),
		.centres = cells_on(rig.device, POINTS),
		.saved = cells_on(rig.device, POINTS),
	};
	plait_plan *plan = plan_clusters(&c, place->lanes);

	for (uint32_t run = 0; run < 3; run++)
		check_choices(&c, plan, run);
	plait_plan_release(plan);
	plait_kernel_release(c.save);
	plait_kernel_release(c.assign);
	plait_buffer_release(c.at);
	plait_buffer_release(c.costs);
	plait_buffer_release(c.centres);
	plait_buffer_release(c.saved);
}

static void chosen_centres(void)
{
	each_place(12, check_clusters);
}

static const struct tap_scenario all[] = {
	{ "breadth-first search", breadth_first },
	{ "chosen centres", chosen_centres },
};
TAP_MAIN(all)
