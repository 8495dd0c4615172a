/* SPDX-License-Identifier: MIT */
/* Repeats in other regions and other regions in repeats; a failure and a
 * cancellation in an iteration. */
#include "repeats.h"

/* ---- one in the other ---- */

/*
 *	repeat n { x = 3 x + i ; repeat 5 { x = x + i' } ;
 *		   word = 3 ; while word { x = 7 x ; word -= 1 } }
 *	word = 4 ; while word { repeat 3 { x = 5 x + i } ; word -= 1 }
 */
static void add_ends(plait_graph *body, plait_kernel *map, plait_buffer *word,
		     const plait_node *after)
{
	(void)add_map(body, map, word, word, 1, UINT32_MAX, after, 1);
}

static plait_node add_while(plait_graph *graph, plait_buffer *word,
			    const plait_node *after)
{
	const plait_node_desc desc = { .kind = PLAIT_NODE_WHILE,
				       .label = "while", .predicate = word };

	return add_node(graph, desc, after, 1);
}

static void fill_outer(plait_graph *body, plait_kernel *map, plait_buffer *x,
		       plait_buffer *word)
{
	const struct counted five = { .how = CONSTANT, .count = 5 };
	plait_graph *inner;
	plait_node node = 0, last = 0;

	add_number(body, map, x, NULL, &node);
	node = add_repeat(body, &five, &node, 1);
	inner = body_of(body, node, 0);
	add_number(inner, map, x, &some_series[4], &last);
	plait_graph_release(inner);
	node = add_fill(body, word, 3, &node, 1);
	node = add_while(body, word, &node);
	inner = body_of(body, node, 0);
	last = add_map(inner, map, x, x, 7, 0, NULL, 0);
	add_ends(inner, map, word, &last);
	plait_graph_release(inner);
}

static plait_node add_second(plait_graph *graph, plait_kernel *map,
			     plait_buffer *x, plait_buffer *word,
			     plait_node node)
{
	const struct counted three = { .how = CONSTANT, .count = 3 };
	plait_graph *inner, *body;
	plait_node last = 0;

	node = add_fill(graph, word, 4, &node, 1);
	node = add_while(graph, word, &node);
	body = body_of(graph, node, 0);
	last = add_repeat(body, &three, NULL, 0);
	add_ends(body, map, word, &last);
	inner = body_of(body, last, 0);
	last = 0;
	add_number(inner, map, x, &some_series[1], &last);
	plait_graph_release(inner);
	plait_graph_release(body);
	return node;
}

static uint32_t expect_nested(uint64_t count)
{
	uint32_t x = 1;

	for (uint32_t i = 0; i < count; i++) {
		x = 3 * x + i;
		for (uint32_t k = 0; k < 5; k++)
			x = 3 * x + (5 - k);
		x *= 343;
	}
	for (uint32_t i = 0; i < 12; i++)
		x = 3 * x + i % 3 + 1;
	return x;
}

static void check_nested(const struct place *place)
{
	struct counted counted = { .how = PARAMETER, .count = 4 };
	plait_kernel *map = map_kernel();
	plait_buffer *x = words_on(rig.device), *word = words_on(rig.device);
	plait_graph *graph = new_graph(), *body;
	plait_node node = add_repeat(graph, &counted, NULL, 0);
	plait_plan *plan;

	body = body_of(graph, node, 0);
	fill_outer(body, map, x, word);
	plait_graph_release(body);
	(void)add_second(graph, map, x, word, node);
	plan = freeze_on(graph, place->lanes);
	for (int run = 0; run < 3; run++) {
		write_words(x, 1);
		counted.count = (uint64_t)run * 2;
		OK_THAT(run_counted(plan, &counted, run % 2) == PLAIT_OK,
			"nested: %s", rig.error.text);
		IS_UINT(read_words(x), expect_nested(counted.count));
	}
	plait_plan_release(plan);
	plait_buffer_release(x);
	plait_buffer_release(word);
	plait_kernel_release(map);
}

static void nested(void)
{
	each_place(SEEDS, check_nested);
}

/* ---- in the middle ---- */

/* Functions of the host where devices can call them. */
struct fuse {
	uint32_t calls, at;
	plait_run *run;		/* to cancel; null: fail */
};

static int32_t burn(void *user_data)
{
	struct fuse *fuse = user_data;

	if (++fuse->calls != fuse->at)
		return 0;
	if (fuse->run == NULL)
		return 42;
	(void)plait_run_cancel(__atomic_load_n(&fuse->run, __ATOMIC_ACQUIRE),
			       NULL);
	return 0;
}

static void check_fuse(const struct place *place)
{
	const struct counted counted = { .how = CONSTANT, .count = 700 };
	struct fuse fuse = { .at = 5 };
	plait_kernel *map = map_kernel();
	plait_buffer *x = words_on(rig.device);
	plait_graph *graph = new_graph(), *body;
	plait_node node = add_repeat(graph, &counted, NULL, 0);
	plait_plan *plan;

	body = body_of(graph, node, 0);
	node = add_map(body, map, x, x, 1, 1, NULL, 0);
	(void)add_call(body, "burn", burn, &fuse, &node, 1);
	plait_graph_release(body);
	plan = freeze_on(graph, place->lanes);
	for (int run = 0; run < 2; run++) {
		fuse.calls = 0;
		write_words(x, 0);
		fuse.at = run == 0 ? 5 : UINT32_MAX;
		IS_INT(plait_plan_call(plan, NULL, NULL, &rig.error),
		       run == 0 ? PLAIT_E_FAILED : PLAIT_OK);
		IS_UINT(fuse.calls, run == 0 ? 5 : 700);
		if (run == 0)
			OK_THAT(strstr(rig.error.text, "burn") != NULL, "%s",
				rig.error.text);
		else
			IS_UINT(read_words(x), 700);
	}
	plait_plan_release(plan);
	plait_buffer_release(x);
	plait_kernel_release(map);
}

static void failures(void)
{
	each_place(SEEDS, check_fuse);
}

/* A count that no run reaches is cancelled, by a function in the loop and from
 * outside; the next run is whole. */
static plait_run *begin_endless(plait_plan *plan, plait_signal *gate,
				struct fuse *fuse, uint64_t count)
{
	plait_binding bindings[1] = { { .size = sizeof(*bindings),
					.value = &count, .bytes = 8 } };
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = bindings,
				      .binding_count = 1 };
	plait_run *run = NULL;

	OK(plait_plan_find_parameter(plan, "n", &bindings[0].parameter,
				     NULL) == PLAIT_OK);
	/* The gate stays raised, so later runs begin here. */
	fuse->calls = 0;
	OK(plait_plan_run(plan, rig.queue, &desc, &run, &rig.error) ==
	   PLAIT_OK);
	__atomic_store_n(&fuse->run, run, __ATOMIC_RELEASE);
	OK(plait_signal_raise(gate, 1, NULL) == PLAIT_OK);
	return run;
}

static void check_cancel(const struct place *place)
{
	const struct counted counted = { .how = PARAMETER };
	const plait_signal_desc gated = { .size = sizeof(gated),
					  .flags = PLAIT_SIGNAL_GATE };
	struct fuse fuse = { .at = 5 };
	plait_kernel *map = map_kernel();
	plait_buffer *x = words_on(rig.device);
	plait_graph *graph = new_graph(), *body;
	plait_signal *gate = NULL;
	plait_node node = 0;
	plait_plan *plan;
	plait_run *run;

	OK(plait_signal_create(rig.device, &gated, &gate, &rig.error) ==
	   PLAIT_OK);
	OK(plait_graph_wait(graph, gate, 1, 0, &node, &rig.error) == PLAIT_OK);
	node = add_repeat(graph, &counted, &node, 1);
	body = body_of(graph, node, 0);
	node = add_map(body, map, x, x, 1, 1, NULL, 0);
	(void)add_call(body, "burn", burn, &fuse, &node, 1);
	plait_graph_release(body);
	plan = freeze_on(graph, place->lanes);
	for (int i = 0; i < 3; i++) {
		write_words(x, 0);
		fuse.at = i == 0 ? 5 : UINT32_MAX;
		run = begin_endless(plan, gate, &fuse,
				    i < 2 ? UINT64_C(1) << 60 : 9);
		if (i == 1)
			OK(plait_run_cancel(run, NULL) == PLAIT_OK);
		IS_INT(plait_run_wait(run, PLAIT_FOREVER, &rig.error),
		       i < 2 ? PLAIT_E_CANCELLED : PLAIT_OK);
		if (i != 1)
			IS_UINT(fuse.calls, i == 0 ? 5 : 9);
		plait_run_release(run);
		(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
	}
	IS_UINT(read_words(x), 9);
	plait_plan_release(plan);
	plait_signal_release(gate);
	plait_buffer_release(x);
	plait_kernel_release(map);
}

static void cancellations(void)
{
	each_place(SEEDS, check_cancel);
}

static const struct tap_scenario all[] = {
	{ "nested", nested },
	{ "failures", failures },
	{ "cancellations", cancellations },
};
TAP_MAIN(all)
