/* SPDX-License-Identifier: MIT */
/*
 * Segment trees of accesses; see conflicts.h.
 *
 * A plain access (the whole object, or a range of bytes) is entered at the
 * branches that make up its range, at most two per level.  A new access settles
 * the lists of these branches, of all branches below them, and of those above.
 * A write clears the lists at and below its branches.  Above them the accesses
 * stay; the branch notes the write, and later accesses there skip older ones.
 *
 * An access through a rotation, an alias or a box of several dimensions is
 * exact: it is entered at the top and compared with each access there.
 *
 * An atomic access is treated as a read is: it clears nothing, since a later
 * atomic access has to be ordered behind the same writes but not behind it.
 *
 * Two rules keep lists short where items meet at joins.  Accesses whose items
 * have one root, which the order has passed, need one entry.  A list that was
 * settled for an anchor is settled for all items with that anchor.
 */
#include "plan/check/conflicts.h"

#include "plan/check/conflict_trees.h"

#include "plan/rotation.h"

#include "base/alloc.h"

#include <string.h>

/* The access that is being settled. */
struct visit {
	const plait__conflict_use *use;
	uint32_t class;
	uint32_t floor;
	uint32_t anchor;	/* or none */
	uint32_t killed_from;	/* of the branch and those above */
	uint32_t killed_to;
	bool settled;		/* all so far are ordered before the anchor */
};

/* ---- settling ---- */

/*
 * Two accesses through rotations of one loop, both inside it or both after it,
 * belong to one iteration: they overlap if some iteration maps both to one
 * slot.  Otherwise only a shared slot is known, so they overlap.
 */
static bool rotations_overlap(const plait__conflict_scan *s, const plait__conflict_use *use,
			      const plait__plan_access *a,
			      const plait__conflict_entry *e,
			      const plait__plan_access *b)
{
	const plait__conflicts *c = s->conflicts;
	const plait__plan_rotation *one = plait__rotation_of(c->tables, a);
	const plait__plan_rotation *other = plait__rotation_of(c->tables, b);

	if (one == NULL || other == NULL || one->region != other->region ||
	    c->is_inside(c, use->item, one->region) !=
	    c->is_inside(c, e->item, one->region))
		return true;
	return plait__rotation_overlaps(c->tables, a->object, one, b->object,
					other);
}

/* Returns true if both may touch common memory.  Both are in one tree. */
static bool overlaps(const plait__conflict_scan *s, const plait__conflict_use *use,
		     const plait__conflict_entry *e)
{
	const plait__plan *tables = s->conflicts->tables;
	const plait__plan_access *a = plait__conflict_access(s, use);
	const plait__plan_access *b = &tables->accesses[e->access];

	if (a->object != b->object && !rotations_overlap(s, use, a, e, b))
		return false;
	/* Two aliases have different first bytes. */
	if ((a->object != b->object && (a->alias != 0 || b->alias != 0)) ||
	    a->box == PLAIT__NONE || b->box == PLAIT__NONE)
		return true;
	for (uint32_t i = 0; i < 3; i++)
		if (tables->boxes[a->box].high[i] <=
		    tables->boxes[b->box].low[i] ||
		    tables->boxes[b->box].high[i] <=
		    tables->boxes[a->box].low[i])
			return false;
	return true;
}

/* Returns true if a write of `use` covers all that the entry touches. */
static bool covers(const plait__conflict_scan *s, const plait__conflict_use *use,
		   const plait__conflict_entry *e)
{
	const plait__plan *tables = s->conflicts->tables;
	const plait__plan_access *a = plait__conflict_access(s, use);
	const plait__plan_access *b = &tables->accesses[e->access];

	if (a->object != b->object)
		return false;
	if (a->box == PLAIT__NONE)
		return true;
	for (uint32_t i = 0; i < 3 && b->box != PLAIT__NONE; i++)
		if (tables->boxes[a->box].low[i] >
		    tables->boxes[b->box].low[i] ||
		    tables->boxes[a->box].high[i] <
		    tables->boxes[b->box].high[i])
			return false;
	return b->box != PLAIT__NONE;
}

/* Returns true if an entry with the same root, which is before this item, was
 * met in this walk.  Each walk of a list has a number of its own in s->walk. */
static bool is_repeated(plait__conflict_scan *s, const struct visit *visit,
			const plait__conflict_entry *e)
{
	const uint32_t *root = s->conflicts->root;
	uint32_t at;

	if (root == NULL || e->is_exact || visit->use->is_exact)
		return false;
	at = root[e->item];
	if (at >= visit->use->item)
		return false;
	if (s->met[at] == s->walk)
		return true;
	s->met[at] = s->walk;
	return false;
}

static plait_status order_entry(plait__conflict_scan *s, struct visit *visit,
				const plait__conflict_entry *e)
{
	plait__conflicts *c = s->conflicts;
	const plait__conflict_use *use = visit->use;
	bool exact = e->is_exact || use->is_exact;
	uint32_t target = use->item;

	if (e->item == use->item)
		visit->settled = false;
	if (e->item == use->item || (exact && !overlaps(s, use, e)))
		return PLAIT_OK;
	if (visit->anchor != PLAIT__NONE && e->item < visit->anchor)
		target = visit->anchor;
	if (exact || target == use->item)
		visit->settled = false;
	return c->order(c, e->item, use->item, target);
}

static bool is_removed(const plait__conflict_scan *s, const struct visit *visit,
		       const plait__conflict_entry *e)
{
	return visit->class == PLAIT__CONFLICT_WRITES &&
	       e->item >= visit->floor &&
	       (!visit->use->is_exact || covers(s, visit->use, e));
}

/* Settle a list at or below a branch of the access. */
static plait_status settle_within(plait__conflict_scan *s, struct visit *visit,
				  plait__conflict_list *list)
{
	plait_status status = PLAIT_OK;
	uint32_t *at = &list->head;

	s->walk++;
	while (*at != PLAIT__NONE && status == PLAIT_OK) {
		plait__conflict_entry *e = &s->entries[*at];

		if (is_repeated(s, visit, e)) {
			*at = e->next;
			continue;
		}
		status = order_entry(s, visit, e);
		if (is_removed(s, visit, e))
			*at = e->next;
		else
			at = &e->next;
	}
	return status;
}

/* Settle a list above a branch of the access. */
static plait_status settle_above(plait__conflict_scan *s, struct visit *visit,
				 plait__conflict_list *list)
{
	plait_status status = PLAIT_OK;
	uint32_t *at = &list->head;

	visit->settled = visit->anchor != PLAIT__NONE;
	s->walk++;
	while (*at != PLAIT__NONE && status == PLAIT_OK) {
		plait__conflict_entry *e = &s->entries[*at];

		if (*at == list->settled &&
		    list->settled_for == visit->anchor)
			break;
		if (e->item < visit->killed_to &&
		    e->item >= visit->killed_from) {
			visit->settled = false;
			if (visit->killed_from == 0)
				break;
			at = &e->next;
			continue;
		}
		if (is_repeated(s, visit, e)) {
			*at = e->next;
			continue;
		}
		status = order_entry(s, visit, e);
		at = &e->next;
	}
	if (visit->settled && status == PLAIT_OK) {
		list->settled = list->head;
		list->settled_for = visit->anchor;
	}
	return status;
}

static bool conflicts_with(const struct visit *visit, uint32_t class)
{
	return plait__conflict_classes_conflict(visit->class, class);
}

/* Returns true if a list here or below has accesses that conflict. */
static bool has_conflicting(const struct visit *visit,
			    const plait__conflict_branch *branch)
{
	for (uint32_t k = 0; k < PLAIT__CONFLICT_CLASSES; k++)
		if (branch->has[k] && conflicts_with(visit, k))
			return true;
	return false;
}

/* The recursion is as deep as the tree: 32 levels at most. */
static plait_status settle_below(plait__conflict_scan *s, struct visit *visit,
				 const plait__conflict_tree *tree, uint32_t number)
{
	plait__conflict_branch *own = &s->branches[tree->branch_first + number];
	plait__conflict_branch *below = &s->branches[tree->branch_first + 2 * number];
	bool inner = number < tree->leaves, settled = visit->settled;
	bool writes = visit->class == PLAIT__CONFLICT_WRITES;
	plait_status status = PLAIT_OK;
	uint32_t k;

	if (!has_conflicting(visit, own))
		return PLAIT_OK;
	if (!writes && visit->anchor != PLAIT__NONE &&
	    own->settled_for[visit->class] == visit->anchor)
		return PLAIT_OK;
	visit->settled = visit->anchor != PLAIT__NONE;
	for (k = 0; k < PLAIT__CONFLICT_CLASSES && status == PLAIT_OK; k++)
		if (conflicts_with(visit, k))
			status = settle_within(s, visit, &own->lists[k]);
	for (uint32_t i = 0; i < 2 && inner && status == PLAIT_OK; i++)
		status = settle_below(s, visit, tree, 2 * number + i);
	for (k = 0; k < PLAIT__CONFLICT_CLASSES; k++)
		own->has[k] = own->lists[k].head != PLAIT__NONE ||
			(inner && (below[0].has[k] || below[1].has[k]));
	if (!writes && visit->settled)
		own->settled_for[visit->class] = visit->anchor;
	visit->settled = visit->settled && settled;
	return status;
}

static void note_killed(struct visit *visit, const plait__conflict_branch *branch)
{
	if (branch->killed_to <= visit->killed_to)
		return;
	visit->killed_to = branch->killed_to;
	visit->killed_from = branch->killed_from;
}

static plait_status settle(plait__conflict_scan *s, struct visit *visit,
			   const plait__conflict_tree *tree, uint32_t number)
{
	plait__conflict_branch *branches = &s->branches[tree->branch_first];
	plait_status status = PLAIT_OK;
	bool exact = visit->use->is_exact;

	visit->killed_to = 0;
	for (uint32_t i = number; i > 0 && !exact; i /= 2)
		note_killed(visit, &branches[i]);
	for (uint32_t i = number / 2; i > 0; i /= 2)
		for (uint32_t k = 0; k < PLAIT__CONFLICT_CLASSES &&
		     status == PLAIT_OK; k++)
			if (conflicts_with(visit, k))
				status = settle_above(s, visit,
						      &branches[i].lists[k]);
	return status == PLAIT_OK ? settle_below(s, visit, tree, number) :
	       status;
}

/* ---- entering ---- */

static plait_status grow_entries(plait__conflict_scan *s)
{
	plait__check *check = s->conflicts->check;
	uint64_t need = (s->entry_count + 1ull) * sizeof(*s->entries);
	uint64_t bytes = need + need / 2 + 64 * sizeof(*s->entries);
	plait__conflict_entry *moved;

	if (need <= s->entry_bytes)
		return PLAIT_OK;
	moved = s->entries == NULL ? plait__alloc(check->allocator, bytes) :
		plait__realloc(check->allocator, s->entries, s->entry_bytes,
			       bytes);
	if (moved == NULL || s->entry_count >= PLAIT__NONE - 1)
		return plait__check_no_memory(check);
	s->entries = moved;
	s->entry_bytes = bytes;
	return PLAIT_OK;
}

static plait_status enter(plait__conflict_scan *s, const struct visit *visit,
			  const plait__conflict_tree *tree, uint32_t number)
{
	plait__conflict_branch *branches = &s->branches[tree->branch_first];
	plait__conflict_branch *own = &branches[number];
	plait__conflict_list *list = &own->lists[visit->class];

	if (grow_entries(s) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	s->entries[s->entry_count] = (plait__conflict_entry){
		visit->use->item, visit->use->access, list->head,
		visit->use->is_exact
	};
	list->head = s->entry_count++;
	if (visit->class == PLAIT__CONFLICT_WRITES && !visit->use->is_exact) {
		own->killed_from = visit->floor;
		own->killed_to = visit->use->item;
	}
	for (uint32_t i = number; i > 0; i /= 2) {
		branches[i].has[visit->class] = true;
		for (uint32_t k = 0; k < PLAIT__CONFLICT_CLASSES; k++)
			if (conflicts_with(visit, k))
				branches[i].settled_for[k] = PLAIT__NONE;
	}
	return PLAIT_OK;
}

/* Settle, or with `entering` enter, each branch that makes up the leaves [from,
 * to). */
static plait_status each_branch(plait__conflict_scan *s, struct visit *visit,
				const plait__conflict_tree *tree, uint32_t from,
				uint32_t to, bool entering)
{
	plait_status status = PLAIT_OK;
	uint32_t left = from + tree->leaves, right = to + tree->leaves;

	for (; left < right && status == PLAIT_OK; left /= 2, right /= 2) {
		if (left % 2 == 1) {
			status = entering ? enter(s, visit, tree, left) :
				 settle(s, visit, tree, left);
			left++;
		}
		if (right % 2 == 1 && status == PLAIT_OK) {
			right--;
			status = entering ? enter(s, visit, tree, right) :
				 settle(s, visit, tree, right);
		}
	}
	return status;
}

static uint32_t class_of(uint32_t mode)
{
	return mode == PLAIT__ACCESS_READ ? PLAIT__CONFLICT_READS :
	       mode == PLAIT__ACCESS_ATOMIC ? PLAIT__CONFLICT_ATOMICS :
	       PLAIT__CONFLICT_WRITES;
}

static plait_status add_to_tree(plait__conflict_scan *s, const plait__conflict_use *use)
{
	plait__conflicts *c = s->conflicts;
	const plait__plan_access *access = plait__conflict_access(s, use);
	const plait__conflict_tree *tree = &s->trees[use->object];
	uint32_t from = 0, to = tree->leaves;
	struct visit visit = {
		.use = use, .class = class_of(access->mode),
		.floor = c->floor(c, use->item), .anchor = PLAIT__NONE
	};
	plait_status status;

	if (c->anchor != NULL && !use->is_exact &&
	    c->anchor[use->item] != use->item)
		visit.anchor = c->anchor[use->item];
	if (!use->is_exact && access->box != PLAIT__NONE) {
		const plait__plan_box *box = &c->tables->boxes[access->box];

		from = plait__conflict_trees_leaf(s, tree, box->low[0]);
		to = plait__conflict_trees_leaf(s, tree, box->high[0]);
	}
	status = each_branch(s, &visit, tree, from, to, false);
	return status == PLAIT_OK ?
	       each_branch(s, &visit, tree, from, to, true) : status;
}

/* Uses come by item, in the order of the scan. */
static plait_status visit_uses(plait__conflict_scan *s)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; i < s->use_count && status == PLAIT_OK; i++) {
		const plait__conflict_tree *tree = &s->trees[s->uses[i].object];

		s->uses[i].is_exact |= tree->is_deep;
		if (tree->is_written)
			status = add_to_tree(s, &s->uses[i]);
	}
	return status;
}

plait_status plait__conflicts_visit(plait__conflicts *conflicts)
{
	plait__conflict_scan s = { .conflicts = conflicts };
	plait_status status = plait__conflict_trees_init(&s);

	if (status == PLAIT_OK)
		status = visit_uses(&s);
	plait__free(conflicts->check->allocator, s.entries, s.entry_bytes);
	return status;
}
