/* SPDX-License-Identifier: MIT */
/* Translation of table indices between two stores. */
#include "graph/build/subgraph_tables.h"

#include "graph/build/object_refs.h"
#include "graph/build/scopes.h"
#include "graph/build/subgraph_regions.h"
#include "graph/store/unique_values.h"
#include "base/alloc.h"
#include "base/error.h"
#include "object/signal/signal.h"
#include "plan/access.h"

#include <string.h>

static plait_status no_memory(const plait__subgraph_tables *tables)
{
	char room[PLAIT__REFS_TEXT_BYTES];

	return plait__fail(tables->draft->error, PLAIT_E_NOMEM,
			   "no memory for %s",
			   plait__refs_node_text(tables->draft, room));
}

void plait__subgraph_tables_init(plait__subgraph_tables *tables,
				 plait__node_draft *draft, plait__store *from)
{
	const plait_allocator *allocator = &draft->graph->store->allocator;

	*tables = (plait__subgraph_tables){ .draft = draft, .from = from,
				 .to = draft->graph->store };
	plait__vector_init(&tables->regions, allocator, sizeof(uint32_t));
	plait__vector_init(&tables->rotations, allocator, sizeof(uint32_t));
}

void plait__subgraph_tables_fini(plait__subgraph_tables *tables)
{
	plait__vector_fini(&tables->regions);
	plait__vector_fini(&tables->rotations);
}

/* ---- strings and objects ---- */

/* The table may move its text while it grows, so copy the text first. */
static plait_status copy_string(plait__subgraph_tables *tables,
				uint32_t *string)
{
	char few[256], *text = few;
	const char *old;
	uint64_t bytes;

	if (*string == PLAIT__NONE || tables->from == tables->to)
		return PLAIT_OK;
	old = plait__vector_at(&tables->from->strings, *string);
	bytes = strlen(old) + 1;
	if (bytes > sizeof(few))
		text = plait__alloc(&tables->to->allocator, bytes);
	if (text == NULL)
		return no_memory(tables);
	memcpy(text, old, bytes);
	*string = plait__values_string(tables->to, text);
	if (text != few)
		plait__free(&tables->to->allocator, text, bytes);
	return *string != PLAIT__NONE ? PLAIT_OK : no_memory(tables);
}

plait_status plait__subgraph_map_device(plait__subgraph_tables *tables,
					uint32_t *device)
{
	plait__input_device old;
	void *object;
	uint32_t name;
	plait_status status;

	if (tables->from == tables->to)
		return PLAIT_OK;
	old = *(plait__input_device *)plait__vector_at(&tables->from->devices,
						       *device);
	object = *(void **)plait__vector_at(&tables->from->device_objects,
					    *device);
	name = old.name;
	status = copy_string(tables, &name);
	if (status != PLAIT_OK)
		return status;
	if (object == NULL) {
		*device = plait__values_find_device(
			tables->to, plait__vector_at(&tables->to->strings,
						     name));
		if (*device != PLAIT__NONE)
			return PLAIT_OK;
	}
	*device = plait__values_device_named(tables->to, name, old.lane_limit,
					     object);
	return *device != PLAIT__NONE ? PLAIT_OK : no_memory(tables);
}

/* Return the object's index in the target store, which holds it if it is new.
 * The source's root holds it until then. */
static plait_status copy_object(plait__subgraph_tables *tables, uint32_t kind,
				uint32_t old, uint32_t *out)
{
	plait__object *object = *(plait__object **)plait__vector_at(
		&tables->from->objects[kind], old);
	int is_new = 0;

	*out = plait__values_object(tables->to, kind, object, &is_new);
	if (*out == PLAIT__NONE)
		return no_memory(tables);
	if (is_new)
		plait__object_hold(object);
	if (is_new && kind == PLAIT__STORE_SIGNALS)
		plait__submit_add_source((plait__signal *)(void *)object);
	return PLAIT_OK;
}

/* Find or copy a kernel, which the root of the copy then holds; PLAIT__NONE
 * stays. */
static plait_status copy_kernel(plait__subgraph_tables *tables,
				uint32_t *kernel)
{
	plait__plan_kernel entry;
	plait_status status;
	uint32_t old = *kernel;

	if (old == PLAIT__NONE || tables->from == tables->to)
		return PLAIT_OK;
	status = copy_object(tables, PLAIT__STORE_KERNELS, old, kernel);
	if (status != PLAIT_OK || *kernel < tables->to->kernels.count)
		return status;
	entry = *(plait__plan_kernel *)plait__vector_at(&tables->from->kernels,
							old);
	status = copy_string(tables, &entry.name);
	if (status == PLAIT_OK)
		status = copy_string(tables, &entry.signature);
	if (status == PLAIT_OK &&
	    plait__vector_push(&tables->to->kernels, &entry, 1) == NULL)
		status = no_memory(tables);
	return status;
}

/* Return the slot of a text's temporary in the target store, which knows it by
 * its name; as many as slots if there is none yet. */
static uint32_t find_temporary(const plait__subgraph_tables *tables,
			       uint32_t name)
{
	const plait__store *to = tables->to;
	const plait__vector *buffers = &to->objects[PLAIT__STORE_BUFFERS];

	for (uint32_t i = 0; i < to->slots.count; i++) {
		const plait__plan_slot *slot = plait__vector_at(&to->slots, i);

		if (*(void **)plait__vector_at(buffers, i) == NULL &&
		    strcmp(plait__vector_at(&to->strings, slot->name),
			   plait__vector_at(&tables->from->strings,
					    name)) == 0)
			return i;
	}
	return to->slots.count;
}

/* Find or add the buffer of a slot; a text's temporary has none. */
static plait_status copy_buffer(plait__subgraph_tables *tables, uint32_t old,
				uint32_t *out)
{
	plait__vector *buffers = &tables->to->objects[PLAIT__STORE_BUFFERS];
	const plait__plan_slot *entry =
		plait__vector_at(&tables->from->slots, old);

	if (*(void **)plait__vector_at(
		    &tables->from->objects[PLAIT__STORE_BUFFERS], old) != NULL)
		return copy_object(tables, PLAIT__STORE_BUFFERS, old, out);
	*out = find_temporary(tables, entry->name);
	if (*out == buffers->count &&
	    plait__vector_push(buffers, NULL, 1) == NULL)
		return no_memory(tables);
	return PLAIT_OK;
}

/* Find or copy a buffer, which the root of the copy then holds. */
static plait_status copy_slot(plait__subgraph_tables *tables, uint32_t *slot)
{
	plait__plan_slot entry;
	plait_status status;
	uint32_t old = *slot;

	if (tables->from == tables->to)
		return PLAIT_OK;
	status = copy_buffer(tables, old, slot);
	if (status != PLAIT_OK || *slot < tables->to->slots.count)
		return status;
	entry = *(plait__plan_slot *)plait__vector_at(&tables->from->slots,
						      old);
	status = copy_string(tables, &entry.name);
	if (status == PLAIT_OK)
		status = plait__subgraph_map_device(tables, &entry.device);
	if (status == PLAIT_OK &&
	    plait__vector_push(&tables->to->slots, &entry, 1) == NULL)
		status = no_memory(tables);
	return status;
}

/* Find or copy a signal, which the root of the copy then holds. */
static plait_status copy_signal(plait__subgraph_tables *tables,
				uint32_t *signal)
{
	plait__plan_signal entry;
	plait_status status;
	uint32_t old = *signal;

	if (tables->from == tables->to)
		return PLAIT_OK;
	status = copy_object(tables, PLAIT__STORE_SIGNALS, old, signal);
	if (status != PLAIT_OK || *signal < tables->to->signals.count)
		return status;
	entry = *(plait__plan_signal *)plait__vector_at(&tables->from->signals,
							old);
	status = copy_string(tables, &entry.name);
	if (status == PLAIT_OK)
		status = plait__subgraph_map_device(tables, &entry.device);
	if (status == PLAIT_OK &&
	    plait__vector_push(&tables->to->signals, &entry, 1) == NULL)
		status = no_memory(tables);
	return status;
}

/* Functions are copied, not shared. */
static plait_status copy_function(plait__subgraph_tables *tables,
				  uint32_t *function)
{
	plait__vector *to = &tables->to->objects[PLAIT__STORE_FUNCTIONS];
	plait__store_function code = *(plait__store_function *)
		plait__vector_at(&tables->from->objects[PLAIT__STORE_FUNCTIONS],
				 *function);
	plait__plan_function entry = *(plait__plan_function *)
		plait__vector_at(&tables->from->functions, *function);
	plait_status status = copy_string(tables, &entry.name);

	if (status != PLAIT_OK)
		return status;
	*function = to->count;
	if (plait__vector_push(&tables->to->functions, &entry, 1) == NULL ||
	    plait__vector_push(to, &code, 1) == NULL)
		return no_memory(tables);
	if (code.inbox != NULL)
		plait__object_hold(code.inbox);
	return PLAIT_OK;
}

/* Find or copy a parameter by name.  PLAIT_E_INVALID: the copy's graph has the
 * name with another type. */
static plait_status copy_param(plait__subgraph_tables *tables, uint32_t *param)
{
	plait__plan_param entry;
	plait_status status;
	bool differs;

	if (*param == PLAIT__NONE || tables->from == tables->to)
		return PLAIT_OK;
	entry = *(plait__plan_param *)plait__vector_at(&tables->from->params,
						       *param);
	status = copy_string(tables, &entry.name);
	if (status != PLAIT_OK)
		return status;
	*param = plait__values_param(tables->to, &entry, &differs);
	if (differs) {
		char room[PLAIT__REFS_TEXT_BYTES];

		return plait__fail(tables->draft->error, PLAIT_E_INVALID,
				   "%s: parameter \"%s\" of the subgraph has "
				   "another type here",
				   plait__refs_node_text(tables->draft, room),
				   (const char *)plait__vector_at(
					   &tables->to->strings, entry.name));
	}
	return *param != PLAIT__NONE ? PLAIT_OK : no_memory(tables);
}

/* ---- loops ---- */

static plait_status copy_slots(plait__subgraph_tables *tables, uint32_t from,
			       uint32_t count)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < count; i++) {
		uint32_t slot = *(uint32_t *)plait__vector_at(
			&tables->from->rotation_slots, from + i);

		status = copy_slot(tables, &slot);
		if (status == PLAIT_OK &&
		    plait__vector_push(&tables->to->rotation_slots, &slot,
				       1) == NULL)
			status = no_memory(tables);
	}
	return status;
}

/* `region` is the copy of its loop. */
static plait_status copy_rotation(plait__subgraph_tables *tables, uint32_t old,
				  uint32_t region)
{
	plait__plan_rotation rotation = *(plait__plan_rotation *)
		plait__vector_at(&tables->from->rotations, old);
	uint32_t from = rotation.slot_first;
	plait_status status;

	rotation.region = region;
	rotation.slot_first = tables->to->rotation_slots.count;
	status = copy_slots(tables, from, rotation.slot_count);
	if (status == PLAIT_OK)
		status = plait__subgraph_regions_set(tables, &tables->rotations, old,
				   tables->to->rotations.count);
	if (status == PLAIT_OK &&
	    plait__vector_push(&tables->to->rotations, &rotation, 1) == NULL)
		status = no_memory(tables);
	return status;
}

plait_status plait__subgraph_add_region(plait__subgraph_tables *tables,
					uint32_t old, uint32_t new)
{
	return plait__subgraph_regions_set(tables, &tables->regions, old, new);
}

/* Translate a rotation; its first use by the copy copies it. */
static plait_status find_rotation(plait__subgraph_tables *tables,
				  uint32_t *rotation)
{
	const plait__plan_rotation *old =
		plait__vector_at(&tables->from->rotations, *rotation);
	uint32_t new = plait__subgraph_regions_get(&tables->rotations, *rotation);
	uint32_t region = plait__subgraph_regions_get(&tables->regions, old->region);
	plait_status status = PLAIT_OK;

	if (new == PLAIT__NONE && region != PLAIT__NONE) {
		new = tables->to->rotations.count;
		status = copy_rotation(tables, *rotation, region);
	}
	if (new != PLAIT__NONE)
		*rotation = new;
	else if (tables->from != tables->to ||
		 !plait__scopes_sees_loop(tables->to,
					  tables->draft->graph->scope,
					  old->region))
		return plait__subgraph_regions_fail(tables);
	return status;
}

/* ---- nodes ---- */

/* Copy the accesses of a node, also within one store, since rotations may
 * differ. */
static plait_status copy_accesses(plait__subgraph_tables *tables,
				  plait__input_node *node)
{
	uint32_t first = node->access_first;
	plait_status status = PLAIT_OK;

	node->access_first = tables->to->accesses.count;
	for (uint32_t i = 0; status == PLAIT_OK &&
	     i < node->access_count; i++) {
		plait__plan_access access = *(plait__plan_access *)
			plait__vector_at(&tables->from->accesses, first + i);
		uint32_t number = plait__access_number(access.object);

		if (plait__access_is_param(access.object))
			status = copy_param(tables, &number);
		else if (plait__access_is_rotation(access.object))
			status = find_rotation(tables, &number);
		else
			status = copy_slot(tables, &number);
		if (status != PLAIT_OK)
			return status;
		access.object = plait__access_renumber(access.object, number);
		if (access.box != PLAIT__NONE && tables->from != tables->to) {
			plait__plan_box box = *(plait__plan_box *)
				plait__vector_at(&tables->from->boxes,
						 access.box);

			access.box = tables->to->boxes.count;
			if (plait__vector_push(&tables->to->boxes, &box, 1) ==
			    NULL)
				return no_memory(tables);
		}
		if (plait__vector_push(&tables->to->accesses, &access, 1) ==
		    NULL)
			status = no_memory(tables);
	}
	return status;
}

static plait_status copy_devices(plait__subgraph_tables *tables,
				 plait__input_node *node)
{
	plait__vector *sets = &tables->to->device_sets;
	uint32_t first = node->device;
	plait_status status = PLAIT_OK;

	if (node->device_count == 1)
		return plait__subgraph_map_device(tables, &node->device);
	if (tables->from == tables->to)
		return PLAIT_OK;
	node->device = sets->count;
	for (uint32_t i = 0; status == PLAIT_OK &&
	     i < node->device_count; i++) {
		uint32_t device = *(uint32_t *)plait__vector_at(
			&tables->from->device_sets, first + i);

		status = plait__subgraph_map_device(tables, &device);
		if (status == PLAIT_OK &&
		    plait__vector_push(sets, &device, 1) == NULL)
			status = no_memory(tables);
	}
	return status;
}

plait_status plait__subgraph_map_node(plait__subgraph_tables *tables,
				      plait__input_node *node)
{
	plait_status status = copy_string(tables, &node->label);

	if (status == PLAIT_OK)
		status = copy_string(tables, &node->file);
	if (status == PLAIT_OK)
		status = copy_devices(tables, node);
	if (status == PLAIT_OK)
		status = copy_accesses(tables, node);
	return status;
}

/* ---- payloads ---- */

static plait_status copy_blob(plait__subgraph_tables *tables,
			      plait__plan_arg *arg)
{
	static const char zeros[8];
	plait__vector *to = &tables->to->blob;
	uint32_t old = arg->blob, padding = (8 - to->count % 8) % 8;

	if (plait__vector_push(to, zeros, padding) == NULL)
		return no_memory(tables);
	arg->blob = to->count;
	/* Reserve zeroed space, then copy: the source may be the same table. */
	if (plait__vector_push(to, NULL, arg->bytes) == NULL)
		return no_memory(tables);
	if (arg->bytes > 0)
		memcpy(plait__vector_at(to, arg->blob),
		       plait__vector_at(&tables->from->blob, old), arg->bytes);
	return PLAIT_OK;
}

/* Parameter and blob are translated, and the argument is the next to be
 * pushed. */
static plait_status copy_patch(plait__subgraph_tables *tables,
			       const plait__plan_arg *arg)
{
	const plait__plan_param *param = plait__vector_at(
		&tables->to->params, arg->index);
	plait__plan_patch patch = { arg->index, arg->blob, param->bytes,
				    tables->to->args.count };

	return plait__vector_push(&tables->to->patches, &patch, 1) != NULL ?
	       PLAIT_OK : no_memory(tables);
}

/* Each use has a series of its own. */
static plait_status copy_series(plait__subgraph_tables *tables,
				uint32_t *series)
{
	plait__plan_series copy = *(plait__plan_series *)plait__vector_at(
		&tables->from->series, *series);
	plait_status status = plait__subgraph_regions_find(tables, &copy.region);

	if (status != PLAIT_OK)
		return status;
	*series = tables->to->series.count;
	return plait__vector_push(&tables->to->series, &copy, 1) != NULL ?
	       PLAIT_OK : no_memory(tables);
}

/* Copy an argument to the end of the table, with its bytes of the blob and its
 * patch. */
static plait_status copy_arg(plait__subgraph_tables *tables, uint32_t index)
{
	plait__plan_arg arg = *(plait__plan_arg *)plait__vector_at(
		&tables->from->args, index);
	plait_status status = PLAIT_OK;

	if (arg.kind == PLAIT__ARG_VALUE || arg.kind == PLAIT__ARG_PARAM ||
	    arg.kind == PLAIT__ARG_INDEX || arg.kind == PLAIT__ARG_SERIES)
		status = copy_blob(tables, &arg);
	if (status != PLAIT_OK)
		return status;
	if (arg.kind == PLAIT__ARG_MEMORY)
		status = copy_slot(tables, &arg.index);
	else if (arg.kind == PLAIT__ARG_PARAM)
		status = copy_param(tables, &arg.index);
	else if (arg.kind == PLAIT__ARG_ROTATION)
		status = find_rotation(tables, &arg.index);
	else if (arg.kind == PLAIT__ARG_INDEX)
		status = plait__subgraph_regions_find(tables, &arg.index);
	else if (arg.kind == PLAIT__ARG_SERIES)
		status = copy_series(tables, &arg.index);
	if (status == PLAIT_OK && arg.kind == PLAIT__ARG_PARAM)
		status = copy_patch(tables, &arg);
	if (status == PLAIT_OK &&
	    plait__vector_push(&tables->to->args, &arg, 1) == NULL)
		status = no_memory(tables);
	return status;
}

static plait_status copy_item_series(plait__subgraph_tables *tables,
				     plait__plan_geometry *geometry)
{
	plait_status status = PLAIT_OK;

	for (int i = 0; i < 3 && status == PLAIT_OK; i++) {
		uint32_t series = geometry->series[i] - 1;

		if (geometry->series[i] == 0)
			continue;
		status = copy_series(tables, &series);
		geometry->series[i] = series + 1;
	}
	return status;
}

static plait_status copy_geometry(plait__subgraph_tables *tables,
				  uint32_t *geometry)
{
	plait__plan_geometry copy;
	plait_status status;
	bool has_series = false;

	if (*geometry == PLAIT__NONE)
		return PLAIT_OK;
	copy = *(plait__plan_geometry *)plait__vector_at(
		&tables->from->geometries, *geometry);
	for (int i = 0; i < 3; i++)
		has_series |= copy.series[i] != 0;
	if (!has_series && tables->from == tables->to)
		return PLAIT_OK;
	status = copy_param(tables, &copy.param);
	if (status == PLAIT_OK)
		status = copy_item_series(tables, &copy);
	if (status != PLAIT_OK)
		return status;
	*geometry = plait__values_geometry(tables->to, &copy);
	return *geometry != PLAIT__NONE ? PLAIT_OK : no_memory(tables);
}

/* An object is a signal where the payload has a sequence to emit or await;
 * `small` says which. */
static plait_status copy_payload_object(plait__subgraph_tables *tables,
					plait__plan_payload *payload)
{
	if (payload->object == PLAIT__NONE)
		return PLAIT_OK;
	if (payload->small == PLAIT__PAYLOAD_SIGNAL)
		return copy_signal(tables, &payload->object);
	return copy_function(tables, &payload->object);
}

plait_status plait__subgraph_map_payload(plait__subgraph_tables *tables,
					 uint32_t *payload)
{
	plait__plan_payload copy;
	plait_status status;
	uint32_t first;

	if (*payload == PLAIT__NONE)
		return PLAIT_OK;
	copy = *(plait__plan_payload *)plait__vector_at(
		&tables->from->payloads, *payload);
	first = copy.arg_first;
	copy.arg_first = tables->to->args.count;
	status = copy_kernel(tables, &copy.kernel);
	if (status == PLAIT_OK)
		status = copy_geometry(tables, &copy.geometry);
	if (status == PLAIT_OK)
		status = copy_payload_object(tables, &copy);
	for (uint32_t i = 0; status == PLAIT_OK && i < copy.arg_count; i++)
		status = copy_arg(tables, first + i);
	if (status != PLAIT_OK)
		return status;
	*payload = tables->to->payloads.count;
	return plait__vector_push(&tables->to->payloads, &copy, 1) != NULL ?
	       PLAIT_OK : no_memory(tables);
}
