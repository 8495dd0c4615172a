/* SPDX-License-Identifier: MIT */
/*
 * Suite of the kernels of t/source/kernels: load a text, give it arguments,
 * launch it, and fetch the results into the arguments.
 */
#ifndef SUITE_H
#define SUITE_H

#include <stdlib.h>
#include <string.h>

#include "plait/plait.h"
#include "tap.h"

/* Create a private folder for the cache and temporary files; it is removed at
 * the end.  Sets PLAIT_CACHE_DIR and TMPDIR. */
const char *suite_folder(void);

/* Open a backend; returns false, with a failed check, on failure. */
bool suite_open(const char *backend);
void suite_close(void);
plait_context *suite_context(void);

/*
 * Does the same, but where the backend is not available nothing is tested, and
 * one lane is enough: for drivers; their own caches are put into the folder.
 */
bool suite_open_driver(const char *backend);

/*
 * The main function of a test that runs the same checks on several backends:
 * host and chaos, or the driver that SUITE_DRIVER names, or on the stand-ins
 * for CUDA: in a queue, in plans, and in plans as graphs of the driver.  On a
 * driver PLAIT_SEGMENTS in the environment chooses plans.
 */
#ifdef SUITE_CUDA
#define SUITE_MAIN(function) \
	static void suite_on_cuda(const char *backends, const char *segments) \
	{ \
		suite_prepare_cuda(); \
		suite_use_plans(segments != NULL); \
		if (segments != NULL) \
			setenv("PLAIT_SEGMENTS", segments, 1); \
		if (suite_open(backends)) \
			function(); \
		suite_close(); \
		standin_is_clean(); \
		if (!standin_is_real()) \
			IS_INT(rig_calls("cuGraphLaunch") != 0, \
			       segments != NULL && strcmp(segments, "1") == 0); \
	} \
	static void suite_queued(void) { suite_on_cuda("cuda", NULL); } \
	static void suite_planned(void) { suite_on_cuda("cuda,host", "0"); } \
	static void suite_frozen(void) { suite_on_cuda("cuda,host", "1"); } \
	static const struct tap_scenario all[] = { \
		{ "queue", suite_queued }, \
		{ "plans", suite_planned }, \
		{ "segments", suite_frozen }, \
	}; \
	TAP_MAIN(all)
#elif defined(SUITE_DRIVER)
#define SUITE_MAIN(function) \
	static void suite_on_driver(void) \
	{ \
		if (SUITE_SKIPS && !tap_soak()) \
			SKIP_ALL("set PLAIT_SOAK: compiling takes long"); \
		suite_use_plans(getenv("PLAIT_SEGMENTS") != NULL); \
		if (suite_open_driver(SUITE_DRIVER)) \
			function(); \
		suite_close(); \
	} \
	static const struct tap_scenario all[] = { \
		{ SUITE_DRIVER, suite_on_driver } \
	}; \
	TAP_MAIN(all)
#ifdef SUITE_SOAK
#define SUITE_SKIPS 1
#else
#define SUITE_SKIPS 0
#endif
#else
#define SUITE_MAIN(function) \
	static void suite_on_host(void) \
	{ \
		if (suite_open("host")) \
			function(); \
		suite_close(); \
	} \
	static void suite_on_chaos(void) \
	{ \
		if (suite_open("chaos")) \
			function(); \
		suite_close(); \
	} \
	static const struct tap_scenario all[] = { \
		{ "host", suite_on_host }, \
		{ "chaos", suite_on_chaos } \
	}; \
	TAP_MAIN(all)
#endif

/* The text of t/source/kernels/NAME.plk, and the signature in its first
 * comment; both until the next call. */
const char *suite_text(const char *name, char *signature, size_t room);

/* Take a kernel of t/source/kernels, or one of the test's own. */
bool suite_load(const char *name);
bool suite_take(const char *signature, const plait_source *source);
bool suite_take_many(const char *signature, const plait_source *sources,
		     uint64_t count);
void suite_drop(void);

/* The next argument. */
void suite_value(const void *value, size_t bytes);
#define SUITE_VALUE(type, value) \
	suite_value(&(type){ value }, sizeof(type))
/* Local memory. */
void suite_local(uint64_t bytes);
/* Memory: goes in before the launch, comes back after it. */
void suite_memory(void *pointer, size_t bytes);
#define SUITE_ARRAY(array) suite_memory(array, sizeof(array))

/* From now on each launch is a plan of its own, not a command of a queue. */
void suite_use_plans(bool plans);
/* Launch it, wait, fetch the memory, and release the kernel. */
bool suite_launch(uint64_t x, uint64_t y, uint64_t z);

/* Random numbers, the same in every run. */
uint32_t suite_random(void);
float suite_between(float low, float high);

/* `count` numbers are the same but for `tolerance`, relative to the larger of 1
 * and the expected number. */
bool suite_close_f32(const float *got, const float *want, size_t count,
		     float tolerance);
bool suite_close_f64(const double *got, const double *want, size_t count,
		     double tolerance);

#ifdef SUITE_CUDA
#include "standin/cuda/place.h"

/* The stand-ins, as settings of a context that has none of its own. */
static inline void suite_prepare_cuda(void)
{
	static char options[1200];

	standin_prepare("");
	(void)snprintf(options, sizeof(options), "cuda:driver=%s",
		       standin_path);
	setenv("PLAIT_OPTIONS", options, 1);
}
#endif

#endif
