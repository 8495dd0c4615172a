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

/* Engine of plans whose devices are all the host. */
extern const plait__engine plait__host_engine;

/* What waits for nothing: one indirect call, of a kernel's form or of a host
 * function's, which is worth a form of its own: empty ones take 2 ns. */
typedef struct plait__call_op {
	union {
		plait_kernel_function kernel;
		plait_host_function host;
	};
	void *user_data;
	uint32_t arguments;	/* words of the frame */
	uint32_t launch;
	uint32_t command;
	uint32_t is_host;
} plait__call_op;

static inline int32_t plait__host_call(const plait__call_op *op, void **words)
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
	uint32_t wanted;	/* word: somebody is parked on this lane */
} plait__lane_info;

typedef struct plait__lane_program {
	const plait__program *program;
	uint32_t lane_count;
	uint32_t progress_count;	/* shared */
	uint32_t local_count;
	plait__lane_info *lanes;
	plait__lane_region *deciders;	/* per region */
	uint32_t *rows;
	uint32_t row_count;
	plait__visit *visits;
	uint32_t visit_count;
	plait__vector steps;
	plait__vector ops;
	plait__vector waits;
	plait__vector turns;
	plait__vector parts;
} plait__lane_program;

/* `merge` or null: each lane is one. */
plait_status plait__lane_program_compile(plait__lane_program *flat,
					 const plait__program *program, bool serial,
					 const plait__lane_merge *merge, plait_error *error);
void plait__lane_program_free(plait__lane_program *flat);

/* ---- one instance ---- */

typedef struct plait__lane_set plait__lane_set;
typedef struct plait__lane_task plait__lane_task;

/* What a lane has that needs somebody else. */
typedef struct plait__lane_external {
	plait__external external;
	plait__lane_task *hand;
} plait__lane_external;

/* What a parked lane waits for. */
struct plait__lane_wait {
	at_u64 *word;
	uint64_t value;
	bool changes;		/* until it is not `value`; else: reaches it */
	uint32_t lane;		/* who writes it */
	plait__lane_task *next;
};

/* One lane of one instance; touched by who runs it. */
struct plait__lane_task {
	PLAIT__CACHELINE_ALIGNED plait__task task;
	plait__lane_set *crew;
	const plait__step *step;
	uint32_t lane;
	const uint32_t *command; /* that it is at, for failures */
	uint64_t iterations;	/* of its regions, in this run */
	/* Recorded: since when it waits, or 0; for which of a step's waits. */
	uint64_t waiting_ns;
	const plait__step_wait *waiting_for;
	struct plait__lane_wait parked; /* under the crew's lock, as is: */
	uint64_t park_count;	/* how often it was parked, ever */
	plait__lane_external *external; /* or null: needs nobody else */
};

struct plait__lane_set {
	plait__instance *instance;
	const plait__lane_program *flat;
	const plait__call_op *ops;	/* the flat's, or newer ones; of the run */
	plait__lane_task *tasks;
	at_u64 *words;
	uint64_t *local;
	bool records;		/* its runs are recorded */
	bool asymmetric_fence;		/* parking pays for both fences */
	PLAIT__CACHELINE_ALIGNED at_u32 remaining; /* lanes not done */
	struct plait__mutex lock; /* guards the list of parked lanes */
	plait__lane_task *parked;
	uint64_t *newest;	/* emissions when the run began, by signal */
	plait__external *externals; /* of its lanes; or null */
};

plait_status plait__lane_set_make(plait__lane_set *crew, plait__instance *instance,
				  const plait__lane_program *flat, bool records,
				  plait_error *error);
void plait__lane_set_free(plait__lane_set *crew);
void plait__lane_set_start(plait__lane_set *crew, bool inline_ok);
bool plait__lane_set_drive(plait__lane_set *crew);

/* host_engine.c: all lanes are done. */
void plait__host_engine_lanes_completed(plait__lane_set *crew);

/* lane_interpreter.c: until it is done or parked; true for the last of all lanes. */
bool plait__lane_interpret(plait__task *task);
/* The same, and writes down what it does. */
bool plait__lane_interpret_recorded(plait__task *task);

/* lane_park.c: true when what is waited for has come; false: parked, and no longer
 * the caller's. */
bool plait__lane_park_until(plait__lane_task *hand, const struct plait__lane_wait *wanted);
/* After a word of this lane was stored. */
void plait__lane_park_wake(plait__lane_task *hand);

static inline bool plait__host_wait_met(const struct plait__lane_wait *wanted)
{
	/* Acquire: pairs with the stores in lane_interpreter.c. */
	uint64_t now = at_load_acquire_u64(wanted->word);

	return wanted->changes ? now != wanted->value : now >= wanted->value;
}

#endif
