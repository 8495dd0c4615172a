/* SPDX-License-Identifier: MIT */
/* Eviction from memories of devices: bytes that sweeps copy, tasks that wait,
 * refusals, and submissions of several threads. */
#include "flows.h"

#include <pthread.h>

enum { N = 1024, BYTES = 4 * N, MANY = 16, THREADS = 2, ROUNDS = 20 };

static plait_data *data[MANY];
static plait_kernel *axpy;
static float host[N];

static bool open_on(uint32_t devices, const char *options, uint32_t workers,
		    uint64_t bytes)
{
	const struct flow_setting setting = { workers, 0 };

	flow_backends = "host,chaos";
	flow_devices = devices;
	flow_options = options;
	flow_memory_bytes = bytes;
	if (!open_flow(&setting, 64))
		return false;
	axpy = new_axpy();
	for (int i = 0; i < MANY; i++) {
		char label[8];

		snprintf(label, sizeof(label), "d%d", i);
		data[i] = new_data(1, N, 0, 0, 4, label);
		for (int k = 0; k < N; k++)
			host[k] = (float)(i + 1);
		OK(plait_data_write(data[i], NULL, host, NULL) == PLAIT_OK);
	}
	return true;
}

static void close_all(void)
{
	for (int i = 0; i < MANY; i++)
		plait_data_release(data[i]);
	plait_kernel_release(axpy);
	close_flow();
	flow_memory_bytes = 0;
	flow_flags = 0;
}

/* data[y] += data[x] */
static plait_status add(int x, int y, plait_error *error)
{
	float a = 1;

	return plait_flow_launch(
		flow, axpy, PLAIT_ITEMS(N),
		PLAIT_ARGUMENTS(PLAIT_VALUE(a), PLAIT_DATA(data[x]),
				PLAIT_DATA(data[y])),
		NULL, error);
}

static void check_data(int i, float want)
{
	int wrong = 0;

	OK_THAT(plait_data_read(data[i], NULL, host, &flow_rig.error) ==
		PLAIT_OK, "read: %s", flow_rig.error.text);
	for (int k = 0; k < N; k++)
		wrong += host[k] != want;
	IS_INT(wrong, 0);
}

/* ---- a sweep ---- */

/* Bytes that evictions copied to the host, as the record says. */
static uint64_t count_evicted(uint64_t *out_count)
{
	static char text[1 << 18];
	uint64_t bytes = 0, sum = 0;

	*out_count = 0;
	IS_INT(plait_flow_write(flow, PLAIT_FLOW_TEXT, text, sizeof(text),
				&bytes, &flow_rig.error), PLAIT_OK);
	if (!OK(bytes < sizeof(text)))
		return 0;
	text[bytes] = '\0';
	for (const char *at = text;
	     (at = strstr(at, "; evicts \"")) != NULL; at++) {
		const char *colon = strstr(at, " from memory 1: ");

		if (!OK(colon != NULL))
			return 0;
		sum += strtoull(colon + 16, NULL, 10);
		++*out_count;
	}
	return sum;
}

/* Data of four times the memory: d0 stays, each other comes once, and goes to
 * the host once, but the last ones.  By hand: 4 KiB each way for each. */
static void sweep(void)
{
	uint64_t evictions, moved;

	flow_flags = PLAIT_FLOW_RECORD | PLAIT_FLOW_CHECK;
	if (!open_on(1, "chaos:devices=1", 1, MANY / 4 * BYTES))
		return;
	for (int i = 1; i < MANY; i++)
		for (int k = 0; k < 3; k++)
			OK_THAT(add(0, i, &flow_rig.error) == PLAIT_OK,
				"launch: %s", flow_rig.error.text);
	moved = count_evicted(&evictions);
	IS_UINT(evictions, MANY - MANY / 4);
	OK_THAT(10 * moved <= 13 * (uint64_t)(MANY - MANY / 4) * BYTES,
		"%llu bytes", (unsigned long long)moved);
	OK(moved > 0);
	for (int i = 1; i < MANY; i++)
		check_data(i, (float)(i + 1 + 3));
	close_all();
}

/* Sweeps over all data, each forward, in a memory for `room` of them: the
 * evictions, beside those of sweeps back and forth. */
static void sweep_again(int room)
{
	enum { SWEEPS = 10 };
	const uint64_t by_hand = (uint64_t)((SWEEPS - 1) * (MANY - room) +
					    MANY - room);
	uint64_t evictions, moved;

	flow_flags = PLAIT_FLOW_RECORD | PLAIT_FLOW_CHECK;
	if (!open_on(1, "chaos:devices=1", 1, (uint64_t)room * BYTES))
		return;
	for (int k = 0; k < SWEEPS; k++)
		for (int i = 0; i < MANY; i++)
			OK_THAT(add(i, i, &flow_rig.error) == PLAIT_OK,
				"launch: %s", flow_rig.error.text);
	moved = count_evicted(&evictions);
	OK_THAT(10 * evictions <= 13 * by_hand, "%llu evictions, by hand %llu",
		(unsigned long long)evictions, (unsigned long long)by_hand);
	NOTE("a memory for %d of %d: %llu evictions, by hand %llu", room, MANY,
	     (unsigned long long)evictions, (unsigned long long)by_hand);
	OK(moved == evictions * BYTES);
	for (int i = 0; i < MANY; i++)
		check_data(i, (float)((i + 1) << SWEEPS));
	close_all();
}

static void sweeps(void)
{
	sweep_again(4);
	sweep_again(8);
	sweep_again(12);
}

/* ---- tasks that wait ---- */

static void launch(int i)
{
	OK_THAT(add(i, i, &flow_rig.error) == PLAIT_OK, "launch: %s",
		flow_rig.error.text);
}

/* In a memory for three, d0 is used less often than d1 and d2: it would go. */
static bool open_for_three(void)
{
	if (!open_on(1, "chaos:devices=1", 2, 3 * BYTES))
		return false;
	for (int r = 0; r < 2; r++) {
		launch(0);
		for (int k = 0; k < 6; k++) {
			launch(1);
			launch(2);
		}
	}
	return true;
}

/* The newest task of d0 waits for something outside of the flow: d1 or d2 goes. */
static void pass_over(void)
{
	launch(0);
	launch(3);
}

static void check_passed_over(float zeroth)
{
	check_data(0, zeroth);
	check_data(1, 2 << 12);
	check_data(2, 3 << 12);
	check_data(3, 8);
	close_all();
}

static void behind_signal(void)
{
	plait_task_desc desc = { .size = sizeof(desc), .kind = PLAIT_TASK_WAIT,
				 .sequence = 1, .access_count = 1 };
	plait_access access = { .size = sizeof(access),
				.mode = PLAIT_ACCESS_READ_WRITE };

	if (!open_for_three())
		return;
	access.data = data[0];
	desc.accesses = &access;
	desc.signal = flow_rig.gate;
	OK_THAT(plait_flow_submit(flow, &desc, NULL, &flow_rig.error) ==
		PLAIT_OK, "wait: %s", flow_rig.error.text);
	pass_over();
	OK(plait_signal_raise(flow_rig.gate, 1, NULL) == PLAIT_OK);
	check_passed_over(8);
}

static void behind_mapping(void)
{
	void *pointer = NULL;

	if (!open_for_three())
		return;
	OK(plait_data_map(data[0], NULL, PLAIT_MAP_WRITE, &pointer,
			  &flow_rig.error) == PLAIT_OK);
	for (int k = 0; k < N; k++)
		((float *)pointer)[k] = 7;
	pass_over();
	OK(plait_data_unmap(data[0], pointer, NULL) == PLAIT_OK);
	check_passed_over(14);
}

/* Both are behind the caller's own mapping: no wait would end. */
static void all_behind_mapping(void)
{
	struct rig *rig = &flow_rig;
	void *pointer = NULL;

	if (!open_on(1, "chaos:devices=1", 2, 2 * BYTES))
		return;
	OK(plait_data_map(data[0], NULL, PLAIT_MAP_WRITE, &pointer,
			  &rig->error) == PLAIT_OK);
	OK(add(0, 1, NULL) == PLAIT_OK);
	REFUSED(add(2, 2, &rig->error), PLAIT_E_DEADLOCK,
		"is behind a mapping of");
	OK(plait_data_unmap(data[0], pointer, NULL) == PLAIT_OK);
	OK(add(2, 2, NULL) == PLAIT_OK);
	check_data(2, 6);
	close_all();
}

/* ---- refusals ---- */

static void too_large(void)
{
	struct rig *rig = &flow_rig;

	if (!open_on(1, "chaos:devices=1", 1, 2 * BYTES - 1))
		return;
	REFUSED(add(0, 1, &rig->error), PLAIT_E_NOMEM,
		"its data needs 8192 bytes in the memory of chaos:0; "
		"memory_bytes of the flow is 8191");
	OK(add(2, 2, NULL) == PLAIT_OK);
	OK(add(3, 3, NULL) == PLAIT_OK);
	check_data(0, 1);
	check_data(1, 2);
	check_data(2, 6);
	check_data(3, 8);
	close_all();
}

/* The device has memory for four data, of which the flow knows nothing. */
static void small_device(void)
{
	if (!open_on(1, "chaos:devices=1,memory=16K", 1, 0))
		return;
	for (int i = 1; i < MANY; i++)
		OK_THAT(add(0, i, &flow_rig.error) == PLAIT_OK, "launch: %s",
			flow_rig.error.text);
	for (int i = 1; i < MANY; i++)
		check_data(i, (float)(i + 2));
	close_all();
}

/* The device has memory for one data: that of the launch before is there until
 * the thread that ended it has dropped it. */
static void smallest_device(void)
{
	if (!open_on(1, "chaos:devices=1,memory=4K", 2, 0))
		return;
	for (int r = 0; r < 4 * ROUNDS; r++)
		OK_THAT(add(r % MANY, r % MANY, &flow_rig.error) == PLAIT_OK,
			"launch: %s", flow_rig.error.text);
	for (int i = 0; i < MANY; i++)
		check_data(i, (float)((i + 1) << 4 * ROUNDS / MANY));
	close_all();
}

/* ---- threads ---- */

/* Each thread has data of its own; together they need twice the memory. */
static void *submit_many(void *arg)
{
	const int first = 2 * *(const int *)arg;
	plait_error error = { .size = sizeof(error) };
	plait_status status = PLAIT_OK;

	for (int r = 0; r < ROUNDS && status == PLAIT_OK; r++)
		status = add(first, first + 1, &error);
	return status == PLAIT_OK ? arg : NULL;
}

static void threads(void)
{
	pthread_t thread[THREADS];
	int numbers[THREADS];

	if (!open_on(1, "chaos:devices=1", 2, 2 * BYTES))
		return;
	for (int i = 0; i < THREADS; i++) {
		numbers[i] = i;
		if (!OK(pthread_create(&thread[i], NULL, submit_many,
				       &numbers[i]) == 0))
			abort();
	}
	for (int i = 0; i < THREADS; i++) {
		void *result = NULL;

		pthread_join(thread[i], &result);
		OK(result != NULL);
		check_data(2 * i + 1,
			   (float)(2 * i + 2 + ROUNDS * (2 * i + 1)));
	}
	close_all();
}

/* ---- data that end ---- */

/* The flow drops d1 when its tasks are done, and the next launch needs its room:
 * no op may use it any more. */
static void ends(void)
{
	if (!open_on(1, "chaos:devices=1", 1, 2 * BYTES))
		return;
	for (int r = 0; r < ROUNDS; r++) {
		OK(add(0, 1, NULL) == PLAIT_OK);
		plait_data_release(data[1]);
		OK_THAT(plait_flow_wait(flow, 0, PLAIT_FOREVER,
					&flow_rig.error) == PLAIT_OK,
			"wait: %s", flow_rig.error.text);
		data[1] = new_data(1, N, 0, 0, 4, "d1");
		OK(plait_data_write(data[1], NULL, host, NULL) == PLAIT_OK);
	}
	check_data(0, 1);
	close_all();
}

/* ---- launches that come again, whose records the flow keeps ---- */

static void add_times(int x, int y, float a, uint64_t items)
{
	OK_THAT(plait_flow_launch(
			flow, axpy, PLAIT_ITEMS(items),
			PLAIT_ARGUMENTS(PLAIT_VALUE(a), PLAIT_DATA(data[x]),
					PLAIT_DATA(data[y])),
			NULL, &flow_rig.error) == PLAIT_OK,
		"launch: %s", flow_rig.error.text);
}

/* Each has its own values, data and geometry. */
static void again(void)
{
	if (!open_on(2, "chaos:devices=2", 2, 0))
		return;
	for (int r = 0; r < ROUNDS; r++) {
		add_times(0, 1, 1, N);
		add_times(0, 1, (float)(2 + r % 2), N);
		add_times(3, 2, 1, N);
		add_times(0, 4, 1, N);
		add_times(0, 4, 1, N / 2);
	}
	check_data(1, 2 + ROUNDS + ROUNDS * 5 / 2);
	check_data(2, 3 + 4 * ROUNDS);
	OK(plait_data_read(data[4], NULL, host, NULL) == PLAIT_OK);
	OK_THAT(host[0] == 5 + 2 * ROUNDS && host[N - 1] == 5 + ROUNDS,
		"%g, %g", host[0], host[N - 1]);
	close_all();
}

/* The device has memory for one data, which each evicts from the one before. */
static void again_and_evicted(void)
{
	if (!open_on(1, "chaos:devices=1,memory=4K", 2, 0))
		return;
	for (int i = 0; i < 4 * 4; i++)
		add_times(i / 4, i / 4, 1, N);
	for (int i = 0; i < 4; i++)
		check_data(i, (float)((i + 1) << 4));
	close_all();
}

/* The device has memory for four data, and d1 gives back what it had. */
static void again_and_ended(void)
{
	const plait_buffer_desc three = { .size = sizeof(three),
					  .bytes = 3 * BYTES };
	plait_buffer *buffer = NULL;
	plait_device *device;

	if (!open_on(1, "chaos:devices=1,memory=16K", 2, 0))
		return;
	for (int r = 0; r < ROUNDS; r++)
		add_times(0, 1, 1, N);
	check_data(1, 2 + ROUNDS);
	plait_data_release(data[1]);
	if (!OK(plait_context_device(flow_rig.context, 1, &device, NULL) ==
		PLAIT_OK))
		return;
	/* The queue holds the last launch until it has a later one. */
	for (int i = 0; i < 2000 && buffer == NULL; i++) {
		add_times(0, 0, 0, N);
		OK(plait_flow_wait(flow, 0, PLAIT_FOREVER, NULL) == PLAIT_OK);
		if (plait_buffer_create(device, &three, &buffer,
					&flow_rig.error) != PLAIT_OK)
			pause_a_little();
	}
	OK_THAT(buffer != NULL, "%s", flow_rig.error.text);
	plait_buffer_release(buffer);
	data[1] = new_data(1, N, 0, 0, 4, "d1");
	close_all();
}

static const struct tap_scenario all[] = {
	{ "a sweep", sweep },
	{ "sweeps", sweeps },
	{ "behind a signal", behind_signal },
	{ "behind a mapping", behind_mapping },
	{ "all behind a mapping", all_behind_mapping },
	{ "too large", too_large },
	{ "a small device", small_device },
	{ "the smallest device", smallest_device },
	{ "threads", threads },
	{ "data that end", ends },
	{ "launches that come again", again },
	{ "launches that come again, evicted", again_and_evicted },
	{ "launches that come again, of data that end", again_and_ended },
};

TAP_MAIN(all)
