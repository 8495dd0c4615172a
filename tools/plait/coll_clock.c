/* SPDX-License-Identifier: MIT */
/* Limit and progress of a search; see coll_clock.h. */
#include "coll_clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { SECOND_NS = 1000000000 };

uint64_t coll_clock_now(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

void coll_clock_start(struct coll_clock *clock, uint32_t seconds, bool verbose)
{
	clock->start_ns = coll_clock_now();
	clock->limit_ns = (uint64_t)seconds * SECOND_NS;
	clock->shows = verbose || isatty(STDERR_FILENO) == 1;
	clock->has_line = false;
}

uint64_t coll_clock_left(const struct coll_clock *clock)
{
	uint64_t used = coll_clock_now() - clock->start_ns;

	if (clock->limit_ns == 0)
		return UINT64_MAX;
	return used < clock->limit_ns ? clock->limit_ns - used : 0;
}

void coll_clock_show(struct coll_clock *clock, const char *format, ...)
{
	bool terminal = isatty(STDERR_FILENO) == 1;
	char text[200];
	va_list args;

	if (!clock->shows)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(stderr, "%s%s; %.1f s", terminal ? "\r" : "", text,
		(double)(coll_clock_now() - clock->start_ns) / SECOND_NS);
	if (clock->limit_ns != 0)
		fprintf(stderr, " of %u", (unsigned)(clock->limit_ns /
						     SECOND_NS));
	fputs(terminal ? "\033[K" : "\n", stderr);
	clock->has_line = terminal;
}

void coll_clock_clear(struct coll_clock *clock)
{
	if (clock->has_line)
		fputs("\r\033[K", stderr);
	clock->has_line = false;
}
