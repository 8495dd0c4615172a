/* SPDX-License-Identifier: MIT */
/* Data and parts of data: creation, boxes, end; see flow_data.h. */
#include "flow/flow_data.h"

#include "flow/device_room.h"
#include "flow/flow_devices.h"
#include "flow/flow_proof.h"
#include "flow/flow_ranks.h"
#include "flow/mappings.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/sized_struct.h"
#include "object/context/backend_result.h"
#include "object/memory/buffer_check.h"
#include "object/memory/image.h"

/* ---- lookup ---- */

plait_status plait__data_find(plait__flow *flow, const plait_data *handle,
			      plait__data **out, plait_error *error)
{
	plait__data *data = plait__handle_peek(handle, PLAIT_OBJECT_DATA);
	char room[PLAIT__OBJECT_NAME_BYTES];

	*out = data;
	if (data == NULL)
		return plait__handle_refuse(handle, PLAIT_OBJECT_DATA, error);
	if (data->flow == flow)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_HANDLE, "%s is of another flow",
			   plait__object_name(&data->object, room));
}

static plait_status fail_box(const plait__data *data, const plait_box *box,
			     plait_error *error)
{
	const uint32_t told = plait__box_dimensions(box, data->dimensions);
	char name[PLAIT__OBJECT_NAME_BYTES];
	char text[PLAIT__BOX_TEXT], whole[PLAIT__BOX_TEXT];
	const plait_box *own = &data->box;
	plait_box extent = { { 0, 0, 0 },
			     { own->high[0] - own->low[0],
			       own->high[1] - own->low[1],
			       own->high[2] - own->low[2] } };

	return plait__fail(error, PLAIT_E_INVALID, "%s: box %s %s %s",
			   plait__object_name(&data->object, name),
			   plait__box_text(box, told, text),
			   plait__box_is_empty(box) ? "is empty; the data is" :
						      "is not in",
			   plait__box_text(&extent, told, whole));
}

plait_status plait__data_box(const plait__data *data, const plait_box *box,
			     plait_box *out, plait_error *error)
{
	bool overflow = false;
	plait_box given;

	*out = data->box;
	if (box == NULL)
		return PLAIT_OK;
	given = *box;
	/* A caller may leave out what the data does not have. */
	for (uint32_t d = data->dimensions; d < 3; d++)
		if (given.low[d] == 0 && given.high[d] == 0)
			given.high[d] = 1;
	*out = plait__box_moved(&given, &data->box, &overflow);
	if (overflow || plait__box_is_empty(&given) ||
	    !plait__box_contains(&data->box, out))
		return fail_box(data, &given, error);
	return PLAIT_OK;
}

/* ---- end ---- */

static void unlink_data(plait__data *data)
{
	plait__flow *flow = data->flow;

	if (data->previous != NULL)
		data->previous->next = data->next;
	else
		flow->data = data->next;
	if (data->next != NULL)
		data->next->previous = data->previous;
}

/* The user has released it: the flow drops its hold behind the last task. */
static void close_data(plait__object *object)
{
	plait__data *data = (plait__data *)object;
	plait__flow *flow = data->flow;
	bool over;

	plait__flow_lock(flow);
	plait__mappings_end_all(data);
	plait__window_settle(&flow->window);
	over = data->whole->last_use <= flow->window.settled;
	data->whole->users -= over;
	data->closed = !over;
	flow->closed_data += data->closed;
	flow->closings++;
	plait__flow_unlock(flow);
	if (over)
		plait__object_drop(object);
}

static void release_buffer(plait__data *data)
{
	plait__buffer *buffer = data->buffer;
	plait__backend *backend = buffer->device->port->backend;
	plait_error room = { .size = sizeof(room) };

	if (data->is_mapped)
		(void)backend->table.memory_unmap(backend->self,
						  buffer->root->raw,
						  data->memory, &room);
	if (data->has_reference)
		plait__object_release(plait__object_handle(&buffer->object),
				      PLAIT_OBJECT_BUFFER);
	plait__object_drop(&buffer->object);
}

enum { HANDLES_AT_ONCE = 64 };

/* Take the references of some data; returns their number.  Caller holds the
 * lock. */
static uint32_t take_handles(plait__flow *flow,
			     void *handles[HANDLES_AT_ONCE])
{
	uint32_t count = 0;

	for (plait__data *data = flow->data;
	     data != NULL && count < HANDLES_AT_ONCE; data = data->next) {
		if (!data->has_reference)
			continue;
		data->has_reference = false;
		handles[count++] = plait__object_handle(&data->buffer->object);
	}
	return count;
}

void plait__data_release_handles(plait__flow *flow)
{
	void *handles[HANDLES_AT_ONCE];
	uint32_t count;

	do {
		plait__flow_lock(flow);
		count = take_handles(flow, handles);
		plait__flow_unlock(flow);
		for (uint32_t i = 0; i < count; i++)
			plait__object_release(handles[i], PLAIT_OBJECT_BUFFER);
	} while (count == HANDLES_AT_ONCE);
}

static void free_memory(plait__data *data)
{
	if (data->buffer != NULL)
		release_buffer(data);
	else
		plait__cacheline_free(plait__flow_allocator(data->flow),
				      data->memory, data->bytes);
	plait__front_map_fini(&data->map);
	plait__flow_ranks_free_data(data);
	plait__flow_devices_free_copies(data->flow, data->copies);
}

static void release_partials(plait__data *data)
{
	plait__partials *next;

	for (plait__partials *at = data->partials; at != NULL; at = next) {
		next = at->next;
		plait__object_release(at->handle, PLAIT_OBJECT_DATA);
		plait__free(plait__flow_allocator(data->flow), at,
			    sizeof(*at));
	}
}

static void destroy_data(plait__object *object)
{
	plait__data *data = (plait__data *)object;
	plait__flow *flow = data->flow;
	plait__data *whole = data->whole;
	const plait_allocator *allocator = plait__flow_allocator(flow);

	/* A submission that found the data has ended when this has the lock. */
	plait__flow_lock(flow);
	unlink_data(data);
	flow->data_bytes -= data->bytes;
	if (whole == data)
		plait__device_room_forget(data);
	if (flow->proof != NULL)
		plait__flow_proof_forget_data(flow, data);
	plait__flow_unlock(flow);
	release_partials(data);
	if (whole == data)
		free_memory(data);
	else
		plait__object_drop(&whole->object);
	plait__free(allocator, data, sizeof(*data));
	plait__object_drop(&flow->object);
}

static const plait__class data_class = {
	.type = PLAIT_OBJECT_DATA, .close = close_data,
	.destroy = destroy_data, .maker_holds = 1
};

PLAIT__OBJECT_REFERENCES(data, PLAIT_OBJECT_DATA);

/* ---- creation ---- */

static plait_status check_extents(plait_data_desc *desc, plait_error *error)
{
	if (desc->flags != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_data_desc: flags are 0x%x, but "
				   "have to be 0", desc->flags);
	if (desc->dimensions > 3)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_data_desc: %u dimensions; at most 3",
				   desc->dimensions);
	for (uint32_t d = 0; d < 3; d++) {
		bool has = d < desc->dimensions;

		if (has && desc->extent[d] == 0)
			return plait__fail(error, PLAIT_E_INVALID,
					   "plait_data_desc: extent[%u] is 0; "
					   "at least 1", d);
		if (!has && desc->extent[d] > 1)
			return plait__fail(error, PLAIT_E_INVALID,
					   "plait_data_desc: extent[%u] is "
					   "%llu, but dimensions is %u", d,
					   (unsigned long long)desc->extent[d],
					   desc->dimensions);
		if (!has)
			desc->extent[d] = 1;
	}
	return PLAIT_OK;
}

/* Set distances and size. */
static plait_status lay_out(plait__data *data, const plait_data_desc *desc,
			    plait_error *error)
{
	uint64_t bytes = desc->element_bytes;
	uint64_t elements = 1;
	bool overflow = false;

	for (uint32_t d = 0; d < 3; d++) {
		data->pitch[d] = bytes;
		overflow |= __builtin_mul_overflow(bytes, desc->extent[d],
						   &bytes);
		overflow |= __builtin_mul_overflow(elements, desc->extent[d],
						   &elements);
	}
	data->bytes = bytes;
	if (!overflow && bytes <= INT64_MAX)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_INVALID,
			   "plait_data_desc: %llu x %llu x %llu elements of %u "
			   "bytes are more than 63 bits can count",
			   (unsigned long long)desc->extent[0],
			   (unsigned long long)desc->extent[1],
			   (unsigned long long)desc->extent[2],
			   desc->element_bytes);
}

static plait_status check_buffer(const plait__data *data,
				 const plait__buffer *buffer, uint64_t offset,
				 plait_error *error)
{
	plait_status status = plait__context_check_same(
		&data->flow->object, &buffer->object, error);

	if (status == PLAIT_OK && data->bytes == 0)
		status = plait__fail(error, PLAIT_E_INVALID,
				     "plait_data_desc: a token has no buffer");
	if (status == PLAIT_OK && !plait__device_is_host(buffer->device))
		status = plait__fail(error, PLAIT_E_UNSUPPORTED,
				     "plait_data_desc: the buffer is on device "
				     "%s, which is not of the host",
				     buffer->device->object.label);
	if (status == PLAIT_OK)
		status = plait__image_refuse(buffer, "be data of a flow",
					     error);
	if (status == PLAIT_OK)
		status = plait__buffer_check_range(buffer, offset, data->bytes,
						   "data", error);
	if (status == PLAIT_OK)
		status = plait__buffer_check_write(buffer, error);
	return status;
}

/* Hold the buffer, and keep its handle valid for the nodes of captures. */
static void keep_buffer(plait__data *data, plait__buffer *buffer)
{
	plait__object_hold(&buffer->object);
	plait__handle_retain(plait__object_handle(&buffer->object),
			     PLAIT_OBJECT_BUFFER);
	data->buffer = buffer;
	data->has_reference = true;
}

static plait_status use_buffer(plait__data *data, plait__buffer *buffer,
			       uint64_t offset, plait_error *error)
{
	plait__backend *backend = buffer->device->port->backend;
	plait_error room = { .size = sizeof(room) };
	void *mapped = NULL;
	plait_status status = check_buffer(data, buffer, offset, error);

	if (status != PLAIT_OK)
		return status;
	status = backend->table.memory_map(
		backend->self, buffer->root->raw, buffer->offset + offset,
		data->bytes, PLAIT_MAP_READ | PLAIT_MAP_WRITE, &mapped, &room);
	status = plait__backend_result_check_created(buffer->device->port,
						     status, "memory_map",
						     mapped, &room, error);
	if (status != PLAIT_OK)
		return status;
	keep_buffer(data, buffer);
	data->buffer_offset = offset;
	data->memory = mapped;
	data->is_mapped = true;
	return PLAIT_OK;
}

static plait_status make_memory(plait__data *data, const plait_data_desc *desc,
				plait_error *error)
{
	plait__buffer *buffer;
	plait_status status;

	if (desc->buffer == NULL && desc->buffer_offset != 0)
		return plait__fail(error, PLAIT_E_INVALID, "plait_data_desc: "
				   "buffer_offset is set, but buffer is null");
	if (desc->buffer == NULL && data->bytes == 0)
		return PLAIT_OK;
	if (desc->buffer != NULL) {
		status = plait__buffer_enter(desc->buffer, &buffer, error);
		if (status != PLAIT_OK)
			return status;
		status = use_buffer(data, buffer, desc->buffer_offset, error);
		plait__object_leave(&buffer->object);
		return status;
	}
	data->memory = plait__cacheline_alloc(
		plait__flow_allocator(data->flow), data->bytes);
	if (data->memory != NULL)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_NOMEM,
			   "no memory for data of %llu bytes",
			   (unsigned long long)data->bytes);
}

/* Let the memories of the flow's devices have copies. */
static plait_status make_copies(plait__data *data, plait_error *error)
{
	data->copies = plait__data_copies_make(
		plait__flow_allocator(data->flow), &data->box,
		data->flow->devices->system.memories - 1);
	return data->copies != NULL ? PLAIT_OK :
	       plait__fail(error, PLAIT_E_NOMEM, "no memory for data");
}

/* ---- memory as a buffer ---- */

/* Memory of data that a buffer has taken over. */
struct shared_memory {
	const plait_allocator *allocator;
	void *memory;
	uint64_t bytes;
};

/* The buffer is gone. */
static int32_t free_shared(void *user_data)
{
	struct shared_memory *shared = user_data;
	const plait_allocator *allocator = shared->allocator;

	plait__cacheline_free(allocator, shared->memory, shared->bytes);
	plait__free(allocator, shared, sizeof(*shared));
	return 0;
}

static plait_status wrap_memory(plait__data *whole,
				struct shared_memory *shared,
				plait_error *error)
{
	const plait_wrap_desc desc = {
		.size = sizeof(desc), .flags = PLAIT_CALL_ANY_THREAD,
		.pointer = shared->memory, .bytes = shared->bytes,
		.label = whole->object.label, .released = free_shared,
		.user_data = shared,
	};
	plait_buffer *handle = NULL;
	plait_status status = plait_buffer_wrap(
		plait__object_handle(&whole->flow->host->object), &desc,
		&handle, error);

	if (status != PLAIT_OK)
		return status;
	whole->buffer = plait__handle_peek(handle, PLAIT_OBJECT_BUFFER);
	plait__object_hold(&whole->buffer->object);
	whole->has_reference = true;
	return PLAIT_OK;
}

plait_status plait__data_share(plait__data *whole, plait_error *error)
{
	const plait_allocator *allocator = plait__flow_allocator(whole->flow);
	struct shared_memory *shared;
	plait_status status;

	if (whole->buffer != NULL || whole->memory == NULL)
		return PLAIT_OK;
	shared = plait__alloc(allocator, sizeof(*shared));
	if (shared == NULL)
		return plait__fail(error, PLAIT_E_NOMEM, "no memory to share data");
	*shared = (struct shared_memory){ allocator, whole->memory,
					  whole->bytes };
	status = wrap_memory(whole, shared, error);
	if (status != PLAIT_OK)
		plait__free(allocator, shared, sizeof(*shared));
	return status;
}

/* ---- creation of both ---- */

/* The data gets its handle last: from then on other threads may find it. */
static plait_status finish(plait__data *data, plait_error *error)
{
	plait__flow *flow = data->flow;
	plait_status status;

	plait__flow_lock(flow);
	status = plait__object_init(&data->object, &data_class,
				    flow->object.context, error);
	if (status == PLAIT_OK) {
		plait__object_hold(&flow->object);
		data->next = flow->data;
		if (flow->data != NULL)
			flow->data->previous = data;
		flow->data = data;
		flow->data_bytes += data->bytes;
		data->whole->users++;
		if (flow->ranks != NULL)
			data->number = ++flow->ranks->data;
	}
	plait__flow_unlock(flow);
	return status;
}

/* Make data with or without memory; linked to the flow, which data holds. */
static plait_status create(plait__flow *flow, plait_data_desc *desc,
			   bool has_memory, plait_data **out,
			   plait_error *error)
{
	const plait_allocator *allocator = plait__flow_allocator(flow);
	plait__data *data = plait__alloc(allocator, sizeof(*data));
	plait_status status;

	if (data == NULL)
		return plait__fail(error, PLAIT_E_NOMEM, "no memory for data");
	data->flow = flow;
	data->whole = data;
	data->dimensions = desc->dimensions;
	data->element_bytes = desc->element_bytes;
	data->box = plait__box_whole(desc->dimensions, desc->extent);
	plait__front_map_init(&data->map, allocator, &data->box);
	plait__object_set_label(&data->object, desc->label);
	status = lay_out(data, desc, error);
	if (status == PLAIT_OK && has_memory)
		status = make_memory(data, desc, error);
	if (status == PLAIT_OK && data->memory != NULL && flow->devices != NULL)
		status = make_copies(data, error);
	if (status == PLAIT_OK && !plait__flow_ranks_add_data(flow, data))
		status = plait__fail(error, PLAIT_E_NOMEM, "no memory for data");
	if (status == PLAIT_OK)
		status = finish(data, error);
	if (status != PLAIT_OK) {
		free_memory(data);
		plait__free(allocator, data, sizeof(*data));
		return status;
	}
	*out = plait__object_handle(&data->object);
	return PLAIT_OK;
}

plait_status plait__data_make(plait__flow *flow, const plait_data_desc *desc,
			      bool has_memory, plait_data **out,
			      plait_error *error)
{
	plait_data_desc known;
	plait_status status = PLAIT__STRUCT_READ(plait_data_desc, &known, desc,
						 error);

	if (status == PLAIT_OK)
		status = check_extents(&known, error);
	if (status == PLAIT_OK)
		status = create(flow, &known, has_memory, out, error);
	return status;
}

PLAIT_API plait_status plait_data_create(plait_flow *flow,
					 const plait_data_desc *desc,
					 plait_data **out, plait_error *error)
{
	plait__flow *self;
	plait_status status;

	if (out == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "out is null");
	*out = NULL;
	status = plait__flow_enter(flow, &self, error);
	if (status != PLAIT_OK)
		return status;
	status = plait__data_make(self, desc, true, out, error);
	plait__object_leave(&self->object);
	return status;
}

/* ---- properties ---- */

PLAIT_API plait_status plait_data_query(plait_data *data, plait_data_info *info,
					plait_error *error)
{
	plait_data_info ours = { .size = sizeof(ours) };
	plait__data *self;
	plait_status status = plait__data_enter(data, &self, error);

	if (status != PLAIT_OK)
		return status;
	ours.dimensions = self->dimensions;
	ours.element_bytes = self->whole->element_bytes;
	ours.pointer = plait__data_address(self, &self->box);
	for (int d = 0; d < 3; d++) {
		ours.extent[d] = self->box.high[d] - self->box.low[d];
		ours.pitch[d] = self->whole->pitch[d];
	}
	status = PLAIT__STRUCT_WRITE(plait_data_info, info, &ours, error);
	plait__object_leave(&self->object);
	return status;
}

/* ---- parts ---- */

static plait_status make_part(plait__data *of, const plait_box *box,
			      plait_data **out, plait_error *error)
{
	const plait_allocator *allocator = plait__flow_allocator(of->flow);
	plait__data *part = plait__alloc(allocator, sizeof(*part));
	plait_status status;

	if (part == NULL)
		return plait__fail(error, PLAIT_E_NOMEM, "no memory for data");
	part->flow = of->flow;
	part->whole = of->whole;
	part->dimensions = of->dimensions;
	part->box = *box;
	plait__object_set_label(&part->object, of->object.label);
	plait__object_hold(&of->whole->object);
	status = finish(part, error);
	if (status != PLAIT_OK) {
		plait__object_drop(&of->whole->object);
		plait__free(allocator, part, sizeof(*part));
		return status;
	}
	*out = plait__object_handle(&part->object);
	return PLAIT_OK;
}

PLAIT_API plait_status plait_data_part(plait_data *data, const plait_box *box,
				       plait_data **out, plait_error *error)
{
	plait__data *self;
	plait_box inner;
	plait_status status;

	if (out == NULL || box == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%s is null",
				   out == NULL ? "out" : "box");
	*out = NULL;
	status = plait__data_enter(data, &self, error);
	if (status != PLAIT_OK)
		return status;
	status = plait__data_box(self, box, &inner, error);
	if (status == PLAIT_OK)
		status = make_part(self, &inner, out, error);
	plait__object_leave(&self->object);
	return status;
}
