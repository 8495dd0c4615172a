/* SPDX-License-Identifier: MIT */
/*
 * Compiled form of a plan on the host, made once per plan.  Each lane is an
 * array of steps; a step waits for other lanes, then runs a sequence of
 * operations without synchronization.  README.md has the protocol.
 *
 * A program has as many lanes as the plan, fewer (lane_merge.h), or (serial)
 * one lane with all commands in submission order.
 */
#ifndef PLAIT_SRC_RUN_HOST_LANE_PROGRAM_H
#define PLAIT_SRC_RUN_HOST_LANE_PROGRAM_H

#include "run/program.h"

#include "base/vector.h"

enum {
	PLAIT__STEP_RUN = 0,	/* its operations */
	PLAIT__STEP_REGION = 1,	/* region, on its home lane */
	PLAIT__STEP_ENTER = 2,	/* region, on another lane */
	PLAIT__STEP_END = 3,	/* end of a body, on the home lane */
	PLAIT__STEP_BACK = 4,	/* end of a body, on another lane */
	PLAIT__STEP_EXTERNAL = 5,/* completes outside the lane:
				  * external_command.h */
	PLAIT__STEP_DONE = 6,	/* end of the lane */
	PLAIT__STEP_COROUTINE = 7 /* a function that suspends itself:
				   * coroutine_command.h */
};

/* Where a coroutine continues: on any thread; or, once begun, on one worker. */
enum { PLAIT__COROUTINE_UNBOUND = 0, PLAIT__COROUTINE_BOUND = 1 };

/* Wait until progress[word] >= epoch * stride + position. */
typedef struct plait__step_wait {
	uint32_t word;
	uint32_t lane;		/* that writes the word */
	uint32_t seen;		/* in `local`: the value last read */
	uint32_t stride;
	uint32_t position;
	uint32_t command;	/* at that position */
} plait__step_wait;

typedef struct plait__step {
	uint32_t kind;
	uint32_t part;		/* index in parts */
	uint32_t wait_first;	/* in waits */
	uint32_t wait_count;
	uint32_t op_first;	/* in ops */
	uint32_t op_count;
	uint32_t cell_first;	/* in cells: those of its commands, set before
				 * the first call */
	uint32_t cell_count;
	uint32_t done;		/* commands of the part up to this step's
				 * last */
	uint32_t link;		/* REGION, ENTER, END, BACK: index in visits;
				 * COROUTINE: where it continues */
	uint32_t hosts;		/* all operations are host functions */
	uint32_t command;	/* the first one, or the region's; for
				 * recordings */
} plait__step;

/* One lane's part of one body, compiled from the plait__lane_body of the same
 * index. */
typedef struct plait__part {
	uint32_t step;		/* its first step */
	uint32_t stride;	/* commands of the part: of its track, or
				 * (serial) of the body */
	uint32_t word;		/* in `progress`: commands done, ever */
	uint32_t epoch;		/* its epoch in `local`: how often the body was
				 * done */
	uint32_t body;
} plait__part;

/* A region on one lane. */
typedef struct plait__visit {
	uint32_t region;
	uint32_t step;		/* its REGION or ENTER step */
	uint32_t row;		/* in rows: the lane's part of each body, or
				 * none */
	uint32_t seen;		/* in `local`: the decision last read */
	uint32_t kind;		/* the region's: PLAIT__REGION_... */
	uint32_t body_count;
} plait__visit;

typedef struct plait__lane_region {
	uint32_t word;		/* in `progress`: number << 24 | choice */
	uint32_t home;		/* the lane that decides */
	uint32_t outer;		/* the enclosing region, or none */
	uint32_t shared;	/* other lanes follow its decisions */
	const plait__store_function *function; /* or null: a word in memory
					        * decides */
	bool asks_owner;	/* the function is called by an inbox owner */
} plait__lane_region;

enum { PLAIT__EXTERNAL_WAITS = 1, PLAIT__EXTERNAL_SUBMITS = 2 };

typedef struct plait__lane_info {
	uint32_t part;		/* of body 0, or none: an idle lane */
	uint32_t external;	/* PLAIT__EXTERNAL_...: kinds of its steps */
	uint32_t parked_count;	/* in `progress`: not 0 while lanes are
				 * parked on this one */
} plait__lane_info;

/* Made by lane_compiler.c and constant from then on; `progress` and `local` are
 * arrays of each plait__lane_set. */

typedef struct plait__lane_program {
	const plait__program *program;
	uint32_t lane_count;
	uint32_t progress_count;	/* words that lanes share */
	uint32_t local_count;
	plait__lane_info *lanes;
	plait__lane_region *regions;	/* by region */
	uint32_t *rows;
	uint32_t row_count;
	plait__visit *visits;
	plait__vector steps;
	plait__vector ops;
	plait__vector waits;
	plait__vector cells;
	plait__vector parts;
} plait__lane_program;

#endif
