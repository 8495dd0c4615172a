/* SPDX-License-Identifier: MIT */
/*
 * Exported functions of the stand-in for OpenCL: each counts, fails when the
 * test asked for that, and otherwise calls its implementation.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fake.h"

struct fake_world fake = { .lock = PTHREAD_MUTEX_INITIALIZER,
			   .changed = PTHREAD_COND_INITIALIZER };

#define PUBLIC __attribute__((visibility("default")))

void fake_sin(const char *format, ...)
{
	va_list args;

	if (fake.report.sin[0] != '\0')
		return;
	va_start(args, format);
	vsnprintf(fake.report.sin, sizeof(fake.report.sin), format, args);
	va_end(args);
}

/* --- injected failures ---------------------------------------------------- */

/* Releases, and waits for the end, take effect even if they report a
 * failure. */
static bool happens(const char *name)
{
	return strncmp(name, "clRelease", 9) == 0 ||
	       strcmp(name, "clFinish") == 0;
}

/* Takes the lock.  Returns the failure of the call, or CL_SUCCESS. */
static cl_int enter(const char *name)
{
	bool counts = fake.setup.fail == NULL ||
		      strcmp(fake.setup.fail, name) == 0;

	pthread_mutex_lock(&fake.lock);
	if (counts)
		fake.report.calls++;
	if (!fake.failing && (!counts || fake.setup.fail_call == 0 ||
			      fake.report.calls != fake.setup.fail_call))
		return CL_SUCCESS;
	if (fake.report.failed == NULL)
		fake.report.failed = name;
	fake.failing = fake.setup.fail_rest;
	return fake.setup.code;
}

/* A failure that the test did not ask for means a wrong call, with few
 * exceptions. */
static cl_int leave(const char *name, cl_int code)
{
	if (code != CL_SUCCESS && code != -1001 &&
	    code != CL_DEVICE_NOT_FOUND && code != CL_BUILD_PROGRAM_FAILURE &&
	    code != CL_KERNEL_ARG_INFO_NOT_AVAILABLE &&
	    code != CL_INVALID_WORK_GROUP_SIZE &&
	    code != CL_PROFILING_INFO_NOT_AVAILABLE &&
	    code != CL_INVALID_ARG_SIZE && code != CL_INVALID_BINARY &&
	    code != CL_INVALID_KERNEL_NAME &&
	    (code != CL_INVALID_VALUE ||
	     strcmp(name, "clCreateProgramWithILKHR") != 0) &&
	    fake.report.failed == NULL)
		fake_sin("%s refuses with %d", name, (int)code);
	pthread_mutex_unlock(&fake.lock);
	return code;
}

#define STATUS_TWIN(name, parameters, arguments) \
	PUBLIC cl_int CL_API_CALL name parameters \
	{ \
		cl_int given = enter(#name); \
		cl_int real = CL_SUCCESS; \
\
		if (given == CL_SUCCESS || happens(#name)) \
			real = fake_##name arguments; \
		leave(#name, given != CL_SUCCESS ? CL_SUCCESS : real); \
		return given != CL_SUCCESS ? given : real; \
	}
#define MAKES_TWIN(type, name, parameters, arguments) \
	PUBLIC type CL_API_CALL name parameters \
	{ \
		cl_int given = enter(#name); \
		type made = NULL; \
\
		*code = given; \
		if (given == CL_SUCCESS) \
			made = fake_##name arguments; \
		leave(#name, given != CL_SUCCESS ? CL_SUCCESS : *code); \
		return made; \
	}
OPENCL_CALLS(STATUS_TWIN, MAKES_TWIN)

/* No header declares these as the backend calls them. */
#define STATUS_DECLARED(name, parameters, arguments) \
	PUBLIC cl_int CL_API_CALL name parameters;
#define MAKES_DECLARED(type, name, parameters, arguments) \
	PUBLIC type CL_API_CALL name parameters;
OPENCL_IL_CALLS(STATUS_DECLARED, MAKES_DECLARED)
OPENCL_IL_CALLS(STATUS_TWIN, MAKES_TWIN)
OPENCL_BUFFER_CALLS(STATUS_DECLARED, MAKES_DECLARED)
OPENCL_BUFFER_CALLS(STATUS_TWIN, MAKES_TWIN)

/* --- functions of extensions ---------------------------------------------- */

/* Before 0.9.5 copies and fills had no properties. */
static cl_int CL_API_CALL older_copy(opencl_buffer buffer,
				     cl_command_queue queue, cl_mem source,
				     cl_mem target, size_t source_offset,
				     size_t target_offset, size_t bytes,
				     cl_uint count, const cl_uint *waits,
				     cl_uint *point, opencl_command *command)
{
	return clCommandCopyBufferKHR(buffer, queue, NULL, source, target,
				      source_offset, target_offset, bytes,
				      count, waits, point, command);
}

static cl_int CL_API_CALL older_copy_rows(
	opencl_buffer buffer, cl_command_queue queue, cl_mem source,
	cl_mem target, const size_t *from, const size_t *to,
	const size_t *region, size_t source_row, size_t source_slice,
	size_t target_row, size_t target_slice, cl_uint count,
	const cl_uint *waits, cl_uint *point, opencl_command *command)
{
	return clCommandCopyBufferRectKHR(buffer, queue, NULL, source, target,
					  from, to, region, source_row,
					  source_slice, target_row,
					  target_slice, count, waits, point,
					  command);
}

static cl_int CL_API_CALL older_fill(opencl_buffer buffer,
				     cl_command_queue queue, cl_mem target,
				     const void *pattern, size_t pattern_bytes,
				     size_t offset, size_t bytes,
				     cl_uint count, const cl_uint *waits,
				     cl_uint *point, opencl_command *command)
{
	return clCommandFillBufferKHR(buffer, queue, NULL, target, pattern,
				      pattern_bytes, offset, bytes, count,
				      waits, point, command);
}

#define FUNCTION(name, parameters, arguments) \
	{ #name, (void (*)(void))name, (void (*)(void))name },
#define OBJECT(type, name, parameters, arguments) \
	FUNCTION(name, parameters, arguments)

struct function {
	const char *name;
	void (*newer)(void);
	void (*older)(void);
};

static const struct function *find(const char *name)
{
	static const struct function changed[] = {
		{ "clCommandCopyBufferKHR",
		  (void (*)(void))clCommandCopyBufferKHR,
		  (void (*)(void))older_copy },
		{ "clCommandCopyBufferRectKHR",
		  (void (*)(void))clCommandCopyBufferRectKHR,
		  (void (*)(void))older_copy_rows },
		{ "clCommandFillBufferKHR",
		  (void (*)(void))clCommandFillBufferKHR,
		  (void (*)(void))older_fill },
		OPENCL_BUFFER_CALLS(FUNCTION, OBJECT)
		OPENCL_IL_CALLS(FUNCTION, OBJECT)
	};
	size_t i;

	for (i = 0; i < sizeof(changed) / sizeof(changed[0]); i++)
		if (strcmp(changed[i].name, name) == 0)
			return &changed[i];
	return NULL;
}

/* Counted, and can fail, like all others. */
PUBLIC void *CL_API_CALL
clGetExtensionFunctionAddressForPlatform(cl_platform_id platform,
					 const char *name)
{
	const char *self = "clGetExtensionFunctionAddressForPlatform";
	const struct function *found = find(name);
	bool older = fake.setup.buffers < OPENCL_VERSION(0, 9, 5);
	cl_int code = enter(self);
	void *out = NULL;

	if (!fake_is(platform, FAKE_PLATFORM))
		fake_sin("%s without a platform", self);
	if (code == CL_SUCCESS && found != NULL &&
	    (strcmp(name, "clCreateProgramWithILKHR") == 0 ?
		     fake.setup.spirv : fake.setup.buffers != 0))
		memcpy(&out, older ? &found->older : &found->newer,
		       sizeof(out));
	leave(self, CL_SUCCESS);
	return out;
}

/* --- for tests ------------------------------------------------------------ */

static void reset(const struct fakecl_setup *setup)
{
	fake_end_threads();
	pthread_mutex_lock(&fake.lock);
	fake_forget_objects();
	fake.setup = *setup;
	fake.failing = false;
	fake.waits = 0;
	memset(&fake.report, 0, sizeof(fake.report));
	pthread_mutex_unlock(&fake.lock);
}

static void teach(const char *name, const char *text,
		  plait_kernel_function function)
{
	pthread_mutex_lock(&fake.lock);
	fake_teach(name, text, function);
	pthread_mutex_unlock(&fake.lock);
}

static void report(struct fakecl_report *out)
{
	const struct fake_object *object;

	pthread_mutex_lock(&fake.lock);
	fake_await_told();
	fake.report.live = 0;
	for (object = fake.objects; object != NULL; object = object->next)
		fake.report.live += object->references > 0;
	*out = fake.report;
	pthread_mutex_unlock(&fake.lock);
}

static uint64_t count_waits(void)
{
	uint64_t waits;

	pthread_mutex_lock(&fake.lock);
	waits = fake.waits;
	pthread_mutex_unlock(&fake.lock);
	return waits;
}

PUBLIC extern const struct fakecl fakecl;
const struct fakecl fakecl = { reset, teach, report, count_waits,
			       fake_end_threads };
