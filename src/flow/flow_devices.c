/* SPDX-License-Identifier: MIT */
/* Devices of flows; see flow_devices.h. */
#include "flow/flow_devices.h"

#include "flow/device_choice.h"
#include "flow/flow.h"

#include "base/alloc.h"
#include "base/error.h"
#include "object/context/device_link.h"

/* ---- the descriptor ---- */

static plait_status take_device(plait__flow_devices *devices,
				const plait__flow *flow, plait_device *handle,
				plait_error *error)
{
	plait__flow_device *out = &devices->items[devices->count];
	plait__device *device;
	plait_status status = plait__device_enter(handle, &device, error);

	if (status != PLAIT_OK)
		return status;
	if (device->object.context != flow->object.context)
		status = plait__fail(error, PLAIT_E_HANDLE,
				     "%s is of another context",
				     device->object.label);
	for (uint32_t i = 0; status == PLAIT_OK && i < devices->count; i++)
		if (devices->items[i].device == device)
			status = plait__fail(error, PLAIT_E_INVALID,
					     "%s is there twice",
					     device->object.label);
	if (status == PLAIT_OK && !plait__device_is_host(device))
		status = plait__device_check_can(device, PLAIT_CAP_NOTIFY,
						 "tell a flow that tasks have "
						 "ended", error);
	if (status == PLAIT_OK) {
		out->device = device;
		devices->count++;
	}
	plait__device_leave(device);
	return status;
}

static plait_status take_devices(plait__flow_devices *devices,
				 const plait__flow *flow,
				 const plait_flow_desc *desc,
				 plait_error *error)
{
	plait_status status = PLAIT_OK;

	if (desc->devices == NULL || desc->device_count > PLAIT__MEMORY_DEVICES)
		return plait__fail(error, PLAIT_E_INVALID,
				   desc->devices == NULL ?
					   "plait_flow_desc: devices is null" :
					   "plait_flow_desc: %u devices; at "
					   "most %d", desc->device_count,
				   PLAIT__MEMORY_DEVICES);
	for (uint32_t i = 0; status == PLAIT_OK && i < desc->device_count;
	     i++) {
		status = take_device(devices, flow, desc->devices[i], error);
		if (status != PLAIT_OK)
			plait__error_prefix(error,
					    "plait_flow_desc: device %u: ", i);
	}
	return status;
}

/* ---- memories ---- */

/* The memory of device i: that of one before it, or a new one. */
static uint32_t find_memory(plait__flow_devices *devices, uint32_t i)
{
	const plait__device *device = devices->items[i].device;

	if (plait__device_is_host(device))
		return PLAIT__MEMORY_HOST;
	for (uint32_t k = 0; k < i; k++) {
		const plait__device *other = devices->items[k].device;

		if (!plait__device_is_host(other) &&
		    other->port == device->port &&
		    other->memory == device->memory)
			return devices->items[k].memory;
	}
	return devices->system.memories++;
}

/* Returns true if copies from one device to the other are one command. */
static bool reaches(const plait__device *from, const plait__device *to)
{
	plait_link_info link = { .size = sizeof(link) };

	return from->port == to->port &&
	       plait__device_link_query(from, to, &link, NULL) == PLAIT_OK &&
	       (link.flags & PLAIT_LINK_DIRECT) != 0;
}

static void find_memories(plait__flow_devices *devices)
{
	plait__memory_system *system = &devices->system;

	system->devices = devices->count;
	system->memories = 1;
	for (uint32_t i = 0; i < devices->count; i++) {
		devices->items[i].memory = find_memory(devices, i);
		system->memory_of[i] = devices->items[i].memory;
	}
	for (uint32_t m = 0; m < system->memories; m++)
		system->reaching[m] = UINT64_C(1) << m | 1;
	for (uint32_t i = 0; i < devices->count; i++)
		for (uint32_t k = 0; k < devices->count; k++) {
			const plait__flow_device *to = &devices->items[i];
			const plait__flow_device *from = &devices->items[k];

			if (to->memory == PLAIT__MEMORY_HOST)
				system->reaching[0] |= UINT64_C(1)
						       << from->memory;
			else if (from->memory == to->memory ||
				 reaches(from->device, to->device))
				system->reaching[to->memory] |=
					UINT64_C(1) << from->memory;
		}
	system->reaching[0] = ~UINT64_C(0) >> (64 - system->memories);
}

/* ---- lanes ---- */

/* The target of a copy that failed does not have the values; that of one before an
 * eviction is poison. */
static void set_lane_failure(void *arg, const plait__device_op *op)
{
	plait__data *whole = op->data;
	plait__front_map *map = op->memory == PLAIT__MEMORY_HOST ? &whole->map :
		&plait__data_copies_at(whole->copies, op->memory)->map;

	(void)arg;
	if (op->saves)
		return;
	plait__data_copies_lose(whole->copies, map, &op->box, op->memory,
				op->number);
}

static plait_status open_lanes(plait__flow *flow, bool measures,
			       plait_error *error)
{
	plait__flow_devices *devices = flow->devices;
	plait__device *of_lane[(PLAIT__FLOW_QUEUES + 1) *
			       PLAIT__MEMORY_DEVICES];
	uint32_t count = 0;

	for (uint32_t i = 0; i < devices->count; i++) {
		if (devices->items[i].memory == PLAIT__MEMORY_HOST)
			continue;
		devices->items[i].lane = count;
		for (uint32_t k = 0; k <= devices->queues; k++)
			of_lane[count++] = devices->items[i].device;
	}
	devices->engine.measures = measures;
	devices->engine.lanes = &flow->lanes;
	devices->engine.lock = &flow->lock;
	devices->engine.owner = &flow->object;
	devices->engine.copy_failed = set_lane_failure;
	devices->engine.allocator = plait__flow_allocator(flow);
	devices->engine.may_keep =
		plait__pool_worker_count(flow->object.context->pool) > 0;
	return plait__device_engine_init(&devices->engine, of_lane, count,
					 error);
}

static void init_room(plait__device_room *room,
		      const plait_allocator *allocator, uint64_t limit)
{
	room->limit = limit != 0 ? limit : UINT64_MAX;
	plait__vector_init(&room->wanted, allocator, sizeof(plait__data *));
	plait__vector_init(&room->trash, allocator, sizeof(plait__buffer *));
	plait__vector_init(&room->releases, allocator,
			   sizeof(plait__buffer_release));
	plait__text_init(&room->evictions, allocator);
	room->refusal.size = sizeof(room->refusal);
}

static void fini_room(plait__device_room *room)
{
	plait__vector_fini(&room->wanted);
	plait__vector_fini(&room->trash);
	plait__vector_fini(&room->releases);
	plait__text_fini(&room->evictions);
}

plait_status plait__flow_devices_make(plait__flow *flow,
				      const plait_flow_desc *desc,
				      plait_error *error)
{
	const plait_allocator *allocator = plait__flow_allocator(flow);
	plait__flow_devices *devices = plait__alloc(allocator,
						    sizeof(*devices));
	plait_status status;

	flow->devices = devices;
	if (devices == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for the devices of a flow");
	plait__vector_init(&devices->arguments, allocator,
			   sizeof(plait__data_argument));
	plait__vector_init(&devices->users, allocator, sizeof(uint64_t));
	plait__vector_init(&devices->accesses, allocator,
			   sizeof(plait__flow_access));
	plait__vector_init(&devices->missing, allocator,
			   sizeof(plait__version));
	plait__vector_init(&devices->launch, allocator, sizeof(plait_argument));
	init_room(&devices->room, allocator, desc->memory_bytes);
	status = take_devices(devices, flow, desc, error);
	if (status != PLAIT_OK)
		return status;
	find_memories(devices);
	devices->queues = desc->device_lanes != 0 ? desc->device_lanes : 1;
	status = plait__device_choice_init(flow, desc, error);
	return status != PLAIT_OK ? status :
	       open_lanes(flow, desc->history != NULL, error);
}

void plait__flow_devices_free(plait__flow *flow)
{
	plait__flow_devices *devices = flow->devices;

	if (devices == NULL)
		return;
	if (devices->engine.allocator != NULL)
		plait__device_engine_fini(&devices->engine);
	plait__kept_launches_fini(&devices->kept, plait__flow_allocator(flow));
	plait__device_choice_fini(flow);
	plait__vector_fini(&devices->arguments);
	plait__vector_fini(&devices->accesses);
	plait__vector_fini(&devices->missing);
	plait__vector_fini(&devices->users);
	plait__vector_fini(&devices->launch);
	fini_room(&devices->room);
	plait__free(plait__flow_allocator(flow), devices, sizeof(*devices));
}

void plait__flow_devices_drop_launches(plait__flow *flow)
{
	plait__launch_record *list;

	if (flow->devices == NULL)
		return;
	plait__flow_lock(flow);
	list = plait__kept_launches_take(&flow->devices->kept);
	plait__flow_unlock(flow);
	if (list == NULL)
		return;
	plait__kept_launches_drop(list);
	plait__flow_lock(flow);
	flow->devices->kept.dropped++;
	plait__flow_unlock(flow);
}

void plait__flow_devices_drop_launches_deferred(plait__flow *flow)
{
	plait__launch_record *list, *next;

	if (flow->devices == NULL)
		return;
	list = plait__kept_launches_take(&flow->devices->kept);
	if (list == NULL)
		return;
	for (; list != NULL; list = next) {
		next = list->next;
		plait__object_drop_deferred(&list->object);
	}
	/* A buffer that gets no memory has the deferred drops done first. */
	flow->devices->kept.dropped++;
}

void plait__flow_devices_free_copies(plait__flow *flow,
				     plait__data_copies *copies)
{
	if (copies != NULL && copies->is_kept)
		plait__flow_devices_drop_launches(flow);
	plait__data_copies_free(copies, plait__flow_allocator(flow));
}
