/* SPDX-License-Identifier: MIT */
/*
 * Ops that a flow keeps in its outbox behind many others of their lane: they are submitted
 * when those end, though no thread waits for the flow or submits more.
 */
#include "flows.h"

#include <sched.h>

enum { WINDOW = 256 };

static int is_open, ran, ended;

/* Runs until the test opens it. */
static int32_t hold(void *const *arguments, const plait_launch *launch,
		    void *user_data)
{
	uint64_t since = 0;

	(void)arguments;
	(void)launch;
	(void)user_data;
	while (__atomic_load_n(&is_open, __ATOMIC_RELAXED) == 0 &&
	       !tap_late(&since))
		sched_yield();
	return 0;
}

static int32_t count_run(void *const *arguments, const plait_launch *launch,
			 void *user_data)
{
	(void)arguments;
	(void)launch;
	(void)user_data;
	__atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
	return 0;
}

static int32_t end(void *user_data)
{
	(void)user_data;
	__atomic_store_n(&ended, 1, __ATOMIC_RELAXED);
	return 0;
}

static void launch(plait_kernel_function function, plait_data *data, int times)
{
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .function = function,
		.signature = "change(x: inout pointer u64)" };
	plait_kernel *kernel = NULL;

	OK(plait_kernel_create(flow_rig.context, &desc, &kernel, NULL) ==
	   PLAIT_OK);
	for (int i = 0; i < times; i++)
		OK_THAT(plait_flow_launch(flow, kernel, NULL,
					  PLAIT_ARGUMENTS(PLAIT_DATA(data)),
					  NULL, &flow_rig.error) == PLAIT_OK,
			"launch: %s", flow_rig.error.text);
	plait_kernel_release(kernel);
}

/* Let the time of the simulator advance, without a call of the flow, until the task behind
 * all launches has run. */
static void pass_time(void)
{
	const plait_buffer_desc desc = { .size = sizeof(desc), .bytes = 8 };
	plait_device *device = NULL;
	plait_queue *queue = NULL;
	plait_buffer *buffer = NULL;
	uint64_t since = 0;

	OK(plait_context_device(flow_rig.context, 1, &device, NULL) ==
	   PLAIT_OK);
	OK(plait_queue_create(device, NULL, &queue, NULL) == PLAIT_OK);
	OK(plait_buffer_create(device, &desc, &buffer, NULL) == PLAIT_OK);
	while (__atomic_load_n(&ended, __ATOMIC_RELAXED) == 0 &&
	       !tap_late(&since)) {
		OK(plait_queue_fill(queue, buffer, 0, 8, 0, 8, NULL) ==
		   PLAIT_OK);
		OK(plait_queue_finish(queue, PLAIT_FOREVER, NULL) == PLAIT_OK);
	}
	plait_buffer_release(buffer);
	plait_queue_release(queue);
}

/* The first launch runs until all are there, so the last ones are kept. */
static void leave_alone(int count)
{
	plait_data *data = new_data(1, 8, 0, 0, 8, "data");
	const plait_access access = access_of(data, PLAIT_ACCESS_READ, NULL);
	static const uint64_t zeros[8];

	__atomic_store_n(&is_open, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&ran, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&ended, 0, __ATOMIC_RELAXED);
	OK(plait_data_write(data, NULL, zeros, NULL) == PLAIT_OK);
	launch(hold, data, 1);
	launch(count_run, data, count);
	(void)call_task("end", end, NULL, &access, 1);
	__atomic_store_n(&is_open, 1, __ATOMIC_RELAXED);
	pass_time();
	OK(__atomic_load_n(&ended, __ATOMIC_RELAXED) == 1);
	IS_INT(__atomic_load_n(&ran, __ATOMIC_RELAXED), count);
	plait_data_release(data);
}

static void unattended(void)
{
	const struct flow_setting setting = { 1, 0 };

	flow_backends = "host,chaos";
	flow_devices = 1;
	tap_brief();
	for (int count = 60; count < 100; count++) {
		if (!open_flow(&setting, WINDOW))
			break;
		leave_alone(count);
		close_flow();
	}
	tap_verbose();
}

static const struct tap_scenario all[] = {
	{ "unattended launches", unattended },
};

TAP_MAIN(all)
