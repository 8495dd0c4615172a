/* SPDX-License-Identifier: MIT */
/*
 * Kernel objects, which launches of a kernel share.  A driver keeps arguments in
 * the kernel object and reads them when a launch is enqueued, so what a launch
 * needs is set before, if another one has used the object since.
 *
 * A few objects: the first launches of a kernel have one each, of which nothing is
 * set again.  Not more: drivers find an object in a table of all, so that a
 * thousand of them cost more than an argument that is set.
 */
#ifndef PLAITP_OPENCL_OBJECT_H
#define PLAITP_OPENCL_OBJECT_H

#include "kernel.h"
#include "segment.h"

/* Words of an argument's value; hidden offsets follow the parameters. */
uint32_t plaitp_opencl_object_words(const plait_backend_kernel *kernel,
				    uint32_t index);
/* Returns the argument, of which the value is at this place. */
struct opencl_argument
plaitp_opencl_object_argument(const plait_backend_kernel *kernel,
			      uint32_t index, const uint64_t *place);

/* Give the launch, whose values are complete, an object, and let the driver judge
 * them; *out_index is the argument that it has refused.  Takes arguments_lock. */
struct opencl_call plaitp_opencl_object_take(plait_backend *self,
					     plait_backend_launch *launch,
					     uint32_t *out_index);
/* Also without an object.  Waits for no lock that is held during a call of the
 * driver. */
void plaitp_opencl_object_drop(plait_backend *self,
			       plait_backend_launch *launch);
/* Set those arguments of the launch that the object does not have.  Caller holds
 * arguments_lock until it has used the object. */
cl_int plaitp_opencl_object_set(plait_backend *self,
				const plait_backend_launch *launch);
/* Change a number among the values of a launch, for this and later enqueues.
 * Caller holds arguments_lock. */
cl_int plaitp_opencl_object_number(plait_backend *self,
				   plait_backend_launch *launch, uint32_t index,
				   uint64_t number);
/* Set them and enqueue the launch.  Caller holds arguments_lock. */
struct opencl_call plaitp_opencl_object_enqueue(
	plait_backend *self, cl_command_queue queue,
	const plait_backend_launch *launch, cl_uint wait_count,
	const cl_event *waits, cl_event *event);

#endif
