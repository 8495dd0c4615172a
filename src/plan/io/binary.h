/* SPDX-License-Identifier: MIT */
/*
 * Plans as bytes: the binary form that files hold, and the JSON dump.  Opens
 * no file: bytes in, bytes out.
 *
 * The binary form is a header, a directory with one entry per array of plan.h
 * (in that order), and the arrays, each at a multiple of 8 bytes.  Numbers are
 * as the writing machine has them; the header says which order that is, and
 * another order is refused.  The version changes with any struct of plan.h or
 * payload.h.
 */
#ifndef PLAIT_SRC_PLAN_IO_BINARY_H
#define PLAIT_SRC_PLAN_IO_BINARY_H

#include "base/text.h"
#include "plan/plan.h"

/* Append the binary form; memory that ran out is remembered by `out`. */
void plait__binary_save(const plait__plan *plan, plait__text *out);

/*
 * A plan from its binary form.  Nothing is trusted: what is returned has
 * passed the checks of its references and plait__check_plan.
 *
 * PLAIT_E_INVALID (not a plan, cut, damaged), PLAIT_E_UNSUPPORTED (another
 * version or byte order), PLAIT_E_NOMEM.
 */
plait_status plait__binary_load(const void *bytes, uint64_t count,
				const plait_allocator *allocator,
				plait__plan **out, plait_error *error);

#endif
