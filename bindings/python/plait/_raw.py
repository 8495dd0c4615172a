# SPDX-License-Identifier: MIT
"""Made by bindings/generate.py from include/plait/*.h; do not edit."""
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double,  # noqa: F401
                    c_float, c_int8, c_int16, c_int32, c_int64, c_uint8, c_uint16,
                    c_uint32, c_uint64, c_void_p)

plait_status = c_int32
plait_log_level = c_int32
plait_object_kind = c_int32
plait_image_format = c_uint32
plait_sampler_flags = c_uint32
plait_context_flags = c_uint32
plait_device_capabilities = c_uint32
plait_buffer_flags = c_uint32
plait_call_flags = c_uint32
plait_wrap_flags = c_uint32
plait_map_flags = c_uint32
plait_element = c_uint32
plait_array_flags = c_uint32
plait_tensor_flags = c_uint32
plait_event_kind = c_uint32
plait_signal_flags = c_uint32
plait_wait_mode = c_int32
plait_argument_kind = c_uint32
plait_series_flags = c_uint32
plait_command_kind = c_uint32
plait_native_kind = c_uint32
plait_source_form = c_uint32
plait_source_flags = c_uint32
plait_function_form = c_uint32
plait_kernel_flags = c_uint32
plait_node = c_uint64
plait_node_kind = c_uint32
plait_node_flags = c_uint32
plait_rotation_flags = c_uint32
plait_policy = c_uint32
plait_mode = c_uint32
plait_freeze_flags = c_uint32
plait_plan_format = c_int32
plait_binding_kind = c_uint32
plait_binding_flags = c_uint32
plait_parameter_kind = c_uint32
plait_run_flags = c_uint32
plait_record_kind = c_uint32
plait_trace_format = c_int32
plait_coll_kind = c_uint32
plait_coll_target = c_uint32
plait_schedule_format = c_int32
plait_proof_reason = c_uint32
plait_proof_flags = c_uint32
plait_proof_desc_flags = c_uint32
plait_chunk = c_uint64
plait_chunk_buffer = c_uint32
plait_coll_flags = c_uint32
plait_chunk_place_flags = c_uint32
plait_coll_protocol = c_uint32
plait_compile_flags = c_uint32
plait_schedule_flags = c_uint32
plait_reduction = c_uint32
plait_mapper_kind = c_uint32
plait_mapper_flags = c_uint32
plait_device_choice = c_uint32
plait_parent_choice = c_uint32
plait_lane_choice = c_uint32
plait_access_mode = c_uint32
plait_access_flags = c_uint32
plait_advice = c_uint32
plait_task = c_uint64
plait_flow_flags = c_uint32
plait_task_kind = c_uint32
plait_task_flags = c_uint32
plait_capture_flags = c_uint32
plait_link_flags = c_uint32
plait_flow_format = c_int32
plait_memory_peers = c_uint32
plait_memories_flags = c_uint32
plait_code_parameter_flags = c_uint32
plait_code_flags = c_uint32

PLAIT_VERSION_MAJOR = 0
PLAIT_VERSION_MINOR = 1
PLAIT_VERSION_PATCH = 0
PLAIT_ABI = 1
PLAIT_OK = 0
PLAIT_PENDING = 1
PLAIT_EVENT_READY = 2
PLAIT_E_INVALID = -1
PLAIT_E_HANDLE = -2
PLAIT_E_NOMEM = -3
PLAIT_E_UNSUPPORTED = -4
PLAIT_E_UNAVAILABLE = -5
PLAIT_E_STATE = -6
PLAIT_E_BUSY = -7
PLAIT_E_TIMEOUT = -8
PLAIT_E_CANCELLED = -9
PLAIT_E_FAILED = -10
PLAIT_E_LOST = -11
PLAIT_E_THREAD = -12
PLAIT_E_DEADLOCK = -13
PLAIT_E_FORKED = -14
PLAIT_E_INTERNAL = -15
PLAIT_ERROR_TEXT_BYTES = 232
PLAIT_LOG_DEFAULT = 0
PLAIT_LOG_NONE = 1
PLAIT_LOG_ERROR = 2
PLAIT_LOG_WARNING = 3
PLAIT_LOG_INFO = 4
PLAIT_LOG_DEBUG = 5
PLAIT_OBJECT_ANY = 0
PLAIT_OBJECT_CONTEXT = 1
PLAIT_OBJECT_DEVICE = 2
PLAIT_OBJECT_QUEUE = 3
PLAIT_OBJECT_SIGNAL = 4
PLAIT_OBJECT_BUFFER = 5
PLAIT_OBJECT_INBOX = 6
PLAIT_OBJECT_KERNEL = 7
PLAIT_OBJECT_GRAPH = 8
PLAIT_OBJECT_PLAN = 9
PLAIT_OBJECT_RUN = 10
PLAIT_OBJECT_CALLABLE = 11
PLAIT_OBJECT_SCHEDULE = 12
PLAIT_OBJECT_COLL = 13
PLAIT_OBJECT_FLOW = 14
PLAIT_OBJECT_DATA = 15
PLAIT_OBJECT_WORLD = 16
PLAIT_OBJECT_COLLECTIVE = 17
PLAIT_IMAGE_NONE = 0
PLAIT_IMAGE_R32F = 1
PLAIT_IMAGE_RGBA32F = 2
PLAIT_IMAGE_RGBA8 = 3
PLAIT_SAMPLER_LINEAR = 1
PLAIT_SAMPLER_ZERO = 2
PLAIT_CONTEXT_NO_WORKERS = 1
PLAIT_CONTEXT_SYNC = 2
PLAIT_DEVICE_MAP = 1
PLAIT_DEVICE_WRAP = 2
PLAIT_DEVICE_HOST_CALL = 4
PLAIT_DEVICE_GATE = 8
PLAIT_DEVICE_NOTIFY = 16
PLAIT_DEVICE_NEEDS_PUMP = 32
PLAIT_DEVICE_VIRTUAL_TIME = 64
PLAIT_DEVICE_NATIVE = 128
PLAIT_DEVICE_SEGMENT = 256
PLAIT_DEVICE_ROWS = 512
PLAIT_DEVICE_REGION = 1024
PLAIT_DEVICE_LASTS = 2048
PLAIT_DEVICE_HOST = 4096
PLAIT_DEVICE_POLLS = 8192
PLAIT_DEVICE_IMAGE = 16384
PLAIT_BUFFER_TEMPORARY = 1
PLAIT_CALL_ANY_THREAD = 1
PLAIT_CALL_COROUTINE = 4
PLAIT_CALL_FIRST_WORKER = 8
PLAIT_WRAP_READ_ONLY = 2
PLAIT_MAP_READ = 1
PLAIT_MAP_WRITE = 2
PLAIT_ARRAY_MAX_DIMENSIONS = 16
PLAIT_ELEMENT_INT = 0
PLAIT_ELEMENT_UINT = 1
PLAIT_ELEMENT_FLOAT = 2
PLAIT_ELEMENT_BFLOAT = 4
PLAIT_ELEMENT_COMPLEX = 5
PLAIT_ELEMENT_BOOL = 6
PLAIT_ARRAY_READ_ONLY = 1
PLAIT_ARRAY_OVERLAPS = 2
PLAIT_ARRAY_COMPACT = 4
PLAIT_TENSOR_LEGACY = 16
PLAIT_EVENT_CALL = 1
PLAIT_EVENT_SIGNAL = 2
PLAIT_EVENT_RELEASED = 3
PLAIT_EVENT_RUN = 4
PLAIT_EVENT_TASK = 5
PLAIT_EVENT_STOPPED = 6
PLAIT_SIGNAL_GATE = 1
PLAIT_WAIT_ALL = 0
PLAIT_WAIT_ANY = 1
PLAIT_ARGUMENT_VALUE = 0
PLAIT_ARGUMENT_BUFFER = 1
PLAIT_ARGUMENT_PARAMETER = 2
PLAIT_ARGUMENT_ROTATION = 3
PLAIT_ARGUMENT_ITERATION = 4
PLAIT_ARGUMENT_SCRATCH = 5
PLAIT_ARGUMENT_LOCAL = 6
PLAIT_ARGUMENT_DATA = 7
PLAIT_ARGUMENT_ACCESS = 8
PLAIT_ARGUMENT_CHUNK = 9
PLAIT_ARGUMENT_HOST = 10
PLAIT_SERIES_FROM_COUNT = 1
PLAIT_COMMAND_NOP = 0
PLAIT_COMMAND_CALL = 1
PLAIT_COMMAND_COPY = 2
PLAIT_COMMAND_FILL = 3
PLAIT_COMMAND_READ = 4
PLAIT_COMMAND_WRITE = 5
PLAIT_COMMAND_WAIT = 6
PLAIT_COMMAND_EMIT = 7
PLAIT_COMMAND_LAUNCH = 8
PLAIT_NATIVE_POINTER = 1
PLAIT_NATIVE_CL_PLATFORM = 16
PLAIT_NATIVE_CL_DEVICE = 17
PLAIT_NATIVE_CL_CONTEXT = 18
PLAIT_NATIVE_CL_QUEUE = 19
PLAIT_NATIVE_CL_MEMORY = 20
PLAIT_NATIVE_CU_DEVICE = 32
PLAIT_NATIVE_CU_CONTEXT = 33
PLAIT_NATIVE_CU_STREAM = 34
PLAIT_NATIVE_CU_POINTER = 35
PLAIT_NATIVE_MPI_COMM = 48
PLAIT_SOURCE_PORTABLE = 0
PLAIT_SOURCE_C = 1
PLAIT_SOURCE_OPENCL_C = 2
PLAIT_SOURCE_OPENCL_BINARY = 3
PLAIT_SOURCE_SPIRV = 4
PLAIT_SOURCE_CUDA_C = 5
PLAIT_SOURCE_PTX = 6
PLAIT_SOURCE_CUBIN = 7
PLAIT_SOURCE_STRICT = 1
PLAIT_SOURCE_FAST = 2
PLAIT_SOURCE_NO_ALIAS = 4
PLAIT_FORM_DESCRIBED = 0
PLAIT_FORM_FIXED = 1
PLAIT_FORM_RANGE = 2
PLAIT_KERNEL_COROUTINE = 1
PLAIT_KERNEL_FIRST_WORKER = 2
PLAIT_NODE_JOIN = 0
PLAIT_NODE_LAUNCH = 1
PLAIT_NODE_CALL = 2
PLAIT_NODE_COPY = 3
PLAIT_NODE_FILL = 4
PLAIT_NODE_EMIT = 5
PLAIT_NODE_WAIT = 6
PLAIT_NODE_MARK = 7
PLAIT_NODE_SUBGRAPH = 8
PLAIT_NODE_WHILE = 9
PLAIT_NODE_DO = 10
PLAIT_NODE_CASE = 11
PLAIT_NODE_REPEAT = 12
PLAIT_NODE_READ = 13
PLAIT_NODE_WRITE = 14
PLAIT_NODE_COLLECTIVE = 15
PLAIT_NODE_ON_FIRST = 0
PLAIT_NODE_ON_ALL_BARRIER = 16
PLAIT_NODE_ON_ALL_GROUP = 32
PLAIT_NODE_FREE = 64
PLAIT_ROTATION_PROLOGUE = 1
PLAIT_POLICY_BOUNDED = 0
PLAIT_POLICY_WIDEST = 1
PLAIT_MODE_STRICT = 0
PLAIT_MODE_HELPED = 1
PLAIT_MODE_AUTO = 2
PLAIT_FREEZE_CHECK = 1
PLAIT_FREEZE_QUEUES = 2
PLAIT_FREEZE_PROGRAM_ORDER = 4
PLAIT_FORMAT_BINARY = 0
PLAIT_FORMAT_JSON = 1
PLAIT_FORMAT_DOT = 2
PLAIT_FORMAT_SVG = 3
PLAIT_BINDING_KERNEL = 0
PLAIT_BINDING_BUFFER = 1
PLAIT_BINDING_SIGNAL = 2
PLAIT_BINDING_FUNCTION = 3
PLAIT_BINDING_DEVICE = 4
PLAIT_BINDING_IS_ANY_THREAD = 1
PLAIT_BINDING_IS_EMITTED = 2
PLAIT_BINDING_IS_PREDICATE = 4
PLAIT_BINDING_IS_COROUTINE = 8
PLAIT_BINDING_IS_FIRST_WORKER = 16
PLAIT_PARAMETER_VALUE = 0
PLAIT_PARAMETER_BUFFER = 1
PLAIT_PARAMETER_LAUNCH = 2
PLAIT_PARAMETER_HOST = 3
PLAIT_RUN_NO_WAIT = 1
PLAIT_RUN_SERIAL = 4
PLAIT_RUN_PARALLEL = 8
PLAIT_RUN_RECORD = 16
PLAIT_RUN_OVERLAP = 32
PLAIT_RECORD_COMMAND = 0
PLAIT_RECORD_WAIT = 1
PLAIT_RECORD_DECISION = 2
PLAIT_TRACE_JSON = 0
PLAIT_TRACE_SVG = 1
PLAIT_COLL_CUSTOM = 0
PLAIT_COLL_ALLREDUCE = 1
PLAIT_COLL_ALLGATHER = 2
PLAIT_COLL_REDUCE_SCATTER = 3
PLAIT_COLL_ALLTOALL = 4
PLAIT_COLL_BROADCAST = 5
PLAIT_COLL_REDUCE = 6
PLAIT_COLL_GATHER = 7
PLAIT_COLL_SCATTER = 8
PLAIT_COLL_ALLTONEXT = 9
PLAIT_TARGET_PLAIT = 0
PLAIT_TARGET_MSCCL = 1
PLAIT_TARGET_EXECUTOR = 2
PLAIT_TARGET_RCCL = 3
PLAIT_SCHEDULE_XML_MSCCL = 1
PLAIT_SCHEDULE_XML_EXECUTOR = 2
PLAIT_SCHEDULE_XML_RCCL = 3
PLAIT_SCHEDULE_BINARY = 4
PLAIT_PROOF_PROVED = 0
PLAIT_PROOF_SHAPE = 1
PLAIT_PROOF_DEADLOCK = 2
PLAIT_PROOF_RACE = 3
PLAIT_PROOF_VALUE = 4
PLAIT_PROOF_SAME_BITS = 1
PLAIT_PROOF_EXPORTS_MSCCL = 2
PLAIT_PROOF_EXPORTS_EXECUTOR = 4
PLAIT_PROOF_EXPORTS_RCCL = 8
PLAIT_PROOF_HAS_TARGET = 1
PLAIT_PROOF_HAS_KIND = 2
PLAIT_PROOF_HAS_PROMISES = 4
PLAIT_CHUNK_INPUT = 0
PLAIT_CHUNK_OUTPUT = 1
PLAIT_CHUNK_SCRATCH = 2
PLAIT_COLL_IN_PLACE = 1
PLAIT_CHUNK_HAS_BUFFER = 1
PLAIT_CHUNK_HAS_CHANNEL = 2
PLAIT_CHUNK_HAS_LANES = 4
PLAIT_CHUNK_APPEND = 8
PLAIT_PROTOCOL_AUTO = 0
PLAIT_PROTOCOL_SIMPLE = 1
PLAIT_PROTOCOL_LL = 2
PLAIT_PROTOCOL_LL128 = 3
PLAIT_COMPILE_NO_FUSION = 1
PLAIT_COMPILE_SEPARATE_LANES = 2
PLAIT_COMPILE_AGGREGATE = 4
PLAIT_SCHEDULE_IN_PLACE = 1
PLAIT_REDUCE_SUM = 0
PLAIT_REDUCE_PROD = 1
PLAIT_REDUCE_MIN = 2
PLAIT_REDUCE_MAX = 3
PLAIT_MAPPER_ALL = 0
PLAIT_MAPPER_ONE_TO_ONE = 1
PLAIT_MAPPER_SLICE = 2
PLAIT_MAPPER_NEIGHBORHOOD = 3
PLAIT_MAPPER_FIXED = 4
PLAIT_MAPPER_EVEN_SPLIT = 5
PLAIT_MAPPER_BOXES = 6
PLAIT_MAPPER_FUNCTION = 7
PLAIT_MAPPER_NO_CORNERS = 1
PLAIT_CHOOSE_EARLIEST = 0
PLAIT_CHOOSE_SINGLE = 1
PLAIT_CHOOSE_ROUND_ROBIN = 2
PLAIT_CHOOSE_STREAM_AWARE = 3
PLAIT_CHOOSE_MIN_SIZE = 4
PLAIT_CHOOSE_MINMIN_TIME = 5
PLAIT_CHOOSE_MINMAX_TIME = 6
PLAIT_PARENT_BEST = 0
PLAIT_PARENT_SAME = 1
PLAIT_PARENT_DISJOINT = 2
PLAIT_PARENT_EARLY_DISJOINT = 3
PLAIT_PARENT_DEVICE_DISJOINT = 4
PLAIT_LANE_REUSE = 0
PLAIT_LANE_ALWAYS_NEW = 1
PLAIT_ACCESS_BY_SIGNATURE = 0
PLAIT_ACCESS_READ = 1
PLAIT_ACCESS_WRITE = 2
PLAIT_ACCESS_READ_WRITE = 3
PLAIT_ACCESS_REDUCE = 4
PLAIT_ACCESS_ACCUMULATE = 1
PLAIT_ADVISE_PREFETCH = 0
PLAIT_ADVISE_RESERVE = 1
PLAIT_ADVISE_EVICT = 2
PLAIT_FLOW_RECORD = 1
PLAIT_FLOW_STRICT = 2
PLAIT_FLOW_CHECK = 4
PLAIT_FLOW_FIXED = 8
PLAIT_FLOW_REPEATS = 16
PLAIT_TASK_LAUNCH = 0
PLAIT_TASK_CALL = 1
PLAIT_TASK_COPY = 2
PLAIT_TASK_FILL = 3
PLAIT_TASK_READ = 4
PLAIT_TASK_WRITE = 5
PLAIT_TASK_PLAN = 6
PLAIT_TASK_EMIT = 7
PLAIT_TASK_WAIT = 8
PLAIT_TASK_NO_WAIT = 16
PLAIT_TASK_BARRIER = 32
PLAIT_TASK_COLLECTIVE = 64
PLAIT_CAPTURE_LOCAL_SIGNALS = 1
PLAIT_CAPTURE_NO_CALLS = 2
PLAIT_LINK_DIRECT = 1
PLAIT_LINK_SHARED = 2
PLAIT_LINK_LATENCY_ASSUMED = 4
PLAIT_LINK_BANDWIDTH_ASSUMED = 8
PLAIT_FLOW_TEXT = 0
PLAIT_FLOW_JSON = 1
PLAIT_FLOW_DOT = 2
PLAIT_FLOW_SVG = 3
PLAIT_PEERS_ALL = 0
PLAIT_PEERS_RING = 1
PLAIT_PEERS_NONE = 2
PLAIT_MEMORIES_SHARED = 1
PLAIT_MEMORIES_NO_LOOKAHEAD = 2
PLAIT_MEMORIES_STRICT = 4
PLAIT_CODE_POINTER = 1
PLAIT_CODE_READS = 2
PLAIT_CODE_WRITES = 4
PLAIT_CODE_LOCAL = 8
PLAIT_CODE_IMAGE = 16
PLAIT_CODE_SAMPLER = 32
PLAIT_CODE_PORTABLE = 256

plait_log_hook = CFUNCTYPE(None, c_void_p, plait_log_level, c_void_p)
plait_host_function = CFUNCTYPE(c_int32, c_void_p)
plait_kernel_function = CFUNCTYPE(c_int32, c_void_p, c_void_p, c_void_p)
plait_range_function = CFUNCTYPE(c_int32, c_void_p, c_void_p, c_void_p, c_void_p)
plait_any_function = CFUNCTYPE(None)
plait_failure_function = CFUNCTYPE(None, c_void_p, c_void_p)
plait_mapper_function = CFUNCTYPE(plait_status, c_void_p, c_void_p, c_void_p, c_void_p, c_uint32, c_void_p)


class plait_error(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("status", plait_status),
        ("origin", c_int64),
        ("detail", c_uint64),
        ("text", c_char * 232),
    ]


class plait_allocator(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", c_uint32),
        ("resize", c_void_p),
        ("user_data", c_void_p),
    ]


class plait_context_desc(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", plait_context_flags),
        ("backends", c_char_p),
        ("plugin_path", c_char_p),
        ("wrap", c_char_p),
        ("options", c_char_p),
        ("allocator", c_void_p),
        ("log", c_void_p),
        ("log_user_data", c_void_p),
        ("log_level", plait_log_level),
        ("workers", c_uint32),
    ]


class plait_device_info(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("index", c_uint32),
        ("capabilities", plait_device_capabilities),
        ("parallel", c_uint32),
        ("memory_bytes", c_uint64),
        ("budget_bytes", c_uint64),
        ("used_bytes", c_uint64),
        ("alignment_bytes", c_uint64),
        ("name", c_char * 48),
        ("backend", c_char * 32),
        ("description", c_char * 256),
        ("stray_notifications", c_uint64),
        ("forms", c_uint32),
        ("memory", c_uint32),
        ("local_bytes", c_uint64),
    ]


class plait_buffer_desc(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", plait_buffer_flags),
        ("bytes", c_uint64),
        ("alignment_bytes", c_uint64),
        ("label", c_char_p),
        ("format", plait_image_format),
        ("width", c_uint32),
        ("height", c_uint32),
        ("reserved0", c_uint32),
    ]


class plait_wrap_desc(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", plait_wrap_flags),
        ("pointer", c_void_p),
        ("bytes", c_uint64),
        ("label", c_char_p),
        ("inbox", c_void_p),
        ("released", c_void_p),
        ("user_data", c_void_p),
        ("native_kind", c_uint32),
        ("reserved0", c_uint32),
        ("native", c_uint64),
    ]


class plait_array(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", plait_array_flags),
        ("element", plait_element),
        ("element_bits", c_uint32),
        ("lanes", c_uint32),
        ("dimensions", c_uint32),
        ("offset_bytes", c_uint64),
        ("shape", c_int64 * 16),
        ("strides", c_int64 * 16),
    ]


class plait_import_desc(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", plait_tensor_flags),
        ("inbox", c_void_p),
        ("label", c_char_p),
    ]


class plait_event(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("kind", plait_event_kind),
        ("id", c_uint64),
        ("status", plait_status),
        ("reserved0", c_uint32),
        ("origin", c_int64),
        ("function", c_void_p),
        ("user_data", c_void_p),
        ("signal", c_void_p),
        ("sequence", c_uint64),
        ("detail", c_uint64),
        ("run", c_void_p),
    ]


class plait_signal_desc(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", plait_signal_flags),
        ("label", c_char_p),
    ]


class plait_point(Structure):
    _fields_ = [
        ("signal", c_void_p),
        ("sequence", c_uint64),
    ]


class plait_launch(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("dimensions", c_uint32),
        ("items", c_uint64 * 3),
        ("group", c_uint64 * 3),
    ]


class plait_series(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", plait_series_flags),
        ("offset", c_int64),
        ("scale", c_int64),
        ("limit", c_int64),
    ]


class plait_argument(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("kind", plait_argument_kind),
        ("value", c_void_p),
        ("bytes", c_uint64),
        ("buffer", c_void_p),
        ("offset_bytes", c_uint64),
        ("name", c_char_p),
        ("rotation", c_uint64),
        ("ahead", c_uint64),
        ("series", c_void_p),
    ]


class plait_queue_desc(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", c_uint32),
        ("label", c_char_p),
        ("capacity", c_uint64),
        ("priority", c_int32),
        ("native_kind", c_uint32),
        ("native", c_uint64),
    ]


class plait_rows(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", c_uint32),
        ("rows", c_uint64),
        ("slices", c_uint64),
        ("target_row", c_uint64),
        ("target_slice", c_uint64),
        ("source_row", c_uint64),
        ("source_slice", c_uint64),
    ]


class plait_command(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("kind", plait_command_kind),
        ("flags", plait_call_flags),
        ("pattern_bytes", c_uint32),
        ("pattern", c_uint64),
        ("bytes", c_uint64),
        ("target", c_void_p),
        ("target_offset", c_uint64),
        ("source", c_void_p),
        ("source_offset", c_uint64),
        ("host", c_void_p),
        ("function", c_void_p),
        ("user_data", c_void_p),
        ("inbox", c_void_p),
        ("signal", c_void_p),
        ("sequence", c_uint64),
        ("label", c_char_p),
        ("rows", c_void_p),
        ("kernel", c_void_p),
        ("launch", c_void_p),
        ("arguments", c_void_p),
        ("argument_count", c_uint64),
    ]


class plait_source(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("form", plait_source_form),
        ("flags", plait_source_flags),
        ("reserved0", c_uint32),
        ("backend", c_char_p),
        ("code", c_void_p),
        ("bytes", c_uint64),
        ("entry", c_char_p),
        ("file", c_char_p),
        ("defines", c_char_p),
        ("options", c_char_p),
        ("before", c_void_p),
        ("before_count", c_uint64),
    ]


class plait_range(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("dimensions", c_uint32),
        ("begin", c_uint64 * 3),
        ("end", c_uint64 * 3),
    ]


class plait_kernel_desc(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", plait_kernel_flags),
        ("signature", c_char_p),
        ("function", c_void_p),
        ("user_data", c_void_p),
        ("range", c_void_p),
        ("described", c_void_p),
        ("library", c_char_p),
        ("symbol", c_char_p),
        ("form", plait_function_form),
        ("reserved0", c_uint32),
        ("grain", c_uint64),
        ("sources", c_void_p),
        ("source_count", c_uint64),
    ]


class plait_node_desc(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("kind", plait_node_kind),
        ("flags", plait_node_flags),
        ("pattern_bytes", c_uint32),
        ("label", c_char_p),
        ("file", c_char_p),
        ("line", c_uint32),
        ("device_count", c_uint32),
        ("device", c_void_p),
        ("devices", POINTER(c_void_p)),
        ("cost", c_uint64),
        ("scratch_bytes", c_uint64),
        ("kernel", c_void_p),
        ("launch", c_void_p),
        ("launch_parameter", c_char_p),
        ("arguments", c_void_p),
        ("argument_count", c_uint64),
        ("function", c_void_p),
        ("user_data", c_void_p),
        ("inbox", c_void_p),
        ("target", c_void_p),
        ("target_offset", c_uint64),
        ("source", c_void_p),
        ("source_offset", c_uint64),
        ("bytes", c_uint64),
        ("pattern", c_uint64),
        ("signal", c_void_p),
        ("sequence", c_uint64),
        ("subgraph", c_void_p),
        ("predicate", c_void_p),
        ("predicate_offset", c_uint64),
        ("branch_count", c_uint64),
        ("times", c_uint64),
        ("rows", c_void_p),
        ("target_parameter", c_char_p),
        ("source_parameter", c_char_p),
        ("count_parameter", c_char_p),
        ("count_step", c_uint64),
        ("series", c_void_p),
        ("series_count", c_uint64),
        ("host_parameter", c_char_p),
        ("host_offset", c_uint64),
        ("user_data_parameter", c_char_p),
        ("target_rotation", c_uint64),
        ("target_ahead", c_uint64),
        ("source_rotation", c_uint64),
        ("source_ahead", c_uint64),
    ]


class plait_freeze_desc(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", plait_freeze_flags),
        ("policy", plait_policy),
        ("mode", plait_mode),
        ("lanes", c_uint32),
        ("instances", c_uint32),
        ("hop_cost", c_uint64),
        ("sources", POINTER(c_uint64)),
        ("sinks", POINTER(c_uint64)),
        ("source_count", c_uint64),
        ("sink_count", c_uint64),
        ("whole", c_void_p),
    ]


class plait_plan_info(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("policy", plait_policy),
        ("mode", plait_mode),
        ("devices", c_uint32),
        ("nodes", c_uint64),
        ("edges", c_uint64),
        ("lanes", c_uint64),
        ("commands", c_uint64),
        ("waits", c_uint64),
        ("signals", c_uint64),
        ("regions", c_uint64),
        ("makespan", c_uint64),
        ("scratch_bytes", c_uint64),
        ("bytes", c_uint64),
        ("peak_bytes", c_uint64),
        ("bindings", c_uint32),
        ("unbound", c_uint32),
    ]


class plait_system_desc(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", c_uint32),
        ("hop_cost", c_uint64),
        ("submit_cost", c_uint64),
        ("copy_alpha", c_uint64),
        ("copy_beta", c_uint64),
    ]


class plait_simulation(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("reserved0", c_uint32),
        ("makespan", c_uint64),
        ("critical_cost", c_uint64),
        ("critical_count", c_uint64),
        ("busy", c_uint64),
        ("memory_peak", c_uint64),
    ]


class plait_lane_use(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("device", c_uint32),
        ("device_name", c_char_p),
        ("commands", c_uint64),
        ("waits", c_uint64),
        ("start", c_uint64),
        ("end", c_uint64),
        ("busy", c_uint64),
    ]


class plait_critical_command(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("lane", c_uint32),
        ("node", c_uint64),
        ("command", c_uint64),
        ("label", c_char_p),
        ("start", c_uint64),
        ("end", c_uint64),
    ]


class plait_plan_binding(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("kind", plait_binding_kind),
        ("flags", plait_binding_flags),
        ("bound", c_uint32),
        ("bytes", c_uint64),
        ("name", c_char_p),
        ("detail", c_char_p),
    ]


class plait_function_desc(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", plait_call_flags),
        ("function", c_void_p),
        ("user_data", c_void_p),
        ("inbox", c_void_p),
    ]


class plait_parameter_info(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("kind", plait_parameter_kind),
        ("bytes", c_uint64),
        ("type", c_char * 32),
        ("name", c_char * 64),
    ]


class plait_binding(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("parameter", c_uint32),
        ("value", c_void_p),
        ("bytes", c_uint64),
        ("buffer", c_void_p),
        ("offset_bytes", c_uint64),
    ]


class plait_run_desc(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", plait_run_flags),
        ("bindings", c_void_p),
        ("binding_count", c_uint64),
    ]


class plait_run_info(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("status", plait_status),
        ("iterations", c_uint64),
        ("failed_command", c_uint64),
        ("commands", c_uint64),
        ("commands_expected", c_uint64),
        ("begin_ns", c_uint64),
        ("end_ns", c_uint64),
        ("device_regions", c_uint64),
    ]


class plait_command_info(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("kind", plait_node_kind),
        ("lane", c_uint32),
        ("device", c_uint32),
        ("label", c_char * 64),
    ]


class plait_callable_desc(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", plait_run_flags),
        ("signature", c_char_p),
        ("failed", c_void_p),
        ("user_data", c_void_p),
    ]


class plait_record(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("kind", plait_record_kind),
        ("lane", c_uint32),
        ("planned_lane", c_uint32),
        ("command", c_uint64),
        ("other", c_uint64),
        ("iteration", c_uint64),
        ("thread", c_uint64),
        ("start_ns", c_uint64),
        ("end_ns", c_uint64),
    ]


class plait_tune_desc(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", c_uint32),
        ("mode", plait_mode),
        ("lanes", c_uint32),
        ("hop_ns", c_uint64),
    ]


class plait_tune_info(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("reserved0", c_uint32),
        ("runs", c_uint64),
        ("measured", c_uint64),
        ("before_ns", c_uint64),
        ("after_ns", c_uint64),
    ]


class plait_coll_promise(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("rank", c_uint32),
        ("index", c_uint64),
        ("source_count", c_uint64),
        ("source_ranks", POINTER(c_uint32)),
        ("source_indices", POINTER(c_uint64)),
    ]


class plait_proof_desc(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", plait_proof_desc_flags),
        ("target", plait_coll_target),
        ("depth", c_uint32),
        ("kind", plait_coll_kind),
        ("root", c_uint32),
        ("slot_bytes", c_uint64),
        ("promise_count", c_uint64),
        ("promises", c_void_p),
    ]


class plait_proof(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("reason", plait_proof_reason),
        ("flags", plait_proof_flags),
        ("depth", c_uint32),
        ("depth_min", c_uint32),
        ("lanes", c_uint32),
        ("channels", c_uint32),
        ("lane_steps", c_uint32),
        ("step_chunks", c_uint32),
        ("ranks", c_uint32),
        ("steps", c_uint64),
        ("safe_bytes", c_uint64),
    ]


class plait_coll_simulation(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", c_uint32),
        ("time_ns", c_uint64),
        ("tiles", c_uint64),
        ("executed_tiles", c_uint64),
        ("tile_bytes", c_uint64),
        ("critical_steps", c_uint64),
        ("critical_ns", c_uint64),
        ("latency_ns", c_uint64),
    ]


class plait_coll_desc(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", plait_coll_flags),
        ("kind", plait_coll_kind),
        ("ranks", c_uint32),
        ("root", c_uint32),
        ("chunks", c_uint32),
        ("input_chunks", c_uint64),
        ("output_chunks", c_uint64),
        ("promise_count", c_uint64),
        ("promises", c_void_p),
        ("label", c_char_p),
    ]


class plait_chunk_place(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", plait_chunk_place_flags),
        ("rank", c_uint32),
        ("buffer", plait_chunk_buffer),
        ("channel", c_uint32),
        ("send_lane", c_uint32),
        ("recv_lane", c_uint32),
        ("reserved0", c_uint32),
        ("index", c_uint64),
    ]


class plait_compile_desc(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", plait_compile_flags),
        ("target", plait_coll_target),
        ("protocol", plait_coll_protocol),
        ("instances", c_uint32),
        ("depth", c_uint32),
        ("lanes", c_uint32),
        ("channels", c_uint32),
        ("slot_bytes", c_uint64),
        ("min_bytes", c_uint64),
        ("max_bytes", c_uint64),
        ("message_chunks", c_uint32),
        ("reserved0", c_uint32),
    ]


class plait_schedule_info(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", plait_schedule_flags),
        ("kind", plait_coll_kind),
        ("ranks", c_uint32),
        ("root", c_uint32),
        ("share_chunks", c_uint32),
        ("input_chunks", c_uint32),
        ("output_chunks", c_uint32),
        ("target", plait_coll_target),
        ("depth", c_uint32),
        ("lanes", c_uint64),
        ("steps", c_uint64),
        ("name", c_char * 64),
        ("min_bytes", c_uint64),
        ("max_bytes", c_uint64),
    ]


class plait_collective_desc(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", c_uint32),
        ("element", plait_element),
        ("element_bits", c_uint32),
        ("reduction", plait_reduction),
        ("reserved0", c_uint32),
        ("count", c_uint64),
        ("inputs", POINTER(c_void_p)),
        ("outputs", POINTER(c_void_p)),
        ("devices", POINTER(c_void_p)),
    ]


class plait_world_desc(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", c_uint32),
        ("transports", c_char_p),
        ("rank", c_uint32),
        ("ranks", c_uint32),
        ("native", c_uint64),
        ("native_kind", c_uint32),
        ("reserved0", c_uint32),
        ("open_ns", c_uint64),
        ("silence_ns", c_uint64),
    ]


class plait_world_info(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", c_uint32),
        ("rank", c_uint32),
        ("ranks", c_uint32),
        ("machines", c_uint32),
        ("reserved0", c_uint32),
    ]


class plait_collective_run(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", c_uint32),
        ("element", plait_element),
        ("element_bits", c_uint32),
        ("reduction", plait_reduction),
        ("reserved0", c_uint32),
        ("count", c_uint64),
        ("input", c_void_p),
        ("output", c_void_p),
        ("input_offset", c_uint64),
        ("output_offset", c_uint64),
        ("input_memory", c_void_p),
        ("output_memory", c_void_p),
    ]


class plait_box(Structure):
    _fields_ = [
        ("low", c_uint64 * 3),
        ("high", c_uint64 * 3),
    ]


class plait_mapper(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("kind", plait_mapper_kind),
        ("dimension", c_uint32),
        ("flags", plait_mapper_flags),
        ("extent", c_uint64 * 3),
        ("boxes", c_void_p),
        ("box_count", c_uint64),
        ("function", c_void_p),
        ("user_data", c_void_p),
    ]


class plait_data_desc(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", c_uint32),
        ("dimensions", c_uint32),
        ("element_bytes", c_uint32),
        ("extent", c_uint64 * 3),
        ("buffer", c_void_p),
        ("buffer_offset", c_uint64),
        ("label", c_char_p),
    ]


class plait_data_info(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("dimensions", c_uint32),
        ("element_bytes", c_uint32),
        ("reserved0", c_uint32),
        ("extent", c_uint64 * 3),
        ("pitch", c_uint64 * 3),
        ("pointer", c_void_p),
    ]


class plait_access(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("mode", plait_access_mode),
        ("data", c_void_p),
        ("box", c_void_p),
        ("mapper", c_void_p),
        ("combine", c_void_p),
        ("identity", c_uint64),
        ("flags", plait_access_flags),
        ("reserved0", c_uint32),
    ]


class plait_flow_desc(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", plait_flow_flags),
        ("window", c_uint32),
        ("lanes", c_uint32),
        ("label", c_char_p),
        ("devices", POINTER(c_void_p)),
        ("device_count", c_uint32),
        ("horizon", c_uint32),
        ("choose", plait_device_choice),
        ("parent", plait_parent_choice),
        ("lane", plait_lane_choice),
        ("device_lanes", c_uint32),
        ("threshold", c_uint32),
        ("reserved0", c_uint32),
        ("world", c_void_p),
        ("memory_bytes", c_uint64),
        ("history", c_char_p),
        ("links", c_char_p),
    ]


class plait_task_desc(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("kind", plait_task_kind),
        ("flags", plait_task_flags),
        ("priority", c_int32),
        ("label", c_char_p),
        ("kernel", c_void_p),
        ("launch", c_void_p),
        ("arguments", c_void_p),
        ("argument_count", c_uint64),
        ("accesses", c_void_p),
        ("access_count", c_uint64),
        ("function", c_void_p),
        ("user_data", c_void_p),
        ("inbox", c_void_p),
        ("target", c_void_p),
        ("source", c_void_p),
        ("target_box", c_void_p),
        ("source_box", c_void_p),
        ("host", c_void_p),
        ("pattern", c_uint64),
        ("signal", c_void_p),
        ("sequence", c_uint64),
        ("cost", c_uint64),
        ("split", c_uint32),
        ("pieces", c_uint32),
        ("plan", c_void_p),
        ("run", c_void_p),
    ]


class plait_flow_info(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", c_uint32),
        ("window", c_uint32),
        ("lanes", c_uint32),
        ("newest", plait_task),
        ("settled", plait_task),
        ("failed", c_uint64),
        ("pieces", c_uint64),
        ("flow_bytes", c_uint64),
        ("data_bytes", c_uint64),
        ("warnings", c_uint64),
        ("repeated", c_uint64),
    ]


class plait_link_info(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", plait_link_flags),
        ("latency_ns", c_uint64),
        ("bytes_per_us", c_uint64),
    ]


class plait_memories_desc(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", plait_memories_flags),
        ("devices", c_uint32),
        ("peers", plait_memory_peers),
        ("choose", plait_device_choice),
        ("parent", plait_parent_choice),
        ("lane", plait_lane_choice),
        ("lanes", c_uint32),
        ("memory_bytes", c_uint64),
        ("links", c_char_p),
        ("weights", POINTER(c_uint32)),
    ]


class plait_code_parameter(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", plait_code_parameter_flags),
        ("bytes", c_uint64),
        ("name", c_char_p),
        ("type", c_char_p),
    ]


class plait_code(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("form", plait_source_form),
        ("flags", plait_code_flags),
        ("parameter_count", c_uint32),
        ("parameters", c_void_p),
        ("code", c_void_p),
        ("bytes", c_uint64),
        ("entry", c_char_p),
        ("name", c_char_p),
        ("options", c_char_p),
        ("log", c_void_p),
    ]


class plait_kernel_facts(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("reserved0", c_uint32),
        ("group", c_uint64 * 3),
        ("group_items_max", c_uint64),
        ("local_bytes", c_uint64),
        ("private_bytes", c_uint64),
    ]


class plait_launch_argument(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("reserved0", c_uint32),
        ("memory", c_void_p),
        ("offset", c_uint64),
        ("value", c_void_p),
    ]


class plait_launch_request(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("dimensions", c_uint32),
        ("items", c_uint64 * 3),
        ("group", c_uint64 * 3),
        ("kernel", c_void_p),
        ("arguments", c_void_p),
        ("argument_count", c_uint32),
        ("reserved0", c_uint32),
    ]


class plait_host_part(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("reserved0", c_uint32),
        ("items", c_uint64 * 3),
        ("begin", c_uint64 * 3),
        ("end", c_uint64 * 3),
    ]


STRUCTS = (
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
)

# name: (result, parameters)
FUNCTIONS = {
    "plait_version": (c_char_p, ()),
    "plait_abi": (c_uint32, ()),
    "plait_status_name": (c_char_p, (plait_status,)),
    "plait_sizeof": (c_uint64, (c_char_p,)),
    "plait_error_detail": (plait_status, (c_uint64, POINTER(c_char), c_uint64, POINTER(c_uint64),)),
    "plait_live_count": (c_uint64, (plait_object_kind,)),
    "plait_context_open": (plait_status, (POINTER(plait_context_desc), POINTER(c_void_p), POINTER(plait_error),)),
    "plait_context_retain": (None, (c_void_p,)),
    "plait_context_release": (None, (c_void_p,)),
    "plait_context_close": (plait_status, (c_void_p, c_uint64, POINTER(plait_error),)),
    "plait_context_report": (plait_status, (c_void_p, POINTER(c_char), c_uint64, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_backend_report": (plait_status, (POINTER(plait_context_desc), POINTER(c_char), c_uint64, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_context_device_count": (plait_status, (c_void_p, POINTER(c_uint32), POINTER(plait_error),)),
    "plait_context_device": (plait_status, (c_void_p, c_uint32, POINTER(c_void_p), POINTER(plait_error),)),
    "plait_context_find_device": (plait_status, (c_void_p, c_char_p, POINTER(c_void_p), POINTER(plait_error),)),
    "plait_device_query": (plait_status, (c_void_p, POINTER(plait_device_info), POINTER(plait_error),)),
    "plait_device_set_budget": (plait_status, (c_void_p, c_uint64, POINTER(plait_error),)),
    "plait_buffer_create": (plait_status, (c_void_p, POINTER(plait_buffer_desc), POINTER(c_void_p), POINTER(plait_error),)),
    "plait_buffer_wrap": (plait_status, (c_void_p, POINTER(plait_wrap_desc), POINTER(c_void_p), POINTER(plait_error),)),
    "plait_buffer_view": (plait_status, (c_void_p, c_uint64, c_uint64, POINTER(c_void_p), POINTER(plait_error),)),
    "plait_buffer_retain": (None, (c_void_p,)),
    "plait_buffer_release": (None, (c_void_p,)),
    "plait_buffer_bytes": (plait_status, (c_void_p, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_buffer_map": (plait_status, (c_void_p, c_uint64, c_uint64, plait_map_flags, POINTER(c_void_p), POINTER(plait_error),)),
    "plait_buffer_unmap": (plait_status, (c_void_p, c_void_p, POINTER(plait_error),)),
    "plait_array_import": (plait_status, (c_void_p, c_void_p, POINTER(plait_import_desc), POINTER(plait_array), POINTER(c_void_p), POINTER(plait_error),)),
    "plait_array_export": (plait_status, (c_void_p, POINTER(plait_array), plait_tensor_flags, POINTER(c_void_p), POINTER(plait_error),)),
    "plait_inbox_create": (plait_status, (c_void_p, POINTER(c_void_p), POINTER(plait_error),)),
    "plait_inbox_retain": (None, (c_void_p,)),
    "plait_inbox_release": (None, (c_void_p,)),
    "plait_inbox_descriptor": (plait_status, (c_void_p, POINTER(c_int32), POINTER(plait_error),)),
    "plait_inbox_next": (plait_status, (c_void_p, POINTER(plait_event), POINTER(plait_error),)),
    "plait_inbox_pump": (plait_status, (c_void_p, c_uint64, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_inbox_wait": (plait_status, (c_void_p, c_uint64, POINTER(plait_error),)),
    "plait_inbox_answer": (plait_status, (c_void_p, c_uint64, c_int64, c_char_p, POINTER(plait_error),)),
    "plait_inbox_begin": (plait_status, (c_void_p, c_uint64, POINTER(plait_error),)),
    "plait_inbox_end": (plait_status, (c_void_p, c_uint64, POINTER(plait_error),)),
    "plait_inbox_is_stopping": (c_int32, (c_void_p, c_uint64,)),
    "plait_inbox_notify_stop": (plait_status, (c_void_p, c_uint64, c_void_p, c_void_p, POINTER(plait_error),)),
    "plait_inbox_adopt": (plait_status, (c_void_p, POINTER(plait_error),)),
    "plait_inbox_close": (plait_status, (c_void_p, POINTER(plait_error),)),
    "plait_signal_create": (plait_status, (c_void_p, POINTER(plait_signal_desc), POINTER(c_void_p), POINTER(plait_error),)),
    "plait_signal_retain": (None, (c_void_p,)),
    "plait_signal_release": (None, (c_void_p,)),
    "plait_signal_query": (plait_status, (c_void_p, POINTER(c_uint64), POINTER(c_uint64), POINTER(plait_error),)),
    "plait_signal_wait": (plait_status, (c_void_p, c_uint64, c_uint64, POINTER(plait_error),)),
    "plait_signal_wait_points": (plait_status, (POINTER(plait_point), c_uint64, plait_wait_mode, c_uint64, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_signal_raise": (plait_status, (c_void_p, c_uint64, POINTER(plait_error),)),
    "plait_signal_fail": (plait_status, (c_void_p, c_int64, c_char_p, POINTER(plait_error),)),
    "plait_signal_reset": (plait_status, (c_void_p, POINTER(plait_error),)),
    "plait_signal_notify": (plait_status, (c_void_p, c_uint64, c_void_p, c_void_p, c_void_p, POINTER(plait_error),)),
    "plait_queue_create": (plait_status, (c_void_p, POINTER(plait_queue_desc), POINTER(c_void_p), POINTER(plait_error),)),
    "plait_queue_retain": (None, (c_void_p,)),
    "plait_queue_release": (None, (c_void_p,)),
    "plait_queue_submit": (plait_status, (c_void_p, POINTER(plait_command), c_uint64, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_queue_call": (plait_status, (c_void_p, c_void_p, c_void_p, POINTER(plait_error),)),
    "plait_queue_copy": (plait_status, (c_void_p, c_void_p, c_uint64, c_void_p, c_uint64, c_uint64, POINTER(plait_error),)),
    "plait_queue_copy_rows": (plait_status, (c_void_p, c_void_p, c_uint64, c_void_p, c_uint64, c_uint64, POINTER(plait_rows), POINTER(plait_error),)),
    "plait_queue_fill": (plait_status, (c_void_p, c_void_p, c_uint64, c_uint64, c_uint64, c_uint32, POINTER(plait_error),)),
    "plait_queue_read": (plait_status, (c_void_p, c_void_p, c_uint64, c_void_p, c_uint64, POINTER(plait_error),)),
    "plait_queue_write": (plait_status, (c_void_p, c_void_p, c_uint64, c_void_p, c_uint64, POINTER(plait_error),)),
    "plait_queue_emit": (plait_status, (c_void_p, c_void_p, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_queue_wait": (plait_status, (c_void_p, c_void_p, c_uint64, POINTER(plait_error),)),
    "plait_queue_finish": (plait_status, (c_void_p, c_uint64, POINTER(plait_error),)),
    "plait_device_native": (plait_status, (c_void_p, plait_native_kind, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_queue_native": (plait_status, (c_void_p, plait_native_kind, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_buffer_native": (plait_status, (c_void_p, plait_native_kind, POINTER(c_uint64), POINTER(c_uint64), POINTER(plait_error),)),
    "plait_source_text": (plait_status, (c_char_p, POINTER(plait_source), plait_source_form, POINTER(c_char), c_uint64, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_kernel_create": (plait_status, (c_void_p, POINTER(plait_kernel_desc), POINTER(c_void_p), POINTER(plait_error),)),
    "plait_kernel_compile": (plait_status, (c_void_p, c_char_p, c_char_p, POINTER(c_void_p), POINTER(plait_error),)),
    "plait_kernel_retain": (None, (c_void_p,)),
    "plait_kernel_release": (None, (c_void_p,)),
    "plait_kernel_signature": (plait_status, (c_void_p, POINTER(c_char), c_uint64, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_kernel_messages": (plait_status, (c_void_p, c_void_p, POINTER(c_char), c_uint64, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_queue_launch": (plait_status, (c_void_p, c_void_p, POINTER(plait_launch), POINTER(plait_argument), c_uint64, POINTER(plait_error),)),
    "plait_graph_add": (plait_status, (c_void_p, POINTER(plait_node_desc), POINTER(c_uint64), c_uint64, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_graph_join": (plait_status, (c_void_p, POINTER(c_uint64), c_uint64, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_graph_launch": (plait_status, (c_void_p, c_void_p, POINTER(plait_launch), POINTER(plait_argument), c_uint64, plait_node, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_graph_call": (plait_status, (c_void_p, c_void_p, c_void_p, plait_node, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_graph_copy": (plait_status, (c_void_p, c_void_p, c_uint64, c_void_p, c_uint64, c_uint64, plait_node, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_graph_copy_rows": (plait_status, (c_void_p, c_void_p, c_uint64, c_void_p, c_uint64, c_uint64, POINTER(plait_rows), plait_node, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_graph_fill": (plait_status, (c_void_p, c_void_p, c_uint64, c_uint64, c_uint64, c_uint32, plait_node, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_graph_emit": (plait_status, (c_void_p, c_void_p, plait_node, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_graph_wait": (plait_status, (c_void_p, c_void_p, c_uint64, plait_node, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_graph_mark": (plait_status, (c_void_p, c_char_p, plait_node, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_graph_subgraph": (plait_status, (c_void_p, c_void_p, plait_node, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_graph_while": (plait_status, (c_void_p, c_void_p, c_uint64, c_uint64, plait_node, POINTER(c_void_p), POINTER(c_uint64), POINTER(plait_error),)),
    "plait_graph_do": (plait_status, (c_void_p, c_void_p, c_uint64, c_uint64, plait_node, POINTER(c_void_p), POINTER(c_uint64), POINTER(plait_error),)),
    "plait_graph_case": (plait_status, (c_void_p, c_void_p, c_uint64, c_uint64, plait_node, POINTER(c_void_p), POINTER(c_uint64), POINTER(plait_error),)),
    "plait_graph_repeat": (plait_status, (c_void_p, c_uint64, plait_node, POINTER(c_void_p), POINTER(c_uint64), POINTER(plait_error),)),
    "plait_graph_create": (plait_status, (c_void_p, POINTER(c_void_p), POINTER(plait_error),)),
    "plait_graph_read": (plait_status, (c_void_p, c_char_p, c_uint64, c_char_p, POINTER(c_void_p), POINTER(plait_error),)),
    "plait_graph_retain": (None, (c_void_p,)),
    "plait_graph_release": (None, (c_void_p,)),
    "plait_graph_add_edge": (plait_status, (c_void_p, plait_node, plait_node, POINTER(plait_error),)),
    "plait_graph_set_priority": (plait_status, (c_void_p, plait_node, c_int32, POINTER(plait_error),)),
    "plait_graph_add_resource": (plait_status, (c_void_p, c_char_p, c_uint64, POINTER(plait_error),)),
    "plait_graph_add_need": (plait_status, (c_void_p, plait_node, c_char_p, c_uint64, POINTER(plait_error),)),
    "plait_graph_remove": (plait_status, (c_void_p, POINTER(c_uint64), c_uint64, POINTER(plait_error),)),
    "plait_graph_remove_edge": (plait_status, (c_void_p, plait_node, plait_node, POINTER(plait_error),)),
    "plait_graph_body": (plait_status, (c_void_p, plait_node, c_uint64, POINTER(c_void_p), POINTER(plait_error),)),
    "plait_graph_add_rotation": (plait_status, (c_void_p, POINTER(c_void_p), c_uint64, plait_rotation_flags, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_graph_size": (plait_status, (c_void_p, POINTER(c_uint64), POINTER(c_uint64), POINTER(plait_error),)),
    "plait_graph_freeze": (plait_status, (c_void_p, POINTER(plait_freeze_desc), POINTER(c_void_p), POINTER(plait_error),)),
    "plait_plan_retain": (None, (c_void_p,)),
    "plait_plan_release": (None, (c_void_p,)),
    "plait_plan_query": (plait_status, (c_void_p, POINTER(plait_plan_info), POINTER(plait_error),)),
    "plait_plan_check": (plait_status, (c_void_p, POINTER(plait_error),)),
    "plait_plan_simulate": (plait_status, (c_void_p, POINTER(plait_system_desc), POINTER(plait_simulation), POINTER(plait_lane_use), c_uint64, POINTER(plait_error),)),
    "plait_plan_critical_path": (plait_status, (c_void_p, POINTER(plait_system_desc), POINTER(plait_critical_command), c_uint64, POINTER(plait_error),)),
    "plait_plan_write": (plait_status, (c_void_p, plait_plan_format, c_void_p, c_uint64, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_plan_read": (plait_status, (c_void_p, c_void_p, c_uint64, POINTER(c_void_p), POINTER(plait_error),)),
    "plait_plan_save": (plait_status, (c_void_p, c_char_p, POINTER(plait_error),)),
    "plait_plan_load": (plait_status, (c_void_p, c_char_p, POINTER(c_void_p), POINTER(plait_error),)),
    "plait_plan_query_binding": (plait_status, (c_void_p, c_uint64, POINTER(plait_plan_binding), POINTER(plait_error),)),
    "plait_plan_bind_kernel": (plait_status, (c_void_p, c_void_p, POINTER(plait_error),)),
    "plait_plan_bind_buffer": (plait_status, (c_void_p, c_char_p, c_void_p, POINTER(plait_error),)),
    "plait_plan_bind_signal": (plait_status, (c_void_p, c_char_p, c_void_p, POINTER(plait_error),)),
    "plait_plan_bind_function": (plait_status, (c_void_p, c_char_p, POINTER(plait_function_desc), POINTER(plait_error),)),
    "plait_plan_bind_device": (plait_status, (c_void_p, c_char_p, c_void_p, POINTER(plait_error),)),
    "plait_plan_parameter_count": (plait_status, (c_void_p, POINTER(c_uint32), POINTER(plait_error),)),
    "plait_plan_find_parameter": (plait_status, (c_void_p, c_char_p, POINTER(c_uint32), POINTER(plait_error),)),
    "plait_plan_query_parameter": (plait_status, (c_void_p, c_uint32, POINTER(plait_parameter_info), POINTER(plait_error),)),
    "plait_plan_prepare": (plait_status, (c_void_p, POINTER(plait_error),)),
    "plait_plan_rehearse": (plait_status, (c_void_p, c_uint64, POINTER(plait_error),)),
    "plait_plan_exchange": (plait_status, (c_void_p, c_void_p, c_void_p, POINTER(plait_error),)),
    "plait_plan_run": (plait_status, (c_void_p, c_void_p, POINTER(plait_run_desc), POINTER(c_void_p), POINTER(plait_error),)),
    "plait_plan_call": (plait_status, (c_void_p, c_void_p, POINTER(plait_run_desc), POINTER(plait_error),)),
    "plait_run_retain": (None, (c_void_p,)),
    "plait_run_release": (None, (c_void_p,)),
    "plait_run_poll": (plait_status, (c_void_p, POINTER(plait_error),)),
    "plait_run_wait": (plait_status, (c_void_p, c_uint64, POINTER(plait_error),)),
    "plait_run_cancel": (plait_status, (c_void_p, POINTER(plait_error),)),
    "plait_run_is_stopping": (c_int32, ()),
    "plait_worker_index": (c_int32, ()),
    "plait_run_notify": (plait_status, (c_void_p, c_void_p, c_void_p, c_void_p, POINTER(plait_error),)),
    "plait_run_query": (plait_status, (c_void_p, POINTER(plait_run_info), POINTER(plait_error),)),
    "plait_plan_query_command": (plait_status, (c_void_p, c_uint64, POINTER(plait_command_info), POINTER(plait_error),)),
    "plait_callable_create": (plait_status, (c_void_p, POINTER(plait_callable_desc), POINTER(c_void_p), POINTER(plait_error),)),
    "plait_callable_function": (plait_status, (c_void_p, c_void_p, POINTER(plait_error),)),
    "plait_callable_retain": (None, (c_void_p,)),
    "plait_callable_release": (None, (c_void_p,)),
    "plait_plan_record": (plait_status, (c_void_p, c_uint64, POINTER(plait_error),)),
    "plait_run_records": (plait_status, (c_void_p, POINTER(plait_record), c_uint64, POINTER(c_uint64), POINTER(c_uint64), POINTER(plait_error),)),
    "plait_run_write": (plait_status, (c_void_p, plait_trace_format, c_void_p, c_uint64, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_plan_tune": (plait_status, (c_void_p, POINTER(plait_tune_desc), POINTER(c_void_p), POINTER(plait_tune_info), POINTER(plait_error),)),
    "plait_schedule_read": (plait_status, (c_void_p, c_void_p, c_uint64, c_char_p, POINTER(c_void_p), POINTER(plait_error),)),
    "plait_schedule_retain": (None, (c_void_p,)),
    "plait_schedule_release": (None, (c_void_p,)),
    "plait_schedule_check": (plait_status, (c_void_p, POINTER(plait_proof_desc), POINTER(plait_proof), POINTER(plait_error),)),
    "plait_schedule_write": (plait_status, (c_void_p, plait_schedule_format, c_void_p, c_uint64, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_schedule_simulate": (plait_status, (c_void_p, c_char_p, c_uint64, c_char_p, c_uint64, POINTER(plait_coll_simulation), POINTER(plait_error),)),
    "plait_schedule_draw": (plait_status, (c_void_p, c_char_p, c_uint64, c_char_p, c_uint64, POINTER(c_char), c_uint64, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_coll_create": (plait_status, (c_void_p, POINTER(plait_coll_desc), POINTER(c_void_p), POINTER(plait_error),)),
    "plait_coll_known": (plait_status, (c_void_p, c_char_p, POINTER(plait_coll_desc), POINTER(c_void_p), POINTER(plait_error),)),
    "plait_coll_read": (plait_status, (c_void_p, c_char_p, c_uint64, c_char_p, c_uint32, c_uint32, POINTER(c_void_p), POINTER(plait_error),)),
    "plait_coll_retain": (None, (c_void_p,)),
    "plait_coll_release": (None, (c_void_p,)),
    "plait_coll_chunk": (plait_status, (c_void_p, c_uint32, plait_chunk_buffer, c_uint64, c_uint64, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_coll_copy": (plait_status, (c_void_p, plait_chunk, POINTER(plait_chunk_place), POINTER(c_uint64), POINTER(plait_error),)),
    "plait_coll_reduce": (plait_status, (c_void_p, plait_chunk, plait_chunk, POINTER(plait_chunk_place), POINTER(c_uint64), POINTER(plait_error),)),
    "plait_coll_part": (plait_status, (c_void_p, plait_chunk, c_uint64, c_uint64, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_coll_join": (plait_status, (c_void_p, plait_chunk, plait_chunk, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_coll_parallel": (plait_status, (c_void_p, c_uint32, POINTER(plait_error),)),
    "plait_coll_end": (plait_status, (c_void_p, POINTER(plait_error),)),
    "plait_coll_compile": (plait_status, (c_void_p, POINTER(plait_compile_desc), POINTER(c_void_p), POINTER(plait_error),)),
    "plait_schedule_query": (plait_status, (c_void_p, POINTER(plait_schedule_info), POINTER(plait_error),)),
    "plait_schedule_graph": (plait_status, (c_void_p, POINTER(plait_collective_desc), POINTER(c_void_p), POINTER(plait_error),)),
    "plait_world_open": (plait_status, (c_void_p, POINTER(plait_world_desc), POINTER(c_void_p), POINTER(plait_error),)),
    "plait_world_retain": (None, (c_void_p,)),
    "plait_world_release": (None, (c_void_p,)),
    "plait_world_query": (plait_status, (c_void_p, POINTER(plait_world_info), POINTER(plait_error),)),
    "plait_world_report": (plait_status, (c_void_p, POINTER(c_char), c_uint64, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_world_buffer": (plait_status, (c_void_p, c_void_p, POINTER(plait_buffer_desc), POINTER(c_void_p), POINTER(plait_error),)),
    "plait_collective_create": (plait_status, (c_void_p, POINTER(c_void_p), c_uint64, POINTER(c_void_p), POINTER(plait_error),)),
    "plait_collective_retain": (None, (c_void_p,)),
    "plait_collective_release": (None, (c_void_p,)),
    "plait_collective_call": (plait_status, (c_void_p, POINTER(plait_collective_run), POINTER(plait_error),)),
    "plait_collective_submit": (plait_status, (c_void_p, c_void_p, POINTER(plait_collective_run), POINTER(c_void_p), POINTER(plait_error),)),
    "plait_graph_collective": (plait_status, (c_void_p, c_void_p, POINTER(plait_collective_run), c_char_p, plait_node, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_data_create": (plait_status, (c_void_p, POINTER(plait_data_desc), POINTER(c_void_p), POINTER(plait_error),)),
    "plait_data_part": (plait_status, (c_void_p, POINTER(plait_box), POINTER(c_void_p), POINTER(plait_error),)),
    "plait_data_query": (plait_status, (c_void_p, POINTER(plait_data_info), POINTER(plait_error),)),
    "plait_data_retain": (None, (c_void_p,)),
    "plait_data_release": (None, (c_void_p,)),
    "plait_data_map": (plait_status, (c_void_p, POINTER(plait_box), plait_map_flags, POINTER(c_void_p), POINTER(plait_error),)),
    "plait_data_unmap": (plait_status, (c_void_p, c_void_p, POINTER(plait_error),)),
    "plait_data_read": (plait_status, (c_void_p, POINTER(plait_box), c_void_p, POINTER(plait_error),)),
    "plait_data_write": (plait_status, (c_void_p, POINTER(plait_box), c_void_p, POINTER(plait_error),)),
    "plait_data_advise": (plait_status, (c_void_p, POINTER(plait_box), c_void_p, plait_advice, POINTER(plait_error),)),
    "plait_flow_create": (plait_status, (c_void_p, POINTER(plait_flow_desc), POINTER(c_void_p), POINTER(plait_error),)),
    "plait_flow_retain": (None, (c_void_p,)),
    "plait_flow_release": (None, (c_void_p,)),
    "plait_flow_submit": (plait_status, (c_void_p, POINTER(plait_task_desc), POINTER(c_uint64), POINTER(plait_error),)),
    "plait_flow_submit_many": (plait_status, (c_void_p, POINTER(plait_task_desc), c_uint64, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_flow_launch": (plait_status, (c_void_p, c_void_p, POINTER(plait_launch), POINTER(plait_argument), c_uint64, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_flow_wait": (plait_status, (c_void_p, plait_task, c_uint64, POINTER(plait_error),)),
    "plait_await_task": (plait_status, (c_void_p, plait_task, c_uint64, POINTER(plait_error),)),
    "plait_flow_notify": (plait_status, (c_void_p, plait_task, c_void_p, c_void_p, c_void_p, POINTER(plait_error),)),
    "plait_flow_cancel": (plait_status, (c_void_p, POINTER(plait_error),)),
    "plait_flow_query": (plait_status, (c_void_p, POINTER(plait_flow_info), POINTER(plait_error),)),
    "plait_flow_split": (plait_status, (c_void_p, POINTER(plait_task_desc), POINTER(plait_box), c_uint64, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_queue_capture": (plait_status, (POINTER(c_void_p), c_uint64, plait_capture_flags, POINTER(plait_error),)),
    "plait_queue_end_capture": (plait_status, (c_void_p, POINTER(c_void_p), POINTER(plait_error),)),
    "plait_await_signal": (plait_status, (c_void_p, c_uint64, c_uint64, POINTER(plait_error),)),
    "plait_await_points": (plait_status, (POINTER(plait_point), c_uint64, c_int32, c_uint64, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_await_run": (plait_status, (c_void_p, c_uint64, POINTER(plait_error),)),
    "plait_await_plan": (plait_status, (c_void_p, c_void_p, POINTER(plait_run_desc), c_uint64, POINTER(plait_error),)),
    "plait_yield": (plait_status, (POINTER(plait_error),)),
    "plait_device_query_link": (plait_status, (c_void_p, c_void_p, POINTER(plait_link_info), POINTER(plait_error),)),
    "plait_flow_write": (plait_status, (c_void_p, plait_flow_format, c_void_p, c_uint64, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_flow_read": (plait_status, (c_void_p, c_char_p, c_uint64, c_char_p, POINTER(plait_error),)),
    "plait_flow_write_instructions": (plait_status, (c_void_p, POINTER(plait_memories_desc), plait_flow_format, c_void_p, c_uint64, POINTER(c_uint64), POINTER(plait_error),)),
    "plait_flow_capture": (plait_status, (c_void_p, c_void_p, POINTER(plait_error),)),
    "plait_flow_repeat": (plait_status, (c_void_p, c_uint64, POINTER(c_uint64), POINTER(plait_error),)),
}
