/* SPDX-License-Identifier: MIT */
/* Split launches on devices that wait for room in the middle, or must not; their
 * results: device_flow.c. */
#include "flows.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { N = 40, FEW = 16 /* the least window */ };

static plait_data *u, *v;
static plait_kernel *kernel;

/* v = u + 1 in the chunk. */
static int32_t add_to_chunk(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	const uint64_t *from = *(const uint64_t *const *)arguments[0];
	uint64_t *to = *(uint64_t *const *)arguments[1];
	const plait_box *chunk = arguments[2];

	(void)launch;
	(void)user_data;
	for (uint64_t i = chunk->low[0]; i < chunk->high[0]; i++)
		to[i] = from[i] + 1;
	return 0;
}

static plait_status split(void)
{
	const plait_mapper own = { .size = sizeof(own),
				   .kind = PLAIT_MAPPER_ONE_TO_ONE };
	plait_access from = { .size = sizeof(from), .data = u };
	plait_access to = { .size = sizeof(to), .data = v, .mapper = &own };
	plait_argument arguments[] = { PLAIT_ACCESS(&from), PLAIT_ACCESS(&to),
				       PLAIT_CHUNK() };
	const plait_task_desc step = {
		.size = sizeof(step), .flags = PLAIT_TASK_NO_WAIT,
		.kernel = kernel, .launch = PLAIT_ITEMS(N),
		.arguments = arguments, .argument_count = 3, .split = 1,
		.pieces = N,
	};

	return plait_flow_submit(flow, &step, NULL, &flow_rig.error);
}

/* Submit tasks that wait for the mapping of u, until the window is full. */
static plait_status fill_window(void)
{
	const plait_task_desc fill = { .size = sizeof(fill),
				       .kind = PLAIT_TASK_FILL,
				       .flags = PLAIT_TASK_NO_WAIT,
				       .target = u };
	plait_status status = PLAIT_OK;

	for (int i = 0; i < 100 && status == PLAIT_OK; i++)
		status = plait_flow_submit(flow, &fill, NULL, NULL);
	return status;
}

static uint64_t newest(void)
{
	plait_flow_info info = { .size = sizeof(info) };

	OK(plait_flow_query(flow, &info, NULL) == PLAIT_OK);
	return info.newest;
}

static bool open_all(uint32_t workers, uint32_t window)
{
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .function = add_to_chunk,
		.signature = "add(u: in pointer u64, v: out pointer u64, "
			     "c: struct chunk 48)" };
	const struct flow_setting setting = { workers, 0 };

	flow_backends = "host,chaos";
	flow_devices = 2;
	if (!open_flow(&setting, window))
		return false;
	u = new_data(1, N, 0, 0, 8, "u");
	v = new_data(1, N, 0, 0, 8, "v");
	return OK(plait_kernel_create(flow_rig.context, &desc, &kernel,
				      NULL) == PLAIT_OK);
}

/* A full window refuses the launch before its first piece; one that has begun
 * ends, though the window has no room for all of it. */
static void no_wait(void)
{
	uint64_t values[N], last;
	void *pointer = NULL;

	if (!open_all(1, 64))
		return;
	OK(plait_data_map(u, NULL, PLAIT_MAP_READ | PLAIT_MAP_WRITE, &pointer,
			  NULL) == PLAIT_OK);
	IS_INT(fill_window(), PLAIT_E_BUSY);
	last = newest();
	IS_INT(split(), PLAIT_E_BUSY);
	IS_UINT(newest(), last);
	OK(plait_data_unmap(u, pointer, NULL) == PLAIT_OK);
	OK(wait_task(0) == PLAIT_OK);
	OK_THAT(split() == PLAIT_OK, "%s", flow_rig.error.text);
	OK(plait_data_read(v, NULL, values, NULL) == PLAIT_OK);
	for (int i = 0; i < N; i++)
		IS_UINT(values[i], 1);
	plait_data_release(u);
	plait_data_release(v);
	plait_kernel_release(kernel);
	close_flow();
}

static void *raise_when_full(void *arg)
{
	const uint64_t *first = arg;

	while (newest() < *first + FEW / 2)
		sched_yield();
	OK(plait_signal_raise(flow_rig.gate, 1, NULL) == PLAIT_OK);
	return NULL;
}

/* An event that the thread has not pulled does not end a submission of which pieces
 * are committed: it would be submitted again.  Without workers the thread runs the
 * pieces itself, in its wait for room. */
static void event_in_the_middle(void)
{
	plait_task_desc wait = { .size = sizeof(wait), .sequence = 1,
				 .kind = PLAIT_TASK_WAIT, .access_count = 1 };
	plait_access access;
	pthread_t thread;
	uint64_t first;
	uint64_t values[N];
	plait_inbox *inbox;
	plait_event event = { .size = sizeof(event) };

	for (uint32_t workers = 0; workers < 2; workers++) {
		if (!open_all(workers, FEW))
			return;
		access = access_of(u, PLAIT_ACCESS_READ_WRITE, NULL);
		wait.accesses = &access;
		wait.signal = flow_rig.gate;
		OK(plait_inbox_create(flow_rig.context, &inbox, NULL) ==
		   PLAIT_OK);
		OK(plait_data_write(u, NULL, memset(values, 0, sizeof(values)),
				    NULL) == PLAIT_OK);
		OK(plait_flow_notify(flow, newest(), inbox, NULL, NULL,
				     &flow_rig.error) == PLAIT_OK);
		OK(plait_inbox_wait(inbox, PLAIT_FOREVER, NULL) == PLAIT_OK);
		OK(plait_flow_submit(flow, &wait, &first, NULL) == PLAIT_OK);
		OK(pthread_create(&thread, NULL, raise_when_full, &first) == 0);
		IS_INT(split(), PLAIT_OK);
		OK(pthread_join(thread, NULL) == 0);
		OK(plait_inbox_next(inbox, &event, NULL) == PLAIT_OK);
		OK(plait_data_read(v, NULL, values, NULL) == PLAIT_OK);
		for (int i = 0; i < N; i++)
			IS_UINT(values[i], 1);
		plait_inbox_release(inbox);
		plait_data_release(u);
		plait_data_release(v);
		plait_kernel_release(kernel);
		close_flow();
	}
}

/* ---- reductions ---- */

static plait_kernel *sum, *add;

/* *total += u in the chunk. */
static int32_t sum_chunk(void *const *arguments, const plait_launch *launch,
			 void *user_data)
{
	const uint64_t *from = *(const uint64_t *const *)arguments[0];
	const plait_box *chunk = arguments[2];

	(void)launch;
	(void)user_data;
	for (uint64_t i = chunk->low[0]; i < chunk->high[0]; i++)
		**(uint64_t *const *)arguments[1] += from[i];
	return 0;
}

static int32_t add_word(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	(void)launch;
	(void)user_data;
	**(uint64_t *const *)arguments[0] +=
		**(const uint64_t *const *)arguments[1];
	return 0;
}

/* v += the sum of u */
static plait_status reduce(plait_error *error)
{
	const plait_access to = { .size = sizeof(to), .data = v,
				  .mode = PLAIT_ACCESS_REDUCE, .combine = add,
				  .flags = PLAIT_ACCESS_ACCUMULATE };
	const plait_argument arguments[] = { PLAIT_DATA(u), PLAIT_ACCESS(&to),
					     PLAIT_CHUNK() };
	const plait_task_desc step = {
		.size = sizeof(step), .kernel = sum, .launch = PLAIT_ITEMS(N),
		.arguments = arguments, .argument_count = 3, .split = 1,
		.pieces = N,
	};

	return plait_flow_submit(flow, &step, NULL, error);
}

enum { TIMES = 20 };

struct summer {
	plait_status status;
	plait_error error;
};

static void *submit_sums(void *arg)
{
	struct summer *self = arg;

	for (int i = 0; i < TIMES && self->status == PLAIT_OK; i++)
		self->status = reduce(&self->error);
	return NULL;
}

static plait_kernel *new_sum(plait_kernel_function function,
			     const char *signature)
{
	const plait_kernel_desc desc = { .size = sizeof(desc),
					 .function = function,
					 .signature = signature };
	plait_kernel *made = NULL;

	OK(plait_kernel_create(flow_rig.context, &desc, &made, NULL) ==
	   PLAIT_OK);
	return made;
}

static bool open_sums(void)
{
	uint64_t values[N], none = 0;

	if (!open_all(1, 64))
		return false;
	plait_data_release(v);
	v = new_data(0, 0, 0, 0, 8, "v");
	sum = new_sum(sum_chunk, "sum(u: in pointer u64, v: inout pointer u64, "
				 "c: struct chunk 48)");
	add = new_sum(add_word, "add(into: inout pointer u64, from: in pointer "
			       "u64, n: u64)");
	for (uint64_t i = 0; i < N; i++)
		values[i] = i + 1;
	return OK(plait_data_write(v, NULL, &none, NULL) == PLAIT_OK) &&
	       OK(plait_data_write(u, NULL, values, NULL) == PLAIT_OK);
}

static void close_sums(void)
{
	plait_data_release(u);
	plait_data_release(v);
	plait_kernel_release(kernel);
	plait_kernel_release(sum);
	plait_kernel_release(add);
	close_flow();
}

/* A launch that waits for room in the middle goes on with the partial results that
 * it has begun with, though another thread's gets newer ones meanwhile. */
static void two_threads(void)
{
	struct summer both[2] = {
		{ .error = { .size = sizeof(both[0].error) } },
		{ .error = { .size = sizeof(both[1].error) } } };
	uint64_t got = 0;
	pthread_t thread;

	if (!open_sums())
		return;
	OK(pthread_create(&thread, NULL, submit_sums, &both[1]) == 0);
	(void)submit_sums(&both[0]);
	OK(pthread_join(thread, NULL) == 0);
	for (int i = 0; i < 2; i++)
		OK_THAT(both[i].status == PLAIT_OK, "%s", both[i].error.text);
	OK_THAT(plait_data_read(v, NULL, &got, &flow_rig.error) == PLAIT_OK,
		"%s", flow_rig.error.text);
	IS_UINT(got, 2 * TIMES * (N * (N + 1) / 2));
	close_sums();
}

/* ---- refusals ---- */

/* A window of 64 has 8,192 cells; a launch with one data and a value of n cells
 * takes n + 3.  The pads leave ten: a piece has room, the fill before it has
 * not. */
enum { CELLS = 8192, PADS = 16, PAD = CELLS / PADS - 3, LAST_PAD = PAD - 10 };

static int32_t do_nothing(void *const *arguments, const plait_launch *launch,
			  void *user_data)
{
	(void)arguments;
	(void)launch;
	(void)user_data;
	return 0;
}

static plait_kernel *new_pad(uint32_t cells)
{
	char text[100];

	(void)snprintf(text, sizeof(text), "pad(u: inout pointer u64, p: struct "
		       "pad %u)", cells * 8);
	return new_sum(do_nothing, text);
}

/* Submit it, behind the mapping of u. */
static void pad(plait_kernel *padded, uint32_t cells)
{
	static uint64_t values[PAD];
	const plait_argument arguments[] = {
		PLAIT_DATA(u), { .size = sizeof(arguments[0]),
				 .kind = PLAIT_ARGUMENT_VALUE, .value = values,
				 .bytes = cells * 8 } };

	OK_THAT(plait_flow_launch(flow, padded, PLAIT_ITEMS(1), arguments, 2,
				  NULL, &flow_rig.error) == PLAIT_OK, "%s",
		flow_rig.error.text);
}

static plait_status touch(plait_kernel *touched, uint32_t flags)
{
	const plait_access to = { .size = sizeof(to), .data = v,
				  .mode = PLAIT_ACCESS_REDUCE, .combine = add };
	const plait_argument arguments[] = { PLAIT_ACCESS(&to), PLAIT_CHUNK() };
	const plait_task_desc step = {
		.size = sizeof(step), .kernel = touched, .flags = flags,
		.launch = PLAIT_ITEMS(2), .arguments = arguments,
		.argument_count = 2, .split = 1, .pieces = 2,
	};

	return plait_flow_submit(flow, &step, NULL, &flow_rig.error);
}

static void *touch_once(void *touched)
{
	OK_THAT(touch(touched, 0) == PLAIT_OK, "%s", flow_rig.error.text);
	return NULL;
}

static uint64_t data_bytes(void)
{
	plait_flow_info info = { .size = sizeof(info) };

	OK(plait_flow_query(flow, &info, NULL) == PLAIT_OK);
	return info.data_bytes;
}

/* A launch that is refused before its first step leaves its partial results to
 * those of other threads. */
static void refused(void)
{
	plait_kernel *padded, *last, *touched;
	void *pointer = NULL;
	pthread_t thread;
	uint64_t bytes;

	if (!open_sums())
		return;
	padded = new_pad(PAD);
	last = new_pad(LAST_PAD);
	touched = new_sum(do_nothing, "touch(v: inout pointer u64, c: struct "
				      "chunk 48)");
	OK(plait_data_map(u, NULL, PLAIT_MAP_READ | PLAIT_MAP_WRITE, &pointer,
			  NULL) == PLAIT_OK);
	for (int i = 1; i < PADS; i++)
		pad(padded, PAD);
	pad(last, LAST_PAD);
	IS_INT(touch(touched, PLAIT_TASK_NO_WAIT), PLAIT_E_BUSY);
	bytes = data_bytes();
	OK(plait_data_unmap(u, pointer, NULL) == PLAIT_OK);
	OK(wait_task(0) == PLAIT_OK);
	OK(pthread_create(&thread, NULL, touch_once, touched) == 0);
	OK(pthread_join(thread, NULL) == 0);
	IS_UINT(data_bytes(), bytes);
	plait_kernel_release(padded);
	plait_kernel_release(last);
	plait_kernel_release(touched);
	close_sums();
}

static const struct tap_scenario all[] = {
	{ "split launches that must not wait", no_wait },
	{ "an event in the middle", event_in_the_middle },
	{ "reductions of two threads", two_threads },
	{ "reductions that are refused", refused },
};

TAP_MAIN(all)
