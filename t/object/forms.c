/* SPDX-License-Identifier: MIT */
/* A library of kernels, for t/object/host_code_library.c: one function of each
 * form, and a variable that is none. */
#include "plait/kernel.h"

#define SHOWN __attribute__((visibility("default")))

SHOWN extern int32_t number;
SHOWN void scale(float a, float *x, uint64_t n);
SHOWN int32_t scale_fixed(void *const *arguments, const plait_launch *launch,
			  void *user_data);
SHOWN int32_t scale_range(const plait_range *range, void *const *arguments,
			  const plait_launch *launch, void *user_data);

int32_t number = 7;

void scale(float a, float *x, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		x[i] *= a;
}

int32_t scale_fixed(void *const *arguments, const plait_launch *launch,
		    void *user_data)
{
	(void)launch;
	(void)user_data;
	scale(*(float *)arguments[0], *(float **)arguments[1],
	      *(uint64_t *)arguments[2]);
	return 0;
}

int32_t scale_range(const plait_range *range, void *const *arguments,
		    const plait_launch *launch, void *user_data)
{
	(void)launch;
	(void)user_data;
	scale(*(float *)arguments[0],
	      *(float **)arguments[1] + range->begin[0],
	      range->end[0] - range->begin[0]);
	return 0;
}
