/* SPDX-License-Identifier: MIT */
/* Memory that two nodes have in common, for error texts. */
#ifndef PLAIT_SRC_PLAN_CHECK_SHARED_MEMORY_H
#define PLAIT_SRC_PLAN_CHECK_SHARED_MEMORY_H

#include "plan/check/check_state.h"

enum { PLAIT__SHARED_MEMORY_TEXT_BYTES = 96 };

/*
 * Describe the memory that accesses of two nodes have in common and that one of
 * them writes: "buffer 'image', bytes 0 to 400", or "the same memory" if the
 * tables do not tell more.  *out_both is true if both nodes write it.
 */
const char *plait__shared_memory_text(
	const plait__plan *tables, plait__check_accesses one,
	plait__check_accesses other, bool *out_both,
	char text[PLAIT__SHARED_MEMORY_TEXT_BYTES]);

#endif
