/* SPDX-License-Identifier: MIT */
/*
 * Copies, fills, reads and writes of rotating buffers, in each kind of loop and
 * behind it, with and without a prologue, at offsets, as rows and with memory
 * that a run binds; against plain C.
 */
#include "repeats.h"

enum { HALF = WORDS / 2, MOST = 4 };

enum kind { REPEAT, REPEAT_BY_WORD, WHILE_WORD, DO_WORD, KINDS };

/*
 *	fill x, y, z
 *	loop {	x = 3 this + 1			a launch
 *		next, first half = x, first half
 *		next, second half = 7		a fill
 *		y = this			a copy, rows with gaps
 *		first word of next = host	a write }
 *	z = this; out = this			a copy into a bound buffer
 *	seen = this				a read
 */
struct rig_of_copies {
	enum kind kind;
	uint32_t count;		/* of the rotation */
	bool prologue;
	plait_kernel *map;
	plait_buffer *turn[MOST + 1], *x, *y, *z, *word, *out;
	plait_plan *plan;
};

static plait_node add_loop(plait_graph *graph, const struct rig_of_copies *all,
			   plait_node after)
{
	plait_node_desc desc = { .label = "loop", .predicate = all->word };

	desc.kind = all->kind == WHILE_WORD ? PLAIT_NODE_WHILE :
		    all->kind == DO_WORD ? PLAIT_NODE_DO : PLAIT_NODE_REPEAT;
	if (all->kind == REPEAT) {
		desc.predicate = NULL;
		desc.count_parameter = "n";
	}
	return add_node(graph, desc, &after, 1);
}

static plait_node add_half(plait_graph *body, plait_buffer *x, uint64_t turn,
			   plait_node after)
{
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_COPY, .source = x, .bytes = 4 * HALF,
		.target_rotation = turn, .target_ahead = 1, .label = "half",
	};

	return add_node(body, desc, &after, 1);
}

/* The other half: no edge to the copy is needed. */
static plait_node add_sevens(plait_graph *body, uint64_t turn)
{
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_FILL, .pattern = 7, .pattern_bytes = 4,
		.target_rotation = turn, .target_ahead = 1,
		.target_offset = 4 * HALF, .bytes = 4 * HALF,
		.label = "sevens",
	};

	return add_node(body, desc, NULL, 0);
}

/* Every second pair of words. */
static plait_node add_rows(plait_graph *body, plait_buffer *y, uint64_t turn)
{
	const plait_rows rows = { .size = sizeof(rows), .rows = WORDS / 4,
				  .target_row = 16, .source_row = 16 };
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_COPY, .target = y, .bytes = 8,
		.source_rotation = turn, .rows = &rows, .label = "rows",
	};

	return add_node(body, desc, NULL, 0);
}

static plait_node add_write(plait_graph *body, uint64_t turn, plait_node after)
{
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_WRITE, .host_parameter = "first",
		.target_rotation = turn, .target_ahead = 1, .bytes = 4,
		.label = "first",
	};

	return add_node(body, desc, &after, 1);
}

static void add_body(plait_graph *body, const struct rig_of_copies *all,
		     uint64_t turn)
{
	const uint32_t a = 3, b = 1;
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WORDS } };
	const plait_argument arguments[] = {
		PLAIT_ROTATION(turn, 0), PLAIT_BUFFER(all->x), PLAIT_VALUE(a),
		PLAIT_VALUE(b),
	};
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_LAUNCH, .kernel = all->map,
		.launch = &launch, .arguments = arguments,
		.argument_count = 4, .label = "map",
	};
	plait_node node = add_node(body, desc, NULL, 0);

	node = add_half(body, all->x, turn, node);
	(void)add_write(body, turn, node);
	(void)add_sevens(body, turn);
	(void)add_rows(body, all->y, turn);
	if (all->kind == WHILE_WORD || all->kind == DO_WORD)
		(void)add_map(body, all->map, all->word, all->word, 1,
			      UINT32_MAX, NULL, 0);
}

static void add_end(plait_graph *graph, const struct rig_of_copies *all,
		    uint64_t turn, plait_node loop)
{
	plait_node_desc desc = {
		.kind = PLAIT_NODE_COPY, .source_rotation = turn,
		.bytes = 4 * WORDS, .label = "end",
	};

	desc.target = all->z;
	(void)add_node(graph, desc, &loop, 1);
	desc.target = NULL;
	desc.target_parameter = "out";
	(void)add_node(graph, desc, &loop, 1);
	desc.kind = PLAIT_NODE_READ;
	desc.target_parameter = NULL;
	desc.host_parameter = "seen";
	(void)add_node(graph, desc, &loop, 1);
}

static void make_copies(struct rig_of_copies *all, const struct place *place)
{
	plait_graph *graph = new_graph(), *body;
	plait_node node;
	uint64_t turn = 0;

	all->map = map_kernel();
	for (uint32_t i = 0; i < all->count; i++)
		all->turn[i] = words_on(rig.device);
	all->x = words_on(rig.device);
	all->y = words_on(rig.device);
	all->z = words_on(rig.device);
	all->out = words_on(rig.device);
	all->word = words_on(rig.device);
	node = add_fill(graph, all->x, 1, NULL, 0);
	node = add_fill(graph, all->y, 2, &node, 1);
	node = add_fill(graph, all->z, 3, &node, 1);
	node = add_loop(graph, all, node);
	body = body_of(graph, node, 0);
	OK_THAT(plait_graph_add_rotation(body, all->turn, all->count,
					 all->prologue ?
					 PLAIT_ROTATION_PROLOGUE : 0, &turn,
					 &rig.error) == PLAIT_OK, "%s",
		rig.error.text);
	add_body(body, all, turn);
	plait_graph_release(body);
	add_end(graph, all, turn, node);
	all->plan = freeze_on(graph, place->lanes);
}

static void free_copies(struct rig_of_copies *all)
{
	plait_plan_release(all->plan);
	for (uint32_t i = 0; i < all->count; i++)
		plait_buffer_release(all->turn[i]);
	plait_buffer_release(all->x);
	plait_buffer_release(all->y);
	plait_buffer_release(all->z);
	plait_buffer_release(all->out);
	plait_buffer_release(all->word);
	plait_kernel_release(all->map);
}

/* ---- in plain C ---- */

struct cells {
	uint32_t turn[MOST + 1][WORDS], y[WORDS];
};

static uint32_t *turn_at(const struct rig_of_copies *all, struct cells *cells,
			 uint32_t i)
{
	if (!all->prologue)
		return cells->turn[i % all->count];
	return cells->turn[i == 0 ? 0 : 1 + (i - 1) % (all->count - 1)];
}

static const uint32_t *walk(const struct rig_of_copies *all,
			    struct cells *cells, uint32_t times, uint32_t first)
{
	for (uint32_t i = 0; i < WORDS; i++)
		cells->y[i] = 2;
	for (uint32_t k = 0; k < times; k++) {
		const uint32_t *from = turn_at(all, cells, k);
		uint32_t *to = turn_at(all, cells, k + 1);

		for (uint32_t i = 0; i < WORDS; i++) {
			if (i % 4 < 2)
				cells->y[i] = from[i];
			to[i] = i < HALF ? 3 * from[i] + 1 : 7;
		}
		to[0] = first;
	}
	return turn_at(all, cells, times);
}

/* ---- runs ---- */

static plait_status run_copies(const struct rig_of_copies *all, uint64_t times,
			       uint32_t *first, uint32_t *seen, bool called)
{
	static const char *const names[] = { "out", "first", "seen", "n" };
	plait_binding bindings[4] = {
		{ .size = sizeof(bindings[0]), .buffer = all->out },
		PLAIT_BIND_HOST(0, first, 4),
		PLAIT_BIND_HOST(0, seen, 4 * WORDS),
		{ .value = &times, .bytes = sizeof(times) },
	};
	const plait_run_desc desc = {
		.size = sizeof(desc), .bindings = bindings,
		.binding_count = all->kind == REPEAT ? 4 : 3,
	};

	for (uint32_t i = 0; i < desc.binding_count; i++)
		if (plait_plan_find_parameter(all->plan, names[i],
					      &bindings[i].parameter,
					      &rig.error) != PLAIT_OK)
			return PLAIT_E_INVALID;
	return called ? plait_plan_call(all->plan, NULL, &desc, &rig.error) :
			run_desc(all->plan, &desc);
}

static void check_times(struct rig_of_copies *all, struct cells *cells,
			uint32_t times, bool called)
{
	uint32_t first = 100 + times, seen[WORDS], found[WORDS];
	const uint32_t *end;

	write_words(all->word, times);
	OK_THAT(run_copies(all, times, &first, seen, called) == PLAIT_OK,
		"run: %s", rig.error.text);
	if (all->kind == DO_WORD && times == 0)
		times = 1;
	end = walk(all, cells, times, first);
	OK_THAT(memcmp(seen, end, sizeof(seen)) == 0,
		"kind %d, %u buffers%s, %u times", (int)all->kind, all->count,
		all->prologue ? ", prologue" : "", times);
	get(all->z, found, WORDS);
	OK(memcmp(found, end, sizeof(found)) == 0);
	get(all->out, found, WORDS);
	OK(memcmp(found, end, sizeof(found)) == 0);
	get(all->y, found, WORDS);
	OK(memcmp(found, cells->y, sizeof(found)) == 0);
}

static void check_copies(const struct place *place)
{
	static const uint32_t times[] = { 5, 1, 0, 3, 12 };
	struct cells cells;

	for (uint32_t i = 0; i < 2 * KINDS; i++) {
		struct rig_of_copies all = {
			.kind = (enum kind)(i / 2), .prologue = i % 2,
			.count = 2 + i % 2 + (place->lanes + i) % 3,
		};

		make_copies(&all, place);
		for (uint32_t k = 0; k < all.count; k++) {
			for (uint32_t w = 0; w < WORDS; w++)
				cells.turn[k][w] = 10 * k + w;
			put(all.turn[k], cells.turn[k], WORDS);
		}
		/* A DO ends when its word is 0, so it starts above. */
		for (uint32_t k = 0; k < TAP_COUNT(times); k++)
			if (all.kind != DO_WORD || times[k] > 0)
				check_times(&all, &cells, times[k], k % 2);
		if (all.kind < WHILE_WORD)
			check_times(&all, &cells, 700, true);
		free_copies(&all);
	}
}

static void copies(void)
{
	each_place(SEEDS, check_copies);
}

/* ---- bound memory that is one of the rotation's ---- */

static void check_overlap(const struct place *place)
{
	struct rig_of_copies all = { .kind = REPEAT, .count = 3,
				     .prologue = true };
	uint32_t first = 1, seen[WORDS];
	plait_buffer *out;

	make_copies(&all, place);
	out = all.out;
	for (uint32_t i = 0; i < all.count; i++) {
		all.out = all.turn[i];
		IS_INT(run_copies(&all, 2, &first, seen, true),
		       PLAIT_E_INVALID);
		HAS_STR(rig.error.text, "source and target overlap");
	}
	all.out = out;
	IS_INT(run_copies(&all, 2, &first, seen, true), PLAIT_OK);
	free_copies(&all);
}

static void overlap(void)
{
	each_place(4, check_overlap);
}

static const struct tap_scenario all[] = {
	{ "copies", copies },
	{ "overlap", overlap },
};
TAP_MAIN(all)
