/* SPDX-License-Identifier: MIT */
/* Validation of a command; see validate_command.h. */
#include "object/queue/validate_command.h"

#include "object/memory/buffer_check.h"
#include "object/memory/image.h"

#include "base/error.h"

#include <string.h>

enum {
	KINDS = PLAIT_COMMAND_LAUNCH + 1,
	/* Fields of a command; bits. */
	HAS_FLAGS = 1 << 0,
	HAS_PATTERN = 1 << 1,
	HAS_BYTES = 1 << 2,
	HAS_TARGET = 1 << 3,
	HAS_SOURCE = 1 << 4,
	HAS_HOST = 1 << 5,
	HAS_FUNCTION = 1 << 6,
	HAS_INBOX = 1 << 7,
	HAS_SIGNAL = 1 << 8,
	HAS_SEQUENCE = 1 << 9,
	HAS_ROWS = 1 << 10,
	HAS_KERNEL = 1 << 11,
	HAS_LAUNCH = 1 << 12,
	HAS_ARGUMENTS = 1 << 13
};

static const struct {
	const char *name;
	uint32_t fields;
} kinds[KINDS] = {
	[PLAIT_COMMAND_NOP] = { "nop", 0 },
	[PLAIT_COMMAND_CALL] = { "call",
				 HAS_FLAGS | HAS_FUNCTION | HAS_INBOX },
	[PLAIT_COMMAND_COPY] = { "copy", HAS_BYTES | HAS_TARGET | HAS_SOURCE |
					 HAS_ROWS },
	[PLAIT_COMMAND_FILL] = { "fill",
				 HAS_BYTES | HAS_TARGET | HAS_PATTERN },
	[PLAIT_COMMAND_READ] = { "read", HAS_BYTES | HAS_SOURCE | HAS_HOST |
					 HAS_ROWS },
	[PLAIT_COMMAND_WRITE] = { "write", HAS_BYTES | HAS_TARGET | HAS_HOST |
					   HAS_ROWS },
	[PLAIT_COMMAND_WAIT] = { "wait", HAS_SIGNAL | HAS_SEQUENCE },
	[PLAIT_COMMAND_EMIT] = { "emit", HAS_SIGNAL },
	[PLAIT_COMMAND_LAUNCH] = { "launch",
				   HAS_KERNEL | HAS_LAUNCH | HAS_ARGUMENTS },
};

const char *plait__command_kind(uint32_t kind)
{
	return kind < KINDS ? kinds[kind].name : "command";
}

/* --- fields */

/* The fields that the caller has set, as bits. */
static uint32_t fields_of(const plait_command *command)
{
	uint32_t fields = 0;

	fields |= command->flags != 0 ? HAS_FLAGS : 0;
	fields |= command->pattern != 0 || command->pattern_bytes != 0
			  ? HAS_PATTERN : 0;
	fields |= command->bytes != 0 ? HAS_BYTES : 0;
	fields |= command->target != NULL || command->target_offset != 0
			  ? HAS_TARGET : 0;
	fields |= command->source != NULL || command->source_offset != 0
			  ? HAS_SOURCE : 0;
	fields |= command->host != NULL ? HAS_HOST : 0;
	fields |= command->function != NULL || command->user_data != NULL
			  ? HAS_FUNCTION : 0;
	fields |= command->inbox != NULL ? HAS_INBOX : 0;
	fields |= command->signal != NULL ? HAS_SIGNAL : 0;
	fields |= command->sequence != 0 ? HAS_SEQUENCE : 0;
	fields |= command->rows != NULL ? HAS_ROWS : 0;
	fields |= command->kernel != NULL ? HAS_KERNEL : 0;
	fields |= command->launch != NULL ? HAS_LAUNCH : 0;
	fields |= command->arguments != NULL || command->argument_count != 0
			  ? HAS_ARGUMENTS : 0;
	return fields;
}

static plait_status fail_fields(uint32_t surplus, uint32_t kind,
				plait_error *error)
{
	static const char *const names[] = {
		"flags", "pattern", "bytes", "target", "source", "host",
		"function", "inbox", "signal", "sequence", "rows", "kernel",
		"launch", "arguments"
	};
	uint32_t bit = (uint32_t)__builtin_ctz(surplus);

	return plait__fail(error, PLAIT_E_INVALID,
			   "%s is set, which a %s does not have", names[bit],
			   plait__command_kind(kind));
}

static plait_status check_call(const plait_command *command,
			       plait_error *error)
{
	bool any_thread = (command->flags & PLAIT_CALL_ANY_THREAD) != 0;

	if ((command->flags & ~(uint32_t)PLAIT_CALL_ANY_THREAD) != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "flags 0x%x are not known",
				   (unsigned)command->flags);
	if (command->inbox != NULL && any_thread)
		return plait__fail(error, PLAIT_E_INVALID,
				   "an inbox and PLAIT_CALL_ANY_THREAD "
				   "contradict each other");
	if (command->inbox == NULL && !any_thread)
		return plait__fail(error, PLAIT_E_INVALID,
				   "a call needs an inbox or "
				   "PLAIT_CALL_ANY_THREAD");
	if (command->inbox == NULL && command->function == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "function is null");
	return PLAIT_OK;
}

/* Fields that the kind does not use have to be 0 or null. */
static plait_status check_fields(const plait_command *command,
				 plait_error *error)
{
	uint32_t pattern_bytes = command->pattern_bytes;
	uint32_t surplus;

	if (command->kind >= KINDS)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "kind %u is not known",
				   (unsigned)command->kind);
	surplus = fields_of(command) & ~kinds[command->kind].fields;
	if (surplus != 0)
		return fail_fields(surplus, command->kind, error);
	if (command->kind == PLAIT_COMMAND_CALL)
		return check_call(command, error);
	if (command->kind == PLAIT_COMMAND_FILL && pattern_bytes != 1 &&
	    pattern_bytes != 2 && pattern_bytes != 4 && pattern_bytes != 8)
		return plait__fail(error, PLAIT_E_INVALID,
				   "a pattern has 1, 2, 4 or 8 bytes, not %u",
				   (unsigned)pattern_bytes);
	if ((kinds[command->kind].fields & HAS_HOST) != 0 &&
	    command->host == NULL && command->bytes != 0)
		return plait__fail(error, PLAIT_E_INVALID, "host is null");
	return PLAIT_OK;
}

plait_status plait__command_read(plait_command *out, const void *given,
				 uint32_t bytes, plait_error *error)
{
	const unsigned char *surplus = given;
	uint32_t i;

	memset(out, 0, sizeof(*out));
	for (i = sizeof(*out); i < bytes; i++)
		if (surplus[i] != 0)
			return plait__fail(error, PLAIT_E_UNSUPPORTED,
					   "byte %u is set, but this library "
					   "(%s) knows only %zu", (unsigned)i,
					   plait_version(), sizeof(*out));
	memcpy(out, given, bytes < sizeof(*out) ? bytes : sizeof(*out));
	return PLAIT_OK;
}

/* --- handles */

/* Check that the object is of the queue's context and backend. */
static plait_status check_home(const plait__object *object,
			       const plait__backend_port *port,
			       const plait__queue *queue, plait_error *error)
{
	char room[PLAIT__OBJECT_NAME_BYTES];
	char queue_room[PLAIT__OBJECT_NAME_BYTES];
	plait_status status = plait__context_check_same(object, &queue->object,
							error);

	if (status != PLAIT_OK || port == queue->port)
		return status;
	return plait__fail(error, PLAIT_E_UNSUPPORTED,
			   "%s is of backend %s, %s of %s; between backends "
			   "the host has to wait and to copy",
			   plait__object_name(object, room),
			   port->backend->name,
			   plait__object_name(&queue->object, queue_room),
			   queue->port->backend->name);
}

static plait_status enter_buffer(plait_buffer *handle, uint64_t offset,
				 uint64_t bytes, const char *what,
				 const plait__queue *queue,
				 plait__buffer **out, plait_error *error)
{
	plait_status status = plait__buffer_enter(handle, out, error);

	if (status != PLAIT_OK)
		return status;
	status = check_home(&(*out)->object, (*out)->device->port, queue,
			    error);
	if (status == PLAIT_OK)
		status = plait__buffer_check_range(*out, offset, bytes, what,
						   error);
	return status;
}

/* Both buffers are entered, and both ranges are inside them. */
static plait_status check_copy(const plait__command_operands *operands,
			       const plait_command *command,
			       plait_error *error)
{
	const plait__strided_copy *shape = &operands->shape;
	uint64_t to = operands->target->offset + command->target_offset;
	uint64_t from = operands->source->offset + command->source_offset;

	if (!plait__buffer_overlap(operands->target, command->target_offset,
				   shape->target_bytes, operands->source,
				   command->source_offset,
				   shape->source_bytes) ||
	    (operands->target->root == operands->source->root &&
	     !plait__strided_copy_overlaps(shape, to, from)))
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_INVALID,
			   "source and target overlap: %llu bytes from %llu "
			   "to %llu%s",
			   (unsigned long long)shape->source_bytes,
			   (unsigned long long)from, (unsigned long long)to,
			   command->rows != NULL ? ", from the first row to "
						   "the last" : "");
}

/* Reject a read or write of host memory that is the buffer's own.  One buffer
 * is entered, and its range is inside. */
static plait_status check_host(const plait__command_operands *operands,
			       const plait_command *command,
			       plait_error *error)
{
	bool reads = operands->source != NULL;
	const plait__buffer *buffer = reads ? operands->source :
					      operands->target;
	char room[PLAIT__OBJECT_NAME_BYTES];

	if (!plait__buffer_overlaps_host(buffer,
					 reads ? command->source_offset :
						 command->target_offset,
					 reads ? operands->shape.source_bytes :
						 operands->shape.target_bytes,
					 command->host,
					 reads ? operands->shape.target_bytes :
						 operands->shape.source_bytes))
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_INVALID,
			   "host overlaps the bytes of %s that it is to be %s",
			   plait__object_name(&buffer->object, room),
			   reads ? "read from" : "written to");
}

/* The buffers are entered. */
static plait_status check_images(const plait__command_operands *operands,
				 const plait_command *command,
				 plait_error *error)
{
	if (command->kind == PLAIT_COMMAND_FILL)
		return plait__image_refuse(operands->target, "be filled",
					   error);
	return plait__image_check_copy(operands->target,
				       command->target_offset,
				       operands->source,
				       command->source_offset,
				       operands->shape.bytes,
				       operands->shape.rows.rows > 1, error);
}

/* check_fields has accepted the command. */
static plait_status enter_memory(plait__command_operands *operands,
				 const plait_command *command,
				 const plait__queue *queue, plait_error *error)
{
	uint32_t fields = kinds[command->kind].fields;
	plait__strided_copy *shape = &operands->shape;
	plait_status status = plait__strided_copy_read(shape, command, error);

	if (status == PLAIT_OK && (fields & HAS_TARGET) != 0)
		status = enter_buffer(command->target, command->target_offset,
				      shape->target_bytes, "target range",
				      queue, &operands->target, error);
	if (status == PLAIT_OK && operands->target != NULL)
		status = plait__buffer_check_write(operands->target, error);
	if (status == PLAIT_OK && (fields & HAS_SOURCE) != 0)
		status = enter_buffer(command->source, command->source_offset,
				      shape->source_bytes, "source range",
				      queue, &operands->source, error);
	if (status == PLAIT_OK)
		status = check_images(operands, command, error);
	if (status != PLAIT_OK || command->bytes == 0)
		return status;
	if (command->kind == PLAIT_COMMAND_COPY)
		return check_copy(operands, command, error);
	if ((fields & HAS_HOST) != 0)
		return check_host(operands, command, error);
	return status;
}

static plait_status enter_signal(plait__command_operands *operands,
				 const plait_command *command,
				 const plait__queue *queue, plait_error *error)
{
	char room[PLAIT__OBJECT_NAME_BYTES];
	plait_status status = plait__signal_enter(command->signal,
						  &operands->signal, error);

	if (status != PLAIT_OK)
		return status;
	status = check_home(&operands->signal->object, operands->signal->port,
			    queue, error);
	if (status != PLAIT_OK || command->kind == PLAIT_COMMAND_WAIT ||
	    !operands->signal->is_gate)
		return status;
	return plait__fail(error, PLAIT_E_INVALID,
			   "%s is a gate; only the host raises it",
			   plait__object_name(&operands->signal->object,
					      room));
}

/* A call without one runs on a thread of the device. */
static plait_status enter_inbox(plait__command_operands *operands,
				const plait_command *command,
				const plait__queue *queue, plait_error *error)
{
	const uint32_t needed = PLAIT_CAP_NOTIFY | PLAIT_CAP_GATE;
	plait_status status;

	if (command->inbox == NULL)
		return plait__device_check_can(queue->device,
					       PLAIT_CAP_HOST_CALL,
					       "run host functions; give the "
					       "call an inbox", error);
	status = plait__inbox_enter(command->inbox, &operands->inbox, error);
	if (status == PLAIT_OK)
		status = plait__context_check_same(&operands->inbox->object,
						   &queue->object, error);
	if (status != PLAIT_OK || (queue->port->all & needed) == needed)
		return status;
	return plait__fail(error, PLAIT_E_UNSUPPORTED,
			   "backend %s has no notifications or no gates, which "
			   "a call of an inbox needs",
			   queue->port->backend->name);
}

plait_status plait__validate_command(plait__command_operands *operands,
				     const plait_command *command,
				     const plait__queue *queue,
				     plait__object **late, plait_error *error)
{
	plait_status status = check_fields(command, error);
	uint32_t fields;

	operands->target = operands->source = NULL;
	operands->signal = NULL;
	operands->inbox = NULL;
	if (status != PLAIT_OK)
		return status;
	fields = kinds[command->kind].fields;
	if ((fields & (HAS_TARGET | HAS_SOURCE)) != 0)
		status = enter_memory(operands, command, queue, error);
	else if ((fields & HAS_SIGNAL) != 0)
		status = enter_signal(operands, command, queue, error);
	else if ((fields & HAS_INBOX) != 0)
		status = enter_inbox(operands, command, queue, error);
	if (status != PLAIT_OK)
		plait__validate_command_leave(operands, late);
	return status;
}

void plait__validate_command_leave(const plait__command_operands *operands,
				   plait__object **late)
{
	if (operands->target != NULL)
		plait__object_leave_deferred(&operands->target->object, late);
	if (operands->source != NULL)
		plait__object_leave_deferred(&operands->source->object, late);
	if (operands->signal != NULL)
		plait__object_leave_deferred(&operands->signal->object, late);
	if (operands->inbox != NULL)
		plait__object_leave_deferred(&operands->inbox->object, late);
}
