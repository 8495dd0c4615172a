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

#include "plait/plait.h"

#include "base/alloc.h"
#include "plan/io/binary.h"
#include "plan/plan.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum {
	MEMORIES = 4, BYTES = 64, CHANGED = 40, MOST_PARAMS = 16,
	PATIENCE_MS = 20, ITERATIONS = 20, MARK = 0xa5,
	/* The header of a plan; see plan_bytes.c. */
	SIZE_AT = 16, SUM_AT = 24, SUMMED_FROM = 32,
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

/* A page between two without access; the buffer is its last bytes. */
static struct memory {
	uint8_t *page;
	uint8_t *bytes;
	plait_buffer *buffer;
} memories[MEMORIES];

static uint64_t victim = UINT64_C(0x1111111111111111);
static size_t page_bytes;
static unsigned decisions;

static void make_memory(struct memory *memory, unsigned i)
{
	char label[2] = { (char)('a' + i), '\0' };
	plait_wrap_desc desc = { .size = sizeof(desc), .bytes = BYTES,
				 .label = label };
	uint8_t *pages = mmap(NULL, 3 * page_bytes, PROT_NONE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	FUZZ_NEED(pages != MAP_FAILED, "pages");
	memory->page = pages + page_bytes;
	FUZZ_NEED(mprotect(memory->page, page_bytes, PROT_READ | PROT_WRITE) ==
		  0, "pages");
	memset(memory->page, MARK, page_bytes);
	memory->bytes = memory->page + page_bytes - BYTES;
	desc.pointer = memory->bytes;
	FUZZ_NEED(plait_buffer_wrap(device, &desc, &memory->buffer, &error) ==
		  PLAIT_OK, error.text);
}

/* Zeros, so that no loop goes on because of a word there. */
static void clear_memory(void)
{
	for (unsigned i = 0; i < MEMORIES; i++)
		memset(memories[i].bytes, 0, BYTES);
	decisions = 0;
}

static void check_memory(void)
{
	for (unsigned i = 0; i < MEMORIES; i++)
		for (const uint8_t *at = memories[i].page;
		     at < memories[i].bytes; at++)
			FUZZ_NEED(*at == MARK, "bytes in front of a buffer");
	FUZZ_NEED(victim == UINT64_C(0x1111111111111111), "the victim");
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
		PLAIT_VALUE(seven), PLAIT_BUFFER(memories[0].buffer),
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
	const plait_rows rows = { .size = sizeof(rows), .rows = 3,
				  .slices = 1, .target_row = 16,
				  .source_row = 8 };
	plait_node node = put(graph, (plait_node_desc){
			.kind = PLAIT_NODE_FILL, .bytes = BYTES / 2,
			.target = memories[1].buffer, .target_offset = 16,
			.pattern_bytes = 4 }, after);

	node = put(graph, (plait_node_desc){
			.kind = PLAIT_NODE_COPY, .rows = &rows, .bytes = 8,
			.source = memories[1].buffer,
			.target = memories[2].buffer }, node);
	return put(graph, (plait_node_desc){
			.kind = PLAIT_NODE_COPY, .bytes = BYTES / 2,
			.source_parameter = "q", .source_offset = 8,
			.target = memories[2].buffer, .target_offset = 32 },
		   node);
}

static plait_node put_loop(plait_graph *graph, plait_node after)
{
	plait_buffer *turns[] = { memories[0].buffer, memories[3].buffer };
	plait_argument arguments[] = {
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_ITERATION },
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_ROTATION },
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_ROTATION, .ahead = 1 },
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_SCRATCH }
	};
	plait_graph *body = NULL;
	plait_node node = put(graph, (plait_node_desc){
			.kind = PLAIT_NODE_WHILE, .function = decide,
			.flags = PLAIT_CALL_ANY_THREAD }, after);

	FUZZ_NEED(plait_graph_body(graph, node, 0, &body, &error) == PLAIT_OK,
		  error.text);
	FUZZ_NEED(plait_graph_add_rotation(body, turns, 2, 0,
					   &arguments[1].rotation, &error) ==
		  PLAIT_OK, error.text);
	arguments[2].rotation = arguments[1].rotation;
	(void)put(body, (plait_node_desc){
			.kind = PLAIT_NODE_LAUNCH, .kernel = kernel,
			.arguments = arguments, .argument_count = 4,
			.scratch_bytes = 16 }, 0);
	plait_graph_release(body);
	return node;
}

static void fill_graph(plait_graph *graph, unsigned which)
{
	plait_node node = put(graph, (plait_node_desc){
			.kind = PLAIT_NODE_WAIT, .signal = gate,
			.sequence = 1 }, 0);

	if (which & 1)
		node = put_launch(graph, node);
	if (which & 2)
		node = put_copies(graph, node);
	if (which & 4)
		node = put_loop(graph, node);
	(void)put(graph, (plait_node_desc){
			.kind = PLAIT_NODE_CASE, .branch_count = 2,
			.predicate = memories[3].buffer,
			.predicate_offset = 60 }, node);
	(void)put(graph, (plait_node_desc){
			.kind = PLAIT_NODE_EMIT, .signal = counter }, node);
}

/* Save a plan; returns a block of exactly its size. */
static uint8_t *make_plan(unsigned which, size_t *out)
{
	plait_freeze_desc desc = { .size = sizeof(desc), .lanes = 2,
				   .instances = 1,
				   .mode = which >> 3 & 1 };
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
static plait_run *watched;
static uint64_t begun_ms;

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void *watch(void *unused)
{
	(void)unused;
	for (;;) {
		usleep(PATIENCE_MS * 500);
		pthread_mutex_lock(&lock);
		if (watched != NULL && now_ms() - begun_ms > PATIENCE_MS)
			(void)plait_run_cancel(watched, NULL);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void set_watched(plait_run *run)
{
	pthread_mutex_lock(&lock);
	watched = run;
	begun_ms = now_ms();
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
					      memories[i % MEMORIES].buffer,
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
			bindings[i].buffer = memories[i % MEMORIES].buffer;
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
	if (plain->params_count <= MOST_PARAMS &&
	    bind_parameters(plain, bindings) && bind_all(plan)) {
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

static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* A copy of the checksum in src/plan/io/binary.c. */
static uint64_t checksum(const uint8_t *bytes, uint64_t count)
{
	uint64_t sum = count, word;

	for (; count >= sizeof(word); count -= sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		sum ^= sum >> 32;
		bytes += sizeof(word);
	}
	word = 0;
	memcpy(&word, bytes, count);
	sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return sum ^ (sum >> 29);
}

static void repair(uint8_t *data, size_t size)
{
	uint64_t bytes = size, sum;

	memcpy(data + SIZE_AT, &bytes, sizeof(bytes));
	sum = checksum(data + SUMMED_FROM, size - SUMMED_FROM);
	memcpy(data + SUM_AT, &sum, sizeof(sum));
}

/* Change a word of 4 or 8 bytes; addresses are among the values. */
static void change_word(uint8_t *data, size_t size, uint64_t *state)
{
	const uint64_t usual[] = { 0, 1, 2, 3, 8, BYTES, UINT32_MAX,
				   UINT64_MAX, (uint64_t)1 << 62,
				   (uintptr_t)&victim, 1u << 31, 4096 };
	size_t bytes = next(state) % 4 == 0 ? 8 : 4;
	size_t words = (size - SUMMED_FROM) / bytes;
	uint8_t *at = data + SUMMED_FROM + next(state) % words * bytes;
	const uint8_t *from =
		data + SUMMED_FROM + next(state) % words * bytes;
	uint64_t word = 0;

	memcpy(&word, at, bytes);
	switch (next(state) % 4) {
	case 0:
		word = usual[next(state) % (sizeof(usual) / sizeof(*usual))];
		break;
	case 1:
		word += next(state) % 17 - 8;
		break;
	case 2:
		memcpy(&word, from, bytes);
		break;
	default:
		word ^= UINT64_C(1) << (next(state) % (8 * bytes));
	}
	memcpy(at, &word, bytes);
}

static void change_and_run(const uint8_t *plan, size_t size, uint64_t *state)
{
	uint8_t *exact = malloc(size);

	FUZZ_NEED(exact != NULL, "memory");
	for (uint32_t i = 0; i < CHANGED; i++) {
		memcpy(exact, plan, size);
		for (uint64_t k = 1 + next(state) % 3; k > 0; k--)
			change_word(exact, size, state);
		repair(exact, size);
		(void)run_bytes(exact, size);
	}
	free(exact);
}

/* ---- known attacks ---- */

/* A copy's target is a slot of the reserved kind, as large as memory, at an
 * offset that is the victim's address. */
static void attack_with_arena(plait__plan *plan)
{
	for (uint32_t i = 0; i < plan->args_count; i++) {
		plait__plan_arg *arg = &plan->args[i];

		if (arg->kind != PLAIT__ARG_MEMORY)
			continue;
		plan->slots[arg->index].kind = PLAIT__SLOT_ARENA;
		plan->slots[arg->index].bytes = (uint64_t)1 << 62;
		arg->offset = (uintptr_t)&victim;
	}
}

/* No patch writes the address that a run brings: the file's own stays. */
static void attack_with_patch(plait__plan *plan)
{
	const uint64_t address = (uintptr_t)&victim;

	plan->patches_count = 0;
	for (uint32_t i = 0; i < plan->args_count; i++)
		if (plan->args[i].kind == PLAIT__ARG_PARAM)
			memcpy(plan->blob + plan->args[i].blob, &address,
			       sizeof(address));
}

/* The patch of an argument writes over another range. */
static void attack_with_range(plait__plan *plan)
{
	for (uint32_t i = 0; i < plan->patches_count; i++) {
		plan->patches[i].blob = (uint32_t)plan->blob_count;
		plan->patches[i].bytes = 16;
	}
}

/* More scratch than the commands have. */
static void attack_with_scratch(plait__plan *plan)
{
	for (uint32_t i = 0; i < plan->devices_count; i++)
		plan->devices[i].scratch_bytes += 256 * plan->command_count;
}

static const struct {
	const char *name;
	void (*change)(plait__plan *plan);
} attacks[] = {
	{ "arena", attack_with_arena },
	{ "patch", attack_with_patch },
	{ "range", attack_with_range },
	{ "scratch", attack_with_scratch },
};

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

	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
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
	for (unsigned i = 0; i < MEMORIES; i++)
		make_memory(&memories[i], i);
	FUZZ_NEED(pthread_create(&thread, NULL, watch, NULL) == 0, "a thread");
	(void)pthread_detach(thread);
}

/* Kept, so that a leak report at exit is not about this. */
static void tear_down(void)
{
	for (unsigned i = 0; i < MEMORIES; i++)
		plait_buffer_release(memories[i].buffer);
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

	FUZZ_NEED(run_bytes(saved, size), error.text);
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
		change_word(data, size, &state);
	repair(data, size);
	return size;
}
#endif
