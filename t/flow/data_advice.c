/* SPDX-License-Identifier: MIT */
/*
 * Advice on data in memories of devices: which buffers and values are there
 * afterwards, by the device's budget and by the device that gets a launch; hints
 * that have no effect; misuse.  t/flow/device_programs.c has random programs.
 */
#include "flows.h"

#include <sched.h>

enum { N = 1024, BYTES = 4 * N, DEVICES = 2 };

static plait_device *devices[DEVICES];
static uint32_t used_devices = DEVICES;
static plait_kernel *axpy;
static plait_data *u, *v;
static float host[N];

/* Launches get the device with most bytes of their data. */
static bool open_for(uint32_t workers, uint64_t memory_bytes)
{
	plait_flow_desc desc = { .size = sizeof(desc), .window = 16,
				 .flags = PLAIT_FLOW_RECORD | PLAIT_FLOW_CHECK,
				 .devices = devices, .device_count = used_devices,
				 .choose = PLAIT_CHOOSE_MIN_SIZE,
				 .memory_bytes = memory_bytes };

	flow_rig = settings[0];
	flow_rig.backend = "host,chaos";
	flow_rig.options = "chaos:devices=2";
	flow_rig.workers = workers;
	flow_rig.flags = workers == 0 ? PLAIT_CONTEXT_NO_WORKERS : 0;
	flow_devices = DEVICES;
	if (!open_rig(&flow_rig) || !open_devices(devices) ||
	    !OK_THAT(plait_flow_create(flow_rig.context, &desc, &flow,
				       &flow_rig.error) == PLAIT_OK,
		     "a flow: %s", flow_rig.error.text))
		return false;
	axpy = new_axpy();
	u = new_data(1, N, 0, 0, 4, "u");
	v = new_data(1, N, 0, 0, 4, "v");
	for (int i = 0; i < N; i++)
		host[i] = 1;
	OK(plait_data_write(u, NULL, host, NULL) == PLAIT_OK);
	OK(plait_data_write(v, NULL, host, NULL) == PLAIT_OK);
	return true;
}

static void close_all(void)
{
	plait_data_release(u);
	plait_data_release(v);
	plait_kernel_release(axpy);
	close_flow();
}

static void advise(plait_data *data, const plait_box *box, plait_device *device,
		   plait_advice what)
{
	OK_THAT(plait_data_advise(data, box, device, what, &flow_rig.error) ==
		PLAIT_OK, "advise: %s", flow_rig.error.text);
}

static plait_task launch(plait_data *x, plait_data *y)
{
	float a = 1;
	plait_task number = 0;

	OK_THAT(plait_flow_launch(flow, axpy, PLAIT_ITEMS(N),
				  PLAIT_ARGUMENTS(PLAIT_VALUE(a), PLAIT_DATA(x),
						  PLAIT_DATA(y)),
				  &number, &flow_rig.error) == PLAIT_OK,
		"launch: %s", flow_rig.error.text);
	return number;
}

static void finish(void)
{
	OK_THAT(plait_flow_wait(flow, 0, PLAIT_FOREVER, &flow_rig.error) ==
		PLAIT_OK, "wait: %s", flow_rig.error.text);
}

static void check_data(plait_data *data, float want)
{
	int wrong = 0;

	OK_THAT(plait_data_read(data, NULL, host, &flow_rig.error) == PLAIT_OK,
		"read: %s", flow_rig.error.text);
	for (int i = 0; i < N; i++)
		wrong += host[i] != want;
	IS_INT(wrong, 0);
}

static uint64_t used(int device)
{
	plait_device_info info = { .size = sizeof(info) };

	OK(plait_device_query(devices[device], &info, NULL) == PLAIT_OK);
	return info.used_bytes;
}

/* The record says that the newest launch has this device. */
static void ran_on(int device)
{
	static char text[1 << 16], want[32];
	uint64_t bytes = 0;
	const char *last = NULL;

	IS_INT(plait_flow_write(flow, PLAIT_FLOW_TEXT, text, sizeof(text) - 1,
				&bytes, &flow_rig.error), PLAIT_OK);
	text[bytes] = '\0';
	for (const char *at = text; (at = strstr(at, "\tdevice ")) != NULL; at++)
		last = at;
	(void)snprintf(want, sizeof(want), "\tdevice %d", device);
	OK_THAT(last != NULL && strncmp(last, want, strlen(want)) == 0,
		"%s in\n%s", want, text);
}

/* ---- effects ---- */

static void prefetch(void)
{
	const plait_box half = { { 0, 0, 0 }, { N / 2, 1, 1 } };

	for (uint32_t workers = 0; workers < 3; workers++) {
		if (!open_for(workers, 0))
			return;
		advise(u, NULL, devices[1], PLAIT_ADVISE_PREFETCH);
		IS_UINT(used(1), BYTES);
		IS_UINT(used(0), 0);
		launch(u, v);
		ran_on(1);
		launch(v, v);
		ran_on(1);
		advise(v, NULL, NULL, PLAIT_ADVISE_PREFETCH);
		advise(u, &half, devices[0], PLAIT_ADVISE_PREFETCH);
		IS_UINT(used(0), BYTES);
		check_data(v, 4);
		check_data(u, 1);
		close_all();
	}
}

static void reserve(void)
{
	if (!open_for(1, 0))
		return;
	advise(u, NULL, devices[0], PLAIT_ADVISE_RESERVE);
	advise(u, NULL, devices[0], PLAIT_ADVISE_RESERVE);
	IS_UINT(used(0), BYTES);
	/* Values are not there: no device has more of them. */
	advise(u, NULL, devices[1], PLAIT_ADVISE_PREFETCH);
	launch(u, u);
	ran_on(1);
	check_data(u, 2);
	close_all();
}

/* In the order of the program: each launch has its buffer. */
static void evict(void)
{
	for (uint32_t workers = 0; workers < 3; workers++) {
		if (!open_for(workers, 0))
			return;
		for (int i = 0; i < 10; i++) {
			launch(u, v);
			advise(v, NULL, devices[i % 2], PLAIT_ADVISE_EVICT);
			advise(v, NULL, devices[1 - i % 2],
			       PLAIT_ADVISE_EVICT);
		}
		advise(u, NULL, devices[0], PLAIT_ADVISE_EVICT);
		advise(u, NULL, devices[1], PLAIT_ADVISE_EVICT);
		finish();
		IS_UINT(used(0) + used(1), 0);
		check_data(v, 11);
		check_data(u, 1);
		launch(u, v);
		check_data(v, 12);
		close_all();
	}
}

/* The memory has room for one data: a prefetch evicts nothing, and a launch waits
 * for the buffer that is released. */
static void narrow(void)
{
	for (uint32_t workers = 0; workers < 3; workers++) {
		if (!open_for(workers, BYTES))
			return;
		launch(v, v);
		advise(u, NULL, devices[0], PLAIT_ADVISE_PREFETCH);
		advise(u, NULL, devices[1], PLAIT_ADVISE_PREFETCH);
		for (int i = 0; i < 6; i++) {
			launch(v, v);
			advise(v, NULL, devices[0], PLAIT_ADVISE_EVICT);
			advise(v, NULL, devices[1], PLAIT_ADVISE_EVICT);
			advise(u, NULL, devices[i % 2], PLAIT_ADVISE_PREFETCH);
			launch(u, u);
			OK(used(0) <= BYTES && used(1) <= BYTES);
		}
		check_data(u, 64);
		check_data(v, 128);
		close_all();
	}
}

/* ---- releases that end in another order ---- */

static int is_open, is_held;

/* Runs until the test opens it. */
static int32_t hold(void *user_data)
{
	uint64_t since = 0;

	(void)user_data;
	__atomic_store_n(&is_held, 1, __ATOMIC_RELAXED);
	while (__atomic_load_n(&is_open, __ATOMIC_RELAXED) == 0 &&
	       !tap_late(&since))
		sched_yield();
	return 0;
}

static plait_status try_launch(plait_data *x, plait_data *y)
{
	const plait_argument arguments[] = { PLAIT_VALUE((float){ 1 }),
					     PLAIT_DATA(x), PLAIT_DATA(y) };
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_LAUNCH,
		.kernel = axpy, .arguments = arguments, .argument_count = 3,
		.launch = PLAIT_ITEMS(N),
		.flags = PLAIT_TASK_NO_WAIT
	};

	return plait_flow_submit(flow, &desc, NULL, &flow_rig.error);
}

/* The newest release is done, and an older one is not: the launch waits for that. */
static void any_order(void)
{
	plait_access access;
	plait_data *w, *x;
	uint64_t since = 0;

	used_devices = 1;
	if (!open_for(2, 2 * (uint64_t)BYTES))
		return;
	w = new_data(1, N, 0, 0, 4, "w");
	x = new_data(1, N, 0, 0, 4, "x");
	OK(plait_data_write(w, NULL, host, NULL) == PLAIT_OK);
	OK(plait_data_write(x, NULL, host, NULL) == PLAIT_OK);
	is_open = is_held = 0;
	access = access_of(u, PLAIT_ACCESS_READ_WRITE, NULL);
	call_task("hold", hold, NULL, &access, 1);
	advise(u, NULL, devices[0], PLAIT_ADVISE_PREFETCH);
	advise(u, NULL, devices[0], PLAIT_ADVISE_EVICT);
	advise(v, NULL, devices[0], PLAIT_ADVISE_PREFETCH);
	IS_UINT(used(0), 2 * BYTES);
	advise(v, NULL, devices[0], PLAIT_ADVISE_EVICT);
	/* Without this thread, which helps when it waits. */
	while (__atomic_load_n(&is_held, __ATOMIC_RELAXED) == 0)
		sched_yield();
	/* Behind the copy that the release is behind. */
	OK(plait_data_write(v, NULL, host, NULL) == PLAIT_OK);
	tap_brief();
	while (used(0) > BYTES && !tap_late(&since))
		sched_yield();
	tap_verbose();
	IS_UINT(used(0), BYTES);
	OK_THAT(try_launch(w, x) == PLAIT_E_BUSY, "%s", flow_rig.error.text);
	__atomic_store_n(&is_open, 1, __ATOMIC_RELAXED);
	launch(w, x);
	check_data(x, 2);
	plait_data_release(w);
	plait_data_release(x);
	close_all();
	used_devices = DEVICES;
}

static int32_t advise_inside(void *data)
{
	for (uint32_t what = 0; what <= PLAIT_ADVISE_EVICT; what++)
		if (plait_data_advise(data, NULL, devices[what % 2], what,
				      NULL) != PLAIT_OK)
			return 1;
	return 0;
}

/* A function of a task may give hints, but for none of them waits for itself. */
static void inside(void)
{
	plait_access access;

	if (!open_for(1, 0))
		return;
	launch(u, v);
	access = access_of(u, PLAIT_ACCESS_READ, NULL);
	for (int i = 0; i < 40; i++)
		call_task("hints", advise_inside, u, &access, 1);
	launch(u, v);
	finish();
	check_data(v, 3);
	close_all();
}

/* ---- no effect, and misuse ---- */

static void is_refused(plait_data *data, const plait_box *box,
		       plait_device *device, plait_advice what,
		       const char *text)
{
	IS_INT(plait_data_advise(data, box, device, what, &flow_rig.error),
	       PLAIT_E_INVALID);
	OK_THAT(strstr(flow_rig.error.text, text) != NULL, "%s",
		flow_rig.error.text);
}

static void misuse(void)
{
	const plait_box wide = { { 0, 0, 0 }, { N + 1, 1, 1 } };
	plait_data *token;
	plait_device *first = NULL;

	if (!open_for(0, 0))
		return;
	token = new_data(0, 0, 0, 0, 0, "token");
	is_refused(u, NULL, devices[0], 3, "3 is not one of PLAIT_ADVISE_");
	is_refused(token, NULL, devices[0], PLAIT_ADVISE_EVICT, "token");
	is_refused(u, &wide, devices[0], PLAIT_ADVISE_PREFETCH, "not in");
	IS_INT(plait_data_advise(NULL, NULL, devices[0], 0, NULL),
	       PLAIT_E_HANDLE);
	plait_data_release(token);
	/* The host is not one of the flow's, and has its memory. */
	OK(plait_context_device(flow_rig.context, 0, &first, NULL) == PLAIT_OK);
	for (uint32_t what = 0; what <= PLAIT_ADVISE_EVICT; what++)
		advise(u, NULL, first, what);
	check_data(u, 1);
	close_all();
}

static void on_the_host(void)
{
	plait_device *far = NULL;

	flow_backends = "host,chaos";
	flow_options = "chaos:devices=1";
	flow_devices = 0;
	if (!open_flow(&(struct flow_setting){ 1, 0 }, 16))
		return;
	u = new_data(1, N, 0, 0, 4, "u");
	OK(plait_context_device(flow_rig.context, 1, &far, NULL) == PLAIT_OK);
	is_refused(u, NULL, far, PLAIT_ADVISE_PREFETCH,
		   "is not one of the flow's devices");
	for (uint32_t what = 0; what <= PLAIT_ADVISE_EVICT; what++)
		advise(u, NULL, NULL, what);
	plait_data_release(u);
	close_flow();
}

static const struct tap_scenario all[] = {
	{ "prefetch", prefetch },
	{ "reserve", reserve },
	{ "evict", evict },
	{ "a memory of one data", narrow },
	{ "releases in any order", any_order },
	{ "hints of a function", inside },
	{ "misuse", misuse },
	{ "a flow on the host", on_the_host },
};

TAP_MAIN(all)
