/* SPDX-License-Identifier: MIT */
/* Reports of builds: the error for the user, and the files of PLAIT_DUMP. */
#ifndef PLAIT_SRC_SOURCE_BUILD_REPORT_H
#define PLAIT_SRC_SOURCE_BUILD_REPORT_H

#include "plait/code.h"

#include "source/compose.h"
#include "base/log.h"

/* Output of a backend's compiler for one kernel. */
struct plait_build_log {
	plait__text words;
};

/*
 * Fill the error of a failed build and return its status, that of `why`.  The
 * line is the compiler's first complaint, or the text of `why`.  The detail, if
 * the compiler printed anything, is the whole log and the user's text with line
 * numbers.
 */
plait_status plait__report_failure(const plait_source *source,
				   const char *name, const plait_error *why,
				   const plait__text *log, plait_error *error);

/* Log the first warning of a build that succeeded, for a device. */
void plait__report_warning(const char *name, const char *device,
			   const plait__text *words, const plait__log *log);

/* Write the text and the log if PLAIT_DUMP is set: NAME-HASH.c and .log, with
 * the hash of `key`.  Called for each build: compiled, refused, or found in the
 * cache, whose log names the entry alone and replaces an earlier one. */
void plait__report_dump(const plait__module_text *text, const plait__text *key,
			const plait__text *words, const plait__log *log);

/* Likewise for a text that a backend compiles: .cl, .cu or .ptx, with the hash
 * of the text.  Binaries are not written, nor C, which the core compiles. */
void plait__report_dump_code(const plait_code *code, const plait__log *log);

#endif
