/* SPDX-License-Identifier: MIT */
/*
 * Devices: created and ended with their context, which has the only reference.
 * A thread that enters by a device's handle holds the context.
 */
#ifndef PLAIT_SRC_OBJECT_CONTEXT_DEVICE_H
#define PLAIT_SRC_OBJECT_CONTEXT_DEVICE_H

#include "object/context/context.h"

/* Number of the memory of the program, which devices of the host use. */
enum { PLAIT__PROGRAM_MEMORY = 0 };

struct plait__device {
	plait__object object; /* label: "host:0" */
	plait__backend_port *port;
	uint32_t index; /* in its backend */
	uint32_t memory; /* its number in the context; constant */
	struct plait__mutex lock; /* guards the two below; no lock inside */
	uint64_t budget_bytes;
	uint64_t used_bytes;
};

/* Initialize zeroed memory as device `index` of a port, whose devices before it
 * are initialized. PLAIT_E_NOMEM. */
plait_status plait__device_init(plait__device *device,
				plait__backend_port *port, uint32_t index,
				plait_error *error);
/* End the device with its context: the handle becomes stale. */
void plait__device_fini(plait__device *device);

/* Enter by a handle: holds the context until plait__device_leave. PLAIT_E_HANDLE,
 * also if the context has ended. */
plait_status plait__device_enter(plait_device *handle, plait__device **out,
				 plait_error *error);
void plait__device_leave(plait__device *device);

/* Returns true if the host engine may run commands of the device. */
bool plait__device_is_host(const plait__device *device);

const plait_backend_device *plait__device_facts(const plait__device *device);

/* Bit mask of the forms of code that the device accepts. */
uint32_t plait__device_forms(const plait__device *device);

/* PLAIT_E_UNSUPPORTED with `what`, the use that needs the capability, or all of
 * several. */
plait_status plait__device_check_can(const plait__device *device,
				     uint32_t capability, const char *what,
				     plait_error *error);

/* Charge memory to the budget before its creation; uncharge it. PLAIT_E_NOMEM
 * with the numbers. */
plait_status plait__device_reserve_bytes(plait__device *device, uint64_t bytes,
					 plait_error *error);
void plait__device_unreserve_bytes(plait__device *device, uint64_t bytes);

#endif
