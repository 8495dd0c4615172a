/* SPDX-License-Identifier: MIT */
/* Memory that ends at a page without access, with marked bytes in front of it. */
#ifndef T_FUZZ_GUARDED_H
#define T_FUZZ_GUARDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GUARDED_MARK = 0xa5 };

/* A page between two without access; the memory is its last bytes. */
struct guarded {
	uint8_t *page;
	uint8_t *bytes;
};

static inline bool guarded_make(struct guarded *memory, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *pages = mmap(NULL, 3 * page, PROT_NONE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return false;
	memory->page = pages + page;
	memory->bytes = pages + 2 * page - bytes;
	if (mprotect(memory->page, page, PROT_READ | PROT_WRITE) != 0)
		return false;
	memset(memory->page, GUARDED_MARK, page);
	return true;
}

static inline bool guarded_is_intact(const struct guarded *memory)
{
	for (const uint8_t *at = memory->page; at < memory->bytes; at++)
		if (*at != GUARDED_MARK)
			return false;
	return true;
}

#endif
