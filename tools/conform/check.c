/* SPDX-License-Identifier: MIT */
/*
 * Report of a check.  Lines go through a pipe to the parent, which keeps the
 * score; the first letter is the type of a line: F failed, N note, S skipped,
 * T it is a transport, E ended normally.
 */
#include "conform.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Most failures reported; beyond that the check is in a loop.  Any thread of
 * this process counts. */
enum { ENOUGH = 20 };
static atomic_uint failed;

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Write a line by one call, so that lines of several threads stay whole. */
__attribute__((format(printf, 3, 0)))
static void say(struct conform *c, char kind, const char *format, va_list args)
{
	char line[1024];
	int used;

	line[0] = kind;
	used = vsnprintf(line + 1, sizeof(line) - 2, format, args);
	if (used < 0)
		return;
	if ((size_t)used > sizeof(line) - 3)
		used = (int)sizeof(line) - 3;
	for (int i = 1; i <= used; i++)
		if (line[i] == '\n')
			line[i] = ' ';
	line[used + 1] = '\n';
	if (write(c->report, line, (size_t)used + 2) < 0)
		_exit(CONFORM_BAD);
}

__attribute__((format(printf, 3, 4)))
static void say_that(struct conform *c, char kind, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(c, kind, format, args);
	va_end(args);
}

void conform_is_transport(struct conform *c)
{
	say_that(c, 'T', "%s", "");
}

plait_error *conform_clear(struct conform *c)
{
	memset(&c->error, 0, sizeof(c->error));
	c->error.size = sizeof(c->error);
	return &c->error;
}

/* Count a reported failure; end the check when there are ENOUGH. */
static bool count_failed(struct conform *c)
{
	if (atomic_fetch_add(&failed, 1) + 1 >= ENOUGH)
		conform_end(c);
	return false;
}

bool conform_holds(struct conform *c, bool held, const char *file, int line,
		   const char *format, ...)
{
	char text[700];
	va_list args;

	if (held)
		return true;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	say_that(c, 'F', "%s:%d: does not hold: %s", base_name(file), line,
		 text);
	return count_failed(c);
}

/* Check that a failure filled the record and a success did not touch it. */
static bool error_fits(struct conform *c, plait_status got)
{
	if (c->error.size == 0)
		return true; /* the call was made without a record */
	if (got >= 0)
		return c->error.status == 0 && c->error.text[0] == 0;
	return c->error.status == got && c->error.text[0] != 0 &&
	       memchr(c->error.text, 0, sizeof(c->error.text)) != NULL;
}

bool conform_gives(struct conform *c, plait_status got, plait_status want,
		   const char *file, int line, const char *call)
{
	bool fits = error_fits(c, got);

	if (got == want && fits) {
		c->error.size = 0;
		return true;
	}
	if (got != want)
		say_that(c, 'F', "%s:%d: %s: %s instead of %s; it says \"%s\"",
			 base_name(file), line, call, plait_status_name(got),
			 plait_status_name(want), c->error.text);
	else
		say_that(c, 'F', "%s:%d: %s: %s, but its record has %s, \"%s\"",
			 base_name(file), line, call, plait_status_name(got),
			 plait_status_name(c->error.status), c->error.text);
	c->error.size = 0;
	return count_failed(c);
}

void conform_need(struct conform *c, plait_status got, const char *file,
		  int line, const char *call)
{
	if (conform_gives(c, got, PLAIT_OK, file, line, call))
		return;
	conform_end(c);
}

bool conform_says(struct conform *c, int64_t origin, const char *part,
		  const char *file, int line)
{
	bool held = c->error.origin == origin && strstr(c->error.text, part);

	return conform_holds(c, held, file, line,
			     "origin %lld and \"%s\" in the record, which has "
			     "%lld and \"%s\"", (long long)origin, part,
			     (long long)c->error.origin, c->error.text);
}

void conform_note(struct conform *c, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(c, 'N', format, args);
	va_end(args);
}

void conform_log(void *c, plait_log_level level, const char *line)
{
	if (level == PLAIT_LOG_INFO && strstr(line, ": graphs: ") != NULL)
		say_that(c, 'G', "%s", line);
	else if (level <= conform_graphs_log_level())
		fprintf(stderr, "plait: %s: %s\n",
			conform_graphs_level_name(level), line);
}

void conform_skip(struct conform *c, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(c, 'S', format, args);
	va_end(args);
	conform_end(c);
}

void conform_end(struct conform *c)
{
	/* A failed check may leave a state unfit for normal exit; a passed one
	 * exits normally, so that leak checkers run. */
	say_that(c, 'E', "%s", "");
	if (atomic_load(&failed))
		_exit(CONFORM_BAD);
	exit(CONFORM_GOOD);
}
