/* SPDX-License-Identifier: MIT */
/*
 * Slots of kernels and launches.  Checks that the device takes the code, that
 * arguments match the signature, and that no object in use is destroyed.
 */
#include <string.h>

#include "check.h"

/* In place of the bytes of local memory; those are 0 of other parameters. */
enum { CHECK_IS_IMAGE = -1 };

/* ---- kernels ---- */

/* Return a description of the violation, or null. */
static const char *find_violation(const check *self, uint32_t device,
				  const plait_code *code)
{
	if (device >= self->device_count)
		return "there is no such device";
	if (code->size < sizeof(*code))
		return "the code is too short";
	if (code->form == PLAIT_SOURCE_PORTABLE || code->form > 31 ||
	    !(self->devices[device].forms >> code->form & 1))
		return "the device does not take this form of code";
	if (!code->code || code->bytes == 0 || !code->entry || !code->name)
		return "code, entry or name is null";
	if (code->parameter_count > 0 &&
	    (!code->parameters ||
	     code->parameters[0].size < sizeof(*code->parameters)))
		return "its parameters are null or too short";
	return NULL;
}

/* Return a new kernel; null after a report or without memory. */
static check_kernel *add_kernel(check *self, uint32_t device,
				const plait_code *code, plait_status *status,
				plait_error *error)
{
	static const char slot[] = "kernel_build";
	check_kernel *kernel = NULL;
	const char *fault;

	plaitp_check_enter(self, slot);
	fault = find_violation(self, device, code);
	if (fault) {
		plaitp_check_report(self, CHECK_CORE, slot, "%s", fault);
		*status = plaitp_check_report_error(self, error);
	} else {
		kernel = plaitp_check_add(
			self, CHECK_KERNEL, sizeof(*kernel) +
			code->parameter_count * sizeof(uint32_t));
		*status = kernel ? PLAIT_OK :
			self->services->fail(error, PLAIT_E_NOMEM, 0,
					     "check: no memory");
	}
	plaitp_check_leave(self);
	return kernel;
}

static void note_parameters(check_kernel *kernel, const plait_code *code)
{
	const unsigned char *bytes = (const void *)code->parameters;

	for (uint32_t i = 0; i < code->parameter_count; i++) {
		const plait_code_parameter *from = (const void *)
			(bytes + (uint64_t)i * code->parameters[0].size);

		if (from->flags & PLAIT_CODE_LOCAL)
			kernel->local_element_bytes[i] = (uint32_t)from->bytes;
		if (from->flags & PLAIT_CODE_IMAGE)
			kernel->local_element_bytes[i] =
				(uint32_t)CHECK_IS_IMAGE;
	}
}

plait_status plaitp_check_kernel_build(plait_backend *backend, uint32_t device,
				       const plait_code *code,
				       plait_backend_kernel **out,
				       plait_error *error)
{
	static const char slot[] = "kernel_build";
	check *self = check_of(backend);
	plait_error mine = plaitp_check_record();
	plait_backend_kernel *inner = NULL;
	plait_status status;
	check_kernel *kernel = add_kernel(self, device, code, &status, error);

	*out = NULL;
	if (!kernel)
		return status;
	kernel->device = device;
	kernel->parameter_count = code->parameter_count;
	note_parameters(kernel, code);
	status = self->inner_table->kernel_build(self->inner, device, code,
						 &inner, &mine);
	status = plaitp_check_result(self, slot, status, false, &mine, error);
	pthread_mutex_lock(&self->lock);
	if (status == PLAIT_OK && !inner) {
		plaitp_check_report(self, CHECK_BACKEND, slot,
				 "succeeded without giving a kernel (P-K01)");
		status = plaitp_check_report_error(self, error);
	}
	kernel->inner = inner;
	if (status != PLAIT_OK)
		plaitp_check_retire(self, &kernel->object);
	pthread_mutex_unlock(&self->lock);
	if (status == PLAIT_OK)
		*out = kernel;
	return status;
}

void plaitp_check_kernel_destroy(plait_backend *backend,
				 plait_backend_kernel *handle)
{
	static const char slot[] = "kernel_destroy";
	check *self = check_of(backend);
	plait_backend_kernel *inner = NULL;
	check_kernel *kernel;

	plaitp_check_enter(self, slot);
	kernel = plaitp_check_find(self, slot, CHECK_KERNEL, handle);
	if (kernel && kernel->uses > 0)
		plaitp_check_report(self, CHECK_CORE, slot,
				    "kernel %llu still has %llu launches",
				    (unsigned long long)kernel->object.number,
				    (unsigned long long)kernel->uses);
	if (kernel) {
		inner = kernel->inner;
		plaitp_check_retire(self, &kernel->object);
	}
	plaitp_check_leave(self);
	if (inner)
		self->inner_table->kernel_destroy(self->inner, inner);
}

plait_status plaitp_check_kernel_query(plait_backend *backend,
				       plait_backend_kernel *handle,
				       plait_kernel_facts *out,
				       plait_error *error)
{
	static const char slot[] = "kernel_query";
	check *self = check_of(backend);
	plait_error mine = plaitp_check_record();
	plait_status status = PLAIT_OK;
	check_kernel *kernel;
	bool strange;

	plaitp_check_enter(self, slot);
	kernel = plaitp_check_find(self, slot, CHECK_KERNEL, handle);
	if (!kernel)
		status = plaitp_check_report_error(self, error);
	plaitp_check_leave(self);
	if (!kernel)
		return status;
	status = self->inner_table->kernel_query(self->inner, kernel->inner,
						 out, &mine);
	status = plaitp_check_result(self, slot, status, false, &mine, error);
	strange = status == PLAIT_OK &&
		((out->group[0] == 0) != (out->group[1] == 0) ||
		 (out->group[0] == 0) != (out->group[2] == 0));
	if (!strange)
		return status;
	pthread_mutex_lock(&self->lock);
	plaitp_check_report(self, CHECK_BACKEND, slot,
			    "a group of kernel %llu has some dimensions only "
			 "(P-K04)", (unsigned long long)kernel->object.number);
	pthread_mutex_unlock(&self->lock);
	return status;
}

/* ---- launches ---- */

static const plait_launch_argument *
nth_argument(const plait_launch_request *request, uint32_t index)
{
	const unsigned char *bytes = (const void *)request->arguments;

	return (const plait_launch_argument *)(const void *)
		(bytes + (uint64_t)index * request->arguments[0].size);
}

static const char *find_shape_fault(const plait_launch_request *request)
{
	if (request->dimensions < 1 || request->dimensions > 3)
		return "dimensions is not 1 to 3";
	for (uint32_t i = 0; i < 3; i++)
		if (request->items[i] == 0 ||
		    (i >= request->dimensions && request->items[i] > 1))
			return "items is 0, or more than 1 beyond dimensions";
	return NULL;
}

/* Null after a report. */
static check_kernel *find_kernel(check *self, const char *slot,
				 const plait_launch_request *request)
{
	check_kernel *kernel;
	const char *fault = NULL;

	if (request->size < sizeof(*request))
		fault = "the request is too short";
	else
		fault = find_shape_fault(request);
	if (fault) {
		plaitp_check_report(self, CHECK_CORE, slot, "%s", fault);
		return NULL;
	}
	kernel = plaitp_check_find(self, slot, CHECK_KERNEL, request->kernel);
	if (!kernel)
		return NULL;
	if (request->argument_count == kernel->parameter_count &&
	    (request->argument_count == 0 ||
	     request->arguments[0].size >= sizeof(*request->arguments)))
		return kernel;
	plaitp_check_report(self, CHECK_CORE, slot,
			    "%u arguments for %u parameters of kernel %llu, or "
			    "too short ones", request->argument_count,
			    kernel->parameter_count,
			    (unsigned long long)kernel->object.number);
	return NULL;
}

/* Find the memory of all arguments and check their offsets; false after a
 * report. */
static bool find_memories(check *self, const char *slot,
			  const plait_launch_request *request)
{
	for (uint32_t i = 0; i < request->argument_count; i++) {
		const plait_launch_argument *from = nth_argument(request, i);
		check_memory *memory = NULL;

		if (from->memory)
			memory = plaitp_check_find(self, slot, CHECK_MEMORY,
						   from->memory);
		if (from->memory && !memory)
			return false;
		if (memory ? from->offset <= memory->bytes : !!from->value)
			continue;
		plaitp_check_report(self, CHECK_CORE, slot,
				 "argument %u is outside of its memory, or has "
				    "no value", i);
		return false;
	}
	return true;
}

/* Check that parameters for images get all of an image, and others none; false
 * after a report.  The arguments' memory was found. */
static bool check_images(check *self, const char *slot,
			 const check_kernel *kernel,
			 const plait_launch_request *request)
{
	for (uint32_t i = 0; i < request->argument_count; i++) {
		const plait_launch_argument *from = nth_argument(request, i);
		bool wanted = kernel->local_element_bytes[i] ==
			(uint32_t)CHECK_IS_IMAGE;
		bool image = from->memory && from->memory->row_bytes > 0;

		if (wanted == image && (!image || from->offset == 0))
			continue;
		plaitp_check_report(self, CHECK_CORE, slot,
				    "argument %u is not the image, or the "
				    "buffer, that its parameter needs", i);
		return false;
	}
	return true;
}

/* Check the sizes of local memory; false after a report. */
static bool check_locals(check *self, const char *slot,
			 const check_kernel *kernel,
			 const plait_launch_request *request)
{
	const uint64_t limit = self->devices[kernel->device].local_bytes;
	uint64_t total = 0, bytes;

	for (uint32_t i = 0; i < request->argument_count; i++) {
		const uint32_t element = kernel->local_element_bytes[i];

		if (element == 0 || element == (uint32_t)CHECK_IS_IMAGE)
			continue;
		memcpy(&bytes, nth_argument(request, i)->value, sizeof(bytes));
		total += bytes;
		if (bytes > 0 && bytes % element == 0 &&
		    (limit == 0 || (bytes <= limit && total <= limit)))
			continue;
		plaitp_check_report(self, CHECK_CORE, slot,
				    "argument %u has %llu bytes of local "
				    "memory, %llu with those before; elements "
				    "have %u, the device has %llu", i,
				    (unsigned long long)bytes,
				    (unsigned long long)total, element,
				    (unsigned long long)limit);
		return false;
	}
	return true;
}

static uint64_t launch_bytes(const plait_launch_request *request)
{
	return sizeof(check_launch) + request->argument_count *
		(sizeof(check_memory *) + sizeof(plait_launch_argument));
}

/* Add a launch with the backend's handles; null without memory. */
static check_launch *add_launch(check *self, check_kernel *kernel,
				const plait_launch_request *request)
{
	uint32_t count = request->argument_count;
	check_launch *launch = plaitp_check_add(self, CHECK_LAUNCH,
						launch_bytes(request));
	plait_launch_argument *arguments;

	if (!launch)
		return NULL;
	launch->kernel = kernel;
	launch->arguments = arguments =
		(plait_launch_argument *)(void *)(launch + 1);
	launch->memories = (check_memory **)(void *)(arguments + count);
	for (uint32_t i = 0; i < count; i++) {
		const plait_launch_argument *from = nth_argument(request, i);

		arguments[i] = *from;
		arguments[i].size = sizeof(arguments[i]);
		if (!from->memory)
			continue;
		arguments[i].memory = from->memory->inner;
		from->memory->uses++;
		launch->memories[launch->memory_count++] = from->memory;
	}
	kernel->uses++;
	return launch;
}

static void retire_launch(check *self, check_launch *launch)
{
	for (uint32_t i = 0; i < launch->memory_count; i++)
		launch->memories[i]->uses--;
	launch->kernel->uses--;
	plaitp_check_retire(self, &launch->object);
}

/* Without the lock during the call.  After a failure the launch is retired. */
static plait_status create(check *self, check_launch *launch,
			   const plait_launch_request *request,
			   plait_backend_launch **out, plait_error *error)
{
	static const char slot[] = "launch_create";
	plait_error mine = plaitp_check_record();
	plait_launch_request changed = *request;
	plait_backend_launch *inner = NULL;
	plait_status status;

	changed.size = sizeof(changed);
	changed.kernel = launch->kernel->inner;
	changed.arguments = launch->arguments;
	status = self->inner_table->launch_create(self->inner, &changed,
						  &inner, &mine);
	status = plaitp_check_result(self, slot, status, false, &mine, error);
	pthread_mutex_lock(&self->lock);
	if (status == PLAIT_OK && !inner) {
		plaitp_check_report(self, CHECK_BACKEND, slot,
				 "succeeded without giving a launch (P-K01)");
		status = plaitp_check_report_error(self, error);
	}
	launch->inner = inner;
	if (status != PLAIT_OK)
		retire_launch(self, launch);
	pthread_mutex_unlock(&self->lock);
	if (status == PLAIT_OK)
		*out = launch;
	return status;
}

plait_status plaitp_check_launch_create(plait_backend *backend,
					const plait_launch_request *request,
					plait_backend_launch **out,
					plait_error *error)
{
	static const char slot[] = "launch_create";
	check *self = check_of(backend);
	check_launch *launch = NULL;
	plait_status status = PLAIT_OK;
	check_kernel *kernel;

	*out = NULL;
	plaitp_check_enter(self, slot);
	kernel = find_kernel(self, slot, request);
	if (kernel && find_memories(self, slot, request) &&
	    check_images(self, slot, kernel, request) &&
	    check_locals(self, slot, kernel, request)) {
		launch = add_launch(self, kernel, request);
		if (!launch)
			status = self->services->fail(error, PLAIT_E_NOMEM, 0,
						      "check: no memory");
	} else {
		status = plaitp_check_report_error(self, error);
	}
	plaitp_check_leave(self);
	if (!launch)
		return status;
	return create(self, launch, request, out, error);
}

void plaitp_check_launch_destroy(plait_backend *backend,
				 plait_backend_launch *handle)
{
	static const char slot[] = "launch_destroy";
	check *self = check_of(backend);
	plait_backend_launch *inner = NULL;
	check_launch *launch;

	plaitp_check_enter(self, slot);
	launch = plaitp_check_find(self, slot, CHECK_LAUNCH, handle);
	if (launch && launch->uses > 0 && !self->model_off)
		plaitp_check_report(self, CHECK_CORE, slot,
				 "launch %llu is used by %llu batches that are "
				    "not done",
				    (unsigned long long)launch->object.number,
				    (unsigned long long)launch->uses);
	if (launch) {
		inner = launch->inner;
		plaitp_check_segment_forget_launch(self, slot, launch);
		retire_launch(self, launch);
	}
	plaitp_check_leave(self);
	if (inner)
		self->inner_table->launch_destroy(self->inner, inner);
}
