/* SPDX-License-Identifier: MIT */
/* Sized structs of kernels and launches. */
#include "sizes.h"

static plait_status create(const plait_kernel_desc *desc)
{
	plait_kernel *kernel = NULL;
	plait_status status = plait_kernel_create(stage.rig.context, desc,
						  &kernel, &stage.error);

	plait_kernel_release(kernel);
	return status;
}

static plait_status try_kernel(struct trial *trial)
{
	const plait_kernel_desc good = { .signature = "f(n: u32)",
					 .function = stage.touch };

	return create(GIVEN(good));
}

/* For a device that does not exist: they are only looked at. */
static plait_status try_source(struct trial *trial)
{
	const plait_source good[] = {
		{ .form = PLAIT_SOURCE_PTX, .code = "first" },
		{ .form = PLAIT_SOURCE_OPENCL_C, .code = "second" },
	};
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .signature = "f(n: u32)",
		.function = stage.touch, .sources = GIVEN_ALL(good),
		.source_count = TAP_COUNT(good)
	};

	return create(&desc);
}

static plait_status launch(const plait_launch *launch,
			   const plait_argument *arguments)
{
	plait_status status = plait_queue_launch(stage.rig.queue, stage.kernel,
						 launch, arguments, 2,
						 &stage.error);

	if (status == PLAIT_OK)
		status = plait_queue_finish(stage.rig.queue, PLAIT_FOREVER,
					    &stage.error);
	return status;
}

static plait_status try_launch(struct trial *trial)
{
	const plait_launch good = { .dimensions = 1, .items = { 2 } };
	const uint32_t by = 1;
	const plait_argument arguments[] = {
		{ .size = sizeof(*arguments), .kind = PLAIT_ARGUMENT_BUFFER,
		  .buffer = stage.buffer },
		{ .size = sizeof(*arguments), .value = &by,
		  .bytes = sizeof(by) },
	};

	return launch(GIVEN(good), arguments);
}

static plait_status try_argument(struct trial *trial)
{
	const uint32_t by = 1;
	const plait_argument good[] = {
		{ .kind = PLAIT_ARGUMENT_BUFFER, .buffer = stage.buffer },
		{ .value = &by, .bytes = sizeof(by) },
	};

	return launch(NULL, GIVEN_ALL(good));
}

const struct sized sized_kernels[] = {
	SIZED(plait_kernel_desc, try_kernel, false),
	SIZED(plait_source, try_source, false),
	SIZED(plait_launch, try_launch, false),
	SIZED(plait_argument, try_argument, false),
	{ .call = NULL }
};
