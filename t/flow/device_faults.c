/* SPDX-License-Identifier: MIT */
/*
 * Flows on devices whose backend fails: the k-th call, or that one and all after
 * it, for each k until the program does not get so far.  Every wait ends, no
 * value is wrong, and after a single failure the flow goes on.
 */
#include "flows.h"

enum { N = 64, STEPS = 6, DEVICES = 2, MOST = 2000 };

static plait_data *data[3];
static plait_kernel *axpy, *add;
static float values[N];

/* Number of the run, and of the newest one in which a call failed: contexts of
 * lost devices may still log. */
static uintptr_t run_number, failed_run;

/* Signals that were destroyed while the backend owed a notification. */
static uint32_t destroyed;

static uint32_t copies_failed;
static unsigned lost_hints;
static uint32_t used_devices = DEVICES;

static void look_for_fault(void *user_data, int32_t level, const char *line)
{
	uintptr_t of_context = (uintptr_t)user_data;

	(void)level;
	if (strstr(line, "a signal with waiters or notifications was destroyed"))
		__atomic_add_fetch(&destroyed, 1, __ATOMIC_SEQ_CST);
	if (strstr(line, "fault: call ") != NULL && of_context ==
	    __atomic_load_n(&run_number, __ATOMIC_SEQ_CST))
		__atomic_store_n(&failed_run, of_context, __ATOMIC_SEQ_CST);
}

static bool has_failed(void)
{
	return __atomic_load_n(&failed_run, __ATOMIC_SEQ_CST) == run_number;
}

static bool open_with(const char *options, uint32_t workers)
{
	plait_context_desc context = { .size = sizeof(context),
				       .flags = workers == 0 ?
					       PLAIT_CONTEXT_NO_WORKERS : 0,
				       .workers = workers,
				       .backends = "host,chaos",
				       .wrap = "fault", .options = options,
				       .log = look_for_fault,
				       .log_user_data = (void *)run_number,
				       .log_level = PLAIT_LOG_WARNING };
	plait_flow_desc desc = { .size = sizeof(desc),
				 .memory_bytes = flow_memory_bytes,
				 .device_count = used_devices };
	plait_device *devices[8];
	plait_status status;

	memset(&flow_rig, 0, sizeof(flow_rig));
	flow_rig.error.size = sizeof(flow_rig.error);
	flow = NULL;
	flow_devices = used_devices;
	status = plait_context_open(&context, &flow_rig.context,
				    &flow_rig.error);
	if (status != PLAIT_OK)
		return false;
	desc.devices = devices;
	return open_devices(devices) &&
	       plait_flow_create(flow_rig.context, &desc, &flow,
				 &flow_rig.error) == PLAIT_OK;
}

static bool open_all(const char *options)
{
	return open_with(options, 0);
}

static void close_all(void)
{
	for (int i = 0; i < 3; i++) {
		plait_data_release(data[i]);
		data[i] = NULL;
	}
	plait_kernel_release(axpy);
	plait_kernel_release(add);
	axpy = add = NULL;
	plait_flow_release(flow);
	plait_context_release(flow_rig.context);
}

/* add(a: f32, x: in array1 f32, y: out array1 f32, c: chunk): y = x + a. */
static int32_t run_add(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	const float a = *(const float *)arguments[0];
	const float *x = *(const float *const *)arguments[1];
	const int64_t x_at = *(const int64_t *)arguments[2];
	float *y = *(float *const *)arguments[3];
	const int64_t y_at = *(const int64_t *)arguments[4];
	const plait_box *chunk = arguments[5];

	(void)launch;
	(void)user_data;
	for (uint64_t i = chunk->low[0]; i < chunk->high[0]; i++)
		y[y_at + (int64_t)i] = x[x_at + (int64_t)i] + a;
	return 0;
}

static bool make_data(void)
{
	const plait_data_desc desc = { .size = sizeof(desc), .dimensions = 1,
				       .element_bytes = 4, .extent = { N } };
	const plait_kernel_desc kernel = {
		.size = sizeof(kernel), .function = run_axpy,
		.signature = "axpy(a: f32, x: in pointer f32, y: pointer f32)",
	};
	const plait_kernel_desc array = {
		.size = sizeof(array), .function = run_add,
		.signature = "add(a: f32, x: in array1 f32, "
			     "y: out array1 f32, c: chunk)",
	};
	bool done = plait_kernel_create(flow_rig.context, &kernel, &axpy,
					NULL) == PLAIT_OK &&
		    plait_kernel_create(flow_rig.context, &array, &add,
					NULL) == PLAIT_OK;

	for (int i = 0; done && i < 3; i++)
		done = plait_data_create(flow, &desc, &data[i], NULL) ==
		       PLAIT_OK;
	return done;
}

/* y = x + a, of the first `count` elements: blocks of as many. */
static plait_status add_first(float a, plait_data *x, plait_data *y,
			      uint64_t count)
{
	const plait_box box = { { 0, 0, 0 }, { count, 1, 1 } };
	plait_data *from = NULL, *to = NULL;
	plait_status status = plait_data_part(x, &box, &from, NULL);

	if (status == PLAIT_OK)
		status = plait_data_part(y, &box, &to, NULL);
	if (status == PLAIT_OK)
		status = plait_flow_launch(
			flow, add, PLAIT_ITEMS(count),
			PLAIT_ARGUMENTS(PLAIT_VALUE(a), PLAIT_DATA(from),
					PLAIT_DATA(to)),
			NULL, NULL);
	plait_data_release(from);
	plait_data_release(to);
	return status;
}

static plait_status set_all(float value)
{
	plait_status status = PLAIT_OK;

	for (int i = 0; i < N; i++)
		values[i] = value;
	for (int i = 0; status == PLAIT_OK && i < 3; i++)
		status = plait_data_write(data[i], NULL, values, NULL);
	return status;
}

static plait_status launch(plait_data *x, plait_data *y)
{
	float a = 1;

	return plait_flow_launch(
		flow, axpy, PLAIT_ITEMS(N),
		PLAIT_ARGUMENTS(PLAIT_VALUE(a), PLAIT_DATA(x), PLAIT_DATA(y)),
		NULL, &flow_rig.error);
}

/* y = 1 + a for each launch that was taken: the value if the read is good. */
static void run_once(bool *out_good)
{
	float want[2] = { 1, 1 };
	int wrong = 0;

	*out_good = set_all(1) == PLAIT_OK;
	for (int i = 0; i < STEPS; i++)
		for (int k = 0; k < 2; k++) {
			bool taken = launch(data[2], data[k]) == PLAIT_OK;

			want[k] += taken;
			*out_good &= taken;
		}
	for (int k = 0; k < 2; k++) {
		if (plait_data_read(data[k], NULL, values, NULL) != PLAIT_OK) {
			*out_good = false;
			continue;
		}
		for (int i = 0; i < N; i++)
			wrong += values[i] != want[k];
	}
	if (*out_good)
		IS_INT(wrong, 0);
	*out_good &= plait_flow_wait(flow, 0, PLAIT_FOREVER, NULL) == PLAIT_OK;
}

/* Tell all failures that are left. */
static void drain(void)
{
	for (int i = 0; i < 1000 &&
			plait_flow_wait(flow, 0, PLAIT_FOREVER, NULL) < 0; i++)
		;
}

/* Data that the program writes once: a failure leaves the host's values. */
static bool is_written;

/* The program that runs. */
static void (*run)(bool *out_good) = run_once;

/* Returns false if nothing failed: k is beyond the program.  The interposer owes
 * notifications of a lost device for ever: their flow stays. */
static bool run_with(const char *format, unsigned k, bool goes_on, bool ends)
{
	char options[160];
	bool good = false, was_told = false;

	snprintf(options, sizeof(options), format, k);
	__atomic_add_fetch(&run_number, 1, __ATOMIC_SEQ_CST);
	is_written = false;
	if (open_all(options) && make_data()) {
		for (int i = 0; i < 3 && !was_told; i++) {
			was_told = has_failed();
			run(&good);
			drain();
		}
		OK_THAT(!goes_on || !was_told || good, "%s: the flow goes on",
			options);
	}
	close_all();
	IS_INT(__atomic_load_n(&destroyed, __ATOMIC_SEQ_CST), 0);
	OK(!ends || all_gone());
	return has_failed();
}

static void run_all(const char *format, unsigned stride, bool goes_on,
		    bool ends)
{
	unsigned k = 1;

	NOTE("%s", format);
	for (; k < MOST && tap_failed() == 0; k += stride)
		if (!run_with(format, k, goes_on, ends))
			break;
	OK_THAT(k > 5 && k < MOST, "%u calls failed", k);
}

static void single(void)
{
	run_all("fault:fail=%u,slot=queue_submit;chaos:devices=2", 1, true,
		true);
	run_all("fault:fail=%u;chaos:devices=2", 1, false, true);
}

static void losses(void)
{
	run_all("fault:lost=%u;chaos:devices=2", 23, false, false);
}

/* Each memory holds two of three data: values that evictions cannot save are
 * poison. */
static void evictions(void)
{
	flow_memory_bytes = 2 * sizeof(values);
	single();
	flow_memory_bytes = 0;
}

static void losses_and_evictions(void)
{
	flow_memory_bytes = 2 * sizeof(values);
	losses();
	flow_memory_bytes = 0;
}

/* A copy to the host that fails leaves the values on the device: a read tells
 * the failure, and the next one has the values.  Returns false if nothing
 * failed. */
static bool copy_back(unsigned k)
{
	char options[160];
	plait_task task = 0;
	float a = 1;
	bool failed = false;

	snprintf(options, sizeof(options),
		 "fault:fail=%u;chaos:devices=2", k);
	__atomic_add_fetch(&run_number, 1, __ATOMIC_SEQ_CST);
	if (open_all(options) && make_data() && set_all(1) == PLAIT_OK &&
	    plait_flow_launch(flow, axpy, PLAIT_ITEMS(N),
			      PLAIT_ARGUMENTS(PLAIT_VALUE(a),
					      PLAIT_DATA(data[0]),
					      PLAIT_DATA(data[1])),
			      &task, NULL) == PLAIT_OK &&
	    plait_flow_wait(flow, task, PLAIT_FOREVER, NULL) == PLAIT_OK) {
		failed = plait_data_read(data[1], NULL, values, NULL) < 0;
		OK_THAT(plait_data_read(data[1], NULL, values,
					&flow_rig.error) == PLAIT_OK,
			"%s: read again: %s", options, flow_rig.error.text);
		OK(values[0] == 2 && values[N - 1] == 2);
		NOTE("%s: %s", options, failed ? "a read failed" : "none did");
	}
	drain();
	close_all();
	OK(all_gone());
	copies_failed += failed;
	return has_failed();
}

static void copies_back(void)
{
	unsigned k = 1;

	while (k < MOST && tap_failed() == 0 && copy_back(k))
		k++;
	OK_THAT(copies_failed > 0, "%u reads failed", copies_failed);
}

/* ---- copies that others count on ---- */

/* The value of the first element is 2, unless a read tells a failure.  Returns true
 * if it did. */
static bool read_two(const char *options)
{
	if (plait_data_read(data[1], NULL, values, NULL) < 0)
		return true;
	OK_THAT(values[0] == 2, "%s: %g", options, (double)values[0]);
	return false;
}

static const plait_box first = { { 0, 0, 0 }, { 16, 1, 1 } };

/* The values go to device `to`, and leave the other one. */
static void copy_to(plait_device *const *devices, uint32_t to)
{
	(void)plait_data_advise(data[1], &first, devices[to],
				PLAIT_ADVISE_PREFETCH, NULL);
	(void)plait_data_advise(data[1], NULL, devices[1 - to],
				PLAIT_ADVISE_EVICT, NULL);
}

/* The block of device 1 - `to` grows, while the other device has its values. */
static void move_beside(plait_device *const *devices, uint32_t to)
{
	(void)plait_data_advise(data[1], &first, devices[to],
				PLAIT_ADVISE_PREFETCH, NULL);
	(void)plait_flow_wait(flow, 0, PLAIT_FOREVER, NULL);
	(void)plait_data_advise(data[1], NULL, devices[1 - to],
				PLAIT_ADVISE_RESERVE, NULL);
	(void)plait_data_advise(data[1], NULL, devices[to], PLAIT_ADVISE_EVICT,
				NULL);
}

/* Device 0 or 1 has the only values of data[1].  Returns false if nothing
 * failed. */
static bool keep_last(const char *format, unsigned k,
		      void (*advise)(plait_device *const *devices,
				     uint32_t to), uint32_t to)
{
	plait_device *devices[8];
	char options[160];

	snprintf(options, sizeof(options), format, k);
	__atomic_add_fetch(&run_number, 1, __ATOMIC_SEQ_CST);
	if (open_all(options) && make_data() && open_devices(devices) &&
	    set_all(1) == PLAIT_OK &&
	    add_first(1, data[0], data[1], 16) == PLAIT_OK &&
	    plait_flow_wait(flow, 0, PLAIT_FOREVER, NULL) == PLAIT_OK) {
		advise(devices, to);
		/* A read finds that the copy has failed. */
		drain();
		copies_failed += read_two(options);
	}
	drain();
	close_all();
	return has_failed();
}

static void keep_all_last(const char *format, unsigned stride)
{
	copies_failed = 0;
	for (uint32_t to = 0; to < 4; to++)
		for (unsigned k = 1; k < MOST && tap_failed() == 0; k += stride)
			if (!keep_last(format, k,
				       to < 2 ? copy_to : move_beside, to % 2))
				break;
	OK_THAT(copies_failed > 0, "%u reads failed", copies_failed);
}

static void last_copies(void)
{
	keep_all_last("fault:fail=%u,slot=queue_submit;chaos:devices=2", 1);
	keep_all_last("fault:fail=%u;chaos:devices=2", 1);
}

static void lost_last_copies(void)
{
	keep_all_last("fault:lost=%u;chaos:devices=2", 7);
}

/* ---- blocks that grow ---- */

/* Blocks of data[0] and data[1] grow under copies that are on their way: the first one
 * is submitted alone. */
static void grow_once(bool *out_good)
{
	static const uint64_t counts[] = { 16, 24, N, 8 };
	plait_device *devices[8];
	int wrong = 0;

	for (int i = 0; i < N; i++)
		values[i] = 1;
	if (!is_written)
		is_written = plait_data_write(data[0], NULL, values, NULL) ==
			     PLAIT_OK;
	*out_good = is_written && open_devices(devices) &&
		    plait_data_advise(data[0], &first, devices[0],
				      PLAIT_ADVISE_PREFETCH, NULL) == PLAIT_OK;
	for (uint32_t i = 0; *out_good && i < TAP_COUNT(counts); i++)
		*out_good = add_first((float)i, data[0], data[1], counts[i]) ==
			    PLAIT_OK;
	*out_good = *out_good && plait_data_read(data[1], NULL, values,
						 NULL) == PLAIT_OK;
	for (int i = 0; *out_good && i < N; i++)
		wrong += values[i] != (i < 8 ? 4 : 3);
	IS_INT(wrong, 0);
	*out_good &= plait_flow_wait(flow, 0, PLAIT_FOREVER, NULL) == PLAIT_OK;
}

static void growths(void)
{
	run = grow_once;
	used_devices = 1;
	single();
	used_devices = DEVICES;
	single();
	run = run_once;
}

static void lost_growths(void)
{
	run = grow_once;
	losses();
	run = run_once;
}

/* ---- nothing tells the flow ---- */

static int32_t do_nothing(void *user_data)
{
	(void)user_data;
	return 0;
}

static plait_task behind;
static plait_status waited;

static int32_t wait_inside(void *user_data)
{
	(void)user_data;
	waited = plait_flow_wait(flow, behind, TAP_PATIENCE_NS,
				 &flow_rig.error);
	return 0;
}

/* The function of an event runs no tasks: it finds that a launch has ended, of
 * which no notification comes, and the worker has to run the task behind. */
static void wakes(void)
{
	plait_access reads;
	plait_inbox *inbox = NULL;

	__atomic_add_fetch(&run_number, 1, __ATOMIC_SEQ_CST);
	if (!OK(open_with("fault:never=1;chaos:devices=2", 1)) ||
	    !OK(make_data()))
		return;
	OK(plait_inbox_create(flow_rig.context, &inbox, NULL) == PLAIT_OK);
	OK(plait_flow_notify(flow, call_task("first", do_nothing, NULL, NULL,
					     0),
			     inbox, wait_inside, NULL, NULL) == PLAIT_OK);
	OK(plait_inbox_wait(inbox, PLAIT_FOREVER, NULL) == PLAIT_OK);
	OK(launch(data[0], data[1]) == PLAIT_OK);
	reads = access_of(data[1], PLAIT_ACCESS_READ, NULL);
	behind = call_task("behind", do_nothing, NULL, &reads, 1);
	OK(plait_inbox_pump(inbox, 0, NULL, NULL) == PLAIT_OK);
	OK_THAT(waited == PLAIT_OK, "%s", flow_rig.error.text);
	plait_inbox_release(inbox);
	close_all();
}

/* Nothing waits for the flow, and the first notification is owed for ever; but an
 * event of an inbox comes: a call of the flow is told of the loss. */
static void tell_loss(unsigned k)
{
	plait_inbox *inbox = NULL;
	char options[160];

	snprintf(options, sizeof(options),
		 "fault:never=1,fail=%u,status=lost,slot=queue_submit;"
		 "chaos:devices=2", k);
	__atomic_add_fetch(&run_number, 1, __ATOMIC_SEQ_CST);
	if (open_with(options, 1) && make_data() &&
	    plait_inbox_create(flow_rig.context, &inbox, NULL) == PLAIT_OK) {
		(void)set_all(1);
		for (int i = 0; i < STEPS; i++) {
			(void)launch(data[0], data[1]);
			(void)launch(data[1], data[2]);
		}
		OK(plait_flow_notify(flow, 0, inbox, NULL, NULL, NULL) ==
		   PLAIT_OK);
		OK_THAT(plait_inbox_wait(inbox, TAP_PATIENCE_NS, NULL) == PLAIT_OK,
			"%s: an event", options);
		drain();
	}
	OK(has_failed());
	plait_inbox_release(inbox);
	close_all();
}

static void loss_events(void)
{
	for (unsigned k = 1; k < 6 && tap_failed() == 0; k++)
		tell_loss(k);
}

/* Hints for a device that launches are told is lost make no task fail: the program's
 * memory has the values of data[2].  Returns false if nothing was lost. */
static bool hint_lost(unsigned k)
{
	plait_device *devices[8];
	char options[160];

	snprintf(options, sizeof(options), "fault:lost=%u;chaos:devices=2", k);
	__atomic_add_fetch(&run_number, 1, __ATOMIC_SEQ_CST);
	if (open_all(options) && make_data() && open_devices(devices)) {
		(void)set_all(1);
		for (uint32_t i = 0; i < DEVICES * 3; i++)
			(void)plait_data_advise(data[i % 3], NULL,
						devices[i / 3],
						PLAIT_ADVISE_RESERVE, NULL);
		for (int i = 0; i < STEPS; i++) {
			(void)launch(data[0], data[i % 2]);
			drain();
		}
		if (launch(data[0], data[1]) == PLAIT_E_UNSUPPORTED &&
		    strstr(flow_rig.error.text, "is lost") != NULL) {
			lost_hints++;
			for (uint32_t i = 0; i < DEVICES * 3; i++)
				OK(plait_data_advise(data[i % 3], NULL,
						     devices[i / 3],
						     i % 3 == 2 ?
						     PLAIT_ADVISE_PREFETCH :
						     PLAIT_ADVISE_EVICT,
						     NULL) == PLAIT_OK);
			OK(plait_data_advise(data[1], NULL, NULL,
					     PLAIT_ADVISE_PREFETCH, NULL) ==
			   PLAIT_OK);
			OK_THAT(plait_flow_wait(flow, 0, PLAIT_FOREVER,
						&flow_rig.error) == PLAIT_OK,
				"%s: %s", options, flow_rig.error.text);
		}
	}
	close_all();
	return has_failed();
}

static void hints(void)
{
	lost_hints = 0;
	for (unsigned k = 1; k < MOST && tap_failed() == 0; k++)
		if (!hint_lost(k))
			break;
	OK_THAT(lost_hints > 3, "%u programs had lost devices", lost_hints);
}

static const struct tap_scenario all[] = {
	{ "one call fails", single },
	{ "a copy to the host fails", copies_back },
	{ "one call fails, with evictions", evictions },
	{ "the last copy of a value", last_copies },
	{ "blocks that grow", growths },
	/* Their contexts stay. */
	{ "the device is lost", losses },
	{ "hints for a lost device", hints },
	{ "the device is lost, with evictions", losses_and_evictions },
	{ "a worker has to run the next task", wakes },
	{ "a loss without a wait", loss_events },
	{ "the last copy is lost", lost_last_copies },
	{ "blocks that grow, and the device is lost", lost_growths },
};

TAP_MAIN(all)
