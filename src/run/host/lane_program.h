/* SPDX-License-Identifier: MIT */
/*
 * Compiled form of a plan on the host.  Made once per plan: each lane is an
 * array of steps; a step waits for what it has to, then runs a stretch of
 * operations without looking left or right.  README.md has the protocol.
 *
 * A program has as many lanes as the plan, fewer (lane_merge.h), or (serial)
 * one lane with everything in submission order.
 */
#ifndef PLAIT_SRC_RUN_HOST_LANE_PROGRAM_H
#define PLAIT_SRC_RUN_HOST_LANE_PROGRAM_H

#include "run/program.h"

#include "base/vector.h"

enum {
	PLAIT__STEP_RUN = 0,	/* its operations */
	PLAIT__STEP_REGION = 1,	/* the home lane comes to a region */
	PLAIT__STEP_ENTER = 2,	/* another lane does, and what it does next */
	PLAIT__STEP_END = 3,	/* of a body, on the home lane */
	PLAIT__STEP_BACK = 4,	/* of a body, on another lane */
	PLAIT__STEP_EXTERNAL = 5,/* needs somebody else: a signal, an owner */
	PLAIT__STEP_DONE = 6	/* the lane's end */
};

/* Wait until word `word` has come to turn * stride + position. */
typedef struct plait__step_wait {
	uint32_t word;
	uint32_t lane;		/* who writes it */
	uint32_t seen;		/* private: what it was when last looked at */
	uint32_t stride;
	uint32_t position;
} plait__step_wait;

typedef struct plait__step {
	uint32_t kind;
	uint32_t part;		/* in parts */
	uint32_t wait_first;
	uint32_t wait_count;
	uint32_t op_first;
	uint32_t op_count;
	uint32_t rotation_first;	/* buffers that take turns */
	uint32_t rotation_count;
	uint32_t done;		/* commands of the track, this one included */
	uint32_t link;		/* REGION, ENTER, END, BACK: in visits */
	uint32_t hosts;		/* all operations are host functions */
	uint32_t command;	/* the first one, or the region's; for records */
} plait__step;

/* What one lane does of one body. */
typedef struct plait__part {
	uint32_t step;		/* its first one */
	uint32_t stride;	/* commands of its track */
	uint32_t word;		/* how many of them are done, ever */
	uint32_t epoch;		/* private: how often the body was done */
	uint32_t body;
} plait__part;

/* One lane in one region. */
typedef struct plait__visit {
	uint32_t region;
	uint32_t step;		/* its REGION or ENTER step */
	uint32_t row;		/* in rows: its part of each body, or none */
	uint32_t seen;		/* private: the decision it saw last */
	uint32_t kind;		/* the region's: PLAIT__REGION_... */
	uint32_t body_count;
} plait__visit;

typedef struct plait__lane_region {
	uint32_t word;		/* decisions: number << 24 | choice */
	uint32_t home;		/* the lane */
	uint32_t outer;		/* the region around it, or none */
	uint32_t shared;	/* other lanes wait for its decisions */
	const plait__store_function *function; /* or null: a word */
	bool asks_owner;	/* it is of an inbox */
} plait__lane_region;

enum { PLAIT__EXTERNAL_WAITS = 1, PLAIT__EXTERNAL_SUBMITS = 2 };

typedef struct plait__lane_info {
	uint32_t part;		/* of body 0, or none: nothing to do */
	uint32_t external;	/* PLAIT__EXTERNAL_...: its steps have these */
	uint32_t parked_count;	/* word: somebody is parked on this lane */
} plait__lane_info;

typedef struct plait__lane_program {
	const plait__program *program;
	uint32_t lane_count;
	uint32_t progress_count;	/* shared */
	uint32_t local_count;
	plait__lane_info *lanes;
	plait__lane_region *regions;	/* per region */
	uint32_t *rows;
	uint32_t row_count;
	plait__visit *visits;
	uint32_t visit_count;
	plait__vector steps;
	plait__vector ops;
	plait__vector waits;
	plait__vector rotations;
	plait__vector parts;
} plait__lane_program;

#endif
