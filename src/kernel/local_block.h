/* SPDX-License-Identifier: MIT */
/*
 * Local memory of host code: a call gets a block of the calling thread for each
 * local parameter.  Its arguments are the caller's, but for local memory, whose
 * value is the block's address and not its size.
 */
#ifndef PLAIT_SRC_KERNEL_LOCAL_BLOCK_H
#define PLAIT_SRC_KERNEL_LOCAL_BLOCK_H

#include "kernel/signature.h"

/* Arguments of a call, in a block of the thread that holds all of it. */
typedef struct plait__local_block plait__local_block;

/* Take blocks for the local parameters of a signature that has some.
 * PLAIT_E_NOMEM, with a null *out and no text: nothing is to be left. */
plait_status plait__local_block_enter(const plait__signature *signature,
				      void *const *arguments,
				      plait__local_block **out);
void plait__local_block_leave(plait__local_block *self);

/* The arguments of the call, valid until plait__local_block_leave. */
void *const *plait__local_block_arguments(const plait__local_block *self);

#endif
