/* SPDX-License-Identifier: MIT */
/*
 * Commands as one call of one form: kernels are that already; copies, fills,
 * host functions and joins are brought to it.
 */
#ifndef PLAIT_SRC_RUN_HOST_CALL_OP_H
#define PLAIT_SRC_RUN_HOST_CALL_OP_H

#include "run/program.h"

/* What waits for nothing: one indirect call, of a kernel's form or of a host
 * function's, which is worth a form of its own: empty ones take 2 ns. */
typedef struct plait__call_op {
	union {
		plait_kernel_function kernel;
		plait_host_function host;
	};
	void *user_data;
	uint32_t arguments;	/* words of the frame */
	uint32_t launch;
	uint32_t command;
	uint32_t is_host;
} plait__call_op;

static inline int32_t plait__call_op_invoke(const plait__call_op *op, void **words)
{
	if (op->is_host)
		return op->host(op->user_data);
	return op->kernel((void *const *)(words + op->arguments),
			  (const plait_launch *)(const void *)
				  (words + op->launch),
			  op->user_data);
}

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
