/* SPDX-License-Identifier: MIT */
/* Compiler pass: lanes of a plan to backend queues. */
#ifndef PLAIT_SRC_RUN_QUEUE_COMPILE_LANES_H
#define PLAIT_SRC_RUN_QUEUE_COMPILE_LANES_H

#include "run/queue/queue_program.h"

/* Fill lanes, ports and the fixed part of regions.  Fails if a device cannot
 * execute a command. */
plait_status plait__compile_lanes(plait__queue_program *compiled,
				  plait_error *error);
/* Count the entries of each lane, for the capacity of its queue. The batches
 * are complete. */
void plait__compile_lanes_count_entries(plait__queue_program *compiled);

#endif
