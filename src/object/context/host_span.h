/* SPDX-License-Identifier: MIT */
/* Spans of work that threads of the host run outside of queues, for the
 * interposers that record them. */
#ifndef PLAIT_SRC_OBJECT_CONTEXT_HOST_SPAN_H
#define PLAIT_SRC_OBJECT_CONTEXT_HOST_SPAN_H

#include "object/context/context.h"

/* A backend of the context that takes spans, or null: none are to be
 * measured. */
const plait__backend *plait__host_span_find(const plait__context *context);

/* Tell the backend of a span.  By any thread, while the context lives. */
void plait__host_span_tell(const plait__backend *backend, const char *owner,
			   const char *label, uint64_t start_ns,
			   uint64_t end_ns);

#endif
