/* SPDX-License-Identifier: MIT */
/* What list_schedule.c, which places the nodes of a scope, shares with schedule_search.c, which
 * has it do so once or more and keeps the best. */
#ifndef PLAIT_SRC_PLAN_SCHEDULE_LIST_SCHEDULE_H
#define PLAIT_SRC_PLAN_SCHEDULE_LIST_SCHEDULE_H

#include "plan/schedule/planner_state.h"
#include "plan/schedule/priority_queue.h"
#include "plan/schedule/place_command.h"

/* Work of one device whose preds are all placed. */
struct plait__list_ready {
	plait__priority_queue now;	/* preds done: highest rank first */
	plait__priority_queue not_ready;	/* by the time when they will be done */
};

struct plait__list_schedule {
	plait__planner_state *planner;
	plait__placement place;
	struct plait__list_ready *ready;	/* by device */
	uint64_t *finish;	/* by t */
	uint32_t *waiting;	/* by t: preds not yet placed; then the link
				 * of the heaps */
	uint32_t *position;	/* by item, in its lane */
	uint32_t position_capacity;
	uint32_t first_lane_capacity;
	uint32_t *first_seq;	/* the best try, while others run */
	uint32_t *first_lane;
	bool saved;		/* the best is there */
	uint32_t *limits;	/* by device: of the try in hand */
	const uint64_t *rank;	/* by t: of the try in hand */
	uint64_t *hop_rank;	/* by t: with hops; null: they are free */
	plait__place_point *points;
	uint32_t point_capacity;
	uint32_t *others;	/* lanes of the node in hand */
	uint32_t other_capacity;
	uint32_t placed;	/* in seq */
	uint64_t makespan;
};

/*
 * Place all nodes of a scope by rank, event by event, or in plain order; to
 * be shorter than `beat`: where that is hopeless they stop, and the makespan
 * is UINT64_MAX.  They fail without memory only.
 */
plait_status plait__list_by_rank(struct plait__list_schedule *l,
				 const plait__planner_scope *scope,
				 uint64_t beat);
plait_status plait__list_by_number(struct plait__list_schedule *l,
				   const plait__planner_scope *scope,
				   uint64_t beat);

#endif
