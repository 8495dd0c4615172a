/* SPDX-License-Identifier: MIT */
/* What a run holds for a parameter that is a buffer; see bind.c. */
#ifndef PLAIT_SRC_RUN_BIND_H
#define PLAIT_SRC_RUN_BIND_H

#include "object/buffer.h"

struct plait__bound {
	plait__buffer *buffer;	/* held, or null */
	uint64_t offset;	/* where it begins, for who maps it later */
	void *mapped;
	uint64_t stamp;		/* of the binding that told it */
};

#endif
