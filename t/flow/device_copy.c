/* SPDX-License-Identifier: MIT */
/* Copies of flows on devices, and launches of host code there, which map whole buffers
 * and write them back: the order of both. */
#include "device_floats.h"

static bool open_on(uint32_t devices, const char *options)
{
	const struct flow_setting setting = { 1, 0 };

	flow_backends = "host,chaos";
	flow_devices = devices;
	flow_options = options;
	return open_flow(&setting, 64);
}

/* Launch y += x of a half of y; returns the task. */
static plait_task launch_half(plait_kernel *kernel, plait_data *x,
			      plait_data *y, uint64_t first)
{
	const plait_box half = { { first, 0, 0 }, { first + N / 2, 1, 1 } };
	plait_data *part = NULL;
	plait_task task = 0;
	float a = 1;

	OK(plait_data_part(y, &half, &part, NULL) == PLAIT_OK);
	OK_THAT(plait_flow_launch(
			flow, kernel, PLAIT_ITEMS(N / 2),
			PLAIT_ARGUMENTS(PLAIT_VALUE(a), PLAIT_DATA(x),
					PLAIT_DATA(part)),
			&task, &flow_rig.error) == PLAIT_OK,
		"launch: %s", flow_rig.error.text);
	plait_data_release(part);
	return task;
}

/* A launch of host code maps all of y: it is behind a launch that writes the
 * other half, which waits for the mapping of x, also if later ops of its lane are
 * done. */
static void run_mapped(uint32_t devices, const char *options,
		       plait_kernel *(*make)(void))
{
	plait_data *w, *x, *y, *z;
	plait_kernel *first, *axpy;
	plait_task mapped;
	void *pointer = NULL;

	if (!open_on(devices, options))
		return;
	first = make();
	axpy = new_axpy();
	w = new_floats("w", 1);
	x = new_floats("x", 1);
	y = new_floats("y", 1);
	z = new_floats("z", 1);
	for (uint32_t i = 0; i < devices; i++) {
		launch(first, 0, w, y, PLAIT_OK);
		launch_half(first, z, z, 0);
	}
	OK(plait_data_map(x, NULL, PLAIT_MAP_READ | PLAIT_MAP_WRITE, &pointer,
			  NULL) == PLAIT_OK);
	launch_half(first, x, y, 0);
	if (make != new_axpy)
		OK(wait_task(launch_half(first, z, z, 0)) == PLAIT_OK);
	OK(plait_data_read(z, NULL, host, NULL) == PLAIT_OK);
	mapped = launch_half(axpy, w, y, N / 2);
	IS_INT(wait_task(mapped), PLAIT_E_DEADLOCK);
	HAS_STR(flow_rig.error.text, "is behind a mapping of");
	OK(plait_data_unmap(x, pointer, NULL) == PLAIT_OK);
	IS_INT(wait_task(mapped), PLAIT_OK);
	OK(plait_data_read(y, NULL, host, NULL) == PLAIT_OK);
	OK(host[0] == 2 && host[N - 1] == 2);
	plait_data_release(w);
	plait_data_release(x);
	plait_data_release(y);
	plait_data_release(z);
	plait_kernel_release(first);
	plait_kernel_release(axpy);
	close_flow();
}

static plait_kernel *new_device_axpy(void)
{
	const plait_source source = {
		.size = sizeof(source),
		.code = "KERNEL(axpy)\n{\n\tEACH(i, 500)\n"
			"\t\ty[i] += a * x[i];\n}\n" };
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .sources = &source, .source_count = 1,
		.signature = "axpy(a: f32, x: in pointer f32, "
			     "y: inout pointer f32)" };
	plait_kernel *kernel = NULL;

	OK_THAT(plait_kernel_create(flow_rig.context, &desc, &kernel,
				    &flow_rig.error) == PLAIT_OK, "%s",
		flow_rig.error.text);
	return kernel;
}

/* Two devices in turn, with memories of their own. */
struct far {
	plait_kernel *first, *axpy; /* device code, host code */
	plait_data *v, *w, *x, *y;
	void *pointer; /* to x, which the caller maps */
};

static bool open_far(struct far *far)
{
	flow_choose = PLAIT_CHOOSE_ROUND_ROBIN;
	if (!open_on(2, "chaos:devices=2,quirks=staged_map"))
		return false;
	far->first = new_device_axpy();
	far->axpy = new_axpy();
	far->v = new_floats("v", 1);
	far->w = new_floats("w", 1);
	far->x = new_floats("x", 1);
	far->y = new_floats("y", 1);
	OK(plait_data_map(far->x, NULL, PLAIT_MAP_READ | PLAIT_MAP_WRITE,
			  &far->pointer, NULL) == PLAIT_OK);
	return true;
}

/* The task waits until x is unmapped. */
static void close_far(struct far *far, plait_task task)
{
	IS_INT(wait_task(task), PLAIT_E_DEADLOCK);
	OK(plait_data_unmap(far->x, far->pointer, NULL) == PLAIT_OK);
	IS_INT(wait_task(task), PLAIT_OK);
	OK(plait_data_read(far->y, NULL, host, NULL) == PLAIT_OK);
	OK(host[0] == 2 && host[N - 1] == 2);
	plait_data_release(far->v);
	plait_data_release(far->w);
	plait_data_release(far->x);
	plait_data_release(far->y);
	plait_kernel_release(far->first);
	plait_kernel_release(far->axpy);
	close_flow();
	flow_choose = 0;
}

/* Launch v += y of a half; returns the task. */
static plait_task read_half(const struct far *far, plait_data *to)
{
	const plait_box half = { { 0, 0, 0 }, { N / 2, 1, 1 } };
	plait_data *part = NULL;
	plait_task task = 0;
	float a = 1;

	OK(plait_data_part(far->y, &half, &part, NULL) == PLAIT_OK);
	OK_THAT(plait_flow_launch(
			flow, far->first, PLAIT_ITEMS(N / 2),
			PLAIT_ARGUMENTS(PLAIT_VALUE(a), PLAIT_DATA(part),
					PLAIT_DATA(to)),
			&task, &flow_rig.error) == PLAIT_OK,
		"launch: %s", flow_rig.error.text);
	plait_data_release(part);
	return task;
}

/* A launch of host code maps all of y on the first device: it is behind a copy of
 * the other half to the second one, which waits for a launch there. */
static void mapped_behind_copy(void)
{
	struct far far;

	if (!open_far(&far))
		return;
	launch(far.first, 0, far.w, far.y, PLAIT_OK);
	(void)read_half(&far, far.v);
	launch(far.first, 0, far.w, far.w, PLAIT_OK);
	(void)read_half(&far, far.x);
	launch_half(far.first, far.w, far.y, 0);
	(void)read_half(&far, far.v);
	close_far(&far, launch_half(far.axpy, far.w, far.y, N / 2));
}

/* A copy of the other half comes behind the launch, which waits for x. */
static void copy_behind_mapped(void)
{
	struct far far;

	if (!open_far(&far))
		return;
	launch(far.first, 1, far.w, far.y, PLAIT_OK);
	launch(far.first, 0, far.w, far.v, PLAIT_OK);
	launch_half(far.axpy, far.x, far.y, N / 2);
	close_far(&far, read_half(&far, far.v));
}

static void mapped(void)
{
	run_mapped(1, "chaos:devices=1,quirks=staged_map", new_device_axpy);
	run_mapped(2, "chaos:devices=2,shared=1,quirks=staged_map", new_axpy);
	run_mapped(2, "chaos:devices=2,shared=1,quirks=staged_map",
		   new_device_axpy);
}

static const struct tap_scenario all[] = {
	{ "host code beside others", mapped },
	{ "host code behind a copy", mapped_behind_copy },
	{ "a copy behind host code", copy_behind_mapped },
};

TAP_MAIN(all)
