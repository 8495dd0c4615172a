/* SPDX-License-Identifier: MIT */
/* Memory that is bound to a parameter of a run: a buffer, or the program's. */
#ifndef PLAIT_SRC_RUN_ARGS_BIND_PARAMETERS_H
#define PLAIT_SRC_RUN_ARGS_BIND_PARAMETERS_H

#include "object/memory/buffer.h"

/* Set by the binding of a run, for each parameter. */
struct plait__bound_buffer {
	plait__buffer *buffer;	/* held until the release; null: no buffer */
	uint64_t offset;	/* of the binding in `buffer`; for engines that
				 * do not map */
	void *mapped;		/* of `buffer`, from `offset` on, if the layout
				 * maps; or the program's memory */
	uint64_t host_bytes;	/* size of the program's memory */
	uint64_t stamp;		/* frame.stamp of the binding */
};

#endif
