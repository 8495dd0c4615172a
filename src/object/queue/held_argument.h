/* SPDX-License-Identifier: MIT */
/* Arguments of one launch on a queue, outside any graph: copied values, held
 * buffers. The launch record owns the array. */
#ifndef PLAIT_SRC_OBJECT_QUEUE_HELD_ARGUMENT_H
#define PLAIT_SRC_OBJECT_QUEUE_HELD_ARGUMENT_H

#include "object/kernel/kernel.h"
#include "object/memory/buffer.h"
#include "object/queue/queue.h"

/* An argument: its value; or the buffer, which is held, and an offset. The
 * buffer is mapped while host code runs. */
typedef struct plait__held_argument {
	union {
		uint64_t word;
		void *pointer;
	} value;
	/* Of the value: `value`, or a larger block that the owner set. */
	void *place;
	plait__buffer *buffer;
	uint64_t offset;
	void *mapped;
} plait__held_argument;

/*
 * Check the arguments, one per parameter, against the kernel's signature and
 * the queue's device, and take them into the zeroed slots, whose `place` is
 * set. After a failure, too, the caller drops the slots. Errors name kernel
 * and argument.
 */
plait_status plait__held_argument_take(plait__held_argument *slots,
				       const plait__kernel *kernel,
				       const plait__queue *queue,
				       const plait_argument *arguments,
				       plait_error *error);

/* Map all buffers, for host code. After a failure, too, the caller unmaps. */
plait_status plait__held_argument_map(plait__held_argument *slots,
				      const plait__signature *signature);
/* Unmap what is mapped; the first failure counts. */
plait_status plait__held_argument_unmap(plait__held_argument *slots,
					uint32_t count);

/* Drop the holds on the buffers. */
void plait__held_argument_drop(const plait__held_argument *slots,
			       uint32_t count);

#endif
