/* SPDX-License-Identifier: MIT */
/*
 * Memo of what the tasks of a launch do to owner maps: the state of the maps before
 * them, and behind them.  Maps that have the same state again, but for the numbers of
 * writers, get the state behind the tasks without planning them.  Numbers count
 * only by which of them are equal.
 *
 * States are compared in their order, so each launch leaves its maps settled.  Both
 * take time with the square of the versions, so neither is done to a map with many:
 * its launches are planned each time, on all ranks.  Pure.
 */
#ifndef PLAIT_SRC_FLOW_RANK_OWNER_MEMO_H
#define PLAIT_SRC_FLOW_RANK_OWNER_MEMO_H

#include "flow/memory/coherence.h"

/* Most versions of a map that is settled and kept, and of all maps of a memo. */
enum { PLAIT__OWNER_MEMO_MOST = 256, PLAIT__OWNER_MEMO_ALL = 512 };

typedef struct plait__owner_memo {
	bool is_whole;
	plait__vector maps;   /* plait__owner_map */
	plait__vector before; /* plait__version, of all maps */
	plait__vector after;  /* the same */
	plait__vector equals; /* uint32_t: per version before, the first one with its
			       * writer */
	plait__vector firsts; /* uint32_t: these */
	plait__vector writers; /* uint32_t: per version behind, a version before with its
				* writer, or NEW + index of the task */
	plait__vector now; /* uint32_t: room for the writers of `before` now */
} plait__owner_memo;

void plait__owner_memo_init(plait__owner_memo *memo,
			    const plait_allocator *allocator);
void plait__owner_memo_fini(plait__owner_memo *memo);

/* Forget what is kept, and begin with no map. */
void plait__owner_memo_restart(plait__owner_memo *memo);

/* Add a map of the launch, once, before its tasks.  Returns false without memory, and
 * for too many versions. */
bool plait__owner_memo_add(plait__owner_memo *memo, plait__coherence *owners);

/* The tasks `base` + 1 to `base` + `count` have run, and the maps are settled: keep
 * their state.  Returns false as plait__owner_memo_add: the memo is not whole then. */
bool plait__owner_memo_end(plait__owner_memo *memo, uint32_t base,
			   uint32_t count);

/* Returns true if the maps had the state before the tasks, and have got that behind
 * tasks from `base` + 1 on; else nothing has changed. */
bool plait__owner_memo_replay(plait__owner_memo *memo, uint32_t base);

/* Bring a map into the order in which states are compared, unless it has too many
 * versions. */
void plait__owner_memo_settle(plait__coherence *owners);

#endif
