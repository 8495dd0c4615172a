/* SPDX-License-Identifier: MIT */
/*
 * Binary form of plans, as in files.  Opens no file: bytes in, bytes out.
 *
 * The binary form is a header, a directory with one entry per array of plan.h
 * (in that order), and the arrays, each at a multiple of 8 bytes.  Numbers have
 * the byte order of the writing machine; the header states it, and any other
 * order is refused.  The version changes with any struct of plan.h or
 * payload.h.
 */
#ifndef PLAIT_SRC_PLAN_IO_BINARY_H
#define PLAIT_SRC_PLAN_IO_BINARY_H

#include "base/text.h"
#include "plan/plan.h"

/* Append the binary form; `out` remembers if memory ran out. */
void plait__binary_save(const plait__plan *plan, plait__text *out);

/*
 * Load a plan from its binary form.  Nothing is trusted: the result has passed
 * plait__check_plan.  PLAIT_E_INVALID: no plan, damaged, or refused by the check;
 * PLAIT_E_UNSUPPORTED: another version or byte order; PLAIT_E_NOMEM.  *out is null
 * then.
 */
plait_status plait__binary_load(const void *bytes, uint64_t count,
				const plait_allocator *allocator,
				plait__plan **out, plait_error *error);

#endif
