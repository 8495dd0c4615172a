/* SPDX-License-Identifier: MIT */
/*
 * Limits on devices: kernels count the units that all of them hold at once, in
 * atomic words, over random graphs with loops; never more than there are.  The
 * planner decides the holders, so this shows that a backend keeps the edges
 * between them: queues, device graphs, command buffers, loops of the device.
 * Built for the host, chaos, the stand-ins and a driver.
 */
#include "lib/queued.h"

#ifndef SEEDS
#define SEEDS 24
#endif

enum { POOLS = 2, NODES = 16, TRIPS = 3, RUNS = 3 };

/* The words of the counters: of each pool what is held and the most so far, then
 * how many there are.  A launch looks so often whether others hold too much. */
enum { HELD, MOST, CALLS = HELD + 2 * POOLS, ALL, COUNTERS = ALL + POOLS };
enum { LOOKS = 20000 };

#define HOLD_TEXT \
	"KERNEL(hold) { EACH(i, 1) {\n" \
	"	u32 held = ATOMIC_ADD(&at[0], left) + left;\n" \
	"	ATOMIC_MAX(&at[1], held);\n" \
	"	held = ATOMIC_ADD(&at[2], right) + right;\n" \
	"	ATOMIC_MAX(&at[3], held);\n" \
	"	for (u32 look = 0; look < 20000; look++)\n" \
	"		if (ATOMIC_ADD(&at[0], 0u) > at[5] ||\n" \
	"		    ATOMIC_ADD(&at[2], 0u) > at[6]) break;\n" \
	"	ATOMIC_ADD(&at[0], 0u - left);\n" \
	"	ATOMIC_ADD(&at[2], 0u - right);\n" \
	"	ATOMIC_ADD(&at[4], 1u);\n" \
	"} }"

static uint32_t add(uint32_t *word, uint32_t number)
{
	return __atomic_add_fetch(word, number, __ATOMIC_SEQ_CST);
}

static void note_most(uint32_t *most, uint32_t held)
{
	uint32_t seen = __atomic_load_n(most, __ATOMIC_SEQ_CST);

	while (seen < held &&
	       !__atomic_compare_exchange_n(most, &seen, held, false,
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
}

static int32_t hold(void *const *arguments, const plait_launch *launch,
		    void *user_data)
{
	uint32_t *at = *(uint32_t **)arguments[0];

	(void)launch;
	(void)user_data;
	for (int i = 0; i < POOLS; i++)
		note_most(&at[2 * i + MOST],
			  add(&at[2 * i + HELD],
			      *(uint32_t *)arguments[1 + i]));
	for (int look = 0; look < LOOKS && add(&at[0], 0) <= at[ALL] &&
			   add(&at[2], 0) <= at[ALL + 1]; look++)
		;
	for (int i = 0; i < POOLS; i++)
		(void)add(&at[2 * i + HELD], -*(uint32_t *)arguments[1 + i]);
	(void)add(&at[CALLS], 1);
	return 0;
}

static uint32_t below(uint64_t *random, uint32_t bound)
{
	*random ^= *random >> 12;
	*random ^= *random << 25;
	*random ^= *random >> 27;
	return (uint32_t)((*random * 0x2545f4914f6cdd1du) >> 33) % bound;
}

struct scene {
	plait_kernel *kernel;
	plait_buffer *counters;
	uint32_t units[POOLS];
	uint32_t calls; /* of a run */
	uint64_t random;
};

static const char *const names[POOLS] = { "left", "right" };

static void add_needs(plait_graph *graph, plait_node node,
		      const uint32_t units[POOLS])
{
	for (int i = 0; i < POOLS; i++)
		if (units[i] != 0)
			IS_INT(plait_graph_add_need(graph, node, names[i],
						    units[i], &rig.error),
			       PLAIT_OK);
}

static plait_node add_hold(struct scene *scene, plait_graph *graph,
			   plait_node after)
{
	const plait_launch launch = { .size = sizeof(launch), .items = { 1 } };
	uint32_t units[POOLS];
	plait_argument arguments[1 + POOLS] = {
		buffer_argument(scene->counters) };
	plait_node node;

	for (int i = 0; i < POOLS; i++) {
		units[i] = below(&scene->random, 3) == 0 ? 0 :
			   1 + below(&scene->random, scene->units[i]);
		arguments[1 + i] = value_argument(&units[i]);
	}
	node = add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_LAUNCH, .kernel = scene->kernel,
		.launch = &launch, .arguments = arguments,
		.argument_count = 1 + POOLS,
		.cost = 1 + below(&scene->random, 9),
		.label = "hold" }, &after, after != 0);
	add_needs(graph, node, units);
	return node;
}

/* Every third node is in the loop, which holds what its body does. */
static plait_graph *random_graph(struct scene *scene)
{
	plait_graph *graph = new_graph(), *graphs[2] = { graph };
	plait_node last[2] = { 0 };

	for (int i = 0; i < POOLS; i++) {
		scene->units[i] = 1 + below(&scene->random, 3);
		IS_INT(plait_graph_add_resource(graph, names[i],
						scene->units[i], &rig.error),
		       PLAIT_OK);
	}
	IS_INT(plait_graph_repeat(graph, TRIPS, 0, &graphs[1], NULL,
				  &rig.error), PLAIT_OK);
	scene->calls = 0;
	for (uint32_t i = 0; i < NODES; i++) {
		uint32_t inside = i % 3 == 2;

		last[inside] = add_hold(scene, graphs[inside],
					below(&scene->random, 4) == 0 ?
						last[inside] : 0);
		scene->calls += inside ? TRIPS : 1;
	}
	plait_graph_release(graphs[1]);
	return graph;
}

static void check_counters(const struct scene *scene)
{
	uint32_t at[COUNTERS];

	OK_THAT(plait_queue_read(rig.queue, scene->counters, 0, at, sizeof(at),
				 &rig.error) == PLAIT_OK, "read: %s",
		rig.error.text);
	for (int i = 0; i < POOLS; i++) {
		OK_THAT(at[2 * i + MOST] <= scene->units[i],
			"%u of %u units of %s at once", at[2 * i + MOST],
			scene->units[i], names[i]);
		IS_UINT(at[2 * i + HELD], 0);
	}
	IS_UINT(at[CALLS], RUNS * scene->calls);
}

static void write_counters(const struct scene *scene)
{
	const uint32_t at[COUNTERS] = { [ALL] = scene->units[0],
					scene->units[1] };

	OK_THAT(plait_queue_write(rig.queue, scene->counters, 0, at,
				  sizeof(at), &rig.error) == PLAIT_OK,
		"write: %s", rig.error.text);
}

static void check(const struct place *place)
{
	static uint64_t places;
	const plait_run_desc desc = { .size = sizeof(desc),
				      .flags = PLAIT_RUN_PARALLEL };
	struct scene scene = { .random = (tap_seed() + places++) * 2 + 1 };

	/* Code of the host is atomic for memory of the host alone. */
	if (!builds && strcmp(place->backends, "host") != 0)
		return;
	scene.kernel = new_kernel("hold(at: atomic pointer u32, left: u32, "
				  "right: u32)", HOLD_TEXT, hold);
	scene.counters = words_on(rig.device);
	for (int i = 0; i < 2; i++) {
		plait_plan *plan = freeze_on(random_graph(&scene),
					     place->lanes + 2);

		write_counters(&scene);
		for (int run = 0; run < RUNS; run++)
			OK_THAT(plait_plan_call(plan, NULL, &desc,
						&rig.error) == PLAIT_OK, "run: %s", rig.error.text);
		check_counters(&scene);
		plait_plan_release(plan);
	}
	plait_buffer_release(scene.counters);
	plait_kernel_release(scene.kernel);
}

static void random_graphs(void)
{
	each_place(SEEDS, check);
}

#ifdef QUEUED_OPENCL
/* Four threads of the driver, so that queues go on side by side. */
static void side_by_side(void)
{
	struct place place = { .backends = "opencl", .wrap = "check",
			       .builds = true };

	for (place.lanes = 1; place.lanes < 5; place.lanes++) {
		const struct fakecl_setup setup = {
			.mode = FAKECL_THREADS, .devices = 1,
			.buffers = place.lanes % 2 ? 0 : 0x400000,
		};

		standin()->reset(&setup);
		(void)snprintf(place.options, sizeof(place.options),
			       "opencl:loader=%.400s,segments=yes",
			       standin_path);
		if (!open_place(&place))
			continue;
		check(&place);
		close_place();
	}
}
#endif

static const struct tap_scenario all[] = {
	{ "random graphs", random_graphs },
#ifdef QUEUED_OPENCL
	{ "side by side", side_by_side },
#endif
};
TAP_MAIN(all)
