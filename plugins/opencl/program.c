/* SPDX-License-Identifier: MIT */
/*
 * Kernels: programs from source text or binaries, the log of the compiler, and
 * the cache of binaries.  A cached binary that the driver rejects is built
 * again from its text.
 */
#include <stdio.h>
#include <string.h>

#include "code.h"
#include "kernel.h"
#include "driven/includes.h"
#include "driven/process_state.h"

enum { OPTIONS_BYTES = 512 };

/* State of one build. */
struct build {
	plait_backend *self;
	struct opencl_device *device;
	const plait_code *code;
	bool shifted; /* with an offset for each pointer */
	char options[OPTIONS_BYTES];
	cl_program program;
	struct driven_includes includes;
	struct opencl_program *shared; /* owns the program; or null */
};

/* `code` is 0 if no call has failed. */
static plait_status fail_code(const struct build *build, plait_error *error,
			      plait_status status, cl_int code,
			      const char *what)
{
	const struct opencl_code *of = plaitp_opencl_code(code);

	if (code == 0)
		return plaitp_driven_fail(build->self->services, error, status,
					  0, "opencl: kernel %.60s: %s",
					  build->code->name, what);
	return plaitp_driven_fail(build->self->services, error, status, code,
				  "opencl: kernel %.40s: %.100s: %s (%d)%s%s",
				  build->code->name, what, of->name, (int)code,
				  of->hint[0] != '\0' ? "; " : "", of->hint);
}

/* The compiler refuses its options: the source's, unless it has none. */
static plait_status fail_options(const struct build *build, cl_int code,
				 plait_error *error)
{
	const char *options = build->code->options;
	char what[120];

	if (options == NULL || options[0] == '\0')
		return plaitp_opencl_fail_call(build->self->services, error,
					       "clBuildProgram with plait's "
					       "own options", code,
					       build->code->name);
	snprintf(what, sizeof(what), "the compiler refuses \"%.70s\"", options);
	return fail_code(build, error, PLAIT_E_INVALID, code, what);
}

static bool may_guard(const struct build *build)
{
	return build->self->compiles_lazily && !build->shifted &&
	       (build->code->flags & PLAIT_CODE_PORTABLE) != 0 &&
	       !plaitp_opencl_signature_has_images(build->code);
}

static plait_status write_options(struct build *build, plait_error *error)
{
	const plait_code *code = build->code;
	bool fast = (code->flags & PLAIT_SOURCE_FAST) != 0;
	int used = snprintf(build->options, sizeof(build->options),
			    "%s%s%s%s%s", code->form == PLAIT_SOURCE_SPIRV ? "" :
			    "-cl-std=CL1.2 -cl-kernel-arg-info",
			    build->shifted ? OPENCL_SHIFTED :
			    may_guard(build) ? OPENCL_GUARD : "",
			    fast ? " -cl-fast-relaxed-math" : "",
			    code->options != NULL ? " " : "",
			    code->options != NULL ? code->options : "");

	if (used >= 0 && (size_t)used < sizeof(build->options))
		return PLAIT_OK;
	return fail_code(build, error, PLAIT_E_INVALID, 0,
			 "its options are longer than 500 bytes");
}

/* --- compiler ------------------------------------------------------------- */

static void pass_log(const struct build *build)
{
	const plait_host_services *services = build->self->services;
	const struct opencl_calls *cl = &build->self->cl;
	size_t bytes = 0;
	char *text;

	if (build->code->log == NULL ||
	    cl->clGetProgramBuildInfo(build->program, build->device->id,
				      CL_PROGRAM_BUILD_LOG, 0, NULL,
				      &bytes) != CL_SUCCESS || bytes < 2)
		return;
	text = services->resize(build->self->host, NULL, 0, bytes);
	if (text == NULL)
		return;
	if (cl->clGetProgramBuildInfo(build->program, build->device->id,
				      CL_PROGRAM_BUILD_LOG, bytes, text,
				      NULL) == CL_SUCCESS)
		services->build_log(build->self->host, build->code->log, text,
				    strnlen(text, bytes));
	services->resize(build->self->host, text, bytes, 0);
}

static plait_status judge_build(const struct build *build, cl_int code,
				plait_error *error)
{
	switch (code) {
	case CL_SUCCESS:
		return PLAIT_OK;
	case CL_BUILD_PROGRAM_FAILURE:
	case CL_INVALID_BINARY:
		return fail_code(build, error, PLAIT_E_INVALID, code,
				 "the compiler refuses it");
	case CL_INVALID_BUILD_OPTIONS:
		return fail_options(build, code, error);
	case CL_COMPILER_NOT_AVAILABLE:
		return fail_code(build, error, PLAIT_E_UNAVAILABLE, code,
				 "the driver has no compiler");
	default:
		return plaitp_opencl_fail_call(build->self->services, error,
					       "clBuildProgram", code,
					       build->code->name);
	}
}

/* A compiler installs signal handlers at its first use. */
static plait_status compile(struct build *build, cl_int *out_code,
			    plait_error *error)
{
	struct driven_process_state before;
	plait_status status = plaitp_driven_process_save(&build->self->driven,
							 &before, error);

	if (status != PLAIT_OK)
		return status;
	*out_code = build->self->cl.clBuildProgram(build->program, 1,
						   &build->device->id,
						   build->options, NULL, NULL);
	plaitp_driven_process_restore(&build->self->driven, &before);
	return PLAIT_OK;
}

static void drop_program(struct build *build)
{
	if (build->program != NULL)
		build->self->cl.clReleaseProgram(build->program);
	build->program = NULL;
}

/* --- binaries ------------------------------------------------------------- */

static plait_status load_binary(struct build *build, const void *bytes,
				size_t count, cl_int *out_code,
				plait_error *error)
{
	const unsigned char *binary = bytes;
	cl_int state = CL_SUCCESS;

	*out_code = CL_SUCCESS;
	build->program = build->self->cl.clCreateProgramWithBinary(
		build->self->context, 1, &build->device->id, &count, &binary,
		&state, out_code);
	if (build->program == NULL)
		return PLAIT_OK;
	return compile(build, out_code, error);
}

/* Concatenate everything that the binary depends on. */
static char *make_key(const struct build *build, uint64_t *out_bytes)
{
	const char *device = build->device->description;
	uint64_t options = strlen(build->options) + 1;
	uint64_t name = strlen(device) + 1;
	char *key;

	*out_bytes = build->code->bytes + options + name +
		     sizeof(build->includes);
	key = build->self->services->resize(build->self->host, NULL, 0,
					    *out_bytes);
	if (key == NULL)
		return NULL;
	memcpy(key, build->options, options);
	memcpy(key + options, device, name);
	memcpy(key + options + name, &build->includes,
	       sizeof(build->includes));
	memcpy(key + *out_bytes - build->code->bytes, build->code->code,
	       build->code->bytes);
	return key;
}

/*
 * Remove the kernel's name from the key where it stands for the name of a file,
 * so that the kernels of one text have one key.  The text is the key's end.
 * Returns the key's new length.
 */
static uint64_t drop_name(const plait_code *code, char *key, uint64_t bytes)
{
	static const char line[] = "#line 1 \"";
	size_t length = strlen(code->name);
	char *end = key + bytes;
	char *at = memmem(end - code->bytes, code->bytes, line,
			  sizeof(line) - 1);

	if (at == NULL)
		return bytes;
	at += sizeof(line) - 1;
	if ((size_t)(end - at) <= length || at[length] != '"' ||
	    memcmp(at, code->name, length) != 0)
		return bytes;
	memmove(at, at + length, (size_t)(end - at) - length);
	return bytes - length;
}

/* Returns true if the program comes from the cache. */
static bool find_cached(struct build *build, const char *key,
			uint64_t key_bytes)
{
	plait_backend *self = build->self;
	plait_error ignored = { .size = sizeof(ignored) };
	plait_status status;
	uint64_t bytes = 0;
	void *found = NULL;
	cl_int code = CL_SUCCESS;

	if (self->services->cache_get(self->host, build->code->name, key,
				      key_bytes, &found, &bytes, &ignored) !=
	    PLAIT_OK)
		return false;
	status = load_binary(build, found, bytes, &code, &ignored);
	self->services->resize(self->host, found, bytes, 0);
	if (status == PLAIT_OK && code == CL_SUCCESS)
		return true;
	drop_program(build);
	return false;
}

/* Store the binary in the cache; a failure costs a build the next time. */
static void keep(struct build *build, const char *key, uint64_t key_bytes)
{
	plait_backend *self = build->self;
	unsigned char *binary;
	size_t bytes = 0;

	if (self->cl.clGetProgramInfo(build->program,
				      CL_PROGRAM_BINARY_SIZES, sizeof(bytes),
				      &bytes, NULL) != CL_SUCCESS ||
	    bytes == 0)
		return;
	binary = self->services->resize(self->host, NULL, 0, bytes);
	if (binary == NULL)
		return;
	if (self->cl.clGetProgramInfo(build->program, CL_PROGRAM_BINARIES,
				      sizeof(binary), &binary, NULL) ==
	    CL_SUCCESS)
		self->services->cache_put(self->host, build->code->name, key,
					  key_bytes, binary, bytes);
	self->services->resize(self->host, binary, bytes, 0);
}

/* --- texts ---------------------------------------------------------------- */

static plait_status fail_spirv(const struct build *build, cl_int code,
			       plait_error *error)
{
	if (code == CL_INVALID_VALUE)
		return fail_code(build, error, PLAIT_E_INVALID, code,
				 "the driver does not take this SPIR-V");
	return plaitp_opencl_fail_call(build->self->services, error,
				       "clCreateProgramWithILKHR", code,
				       build->code->name);
}

static plait_status create_program(struct build *build, plait_error *error)
{
	const plait_backend *self = build->self;
	const char *text = build->code->code;
	size_t bytes = build->code->bytes;
	cl_int code = CL_SUCCESS;

	if (build->code->form == PLAIT_SOURCE_SPIRV) {
		build->program = self->il.clCreateProgramWithILKHR(
			self->context, text, bytes, &code);
		return build->program != NULL ? PLAIT_OK :
		       fail_spirv(build, code, error);
	}
	build->program = self->cl.clCreateProgramWithSource(
		self->context, 1, &text, &bytes, &code);
	if (build->program != NULL)
		return PLAIT_OK;
	return plaitp_opencl_fail_call(self->services, error,
				       "clCreateProgramWithSource", code,
				       build->code->name);
}

static plait_status build_text(struct build *build, plait_error *error)
{
	plait_status status = create_program(build, error);
	cl_int code = CL_SUCCESS;

	if (status != PLAIT_OK)
		return status;
	status = compile(build, &code, error);
	if (status != PLAIT_OK)
		return status;
	pass_log(build);
	return judge_build(build, code, error);
}

static bool read_includes(const struct build *build,
			  struct driven_includes *out)
{
	memset(out, 0, sizeof(*out));
	if (build->code->form == PLAIT_SOURCE_SPIRV)
		return true;
	return plaitp_driven_includes_read(build->self->services,
					   build->self->host,
					   build->code->code,
					   build->code->bytes, build->options,
					   strlen(build->options), out);
}

/* Returns true if the files that the text includes are still those of the key:
 * the compiler has read them since. */
static bool is_unchanged(const struct build *build)
{
	struct driven_includes now;

	return read_includes(build, &now) &&
	       memcmp(&now, &build->includes, sizeof(now)) == 0;
}

/* Take the program from one that is in use, from the cache, or build it.  A
 * text whose includes cannot be followed is always built, and neither kept nor
 * shared. */
static plait_status build_cached_text(struct build *build, plait_error *error)
{
	plait_status status = PLAIT_OK;
	bool unchanged = true;
	uint64_t bytes, used;
	char *key;

	if (!read_includes(build, &build->includes))
		return build_text(build, error);
	key = make_key(build, &bytes);
	if (key == NULL)
		return fail_code(build, error, PLAIT_E_NOMEM, 0,
				 "no memory for the key of its cache");
	used = drop_name(build->code, key, bytes);
	build->program = plaitp_opencl_share_find(build->self, build->device,
						  key, used, &build->shared);
	if (build->program == NULL && !find_cached(build, key, used)) {
		status = build_text(build, error);
		unchanged = status == PLAIT_OK && is_unchanged(build);
		if (unchanged)
			keep(build, key, used);
	}
	if (unchanged && build->shared == NULL)
		build->program = plaitp_opencl_share_add(build->self,
							 build->device, key,
							 used, build->program,
							 &build->shared);
	build->self->services->resize(build->self->host, key, bytes, 0);
	return status;
}

static plait_status build_binary(struct build *build, plait_error *error)
{
	cl_int code;
	plait_status status = load_binary(build, build->code->code,
					  build->code->bytes, &code, error);

	if (status != PLAIT_OK)
		return status;
	if (build->program == NULL)
		return fail_code(build, error, PLAIT_E_INVALID, code,
				 "the driver does not take this binary");
	if (code != CL_SUCCESS)
		pass_log(build);
	return judge_build(build, code, error);
}

static plait_status build_program(struct build *build, plait_error *error)
{
	plait_status status = write_options(build, error);

	if (status != PLAIT_OK)
		return status;
	switch (build->code->form) {
	case PLAIT_SOURCE_OPENCL_C:
	case PLAIT_SOURCE_SPIRV:
		return build_cached_text(build, error);
	case PLAIT_SOURCE_OPENCL_BINARY:
		return build_binary(build, error);
	default:
		return plaitp_driven_fail(build->self->services, error,
					  PLAIT_E_UNSUPPORTED, 0,
					  "opencl: kernel %.60s: code of form "
					  "%u is not for OpenCL",
					  build->code->name,
					  build->code->form);
	}
}

/* --- kernels -------------------------------------------------------------- */

/* Null without memory.  The signature is copied; the driver's objects come
 * later. */
static plait_backend_kernel *new_kernel(const struct build *build)
{
	const plait_code *code = build->code;
	uint64_t bytes = sizeof(plait_backend_kernel) +
			 code->parameter_count *
			 sizeof(struct opencl_parameter);
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
		const plait_code_parameter *from =
			plaitp_opencl_signature_parameter(code, i);

		kernel->parameters[i].bytes = from->bytes;
		kernel->parameters[i].padded_bytes =
			plaitp_opencl_signature_bytes(code, from);
		snprintf(kernel->parameters[i].name,
			 sizeof(kernel->parameters[i].name), "%s", from->name);
		kernel->parameters[i].image =
			(from->flags & PLAIT_CODE_IMAGE) != 0;
		kernel->parameters[i].sampler =
			(from->flags & PLAIT_CODE_SAMPLER) != 0;
		kernel->parameters[i].pointer =
			(from->flags & PLAIT_CODE_POINTER) != 0 &&
			!kernel->parameters[i].image;
		kernel->parameters[i].local =
			(from->flags & PLAIT_CODE_LOCAL) != 0;
	}
	return kernel;
}

/* Check that the function exists and has the expected number of parameters. */
static plait_status check_entry(const struct build *build,
				plait_backend_kernel *kernel,
				plait_error *error)
{
	const struct opencl_calls *cl = &build->self->cl;
	cl_int code = CL_SUCCESS;
	cl_uint count = 0;
	plait_status status;

	kernel->kernel = cl->clCreateKernel(build->program,
					    build->code->entry, &code);
	if (kernel->kernel == NULL && code == CL_INVALID_KERNEL_NAME)
		return plaitp_driven_fail(build->self->services, error,
					  PLAIT_E_INVALID, code,
					  "opencl: kernel %.60s: its code has "
					  "no kernel function %.80s",
					  build->code->name,
					  build->code->entry);
	if (kernel->kernel == NULL)
		return plaitp_opencl_fail_call(build->self->services, error,
					       "clCreateKernel", code,
					       build->code->name);
	code = cl->clGetKernelInfo(kernel->kernel, CL_KERNEL_NUM_ARGS,
				   sizeof(count), &count, NULL);
	if (code != CL_SUCCESS)
		return plaitp_opencl_fail_call(build->self->services, error,
					       "clGetKernelInfo", code,
					       build->code->name);
	status = plaitp_opencl_facts_find(build->self, kernel, error);
	if (status != PLAIT_OK)
		return status;
	kernel->guarded = may_guard(build) &&
			  count == build->code->parameter_count + 1;
	if (build->shifted)
		count -= plaitp_opencl_shift_count(kernel);
	if (count == build->code->parameter_count || kernel->guarded)
		return PLAIT_OK;
	return plaitp_driven_fail(build->self->services, error,
				  PLAIT_E_INVALID, 0,
				  "opencl: kernel %.60s: %.80s has %u "
				  "parameters, its signature %u",
				  build->code->name, build->code->entry,
				  (unsigned)count,
				  build->code->parameter_count);
}

static plait_status prepare(const struct build *build,
			    const plait_backend_kernel *kernel,
			    plait_error *error)
{
	cl_int code = plaitp_opencl_warm_prepare(build->self, kernel);

	if (code == CL_SUCCESS)
		return PLAIT_OK;
	return plaitp_opencl_fail_call(build->self->services, error,
				       "clSetKernelArg", code,
				       build->code->name);
}

static plait_status check_kernel(struct build *build,
				 plait_backend_kernel *kernel,
				 plait_error *error)
{
	plait_status status = build_program(build, error);

	kernel->program = build->program;
	kernel->shared = build->shared;
	if (status == PLAIT_OK)
		status = check_entry(build, kernel, error);
	if (status == PLAIT_OK)
		status = plaitp_opencl_signature_check(build->self, build->code,
						       kernel->kernel, error);
	if (status == PLAIT_OK && kernel->guarded)
		status = prepare(build, kernel, error);
	return status;
}

static plait_status build_kernel(struct build *build,
				 plait_backend_kernel **out,
				 plait_error *error)
{
	plait_backend_kernel *kernel;
	plait_status status;

	*out = NULL;
	if (strlen(build->code->entry) >= OPENCL_ENTRY_BYTES)
		return fail_code(build, error, PLAIT_E_INVALID, 0,
				 "the name of its function is too long");
	kernel = new_kernel(build);
	if (kernel == NULL)
		return fail_code(build, error, PLAIT_E_NOMEM, 0,
				 "no memory for it");
	status = check_kernel(build, kernel, error);
	if (status == PLAIT_OK && !build->shifted &&
	    !plaitp_opencl_shift_keep(build->self, build->code, kernel))
		status = fail_code(build, error, PLAIT_E_NOMEM, 0,
				   "no memory for its text");
	if (status == PLAIT_OK)
		*out = kernel;
	else
		plaitp_opencl_kernel_destroy(build->self, kernel);
	return status;
}

plait_status plaitp_opencl_kernel_build(plait_backend *self, uint32_t device,
					const plait_code *code,
					plait_backend_kernel **out,
					plait_error *error)
{
	struct build build = { .self = self,
			       .device = &self->devices[device],
			       .code = code };

	return build_kernel(&build, out, error);
}

plait_status plaitp_opencl_kernel_build_shifted(plait_backend *self,
						struct opencl_device *device,
						const plait_code *code,
						plait_backend_kernel **out,
						plait_error *error)
{
	struct build build = { .self = self, .device = device, .code = code,
			       .shifted = true };

	return build_kernel(&build, out, error);
}

void plaitp_opencl_kernel_destroy(plait_backend *self,
				  plait_backend_kernel *kernel)
{
	if (kernel->shifted != NULL)
		plaitp_opencl_kernel_destroy(self, kernel->shifted);
	if (kernel->text != NULL)
		self->services->resize(self->host, kernel->text,
				       kernel->text_bytes + 1, 0);
	if (kernel->kernel != NULL)
		self->cl.clReleaseKernel(kernel->kernel);
	if (kernel->shared != NULL)
		plaitp_opencl_share_drop(self, kernel->shared);
	else if (kernel->program != NULL)
		self->cl.clReleaseProgram(kernel->program);
	self->services->resize(self->host, kernel, kernel->total_bytes, 0);
}
