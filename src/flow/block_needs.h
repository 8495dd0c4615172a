/* SPDX-License-Identifier: MIT */
/*
 * Needs of a task: boxes of data in a memory.  A kernel that gets a pointer
 * addresses elements from the first one of all; for an array it gets numbers, too,
 * that place a block (array_arguments.h).  Caller holds the lock.
 */
#ifndef PLAIT_SRC_FLOW_BLOCK_NEEDS_H
#define PLAIT_SRC_FLOW_BLOCK_NEEDS_H

#include "flow/flow_devices.h"

/* Note the data of argument i of the launch in preparation.  Returns false
 * without memory. */
bool plait__block_needs_note(plait__flow *flow, uint32_t i, plait__data *data,
			     bool is_plain);

static inline plait__data_argument *
plait__block_needs_argument(const plait__flow *flow, uint32_t i)
{
	return plait__vector_at(&flow->devices->arguments, i);
}

/* A box that the task needs of a data; null: any element. */
typedef bool (*plait__block_need)(const plait__flow_task *task,
				  plait__data *whole, const plait_box *box);

/* Call `visit` for the needs of the task until it returns false: of all of its
 * pieces those that are the same. */
bool plait__block_needs_visit(const plait__flow_task *task, bool of_pieces,
			      plait__block_need visit);

/* A plait__block_need: returns true if the block in the task's memory has it. */
bool plait__block_needs_are_met(const plait__flow_task *task,
				plait__data *whole, const plait_box *box);

/* Returns the bytes that the task needs. */
uint64_t plait__block_needs_bytes(const plait__flow_task *task);

#endif
