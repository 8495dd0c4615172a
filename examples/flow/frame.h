/* SPDX-License-Identifier: MIT */
/* Shared part of the programs of flows: the flow, data of floats, the
 * comparison with a sequential version. */
#ifndef EXAMPLES_FRAME_H
#define EXAMPLES_FRAME_H

#include "../program.h"

extern plait_flow *flow;

/* Open the default context, its world, and a flow over its ranks.
 * FLOW_DEVICES in the environment: how many of the first devices of the context run
 * the launches; default 0: the host. */
void open_flow(void);

/* Release the flow, its data and the context. */
void close_flow(void);

/* Create `rows` times `columns` floats with a copy of `contents`; null: zeros. */
plait_data *new_data(uint64_t columns, uint64_t rows, const float *contents);

/* Submit a launch in as many pieces of rows as the flow has lanes, on all ranks. */
void launch_rows(plait_kernel *kernel, const plait_launch *launch,
		 const plait_argument *arguments, uint64_t count);

/* Return a number from 0 to 1, another one for each i. */
float noise(uint64_t i);

/* Print that the numbers are those of the sequential version, on rank 0, or
 * exit. */
void compare(const char *name, const float *got, const float *wanted,
	     uint64_t count);

#endif
