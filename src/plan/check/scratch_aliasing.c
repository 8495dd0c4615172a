/* SPDX-License-Identifier: MIT */
/*
 * Scratch aliasing: commands that share bytes of an arena must be ordered.
 * Commands come in the order made by accesses.c.  A list of intervals holds the
 * last user of each byte range of an arena.
 */
#include "plan/check/phases.h"

#include "plan/check/obligations.h"

#include <string.h>

/* A byte range with its last user.  `before` is the previous user, kept when
 * the last one is in a case branch that excludes the current command. */
struct interval {
	uint64_t from;
	uint64_t to;
	uint32_t last;
	uint32_t before;
	uint32_t next;		/* right neighbour, or none */
};

struct arena {
	plait__check *check;
	uint32_t *sorted;	/* scratch indices by device and offset */
	uint32_t *cluster;	/* by scratch: its set of overlapping ranges */
	uint32_t *head;		/* by cluster: its intervals, ascending */
	struct interval *intervals;
	uint32_t interval_count;
	uint32_t interval_capacity;
	uint32_t free;		/* free list of intervals */
};

static bool is_left(const plait__plan_scratch *a, const plait__plan_scratch *b)
{
	return a->device != b->device ? a->device < b->device
				      : a->offset < b->offset;
}

static void sift(const plait__plan_scratch *s, uint32_t *heap, uint32_t i,
		 uint32_t count)
{
	uint32_t item = heap[i], child;

	while ((child = 2 * i + 1) < count) {
		if (child + 1 < count &&
		    is_left(&s[heap[child]], &s[heap[child + 1]]))
			child++;
		if (!is_left(&s[item], &s[heap[child]]))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = item;
}

static void sort_scratch(const plait__plan *plan, uint32_t *sorted)
{
	uint32_t i, count = plan->scratch_count, swap;

	for (i = 0; i < count; i++)
		sorted[i] = i;
	for (i = count / 2; i-- > 0;)
		sift(plan->scratch, sorted, i, count);
	while (count-- > 1) {
		swap = sorted[0];
		sorted[0] = sorted[count];
		sorted[count] = swap;
		sift(plan->scratch, sorted, 0, count);
	}
}

/* Ranges that overlap, directly or transitively, form one cluster.  `sorted` is
 * by device and offset. */
static void find_clusters(const plait__plan *plan, struct arena *a)
{
	uint64_t end = 0;
	uint32_t i, cluster = 0, device = PLAIT__NONE;

	for (i = 0; i < plan->scratch_count; i++) {
		const plait__plan_scratch *s = &plan->scratch[a->sorted[i]];

		if (s->device != device || s->offset >= end) {
			cluster++;
			end = 0;
		}
		device = s->device;
		if (s->offset + s->bytes > end)
			end = s->offset + s->bytes;
		a->cluster[a->sorted[i]] = cluster;
	}
}

/* Never none: init_arena has counted the intervals. */
static uint32_t new_interval(struct arena *a, const struct interval *from)
{
	uint32_t interval = a->free;

	if (interval != PLAIT__NONE)
		a->free = a->intervals[interval].next;
	else if (a->interval_count < a->interval_capacity)
		interval = a->interval_count++;
	else
		return PLAIT__NONE;
	a->intervals[interval] = *from;
	return interval;
}

/* Order the command after the last users of its range.  Its range becomes one
 * interval; intervals that it overlaps in part are split.  Commands come in the
 * order of accesses.c; structure.c has checked that the range does not
 * overflow. */
static plait_status use_range(struct arena *a, uint32_t *head,
			      const plait__plan_scratch *s)
{
	struct interval mine = { s->offset, s->offset + s->bytes, s->command,
			      PLAIT__NONE, PLAIT__NONE };
	uint32_t *at = head, interval;
	plait_status status;
	bool exclusive;

	while (*at != PLAIT__NONE && a->intervals[*at].to <= mine.from)
		at = &a->intervals[*at].next;
	while (*at != PLAIT__NONE && a->intervals[*at].from < mine.to) {
		struct interval old = a->intervals[interval = *at];

		status = plait__obligations_add_across(
			a->check, old.last, s->command,
			PLAIT__OBLIGATION_SCRATCH, &exclusive);
		mine.before = exclusive ? old.before : old.last;
		if (status == PLAIT_OK && exclusive &&
		    old.before != PLAIT__NONE)
			status = plait__obligations_add_across(
				a->check, old.before, s->command,
				PLAIT__OBLIGATION_SCRATCH, NULL);
		if (status != PLAIT_OK)
			return status;
		*at = old.next;
		a->intervals[interval].next = a->free;
		a->free = interval;
		if (old.to > mine.to) {
			struct interval right = old;

			right.from = mine.to;
			*at = new_interval(a, &right);
		}
		if (old.from < mine.from) {
			struct interval left = old;

			left.to = mine.from;
			left.next = *at;
			*at = new_interval(a, &left);
			at = &a->intervals[*at].next;
		}
	}
	mine.next = *at;
	*at = new_interval(a, &mine);
	return PLAIT_OK;
}

static plait_status init_arena(plait__check *check, struct arena *a)
{
	uint64_t count = check->plan->scratch_count;

	a->check = check;
	a->sorted = plait__check_alloc(check, count, sizeof(uint32_t));
	a->cluster = plait__check_alloc(check, count, sizeof(uint32_t));
	a->head = plait__check_alloc(check, count + 1, sizeof(uint32_t));
	/* Each use adds one interval and splits at most two others. */
	a->interval_capacity = (uint32_t)(3 * count + 3);
	a->intervals = plait__check_alloc(check, 3 * count + 3,
					  sizeof(*a->intervals));
	a->interval_count = 0;
	a->free = PLAIT__NONE;
	if (a->sorted == NULL || a->cluster == NULL || a->head == NULL ||
	    a->intervals == NULL)
		return plait__check_no_memory(check);
	memset(a->head, 0xff, (count + 1) * sizeof(uint32_t));
	return PLAIT_OK;
}

plait_status plait__scratch_aliasing_check(plait__check *check,
					   const uint32_t *timeline)
{
	const plait__plan *plan = check->plan;
	plait_status status = PLAIT_OK;
	uint32_t i, *of;
	struct arena a;

	if (plan->scratch_count == 0)
		return PLAIT_OK;
	if (plan->scratch_count > UINT32_MAX / 8)
		return plait__check_no_memory(check);
	of = plait__check_alloc(check, plan->command_count,
				sizeof(uint32_t));
	if (of == NULL || init_arena(check, &a) != PLAIT_OK)
		return plait__check_no_memory(check);
	sort_scratch(plan, a.sorted);
	find_clusters(plan, &a);
	for (i = 0; i < plan->scratch_count; i++) {
		if (of[plan->scratch[i].command] != 0)
			return plait__check_fail(check,
						 plan->scratch[i].command,
						 "it has scratch twice");
		of[plan->scratch[i].command] = i + 1;
	}
	for (i = 0; i < plan->command_count && status == PLAIT_OK; i++) {
		uint32_t s = of[timeline[i]];

		if (s > 0 && plan->scratch[s - 1].bytes > 0)
			status = use_range(&a, &a.head[a.cluster[s - 1]],
					   &plan->scratch[s - 1]);
	}
	return status;
}
