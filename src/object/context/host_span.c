/* SPDX-License-Identifier: MIT */
/* Spans of work outside of queues; see host_span.h. */
#include "object/context/host_span.h"

const plait__backend *plait__host_span_find(const plait__context *context)
{
	for (uint32_t i = 0; i < context->port_count; i++)
		if (context->ports[i].backend->table.host_span != NULL)
			return context->ports[i].backend;
	return NULL;
}

void plait__host_span_tell(const plait__backend *backend, const char *owner,
			   const char *label, uint64_t start_ns,
			   uint64_t end_ns)
{
	const plait_work_times times = { start_ns, end_ns };

	backend->table.host_span(backend->self, owner, label, &times);
}
