/* SPDX-License-Identifier: MIT */
/*
 * Blocks of data in memories of devices: bytes of the buffers, blocks that grow
 * behind tasks and before others, data larger than a memory, launches that get
 * more pieces for that, errors with the numbers.  t/flow/device_programs.c has
 * random programs.
 */
#include "flows.h"

#include <sched.h>

enum { N = 4096, BYTES = 4 * N, MOST = 4 };

static plait_device *devices[MOST];
static plait_kernel *add, *near, *plain;
static plait_data *u, *v;
static uint32_t host[N];

/* add(v: inout array1 u32, c: chunk): one more. */
static int32_t run_add(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	uint32_t *to = *(uint32_t *const *)arguments[0];
	const int64_t at = *(const int64_t *)arguments[1];
	const plait_box *chunk = arguments[2];

	(void)launch;
	(void)user_data;
	for (uint64_t x = chunk->low[0]; x < chunk->high[0]; x++)
		to[at + (int64_t)x]++;
	return 0;
}

/* near(u: in array1 u32, v: out array1 u32, c: chunk): sums of neighbours. */
static int32_t run_near(void *const *arguments, const plait_launch *launch,
			void *user_data)
{
	const uint32_t *from = *(const uint32_t *const *)arguments[0];
	const int64_t from_at = *(const int64_t *)arguments[1];
	uint32_t *to = *(uint32_t *const *)arguments[2];
	const int64_t to_at = *(const int64_t *)arguments[3];
	const plait_box *chunk = arguments[4];

	(void)launch;
	(void)user_data;
	for (uint64_t x = chunk->low[0]; x < chunk->high[0]; x++)
		to[to_at + (int64_t)x] =
			(x > 0 ? from[from_at + (int64_t)x - 1] : 0) +
			(x + 1 < N ? from[from_at + (int64_t)x + 1] : 0);
	return 0;
}

static int32_t run_plain(void *const *arguments, const plait_launch *launch,
			 void *user_data)
{
	uint32_t *to = *(uint32_t *const *)arguments[0];

	(void)launch;
	(void)user_data;
	for (int x = 0; x < N; x++)
		to[x]++;
	return 0;
}

static plait_kernel *new_kernel(const char *signature,
				plait_kernel_function function)
{
	const plait_kernel_desc desc = { .size = sizeof(desc),
					 .function = function,
					 .signature = signature };
	plait_kernel *kernel = NULL;

	OK_THAT(plait_kernel_create(flow_rig.context, &desc, &kernel,
				    &flow_rig.error) == PLAIT_OK, "%s",
		flow_rig.error.text);
	return kernel;
}

static bool open_on(uint32_t count, uint32_t workers, uint64_t memory_bytes)
{
	const struct flow_setting setting = { workers, 0 };
	static char options[40];

	snprintf(options, sizeof(options), "chaos:devices=%u", count);
	flow_backends = "host,chaos";
	flow_options = options;
	flow_devices = count;
	flow_memory_bytes = memory_bytes;
	flow_flags = PLAIT_FLOW_RECORD | PLAIT_FLOW_CHECK;
	if (!open_flow(&setting, 256) || !open_devices(devices))
		return false;
	add = new_kernel("add(v: inout array1 u32, c: chunk)", run_add);
	near = new_kernel("near(u: in array1 u32, v: out array1 u32, c: chunk)",
			  run_near);
	plain = new_kernel("plain(v: inout pointer u32)", run_plain);
	u = new_data(1, N, 0, 0, 4, "u");
	v = new_data(1, N, 0, 0, 4, "v");
	for (uint32_t i = 0; i < N; i++)
		host[i] = i;
	OK(plait_data_write(u, NULL, host, NULL) == PLAIT_OK);
	OK(plait_data_write(v, NULL, host, NULL) == PLAIT_OK);
	return true;
}

static void close_all(void)
{
	plait_data_release(u);
	plait_data_release(v);
	plait_kernel_release(add);
	plait_kernel_release(near);
	plait_kernel_release(plain);
	close_flow();
	flow_memory_bytes = 0;
	flow_flags = 0;
}

static uint64_t used(int device)
{
	plait_device_info info = { .size = sizeof(info) };

	OK(plait_device_query(devices[device], &info, NULL) == PLAIT_OK);
	return info.used_bytes;
}

/* A task that is done may hold its buffers for a little longer. */
static void settles(int device, uint64_t want)
{
	uint64_t since = 0;

	tap_brief();
	while (used(device) != want && !tap_late(&since))
		pause_a_little();
	tap_verbose();
	IS_UINT(used(device), want);
}

/* ---- launches ---- */

static const plait_mapper own = { .size = sizeof(own),
				  .kind = PLAIT_MAPPER_ONE_TO_ONE };

/* One more for all elements, in pieces of the flow's. */
static plait_status add_each(uint32_t split, uint32_t pieces,
			     plait_task_flags flags)
{
	const plait_access to = { .size = sizeof(to), .data = v,
				  .mapper = &own };
	const plait_argument arguments[] = { PLAIT_ACCESS(&to) };
	const plait_task_desc desc = {
		.size = sizeof(desc), .kernel = add, .launch = PLAIT_ITEMS(N),
		.arguments = arguments, .argument_count = 1, .split = split,
		.pieces = pieces, .flags = flags };

	flow_rig.error.text[0] = '\0';
	return plait_flow_submit(flow, &desc, NULL, &flow_rig.error);
}

static plait_status add_all(uint32_t split, uint32_t pieces)
{
	return add_each(split, pieces, 0);
}

static void add_to_all(void)
{
	OK_THAT(add_all(1, 0) == PLAIT_OK, "submit: %s", flow_rig.error.text);
}

/* One more for the elements of a box. */
static plait_status add_box(plait_data *data, uint64_t low, uint64_t high,
			    plait_task_flags flags)
{
	const plait_box box = { { low, 0, 0 }, { high, 1, 1 } };
	plait_data *part = NULL;
	plait_argument arguments[1];
	plait_task_desc desc = { .size = sizeof(desc), .kernel = add,
				 .launch = PLAIT_ITEMS(high - low),
				 .arguments = arguments, .argument_count = 1,
				 .flags = flags };
	plait_status status;

	OK(plait_data_part(data, &box, &part, &flow_rig.error) == PLAIT_OK);
	arguments[0] = (plait_argument)PLAIT_DATA(part);
	status = plait_flow_submit(flow, &desc, NULL, &flow_rig.error);
	plait_data_release(part);
	return status;
}

static void add_to(uint64_t low, uint64_t high)
{
	OK_THAT(add_box(v, low, high, 0) == PLAIT_OK, "submit: %s",
		flow_rig.error.text);
}

static void step(plait_data *from, plait_data *to)
{
	const plait_mapper around = { .size = sizeof(around),
				      .kind = PLAIT_MAPPER_NEIGHBORHOOD,
				      .extent = { 1 } };
	const plait_access read = { .size = sizeof(read), .data = from,
				    .mapper = &around };
	const plait_access write = { .size = sizeof(write), .data = to,
				     .mapper = &own };
	const plait_argument arguments[] = { PLAIT_ACCESS(&read),
					     PLAIT_ACCESS(&write) };
	const plait_task_desc desc = {
		.size = sizeof(desc), .kernel = near, .launch = PLAIT_ITEMS(N),
		.arguments = arguments, .argument_count = 2, .split = 1 };

	OK_THAT(plait_flow_submit(flow, &desc, NULL, &flow_rig.error) ==
		PLAIT_OK, "submit: %s", flow_rig.error.text);
}

static void finish(void)
{
	OK_THAT(wait_task(0) == PLAIT_OK, "wait: %s", flow_rig.error.text);
}

static void check_sums(uint32_t more)
{
	int wrong = 0;

	OK_THAT(plait_data_read(v, NULL, host, &flow_rig.error) == PLAIT_OK,
		"read: %s", flow_rig.error.text);
	for (uint32_t i = 0; i < N; i++)
		wrong += host[i] != i + more;
	IS_INT(wrong, 0);
}

/* Bytes that evictions copied to the host, and pieces of launches, of the record. */
static void count_record(uint64_t *out_bytes, uint64_t *out_evictions)
{
	static char text[1 << 18];
	uint64_t bytes = 0;

	*out_bytes = *out_evictions = 0;
	IS_INT(plait_flow_write(flow, PLAIT_FLOW_TEXT, text, sizeof(text),
				&bytes, &flow_rig.error), PLAIT_OK);
	if (!OK(bytes < sizeof(text)))
		return;
	text[bytes] = '\0';
	for (const char *at = text;
	     (at = strstr(at, "; evicts \"")) != NULL; at++) {
		const char *memory = strstr(at, " from memory ");

		if (!OK(memory != NULL))
			return;
		*out_bytes += strtoull(strchr(memory, ':') + 1, NULL, 10);
		++*out_evictions;
	}
}

/* ---- memory ---- */

/* Each device has its rows and those beside them, not all. */
static void stencil(void)
{
	for (uint32_t workers = 0; workers < 3; workers++) {
		static uint32_t model[2][N];

		if (!open_on(4, workers, 0))
			return;
		memcpy(model[0], host, sizeof(host));
		for (int i = 0; i < 6; i++) {
			const uint32_t *from = model[i % 2];

			step(i % 2 == 0 ? u : v, i % 2 == 0 ? v : u);
			for (int x = 0; x < N; x++)
				model[1 - i % 2][x] =
					(x > 0 ? from[x - 1] : 0) +
					(x + 1 < N ? from[x + 1] : 0);
		}
		finish();
		for (int d = 0; d < 4; d++)
			OK_THAT(used(d) <= 2 * (BYTES / 4 + 8),
				"device %d: %llu bytes", d,
				(unsigned long long)used(d));
		OK(plait_data_read(u, NULL, host, NULL) == PLAIT_OK);
		IS_INT(memcmp(host, model[0], sizeof(host)), 0);
		close_all();
	}
}

/* A block that grows keeps its values; after two times it has all elements, and with a
 * pointer at once. */
static void grows(void)
{
	for (uint32_t workers = 0; workers < 3; workers++) {
		if (!open_on(1, workers, 0))
			return;
		add_to(1000, 1100);
		finish();
		settles(0, 400);
		add_to(900, 1000);
		add_to(1000, 1010);
		finish();
		settles(0, 800);
		add_to(0, 10);
		add_to(3000, 3001);
		finish();
		settles(0, BYTES);
		OK(plait_data_read(v, NULL, host, NULL) == PLAIT_OK);
		for (uint32_t x = 0; x < N; x++)
			host[x] -= x + (x < 10) + (x >= 900 && x < 1100) +
				   (x >= 1000 && x < 1010) + (x == 3000);
		for (uint32_t x = 0; x < N; x++)
			if (host[x] != 0)
				OK_THAT(false, "element %u", x);
		close_all();
		if (!open_on(1, workers, 0))
			return;
		add_to(1000, 1100);
		OK(plait_flow_launch(flow, plain, PLAIT_ITEMS(1),
				     PLAIT_ARGUMENTS(PLAIT_DATA(v)), NULL,
				     NULL) == PLAIT_OK);
		finish();
		settles(0, BYTES);
		OK(plait_data_read(v, NULL, host, NULL) == PLAIT_OK);
		IS_UINT(host[1000], 1002);
		IS_UINT(host[0], 1);
		close_all();
	}
}

/* ---- data of four memories ---- */

/* Each piece comes once and goes once; by hand that is the same. */
static void in_pieces(void)
{
	for (uint32_t workers = 0; workers < 3; workers++) {
		uint64_t bytes, evictions;

		if (!open_on(1, workers, BYTES / 4))
			return;
		add_to_all();
		finish();
		OK(used(0) <= BYTES / 4);
		count_record(&bytes, &evictions);
		OK_THAT(bytes >= BYTES / 2 && bytes < BYTES,
			"%llu bytes of %d", (unsigned long long)bytes, BYTES);
		NOTE("%llu evictions of %llu bytes, %d of data",
		     (unsigned long long)evictions, (unsigned long long)bytes,
		     BYTES);
		add_to_all();
		check_sums(2);
		close_all();
	}
}

static void on_four(void)
{
	for (uint32_t workers = 0; workers < 3; workers++) {
		uint64_t bytes, evictions;

		if (!open_on(4, workers, BYTES / 4))
			return;
		for (int i = 0; i < 5; i++)
			add_to_all();
		finish();
		count_record(&bytes, &evictions);
		IS_UINT(evictions, 0);
		for (int d = 0; d < 4; d++)
			IS_UINT(used(d), BYTES / 4);
		check_sums(5);
		close_all();
	}
}

/* A launch that the flow may not cut is an error, with the numbers. */
static void refused(void)
{
	if (!open_on(1, 1, BYTES / 4))
		return;
	IS_INT(add_all(0, 0), PLAIT_E_NOMEM);
	OK_THAT(strstr(flow_rig.error.text, "16384 bytes") != NULL &&
		strstr(flow_rig.error.text, "is 4096") != NULL, "%s",
		flow_rig.error.text);
	IS_INT(add_all(1, 2), PLAIT_E_NOMEM);
	OK_THAT(strstr(flow_rig.error.text, "8192 bytes") != NULL, "%s",
		flow_rig.error.text);
	IS_INT(add_all(1, 4), PLAIT_OK);
	IS_INT(plait_flow_launch(flow, plain, PLAIT_ITEMS(1),
				 PLAIT_ARGUMENTS(PLAIT_DATA(v)), NULL, NULL),
	       PLAIT_E_NOMEM);
	check_sums(1);
	close_all();
}

/* ---- tasks that are not done ---- */

static int is_open;

/* Runs until the test opens it. */
static int32_t hold(void *user_data)
{
	uint64_t since = 0;

	(void)user_data;
	while (__atomic_load_n(&is_open, __ATOMIC_RELAXED) == 0 &&
	       !tap_late(&since))
		sched_yield();
	return 0;
}

static void hold_data(plait_data *data)
{
	const plait_access access = access_of(data, PLAIT_ACCESS_READ_WRITE,
					      NULL);

	__atomic_store_n(&is_open, 0, __ATOMIC_RELAXED);
	call_task("hold", hold, NULL, &access, 1);
}

static void open_hold(void)
{
	__atomic_store_n(&is_open, 1, __ATOMIC_RELAXED);
}

/* The pieces need memory that a task uses: that is no lack of memory. */
static void busy(void)
{
	if (!open_on(1, 2, BYTES / 4))
		return;
	hold_data(u);
	IS_INT(add_box(u, 0, N / 4, 0), PLAIT_OK);
	IS_INT(add_each(1, 0, PLAIT_TASK_NO_WAIT), PLAIT_E_BUSY);
	OK_THAT(strstr(flow_rig.error.text, "no room for a task") != NULL, "%s",
		flow_rig.error.text);
	open_hold();
	IS_INT(add_all(1, 0), PLAIT_OK);
	check_sums(1);
	close_all();
}

/* A block grows behind many launches, each with a tile, and waits for none. */
static void tiles(void)
{
	enum { TILES = 24, EACH = N / 2 / TILES };
	const plait_box half = { { 0, 0, 0 }, { N / 2, 1, 1 } };
	int wrong = 0;

	if (!open_on(1, 2, 0))
		return;
	OK(plait_data_advise(v, &half, devices[0], PLAIT_ADVISE_RESERVE,
			     NULL) == PLAIT_OK);
	hold_data(v);
	for (uint64_t i = 0; i < TILES; i++)
		IS_INT(add_box(v, i * EACH, (i + 1) * EACH,
			       PLAIT_TASK_NO_WAIT), PLAIT_OK);
	OK_THAT(add_box(v, N / 2 - 100, N / 2 + 100, PLAIT_TASK_NO_WAIT) ==
		PLAIT_OK, "submit: %s", flow_rig.error.text);
	open_hold();
	finish();
	OK(plait_data_read(v, NULL, host, NULL) == PLAIT_OK);
	for (uint32_t x = 0; x < N; x++)
		wrong += host[x] != x + (x < TILES * EACH) +
			 (x >= N / 2 - 100 && x < N / 2 + 100);
	IS_INT(wrong, 0);
	close_all();
}

static int32_t do_nothing(void *user_data)
{
	(void)user_data;
	return 0;
}

/* Fill the window, behind this task, with which a block cannot grow then. */
static int32_t fill_window(void *user_data)
{
	const plait_access access = access_of(u, PLAIT_ACCESS_READ_WRITE,
					      NULL);
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
		.function = do_nothing, .accesses = &access,
		.access_count = 1, .flags = PLAIT_TASK_NO_WAIT };
	plait_status status = PLAIT_OK;

	while (status == PLAIT_OK)
		status = plait_flow_submit(flow, &desc, NULL, NULL);
	*(plait_status *)user_data = status;
	return plait_data_advise(v, NULL, devices[0], PLAIT_ADVISE_RESERVE,
				 NULL);
}

/* A larger block that waits for room in the window goes with the old one. */
static void evicted_growth(void)
{
	plait_status status = PLAIT_OK;
	plait_access access;

	if (!open_on(1, 1, 0))
		return;
	add_to(0, 100);
	finish();
	access = access_of(u, PLAIT_ACCESS_READ_WRITE, NULL);
	call_task("fill", fill_window, &status, &access, 1);
	finish();
	IS_INT(status, PLAIT_E_BUSY);
	settles(0, 400 + BYTES);
	OK(plait_data_advise(v, NULL, devices[0], PLAIT_ADVISE_EVICT, NULL) ==
	   PLAIT_OK);
	finish();
	settles(0, 0);
	add_to(0, 200);
	OK(plait_data_read(v, NULL, host, NULL) == PLAIT_OK);
	IS_UINT(host[0], 2);
	IS_UINT(host[199], 200);
	close_all();
}

/* ---- advice ---- */

static void reserved(void)
{
	const plait_box half = { { N / 2, 0, 0 }, { N, 1, 1 } };

	if (!open_on(1, 1, 0))
		return;
	OK(plait_data_advise(v, &half, devices[0], PLAIT_ADVISE_RESERVE,
			     NULL) == PLAIT_OK);
	IS_UINT(used(0), BYTES / 2);
	add_to(N / 2, N / 2 + 10);
	add_to(N - 10, N);
	finish();
	settles(0, BYTES / 2);
	OK(plait_data_advise(v, NULL, devices[0], PLAIT_ADVISE_EVICT, NULL) ==
	   PLAIT_OK);
	finish();
	settles(0, 0);
	OK(plait_data_read(v, NULL, host, NULL) == PLAIT_OK);
	IS_UINT(host[N / 2], N / 2 + 1);
	IS_UINT(host[N - 1], N);
	IS_UINT(host[0], 0);
	close_all();
}

static const struct tap_scenario all[] = {
	{ "a stencil", stencil },
	{ "blocks that grow", grows },
	{ "data of four memories, in pieces", in_pieces },
	{ "data of four memories, on four devices", on_four },
	{ "launches that are not cut", refused },
	{ "pieces without room", busy },
	{ "a block that grows behind many tasks", tiles },
	{ "an eviction of a block that is to grow", evicted_growth },
	{ "a box that is reserved", reserved },
};

TAP_MAIN(all)
