/* SPDX-License-Identifier: MIT */
/* Commands of a queue for the race check; see queue_races.h. */
#include "object/queue/queue_races.h"

#include "object/kernel/kernel.h"
#include "object/memory/buffer_races.h"

/* Rows with gaps count one by one, and the first ones only: a range around
 * them would hold bytes that the copy does not touch. */
enum { ROWS = 16 };

static void add_access(plait__queue *queue, const plait__race_access *access,
		       const plait__race_work *work)
{
	plait__races_access(plait__queue_races(queue), &queue->race,
			    &queue->object, access, work);
}

static void add_range(plait__queue *queue, const plait__buffer *buffer,
		      uint64_t offset, uint64_t bytes, bool writes,
		      const plait__race_work *work)
{
	const plait__race_access access =
		plait__buffer_races_access(buffer, offset, bytes, writes);

	add_access(queue, &access, work);
}

void plait__queue_races_argument(plait__queue *queue,
				 const plait__kernel *kernel, uint32_t i,
				 const plait__buffer *buffer, uint64_t offset)
{
	uint32_t mode = kernel->signature->parameters[i].mode;
	const plait__race_work work = { "launch", kernel->signature->name,
					&buffer->object };
	plait__race_access access = plait__buffer_races_access(
		buffer, offset, buffer->bytes - offset,
		mode != PLAIT__MODE_IN);

	access.atomic = mode == PLAIT__MODE_ATOMIC &&
			buffer->device == queue->device &&
			plait__kernel_commutes(kernel, queue->device);
	add_access(queue, &access, &work);
}

struct side {
	const plait__buffer *buffer;
	uint64_t offset;
	uint64_t row;		/* distances */
	uint64_t slice;
	uint64_t total;		/* from the first byte to the last */
	bool writes;
};

/* Rows that are one range are noted as one, others row by row, ROWS at most. */
static void add_side(plait__queue *queue, const struct side *side,
		     const plait__strided_copy *shape,
		     const plait_command *command)
{
	const plait__race_work work = { plait__command_kind(command->kind),
					command->label,
					&side->buffer->object };
	const plait_work_rows *rows = &shape->rows;
	uint64_t count = rows->rows * rows->slices;

	if (rows->rows < 2 || count * shape->bytes == side->total) {
		add_range(queue, side->buffer, side->offset,
					  side->total, side->writes, &work);
		return;
	}
	for (uint64_t i = 0; i < count && i < ROWS; i++)
		add_range(
			queue, side->buffer, side->offset +
			i / rows->rows * side->slice +
			i % rows->rows * side->row, shape->bytes, side->writes,
			&work);
}

/* validate_command.c has checked the ranges. */
static void add_memory(plait__queue *queue, const plait_command *command,
		       const plait__command_operands *found)
{
	const plait__strided_copy *shape = &found->shape;
	const struct side target = {
		found->target, command->target_offset, shape->rows.target_row,
		shape->rows.target_slice, shape->target_bytes, true };
	const struct side source = {
		found->source, command->source_offset, shape->rows.source_row,
		shape->rows.source_slice, shape->source_bytes, false };

	if (target.buffer != NULL)
		add_side(queue, &target, shape, command);
	if (source.buffer != NULL)
		add_side(queue, &source, shape, command);
}

void plait__queue_races_wait(plait__queue *queue, plait__signal *signal,
			     uint64_t sequence)
{
	plait__races *races = plait__queue_races(queue);
	uint64_t submitted;

	if (races == NULL)
		return;
	submitted = plait__signal_submitted(signal);
	if (sequence == 0)
		sequence = signal->is_gate ? submitted : signal->next;
	plait__race_gate gate = !signal->is_gate ? PLAIT__RACE_NO_GATE :
				submitted < sequence ? PLAIT__RACE_GATE_BELOW :
				PLAIT__RACE_GATE_RAISED;

	if (sequence != 0)
		plait__races_wait(races, &queue->race, &signal->race, sequence,
				  gate);
}

void plait__queue_races_add(const struct plait__submission_builder *builder,
			    const plait_command *command,
			    const plait__command_operands *found)
{
	plait__queue *queue = builder->queue;
	plait__races *races = plait__queue_races(queue);

	if (races == NULL)
		return;
	if (found->target != NULL || found->source != NULL)
		add_memory(queue, command, found);
	else if (command->kind == PLAIT_COMMAND_CALL && builder->held == NULL)
		plait__races_call(races, &queue->race);
}

void plait__queue_races_undo(plait__queue *queue, uint64_t mark)
{
	plait__races *races = plait__queue_races(queue);

	if (races != NULL)
		plait__races_undo(races, &queue->race, mark);
}

void plait__queue_races_emit(plait__queue *queue, plait__signal *signal)
{
	plait__races *races = plait__context_races(queue->object.context);

	if (races != NULL)
		plait__races_emit(races, queue->object.is_internal ?
				  NULL : &queue->race, &signal->race,
				  signal->next);
}
