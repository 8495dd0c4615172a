/* SPDX-License-Identifier: MIT */
/* Kernels of a flow's launches: the flow holds each of them, instead of each of
 * its launches.  Callers hold the lock. */
#ifndef PLAIT_SRC_FLOW_FLOW_KERNELS_H
#define PLAIT_SRC_FLOW_FLOW_KERNELS_H

#include "flow/flow_object.h"

/* Find the flow's entry of a kernel, which is made for its first launch: then all
 * entries move.  PLAIT_E_HANDLE, PLAIT_E_INVALID, PLAIT_E_UNSUPPORTED,
 * PLAIT_E_NOMEM. */
plait_status plait__flow_kernels_take(plait__flow *flow, plait_kernel *handle,
				      plait__flow_kernel **out,
				      plait__object **closing,
				      plait_error *error);

/* Returns the flow's entry of a kernel that has one and is not released, or null. */
plait__flow_kernel *plait__flow_kernels_find(plait__flow *flow,
					     const plait_kernel *handle);

/* Read the geometry of a launch; null: one item. */
plait_status plait__flow_kernels_geometry(const plait__kernel *kernel,
					  const plait_launch *given,
					  plait_launch *out,
					  plait_error *error);

#endif
