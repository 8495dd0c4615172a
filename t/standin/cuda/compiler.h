/* SPDX-License-Identifier: MIT */
/* A stand-in for NVRTC: the functions behind those that it exports. */
#ifndef STANDIN_COMPILER_H
#define STANDIN_COMPILER_H

#include "calls.h"

#define STANDIN_DECLARE_NVRTC(version, name, symbol, parameters, arguments) \
	nvrtcResult standin_##name parameters;
NVRTC_CALLS(STANDIN_DECLARE_NVRTC)

#endif
