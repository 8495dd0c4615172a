/* SPDX-License-Identifier: MIT */
/*
 * Segments that decide loops, change in the middle of a run and are refused
 * then: they are walked, with the same result; and can be stopped at any time.
 */
#include "regions.h"

/*
 * thrice { w += 1; x += the number of this iteration; n = 2;
 *          while n { n -= 1; m = 2; do m { m -= 1; y += 1 }; case n { z += 1 } };
 *          y = 2 y }
 */
static plait_plan *new_walked(struct whole *s, uint32_t *left, uint32_t lanes)
{
	const plait_argument told = of_kind(PLAIT_ARGUMENT_ITERATION, NULL);
	plait_node_desc outer = {
		.kind = PLAIT_NODE_WHILE, .label = "outer", .user_data = left,
		.flags = PLAIT_CALL_ANY_THREAD, .function = thrice,
	};
	plait_graph *graph = new_graph(), *body, *inner, *last;
	plait_node node, down;

	s->map = map_kernel();
	s->n = words_on(rig.device);
	s->m = words_on(rig.device);
	s->w = words_on(rig.device);
	s->x = words_on(rig.device);
	s->y = words_on(rig.device);
	s->z = words_on(rig.device);
	node = add_node(graph, outer, NULL, 0);
	body = body_of(graph, node, 0);
	(void)add_map(body, s->map, s->w, s->w, 1, 1, NULL, 0);
	(void)add_told(body, s->map, s->x, &told);
	node = add_fill(body, s->n, 2, NULL, 0);
	node = add_region(body, PLAIT_NODE_WHILE, s->n, 0, &node, 1);
	(void)add_map(body, s->map, s->y, s->y, 2, 0, &node, 1);
	inner = body_of(body, node, 0);
	down = add_map(inner, s->map, s->n, s->n, 1, UINT32_MAX, NULL, 0);
	node = add_fill(inner, s->m, 2, NULL, 0);
	node = add_region(inner, PLAIT_NODE_DO, s->m, 0, &node, 1);
	last = body_of(inner, node, 0);
	(void)add_map(last, s->map, s->m, s->m, 1, UINT32_MAX, NULL, 0);
	(void)add_map(last, s->map, s->y, s->y, 1, 1, NULL, 0);
	plait_graph_release(last);
	node = add_region(inner, PLAIT_NODE_CASE, s->n, 1, &down, 1);
	last = body_of(inner, node, 0);
	(void)add_map(last, s->map, s->z, s->z, 1, 1, NULL, 0);
	plait_graph_release(last);
	plait_graph_release(inner);
	plait_graph_release(body);
	return freeze_on(graph, lanes);
}

static void check_walked(const struct whole *s, uint32_t *left)
{
	*left = 3;
	write_words(s->w, 0);
	write_words(s->x, 0);
	write_words(s->y, 0);
	write_words(s->z, 0);
	OK_THAT(call_with(s->plan, 0) == PLAIT_OK, "call: %s",
		rig.error.text);
	IS_UINT(read_words(s->w), 3);
	IS_UINT(read_words(s->x), 0 + 1 + 2);
	IS_UINT(read_words(s->y), 2 * (2 * (2 * 4 + 4) + 4));
	IS_UINT(read_words(s->z), 3);
}

/* A segment that has to be made anew in the middle of a run, and is rejected
 * then: the host decides from there on; also when that happens again. */
static void walked(void)
{
	uint32_t one_by_one = 0, left;
	char more[100];
	struct whole s;

	for (uint32_t seed = 1; seed <= 2 * SEEDS; seed++) {
		(void)snprintf(more, sizeof(more), ",patches=0,quirks=shuffle"
			       ";fault:slot=segment_create,fail=%u,"
			       "status=unsupported", 1 + seed % 8);
		if (!open_counting(seed, "check,fault", more))
			return;
		s.plan = new_walked(&s, &left, 1 + seed / 8 % 3);
		begin_counting();
		for (uint32_t i = 0; i < 4; i++)
			check_walked(&s, &left);
		one_by_one += begun_segments > 0 && begun_others > 0;
		free_whole(&s);
		close_place();
	}
	OK(one_by_one > 0);
}

/* Segments and submissions are refused now and then, also in a walk. */
static void walks_refused(void)
{
	uint32_t failed = 0, left;
	char more[120];
	struct whole s;

	for (uint32_t seed = 1; seed <= 2 * SEEDS; seed++) {
		(void)snprintf(more, sizeof(more), ",patches=0;fault:rate=%u,"
			       "slot=segment_create+queue_submit,seed=%u,"
			       "status=unsupported", 20 + seed % 8 * 10, seed);
		if (!open_counting(seed, "check,fault", more))
			return;
		s.plan = new_walked(&s, &left, 1 + seed / 8 % 3);
		for (uint32_t i = 0; i < 10; i++) {
			left = 3;
			if (call_with(s.plan, 0) == PLAIT_OK)
				continue;
			failed++;
			IS_INT(rig.error.status, PLAIT_E_UNSUPPORTED);
			OK_THAT(strncmp(rig.error.text, "node ", 5) == 0 &&
				strstr(rig.error.text, " could not be submitted: "
				       "fault: call ") != NULL, "%s",
				rig.error.text);
		}
		free_whole(&s);
		close_place();
	}
	OK(failed > 0);
}

/* Returns true when it had ended before. */
static bool stop_walk(const struct whole *s, uint32_t *left, uint32_t looks)
{
	plait_run *run = NULL;
	plait_status status;

	*left = 3;
	OK(plait_plan_run(s->plan, rig.queue, NULL, &run, &rig.error) ==
	   PLAIT_OK);
	while (looks-- > 0)
		(void)plait_run_wait(run, 0, NULL);
	OK(plait_run_cancel(run, &rig.error) == PLAIT_OK);
	status = plait_run_wait(run, PLAIT_FOREVER, &rig.error);
	OK_THAT(status == PLAIT_OK || status == PLAIT_E_CANCELLED, "%s",
		rig.error.text);
	plait_run_release(run);
	(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
	return status == PLAIT_OK;
}

/* Stopped after each look at it. */
static void walks_stopped(void)
{
	struct whole s;
	uint32_t left;
	bool over = false;

	for (uint32_t looks = 0; looks < 1000 && !over; looks++) {
		if (!open_counting(4, "check,fault", ",patches=0;fault:"
				   "slot=segment_create,fail=2,"
				   "status=unsupported"))
			return;
		s.plan = new_walked(&s, &left, 2);
		over = stop_walk(&s, &left, looks);
		check_walked(&s, &left);
		free_whole(&s);
		close_place();
	}
	OK(over);
}

static const struct tap_scenario all[] = {
	{ "walked", walked },
	{ "walks refused", walks_refused },
	{ "walks stopped", walks_stopped },
};
TAP_MAIN(all)
