/* SPDX-License-Identifier: MIT */
/* Kernels that a device compiles and runs itself: errors when it cannot, when a
 * slot fails, and when memory runs out while one is built or launched. */
#include "lib/suite.h"

#include <stdio.h>

static const char text[] = "KERNEL(double_it)\n"
	"{\n\tEACH(i, n)\n\t\tx[i] += x[i];\n}\n";

static const plait_source source = { .size = sizeof(source), .code = text };

static const plait_kernel_desc kernel_desc = {
	.size = sizeof(kernel_desc),
	.signature = "double_it(x: inout pointer i32, n: u64)",
	.sources = &source, .source_count = 1,
};

static plait_error error = { .size = sizeof(error) };

/* ---- an allocator that fails once ---- */

static uint64_t fail_at, call_number;

static void *resize(void *user_data, void *pointer, uint64_t old_bytes,
		    uint64_t new_bytes)
{
	(void)user_data;
	(void)old_bytes;
	if (new_bytes == 0) {
		free(pointer);
		return NULL;
	}
	if (__atomic_add_fetch(&call_number, 1, __ATOMIC_RELAXED) ==
	    __atomic_load_n(&fail_at, __ATOMIC_RELAXED))
		return NULL;
	return realloc(pointer, new_bytes);
}

static const plait_allocator allocator = { sizeof(allocator), 0, resize, NULL };

/* ---- a context of simulated devices ---- */

struct world {
	plait_context *context;
	plait_device *device;
	plait_queue *queue;
	plait_buffer *buffer;
};

static bool open_world(struct world *world, const char *backends,
		       const char *wrap, const char *options)
{
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = backends, .wrap = wrap,
		.options = options, .allocator = &allocator,
		.flags = PLAIT_CONTEXT_NO_WORKERS,
	};
	const plait_buffer_desc buffer = { .size = sizeof(buffer),
					   .bytes = 4 * sizeof(int32_t) };

	suite_folder();
	return OK_THAT(plait_context_open(&desc, &world->context, &error) ==
		       PLAIT_OK, "open: %s", error.text) &&
	       OK(plait_context_device(world->context, 0, &world->device,
				       &error) == PLAIT_OK) &&
	       OK(plait_queue_create(world->device, NULL, &world->queue,
				     &error) == PLAIT_OK) &&
	       OK(plait_buffer_create(world->device, &buffer, &world->buffer,
				      &error) == PLAIT_OK);
}

static void close_world(struct world *world)
{
	plait_buffer_release(world->buffer);
	plait_queue_release(world->queue);
	plait_context_release(world->context);
}

static plait_status launch(struct world *world, plait_kernel *kernel)
{
	const uint64_t count = 4;
	const plait_argument arguments[] = {
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_BUFFER, .buffer = world->buffer },
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_VALUE, .value = &count, .bytes = 8 },
	};

	return plait_queue_launch(world->queue, kernel, NULL, arguments, 2,
				  &error);
}

/* 1, 2, 3, 4 becomes 2, 4, 6, 8. */
static void doubles(struct world *world, plait_kernel *kernel)
{
	int32_t values[4] = { 1, 2, 3, 4 };

	OK(plait_queue_write(world->queue, world->buffer, 0, values,
			     sizeof(values), &error) == PLAIT_OK);
	OK_THAT(launch(world, kernel) == PLAIT_OK, "launch: %s", error.text);
	OK(plait_queue_read(world->queue, world->buffer, 0, values,
			    sizeof(values), &error) == PLAIT_OK);
	OK(values[0] == 2 && values[1] == 4 && values[2] == 6 &&
	   values[3] == 8);
}

/* ---- scenarios ---- */

static void no_device_compiles_it(void)
{
	struct world world;
	plait_kernel *kernel = (plait_kernel *)&world;

	if (!open_world(&world, "chaos", NULL,
			"chaos:kernels=0,host_calls=0"))
		return;
	IS_INT(plait_kernel_create(world.context, &kernel_desc, &kernel,
				   &error), PLAIT_E_UNSUPPORTED);
	IS_PTR(kernel, NULL);
	HAS_STR(error.text, "double_it");
	HAS_STR(error.text, "chaos");
	HAS_STR(error.text, "portable source");
	close_world(&world);
}

/* Equal results of a source on the device itself, and as a host function on
 * it. */
static void both_ways(void)
{
	static const char *const options[] = { "chaos:kernels=1",
					       "chaos:kernels=0" };

	for (size_t i = 0; i < TAP_COUNT(options); i++) {
		plait_device_info info = { .size = sizeof(info) };
		struct world world;
		plait_kernel *kernel;

		if (!open_world(&world, "chaos,host", "check", options[i]))
			return;
		OK(plait_device_query(world.device, &info, &error) ==
		   PLAIT_OK);
		IS_UINT(info.forms, i == 0 ? 1 << PLAIT_SOURCE_PORTABLE |
					     1 << PLAIT_SOURCE_C : 0);
		OK_THAT(plait_kernel_create(world.context, &kernel_desc,
					    &kernel, &error) == PLAIT_OK,
			"%s", error.text);
		doubles(&world, kernel);
		plait_kernel_release(kernel);
		close_world(&world);
	}
}

/* The slot fails once, with its status; then it works. */
static void slots_fail(void)
{
	static const char *const slots[] = { "kernel_build", "kernel_query",
					     "launch_create" };

	for (size_t i = 0; i < TAP_COUNT(slots); i++) {
		char options[80];
		struct world world;
		plait_kernel *kernel = NULL;
		plait_status status;

		snprintf(options, sizeof(options),
			 "chaos:devices=1;fault:fail=1,status=busy,slot=%s",
			 slots[i]);
		if (!open_world(&world, "chaos", "fault", options))
			return;
		status = plait_kernel_create(world.context, &kernel_desc,
					     &kernel, &error);
		if (i == 2 && OK(status == PLAIT_OK))
			status = launch(&world, kernel);
		IS_INT(status, PLAIT_E_BUSY);
		HAS_STR(error.text, "fault");
		HAS_STR(error.text, slots[i]);
		if (kernel == NULL)
			OK_THAT(plait_kernel_create(world.context, &kernel_desc,
						    &kernel, &error) ==
				PLAIT_OK, "%s", error.text);
		doubles(&world, kernel);
		plait_kernel_release(kernel);
		close_world(&world);
	}
}

/* Each allocation of building and launching fails once. */
static void memory_runs_out(void)
{
	struct world world;
	plait_kernel *kernel = NULL;
	plait_status status = PLAIT_E_NOMEM;
	uint64_t k, at;

	if (!open_world(&world, "chaos", NULL, "chaos:devices=1"))
		return;
	OK(plait_kernel_create(world.context, &kernel_desc, &kernel, &error) ==
	   PLAIT_OK);
	plait_kernel_release(kernel);
	for (k = 1; k < 1000; k++) {
		kernel = NULL;
		at = __atomic_load_n(&call_number, __ATOMIC_RELAXED) + k;
		__atomic_store_n(&fail_at, at, __ATOMIC_RELAXED);
		status = plait_kernel_create(world.context, &kernel_desc,
					     &kernel, &error);
		if (status == PLAIT_OK)
			status = launch(&world, kernel);
		/* An allocation that was not reached was not needed. */
		if (at > __atomic_load_n(&call_number, __ATOMIC_RELAXED))
			k = 1000;
		__atomic_store_n(&fail_at, 0, __ATOMIC_RELAXED);
		/* The cache may be left out, and the code built again. */
		if (status != PLAIT_OK && status != PLAIT_E_NOMEM)
			break;
		plait_kernel_release(kernel);
		OK(plait_queue_finish(world.queue, PLAIT_FOREVER, &error) ==
		   PLAIT_OK);
	}
	OK_THAT(status == PLAIT_OK, "in the end it works: %d, %s", status,
		error.text);
	OK(plait_kernel_create(world.context, &kernel_desc, &kernel, &error) ==
	   PLAIT_OK);
	doubles(&world, kernel);
	plait_kernel_release(kernel);
	close_world(&world);
}

static const struct tap_scenario all[] = {
	{ "no device compiles it", no_device_compiles_it },
	{ "both ways", both_ways },
	{ "slots fail", slots_fail },
	{ "memory runs out", memory_runs_out },
};

TAP_MAIN(all)
