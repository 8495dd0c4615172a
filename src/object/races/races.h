/* SPDX-License-Identifier: MIT */
/*
 * Race check: finds works of queues, runs and calls of plans that access the
 * same bytes, without a happens-before order that the program makes.  One per
 * context, made when that is opened if the user asks for it; a context without
 * one pays a load and a branch.
 *
 * All hooks see the program's own calls, in the order in which they are made,
 * so a report does not depend on timing.  Queues and signals have a state each,
 * made at its first use; `place` is where the object keeps it.  Any thread; the
 * lock is a leaf but for allocation.
 *
 * Order comes from: a queue; an emission and a wait for it; a submission after
 * the host has waited.  A host function may order whatever it likes, so what
 * stands behind one is never reported against what it might follow.
 */
#ifndef PLAIT_SRC_OBJECT_RACES_RACES_H
#define PLAIT_SRC_OBJECT_RACES_RACES_H

#include "object/races/race_memory.h"

#include "base/log.h"

typedef struct plait__races plait__races;
typedef struct plait__race_queue plait__race_queue;
typedef struct plait__race_signal plait__race_signal;

typedef enum plait__race_gate {
	PLAIT__RACE_NO_GATE,
	PLAIT__RACE_GATE_RAISED,
	PLAIT__RACE_GATE_BELOW	/* not raised that far yet */
} plait__race_gate;

plait__races *plait__races_create(const plait_allocator *allocator,
				  const plait__log *log);
void plait__races_destroy(plait__races *races);

/* The object is destroyed. */
void plait__races_end_queue(plait__races *races, plait__race_queue **place);
void plait__races_end_signal(plait__races *races, plait__race_signal **place);
/* The memory is freed: its addresses will mean something else. */
void plait__races_forget(plait__races *races,
			 const plait__race_access *range);
/* Something happens that the check cannot follow: it ends. */
void plait__races_give_up(plait__races *races);

/* ---- queues ---- */

/* The serial of the next access, for undo. */
uint64_t plait__races_mark(plait__races *races);
void plait__races_access(plait__races *races, plait__race_queue **place,
			 const plait__object *queue,
			 const plait__race_access *access,
			 const plait__race_work *work);
/* The submission failed: forget its accesses from the mark on. */
void plait__races_undo(plait__races *races, plait__race_queue **place,
		       uint64_t mark);
/* An emission; a null `place`: by a queue inside a run. */
void plait__races_emit(plait__races *races, plait__race_queue **place,
		       plait__race_signal **signal,
		       uint64_t sequence);
/* A wait for a point, which was submitted unless it is of a gate. */
void plait__races_wait(plait__races *races, plait__race_queue **place,
		       plait__race_signal **signal,
		       uint64_t sequence, plait__race_gate gate);
/* A host function. */
void plait__races_call(plait__races *races, plait__race_queue **place);

/* ---- the host ---- */

/* The host has seen the point; or will be told later, at a time that the check
 * does not see. */
void plait__races_host_saw(plait__races *races, plait__race_signal **signal,
			   uint64_t sequence, bool is_told_later);
/* The host may have seen the end of anything. */
void plait__races_host_saw_any(plait__races *races);
/* Copy the queue's vector clock before a wait for all that it has; then the
 * host has seen that, or may have seen (`is_sure` false). */
void plait__races_read_queue(plait__races *races, plait__race_queue **place,
			     plait__race_clock *out);
void plait__races_host_saw_clock(plait__races *races,
				 const plait__race_clock *clock, bool is_sure);
/* The gate was raised. */
void plait__races_raise(plait__races *races, plait__race_signal **signal,
			uint64_t sequence);

/* ---- runs ---- */

typedef struct plait__race_run {
	const void *program;
	bool overlaps;		/* takes no turn */
	bool calls;		/* host functions, or waits for signals */
	/* Null, or the end of the run before, which this run follows, as its
	 * program has one instance; then the end of this run. */
	plait__race_clock *last;
	plait__race_clock *known; /* null, or receives the end of this run */
} plait__race_run;

/* Begin a run: in a queue, or, with a null `place`, of a call on this thread.
 * Then come its accesses, and its end.  Returns false if the check has ended,
 * or without room; then nothing else is to be called. */
bool plait__races_begin_run(plait__races *races, plait__race_queue **place,
			    const plait__object *queue, plait__race_run *run,
			    plait__race_event **out);
void plait__races_run_access(plait__races *races, plait__race_event *event,
			     const plait__race_access *access,
			     const plait__race_work *work);
/* All accesses were given.  The call of a plan goes on. */
void plait__races_commit_run(plait__races *races, plait__race_event *event);
/* The call is over: the host has seen it. */
void plait__races_end_call(plait__races *races, plait__race_event *event);
/* The run of a queue was refused. */
void plait__races_undo_run(plait__races *races, plait__race_event *event,
			   uint64_t mark);
/* The call was refused. */
void plait__races_undo_call(plait__races *races, plait__race_event *event,
			    uint64_t mark);

/* Log what was found.  Caller holds no lock. */
void plait__races_report(plait__races *races);

#endif
