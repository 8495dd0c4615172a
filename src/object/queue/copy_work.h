/* SPDX-License-Identifier: MIT */
/* Work items of a submission for commands that move bytes. */
#ifndef PLAIT_SRC_OBJECT_QUEUE_COPY_WORK_H
#define PLAIT_SRC_OBJECT_QUEUE_COPY_WORK_H

#include "object/queue/submission_builder.h"
#include "object/queue/validate_command.h"

/* Add a checked COPY, FILL, READ or WRITE. */
plait_status plait__copy_work_add(struct plait__submission_builder *builder,
				  const plait_command *command,
				  const plait__command_operands *operands,
				  plait_error *error);

/* Returns false if each row becomes a work item of its own. */
static inline bool plait__copy_work_supports_rows(const plait__queue *queue)
{
	return (queue->port->all & PLAIT_CAP_ROWS) != 0;
}

#endif
