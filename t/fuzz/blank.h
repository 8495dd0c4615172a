/* SPDX-License-Identifier: MIT */
/* Random node descriptors, made such that not all are refused. */
#ifndef T_FUZZ_BLANK_H
#define T_FUZZ_BLANK_H

#include <stddef.h>

#include "plait/graph.h"

/* A node with fields of other kinds is refused: mostly there are none. */
static inline void blank_others(plait_node_desc *desc)
{
	const plait_node_desc all = *desc;
	int reads = all.kind == PLAIT_NODE_READ;
	int writes = all.kind == PLAIT_NODE_WRITE;
	int copies = all.kind == PLAIT_NODE_COPY || reads || writes;
	int fills = all.kind == PLAIT_NODE_FILL;
	int region = all.kind >= PLAIT_NODE_WHILE &&
		     all.kind <= PLAIT_NODE_REPEAT;
	int repeats = all.kind == PLAIT_NODE_REPEAT;

	*desc = (plait_node_desc){
		.size = all.size, .kind = all.kind, .label = all.label,
		.cost = all.kind != PLAIT_NODE_SUBGRAPH ? all.cost : 0,
		.devices = all.devices, .device_count = all.device_count,
		.flags = all.flags & ~(uint32_t)PLAIT_CALL_ANY_THREAD,
		.pattern_bytes = fills ? all.pattern_bytes : 0,
		.source = copies && !writes ? all.source : NULL,
		.source_offset = copies && !writes ? all.source_offset : 0,
		.host_parameter = reads || writes ? all.host_parameter : NULL,
		.host_offset = reads || writes ? all.host_offset : 0,
		.sequence = all.kind == PLAIT_NODE_WAIT ? all.sequence : 0,
		.function = all.kind == PLAIT_NODE_CALL ||
			    (region && !repeats) ? all.function : NULL,
		.count_step = repeats ? all.count_step : 0,
		.count_parameter = repeats ? all.count_parameter : NULL,
	};
	if (all.kind == PLAIT_NODE_LAUNCH) {
		desc->kernel = all.kernel;
		desc->launch = all.launch;
		desc->launch_parameter = all.launch_parameter;
		desc->argument_count = all.argument_count;
		desc->arguments = all.arguments;
		desc->scratch_bytes = all.scratch_bytes;
		desc->series = all.series;
		desc->series_count = all.series_count;
	}
	if (copies || fills) {
		desc->target = reads ? NULL : all.target;
		desc->bytes = all.bytes;
		desc->target_offset = reads ? 0 : all.target_offset;
	}
	if (all.kind == PLAIT_NODE_EMIT || all.kind == PLAIT_NODE_WAIT)
		desc->signal = all.signal;
	if (all.kind == PLAIT_NODE_CASE)
		desc->branch_count = all.branch_count;
	else if (region)
		desc->times = all.times;
	if (region && desc->function == NULL) {
		desc->predicate = all.predicate;
		desc->predicate_offset = all.predicate_offset;
	} else if (desc->function != NULL) {
		desc->flags = all.flags;
	}
}

#endif
