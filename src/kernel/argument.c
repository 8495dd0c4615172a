/* SPDX-License-Identifier: MIT */
/* Checks of arguments against parameters; see argument.h. */
#include "kernel/argument.h"

#include "plait/image.h"

#include <stdio.h>
#include <string.h>

/*
 * Returns true for the bits of a handle (handle_table.h): its type is above bit
 * 48, and it is below 2^53.  No memory of a process is there, unless it asked
 * the system for addresses that need more than 47 bits.
 */
static bool is_handle(const void *value)
{
	uint64_t word;

	memcpy(&word, value, sizeof(word));
	return word >> 48 != 0 && word >> 53 == 0;
}

static bool is_sampler(const void *value)
{
	plait_sampler_flags flags;

	memcpy(&flags, value, sizeof(flags));
	return (flags & ~(uint32_t)(PLAIT_SAMPLER_LINEAR |
				    PLAIT_SAMPLER_ZERO)) == 0;
}

static const char *wrong_bytes(const plait__parameter *parameter,
			       uint64_t bytes,
			       char room[PLAIT__ARGUMENT_FAULT_ROOM])
{
	if (room == NULL)
		return "bytes is not the size of the type";
	(void)snprintf(room, PLAIT__ARGUMENT_FAULT_ROOM,
		       "bytes is %llu, not %u, the size of its type %s",
		       (unsigned long long)bytes, parameter->bytes,
		       plait__type_name(parameter->type));
	return room;
}

const char *plait__argument_check_value(const plait__parameter *parameter,
					const void *value, uint64_t bytes,
					char room[PLAIT__ARGUMENT_FAULT_ROOM])
{
	if (parameter->type == PLAIT__TYPE_LOCAL)
		return "local memory takes no value: set kind to "
		       "PLAIT_ARGUMENT_LOCAL and bytes to its size";
	if (plait__signature_is_image(parameter))
		return "an image takes no value: set kind to "
		       "PLAIT_ARGUMENT_BUFFER and buffer to the image";
	if (value == NULL)
		return "value is null";
	if (bytes != parameter->bytes)
		return wrong_bytes(parameter, bytes, room);
	/* Reading any other byte as a bool is undefined behaviour. */
	if (parameter->type == PLAIT__TYPE_BOOL &&
	    *(const unsigned char *)value > 1)
		return "a bool is a byte of 0 or 1";
	if (parameter->type == PLAIT__TYPE_SAMPLER &&
	    !is_sampler(value))
		return "a sampler is PLAIT_SAMPLER_... flags";
	if (parameter->type == PLAIT__TYPE_POINTER && is_handle(value))
		return "value is a handle, not an address: set kind to "
		       "PLAIT_ARGUMENT_BUFFER and buffer to the handle";
	return NULL;
}

const char *plait__argument_check_memory(const plait__parameter *parameter,
					 uint64_t offset)
{
	uint32_t bytes;

	if (parameter->type == PLAIT__TYPE_LOCAL)
		return "local memory takes no buffer: set kind to "
		       "PLAIT_ARGUMENT_LOCAL and bytes to its size";
	if (parameter->type != PLAIT__TYPE_POINTER)
		return "a buffer needs a pointer";
	if (offset == 0)
		return NULL;
	bytes = plait__type_bytes(parameter->element);
	if (bytes != 0 && offset % bytes != 0)
		return "the memory is not aligned for its elements; "
		       "offset_bytes must be a multiple of their size";
	return NULL;
}

const char *plait__argument_check_local(const plait__parameter *parameter,
					uint64_t bytes,
					char room[PLAIT__ARGUMENT_FAULT_ROOM])
{
	uint32_t element = plait__type_bytes(parameter->element);

	if (parameter->type != PLAIT__TYPE_LOCAL)
		return "bytes of local memory need a local parameter";
	if (bytes == 0)
		return "local memory of 0 bytes; it needs one element or more";
	if (bytes % element == 0)
		return NULL;
	if (room == NULL)
		return "bytes of local memory that are no multiple of the "
		       "element's size";
	(void)snprintf(room, PLAIT__ARGUMENT_FAULT_ROOM,
		       "%llu bytes of local memory are not a multiple of %u, "
		       "the size of %s", (unsigned long long)bytes, element,
		       plait__type_name(parameter->element));
	return room;
}

const char *plait__argument_type(const plait__parameter *parameter,
				 char room[PLAIT__ARGUMENT_TYPE_ROOM])
{
	const char *element = plait__type_name(parameter->element);

	if (parameter->is_chunk)
		(void)snprintf(room, PLAIT__ARGUMENT_TYPE_ROOM, "chunk");
	else if (parameter->array != 0)
		(void)snprintf(room, PLAIT__ARGUMENT_TYPE_ROOM, "array%u %s",
			       parameter->array, element);
	else if (plait__type_is_struct(parameter->type))
		(void)snprintf(room, PLAIT__ARGUMENT_TYPE_ROOM, "struct %u",
			       parameter->bytes);
	else if (plait__signature_is_image(parameter))
		(void)snprintf(room, PLAIT__ARGUMENT_TYPE_ROOM, "image");
	else
		(void)snprintf(room, PLAIT__ARGUMENT_TYPE_ROOM, "%s%s%s",
		       plait__type_name(parameter->type),
		       *element != '\0' ? " " : "", element);
	return room;
}
