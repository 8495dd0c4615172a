/* SPDX-License-Identifier: MIT */
/*
 * The system's C compiler: which one, how it is told apart from another, and
 * running it on one file.
 */
#ifndef PLAIT_SRC_SOURCE_COMPILER_H
#define PLAIT_SRC_SOURCE_COMPILER_H

#include <limits.h>

#include "base/text.h"

enum { PLAIT__COMPILER_WORDS = 48, PLAIT__COMPILER_LINE_BYTES = 4096 };

typedef struct plait__compiler {
	char path[PATH_MAX]; /* what is run */
	/* PLAIT_CC's words, and behind them those of one run; in `line`. */
	const char *words[PLAIT__COMPILER_WORDS];
	uint32_t count;
	char line[PLAIT__COMPILER_LINE_BYTES];
	uint64_t used;
} plait__compiler;

/*
 * PLAIT_CC: a name or an absolute path, and what it is always told, with
 * blanks between.  Else cc, gcc or clang, the first that there is.  Names
 * are looked up in the absolute folders of PATH.  PLAIT_E_UNAVAILABLE says
 * where was looked, PLAIT_E_INVALID what is wrong with PLAIT_CC.
 */
plait_status plait__compiler_find(plait__compiler *out, plait_error *error);

/* Add words, with blanks between, that every run gets. */
plait_status plait__compiler_add(plait__compiler *compiler, const char *words,
				 plait_error *error);

/*
 * What tells this compiler and its flags from others, without running it:
 * file, size, date, and all words.
 */
void plait__compiler_describe(const plait__compiler *compiler,
			      plait__text *out);

/*
 * Compile `from` into the shared object `to`, with temporary files in
 * `folder`.  What the compiler prints is added to `log`, after its command
 * line.  PLAIT_OK; PLAIT_E_INVALID when it says that the text is wrong; else
 * PLAIT_E_UNAVAILABLE: it could not be run, crashed, took too long, printed
 * too much.  The text of the error ends with what happened.
 */
plait_status plait__compiler_run(const plait__compiler *compiler,
				 const char *from, const char *to,
				 const char *folder, plait__text *log,
				 plait_error *error);

#endif
