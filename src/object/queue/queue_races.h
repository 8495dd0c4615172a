/* SPDX-License-Identifier: MIT */
/*
 * Commands of a queue for the race check (object/races), while a submission is
 * built.  All functions are cheap if no check is on.
 */
#ifndef PLAIT_SRC_OBJECT_QUEUE_QUEUE_RACES_H
#define PLAIT_SRC_OBJECT_QUEUE_QUEUE_RACES_H

#include "object/kernel/kernel.h"
#include "object/queue/submission_builder.h"
#include "object/queue/validate_command.h"

/* The check of the queue; null for a queue of the library too, of which the
 * check sees the emissions only. */
static inline plait__races *plait__queue_races(const plait__queue *queue)
{
	return queue->object.is_internal ?
		       NULL : plait__context_races(queue->object.context);
}

/* A wait was added to a submission; sequence 0: for the newest emission. */
void plait__queue_races_wait(plait__queue *queue, plait__signal *signal,
			     uint64_t sequence);

/* Another command was added to a submission. */
void plait__queue_races_add(const struct plait__submission_builder *builder,
			    const plait_command *command,
			    const plait__command_operands *found);
/* Memory that argument i of a launch passes, from the offset on; the launch is
 * about to be submitted. */
void plait__queue_races_argument(plait__queue *queue,
				 const plait__kernel *kernel, uint32_t i,
				 const plait__buffer *buffer, uint64_t offset);
/* The submission failed: forget what was added since the mark. */
void plait__queue_races_undo(plait__queue *queue, uint64_t mark);
/* An emission of a user's signal got its number. */
void plait__queue_races_emit(plait__queue *queue, plait__signal *signal);

#endif
