/* SPDX-License-Identifier: MIT */
/*
 * Branches that the device decides, on each kind of driver with conditional nodes:
 * 12.3 with kernels alone in bodies, 12.4 with any command, both without SWITCH and
 * with a hang in empty bodies; 12.8 with SWITCH.  Each value of the word runs its
 * body and no other, also if the body writes the word.  With graphs=strict a loop
 * that is left to the host is an error.
 */
#include <stdlib.h>

#include "segments.h"

enum { BODIES = 3, NONE = 9 };

/* n = the word; x counts: each body adds its own power of ten. */
struct choice {
	plait_kernel *map;
	plait_buffer *n, *x;
	plait_plan *plan;
};

static uint32_t weight(uint32_t body)
{
	return body == 0 ? 1 : body == 1 ? 10 : 100;
}

static bool open_on(const char *standin, const char *more)
{
	struct place place = { .backends = "cuda", .workers = 1,
			       .builds = true };

	(void)setenv("PLAIT_SEGMENTS", "1", 1);
	standin_prepare(standin);
	(void)snprintf(place.options, sizeof(place.options),
		       "cuda:driver=%.400s%s", standin_path, more);
	return open_place(&place);
}

/* case n { x += 1; n = 1 } { x += 10 } ..., of which body `empty` is empty. */
static void make_choice(struct choice *c, uint32_t empty)
{
	plait_graph *graph = new_graph(), *body;
	const plait_node_desc branch = { .kind = PLAIT_NODE_CASE,
					 .label = "branch",
					 .branch_count = BODIES };
	plait_node_desc desc = branch;
	plait_node node, add;

	c->map = map_kernel();
	c->n = words_on(rig.device);
	c->x = words_on(rig.device);
	desc.predicate = c->n;
	node = add_map(graph, c->map, c->x, c->x, 1, 1000, NULL, 0);
	node = add_node(graph, desc, &node, 1);
	for (uint32_t i = 0; i < BODIES; i++) {
		if (i == empty)
			continue;
		body = body_of(graph, node, i);
		add = add_map(body, c->map, c->x, c->x, 1, weight(i), NULL, 0);
		/* Multiplied by 0: the word becomes that of the next body. */
		(void)add_map(body, c->map, c->n, c->n, 0, i + 1, &add, 1);
		plait_graph_release(body);
	}
	(void)add_map(graph, c->map, c->x, c->x, 1, 10000, &node, 1);
	c->plan = freeze_on(graph, 1);
}

static void unmake_choice(struct choice *c)
{
	plait_plan_release(c->plan);
	plait_buffer_release(c->n);
	plait_buffer_release(c->x);
	plait_kernel_release(c->map);
}

static void check_word(const struct choice *c, uint32_t word, uint32_t empty)
{
	uint32_t ran = word < BODIES && word != empty ? weight(word) : 0;

	write_words(c->n, word);
	write_words(c->x, 0);
	OK_THAT(call_with(c->plan, 0) == PLAIT_OK, "run: %s", rig.error.text);
	IS_UINT(read_words(c->x), 11000 + ran);
	IS_UINT(read_words(c->n), ran != 0 ? word + 1 : word);
}

/* One launch of a graph for each run. */
static void check_choice(const char *standin, uint32_t empty)
{
	struct choice c;
	uint64_t launched;

	if (!open_on(standin, ",graphs=strict"))
		return;
	make_choice(&c, empty);
	check_word(&c, 0, empty);
	launched = rig_calls("cuGraphLaunch");
	for (uint32_t word = 0; word <= BODIES; word++)
		check_word(&c, word, empty);
	IS_UINT(rig_calls("cuGraphLaunch") - launched, BODIES + 1);
	OK(rig_misused() == NULL);
	unmake_choice(&c);
	close_place();
}

static void choices(void)
{
	static const char *const drivers[] = { "version=12030",
					       "version=12040",
					       "version=12060",
					       "version=12080", "seed=3",
					       "seed=4,version=12050" };

	for (size_t i = 0; i < TAP_COUNT(drivers); i++) {
		check_choice(drivers[i], NONE);
		check_choice(drivers[i], 0);
		check_choice(drivers[i], BODIES - 1);
	}
}

/* ---- commands that old drivers do not take in bodies ---- */

/* do { x += 1; x[0] = 5 } while n, with n = 0 */
static plait_status run_filled(const char *standin, const char *more,
			       uint32_t *out)
{
	plait_node_desc loop = { .kind = PLAIT_NODE_DO, .label = "loop" };
	plait_graph *graph, *body;
	struct choice c;
	plait_node node;
	plait_status status;

	*out = 0;
	if (!open_on(standin, more))
		return PLAIT_E_FAILED;
	c.map = map_kernel();
	loop.predicate = c.n = words_on(rig.device);
	c.x = words_on(rig.device);
	graph = new_graph();
	node = add_node(graph, loop, NULL, 0);
	body = body_of(graph, node, 0);
	node = add_map(body, c.map, c.x, c.x, 1, 1, NULL, 0);
	(void)add_fill(body, c.x, 5, &node, 1);
	plait_graph_release(body);
	c.plan = freeze_on(graph, 1);
	write_words(c.n, 0);
	write_words(c.x, 0);
	status = call_with(c.plan, 0);
	if (status == PLAIT_OK)
		*out = read_words(c.x);
	unmake_choice(&c);
	close_place();
	return status;
}

/* The host does what the driver has no graph for; that is an error where the
 * program wants graphs. */
static void left_to_the_host(void)
{
	uint32_t x;

	IS_INT(run_filled("version=12030", "", &x), PLAIT_OK);
	IS_UINT(x, 5);
	IS_INT(run_filled("version=12040", ",graphs=strict", &x), PLAIT_OK);
	IS_UINT(x, 5);
	IS_INT(run_filled("version=12030", ",graphs=strict", &x),
	       PLAIT_E_FAILED);
	HAS_STR(rig.error.text, "the driver of CUDA 12.3 has no graphs with "
		"copies, fills or empty commands in loops and branches");
	IS_INT(run_filled("version=12020", ",graphs=strict", &x),
	       PLAIT_E_FAILED);
	HAS_STR(rig.error.text, "the driver of CUDA 12.2 has no graphs with "
		"loops and branches");
}

/* The pool's memory is freed for a graph that does not fit. */
static void full(void)
{
	struct choice c;
	uint64_t made;

	if (!open_on("", ",graphs=strict"))
		return;
	make_choice(&c, NONE);
	check_word(&c, 1, NONE);
	made = rig_calls("cuGraphInstantiateWithParams");
	unmake_choice(&c);
	rig_fail("cuGraphInstantiateWithParams", 1, CUDA_ERROR_OUT_OF_MEMORY);
	make_choice(&c, NONE);
	check_word(&c, 1, NONE);
	IS_UINT(rig_calls("cuGraphInstantiateWithParams"), 2 * made + 1);
	unmake_choice(&c);
	close_place();
}

static const struct tap_scenario all[] = {
	{ "choices", choices },
	{ "left to the host", left_to_the_host },
	{ "full", full },
};
TAP_MAIN(all)
