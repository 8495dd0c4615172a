/* SPDX-License-Identifier: MIT */
/* Kernels that suspend themselves: of fixed form and described, in plans of the
 * host, in loops; failure, cancellation, and where they are refused. */
#include "lib/runs.h"

#include "plait/flow.h"

enum { WORDS = 8 };

static plait_signal *gate;
static uint32_t begun;		/* atomic */

static int32_t add_late(uint64_t *words, uint64_t by)
{
	plait_status status;

	__atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
	status = plait_await_signal(gate, 1, PLAIT_FOREVER, NULL);
	if (status == PLAIT_OK)
		status = plait_yield(NULL);
	for (uint32_t i = 0; status == PLAIT_OK && i < WORDS; i++)
		words[i] += by;
	/* 7 fails. */
	return status != PLAIT_OK || by == 7 ? 3 : 0;
}

static int32_t add_fixed(void *const *arguments, const plait_launch *launch,
			 void *user_data)
{
	(void)launch;
	(void)user_data;
	return add_late(*(uint64_t *const *)arguments[0],
			*(const uint64_t *)arguments[1]);
}

static int32_t add_ranged(const plait_range *range, void *const *arguments,
			  const plait_launch *launch, void *user_data)
{
	(void)range;
	return add_fixed(arguments, launch, user_data);
}

static plait_kernel *new_kernel(bool described, uint32_t flags)
{
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .flags = flags,
		.signature = described ?
			"add(words: pointer u64, by: u64): i32" :
			"add(words: pointer u64, by: u64)",
		.function = described ? NULL : add_fixed,
		.described = described ? (plait_any_function)add_late : NULL,
	};
	plait_kernel *kernel = NULL;

	OK_THAT(plait_kernel_create(rig.context, &desc, &kernel, &rig.error) ==
		PLAIT_OK, "kernel: %s", rig.error.text);
	return kernel;
}

static plait_buffer *new_words(void)
{
	const plait_buffer_desc desc = { .size = sizeof(desc),
					 .bytes = 8 * WORDS };
	plait_buffer *buffer = NULL;

	OK(plait_buffer_create(rig.device, &desc, &buffer, NULL) == PLAIT_OK);
	OK(plait_queue_fill(rig.queue, buffer, 0, 8 * WORDS, 0, 8, NULL) ==
	   PLAIT_OK);
	OK(plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL) == PLAIT_OK);
	return buffer;
}

static uint64_t word_of(plait_buffer *buffer, uint32_t at)
{
	uint64_t words[WORDS] = { 0 };

	OK(plait_queue_read(rig.queue, buffer, 0, words, sizeof(words),
			    &rig.error) == PLAIT_OK);
	return words[at];
}

static void launch(plait_graph *graph, plait_kernel *kernel,
		   plait_buffer *buffer, uint64_t by)
{
	OK_THAT(plait_graph_launch(graph, kernel, NULL,
				   PLAIT_ARGUMENTS(PLAIT_BUFFER(buffer),
						   PLAIT_VALUE(by)),
				   0, NULL, &rig.error) == PLAIT_OK,
		"launch: %s", rig.error.text);
}

static void begin(void)
{
	const plait_signal_desc desc = { .size = sizeof(desc),
					 .flags = PLAIT_SIGNAL_GATE };

	begun = 0;
	OK(plait_signal_create(rig.device, &desc, &gate, NULL) == PLAIT_OK);
}

static plait_run *start(plait_plan *plan, uint32_t flags, uint32_t count)
{
	const plait_run_desc desc = { .size = sizeof(desc), .flags = flags };
	plait_run *run = NULL;

	OK(plait_plan_run(plan, rig.queue, &desc, &run, &rig.error) ==
	   PLAIT_OK);
	while (__atomic_load_n(&begun, __ATOMIC_SEQ_CST) < count)
		(void)plait_run_wait(run, 100000, NULL);
	return run;
}

static void end(plait_run *run, plait_status want)
{
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, &rig.error), want);
	plait_run_release(run);
	(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
}

/* Two at once, on lanes of their own: both are suspended. */
static void check_launches(uint32_t flags)
{
	for (int described = 0; described < 2; described++) {
		plait_kernel *kernel = new_kernel(described,
						  PLAIT_KERNEL_COROUTINE);
		plait_buffer *a = new_words(), *b = new_words();
		plait_graph *graph = new_graph();
		uint32_t count = flags == PLAIT_RUN_SERIAL ? 1 : 2;
		plait_plan *plan;
		plait_run *run;

		begin();
		launch(graph, kernel, a, 5);
		launch(graph, kernel, b, 6);
		plan = freeze(graph, 2, 1);
		run = start(plan, flags, count);
		IS_INT(plait_run_poll(run, NULL), PLAIT_PENDING);
		OK(plait_signal_raise(gate, 1, NULL) == PLAIT_OK);
		end(run, PLAIT_OK);
		IS_UINT(word_of(a, 0), 5);
		IS_UINT(word_of(b, WORDS - 1), 6);
		/* Again, and as a call. */
		IS_INT(call_with(plan, flags), PLAIT_OK);
		IS_UINT(word_of(a, 1), 10);
		plait_plan_release(plan);
		plait_graph_release(graph);
		plait_buffer_release(a);
		plait_buffer_release(b);
		plait_kernel_release(kernel);
		plait_signal_release(gate);
	}
}

static void check_ends(uint32_t flags)
{
	plait_kernel *kernel = new_kernel(false, PLAIT_KERNEL_COROUTINE);
	plait_buffer *buffer = new_words();
	plait_graph *graph = new_graph();
	plait_plan *plan;
	plait_run *run;

	begin();
	launch(graph, kernel, buffer, 7);
	plan = freeze(graph, 1, 1);
	run = start(plan, flags, 1);
	OK(plait_run_cancel(run, NULL) == PLAIT_OK);
	end(run, PLAIT_E_CANCELLED);
	IS_UINT(word_of(buffer, 0), 0);
	OK(plait_signal_raise(gate, 1, NULL) == PLAIT_OK);
	IS_INT(run_with(plan, flags), PLAIT_E_FAILED);
	IS_INT(rig.error.origin, 3);
	IS_UINT(word_of(buffer, 0), 7);
	plait_plan_release(plan);
	plait_graph_release(graph);
	plait_buffer_release(buffer);
	plait_kernel_release(kernel);
	plait_signal_release(gate);
}

/* A body whose buffers change places: one turn for each iteration, though the
 * step is repeated whenever the lane is resumed. */
static void check_rotation(uint32_t flags)
{
	const plait_node_desc repeat = { .kind = PLAIT_NODE_REPEAT,
					 .label = "repeat", .times = 3 };
	plait_kernel *kernel = new_kernel(false, PLAIT_KERNEL_COROUTINE);
	plait_buffer *buffers[2] = { new_words(), new_words() };
	plait_graph *graph = new_graph(), *body;
	plait_node loop = add_node(graph, repeat, NULL, 0);
	uint64_t rotation = 0, by = 1;
	plait_plan *plan;
	plait_run *run;

	begin();
	body = body_of(graph, loop, 0);
	OK_THAT(plait_graph_add_rotation(body, buffers, 2, 0, &rotation,
					 &rig.error) == PLAIT_OK,
		"rotation: %s", rig.error.text);
	OK(plait_graph_launch(body, kernel, NULL,
			      PLAIT_ARGUMENTS(PLAIT_ROTATION(rotation, 0),
					      PLAIT_VALUE(by)),
			      0, NULL, &rig.error) == PLAIT_OK);
	plan = freeze(graph, 1, 1);
	run = start(plan, flags, 1);
	OK(plait_signal_raise(gate, 1, NULL) == PLAIT_OK);
	end(run, PLAIT_OK);
	IS_UINT(word_of(buffers[0], 0), 2);
	IS_UINT(word_of(buffers[1], 0), 1);
	plait_plan_release(plan);
	plait_graph_release(body);
	plait_graph_release(graph);
	plait_buffer_release(buffers[0]);
	plait_buffer_release(buffers[1]);
	plait_kernel_release(kernel);
	plait_signal_release(gate);
}

/* A plan of one node is the launch in a queue: commands behind it wait, another
 * queue goes on, a failure is the queue's, and the queue may be released. */
static void check_in_queue(uint32_t flags)
{
	const plait_run_desc desc = { .size = sizeof(desc), .flags = flags };
	plait_kernel *kernel = new_kernel(false, PLAIT_KERNEL_COROUTINE);
	plait_buffer *buffer = new_words();

	for (uint64_t by = 7; by <= 8; by++) {
		uint64_t before = 0, behind = 0, beside = 0;
		plait_graph *graph = new_graph();
		plait_queue *queue = NULL;
		plait_run *run = NULL;
		plait_plan *plan;

		begin();
		launch(graph, kernel, buffer, by);
		plan = freeze(graph, 1, 1);
		OK(plait_queue_create(rig.device, NULL, &queue, NULL) ==
		   PLAIT_OK);
		OK(plait_queue_call(queue, bump, &before, NULL) == PLAIT_OK);
		OK(plait_plan_run(plan, queue, &desc, NULL, &rig.error) ==
		   PLAIT_OK);
		OK(plait_queue_call(queue, bump, &behind, NULL) == PLAIT_OK);
		OK(plait_queue_call(rig.queue, bump, &beside, NULL) ==
		   PLAIT_OK);
		OK(plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL) ==
		   PLAIT_OK);
		IS_UINT(beside, 1);
		while (__atomic_load_n(&begun, __ATOMIC_SEQ_CST) == 0)
			(void)plait_queue_finish(queue, 100000, NULL);
		IS_INT(plait_queue_finish(queue, 0, NULL), PLAIT_E_TIMEOUT);
		IS_UINT(before, 1);
		IS_UINT(behind, 0);
		OK(plait_signal_raise(gate, 1, NULL) == PLAIT_OK);
		IS_INT(plait_queue_finish(queue, PLAIT_FOREVER, &rig.error),
		       by == 7 ? PLAIT_E_FAILED : PLAIT_OK);
		IS_UINT(behind, by == 8);
		/* Recovered; and released while the kernel has yet to end. */
		OK(plait_plan_run(plan, queue, &desc, &run, &rig.error) ==
		   PLAIT_OK);
		plait_queue_release(queue);
		IS_INT(plait_run_wait(run, PLAIT_FOREVER, NULL),
		       by == 7 ? PLAIT_E_FAILED : PLAIT_OK);
		plait_run_release(run);
		plait_plan_release(plan);
		plait_graph_release(graph);
		plait_signal_release(gate);
	}
	plait_buffer_release(buffer);
	plait_kernel_release(kernel);
}

static void launches(void)
{
	on_the_host(check_in_queue);
	on_the_host(check_launches);
	on_the_host(check_ends);
	on_the_host(check_rotation);
}

/* ---- refusals ---- */

static void refuse_desc(plait_kernel_desc desc, plait_status want)
{
	plait_kernel *kernel = NULL;

	desc.size = sizeof(desc);
	desc.signature = "add(words: pointer u64, by: u64)";
	IS_INT(plait_kernel_create(rig.context, &desc, &kernel, &rig.error),
	       want);
	plait_kernel_release(kernel);
}

static void refuse_others(plait_kernel *kernel, plait_buffer *buffer)
{
	const uint64_t by = 1;
	const plait_freeze_desc queues = { .size = sizeof(queues),
					   .flags = PLAIT_FREEZE_QUEUES };
	plait_kernel *plain = new_kernel(false, 0);
	plait_graph *graph = new_graph();
	plait_flow *flow = NULL;
	plait_plan *plan = NULL;

	OK(plait_flow_create(rig.context, NULL, &flow, NULL) == PLAIT_OK);
	IS_INT(plait_flow_launch(flow, kernel, NULL, NULL, 0, NULL,
				 &rig.error), PLAIT_E_UNSUPPORTED);
	HAS_STR(rig.error.text, "PLAIT_TASK_PLAN");
	plait_flow_release(flow);
	launch(graph, kernel, buffer, by);
	OK(plait_graph_freeze(graph, &queues, &plan, NULL) == PLAIT_OK);
	IS_INT(plait_plan_prepare(plan, &rig.error), PLAIT_E_UNSUPPORTED);
	HAS_STR(rig.error.text, "is a coroutine");
	plait_plan_release(plan);
	plan = freeze(graph, 1, 1);
	IS_INT(plait_plan_exchange(plan, kernel, plain, &rig.error),
	       PLAIT_E_INVALID);
	HAS_STR(rig.error.text, "PLAIT_KERNEL_COROUTINE");
	plait_plan_release(plan);
	plait_graph_release(graph);
	plait_kernel_release(plain);
}

static void refusals(void)
{
	plait_kernel *kernel;
	plait_buffer *buffer;

	if (!open_host(1))
		return;
	refuse_desc((plait_kernel_desc){ .flags = 1 << 5,
					 .function = add_fixed },
		    PLAIT_E_UNSUPPORTED);
	refuse_desc((plait_kernel_desc){ .flags = PLAIT_KERNEL_COROUTINE,
					 .range = add_ranged },
		    PLAIT_E_INVALID);
	HAS_STR(rig.error.text, "no RANGE");
	kernel = new_kernel(false, PLAIT_KERNEL_COROUTINE);
	buffer = new_words();
	refuse_others(kernel, buffer);
	plait_buffer_release(buffer);
	plait_kernel_release(kernel);
	close_rig(&rig);
}

static const struct tap_scenario all[] = {
	{ "launches", launches },
	{ "refusals", refusals },
};
TAP_MAIN(all)
