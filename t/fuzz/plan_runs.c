/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target of plans that are read and run: whatever the bytes say, a run
 * stays within the buffers that were bound, each of which lies against a page
 * without access, and between bytes that are looked at afterwards.  The run is
 * cancelled after a while, since a plan may wait or loop for ever.
 *
 * Inputs: bytes of a plan; "seed N", plans that are changed in a way that N
 * decides; and the names of the known attacks (attacks[]).
 */
#include "fuzz.h"
#include "guarded.h"
#include "plan_attacks.h"
#include "plan_words.h"

#include "plait/plait.h"

#include "base/alloc.h"
#include "plan/io/binary.h"
#include "plan/plan.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	MEMORIES = 4, BYTES = 64, CHANGED = 40, MOST_PARAMS = 16,
	PATIENCE_MS = 20, ITERATIONS = 20, MOST_SCRATCH = 1 << 20,
};

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
			       unsigned seed);

static plait_context *context;
static plait_device *device;
static plait_queue *queue;
static plait_kernel *kernel;
static plait_signal *counter, *gate;
static plait_error error = { .size = sizeof(error) };

/* ---- guarded memory ---- */

/* Host memory: of the buffers, by number; the last is for reads and writes. */
static struct guarded memories[MEMORIES + 1];
static plait_buffer *buffers[MEMORIES + 1];

static unsigned decisions;

static void make_memory(unsigned i)
{
	char label[2] = { (char)('a' + i), '\0' };
	plait_wrap_desc desc = { .size = sizeof(desc), .bytes = BYTES,
				 .label = label };

	FUZZ_NEED(guarded_make(&memories[i], BYTES), "pages");
	desc.pointer = memories[i].bytes;
	FUZZ_NEED(plait_buffer_wrap(device, &desc, &buffers[i], &error) ==
		  PLAIT_OK, error.text);
}

/* Zeros, so that no loop goes on because of a word there. */
static void clear_memory(void)
{
	for (unsigned i = 0; i <= MEMORIES; i++)
		memset(memories[i].bytes, 0, BYTES);
	decisions = 0;
}

static void check_memory(void)
{
	for (unsigned i = 0; i <= MEMORIES; i++)
		FUZZ_NEED(guarded_is_intact(&memories[i]),
			  "bytes in front of a buffer");
	FUZZ_NEED(victim == VICTIM, "the victim");
}

/* ---- code ---- */

/* Touch the first byte of what each pointer has, as any kernel may. */
static int32_t work(void *const *arguments, const plait_launch *launch,
		    void *user_data)
{
	(void)launch;
	(void)user_data;
	for (int i = 1; i < 4; i++) {
		unsigned char *at;

		memcpy(&at, arguments[i], sizeof(at));
		if (at != NULL)
			*at = 0;
	}
	return 0;
}

static int32_t decide(void *user_data)
{
	(void)user_data;
	return ++decisions % ITERATIONS != 0;
}

/* ---- plans ---- */

static plait_node put(plait_graph *graph, plait_node_desc desc,
		      plait_node after)
{
	plait_node node = 0;

	desc.size = sizeof(desc);
	FUZZ_NEED(plait_graph_add(graph, &desc, &after, after != 0, &node,
				  &error) == PLAIT_OK, error.text);
	return node;
}

static plait_node put_launch(plait_graph *graph, plait_node after)
{
	const uint64_t seven = 7;
	const plait_argument arguments[] = {
		PLAIT_VALUE(seven), PLAIT_BUFFER(buffers[0]),
		PLAIT_PARAMETER("p"),
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_SCRATCH }
	};

	return put(graph, (plait_node_desc){
			.kind = PLAIT_NODE_LAUNCH, .kernel = kernel,
			.arguments = arguments, .argument_count = 4,
			.launch_parameter = "n", .scratch_bytes = 48 }, after);
}

static plait_node put_copies(plait_graph *graph, plait_node after)
{
	const plait_rows rows = { .size = sizeof(rows), .rows = 3, .slices = 1,
				  .target_row = 16, .source_row = 8 };
	const plait_node_desc all[] = {
		{ .kind = PLAIT_NODE_FILL, .bytes = BYTES / 2, .target = buffers[1],
		  .target_offset = 16, .pattern_bytes = 4 },
		{ .kind = PLAIT_NODE_COPY, .rows = &rows, .bytes = 8,
		  .source = buffers[1], .target = buffers[2] },
		{ .kind = PLAIT_NODE_COPY, .bytes = BYTES / 2, .source_parameter = "q",
		  .source_offset = 8, .target = buffers[2], .target_offset = 32 },
		{ .kind = PLAIT_NODE_WRITE, .bytes = BYTES / 4,
		  .host_parameter = "in", .host_offset = 8, .target = buffers[2] },
		{ .kind = PLAIT_NODE_READ, .rows = &rows, .bytes = 8,
		  .host_parameter = "out", .source = buffers[2] },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		after = put(graph, all[i], after);
	return after;
}

static void put_step(plait_graph *body, const plait_argument *arguments,
		     const plait_series *series)
{
	(void)put(body, (plait_node_desc){
		.kind = PLAIT_NODE_LAUNCH, .kernel = kernel,
		.arguments = arguments, .argument_count = 4, .series = series,
		.series_count = series != NULL, .scratch_bytes = 16 }, 0);
	plait_graph_release(body);
}

static plait_node put_repeat(plait_graph *graph, plait_argument *arguments, plait_node node)
{
	static const plait_series down = { sizeof(down), 1, 1, -1, 2 };
	plait_graph *body;

	(void)plait_graph_repeat(graph, 3, node, &body, &node, &error);
	arguments->series = &down;
	put_step(body, arguments, &down);
	return node;
}

static plait_node put_loop(plait_graph *graph, plait_node after)
{
	plait_buffer *turns[] = { buffers[0], buffers[3] };
	plait_argument arguments[] = {
		PLAIT_ITERATION(NULL), PLAIT_ROTATION(0, 0), PLAIT_ROTATION(0, 1),
		{ .size = sizeof(plait_argument), .kind = PLAIT_ARGUMENT_SCRATCH }
	};
	plait_graph *body = NULL;
	plait_node node = put(graph, (plait_node_desc){ .kind = PLAIT_NODE_WHILE,
		.function = decide, .flags = PLAIT_CALL_ANY_THREAD }, after);

	FUZZ_NEED(plait_graph_body(graph, node, 0, &body, &error) == PLAIT_OK &&
		  plait_graph_add_rotation(body, turns, 2, 0, &arguments[1].rotation,
					   &error) == PLAIT_OK, error.text);
	arguments[2].rotation = arguments[1].rotation;
	put_step(body, arguments, NULL);
	node = put(graph, (plait_node_desc){ .kind = PLAIT_NODE_COPY, .source_offset = 24,
		.bytes = 8, .target = buffers[2], .source_rotation = arguments[1].rotation }, node);
	return put_repeat(graph, arguments, node);
}

static void fill_graph(plait_graph *graph, unsigned which)
{
	plait_node node = put(graph, (plait_node_desc){
		.kind = PLAIT_NODE_WAIT, .signal = gate, .sequence = 1 }, 0);

	if (which & 1)
		node = put_launch(graph, node);
	if (which & 2)
		node = put_copies(graph, node);
	if (which & 4)
		node = put_loop(graph, node);
	(void)put(graph, (plait_node_desc){
		.kind = PLAIT_NODE_CASE, .branch_count = 2,
		.predicate = buffers[3], .predicate_offset = 60 }, node);
	(void)put(graph, (plait_node_desc){ .kind = PLAIT_NODE_EMIT, .signal = counter }, node);
}

/* Save a plan; returns a block of exactly its size. */
static uint8_t *make_plan(unsigned which, size_t *out)
{
	plait_freeze_desc desc = { .size = sizeof(desc), .lanes = 2,
				   .instances = 1, .mode = which >> 3 & 1 };
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;
	uint64_t bytes = 0;
	uint8_t *saved;

	FUZZ_NEED(plait_graph_create(context, &graph, &error) == PLAIT_OK,
		  error.text);
	fill_graph(graph, which);
	FUZZ_NEED(plait_graph_freeze(graph, &desc, &plan, &error) == PLAIT_OK,
		  error.text);
	plait_graph_release(graph);
	(void)plait_plan_write(plan, PLAIT_FORMAT_BINARY, NULL, 0, &bytes,
			       NULL);
	saved = malloc(bytes);
	FUZZ_NEED(saved != NULL &&
		  plait_plan_write(plan, PLAIT_FORMAT_BINARY, saved, bytes,
				   &bytes, &error) == PLAIT_OK, error.text);
	plait_plan_release(plan);
	*out = bytes;
	return saved;
}

/* ---- runs ---- */

/* The run that a watcher cancels when it takes too long. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static plait_run *watched;
static uint64_t watched_count;
/* A plan that was not changed ends by itself, on any machine. */
static bool is_patient;

/* Wait until the run is another one; cancel it when its time is over. */
static void watch_one(void)
{
	const uint64_t number = watched_count;
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += is_patient ? 600 : 0;
	end.tv_nsec += PATIENCE_MS * 1000000;
	if (end.tv_nsec >= 1000000000) {
		end.tv_nsec -= 1000000000;
		end.tv_sec++;
	}
	while (watched_count == number && watched != NULL)
		if (pthread_cond_timedwait(&changed, &lock, &end) ==
		    ETIMEDOUT)
			break;
	if (watched_count == number && watched != NULL)
		(void)plait_run_cancel(watched, NULL);
	while (watched_count == number)
		pthread_cond_wait(&changed, &lock);
}

static void *watch(void *unused)
{
	pthread_mutex_lock(&lock);
	for (;;)
		watch_one();
	return unused;
}

static void set_watched(plait_run *run)
{
	pthread_mutex_lock(&lock);
	watched = run;
	watched_count++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void set_patient(bool patient)
{
	pthread_mutex_lock(&lock);
	is_patient = patient;
	pthread_mutex_unlock(&lock);
}

static bool bind_one(plait_plan *plan, const plait_plan_binding *at,
		     unsigned i)
{
	const plait_function_desc function = { .size = sizeof(function),
					       .function = decide,
					       .flags = PLAIT_CALL_ANY_THREAD };

	switch (at->kind) {
	case PLAIT_BINDING_KERNEL:
		return plait_plan_bind_kernel(plan, kernel, NULL) == PLAIT_OK;
	case PLAIT_BINDING_BUFFER:
		return plait_plan_bind_buffer(plan, at->name,
					      buffers[i % MEMORIES],
					      NULL) == PLAIT_OK;
	case PLAIT_BINDING_SIGNAL:
		return plait_plan_bind_signal(
			plan, at->name, at->flags & PLAIT_BINDING_IS_EMITTED ?
			counter : gate, NULL) == PLAIT_OK;
	case PLAIT_BINDING_FUNCTION:
		return plait_plan_bind_function(plan, at->name, &function,
						NULL) == PLAIT_OK;
	default:
		return plait_plan_bind_device(plan, at->name, device, NULL) ==
		       PLAIT_OK;
	}
}

static bool bind_all(plait_plan *plan)
{
	plait_plan_info info = { .size = sizeof(info) };
	plait_plan_binding at = { .size = sizeof(at) };

	FUZZ_NEED(plait_plan_query(plan, &info, &error) == PLAIT_OK,
		  error.text);
	for (uint32_t i = 0; i < info.bindings; i++)
		if (plait_plan_query_binding(plan, i, &at, &error) !=
			    PLAIT_OK ||
		    !bind_one(plan, &at, i))
			return false;
	return true;
}

/* A queue stays failed behind a run that failed. */
static void renew_queue(void)
{
	plait_queue_release(queue);
	FUZZ_NEED(plait_queue_create(device, NULL, &queue, &error) == PLAIT_OK,
		  error.text);
}

/* Start and wait; returns the status of the run. */
static plait_status run_with(plait_plan *plan, const plait_run_desc *desc)
{
	plait_run *run = NULL;
	plait_status status = plait_plan_run(plan, queue, desc, &run, &error);

	if (status != PLAIT_OK)
		return status;
	set_watched(run);
	do
		status = plait_run_wait(run, PATIENCE_MS * 1000000, &error);
	while (status == PLAIT_E_TIMEOUT || status == PLAIT_EVENT_READY);
	set_watched(NULL);
	plait_run_release(run);
	if (status != PLAIT_OK)
		renew_queue();
	return status;
}

/* Bind a run's parameters by the kinds that the plan says. */
static bool bind_parameters(const plait__plan *plan, plait_binding *bindings)
{
	static const plait_launch launch = { .size = sizeof(launch),
					     .items = { 4, 0, 0 } };
	static const uint64_t value;

	for (uint32_t i = 0; i < plan->params_count; i++) {
		const plait__plan_param *param = &plan->params[i];

		bindings[i] = (plait_binding){ .size = sizeof(bindings[i]),
					       .parameter = i };
		if (param->kind == PLAIT__PARAM_MEMORY) {
			bindings[i].buffer = buffers[i % MEMORIES];
		} else if (param->kind == PLAIT__PARAM_HOST) {
			bindings[i] = (plait_binding)PLAIT_BIND_HOST(
				i, memories[MEMORIES].bytes, BYTES);
		} else if (param->kind == PLAIT__PARAM_GEOMETRY) {
			bindings[i].value = &launch;
		} else {
			bindings[i].value = &value;
			bindings[i].bytes = param->bytes;
			if (param->bytes > sizeof(value))
				return false;
		}
	}
	return true;
}

/* Returns true if the runs need little memory: fuzzers take a large allocation
 * for a fault, and a plan may state any scratch. */
static bool is_small(const plait__plan *plan)
{
	for (uint32_t i = 0; i < plan->devices_count; i++)
		if (plan->devices[i].scratch_bytes > MOST_SCRATCH)
			return false;
	return plan->params_count <= MOST_PARAMS;
}

/* Read the bytes, bind what the plan names, and run it.  Returns true if it ran
 * to its end. */
static bool run_bytes(const uint8_t *data, size_t size)
{
	const plait_allocator *allocator = plait__alloc_default();
	plait_binding bindings[MOST_PARAMS];
	plait_run_desc desc = { .size = sizeof(desc), .bindings = bindings };
	plait_status status = PLAIT_E_INVALID;
	plait_plan *plan = NULL;
	plait__plan *plain = NULL;

	if (plait_plan_read(context, data, size, &plan, &error) != PLAIT_OK) {
		FUZZ_NEED(plan == NULL && error.text[0] != '\0', error.text);
		return false;
	}
	FUZZ_NEED(plait__binary_load(data, size, allocator, &plain, &error) ==
		  PLAIT_OK, error.text);
	desc.binding_count = plain->params_count;
	if (is_small(plain) && bind_parameters(plain, bindings) &&
	    bind_all(plan)) {
		clear_memory();
		for (int i = 0; i < 2; i++)
			status = run_with(plan, &desc);
		check_memory();
	}
	plait__plan_release(plain);
	plait_plan_release(plan);
	FUZZ_NEED(plait_live_count(PLAIT_OBJECT_PLAN) == 0, "a plan is left");
	FUZZ_NEED(plait_live_count(PLAIT_OBJECT_RUN) == 0, "a run is left");
	return status == PLAIT_OK;
}

/* ---- changes ---- */

static void change_and_run(const uint8_t *plan, size_t size, uint64_t *state)
{
	uint8_t *exact = malloc(size);

	FUZZ_NEED(exact != NULL, "memory");
	for (uint32_t i = 0; i < CHANGED; i++) {
		memcpy(exact, plan, size);
		for (uint64_t k = 1 + next(state) % 3; k > 0; k--)
			change_field(exact, size, (uintptr_t)&victim, state);
		repair(exact, size);
		(void)run_bytes(exact, size);
	}
	free(exact);
}

/* ---- known attacks ---- */

static void attack(void (*change)(plait__plan *plan), unsigned which)
{
	const plait_allocator *allocator = plait__alloc_default();
	plait__plan *plan = NULL;
	plait__text text;
	size_t size = 0;
	uint8_t *saved = make_plan(which, &size);

	FUZZ_NEED(plait__binary_load(saved, size, allocator, &plan, &error) ==
		  PLAIT_OK, error.text);
	change(plan);
	plait__text_init(&text, allocator);
	plait__binary_save(plan, &text);
	FUZZ_NEED(!text.failed, "memory");
	FUZZ_NEED(!run_bytes((const uint8_t *)text.bytes, text.length),
		  "an attack is run");
	plait__text_fini(&text);
	plait__plan_release(plan);
	free(saved);
}

/* ---- inputs ---- */

static void prepare(void)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .flags = PLAIT_CONTEXT_NO_WORKERS,
					  .backends = "host" };
	const plait_signal_desc gated = { .size = sizeof(gated),
					  .label = "gate",
					  .flags = PLAIT_SIGNAL_GATE };
	const plait_signal_desc counted = { .size = sizeof(counted),
					    .label = "counter" };
	const plait_kernel_desc code = {
		.size = sizeof(code), .function = work,
		.signature = "k(v: u64, x: inout pointer u8, "
			     "p: inout pointer u8, s: out pointer u8)"
	};
	pthread_t thread;

	FUZZ_NEED(plait_context_open(&desc, &context, &error) == PLAIT_OK &&
		  plait_context_device(context, 0, &device, &error) ==
			  PLAIT_OK &&
		  plait_queue_create(device, NULL, &queue, &error) ==
			  PLAIT_OK &&
		  plait_kernel_create(context, &code, &kernel, &error) ==
			  PLAIT_OK &&
		  plait_signal_create(device, &gated, &gate, &error) ==
			  PLAIT_OK &&
		  plait_signal_create(device, &counted, &counter, &error) ==
			  PLAIT_OK &&
		  plait_signal_raise(gate, 1, &error) == PLAIT_OK,
		  error.text);
	for (unsigned i = 0; i <= MEMORIES; i++)
		make_memory(i);
	FUZZ_NEED(pthread_create(&thread, NULL, watch, NULL) == 0, "a thread");
	(void)pthread_detach(thread);
}

/* Kept, so that a leak report at exit is not about this. */
static void tear_down(void)
{
	for (unsigned i = 0; i <= MEMORIES; i++)
		plait_buffer_release(buffers[i]);
	plait_signal_release(counter);
	plait_signal_release(gate);
	plait_kernel_release(kernel);
	plait_queue_release(queue);
	plait_context_release(context);
}

static void run_seed(unsigned long long seed)
{
	uint64_t state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
	size_t size = 0;
	uint8_t *saved = make_plan((unsigned)next(&state) % 16, &size);

	set_patient(true);
	FUZZ_NEED(run_bytes(saved, size), error.text);
	set_patient(false);
	change_and_run(saved, size, &state);
	free(saved);
}

static bool run_named(const uint8_t *data, size_t size)
{
	char text[32] = "";
	unsigned long long seed;

	if (size == 0 || size >= sizeof(text))
		return false;
	memcpy(text, data, size);
	for (size_t i = 0; i < sizeof(attacks) / sizeof(*attacks); i++)
		if (strncmp(text, attacks[i].name, strlen(attacks[i].name)) ==
		    0) {
			for (unsigned k = 0; k < 16; k++)
				if ((k & 3) == 3)
					attack(attacks[i].change, k);
			return true;
		}
	if (sscanf(text, "seed %llu", &seed) != 1)
		return false;
	run_seed(seed);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (context == NULL) {
		prepare();
		atexit(tear_down);
	}
	if (!run_named(data, size))
		(void)run_bytes(data, size);
	return 0;
}

#ifdef PLAIT_LIBFUZZER
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
			       unsigned seed)
{
	uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	uint8_t *saved;

	if (context == NULL) {
		prepare();
		atexit(tear_down);
	}
	if (size < SUMMED_FROM + 8 || next(&state) % 64 == 0) {
		saved = make_plan((unsigned)next(&state) % 16, &size);
		if (size <= most)
			memcpy(data, saved, size);
		free(saved);
		if (size > most)
			return LLVMFuzzerMutate(data, 0, most);
	}
	for (uint64_t i = 1 + next(&state) % 4; i > 0; i--)
		change_field(data, size, (uintptr_t)&victim, &state);
	repair(data, size);
	return size;
}
#endif
