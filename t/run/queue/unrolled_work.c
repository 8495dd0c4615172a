/* SPDX-License-Identifier: MIT */
/*
 * Loops with rotations that a device decides, or the host: arguments of runs change
 * each copy of an unrolled body, on all backends.
 */
#include "unrolled.h"

static void check_anywhere(const struct place *place)
{
	static uint32_t seed;
	struct turns t;
	plait_graph *graph;

	choose(&t, seed++);
	make_buffers(&t);
	graph = new_graph();
	add_loop(&t, graph, seed % 3 == 0 ? PLAIT_NODE_DO : PLAIT_NODE_WHILE);
	t.plan = freeze_on(graph, place->lanes);
	for (uint32_t i = 0; i < 6; i++)
		check_run(&t, 1 + (seed + 5 * i) % 9,
			  t.told ? seed + i / 2 : 2);
	free_turns(&t);
}

static void anywhere(void)
{
	each_place(20, check_anywhere);
}

static const struct tap_scenario all[] = {
	{ "anywhere", anywhere },
};
TAP_MAIN(all)
