/* SPDX-License-Identifier: MIT */
/*
 * Switch of machine contexts in assembly; see machine_context.h.
 *
 * The processor predicts where a function returns to from a stack of its own,
 * which a switch does not exchange: each return on the other side, to a function
 * that was called before, costs as much as two switches.  So a switch is part of
 * its caller, a jump and no call.  The compiler saves the registers that the
 * caller needs; the frame pointer and the control words are saved here.
 */
#ifndef PLAIT_SRC_COROUTINE_MACHINE_SWITCH_H
#define PLAIT_SRC_COROUTINE_MACHINE_SWITCH_H

#include <stdint.h>

/* Offsets are named in the assembly. */
struct plait__machine_registers {
	void *stack;		/* stack pointer */
	void *frame;		/* frame pointer */
	void *next;		/* instruction */
	uint64_t control;	/* x86-64: mxcsr, then the x87 control word;
				 * aarch64: fpcr */
};

#define PLAIT__MACHINE_SWITCH                                                 \
	static inline __attribute__((always_inline)) void                     \
	plait__machine_context_switch

#if defined(__x86_64__)

#ifdef __AVX512F__
#define PLAIT__MACHINE_WIDE                                                   \
	, "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22",      \
	"xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29",        \
	"xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#else
#define PLAIT__MACHINE_WIDE
#endif

/* Suspend the caller as *out_from, and continue `to`. */
PLAIT__MACHINE_SWITCH(void **out_from, void *to)
{
	struct plait__machine_registers self, *from = &self;

	__asm__ __volatile__(
		"leaq 3f(%%rip), %%rax\n"
		"	movq %[from], (%[out])\n"
		"	movq %%rsp, (%[from])\n"
		"	movq %%rbp, 8(%[from])\n"
		"	movq %%rax, 16(%[from])\n"
		"	stmxcsr 24(%[from])\n"
		"	fnstcw 28(%[from])\n"
		"	movl 24(%[from]), %%eax\n"
		"	movzwl 28(%[from]), %%ecx\n"
		"	movq 16(%[to]), %%rdx\n"
		"	movq 8(%[to]), %%rbp\n"
		"	movq (%[to]), %%rsp\n"
		/* To load control words costs more than to compare them. */
		"	cmpl %%eax, 24(%[to])\n"
		"	je 1f\n"
		"	ldmxcsr 24(%[to])\n"
		"1:	cmpw %%cx, 28(%[to])\n"
		"	je 2f\n"
		"	fldcw 28(%[to])\n"
		"2:	notrack jmpq *%%rdx\n"
		"3:"
		: [from] "+D"(from), [to] "+S"(to), [out] "+d"(out_from)
		:
		: "cc", "memory", "rax", "rbx", "rcx", "r8", "r9",
		  "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1",
		  "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
		  "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
		  "xmm15" PLAIT__MACHINE_WIDE);
}

#else

/* Suspend the caller as *out_from, and continue `to`. */
PLAIT__MACHINE_SWITCH(void **out_from, void *to)
{
	struct plait__machine_registers self;
	register void *from __asm__("x0") = &self;
	register void *target __asm__("x1") = to;
	register void **out __asm__("x2") = out_from;

	__asm__ __volatile__(
		"adr x9, 1f\n"
		"	str x0, [x2]\n"
		"	mov x10, sp\n"
		"	stp x10, x29, [x0]\n"
		"	mrs x11, fpcr\n"
		"	stp x9, x11, [x0, #16]\n"
		"	ldp x10, x29, [x1]\n"
		"	ldp x9, x12, [x1, #16]\n"
		"	mov sp, x10\n"
		/* To write the control word costs more than to compare it. */
		"	cmp x11, x12\n"
		"	b.eq 2f\n"
		"	msr fpcr, x12\n"
		"2:	br x9\n"
		"1:	hint #36\n"
		: "+r"(from), "+r"(target), "+r"(out)
		:
		: "cc", "memory", "x3", "x4", "x5", "x6", "x7", "x8",
		  "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17",
		  "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26",
		  "x27", "x28", "x30", "v0", "v1", "v2", "v3", "v4", "v5",
		  "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14",
		  "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22",
		  "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30",
		  "v31");
}

#endif

#endif
