// SPDX-License-Identifier: MIT
// Made by bindings/generate.py from include/plait/*.h; do not edit.

pub type plait_status = i32;
pub type plait_log_level = i32;
pub type plait_object_kind = i32;
pub type plait_image_format = u32;
pub type plait_sampler_flags = u32;
pub type plait_context_flags = u32;
pub type plait_device_capabilities = u32;
pub type plait_buffer_flags = u32;
pub type plait_call_flags = u32;
pub type plait_wrap_flags = u32;
pub type plait_map_flags = u32;
pub type plait_element = u32;
pub type plait_array_flags = u32;
pub type plait_tensor_flags = u32;
pub type plait_event_kind = u32;
pub type plait_signal_flags = u32;
pub type plait_wait_mode = i32;
pub type plait_argument_kind = u32;
pub type plait_series_flags = u32;
pub type plait_command_kind = u32;
pub type plait_native_kind = u32;
pub type plait_source_form = u32;
pub type plait_source_flags = u32;
pub type plait_function_form = u32;
pub type plait_kernel_flags = u32;
pub type plait_node = u64;
pub type plait_node_kind = u32;
pub type plait_node_flags = u32;
pub type plait_rotation_flags = u32;
pub type plait_policy = u32;
pub type plait_mode = u32;
pub type plait_freeze_flags = u32;
pub type plait_plan_format = i32;
pub type plait_binding_kind = u32;
pub type plait_binding_flags = u32;
pub type plait_parameter_kind = u32;
pub type plait_run_flags = u32;
pub type plait_record_kind = u32;
pub type plait_trace_format = i32;
pub type plait_coll_kind = u32;
pub type plait_coll_target = u32;
pub type plait_schedule_format = i32;
pub type plait_proof_reason = u32;
pub type plait_proof_flags = u32;
pub type plait_proof_desc_flags = u32;
pub type plait_chunk = u64;
pub type plait_chunk_buffer = u32;
pub type plait_coll_flags = u32;
pub type plait_chunk_place_flags = u32;
pub type plait_coll_protocol = u32;
pub type plait_compile_flags = u32;
pub type plait_schedule_flags = u32;
pub type plait_reduction = u32;
pub type plait_mapper_kind = u32;
pub type plait_mapper_flags = u32;
pub type plait_device_choice = u32;
pub type plait_parent_choice = u32;
pub type plait_lane_choice = u32;
pub type plait_access_mode = u32;
pub type plait_access_flags = u32;
pub type plait_advice = u32;
pub type plait_task = u64;
pub type plait_flow_flags = u32;
pub type plait_task_kind = u32;
pub type plait_task_flags = u32;
pub type plait_capture_flags = u32;
pub type plait_link_flags = u32;
pub type plait_flow_format = i32;
pub type plait_memory_peers = u32;
pub type plait_memories_flags = u32;
pub type plait_code_parameter_flags = u32;
pub type plait_code_flags = u32;
pub const PLAIT_VERSION_MAJOR: u32 = 0;
pub const PLAIT_VERSION_MINOR: u32 = 1;
pub const PLAIT_VERSION_PATCH: u32 = 0;
pub const PLAIT_ABI: u32 = 1;
pub const PLAIT_OK: plait_status = 0;
pub const PLAIT_PENDING: plait_status = 1;
pub const PLAIT_EVENT_READY: plait_status = 2;
pub const PLAIT_E_INVALID: plait_status = -1;
pub const PLAIT_E_HANDLE: plait_status = -2;
pub const PLAIT_E_NOMEM: plait_status = -3;
pub const PLAIT_E_UNSUPPORTED: plait_status = -4;
pub const PLAIT_E_UNAVAILABLE: plait_status = -5;
pub const PLAIT_E_STATE: plait_status = -6;
pub const PLAIT_E_BUSY: plait_status = -7;
pub const PLAIT_E_TIMEOUT: plait_status = -8;
pub const PLAIT_E_CANCELLED: plait_status = -9;
pub const PLAIT_E_FAILED: plait_status = -10;
pub const PLAIT_E_LOST: plait_status = -11;
pub const PLAIT_E_THREAD: plait_status = -12;
pub const PLAIT_E_DEADLOCK: plait_status = -13;
pub const PLAIT_E_FORKED: plait_status = -14;
pub const PLAIT_E_INTERNAL: plait_status = -15;
pub const PLAIT_ERROR_TEXT_BYTES: u32 = 232;
pub const PLAIT_LOG_DEFAULT: plait_log_level = 0;
pub const PLAIT_LOG_NONE: plait_log_level = 1;
pub const PLAIT_LOG_ERROR: plait_log_level = 2;
pub const PLAIT_LOG_WARNING: plait_log_level = 3;
pub const PLAIT_LOG_INFO: plait_log_level = 4;
pub const PLAIT_LOG_DEBUG: plait_log_level = 5;
pub const PLAIT_OBJECT_ANY: plait_object_kind = 0;
pub const PLAIT_OBJECT_CONTEXT: plait_object_kind = 1;
pub const PLAIT_OBJECT_DEVICE: plait_object_kind = 2;
pub const PLAIT_OBJECT_QUEUE: plait_object_kind = 3;
pub const PLAIT_OBJECT_SIGNAL: plait_object_kind = 4;
pub const PLAIT_OBJECT_BUFFER: plait_object_kind = 5;
pub const PLAIT_OBJECT_INBOX: plait_object_kind = 6;
pub const PLAIT_OBJECT_KERNEL: plait_object_kind = 7;
pub const PLAIT_OBJECT_GRAPH: plait_object_kind = 8;
pub const PLAIT_OBJECT_PLAN: plait_object_kind = 9;
pub const PLAIT_OBJECT_RUN: plait_object_kind = 10;
pub const PLAIT_OBJECT_CALLABLE: plait_object_kind = 11;
pub const PLAIT_OBJECT_SCHEDULE: plait_object_kind = 12;
pub const PLAIT_OBJECT_COLL: plait_object_kind = 13;
pub const PLAIT_OBJECT_FLOW: plait_object_kind = 14;
pub const PLAIT_OBJECT_DATA: plait_object_kind = 15;
pub const PLAIT_OBJECT_WORLD: plait_object_kind = 16;
pub const PLAIT_OBJECT_COLLECTIVE: plait_object_kind = 17;
pub const PLAIT_IMAGE_NONE: plait_image_format = 0;
pub const PLAIT_IMAGE_R32F: plait_image_format = 1;
pub const PLAIT_IMAGE_RGBA32F: plait_image_format = 2;
pub const PLAIT_IMAGE_RGBA8: plait_image_format = 3;
pub const PLAIT_SAMPLER_LINEAR: plait_sampler_flags = 1;
pub const PLAIT_SAMPLER_ZERO: plait_sampler_flags = 2;
pub const PLAIT_CONTEXT_NO_WORKERS: plait_context_flags = 1;
pub const PLAIT_CONTEXT_SYNC: plait_context_flags = 2;
pub const PLAIT_DEVICE_MAP: plait_device_capabilities = 1;
pub const PLAIT_DEVICE_WRAP: plait_device_capabilities = 2;
pub const PLAIT_DEVICE_HOST_CALL: plait_device_capabilities = 4;
pub const PLAIT_DEVICE_GATE: plait_device_capabilities = 8;
pub const PLAIT_DEVICE_NOTIFY: plait_device_capabilities = 16;
pub const PLAIT_DEVICE_NEEDS_PUMP: plait_device_capabilities = 32;
pub const PLAIT_DEVICE_VIRTUAL_TIME: plait_device_capabilities = 64;
pub const PLAIT_DEVICE_NATIVE: plait_device_capabilities = 128;
pub const PLAIT_DEVICE_SEGMENT: plait_device_capabilities = 256;
pub const PLAIT_DEVICE_ROWS: plait_device_capabilities = 512;
pub const PLAIT_DEVICE_REGION: plait_device_capabilities = 1024;
pub const PLAIT_DEVICE_LASTS: plait_device_capabilities = 2048;
pub const PLAIT_DEVICE_HOST: plait_device_capabilities = 4096;
pub const PLAIT_DEVICE_POLLS: plait_device_capabilities = 8192;
pub const PLAIT_DEVICE_IMAGE: plait_device_capabilities = 16384;
pub const PLAIT_BUFFER_TEMPORARY: plait_buffer_flags = 1;
pub const PLAIT_CALL_ANY_THREAD: plait_call_flags = 1;
pub const PLAIT_CALL_COROUTINE: plait_call_flags = 4;
pub const PLAIT_CALL_FIRST_WORKER: plait_call_flags = 8;
pub const PLAIT_WRAP_READ_ONLY: plait_wrap_flags = 2;
pub const PLAIT_MAP_READ: plait_map_flags = 1;
pub const PLAIT_MAP_WRITE: plait_map_flags = 2;
pub const PLAIT_ARRAY_MAX_DIMENSIONS: u32 = 16;
pub const PLAIT_ELEMENT_INT: plait_element = 0;
pub const PLAIT_ELEMENT_UINT: plait_element = 1;
pub const PLAIT_ELEMENT_FLOAT: plait_element = 2;
pub const PLAIT_ELEMENT_BFLOAT: plait_element = 4;
pub const PLAIT_ELEMENT_COMPLEX: plait_element = 5;
pub const PLAIT_ELEMENT_BOOL: plait_element = 6;
pub const PLAIT_ARRAY_READ_ONLY: plait_array_flags = 1;
pub const PLAIT_ARRAY_OVERLAPS: plait_array_flags = 2;
pub const PLAIT_ARRAY_COMPACT: plait_array_flags = 4;
pub const PLAIT_TENSOR_LEGACY: plait_tensor_flags = 16;
pub const PLAIT_EVENT_CALL: plait_event_kind = 1;
pub const PLAIT_EVENT_SIGNAL: plait_event_kind = 2;
pub const PLAIT_EVENT_RELEASED: plait_event_kind = 3;
pub const PLAIT_EVENT_RUN: plait_event_kind = 4;
pub const PLAIT_EVENT_TASK: plait_event_kind = 5;
pub const PLAIT_EVENT_STOPPED: plait_event_kind = 6;
pub const PLAIT_SIGNAL_GATE: plait_signal_flags = 1;
pub const PLAIT_WAIT_ALL: plait_wait_mode = 0;
pub const PLAIT_WAIT_ANY: plait_wait_mode = 1;
pub const PLAIT_ARGUMENT_VALUE: plait_argument_kind = 0;
pub const PLAIT_ARGUMENT_BUFFER: plait_argument_kind = 1;
pub const PLAIT_ARGUMENT_PARAMETER: plait_argument_kind = 2;
pub const PLAIT_ARGUMENT_ROTATION: plait_argument_kind = 3;
pub const PLAIT_ARGUMENT_ITERATION: plait_argument_kind = 4;
pub const PLAIT_ARGUMENT_SCRATCH: plait_argument_kind = 5;
pub const PLAIT_ARGUMENT_LOCAL: plait_argument_kind = 6;
pub const PLAIT_ARGUMENT_DATA: plait_argument_kind = 7;
pub const PLAIT_ARGUMENT_ACCESS: plait_argument_kind = 8;
pub const PLAIT_ARGUMENT_CHUNK: plait_argument_kind = 9;
pub const PLAIT_ARGUMENT_HOST: plait_argument_kind = 10;
pub const PLAIT_SERIES_FROM_COUNT: plait_series_flags = 1;
pub const PLAIT_COMMAND_NOP: plait_command_kind = 0;
pub const PLAIT_COMMAND_CALL: plait_command_kind = 1;
pub const PLAIT_COMMAND_COPY: plait_command_kind = 2;
pub const PLAIT_COMMAND_FILL: plait_command_kind = 3;
pub const PLAIT_COMMAND_READ: plait_command_kind = 4;
pub const PLAIT_COMMAND_WRITE: plait_command_kind = 5;
pub const PLAIT_COMMAND_WAIT: plait_command_kind = 6;
pub const PLAIT_COMMAND_EMIT: plait_command_kind = 7;
pub const PLAIT_COMMAND_LAUNCH: plait_command_kind = 8;
pub const PLAIT_NATIVE_POINTER: plait_native_kind = 1;
pub const PLAIT_NATIVE_CL_PLATFORM: plait_native_kind = 16;
pub const PLAIT_NATIVE_CL_DEVICE: plait_native_kind = 17;
pub const PLAIT_NATIVE_CL_CONTEXT: plait_native_kind = 18;
pub const PLAIT_NATIVE_CL_QUEUE: plait_native_kind = 19;
pub const PLAIT_NATIVE_CL_MEMORY: plait_native_kind = 20;
pub const PLAIT_NATIVE_CU_DEVICE: plait_native_kind = 32;
pub const PLAIT_NATIVE_CU_CONTEXT: plait_native_kind = 33;
pub const PLAIT_NATIVE_CU_STREAM: plait_native_kind = 34;
pub const PLAIT_NATIVE_CU_POINTER: plait_native_kind = 35;
pub const PLAIT_NATIVE_MPI_COMM: plait_native_kind = 48;
pub const PLAIT_SOURCE_PORTABLE: plait_source_form = 0;
pub const PLAIT_SOURCE_C: plait_source_form = 1;
pub const PLAIT_SOURCE_OPENCL_C: plait_source_form = 2;
pub const PLAIT_SOURCE_OPENCL_BINARY: plait_source_form = 3;
pub const PLAIT_SOURCE_SPIRV: plait_source_form = 4;
pub const PLAIT_SOURCE_CUDA_C: plait_source_form = 5;
pub const PLAIT_SOURCE_PTX: plait_source_form = 6;
pub const PLAIT_SOURCE_CUBIN: plait_source_form = 7;
pub const PLAIT_SOURCE_STRICT: plait_source_flags = 1;
pub const PLAIT_SOURCE_FAST: plait_source_flags = 2;
pub const PLAIT_SOURCE_NO_ALIAS: plait_source_flags = 4;
pub const PLAIT_FORM_DESCRIBED: plait_function_form = 0;
pub const PLAIT_FORM_FIXED: plait_function_form = 1;
pub const PLAIT_FORM_RANGE: plait_function_form = 2;
pub const PLAIT_KERNEL_COROUTINE: plait_kernel_flags = 1;
pub const PLAIT_KERNEL_FIRST_WORKER: plait_kernel_flags = 2;
pub const PLAIT_NODE_JOIN: plait_node_kind = 0;
pub const PLAIT_NODE_LAUNCH: plait_node_kind = 1;
pub const PLAIT_NODE_CALL: plait_node_kind = 2;
pub const PLAIT_NODE_COPY: plait_node_kind = 3;
pub const PLAIT_NODE_FILL: plait_node_kind = 4;
pub const PLAIT_NODE_EMIT: plait_node_kind = 5;
pub const PLAIT_NODE_WAIT: plait_node_kind = 6;
pub const PLAIT_NODE_MARK: plait_node_kind = 7;
pub const PLAIT_NODE_SUBGRAPH: plait_node_kind = 8;
pub const PLAIT_NODE_WHILE: plait_node_kind = 9;
pub const PLAIT_NODE_DO: plait_node_kind = 10;
pub const PLAIT_NODE_CASE: plait_node_kind = 11;
pub const PLAIT_NODE_REPEAT: plait_node_kind = 12;
pub const PLAIT_NODE_READ: plait_node_kind = 13;
pub const PLAIT_NODE_WRITE: plait_node_kind = 14;
pub const PLAIT_NODE_COLLECTIVE: plait_node_kind = 15;
pub const PLAIT_NODE_ON_FIRST: plait_node_flags = 0;
pub const PLAIT_NODE_ON_ALL_BARRIER: plait_node_flags = 16;
pub const PLAIT_NODE_ON_ALL_GROUP: plait_node_flags = 32;
pub const PLAIT_NODE_FREE: plait_node_flags = 64;
pub const PLAIT_ROTATION_PROLOGUE: plait_rotation_flags = 1;
pub const PLAIT_POLICY_BOUNDED: plait_policy = 0;
pub const PLAIT_POLICY_WIDEST: plait_policy = 1;
pub const PLAIT_MODE_STRICT: plait_mode = 0;
pub const PLAIT_MODE_HELPED: plait_mode = 1;
pub const PLAIT_MODE_AUTO: plait_mode = 2;
pub const PLAIT_FREEZE_CHECK: plait_freeze_flags = 1;
pub const PLAIT_FREEZE_QUEUES: plait_freeze_flags = 2;
pub const PLAIT_FREEZE_PROGRAM_ORDER: plait_freeze_flags = 4;
pub const PLAIT_FORMAT_BINARY: plait_plan_format = 0;
pub const PLAIT_FORMAT_JSON: plait_plan_format = 1;
pub const PLAIT_FORMAT_DOT: plait_plan_format = 2;
pub const PLAIT_FORMAT_SVG: plait_plan_format = 3;
pub const PLAIT_BINDING_KERNEL: plait_binding_kind = 0;
pub const PLAIT_BINDING_BUFFER: plait_binding_kind = 1;
pub const PLAIT_BINDING_SIGNAL: plait_binding_kind = 2;
pub const PLAIT_BINDING_FUNCTION: plait_binding_kind = 3;
pub const PLAIT_BINDING_DEVICE: plait_binding_kind = 4;
pub const PLAIT_BINDING_IS_ANY_THREAD: plait_binding_flags = 1;
pub const PLAIT_BINDING_IS_EMITTED: plait_binding_flags = 2;
pub const PLAIT_BINDING_IS_PREDICATE: plait_binding_flags = 4;
pub const PLAIT_BINDING_IS_COROUTINE: plait_binding_flags = 8;
pub const PLAIT_BINDING_IS_FIRST_WORKER: plait_binding_flags = 16;
pub const PLAIT_PARAMETER_VALUE: plait_parameter_kind = 0;
pub const PLAIT_PARAMETER_BUFFER: plait_parameter_kind = 1;
pub const PLAIT_PARAMETER_LAUNCH: plait_parameter_kind = 2;
pub const PLAIT_PARAMETER_HOST: plait_parameter_kind = 3;
pub const PLAIT_RUN_NO_WAIT: plait_run_flags = 1;
pub const PLAIT_RUN_SERIAL: plait_run_flags = 4;
pub const PLAIT_RUN_PARALLEL: plait_run_flags = 8;
pub const PLAIT_RUN_RECORD: plait_run_flags = 16;
pub const PLAIT_RUN_OVERLAP: plait_run_flags = 32;
pub const PLAIT_RECORD_COMMAND: plait_record_kind = 0;
pub const PLAIT_RECORD_WAIT: plait_record_kind = 1;
pub const PLAIT_RECORD_DECISION: plait_record_kind = 2;
pub const PLAIT_TRACE_JSON: plait_trace_format = 0;
pub const PLAIT_TRACE_SVG: plait_trace_format = 1;
pub const PLAIT_COLL_CUSTOM: plait_coll_kind = 0;
pub const PLAIT_COLL_ALLREDUCE: plait_coll_kind = 1;
pub const PLAIT_COLL_ALLGATHER: plait_coll_kind = 2;
pub const PLAIT_COLL_REDUCE_SCATTER: plait_coll_kind = 3;
pub const PLAIT_COLL_ALLTOALL: plait_coll_kind = 4;
pub const PLAIT_COLL_BROADCAST: plait_coll_kind = 5;
pub const PLAIT_COLL_REDUCE: plait_coll_kind = 6;
pub const PLAIT_COLL_GATHER: plait_coll_kind = 7;
pub const PLAIT_COLL_SCATTER: plait_coll_kind = 8;
pub const PLAIT_COLL_ALLTONEXT: plait_coll_kind = 9;
pub const PLAIT_TARGET_PLAIT: plait_coll_target = 0;
pub const PLAIT_TARGET_MSCCL: plait_coll_target = 1;
pub const PLAIT_TARGET_EXECUTOR: plait_coll_target = 2;
pub const PLAIT_TARGET_RCCL: plait_coll_target = 3;
pub const PLAIT_SCHEDULE_XML_MSCCL: plait_schedule_format = 1;
pub const PLAIT_SCHEDULE_XML_EXECUTOR: plait_schedule_format = 2;
pub const PLAIT_SCHEDULE_XML_RCCL: plait_schedule_format = 3;
pub const PLAIT_SCHEDULE_BINARY: plait_schedule_format = 4;
pub const PLAIT_PROOF_PROVED: plait_proof_reason = 0;
pub const PLAIT_PROOF_SHAPE: plait_proof_reason = 1;
pub const PLAIT_PROOF_DEADLOCK: plait_proof_reason = 2;
pub const PLAIT_PROOF_RACE: plait_proof_reason = 3;
pub const PLAIT_PROOF_VALUE: plait_proof_reason = 4;
pub const PLAIT_PROOF_SAME_BITS: plait_proof_flags = 1;
pub const PLAIT_PROOF_EXPORTS_MSCCL: plait_proof_flags = 2;
pub const PLAIT_PROOF_EXPORTS_EXECUTOR: plait_proof_flags = 4;
pub const PLAIT_PROOF_EXPORTS_RCCL: plait_proof_flags = 8;
pub const PLAIT_PROOF_HAS_TARGET: plait_proof_desc_flags = 1;
pub const PLAIT_PROOF_HAS_KIND: plait_proof_desc_flags = 2;
pub const PLAIT_PROOF_HAS_PROMISES: plait_proof_desc_flags = 4;
pub const PLAIT_CHUNK_INPUT: plait_chunk_buffer = 0;
pub const PLAIT_CHUNK_OUTPUT: plait_chunk_buffer = 1;
pub const PLAIT_CHUNK_SCRATCH: plait_chunk_buffer = 2;
pub const PLAIT_COLL_IN_PLACE: plait_coll_flags = 1;
pub const PLAIT_CHUNK_HAS_BUFFER: plait_chunk_place_flags = 1;
pub const PLAIT_CHUNK_HAS_CHANNEL: plait_chunk_place_flags = 2;
pub const PLAIT_CHUNK_HAS_LANES: plait_chunk_place_flags = 4;
pub const PLAIT_CHUNK_APPEND: plait_chunk_place_flags = 8;
pub const PLAIT_PROTOCOL_AUTO: plait_coll_protocol = 0;
pub const PLAIT_PROTOCOL_SIMPLE: plait_coll_protocol = 1;
pub const PLAIT_PROTOCOL_LL: plait_coll_protocol = 2;
pub const PLAIT_PROTOCOL_LL128: plait_coll_protocol = 3;
pub const PLAIT_COMPILE_NO_FUSION: plait_compile_flags = 1;
pub const PLAIT_COMPILE_SEPARATE_LANES: plait_compile_flags = 2;
pub const PLAIT_COMPILE_AGGREGATE: plait_compile_flags = 4;
pub const PLAIT_SCHEDULE_IN_PLACE: plait_schedule_flags = 1;
pub const PLAIT_REDUCE_SUM: plait_reduction = 0;
pub const PLAIT_REDUCE_PROD: plait_reduction = 1;
pub const PLAIT_REDUCE_MIN: plait_reduction = 2;
pub const PLAIT_REDUCE_MAX: plait_reduction = 3;
pub const PLAIT_MAPPER_ALL: plait_mapper_kind = 0;
pub const PLAIT_MAPPER_ONE_TO_ONE: plait_mapper_kind = 1;
pub const PLAIT_MAPPER_SLICE: plait_mapper_kind = 2;
pub const PLAIT_MAPPER_NEIGHBORHOOD: plait_mapper_kind = 3;
pub const PLAIT_MAPPER_FIXED: plait_mapper_kind = 4;
pub const PLAIT_MAPPER_EVEN_SPLIT: plait_mapper_kind = 5;
pub const PLAIT_MAPPER_BOXES: plait_mapper_kind = 6;
pub const PLAIT_MAPPER_FUNCTION: plait_mapper_kind = 7;
pub const PLAIT_MAPPER_NO_CORNERS: plait_mapper_flags = 1;
pub const PLAIT_CHOOSE_EARLIEST: plait_device_choice = 0;
pub const PLAIT_CHOOSE_SINGLE: plait_device_choice = 1;
pub const PLAIT_CHOOSE_ROUND_ROBIN: plait_device_choice = 2;
pub const PLAIT_CHOOSE_STREAM_AWARE: plait_device_choice = 3;
pub const PLAIT_CHOOSE_MIN_SIZE: plait_device_choice = 4;
pub const PLAIT_CHOOSE_MINMIN_TIME: plait_device_choice = 5;
pub const PLAIT_CHOOSE_MINMAX_TIME: plait_device_choice = 6;
pub const PLAIT_PARENT_BEST: plait_parent_choice = 0;
pub const PLAIT_PARENT_SAME: plait_parent_choice = 1;
pub const PLAIT_PARENT_DISJOINT: plait_parent_choice = 2;
pub const PLAIT_PARENT_EARLY_DISJOINT: plait_parent_choice = 3;
pub const PLAIT_PARENT_DEVICE_DISJOINT: plait_parent_choice = 4;
pub const PLAIT_LANE_REUSE: plait_lane_choice = 0;
pub const PLAIT_LANE_ALWAYS_NEW: plait_lane_choice = 1;
pub const PLAIT_ACCESS_BY_SIGNATURE: plait_access_mode = 0;
pub const PLAIT_ACCESS_READ: plait_access_mode = 1;
pub const PLAIT_ACCESS_WRITE: plait_access_mode = 2;
pub const PLAIT_ACCESS_READ_WRITE: plait_access_mode = 3;
pub const PLAIT_ACCESS_REDUCE: plait_access_mode = 4;
pub const PLAIT_ACCESS_ACCUMULATE: plait_access_flags = 1;
pub const PLAIT_ADVISE_PREFETCH: plait_advice = 0;
pub const PLAIT_ADVISE_RESERVE: plait_advice = 1;
pub const PLAIT_ADVISE_EVICT: plait_advice = 2;
pub const PLAIT_FLOW_RECORD: plait_flow_flags = 1;
pub const PLAIT_FLOW_STRICT: plait_flow_flags = 2;
pub const PLAIT_FLOW_CHECK: plait_flow_flags = 4;
pub const PLAIT_FLOW_FIXED: plait_flow_flags = 8;
pub const PLAIT_FLOW_REPEATS: plait_flow_flags = 16;
pub const PLAIT_TASK_LAUNCH: plait_task_kind = 0;
pub const PLAIT_TASK_CALL: plait_task_kind = 1;
pub const PLAIT_TASK_COPY: plait_task_kind = 2;
pub const PLAIT_TASK_FILL: plait_task_kind = 3;
pub const PLAIT_TASK_READ: plait_task_kind = 4;
pub const PLAIT_TASK_WRITE: plait_task_kind = 5;
pub const PLAIT_TASK_PLAN: plait_task_kind = 6;
pub const PLAIT_TASK_EMIT: plait_task_kind = 7;
pub const PLAIT_TASK_WAIT: plait_task_kind = 8;
pub const PLAIT_TASK_NO_WAIT: plait_task_flags = 16;
pub const PLAIT_TASK_BARRIER: plait_task_flags = 32;
pub const PLAIT_TASK_COLLECTIVE: plait_task_flags = 64;
pub const PLAIT_CAPTURE_LOCAL_SIGNALS: plait_capture_flags = 1;
pub const PLAIT_CAPTURE_NO_CALLS: plait_capture_flags = 2;
pub const PLAIT_LINK_DIRECT: plait_link_flags = 1;
pub const PLAIT_LINK_SHARED: plait_link_flags = 2;
pub const PLAIT_LINK_LATENCY_ASSUMED: plait_link_flags = 4;
pub const PLAIT_LINK_BANDWIDTH_ASSUMED: plait_link_flags = 8;
pub const PLAIT_FLOW_TEXT: plait_flow_format = 0;
pub const PLAIT_FLOW_JSON: plait_flow_format = 1;
pub const PLAIT_FLOW_DOT: plait_flow_format = 2;
pub const PLAIT_FLOW_SVG: plait_flow_format = 3;
pub const PLAIT_PEERS_ALL: plait_memory_peers = 0;
pub const PLAIT_PEERS_RING: plait_memory_peers = 1;
pub const PLAIT_PEERS_NONE: plait_memory_peers = 2;
pub const PLAIT_MEMORIES_SHARED: plait_memories_flags = 1;
pub const PLAIT_MEMORIES_NO_LOOKAHEAD: plait_memories_flags = 2;
pub const PLAIT_MEMORIES_STRICT: plait_memories_flags = 4;
pub const PLAIT_CODE_POINTER: plait_code_parameter_flags = 1;
pub const PLAIT_CODE_READS: plait_code_parameter_flags = 2;
pub const PLAIT_CODE_WRITES: plait_code_parameter_flags = 4;
pub const PLAIT_CODE_LOCAL: plait_code_parameter_flags = 8;
pub const PLAIT_CODE_IMAGE: plait_code_parameter_flags = 16;
pub const PLAIT_CODE_SAMPLER: plait_code_parameter_flags = 32;
pub const PLAIT_CODE_PORTABLE: plait_code_flags = 256;
pub const PLAIT_FOREVER: u64 = u64::MAX;

opaque! {
    plait_context,
    plait_device,
    plait_queue,
    plait_signal,
    plait_buffer,
    plait_inbox,
    plait_run,
    plait_kernel,
    plait_graph,
    plait_plan,
    plait_callable,
    plait_schedule,
    plait_coll,
    plait_world,
    plait_collective,
    plait_flow,
    plait_data,
    plait_backend_memory,
    plait_backend_kernel,
    plait_backend_launch,
    plait_build_log,
    plait_host_code,
}

pub type plait_log_hook =
    Option<unsafe extern "C" fn(user_data: *mut c_void, level: plait_log_level, line: *const c_char)>;
pub type plait_host_function =
    Option<unsafe extern "C" fn(user_data: *mut c_void) -> i32>;
pub type plait_kernel_function =
    Option<unsafe extern "C" fn(arguments: *const *mut c_void, launch: *const plait_launch, user_data: *mut c_void) -> i32>;
pub type plait_range_function =
    Option<unsafe extern "C" fn(range: *const plait_range, arguments: *const *mut c_void, launch: *const plait_launch, user_data: *mut c_void) -> i32>;
pub type plait_any_function =
    Option<unsafe extern "C" fn()>;
pub type plait_failure_function =
    Option<unsafe extern "C" fn(user_data: *mut c_void, error: *const plait_error)>;
pub type plait_mapper_function =
    Option<unsafe extern "C" fn(user_data: *mut c_void, chunk: *const plait_box, data: *const plait_box, out: *mut plait_box, room: u32, out_count: *mut u32) -> plait_status>;

structs! {
pub struct plait_error [size] {
    pub size: u32,
    pub status: plait_status,
    pub origin: i64,
    pub detail: u64,
    pub text: [c_char; 232],
}
pub struct plait_allocator [size] {
    pub size: u32,
    pub flags: u32,
    pub resize: plait_any_function,
    pub user_data: *mut c_void,
}
pub struct plait_context_desc [size] {
    pub size: u32,
    pub flags: plait_context_flags,
    pub backends: *const c_char,
    pub plugin_path: *const c_char,
    pub wrap: *const c_char,
    pub options: *const c_char,
    pub allocator: *const plait_allocator,
    pub log: plait_log_hook,
    pub log_user_data: *mut c_void,
    pub log_level: plait_log_level,
    pub workers: u32,
}
pub struct plait_device_info [size] {
    pub size: u32,
    pub index: u32,
    pub capabilities: plait_device_capabilities,
    pub parallel: u32,
    pub memory_bytes: u64,
    pub budget_bytes: u64,
    pub used_bytes: u64,
    pub alignment_bytes: u64,
    pub name: [c_char; 48],
    pub backend: [c_char; 32],
    pub description: [c_char; 256],
    pub stray_notifications: u64,
    pub forms: u32,
    pub memory: u32,
    pub local_bytes: u64,
}
pub struct plait_buffer_desc [size] {
    pub size: u32,
    pub flags: plait_buffer_flags,
    pub bytes: u64,
    pub alignment_bytes: u64,
    pub label: *const c_char,
    pub format: plait_image_format,
    pub width: u32,
    pub height: u32,
    pub reserved0: u32,
}
pub struct plait_wrap_desc [size] {
    pub size: u32,
    pub flags: plait_wrap_flags,
    pub pointer: *mut c_void,
    pub bytes: u64,
    pub label: *const c_char,
    pub inbox: *mut plait_inbox,
    pub released: plait_host_function,
    pub user_data: *mut c_void,
    pub native_kind: u32,
    pub reserved0: u32,
    pub native: u64,
}
pub struct plait_array [size] {
    pub size: u32,
    pub flags: plait_array_flags,
    pub element: plait_element,
    pub element_bits: u32,
    pub lanes: u32,
    pub dimensions: u32,
    pub offset_bytes: u64,
    pub shape: [i64; 16],
    pub strides: [i64; 16],
}
pub struct plait_import_desc [size] {
    pub size: u32,
    pub flags: plait_tensor_flags,
    pub inbox: *mut plait_inbox,
    pub label: *const c_char,
}
pub struct plait_event [size] {
    pub size: u32,
    pub kind: plait_event_kind,
    pub id: u64,
    pub status: plait_status,
    pub reserved0: u32,
    pub origin: i64,
    pub function: plait_host_function,
    pub user_data: *mut c_void,
    pub signal: *mut plait_signal,
    pub sequence: u64,
    pub detail: u64,
    pub run: *mut plait_run,
}
pub struct plait_signal_desc [size] {
    pub size: u32,
    pub flags: plait_signal_flags,
    pub label: *const c_char,
}
pub struct plait_point [] {
    pub signal: *mut plait_signal,
    pub sequence: u64,
}
pub struct plait_launch [size] {
    pub size: u32,
    pub dimensions: u32,
    pub items: [u64; 3],
    pub group: [u64; 3],
}
pub struct plait_series [size] {
    pub size: u32,
    pub flags: plait_series_flags,
    pub offset: i64,
    pub scale: i64,
    pub limit: i64,
}
pub struct plait_argument [size] {
    pub size: u32,
    pub kind: plait_argument_kind,
    pub value: *const c_void,
    pub bytes: u64,
    pub buffer: *mut plait_buffer,
    pub offset_bytes: u64,
    pub name: *const c_char,
    pub rotation: u64,
    pub ahead: u64,
    pub series: *const plait_series,
}
pub struct plait_queue_desc [size] {
    pub size: u32,
    pub flags: u32,
    pub label: *const c_char,
    pub capacity: u64,
    pub priority: i32,
    pub native_kind: u32,
    pub native: u64,
}
pub struct plait_rows [size] {
    pub size: u32,
    pub flags: u32,
    pub rows: u64,
    pub slices: u64,
    pub target_row: u64,
    pub target_slice: u64,
    pub source_row: u64,
    pub source_slice: u64,
}
pub struct plait_command [size] {
    pub size: u32,
    pub kind: plait_command_kind,
    pub flags: plait_call_flags,
    pub pattern_bytes: u32,
    pub pattern: u64,
    pub bytes: u64,
    pub target: *mut plait_buffer,
    pub target_offset: u64,
    pub source: *mut plait_buffer,
    pub source_offset: u64,
    pub host: *mut c_void,
    pub function: plait_host_function,
    pub user_data: *mut c_void,
    pub inbox: *mut plait_inbox,
    pub signal: *mut plait_signal,
    pub sequence: u64,
    pub label: *const c_char,
    pub rows: *const plait_rows,
    pub kernel: *mut plait_kernel,
    pub launch: *const plait_launch,
    pub arguments: *const plait_argument,
    pub argument_count: u64,
}
pub struct plait_source [size] {
    pub size: u32,
    pub form: plait_source_form,
    pub flags: plait_source_flags,
    pub reserved0: u32,
    pub backend: *const c_char,
    pub code: *const c_void,
    pub bytes: u64,
    pub entry: *const c_char,
    pub file: *const c_char,
    pub defines: *const c_char,
    pub options: *const c_char,
    pub before: *const plait_source,
    pub before_count: u64,
}
pub struct plait_range [size] {
    pub size: u32,
    pub dimensions: u32,
    pub begin: [u64; 3],
    pub end: [u64; 3],
}
pub struct plait_kernel_desc [size] {
    pub size: u32,
    pub flags: plait_kernel_flags,
    pub signature: *const c_char,
    pub function: plait_kernel_function,
    pub user_data: *mut c_void,
    pub range: plait_range_function,
    pub described: plait_any_function,
    pub library: *const c_char,
    pub symbol: *const c_char,
    pub form: plait_function_form,
    pub reserved0: u32,
    pub grain: u64,
    pub sources: *const plait_source,
    pub source_count: u64,
}
pub struct plait_node_desc [size] {
    pub size: u32,
    pub kind: plait_node_kind,
    pub flags: plait_node_flags,
    pub pattern_bytes: u32,
    pub label: *const c_char,
    pub file: *const c_char,
    pub line: u32,
    pub device_count: u32,
    pub device: *mut plait_device,
    pub devices: *const *mut plait_device,
    pub cost: u64,
    pub scratch_bytes: u64,
    pub kernel: *mut plait_kernel,
    pub launch: *const plait_launch,
    pub launch_parameter: *const c_char,
    pub arguments: *const plait_argument,
    pub argument_count: u64,
    pub function: plait_host_function,
    pub user_data: *mut c_void,
    pub inbox: *mut plait_inbox,
    pub target: *mut plait_buffer,
    pub target_offset: u64,
    pub source: *mut plait_buffer,
    pub source_offset: u64,
    pub bytes: u64,
    pub pattern: u64,
    pub signal: *mut plait_signal,
    pub sequence: u64,
    pub subgraph: *mut plait_graph,
    pub predicate: *mut plait_buffer,
    pub predicate_offset: u64,
    pub branch_count: u64,
    pub times: u64,
    pub rows: *const plait_rows,
    pub target_parameter: *const c_char,
    pub source_parameter: *const c_char,
    pub count_parameter: *const c_char,
    pub count_step: u64,
    pub series: *const plait_series,
    pub series_count: u64,
    pub host_parameter: *const c_char,
    pub host_offset: u64,
    pub user_data_parameter: *const c_char,
    pub target_rotation: u64,
    pub target_ahead: u64,
    pub source_rotation: u64,
    pub source_ahead: u64,
}
pub struct plait_freeze_desc [size] {
    pub size: u32,
    pub flags: plait_freeze_flags,
    pub policy: plait_policy,
    pub mode: plait_mode,
    pub lanes: u32,
    pub instances: u32,
    pub hop_cost: u64,
    pub sources: *const plait_node,
    pub sinks: *const plait_node,
    pub source_count: u64,
    pub sink_count: u64,
    pub whole: *mut plait_plan,
}
pub struct plait_plan_info [size] {
    pub size: u32,
    pub policy: plait_policy,
    pub mode: plait_mode,
    pub devices: u32,
    pub nodes: u64,
    pub edges: u64,
    pub lanes: u64,
    pub commands: u64,
    pub waits: u64,
    pub signals: u64,
    pub regions: u64,
    pub makespan: u64,
    pub scratch_bytes: u64,
    pub bytes: u64,
    pub peak_bytes: u64,
    pub bindings: u32,
    pub unbound: u32,
}
pub struct plait_system_desc [size] {
    pub size: u32,
    pub flags: u32,
    pub hop_cost: u64,
    pub submit_cost: u64,
    pub copy_alpha: u64,
    pub copy_beta: u64,
}
pub struct plait_simulation [size] {
    pub size: u32,
    pub reserved0: u32,
    pub makespan: u64,
    pub critical_cost: u64,
    pub critical_count: u64,
    pub busy: u64,
    pub memory_peak: u64,
}
pub struct plait_lane_use [size] {
    pub size: u32,
    pub device: u32,
    pub device_name: *const c_char,
    pub commands: u64,
    pub waits: u64,
    pub start: u64,
    pub end: u64,
    pub busy: u64,
}
pub struct plait_critical_command [size] {
    pub size: u32,
    pub lane: u32,
    pub node: u64,
    pub command: u64,
    pub label: *const c_char,
    pub start: u64,
    pub end: u64,
}
pub struct plait_plan_binding [size] {
    pub size: u32,
    pub kind: plait_binding_kind,
    pub flags: plait_binding_flags,
    pub bound: u32,
    pub bytes: u64,
    pub name: *const c_char,
    pub detail: *const c_char,
}
pub struct plait_function_desc [size] {
    pub size: u32,
    pub flags: plait_call_flags,
    pub function: plait_host_function,
    pub user_data: *mut c_void,
    pub inbox: *mut plait_inbox,
}
pub struct plait_parameter_info [size] {
    pub size: u32,
    pub kind: plait_parameter_kind,
    pub bytes: u64,
    pub r#type: [c_char; 32],
    pub name: [c_char; 64],
}
pub struct plait_binding [size] {
    pub size: u32,
    pub parameter: u32,
    pub value: *const c_void,
    pub bytes: u64,
    pub buffer: *mut plait_buffer,
    pub offset_bytes: u64,
}
pub struct plait_run_desc [size] {
    pub size: u32,
    pub flags: plait_run_flags,
    pub bindings: *const plait_binding,
    pub binding_count: u64,
}
pub struct plait_run_info [size] {
    pub size: u32,
    pub status: plait_status,
    pub iterations: u64,
    pub failed_command: u64,
    pub commands: u64,
    pub commands_expected: u64,
    pub begin_ns: u64,
    pub end_ns: u64,
    pub device_regions: u64,
}
pub struct plait_command_info [size] {
    pub size: u32,
    pub kind: plait_node_kind,
    pub lane: u32,
    pub device: u32,
    pub label: [c_char; 64],
}
pub struct plait_callable_desc [size] {
    pub size: u32,
    pub flags: plait_run_flags,
    pub signature: *const c_char,
    pub failed: plait_failure_function,
    pub user_data: *mut c_void,
}
pub struct plait_record [size] {
    pub size: u32,
    pub kind: plait_record_kind,
    pub lane: u32,
    pub planned_lane: u32,
    pub command: u64,
    pub other: u64,
    pub iteration: u64,
    pub thread: u64,
    pub start_ns: u64,
    pub end_ns: u64,
}
pub struct plait_tune_desc [size] {
    pub size: u32,
    pub flags: u32,
    pub mode: plait_mode,
    pub lanes: u32,
    pub hop_ns: u64,
}
pub struct plait_tune_info [size] {
    pub size: u32,
    pub reserved0: u32,
    pub runs: u64,
    pub measured: u64,
    pub before_ns: u64,
    pub after_ns: u64,
}
pub struct plait_coll_promise [size] {
    pub size: u32,
    pub rank: u32,
    pub index: u64,
    pub source_count: u64,
    pub source_ranks: *const u32,
    pub source_indices: *const u64,
}
pub struct plait_proof_desc [size] {
    pub size: u32,
    pub flags: plait_proof_desc_flags,
    pub target: plait_coll_target,
    pub depth: u32,
    pub kind: plait_coll_kind,
    pub root: u32,
    pub slot_bytes: u64,
    pub promise_count: u64,
    pub promises: *const plait_coll_promise,
}
pub struct plait_proof [size] {
    pub size: u32,
    pub reason: plait_proof_reason,
    pub flags: plait_proof_flags,
    pub depth: u32,
    pub depth_min: u32,
    pub lanes: u32,
    pub channels: u32,
    pub lane_steps: u32,
    pub step_chunks: u32,
    pub ranks: u32,
    pub steps: u64,
    pub safe_bytes: u64,
}
pub struct plait_coll_simulation [size] {
    pub size: u32,
    pub flags: u32,
    pub time_ns: u64,
    pub tiles: u64,
    pub executed_tiles: u64,
    pub tile_bytes: u64,
    pub critical_steps: u64,
    pub critical_ns: u64,
    pub latency_ns: u64,
}
pub struct plait_coll_desc [size] {
    pub size: u32,
    pub flags: plait_coll_flags,
    pub kind: plait_coll_kind,
    pub ranks: u32,
    pub root: u32,
    pub chunks: u32,
    pub input_chunks: u64,
    pub output_chunks: u64,
    pub promise_count: u64,
    pub promises: *const plait_coll_promise,
    pub label: *const c_char,
}
pub struct plait_chunk_place [size] {
    pub size: u32,
    pub flags: plait_chunk_place_flags,
    pub rank: u32,
    pub buffer: plait_chunk_buffer,
    pub channel: u32,
    pub send_lane: u32,
    pub recv_lane: u32,
    pub reserved0: u32,
    pub index: u64,
}
pub struct plait_compile_desc [size] {
    pub size: u32,
    pub flags: plait_compile_flags,
    pub target: plait_coll_target,
    pub protocol: plait_coll_protocol,
    pub instances: u32,
    pub depth: u32,
    pub lanes: u32,
    pub channels: u32,
    pub slot_bytes: u64,
    pub min_bytes: u64,
    pub max_bytes: u64,
    pub message_chunks: u32,
    pub reserved0: u32,
}
pub struct plait_schedule_info [size] {
    pub size: u32,
    pub flags: plait_schedule_flags,
    pub kind: plait_coll_kind,
    pub ranks: u32,
    pub root: u32,
    pub share_chunks: u32,
    pub input_chunks: u32,
    pub output_chunks: u32,
    pub target: plait_coll_target,
    pub depth: u32,
    pub lanes: u64,
    pub steps: u64,
    pub name: [c_char; 64],
    pub min_bytes: u64,
    pub max_bytes: u64,
}
pub struct plait_collective_desc [size] {
    pub size: u32,
    pub flags: u32,
    pub element: plait_element,
    pub element_bits: u32,
    pub reduction: plait_reduction,
    pub reserved0: u32,
    pub count: u64,
    pub inputs: *const *mut plait_buffer,
    pub outputs: *const *mut plait_buffer,
    pub devices: *const *mut plait_device,
}
pub struct plait_world_desc [size] {
    pub size: u32,
    pub flags: u32,
    pub transports: *const c_char,
    pub rank: u32,
    pub ranks: u32,
    pub native: u64,
    pub native_kind: u32,
    pub reserved0: u32,
    pub open_ns: u64,
    pub silence_ns: u64,
}
pub struct plait_world_info [size] {
    pub size: u32,
    pub flags: u32,
    pub rank: u32,
    pub ranks: u32,
    pub machines: u32,
    pub reserved0: u32,
}
pub struct plait_collective_run [size] {
    pub size: u32,
    pub flags: u32,
    pub element: plait_element,
    pub element_bits: u32,
    pub reduction: plait_reduction,
    pub reserved0: u32,
    pub count: u64,
    pub input: *mut plait_buffer,
    pub output: *mut plait_buffer,
    pub input_offset: u64,
    pub output_offset: u64,
    pub input_memory: *const c_void,
    pub output_memory: *mut c_void,
}
pub struct plait_box [] {
    pub low: [u64; 3],
    pub high: [u64; 3],
}
pub struct plait_mapper [size] {
    pub size: u32,
    pub kind: plait_mapper_kind,
    pub dimension: u32,
    pub flags: plait_mapper_flags,
    pub extent: [u64; 3],
    pub boxes: *const plait_box,
    pub box_count: u64,
    pub function: plait_mapper_function,
    pub user_data: *mut c_void,
}
pub struct plait_data_desc [size] {
    pub size: u32,
    pub flags: u32,
    pub dimensions: u32,
    pub element_bytes: u32,
    pub extent: [u64; 3],
    pub buffer: *mut plait_buffer,
    pub buffer_offset: u64,
    pub label: *const c_char,
}
pub struct plait_data_info [size] {
    pub size: u32,
    pub dimensions: u32,
    pub element_bytes: u32,
    pub reserved0: u32,
    pub extent: [u64; 3],
    pub pitch: [u64; 3],
    pub pointer: *mut c_void,
}
pub struct plait_access [size] {
    pub size: u32,
    pub mode: plait_access_mode,
    pub data: *mut plait_data,
    pub r#box: *const plait_box,
    pub mapper: *const plait_mapper,
    pub combine: *mut plait_kernel,
    pub identity: u64,
    pub flags: plait_access_flags,
    pub reserved0: u32,
}
pub struct plait_flow_desc [size] {
    pub size: u32,
    pub flags: plait_flow_flags,
    pub window: u32,
    pub lanes: u32,
    pub label: *const c_char,
    pub devices: *const *mut plait_device,
    pub device_count: u32,
    pub horizon: u32,
    pub choose: plait_device_choice,
    pub parent: plait_parent_choice,
    pub lane: plait_lane_choice,
    pub device_lanes: u32,
    pub threshold: u32,
    pub reserved0: u32,
    pub world: *mut plait_world,
    pub memory_bytes: u64,
    pub history: *const c_char,
    pub links: *const c_char,
}
pub struct plait_task_desc [size] {
    pub size: u32,
    pub kind: plait_task_kind,
    pub flags: plait_task_flags,
    pub priority: i32,
    pub label: *const c_char,
    pub kernel: *mut plait_kernel,
    pub launch: *const plait_launch,
    pub arguments: *const plait_argument,
    pub argument_count: u64,
    pub accesses: *const plait_access,
    pub access_count: u64,
    pub function: plait_host_function,
    pub user_data: *mut c_void,
    pub inbox: *mut plait_inbox,
    pub target: *mut plait_data,
    pub source: *mut plait_data,
    pub target_box: *const plait_box,
    pub source_box: *const plait_box,
    pub host: *mut c_void,
    pub pattern: u64,
    pub signal: *mut plait_signal,
    pub sequence: u64,
    pub cost: u64,
    pub split: u32,
    pub pieces: u32,
    pub plan: *mut plait_plan,
    pub run: *const plait_run_desc,
}
pub struct plait_flow_info [size] {
    pub size: u32,
    pub flags: u32,
    pub window: u32,
    pub lanes: u32,
    pub newest: plait_task,
    pub settled: plait_task,
    pub failed: u64,
    pub pieces: u64,
    pub flow_bytes: u64,
    pub data_bytes: u64,
    pub warnings: u64,
    pub repeated: u64,
}
pub struct plait_link_info [size] {
    pub size: u32,
    pub flags: plait_link_flags,
    pub latency_ns: u64,
    pub bytes_per_us: u64,
}
pub struct plait_memories_desc [size] {
    pub size: u32,
    pub flags: plait_memories_flags,
    pub devices: u32,
    pub peers: plait_memory_peers,
    pub choose: plait_device_choice,
    pub parent: plait_parent_choice,
    pub lane: plait_lane_choice,
    pub lanes: u32,
    pub memory_bytes: u64,
    pub links: *const c_char,
    pub weights: *const u32,
}
pub struct plait_code_parameter [size] {
    pub size: u32,
    pub flags: plait_code_parameter_flags,
    pub bytes: u64,
    pub name: *const c_char,
    pub r#type: *const c_char,
}
pub struct plait_code [size] {
    pub size: u32,
    pub form: plait_source_form,
    pub flags: plait_code_flags,
    pub parameter_count: u32,
    pub parameters: *const plait_code_parameter,
    pub code: *const c_void,
    pub bytes: u64,
    pub entry: *const c_char,
    pub name: *const c_char,
    pub options: *const c_char,
    pub log: *mut plait_build_log,
}
pub struct plait_kernel_facts [size] {
    pub size: u32,
    pub reserved0: u32,
    pub group: [u64; 3],
    pub group_items_max: u64,
    pub local_bytes: u64,
    pub private_bytes: u64,
}
pub struct plait_launch_argument [size] {
    pub size: u32,
    pub reserved0: u32,
    pub memory: *mut plait_backend_memory,
    pub offset: u64,
    pub value: *const c_void,
}
pub struct plait_launch_request [size] {
    pub size: u32,
    pub dimensions: u32,
    pub items: [u64; 3],
    pub group: [u64; 3],
    pub kernel: *mut plait_backend_kernel,
    pub arguments: *const plait_launch_argument,
    pub argument_count: u32,
    pub reserved0: u32,
}
pub struct plait_host_part [size] {
    pub size: u32,
    pub reserved0: u32,
    pub items: [u64; 3],
    pub begin: [u64; 3],
    pub end: [u64; 3],
}
}

functions! {
/// plait_version - get the release of the library, such as "0.1.0".
fn plait_version() -> *const c_char;
/// plait_abi - get the binary interface of the library; this header has PLAIT_ABI.
fn plait_abi() -> u32;
/// plait_status_name - get the name of a status, such as "PLAIT_E_NOMEM".
fn plait_status_name(status: plait_status) -> *const c_char;
/// plait_sizeof - get the size of a public struct in this library.
fn plait_sizeof(name: *const c_char) -> u64;
/// plait_error_detail - get the long text of an error.
fn plait_error_detail(detail: u64, buffer: *mut c_char, capacity_bytes: u64, out_bytes: *mut u64) -> plait_status;
/// plait_live_count - count the live objects of a kind in this process.
fn plait_live_count(object: plait_object_kind) -> u64;
/// plait_context_open - load the backends and start the worker threads.
fn plait_context_open(desc: *const plait_context_desc, out: *mut *mut plait_context, error: *mut plait_error) -> plait_status;
/// plait_context_retain - add one reference.
fn plait_context_retain(context: *mut plait_context);
/// plait_context_release - give one reference back.
fn plait_context_release(context: *mut plait_context);
/// plait_context_close - give one reference back and wait for the end of the context.
fn plait_context_close(context: *mut plait_context, timeout_ns: u64, error: *mut plait_error) -> plait_status;
/// plait_context_report - list the backends that were found, chosen and rejected, with reasons.
fn plait_context_report(context: *mut plait_context, buffer: *mut c_char, capacity_bytes: u64, out_bytes: *mut u64, error: *mut plait_error) -> plait_status;
/// plait_backend_report - list the backends without opening a context.
fn plait_backend_report(desc: *const plait_context_desc, buffer: *mut c_char, capacity_bytes: u64, out_bytes: *mut u64, error: *mut plait_error) -> plait_status;
/// plait_context_device_count - get the number of devices of a context.
fn plait_context_device_count(context: *mut plait_context, out_count: *mut u32, error: *mut plait_error) -> plait_status;
/// plait_context_device - get a device by its number, the best backend's first.
fn plait_context_device(context: *mut plait_context, index: u32, out: *mut *mut plait_device, error: *mut plait_error) -> plait_status;
/// plait_context_find_device - get a device by name, "host:0" or "host".
fn plait_context_find_device(context: *mut plait_context, name: *const c_char, out: *mut *mut plait_device, error: *mut plait_error) -> plait_status;
/// plait_device_query - get the properties of a device.
fn plait_device_query(device: *mut plait_device, info: *mut plait_device_info, error: *mut plait_error) -> plait_status;
/// plait_device_set_budget - limit the memory of all buffers of a device.
fn plait_device_set_budget(device: *mut plait_device, budget_bytes: u64, error: *mut plait_error) -> plait_status;
/// plait_buffer_create - allocate memory of a device, with undefined contents.
fn plait_buffer_create(device: *mut plait_device, desc: *const plait_buffer_desc, out: *mut *mut plait_buffer, error: *mut plait_error) -> plait_status;
/// plait_buffer_wrap - make application memory a buffer, without a copy.
fn plait_buffer_wrap(device: *mut plait_device, desc: *const plait_wrap_desc, out: *mut *mut plait_buffer, error: *mut plait_error) -> plait_status;
/// plait_buffer_view - make a part of a buffer a buffer; the view holds the whole.
fn plait_buffer_view(buffer: *mut plait_buffer, offset_bytes: u64, bytes: u64, out: *mut *mut plait_buffer, error: *mut plait_error) -> plait_status;
/// plait_buffer_retain - add one reference.
fn plait_buffer_retain(buffer: *mut plait_buffer);
/// plait_buffer_release - give one reference back; work in flight holds its own.
fn plait_buffer_release(buffer: *mut plait_buffer);
/// plait_buffer_bytes - get the size of a buffer or view.
fn plait_buffer_bytes(buffer: *mut plait_buffer, out_bytes: *mut u64, error: *mut plait_error) -> plait_status;
/// plait_buffer_map - get a pointer to a buffer's memory.
fn plait_buffer_map(buffer: *mut plait_buffer, offset_bytes: u64, bytes: u64, flags: plait_map_flags, out_pointer: *mut *mut c_void, error: *mut plait_error) -> plait_status;
/// plait_buffer_unmap - end one mapping.
fn plait_buffer_unmap(buffer: *mut plait_buffer, pointer: *mut c_void, error: *mut plait_error) -> plait_status;
/// plait_array_import - make a DLPack tensor a buffer.
fn plait_array_import(device: *mut plait_device, tensor: *mut c_void, desc: *const plait_import_desc, out_array: *mut plait_array, out: *mut *mut plait_buffer, error: *mut plait_error) -> plait_status;
/// plait_array_export - make a buffer a DLPack tensor.
fn plait_array_export(buffer: *mut plait_buffer, array: *const plait_array, flags: plait_tensor_flags, out_tensor: *mut *mut c_void, error: *mut plait_error) -> plait_status;
/// plait_inbox_create - create an inbox owned by the calling thread.
fn plait_inbox_create(context: *mut plait_context, out: *mut *mut plait_inbox, error: *mut plait_error) -> plait_status;
/// plait_inbox_retain - add one reference.
fn plait_inbox_retain(inbox: *mut plait_inbox);
/// plait_inbox_release - give one reference back; the last one closes it.
fn plait_inbox_release(inbox: *mut plait_inbox);
/// plait_inbox_descriptor - get a file descriptor that is readable while the inbox has events.
fn plait_inbox_descriptor(inbox: *mut plait_inbox, out_descriptor: *mut i32, error: *mut plait_error) -> plait_status;
/// plait_inbox_next - remove and return the oldest event.
fn plait_inbox_next(inbox: *mut plait_inbox, out_event: *mut plait_event, error: *mut plait_error) -> plait_status;
/// plait_inbox_pump - run the functions of events, oldest first.
fn plait_inbox_pump(inbox: *mut plait_inbox, maximum: u64, out_count: *mut u64, error: *mut plait_error) -> plait_status;
/// plait_inbox_wait - wait until the inbox has an event; the event stays.
fn plait_inbox_wait(inbox: *mut plait_inbox, timeout_ns: u64, error: *mut plait_error) -> plait_status;
/// plait_inbox_answer - answer a CALL; its queue or run goes on.
fn plait_inbox_answer(inbox: *mut plait_inbox, id: u64, result: i64, text: *const c_char, error: *mut plait_error) -> plait_status;
/// plait_inbox_begin - tell that the calling thread runs the function of a CALL.
fn plait_inbox_begin(inbox: *mut plait_inbox, id: u64, error: *mut plait_error) -> plait_status;
/// plait_inbox_end - tell that the calling thread has left the function.
fn plait_inbox_end(inbox: *mut plait_inbox, id: u64, error: *mut plait_error) -> plait_status;
/// plait_inbox_is_stopping - ask whether the run of a CALL was stopped.
fn plait_inbox_is_stopping(inbox: *mut plait_inbox, id: u64) -> i32;
/// plait_inbox_notify_stop - ask for an event when the run of a CALL is stopped.
fn plait_inbox_notify_stop(inbox: *mut plait_inbox, id: u64, function: plait_host_function, user_data: *mut c_void, error: *mut plait_error) -> plait_status;
/// plait_inbox_adopt - make the calling thread the owner.
fn plait_inbox_adopt(inbox: *mut plait_inbox, error: *mut plait_error) -> plait_status;
/// plait_inbox_close - cancel all outstanding events.
fn plait_inbox_close(inbox: *mut plait_inbox, error: *mut plait_error) -> plait_status;
/// plait_signal_create - create a counter at 0, for the queues of one backend.
fn plait_signal_create(device: *mut plait_device, desc: *const plait_signal_desc, out: *mut *mut plait_signal, error: *mut plait_error) -> plait_status;
/// plait_signal_retain - add one reference.
fn plait_signal_retain(signal: *mut plait_signal);
/// plait_signal_release - give one reference back; work in flight holds its own.
fn plait_signal_release(signal: *mut plait_signal);
/// plait_signal_query - get the progress of a signal.
fn plait_signal_query(signal: *mut plait_signal, out_reached: *mut u64, out_submitted: *mut u64, error: *mut plait_error) -> plait_status;
/// plait_signal_wait - wait for one emission; see plait_signal_wait_points.
fn plait_signal_wait(signal: *mut plait_signal, sequence: u64, timeout_ns: u64, error: *mut plait_error) -> plait_status;
/// plait_signal_wait_points - wait for all or any of several emissions.
fn plait_signal_wait_points(points: *const plait_point, count: u64, mode: plait_wait_mode, timeout_ns: u64, out_index: *mut u64, error: *mut plait_error) -> plait_status;
/// plait_signal_raise - raise a gate to a sequence, which ends waits up to it.
fn plait_signal_raise(signal: *mut plait_signal, sequence: u64, error: *mut plait_error) -> plait_status;
/// plait_signal_fail - fail a gate: all waits for it fail with this error.
fn plait_signal_fail(signal: *mut plait_signal, origin: i64, text: *const c_char, error: *mut plait_error) -> plait_status;
/// plait_signal_reset - clear the failure of a signal.
fn plait_signal_reset(signal: *mut plait_signal, error: *mut plait_error) -> plait_status;
/// plait_signal_notify - request an event for an emission.
fn plait_signal_notify(signal: *mut plait_signal, sequence: u64, inbox: *mut plait_inbox, function: plait_host_function, user_data: *mut c_void, error: *mut plait_error) -> plait_status;
/// plait_queue_create - create an in-order queue on a device.
fn plait_queue_create(device: *mut plait_device, desc: *const plait_queue_desc, out: *mut *mut plait_queue, error: *mut plait_error) -> plait_status;
/// plait_queue_retain - add one reference.
fn plait_queue_retain(queue: *mut plait_queue);
/// plait_queue_release - give one reference back.
fn plait_queue_release(queue: *mut plait_queue);
/// plait_queue_submit - append commands to a queue.
fn plait_queue_submit(queue: *mut plait_queue, commands: *const plait_command, count: u64, out_sequence: *mut u64, error: *mut plait_error) -> plait_status;
/// plait_queue_call - submit a host function that may run on any thread.
fn plait_queue_call(queue: *mut plait_queue, function: plait_host_function, user_data: *mut c_void, error: *mut plait_error) -> plait_status;
/// plait_queue_copy - submit a copy from buffer to buffer.
fn plait_queue_copy(queue: *mut plait_queue, target: *mut plait_buffer, target_offset: u64, source: *mut plait_buffer, source_offset: u64, bytes: u64, error: *mut plait_error) -> plait_status;
/// plait_queue_copy_rows - submit a copy of rows from buffer to buffer.
fn plait_queue_copy_rows(queue: *mut plait_queue, target: *mut plait_buffer, target_offset: u64, source: *mut plait_buffer, source_offset: u64, bytes: u64, rows: *const plait_rows, error: *mut plait_error) -> plait_status;
/// plait_queue_fill - submit a fill with a pattern of 1, 2, 4 or 8 bytes.
fn plait_queue_fill(queue: *mut plait_queue, target: *mut plait_buffer, target_offset: u64, bytes: u64, pattern: u64, pattern_bytes: u32, error: *mut plait_error) -> plait_status;
/// plait_queue_read - copy from a buffer to host memory, and wait.
fn plait_queue_read(queue: *mut plait_queue, source: *mut plait_buffer, source_offset: u64, host: *mut c_void, bytes: u64, error: *mut plait_error) -> plait_status;
/// plait_queue_write - copy from host memory to a buffer, and wait.
fn plait_queue_write(queue: *mut plait_queue, target: *mut plait_buffer, target_offset: u64, host: *const c_void, bytes: u64, error: *mut plait_error) -> plait_status;
/// plait_queue_emit - submit an emission.
fn plait_queue_emit(queue: *mut plait_queue, signal: *mut plait_signal, out_sequence: *mut u64, error: *mut plait_error) -> plait_status;
/// plait_queue_wait - submit a wait: later commands wait, the caller does not.
fn plait_queue_wait(queue: *mut plait_queue, signal: *mut plait_signal, sequence: u64, error: *mut plait_error) -> plait_status;
/// plait_queue_finish - wait for all commands submitted so far.
fn plait_queue_finish(queue: *mut plait_queue, timeout_ns: u64, error: *mut plait_error) -> plait_status;
/// plait_device_native - get a native handle of a device.
fn plait_device_native(device: *mut plait_device, kind: plait_native_kind, out: *mut u64, error: *mut plait_error) -> plait_status;
/// plait_queue_native - get the native handle of a queue.
fn plait_queue_native(queue: *mut plait_queue, kind: plait_native_kind, out: *mut u64, error: *mut plait_error) -> plait_status;
/// plait_buffer_native - get the native handle of a buffer.
fn plait_buffer_native(buffer: *mut plait_buffer, kind: plait_native_kind, out: *mut u64, out_offset_bytes: *mut u64, error: *mut plait_error) -> plait_status;
/// plait_source_text - translate portable source to a backend's language.
fn plait_source_text(signature: *const c_char, source: *const plait_source, form: plait_source_form, buffer: *mut c_char, capacity_bytes: u64, out_bytes: *mut u64, error: *mut plait_error) -> plait_status;
/// plait_kernel_create - create a kernel from a signature and code.
fn plait_kernel_create(context: *mut plait_context, desc: *const plait_kernel_desc, out: *mut *mut plait_kernel, error: *mut plait_error) -> plait_status;
/// plait_kernel_compile - create a kernel from portable source text.
fn plait_kernel_compile(context: *mut plait_context, signature: *const c_char, code: *const c_char, out: *mut *mut plait_kernel, error: *mut plait_error) -> plait_status;
/// plait_kernel_retain - add one reference.
fn plait_kernel_retain(kernel: *mut plait_kernel);
/// plait_kernel_release - give one reference back; work in flight holds its own.
fn plait_kernel_release(kernel: *mut plait_kernel);
/// plait_kernel_signature - get the signature in canonical form.
fn plait_kernel_signature(kernel: *mut plait_kernel, buffer: *mut c_char, capacity_bytes: u64, out_bytes: *mut u64, error: *mut plait_error) -> plait_status;
/// plait_kernel_messages - get what the compiler wrote about a kernel's code.
fn plait_kernel_messages(kernel: *mut plait_kernel, device: *mut plait_device, buffer: *mut c_char, capacity_bytes: u64, out_bytes: *mut u64, error: *mut plait_error) -> plait_status;
/// plait_queue_launch - submit one kernel launch to a queue.
fn plait_queue_launch(queue: *mut plait_queue, kernel: *mut plait_kernel, launch: *const plait_launch, arguments: *const plait_argument, count: u64, error: *mut plait_error) -> plait_status;
/// plait_graph_add - add a node.
fn plait_graph_add(graph: *mut plait_graph, desc: *const plait_node_desc, after: *const plait_node, count: u64, out: *mut plait_node, error: *mut plait_error) -> plait_status;
/// plait_graph_join - add a join of several nodes: one predecessor for others.
fn plait_graph_join(graph: *mut plait_graph, after: *const plait_node, count: u64, out: *mut plait_node, error: *mut plait_error) -> plait_status;
/// plait_graph_launch - add a kernel launch.
fn plait_graph_launch(graph: *mut plait_graph, kernel: *mut plait_kernel, launch: *const plait_launch, arguments: *const plait_argument, count: u64, after: plait_node, out: *mut plait_node, error: *mut plait_error) -> plait_status;
/// plait_graph_call - add a host function that may run on any thread.
fn plait_graph_call(graph: *mut plait_graph, function: plait_host_function, user_data: *mut c_void, after: plait_node, out: *mut plait_node, error: *mut plait_error) -> plait_status;
/// plait_graph_copy - add a copy from buffer to buffer.
fn plait_graph_copy(graph: *mut plait_graph, target: *mut plait_buffer, target_offset: u64, source: *mut plait_buffer, source_offset: u64, bytes: u64, after: plait_node, out: *mut plait_node, error: *mut plait_error) -> plait_status;
/// plait_graph_copy_rows - add a copy of rows from buffer to buffer.
fn plait_graph_copy_rows(graph: *mut plait_graph, target: *mut plait_buffer, target_offset: u64, source: *mut plait_buffer, source_offset: u64, bytes: u64, rows: *const plait_rows, after: plait_node, out: *mut plait_node, error: *mut plait_error) -> plait_status;
/// plait_graph_fill - add a fill with a pattern of 1, 2, 4 or 8 bytes.
fn plait_graph_fill(graph: *mut plait_graph, target: *mut plait_buffer, target_offset: u64, bytes: u64, pattern: u64, pattern_bytes: u32, after: plait_node, out: *mut plait_node, error: *mut plait_error) -> plait_status;
/// plait_graph_emit - add an emission of a signal.
fn plait_graph_emit(graph: *mut plait_graph, signal: *mut plait_signal, after: plait_node, out: *mut plait_node, error: *mut plait_error) -> plait_status;
/// plait_graph_wait - add a wait for an emission of a signal or gate.
fn plait_graph_wait(graph: *mut plait_graph, signal: *mut plait_signal, sequence: u64, after: plait_node, out: *mut plait_node, error: *mut plait_error) -> plait_status;
/// plait_graph_mark - add a mark in the timeline.
fn plait_graph_mark(graph: *mut plait_graph, label: *const c_char, after: plait_node, out: *mut plait_node, error: *mut plait_error) -> plait_status;
/// plait_graph_subgraph - add a copy of all nodes of a graph.
fn plait_graph_subgraph(graph: *mut plait_graph, subgraph: *mut plait_graph, after: plait_node, out: *mut plait_node, error: *mut plait_error) -> plait_status;
/// plait_graph_while - add a loop that tests a word before its body.
fn plait_graph_while(graph: *mut plait_graph, word: *mut plait_buffer, offset: u64, times: u64, after: plait_node, out_body: *mut *mut plait_graph, out: *mut plait_node, error: *mut plait_error) -> plait_status;
/// plait_graph_do - add a loop that tests a word after its body.
fn plait_graph_do(graph: *mut plait_graph, word: *mut plait_buffer, offset: u64, times: u64, after: plait_node, out_body: *mut *mut plait_graph, out: *mut plait_node, error: *mut plait_error) -> plait_status;
/// plait_graph_case - add a branch: a word selects the body that runs.
fn plait_graph_case(graph: *mut plait_graph, word: *mut plait_buffer, offset: u64, count: u64, after: plait_node, out_bodies: *mut *mut plait_graph, out: *mut plait_node, error: *mut plait_error) -> plait_status;
/// plait_graph_repeat - add a loop with a count.
fn plait_graph_repeat(graph: *mut plait_graph, times: u64, after: plait_node, out_body: *mut *mut plait_graph, out: *mut plait_node, error: *mut plait_error) -> plait_status;
/// plait_graph_create - create an empty graph.
fn plait_graph_create(context: *mut plait_context, out: *mut *mut plait_graph, error: *mut plait_error) -> plait_status;
/// plait_graph_read - create a graph from its text form; see plait-graph(5).
fn plait_graph_read(context: *mut plait_context, text: *const c_char, bytes: u64, name: *const c_char, out: *mut *mut plait_graph, error: *mut plait_error) -> plait_status;
/// plait_graph_retain - add one reference.
fn plait_graph_retain(graph: *mut plait_graph);
/// plait_graph_release - give one reference back.
fn plait_graph_release(graph: *mut plait_graph);
/// plait_graph_add_edge - add an edge: `before` completes before `after` starts.
fn plait_graph_add_edge(graph: *mut plait_graph, before: plait_node, after: plait_node, error: *mut plait_error) -> plait_status;
/// plait_graph_set_priority - say which of several ready nodes come first.
fn plait_graph_set_priority(graph: *mut plait_graph, node: plait_node, priority: i32, error: *mut plait_error) -> plait_status;
/// plait_graph_add_resource - add a resource that limits how many nodes run at once.
fn plait_graph_add_resource(graph: *mut plait_graph, name: *const c_char, units: u64, error: *mut plait_error) -> plait_status;
/// plait_graph_add_need - let a node hold units of a resource while it runs.
fn plait_graph_add_need(graph: *mut plait_graph, node: plait_node, name: *const c_char, units: u64, error: *mut plait_error) -> plait_status;
/// plait_graph_remove - take nodes away, with their edges.
fn plait_graph_remove(graph: *mut plait_graph, nodes: *const plait_node, count: u64, error: *mut plait_error) -> plait_status;
/// plait_graph_remove_edge - take an edge away, as often as it was added.
fn plait_graph_remove_edge(graph: *mut plait_graph, before: plait_node, after: plait_node, error: *mut plait_error) -> plait_status;
/// plait_graph_body - get the body of a loop, or of one branch.
fn plait_graph_body(graph: *mut plait_graph, node: plait_node, branch: u64, out: *mut *mut plait_graph, error: *mut plait_error) -> plait_status;
/// plait_graph_add_rotation - let the iterations of a loop alternate between buffers.
fn plait_graph_add_rotation(graph: *mut plait_graph, buffers: *const *mut plait_buffer, count: u64, flags: plait_rotation_flags, out: *mut u64, error: *mut plait_error) -> plait_status;
/// plait_graph_size - get the number of nodes and edges, without bodies.
fn plait_graph_size(graph: *mut plait_graph, out_nodes: *mut u64, out_edges: *mut u64, error: *mut plait_error) -> plait_status;
/// plait_graph_freeze - plan the graph in its present state.
fn plait_graph_freeze(graph: *mut plait_graph, desc: *const plait_freeze_desc, out: *mut *mut plait_plan, error: *mut plait_error) -> plait_status;
/// plait_plan_retain - add one reference.
fn plait_plan_retain(plan: *mut plait_plan);
/// plait_plan_release - give one reference back.
fn plait_plan_release(plan: *mut plait_plan);
/// plait_plan_query - get the properties of a plan.
fn plait_plan_query(plan: *mut plait_plan, info: *mut plait_plan_info, error: *mut plait_error) -> plait_status;
/// plait_plan_check - verify a plan.
fn plait_plan_check(plan: *mut plait_plan, error: *mut plait_error) -> plait_status;
/// plait_plan_simulate - predict a run from costs.
fn plait_plan_simulate(plan: *mut plait_plan, system: *const plait_system_desc, out: *mut plait_simulation, lanes: *mut plait_lane_use, lane_count: u64, error: *mut plait_error) -> plait_status;
/// plait_plan_critical_path - get the commands on the predicted critical path.
fn plait_plan_critical_path(plan: *mut plait_plan, system: *const plait_system_desc, commands: *mut plait_critical_command, count: u64, error: *mut plait_error) -> plait_status;
/// plait_plan_write - write a plan as bytes or text.
fn plait_plan_write(plan: *mut plait_plan, format: plait_plan_format, buffer: *mut c_void, capacity_bytes: u64, out_bytes: *mut u64, error: *mut plait_error) -> plait_status;
/// plait_plan_read - create a plan from its binary form.
fn plait_plan_read(context: *mut plait_context, bytes: *const c_void, count: u64, out: *mut *mut plait_plan, error: *mut plait_error) -> plait_status;
/// plait_plan_save - write the binary form to a file, atomically.
fn plait_plan_save(plan: *mut plait_plan, path: *const c_char, error: *mut plait_error) -> plait_status;
/// plait_plan_load - read a plan from a file; see plait_plan_read.
fn plait_plan_load(context: *mut plait_context, path: *const c_char, out: *mut *mut plait_plan, error: *mut plait_error) -> plait_status;
/// plait_plan_query_binding - get a name of a plan.
fn plait_plan_query_binding(plan: *mut plait_plan, index: u64, out: *mut plait_plan_binding, error: *mut plait_error) -> plait_status;
/// plait_plan_bind_kernel - bind a kernel; its own name is the name.
fn plait_plan_bind_kernel(plan: *mut plait_plan, kernel: *mut plait_kernel, error: *mut plait_error) -> plait_status;
/// plait_plan_bind_buffer - bind a buffer to a name.
fn plait_plan_bind_buffer(plan: *mut plait_plan, name: *const c_char, buffer: *mut plait_buffer, error: *mut plait_error) -> plait_status;
/// plait_plan_bind_signal - bind a signal to a name.
fn plait_plan_bind_signal(plan: *mut plait_plan, name: *const c_char, signal: *mut plait_signal, error: *mut plait_error) -> plait_status;
/// plait_plan_bind_function - bind a host function to a name.
fn plait_plan_bind_function(plan: *mut plait_plan, name: *const c_char, desc: *const plait_function_desc, error: *mut plait_error) -> plait_status;
/// plait_plan_bind_device - bind a device to a name.
fn plait_plan_bind_device(plan: *mut plait_plan, name: *const c_char, device: *mut plait_device, error: *mut plait_error) -> plait_status;
/// plait_plan_parameter_count - get the number of parameters of a plan.
fn plait_plan_parameter_count(plan: *mut plait_plan, out_count: *mut u32, error: *mut plait_error) -> plait_status;
/// plait_plan_find_parameter - get the number of a parameter.
fn plait_plan_find_parameter(plan: *mut plait_plan, name: *const c_char, out_number: *mut u32, error: *mut plait_error) -> plait_status;
/// plait_plan_query_parameter - get the properties of a parameter.
fn plait_plan_query_parameter(plan: *mut plait_plan, number: u32, info: *mut plait_parameter_info, error: *mut plait_error) -> plait_status;
/// plait_plan_prepare - allocate and compile everything a run needs.
fn plait_plan_prepare(plan: *mut plait_plan, error: *mut plait_error) -> plait_status;
/// plait_plan_rehearse - turn a plan into a rehearsal, which executes costs.
fn plait_plan_rehearse(plan: *mut plait_plan, unit_ns: u64, error: *mut plait_error) -> plait_status;
/// plait_plan_exchange - replace a kernel of a plan.
fn plait_plan_exchange(plan: *mut plait_plan, old: *mut plait_kernel, kernel: *mut plait_kernel, error: *mut plait_error) -> plait_status;
/// plait_plan_run - submit a run of a plan as one command of a queue.
fn plait_plan_run(plan: *mut plait_plan, queue: *mut plait_queue, desc: *const plait_run_desc, out: *mut *mut plait_run, error: *mut plait_error) -> plait_status;
/// plait_plan_call - run a plan and wait for its completion.
fn plait_plan_call(plan: *mut plait_plan, queue: *mut plait_queue, desc: *const plait_run_desc, error: *mut plait_error) -> plait_status;
/// plait_run_retain - add one reference.
fn plait_run_retain(run: *mut plait_run);
/// plait_run_release - give one reference back; the run goes on.
fn plait_run_release(run: *mut plait_run);
/// plait_run_poll - get the status of a run without waiting.
fn plait_run_poll(run: *mut plait_run, error: *mut plait_error) -> plait_status;
/// plait_run_wait - wait for the completion of a run.
fn plait_run_wait(run: *mut plait_run, timeout_ns: u64, error: *mut plait_error) -> plait_status;
/// plait_run_cancel - request cancellation of a run.
fn plait_run_cancel(run: *mut plait_run, error: *mut plait_error) -> plait_status;
/// plait_run_is_stopping - ask, in a function, whether its run was stopped.
fn plait_run_is_stopping() -> i32;
/// plait_worker_index - get the index of the worker that is the calling thread.
fn plait_worker_index() -> i32;
/// plait_run_notify - request an event for the end of a run.
fn plait_run_notify(run: *mut plait_run, inbox: *mut plait_inbox, function: plait_host_function, user_data: *mut c_void, error: *mut plait_error) -> plait_status;
/// plait_run_query - get the state of a run.
fn plait_run_query(run: *mut plait_run, info: *mut plait_run_info, error: *mut plait_error) -> plait_status;
/// plait_plan_query_command - get the properties of a command of a plan.
fn plait_plan_query_command(plan: *mut plait_plan, command: u64, info: *mut plait_command_info, error: *mut plait_error) -> plait_status;
/// plait_callable_create - create a C function that runs a plan.
fn plait_callable_create(plan: *mut plait_plan, desc: *const plait_callable_desc, out: *mut *mut plait_callable, error: *mut plait_error) -> plait_status;
/// plait_callable_function - get the function, to be cast to its type.
fn plait_callable_function(callable: *mut plait_callable, out: *mut plait_any_function, error: *mut plait_error) -> plait_status;
/// plait_callable_retain - add one reference.
fn plait_callable_retain(callable: *mut plait_callable);
/// plait_callable_release - give one reference back; calls in progress go on.
fn plait_callable_release(callable: *mut plait_callable);
/// plait_plan_record - allocate record buffers for the runs of a plan.
fn plait_plan_record(plan: *mut plait_plan, records: u64, error: *mut plait_error) -> plait_status;
/// plait_run_records - get the records of a run.
fn plait_run_records(run: *mut plait_run, records: *mut plait_record, count: u64, out_count: *mut u64, out_dropped: *mut u64, error: *mut plait_error) -> plait_status;
/// plait_run_write - write the records of a run as text.
fn plait_run_write(run: *mut plait_run, format: plait_trace_format, buffer: *mut c_void, capacity_bytes: u64, out_bytes: *mut u64, error: *mut plait_error) -> plait_status;
/// plait_plan_tune - plan the same graph again with measured costs.
fn plait_plan_tune(plan: *mut plait_plan, desc: *const plait_tune_desc, out: *mut *mut plait_plan, info: *mut plait_tune_info, error: *mut plait_error) -> plait_status;
/// plait_schedule_read - read a schedule from MSCCL XML or the binary form.
fn plait_schedule_read(context: *mut plait_context, bytes: *const c_void, count: u64, name: *const c_char, out: *mut *mut plait_schedule, error: *mut plait_error) -> plait_status;
/// plait_schedule_retain - add one reference.
fn plait_schedule_retain(schedule: *mut plait_schedule);
/// plait_schedule_release - give one reference back.
fn plait_schedule_release(schedule: *mut plait_schedule);
/// plait_schedule_check - prove a schedule, or name the reason against it.
fn plait_schedule_check(schedule: *mut plait_schedule, desc: *const plait_proof_desc, proof: *mut plait_proof, error: *mut plait_error) -> plait_status;
/// plait_schedule_write - write a schedule as XML or in binary form.
fn plait_schedule_write(schedule: *mut plait_schedule, format: plait_schedule_format, buffer: *mut c_void, capacity_bytes: u64, out_bytes: *mut u64, error: *mut plait_error) -> plait_status;
/// plait_schedule_simulate - predict the time of a schedule on a cluster.
fn plait_schedule_simulate(schedule: *mut plait_schedule, cluster: *const c_char, cluster_bytes: u64, name: *const c_char, bytes: u64, out: *mut plait_coll_simulation, error: *mut plait_error) -> plait_status;
/// plait_schedule_draw - draw the first tile of a simulated schedule as SVG.
fn plait_schedule_draw(schedule: *mut plait_schedule, cluster: *const c_char, cluster_bytes: u64, name: *const c_char, bytes: u64, buffer: *mut c_char, capacity_bytes: u64, out_bytes: *mut u64, error: *mut plait_error) -> plait_status;
/// plait_coll_create - create a program without operations.
fn plait_coll_create(context: *mut plait_context, desc: *const plait_coll_desc, out: *mut *mut plait_coll, error: *mut plait_error) -> plait_status;
/// plait_coll_known - create the program of a known algorithm.
fn plait_coll_known(context: *mut plait_context, name: *const c_char, desc: *const plait_coll_desc, out: *mut *mut plait_coll, error: *mut plait_error) -> plait_status;
/// plait_coll_read - create a program from its text form, doc/coll-text.md.
fn plait_coll_read(context: *mut plait_context, text: *const c_char, bytes: u64, name: *const c_char, ranks: u32, chunks: u32, out: *mut *mut plait_coll, error: *mut plait_error) -> plait_status;
/// plait_coll_retain - add one reference.
fn plait_coll_retain(coll: *mut plait_coll);
/// plait_coll_release - give one reference back.
fn plait_coll_release(coll: *mut plait_coll);
/// plait_coll_chunk - refer to chunks as they are now.
fn plait_coll_chunk(coll: *mut plait_coll, rank: u32, buffer: plait_chunk_buffer, index: u64, count: u64, out: *mut plait_chunk, error: *mut plait_error) -> plait_status;
/// plait_coll_copy - copy chunks to a place.
fn plait_coll_copy(coll: *mut plait_coll, chunk: plait_chunk, place: *const plait_chunk_place, out: *mut plait_chunk, error: *mut plait_error) -> plait_status;
/// plait_coll_reduce - add chunks to others.
fn plait_coll_reduce(coll: *mut plait_coll, target: plait_chunk, source: plait_chunk, place: *const plait_chunk_place, out: *mut plait_chunk, error: *mut plait_error) -> plait_status;
/// plait_coll_part - refer to some of the chunks.
fn plait_coll_part(coll: *mut plait_coll, chunk: plait_chunk, first: u64, count: u64, out: *mut plait_chunk, error: *mut plait_error) -> plait_status;
/// plait_coll_join - refer to neighbouring chunks as one.
fn plait_coll_join(coll: *mut plait_coll, one: plait_chunk, other: plait_chunk, out: *mut plait_chunk, error: *mut plait_error) -> plait_status;
/// plait_coll_parallel - begin a fragment of parallel ways.
fn plait_coll_parallel(coll: *mut plait_coll, ways: u32, error: *mut plait_error) -> plait_status;
/// plait_coll_end - end the innermost fragment.
fn plait_coll_end(coll: *mut plait_coll, error: *mut plait_error) -> plait_status;
/// plait_coll_compile - compile the program as it is now, and prove the schedule.
fn plait_coll_compile(coll: *mut plait_coll, desc: *const plait_compile_desc, out: *mut *mut plait_schedule, error: *mut plait_error) -> plait_status;
/// plait_schedule_query - get the properties of a schedule.
fn plait_schedule_query(schedule: *mut plait_schedule, info: *mut plait_schedule_info, error: *mut plait_error) -> plait_status;
/// plait_schedule_graph - make a graph of a schedule, for all of its ranks.
fn plait_schedule_graph(schedule: *mut plait_schedule, desc: *const plait_collective_desc, out: *mut *mut plait_graph, error: *mut plait_error) -> plait_status;
/// plait_world_open - open a world, on all ranks.
fn plait_world_open(context: *mut plait_context, desc: *const plait_world_desc, out: *mut *mut plait_world, error: *mut plait_error) -> plait_status;
/// plait_world_retain - add one reference.
fn plait_world_retain(world: *mut plait_world);
/// plait_world_release - give one reference back.
fn plait_world_release(world: *mut plait_world);
/// plait_world_query - get the properties of a world.
fn plait_world_query(world: *mut plait_world, info: *mut plait_world_info, error: *mut plait_error) -> plait_status;
/// plait_world_report - tell how each rank is reached, and why not otherwise.
fn plait_world_report(world: *mut plait_world, buffer: *mut c_char, capacity_bytes: u64, out_bytes: *mut u64, error: *mut plait_error) -> plait_status;
/// plait_world_buffer - allocate a buffer that the ranks of this machine read in place.
fn plait_world_buffer(world: *mut plait_world, device: *mut plait_device, desc: *const plait_buffer_desc, out: *mut *mut plait_buffer, error: *mut plait_error) -> plait_status;
/// plait_collective_create - make a collective of schedules, on all ranks.
fn plait_collective_create(world: *mut plait_world, schedules: *const *mut plait_schedule, count: u64, out: *mut *mut plait_collective, error: *mut plait_error) -> plait_status;
/// plait_collective_retain - add one reference.
fn plait_collective_retain(collective: *mut plait_collective);
/// plait_collective_release - give one reference back.
fn plait_collective_release(collective: *mut plait_collective);
/// plait_collective_call - execute a collective, on all ranks, and wait.
fn plait_collective_call(collective: *mut plait_collective, run: *const plait_collective_run, error: *mut plait_error) -> plait_status;
/// plait_collective_submit - submit a call of a collective to a queue.
fn plait_collective_submit(collective: *mut plait_collective, queue: *mut plait_queue, run: *const plait_collective_run, out: *mut *mut plait_run, error: *mut plait_error) -> plait_status;
/// plait_graph_collective - add a call of a collective to a graph.
fn plait_graph_collective(graph: *mut plait_graph, collective: *mut plait_collective, run: *const plait_collective_run, label: *const c_char, after: plait_node, out: *mut plait_node, error: *mut plait_error) -> plait_status;
/// plait_data_create - create data of a flow.
fn plait_data_create(flow: *mut plait_flow, desc: *const plait_data_desc, out: *mut *mut plait_data, error: *mut plait_error) -> plait_status;
/// plait_data_part - name a box of data: accesses of the part and of the whole order each other.
fn plait_data_part(data: *mut plait_data, r#box: *const plait_box, out: *mut *mut plait_data, error: *mut plait_error) -> plait_status;
/// plait_data_query - get the properties of data.
fn plait_data_query(data: *mut plait_data, info: *mut plait_data_info, error: *mut plait_error) -> plait_status;
/// plait_data_retain - add one reference.
fn plait_data_retain(data: *mut plait_data);
/// plait_data_release - give one reference back; its tasks still run.
fn plait_data_release(data: *mut plait_data);
/// plait_data_map - wait for data, and access its memory until unmapped.
fn plait_data_map(data: *mut plait_data, r#box: *const plait_box, flags: plait_map_flags, out: *mut *mut c_void, error: *mut plait_error) -> plait_status;
/// plait_data_unmap - end one mapping.
fn plait_data_unmap(data: *mut plait_data, pointer: *mut c_void, error: *mut plait_error) -> plait_status;
/// plait_data_read - copy elements to host memory, and wait.
fn plait_data_read(data: *mut plait_data, r#box: *const plait_box, host: *mut c_void, error: *mut plait_error) -> plait_status;
/// plait_data_write - copy elements from host memory, and wait.
fn plait_data_write(data: *mut plait_data, r#box: *const plait_box, host: *const c_void, error: *mut plait_error) -> plait_status;
/// plait_data_advise - tell a flow where data will be used, or not used.
fn plait_data_advise(data: *mut plait_data, r#box: *const plait_box, device: *mut plait_device, what: plait_advice, error: *mut plait_error) -> plait_status;
/// plait_flow_create - create a flow on the host, or on devices.
fn plait_flow_create(context: *mut plait_context, desc: *const plait_flow_desc, out: *mut *mut plait_flow, error: *mut plait_error) -> plait_status;
/// plait_flow_retain - add one reference.
fn plait_flow_retain(flow: *mut plait_flow);
/// plait_flow_release - give one reference back; submitted tasks still run.
fn plait_flow_release(flow: *mut plait_flow);
/// plait_flow_submit - submit one task.
fn plait_flow_submit(flow: *mut plait_flow, desc: *const plait_task_desc, out: *mut plait_task, error: *mut plait_error) -> plait_status;
/// plait_flow_submit_many - submit the tasks of an array, in its order.
fn plait_flow_submit_many(flow: *mut plait_flow, descs: *const plait_task_desc, count: u64, out: *mut plait_task, error: *mut plait_error) -> plait_status;
/// plait_flow_launch - submit one launch of a kernel.
fn plait_flow_launch(flow: *mut plait_flow, kernel: *mut plait_kernel, launch: *const plait_launch, arguments: *const plait_argument, count: u64, out: *mut plait_task, error: *mut plait_error) -> plait_status;
/// plait_flow_wait - wait for a task, or for all submitted so far.
fn plait_flow_wait(flow: *mut plait_flow, task: plait_task, timeout_ns: u64, error: *mut plait_error) -> plait_status;
/// plait_await_task - in a coroutine (plait/coroutine.h): plait_flow_wait.
fn plait_await_task(flow: *mut plait_flow, task: plait_task, timeout_ns: u64, error: *mut plait_error) -> plait_status;
/// plait_flow_notify - request an event for the end of a task.
fn plait_flow_notify(flow: *mut plait_flow, task: plait_task, inbox: *mut plait_inbox, function: plait_host_function, user_data: *mut c_void, error: *mut plait_error) -> plait_status;
/// plait_flow_cancel - end all tasks submitted so far that have not begun.
fn plait_flow_cancel(flow: *mut plait_flow, error: *mut plait_error) -> plait_status;
/// plait_flow_query - get the properties of a flow.
fn plait_flow_query(flow: *mut plait_flow, info: *mut plait_flow_info, error: *mut plait_error) -> plait_status;
/// plait_flow_split - get the chunks of a launch that would be split.
fn plait_flow_split(flow: *mut plait_flow, desc: *const plait_task_desc, out: *mut plait_box, room: u64, out_count: *mut u64, error: *mut plait_error) -> plait_status;
/// plait_queue_capture - begin to capture queues.
fn plait_queue_capture(queues: *const *mut plait_queue, count: u64, flags: plait_capture_flags, error: *mut plait_error) -> plait_status;
/// plait_queue_end_capture - end a capture and get its graph.
fn plait_queue_end_capture(queue: *mut plait_queue, out: *mut *mut plait_graph, error: *mut plait_error) -> plait_status;
/// plait_await_signal - in a coroutine: wait for an emission.
fn plait_await_signal(signal: *mut plait_signal, sequence: u64, timeout_ns: u64, error: *mut plait_error) -> plait_status;
/// plait_await_points - in a coroutine: wait for several emissions, or for the first of them.
fn plait_await_points(points: *const plait_point, count: u64, mode: i32, timeout_ns: u64, out_index: *mut u64, error: *mut plait_error) -> plait_status;
/// plait_await_run - in a coroutine: wait for the end of another run.
fn plait_await_run(run: *mut plait_run, timeout_ns: u64, error: *mut plait_error) -> plait_status;
/// plait_await_plan - in a coroutine: run a plan and wait for its end.
fn plait_await_plan(plan: *mut plait_plan, queue: *mut plait_queue, desc: *const plait_run_desc, timeout_ns: u64, error: *mut plait_error) -> plait_status;
/// plait_yield - in a coroutine: let the thread do other work first.
fn plait_yield(error: *mut plait_error) -> plait_status;
/// plait_device_query_link - get the link from the memory of one device to that of another one.
fn plait_device_query_link(from: *mut plait_device, to: *mut plait_device, info: *mut plait_link_info, error: *mut plait_error) -> plait_status;
/// plait_flow_write - print the tasks of a flow, and why each waits for others.
fn plait_flow_write(flow: *mut plait_flow, format: plait_flow_format, buffer: *mut c_void, capacity_bytes: u64, out_bytes: *mut u64, error: *mut plait_error) -> plait_status;
/// plait_flow_read - submit the tasks of a text; see doc/flow-text.md.
fn plait_flow_read(flow: *mut plait_flow, text: *const c_char, bytes: u64, name: *const c_char, error: *mut plait_error) -> plait_status;
/// plait_flow_write_instructions - print what the tasks of a flow would do on devices with memories of their own.
fn plait_flow_write_instructions(flow: *mut plait_flow, memories: *const plait_memories_desc, format: plait_flow_format, buffer: *mut c_void, capacity_bytes: u64, out_bytes: *mut u64, error: *mut plait_error) -> plait_status;
/// plait_flow_capture - begin to capture a flow, or end the capture.
fn plait_flow_capture(flow: *mut plait_flow, graph: *mut plait_graph, error: *mut plait_error) -> plait_status;
/// plait_flow_repeat - run a repetition again; or begin or end a new one.
fn plait_flow_repeat(flow: *mut plait_flow, key: u64, out: *mut plait_task, error: *mut plait_error) -> plait_status;
}
