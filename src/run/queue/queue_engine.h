/* SPDX-License-Identifier: MIT */
/*
 * Plans on the queues of any backend.  An instance owns one queue per lane,
 * and one signal per lane that counts what the lane emits.
 *
 * Compiled once per plan, each body is a set of *items*, of which one is begun
 * when all that it comes behind are over:
 *
 *     CHUNK	commands that can be submitted together: over once they are
 *     REGION	over when it was left
 *     POINT	a command that the host waits for: of another backend, which no
 *		queue here can, or in front of what the host does; over when
 *		it has seen it done
 *     OUTSIDE	a command that needs somebody else (external_command.h), which the host
 *		begins behind all that it comes behind; over when it has
 *		happened
 *
 * A chunk is submitted as *batches*, one call of the backend each: stretches
 * of one lane.  Everything a batch needs is made with the instance; what runs
 * change are the sequences of points.  What is emitted in a run is a *mark*:
 * one per command, region and lane.
 *
 * A region is a coroutine without a stack: its frame says what it waits for,
 * and the driver goes on with it when that has come (run_driver.c).
 */
#ifndef PLAIT_SRC_RUN_QUEUE_QUEUE_ENGINE_H
#define PLAIT_SRC_RUN_QUEUE_QUEUE_ENGINE_H

#include "run/external/external_command.h"
#include "run/queue/queue_program.h"
#include "run/queue/retry.h"

#include "kernel/signature.h"
#include "object/memory/buffer.h"
#include "object/kernel/device_code.h"
#include "object/context/device.h"
#include "object/kernel/kernel.h"
#include "object/progress/progress_driver.h"

/* ---- one instance ---- */

/* A pointer that a kernel is called with. */
typedef struct plait__queued_pointer {
	void *value;
	plait__buffer *mapped;	/* while it runs */
} plait__queued_pointer;

/* A command that is a function of the host, called by a backend. */
typedef struct plait__queued_call {
	plait__queued_state *state;
	uint32_t command;
	uint32_t count;		/* of arguments */
	const plait__plan_payload *payload;
	const plait__store_function *host; /* or null */
	plait_status (*carry)(struct plait__queued_call *call,
			      plait_error *why);
	void **arguments;
	plait__queued_pointer *pointers;
} plait__queued_call;

/* An argument as a launch has it. */
typedef struct plait__queued_given {
	plait_backend_memory *memory; /* or null: a value */
	uint64_t offset;
	uint64_t value;
} plait__queued_given;

/* Code of a device with arguments and geometry. */
typedef struct plait__queued_variant {
	plait_backend_launch *raw; /* or null */
	plait__queued_given *given;
	plait_launch launch;
} plait__queued_variant;

/* A command that its device may have code for. */
typedef struct plait__queued_launch {
	plait__kernel *kernel;	/* held; null: a call of the host */
	plait__queued_variant *variants;
	uint32_t variant_count;	/* 0: no such command */
	uint32_t changes;	/* with what; launch_variants.c */
	uint32_t oldest;	/* variant, which is replaced */
	uint32_t work;		/* in state->work */
	uint32_t next_borrower;	/* command; see there */
	bool stale;		/* its segment has another one */
} plait__queued_launch;

/* A segment as its backend has it. */
typedef struct plait__queued_frozen {
	plait_backend_segment *raw; /* or null: its commands one by one */
	plait_work work;
	bool refused;		/* the backend will not have it */
	bool changed;		/* to be looked at before it runs */
	/* While it is walked (segment_fallback.c). */
	bool waited;		/* for what it comes behind */
	bool asked;		/* what comes: it will be told */
	bool failed;		/* what was submitted last */
	uint32_t body;		/* of the plan, in which the walk is */
	uint32_t at;		/* member that comes next */
	uint32_t border;	/* the next that is a region, or the body's end */
	uint32_t item;		/* whose chunk it is part of */
	uint32_t batch;
	char label[96];
} plait__queued_frozen;

/* What decides a region. */
typedef struct plait__queued_predicate {
	plait__queued_state *state;
	uint32_t region;
	uint32_t word;		/* what it said */
} plait__queued_predicate;

/* Something that the driver waits for. */
typedef struct plait__queued_cell {
	plait__pilot_note note;
	uint32_t mark;
	uint32_t lane;		/* whose emission it is */
	uint32_t link;		/* a region, an item or a port */
	bool looks;		/* no upcall comes */
	uint64_t told_ns;	/* when it came; where runs are recorded */
} plait__queued_cell;

/* When a command began and ended, in a run that is recorded. */
typedef struct plait__queued_watch {
	uint64_t start_ns;	/* submitted, or begun */
	uint64_t end_ns;	/* told; 0: it is not done */
	uint64_t latest_ns;	/* when something behind it began */
	uint64_t past_ns;	/* when all before it had ended */
	/* Of a function of the host, written where it is called; or 0. */
	uint64_t call_start_ns, call_end_ns;
	uint64_t thread;
} plait__queued_watch;

/* What a lane has that needs somebody else.  One thing at a time, as it does
 * nothing meanwhile. */
typedef struct plait__queued_outside {
	plait__outside outside;
	plait__queued_state *state;
	uint32_t cell;
	uint32_t item;		/* that is begun; or none: */
	uint32_t region;	/* whose predicate is asked */
} plait__queued_outside;

typedef struct plait__queued_queue {
	plait_backend_queue *raw;
	plait_backend_signal *signal;
	uint64_t emitted;	/* the newest sequence */
	bool unflushed;
	bool taken;	/* something, in this run */
	bool refuses;	/* its port has taken nothing: it has no end */
	bool lost;		/* its device is: for good */
	plait__queued_refusal refusals[PLAIT__ASKS];
} plait__queued_queue;

/* A body that runs. */
typedef struct plait__queued_frame {
	uint32_t left;		/* items that are not over */
	uint32_t first;		/* of those ready, in `ready` */
	uint32_t last;
} plait__queued_frame;

struct plait__queued_state {
	plait__piloted piloted;
	plait__instance *instance;
	const plait__queued *queued;
	plait__queued_queue *queues;
	uint64_t *marks;	/* the sequence of each */
	plait_work *work;
	plait_submission *stretches;
	plait_backend_point *waits;
	plait_backend_point *emits; /* one per stretch */
	plait__queued_call *calls; /* per command */
	void **arguments;	/* of all calls */
	plait__queued_pointer *pointers;
	plait__queued_launch *launches; /* per command */
	plait__queued_variant *variants; /* of all launches */
	plait__queued_frozen *frozen; /* per segment */
	plait__queued_given *given; /* of all variants, and one more */
	plait_launch_argument *binding; /* as backends are given it */
	plait_backend_memory **arenas; /* scratch, per device; or null */
	plait__queued_predicate *predicates; /* per region */
	plait__queued_cell *cells;
	plait__queued_watch *watches; /* per command; or null */
	plait__queued_outside *outsides;
	uint64_t *newest;	/* emissions when the run began, by signal */
	struct plait__mutex lock; /* what outsides have */
	plait__queued_frame *frames; /* per body */
	uint32_t *body_of;	/* per region: the body that runs, or none */
	uint32_t *before;	/* per item: what it still comes behind */
	uint32_t *ready;	/* per body a list as long as its items */
	uint32_t argument_count, pointer_count, variant_count, given_count;
	uint32_t most_arguments;
	uint32_t borrower;	/* the first command that borrows, or none */
	uint64_t version;	/* whose kernels are bound */
	uint32_t looking;	/* cells that no upcall comes for */
	uint32_t ends_left;	/* ports that are not through */
	uint32_t final_next;	/* how many ends of lanes were submitted */
	uint32_t phase;
	bool tries;		/* in this turn something was refused */
	plait_error loss;	/* of a device, if any is lost */
	/* Where devices decide regions. */
	plait__queued_cell halt; /* a note: the run was stopped */
	at_u32 halting;		/* it was noted */
	bool halted;		/* segments were told */
	at_ptr decider;		/* plait__queued_state that carries out what
				 * this one cannot, or null */
	bool decides;		/* it does in this run */
	plait__piloted *pilot;	/* own, or of whose decider it is */
};

/* queue_instance.c */
plait_status plait__queued_state_make(plait__queued_state *state,
				      plait_error *error);
void plait__queued_state_free(plait__queued_state *state);

/*
 * translate_work.c: how a command becomes work of a backend.  Called once per
 * instance, for `what` of plait__queued.work; `out` is zeroed.  _told: once
 * more, for a copy or a fill of what this run has brought. */
void plait__queued_work_make(plait__queued_state *state, uint32_t what,
			     plait_work *out);
plait_status plait__queued_work_told(plait__queued_state *state,
				     uint32_t command, plait_error *error);
/* Does it do anything on its queue? */
bool plait__queued_has_work(const plait__plan *plan, uint32_t command);
/* Why the device of its lane cannot do it ("needs ...", no subject), or null;
 * and who decides a region. */
const char *plait__queued_lacks(const plait__queued *queued, uint32_t command);

/* resolve_arguments.c */

/* What a launch launches in this run. */
plait__kernel *plait__queued_kernel(const plait__queued_state *state,
				    const plait__plan_payload *payload);
/* How many arguments it is called with, and how many pieces of memory. */
void plait__queued_count(const plait__queued *queued, uint32_t command,
			 uint32_t *out_arguments, uint32_t *out_pointers);
/* Which memory an argument means now; null: none that is a buffer. */
plait__buffer *plait__queued_buffer(const plait__queued_state *state,
				    const plait__plan_arg *arg,
				    uint64_t *out_offset);
/* A copy, a fill or a region's word in memory of another backend than its
 * lane's, so the host has to do it. */
bool plait__queued_is_foreign(const plait__queued *queued, uint32_t command);
/* Memory for a function of the host; null for no bytes. */
plait_status plait__queued_map(plait__queued_pointer *pointer,
			       plait__buffer *buffer, uint64_t offset,
			       uint64_t bytes, uint32_t flags,
			       plait_error *error);
plait_status plait__queued_unmap(plait__queued_pointer *pointer,
				 plait_error *error);

/* host_callbacks.c: `carry` of calls, and what backends call. */
plait_status plait__queued_call_kernel(plait__queued_call *call,
				       plait_error *why);
plait_status plait__queued_call_host(plait__queued_call *call,
				     plait_error *why);
plait_status plait__queued_call_move(plait__queued_call *call,
				     plait_error *why);
int32_t plait__queued_run_call(void *user_data);
int32_t plait__queued_ask(void *user_data);
int32_t plait__queued_peek(void *user_data);

/* launch_variants.c */

/* How many launches a command keeps; 0: its device takes no code. */
uint32_t plait__queued_variants(const plait__queued *queued,
				uint32_t command);
/* May what its launch is given change? */
bool plait__queued_changes(const plait__queued *queued, uint32_t command);
/* Bind what does not depend on a run; errors name the node. */
plait_status plait__queued_launches_make(plait__queued_state *state,
					 plait_error *error);
void plait__queued_launches_free(plait__queued_state *state);
/* Before a run: kernels were exchanged. */
void plait__queued_launches_renew(plait__queued_state *state);
/* After it: buffers that were its parameters are not kept. */
void plait__queued_launches_give_back(plait__queued_state *state);
/* Bind the launches of a batch to what they are given in this iteration of
 * this run; on failure the run has failed. */
void plait__queued_bind(plait__queued_state *state, uint32_t batch);
void plait__queued_bind_stretch(plait__queued_state *state,
				const plait__queued_stretch *stretch);

/* scratch_arenas.c: of a device of the plan; once is enough. */
plait_status plait__queued_scratch_make(plait__queued_state *state,
					uint32_t number, plait_error *error);
void plait__queued_scratch_free(plait__queued_state *state);

/* device_graphs.c */

/* Behind the launches; where one of them could not be bound yet it comes
 * later. */
plait_status plait__queued_frozen_make(plait__queued_state *state,
				       plait_error *error);
void plait__queued_frozen_free(plait__queued_state *state);
/* The stretches were filled anew. */
void plait__queued_frozen_use(plait__queued_state *state);
/* Its launch is another one, or none. */
void plait__queued_frozen_note(plait__queued_state *state, uint32_t command);
/* Before a batch is submitted, behind plait__queued_bind. */
plait_status plait__queued_freshen(plait__queued_state *state, uint32_t batch,
				   plait_error *error);
/* When a run begins: are all that decide regions there?  It may have failed
 * on the way. */
plait_status plait__queued_frozen_ready(plait__queued_state *state,
					bool *out_whole, plait_error *error);
/* What is known of it before any run: not all regions can be. */
bool plait__queued_frozen_lacks(const plait__queued_state *state);
/* Their loops end, or run again. */
void plait__queued_frozen_stop(plait__queued_state *state, bool stop);

/* submit_batch.c: what calls slots of queues and signals.  Only the driver
 * does. */

/* Submit a batch; on failure nothing of it was. */
plait_status plait__queued_submit(plait__queued_state *state, uint32_t batch,
				  plait_error *error);
/* What a stretch waits for, as it is in this run. */
void plait__queued_number_waits(plait__queued_state *state,
				const plait__queued_stretch *stretch);
/* The same of what is made up now; its last part emits `mark`, or nothing: then
 * it is none.  `emit` becomes its point. */
plait_status plait__queued_submit_parts(plait__queued_state *state,
					uint32_t lane,
					const plait_submission *parts,
					uint32_t count, uint32_t mark,
					plait_backend_point *emit,
					plait_error *error);
/* Start what was submitted. */
void plait__queued_flush(plait__queued_state *state);
/* Be told when the mark of a cell has come. */
void plait__queued_await(plait__queued_state *state, uint32_t cell);
/* Ask; true when it has come, and how. */
bool plait__queued_look(plait__queued_state *state, uint32_t cell,
			plait_status *out);
/* Why it failed, as its backend says. */
void plait__queued_why(plait__queued_state *state, uint32_t cell,
		       plait_status status, plait_error *out);
/* Nothing is pending: what failed is made good again. */
void plait__queued_recover(plait__queued_state *state);
/* queue_instance.c: queues that cannot be mended are made anew. */
plait_status plait__queued_remake(plait__queued_state *state, uint32_t lane,
				  plait_error *error);

/* record_times.c, where the run is recorded */

/* A body begins; and is over. */
void plait__queued_begin_watch(plait__queued_state *state, uint32_t body);
void plait__queued_put_body(plait__queued_state *state, uint32_t body);
/* After it was submitted: its commands will tell. */
void plait__queued_watch_batch(plait__queued_state *state, uint32_t batch);
/* One has; in which body. */
uint32_t plait__queued_end_watch(plait__queued_state *state, uint32_t cell,
				 plait_status status);
/* Where it was called. */
void plait__queued_time_call(plait__queued_call *call, uint64_t start_ns);
/* A command that needs somebody else, or a region's question. */
void plait__queued_begin_outside(plait__queued_state *state, uint32_t command);
void plait__queued_end_outside(plait__queued_state *state, uint32_t command);
void plait__queued_note_decision(plait__queued_state *state, uint32_t region,
				 uint32_t body, bool again);
/* Nothing of the run happens any more. */
void plait__queued_end_record(plait__queued_state *state);

/* queue_engine.c: the state that decides all regions itself, made now if need be. */
plait_status plait__queued_decider(plait__queued_state *state,
				   plait__queued_state **out,
				   plait_error *error);

/* segment_fallback.c: a segment that decides regions, and is one no more.  False: it
 * goes on when a region of it is told of; true: it is through, or stopped. */
bool plait__queued_begin_walk(plait__queued_state *state, uint32_t segment);
bool plait__queued_walk(plait__queued_state *state, uint32_t segment);
bool plait__queued_walk_on(plait__queued_state *state, uint32_t segment,
			   uint32_t region);
/* The one that a batch is, or none. */
uint32_t plait__queued_find_lost(const plait__queued_state *state,
				 uint32_t batch);

/* drain_queues.c: what lanes are given last, as far as they take it now. */
void plait__queued_submit_ends(plait__queued_state *state);

/* stop_device_loops.c: the run was stopped; from any thread, in upcalls too. */
void plait__queued_cancel(plait__queued_state *state);
/* For who drives it: the note of that; and tell loops to end, if need be. */
void plait__queued_hear_halt(plait__queued_state *state);
void plait__queued_stop_loops(plait__queued_state *state);
/* It is made, and nothing of it has begun. */
void plait__queued_set_decider(plait__queued_state *state,
			       plait__queued_state *decider);

/* run_driver.c */

/* What its word has come to: a body, or none; `again`: one was done. */
uint32_t plait__queued_decide(plait__queued_state *state, uint32_t region,
			      bool again);
void plait__queued_begin(plait__queued_state *state);
uint32_t plait__queued_turn(plait__piloted *piloted);

#endif
