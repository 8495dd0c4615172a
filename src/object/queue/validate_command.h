/* SPDX-License-Identifier: MIT */
/* Validation of a user's command: fields, handles, ranges. */
#ifndef PLAIT_SRC_OBJECT_QUEUE_VALIDATE_COMMAND_H
#define PLAIT_SRC_OBJECT_QUEUE_VALIDATE_COMMAND_H

#include "plait/queue.h"

#include "object/memory/buffer.h"
#include "object/inbox/inbox.h"
#include "object/queue/queue.h"
#include "object/queue/strided_copy.h"
#include "object/signal/signal.h"

/* The objects that a command names; entered, until
 * plait__validate_command_leave. */
typedef struct plait__command_operands {
	plait__buffer *target;
	plait__buffer *source;
	plait__signal *signal;
	plait__inbox *inbox;
	/* If there is a target or a source. */
	plait__strided_copy shape;
} plait__command_operands;

/*
 * Check all that does not depend on the queue's other commands. On success the
 * objects are entered. Errors do not name the command.
 */
plait_status plait__validate_command(plait__command_operands *operands,
				     const plait_command *command,
				     const plait__queue *queue,
				     plait__object **late, plait_error *error);
/* Leave the objects; see plait__object_leave_deferred, as queue->lock is
 * held. */
void plait__validate_command_leave(const plait__command_operands *operands,
				   plait__object **late);

/* Read a command of another size, as plait__sized_struct_read. */
plait_status plait__command_read(plait_command *out, const void *given,
				 uint32_t bytes, plait_error *error);

/* "copy", "fill"; for messages. */
const char *plait__command_kind(uint32_t kind);

#endif
