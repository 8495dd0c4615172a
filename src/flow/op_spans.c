/* SPDX-License-Identifier: MIT */
/* Spans of ops; see op_spans.h. */
#include "flow/op_spans.h"

#include "object/context/host_span.h"

#include <stdio.h>

enum { OWNER_BYTES = PLAIT__OBJECT_NAME_BYTES + 16 };

/* A plait__flow_lanes.span. */
static void tell(void *arg, uint32_t lane, const char *label,
		 uint64_t start_ns, uint64_t end_ns)
{
	const plait__flow *flow = arg;
	char name[PLAIT__OBJECT_NAME_BYTES], owner[OWNER_BYTES];

	snprintf(owner, sizeof(owner), "%s lane %u",
		 plait__object_name(&flow->object, name), lane);
	plait__host_span_tell(flow->spans, owner, label != NULL ? label : "task",
			      start_ns, end_ns);
}

void plait__op_spans_begin(plait__flow *flow)
{
	flow->spans = plait__host_span_find(flow->object.context);
	if (flow->spans != NULL)
		flow->lanes.span = tell;
}
