/* SPDX-License-Identifier: MIT */
/* Engine of plans whose devices are all the host; see README.md. */
#ifndef PLAIT_SRC_RUN_HOST_HOST_ENGINE_H
#define PLAIT_SRC_RUN_HOST_HOST_ENGINE_H

#include "run/engine.h"

extern const plait__engine plait__host_engine;

#endif
