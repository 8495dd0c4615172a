/* SPDX-License-Identifier: MIT */
/* Host mappings of buffers; the root records all of them. */
#include "object/memory/buffer.h"
#include "object/memory/buffer_check.h"
#include "object/memory/image.h"
#include "object/context/device.h"
#include "object/context/backend_result.h"

#include "base/alloc.h"
#include "base/error.h"

/* check_map has accepted the range and the flags. */
static plait_status map_raw(plait__buffer *buffer, uint64_t offset,
			    uint64_t bytes, uint32_t flags, void **out,
			    plait_error *error)
{
	plait__backend *backend = buffer->device->port->backend;
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	status = backend->table.memory_map(backend->self, buffer->root->raw,
					   buffer->offset + offset, bytes,
					   flags, out, &room);
	return plait__backend_result_check_created(buffer->device->port, status,
						   "memory_map", *out, &room,
						   error);
}

/* `take` has unlinked the mapping, so no other thread unmaps it. */
static plait_status unmap_raw(plait__buffer *buffer, void *pointer,
			      plait_error *error)
{
	plait__backend *backend = buffer->device->port->backend;
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	status = backend->table.memory_unmap(backend->self, buffer->root->raw,
					     pointer, &room);
	return plait__backend_result_check(buffer->device->port, status,
					   "memory_unmap", &room, error);
}

static plait_status check_map(const plait__buffer *buffer, uint64_t offset,
			      uint64_t bytes, uint32_t flags,
			      plait_error *error)
{
	if (flags == 0 || (flags & ~(uint32_t)(PLAIT_MAP_READ |
					       PLAIT_MAP_WRITE)) != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "map: flags 0x%x are not PLAIT_MAP_READ, "
				   "PLAIT_MAP_WRITE or both", (unsigned)flags);
	if (bytes == 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "map: 0 bytes have no address");
	if ((flags & PLAIT_MAP_WRITE) != 0 && buffer->root->read_only)
		return plait__buffer_check_write(buffer, error);
	if (plait__image_is(buffer))
		return plait__image_refuse(buffer, "be mapped", error);
	return plait__buffer_check_range(buffer, offset, bytes, "map range",
					 error);
}

/* The record is made first, so that nothing fails behind the backend's call. */
static plait_status map(plait__buffer *buffer, uint64_t offset, uint64_t bytes,
			uint32_t flags, void **out, plait_error *error)
{
	const plait_allocator *allocator =
		plait__context_allocator(buffer->object.context);
	plait__buffer *root = buffer->root;
	struct plait__mapping *mapping;
	plait_status status;

	mapping = plait__alloc(allocator, sizeof(*mapping));
	if (mapping == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to record a mapping");
	status = map_raw(buffer, offset, bytes, flags, out, error);
	if (status != PLAIT_OK) {
		plait__free(allocator, mapping, sizeof(*mapping));
		return status;
	}
	mapping->buffer = buffer;
	mapping->pointer = *out;
	mapping->offset = buffer->offset + offset;
	mapping->bytes = bytes;
	plait__mutex_lock(&root->map_lock);
	mapping->next = root->mappings;
	root->mappings = mapping;
	plait__mutex_unlock(&root->map_lock);
	return PLAIT_OK;
}

plait_status plait__buffer_map_held(plait__buffer *buffer,
				    uint64_t offset_bytes, uint64_t bytes,
				    uint32_t flags, void **out_pointer,
				    plait_error *error)
{
	plait_status status = check_map(buffer, offset_bytes, bytes, flags,
					error);

	if (status == PLAIT_OK)
		status = plait__device_check_can(buffer->device, PLAIT_CAP_MAP,
						 "map memory", error);
	return status == PLAIT_OK ? map(buffer, offset_bytes, bytes, flags,
					out_pointer, error) : status;
}

PLAIT_API plait_status plait_buffer_map(plait_buffer *buffer,
					uint64_t offset_bytes, uint64_t bytes,
					uint32_t flags, void **out_pointer,
					plait_error *error)
{
	plait__buffer *self;
	plait_status status;

	if (out_pointer != NULL)
		*out_pointer = NULL;
	status = plait__buffer_enter(buffer, &self, error);
	if (status != PLAIT_OK)
		return status;
	if (out_pointer == NULL)
		status = plait__fail(error, PLAIT_E_INVALID,
				     "out_pointer is null");
	else
		status = plait__buffer_map_held(self, offset_bytes, bytes,
						flags, out_pointer, error);
	plait__object_leave(&self->object);
	return status;
}

/* Unlink a mapping with this pointer that was made through this buffer. */
static struct plait__mapping *take(plait__buffer *buffer, const void *pointer)
{
	plait__buffer *root = buffer->root;
	struct plait__mapping **link;
	struct plait__mapping *found;

	plait__mutex_lock(&root->map_lock);
	link = &root->mappings;
	while (*link != NULL && ((*link)->pointer != pointer ||
				 (*link)->buffer != buffer))
		link = &(*link)->next;
	found = *link;
	if (found != NULL)
		*link = found->next;
	plait__mutex_unlock(&root->map_lock);
	return found;
}

/* Off the list before the backend's call, so that no other thread unmaps it;
 * back after a failure. */
static plait_status unmap(plait__buffer *buffer, void *pointer,
			  plait_error *error)
{
	struct plait__mapping *mapping = take(buffer, pointer);
	plait__buffer *root = buffer->root;
	char room[PLAIT__OBJECT_NAME_BYTES];
	plait_status status;

	if (mapping == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%p is not a mapping of %s", pointer,
				   plait__object_name(&buffer->object, room));
	status = unmap_raw(buffer, pointer, error);
	if (status == PLAIT_OK) {
		plait__free(plait__context_allocator(buffer->object.context),
			    mapping, sizeof(*mapping));
		return PLAIT_OK;
	}
	plait__mutex_lock(&root->map_lock);
	mapping->next = root->mappings;
	root->mappings = mapping;
	plait__mutex_unlock(&root->map_lock);
	return status;
}

plait_status plait__buffer_unmap_held(plait__buffer *buffer, void *pointer,
				      plait_error *error)
{
	return unmap(buffer, pointer, error);
}

PLAIT_API plait_status plait_buffer_unmap(plait_buffer *buffer, void *pointer,
					  plait_error *error)
{
	plait__buffer *self;
	plait_status status = plait__buffer_enter(buffer, &self, error);

	if (status != PLAIT_OK)
		return status;
	status = unmap(self, pointer, error);
	plait__object_leave(&self->object);
	return status;
}

void plait__buffer_unmap_all(plait__buffer *root)
{
	const plait_allocator *allocator =
		plait__context_allocator(root->object.context);
	struct plait__mapping *mapping;

	while ((mapping = root->mappings) != NULL) {
		root->mappings = mapping->next;
		(void)unmap_raw(root, mapping->pointer, NULL);
		plait__free(allocator, mapping, sizeof(*mapping));
	}
}
