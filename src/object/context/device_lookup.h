/* SPDX-License-Identifier: MIT */
/* Lookup of a context's devices by name. */
#ifndef PLAIT_SRC_OBJECT_CONTEXT_DEVICE_LOOKUP_H
#define PLAIT_SRC_OBJECT_CONTEXT_DEVICE_LOOKUP_H

#include "object/context/device.h"

/* Find "host:0", or by "host" the first device of that backend; null: none. */
plait__device *plait__device_find(plait__context *context, const char *name);

#endif
