/* SPDX-License-Identifier: MIT */
/*
 * Epilogue: C that is appended to a text for the host.  The object exports
 * plait_run, which executes a part of a launch, and plait_shape, which says how
 * launches may be divided.  host_module.h declares the other side.
 */
#ifndef PLAIT_SRC_SOURCE_EPILOGUE_H
#define PLAIT_SRC_SOURCE_EPILOGUE_H

#include "source/compose.h"

/* Append to portable source: the kernel runs for all elements or groups. */
void plait__epilogue_add(plait__text *out, const plait__signature *signature);

/* Append to C: the function `entry` executes a whole launch. */
void plait__epilogue_add_plain(plait__text *out, const plait_source *source,
			       const plait__signature *signature);

#endif
