/* SPDX-License-Identifier: MIT */
/* Links as backends tell them; see link_facts.h. */
#include "plugin/link_facts.h"

#include "plugin/guarded_error.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

/* Limits of figures: a second, and a petabyte per second. Sums of a few
 * latencies, and products with sizes of buffers, fit into 64 bits. */
enum { MOST_NS = 1000000000, MOST_BYTES_PER_US = 1000000000 };

/* A record for the answer, followed by a canary. */
struct guarded_link {
	plait_link_info record;
	unsigned char canary[PLAIT__CANARY_BYTES];
};

static const char *name_end(uint32_t end, char room[24])
{
	if (end == PLAIT_LINK_HOST)
		return "the host";
	(void)snprintf(room, 24, "device %u", (unsigned)end);
	return room;
}

static plait_status check_figures(const plait__backend *backend, uint32_t from,
				  uint32_t to, const plait_link_info *link,
				  plait_error *error)
{
	char source[24], target[24];

	if (link->latency_ns > MOST_NS)
		return plait__fail(error, PLAIT_E_INTERNAL,
				   "plugin %s: the link from %s to %s has a "
				   "latency of %llu ns; %d are possible",
				   backend->name, name_end(from, source),
				   name_end(to, target),
				   (unsigned long long)link->latency_ns,
				   MOST_NS);
	if (link->bytes_per_us > MOST_BYTES_PER_US)
		return plait__fail(error, PLAIT_E_INTERNAL,
				   "plugin %s: the link from %s to %s carries "
				   "%llu bytes in a microsecond; %d are "
				   "possible", backend->name,
				   name_end(from, source),
				   name_end(to, target),
				   (unsigned long long)link->bytes_per_us,
				   MOST_BYTES_PER_US);
	return PLAIT_OK;
}

plait_status plait__link_facts_query(const plait__backend *backend,
				     uint32_t from, uint32_t to,
				     plait_link_info *out, plait_error *error)
{
	struct guarded_link link;
	plait__guarded_error guarded;
	plait_status status;

	plait__guarded_error_init(&guarded);
	memset(&link, 0, sizeof(link));
	link.record.size = sizeof(link.record);
	plait__canary_init(link.canary);
	status = backend->table.link_query(backend->self, from, to,
					   &link.record, &guarded.record);
	if (!plait__canary_is_intact(link.canary))
		return plait__fail(error, PLAIT_E_INTERNAL,
				   "plugin %s: link_query wrote past the %zu "
				   "bytes of its result", backend->name,
				   sizeof(link.record));
	if (status == PLAIT_E_UNSUPPORTED) {
		memset(&link.record, 0, sizeof(link.record));
		status = PLAIT_OK;
	}
	status = plait__guarded_error_check(&guarded, status, backend->name,
					    "link_query", error);
	if (status == PLAIT_OK)
		status = check_figures(backend, from, to, &link.record, error);
	if (status != PLAIT_OK)
		return status;
	*out = link.record;
	out->size = sizeof(*out);
	out->flags &= PLAIT_LINK_DIRECT;
	return PLAIT_OK;
}
