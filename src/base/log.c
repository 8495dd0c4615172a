/* SPDX-License-Identifier: MIT */
/* The log; see log.h. */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const level_names[] = {
	[PLAIT_LOG_DEFAULT] = "default", [PLAIT_LOG_NONE] = "none",
	[PLAIT_LOG_ERROR] = "error",     [PLAIT_LOG_WARNING] = "warning",
	[PLAIT_LOG_INFO] = "info",       [PLAIT_LOG_DEBUG] = "debug",
};

/* A single write, so that lines of several threads do not mix. */
static void write_to_error_stream(void *user_data, int32_t level,
				  const char *line)
{
	char bytes[PLAIT__LOG_LINE_BYTES + 32];
	int length = snprintf(bytes, sizeof(bytes), "plait: %s: %s\n",
			      plait__log_level_name(level), line);

	(void)user_data;
	if (length < 0)
		return;
	if ((size_t)length >= sizeof(bytes)) {
		length = (int)sizeof(bytes) - 1;
		bytes[length - 1] = '\n';
	}
	/* A failure to write the log cannot be reported. */
	if (write(STDERR_FILENO, bytes, (size_t)length) < 0)
		return;
}

void plait__log_init(plait__log *log, plait_log_hook hook, void *user_data,
		     int32_t level)
{
	log->hook = hook != NULL ? hook : write_to_error_stream;
	log->user_data = hook != NULL ? user_data : NULL;
	log->level = level == PLAIT_LOG_DEFAULT ? PLAIT_LOG_NONE : level;
}

bool plait__log_parse_level(const char *text, int32_t *out)
{
	int32_t level;

	for (level = PLAIT_LOG_NONE; level <= PLAIT_LOG_DEBUG; level++) {
		bool digit = text[0] == '0' + level && text[1] == '\0';

		if (digit || strcmp(text, level_names[level]) == 0) {
			*out = level;
			return true;
		}
	}
	return false;
}

const char *plait__log_level_name(int32_t level)
{
	if (level < PLAIT_LOG_DEFAULT || level > PLAIT_LOG_DEBUG)
		return "level?";
	return level_names[level];
}

bool plait__log_is_enabled(const plait__log *log, int32_t level)
{
	return log != NULL && log->hook != NULL &&
	       level >= PLAIT_LOG_ERROR && level <= log->level;
}

/* Replace newlines: a driver's message must stay one line. */
static void flatten(char *line)
{
	for (; *line != '\0'; line++)
		if (*line == '\n' || *line == '\r')
			*line = ' ';
}

void plait__log_line(const plait__log *log, int32_t level, const char *format,
		     ...)
{
	char line[PLAIT__LOG_LINE_BYTES];
	va_list args;
	int length;

	if (!plait__log_is_enabled(log, level))
		return;
	va_start(args, format);
	length = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (length < 0)
		return;
	flatten(line);
	log->hook(log->user_data, level, line);
}
