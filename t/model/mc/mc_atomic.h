/* SPDX-License-Identifier: MIT */
/*
 * src/sys/atomic.h as the explorer sees it: the same names and types, each
 * operation a scheduling point with the place in the source that it has.
 * Included by src/sys/atomic.h alone, when PLAIT_EXPLORE is defined.
 */
#ifndef PLAIT_T_MC_ATOMIC_H
#define PLAIT_T_MC_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

enum mc_op {
	MC_INIT,
	MC_LOAD_RELAXED,
	MC_LOAD_ACQUIRE,
	MC_STORE_RELAXED,
	MC_STORE_RELEASE,
	MC_RMW,
	MC_FENCE,
	MC_MEMBARRIER,
	MC_PAUSE,
	MC_WAIT,
	MC_WAKE_ALL,
	MC_WAKE_ONE,
	MC_PLAIN
};

/* One operation in one place of the source. */
struct mc_site {
	const char *file;
	const char *function;
	const char *name;
	enum mc_op op;
	int line;
	uint32_t weakened; /* a bit of enum mc_weakening, in a mutant */
	uint64_t visits;
	uint64_t visitors; /* a bit for each scenario */
};

/* All sites are listed in a section of pointers, reached or not. */
#define MC_SITE(site_name, site_op)                                           \
	(__extension__({                                                      \
		static struct mc_site mc_site_ = { __FILE__, __func__,        \
						   site_name, site_op,        \
						   __LINE__, 0, 0, 0 };       \
		static struct mc_site *const mc_entry_                        \
			__attribute__((section("mc_sites"), used)) =          \
				&mc_site_;                                    \
		(void)mc_entry_;                                              \
		&mc_site_;                                                    \
	}))

typedef struct at_u32 {
	uint32_t cell;
} at_u32;

typedef struct at_u64 {
	uint64_t cell;
} at_u64;

typedef struct at_ptr {
	void *cell;
} at_ptr;

enum mc_rmw { MC_EXCHANGE, MC_ADD, MC_SUB, MC_OR, MC_AND };

uint64_t mc_load(const void *cell, uint32_t bytes, struct mc_site *site);
void mc_store(void *cell, uint32_t bytes, uint64_t value,
	      struct mc_site *site);
uint64_t mc_rmw(void *cell, uint32_t bytes, enum mc_rmw kind, uint64_t value,
		struct mc_site *site);
bool mc_cas(void *cell, uint32_t bytes, uint64_t *expected, uint64_t value,
	    struct mc_site *site);
void mc_fence(struct mc_site *site);
int mc_membarrier(struct mc_site *site);
void mc_pause(struct mc_site *site);
int mc_futex_wait(void *cell, uint32_t expected, uint64_t deadline_ns,
		  struct mc_site *site);
void mc_futex_wake(void *cell, struct mc_site *site);
void mc_plain(const void *address, bool write, struct mc_site *site);

#define MC_DEFINE(T, value_type, to, from)                                    \
	static inline value_type mc_load_##T(const at_##T *p,                 \
					     struct mc_site *site)            \
	{                                                                     \
		return from mc_load(&p->cell, sizeof(p->cell), site);         \
	}                                                                     \
	static inline void mc_store_##T(at_##T *p, value_type v,              \
					struct mc_site *site)                 \
	{                                                                     \
		mc_store(&p->cell, sizeof(p->cell), to v, site);              \
	}                                                                     \
	static inline value_type mc_rmw_##T(at_##T *p, enum mc_rmw kind,      \
					    value_type v,                     \
					    struct mc_site *site)             \
	{                                                                     \
		return from mc_rmw(&p->cell, sizeof(p->cell), kind, to v,     \
				   site);                                     \
	}                                                                     \
	static inline bool mc_cas_##T(at_##T *p, value_type *expected,        \
				      value_type v, struct mc_site *site)     \
	{                                                                     \
		uint64_t seen = to *expected;                                 \
		bool done = mc_cas(&p->cell, sizeof(p->cell), &seen, to v,    \
				   site);                                     \
		*expected = from seen;                                        \
		return done;                                                  \
	}

MC_DEFINE(u32, uint32_t, (uint64_t), (uint32_t))
MC_DEFINE(u64, uint64_t, (uint64_t), (uint64_t))
MC_DEFINE(ptr, void *, (uint64_t)(uintptr_t), (void *)(uintptr_t))
#undef MC_DEFINE

/* clang-format off: a table */
#define MC_AT(name, op) MC_SITE("at_" #name, MC_##op)
#define at_init_u32(p, v)          mc_store_u32(p, v, MC_AT(init_u32, INIT))
#define at_init_u64(p, v)          mc_store_u64(p, v, MC_AT(init_u64, INIT))
#define at_init_ptr(p, v)          mc_store_ptr(p, v, MC_AT(init_ptr, INIT))
#define at_load_relaxed_u32(p)     mc_load_u32(p, MC_AT(load_relaxed_u32, LOAD_RELAXED))
#define at_load_relaxed_u64(p)     mc_load_u64(p, MC_AT(load_relaxed_u64, LOAD_RELAXED))
#define at_load_relaxed_ptr(p)     mc_load_ptr(p, MC_AT(load_relaxed_ptr, LOAD_RELAXED))
#define at_load_acquire_u32(p)     mc_load_u32(p, MC_AT(load_acquire_u32, LOAD_ACQUIRE))
#define at_load_acquire_u64(p)     mc_load_u64(p, MC_AT(load_acquire_u64, LOAD_ACQUIRE))
#define at_load_acquire_ptr(p)     mc_load_ptr(p, MC_AT(load_acquire_ptr, LOAD_ACQUIRE))
#define at_store_relaxed_u32(p, v) mc_store_u32(p, v, MC_AT(store_relaxed_u32, STORE_RELAXED))
#define at_store_relaxed_u64(p, v) mc_store_u64(p, v, MC_AT(store_relaxed_u64, STORE_RELAXED))
#define at_store_relaxed_ptr(p, v) mc_store_ptr(p, v, MC_AT(store_relaxed_ptr, STORE_RELAXED))
#define at_store_release_u32(p, v) mc_store_u32(p, v, MC_AT(store_release_u32, STORE_RELEASE))
#define at_store_release_u64(p, v) mc_store_u64(p, v, MC_AT(store_release_u64, STORE_RELEASE))
#define at_store_release_ptr(p, v) mc_store_ptr(p, v, MC_AT(store_release_ptr, STORE_RELEASE))
#define at_exchange_u32(p, v)      mc_rmw_u32(p, MC_EXCHANGE, v, MC_AT(exchange_u32, RMW))
#define at_exchange_u64(p, v)      mc_rmw_u64(p, MC_EXCHANGE, v, MC_AT(exchange_u64, RMW))
#define at_exchange_ptr(p, v)      mc_rmw_ptr(p, MC_EXCHANGE, v, MC_AT(exchange_ptr, RMW))
#define at_cas_u32(p, e, v)        mc_cas_u32(p, e, v, MC_AT(cas_u32, RMW))
#define at_cas_u64(p, e, v)        mc_cas_u64(p, e, v, MC_AT(cas_u64, RMW))
#define at_cas_ptr(p, e, v)        mc_cas_ptr(p, e, v, MC_AT(cas_ptr, RMW))
#define at_add_u32(p, v)           mc_rmw_u32(p, MC_ADD, v, MC_AT(add_u32, RMW))
#define at_add_u64(p, v)           mc_rmw_u64(p, MC_ADD, v, MC_AT(add_u64, RMW))
#define at_sub_u32(p, v)           mc_rmw_u32(p, MC_SUB, v, MC_AT(sub_u32, RMW))
#define at_sub_u64(p, v)           mc_rmw_u64(p, MC_SUB, v, MC_AT(sub_u64, RMW))
#define at_or_u32(p, v)            mc_rmw_u32(p, MC_OR, v, MC_AT(or_u32, RMW))
#define at_or_u64(p, v)            mc_rmw_u64(p, MC_OR, v, MC_AT(or_u64, RMW))
#define at_and_u32(p, v)           mc_rmw_u32(p, MC_AND, v, MC_AT(and_u32, RMW))
#define at_and_u64(p, v)           mc_rmw_u64(p, MC_AND, v, MC_AT(and_u64, RMW))
#define at_fence_seq_cst()         mc_fence(MC_AT(fence_seq_cst, FENCE))
#define at_fence_after_rmw()       mc_fence(MC_AT(fence_after_rmw, FENCE))
#define at_fence_asymmetric()           ((void)0)
#define at_membarrier_available()  true
#define at_membarrier_prepare()    ((void)0)
#define at_membarrier()            mc_membarrier(MC_AT(membarrier, MEMBARRIER))
#define at_spin_pause()            mc_pause(MC_AT(spin_pause, PAUSE))
#define at_prefetch_write(line)    ((void)(line))
#define at_futex_wait(p, e, d)     mc_futex_wait(&(p)->cell, e, d, MC_AT(futex_wait, WAIT))
#define at_futex_wake_all(p)       mc_futex_wake(&(p)->cell, MC_AT(futex_wake_all, WAKE_ALL))
#define at_futex_wait_shared(p, e, d)                                         \
	mc_futex_wait(&(p)->cell, e, d, MC_AT(futex_wait_shared, WAIT))
#define at_futex_wake_shared(p)    mc_futex_wake(&(p)->cell, MC_AT(futex_wake_shared, WAKE_ALL))
#define at_futex_wake_one(p)       mc_futex_wake(&(p)->cell, MC_AT(futex_wake_one, WAKE_ONE))
/* clang-format on */

#define AT_PLAIN_READ(lvalue)                                                 \
	(*(mc_plain(&(lvalue), false, MC_SITE("AT_PLAIN_READ", MC_PLAIN)),    \
	   &(lvalue)))
#define AT_PLAIN_WRITE(lvalue)                                                \
	(*(mc_plain(&(lvalue), true, MC_SITE("AT_PLAIN_WRITE", MC_PLAIN)),    \
	   &(lvalue)))

#endif
