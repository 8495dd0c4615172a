/* SPDX-License-Identifier: MIT */
/*
 * Machine context: the registers of a suspended flow of control, saved on its
 * own stack.  A switch saves what the calling convention preserves, and the
 * floating-point control words, and leaves the signal mask to the thread.
 *
 * The code is assembly on x86-64 and aarch64, without system calls.  Elsewhere,
 * or if configured with --enable-ucontext, it is that of the C library's
 * <ucontext.h>, with two system calls in each switch.
 */
#ifndef PLAIT_SRC_COROUTINE_MACHINE_CONTEXT_H
#define PLAIT_SRC_COROUTINE_MACHINE_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>

/* The saved registers of a suspended flow. */
typedef void *plait__machine_context;

/* Functions that a flow begins with; neither returns. */
typedef struct plait__machine_entry {
	void (*run)(void *arg);
	/* Called instead of the rest of `run` with an exception that left it. */
	void (*caught)(void *arg, void *exception);
} plait__machine_entry;

/* Returns false where switches cannot work: in a process with shadow stacks. */
bool plait__machine_context_is_supported(void);

/* Prepare a flow that calls entry->run(arg) on this stack when it is switched
 * to first. */
plait__machine_context plait__machine_context_make(void *low, size_t bytes,
						   const plait__machine_entry *
						   entry, void *arg);

/* Returns false if base frames catch no exceptions, so that one ends the
 * process. */
bool plait__machine_context_catches(void);

#ifdef PLAIT_CONTEXT_ASSEMBLY
#include "coroutine/machine_switch.h"
#else
/* Suspend the caller as *out_from, and continue `to`. */
void plait__machine_context_switch(plait__machine_context *out_from,
				   plait__machine_context to);
#endif

#endif
