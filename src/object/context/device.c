/* SPDX-License-Identifier: MIT */
/* Devices, their capabilities and memory budgets; see device.h. */
#include "object/context/device.h"

#include "base/sized_struct.h"
#include "base/error.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* --- memories */

/* Find an earlier device of its backend that shares the device's memory; null:
 * none. */
static const plait__device *find_sharer(const plait__device *device)
{
	uint32_t number = plait__device_facts(device)->memory;
	const plait__device *other = device->port->devices;

	for (; number != 0 && other < device; other++)
		if (plait__device_facts(other)->memory == number &&
		    !plait__device_is_host(other))
			return other;
	return NULL;
}

/* Number the memory of a device, behind those of the devices before it. */
static uint32_t number_memory(const plait__device *device)
{
	const plait__device *sharer;

	if (plait__device_is_host(device))
		return PLAIT__PROGRAM_MEMORY;
	sharer = find_sharer(device);
	return sharer != NULL ? sharer->memory :
				++device->object.context->memory_count;
}

/* --- life */

/* No destroy: the context frees all devices at once. */
static const plait__class device_class = { .type = PLAIT_OBJECT_DEVICE };

plait_status plait__device_init(plait__device *device,
				plait__backend_port *port, uint32_t index,
				plait_error *error)
{
	device->object.class = &device_class;
	device->object.context = port->context;
	device->port = port;
	device->index = index;
	device->memory = number_memory(device);
	device->budget_bytes = UINT64_MAX;
	(void)snprintf(device->object.label, sizeof(device->object.label),
		       "%s:%u", port->backend->name, (unsigned)index);
	return plait__handle_make(PLAIT_OBJECT_DEVICE, device,
				  &device->object.slot, error);
}

void plait__device_fini(plait__device *device)
{
	plait__handle_slot *slot = device->object.slot;
	plait__handle_end end;
	void *found;

	if (slot == NULL)
		return;
	end = plait__handle_release(plait__object_handle(&device->object),
				    PLAIT_OBJECT_DEVICE, &found);
	/* A thread that enters now finds the context gone, and leaves at
	 * once. */
	while (plait__handle_is_shared(slot))
		plait__thread_yield();
	if (end == PLAIT__HANDLE_LEAVE)
		(void)plait__handle_leave(slot);
	plait__handle_free(slot);
	device->object.slot = NULL;
}

plait_status plait__device_enter(plait_device *handle, plait__device **out,
				 plait_error *error)
{
	plait__object *object;
	plait_status status;
	bool alive;

	*out = NULL;
	status = plait__object_enter(handle, PLAIT_OBJECT_DEVICE, &object,
				     error);
	if (status != PLAIT_OK)
		return status;
	alive = plait__object_try_hold(&object->context->object);
	(void)plait__handle_leave(object->slot);
	if (!alive)
		return plait__fail(error, PLAIT_E_HANDLE,
				   "device handle 0x%llx: its context has "
				   "ended",
				   (unsigned long long)(uintptr_t)handle);
	*out = (plait__device *)(void *)object;
	return PLAIT_OK;
}

void plait__device_leave(plait__device *device)
{
	plait__object_drop(&device->object.context->object);
}

const plait_backend_device *plait__device_facts(const plait__device *device)
{
	return &device->port->backend->devices[device->index];
}

uint32_t plait__device_forms(const plait__device *device)
{
	const uint32_t portable = 1 << PLAIT_SOURCE_PORTABLE;
	const uint32_t languages = 1 << PLAIT_SOURCE_OPENCL_C |
				   1 << PLAIT_SOURCE_CUDA_C |
				   1 << PLAIT_SOURCE_C;
	uint32_t forms = plait__device_facts(device)->forms;

	return forms | ((forms & languages) != 0 ? portable : 0);
}

plait_status plait__device_check_can(const plait__device *device,
				     uint32_t capability, const char *what,
				     plait_error *error)
{
	if ((plait__device_facts(device)->capabilities & capability) ==
	    capability)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_UNSUPPORTED,
			   "device %s cannot %s", device->object.label, what);
}

/* --- budget */

plait_status plait__device_reserve_bytes(plait__device *device, uint64_t bytes,
					 plait_error *error)
{
	uint64_t budget;
	uint64_t left;

	plait__mutex_lock(&device->lock);
	budget = device->budget_bytes;
	left = budget > device->used_bytes ? budget - device->used_bytes : 0;
	if (bytes <= left)
		device->used_bytes += bytes;
	plait__mutex_unlock(&device->lock);
	if (bytes <= left)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_NOMEM,
			   "device %s: %llu bytes asked, %llu of its budget "
			   "of %llu left", device->object.label,
			   (unsigned long long)bytes, (unsigned long long)left,
			   (unsigned long long)budget);
}

void plait__device_unreserve_bytes(plait__device *device, uint64_t bytes)
{
	plait__mutex_lock(&device->lock);
	device->used_bytes -= bytes;
	plait__mutex_unlock(&device->lock);
}

PLAIT_API plait_status plait_device_set_budget(plait_device *device,
					       uint64_t budget_bytes,
					       plait_error *error)
{
	plait__device *self;
	plait_status status = plait__device_enter(device, &self, error);

	if (status != PLAIT_OK)
		return status;
	plait__mutex_lock(&self->lock);
	self->budget_bytes = budget_bytes;
	plait__mutex_unlock(&self->lock);
	plait__device_leave(self);
	return PLAIT_OK;
}

/* --- query */

static void describe(plait__device *device, plait_device_info *info)
{
	const plait_backend_device *facts = plait__device_facts(device);

	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	info->index = device->index;
	info->capabilities = facts->capabilities;
	info->parallel = facts->parallel;
	info->memory = device->memory;
	info->memory_bytes = facts->memory_bytes;
	info->alignment_bytes = facts->alignment_bytes;
	info->forms = plait__device_forms(device);
	info->local_bytes = facts->local_bytes;
	info->stray_notifications = plait__notification_count_strays(
		device->port);
	plait__text_copy(device->object.label, info->name, sizeof(info->name),
			 NULL);
	plait__text_copy(device->port->backend->name, info->backend,
			 sizeof(info->backend), NULL);
	plait__text_copy(facts->description, info->description,
			 sizeof(info->description), NULL);
	plait__mutex_lock(&device->lock);
	info->budget_bytes = device->budget_bytes;
	info->used_bytes = device->used_bytes;
	plait__mutex_unlock(&device->lock);
}

PLAIT_API plait_status plait_device_query(plait_device *device,
					  plait_device_info *info,
					  plait_error *error)
{
	plait_device_info found;
	plait__device *self;
	plait_status status = plait__device_enter(device, &self, error);

	if (status != PLAIT_OK)
		return status;
	describe(self, &found);
	status = PLAIT__STRUCT_WRITE(plait_device_info, info, &found, error);
	plait__device_leave(self);
	return status;
}

bool plait__device_is_host(const plait__device *device)
{
	return (plait__device_facts(device)->capabilities & PLAIT_CAP_HOST) !=
	       0;
}
