/* SPDX-License-Identifier: MIT */
/*
 * Failing allocations of the C library, for memory that belongs to no context:
 * source text, tables of the process, details of errors.  Otherwise as
 * t/fault/allocations.c.
 */
#include "calls.h"

#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
	__has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

#if defined(__GLIBC__) && !SANITIZED
void *__libc_realloc(void *pointer, size_t bytes);

static uint64_t count, fail, hit;

/* In place of the C library's function, also where libplait calls it. */
__attribute__((visibility("default")))
void *realloc(void *pointer, size_t bytes)
{
	uint64_t which = __atomic_load_n(&fail, __ATOMIC_SEQ_CST);

	if (which != 0 && !calls_allocating &&
	    __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST) == which) {
		__atomic_store_n(&hit, 1, __ATOMIC_SEQ_CST);
		return NULL;
	}
	return __libc_realloc(pointer, bytes);
}

static void arm(struct place *place, uint64_t k)
{
	(void)place;
	__atomic_store_n(&hit, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&count, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&fail, k, __ATOMIC_SEQ_CST);
}

static bool disarm(struct place *place)
{
	(void)place;
	__atomic_store_n(&fail, 0, __ATOMIC_SEQ_CST);
	return __atomic_load_n(&hit, __ATOMIC_SEQ_CST) != 0;
}

static bool may_be(plait_status status)
{
	return status == PLAIT_E_NOMEM;
}

static void every_allocation(void)
{
	static const struct calls_fault fault = { .arm = arm,
						  .disarm = disarm,
						  .may_be = may_be };

	calls_sweep_all(&fault);
}
#else
static void every_allocation(void)
{
	SKIP_ALL(SANITIZED ? "sanitizers have a realloc of their own" :
			     "only with glibc there is a realloc behind it");
}
#endif

static const struct tap_scenario all[] = {
	{ "every allocation fails once", every_allocation },
};

TAP_MAIN(all)
