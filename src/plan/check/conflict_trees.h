/* SPDX-License-Identifier: MIT */
/*
 * Tables of conflicts.c: the uses of objects, and a segment tree per object over
 * the ends of the ranges that its plain uses have.
 */
#ifndef PLAIT_SRC_PLAN_CHECK_CONFLICT_TREES_H
#define PLAIT_SRC_PLAN_CHECK_CONFLICT_TREES_H

#include "plan/check/conflicts.h"

typedef struct plait__conflict_use {
	uint32_t item;
	uint32_t access;	/* index in accesses */
	uint32_t object;
	bool is_exact;
} plait__conflict_use;

typedef struct plait__conflict_object {
	uint64_t key;		/* 0: the table slot is empty */
	uint32_t number;
} plait__conflict_object;

/* Tree of one object. */
typedef struct plait__conflict_tree {
	uint32_t end_first;	/* ends of ranges, ascending */
	uint32_t end_count;
	uint32_t branch_first;	/* number 1 is the top */
	uint32_t leaves;	/* a power of two */
	bool is_written;
	/* Some use has a box of several dimensions: all are exact. */
	bool is_deep;
} plait__conflict_tree;

/* List of accesses, newest first.  From `settled` on, all are ordered before
 * the item `settled_for`. */
typedef struct plait__conflict_list {
	uint32_t head;
	uint32_t settled;
	uint32_t settled_for;
} plait__conflict_list;

/* Classes of accesses.  A write conflicts with all, the others with those of
 * another class. */
enum {
	PLAIT__CONFLICT_WRITES,
	PLAIT__CONFLICT_READS,
	PLAIT__CONFLICT_ATOMICS,
	PLAIT__CONFLICT_CLASSES
};

typedef struct plait__conflict_branch {
	plait__conflict_list lists[PLAIT__CONFLICT_CLASSES];
	/* The last write of all of it removed items [killed_from,
	 * killed_to). */
	uint32_t killed_from;
	uint32_t killed_to;
	/* By the class of an access: all that conflict with it here and below
	 * are ordered before this item, or none. */
	uint32_t settled_for[PLAIT__CONFLICT_CLASSES];
	bool has[PLAIT__CONFLICT_CLASSES];	/* here or below */
} plait__conflict_branch;

typedef struct plait__conflict_entry {
	uint32_t item;
	uint32_t access;
	uint32_t next;
	bool is_exact;
} plait__conflict_entry;

typedef struct plait__conflict_scan {
	plait__conflicts *conflicts;
	plait__conflict_use *uses;
	uint32_t use_count;
	plait__conflict_object *objects;
	uint32_t mask;
	uint32_t object_count;
	plait__conflict_tree *trees;
	uint64_t *ends;
	plait__conflict_branch *branches;
	plait__conflict_entry *entries;
	uint64_t entry_bytes;
	uint32_t entry_count;
	uint32_t *met;		/* by root: the last walk that met it */
	uint32_t walk;
} plait__conflict_scan;

static inline bool plait__conflict_classes_conflict(uint32_t one,
						    uint32_t other)
{
	return one != other || one == PLAIT__CONFLICT_WRITES;
}

/* Collect the uses and make empty trees.  Without uses, use_count is 0. */
plait_status plait__conflict_trees_init(plait__conflict_scan *s);

/* Returns the leaf that begins at an end of the tree's ranges. */
uint32_t plait__conflict_trees_leaf(const plait__conflict_scan *s,
				    const plait__conflict_tree *tree,
				    uint64_t end);

static inline const plait__plan_access *
plait__conflict_access(const plait__conflict_scan *s,
		       const plait__conflict_use *use)
{
	return &s->conflicts->tables->accesses[use->access];
}

#endif
