/* SPDX-License-Identifier: MIT */
/*
 * Lanes of the host as flat programs.  Compiled once per plan: each lane is an
 * array of steps; a step waits for what it has to, then runs a stretch of
 * operations without looking left or right.  README.md has the protocol.
 *
 * A flat program is for as many lanes as the plan has, for fewer (lane_merge.h), or
 * (serial) for one lane with everything in submission order.
 */
#ifndef PLAIT_SRC_RUN_HOST_HOST_ENGINE_H
#define PLAIT_SRC_RUN_HOST_HOST_ENGINE_H

#include "run/host/lane_merge.h"
#include "run/external/external_command.h"

#include "pool/cacheline.h"
#include "pool/task.h"
#include "sys/mutex.h"

/* What waits for nothing: one indirect call, of a kernel's form or of a host
 * function's, which is worth a form of its own: empty ones take 2 ns. */
typedef struct plait__op {
	union {
		plait_kernel_function kernel;
		plait_host_function host;
	};
	void *user_data;
	uint32_t arguments;	/* words of the frame */
	uint32_t launch;
	uint32_t command;
	uint32_t is_host;
} plait__op;

static inline int32_t plait__op_call(const plait__op *op, void **words)
{
	if (op->is_host)
		return op->host(op->user_data);
	return op->kernel((void *const *)(words + op->arguments),
			  (const plait_launch *)(const void *)
				  (words + op->launch),
			  op->user_data);
}

enum {
	PLAIT__STEP_RUN = 0,	/* its operations */
	PLAIT__STEP_REGION = 1,	/* the home lane comes to a region */
	PLAIT__STEP_ENTER = 2,	/* another lane does, and what it does next */
	PLAIT__STEP_END = 3,	/* of a body, on the home lane */
	PLAIT__STEP_BACK = 4,	/* of a body, on another lane */
	PLAIT__STEP_OUTSIDE = 5,/* needs somebody else: a signal, an owner */
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
	uint32_t turn_first;	/* buffers that take turns */
	uint32_t turn_count;
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
	uint32_t turn;		/* private: how often the body was done */
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

typedef struct plait__decider {
	uint32_t word;		/* decisions: number << 24 | choice */
	uint32_t home;		/* the lane */
	uint32_t outer;		/* the region around it, or none */
	uint32_t shared;	/* other lanes wait for its decisions */
	const plait__store_function *function; /* or null: a word */
	bool asks_owner;	/* it is of an inbox */
} plait__decider;

enum { PLAIT__OUTSIDE_WAITS = 1, PLAIT__OUTSIDE_SUBMITS = 2 };

typedef struct plait__flat_lane {
	uint32_t part;		/* of body 0, or none: nothing to do */
	uint32_t outside;	/* PLAIT__OUTSIDE_...: its steps have these */
	uint32_t wanted;	/* word: somebody is parked on this lane */
} plait__flat_lane;

typedef struct plait__flat {
	const plait__program *program;
	uint32_t lane_count;
	uint32_t word_count;	/* shared */
	uint32_t private_count;
	plait__flat_lane *lanes;
	plait__decider *deciders;	/* per region */
	uint32_t *rows;
	uint32_t row_count;
	plait__visit *visits;
	uint32_t visit_count;
	plait__vector steps;
	plait__vector ops;
	plait__vector waits;
	plait__vector turns;
	plait__vector parts;
} plait__flat;

/* `fold` or null: each lane is one. */
plait_status plait__flat_compile(plait__flat *flat,
				 const plait__program *program, bool serial,
				 const plait__fold *fold, plait_error *error);
void plait__flat_free(plait__flat *flat);

/* ---- one instance ---- */

typedef struct plait__crew plait__crew;
typedef struct plait__hand plait__hand;

/* What a lane has that needs somebody else. */
typedef struct plait__lane_outside {
	plait__outside outside;
	plait__hand *hand;
} plait__lane_outside;

/* What a parked lane waits for. */
struct plait__parked {
	at_u64 *word;
	uint64_t value;
	bool changes;		/* until it is not `value`; else: reaches it */
	uint32_t lane;		/* who writes it */
	plait__hand *next;
};

/* One lane of one instance; touched by who runs it. */
struct plait__hand {
	PLAIT__LINE_ALIGNED plait__task task;
	plait__crew *crew;
	const plait__step *step;
	uint32_t lane;
	const uint32_t *command; /* that it is at, for failures */
	uint64_t iterations;	/* of its regions, in this run */
	/* Recorded: since when it waits, or 0; for which of a step's waits. */
	uint64_t waiting_ns;
	const plait__step_wait *waiting_for;
	struct plait__parked parked; /* under the crew's lock, as is: */
	uint64_t parkings;	/* how often it was parked, ever */
	plait__lane_outside *outside; /* or null: needs nobody else */
};

struct plait__crew {
	plait__instance *instance;
	const plait__flat *flat;
	const plait__op *ops;	/* the flat's, or newer ones; of the run */
	plait__hand *hands;
	at_u64 *words;
	uint64_t *private;
	bool records;		/* its runs are recorded */
	bool light;		/* parking pays for both fences */
	PLAIT__LINE_ALIGNED at_u32 remaining; /* lanes not done */
	struct plait__mutex lock; /* guards the list of parked lanes */
	plait__hand *parked;
	uint64_t *newest;	/* emissions when the run began, by signal */
	plait__outside *outsides; /* of its lanes; or null */
};

plait_status plait__crew_make(plait__crew *crew, plait__instance *instance,
			      const plait__flat *flat, bool records,
			      plait_error *error);
void plait__crew_free(plait__crew *crew);
void plait__crew_start(plait__crew *crew, bool here);
bool plait__crew_drive(plait__crew *crew);

/* host_engine.c: all lanes are done. */
void plait__flat_over(plait__crew *crew);

/* lane_interpreter.c: until it is done or parked; true for the last of all lanes. */
bool plait__hand_turn(plait__task *task);
/* The same, and writes down what it does. */
bool plait__hand_turn_recorded(plait__task *task);

/* lane_park.c: true when what is waited for has come; false: parked, and no longer
 * the caller's. */
bool plait__hand_await(plait__hand *hand, const struct plait__parked *wanted);
/* After a word of this lane was stored. */
void plait__hand_wake(plait__hand *hand);

static inline bool plait__parked_met(const struct plait__parked *wanted)
{
	/* Acquire: pairs with the stores in lane_interpreter.c. */
	uint64_t now = at_load_acquire_u64(wanted->word);

	return wanted->changes ? now != wanted->value : now >= wanted->value;
}

#endif
