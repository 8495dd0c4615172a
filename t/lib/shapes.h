/* SPDX-License-Identifier: MIT */
/*
 * Graphs for the planner's tests and benchmark: known shapes, random ones, and
 * short forms to write others.  A shape owns its arrays; out of memory ends the
 * program.
 */
#ifndef SHAPES_H
#define SHAPES_H

#include "plan/schedule/planner.h"

struct shape {
	plait__input input;
	plait__input_node *nodes;
	plait__input_edge *edges;
	plait__input_device *devices;
	uint32_t *device_sets;
	plait__input_scope *scopes;
	plait__input_region *regions;
	plait__plan_access *accesses;
	plait__plan_box *boxes;
	char *strings;
	uint32_t node_capacity;
	uint32_t edge_capacity;
	uint32_t set_capacity;
	uint32_t scope_capacity;
	uint32_t region_capacity;
	uint32_t access_capacity;
	uint32_t box_capacity;
	uint32_t string_capacity;
};

/* A xorshift generator: the same numbers everywhere. */
struct shape_random {
	uint64_t state;
};
void shape_seed(struct shape_random *random, uint64_t seed);
uint32_t shape_below(struct shape_random *random, uint32_t bound);

/* An empty graph for some devices without limits of their own. */
void shape_init(struct shape *shape, uint32_t devices);
void shape_fini(struct shape *shape);

/* A launch of cost 1 on a device; returns the node. */
uint32_t shape_node(struct shape *shape, uint32_t device, const char *label);
/* Does the same on several devices. */
uint32_t shape_multi(struct shape *shape, const uint32_t *devices,
		     uint32_t count, uint8_t meaning, const char *label);
void shape_edge(struct shape *shape, uint32_t before, uint32_t after);
void shape_access(struct shape *shape, uint32_t node, uint32_t object,
		  uint32_t mode);
/* The same of a range of bytes. */
void shape_range(struct shape *shape, uint32_t node, uint32_t object,
		 uint32_t mode, uint64_t low, uint64_t high);
/* "a>b b>c": nodes on device 0, made where their names appear first. */
void shape_parse(struct shape *shape, const char *text);
/* The node of a label; it must exist. */
uint32_t shape_find(const struct shape *shape, const char *label);


/* Shapes, on device 0. */
void shape_chain(struct shape *shape, uint32_t count);
/* A full binary tree out and in again: 3 * 2^levels - 2 nodes. */
void shape_tree(struct shape *shape, uint32_t levels);
void shape_star(struct shape *shape, uint32_t count);
/* `width` nodes a layer, each after its neighbour of the layer before and
 * `degree` - 1 random ones of it. */
void shape_layers(struct shape *shape, uint32_t count, uint32_t width,
		  uint32_t degree, uint64_t seed);
/* `degree` tenths of an edge to each node on average, from any before it. */
void shape_scatter(struct shape *shape, uint32_t count, uint32_t degree,
		   uint64_t seed);
/* Chains of four nodes; each chain uses 64 bytes of one object, or an object of
 * its own. */
void shape_arena(struct shape *shape, uint32_t chains, bool separate);
void shape_diamonds(struct shape *shape, uint32_t count);
/* Each possible edge with probability p / 1000; costs 1 to max_cost. */
void shape_dag(struct shape *shape, uint32_t count, uint32_t p,
	       uint32_t max_cost, struct shape_random *random);

/* The distributions that shape_random draws from. */
struct shape_draw {
	uint32_t nodes;		/* of the graph itself */
	uint32_t p;		/* of each edge, in 1/1000 */
	uint32_t devices;
	uint32_t multi;		/* nodes on several devices, in 1/1000 */
	uint32_t meaning;	/* of those: PLAIT__MEANING_..., or 3: any */
	uint32_t regions;	/* nodes that are regions, in 1/1000 */
	uint32_t depth;		/* of nesting, at most */
	uint32_t scratch;	/* nodes with scratch, in 1/1000 */
	uint32_t objects;	/* accessed at random, with edges to match */
	uint32_t max_cost;
};
void shape_random(struct shape *shape, const struct shape_draw *draw,
		  struct shape_random *random);

#endif
