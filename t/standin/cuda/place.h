/* SPDX-License-Identifier: MIT */
/* The stand-ins for CUDA, opened for a test of the backend. */
#ifndef STANDIN_PLACE_H
#define STANDIN_PLACE_H

#include <stdio.h>
#include <stdlib.h>

#include "rig.h"
#include "lib/suite.h"

/* The driver's file, and behind it the setting that names the compiler's. */
static char standin_path[1024];

#ifdef STANDIN_RECORDED
extern const struct standin_recorder standin_recorder_hooks;
#endif

/* Returns the compiler of STANDIN_REAL_NVRTC, or null: an NVRTC of CUDA 13 makes
 * no code for the drivers of 12 that some tests open. */
static inline const char *standin_real_nvrtc(const char *options)
{
	const char *real = getenv("STANDIN_REAL_NVRTC");

	if (real != NULL && strstr(real, ".so.13") != NULL &&
	    strstr(options, "version=12") != NULL)
		return NULL;
	return real;
}

/* No context is open.  STANDIN_MORE has options for every test, behind which
 * are those of one.  Compiled code is kept until the program ends. */
static inline void standin_prepare(const char *options)
{
	const char *build = getenv("abs_top_builddir");
	const char *more = getenv("STANDIN_MORE");
	const char *real = standin_real_nvrtc(options);
	const char *kind = "";
	char all[512];

	if (build == NULL)
		build = ".";
	(void)snprintf(standin_path, sizeof(standin_path),
		       "%s/t/standin/cuda/.libs/standin_cuda.so,nvrtc=%s%s",
		       build, real != NULL ? real : build, real != NULL ? "" :
		       "/t/standin/cuda/.libs/standin_nvrtc.so");
	(void)suite_folder();
	if (!rig_load())
		exit(1);
#ifdef STANDIN_RECORDED
	OK(standin_recorder_hooks.call != NULL);
#endif
	/* No NVRTC makes binaries for 9.1, so the backend asks for PTX. */
	if (real != NULL)
		kind = strstr(real, ".so.13") != NULL ?
			       "arch=91,version=13000" :
			       "arch=91,version=12080";
	(void)snprintf(all, sizeof(all), "%s,%s,%s", kind,
		       more != NULL ? more : "", options);
	rig_configure(all);
}

static inline uint64_t standin_left(void)
{
	uint64_t left = 0;

	for (unsigned kind = 0; kind < STANDIN_KINDS; kind++)
		left += rig_live(kind) + rig_leaked(kind);
	return left;
}

/* All objects were destroyed, and the condition was set in each iteration of a
 * loop. */
static inline void standin_is_clean(void)
{
	IS_UINT(rig_undecided(), 0);
	IS_UINT(standin_left(), 0);
}

#endif
