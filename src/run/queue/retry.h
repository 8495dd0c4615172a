/* SPDX-License-Identifier: MIT */
/*
 * What a lane asks of its backend may be refused for a moment, and is asked
 * again; but not for ever.  Who asks tells what was said.
 */
#ifndef PLAIT_SRC_RUN_QUEUE_RETRY_H
#define PLAIT_SRC_RUN_QUEUE_RETRY_H

#include "plait/base.h"

#include <stdbool.h>

typedef struct plait__queue_instance plait__queue_instance;
typedef struct plait__blocked_on plait__blocked_on;

enum {
	PLAIT__RETRY_END = 0,
	PLAIT__RETRY_FLUSH = 1,
	PLAIT__RETRY_POINT = 2,
	PLAIT__RETRY_KINDS = 3
};

/* It was refused, one time after the other. */
typedef struct plait__retry_state {
	uint32_t tries;
	uint64_t since_ns;	/* the first one */
} plait__retry_state;

void plait__retry_reset(plait__queue_instance *state, uint32_t lane,
			uint32_t what);
/* False: that was once too often, so that the run is given up where the lane's
 * backend has taken something of it. */
bool plait__retry_refused(plait__queue_instance *state, uint32_t lane,
			  uint32_t what, const plait_error *why);

/* Has any lane of the backend of this one taken something in this run? */
bool plait__retry_has_accepted(const plait__queue_instance *state, uint32_t lane);

/* blocked_queue.c: what it waits for. */
void plait__blocked_queue_describe(plait__queue_instance *state, plait__blocked_on *out);

/* The last command of a lane that its queue is given, or none. */
uint32_t plait__retry_last_command(const plait__queue_instance *state, uint32_t lane);

#endif
