/* SPDX-License-Identifier: MIT */
/*
 * The log: single lines for the user's hook or the error stream. The caller
 * passes the level; the context reads PLAIT_LOG.
 */
#ifndef PLAIT_SRC_BASE_LOG_H
#define PLAIT_SRC_BASE_LOG_H

#include <stdbool.h>

#include "plait/base.h"

/* The maximum line, including its NUL; longer lines are truncated. */
enum { PLAIT__LOG_LINE_BYTES = 1024 };

/* Constant after init, so any thread may use it without a lock. */
typedef struct plait__log {
	plait_log_hook hook;
	void *user_data;
	int32_t level; /* PLAIT_LOG_NONE to PLAIT_LOG_DEBUG */
} plait__log;

/* Initialize a log. A null hook is the error stream; PLAIT_LOG_DEFAULT is
 * PLAIT_LOG_NONE. */
void plait__log_init(plait__log *log, plait_log_hook hook, void *user_data,
		     int32_t level);

/* Parse "none", "error", ... "debug" or "1" to "5"; returns false for other
 * texts. */
bool plait__log_parse_level(const char *text, int32_t *out);

/* Returns the name of a level, or "level?" for an unknown number. */
const char *plait__log_level_name(int32_t level);

/* Returns true if a line of this level is passed on; saves building long
 * lines. */
bool plait__log_is_enabled(const plait__log *log, int32_t level);

/* Log one line, given without a newline. A null `log` discards it. */
void plait__log_line(const plait__log *log, int32_t level, const char *format,
		     ...) __attribute__((format(printf, 3, 4)));

#endif
