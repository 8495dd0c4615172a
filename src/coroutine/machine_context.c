/* SPDX-License-Identifier: MIT */
/* Machine contexts of x86-64 and aarch64, in assembly; see machine_context.h. */
#include "coroutine/machine_context.h"

/* Named in assembly. */
#include "coroutine/foreign_exception.h"

#include <stdint.h>
#include <string.h>

void plait__machine_context_start(void) __attribute__((visibility("hidden")));
void plait__machine_context_land(void) __attribute__((visibility("hidden")));

#if defined(__x86_64__) && defined(__LP64__)

/* From the stack pointer upwards: control words, r15 to r12, rbx, rbp, return
 * address. */
enum { WORDS = 8, ENTRY = 4, ARG = 3, CAUGHT = 2, RETURN = 7 };

__asm__(
	".text\n"
	".p2align 4\n"
	".globl plait__machine_context_switch\n"
	".hidden plait__machine_context_switch\n"
	".type plait__machine_context_switch, @function\n"
	"plait__machine_context_switch:\n"
	".cfi_startproc\n"
	"	endbr64\n"
	"	pushq %rbp\n"
	".cfi_adjust_cfa_offset 8\n"
	"	pushq %rbx\n"
	".cfi_adjust_cfa_offset 8\n"
	"	pushq %r12\n"
	".cfi_adjust_cfa_offset 8\n"
	"	pushq %r13\n"
	".cfi_adjust_cfa_offset 8\n"
	"	pushq %r14\n"
	".cfi_adjust_cfa_offset 8\n"
	"	pushq %r15\n"
	".cfi_adjust_cfa_offset 8\n"
	"	subq $8, %rsp\n"
	".cfi_adjust_cfa_offset 8\n"
	"	stmxcsr (%rsp)\n"
	"	fnstcw 4(%rsp)\n"
	"	movl (%rsp), %eax\n"
	"	movzwl 4(%rsp), %ecx\n"
	"	movq %rsp, (%rdi)\n"
	"	movq %rsi, %rsp\n"
	/* To load control words costs more than to compare them. */
	"	cmpl %eax, (%rsp)\n"
	"	je 1f\n"
	"	ldmxcsr (%rsp)\n"
	"1:	cmpw %cx, 4(%rsp)\n"
	"	je 2f\n"
	"	fldcw 4(%rsp)\n"
	"2:	addq $8, %rsp\n"
	".cfi_adjust_cfa_offset -8\n"
	"	popq %r15\n"
	".cfi_adjust_cfa_offset -8\n"
	"	popq %r14\n"
	".cfi_adjust_cfa_offset -8\n"
	"	popq %r13\n"
	".cfi_adjust_cfa_offset -8\n"
	"	popq %r12\n"
	".cfi_adjust_cfa_offset -8\n"
	"	popq %rbx\n"
	".cfi_adjust_cfa_offset -8\n"
	"	popq %rbp\n"
	".cfi_adjust_cfa_offset -8\n"
	/* A return would be predicted wrongly each time. */
	"	popq %rdx\n"
	".cfi_adjust_cfa_offset -8\n"
	".cfi_register rip, rdx\n"
	"	notrack jmpq *%rdx\n"
	".cfi_endproc\n"
	".size plait__machine_context_switch, .-plait__machine_context_switch\n"
	".p2align 4\n"
	".globl plait__machine_context_start\n"
	".hidden plait__machine_context_start\n"
	".type plait__machine_context_start, @function\n"
	"plait__machine_context_start:\n"
	".cfi_startproc\n"
	".cfi_personality 0x1b, plait__foreign_exception_personality\n"
	/* The end of a backtrace. */
	".cfi_undefined rip\n"
	"	endbr64\n"
	"	movq %r13, %rdi\n"
	"	callq *%r12\n"
	"	ud2\n"
	".globl plait__machine_context_land\n"
	".hidden plait__machine_context_land\n"
	"plait__machine_context_land:\n"
	"	endbr64\n"
	"	movq %r13, %rdi\n"
	"	movq %rax, %rsi\n"
	"	callq *%r14\n"
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

static void set_control_words(uint64_t *words)
{
	uint32_t mxcsr;
	uint16_t control;

	__asm__ __volatile__("stmxcsr %0" : "=m"(mxcsr));
	__asm__ __volatile__("fnstcw %0" : "=m"(control));
	words[0] = (uint64_t)control << 32 | mxcsr;
}

#elif defined(__aarch64__)

/* From the stack pointer upwards: d8 to d15, x19 to x28, x29, x30, fpcr. */
enum {
	WORDS = 22, ENTRY = 8, ARG = 9, CAUGHT = 10, RETURN = 19, CONTROL = 20
};

__asm__(
	".text\n"
	".p2align 4\n"
	".globl plait__machine_context_switch\n"
	".hidden plait__machine_context_switch\n"
	".type plait__machine_context_switch, %function\n"
	"plait__machine_context_switch:\n"
	".cfi_startproc\n"
	"	hint #34\n"
	"	sub sp, sp, #176\n"
	"	stp d8, d9, [sp, #0]\n"
	"	stp d10, d11, [sp, #16]\n"
	"	stp d12, d13, [sp, #32]\n"
	"	stp d14, d15, [sp, #48]\n"
	"	stp x19, x20, [sp, #64]\n"
	"	stp x21, x22, [sp, #80]\n"
	"	stp x23, x24, [sp, #96]\n"
	"	stp x25, x26, [sp, #112]\n"
	"	stp x27, x28, [sp, #128]\n"
	"	stp x29, x30, [sp, #144]\n"
	"	mrs x9, fpcr\n"
	"	str x9, [sp, #160]\n"
	"	mov x9, sp\n"
	"	str x9, [x0]\n"
	"	mov sp, x1\n"
	"	ldr x9, [sp, #160]\n"
	"	msr fpcr, x9\n"
	"	ldp d8, d9, [sp, #0]\n"
	"	ldp d10, d11, [sp, #16]\n"
	"	ldp d12, d13, [sp, #32]\n"
	"	ldp d14, d15, [sp, #48]\n"
	"	ldp x19, x20, [sp, #64]\n"
	"	ldp x21, x22, [sp, #80]\n"
	"	ldp x23, x24, [sp, #96]\n"
	"	ldp x25, x26, [sp, #112]\n"
	"	ldp x27, x28, [sp, #128]\n"
	"	ldp x29, x30, [sp, #144]\n"
	"	add sp, sp, #176\n"
	"	ret\n"
	".cfi_endproc\n"
	".size plait__machine_context_switch, .-plait__machine_context_switch\n"
	".p2align 4\n"
	".globl plait__machine_context_start\n"
	".hidden plait__machine_context_start\n"
	".type plait__machine_context_start, %function\n"
	"plait__machine_context_start:\n"
	".cfi_startproc\n"
	".cfi_personality 0x1b, plait__foreign_exception_personality\n"
	/* The end of a backtrace. */
	".cfi_undefined x30\n"
	"	hint #36\n"
	"	mov x0, x20\n"
	"	blr x19\n"
	"	brk #1\n"
	".globl plait__machine_context_land\n"
	".hidden plait__machine_context_land\n"
	"plait__machine_context_land:\n"
	"	hint #36\n"
	"	mov x1, x0\n"
	"	mov x0, x20\n"
	"	blr x21\n"
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

static void set_control_words(uint64_t *words)
{
	__asm__ __volatile__("mrs %0, fpcr" : "=r"(words[CONTROL]));
}

#endif

plait__machine_context plait__machine_context_make(void *low, size_t bytes,
						   const plait__machine_entry *
						   entry, void *arg)
{
	void (*const start)(void) = plait__machine_context_start;
	/* A return address and a word of padding keep the stack aligned. */
	uintptr_t top = ((uintptr_t)low + bytes) / 16 * 16 - 16;
	uint64_t *words = (uint64_t *)(void *)(top - WORDS * sizeof(uint64_t));

	memset(words, 0, WORDS * sizeof(*words) + 16);
	set_control_words(words);
	memcpy(&words[ENTRY], &entry->run, sizeof(entry->run));
	memcpy(&words[CAUGHT], &entry->caught, sizeof(entry->caught));
	words[ARG] = (uint64_t)(uintptr_t)arg;
	memcpy(&words[RETURN], &start, sizeof(start));
	return words;
}

void *plait__machine_context_landing(void)
{
	void (*const land)(void) = plait__machine_context_land;
	void *address;

	memcpy(&address, &land, sizeof(address));
	return address;
}
