/* SPDX-License-Identifier: MIT */
/*
 * Input of the planner: a graph as flat arrays, and the planning options.  The
 * graph builder, the text parser and the tests fill these; the planner only
 * reads them, and copies the parts that the plan needs to stand alone.
 */
#ifndef PLAIT_SRC_PLAN_SCHEDULE_PLANNER_INPUT_H
#define PLAIT_SRC_PLAN_SCHEDULE_PLANNER_INPUT_H

#include "plan/plan.h"

#include <stdbool.h>

/* Meaning of a node on several devices. */
enum {
	/* Runs on its first device; the others are only mentioned. */
	PLAIT__MEANING_FIRST = 0,
	/* One command on the first device, a join stub on each other one. */
	PLAIT__MEANING_BARRIER = 1,
	/* One member on each device, launched together. */
	PLAIT__MEANING_GROUP = 2
};

typedef struct plait__input_device {
	uint32_t name;			/* offset in tables.strings */
	uint32_t rank;
	uint32_t flags;			/* PLAIT__DEVICE_... */
	/* Maximum number of lanes on this device, if options.lanes is not
	 * smaller.  0: options.lanes; if that is 0 too, no limit (widest) or 1
	 * (bounded). */
	uint32_t lane_limit;
	/* Alignment of scratch, if it is more than 256 bytes. */
	uint64_t alignment_bytes;
} plait__input_device;

/*
 * A scope is a set of nodes that run as a whole; edges stay within one scope.
 * Scope 0 is the graph, the others are the bodies of regions.  The nodes of a
 * scope are contiguous.  The scopes of one region are contiguous and follow the
 * scope that holds the region's node.
 */
typedef struct plait__input_scope {
	uint32_t node_first;
	uint32_t node_count;		/* may be 0 */
	uint32_t region;		/* the region it belongs to; none for
					 * scope 0 */
	uint32_t reserved0;
} plait__input_scope;

typedef struct plait__input_region {
	uint32_t kind;			/* PLAIT__REGION_... */
	uint32_t node;			/* a node of kind PLAIT__CMD_REGION */
	uint32_t scope_first;
	uint32_t scope_count;		/* 1; for a case the number of branches,
					 * at least 1 */
	uint32_t predicate;		/* index in payloads, or none; `repeat`:
					 * the count, none: `times` */
	/* Expected iterations (`do`: 0 counts as 1).  Case: the expected
	 * branch; none: the longest branch counts. */
	uint32_t times;
} plait__input_region;

typedef struct plait__input_node {
	uint8_t kind;			/* PLAIT__CMD_..., below ENTER */
	uint8_t meaning;		/* PLAIT__MEANING_... */
	uint16_t device_count;		/* at least 1 */
	/* 1 device: its index.  Several: the first in input.device_sets. */
	uint32_t device;
	/* Nodes with equal keys prefer one lane: the kernel's id; 0: none.  A
	 * tie-break between equally good lanes. */
	uint32_t affinity;
	/* REGION: index in regions.  Else index in payloads, or none. */
	uint32_t link;
	uint64_t cost;			/* 0 counts as 0; the usual unit is 1.
					 * REGION: cost of one decision */
	uint64_t scratch_bytes;		/* while it runs; per member in a
					 * group */
	uint32_t label;			/* offset in strings, or none */
	uint32_t file;			/* offset in strings, or none */
	uint32_t line;
	uint32_t access_first;		/* in tables.accesses */
	uint32_t access_count;
	/* 1: taken away from the graph.  No plan has it, no edge names it, and
	 * it accesses nothing; a region's bodies have no other nodes. */
	uint16_t is_removed;
	int16_t priority;		/* of ready nodes, highest first */
} plait__input_node;

/* A happens-before: `before` completes before `after` starts. */
typedef struct plait__input_edge {
	uint32_t before;
	uint32_t after;
} plait__input_edge;

#define PLAIT__PLAN_TABLE(type, name) const type *name; uint32_t name##_count;
typedef struct plait__input_tables {
	PLAIT__PLAN_TABLES(PLAIT__PLAN_TABLE)
} plait__input_tables;
#undef PLAIT__PLAN_TABLE

/*
 * The graph.  Edges may come in any order and more than once; an edge may name
 * a node of any index.  Nothing here is trusted: all indices are checked.
 */
typedef struct plait__input {
	const plait__input_node *nodes;
	const plait__input_edge *edges;
	const plait__input_device *devices;
	const uint32_t *device_sets;	/* lists of device indices */
	const plait__input_scope *scopes;	/* null: one scope of all
						 * nodes */
	const plait__input_region *regions;
	uint32_t node_count;
	uint32_t edge_count;
	uint32_t device_count;		/* at least 1 */
	uint32_t device_set_count;	/* elements of device_sets */
	uint32_t scope_count;
	uint32_t region_count;
	/* Name of the text that nodes with a line and no file come from, or
	 * null. */
	const char *text_name;
	plait__input_tables tables;
} plait__input;

/* Planning options.  All zero is the default: bounded, strict, one lane. */
typedef struct plait__input_options {
	uint32_t policy;		/* PLAIT__POLICY_... */
	uint32_t mode;			/* PLAIT__MODE_... */
	uint32_t lanes;			/* lane limit per device; 0: the
					 * device's own */
	uint32_t flags;			/* reserved, 0 */
	/* Cost of a wait across lanes, in units of cost.  0: none. */
	uint64_t hop_cost;
	/* Partial plan: only nodes on a path from one of `sources` to one of
	 * `sinks` (nodes of scope 0).  A null list does not restrict. */
	const uint32_t *sources;
	const uint32_t *sinks;
	uint32_t source_count;
	uint32_t sink_count;
	/* Partial plan: the plan of the whole graph, or null.  The partial plan
	 * keeps its lanes: same numbers, each node on the same lane. */
	const struct plait__plan *whole;
	/* Measured costs in place of the nodes' own, one per node, or null. */
	const uint64_t *costs;
} plait__input_options;

/* Returns true if the node was read from the text `text_name`. */
static inline bool plait__input_is_from_text(const plait__input *input,
					     const plait__input_node *node)
{
	return input->text_name != NULL && node->line != 0 &&
	       node->file == PLAIT__NONE;
}

/* Write "node 7 'name' (file:line)" into `text`; returns `text`. */
enum { PLAIT__NODE_TEXT_BYTES = 120 };
const char *plait__input_node_text(const plait__input *input, uint32_t node,
				   char text[PLAIT__NODE_TEXT_BYTES]);

#endif
