/* SPDX-License-Identifier: MIT */
/*
 * Trace of a run as spans of time, for pictures and trace files.  Reads the
 * types of plan.h only; the engine fills the spans.
 */
#ifndef PLAIT_SRC_RENDER_TRACE_MODEL_H
#define PLAIT_SRC_RENDER_TRACE_MODEL_H

#include "base/text.h"
#include "render/elision.h"
#include "plan/simulate/simulate.h"

#include <stdbool.h>

enum {
	PLAIT__SPAN_COMMAND = 0,
	PLAIT__SPAN_WAIT = 1,
	PLAIT__SPAN_DECISION = 2,
	/* From a region's first decision to its last; made by _finish. */
	PLAIT__SPAN_REGION = 3
};

typedef struct plait__trace_span {
	uint64_t start;		/* ns since the run began */
	uint64_t end;
	uint64_t iteration;
	uint64_t thread;
	uint32_t kind;		/* PLAIT__SPAN_... */
	uint32_t lane;		/* the lane that did it */
	uint32_t command;
	/* WAIT: the command waited for, or none.  DECISION: 0 to leave, n for
	 * body n - 1. */
	uint32_t other;
	/* Set by _finish: the span that delayed it, or none; whether it is on
	 * the critical path of the run. */
	uint32_t cause;
	uint32_t critical;
	uint32_t elided;	/* set by plait__trace_elision: in an omitted
				 * iteration */
} plait__trace_span;

typedef struct plait__trace {
	const plait__plan *plan;
	const plait_allocator *allocator;
	plait__trace_span *spans; /* by lane, then time; then regions */
	uint64_t count;
	uint64_t capacity;
	/* Set by the caller between _init and _finish, as all up to `folded`
	 * but span_count. */
	uint64_t dropped;	/* spans that were not recorded, for
				 * information */
	uint64_t makespan;	/* ns */
	uint64_t begin_ns;	/* monotonic time of 0 */
	uint32_t span_count;	/* without region spans */
	uint32_t lane_count;	/* rows: all lanes, or 1 if one thread ran all
				 * commands */
	uint32_t folded;	/* the number of lanes that ran all commands, or
				 * 0 */
	/* Used by _finish and _arrows, by command: its last span examined. */
	uint32_t *last;
	/* By row: index of its first span; then a sentinel.  A plan without
	 * lanes may have one row, so there is room for one more. */
	uint32_t *lane_first;
	uint32_t *order;	/* numbers of spans by start time; set by
				 * _finish */
} plait__trace;

/* Allocate room for `count` spans; fill them, by lane, then time, and finish.
 * Init and finish return false if memory ran out; call _fini in any case. */
bool plait__trace_init(plait__trace *trace, const plait__plan *plan,
		       uint32_t count, const plait_allocator *allocator);
bool plait__trace_finish(plait__trace *trace);
void plait__trace_fini(plait__trace *trace);

/* Iterate the commands for which a command waits: those of its waits, or in mode
 * `helped` its reduced edges.  Returns the next one from *at on, or PLAIT__NONE.
 * Begin with *at = 0. */
uint32_t plait__trace_before(const plait__plan *plan, uint32_t command,
			     uint32_t *at);

/* Call `draw` for each wait of the plan that the trace shows, in order of
 * time; `from` and `to` are spans of two lanes.  After _finish. */
typedef void plait__trace_arrow(void *arg, uint32_t from, uint32_t to);
void plait__trace_arrows(plait__trace *trace, plait__trace_arrow *draw,
			 void *arg);

/* Returns the number of regions around a command. */
uint32_t plait__trace_depth(const plait__plan *plan, uint32_t command);

/* Find the iterations to omit, set `elided` of their spans, and compute the gaps;
 * test whether span `number` is shown. */
void plait__trace_elision(plait__trace *trace, plait__elision *elision);
bool plait__trace_shows(const plait__trace *trace,
			const plait__elision *elision, uint64_t number);

/* Append trace events (JSON) for chrome://tracing and Perfetto. */
void plait__trace_json(plait__trace *trace, plait__text *out);

/* Append a picture: the run, and below it the plan. */
void plait__trace_svg(plait__trace *trace, const plait__timeline *planned,
		      plait__text *out);

#endif
