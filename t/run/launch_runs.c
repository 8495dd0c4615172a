/* SPDX-License-Identifier: MIT */
/* Kernels that suspend themselves, launched on queues of the host: the order of
 * the queue holds, other queues go on, and a failure is the queue's. */
#include "lib/runs.h"

#include <sched.h>

enum { WORDS = 8, MANY = 3000 };

static plait_signal *gate;
static uint32_t begun, ended;	/* atomic */
static uint32_t failing;	/* the function fails */
static uint64_t owner[WORDS];

static int32_t add_late(void *const *arguments, const plait_launch *launch,
			void *user_data)
{
	uint64_t *words = *(uint64_t *const *)arguments[0];
	uint64_t by = *(const uint64_t *)arguments[1];
	plait_status status;

	(void)user_data;
	__atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
	status = plait_await_signal(gate, *(const uint64_t *)arguments[2],
				    PLAIT_FOREVER, NULL);
	if (status == PLAIT_OK)
		status = plait_yield(NULL);
	/* Launches of many queues, which have no order, add nothing. */
	if (status == PLAIT_OK && by != 0)
		words[launch->items[0] - 1] += by;
	__atomic_add_fetch(&ended, 1, __ATOMIC_SEQ_CST);
	return status != PLAIT_OK || failing ? 3 : 0;
}

static plait_kernel *new_kernel(uint32_t flags)
{
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .flags = PLAIT_KERNEL_COROUTINE | flags,
		.signature = "add(words: pointer u64, by: u64, turn: u64)",
		.function = add_late,
	};
	plait_kernel *kernel = NULL;

	OK_THAT(plait_kernel_create(rig.context, &desc, &kernel, &rig.error) ==
		PLAIT_OK, "kernel: %s", rig.error.text);
	return kernel;
}

static plait_buffer *new_words(void)
{
	const plait_buffer_desc desc = { .size = sizeof(desc),
					 .bytes = sizeof(owner) };
	plait_buffer *buffer = NULL;

	OK(plait_buffer_create(rig.device, &desc, &buffer, NULL) == PLAIT_OK);
	OK(plait_queue_fill(rig.queue, buffer, 0, sizeof(owner), 0, 8, NULL) ==
	   PLAIT_OK);
	OK(plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL) == PLAIT_OK);
	return buffer;
}

static uint64_t word_of(plait_buffer *buffer, uint32_t at)
{
	OK(plait_queue_read(rig.queue, buffer, 0, owner, sizeof(owner),
			    &rig.error) == PLAIT_OK);
	return owner[at];
}

static plait_status launch(plait_queue *queue, plait_kernel *kernel,
			   plait_buffer *buffer, uint64_t by, uint64_t turn)
{
	const plait_launch size = { .size = sizeof(size),
				    .dimensions = 1, .items = { 1 } };

	return plait_queue_launch(queue, kernel, &size,
				  PLAIT_ARGUMENTS(PLAIT_BUFFER(buffer),
						  PLAIT_VALUE(by),
						  PLAIT_VALUE(turn)),
				  &rig.error);
}

static void open_gate(void)
{
	const plait_signal_desc desc = { .size = sizeof(desc),
					 .flags = PLAIT_SIGNAL_GATE };

	begun = ended = failing = 0;
	OK(plait_signal_create(rig.device, &desc, &gate, NULL) == PLAIT_OK);
}

static void await_count(const uint32_t *count, uint32_t want)
{
	while (__atomic_load_n(count, __ATOMIC_SEQ_CST) < want)
		sched_yield();
}

/* ---- order ---- */

/* With one worker: the launch holds its queue, and no thread. */
static void check_order(uint32_t flags)
{
	plait_kernel *kernel = new_kernel(flags);
	plait_buffer *buffer = new_words();
	uint64_t before = 0, behind = 0, beside = 0;
	plait_queue *queue = NULL;

	open_gate();
	OK(plait_queue_create(rig.device, NULL, &queue, NULL) == PLAIT_OK);
	OK(plait_queue_call(queue, bump, &before, NULL) == PLAIT_OK);
	OK_THAT(launch(queue, kernel, buffer, 5, 1) == PLAIT_OK, "launch: %s",
		rig.error.text);
	OK(plait_queue_call(queue, bump, &behind, NULL) == PLAIT_OK);
	OK(launch(queue, kernel, buffer, 6, 1) == PLAIT_OK);
	await_count(&begun, 1);
	OK(plait_queue_call(rig.queue, bump, &beside, NULL) == PLAIT_OK);
	OK(plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL) == PLAIT_OK);
	IS_UINT(beside, 1);
	IS_UINT(before, 1);
	IS_INT(plait_queue_finish(queue, 0, &rig.error), PLAIT_E_TIMEOUT);
	IS_UINT(begun, 1);
	IS_UINT(behind, 0);
	OK(plait_signal_raise(gate, 1, NULL) == PLAIT_OK);
	IS_INT(plait_queue_finish(queue, PLAIT_FOREVER, &rig.error), PLAIT_OK);
	IS_UINT(behind, 1);
	IS_UINT(word_of(buffer, 0), 11);
	/* Released with a launch in flight, which holds all that it needs. */
	OK(launch(queue, kernel, buffer, 7, 2) == PLAIT_OK);
	plait_queue_release(queue);
	plait_kernel_release(kernel);
	OK(plait_signal_raise(gate, 2, NULL) == PLAIT_OK);
	await_count(&ended, 3);
	plait_buffer_release(buffer);
	plait_signal_release(gate);
}

static void order(void)
{
	for (uint32_t workers = 1; workers <= 4; workers *= 2) {
		if (!open_host(workers))
			return;
		check_order(0);
		check_order(PLAIT_KERNEL_FIRST_WORKER);
		close_rig(&rig);
	}
}

/* ---- arrays ---- */

static void fill_commands(plait_command *commands, plait_kernel *kernel,
			  plait_signal *signal, uint64_t *count,
			  const plait_launch *size,
			  const plait_argument *arguments)
{
	const plait_command call = { .size = sizeof(call),
				     .kind = PLAIT_COMMAND_CALL,
				     .flags = PLAIT_CALL_ANY_THREAD,
				     .function = bump, .user_data = count };
	const plait_command begins = { .size = sizeof(begins),
				       .kind = PLAIT_COMMAND_LAUNCH,
				       .kernel = kernel, .launch = size,
				       .arguments = arguments,
				       .argument_count = 3 };

	commands[0] = commands[2] = commands[4] = call;
	commands[1] = commands[3] = begins;
	commands[5] = (plait_command){ .size = sizeof(call),
				       .kind = PLAIT_COMMAND_EMIT,
				       .signal = signal };
}

/* Two launches between other commands: all or none, in order. */
static void arrays(void)
{
	const plait_launch size = { .size = sizeof(size),
				    .dimensions = 1, .items = { 1 } };
	const uint64_t by = 5, turn = 1;
	plait_signal *signal = NULL;
	uint64_t count = 0, emission = 0;
	plait_command commands[6];
	plait_buffer *buffer;
	plait_kernel *kernel;
	plait_argument arguments[3];

	if (!open_host(1))
		return;
	kernel = new_kernel(0);
	buffer = new_words();
	open_gate();
	OK(plait_signal_create(rig.device, NULL, &signal, NULL) == PLAIT_OK);
	arguments[0] = (plait_argument)PLAIT_BUFFER(buffer);
	arguments[1] = (plait_argument)PLAIT_VALUE(by);
	arguments[2] = (plait_argument)PLAIT_VALUE(turn);
	fill_commands(commands, kernel, signal, &count, &size, arguments);
	/* The last one is wrong: nothing was submitted. */
	commands[5].signal = NULL;
	IS_INT(plait_queue_submit(rig.queue, commands, 6, NULL, &rig.error),
	       PLAIT_E_HANDLE);
	HAS_STR(rig.error.text, "command 5");
	IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL), PLAIT_OK);
	IS_UINT(begun, 0);
	IS_UINT(count, 0);
	/* The second launch is wrong. */
	commands[5].signal = signal;
	commands[3].argument_count = 2;
	IS_INT(plait_queue_submit(rig.queue, commands, 6, NULL, &rig.error),
	       PLAIT_E_INVALID);
	HAS_STR(rig.error.text, "command 3");
	commands[3].argument_count = 3;
	OK_THAT(plait_queue_submit(rig.queue, commands, 6, &emission,
				   &rig.error) == PLAIT_OK, "submit: %s",
		rig.error.text);
	await_count(&begun, 1);
	IS_UINT(count, 1);
	OK(plait_signal_raise(gate, 1, NULL) == PLAIT_OK);
	OK(plait_signal_wait(signal, emission, PLAIT_FOREVER, NULL) ==
	   PLAIT_OK);
	IS_UINT(count, 3);
	IS_UINT(ended, 2);
	IS_UINT(word_of(buffer, 0), 10);
	plait_signal_release(signal);
	plait_signal_release(gate);
	plait_buffer_release(buffer);
	plait_kernel_release(kernel);
	close_rig(&rig);
}

/* ---- many ---- */

/* More than the kernel's first plans have instances: each on a queue of its own,
 * all suspended at once. */
static void many(void)
{
	static plait_queue *queues[MANY];
	uint32_t finished = 0;
	plait_buffer *buffer;
	plait_kernel *kernel;

	if (!open_host(2))
		return;
	kernel = new_kernel(PLAIT_KERNEL_FIRST_WORKER);
	buffer = new_words();
	open_gate();
	for (uint32_t i = 0; i < MANY; i++) {
		if (plait_queue_create(rig.device, NULL, &queues[i], NULL) !=
		    PLAIT_OK || launch(queues[i], kernel, buffer, 0, 1) !=
		    PLAIT_OK) {
			OK_THAT(false, "launch %u: %s", i, rig.error.text);
			return;
		}
	}
	await_count(&begun, MANY);
	IS_UINT(ended, 0);
	OK(plait_signal_raise(gate, 1, NULL) == PLAIT_OK);
	for (uint32_t i = 0; i < MANY; i++) {
		finished += plait_queue_finish(queues[i], PLAIT_FOREVER,
					       NULL) == PLAIT_OK;
		plait_queue_release(queues[i]);
	}
	IS_UINT(finished, MANY);
	IS_UINT(ended, MANY);
	plait_signal_release(gate);
	plait_buffer_release(buffer);
	plait_kernel_release(kernel);
	close_rig(&rig);
}

/* ---- ends ---- */

static int32_t fail(void *user_data)
{
	(void)user_data;
	return 9;
}

static void ends(void)
{
	uint64_t behind = 0;
	plait_buffer *buffer;
	plait_kernel *kernel;

	if (!open_host(1))
		return;
	kernel = new_kernel(0);
	buffer = new_words();
	open_gate();
	OK(plait_signal_raise(gate, 1, NULL) == PLAIT_OK);
	failing = 1;
	OK(launch(rig.queue, kernel, buffer, 5, 1) == PLAIT_OK);
	OK(plait_queue_call(rig.queue, bump, &behind, NULL) == PLAIT_OK);
	IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error),
	       PLAIT_E_FAILED);
	IS_INT(rig.error.origin, 3);
	HAS_STR(rig.error.text, "add");
	IS_UINT(behind, 0);
	/* Behind a failure it does not begin. */
	failing = 0;
	OK(plait_queue_call(rig.queue, fail, NULL, NULL) == PLAIT_OK);
	OK(launch(rig.queue, kernel, buffer, 5, 1) == PLAIT_OK);
	IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL),
	       PLAIT_E_FAILED);
	IS_UINT(begun, 1);
	/* A time-out says what it awaits. */
	OK(launch(rig.queue, kernel, buffer, 5, 7) == PLAIT_OK);
	await_count(&begun, 2);
	IS_INT(plait_queue_finish(rig.queue, 1000000, &rig.error),
	       PLAIT_E_TIMEOUT);
	HAS_STR(rig.error.text, "node 0 \"add\" waits for signal ");
	HAS_STR(rig.error.text, "to come to 7");
	OK(plait_signal_raise(gate, 7, NULL) == PLAIT_OK);
	IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL), PLAIT_OK);
	plait_signal_release(gate);
	plait_buffer_release(buffer);
	plait_kernel_release(kernel);
	close_rig(&rig);
}

/* Without workers the thread that waits executes the kernel, unless that has to
 * stay on a worker. */
static void without_workers(void)
{
	plait_kernel *kernel, *bound;
	plait_buffer *buffer;

	if (!open_host(0))
		return;
	kernel = new_kernel(0);
	bound = new_kernel(PLAIT_KERNEL_FIRST_WORKER);
	buffer = new_words();
	open_gate();
	IS_INT(launch(rig.queue, bound, buffer, 5, 1), PLAIT_E_UNSUPPORTED);
	HAS_STR(rig.error.text, "PLAIT_WORKERS");
	OK(launch(rig.queue, kernel, buffer, 5, 1) == PLAIT_OK);
	IS_INT(plait_queue_finish(rig.queue, 1000000, NULL), PLAIT_E_TIMEOUT);
	IS_UINT(begun, 1);
	OK(plait_signal_raise(gate, 1, NULL) == PLAIT_OK);
	IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL), PLAIT_OK);
	IS_UINT(word_of(buffer, 0), 5);
	plait_signal_release(gate);
	plait_buffer_release(buffer);
	plait_kernel_release(bound);
	plait_kernel_release(kernel);
	close_rig(&rig);
}

/* A device executes commands, which do not suspend themselves. */
static void other_device(void)
{
	plait_buffer *buffer;
	plait_kernel *kernel;

	if (!open_host(ON_CHAOS))
		return;
	kernel = new_kernel(0);
	buffer = new_words();
	IS_INT(launch(rig.queue, kernel, buffer, 5, 1), PLAIT_E_UNSUPPORTED);
	HAS_STR(rig.error.text, "this queue by plait_plan_run");
	IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL), PLAIT_OK);
	plait_buffer_release(buffer);
	plait_kernel_release(kernel);
	close_rig(&rig);
}

static const struct tap_scenario all[] = {
	{ "order", order },
	{ "arrays", arrays },
	{ "many", many },
	{ "ends", ends },
	{ "without workers", without_workers },
	{ "other device", other_device },
};
TAP_MAIN(all)
