/* SPDX-License-Identifier: MIT */
/*
 * Commands as one call of one form: kernels are that already; copies, fills,
 * host functions and joins are brought to it.
 */
#ifndef PLAIT_SRC_RUN_HOST_CALL_OP_H
#define PLAIT_SRC_RUN_HOST_CALL_OP_H

#include "run/host/host_engine.h"

/* A command that does not need anybody else.  `kernels`: null means those that
 * the plan was frozen with. */
void plait__call_op_make(const plait__program *program,
			 plait__object *const *kernels, uint32_t command,
			 plait__call_op *out);

/* The same operations with other kernels; null: no memory. */
plait__call_op *plait__call_op_remake(const plait__program *program,
				      plait__object *const *kernels,
				      const plait__call_op *ops, uint32_t count);

#endif
