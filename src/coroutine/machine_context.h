/* SPDX-License-Identifier: MIT */
/*
 * Machine context: the registers of a suspended flow of control, saved on its
 * own stack.  A switch saves what the calling convention preserves, and the
 * floating-point control words; it makes no system call and leaves the signal
 * mask alone.
 */
#ifndef PLAIT_SRC_COROUTINE_MACHINE_CONTEXT_H
#define PLAIT_SRC_COROUTINE_MACHINE_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>

/* The stack pointer of a suspended flow; its registers lie above. */
typedef void *plait__machine_context;

/* Returns false where switches cannot work: on a processor without code for
 * it, or in a process with shadow stacks. */
bool plait__machine_context_is_supported(void);

/* Prepare a flow that calls entry(arg) on this stack when it is switched to
 * first.  `entry` never returns. */
plait__machine_context plait__machine_context_make(void *low, size_t bytes,
						   void (*entry)(void *arg),
						   void *arg);

/* Suspend the caller as *out_from, and continue `to`. */
void plait__machine_context_switch(plait__machine_context *out_from,
				   plait__machine_context to);

#endif
