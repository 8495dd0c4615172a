/* SPDX-License-Identifier: MIT */
/* Raw system calls: futex and membarrier; see futex.h. */
#include "sys/futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { NS_PER_S = 1000000000 };

/* FUTEX_WAIT_BITSET, because its timeout is a point in time: a wait that is
 * interrupted and repeated does not last longer. */
static int wait_on(_Atomic uint32_t *word, int flags, uint32_t expected,
		   uint64_t deadline_ns)
{
	struct timespec at;
	struct timespec *deadline = NULL;

	if (deadline_ns != UINT64_MAX) {
		at.tv_sec = (time_t)(deadline_ns / NS_PER_S);
		at.tv_nsec = (long)(deadline_ns % NS_PER_S);
		deadline = &at;
	}
	if (syscall(SYS_futex, word, FUTEX_WAIT_BITSET | flags, expected,
		    deadline, NULL, FUTEX_BITSET_MATCH_ANY) == 0)
		return 0;
	return -errno;
}

int plait__futex_wait(_Atomic uint32_t *word, uint32_t expected,
		      uint64_t deadline_ns)
{
	return wait_on(word, FUTEX_PRIVATE_FLAG, expected, deadline_ns);
}

int plait__futex_wait_shared(_Atomic uint32_t *word, uint32_t expected,
			     uint64_t deadline_ns)
{
	return wait_on(word, 0, expected, deadline_ns);
}

void plait__futex_wake(_Atomic uint32_t *word, int32_t count)
{
	(void)syscall(SYS_futex, word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, count,
		      NULL, NULL, 0);
}

void plait__futex_wake_shared(_Atomic uint32_t *word)
{
	(void)syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/* Unknown until the first call. Idempotent, so a race only queries twice. */
enum { BARRIER_UNKNOWN, BARRIER_NO, BARRIER_YES };

static uint32_t register_barrier(void)
{
	long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
	long needed = MEMBARRIER_CMD_PRIVATE_EXPEDITED |
		      MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED;

	if (commands < 0 || (commands & needed) != needed)
		return BARRIER_NO;
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED,
		    0, 0) != 0)
		return BARRIER_NO;
	return BARRIER_YES;
}

bool plait__futex_barrier_available(void)
{
	/* Guards no other data: every writer stores the same value. */
	static _Atomic uint32_t known;
	uint32_t state = atomic_load_explicit(&known, memory_order_relaxed);

	if (state == BARRIER_UNKNOWN) {
		state = register_barrier();
		atomic_store_explicit(&known, state, memory_order_relaxed);
	}
	return state == BARRIER_YES;
}

void plait__futex_barrier_prepare(void)
{
	if (__libc_single_threaded)
		(void)plait__futex_barrier_available();
}

int plait__futex_barrier(void)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) !=
	    0)
		return -errno;
	return 0;
}
