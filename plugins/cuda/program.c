/* SPDX-License-Identifier: MIT */
/*
 * Kernels: a module of the driver for each, and the properties of its function.
 * Cached code that the driver rejects is compiled again.
 */
#include <stdio.h>
#include <string.h>

#include "kernel.h"
#include "segment.h"

/* --- modules -------------------------------------------------------------- */

static const char decides[] = "plait_decides";

static bool is_of_name(char c)
{
	return c == '_' || c == '$' || (c >= '0' && c <= '9') ||
	       (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Find the whole name, not a part of a longer one. */
static bool has_name(const void *code, uint64_t bytes, const char *name)
{
	const char *end = (const char *)code + bytes;
	uint64_t length = strlen(name);
	const char *at = code;

	while ((at = memmem(at, (size_t)(end - at), name, length)) != NULL) {
		const char *behind = at + length;

		if ((at == code || !is_of_name(at[-1])) &&
		    (behind == end || !is_of_name(*behind)))
			return true;
		at = behind;
	}
	return false;
}

static bool sets_conditions(const plait_code *code)
{
	return has_name(code->code, code->bytes, "cudaGraphSetConditional");
}

/* PLAIT_E_INVALID: the code is at fault; UNSUPPORTED, UNAVAILABLE: the
 * driver. */
static plait_status judge_load(const struct cuda_build *build, CUresult code,
			       plait_error *error)
{
	/* Drivers without conditional nodes fail here with various codes. */
	if (code != CUDA_SUCCESS && !plaitp_cuda_is_sticky(code) &&
	    !plaitp_cuda_has_regions(build->self) &&
	    sets_conditions(build->code))
		return plaitp_cuda_fail_build(build, error,
					      PLAIT_E_UNSUPPORTED, (int)code,
					      "it decides loops, which needs "
					      "the driver of CUDA 12.3");
	switch (code) {
	case CUDA_SUCCESS:
		return PLAIT_OK;
	case CUDA_ERROR_INVALID_IMAGE:
	case CUDA_ERROR_NO_BINARY_FOR_GPU:
	case CUDA_ERROR_INVALID_PTX:
	case CUDA_ERROR_INVALID_SOURCE:
	case CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND:
		return plaitp_cuda_fail_build(build, error, PLAIT_E_INVALID,
					      (int)code,
					      "the driver does not take it");
	case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
		return plaitp_cuda_fail_build(build, error, PLAIT_E_INVALID,
					      (int)code,
					      "its PTX is newer than the "
					      "driver; it needs a compiler "
					      "that is not");
	case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
	case CUDA_ERROR_JIT_COMPILATION_DISABLED:
		return plaitp_cuda_fail_build(build, error,
					      PLAIT_E_UNAVAILABLE, (int)code,
					      "the driver has no compiler for "
					      "PTX");
	default:
		return plaitp_cuda_fail_call(
			build->self,
			plaitp_cuda_number(build->self, build->device), error,
			"cuModuleLoadDataEx", code, build->code->name);
	}
}

CUresult plaitp_cuda_load_image(plait_backend *self, const void *image,
				char *log, CUmodule *out)
{
	CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER,
				   CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
	void *values[] = { log, (void *)(uintptr_t)CUDA_LOG_BYTES };
	CUresult code;

	log[0] = '\0';
	code = self->cu.cuModuleLoadDataEx(out, image, 2, options, values);
	log[CUDA_LOG_BYTES - 1] = '\0';
	if (code != CUDA_SUCCESS)
		*out = NULL;
	return code;
}

/* Context is current. */
static plait_status load(const struct cuda_build *build, const void *image,
			 uint64_t bytes, plait_backend_kernel *kernel,
			 plait_error *error)
{
	plait_backend *self = build->self;
	char *log = self->services->resize(self->host, NULL, 0,
					   CUDA_LOG_BYTES);
	CUresult code;

	if (log == NULL)
		return plaitp_cuda_fail_build(build, error, PLAIT_E_NOMEM, 0,
					      "no memory for a log");
	kernel->names_decides = has_name(image, bytes, decides);
	code = plaitp_cuda_load_image(self, image, log, &kernel->module);
	if (code != CUDA_SUCCESS && log[0] != '\0')
		self->services->build_log(self->host, build->code->log, log,
					  strlen(log));
	self->services->resize(self->host, log, CUDA_LOG_BYTES, 0);
	return judge_load(build, code, error);
}

static plait_status load_compiled(const struct cuda_build *build,
				  bool *cached, plait_backend_kernel *kernel,
				  plait_error *error)
{
	uint64_t bytes = 0;
	void *image = NULL;
	plait_status status = plaitp_cuda_compile(build, cached, &image,
						  &bytes, error);

	if (status != PLAIT_OK)
		return status;
	status = load(build, image, bytes, kernel, error);
	build->self->services->resize(build->self->host, image, bytes, 0);
	return status;
}

static plait_status load_text(const struct cuda_build *build,
			      plait_backend_kernel *kernel, plait_error *error)
{
	bool cached = true;
	plait_status status = load_compiled(build, &cached, kernel, error);

	if (status == PLAIT_OK || !cached)
		return status;
	/* The cached code is unusable. */
	cached = false;
	return load_compiled(build, &cached, kernel, error);
}

static plait_status load_code(const struct cuda_build *build,
			      plait_backend_kernel *kernel, plait_error *error)
{
	switch (build->code->form) {
	case PLAIT_SOURCE_CUDA_C:
		return load_text(build, kernel, error);
	case PLAIT_SOURCE_PTX:
	case PLAIT_SOURCE_CUBIN:
		return load(build, build->code->code, build->code->bytes,
			    kernel, error);
	default:
		return plaitp_cuda_fail_build(build, error,
					      PLAIT_E_UNSUPPORTED,
					      (int)build->code->form,
					      "code of this form is not for "
					      "CUDA");
	}
}

/* --- kernels -------------------------------------------------------------- */

static const plait_code_parameter *parameter_at(const plait_code *code,
						uint32_t index)
{
	return (const void *)((const char *)code->parameters +
			      (size_t)code->parameters->size * index);
}

/* Function names that the core gives to portable source. */
static bool is_named_portable(const char *entry)
{
	static const char begin[] = "plait_kernel_";

	return strncmp(entry, begin, sizeof(begin) - 1) == 0;
}

/* Null without memory.  Copies the signature; the module comes later. */
static plait_backend_kernel *new_kernel(const struct cuda_build *build)
{
	const plait_code *code = build->code;
	uint64_t bytes = sizeof(plait_backend_kernel) +
			 code->parameter_count * sizeof(struct cuda_parameter);
	plait_backend_kernel *kernel = build->self->services->resize(
		build->self->host, NULL, 0, bytes);
	uint32_t i;

	if (kernel == NULL)
		return NULL;
	memset(kernel, 0, bytes);
	kernel->total_bytes = bytes;
	kernel->device = build->device;
	kernel->parameter_count = code->parameter_count;
	snprintf(kernel->entry, sizeof(kernel->entry), "%s", code->entry);
	for (i = 0; i < code->parameter_count; i++) {
		const plait_code_parameter *from = parameter_at(code, i);

		kernel->parameters[i].bytes = from->bytes;
		kernel->parameters[i].pointer =
			(from->flags & PLAIT_CODE_POINTER) != 0;
		kernel->parameters[i].local =
			(from->flags & PLAIT_CODE_LOCAL) != 0;
		if ((from->flags & PLAIT_CODE_IMAGE) != 0) {
			kernel->parameters[i].image_in =
				(from->flags & PLAIT_CODE_READS) != 0;
			kernel->parameters[i].image_out =
				!kernel->parameters[i].image_in;
		}
		kernel->local_count += kernel->parameters[i].local;
	}
	kernel->places_locals = is_named_portable(code->entry);
	return kernel;
}

static plait_status fail_call(const struct cuda_build *build,
			      plait_error *error, const char *name,
			      CUresult code)
{
	return plaitp_cuda_fail_call(
		build->self, plaitp_cuda_number(build->self, build->device),
		error, name, code, build->code->name);
}

static plait_status find_function(const struct cuda_build *build,
				  plait_backend_kernel *kernel,
				  plait_error *error)
{
	CUresult code = build->self->cu.cuModuleGetFunction(
		&kernel->function, kernel->module, build->code->entry);

	if (code == CUDA_ERROR_NOT_FOUND)
		return plaitp_driven_fail(build->self->services, error,
					  PLAIT_E_INVALID, code,
					  "cuda: kernel %.60s: its code has no "
					  "kernel function %.80s",
					  build->code->name,
					  build->code->entry);
	return code == CUDA_SUCCESS ? PLAIT_OK :
	       fail_call(build, error, "cuModuleGetFunction", code);
}

/* Returns true if parameter `index` of the function may have that size.  An image
 * may be declared as its first object alone.  Arguments of DECIDE follow those
 * of the signature. */
static bool may_have(const plait_backend_kernel *kernel, size_t index,
		     size_t bytes)
{
	const struct cuda_parameter *parameter = kernel->parameters;
	const struct cuda_parameter *end = parameter + kernel->parameter_count;

	for (; parameter < end; parameter++)
		if (plaitp_cuda_is_passed(kernel, parameter) && index-- == 0)
			return bytes == plaitp_cuda_parameter_bytes(parameter) ||
			       ((parameter->image_in || parameter->image_out) &&
				bytes == sizeof(CUtexObject));
	return bytes == sizeof(CUdeviceptr);
}

/* Check number and sizes of the parameters, if the driver can tell them. */
static plait_status check_parameters(const struct cuda_build *build,
				     const plait_backend_kernel *kernel,
				     plait_error *error)
{
	const struct cuda_calls *cu = &build->self->cu;
	size_t offset, bytes, i;
	size_t count = plaitp_cuda_passed_count(kernel) +
		       plaitp_cuda_loop_arguments(kernel);
	CUresult code;
	bool there;

	for (i = 0; cu->cuFuncGetParamInfo != NULL && i <= count; i++) {
		bool last = i == count;

		code = cu->cuFuncGetParamInfo(kernel->function, i, &offset,
					      &bytes);
		if (code != CUDA_SUCCESS && code != CUDA_ERROR_INVALID_VALUE)
			return fail_call(build, error, "cuFuncGetParamInfo",
					 code);
		there = code == CUDA_SUCCESS;
		if (there != last && (last || may_have(kernel, i, bytes)))
			continue;
		return plaitp_driven_fail(
			build->self->services, error, PLAIT_E_INVALID, 0,
			"cuda: kernel %.60s: parameter %u of %.80s is not "
			"that of the signature, which has %u "
			"(cuFuncGetParamInfo)", build->code->name,
			(unsigned)i + 1, build->code->entry,
			kernel->parameter_count);
	}
	return PLAIT_OK;
}

/* Read a variable of the module, if it has one of that size.  Synchronous, on
 * the device's own stream. */
static plait_status read_variable(const struct cuda_build *build,
				  plait_backend_kernel *kernel,
				  const char *name, void *out, size_t room,
				  bool *there, plait_error *error)
{
	const struct cuda_calls *cu = &build->self->cu;
	CUstream stream = build->device->service_stream;
	CUdeviceptr address = 0;
	size_t bytes = 0;
	CUresult code = cu->cuModuleGetGlobal(&address, &bytes, kernel->module,
					      name);

	*there = code == CUDA_SUCCESS && bytes == room;
	if (code == CUDA_ERROR_NOT_FOUND)
		return PLAIT_OK;
	if (code != CUDA_SUCCESS)
		return fail_call(build, error, "cuModuleGetGlobal", code);
	if (!*there)
		return PLAIT_OK;
	code = cu->cuMemcpyDtoHAsync(out, address, bytes, stream);
	if (code != CUDA_SUCCESS)
		return fail_call(build, error, "cuMemcpyDtoHAsync", code);
	code = cu->cuStreamSynchronize(stream);
	return code == CUDA_SUCCESS ? PLAIT_OK :
	       fail_call(build, error, "cuStreamSynchronize", code);
}

static bool is_portable(const plait_code *code)
{
	return code->form == PLAIT_SOURCE_CUDA_C &&
	       is_named_portable(code->entry);
}

/*
 * Read the group size of portable source.  The compiler gives the variable
 * internal linkage, as all code but that of -rdc: without its value, groups of
 * another size would compute wrong results.
 */
static plait_status read_group(const struct cuda_build *build,
			       plait_backend_kernel *kernel,
			       plait_error *error)
{
	plait_status status = read_variable(
		build, kernel, "plait_group", kernel->group,
		sizeof(kernel->group), &kernel->portable, error);

	if (status != PLAIT_OK || kernel->portable ||
	    !is_portable(build->code))
		return status;
	return plaitp_cuda_fail_build(build, error, PLAIT_E_UNSUPPORTED, 0,
				      "the driver does not find the variable "
				      "plait_group in its code");
}

/* Returns true if the code must define plait_decides, because its kernel takes
 * the arguments of a loop. */
static bool must_say(const struct cuda_build *build,
		     const plait_backend_kernel *kernel)
{
	return kernel->names_decides ||
	       (is_portable(build->code) && sets_conditions(build->code) &&
		plaitp_cuda_compiles_loops(build->self));
}

/* Read whether the kernel sets the condition of its loop. */
static plait_status read_decides(const struct cuda_build *build,
				 plait_backend_kernel *kernel,
				 plait_error *error)
{
	bool there;
	plait_status status = read_variable(build, kernel, decides,
					    &kernel->decides,
					    sizeof(kernel->decides), &there,
					    error);

	if (status != PLAIT_OK)
		return status;
	if (!there && must_say(build, kernel))
		return plaitp_cuda_fail_build(build, error,
					      PLAIT_E_UNSUPPORTED, 0,
					      "the driver does not find the "
					      "word plait_decides in its code");
	if (kernel->decides <= CUDA_DECIDES)
		return PLAIT_OK;
	return plaitp_cuda_fail_build(build, error, PLAIT_E_UNSUPPORTED,
				      (int)kernel->decides, "plait_decides "
				      "is to be 1 or 2");
}

static plait_status query_limits(const struct cuda_build *build,
			    plait_backend_kernel *kernel, plait_error *error)
{
	const struct cuda_calls *cu = &build->self->cu;
	CUresult code;

	if ((code = cu->cuFuncGetAttribute(
		     &kernel->group_max,
		     CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
		     kernel->function)) != CUDA_SUCCESS ||
	    (code = cu->cuFuncGetAttribute(
		     &kernel->local_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
		     kernel->function)) != CUDA_SUCCESS ||
	    (code = cu->cuFuncGetAttribute(
		     &kernel->private_bytes,
		     CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
		     kernel->function)) != CUDA_SUCCESS)
		return fail_call(build, error, "cuFuncGetAttribute", code);
	return PLAIT_OK;
}

/* Permit the dynamic shared memory that the static one leaves, of which launches
 * use what they ask for. */
static plait_status permit_locals(const struct cuda_build *build,
				  const plait_backend_kernel *kernel,
				  plait_error *error)
{
	const uint64_t limit = build->device->limits.local;
	CUresult code;

	if (kernel->local_count == 0 || limit < (uint64_t)kernel->local_bytes)
		return PLAIT_OK;
	code = build->self->cu.cuFuncSetAttribute(
		kernel->function,
		CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
		(int)limit - kernel->local_bytes);
	return code == CUDA_SUCCESS ? PLAIT_OK :
	       fail_call(build, error, "cuFuncSetAttribute", code);
}

/* Context is current. */
static plait_status fill_kernel(const struct cuda_build *build,
				plait_backend_kernel *kernel,
				plait_error *error)
{
	plait_status status = load_code(build, kernel, error);

	if (status == PLAIT_OK)
		status = find_function(build, kernel, error);
	if (status == PLAIT_OK)
		status = read_decides(build, kernel, error);
	if (status == PLAIT_OK)
		status = check_parameters(build, kernel, error);
	if (status == PLAIT_OK)
		status = query_limits(build, kernel, error);
	if (status == PLAIT_OK)
		status = permit_locals(build, kernel, error);
	if (status == PLAIT_OK)
		status = read_group(build, kernel, error);
	return status;
}

plait_status plaitp_cuda_kernel_build(plait_backend *self, uint32_t device,
				      const plait_code *code,
				      plait_backend_kernel **out,
				      plait_error *error)
{
	const struct cuda_build build = { .self = self,
					  .device = &self->devices[device],
					  .code = code };
	plait_backend_kernel *kernel;
	plait_status status;

	*out = NULL;
	if (strlen(code->entry) >= CUDA_ENTRY_BYTES)
		return plaitp_cuda_fail_build(&build, error, PLAIT_E_INVALID,
					      0, "the name of its function is "
					      "too long");
	kernel = new_kernel(&build);
	if (kernel == NULL)
		return plaitp_cuda_fail_build(&build, error, PLAIT_E_NOMEM, 0,
					      "no memory for it");
	status = plaitp_cuda_enter(self, device, error);
	if (status == PLAIT_OK) {
		status = fill_kernel(&build, kernel, error);
		plaitp_cuda_leave(self);
	}
	if (status == PLAIT_OK)
		*out = kernel;
	else
		plaitp_cuda_kernel_destroy(self, kernel);
	return status;
}

static void free_kernel(plait_backend *self, struct cuda_unfreed *one,
			bool entered)
{
	plait_backend_kernel *kernel = (plait_backend_kernel *)(void *)one;

	if (entered && kernel->module != NULL)
		self->cu.cuModuleUnload(kernel->module);
	self->services->resize(self->host, kernel, kernel->total_bytes, 0);
}

void plaitp_cuda_kernel_destroy(plait_backend *self,
				plait_backend_kernel *kernel)
{
	plaitp_cuda_free_later(self, kernel->device, &kernel->unfreed,
			       free_kernel);
	plaitp_driven_enter(&self->driven);
	plaitp_driven_leave(&self->driven);
}

plait_status plaitp_cuda_kernel_query(plait_backend *self,
				      plait_backend_kernel *kernel,
				      plait_kernel_facts *out,
				      plait_error *error)
{
	plait_kernel_facts facts = {
		.size = sizeof(facts),
		.group_items_max = (uint64_t)kernel->group_max,
		.local_bytes = (uint64_t)kernel->local_bytes,
		.private_bytes = (uint64_t)kernel->private_bytes
	};
	int i;

	(void)self;
	(void)error;
	for (i = 0; i < 3; i++)
		facts.group[i] = kernel->group[i];
	if (out->size < facts.size)
		facts.size = out->size;
	memcpy(out, &facts, facts.size);
	return PLAIT_OK;
}
