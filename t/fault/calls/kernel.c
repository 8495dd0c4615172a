/* SPDX-License-Identifier: MIT */
/* Kernels and single launches, tried while something fails. */
#include "fault/calls.h"

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
	const plait_command again = {
		.size = sizeof(again), .kind = PLAIT_COMMAND_LAUNCH,
		.kernel = kernel, .launch = &launch, .arguments = arguments,
		.argument_count = 2
	};
	const plait_command both[] = { again, again };
	plait_status status;
	char text[80];
	uint64_t bytes;

	if ((status = plait_kernel_signature(kernel, text, sizeof(text),
					     &bytes, error)) ||
	    (status = plait_kernel_messages(kernel, place->device, text,
					    sizeof(text), &bytes, error)) ||
	    (status = plait_queue_launch(place->queue, kernel, &launch,
					 arguments, 2, error)) ||
	    (status = plait_queue_submit(place->queue, both, 2, NULL, error)))
		return status;
	return plait_queue_finish(place->queue, PLAIT_FOREVER, error);
}

static plait_status launch_flagged(struct place *place, uint32_t flags,
				   plait_error *error)
{
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .flags = flags,
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

static plait_status launch(struct place *place, plait_error *error)
{
	return launch_flagged(place, 0, error);
}

/* The launch is a run.  Other devices than the host refuse it. */
static plait_status launch_coroutine(struct place *place, plait_error *error)
{
	plait_status status = launch_flagged(place, PLAIT_KERNEL_COROUTINE,
					     error);

	return status == PLAIT_E_UNSUPPORTED ? PLAIT_OK : status;
}

static int32_t scale_range(const plait_range *range, void *const *arguments,
			   const plait_launch *launch, void *user_data)
{
	unsigned char *bytes = *(unsigned char **)arguments[1];
	uint64_t i;

	(void)launch;
	(void)user_data;
	for (i = range->begin[0]; i < range->end[0]; i++)
		bytes[i] = (unsigned char)(bytes[i] * *(uint32_t *)arguments[0]);
	return 0;
}

#ifdef HAVE_LIBFFI
static int32_t scale_plain(uint32_t by, unsigned char *bytes)
{
	bytes[0] = (unsigned char)(bytes[0] * by);
	return 0;
}
#endif

/* The other forms: a team of workers, and the shape of a call. */
static plait_status launch_forms(struct place *place, plait_error *error)
{
	plait_kernel_desc desc = {
		.size = sizeof(desc),
		.signature = "scale(by: u32, x: inout pointer u8): i32",
		.range = scale_range
	};
	plait_kernel *kernel = (void *)place;
	plait_status status = plait_kernel_create(place->context, &desc,
						  &kernel, error);

	if (status != PLAIT_OK)
		return kernel == NULL ? status : PLAIT_E_INTERNAL;
	status = launch_scale(place, kernel, error);
	plait_kernel_release(kernel);
#ifdef HAVE_LIBFFI
	if (status != PLAIT_OK)
		return status;
	desc.range = NULL;
	desc.described = (plait_any_function)scale_plain;
	status = plait_kernel_create(place->context, &desc, &kernel, error);
	if (status != PLAIT_OK)
		return kernel == NULL ? status : PLAIT_E_INTERNAL;
	status = launch_scale(place, kernel, error);
	plait_kernel_release(kernel);
#endif
	return status;
}

/* A buffer goes out as a tensor and comes in again. */
static plait_status exchange(struct place *place, plait_error *error)
{
	plait_array array = {
		.size = sizeof(array), .flags = PLAIT_ARRAY_COMPACT,
		.element = PLAIT_ELEMENT_UINT, .element_bits = 8, .lanes = 1,
		.dimensions = 1, .shape = { 64 }
	};
	const plait_import_desc desc = { .size = sizeof(desc),
					 .flags = PLAIT_CALL_ANY_THREAD |
						  PLAIT_TENSOR_LEGACY };
	struct {
		unsigned char tensor[48];
		void *manager;
		void (*deleter)(void *self);
	} *legacy;
	plait_buffer *buffer = (void *)place;
	void *tensor = place;
	plait_status status = plait_array_export(place->buffer, &array,
						 PLAIT_TENSOR_LEGACY, &tensor,
						 error);

	if (status != PLAIT_OK)
		return tensor == NULL ? status : PLAIT_E_INTERNAL;
	status = plait_array_import(place->device, tensor, &desc, &array,
				    &buffer, error);
	if (status == PLAIT_OK) {
		plait_buffer_release(buffer);
		return PLAIT_OK;
	}
	legacy = tensor;
	legacy->deleter(tensor);
	return buffer == NULL ? status : PLAIT_E_INTERNAL;
}

const struct calls_entry calls_kernel[] = {
	{ "plait_kernel_create plait_kernel_release", launch_forms, NULL },
	{ "plait_array_export plait_array_import", exchange, NULL },
	{ "plait_kernel_create plait_kernel_signature plait_kernel_messages "
	  "plait_kernel_retain plait_kernel_release plait_queue_launch",
	  launch, NULL },
	{ "plait_queue_launch", launch_coroutine, NULL },
	{ NULL, NULL, NULL }
};
