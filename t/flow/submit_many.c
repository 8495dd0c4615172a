/* SPDX-License-Identifier: MIT */
/* Arrays of tasks: their order and numbers, the end at the first one that is not
 * submitted, no room, several threads, captures. */
#include "flows.h"

#include <pthread.h>

enum { TASKS = 200, THREADS = 2, ROUNDS = 20, AT_ONCE = 50 };

static uint32_t order[TASKS], ran;

/* Tasks of a chain; user_data: the place. */
static int32_t note(void *user_data)
{
	order[ran++ % TASKS] = (uint32_t)(uintptr_t)user_data;
	return 0;
}

static plait_task_desc chained(const plait_access *access, uintptr_t place)
{
	return (plait_task_desc){
		.size = sizeof(plait_task_desc), .kind = PLAIT_TASK_CALL,
		.label = "link", .function = note, .user_data = (void *)place,
		.accesses = access, .access_count = 1,
	};
}

/* Fill `descs` with a chain, and submit it.  Wrong numbers are counted. */
static uint32_t submit_chain(plait_task_desc *descs, uint64_t count,
			     const plait_access *access)
{
	plait_task numbers[TASKS];
	uint32_t wrong = 0;

	for (uint64_t i = 0; i < count; i++)
		descs[i] = chained(access, i);
	OK_THAT(plait_flow_submit_many(flow, descs, count, numbers,
				       &flow_rig.error) == PLAIT_OK, "%s",
		flow_rig.error.text);
	for (uint64_t i = 0; i < count; i++)
		wrong += numbers[i] != numbers[0] + i;
	return wrong;
}

/* The window is smaller than the array: the call waits for room. */
static void in_order(void)
{
	static const uint64_t counts[] = { 0, 1, 31, 32, 33, 64, TASKS };
	plait_task_desc descs[TASKS];

	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		uint32_t wrong = 0;
		plait_access access;

		if (!open_flow(&flow_settings[s], 16))
			return;
		access = access_of(new_data(0, 0, 0, 0, 0, "chain"),
				   PLAIT_ACCESS_READ_WRITE, NULL);
		for (size_t c = 0; c < TAP_COUNT(counts); c++) {
			ran = 0;
			wrong += submit_chain(descs, counts[c], &access);
			IS_INT(wait_task(0), PLAIT_OK);
			IS_UINT(ran, counts[c]);
			for (uint32_t i = 0; i < counts[c]; i++)
				wrong += order[i] != i;
		}
		IS_UINT(wrong, 0);
		plait_data_release(access.data);
		close_flow();
	}
}

/* Those before the first wrong one are submitted. */
static void first_failure(void)
{
	plait_flow_info info = { .size = sizeof(info) };
	plait_task_desc descs[6];
	plait_task out[6];
	plait_access access;

	if (!open_flow(&flow_settings[3], 64))
		return;
	access = access_of(new_data(0, 0, 0, 0, 0, "chain"),
			   PLAIT_ACCESS_READ_WRITE, NULL);
	for (uint32_t i = 0; i < 6; i++)
		descs[i] = chained(&access, i);
	descs[4].function = NULL;
	ran = 0;
	IS_INT(plait_flow_submit_many(flow, descs, 6, out, &flow_rig.error),
	       PLAIT_E_INVALID);
	HAS_STR(flow_rig.error.text,
		"descriptor 4: task \"link\": function is null");
	OK(out[3] == out[0] + 3 && out[4] == 0 && out[5] == 0);
	IS_INT(plait_flow_submit_many(flow, &descs[4], 1, NULL, NULL),
	       PLAIT_E_INVALID);
	descs[1].size = sizeof(descs[1]) + 8;
	IS_INT(plait_flow_submit_many(flow, descs, 2, out, &flow_rig.error),
	       PLAIT_E_INVALID);
	HAS_STR(flow_rig.error.text,
		"descriptor 1: its size is not the first one's");
	OK(out[0] != 0 && out[1] == 0);
	IS_INT(plait_flow_submit_many(flow, NULL, 2, out, &flow_rig.error),
	       PLAIT_E_INVALID);
	HAS_STR(flow_rig.error.text, "descs is null");
	OK(out[0] == 0 && out[1] == 0);
	IS_INT(plait_flow_submit_many(flow, NULL, 0, NULL, NULL), PLAIT_OK);
	OK(plait_flow_query(flow, &info, NULL) == PLAIT_OK);
	IS_UINT(info.newest, 5);
	IS_INT(wait_task(0), PLAIT_OK);
	IS_UINT(ran, 5);
	plait_data_release(access.data);
	close_flow();
	IS_INT(plait_flow_submit_many(flow, NULL, 0, NULL, NULL),
	       PLAIT_E_HANDLE);
}

/* No thread runs tasks. */
static void no_room(void)
{
	plait_task_desc descs[40];
	plait_task out[40];
	uint32_t accepted = 0;
	plait_access access;

	if (!open_flow(&flow_settings[0], 16))
		return;
	access = access_of(new_data(0, 0, 0, 0, 0, "chain"),
			   PLAIT_ACCESS_READ_WRITE, NULL);
	for (uint32_t i = 0; i < 40; i++) {
		descs[i] = chained(&access, i);
		descs[i].flags = PLAIT_TASK_NO_WAIT;
	}
	ran = 0;
	IS_INT(plait_flow_submit_many(flow, descs, 40, out, &flow_rig.error),
	       PLAIT_E_BUSY);
	while (accepted < 40 && out[accepted] != 0)
		accepted++;
	OK_THAT(accepted > 8 && accepted < 16, "%u tasks in a window of 16",
		accepted);
	IS_INT(wait_task(0), PLAIT_OK);
	IS_UINT(ran, accepted);
	plait_data_release(access.data);
	close_flow();
}

/* ---- several threads ---- */

struct part {
	pthread_t thread;
	plait_access access;
	uint64_t value, failed;
};

static int32_t increment(void *user_data)
{
	(*(uint64_t *)user_data)++;
	return 0;
}

static void *submit_part(void *arg)
{
	struct part *part = arg;
	plait_task_desc descs[AT_ONCE];

	for (uint32_t i = 0; i < AT_ONCE; i++)
		descs[i] = (plait_task_desc){
			.size = sizeof(*descs), .kind = PLAIT_TASK_CALL,
			.function = increment, .user_data = &part->value,
			.accesses = &part->access, .access_count = 1,
		};
	for (uint32_t i = 0; i < ROUNDS; i++)
		part->failed += plait_flow_submit_many(flow, descs, AT_ONCE,
						       NULL, NULL) != PLAIT_OK;
	return NULL;
}

static void from_threads(void)
{
	struct part parts[THREADS];

	for (size_t s = 2; s < FLOW_SETTINGS; s++) {
		if (!open_flow(&flow_settings[s], 64))
			return;
		for (uint32_t i = 0; i < THREADS; i++) {
			parts[i] = (struct part){ .access = access_of(
				new_data(0, 0, 0, 0, 0, "part"),
				PLAIT_ACCESS_READ_WRITE, NULL) };
			OK(pthread_create(&parts[i].thread, NULL, submit_part,
					  &parts[i]) == 0);
		}
		for (uint32_t i = 0; i < THREADS; i++)
			OK(pthread_join(parts[i].thread, NULL) == 0);
		IS_INT(wait_task(0), PLAIT_OK);
		for (uint32_t i = 0; i < THREADS; i++) {
			IS_UINT(parts[i].failed, 0);
			IS_UINT(parts[i].value, ROUNDS * AT_ONCE);
			plait_data_release(parts[i].access.data);
		}
		close_flow();
	}
}

/* ---- kinds ---- */

/* A fill, launches that use a kernel for the first time, an emission and a copy
 * to the host. */
static void kinds(void)
{
	plait_kernel *kernel;
	plait_data *x, *y;
	float got[8] = { 0 }, one = 1, two = 2;
	uint32_t pattern;

	memcpy(&pattern, &two, sizeof(pattern));
	if (!open_flow(&flow_settings[3], 64))
		return;
	kernel = new_axpy();
	x = new_data(1, 8, 0, 0, 4, "x");
	y = new_data(1, 8, 0, 0, 4, "y");
	const plait_argument arguments[] = { PLAIT_VALUE(one), PLAIT_DATA(x),
					     PLAIT_DATA(y) };
	const uint32_t size = sizeof(plait_task_desc);
	const plait_task_desc descs[] = {
		{ .size = size, .kind = PLAIT_TASK_FILL, .target = x,
		  .pattern = pattern },
		{ .size = size, .kind = PLAIT_TASK_FILL, .target = y,
		  .pattern = 0 },
		{ .size = size, .kernel = kernel, .launch = PLAIT_ITEMS(8),
		  .arguments = arguments, .argument_count = 3 },
		{ .size = size, .kernel = kernel, .launch = PLAIT_ITEMS(8),
		  .arguments = arguments, .argument_count = 3, .split = 1,
		  .pieces = 1 },
		{ .size = size, .kind = PLAIT_TASK_READ, .source = y,
		  .host = got },
	};

	OK_THAT(plait_flow_submit_many(flow, descs, TAP_COUNT(descs), NULL,
				       &flow_rig.error) == PLAIT_OK, "%s",
		flow_rig.error.text);
	IS_INT(wait_task(0), PLAIT_OK);
	for (uint32_t i = 0; i < 8; i++)
		OK(got[i] == 4);
	plait_kernel_release(kernel);
	plait_data_release(x);
	plait_data_release(y);
	close_flow();
}

static const struct tap_scenario all[] = {
	{ "in order", in_order },
	{ "the first failure", first_failure },
	{ "no room", no_room },
	{ "several threads", from_threads },
	{ "kinds", kinds },
};

TAP_MAIN(all)
