/* SPDX-License-Identifier: MIT */
/*
 * Resolution of handles to table indices.  The root graph holds each object
 * from its first use, an inbox once for each function; plait__graph_cut() drops
 * the holds of a refused node.
 */
#include "graph/build/object_refs.h"

#include "graph/build/graph.h"
#include "graph/store/unique_values.h"
#include "base/error.h"
#include "base/text.h"
#include "object/context/device.h"
#include "object/inbox/inbox.h"
#include "object/kernel/kernel.h"
#include "object/memory/buffer.h"
#include "object/signal/signal.h"

#include <stdio.h>

/* Bytes of a label and of the end of a file name in a message. */
enum { LABEL_BYTES = 48, FILE_BYTES = 40 };

/* Describe a node by its label, or by the index of the next node in its body: its
 * own, but for a subgraph whose first nodes have been copied.  draft->graph is null
 * if its handle was refused. */
static void describe(const plait__node_draft *draft,
		     char room[PLAIT__REFS_TEXT_BYTES])
{
	const char *label = draft->desc->label;
	char label_room[PLAIT__TEXT_CUT_BYTES];

	if (label != NULL && label[0] != '\0')
		(void)snprintf(room, PLAIT__REFS_TEXT_BYTES, "\"%s\"",
			       plait__text_start(label, LABEL_BYTES,
						 label_room));
	else if (draft->graph == NULL)
		(void)snprintf(room, PLAIT__REFS_TEXT_BYTES, "without a label");
	else
		(void)snprintf(room, PLAIT__REFS_TEXT_BYTES, "%u",
			       plait__store_scope_at(draft->graph->store,
						     draft->graph->scope)
				       ->nodes.count);
}

const char *plait__refs_node_text(const plait__node_draft *draft,
				  char room[PLAIT__REFS_TEXT_BYTES])
{
	const plait_node_desc *desc = draft->desc;
	char name[PLAIT__REFS_TEXT_BYTES], file[PLAIT__TEXT_CUT_BYTES];

	describe(draft, name);
	if (draft->instead != NULL)
		(void)snprintf(room, PLAIT__REFS_TEXT_BYTES, "%s",
			       draft->instead);
	else if (desc->file != NULL)
		(void)snprintf(room, PLAIT__REFS_TEXT_BYTES,
			       "node %.60s (%s:%u)", name,
			       plait__text_path(desc->file, FILE_BYTES, file),
			       desc->line);
	else
		(void)snprintf(room, PLAIT__REFS_TEXT_BYTES, "node %.60s",
			       name);
	return room;
}

plait_status plait__refs_prefix_error(const plait__node_draft *draft,
				      const char *what)
{
	char room[PLAIT__REFS_TEXT_BYTES];

	/* An error without memory names the node itself. */
	if (draft->error->status != PLAIT_E_NOMEM)
		plait__error_prefix(draft->error, "%s: %s: ",
				    plait__refs_node_text(draft, room), what);
	return draft->error->status;
}

/* Prefix the error and return PLAIT__NONE. */
static uint32_t fail_index(const plait__node_draft *draft, const char *what)
{
	(void)plait__refs_prefix_error(draft, what);
	return PLAIT__NONE;
}

static void no_memory(plait__node_draft *draft)
{
	char room[PLAIT__REFS_TEXT_BYTES];

	plait__fail(draft->error, PLAIT_E_NOMEM, "no memory for %s",
		    plait__refs_node_text(draft, room));
}

uint32_t plait__refs_add_device(plait__node_draft *draft,
				plait__device *device)
{
	uint32_t at = plait__values_device(draft->graph->store,
					   device->object.label, 0, device);

	if (at == PLAIT__NONE)
		no_memory(draft);
	return at;
}

/*
 * Find the index of a known handle.  The graph holds the object, so it suffices
 * that the handle is live: one load, no atomic update.  PLAIT__NONE: the caller
 * enters the object.
 */
static uint32_t find_handle(const plait__node_draft *draft, uint32_t kind,
			    const void *handle, int32_t type)
{
	uint32_t at = plait__values_find_handle(draft->graph->store, kind,
						handle);

	return at != PLAIT__NONE && plait__handle_is_live(handle, type) ?
	       at : PLAIT__NONE;
}

/* Record the index under its handle and return it. */
static uint32_t add_handle(plait__node_draft *draft, uint32_t kind,
			   const void *handle, uint32_t at)
{
	if (at == PLAIT__NONE ||
	    plait__values_add_handle(draft->graph->store, kind, handle,
				     at) == 0)
		return at;
	no_memory(draft);
	return PLAIT__NONE;
}

uint32_t plait__refs_device(plait__node_draft *draft, plait_device *handle)
{
	plait__device *device;
	uint32_t at = find_handle(draft, PLAIT__STORE_DEVICE_HANDLES, handle,
				  PLAIT_OBJECT_DEVICE);

	if (at != PLAIT__NONE)
		return at;
	if (plait__device_enter(handle, &device, draft->error) != PLAIT_OK)
		return fail_index(draft, "device");
	if (plait__context_check_same(&draft->graph->object, &device->object,
				      draft->error) != PLAIT_OK)
		(void)fail_index(draft, "device");
	else
		at = add_handle(draft, PLAIT__STORE_DEVICE_HANDLES, handle,
				plait__refs_add_device(draft, device));
	plait__device_leave(device);
	return at;
}

/* Return the default device: the first of the graph, else of the context. */
uint32_t plait__refs_context_device(plait__node_draft *draft)
{
	if (draft->graph->store->devices.count > 0)
		return 0;
	return plait__refs_add_device(
		draft, &draft->graph->object.context->devices[0]);
}

/* Return the index of an object; the root holds it from its first use.  Caller
 * has entered the object. */
static uint32_t add_object(plait__node_draft *draft, uint32_t kind,
			   plait__object *object)
{
	int is_new = 0;
	uint32_t at;

	if (plait__context_check_same(&draft->graph->object, object,
				      draft->error) != PLAIT_OK)
		return PLAIT__NONE;
	at = plait__values_object(draft->graph->store, kind, object, &is_new);
	if (at == PLAIT__NONE)
		no_memory(draft);
	else if (is_new)
		plait__object_hold(object);
	if (is_new && kind == PLAIT__STORE_SIGNALS)
		plait__submit_add_source((plait__signal *)(void *)object);
	return at;
}

/* Returns true unless the object is new, with its index at the table's end. */
static bool has_entry(const plait__vector *table, uint32_t at)
{
	return at < table->count;
}

/* Entry i of `kernels` is of object i. */
static uint32_t add_kernel(plait__node_draft *draft,
			   const plait__kernel *kernel, uint32_t at)
{
	plait__store *store = draft->graph->store;
	plait__plan_kernel entry;

	if (at == PLAIT__NONE || has_entry(&store->kernels, at))
		return at;
	entry.name = plait__values_string(store, kernel->signature->name);
	entry.signature = plait__values_string(store, kernel->signature->text);
	if (entry.name != PLAIT__NONE && entry.signature != PLAIT__NONE &&
	    plait__vector_push(&store->kernels, &entry, 1) != NULL)
		return at;
	no_memory(draft);
	return PLAIT__NONE;
}

static uint32_t enter_kernel(plait__node_draft *draft, plait_kernel *handle)
{
	plait__kernel *kernel;
	uint32_t at;

	if (plait__kernel_enter(handle, &kernel, draft->error) != PLAIT_OK)
		return fail_index(draft, "kernel");
	at = add_object(draft, PLAIT__STORE_KERNELS, &kernel->object);
	at = add_handle(draft, PLAIT__STORE_KERNEL_HANDLES, handle,
			add_kernel(draft, kernel, at));
	if (at == PLAIT__NONE)
		(void)fail_index(draft, "kernel");
	plait__object_leave(&kernel->object);
	return at;
}

uint32_t plait__refs_kernel(plait__node_draft *draft, plait_kernel *handle,
			    const plait__signature **out)
{
	const plait__vector *kernels =
		&draft->graph->store->objects[PLAIT__STORE_KERNELS];
	uint32_t at = find_handle(draft, PLAIT__STORE_KERNEL_HANDLES, handle,
				  PLAIT_OBJECT_KERNEL);

	if (at == PLAIT__NONE)
		at = enter_kernel(draft, handle);
	if (at != PLAIT__NONE)
		*out = (*(plait__kernel **)plait__vector_at(kernels, at))
			       ->signature;
	return at;
}

uint32_t plait__refs_signal(plait__node_draft *draft, plait_signal *handle)
{
	plait__store *store = draft->graph->store;
	plait__plan_signal entry;
	plait__object *object;
	uint32_t at;

	if (plait__object_enter(handle, PLAIT_OBJECT_SIGNAL, &object,
				draft->error) != PLAIT_OK)
		return fail_index(draft, "signal");
	at = add_object(draft, PLAIT__STORE_SIGNALS, object);
	if (at == PLAIT__NONE)
		(void)fail_index(draft, "signal");
	else if (!has_entry(&store->signals, at)) {
		plait__device *device =
			&((plait__signal *)object)->port->devices[0];

		entry.name = plait__values_string(store, object->label);
		entry.device = plait__refs_add_device(draft, device);
		if (entry.name == PLAIT__NONE ||
		    entry.device == PLAIT__NONE ||
		    plait__vector_push(&store->signals, &entry, 1) == NULL) {
			no_memory(draft);
			at = PLAIT__NONE;
		}
	}
	plait__object_leave(object);
	return at;
}

/* Set the function's inbox, held by the root from here on; null if the
 * descriptor has none. */
static plait_status enter_inbox(plait__node_draft *draft,
				plait__store_function *function)
{
	plait__object *inbox;
	plait_status status;

	if (draft->desc->inbox == NULL)
		return PLAIT_OK;
	status = plait__object_enter(draft->desc->inbox, PLAIT_OBJECT_INBOX,
				     &inbox, draft->error);
	if (status != PLAIT_OK)
		return plait__refs_prefix_error(draft, "inbox");
	status = plait__context_check_same(&draft->graph->object, inbox,
					   draft->error);
	if (status == PLAIT_OK) {
		plait__object_hold(inbox);
		function->inbox = inbox;
	} else {
		(void)plait__refs_prefix_error(draft, "inbox");
	}
	plait__object_leave(inbox);
	return status;
}

/* Functions are not shared: each node has its own user data.  Both tables get an
 * entry at the same index; after a failure plait__graph_cut cuts both.
 * plait__node_add_names has set the label. */
uint32_t plait__refs_function(plait__node_draft *draft)
{
	const plait_node_desc *desc = draft->desc;
	plait__store *store = draft->graph->store;
	plait__vector *functions = &store->objects[PLAIT__STORE_FUNCTIONS];
	plait__store_function function = { desc->function, desc->user_data,
					   NULL };
	plait__plan_function entry = { .name = draft->node.label };
	uint32_t at = functions->count;

	if (desc->flags & PLAIT_CALL_ANY_THREAD)
		entry.flags = PLAIT__FUNCTION_ANY_THREAD;
	if (desc->flags & PLAIT_CALL_COROUTINE)
		entry.flags |= PLAIT__FUNCTION_COROUTINE;
	if (desc->flags & PLAIT_CALL_FIRST_WORKER)
		entry.flags |= PLAIT__FUNCTION_FIRST_WORKER;
	if (desc->kind == PLAIT_NODE_COLLECTIVE)
		entry.flags |= PLAIT__FUNCTION_COLLECTIVE;
	if (plait__vector_push(&store->functions, &entry, 1) == NULL ||
	    plait__vector_push(functions, &function, 1) == NULL) {
		no_memory(draft);
		return PLAIT__NONE;
	}
	if (enter_inbox(draft, plait__vector_at(functions, at)) != PLAIT_OK)
		return PLAIT__NONE;
	return at;
}

/* Return the slot of a root buffer.  Slot i is buffer i; a view uses the slot
 * of its root.  Caller has entered it or a view of it. */
static uint32_t add_buffer(plait__node_draft *draft, plait__buffer *root)
{
	plait__store *store = draft->graph->store;
	plait__plan_slot slot = { .kind = PLAIT__SLOT_BOUND,
				  .param = PLAIT__NONE };
	uint32_t at = add_object(draft, PLAIT__STORE_BUFFERS,
				 &root->object);

	if (at == PLAIT__NONE || has_entry(&store->slots, at))
		return at;
	if (root->is_temporary)
		slot.kind = PLAIT__SLOT_ARENA;
	slot.bytes = root->bytes;
	slot.name = plait__values_string(store, root->object.label);
	slot.device = plait__refs_add_device(draft, root->device);
	if (slot.name != PLAIT__NONE && slot.device != PLAIT__NONE &&
	    plait__vector_push(&store->slots, &slot, 1) != NULL)
		return at;
	no_memory(draft);
	return PLAIT__NONE;
}

/* Return the range entry of a buffer handle, which may be a view.  Caller has
 * entered the buffer. */
static uint32_t add_range(plait__node_draft *draft, plait__buffer *buffer,
			  const void *handle)
{
	plait__store *store = draft->graph->store;
	plait__store_range range = { .offset = buffer->offset,
				     .bytes = buffer->bytes };
	const plait__plan_slot *slot;

	range.slot = add_buffer(draft, buffer->root);
	if (range.slot == PLAIT__NONE)
		return PLAIT__NONE;
	slot = plait__vector_at(&store->slots, range.slot);
	range.device = slot->device;
	range.is_plain = range.offset == 0 && range.bytes == slot->bytes &&
			 !buffer->root->read_only &&
			 buffer->format == PLAIT_IMAGE_NONE;
	if (plait__vector_push(&store->ranges, &range, 1) != NULL)
		return add_handle(draft, PLAIT__STORE_BUFFER_HANDLES,
				  handle, store->ranges.count - 1);
	no_memory(draft);
	return PLAIT__NONE;
}

static uint32_t enter_buffer(plait__node_draft *draft, plait_buffer *handle)
{
	plait__object *object;
	uint32_t at;

	if (plait__object_enter(handle, PLAIT_OBJECT_BUFFER, &object,
				draft->error) != PLAIT_OK)
		return PLAIT__NONE;
	at = add_range(draft, (plait__buffer *)object, handle);
	plait__object_leave(object);
	return at;
}

static plait_status fail_offset(const plait__node_draft *draft,
				const plait_buffer *handle,
				uint64_t offset)
{
	char room[PLAIT__OBJECT_NAME_BYTES];
	plait__object *object;
	plait_status status = plait__object_enter(handle, PLAIT_OBJECT_BUFFER,
						  &object, draft->error);

	if (status != PLAIT_OK)
		return status;
	status = plait__fail(draft->error, PLAIT_E_INVALID,
			     "starts at %llu of the %llu bytes of %s",
			     (unsigned long long)offset,
			     (unsigned long long)
			     ((const plait__buffer *)object)->bytes,
			     plait__object_name(object, room));
	plait__object_leave(object);
	return status;
}

/* Slot i is buffer i. */
const plait__buffer *plait__refs_buffer(const plait__node_draft *draft,
					uint32_t slot)
{
	return *(plait__buffer **)plait__vector_at(
		&draft->graph->store->objects[PLAIT__STORE_BUFFERS], slot);
}

plait_status plait__refs_range(plait__node_draft *draft, plait_buffer *handle,
			       uint64_t offset, plait__range *out)
{
	const plait__vector *ranges = &draft->graph->store->ranges;
	const plait__store_range *range;
	uint32_t at = find_handle(draft, PLAIT__STORE_BUFFER_HANDLES, handle,
				  PLAIT_OBJECT_BUFFER);

	if (at == PLAIT__NONE)
		at = enter_buffer(draft, handle);
	if (at == PLAIT__NONE)
		return draft->error->status;
	range = plait__vector_at(ranges, at);
	if (offset > range->bytes)
		return fail_offset(draft, handle, offset);
	out->slot = range->slot;
	out->offset = range->offset + offset;
	out->bytes = range->bytes - offset;
	if (draft->first_buffer_device == PLAIT__NONE)
		draft->first_buffer_device = range->device;
	return PLAIT_OK;
}
