/* SPDX-License-Identifier: MIT */
/* The stand-ins for CUDA, opened for a test of the backend. */
#ifndef STANDIN_PLACE_H
#define STANDIN_PLACE_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rig.h"
#include "lib/suite.h"

/* The driver's file, and behind it the setting that names the compiler's. */
static char standin_path[1024];

#ifdef STANDIN_RECORDED
extern const struct standin_recorder standin_recorder_hooks;
#endif

/* Returns 12080 for an NVRTC of 12.8, or 0. */
static inline int standin_version_of(const char *file)
{
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	void *found = library != NULL ? dlsym(library, "nvrtcVersion") : NULL;
	nvrtcResult (*version)(int *, int *);
	int major = 0, minor = 0;

	memcpy(&version, &found, sizeof(version));
	if (found == NULL || version(&major, &minor) != NVRTC_SUCCESS)
		return 0;
	return 1000 * major + 10 * minor;
}

/* Returns the compiler of STANDIN_REAL_NVRTC, with its version; or null, also
 * where a test opens an older driver, which takes none of its code. */
static inline const char *standin_real_nvrtc(const char *options, int *version)
{
	const char *real = getenv("STANDIN_REAL_NVRTC");
	const char *driver = strstr(options, "version=");

	*version = real != NULL ? standin_version_of(real) : 0;
	if (driver != NULL && atoi(driver + strlen("version=")) < *version)
		return NULL;
	return real;
}

/* Does the test run on an installed driver, which the rig cannot see? */
static inline bool standin_is_real(void)
{
	return getenv("STANDIN_REAL_DRIVER") != NULL;
}

/* Fills standin_path for an installed driver; its compiler is NVRTC where the
 * backend finds it, or STANDIN_REAL_NVRTC. */
static inline void standin_use_driver(const char *driver)
{
	const char *real = getenv("STANDIN_REAL_NVRTC");

	(void)snprintf(standin_path, sizeof(standin_path), "%s%s%s", driver,
		       real != NULL ? ",nvrtc=" : "",
		       real != NULL ? real : "");
}

/* No context is open.  STANDIN_MORE has options for every test, behind which
 * are those of one.  Compiled code is kept until the program ends.  With
 * STANDIN_REAL_DRIVER the test runs on an installed driver, which takes no
 * options. */
static inline void standin_prepare(const char *options)
{
	const char *build = getenv("abs_top_builddir");
	const char *more = getenv("STANDIN_MORE");
	int version;
	const char *real = standin_real_nvrtc(options, &version);
	char kind[40] = "", all[512];

	if (standin_is_real()) {
		(void)suite_folder();
		if (!rig_load())
			exit(1);
		standin_use_driver(getenv("STANDIN_REAL_DRIVER"));
		return;
	}
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
		(void)snprintf(kind, sizeof(kind), "arch=91,version=%d",
			       version);
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
