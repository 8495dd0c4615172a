/* SPDX-License-Identifier: MIT */
/* Finding the devices of a context. */
#ifndef PLAIT_SRC_OBJECT_CONTEXT_DEVICE_LOOKUP_H
#define PLAIT_SRC_OBJECT_CONTEXT_DEVICE_LOOKUP_H

#include "object/context/device.h"

/* "host:0", or "host" for the first one of that backend; null: none. */
plait__device *plait__device_find(plait__context *context, const char *name);

#endif
