/* SPDX-License-Identifier: MIT */
/* Helpers for tests of kernels: creation, launches, arguments. */
#ifndef T_KERNELS_H
#define T_KERNELS_H

#include "objects.h"

#define EACH(rig) \
	for (struct rig *rig = settings; rig < settings + SETTINGS; rig++) \
		if (open_rig(rig))

/* One value of any type as an argument. */
#define VALUE(variable) value_of(&(variable), sizeof(variable))

static inline plait_argument value_of(const void *value, uint64_t bytes)
{
	return (plait_argument){ .size = sizeof(plait_argument),
				 .kind = PLAIT_ARGUMENT_VALUE, .value = value,
				 .bytes = bytes };
}

static inline plait_argument memory_of(plait_buffer *buffer, uint64_t offset)
{
	return (plait_argument){ .size = sizeof(plait_argument),
				 .kind = PLAIT_ARGUMENT_BUFFER,
				 .buffer = buffer, .offset_bytes = offset };
}

/* Null, with the reason in the rig, when the kernel cannot be created. */
static inline plait_kernel *make_kernel(struct rig *rig,
					plait_kernel_desc desc)
{
	plait_kernel *kernel = NULL;

	desc.size = sizeof(desc);
	memset(&rig->error, 0, sizeof(rig->error));
	rig->error.size = sizeof(rig->error);
	(void)plait_kernel_create(rig->context, &desc, &kernel, &rig->error);
	return kernel;
}

/* Launch and wait; returns the status of the launch, or of the wait. */
static inline plait_status launch_it(struct rig *rig, plait_kernel *kernel,
				     const plait_launch *launch,
				     const plait_argument *arguments,
				     uint64_t count)
{
	plait_status status = plait_queue_launch(rig->queue, kernel, launch,
						 arguments, count,
						 &rig->error);

	if (status == PLAIT_OK)
		status = plait_queue_finish(rig->queue, PLAIT_FOREVER,
					    &rig->error);
	return status;
}

#endif
