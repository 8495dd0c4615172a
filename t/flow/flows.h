/* SPDX-License-Identifier: MIT */
/* Helpers for tests of flows: a context of the host, and a flow on it. */
#ifndef T_FLOWS_H
#define T_FLOWS_H

#include "lib/objects.h"

/* Workers, and lanes of the flow, 0: the default. */
struct flow_setting {
	uint32_t workers;
	uint32_t lanes;
};

static const struct flow_setting flow_settings[] = {
	{ 0, 0 }, { 0, 3 }, { 1, 2 }, { 2, 3 }, { 4, 5 },
};

#define FLOW_SETTINGS TAP_COUNT(flow_settings)

static struct rig flow_rig;
static plait_flow *flow;

/* Backends of the context, null: the host's; the last `flow_devices` devices run
 * the launches, 0: the host does. */
__attribute__((unused)) static const char *flow_backends, *flow_options;
__attribute__((unused)) static uint32_t flow_devices;
__attribute__((unused)) static plait_flow_flags flow_flags;
__attribute__((unused)) static uint64_t flow_memory_bytes;
__attribute__((unused)) static const char *flow_times; /* file, or null */
/* Policies, with PLAIT_CHOOSE_EARLIEST and one lane per device by default. */
__attribute__((unused)) static plait_device_choice flow_choose;
__attribute__((unused)) static plait_parent_choice flow_parent;
__attribute__((unused)) static plait_lane_choice flow_lane;
__attribute__((unused)) static uint32_t flow_device_lanes, flow_threshold;

/* Random programs have repetitions, which keep the memory of their data. */
__attribute__((unused)) static bool flow_has_repetitions = true;

/* Random programs have reductions, which need memory for partial results. */
__attribute__((unused)) static bool flow_has_sums = true;

static inline bool open_devices(plait_device **out)
{
	uint32_t count = 0;
	bool done = OK(plait_context_device_count(flow_rig.context, &count,
						  NULL) == PLAIT_OK) &&
		    OK(count >= flow_devices);

	for (uint32_t i = 0; done && i < flow_devices; i++)
		done = OK(plait_context_device(flow_rig.context,
					       count - flow_devices + i,
					       &out[i], NULL) == PLAIT_OK);
	return done;
}

static inline bool open_flow(const struct flow_setting *setting,
			     uint32_t window)
{
	plait_device *devices[8];
	const plait_flow_desc desc = { .size = sizeof(desc), .window = window,
				       .lanes = setting->lanes,
				       .label = "flow", .devices = devices,
				       .flags = flow_flags,
				       .memory_bytes = flow_memory_bytes,
				       .history = flow_times,
				       .choose = flow_choose,
				       .parent = flow_parent,
				       .lane = flow_lane,
				       .device_lanes = flow_device_lanes,
				       .threshold = flow_threshold,
				       .device_count = flow_devices };

	flow_rig = settings[0];
	if (flow_backends != NULL)
		flow_rig.backend = flow_backends;
	flow_rig.options = flow_options;
	flow_rig.workers = setting->workers;
	flow_rig.flags = setting->workers == 0 ? PLAIT_CONTEXT_NO_WORKERS : 0;
	if (!open_rig(&flow_rig) || !open_devices(devices))
		return false;
	return OK_THAT(plait_flow_create(flow_rig.context, &desc, &flow,
					 &flow_rig.error) == PLAIT_OK,
		       "a flow: %s", flow_rig.error.text);
}

static inline void close_flow(void)
{
	plait_flow_release(flow);
	flow = NULL;
	close_rig(&flow_rig);
}

/* New data, or null after a failed check. */
static inline plait_data *new_data(uint32_t dimensions, uint64_t x, uint64_t y,
				   uint64_t z, uint32_t bytes,
				   const char *label)
{
	const plait_data_desc desc = {
		.size = sizeof(desc), .dimensions = dimensions,
		.element_bytes = bytes, .extent = { x, y, z }, .label = label,
	};
	plait_data *data = NULL;

	OK_THAT(plait_data_create(flow, &desc, &data, &flow_rig.error) ==
		PLAIT_OK, "data: %s", flow_rig.error.text);
	return data;
}

/* Submit a function with accesses; returns its number. */
static inline plait_task call_task(const char *label,
				   plait_host_function function,
				   void *user_data,
				   const plait_access *accesses,
				   uint64_t count)
{
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_CALL, .label = label,
		.function = function, .user_data = user_data,
		.accesses = accesses, .access_count = count,
	};
	plait_task task = 0;

	OK_THAT(plait_flow_submit(flow, &desc, &task, &flow_rig.error) ==
		PLAIT_OK, "submit: %s", flow_rig.error.text);
	return task;
}

static inline plait_access access_of(plait_data *data, uint32_t mode,
				     const plait_box *box)
{
	return (plait_access){ .size = sizeof(plait_access), .mode = mode,
			       .data = data, .box = box };
}

static inline plait_status wait_task(plait_task task)
{
	return plait_flow_wait(flow, task, PLAIT_FOREVER, &flow_rig.error);
}

static inline int32_t run_axpy(void *const *arguments, const plait_launch *launch,
			void *user_data)
{
	float a = *(const float *)arguments[0];
	const float *x = *(const float *const *)arguments[1];
	float *y = *(float *const *)arguments[2];

	(void)user_data;
	for (uint64_t i = 0; i < launch->items[0]; i++)
		y[i] += a * x[i];
	return 0;
}

/* A kernel that is a host function. */
static inline plait_kernel *
new_function_kernel(plait_kernel_function function, const char *signature)
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

static inline plait_kernel *new_axpy(void)
{
	return new_function_kernel(run_axpy, "axpy(a: f32, x: in pointer f32, "
				   "y: pointer f32)");
}

#endif
