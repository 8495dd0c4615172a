/* SPDX-License-Identifier: MIT */
/* Error codes of OpenCL: names, results, advice. */
#ifndef PLAITP_OPENCL_CODE_H
#define PLAITP_OPENCL_CODE_H

#include "calls.h"
#include "plait/base.h"

struct opencl_code {
	cl_int code;
	plait_status status;
	const char *name;
	const char *hint; /* what the user can do; "" if nothing */
};

/* Never null. */
const struct opencl_code *plaitp_opencl_code(cl_int code);

#endif
