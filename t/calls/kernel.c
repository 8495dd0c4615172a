/* SPDX-License-Identifier: MIT */
/* Kernels and single launches, tried while something fails. */
#include "calls.h"

static int32_t scale(void *const *arguments, const plait_launch *launch,
		     void *user_data)
{
	unsigned char *bytes = *(unsigned char **)arguments[1];
	uint64_t i;

	(void)user_data;
	for (i = 0; i < launch->items[0]; i++)
		bytes[i] = (unsigned char)(bytes[i] * *(uint32_t *)arguments[0]);
	return 0;
}

static plait_status launch_scale(struct place *place, plait_kernel *kernel,
				 plait_error *error)
{
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { 64 } };
	const uint32_t factor = 3;
	const plait_argument arguments[] = {
		{ .size = sizeof(plait_argument), .value = &factor,
		  .bytes = sizeof(factor) },
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_BUFFER, .buffer = place->buffer }
	};
	plait_status status;
	char text[80];
	uint64_t bytes;

	if ((status = plait_kernel_signature(kernel, text, sizeof(text),
					     &bytes, error)) ||
	    (status = plait_queue_launch(place->queue, kernel, &launch,
					 arguments, 2, error)))
		return status;
	return plait_queue_finish(place->queue, PLAIT_FOREVER, error);
}

static plait_status launch(struct place *place, plait_error *error)
{
	const plait_kernel_desc desc = {
		.size = sizeof(desc),
		.signature = "scale(by: u32, x: inout pointer u8)",
		.function = scale
	};
	plait_kernel *kernel = (void *)place;
	plait_status status = plait_kernel_create(place->context, &desc,
						  &kernel, error);

	if (status != PLAIT_OK)
		return kernel == NULL ? status : PLAIT_E_INTERNAL;
	status = launch_scale(place, kernel, error);
	plait_kernel_retain(kernel);
	plait_kernel_release(kernel);
	/* Work in flight keeps it. */
	plait_kernel_release(kernel);
	return status;
}

const struct calls_entry calls_kernel[] = {
	{ "plait_kernel_create plait_kernel_signature plait_kernel_retain "
	  "plait_kernel_release plait_queue_launch", launch },
	{ NULL, NULL }
};
