/* SPDX-License-Identifier: MIT */
/*
 * The minimum `size` that a caller may pass for each sized struct: its size
 * when it was introduced. The values are constants, because a struct that grows
 * must accept programs that were built before; they never change, and a new
 * struct gets a line with its first size (t/abi/structs.t checks). They apply to
 * machines with 64-bit pointers.
 */
#ifndef PLAIT_SRC_BASE_MIN_STRUCT_SIZES_H
#define PLAIT_SRC_BASE_MIN_STRUCT_SIZES_H

_Static_assert(sizeof(void *) == 8, "plait is for 64-bit machines: others need "
	       "least sizes of their own in src/base/min_struct_sizes.h");

#define PLAIT__MIN_STRUCT_SIZES(X)				\
	X(plait_allocator, 24)				\
	X(plait_context_desc, 72)			\
	X(plait_device_info, 400)			\
	X(plait_link_info, 24)				\
	X(plait_buffer_desc, 32)			\
	X(plait_wrap_desc, 72)				\
	X(plait_array, 288)				\
	X(plait_import_desc, 24)			\
	X(plait_event, 80)				\
	X(plait_signal_desc, 16)			\
	X(plait_queue_desc, 40)				\
	X(plait_rows, 56)				\
	X(plait_command, 128)				\
	X(plait_source, 72)				\
	X(plait_launch, 56)				\
	X(plait_kernel_desc, 32)			\
	X(plait_argument, 64)				\
	X(plait_node_desc, 240)				\
	X(plait_series, 32)				\
	X(plait_freeze_desc, 72)			\
	X(plait_plan_info, 112)				\
	X(plait_system_desc, 40)			\
	X(plait_simulation, 48)				\
	X(plait_lane_use, 56)				\
	X(plait_critical_command, 48)			\
	X(plait_plan_binding, 40)			\
	X(plait_function_desc, 32)			\
	X(plait_parameter_info, 112)			\
	X(plait_binding, 40)				\
	X(plait_run_desc, 24)				\
	X(plait_run_info, 56)				\
	X(plait_command_info, 80)			\
	X(plait_callable_desc, 32)			\
	X(plait_record, 64)				\
	X(plait_tune_desc, 24)				\
	X(plait_tune_info, 40)				\
	X(plait_coll_promise, 40)			\
	X(plait_proof_desc, 48)				\
	X(plait_proof, 56)				\
	X(plait_coll_desc, 64)				\
	X(plait_chunk_place, 40)			\
	X(plait_compile_desc, 56)			\
	X(plait_schedule_info, 120)			\
	X(plait_collective_desc, 56)			\
	X(plait_coll_simulation, 64)			\
	X(plait_world_desc, 56)		\
	X(plait_world_info, 24)		\
	X(plait_collective_run, 80)		\
	X(plait_flow_desc, 24)			\
	X(plait_data_desc, 64)			\
	X(plait_access, 24)			\
	X(plait_mapper, 72)			\
	X(plait_memories_desc, 16)		\
	X(plait_data_info, 72)			\
	X(plait_task_desc, 160)			\
	X(plait_flow_info, 64)

#define PLAIT__MIN_SIZE_ENUM(name, bytes) PLAIT__MIN_SIZE_##name = bytes,
enum { PLAIT__MIN_STRUCT_SIZES(PLAIT__MIN_SIZE_ENUM) };
#define PLAIT__MIN_SIZE(name) PLAIT__MIN_SIZE_##name

#endif
