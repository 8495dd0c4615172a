-- SPDX-License-Identifier: MIT
-- Made by bindings/generate.py from include/plait/*.h; do not edit.
return [[
enum {
	PLAIT_VERSION_MAJOR = 0,
	PLAIT_VERSION_MINOR = 1,
	PLAIT_VERSION_PATCH = 0,
	PLAIT_ABI = 1
};
typedef int32_t plait_status;
enum {
	PLAIT_OK = 0,
	PLAIT_PENDING = 1,
	PLAIT_EVENT_READY = 2,
	PLAIT_E_INVALID = -1,
	PLAIT_E_HANDLE = -2,
	PLAIT_E_NOMEM = -3,
	PLAIT_E_UNSUPPORTED = -4,
	PLAIT_E_UNAVAILABLE = -5,
	PLAIT_E_STATE = -6,
	PLAIT_E_BUSY = -7,
	PLAIT_E_TIMEOUT = -8,
	PLAIT_E_CANCELLED = -9,
	PLAIT_E_FAILED = -10,
	PLAIT_E_LOST = -11,
	PLAIT_E_THREAD = -12,
	PLAIT_E_DEADLOCK = -13,
	PLAIT_E_FORKED = -14,
	PLAIT_E_INTERNAL = -15
};
enum { PLAIT_ERROR_TEXT_BYTES = 232 };
typedef struct plait_error {
	uint32_t size;
	plait_status status;
	int64_t origin;
	uint64_t detail;
	char text[PLAIT_ERROR_TEXT_BYTES];
} plait_error;
typedef struct plait_allocator {
	uint32_t size;
	uint32_t flags;
	void *(*resize)(void *user_data, void *pointer, uint64_t old_bytes,
			uint64_t new_bytes);
	void *user_data;
} plait_allocator;
typedef int32_t plait_log_level;
enum {
	PLAIT_LOG_DEFAULT = 0,
	PLAIT_LOG_NONE = 1,
	PLAIT_LOG_ERROR = 2,
	PLAIT_LOG_WARNING = 3,
	PLAIT_LOG_INFO = 4,
	PLAIT_LOG_DEBUG = 5
};
typedef void (*plait_log_hook)(void *user_data, plait_log_level level,
			       const char *line);
const char *plait_version(void);
uint32_t plait_abi(void);
const char *plait_status_name(plait_status status);
uint64_t plait_sizeof(const char *name);
plait_status plait_error_detail(uint64_t detail, char *buffer,
					  uint64_t capacity_bytes,
					  uint64_t *out_bytes);
typedef int32_t plait_object_kind;
enum {
	PLAIT_OBJECT_ANY = 0,
	PLAIT_OBJECT_CONTEXT = 1,
	PLAIT_OBJECT_DEVICE = 2,
	PLAIT_OBJECT_QUEUE = 3,
	PLAIT_OBJECT_SIGNAL = 4,
	PLAIT_OBJECT_BUFFER = 5,
	PLAIT_OBJECT_INBOX = 6,
	PLAIT_OBJECT_KERNEL = 7,
	PLAIT_OBJECT_GRAPH = 8,
	PLAIT_OBJECT_PLAN = 9,
	PLAIT_OBJECT_RUN = 10,
	PLAIT_OBJECT_CALLABLE = 11,
	PLAIT_OBJECT_SCHEDULE = 12,
	PLAIT_OBJECT_COLL = 13,
	PLAIT_OBJECT_FLOW = 14,
	PLAIT_OBJECT_DATA = 15,
	PLAIT_OBJECT_WORLD = 16,
	PLAIT_OBJECT_COLLECTIVE = 17
};
uint64_t plait_live_count(plait_object_kind object);
typedef uint32_t plait_image_format;
enum {
	PLAIT_IMAGE_NONE = 0,
	PLAIT_IMAGE_R32F = 1,
	PLAIT_IMAGE_RGBA32F = 2,
	PLAIT_IMAGE_RGBA8 = 3
};
typedef uint32_t plait_sampler_flags;
enum {
	PLAIT_SAMPLER_LINEAR = 1 << 0,
	PLAIT_SAMPLER_ZERO = 1 << 1
};
typedef struct plait_context plait_context;
typedef struct plait_device plait_device;
typedef struct plait_queue plait_queue;
typedef struct plait_signal plait_signal;
typedef struct plait_buffer plait_buffer;
typedef struct plait_inbox plait_inbox;
typedef struct plait_run plait_run;
typedef uint32_t plait_context_flags;
enum {
	PLAIT_CONTEXT_NO_WORKERS = 1 << 0,
	PLAIT_CONTEXT_SYNC = 1 << 1
};
typedef struct plait_context_desc {
	uint32_t size;
	plait_context_flags flags;
	const char *backends;
	const char *plugin_path;
	const char *wrap;
	const char *options;
	const plait_allocator *allocator;
	plait_log_hook log;
	void *log_user_data;
	plait_log_level log_level;
	uint32_t workers;
} plait_context_desc;
plait_status plait_context_open(const plait_context_desc *desc,
					  plait_context **out,
					  plait_error *error);
void plait_context_retain(plait_context *context);
void plait_context_release(plait_context *context);
plait_status plait_context_close(plait_context *context,
					   uint64_t timeout_ns,
					   plait_error *error);
plait_status plait_context_report(plait_context *context,
					    char *buffer,
					    uint64_t capacity_bytes,
					    uint64_t *out_bytes,
					    plait_error *error);
plait_status plait_backend_report(const plait_context_desc *desc,
					    char *buffer,
					    uint64_t capacity_bytes,
					    uint64_t *out_bytes,
					    plait_error *error);
typedef uint32_t plait_device_capabilities;
enum {
	PLAIT_DEVICE_MAP = 1 << 0,
	PLAIT_DEVICE_WRAP = 1 << 1,
	PLAIT_DEVICE_HOST_CALL = 1 << 2,
	PLAIT_DEVICE_GATE = 1 << 3,
	PLAIT_DEVICE_NOTIFY = 1 << 4,
	PLAIT_DEVICE_NEEDS_PUMP = 1 << 5,
	PLAIT_DEVICE_VIRTUAL_TIME = 1 << 6,
	PLAIT_DEVICE_NATIVE = 1 << 7,
	PLAIT_DEVICE_SEGMENT = 1 << 8,
	PLAIT_DEVICE_ROWS = 1 << 9,
	PLAIT_DEVICE_REGION = 1 << 10,
	PLAIT_DEVICE_LASTS = 1 << 11,
	PLAIT_DEVICE_HOST = 1 << 12,
	PLAIT_DEVICE_POLLS = 1 << 13,
	PLAIT_DEVICE_IMAGE = 1 << 14
};
typedef struct plait_device_info {
	uint32_t size;
	uint32_t index;
	plait_device_capabilities capabilities;
	uint32_t parallel;
	uint64_t memory_bytes;
	uint64_t budget_bytes;
	uint64_t used_bytes;
	uint64_t alignment_bytes;
	char name[48];
	char backend[32];
	char description[256];
	uint64_t stray_notifications;
	uint32_t forms;
	uint32_t memory;
	uint64_t local_bytes;
} plait_device_info;
plait_status plait_context_device_count(plait_context *context,
						  uint32_t *out_count,
						  plait_error *error);
plait_status plait_context_device(plait_context *context,
					    uint32_t index, plait_device **out,
					    plait_error *error);
plait_status plait_context_find_device(plait_context *context,
						 const char *name,
						 plait_device **out,
						 plait_error *error);
plait_status plait_device_query(plait_device *device,
					  plait_device_info *info,
					  plait_error *error);
plait_status plait_device_set_budget(plait_device *device,
					       uint64_t budget_bytes,
					       plait_error *error);
typedef uint32_t plait_buffer_flags;
enum {
	PLAIT_BUFFER_TEMPORARY = 1 << 0
};
typedef struct plait_buffer_desc {
	uint32_t size;
	plait_buffer_flags flags;
	uint64_t bytes;
	uint64_t alignment_bytes;
	const char *label;
	plait_image_format format;
	uint32_t width;
	uint32_t height;
	uint32_t reserved0;
} plait_buffer_desc;
typedef int32_t (*plait_host_function)(void *user_data);
typedef uint32_t plait_call_flags;
enum {
	PLAIT_CALL_ANY_THREAD = 1 << 0,
	PLAIT_CALL_COROUTINE = 1 << 2,
	PLAIT_CALL_FIRST_WORKER = 1 << 3
};
typedef uint32_t plait_wrap_flags;
enum {
	PLAIT_WRAP_READ_ONLY = 1 << 1
};
typedef struct plait_wrap_desc {
	uint32_t size;
	plait_wrap_flags flags;
	void *pointer;
	uint64_t bytes;
	const char *label;
	plait_inbox *inbox;
	plait_host_function released;
	void *user_data;
	uint32_t native_kind;
	uint32_t reserved0;
	uint64_t native;
} plait_wrap_desc;
typedef uint32_t plait_map_flags;
enum {
	PLAIT_MAP_READ = 1 << 0,
	PLAIT_MAP_WRITE = 1 << 1
};
plait_status plait_buffer_create(plait_device *device,
					   const plait_buffer_desc *desc,
					   plait_buffer **out,
					   plait_error *error);
plait_status plait_buffer_wrap(plait_device *device,
					 const plait_wrap_desc *desc,
					 plait_buffer **out,
					 plait_error *error);
plait_status plait_buffer_view(plait_buffer *buffer,
					 uint64_t offset_bytes, uint64_t bytes,
					 plait_buffer **out,
					 plait_error *error);
void plait_buffer_retain(plait_buffer *buffer);
void plait_buffer_release(plait_buffer *buffer);
plait_status plait_buffer_bytes(plait_buffer *buffer,
					  uint64_t *out_bytes,
					  plait_error *error);
plait_status plait_buffer_map(plait_buffer *buffer,
					uint64_t offset_bytes, uint64_t bytes,
					plait_map_flags flags,
					void **out_pointer,
					plait_error *error);
plait_status plait_buffer_unmap(plait_buffer *buffer, void *pointer,
					  plait_error *error);
enum { PLAIT_ARRAY_MAX_DIMENSIONS = 16 };
typedef uint32_t plait_element;
enum {
	PLAIT_ELEMENT_INT = 0,
	PLAIT_ELEMENT_UINT = 1,
	PLAIT_ELEMENT_FLOAT = 2,
	PLAIT_ELEMENT_BFLOAT = 4,
	PLAIT_ELEMENT_COMPLEX = 5,
	PLAIT_ELEMENT_BOOL = 6
};
typedef uint32_t plait_array_flags;
enum {
	PLAIT_ARRAY_READ_ONLY = 1 << 0,
	PLAIT_ARRAY_OVERLAPS = 1 << 1,
	PLAIT_ARRAY_COMPACT = 1 << 2
};
typedef struct plait_array {
	uint32_t size;
	plait_array_flags flags;
	plait_element element;
	uint32_t element_bits;
	uint32_t lanes;
	uint32_t dimensions;
	uint64_t offset_bytes;
	int64_t shape[16];
	int64_t strides[16];
} plait_array;
typedef uint32_t plait_tensor_flags;
enum {
	PLAIT_TENSOR_LEGACY = 1 << 4
};
typedef struct plait_import_desc {
	uint32_t size;
	plait_tensor_flags flags;
	plait_inbox *inbox;
	const char *label;
} plait_import_desc;
plait_status plait_array_import(plait_device *device, void *tensor,
					  const plait_import_desc *desc,
					  plait_array *out_array,
					  plait_buffer **out,
					  plait_error *error);
plait_status plait_array_export(plait_buffer *buffer,
					  const plait_array *array,
					  plait_tensor_flags flags,
					void **out_tensor,
					  plait_error *error);
typedef uint32_t plait_event_kind;
enum {
	PLAIT_EVENT_CALL = 1,
	PLAIT_EVENT_SIGNAL = 2,
	PLAIT_EVENT_RELEASED = 3,
	PLAIT_EVENT_RUN = 4,
	PLAIT_EVENT_TASK = 5,
	PLAIT_EVENT_STOPPED = 6
};
typedef struct plait_event {
	uint32_t size;
	plait_event_kind kind;
	uint64_t id;
	plait_status status;
	uint32_t reserved0;
	int64_t origin;
	plait_host_function function;
	void *user_data;
	plait_signal *signal;
	uint64_t sequence;
	uint64_t detail;
	plait_run *run;
} plait_event;
plait_status plait_inbox_create(plait_context *context,
					  plait_inbox **out,
					  plait_error *error);
void plait_inbox_retain(plait_inbox *inbox);
void plait_inbox_release(plait_inbox *inbox);
plait_status plait_inbox_descriptor(plait_inbox *inbox,
					      int32_t *out_descriptor,
					      plait_error *error);
plait_status plait_inbox_next(plait_inbox *inbox,
					plait_event *out_event,
					plait_error *error);
plait_status plait_inbox_pump(plait_inbox *inbox, uint64_t maximum,
					uint64_t *out_count,
					plait_error *error);
plait_status plait_inbox_wait(plait_inbox *inbox,
					uint64_t timeout_ns,
					plait_error *error);
plait_status plait_inbox_answer(plait_inbox *inbox, uint64_t id,
					  int64_t result, const char *text,
					  plait_error *error);
plait_status plait_inbox_begin(plait_inbox *inbox, uint64_t id,
					 plait_error *error);
plait_status plait_inbox_end(plait_inbox *inbox, uint64_t id,
				       plait_error *error);
int32_t plait_inbox_is_stopping(plait_inbox *inbox, uint64_t id);
plait_status plait_inbox_notify_stop(plait_inbox *inbox, uint64_t id,
					       plait_host_function function,
					       void *user_data,
					       plait_error *error);
plait_status plait_inbox_adopt(plait_inbox *inbox,
					 plait_error *error);
plait_status plait_inbox_close(plait_inbox *inbox,
					 plait_error *error);
typedef uint32_t plait_signal_flags;
enum {
	PLAIT_SIGNAL_GATE = 1 << 0
};
typedef struct plait_signal_desc {
	uint32_t size;
	plait_signal_flags flags;
	const char *label;
} plait_signal_desc;
typedef struct plait_point {
	plait_signal *signal;
	uint64_t sequence;
} plait_point;
plait_status plait_signal_create(plait_device *device,
					   const plait_signal_desc *desc,
					   plait_signal **out,
					   plait_error *error);
void plait_signal_retain(plait_signal *signal);
void plait_signal_release(plait_signal *signal);
plait_status plait_signal_query(plait_signal *signal,
					  uint64_t *out_reached,
					  uint64_t *out_submitted,
					  plait_error *error);
plait_status plait_signal_wait(plait_signal *signal,
					 uint64_t sequence,
					 uint64_t timeout_ns,
					 plait_error *error);
typedef int32_t plait_wait_mode;
enum {
	PLAIT_WAIT_ALL = 0,
	PLAIT_WAIT_ANY = 1
};
plait_status plait_signal_wait_points(const plait_point *points,
						uint64_t count,
						plait_wait_mode mode,
						uint64_t timeout_ns,
						uint64_t *out_index,
						plait_error *error);
plait_status plait_signal_raise(plait_signal *signal,
					  uint64_t sequence,
					  plait_error *error);
plait_status plait_signal_fail(plait_signal *signal, int64_t origin,
					 const char *text, plait_error *error);
plait_status plait_signal_reset(plait_signal *signal,
					  plait_error *error);
plait_status plait_signal_notify(plait_signal *signal,
					   uint64_t sequence,
					   plait_inbox *inbox,
					   plait_host_function function,
					   void *user_data,
					   plait_error *error);
typedef struct plait_kernel plait_kernel;
typedef struct plait_launch {
	uint32_t size;
	uint32_t dimensions;
	uint64_t items[3];
	uint64_t group[3];
} plait_launch;
typedef uint32_t plait_argument_kind;
enum {
	PLAIT_ARGUMENT_VALUE = 0,
	PLAIT_ARGUMENT_BUFFER = 1,
	PLAIT_ARGUMENT_PARAMETER = 2,
	PLAIT_ARGUMENT_ROTATION = 3,
	PLAIT_ARGUMENT_ITERATION = 4,
	PLAIT_ARGUMENT_SCRATCH = 5,
	PLAIT_ARGUMENT_LOCAL = 6,
	PLAIT_ARGUMENT_DATA = 7,
	PLAIT_ARGUMENT_ACCESS = 8,
	PLAIT_ARGUMENT_CHUNK = 9,
	PLAIT_ARGUMENT_HOST = 10
};
typedef uint32_t plait_series_flags;
enum {
	PLAIT_SERIES_FROM_COUNT = 1 << 0
};
typedef struct plait_series {
	uint32_t size;
	plait_series_flags flags;
	int64_t offset;
	int64_t scale;
	int64_t limit;
} plait_series;
typedef struct plait_argument {
	uint32_t size;
	plait_argument_kind kind;
	const void *value;
	uint64_t bytes;
	plait_buffer *buffer;
	uint64_t offset_bytes;
	const char *name;
	uint64_t rotation;
	uint64_t ahead;
	const plait_series *series;
} plait_argument;
typedef struct plait_queue_desc {
	uint32_t size;
	uint32_t flags;
	const char *label;
	uint64_t capacity;
	int32_t priority;
	uint32_t native_kind;
	uint64_t native;
} plait_queue_desc;
typedef uint32_t plait_command_kind;
enum {
	PLAIT_COMMAND_NOP = 0,
	PLAIT_COMMAND_CALL = 1,
	PLAIT_COMMAND_COPY = 2,
	PLAIT_COMMAND_FILL = 3,
	PLAIT_COMMAND_READ = 4,
	PLAIT_COMMAND_WRITE = 5,
	PLAIT_COMMAND_WAIT = 6,
	PLAIT_COMMAND_EMIT = 7,
	PLAIT_COMMAND_LAUNCH = 8
};
typedef struct plait_rows {
	uint32_t size;
	uint32_t flags;
	uint64_t rows;
	uint64_t slices;
	uint64_t target_row;
	uint64_t target_slice;
	uint64_t source_row;
	uint64_t source_slice;
} plait_rows;
typedef struct plait_command {
	uint32_t size;
	plait_command_kind kind;
	plait_call_flags flags;
	uint32_t pattern_bytes;
	uint64_t pattern;
	uint64_t bytes;
	plait_buffer *target;
	uint64_t target_offset;
	plait_buffer *source;
	uint64_t source_offset;
	void *host;
	plait_host_function function;
	void *user_data;
	plait_inbox *inbox;
	plait_signal *signal;
	uint64_t sequence;
	const char *label;
	const plait_rows *rows;
	plait_kernel *kernel;
	const plait_launch *launch;
	const plait_argument *arguments;
	uint64_t argument_count;
} plait_command;
plait_status plait_queue_create(plait_device *device,
					  const plait_queue_desc *desc,
					  plait_queue **out,
					  plait_error *error);
void plait_queue_retain(plait_queue *queue);
void plait_queue_release(plait_queue *queue);
plait_status plait_queue_submit(plait_queue *queue,
					  const plait_command *commands,
					  uint64_t count,
					  uint64_t *out_sequence,
					  plait_error *error);
plait_status plait_queue_call(plait_queue *queue,
					plait_host_function function,
					void *user_data, plait_error *error);
plait_status plait_queue_copy(plait_queue *queue,
					plait_buffer *target,
					uint64_t target_offset,
					plait_buffer *source,
					uint64_t source_offset, uint64_t bytes,
					plait_error *error);
plait_status plait_queue_copy_rows(plait_queue *queue,
					     plait_buffer *target,
					     uint64_t target_offset,
					     plait_buffer *source,
					     uint64_t source_offset,
					     uint64_t bytes,
					     const plait_rows *rows,
					     plait_error *error);
plait_status plait_queue_fill(plait_queue *queue,
					plait_buffer *target,
					uint64_t target_offset, uint64_t bytes,
					uint64_t pattern,
					uint32_t pattern_bytes,
					plait_error *error);
plait_status plait_queue_read(plait_queue *queue,
					plait_buffer *source,
					uint64_t source_offset, void *host,
					uint64_t bytes, plait_error *error);
plait_status plait_queue_write(plait_queue *queue,
					 plait_buffer *target,
					 uint64_t target_offset,
					 const void *host, uint64_t bytes,
					 plait_error *error);
plait_status plait_queue_emit(plait_queue *queue,
					plait_signal *signal,
					uint64_t *out_sequence,
					plait_error *error);
plait_status plait_queue_wait(plait_queue *queue,
					plait_signal *signal,
					uint64_t sequence, plait_error *error);
plait_status plait_queue_finish(plait_queue *queue,
					  uint64_t timeout_ns,
					  plait_error *error);
typedef uint32_t plait_native_kind;
enum {
	PLAIT_NATIVE_POINTER = 1,
	PLAIT_NATIVE_CL_PLATFORM = 16,
	PLAIT_NATIVE_CL_DEVICE = 17,
	PLAIT_NATIVE_CL_CONTEXT = 18,
	PLAIT_NATIVE_CL_QUEUE = 19,
	PLAIT_NATIVE_CL_MEMORY = 20,
	PLAIT_NATIVE_CU_DEVICE = 32,
	PLAIT_NATIVE_CU_CONTEXT = 33,
	PLAIT_NATIVE_CU_STREAM = 34,
	PLAIT_NATIVE_CU_POINTER = 35,
	PLAIT_NATIVE_MPI_COMM = 48
};
plait_status plait_device_native(plait_device *device,
					   plait_native_kind kind,
					   uint64_t *out, plait_error *error);
plait_status plait_queue_native(plait_queue *queue,
					  plait_native_kind kind,
					  uint64_t *out, plait_error *error);
plait_status plait_buffer_native(plait_buffer *buffer,
					   plait_native_kind kind,
					   uint64_t *out,
					   uint64_t *out_offset_bytes,
					   plait_error *error);
typedef uint32_t plait_source_form;
enum {
	PLAIT_SOURCE_PORTABLE = 0,
	PLAIT_SOURCE_C = 1,
	PLAIT_SOURCE_OPENCL_C = 2,
	PLAIT_SOURCE_OPENCL_BINARY = 3,
	PLAIT_SOURCE_SPIRV = 4,
	PLAIT_SOURCE_CUDA_C = 5,
	PLAIT_SOURCE_PTX = 6,
	PLAIT_SOURCE_CUBIN = 7
};
typedef uint32_t plait_source_flags;
enum {
	PLAIT_SOURCE_STRICT = 1 << 0,
	PLAIT_SOURCE_FAST = 1 << 1,
	PLAIT_SOURCE_NO_ALIAS = 1 << 2
};
typedef struct plait_source {
	uint32_t size;
	plait_source_form form;
	plait_source_flags flags;
	uint32_t reserved0;
	const char *backend;
	const void *code;
	uint64_t bytes;
	const char *entry;
	const char *file;
	const char *defines;
	const char *options;
	const struct plait_source *before;
	uint64_t before_count;
} plait_source;
plait_status plait_source_text(const char *signature,
					 const plait_source *source,
					 plait_source_form form, char *buffer,
					 uint64_t capacity_bytes,
					 uint64_t *out_bytes,
					 plait_error *error);
typedef int32_t (*plait_kernel_function)(void *const *arguments,
					 const plait_launch *launch,
					 void *user_data);
typedef struct plait_range {
	uint32_t size;
	uint32_t dimensions;
	uint64_t begin[3];
	uint64_t end[3];
} plait_range;
typedef int32_t (*plait_range_function)(const plait_range *range,
					void *const *arguments,
					const plait_launch *launch,
					void *user_data);
typedef void (*plait_any_function)(void);
typedef uint32_t plait_function_form;
enum {
	PLAIT_FORM_DESCRIBED = 0,
	PLAIT_FORM_FIXED = 1,
	PLAIT_FORM_RANGE = 2
};
typedef uint32_t plait_kernel_flags;
enum {
	PLAIT_KERNEL_COROUTINE = 1 << 0,
	PLAIT_KERNEL_FIRST_WORKER = 1 << 1
};
typedef struct plait_kernel_desc {
	uint32_t size;
	plait_kernel_flags flags;
	const char *signature;
	plait_kernel_function function;
	void *user_data;
	plait_range_function range;
	plait_any_function described;
	const char *library;
	const char *symbol;
	plait_function_form form;
	uint32_t reserved0;
	uint64_t grain;
	const plait_source *sources;
	uint64_t source_count;
} plait_kernel_desc;
plait_status plait_kernel_create(plait_context *context,
					   const plait_kernel_desc *desc,
					   plait_kernel **out,
					   plait_error *error);
plait_status plait_kernel_compile(plait_context *context,
					    const char *signature,
					    const char *code,
					    plait_kernel **out,
					    plait_error *error);
void plait_kernel_retain(plait_kernel *kernel);
void plait_kernel_release(plait_kernel *kernel);
plait_status plait_kernel_signature(plait_kernel *kernel,
					      char *buffer,
					      uint64_t capacity_bytes,
					      uint64_t *out_bytes,
					      plait_error *error);
plait_status plait_kernel_messages(plait_kernel *kernel,
					     plait_device *device,
					     char *buffer,
					     uint64_t capacity_bytes,
					     uint64_t *out_bytes,
					     plait_error *error);
plait_status plait_queue_launch(plait_queue *queue,
					  plait_kernel *kernel,
					  const plait_launch *launch,
					  const plait_argument *arguments,
					  uint64_t count, plait_error *error);
typedef struct plait_graph plait_graph;
typedef uint64_t plait_node;
typedef uint32_t plait_node_kind;
enum {
	PLAIT_NODE_JOIN = 0,
	PLAIT_NODE_LAUNCH = 1,
	PLAIT_NODE_CALL = 2,
	PLAIT_NODE_COPY = 3,
	PLAIT_NODE_FILL = 4,
	PLAIT_NODE_EMIT = 5,
	PLAIT_NODE_WAIT = 6,
	PLAIT_NODE_MARK = 7,
	PLAIT_NODE_SUBGRAPH = 8,
	PLAIT_NODE_WHILE = 9,
	PLAIT_NODE_DO = 10,
	PLAIT_NODE_CASE = 11,
	PLAIT_NODE_REPEAT = 12,
	PLAIT_NODE_READ = 13,
	PLAIT_NODE_WRITE = 14,
	PLAIT_NODE_COLLECTIVE = 15
};
typedef uint32_t plait_node_flags;
enum {
	PLAIT_NODE_ON_FIRST = 0,
	PLAIT_NODE_ON_ALL_BARRIER = 1 << 4,
	PLAIT_NODE_ON_ALL_GROUP = 1 << 5,
	PLAIT_NODE_FREE = 1 << 6
};
typedef struct plait_node_desc {
	uint32_t size;
	plait_node_kind kind;
	plait_node_flags flags;
	uint32_t pattern_bytes;
	const char *label;
	const char *file;
	uint32_t line;
	uint32_t device_count;
	plait_device *device;
	plait_device *const *devices;
	uint64_t cost;
	uint64_t scratch_bytes;
	plait_kernel *kernel;
	const plait_launch *launch;
	const char *launch_parameter;
	const plait_argument *arguments;
	uint64_t argument_count;
	plait_host_function function;
	void *user_data;
	plait_inbox *inbox;
	plait_buffer *target;
	uint64_t target_offset;
	plait_buffer *source;
	uint64_t source_offset;
	uint64_t bytes;
	uint64_t pattern;
	plait_signal *signal;
	uint64_t sequence;
	plait_graph *subgraph;
	plait_buffer *predicate;
	uint64_t predicate_offset;
	uint64_t branch_count;
	uint64_t times;
	const plait_rows *rows;
	const char *target_parameter;
	const char *source_parameter;
	const char *count_parameter;
	uint64_t count_step;
	const plait_series *series;
	uint64_t series_count;
	const char *host_parameter;
	uint64_t host_offset;
	const char *user_data_parameter;
	uint64_t target_rotation;
	uint64_t target_ahead;
	uint64_t source_rotation;
	uint64_t source_ahead;
} plait_node_desc;
plait_status plait_graph_add(plait_graph *graph,
				       const plait_node_desc *desc,
				       const plait_node *after, uint64_t count,
				       plait_node *out, plait_error *error);
plait_status plait_graph_join(plait_graph *graph,
					const plait_node *after,
					uint64_t count, plait_node *out,
					plait_error *error);
plait_status plait_graph_launch(plait_graph *graph,
					  plait_kernel *kernel,
					  const plait_launch *launch,
					  const plait_argument *arguments,
					  uint64_t count, plait_node after,
					  plait_node *out, plait_error *error);
plait_status plait_graph_call(plait_graph *graph,
					plait_host_function function,
					void *user_data, plait_node after,
					plait_node *out, plait_error *error);
plait_status plait_graph_copy(plait_graph *graph,
					plait_buffer *target,
					uint64_t target_offset,
					plait_buffer *source,
					uint64_t source_offset, uint64_t bytes,
					plait_node after, plait_node *out,
					plait_error *error);
plait_status plait_graph_copy_rows(plait_graph *graph,
					     plait_buffer *target,
					     uint64_t target_offset,
					     plait_buffer *source,
					     uint64_t source_offset,
					     uint64_t bytes,
					     const plait_rows *rows,
					     plait_node after, plait_node *out,
					     plait_error *error);
plait_status plait_graph_fill(plait_graph *graph,
					plait_buffer *target,
					uint64_t target_offset, uint64_t bytes,
					uint64_t pattern,
					uint32_t pattern_bytes,
					plait_node after, plait_node *out,
					plait_error *error);
plait_status plait_graph_emit(plait_graph *graph,
					plait_signal *signal, plait_node after,
					plait_node *out, plait_error *error);
plait_status plait_graph_wait(plait_graph *graph,
					plait_signal *signal,
					uint64_t sequence, plait_node after,
					plait_node *out, plait_error *error);
plait_status plait_graph_mark(plait_graph *graph, const char *label,
					plait_node after, plait_node *out,
					plait_error *error);
plait_status plait_graph_subgraph(plait_graph *graph,
					    plait_graph *subgraph,
					    plait_node after, plait_node *out,
					    plait_error *error);
plait_status plait_graph_while(plait_graph *graph,
					 plait_buffer *word, uint64_t offset,
					 uint64_t times, plait_node after,
					 plait_graph **out_body,
					 plait_node *out, plait_error *error);
plait_status plait_graph_do(plait_graph *graph, plait_buffer *word,
				      uint64_t offset, uint64_t times,
				      plait_node after, plait_graph **out_body,
				      plait_node *out, plait_error *error);
plait_status plait_graph_case(plait_graph *graph, plait_buffer *word,
					uint64_t offset, uint64_t count,
					plait_node after,
					plait_graph **out_bodies,
					plait_node *out, plait_error *error);
plait_status plait_graph_repeat(plait_graph *graph, uint64_t times,
					  plait_node after,
					  plait_graph **out_body,
					  plait_node *out, plait_error *error);
typedef struct plait_plan plait_plan;
plait_status plait_graph_create(plait_context *context,
					  plait_graph **out,
					  plait_error *error);
plait_status plait_graph_read(plait_context *context,
					const char *text, uint64_t bytes,
					const char *name, plait_graph **out,
					plait_error *error);
void plait_graph_retain(plait_graph *graph);
void plait_graph_release(plait_graph *graph);
plait_status plait_graph_add_edge(plait_graph *graph,
					    plait_node before, plait_node after,
					    plait_error *error);
plait_status plait_graph_set_priority(plait_graph *graph,
						plait_node node,
						int32_t priority,
						plait_error *error);
plait_status plait_graph_add_resource(plait_graph *graph,
						const char *name,
						uint64_t units,
						plait_error *error);
plait_status plait_graph_add_need(plait_graph *graph,
					    plait_node node, const char *name,
					    uint64_t units,
					    plait_error *error);
plait_status plait_graph_remove(plait_graph *graph,
					  const plait_node *nodes,
					  uint64_t count, plait_error *error);
plait_status plait_graph_remove_edge(plait_graph *graph,
					       plait_node before,
					       plait_node after,
					       plait_error *error);
plait_status plait_graph_body(plait_graph *graph, plait_node node,
					uint64_t branch, plait_graph **out,
					plait_error *error);
typedef uint32_t plait_rotation_flags;
enum {
	PLAIT_ROTATION_PROLOGUE = 1 << 0
};
plait_status plait_graph_add_rotation(plait_graph *graph,
						plait_buffer *const *buffers,
						uint64_t count,
						plait_rotation_flags flags,
						uint64_t *out,
						plait_error *error);
plait_status plait_graph_size(plait_graph *graph,
					uint64_t *out_nodes,
					uint64_t *out_edges,
					plait_error *error);
typedef uint32_t plait_policy;
enum {
	PLAIT_POLICY_BOUNDED = 0,
	PLAIT_POLICY_WIDEST = 1
};
typedef uint32_t plait_mode;
enum {
	PLAIT_MODE_STRICT = 0,
	PLAIT_MODE_HELPED = 1,
	PLAIT_MODE_AUTO = 2
};
typedef uint32_t plait_freeze_flags;
enum {
	PLAIT_FREEZE_CHECK = 1 << 0,
	PLAIT_FREEZE_QUEUES = 1 << 1,
	PLAIT_FREEZE_PROGRAM_ORDER = 1 << 2
};
typedef struct plait_freeze_desc {
	uint32_t size;
	plait_freeze_flags flags;
	plait_policy policy;
	plait_mode mode;
	uint32_t lanes;
	uint32_t instances;
	uint64_t hop_cost;
	const plait_node *sources;
	const plait_node *sinks;
	uint64_t source_count;
	uint64_t sink_count;
	plait_plan *whole;
} plait_freeze_desc;
plait_status plait_graph_freeze(plait_graph *graph,
					  const plait_freeze_desc *desc,
					  plait_plan **out,
					  plait_error *error);
typedef struct plait_plan_info {
	uint32_t size;
	plait_policy policy;
	plait_mode mode;
	uint32_t devices;
	uint64_t nodes;
	uint64_t edges;
	uint64_t lanes;
	uint64_t commands;
	uint64_t waits;
	uint64_t signals;
	uint64_t regions;
	uint64_t makespan;
	uint64_t scratch_bytes;
	uint64_t bytes;
	uint64_t peak_bytes;
	uint32_t bindings;
	uint32_t unbound;
} plait_plan_info;
typedef struct plait_system_desc {
	uint32_t size;
	uint32_t flags;
	uint64_t hop_cost;
	uint64_t submit_cost;
	uint64_t copy_alpha;
	uint64_t copy_beta;
} plait_system_desc;
typedef struct plait_simulation {
	uint32_t size;
	uint32_t reserved0;
	uint64_t makespan;
	uint64_t critical_cost;
	uint64_t critical_count;
	uint64_t busy;
	uint64_t memory_peak;
} plait_simulation;
typedef struct plait_lane_use {
	uint32_t size;
	uint32_t device;
	const char *device_name;
	uint64_t commands;
	uint64_t waits;
	uint64_t start;
	uint64_t end;
	uint64_t busy;
} plait_lane_use;
typedef struct plait_critical_command {
	uint32_t size;
	uint32_t lane;
	uint64_t node;
	uint64_t command;
	const char *label;
	uint64_t start;
	uint64_t end;
} plait_critical_command;
void plait_plan_retain(plait_plan *plan);
void plait_plan_release(plait_plan *plan);
plait_status plait_plan_query(plait_plan *plan,
					plait_plan_info *info,
					plait_error *error);
plait_status plait_plan_check(plait_plan *plan, plait_error *error);
plait_status plait_plan_simulate(plait_plan *plan,
					   const plait_system_desc *system,
					   plait_simulation *out,
					   plait_lane_use *lanes,
					   uint64_t lane_count,
					   plait_error *error);
plait_status plait_plan_critical_path(plait_plan *plan,
						const plait_system_desc *system,
						plait_critical_command *commands,
						uint64_t count,
						plait_error *error);
typedef int32_t plait_plan_format;
enum {
	PLAIT_FORMAT_BINARY = 0,
	PLAIT_FORMAT_JSON = 1,
	PLAIT_FORMAT_DOT = 2,
	PLAIT_FORMAT_SVG = 3
};
plait_status plait_plan_write(plait_plan *plan,
					plait_plan_format format,
					void *buffer, uint64_t capacity_bytes,
					uint64_t *out_bytes,
					plait_error *error);
plait_status plait_plan_read(plait_context *context,
				       const void *bytes, uint64_t count,
				       plait_plan **out, plait_error *error);
plait_status plait_plan_save(plait_plan *plan, const char *path,
				       plait_error *error);
plait_status plait_plan_load(plait_context *context,
				       const char *path, plait_plan **out,
				       plait_error *error);
typedef uint32_t plait_binding_kind;
enum {
	PLAIT_BINDING_KERNEL = 0,
	PLAIT_BINDING_BUFFER = 1,
	PLAIT_BINDING_SIGNAL = 2,
	PLAIT_BINDING_FUNCTION = 3,
	PLAIT_BINDING_DEVICE = 4
};
typedef uint32_t plait_binding_flags;
enum {
	PLAIT_BINDING_IS_ANY_THREAD = 1 << 0,
	PLAIT_BINDING_IS_EMITTED = 1 << 1,
	PLAIT_BINDING_IS_PREDICATE = 1 << 2,
	PLAIT_BINDING_IS_COROUTINE = 1 << 3,
	PLAIT_BINDING_IS_FIRST_WORKER = 1 << 4
};
typedef struct plait_plan_binding {
	uint32_t size;
	plait_binding_kind kind;
	plait_binding_flags flags;
	uint32_t bound;
	uint64_t bytes;
	const char *name;
	const char *detail;
} plait_plan_binding;
typedef struct plait_function_desc {
	uint32_t size;
	plait_call_flags flags;
	plait_host_function function;
	void *user_data;
	plait_inbox *inbox;
} plait_function_desc;
plait_status plait_plan_query_binding(plait_plan *plan,
						uint64_t index,
						plait_plan_binding *out,
						plait_error *error);
plait_status plait_plan_bind_kernel(plait_plan *plan,
					      plait_kernel *kernel,
					      plait_error *error);
plait_status plait_plan_bind_buffer(plait_plan *plan,
					      const char *name,
					      plait_buffer *buffer,
					      plait_error *error);
plait_status plait_plan_bind_signal(plait_plan *plan,
					      const char *name,
					      plait_signal *signal,
					      plait_error *error);
plait_status plait_plan_bind_function(plait_plan *plan,
						const char *name,
						const plait_function_desc *desc,
						plait_error *error);
plait_status plait_plan_bind_device(plait_plan *plan,
					      const char *name,
					      plait_device *device,
					      plait_error *error);
typedef uint32_t plait_parameter_kind;
enum {
	PLAIT_PARAMETER_VALUE = 0,
	PLAIT_PARAMETER_BUFFER = 1,
	PLAIT_PARAMETER_LAUNCH = 2,
	PLAIT_PARAMETER_HOST = 3
};
typedef struct plait_parameter_info {
	uint32_t size;
	plait_parameter_kind kind;
	uint64_t bytes;
	char type[32];
	char name[64];
} plait_parameter_info;
typedef struct plait_binding {
	uint32_t size;
	uint32_t parameter;
	const void *value;
	uint64_t bytes;
	plait_buffer *buffer;
	uint64_t offset_bytes;
} plait_binding;
plait_status plait_plan_parameter_count(plait_plan *plan,
						  uint32_t *out_count,
						  plait_error *error);
plait_status plait_plan_find_parameter(plait_plan *plan,
						 const char *name,
						 uint32_t *out_number,
						 plait_error *error);
plait_status plait_plan_query_parameter(plait_plan *plan,
						  uint32_t number,
						  plait_parameter_info *info,
						  plait_error *error);
typedef uint32_t plait_run_flags;
enum {
	PLAIT_RUN_NO_WAIT = 1 << 0,
	PLAIT_RUN_SERIAL = 1 << 2,
	PLAIT_RUN_PARALLEL = 1 << 3,
	PLAIT_RUN_RECORD = 1 << 4,
	PLAIT_RUN_OVERLAP = 1 << 5
};
typedef struct plait_run_desc {
	uint32_t size;
	plait_run_flags flags;
	const plait_binding *bindings;
	uint64_t binding_count;
} plait_run_desc;
typedef struct plait_run_info {
	uint32_t size;
	plait_status status;
	uint64_t iterations;
	uint64_t failed_command;
	uint64_t commands;
	uint64_t commands_expected;
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t device_regions;
} plait_run_info;
typedef struct plait_command_info {
	uint32_t size;
	plait_node_kind kind;
	uint32_t lane;
	uint32_t device;
	char label[64];
} plait_command_info;
plait_status plait_plan_prepare(plait_plan *plan,
					  plait_error *error);
plait_status plait_plan_rehearse(plait_plan *plan, uint64_t unit_ns,
					   plait_error *error);
plait_status plait_plan_exchange(plait_plan *plan, plait_kernel *old,
					   plait_kernel *kernel,
					   plait_error *error);
plait_status plait_plan_run(plait_plan *plan, plait_queue *queue,
				      const plait_run_desc *desc,
				      plait_run **out, plait_error *error);
plait_status plait_plan_call(plait_plan *plan, plait_queue *queue,
				       const plait_run_desc *desc,
				       plait_error *error);
void plait_run_retain(plait_run *run);
void plait_run_release(plait_run *run);
plait_status plait_run_poll(plait_run *run, plait_error *error);
plait_status plait_run_wait(plait_run *run, uint64_t timeout_ns,
				      plait_error *error);
plait_status plait_run_cancel(plait_run *run, plait_error *error);
int32_t plait_run_is_stopping(void);
int32_t plait_worker_index(void);
plait_status plait_run_notify(plait_run *run, plait_inbox *inbox,
					plait_host_function function,
					void *user_data, plait_error *error);
plait_status plait_run_query(plait_run *run, plait_run_info *info,
				       plait_error *error);
plait_status plait_plan_query_command(plait_plan *plan,
						uint64_t command,
						plait_command_info *info,
						plait_error *error);
typedef struct plait_callable plait_callable;
typedef void (*plait_failure_function)(void *user_data,
				       const plait_error *error);
typedef struct plait_callable_desc {
	uint32_t size;
	plait_run_flags flags;
	const char *signature;
	plait_failure_function failed;
	void *user_data;
} plait_callable_desc;
plait_status plait_callable_create(plait_plan *plan,
					     const plait_callable_desc *desc,
					     plait_callable **out,
					     plait_error *error);
plait_status plait_callable_function(plait_callable *callable,
					       plait_any_function *out,
					       plait_error *error);
void plait_callable_retain(plait_callable *callable);
void plait_callable_release(plait_callable *callable);
typedef uint32_t plait_record_kind;
enum {
	PLAIT_RECORD_COMMAND = 0,
	PLAIT_RECORD_WAIT = 1,
	PLAIT_RECORD_DECISION = 2
};
typedef struct plait_record {
	uint32_t size;
	plait_record_kind kind;
	uint32_t lane;
	uint32_t planned_lane;
	uint64_t command;
	uint64_t other;
	uint64_t iteration;
	uint64_t thread;
	uint64_t start_ns;
	uint64_t end_ns;
} plait_record;
plait_status plait_plan_record(plait_plan *plan, uint64_t records,
					 plait_error *error);
plait_status plait_run_records(plait_run *run,
					 plait_record *records, uint64_t count,
					 uint64_t *out_count,
					 uint64_t *out_dropped,
					 plait_error *error);
typedef int32_t plait_trace_format;
enum {
	PLAIT_TRACE_JSON = 0,
	PLAIT_TRACE_SVG = 1
};
plait_status plait_run_write(plait_run *run,
				       plait_trace_format format,
				       void *buffer, uint64_t capacity_bytes,
				       uint64_t *out_bytes,
				       plait_error *error);
typedef struct plait_tune_desc {
	uint32_t size;
	uint32_t flags;
	plait_mode mode;
	uint32_t lanes;
	uint64_t hop_ns;
} plait_tune_desc;
typedef struct plait_tune_info {
	uint32_t size;
	uint32_t reserved0;
	uint64_t runs;
	uint64_t measured;
	uint64_t before_ns;
	uint64_t after_ns;
} plait_tune_info;
plait_status plait_plan_tune(plait_plan *plan,
				       const plait_tune_desc *desc,
				       plait_plan **out, plait_tune_info *info,
				       plait_error *error);
typedef struct plait_schedule plait_schedule;
typedef uint32_t plait_coll_kind;
enum {
	PLAIT_COLL_CUSTOM = 0,
	PLAIT_COLL_ALLREDUCE = 1,
	PLAIT_COLL_ALLGATHER = 2,
	PLAIT_COLL_REDUCE_SCATTER = 3,
	PLAIT_COLL_ALLTOALL = 4,
	PLAIT_COLL_BROADCAST = 5,
	PLAIT_COLL_REDUCE = 6,
	PLAIT_COLL_GATHER = 7,
	PLAIT_COLL_SCATTER = 8,
	PLAIT_COLL_ALLTONEXT = 9
};
typedef uint32_t plait_coll_target;
enum {
	PLAIT_TARGET_PLAIT = 0,
	PLAIT_TARGET_MSCCL = 1,
	PLAIT_TARGET_EXECUTOR = 2,
	PLAIT_TARGET_RCCL = 3
};
typedef int32_t plait_schedule_format;
enum {
	PLAIT_SCHEDULE_XML_MSCCL = 1,
	PLAIT_SCHEDULE_XML_EXECUTOR = 2,
	PLAIT_SCHEDULE_XML_RCCL = 3,
	PLAIT_SCHEDULE_BINARY = 4
};
typedef uint32_t plait_proof_reason;
enum {
	PLAIT_PROOF_PROVED = 0,
	PLAIT_PROOF_SHAPE = 1,
	PLAIT_PROOF_DEADLOCK = 2,
	PLAIT_PROOF_RACE = 3,
	PLAIT_PROOF_VALUE = 4
};
typedef uint32_t plait_proof_flags;
enum {
	PLAIT_PROOF_SAME_BITS = 1,
	PLAIT_PROOF_EXPORTS_MSCCL = 2,
	PLAIT_PROOF_EXPORTS_EXECUTOR = 4,
	PLAIT_PROOF_EXPORTS_RCCL = 8
};
typedef struct plait_coll_promise {
	uint32_t size;
	uint32_t rank;
	uint64_t index;
	uint64_t source_count;
	const uint32_t *source_ranks;
	const uint64_t *source_indices;
} plait_coll_promise;
typedef uint32_t plait_proof_desc_flags;
enum {
	PLAIT_PROOF_HAS_TARGET = 1,
	PLAIT_PROOF_HAS_KIND = 2,
	PLAIT_PROOF_HAS_PROMISES = 4
};
typedef struct plait_proof_desc {
	uint32_t size;
	plait_proof_desc_flags flags;
	plait_coll_target target;
	uint32_t depth;
	plait_coll_kind kind;
	uint32_t root;
	uint64_t slot_bytes;
	uint64_t promise_count;
	const plait_coll_promise *promises;
} plait_proof_desc;
typedef struct plait_proof {
	uint32_t size;
	plait_proof_reason reason;
	plait_proof_flags flags;
	uint32_t depth;
	uint32_t depth_min;
	uint32_t lanes;
	uint32_t channels;
	uint32_t lane_steps;
	uint32_t step_chunks;
	uint32_t ranks;
	uint64_t steps;
	uint64_t safe_bytes;
} plait_proof;
typedef struct plait_coll_simulation {
	uint32_t size;
	uint32_t flags;
	uint64_t time_ns;
	uint64_t tiles;
	uint64_t executed_tiles;
	uint64_t tile_bytes;
	uint64_t critical_steps;
	uint64_t critical_ns;
	uint64_t latency_ns;
} plait_coll_simulation;
plait_status plait_schedule_read(plait_context *context,
					   const void *bytes, uint64_t count,
					   const char *name,
					   plait_schedule **out,
					   plait_error *error);
void plait_schedule_retain(plait_schedule *schedule);
void plait_schedule_release(plait_schedule *schedule);
plait_status plait_schedule_check(plait_schedule *schedule,
					    const plait_proof_desc *desc,
					    plait_proof *proof,
					    plait_error *error);
plait_status plait_schedule_write(plait_schedule *schedule,
					    plait_schedule_format format,
					    void *buffer,
					    uint64_t capacity_bytes,
					    uint64_t *out_bytes,
					    plait_error *error);
plait_status plait_schedule_simulate(plait_schedule *schedule,
					       const char *cluster,
					       uint64_t cluster_bytes,
					       const char *name, uint64_t bytes,
					       plait_coll_simulation *out,
					       plait_error *error);
plait_status plait_schedule_draw(plait_schedule *schedule,
					   const char *cluster,
					   uint64_t cluster_bytes,
					   const char *name, uint64_t bytes,
					   char *buffer,
					   uint64_t capacity_bytes,
					   uint64_t *out_bytes,
					   plait_error *error);
typedef struct plait_coll plait_coll;
typedef uint64_t plait_chunk;
typedef uint32_t plait_chunk_buffer;
enum {
	PLAIT_CHUNK_INPUT = 0,
	PLAIT_CHUNK_OUTPUT = 1,
	PLAIT_CHUNK_SCRATCH = 2
};
typedef uint32_t plait_coll_flags;
enum {
	PLAIT_COLL_IN_PLACE = 1 << 0
};
typedef struct plait_coll_desc {
	uint32_t size;
	plait_coll_flags flags;
	plait_coll_kind kind;
	uint32_t ranks;
	uint32_t root;
	uint32_t chunks;
	uint64_t input_chunks;
	uint64_t output_chunks;
	uint64_t promise_count;
	const plait_coll_promise *promises;
	const char *label;
} plait_coll_desc;
typedef uint32_t plait_chunk_place_flags;
enum {
	PLAIT_CHUNK_HAS_BUFFER = 1 << 0,
	PLAIT_CHUNK_HAS_CHANNEL = 1 << 1,
	PLAIT_CHUNK_HAS_LANES = 1 << 2,
	PLAIT_CHUNK_APPEND = 1 << 3
};
typedef struct plait_chunk_place {
	uint32_t size;
	plait_chunk_place_flags flags;
	uint32_t rank;
	plait_chunk_buffer buffer;
	uint32_t channel;
	uint32_t send_lane;
	uint32_t recv_lane;
	uint32_t reserved0;
	uint64_t index;
} plait_chunk_place;
typedef uint32_t plait_coll_protocol;
enum {
	PLAIT_PROTOCOL_AUTO = 0,
	PLAIT_PROTOCOL_SIMPLE = 1,
	PLAIT_PROTOCOL_LL = 2,
	PLAIT_PROTOCOL_LL128 = 3
};
typedef uint32_t plait_compile_flags;
enum {
	PLAIT_COMPILE_NO_FUSION = 1 << 0,
	PLAIT_COMPILE_SEPARATE_LANES = 1 << 1,
	PLAIT_COMPILE_AGGREGATE = 1 << 2
};
typedef struct plait_compile_desc {
	uint32_t size;
	plait_compile_flags flags;
	plait_coll_target target;
	plait_coll_protocol protocol;
	uint32_t instances;
	uint32_t depth;
	uint32_t lanes;
	uint32_t channels;
	uint64_t slot_bytes;
	uint64_t min_bytes;
	uint64_t max_bytes;
	uint32_t message_chunks;
	uint32_t reserved0;
} plait_compile_desc;
plait_status plait_coll_create(plait_context *context,
					 const plait_coll_desc *desc,
					 plait_coll **out, plait_error *error);
plait_status plait_coll_known(plait_context *context,
					const char *name,
					const plait_coll_desc *desc,
					plait_coll **out, plait_error *error);
plait_status plait_coll_read(plait_context *context, const char *text,
				       uint64_t bytes, const char *name,
				       uint32_t ranks, uint32_t chunks,
				       plait_coll **out, plait_error *error);
void plait_coll_retain(plait_coll *coll);
void plait_coll_release(plait_coll *coll);
plait_status plait_coll_chunk(plait_coll *coll, uint32_t rank,
					plait_chunk_buffer buffer,
					uint64_t index, uint64_t count,
					plait_chunk *out, plait_error *error);
plait_status plait_coll_copy(plait_coll *coll, plait_chunk chunk,
				       const plait_chunk_place *place,
				       plait_chunk *out, plait_error *error);
plait_status plait_coll_reduce(plait_coll *coll, plait_chunk target,
					 plait_chunk source,
					 const plait_chunk_place *place,
					 plait_chunk *out, plait_error *error);
plait_status plait_coll_part(plait_coll *coll, plait_chunk chunk,
				       uint64_t first, uint64_t count,
				       plait_chunk *out, plait_error *error);
plait_status plait_coll_join(plait_coll *coll, plait_chunk one,
				       plait_chunk other, plait_chunk *out,
				       plait_error *error);
plait_status plait_coll_parallel(plait_coll *coll, uint32_t ways,
					   plait_error *error);
plait_status plait_coll_end(plait_coll *coll, plait_error *error);
plait_status plait_coll_compile(plait_coll *coll,
					  const plait_compile_desc *desc,
					  plait_schedule **out,
					  plait_error *error);
typedef uint32_t plait_schedule_flags;
enum {
	PLAIT_SCHEDULE_IN_PLACE = 1 << 0
};
typedef struct plait_schedule_info {
	uint32_t size;
	plait_schedule_flags flags;
	plait_coll_kind kind;
	uint32_t ranks;
	uint32_t root;
	uint32_t share_chunks;
	uint32_t input_chunks;
	uint32_t output_chunks;
	plait_coll_target target;
	uint32_t depth;
	uint64_t lanes;
	uint64_t steps;
	char name[64];
	uint64_t min_bytes;
	uint64_t max_bytes;
} plait_schedule_info;
typedef uint32_t plait_reduction;
enum {
	PLAIT_REDUCE_SUM = 0,
	PLAIT_REDUCE_PROD = 1,
	PLAIT_REDUCE_MIN = 2,
	PLAIT_REDUCE_MAX = 3
};
typedef struct plait_collective_desc {
	uint32_t size;
	uint32_t flags;
	plait_element element;
	uint32_t element_bits;
	plait_reduction reduction;
	uint32_t reserved0;
	uint64_t count;
	plait_buffer *const *inputs;
	plait_buffer *const *outputs;
	plait_device *const *devices;
} plait_collective_desc;
plait_status plait_schedule_query(plait_schedule *schedule,
					    plait_schedule_info *info,
					    plait_error *error);
plait_status plait_schedule_graph(plait_schedule *schedule,
					    const plait_collective_desc *desc,
					    plait_graph **out,
					    plait_error *error);
typedef struct plait_world plait_world;
typedef struct plait_collective plait_collective;
typedef struct plait_world_desc {
	uint32_t size;
	uint32_t flags;
	const char *transports;
	uint32_t rank;
	uint32_t ranks;
	uint64_t native;
	uint32_t native_kind;
	uint32_t reserved0;
	uint64_t open_ns;
	uint64_t silence_ns;
} plait_world_desc;
typedef struct plait_world_info {
	uint32_t size;
	uint32_t flags;
	uint32_t rank;
	uint32_t ranks;
	uint32_t machines;
	uint32_t reserved0;
} plait_world_info;
typedef struct plait_collective_run {
	uint32_t size;
	uint32_t flags;
	plait_element element;
	uint32_t element_bits;
	plait_reduction reduction;
	uint32_t reserved0;
	uint64_t count;
	plait_buffer *input;
	plait_buffer *output;
	uint64_t input_offset;
	uint64_t output_offset;
	const void *input_memory;
	void *output_memory;
} plait_collective_run;
plait_status plait_world_open(plait_context *context,
					const plait_world_desc *desc,
					plait_world **out, plait_error *error);
void plait_world_retain(plait_world *world);
void plait_world_release(plait_world *world);
plait_status plait_world_query(plait_world *world,
					 plait_world_info *info,
					 plait_error *error);
plait_status plait_world_report(plait_world *world, char *buffer,
					  uint64_t capacity_bytes,
					  uint64_t *out_bytes,
					  plait_error *error);
plait_status plait_world_buffer(plait_world *world,
					  plait_device *device,
					  const plait_buffer_desc *desc,
					  plait_buffer **out,
					  plait_error *error);
plait_status plait_collective_create(plait_world *world,
					       plait_schedule *const *schedules,
					       uint64_t count,
					       plait_collective **out,
					       plait_error *error);
void plait_collective_retain(plait_collective *collective);
void plait_collective_release(plait_collective *collective);
plait_status plait_collective_call(plait_collective *collective,
					     const plait_collective_run *run,
					     plait_error *error);
plait_status plait_collective_submit(plait_collective *collective,
					       plait_queue *queue,
					       const plait_collective_run *run,
					       plait_run **out,
					       plait_error *error);
plait_status plait_graph_collective(plait_graph *graph,
					      plait_collective *collective,
					      const plait_collective_run *run,
					      const char *label,
					      plait_node after,
					      plait_node *out,
					      plait_error *error);
typedef struct plait_box {
	uint64_t low[3];
	uint64_t high[3];
} plait_box;
typedef uint32_t plait_mapper_kind;
enum {
	PLAIT_MAPPER_ALL = 0,
	PLAIT_MAPPER_ONE_TO_ONE = 1,
	PLAIT_MAPPER_SLICE = 2,
	PLAIT_MAPPER_NEIGHBORHOOD = 3,
	PLAIT_MAPPER_FIXED = 4,
	PLAIT_MAPPER_EVEN_SPLIT = 5,
	PLAIT_MAPPER_BOXES = 6,
	PLAIT_MAPPER_FUNCTION = 7
};
typedef uint32_t plait_mapper_flags;
enum {
	PLAIT_MAPPER_NO_CORNERS = 1 << 0
};
typedef plait_status (*plait_mapper_function)(void *user_data,
					      const plait_box *chunk,
					      const plait_box *data,
					      plait_box *out, uint32_t room,
					      uint32_t *out_count);
typedef struct plait_mapper {
	uint32_t size;
	plait_mapper_kind kind;
	uint32_t dimension;
	plait_mapper_flags flags;
	uint64_t extent[3];
	const plait_box *boxes;
	uint64_t box_count;
	plait_mapper_function function;
	void *user_data;
} plait_mapper;
typedef uint32_t plait_device_choice;
enum {
	PLAIT_CHOOSE_EARLIEST = 0,
	PLAIT_CHOOSE_SINGLE = 1,
	PLAIT_CHOOSE_ROUND_ROBIN = 2,
	PLAIT_CHOOSE_STREAM_AWARE = 3,
	PLAIT_CHOOSE_MIN_SIZE = 4,
	PLAIT_CHOOSE_MINMIN_TIME = 5,
	PLAIT_CHOOSE_MINMAX_TIME = 6
};
typedef uint32_t plait_parent_choice;
enum {
	PLAIT_PARENT_BEST = 0,
	PLAIT_PARENT_SAME = 1,
	PLAIT_PARENT_DISJOINT = 2,
	PLAIT_PARENT_EARLY_DISJOINT = 3,
	PLAIT_PARENT_DEVICE_DISJOINT = 4
};
typedef uint32_t plait_lane_choice;
enum {
	PLAIT_LANE_REUSE = 0,
	PLAIT_LANE_ALWAYS_NEW = 1
};
typedef struct plait_flow plait_flow;
typedef struct plait_data plait_data;
typedef struct plait_data_desc {
	uint32_t size;
	uint32_t flags;
	uint32_t dimensions;
	uint32_t element_bytes;
	uint64_t extent[3];
	plait_buffer *buffer;
	uint64_t buffer_offset;
	const char *label;
} plait_data_desc;
typedef struct plait_data_info {
	uint32_t size;
	uint32_t dimensions;
	uint32_t element_bytes;
	uint32_t reserved0;
	uint64_t extent[3];
	uint64_t pitch[3];
	void *pointer;
} plait_data_info;
typedef uint32_t plait_access_mode;
enum {
	PLAIT_ACCESS_BY_SIGNATURE = 0,
	PLAIT_ACCESS_READ = 1,
	PLAIT_ACCESS_WRITE = 2,
	PLAIT_ACCESS_READ_WRITE = 3,
	PLAIT_ACCESS_REDUCE = 4
};
typedef uint32_t plait_access_flags;
enum {
	PLAIT_ACCESS_ACCUMULATE = 1 << 0
};
typedef struct plait_access {
	uint32_t size;
	plait_access_mode mode;
	plait_data *data;
	const plait_box *box;
	const plait_mapper *mapper;
	plait_kernel *combine;
	uint64_t identity;
	plait_access_flags flags;
	uint32_t reserved0;
} plait_access;
plait_status plait_data_create(plait_flow *flow,
					 const plait_data_desc *desc,
					 plait_data **out, plait_error *error);
plait_status plait_data_part(plait_data *data, const plait_box *box,
				       plait_data **out, plait_error *error);
plait_status plait_data_query(plait_data *data, plait_data_info *info,
					plait_error *error);
void plait_data_retain(plait_data *data);
void plait_data_release(plait_data *data);
plait_status plait_data_map(plait_data *data, const plait_box *box,
				      plait_map_flags flags, void **out,
				      plait_error *error);
plait_status plait_data_unmap(plait_data *data, void *pointer,
					plait_error *error);
plait_status plait_data_read(plait_data *data, const plait_box *box,
				       void *host, plait_error *error);
plait_status plait_data_write(plait_data *data, const plait_box *box,
					const void *host, plait_error *error);
typedef uint32_t plait_advice;
enum {
	PLAIT_ADVISE_PREFETCH = 0,
	PLAIT_ADVISE_RESERVE = 1,
	PLAIT_ADVISE_EVICT = 2
};
plait_status plait_data_advise(plait_data *data, const plait_box *box,
					 plait_device *device,
					 plait_advice what,
					 plait_error *error);
typedef uint64_t plait_task;
typedef uint32_t plait_flow_flags;
enum {
	PLAIT_FLOW_RECORD = 1 << 0,
	PLAIT_FLOW_STRICT = 1 << 1,
	PLAIT_FLOW_CHECK = 1 << 2,
	PLAIT_FLOW_FIXED = 1 << 3,
	PLAIT_FLOW_REPEATS = 1 << 4
};
typedef struct plait_flow_desc {
	uint32_t size;
	plait_flow_flags flags;
	uint32_t window;
	uint32_t lanes;
	const char *label;
	plait_device *const *devices;
	uint32_t device_count;
	uint32_t horizon;
	plait_device_choice choose;
	plait_parent_choice parent;
	plait_lane_choice lane;
	uint32_t device_lanes;
	uint32_t threshold;
	uint32_t reserved0;
	plait_world *world;
	uint64_t memory_bytes;
	const char *history;
	const char *links;
} plait_flow_desc;
typedef uint32_t plait_task_kind;
enum {
	PLAIT_TASK_LAUNCH = 0,
	PLAIT_TASK_CALL = 1,
	PLAIT_TASK_COPY = 2,
	PLAIT_TASK_FILL = 3,
	PLAIT_TASK_READ = 4,
	PLAIT_TASK_WRITE = 5,
	PLAIT_TASK_PLAN = 6,
	PLAIT_TASK_EMIT = 7,
	PLAIT_TASK_WAIT = 8
};
typedef uint32_t plait_task_flags;
enum {
	PLAIT_TASK_NO_WAIT = 1 << 4,
	PLAIT_TASK_BARRIER = 1 << 5,
	PLAIT_TASK_COLLECTIVE = 1 << 6
};
typedef struct plait_task_desc {
	uint32_t size;
	plait_task_kind kind;
	plait_task_flags flags;
	int32_t priority;
	const char *label;
	plait_kernel *kernel;
	const plait_launch *launch;
	const plait_argument *arguments;
	uint64_t argument_count;
	const plait_access *accesses;
	uint64_t access_count;
	plait_host_function function;
	void *user_data;
	plait_inbox *inbox;
	plait_data *target;
	plait_data *source;
	const plait_box *target_box;
	const plait_box *source_box;
	void *host;
	uint64_t pattern;
	plait_signal *signal;
	uint64_t sequence;
	uint64_t cost;
	uint32_t split;
	uint32_t pieces;
	plait_plan *plan;
	const plait_run_desc *run;
} plait_task_desc;
typedef struct plait_flow_info {
	uint32_t size;
	uint32_t flags;
	uint32_t window;
	uint32_t lanes;
	plait_task newest;
	plait_task settled;
	uint64_t failed;
	uint64_t pieces;
	uint64_t flow_bytes;
	uint64_t data_bytes;
	uint64_t warnings;
	uint64_t repeated;
} plait_flow_info;
plait_status plait_flow_create(plait_context *context,
					 const plait_flow_desc *desc,
					 plait_flow **out, plait_error *error);
void plait_flow_retain(plait_flow *flow);
void plait_flow_release(plait_flow *flow);
plait_status plait_flow_submit(plait_flow *flow,
					 const plait_task_desc *desc,
					 plait_task *out, plait_error *error);
plait_status plait_flow_submit_many(plait_flow *flow,
					      const plait_task_desc *descs,
					      uint64_t count, plait_task *out,
					      plait_error *error);
plait_status plait_flow_launch(plait_flow *flow,
					 plait_kernel *kernel,
					 const plait_launch *launch,
					 const plait_argument *arguments,
					 uint64_t count, plait_task *out,
					 plait_error *error);
plait_status plait_flow_wait(plait_flow *flow, plait_task task,
				       uint64_t timeout_ns,
				       plait_error *error);
plait_status plait_await_task(plait_flow *flow, plait_task task,
					uint64_t timeout_ns,
					plait_error *error);
plait_status plait_flow_notify(plait_flow *flow, plait_task task,
					 plait_inbox *inbox,
					 plait_host_function function,
					 void *user_data, plait_error *error);
plait_status plait_flow_cancel(plait_flow *flow, plait_error *error);
plait_status plait_flow_query(plait_flow *flow,
					plait_flow_info *info,
					plait_error *error);
plait_status plait_flow_split(plait_flow *flow,
					const plait_task_desc *desc,
					plait_box *out, uint64_t room,
					uint64_t *out_count,
					plait_error *error);
typedef uint32_t plait_capture_flags;
enum {
	PLAIT_CAPTURE_LOCAL_SIGNALS = 1 << 0,
	PLAIT_CAPTURE_NO_CALLS = 1 << 1
};
plait_status plait_queue_capture(plait_queue *const *queues,
					   uint64_t count,
					   plait_capture_flags flags,
					   plait_error *error);
plait_status plait_queue_end_capture(plait_queue *queue,
					       plait_graph **out,
					       plait_error *error);
plait_status plait_await_signal(plait_signal *signal,
					  uint64_t sequence,
					  uint64_t timeout_ns,
					  plait_error *error);
plait_status plait_await_points(const plait_point *points,
					  uint64_t count, int32_t mode,
					  uint64_t timeout_ns,
					  uint64_t *out_index,
					  plait_error *error);
plait_status plait_await_run(plait_run *run, uint64_t timeout_ns,
				       plait_error *error);
plait_status plait_await_plan(plait_plan *plan, plait_queue *queue,
					const plait_run_desc *desc,
					uint64_t timeout_ns,
					plait_error *error);
plait_status plait_yield(plait_error *error);
typedef uint32_t plait_link_flags;
enum {
	PLAIT_LINK_DIRECT = 1 << 0,
	PLAIT_LINK_SHARED = 1 << 1,
	PLAIT_LINK_LATENCY_ASSUMED = 1 << 2,
	PLAIT_LINK_BANDWIDTH_ASSUMED = 1 << 3
};
typedef struct plait_link_info {
	uint32_t size;
	plait_link_flags flags;
	uint64_t latency_ns;
	uint64_t bytes_per_us;
} plait_link_info;
plait_status plait_device_query_link(plait_device *from,
					       plait_device *to,
					       plait_link_info *info,
					       plait_error *error);
typedef int32_t plait_flow_format;
enum {
	PLAIT_FLOW_TEXT = 0,
	PLAIT_FLOW_JSON = 1,
	PLAIT_FLOW_DOT = 2,
	PLAIT_FLOW_SVG = 3
};
plait_status plait_flow_write(plait_flow *flow,
					plait_flow_format format, void *buffer,
					uint64_t capacity_bytes,
					uint64_t *out_bytes,
					plait_error *error);
plait_status plait_flow_read(plait_flow *flow, const char *text,
				       uint64_t bytes, const char *name,
				       plait_error *error);
typedef uint32_t plait_memory_peers;
enum {
	PLAIT_PEERS_ALL = 0,
	PLAIT_PEERS_RING = 1,
	PLAIT_PEERS_NONE = 2
};
typedef uint32_t plait_memories_flags;
enum {
	PLAIT_MEMORIES_SHARED = 1,
	PLAIT_MEMORIES_NO_LOOKAHEAD = 2,
	PLAIT_MEMORIES_STRICT = 4
};
typedef struct plait_memories_desc {
	uint32_t size;
	plait_memories_flags flags;
	uint32_t devices;
	plait_memory_peers peers;
	plait_device_choice choose;
	plait_parent_choice parent;
	plait_lane_choice lane;
	uint32_t lanes;
	uint64_t memory_bytes;
	const char *links;
	const uint32_t *weights;
} plait_memories_desc;
plait_status plait_flow_write_instructions(
	plait_flow *flow, const plait_memories_desc *memories,
	plait_flow_format format, void *buffer, uint64_t capacity_bytes,
	uint64_t *out_bytes, plait_error *error);
plait_status plait_flow_capture(plait_flow *flow, plait_graph *graph,
					  plait_error *error);
plait_status plait_flow_repeat(plait_flow *flow, uint64_t key,
					 plait_task *out, plait_error *error);
typedef struct plait_backend_memory plait_backend_memory;
typedef struct plait_backend_kernel plait_backend_kernel;
typedef struct plait_backend_launch plait_backend_launch;
typedef struct plait_build_log plait_build_log;
typedef struct plait_host_code plait_host_code;
typedef uint32_t plait_code_parameter_flags;
enum {
	PLAIT_CODE_POINTER = 1 << 0,
	PLAIT_CODE_READS = 1 << 1,
	PLAIT_CODE_WRITES = 1 << 2,
	PLAIT_CODE_LOCAL = 1 << 3,
	PLAIT_CODE_IMAGE = 1 << 4,
	PLAIT_CODE_SAMPLER = 1 << 5
};
typedef struct plait_code_parameter {
	uint32_t size;
	plait_code_parameter_flags flags;
	uint64_t bytes;
	const char *name;
	const char *type;
} plait_code_parameter;
typedef uint32_t plait_code_flags;
enum {
	PLAIT_CODE_PORTABLE = 1 << 8
};
typedef struct plait_code {
	uint32_t size;
	plait_source_form form;
	plait_code_flags flags;
	uint32_t parameter_count;
	const plait_code_parameter *parameters;
	const void *code;
	uint64_t bytes;
	const char *entry;
	const char *name;
	const char *options;
	plait_build_log *log;
} plait_code;
typedef struct plait_kernel_facts {
	uint32_t size;
	uint32_t reserved0;
	uint64_t group[3];
	uint64_t group_items_max;
	uint64_t local_bytes;
	uint64_t private_bytes;
} plait_kernel_facts;
typedef struct plait_launch_argument {
	uint32_t size;
	uint32_t reserved0;
	plait_backend_memory *memory;
	uint64_t offset;
	const void *value;
} plait_launch_argument;
typedef struct plait_launch_request {
	uint32_t size;
	uint32_t dimensions;
	uint64_t items[3];
	uint64_t group[3];
	plait_backend_kernel *kernel;
	const plait_launch_argument *arguments;
	uint32_t argument_count;
	uint32_t reserved0;
} plait_launch_request;
typedef struct plait_host_part {
	uint32_t size;
	uint32_t reserved0;
	uint64_t items[3];
	uint64_t begin[3];
	uint64_t end[3];
} plait_host_part;
]]
