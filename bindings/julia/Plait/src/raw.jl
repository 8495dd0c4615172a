# SPDX-License-Identifier: MIT
"Made by bindings/generate.py from include/plait/*.h; do not edit."
module Raw

const plait_status = Int32
const plait_log_level = Int32
const plait_object_kind = Int32
const plait_image_format = UInt32
const plait_sampler_flags = UInt32
const plait_context_flags = UInt32
const plait_device_capabilities = UInt32
const plait_buffer_flags = UInt32
const plait_call_flags = UInt32
const plait_wrap_flags = UInt32
const plait_map_flags = UInt32
const plait_element = UInt32
const plait_array_flags = UInt32
const plait_tensor_flags = UInt32
const plait_event_kind = UInt32
const plait_signal_flags = UInt32
const plait_wait_mode = Int32
const plait_argument_kind = UInt32
const plait_series_flags = UInt32
const plait_command_kind = UInt32
const plait_native_kind = UInt32
const plait_source_form = UInt32
const plait_source_flags = UInt32
const plait_function_form = UInt32
const plait_kernel_flags = UInt32
const plait_node = UInt64
const plait_node_kind = UInt32
const plait_node_flags = UInt32
const plait_rotation_flags = UInt32
const plait_policy = UInt32
const plait_mode = UInt32
const plait_freeze_flags = UInt32
const plait_plan_format = Int32
const plait_binding_kind = UInt32
const plait_binding_flags = UInt32
const plait_parameter_kind = UInt32
const plait_run_flags = UInt32
const plait_record_kind = UInt32
const plait_trace_format = Int32
const plait_coll_kind = UInt32
const plait_coll_target = UInt32
const plait_schedule_format = Int32
const plait_proof_reason = UInt32
const plait_proof_flags = UInt32
const plait_proof_desc_flags = UInt32
const plait_chunk = UInt64
const plait_chunk_buffer = UInt32
const plait_coll_flags = UInt32
const plait_chunk_place_flags = UInt32
const plait_coll_protocol = UInt32
const plait_compile_flags = UInt32
const plait_schedule_flags = UInt32
const plait_reduction = UInt32
const plait_mapper_kind = UInt32
const plait_mapper_flags = UInt32
const plait_device_choice = UInt32
const plait_parent_choice = UInt32
const plait_lane_choice = UInt32
const plait_access_mode = UInt32
const plait_access_flags = UInt32
const plait_advice = UInt32
const plait_task = UInt64
const plait_flow_flags = UInt32
const plait_task_kind = UInt32
const plait_task_flags = UInt32
const plait_capture_flags = UInt32
const plait_link_flags = UInt32
const plait_flow_format = Int32
const plait_memory_peers = UInt32
const plait_memories_flags = UInt32
const plait_code_parameter_flags = UInt32
const plait_code_flags = UInt32

# Constants
const PLAIT_VERSION_MAJOR = UInt32(0)
const PLAIT_VERSION_MINOR = UInt32(1)
const PLAIT_VERSION_PATCH = UInt32(0)
const PLAIT_ABI = UInt32(1)
const PLAIT_OK = plait_status(0)
const PLAIT_PENDING = plait_status(1)
const PLAIT_EVENT_READY = plait_status(2)
const PLAIT_E_INVALID = plait_status(-1)
const PLAIT_E_HANDLE = plait_status(-2)
const PLAIT_E_NOMEM = plait_status(-3)
const PLAIT_E_UNSUPPORTED = plait_status(-4)
const PLAIT_E_UNAVAILABLE = plait_status(-5)
const PLAIT_E_STATE = plait_status(-6)
const PLAIT_E_BUSY = plait_status(-7)
const PLAIT_E_TIMEOUT = plait_status(-8)
const PLAIT_E_CANCELLED = plait_status(-9)
const PLAIT_E_FAILED = plait_status(-10)
const PLAIT_E_LOST = plait_status(-11)
const PLAIT_E_THREAD = plait_status(-12)
const PLAIT_E_DEADLOCK = plait_status(-13)
const PLAIT_E_FORKED = plait_status(-14)
const PLAIT_E_INTERNAL = plait_status(-15)
const PLAIT_ERROR_TEXT_BYTES = UInt32(232)
const PLAIT_LOG_DEFAULT = plait_log_level(0)
const PLAIT_LOG_NONE = plait_log_level(1)
const PLAIT_LOG_ERROR = plait_log_level(2)
const PLAIT_LOG_WARNING = plait_log_level(3)
const PLAIT_LOG_INFO = plait_log_level(4)
const PLAIT_LOG_DEBUG = plait_log_level(5)
const PLAIT_OBJECT_ANY = plait_object_kind(0)
const PLAIT_OBJECT_CONTEXT = plait_object_kind(1)
const PLAIT_OBJECT_DEVICE = plait_object_kind(2)
const PLAIT_OBJECT_QUEUE = plait_object_kind(3)
const PLAIT_OBJECT_SIGNAL = plait_object_kind(4)
const PLAIT_OBJECT_BUFFER = plait_object_kind(5)
const PLAIT_OBJECT_INBOX = plait_object_kind(6)
const PLAIT_OBJECT_KERNEL = plait_object_kind(7)
const PLAIT_OBJECT_GRAPH = plait_object_kind(8)
const PLAIT_OBJECT_PLAN = plait_object_kind(9)
const PLAIT_OBJECT_RUN = plait_object_kind(10)
const PLAIT_OBJECT_CALLABLE = plait_object_kind(11)
const PLAIT_OBJECT_SCHEDULE = plait_object_kind(12)
const PLAIT_OBJECT_COLL = plait_object_kind(13)
const PLAIT_OBJECT_FLOW = plait_object_kind(14)
const PLAIT_OBJECT_DATA = plait_object_kind(15)
const PLAIT_OBJECT_WORLD = plait_object_kind(16)
const PLAIT_OBJECT_COLLECTIVE = plait_object_kind(17)
const PLAIT_IMAGE_NONE = plait_image_format(0)
const PLAIT_IMAGE_R32F = plait_image_format(1)
const PLAIT_IMAGE_RGBA32F = plait_image_format(2)
const PLAIT_IMAGE_RGBA8 = plait_image_format(3)
const PLAIT_SAMPLER_LINEAR = plait_sampler_flags(1)
const PLAIT_SAMPLER_ZERO = plait_sampler_flags(2)
const PLAIT_CONTEXT_NO_WORKERS = plait_context_flags(1)
const PLAIT_CONTEXT_SYNC = plait_context_flags(2)
const PLAIT_DEVICE_MAP = plait_device_capabilities(1)
const PLAIT_DEVICE_WRAP = plait_device_capabilities(2)
const PLAIT_DEVICE_HOST_CALL = plait_device_capabilities(4)
const PLAIT_DEVICE_GATE = plait_device_capabilities(8)
const PLAIT_DEVICE_NOTIFY = plait_device_capabilities(16)
const PLAIT_DEVICE_NEEDS_PUMP = plait_device_capabilities(32)
const PLAIT_DEVICE_VIRTUAL_TIME = plait_device_capabilities(64)
const PLAIT_DEVICE_NATIVE = plait_device_capabilities(128)
const PLAIT_DEVICE_SEGMENT = plait_device_capabilities(256)
const PLAIT_DEVICE_ROWS = plait_device_capabilities(512)
const PLAIT_DEVICE_REGION = plait_device_capabilities(1024)
const PLAIT_DEVICE_LASTS = plait_device_capabilities(2048)
const PLAIT_DEVICE_HOST = plait_device_capabilities(4096)
const PLAIT_DEVICE_POLLS = plait_device_capabilities(8192)
const PLAIT_DEVICE_IMAGE = plait_device_capabilities(16384)
const PLAIT_BUFFER_TEMPORARY = plait_buffer_flags(1)
const PLAIT_CALL_ANY_THREAD = plait_call_flags(1)
const PLAIT_CALL_COROUTINE = plait_call_flags(4)
const PLAIT_CALL_FIRST_WORKER = plait_call_flags(8)
const PLAIT_WRAP_READ_ONLY = plait_wrap_flags(2)
const PLAIT_MAP_READ = plait_map_flags(1)
const PLAIT_MAP_WRITE = plait_map_flags(2)
const PLAIT_ARRAY_MAX_DIMENSIONS = UInt32(16)
const PLAIT_ELEMENT_INT = plait_element(0)
const PLAIT_ELEMENT_UINT = plait_element(1)
const PLAIT_ELEMENT_FLOAT = plait_element(2)
const PLAIT_ELEMENT_BFLOAT = plait_element(4)
const PLAIT_ELEMENT_COMPLEX = plait_element(5)
const PLAIT_ELEMENT_BOOL = plait_element(6)
const PLAIT_ARRAY_READ_ONLY = plait_array_flags(1)
const PLAIT_ARRAY_OVERLAPS = plait_array_flags(2)
const PLAIT_ARRAY_COMPACT = plait_array_flags(4)
const PLAIT_TENSOR_LEGACY = plait_tensor_flags(16)
const PLAIT_EVENT_CALL = plait_event_kind(1)
const PLAIT_EVENT_SIGNAL = plait_event_kind(2)
const PLAIT_EVENT_RELEASED = plait_event_kind(3)
const PLAIT_EVENT_RUN = plait_event_kind(4)
const PLAIT_EVENT_TASK = plait_event_kind(5)
const PLAIT_EVENT_STOPPED = plait_event_kind(6)
const PLAIT_SIGNAL_GATE = plait_signal_flags(1)
const PLAIT_WAIT_ALL = plait_wait_mode(0)
const PLAIT_WAIT_ANY = plait_wait_mode(1)
const PLAIT_ARGUMENT_VALUE = plait_argument_kind(0)
const PLAIT_ARGUMENT_BUFFER = plait_argument_kind(1)
const PLAIT_ARGUMENT_PARAMETER = plait_argument_kind(2)
const PLAIT_ARGUMENT_ROTATION = plait_argument_kind(3)
const PLAIT_ARGUMENT_ITERATION = plait_argument_kind(4)
const PLAIT_ARGUMENT_SCRATCH = plait_argument_kind(5)
const PLAIT_ARGUMENT_LOCAL = plait_argument_kind(6)
const PLAIT_ARGUMENT_DATA = plait_argument_kind(7)
const PLAIT_ARGUMENT_ACCESS = plait_argument_kind(8)
const PLAIT_ARGUMENT_CHUNK = plait_argument_kind(9)
const PLAIT_ARGUMENT_HOST = plait_argument_kind(10)
const PLAIT_SERIES_FROM_COUNT = plait_series_flags(1)
const PLAIT_COMMAND_NOP = plait_command_kind(0)
const PLAIT_COMMAND_CALL = plait_command_kind(1)
const PLAIT_COMMAND_COPY = plait_command_kind(2)
const PLAIT_COMMAND_FILL = plait_command_kind(3)
const PLAIT_COMMAND_READ = plait_command_kind(4)
const PLAIT_COMMAND_WRITE = plait_command_kind(5)
const PLAIT_COMMAND_WAIT = plait_command_kind(6)
const PLAIT_COMMAND_EMIT = plait_command_kind(7)
const PLAIT_COMMAND_LAUNCH = plait_command_kind(8)
const PLAIT_NATIVE_POINTER = plait_native_kind(1)
const PLAIT_NATIVE_CL_PLATFORM = plait_native_kind(16)
const PLAIT_NATIVE_CL_DEVICE = plait_native_kind(17)
const PLAIT_NATIVE_CL_CONTEXT = plait_native_kind(18)
const PLAIT_NATIVE_CL_QUEUE = plait_native_kind(19)
const PLAIT_NATIVE_CL_MEMORY = plait_native_kind(20)
const PLAIT_NATIVE_CU_DEVICE = plait_native_kind(32)
const PLAIT_NATIVE_CU_CONTEXT = plait_native_kind(33)
const PLAIT_NATIVE_CU_STREAM = plait_native_kind(34)
const PLAIT_NATIVE_CU_POINTER = plait_native_kind(35)
const PLAIT_NATIVE_MPI_COMM = plait_native_kind(48)
const PLAIT_SOURCE_PORTABLE = plait_source_form(0)
const PLAIT_SOURCE_C = plait_source_form(1)
const PLAIT_SOURCE_OPENCL_C = plait_source_form(2)
const PLAIT_SOURCE_OPENCL_BINARY = plait_source_form(3)
const PLAIT_SOURCE_SPIRV = plait_source_form(4)
const PLAIT_SOURCE_CUDA_C = plait_source_form(5)
const PLAIT_SOURCE_PTX = plait_source_form(6)
const PLAIT_SOURCE_CUBIN = plait_source_form(7)
const PLAIT_SOURCE_STRICT = plait_source_flags(1)
const PLAIT_SOURCE_FAST = plait_source_flags(2)
const PLAIT_SOURCE_NO_ALIAS = plait_source_flags(4)
const PLAIT_FORM_DESCRIBED = plait_function_form(0)
const PLAIT_FORM_FIXED = plait_function_form(1)
const PLAIT_FORM_RANGE = plait_function_form(2)
const PLAIT_KERNEL_COROUTINE = plait_kernel_flags(1)
const PLAIT_KERNEL_FIRST_WORKER = plait_kernel_flags(2)
const PLAIT_NODE_JOIN = plait_node_kind(0)
const PLAIT_NODE_LAUNCH = plait_node_kind(1)
const PLAIT_NODE_CALL = plait_node_kind(2)
const PLAIT_NODE_COPY = plait_node_kind(3)
const PLAIT_NODE_FILL = plait_node_kind(4)
const PLAIT_NODE_EMIT = plait_node_kind(5)
const PLAIT_NODE_WAIT = plait_node_kind(6)
const PLAIT_NODE_MARK = plait_node_kind(7)
const PLAIT_NODE_SUBGRAPH = plait_node_kind(8)
const PLAIT_NODE_WHILE = plait_node_kind(9)
const PLAIT_NODE_DO = plait_node_kind(10)
const PLAIT_NODE_CASE = plait_node_kind(11)
const PLAIT_NODE_REPEAT = plait_node_kind(12)
const PLAIT_NODE_READ = plait_node_kind(13)
const PLAIT_NODE_WRITE = plait_node_kind(14)
const PLAIT_NODE_COLLECTIVE = plait_node_kind(15)
const PLAIT_NODE_ON_FIRST = plait_node_flags(0)
const PLAIT_NODE_ON_ALL_BARRIER = plait_node_flags(16)
const PLAIT_NODE_ON_ALL_GROUP = plait_node_flags(32)
const PLAIT_NODE_FREE = plait_node_flags(64)
const PLAIT_ROTATION_PROLOGUE = plait_rotation_flags(1)
const PLAIT_POLICY_BOUNDED = plait_policy(0)
const PLAIT_POLICY_WIDEST = plait_policy(1)
const PLAIT_MODE_STRICT = plait_mode(0)
const PLAIT_MODE_HELPED = plait_mode(1)
const PLAIT_MODE_AUTO = plait_mode(2)
const PLAIT_FREEZE_CHECK = plait_freeze_flags(1)
const PLAIT_FREEZE_QUEUES = plait_freeze_flags(2)
const PLAIT_FREEZE_PROGRAM_ORDER = plait_freeze_flags(4)
const PLAIT_FORMAT_BINARY = plait_plan_format(0)
const PLAIT_FORMAT_JSON = plait_plan_format(1)
const PLAIT_FORMAT_DOT = plait_plan_format(2)
const PLAIT_FORMAT_SVG = plait_plan_format(3)
const PLAIT_BINDING_KERNEL = plait_binding_kind(0)
const PLAIT_BINDING_BUFFER = plait_binding_kind(1)
const PLAIT_BINDING_SIGNAL = plait_binding_kind(2)
const PLAIT_BINDING_FUNCTION = plait_binding_kind(3)
const PLAIT_BINDING_DEVICE = plait_binding_kind(4)
const PLAIT_BINDING_IS_ANY_THREAD = plait_binding_flags(1)
const PLAIT_BINDING_IS_EMITTED = plait_binding_flags(2)
const PLAIT_BINDING_IS_PREDICATE = plait_binding_flags(4)
const PLAIT_BINDING_IS_COROUTINE = plait_binding_flags(8)
const PLAIT_BINDING_IS_FIRST_WORKER = plait_binding_flags(16)
const PLAIT_PARAMETER_VALUE = plait_parameter_kind(0)
const PLAIT_PARAMETER_BUFFER = plait_parameter_kind(1)
const PLAIT_PARAMETER_LAUNCH = plait_parameter_kind(2)
const PLAIT_PARAMETER_HOST = plait_parameter_kind(3)
const PLAIT_RUN_NO_WAIT = plait_run_flags(1)
const PLAIT_RUN_SERIAL = plait_run_flags(4)
const PLAIT_RUN_PARALLEL = plait_run_flags(8)
const PLAIT_RUN_RECORD = plait_run_flags(16)
const PLAIT_RUN_OVERLAP = plait_run_flags(32)
const PLAIT_RECORD_COMMAND = plait_record_kind(0)
const PLAIT_RECORD_WAIT = plait_record_kind(1)
const PLAIT_RECORD_DECISION = plait_record_kind(2)
const PLAIT_TRACE_JSON = plait_trace_format(0)
const PLAIT_TRACE_SVG = plait_trace_format(1)
const PLAIT_COLL_CUSTOM = plait_coll_kind(0)
const PLAIT_COLL_ALLREDUCE = plait_coll_kind(1)
const PLAIT_COLL_ALLGATHER = plait_coll_kind(2)
const PLAIT_COLL_REDUCE_SCATTER = plait_coll_kind(3)
const PLAIT_COLL_ALLTOALL = plait_coll_kind(4)
const PLAIT_COLL_BROADCAST = plait_coll_kind(5)
const PLAIT_COLL_REDUCE = plait_coll_kind(6)
const PLAIT_COLL_GATHER = plait_coll_kind(7)
const PLAIT_COLL_SCATTER = plait_coll_kind(8)
const PLAIT_COLL_ALLTONEXT = plait_coll_kind(9)
const PLAIT_TARGET_PLAIT = plait_coll_target(0)
const PLAIT_TARGET_MSCCL = plait_coll_target(1)
const PLAIT_TARGET_EXECUTOR = plait_coll_target(2)
const PLAIT_TARGET_RCCL = plait_coll_target(3)
const PLAIT_SCHEDULE_XML_MSCCL = plait_schedule_format(1)
const PLAIT_SCHEDULE_XML_EXECUTOR = plait_schedule_format(2)
const PLAIT_SCHEDULE_XML_RCCL = plait_schedule_format(3)
const PLAIT_SCHEDULE_BINARY = plait_schedule_format(4)
const PLAIT_PROOF_PROVED = plait_proof_reason(0)
const PLAIT_PROOF_SHAPE = plait_proof_reason(1)
const PLAIT_PROOF_DEADLOCK = plait_proof_reason(2)
const PLAIT_PROOF_RACE = plait_proof_reason(3)
const PLAIT_PROOF_VALUE = plait_proof_reason(4)
const PLAIT_PROOF_SAME_BITS = plait_proof_flags(1)
const PLAIT_PROOF_EXPORTS_MSCCL = plait_proof_flags(2)
const PLAIT_PROOF_EXPORTS_EXECUTOR = plait_proof_flags(4)
const PLAIT_PROOF_EXPORTS_RCCL = plait_proof_flags(8)
const PLAIT_PROOF_HAS_TARGET = plait_proof_desc_flags(1)
const PLAIT_PROOF_HAS_KIND = plait_proof_desc_flags(2)
const PLAIT_PROOF_HAS_PROMISES = plait_proof_desc_flags(4)
const PLAIT_CHUNK_INPUT = plait_chunk_buffer(0)
const PLAIT_CHUNK_OUTPUT = plait_chunk_buffer(1)
const PLAIT_CHUNK_SCRATCH = plait_chunk_buffer(2)
const PLAIT_COLL_IN_PLACE = plait_coll_flags(1)
const PLAIT_CHUNK_HAS_BUFFER = plait_chunk_place_flags(1)
const PLAIT_CHUNK_HAS_CHANNEL = plait_chunk_place_flags(2)
const PLAIT_CHUNK_HAS_LANES = plait_chunk_place_flags(4)
const PLAIT_CHUNK_APPEND = plait_chunk_place_flags(8)
const PLAIT_PROTOCOL_AUTO = plait_coll_protocol(0)
const PLAIT_PROTOCOL_SIMPLE = plait_coll_protocol(1)
const PLAIT_PROTOCOL_LL = plait_coll_protocol(2)
const PLAIT_PROTOCOL_LL128 = plait_coll_protocol(3)
const PLAIT_COMPILE_NO_FUSION = plait_compile_flags(1)
const PLAIT_COMPILE_SEPARATE_LANES = plait_compile_flags(2)
const PLAIT_COMPILE_AGGREGATE = plait_compile_flags(4)
const PLAIT_SCHEDULE_IN_PLACE = plait_schedule_flags(1)
const PLAIT_REDUCE_SUM = plait_reduction(0)
const PLAIT_REDUCE_PROD = plait_reduction(1)
const PLAIT_REDUCE_MIN = plait_reduction(2)
const PLAIT_REDUCE_MAX = plait_reduction(3)
const PLAIT_MAPPER_ALL = plait_mapper_kind(0)
const PLAIT_MAPPER_ONE_TO_ONE = plait_mapper_kind(1)
const PLAIT_MAPPER_SLICE = plait_mapper_kind(2)
const PLAIT_MAPPER_NEIGHBORHOOD = plait_mapper_kind(3)
const PLAIT_MAPPER_FIXED = plait_mapper_kind(4)
const PLAIT_MAPPER_EVEN_SPLIT = plait_mapper_kind(5)
const PLAIT_MAPPER_BOXES = plait_mapper_kind(6)
const PLAIT_MAPPER_FUNCTION = plait_mapper_kind(7)
const PLAIT_MAPPER_NO_CORNERS = plait_mapper_flags(1)
const PLAIT_CHOOSE_EARLIEST = plait_device_choice(0)
const PLAIT_CHOOSE_SINGLE = plait_device_choice(1)
const PLAIT_CHOOSE_ROUND_ROBIN = plait_device_choice(2)
const PLAIT_CHOOSE_STREAM_AWARE = plait_device_choice(3)
const PLAIT_CHOOSE_MIN_SIZE = plait_device_choice(4)
const PLAIT_CHOOSE_MINMIN_TIME = plait_device_choice(5)
const PLAIT_CHOOSE_MINMAX_TIME = plait_device_choice(6)
const PLAIT_PARENT_BEST = plait_parent_choice(0)
const PLAIT_PARENT_SAME = plait_parent_choice(1)
const PLAIT_PARENT_DISJOINT = plait_parent_choice(2)
const PLAIT_PARENT_EARLY_DISJOINT = plait_parent_choice(3)
const PLAIT_PARENT_DEVICE_DISJOINT = plait_parent_choice(4)
const PLAIT_LANE_REUSE = plait_lane_choice(0)
const PLAIT_LANE_ALWAYS_NEW = plait_lane_choice(1)
const PLAIT_ACCESS_BY_SIGNATURE = plait_access_mode(0)
const PLAIT_ACCESS_READ = plait_access_mode(1)
const PLAIT_ACCESS_WRITE = plait_access_mode(2)
const PLAIT_ACCESS_READ_WRITE = plait_access_mode(3)
const PLAIT_ACCESS_REDUCE = plait_access_mode(4)
const PLAIT_ACCESS_ACCUMULATE = plait_access_flags(1)
const PLAIT_ADVISE_PREFETCH = plait_advice(0)
const PLAIT_ADVISE_RESERVE = plait_advice(1)
const PLAIT_ADVISE_EVICT = plait_advice(2)
const PLAIT_FLOW_RECORD = plait_flow_flags(1)
const PLAIT_FLOW_STRICT = plait_flow_flags(2)
const PLAIT_FLOW_CHECK = plait_flow_flags(4)
const PLAIT_FLOW_FIXED = plait_flow_flags(8)
const PLAIT_FLOW_REPEATS = plait_flow_flags(16)
const PLAIT_TASK_LAUNCH = plait_task_kind(0)
const PLAIT_TASK_CALL = plait_task_kind(1)
const PLAIT_TASK_COPY = plait_task_kind(2)
const PLAIT_TASK_FILL = plait_task_kind(3)
const PLAIT_TASK_READ = plait_task_kind(4)
const PLAIT_TASK_WRITE = plait_task_kind(5)
const PLAIT_TASK_PLAN = plait_task_kind(6)
const PLAIT_TASK_EMIT = plait_task_kind(7)
const PLAIT_TASK_WAIT = plait_task_kind(8)
const PLAIT_TASK_NO_WAIT = plait_task_flags(16)
const PLAIT_TASK_BARRIER = plait_task_flags(32)
const PLAIT_TASK_COLLECTIVE = plait_task_flags(64)
const PLAIT_CAPTURE_LOCAL_SIGNALS = plait_capture_flags(1)
const PLAIT_CAPTURE_NO_CALLS = plait_capture_flags(2)
const PLAIT_LINK_DIRECT = plait_link_flags(1)
const PLAIT_LINK_SHARED = plait_link_flags(2)
const PLAIT_LINK_LATENCY_ASSUMED = plait_link_flags(4)
const PLAIT_LINK_BANDWIDTH_ASSUMED = plait_link_flags(8)
const PLAIT_FLOW_TEXT = plait_flow_format(0)
const PLAIT_FLOW_JSON = plait_flow_format(1)
const PLAIT_FLOW_DOT = plait_flow_format(2)
const PLAIT_FLOW_SVG = plait_flow_format(3)
const PLAIT_PEERS_ALL = plait_memory_peers(0)
const PLAIT_PEERS_RING = plait_memory_peers(1)
const PLAIT_PEERS_NONE = plait_memory_peers(2)
const PLAIT_MEMORIES_SHARED = plait_memories_flags(1)
const PLAIT_MEMORIES_NO_LOOKAHEAD = plait_memories_flags(2)
const PLAIT_MEMORIES_STRICT = plait_memories_flags(4)
const PLAIT_CODE_POINTER = plait_code_parameter_flags(1)
const PLAIT_CODE_READS = plait_code_parameter_flags(2)
const PLAIT_CODE_WRITES = plait_code_parameter_flags(4)
const PLAIT_CODE_LOCAL = plait_code_parameter_flags(8)
const PLAIT_CODE_IMAGE = plait_code_parameter_flags(16)
const PLAIT_CODE_SAMPLER = plait_code_parameter_flags(32)
const PLAIT_CODE_PORTABLE = plait_code_flags(256)

# Handles
mutable struct plait_context end
mutable struct plait_device end
mutable struct plait_queue end
mutable struct plait_signal end
mutable struct plait_buffer end
mutable struct plait_inbox end
mutable struct plait_run end
mutable struct plait_kernel end
mutable struct plait_graph end
mutable struct plait_plan end
mutable struct plait_callable end
mutable struct plait_schedule end
mutable struct plait_coll end
mutable struct plait_world end
mutable struct plait_collective end
mutable struct plait_flow end
mutable struct plait_data end
mutable struct plait_backend_memory end
mutable struct plait_backend_kernel end
mutable struct plait_backend_launch end
mutable struct plait_build_log end
mutable struct plait_host_code end

struct plait_error
    size::UInt32
    status::plait_status
    origin::Int64
    detail::UInt64
    text::NTuple{232, UInt8}
end

struct plait_allocator
    size::UInt32
    flags::UInt32
    resize::Ptr{Cvoid}
    user_data::Ptr{Cvoid}
end

struct plait_context_desc
    size::UInt32
    flags::plait_context_flags
    backends::Cstring
    plugin_path::Cstring
    wrap::Cstring
    options::Cstring
    allocator::Ptr{plait_allocator}
    log::Ptr{Cvoid}
    log_user_data::Ptr{Cvoid}
    log_level::plait_log_level
    workers::UInt32
end

struct plait_device_info
    size::UInt32
    index::UInt32
    capabilities::plait_device_capabilities
    parallel::UInt32
    memory_bytes::UInt64
    budget_bytes::UInt64
    used_bytes::UInt64
    alignment_bytes::UInt64
    name::NTuple{48, UInt8}
    backend::NTuple{32, UInt8}
    description::NTuple{256, UInt8}
    stray_notifications::UInt64
    forms::UInt32
    memory::UInt32
    local_bytes::UInt64
end

struct plait_buffer_desc
    size::UInt32
    flags::plait_buffer_flags
    bytes::UInt64
    alignment_bytes::UInt64
    label::Cstring
    format::plait_image_format
    width::UInt32
    height::UInt32
    reserved0::UInt32
end

struct plait_wrap_desc
    size::UInt32
    flags::plait_wrap_flags
    pointer::Ptr{Cvoid}
    bytes::UInt64
    label::Cstring
    inbox::Ptr{plait_inbox}
    released::Ptr{Cvoid}
    user_data::Ptr{Cvoid}
    native_kind::UInt32
    reserved0::UInt32
    native::UInt64
end

struct plait_array
    size::UInt32
    flags::plait_array_flags
    element::plait_element
    element_bits::UInt32
    lanes::UInt32
    dimensions::UInt32
    offset_bytes::UInt64
    shape::NTuple{16, Int64}
    strides::NTuple{16, Int64}
end

struct plait_import_desc
    size::UInt32
    flags::plait_tensor_flags
    inbox::Ptr{plait_inbox}
    label::Cstring
end

struct plait_event
    size::UInt32
    kind::plait_event_kind
    id::UInt64
    status::plait_status
    reserved0::UInt32
    origin::Int64
    function_::Ptr{Cvoid}
    user_data::Ptr{Cvoid}
    signal::Ptr{plait_signal}
    sequence::UInt64
    detail::UInt64
    run::Ptr{plait_run}
end

struct plait_signal_desc
    size::UInt32
    flags::plait_signal_flags
    label::Cstring
end

struct plait_point
    signal::Ptr{plait_signal}
    sequence::UInt64
end

struct plait_launch
    size::UInt32
    dimensions::UInt32
    items::NTuple{3, UInt64}
    group::NTuple{3, UInt64}
end

struct plait_series
    size::UInt32
    flags::plait_series_flags
    offset::Int64
    scale::Int64
    limit::Int64
end

struct plait_argument
    size::UInt32
    kind::plait_argument_kind
    value::Ptr{Cvoid}
    bytes::UInt64
    buffer::Ptr{plait_buffer}
    offset_bytes::UInt64
    name::Cstring
    rotation::UInt64
    ahead::UInt64
    series::Ptr{plait_series}
end

struct plait_queue_desc
    size::UInt32
    flags::UInt32
    label::Cstring
    capacity::UInt64
    priority::Int32
    native_kind::UInt32
    native::UInt64
end

struct plait_rows
    size::UInt32
    flags::UInt32
    rows::UInt64
    slices::UInt64
    target_row::UInt64
    target_slice::UInt64
    source_row::UInt64
    source_slice::UInt64
end

struct plait_command
    size::UInt32
    kind::plait_command_kind
    flags::plait_call_flags
    pattern_bytes::UInt32
    pattern::UInt64
    bytes::UInt64
    target::Ptr{plait_buffer}
    target_offset::UInt64
    source::Ptr{plait_buffer}
    source_offset::UInt64
    host::Ptr{Cvoid}
    function_::Ptr{Cvoid}
    user_data::Ptr{Cvoid}
    inbox::Ptr{plait_inbox}
    signal::Ptr{plait_signal}
    sequence::UInt64
    label::Cstring
    rows::Ptr{plait_rows}
    kernel::Ptr{plait_kernel}
    launch::Ptr{plait_launch}
    arguments::Ptr{plait_argument}
    argument_count::UInt64
end

struct plait_source
    size::UInt32
    form::plait_source_form
    flags::plait_source_flags
    reserved0::UInt32
    backend::Cstring
    code::Ptr{Cvoid}
    bytes::UInt64
    entry::Cstring
    file::Cstring
    defines::Cstring
    options::Cstring
    before::Ptr{plait_source}
    before_count::UInt64
end

struct plait_range
    size::UInt32
    dimensions::UInt32
    begin_::NTuple{3, UInt64}
    end_::NTuple{3, UInt64}
end

struct plait_kernel_desc
    size::UInt32
    flags::plait_kernel_flags
    signature::Cstring
    function_::Ptr{Cvoid}
    user_data::Ptr{Cvoid}
    range::Ptr{Cvoid}
    described::Ptr{Cvoid}
    library::Cstring
    symbol::Cstring
    form::plait_function_form
    reserved0::UInt32
    grain::UInt64
    sources::Ptr{plait_source}
    source_count::UInt64
end

struct plait_node_desc
    size::UInt32
    kind::plait_node_kind
    flags::plait_node_flags
    pattern_bytes::UInt32
    label::Cstring
    file::Cstring
    line::UInt32
    device_count::UInt32
    device::Ptr{plait_device}
    devices::Ptr{Ptr{plait_device}}
    cost::UInt64
    scratch_bytes::UInt64
    kernel::Ptr{plait_kernel}
    launch::Ptr{plait_launch}
    launch_parameter::Cstring
    arguments::Ptr{plait_argument}
    argument_count::UInt64
    function_::Ptr{Cvoid}
    user_data::Ptr{Cvoid}
    inbox::Ptr{plait_inbox}
    target::Ptr{plait_buffer}
    target_offset::UInt64
    source::Ptr{plait_buffer}
    source_offset::UInt64
    bytes::UInt64
    pattern::UInt64
    signal::Ptr{plait_signal}
    sequence::UInt64
    subgraph::Ptr{plait_graph}
    predicate::Ptr{plait_buffer}
    predicate_offset::UInt64
    branch_count::UInt64
    times::UInt64
    rows::Ptr{plait_rows}
    target_parameter::Cstring
    source_parameter::Cstring
    count_parameter::Cstring
    count_step::UInt64
    series::Ptr{plait_series}
    series_count::UInt64
    host_parameter::Cstring
    host_offset::UInt64
    user_data_parameter::Cstring
    target_rotation::UInt64
    target_ahead::UInt64
    source_rotation::UInt64
    source_ahead::UInt64
end

struct plait_freeze_desc
    size::UInt32
    flags::plait_freeze_flags
    policy::plait_policy
    mode::plait_mode
    lanes::UInt32
    instances::UInt32
    hop_cost::UInt64
    sources::Ptr{plait_node}
    sinks::Ptr{plait_node}
    source_count::UInt64
    sink_count::UInt64
    whole::Ptr{plait_plan}
end

struct plait_plan_info
    size::UInt32
    policy::plait_policy
    mode::plait_mode
    devices::UInt32
    nodes::UInt64
    edges::UInt64
    lanes::UInt64
    commands::UInt64
    waits::UInt64
    signals::UInt64
    regions::UInt64
    makespan::UInt64
    scratch_bytes::UInt64
    bytes::UInt64
    peak_bytes::UInt64
    bindings::UInt32
    unbound::UInt32
end

struct plait_system_desc
    size::UInt32
    flags::UInt32
    hop_cost::UInt64
    submit_cost::UInt64
    copy_alpha::UInt64
    copy_beta::UInt64
end

struct plait_simulation
    size::UInt32
    reserved0::UInt32
    makespan::UInt64
    critical_cost::UInt64
    critical_count::UInt64
    busy::UInt64
    memory_peak::UInt64
end

struct plait_lane_use
    size::UInt32
    device::UInt32
    device_name::Cstring
    commands::UInt64
    waits::UInt64
    start::UInt64
    end_::UInt64
    busy::UInt64
end

struct plait_critical_command
    size::UInt32
    lane::UInt32
    node::UInt64
    command::UInt64
    label::Cstring
    start::UInt64
    end_::UInt64
end

struct plait_plan_binding
    size::UInt32
    kind::plait_binding_kind
    flags::plait_binding_flags
    bound::UInt32
    bytes::UInt64
    name::Cstring
    detail::Cstring
end

struct plait_function_desc
    size::UInt32
    flags::plait_call_flags
    function_::Ptr{Cvoid}
    user_data::Ptr{Cvoid}
    inbox::Ptr{plait_inbox}
end

struct plait_parameter_info
    size::UInt32
    kind::plait_parameter_kind
    bytes::UInt64
    type::NTuple{32, UInt8}
    name::NTuple{64, UInt8}
end

struct plait_binding
    size::UInt32
    parameter::UInt32
    value::Ptr{Cvoid}
    bytes::UInt64
    buffer::Ptr{plait_buffer}
    offset_bytes::UInt64
end

struct plait_run_desc
    size::UInt32
    flags::plait_run_flags
    bindings::Ptr{plait_binding}
    binding_count::UInt64
end

struct plait_run_info
    size::UInt32
    status::plait_status
    iterations::UInt64
    failed_command::UInt64
    commands::UInt64
    commands_expected::UInt64
    begin_ns::UInt64
    end_ns::UInt64
    device_regions::UInt64
end

struct plait_command_info
    size::UInt32
    kind::plait_node_kind
    lane::UInt32
    device::UInt32
    label::NTuple{64, UInt8}
end

struct plait_callable_desc
    size::UInt32
    flags::plait_run_flags
    signature::Cstring
    failed::Ptr{Cvoid}
    user_data::Ptr{Cvoid}
end

struct plait_record
    size::UInt32
    kind::plait_record_kind
    lane::UInt32
    planned_lane::UInt32
    command::UInt64
    other::UInt64
    iteration::UInt64
    thread::UInt64
    start_ns::UInt64
    end_ns::UInt64
end

struct plait_tune_desc
    size::UInt32
    flags::UInt32
    mode::plait_mode
    lanes::UInt32
    hop_ns::UInt64
end

struct plait_tune_info
    size::UInt32
    reserved0::UInt32
    runs::UInt64
    measured::UInt64
    before_ns::UInt64
    after_ns::UInt64
end

struct plait_coll_promise
    size::UInt32
    rank::UInt32
    index::UInt64
    source_count::UInt64
    source_ranks::Ptr{UInt32}
    source_indices::Ptr{UInt64}
end

struct plait_proof_desc
    size::UInt32
    flags::plait_proof_desc_flags
    target::plait_coll_target
    depth::UInt32
    kind::plait_coll_kind
    root::UInt32
    slot_bytes::UInt64
    promise_count::UInt64
    promises::Ptr{plait_coll_promise}
end

struct plait_proof
    size::UInt32
    reason::plait_proof_reason
    flags::plait_proof_flags
    depth::UInt32
    depth_min::UInt32
    lanes::UInt32
    channels::UInt32
    lane_steps::UInt32
    step_chunks::UInt32
    ranks::UInt32
    steps::UInt64
    safe_bytes::UInt64
end

struct plait_coll_simulation
    size::UInt32
    flags::UInt32
    time_ns::UInt64
    tiles::UInt64
    executed_tiles::UInt64
    tile_bytes::UInt64
    critical_steps::UInt64
    critical_ns::UInt64
    latency_ns::UInt64
end

struct plait_coll_desc
    size::UInt32
    flags::plait_coll_flags
    kind::plait_coll_kind
    ranks::UInt32
    root::UInt32
    chunks::UInt32
    input_chunks::UInt64
    output_chunks::UInt64
    promise_count::UInt64
    promises::Ptr{plait_coll_promise}
    label::Cstring
end

struct plait_chunk_place
    size::UInt32
    flags::plait_chunk_place_flags
    rank::UInt32
    buffer::plait_chunk_buffer
    channel::UInt32
    send_lane::UInt32
    recv_lane::UInt32
    reserved0::UInt32
    index::UInt64
end

struct plait_compile_desc
    size::UInt32
    flags::plait_compile_flags
    target::plait_coll_target
    protocol::plait_coll_protocol
    instances::UInt32
    depth::UInt32
    lanes::UInt32
    channels::UInt32
    slot_bytes::UInt64
    min_bytes::UInt64
    max_bytes::UInt64
    message_chunks::UInt32
    reserved0::UInt32
end

struct plait_schedule_info
    size::UInt32
    flags::plait_schedule_flags
    kind::plait_coll_kind
    ranks::UInt32
    root::UInt32
    share_chunks::UInt32
    input_chunks::UInt32
    output_chunks::UInt32
    target::plait_coll_target
    depth::UInt32
    lanes::UInt64
    steps::UInt64
    name::NTuple{64, UInt8}
    min_bytes::UInt64
    max_bytes::UInt64
end

struct plait_collective_desc
    size::UInt32
    flags::UInt32
    element::plait_element
    element_bits::UInt32
    reduction::plait_reduction
    reserved0::UInt32
    count::UInt64
    inputs::Ptr{Ptr{plait_buffer}}
    outputs::Ptr{Ptr{plait_buffer}}
    devices::Ptr{Ptr{plait_device}}
end

struct plait_world_desc
    size::UInt32
    flags::UInt32
    transports::Cstring
    rank::UInt32
    ranks::UInt32
    native::UInt64
    native_kind::UInt32
    reserved0::UInt32
    open_ns::UInt64
    silence_ns::UInt64
end

struct plait_world_info
    size::UInt32
    flags::UInt32
    rank::UInt32
    ranks::UInt32
    machines::UInt32
    reserved0::UInt32
end

struct plait_collective_run
    size::UInt32
    flags::UInt32
    element::plait_element
    element_bits::UInt32
    reduction::plait_reduction
    reserved0::UInt32
    count::UInt64
    input::Ptr{plait_buffer}
    output::Ptr{plait_buffer}
    input_offset::UInt64
    output_offset::UInt64
    input_memory::Ptr{Cvoid}
    output_memory::Ptr{Cvoid}
end

struct plait_box
    low::NTuple{3, UInt64}
    high::NTuple{3, UInt64}
end

struct plait_mapper
    size::UInt32
    kind::plait_mapper_kind
    dimension::UInt32
    flags::plait_mapper_flags
    extent::NTuple{3, UInt64}
    boxes::Ptr{plait_box}
    box_count::UInt64
    function_::Ptr{Cvoid}
    user_data::Ptr{Cvoid}
end

struct plait_data_desc
    size::UInt32
    flags::UInt32
    dimensions::UInt32
    element_bytes::UInt32
    extent::NTuple{3, UInt64}
    buffer::Ptr{plait_buffer}
    buffer_offset::UInt64
    label::Cstring
end

struct plait_data_info
    size::UInt32
    dimensions::UInt32
    element_bytes::UInt32
    reserved0::UInt32
    extent::NTuple{3, UInt64}
    pitch::NTuple{3, UInt64}
    pointer::Ptr{Cvoid}
end

struct plait_access
    size::UInt32
    mode::plait_access_mode
    data::Ptr{plait_data}
    box::Ptr{plait_box}
    mapper::Ptr{plait_mapper}
    combine::Ptr{plait_kernel}
    identity::UInt64
    flags::plait_access_flags
    reserved0::UInt32
end

struct plait_flow_desc
    size::UInt32
    flags::plait_flow_flags
    window::UInt32
    lanes::UInt32
    label::Cstring
    devices::Ptr{Ptr{plait_device}}
    device_count::UInt32
    horizon::UInt32
    choose::plait_device_choice
    parent::plait_parent_choice
    lane::plait_lane_choice
    device_lanes::UInt32
    threshold::UInt32
    reserved0::UInt32
    world::Ptr{plait_world}
    memory_bytes::UInt64
    history::Cstring
    links::Cstring
end

struct plait_task_desc
    size::UInt32
    kind::plait_task_kind
    flags::plait_task_flags
    priority::Int32
    label::Cstring
    kernel::Ptr{plait_kernel}
    launch::Ptr{plait_launch}
    arguments::Ptr{plait_argument}
    argument_count::UInt64
    accesses::Ptr{plait_access}
    access_count::UInt64
    function_::Ptr{Cvoid}
    user_data::Ptr{Cvoid}
    inbox::Ptr{plait_inbox}
    target::Ptr{plait_data}
    source::Ptr{plait_data}
    target_box::Ptr{plait_box}
    source_box::Ptr{plait_box}
    host::Ptr{Cvoid}
    pattern::UInt64
    signal::Ptr{plait_signal}
    sequence::UInt64
    cost::UInt64
    split::UInt32
    pieces::UInt32
    plan::Ptr{plait_plan}
    run::Ptr{plait_run_desc}
end

struct plait_flow_info
    size::UInt32
    flags::UInt32
    window::UInt32
    lanes::UInt32
    newest::plait_task
    settled::plait_task
    failed::UInt64
    pieces::UInt64
    flow_bytes::UInt64
    data_bytes::UInt64
    warnings::UInt64
    repeated::UInt64
end

struct plait_link_info
    size::UInt32
    flags::plait_link_flags
    latency_ns::UInt64
    bytes_per_us::UInt64
end

struct plait_memories_desc
    size::UInt32
    flags::plait_memories_flags
    devices::UInt32
    peers::plait_memory_peers
    choose::plait_device_choice
    parent::plait_parent_choice
    lane::plait_lane_choice
    lanes::UInt32
    memory_bytes::UInt64
    links::Cstring
    weights::Ptr{UInt32}
end

struct plait_code_parameter
    size::UInt32
    flags::plait_code_parameter_flags
    bytes::UInt64
    name::Cstring
    type::Cstring
end

struct plait_code
    size::UInt32
    form::plait_source_form
    flags::plait_code_flags
    parameter_count::UInt32
    parameters::Ptr{plait_code_parameter}
    code::Ptr{Cvoid}
    bytes::UInt64
    entry::Cstring
    name::Cstring
    options::Cstring
    log::Ptr{plait_build_log}
end

struct plait_kernel_facts
    size::UInt32
    reserved0::UInt32
    group::NTuple{3, UInt64}
    group_items_max::UInt64
    local_bytes::UInt64
    private_bytes::UInt64
end

struct plait_launch_argument
    size::UInt32
    reserved0::UInt32
    memory::Ptr{plait_backend_memory}
    offset::UInt64
    value::Ptr{Cvoid}
end

struct plait_launch_request
    size::UInt32
    dimensions::UInt32
    items::NTuple{3, UInt64}
    group::NTuple{3, UInt64}
    kernel::Ptr{plait_backend_kernel}
    arguments::Ptr{plait_launch_argument}
    argument_count::UInt32
    reserved0::UInt32
end

struct plait_host_part
    size::UInt32
    reserved0::UInt32
    items::NTuple{3, UInt64}
    begin_::NTuple{3, UInt64}
    end_::NTuple{3, UInt64}
end

const STRUCTS = DataType[
    plait_error,
    plait_allocator,
    plait_context_desc,
    plait_device_info,
    plait_buffer_desc,
    plait_wrap_desc,
    plait_array,
    plait_import_desc,
    plait_event,
    plait_signal_desc,
    plait_point,
    plait_launch,
    plait_series,
    plait_argument,
    plait_queue_desc,
    plait_rows,
    plait_command,
    plait_source,
    plait_range,
    plait_kernel_desc,
    plait_node_desc,
    plait_freeze_desc,
    plait_plan_info,
    plait_system_desc,
    plait_simulation,
    plait_lane_use,
    plait_critical_command,
    plait_plan_binding,
    plait_function_desc,
    plait_parameter_info,
    plait_binding,
    plait_run_desc,
    plait_run_info,
    plait_command_info,
    plait_callable_desc,
    plait_record,
    plait_tune_desc,
    plait_tune_info,
    plait_coll_promise,
    plait_proof_desc,
    plait_proof,
    plait_coll_simulation,
    plait_coll_desc,
    plait_chunk_place,
    plait_compile_desc,
    plait_schedule_info,
    plait_collective_desc,
    plait_world_desc,
    plait_world_info,
    plait_collective_run,
    plait_box,
    plait_mapper,
    plait_data_desc,
    plait_data_info,
    plait_access,
    plait_flow_desc,
    plait_task_desc,
    plait_flow_info,
    plait_link_info,
    plait_memories_desc,
    plait_code_parameter,
    plait_code,
    plait_kernel_facts,
    plait_launch_argument,
    plait_launch_request,
    plait_host_part,
]

const plait_version_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_version - get the release of the library, such as \"0.1.0\"."
function plait_version()
    ccall(plait_version_at[], Cstring, ())
end

const plait_abi_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_abi - get the binary interface of the library; this header has PLAIT_ABI."
function plait_abi()
    ccall(plait_abi_at[], UInt32, ())
end

const plait_status_name_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_status_name - get the name of a status, such as \"PLAIT_E_NOMEM\"."
function plait_status_name(status)
    ccall(plait_status_name_at[], Cstring, (plait_status,), status)
end

const plait_sizeof_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_sizeof - get the size of a public struct in this library."
function plait_sizeof(name)
    ccall(plait_sizeof_at[], UInt64, (Cstring,), name)
end

const plait_error_detail_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_error_detail - get the long text of an error."
function plait_error_detail(detail, buffer, capacity_bytes, out_bytes)
    ccall(plait_error_detail_at[], plait_status, (UInt64, Ptr{UInt8}, UInt64, Ptr{UInt64}), detail, buffer, capacity_bytes, out_bytes)
end

const plait_live_count_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_live_count - count the live objects of a kind in this process."
function plait_live_count(object)
    ccall(plait_live_count_at[], UInt64, (plait_object_kind,), object)
end

const plait_context_open_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_context_open - load the backends and start the worker threads."
function plait_context_open(desc, out, error)
    ccall(plait_context_open_at[], plait_status, (Ptr{plait_context_desc}, Ptr{Ptr{plait_context}}, Ptr{plait_error}), desc, out, error)
end

const plait_context_retain_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_context_retain - add one reference."
function plait_context_retain(context)
    ccall(plait_context_retain_at[], Cvoid, (Ptr{plait_context},), context)
end

const plait_context_release_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_context_release - give one reference back."
function plait_context_release(context)
    ccall(plait_context_release_at[], Cvoid, (Ptr{plait_context},), context)
end

const plait_context_close_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_context_close - give one reference back and wait for the end of the context."
function plait_context_close(context, timeout_ns, error)
    ccall(plait_context_close_at[], plait_status, (Ptr{plait_context}, UInt64, Ptr{plait_error}), context, timeout_ns, error)
end

const plait_context_report_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_context_report - list the backends that were found, chosen and rejected, with reasons."
function plait_context_report(context, buffer, capacity_bytes, out_bytes, error)
    ccall(plait_context_report_at[], plait_status, (Ptr{plait_context}, Ptr{UInt8}, UInt64, Ptr{UInt64}, Ptr{plait_error}), context, buffer, capacity_bytes, out_bytes, error)
end

const plait_backend_report_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_backend_report - list the backends without opening a context."
function plait_backend_report(desc, buffer, capacity_bytes, out_bytes, error)
    ccall(plait_backend_report_at[], plait_status, (Ptr{plait_context_desc}, Ptr{UInt8}, UInt64, Ptr{UInt64}, Ptr{plait_error}), desc, buffer, capacity_bytes, out_bytes, error)
end

const plait_context_device_count_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_context_device_count - get the number of devices of a context."
function plait_context_device_count(context, out_count, error)
    ccall(plait_context_device_count_at[], plait_status, (Ptr{plait_context}, Ptr{UInt32}, Ptr{plait_error}), context, out_count, error)
end

const plait_context_device_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_context_device - get a device by its number, the best backend's first."
function plait_context_device(context, index, out, error)
    ccall(plait_context_device_at[], plait_status, (Ptr{plait_context}, UInt32, Ptr{Ptr{plait_device}}, Ptr{plait_error}), context, index, out, error)
end

const plait_context_find_device_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_context_find_device - get a device by name, \"host:0\" or \"host\"."
function plait_context_find_device(context, name, out, error)
    ccall(plait_context_find_device_at[], plait_status, (Ptr{plait_context}, Cstring, Ptr{Ptr{plait_device}}, Ptr{plait_error}), context, name, out, error)
end

const plait_device_query_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_device_query - get the properties of a device."
function plait_device_query(device, info, error)
    ccall(plait_device_query_at[], plait_status, (Ptr{plait_device}, Ptr{plait_device_info}, Ptr{plait_error}), device, info, error)
end

const plait_device_set_budget_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_device_set_budget - limit the memory of all buffers of a device."
function plait_device_set_budget(device, budget_bytes, error)
    ccall(plait_device_set_budget_at[], plait_status, (Ptr{plait_device}, UInt64, Ptr{plait_error}), device, budget_bytes, error)
end

const plait_buffer_create_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_buffer_create - allocate memory of a device, with undefined contents."
function plait_buffer_create(device, desc, out, error)
    ccall(plait_buffer_create_at[], plait_status, (Ptr{plait_device}, Ptr{plait_buffer_desc}, Ptr{Ptr{plait_buffer}}, Ptr{plait_error}), device, desc, out, error)
end

const plait_buffer_wrap_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_buffer_wrap - make application memory a buffer, without a copy."
function plait_buffer_wrap(device, desc, out, error)
    ccall(plait_buffer_wrap_at[], plait_status, (Ptr{plait_device}, Ptr{plait_wrap_desc}, Ptr{Ptr{plait_buffer}}, Ptr{plait_error}), device, desc, out, error)
end

const plait_buffer_view_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_buffer_view - make a part of a buffer a buffer; the view holds the whole."
function plait_buffer_view(buffer, offset_bytes, bytes, out, error)
    ccall(plait_buffer_view_at[], plait_status, (Ptr{plait_buffer}, UInt64, UInt64, Ptr{Ptr{plait_buffer}}, Ptr{plait_error}), buffer, offset_bytes, bytes, out, error)
end

const plait_buffer_retain_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_buffer_retain - add one reference."
function plait_buffer_retain(buffer)
    ccall(plait_buffer_retain_at[], Cvoid, (Ptr{plait_buffer},), buffer)
end

const plait_buffer_release_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_buffer_release - give one reference back; work in flight holds its own."
function plait_buffer_release(buffer)
    ccall(plait_buffer_release_at[], Cvoid, (Ptr{plait_buffer},), buffer)
end

const plait_buffer_bytes_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_buffer_bytes - get the size of a buffer or view."
function plait_buffer_bytes(buffer, out_bytes, error)
    ccall(plait_buffer_bytes_at[], plait_status, (Ptr{plait_buffer}, Ptr{UInt64}, Ptr{plait_error}), buffer, out_bytes, error)
end

const plait_buffer_map_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_buffer_map - get a pointer to a buffer's memory."
function plait_buffer_map(buffer, offset_bytes, bytes, flags, out_pointer, error)
    ccall(plait_buffer_map_at[], plait_status, (Ptr{plait_buffer}, UInt64, UInt64, plait_map_flags, Ptr{Ptr{Cvoid}}, Ptr{plait_error}), buffer, offset_bytes, bytes, flags, out_pointer, error)
end

const plait_buffer_unmap_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_buffer_unmap - end one mapping."
function plait_buffer_unmap(buffer, pointer, error)
    ccall(plait_buffer_unmap_at[], plait_status, (Ptr{plait_buffer}, Ptr{Cvoid}, Ptr{plait_error}), buffer, pointer, error)
end

const plait_array_import_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_array_import - make a DLPack tensor a buffer."
function plait_array_import(device, tensor, desc, out_array, out, error)
    ccall(plait_array_import_at[], plait_status, (Ptr{plait_device}, Ptr{Cvoid}, Ptr{plait_import_desc}, Ptr{plait_array}, Ptr{Ptr{plait_buffer}}, Ptr{plait_error}), device, tensor, desc, out_array, out, error)
end

const plait_array_export_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_array_export - make a buffer a DLPack tensor."
function plait_array_export(buffer, array, flags, out_tensor, error)
    ccall(plait_array_export_at[], plait_status, (Ptr{plait_buffer}, Ptr{plait_array}, plait_tensor_flags, Ptr{Ptr{Cvoid}}, Ptr{plait_error}), buffer, array, flags, out_tensor, error)
end

const plait_inbox_create_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_inbox_create - create an inbox owned by the calling thread."
function plait_inbox_create(context, out, error)
    ccall(plait_inbox_create_at[], plait_status, (Ptr{plait_context}, Ptr{Ptr{plait_inbox}}, Ptr{plait_error}), context, out, error)
end

const plait_inbox_retain_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_inbox_retain - add one reference."
function plait_inbox_retain(inbox)
    ccall(plait_inbox_retain_at[], Cvoid, (Ptr{plait_inbox},), inbox)
end

const plait_inbox_release_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_inbox_release - give one reference back; the last one closes it."
function plait_inbox_release(inbox)
    ccall(plait_inbox_release_at[], Cvoid, (Ptr{plait_inbox},), inbox)
end

const plait_inbox_descriptor_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_inbox_descriptor - get a file descriptor that is readable while the inbox has events."
function plait_inbox_descriptor(inbox, out_descriptor, error)
    ccall(plait_inbox_descriptor_at[], plait_status, (Ptr{plait_inbox}, Ptr{Int32}, Ptr{plait_error}), inbox, out_descriptor, error)
end

const plait_inbox_next_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_inbox_next - remove and return the oldest event."
function plait_inbox_next(inbox, out_event, error)
    ccall(plait_inbox_next_at[], plait_status, (Ptr{plait_inbox}, Ptr{plait_event}, Ptr{plait_error}), inbox, out_event, error)
end

const plait_inbox_pump_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_inbox_pump - run the functions of events, oldest first."
function plait_inbox_pump(inbox, maximum, out_count, error)
    ccall(plait_inbox_pump_at[], plait_status, (Ptr{plait_inbox}, UInt64, Ptr{UInt64}, Ptr{plait_error}), inbox, maximum, out_count, error)
end

const plait_inbox_wait_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_inbox_wait - wait until the inbox has an event; the event stays."
function plait_inbox_wait(inbox, timeout_ns, error)
    ccall(plait_inbox_wait_at[], plait_status, (Ptr{plait_inbox}, UInt64, Ptr{plait_error}), inbox, timeout_ns, error)
end

const plait_inbox_answer_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_inbox_answer - answer a CALL; its queue or run goes on."
function plait_inbox_answer(inbox, id, result, text, error)
    ccall(plait_inbox_answer_at[], plait_status, (Ptr{plait_inbox}, UInt64, Int64, Cstring, Ptr{plait_error}), inbox, id, result, text, error)
end

const plait_inbox_begin_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_inbox_begin - tell that the calling thread runs the function of a CALL."
function plait_inbox_begin(inbox, id, error)
    ccall(plait_inbox_begin_at[], plait_status, (Ptr{plait_inbox}, UInt64, Ptr{plait_error}), inbox, id, error)
end

const plait_inbox_end_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_inbox_end - tell that the calling thread has left the function."
function plait_inbox_end(inbox, id, error)
    ccall(plait_inbox_end_at[], plait_status, (Ptr{plait_inbox}, UInt64, Ptr{plait_error}), inbox, id, error)
end

const plait_inbox_is_stopping_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_inbox_is_stopping - ask whether the run of a CALL was stopped."
function plait_inbox_is_stopping(inbox, id)
    ccall(plait_inbox_is_stopping_at[], Int32, (Ptr{plait_inbox}, UInt64), inbox, id)
end

const plait_inbox_notify_stop_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_inbox_notify_stop - ask for an event when the run of a CALL is stopped."
function plait_inbox_notify_stop(inbox, id, function_, user_data, error)
    ccall(plait_inbox_notify_stop_at[], plait_status, (Ptr{plait_inbox}, UInt64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{plait_error}), inbox, id, function_, user_data, error)
end

const plait_inbox_adopt_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_inbox_adopt - make the calling thread the owner."
function plait_inbox_adopt(inbox, error)
    ccall(plait_inbox_adopt_at[], plait_status, (Ptr{plait_inbox}, Ptr{plait_error}), inbox, error)
end

const plait_inbox_close_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_inbox_close - cancel all outstanding events."
function plait_inbox_close(inbox, error)
    ccall(plait_inbox_close_at[], plait_status, (Ptr{plait_inbox}, Ptr{plait_error}), inbox, error)
end

const plait_signal_create_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_signal_create - create a counter at 0, for the queues of one backend."
function plait_signal_create(device, desc, out, error)
    ccall(plait_signal_create_at[], plait_status, (Ptr{plait_device}, Ptr{plait_signal_desc}, Ptr{Ptr{plait_signal}}, Ptr{plait_error}), device, desc, out, error)
end

const plait_signal_retain_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_signal_retain - add one reference."
function plait_signal_retain(signal)
    ccall(plait_signal_retain_at[], Cvoid, (Ptr{plait_signal},), signal)
end

const plait_signal_release_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_signal_release - give one reference back; work in flight holds its own."
function plait_signal_release(signal)
    ccall(plait_signal_release_at[], Cvoid, (Ptr{plait_signal},), signal)
end

const plait_signal_query_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_signal_query - get the progress of a signal."
function plait_signal_query(signal, out_reached, out_submitted, error)
    ccall(plait_signal_query_at[], plait_status, (Ptr{plait_signal}, Ptr{UInt64}, Ptr{UInt64}, Ptr{plait_error}), signal, out_reached, out_submitted, error)
end

const plait_signal_wait_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_signal_wait - wait for one emission; see plait_signal_wait_points."
function plait_signal_wait(signal, sequence, timeout_ns, error)
    ccall(plait_signal_wait_at[], plait_status, (Ptr{plait_signal}, UInt64, UInt64, Ptr{plait_error}), signal, sequence, timeout_ns, error)
end

const plait_signal_wait_points_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_signal_wait_points - wait for all or any of several emissions."
function plait_signal_wait_points(points, count, mode, timeout_ns, out_index, error)
    ccall(plait_signal_wait_points_at[], plait_status, (Ptr{plait_point}, UInt64, plait_wait_mode, UInt64, Ptr{UInt64}, Ptr{plait_error}), points, count, mode, timeout_ns, out_index, error)
end

const plait_signal_raise_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_signal_raise - raise a gate to a sequence, which ends waits up to it."
function plait_signal_raise(signal, sequence, error)
    ccall(plait_signal_raise_at[], plait_status, (Ptr{plait_signal}, UInt64, Ptr{plait_error}), signal, sequence, error)
end

const plait_signal_fail_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_signal_fail - fail a gate: all waits for it fail with this error."
function plait_signal_fail(signal, origin, text, error)
    ccall(plait_signal_fail_at[], plait_status, (Ptr{plait_signal}, Int64, Cstring, Ptr{plait_error}), signal, origin, text, error)
end

const plait_signal_reset_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_signal_reset - clear the failure of a signal."
function plait_signal_reset(signal, error)
    ccall(plait_signal_reset_at[], plait_status, (Ptr{plait_signal}, Ptr{plait_error}), signal, error)
end

const plait_signal_notify_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_signal_notify - request an event for an emission."
function plait_signal_notify(signal, sequence, inbox, function_, user_data, error)
    ccall(plait_signal_notify_at[], plait_status, (Ptr{plait_signal}, UInt64, Ptr{plait_inbox}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{plait_error}), signal, sequence, inbox, function_, user_data, error)
end

const plait_queue_create_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_queue_create - create an in-order queue on a device."
function plait_queue_create(device, desc, out, error)
    ccall(plait_queue_create_at[], plait_status, (Ptr{plait_device}, Ptr{plait_queue_desc}, Ptr{Ptr{plait_queue}}, Ptr{plait_error}), device, desc, out, error)
end

const plait_queue_retain_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_queue_retain - add one reference."
function plait_queue_retain(queue)
    ccall(plait_queue_retain_at[], Cvoid, (Ptr{plait_queue},), queue)
end

const plait_queue_release_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_queue_release - give one reference back."
function plait_queue_release(queue)
    ccall(plait_queue_release_at[], Cvoid, (Ptr{plait_queue},), queue)
end

const plait_queue_submit_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_queue_submit - append commands to a queue."
function plait_queue_submit(queue, commands, count, out_sequence, error)
    ccall(plait_queue_submit_at[], plait_status, (Ptr{plait_queue}, Ptr{plait_command}, UInt64, Ptr{UInt64}, Ptr{plait_error}), queue, commands, count, out_sequence, error)
end

const plait_queue_call_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_queue_call - submit a host function that may run on any thread."
function plait_queue_call(queue, function_, user_data, error)
    ccall(plait_queue_call_at[], plait_status, (Ptr{plait_queue}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{plait_error}), queue, function_, user_data, error)
end

const plait_queue_copy_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_queue_copy - submit a copy from buffer to buffer."
function plait_queue_copy(queue, target, target_offset, source, source_offset, bytes, error)
    ccall(plait_queue_copy_at[], plait_status, (Ptr{plait_queue}, Ptr{plait_buffer}, UInt64, Ptr{plait_buffer}, UInt64, UInt64, Ptr{plait_error}), queue, target, target_offset, source, source_offset, bytes, error)
end

const plait_queue_copy_rows_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_queue_copy_rows - submit a copy of rows from buffer to buffer."
function plait_queue_copy_rows(queue, target, target_offset, source, source_offset, bytes, rows, error)
    ccall(plait_queue_copy_rows_at[], plait_status, (Ptr{plait_queue}, Ptr{plait_buffer}, UInt64, Ptr{plait_buffer}, UInt64, UInt64, Ptr{plait_rows}, Ptr{plait_error}), queue, target, target_offset, source, source_offset, bytes, rows, error)
end

const plait_queue_fill_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_queue_fill - submit a fill with a pattern of 1, 2, 4 or 8 bytes."
function plait_queue_fill(queue, target, target_offset, bytes, pattern, pattern_bytes, error)
    ccall(plait_queue_fill_at[], plait_status, (Ptr{plait_queue}, Ptr{plait_buffer}, UInt64, UInt64, UInt64, UInt32, Ptr{plait_error}), queue, target, target_offset, bytes, pattern, pattern_bytes, error)
end

const plait_queue_read_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_queue_read - copy from a buffer to host memory, and wait."
function plait_queue_read(queue, source, source_offset, host, bytes, error)
    ccall(plait_queue_read_at[], plait_status, (Ptr{plait_queue}, Ptr{plait_buffer}, UInt64, Ptr{Cvoid}, UInt64, Ptr{plait_error}), queue, source, source_offset, host, bytes, error)
end

const plait_queue_write_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_queue_write - copy from host memory to a buffer, and wait."
function plait_queue_write(queue, target, target_offset, host, bytes, error)
    ccall(plait_queue_write_at[], plait_status, (Ptr{plait_queue}, Ptr{plait_buffer}, UInt64, Ptr{Cvoid}, UInt64, Ptr{plait_error}), queue, target, target_offset, host, bytes, error)
end

const plait_queue_emit_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_queue_emit - submit an emission."
function plait_queue_emit(queue, signal, out_sequence, error)
    ccall(plait_queue_emit_at[], plait_status, (Ptr{plait_queue}, Ptr{plait_signal}, Ptr{UInt64}, Ptr{plait_error}), queue, signal, out_sequence, error)
end

const plait_queue_wait_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_queue_wait - submit a wait: later commands wait, the caller does not."
function plait_queue_wait(queue, signal, sequence, error)
    ccall(plait_queue_wait_at[], plait_status, (Ptr{plait_queue}, Ptr{plait_signal}, UInt64, Ptr{plait_error}), queue, signal, sequence, error)
end

const plait_queue_finish_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_queue_finish - wait for all commands submitted so far."
function plait_queue_finish(queue, timeout_ns, error)
    ccall(plait_queue_finish_at[], plait_status, (Ptr{plait_queue}, UInt64, Ptr{plait_error}), queue, timeout_ns, error)
end

const plait_device_native_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_device_native - get a native handle of a device."
function plait_device_native(device, kind, out, error)
    ccall(plait_device_native_at[], plait_status, (Ptr{plait_device}, plait_native_kind, Ptr{UInt64}, Ptr{plait_error}), device, kind, out, error)
end

const plait_queue_native_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_queue_native - get the native handle of a queue."
function plait_queue_native(queue, kind, out, error)
    ccall(plait_queue_native_at[], plait_status, (Ptr{plait_queue}, plait_native_kind, Ptr{UInt64}, Ptr{plait_error}), queue, kind, out, error)
end

const plait_buffer_native_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_buffer_native - get the native handle of a buffer."
function plait_buffer_native(buffer, kind, out, out_offset_bytes, error)
    ccall(plait_buffer_native_at[], plait_status, (Ptr{plait_buffer}, plait_native_kind, Ptr{UInt64}, Ptr{UInt64}, Ptr{plait_error}), buffer, kind, out, out_offset_bytes, error)
end

const plait_source_text_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_source_text - translate portable source to a backend's language."
function plait_source_text(signature, source, form, buffer, capacity_bytes, out_bytes, error)
    ccall(plait_source_text_at[], plait_status, (Cstring, Ptr{plait_source}, plait_source_form, Ptr{UInt8}, UInt64, Ptr{UInt64}, Ptr{plait_error}), signature, source, form, buffer, capacity_bytes, out_bytes, error)
end

const plait_kernel_create_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_kernel_create - create a kernel from a signature and code."
function plait_kernel_create(context, desc, out, error)
    ccall(plait_kernel_create_at[], plait_status, (Ptr{plait_context}, Ptr{plait_kernel_desc}, Ptr{Ptr{plait_kernel}}, Ptr{plait_error}), context, desc, out, error)
end

const plait_kernel_compile_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_kernel_compile - create a kernel from portable source text."
function plait_kernel_compile(context, signature, code, out, error)
    ccall(plait_kernel_compile_at[], plait_status, (Ptr{plait_context}, Cstring, Cstring, Ptr{Ptr{plait_kernel}}, Ptr{plait_error}), context, signature, code, out, error)
end

const plait_kernel_retain_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_kernel_retain - add one reference."
function plait_kernel_retain(kernel)
    ccall(plait_kernel_retain_at[], Cvoid, (Ptr{plait_kernel},), kernel)
end

const plait_kernel_release_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_kernel_release - give one reference back; work in flight holds its own."
function plait_kernel_release(kernel)
    ccall(plait_kernel_release_at[], Cvoid, (Ptr{plait_kernel},), kernel)
end

const plait_kernel_signature_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_kernel_signature - get the signature in canonical form."
function plait_kernel_signature(kernel, buffer, capacity_bytes, out_bytes, error)
    ccall(plait_kernel_signature_at[], plait_status, (Ptr{plait_kernel}, Ptr{UInt8}, UInt64, Ptr{UInt64}, Ptr{plait_error}), kernel, buffer, capacity_bytes, out_bytes, error)
end

const plait_kernel_messages_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_kernel_messages - get what the compiler wrote about a kernel's code."
function plait_kernel_messages(kernel, device, buffer, capacity_bytes, out_bytes, error)
    ccall(plait_kernel_messages_at[], plait_status, (Ptr{plait_kernel}, Ptr{plait_device}, Ptr{UInt8}, UInt64, Ptr{UInt64}, Ptr{plait_error}), kernel, device, buffer, capacity_bytes, out_bytes, error)
end

const plait_queue_launch_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_queue_launch - submit one kernel launch to a queue."
function plait_queue_launch(queue, kernel, launch, arguments, count, error)
    ccall(plait_queue_launch_at[], plait_status, (Ptr{plait_queue}, Ptr{plait_kernel}, Ptr{plait_launch}, Ptr{plait_argument}, UInt64, Ptr{plait_error}), queue, kernel, launch, arguments, count, error)
end

const plait_graph_add_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_graph_add - add a node."
function plait_graph_add(graph, desc, after, count, out, error)
    ccall(plait_graph_add_at[], plait_status, (Ptr{plait_graph}, Ptr{plait_node_desc}, Ptr{plait_node}, UInt64, Ptr{plait_node}, Ptr{plait_error}), graph, desc, after, count, out, error)
end

const plait_graph_join_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_graph_join - add a join of several nodes: one predecessor for others."
function plait_graph_join(graph, after, count, out, error)
    ccall(plait_graph_join_at[], plait_status, (Ptr{plait_graph}, Ptr{plait_node}, UInt64, Ptr{plait_node}, Ptr{plait_error}), graph, after, count, out, error)
end

const plait_graph_launch_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_graph_launch - add a kernel launch."
function plait_graph_launch(graph, kernel, launch, arguments, count, after, out, error)
    ccall(plait_graph_launch_at[], plait_status, (Ptr{plait_graph}, Ptr{plait_kernel}, Ptr{plait_launch}, Ptr{plait_argument}, UInt64, plait_node, Ptr{plait_node}, Ptr{plait_error}), graph, kernel, launch, arguments, count, after, out, error)
end

const plait_graph_call_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_graph_call - add a host function that may run on any thread."
function plait_graph_call(graph, function_, user_data, after, out, error)
    ccall(plait_graph_call_at[], plait_status, (Ptr{plait_graph}, Ptr{Cvoid}, Ptr{Cvoid}, plait_node, Ptr{plait_node}, Ptr{plait_error}), graph, function_, user_data, after, out, error)
end

const plait_graph_copy_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_graph_copy - add a copy from buffer to buffer."
function plait_graph_copy(graph, target, target_offset, source, source_offset, bytes, after, out, error)
    ccall(plait_graph_copy_at[], plait_status, (Ptr{plait_graph}, Ptr{plait_buffer}, UInt64, Ptr{plait_buffer}, UInt64, UInt64, plait_node, Ptr{plait_node}, Ptr{plait_error}), graph, target, target_offset, source, source_offset, bytes, after, out, error)
end

const plait_graph_copy_rows_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_graph_copy_rows - add a copy of rows from buffer to buffer."
function plait_graph_copy_rows(graph, target, target_offset, source, source_offset, bytes, rows, after, out, error)
    ccall(plait_graph_copy_rows_at[], plait_status, (Ptr{plait_graph}, Ptr{plait_buffer}, UInt64, Ptr{plait_buffer}, UInt64, UInt64, Ptr{plait_rows}, plait_node, Ptr{plait_node}, Ptr{plait_error}), graph, target, target_offset, source, source_offset, bytes, rows, after, out, error)
end

const plait_graph_fill_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_graph_fill - add a fill with a pattern of 1, 2, 4 or 8 bytes."
function plait_graph_fill(graph, target, target_offset, bytes, pattern, pattern_bytes, after, out, error)
    ccall(plait_graph_fill_at[], plait_status, (Ptr{plait_graph}, Ptr{plait_buffer}, UInt64, UInt64, UInt64, UInt32, plait_node, Ptr{plait_node}, Ptr{plait_error}), graph, target, target_offset, bytes, pattern, pattern_bytes, after, out, error)
end

const plait_graph_emit_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_graph_emit - add an emission of a signal."
function plait_graph_emit(graph, signal, after, out, error)
    ccall(plait_graph_emit_at[], plait_status, (Ptr{plait_graph}, Ptr{plait_signal}, plait_node, Ptr{plait_node}, Ptr{plait_error}), graph, signal, after, out, error)
end

const plait_graph_wait_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_graph_wait - add a wait for an emission of a signal or gate."
function plait_graph_wait(graph, signal, sequence, after, out, error)
    ccall(plait_graph_wait_at[], plait_status, (Ptr{plait_graph}, Ptr{plait_signal}, UInt64, plait_node, Ptr{plait_node}, Ptr{plait_error}), graph, signal, sequence, after, out, error)
end

const plait_graph_mark_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_graph_mark - add a mark in the timeline."
function plait_graph_mark(graph, label, after, out, error)
    ccall(plait_graph_mark_at[], plait_status, (Ptr{plait_graph}, Cstring, plait_node, Ptr{plait_node}, Ptr{plait_error}), graph, label, after, out, error)
end

const plait_graph_subgraph_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_graph_subgraph - add a copy of all nodes of a graph."
function plait_graph_subgraph(graph, subgraph, after, out, error)
    ccall(plait_graph_subgraph_at[], plait_status, (Ptr{plait_graph}, Ptr{plait_graph}, plait_node, Ptr{plait_node}, Ptr{plait_error}), graph, subgraph, after, out, error)
end

const plait_graph_while_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_graph_while - add a loop that tests a word before its body."
function plait_graph_while(graph, word, offset, times, after, out_body, out, error)
    ccall(plait_graph_while_at[], plait_status, (Ptr{plait_graph}, Ptr{plait_buffer}, UInt64, UInt64, plait_node, Ptr{Ptr{plait_graph}}, Ptr{plait_node}, Ptr{plait_error}), graph, word, offset, times, after, out_body, out, error)
end

const plait_graph_do_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_graph_do - add a loop that tests a word after its body."
function plait_graph_do(graph, word, offset, times, after, out_body, out, error)
    ccall(plait_graph_do_at[], plait_status, (Ptr{plait_graph}, Ptr{plait_buffer}, UInt64, UInt64, plait_node, Ptr{Ptr{plait_graph}}, Ptr{plait_node}, Ptr{plait_error}), graph, word, offset, times, after, out_body, out, error)
end

const plait_graph_case_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_graph_case - add a branch: a word selects the body that runs."
function plait_graph_case(graph, word, offset, count, after, out_bodies, out, error)
    ccall(plait_graph_case_at[], plait_status, (Ptr{plait_graph}, Ptr{plait_buffer}, UInt64, UInt64, plait_node, Ptr{Ptr{plait_graph}}, Ptr{plait_node}, Ptr{plait_error}), graph, word, offset, count, after, out_bodies, out, error)
end

const plait_graph_repeat_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_graph_repeat - add a loop with a count."
function plait_graph_repeat(graph, times, after, out_body, out, error)
    ccall(plait_graph_repeat_at[], plait_status, (Ptr{plait_graph}, UInt64, plait_node, Ptr{Ptr{plait_graph}}, Ptr{plait_node}, Ptr{plait_error}), graph, times, after, out_body, out, error)
end

const plait_graph_create_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_graph_create - create an empty graph."
function plait_graph_create(context, out, error)
    ccall(plait_graph_create_at[], plait_status, (Ptr{plait_context}, Ptr{Ptr{plait_graph}}, Ptr{plait_error}), context, out, error)
end

const plait_graph_read_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_graph_read - create a graph from its text form; see plait-graph(5)."
function plait_graph_read(context, text, bytes, name, out, error)
    ccall(plait_graph_read_at[], plait_status, (Ptr{plait_context}, Cstring, UInt64, Cstring, Ptr{Ptr{plait_graph}}, Ptr{plait_error}), context, text, bytes, name, out, error)
end

const plait_graph_retain_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_graph_retain - add one reference."
function plait_graph_retain(graph)
    ccall(plait_graph_retain_at[], Cvoid, (Ptr{plait_graph},), graph)
end

const plait_graph_release_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_graph_release - give one reference back."
function plait_graph_release(graph)
    ccall(plait_graph_release_at[], Cvoid, (Ptr{plait_graph},), graph)
end

const plait_graph_add_edge_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_graph_add_edge - add an edge: `before` completes before `after` starts."
function plait_graph_add_edge(graph, before, after, error)
    ccall(plait_graph_add_edge_at[], plait_status, (Ptr{plait_graph}, plait_node, plait_node, Ptr{plait_error}), graph, before, after, error)
end

const plait_graph_set_priority_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_graph_set_priority - say which of several ready nodes come first."
function plait_graph_set_priority(graph, node, priority, error)
    ccall(plait_graph_set_priority_at[], plait_status, (Ptr{plait_graph}, plait_node, Int32, Ptr{plait_error}), graph, node, priority, error)
end

const plait_graph_add_resource_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_graph_add_resource - add a resource that limits how many nodes run at once."
function plait_graph_add_resource(graph, name, units, error)
    ccall(plait_graph_add_resource_at[], plait_status, (Ptr{plait_graph}, Cstring, UInt64, Ptr{plait_error}), graph, name, units, error)
end

const plait_graph_add_need_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_graph_add_need - let a node hold units of a resource while it runs."
function plait_graph_add_need(graph, node, name, units, error)
    ccall(plait_graph_add_need_at[], plait_status, (Ptr{plait_graph}, plait_node, Cstring, UInt64, Ptr{plait_error}), graph, node, name, units, error)
end

const plait_graph_remove_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_graph_remove - take nodes away, with their edges."
function plait_graph_remove(graph, nodes, count, error)
    ccall(plait_graph_remove_at[], plait_status, (Ptr{plait_graph}, Ptr{plait_node}, UInt64, Ptr{plait_error}), graph, nodes, count, error)
end

const plait_graph_remove_edge_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_graph_remove_edge - take an edge away, as often as it was added."
function plait_graph_remove_edge(graph, before, after, error)
    ccall(plait_graph_remove_edge_at[], plait_status, (Ptr{plait_graph}, plait_node, plait_node, Ptr{plait_error}), graph, before, after, error)
end

const plait_graph_body_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_graph_body - get the body of a loop, or of one branch."
function plait_graph_body(graph, node, branch, out, error)
    ccall(plait_graph_body_at[], plait_status, (Ptr{plait_graph}, plait_node, UInt64, Ptr{Ptr{plait_graph}}, Ptr{plait_error}), graph, node, branch, out, error)
end

const plait_graph_add_rotation_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_graph_add_rotation - let the iterations of a loop alternate between buffers."
function plait_graph_add_rotation(graph, buffers, count, flags, out, error)
    ccall(plait_graph_add_rotation_at[], plait_status, (Ptr{plait_graph}, Ptr{Ptr{plait_buffer}}, UInt64, plait_rotation_flags, Ptr{UInt64}, Ptr{plait_error}), graph, buffers, count, flags, out, error)
end

const plait_graph_size_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_graph_size - get the number of nodes and edges, without bodies."
function plait_graph_size(graph, out_nodes, out_edges, error)
    ccall(plait_graph_size_at[], plait_status, (Ptr{plait_graph}, Ptr{UInt64}, Ptr{UInt64}, Ptr{plait_error}), graph, out_nodes, out_edges, error)
end

const plait_graph_freeze_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_graph_freeze - plan the graph in its present state."
function plait_graph_freeze(graph, desc, out, error)
    ccall(plait_graph_freeze_at[], plait_status, (Ptr{plait_graph}, Ptr{plait_freeze_desc}, Ptr{Ptr{plait_plan}}, Ptr{plait_error}), graph, desc, out, error)
end

const plait_plan_retain_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_plan_retain - add one reference."
function plait_plan_retain(plan)
    ccall(plait_plan_retain_at[], Cvoid, (Ptr{plait_plan},), plan)
end

const plait_plan_release_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_plan_release - give one reference back."
function plait_plan_release(plan)
    ccall(plait_plan_release_at[], Cvoid, (Ptr{plait_plan},), plan)
end

const plait_plan_query_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_plan_query - get the properties of a plan."
function plait_plan_query(plan, info, error)
    ccall(plait_plan_query_at[], plait_status, (Ptr{plait_plan}, Ptr{plait_plan_info}, Ptr{plait_error}), plan, info, error)
end

const plait_plan_check_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_plan_check - verify a plan."
function plait_plan_check(plan, error)
    ccall(plait_plan_check_at[], plait_status, (Ptr{plait_plan}, Ptr{plait_error}), plan, error)
end

const plait_plan_simulate_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_plan_simulate - predict a run from costs."
function plait_plan_simulate(plan, system, out, lanes, lane_count, error)
    ccall(plait_plan_simulate_at[], plait_status, (Ptr{plait_plan}, Ptr{plait_system_desc}, Ptr{plait_simulation}, Ptr{plait_lane_use}, UInt64, Ptr{plait_error}), plan, system, out, lanes, lane_count, error)
end

const plait_plan_critical_path_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_plan_critical_path - get the commands on the predicted critical path."
function plait_plan_critical_path(plan, system, commands, count, error)
    ccall(plait_plan_critical_path_at[], plait_status, (Ptr{plait_plan}, Ptr{plait_system_desc}, Ptr{plait_critical_command}, UInt64, Ptr{plait_error}), plan, system, commands, count, error)
end

const plait_plan_write_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_plan_write - write a plan as bytes or text."
function plait_plan_write(plan, format, buffer, capacity_bytes, out_bytes, error)
    ccall(plait_plan_write_at[], plait_status, (Ptr{plait_plan}, plait_plan_format, Ptr{Cvoid}, UInt64, Ptr{UInt64}, Ptr{plait_error}), plan, format, buffer, capacity_bytes, out_bytes, error)
end

const plait_plan_read_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_plan_read - create a plan from its binary form."
function plait_plan_read(context, bytes, count, out, error)
    ccall(plait_plan_read_at[], plait_status, (Ptr{plait_context}, Ptr{Cvoid}, UInt64, Ptr{Ptr{plait_plan}}, Ptr{plait_error}), context, bytes, count, out, error)
end

const plait_plan_save_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_plan_save - write the binary form to a file, atomically."
function plait_plan_save(plan, path, error)
    ccall(plait_plan_save_at[], plait_status, (Ptr{plait_plan}, Cstring, Ptr{plait_error}), plan, path, error)
end

const plait_plan_load_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_plan_load - read a plan from a file; see plait_plan_read."
function plait_plan_load(context, path, out, error)
    ccall(plait_plan_load_at[], plait_status, (Ptr{plait_context}, Cstring, Ptr{Ptr{plait_plan}}, Ptr{plait_error}), context, path, out, error)
end

const plait_plan_query_binding_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_plan_query_binding - get a name of a plan."
function plait_plan_query_binding(plan, index, out, error)
    ccall(plait_plan_query_binding_at[], plait_status, (Ptr{plait_plan}, UInt64, Ptr{plait_plan_binding}, Ptr{plait_error}), plan, index, out, error)
end

const plait_plan_bind_kernel_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_plan_bind_kernel - bind a kernel; its own name is the name."
function plait_plan_bind_kernel(plan, kernel, error)
    ccall(plait_plan_bind_kernel_at[], plait_status, (Ptr{plait_plan}, Ptr{plait_kernel}, Ptr{plait_error}), plan, kernel, error)
end

const plait_plan_bind_buffer_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_plan_bind_buffer - bind a buffer to a name."
function plait_plan_bind_buffer(plan, name, buffer, error)
    ccall(plait_plan_bind_buffer_at[], plait_status, (Ptr{plait_plan}, Cstring, Ptr{plait_buffer}, Ptr{plait_error}), plan, name, buffer, error)
end

const plait_plan_bind_signal_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_plan_bind_signal - bind a signal to a name."
function plait_plan_bind_signal(plan, name, signal, error)
    ccall(plait_plan_bind_signal_at[], plait_status, (Ptr{plait_plan}, Cstring, Ptr{plait_signal}, Ptr{plait_error}), plan, name, signal, error)
end

const plait_plan_bind_function_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_plan_bind_function - bind a host function to a name."
function plait_plan_bind_function(plan, name, desc, error)
    ccall(plait_plan_bind_function_at[], plait_status, (Ptr{plait_plan}, Cstring, Ptr{plait_function_desc}, Ptr{plait_error}), plan, name, desc, error)
end

const plait_plan_bind_device_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_plan_bind_device - bind a device to a name."
function plait_plan_bind_device(plan, name, device, error)
    ccall(plait_plan_bind_device_at[], plait_status, (Ptr{plait_plan}, Cstring, Ptr{plait_device}, Ptr{plait_error}), plan, name, device, error)
end

const plait_plan_parameter_count_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_plan_parameter_count - get the number of parameters of a plan."
function plait_plan_parameter_count(plan, out_count, error)
    ccall(plait_plan_parameter_count_at[], plait_status, (Ptr{plait_plan}, Ptr{UInt32}, Ptr{plait_error}), plan, out_count, error)
end

const plait_plan_find_parameter_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_plan_find_parameter - get the number of a parameter."
function plait_plan_find_parameter(plan, name, out_number, error)
    ccall(plait_plan_find_parameter_at[], plait_status, (Ptr{plait_plan}, Cstring, Ptr{UInt32}, Ptr{plait_error}), plan, name, out_number, error)
end

const plait_plan_query_parameter_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_plan_query_parameter - get the properties of a parameter."
function plait_plan_query_parameter(plan, number, info, error)
    ccall(plait_plan_query_parameter_at[], plait_status, (Ptr{plait_plan}, UInt32, Ptr{plait_parameter_info}, Ptr{plait_error}), plan, number, info, error)
end

const plait_plan_prepare_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_plan_prepare - allocate and compile everything a run needs."
function plait_plan_prepare(plan, error)
    ccall(plait_plan_prepare_at[], plait_status, (Ptr{plait_plan}, Ptr{plait_error}), plan, error)
end

const plait_plan_rehearse_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_plan_rehearse - turn a plan into a rehearsal, which executes costs."
function plait_plan_rehearse(plan, unit_ns, error)
    ccall(plait_plan_rehearse_at[], plait_status, (Ptr{plait_plan}, UInt64, Ptr{plait_error}), plan, unit_ns, error)
end

const plait_plan_exchange_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_plan_exchange - replace a kernel of a plan."
function plait_plan_exchange(plan, old, kernel, error)
    ccall(plait_plan_exchange_at[], plait_status, (Ptr{plait_plan}, Ptr{plait_kernel}, Ptr{plait_kernel}, Ptr{plait_error}), plan, old, kernel, error)
end

const plait_plan_run_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_plan_run - submit a run of a plan as one command of a queue."
function plait_plan_run(plan, queue, desc, out, error)
    ccall(plait_plan_run_at[], plait_status, (Ptr{plait_plan}, Ptr{plait_queue}, Ptr{plait_run_desc}, Ptr{Ptr{plait_run}}, Ptr{plait_error}), plan, queue, desc, out, error)
end

const plait_plan_call_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_plan_call - run a plan and wait for its completion."
function plait_plan_call(plan, queue, desc, error)
    ccall(plait_plan_call_at[], plait_status, (Ptr{plait_plan}, Ptr{plait_queue}, Ptr{plait_run_desc}, Ptr{plait_error}), plan, queue, desc, error)
end

const plait_run_retain_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_run_retain - add one reference."
function plait_run_retain(run)
    ccall(plait_run_retain_at[], Cvoid, (Ptr{plait_run},), run)
end

const plait_run_release_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_run_release - give one reference back; the run goes on."
function plait_run_release(run)
    ccall(plait_run_release_at[], Cvoid, (Ptr{plait_run},), run)
end

const plait_run_poll_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_run_poll - get the status of a run without waiting."
function plait_run_poll(run, error)
    ccall(plait_run_poll_at[], plait_status, (Ptr{plait_run}, Ptr{plait_error}), run, error)
end

const plait_run_wait_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_run_wait - wait for the completion of a run."
function plait_run_wait(run, timeout_ns, error)
    ccall(plait_run_wait_at[], plait_status, (Ptr{plait_run}, UInt64, Ptr{plait_error}), run, timeout_ns, error)
end

const plait_run_cancel_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_run_cancel - request cancellation of a run."
function plait_run_cancel(run, error)
    ccall(plait_run_cancel_at[], plait_status, (Ptr{plait_run}, Ptr{plait_error}), run, error)
end

const plait_run_is_stopping_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_run_is_stopping - ask, in a function, whether its run was stopped."
function plait_run_is_stopping()
    ccall(plait_run_is_stopping_at[], Int32, ())
end

const plait_worker_index_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_worker_index - get the index of the worker that is the calling thread."
function plait_worker_index()
    ccall(plait_worker_index_at[], Int32, ())
end

const plait_run_notify_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_run_notify - request an event for the end of a run."
function plait_run_notify(run, inbox, function_, user_data, error)
    ccall(plait_run_notify_at[], plait_status, (Ptr{plait_run}, Ptr{plait_inbox}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{plait_error}), run, inbox, function_, user_data, error)
end

const plait_run_query_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_run_query - get the state of a run."
function plait_run_query(run, info, error)
    ccall(plait_run_query_at[], plait_status, (Ptr{plait_run}, Ptr{plait_run_info}, Ptr{plait_error}), run, info, error)
end

const plait_plan_query_command_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_plan_query_command - get the properties of a command of a plan."
function plait_plan_query_command(plan, command, info, error)
    ccall(plait_plan_query_command_at[], plait_status, (Ptr{plait_plan}, UInt64, Ptr{plait_command_info}, Ptr{plait_error}), plan, command, info, error)
end

const plait_callable_create_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_callable_create - create a C function that runs a plan."
function plait_callable_create(plan, desc, out, error)
    ccall(plait_callable_create_at[], plait_status, (Ptr{plait_plan}, Ptr{plait_callable_desc}, Ptr{Ptr{plait_callable}}, Ptr{plait_error}), plan, desc, out, error)
end

const plait_callable_function_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_callable_function - get the function, to be cast to its type."
function plait_callable_function(callable, out, error)
    ccall(plait_callable_function_at[], plait_status, (Ptr{plait_callable}, Ptr{Ptr{Cvoid}}, Ptr{plait_error}), callable, out, error)
end

const plait_callable_retain_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_callable_retain - add one reference."
function plait_callable_retain(callable)
    ccall(plait_callable_retain_at[], Cvoid, (Ptr{plait_callable},), callable)
end

const plait_callable_release_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_callable_release - give one reference back; calls in progress go on."
function plait_callable_release(callable)
    ccall(plait_callable_release_at[], Cvoid, (Ptr{plait_callable},), callable)
end

const plait_plan_record_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_plan_record - allocate record buffers for the runs of a plan."
function plait_plan_record(plan, records, error)
    ccall(plait_plan_record_at[], plait_status, (Ptr{plait_plan}, UInt64, Ptr{plait_error}), plan, records, error)
end

const plait_run_records_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_run_records - get the records of a run."
function plait_run_records(run, records, count, out_count, out_dropped, error)
    ccall(plait_run_records_at[], plait_status, (Ptr{plait_run}, Ptr{plait_record}, UInt64, Ptr{UInt64}, Ptr{UInt64}, Ptr{plait_error}), run, records, count, out_count, out_dropped, error)
end

const plait_run_write_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_run_write - write the records of a run as text."
function plait_run_write(run, format, buffer, capacity_bytes, out_bytes, error)
    ccall(plait_run_write_at[], plait_status, (Ptr{plait_run}, plait_trace_format, Ptr{Cvoid}, UInt64, Ptr{UInt64}, Ptr{plait_error}), run, format, buffer, capacity_bytes, out_bytes, error)
end

const plait_plan_tune_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_plan_tune - plan the same graph again with measured costs."
function plait_plan_tune(plan, desc, out, info, error)
    ccall(plait_plan_tune_at[], plait_status, (Ptr{plait_plan}, Ptr{plait_tune_desc}, Ptr{Ptr{plait_plan}}, Ptr{plait_tune_info}, Ptr{plait_error}), plan, desc, out, info, error)
end

const plait_schedule_read_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_schedule_read - read a schedule from MSCCL XML or the binary form."
function plait_schedule_read(context, bytes, count, name, out, error)
    ccall(plait_schedule_read_at[], plait_status, (Ptr{plait_context}, Ptr{Cvoid}, UInt64, Cstring, Ptr{Ptr{plait_schedule}}, Ptr{plait_error}), context, bytes, count, name, out, error)
end

const plait_schedule_retain_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_schedule_retain - add one reference."
function plait_schedule_retain(schedule)
    ccall(plait_schedule_retain_at[], Cvoid, (Ptr{plait_schedule},), schedule)
end

const plait_schedule_release_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_schedule_release - give one reference back."
function plait_schedule_release(schedule)
    ccall(plait_schedule_release_at[], Cvoid, (Ptr{plait_schedule},), schedule)
end

const plait_schedule_check_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_schedule_check - prove a schedule, or name the reason against it."
function plait_schedule_check(schedule, desc, proof, error)
    ccall(plait_schedule_check_at[], plait_status, (Ptr{plait_schedule}, Ptr{plait_proof_desc}, Ptr{plait_proof}, Ptr{plait_error}), schedule, desc, proof, error)
end

const plait_schedule_write_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_schedule_write - write a schedule as XML or in binary form."
function plait_schedule_write(schedule, format, buffer, capacity_bytes, out_bytes, error)
    ccall(plait_schedule_write_at[], plait_status, (Ptr{plait_schedule}, plait_schedule_format, Ptr{Cvoid}, UInt64, Ptr{UInt64}, Ptr{plait_error}), schedule, format, buffer, capacity_bytes, out_bytes, error)
end

const plait_schedule_simulate_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_schedule_simulate - predict the time of a schedule on a cluster."
function plait_schedule_simulate(schedule, cluster, cluster_bytes, name, bytes, out, error)
    ccall(plait_schedule_simulate_at[], plait_status, (Ptr{plait_schedule}, Cstring, UInt64, Cstring, UInt64, Ptr{plait_coll_simulation}, Ptr{plait_error}), schedule, cluster, cluster_bytes, name, bytes, out, error)
end

const plait_schedule_draw_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_schedule_draw - draw the first tile of a simulated schedule as SVG."
function plait_schedule_draw(schedule, cluster, cluster_bytes, name, bytes, buffer, capacity_bytes, out_bytes, error)
    ccall(plait_schedule_draw_at[], plait_status, (Ptr{plait_schedule}, Cstring, UInt64, Cstring, UInt64, Ptr{UInt8}, UInt64, Ptr{UInt64}, Ptr{plait_error}), schedule, cluster, cluster_bytes, name, bytes, buffer, capacity_bytes, out_bytes, error)
end

const plait_coll_create_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_coll_create - create a program without operations."
function plait_coll_create(context, desc, out, error)
    ccall(plait_coll_create_at[], plait_status, (Ptr{plait_context}, Ptr{plait_coll_desc}, Ptr{Ptr{plait_coll}}, Ptr{plait_error}), context, desc, out, error)
end

const plait_coll_known_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_coll_known - create the program of a known algorithm."
function plait_coll_known(context, name, desc, out, error)
    ccall(plait_coll_known_at[], plait_status, (Ptr{plait_context}, Cstring, Ptr{plait_coll_desc}, Ptr{Ptr{plait_coll}}, Ptr{plait_error}), context, name, desc, out, error)
end

const plait_coll_read_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_coll_read - create a program from its text form, doc/coll-text.md."
function plait_coll_read(context, text, bytes, name, ranks, chunks, out, error)
    ccall(plait_coll_read_at[], plait_status, (Ptr{plait_context}, Cstring, UInt64, Cstring, UInt32, UInt32, Ptr{Ptr{plait_coll}}, Ptr{plait_error}), context, text, bytes, name, ranks, chunks, out, error)
end

const plait_coll_retain_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_coll_retain - add one reference."
function plait_coll_retain(coll)
    ccall(plait_coll_retain_at[], Cvoid, (Ptr{plait_coll},), coll)
end

const plait_coll_release_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_coll_release - give one reference back."
function plait_coll_release(coll)
    ccall(plait_coll_release_at[], Cvoid, (Ptr{plait_coll},), coll)
end

const plait_coll_chunk_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_coll_chunk - refer to chunks as they are now."
function plait_coll_chunk(coll, rank, buffer, index, count, out, error)
    ccall(plait_coll_chunk_at[], plait_status, (Ptr{plait_coll}, UInt32, plait_chunk_buffer, UInt64, UInt64, Ptr{plait_chunk}, Ptr{plait_error}), coll, rank, buffer, index, count, out, error)
end

const plait_coll_copy_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_coll_copy - copy chunks to a place."
function plait_coll_copy(coll, chunk, place, out, error)
    ccall(plait_coll_copy_at[], plait_status, (Ptr{plait_coll}, plait_chunk, Ptr{plait_chunk_place}, Ptr{plait_chunk}, Ptr{plait_error}), coll, chunk, place, out, error)
end

const plait_coll_reduce_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_coll_reduce - add chunks to others."
function plait_coll_reduce(coll, target, source, place, out, error)
    ccall(plait_coll_reduce_at[], plait_status, (Ptr{plait_coll}, plait_chunk, plait_chunk, Ptr{plait_chunk_place}, Ptr{plait_chunk}, Ptr{plait_error}), coll, target, source, place, out, error)
end

const plait_coll_part_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_coll_part - refer to some of the chunks."
function plait_coll_part(coll, chunk, first, count, out, error)
    ccall(plait_coll_part_at[], plait_status, (Ptr{plait_coll}, plait_chunk, UInt64, UInt64, Ptr{plait_chunk}, Ptr{plait_error}), coll, chunk, first, count, out, error)
end

const plait_coll_join_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_coll_join - refer to neighbouring chunks as one."
function plait_coll_join(coll, one, other, out, error)
    ccall(plait_coll_join_at[], plait_status, (Ptr{plait_coll}, plait_chunk, plait_chunk, Ptr{plait_chunk}, Ptr{plait_error}), coll, one, other, out, error)
end

const plait_coll_parallel_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_coll_parallel - begin a fragment of parallel ways."
function plait_coll_parallel(coll, ways, error)
    ccall(plait_coll_parallel_at[], plait_status, (Ptr{plait_coll}, UInt32, Ptr{plait_error}), coll, ways, error)
end

const plait_coll_end_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_coll_end - end the innermost fragment."
function plait_coll_end(coll, error)
    ccall(plait_coll_end_at[], plait_status, (Ptr{plait_coll}, Ptr{plait_error}), coll, error)
end

const plait_coll_compile_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_coll_compile - compile the program as it is now, and prove the schedule."
function plait_coll_compile(coll, desc, out, error)
    ccall(plait_coll_compile_at[], plait_status, (Ptr{plait_coll}, Ptr{plait_compile_desc}, Ptr{Ptr{plait_schedule}}, Ptr{plait_error}), coll, desc, out, error)
end

const plait_schedule_query_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_schedule_query - get the properties of a schedule."
function plait_schedule_query(schedule, info, error)
    ccall(plait_schedule_query_at[], plait_status, (Ptr{plait_schedule}, Ptr{plait_schedule_info}, Ptr{plait_error}), schedule, info, error)
end

const plait_schedule_graph_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_schedule_graph - make a graph of a schedule, for all of its ranks."
function plait_schedule_graph(schedule, desc, out, error)
    ccall(plait_schedule_graph_at[], plait_status, (Ptr{plait_schedule}, Ptr{plait_collective_desc}, Ptr{Ptr{plait_graph}}, Ptr{plait_error}), schedule, desc, out, error)
end

const plait_world_open_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_world_open - open a world, on all ranks."
function plait_world_open(context, desc, out, error)
    ccall(plait_world_open_at[], plait_status, (Ptr{plait_context}, Ptr{plait_world_desc}, Ptr{Ptr{plait_world}}, Ptr{plait_error}), context, desc, out, error)
end

const plait_world_retain_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_world_retain - add one reference."
function plait_world_retain(world)
    ccall(plait_world_retain_at[], Cvoid, (Ptr{plait_world},), world)
end

const plait_world_release_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_world_release - give one reference back."
function plait_world_release(world)
    ccall(plait_world_release_at[], Cvoid, (Ptr{plait_world},), world)
end

const plait_world_query_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_world_query - get the properties of a world."
function plait_world_query(world, info, error)
    ccall(plait_world_query_at[], plait_status, (Ptr{plait_world}, Ptr{plait_world_info}, Ptr{plait_error}), world, info, error)
end

const plait_world_report_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_world_report - tell how each rank is reached, and why not otherwise."
function plait_world_report(world, buffer, capacity_bytes, out_bytes, error)
    ccall(plait_world_report_at[], plait_status, (Ptr{plait_world}, Ptr{UInt8}, UInt64, Ptr{UInt64}, Ptr{plait_error}), world, buffer, capacity_bytes, out_bytes, error)
end

const plait_world_buffer_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_world_buffer - allocate a buffer that the ranks of this machine read in place."
function plait_world_buffer(world, device, desc, out, error)
    ccall(plait_world_buffer_at[], plait_status, (Ptr{plait_world}, Ptr{plait_device}, Ptr{plait_buffer_desc}, Ptr{Ptr{plait_buffer}}, Ptr{plait_error}), world, device, desc, out, error)
end

const plait_collective_create_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_collective_create - make a collective of schedules, on all ranks."
function plait_collective_create(world, schedules, count, out, error)
    ccall(plait_collective_create_at[], plait_status, (Ptr{plait_world}, Ptr{Ptr{plait_schedule}}, UInt64, Ptr{Ptr{plait_collective}}, Ptr{plait_error}), world, schedules, count, out, error)
end

const plait_collective_retain_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_collective_retain - add one reference."
function plait_collective_retain(collective)
    ccall(plait_collective_retain_at[], Cvoid, (Ptr{plait_collective},), collective)
end

const plait_collective_release_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_collective_release - give one reference back."
function plait_collective_release(collective)
    ccall(plait_collective_release_at[], Cvoid, (Ptr{plait_collective},), collective)
end

const plait_collective_call_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_collective_call - execute a collective, on all ranks, and wait."
function plait_collective_call(collective, run, error)
    ccall(plait_collective_call_at[], plait_status, (Ptr{plait_collective}, Ptr{plait_collective_run}, Ptr{plait_error}), collective, run, error)
end

const plait_collective_submit_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_collective_submit - submit a call of a collective to a queue."
function plait_collective_submit(collective, queue, run, out, error)
    ccall(plait_collective_submit_at[], plait_status, (Ptr{plait_collective}, Ptr{plait_queue}, Ptr{plait_collective_run}, Ptr{Ptr{plait_run}}, Ptr{plait_error}), collective, queue, run, out, error)
end

const plait_graph_collective_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_graph_collective - add a call of a collective to a graph."
function plait_graph_collective(graph, collective, run, label, after, out, error)
    ccall(plait_graph_collective_at[], plait_status, (Ptr{plait_graph}, Ptr{plait_collective}, Ptr{plait_collective_run}, Cstring, plait_node, Ptr{plait_node}, Ptr{plait_error}), graph, collective, run, label, after, out, error)
end

const plait_data_create_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_data_create - create data of a flow."
function plait_data_create(flow, desc, out, error)
    ccall(plait_data_create_at[], plait_status, (Ptr{plait_flow}, Ptr{plait_data_desc}, Ptr{Ptr{plait_data}}, Ptr{plait_error}), flow, desc, out, error)
end

const plait_data_part_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_data_part - name a box of data: accesses of the part and of the whole order each other."
function plait_data_part(data, box, out, error)
    ccall(plait_data_part_at[], plait_status, (Ptr{plait_data}, Ptr{plait_box}, Ptr{Ptr{plait_data}}, Ptr{plait_error}), data, box, out, error)
end

const plait_data_query_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_data_query - get the properties of data."
function plait_data_query(data, info, error)
    ccall(plait_data_query_at[], plait_status, (Ptr{plait_data}, Ptr{plait_data_info}, Ptr{plait_error}), data, info, error)
end

const plait_data_retain_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_data_retain - add one reference."
function plait_data_retain(data)
    ccall(plait_data_retain_at[], Cvoid, (Ptr{plait_data},), data)
end

const plait_data_release_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_data_release - give one reference back; its tasks still run."
function plait_data_release(data)
    ccall(plait_data_release_at[], Cvoid, (Ptr{plait_data},), data)
end

const plait_data_map_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_data_map - wait for data, and access its memory until unmapped."
function plait_data_map(data, box, flags, out, error)
    ccall(plait_data_map_at[], plait_status, (Ptr{plait_data}, Ptr{plait_box}, plait_map_flags, Ptr{Ptr{Cvoid}}, Ptr{plait_error}), data, box, flags, out, error)
end

const plait_data_unmap_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_data_unmap - end one mapping."
function plait_data_unmap(data, pointer, error)
    ccall(plait_data_unmap_at[], plait_status, (Ptr{plait_data}, Ptr{Cvoid}, Ptr{plait_error}), data, pointer, error)
end

const plait_data_read_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_data_read - copy elements to host memory, and wait."
function plait_data_read(data, box, host, error)
    ccall(plait_data_read_at[], plait_status, (Ptr{plait_data}, Ptr{plait_box}, Ptr{Cvoid}, Ptr{plait_error}), data, box, host, error)
end

const plait_data_write_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_data_write - copy elements from host memory, and wait."
function plait_data_write(data, box, host, error)
    ccall(plait_data_write_at[], plait_status, (Ptr{plait_data}, Ptr{plait_box}, Ptr{Cvoid}, Ptr{plait_error}), data, box, host, error)
end

const plait_data_advise_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_data_advise - tell a flow where data will be used, or not used."
function plait_data_advise(data, box, device, what, error)
    ccall(plait_data_advise_at[], plait_status, (Ptr{plait_data}, Ptr{plait_box}, Ptr{plait_device}, plait_advice, Ptr{plait_error}), data, box, device, what, error)
end

const plait_flow_create_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_flow_create - create a flow on the host, or on devices."
function plait_flow_create(context, desc, out, error)
    ccall(plait_flow_create_at[], plait_status, (Ptr{plait_context}, Ptr{plait_flow_desc}, Ptr{Ptr{plait_flow}}, Ptr{plait_error}), context, desc, out, error)
end

const plait_flow_retain_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_flow_retain - add one reference."
function plait_flow_retain(flow)
    ccall(plait_flow_retain_at[], Cvoid, (Ptr{plait_flow},), flow)
end

const plait_flow_release_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_flow_release - give one reference back; submitted tasks still run."
function plait_flow_release(flow)
    ccall(plait_flow_release_at[], Cvoid, (Ptr{plait_flow},), flow)
end

const plait_flow_submit_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_flow_submit - submit one task."
function plait_flow_submit(flow, desc, out, error)
    ccall(plait_flow_submit_at[], plait_status, (Ptr{plait_flow}, Ptr{plait_task_desc}, Ptr{plait_task}, Ptr{plait_error}), flow, desc, out, error)
end

const plait_flow_submit_many_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_flow_submit_many - submit the tasks of an array, in its order."
function plait_flow_submit_many(flow, descs, count, out, error)
    ccall(plait_flow_submit_many_at[], plait_status, (Ptr{plait_flow}, Ptr{plait_task_desc}, UInt64, Ptr{plait_task}, Ptr{plait_error}), flow, descs, count, out, error)
end

const plait_flow_launch_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_flow_launch - submit one launch of a kernel."
function plait_flow_launch(flow, kernel, launch, arguments, count, out, error)
    ccall(plait_flow_launch_at[], plait_status, (Ptr{plait_flow}, Ptr{plait_kernel}, Ptr{plait_launch}, Ptr{plait_argument}, UInt64, Ptr{plait_task}, Ptr{plait_error}), flow, kernel, launch, arguments, count, out, error)
end

const plait_flow_wait_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_flow_wait - wait for a task, or for all submitted so far."
function plait_flow_wait(flow, task, timeout_ns, error)
    ccall(plait_flow_wait_at[], plait_status, (Ptr{plait_flow}, plait_task, UInt64, Ptr{plait_error}), flow, task, timeout_ns, error)
end

const plait_await_task_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_await_task - in a coroutine (plait/coroutine.h): plait_flow_wait."
function plait_await_task(flow, task, timeout_ns, error)
    ccall(plait_await_task_at[], plait_status, (Ptr{plait_flow}, plait_task, UInt64, Ptr{plait_error}), flow, task, timeout_ns, error)
end

const plait_flow_notify_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_flow_notify - request an event for the end of a task."
function plait_flow_notify(flow, task, inbox, function_, user_data, error)
    ccall(plait_flow_notify_at[], plait_status, (Ptr{plait_flow}, plait_task, Ptr{plait_inbox}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{plait_error}), flow, task, inbox, function_, user_data, error)
end

const plait_flow_cancel_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_flow_cancel - end all tasks submitted so far that have not begun."
function plait_flow_cancel(flow, error)
    ccall(plait_flow_cancel_at[], plait_status, (Ptr{plait_flow}, Ptr{plait_error}), flow, error)
end

const plait_flow_query_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_flow_query - get the properties of a flow."
function plait_flow_query(flow, info, error)
    ccall(plait_flow_query_at[], plait_status, (Ptr{plait_flow}, Ptr{plait_flow_info}, Ptr{plait_error}), flow, info, error)
end

const plait_flow_split_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_flow_split - get the chunks of a launch that would be split."
function plait_flow_split(flow, desc, out, room, out_count, error)
    ccall(plait_flow_split_at[], plait_status, (Ptr{plait_flow}, Ptr{plait_task_desc}, Ptr{plait_box}, UInt64, Ptr{UInt64}, Ptr{plait_error}), flow, desc, out, room, out_count, error)
end

const plait_queue_capture_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_queue_capture - begin to capture queues."
function plait_queue_capture(queues, count, flags, error)
    ccall(plait_queue_capture_at[], plait_status, (Ptr{Ptr{plait_queue}}, UInt64, plait_capture_flags, Ptr{plait_error}), queues, count, flags, error)
end

const plait_queue_end_capture_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_queue_end_capture - end a capture and get its graph."
function plait_queue_end_capture(queue, out, error)
    ccall(plait_queue_end_capture_at[], plait_status, (Ptr{plait_queue}, Ptr{Ptr{plait_graph}}, Ptr{plait_error}), queue, out, error)
end

const plait_await_signal_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_await_signal - in a coroutine: wait for an emission."
function plait_await_signal(signal, sequence, timeout_ns, error)
    ccall(plait_await_signal_at[], plait_status, (Ptr{plait_signal}, UInt64, UInt64, Ptr{plait_error}), signal, sequence, timeout_ns, error)
end

const plait_await_points_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_await_points - in a coroutine: wait for several emissions, or for the first of them."
function plait_await_points(points, count, mode, timeout_ns, out_index, error)
    ccall(plait_await_points_at[], plait_status, (Ptr{plait_point}, UInt64, Int32, UInt64, Ptr{UInt64}, Ptr{plait_error}), points, count, mode, timeout_ns, out_index, error)
end

const plait_await_run_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_await_run - in a coroutine: wait for the end of another run."
function plait_await_run(run, timeout_ns, error)
    ccall(plait_await_run_at[], plait_status, (Ptr{plait_run}, UInt64, Ptr{plait_error}), run, timeout_ns, error)
end

const plait_await_plan_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_await_plan - in a coroutine: run a plan and wait for its end."
function plait_await_plan(plan, queue, desc, timeout_ns, error)
    ccall(plait_await_plan_at[], plait_status, (Ptr{plait_plan}, Ptr{plait_queue}, Ptr{plait_run_desc}, UInt64, Ptr{plait_error}), plan, queue, desc, timeout_ns, error)
end

const plait_yield_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_yield - in a coroutine: let the thread do other work first."
function plait_yield(error)
    ccall(plait_yield_at[], plait_status, (Ptr{plait_error},), error)
end

const plait_device_query_link_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_device_query_link - get the link from the memory of one device to that of another one."
function plait_device_query_link(from, to, info, error)
    ccall(plait_device_query_link_at[], plait_status, (Ptr{plait_device}, Ptr{plait_device}, Ptr{plait_link_info}, Ptr{plait_error}), from, to, info, error)
end

const plait_flow_write_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_flow_write - print the tasks of a flow, and why each waits for others."
function plait_flow_write(flow, format, buffer, capacity_bytes, out_bytes, error)
    ccall(plait_flow_write_at[], plait_status, (Ptr{plait_flow}, plait_flow_format, Ptr{Cvoid}, UInt64, Ptr{UInt64}, Ptr{plait_error}), flow, format, buffer, capacity_bytes, out_bytes, error)
end

const plait_flow_read_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_flow_read - submit the tasks of a text; see doc/flow-text.md."
function plait_flow_read(flow, text, bytes, name, error)
    ccall(plait_flow_read_at[], plait_status, (Ptr{plait_flow}, Cstring, UInt64, Cstring, Ptr{plait_error}), flow, text, bytes, name, error)
end

const plait_flow_write_instructions_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_flow_write_instructions - print what the tasks of a flow would do on devices with memories of their own."
function plait_flow_write_instructions(flow, memories, format, buffer, capacity_bytes, out_bytes, error)
    ccall(plait_flow_write_instructions_at[], plait_status, (Ptr{plait_flow}, Ptr{plait_memories_desc}, plait_flow_format, Ptr{Cvoid}, UInt64, Ptr{UInt64}, Ptr{plait_error}), flow, memories, format, buffer, capacity_bytes, out_bytes, error)
end

const plait_flow_capture_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_flow_capture - begin to capture a flow, or end the capture."
function plait_flow_capture(flow, graph, error)
    ccall(plait_flow_capture_at[], plait_status, (Ptr{plait_flow}, Ptr{plait_graph}, Ptr{plait_error}), flow, graph, error)
end

const plait_flow_repeat_at = Ref{Ptr{Cvoid}}(C_NULL)
"plait_flow_repeat - run a repetition again; or begin or end a new one."
function plait_flow_repeat(flow, key, out, error)
    ccall(plait_flow_repeat_at[], plait_status, (Ptr{plait_flow}, UInt64, Ptr{plait_task}, Ptr{plait_error}), flow, key, out, error)
end

# The functions, and where their addresses are kept
const FUNCTIONS = Tuple{Symbol,Base.RefValue{Ptr{Cvoid}}}[
    (:plait_version, plait_version_at),
    (:plait_abi, plait_abi_at),
    (:plait_status_name, plait_status_name_at),
    (:plait_sizeof, plait_sizeof_at),
    (:plait_error_detail, plait_error_detail_at),
    (:plait_live_count, plait_live_count_at),
    (:plait_context_open, plait_context_open_at),
    (:plait_context_retain, plait_context_retain_at),
    (:plait_context_release, plait_context_release_at),
    (:plait_context_close, plait_context_close_at),
    (:plait_context_report, plait_context_report_at),
    (:plait_backend_report, plait_backend_report_at),
    (:plait_context_device_count, plait_context_device_count_at),
    (:plait_context_device, plait_context_device_at),
    (:plait_context_find_device, plait_context_find_device_at),
    (:plait_device_query, plait_device_query_at),
    (:plait_device_set_budget, plait_device_set_budget_at),
    (:plait_buffer_create, plait_buffer_create_at),
    (:plait_buffer_wrap, plait_buffer_wrap_at),
    (:plait_buffer_view, plait_buffer_view_at),
    (:plait_buffer_retain, plait_buffer_retain_at),
    (:plait_buffer_release, plait_buffer_release_at),
    (:plait_buffer_bytes, plait_buffer_bytes_at),
    (:plait_buffer_map, plait_buffer_map_at),
    (:plait_buffer_unmap, plait_buffer_unmap_at),
    (:plait_array_import, plait_array_import_at),
    (:plait_array_export, plait_array_export_at),
    (:plait_inbox_create, plait_inbox_create_at),
    (:plait_inbox_retain, plait_inbox_retain_at),
    (:plait_inbox_release, plait_inbox_release_at),
    (:plait_inbox_descriptor, plait_inbox_descriptor_at),
    (:plait_inbox_next, plait_inbox_next_at),
    (:plait_inbox_pump, plait_inbox_pump_at),
    (:plait_inbox_wait, plait_inbox_wait_at),
    (:plait_inbox_answer, plait_inbox_answer_at),
    (:plait_inbox_begin, plait_inbox_begin_at),
    (:plait_inbox_end, plait_inbox_end_at),
    (:plait_inbox_is_stopping, plait_inbox_is_stopping_at),
    (:plait_inbox_notify_stop, plait_inbox_notify_stop_at),
    (:plait_inbox_adopt, plait_inbox_adopt_at),
    (:plait_inbox_close, plait_inbox_close_at),
    (:plait_signal_create, plait_signal_create_at),
    (:plait_signal_retain, plait_signal_retain_at),
    (:plait_signal_release, plait_signal_release_at),
    (:plait_signal_query, plait_signal_query_at),
    (:plait_signal_wait, plait_signal_wait_at),
    (:plait_signal_wait_points, plait_signal_wait_points_at),
    (:plait_signal_raise, plait_signal_raise_at),
    (:plait_signal_fail, plait_signal_fail_at),
    (:plait_signal_reset, plait_signal_reset_at),
    (:plait_signal_notify, plait_signal_notify_at),
    (:plait_queue_create, plait_queue_create_at),
    (:plait_queue_retain, plait_queue_retain_at),
    (:plait_queue_release, plait_queue_release_at),
    (:plait_queue_submit, plait_queue_submit_at),
    (:plait_queue_call, plait_queue_call_at),
    (:plait_queue_copy, plait_queue_copy_at),
    (:plait_queue_copy_rows, plait_queue_copy_rows_at),
    (:plait_queue_fill, plait_queue_fill_at),
    (:plait_queue_read, plait_queue_read_at),
    (:plait_queue_write, plait_queue_write_at),
    (:plait_queue_emit, plait_queue_emit_at),
    (:plait_queue_wait, plait_queue_wait_at),
    (:plait_queue_finish, plait_queue_finish_at),
    (:plait_device_native, plait_device_native_at),
    (:plait_queue_native, plait_queue_native_at),
    (:plait_buffer_native, plait_buffer_native_at),
    (:plait_source_text, plait_source_text_at),
    (:plait_kernel_create, plait_kernel_create_at),
    (:plait_kernel_compile, plait_kernel_compile_at),
    (:plait_kernel_retain, plait_kernel_retain_at),
    (:plait_kernel_release, plait_kernel_release_at),
    (:plait_kernel_signature, plait_kernel_signature_at),
    (:plait_kernel_messages, plait_kernel_messages_at),
    (:plait_queue_launch, plait_queue_launch_at),
    (:plait_graph_add, plait_graph_add_at),
    (:plait_graph_join, plait_graph_join_at),
    (:plait_graph_launch, plait_graph_launch_at),
    (:plait_graph_call, plait_graph_call_at),
    (:plait_graph_copy, plait_graph_copy_at),
    (:plait_graph_copy_rows, plait_graph_copy_rows_at),
    (:plait_graph_fill, plait_graph_fill_at),
    (:plait_graph_emit, plait_graph_emit_at),
    (:plait_graph_wait, plait_graph_wait_at),
    (:plait_graph_mark, plait_graph_mark_at),
    (:plait_graph_subgraph, plait_graph_subgraph_at),
    (:plait_graph_while, plait_graph_while_at),
    (:plait_graph_do, plait_graph_do_at),
    (:plait_graph_case, plait_graph_case_at),
    (:plait_graph_repeat, plait_graph_repeat_at),
    (:plait_graph_create, plait_graph_create_at),
    (:plait_graph_read, plait_graph_read_at),
    (:plait_graph_retain, plait_graph_retain_at),
    (:plait_graph_release, plait_graph_release_at),
    (:plait_graph_add_edge, plait_graph_add_edge_at),
    (:plait_graph_set_priority, plait_graph_set_priority_at),
    (:plait_graph_add_resource, plait_graph_add_resource_at),
    (:plait_graph_add_need, plait_graph_add_need_at),
    (:plait_graph_remove, plait_graph_remove_at),
    (:plait_graph_remove_edge, plait_graph_remove_edge_at),
    (:plait_graph_body, plait_graph_body_at),
    (:plait_graph_add_rotation, plait_graph_add_rotation_at),
    (:plait_graph_size, plait_graph_size_at),
    (:plait_graph_freeze, plait_graph_freeze_at),
    (:plait_plan_retain, plait_plan_retain_at),
    (:plait_plan_release, plait_plan_release_at),
    (:plait_plan_query, plait_plan_query_at),
    (:plait_plan_check, plait_plan_check_at),
    (:plait_plan_simulate, plait_plan_simulate_at),
    (:plait_plan_critical_path, plait_plan_critical_path_at),
    (:plait_plan_write, plait_plan_write_at),
    (:plait_plan_read, plait_plan_read_at),
    (:plait_plan_save, plait_plan_save_at),
    (:plait_plan_load, plait_plan_load_at),
    (:plait_plan_query_binding, plait_plan_query_binding_at),
    (:plait_plan_bind_kernel, plait_plan_bind_kernel_at),
    (:plait_plan_bind_buffer, plait_plan_bind_buffer_at),
    (:plait_plan_bind_signal, plait_plan_bind_signal_at),
    (:plait_plan_bind_function, plait_plan_bind_function_at),
    (:plait_plan_bind_device, plait_plan_bind_device_at),
    (:plait_plan_parameter_count, plait_plan_parameter_count_at),
    (:plait_plan_find_parameter, plait_plan_find_parameter_at),
    (:plait_plan_query_parameter, plait_plan_query_parameter_at),
    (:plait_plan_prepare, plait_plan_prepare_at),
    (:plait_plan_rehearse, plait_plan_rehearse_at),
    (:plait_plan_exchange, plait_plan_exchange_at),
    (:plait_plan_run, plait_plan_run_at),
    (:plait_plan_call, plait_plan_call_at),
    (:plait_run_retain, plait_run_retain_at),
    (:plait_run_release, plait_run_release_at),
    (:plait_run_poll, plait_run_poll_at),
    (:plait_run_wait, plait_run_wait_at),
    (:plait_run_cancel, plait_run_cancel_at),
    (:plait_run_is_stopping, plait_run_is_stopping_at),
    (:plait_worker_index, plait_worker_index_at),
    (:plait_run_notify, plait_run_notify_at),
    (:plait_run_query, plait_run_query_at),
    (:plait_plan_query_command, plait_plan_query_command_at),
    (:plait_callable_create, plait_callable_create_at),
    (:plait_callable_function, plait_callable_function_at),
    (:plait_callable_retain, plait_callable_retain_at),
    (:plait_callable_release, plait_callable_release_at),
    (:plait_plan_record, plait_plan_record_at),
    (:plait_run_records, plait_run_records_at),
    (:plait_run_write, plait_run_write_at),
    (:plait_plan_tune, plait_plan_tune_at),
    (:plait_schedule_read, plait_schedule_read_at),
    (:plait_schedule_retain, plait_schedule_retain_at),
    (:plait_schedule_release, plait_schedule_release_at),
    (:plait_schedule_check, plait_schedule_check_at),
    (:plait_schedule_write, plait_schedule_write_at),
    (:plait_schedule_simulate, plait_schedule_simulate_at),
    (:plait_schedule_draw, plait_schedule_draw_at),
    (:plait_coll_create, plait_coll_create_at),
    (:plait_coll_known, plait_coll_known_at),
    (:plait_coll_read, plait_coll_read_at),
    (:plait_coll_retain, plait_coll_retain_at),
    (:plait_coll_release, plait_coll_release_at),
    (:plait_coll_chunk, plait_coll_chunk_at),
    (:plait_coll_copy, plait_coll_copy_at),
    (:plait_coll_reduce, plait_coll_reduce_at),
    (:plait_coll_part, plait_coll_part_at),
    (:plait_coll_join, plait_coll_join_at),
    (:plait_coll_parallel, plait_coll_parallel_at),
    (:plait_coll_end, plait_coll_end_at),
    (:plait_coll_compile, plait_coll_compile_at),
    (:plait_schedule_query, plait_schedule_query_at),
    (:plait_schedule_graph, plait_schedule_graph_at),
    (:plait_world_open, plait_world_open_at),
    (:plait_world_retain, plait_world_retain_at),
    (:plait_world_release, plait_world_release_at),
    (:plait_world_query, plait_world_query_at),
    (:plait_world_report, plait_world_report_at),
    (:plait_world_buffer, plait_world_buffer_at),
    (:plait_collective_create, plait_collective_create_at),
    (:plait_collective_retain, plait_collective_retain_at),
    (:plait_collective_release, plait_collective_release_at),
    (:plait_collective_call, plait_collective_call_at),
    (:plait_collective_submit, plait_collective_submit_at),
    (:plait_graph_collective, plait_graph_collective_at),
    (:plait_data_create, plait_data_create_at),
    (:plait_data_part, plait_data_part_at),
    (:plait_data_query, plait_data_query_at),
    (:plait_data_retain, plait_data_retain_at),
    (:plait_data_release, plait_data_release_at),
    (:plait_data_map, plait_data_map_at),
    (:plait_data_unmap, plait_data_unmap_at),
    (:plait_data_read, plait_data_read_at),
    (:plait_data_write, plait_data_write_at),
    (:plait_data_advise, plait_data_advise_at),
    (:plait_flow_create, plait_flow_create_at),
    (:plait_flow_retain, plait_flow_retain_at),
    (:plait_flow_release, plait_flow_release_at),
    (:plait_flow_submit, plait_flow_submit_at),
    (:plait_flow_submit_many, plait_flow_submit_many_at),
    (:plait_flow_launch, plait_flow_launch_at),
    (:plait_flow_wait, plait_flow_wait_at),
    (:plait_await_task, plait_await_task_at),
    (:plait_flow_notify, plait_flow_notify_at),
    (:plait_flow_cancel, plait_flow_cancel_at),
    (:plait_flow_query, plait_flow_query_at),
    (:plait_flow_split, plait_flow_split_at),
    (:plait_queue_capture, plait_queue_capture_at),
    (:plait_queue_end_capture, plait_queue_end_capture_at),
    (:plait_await_signal, plait_await_signal_at),
    (:plait_await_points, plait_await_points_at),
    (:plait_await_run, plait_await_run_at),
    (:plait_await_plan, plait_await_plan_at),
    (:plait_yield, plait_yield_at),
    (:plait_device_query_link, plait_device_query_link_at),
    (:plait_flow_write, plait_flow_write_at),
    (:plait_flow_read, plait_flow_read_at),
    (:plait_flow_write_instructions, plait_flow_write_instructions_at),
    (:plait_flow_capture, plait_flow_capture_at),
    (:plait_flow_repeat, plait_flow_repeat_at),
]

end
