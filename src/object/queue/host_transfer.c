/* SPDX-License-Identifier: MIT */
/*
 * Blocking reads and writes of host memory; see plait/queue.h.
 *
 * On a simulated clock the wait can end in a deadlock report, and the command
 * stays in the queue after the caller has returned. There the command uses
 * memory of its own, a bounce buffer; a second command copies what was read to
 * the caller, unless the caller has given up.
 */
#include "object/queue/outer_calls.h"
#include "object/queue/queue_capture.h"
#include "object/queue/queue_finish.h"
#include "object/queue/submission.h"

#include "object/memory/buffer.h"

#include "base/alloc.h"
#include "base/error.h"
#include "pool/callback_scope.h"

#include <string.h>

struct bounce {
	plait__object object; /* held by the commands in flight */
	uint64_t bytes;
	struct plait__mutex lock; /* guards `host`, and the copy to it */
	void *host; /* the caller's memory for a READ; null: given up */
	unsigned char memory[];
};

static void free_bounce(plait__object *object)
{
	struct bounce *bounce = (struct bounce *)(void *)object;

	plait__free(plait__context_allocator(object->context), bounce,
		    sizeof(*bounce) + bounce->bytes);
}

static const plait__class bounce_class = { .destroy = free_bounce };

/* Host function of the command behind a READ. */
static int32_t deliver(void *user_data)
{
	struct bounce *bounce = user_data;

	plait__mutex_lock(&bounce->lock);
	if (bounce->host != NULL)
		memcpy(bounce->host, bounce->memory, bounce->bytes);
	plait__mutex_unlock(&bounce->lock);
	return 0;
}

static void give_up(struct bounce *bounce)
{
	plait__mutex_lock(&bounce->lock);
	bounce->host = NULL;
	plait__mutex_unlock(&bounce->lock);
}

/* Exit guard: the thread ended in a function that it ran while it waited. */
static void give_up_on_exit(void *arg)
{
	struct bounce *bounce = arg;

	give_up(bounce);
	plait__object_drop(&bounce->object);
}

/* Returns true if the range is valid, so that a bounce buffer is worth its
 * memory. The submission reports what is wrong with others. */
static bool is_valid_range(const plait_command *command)
{
	bool reads = command->kind == PLAIT_COMMAND_READ;
	plait__buffer *buffer;
	bool sane;

	if (command->bytes == 0 || command->host == NULL ||
	    plait__buffer_enter(reads ? command->source : command->target,
				&buffer, NULL) != PLAIT_OK)
		return false;
	sane = command->bytes <= buffer->bytes &&
	       !plait__buffer_overlaps_host(buffer,
					    reads ? command->source_offset :
						    command->target_offset,
					    command->bytes, command->host,
					    command->bytes);
	plait__object_leave(&buffer->object);
	return sane;
}

/* Bytes to write are copied at once; a read goes to `host` later, which is null
 * for a write. */
static plait_status create_bounce(plait__context *context,
				  const plait_command *command,
				  struct bounce **out, plait_error *error)
{
	struct bounce *bounce =
		plait__alloc(plait__context_allocator(context),
			     sizeof(*bounce) + command->bytes);

	if (bounce == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for %llu bytes on their way",
				   (unsigned long long)command->bytes);
	(void)plait__object_init(&bounce->object, &bounce_class, context,
				 NULL);
	bounce->bytes = command->bytes;
	if (command->kind == PLAIT_COMMAND_READ)
		bounce->host = command->host;
	else
		memcpy(bounce->memory, command->host, command->bytes);
	*out = bounce;
	return PLAIT_OK;
}

/* Submit the command, and one that holds the bounce buffer until it is done. */
static plait_status transfer_bounced(plait__queue *queue,
				     const plait_command *command,
				     plait_error *error)
{
	plait_command both[2] = { *command, { .size = sizeof(*both) } };
	struct bounce *bounce = NULL;
	plait_status status;

	status = create_bounce(queue->object.context, command, &bounce,
			       error);
	if (status != PLAIT_OK)
		return status;
	both[0].host = bounce->memory;
	if (bounce->host != NULL) {
		both[1].kind = PLAIT_COMMAND_CALL;
		both[1].flags = PLAIT_CALL_ANY_THREAD;
		both[1].function = deliver;
		both[1].user_data = bounce;
	}
	PLAIT__THREAD_SCOPE inside = { give_up_on_exit, bounce };
	status = plait__submission_submit_holding(queue, both, 2,
						  &bounce->object, error);
	if (status == PLAIT_OK)
		status = plait__queue_finish(queue, PLAIT_FOREVER, error);
	plait__thread_scope_end(&inside);
	if (status < 0)
		give_up(bounce);
	plait__object_drop(&bounce->object);
	return status;
}

/* The wait is also for the commands in front. */
static plait_status transfer_entered(plait__queue *queue,
				     const plait_command *command,
				     plait_error *error)
{
	plait_status status;

	if (plait__callback_scope_is_active())
		return plait__fail(error, PLAIT_E_DEADLOCK,
				   "a host function must not wait; submit a "
				   "READ or WRITE, and use the bytes in a later "
				   "command");
	if (plait__outer_calls_block(queue))
		return plait__outer_calls_fail(queue, error);
	if (plait__queue_is_captured(queue))
		return plait__queue_capture_refuse(
			queue, "submit a READ or WRITE, which does not wait",
			error);
	if ((queue->port->any & PLAIT_CAP_VIRTUAL_TIME) != 0 &&
	    is_valid_range(command))
		return transfer_bounced(queue, command, error);
	status = plait__submission_submit_holding(queue, command, 1, NULL,
						  error);
	if (status == PLAIT_OK)
		status = plait__queue_finish(queue, PLAIT_FOREVER, error);
	return status;
}

static plait_status transfer(plait_queue *queue, const plait_command *command,
			     plait_error *error)
{
	plait__queue *self;
	plait_status status;

	status = plait__queue_enter(queue, &self, error);
	if (status != PLAIT_OK)
		return status;
	PLAIT__THREAD_SCOPE inside = { plait__object_leave_on_exit,
				       &self->object };
	status = transfer_entered(self, command, error);
	plait__thread_scope_end(&inside);
	plait__object_leave(&self->object);
	return status;
}

PLAIT_API plait_status plait_queue_read(plait_queue *queue,
					plait_buffer *source,
					uint64_t source_offset, void *host,
					uint64_t bytes, plait_error *error)
{
	const plait_command command = {
		.size = sizeof(command),
		.kind = PLAIT_COMMAND_READ,
		.source = source,
		.source_offset = source_offset,
		.host = host,
		.bytes = bytes,
	};

	return transfer(queue, &command, error);
}

PLAIT_API plait_status plait_queue_write(plait_queue *queue,
					 plait_buffer *target,
					 uint64_t target_offset,
					 const void *host, uint64_t bytes,
					 plait_error *error)
{
	const plait_command command = {
		.size = sizeof(command),
		.kind = PLAIT_COMMAND_WRITE,
		.target = target,
		.target_offset = target_offset,
		.host = (void *)(uintptr_t)host,
		.bytes = bytes,
	};

	return transfer(queue, &command, error);
}
