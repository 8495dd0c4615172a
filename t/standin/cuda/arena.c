/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for libcuda.so.1: memory of devices.  All of it is in one range of
 * addresses, which nothing can access while no command runs: a host that follows a
 * device's address then ends with a signal, as beside a real device.  Where a
 * sanitizer watches addresses it is plain memory.  Newly allocated memory is full of
 * rubbish.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "standin.h"

enum { ALIGNMENT = 256, RUBBISH = 0xa5, PAGE = 4096 };

void *standin_host_acquire(size_t bytes)
{
	void *pointer = aligned_alloc(ALIGNMENT, bytes);

	return pointer != NULL ? memset(pointer, RUBBISH, bytes) : NULL;
}

#ifdef __SANITIZE_ADDRESS__

void *standin_arena_acquire(size_t bytes)
{
	return standin_host_acquire(bytes);
}

void standin_arena_release(void *pointer)
{
	free(pointer);
}

void standin_arena_open(void)
{
}

void standin_arena_close(void)
{
}

#else

/* Address space only. */
static const size_t arena_bytes = (size_t)1 << 36;

static char *arena;
static size_t reach; /* bytes from the start that were ever in use */

/* Parts in use, by address; of whole pages. */
static struct part {
	size_t first, end;
} *parts;
static size_t part_count, part_room;

/* Commands that run.  `gate` guards it, and the protection. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static unsigned open_count;

static void protect(size_t first, size_t end, int protection)
{
	if (first < end &&
	    mprotect(arena + first, end - first, protection) != 0)
		abort();
}

void standin_arena_open(void)
{
	pthread_mutex_lock(&gate);
	if (open_count++ == 0)
		protect(0, reach, PROT_READ | PROT_WRITE);
	pthread_mutex_unlock(&gate);
}

void standin_arena_close(void)
{
	pthread_mutex_lock(&gate);
	if (--open_count == 0)
		protect(0, reach, PROT_NONE);
	pthread_mutex_unlock(&gate);
}

static void extend(size_t end)
{
	pthread_mutex_lock(&gate);
	if (end > reach && open_count > 0)
		protect(reach, end, PROT_READ | PROT_WRITE);
	if (end > reach)
		reach = end;
	pthread_mutex_unlock(&gate);
}

/* The index of the part before which the first large enough gap is. */
static size_t find_gap(size_t bytes, size_t *out_first)
{
	size_t i;

	*out_first = 0;
	for (i = 0; i < part_count; i++) {
		if (parts[i].first - *out_first >= bytes)
			break;
		*out_first = parts[i].end;
	}
	return i;
}

static void insert(size_t index, struct part part)
{
	if (part_count == part_room) {
		part_room = part_room * 2 + 64;
		parts = realloc(parts, part_room * sizeof(*parts));
		if (parts == NULL)
			abort();
	}
	memmove(parts + index + 1, parts + index,
		(part_count - index) * sizeof(*parts));
	parts[index] = part;
	part_count++;
}

/* Caller holds the stand-in's lock, as for the release. */
void *standin_arena_acquire(size_t bytes)
{
	size_t whole = (bytes + PAGE - 1) / PAGE * PAGE, first, index;

	if (arena == NULL)
		arena = mmap(NULL, arena_bytes, PROT_NONE, MAP_PRIVATE |
			     MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (arena == MAP_FAILED)
		abort();
	index = find_gap(whole, &first);
	if (whole > arena_bytes - first)
		return NULL;
	insert(index, (struct part){ first, first + whole });
	extend(first + whole);
	standin_arena_open();
	memset(arena + first, RUBBISH, bytes);
	standin_arena_close();
	return arena + first;
}

void standin_arena_release(void *pointer)
{
	size_t first = (size_t)((char *)pointer - arena), i = 0;

	while (parts[i].first != first)
		i++;
	(void)madvise(pointer, parts[i].end - first, MADV_DONTNEED);
	memmove(parts + i, parts + i + 1,
		(part_count - i - 1) * sizeof(*parts));
	part_count--;
}

#endif
