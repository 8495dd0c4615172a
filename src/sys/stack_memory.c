/* SPDX-License-Identifier: MIT */
/* Memory for stacks; see stack_memory.h. */
#include "sys/stack_memory.h"

#include <sys/mman.h>
#include <unistd.h>

/* Since Linux 6.13; headers of libraries are older. */
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

size_t plait__stack_memory_page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

void *plait__stack_memory_map(size_t bytes)
{
	void *low = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK |
			 MAP_NORESERVE, -1, 0);

	if (low == MAP_FAILED)
		return NULL;
	/* A huge page would commit many stacks when one is touched. */
	(void)madvise(low, bytes, MADV_NOHUGEPAGE);
	return low;
}

void plait__stack_memory_unmap(void *low, size_t bytes)
{
	(void)munmap(low, bytes);
}

bool plait__stack_memory_guards_by_mark(void *page)
{
	return madvise(page, plait__stack_memory_page_bytes(),
		       MADV_GUARD_INSTALL) == 0;
}

bool plait__stack_memory_guard(void *page)
{
	return plait__stack_memory_guards_by_mark(page) ||
	       mprotect(page, plait__stack_memory_page_bytes(),
			PROT_NONE) == 0;
}

void plait__stack_memory_discard(void *low, size_t bytes)
{
	(void)madvise(low, bytes, MADV_DONTNEED);
}
