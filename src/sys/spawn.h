/* SPDX-License-Identifier: MIT */
/*
 * Running a program to its end, within bounds: no shell, nothing on its
 * standard input, what it prints collected, and nothing of it left behind.
 */
#ifndef PLAIT_SRC_SYS_SPAWN_H
#define PLAIT_SRC_SYS_SPAWN_H

#include <stdint.h>

#include "base/text.h"

enum plait__spawn_end {
	PLAIT__SPAWN_EXITED,  /* `code` is its exit status */
	PLAIT__SPAWN_KILLED,  /* by signal `code` */
	PLAIT__SPAWN_TIMED_OUT,    /* ended by us when its time was over */
	PLAIT__SPAWN_OUTPUT_LIMIT,    /* ended by us when it printed too much */
	PLAIT__SPAWN_UNKNOWN  /* it ended; the host program took its status */
};

struct plait__spawn {
	const char *path;	     /* what is run: a file, never searched */
	const char *const *arguments; /* with the name first, null last */
	const char *const *environment; /* all of it, null last */
	uint64_t timeout_ns;
	uint64_t max_output_bytes;
};

struct plait__spawn_result {
	enum plait__spawn_end end;
	int code;
};

/*
 * Run it; standard output and standard error, as they come, are added to
 * `output`.  0, or the negative errno with which it could not be started.
 * Blocks until it has ended; whatever it started itself is ended then too.
 */
int plait__spawn_run(const struct plait__spawn *spawn, plait__text *output,
		     struct plait__spawn_result *out);

#endif
