/* SPDX-License-Identifier: MIT */
/* The stand-in for OpenCL, opened for a test: t/standin/opencl/fakecl.h. */
#ifndef T_CL_STANDIN_H
#define T_CL_STANDIN_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/tap.h"
#include "fakecl.h"

static char standin_path[4096];

static inline const struct fakecl *standin(void)
{
	static const struct fakecl *table;
	const char *build = getenv("abs_top_builddir");
	void *library;

	if (table != NULL)
		return table;
	(void)snprintf(standin_path, sizeof(standin_path),
		       "%s/t/standin/opencl/.libs/fakecl.so", build != NULL ? build : ".");
	library = dlopen(standin_path, RTLD_NOW | RTLD_LOCAL);
	if (library == NULL) {
		OK_THAT(false, "%s", dlerror());
		exit(1);
	}
	table = dlsym(library, "fakecl");
	return table;
}

static inline struct fakecl_report standin_report(void)
{
	struct fakecl_report report;

	standin()->report(&report);
	return report;
}

/* All objects were released, and no rule was broken. */
static inline void standin_is_clean(void)
{
	struct fakecl_report report = standin_report();

	OK_THAT(report.live == 0 && report.sin[0] == '\0',
		"%u objects of OpenCL are left; %s", (unsigned)report.live,
		report.sin);
}

#endif
