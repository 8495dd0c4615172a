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

static size_t fail_later(const char *name, uint64_t number, int code)
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
	fails[i].always = false;
	return i;
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
	fail_later(name, number, code);
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

/* --- options -------------------------------------------------------------- */

/* fail=cuMemAlloc:3:2, the last a number of CUresult, by default
 * CUDA_ERROR_UNKNOWN; without a name, of any call: fail=:17. */
static void read_fail(char *text)
{
	char *number = strchr(text, ':'), *code;

	if (number == NULL)
		return;
	*number++ = '\0';
	code = strchr(number, ':');
	fail_later(*text != '\0' ? text : NULL, strtoull(number, NULL, 10),
		   code != NULL ? atoi(code + 1) : CUDA_ERROR_UNKNOWN);
}

/* refuse=cuGraphLaunch, or cuGraphLaunch:1. */
static void read_refusal(char *text)
{
	char *code = strchr(text, ':');

	if (code != NULL)
		*code++ = '\0';
	fails[fail_later(text, 1, code != NULL ? atoi(code) :
					  CUDA_ERROR_NOT_SUPPORTED)]
		.always = true;
}

static void read_locks(const char *text)
{
	bool both = strcmp(text, "both") == 0;

	standin.options.locked_callbacks =
		both || strcmp(text, "callbacks") == 0;
	standin.options.locked_frees = both || strcmp(text, "frees") == 0;
}

static void read_fault(char *text)
{
	char *code = strchr(text, ':');

	standin.faults_until = strtoull(text, NULL, 10);
	standin.fault = code != NULL ? (CUresult)atoi(code + 1) :
				       CUDA_ERROR_ILLEGAL_ADDRESS;
}

static void read_option(const char *key, char *value)
{
	struct standin_options *options = &standin.options;

	if (strcmp(key, "devices") == 0)
		options->devices = atoi(value);
	else if (strcmp(key, "version") == 0)
		options->driver_version = atoi(value);
	else if (strcmp(key, "arch") == 0)
		options->arch = atoi(value);
	else if (strcmp(key, "workers") == 0)
		options->workers = (unsigned)atoi(value);
	else if (strcmp(key, "seed") == 0)
		options->seed = strtoull(value, NULL, 10);
	else if (strcmp(key, "memory") == 0)
		options->memory_bytes = strtoull(value, NULL, 10);
	else if (strcmp(key, "pitch") == 0)
		options->most_pitch = atoi(value);
	else if (strcmp(key, "connections") == 0)
		options->shared = strcmp(value, "1") == 0;
	else if (strcmp(key, "pageable") == 0)
		options->pageable_waits = strcmp(value, "waits") == 0;
	else if (strcmp(key, "locked") == 0)
		read_locks(value);
	else if (strcmp(key, "mute") == 0)
		options->mute = strcmp(value, "1") == 0;
	else if (strcmp(key, "writes") == 0)
		options->writes = strcmp(value, "1") == 0;
	else if (strcmp(key, "captured") == 0)
		options->captured = strcmp(value, "1") == 0;
	else if (strcmp(key, "depth") == 0)
		options->depth = (unsigned)atoi(value);
	else if (strcmp(key, "stub") == 0)
		options->stub = strcmp(value, "1") == 0;
	else if (strcmp(key, "refuse") == 0)
		read_refusal(value);
	else if (strcmp(key, "report") == 0)
		snprintf(options->report, sizeof(options->report), "%s",
			 value);
	else if (strcmp(key, "fail") == 0)
		read_fail(value);
	else if (strcmp(key, "fault") == 0)
		read_fault(value);
	else
		fprintf(stderr, "stand-in for CUDA: no option %s\n", key);
}

static void read_options(const char *text)
{
	char copy[1024], *rest = copy, *word, *value;

	snprintf(copy, sizeof(copy), "%s", text != NULL ? text : "");
	while ((word = strsep(&rest, ",")) != NULL) {
		value = strchr(word, '=');
		if (value == NULL)
			continue;
		*value++ = '\0';
		read_option(word, value);
	}
	if (standin.options.devices > STANDIN_MAX_DEVICES)
		standin.options.devices = STANDIN_MAX_DEVICES;
	if (standin.options.workers == 0)
		standin.options.workers = standin.options.seed != 0 ? 1 : 3;
	standin.random = standin.options.seed + 1;
}

static void configure(const char *text)
{
	static const struct standin_options defaults = {
		.devices = 1, .driver_version = 12080, .arch = 90,
		.memory_bytes = (size_t)1 << 30, .most_pitch = INT32_MAX,
		.pageable_waits = true, .locked_callbacks = true,
		.locked_frees = true, .writes = true,
	};
	size_t i;

	standin.options = defaults;
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
	read_options(text);
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
		"host memory", "registered memory", "graph", "node", "exec"
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
		"cuDevicePrimaryCtxRelease",
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
