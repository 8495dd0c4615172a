/* SPDX-License-Identifier: MIT */
/*
 * Atomic operations, fences and futexes: the only access in src/ to memory that
 * threads share. The same source is built four ways: C11, ThreadSanitizer,
 * ASan+UBSan, and with -DPLAIT_EXPLORE the interleaving explorer of
 * t/model/mc, where every operation is a scheduling point.
 *
 * Form: at_<operation>_<type>, with type u32, u64 or ptr. Plain functions
 * rather than _Generic, so that each order of each type can be searched for.
 *
 *   at_init_T(p, v)            before the object is shared
 *   at_load_relaxed_T(p)       at_load_acquire_T(p)
 *   at_store_relaxed_T(p, v)   at_store_release_T(p, v)
 *   at_exchange_T(p, v)        acquire + release, returns the old value
 *   at_cas_T(p, &expected, v)  strong; acquire + release, acquire on failure
 *   at_add_T  at_sub_T  at_or_T  at_and_T    u32 and u64; return the old value
 *   at_fence_seq_cst()         store-load barrier of a sleep/wake-up handshake
 *   at_fence_after_rmw()       the same, directly after an at_<rmw>, which on
 *                              some processors is such a barrier already
 *   at_fence_asymmetric()      free; pairs with at_membarrier() elsewhere
 *   at_membarrier()            fence on all running threads of the process
 *   at_spin_pause()            inside a bounded spin
 *   at_prefetch_write(line)    hint: the caller will write the line
 *   at_futex_wait / _wake_all / _wake_one
 *   AT_PLAIN_READ(lvalue)  AT_PLAIN_WRITE(lvalue)   see the end
 *
 * Rules: data is published by a release store (or an at_<rmw>) and read after
 * an acquire load, never by a fence and a relaxed store. Fences stand only
 * between the store and the load of a handshake. A futex word is a 32-bit word
 * of its own. A comment at each use names the operation that it pairs with.
 */
#ifndef PLAIT_SRC_SYS_ATOMIC_H
#define PLAIT_SRC_SYS_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

#ifdef PLAIT_EXPLORE
#include "mc_atomic.h"
#else

#include <stdatomic.h>

#include "sys/futex.h"

typedef struct at_u32 {
	_Atomic uint32_t cell;
} at_u32;

typedef struct at_u64 {
	_Atomic uint64_t cell;
} at_u64;

typedef struct at_ptr {
	void *_Atomic cell;
} at_ptr;

/* The futex word is the memory of the atomic itself. */
_Static_assert(sizeof(at_u32) == 4 && sizeof(at_u64) == 8, "no hidden locks");
_Static_assert(ATOMIC_INT_LOCK_FREE == 2 && ATOMIC_LLONG_LOCK_FREE == 2 &&
		       ATOMIC_POINTER_LOCK_FREE == 2,
	       "atomics of 32 and 64 bits without locks");

#define AT_DEFINE_BASE(T, value_type)                                         \
	static inline void at_init_##T(at_##T *p, value_type v)               \
	{                                                                     \
		atomic_init(&p->cell, v);                                     \
	}                                                                     \
	static inline value_type at_load_relaxed_##T(const at_##T *p)         \
	{                                                                     \
		return atomic_load_explicit(&p->cell, memory_order_relaxed);  \
	}                                                                     \
	static inline value_type at_load_acquire_##T(const at_##T *p)         \
	{                                                                     \
		return atomic_load_explicit(&p->cell, memory_order_acquire);  \
	}                                                                     \
	static inline void at_store_relaxed_##T(at_##T *p, value_type v)      \
	{                                                                     \
		atomic_store_explicit(&p->cell, v, memory_order_relaxed);     \
	}                                                                     \
	static inline void at_store_release_##T(at_##T *p, value_type v)      \
	{                                                                     \
		atomic_store_explicit(&p->cell, v, memory_order_release);     \
	}                                                                     \
	static inline value_type at_exchange_##T(at_##T *p, value_type v)     \
	{                                                                     \
		return atomic_exchange_explicit(&p->cell, v,                  \
						memory_order_acq_rel);        \
	}                                                                     \
	static inline bool at_cas_##T(at_##T *p, value_type *expected,        \
				      value_type v)                           \
	{                                                                     \
		return atomic_compare_exchange_strong_explicit(               \
			&p->cell, expected, v, memory_order_acq_rel,          \
			memory_order_acquire);                                \
	}

#define AT_DEFINE_RMW(T, value_type, name, c11)                               \
	static inline value_type at_##name##_##T(at_##T *p, value_type v)     \
	{                                                                     \
		return c11(&p->cell, v, memory_order_acq_rel);                \
	}

AT_DEFINE_BASE(u32, uint32_t)
AT_DEFINE_RMW(u32, uint32_t, add, atomic_fetch_add_explicit)
AT_DEFINE_RMW(u32, uint32_t, sub, atomic_fetch_sub_explicit)
AT_DEFINE_RMW(u32, uint32_t, or, atomic_fetch_or_explicit)
AT_DEFINE_RMW(u32, uint32_t, and, atomic_fetch_and_explicit)
AT_DEFINE_BASE(u64, uint64_t)
AT_DEFINE_RMW(u64, uint64_t, add, atomic_fetch_add_explicit)
AT_DEFINE_RMW(u64, uint64_t, sub, atomic_fetch_sub_explicit)
AT_DEFINE_RMW(u64, uint64_t, or, atomic_fetch_or_explicit)
AT_DEFINE_RMW(u64, uint64_t, and, atomic_fetch_and_explicit)
AT_DEFINE_BASE(ptr, void *)

#undef AT_DEFINE_BASE
#undef AT_DEFINE_RMW

/* Each of two threads stores, fences and loads: at least one of the two
 * loads sees the other thread's store. */
static inline void at_fence_seq_cst(void)
{
	atomic_thread_fence(memory_order_seq_cst);
}

/* Only after a read-modify-write that succeeded. On x86 a locked instruction
 * is a full barrier. */
static inline void at_fence_after_rmw(void)
{
#if defined(__x86_64__) || defined(__i386__)
	atomic_signal_fence(memory_order_seq_cst);
#else
	atomic_thread_fence(memory_order_seq_cst);
#endif
}

/*
 * The cheap side of an asymmetric fence: between its store and its load, one
 * thread runs at_fence_asymmetric(), which only stops the compiler, and the
 * other thread runs at_membarrier(). Only if at_membarrier_available().
 */
static inline void at_fence_asymmetric(void)
{
	atomic_signal_fence(memory_order_seq_cst);
}

/* Register the process at the first call; constant afterwards. */
static inline bool at_membarrier_available(void)
{
	return plait__futex_barrier_available();
}

/* Register before threads are started, if that is fast. */
static inline void at_membarrier_prepare(void)
{
	plait__futex_barrier_prepare();
}

/* Returns 0 or a negative errno; does not fail once it was available. */
static inline int at_membarrier(void)
{
	return plait__futex_barrier();
}

static inline void at_prefetch_write(const void *line)
{
#if defined(__x86_64__)
	/* gcc reads the line only, unless told of a newer processor. */
	__asm__ volatile("prefetchw %0" : : "m"(*(const char *)line));
#else
	__builtin_prefetch(line, 1);
#endif
}

static inline void at_spin_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ __volatile__("isb" ::: "memory");
#else
	__asm__ __volatile__("" ::: "memory");
#endif
}

/*
 * Sleep while *p == expected, until CLOCK_MONOTONIC deadline_ns (UINT64_MAX: no
 * deadline). Returns 0 after a wake-up or spuriously; -EAGAIN if *p differs;
 * -ETIMEDOUT; -EINTR after a signal handler. The caller always checks its
 * condition again.
 */
static inline int at_futex_wait(at_u32 *p, uint32_t expected,
				uint64_t deadline_ns)
{
	return plait__futex_wait(&p->cell, expected, deadline_ns);
}

/* For words with more than one kind of waiter. */
static inline void at_futex_wake_all(at_u32 *p)
{
	plait__futex_wake(&p->cell, INT32_MAX);
}

/* Only for mutexes, where any waiter will do. */
static inline void at_futex_wake_one(at_u32 *p)
{
	plait__futex_wake(&p->cell, 1);
}

/* The same for a word in memory that several processes map. */
static inline int at_futex_wait_shared(at_u32 *p, uint32_t expected,
				       uint64_t deadline_ns)
{
	return plait__futex_wait_shared(&p->cell, expected, deadline_ns);
}

static inline void at_futex_wake_shared(at_u32 *p)
{
	plait__futex_wake_shared(&p->cell);
}

/*
 * A plain field that a protocol hands from one thread to the next:
 *     AT_PLAIN_WRITE(slot->item) = item;    item = AT_PLAIN_READ(slot->item);
 * No code here. The explorer checks that happens-before orders each of them
 * against every other access to the field.
 */
#define AT_PLAIN_READ(lvalue) (lvalue)
#define AT_PLAIN_WRITE(lvalue) (lvalue)

#endif /* PLAIT_EXPLORE */
#endif
