/* SPDX-License-Identifier: MIT */
/* Matrix of links; see links.h. */
#include "flow/policy/links.h"

#include "base/alloc.h"

#include <stddef.h>

/* Bytes per microsecond of one GB/s. */
enum { RATE_OF_GB = 1000 };

plait_status plait__links_init(plait__links *links,
			       const plait_allocator *allocator,
			       uint32_t count, uint32_t host)
{
	links->allocator = allocator;
	links->count = count;
	links->host = host;
	links->table = plait__alloc_array(allocator, (uint64_t)count * count,
					  sizeof(*links->table));
	return links->table != NULL ? PLAIT_OK : PLAIT_E_NOMEM;
}

void plait__links_fini(plait__links *links)
{
	plait__free(links->allocator, links->table,
		    (uint64_t)links->count * links->count *
		    sizeof(*links->table));
	links->table = NULL;
}

static plait__link *entry(const plait__links *links, uint32_t from,
			  uint32_t to)
{
	return &links->table[from * links->count + to];
}

void plait__links_set(plait__links *links, uint32_t from, uint32_t to,
		      uint64_t rate, uint64_t latency_ns)
{
	*entry(links, from, to) = (plait__link){ rate, latency_ns };
}

const plait__link *plait__links_get(const plait__links *links, uint32_t from,
				    uint32_t to)
{
	const plait__link *there = entry(links, from, to);

	return there->rate > 0 ? there : entry(links, to, from);
}

uint64_t plait__links_bandwidth(const plait__links *links, uint32_t a,
				uint32_t b)
{
	uint64_t there = plait__links_get(links, a, b)->rate;
	uint64_t back = plait__links_get(links, b, a)->rate;
	uint64_t mean = there / 2 + back / 2 + (there & back & 1);

	if (there == 0)
		return 0;
	return mean < RATE_OF_GB ? 1 : mean / RATE_OF_GB;
}

uint64_t plait__links_bandwidth_from(const plait__links *links, uint64_t valid,
				     uint32_t to, bool worst)
{
	uint64_t found = 0;

	if (valid >> to & 1)
		return UINT64_MAX;
	for (uint32_t from = 0; from < links->count; from++) {
		uint64_t one = valid >> from & 1 ?
			       plait__links_bandwidth(links, from, to) : 0;

		if (one > 0 && (found == 0 || (one < found) == worst))
			found = one;
	}
	return found;
}
