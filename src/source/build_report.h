/* SPDX-License-Identifier: MIT */
/* What is told about a build: to the user, and to the folder PLAIT_DUMP. */
#ifndef PLAIT_SRC_SOURCE_BUILD_REPORT_H
#define PLAIT_SRC_SOURCE_BUILD_REPORT_H

#include "plait/code.h"

#include "source/compose.h"
#include "base/log.h"

/* What a backend's compiler said while it built one kernel. */
struct plait_build_log {
	plait__text words;
};

/*
 * The error of a build that failed: its status is `why`'s, its line has the
 * compiler's first complaint or what `why` says, its detail, when a compiler
 * said anything, the whole log and the user's text with line numbers.  Returns
 * the status.
 */
plait_status plait__report_failure(const plait_source *source,
				   const char *name, const plait_error *why,
				   const plait__text *log, plait_error *error);

/* Keep the text and the log, if PLAIT_DUMP is set: NAME-HASH.c and .log, where
 * the hash is of `key`. */
void plait__report_dump(const plait__module_text *text, const plait__text *key,
			const plait__text *words, const plait__log *log);

#endif
