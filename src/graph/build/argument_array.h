/* SPDX-License-Identifier: MIT */
/* Array of arguments of any struct size, element by element. */
#ifndef PLAIT_SRC_GRAPH_BUILD_ARGUMENT_ARRAY_H
#define PLAIT_SRC_GRAPH_BUILD_ARGUMENT_ARRAY_H

#include "graph/build/object_refs.h"

/* Return argument i of the node in *out: in place when it has the current
 * struct size, else a copy in `room`.  The size of the first one is that of
 * all; later ones need not repeat it.  draft->desc->arguments is not null. */
plait_status plait__argument_array_read(const plait__node_draft *draft,
					uint32_t i, plait_argument *room,
					const plait_argument **out);

#endif
