/* SPDX-License-Identifier: MIT */
/* A loop whose buffers rotate, with another one in it: built, run, and in plain C. */
#ifndef T_RUN_QUEUE_UNROLLED_H
#define T_RUN_QUEUE_UNROLLED_H

#include "lib/queued.h"

enum { MOST = 4 };

/*
 * n = times
 *
 *	loop over n {
 *		n -= 1
 *		b next = 3 a + 1; a next = a + 2 (a launch, of bound memory if told)
 *		c next, half = b next; c next, half = 7
 *		m = 2; do m { m -= 1; d next = d + 1; e += c } }
 */
struct turns {
	plait_kernel *map;
	plait_buffer *n, *m, *e;
	plait_buffer *a[MOST], *b[MOST], *c[MOST], *d[2];
	uint32_t as, bs;	/* their numbers; c has as many as a */
	bool told;
	plait_plan *plan;
};

static inline void make_buffers(struct turns *t)
{
	t->map = map_kernel();
	t->n = words_on(rig.device);
	t->m = words_on(rig.device);
	t->e = words_on(rig.device);
	for (uint32_t i = 0; i < MOST; i++) {
		t->a[i] = words_on(rig.device);
		t->b[i] = words_on(rig.device);
		t->c[i] = words_on(rig.device);
	}
	t->d[0] = words_on(rig.device);
	t->d[1] = words_on(rig.device);
}

static inline void free_turns(struct turns *t)
{
	plait_plan_release(t->plan);
	for (uint32_t i = 0; i < MOST; i++) {
		plait_buffer_release(t->a[i]);
		plait_buffer_release(t->b[i]);
		plait_buffer_release(t->c[i]);
	}
	plait_buffer_release(t->d[0]);
	plait_buffer_release(t->d[1]);
	plait_buffer_release(t->e);
	plait_buffer_release(t->m);
	plait_buffer_release(t->n);
	plait_kernel_release(t->map);
}

static inline uint64_t rotate(plait_graph *body, plait_buffer *const *buffers,
		       uint32_t count)
{
	uint64_t turn = 0;

	OK_THAT(plait_graph_add_rotation(body, buffers, count, 0, &turn,
					 &rig.error) == PLAIT_OK, "%s",
		rig.error.text);
	return turn;
}

/* to = from * a + b */
static inline plait_node add_turn(plait_graph *body, plait_kernel *map,
			   plait_argument from, plait_argument to, uint32_t a,
			   const plait_argument *b, const plait_node *after)
{
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WORDS } };
	const plait_argument arguments[] = { from, to, value_argument(&a),
					     *b };
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_LAUNCH, .kernel = map, .launch = &launch,
		.arguments = arguments, .argument_count = 4, .label = "map",
	};

	return add_node(body, desc, after, after != NULL);
}

static inline plait_argument turn_of(uint64_t turn, uint64_t ahead)
{
	return (plait_argument)PLAIT_ROTATION(turn, ahead);
}

/* A loop that a word decides. */
static inline plait_node add_decided(plait_graph *graph, uint32_t kind,
				     plait_buffer *word,
				     const plait_node *after)
{
	const plait_node_desc desc = { .kind = kind, .label = "loop",
				       .predicate = word };

	return add_node(graph, desc, after, after != NULL);
}

/* A rotation of its own, and the buffer that its outer loop writes. */
static inline void add_inner(const struct turns *t, plait_graph *body, uint64_t c,
		      plait_node after)
{
	const uint32_t one = 1, zero = 0;
	const plait_argument plus_one = value_argument(&one);
	const plait_argument plus_zero = value_argument(&zero);
	plait_node node = add_fill(body, t->m, 2, &after, 1);
	plait_graph *inner;
	uint64_t d;

	node = add_decided(body, PLAIT_NODE_DO, t->m, &node);
	inner = body_of(body, node, 0);
	d = rotate(inner, t->d, 2);
	(void)add_map(inner, t->map, t->m, t->m, 1, UINT32_MAX, NULL, 0);
	(void)add_turn(inner, t->map, turn_of(d, 0), turn_of(d, 1), 1,
		       &plus_one, NULL);
	(void)add_turn(inner, t->map, turn_of(c, 1),
		       buffer_argument(t->e), 1, &plus_zero, NULL);
	plait_graph_release(inner);
}

static inline plait_node add_halves(plait_graph *body, uint64_t c, uint64_t b,
			     plait_node after)
{
	const plait_node_desc copy = {
		.kind = PLAIT_NODE_COPY, .target_rotation = c,
		.target_ahead = 1, .source_rotation = b, .source_ahead = 1,
		.bytes = 2 * WORDS, .label = "copy",
	};
	const plait_node_desc fill = {
		.kind = PLAIT_NODE_FILL, .target_rotation = c,
		.target_ahead = 1, .target_offset = 2 * WORDS,
		.bytes = 2 * WORDS, .pattern = 7, .pattern_bytes = 4,
		.label = "fill",
	};
	plait_node node = add_node(body, copy, &after, 1);

	return add_node(body, fill, &node, 1);
}

static inline void add_body(const struct turns *t, plait_graph *body)
{
	const plait_argument told = of_kind(PLAIT_ARGUMENT_PARAMETER, "b");
	const uint32_t one = 1, two = 2;
	const plait_argument plus_one = value_argument(&one);
	const plait_argument plus_two = value_argument(&two);
	uint64_t a = rotate(body, t->a, t->as), b = rotate(body, t->b, t->bs);
	uint64_t c = rotate(body, t->c, t->as);
	plait_node node;

	(void)add_map(body, t->map, t->n, t->n, 1, UINT32_MAX, NULL, 0);
	node = add_turn(body, t->map, turn_of(a, 0), turn_of(b, 1), 3,
			&plus_one, NULL);
	node = add_halves(body, c, b, node);
	add_inner(t, body, c, node);
	(void)add_turn(body, t->map, turn_of(a, 0), turn_of(a, 1), 1,
		       t->told ? &told : &plus_two, NULL);
}

static inline void add_loop(const struct turns *t, plait_graph *graph, uint32_t kind)
{
	plait_node node = add_decided(graph, kind, t->n, NULL);
	plait_graph *body = body_of(graph, node, 0);

	add_body(t, body);
	plait_graph_release(body);
}

/* ---- in plain C ---- */

struct cells {
	uint32_t a[MOST], b[MOST], c[MOST], d[2], e;
};

static inline void walk(const struct turns *t, struct cells *cells, uint32_t times,
		 uint32_t step)
{
	for (uint32_t i = 0; i < times; i++) {
		uint32_t a = cells->a[i % t->as];

		cells->b[(i + 1) % t->bs] = 3 * a + 1;
		cells->c[(i + 1) % t->as] = 3 * a + 1;
		cells->a[(i + 1) % t->as] = a + step;
		for (uint32_t k = 0; k < 2; k++) {
			cells->d[(k + 1) % 2] = cells->d[k % 2] + 1;
			cells->e = cells->c[(i + 1) % t->as];
		}
	}
}

/* The first half of the words, or all of them. */
static inline uint32_t first_words(plait_buffer *buffer, bool half)
{
	uint32_t words[WORDS] = { 0 };
	uint32_t count = half ? WORDS / 2 : WORDS;

	OK(plait_queue_read(rig.queue, buffer, 0, words, sizeof(words),
			    &rig.error) == PLAIT_OK &&
	   plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error) ==
		   PLAIT_OK);
	for (uint32_t i = 1; i < count; i++)
		if (words[i] != words[0])
			return UINT32_MAX;
	if (half && words[WORDS / 2] != 7)
		return UINT32_MAX;
	return words[0];
}

static inline void put_cells(const struct turns *t, struct cells *cells)
{
	for (uint32_t i = 0; i < MOST; i++) {
		write_words(t->a[i], cells->a[i] = 100 + i);
		write_words(t->b[i], cells->b[i] = 200 + i);
		write_words(t->c[i], cells->c[i] = 7);
	}
	for (uint32_t i = 0; i < 2; i++)
		write_words(t->d[i], cells->d[i] = 400 + i);
	write_words(t->e, cells->e = 7);
}

static inline void compare(const struct turns *t, const struct cells *cells)
{
	for (uint32_t i = 0; i < t->as; i++) {
		IS_UINT(first_words(t->a[i], false), cells->a[i]);
		IS_UINT(first_words(t->c[i], true), cells->c[i]);
	}
	for (uint32_t i = 0; i < t->bs; i++)
		IS_UINT(first_words(t->b[i], false), cells->b[i]);
	for (uint32_t i = 0; i < 2; i++)
		IS_UINT(first_words(t->d[i], false), cells->d[i]);
	IS_UINT(first_words(t->e, true), cells->e);
}

static inline plait_status call_turns(const struct turns *t, uint32_t step)
{
	const plait_binding binding = { .size = sizeof(binding),
					.value = &step, .bytes = 4 };
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = &binding,
				      .binding_count = t->told };

	return plait_plan_call(t->plan, NULL, &desc, &rig.error);
}

static inline void check_run(const struct turns *t, uint32_t times, uint32_t step)
{
	struct cells cells;

	put_cells(t, &cells);
	write_words(t->n, times);
	OK_THAT(call_turns(t, step) == PLAIT_OK, "call: %s", rig.error.text);
	walk(t, &cells, times, step);
	compare(t, &cells);
}

static inline void choose(struct turns *t, uint32_t seed)
{
	static const uint32_t counts[][2] = {
		{ 2, 2 }, { 3, 3 }, { 2, 3 }, { 4, 2 }, { 4, 4 },
	};

	t->as = counts[seed % TAP_COUNT(counts)][0];
	t->bs = counts[seed % TAP_COUNT(counts)][1];
	t->told = seed / 2 % 2;
}

#endif
