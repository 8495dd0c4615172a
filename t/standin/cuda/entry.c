/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for libcuda.so.1: entries of its functions.  Each call is counted,
 * can be made to fail, and is refused where a driver refuses it: before cuInit,
 * inside a host function, without a context, and after an error that sticks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "standin.h"

struct standin standin = {
	.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER,
};

_Thread_local bool standin_in_host_function;
_Thread_local CUstreamCaptureMode standin_capture_mode;

/* --- counting ------------------------------------------------------------- */

#define COUNTED(version, name, symbol, parameters, arguments) { #name, 0 },

static struct {
	const char *name;
	uint64_t calls;
} counts[] = { CUDA_CALLS(COUNTED) };

enum { COUNTS = sizeof(counts) / sizeof(counts[0]) };

static struct {
	const char *name; /* of a function; null: any */
	uint64_t left;	  /* 0: not in use */
	CUresult code;
	bool always; /* from that call on */
} fails[STANDIN_MAX_FAILS];

static size_t index_of(const char *name)
{
	size_t i;

	for (i = 0; i < COUNTS && strcmp(counts[i].name, name) != 0; i++)
		;
	return i;
}

static CUresult count(const char *name)
{
	CUresult code = CUDA_SUCCESS;
	size_t i;

	counts[index_of(name)].calls++;
	for (i = 0; i < STANDIN_MAX_FAILS; i++)
		if (fails[i].left != 0 && (fails[i].name == NULL ||
					   !strcmp(fails[i].name, name)) &&
		    --fails[i].left == 0) {
			code = fails[i].code;
			fails[i].left = fails[i].always;
		}
	return code;
}

void standin_fail_later(const char *name, uint64_t number, int code,
			bool always)
{
	size_t known = name == NULL ? COUNTS : index_of(name), i;

	for (i = 0; i < STANDIN_MAX_FAILS && fails[i].left != 0; i++)
		;
	if (i == STANDIN_MAX_FAILS || (name != NULL && known == COUNTS)) {
		fprintf(stderr, "stand-in for CUDA: %s cannot be made to "
			"fail\n", name != NULL ? name : "one more");
		abort();
	}
	fails[i].name = name != NULL ? counts[known].name : NULL;
	fails[i].left = number;
	fails[i].code = (CUresult)code;
	fails[i].always = always;
}

uint64_t standin_calls(const char *name)
{
	uint64_t sum = 0;
	size_t i;

	pthread_mutex_lock(&standin.lock);
	for (i = 0; i < COUNTS; i++)
		if (name == NULL || strcmp(counts[i].name, name) == 0)
			sum += counts[i].calls;
	pthread_mutex_unlock(&standin.lock);
	return sum;
}

void standin_fail(const char *name, uint64_t number, int code)
{
	pthread_mutex_lock(&standin.lock);
	standin_fail_later(name, number, code, false);
	pthread_mutex_unlock(&standin.lock);
}

void standin_fault(uint64_t number, int code)
{
	pthread_mutex_lock(&standin.lock);
	standin.faults_until = number;
	standin.fault = (CUresult)code;
	pthread_mutex_unlock(&standin.lock);
}

static uint64_t number_under_lock(const uint64_t *number)
{
	uint64_t value;

	pthread_mutex_lock(&standin.lock);
	value = *number;
	pthread_mutex_unlock(&standin.lock);
	return value;
}

uint64_t standin_overlaps(void)
{
	return number_under_lock(&standin.overlaps);
}

uint64_t standin_undecided(void)
{
	return number_under_lock(&standin.undecided);
}

static const char *under_lock(const char *const *name)
{
	const char *value;

	pthread_mutex_lock(&standin.lock);
	value = *name;
	pthread_mutex_unlock(&standin.lock);
	return value;
}

const char *standin_failed(void)
{
	return under_lock(&standin.failed);
}

const char *standin_misused(void)
{
	return under_lock(&standin.misused);
}

/* --- the life of the process ---------------------------------------------- */

static void configure(const char *text)
{
	size_t i;

	standin.initialised = false;
	standin.faults_until = 0;
	standin.overlaps = 0;
	standin.undecided = 0;
	standin.failed = NULL;
	standin.misused = NULL;
	memset(fails, 0, sizeof(fails));
	for (i = 0; i < COUNTS; i++)
		counts[i].calls = 0;
	standin_forget_counts();
	standin_read_options(text);
}

void standin_configure(const char *options)
{
	pthread_mutex_lock(&standin.lock);
	configure(options);
	pthread_mutex_unlock(&standin.lock);
}

__attribute__((constructor)) static void begin(void)
{
	standin_find_recorder();
	standin_configure(getenv("STANDIN_CUDA"));
}

/* The counts of calls, and of objects that contexts left behind. */
__attribute__((destructor)) static void report(void)
{
	static const char *const kinds[] = {
		"context", "stream", "event", "module", "device memory",
		"host memory", "registered memory", "graph", "node", "exec",
		"array", "texture", "surface"
	};
	FILE *file;
	size_t i;

	if (standin.options.report[0] == '\0' ||
	    (file = fopen(standin.options.report, "a")) == NULL)
		return;
	for (i = 0; i < COUNTS; i++)
		if (counts[i].calls != 0)
			fprintf(file, "calls %s %llu\n", counts[i].name,
				(unsigned long long)counts[i].calls);
	if (standin.misused != NULL)
		fprintf(file, "misused %s\n", standin.misused);
	for (i = 0; i < STANDIN_KINDS; i++) {
		if (standin_leaked((unsigned)i) != 0)
			fprintf(file, "leaked %s %llu\n", kinds[i],
				(unsigned long long)standin_leaked(
					(unsigned)i));
		if (standin_live((unsigned)i) != 0)
			fprintf(file, "live %s %llu\n", kinds[i],
				(unsigned long long)standin_live((unsigned)i));
	}
	fclose(file);
}

uint64_t standin_random(uint64_t bound)
{
	standin.random = standin.random * 6364136223846793005u +
			 1442695040888963407u;
	return bound == 0 ? 0 : (standin.random >> 33) % bound;
}

void *standin_new(size_t bytes)
{
	void *block = calloc(1, bytes != 0 ? bytes : 1);

	if (block == NULL)
		abort();
	return block;
}

/* --- entering ------------------------------------------------------------- */

static bool starts(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

/* Functions that can be called on a thread without a context. */
static bool is_free(const char *name)
{
	return starts(name, "cuInit") || starts(name, "cuDriver") ||
	       starts(name, "cuDevice") || starts(name, "cuGetError") ||
	       starts(name, "cuCtxPush") || starts(name, "cuCtxPop") ||
	       starts(name, "cuCtxSet") || starts(name, "cuCtxGetCurrent") ||
	       starts(name, "cuGraphCreate") ||
	       starts(name, "cuGraphDestroy") || starts(name, "cuThread");
}

/* Calls that a capture forbids to all threads but relaxed ones: those that
 * allocate, free, load, or ask whether work has ended. */
static bool spoils_capture(const char *name)
{
	static const char *const names[] = {
		"cuMemAlloc", "cuMemFree", "cuMemFreeHost", "cuMemHostAlloc",
		"cuMemHostRegister", "cuMemHostUnregister",
		"cuModuleLoadDataEx", "cuModuleUnload", "cuCtxSynchronize",
		"cuStreamSynchronize", "cuStreamQuery", "cuEventSynchronize",
		"cuEventQuery", "cuDevicePrimaryCtxRetain",
		"cuDevicePrimaryCtxRelease", "cuArray3DCreate",
		"cuArrayDestroy",
	};
	size_t i;

	if (!standin.options.captured ||
	    standin_capture_mode == CU_STREAM_CAPTURE_MODE_RELAXED)
		return false;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static CUresult check(const char *name)
{
	CUcontext context;

	if (starts(name, "cuDriver") || starts(name, "cuGetError"))
		return CUDA_SUCCESS;
	if (standin_in_host_function)
		return CUDA_ERROR_NOT_PERMITTED;
	if (!standin.initialised && !starts(name, "cuInit"))
		return CUDA_ERROR_NOT_INITIALIZED;
	if (spoils_capture(name))
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	if (is_free(name))
		return CUDA_SUCCESS;
	context = standin_current();
	if (context == NULL)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (standin_find(context, STANDIN_CONTEXT) == NULL)
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	return context->sticky;
}

static CUresult enter(const char *name)
{
	CUresult code, told;

	standin_tell_call(name);
	pthread_mutex_lock(&standin.lock);
	standin_lock_driver();
	code = check(name);
	if (code == CUDA_SUCCESS && standin_wait_in_call(name))
		code = check(name);
	told = count(name);
	if (code == CUDA_SUCCESS && told != CUDA_SUCCESS)
		standin.failed = name;
	return code != CUDA_SUCCESS ? code : told;
}

/* Errors that only a misuse of the driver causes. */
static bool is_misuse(const char *name, CUresult code)
{
	switch (code) {
	case CUDA_ERROR_INVALID_VALUE:
		/* Queries: is it a pointer, does a parameter exist, can it be
		 * changed in place? */
		return !starts(name, "cuPointerGetAttribute") &&
		       !starts(name, "cuFuncGetParamInfo") &&
		       strstr(name, "NodeSetParams") == NULL;
	case CUDA_ERROR_INVALID_HANDLE:
	case CUDA_ERROR_INVALID_CONTEXT:
	case CUDA_ERROR_INVALID_DEVICE:
	case CUDA_ERROR_CONTEXT_IS_DESTROYED:
	case CUDA_ERROR_NOT_INITIALIZED:
	case CUDA_ERROR_NOT_PERMITTED:
	case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED:
		return true;
	default:
		return false;
	}
}

static void leave(const char *name, CUresult code)
{
	if (standin.misused == NULL && standin.failed != name &&
	    is_misuse(name, code))
		standin.misused = name;
	pthread_mutex_unlock(&standin.lock);
}

#define ENTRY(version, name, symbol, parameters, arguments) \
	STANDIN_EXPORT CUresult symbol parameters; \
	CUresult symbol parameters \
	{ \
		CUresult standin_result = enter(#name); \
		if (standin_result == CUDA_SUCCESS) \
			standin_result = standin_##name arguments; \
		leave(#name, standin_result); \
		return standin_result; \
	}

CUDA_CALLS(ENTRY)

/* --- finding -------------------------------------------------------------- */

typedef void function(void);

#define FINDABLE(version, name, symbol, parameters, arguments) \
	{ version, #name, (function *)symbol },

static const struct {
	int version;
	const char *name;
	function *function;
} entries[] = { CUDA_CALLS(FINDABLE) };

/* Names that change their meaning with some version: a driver would return a
 * function with another signature. */
static const struct {
	int version;
	const char *name;
} renewed[] = {
	{ 13000, "cuCtxSynchronize" }, { 13000, "cuCtxGetDevice" },
	{ 12050, "cuStreamGetCtx" }, { 12030, "cuGraphAddDependencies" },
	{ 12080, "cuEventElapsedTime" },
};

static bool is_renewed(const char *name, int version)
{
	size_t i;

	for (i = 0; i < sizeof(renewed) / sizeof(renewed[0]); i++)
		if (strcmp(renewed[i].name, name) == 0)
			return version >= renewed[i].version;
	return false;
}

static CUdriverProcAddressQueryResult look_up(const char *name, void **out,
					      int version)
{
	size_t i;

	for (i = 0; i < COUNTS && strcmp(entries[i].name, name) != 0; i++)
		;
	if (i == COUNTS || is_renewed(name, version) ||
	    entries[i].version > standin.options.driver_version)
		return CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	if (entries[i].version > version)
		return CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
	memcpy(out, &entries[i].function, sizeof(*out));
	return CU_GET_PROC_ADDRESS_SUCCESS;
}

STANDIN_EXPORT cuda_get_proc_address cuGetProcAddress_v2;
CUresult cuGetProcAddress_v2(const char *name, void **out, int version,
			     uint64_t flags,
			     CUdriverProcAddressQueryResult *found)
{
	CUdriverProcAddressQueryResult result;

	(void)flags;
	if (name == NULL || out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = NULL;
	if (standin.options.stub)
		return CUDA_ERROR_STUB_LIBRARY;
	if (version > standin.options.driver_version)
		return CUDA_ERROR_INVALID_VALUE;
	result = look_up(name, out, version);
	if (found != NULL)
		*found = result;
	return CUDA_SUCCESS;
}

/* --- names of results ----------------------------------------------------- */

#define NAMED(name, value) { name, #name },

static const struct {
	CUresult code;
	const char *name;
} names[] = { CUDA_RESULTS(NAMED) };

CUresult standin_cuGetErrorName(CUresult code, const char **name)
{
	size_t i;

	*name = NULL;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].code == code)
			*name = names[i].name;
	return *name != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult standin_cuGetErrorString(CUresult code, const char **text)
{
	return standin_cuGetErrorName(code, text);
}

CUresult standin_cuInit(unsigned int flags)
{
	if (flags != 0)
		return CUDA_ERROR_INVALID_VALUE;
	if (standin.options.devices == 0)
		return CUDA_ERROR_NO_DEVICE;
	standin.initialised = true;
	return CUDA_SUCCESS;
}

CUresult standin_cuDriverGetVersion(int *version)
{
	*version = standin.options.driver_version;
	return CUDA_SUCCESS;
}
