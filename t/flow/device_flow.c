/* SPDX-License-Identifier: MIT */
/* Flows whose launches run on devices: descriptors, placement, failures, memory,
 * ends; contents of all kinds of programs: device_programs.c.  With FLOW_DRIVER
 * on a driver of OpenCL: the scenarios that need no simulator. */
#include "device_floats.h"

#ifdef FLOW_DRIVER
#include "driver_devices.h"
#define BACKEND "opencl"
#else
#define BACKEND "chaos"
#endif

static bool open_on(uint32_t devices, const char *options, uint32_t workers)
{
	const struct flow_setting setting = { workers, 0 };

#ifdef FLOW_DRIVER
	(void)options;
	if (!use_driver(devices))
		return false;
#else
	flow_backends = "host,chaos";
	flow_devices = devices;
	flow_options = options;
#endif
	return open_flow(&setting, 64);
}

/* ---- descriptors ---- */

#ifndef FLOW_DRIVER

static void refuse(plait_device *const *devices, uint32_t count,
		   plait_status want, const char *part)
{
	const plait_flow_desc desc = { .size = sizeof(desc),
				       .devices = devices,
				       .device_count = count };
	struct rig *rig = &flow_rig;
	plait_flow *out = NULL;

	REFUSED(plait_flow_create(rig->context, &desc, &out, &rig->error), want,
		part);
	OK(out == NULL);
}

/* The host as the only device: without a queue. */
static void use_host(void)
{
	const plait_flow_desc desc = { .size = sizeof(desc),
				       .devices = &flow_rig.device,
				       .device_count = 1 };
	plait_flow *out = NULL;

	OK_THAT(plait_flow_create(flow_rig.context, &desc, &out,
				  &flow_rig.error) == PLAIT_OK, "host: %s",
		flow_rig.error.text);
	plait_flow_release(out);
}

static void descriptors(void)
{
	plait_device *devices[2], *many[64] = { 0 };
	struct rig other = { .backend = "chaos",
			     .flags = PLAIT_CONTEXT_NO_WORKERS };

	if (!open_on(2, NULL, 1) || !open_devices(devices))
		return;
	refuse(NULL, 1, PLAIT_E_INVALID, "devices is null");
	refuse(many, 64, PLAIT_E_INVALID, "64 devices; at most 63");
	refuse(many, 1, PLAIT_E_HANDLE, "device 0: ");
	devices[1] = devices[0];
	refuse(devices, 2, PLAIT_E_INVALID, "device 1: chaos:0 is there twice");
	use_host();
	if (open_context(&other)) {
		devices[1] = other.device;
		refuse(devices, 2, PLAIT_E_HANDLE,
		       "device 1: chaos:0 is of another context");
		plait_context_release(other.context);
	}
	close_flow();
}

#endif

/* ---- launches ---- */

static void check_floats(plait_data *data, float value)
{
	int wrong = 0;

	OK_THAT(plait_data_read(data, NULL, host, &flow_rig.error) == PLAIT_OK,
		"read: %s", flow_rig.error.text);
	for (int i = 0; i < N; i++)
		wrong += host[i] != value;
	IS_INT(wrong, 0);
}

/* Two arrays that go from device to device, and sums that meet. */
static void run_chain(uint32_t devices, const char *options, uint32_t workers)
{
	plait_data *x, *y, *z;
	plait_kernel *axpy;

	if (!open_on(devices, options, workers))
		return;
	axpy = new_axpy();
	x = new_floats("x", 1);
	y = new_floats("y", 2);
	z = new_floats("z", 0);
	for (int i = 0; i < 50; i++) {
		launch(axpy, 1, x, y, PLAIT_OK);
		launch(axpy, 2, x, z, PLAIT_OK);
	}
	launch(axpy, 1, y, z, PLAIT_OK);
	check_floats(z, 152);
	check_floats(y, 52);
	OK(wait_task(0) == PLAIT_OK);
	plait_data_release(x);
	plait_data_release(y);
	plait_data_release(z);
	plait_kernel_release(axpy);
	close_flow();
}

static void chains(void)
{
	run_chain(1, NULL, 1);
	run_chain(2, NULL, 0);
	run_chain(2, "chaos:peers=none,quirks=all", 2);
	run_chain(3, NULL, 1); /* the host, too */
}

/* ---- split launches ---- */

enum { WIDE = 24, TALL = 40 };

/* Sums of neighbours, whose borders are 0. */
static uint64_t sum_at(const uint64_t *u, uint64_t x, uint64_t y)
{
	uint64_t sum = 3 * u[y * WIDE + x];

	sum += x > 0 ? u[y * WIDE + x - 1] : 0;
	sum += x + 1 < WIDE ? u[y * WIDE + x + 1] : 0;
	sum += y > 0 ? u[(y - 1) * WIDE + x] : 0;
	sum += y + 1 < TALL ? u[(y + 1) * WIDE + x] : 0;
	return sum;
}

static int32_t run_sums(void *const *arguments, const plait_launch *launch,
			void *user_data)
{
	const uint64_t *u = *(const uint64_t *const *)arguments[0];
	uint64_t *v = *(uint64_t *const *)arguments[1];
	const plait_box *chunk = arguments[2];

	(void)launch;
	(void)user_data;
	for (uint64_t y = chunk->low[1]; y < chunk->high[1]; y++)
		for (uint64_t x = chunk->low[0]; x < chunk->high[0]; x++)
			v[y * WIDE + x] = sum_at(u, x, y);
	return 0;
}

static void check_sums(plait_data *data, const uint64_t *model)
{
	static uint64_t found[WIDE * TALL];
	int wrong = 0;

	OK_THAT(plait_data_read(data, NULL, found, &flow_rig.error) == PLAIT_OK,
		"read: %s", flow_rig.error.text);
	for (int i = 0; i < WIDE * TALL; i++)
		wrong += found[i] != model[i];
	IS_INT(wrong, 0);
}

static void run_split(uint32_t devices, const char *options, uint32_t split,
		      uint32_t pieces)
{
	static uint64_t model[2][WIDE * TALL];
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .function = run_sums,
		.signature = "sums(u: in pointer u64, v: out pointer u64, "
			     "c: struct chunk 48)" };
	const plait_mapper near = { .size = sizeof(near),
				    .kind = PLAIT_MAPPER_NEIGHBORHOOD,
				    .extent = { 1, 1 } };
	const plait_mapper own = { .size = sizeof(own),
				   .kind = PLAIT_MAPPER_ONE_TO_ONE };
	plait_access from = { .size = sizeof(from), .mapper = &near };
	plait_access to = { .size = sizeof(to), .mapper = &own };
	plait_argument arguments[] = { PLAIT_ACCESS(&from), PLAIT_ACCESS(&to),
				       PLAIT_CHUNK() };
	plait_task_desc step = { .size = sizeof(step),
				 .launch = PLAIT_ITEMS(WIDE, TALL),
				 .arguments = arguments, .argument_count = 3,
				 .split = split, .pieces = pieces };
	plait_data *data[2];
	plait_kernel *sums = NULL;
	plait_task last = 0;

	if (!open_on(devices, options, 1))
		return;
	OK(plait_kernel_create(flow_rig.context, &desc, &sums,
			       &flow_rig.error) == PLAIT_OK);
	step.kernel = sums;
	for (int i = 0; i < 2; i++)
		data[i] = new_data(2, WIDE, TALL, 0, 8, "sums");
	for (int i = 0; i < WIDE * TALL; i++)
		model[0][i] = (uint64_t)i;
	OK(plait_data_write(data[0], NULL, model[0], NULL) == PLAIT_OK);
	for (int t = 0; t < 30; t++) {
		uint64_t *u = model[t % 2], *v = model[1 - t % 2];

		from.data = data[t % 2];
		to.data = data[1 - t % 2];
		OK_THAT(plait_flow_submit(flow, &step, &last,
					  &flow_rig.error) == PLAIT_OK,
			"submit: %s", flow_rig.error.text);
		for (uint64_t i = 0; i < WIDE * TALL; i++)
			v[i] = sum_at(u, i % WIDE, i / WIDE);
		if (t % 10 == 7)
			check_sums(to.data, v);
	}
	OK(wait_task(last) == PLAIT_OK);
	check_sums(data[0], model[0]);
	plait_data_release(data[0]);
	plait_data_release(data[1]);
	plait_kernel_release(sums);
	close_flow();
}

static void splits(void)
{
	run_split(1, NULL, 1, 3);
	run_split(2, NULL, 1, 0);
	run_split(4, "chaos:devices=4", 2, 9);
	run_split(4, "chaos:devices=4,peers=ring,quirks=all", 1, 4);
	run_split(3, "chaos:devices=3,peers=none,quirks=shuffle", 1, 6);
	run_split(3, "chaos:devices=3,shared=1,quirks=all", 2, 4);
	run_split(3, NULL, 1, 7); /* the host, too */
}

#ifndef FLOW_DRIVER
static void unsupported(void)
{
	struct rig *rig = &flow_rig;
	plait_task_desc desc = { .size = sizeof(desc) };
	plait_argument arguments[3];
	plait_data *x;
	float a = 1;

	if (!open_on(1, "chaos:host_calls=0", 1))
		return;
	x = new_data(1, N, 0, 0, 4, "x");
	desc.kernel = new_axpy();
	arguments[0] = (plait_argument)PLAIT_VALUE(a);
	arguments[1] = arguments[2] = (plait_argument)PLAIT_DATA(x);
	desc.arguments = arguments;
	desc.argument_count = 3;
	REFUSED(plait_flow_submit(flow, &desc, NULL, &rig->error),
		PLAIT_E_UNSUPPORTED, "axpy: no device of the flow runs it: "
				     "chaos:");
	plait_kernel_release(desc.kernel);
	plait_data_release(x);
	close_flow();
}

#endif

/* ---- failures ---- */

static int32_t fail_nine(void *const *arguments, const plait_launch *launch,
			 void *user_data)
{
	(void)arguments;
	(void)launch;
	(void)user_data;
	return 9;
}

static plait_kernel *new_failing(const char *signature)
{
	const plait_kernel_desc desc = { .size = sizeof(desc),
					 .function = fail_nine,
					 .signature = signature };
	plait_kernel *kernel = NULL;

	OK(plait_kernel_create(flow_rig.context, &desc, &kernel,
			       &flow_rig.error) == PLAIT_OK);
	return kernel;
}

static void run_failures(uint32_t devices, const char *options)
{
	plait_data *x, *y, *z;
	plait_kernel *axpy, *bad;
	plait_task failed, behind;
	float nothing = 0;

	if (!open_on(devices, options, 1))
		return;
	axpy = new_axpy();
	bad = new_failing("bad(a: f32, x: in pointer f32, y: pointer f32)");
	x = new_floats("x", 1);
	y = new_floats("y", 1);
	z = new_floats("z", 1);
	failed = launch(bad, nothing, x, y, PLAIT_OK);
	behind = launch(axpy, 1, y, z, PLAIT_OK);
	for (int i = 0; i < 20; i++)
		launch(axpy, 1, x, x, PLAIT_OK);
	IS_INT(wait_task(failed), PLAIT_E_FAILED);
	HAS_STR(flow_rig.error.text, " failed on " BACKEND ":");
	HAS_STR(flow_rig.error.text, "failed with 9");
	IS_INT(flow_rig.error.origin, 9);
	IS_INT(wait_task(behind), PLAIT_E_FAILED);
	HAS_STR(flow_rig.error.text, "not run: task");
	/* The failure poisons what depends on it, and nothing else. */
	IS_INT(plait_data_read(z, NULL, host, NULL), PLAIT_E_FAILED);
	check_floats(x, 1 << 20);
	/* A task that overwrites it cures it. */
	for (int i = 0; i < N; i++)
		host[i] = 3;
	IS_INT(plait_data_write(y, NULL, host, NULL), PLAIT_OK);
	launch(axpy, 2, y, x, PLAIT_OK);
	check_floats(x, (1 << 20) + 6);
	plait_data_release(x);
	plait_data_release(y);
	plait_data_release(z);
	plait_kernel_release(axpy);
	plait_kernel_release(bad);
	close_flow();
}

static void failures(void)
{
	run_failures(1, NULL);
	run_failures(2, NULL);
	run_failures(2, "chaos:peers=none,quirks=all");
}

#ifndef FLOW_DRIVER
static void memory(void)
{
	struct rig *rig = &flow_rig;
	plait_data *small, *large;
	plait_kernel *axpy;
	float a = 1;

	if (!open_on(1, "chaos:devices=1,memory=64K", 1))
		return;
	axpy = new_axpy();
	small = new_floats("small", 1);
	large = new_data(1, 1 << 20, 0, 0, 4, "large");
	REFUSED(plait_flow_launch(flow, axpy, PLAIT_ITEMS(N),
				  PLAIT_ARGUMENTS(PLAIT_VALUE(a),
						  PLAIT_DATA(small),
						  PLAIT_DATA(large)),
				  NULL, &rig->error),
		PLAIT_E_NOMEM, "a copy of \"large\" on chaos:0: ");
	HAS_STR(rig->error.text, "4194304");
	launch(axpy, 1, small, small, PLAIT_OK);
	check_floats(small, 2);
	plait_data_release(small);
	plait_data_release(large);
	plait_kernel_release(axpy);
	close_flow();
}

#endif

/* ---- ends ---- */

/* All handles are given back while tasks are in flight. */
static void releases(void)
{
	plait_data *x, *y;
	plait_kernel *axpy;

	if (!open_on(2, "chaos:quirks=late_notify", 1))
		return;
	axpy = new_axpy();
	x = new_floats("x", 1);
	y = new_floats("y", 1);
	for (int i = 0; i < 30; i++)
		launch(axpy, 1, x, y, PLAIT_OK);
	plait_data_release(x);
	plait_data_release(y);
	plait_kernel_release(axpy);
	close_flow();
}

static void cancels(void)
{
	plait_data *x, *y;
	plait_kernel *axpy;
	plait_task last = 0;
	plait_status status;
	void *pointer = NULL;

	if (!open_on(2, NULL, 1))
		return;
	axpy = new_axpy();
	x = new_floats("x", 1);
	y = new_floats("y", 1);
	/* The launch waits for the mapping, so it has not begun. */
	OK(plait_data_map(x, NULL, PLAIT_MAP_READ | PLAIT_MAP_WRITE, &pointer,
			  NULL) == PLAIT_OK);
	for (int i = 0; i < 5; i++)
		last = launch(axpy, 1, x, y, PLAIT_OK);
	OK(plait_flow_cancel(flow, &flow_rig.error) == PLAIT_OK);
	OK(plait_data_unmap(x, pointer, NULL) == PLAIT_OK);
	IS_INT(wait_task(last), PLAIT_E_CANCELLED);
	IS_INT(plait_data_read(y, NULL, host, NULL), PLAIT_E_CANCELLED);
	check_floats(x, 1);
	status = wait_task(0);
	OK(status == PLAIT_OK || status == PLAIT_E_CANCELLED);
	plait_data_release(x);
	plait_data_release(y);
	plait_kernel_release(axpy);
	close_flow();
}

/* ---- launches that come again ---- */

#ifndef FLOW_DRIVER

static uint64_t blocks_taken;

static void *count_taken(void *user_data, void *pointer, uint64_t old_bytes,
			 uint64_t new_bytes)
{
	if (pointer == NULL && new_bytes > 0)
		__atomic_add_fetch(&blocks_taken, 1, __ATOMIC_RELAXED);
	return count_block(user_data, pointer, old_bytes, new_bytes);
}

/* A flow on the last device of a context with this allocator. */
static bool open_counted(void)
{
	static const plait_allocator allocator = { .size = sizeof(allocator),
						   .resize = count_taken };
	plait_context_desc context = { .size = sizeof(context),
				       .flags = PLAIT_CONTEXT_NO_WORKERS,
				       .backends = "host,chaos",
				       .options = "chaos:devices=1",
				       .allocator = &allocator };
	plait_device *device[8];
	plait_flow_desc desc = { .size = sizeof(desc), .devices = device,
				 .device_count = 1 };

	memset(&flow_rig, 0, sizeof(flow_rig));
	flow_rig.error.size = sizeof(flow_rig.error);
	flow_devices = 1;
	return OK(plait_context_open(&context, &flow_rig.context,
				     &flow_rig.error) == PLAIT_OK) &&
	       open_devices(device) &&
	       OK(plait_flow_create(flow_rig.context, &desc, &flow,
				    &flow_rig.error) == PLAIT_OK);
}

enum { AGAIN = 20 };

/* Blocks that as many launches take: each with its own value, or all with one. */
static uint64_t count_blocks(plait_kernel *axpy, plait_data *x, float first,
			     float more)
{
	const uint64_t before = __atomic_load_n(&blocks_taken,
						__ATOMIC_RELAXED);

	for (int i = 0; i < AGAIN; i++) {
		launch(axpy, first + (float)i * more, x, x, PLAIT_OK);
		IS_INT(wait_task(0), PLAIT_OK);
	}
	return __atomic_load_n(&blocks_taken, __ATOMIC_RELAXED) - before;
}

/* A launch that was submitted twice needs no record the next time. */
static void again(void)
{
	plait_kernel *axpy;
	plait_data *x;
	uint64_t others, same;

	if (!open_counted())
		return;
	axpy = new_axpy();
	x = new_floats("x", 0);
	launch(axpy, 1, x, x, PLAIT_OK);
	launch(axpy, 1, x, x, PLAIT_OK);
	others = count_blocks(axpy, x, 2, 1);
	same = count_blocks(axpy, x, 1, 0);
	OK_THAT(same + AGAIN <= others, "%llu blocks, of others %llu",
		(unsigned long long)same, (unsigned long long)others);
	plait_data_release(x);
	plait_kernel_release(axpy);
	plait_flow_release(flow);
	plait_context_release(flow_rig.context);
	OK(all_gone());
}

#endif

static const struct tap_scenario all[] = {
#ifndef FLOW_DRIVER
	{ "launches that come again", again },
	{ "descriptors", descriptors }, { "refusals", unsupported },
	{ "too little memory", memory },
#endif
	{ "chains", chains },		{ "splits", splits },
	{ "failures", failures },	{ "releases", releases },
	{ "cancellation", cancels },
};

TAP_MAIN(all)
