/* SPDX-License-Identifier: MIT */
/* Waits of flows: window, mappings, barriers, functions that wait. */
#include "flows.h"

static void submit_to(plait_flow *into, uint32_t flags, plait_status want)
{
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
		.function = return_it, .flags = flags,
	};

	IS_INT(plait_flow_submit(into, &desc, NULL, &flow_rig.error), want);
}

/* A mapping holds the window: no room, until it ends. */
static void window(void)
{
	void *pointer;
	plait_data *data;
	plait_access access;
	plait_task behind;

	if (!open_flow(&flow_settings[3], 16))
		return;
	data = new_data(1, 8, 0, 0, 8, "u");
	access = access_of(data, PLAIT_ACCESS_READ, NULL);
	OK(plait_data_map(data, NULL, PLAIT_MAP_WRITE, &pointer, NULL) ==
	   PLAIT_OK);
	for (int i = 0; i < 13; i++)
		submit_to(flow, 0, PLAIT_OK);
	behind = call_task("behind", return_it, NULL, &access, 1);
	submit_to(flow, PLAIT_TASK_NO_WAIT, PLAIT_E_BUSY);
	submit_to(flow, 0, PLAIT_E_DEADLOCK);
	HAS_STR(flow_rig.error.text, "mapping of data \"u\"");
	IS_INT(wait_task(behind), PLAIT_E_DEADLOCK);
	IS_INT(wait_task(0), PLAIT_E_DEADLOCK);
	IS_INT(plait_data_read(data, NULL, (uint64_t[8]){ 0 }, NULL),
	       PLAIT_E_DEADLOCK);
	IS_INT(plait_data_unmap(data, pointer, NULL), PLAIT_OK);
	IS_INT(plait_data_unmap(data, pointer, NULL), PLAIT_E_INVALID);
	submit_to(flow, 0, PLAIT_OK);
	IS_INT(wait_task(0), PLAIT_OK);
	plait_data_release(data);
	close_flow();
}

static uint64_t before_barrier;

static int32_t count_before(void *user_data)
{
	(void)user_data;
	__atomic_add_fetch(&before_barrier, 1, __ATOMIC_SEQ_CST);
	return 0;
}

static int32_t check_before(void *user_data)
{
	return __atomic_load_n(&before_barrier, __ATOMIC_SEQ_CST) !=
	       (uint64_t)(uintptr_t)user_data;
}

static void barriers(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		plait_task_desc desc = {
			.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
			.flags = PLAIT_TASK_BARRIER, .function = check_before,
		};

		if (!open_flow(&flow_settings[s], 64))
			continue;
		before_barrier = 0;
		for (uint64_t round = 1; round <= 20; round++) {
			for (int i = 0; i < 10; i++)
				call_task("count", count_before, NULL, NULL, 0);
			desc.user_data = forged(10 * round);
			OK(plait_flow_submit(flow, &desc, NULL, NULL) ==
			   PLAIT_OK);
		}
		IS_INT(wait_task(0), PLAIT_OK);
		close_flow();
	}
}

/* In a function of a task: no waits; submissions while there is room. */
static int32_t submit_inside(void *user_data)
{
	uint64_t word;
	int32_t wrong = 0;

	wrong += plait_flow_wait(flow, 0, PLAIT_FOREVER, NULL) !=
		 PLAIT_E_DEADLOCK;
	wrong += plait_data_read(user_data, NULL, &word, NULL) !=
		 PLAIT_E_DEADLOCK;
	for (plait_status status = PLAIT_OK; status != PLAIT_E_BUSY;) {
		const plait_task_desc desc = {
			.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
			.function = return_it,
		};

		status = plait_flow_submit(flow, &desc, NULL, NULL);
		if (status != PLAIT_OK && status != PLAIT_E_BUSY)
			return 100 - status;
	}
	return wrong;
}

static void inside(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		plait_access access;
		plait_data *data;

		if (!open_flow(&flow_settings[s], 32))
			continue;
		data = new_data(0, 0, 0, 0, 8, "u");
		access = access_of(data, PLAIT_ACCESS_READ_WRITE, NULL);
		call_task("inside", submit_inside, data, &access, 1);
		OK_THAT(wait_task(0) == PLAIT_OK, "%s", flow_rig.error.text);
		plait_data_release(data);
		close_flow();
	}
}

static int32_t leave_thread(void *user_data)
{
	(void)user_data;
	pthread_exit(NULL);
	return 0;
}

/* A function that ends its thread has failed. */
static void thread_exit(void)
{
	if (!open_flow(&flow_settings[2], 32))
		return;
	call_task("leaves", leave_thread, NULL, NULL, 0);
	/* By a worker: this thread only looks. */
	while (plait_flow_wait(flow, 0, 0, &flow_rig.error) == PLAIT_E_TIMEOUT)
		pause_a_little();
	HAS_STR(flow_rig.error.text, "pthread_exit");
	IS_INT(wait_task(call_task("next", return_it, NULL, NULL, 0)),
	       PLAIT_OK);
	close_flow();
}

static const struct tap_scenario all[] = {
	{ "window", window },
	{ "barriers", barriers },
	{ "inside", inside },
	{ "thread exit", thread_exit },
};

TAP_MAIN(all)
