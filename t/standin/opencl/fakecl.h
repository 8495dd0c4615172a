/* SPDX-License-Identifier: MIT */
/*
 * Control table of the stand-in for the ICD loader and a driver of OpenCL.  The
 * library is opened by path, by the backend (loader=PATH) and by the test,
 * which finds the table `fakecl` in it.
 */
#ifndef T_FAKECL_H
#define T_FAKECL_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "plait/plait.h"

/* The threads that run commands and that call callbacks. */
enum {
	FAKECL_AT_ONCE,	/* inside of the call that enqueues them */
	FAKECL_FLUSHED,	/* inside of the call that flushes or waits */
	FAKECL_THREAD,	/* by a thread of the driver, once they are flushed */
	FAKECL_MODES,	/* that run commands one by one */
	FAKECL_THREADS = FAKECL_MODES /* by four threads: queues side by side */
};

struct fakecl_setup {
	uint32_t mode;
	uint32_t devices;    /* 0 to 4 */
	uint32_t buffers;    /* version of command buffers; 0: none */
	uint32_t updates;    /* of their updates; 0: none */
	bool spirv;	     /* programs in it are taken */
	bool gpu;	     /* memory is the driver's, as seen from outside */
	bool no_info;	     /* of the parameters of kernels */
	bool no_platform;    /* the loader's answer when there is no driver */
	bool late;	     /* callbacks of events are called when nothing is
			      * left to run, the newest first */
	const char *fail;    /* calls of this function alone; null: of all */
	uint64_t fail_call;  /* the one that fails, from 1; 0: none */
	bool goes_on;	     /* behind a command that failed, as if it had
			      * not */
	bool fail_rest;	     /* and all behind it, commands too */
	uint64_t fail_command; /* the one that ends with the code */
	int32_t code;	     /* status of the failure */
};

struct fakecl_report {
	uint64_t calls;	     /* that counted for fail_call */
	uint64_t commands;
	uint64_t builds;     /* of programs, from texts and binaries */
	uint64_t live;	     /* objects that were not released */
	const char *failed;  /* the function that failed first, or null */
	char sin[256];	     /* the first rule of OpenCL that was broken */
};

struct fakecl {
	/* Reset all; no object may be in use any more. */
	void (*reset)(const struct fakecl_setup *setup);
	/* The action of a kernel of this name, or with this signature, if its
	 * program has the text in it; null fits all.  The text has to stay. */
	void (*teach)(const char *name, const char *text,
		      plait_kernel_function function);
	void (*report)(struct fakecl_report *out);
	/* Calls of clWaitForEvents since the reset; also for kernels. */
	uint64_t (*count_waits)(void);
	/* End the threads, which the next context begins again. */
	void (*end_threads)(void);
};

#endif
