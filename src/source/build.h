/* SPDX-License-Identifier: MIT */
/* Builds of host code: compile a text, or take it from the cache, and load
 * it. */
#ifndef PLAIT_SRC_SOURCE_BUILD_H
#define PLAIT_SRC_SOURCE_BUILD_H

#include "source/host_module.h"
#include "base/log.h"

/*
 * Build a text that plait__compose_source() wrote as C, or take it from the
 * cache.  Blocks while the compiler runs; its output is added to `words`.
 * Errors are those of plait__build_from_source(), without the report.  *out is null
 * after one; else the caller ends it with plait__module_destroy(), and `allocator`
 * outlives it.
 */
plait_status plait__build_from_text(const plait__module_text *text,
				    const plait_allocator *allocator,
				    const plait__log *log, plait__text *words,
				    plait__module **out, plait_error *error);

/*
 * Build `source` (portable or C), or take it from the cache.  Blocks while the
 * compiler runs; its output is added to `words`.  PLAIT_E_INVALID (the compiler
 * refuses the text, with its log as the error's detail; or PLAIT_CC or the options
 * are wrong), PLAIT_E_UNAVAILABLE (no compiler, a broken one, or no place to
 * write), PLAIT_E_NOMEM.
 */
plait_status plait__build_from_source(const plait_source *source,
				      const plait__signature *signature,
				      const plait_allocator *allocator,
				      const plait__log *log, plait__text *words,
				      plait__module **out, plait_error *error);

#endif
