/* SPDX-License-Identifier: MIT */
/* Work items for commands that move bytes: one each, or one per row. */
#include "object/queue/copy_work.h"

#include "object/queue/strided_copy.h"

/* Add `bytes` of a command, at these distances from its first bytes.  The
 * arrays have room: submission.c has counted the rows. */
static plait_work *add_bytes(struct plait__submission_builder *builder,
			     const plait_command *command,
			     const plait__command_operands *operands,
			     uint64_t bytes, uint64_t target_at,
			     uint64_t source_at)
{
	plait_work *work = plait__submission_add_work(builder, command);

	work->bytes = bytes;
	work->pattern = command->pattern;
	work->pattern_bytes = command->pattern_bytes;
	if (command->host != NULL)
		work->host = (char *)command->host +
			     (operands->target != NULL ? source_at :
							 target_at);
	if (operands->target != NULL) {
		work->target = operands->target->root->raw;
		work->target_offset = operands->target->offset +
				      command->target_offset + target_at;
	}
	if (operands->source != NULL) {
		work->source = operands->source->root->raw;
		work->source_offset = operands->source->offset +
				      command->source_offset + source_at;
	}
	return work;
}

/* For a backend without PLAIT_CAP_ROWS: one work item per row. */
static void add_each_row(struct plait__submission_builder *builder,
			 const plait_command *command,
			 const plait__command_operands *operands)
{
	const plait__strided_copy *shape = &operands->shape;
	const plait_work_rows *rows = &shape->rows;
	uint64_t i;
	uint64_t k;

	for (i = 0; i < rows->slices; i++)
		for (k = 0; k < rows->rows; k++)
			add_bytes(builder, command, operands, shape->bytes,
				  i * rows->target_slice +
					  k * rows->target_row,
				  i * rows->source_slice +
					  k * rows->source_row);
}

/* As one work, whose shape the submission holds, or row by row. */
static plait_status add_rows(struct plait__submission_builder *builder,
			     const plait_command *command,
			     const plait__command_operands *operands,
			     plait_error *error)
{
	const plait_work_rows *rows;
	plait__object *kept;
	plait_status status;

	if (!plait__copy_work_supports_rows(builder->queue)) {
		add_each_row(builder, command, operands);
		return PLAIT_OK;
	}
	status = plait__strided_copy_create_rows(builder->queue->object.context,
						 &operands->shape, &kept, &rows,
						 error);
	if (status != PLAIT_OK)
		return status;
	status = plait__submission_hold(builder, kept, error);
	/* The queue's lock is held, so nothing is destroyed here. */
	plait__object_drop_deferred(kept);
	if (status == PLAIT_OK)
		add_bytes(builder, command, operands, operands->shape.bytes, 0,
			  0)->rows = rows;
	return status;
}

plait_status plait__copy_work_add(struct plait__submission_builder *builder,
				  const plait_command *command,
				  const plait__command_operands *operands,
				  plait_error *error)
{
	plait_status status = PLAIT_OK;

	if (operands->target != NULL)
		status = plait__submission_hold(builder,
						&operands->target->object,
						error);
	if (status == PLAIT_OK && operands->source != NULL)
		status = plait__submission_hold(builder,
						&operands->source->object,
						error);
	if (status != PLAIT_OK)
		return status;
	if (command->bytes == 0)
		plait__submission_add_work(builder, command)->kind =
			PLAIT_WORK_NOP;
	else if (operands->shape.rows.rows > 1)
		return add_rows(builder, command, operands, error);
	else
		add_bytes(builder, command, operands, operands->shape.bytes, 0,
			  0);
	return PLAIT_OK;
}
