/* SPDX-License-Identifier: MIT */
/* Choice of the pieces of a merge, so that caches of the host hold each. */
#ifndef PLAIT_SRC_COLL_USE_COLLECTIVE_PIECES_H
#define PLAIT_SRC_COLL_USE_COLLECTIVE_PIECES_H

#include "coll/use/collective_memory.h"

/* Set pieces and chains of the request, whose merge without pieces is given, or
 * leave them 0: ranks of several devices or not on the host, a detached or small
 * collective.  PLAIT_E_NOMEM, or what plait_device_query returns. */
plait_status
plait__collective_pieces_choose(const plait__collective_memory *memory,
				const plait__merge *merge,
				plait__merge_request *request);

#endif
