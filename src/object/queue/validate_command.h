/* SPDX-License-Identifier: MIT */
/*
 * One command of the user's, checked: fields, handles, ranges.  Called by
 * submission.c, which decides what becomes of it.
 */
#ifndef PLAIT_SRC_OBJECT_QUEUE_VALIDATE_COMMAND_H
#define PLAIT_SRC_OBJECT_QUEUE_VALIDATE_COMMAND_H

#include "plait/queue.h"

#include "object/memory/buffer.h"
#include "object/inbox/inbox.h"
#include "object/queue/queue.h"
#include "object/queue/strided_copy.h"
#include "object/signal/signal.h"

/* What the handles of a command stand for; entered, until let go. */
typedef struct plait__command_operands {
	plait__buffer *target;
	plait__buffer *source;
	plait__signal *signal;
	plait__inbox *inbox;
	/* Where there is a target or a source. */
	plait__strided_copy shape;
} plait__command_operands;

/*
 * Everything that can be known without the queue's other commands.  On
 * success the objects are entered.  Errors say what, not which command.
 */
plait_status plait__validate_command(plait__command_operands *operands,
				     const plait_command *command,
				     const plait__queue *queue,
				     plait__object **late, plait_error *error);
/* The queue's lock is held, so see plait__object_leave_deferred. */
void plait__validate_command_leave(const plait__command_operands *operands,
				   plait__object **late);

/* A command of another size than ours, as plait__sized_struct_read. */
plait_status plait__command_read(plait_command *out, const void *given,
				 uint32_t bytes, plait_error *error);

/* "copy", "fill"; for messages. */
const char *plait__command_kind(uint32_t kind);

#endif
