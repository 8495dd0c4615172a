/* SPDX-License-Identifier: MIT */
/* Links between the memories of devices and of the program. */
#ifndef PLAIT_SRC_OBJECT_CONTEXT_DEVICE_LINK_H
#define PLAIT_SRC_OBJECT_CONTEXT_DEVICE_LINK_H

#include "object/context/device.h"

#include "plait/link.h"

/*
 * Get the link from the memory of `from` to that of `to`, of one context; null,
 * but not both: the memory of the program. The figures are those that the
 * backends tell, or assumed; bytes_per_us is not 0. Fails as
 * plait__link_facts_query.
 */
plait_status plait__device_link_query(const plait__device *from,
				      const plait__device *to,
				      plait_link_info *out, plait_error *error);

#endif
