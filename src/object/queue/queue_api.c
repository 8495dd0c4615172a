/* SPDX-License-Identifier: MIT */
/* Submission by the user: arrays of commands, and the short forms. */
#include "plait/kernel.h"

#include "object/queue/queue_capture.h"
#include "object/queue/queue_finish.h"
#include "object/queue/submission.h"

#include "base/error.h"

static plait_status submit_entered(plait__queue *queue,
				   const plait_command *commands,
				   uint64_t count, bool own,
				   uint64_t *sequence, plait_error *error)
{
	plait_status status = PLAIT_PENDING;

	if (__builtin_expect(plait__queue_is_captured(queue), 0))
		status = plait__queue_capture_record(queue, commands, count,
						     sequence, error);
	if (status != PLAIT_PENDING)
		return status;
	status = plait__submission_submit_array(queue, commands, count, own,
						sequence, error);
	if (status == PLAIT_OK && count != 0 && plait__queue_wants_finish(queue))
		status = plait__queue_finish(queue, PLAIT_FOREVER, error);
	return status;
}

static plait_status submit(plait_queue *queue, const plait_command *commands,
			   uint64_t count, bool own, uint64_t *out_sequence,
			   plait_error *error)
{
	plait__queue *self;
	plait_status status;
	uint64_t sequence;

	if (out_sequence != NULL)
		*out_sequence = 0;
	status = plait__queue_enter(queue, &self, error);
	if (status != PLAIT_OK)
		return status;
	PLAIT__THREAD_SCOPE inside = { plait__object_leave_on_exit,
				       &self->object };
	status = submit_entered(self, commands, count, own, &sequence, error);
	if (status >= PLAIT_OK && out_sequence != NULL)
		*out_sequence = sequence;
	plait__thread_scope_end(&inside);
	plait__object_leave(&self->object);
	return status;
}

PLAIT_API plait_status plait_queue_submit(plait_queue *queue,
					  const plait_command *commands,
					  uint64_t count,
					  uint64_t *out_sequence,
					  plait_error *error)
{
	return submit(queue, commands, count, false, out_sequence, error);
}

PLAIT_API plait_status plait_queue_call(plait_queue *queue,
					plait_host_function function,
					void *user_data, plait_error *error)
{
	const plait_command command = {
		.size = sizeof(command),
		.kind = PLAIT_COMMAND_CALL,
		.flags = PLAIT_CALL_ANY_THREAD,
		.function = function,
		.user_data = user_data,
	};

	return submit(queue, &command, 1, true, NULL, error);
}

PLAIT_API plait_status plait_queue_launch(plait_queue *queue,
					  plait_kernel *kernel,
					  const plait_launch *launch,
					  const plait_argument *arguments,
					  uint64_t count, plait_error *error)
{
	const plait_command command = {
		.size = sizeof(command),
		.kind = PLAIT_COMMAND_LAUNCH,
		.kernel = kernel,
		.launch = launch,
		.arguments = arguments,
		.argument_count = count,
	};

	return submit(queue, &command, 1, true, NULL, error);
}

PLAIT_API plait_status plait_queue_copy(plait_queue *queue,
					plait_buffer *target,
					uint64_t target_offset,
					plait_buffer *source,
					uint64_t source_offset, uint64_t bytes,
					plait_error *error)
{
	const plait_command command = {
		.size = sizeof(command),
		.kind = PLAIT_COMMAND_COPY,
		.target = target,
		.target_offset = target_offset,
		.source = source,
		.source_offset = source_offset,
		.bytes = bytes,
	};

	return submit(queue, &command, 1, true, NULL, error);
}

PLAIT_API plait_status plait_queue_copy_rows(plait_queue *queue,
					     plait_buffer *target,
					     uint64_t target_offset,
					     plait_buffer *source,
					     uint64_t source_offset,
					     uint64_t bytes,
					     const plait_rows *rows,
					     plait_error *error)
{
	const plait_command command = {
		.size = sizeof(command),
		.kind = PLAIT_COMMAND_COPY,
		.target = target,
		.target_offset = target_offset,
		.source = source,
		.source_offset = source_offset,
		.bytes = bytes,
		.rows = rows,
	};

	if (rows == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "rows is null");
	return submit(queue, &command, 1, true, NULL, error);
}

PLAIT_API plait_status plait_queue_fill(plait_queue *queue,
					plait_buffer *target,
					uint64_t target_offset, uint64_t bytes,
					uint64_t pattern,
					uint32_t pattern_bytes,
					plait_error *error)
{
	const plait_command command = {
		.size = sizeof(command),
		.kind = PLAIT_COMMAND_FILL,
		.target = target,
		.target_offset = target_offset,
		.bytes = bytes,
		.pattern = pattern,
		.pattern_bytes = pattern_bytes,
	};

	return submit(queue, &command, 1, true, NULL, error);
}

PLAIT_API plait_status plait_queue_emit(plait_queue *queue,
					plait_signal *signal,
					uint64_t *out_sequence,
					plait_error *error)
{
	const plait_command command = {
		.size = sizeof(command),
		.kind = PLAIT_COMMAND_EMIT,
		.signal = signal,
	};

	return submit(queue, &command, 1, true, out_sequence, error);
}

PLAIT_API plait_status plait_queue_wait(plait_queue *queue,
					plait_signal *signal,
					uint64_t sequence, plait_error *error)
{
	const plait_command command = {
		.size = sizeof(command),
		.kind = PLAIT_COMMAND_WAIT,
		.signal = signal,
		.sequence = sequence,
	};

	return submit(queue, &command, 1, true, NULL, error);
}
