/* SPDX-License-Identifier: MIT */
/*
 * Predicate words that the deciding kernel does not set in each iteration: the
 * kernel has DECIDE in its text, but does not reach it, on queues of devices
 * and on lanes of the host.  Then the word as it is decides, whichever command
 * wrote it, and the loop can be cancelled.
 */
#include "lib/queued.h"

enum { SEEDS = 8, LEFT = 4 };

#define SIGNATURE "tell(left: inout pointer u32, turn: inout pointer u32)"

/* The ways in which a kernel counts `left` down, LEFT times; and the number of
 * iterations. */
struct way {
	const char *what;
	const char *text;
	plait_kernel_function function;
	uint32_t turns;
};

static uint32_t *words_of(void *const *arguments, int index)
{
	return *(uint32_t **)arguments[index];
}

static int32_t third(void *const *arguments, const plait_launch *launch,
		     void *user_data)
{
	uint32_t *left = words_of(arguments, 0);
	uint32_t *turn = words_of(arguments, 1);

	(void)launch;
	(void)user_data;
	for (uint32_t i = 0; i < WORDS; i++)
		if (++turn[i] % 3 == 0)
			left[i]--;
	return 0;
}

static int32_t each(void *const *arguments, const plait_launch *launch,
		    void *user_data)
{
	uint32_t *left = words_of(arguments, 0);
	uint32_t *turn = words_of(arguments, 1);

	(void)launch;
	(void)user_data;
	for (uint32_t i = 0; i < WORDS; i++, turn++)
		left[i] -= ++*turn > 0;
	return 0;
}

static int32_t never(void *const *arguments, const plait_launch *launch,
		     void *user_data)
{
	(void)launch;
	(void)user_data;
	for (uint32_t i = 0; i < WORDS; i++)
		words_of(arguments, 1)[i]++;
	return 0;
}

static const struct way ways[] = {
	{ "in one iteration of three",
	  "KERNEL(tell) { EACH(i, 16) {"
	  "	turn[i] += 1;"
	  "	if (turn[i] % 3 == 0) DECIDE(left + i, left[i] - 1);"
	  "} }", third, 3 * LEFT },
	{ "by a group, and it leaves the others early",
	  "GROUP_KERNEL(tell, 4, 1, 1) {"
	  "	ITEMS turn[GLOBAL_ID(0)] += 1;"
	  "	if (turn[GROUP_ID(0) * 4] % 3 != 0) return;"
	  "	ITEMS DECIDE(left + GLOBAL_ID(0), left[GLOBAL_ID(0)] - 1);"
	  "}", third, 3 * LEFT },
	{ "by stores, and in every other iteration",
	  "KERNEL(tell) { EACH(i, 16) {"
	  "	turn[i] += 1;"
	  "	if (turn[i] % 2 == 0) DECIDE(left + i, left[i] - 1);"
	  "	else left[i] -= 1;"
	  "} }", each, LEFT },
	{ "by the last of many groups, with atomics",
	  "GROUP_KERNEL(tell, 2, 1, 1) { ITEMS {"
	  "	u64 i = GLOBAL_ID(0);"
	  "	u64 last = GLOBAL_SIZE(0) - 1;"
	  "	turn[i] += 1;"
	  "	if (turn[i] == 1000) DECIDE(left, 0);"
	  "	ATOMIC_ADD((GLOBAL i32 *)left + (last - i), -1);"
	  "} }", each, LEFT },
	{ "in a function, and it returns early",
	  "FUNCTION void down(GLOBAL u32 *at) { DECIDE(at, *at - 1); }"
	  "KERNEL(tell) { EACH(i, 16) {"
	  "	turn[i] += 1;"
	  "	if (turn[i] % 3 != 0) continue;"
	  "	down(left + i);"
	  "	if (i == 15) return;"
	  "} }", third, 3 * LEFT },
};

static const struct way endless = {
	"never",
	"KERNEL(tell) { EACH(i, 16) {"
	"	turn[i] += 1; if (turn[i] == 0) DECIDE(left + i, 0);"
	"} }", never, 0
};

/* loop while n { tell(n, turn) ; x = copy of turn } */
struct loop {
	plait_kernel *tell;
	plait_buffer *n, *turn, *x;
	plait_plan *plan;
};

static void add_tell(const struct loop *s, plait_graph *body)
{
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WORDS, 0, 0 } };
	const plait_argument arguments[] = {
		buffer_argument(s->n), buffer_argument(s->turn),
	};
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_LAUNCH, .kernel = s->tell,
		.launch = &launch, .arguments = arguments,
		.argument_count = 2, .label = "tell",
	};
	plait_node node = add_node(body, desc, NULL, 0);

	(void)add_copy(body, s->x, s->turn, &node, 1);
}

static void make(struct loop *s, const struct way *way, uint32_t kind,
		 uint32_t lanes)
{
	plait_graph *graph = new_graph(), *body;
	plait_node node;

	s->tell = new_kernel(SIGNATURE, way->text, way->function);
	s->n = words_on(rig.device);
	s->turn = words_on(rig.device);
	s->x = words_on(rig.device);
	node = add_node(graph, (plait_node_desc){
		.kind = kind, .label = "loop", .predicate = s->n }, NULL, 0);
	body = body_of(graph, node, 0);
	add_tell(s, body);
	plait_graph_release(body);
	s->plan = freeze_on(graph, lanes);
}

static void unmake(struct loop *s)
{
	plait_plan_release(s->plan);
	plait_buffer_release(s->n);
	plait_buffer_release(s->turn);
	plait_buffer_release(s->x);
	plait_kernel_release(s->tell);
}

static void begin(const struct loop *s, uint32_t left)
{
	write_words(s->n, left);
	write_words(s->turn, 0);
	write_words(s->x, 0);
}

static void check_way(const struct place *place, const struct way *way,
		      uint32_t kind)
{
	struct loop s;

	make(&s, way, kind, place->lanes);
	for (int i = 0; i < 2; i++) {
		begin(&s, LEFT);
		OK_THAT(call_with(s.plan, 0) == PLAIT_OK, "%s: %s", way->what,
			rig.error.text);
		IS_UINT(read_words(s.n), 0);
		OK_THAT(read_words(s.x) == way->turns, "%s: %u turns",
			way->what, read_words(s.x));
	}
	unmake(&s);
}

static void check_ways(const struct place *place)
{
	for (size_t i = 0; i < TAP_COUNT(ways); i++)
		check_way(place, &ways[i], i % 2 == 0 ? PLAIT_NODE_WHILE :
							PLAIT_NODE_DO);
}

static void skipped(void)
{
	each_place(SEEDS, check_ways);
}

/* The loop goes on until a thread stops it.  A waiting thread may do the work,
 * and comes back from none of it. */
static void check_endless(const struct place *place)
{
	const uint64_t wait_ns = place->workers > 0 ? 500000 : 0;
	plait_run *run = NULL;
	struct loop s;

	make(&s, &endless, PLAIT_NODE_WHILE, place->lanes);
	for (int i = 0; i < 2; i++) {
		begin(&s, 1);
		IS_INT(plait_plan_run(s.plan, rig.queue, NULL, &run,
				      &rig.error), PLAIT_OK);
		IS_INT(plait_run_wait(run, (uint64_t)i * wait_ns, &rig.error),
		       PLAIT_E_TIMEOUT);
		IS_INT(plait_run_cancel(run, &rig.error), PLAIT_OK);
		IS_INT(plait_run_wait(run, PLAIT_FOREVER, &rig.error),
		       PLAIT_E_CANCELLED);
		plait_run_release(run);
		(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
	}
	begin(&s, 0);
	IS_INT(call_with(s.plan, 0), PLAIT_OK);
	IS_UINT(read_words(s.turn), 0);
	unmake(&s);
}

#ifdef QUEUED_CUDA
/* A loop is stopped from another stream, which needs a thread, too. */
static void cancelled(void)
{
	struct place place = { .backends = "cuda", .wrap = "check",
			       .builds = true };
	char options[64];

	(void)setenv("PLAIT_SEGMENTS", "1", 1);
	for (uint32_t seed = 0; seed < SEEDS; seed++) {
		(void)snprintf(options, sizeof(options), "workers=3,seed=%u",
			       (unsigned)seed);
		standin_prepare(options);
		(void)snprintf(place.options, sizeof(place.options),
			       "cuda:driver=%.400s", standin_path);
		place.lanes = 1 + seed % 2;
		place.workers = seed % 3;
		if (!open_place(&place))
			continue;
		check_endless(&place);
		close_place();
	}
}
#else
static void cancelled(void)
{
	each_place(SEEDS, check_endless);
}
#endif

static const struct tap_scenario all[] = {
	{ "skipped", skipped },
	{ "cancelled", cancelled },
};
TAP_MAIN(all)
