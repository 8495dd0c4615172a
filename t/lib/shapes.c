/* SPDX-License-Identifier: MIT */
/* Graphs for the planner's tests and benchmark; see shapes.h. */
#include "shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void shape_seed(struct shape_random *random, uint64_t seed)
{
	random->state = seed * 0x9e3779b97f4a7c15ull + 0x1234567;
	(void)shape_below(random, 2);
	(void)shape_below(random, 2);
}

uint32_t shape_below(struct shape_random *random, uint32_t bound)
{
	uint64_t x = random->state ? random->state : 1;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	random->state = x;
	return (uint32_t)(((x * 0x2545f4914f6cdd1dull) >> 33) % bound);
}

static void *grow(void *pointer, uint32_t *capacity, uint32_t need,
		  size_t each)
{
	if (need <= *capacity)
		return pointer;
	*capacity = need + need / 2 + 16;
	pointer = realloc(pointer, *capacity * each);
	if (pointer == NULL) {
		perror("shapes");
		exit(1);
	}
	return pointer;
}

void shape_init(struct shape *shape, uint32_t devices)
{
	memset(shape, 0, sizeof(*shape));
	shape->devices = calloc(devices, sizeof(*shape->devices));
	if (shape->devices == NULL)
		exit(1);
	shape->input.devices = shape->devices;
	shape->input.device_count = devices;
	shape->strings = grow(NULL, &shape->string_capacity, 1, 1);
	shape->strings[0] = '\0';
	shape->input.tables.strings_count = 1;
	shape->input.tables.strings = shape->strings;
}

void shape_fini(struct shape *shape)
{
	free(shape->nodes);
	free(shape->edges);
	free(shape->devices);
	free(shape->device_sets);
	free(shape->scopes);
	free(shape->regions);
	free(shape->accesses);
	free(shape->boxes);
	free(shape->strings);
	memset(shape, 0, sizeof(*shape));
}

static uint32_t add_string(struct shape *shape, const char *text)
{
	uint32_t at = shape->input.tables.strings_count;
	uint32_t bytes;

	if (text == NULL)
		return PLAIT__NONE;
	bytes = (uint32_t)strlen(text) + 1;
	shape->strings = grow(shape->strings, &shape->string_capacity,
			      at + bytes, 1);
	memcpy(shape->strings + at, text, bytes);
	shape->input.tables.strings = shape->strings;
	shape->input.tables.strings_count = at + bytes;
	return at;
}

uint32_t shape_node(struct shape *shape, uint32_t device, const char *label)
{
	uint32_t index = shape->input.node_count++;
	plait__input_node *node;

	shape->nodes = grow(shape->nodes, &shape->node_capacity, index + 1,
			    sizeof(*node));
	shape->input.nodes = shape->nodes;
	node = &shape->nodes[index];
	memset(node, 0, sizeof(*node));
	node->kind = PLAIT__CMD_LAUNCH;
	node->device_count = 1;
	node->device = device;
	node->cost = 1;
	node->link = PLAIT__NONE;
	node->label = add_string(shape, label);
	node->file = PLAIT__NONE;
	return index;
}

uint32_t shape_multi(struct shape *shape, const uint32_t *devices,
		     uint32_t count, uint8_t meaning, const char *label)
{
	uint32_t index = shape_node(shape, devices[0], label);
	uint32_t at = shape->input.device_set_count;

	shape->device_sets = grow(shape->device_sets, &shape->set_capacity,
				  at + count, sizeof(uint32_t));
	memcpy(shape->device_sets + at, devices, count * sizeof(uint32_t));
	shape->input.device_sets = shape->device_sets;
	shape->input.device_set_count = at + count;
	shape->nodes[index].meaning = meaning;
	if (count > 1) {
		shape->nodes[index].device_count = (uint16_t)count;
		shape->nodes[index].device = at;
	}
	return index;
}

void shape_edge(struct shape *shape, uint32_t before, uint32_t after)
{
	uint32_t index = shape->input.edge_count++;

	shape->edges = grow(shape->edges, &shape->edge_capacity, index + 1,
			    sizeof(*shape->edges));
	shape->input.edges = shape->edges;
	shape->edges[index].before = before;
	shape->edges[index].after = after;
}

/* Accesses of one node must be added one after the other. */
void shape_access(struct shape *shape, uint32_t node, uint32_t object,
		  uint32_t mode)
{
	uint32_t index = shape->input.tables.accesses_count++;
	plait__plan_access access = { object, 0, mode, PLAIT__NONE };

	shape->accesses = grow(shape->accesses, &shape->access_capacity,
			       index + 1, sizeof(access));
	shape->input.tables.accesses = shape->accesses;
	shape->accesses[index] = access;
	if (shape->nodes[node].access_count++ == 0)
		shape->nodes[node].access_first = index;
}

void shape_range(struct shape *shape, uint32_t node, uint32_t object,
		 uint32_t mode, uint64_t low, uint64_t high)
{
	uint32_t index = shape->input.tables.boxes_count++;

	shape->boxes = grow(shape->boxes, &shape->box_capacity, index + 1,
			    sizeof(*shape->boxes));
	shape->input.tables.boxes = shape->boxes;
	shape->boxes[index] = (plait__plan_box){ { low, 0, 0 },
						 { high, 1, 1 } };
	shape_access(shape, node, object, mode);
	shape->accesses[shape->input.tables.accesses_count - 1].box = index;
}

static uint32_t find_or_make(struct shape *shape, const char *name,
			     size_t length)
{
	char label[64];
	uint32_t i;

	if (length >= sizeof(label))
		length = sizeof(label) - 1;
	memcpy(label, name, length);
	label[length] = '\0';
	for (i = 0; i < shape->input.node_count; i++)
		if (strcmp(shape->strings + shape->nodes[i].label,
			   label) == 0)
			return i;
	return shape_node(shape, 0, label);
}

void shape_parse(struct shape *shape, const char *text)
{
	while (*text != '\0') {
		size_t length = strcspn(text, "> ");
		uint32_t before = PLAIT__NONE, node;

		while (length > 0) {
			node = find_or_make(shape, text, length);
			if (before != PLAIT__NONE)
				shape_edge(shape, before, node);
			before = node;
			text += length;
			if (*text != '>')
				break;
			text++;
			length = strcspn(text, "> ");
		}
		while (*text == ' ')
			text++;
	}
}

uint32_t shape_find(const struct shape *shape, const char *label)
{
	uint32_t i;

	for (i = 0; i < shape->input.node_count; i++)
		if (shape->nodes[i].label != PLAIT__NONE &&
		    strcmp(shape->strings + shape->nodes[i].label,
			   label) == 0)
			return i;
	fprintf(stderr, "no node %s\n", label);
	exit(1);
}

void shape_chain(struct shape *shape, uint32_t count)
{
	uint32_t i;

	shape_init(shape, 1);
	for (i = 0; i < count; i++) {
		shape_node(shape, 0, NULL);
		if (i > 0)
			shape_edge(shape, i - 1, i);
	}
}

void shape_tree(struct shape *shape, uint32_t levels)
{
	uint32_t half = (1u << levels) - 1, leaves = 1u << levels, i;

	shape_init(shape, 1);
	for (i = 0; i < 2 * half + leaves; i++)
		shape_node(shape, 0, NULL);
	/* Node i has children 2i+1 and 2i+2; the way in mirrors it. */
	for (i = 0; i < half; i++) {
		uint32_t mirror = 2 * half + leaves - 1 - i, c;

		for (c = 2 * i + 1; c <= 2 * i + 2; c++) {
			shape_edge(shape, i, c);
			shape_edge(shape, c >= half ? c : 2 * half + leaves -
				   1 - c, mirror);
		}
	}
}

void shape_star(struct shape *shape, uint32_t count)
{
	uint32_t i;

	shape_init(shape, 1);
	for (i = 0; i < count; i++)
		shape_node(shape, 0, NULL);
	for (i = 1; i + 1 < count; i++) {
		shape_edge(shape, 0, i);
		shape_edge(shape, i, count - 1);
	}
}

void shape_layers(struct shape *shape, uint32_t count, uint32_t width,
		  uint32_t degree, uint64_t seed)
{
	struct shape_random random;
	uint32_t i, k;

	shape_seed(&random, seed);
	shape_init(shape, 1);
	for (i = 0; i < count; i++) {
		shape_node(shape, 0, NULL);
		for (k = 0; i >= width && k < degree; k++)
			shape_edge(shape, (i / width - 1) * width +
				   (k == 0 ? i % width :
				    shape_below(&random, width)), i);
	}
}

void shape_scatter(struct shape *shape, uint32_t count, uint32_t degree,
		   uint64_t seed)
{
	struct shape_random random;
	uint32_t i, k;

	shape_seed(&random, seed);
	shape_init(shape, 1);
	for (i = 0; i < count; i++) {
		shape_node(shape, 0, NULL);
		for (k = shape_below(&random, 2 * degree + 1) / 10;
		     i > 0 && k > 0; k--)
			shape_edge(shape, shape_below(&random, i), i);
	}
}

void shape_arena(struct shape *shape, uint32_t chains, bool separate)
{
	uint32_t i, node;

	shape_init(shape, 1);
	for (i = 0; i < 4 * chains; i++) {
		node = shape_node(shape, 0, NULL);
		if (i >= chains)
			shape_edge(shape, i - chains, i);
		if (separate)
			shape_access(shape, node, i % chains, i / chains % 3);
		else
			shape_range(shape, node, 0, i / chains % 3,
				    i % chains * 64ull,
				    i % chains * 64ull + 64);
	}
}

void shape_diamonds(struct shape *shape, uint32_t count)
{
	uint32_t i, top;

	shape_init(shape, 1);
	top = shape_node(shape, 0, NULL);
	for (i = 0; i < count; i++) {
		uint32_t left = shape_node(shape, 0, NULL);
		uint32_t right = shape_node(shape, 0, NULL);
		uint32_t bottom = shape_node(shape, 0, NULL);

		shape_edge(shape, top, left);
		shape_edge(shape, top, right);
		shape_edge(shape, left, bottom);
		shape_edge(shape, right, bottom);
		top = bottom;
	}
}

void shape_dag(struct shape *shape, uint32_t count, uint32_t p,
	       uint32_t max_cost, struct shape_random *random)
{
	uint32_t i, j;

	shape_init(shape, 1);
	for (i = 0; i < count; i++) {
		shape_node(shape, 0, NULL);
		shape->nodes[i].cost = 1 + shape_below(random, max_cost);
		for (j = 0; j < i; j++)
			if (shape_below(random, 1000) < p)
				shape_edge(shape, j, i);
	}
}

/* ---- random graphs with everything ---- */

static void add_scope(struct shape *shape, uint32_t region)
{
	uint32_t index = shape->input.scope_count++;
	plait__input_scope scope = { 0, 0, region, 0 };

	shape->scopes = grow(shape->scopes, &shape->scope_capacity, index + 1,
			     sizeof(scope));
	shape->input.scopes = shape->scopes;
	shape->scopes[index] = scope;
}

static void add_region(struct shape *shape, uint32_t node,
		       struct shape_random *random)
{
	uint32_t index = shape->input.region_count++, i, branches = 1;
	plait__input_region region;

	memset(&region, 0, sizeof(region));
	region.kind = shape_below(random, 4);
	region.node = node;
	region.predicate = PLAIT__NONE;
	region.times = shape_below(random, 4);
	if (region.kind == PLAIT__REGION_CASE) {
		branches = 1 + shape_below(random, 3);
		region.times = shape_below(random, 2) ? PLAIT__NONE : 0;
	}
	region.scope_first = shape->input.scope_count;
	region.scope_count = branches;
	shape->regions = grow(shape->regions, &shape->region_capacity,
			      index + 1, sizeof(region));
	shape->input.regions = shape->regions;
	shape->regions[index] = region;
	shape->nodes[node].kind = PLAIT__CMD_REGION;
	shape->nodes[node].link = index;
	for (i = 0; i < branches; i++)
		add_scope(shape, index);
}

static uint32_t draw_node(struct shape *shape, const struct shape_draw *draw,
			  struct shape_random *random)
{
	uint32_t set[8], count, i, j, node;

	if (shape_below(random, 1000) >= draw->multi || draw->devices < 2) {
		node = shape_node(shape, shape_below(random, draw->devices),
				  NULL);
	} else {
		count = 2 + shape_below(random, draw->devices - 1);
		for (i = 0; i < count;) {
			set[i] = shape_below(random, draw->devices);
			for (j = 0; j < i && set[j] != set[i]; j++)
				continue;
			i += j == i;
		}
		node = shape_multi(shape, set, count, (uint8_t)
				   (draw->meaning < 3 ? draw->meaning :
				    shape_below(random, 3)), NULL);
	}
	shape->nodes[node].cost = 1 + shape_below(random, draw->max_cost);
	shape->nodes[node].affinity = shape_below(random, 4);
	if (shape_below(random, 1000) < draw->scratch)
		shape->nodes[node].scratch_bytes =
			1 + shape_below(random, 5000);
	return node;
}

/* Each node has one object, with an edge from its last user when either writes:
 * more edges than needed, never fewer.  Objects belong to one scope. */
static void draw_access(struct shape *shape, const struct shape_draw *draw,
			struct shape_random *random, uint32_t s,
			uint32_t first, uint32_t node)
{
	uint32_t object = s * draw->objects +
			  shape_below(random, draw->objects), i;
	uint32_t mode = shape_below(random, 3);

	for (i = first; i < node; i++) {
		const plait__plan_access *other =
			&shape->accesses[shape->nodes[i].access_first];

		if (other->object == object &&
		    (mode != PLAIT__ACCESS_READ ||
		     other->mode != PLAIT__ACCESS_READ))
			shape_edge(shape, i, node);
	}
	shape_access(shape, node, object, mode);
}

static void draw_scope(struct shape *shape, const struct shape_draw *draw,
		       struct shape_random *random, uint32_t s, uint32_t count)
{
	uint32_t first = shape->input.node_count, i, j;

	shape->scopes[s].node_first = first;
	shape->scopes[s].node_count = count;
	for (i = 0; i < count; i++) {
		uint32_t node = draw_node(shape, draw, random);

		for (j = 0; j < i; j++)
			if (shape_below(random, 1000) < draw->p)
				shape_edge(shape, first + j, node);
		if (draw->objects > 0)
			draw_access(shape, draw, random, s, first, node);
	}
}

void shape_random(struct shape *shape, const struct shape_draw *draw,
		  struct shape_random *random)
{
	uint32_t s, i, end, depth[4096];

	shape_init(shape, draw->devices);
	add_scope(shape, PLAIT__NONE);
	depth[0] = 0;
	for (s = 0; s < shape->input.scope_count && s < 4096; s++) {
		uint32_t count = s == 0 ? draw->nodes :
			shape_below(random, draw->nodes / 3 + 2);

		draw_scope(shape, draw, random, s, count);
		end = shape->scopes[s].node_first + count;
		for (i = shape->scopes[s].node_first; i < end; i++) {
			uint32_t before = shape->input.scope_count;

			if (depth[s] >= draw->depth || before > 60 ||
			    shape->nodes[i].device_count > 1 ||
			    shape_below(random, 1000) >= draw->regions)
				continue;
			add_region(shape, i, random);
			for (; before < shape->input.scope_count; before++)
				depth[before] = depth[s] + 1;
		}
	}
}
