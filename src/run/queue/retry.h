/* SPDX-License-Identifier: MIT */
/* Bounded retry of backend calls that a backend refused. */
#ifndef PLAIT_SRC_RUN_QUEUE_RETRY_H
#define PLAIT_SRC_RUN_QUEUE_RETRY_H

#include "plait/base.h"

#include <stdbool.h>

typedef struct plait__run_driver plait__run_driver;

/* Calls that are retried, per lane. */
enum {
	PLAIT__RETRY_END = 0,
	PLAIT__RETRY_FLUSH = 1,
	PLAIT__RETRY_POINT = 2,
	PLAIT__RETRY_KINDS = 3
};

/* A call was accepted. */
void plait__retry_reset(plait__run_driver *driver, uint32_t lane,
			uint32_t request);
/* A call was refused.  Returns false if the retries are exhausted; the run is
 * then abandoned if the backend has accepted work of it. */
bool plait__retry_refused(plait__run_driver *driver, uint32_t lane,
			  uint32_t request, const plait_error *why);

/* Returns true if a lane of this lane's backend has accepted work in this
 * run. */
bool plait__retry_has_accepted(const plait__run_driver *driver, uint32_t lane);

/* The last command with work that the queue of a lane has, or none. */
uint32_t plait__retry_last_command(const plait__run_driver *driver,
				   uint32_t lane);

#endif
