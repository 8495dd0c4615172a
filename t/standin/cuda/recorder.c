/* SPDX-License-Identifier: MIT */
/*
 * Recorder of the order of locks, for tests on the stand-in for CUDA's driver.
 * A driver runs callbacks with a lock of its own, which its calls take.  A
 * mutex that is held during a call must therefore not be taken in a callback:
 * neither itself nor another mutex, under which the first is taken.
 *
 * The library is linked to a test, or preloaded, so that its mutex functions
 * are those of the process; the stand-in finds `standin_recorder_hooks`.  An
 * inversion ends the process with status 1 when it exits.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control.h"

/* The functions of the process. */
#define REPLACED __attribute__((visibility("default")))

REPLACED extern const struct standin_recorder standin_recorder_hooks;

enum { MUTEXES = 1 << 14, EDGES = 1 << 14, DEPTH = 32 };

/* One mutex between its initialisation and its end. */
struct mutex {
	const void *address; /* null: free, or initialised again since */
	const char *held_call; /* the first call during which it was held */
	const void *callback_taker; /* code that took it in a callback */
	bool used;
};

static struct mutex mutexes[MUTEXES];
static struct { uint32_t outer, inner; } edges[EDGES];
static uint32_t edge_count;
static bool spin, is_full;

static _Thread_local uint32_t held[DEPTH], held_count;
static _Thread_local bool in_callback;

static void lock_tables(void)
{
	while (__atomic_exchange_n(&spin, true, __ATOMIC_ACQUIRE))
		;
}

static void unlock_tables(void)
{
	__atomic_store_n(&spin, false, __ATOMIC_RELEASE);
}

static uint32_t slot_of(const void *address)
{
	uint32_t at = (uint32_t)((uintptr_t)address >> 3) % MUTEXES, tried;

	for (tried = 0; tried < MUTEXES; tried++, at = (at + 1) % MUTEXES) {
		if (mutexes[at].address == address)
			return at;
		if (!mutexes[at].used) {
			mutexes[at].used = true;
			mutexes[at].address = address;
			return at;
		}
	}
	is_full = true;
	return 0;
}

static void add_edge(uint32_t outer, uint32_t inner)
{
	uint32_t i;

	for (i = 0; i < edge_count; i++)
		if (edges[i].outer == outer && edges[i].inner == inner)
			return;
	is_full |= edge_count == EDGES;
	if (edge_count == EDGES)
		return;
	edges[edge_count].outer = outer;
	edges[edge_count++].inner = inner;
}

/* `waits`: false for a try, which delays no thread. */
static void note_lock(const void *address, bool waits, const void *taker)
{
	uint32_t slot;

	lock_tables();
	slot = slot_of(address);
	if (waits && held_count > 0)
		add_edge(held[held_count - 1], slot);
	if (waits && in_callback && mutexes[slot].callback_taker == NULL)
		mutexes[slot].callback_taker = taker;
	unlock_tables();
	if (held_count < DEPTH)
		held[held_count++] = slot;
	else
		is_full = true;
}

static void note_unlock(const void *address)
{
	uint32_t i = held_count;

	while (i-- > 0)
		if (mutexes[held[i]].address == address) {
			memmove(held + i, held + i + 1,
				(held_count - i - 1) * sizeof(held[0]));
			held_count--;
			return;
		}
}

/* --- the functions of the process ----------------------------------------- */

static void *next_of(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

#define NEXT(type, name) \
	static type *next; \
	type *function = __atomic_load_n(&next, __ATOMIC_ACQUIRE); \
	if (function == NULL) { \
		void *symbol = next_of(name); \
		memcpy(&function, &symbol, sizeof(function)); \
		__atomic_store_n(&next, function, __ATOMIC_RELEASE); \
	}

typedef int of_mutex(pthread_mutex_t *mutex);
typedef int init_mutex(pthread_mutex_t *mutex,
		       const pthread_mutexattr_t *attributes);

REPLACED init_mutex pthread_mutex_init;
REPLACED of_mutex pthread_mutex_lock, pthread_mutex_trylock,
	pthread_mutex_unlock;

int pthread_mutex_init(pthread_mutex_t *mutex,
		       const pthread_mutexattr_t *attributes)
{
	NEXT(init_mutex, "pthread_mutex_init")
	lock_tables();
	mutexes[slot_of(mutex)].address = NULL;
	unlock_tables();
	return function(mutex, attributes);
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	int result;

	NEXT(of_mutex, "pthread_mutex_lock")
	result = function(mutex);
	note_lock(mutex, true, __builtin_return_address(0));
	return result;
}

int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	int result;

	NEXT(of_mutex, "pthread_mutex_trylock")
	result = function(mutex);
	if (result == 0)
		note_lock(mutex, false, NULL);
	return result;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	NEXT(of_mutex, "pthread_mutex_unlock")
	note_unlock(mutex);
	return function(mutex);
}

/* --- hooks of the stand-in ------------------------------------------------ */

static void on_call(const char *name)
{
	uint32_t i;

	if (held_count == 0)
		return;
	lock_tables();
	for (i = 0; i < held_count; i++)
		if (mutexes[held[i]].held_call == NULL)
			mutexes[held[i]].held_call = name;
	unlock_tables();
}

static void on_begin(void)
{
	in_callback = true;
}

static void on_end(void)
{
	in_callback = false;
}

const struct standin_recorder standin_recorder_hooks = { on_call, on_begin,
							 on_end };

/* --- the end -------------------------------------------------------------- */

/* A thread that takes the outer mutex may wait for the inner one. */
static void spread(void)
{
	bool changed = true;
	uint32_t i;

	while (changed) {
		changed = false;
		for (i = 0; i < edge_count; i++) {
			const struct mutex *inner = &mutexes[edges[i].inner];
			struct mutex *outer = &mutexes[edges[i].outer];

			if (inner->held_call == NULL ||
			    outer->held_call != NULL)
				continue;
			outer->held_call = inner->held_call;
			changed = true;
		}
	}
}

static const char *function_at(const void *code)
{
	Dl_info info;

	return dladdr(code, &info) != 0 && info.dli_sname != NULL ?
		       info.dli_sname : "code without a name";
}

__attribute__((destructor)) static void judge(void)
{
	bool bad = is_full;
	uint32_t i;

	if (is_full)
		printf("# recorder of locks: its tables are too small\n");
	spread();
	for (i = 0; i < MUTEXES; i++) {
		if (mutexes[i].held_call == NULL ||
		    mutexes[i].callback_taker == NULL)
			continue;
		bad = true;
		printf("# lock order: a mutex is held during %s, and taken in "
		       "a callback (by %s)\n", mutexes[i].held_call,
		       function_at(mutexes[i].callback_taker));
	}
	if (!bad)
		return;
	(void)fflush(stdout);
	_exit(1);
}
