/* SPDX-License-Identifier: MIT */
/* Between build.c, which compiles, and host_module.c, which loads. */
#ifndef PLAIT_SRC_SOURCE_BUILD_H
#define PLAIT_SRC_SOURCE_BUILD_H

#include "source/host_module.h"
#include "base/log.h"

/*
 * Compile a text that plait__compose_source wrote as C for this process, or
 * take it from the cache.  Blocks while the compiler runs; what it says is
 * added to `words`.  As plait__build_from_source, but nothing is reported yet.
 */
plait_status plait__build_from_text(const plait__module_text *text,
				    const plait_allocator *allocator,
				    const plait__log *log, plait__text *words,
				    plait__module **out, plait_error *error);

/*
 * Compile `source` (portable or C) for this process, or take it from the
 * cache.  Blocks while the compiler runs.  PLAIT_E_INVALID (it does not
 * compile; the log is the error's detail), PLAIT_E_UNAVAILABLE (no compiler,
 * or it does not work, or there is nowhere to write), PLAIT_E_NOMEM.
 */
plait_status plait__build_from_source(const plait_source *source,
			       const plait__signature *signature,
			       const plait_allocator *allocator,
			       const plait__log *log, plait__module **out,
			       plait_error *error);

#endif
