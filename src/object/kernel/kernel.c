/* SPDX-License-Identifier: MIT */
/* Kernels: create and query; see kernel.h. */
#include "object/kernel/kernel.h"

#include "object/kernel/device_code.h"
#include "object/context/device.h"
#include "object/kernel/select_source.h"

#include "base/alloc.h"
#include "base/sized_struct.h"
#include "base/error.h"
#include "base/text.h"

#include <string.h>

static void release_plans(plait__kernel *kernel)
{
	const plait__object *plan_object;

	for (uint32_t i = 0; i < PLAIT__KERNEL_LAUNCH_PLANS; i++) {
		/* Relaxed: no other thread has the kernel. */
		plan_object = at_load_relaxed_ptr(&kernel->launch_plans[i]);
		if (plan_object != NULL)
			plait__object_release(plait__object_handle(plan_object),
					      PLAIT_OBJECT_PLAN);
	}
}

static void destroy_kernel(plait__object *object)
{
	plait__kernel *kernel = (plait__kernel *)object;
	const plait_allocator *allocator =
		plait__context_allocator(object->context);

	release_plans(kernel);
	plait__select_source_free(kernel);
	plait__intern_release(&object->context->signatures, allocator,
			      kernel->signature);
	plait__free(allocator, kernel, sizeof(*kernel));
}

static const plait__class kernel_class = {
	.type = PLAIT_OBJECT_KERNEL, .destroy = destroy_kernel
};

/* A source compiled for the host has its function here, too. */
static bool has_host_code(const plait_kernel_desc *desc)
{
	return desc->function != NULL || desc->range != NULL ||
	       desc->described != NULL || desc->library != NULL;
}

plait_status plait__kernel_check_returns(const plait__kernel *kernel,
					 const char *remedy,
					 plait_error *error)
{
	if (!kernel->suspends)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_UNSUPPORTED,
			   "kernel %.100s is a coroutine (PLAIT_KERNEL_COROUTINE),"
			   " which only a plan of the host can suspend: launch "
			   "it as a node, and %s",
			   kernel->signature->name, remedy);
}

/* Sources are added when they are read. */
static void begin_hash(plait__hash *hash, const plait_kernel_desc *desc,
		       const plait__signature *signature)
{
	const char *parts[] = { signature->text, desc->library, desc->symbol };

	plait__hash_init(hash);
	for (int i = 0; i < 3; i++)
		plait__hash_add(hash, parts[i] != NULL ? parts[i] : "",
				parts[i] != NULL ? strlen(parts[i]) + 1 : 1);
}

static plait_status make_kernel(plait__context *context,
				plait_kernel_desc *desc, plait__kernel **out,
				plait_error *error)
{
	const plait_allocator *allocator = plait__context_allocator(context);
	plait__kernel *kernel = plait__alloc(allocator, sizeof(*kernel));
	plait_status status;

	if (kernel == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a kernel");
	plait__text_init(&kernel->messages, allocator);
	status = plait__intern_acquire(&context->signatures, allocator,
				       desc->signature, &kernel->signature,
				       error);
	if (status != PLAIT_OK)
		goto free_kernel;
	begin_hash(&kernel->hash, desc, kernel->signature);
	status = plait__select_source_build(kernel, context, desc, error);
	if (status == PLAIT_OK && has_host_code(desc))
		status = plait__host_code_find(&kernel->code, desc,
					       kernel->signature,
					       &context->signatures, allocator,
					       error);
	if (status != PLAIT_OK)
		goto unbuild;
	if (kernel->code.form == PLAIT_FORM_RANGE)
		status = plait__context_parallel_for(context,
						     &kernel->code.team, error);
	if (status != PLAIT_OK)
		goto unbuild;
	kernel->suspends = (desc->flags & PLAIT_KERNEL_COROUTINE) != 0;
	kernel->is_bound = (desc->flags & PLAIT_KERNEL_FIRST_WORKER) != 0;
	if (has_host_code(desc))
		kernel->function =
			plait__host_code_launch_function(&kernel->code,
							 &kernel->user_data);
	plait__object_set_label(&kernel->object, kernel->signature->name);
	status = plait__object_init(&kernel->object, &kernel_class, context,
				    error);
	if (status != PLAIT_OK)
		goto unbuild;
	*out = kernel;
	return PLAIT_OK;
unbuild:
	plait__select_source_free(kernel);
	plait__intern_release(&context->signatures, allocator,
			      kernel->signature);
free_kernel:
	plait__free(allocator, kernel, sizeof(*kernel));
	return status;
}

static plait_status check_desc(const plait_kernel_desc *given,
			       plait_kernel_desc *desc, plait_error *error)
{
	plait_status status = PLAIT__STRUCT_READ(plait_kernel_desc, desc, given,
						 error);

	if (status != PLAIT_OK)
		return status;
	if ((desc->flags & ~(uint32_t)(PLAIT_KERNEL_COROUTINE |
				       PLAIT_KERNEL_FIRST_WORKER)) != 0)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "plait_kernel_desc: flags 0x%x are not "
				   "known", desc->flags);
	if (desc->signature == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_kernel_desc: signature is null");
	return plait__host_code_check(desc, error);
}

plait_status plait_kernel_create(plait_context *context,
				 const plait_kernel_desc *desc,
				 plait_kernel **out, plait_error *error)
{
	plait_kernel_desc ours;
	plait__context *entered;
	plait__kernel *kernel = NULL;
	plait_status status;

	if (out == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "out is null");
	*out = NULL;
	status = plait__context_enter(context, &entered, error);
	if (status != PLAIT_OK)
		return status;
	status = check_desc(desc, &ours, error);
	if (status == PLAIT_OK)
		status = make_kernel(entered, &ours, &kernel, error);
	if (status == PLAIT_OK)
		*out = plait__object_handle(&kernel->object);
	plait__object_leave(&entered->object);
	return status;
}

plait_status plait_kernel_compile(plait_context *context,
				  const char *signature, const char *code,
				  plait_kernel **out, plait_error *error)
{
	const plait_source source = { .size = sizeof(source),
				      .form = PLAIT_SOURCE_PORTABLE,
				      .code = code };
	const plait_kernel_desc desc = { .size = sizeof(desc),
					 .signature = signature,
					 .sources = &source,
					 .source_count = 1 };

	return plait_kernel_create(context, &desc, out, error);
}

PLAIT__OBJECT_REFERENCES(kernel, PLAIT_OBJECT_KERNEL);

const char *plait__kernel_lacks(const plait__kernel *kernel,
				const plait__device *device)
{
	uint32_t can = plait__device_facts(device)->capabilities;
	const plait__device_code *built = kernel->built;
	bool images = kernel->signature->image_count > 0;

	/* A function of the host has no address of other devices' images. */
	if (plait__device_code_find(kernel, device) != NULL ||
	    (kernel->function != NULL && (can & PLAIT_CAP_HOST_CALL) != 0 &&
	     (!images || plait__device_is_host(device))))
		return NULL;
	if (built != NULL)
		built += device - kernel->context->devices;
	if (built != NULL && built->lacks[0] != '\0')
		return built->lacks;
	return "has no implementation of the kernel, and cannot run the one "
	       "for the host";
}

bool plait__kernel_commutes(const plait__kernel *kernel,
			    const plait__device *device)
{
	return plait__device_code_find(kernel, device) != NULL ||
	       (kernel->function != NULL && plait__device_is_host(device));
}

plait_status plait_kernel_signature(plait_kernel *kernel, char *buffer,
				    uint64_t capacity_bytes,
				    uint64_t *out_bytes, plait_error *error)
{
	plait__kernel *entered;
	plait_status status = plait__kernel_enter(kernel, &entered, error);

	if (status != PLAIT_OK)
		return status;
	plait__text_copy(entered->signature->text, buffer, capacity_bytes,
			 out_bytes);
	plait__object_leave(&entered->object);
	return PLAIT_OK;
}

static const plait__text *messages_for(const plait__kernel *kernel,
				       const plait__device *device)
{
	const plait__device_code *code = plait__device_code_find(kernel,
								 device);

	return code != NULL ? &code->messages : &kernel->messages;
}

static plait_status copy_messages(const plait__kernel *kernel,
				  const plait__device *device, char *buffer,
				  uint64_t capacity_bytes, uint64_t *out_bytes,
				  plait_error *error)
{
	const plait__text *text;

	if (device->object.context != kernel->object.context)
		return plait__fail(error, PLAIT_E_INVALID,
				   "device \"%.60s\" is of another context "
				   "than kernel \"%.60s\"",
				   device->object.label,
				   kernel->object.label);
	text = messages_for(kernel, device);
	plait__text_copy(text->bytes != NULL ? text->bytes : "", buffer,
			 capacity_bytes, out_bytes);
	return PLAIT_OK;
}

plait_status plait_kernel_messages(plait_kernel *kernel, plait_device *device,
				   char *buffer, uint64_t capacity_bytes,
				   uint64_t *out_bytes, plait_error *error)
{
	plait__device *where;
	plait__kernel *entered;
	plait_status status = plait__kernel_enter(kernel, &entered, error);

	if (status != PLAIT_OK)
		return status;
	status = plait__device_enter(device, &where, error);
	if (status == PLAIT_OK) {
		status = copy_messages(entered, where, buffer, capacity_bytes,
				       out_bytes, error);
		plait__device_leave(where);
	}
	plait__object_leave(&entered->object);
	return status;
}
