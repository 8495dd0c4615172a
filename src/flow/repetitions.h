/* SPDX-License-Identifier: MIT */
/* Repetitions that a flow repeats: a list under its lock. */
#ifndef PLAIT_SRC_FLOW_REPETITIONS_H
#define PLAIT_SRC_FLOW_REPETITIONS_H

#include "flow/flow.h"
#include "flow/memory/coherence.h"
#include "flow/run_times.h"

#include "base/vector.h"

enum { PLAIT__REPETITION_LABEL = 32 };

/* Values that a run needs in a memory when it begins. */
typedef struct plait__repetition_need {
	plait__data *whole;
	plait_box box;
	uint32_t memory;
} plait__repetition_need;

/* Values that a run leaves, in the memories of the version. */
typedef struct plait__repetition_result {
	plait__data *whole;
	plait__version version;
	uint32_t count; /* of results of the data; 0: not the first of them */
} plait__repetition_result;

typedef struct plait__repetition_prefix plait__repetition_prefix;

/* A repetition lives as long as the flow; its holds of data end with the flow's
 * last release.  Once it is in the list only its runs change it, one after
 * another. */
struct plait__repetition {
	plait__repetition *next;
	uint64_t key;
	plait_plan *plan;	 /* one reference */
	plait_plan *alone;	 /* null, or the same in one lane, for calls */
	plait__flow_series newest; /* run of `plan` */
	plait__vector accesses;	 /* plait__flow_access, each whole held */
	plait__vector bindings;	 /* plait_binding */
	plait_run_desc run;
	plait_task_desc desc;	 /* of its runs */
	plait__run_times times;
	/* awaited_run.h: runs in a row.  Under the lock. */
	uint32_t awaited;
	/* Runs in a row without another op on their data; after how many of them
	 * borders are removed, first and next.  `counted`: the run before the one that
	 * was counted last.  Under the lock. */
	uint64_t undisturbed;
	uint64_t joins_after;
	uint64_t next_join;
	uint64_t counted;
	/* Of a stretch: tasks of the run that has begun, from the first one on;
	 * UINT32_MAX: all. */
	uint32_t limit;
	/* With devices: needs by memory, results by data.  Memories that it accesses;
	 * of these, those with launches of host code, which map buffers and may write
	 * all of them back: no other op is there meanwhile.  Bits. */
	plait__vector needs;   /* plait__repetition_need */
	plait__vector results; /* plait__repetition_result */
	uint64_t memories;
	uint64_t mapped;
	plait__vector pins; /* plait__repetition_need: blocks that stay; no boxes */
	/* Of a stretch in a flow with devices, else null; see repetition_prefix.h. */
	plait__repetition_prefix *prefix;
	char label[PLAIT__REPETITION_LABEL];
};

/* Null without memory; free it, or add it. */
plait__repetition *plait__repetitions_make(plait__flow *flow, uint64_t key);
void plait__repetitions_free(plait__repetition *repetition);

/* Caller holds the lock.  Null: an unknown key. */
plait__repetition *plait__repetitions_find(const plait__flow *flow,
					    uint64_t key);
void plait__repetitions_add(plait__flow *flow, plait__repetition *repetition);

/* A run is about to be committed, perhaps not for the first time: remove borders in its
 * data that no task has needed for long, so that it looks at fewer fronts.  Caller holds
 * the lock. */
void plait__repetitions_count_run(plait__flow *flow,
				  plait__repetition *repetition);

/* The flow is about to be closed.  A run that fails then, by a worker, looks at no pins
 * of data that are dropped.  Caller holds the lock. */
void plait__repetitions_forget_pins(plait__flow *flow);
/* The flow is closed, and has forgotten the pins: drop the data, which hold the flow.
 * No lock. */
void plait__repetitions_close(plait__flow *flow);

void plait__repetitions_free_all(plait__flow *flow);

#endif
