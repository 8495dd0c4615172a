/* SPDX-License-Identifier: MIT */
/* Between build.c, which compiles, and host_module.c, which loads. */
#ifndef PLAIT_SRC_SOURCE_BUILD_H
#define PLAIT_SRC_SOURCE_BUILD_H

#include "source/host_module.h"

/* Load a shared object that a compiler made of a composed text. */
plait_status plait__module_load(const char *path,
			      const plait_allocator *allocator,
			      plait__module **out, plait_error *error);

#endif
