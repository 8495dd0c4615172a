/* SPDX-License-Identifier: MIT */
/*
 * Kernels compiled by backends from source; see device_code.h. Portable source
 * is first translated to the device's language. The compiler's output arrives
 * by the service build_log and becomes the error's detail.
 */
#include "object/kernel/device_code.h"

#include "object/context/device.h"
#include "object/context/backend_result.h"

#include "base/alloc.h"
#include "base/error.h"
#include "source/build_report.h"

#include <stdio.h>
#include <string.h>

enum { PORTABLE_ENTRY_BYTES = 300 };

/* ---- forms of source ---- */

/* The form in which a device accepts a source; PORTABLE: it does not accept
 * it. */
static uint32_t form_for(const plait__device *device,
			 const plait_source *source)
{
	static const uint32_t languages[] = { PLAIT_SOURCE_OPENCL_C,
					      PLAIT_SOURCE_CUDA_C,
					      PLAIT_SOURCE_C };
	uint32_t forms = plait__device_facts(device)->forms;

	if (source->backend != NULL &&
	    strcmp(source->backend, device->port->backend->name) != 0)
		return PLAIT_SOURCE_PORTABLE;
	if (source->form != PLAIT_SOURCE_PORTABLE)
		return (forms >> source->form & 1) != 0 ? source->form :
							  PLAIT_SOURCE_PORTABLE;
	for (size_t i = 0; i < sizeof(languages) / sizeof(languages[0]); i++)
		if ((forms >> languages[i] & 1) != 0)
			return languages[i];
	return PLAIT_SOURCE_PORTABLE;
}

/* ---- one device ---- */

struct making {
	const plait_source *source;
	const plait__signature *signature;
	const plait_allocator *allocator;
	plait__device *device;
	plait__device_code *out;
	plait_code code;
	plait_code_parameter *parameters;
	plait__text text;
	plait_build_log log;
	char entry[PORTABLE_ENTRY_BYTES];
};

static uint64_t parameters_bytes(const struct making *making)
{
	return (making->signature->count + 1) * sizeof(*making->parameters);
}

static void describe_parameters(struct making *making)
{
	for (uint32_t i = 0; i < making->signature->count; i++) {
		const plait__parameter *from =
			&making->signature->parameters[i];
		plait_code_parameter *to = &making->parameters[i];
		bool pointer = from->type == PLAIT__TYPE_POINTER;

		to->size = sizeof(*to);
		to->name = from->name;
		to->bytes = plait__type_bytes(pointer ? from->element :
							from->type);
		to->flags = pointer ? PLAIT_CODE_POINTER : 0;
		if ((from->mode & PLAIT__MODE_IN) != 0)
			to->flags |= PLAIT_CODE_READS;
		if ((from->mode & PLAIT__MODE_OUT) != 0)
			to->flags |= PLAIT_CODE_WRITES;
	}
}

/* Languages with a preprocessor get a composed text; others get the source as
 * it is, with a NUL behind it. */
static plait_status write_code(struct making *making, plait_error *error)
{
	const plait_source *source = making->source;
	uint32_t form = making->code.form;
	plait_status status = PLAIT_OK;

	if (form == PLAIT_SOURCE_C || form == PLAIT_SOURCE_OPENCL_C ||
	    form == PLAIT_SOURCE_CUDA_C)
		status = plait__compose_source(source, making->signature, form,
					       &making->text, error);
	else
		plait__text_add_bytes(&making->text, source->code,
				      source->bytes);
	if (status == PLAIT_OK && making->text.failed)
		status = plait__fail(error, PLAIT_E_NOMEM,
				     "no memory for the source of %.60s",
				     making->signature->name);
	making->code.code = making->text.bytes;
	making->code.bytes = making->text.length;
	return status;
}

/* Set the entry name, as src/source composes it. */
static void name_entry(struct making *making)
{
	making->code.entry = making->source->entry;
	if (making->code.form == PLAIT_SOURCE_C)
		making->code.entry = "plait_run";
	else if (making->source->form == PLAIT_SOURCE_PORTABLE) {
		(void)snprintf(making->entry, sizeof(making->entry),
			       "plait_kernel_%s", making->signature->name);
		making->code.entry = making->entry;
	}
}

static plait_status query(struct making *making, plait_error *error)
{
	plait__backend *backend = making->device->port->backend;
	plait_kernel_facts facts = { .size = sizeof(facts) };
	plait_error room = { .size = sizeof(room) };
	plait_status status = backend->table.kernel_query(
		backend->self, making->out->raw, &facts, &room);

	memcpy(making->out->group, facts.group, sizeof(facts.group));
	return plait__backend_result_check(making->device->port, status,
					   "kernel_query", &room, error);
}

static plait_status hand_over(struct making *making, plait_error *error)
{
	plait__backend_port *port = making->device->port;
	plait__backend *backend = port->backend;
	plait_error room = { .size = sizeof(room) };
	plait_error why = { .size = sizeof(why) };
	plait_status status = backend->table.kernel_build(
		backend->self, making->device->index, &making->code,
		&making->out->raw, &room);

	status = plait__backend_result_check_created(port, status,
						     "kernel_build",
						     making->out->raw, &room,
						     &why);
	if (status == PLAIT_OK)
		return query(making, error);
	making->out->raw = NULL;
	return plait__report_failure(making->source, making->signature->name,
				     &why, &making->log.words, error);
}

static plait_status make_with(struct making *making, plait_error *error)
{
	const plait_source *source = making->source;
	plait_status status;

	describe_parameters(making);
	making->code.size = sizeof(making->code);
	making->code.flags = source->flags;
	if (source->form == PLAIT_SOURCE_PORTABLE)
		making->code.flags |= PLAIT_CODE_PORTABLE;
	making->code.parameter_count = making->signature->count;
	making->code.parameters = making->parameters;
	making->code.name = making->signature->name;
	making->code.options = source->options;
	making->code.log = &making->log;
	name_entry(making);
	status = write_code(making, error);
	return status == PLAIT_OK ? hand_over(making, error) : status;
}

static plait_status make_one(struct making *making, plait_error *error)
{
	uint64_t bytes = parameters_bytes(making);
	plait_status status;

	making->parameters = plait__alloc(making->allocator, bytes);
	if (making->parameters == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to build kernel %.60s",
				   making->signature->name);
	plait__text_init(&making->text, making->allocator);
	plait__text_init(&making->log.words, making->allocator);
	status = make_with(making, error);
	plait__text_fini(&making->log.words);
	plait__text_fini(&making->text);
	plait__free(making->allocator, making->parameters, bytes);
	return status;
}

/* ---- all devices ---- */

/* The device rejects this source, but may accept another. */
static void refuse(plait__device_code *built, const plait_error *why,
		   plait_error *refused)
{
	if (refused->status == PLAIT_OK)
		*refused = *why;
	if (built->lacks[0] == '\0')
		(void)snprintf(built->lacks, sizeof(built->lacks),
			       "cannot run the kernel: %s", why->text);
}

static plait_status make_for(plait__kernel *kernel, plait__device *device,
			     uint32_t form, const plait_source *source,
			     plait_error *refused, plait_error *error)
{
	plait__context *context = device->object.context;
	plait_error why = { .size = sizeof(why) };
	struct making making = {
		.source = source, .signature = kernel->signature,
		.allocator = plait__context_allocator(context),
		.device = device, .code.form = form,
		.out = &kernel->built[device - context->devices],
	};
	plait_status status = make_one(&making, &why);

	if (status == PLAIT_E_UNSUPPORTED || status == PLAIT_E_UNAVAILABLE) {
		refuse(making.out, &why, refused);
		return PLAIT_OK;
	}
	if (status != PLAIT_OK)
		plait__error_copy(error, &why);
	return status;
}

static plait_status make_table(plait__kernel *kernel, plait__context *context,
			       plait_error *error)
{
	if (kernel->built != NULL)
		return PLAIT_OK;
	kernel->built = plait__alloc_array(plait__context_allocator(context),
					   context->device_count,
					   sizeof(*kernel->built));
	kernel->context = context;
	if (kernel->built != NULL)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_NOMEM,
			   "no memory to build kernel %.60s",
			   kernel->signature->name);
}

plait_status plait__device_code_build(plait__kernel *kernel,
				      plait__context *context,
				      const plait_source *source,
				      plait_error *refused, plait_error *error)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < context->device_count;
	     i++) {
		plait__device *device = &context->devices[i];
		uint32_t form = form_for(device, source);

		if (form == PLAIT_SOURCE_PORTABLE)
			continue;
		status = make_table(kernel, context, error);
		if (status == PLAIT_OK && kernel->built[i].raw == NULL)
			status = make_for(kernel, device, form, source,
					  refused, error);
	}
	return status;
}

void plait__device_code_free(plait__kernel *kernel)
{
	plait__context *context = kernel->context;

	if (kernel->built == NULL)
		return;
	for (uint32_t i = 0; i < context->device_count; i++) {
		plait__backend *backend = context->devices[i].port->backend;

		if (kernel->built[i].raw != NULL)
			backend->table.kernel_destroy(backend->self,
						      kernel->built[i].raw);
	}
	plait__free(plait__context_allocator(context), kernel->built,
		    context->device_count * sizeof(*kernel->built));
	kernel->built = NULL;
}

const plait__device_code *plait__device_code_find(const plait__kernel *kernel,
						  const plait__device *device)
{
	const plait__device_code *built;

	if (kernel->built == NULL)
		return NULL;
	built = &kernel->built[device - kernel->context->devices];
	return built->raw != NULL ? built : NULL;
}

bool plait__device_code_exists(const plait__kernel *kernel)
{
	if (kernel->built == NULL)
		return false;
	for (uint32_t i = 0; i < kernel->context->device_count; i++)
		if (kernel->built[i].raw != NULL)
			return true;
	return false;
}

/* ---- launches ---- */

plait_status plait__device_code_bind(const plait__kernel *kernel,
				     const plait__device *device,
				     const plait_launch *launch,
				     const plait_launch_argument *arguments,
				     plait_backend_launch **out,
				     plait_error *error)
{
	const plait__device_code *built = plait__device_code_find(kernel,
								  device);
	plait__backend *backend = device->port->backend;
	plait_error room = { .size = sizeof(room) };
	plait_launch_request request = {
		.size = sizeof(request), .dimensions = launch->dimensions,
		.kernel = built->raw, .arguments = arguments,
		.argument_count = kernel->signature->count,
	};
	plait_status status;

	*out = NULL;
	for (int i = 0; i < 3; i++) {
		request.items[i] = launch->items[i];
		request.group[i] = launch->group[i] != 0 ? launch->group[i] :
							   built->group[i];
	}
	status = backend->table.launch_create(backend->self, &request, out,
					      &room);
	status = plait__backend_result_check_created(device->port, status,
						     "launch_create", *out,
						     &room, error);
	if (status == PLAIT_OK)
		return PLAIT_OK;
	*out = NULL;
	plait__error_prefix(error, "%.60s: ", kernel->signature->name);
	return status;
}

void plait__device_code_unbind(const plait__device *device,
			       plait_backend_launch *launch)
{
	if (launch != NULL)
		device->port->backend->table.launch_destroy(
			device->port->backend->self, launch);
}
