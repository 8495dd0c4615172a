/* SPDX-License-Identifier: MIT */
/* A probe mapping of executable memory; see exec.h. */
#include "sys/exec.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

enum { PROBE_BYTES = 4096 };

int plait__exec_query(void)
{
	void *page = mmap(NULL, PROBE_BYTES,
			  PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page != MAP_FAILED)
		return munmap(page, PROBE_BYTES), 0;
	/* Without memory the probe says nothing about permission. */
	return errno == ENOMEM ? 0 : -errno;
}
