/* SPDX-License-Identifier: MIT */
/*
 * What a lane asks of its backend may be refused for a moment, and is asked
 * again; but not for ever.  Who asks tells what was said.
 */
#ifndef PLAIT_SRC_RUN_QUEUE_RETRY_H
#define PLAIT_SRC_RUN_QUEUE_RETRY_H

#include "plait/base.h"

#include <stdbool.h>

typedef struct plait__queued_state plait__queued_state;
typedef struct plait__obstacle plait__obstacle;

enum {
	PLAIT__ASKS_END = 0,
	PLAIT__ASKS_FLUSH = 1,
	PLAIT__ASKS_POINT = 2,
	PLAIT__ASKS = 3
};

/* It was refused, one time after the other. */
typedef struct plait__queued_refusal {
	uint32_t tries;
	uint64_t since_ns;	/* the first one */
} plait__queued_refusal;

void plait__queued_granted(plait__queued_state *state, uint32_t lane,
			   uint32_t what);
/* False: that was once too often, so that the run is given up where the lane's
 * backend has taken something of it. */
bool plait__queued_refused(plait__queued_state *state, uint32_t lane,
			   uint32_t what, const plait_error *why);

/* Has any lane of the backend of this one taken something in this run? */
bool plait__queued_has_taken(const plait__queued_state *state, uint32_t lane);

/* blocked_queue.c: what it waits for. */
void plait__queued_find(plait__queued_state *state, plait__obstacle *out);

/* The last command of a lane that its queue is given, or none. */
uint32_t plait__queued_last(const plait__queued_state *state, uint32_t lane);

#endif
