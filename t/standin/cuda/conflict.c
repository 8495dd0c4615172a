/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for libcuda.so.1: copies that run at the same time (copies=slow).  Each
 * takes up to 200 us, so that commands which no wait keeps apart meet; two that
 * access the same bytes, of which one writes, end the process.  Copies of rows
 * are not looked at.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "standin.h"

enum { MOST = 32, SLOW_US = 200 };

static const struct work *running[MOST];

static bool meet(const char *one, size_t bytes, const char *other,
		 size_t other_bytes)
{
	return one < other + other_bytes && other < one + bytes;
}

static bool conflict(const struct work *one, const struct work *other)
{
	return meet(one->target, one->bytes, other->target, other->bytes) ||
	       meet(one->target, one->bytes, other->source, other->bytes) ||
	       meet(one->source, one->bytes, other->target, other->bytes);
}

static bool is_watched(const struct work *work)
{
	return standin.options.slow_copies && work->kind == WORK_COPY &&
	       work->height <= 1 && work->depth <= 1 && work->bytes > 0;
}

static void refuse(const struct work *one, const struct work *other)
{
	fprintf(stderr, "stand-in for CUDA: a copy of %zu bytes from %p to %p "
			"beside one of %zu bytes from %p to %p\n",
		one->bytes, (const void *)one->source, (void *)one->target,
		other->bytes, (const void *)other->source,
		(void *)other->target);
	abort();
}

void standin_begin_copy(const struct work *work)
{
	size_t i, place = MOST;

	if (!is_watched(work))
		return;
	for (i = 0; i < MOST; i++)
		if (running[i] == NULL)
			place = i;
		else if (conflict(work, running[i]))
			refuse(work, running[i]);
	if (place == MOST)
		abort();
	running[place] = work;
}

void standin_delay_copy(const struct work *work)
{
	if (is_watched(work))
		usleep((useconds_t)((uintptr_t)work->target / 8 * 2654435761u %
				    SLOW_US));
}

void standin_end_copy(const struct work *work)
{
	size_t i;

	for (i = 0; i < MOST; i++)
		if (running[i] == work)
			running[i] = NULL;
}
