/* SPDX-License-Identifier: MIT */
/* Binding of a run's parameters: values, buffers, launch sizes. */
#include "run/args/bind_parameters.h"

#include "run/args/bind_copies.h"
#include "run/args/bind_host_values.h"
#include "run/args/bind_launches.h"
#include "run/args/frame.h"

#include "base/sized_struct.h"
#include "base/error.h"
#include "kernel/launch.h"
#include "kernel/type.h"
#include "object/memory/buffer.h"
#include "object/memory/buffer_check.h"
#include "object/memory/image.h"
#include "object/context/device.h"
#include "object/context/backend_result.h"
#include "plan/access.h"

#include <string.h>

struct binding {
	plait__frame *frame;
	const plait__plan *plan;
	const plait__plan_param *param;
	const plait_binding *given;
	struct plait__bound_buffer *bound;
	plait_error *error;
};

static const char *name_of(const plait__plan *plan, uint32_t string)
{
	return string < plan->strings_count ? plan->strings + string : "";
}

static plait_status fail(const struct binding *binding, const char *what)
{
	return plait__fail(binding->error, PLAIT_E_INVALID,
			   "parameter \"%.60s\": %s",
			   name_of(binding->plan, binding->param->name), what);
}

/* Add the parameter to an error that was reported without it. */
static void name_parameter(const struct binding *binding)
{
	plait__error_prefix(binding->error, "parameter \"%.60s\": ",
			    name_of(binding->plan, binding->param->name));
}

/* ---- by kind ---- */

/* Patches are sorted by parameter. */
static uint32_t first_patch(const plait__plan *plan, uint32_t param)
{
	uint32_t low = 0, high = plan->patches_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (plan->patches[middle].param < param)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The blob has room at each patch (verify_commands.c for loaded plans). */
static void patch(const struct binding *binding, const void *value,
		  uint64_t bytes)
{
	const plait__plan *plan = binding->plan;
	uint32_t param = binding->given->parameter;

	for (uint32_t i = first_patch(plan, param);
	     i < plan->patches_count && plan->patches[i].param == param; i++)
		memcpy(binding->frame->blob + plan->patches[i].blob, value,
		       bytes);
}

/* Write the host address of each use of the memory. */
static void patch_memory(const struct binding *binding)
{
	const plait__plan *plan = binding->plan;
	uint32_t param = binding->given->parameter;
	uintptr_t mapped = (uintptr_t)binding->bound->mapped, at;

	for (uint32_t i = first_patch(plan, param);
	     i < plan->patches_count && plan->patches[i].param == param; i++) {
		at = mapped == 0 ? 0 : mapped + plait__payload_param_offset(
			plan->blob, &plan->args[plan->patches[i].arg]);
		memcpy(binding->frame->blob + plan->patches[i].blob, &at,
		       sizeof(at));
	}
}

/* Copy a value into each place of the blob that uses the parameter. */
static plait_status bind_value(const struct binding *binding)
{
	if (binding->given->value == NULL && binding->given->buffer != NULL)
		return fail(binding, "a buffer is given, but its nodes take "
			    "a value: set value and bytes");
	if (binding->given->value == NULL)
		return fail(binding, "value is null");
	if (binding->given->bytes != binding->param->bytes)
		return plait__fail(binding->error, PLAIT_E_INVALID,
				   "parameter \"%.60s\": bytes is %llu, not "
				   "%u, the size of its type %s",
				   name_of(binding->plan, binding->param->name),
				   (unsigned long long)binding->given->bytes,
				   binding->param->bytes,
				   plait__type_name((plait__type)
						    binding->param->type));
	patch(binding, binding->given->value, binding->param->bytes);
	return PLAIT_OK;
}

static bool is_written(const struct binding *binding)
{
	const plait__plan *plan = binding->plan;
	uint32_t object = plait__access_param(binding->given->parameter);

	for (uint32_t i = 0; i < plan->accesses_count; i++)
		if (plan->accesses[i].object == object &&
		    plan->accesses[i].mode != PLAIT__ACCESS_READ)
			return true;
	return false;
}

/* Read-only memory is rare, so the search for a writer is done only then. */
static plait_status find_map_flags(const struct binding *binding,
				   const plait__buffer *buffer, uint32_t *out)
{
	*out = PLAIT_MAP_READ | PLAIT_MAP_WRITE;
	if (!buffer->root->read_only)
		return PLAIT_OK;
	*out = PLAIT_MAP_READ;
	if (!is_written(binding))
		return PLAIT_OK;
	(void)plait__buffer_check_write(buffer, binding->error);
	name_parameter(binding);
	return PLAIT_E_INVALID;
}

/* A launch takes memory of its own backend; copies and fills take any. */
static plait_status check_owner(const struct binding *binding,
				const plait__buffer *buffer)
{
	const plait__backend_port *taker =
		binding->frame->layout->takers[binding->given->parameter];

	if (taker == NULL || taker == buffer->device->port)
		return PLAIT_OK;
	return plait__fail(binding->error, PLAIT_E_UNSUPPORTED,
			   "parameter \"%.60s\": it is memory of device "
			   "\"%.60s\", which is of another backend than its "
			   "launch, %.20s",
			   name_of(binding->plan, binding->param->name),
			   buffer->device->object.label, taker->backend->name);
}

/* Hold the buffer until the release of the bindings, and map it from the offset
 * to its end if the engine maps.  After a failure
 * plait__bind_parameters_release drops the hold. */
static plait_status hold_and_map(const struct binding *binding,
				 plait__buffer *buffer)
{
	uint64_t offset = binding->given->offset_bytes;
	plait__backend_port *port = buffer->device->port;
	plait_error room = { .size = sizeof(room) };
	uint32_t flags;
	plait_status status = check_owner(binding, buffer);

	if (status == PLAIT_OK)
		status = find_map_flags(binding, buffer, &flags);
	if (status != PLAIT_OK)
		return status;
	if ((binding->param->type == PLAIT__TYPE_IMAGE) !=
	    plait__image_is(buffer))
		return fail(binding, plait__image_is(buffer) ?
			    "it takes a buffer, and this is an image" :
			    "it takes an image: a buffer with a format");
	if (plait__image_is(buffer) && offset != 0)
		return fail(binding, "an image is used as a whole; set "
			    "offset_bytes to 0");
	if (offset > buffer->bytes)
		return fail(binding, "offset_bytes is behind the buffer");
	plait__object_hold(&buffer->object);
	binding->bound->buffer = buffer;
	binding->bound->offset = offset;
	if (offset == buffer->bytes || !binding->frame->layout->maps)
		return PLAIT_OK;
	status = plait__device_check_can(buffer->device, PLAIT_CAP_MAP,
					 "a parameter of a plan on the host",
					 binding->error);
	if (status != PLAIT_OK)
		return status;
	status = port->backend->table.memory_map(
		port->backend->self, buffer->root->raw,
		buffer->offset + offset, buffer->bytes - offset,
		flags, &binding->bound->mapped, &room);
	status = plait__backend_result_check_created(port, status, "memory_map",
						     binding->bound->mapped,
						     &room, binding->error);
	if (status != PLAIT_OK)
		binding->bound->mapped = NULL;
	return status;
}

/* Bind a buffer of the plan's context; the address is patched into the blob,
 * null if the engine does not map. */
static plait_status bind_buffer(const struct binding *binding)
{
	const plait__object *plan = &binding->frame->layout->plan_object->object;
	plait__buffer *buffer;
	plait_status status;

	if (binding->given->buffer == NULL && binding->given->value != NULL)
		return fail(binding, "it is memory: set buffer, not value");
	status = plait__buffer_enter(binding->given->buffer, &buffer,
				     binding->error);
	if (status != PLAIT_OK) {
		name_parameter(binding);
		return status;
	}
	status = plait__context_check_same(plan, &buffer->object,
					   binding->error);
	if (status == PLAIT_OK)
		status = hold_and_map(binding, buffer);
	if (status == PLAIT_OK)
		patch_memory(binding);
	plait__object_leave(&buffer->object);
	return status;
}

static plait_status bind_host(const struct binding *binding)
{
	const plait_binding *given = binding->given;
	uintptr_t address = (uintptr_t)given->value;

	if (given->value == NULL && given->buffer != NULL)
		return fail(binding, "a buffer is given, but its nodes take "
			     "memory of the program: set value and bytes");
	if (given->value == NULL && given->bytes != 0)
		return fail(binding, "value is null");
	if (given->bytes > UINTPTR_MAX - address)
		return fail(binding, "bytes is beyond all memory");
	/* A READ writes to it, as the header says. */
	memcpy(&binding->bound->mapped, &given->value, sizeof(given->value));
	binding->bound->host_bytes = given->bytes;
	patch_memory(binding);
	return PLAIT_OK;
}

static void set_launch(const struct binding *binding,
		       const plait_launch *launch)
{
	const plait__frame_layout *layout = binding->frame->layout;
	const plait__plan *plan = binding->plan;

	for (uint32_t i = 0; i < plan->geometries_count; i++)
		if (plan->geometries[i].param == binding->given->parameter)
			memcpy(binding->frame->words + layout->launches +
				       i * layout->launch_words,
			       launch, sizeof(*launch));
}

static plait_status bind_launch(const struct binding *binding)
{
	plait_launch launch;
	plait_status status;

	if (binding->given->value == NULL)
		return fail(binding, "value is null");
	status = plait__launch_read(&launch, binding->given->value,
				    binding->error);
	if (status == PLAIT_OK)
		set_launch(binding, &launch);
	else
		name_parameter(binding);
	return status;
}

static plait_status bind_one(const struct binding *binding)
{
	if (binding->bound->stamp == binding->frame->stamp)
		return fail(binding, "bound twice");
	binding->bound->stamp = binding->frame->stamp;
	switch (binding->param->kind) {
	case PLAIT__PARAM_VALUE: return bind_value(binding);
	case PLAIT__PARAM_MEMORY: return bind_buffer(binding);
	case PLAIT__PARAM_GEOMETRY: return bind_launch(binding);
	case PLAIT__PARAM_HOST: return bind_host(binding);
	default: return fail(binding, "of a kind that runs do not bind");
	}
}

/* ---- bindings ---- */

/* The first binding's size is the size of each. */
static plait_status read_binding(const plait_run_desc *desc, uint64_t i,
				 plait_binding *out, plait_error *error)
{
	const char *first = (const char *)desc->bindings;
	unsigned char copy[PLAIT__SIZED_STRUCT_MAX_BYTES];
	uint32_t size;

	memcpy(&size, first, sizeof(size));
	if (size == sizeof(*out)) {
		memcpy(out, first + i * size, sizeof(*out));
		return PLAIT_OK;
	}
	if (i == 0 || size < PLAIT__MIN_SIZE(plait_binding) ||
	    size > sizeof(copy))
		return PLAIT__STRUCT_READ(plait_binding, out, first, error);
	memcpy(copy, first + i * size, size);
	memcpy(copy, &size, sizeof(size));
	return PLAIT__STRUCT_READ(plait_binding, out, copy, error);
}

/* Bind desc->bindings[i]. */
static plait_status bind_next(plait__frame *frame, const plait_run_desc *desc,
			      uint64_t i, plait_error *error)
{
	const plait__plan *plan = frame->layout->plan_object->plan;
	plait_binding given;
	struct binding binding = { .frame = frame, .plan = plan,
				   .given = &given, .error = error };
	plait_status status = read_binding(desc, i, &given, error);

	if (status != PLAIT_OK)
		return status;
	if (given.parameter >= plan->params_count)
		return plait__fail(error, PLAIT_E_INVALID,
				   "binding %llu: the plan has no parameter "
				   "%u, but %u of them", (unsigned long long)i,
				   given.parameter, plan->params_count);
	binding.param = &plan->params[given.parameter];
	binding.bound = &frame->bound[given.parameter];
	return bind_one(&binding);
}

static plait_status check_all_bound(const plait__frame *frame,
				    plait_error *error)
{
	const plait__plan *plan = frame->layout->plan_object->plan;

	for (uint32_t i = 0; i < plan->params_count; i++)
		if (frame->bound[i].stamp != frame->stamp &&
		    !frame->layout->idle_params[i])
			return plait__fail(error, PLAIT_E_INVALID,
					   "parameter \"%.60s\" is not bound: "
					   "give the run a value for it; see "
					   "plait_plan_find_parameter",
					   name_of(plan,
						   plan->params[i].name));
	return PLAIT_OK;
}

plait_status plait__bind_parameters(plait__frame *frame,
				    const plait_run_desc *desc,
				    plait_error *error)
{
	plait_status status = PLAIT_OK;
	uint64_t count = desc != NULL ? desc->binding_count : 0;

	frame->stamp++;
	if (count > 0 && desc->bindings == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "bindings is null, binding_count is %llu",
				   (unsigned long long)count);
	for (uint64_t i = 0; status == PLAIT_OK && i < count; i++)
		status = bind_next(frame, desc, i, error);
	if (status == PLAIT_OK)
		status = check_all_bound(frame, error);
	if (status == PLAIT_OK)
		status = plait__bind_copies_check(frame, error);
	if (status == PLAIT_OK)
		status = plait__bind_launches_check(frame, error);
	if (status == PLAIT_OK)
		status = plait__bind_host_values_set(frame, error);
	if (status != PLAIT_OK)
		plait__bind_parameters_release(frame);
	return status;
}

void plait__bind_parameters_release(plait__frame *frame)
{
	uint32_t count = frame->layout->plan_object->plan->params_count;

	for (uint32_t i = 0; i < count; i++) {
		struct plait__bound_buffer *bound = &frame->bound[i];
		plait_error ignored = { .size = sizeof(ignored) };
		plait__backend *backend;

		if (bound->buffer == NULL)
			continue;
		backend = bound->buffer->device->port->backend;
		if (bound->mapped != NULL)
			(void)backend->table.memory_unmap(
				backend->self, bound->buffer->root->raw,
				bound->mapped, &ignored);
		/* Deferred: runs also end in notification callbacks. */
		plait__object_drop_deferred(&bound->buffer->object);
		bound->buffer = NULL;
		bound->mapped = NULL;
	}
}
