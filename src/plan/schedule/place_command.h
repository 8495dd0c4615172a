/* SPDX-License-Identifier: MIT */
/*
 * The placing step: choose a lane for a command and find the waits that it
 * needs.  list_schedule.c chooses a lane for each node by rank; emit_waits.c
 * commits the commands to their lanes.
 *
 * A vector clock says which commands are complete when a command starts: for
 * some lanes, a position.  Clocks lie in rows.  Commands of a lane share a row
 * until one of them waits for something new; a row is reference-counted and
 * lives until its last user forgets it.  A row has `width` entries, indexed by
 * lane modulo width: exact while there are no more lanes than that, beyond that
 * a lossy summary.  A lossy clock may cost a redundant wait; it never drops a
 * needed one.
 */
#ifndef PLAIT_SRC_PLAN_SCHEDULE_PLACE_COMMAND_H
#define PLAIT_SRC_PLAN_SCHEDULE_PLACE_COMMAND_H

#include "plan/plan.h"
#include "plan/schedule/workspace.h"

/* Completion of a placed command. */
typedef struct plait__place_point {
	uint64_t position;		/* in its lane; never reused */
	uint64_t sequence;		/* placing order */
	uint64_t finish;		/* predicted */
	uint32_t lane;
	uint32_t row;			/* its vector clock; private to
					 * vector_clock.c */
} plait__place_point;

typedef struct plait__place_lane {
	uint64_t free_at;
	uint64_t count;			/* commands that occupied it */
	uint64_t issued;		/* commands committed to it */
	uint64_t best_position;		/* valid within one step */
	uint64_t best_step;
	uint32_t device;
	uint32_t row;			/* vector clock that the next command
					 * inherits */
	uint32_t heap;			/* index in its device's heap */
	uint32_t affinity;		/* of its latest command that had one */
} plait__place_lane;

/* Lanes of a device as a heap; the lane that is free first is on top. */
typedef struct plait__place_device {
	uint32_t *heap;
	uint32_t count;
	uint32_t capacity;
	uint32_t limit;			/* 0: none */
	uint32_t reserved0;
} plait__place_device;

typedef struct plait__placement {
	plait__workspace *work;
	plait__place_device *devices;
	plait__place_lane *lanes;
	uint32_t device_count;
	uint32_t lane_count;
	uint32_t lane_capacity;
	uint32_t width;			/* entries of a row; 0: no vector
					 * clocks */
	uint32_t row_bytes;
	uint32_t tagged;		/* entries name their lane */
	uint32_t row_count;
	uint32_t row_capacity;
	uint32_t row_limit;		/* beyond this, vector clocks are
					 * forgotten */
	uint32_t row_free;		/* free list, linked through
					 * `references` */
	uint32_t candidate_capacity;
	unsigned char *rows;
	uint32_t *references;		/* by row: reference count */
	uint32_t reference_capacity;
	uint32_t reserved0;
	plait__place_point *candidates;	/* of the current step */
	uint64_t sequence;
	uint64_t step;
	uint64_t hop_cost;
	uint64_t clock_steps;
	uint64_t steps;
} plait__placement;

/*
 * Initialise. `limits`: lane limit per device (0: none). `width`: a power of
 * two up to 64, or 0. `lane_bound`: upper bound of the number of lanes, or 0 if
 * unknown. `row_limit`: maximum number of vector clocks kept at once.
 */
plait_status plait__place_init(plait__placement *place, plait__workspace *work,
			       const uint32_t *limits, uint32_t device_count,
			       uint32_t width, uint32_t lane_bound,
			       uint32_t row_limit, uint64_t hop_cost);
void plait__place_fini(plait__placement *place);

/* A command to be placed. */
typedef struct plait__place_command {
	const plait__place_point *preds;
	uint32_t pred_count;
	uint32_t device;
	uint32_t affinity;		/* 0: none */
	uint32_t policy;		/* PLAIT__POLICY_... */
	uint64_t cost;
	uint64_t not_before;		/* earliest start; 0: any time */
} plait__place_command;

/* Add a lane of the device; fails only without memory. */
plait_status plait__place_add_lane(plait__placement *place, uint32_t device,
				   uint32_t *out_lane);

/*
 * Choose the lane that can start the command first.  Ties: the lane of a pred
 * that is last on it, a lane that ran the same affinity, the lane that is free
 * first, a new lane below the limit.  `widest` takes a new lane rather than one
 * with a last command that is not known to precede this one.
 */
plait_status plait__place_choose(plait__placement *place,
				 const plait__place_command *command,
				 uint32_t *out_lane, uint64_t *out_start);

/* Mark the lane busy until `finish`. */
void plait__place_occupy(plait__placement *place, uint32_t lane,
			 uint64_t finish, uint32_t affinity);

/*
 * Append the next command to a lane. Writes its point (which holds a reference
 * to its vector clock until plait__vector_clock_forget) and the points that it
 * must wait for: on each other lane at most the newest, and none that is
 * implied. *out_waits is valid until the next call.
 */
plait_status plait__vector_clock_commit(plait__placement *place, uint32_t lane,
					const plait__place_point *preds,
					uint32_t pred_count,
					plait__place_point *out_point,
					const plait__place_point **out_waits,
					uint32_t *out_wait_count);

/*
 * Returns a lane of the command's device with a last command that precedes the
 * command as far as the vector clocks of its preds know; or PLAIT__NONE. For
 * place_command.c.
 */
uint32_t plait__vector_clock_find_recyclable(
	const plait__placement *place, const plait__place_command *command);

/* Release the point's vector clock: no later command names it as a pred. */
void plait__vector_clock_forget(plait__placement *place,
				const plait__place_point *point);

#endif
