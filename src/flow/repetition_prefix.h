/* SPDX-License-Identifier: MIT */
/*
 * Prefix of a repetition that a flow with devices has found: its first tasks.  Commands
 * of devices cannot be left out of a plan, so a run that has fewer tasks than the
 * repetition has a plan of its own: the graph is frozen again, up to these tasks, when
 * the run begins.  What the run leaves is what these tasks change, in their order.
 */
#ifndef PLAIT_SRC_FLOW_REPETITION_PREFIX_H
#define PLAIT_SRC_FLOW_REPETITION_PREFIX_H

#include "flow/repetitions.h"

/* Keep the graph of a stretch's capture, which is over, and what its tasks change: the
 * repetition owns them.  PLAIT_E_NOMEM. */
plait_status plait__repetition_prefix_take(plait__repetition *again,
					   plait__flow_capture *capture,
					   plait_error *error);
/* Null is fine.  Caller holds no lock. */
void plait__repetition_prefix_free(plait__repetition_prefix *prefix);

/* Held run `number` is to be published with all of its tasks, or those up to
 * late->limit: the memories have what they leave.  Without memory the limit becomes 0,
 * and the run fails.  Caller holds the lock. */
void plait__repetition_prefix_leave(plait__late *late, uint64_t number,
				    bool is_whole);

/* The run begins: let it have the plan of its tasks.  The runs of a repetition come one
 * after another.  PLAIT_E_NOMEM; as plait_graph_freeze. */
plait_status plait__repetition_prefix_begin(plait__late *late,
					    plait_error *error);

/* The repetition is not run any more, and its blocks may be evicted.  One that the
 * program names stays.  What was submitted of it runs, and evictions wait for that.  Caller
 * holds the lock. */
void plait__repetition_prefix_end(plait__repetition *again);
bool plait__repetition_prefix_is_over(const plait__repetition *again);

/* The run has failed: a device may be lost, which later tasks avoid, so the repetition
 * is over.  Caller does not hold the lock. */
void plait__repetition_prefix_note_failure(const plait__late *late);

/* Memory of a device is needed: all that the flow has found are over, and it finds no
 * more. */
void plait__repetition_prefix_give_way(plait__flow *flow);

/* Release plans that are over and whose runs are done: they hold buffers.  Caller does
 * not hold the lock. */
void plait__repetition_prefix_release(plait__flow *flow);

#endif
