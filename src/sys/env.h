/* SPDX-License-Identifier: MIT */
/*
 * The only access to the environment. In a process with more privileges than
 * its user (setuid, setgid, capabilities) every variable is absent.
 */
#ifndef PLAIT_SRC_SYS_ENV_H
#define PLAIT_SRC_SYS_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The numeric variables; a table in env.c has their ranges and fallbacks. */
enum plait__env_number {
	PLAIT__ENV_WORKERS,
	PLAIT__ENV_SYNC,
	PLAIT__ENV_CHECK,
	PLAIT__ENV_REGIONS,
	PLAIT__ENV_LANES,
	PLAIT__ENV_LANES_GAIN_NS,
	PLAIT__ENV_SEGMENTS,
	PLAIT__ENV_CC_SECONDS,
	PLAIT__ENV_CACHE,
	PLAIT__ENV_CACHE_MAX,
	PLAIT__ENV_COROUTINE_STACK,
	PLAIT__ENV_COROUTINES,
	PLAIT__ENV_COROUTINE_BYTES,
	PLAIT__ENV_NUMBERS
};

enum { PLAIT__ENV_MAX_WORKERS = 1024 };

/* Returns the value, which is valid until the program changes its
 * environment, or null. */
const char *plait__env_get(const char *name);

/* Returns true if this process has more privileges than its user. */
bool plait__env_privileged(void);

/*
 * Returns true with the number in *out if the variable has a valid value.
 * Otherwise (unset, empty, or invalid, which was reported when the context was
 * opened) *out keeps the caller's default.
 */
bool plait__env_query_number(enum plait__env_number which, uint64_t *out);

/*
 * Returns true if the variable has an invalid value; `out` then names the
 * variable, its value, the valid range and the fallback, if any, in one line.
 */
bool plait__env_describe_error(enum plait__env_number which, char *out,
			       size_t out_bytes);

/* Returns true if a context must not open with an invalid value: to ignore
 * it would run work elsewhere, or hide its errors. */
bool plait__env_is_strict(enum plait__env_number which);

/*
 * Returns true if the environment has another variable that begins with PLAIT_
 * and is not one of plait's; `out` then names it and the most similar known
 * one, if any, in one line.  *at is the caller's position, 0 at first.
 */
bool plait__env_describe_unknown(size_t *at, char *out, size_t out_bytes);

#endif
