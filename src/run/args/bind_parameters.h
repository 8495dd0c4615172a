/* SPDX-License-Identifier: MIT */
/* What a run holds for a parameter that is a buffer; see bind_parameters.c. */
#ifndef PLAIT_SRC_RUN_ARGS_BIND_PARAMETERS_H
#define PLAIT_SRC_RUN_ARGS_BIND_PARAMETERS_H

#include "object/memory/buffer.h"

struct plait__bound_buffer {
	plait__buffer *buffer;	/* held, or null */
	uint64_t offset;	/* where it begins, for who maps it later */
	void *mapped;
	uint64_t stamp;		/* of the binding that told it */
};

#endif
