/* SPDX-License-Identifier: MIT */
/* plait_sizeof: struct sizes, which language bindings compare with their
 * layouts. */
#include "plait/plait.h"
#include "plait/plugin.h"

#include "base/min_struct_sizes.h"

#include <stddef.h>
#include <string.h>

/* Structs only grow. */
#define GREW(name, bytes) \
	_Static_assert(bytes <= sizeof(name), #name " is shorter than it was");
PLAIT__MIN_STRUCT_SIZES(GREW)

#define KNOWN(name) { #name, sizeof(name) }

static const struct {
	const char *name;
	uint64_t bytes;
} known[] = {
	KNOWN(plait_error),
	KNOWN(plait_allocator),
	KNOWN(plait_context_desc),
	KNOWN(plait_device_info),
	KNOWN(plait_link_info),
	KNOWN(plait_buffer_desc),
	KNOWN(plait_wrap_desc),
	KNOWN(plait_array),
	KNOWN(plait_import_desc),
	KNOWN(plait_signal_desc),
	KNOWN(plait_point),
	KNOWN(plait_queue_desc),
	KNOWN(plait_rows),
	KNOWN(plait_command),
	KNOWN(plait_event),
	KNOWN(plait_source),
	KNOWN(plait_launch),
	KNOWN(plait_range),
	KNOWN(plait_kernel_desc),
	KNOWN(plait_argument),
	KNOWN(plait_node_desc),
	KNOWN(plait_series),
	KNOWN(plait_freeze_desc),
	KNOWN(plait_plan_info),
	KNOWN(plait_system_desc),
	KNOWN(plait_simulation),
	KNOWN(plait_lane_use),
	KNOWN(plait_critical_command),
	KNOWN(plait_plan_binding),
	KNOWN(plait_function_desc),
	KNOWN(plait_parameter_info),
	KNOWN(plait_binding),
	KNOWN(plait_run_desc),
	KNOWN(plait_run_info),
	KNOWN(plait_command_info),
	KNOWN(plait_callable_desc),
	KNOWN(plait_record),
	KNOWN(plait_tune_desc),
	KNOWN(plait_tune_info),
	KNOWN(plait_coll_promise),
	KNOWN(plait_proof_desc),
	KNOWN(plait_proof),
	KNOWN(plait_coll_desc),
	KNOWN(plait_chunk_place),
	KNOWN(plait_compile_desc),
	KNOWN(plait_schedule_info),
	KNOWN(plait_collective_desc),
	KNOWN(plait_coll_simulation),
	KNOWN(plait_world_desc),
	KNOWN(plait_world_info),
	KNOWN(plait_collective_run),
	KNOWN(plait_box),
	KNOWN(plait_flow_desc),
	KNOWN(plait_data_desc),
	KNOWN(plait_access),
	KNOWN(plait_mapper),
	KNOWN(plait_memories_desc),
	KNOWN(plait_data_info),
	KNOWN(plait_task_desc),
	KNOWN(plait_flow_info),
	KNOWN(plait_code_parameter),
	KNOWN(plait_code),
	KNOWN(plait_kernel_facts),
	KNOWN(plait_launch_argument),
	KNOWN(plait_launch_request),
	KNOWN(plait_host_part),
	KNOWN(plait_backend_device),
	KNOWN(plait_memory_request),
	KNOWN(plait_queue_request),
	KNOWN(plait_native_request),
	KNOWN(plait_backend_point),
	KNOWN(plait_work_times),
	KNOWN(plait_work_rows),
	KNOWN(plait_work),
	KNOWN(plait_submission),
	KNOWN(plait_segment_request),
	KNOWN(plait_host_services),
	KNOWN(plait_backend_table),
};

PLAIT_API uint64_t plait_sizeof(const char *name)
{
	size_t i;

	for (i = 0; name != NULL && i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(known[i].name, name) == 0)
			return known[i].bytes;
	return 0;
}
