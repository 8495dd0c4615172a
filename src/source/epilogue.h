/* SPDX-License-Identifier: MIT */
/*
 * What stands behind a text that is compiled for the host, and is found in the
 * object: plait_run, which does a part of a launch, and plait_shape, which says
 * how launches may be divided.  src/source/host_module.h has the other side.
 */
#ifndef PLAIT_SRC_SOURCE_EPILOGUE_H
#define PLAIT_SRC_SOURCE_EPILOGUE_H

#include "source/compose.h"

/* Behind portable source: its kernel is run for all elements or groups. */
void plait__epilogue_add(plait__text *out, const plait__signature *signature);

/* Behind C: the function `entry` does all of a launch. */
void plait__epilogue_add_plain(plait__text *out, const plait_source *source,
			       const plait__signature *signature);

#endif
