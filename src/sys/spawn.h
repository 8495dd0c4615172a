/* SPDX-License-Identifier: MIT */
/*
 * Bounded execution of a program: without a shell, with empty standard input,
 * its output collected, and its whole process group killed at the end.
 */
#ifndef PLAIT_SRC_SYS_SPAWN_H
#define PLAIT_SRC_SYS_SPAWN_H

#include <stdint.h>

#include "base/text.h"

enum plait__spawn_end {
	PLAIT__SPAWN_EXITED,  /* `code` is its exit status */
	PLAIT__SPAWN_KILLED,  /* by signal `code` */
	PLAIT__SPAWN_TIMED_OUT,    /* killed after its timeout */
	PLAIT__SPAWN_OUTPUT_LIMIT,    /* killed for its output size */
	PLAIT__SPAWN_UNKNOWN  /* ended, and was reaped elsewhere */
};

struct plait__spawn {
	const char *path;	     /* the program file, never searched */
	const char *const *arguments; /* with the name first, null last */
	const char *const *environment; /* complete, null last */
	uint64_t timeout_ns;
	uint64_t max_output_bytes;
};

struct plait__spawn_result {
	enum plait__spawn_end end;
	int code;
};

/*
 * Run a program; its standard output and standard error are appended to
 * `output`, in order of arrival. Blocks until it has ended; processes that it
 * started are killed then. Returns 0, or the negative errno of a failed start.
 */
int plait__spawn_run(const struct plait__spawn *spawn, plait__text *output,
		     struct plait__spawn_result *out);

#endif
