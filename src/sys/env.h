/* SPDX-License-Identifier: MIT */
/*
 * The only door to the environment.  In a program that runs with more rights
 * than its user (setuid, setgid, capabilities) every variable is absent.
 */
#ifndef PLAIT_SRC_SYS_ENV_H
#define PLAIT_SRC_SYS_ENV_H

#include <stdbool.h>
#include <stdint.h>

/* The value, borrowed until the program changes its environment, or null. */
const char *plait__env_get(const char *name);

/* Does this process run with more rights than its user? */
bool plait__env_privileged(void);

/*
 * A decimal number from 0 to `max`.  1: found, in *out; 0: not set or empty;
 * -EINVAL: set, and something else.
 */
int plait__env_query_number(const char *name, uint64_t max, uint64_t *out);

#endif
