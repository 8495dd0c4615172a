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
typedef struct plait__queue_pointer {
	void *value;
	plait__buffer *mapped;	/* while it runs */
} plait__queue_pointer;

/* A command that is a function of the host, called by a backend. */
typedef struct plait__host_callback {
	plait__queue_instance *state;
	uint32_t command;
	uint32_t count;		/* of arguments */
	const plait__plan_payload *payload;
	const plait__store_function *host; /* or null */
	plait_status (*perform)(struct plait__host_callback *call,
			      plait_error *why);
	void **arguments;
	plait__queue_pointer *pointers;
} plait__host_callback;

/* An argument as a launch has it. */
typedef struct plait__variant_argument {
	plait_backend_memory *memory; /* or null: a value */
	uint64_t offset;
	uint64_t value;
} plait__variant_argument;

/* Code of a device with arguments and geometry. */
typedef struct plait__launch_variant {
	plait_backend_launch *raw; /* or null */
	plait__variant_argument *arguments;
	plait_launch launch;
} plait__launch_variant;

/* A command that its device may have code for. */
typedef struct plait__queue_launch {
	plait__kernel *kernel;	/* held; null: a call of the host */
	plait__launch_variant *variants;
	uint32_t variant_count;	/* 0: no such command */
	uint32_t changes;	/* with what; launch_variants.c */
	uint32_t oldest;	/* variant, which is replaced */
	uint32_t work;		/* in state->work */
	uint32_t next_borrower;	/* command; see there */
	bool stale;		/* its segment has another one */
} plait__queue_launch;

/* A segment as its backend has it. */
typedef struct plait__device_graph {
	plait_backend_segment *raw; /* or null: its commands one by one */
	plait_work work;
	bool refused;		/* the backend will not have it */
	bool changed;		/* to be looked at before it runs */
	/* While it is walked (segment_fallback.c). */
	bool waits_submitted;		/* for what it comes behind */
	bool waiting;		/* what comes: it will be told */
	bool failed;		/* what was submitted last */
	uint32_t body;		/* of the plan, in which the walk is */
	uint32_t position;		/* member that comes next */
	uint32_t boundary;	/* the next that is a region, or the body's end */
	uint32_t stage;		/* whose chunk it is part of */
	uint32_t batch;
	char label[96];
} plait__device_graph;

/* What decides a region. */
typedef struct plait__queue_predicate {
	plait__queue_instance *state;
	uint32_t region;
	uint32_t word;		/* what it said */
} plait__queue_predicate;

/* Something that the driver waits for. */
typedef struct plait__queue_listener {
	plait__progress_note note;
	uint32_t mark;
	uint32_t lane;		/* whose emission it is */
	uint32_t link;		/* a region, an item or a port */
	bool polled;		/* no upcall comes */
	uint64_t completed_ns;	/* when it came; where runs are recorded */
} plait__queue_listener;

/* When a command began and ended, in a run that is recorded. */
typedef struct plait__command_times {
	uint64_t start_ns;	/* submitted, or begun */
	uint64_t end_ns;	/* told; 0: it is not done */
	uint64_t successor_start_ns;	/* when something behind it began */
	uint64_t predecessors_end_ns;	/* when all before it had ended */
	/* Of a function of the host, written where it is called; or 0. */
	uint64_t call_start_ns, call_end_ns;
	uint64_t thread;
} plait__command_times;

/* What a lane has that needs somebody else.  One thing at a time, as it does
 * nothing meanwhile. */
typedef struct plait__queue_external {
	plait__external external;
	plait__queue_instance *state;
	uint32_t listener;
	uint32_t stage;		/* that is begun; or none: */
	uint32_t region;	/* whose predicate is asked */
} plait__queue_external;

typedef struct plait__lane_queue {
	plait_backend_queue *raw;
	plait_backend_signal *signal;
	uint64_t emitted;	/* the newest sequence */
	bool unflushed;
	bool accepted;	/* something, in this run */
	bool refused;	/* its port has taken nothing: it has no end */
	bool lost;		/* its device is: for good */
	plait__retry_state retries[PLAIT__RETRY_KINDS];
} plait__lane_queue;

/* A body that runs. */
typedef struct plait__running_body {
	uint32_t stages_left;		/* items that are not over */
	uint32_t ready_first;	/* of those ready, in `ready` */
	uint32_t ready_last;
} plait__running_body;

struct plait__queue_instance {
	plait__pollable pollable;
	plait__instance *instance;
	const plait__queue_program *compiled;
	plait__lane_queue *queues;
	uint64_t *marks;	/* the sequence of each */
	plait_work *work;
	plait_submission *submissions;
	plait_backend_point *waits;
	plait_backend_point *emits; /* one per stretch */
	plait__host_callback *callbacks; /* per command */
	void **arguments;	/* of all calls */
	plait__queue_pointer *pointers;
	plait__queue_launch *launches; /* per command */
	plait__launch_variant *variants; /* of all launches */
	plait__device_graph *graphs; /* per segment */
	plait__variant_argument *variant_arguments; /* of all variants, and one more */
	plait_launch_argument *backend_arguments; /* as backends are given it */
	plait_backend_memory **arenas; /* scratch, per device; or null */
	plait__queue_predicate *predicates; /* per region */
	plait__queue_listener *listeners;
	plait__command_times *times; /* per command; or null */
	plait__queue_external *externals;
	uint64_t *newest;	/* emissions when the run began, by signal */
	struct plait__mutex lock; /* what outsides have */
	plait__running_body *running; /* per body */
	uint32_t *current_body;	/* per region: the body that runs, or none */
	uint32_t *pending;	/* per item: what it still comes behind */
	uint32_t *ready;	/* per body a list as long as its items */
	uint32_t argument_count, pointer_count, variant_count, variant_argument_count;
	uint32_t most_arguments;
	uint32_t borrower;	/* the first command that borrows, or none */
	uint64_t version;	/* whose kernels are bound */
	uint32_t polled_count;	/* cells that no upcall comes for */
	uint32_t drains_left;	/* ports that are not through */
	uint32_t final_next;	/* how many ends of lanes were submitted */
	uint32_t phase;
	bool retrying;		/* in this turn something was refused */
	plait_error loss;	/* of a device, if any is lost */
	/* Where devices decide regions. */
	plait__queue_listener stop_listener; /* a note: the run was stopped */
	at_u32 stop_posted;		/* it was noted */
	bool loops_stopped;		/* segments were told */
	at_ptr host_decided;		/* plait__queue_instance that carries out what
				 * this one cannot, or null */
	bool uses_host_decided;		/* it does in this run */
	plait__pollable *note_target;	/* own, or of whose decider it is */
};

/* queue_instance.c */
plait_status plait__queue_instance_make(plait__queue_instance *state,
					plait_error *error);
void plait__queue_instance_free(plait__queue_instance *state);

/*
 * translate_work.c: how a command becomes work of a backend.  Called once per
 * instance, for `what` of plait__queue_program.work; `out` is zeroed.  _told: once
 * more, for a copy or a fill of what this run has brought. */
void plait__translate_work(plait__queue_instance *state, uint32_t what,
			   plait_work *out);
plait_status plait__translate_work_bound(plait__queue_instance *state,
					 uint32_t command, plait_error *error);
/* Does it do anything on its queue? */
bool plait__translate_has_work(const plait__plan *plan, uint32_t command);
/* Why the device of its lane cannot do it ("needs ...", no subject), or null;
 * and who decides a region. */
const char *plait__translate_lacks(const plait__queue_program *compiled, uint32_t command);

/* resolve_arguments.c */

/* What a launch launches in this run. */
plait__kernel *plait__resolve_kernel(const plait__queue_instance *state,
				     const plait__plan_payload *payload);
/* How many arguments it is called with, and how many pieces of memory. */
void plait__resolve_counts(const plait__queue_program *compiled, uint32_t command,
			   uint32_t *out_arguments, uint32_t *out_pointers);
/* Which memory an argument means now; null: none that is a buffer. */
plait__buffer *plait__resolve_buffer(const plait__queue_instance *state,
				     const plait__plan_arg *arg,
				     uint64_t *out_offset);
/* A copy, a fill or a region's word in memory of another backend than its
 * lane's, so the host has to do it. */
bool plait__resolve_is_foreign(const plait__queue_program *compiled, uint32_t command);
/* Memory for a function of the host; null for no bytes. */
plait_status plait__resolve_map(plait__queue_pointer *pointer,
				plait__buffer *buffer, uint64_t offset,
				uint64_t bytes, uint32_t flags,
				plait_error *error);
plait_status plait__resolve_unmap(plait__queue_pointer *pointer,
				  plait_error *error);

/* host_callbacks.c: `perform` of calls, and what backends call. */
plait_status plait__host_callback_kernel(plait__host_callback *call,
					 plait_error *why);
plait_status plait__host_callback_function(plait__host_callback *call,
					   plait_error *why);
plait_status plait__host_callback_copy(plait__host_callback *call,
				       plait_error *why);
int32_t plait__host_callback_run(void *user_data);
int32_t plait__host_callback_ask_predicate(void *user_data);
int32_t plait__host_callback_read_predicate(void *user_data);

/* launch_variants.c */

/* How many launches a command keeps; 0: its device takes no code. */
uint32_t plait__launch_variants_count(const plait__queue_program *compiled,
				      uint32_t command);
/* May what its launch is given change? */
bool plait__launch_variants_may_change(const plait__queue_program *compiled, uint32_t command);
/* Bind what does not depend on a run; errors name the node. */
plait_status plait__launch_variants_make(plait__queue_instance *state,
					 plait_error *error);
void plait__launch_variants_free(plait__queue_instance *state);
/* Before a run: kernels were exchanged. */
void plait__launch_variants_renew(plait__queue_instance *state);
/* After it: buffers that were its parameters are not kept. */
void plait__launch_variants_release(plait__queue_instance *state);
/* Bind the launches of a batch to what they are given in this iteration of
 * this run; on failure the run has failed. */
void plait__launch_variants_bind(plait__queue_instance *state, uint32_t batch);
void plait__launch_variants_bind_submission(plait__queue_instance *state,
					    const plait__queue_submission *submission);

/* scratch_arenas.c: of a device of the plan; once is enough. */
plait_status plait__scratch_arenas_make(plait__queue_instance *state,
					uint32_t number, plait_error *error);
void plait__scratch_arenas_free(plait__queue_instance *state);

/* device_graphs.c */

/* Behind the launches; where one of them could not be bound yet it comes
 * later. */
plait_status plait__device_graphs_make(plait__queue_instance *state,
				       plait_error *error);
void plait__device_graphs_free(plait__queue_instance *state);
/* The stretches were filled anew. */
void plait__device_graphs_select(plait__queue_instance *state);
/* Its launch is another one, or none. */
void plait__device_graphs_launch_changed(plait__queue_instance *state, uint32_t command);
/* Before a batch is submitted, behind plait__launch_variants_bind. */
plait_status plait__device_graphs_update(plait__queue_instance *state, uint32_t batch,
					 plait_error *error);
/* When a run begins: are all that decide regions there?  It may have failed
 * on the way. */
plait_status plait__device_graphs_prepare(plait__queue_instance *state,
					  bool *out_whole, plait_error *error);
/* What is known of it before any run: not all regions can be. */
bool plait__device_graphs_lacks_any(const plait__queue_instance *state);
/* Their loops end, or run again. */
void plait__device_graphs_stop(plait__queue_instance *state, bool stop);

/* submit_batch.c: what calls slots of queues and signals.  Only the driver
 * does. */

/* Submit a batch; on failure nothing of it was. */
plait_status plait__submit_batch(plait__queue_instance *state, uint32_t batch,
				 plait_error *error);
/* What a stretch waits for, as it is in this run. */
void plait__submit_number_waits(plait__queue_instance *state,
				const plait__queue_submission *submission);
/* The same of what is made up now; its last part emits `mark`, or nothing: then
 * it is none.  `emit` becomes its point. */
plait_status plait__submit_parts(plait__queue_instance *state,
				 uint32_t lane,
				 const plait_submission *parts,
				 uint32_t count, uint32_t mark,
				 plait_backend_point *emit,
				 plait_error *error);
/* Start what was submitted. */
void plait__submit_flush(plait__queue_instance *state);
/* Be told when the mark of a listener has come. */
void plait__submit_subscribe(plait__queue_instance *state, uint32_t listener);
/* Ask; true when it has come, and how. */
bool plait__submit_poll(plait__queue_instance *state, uint32_t listener,
			plait_status *out);
/* Why it failed, as its backend says. */
void plait__submit_explain(plait__queue_instance *state, uint32_t listener,
			   plait_status status, plait_error *out);
/* Nothing is pending: what failed is made good again. */
void plait__submit_recover(plait__queue_instance *state);
/* queue_instance.c: queues that cannot be mended are made anew. */
plait_status plait__queue_instance_remake(plait__queue_instance *state, uint32_t lane,
					  plait_error *error);

/* record_times.c, where the run is recorded */

/* A body begins; and is over. */
void plait__record_times_begin_body(plait__queue_instance *state, uint32_t body);
void plait__record_times_put_body(plait__queue_instance *state, uint32_t body);
/* After it was submitted: its commands will tell. */
void plait__record_times_subscribe(plait__queue_instance *state, uint32_t batch);
/* One has; in which body. */
uint32_t plait__record_times_completed(plait__queue_instance *state, uint32_t listener,
				       plait_status status);
/* Where it was called. */
void plait__record_times_callback(plait__host_callback *call, uint64_t start_ns);
/* A command that needs somebody else, or a region's question. */
void plait__record_times_begin_external(plait__queue_instance *state, uint32_t command);
void plait__record_times_end_external(plait__queue_instance *state, uint32_t command);
void plait__record_times_decision(plait__queue_instance *state, uint32_t region,
				  uint32_t body, bool again);
/* Nothing of the run happens any more. */
void plait__record_times_end(plait__queue_instance *state);

/* queue_engine.c: the state that decides all regions itself, made now if need be. */
plait_status plait__queue_engine_host_decided(plait__queue_instance *state,
					      plait__queue_instance **out,
					      plait_error *error);

/* segment_fallback.c: a segment that decides regions, and is one no more.  False: it
 * goes on when a region of it is told of; true: it is through, or stopped. */
bool plait__segment_fallback_begin(plait__queue_instance *state, uint32_t segment);
bool plait__segment_fallback_run(plait__queue_instance *state, uint32_t segment);
bool plait__segment_fallback_resume(plait__queue_instance *state, uint32_t segment,
				    uint32_t region);
/* The one that a batch is, or none. */
uint32_t plait__segment_fallback_find(const plait__queue_instance *state,
				      uint32_t batch);

/* drain_queues.c: what lanes are given last, as far as they take it now. */
void plait__drain_queues(plait__queue_instance *state);

/* stop_device_loops.c: the run was stopped; from any thread, in upcalls too. */
void plait__device_loops_cancel(plait__queue_instance *state);
/* For who drives it: the note of that; and tell loops to end, if need be. */
void plait__device_loops_ack_stop(plait__queue_instance *state);
void plait__stop_device_loops(plait__queue_instance *state);
/* It is made, and nothing of it has begun. */
void plait__device_loops_set_host_decided(plait__queue_instance *state,
					  plait__queue_instance *decider);

/* run_driver.c */

/* What its word has come to: a body, or none; `again`: one was done. */
uint32_t plait__run_driver_decide(plait__queue_instance *state, uint32_t region,
				  bool again);
void plait__run_driver_begin(plait__queue_instance *state);
uint32_t plait__run_driver_advance(plait__pollable *pollable);

#endif
