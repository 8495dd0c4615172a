/* SPDX-License-Identifier: MIT */
/* Operations of a lane.  A kernel has the form of a call already; copies,
 * fills, host functions and joins are brought to it. */
#ifndef PLAIT_SRC_RUN_HOST_CALL_OP_H
#define PLAIT_SRC_RUN_HOST_CALL_OP_H

#include "run/program.h"

/* One indirect call: of a kernel, or of a host function, which has a form of
 * its own because an empty one takes 2 ns. */
typedef struct plait__call_op {
	union {
		plait_kernel_function kernel;
		plait_host_function host;
	};
	void *user_data;
	uint32_t arguments;	/* first word in the frame */
	uint32_t launch;
	uint32_t command;
	uint32_t is_host;
} plait__call_op;

/* Call a function of the user, in the caller's callback scope; it may end its
 * thread.  Returns its result: 0, or a failure. */
static inline int32_t plait__call_op_invoke(const plait__call_op *op,
					    void **words)
{
	if (op->is_host)
		return op->host(op->user_data);
	return op->kernel((void *const *)(words + op->arguments),
			  (const plait_launch *)(const void *)
				  (words + op->launch),
			  op->user_data);
}

/* Make the operation of a command, which is called if the command completes on
 * its lane; in a rehearsal, one that spins.  `kernels` null: those that the plan
 * was frozen with. */
void plait__call_op_make(const plait__program *program,
			 plait__object *const *kernels, uint32_t command,
			 plait__call_op *out);

/* Make the same operations with other kernels, in an array that the caller
 * frees; null: no memory. */
plait__call_op *plait__call_op_remake(const plait__program *program,
				      plait__object *const *kernels,
				      const plait__call_op *ops,
				      uint32_t count);

#endif
