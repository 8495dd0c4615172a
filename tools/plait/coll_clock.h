/* SPDX-License-Identifier: MIT */
/* Time of a search: its limit, and its progress on stderr. */
#ifndef PLAIT_TOOLS_COLL_CLOCK_H
#define PLAIT_TOOLS_COLL_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct coll_clock {
	uint64_t start_ns;
	uint64_t limit_ns; /* 0: none */
	bool shows;	   /* progress */
	bool has_line;	   /* on a terminal, which the next one overwrites */
};

uint64_t coll_clock_now(void);

/* Start; progress is shown on a terminal, or if `verbose` is set. */
void coll_clock_start(struct coll_clock *clock, uint32_t seconds,
		      bool verbose);

/* Returns the time that is left in ns; without a limit UINT64_MAX. */
uint64_t coll_clock_left(const struct coll_clock *clock);

/* Show what the search does, and the time so far. */
void coll_clock_show(struct coll_clock *clock, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Clear the line of a terminal. */
void coll_clock_clear(struct coll_clock *clock);

#endif
