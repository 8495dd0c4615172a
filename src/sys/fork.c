/* SPDX-License-Identifier: MIT */
/* The page that the kernel wipes in a forked child; see fork.h. */
#include "sys/fork.h"

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18 /* Linux 4.14; older headers lack it */
#endif

struct plait__fork_state plait__fork_state;

/* The mark is nonzero until a fork wipes it. */
static at_u32 *map_mark(size_t bytes)
{
	at_u32 *mark = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mark == MAP_FAILED)
		return NULL;
	if (madvise(mark, bytes, MADV_WIPEONFORK) != 0) {
		munmap(mark, bytes);
		return NULL;
	}
	at_init_u32(mark, 1);
	return mark;
}

int plait__fork_init(void)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	uint32_t unset = 0;
	void *none = NULL;
	at_u32 *mark;

	/* The first process to call this is recorded; its children are
	 * detected. */
	(void)at_cas_u32(&plait__fork_state.pid, &unset, (uint32_t)getpid());
	if (at_load_acquire_ptr(&plait__fork_state.mark) != NULL)
		return 0;
	if (plait__fork_check_pid() != 0)
		return 0;
	mark = map_mark(bytes);
	if (mark == NULL)
		/* Check_pid detects forks, at the cost of a system call. */
		return 0;
	/* Release: publishes the page; pairs with the load in check. */
	if (!at_cas_ptr(&plait__fork_state.mark, &none, mark))
		munmap(mark, bytes);
	return 0;
}

int32_t plait__fork_check_pid(void)
{
	uint32_t pid = at_load_relaxed_u32(&plait__fork_state.pid);

	if (pid == 0 || pid == (uint32_t)getpid())
		return 0;
	return (int32_t)pid;
}
