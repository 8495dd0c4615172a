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
const struct fakecl fakecl = { reset, teach, report, count_waits };
