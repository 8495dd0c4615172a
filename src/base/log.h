/* SPDX-License-Identifier: MIT */
/*
 * The log: one line at a time, to the user's hook or the error stream.  The
 * level comes from the caller; who reads PLAIT_LOG is the context.
 */
#ifndef PLAIT_SRC_BASE_LOG_H
#define PLAIT_SRC_BASE_LOG_H

#include <stdbool.h>

#include "plait/base.h"

/* The longest line that is passed on, its NUL included; the rest is cut. */
enum { PLAIT__LOG_LINE_BYTES = 1024 };

/* Never changes after init, so any thread may use it without a lock. */
typedef struct plait__log {
	plait_log_hook hook;
	void *user_data;
	int32_t level; /* PLAIT_LOG_NONE to PLAIT_LOG_DEBUG */
} plait__log;

/* A null hook is the error stream; PLAIT_LOG_DEFAULT is PLAIT_LOG_NONE. */
void plait__log_init(plait__log *log, plait_log_hook hook, void *user_data,
		     int32_t level);

/* "none", "error", ... "debug" or "1" to "5"; false for anything else. */
bool plait__log_parse_level(const char *text, int32_t *out);

/* The word for a level, "level?" for a number that is none. */
const char *plait__log_level_name(int32_t level);

/* Would a line of this level be seen?  Spares building long ones. */
bool plait__log_is_enabled(const plait__log *log, int32_t level);

/* One line without a newline.  `log` may be null: nobody listens. */
void plait__log_line(const plait__log *log, int32_t level, const char *format,
		     ...) __attribute__((format(printf, 3, 4)));

#endif
