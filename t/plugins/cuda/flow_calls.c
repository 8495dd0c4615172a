/* SPDX-License-Identifier: MIT */
/*
 * Calls of the driver behind launches of a flow, on the stand-in for CUDA's
 * driver: launches behind a task of the host go to the queue together when that is
 * done, without a callback for each; launches of host code copy nothing when they
 * are submitted.
 */
#include <sched.h>

#include "segments.h"

#include "plait/flow.h"

enum { LAUNCHES = 60 };

static plait_flow *flow;
static plait_data *from, *to;
static plait_kernel *add; /* device code */
static plait_kernel *host_add;
static int is_open;

static int32_t wait_for_gate(void *unused)
{
	(void)unused;
	while (__atomic_load_n(&is_open, __ATOMIC_ACQUIRE) == 0)
		(void)sched_yield();
	return 0;
}

static int32_t add_words(void *const *arguments, const plait_launch *launch,
			 void *unused)
{
	const uint32_t *source = *(uint32_t **)arguments[0];
	uint32_t *target = *(uint32_t **)arguments[1];

	(void)unused;
	for (uint64_t i = 0; i < launch->items[0]; i++)
		target[i] += source[i];
	return 0;
}

static plait_data *new_data(void)
{
	const plait_data_desc desc = { .size = sizeof(desc), .dimensions = 1,
				       .element_bytes = 4,
				       .extent = { WORDS } };
	plait_data *data = NULL;

	OK_THAT(plait_data_create(flow, &desc, &data, &rig.error) == PLAIT_OK,
		"%s", rig.error.text);
	return data;
}

static plait_kernel *new_host_kernel(void)
{
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .function = add_words,
		.signature = "sum(from: in pointer u32, to: inout pointer u32)"
	};
	plait_kernel *kernel = NULL;

	OK_THAT(plait_kernel_create(rig.context, &desc, &kernel, &rig.error) ==
		PLAIT_OK, "%s", rig.error.text);
	return kernel;
}

static bool open_flow(uint32_t lanes)
{
	struct place place = { .backends = "cuda,host", .workers = 2,
			       .builds = true };
	plait_flow_desc desc = { .size = sizeof(desc), .device_count = 1,
				 .device_lanes = lanes };

	standin_prepare("locked=no,waits=0");
	(void)snprintf(place.options, sizeof(place.options),
		       "cuda:driver=%.400s", standin_path);
	if (!open_place(&place))
		return false;
	desc.devices = &rig.device;
	add = new_kernel("add(from: in pointer u32, to: inout pointer u32)",
			 "KERNEL(add) { EACH(i, 16) to[i] += from[i]; }",
			 add_words);
	host_add = new_host_kernel();
	OK_THAT(plait_flow_create(rig.context, &desc, &flow, &rig.error) ==
		PLAIT_OK, "%s", rig.error.text);
	from = new_data();
	to = new_data();
	return true;
}

static void close_flow(void)
{
	plait_data_release(from);
	plait_data_release(to);
	plait_flow_release(flow);
	plait_kernel_release(add);
	plait_kernel_release(host_add);
	close_place();
}

static void submit(const plait_task_desc *desc)
{
	OK_THAT(plait_flow_submit(flow, desc, NULL, &rig.error) == PLAIT_OK,
		"%s", rig.error.text);
}

static void fill(plait_data *data, uint32_t value)
{
	submit(&(plait_task_desc){ .size = sizeof(plait_task_desc),
				   .kind = PLAIT_TASK_FILL, .target = data,
				   .pattern = value });
}

/* A task of the host that ends when the gate is open, and writes `data`. */
static void hold(plait_data *data)
{
	const plait_access access = { .size = sizeof(access), .data = data,
				      .mode = PLAIT_ACCESS_READ_WRITE };

	is_open = 0;
	submit(&(plait_task_desc){ .size = sizeof(plait_task_desc),
				   .kind = PLAIT_TASK_CALL,
				   .function = wait_for_gate,
				   .accesses = &access, .access_count = 1 });
}

static void launch_kernel(plait_kernel *kernel)
{
	const plait_launch room = { .size = sizeof(room),
				    .items = { WORDS, 1, 1 } };
	const plait_argument arguments[] = { PLAIT_DATA(from),
					     PLAIT_DATA(to) };

	submit(&(plait_task_desc){ .size = sizeof(plait_task_desc),
				   .kernel = kernel, .launch = &room,
				   .arguments = arguments,
				   .argument_count = 2 });
}

static void launch(void)
{
	launch_kernel(add);
}

static void finish(void)
{
	OK_THAT(plait_flow_wait(flow, 0, PLAIT_FOREVER, &rig.error) ==
		PLAIT_OK, "%s", rig.error.text);
}

static void read_first(uint32_t *out)
{
	uint32_t words[WORDS];

	OK(plait_data_read(to, NULL, words, &rig.error) == PLAIT_OK);
	*out = words[0];
}

static void check_stretch(bool holds, uint32_t lanes)
{
	uint64_t launches, callbacks, records, tickets;
	uint32_t got;

	if (!open_flow(lanes))
		return;
	fill(from, 1);
	fill(to, 0);
	launch();
	finish();
	if (holds)
		hold(from);
	launches = rig_calls("cuLaunchKernel");
	callbacks = rig_calls("cuStreamAddCallback");
	records = rig_calls("cuEventRecord");
	tickets = rig_calls("cuStreamWriteValue32");
	for (int i = 0; i < LAUNCHES; i++)
		launch();
	__atomic_store_n(&is_open, 1, __ATOMIC_RELEASE);
	finish();
	launches = rig_calls("cuLaunchKernel") - launches;
	callbacks = rig_calls("cuStreamAddCallback") - callbacks;
	records = rig_calls("cuEventRecord") - records;
	tickets = rig_calls("cuStreamWriteValue32") - tickets;
	NOTE("%llu launches: %llu callbacks, %llu records, %llu tickets",
	     (unsigned long long)launches, (unsigned long long)callbacks,
	     (unsigned long long)records, (unsigned long long)tickets);
	IS_UINT(launches, LAUNCHES);
	OK(callbacks <= LAUNCHES / 4);
	/* The lanes' streams are not exact: no event and no ticket for each. */
	if (holds) {
		OK(records <= LAUNCHES / 4);
		OK(tickets <= LAUNCHES / 4);
	}
	read_first(&got);
	IS_UINT(got, 1 + LAUNCHES);
	close_flow();
}

static void behind_host(void)
{
	check_stretch(true, 1);
}

static void in_lanes(void)
{
	check_stretch(true, 4);
}

static void stretch(void)
{
	check_stretch(false, 1);
}

/* A mapping is a copy of all the memory. */
static void host_code(void)
{
	uint64_t copies;
	uint32_t got;

	if (!open_flow(1))
		return;
	fill(from, 1);
	fill(to, 0);
	finish();
	hold(from);
	copies = rig_calls("cuMemcpyDtoHAsync");
	launch_kernel(host_add);
	IS_UINT(rig_calls("cuMemcpyDtoHAsync") - copies, 0);
	__atomic_store_n(&is_open, 1, __ATOMIC_RELEASE);
	finish();
	read_first(&got);
	IS_UINT(got, 1);
	close_flow();
}

static const struct tap_scenario all[] = {
	{ "launches behind a task of the host", behind_host },
	{ "the same in four lanes", in_lanes },
	{ "launches behind none", stretch },
	{ "a launch of host code", host_code },
};

TAP_MAIN(all)
