/* SPDX-License-Identifier: MIT */
/* Shared part of the programs with coroutines: their plan on the host, and plans
 * whose runs overlap. */
#ifndef EXAMPLES_COROUTINE_H
#define EXAMPLES_COROUTINE_H

#include "program.h"

/* Add a coroutine to a graph. */
void add_coroutine(plait_graph *graph, plait_host_function function,
		   void *user_data);

/* Run a graph of coroutines on the host, each on a lane of its own. */
void run_coroutines(plait_graph *graph);

/* A buffer that each run in flight has for itself. */
plait_buffer *new_temporary(uint64_t bytes);

/* Freeze a graph for so many runs in flight. */
plait_plan *freeze_for(plait_graph *graph, uint32_t instances);

plait_queue *new_queue(void);
plait_signal *new_gate(void);

/* Release the queues and gates. */
void close_coroutines(void);

#endif
