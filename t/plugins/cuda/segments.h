/* SPDX-License-Identifier: MIT */
/* Shared helpers of the tests of segments and regions on the stand-in for
 * CUDA's driver. */
#ifndef CUDA_SEGMENTS_H
#define CUDA_SEGMENTS_H

#include "lib/queued.h"

enum { RUNS = 4 };

/* `more`: settings of the backend, each with a comma in front. */
static inline bool open_cuda_with(const char *options, const char *more,
				  const char *fewest)
{
	struct place place = { .backends = "cuda", .wrap = "check",
			       .workers = 1, .builds = true };

	if (fewest != NULL)
		(void)setenv("PLAIT_SEGMENTS", fewest, 1);
	else
		(void)unsetenv("PLAIT_SEGMENTS");
	standin_prepare(options);
	(void)snprintf(place.options, sizeof(place.options),
		       "cuda:driver=%.400s%s", standin_path, more);
	return open_place(&place);
}

static inline bool open_cuda(const char *options, const char *fewest)
{
	return open_cuda_with(options, "", fewest);
}

static const char *const calls_that_make[] = {
	"cuGraphCreate", "cuGraphAddKernelNode", "cuGraphAddMemcpyNode",
	"cuGraphAddMemsetNode", "cuGraphAddNode", "cuGraphInstantiateWithParams",
	"cuGraphUpload", "cuGraphConditionalHandleCreate",
	"cuModuleLoadDataEx", "cuModuleGetFunction", "cuMemAlloc",
	"cuStreamCreateWithPriority", "cuStreamSynchronize",
	/* Reading a word of a device allocates it, too. */
	"cuMemHostAlloc",
};

static inline void count_making(uint64_t out[TAP_COUNT(calls_that_make)])
{
	for (size_t i = 0; i < TAP_COUNT(calls_that_make); i++)
		out[i] = rig_calls(calls_that_make[i]);
}

/* Checks that no object was made since `before`; with `reads`, pinned memory
 * for reads may have been. */
static inline void made_nothing(const uint64_t before[TAP_COUNT(calls_that_make)],
			 bool reads)
{
	uint64_t now[TAP_COUNT(calls_that_make)];

	count_making(now);
	for (size_t i = 0; i < TAP_COUNT(calls_that_make) - reads; i++)
		OK_THAT(now[i] == before[i], "%s: %llu times",
			calls_that_make[i],
			(unsigned long long)(now[i] - before[i]));
}

#endif
