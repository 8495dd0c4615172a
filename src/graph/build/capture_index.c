/* SPDX-License-Identifier: MIT */
/* Index of a capture: queues, signals and addresses of the host. */
#include "graph/build/capture.h"

uint32_t plait__capture_index_find(const plait__capture *capture, uint32_t kind,
				   const void *address)
{
	return plait__index_find_hash(&capture->index, kind,
				      (uintptr_t)address);
}

int plait__capture_index_add(plait__capture *capture, uint32_t kind,
			     const void *address, uint32_t at)
{
	const plait__index_key key = { .kind = kind,
				       .hash = (uintptr_t)address };

	if (plait__index_reserve(&capture->index, plait__context_allocator(
				 capture->base.object.context)) != 0)
		return -1;
	plait__index_add(&capture->index, &key, at);
	return 0;
}
