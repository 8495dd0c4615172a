/* SPDX-License-Identifier: MIT */
/*
 * Notes about stacks and switches: for AddressSanitizer and ThreadSanitizer,
 * empty in other builds; and for valgrind, a few no-ops per stack outside of it,
 * if its header was there when this was compiled.
 *
 * ThreadSanitizer keeps a call stack per fiber: a function that it instruments
 * adds a frame to the fiber that it is entered on, and removes one from the
 * fiber that it returns on.  So no note may be a function call, or it would
 * remove a frame of another fiber.
 */
#ifndef PLAIT_SRC_COROUTINE_FIBER_NOTES_H
#define PLAIT_SRC_COROUTINE_FIBER_NOTES_H

#include "coroutine/coroutine.h"

#if defined(__SANITIZE_ADDRESS__)
#define PLAIT__FIBERS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PLAIT__FIBERS_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define PLAIT__FIBERS_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PLAIT__FIBERS_TSAN 1
#endif
#endif

#ifdef __has_include
#if __has_include(<valgrind/valgrind.h>)
#define PLAIT__FIBERS_VALGRIND 1
#include <valgrind/valgrind.h>
#endif
#endif

#ifdef PLAIT__FIBERS_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef PLAIT__FIBERS_TSAN
#include <sanitizer/tsan_interface.h>
#endif

#define PLAIT__FIBER_NOTE static inline __attribute__((always_inline)) void

/* The stack was made, and will be unmapped. */
PLAIT__FIBER_NOTE plait__fiber_note_stack(plait__stack *stack, size_t bytes)
{
	(void)stack;
	(void)bytes;
#ifdef PLAIT__FIBERS_VALGRIND
	stack->note = (uint32_t)VALGRIND_STACK_REGISTER(stack->low,
							stack->low + bytes - 1);
#endif
}

PLAIT__FIBER_NOTE plait__fiber_note_unmap(const plait__stack *stack)
{
	(void)stack;
#ifdef PLAIT__FIBERS_VALGRIND
	VALGRIND_STACK_DEREGISTER(stack->note);
#endif
}

/* The coroutine was made. */
PLAIT__FIBER_NOTE plait__fiber_note_made(plait__coroutine *coroutine)
{
	coroutine->fake_stack = NULL;
#ifdef PLAIT__FIBERS_TSAN
	coroutine->fiber = __tsan_create_fiber(0);
#endif
}

/* The resumer is about to switch to the coroutine, and is back. */
PLAIT__FIBER_NOTE plait__fiber_note_resume(plait__coroutine *coroutine)
{
	(void)coroutine;
#ifdef PLAIT__FIBERS_ASAN
	__sanitizer_start_switch_fiber(&coroutine->fake_resumer,
				       coroutine->stack->low,
				       coroutine->pool->stack_bytes);
#endif
#ifdef PLAIT__FIBERS_TSAN
	coroutine->resumer_fiber = __tsan_get_current_fiber();
	__tsan_switch_to_fiber(coroutine->fiber, 0);
#endif
}

PLAIT__FIBER_NOTE plait__fiber_note_resumed(plait__coroutine *coroutine)
{
	(void)coroutine;
#ifdef PLAIT__FIBERS_ASAN
	__sanitizer_finish_switch_fiber(coroutine->fake_resumer, NULL, NULL);
#endif
}

/* The coroutine runs, for the first time or again. */
PLAIT__FIBER_NOTE plait__fiber_note_entered(plait__coroutine *coroutine)
{
	(void)coroutine;
#ifdef PLAIT__FIBERS_ASAN
	__sanitizer_finish_switch_fiber(coroutine->fake_stack,
					&coroutine->resumer_low,
					&coroutine->resumer_bytes);
#endif
}

/* The coroutine is about to switch to its resumer; `ends`: for good. */
PLAIT__FIBER_NOTE plait__fiber_note_leave(plait__coroutine *coroutine,
					  bool ends)
{
	(void)coroutine;
	(void)ends;
#ifdef PLAIT__FIBERS_ASAN
	__sanitizer_start_switch_fiber(ends ? NULL : &coroutine->fake_stack,
				       coroutine->resumer_low,
				       coroutine->resumer_bytes);
#endif
#ifdef PLAIT__FIBERS_TSAN
	__tsan_switch_to_fiber(coroutine->resumer_fiber, 0);
#endif
}

/* The resumer has seen the end. */
PLAIT__FIBER_NOTE plait__fiber_note_ended(plait__coroutine *coroutine)
{
	(void)coroutine;
#ifdef PLAIT__FIBERS_TSAN
	__tsan_destroy_fiber(coroutine->fiber);
#endif
}

#endif
