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
#include "sys/clock.h"

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

struct compilation {
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

static uint64_t parameters_bytes(const struct compilation *compilation)
{
	return (compilation->signature->count + 1) *
	       sizeof(*compilation->parameters);
}

/* The array has parameters_bytes. */
static void describe_parameters(struct compilation *compilation)
{
	for (uint32_t i = 0; i < compilation->signature->count; i++) {
		const plait__parameter *from =
			&compilation->signature->parameters[i];
		plait_code_parameter *to = &compilation->parameters[i];
		bool pointer = from->type == PLAIT__TYPE_POINTER;
		bool local = from->type == PLAIT__TYPE_LOCAL;
		plait__type type = pointer || local ? from->element :
						      from->type;

		to->flags = 0;
		if (plait__signature_is_image(from))
			to->flags |= PLAIT_CODE_IMAGE;
		if (from->type == PLAIT__TYPE_SAMPLER)
			to->flags |= PLAIT_CODE_SAMPLER;
		to->size = sizeof(*to);
		to->name = from->name;
		to->type = plait__type_name(type);
		to->bytes = pointer || local ? plait__type_bytes(type) :
					       from->bytes;
		to->flags |= pointer ? PLAIT_CODE_POINTER :
			     local ? PLAIT_CODE_LOCAL : 0;
		if ((from->mode & PLAIT__MODE_IN) != 0)
			to->flags |= PLAIT_CODE_READS;
		if ((from->mode & PLAIT__MODE_OUT) != 0)
			to->flags |= PLAIT_CODE_WRITES;
	}
}

/* Languages with a preprocessor get a composed text; others get the source as
 * it is, with a NUL behind it. */
static plait_status write_code(struct compilation *compilation,
			       plait_error *error)
{
	const plait_source *source = compilation->source;
	uint32_t form = compilation->code.form;
	plait_status status = PLAIT_OK;

	if (form == PLAIT_SOURCE_C || form == PLAIT_SOURCE_OPENCL_C ||
	    form == PLAIT_SOURCE_CUDA_C)
		status = plait__compose_source(source, compilation->signature,
					       form, &compilation->text, error);
	else
		plait__text_add_bytes(&compilation->text, source->code,
				      source->bytes);
	if (status == PLAIT_OK && compilation->text.failed)
		status = plait__fail(error, PLAIT_E_NOMEM,
				     "no memory for the source of %.60s",
				     compilation->signature->name);
	compilation->code.code = compilation->text.bytes;
	compilation->code.bytes = compilation->text.length;
	return status;
}

/* Set the entry name, as src/source composes it. */
static void name_entry(struct compilation *compilation)
{
	compilation->code.entry = compilation->source->entry;
	if (compilation->code.form == PLAIT_SOURCE_C)
		compilation->code.entry = "plait_run";
	else if (compilation->source->form == PLAIT_SOURCE_PORTABLE) {
		(void)snprintf(compilation->entry, sizeof(compilation->entry),
			       "plait_kernel_%s", compilation->signature->name);
		compilation->code.entry = compilation->entry;
	}
}

/* The backend has built the kernel. */
static plait_status query(struct compilation *compilation, plait_error *error)
{
	plait__backend *backend = compilation->device->port->backend;
	plait_kernel_facts facts = { .size = sizeof(facts) };
	plait_error room = { .size = sizeof(room) };
	plait_status status = backend->table.kernel_query(
		backend->self, compilation->out->raw, &facts, &room);

	memcpy(compilation->out->group, facts.group, sizeof(facts.group));
	compilation->out->local_bytes = facts.local_bytes;
	return plait__backend_result_check(compilation->device->port, status,
					   "kernel_query", &room, error);
}

/* Keep the messages of a build that succeeded. */
static plait_status accept(struct compilation *compilation, plait_error *error)
{
	const plait__device *device = compilation->device;

	plait__report_warning(compilation->signature->name,
			      device->object.label, &compilation->log.words,
			      &device->port->context->settings.log);
	compilation->out->messages = compilation->log.words;
	plait__text_init(&compilation->log.words, compilation->allocator);
	return query(compilation, error);
}

/* Let the backend build the code, and log time and result.  `raw` is null after
 * a failure. */
static plait_status hand_over(struct compilation *compilation,
			      plait_error *error)
{
	plait__backend_port *port = compilation->device->port;
	plait__backend *backend = port->backend;
	plait_error room = { .size = sizeof(room) };
	plait_error why = { .size = sizeof(why) };
	uint64_t begun = plait__clock_now_ns();
	plait_status status = backend->table.kernel_build(
		backend->self, compilation->device->index, &compilation->code,
		&compilation->out->raw, &room);

	status = plait__backend_result_check_created(port, status,
						     "kernel_build",
						     compilation->out->raw,
						     &room, &why);
	plait__report_dump_code(&compilation->code,
				&port->context->settings.log);
	plait__log_line(&port->context->settings.log, PLAIT_LOG_DEBUG,
			"kernel %.60s for %s: %s in %llu ms",
			compilation->signature->name,
			compilation->device->object.label,
			status == PLAIT_OK ? "built" : "refused",
			(unsigned long long)((plait__clock_now_ns() - begun) /
					     1000000));
	if (status == PLAIT_OK)
		return accept(compilation, error);
	compilation->out->raw = NULL;
	return plait__report_failure(compilation->source,
				     compilation->signature->name, &why,
				     &compilation->log.words, error);
}

/* Fill the record for the backend.  The memory is make_one's. */
static plait_status make_with(struct compilation *compilation,
			      plait_error *error)
{
	const plait_source *source = compilation->source;
	plait_status status;

	if (compilation->signature->image_count > 0) {
		status = plait__device_check_can(compilation->device,
						 PLAIT_CAP_IMAGE,
						 "read or write images",
						 error);
		if (status != PLAIT_OK)
			return status;
	}
	describe_parameters(compilation);
	compilation->code.size = sizeof(compilation->code);
	compilation->code.flags = source->flags;
	if (source->form == PLAIT_SOURCE_PORTABLE)
		compilation->code.flags |= PLAIT_CODE_PORTABLE;
	compilation->code.parameter_count = compilation->signature->count;
	compilation->code.parameters = compilation->parameters;
	compilation->code.name = compilation->signature->name;
	compilation->code.options = source->options;
	compilation->code.log = &compilation->log;
	name_entry(compilation);
	status = write_code(compilation, error);
	return status == PLAIT_OK ? hand_over(compilation, error) : status;
}

static plait_status make_one(struct compilation *compilation,
			     plait_error *error)
{
	uint64_t bytes = parameters_bytes(compilation);
	plait_status status;

	compilation->parameters = plait__alloc(compilation->allocator, bytes);
	if (compilation->parameters == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to build kernel %.60s",
				   compilation->signature->name);
	plait__text_init(&compilation->text, compilation->allocator);
	plait__text_init(&compilation->log.words, compilation->allocator);
	status = make_with(compilation, error);
	plait__text_fini(&compilation->log.words);
	plait__text_fini(&compilation->text);
	plait__free(compilation->allocator, compilation->parameters, bytes);
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

/* make_table has allocated kernel->built.  A device that cannot take this
 * source is no error: `lacks` and *refused keep the first reason. */
static plait_status make_for(plait__kernel *kernel, plait__device *device,
			     uint32_t form, const plait_source *source,
			     plait_error *refused, plait_error *error)
{
	plait__context *context = device->object.context;
	plait_error why = { .size = sizeof(why) };
	struct compilation compilation = {
		.source = source, .signature = kernel->signature,
		.allocator = plait__context_allocator(context),
		.device = device, .code.form = form,
		.out = &kernel->built[device - context->devices],
	};
	plait_status status = make_one(&compilation, &why);

	if (status == PLAIT_E_UNSUPPORTED || status == PLAIT_E_UNAVAILABLE) {
		refuse(compilation.out, &why, refused);
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
		if (kernel->built[i].messages.bytes != NULL)
			plait__text_fini(&kernel->built[i].messages);
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
