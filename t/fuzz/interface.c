/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target of the whole public interface: bytes as calls of every function
 * of bindings/api.json, from one to four threads, with live, released, forged
 * and foreign handles, on one or two backends, alone or behind interposers.
 * Nothing crashes or hangs; no call that succeeds leaves an error text, none
 * fails without one or with PLAIT_E_INTERNAL; in the end nothing is left.
 *
 * api_calls.h has the calls; this file has their arguments.
 */
#include "fuzz.h"

#include "plait/plait.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	MOST_THREADS = 4,
	MOST_ELEMENTS = 4,
	MOST_HANDLES = 12, /* of a kind */
	STALE_HANDLES = 8,
	MOST_CONTEXTS = 4, /* of one input: each has threads */
	MOST_CALLS = 120, /* of one input */
	MEMORY_BYTES = 4096,
	MEMORY_SLOTS = 16,
	KEPT_BYTES = 1 << 16, /* arguments of one call */
	/* A thread that is blocked is helped after the first time, in ms, and
	 * hangs after the second. */
	HELP_MS = 100,
	HANG_MS = 20000
};

/* The bytes of one thread. */
struct stream {
	const uint8_t *data;
	size_t size;
	pthread_t thread;
	_Atomic(const char *) inside; /* the function that is being called */
	atomic_uint calls;
	atomic_bool over;
	_Alignas(16) char kept[KEPT_BYTES];
	size_t kept_bytes;
	uint64_t plan_bytes, graph_bytes;
};

/* ---- bytes ---- */

static unsigned draw_byte(struct stream *s)
{
	if (s->size == 0)
		return 0;
	s->size--;
	return *s->data++;
}

static uint64_t draw_word(struct stream *s)
{
	uint64_t word = 0;

	for (int i = 0; i < 8; i++)
		word = word << 8 | draw_byte(s);
	return word;
}

/* One time in 32. */
static bool draw_rare(struct stream *s)
{
	return draw_byte(s) >= 248;
}

/* Fields are left 0 half of the time: most descriptors have few. */
static bool draw_field(struct stream *s)
{
	return draw_byte(s) % 2 != 0;
}

static uint64_t draw_small(struct stream *s, unsigned below)
{
	return below > 256 ? (draw_byte(s) << 8 | draw_byte(s)) % below :
			     draw_byte(s) % below;
}

static uint64_t draw_size(struct stream *s)
{
	static const uint64_t edges[] = { UINT64_MAX, INT64_MAX, UINT32_MAX,
					  1u << 31, 4096, 4097, 1 << 20, 7 };
	unsigned byte = draw_byte(s);

	if (byte < 8)
		return edges[byte];
	return byte < 128 ? byte % 5 * 4 : byte;
}

static uint32_t draw_struct_size(struct stream *s, uint64_t size)
{
	if (!draw_rare(s))
		return (uint32_t)size;
	return draw_rare(s) ? (uint32_t)draw_word(s) :
			      (uint32_t)draw_small(s, (unsigned)size + 1);
}

static uint64_t draw_timeout(struct stream *s)
{
	static const uint64_t timeouts[] = { 0, 1000, 100000, 2000000 };

	return timeouts[draw_byte(s) % 4];
}

static uint64_t draw_capacity(struct stream *s)
{
	static const uint64_t capacities[] = { 0, 1, 40, 1 << 14 };

	return capacities[draw_byte(s) % 4];
}

static uint64_t draw_budget(struct stream *s)
{
	return draw_rare(s) ? 1 << 16 : 0;
}

static int64_t draw_enum(struct stream *s, const int64_t *values, unsigned count)
{
	unsigned byte = draw_byte(s);

	if (byte >= 252)
		return (int64_t)(int32_t)draw_word(s);
	/* Flags also in pairs. */
	return byte >= 236 ? values[byte % count] |
				     values[draw_byte(s) % count] :
			     values[byte % count];
}

static void *keep(struct stream *s, size_t bytes)
{
	void *out = s->kept + s->kept_bytes;

	s->kept_bytes += (bytes + 15) / 16 * 16;
	FUZZ_NEED(s->kept_bytes <= KEPT_BYTES, "room for arguments");
	memset(out, 0, bytes);
	return out;
}

/* ---- texts and memory ---- */

static const char *draw_text(struct stream *s)
{
	static const char *const texts[] = {
		"", "a", "x", "y", "n", "host:0", "chaos:0", "a:0", "scale",
		"a label with 60 characters, which is more than most would be",
		"\xff\xfe", "%s%n",
	};

	return texts[draw_byte(s) % (sizeof(texts) / sizeof(*texts))];
}

static const char *draw_text_or_null(struct stream *s)
{
	return draw_rare(s) ? NULL : draw_text(s);
}

static const char *draw_path(struct stream *s)
{
	static const char *const paths[] = { "/nonexistent/plan", "/dev/null",
					     "/", "" };

	return paths[draw_byte(s) % 4];
}

static const char *draw_signature(struct stream *s)
{
	static const char *const signatures[] = {
		"step()", "step(a: f32): i32", "step(x: pointer, n: u64): i32",
		"step(", "scale(x: pointer f32, a: f32)", "f(a: f64): i64",
	};

	return signatures[draw_byte(s) % 6];
}

static const char *draw_graph_text(struct stream *s)
{
	static const char *const texts[] = {
		"plait-graph 1\nnode a host:0\nnode b host:0 after=a\n",
		"device cpu lanes=2\nload cpu 5\nstore cpu 3\nload -> store\n",
		"plait-graph 1\n", "\n", "x", "{",
	};
	const char *text = texts[draw_byte(s) % 6];

	s->graph_bytes = strlen(text);
	return text;
}

static char memory[MEMORY_SLOTS][MEMORY_BYTES];

static void *draw_memory(struct stream *s)
{
	return draw_rare(s) ? NULL : memory[draw_byte(s) % MEMORY_SLOTS];
}

static char *draw_scratch(struct stream *s)
{
	static _Thread_local char scratch[1 << 14];

	return draw_rare(s) ? NULL : scratch;
}

/* The last plan that was written, by any thread. */
static pthread_mutex_t plan_lock = PTHREAD_MUTEX_INITIALIZER;
static char plan_text[1 << 14];
static uint64_t plan_text_bytes;

static const void *draw_plan_bytes(struct stream *s)
{
	static _Thread_local char copy[sizeof(plan_text)];

	pthread_mutex_lock(&plan_lock);
	memcpy(copy, plan_text, sizeof(copy));
	s->plan_bytes = plan_text_bytes;
	pthread_mutex_unlock(&plan_lock);
	if (draw_rare(s) && s->plan_bytes > 0)
		copy[draw_word(s) % s->plan_bytes] ^= (char)draw_byte(s);
	if (draw_rare(s))
		s->plan_bytes = draw_small(s, (unsigned)s->plan_bytes + 1);
	return copy;
}

/* ---- handles ---- */

enum kind {
	CONTEXT, DEVICE, QUEUE, SIGNAL, BUFFER, INBOX, RUN, KERNEL, GRAPH,
	PLAN, CALLABLE, KINDS
};

struct pool {
	void *live[MOST_HANDLES];
	unsigned references[MOST_HANDLES];
	unsigned count;
	void *stale[STALE_HANDLES];
	unsigned stale_count;
};

static pthread_mutex_t pools_lock = PTHREAD_MUTEX_INITIALIZER;
static struct pool pools[KINDS];
static unsigned contexts_opened;

static void *draw_bad_handle(struct stream *s, enum kind kind)
{
	const struct pool *other = &pools[draw_byte(s) % KINDS];
	const struct pool *pool = &pools[kind];

	switch (draw_byte(s) % 4) {
	case 0:
		return NULL;
	case 1:
		return pool->stale[draw_byte(s) % STALE_HANDLES];
	case 2:
		return other->count > 0 ? other->live[0] : NULL;
	default: {
		uint64_t word = draw_word(s);

		return (void *)(uintptr_t)word;
	}
	}
}

static void *draw_handle(struct stream *s, enum kind kind)
{
	struct pool *pool = &pools[kind];
	void *handle;

	pthread_mutex_lock(&pools_lock);
	if (draw_rare(s) || pool->count == 0)
		handle = draw_bad_handle(s, kind);
	else
		handle = pool->live[draw_byte(s) % pool->count];
	pthread_mutex_unlock(&pools_lock);
	return handle;
}

static void release(enum kind kind, void *handle);
static void retain(enum kind kind, void *handle);

static void own(enum kind kind, void *handle)
{
	struct pool *pool = &pools[kind];
	bool full;

	if (handle == NULL)
		return;
	pthread_mutex_lock(&pools_lock);
	full = pool->count == MOST_HANDLES;
	if (!full) {
		pool->references[pool->count] = 1;
		pool->live[pool->count++] = handle;
	}
	pthread_mutex_unlock(&pools_lock);
	if (full)
		release(kind, handle);
}

/* Take one reference out of the pool; null if it has none. */
static void *disown(enum kind kind, unsigned number)
{
	struct pool *pool = &pools[kind];
	void *handle = NULL;

	pthread_mutex_lock(&pools_lock);
	if (pool->count > 0) {
		number %= pool->count;
		handle = pool->live[number];
		if (--pool->references[number] == 0) {
			pool->stale[pool->stale_count++ % STALE_HANDLES] =
				handle;
			pool->count--;
			pool->live[number] = pool->live[pool->count];
			pool->references[number] =
				pool->references[pool->count];
		}
	}
	pthread_mutex_unlock(&pools_lock);
	return handle;
}

static void release_one(struct stream *s, enum kind kind)
{
	void *handle;

	if (draw_rare(s)) {
		/* A live one is not the caller's to release. */
		pthread_mutex_lock(&pools_lock);
		handle = pools[kind].stale[draw_byte(s) % STALE_HANDLES];
		pthread_mutex_unlock(&pools_lock);
	} else {
		handle = disown(kind, draw_byte(s));
	}
	release(kind, handle);
}

static void retain_one(struct stream *s, enum kind kind)
{
	struct pool *pool = &pools[kind];
	unsigned number = draw_byte(s);

	pthread_mutex_lock(&pools_lock);
	if (pool->count > 0) {
		number %= pool->count;
		pool->references[number]++;
		retain(kind, pool->live[number]);
	}
	pthread_mutex_unlock(&pools_lock);
}

#define DRAW_FUNCTION(name, kind)                                             \
	static inline plait_##name *draw_##name(struct stream *s)             \
	{                                                                     \
		return draw_handle(s, kind);                                  \
	}

#define HANDLE_FUNCTIONS(name, kind)                                          \
	DRAW_FUNCTION(name, kind)                                             \
	static inline void own_##name(struct stream *s, plait_##name *handle) \
	{                                                                     \
		(void)s;                                                      \
		own(kind, handle);                                            \
	}                                                                     \
	static inline void retain_##name(struct stream *s)                    \
	{                                                                     \
		retain_one(s, kind);                                          \
	}                                                                     \
	static inline void release_##name(struct stream *s)                   \
	{                                                                     \
		release_one(s, kind);                                         \
	}

HANDLE_FUNCTIONS(context, CONTEXT)
DRAW_FUNCTION(device, DEVICE)
HANDLE_FUNCTIONS(queue, QUEUE)
HANDLE_FUNCTIONS(signal, SIGNAL)
HANDLE_FUNCTIONS(buffer, BUFFER)
HANDLE_FUNCTIONS(inbox, INBOX)
HANDLE_FUNCTIONS(run, RUN)
HANDLE_FUNCTIONS(kernel, KERNEL)
HANDLE_FUNCTIONS(graph, GRAPH)
HANDLE_FUNCTIONS(plan, PLAN)
HANDLE_FUNCTIONS(callable, CALLABLE)

#define EACH_KIND(X)                                                          \
	X(context, CONTEXT) X(queue, QUEUE) X(signal, SIGNAL)                 \
	X(buffer, BUFFER) X(inbox, INBOX) X(run, RUN) X(kernel, KERNEL)       \
	X(graph, GRAPH) X(plan, PLAN) X(callable, CALLABLE)

static void release(enum kind kind, void *handle)
{
	switch (kind) {
#define RELEASE(name, kind)                                                   \
	case kind:                                                            \
		plait_##name##_release(handle);                               \
		break;
	EACH_KIND(RELEASE)
	default:
		break;
	}
}

static void retain(enum kind kind, void *handle)
{
	switch (kind) {
#define RETAIN(name, kind)                                                    \
	case kind:                                                            \
		plait_##name##_retain(handle);                                \
		break;
	EACH_KIND(RETAIN)
	default:
		break;
	}
}

/* A device lives as long as its context: its handle is only borrowed. */
static void note_device(struct stream *s, plait_device *device)
{
	struct pool *pool = &pools[DEVICE];

	(void)s;
	if (device == NULL)
		return;
	pthread_mutex_lock(&pools_lock);
	for (unsigned i = 0; i < pool->count; i++)
		if (pool->live[i] == device)
			device = NULL;
	if (device != NULL && pool->count < MOST_HANDLES)
		pool->live[pool->count++] = device;
	pthread_mutex_unlock(&pools_lock);
}

static plait_buffer *const *draw_buffers(struct stream *s)
{
	plait_buffer **out = keep(s, MOST_ELEMENTS * sizeof(void *));

	for (int i = 0; i < MOST_ELEMENTS; i++)
		out[i] = draw_buffer(s);
	return out;
}

static plait_device *const *draw_devices(struct stream *s)
{
	plait_device **out = keep(s, MOST_ELEMENTS * sizeof(void *));

	for (int i = 0; i < MOST_ELEMENTS; i++)
		out[i] = draw_device(s);
	return out;
}

/* ---- nodes, events, addresses: numbers that calls return ---- */

static _Atomic uint64_t last_nodes[4];
static _Atomic uint64_t last_event;
static _Atomic(void *) mapped[4];

static void note_node(struct stream *s, plait_node node)
{
	if (node != 0)
		last_nodes[draw_byte(s) % 4] = node;
}

static plait_node draw_node(struct stream *s)
{
	unsigned byte = draw_byte(s);

	if (byte < 64)
		return 0;
	return byte < 248 ? last_nodes[byte % 4] : draw_word(s);
}

static const plait_node *draw_nodes(struct stream *s)
{
	plait_node *out = keep(s, MOST_ELEMENTS * sizeof(*out));

	for (int i = 0; i < MOST_ELEMENTS; i++)
		out[i] = draw_node(s);
	return out;
}

static void note_event(struct stream *s, const plait_event *event)
{
	(void)s;
	if (event->size == sizeof(*event) && event->id != 0)
		last_event = event->id;
}

static uint64_t draw_event(struct stream *s)
{
	return draw_rare(s) ? draw_word(s) : last_event;
}

static void *draw_mapped(struct stream *s)
{
	return draw_rare(s) ? draw_memory(s) : mapped[draw_byte(s) % 4];
}

/* ---- functions of the user ---- */

static int32_t function_ok(void *user_data)
{
	(void)user_data;
	return 0;
}

static int32_t function_fails(void *user_data)
{
	(void)user_data;
	return 3;
}

/* As a predicate: true two times out of three. */
static int32_t function_counts(void *user_data)
{
	static atomic_uint count;

	(void)user_data;
	return count++ % 3 != 0;
}

/* Submits, and would wait. */
static int32_t function_calls(void *user_data)
{
	struct stream s = { .data = (const uint8_t *)"\1\2\3\4\5\6\7\10",
			    .size = 8 };
	plait_queue *queue = draw_queue(&s);

	(void)user_data;
	(void)plait_queue_call(queue, function_ok, NULL, NULL);
	(void)plait_queue_finish(queue, 1000, NULL);
	(void)plait_plan_call(draw_plan(&s), NULL, NULL, NULL);
	(void)plait_run_cancel(draw_run(&s), NULL);
	return 0;
}

static int32_t function_releases(void *user_data)
{
	struct stream s = { .data = (const uint8_t *)"\1\2\3\4", .size = 4 };

	(void)user_data;
	release_queue(&s);
	release_plan(&s);
	return 0;
}

static int32_t function_exits(void *user_data)
{
	(void)user_data;
	pthread_exit(NULL);
}

static plait_host_function draw_function(struct stream *s)
{
	static const plait_host_function functions[] = {
		function_ok, function_ok, function_counts, function_calls,
		function_fails, function_releases, function_exits, NULL,
	};

	return draw_rare(s) ? functions[draw_byte(s) % 8] :
			      functions[draw_byte(s) % 4];
}

static void failed(void *user_data, const plait_error *error)
{
	(void)user_data;
	FUZZ_NEED(error->status != PLAIT_OK, "a failure has a status");
}

static plait_failure_function draw_failure_function(struct stream *s)
{
	return draw_rare(s) ? NULL : failed;
}

/* ---- calls ---- */

static void enter(struct stream *s, const char *name)
{
	s->inside = name;
}

static void leave(struct stream *s)
{
	s->inside = NULL;
	s->kept_bytes = 0;
}

static void judge(struct stream *s, const char *name, plait_status status,
		  const plait_error *error)
{
	char text[PLAIT_ERROR_TEXT_BYTES + 100];

	(void)s;
	snprintf(text, sizeof(text), "%s: %s: %s", name,
		 plait_status_name(status), error != NULL ? error->text : "");
	FUZZ_NEED(status != PLAIT_E_INTERNAL, text);
	if (error == NULL || status == PLAIT_PENDING ||
	    status == PLAIT_EVENT_READY)
		return;
	FUZZ_NEED((status == PLAIT_OK) == (error->text[0] == '\0'), text);
	FUZZ_NEED(strstr(error->text, "(no record)") == NULL, text);
}

static void draw_plait_context_desc(struct stream *s, plait_context_desc *out)
{
	static const char *const backends[] = { "host", "chaos", "host,chaos",
						"chaos,host" };
	static const char *const wraps[] = { NULL, NULL, "check", "trace" };

	memset(out, 0, sizeof(*out));
	out->size = sizeof(*out);
	out->backends = backends[draw_byte(s) % 4];
	out->wrap = wraps[draw_byte(s) % 4];
	out->options = "trace:file=/dev/null";
	out->workers = (uint32_t)draw_small(s, 4);
	out->flags = out->workers == 0 ? PLAIT_CONTEXT_NO_WORKERS : 0;
}

static plait_context_desc *draw_one_plait_context_desc(struct stream *s)
{
	plait_context_desc *out = keep(s, sizeof(*out));

	draw_plait_context_desc(s, out);
	return out;
}

static void call_plait_context_open(struct stream *s)
{
	plait_error error = { .size = sizeof(error) };
	const plait_context_desc *desc = draw_one_plait_context_desc(s);
	plait_context *context = NULL;
	plait_device *device;
	plait_status status;

	if (__atomic_add_fetch(&contexts_opened, 1, __ATOMIC_RELAXED) >
	    MOST_CONTEXTS)
		return;
	enter(s, "plait_context_open");
	status = plait_context_open(desc, &context, &error);
	judge(s, "plait_context_open", status, &error);
	for (uint32_t i = 0; i < 3; i++)
		if (plait_context_device(context, i, &device, NULL) == PLAIT_OK)
			note_device(s, device);
	own_context(s, context);
	leave(s);
}

static void call_plait_context_close(struct stream *s)
{
	plait_error error = { .size = sizeof(error) };
	bool stale = draw_rare(s);
	uint64_t timeout_ns = draw_timeout(s);
	plait_context *context;
	plait_status status;

	if (stale) {
		pthread_mutex_lock(&pools_lock);
		context = pools[CONTEXT].stale[draw_byte(s) % STALE_HANDLES];
		pthread_mutex_unlock(&pools_lock);
	} else {
		context = disown(CONTEXT, draw_byte(s));
	}
	enter(s, "plait_context_close");
	status = plait_context_close(context, timeout_ns, &error);
	judge(s, "plait_context_close", status, &error);
	if (!stale && status != PLAIT_OK && status != PLAIT_E_TIMEOUT)
		own_context(s, context);
	leave(s);
}

static plait_wrap_desc *draw_one_plait_wrap_desc(struct stream *s)
{
	plait_wrap_desc *out = keep(s, sizeof(*out));

	out->size = draw_struct_size(s, sizeof(*out));
	out->pointer = draw_memory(s);
	out->bytes = draw_small(s, MEMORY_BYTES + 1);
	out->label = draw_text_or_null(s);
	if (draw_field(s))
		out->flags = (uint32_t)draw_small(s, 4);
	if (draw_field(s)) {
		out->inbox = draw_inbox(s);
		out->released = draw_function(s);
	}
	return out;
}

static plait_source *draw_one_plait_source(struct stream *s)
{
	plait_source *out = keep(s, sizeof(*out));

	out->size = draw_struct_size(s, sizeof(*out));
	out->form = (uint32_t)draw_small(s, 8);
	out->code = draw_text_or_null(s);
	return out;
}

static int32_t kernel_fixed(void *const *arguments, const plait_launch *launch,
			    void *user_data)
{
	(void)arguments;
	(void)user_data;
	return launch->items[0] == 13;
}

static int32_t kernel_range(const plait_range *range, void *const *arguments,
			    const plait_launch *launch, void *user_data)
{
	(void)arguments;
	(void)launch;
	(void)user_data;
	return range->begin[0] == 13;
}

static int32_t kernel_described(float *x, float a)
{
	(void)x;
	return a > 3;
}

static void call_plait_kernel_create(struct stream *s)
{
	static const char *const signatures[] = {
		"scale(x: pointer f32, a: f32): i32", "none()",
		"many(x: in pointer f32, y: out pointer f32, n: u64)",
	};
	plait_error error = { .size = sizeof(error) };
	plait_kernel_desc desc = { .size = draw_struct_size(s, sizeof(desc)) };
	plait_context *context = draw_context(s);
	plait_kernel *kernel = NULL;
	plait_status status;

	desc.signature = signatures[draw_byte(s) % 3];
	switch (draw_byte(s) % 4) {
	case 0:
		desc.function = kernel_fixed;
		break;
	case 1:
		desc.range = kernel_range;
		desc.grain = draw_small(s, 4);
		break;
	case 2:
		desc.signature = signatures[0];
		desc.described = (plait_any_function)kernel_described;
		break;
	default:
		desc.library = draw_text(s);
		break;
	}
	enter(s, "plait_kernel_create");
	status = plait_kernel_create(context, &desc, &kernel, &error);
	judge(s, "plait_kernel_create", status, &error);
	own_kernel(s, kernel);
	leave(s);
}

/* Zero new memory: as the word of a loop, any other value never ends it. */
static void clear(plait_buffer *buffer, uint64_t bytes)
{
	void *pointer = NULL;

	if (plait_buffer_map(buffer, 0, bytes, PLAIT_MAP_WRITE, &pointer,
			     NULL) != PLAIT_OK)
		return;
	memset(pointer, 0, bytes);
	(void)plait_buffer_unmap(buffer, pointer, NULL);
}

static void call_plait_buffer_create(struct stream *s)
{
	plait_error error = { .size = sizeof(error) };
	plait_buffer_desc desc = { .size = draw_struct_size(s, sizeof(desc)) };
	plait_device *device = draw_device(s);
	plait_buffer *buffer = NULL;
	plait_status status;

	desc.bytes = draw_size(s);
	desc.alignment_bytes = draw_field(s) ? draw_size(s) : 0;
	desc.label = draw_text_or_null(s);
	enter(s, "plait_buffer_create");
	status = plait_buffer_create(device, &desc, &buffer, &error);
	judge(s, "plait_buffer_create", status, &error);
	if (status == PLAIT_OK && desc.bytes < 1 << 24)
		clear(buffer, desc.bytes);
	own_buffer(s, buffer);
	leave(s);
}

static void call_plait_buffer_map(struct stream *s)
{
	plait_error error = { .size = sizeof(error) };
	plait_buffer *buffer = draw_buffer(s);
	uint64_t offset = draw_size(s), bytes = draw_size(s);
	plait_map_flags flags = (uint32_t)draw_small(s, 4);
	plait_status status;
	void *pointer = NULL;

	enter(s, "plait_buffer_map");
	status = plait_buffer_map(buffer, offset, bytes, flags, &pointer,
				  &error);
	judge(s, "plait_buffer_map", status, &error);
	if (status == PLAIT_OK)
		mapped[draw_byte(s) % 4] = pointer;
	leave(s);
}

#include "t/fuzz/api_calls.h"

/* Keep what plans write, for those that read. */
static void keep_plan(struct stream *s)
{
	static char written[sizeof(plan_text)];
	plait_plan *plan = draw_plan(s);
	uint64_t bytes = 0;

	pthread_mutex_lock(&plan_lock);
	if (plait_plan_write(plan, PLAIT_FORMAT_BINARY, written, sizeof(written),
			     &bytes, NULL) == PLAIT_OK &&
	    bytes <= sizeof(written)) {
		memcpy(plan_text, written, bytes);
		plan_text_bytes = bytes;
	}
	pthread_mutex_unlock(&plan_lock);
}

static void *run_stream(void *arg)
{
	struct stream *s = arg;
	const unsigned count = sizeof(calls) / sizeof(*calls);

	for (unsigned i = 0; i < MOST_CALLS && s->size > 0; i++) {
		calls[draw_byte(s) % count].call(s);
		if (i % 16 == 15)
			keep_plan(s);
		s->calls++;
	}
	return NULL;
}

static void *run_guarded(void *arg)
{
	struct stream *s = arg;
	pthread_t inner;

	/* The inner thread may end inside a function. */
	FUZZ_NEED(pthread_create(&inner, NULL, run_stream, s) == 0, "threads");
	pthread_join(inner, NULL);
	s->over = true;
	return NULL;
}

/* ---- the end ---- */

/* Every wait that threads may be in comes to an end: gates are raised, signals
 * emitted as often as calls wait for, runs cancelled, inboxes closed. */
static void help_threads(void)
{
	static struct pool copies[KINDS];

	pthread_mutex_lock(&pools_lock);
	memcpy(copies, pools, sizeof(copies));
	pthread_mutex_unlock(&pools_lock);
	for (unsigned i = 0; i < copies[SIGNAL].count; i++) {
		plait_signal *signal = copies[SIGNAL].live[i];

		(void)plait_signal_raise(signal, 1000, NULL);
		for (unsigned k = 0; k < 4 * copies[QUEUE].count; k++)
			(void)plait_queue_emit(copies[QUEUE].live[k / 4],
					       signal, NULL, NULL);
	}
	for (unsigned i = 0; i < copies[RUN].count; i++)
		(void)plait_run_cancel(copies[RUN].live[i], NULL);
	for (unsigned i = 0; i < copies[INBOX].count; i++)
		(void)plait_inbox_close(copies[INBOX].live[i], NULL);
}

static void sleep_1_ms(void)
{
	const struct timespec time = { 0, 1000000 };

	nanosleep(&time, NULL);
}

static void await_streams(struct stream *streams, unsigned count)
{
	unsigned calls_before[MOST_THREADS] = { 0 }, still = 0;

	for (bool all = false; !all; sleep_1_ms()) {
		bool moved = false;

		all = true;
		for (unsigned i = 0; i < count; i++) {
			all = all && streams[i].over;
			moved = moved || streams[i].calls != calls_before[i];
			calls_before[i] = streams[i].calls;
		}
		still = moved ? 0 : still + 1;
		if (still % HELP_MS == HELP_MS - 1)
			help_threads();
		for (unsigned i = 0; i < count; i++)
			FUZZ_NEED(still < HANG_MS || streams[i].over,
				  streams[i].inside != NULL ?
					  (const char *)streams[i].inside :
					  "(between calls)");
	}
}

static void *release_all(void *arg)
{
	static const enum kind order[] = { RUN, CALLABLE, PLAN, GRAPH, KERNEL,
					   BUFFER, SIGNAL, QUEUE, INBOX,
					   CONTEXT };
	void *handle;

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		while ((handle = disown(order[i], 0)) != NULL)
			release(order[i], handle);
	return arg;
}

static void judge_end(void)
{
	char text[200] = "";

	for (unsigned i = 0; i < HANG_MS / 2; i++) {
		if (plait_live_count(PLAIT_OBJECT_ANY) == 0)
			return;
		sleep_1_ms();
	}
	for (int kind = 1; kind < KINDS + 1; kind++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 " %d:%llu", kind,
			 (unsigned long long)plait_live_count(kind));
	FUZZ_NEED(plait_live_count(PLAIT_OBJECT_ANY) == 0, text);
}

/* Something of everything, so that calls have objects from the start. */
static void begin(struct stream *s)
{
	memset(pools, 0, sizeof(pools));
	contexts_opened = 0;
	plan_text_bytes = 0;
	for (int i = 0; i < 4; i++) {
		last_nodes[i] = 0;
		mapped[i] = NULL;
	}
	call_plait_context_open(s);
	call_plait_queue_create(s);
	call_plait_signal_create(s);
	call_plait_inbox_create(s);
	call_plait_graph_create(s);
	call_plait_kernel_create(s);
	for (int i = 0; i < 3; i++) {
		const plait_buffer_desc desc = { .size = sizeof(desc),
						 .bytes = 1024 };
		plait_buffer *buffer = NULL;

		if (plait_buffer_create(draw_device(s), &desc, &buffer, NULL) ==
		    PLAIT_OK)
			clear(buffer, desc.bytes);
		own_buffer(s, buffer);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct stream streams[MOST_THREADS], first;
	pthread_t threads[MOST_THREADS], last;
	unsigned count;
	size_t each;

	memset(streams, 0, sizeof(streams));
	memset(&first, 0, sizeof(first));
	first.data = data;
	first.size = size < 64 ? size : 64;
	count = 1 + draw_byte(&first) % MOST_THREADS;
	begin(&first);
	each = (size - (size < 64 ? size : 64)) / count;
	for (unsigned i = 0; i < count; i++) {
		streams[i].data = data + (size < 64 ? size : 64) + i * each;
		streams[i].size = each;
		FUZZ_NEED(pthread_create(&threads[i], NULL, run_guarded,
					 &streams[i]) == 0, "threads");
	}
	await_streams(streams, count);
	for (unsigned i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	FUZZ_NEED(pthread_create(&last, NULL, release_all, NULL) == 0,
		  "threads");
	pthread_join(last, NULL);
	judge_end();
	return 0;
}
