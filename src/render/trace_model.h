/* SPDX-License-Identifier: MIT */
/*
 * What a run of a plan did, as spans of time: for pictures and for files that
 * others read.  Uses the types of plan.h only; whoever ran the plan fills the
 * spans in.
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
	uint32_t lane;		/* who did it */
	uint32_t command;
	/* WAIT: the command waited for, or none.  DECISION: 0 to leave, n for
	 * body n - 1. */
	uint32_t other;
	/* Of _finish: the span that it had to come after, or none; whether it
	 * is on the path that made the run as long as it was. */
	uint32_t cause;
	uint32_t critical;
	uint32_t elided;	/* of _gaps: in a round that need not be seen */
} plait__trace_span;

typedef struct plait__trace {
	const plait__plan *plan;
	const plait_allocator *allocator;
	plait__trace_span *spans; /* by lane, then time; then regions */
	uint64_t count;
	uint64_t capacity;
	uint64_t dropped;	/* what was not kept, for information */
	uint64_t makespan;	/* ns */
	uint64_t begin_ns;	/* what 0 is on the monotonic clock */
	uint32_t span_count;	/* without regions */
	uint32_t lane_count;	/* rows: all lanes, or 1 if one had it all */
	uint32_t folded;	/* the first so many had it all, or 0 */
	/* Of _finish: by command, the span of it that was last looked at. */
	uint32_t *last;
	/* By lane: where its spans begin, with one behind the last. */
	uint32_t *lane_first;
	uint32_t *order;	/* spans by their start */
} plait__trace;

/* Room for `count` spans; fill them, then finish.  False: no memory; there is
 * something to give back all the same. */
bool plait__trace_init(plait__trace *trace, const plait__plan *plan,
		       uint32_t count, const plait_allocator *allocator);
bool plait__trace_finish(plait__trace *trace);
void plait__trace_fini(plait__trace *trace);

/* What has to be done before a command starts: the next such command from
 * *at on, or PLAIT__NONE.  Begin with *at = 0. */
uint32_t plait__trace_before(const plait__plan *plan, uint32_t command,
			     uint32_t *at);

/* For each wait of the plan that the trace shows, in the order of time. */
typedef void plait__trace_arrow(void *arg, uint32_t from, uint32_t to);
void plait__trace_arrows(plait__trace *trace, plait__trace_arrow *draw,
			 void *arg);

/* How many regions a command is in. */
uint32_t plait__trace_depth(const plait__plan *plan, uint32_t command);

/* Find what a picture leaves out; and is a span there all the same? */
void plait__trace_elision(plait__trace *trace, plait__elision *elision);
bool plait__trace_shows(const plait__trace *trace, const plait__elision *elision,
			uint64_t number);

/* Append the events for chrome://tracing and Perfetto. */
void plait__trace_json(plait__trace *trace, plait__text *out);

/* Append a picture: what was, and beside it what was planned. */
void plait__trace_svg(plait__trace *trace, const plait__timeline *planned,
		      plait__text *out);

#endif
