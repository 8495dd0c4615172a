/* SPDX-License-Identifier: MIT */
/*
 * Group R, continued: loops whose kernel decides in some iterations only.  In the
 * others the value of the word decides, as in a loop without DECIDE.
 */
#include "region.h"

/* Iterations 1, 4, 7 ... store the word, 3, 6, 9 ... decide, the others leave the
 * word unchanged; with step 0 all do. */
static const char telling[] =
	"KERNEL(tell) {\n"
	"	EACH(i, n) {\n"
	"		y[i] += 1;\n"
	"		if (step != 0 && y[i] % 3 == 0)\n"
	"			DECIDE(x + i, x[i] - step);\n"
	"		if (step != 0 && y[i] % 3 == 1)\n"
	"			x[i] -= step;\n"
	"	}\n"
	"}\n";

/* Make the plan: the call, then while n { tell(n, y) } */
static plait_plan *new_telling(struct loop *l, struct conform *c,
			       const plait_node_desc *call, uint32_t step)
{
	const plait_launch launch = { .size = sizeof(launch), .dimensions = 1,
				      .items = { WORDS, 0, 0 } };
	const uint64_t words = WORDS;
	plait_argument arguments[4];
	plait_node node = 0;
	plait_graph *body;

	begin(l, c);
	arguments[0] = conform_value(&step, 4);
	arguments[1] = conform_memory(l->n, 0);
	arguments[2] = conform_memory(l->y, 0);
	arguments[3] = conform_value(&words, 8);
	if (call != NULL)
		node = add(l, l->graph, *call, NULL);
	(void)add_region(l, l->graph, PLAIT_NODE_WHILE, l->n, 0,
			 call != NULL ? &node : NULL, &body);
	(void)add(l, body, (plait_node_desc){
		.kind = PLAIT_NODE_LAUNCH, .launch = &launch,
		.kernel = conform_kernel(c, "tell(step: u32, "
			"x: inout pointer u32, y: inout pointer u32, n: u64)",
			telling, NULL),
		.arguments = arguments, .argument_count = 4,
		.label = "tell" }, NULL);
	plait_graph_release(body);
	return freeze(l, 1);
}

static void telling_once(struct conform *c)
{
	struct loop l;
	plait_plan *plan = new_telling(&l, c, NULL, 1);

	for (uint32_t times = 0; times < 6; times++) {
		put(&l, l.n, times);
		put(&l, l.y, 0);
		NEED(plait_plan_call(plan, NULL, NULL, ERR));
		look(&l, "the word, seldom decided", times, l.n, 0);
		look(&l, "turns, seldom decided", times, l.y,
		     times / 2 * 3 + times % 2);
	}
	plait_plan_release(plan);
}

static void goes_by_word(struct conform *c)
{
	both(c, telling_once);
}

static void stops_undecided(struct conform *c)
{
	plait_run *run = NULL;
	atomic_bool begun;
	const plait_node_desc call = {
		.kind = PLAIT_NODE_CALL, .flags = PLAIT_CALL_ANY_THREAD,
		.device = c->device, .function = set_flag,
		.user_data = &begun, .label = "begun",
	};
	struct loop l;
	plait_plan *plan;

	if ((c->info.capabilities & PLAIT_DEVICE_HOST_CALL) == 0)
		conform_skip(c, "it calls no host functions");
	plan = new_telling(&l, c, &call, 0);
	for (uint32_t round = 0; round < ROUNDS / 3; round++) {
		atomic_store(&begun, false);
		put(&l, l.n, 1);
		NEED(plait_plan_run(plan, l.queue, NULL, &run, ERR));
		HOLDS(conform_until(&begun));
		pass_time(round);
		NEED(plait_run_cancel(run, ERR));
		GIVES(plait_run_wait(run, PLAIT_FOREVER, ERR),
		      PLAIT_E_CANCELLED);
		plait_run_release(run);
		(void)plait_queue_finish(l.queue, PLAIT_FOREVER, ERR);
	}
	put(&l, l.n, 0);
	NEED(plait_plan_call(plan, NULL, NULL, ERR));
	plait_plan_release(plan);
}

static const struct conform_check checks[] = {
	{ "R9", "a loop goes by its word also where its kernel seldom decides",
	  DECIDED, goes_by_word },
	{ "R10", "and can be cancelled where it never does",
	  DECIDED | NEED_REAL_TIME, stops_undecided },
};

CONFORM_GROUP(conform_deciding, "deciding");
