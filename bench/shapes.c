/* SPDX-License-Identifier: MIT */
/*
 * Generators of the shapes.  Each adds nodes with their predecessors, in a
 * topological order; the successors are computed from that.
 */
#include <stdlib.h>
#include <string.h>

#include "shapes.h"

/* A graph under construction; `broken` after memory ran out. */
struct growing {
	struct graph *graph;
	uint32_t node_room;
	uint32_t edge_room;
	int broken;
};

static int grow(void **array, uint32_t size, uint32_t count)
{
	void *grown = realloc(*array, (size_t)size * count);

	if (grown == NULL)
		return -1;
	*array = grown;
	return 0;
}

static uint32_t add(struct growing *g)
{
	struct graph *graph = g->graph;

	if (graph->count + 2 > g->node_room) {
		g->node_room = 2 * g->node_room + 64;
		g->broken |= grow((void **)&graph->before_at, 4, g->node_room);
	}
	if (g->broken)
		return 0;
	graph->before_at[graph->count] = graph->edges;
	graph->before_at[graph->count + 1] = graph->edges;
	return graph->count++;
}

/* Add an edge from `before` to the newest node. */
static void after(struct growing *g, uint32_t before)
{
	struct graph *graph = g->graph;

	if (graph->edges == g->edge_room) {
		g->edge_room = 2 * g->edge_room + 64;
		g->broken |= grow((void **)&graph->before, 4, g->edge_room);
	}
	if (g->broken)
		return;
	graph->before[graph->edges++] = before;
	graph->before_at[graph->count] = graph->edges;
}

/* --- the shapes ----------------------------------------------------------- */

static uint32_t root(uint32_t count)
{
	uint32_t side = 1;

	while ((side + 1) * (side + 1) <= count)
		side++;
	return side;
}

static void chain(struct growing *g, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		uint32_t node = add(g);

		if (i > 0)
			after(g, node - 1);
	}
}

static void independent(struct growing *g, uint32_t count)
{
	while (count-- > 0)
		add(g);
}

/* One, eight, one, eight, ..., one. */
static void diamonds(struct growing *g, uint32_t count)
{
	uint32_t i, k, top = add(g);

	for (i = 0; i < count / 9; i++) {
		for (k = 0; k < 8; k++) {
			add(g);
			after(g, top);
		}
		add(g);
		for (k = 1; k <= 8; k++)
			after(g, top + k);
		top += 9;
	}
}

static uint32_t leaves(uint32_t count)
{
	uint32_t power = 1;

	while (4 * power - 1 <= count)
		power *= 2;
	return power;
}

static void in_tree(struct growing *g, uint32_t count)
{
	uint32_t wide = leaves(count), below = 0, i;

	independent(g, wide);
	for (wide /= 2; wide > 0; wide /= 2) {
		for (i = 0; i < wide; i++) {
			add(g);
			after(g, below + 2 * i);
			after(g, below + 2 * i + 1);
		}
		below += 2 * wide;
	}
}

static void out_tree(struct growing *g, uint32_t count)
{
	uint32_t all = 2 * leaves(count) - 1, i;

	add(g);
	for (i = 1; i < all; i++) {
		add(g);
		after(g, (i - 1) / 2);
	}
}

/* Each node comes after its upper and its left neighbour. */
static void wavefront(struct growing *g, uint32_t count)
{
	uint32_t side = root(count), x, y;

	for (y = 0; y < side; y++) {
		for (x = 0; x < side; x++) {
			uint32_t node = add(g);

			if (y > 0)
				after(g, node - side);
			if (x > 0)
				after(g, node - 1);
		}
	}
}

/* The newest writer of each tile of a lower triangle. */
struct tiles {
	uint32_t *writer;
	uint32_t side;
};

static uint32_t *tile(struct tiles *t, uint32_t row, uint32_t column)
{
	return &t->writer[row * t->side + column];
}

static void after_tile(struct growing *g, struct tiles *t, uint32_t row,
		       uint32_t column)
{
	if (*tile(t, row, column) != UINT32_MAX)
		after(g, *tile(t, row, column));
}

static void update_tiles(struct growing *g, struct tiles *t, uint32_t k)
{
	uint32_t i, j;

	for (i = k + 1; i < t->side; i++) {
		for (j = k + 1; j <= i; j++) {
			uint32_t node = add(g);

			after_tile(g, t, i, k);
			if (j != i)
				after_tile(g, t, j, k);
			after_tile(g, t, i, j);
			*tile(t, i, j) = node;
		}
	}
}

/* POTRF, TRSM, SYRK and GEMM of a right-looking tiled factorisation. */
static void cholesky(struct growing *g, uint32_t count)
{
	struct tiles t = { NULL, 2 };
	uint32_t i, k;

	while ((t.side + 1) * (t.side + 2) * (t.side + 3) / 6 <= count)
		t.side++;
	t.writer = malloc((size_t)t.side * t.side * sizeof(*t.writer));
	if (t.writer == NULL) {
		g->broken = -1;
		return;
	}
	memset(t.writer, 0xff, (size_t)t.side * t.side * sizeof(*t.writer));
	for (k = 0; k < t.side; k++) {
		uint32_t corner = add(g);

		after_tile(g, &t, k, k);
		for (i = k + 1; i < t.side; i++) {
			uint32_t node = add(g);

			after(g, corner);
			after_tile(g, &t, i, k);
			*tile(&t, i, k) = node;
		}
		update_tiles(g, &t, k);
	}
	free(t.writer);
}

static uint32_t random_below(uint64_t *state, uint32_t limit)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*state >> 33) % limit);
}

/* A square of layers; each node after two or three of the layer before. */
static void layers(struct growing *g, uint32_t count)
{
	uint32_t side = root(count), x, y;
	uint64_t state = 20;

	for (y = 0; y < side; y++) {
		for (x = 0; x < side; x++) {
			uint32_t above = (y - 1) * side, first, second, third;

			add(g);
			if (y == 0)
				continue;
			first = random_below(&state, side);
			second = (first + 1 + random_below(&state, side - 1)) % side;
			third = random_below(&state, 2 * side);
			after(g, above + first);
			after(g, above + second);
			if (third < side && third != first && third != second)
				after(g, above + third);
		}
	}
}

/* Two independent nodes: the overhead of a launch. */
static void pair(struct growing *g, uint32_t count)
{
	(void)count;
	independent(g, 2);
}

/* --- successors ------------------------------------------------------------- */

static const struct {
	const char *name;
	void (*make)(struct growing *g, uint32_t count);
} shapes[] = {
	{ "chain", chain }, { "independent", independent },
	{ "diamonds", diamonds }, { "in_tree", in_tree },
	{ "out_tree", out_tree }, { "wavefront", wavefront },
	{ "cholesky", cholesky }, { "layers", layers }, { "pair", pair },
};

const char *const shape_names[] = {
	"chain", "independent", "diamonds", "in_tree", "out_tree",
	"wavefront", "cholesky", "layers", "pair", NULL
};

/* Fill after_at and after: count, prefix sum, placement. */
static int turn_around(struct graph *graph)
{
	uint32_t i, k;

	graph->after_at = calloc(graph->count + 2, sizeof(uint32_t));
	graph->after = malloc((graph->edges + 1) * sizeof(uint32_t));
	if (graph->after_at == NULL || graph->after == NULL)
		return -1;
	for (k = 0; k < graph->edges; k++)
		graph->after_at[graph->before[k] + 1]++;
	for (i = 0; i < graph->count; i++)
		graph->after_at[i + 1] += graph->after_at[i];
	for (i = graph->count; i-- > 0;)
		for (k = graph->before_at[i]; k < graph->before_at[i + 1]; k++)
			graph->after[--graph->after_at[graph->before[k] + 1]] = i;
	/* Placement has moved each start to its list, one slot too far. */
	for (i = 0; i < graph->count; i++)
		graph->after_at[i] = graph->after_at[i + 1];
	graph->after_at[graph->count] = graph->edges;
	return 0;
}

static int number_nodes(struct graph *graph)
{
	uint32_t *level = calloc(graph->count, sizeof(*level)), i, k;

	graph->nodes = calloc(graph->count, sizeof(*graph->nodes));
	if (level == NULL || graph->nodes == NULL) {
		free(level);
		return -1;
	}
	for (i = 0; i < graph->count; i++) {
		graph->nodes[i].id = i;
		for (k = graph->before_at[i]; k < graph->before_at[i + 1]; k++)
			if (level[i] < level[graph->before[k]] + 1)
				level[i] = level[graph->before[k]] + 1;
		if (graph->depth < level[i] + 1)
			graph->depth = level[i] + 1;
	}
	free(level);
	return 0;
}

int graph_make(struct graph *graph, const char *shape, uint32_t count)
{
	struct growing g = { graph, 0, 0, 0 };
	size_t i;

	memset(graph, 0, sizeof(*graph));
	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (strcmp(shape, shapes[i].name) == 0)
			shapes[i].make(&g, count);
	if (graph->count > 0 && !g.broken && turn_around(graph) == 0 &&
	    number_nodes(graph) == 0)
		return 0;
	graph_fini(graph);
	return -1;
}

void graph_fini(struct graph *graph)
{
	free(graph->before_at);
	free(graph->before);
	free(graph->after_at);
	free(graph->after);
	free(graph->nodes);
	memset(graph, 0, sizeof(*graph));
}
