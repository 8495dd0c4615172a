/* SPDX-License-Identifier: MIT */
/* Memory for stacks; see stack_memory.h. */
#include "sys/stack_memory.h"

#include <sys/mman.h>
#include <unistd.h>

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

size_t plait__stack_memory_round(size_t bytes)
{
	size_t page = page_bytes();

	return (bytes + page - 1) / page * page;
}

void *plait__stack_memory_map(size_t bytes)
{
	size_t page = page_bytes();
	char *base = mmap(NULL, bytes + page, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK |
			  MAP_NORESERVE, -1, 0);

	if (base == MAP_FAILED)
		return NULL;
	if (mprotect(base, page, PROT_NONE) == 0)
		return base + page;
	(void)munmap(base, bytes + page);
	return NULL;
}

void plait__stack_memory_unmap(void *low, size_t bytes)
{
	size_t page = page_bytes();

	(void)munmap((char *)low - page, bytes + page);
}
