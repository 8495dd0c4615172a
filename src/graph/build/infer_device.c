/* SPDX-License-Identifier: MIT */
/*
 * Device inference: the device that the node names; else that of its first
 * buffer; else that of its first predecessor; else the graph's first, or the
 * context's first if the graph has none yet.  Memory, signals and code must be
 * usable there: objects of another backend are refused here, not during a run.
 */
#include "graph/build/infer_device.h"

#include "graph/build/object_refs.h"
#include "graph/build/recent_launches.h"
#include "base/error.h"
#include "base/text.h"
#include "object/context/device.h"
#include "object/kernel/kernel.h"
#include "object/memory/image.h"
#include "object/signal/signal.h"
#include "plan/access.h"

/* Bytes of a label in a message. */
enum { LABEL_BYTES = 40 };

static plait_status fail(const plait__node_draft *draft, const char *what)
{
	char room[PLAIT__REFS_TEXT_BYTES];

	return plait__fail(draft->error, PLAIT_E_INVALID, "%s: %s",
			   plait__refs_node_text(draft, room), what);
}

static plait_status no_memory(const plait__node_draft *draft)
{
	char room[PLAIT__REFS_TEXT_BYTES];

	return plait__fail(draft->error, PLAIT_E_NOMEM, "no memory for %s",
			   plait__refs_node_text(draft, room));
}

/* Return the device of an index; null for a name without a device. */
static const plait__device *device_at(const plait__node_draft *draft,
				      uint32_t index)
{
	const plait__store *store = draft->graph->store;

	return *(plait__device **)plait__vector_at(&store->device_objects,
						   index);
}

/* ---- capabilities that the node needs ---- */

/* Returns true for nodes without work, which any device can have. */
static bool is_idle(const plait__node_draft *draft)
{
	return draft->node.kind == PLAIT__CMD_JOIN ||
	       draft->node.kind == PLAIT__CMD_MARK;
}

/* Return the phrase for what `device` lacks for this node, or null.  Kind and
 * objects of the node are resolved. */
static const char *missing_capability(const plait__node_draft *draft,
				      const plait__device *device)
{
	const plait_node_desc *desc = draft->desc;
	const uint32_t remote = PLAIT_CAP_NOTIFY | PLAIT_CAP_GATE;
	bool calls = draft->payload.object != PLAIT__NONE &&
		     draft->payload.small != PLAIT__PAYLOAD_SIGNAL;

	if (draft->node.kind == PLAIT__CMD_LAUNCH)
		return plait__kernel_lacks(*(plait__kernel **)plait__vector_at(
			&draft->graph->store->objects[PLAIT__STORE_KERNELS],
			draft->payload.kernel), device);
	if (calls && desc->inbox == NULL &&
	    !(plait__device_facts(device)->capabilities &
	      PLAIT_CAP_HOST_CALL))
		return "cannot run host functions; give it an inbox, or name "
		       "another device";
	if (calls && desc->inbox != NULL &&
	    (device->port->all & remote) != remote)
		return "has no notifications or no gates, which an inbox "
		       "needs";
	return NULL;
}

static plait_status check_able(const plait__node_draft *draft, uint32_t index)
{
	const plait__device *device = device_at(draft, index);
	char room[PLAIT__REFS_TEXT_BYTES];
	const char *what =
		device != NULL ? missing_capability(draft, device) : NULL;

	if (what == NULL)
		return PLAIT_OK;
	return plait__fail(draft->error, PLAIT_E_UNSUPPORTED,
			   "%s: device %s %s",
			   plait__refs_node_text(draft, room),
			   device->object.label, what);
}

/* ---- memory and signals of the device's backend ---- */

/* `number`: names an object that has no label. */
static plait_status fail_foreign(const plait__node_draft *draft,
				 const char *what, const char *label,
				 uint32_t number, const plait__device *owner,
				 const plait__device *device)
{
	char room[PLAIT__REFS_TEXT_BYTES];

	if (label[0] == '\0')
		return plait__fail(draft->error, PLAIT_E_UNSUPPORTED,
				   "%s: %s %u of the graph is of %s, the node "
				   "runs on %s; between backends the host has "
				   "to wait and to copy",
				   plait__refs_node_text(draft, room), what,
				   number, owner->object.label,
				   device->object.label);
	return plait__fail(draft->error, PLAIT_E_UNSUPPORTED,
			   "%s: %s \"%.*s\" is of %s, the node runs on %s; "
			   "between backends the host has to wait and to copy",
			   plait__refs_node_text(draft, room), what,
			   PLAIT__TEXT_FIT(label, LABEL_BYTES),
			   owner->object.label, device->object.label);
}

/* Returns true if the host moves the bytes because no backend knows both
 * memories: the node's device calls it, and it maps the other backend's
 * memory. */
static bool host_moves(const plait__node_draft *draft,
		       const plait__device *device, const plait__device *owner,
		       uint32_t slot)
{
	return plait__image_has_address(plait__refs_buffer(draft, slot)) &&
	       (draft->node.kind == PLAIT__CMD_COPY ||
		draft->node.kind == PLAIT__CMD_FILL ||
		draft->node.kind == PLAIT__CMD_REGION) &&
	       (plait__device_facts(device)->capabilities &
		PLAIT_CAP_HOST_CALL) != 0 &&
	       (owner->port->all & PLAIT_CAP_MAP) != 0;
}

static plait_status check_slot(const plait__node_draft *draft, uint32_t slot,
			       uint32_t index, const plait__device *device)
{
	const plait__store *store = draft->graph->store;
	const plait__plan_slot *entry = plait__vector_at(&store->slots, slot);
	const plait__device *owner;

	if (entry->device == index)
		return PLAIT_OK;
	owner = device_at(draft, entry->device);
	if (owner == NULL || owner->port == device->port ||
	    host_moves(draft, device, owner, slot))
		return PLAIT_OK;
	return fail_foreign(draft, "buffer",
			    plait__vector_at(&store->strings, entry->name),
			    slot, owner, device);
}

/* Return a slot; for a rotation its first, since all are on one device. */
static uint32_t slot_of(const plait__store *store, uint32_t object)
{
	const plait__plan_rotation *rotation;

	if (!plait__access_is_rotation(object))
		return object;
	rotation = plait__vector_at(&store->rotations,
				    plait__access_number(object));
	return *(uint32_t *)plait__vector_at(&store->rotation_slots,
					     rotation->slot_first);
}

/* has_signal has been true. */
static plait_status check_signal(const plait__node_draft *draft,
				 const plait__device *device)
{
	const plait__store *store = draft->graph->store;
	const plait__signal *signal = *(plait__signal **)plait__vector_at(
		&store->objects[PLAIT__STORE_SIGNALS],
		draft->payload.object);

	if (signal->port == device->port)
		return PLAIT_OK;
	return fail_foreign(draft, "signal", signal->object.label,
			    draft->payload.object, &signal->port->devices[0], device);
}

static bool has_signal(const plait__node_draft *draft)
{
	return draft->node.kind == PLAIT__CMD_EMIT ||
	       draft->node.kind == PLAIT__CMD_WAIT;
}

/* Check that a device has access to the memory and the signal of the node. */
static plait_status check_access(const plait__node_draft *draft, uint32_t index)
{
	const plait__store *store = draft->graph->store;
	const plait__device *device = device_at(draft, index);
	plait_status status = PLAIT_OK;

	/* With one backend nothing can belong to another. */
	if (device == NULL || draft->graph->object.context->port_count == 1)
		return PLAIT_OK;
	for (uint32_t i = 0; status == PLAIT_OK &&
	     i < draft->node.access_count; i++) {
		const plait__plan_access *access = plait__vector_at(
			&store->accesses, draft->node.access_first + i);

		if (!plait__access_is_param(access->object))
			status = check_slot(draft, slot_of(store,
							   access->object),
					    index, device);
	}
	if (status == PLAIT_OK && has_signal(draft))
		status = check_signal(draft, device);
	return status;
}

/* ---- choice ---- */

/* After a failure the caller cuts the table back. */
static plait_status set_several(plait__node_draft *draft)
{
	const plait_node_desc *desc = draft->desc;
	plait__vector *sets = &draft->graph->store->device_sets;
	uint32_t first = sets->count;

	if (desc->devices == NULL)
		return fail(draft, "devices is null");
	if (desc->device_count > UINT16_MAX)
		return fail(draft, "device_count is above 65535");
	for (uint32_t i = 0; i < desc->device_count; i++) {
		uint32_t device = plait__refs_device(draft,
						     desc->devices[i]);

		if (device == PLAIT__NONE)
			return draft->error->status;
		for (uint32_t k = first; k < sets->count; k++)
			if (*(uint32_t *)plait__vector_at(sets, k) == device)
				return fail(draft, "a device occurs "
							    "twice in devices");
		if (plait__vector_push(sets, &device, 1) == NULL)
			return no_memory(draft);
	}
	draft->node.device = first;
	draft->node.device_count = (uint16_t)desc->device_count;
	return PLAIT_OK;
}

uint32_t plait__infer_device_from_preds(plait__node_draft *draft,
					const uint32_t *after, uint64_t count)
{
	const plait__store *store = draft->graph->store;
	const plait__store_scope *scope = plait__store_scope_at(
		store, draft->graph->scope);
	const plait__input_node *before;

	if (draft->first_buffer_device != PLAIT__NONE)
		return draft->first_buffer_device;
	if (count == 0)
		return plait__refs_context_device(draft);
	before = plait__vector_at(&scope->nodes, after[0]);
	if (before->device_count == 1)
		return before->device;
	return *(uint32_t *)plait__vector_at(&store->device_sets,
					     before->device);
}

/* Returns true if the device has what the node needs. */
static bool can_run(const plait__node_draft *draft, const plait__device *device)
{
	const plait__store *store = draft->graph->store;

	if (has_signal(draft))
		return (*(plait__signal **)plait__vector_at(
				&store->objects[PLAIT__STORE_SIGNALS],
				draft->payload.object))->port ==
		       device->port;
	return missing_capability(draft, device) == NULL;
}

/* Choose a device.  A node without buffers that the inferred device cannot run
 * goes to the first device of the context that can. */
static uint32_t choose_device(plait__node_draft *draft, const uint32_t *after,
			      uint64_t count)
{
	plait__context *context = draft->graph->object.context;
	uint32_t at = plait__infer_device_from_preds(draft, after, count);
	const plait__device *device;

	if (at == PLAIT__NONE || is_idle(draft) ||
	    draft->first_buffer_device != PLAIT__NONE)
		return at;
	device = device_at(draft, at);
	if (device == NULL || can_run(draft, device))
		return at;
	for (uint32_t i = 0; i < context->device_count; i++)
		if (can_run(draft, &context->devices[i]))
			return plait__refs_add_device(
				draft, &context->devices[i]);
	return at;
}

/* Return the recent entry of a launch's kernel, or null. */
static plait__store_kernel *recent_kernel(const plait__node_draft *draft)
{
	plait__store_kernel *kernel = NULL;

	if (draft->node.kind == PLAIT__CMD_LAUNCH)
		kernel = plait__recent_kernel(draft->graph->store,
					      draft->desc->kernel);
	return kernel != NULL && kernel->kernel == draft->payload.kernel ?
	       kernel : NULL;
}

/* Check capabilities, except for a kernel that the last check accepted on this
 * device. */
static plait_status check_recent(const plait__node_draft *draft,
				 uint32_t index)
{
	plait__store_kernel *kernel = recent_kernel(draft);
	plait_status status;

	if (kernel != NULL && kernel->device == index)
		return PLAIT_OK;
	status = check_able(draft, index);
	if (status == PLAIT_OK && kernel != NULL)
		kernel->device = index;
	return status;
}

/* Check each device of a group; of other nodes on several devices the first,
 * which alone has the work. */
static plait_status check_all(const plait__node_draft *draft)
{
	bool group = draft->node.meaning == PLAIT__MEANING_GROUP;
	uint32_t count = group ? draft->node.device_count : 1;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < count; i++) {
		uint32_t device = draft->node.device;

		if (draft->node.device_count > 1)
			device = *(uint32_t *)plait__vector_at(
				&draft->graph->store->device_sets,
				device + i);
		status = check_recent(draft, device);
		if (status == PLAIT_OK)
			status = check_access(draft, device);
	}
	return status;
}

/* Returns true for a recent kernel with its first buffer on its recent device,
 * in a context of one backend: no check is needed. */
static bool is_recent_device(const plait__node_draft *draft)
{
	const plait__store_kernel *kernel = recent_kernel(draft);
	const plait_node_desc *desc = draft->desc;

	return kernel != NULL &&
	       draft->first_buffer_device != PLAIT__NONE &&
	       kernel->device == draft->first_buffer_device &&
	       (desc->flags | desc->device_count | (uintptr_t)desc->device) ==
	       0 && draft->graph->object.context->port_count == 1;
}

plait_status plait__infer_device(plait__node_draft *draft,
				 const uint32_t *after, uint64_t count)
{
	const plait_node_desc *desc = draft->desc;
	plait_status status = PLAIT_OK;

	if (is_recent_device(draft)) {
		draft->node.device = draft->first_buffer_device;
		draft->node.device_count = 1;
		return PLAIT_OK;
	}
	if (desc->flags & PLAIT_NODE_ON_ALL_BARRIER)
		draft->node.meaning = PLAIT__MEANING_BARRIER;
	if (desc->flags & PLAIT_NODE_ON_ALL_GROUP)
		draft->node.meaning = PLAIT__MEANING_GROUP;
	if (desc->device_count > 1) {
		status = set_several(draft);
	} else {
		draft->node.device_count = 1;
		draft->node.device = desc->device != NULL ?
			plait__refs_device(draft, desc->device) :
			choose_device(draft, after, count);
		if (draft->node.device == PLAIT__NONE)
			status = draft->error->status;
	}
	return status == PLAIT_OK && !is_idle(draft) ? check_all(draft) :
	       status;
}
