/* SPDX-License-Identifier: MIT */
/*
 * NVRTC, the compiler for CUDA C: a library that is loaded when the first text
 * is compiled, and the cache of its output.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "driven/includes.h"
#include "kernel.h"
#include "segment.h"

enum { MAX_OPTIONS = 40, OPTIONS_BYTES = 1024, MAX_ARCHS = 64 };

/* First version that compiles kernels that decide loops. */
enum { LOOPS_VERSION = 12030 };

plait_status plaitp_cuda_fail_build(const struct cuda_build *build,
				    plait_error *error, plait_status status,
				    int code, const char *what)
{
	return plaitp_driven_fail(build->self->services, error, status, code,
				  "cuda: kernel %.60s: %s (%d)",
				  build->code->name, what, code);
}

/* --- the library ---------------------------------------------------------- */

#define FUNCTION(version, name, symbol, parameters, arguments) \
	{ #name, offsetof(struct nvrtc_calls, name) },

static const struct {
	const char *name;
	size_t offset;
} functions[] = { NVRTC_CALLS(FUNCTION) };

/* Returns true, or false with the reason in `compiler`. */
static bool look_up(struct cuda_compiler *compiler, void *library,
		    const char *file)
{
	int major = 0, minor = 0;
	size_t i;

	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *found = dlsym(library, functions[i].name);

		if (found == NULL) {
			snprintf(compiler->reason, sizeof(compiler->reason),
				 "%.80s has no %s", file, functions[i].name);
			return false;
		}
		memcpy((char *)&compiler->calls + functions[i].offset, &found,
		       sizeof(found));
	}
	if (compiler->calls.nvrtcVersion(&major, &minor) != NVRTC_SUCCESS)
		snprintf(compiler->reason, sizeof(compiler->reason),
			 "nvrtcVersion of %.80s failed", file);
	compiler->version = 1000 * major + 10 * minor;
	return major > 0;
}

static bool try_file(struct cuda_compiler *compiler, const char *file)
{
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);

	if (library != NULL)
		return look_up(compiler, library, file);
	if (compiler->reason[0] == '\0')
		snprintf(compiler->reason, sizeof(compiler->reason), "%.150s",
			 dlerror());
	return false;
}

/* A driver takes neither binaries nor PTX of a newer major version. */
static bool is_fit(struct cuda_compiler *compiler, int driver_version)
{
	if (compiler->version / 1000 <= driver_version / 1000)
		return true;
	snprintf(compiler->reason, sizeof(compiler->reason),
		 "NVRTC %d.%d is too new for the driver of CUDA %d.%d, which "
		 "does not load its code; NVRTC %d is wanted",
		 compiler->version / 1000, compiler->version % 1000 / 10,
		 driver_version / 1000, driver_version % 1000 / 10,
		 driver_version / 1000);
	return false;
}

/* Newest first; of each version what the loader finds, then the file in the
 * usual folder. */
static bool search(struct cuda_compiler *compiler, int driver_version)
{
	static const struct {
		int major;
		const char *file;
	} files[] = {
		{ 13, "libnvrtc.so.13" },
		{ 13, "/usr/local/cuda/lib64/libnvrtc.so.13" },
		{ 12, "libnvrtc.so.12" },
		{ 12, "/usr/local/cuda/lib64/libnvrtc.so.12" },
	};
	const int count = sizeof(files) / sizeof(files[0]);
	int i;

	for (i = 0; i < count; i++)
		if (try_file(compiler, files[i].file) &&
		    is_fit(compiler, driver_version))
			return true;
	return false;
}

plait_status plaitp_cuda_find_compiler(plait_backend *self, plait_error *error)
{
	struct cuda_compiler *compiler = &self->compiler;

	pthread_mutex_lock(&compiler->lock);
	if (!compiler->tried)
		compiler->found = self->nvrtc != NULL ?
				  try_file(compiler, self->nvrtc) &&
				  is_fit(compiler, self->driver_version) :
				  search(compiler, self->driver_version);
	compiler->tried = true;
	pthread_mutex_unlock(&compiler->lock);
	if (compiler->found)
		return PLAIT_OK;
	return plaitp_driven_fail(self->services, error, PLAIT_E_UNAVAILABLE,
				  0, "cuda: no compiler: %s; it is NVRTC, of "
				  "CUDA's toolkit; PLAIT_OPTIONS=cuda:nvrtc="
				  "FILE says where it is", compiler->reason);
}

/* --- its options ---------------------------------------------------------- */

struct options {
	char text[OPTIONS_BYTES];
	const char *list[MAX_OPTIONS];
	size_t used;
	int count;
	bool whole;
};

static void add_option(struct options *options, const char *word, size_t length)
{
	if (options->count == MAX_OPTIONS ||
	    options->used + length + 1 > sizeof(options->text)) {
		options->whole = false;
		return;
	}
	options->list[options->count++] = options->text + options->used;
	memcpy(options->text + options->used, word, length);
	options->used += length;
	options->text[options->used++] = '\0';
}

static void add_options(struct options *options, const char *text)
{
	while (text != NULL && *(text += strspn(text, " \t\n")) != '\0') {
		size_t length = strcspn(text, " \t\n");

		add_option(options, text, length);
		text += length;
	}
}

/* Returns true if the compiler generates code for the device; else PTX is
 * needed. */
static bool supports_arch(const struct nvrtc_calls *rtc, int arch)
{
	int archs[MAX_ARCHS], count = 0, i;

	if (rtc->nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS ||
	    count > MAX_ARCHS ||
	    rtc->nvrtcGetSupportedArchs(archs) != NVRTC_SUCCESS)
		return true;
	for (i = 0; i < count; i++)
		if (archs[i] == arch)
			return true;
	return false;
}

/* Returns the newest architecture that the compiler supports and the device can
 * run. */
static int nearest_arch(const struct nvrtc_calls *rtc, int arch)
{
	int archs[MAX_ARCHS], count = 0, best = arch, i;

	if (rtc->nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS ||
	    count > MAX_ARCHS ||
	    rtc->nvrtcGetSupportedArchs(archs) != NVRTC_SUCCESS)
		return arch;
	for (i = 0; i < count; i++)
		if (archs[i] < arch && (best == arch || archs[i] > best))
			best = archs[i];
	return best;
}

/* cudaGraphSetConditional exists from CUDA 12.3 on, in driver and compiler. */
bool plaitp_cuda_compiles_loops(const plait_backend *self)
{
	return plaitp_cuda_has_regions(self) &&
	       self->compiler.version >= LOOPS_VERSION;
}

/* The code's own options come last. */
static plait_status list_options(const struct cuda_build *build,
				 struct options *options, bool binary,
				 plait_error *error)
{
	const plait_code *code = build->code;
	const struct nvrtc_calls *rtc = &build->self->compiler.calls;
	char target[64];

	options->used = 0;
	options->count = 0;
	options->whole = true;
	snprintf(target, sizeof(target), "--gpu-architecture=%s_%d",
		 binary ? "sm" : "compute",
		 binary ? build->device->arch :
		 nearest_arch(rtc, build->device->arch));
	add_options(options, target);
	add_options(options, "-default-device");
	/* DECIDE of portable kernels then only stores the word. */
	if (!plaitp_cuda_compiles_loops(build->self))
		add_options(options, "-DPLAIT_NO_LOOPS");
	if ((code->flags & PLAIT_SOURCE_STRICT) != 0)
		add_options(options, "--fmad=false");
	if ((code->flags & PLAIT_SOURCE_FAST) != 0)
		add_options(options, "--use_fast_math");
	add_options(options, code->options);
	if (options->whole)
		return PLAIT_OK;
	return plaitp_cuda_fail_build(build, error, PLAIT_E_INVALID, 0,
				      "its options are too long");
}

/* --- compiling ------------------------------------------------------------ */

static void pass_log(const struct cuda_build *build, nvrtcProgram program)
{
	const plait_host_services *services = build->self->services;
	const struct nvrtc_calls *rtc = &build->self->compiler.calls;
	size_t bytes = 0;
	char *text;

	if (rtc->nvrtcGetProgramLogSize(program, &bytes) != NVRTC_SUCCESS ||
	    bytes < 2)
		return;
	text = services->resize(build->self->host, NULL, 0, bytes);
	if (text == NULL)
		return;
	if (rtc->nvrtcGetProgramLog(program, text) == NVRTC_SUCCESS)
		services->build_log(build->self->host, build->code->log, text,
				    strnlen(text, bytes));
	services->resize(build->self->host, text, bytes, 0);
}

/* Fetch the compiled code. */
static plait_status fetch_code(const struct cuda_build *build,
			       nvrtcProgram program, bool binary, void **out,
			       uint64_t *out_bytes, plait_error *error)
{
	const plait_host_services *services = build->self->services;
	const struct nvrtc_calls *rtc = &build->self->compiler.calls;
	size_t bytes = 0;
	nvrtcResult code = binary ? rtc->nvrtcGetCUBINSize(program, &bytes) :
				    rtc->nvrtcGetPTXSize(program, &bytes);

	if (code != NVRTC_SUCCESS)
		return plaitp_cuda_fail_build(build, error, PLAIT_E_FAILED,
					      (int)code,
					      "NVRTC returns no code");
	*out = services->resize(build->self->host, NULL, 0, bytes);
	if (*out == NULL)
		return plaitp_cuda_fail_build(build, error, PLAIT_E_NOMEM, 0,
					      "no memory for its code");
	*out_bytes = bytes;
	code = binary ? rtc->nvrtcGetCUBIN(program, *out) :
			rtc->nvrtcGetPTX(program, *out);
	if (code == NVRTC_SUCCESS)
		return PLAIT_OK;
	services->resize(build->self->host, *out, bytes, 0);
	*out = NULL;
	return plaitp_cuda_fail_build(build, error, PLAIT_E_FAILED, (int)code,
				      "NVRTC does not return its code");
}

/* PLAIT_E_INVALID: the text or its options are at fault. */
static plait_status check_result(const struct cuda_build *build,
				 nvrtcResult code, plait_error *error)
{
	switch (code) {
	case NVRTC_SUCCESS:
		return PLAIT_OK;
	case NVRTC_ERROR_COMPILATION:
	case NVRTC_ERROR_INVALID_OPTION:
	case NVRTC_ERROR_INVALID_INPUT:
		return plaitp_cuda_fail_build(build, error, PLAIT_E_INVALID,
					      (int)code,
					      "NVRTC refuses it");
	case NVRTC_ERROR_OUT_OF_MEMORY:
		return plaitp_cuda_fail_build(build, error, PLAIT_E_NOMEM,
					      (int)code,
					      "NVRTC has no memory");
	default:
		return plaitp_cuda_fail_build(build, error, PLAIT_E_FAILED,
					      (int)code,
					      "NVRTC failed");
	}
}

/* The caller frees *out.  The program object is destroyed in any case. */
static plait_status compile(const struct cuda_build *build,
			    const struct options *options, bool binary,
			    void **out, uint64_t *out_bytes, plait_error *error)
{
	const struct nvrtc_calls *rtc = &build->self->compiler.calls;
	nvrtcProgram program = NULL;
	plait_status status;
	nvrtcResult code;

	code = rtc->nvrtcCreateProgram(&program, build->code->code,
				       build->code->name, 0, NULL, NULL);
	if (code != NVRTC_SUCCESS)
		return check_result(build, code, error);
	code = rtc->nvrtcCompileProgram(program, options->count, options->list);
	pass_log(build, program);
	status = check_result(build, code, error);
	if (status == PLAIT_OK)
		status = fetch_code(build, program, binary, out, out_bytes,
				    error);
	rtc->nvrtcDestroyProgram(&program);
	return status;
}

/* --- the cache ------------------------------------------------------------ */

/* Concatenate everything that the compiled code depends on. */
static char *make_key(const struct cuda_build *build,
		      const struct options *options,
		      const struct driven_includes *includes,
		      uint64_t *out_bytes)
{
	char version[32];
	size_t first = (size_t)snprintf(version, sizeof(version), "nvrtc %d",
					build->self->compiler.version) + 1;
	char *key;

	*out_bytes = first + options->used + sizeof(*includes) +
		     build->code->bytes;
	key = build->self->services->resize(build->self->host, NULL, 0,
					    *out_bytes);
	if (key == NULL)
		return NULL;
	memcpy(key, version, first);
	memcpy(key + first, options->text, options->used);
	memcpy(key + first + options->used, includes, sizeof(*includes));
	memcpy(key + *out_bytes - build->code->bytes, build->code->code,
	       build->code->bytes);
	return key;
}

static bool read_includes(const struct cuda_build *build,
			  const struct options *options,
			  struct driven_includes *out)
{
	return plaitp_driven_includes_read(build->self->services,
					   build->self->host,
					   build->code->code,
					   build->code->bytes, options->text,
					   options->used, out);
}

/* *cached on entry: the cache may be read; on return: the code is from it.  A
 * text whose includes cannot be followed is compiled each time. */
static plait_status compile_cached(const struct cuda_build *build,
				   const struct options *options, bool binary,
				   bool *cached, void **out,
				   uint64_t *out_bytes, plait_error *error)
{
	plait_backend *self = build->self;
	plait_error ignored = { .size = sizeof(ignored) };
	struct driven_includes includes, now;
	plait_status status = PLAIT_OK;
	uint64_t bytes;
	char *key;

	if (!read_includes(build, options, &includes)) {
		*cached = false;
		return compile(build, options, binary, out, out_bytes, error);
	}
	key = make_key(build, options, &includes, &bytes);
	if (key == NULL)
		return plaitp_cuda_fail_build(build, error, PLAIT_E_NOMEM, 0,
					      "no memory for its key");
	*cached = *cached &&
		  self->services->cache_get(self->host, build->code->name, key,
					    bytes, out, out_bytes,
					    &ignored) == PLAIT_OK;
	if (!*cached) {
		status = compile(build, options, binary, out, out_bytes, error);
		/* The compiler read the included files later. */
		if (status == PLAIT_OK &&
		    read_includes(build, options, &now) &&
		    memcmp(&now, &includes, sizeof(now)) == 0)
			self->services->cache_put(self->host,
						  build->code->name, key,
						  bytes, *out, *out_bytes);
	}
	self->services->resize(self->host, key, bytes, 0);
	return status;
}

plait_status plaitp_cuda_compile(const struct cuda_build *build, bool *cached,
				 void **out, uint64_t *out_bytes,
				 plait_error *error)
{
	plait_status status = plaitp_cuda_find_compiler(build->self, error);
	struct options options;
	bool binary;

	if (status != PLAIT_OK)
		return status;
	binary = supports_arch(&build->self->compiler.calls,
			       build->device->arch);
	status = list_options(build, &options, binary, error);
	if (status != PLAIT_OK)
		return status;
	return compile_cached(build, &options, binary, cached, out, out_bytes,
			      error);
}
