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
#include "handles.h"

#include "backends.h"

#include <stdlib.h>
#include <time.h>

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
	char options[OPTION_BYTES];

	memset(out, 0, sizeof(*out));
	out->size = sizeof(*out);
	out->backends = draw_backends(s);
	out->wrap = draw_wrap(s);
	draw_options(s, out->wrap, options);
	out->options = memcpy(keep(s, strlen(options) + 1), options,
			      strlen(options) + 1);
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

/* Emit a signal as often as calls wait for it; the queue of a wrong backend
 * refuses. */
static void emit_all(plait_signal *signal, plait_device *device)
{
	const plait_queue_desc desc = { .size = sizeof(desc) };
	plait_queue *queue = NULL;

	if (plait_queue_create(device, &desc, &queue, NULL) != PLAIT_OK)
		return;
	for (unsigned k = 0; k < 4; k++)
		(void)plait_queue_emit(queue, signal, NULL, NULL);
	plait_queue_release(queue);
}

/* Every wait that threads may be in comes to an end: gates are raised, signals
 * emitted, runs cancelled, inboxes closed. */
static void help_threads(void)
{
	static struct pool copies[KINDS];

	pthread_mutex_lock(&pools_lock);
	memcpy(copies, pools, sizeof(copies));
	pthread_mutex_unlock(&pools_lock);
	for (unsigned i = 0; i < copies[SIGNAL].count; i++) {
		plait_signal *signal = copies[SIGNAL].live[i];

		if (plait_signal_raise(signal, 1000, NULL) == PLAIT_OK)
			continue;
		for (unsigned k = 0; k < copies[DEVICE].count; k++)
			emit_all(signal, copies[DEVICE].live[k]);
	}
	for (unsigned i = 0; i < copies[RUN].count; i++)
		(void)plait_run_cancel(copies[RUN].live[i], NULL);
	for (unsigned i = 0; i < copies[INBOX].count; i++)
		(void)plait_inbox_close(copies[INBOX].live[i], NULL);
}

/* A node waits for an emission as long as a graph or a plan could make it, also
 * if the program cannot, and for any value of a gate that exists: release them.
 * Later than the rest, because calls that are not blocked need them. */
static void release_sources(void)
{
	static const enum kind kinds[] = { CALLABLE, PLAN, GRAPH, SIGNAL };
	void *handle;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		while ((handle = disown(kinds[i], 0)) != NULL)
			release(kinds[i], handle);
}

/* Wait for a change that nothing announces, for a millisecond. */
static void pass_1_ms(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_nsec += 1000000;
	if (end.tv_nsec >= 1000000000) {
		end.tv_nsec -= 1000000000;
		end.tv_sec++;
	}
	pthread_mutex_lock(&lock);
	(void)pthread_cond_timedwait(&never, &lock, &end);
	pthread_mutex_unlock(&lock);
}

static void await_streams(struct stream *streams, unsigned count)
{
	unsigned calls_before[MOST_THREADS] = { 0 }, still = 0;

	for (bool all = false; !all; pass_1_ms()) {
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
		if (still == LAST_HELP_MS)
			release_sources();
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

	/* Backends are closed after the last object has ended. */
	for (unsigned i = 0; i < HANG_MS / 2; i++) {
		if (plait_live_count(PLAIT_OBJECT_ANY) == 0 && !judge_standin())
			return;
		pass_1_ms();
	}
	for (int kind = 1; kind < KINDS + 1; kind++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 " %d:%llu", kind,
			 (unsigned long long)plait_live_count(kind));
	FUZZ_NEED(plait_live_count(PLAIT_OBJECT_ANY) == 0, text);
	FUZZ_NEED(!judge_standin(), "objects of OpenCL are left");
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
	begin_standin(data, size);
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
