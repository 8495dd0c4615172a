/* SPDX-License-Identifier: MIT */
/* C compiler of the system: search, identity, and execution on one file. */
#ifndef PLAIT_SRC_SOURCE_COMPILER_H
#define PLAIT_SRC_SOURCE_COMPILER_H

#include <limits.h>

#include "base/text.h"

enum { PLAIT__COMPILER_WORDS = 48, PLAIT__COMPILER_LINE_BYTES = 4096 };

typedef struct plait__compiler {
	char path[PATH_MAX]; /* program to execute */
	/* Words of PLAIT_CC, then those of one run; stored in `line`. */
	const char *words[PLAIT__COMPILER_WORDS];
	uint32_t count;
	char line[PLAIT__COMPILER_LINE_BYTES];
	uint64_t used;
} plait__compiler;

/*
 * Find the compiler: PLAIT_CC, a name or an absolute path with fixed arguments
 * separated by blanks; else the first of cc, gcc and clang.  Names are looked
 * up in the absolute folders of PATH.  PLAIT_E_UNAVAILABLE names the searched
 * folders, PLAIT_E_INVALID the fault of PLAIT_CC.
 */
plait_status plait__compiler_find(plait__compiler *out, plait_error *error);

/* Append blank-separated words for every run.  PLAIT_E_INVALID: too many; those
 * before stay. */
plait_status plait__compiler_add(plait__compiler *compiler, const char *words,
				 plait_error *error);

/*
 * Describe the identity of the compiler and its flags without running it: file,
 * size, date, and all words.
 */
void plait__compiler_describe(const plait__compiler *compiler,
			      plait__text *out);

/*
 * Compile `from` into the shared object `to`, with temporary files in `folder`.
 * The command line and the compiler's output are added to `log`.
 * PLAIT_E_INVALID: the compiler refuses the text.  PLAIT_E_UNAVAILABLE: the
 * compiler did not start, crashed, took too long or printed too much.
 */
plait_status plait__compiler_run(const plait__compiler *compiler,
				 const char *from, const char *to,
				 const char *folder, plait__text *log,
				 plait_error *error);

/* Preprocess `from` into `to`; otherwise like plait__compiler_run(). */
plait_status plait__compiler_preprocess(const plait__compiler *compiler,
					const char *from, const char *to,
					const char *folder, plait__text *log,
					plait_error *error);

#endif
