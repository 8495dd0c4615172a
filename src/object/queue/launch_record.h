/* SPDX-License-Identifier: MIT */
/*
 * Record of one launch on a queue, outside any graph. Its arguments are copied
 * when it is created; the in-flight ring holds it, and it drops what it holds
 * when the launch is done or skipped. A device with code for the kernel executes
 * the launch; otherwise it is a call on the host.
 */
#ifndef PLAIT_SRC_OBJECT_QUEUE_LAUNCH_RECORD_H
#define PLAIT_SRC_OBJECT_QUEUE_LAUNCH_RECORD_H

#include "object/queue/held_argument.h"
#include "object/queue/submission_builder.h"

typedef struct plait__launch_record {
	plait__object object;
	struct plait__launch_record *next; /* of its submission */
	plait__kernel *kernel; /* held */
	/* The launch as the device's backend bound it; null: a call on the
	 * host. */
	const plait__device *device;
	plait_backend_launch *raw;
	plait__section *section; /* of a coroutine: that of its run; or null */
	plait_launch launch;
	/* In a queue that measures: written by the backend before the launch is
	 * complete; 0: it cannot. */
	plait_work_times times;
	uint32_t count;
	uint64_t block_bytes;
	plait__held_argument *slots;
	void **arguments;
} plait__launch_record;

/*
 * Create the record of a LAUNCH command for this queue, without the queue's
 * lock: memory may be mapped and code bound. The caller gets a hold. Errors name
 * the kernel, not the command.
 */
plait_status plait__launch_record_create(plait__queue *queue,
					 const plait_command *command,
					 plait__launch_record **out,
					 plait_error *error);

/* Execute the kernel's function for the host; returns its result. */
int32_t plait__launch_record_execute(void *record);

/* End the records of a list after their submission was accepted, or refused: drop
 * the creator's hold on each; null is fine. */
void plait__launch_record_end_all(plait__launch_record *first, bool accepted);

/* Add the work of the command that the record was created from. Caller holds
 * queue->lock. */
plait_status plait__launch_record_add(
	plait__launch_record *self, struct plait__submission_builder *builder,
	const plait_command *command, plait_error *error);

#endif
