/* SPDX-License-Identifier: MIT */
/* Kernels: a signature and the code behind it, immutable after creation.
 * host_code.h has the forms of host functions, device_code.h the device
 * code. */
#ifndef PLAIT_SRC_OBJECT_KERNEL_KERNEL_H
#define PLAIT_SRC_OBJECT_KERNEL_KERNEL_H

#include "plait/kernel.h"

#include "object/kernel/host_code.h"
#include "object/context/context.h"

#include "base/hash.h"
#include "base/text.h"
#include "kernel/intern.h"
#include "source/host_module.h"

typedef struct plait__device_code plait__device_code;

/* Plans of one kernel for its launches on queues. */
enum { PLAIT__KERNEL_LAUNCH_PLANS = 16 };

typedef struct plait__kernel {
	plait__object object;
	const plait__signature *signature;
	/* Executes a whole launch, of any form; null: no host code. */
	plait_kernel_function function;
	void *user_data;
	plait__hash hash; /* of signature, library and sources */
	bool suspends; /* PLAIT_KERNEL_COROUTINE */
	bool is_bound; /* PLAIT_KERNEL_FIRST_WORKER */
	/* Of a coroutine: the objects of its plans, in the order in which
	 * launches on queues have made them (run/api/launch_runs.c); then
	 * null.  Stored under the lock. */
	at_ptr launch_plans[PLAIT__KERNEL_LAUNCH_PLANS];
	struct plait__mutex launch_lock;
	plait__host_code code;
	/* The library that holds `code`, if compiled from source; or null. */
	plait__module *module;
	plait__text messages; /* of its compiler */
	/* Device code per device of the context, or null; device_code.h. */
	plait__device_code *built;
	plait__context *context; /* used by `built`; the object holds it */
} plait__kernel;

PLAIT__OBJECT_ENTER(kernel, PLAIT_OBJECT_KERNEL);

/* PLAIT_E_UNSUPPORTED for a coroutine: a run suspends it, which a command of a
 * device's queue and a launch of a flow do not have.  `remedy` says how to use
 * the plan instead. */
plait_status plait__kernel_check_returns(const plait__kernel *kernel,
					 const char *remedy,
					 plait_error *error);

/* Why a device cannot execute it ("cannot ...", without a subject), or null. */
const char *plait__kernel_lacks(const plait__kernel *kernel,
				const plait__device *device);

/*
 * Returns true if atomic operations of two launches of such kernels on this
 * device commute: the code runs on the memory itself.  A host function on
 * another device's memory works on a mapping of it.
 */
bool plait__kernel_commutes(const plait__kernel *kernel,
			    const plait__device *device);

/*
 * Set the group size of a launch from the kernel's source, if that has one.
 * PLAIT_E_INVALID: the launch asks for another.
 */
plait_status plait__select_source_set_groups(const plait__kernel *kernel,
					     plait_launch *launch,
					     plait_error *error);

#endif
