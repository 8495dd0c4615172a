/* SPDX-License-Identifier: MIT */
/*
 * Backends and interposers of the contexts that interface.c opens.  Bytes from
 * 192 on choose the stand-in for OpenCL, where it is built, and the interposer
 * fault; bytes below choose what they always have, so that found inputs keep
 * their meaning.
 */
#ifndef FUZZ_BACKENDS_H
#define FUZZ_BACKENDS_H

#include "stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_BYTES = 4500 };

#if __has_include(<CL/cl.h>)
#include <dlfcn.h>

#include "standin/opencl/fakecl.h"

static char standin_path[4096];

/* The interposer fault has been asked for: it may refuse what ends a mapping,
 * as drivers do. */
static bool may_refuse;

/* Null where the stand-in is not built. */
static inline const struct fakecl *standin(void)
{
	static const struct fakecl *table;
	const char *build = getenv("abs_top_builddir");
	void *library;

	if (table != NULL || build == NULL)
		return table;
	(void)snprintf(standin_path, sizeof(standin_path),
		       "%s/t/standin/opencl/.libs/fakecl.so", build);
	library = dlopen(standin_path, RTLD_NOW | RTLD_LOCAL);
	if (library != NULL)
		table = dlsym(library, "fakecl");
	return table;
}

/* The kind of driver, for all contexts of an input. */
static inline void begin_standin(const uint8_t *data, size_t size)
{
	uint8_t kind = size > 0 ? data[size - 1] : 0;
	const struct fakecl_setup setup = {
		.mode = kind % FAKECL_MODES, .late = kind / 3 % 2,
		.gpu = kind / 6 % 2, .devices = 1 + kind / 12 % 2,
	};

	may_refuse = false;
	if (standin() != NULL)
		standin()->reset(&setup);
}

/* No rule of OpenCL was broken.  Returns true if objects are left. */
static inline bool judge_standin(void)
{
	struct fakecl_report report;

	if (standin() == NULL)
		return false;
	standin()->report(&report);
	if (!may_refuse || strstr(report.sin, "while it is mapped") == NULL)
		FUZZ_NEED(report.sin[0] == '\0', report.sin);
	return report.live != 0;
}
#else
static const char standin_path[] = "";
static bool may_refuse;

static inline const void *standin(void)
{
	return NULL;
}

static inline void begin_standin(const uint8_t *data, size_t size)
{
	(void)data;
	(void)size;
}

static inline bool judge_standin(void)
{
	return false;
}
#endif

static inline const char *draw_backends(struct stream *s)
{
	static const char *const backends[] = { "host", "chaos", "host,chaos",
						"chaos,host" };
	static const char *const others[] = { "opencl", "opencl,host",
					      "host,opencl", "chaos,opencl" };
	uint8_t byte = draw_byte(s);

	return byte >= 192 && standin() != NULL ? others[byte % 4] :
						  backends[byte % 4];
}

static inline const char *draw_wrap(struct stream *s)
{
	static const char *const wraps[] = { NULL, NULL, "check", "trace" };
	static const char *const others[] = { "fault", "fault", "check,fault",
					      "trace,fault" };
	uint8_t byte = draw_byte(s);

	return byte >= 192 ? others[byte % 4] : wraps[byte % 4];
}

/* Options of all of them; `out` lasts while the context is opened. */
static inline void draw_options(struct stream *s, const char *wrap,
				char out[OPTION_BYTES])
{
	static const char *const statuses[] = { "nomem", "busy", "unsupported",
						"failed" };
	char fault[100] = "";

	if (wrap != NULL && strstr(wrap, "fault") != NULL) {
		uint8_t status = draw_byte(s), rate = draw_byte(s);

		__atomic_store_n(&may_refuse, true, __ATOMIC_RELAXED);
		(void)snprintf(fault, sizeof(fault),
			       ";fault:rate=%u,seed=%u,status=%s", rate % 64,
			       draw_byte(s), statuses[status % 4]);
	}
	(void)snprintf(out, OPTION_BYTES, "trace:file=/dev/null%s%s%s", fault,
		       standin() != NULL ? ";opencl:loader=" : "",
		       standin() != NULL ? standin_path : "");
}

#endif
