/* SPDX-License-Identifier: MIT */
/*
 * Execution of one tile of a schedule with FIFOs of a given depth.
 *
 * Each lane is sequential, each FIFO has one writer and one reader, and a wait
 * never becomes untrue: the lanes are a marked graph, in which no step that can
 * execute loses that by another one.  Executions are therefore confluent: if
 * one ends, each one ends, whatever the timing.  FIFOs are empty after a tile,
 * so that any number of tiles ends, too.  An execution that does not end has a
 * circle of steps of which each needs the next.
 */
#ifndef PLAIT_SRC_COLL_PROVE_FIFO_RUN_H
#define PLAIT_SRC_COLL_PROVE_FIFO_RUN_H

#include "coll/prove/proof_state.h"

typedef struct plait__fifo_rule {
	uint32_t depth;	/* slots per connection */
	/* A step of more chunks is executed in parts of this many; each part is a
	 * message. */
	uint32_t part_chunks;
	/* A step that receives and sends needs the message and a free slot at
	 * once; else it takes the message before it needs the slot. */
	bool fused_at_once;
} plait__fifo_rule;

/*
 * Execute.  *out_ended is false after a deadlock, whose circle is written to
 * `circle` if that is not null (PLAIT_ERROR_TEXT_BYTES).  If `order` is not null
 * the steps are stored there in the order in which they ended.
 */
plait_status plait__fifo_run(plait__proof_state *state,
			     const plait__fifo_rule *rule, uint32_t *order,
			     char *circle, bool *out_ended);

#endif
