/* SPDX-License-Identifier: MIT */
/* Base frames of machine contexts, in assembly; see machine_context.h. */
#include "coroutine/machine_context.h"

#ifdef PLAIT_CONTEXT_ASSEMBLY

/* Named in assembly. */
#include "coroutine/foreign_exception.h"

#include <string.h>

void plait__machine_context_start(void) __attribute__((visibility("hidden")));

/* At the stack pointer of a base frame; offsets are named in the assembly. */
struct base {
	plait__machine_entry entry;
	void *arg;
	void *padding;		/* frames are multiples of 16 bytes */
};

/*
 * The base frame jumps to its function, as a switch does; a call would be
 * returned from by the resumer, as the processor predicts it.
 */
#if defined(__x86_64__)

__asm__(
	".text\n"
	".p2align 4\n"
	".globl plait__machine_context_start\n"
	".hidden plait__machine_context_start\n"
	".type plait__machine_context_start, @function\n"
	"plait__machine_context_start:\n"
	".cfi_startproc\n"
	".cfi_personality 0x1b, plait__foreign_exception_personality\n"
	".cfi_lsda 0x1b, .Lplait__machine_context_caught\n"
	/* The end of a backtrace. */
	".cfi_undefined rip\n"
	"	endbr64\n"
	"	movq (%rsp), %rdx\n"
	"	movq 16(%rsp), %rdi\n"
	"	leaq 1f(%rip), %rax\n"
	"	pushq %rax\n"
	".cfi_adjust_cfa_offset 8\n"
	"	notrack jmpq *%rdx\n"
	".cfi_adjust_cfa_offset -8\n"
	"1:	ud2\n"
	".Lplait__machine_context_caught:\n"
	"	endbr64\n"
	"	movq 16(%rsp), %rdi\n"
	"	movq %rax, %rsi\n"
	"	callq *8(%rsp)\n"
	"	ud2\n"
	".cfi_endproc\n"
	".size plait__machine_context_start, .-plait__machine_context_start\n");

bool plait__machine_context_is_supported(void)
{
	uint64_t shadow = 0;

	/* A no-op that leaves 0, unless a shadow stack is in use. */
	__asm__ __volatile__("rdsspq %0" : "+r"(shadow));
	return shadow == 0;
}

static uint64_t control_words(void)
{
	uint32_t mxcsr;
	uint16_t control;

	__asm__ __volatile__("stmxcsr %0" : "=m"(mxcsr));
	__asm__ __volatile__("fnstcw %0" : "=m"(control));
	return (uint64_t)control << 32 | mxcsr;
}

#else

__asm__(
	".text\n"
	".p2align 4\n"
	".globl plait__machine_context_start\n"
	".hidden plait__machine_context_start\n"
	".type plait__machine_context_start, %function\n"
	"plait__machine_context_start:\n"
	".cfi_startproc\n"
	".cfi_personality 0x1b, plait__foreign_exception_personality\n"
	".cfi_lsda 0x1b, .Lplait__machine_context_caught\n"
	/* The end of a backtrace. */
	".cfi_undefined x30\n"
	"	hint #36\n"
	"	ldr x16, [sp]\n"
	"	ldr x0, [sp, #16]\n"
	"	adr x30, 1f\n"
	"	br x16\n"
	"1:	brk #1\n"
	".Lplait__machine_context_caught:\n"
	"	hint #36\n"
	"	mov x1, x0\n"
	"	ldr x0, [sp, #16]\n"
	"	ldr x16, [sp, #8]\n"
	"	blr x16\n"
	"	brk #1\n"
	".cfi_endproc\n"
	".size plait__machine_context_start, .-plait__machine_context_start\n");

/* CHKFEAT, a no-op on older processors: clears the bit of x16 that asks for the
 * guarded control stack if that is in use. */
bool plait__machine_context_is_supported(void)
{
	register uint64_t asked __asm__("x16") = 1;

	__asm__ __volatile__("hint #40" : "+r"(asked));
	return asked != 0;
}

static uint64_t control_words(void)
{
	uint64_t fpcr;

	__asm__ __volatile__("mrs %0, fpcr" : "=r"(fpcr));
	return fpcr;
}

#endif

plait__machine_context plait__machine_context_make(void *low, size_t bytes,
						   const plait__machine_entry *
						   entry, void *arg)
{
	void (*const start)(void) = plait__machine_context_start;
	const uintptr_t top = ((uintptr_t)low + bytes) / 64 * 64;
	struct base *base = (struct base *)(top - sizeof(*base));
	struct plait__machine_registers *registers =
		(struct plait__machine_registers *)(void *)base - 1;

	base->entry = *entry;
	base->arg = arg;
	registers->stack = base;
	registers->frame = NULL;
	memcpy(&registers->next, &start, sizeof(start));
	registers->control = control_words();
	return registers;
}

bool plait__machine_context_catches(void)
{
	return true;
}

#endif
