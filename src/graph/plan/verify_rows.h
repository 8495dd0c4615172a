/* SPDX-License-Identifier: MIT */
/* Shapes of copies in a loaded plan: their rows, and their two sides. */
#ifndef PLAIT_SRC_GRAPH_PLAN_VERIFY_ROWS_H
#define PLAIT_SRC_GRAPH_PLAN_VERIFY_ROWS_H

#include "plan/plan.h"

#include <stdbool.h>

/* Compute the bytes that the rows of a copy reach on each side; returns false if
 * they are invalid.  The copy has three arguments. */
bool plait__verify_rows(const plait__plan *plan,
			const plait__plan_payload *payload,
			uint64_t *out_target, uint64_t *out_source);

/* Returns true if source and target of a copy share bytes of one slot in some
 * iteration.  Both sides fit. */
bool plait__verify_rows_overlap(const plait__plan *plan,
				const plait__plan_payload *payload,
				uint64_t target, uint64_t source);

#endif
