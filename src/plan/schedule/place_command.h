/* SPDX-License-Identifier: MIT */
/*
 * The step that all planning is made of: where does a command go, and what
 * must it wait for?  A freeze ranks its nodes and then takes this step for
 * each; a front end that plans while it submits takes it once per task.  The
 * state may outlive a freeze.
 *
 * What a command knows to be finished when it starts is a *clock*: for some
 * lanes, a position.  Clocks lie in rows that commands of a lane share until
 * one of them waits for something new, and live as long as somebody may still
 * ask.  A row has `width` entries, lane modulo width: exact while there are no
 * more lanes than that, and beyond a summary that forgets.  A clock that does
 * not know costs a wait too many, never one too few.
 */
#ifndef PLAIT_SRC_PLAN_SCHEDULE_PLACE_COMMAND_H
#define PLAIT_SRC_PLAN_SCHEDULE_PLACE_COMMAND_H

#include "plan/plan.h"
#include "plan/schedule/workspace.h"

/* The end of a command that was placed. */
typedef struct plait__place_point {
	uint64_t position;		/* in its lane; never repeats */
	uint64_t sequence;		/* of placing */
	uint64_t finish;		/* predicted */
	uint32_t lane;
	uint32_t row;			/* its clock; for place_command.c */
} plait__place_point;

typedef struct plait__place_lane {
	uint64_t free_at;
	uint64_t count;			/* commands that occupied it */
	uint64_t issued;		/* of these, committed */
	uint64_t best_position;		/* used within one step */
	uint64_t best_step;
	uint32_t device;
	uint32_t row;			/* what the next command will know */
	uint32_t heap;			/* where it is in its device's heap */
	uint32_t affinity;		/* of its latest command that had one */
} plait__place_lane;

/* The lanes of a device, the one that is free first on top. */
typedef struct plait__place_device {
	uint32_t *heap;
	uint32_t count;
	uint32_t capacity;
	uint32_t limit;			/* 0 = none */
	uint32_t reserved0;
} plait__place_device;

typedef struct plait__placement {
	plait__workspace *work;
	plait__place_device *devices;
	plait__place_lane *lanes;
	uint32_t device_count;
	uint32_t lane_count;
	uint32_t lane_capacity;
	uint32_t width;			/* entries of a row; 0: no clocks */
	uint32_t row_bytes;
	uint32_t tagged;		/* entries name their lane */
	uint32_t row_count;
	uint32_t row_capacity;
	uint32_t row_limit;		/* beyond, clocks are forgotten */
	uint32_t row_free;		/* a list through references */
	uint32_t candidate_capacity;
	unsigned char *rows;
	uint32_t *references;		/* by row */
	uint32_t reference_capacity;
	uint32_t reserved0;
	plait__place_point *candidates;	/* of the step in hand */
	uint64_t sequence;
	uint64_t step;
	uint64_t hop_cost;
	uint64_t clock_steps;
	uint64_t steps;
} plait__placement;

/*
 * `limits` has one limit of lanes per device (0 = none).  `width` is a power
 * of two up to 64, or 0; `lane_bound` the most lanes that there can be, or 0
 * if that is not known; `row_limit` the most clocks kept at once.
 */
plait_status plait__place_init(plait__placement *place, plait__workspace *work,
			       const uint32_t *limits, uint32_t device_count,
			       uint32_t width, uint32_t lane_bound,
			       uint32_t row_limit, uint64_t hop_cost);
void plait__place_fini(plait__placement *place);

/* What is to be placed. */
typedef struct plait__place_task {
	const plait__place_point *preds;
	uint32_t pred_count;
	uint32_t device;
	uint32_t affinity;		/* 0 = none */
	uint32_t policy;		/* PLAIT__POLICY_... */
	uint64_t cost;
	uint64_t not_before;		/* 0, or when it may start at all */
} plait__place_task;

/* A lane of that device; fails only without memory. */
plait_status plait__place_add_lane(plait__placement *place, uint32_t device,
				   uint32_t *out_lane);

/*
 * Choose the lane that can start the task first.  Among equals: one whose last
 * command is a pred of it, one that has run its like, the one free first, a
 * new one below the limit.  `widest` takes a new lane rather than one whose
 * last command is not known to come before the task.
 */
plait_status plait__place_choose(plait__placement *place,
				 const plait__place_task *task,
				 uint32_t *out_lane, uint64_t *out_start);

/* The lane is taken until `finish`. */
void plait__place_occupy(plait__placement *place, uint32_t lane, uint64_t finish,
			 uint32_t affinity);

/*
 * Put the next command on a lane.  Writes its point (which holds a reference
 * to its clock until plait__vector_clock_forget) and the points that it must wait
 * for: on each other lane at most the newest, and none that is implied.
 * *out_waits is valid until the next call.
 */
plait_status plait__vector_clock_commit(plait__placement *place, uint32_t lane,
					const plait__place_point *preds,
					uint32_t pred_count,
					plait__place_point *out_point,
					const plait__place_point **out_waits,
					uint32_t *out_wait_count);

/* The whole step: choose, occupy, commit. */
plait_status plait__place_step(plait__placement *place,
			       const plait__place_task *task,
			       plait__place_point *out_point,
			       const plait__place_point **out_waits,
			       uint32_t *out_wait_count);

/* For place_command.c: a lane of the task's device whose last command is known to
 * come before the task, through the clocks of its preds; or PLAIT__NONE. */
uint32_t plait__vector_clock_find_recyclable(const plait__placement *place,
					     const plait__place_task *task);

/* Nobody will name this point as a pred any more. */
void plait__vector_clock_forget(plait__placement *place, const plait__place_point *point);

#endif
