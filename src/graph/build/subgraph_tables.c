/* SPDX-License-Identifier: MIT */
/* From one store's places to another's; see subgraph_tables.h. */
#include "graph/build/subgraph_tables.h"
#include "graph/store/unique_values.h"

#include "graph/build/scopes.h"
#include "plan/access.h"
#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

static plait_status no_memory(const plait__remap *remap)
{
	char room[PLAIT__GRAPH_PLACE_ROOM];

	return plait__fail(remap->adding->error, PLAIT_E_NOMEM,
			   "no memory for %s",
			   plait__graph_place(remap->adding, room));
}

static plait_status outside(const plait__remap *remap)
{
	char room[PLAIT__GRAPH_PLACE_ROOM];

	return plait__fail(remap->adding->error, PLAIT_E_INVALID,
			   "%s: the subgraph uses the iteration or rotation "
			   "of a loop that is not part of it",
			   plait__graph_place(remap->adding, room));
}

void plait__remap_init(plait__remap *remap, plait__adding *adding,
		       plait__store *from)
{
	const plait_allocator *allocator = &adding->graph->store->allocator;

	*remap = (plait__remap){ .adding = adding, .from = from,
				 .to = adding->graph->store };
	plait__vector_init(&remap->regions, allocator, sizeof(uint32_t));
	plait__vector_init(&remap->rotations, allocator, sizeof(uint32_t));
}

void plait__remap_fini(plait__remap *remap)
{
	plait__vector_fini(&remap->regions);
	plait__vector_fini(&remap->rotations);
}

static plait_status set_place(plait__remap *remap, plait__vector *map,
			      uint32_t old, uint32_t new)
{
	if (old >= map->count &&
	    plait__vector_push(map, NULL, old + 1 - map->count) == NULL)
		return no_memory(remap);
	*(uint32_t *)plait__vector_at(map, old) = new + 1;
	return PLAIT_OK;
}

static uint32_t get_place(const plait__vector *map, uint32_t old)
{
	if (old >= map->count)
		return PLAIT__NONE;
	return *(uint32_t *)plait__vector_at(map, old) - 1;
}

/* ---- names and objects ---- */

/* The text may move while it is added to its own table. */
static plait_status copy_string(plait__remap *remap, uint32_t *string)
{
	char few[256], *text = few;
	const char *old;
	uint64_t bytes;

	if (*string == PLAIT__NONE || remap->from == remap->to)
		return PLAIT_OK;
	old = plait__vector_at(&remap->from->strings, *string);
	bytes = strlen(old) + 1;
	if (bytes > sizeof(few))
		text = plait__alloc(&remap->to->allocator, bytes);
	if (text == NULL)
		return no_memory(remap);
	memcpy(text, old, bytes);
	*string = plait__store_string(remap->to, text);
	if (text != few)
		plait__free(&remap->to->allocator, text, bytes);
	return *string != PLAIT__NONE ? PLAIT_OK : no_memory(remap);
}

plait_status plait__remap_device(plait__remap *remap, uint32_t *device)
{
	plait__input_device old;
	void *object;
	uint32_t name;
	plait_status status;

	if (remap->from == remap->to)
		return PLAIT_OK;
	old = *(plait__input_device *)plait__vector_at(&remap->from->devices,
						       *device);
	object = *(void **)plait__vector_at(&remap->from->device_objects,
					    *device);
	name = old.name;
	status = copy_string(remap, &name);
	if (status != PLAIT_OK)
		return status;
	if (object == NULL) {
		*device = plait__store_find_device(
			remap->to, plait__vector_at(&remap->to->strings,
						    name));
		if (*device != PLAIT__NONE)
			return PLAIT_OK;
	}
	*device = plait__store_device_named(remap->to, name, old.lane_limit,
					    object);
	return *device != PLAIT__NONE ? PLAIT_OK : no_memory(remap);
}

/* The same object in the other store, held by it when it is new there. */
static plait_status copy_object(plait__remap *remap, uint32_t kind,
				uint32_t old, uint32_t *out)
{
	plait__object *object = *(plait__object **)plait__vector_at(
		&remap->from->objects[kind], old);
	int is_new = 0;

	*out = plait__store_object(remap->to, kind, object, &is_new);
	if (*out == PLAIT__NONE)
		return no_memory(remap);
	if (is_new)
		plait__object_hold(object);
	return PLAIT_OK;
}

static plait_status copy_kernel(plait__remap *remap, uint32_t *kernel)
{
	plait__plan_kernel entry;
	plait_status status;
	uint32_t old = *kernel;

	if (old == PLAIT__NONE || remap->from == remap->to)
		return PLAIT_OK;
	status = copy_object(remap, PLAIT__STORE_KERNELS, old, kernel);
	if (status != PLAIT_OK || *kernel < remap->to->kernels.count)
		return status;
	entry = *(plait__plan_kernel *)plait__vector_at(&remap->from->kernels,
							old);
	status = copy_string(remap, &entry.name);
	if (status == PLAIT_OK)
		status = copy_string(remap, &entry.signature);
	if (status == PLAIT_OK &&
	    plait__vector_push(&remap->to->kernels, &entry, 1) == NULL)
		status = no_memory(remap);
	return status;
}

static plait_status copy_slot(plait__remap *remap, uint32_t *slot)
{
	plait__plan_slot entry;
	plait_status status;
	uint32_t old = *slot;

	if (remap->from == remap->to)
		return PLAIT_OK;
	status = copy_object(remap, PLAIT__STORE_BUFFERS, old, slot);
	if (status != PLAIT_OK || *slot < remap->to->slots.count)
		return status;
	entry = *(plait__plan_slot *)plait__vector_at(&remap->from->slots,
						      old);
	status = copy_string(remap, &entry.name);
	if (status == PLAIT_OK)
		status = plait__remap_device(remap, &entry.device);
	if (status == PLAIT_OK &&
	    plait__vector_push(&remap->to->slots, &entry, 1) == NULL)
		status = no_memory(remap);
	return status;
}

static plait_status copy_signal(plait__remap *remap, uint32_t *signal)
{
	plait__plan_signal entry;
	plait_status status;
	uint32_t old = *signal;

	if (remap->from == remap->to)
		return PLAIT_OK;
	status = copy_object(remap, PLAIT__STORE_SIGNALS, old, signal);
	if (status != PLAIT_OK || *signal < remap->to->signals.count)
		return status;
	entry = *(plait__plan_signal *)plait__vector_at(&remap->from->signals,
							old);
	status = copy_string(remap, &entry.name);
	if (status == PLAIT_OK)
		status = plait__remap_device(remap, &entry.device);
	if (status == PLAIT_OK &&
	    plait__vector_push(&remap->to->signals, &entry, 1) == NULL)
		status = no_memory(remap);
	return status;
}

/* Functions are copied, not shared. */
static plait_status copy_function(plait__remap *remap, uint32_t *function)
{
	plait__vector *to = &remap->to->objects[PLAIT__STORE_FUNCTIONS];
	plait__store_function code = *(plait__store_function *)
		plait__vector_at(&remap->from->objects[PLAIT__STORE_FUNCTIONS],
				 *function);
	plait__plan_function entry = *(plait__plan_function *)
		plait__vector_at(&remap->from->functions, *function);
	plait_status status = copy_string(remap, &entry.name);

	if (status != PLAIT_OK)
		return status;
	*function = to->count;
	if (plait__vector_push(&remap->to->functions, &entry, 1) == NULL ||
	    plait__vector_push(to, &code, 1) == NULL)
		return no_memory(remap);
	if (code.inbox != NULL)
		plait__object_hold(code.inbox);
	return PLAIT_OK;
}

static plait_status copy_param(plait__remap *remap, uint32_t *param)
{
	plait__plan_param entry;
	plait_status status;
	bool differs;

	if (*param == PLAIT__NONE || remap->from == remap->to)
		return PLAIT_OK;
	entry = *(plait__plan_param *)plait__vector_at(&remap->from->params,
						       *param);
	status = copy_string(remap, &entry.name);
	if (status != PLAIT_OK)
		return status;
	*param = plait__store_param(remap->to, &entry, &differs);
	if (differs) {
		char room[PLAIT__GRAPH_PLACE_ROOM];

		return plait__fail(remap->adding->error, PLAIT_E_INVALID,
				   "%s: parameter \"%s\" of the subgraph has "
				   "another type here",
				   plait__graph_place(remap->adding, room),
				   (const char *)plait__vector_at(
					   &remap->to->strings, entry.name));
	}
	return *param != PLAIT__NONE ? PLAIT_OK : no_memory(remap);
}

/* ---- loops ---- */

static plait_status copy_slots(plait__remap *remap, uint32_t from,
			       uint32_t count)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < count; i++) {
		uint32_t slot = *(uint32_t *)plait__vector_at(
			&remap->from->rotation_slots, from + i);

		status = copy_slot(remap, &slot);
		if (status == PLAIT_OK &&
		    plait__vector_push(&remap->to->rotation_slots, &slot,
				       1) == NULL)
			status = no_memory(remap);
	}
	return status;
}

static plait_status copy_rotation(plait__remap *remap, uint32_t old,
				  uint32_t region)
{
	plait__plan_rotation rotation = *(plait__plan_rotation *)
		plait__vector_at(&remap->from->rotations, old);
	uint32_t from = rotation.slot_first;
	plait_status status;

	rotation.region = region;
	rotation.slot_first = remap->to->rotation_slots.count;
	status = copy_slots(remap, from, rotation.slot_count);
	if (status == PLAIT_OK)
		status = set_place(remap, &remap->rotations, old,
				   remap->to->rotations.count);
	if (status == PLAIT_OK &&
	    plait__vector_push(&remap->to->rotations, &rotation, 1) == NULL)
		status = no_memory(remap);
	return status;
}

plait_status plait__remap_region(plait__remap *remap, uint32_t old,
				 uint32_t new)
{
	return set_place(remap, &remap->regions, old, new);
}

/* What is around the copy as it was around the original is named as before. */
static plait_status find_region(plait__remap *remap, uint32_t *region)
{
	uint32_t new = get_place(&remap->regions, *region);
	const plait__store_region *old =
		plait__vector_at(&remap->from->regions, *region);

	if (new != PLAIT__NONE)
		*region = new;
	else if (remap->from != remap->to ||
		 !plait__scope_is_in(remap->to, remap->adding->graph->scope,
				     old->input.scope_first))
		return outside(remap);
	return PLAIT_OK;
}

/* A rotation is copied when something copied uses it for the first time. */
static plait_status find_rotation(plait__remap *remap, uint32_t *rotation)
{
	const plait__plan_rotation *old =
		plait__vector_at(&remap->from->rotations, *rotation);
	uint32_t new = get_place(&remap->rotations, *rotation);
	uint32_t region = get_place(&remap->regions, old->region);
	plait_status status = PLAIT_OK;

	if (new == PLAIT__NONE && region != PLAIT__NONE) {
		new = remap->to->rotations.count;
		status = copy_rotation(remap, *rotation, region);
	}
	if (new != PLAIT__NONE)
		*rotation = new;
	else if (remap->from != remap->to ||
		 !plait__scope_sees_loop(remap->to,
					 remap->adding->graph->scope,
					 old->region))
		return outside(remap);
	return status;
}

/* ---- nodes ---- */

static plait_status copy_accesses(plait__remap *remap, plait__input_node *node)
{
	uint32_t first = node->access_first;
	plait_status status = PLAIT_OK;

	node->access_first = remap->to->accesses.count;
	for (uint32_t i = 0; status == PLAIT_OK &&
	     i < node->access_count; i++) {
		plait__plan_access access = *(plait__plan_access *)
			plait__vector_at(&remap->from->accesses, first + i);
		uint32_t number = plait__access_number(access.object);

		if (plait__access_is_param(access.object))
			status = copy_param(remap, &number);
		else if (plait__access_is_rotation(access.object))
			status = find_rotation(remap, &number);
		else
			status = copy_slot(remap, &number);
		if (status != PLAIT_OK)
			return status;
		access.object = plait__access_renumber(access.object, number);
		if (access.box != PLAIT__NONE && remap->from != remap->to) {
			plait__plan_box box = *(plait__plan_box *)
				plait__vector_at(&remap->from->boxes,
						 access.box);

			access.box = remap->to->boxes.count;
			if (plait__vector_push(&remap->to->boxes, &box, 1) ==
			    NULL)
				return no_memory(remap);
		}
		if (plait__vector_push(&remap->to->accesses, &access, 1) ==
		    NULL)
			status = no_memory(remap);
	}
	return status;
}

static plait_status copy_devices(plait__remap *remap, plait__input_node *node)
{
	plait__vector *sets = &remap->to->device_sets;
	uint32_t first = node->device;
	plait_status status = PLAIT_OK;

	if (node->device_count == 1)
		return plait__remap_device(remap, &node->device);
	if (remap->from == remap->to)
		return PLAIT_OK;
	node->device = sets->count;
	for (uint32_t i = 0; status == PLAIT_OK &&
	     i < node->device_count; i++) {
		uint32_t device = *(uint32_t *)plait__vector_at(
			&remap->from->device_sets, first + i);

		status = plait__remap_device(remap, &device);
		if (status == PLAIT_OK &&
		    plait__vector_push(sets, &device, 1) == NULL)
			status = no_memory(remap);
	}
	return status;
}

plait_status plait__remap_node(plait__remap *remap, plait__input_node *node)
{
	plait_status status = copy_string(remap, &node->label);

	if (status == PLAIT_OK)
		status = copy_string(remap, &node->file);
	if (status == PLAIT_OK)
		status = copy_devices(remap, node);
	if (status == PLAIT_OK)
		status = copy_accesses(remap, node);
	return status;
}

/* ---- payloads ---- */

static plait_status copy_blob(plait__remap *remap, plait__plan_arg *arg)
{
	static const char zeros[8];
	plait__vector *to = &remap->to->blob;
	uint32_t old = arg->blob, padding = (8 - to->count % 8) % 8;

	if (plait__vector_push(to, zeros, padding) == NULL)
		return no_memory(remap);
	arg->blob = to->count;
	/* Zeroed first, then copied: the source may be this very table. */
	if (plait__vector_push(to, NULL, arg->bytes) == NULL)
		return no_memory(remap);
	if (arg->bytes > 0)
		memcpy(plait__vector_at(to, arg->blob),
		       plait__vector_at(&remap->from->blob, old), arg->bytes);
	return PLAIT_OK;
}

static plait_status copy_patch(plait__remap *remap, const plait__plan_arg *arg)
{
	const plait__plan_param *param = plait__vector_at(
		&remap->to->params, arg->index);
	plait__plan_patch patch = { arg->index, arg->blob, param->bytes,
				    remap->to->args.count };

	return plait__vector_push(&remap->to->patches, &patch, 1) != NULL ?
	       PLAIT_OK : no_memory(remap);
}

static plait_status copy_arg(plait__remap *remap, uint32_t index)
{
	plait__plan_arg arg = *(plait__plan_arg *)plait__vector_at(
		&remap->from->args, index);
	plait_status status = PLAIT_OK;

	if (arg.kind == PLAIT__ARG_VALUE || arg.kind == PLAIT__ARG_PARAM ||
	    arg.kind == PLAIT__ARG_INDEX)
		status = copy_blob(remap, &arg);
	if (status != PLAIT_OK)
		return status;
	if (arg.kind == PLAIT__ARG_MEMORY)
		status = copy_slot(remap, &arg.index);
	else if (arg.kind == PLAIT__ARG_PARAM)
		status = copy_param(remap, &arg.index);
	else if (arg.kind == PLAIT__ARG_ROTATION)
		status = find_rotation(remap, &arg.index);
	else if (arg.kind == PLAIT__ARG_INDEX)
		status = find_region(remap, &arg.index);
	if (status == PLAIT_OK && arg.kind == PLAIT__ARG_PARAM)
		status = copy_patch(remap, &arg);
	if (status == PLAIT_OK &&
	    plait__vector_push(&remap->to->args, &arg, 1) == NULL)
		status = no_memory(remap);
	return status;
}

static plait_status copy_geometry(plait__remap *remap, uint32_t *geometry)
{
	plait__plan_geometry copy;
	plait_status status;

	if (*geometry == PLAIT__NONE || remap->from == remap->to)
		return PLAIT_OK;
	copy = *(plait__plan_geometry *)plait__vector_at(
		&remap->from->geometries, *geometry);
	status = copy_param(remap, &copy.param);
	if (status != PLAIT_OK)
		return status;
	*geometry = plait__store_geometry(remap->to, &copy);
	return *geometry != PLAIT__NONE ? PLAIT_OK : no_memory(remap);
}

/* An object is a signal where there is a sequence to emit or wait for; the
 * payload says which by `small`. */
static plait_status copy_payload_object(plait__remap *remap,
					plait__plan_payload *payload)
{
	if (payload->object == PLAIT__NONE)
		return PLAIT_OK;
	if (payload->small == PLAIT__PAYLOAD_SIGNAL)
		return copy_signal(remap, &payload->object);
	return copy_function(remap, &payload->object);
}

plait_status plait__remap_payload(plait__remap *remap, uint32_t *payload)
{
	plait__plan_payload copy;
	plait_status status;
	uint32_t first;

	if (*payload == PLAIT__NONE)
		return PLAIT_OK;
	copy = *(plait__plan_payload *)plait__vector_at(
		&remap->from->payloads, *payload);
	first = copy.arg_first;
	copy.arg_first = remap->to->args.count;
	status = copy_kernel(remap, &copy.kernel);
	if (status == PLAIT_OK)
		status = copy_geometry(remap, &copy.geometry);
	if (status == PLAIT_OK)
		status = copy_payload_object(remap, &copy);
	for (uint32_t i = 0; status == PLAIT_OK && i < copy.arg_count; i++)
		status = copy_arg(remap, first + i);
	if (status != PLAIT_OK)
		return status;
	*payload = remap->to->payloads.count;
	return plait__vector_push(&remap->to->payloads, &copy, 1) != NULL ?
	       PLAIT_OK : no_memory(remap);
}
