/* SPDX-License-Identifier: MIT */
/*
 * Selection among a kernel's sources: all are read and checked, and each device
 * of the context takes the first that it accepts. Devices that accept no code
 * but run host functions share one build for the host.
 */
#include "object/kernel/select_source.h"

#include "object/kernel/device_code.h"
#include "object/context/device.h"

#include "base/error.h"
#include "base/min_struct_sizes.h"
#include "kernel/launch.h"
#include "source/build.h"

#include <string.h>

enum { MAX_SOURCES = 64 };

/* The size field of the first source applies to all. */
static plait_status read_source(const plait_kernel_desc *desc, uint64_t i,
				const char *name, plait_source *out,
				plait_error *error)
{
	unsigned char copy[4096];
	uint32_t size;

	memcpy(&size, desc->sources, sizeof(size));
	if (i == 0 || size < PLAIT__MIN_SIZE(plait_source) ||
	    size > sizeof(copy))
		return plait__compose_read_source(desc->sources, name, out,
						  error);
	memcpy(copy, (const char *)desc->sources + i * size, size);
	memcpy(copy, &size, sizeof(size));
	return plait__compose_read_source(
		(const plait_source *)(const void *)copy, name, out, error);
}

/* Returns true if the device runs host code, for want of a compiler of its
 * own. */
static bool takes_on_host(const plait__device *device,
			  const plait_source *source)
{
	const plait_backend_device *facts = plait__device_facts(device);

	return (source->form == PLAIT_SOURCE_PORTABLE ||
		source->form == PLAIT_SOURCE_C) &&
	       (facts->capabilities & PLAIT_CAP_HOST_CALL) != 0 &&
	       facts->forms == 0 &&
	       (source->backend == NULL ||
		strcmp(source->backend, device->port->backend->name) == 0);
}

static bool any_device_takes(const plait__context *context,
			     const plait_source *source)
{
	for (uint32_t i = 0; i < context->device_count; i++)
		if (takes_on_host(&context->devices[i], source))
			return true;
	return false;
}

/* Build the source for the devices that take it; for the host too if `wanted`:
 * the descriptor has no host implementation.  A device that rejects the source
 * is no failure; `refused` gets the first reason.  The kernel has no handle yet,
 * so no other thread sees it. */
static plait_status build_one(plait__kernel *kernel, plait__context *context,
			      const plait_source *source, bool wanted,
			      plait_error *refused, plait_error *error)
{
	plait_status status = plait__device_code_build(kernel, context, source,
						       refused, error);

	if (status != PLAIT_OK || !wanted || kernel->module != NULL ||
	    !any_device_takes(context, source))
		return status;
	return plait__build_from_source(source, kernel->signature,
					plait__context_allocator(context),
					&context->settings.log,
					&kernel->messages, &kernel->module,
					error);
}

/* Add what the code of a source that was read depends on. */
static void add_hash(plait__hash *hash, const plait_source *source)
{
	const char *texts[] = { source->entry, source->defines,
				source->options };

	plait__hash_add(hash, &source->form, sizeof(source->form));
	plait__hash_add(hash, &source->flags, sizeof(source->flags));
	plait__hash_add(hash, source->code, source->bytes);
	for (int i = 0; i < 3; i++)
		if (texts[i] != NULL)
			plait__hash_add(hash, texts[i], strlen(texts[i]) + 1);
}

static plait_status fail_unsupported(const plait__context *context,
				     const char *name,
				     const plait_source *source,
				     plait_error *error)
{
	return plait__fail(error, PLAIT_E_UNSUPPORTED,
			   "kernel %.60s: no backend of this context (%s%s) "
			   "takes its %s%s%.30s", name,
			   context->ports[0].backend->name,
			   context->port_count > 1 ? ", ..." : "",
			   plait__compose_form_name(source->form),
			   source->backend != NULL ? " for " : "",
			   source->backend != NULL ? source->backend : "");
}

/* Build each source for the devices that take its form.  With `wanted` one of
 * them has to be of use. */
static plait_status build_all(plait__kernel *kernel, plait__context *context,
			      const plait_kernel_desc *desc, bool wanted,
			      plait_error *error)
{
	plait_error refused = { .size = sizeof(refused) };
	plait_status status = PLAIT_OK;
	plait_source source;

	for (uint64_t i = 0; status == PLAIT_OK && i < desc->source_count;
	     i++) {
		status = read_source(desc, i, kernel->signature->name, &source,
				     error);
		if (status == PLAIT_OK)
			add_hash(&kernel->hash, &source);
		if (status == PLAIT_OK)
			status = build_one(kernel, context, &source, wanted,
					   &refused, error);
	}
	if (status != PLAIT_OK || !wanted || kernel->module != NULL ||
	    plait__device_code_exists(kernel))
		return status;
	if (refused.status != PLAIT_OK)
		return plait__error_copy(error, &refused);
	return fail_unsupported(context, kernel->signature->name, &source,
				error);
}

plait_status plait__select_source_build(plait__kernel *kernel,
					plait__context *context,
					plait_kernel_desc *desc,
					plait_error *error)
{
	bool wanted = desc->function == NULL && desc->range == NULL &&
		      desc->described == NULL && desc->library == NULL;
	plait_status status;

	if (desc->source_count > MAX_SOURCES)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_kernel_desc: %llu sources; at most "
				   "%d", (unsigned long long)desc->source_count,
				   MAX_SOURCES);
	if (desc->source_count > 0 && desc->sources == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_kernel_desc: sources is null");
	if (desc->source_count == 0)
		return PLAIT_OK;
	status = build_all(kernel, context, desc, wanted, error);
	if (status != PLAIT_OK || kernel->module == NULL)
		return status;
	desc->user_data = kernel->module;
	if (kernel->module->division == PLAIT__MODULE_WHOLE)
		desc->function = plait__module_whole;
	else
		desc->range = plait__module_range;
	return PLAIT_OK;
}

plait_status plait__select_source_set_groups(const plait__kernel *kernel,
					     plait_launch *launch,
					     plait_error *error)
{
	const plait__device_code *built = kernel->built;

	if (kernel->module != NULL)
		return plait__module_settle(kernel->module, launch, error);
	for (uint32_t i = 0; built != NULL && i < kernel->context->device_count;
	     i++)
		if (built[i].group[0] != 0)
			return plait__launch_resolve(built[i].group, launch,
						     error);
	return PLAIT_OK;
}

void plait__select_source_free(plait__kernel *kernel)
{
	plait__device_code_free(kernel);
	plait__module_destroy(kernel->module);
	kernel->module = NULL;
	if (kernel->messages.bytes != NULL)
		plait__text_fini(&kernel->messages);
}
