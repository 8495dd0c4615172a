/* SPDX-License-Identifier: MIT */
/*
 * Mazes: random graphs with loops and branches, as data.  A maze is made from a
 * number, built as a plait graph, run, and walked by a plain interpreter that
 * computes the number that each function must find.  The walk reads the maze
 * alone, never a plan.
 *
 * A *spot* is a node, a *body* holds spots, a *world* is the state of one run:
 * each function stamps its begin and end, and leaves a number derived from all
 * that must precede it, from this iteration and the last one.
 */
#ifndef T_MAZE_H
#define T_MAZE_H

#include "plait/plait.h"
#include "tap.h"

enum {
	MAZE_SPOTS = 64,	/* bits of a mask */
	MAZE_SPARE = 32,	/* spare spots during generation; see
				 * maze_make */
	MAZE_BODIES = 48,
	MAZE_BUFFERS = 96,
	MAZE_ROTATIONS = 16,
	MAZE_AFTER = 4,
	MAZE_BRANCHES = 3,
	MAZE_DEPTH = 4,
	MAZE_TURNS = 128,	/* of one spot, in one run */
	MAZE_LANES = 8,		/* of a run that is recorded */
	MAZE_RECORDS = 8192,	/* of one run */
	MAZE_NONE = 255
};

enum maze_kind {
	/* Spots with a function. */
	MAZE_CALL,	/* of the host */
	MAZE_PLAIN,	/* a kernel, as all that follow */
	MAZE_NUMBER,	/* takes the number of the iteration */
	MAZE_VALUE,	/* has a parameter */
	MAZE_SIZE,	/* has a launch size that is a parameter of the run */
	MAZE_SCRATCH,	/* has scratch memory */
	MAZE_TURN,	/* reads this buffer of a rotation; writes the next, or
			 * `buffer` */
	MAZE_LOOK,	/* reads a buffer, or one of a rotation */
	MAZE_SET,	/* sets the predicate word of a region */
	MAZE_LOWER,	/* lowers it */
	MAZE_STATE,	/* takes the world as a parameter of the run */
	/* Spots without a function. */
	MAZE_JOIN,
	MAZE_MARK,
	MAZE_FILL,	/* of `buffer`, or the next one of a rotation */
	MAZE_COPY,	/* likewise; from `source`, or this one */
	/* Regions; the predicate is a function or a word. */
	MAZE_WHILE,
	MAZE_DO,
	MAZE_CASE
};

struct maze;

struct maze_spot {
	struct maze *maze;
	enum maze_kind kind;
	uint32_t number;
	uint32_t body;
	uint32_t after_count;
	uint32_t after[MAZE_AFTER];
	uint32_t branches;
	uint32_t bodies[MAZE_BRANCHES];
	bool by_word;
	uint32_t region;	/* SET, LOWER: the region of the word */
	uint32_t buffer;	/* the buffer that it reads or writes, or the
				 * word */
	uint32_t source;
	uint32_t rotation;	/* TURN, LOOK, FILL, COPY: or MAZE_NONE; it has
				 * the buffers that are MAZE_NONE */
	uint64_t cost;
	/* The spots that it takes numbers from, as masks: all before it; those
	 * of the same body, from the iteration before; and for a predicate
	 * those of its bodies. */
	uint64_t before;
	uint64_t beside;
	uint64_t inside;
	plait_node node;
};

struct maze_body {
	uint32_t region;	/* the region of the body, or MAZE_NONE */
	uint32_t depth;
	uint32_t rotation;	/* of a loop, or MAZE_NONE */
	uint64_t spots;		/* in it */
	uint64_t inside;	/* and in all bodies in it */
};

struct maze_rotation {
	uint32_t body;
	uint32_t first;		/* buffer */
	uint32_t count;
	bool prologue;
	uint64_t handle;
};

/* One execution of a function. */
struct maze_entry {
	uint64_t begin, end, number;
};

enum maze_action { MAZE_GOES_ON, MAZE_FAILS, MAZE_CANCELS };

struct maze_world {
	uint64_t salt;		/* parameters */
	uint64_t size;
	uint64_t clock;
	uint64_t broken;	/* impossible values that functions saw */
	/* The action when this spot is executed; see maze_action. */
	enum maze_action action;
	uint32_t fuse;
	uint32_t fuse_turn;
	plait_run *run;		/* for CANCELS */
	/* Plain on purpose: the plan orders functions, not these words. */
	uint64_t numbers[MAZE_SPOTS][2];
	uint32_t times[MAZE_SPOTS];
	uint32_t visits[MAZE_SPOTS];
	int64_t left[MAZE_SPOTS];
	struct maze_entry entries[MAZE_SPOTS][MAZE_TURNS];
};

struct maze {
	uint64_t seed;
	bool overlaps;		/* runs may overlap: all state is in their
				 * worlds */
	uint32_t spot_count;
	uint32_t body_count;
	uint32_t buffer_count;
	uint32_t rotation_count;
	bool has_value, has_size;
	struct maze_spot spots[MAZE_SPOTS + MAZE_SPARE];
	struct maze_body bodies[MAZE_BODIES];
	struct maze_rotation rotations[MAZE_ROTATIONS];
	uint64_t contents[MAZE_BUFFERS]; /* the values that the walk computed */
	/* Of buffers that a copy or fill of a stopped run may have written. */
	bool vague[MAZE_BUFFERS];
	plait_buffer *buffers[MAZE_BUFFERS];
	struct maze_world *world; /* of all functions to which the run does not
				   * pass one */
};

/* ---- numbers ---- */

struct maze_random {
	uint64_t state;
};

uint64_t maze_next(struct maze_random *random);
uint64_t maze_below(struct maze_random *random, uint64_t bound);
uint64_t maze_mix(uint64_t a, uint64_t b);
/* The seed of the maze with that number.  It is mixed before: without that,
 * nearby seeds would have the same mazes in another order. */
uint64_t maze_seed(uint64_t seed, uint64_t number);

/* The iterations of the loop, or the branch that is taken, at that visit. */
uint32_t maze_count(const struct maze_spot *region, uint32_t visit);
/* The number that a spot leaves. */
uint64_t maze_number(const struct maze_spot *spot,
		     uint64_t (*numbers)[2], uint32_t turn, uint64_t extra);
/* The spot has a function that stamps. */
bool maze_stamps(const struct maze_spot *spot);
/* Its buffer in iteration i. */
uint32_t maze_turn_buffer(const struct maze_rotation *rotation, uint64_t i);

/* ---- generation and building ---- */

/* `size`: the approximate number of spots.  `overlaps`: no regions, no host
 * functions. */
void maze_make(struct maze *maze, uint64_t seed, uint32_t size, bool overlaps);

/* The kernels of a context, which all mazes there share. */
struct maze_kernels {
	plait_kernel *kernels[MAZE_JOIN];
};

bool maze_open(struct maze_kernels *kernels, plait_context *context);
void maze_close(struct maze_kernels *kernels);
/* Null, with the text in `error`, on failure. */
plait_graph *maze_build(struct maze *maze, const struct maze_kernels *kernels,
			plait_context *context, plait_queue *queue,
			plait_error *error);
void maze_free(struct maze *maze);

/* ---- the recording of a run (maze_trace.c) ---- */

/* A command that ran, or a decision. */
struct maze_step {
	uint32_t spot;
	uint32_t kind;		/* PLAIT_RECORD_COMMAND, or DECISION */
	uint32_t lane;		/* that ran it */
	uint32_t index;		/* among its lane's */
	uint64_t start_ns, end_ns;
	uint64_t iteration, other;
};

struct maze_trace {
	plait_record records[MAZE_RECORDS];
	uint32_t count;
	/* By lane and time; and again by spot, kind and time. */
	struct maze_step steps[MAZE_RECORDS];
	struct maze_step by_spot[MAZE_RECORDS];
	uint32_t lanes[MAZE_LANES + 1];		/* where its steps begin */
	uint32_t commands[MAZE_SPOTS];		/* the next in by_spot */
	uint32_t decisions[MAZE_SPOTS];
};

/* Returns false, with the reason in `error`, when the records cannot be
 * true. */
bool maze_trace_read(struct maze_trace *trace, plait_plan *plan,
		     plait_run *run, plait_error *error);
/* Returns the next step of that spot and kind, or null. */
const struct maze_step *maze_trace_next(struct maze_trace *trace,
					uint32_t spot, uint32_t kind);
/* Returns how many steps of the lane had ended when this one began. */
uint32_t maze_trace_known(const struct maze_trace *trace,
			  const struct maze_step *step, uint32_t lane);

/* To be called before each run. */
void maze_reset(struct maze_world *world, uint64_t salt);

/* ---- walking ---- */

struct maze_report {
	uint64_t iterations;
	uint64_t entries;	/* that a whole run has */
	uint64_t ran;
	const char *wrong;	/* null: all is well */
	uint32_t spot;		/* the first wrong spot, and its execution */
	uint32_t turn;
	uint32_t times[MAZE_SPOTS]; /* in a whole run */
};

/* The part of the maze that must have run. */
enum maze_extent {
	MAZE_WHOLE,	/* all: nothing failed, nothing was cancelled */
	MAZE_TO_FUSE,	/* all until the spot that failed or cancelled */
	MAZE_ANY	/* cancelled at any time */
};

/*
 * Compare the world with the expected one.  `trace`, or null: the recording of
 * the run, which must agree: each command that ran, once, with its iteration;
 * each decision of a whole run; and no command before the end of all that it
 * depends on, by vector clocks of the lanes.
 */
void maze_walk(struct maze *maze, const struct maze_world *world,
	       enum maze_extent extent, struct maze_trace *trace,
	       struct maze_report *report);

#endif
