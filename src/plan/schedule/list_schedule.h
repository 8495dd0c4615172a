/* SPDX-License-Identifier: MIT */
/* State and steps of list scheduling: list_schedule.c places the nodes of a
 * scope; schedule_search.c runs it several times and keeps the best result. */
#ifndef PLAIT_SRC_PLAN_SCHEDULE_LIST_SCHEDULE_H
#define PLAIT_SRC_PLAN_SCHEDULE_LIST_SCHEDULE_H

#include "plan/schedule/planner_state.h"
#include "plan/schedule/priority_queue.h"
#include "plan/schedule/place_command.h"

/* Ready queue of one device: nodes with all preds placed. */
struct plait__list_ready {
	plait__priority_queue ready;	/* preds complete: highest rank first */
	plait__priority_queue pending;	/* by the time when their preds
						 * complete */
};

struct plait__list_schedule {
	plait__planner_state *planner;
	plait__placement place;
	struct plait__list_ready *ready;	/* by device */
	uint64_t *finish;	/* by t */
	uint32_t *waiting;	/* by t: preds not yet placed; then the link in
				 * the queues */
	uint32_t *position;	/* by item: position in its lane */
	uint32_t position_capacity;
	uint32_t best_lane_capacity;
	uint32_t *best_seq;	/* best attempt so far, while another runs */
	uint32_t *best_lane;
	bool saved;		/* the best attempt is saved */
	uint32_t *limits;	/* by device: of the current attempt */
	const uint64_t *rank;	/* by t: of the current attempt */
	uint64_t *urgency;	/* by t: by priority, then rank; null: no node
				 * has a priority */
	uint64_t *hop_rank;	/* by t: with hops; null: hops cost nothing */
	plait__place_point *points;
	uint32_t point_capacity;
	uint32_t *extra_lanes;	/* extra lanes of the current node */
	uint32_t extra_lane_capacity;
	uint32_t placed;	/* nodes placed in seq */
	uint64_t makespan;
};

/*
 * List scheduling of all nodes of a scope: by rank, event by event; or in plain
 * topological order.  Gives up with makespan UINT64_MAX when the schedule
 * cannot be shorter than `bound`.  Fails only without memory.
 */
plait_status plait__list_by_rank(struct plait__list_schedule *l,
				 const plait__planner_scope *scope,
				 uint64_t bound);
plait_status plait__list_by_number(struct plait__list_schedule *l,
				   const plait__planner_scope *scope,
				   uint64_t bound);

#endif
