/* SPDX-License-Identifier: MIT */
/*
 * The only door to the environment.  In a program that runs with more rights
 * than its user (setuid, setgid, capabilities) every variable is absent.
 */
#ifndef PLAIT_SRC_SYS_ENV_H
#define PLAIT_SRC_SYS_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each variable that is a number; what it may be and what it is without one
 * has its place in a table of env.c. */
enum plait__env_number {
	PLAIT__ENV_WORKERS,
	PLAIT__ENV_SYNC,
	PLAIT__ENV_REGIONS,
	PLAIT__ENV_LANES,
	PLAIT__ENV_HOP_NS,
	PLAIT__ENV_SEGMENTS,
	PLAIT__ENV_CC_SECONDS,
	PLAIT__ENV_CACHE,
	PLAIT__ENV_CACHE_MAX,
	PLAIT__ENV_NUMBERS
};

enum { PLAIT__ENV_MAX_WORKERS = 1024 };

/* The value, borrowed until the program changes its environment, or null. */
const char *plait__env_get(const char *name);

/* Does this process run with more rights than its user? */
bool plait__env_privileged(void);

/*
 * True: set, and a number that it may be, in *out.  Else *out stays what it is,
 * which is what counts then: not set, empty, or something that a context has
 * complained about when it was opened.
 */
bool plait__env_query_number(enum plait__env_number which, uint64_t *out);

/*
 * Is it set to what it cannot be?  Then `out` says so, in one line: its name,
 * its value, what is allowed, and what is used instead unless that is an error.
 */
bool plait__env_describe_error(enum plait__env_number which, char *out,
			       size_t out_bytes);

/* Where a value that was passed over would have work run elsewhere, or would
 * hide its errors, there is no context with one. */
bool plait__env_is_strict(enum plait__env_number which);

#endif
