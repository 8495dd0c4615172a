/* SPDX-License-Identifier: MIT */
/*
 * Machine contexts of the C library, for other processors; see
 * machine_context.h.  A suspended flow is a ucontext_t on its own stack.
 */
#include "coroutine/machine_context.h"

#ifndef PLAIT_CONTEXT_ASSEMBLY

#include <stdint.h>
#include <string.h>
#include <ucontext.h>

/* At the top of a new stack. */
struct first {
	ucontext_t context;
	plait__machine_entry entry;
	void *arg;
};

bool plait__machine_context_is_supported(void)
{
	return true;
}

/* makecontext passes numbers of type int only: the halves of the address. */
static void start(unsigned high, unsigned low)
{
	const uint64_t address = (uint64_t)high << 32 | low;
	const struct first *first = (const void *)(uintptr_t)address;

	first->entry.run(first->arg);
	__builtin_unreachable();
}

plait__machine_context plait__machine_context_make(void *low, size_t bytes,
						   const plait__machine_entry *
						   entry, void *arg)
{
	const uintptr_t top = (uintptr_t)low + bytes - sizeof(struct first);
	struct first *first = (struct first *)(top / 64 * 64);
	const uint64_t address = (uintptr_t)first;

	memset(first, 0, sizeof(*first));
	(void)getcontext(&first->context);
	first->entry = *entry;
	first->arg = arg;
	first->context.uc_stack.ss_sp = low;
	first->context.uc_stack.ss_size =
		(size_t)((uintptr_t)first - (uintptr_t)low);
	first->context.uc_link = NULL;
	makecontext(&first->context, (void (*)(void))start, 2,
		    (unsigned)(address >> 32), (unsigned)address);
	return &first->context;
}

/* The signal mask belongs to the thread, and swapcontext would restore that of
 * the thread that has run the flow before. */
void plait__machine_context_switch(plait__machine_context *out_from,
				   plait__machine_context to)
{
	ucontext_t self, *next = to;

	(void)getcontext(&self);
	next->uc_sigmask = self.uc_sigmask;
	*out_from = &self;
	(void)swapcontext(&self, next);
}

bool plait__machine_context_catches(void)
{
	return false;
}

#endif
